//! The document of a request as a log keeps it equals that of a line of the log.

mod common;

use std::io::Cursor;

use tamiz::{Canonicalizer, Config, Source};
use tamiz_containers::{Container, Format, Options};
use tamiz_sources::{Seen, as_seen_by};

/// As nginx escapes: quotes, backslashes, and what is not printable ASCII.
fn quoted(text: &[u8]) -> String {
    let escaped = text.iter().map(|byte| match byte {
        b'"' | b'\\' | 0..=0x1F | 0x7F.. => format!("\\x{byte:02X}"),
        byte => char::from(*byte).to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[test]
fn lines_of_a_combined_log_read_back_the_same() {
    let tamiz = Canonicalizer::new(Config::default());
    let mut options = Options::default();
    options.format = Some(Format::AccessLog);
    let mut lines = 0;
    for request in common::requests() {
        let Seen::Parts(parts) = as_seen_by(Source::AccessLog, &request) else { continue };
        let value = |name: &str| {
            let found = parts.headers.iter().find(|(there, _)| there == name.as_bytes());
            found.map_or(&b"-"[..], |(_, value)| value)
        };
        let mut rest = &request[..];
        while let [b'\r', b'\n', after @ ..] | [b'\n', after @ ..] = rest {
            rest = after;
        }
        let line = rest.split(|byte| *byte == b'\n').next().unwrap();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let log = format!(
            "192.0.2.7 - - [10/Oct/2026:13:55:36 +0000] {} 200 5 {} {}\n",
            quoted(line),
            quoted(value("referer")),
            quoted(value("user-agent"))
        );
        let records = Container::read("access.log", Cursor::new(log.clone().into_bytes()), &options).unwrap();
        let Some(Ok(record)) = records.into_iter().next() else { panic!("{log}") };
        assert_eq!(
            record.request.document(&tamiz).as_str(),
            tamiz.canonicalize_parts(&parts.borrowed()).as_str(),
            "{log}"
        );
        lines += 1;
    }
    assert!(lines > 1000, "{lines} lines");
}
