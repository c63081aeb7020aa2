//! `/check`, and the doors for HAProxy and Envoy, asked well and badly.

use crate::common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use common::{Answer, Client, Service};
use tamiz_serve::{Listen, Protocol, SinkTo};

fn flags(answer: &Answer) -> &str {
    answer.header("x-tamiz-flags").unwrap_or_else(|| panic!("{answer:?}"))
}

#[test]
fn the_answer_is_in_the_headers() {
    let service = Service::start(|_| {});
    let headers =
        [("x-original-uri", "/a/../b?q=%27"), ("x-original-method", "PUT"), ("x-tamiz-want", "document")];
    for method in ["GET", "POST", "HEAD", "DELETE", "OPTIONS", "TRACE", "X-OWN"] {
        let answer = service.ask(method, "/check", &headers, b"");
        assert_eq!((answer.status, answer.body.len()), (200, 0), "{method}");
        assert_eq!(flags(&answer), "DOTDOT QUOTE");
        answer.is_marked();
        let document =
            data_encoding::BASE64.decode(answer.header("x-tamiz-document").unwrap().as_bytes()).unwrap();
        assert!(document.starts_with(b"M:PUT\nU:http://localhost/a/../b?q="), "{}", document.escape_ascii());
        assert_eq!(answer.header("x-tamiz-digest").unwrap().len(), 32);
    }
    assert_eq!(service.counter("tamiz_checks_total{source=\"wire\",denied=\"no\"}"), 7);
    assert_eq!(service.counter("tamiz_requests_total{route=\"/check\",status=\"200\"}"), 7);
}

#[test]
fn it_is_the_same_whoever_reads_the_head() {
    let service = Service::start(|_| {});
    for (target, headers) in [
        ("/check", &[("x-original-uri", "/x?a=1"), ("a", "b"), ("a", "c")][..]),
        ("/check/nginx", &[("x-tamiz-request-line", "GET /x\u{e9} HTTP/1.1"), ("x-tamiz-scheme", "https")]),
        ("/check/caddy?x", &[("x-forwarded-uri", "/x"), ("x-forwarded-method", "GET"), ("via", "1.1 Caddy")]),
        ("/check/envoy/x?y=z", &[("x-forwarded-proto", "https"), ("x-forwarded-for", "1.2.3.4,10.0.0.1")]),
        ("/check/envoy", &[]),
        ("/check/envoy/", &[]),
        ("/check", &[]),
        ("/check/nginx", &[]),
        ("/check/caddy", &[]),
    ] {
        // On a connection that began with another question, the HTTP library reads it.
        let mut theirs = service.connect();
        assert_eq!(theirs.ask("GET", "/healthz", &[], b"").status, 200);
        let (ours, theirs) =
            (service.ask("GET", target, headers, b""), theirs.ask("GET", target, headers, b""));
        assert_eq!(ours.status, theirs.status, "{target}");
        for name in
            ["x-tamiz-flags", "x-tamiz-digest", "x-tamiz-fingerprint", "content-type", "cache-control"]
        {
            assert_eq!(ours.header(name), theirs.header(name), "{target} {name}");
        }
        if ours.status != 200 {
            ours.fails(400, "check");
        }
    }
    for nothing in ["/check/", "/check/other", "/check/nginx/x", "/checks"] {
        service.ask("GET", nothing, &[], b"").fails(404, "not-found");
    }
}

#[test]
fn questions_come_in_any_pieces_and_are_answered_in_order() {
    let service = Service::start(|_| {});
    let question = |n: usize| {
        let body = "x".repeat(n);
        format!("POST /check/envoy/{n} HTTP/1.1\r\nhost: a\r\ncontent-length: {n}\r\n\r\n{body}")
    };
    let all: String = (0..40).map(question).collect();
    let mut whole = service.connect();
    whole.send(all.as_bytes());
    let mut pieces = service.connect();
    for piece in all.as_bytes().chunks(7) {
        pieces.send(piece);
    }
    for n in 0..40 {
        let (one, other) = (whole.answer(), pieces.answer());
        assert_eq!((one.status, one.header("x-tamiz-digest")), (200, other.header("x-tamiz-digest")), "{n}");
    }
    // Another question on the same connection, and back.
    assert_eq!(whole.ask("GET", "/healthz", &[], b"").status, 200);
    assert_eq!(whole.ask("GET", "/check/envoy/z", &[], b"").status, 200);
}

