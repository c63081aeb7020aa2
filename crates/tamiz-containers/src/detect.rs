//! Tells the format of a container from its first bytes.

use serde_json::Value;

use crate::format::Format;
use crate::lines::BOM;
use crate::mapping::Mapping;
use crate::record::Reason;
use crate::window::Window;
use crate::{
    access_log, compressed, concatenated, csv, curl, fields, har, http_file, json, mitmproxy, modsecurity,
    openapi, pcap, postman, request_line, urls, w3c, warc, zap, zeek,
};

/// The bytes that are looked at.
const LOOKED_AT: usize = 64 << 10;
/// The lines of a log that are tried.
const LINES: usize = 50;
/// Names that say that a file is one request, where nothing in it says what it is.
const EXTENSIONS: [&str; 3] = [".http", ".req", ".raw"];

/// The beginning of an input.
struct Beginning<'a> {
    /// All of it that is looked at, without the mark that some programs put before UTF-8.
    bytes: &'a [u8],
    /// The bytes without white space before them.
    text: &'a [u8],
    /// Its first line, without its end.
    line: &'a [u8],
    /// True if that is the whole input.
    is_whole: bool,
    name: &'a str,
    mapping: &'a Mapping,
}

/// Tells a format by its beginning.
type Test = fn(&Beginning<'_>) -> bool;

/// The formats, in the order in which they are tried: those that say most of themselves first.
const TABLE: &[(Format, Test)] = &[
    (Format::Pcap, |beginning| pcap::is_one(beginning.bytes)),
    (Format::Parquet, |beginning| beginning.bytes.starts_with(b"PAR1")),
    (Format::Http, |beginning| beginning.text.is_empty() && beginning.is_named_request()),
    (Format::Jsonl, |beginning| beginning.text.is_empty()),
    (Format::W3c, |beginning| w3c::begins(beginning.text)),
    (Format::Zeek, |beginning| zeek::begins(beginning.text)),
    (Format::ModSecurity, |beginning| modsecurity::begins(beginning.line)),
    (Format::Warc, |beginning| warc::begins(beginning.bytes)),
    (Format::Mitmproxy, |beginning| mitmproxy::begins(beginning.bytes)),
    (Format::Zap, |beginning| zap::begins(beginning.line)),
    (Format::Postman, |beginning| postman::is_one(beginning.text)),
    (Format::OpenApi, |beginning| openapi::is_one(beginning.text) && !beginning.is_line_of_request()),
    (Format::Burp, |beginning| is_burp(beginning.text)),
    (Format::Har, |beginning| har::without_call(beginning.text).is_some_and(|inner| inner.starts_with(b"{"))),
    (Format::Json, |beginning| beginning.is_json()),
    (Format::Har, |beginning| beginning.json() == Some(Format::Har)),
    (Format::AccessLog, |beginning| beginning.json() == Some(Format::AccessLog)),
    (Format::Jsonl, |beginning| beginning.json() == Some(Format::Jsonl)),
    (Format::HttpFile, |beginning| http_file::is_one(beginning.text)),
    (Format::Nul, |beginning| beginning.is_request() && has_several_behind_nul(beginning.text)),
    (Format::Concatenated, |beginning| beginning.is_request() && concatenated::has_several(beginning.text)),
    (Format::Http, |beginning| beginning.is_request()),
    (Format::AccessLog, |beginning| beginning.is_log()),
    (Format::Urls, |beginning| beginning.first_line().is_some_and(|line| urls::is_one(line.trim_ascii()))),
    (Format::Curl, |beginning| beginning.is_curl()),
    (Format::Csv, |beginning| csv::is_header(beginning.line, beginning.mapping)),
    (Format::Http, |beginning| beginning.is_named_request()),
];

/// The format of an input, of which nothing is consumed.
pub(crate) fn detect(window: &mut Window, name: &str, mapping: &Mapping) -> Result<Format, Reason> {
    let is_whole = !window.fill(LOOKED_AT);
    let bytes = window.bytes();
    let bytes = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    if let (true, Some(error)) = (bytes.is_empty(), window.failure()) {
        return Err(compressed::reason(error));
    }
    let text = bytes.trim_ascii_start();
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let beginning = Beginning { bytes, text, line, is_whole, name, mapping };
    let found = TABLE.iter().find(|(_, test)| test(&beginning)).map(|(format, _)| *format);
    found.ok_or_else(|| match window.failure() {
        Some(error) => compressed::reason(error),
        None => beginning.unknown(),
    })
}

/// Returns whether `canon`, which takes a request, was given a container by mistake: one that cannot be a request.
pub(crate) fn is_container(bytes: &[u8]) -> bool {
    if compressed::is_compressed(bytes) || pcap::is_one(bytes) {
        return true;
    }
    let bytes = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    let text = bytes.strip_prefix(BOM).unwrap_or(bytes).trim_ascii_start();
    if !text.starts_with(b"{") {
        return false;
    }
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mapping = Mapping::default();
    let beginning = Beginning { bytes, text, line, is_whole: true, name: "", mapping: &mapping };
    let is_object = serde_json::from_slice::<Value>(line).is_ok_and(|value| fields::is_request(&value));
    is_object || beginning.json() == Some(Format::Har)
}

impl Beginning<'_> {
    fn is_named_request(&self) -> bool {
        EXTENSIONS.iter().any(|end| self.name.ends_with(end))
    }

    fn is_request(&self) -> bool {
        request_line::is_one(self.line) || request_line::begins_without_target(self.text) == Some(true)
    }

    /// Returns whether the first line is an object with a request, whatever else it holds.
    fn is_line_of_request(&self) -> bool {
        serde_json::from_slice::<Value>(self.line)
            .is_ok_and(|value| fields::is_request(&value) || fields::is_log(&value))
    }

    /// Returns whether the first line that is no comment is a command of curl.
    fn is_curl(&self) -> bool {
        self.first_line().is_some_and(curl::begins)
    }

    /// The first line that is no comment.
    fn first_line(&self) -> Option<&[u8]> {
        let mut lines = self.text.split(|byte| *byte == b'\n');
        lines.find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"))
    }

    /// Returns whether it is an array of objects, objects in an array of a known name, or an object over several lines
    /// that has a request.
    fn is_json(&self) -> bool {
        if let Some(inner) = self.text.strip_prefix(b"[") {
            return matches!(inner.trim_ascii_start().first(), Some(b'{' | b']'));
        }
        if !self.text.starts_with(b"{") || begins_with_key(self.text, b"log") {
            return false;
        }
        let is_one_line = serde_json::from_slice::<Value>(self.line).is_ok();
        if json::named_array(self.text).is_some() {
            return true;
        }
        let first = serde_json::Deserializer::from_slice(self.text).into_iter::<Value>().next();
        !is_one_line
            && first.is_some_and(|value| {
                value.is_ok_and(|value| {
                    self.is_mapped(&value) || fields::is_request(&value) || fields::is_log(&value)
                })
            })
    }

    /// The first lines, without one that is cut.
    fn lines(&self) -> Vec<&[u8]> {
        let mut lines: Vec<&[u8]> = self.text.split(|byte| *byte == b'\n').take(LINES).collect();
        if !self.is_whole && lines.len() < LINES && lines.len() > 1 {
            lines.pop();
        }
        lines
    }

    /// Returns whether one of the first lines is of a form of log that is known.
    fn is_log(&self) -> bool {
        if self.text.starts_with(b"<") && !access_log::prefix::has_priority(self.text) {
            return false;
        }
        self.lines().into_iter().any(|line| {
            access_log::read(line.trim_ascii_end(), self.mapping).is_some_and(|result| result.is_ok())
        })
    }

    /// JSON lines, a log of JSON lines, or an archive.
    fn json(&self) -> Option<Format> {
        let text = self.text;
        if !text.starts_with(b"{") {
            return None;
        }
        let line = memchr::memchr(b'\n', text).and_then(|end| text.get(..end));
        let line = line.or(Some(text).filter(|_| self.is_whole));
        match line.map(serde_json::from_slice::<Value>) {
            Some(Ok(value)) if is_archive(&value) => Some(Format::Har),
            Some(Ok(value)) if fields::is_log(&value) => Some(Format::AccessLog),
            Some(Ok(value)) if self.is_mapped(&value) || fields::is_request(&value) => Some(Format::Jsonl),
            // The first line may be a bad one of a good file: the lines that parse decide.
            Some(Ok(_)) => Some(self.later_lines().unwrap_or(Format::Jsonl)),
            _ if begins_with_key(text, b"log") => Some(Format::Har),
            _ if memchr::memmem::find(text, b"\"entries\"").is_some()
                && memchr::memmem::find(text, b"\"log\"").is_some() =>
            {
                Some(Format::Har)
            }
            None => Some(Format::Jsonl),
            Some(Err(_)) => match self.later_lines() {
                Some(format) => Some(format),
                None if line
                    .is_some_and(|line| line.trim_ascii() == b"{" || line.trim_ascii().ends_with(b",")) =>
                {
                    None
                }
                None => Some(Format::Jsonl),
            },
        }
    }

    fn is_mapped(&self, value: &Value) -> bool {
        self.mapping.apply(value).is_some_and(|value| fields::is_request(&value))
    }

    /// The format of the first line that has a request.
    fn later_lines(&self) -> Option<Format> {
        self.lines().into_iter().find_map(|line| {
            let value: Value = access_log::parse(line).ok()?;
            if fields::is_log(&value) {
                Some(Format::AccessLog)
            } else {
                (self.is_mapped(&value) || fields::is_request(&value)).then_some(Format::Jsonl)
            }
        })
    }

    /// Why it is of no format, and what could read it.
    fn unknown(&self) -> Reason {
        let known = known_as(self.bytes);
        if let Some(known) = known {
            return format!("of no kind that is known: {known}").into();
        }
        if self.text.starts_with(b"<") && memchr::memmem::find(self.text, b"<session").is_some() {
            return format!("of no kind that is known: {ZAP_SESSION}").into();
        }
        if self.text.starts_with(b"<") {
            return "of no kind that is known: XML or HTML, but no Burp export, which has <items>".into();
        }
        if self.text.starts_with(b"{") {
            return "of no kind that is known: JSON, but no HAR (no `log.entries`), and no object a line with a request \
                    under names that are known; '--map' can name them"
                .into();
        }
        if self.bytes.iter().take(1 << 10).any(|byte| *byte < 9) {
            return "of no kind that is known: binary data, but neither compressed nor a capture; '--from http' reads it \
                    as one request"
                .into();
        }
        format!(
            "of no kind that is known: text, but no request line, no JSON, no URL, no #Fields at its beginning, and no \
             log line of a known form in its first {LINES}; '--from http' reads it as one request"
        )
        .into()
    }
}

