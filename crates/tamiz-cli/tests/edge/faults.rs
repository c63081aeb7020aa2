//! The agent is dead, hangs, is slow, answers garbage, comes back: the proxy goes on, as its configuration says.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use crate::agent::{Agent, Places};
use crate::backend;
use crate::client::Answer;
use crate::flags::{ask, ask_until_flags, has_flags};
use crate::proxies::{Kind, Proxy, free_address};
use crate::timeouts::Wait;

/// A fault of the service.
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
    /// Starts it. What is slow answers when `late` says that the proxy has gone on.
    fn start(self, late: &Arc<Late>) -> SocketAddr {
        if let Fault::Dead = self {
            return free_address();
        }
        let late = Arc::clone(late);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let late = Arc::clone(&late);
                thread::spawn(move || {
                    let mut some = [0; 64];
                    match self {
                        Fault::Dead | Fault::Hanging => {
                            while stream.read(&mut some).is_ok_and(|len| len > 0) {}
                        }
                        Fault::Slow => {
                            late.wait();
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

/// Counts the answers that a proxy gave without Tamiz, for those who come too late.
#[derive(Default)]
struct Late {
    answers: Mutex<usize>,
    changed: Condvar,
}

impl Late {
    /// Waits for the next answer of the proxy.
    fn wait(&self) {
        let answers = self.answers.lock().unwrap();
        let before = *answers;
        drop(self.changed.wait_while(answers, |answers| *answers == before).unwrap());
    }

    /// Asks a proxy, and lets those answer who are late then.
    fn ask(&self, proxy: &Proxy) -> Answer {
        let answer = ask(proxy);
        *self.answers.lock().unwrap() += 1;
        self.changed.notify_all();
        answer
    }
}

/// Requests pass without flags, or are turned away, while an agent has a fault.
fn goes_on(kind: Kind, fault: Fault) {
    let application = backend::start();
    let late = Arc::default();
    let places = Places::all_at(fault.start(&late));
    let start = |name: &str, change: &dyn Fn(&str) -> String| {
        let name = format!("{name}-{fault:?}");
        Proxy::start_waiting(kind, &name, &places, application, Wait::AsDeployed, change)
    };
    let Some(open) = start("open", &str::to_owned) else { return };
    // Of several files, the one that says so.
    let fail_closed =
        |text: &str| if text.contains("ail-closed") { kind.fail_closed(text) } else { text.to_owned() };
    let closed = start("closed", &fail_closed).unwrap();
    for _ in 0..3 {
        let answer = late.ask(&open);
        assert_eq!(answer.status, 200, "{kind:?} {fault:?}: {answer:?}\n{}", open.logs());
        assert!(!has_flags(&answer));
        let answer = late.ask(&closed);
        let is_refused = matches!(answer.status, 403 | 500 | 502 | 503 | 504);
        assert!(is_refused, "{kind:?} {fault:?}: {answer:?}\n{}", closed.logs());
    }
}

fn goes_on_without_an_agent(kind: Kind) {
    goes_on(kind, Fault::Dead);
}

fn goes_on_when_it_hangs(kind: Kind) {
    goes_on(kind, Fault::Hanging);
}

fn goes_on_when_it_is_slow(kind: Kind) {
    goes_on(kind, Fault::Slow);
}

fn goes_on_after_garbage(kind: Kind) {
    goes_on(kind, Fault::Garbage);
}

fn goes_on_when_it_closes(kind: Kind) {
    goes_on(kind, Fault::Closing);
}

/// An agent that is stopped, goes on, is killed and started again is found again.
fn comes_back(kind: Kind) {
    let places = Places::free();
    let agent = Agent::start_at(&places, &[]);
    let started =
        Proxy::start_waiting(kind, "back", &places, backend::start(), Wait::AsDeployed, str::to_owned);
    let Some(proxy) = started else { return };
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
    a_proxy_goes_on_without_an_agent = goes_on_without_an_agent;
    a_proxy_goes_on_when_the_agent_hangs = goes_on_when_it_hangs;
    a_proxy_goes_on_when_the_agent_is_slow = goes_on_when_it_is_slow;
    a_proxy_goes_on_after_garbage = goes_on_after_garbage;
    a_proxy_goes_on_when_connections_close = goes_on_when_it_closes;
    an_agent_that_comes_back_is_asked_again = comes_back;
}
