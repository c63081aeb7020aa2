//! The extended log form of the W3C (WD-logfile-960323): IIS, CloudFront, Incapsula, NetScaler and others. The `#Fields`
//! line says which columns there are.
//!
//! Names such as `cs-method` are of what the client sent to the server, and `cs(Name)` are headers. CloudFront, which
//! has tabs between values, writes them with percent escapes; IIS, which has spaces, writes `+` for a space.

use tamiz::Source;

use crate::id::Id;
use crate::record::{Found, Parts, Reason};
use crate::table::Table;
use crate::time::Time;
use crate::{access_log, escapes, url};

/// The line that Imperva (Incapsula) puts between its own lines and the log.
const IMPERVA_MARK: &[u8] = b"|==|";

/// Returns whether a line before the first that names columns is one that Imperva adds: `accountId:1`, `checksum:…`.
pub(crate) fn is_preamble(line: &[u8]) -> bool {
    const NAMES: [&[u8]; 8] =
        [b"accountId", b"configId", b"checksum", b"format", b"startTime", b"endTime", b"publicKeyId", b"key"];
    line == IMPERVA_MARK
        || NAMES.iter().any(|name| line.strip_prefix(*name).is_some_and(|rest| rest.starts_with(b":")))
}

/// Returns whether text begins as such a log does.
pub(crate) fn begins(text: &[u8]) -> bool {
    const DIRECTIVES: [&[u8]; 6] =
        [b"#Fields:", b"#Version:", b"#Software:", b"#Date:", b"#Remark:", b"#Start-Date:"];
    // Imperva's files have lines of their own before the log.
    let text = memchr::memmem::find(text, IMPERVA_MARK)
        .filter(|_| text.starts_with(b"accountId:"))
        .and_then(|at| text.get(at.saturating_add(IMPERVA_MARK.len())..))
        .map_or(text, <[u8]>::trim_ascii_start);
    DIRECTIVES.iter().any(|directive| {
        text.get(..directive.len()).is_some_and(|start| start.eq_ignore_ascii_case(directive))
    }) && memchr::memmem::find(text, b"#Fields:").is_some()
}

/// Takes note of a directive.
pub(crate) fn note(table: &mut Table, line: &[u8]) {
    if let Some(names) = line.strip_prefix(b"#Fields:") {
        let names = names.split(|byte| byte.is_ascii_whitespace()).filter(|name| !name.is_empty());
        table.names = names.map(<[u8]>::to_vec).collect();
        // Spaces or tabs: a line of values tells, not this one.
        table.separator = 0;
    } else if let Some(date) = line.strip_prefix(b"#Date:") {
        table.date = date.trim_ascii().get(..10).map(<[u8]>::to_vec);
    }
}

pub(crate) fn read(table: &Table, line: &[u8]) -> Option<Result<Found, Reason>> {
    let has_tabs = line.contains(&b'\t');
    let values = values(line, has_tabs);
    if values.len() < table.names.len() {
        return Some(Err("fewer values than the log has columns".into()));
    }
    let value = |name: &str| table.value(&values, name).map(|value| decoded(value, has_tabs));
    let first = |names: &[&str]| names.iter().find_map(|name| table.value(&values, name));
    let Some(method) = first(&["cs-method", "sc-method"]) else { return Some(Err("no method in it".into())) };
    let mut parts = Parts { method: method.to_vec(), ..Parts::default() };
    match (first(&["cs-uri-stem"]), first(&["cs-uri", "cs-url"])) {
        (Some(stem), _) => parts.target = stem.to_vec(),
        (None, Some(whole)) => put_url(whole, &mut parts),
        (None, None) => return Some(Err("no target in it".into())),
    }
    if let Some(query) = first(&["cs-uri-query"])
        && !parts.target.contains(&b'?')
    {
        parts.target.push(b'?');
        parts.target.extend_from_slice(query);
    }
    parts.version = first(&["cs-version", "cs-protocol-version"])
        .and_then(|version| url::version(std::str::from_utf8(version).ok()?));
    parts.scheme =
        parts.scheme.or_else(|| first(&["cs-protocol", "cs-uri-scheme"]).map(<[u8]>::to_ascii_lowercase));
    // CloudFront's own name is in cs(Host); what the client asked for has a column of its own.
    if let Some(host) = value("x-host-header").or_else(|| value("cs-host")) {
        parts.add_missing("host", host);
    }
    for name in &table.names {
        let header = name.strip_prefix(b"cs(").and_then(|name| name.strip_suffix(b")"));
        if let Some(header) = header.and_then(|header| std::str::from_utf8(header).ok())
            && let Some(value) = std::str::from_utf8(name).ok().and_then(value)
        {
            // Imperva spells it as English does.
            let header = if header.eq_ignore_ascii_case("referrer") { "referer" } else { header };
            parts.add_missing(&header.to_ascii_lowercase(), value);
        }
    }
    parts.body = first(&["cs-postbody"]).map(<[u8]>::to_vec);
    let mut found = Found::parts(parts, Source::AccessLog);
    found.id = first(&["x-edge-request-id", "cs-request-id", "s-requestid"])
        .and_then(|id| String::from_utf8(id.to_vec()).ok())
        .map(Id::from);
    found.client = first(&["c-ip"]).and_then(|client| access_log::address(std::str::from_utf8(client).ok()?));
    let date = first(&["date"]).or(table.date.as_deref());
    found.time = match (date, first(&["time"])) {
        (Some(date), Some(time)) => Time::parse(&[date, b" ", time].concat()),
        _ => None,
    };
    Some(Ok(found))
}

