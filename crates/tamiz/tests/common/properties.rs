//! What holds for every document, whatever it was made from.
//!
//! Tests and fuzz targets (`fuzz/`) assert the same: the targets include this file.

use tamiz::{Canonicalizer, Document, Scratch};

/// A document is at most this many bytes, and [`BYTES_PER_BYTE`] for each byte of the request: what
/// has a limit (keys, markers, flags) is in here.
const BYTES_AT_MOST: usize = 1 << 20;

/// One character of three bytes may become eighteen under NFKC (U+FDFA), some of them written
/// `%HH`, and a path is shown twice.
const BYTES_PER_BYTE: usize = 32;

/// Wire bytes, in every way that the library reads them.
pub fn check_request(tamiz: &Canonicalizer, scratch: &mut Scratch, request: &[u8]) {
    let document = tamiz.canonicalize(request);
    check_fresh(&document, request.len());
    let text = document.as_str();

    let with_evidence = tamiz.canonicalize_with_evidence(request);
    assert_eq!(with_evidence, document, "evidence changes no text");
    for raised in with_evidence.flags() {
        for range in raised.evidence() {
            assert!(range.start < range.end && range.end <= request.len(), "{raised} {range:?}");
        }
    }
    assert!(with_evidence.secrets().is_sorted_by(|a, b| a.end < b.start), "hidden ranges are disjoint");
    assert!(
        with_evidence.secrets().iter().all(|range| range.start < range.end && range.end <= request.len())
    );

    let mut out = b"before".to_vec();
    tamiz.canonicalize_into(scratch, request, &mut out);
    assert_eq!(out.strip_prefix(b"before"), Some(text.as_bytes()), "used memory changes no text");
}

/// A document fresh from a request of so many bytes.
#[track_caller]
pub fn check_fresh(document: &Document, request_len: usize) {
    let text = document.as_str();
    assert!(text.len() <= BYTES_AT_MOST + BYTES_PER_BYTE * request_len, "{} bytes", text.len());
    let parsed = check_parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));

    // 9.17: a document that was read back knows all but the version and places finer than a line.
    let coarse = |mut tokens: Vec<String>| -> Vec<String> {
        tokens.retain(|token| !token.starts_with("f.") && !token.starts_with("v="));
        tokens
    };
    assert_eq!(coarse(tokens(document)), coarse(parsed.tokens()), "{text}");
    check_rollup(document);
}

/// Any text: its document, if it is one. What is no document is refused without a word of it.
#[track_caller]
pub fn check_parse(text: &str) -> Result<Document, String> {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let lines = text.split('\n').count();
            assert!((1..=lines + 1).contains(&error.line()), "{error}");
            assert!((1..=text.len() + 1).contains(&error.column()), "{error}");
            // `expected` is `&'static str`: nothing of the text can be in it.
            let expected: &'static str = error.expected();
            let said = format!("line {}, column {}: expected {expected}", error.line(), error.column());
            assert_eq!(error.to_string(), said);
            return Err(said);
        }
    };
    assert_eq!(document.as_str(), text);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "a control character");
    tokens(&document);
    check_rollup(&document);
    let json = serde_json::to_value(&document).unwrap();
    assert_eq!(json.get("tamiz.text").and_then(|text| text.as_str()), Some(text));
    Ok(document)
}

/// The tokens, none of which is empty or has white space in it.
#[track_caller]
fn tokens(document: &Document) -> Vec<String> {
    let tokens = document.tokens();
    for token in &tokens {
        assert!(!token.is_empty() && !token.contains(char::is_whitespace), "{token:?}\n{document}");
    }
    tokens
}

/// The roll-up is sorted, and every flag of it is raised somewhere.
#[track_caller]
fn check_rollup(document: &Document) {
    let rollup: Vec<&str> = document.rollup().collect();
    assert!(rollup.is_sorted_by(|a, b| a < b), "{rollup:?}");
    let raised: Vec<String> = document.flags().map(|raised| raised.to_string()).collect();
    for flag in &rollup {
        let name = |flag: &str| flag.split(':').next().map(str::to_owned);
        let left_out = flag.ends_with(":*") && raised.iter().any(|there| name(there) == name(flag));
        assert!(left_out || raised.iter().any(|there| there == flag), "{flag} is raised nowhere\n{document}");
    }
    for flag in &raised {
        let every_other = flag.split(':').next().map(|name| format!("{name}:*"));
        let left_out = every_other.is_some_and(|other| rollup.contains(&other.as_str()));
        assert!(left_out || rollup.contains(&flag.as_str()), "{flag} is not in the roll-up\n{document}");
    }
}
