//! The agent is dead, hangs, is slow, answers garbage, comes back: the proxy goes on, as its configuration says.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::Duration;

use crate::agent::{Agent, Places};
use crate::backend;
use crate::flags::{ask, ask_until_flags, has_flags};
use crate::proxies::{Kind, Proxy, free_address};

/// What is no agent, and takes its place.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Nobody listens.
    Dead,
    /// It accepts connections, and says nothing.
    Hanging,
    /// It answers, after everybody has gone on.
    Slow,
    /// It answers, but not in any language of the proxy.
    Garbage,
    /// It closes every connection.
    Closing,
}

impl Fault {
    const ALL: [Fault; 5] = [Fault::Dead, Fault::Hanging, Fault::Slow, Fault::Garbage, Fault::Closing];

    fn start(self) -> SocketAddr {
        if let Fault::Dead = self {
            return free_address();
        }
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                thread::spawn(move || {
                    let mut some = [0; 64];
                    match self {
                        Fault::Dead | Fault::Hanging => {
                            while stream.read(&mut some).is_ok_and(|len| len > 0) {}
                        }
                        Fault::Slow => {
                            thread::sleep(Duration::from_secs(5));
                            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
                        }
                        Fault::Garbage => {
                            let _ = stream.read(&mut some);
                            let _ = stream.write_all(
                                &[b"\0\0\0\x7f\xFF\xFEgarbage\r\n\r\n", &[0xA5; 300][..]].concat(),
                            );
                        }
                        Fault::Closing => _ = stream.read(&mut some),
                    }
                });
            }
        });
        address
    }
}

/// Requests pass without flags, or are turned away.
fn goes_on(kind: Kind) {
    let application = backend::start();
    for fault in Fault::ALL {
        let places = Places::all_at(fault.start());
        let Some(open) = Proxy::start(kind, &format!("open-{fault:?}"), &places, application) else { return };
        let closed = Proxy::start_with(kind, &format!("closed-{fault:?}"), &places, application, |text| {
            // Of several files, the one that says so.
            if text.contains("ail-closed") { kind.fail_closed(text) } else { text.to_owned() }
        });
        for _ in 0..3 {
            let answer = ask(&open);
            assert_eq!(answer.status, 200, "{kind:?} {fault:?}: {answer:?}\n{}", open.logs());
            assert!(!has_flags(&answer));
            let answer = ask(closed.as_ref().unwrap());
            assert!(
                matches!(answer.status, 403 | 500 | 502 | 503 | 504),
                "{kind:?} {fault:?}: {answer:?}\n{}",
                closed.as_ref().unwrap().logs()
            );
        }
    }
}

/// An agent that is stopped, goes on, is killed and started again is found again.
fn comes_back(kind: Kind) {
    let agent = Agent::start(&[]);
    let places = agent.places.clone();
    let Some(proxy) = Proxy::start(kind, "back", &places, backend::start()) else { return };
    ask_until_flags(&proxy);
    agent.signal("-STOP");
    assert_eq!(ask(&proxy).status, 200);
    agent.signal("-CONT");
    ask_until_flags(&proxy);
    drop(agent);
    assert_eq!(ask(&proxy).status, 200);
    let _agent = Agent::start_at(&places, &[]);
    ask_until_flags(&proxy);
}

each_proxy! {
    without_an_answer_it_goes_on_as_it_is_told = goes_on;
    an_agent_that_comes_back_is_asked_again = comes_back;
}