#[test]
fn odd_bytes_and_long_heads_are_taken() {
    let service = Service::start(|_| {});
    let many: String = (0..2000).map(|n| format!("x-{n}: 1\r\n")).collect();
    let long = format!("x: {}\r\n", "a".repeat(100_000));
    for odd in [&b"x: a\x01\x7f\xff\r\n"[..], many.as_bytes(), long.as_bytes()] {
        let head = b"GET /check/envoy/\xff\"{}<> HTTP/1.1\r\nhost: a\r\n";
        let mut client = service.connect();
        client.send(&[head, odd, b"\r\n"].concat());
        assert!(flags(&client.answer()).contains("ANGLE"));
    }
    // What is still longer is refused, and so is what is not HTTP.
    let mut client = service.connect();
    let _ = client.try_send(format!("GET /check HTTP/1.1\r\nx: {}", "a".repeat(200_000)).as_bytes());
    client.answer().fails(431, "head-too-large");
    for broken in ["GET /check HTTP/1.1\r\na b: c\r\n\r\n", "GET /check HTTP/1.1\r\n: c\r\n\r\n"] {
        let mut client = service.connect();
        client.send(broken.as_bytes());
        client.answer().fails(400, "malformed");
    }
}

#[test]
fn bodies_are_bounded_in_length_and_time() {
    let service = Service::start(|settings| {
        settings.limits.body = 100_000;
        settings.limits.body_time = Duration::from_secs(15);
    });
    let body = |len: usize| format!("q={}", "%3C".repeat(len / 3)).into_bytes();
    let form = [("content-type", "application/x-www-form-urlencoded")];
    for len in [10, 40_000, 99_000] {
        let answer = service.ask("POST", "/check/envoy/a", &form, &body(len));
        assert!(answer.status == 200 && flags(&answer).contains("ANGLE"), "{answer:?}");
    }
    service.ask("POST", "/check/envoy/a", &form, &body(110_000)).fails(413, "too-large");
    let mut slow = service.connect();
    slow.send(b"POST /check/envoy/a HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc");
    service.while_time_passes(|| slow.answer()).fails(408, "slow");
    assert_eq!(slow.rest(), b"");
    let mut waiting = service.connect();
    waiting.send(
        b"POST /check/envoy/a HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n",
    );
    waiting.send(b"a=<");
    assert_eq!(waiting.head().unwrap().0, 200, "after 100");
    let mut chunked = service.connect();
    chunked.send(
        b"POST /check/envoy/a HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\na=<\r\n0\r\n\r\n",
    );
    assert!(flags(&chunked.answer()).contains("ANGLE"));
}

#[test]
fn flags_that_are_denied_are_turned_away_with_the_same_headers() {
    let service = Service::start(|settings| settings.deny = "DOTDOT".parse().unwrap());
    let answer = service.ask("GET", "/check", &[("x-original-uri", "/a/../b")], b"");
    assert_eq!((answer.status, flags(&answer)), (403, "DOTDOT"));
    assert_eq!(service.ask("GET", "/check", &[("x-original-uri", "/a")], b"").status, 200);
    assert_eq!(service.counter("tamiz_checks_total{source=\"wire\",denied=\"yes\"}"), 1);
}

#[test]
fn the_end_answers_what_was_asked() {
    let mut service = Service::start(|_| {});
    let mut half = service.connect();
    half.send(b"GET /check/envoy/a HTTP/1.1\r\nho");
    let mut idle = service.connect();
    assert_eq!(idle.ask("GET", "/check/envoy/a", &[], b"").status, 200);
    service.tell_to_stop();
    // It is closed when the service has heard of it.
    assert_eq!(service.while_time_passes(|| idle.rest()), b"");
    half.send(b"st: a\r\n\r\n");
    let answer = half.answer();
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    service.wait();
}

