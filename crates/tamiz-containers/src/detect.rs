//! What a container is, from its first bytes.

use serde_json::Value;

use crate::format::Format;
use crate::lines::BOM;
use crate::record::Reason;
use crate::window::Window;
use crate::{access_log, concatenated, fields, har, modsecurity, pcap, request_line};

/// How much is looked at.
const LOOKED_AT: usize = 64 << 10;
/// How many lines of a log are tried.
const LINES: usize = 50;
/// Names that say that a file is one request, where nothing in it says what it is.
const EXTENSIONS: [&str; 3] = [".http", ".req", ".raw"];

/// The format of an input, of which nothing is consumed.
pub(crate) fn detect(window: &mut Window, name: &str) -> Result<Format, Reason> {
    let is_whole = !window.fill(LOOKED_AT);
    let bytes = window.bytes();
    let bytes = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    if pcap::is_one(bytes) {
        return Ok(Format::Pcap);
    }
    let text = bytes.trim_ascii_start();
    let found = match text.first() {
        None if window.failure().is_none() => Some(Format::Http)
            .filter(|_| EXTENSIONS.iter().any(|end| name.ends_with(end)))
            .or(Some(Format::Jsonl)),
        Some(b'<') => return xml(text),
        Some(b'{') => return json(text, is_whole),
        _ if har::without_call(text).is_some_and(|inner| inner.starts_with(b"{")) => Some(Format::Har),
        _ => requests(text).or_else(|| logs(text, is_whole)),
    };
    found
        .or_else(|| EXTENSIONS.iter().any(|end| name.ends_with(end)).then_some(Format::Http))
        .ok_or_else(|| "of no kind that is known from its beginning; '--from' can say what it is".into())
}

fn xml(text: &[u8]) -> Result<Format, Reason> {
    let is_burp = memchr::memmem::find(text, b"<items").is_some()
        || memchr::memmem::find(text, b"<!ELEMENT items").is_some();
    if is_burp { Ok(Format::Burp) } else { Err("XML, but no Burp export".into()) }
}

/// JSON lines, a log of JSON lines, or an archive.
fn json(text: &[u8], is_whole: bool) -> Result<Format, Reason> {
    let line = memchr::memchr(b'\n', text).and_then(|end| text.get(..end));
    let line = line.or(Some(text).filter(|_| is_whole));
    match line.map(serde_json::from_slice::<Value>) {
        Some(Ok(value)) if value.get("log").is_some_and(Value::is_object) => Ok(Format::Har),
        Some(Ok(value)) if fields::is_request(&value) && !fields::is_log(&value) => Ok(Format::Jsonl),
        Some(Ok(value)) if fields::is_log(&value) => Ok(Format::AccessLog),
        // The first line may be a bad one of a good file: the lines that parse decide.
        Some(Ok(_)) => Ok(later_lines(text).unwrap_or(Format::Jsonl)),
        _ if begins_with_key(text, b"log") => Ok(Format::Har),
        _ if memchr::memmem::find(text, b"\"entries\"").is_some()
            && memchr::memmem::find(text, b"\"log\"").is_some() =>
        {
            Ok(Format::Har)
        }
        None => Ok(Format::Jsonl),
        Some(Err(_)) => match later_lines(text) {
            Some(format) => Ok(format),
            None if line
                .is_some_and(|line| line.trim_ascii() == b"{" || line.trim_ascii().ends_with(b",")) =>
            {
                Err("JSON, but neither a HAR nor an object a line".into())
            }
            None => Ok(Format::Jsonl),
        },
    }
}

/// What the first line is that has a request.
fn later_lines(text: &[u8]) -> Option<Format> {
    text.split(|byte| *byte == b'\n').take(LINES).find_map(|line| {
        let value: Value = serde_json::from_slice(line).ok()?;
        if fields::is_log(&value) {
            Some(Format::AccessLog)
        } else {
            fields::is_request(&value).then_some(Format::Jsonl)
        }
    })
}

/// Whether an object begins with this key.
fn begins_with_key(text: &[u8], key: &[u8]) -> bool {
    let inner = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    inner
        .and_then(|inner| inner.strip_prefix(b"\"")?.strip_prefix(key))
        .is_some_and(|rest| rest.starts_with(b"\""))
}

/// One request, or several.
fn requests(text: &[u8]) -> Option<Format> {
    let line = text.split(|byte| *byte == b'\n').next()?;
    if modsecurity::begins(line) {
        return Some(Format::ModSecurity);
    }
    let is_one = request_line::is_one(line.strip_suffix(b"\r").unwrap_or(line));
    if !is_one && request_line::begins_without_target(text) != Some(true) {
        return None;
    }
    let is_after_nul = |at: usize| {
        let rest = text.get(at.saturating_add(1)..).unwrap_or_default();
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        request_line::is_one(line.strip_suffix(b"\r").unwrap_or(line))
    };
    if memchr::memchr_iter(0, text).any(is_after_nul) {
        return Some(Format::Nul);
    }
    Some(if concatenated::has_several(text) { Format::Concatenated } else { Format::Http })
}

/// A log, if one of its first lines is of a form that is known.
fn logs(text: &[u8], is_whole: bool) -> Option<Format> {
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').take(LINES).collect();
    if !is_whole && lines.len() < LINES && lines.len() > 1 {
        lines.pop();
    }
    lines.into_iter().any(|line| access_log::read(line.trim_ascii_end()).is_ok()).then_some(Format::AccessLog)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn of(text: &[u8], name: &str) -> Result<Format, Reason> {
        detect(&mut Window::new(Box::new(Cursor::new(text.to_vec()))), name)
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
        assert_eq!(of(b"nonsense", "a/b.http"), Ok(Format::Http));
        assert_eq!(of(b"", "b.http"), Ok(Format::Http));
    }
}
