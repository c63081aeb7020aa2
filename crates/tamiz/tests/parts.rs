//! Requests that someone else has cut already.

use tamiz::{Canonicalizer, Config, Document, Parts};

fn document(parts: &Parts<'_>) -> Document {
    let document = Canonicalizer::new(Config::default()).canonicalize_parts(parts);
    assert_eq!(Document::parse(document.as_str()).unwrap(), document);
    document
}

fn rollup(document: &Document) -> Vec<&str> {
    document.rollup().collect()
}

#[test]
fn parts_and_wire_give_the_same_document() {
    let tamiz = Canonicalizer::new(Config::default());
    let mut parts = Parts::new(b"GET", b"/a//b?x=1");
    parts.version = Some(b"HTTP/1.1");
    parts.header(b"Host", b"EX.com:80").header(b"Accept", b"*/*").header(b"X-A", b"a  b");
    let wire = b"GET /a//b?x=1 HTTP/1.1\r\nHost: EX.com:80\r\nAccept: */*\r\nX-A: a  b\r\n\r\n";
    assert_eq!(tamiz.canonicalize_parts(&parts), tamiz.canonicalize(wire));
}

#[test]
fn pseudo_headers_name_the_host() {
    let mut parts = Parts::new(b"GET", b"/a?b");
    parts.scheme = Some(b"https");
    parts.authority = Some(b"ex.com:443");
    assert_eq!(document(&parts).url(), Some("https://ex.com/a?b"));
    assert_eq!(rollup(&document(&parts)), ["QBARE"]);

    parts.header(b"host", b"other.com");
    assert_eq!(document(&parts).url(), Some("https://ex.com/a?b"));
    assert_eq!(rollup(&document(&parts)), ["HOSTMISMATCH", "QBARE"]);
}

#[test]
fn an_unknown_scheme_is_a_bad_target() {
    let mut parts = Parts::new(b"GET", b"/a");
    parts.scheme = Some(b"gopher");
    parts.authority = Some(b"ex.com");
    assert_eq!(rollup(&document(&parts)), ["BADTARGET"]);
    assert_eq!(document(&parts).url(), Some("http://ex.com/a"));
}

#[test]
fn line_ends_and_nul_inside_a_part_are_told() {
    for bad in [&b"a\rb"[..], b"a\nb", b"a\0b", b"a\r\nx: b"] {
        let mut parts = Parts::new(b"GET", b"/");
        parts.header(b"host", b"ex.com").header(b"x-a", bad);
        assert!(rollup(&document(&parts)).contains(&"BADCRLF"), "{}", bad.escape_ascii());
        let target = [b"/", bad].concat();
        let mut parts = Parts::new(b"GET", &target);
        parts.header(b"host", b"ex.com");
        assert!(rollup(&document(&parts)).contains(&"BADCRLF"), "{}", bad.escape_ascii());
        let method = [b"GET", bad].concat();
        assert!(rollup(&document(&Parts::new(&method, b"/"))).contains(&"BADCRLF"));
        let mut parts = Parts::new(b"GET", b"/");
        parts.header(b"host", b"ex.com").header(bad, b"v");
        assert!(rollup(&document(&parts)).contains(&"BADCRLF"), "{}", bad.escape_ascii());
    }
}

#[test]
fn a_header_that_smuggles_another_is_shown_by_the_rules_of_both() {
    let mut parts = Parts::new(b"GET", b"/");
    parts.header(b"host", b"ex.com").header(b"x-a", b"1\r\nAuthorization: Bearer hunter2hunter2");
    let document = document(&parts);
    assert!(document.as_str().contains("H:x-a=<num:1> Authorization: <SECRET:bearer:14> "), "{document}");
    assert!(!document.as_str().contains("hunter2"));
}

#[test]
fn versions() {
    for (version, flags) in [
        (None, &["BADHOST", "HOME"][..]),
        (Some(&b"HTTP/1.0"[..]), &["BADHOST", "HOME", "HTTP10"]),
        (Some(b"HTTP/2"), &["BADHOST", "HOME"]),
        (Some(b"HTTP/9"), &["BADHOST", "BADREQLINE", "HOME"]),
    ] {
        let mut parts = Parts::new(b"GET", b"/");
        parts.version = version;
        assert_eq!(rollup(&document(&parts)), flags);
    }
}

