//! The lines of a document that is known to be one, cut without checking them again: a fresh one was written by this
//! library, and one that was read was checked when it was.
//!
//! What [`parse::cut`](super::parse::cut) gives for the same text, in an eighth of the time.

use super::body::Body;
use super::keys::Keys;
use super::lines::{HeaderLine, Lines, Measure, MoreHeaders};
use super::marker::more;
use crate::bytes;

/// Cuts a document; `None` for what is none.
pub(super) fn lines(text: &str) -> Option<Lines<'_>> {
    // Most requests have fewer headers.
    let mut lines = Lines { headers: Vec::with_capacity(16), ..Lines::default() };
    let mut rest = text;
    while let Some(end) = bytes::position(b'\n', rest.as_bytes()) {
        take(rest.get(..end)?, &mut lines)?;
        rest = rest.get(end.saturating_add(1)..)?;
    }
    (rest.is_empty() && !text.is_empty()).then_some(lines)
}

/// Takes one line.
pub(super) fn take<'d>(line: &'d str, lines: &mut Lines<'d>) -> Option<()> {
    let behind = |tag: &str| line.strip_prefix(tag);
    match line.as_bytes() {
        [b'H', b':', ..] => return header(behind("H:")?, lines),
        [b'M', b':', ..] => (lines.method, lines.method_flags) = content_and_flags(behind("M:")?),
        [b'U', b':', ..] => {
            let (url, flags) = content_and_flags(behind("U:")?);
            (lines.url, lines.url_flags) = (Some(url), flags);
        }
        [b'P', b':', ..] => {
            let (content, flags) = content_and_flags(behind("P:")?);
            let (path, lengths) = split_at(content, b' ')?;
            let (length, longest) = split_at(lengths.strip_prefix("PLEN:")?, b' ')?;
            lines.path_length = measure(length)?;
            lines.path_longest = measure(longest.strip_prefix("PMAX:")?)?;
            (lines.path, lines.path_flags) = (Some(path), flags);
        }
        [b'Q', b':', ..] => {
            let (content, flags) = content_and_flags(behind("Q:")?);
            (lines.query, lines.query_flags) = (Some(keys(content)?), flags);
        }
        [b'Q', b'K', ..] => lines.query_values.add(behind("QK:")?)?,
        [b'K', ..] => lines.keys_sorted = Some(behind("KEYS_SORTED:")?),
        [b'F', b'L', ..] => lines.rollup = Some(behind("FLAGS:[")?.strip_suffix(']')?),
        [b'F', ..] => lines.families = Some(behind("FAM:")?),
        [b'H', ..] => {
            let (count, length) = split_at(behind("HCNT:")?, b' ')?;
            lines.header_count = count.parse().ok()?;
            lines.header_length = measure(length.strip_prefix("HLEN:")?)?;
        }
        [b'B', b':', ..] => lines.body = Some(body(behind("B:")?)?),
        [b'B', b'Q', ..] => lines.body.as_mut()?.keys = Some(keys(behind("BQ:")?)?),
        [b'B', b'K', ..] => lines.body.as_mut()?.values.add(behind("BK:")?)?,
        _ => return None,
    }
    Some(())
}

fn header<'d>(rest: &'d str, lines: &mut Lines<'d>) -> Option<()> {
    let (content, flags) = content_and_flags(rest);
    match content.starts_with('<').then(|| more(content)).flatten() {
        Some(count) => lines.more_headers = Some(MoreHeaders { count, flags }),
        None => {
            let (name, value) = split_at(content, b'=')?;
            lines.headers.push(HeaderLine { name, value, flags });
        }
    }
    Some(())
}

/// `form BLEN:7@0-15`, with its shape where it has one, and flags.
fn body(rest: &str) -> Option<Body<'_>> {
    let (content, flags) = content_and_flags(rest);
    let (kind, content) = split_at(content, b' ')?;
    let content = content.strip_prefix("BLEN:")?;
    let (length, shape) = match split_at(content, b' ') {
        Some((length, shape)) => (length, Some(shape)),
        None => (content, None),
    };
    Some(Body { kind, length: measure(length)?, shape, flags, ..Body::default() })
}

/// `2 KEYS:a,b`.
fn keys(content: &str) -> Option<Keys<'_>> {
    let (count, list) = split_at(content, b' ')?;
    Keys::of(count.parse().ok()?, list.strip_prefix("KEYS:")?)
}

/// `12@0-15`.
fn measure(text: &str) -> Option<Measure<'_>> {
    let (length, bucket) = split_at(text, b'@')?;
    Some(Measure { length: length.parse().ok()?, bucket })
}

/// Everything up to the first ` [`, which values never hold, and the flags from there on.
pub(super) fn content_and_flags(rest: &str) -> (&str, &str) {
    if !rest.ends_with(']') {
        return (rest, "");
    }
    let bytes = rest.as_bytes();
    let begins = |at: &usize| at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b' ');
    let at = memchr::memchr_iter(b'[', bytes).find(begins).map_or(bytes.len(), |at| at.saturating_sub(1));
    rest.split_at_checked(at).unwrap_or((rest, ""))
}

/// Cuts at the first of an ASCII character.
pub(super) fn split_at(text: &str, character: u8) -> Option<(&str, &str)> {
    let at = bytes::position(character, text.as_bytes())?;
    Some((text.get(..at)?, text.get(at.saturating_add(1)..)?))
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::{Canonicalizer, Config, Profile, View};

    /// Requests that between them have every line of a document.
    const REQUESTS: [&str; 9] = [
        "GET / HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        "GET /a//b;x=1/%2e%2e/c.tar.gz?a=1&b=x%27%20or%201&a=&=&c HTTP/1.1\r\nHost: EX.com:81\r\nAccept: a [b]\r\n\r\n",
        "OPTIONS * HTTP/1.0\r\n\r\n",
        "CONNECT ex.com:443 HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        "GET http://u:p@[::1]:8/a?q#f HTTP/1.1\r\nX-A: [x]\r\nX-A:  b\r\n folded\r\nno colon\r\n: empty\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: ex.com\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 27\r\n\r\nq=1&pwd=hunter2&q=%7B%7D&x=",
        "POST /a HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 39\r\n\r\n{\"a\":[1,{\"b=|,\":\"<script>\"},null],\"c\":{}}",
        "PUT /a HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello world",
        "\x16\x03\x01 \u{e9}\u{202e}[ [A] = nonsense\n\n",
    ];

    #[test]
    fn lines_are_those_that_are_checked() {
        let many = format!(
            "GET /?{} HTTP/1.1\r\n{}\r\n",
            (0..300).map(|n| format!("k{n}=v&")).collect::<String>(),
            (0..300).map(|n| format!("X-{n}: v\r\n")).collect::<String>()
        );
        for profile in Profile::ALL {
            for view in View::ALL {
                let mut config = Config::default();
                (config.profile, config.view) = (*profile, *view);
                let tamiz = Canonicalizer::new(config);
                for request in REQUESTS.into_iter().chain([many.as_str()]) {
                    let document = tamiz.canonicalize(request.as_bytes());
                    let expected = parse::cut(document.as_str()).unwrap();
                    let found = lines(document.as_str());
                    assert_eq!(format!("{found:?}"), format!("{:?}", Some(expected)), "{document}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_document() {
        for text in ["", "M:GET", "nonsense\n", "X:1\n", "P:/a\n", "HCNT:x HLEN:1@0-15\n", "BQ:1 KEYS:a\n"] {
            assert!(lines(text).is_none(), "{text}");
        }
    }
}
