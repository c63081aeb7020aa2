//! Requests one after another: with blank lines between them, as in the CSIC 2010 files, or with a
//! NUL.

use crate::compressed;
use crate::container::Reader;
use crate::lines::too_long;
use crate::memory;
use crate::record::{At, Found, Reason};
use crate::request_line;
use crate::window::Window;

/// Requests with blank lines between them.
///
/// A request goes on to the next line that looks like a request line and has a blank line before it,
/// but not before the end of the body that its `Content-Length` gives. The blank lines are not part of it.
pub(crate) struct Blank {
    window: Window,
    limit: usize,
    has_failed: bool,
}

impl Blank {
    pub(crate) fn new(window: Window, limit: usize) -> Self {
        Blank { window, limit, has_failed: false }
    }

    /// The end of the input, or why it ended early, once.
    fn end(&mut self) -> Option<(At, Result<Found, Reason>)> {
        let reason = compressed::reason(self.window.failure()?);
        (!std::mem::replace(&mut self.has_failed, true))
            .then(|| (At::Byte(self.window.offset()), Err(reason)))
    }
}

impl Reader for Blank {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        self.window.skip_while(is_line_end);
        let at = At::Byte(self.window.offset());
        if self.window.peek().is_none() {
            return self.end();
        }
        let Some(end) = next_request(&mut self.window, self.limit) else {
            skip_to_request(&mut self.window);
            return Some((at, Err(too_long(self.limit))));
        };
        if end == self.window.bytes().len() && self.window.lacks_memory() {
            skip_to_request(&mut self.window);
            self.window.shrink();
            return Some((at, Err(memory::REASON.into())));
        }
        let is_cut = end == self.window.bytes().len() && self.window.failure().is_some();
        let bytes = self.window.bytes().get(..end).unwrap_or_default();
        let result = if end > self.limit {
            Err(too_long(self.limit))
        } else if is_cut {
            self.has_failed = true;
            Err(self.window.failure().map(compressed::reason).unwrap_or_default())
        } else if request_line::is_one_of_any_version(first_line(bytes))
            || request_line::begins_without_target(bytes) == Some(true)
        {
            Ok(Found::raw(without_blank_lines(bytes).to_vec()))
        } else {
            Err("no request line where a request should begin".into())
        };
        self.window.consume(end);
        Some((at, result))
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// Returns whether text that begins with a request has another behind it that is none of its body: behind a blank
/// line more than the one that ends the headers. Requests that follow each other without one are taken
/// for one request and what was smuggled behind it.
pub(crate) fn has_several(text: &[u8]) -> bool {
    let Some(headers) = end_of_headers(text) else { return false };
    let length = content_length(text.get(..headers).unwrap_or_default()).unwrap_or(0);
    let Some(rest) = text.get(headers.saturating_add(length)..) else { return false };
    let blank = rest.iter().take_while(|byte| is_line_end(**byte)).count();
    blank > 0 && request_line::is_one(first_line(rest.get(blank..).unwrap_or_default()))
}

/// Where a request line stands right behind the request that text begins with, as its headers end it.
pub(crate) fn next_without_blank(text: &[u8]) -> Option<usize> {
    if !request_line::is_one(first_line(text)) {
        return None;
    }
    let headers = end_of_headers(text)?;
    let end = headers.saturating_add(content_length(text.get(..headers)?).unwrap_or(0));
    request_line::is_one(first_line(text.get(end..)?)).then_some(end)
}

/// A line without its end.
fn first_line(bytes: &[u8]) -> &[u8] {
    let line = memchr::memchr(b'\n', bytes).and_then(|end| bytes.get(..end)).unwrap_or(bytes);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The request at the start of `bytes` without the blank lines after it: not those that end its
/// headers, and none of the body that it declares.
fn without_blank_lines(bytes: &[u8]) -> &[u8] {
    let Some(headers) = end_of_headers(bytes) else { return bytes };
    let least = headers.saturating_add(content_length(bytes.get(..headers).unwrap_or_default()).unwrap_or(0));
    let content = bytes.iter().rposition(|byte| !is_line_end(*byte)).map_or(0, |last| last.saturating_add(1));
    // A length that is not reached tells nothing.
    let end = if least <= bytes.len() { content.max(least) } else { content.max(headers) };
    bytes.get(..end).unwrap_or(bytes)
}

/// Where the header block ends, blank line included. A line ends with LF, as a tolerant server reads it.
pub(crate) fn end_of_headers(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'\n', bytes).find_map(|at| {
        let after = at.saturating_add(1);
        match bytes.get(after..)? {
            [b'\n', ..] => Some(after.saturating_add(1)),
            [b'\r', b'\n', ..] => Some(after.saturating_add(2)),
            _ => None,
        }
    })
}

/// The value of the first `Content-Length`.
fn content_length(headers: &[u8]) -> Option<usize> {
    headers.split(|byte| *byte == b'\n').find_map(|line| {
        let colon = memchr::memchr(b':', line)?;
        let (name, value) = (line.get(..colon)?, line.get(colon.saturating_add(1)..)?);
        if !name.eq_ignore_ascii_case(b"content-length") {
            return None;
        }
        std::str::from_utf8(value).ok()?.trim().parse().ok()
    })
}

/// Where the request after the present one begins, or the end of the input; `None` when neither is
/// among the first `limit` bytes.
fn next_request(window: &mut Window, limit: usize) -> Option<usize> {
    let mut least: Option<usize> = None;
    // The first that is found before the declared end: the one to take if the length is a lie.
    let mut early: Option<usize> = None;
    let mut from = 0_usize;
    loop {
        let bytes = window.bytes();
        if least.is_none() {
            least = end_of_headers(bytes).map(|headers| {
                headers.saturating_add(content_length(bytes.get(..headers).unwrap_or_default()).unwrap_or(0))
            });
        }
        // A line has to be there as a whole to be looked at.
        while let Some(end) = bytes.get(from..).and_then(|rest| memchr::memchr(b'\n', rest)) {
            let next = from.saturating_add(end).saturating_add(1);
            let line = bytes.get(from..next).map(first_line).unwrap_or_default();
            if from > 0 && request_line::is_one(line) && is_after_blank(bytes, from) {
                match least {
                    Some(least) if from >= least => {
                        let is_lie = early.is_some() && !is_blank_from(bytes, least, from);
                        return if is_lie { early } else { Some(from) };
                    }
                    _ => early = early.or(Some(from)),
                }
            }
            from = next;
        }
        let len = bytes.len();
        if len > limit {
            return early.filter(|early| *early <= limit);
        }
        if !window.read_more() {
            let reaches = least.is_none_or(|least| least <= len);
            return Some(early.filter(|_| !reaches).unwrap_or(len));
        }
    }
}

/// Returns whether the line before `at` is blank.
fn is_after_blank(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    let before = before.strip_suffix(b"\n").unwrap_or(before);
    let before = before.strip_suffix(b"\r").unwrap_or(before);
    before.is_empty() || before.ends_with(b"\n")
}

/// Returns whether there are only line ends from one place to another.
fn is_blank_from(bytes: &[u8], from: usize, to: usize) -> bool {
    bytes.get(from..to).unwrap_or_default().iter().all(|byte| is_line_end(*byte))
}

/// Moves to the next request without keeping what is passed.
fn skip_to_request(window: &mut Window) {
    loop {
        if !window.skip_past(b"\n") {
            return;
        }
        // Behind a blank line stands a request, or the search goes on.
        while window.starts_with(b"\n") || window.starts_with(b"\r\n") {
            window.skip_while(is_line_end);
            let line_end = window.find(b"\n", LONGEST_LINE).unwrap_or(window.bytes().len());
            if request_line::is_one(first_line(window.bytes().get(..line_end).unwrap_or_default())) {
                return;
            }
        }
    }
}

/// The longest request line that is looked for after something that was too long.
const LONGEST_LINE: usize = 64 << 10;

/// Requests with a NUL between them.
pub(crate) struct Nul {
    window: Window,
    limit: usize,
    has_failed: bool,
}

impl Nul {
    pub(crate) fn new(window: Window, limit: usize) -> Self {
        Nul { window, limit, has_failed: false }
    }
}

impl Reader for Nul {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        let at = At::Byte(self.window.offset());
        if self.has_failed || self.window.peek().is_none() {
            let reason = self.window.failure().map(compressed::reason)?;
            return (!std::mem::replace(&mut self.has_failed, true)).then_some((at, Err(reason)));
        }
        let found = self.window.find(b"\0", self.limit.saturating_add(1));
        let len = found.unwrap_or(self.window.bytes().len());
        if len > self.limit {
            self.window.skip_past(b"\0");
            return Some((at, Err(too_long(self.limit))));
        }
        if found.is_none() && self.window.lacks_memory() {
            self.window.skip_past(b"\0");
            self.window.shrink();
            return Some((at, Err(memory::REASON.into())));
        }
        if let (None, Some(error)) = (found, self.window.failure()) {
            self.has_failed = true;
            return Some((at, Err(compressed::reason(error))));
        }
        let bytes = self.window.bytes().get(..len).unwrap_or_default().to_vec();
        self.window.consume(len.saturating_add(1));
        Some((at, Ok(Found::raw(bytes))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;
    use std::io::Cursor;

    fn window(bytes: &[u8]) -> Window {
        Window::new(Box::new(Cursor::new(bytes.to_vec())))
    }

    fn all(mut reader: impl Reader) -> Vec<Result<String, String>> {
        std::iter::from_fn(|| reader.next_found())
            .map(|(_, result)| match result {
                Ok(Found { request: Request::Raw(bytes), .. }) => Ok(String::from_utf8(bytes).unwrap()),
                Ok(_) => panic!("parts"),
                Err(reason) => Err(reason.into_owned()),
            })
            .collect()
    }

    const GET: &str = "GET http://a/b HTTP/1.1\r\nHost: a\r\n\r\n";
    const POST: &str = "POST /p HTTP/1.1\nHost: a\nContent-Length: 9\n\na=1\n\nb=2\n";

    #[test]
    fn blank_lines_separate_and_lengths_hold_bodies_together() {
        let text = format!("{GET}\r\n{POST}\n\n{GET}\r\n\r\n{GET}");
        let found = all(Blank::new(window(text.as_bytes()), 1000));
        let found: Vec<&str> = found.iter().map(|result| result.as_deref().unwrap()).collect();
        assert_eq!(found, [GET, POST, GET, GET]);
    }

    #[test]
    fn a_length_that_lies_does_not_swallow_the_next_request() {
        let lie = "POST /p HTTP/1.1\nContent-Length: 400\n\na=1";
        let text = format!("{lie}\n\n{GET}\r\n{GET}");
        assert_eq!(
            all(Blank::new(window(text.as_bytes()), 1000)),
            [Ok(lie.to_owned()), Ok(GET.to_owned()), Ok(GET.to_owned())]
        );
        let short = "POST /p HTTP/1.1\nContent-Length: 1\n\na=1&b=2";
        let text = format!("{short}\n\n{GET}");
        assert_eq!(
            all(Blank::new(window(text.as_bytes()), 1000)),
            [Ok(short.to_owned()), Ok(GET.to_owned())]
        );
    }

    #[test]
    fn what_is_no_request_and_what_is_too_long_are_passed_over() {
        let text = format!(
            "nonsense\n\n{GET}{}\n\n{GET}",
            "GET /".to_owned() + &"x".repeat(900) + " HTTP/1.1\nA: b"
        );
        let found = all(Blank::new(window(text.as_bytes()), 200));
        assert!(found[0].as_ref().unwrap_err().contains("no request line"), "{found:?}");
        assert_eq!(found[1], Ok(GET.to_owned()));
        assert!(found[2].as_ref().unwrap_err().contains("longer than 200"), "{found:?}");
        assert_eq!(found[3..], [Ok(GET.to_owned())]);
    }

    #[test]
    fn nuls_separate_whatever_stands_between() {
        let found = all(Nul::new(window(b"a\0\0bc\0"), 1000));
        assert_eq!(found, [Ok("a".to_owned()), Ok(String::new()), Ok("bc".to_owned())]);
        let found = all(Nul::new(window(b"abcdef\0g"), 3));
        assert!(found[0].is_err());
        assert_eq!(found[1], Ok("g".to_owned()));
    }
}
