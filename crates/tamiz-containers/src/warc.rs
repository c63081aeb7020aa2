//! Web archives (WARC 1.0 and 1.1, ISO 28500): the records of kind `request`, which have the bytes that a crawler sent.

use crate::compressed;
use crate::container::Reader;
use crate::id::Id;
use crate::lines::too_long;
use crate::memory;
use crate::record::{At, Found, Reason};
use crate::time::Time;
use crate::window::Window;

/// The longest header of a record.
const LONGEST_HEADER: usize = 64 << 10;

pub(crate) struct Warc {
    window: Window,
    limit: usize,
    is_over: bool,
}

/// A header, read.
#[derive(Default)]
struct Header {
    is_request: bool,
    length: Option<u64>,
    id: Option<String>,
    time: Option<Time>,
}

/// Returns whether bytes begin an archive.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(b"WARC/1.") || bytes.starts_with(b"WARC/0.1")
}

impl Warc {
    pub(crate) fn new(window: Window, limit: usize) -> Self {
        Warc { window, limit, is_over: false }
    }

    fn ended(&mut self, at: At, reason: &'static str) -> Option<(At, Result<Found, Reason>)> {
        self.is_over = true;
        let reason = self.window.failure().map_or_else(|| reason.into(), compressed::reason);
        Some((at, Err(reason)))
    }
}

impl Reader for Warc {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        loop {
            if self.is_over {
                return None;
            }
            self.window.skip_while(|byte| matches!(byte, b'\r' | b'\n'));
            let at = At::Byte(self.window.offset());
            if self.window.peek().is_none() {
                self.is_over = true;
                let reason = self.window.failure().map(compressed::reason)?;
                return Some((at, Err(reason)));
            }
            self.window.fill(8);
            if !begins(self.window.bytes()) {
                return self.ended(at, "no record where one should begin");
            }
            let Some(end) = self.window.find(b"\r\n\r\n", LONGEST_HEADER) else {
                return self.ended(at, "a record that ends in its header");
            };
            let header = header(self.window.bytes().get(..end).unwrap_or_default());
            self.window.consume(end.saturating_add(4));
            let Some(length) = header.length else { return self.ended(at, "a record without its length") };
            let len = usize::try_from(length).unwrap_or(usize::MAX);
            if header.is_request && len <= self.limit {
                if !self.window.fill(len) {
                    if self.window.lacks_memory() && self.window.skip(length) {
                        self.window.shrink();
                        return Some((at, Err(memory::REASON.into())));
                    }
                    return self.ended(at, "a record that ends early");
                }
                let found = Found {
                    id: header.id.map(Id::from),
                    time: header.time,
                    ..Found::raw(self.window.take(len))
                };
                return Some((at, Ok(found)));
            }
            if !self.window.skip(length) {
                return self.ended(at, "a record that ends early");
            }
            if header.is_request {
                return Some((at, Err(too_long(self.limit))));
            }
        }
    }
}

fn header(block: &[u8]) -> Header {
    let mut header = Header::default();
    for line in block.split(|byte| *byte == b'\n') {
        let Some(colon) = memchr::memchr(b':', line) else { continue };
        let (name, value) =
            (line.get(..colon).unwrap_or_default(), line.get(colon.saturating_add(1)..).unwrap_or_default());
        let value = value.trim_ascii();
        let text = || std::str::from_utf8(value).ok();
        if name.eq_ignore_ascii_case(b"warc-type") {
            header.is_request = value == b"request";
        } else if name.eq_ignore_ascii_case(b"content-length") {
            header.length = text().and_then(|length| length.parse().ok());
        } else if name.eq_ignore_ascii_case(b"warc-record-id") {
            header.id = text().map(|id| id.trim_matches(['<', '>']).to_owned());
        } else if name.eq_ignore_ascii_case(b"warc-date") {
            header.time = Time::parse(value);
        }
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;
    use std::io::Cursor;

    fn record(kind: &str, block: &str) -> String {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-10-10T13:55:36Z\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    }

    fn told(text: &str, limit: usize) -> Vec<Result<String, String>> {
        let mut warc = Warc::new(Window::new(Box::new(Cursor::new(text.as_bytes().to_vec()))), limit);
        std::iter::from_fn(|| warc.next_found())
            .map(|(_, result)| match result.map_err(Reason::into_owned)?.request {
                Request::Raw(bytes) => Ok(String::from_utf8(bytes).unwrap()),
                Request::Parts(_) => panic!("parts"),
            })
            .collect()
    }

    const GET: &str = "GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n";

    #[test]
    fn requests_among_other_records() {
        let text = [
            record("warcinfo", "x"),
            record("request", GET),
            record("response", GET),
            record("request", GET),
        ]
        .concat();
        assert_eq!(told(&text, 1000), [Ok(GET.to_owned()), Ok(GET.to_owned())]);
        let long = [record("request", &"x".repeat(500)), record("request", GET)].concat();
        let all = told(&long, 100);
        assert!(all[0].as_ref().unwrap_err().contains("longer") && all[1].is_ok());
    }

    #[test]
    fn archives_that_are_damaged() {
        let whole = record("request", GET);
        for (text, reason) in [
            (whole[..whole.len() - 20].to_owned(), "ends early"),
            (whole[..20].to_owned(), "ends in its header"),
            (format!("{whole}nonsense"), "no record"),
            ("WARC/1.0\r\nA: b\r\n\r\n".to_owned(), "without its length"),
        ] {
            assert!(told(&text, 1000).last().unwrap().as_ref().unwrap_err().contains(reason), "{text}");
        }
    }
}
