//! Logs that have the request line in quotes: Common, Combined, with a virtual host before them, and
//! what nginx, Traefik and others make of these.

use std::net::IpAddr;

use crate::record::{Parts, Reason};
use crate::request_line;
use crate::time::Time;

/// A request and its time.
pub(super) type Logged = Result<(Parts, Option<Time>), Reason>;

/// `host ident user [time] "request" status size "referer" "user-agent"`, or part of it; `None` when
/// the line is not of this form.
pub(super) fn read(line: &[u8]) -> Option<Logged> {
    let mut quote = memchr::memchr(b'"', line)?;
    if memchr::memchr(b'[', line.get(..quote)?).is_none() {
        // The name of the user may be in quotes.
        quote = memchr::memmem::find(line, b"] \"")?.saturating_add(2);
    }
    let before = line.get(..quote)?;
    let (request, after) = string(line.get(quote..)?)?;
    let mut words = after.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let status = words.next()?;
    if status != b"-" && !(status.len() == 3 && status.iter().all(u8::is_ascii_digit)) {
        return None;
    }
    if request == b"-" || request.is_empty() {
        return Some(Err("a line of a connection without a request".into()));
    }
    let mut parts = request_line::cut(&with_version(request, before));
    if let Some(host) = virtual_host(before) {
        parts.add_missing("host", host);
    }
    let (referer, rest) = next_string(after);
    let (agent, _) = next_string(rest);
    for (name, value) in [("referer", referer), ("user-agent", agent)] {
        if let Some(value) = value.filter(|value| value != b"-" && !value.is_empty()) {
            parts.add_missing(name, value);
        }
    }
    Some(Ok((parts, time_in_brackets(before))))
}

/// Hypercorn writes `GET /a 1.1` behind the level of its log.
fn with_version(request: Vec<u8>, before: &[u8]) -> Vec<u8> {
    let version = [&b" 1.0"[..], b" 1.1", b" 2", b" 3"].into_iter().find(|end| request.ends_with(end));
    match version {
        Some(version) if memchr::memmem::find(before, b"] [INFO] ").is_some() => {
            let end = request.len().saturating_sub(version.len()).saturating_add(1);
            let (line, number) = request.split_at_checked(end).unwrap_or((&request, b""));
            [line, b"HTTP/", number].concat()
        }
        _ => request,
    }
}

/// The first time that stands in brackets.
pub(super) fn time_in_brackets(text: &[u8]) -> Option<Time> {
    text.split(|byte| *byte == b'[').skip(1).find_map(|inner| {
        let inner = inner.get(..memchr::memchr(b']', inner)?)?;
        // A number alone is a process, not a time.
        Time::parse(inner).filter(|_| !inner.iter().all(u8::is_ascii_digit))
    })
}

/// The next string in quotes, and what follows it.
pub(super) fn next_string(text: &[u8]) -> (Option<Vec<u8>>, &[u8]) {
    let found = memchr::memchr(b'"', text).and_then(|quote| string(text.get(quote..)?));
    found.map_or((None, b""), |(value, rest)| (Some(value), rest))
}

