//! Effects of the configuration, beyond view, profile and scheme, which vectors choose.

use std::collections::HashSet;

use tamiz::{Canonicalizer, Config, Document, Profile, Unlisted};

fn document(config: Config, request: &str) -> Document {
    let document = Canonicalizer::new(config).canonicalize(request.as_bytes());
    assert_eq!(Document::parse(document.as_str()).unwrap(), document);
    document
}

#[test]
fn numbers_of_three_digits_in_a_path_are_hidden_on_request() {
    let request = "GET /a/12/123/1234/12a4 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    assert_eq!(document(Config::default(), request).path(), Some("/a/12/123/1234/12a4"));
    let mut config = Config::default();
    config.path.numbers = true;
    assert_eq!(document(config, request).path(), Some("/a/12/<num:3>/<num:4>/12a4"));
}

#[test]
fn identifiers_in_a_path_are_shown_on_request() {
    let request = "GET /a/0123456789abcdef/me@ex.com HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    assert_eq!(document(Config::default(), request).path(), Some("/a/<hex:16>/<email:9:.@>"));
    let mut config = Config::default();
    config.path.identifiers = false;
    assert_eq!(document(config, request).path(), Some("/a/0123456789abcdef/me@ex.com"));
}

#[test]
fn unlisted_headers_are_shown_on_request() {
    let request = "GET / HTTP/1.1\r\nHost: ex.com\r\nDNT: 1\r\nX-Unheard-Of: on\r\n\r\n";
    let shown = |config| {
        let document = document(config, request);
        let headers = document.headers();
        headers.iter().map(|header| header.value.to_owned()).collect::<Vec<_>>()
    };
    let config = |profile, unlisted| {
        let mut config = Config::default();
        (config.profile, config.headers.unlisted) = (profile, unlisted);
        config
    };
    assert_eq!(shown(Config::default()), ["1", "ex.com", "<lower:2>"]);
    for profile in [Profile::Core, Profile::Full] {
        assert_eq!(shown(config(profile, Unlisted::Show)), ["1", "ex.com", "on"]);
        assert_eq!(shown(config(profile, Unlisted::Shape)), ["1", "ex.com", "<lower:2>"]);
    }
    assert_eq!(shown(config(Profile::Core, Unlisted::ByProfile)), ["1", "ex.com", "on"]);
}

/// A part that is cut by the limit is no fault: none of these is `BADBODY`.
#[test]
fn a_part_that_the_limit_cuts_in_its_headers_is_no_fault() {
    let request = "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: multipart/form-data; boundary=b\r\n\
                   Content-Length: 97\r\n\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n\
                   --b\r\nContent-Disposition: form-data; name=b\r\n\r\n";
    for len in [55, 60, 75] {
        let mut config = Config::default();
        config.limits.body_bytes = len;
        let document = document(config, request);
        assert_eq!(document.rollup().collect::<Vec<_>>(), ["CAPPED", "HOME"], "{len}");
    }
}

#[test]
fn equal_documents_have_equal_hashes() {
    let request = "GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    let fresh = document(Config::default(), request);
    let parsed = Document::parse(fresh.as_str()).unwrap();
    let other = document(Config::default(), "GET /b HTTP/1.1\r\nHost: ex.com\r\n\r\n");
    assert_eq!(HashSet::from([fresh, parsed, other]).len(), 2);
}

#[test]
fn other_configurations_have_other_fingerprints() {
    let of = |profile: Profile| {
        let mut config = Config::default();
        config.profile = profile;
        Canonicalizer::new(config).fingerprint().clone()
    };
    assert_eq!(of(Profile::Full), of(Profile::Full));
    assert_ne!(of(Profile::Full), of(Profile::Standard));
}

/// Near misses of two shapes and of a header's vocabulary.
#[test]
fn near_misses_are_not_taken() {
    let request = |value: &str, rtt: &str| {
        let text = format!("GET /?d={value} HTTP/1.1\r\nHost: ex.com\r\nRTT: {rtt}\r\n\r\n");
        document(Config::default(), &text).as_str().to_owned()
    };
    let text = request("2026-01-01", "12345");
    assert!(text.contains("?d=<date:10>") && text.contains("\nH:rtt=12345\n"), "{text}");
    let text = request("abcd-01-01", "123456");
    assert!(text.contains("?d=<slug:10>") && text.contains("\nH:rtt=<num:6>\n"), "{text}");
    assert!(request("1", "123456.5").contains("\nH:rtt=<dec:8>\n"));
}
