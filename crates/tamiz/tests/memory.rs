//! Reusing a `Scratch` changes no document.

mod common;

use common::{canonicalizers, vectors};
use tamiz::{Canonicalizer, Config, Scratch};

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

/// The documents of requests in a row, with one `Scratch`, which must be those of each alone.
#[track_caller]
fn check(tamiz: &Canonicalizer, scratch: &mut Scratch, requests: &[&[u8]]) {
    for request in requests {
        let mut out = Vec::new();
        tamiz.canonicalize_into(scratch, request, &mut out);
        // Evidence is kept of opened lines only.
        let alone = tamiz.canonicalize_with_evidence(request);
        assert_eq!(String::from_utf8(out).unwrap(), alone.as_str(), "{}", request.escape_ascii());
    }
}

fn post(kind: &str, body: &str) -> Vec<u8> {
    let headers = format!("Content-Type: {kind}\r\nContent-Length: {}\r\n", body.len());
    let head = request("/a", &headers);
    [b"POST", head.strip_prefix(b"GET").unwrap(), body.as_bytes()].concat()
}

fn request(target: &str, headers: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: ex.com\r\n{headers}\r\n").into_bytes()
}

#[test]
fn every_vector_again_and_again() {
    let all: Vec<Vec<u8>> = vectors::all().iter().map(vectors::Vector::request).collect();
    for tamiz in canonicalizers() {
        let mut scratch = Scratch::default();
        for request in all.iter().chain(all.iter().rev()).filter(|request| request.len() < 4096) {
            check(&tamiz, &mut scratch, &[request, request]);
        }
    }
}

