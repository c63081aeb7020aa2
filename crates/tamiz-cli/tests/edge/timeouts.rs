//! Timeouts of the configurations in `deploy/`, rewritten so that no test depends on how fast the machine is.

use crate::proxies::Kind;

/// How long a proxy waits for Tamiz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Until the answer comes: an answer that is late on a busy machine is an answer.
    ForTheAnswer,
    /// As `deploy/` says, for tests in which Tamiz does not answer at all.
    AsDeployed,
}

/// Timeouts between the proxy, its clients and the application. They are longer in every test.
const OTHERS: &[(&str, &str)] = &[
    // nginx
    (
        "    listen 127.0.0.1:8080",
        "    client_header_timeout 600s; client_body_timeout 600s; send_timeout 600s;\n    proxy_read_timeout 600s; proxy_send_timeout 600s;\n    listen 127.0.0.1:8080",
    ),
    // Envoy
    ("route: { cluster: application }", "route: { cluster: application, timeout: 600s }"),
    ("connect_timeout: 1s", "connect_timeout: 600s"),
    // HAProxy
    ("    timeout connect 1s\n", "    timeout connect 600s\n"),
    ("timeout client 30s", "timeout client 600s"),
    ("timeout server 30s", "timeout server 600s"),
    ("timeout http-request 10s", "timeout http-request 600s"),
    ("timeout http-keep-alive 30s", "timeout http-keep-alive 600s"),
];

/// Timeouts of the question to Tamiz.
const QUESTIONS: &[(&str, &str)] = &[
    // nginx
    ("proxy_connect_timeout 100ms", "proxy_connect_timeout 70s"),
    ("proxy_send_timeout 250ms", "proxy_send_timeout 600s"),
    ("proxy_read_timeout 250ms", "proxy_read_timeout 600s"),
    // Caddy
    ("dial_timeout 100ms", "dial_timeout 600s"),
    ("response_header_timeout 250ms", "response_header_timeout 600s"),
    // Envoy
    ("timeout: 0.25s", "timeout: 600s"),
    ("connect_timeout: 0.1s", "connect_timeout: 600s"),
    // HAProxy; a late health check takes nobody away.
    ("timeout connect 100ms", "timeout connect 600s"),
    ("timeout hello 250ms", "timeout hello 600s"),
    ("timeout processing 250ms", "timeout processing 600s"),
    ("check inter 1s fastinter 200ms downinter 500ms", "check inter 1s fall 100000"),
];

/// Caddy asks its own second place with the timeouts that it asks Tamiz with: they have to be long enough for that one
/// on a busy machine. A service that hangs still accepts connections, so that only the second timeout is waited for.
const OF_CADDY: &[(&str, &str)] = &[
    ("dial_timeout 100ms", "dial_timeout 600s"),
    ("response_header_timeout 250ms", "response_header_timeout 5s"),
];

/// Rewrites a configuration file.
pub(crate) fn rewrite(kind: Kind, text: &str, wait: Wait) -> String {
    let questions = match (wait, kind) {
        (Wait::ForTheAnswer, _) => QUESTIONS,
        (Wait::AsDeployed, Kind::Caddy) => OF_CADDY,
        (Wait::AsDeployed, _) => &[],
    };
    OTHERS.iter().chain(questions).fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[test]
fn every_timeout_is_found() {
    let all: String = Kind::ALL.iter().flat_map(|kind| kind.texts()).collect();
    for (from, _) in OTHERS.iter().chain(QUESTIONS).chain(OF_CADDY) {
        assert!(all.contains(from), "{from} is not in deploy/");
    }
    let is_short = |word: &str| {
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        word.starts_with("0.")
            || word.len() > digits.len() && digits.trim_end_matches([';', ',', '}']) == "ms"
    };
    for kind in Kind::ALL {
        for text in kind.texts() {
            let text = rewrite(kind, &text, Wait::ForTheAnswer);
            assert!(!text.split_whitespace().any(is_short), "{kind:?} has a short timeout\n{text}");
        }
    }
}