/// Puts a URL in its place; Imperva leaves out its scheme, so that it begins with the host.
fn put_url(whole: &[u8], parts: &mut Parts) {
    url::put(whole, parts);
    if parts.authority.is_none() && !whole.starts_with(b"/") && whole != b"*" {
        let path = memchr::memchr(b'/', whole).unwrap_or(whole.len());
        let (host, path) = whole.split_at_checked(path).unwrap_or((whole, b""));
        parts.authority = Some(host.to_vec());
        parts.target = if path.is_empty() { b"/".to_vec() } else { path.to_vec() };
    }
}

/// The values of a line; those in quotes without them.
fn values(line: &[u8], has_tabs: bool) -> Vec<&[u8]> {
    if has_tabs {
        return line.split(|byte| *byte == b'\t').collect();
    }
    let mut values = Vec::new();
    let mut rest = line.trim_ascii_start();
    while !rest.is_empty() {
        let end = match rest.strip_prefix(b"\"") {
            Some(quoted) => {
                let close = memchr::memmem::find(quoted, b"\" ").unwrap_or(quoted.len());
                let value = quoted.get(..close).unwrap_or_default();
                values.push(value.strip_suffix(b"\"").unwrap_or(value));
                close.saturating_add(2)
            }
            None => {
                let end = memchr::memchr(b' ', rest).unwrap_or(rest.len());
                values.push(rest.get(..end).unwrap_or_default());
                end
            }
        };
        rest = rest.get(end..).unwrap_or_default().trim_ascii_start();
    }
    values
}

/// A header as the client sent it.
fn decoded(value: &[u8], has_tabs: bool) -> Vec<u8> {
    if !has_tabs {
        // A plus of the client's is a plus no less; which it was, the log does not say.
        let has_spaces = value.contains(&b' ');
        return value.iter().map(|byte| if *byte == b'+' && !has_spaces { b' ' } else { *byte }).collect();
    }
    escapes::undone(value, b"%")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;
    use crate::table::Kind;
    use std::sync::Arc;

    fn parts(fields: &str, line: &str) -> Result<Parts, Reason> {
        let mut table = Arc::new(Table::new(Kind::W3c));
        Table::note(&mut table, format!("#Fields: {fields}\r\n").as_bytes());
        match table.read(line.as_bytes()).unwrap()?.request {
            Request::Parts(parts) => Ok(parts),
            Request::Raw(_) => panic!("bytes"),
        }
    }

    #[test]
    fn iis_cloudfront_and_others() {
        let iis = "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs-version cs(User-Agent) cs(Referer) cs-host sc-status";
        let one = parts(
            iis,
            "2026-10-10 13:55:36 10.0.0.1 GET /a b=1 443 - 192.0.2.1 HTTP/1.1 A+(b;+c) - ex.com 200",
        )
        .unwrap();
        assert_eq!((&one.method[..], &one.target[..]), (&b"GET"[..], &b"/a?b=1"[..]));
        assert_eq!(
            one.headers,
            [(b"host".to_vec(), b"ex.com".to_vec()), (b"user-agent".to_vec(), b"A (b; c)".to_vec())]
        );
        let cloudfront = "date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(User-Agent) cs-uri-query x-host-header cs-protocol cs-protocol-version";
        let two = parts(
            cloudfront,
            "2026-10-10\t13:55:36\tMAD\t5\t192.0.2.1\tGET\td1.cloudfront.net\t/a\t200\tA%20(b;%20c)\t-\tex.com\thttps\tHTTP/2.0",
        )
        .unwrap();
        assert_eq!((&two.target[..], two.version.as_deref()), (&b"/a"[..], Some(&b"HTTP/2"[..])));
        assert_eq!(
            two.headers,
            [(b"host".to_vec(), b"ex.com".to_vec()), (b"user-agent".to_vec(), b"A (b; c)".to_vec())]
        );
        let quoted =
            parts("time cs-method cs-uri cs(User-Agent)", r#"13:55:36 GET https://ex.com/a?b "A (b; c)""#)
                .unwrap();
        assert_eq!((&quoted.target[..], quoted.authority.as_deref()), (&b"/a?b"[..], Some(&b"ex.com"[..])));
        assert_eq!(quoted.headers, [(b"user-agent".to_vec(), b"A (b; c)".to_vec())]);
    }

    #[test]
    fn lines_that_lack_something() {
        for (fields, line) in [
            ("cs-method cs-uri-stem", "GET"),
            ("cs-method cs-uri-stem", "- /"),
            ("cs-method cs-uri-stem", "GET -"),
            ("c-ip", "192.0.2.1"),
            ("", "GET /"),
        ] {
            assert!(parts(fields, line).is_err(), "{fields}: {line}");
        }
    }
}
