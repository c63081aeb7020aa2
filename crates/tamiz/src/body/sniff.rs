//! Determines the kind of a body (clause 8.30): by its `content-type`, or by its bytes.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use crate::bytes::{self, ALNUM, NAME_MARK};
use crate::json;

/// The kinds of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Form,
    Json,
    Multipart,
    Xml,
    Text,
    Binary,
}

impl Kind {
    /// As a document writes it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Kind::Form => "form",
            Kind::Json => "json",
            Kind::Multipart => "multipart",
            Kind::Xml => "xml",
            Kind::Text => "text",
            Kind::Binary => "binary",
        }
    }
}

/// Words that make JSON of a type, whatever else is in it.
const JSON_WORDS: &[&str] = &["json", "jsonl", "ndjson"];

/// Subtypes of `application/` that are JSON by another name.
const JSON_TYPES: &[&str] = &["csp-report"];

/// Subtypes of `application/` that are text.
const TEXT_TYPES: &[&str] = &[
    "csv",
    "ecmascript",
    "graphql",
    "javascript",
    "jose",
    "jwt",
    "n-quads",
    "n-triples",
    "postscript",
    "rtf",
    "sdp",
    "sparql-query",
    "sparql-update",
    "sql",
    "toml",
    "trig",
    "typescript",
    "x-csh",
    "x-ecmascript",
    "x-httpd-php",
    "x-javascript",
    "x-perl",
    "x-php",
    "x-python",
    "x-ruby",
    "x-sh",
    "x-shellscript",
    "x-sql",
    "x-toml",
    "x-yaml",
    "yaml",
];

/// Types whose every subtype is binary, but for those that hold a word of JSON or XML.
const BINARY_TOP_TYPES: &[&str] = &["audio", "font", "image", "model", "video"];

/// Words that make a subtype of `application/` binary.
const BINARY_WORDS: &[&str] = &[
    "7z",
    "amf",
    "archive",
    "arrow",
    "avro",
    "binary",
    "bson",
    "bzip",
    "bzip2",
    "cbor",
    "compressed",
    "dosexec",
    "executable",
    "flash",
    "font",
    "grpc",
    "gzip",
    "ipp",
    "ms",
    "msdownload",
    "msgpack",
    "msword",
    "oasis",
    "ocsp",
    "octet",
    "officedocument",
    "openxmlformats",
    "parquet",
    "pdf",
    "pkcs10",
    "pkcs12",
    "pkcs7",
    "pkcs8",
    "pkix",
    "rar",
    "serialized",
    "sqlite3",
    "tar",
    "thrift",
    "wasm",
    "wbxml",
    "xz",
    "zip",
    "zstd",
];

/// Subtypes of `application/` that are binary and hold no such word.
const BINARY_TYPES: &[&str] =
    &["dns-message", "java-vm", "timestamp-query", "x-git-receive-pack-request", "x-git-upload-pack-request"];

/// The kind that a `content-type` says, parameters and case ignored; `None` where it says none
/// that is known.
pub(crate) fn declared(content_type: &[u8]) -> Option<Kind> {
    let end = bytes::position(b';', content_type).unwrap_or(content_type.len());
    let name = bytes::trim(content_type.get(..end).unwrap_or_default());
    let at = bytes::position(b'/', name)?;
    let (top, subtype) = (name.get(..at)?, name.get(at + 1..)?);
    let top_is = |other: &str| top.eq_ignore_ascii_case(other.as_bytes());
    let is_one_of =
        |text: &[u8], list: &[&str]| list.iter().any(|row| text.eq_ignore_ascii_case(row.as_bytes()));
    let has_word = |list: &[&str]| {
        subtype.split(|&b| !bytes::is(b, ALNUM)).any(|word| !word.is_empty() && is_one_of(word, list))
    };
    let in_application = top_is("application");
    if top_is("multipart") {
        Some(Kind::Multipart)
    } else if in_application && is_one_of(subtype, &["x-www-form-urlencoded"]) {
        Some(Kind::Form)
    } else if has_word(JSON_WORDS) || in_application && is_one_of(subtype, JSON_TYPES) {
        Some(Kind::Json)
    } else if has_word(&["xml"]) {
        Some(Kind::Xml)
    } else if top_is("text") || in_application && is_one_of(subtype, TEXT_TYPES) {
        Some(Kind::Text)
    } else if is_one_of(top, BINARY_TOP_TYPES)
        || in_application
            && (has_word(BINARY_WORDS)
                || is_one_of(subtype, BINARY_TYPES)
                || bytes::find_ignore_case(subtype, b"protobuf").is_some())
    {
        Some(Kind::Binary)
    } else {
        None
    }
}

