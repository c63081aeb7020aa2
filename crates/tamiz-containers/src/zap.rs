//! Messages that ZAP exports as text: `==== 1 ==========`, the request, and the response behind it. (Its HAR is a HAR.)

use crate::compressed;
use crate::container::Reader;
use crate::lines::{BOM, too_long};
use crate::memory;
use crate::record::{At, Found, Reason};
use crate::window::Window;

pub(crate) struct Zap {
    window: Window,
    limit: usize,
    is_over: bool,
}

/// Returns whether a line stands before a message.
pub(crate) fn begins(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let Some(rest) = line.strip_prefix(b"==== ").or_else(|| line.strip_prefix(b"===")) else { return false };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = rest.get(digits..).unwrap_or_default().trim_ascii_start();
    digits > 0 && rest.len() >= 3 && rest.iter().all(|byte| *byte == b'=')
}

impl Zap {
    pub(crate) fn new(mut window: Window, limit: usize) -> Self {
        if window.starts_with(BOM) {
            window.consume(BOM.len());
        }
        Zap { window, limit, is_over: false }
    }

    /// Returns whether the next line stands before a message.
    fn is_at_mark(&mut self) -> bool {
        let end = self.window.find(b"\n", 256).unwrap_or(self.window.bytes().len());
        self.window.bytes().get(..end).is_some_and(begins)
    }
}

impl Reader for Zap {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        if self.is_over {
            return None;
        }
        while !self.is_at_mark() {
            if self.window.line(self.limit).is_none() {
                self.is_over = true;
                let at = At::Byte(self.window.offset());
                return self.window.failure().map(|error| (at, Err(compressed::reason(error))));
            }
        }
        self.window.line(self.limit);
        let at = At::Byte(self.window.offset());
        let (mut request, mut is_response) = (Vec::new(), false);
        let (mut is_too_long, mut lacks_memory) = (false, false);
        while !self.is_at_mark() {
            let Some(line) = self.window.line(self.limit) else { break };
            is_response |=
                line.starts_with(b"HTTP/1.") || line.starts_with(b"HTTP/2 ") || line.starts_with(b"HTTP/0.");
            if is_response {
                continue;
            }
            is_too_long |= request.len().saturating_add(line.len()) > self.limit;
            if !is_too_long && !lacks_memory {
                lacks_memory = !memory::add(&mut request, &line);
            }
        }
        let first = request.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let is_request = crate::request_line::is_one(first.trim_ascii_end());
        Some((
            at,
            if is_too_long {
                Err(too_long(self.limit))
            } else if lacks_memory {
                Err(memory::REASON.into())
            } else if is_request {
                Ok(Found::raw(without_end(request)))
            } else {
                Err("no request line where a request should begin".into())
            },
        ))
    }
}

/// The request without the line end that is put behind its body.
fn without_end(mut request: Vec<u8>) -> Vec<u8> {
    let has_body =
        memchr::memmem::find(&request, b"\r\n\r\n").is_some_and(|at| at.saturating_add(4) < request.len());
    if has_body {
        let end = request
            .iter()
            .rposition(|byte| !matches!(byte, b'\r' | b'\n'))
            .map_or(0, |at| at.saturating_add(1));
        let headers = memchr::memmem::find(&request, b"\r\n\r\n").map_or(0, |at| at.saturating_add(4));
        request.truncate(end.max(headers));
    }
    request
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;
    use std::io::Cursor;

    fn told(text: &str, limit: usize) -> Vec<Result<String, String>> {
        let mut zap = Zap::new(Window::new(Box::new(Cursor::new(text.as_bytes().to_vec()))), limit);
        std::iter::from_fn(|| zap.next_found())
            .map(|(_, result)| match result.map_err(Reason::into_owned)?.request {
                Request::Raw(bytes) => Ok(String::from_utf8(bytes).unwrap()),
                Request::Parts(_) => panic!("parts"),
            })
            .collect()
    }

    const POST: &str = "POST http://ex.com/a HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 3\r\n\r\na=1";

    #[test]
    fn messages_with_their_responses() {
        let text = format!(
            "==== 1 ==========\n{POST}\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n<html>\n==== 2 ==========\nGET http://ex.com/ HTTP/1.1\r\nHost: ex.com\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\n"
        );
        assert!(begins(b"==== 1 ==========\n") && !begins(b"======") && !begins(b"==== x ===="));
        let get = "GET http://ex.com/ HTTP/1.1\r\nHost: ex.com\r\n\r\n";
        assert_eq!(told(&text, 1000), [Ok(POST.to_owned()), Ok(get.to_owned())]);
    }

    #[test]
    fn messages_that_are_damaged() {
        let all = told(&format!("==== 1 ==========\nnonsense\n==== 2 ==========\n{POST}\n"), 1000);
        assert!(all[0].is_err() && all[1].is_ok(), "{all:?}");
        assert!(
            told(&format!("==== 1 ==========\n{POST}\n"), 20)[0].as_ref().unwrap_err().contains("longer")
        );
    }
}
