//! nginx beside its access log: requests in its error log, and the form of Nginx Proxy Manager.

use super::quoted::{Logged, next_string, string, time_in_brackets};
use crate::record::Parts;
use crate::request_line;
use crate::time::Time;

/// `2026/10/10 13:55:36 [error] …, client: …, request: "GET / HTTP/1.1", host: "ex.com"`.
pub(super) fn read_error(line: &[u8]) -> Option<Logged> {
    let request = after(line, b", request: ")?;
    let mut parts = request_line::cut(&request);
    if let Some(host) = after(line, b", host: ") {
        parts.add_missing("host", host);
    }
    if let Some(referrer) = after(line, b", referrer: ") {
        parts.add_missing("referer", referrer);
    }
    Some(Ok((parts, line.get(..19).and_then(Time::parse))))
}

/// The string after a name.
fn after(line: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let at = memchr::memmem::rfind(line, name)?.saturating_add(name.len());
    string(line.get(at..)?).map(|(value, _)| value)
}

/// `[time] - 200 200 - GET https ex.com "/path" [Client …] … "user-agent" "referer"`.
pub(super) fn read_proxy_manager(line: &[u8]) -> Option<Logged> {
    let quote = memchr::memchr(b'"', line)?;
    let (target, rest) = string(line.get(quote..)?)?;
    if !rest.starts_with(b" [Client ") {
        return None;
    }
    let before = line.get(..quote)?.trim_ascii_end();
    let mut words = before.rsplit(|byte| *byte == b' ');
    let (host, scheme, method) = (words.next()?, words.next()?, words.next()?);
    let mut parts =
        Parts { method: method.to_vec(), target, scheme: Some(scheme.to_vec()), ..Parts::default() };
    parts.add_missing("host", host);
    let (agent, rest) = next_string(rest);
    let (referer, _) = next_string(rest);
    for (name, value) in [("user-agent", agent), ("referer", referer)] {
        if let Some(value) = value.filter(|value| value != b"-") {
            parts.add_missing(name, value);
        }
    }
    Some(Ok((parts, time_in_brackets(line))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_in_the_error_log() {
        let line = br#"2026/10/10 13:55:36 [error] 1#1: *17 user "foo" was not found in "/x", client: 192.0.2.1, server: _, request: "GET /a HTTP/1.1", host: "ex.com""#;
        let (parts, time) = read_error(line).unwrap().unwrap();
        assert_eq!((&parts.target[..], parts.headers.len()), (&b"/a"[..], 1));
        assert_eq!(time, Time::parse(b"2026-10-10T13:55:36Z"));
        assert!(read_error(b"2026/10/10 13:55:36 [notice] 1#1: start worker processes").is_none());
    }

    #[test]
    fn the_form_of_the_proxy_manager() {
        let line = br#"[10/Feb/2026:21:25:00 +0100] - 200 200 - GET https ex.com "/a" [Client 192.0.2.1] [Length 2] [Gzip -] [Sent-to 10.0.0.1] "x" "-""#;
        let (parts, _) = read_proxy_manager(line).unwrap().unwrap();
        assert_eq!((&parts.method[..], parts.scheme.as_deref()), (&b"GET"[..], Some(&b"https"[..])));
        assert_eq!(parts.headers.len(), 2);
        assert!(read_proxy_manager(br#"1.1.1.1 - - [t] "GET / HTTP/1.1" 200 1"#).is_none());
    }
}