/// Guesses the kind from the bytes.
pub(crate) fn sniff(body: &[u8]) -> Kind {
    let text = skip_space(body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body));
    match text {
        [b'{' | b'[', ..] if json::is_object_or_array(text) => return Kind::Json,
        [b'<', ..] if looks_like_xml(text) => return Kind::Xml,
        [b'-', b'-', rest @ ..] if starts_part(rest) => return Kind::Multipart,
        _ if is_wide_xml(text) => return Kind::Xml,
        _ if looks_like_form(text) => return Kind::Form,
        _ => {}
    }
    if looks_like_text(text) { Kind::Text } else { Kind::Binary }
}

/// Returns whether a body is surely nothing that contradicts what it is `declared` as: it is plain text that does not
/// begin like another kind. Of others nothing is said.
pub(crate) fn agrees(declared: Kind, body: &[u8]) -> bool {
    let agrees = match skip_space(body) {
        [b'{' | b'[', ..] => matches!(declared, Kind::Json | Kind::Text),
        [b'<', ..] => declared == Kind::Xml,
        [b'-', b'-', ..] => declared == Kind::Multipart,
        _ => true,
    };
    agrees && is_plain(body)
}

/// Returns whether all bytes are printable ASCII, HTAB, LF and CR.
fn is_plain(body: &[u8]) -> bool {
    let is_plain =
        |byte: u8| (byte.wrapping_sub(b' ') < 0x5F) | (byte == b'\n') | (byte == b'\r') | (byte == b'\t');
    let (pieces, rest) = body.as_chunks::<32>();
    // Without a way out of a piece, so that all its bytes are compared at once.
    pieces.iter().all(|piece| piece.iter().fold(true, |all, byte| all & is_plain(*byte)))
        && rest.iter().all(|byte| is_plain(*byte))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn skip_space(text: &[u8]) -> &[u8] {
    let blank = text.iter().take_while(|&&b| is_space(b)).count();
    text.get(blank..).unwrap_or_default()
}

fn starts_with_ignore_case(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// Names that begin HTML, and that hardly anyone gives to the root of an XML document.
const HTML_NAMES: &[&str] = &[
    "audio",
    "b",
    "base",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "center",
    "details",
    "dialog",
    "div",
    "em",
    "embed",
    "font",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "isindex",
    "li",
    "marquee",
    "meta",
    "nav",
    "noscript",
    "ol",
    "p",
    "pre",
    "script",
    "select",
    "span",
    "strong",
    "style",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "th",
    "tr",
    "u",
    "ul",
    "video",
];

/// An XML declaration, a document type other than `html`, or an element that is no known HTML and a
/// last byte that ends a tag; comments before them do not count.
fn looks_like_xml(text: &[u8]) -> bool {
    let mut text = text;
    while let Some(comment) = text.strip_prefix(b"<!--") {
        let Some(end) = memchr::memmem::find(comment, b"-->") else {
            return false;
        };
        text = skip_space(comment.get(end + 3..).unwrap_or_default());
    }
    if let Some(rest) = text.strip_prefix(b"<?xml") {
        return rest.first().is_some_and(|&b| is_space(b) || b == b'-');
    }
    if starts_with_ignore_case(text, b"<!doctype") {
        let name = skip_space(text.get(9..).unwrap_or_default());
        return !starts_with_ignore_case(name, b"html");
    }
    let is_name_byte = |b: u8| bytes::is(b, ALNUM | bytes::HIGH) || matches!(b, b'_' | b':' | b'-' | b'.');
    let Some(name) = text.strip_prefix(b"<") else {
        return false;
    };
    let len = name.iter().take_while(|&&b| is_name_byte(b)).count();
    let (name, rest) = name.split_at_checked(len).unwrap_or_default();
    let starts_name = |&b: &u8| !b.is_ascii_digit() && b != b'-' && b != b'.';
    let is_html = || HTML_NAMES.iter().any(|html| name.eq_ignore_ascii_case(html.as_bytes()));
    name.first().is_some_and(starts_name)
        && rest.first().is_some_and(|&b| is_space(b) || matches!(b, b'/' | b'>'))
        && rest.iter().rfind(|&&b| !is_space(b)) == Some(&b'>')
        && !is_html()
}

/// XML in UTF-16, with or without a byte order mark.
fn is_wide_xml(body: &[u8]) -> bool {
    let starts = [&b"\xFF\xFE<\0"[..], b"\xFE\xFF\0<", b"<\0?\0x\0", b"\0<\0?\0x", b"<\0!\0", b"\0<\0!"];
    starts.iter().any(|start| body.starts_with(start))
}

/// RFC 2046 section 5.1.1: the rest of a first delimiter, and a first header that a part has.
fn starts_part(text: &[u8]) -> bool {
    let Some(end) = bytes::position(b'\n', text) else {
        return false;
    };
    let boundary = text.get(..end).unwrap_or_default();
    let boundary = bytes::trim_end(boundary.strip_suffix(b"\r").unwrap_or(boundary));
    let is_boundary_byte = |b: &u8| bytes::is(*b, ALNUM) || b"'()+_,-./:=? ".contains(b);
    let header = text.get(end + 1..).unwrap_or_default();
    (1..=70).contains(&boundary.len())
        && boundary.iter().all(is_boundary_byte)
        && (starts_with_ignore_case(header, b"content-disposition:")
            || starts_with_ignore_case(header, b"content-type:"))
}

/// `key=value(&key=value)*`, keys of name-like characters and escapes, without white space or
/// controls. A lone pair needs a value: `dGVzdA==` is no key.
fn looks_like_form(text: &[u8]) -> bool {
    let text = match text {
        [rest @ .., b'\r', b'\n'] | [rest @ .., b'\n'] => rest,
        _ => text,
    };
    if text.iter().any(|&b| bytes::is(b, bytes::CONTROL | bytes::SPACE)) {
        return false;
    }
    let mut pairs = 0;
    let mut has_value = false;
    for token in text.split(|&b| b == b'&').filter(|token| !token.is_empty()) {
        let Some(at) = bytes::position(b'=', token) else {
            return false;
        };
        let (key, value) = token.split_at_checked(at).unwrap_or_default();
        if !is_key(key) {
            return false;
        }
        pairs += 1;
        has_value |= value.get(1).is_some_and(|&b| b != b'=');
    }
    pairs > 1 || has_value
}

fn is_key(key: &[u8]) -> bool {
    let mut rest = key;
    while let [first, after @ ..] = rest {
        rest = match bytes::escape(rest) {
            Some(_) => after.get(2..).unwrap_or_default(),
            None if bytes::is(*first, ALNUM | NAME_MARK) => after,
            None => return false,
        };
    }
    !key.is_empty()
}

/// No controls but HTAB, LF and CR, and fewer than 30 % of the bytes outside UTF-8.
fn looks_like_text(body: &[u8]) -> bool {
    let is_odd = |b: &u8| bytes::is(*b, bytes::CONTROL) && !is_space(*b);
    if body.iter().any(is_odd) {
        return false;
    }
    let stray: usize = body.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    stray == 0 || stray.saturating_mul(10) < body.len().saturating_mul(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_agrees_contradicts_nothing() {
        let heads = [
            "",
            "{}",
            "[1]",
            "{",
            "<a/>",
            "<p>",
            "--x\r\nContent-Type: a\r\n",
            "a=b&c=d",
            "a b",
            "\u{feff}{}",
        ];
        let tails =
            ["", " ", "\n", "\0", "\u{7f}", "\u{e9}", "=b", "more and more of it, all of it plain text"];
        let kinds = [Kind::Form, Kind::Json, Kind::Multipart, Kind::Xml, Kind::Text, Kind::Binary];
        for (head, tail) in heads.iter().flat_map(|head| tails.map(|tail| (head, tail))) {
            for before in ["", " \r\n"] {
                let body = format!("{before}{head}{tail}");
                for declared in kinds {
                    let contradicts = crate::body::contradict(declared, sniff(body.as_bytes()));
                    assert!(!(agrees(declared, body.as_bytes()) && contradicts), "{declared:?} {body:?}");
                }
            }
        }
        for byte in 0..=u8::MAX {
            for at in [0, 31, 32, 40] {
                let mut body = [b'a'; 41];
                body[at] = byte;
                let is_odd = bytes::is(byte, bytes::CONTROL | bytes::HIGH) && !is_space(byte);
                assert_eq!(is_plain(&body), !is_odd);
            }
        }
    }

    #[test]
    fn kinds_by_type() {
        for (content_type, kind) in [
            ("application/x-www-form-urlencoded", Some(Kind::Form)),
            ("Application/X-WWW-Form-Urlencoded ; charset=utf-8", Some(Kind::Form)),
            ("multipart/form-data; boundary=x", Some(Kind::Multipart)),
            ("MULTIPART/mixed", Some(Kind::Multipart)),
            ("multipart/", Some(Kind::Multipart)),
            ("application/json", Some(Kind::Json)),
            ("application/vnd.api+JSON;v=1", Some(Kind::Json)),
            ("text/json", Some(Kind::Json)),
            ("application/x-amz-json-1.1", Some(Kind::Json)),
            ("application/x-ndjson", Some(Kind::Json)),
            ("application/jsonl", Some(Kind::Json)),
            ("application/json, text/plain", Some(Kind::Json)),
            ("application/csp-report", Some(Kind::Json)),
            ("application/grpc+json", Some(Kind::Json)),
            ("application/xml", Some(Kind::Xml)),
            ("text/xml; charset=utf-8", Some(Kind::Xml)),
            ("application/soap+xml", Some(Kind::Xml)),
            ("image/svg+xml", Some(Kind::Xml)),
            ("text/plain", Some(Kind::Text)),
            ("text/html", Some(Kind::Text)),
            ("text/", Some(Kind::Text)),
            ("application/javascript", Some(Kind::Text)),
            ("application/x-yaml", Some(Kind::Text)),
            ("application/graphql", Some(Kind::Text)),
            ("application/sql", Some(Kind::Text)),
            ("image/png", Some(Kind::Binary)),
            ("audio/x-wav", Some(Kind::Binary)),
            ("video/mp4", Some(Kind::Binary)),
            ("font/woff2", Some(Kind::Binary)),
            ("application/octet-stream", Some(Kind::Binary)),
            ("application/pdf", Some(Kind::Binary)),
            ("application/zip", Some(Kind::Binary)),
            ("application/x-zip-compressed", Some(Kind::Binary)),
            ("application/grpc", Some(Kind::Binary)),
            ("application/grpc-web+proto", Some(Kind::Binary)),
            ("application/x-protobuffer", Some(Kind::Binary)),
            ("application/vnd.google.protobuf", Some(Kind::Binary)),
            ("application/senml+cbor", Some(Kind::Binary)),
            ("application/x-msgpack", Some(Kind::Binary)),
            ("application/font-woff", Some(Kind::Binary)),
            ("application/x-java-serialized-object", Some(Kind::Binary)),
            ("application/vnd.ms-excel", Some(Kind::Binary)),
            ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", Some(Kind::Binary)),
            ("application/vnd.ms-sync.wbxml", Some(Kind::Binary)),
            ("application/foo", None),
            ("application/jsonish", None),
            ("application/xmlish", None),
            ("application/x-www-form-urlencodedx", None),
            ("text", None),
            ("json", None),
            ("*/*", None),
            ("/", None),
            ("", None),
            (";text/plain", None),
        ] {
            assert_eq!(declared(content_type.as_bytes()), kind, "{content_type}");
        }
    }

    #[test]
    fn lists_are_lower_case_sorted_and_disjoint() {
        for list in [JSON_WORDS, TEXT_TYPES, BINARY_TOP_TYPES, BINARY_WORDS, BINARY_TYPES, HTML_NAMES] {
            assert!(list.is_sorted_by(|a, b| a < b), "{list:?}");
            assert!(list.iter().all(|row| row.bytes().all(|b| !b.is_ascii_uppercase())));
        }
        for text in TEXT_TYPES {
            assert_eq!(declared(format!("application/{text}").as_bytes()), Some(Kind::Text), "{text}");
        }
        for binary in BINARY_TYPES {
            assert_eq!(declared(format!("application/{binary}").as_bytes()), Some(Kind::Binary), "{binary}");
        }
    }

    #[track_caller]
    fn assert_sniffs(kind: Kind, bodies: &[&[u8]]) {
        for body in bodies {
            assert_eq!(sniff(body), kind, "{}", body.escape_ascii());
        }
    }

    #[test]
    fn json() {
        assert_sniffs(Kind::Json, &[b"{}", b" \r\n\t[1, 2]\n", b"\xEF\xBB\xBF{\"a\":\"\xC3\xA9\"}", b"[]"]);
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        assert_sniffs(Kind::Json, &[deep.as_bytes()]);
        assert_sniffs(
            Kind::Text,
            &[b"{", b"{a:1}", b"[1,]", b"{\"a\":1}{\"b\":2}", b"1", b"\"a\"", b"true", b"{\"a\":\"\xE9\"}"],
        );
    }

    #[test]
    fn xml() {
        assert_sniffs(
            Kind::Xml,
            &[
                b"<?xml version=\"1.0\"?><a/>",
                b"\xEF\xBB\xBF<?xml version='1.0'?>",
                b"<?xml-stylesheet href='a'?>",
                b"<!DOCTYPE a [<!ENTITY b \"c\">]><a/>",
                b"<!doctype svg>",
                b" <a/>",
                b"<soap:Envelope xmlns:soap=\"x\">\n</soap:Envelope>\r\n",
                b"<methodCall>x</methodCall>",
                b"<!-- a --> <!-- b -->\n<order id='1'></order>",
                b"<svg onload=alert(1)>",
                b"<\xC3\xA9t\xC3\xA9/>",
                b"\xFF\xFE<\0?\0x\0m\0",
                b"\xFE\xFF\0<\0a\0>",
                b"<\0?\0x\0m\0l\0",
                b"\0<\0?\0x\0m\0l",
            ],
        );
        assert_sniffs(
            Kind::Text,
            &[
                b"<",
                b"<>",
                b"<a",
                b"<a>b",
                b"<1>",
                b"< a>",
                b"<3 you>",
                b"<a@b.com>",
                b"<?php system('id'); ?>",
                b"<?= 1 ?>",
                b"<?xmlx?>",
                b"<!DOCTYPE html><html></html>",
                b"<!doctype HTML>",
                b"<html></html>",
                b"<!-- a --><HTML>\n</HTML>",
                b"<!-- a",
                b"<script>alert(1)</script>",
                b"<p>a</p>",
                b"<img src=x onerror=alert(1)>",
                b"<%= 1 %>",
            ],
        );
    }

    #[test]
    fn multipart() {
        assert_sniffs(
            Kind::Multipart,
            &[
                b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n",
                b"\r\n------WebKitFormBoundary7MA\ncontent-disposition:form-data",
                b"--a b \r\nCONTENT-TYPE: text/plain\r\n\r\n",
            ],
        );
        let long = [b"--", "x".repeat(71).as_bytes(), b"\r\nContent-Disposition: a"].concat();
        assert_sniffs(
            Kind::Text,
            &[
                b"--",
                b"--x",
                b"--x\r\n",
                b"--x\r\nX-A: b",
                b"--\r\nContent-Disposition: a",
                b"--x\r\nContent-Disposition",
                b"--<x>\r\nContent-Disposition: a",
                b"-- select\r\n",
                &long,
            ],
        );
    }

    #[test]
    fn form() {
        assert_sniffs(
            Kind::Form,
            &[
                b"a=1",
                b"a=1&b=2",
                b"a=&b=",
                b"user[name]=x&_csrf=y%20z&a.b-c:d$@=",
                b"%61=1",
                b"a=1&&b=2&",
                b"a=<script>alert(1)</script>",
                b"a=b=c",
                b"a=\xC3\xA9",
                b"a=1\r\n",
            ],
        );
        assert_sniffs(
            Kind::Text,
            &[
                b"a",
                b"a=",
                b"=a",
                b"a=1&b",
                b"a=1&=b",
                b"dGVzdA==",
                b"aGVsbG8gd29ybGQ=",
                b"a b=1",
                b"a=1 2",
                b"%6=1",
                b"a/b=1",
                b"a=1\nb=2",
                b"&",
            ],
        );
        assert_sniffs(Kind::Binary, &[b"a=\0", b"a=\x1B"]);
    }

    #[test]
    fn text_and_binary() {
        assert_sniffs(
            Kind::Text,
            &[
                b"",
                b"  ",
                b"hello\tworld\r\n",
                "¿qué? 你好".as_bytes(),
                b"caf\xE9 con leche",
                b"\xEF\xBB\xBFhello",
                b"abcdefg\xE9\xE9x",
            ],
        );
        assert_sniffs(
            Kind::Binary,
            &[
                b"\0",
                b"hello\0world",
                b"a\x1Bb",
                b"a\x7Fb",
                b"abcdefg\xE9\xE9\xE9",
                b"\x89PNG\r\n\x1A\n",
                b"\x1F\x8B\x08\0",
                b"\xFF",
            ],
        );
    }

    #[test]
    fn large_and_random_bodies_are_no_trouble() {
        for unit in
            [&b"<!--"[..], b"<!---->", b"<a ", b"a=1&", b"%", b"--x\n", b"[", b"{\"a\":", b"\xE9", b" "]
        {
            sniff(&unit.repeat(300_000));
            declared(&unit.repeat(300_000));
        }
        let mut seed = 7_u64;
        for _ in 0..20_000 {
            let body: Vec<u8> = (0..24)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let byte = (seed >> 40) as u8;
                    if byte < 200 { b"<>!-?xml=&a%{}[]\":/ \r\n\0"[byte as usize % 23] } else { byte }
                })
                .collect();
            sniff(&body);
            declared(&body);
        }
    }

    #[test]
    fn names() {
        let kinds = [Kind::Form, Kind::Json, Kind::Multipart, Kind::Xml, Kind::Text, Kind::Binary];
        assert_eq!(kinds.map(Kind::as_str), ["form", "json", "multipart", "xml", "text", "binary"]);
    }
}
