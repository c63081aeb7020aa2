//! Requests that come over HTTP/2.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::agent::Agent;
use crate::backend;
use crate::proxies::{Kind, PATIENCE, Proxy, find};

/// What has to be added so that a proxy speaks HTTP/2 in clear.
fn with_http2(kind: Kind, text: &str) -> String {
    match kind {
        Kind::Nginx => text.replace("listen 127.0.0.1:8080;", "listen 127.0.0.1:8080 http2;"),
        Kind::Caddy => text.replace("max_header_size 64KB", "max_header_size 64KB\n\t\tprotocols h1 h2c"),
        // They find out by themselves.
        Kind::EnvoyExtAuthz | Kind::EnvoyExtProc | Kind::Haproxy => text.to_owned(),
    }
}

fn asked_over_http2(kind: Kind) {
    let Some(curl) = find("curl") else { return };
    let file = crate::common::scratch(&format!("edge-http2-{kind:?}")).join("documents.jsonl");
    let agent = Agent::start(&["--sink", &format!("file:{}", file.display())]);
    let change = |text: &str| with_http2(kind, text);
    let Some(proxy) = Proxy::start_with(kind, "http2", &agent.places, backend::start(), change) else {
        return;
    };
    let started = Instant::now();
    let mut number = 0;
    loop {
        number += 1;
        let output = Command::new(&curl)
            .args(["--silent", "--show-error", "--http2-prior-knowledge", "--max-time", "20", "--path-as-is"])
            .args(["--header", "Host: shop.example", "--header", "X-Tamiz-Flags: FORGED"])
            .args(["--write-out", "\nversion=%{http_version}", "--data", "a=1"])
            .arg(format!("http://{}/n{number}/../b?q=%3Cb%3E", proxy.address))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).to_lowercase();
        assert!(text.contains("version=2"), "{text}{output:?}\n{}", proxy.logs());
        assert!(!text.contains("forged"), "{text}");
        if text.lines().any(|line| line.starts_with("x-tamiz-flags: ") && line.contains("dotdot")) {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "{text}\n{}", proxy.logs());
        thread::sleep(Duration::from_millis(50));
    }
    // What was read is the request, not what HTTP/2 makes of it.
    let document = loop {
        let lines = std::fs::read_to_string(&file).unwrap();
        if let Some(line) = lines.lines().last().filter(|_| lines.ends_with('\n')) {
            break serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
        assert!(started.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(20));
    };
    let text = document["tamiz.text"].as_str().unwrap_or_else(|| panic!("{document}"));
    assert!(
        text.starts_with("M:POST\nU:http://shop.example/n") && text.contains("/../b?q=<mixed:3>\nP:/n"),
        "{text}"
    );
    assert_eq!(text.lines().filter(|line| line.starts_with("H:host=")).count(), 1, "{text}");
}

#[test]
fn nginx() {
    asked_over_http2(Kind::Nginx);
}

#[test]
fn caddy() {
    asked_over_http2(Kind::Caddy);
}

#[test]
fn envoy_ext_authz() {
    asked_over_http2(Kind::EnvoyExtAuthz);
}

#[test]
fn envoy_ext_proc() {
    asked_over_http2(Kind::EnvoyExtProc);
}

#[test]
fn haproxy() {
    asked_over_http2(Kind::Haproxy);
}
