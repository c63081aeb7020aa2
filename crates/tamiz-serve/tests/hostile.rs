//! Clients that do not speak HTTP, or not well, and requests that are made to hurt.

use tamiz::{Canonicalizer, Config, Flag};

use crate::common::Service;
use crate::vectors;

/// Requests that are odd in every way there is a vector or a flag for, sent to the service as if they were for it.
#[test]
fn whatever_is_sent_here_is_answered_in_our_words_or_not_at_all() {
    let service = Service::start(|_| {});
    let vectors = vectors::all().into_iter().map(|vector| vector.request());
    let flags = Flag::ALL.iter().flat_map(|flag| [flag.raises().to_vec(), flag.near_miss().to_vec()]);
    let mut answered = 0;
    for request in vectors.chain(flags) {
        let mut client = service.connect();
        // It may be refused before all of it is sent.
        let _ = client.try_send(&request);
        client.end_of_input();
        let answer = client.rest();
        if answer.is_empty() {
            continue;
        }
        answered += 1;
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.") && head.contains("\r\nx-tamiz-fingerprint: v2-"), "{head}");
        let status: u16 = head[9..12].parse().unwrap();
        assert!(status < 500, "{head}");
        let is_error = body.starts_with("{\"code\":");
        assert_eq!(is_error, status >= 400 && !request.starts_with(b"HEAD"), "{answer}");
    }
    assert!(answered > 500, "{answered}");
    assert_eq!(service.get("/healthz").status, 200);
}

#[test]
fn what_is_not_http_is_refused_in_our_words() {
    let service = Service::start(|_| {});
    for bytes in [
        &b"NONSENSE\r\n\r\n"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /s3cret\xFF\x00 HTTP/1.1\r\n\r\n",
        b"G\xC3\xA9T / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost : a\r\n\r\n",
        b"GET / HTTP/1.1\r\n: a\r\n\r\n",
        b"GET / HTTP/1.1\r\na: s3cret\r\n folded\r\n\r\n",
        b"GET / HTTP/1.1\r\ncontent-length: x\r\n\r\n",
        b"POST / HTTP/1.1\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabc",
        b"POST / HTTP/1.1\r\ncontent-length: -3\r\n\r\nabc",
        b"POST /v1/canonicalize HTTP/1.1\r\ntransfer-encoding: chunked, s3cret\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 TLS is left to the proxy\r\n\r\n",
        b"M:GET\nU:http://ex.com/\n\n",
    ] {
        let mut client = service.connect();
        client.send(bytes);
        let answer = client.answer();
        answer.fails(400, "malformed");
        assert!(!answer.text().contains("s3cret"));
        assert_eq!(client.rest(), b"", "the connection is closed");
    }
    assert_eq!(service.counter("tamiz_rejections_total{reason=\"malformed\"}"), 13);
}

#[test]
fn heads_have_a_limit() {
    let service = Service::start(|_| {});
    let long = format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "s3cret".repeat(4000));
    let wide = format!("GET / HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "s3cret".repeat(4000));
    let many: String = (0..70).map(|n| format!("x-{n}: s3cret\r\n")).collect();
    let many = format!("GET / HTTP/1.1\r\n{many}\r\n");
    for head in [long, wide, many] {
        let mut client = service.connect();
        client.send(head.as_bytes());
        let answer = client.answer();
        answer.fails(431, "head-too-large");
        assert!(!answer.text().contains("s3cret"));
    }
}