#[test]
fn frames_tell_how_long_a_body_is() {
    let told = |version: Option<&'static [u8]>, length: Option<&'static [u8]>| {
        let mut parts = Parts::new(b"POST", b"/");
        (parts.version, parts.body) = (version, Some(&b"abc"[..]));
        parts.header(b"host", b"ex.com");
        if let Some(length) = length {
            parts.header(b"content-length", length);
        }
        rollup(&document(&parts)).contains(&"CLMISMATCH")
    };
    for version in [&b"HTTP/2"[..], b"HTTP/2.0", b"HTTP/3", b"HTTP/3.0"] {
        assert!(!told(Some(version), None) && !told(Some(version), Some(b"3")));
        assert!(told(Some(version), Some(b"4")), "what is said has to be true");
    }
    for version in [None, Some(&b"HTTP/1.1"[..]), Some(b"HTTP/1.0"), Some(b"HTTP/9")] {
        assert!(told(version, None));
    }
    // The first line of an HTTP/1 request says nothing of how it came.
    let wire = b"POST / HTTP/2\r\nHost: ex.com\r\n\r\nabc";
    assert!(rollup(&Canonicalizer::new(Config::default()).canonicalize(wire)).contains(&"CLMISMATCH"));
}

#[cfg(feature = "http")]
#[test]
fn requests_of_the_http_crate() {
    let request = http::Request::builder()
        .method("POST")
        .uri("https://ex.com/a?token=abc")
        .version(http::Version::HTTP_2)
        .header("accept", "*/*")
        .body(b"x".to_vec())
        .unwrap();
    let document = document(&Parts::from(&request));
    assert_eq!(document.url(), Some("https://ex.com/a?token=<SECRET:alpha:3>"));
    assert_eq!(document.version(), Some("2"));
    assert_eq!(document.headers().iter().map(|header| header.name).collect::<Vec<_>>(), ["accept"]);
    assert_eq!(document.body().map(|body| body.kind), Some("text"));

    let connect = http::Request::builder().method("CONNECT").uri("ex.com:443").body(Vec::new()).unwrap();
    assert_eq!(self::document(&Parts::from(&connect)).url(), Some("ex.com:443"));
}

#[test]
fn an_authority_beside_an_absolute_form_must_agree_with_all() {
    let target = &b"http://ex.com/a"[..];
    for (authority, host, flags) in [
        (&b"ex.com"[..], None, &[][..]),
        (b"EX.com:80", Some(&b"ex.com"[..]), &[]),
        (b"other.com", None, &["HOSTMISMATCH"]),
        (b"other.com", Some(b"ex.com"), &["HOSTMISMATCH"]),
        (b"ex.com", Some(b"other.com"), &["HOSTMISMATCH"]),
        (b"other.com", Some(b"other.com"), &["HOSTMISMATCH"]),
    ] {
        let mut parts = Parts::new(b"GET", target);
        parts.authority = Some(authority);
        if let Some(host) = host {
            parts.header(b"host", host);
        }
        assert_eq!(document(&parts).url(), Some("http://ex.com/a"));
        assert_eq!(rollup(&document(&parts)), flags, "{} {host:?}", authority.escape_ascii());
    }
}

#[test]
fn only_a_connect_has_its_target_in_the_authority() {
    let mut parts = Parts::new(b"CONNECT", b"");
    parts.authority = Some(b"ex.com:443");
    assert_eq!(document(&parts).url(), Some("ex.com:443"));
    assert_eq!(rollup(&document(&parts)), [""; 0]);

    parts.target = b"other.com:443";
    assert_eq!(document(&parts).url(), Some("other.com:443"), "a target that is there counts");

    parts.authority = None;
    parts.target = b"";
    assert_eq!(rollup(&document(&parts)), ["BADHOST", "BADREQLINE", "BADTARGET", "HOME"]);

    let mut parts = Parts::new(b"GET", b"");
    parts.authority = Some(b"ex.com:443");
    assert_eq!(document(&parts).url(), Some("http://ex.com:443/"));
    assert_eq!(rollup(&document(&parts)), ["BADREQLINE", "BADTARGET", "HOME"]);
}

#[test]
fn a_space_at_the_start_of_a_value_is_padding() {
    let mut parts = Parts::new(b"GET", b"/a");
    parts.header(b"host", b"ex.com").header(b"x-a", b" b");
    assert_eq!(rollup(&document(&parts)), ["WSPAD"]);
}