/// Returns whether an object is an HTTP archive: logs of the Elastic Common Schema have a `log` of their own.
fn is_archive(value: &Value) -> bool {
    let log = value.get("log").filter(|log| log.is_object());
    log.is_some_and(|log| {
        let has = |name: &str| log.get(name).is_some();
        has("entries") || has("creator") || has("pages") || !fields::is_request(value) && !has("level")
    })
}

/// Said of the files of a session of ZAP, which is a database of HSQLDB that only Java reads.
const ZAP_SESSION: &str =
    "a file of a ZAP session (a database of HSQLDB); open it in ZAP, and export its messages, or a HAR";

/// Names a file that others know by its first bytes, and says what to do about it.
fn known_as(bytes: &[u8]) -> Option<&'static str> {
    const KNOWN: [(&[u8], &str); 10] = [
        (b"#HSQL Database Engine", ZAP_SESSION),
        (b"SET DATABASE ", ZAP_SESSION),
        (b"%PDF", "a PDF"),
        (b"\x89PNG", "a picture"),
        (b"\x7FELF", "a program"),
        (b"SQLite format 3", "a database of SQLite; export its table as JSON lines"),
        (b"\x30\x82", "a certificate or a key"),
        (b"-----BEGIN ", "a certificate or a key"),
        (b"\xFF\xFE", "text of UTF-16; write it as UTF-8"),
        (b"\xFE\xFF", "text of UTF-16; write it as UTF-8"),
    ];
    KNOWN.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, name)| *name)
}

