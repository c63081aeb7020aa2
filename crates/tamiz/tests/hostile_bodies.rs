//! Bodies made to hurt: a document each time, within limits, that reads back.

use std::io::Write as _;

use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use tamiz::{Canonicalizer, Config, Document};

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";
const XML: &str = "application/xml";
const MULTIPART: &str = "multipart/form-data; boundary=b";

fn post(content_type: &str, more: &str, body: &[u8]) -> Vec<u8> {
    let mut request = format!(
        "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Type: {content_type}\r\n{more}Content-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

#[track_caller]
fn document(request: &[u8]) -> Document {
    let document = Canonicalizer::new(Config::default()).canonicalize(request);
    assert_eq!(Document::parse(document.as_str()).as_ref(), Ok(&document));
    assert!(document.as_str().len() < 20_000, "{}", document.as_str().len());
    document
}

#[track_caller]
fn assert_flags(request: &[u8], expected: &[&str]) {
    let document = document(request);
    let flags: Vec<&str> = document.rollup().collect();
    for flag in expected {
        assert!(flags.contains(flag), "{flag} is not in {flags:?}");
    }
}

#[test]
fn json_100_000_deep() {
    let deep = format!("{}\"<\"{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_flags(&post(JSON, "", deep.as_bytes()), &["ANGLE", "CAPPED"]);
    let objects = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    assert_flags(&post(JSON, "", objects.as_bytes()), &["CAPPED"]);
    assert_flags(&post(JSON, "", &b"[".repeat(100_000)), &["BADBODY"]);
}

#[test]
fn json_with_a_string_of_5_mb() {
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(5 << 20));
    assert_flags(&post(JSON, "", long.as_bytes()), &["CAPPED"]);
    assert!(!document(&post(JSON, "", long.as_bytes())).rollup().any(|flag| flag == "BADBODY"));
}

#[test]
fn json_with_100_000_values_and_a_long_name() {
    let long = format!("{{\"{}\":[{}1]}}", "k ".repeat(100_000), "1,".repeat(100_000));
    assert_flags(&post(JSON, "", long.as_bytes()), &["CAPPED"]);
    let document = document(&post(JSON, "", long.as_bytes()));
    assert!(document.as_str().contains("BQ:100001 KEYS:"));
}

#[test]
fn multipart_with_50_000_parts() {
    let parts = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n".repeat(50_000) + "--b--\r\n";
    let request = post(MULTIPART, "", &parts.as_bytes()[..1 << 20]);
    assert_flags(&request, &["BADBOUNDARY", "CAPPED"]);
    let request = post(MULTIPART, "", parts.as_bytes());
    assert_flags(&request, &["CAPPED"]);
}

#[test]
fn multipart_without_an_end_and_nested() {
    let open = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n<";
    assert_flags(&post(MULTIPART, "", open.as_bytes()), &["ANGLE", "BADBOUNDARY"]);
    let nested = "--b\r\nContent-Disposition: form-data; name=a\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n\
                  --c\r\nContent-Disposition: file; filename=a.php\r\n\r\n<?php\r\n--c--\r\n--b--\r\n";
    assert_flags(&post(MULTIPART, "", nested.as_bytes()), &["ANGLE"]);
}

#[test]
fn an_xml_entity_bomb() {
    let mut bomb = String::from("<!DOCTYPE a [<!ENTITY a0 \"lol\">");
    for i in 1..100 {
        bomb += &format!("<!ENTITY a{i} \"{}\">", format!("&a{};", i - 1).repeat(10));
    }
    bomb += "]><a>&a99;</a>";
    assert_flags(&post(XML, "", bomb.as_bytes()), &["CAPPED", "DOCTYPE", "ENTITY"]);
    let deep = format!("{}<b/>{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    assert_flags(&post(XML, "", deep.as_bytes()), &["CAPPED"]);
}

#[test]
fn a_gzip_bomb() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..100 {
        encoder.write_all(&vec![b'a'; 1 << 20]).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    let request = post("text/plain", "Content-Encoding: gzip\r\n", &bomb);
    assert_flags(&request, &["BODYENC:gzip", "CAPPED"]);
    let document = document(&request);
    assert!(document.as_str().contains("<lower:1048576>"), "{document}");
}

#[test]
fn chunk_sizes_of_2_to_the_64() {
    let request = b"POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n\
                    ffffffffffffffff\r\n<\r\n10000000000000000\r\n0\r\n\r\n";
    assert_flags(request, &["ANGLE", "BADCHUNK"]);
}

#[test]
fn bodies_of_another_type_than_they_say() {
    let bodies: [(&str, &[u8]); 7] = [
        ("form", b"a=1&b=2"),
        ("json", b"{\"a\":[1,2]}"),
        ("multipart", b"--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--\r\n"),
        ("xml", b"<?xml version=\"1.0\"?><a b=\"1\">x</a>"),
        ("text", b"hello, world"),
        ("binary", b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR"),
        ("nothing", b""),
    ];
    for content_type in [FORM, JSON, XML, MULTIPART, "text/plain", "image/png", "a/b", "", ";", "\u{e9}"] {
        for coding in
            ["", "Content-Encoding: gzip\r\n", "Content-Encoding: br, zstd\r\n", "Content-Encoding: x\r\n"]
        {
            for (_, body) in bodies {
                document(&post(content_type, coding, body));
            }
        }
    }
    assert_flags(&post(FORM, "", bodies[1].1), &["CTMISMATCH"]);
    assert_flags(&post(JSON, "", bodies[3].1), &["BADBODY", "CTMISMATCH"]);
}

/// Layers of every kind around one another, far more than are undone.
#[test]
fn layers_around_layers() {
    let wraps: [fn(&str) -> String; 4] = [
        |text| BASE64.encode(text.as_bytes()),
        |text| text.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        |text| text.bytes().map(|byte| format!("&#{byte}")).collect(),
        |text| text.bytes().map(|byte| format!("\\u{byte:04x}")).collect(),
    ];
    for first in 0..wraps.len() {
        for second in 0..wraps.len() {
            let wrap =
                |text: String, nth: usize| wraps[if nth.is_multiple_of(2) { first } else { second }](&text);
            let within = (0..3).fold("<script>alert(1)</script>".to_owned(), wrap);
            let beyond = (0..5).fold("<script>".to_owned(), wrap);
            for content_type in ["text/plain", JSON, FORM, MULTIPART, XML] {
                document(&post(content_type, "", beyond.as_bytes()));
            }
            assert_flags(&post("text/plain", "", within.as_bytes()), &["ANGLE", "KW:js"]);
        }
    }
}

#[test]
fn every_prefix_of_every_kind() {
    let bodies: [(&str, &str); 4] = [
        (FORM, "a=%41&b=+&c[]=%u0041&d=&lt;&%FF=1"),
        (JSON, "{\"a\":[1,{\"b\":\"\\u00e9\\ud800\"},true,null],\"a\":{}}"),
        (XML, "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a b='&lt;'><![CDATA[x]]><c/>&b;</a>"),
        (
            MULTIPART,
            "--b\r\nContent-Disposition: form-data; name=\"a\\\"\"; filename*=utf-8''b.php\r\n\r\n<?php\r\n--b--\r\n",
        ),
    ];
    for (content_type, body) in bodies {
        for end in 0..=body.len() {
            document(&post(content_type, "", &body.as_bytes()[..end]));
        }
    }
}
