//! ModSecurity's audit log in its serial form: parts between lines such as `--4a1b2c3d-B--`, of which
//! `A` begins a transaction, `B` has the request line and headers, `C` the body, `Z` ends it.
//!
//! The form that has an object of JSON a line is an access log of JSON.

use tamiz::Source;

use crate::compressed;
use crate::container::Reader;
use crate::lines::too_long;
use crate::memory::{self, Promise};
use crate::record::{At, Found, Reason};
use crate::time::Time;
use crate::window::Window;

pub(crate) struct Audit {
    window: Window,
    limit: usize,
    is_over: bool,
}

impl Audit {
    pub(crate) fn new(window: Window, limit: usize) -> Self {
        Audit { window, limit, is_over: false }
    }
}

/// The letter of a line that begins a part.
fn part(line: &[u8]) -> Option<u8> {
    let inner = line.trim_ascii_end().strip_prefix(b"--")?.strip_suffix(b"--")?;
    let (boundary, letter) = inner.split_at_checked(inner.len().checked_sub(2)?)?;
    // Version 3 has more dashes: `---4a1b2c3d---B--`.
    let boundary =
        boundary.strip_prefix(b"-").and_then(|inner| inner.strip_suffix(b"--")).unwrap_or(boundary);
    let is_boundary = (4..=64).contains(&boundary.len()) && boundary.iter().all(u8::is_ascii_alphanumeric);
    match letter {
        [b'-', letter] if is_boundary && letter.is_ascii_uppercase() => Some(*letter),
        _ => None,
    }
}

/// Returns whether a line begins a transaction.
pub(crate) fn begins(line: &[u8]) -> bool {
    part(line) == Some(b'A')
}

impl Reader for Audit {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        if self.is_over {
            return None;
        }
        let mut at = At::Byte(self.window.offset());
        let mut present = None;
        let (mut time, mut headers, mut body) = (None, Vec::new(), Vec::new());
        let (mut is_too_long, mut lacks_memory) = (false, false);
        let has_ended = loop {
            let offset = self.window.offset();
            let Some(line) = self.window.line(self.limit) else { break false };
            match part(&line) {
                Some(b'Z') if present.is_some() => break true,
                Some(b'A') => {
                    at = At::Byte(offset);
                    (present, time) = (Some(b'A'), None);
                    headers.clear();
                    body.clear();
                }
                Some(letter) => present = Some(letter),
                None => {
                    let kept = match present {
                        Some(b'A') => {
                            time = time.or_else(|| bracketed(&line));
                            continue;
                        }
                        Some(b'B') => &mut headers,
                        Some(b'C' | b'I') => &mut body,
                        _ => continue,
                    };
                    is_too_long |= kept.len().saturating_add(line.len()) > self.limit;
                    if !is_too_long && !lacks_memory {
                        lacks_memory = !memory::add(kept, &line);
                    }
                }
            }
        };
        if !has_ended {
            self.is_over = true;
            return match (self.window.failure(), present) {
                (Some(error), _) => Some((at, Err(compressed::reason(error)))),
                (None, Some(_)) => Some((at, Err("a transaction that ends early".into()))),
                (None, None) => None,
            };
        }
        if is_too_long {
            return Some((at, Err(too_long(self.limit))));
        }
        if lacks_memory || Promise::for_copies(body.len(), 1).is_none() {
            return Some((at, Err(memory::REASON.into())));
        }
        if headers.trim_ascii().is_empty() {
            return Some((at, Err("a transaction without its request headers".into())));
        }
        let mut found = Found::raw(request(&headers, &body));
        found.source = SOURCE;
        found.time = time;
        Some((at, Ok(found)))
    }
}

/// Its lines are ModSecurity's, not the client's.
const SOURCE: Source = Source::Modsecurity;

/// Cuts the text in the first brackets of the first part.
fn bracketed(line: &[u8]) -> Option<Time> {
    let rest = line.strip_prefix(b"[")?;
    Time::parse(rest.get(..memchr::memchr(b']', rest)?)?)
}

/// The request: its headers, an empty line, its body. A blank line and line end after each part are the log's.
fn request(headers: &[u8], body: &[u8]) -> Vec<u8> {
    let mut request = headers.trim_ascii_end().to_vec();
    request.extend_from_slice(if memchr::memmem::find(headers, b"\r\n").is_some() {
        b"\r\n\r\n"
    } else {
        b"\n\n"
    });
    let body = body.strip_suffix(b"\n").unwrap_or(body);
    let body = body.strip_suffix(b"\r").unwrap_or(body);
    request.extend_from_slice(body);
    request
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;
    use std::io::Cursor;

    fn all(text: &str, limit: usize) -> Vec<Result<String, String>> {
        let mut audit = Audit::new(Window::new(Box::new(Cursor::new(text.as_bytes().to_vec()))), limit);
        std::iter::from_fn(|| audit.next_found())
            .map(|(_, result)| match result {
                Ok(Found { request: Request::Raw(bytes), .. }) => Ok(String::from_utf8(bytes).unwrap()),
                Ok(_) => panic!("parts"),
                Err(reason) => Err(reason.into_owned()),
            })
            .collect()
    }

    const ONE: &str = "--4a1b2c3d-A--\n[10/Oct/2026:13:55:36 +0000] x 192.0.2.1 1 192.0.2.2 80\n--4a1b2c3d-B--\n\
                       POST /a HTTP/1.1\nHost: ex.com\nContent-Length: 3\n\n--4a1b2c3d-C--\na=1\n--4a1b2c3d-F--\n\
                       HTTP/1.1 200 OK\n\n--4a1b2c3d-Z--\n\n";

    #[test]
    fn transactions_become_requests() {
        let request = "POST /a HTTP/1.1\nHost: ex.com\nContent-Length: 3\n\na=1";
        assert_eq!(all(&ONE.repeat(2), 1000), [Ok(request.to_owned()), Ok(request.to_owned())]);
        assert!(begins(b"--4a1b2c3d-A--\n") && !begins(b"--4a1b2c3d-B--") && !begins(b"--A--"));
    }

    #[test]
    fn transactions_that_lack_something() {
        let cut = &ONE[..ONE.len() - 30];
        assert_eq!(all(cut, 1000), [Err("a transaction that ends early".to_owned())]);
        assert_eq!(
            all("--4a1b2c3d-A--\n[x]\n--4a1b2c3d-Z--\n", 1000),
            [Err("a transaction without its request headers".to_owned())]
        );
        assert!(all(ONE, 20)[0].as_ref().unwrap_err().contains("longer than 20"));
    }
}
