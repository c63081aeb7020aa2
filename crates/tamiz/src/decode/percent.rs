//! Percent-decoding, exactly once (clauses 4.2 to 4.7).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;

use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, ALNUM};
use crate::context::Context;
use crate::decode::{self, GUARD, put_guarded, utf8};
use crate::flags::{Flag, Flags};
use crate::text::{Builder, Text};

/// What is being decoded: it decides which escapes stay and which are odd.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// A path: the five delimiters stay encoded.
    Path,
    /// A query key or value.
    Query,
    /// Any other text: encoding plain letters is not odd there.
    Other,
}

/// The delimiters that a path keeps encoded: `/ \ ? # ;`.
fn stays_in_path(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\' | b'?' | b'#' | b';')
}

/// `PCTUNRES`: characters that nobody honest encodes.
fn needs_no_escape(byte: u8) -> bool {
    bytes::is(byte, ALNUM) || matches!(byte, b'-' | b'.' | b'_')
}

/// Decodes every valid `%hh` once. `text` is repaired UTF-8. Borrows when there is no `%`.
pub(crate) fn decode<'a>(text: Text<'a>, field: Field, cx: Context<'a>, flags: &mut Flags<'a>) -> Text<'a> {
    match memchr::memchr(b'%', text.bytes) {
        None => text,
        Some(first) => decode_slow(text, first, field, cx, flags),
    }
}

fn decode_slow<'a>(
    text: Text<'a>,
    first: usize,
    field: Field,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> Text<'a> {
    let mut builder = Builder::new(cx.bump, text.is_traced(), text.len());
    let mut high = BumpVec::new_in(cx.bump);
    let mut copied = 0;
    let mut next = Some(first);
    while let Some(at) = next {
        let rest = text.bytes.get(at..).unwrap_or_default();
        let end = match bytes::escape(rest) {
            None => {
                raise_invalid(rest, text, at, flags);
                at + 1
            }
            Some(byte) => {
                if copied < at {
                    builder.copy(text.slice(copied..at));
                }
                let end = if byte.is_ascii() {
                    let escape = text.slice(at..at + 3);
                    if field == Field::Path && stays_in_path(byte) {
                        put_guarded(&mut builder, byte, escape);
                    } else {
                        builder.put(&[byte], escape);
                    }
                    if field != Field::Other && needs_no_escape(byte) {
                        flags.raise(Flag::PctUnres, escape);
                    }
                    at + 3
                } else {
                    high.clear();
                    while let Some(byte) = bytes::escape(rest.get(3 * high.len()..).unwrap_or_default())
                        && !byte.is_ascii()
                    {
                        high.push(byte);
                    }
                    put_high(&high, text.slice(at..at + 3 * high.len()), &mut builder, flags);
                    at + 3 * high.len()
                };
                copied = end;
                end
            }
        };
        next = match text.bytes.get(end) {
            // Escapes come in runs.
            Some(b'%') => Some(end),
            _ => memchr::memchr(b'%', text.bytes.get(end..).unwrap_or_default()).map(|n| end + n),
        };
    }
    builder.copy(text.from(copied));
    builder.finish()
}

fn raise_invalid<'a>(rest: &[u8], text: Text<'a>, at: usize, flags: &mut Flags<'a>) {
    match rest {
        [b'%', b'u' | b'U', digits @ ..]
            if digits.get(..4).is_some_and(|four| bytes::all(four, bytes::HEX)) =>
        {
            flags.raise_at(Flag::PctU, text, at..at + 6);
        }
        _ => flags.raise_at(Flag::BadPct, text, at..at + 1),
    }
}

/// Writes a run of decoded bytes beyond ASCII; `escapes` is the run as it came, three bytes each.
fn put_high<'a>(high: &[u8], escapes: Text<'a>, builder: &mut Builder<'a>, flags: &mut Flags<'a>) {
    let mut at = 0;
    for chunk in high.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let encoded = c.encode_utf8(&mut buffer).as_bytes();
            builder.put(encoded, escapes.slice(3 * at..3 * (at + encoded.len())));
            at += encoded.len();
        }
        for &byte in chunk.invalid() {
            let escape = escapes.slice(3 * at..3 * at + 3);
            put_guarded(builder, byte, escape);
            flags.raise(Flag::BadUtf8, escape);
            flags.raise(Flag::DoublePct, escape);
            at += 1;
        }
    }
}

