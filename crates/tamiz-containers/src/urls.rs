//! Lists of URLs, one a line, as crawlers and scanners write them: a request for each. Only the URL is known.

use tamiz::Source;

use crate::record::{Found, Parts, Reason};
use crate::url;

/// Returns whether a line is a URL of the web and nothing else.
pub(crate) fn is_one(line: &[u8]) -> bool {
    let scheme = [&b"http://"[..], b"https://", b"ws://", b"wss://"]
        .into_iter()
        .find(|scheme| line.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    scheme.is_some_and(|scheme| line.len() > scheme.len()) && !line.iter().any(u8::is_ascii_whitespace)
}

/// The request for a URL; `None` for a comment.
pub(crate) fn read(line: &[u8]) -> Option<Result<Found, Reason>> {
    let line = line.trim_ascii();
    if line.starts_with(b"#") {
        return None;
    }
    if !is_one(line) {
        return Some(Err("no URL of the web".into()));
    }
    let mut parts = Parts { method: b"GET".to_vec(), ..Parts::default() };
    url::put(url::without_fragment(line), &mut parts);
    Some(Ok(Found::parts(parts, Source::JsonLines)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_and_what_is_none() {
        assert!(read(b"https://ex.com/a?b#c").unwrap().is_ok());
        assert!(read(b"# a comment").is_none());
        for line in ["ftp://ex.com/", "https://", "/a", "https://ex.com/a b", "nonsense"] {
            assert!(read(line.as_bytes()).unwrap().is_err(), "{line}");
        }
    }
}