fn is_burp(text: &[u8]) -> bool {
    text.starts_with(b"<")
        && (memchr::memmem::find(text, b"<items").is_some()
            || memchr::memmem::find(text, b"<!ELEMENT items").is_some())
}

/// Returns whether an object begins with this key.
fn begins_with_key(text: &[u8], key: &[u8]) -> bool {
    let inner = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    inner
        .and_then(|inner| inner.strip_prefix(b"\"")?.strip_prefix(key))
        .is_some_and(|rest| rest.starts_with(b"\""))
}

/// Returns whether a request stands behind a NUL.
fn has_several_behind_nul(text: &[u8]) -> bool {
    memchr::memchr_iter(0, text).any(|at| {
        let rest = text.get(at.saturating_add(1)..).unwrap_or_default();
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        request_line::is_one(line.strip_suffix(b"\r").unwrap_or(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn of(text: &[u8], name: &str) -> Result<Format, Reason> {
        detect(&mut Window::new(Box::new(Cursor::new(text.to_vec()))), name, &Mapping::default())
    }

    #[test]
    fn each_format_is_known() {
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        let smuggled = "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\nGET /x HTTP/1.1\r\nA: b\r\n\r\n";
        for (text, format) in [
            (get.to_owned(), Format::Http),
            (smuggled.to_owned(), Format::Http),
            (format!("{get}\r\n{get}\r\n{get}"), Format::Concatenated),
            (format!("{get}\0{get}"), Format::Nul),
            (r#"{"raw":"GET /"}"#.to_owned(), Format::Jsonl),
            (format!("{}\n{}\n", r#"{"a":1}"#, r#"{"method":"GET","url":"/"}"#), Format::Jsonl),
            (r#"{"request":{"method":"GET","uri":"/"}}"#.to_owned(), Format::AccessLog),
            (r#"{"log":{"entries":[]}}"#.to_owned(), Format::Har),
            ("{\n \"log\": {\n".to_owned(), Format::Har),
            ("onInputData({\n \"log\": {\n".to_owned(), Format::Har),
            ("<?xml version='1.0'?><items>".to_owned(), Format::Burp),
            (r#"1.1.1.1 - - [t] "GET / HTTP/1.1" 200 1"#.to_owned(), Format::AccessLog),
            ("--4a1b2c3d-A--\n".to_owned(), Format::ModSecurity),
            ("\u{feff}{\"raw\":\"x\"}".to_owned(), Format::Jsonl),
            (
                r#"{"log":{"level":"info"},"http":{"request":{"method":"GET"}},"url":{"path":"/"}}"#
                    .to_owned(),
                Format::Jsonl,
            ),
            (
                "<134>Oct 10 13:55:36 lb nginx: 1.1.1.1 - - [t] \"GET / HTTP/1.1\" 200 1".to_owned(),
                Format::AccessLog,
            ),
            ("#Software: x\n#Fields: date time cs-method\n".to_owned(), Format::W3c),
            ("#separator \\x09\n#fields\tts\n".to_owned(), Format::Zeek),
            ("https://ex.com/a\nhttps://ex.com/b\n".to_owned(), Format::Urls),
            ("# a list\r\n\r\nhttps://ex.com/a\r\n".to_owned(), Format::Urls),
            ("{\"took\":1,\"hits\":{\"hits\":[{\"_source\":{}}]}}".to_owned(), Format::Json),
            (
                "{\"message\":\"1.1.1.1 - - [t] \\\"GET / HTTP/1.1\\\" 200 1\"}\n".to_owned(),
                Format::AccessLog,
            ),
            ("ID;Method;URL\r\n1;GET;/a\r\n".to_owned(), Format::Csv),
            ("GET\r\nHost: a\r\n\r\n".to_owned(), Format::Http),
            ("[\n {\"method\": \"GET\"}]".to_owned(), Format::Json),
            ("{\n \"method\": \"GET\",\n \"url\": \"/\"\n}\n".to_owned(), Format::Json),
            ("{\"records\": [{\"properties\":{}}]}".to_owned(), Format::Json),
            ("id,raw_b64\n1,R0VUIC8=\n".to_owned(), Format::Csv),
            ("# x\ncurl https://ex.com/\n".to_owned(), Format::Curl),
            ("### a\nGET https://ex.com/\n".to_owned(), Format::HttpFile),
            (
                "{\"info\":{\"schema\":\"https://schema.getpostman.com/x\"},\"item\":[]}".to_owned(),
                Format::Postman,
            ),
            ("{\"openapi\":\"3.0.0\",\"info\":{},\"paths\":{}}".to_owned(), Format::OpenApi),
            ("WARC/1.0\r\nWARC-Type: warcinfo\r\n".to_owned(), Format::Warc),
            ("33:7:version;2:21#4:type;4:http;}".to_owned(), Format::Mitmproxy),
            ("==== 1 ==========\nGET http://ex.com/ HTTP/1.1\r\n".to_owned(), Format::Zap),
        ] {
            assert_eq!(of(text.as_bytes(), "x"), Ok(format), "{text}");
        }
        assert_eq!(of(b"\xD4\xC3\xB2\xA1\x02\0\x04\0", "x"), Ok(Format::Pcap));
        assert_eq!(of(b"\x0A\x0D\x0D\x0A\x1C\0\0\0\x4D\x3C\x2B\x1A", "x"), Ok(Format::Pcap));
    }

    #[test]
    fn what_is_unknown_is_refused_unless_its_name_tells() {
        for text in [&b"nonsense"[..], b"<html>", b"\xFF\xFE", b"{\n \"a\": 1,\n \"b\": 2\n}"] {
            assert!(of(text, "x").is_err(), "{text:?}");
        }
        for (text, words) in [
            (&b"nonsense"[..], &["text", "no request line", "first 50", "'--from http'"][..]),
            (b"<html>", &["XML or HTML", "Burp"]),
            (b"{\n \"a\": 1,\n \"b\": 2\n}", &["JSON", "log.entries", "'--map'"]),
            (b"\0\x01\x02", &["binary"]),
            (b"%PDF-1.7", &["a PDF"]),
        ] {
            let told = of(text, "x").unwrap_err();
            assert!(words.iter().all(|word| told.contains(word)), "{told}");
        }
        assert_eq!(of(b"nonsense", "a/b.http"), Ok(Format::Http));
        assert_eq!(of(b"", "b.http"), Ok(Format::Http));
    }
}