/// Every valid `%hh` that is left in decoded text, and the byte that it is: residue, the sign of a second layer of
/// encoding. A `%` that was itself guarded counts by what it would start.
pub(crate) fn residues(text: &[u8]) -> impl Iterator<Item = (Range<usize>, u8)> {
    memchr::memchr2_iter(b'%', GUARD, text).filter_map(|at| {
        let rest = text.get(at..)?;
        let sign = if rest.starts_with(&GUARDED_PERCENT) {
            GUARDED_PERCENT.len()
        } else if rest.starts_with(b"%") {
            1
        } else {
            return None;
        };
        match rest.get(sign..)? {
            [high, low, ..] => {
                let byte = bytes::hex_value(*high)? << 4 | bytes::hex_value(*low)?;
                Some((at..at + sign + 2, byte))
            }
            _ => None,
        }
    })
}

/// A `%` that an entity or NFKC gave.
const GUARDED_PERCENT: [u8; 3] = [GUARD, b'2', b'5'];

/// Decodes once more what was decoded already, as another layer would: to it, guarded bytes are bytes.
pub(crate) fn decode_further<'a>(text: Text<'a>, cx: Context<'a>) -> Text<'a> {
    if memchr::memchr(GUARD, text.bytes).is_none() {
        return decode(text, Field::Other, cx, &mut cx.flags());
    }
    let bytes = decode::replaced(text, GUARD, decode::escape, cx);
    let bytes = decode::replaced(bytes, b'%', bytes::escape, cx);
    utf8::repair(bytes, cx, &mut cx.flags())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn decoded(input: &str, field: Field) -> (Vec<u8>, Vec<Flag>) {
        with_context(|cx| {
            let mut flags = cx.flags();
            let text = decode(Text::request(input.as_bytes(), true), field, cx, &mut flags);
            (text.bytes.to_vec(), flags.set.iter().collect())
        })
    }

    #[test]
    fn decodes_once() {
        assert_eq!(decoded("a%252Eb", Field::Query), (b"a%2Eb".to_vec(), vec![]));
        assert_eq!(decoded("%2e", Field::Query), (b".".to_vec(), vec![Flag::PctUnres]));
        assert_eq!(decoded("a+b%2B", Field::Query).0, b"a+b+");
    }

    #[test]
    fn leaves_what_is_no_escape() {
        assert_eq!(decoded("%2G%", Field::Query), (b"%2G%".to_vec(), vec![Flag::BadPct]));
        assert_eq!(decoded("%u0041", Field::Query), (b"%u0041".to_vec(), vec![Flag::PctU]));
    }

    #[test]
    fn keeps_path_delimiters() {
        assert_eq!(decoded("a%2fb%5C%3f%23%3B", Field::Path).0, b"a\xFF2Fb\xFF5C\xFF3F\xFF23\xFF3B");
        assert_eq!(decoded("a%2fb", Field::Other).0, b"a/b");
    }

    #[test]
    fn guards_what_is_not_utf8() {
        let (bytes, flags) = decoded("%C0%AF%C3%A9%FF", Field::Path);
        assert_eq!(bytes, b"\xFFC0\xFFAF\xC3\xA9\xFFFF");
        assert_eq!(flags, [Flag::BadUtf8, Flag::DoublePct]);
        assert_eq!(decoded("%E3%81a%82", Field::Query).0, b"\xFFE3\xFF81a\xFF82");
    }

    #[test]
    fn finds_residue() {
        let all = |text| residues(text).collect::<Vec<_>>();
        assert_eq!(all(b"a%2Eb%2e"), [(1..4, b'.'), (5..8, b'.')]);
        assert!(all(b"a\xFF2Eb").is_empty());
        assert_eq!(all(b"a\xFF253C%41"), [(1..6, b'<'), (6..9, b'A')]);
        assert!(all(b"a%2Gb%").is_empty());
    }
}
