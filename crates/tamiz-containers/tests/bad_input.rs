//! Damaged records are reported with their place and without their content; the others are read.

mod common;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use tamiz_containers::{Format, Options};

/// Never to be seen in a message.
const SECRET: &str = "hunter2hunter2";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// How many requests there are, and what is said of the rest.
#[track_caller]
fn told(name: &str, bytes: &[u8], options: &Options) -> (usize, Vec<String>) {
    let records = common::read_bytes(name, bytes, options);
    let messages: Vec<String> =
        records.iter().filter_map(|record| record.as_ref().err()).map(ToString::to_string).collect();
    for message in &messages {
        assert!(message.starts_with(name) && !message.contains(SECRET), "{message}");
    }
    (records.len() - messages.len(), messages)
}

fn lines(count: usize) -> Vec<u8> {
    (0..count)
        .flat_map(|n| format!("{{\"raw\":\"GET /{n} HTTP/1.1\\r\\n\\r\\n\",\"id\":{n}}}\n").into_bytes())
        .collect()
}

#[test]
fn truncated_gzip() {
    let whole = gzip(&lines(5000));
    let (read, messages) = told("a.jsonl.gz", &whole[..whole.len() / 2], &Options::default());
    assert!(read > 1000 && read < 5000, "{read}");
    assert_eq!(
        messages,
        [format!(
            "a.jsonl.gz: line {}: the compressed data ends early, at byte {}; what came before it was read",
            read + 1,
            whole.len() / 2
        )]
    );
    let (read, messages) = told("a.jsonl.gz", &whole[..12], &Options::default());
    assert_eq!((read, messages.len()), (0, 1));
}

#[test]
fn garbage_behind_gzip_is_named_as_such() {
    let whole = gzip(&lines(3));
    let (read, messages) = told("a.gz", &[&whole[..], SECRET.as_bytes()].concat(), &Options::default());
    assert_eq!(
        (read, messages),
        (
            3,
            vec![format!(
                "a.gz: what follows the compressed data from byte {} on is not compressed; it was not read",
                whole.len()
            )]
        )
    );
    assert_eq!(told("a.gz", &[&whole[..], &[0; 512]].concat(), &Options::default()), (3, vec![]));
}

#[test]
fn back_to_back_requests_are_told() {
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    let (read, messages) = told("a.http", format!("{get}{get}").as_bytes(), &Options::default());
    assert_eq!(read, 1);
    assert!(messages.len() == 1 && messages[0].contains("byte 27: another request line"), "{messages:?}");
    let mut options = Options::default();
    options.format = Some(Format::Concatenated);
    assert_eq!(told("a.http", format!("{get}{get}").as_bytes(), &options), (2, vec![]));
}

#[test]
fn columns_that_change_within_a_log() {
    let mut log = "#Version: 1.0\n#Fields: cs-method cs-uri-stem\nGET /a\nGET\n#Fields: cs-uri-stem cs-method\n/b GET\n".to_owned();
    let (read, messages) = told("a.log", log.as_bytes(), &Options::default());
    assert_eq!(
        (read, messages),
        (2, vec!["a.log: line 4: fewer values than the log has columns".to_owned()])
    );
    // As many lines that name columns as there are lines, and a last one that does not end.
    log.push_str(&"#Remark: x\n/c GET\n".repeat(200_000));
    log.push_str("#Remark: x");
    assert_eq!(told("a.log", log.as_bytes(), &Options::default()).0, 200_002);
    assert_eq!(told("a.log", "#Fields: x\n".repeat(500_000).as_bytes(), &Options::default()), (0, vec![]));
}

