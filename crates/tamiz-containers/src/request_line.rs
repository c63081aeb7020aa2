//! The first line of a request: what looks like one, and its parts.

use crate::record::Parts;

/// The methods of RFC 9110, and what else is often seen before a target without a version.
const METHODS: [&[u8]; 9] =
    [b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"CONNECT", b"OPTIONS", b"TRACE", b"PATCH"];

/// The longest name of a method that makes a line look like a request's.
const LONGEST_METHOD: usize = 32;

/// Returns whether a line, without its line end, can begin a request: a method, something, and a version.
pub(crate) fn is_one(line: &[u8]) -> bool {
    has_method(line) && version(line).is_some()
}

/// Returns whether a line is a request line, also of HTTP/0.9, which has no version.
pub(crate) fn is_one_of_any_version(line: &[u8]) -> bool {
    is_one(line)
        || METHODS.iter().any(|method| {
            line.strip_prefix(*method)
                .is_some_and(|rest| rest.starts_with(b" /") || rest.starts_with(b" http"))
        })
}

/// Returns whether a word is a method of RFC 9110.
pub(crate) fn is_method(word: &[u8]) -> bool {
    METHODS.contains(&word)
}

/// Returns whether text begins with a line that is a method and nothing else, which is a request only where a header
/// follows;
/// `None` while the next line is not there.
pub(crate) fn begins_without_target(text: &[u8]) -> Option<bool> {
    let end = memchr::memchr(b'\n', text)?;
    if !METHODS.contains(&text.get(..end)?.trim_ascii_end()) {
        return Some(false);
    }
    let rest = text.get(end.saturating_add(1)..)?;
    let line = rest.get(..memchr::memchr(b'\n', rest)?)?;
    let name = line.iter().take_while(|byte| is_token(**byte)).count();
    Some(name > 0 && line.get(name) == Some(&b':'))
}

/// Returns whether more bytes could make such a line of these.
pub(crate) fn can_begin_one(start: &[u8]) -> bool {
    let len = start.iter().take_while(|byte| is_token(**byte)).count();
    let is_method = len <= LONGEST_METHOD && start.first().is_none_or(u8::is_ascii_alphabetic);
    let is_bare = || start.get(..len).is_some_and(|method| METHODS.contains(&method));
    match start.get(len) {
        None => is_method,
        Some(b' ') => is_method && len > 0,
        Some(b'\r' | b'\n') => is_bare(),
        Some(_) => false,
    }
}

fn has_method(line: &[u8]) -> bool {
    let len = line.iter().take_while(|byte| is_token(**byte)).count();
    (1..=LONGEST_METHOD).contains(&len)
        && line.first().is_some_and(u8::is_ascii_alphabetic)
        && line.get(len) == Some(&b' ')
}

/// The version at the end of a line: `HTTP/` and digits with dots.
fn version(line: &[u8]) -> Option<&[u8]> {
    let last = line.rsplit(|byte| *byte == b' ').next()?;
    let number = last.strip_prefix(b"HTTP/").or_else(|| last.strip_prefix(b"http/"))?;
    let is_number = !number.is_empty() && number.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    is_number.then_some(last)
}

/// RFC 9110, 5.6.2: `tchar`.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// A request line as logs keep it.
pub(crate) fn cut(line: &[u8]) -> Parts {
    let (method, target, version) = tamiz_sources::cut_logged_line(line);
    Parts {
        method: method.to_vec(),
        target: target.to_vec(),
        version: Some(version.to_vec()),
        ..Parts::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_begin_requests() {
        for line in
            ["GET / HTTP/1.1", "M-SEARCH * HTTP/1.0", "x y z HTTP/2", "GET  HTTP/1.1", "get /a b http/1.1"]
        {
            assert!(is_one(line.as_bytes()), "{line}");
        }
        for line in ["", "GET /", "HTTP/1.1 200 OK", "INVITE sip:a SIP/2.0", "220 x HTTP/1.1", "a: b HTTP/x"]
        {
            assert!(!is_one(line.as_bytes()), "{line}");
        }
        assert!(is_one_of_any_version(b"GET /index.html") && !is_one_of_any_version(b"HELO you"));
        assert_eq!(begins_without_target(b"GET\r\nHost: a\r\n"), Some(true));
        assert_eq!(begins_without_target(b"POST \nHost: a\n"), Some(true));
        assert_eq!(begins_without_target(b"CONNECT\n\nstomp"), Some(false));
        assert_eq!((begins_without_target(b"GET\n"), begins_without_target(b"GETS\n")), (None, Some(false)));
        assert!(can_begin_one(b"GE") && can_begin_one(b"") && can_begin_one(b"GET "));
        assert!(!can_begin_one(b"\x16\x03") && !can_begin_one(b"SSH-2.0-x\r\n") && !can_begin_one(b"1 "));
    }

    #[test]
    fn logged_lines_are_cut() {
        for (line, method, target, version) in [
            ("GET /a b HTTP/1.1", "GET", "/a b", "HTTP/1.1"),
            ("GET /", "GET", "/", "HTTP/0.9"),
            ("GET HTTP/1.0", "GET", "", "HTTP/1.0"),
            ("HELP", "HELP", "", "HTTP/0.9"),
            ("", "", "", "HTTP/0.9"),
            ("GET /a http/1.1 ", "GET", "/a", "http/1.1"),
        ] {
            let parts = cut(line.as_bytes());
            assert_eq!(
                (&parts.method[..], &parts.target[..]),
                (method.as_bytes(), target.as_bytes()),
                "{line}"
            );
            assert_eq!(parts.version.as_deref(), Some(version.as_bytes()), "{line}");
        }
    }
}
