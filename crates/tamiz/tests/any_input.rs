//! Any bytes give a document.

mod common;

use common::{canonicalizers, vectors};
use tamiz::{Canonicalizer, Config, Document};

const SMALL: &[u8] =
    b"GET /a/b%2Fc?k=v&pwd=x#f HTTP/1.1\r\nHost: ex.com\r\nCookie: a=b\r\nX-Y: z\r\n w\r\n\r\nbody";

/// The properties that a great many inputs are tried for; `common/properties.rs` has all of them.
fn check(tamiz: &Canonicalizer, request: &[u8]) {
    let document = tamiz.canonicalize(request);
    let text = document.as_str();
    let parsed =
        Document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}\n{}", request.escape_ascii()));
    assert_eq!(parsed.as_str(), text);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
    let with_evidence = tamiz.canonicalize_with_evidence(request);
    assert_eq!(with_evidence, document, "evidence changes no text");
    for raised in with_evidence.flags() {
        for range in raised.evidence() {
            assert!(range.start < range.end && range.end <= request.len(), "{raised} {range:?}");
        }
    }
    assert!(with_evidence.secrets().is_sorted_by(|a, b| a.end < b.start));
    assert!(with_evidence.secrets().iter().all(|range| range.end <= request.len()));
}

#[test]
fn every_byte_at_every_position() {
    for tamiz in &canonicalizers() {
        for at in 0..SMALL.len() {
            for byte in 0..=255 {
                let mut request = SMALL.to_vec();
                request[at] = byte;
                check(tamiz, &request);
            }
        }
    }
}

#[test]
fn every_byte_between_every_two() {
    let tamiz = Canonicalizer::new(Config::default());
    for at in 0..=SMALL.len() {
        for byte in 0..=255 {
            let mut request = SMALL.to_vec();
            request.insert(at, byte);
            check(&tamiz, &request);
        }
    }
}

#[test]
fn every_prefix_of_every_vector() {
    let tamiz = Canonicalizer::new(Config::default());
    let mut requests: Vec<Vec<u8>> = vectors::all().iter().map(|vector| vector.request()).collect();
    requests.iter_mut().for_each(|request| request.truncate(400));
    requests.sort();
    let mut last: &[u8] = b"";
    check(&tamiz, last);
    for request in &requests {
        // In this order a prefix that another request has too is one of the request before.
        let known = request.iter().zip(last).take_while(|(a, b)| a == b).count();
        for end in known + 1..=request.len() {
            check(&tamiz, &request[..end]);
        }
        last = request;
    }
}

#[test]
fn large_inputs() {
    let tamiz = Canonicalizer::new(Config::default());
    let head = b"GET / HTTP/1.1\r\nHost: ex.com\r\n";
    let with = |tail: Vec<u8>| [&head[..], &tail, b"\r\n"].concat();
    check(&tamiz, &with((0..100_000).flat_map(|i| format!("x-{i}: {i}\r\n").into_bytes()).collect()));
    check(&tamiz, &with(b"accept: a/b\r\n".repeat(100_000)));
    check(&tamiz, &with(b"x: 1\r\n".repeat(100_000)));
    check(&tamiz, &with([b"x: ".to_vec(), b"a".repeat(10 << 20), b"\r\n".to_vec()].concat()));
    check(&tamiz, &with([b"x: a\r\n".to_vec(), b" b\r\n".repeat(100_000)].concat()));
    check(&tamiz, &with([b"x: a".to_vec(), b"\nb: c".repeat(100_000), b"\r\n".to_vec()].concat()));
    check(
        &tamiz,
        &with([b"cookie: ".to_vec(), b"session=abcdefgh12345; ".repeat(50_000), b"\r\n".to_vec()].concat()),
    );
    check(&tamiz, &with([b"user-agent: ".to_vec(), b"(".repeat(100_000), b"\r\n".to_vec()].concat()));
    for piece in [
        &b"a=1&"[..],
        b"a&",
        b"%25",
        b"%",
        b"&lt;",
        b"&#",
        b";",
        b"=",
        b"eyJ.",
        b"\xCC\x81",
        b"\xEF\xBC\x8F",
        b"token=abcdefghi&",
        b"://",
        b"xAKIA",
        b"xbearer+",
        b"\\\"",
        b"<",
        b"..%2f",
        b"a:",
        b"/",
        b"/.",
        b"?",
        b"\xFF",
    ] {
        let target = piece.repeat((1 << 20) / piece.len());
        check(&tamiz, &[b"GET /?", &target[..], b" HTTP/1.1\r\nHost: ex.com\r\n\r\n"].concat());
        check(&tamiz, &[b"GET /", &target[..], b" HTTP/1.1\r\nHost: ex.com\r\n\r\n"].concat());
        check(&tamiz, &with([b"x: ", &target[..], b"\r\n"].concat()));
        check(&tamiz, &with([b"referer: http://ex.com/", &target[..], b"\r\n"].concat()));
        check(&tamiz, &with([b"forwarded: ", &target[..], b"\r\n"].concat()));
        check(&tamiz, &with([b"content-type: ", &target[..], b"\r\n"].concat()));
        check(&tamiz, &target);
    }
}

#[test]
fn binary() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let tamiz = Canonicalizer::new(Config::default());
    for len in 0..2_000 {
        let bytes: Vec<u8> = (0..len)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state as u8
            })
            .collect();
        check(&tamiz, &bytes);
    }
}
