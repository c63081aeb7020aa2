//! Access logs: a line each, whatever its form. A line of another form in the middle is read by the
//! form that it has.
//!
//! Most logs keep no headers but `Referer` and `User-Agent`, and neither host nor body: the record has none of these.

mod elb;
mod envoy;
mod haproxy;
mod nginx;
pub(crate) mod prefix;
mod quoted;
mod s3;
mod squid;
mod uvicorn;
mod uwsgi;
mod zoraxy;

use std::net::{IpAddr, SocketAddr};

use serde_json::Value;
use tamiz::Source;

use crate::mapping::Mapping;
use crate::memory::Promise;
use crate::record::{Found, Reason};
use crate::{escapes, eve, fields, jsonl};

/// The source of what is read here.
const SOURCE: Source = Source::AccessLog;

/// The most things that are put before a line, one before the other.
const MOST_PREFIXES: usize = 4;

/// Reads a line of one form; `None` when the line is not of it.
type Form = fn(&[u8]) -> Option<quoted::Logged>;

/// The forms of lines, in the order in which they are tried: those that say most of themselves first.
const FORMS: [Form; 11] = [
    haproxy::read,
    nginx::read_error,
    nginx::read_proxy_manager,
    elb::read,
    s3::read,
    envoy::read,
    quoted::read,
    zoraxy::read,
    squid::read,
    uwsgi::read,
    uvicorn::read,
];

/// The request of one line; `None` for a line that is of something else by its own account.
pub(crate) fn read(line: &[u8], mapping: &Mapping) -> Option<Result<Found, Reason>> {
    let plain = prefix::without_colours(line);
    let mut line = &plain[..];
    for _ in 0..MOST_PREFIXES {
        match prefix::certain(line) {
            Some(inner) => line = inner,
            None => break,
        }
    }
    let mut result = one(line, mapping);
    for _ in 0..MOST_PREFIXES {
        let Some(inner) = prefix::likely(line).filter(|_| matches!(result, Some(Err(_)))) else { break };
        line = inner;
        result = match one(line, mapping) {
            // The reason for the whole line says more than that for a part of it.
            Some(Err(_)) if !line.starts_with(b"{") => result,
            other => other,
        };
    }
    result
}

fn one(line: &[u8], mapping: &Mapping) -> Option<Result<Found, Reason>> {
    if line.starts_with(b"{") { json(line, mapping) } else { Some(text(line)) }
}

fn text(line: &[u8]) -> Result<Found, Reason> {
    for form in FORMS {
        if let Some(result) = form(line) {
            let client = client(line);
            return result.map(|(parts, time)| Found { time, client, ..Found::parts(parts, SOURCE) });
        }
    }
    Err("not a known form of log line".into())
}

/// The first address before anything in quotes, with a port or without: every form has the client there, if at all.
fn client(line: &[u8]) -> Option<IpAddr> {
    let before = line.split(|byte| *byte == b'"').next()?;
    let mut words = before.split(|byte| byte.is_ascii_whitespace()).take(16);
    words.find_map(|word| address(std::str::from_utf8(word).ok()?))
}

/// An address, with a port or without.
pub(crate) fn address(word: &str) -> Option<IpAddr> {
    let word = word.trim_end_matches(',');
    let whole = word.parse::<IpAddr>().ok();
    let with_port = || word.parse::<SocketAddr>().ok().map(|address| address.ip());
    // HAProxy and uvicorn write a port behind IPv6 without brackets; IIS the zone, `%3`.
    let of_version_6 = || {
        let (address, _) = word.rsplit_once(['%', ':'])?;
        address.parse::<std::net::Ipv6Addr>().ok().map(IpAddr::V6)
    };
    whole.or_else(with_port).or_else(of_version_6)
}

fn json(line: &[u8], mapping: &Mapping) -> Option<Result<Found, Reason>> {
    let _promise = match Promise::to_parse(line.len()) {
        Ok(promise) => promise,
        Err(reason) => return Some(Err(reason)),
    };
    match parse(line) {
        Ok(value) => object(&value, mapping),
        // uWSGI may begin with a brace.
        Err(reason) => Some(text(line).map_err(|_| reason)),
    }
}

/// Where programs that collect logs keep a line: Docker, the journal, Elastic, Google Cloud.
const KEPT: [&str; 7] = ["log", "message", "MESSAGE", "event.original", "textPayload", "msg", "@message"];