/// Opens a connection to one of the other doors.
fn connect(service: &Service, protocol: Protocol) -> TcpStream {
    let place = service.places.iter().find(|place| place.protocol == protocol).unwrap();
    let Listen::Tcp(address) = place.listen else { panic!("{place}") };
    TcpStream::connect(address).unwrap()
}

#[test]
fn whatever_comes_through_the_other_doors_does_no_harm() {
    let service = Service::start(|settings| {
        settings.spoe = vec!["127.0.0.1:0".parse().unwrap()];
        settings.ext_proc = vec!["127.0.0.1:0".parse().unwrap()];
        settings.limits.body_time = Duration::from_secs(15);
    });
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let settings_frame = b"\0\0\0\x04\0\0\0\0\0";
    for protocol in [Protocol::Spoe, Protocol::ExtProc] {
        for bytes in [
            &b""[..],
            b"GET / HTTP/1.1\r\nhost: a\r\n\r\n",
            b"\0\0\0\x05\x01\0\0\0\x01",
            b"\xff\xff\xff\xff\xff",
            b"\0\0\x01",
            preface,
            &[&preface[..], settings_frame, b"\xff\xff\xff\x01\xff\xff\xff\xff\xff"].concat(),
            &[&preface[..], settings_frame, b"\0\0\x05\x01\x04\0\0\0\x01garba"].concat(),
            &[0xA5; 5000],
        ] {
            let mut stream = connect(&service, protocol);
            stream.set_read_timeout(Some(common::PATIENCE)).unwrap();
            // It may be closed before everything is said.
            let _ = stream.write_all(bytes);
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let _ = service.while_time_passes(|| stream.read_to_end(&mut Vec::new()));
        }
    }
    let mut client = Client::new(TcpStream::connect(service.address()).unwrap());
    assert_eq!(client.ask("GET", "/healthz", &[], b"").status, 200);
    while service.counter("tamiz_connections") > 2 {
        service.advance(Duration::from_secs(1));
    }
    assert_eq!(service.counter("tamiz_rejections_total{reason=\"fault\"}"), 0);
}

/// A client's value in a proxy's header is not written beside a document that hides it.
#[test]
fn names_of_requests_are_written_only_where_they_tell_nothing() {
    let file = std::env::temp_dir().join(format!("tamiz-ids-{}.jsonl", std::process::id()));
    let mut service = Service::start(|settings| settings.sink = Some(SinkTo::File(file.clone())));
    let session = "16d5b8a2-3c04-9f11-8e7a-0242ac110002";
    let cookie = format!("sid={session}");
    let own = "4f0a6c1e-98d7-4c55-b1a2-6e3f5d7c9b80";
    type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], Option<&'a str>);
    let cases: [Case<'_>; 7] = [
        ("/check", &[("x-original-uri", "/a"), ("x-tamiz-id", "request-7")], Some("request-7")),
        ("/check", &[("x-original-uri", "/a"), ("x-tamiz-id", "ana@example.com")], None),
        ("/check", &[("x-original-uri", "/a"), ("x-tamiz-id", session), ("cookie", &cookie)], None),
        (
            "/check/caddy",
            &[
                ("x-forwarded-uri", "/a?pin=hunter2hunter2"),
                ("x-forwarded-method", "GET"),
                ("x-tamiz-id", "hunter2hunter2"),
            ],
            None,
        ),
        ("/check/nginx", &[("x-tamiz-request-line", "GET / HTTP/1.1"), ("x-tamiz-id", "a\"b")], None),
        ("/check/envoy/a", &[("x-request-id", own)], Some(own)),
        ("/check/envoy/a", &[("x-request-id", session), ("cookie", &cookie)], None),
    ];
    for (target, headers, _) in &cases {
        assert_eq!(service.ask("GET", target, headers, b"").status, 200, "{target}");
    }
    service.tell_to_stop();
    service.wait();
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let ids: Vec<Option<String>> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().map(str::to_owned)
        })
        .collect();
    let expected: Vec<Option<String>> = cases.iter().map(|(.., id)| id.map(str::to_owned)).collect();
    assert_eq!(ids, expected, "{text}");
    for hidden in [session, "hunter2", "ana@"] {
        assert!(!text.contains(hidden), "{hidden}");
    }
}
