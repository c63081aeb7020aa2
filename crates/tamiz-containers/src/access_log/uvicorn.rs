//! uvicorn, Hypercorn and others of Python: `INFO:     192.0.2.1:5 - "GET /a HTTP/1.1" 200 OK`.

use super::quoted::{Logged, string};
use crate::request_line;
use crate::time::Time;

/// `None` when the line is not of this form.
pub(super) fn read(line: &[u8]) -> Option<Logged> {
    let quote = memchr::memchr(b'"', line)?;
    let before = line.get(..quote)?.strip_suffix(b" - ")?;
    let (request, rest) = string(line.get(quote..)?)?;
    let status = rest.trim_ascii_start();
    let is_status = status.get(..3).is_some_and(|digits| digits.iter().all(u8::is_ascii_digit))
        && status.get(3).is_none_or(|byte| *byte == b' ');
    if !is_status || !request_line::is_one_of_any_version(&request) {
        return None;
    }
    Some(Ok((request_line::cut(&request), before.get(..19).and_then(Time::parse))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_uvicorn() {
        for line in [
            r#"INFO:     192.0.2.1:52345 - "GET /a?b HTTP/1.1" 200 OK"#,
            r#"2026-10-10 13:55:36,120 INFO uvicorn.access 192.0.2.1:5 - "GET /a?b HTTP/1.1" 200"#,
        ] {
            let (parts, _) = read(line.as_bytes()).unwrap().unwrap();
            assert_eq!((&parts.method[..], &parts.target[..]), (&b"GET"[..], &b"/a?b"[..]), "{line}");
        }
        for line in
            ["", r#"x - "hello" 200"#, r#"x - "GET / HTTP/1.1" took long"#, r#"x "GET / HTTP/1.1" 200"#]
        {
            assert!(read(line.as_bytes()).is_none(), "{line}");
        }
    }
}
