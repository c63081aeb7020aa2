//! Access logs: a line each, whatever its form. A line of another form in the middle is read by the
//! form that it has.
//!
//! What a log does not keep is not there: of most, the headers but `Referer` and `User-Agent`, the
//! host, the body.

mod haproxy;
mod nginx;
mod quoted;
mod zoraxy;

use serde_json::Value;
use tamiz::Source;

use crate::record::{Found, Reason};
use crate::{fields, jsonl};

/// The source of what is read here.
const SOURCE: Source = Source::AccessLog;

/// The request of one line.
pub(crate) fn read(line: &[u8]) -> Result<Found, Reason> {
    let line = without_container(line);
    if line.starts_with(b"{") { json(line) } else { text(line) }
}

fn text(line: &[u8]) -> Result<Found, Reason> {
    for form in [haproxy::read, nginx::read_error, nginx::read_proxy_manager, quoted::read, zoraxy::read] {
        if let Some(result) = form(line) {
            return result.map(|(parts, time)| Found { time, ..Found::parts(parts, SOURCE) });
        }
    }
    Err("not a known form of log line".into())
}

/// A line as Kubernetes keeps it, `2026-01-01T00:00:00Z stdout F …`, without what is put before it.
fn without_container(line: &[u8]) -> &[u8] {
    for stream in [&b" stdout F "[..], b" stderr F "] {
        let start = line.get(..64.min(line.len())).and_then(|start| memchr::memmem::find(start, stream));
        if let Some(at) = start {
            return line.get(at.saturating_add(stream.len())..).unwrap_or(line);
        }
    }
    line
}

fn json(line: &[u8]) -> Result<Found, Reason> {
    let value = parse(line)?;
    // Docker keeps a line this way.
    let Some(inner) = value.get("log").and_then(Value::as_str) else { return fields::read(&value, SOURCE) };
    let inner = inner.trim_end().as_bytes();
    if inner.starts_with(b"{") { fields::read(&parse(inner)?, SOURCE) } else { text(inner) }
}

fn parse(line: &[u8]) -> Result<Value, Reason> {
    serde_json::from_slice(line).map_err(|error| jsonl::not_json(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;

    #[test]
    fn forms_side_by_side() {
        for line in [
            r#"192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 5"#,
            r#"{"request":{"method":"GET","uri":"/a","proto":"HTTP/1.1"},"ts":1791640536.0}"#,
            r#"2026-10-10T13:55:36Z stdout F {"method":"GET","path":"/a","protocol":"HTTP/1.1"}"#,
            r#"{"log":"192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 5\n","stream":"stdout"}"#,
            r#"{"log":"{\"method\":\"GET\",\"uri\":\"/a\",\"proto\":\"HTTP/1.1\"}\n","stream":"stdout"}"#,
        ] {
            let found = read(line.as_bytes()).unwrap_or_else(|reason| panic!("{line}: {reason}"));
            let Request::Parts(parts) = found.request else { panic!("{line}") };
            assert_eq!((&parts.method[..], &parts.target[..]), (&b"GET"[..], &b"/a"[..]), "{line}");
            assert_eq!(
                (parts.version.as_deref(), found.source),
                (Some(&b"HTTP/1.1"[..]), Source::AccessLog),
                "{line}"
            );
        }
        for line in ["nonsense", "{", "", "\u{e9}", r#""GET / HTTP/1.1""#] {
            assert!(read(line.as_bytes()).is_err(), "{line}");
        }
    }
}
