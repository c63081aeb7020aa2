//! Zeek's `http.log` in its own form: tabs between values, columns named by `#fields`. Its JSON form is an access log of
//! JSON.

use tamiz::Source;

use crate::id::Id;
use crate::record::{Found, Parts, Reason};
use crate::table::Table;
use crate::time::Time;
use crate::{escapes, url};

/// Returns whether text begins as such a log does.
pub(crate) fn begins(text: &[u8]) -> bool {
    text.starts_with(b"#separator ") || text.starts_with(b"#fields\t")
}

/// Takes note of a directive.
pub(crate) fn note(table: &mut Table, line: &[u8]) {
    if let Some(separator) = line.strip_prefix(b"#separator ") {
        table.separator = *unescaped(separator).first().unwrap_or(&b'\t');
    } else if let Some(unset) = directive(table, line, b"#unset_field") {
        table.unset = unset.to_vec();
    } else if let Some(names) = directive(table, line, b"#fields") {
        table.names = names.split(|byte| *byte == table.separator).map(<[u8]>::to_vec).collect();
    }
}

fn directive<'a>(table: &Table, line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    line.strip_prefix(name)?.strip_prefix(&[table.separator])
}

pub(crate) fn read(table: &Table, line: &[u8]) -> Option<Result<Found, Reason>> {
    let values: Vec<&[u8]> = line.split(|byte| *byte == table.separator).collect();
    if values.len() != table.names.len() {
        return Some(Err("not as many values as the log has columns".into()));
    }
    let value = |name: &str| table.value(&values, name).filter(|value| *value != b"(empty)").map(unescaped);
    let Some(method) = value("method") else { return Some(Err("no method in it".into())) };
    let Some(uri) = value("uri") else { return Some(Err("no target in it".into())) };
    let mut parts = Parts { method, target: uri, ..Parts::default() };
    parts.version = value("version").and_then(|version| url::version(std::str::from_utf8(&version).ok()?));
    for (name, column) in
        [("host", "host"), ("user-agent", "user_agent"), ("referer", "referrer"), ("origin", "origin")]
    {
        if let Some(value) = value(column) {
            parts.add_missing(name, value);
        }
    }
    let mut found = Found::parts(parts, Source::AccessLog);
    found.id = value("uid").and_then(|uid| String::from_utf8(uid).ok()).map(Id::from);
    found.client = value("id.orig_h").and_then(|client| std::str::from_utf8(&client).ok()?.parse().ok());
    found.time = value("ts").and_then(|time| Time::parse(&time));
    Some(Ok(found))
}

/// A value with its escapes, `\xHH`, undone.
fn unescaped(value: &[u8]) -> Vec<u8> {
    escapes::undone(value, br"\x")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;
    use crate::table::Kind;
    use std::sync::Arc;

    #[test]
    fn a_log_of_zeek() {
        let mut table = Arc::new(Table::new(Kind::Zeek));
        for line in [
            "#separator \\x09",
            "#set_separator\t,",
            "#empty_field\t(empty)",
            "#unset_field\t-",
            "#path\thttp",
            "#fields\tts\tuid\tmethod\thost\turi\treferrer\tversion\tuser_agent",
            "#types\ttime\tstring\tstring\tstring\tstring\tstring\tstring\tstring",
        ] {
            Table::note(&mut table, line.as_bytes());
        }
        let line = "1791640536.5\tCabc\tGET\tex.com\t/a\\x09b\t-\t1.1\t(empty)";
        let found = table.read(line.as_bytes()).unwrap().unwrap();
        assert_eq!((found.id.as_deref(), found.time.is_some()), (Some("Cabc"), true));
        let Request::Parts(parts) = found.request else { panic!("bytes") };
        assert_eq!((&parts.method[..], &parts.target[..]), (&b"GET"[..], &b"/a\tb"[..]));
        assert_eq!((parts.headers.len(), parts.version.as_deref()), (1, Some(&b"HTTP/1.1"[..])));
        for line in
            ["1\tC\t-\tex.com\t/\t-\t1.1\tx", "1\tC\tGET\tex.com\t-\t-\t1.1\tx", "1\tC\tGET", "nonsense"]
        {
            assert!(table.read(line.as_bytes()).unwrap().is_err(), "{line}");
        }
    }
}
