//! The flags of a request reach the application and the proxy's log; headers that a client forges do not.

use std::net::{SocketAddr, TcpStream};

use crate::agent::Agent;
use crate::backend;
use crate::client::{Answer, Client};
use crate::common::{scratch, tamiz_on, wait_until};
use crate::proxies::{Kind, Proxy};

/// Sends bytes on a connection of their own.
pub(crate) fn send(address: SocketAddr, bytes: &[u8]) -> Answer {
    let mut client = Client::new(TcpStream::connect(address).unwrap());
    client.send(bytes);
    client.answer()
}

/// The value of a header in what the application got; names in any case.
pub(crate) fn seen(answer: &Answer, name: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    let line = |line: &str| {
        let (there, value) = line.split_once(':')?;
        there.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    };
    text.lines().filter_map(line).collect()
}

/// A request that tells whether it was seen: its flags, and nothing that a client says of them.
const REQUEST: &[u8] =
    b"GET /shop/../a?q=%27%20UNION%20SELECT%201 HTTP/1.1\r\nHost: ex.com\r\nX-Tamiz-Flags: FORGED\r\n\
    X-Tamiz-Digest: forged\r\nX-Tamiz-Document: forged\r\nX-Tamiz-Score: forged\r\nX-Tamiz-P-Value: forged\r\n\
    X-Tamiz-Novel: forged\r\nX-Tamiz-Request-Line: GET /forged HTTP/1.1\r\nX-Tamiz-Id: forged\r\n\
    X-Tamiz-Fingerprint: forged\r\nX-Tamiz-Want: forged\r\nX-Tamiz-Scheme: forged\r\nX-Tamiz-Version: forged\r\n\
    X_Tamiz_Flags: forged\r\nx_tamiz-digest: forged\r\nX-Tamiz_Score: forged\r\n\
    X-Forwarded-Uri: /forged\r\nConnection: close\r\n\r\n";

/// The headers with a score.
const SCORE: [&str; 3] = ["x-tamiz-score", "x-tamiz-p-value", "x-tamiz-novel"];