#[test]
fn a_secret_echoed_in_what_came_before_is_hidden() {
    let tamiz = Canonicalizer::new(Config::default());
    for (before, after) in [
        (request("/a", "X-A: visionario\r\n"), request("/a?pwd=visionario", "X-A: visionario\r\n")),
        (request("/visionario/b", ""), request("/visionario/b?pwd=visionario", "")),
        (request("/a?x=visionario", ""), request("/a?x=visionario&pwd=visionario", "")),
        (request("/a?x=visi%6Fnario+", ""), request("/a?x=visi%6Fnario+&pwd=visionario", "")),
        (post(FORM, "x=visi%6fnario"), post(FORM, "x=visi%6fnario&pwd=visionario")),
        (post(JSON, r#"{"x":"visionario"}"#), post(JSON, r#"{"x":"visionario","pwd":"visionario"}"#)),
        (post(JSON, r#"{"visionario":1}"#), post(JSON, r#"{"visionario":1,"pwd":"visionario"}"#)),
        (request("/a", "X-A: visi%6Fnario\r\n"), request("/a?pwd=visionario", "X-A: visi%6Fnario\r\n")),
        (request("/a", "Visionario: 1\r\n"), request("/a?pwd=visionario", "Visionario: 1\r\n")),
        (request("/visi%6fnario", ""), request("/visi%6fnario", "X-Api-Key: visionario\r\n")),
        (
            request("/a", "Referer: http://ex.com/visionario\r\n"),
            request("/a", "Referer: http://ex.com/visionario\r\nCookie: session=visionario\r\n"),
        ),
    ] {
        let mut scratch = Scratch::default();
        check(&tamiz, &mut scratch, &[&before, &before, &before, &after, &before]);
        let mut out = Vec::new();
        tamiz.canonicalize_into(&mut scratch, &after, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains("visionario"), "{text}");
    }
}

/// Lines that nearly all clients send are finished before the second request.
#[test]
fn a_secret_echoed_in_a_common_line_is_hidden() {
    let tamiz = Canonicalizer::new(Config::default());
    let mut scratch = Scratch::default();
    check(&tamiz, &mut scratch, &[&request("/a", ""), &request("/a", "")]);
    for (line, secret) in [
        ("Connection: keep-alive", "keep-alive"),
        ("CONNECTION: keep-alive", "keep-alive"),
        ("Sec-Fetch-Mode: navigate", "navigate"),
        ("Accept-Encoding: gzip, deflate, br", "gzip%2C+deflate"),
        ("Upgrade-Insecure-Requests: 1", "upgrade-insecure-requests"),
    ] {
        let target = format!("/a?pwd={secret}");
        let once = request(&target, &format!("{line}\r\n"));
        let twice = request(&target, &format!("{line}\r\n{line}\r\n"));
        let folded = request(&target, &format!("{line}\r\n more\r\n"));
        check(&tamiz, &mut scratch, &[&once, &twice, &folded]);
        let mut out = Vec::new();
        tamiz.canonicalize_into(&mut scratch, &once, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains("=keep-alive") && !text.contains("=navigate"), "{text}");
    }
}

#[test]
fn a_value_that_came_under_another_name_is_judged_by_its_own() {
    let tamiz = Canonicalizer::new(Config::default());
    let mut scratch = Scratch::default();
    let plain = request("/a?x=visionario%3Cscript%3E", "");
    for odd in [
        request("/a?pwd=visionario%3Cscript%3E", ""),
        post(FORM, "x=visionario%3Cscript%3E"),
        post(FORM, "pwd=visionario%3Cscript%3E"),
        post(JSON, r#"{"x":"visionario<script>"}"#),
        post(JSON, r#"{"pwd":"visionario<script>"}"#),
        post(JSON, r#"{"a":[{"b":"visionario<script>"},"visionario<script>"]}"#),
    ] {
        check(&tamiz, &mut scratch, &[&plain, &plain, &plain, &odd, &odd, &odd, &plain]);
    }
}

#[test]
fn a_known_line_may_repeat_fold_and_be_one_too_many() {
    let tamiz = Canonicalizer::new(Config::default());
    let plain = request("/a", "Accept: a/b\r\nX-B: 1\r\nTE: x\r\n");
    let mut scratch = Scratch::default();
    let many: String = (0..130).map(|i| format!("X-{i}: {i}\r\n")).collect();
    for headers in [
        "Accept: a/b\r\nAccept: c/d\r\n",
        "Accept: c/d\r\nAccept: a/b\r\n",
        "Accept: a/b\r\nAccept: a/b\r\n",
        "X-B: 1\r\nX-B: 1\r\n",
        "X-B: 1\r\nx-b: 2\r\n",
        "X-B: 1\r\n\rX-B: 2\r\n",
        "X-B: 1\r\nX-B : 2\r\n",
        "X-B: 1\r\nX\u{2011}B: 2\r\n",
        "X-B: 1\r\nno colon\r\n",
        "X-B: 1\r\n folded\r\n",
        "X-B: 1\r\n\nembedded\r\n",
        "TE: x\r\nTransfer-Encoding: chunked\r\n",
        &many,
        &format!("{many}Accept: a/b\r\n"),
    ] {
        let odd = request("/a", headers);
        check(&tamiz, &mut scratch, &[&plain, &plain, &plain, &odd, &odd, &odd, &plain]);
    }
}

#[test]
fn known_lines_that_steer_steer_on() {
    let tamiz = Canonicalizer::new(Config::default());
    let mut scratch = Scratch::default();
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let odd_form = "Content-Type:  application/x-www-form-urlencoded \r\n";
    let headers = [
        "Host: ex.com\r\n",
        "Host: ex.com:80\r\n",
        "Host: ex.com:443\r\n",
        "Host: ex.com:8080\r\n",
        "Host: EX.com.\r\n",
        "Host: [::1]\r\n",
        "Host: a_b\r\n",
        "Host: ex.com\r\nHost: ex.com\r\n",
        "Host: ex.com\r\nHost : ex.org\r\n",
        "Host: ex.com\r\n folded\r\n",
        "",
    ];
    let types = [
        "",
        form,
        odd_form,
        "Content-Type: application/json\r\n",
        "Content-Type: application/json\r\nContent-Type: text/plain\r\n",
        "Content-Type: application/json\r\n\u{ff23}ontent-Type: text/plain\r\n",
        "Content-Type: text/plain; charset=utf-7\r\n",
    ];
    let lengths = [
        "",
        "Content-Length: 7\r\n",
        "Content-Length: 8\r\n",
        "Content-Length: +7\r\n",
        "Content-Length: 7 \r\n",
        "Content-Length: 7\r\nContent-Length: 7\r\n",
        "Content-Length: 7\r\nContent-Length: 8\r\n",
        "Content-Length: 7\r\nTransfer-Encoding: chunked\r\n",
        "Content_Length: 7\r\n",
    ];
    for _ in 0..3 {
        for target in ["/a", "http://ex.com/a", "https://ex.com/a"] {
            for (host, rest) in headers
                .iter()
                .flat_map(|host| types.map(|of| (host, of)))
                .flat_map(|(host, of)| lengths.map(|length| (host, format!("{of}{length}"))))
            {
                let request = format!("POST {target} HTTP/1.1\r\n{host}{rest}\r\npwd=a&b");
                check(&tamiz, &mut scratch, &[request.as_bytes()]);
            }
        }
    }
}

#[test]
fn segments_that_came_before_are_judged_alike() {
    let tamiz = Canonicalizer::new(Config::default());
    let mut scratch = Scratch::default();
    let segments =
        ["a", "etc", "passwd", "..", "a;b=1", "visionario", "x.php.", "<num:3>", "http:", "u:p@h", "%61"];
    for _ in 0..3 {
        for (first, second) in segments.iter().flat_map(|first| segments.map(|second| (first, second))) {
            for query in ["", "?pwd=visionario"] {
                let target = format!("/{first}/{second}{query}");
                check(&tamiz, &mut scratch, &[&request(&target, "")]);
            }
        }
    }
}

#[test]
fn other_settings_write_anew() {
    let mut scratch = Scratch::default();
    let request = request("/a/b?q=1", "User-Agent: Mozilla/5.0 (X11)\r\nX-B: a b\r\nCookie: a=b\r\n");
    let all = canonicalizers();
    for tamiz in all.iter().chain(&all) {
        check(tamiz, &mut scratch, &[&request, &request, &request]);
    }
}

#[test]
fn a_scratch_shows_nothing_of_requests() {
    let tamiz = Canonicalizer::new(Config::default());
    let mut scratch = Scratch::default();
    check(&tamiz, &mut scratch, &[&request("/visionario", "X-A: visionario\r\n")]);
    let shown = format!("{scratch:?}");
    let as_bytes = format!("{:?}", b"visionario");
    assert!(!shown.contains("visionario") && !shown.contains(as_bytes.trim_matches(['[', ']'])), "{shown}");
}