/// The string that `text`, which begins with a quote, begins with, and what follows it.
///
/// Escapes are those of Apache (`\"`, `\\`, `\n`, `\t` and its kin, `\xhh`), of which nginx has only
/// the last. A quote that is not escaped ends it where a space, a comma or nothing follows.
pub(super) fn string(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut value = Vec::new();
    loop {
        let plain = memchr::memchr2(b'"', b'\\', rest)?;
        value.extend_from_slice(rest.get(..plain)?);
        rest = rest.get(plain..)?;
        match rest {
            [b'"', after @ ..] => {
                if matches!(after.first(), None | Some(b' ' | b',')) {
                    return Some((value, after));
                }
                value.push(b'"');
                rest = after;
            }
            [b'\\', b'x' | b'X', high, low, after @ ..] if hex(*high).is_some() && hex(*low).is_some() => {
                let (high, low) = (hex(*high)?, hex(*low)?);
                value.push(high.wrapping_mul(16).wrapping_add(low));
                rest = after;
            }
            [b'\\', escaped, after @ ..] => {
                match escaped {
                    b'n' => value.push(b'\n'),
                    b'r' => value.push(b'\r'),
                    b't' => value.push(b'\t'),
                    b'v' => value.push(0x0B),
                    b'f' => value.push(0x0C),
                    b'b' => value.push(0x08),
                    b'"' | b'\\' | b'/' => value.push(*escaped),
                    other => value.extend_from_slice(&[b'\\', *other]),
                }
                rest = after;
            }
            _ => return None,
        }
    }
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// The name before the client's address, where there is one: logs of several hosts have it.
fn virtual_host(before: &[u8]) -> Option<&[u8]> {
    let is_time = |word: &[u8]| word.starts_with(b"[") || word.ends_with(b"]");
    let mut words = before.split(|byte| *byte == b' ').filter(|word| !word.is_empty() && !is_time(word));
    let (host, client) = (words.next()?, words.next()?);
    let is_host = !is_address(host)
        && is_address(client)
        && host != b"-"
        && host != b"_"
        // `docker logs --timestamps` has a time there.
        && Time::parse(host).is_none();
    is_host.then_some(host)
}

fn is_address(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| word.parse::<IpAddr>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> Parts {
        read(line.as_bytes()).expect("of this form").expect("a request").0
    }

    fn header<'a>(parts: &'a Parts, name: &str) -> Option<&'a str> {
        let (_, value) = parts.headers.iter().find(|(there, _)| there == name.as_bytes())?;
        std::str::from_utf8(value).ok()
    }

    #[test]
    fn common_combined_and_beyond() {
        let common = parts(r#"192.0.2.1 - bob [10/Oct/2026:13:55:36 -0700] "GET /a b HTTP/1.0" 200 2326"#);
        assert_eq!((&common.target[..], common.headers.len()), (&b"/a b"[..], 0));
        let combined =
            parts(r#"::1 - - [10/Oct/2026:13:55:36 -0700] "POST /a HTTP/2" - - "http://r/" "A \"b\" \\c""#);
        assert_eq!(
            (header(&combined, "referer"), header(&combined, "user-agent")),
            (Some("http://r/"), Some(r#"A "b" \c"#))
        );
        let traefik = parts(
            r#"10.0.0.1 - - [08/Dec/2026:09:16:05 +0000] "GET / HTTP/1.1" 200 4 "-" "x" 5 "r@docker" "http://10.0.0.2:80" 0ms"#,
        );
        assert_eq!((header(&traefik, "referer"), header(&traefik, "user-agent")), (None, Some("x")));
        let host =
            parts(r#"ex.com:80 192.0.2.1 - - [10/Oct/2026:13:55:36 -0700] "GET / HTTP/1.1" 200 1 "-" "-""#);
        assert_eq!((header(&host, "host"), host.headers.len()), (Some("ex.com:80"), 1));
        let timed = parts(
            r#"2026-10-10T13:55:36.123456789Z 192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 1"#,
        );
        assert!(timed.headers.is_empty());
        let user = parts(r#"192.0.2.1 - "a b" [10/Oct/2026:13:55:36 -0700] "GET /a HTTP/1.1" 200 1"#);
        assert_eq!(user.target, b"/a");
        let hypercorn = parts(
            r#"[2026-10-10 13:55:36 +0000] [8] [INFO] 192.0.2.1:5 - - [10/Oct/2026:13:55:36 +0000] "GET /a 1.1" 200 1 "-" "x""#,
        );
        assert_eq!(
            (&hypercorn.target[..], hypercorn.version.as_deref()),
            (&b"/a"[..], Some(&b"HTTP/1.1"[..]))
        );
    }

    #[test]
    fn escapes_become_the_bytes_they_stand_for() {
        let parts = parts(r#"192.0.2.1 - - [10/Oct/2026:13:55:36 -0700] "\x16\x03\x22 \q" 400 0"#);
        assert_eq!((&parts.method[..], &parts.target[..]), (&b"\x16\x03\""[..], &br"\q"[..]));
    }

    #[test]
    fn lines_without_a_request() {
        let line = r#"192.0.2.1 - - [10/Oct/2026:13:55:36 -0700] "-" 408 0"#;
        assert!(read(line.as_bytes()).unwrap().unwrap_err().contains("without a request"));
        for line in [
            "",
            r#"user "x" was not found"#,
            r#"[t] "GET / HTTP/1.1" is what came"#,
            r#"1.1.1.1 - - [t] "GET / HTTP/1.1"#,
            r#"1.1.1.1 - - [t] "GET / HTTP/1.1\"#,
        ] {
            assert!(read(line.as_bytes()).is_none(), "{line}");
        }
    }
}