#[test]
fn archives_that_are_none() {
    for (text, message) in [
        (format!("{{\"log\": {SECRET}"), "not a HAR: there is no `log.entries`"),
        (format!("{{\"log\":{{\"comment\":\"{SECRET}"), "JSON that ends early"),
        ("{\"log\":{\"version\":\"1.2\"}}".to_owned(), "not a HAR: there is no `log.entries`"),
        ("{\"log\":{\"entries\":[{\"response\":{}}]}}".to_owned(), "an entry without a request"),
        (
            format!("{{\"log\":{{\"entries\":[{{\"request\":{{\"method\":\"GET\",\"url\":\"{SECRET}"),
            "JSON that ends early",
        ),
        (format!("{{\"log\":{{\"entries\":[{{\"a\": {SECRET}}}]}}}}"), "not JSON from column 6 on"),
    ] {
        let (read, messages) = told("a.har", text.as_bytes(), &Options::default());
        assert_eq!(read, 0, "{text}");
        assert!(messages.len() == 1 && messages[0].ends_with(message), "{messages:?}");
    }
}

#[test]
fn an_entity_bomb_is_refused_at_once() {
    let mut text = "<?xml version=\"1.0\"?><!DOCTYPE items [<!ENTITY a0 \"x\">".to_owned();
    for n in 1..30 {
        text.push_str(&format!("<!ENTITY a{n} \"&a{};&a{};\">", n - 1, n - 1));
    }
    text.push_str("]><items><item><request>&a29;</request></item></items>");
    let (read, messages) = told("a.xml", text.as_bytes(), &Options::default());
    assert_eq!(read, 0);
    assert!(messages.len() == 1 && messages[0].contains("refused: it declares entities"), "{messages:?}");
}

#[test]
fn a_line_of_another_form_in_the_middle() {
    let good = "192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 5\n";
    let caddy = "{\"request\":{\"method\":\"GET\",\"uri\":\"/b\",\"proto\":\"HTTP/2.0\"}}\n";
    let text = format!("{good}{caddy}kernel: {SECRET} is out of memory\n\n{good}");
    let (read, messages) = told("a.log", text.as_bytes(), &Options::default());
    assert_eq!((read, messages), (3, vec!["a.log: line 3: not a known form of log line".to_owned()]));
}

#[test]
fn invalid_utf8_everywhere() {
    let raw = |bytes: &[u8], format| {
        told("a", bytes, &Options::default()).0
            + told("a", bytes, &{
                let mut options = Options::default();
                options.format = Some(format);
                options
            })
            .0
    };
    assert_eq!(
        raw(b"GET /\xFF\xFE HTTP/1.1\r\nHost: \xC3\x28\r\n\r\n\xFF", Format::Http),
        2,
        "a request may hold any bytes"
    );
    assert_eq!(
        raw(b"1.1.1.1 - - [\xFF] \"GET /\xFF HTTP/1.1\" 200 5 \"\xFF\" \"\xC3\"\n", Format::AccessLog),
        2
    );
    for (bytes, format) in [
        (&b"{\"raw\":\"\xFF\"}\n"[..], Format::Jsonl),
        (b"{\"request\":{\"method\":\"\xFF\",\"uri\":\"/\"}}", Format::AccessLog),
        (b"{\"log\":{\"entries\":[{\"request\":{\"method\":\"GET\",\"url\":\"\xFF\"}}]}}", Format::Har),
        (b"<items><item><request>\xFF</request></item></items>", Format::Burp),
        (b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", Format::Pcap),
    ] {
        let mut options = Options::default();
        options.format = Some(format);
        let (read, messages) = told("a", bytes, &options);
        assert_eq!((read, messages.len()), (0, 1), "{format}: {messages:?}");
    }
}

#[test]
fn a_record_that_is_too_long_costs_no_other() {
    let mut options = Options::default();
    options.record_limit = 1000;
    let long = "x".repeat(3 << 20);
    let good = "{\"raw\":\"GET / HTTP/1.1\\r\\n\\r\\n\"}\n";
    let (read, messages) = told("a", format!("{good}{{\"raw\":\"{long}\"}}\n{good}").as_bytes(), &options);
    assert_eq!(read, 2);
    assert_eq!(messages, ["a: line 2: longer than 1000 bytes, the most that a record may have"]);
}

#[test]
fn what_cannot_be_opened_is_named() {
    let records = common::read_file(std::path::Path::new("no-such-file"), &Options::default());
    assert_eq!(
        records[0].as_ref().unwrap_err().to_string(),
        "no-such-file: cannot be opened: entity not found"
    );
}