/// Returns whether the application got the flags of [`REQUEST`], and nothing that was forged.
pub(crate) fn has_flags(answer: &Answer) -> bool {
    let text = String::from_utf8_lossy(&answer.body).to_lowercase();
    // An application behind CGI takes underscores for hyphens.
    let is_forged = |line: &str| line.contains("forged") && line.replace('_', "-").starts_with("x-tamiz-");
    assert!(!text.lines().any(is_forged), "{text}");
    let (flags, digests) = (seen(answer, "x-tamiz-flags"), seen(answer, "x-tamiz-digest"));
    match (&flags[..], &digests[..]) {
        ([], []) => false,
        ([flags], [digest]) => {
            let flags: Vec<&str> = flags.split(' ').collect();
            assert!(["DOTDOT", "KW:sql", "QUOTE"].iter().all(|flag| flags.contains(flag)), "{flags:?}");
            assert!(digest.len() == 32 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{digest}");
            true
        }
        other => panic!("{other:?}"),
    }
}

pub(crate) fn ask(proxy: &Proxy) -> Answer {
    send(proxy.address, REQUEST)
}

/// Asks until there are flags: a proxy may not have found the agent yet.
pub(crate) fn ask_until_flags(proxy: &Proxy) -> Answer {
    ask_until(proxy, |answer| answer.status == 200 && has_flags(answer))
}

/// Asks until the answer is as it should be.
fn ask_until(proxy: &Proxy, is_right: impl Fn(&Answer) -> bool) -> Answer {
    let mut last = None;
    let is_answered = || is_right(last.insert(ask(proxy)));
    wait_until(is_answered, || format!("other answers come\n{}", proxy.logs()));
    last.unwrap()
}

fn flags_reach(kind: Kind) {
    let agent = Agent::start(&[]);
    let application = backend::start();
    let Some(proxy) = Proxy::start(kind, "flags", &agent.places, application) else { return };
    let digest = seen(&ask_until_flags(&proxy), "x-tamiz-digest").remove(0);
    // The same request is the same document.
    assert_eq!(seen(&ask(&proxy), "x-tamiz-digest"), [digest.as_str()]);
    wait_until(|| proxy.logs().contains(&digest), || proxy.logs());
    assert!(proxy.logs().contains("/shop/../a?q=%27%20UNION%20SELECT%201"), "{}", proxy.logs());
    // Bodies and methods, one after the other on one connection.
    let mut client = Client::new(TcpStream::connect(proxy.address).unwrap());
    for n in 0..20 {
        let method = ["POST", "PUT", "GET"][n % 3];
        let body = if method == "GET" { String::new() } else { format!("a={n}&b=%3Cscript%3E") };
        let headers = [("content-type", "application/x-www-form-urlencoded"), ("x-n", &n.to_string()[..])];
        let answer = client.ask(method, &format!("/item/{n}"), &headers, body.as_bytes());
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(seen(&answer, "x-n"), [n.to_string()]);
        let flags = seen(&answer, "x-tamiz-flags").concat();
        // Those that hand over bodies.
        let has_body = matches!(kind, Kind::EnvoyExtAuthz | Kind::EnvoyExtProc | Kind::Haproxy);
        assert_eq!(flags.contains("ANGLE"), has_body && method != "GET", "{flags}");
    }
}

fn scores_reach(kind: Kind) {
    let dir = scratch(&format!("edge-scores-{kind:?}"));
    let model = dir.join("site.model");
    let model = model.to_str().expect("a plain path");
    let lines: String = (0..300)
        .map(|n| format!("{{\"raw\":\"GET /item?id={n} HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n\"}}\n"))
        .collect();
    tamiz_on(["learn", "-", "-o", model, "-q"], lines.as_bytes()).ok();
    let agent = Agent::start(&["--model", model]);
    let Some(proxy) = Proxy::start(kind, "scores", &agent.places, backend::start()) else { return };
    let answer = ask_until_flags(&proxy);
    let [score, p_value, novel] = SCORE.map(|name| {
        let values = seen(&answer, name);
        assert_eq!(values.len(), 1, "{name}: {values:?}");
        values[0].parse::<f64>().unwrap()
    });
    assert!(score > 0.0 && p_value < 0.05 && novel > 0.0, "{score} {p_value} {novel}");
    let score = seen(&answer, SCORE[0]).concat();
    wait_until(|| proxy.logs().contains(&score), || proxy.logs());
}

fn denied(kind: Kind) {
    let agent = Agent::start(&["--deny", "KW:sql"]);
    let application = backend::start();
    let Some(proxy) = Proxy::start(kind, "denied", &agent.places, application) else { return };
    let answer = ask_until(&proxy, |answer| answer.status != 200);
    assert_eq!(answer.status, 403, "{answer:?}");
    // Why is not for the client to know.
    assert!(
        !format!("{:?}{}", answer.headers, String::from_utf8_lossy(&answer.body)).contains("tamiz"),
        "{answer:?}"
    );
    let harmless = b"GET /a HTTP/1.1\r\nHost: ex.com\r\nConnection: close\r\n\r\n";
    assert_eq!(send(proxy.address, harmless).status, 200);
}

/// Clients that go in the middle of a head or a body leave nothing behind.
fn cut_off(kind: Kind) {
    let agent = Agent::start(&[]);
    let Some(proxy) = Proxy::start(kind, "cut", &agent.places, backend::start()) else { return };
    ask_until_flags(&proxy);
    for n in 0..30 {
        let mut client = Client::new(TcpStream::connect(proxy.address).unwrap());
        client.send(b"POST /cut HTTP/1.1\r\nHost: ex.com\r\nContent-Le");
        if n % 3 > 0 {
            client.send(b"ngth: 50000\r\n\r\na=1&b=2");
        }
        if n % 3 > 1 {
            client.send(&[b'x'; 30_000]);
            // The proxy has read some of it when it has answered another.
            ask(&proxy);
        }
    }
    ask_until_flags(&proxy);
}

/// Names that nobody uses yet are kept from the application, too.
fn family_is_removed(kind: Kind) {
    // It has no way to name headers but one by one: `ports.rs` holds its list against those that there are.
    if kind == Kind::Nginx {
        return;
    }
    let agent = Agent::start(&[]);
    let Some(proxy) = Proxy::start(kind, "family", &agent.places, backend::start()) else { return };
    let request = b"GET / HTTP/1.1\r\nHost: ex.com\r\nX-Tamiz-Other: forged\r\nx_tamiz_other: forged\r\nX-Own: kept\r\n\
        Connection: close\r\n\r\n";
    let answer = send(proxy.address, request);
    let text = String::from_utf8_lossy(&answer.body).to_lowercase();
    assert!(answer.status == 200 && !text.contains("forged") && text.contains("x-own: kept"), "{text}");
}

each_proxy! {
    all_names_of_ours_are_removed = family_is_removed;
    flags_reach_the_application_and_the_log = flags_reach;
    scores_reach_the_application_and_the_log = scores_reach;
    what_is_denied_is_turned_away = denied;
    clients_that_go_leave_nothing_behind = cut_off;
}

/// Bytes that HTTP libraries refuse are no way around the question.
#[test]
fn odd_bytes_do_not_get_past() {
    let agent = Agent::start(&[]);
    let application = backend::start();
    let Some(proxy) = Proxy::start_with(Kind::Nginx, "odd", &agent.places, application, |text| {
        Kind::Nginx.fail_closed(text)
    }) else {
        return;
    };
    let many: String = (0..300).map(|n| format!("x-{n}: 1\r\n")).collect();
    for odd in ["x: a\x01b\x7f\r\n", "x: \u{e9}\u{202e}\r\n", "x: %00\r\n", &many] {
        let request =
            format!("GET /\u{e9}\"{{?q=<b> HTTP/1.1\r\nHost: ex.com\r\n{odd}Connection: close\r\n\r\n");
        let answer = send(proxy.address, request.as_bytes());
        assert_eq!(answer.status, 200, "{answer:?}\n{}", proxy.logs());
        assert!(seen(&answer, "x-tamiz-flags").concat().contains("ANGLE"));
    }
}