#[test]
fn a_good_request_before_a_bad_one_is_answered() {
    let service = Service::start(|_| {});
    let mut client = service.connect();
    client.send(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\nGET /readyz HTTP/1.1\r\nhost: a\r\n\r\n\x01\x02\x03\r\n\r\n");
    assert_eq!(client.answer().text(), "ok\n");
    assert_eq!(client.answer().text(), "ready\n");
    client.answer().fails(400, "malformed");
    assert_eq!(client.rest(), b"");
}

#[test]
fn broken_bodies_are_refused_and_others_answered() {
    let service = Service::start(|_| {});
    for body in ["zz\r\nabc\r\n0\r\n\r\n", "3\r\nabcdef\r\n0\r\n\r\n", "fffffffffffffffff\r\nabc\r\n"] {
        let mut client = service.connect();
        client.send(b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
        client.send(body.as_bytes());
        client.answer().fails(400, "body");
    }
    // A client that goes away in the middle is nobody's problem.
    for _ in 0..20 {
        let mut client = service.connect();
        client.send(b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\nabc");
    }
    assert_eq!(service.get("/healthz").status, 200);
}

#[test]
fn a_client_that_has_said_all_is_answered() {
    let service = Service::start(|_| {});
    let body = format!("POST / HTTP/1.1\r\n\r\n{}", "a=%3C&".repeat(20_000));
    let mut client = service.connect();
    client.send(
        format!("POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n", body.len())
            .as_bytes(),
    );
    client.send(body.as_bytes());
    client.end_of_input();
    assert_eq!(client.answer().status, 200);
}

#[test]
fn expectations_and_old_versions() {
    let service = Service::start(|_| {});
    let mut client = service.connect();
    client.send(
        b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n",
    );
    client.send(b"GET /");
    assert_eq!(client.answer().status, 200);
    let mut client = service.connect();
    client.send(b"POST /v1/canonicalize HTTP/1.0\r\ncontent-length: 5\r\n\r\nGET /");
    let answer = client.answer();
    assert_eq!(answer.status, 200);
    answer.is_marked();
    assert_eq!(client.rest(), b"");
    // Who announces too much is told so before it sends anything.
    let mut client = service.connect();
    client.send(b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 99999999999\r\n\r\n");
    client.answer().fails(413, "too-large");
}

/// Requests that are made to hurt: each is answered, with what the library says.
#[test]
fn requests_made_to_hurt() {
    let service = Service::start_on_threads(|_| {});
    let tamiz = Canonicalizer::new(Config::default());
    let head = "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: ";
    let bomb = {
        use std::io::Write;
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        gzip.write_all(&vec![0; 50 << 20]).unwrap();
        gzip.finish().unwrap()
    };
    let requests: Vec<Vec<u8>> = vec![
        [b"POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Encoding: gzip\r\n\r\n", &bomb[..]].concat(),
        format!("{head}application/json\r\n\r\n{}", "[".repeat(300_000)).into_bytes(),
        format!("{head}application/json\r\n\r\n{{\"a\":{}", "{\"a\":".repeat(100_000)).into_bytes(),
        format!("{head}application/xml\r\n\r\n{}", "<a>".repeat(100_000)).into_bytes(),
        format!("{head}multipart/form-data; boundary=b\r\n\r\n{}", "--b\r\n\r\n\r\n".repeat(50_000))
            .into_bytes(),
        format!("GET /?{} HTTP/1.1\r\n\r\n", "a=%25%25&".repeat(50_000)).into_bytes(),
        format!("GET /{} HTTP/1.1\r\n\r\n", "../".repeat(100_000)).into_bytes(),
        format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(50_000)).into_bytes(),
        "\u{FDFA}".repeat(100_000).into_bytes(),
        vec![0; 500_000],
        vec![0xFF; 500_000],
        b"\r\n".repeat(200_000),
    ];
    // All at once, and a small one between them, which does not wait for them.
    std::thread::scope(|scope| {
        let workers: Vec<_> = requests
            .iter()
            .map(|request| {
                let (service, tamiz) = (&service, &tamiz);
                scope.spawn(move || {
                    let answer = service.post("/v1/canonicalize", request);
                    assert_eq!(answer.status, 200);
                    assert_eq!(answer.text(), tamiz.canonicalize(request).as_str());
                })
            })
            .collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            assert_eq!(service.post("/v1/canonicalize", b"GET / HTTP/1.1\r\n\r\n").status, 200);
        }
    });
    assert_eq!(service.counter("tamiz_rejections_total{reason=\"fault\"}"), 0);
}