/// Returns whether an object keeps a line of a log that has a request.
pub(crate) fn keeps_line(value: &Value) -> bool {
    let mapping = Mapping::default();
    kept(value).is_some_and(|inner| matches!(read(inner.as_bytes(), &mapping), Some(Ok(_))))
}

/// The line that an object keeps.
fn kept(value: &Value) -> Option<String> {
    let inner = KEPT.iter().find_map(|name| fields::text(value, name))?;
    Some(inner.trim_end().to_owned())
}

/// The request of an object that a log has.
pub(crate) fn object(value: &Value, mapping: &Mapping) -> Option<Result<Found, Reason>> {
    if eve::is_one(value) {
        return eve::read(value);
    }
    let found = fields::read(value, SOURCE, mapping);
    if found.is_ok() {
        return Some(found);
    }
    match kept(value) {
        Some(inner) => read(inner.as_bytes(), mapping),
        None => Some(found),
    }
}

/// The object of a line. nginx writes escapes that JSON does not have, unless it is told to write JSON.
pub(crate) fn parse(line: &[u8]) -> Result<Value, Reason> {
    serde_json::from_slice(line)
        .or_else(|error| match escapes::for_json(line) {
            Some(repaired) => serde_json::from_slice(&repaired),
            None => Err(error),
        })
        .map_err(|error| jsonl::not_json(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;

    fn read_line(line: &str) -> Result<Found, Reason> {
        read(line.as_bytes(), &Mapping::default()).expect("a line of a request")
    }

    #[test]
    fn forms_side_by_side() {
        for line in [
            r#"192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 5"#,
            r#"{"request":{"method":"GET","uri":"/a","proto":"HTTP/1.1"},"ts":1791640536.0}"#,
            r#"2026-10-10T13:55:36Z stdout F {"method":"GET","path":"/a","protocol":"HTTP/1.1"}"#,
            r#"{"log":"192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 5\n","stream":"stdout"}"#,
            r#"{"log":"{\"method\":\"GET\",\"uri\":\"/a\",\"proto\":\"HTTP/1.1\"}\n","stream":"stdout"}"#,
            r#"<134>Oct 10 13:55:36 lb nginx: 192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 5"#,
            r#"<134>1 2026-10-10T13:55:36Z lb caddy 1 - - {"request":{"method":"GET","uri":"/a","proto":"HTTP/1.1"}}"#,
            r#"caddy  | {"request":{"method":"GET","uri":"/a","proto":"HTTP/1.1"}}"#,
            r#"Oct 10 13:55:36 lb caddy[7]: {"request":{"method":"GET","uri":"/a","proto":"HTTP/1.1"}}"#,
            r#"web-1  | INFO:     192.0.2.1:5 - "GET /a HTTP/1.1" 200 OK"#,
            "\x1b[36mweb-1  | \x1b[0mINFO:     192.0.2.1:5 - \"\x1b[1mGET /a HTTP/1.1\x1b[0m\" 200 OK",
            r#"2026/10/10 13:55:36.5	info	http.log.access	handled request	{"request":{"method":"GET","uri":"/a","proto":"HTTP/1.1"}}"#,
            r#"{"message":"<134>Oct 10 13:55:36 lb nginx: 192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 5"}"#,
            r#"{"request":"GET /a HTTP/1.1","agent":"\x22\xC3\xA9\xFF"}"#,
            r#"{"request":"GET","url":"/a","protocol":"HTTP/1.1"}"#,
            r#"{address space usage: 1 bytes/1MB} [pid: 7|app: 0|req: 1/1] 192.0.2.1 () {34 vars in 421 bytes} [Fri Mar  1 00:00:01 2024] GET /a => generated 12 bytes in 3 msecs (HTTP/1.1 200) 2 headers in 71 bytes"#,
            r#"{"MESSAGE":"192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 5","_PID":"7"}"#,
        ] {
            let found = read_line(line).unwrap_or_else(|reason| panic!("{line}: {reason}"));
            let Request::Parts(parts) = found.request else { panic!("{line}") };
            assert_eq!((&parts.method[..], &parts.target[..]), (&b"GET"[..], &b"/a"[..]), "{line}");
            assert_eq!(
                (parts.version.as_deref(), found.source),
                (Some(&b"HTTP/1.1"[..]), Source::AccessLog),
                "{line}"
            );
        }
        for line in [
            "nonsense",
            "{",
            "",
            "\u{e9}",
            r#""GET / HTTP/1.1""#,
            r#"{"request":""}"#,
            r#"{"request":"-","url":"/"}"#,
        ] {
            assert!(read_line(line).is_err(), "{line}");
        }
    }
}
