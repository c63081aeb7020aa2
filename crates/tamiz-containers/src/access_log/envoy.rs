//! Envoy's default log, and Istio's: `[time] "request" status flags … "forwarded-for" "user-agent" "id" "authority" …`.

use super::quoted::{Logged, next_string, string, time_in_brackets};
use crate::request_line;

/// `None` when the line is not of this form.
pub(super) fn read(line: &[u8]) -> Option<Logged> {
    let quote = memchr::memchr(b'"', line)?;
    let before = line.get(..quote)?.strip_suffix(b"] ")?;
    if !before.starts_with(b"[") || before.contains(&b' ') {
        return None;
    }
    let (request, rest) = string(line.get(quote..)?)?;
    let mut words = rest.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    words.next().filter(|status| status.len() <= 3 && status.iter().all(u8::is_ascii_digit))?;
    let flags = words.next()?;
    if !flags.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'-' | b',' | b'_')) {
        return None;
    }
    let mut rest = behind_reasons(rest)?;
    let mut parts = request_line::cut(&request);
    if parts.method == b"-" || parts.method.is_empty() {
        return Some(Err("a line of a connection without a request".into()));
    }
    for name in ["x-forwarded-for", "user-agent", "x-request-id", "host"] {
        let (value, after) = next_string(rest);
        rest = after;
        if let Some(value) = value.filter(|value| value != b"-" && !value.is_empty()) {
            parts.add_missing(name, value);
        }
    }
    Some(Ok((parts, time_in_brackets(line))))
}

/// The line from where bytes are counted: before that Istio tells why, and what failed, with quotes or without.
fn behind_reasons(rest: &[u8]) -> Option<&[u8]> {
    let is_space = |byte: &u8| *byte == b' ';
    // The status and the flags.
    let mut rest = rest.trim_ascii_start();
    for _ in 0..2 {
        rest = rest.get(rest.iter().position(is_space)?..)?.trim_ascii_start();
    }
    loop {
        if rest.starts_with(b"\"") {
            rest = string(rest)?.1.trim_ascii_start();
            continue;
        }
        let end = rest.iter().position(is_space)?;
        if rest.get(..end)?.iter().all(u8::is_ascii_digit) {
            return Some(rest);
        }
        rest = rest.get(end..)?.trim_ascii_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envoy_and_istio() {
        for line in [
            r#"[2026-10-10T13:55:36.310Z] "POST /a HTTP/2" 204 - 154 0 226 100 "192.0.2.1" "x" "cc21" "ex.com" "tcp://10.0.2.1:80""#,
            r#"[2026-10-10T13:55:36.310Z] "POST /a HTTP/2" 0 DC "-" "-" 0 3 2 1 "192.0.2.1" "x" "cc21" "ex.com" "-" - in"#,
            r#"[2026-10-10T13:55:36.310Z] "POST /a HTTP/2" 503 UF,URX reset{TLS_error} - "TLS error: 2" 0 3 2 1 "192.0.2.1" "x" "cc21" "ex.com" "-" - in"#,
            r#"[2026-10-10T13:55:36.310Z] "POST /a HTTP/2" 204 - via_upstream - "-" 0 3 2 1 "192.0.2.1" "x" "cc21" "ex.com" "127.0.0.1:80" in"#,
        ] {
            let (parts, time) = read(line.as_bytes()).unwrap().unwrap();
            assert_eq!((&parts.method[..], &parts.target[..]), (&b"POST"[..], &b"/a"[..]));
            assert_eq!((parts.headers.len(), time.is_some()), (4, true));
            assert!(parts.headers.contains(&(b"host".to_vec(), b"ex.com".to_vec())));
        }
        let none = r#"[2026-10-10T13:55:36.310Z] "- - -" 0 UH 0 0 1 - "-" "-" "-" "-" "-""#;
        assert!(read(none.as_bytes()).unwrap().is_err());
        for line in ["", r#"1.1.1.1 - - [t] "GET / HTTP/1.1" 200 1"#, r#"[t] "GET / HTTP/1.1" 200 5 "-" "-""#]
        {
            assert!(read(line.as_bytes()).is_none(), "{line}");
        }
    }
}
