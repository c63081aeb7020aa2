use tamiz::Parts;

use super::Checks;
use crate::common::properties::{check_fresh, check_plain};
use crate::settings::canonicalizer;

const HAS_SCHEME: u8 = 1;
const HAS_AUTHORITY: u8 = 2;
const HAS_VERSION: u8 = 4;
const HAS_BODY: u8 = 8;

/// Checks a request that someone else has cut already, with parts that no wire parser would give among them.
///
/// A byte chooses view, profile and limits; the bits of another say which optional parts there are. Then come fields,
/// each behind two bytes of length, little-endian: method, target, scheme, authority, version, body; then names and
/// values of headers.
pub fn parts(input: &[u8], checks: Checks) {
    let [choice, present, fields @ ..] = input else { return };
    let parts = decode(*present, fields);
    // The colon and the line end of a header count: the bound is that of a request on the wire.
    let headers = parts.headers.iter().map(|(name, value)| name.len() + value.len() + 2);
    let others = [Some(parts.method), Some(parts.target), parts.scheme, parts.authority, parts.body];
    let len = headers.sum::<usize>() + others.into_iter().flatten().map(<[u8]>::len).sum::<usize>();
    let tamiz = canonicalizer(*choice);
    let document = tamiz.canonicalize_parts(&parts);
    if !checks.are_all(input) {
        return check_plain(document.as_str(), len).unwrap_or_else(|broken| panic!("{broken}"));
    }
    check_fresh(tamiz, &document, len).unwrap_or_else(|broken| panic!("{broken}"));
    assert_eq!(tamiz.canonicalize_parts(&parts), document, "a second run gives another text");
}

fn decode(present: u8, fields: &[u8]) -> Parts<'_> {
    let mut rest = fields;
    let mut parts = Parts::new(take(&mut rest), take(&mut rest));
    for (bit, part) in [
        (HAS_SCHEME, &mut parts.scheme),
        (HAS_AUTHORITY, &mut parts.authority),
        (HAS_VERSION, &mut parts.version),
        (HAS_BODY, &mut parts.body),
    ] {
        *part = (present & bit != 0).then(|| take(&mut rest));
    }
    while !rest.is_empty() {
        parts.header(take(&mut rest), take(&mut rest));
    }
    parts
}

/// Takes a length and as many bytes, or as many as there are.
fn take<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let [low, high, bytes @ ..] = *rest else {
        *rest = &[];
        return &[];
    };
    let len = usize::from(u16::from_le_bytes([*low, *high])).min(bytes.len());
    let (field, after) = bytes.split_at(len);
    *rest = after;
    field
}

/// Writes the input that has the parts of a request on the wire, with all optional parts.
pub(crate) fn encode(choice: u8, request: &[u8]) -> Vec<u8> {
    let (head, body) = split(request, b"\r\n\r\n");
    let (line, headers) = split(head, b"\r\n");
    let mut words = line.splitn(3, |&b| b == b' ');
    let mut next = || words.next().unwrap_or_default();
    let (method, target, version) = (next(), next(), next());
    let mut out = vec![choice, HAS_SCHEME | HAS_AUTHORITY | HAS_VERSION | HAS_BODY];
    for field in [method, target, &b"https"[..], b"ex.com", version, body] {
        put(&mut out, field);
    }
    for header in headers.split(|&b| b == b'\n').filter(|header| !header.is_empty()) {
        let (name, value) = split(header, b": ");
        put(&mut out, name);
        put(&mut out, value.strip_suffix(b"\r").unwrap_or(value));
    }
    out
}

fn put(out: &mut Vec<u8>, field: &[u8]) {
    let len = u16::try_from(field.len()).unwrap_or(u16::MAX);
    out.extend(len.to_le_bytes());
    out.extend(field.iter().take(usize::from(len)));
}

/// Splits `text` at the first `at`; without one, the rest is empty.
fn split<'a>(text: &'a [u8], at: &[u8]) -> (&'a [u8], &'a [u8]) {
    match text.windows(at.len()).position(|window| window == at) {
        Some(found) => (&text[..found], &text[found + at.len()..]),
        None => (text, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_parts_decode() {
        let input = encode(3, b"POST /a HTTP/1.1\r\nHost: ex.com\r\n\r\nb=1");
        assert!(input.starts_with(b"\x03\x0F\x04\0POST\x02\0/a\x05\0https"));
        assert!(input.ends_with(b"\x08\0HTTP/1.1\x03\0b=1\x04\0Host\x06\0ex.com"));
        let parts = decode(input[1], &input[2..]);
        assert_eq!((parts.method, parts.target), (&b"POST"[..], &b"/a"[..]));
        assert_eq!(parts.body, Some(&b"b=1"[..]));
        assert_eq!(parts.headers, [(&b"Host"[..], &b"ex.com"[..])]);
    }

    #[test]
    fn short_inputs_decode() {
        assert_eq!(decode(0, b"\x09\0GE").method, b"GE");
        assert_eq!(decode(HAS_BODY, b"\x01").body, Some(&b""[..]));
    }
}
