//! Percent-decoding, exactly once (clauses 4.2 to 4.7).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;

use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, ALNUM, PATH_MARK};
use crate::context::Context;
use crate::decode::{GUARD, ends_guarded, put_guarded};
use crate::flags::{Flag, Flags};
use crate::index;
use crate::steps;
use crate::swar;
use crate::text::{Builder, Text};

/// The field that is decoded: it decides which escapes stay and which are odd.
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

/// `PCTUNRES`: characters that nobody honest encodes; `at` is where the escape of one begins. In a query older encoders
/// escape `-`, `.` and `_` inside words.
fn is_needless(byte: u8, text: &[u8], at: usize, field: Field) -> bool {
    let is_alnum = |byte: Option<&u8>| byte.is_some_and(|&byte| bytes::is(byte, ALNUM));
    let in_word = || {
        let before = text.get(..at).unwrap_or_default();
        is_alnum(before.last()) && !ends_guarded(before) && is_alnum(text.get(at + 3))
    };
    match field {
        Field::Other => false,
        Field::Path => bytes::is(byte, ALNUM | PATH_MARK),
        Field::Query => bytes::is(byte, ALNUM) || bytes::is(byte, PATH_MARK) && !in_word(),
    }
}

/// Decodes every valid `%hh` once. `text` is repaired UTF-8. Borrows when there is no `%`.
pub(crate) fn decode<'a>(text: Text<'a>, field: Field, cx: Context<'a>, flags: &mut Flags<'a>) -> Text<'a> {
    steps::slow("percent-decoding");
    match bytes::position(b'%', text.bytes) {
        None => text,
        Some(first) if text.is_traced() => decode_traced(text, first, field, cx, flags),
        Some(first) => decode_untraced(text, first, field, cx, flags),
    }
}

/// Writes bytes where they belong, if there is room; where the next belong.
fn copy_to(out: &mut [u8], len: usize, bytes: &[u8]) -> usize {
    match out.get_mut(len..len + bytes.len()) {
        Some(places) => {
            places.copy_from_slice(bytes);
            len + bytes.len()
        }
        None => len,
    }
}

/// Writes a guarded byte so.
fn guard_to(out: &mut [u8], len: usize, byte: u8) -> usize {
    let [high, low] = bytes::hex(byte);
    copy_to(out, len, &[GUARD, high, low])
}

/// Where nobody asks what came from where. It is written over a copy of the text, than which it is not longer.
fn decode_untraced<'a>(
    text: Text<'a>,
    first: usize,
    field: Field,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> Text<'a> {
    let bytes = text.bytes;
    let out = cx.bump.alloc_slice_copy(bytes);
    let (mut at, mut len) = (first, first);
    let (mut any_needless, mut any_unicode, mut any_invalid) = (false, false, false);
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        match *rest {
            [b'%', high, low, ..] if let Some(byte) = bytes::hex_byte(high, low) => {
                if !byte.is_ascii() {
                    (at, len) = put_high_untraced(text, at, byte, out, len, cx, flags);
                    continue;
                }
                any_needless = any_needless || is_needless(byte, bytes, at, field);
                at += 3;
                if field == Field::Path && stays_in_path(byte) {
                    len = guard_to(out, len, byte);
                } else if let Some(place) = out.get_mut(len) {
                    *place = byte;
                    len += 1;
                }
            }
            [byte, ..] => {
                if byte == b'%' {
                    let is_unicode = is_unicode_escape(rest);
                    any_unicode |= is_unicode;
                    any_invalid |= !is_unicode;
                }
                if let Some(place) = out.get_mut(len) {
                    *place = byte;
                }
                let copied = copy_plain(bytes, at + 1, out, len + 1);
                at += 1 + copied;
                len += 1 + copied;
            }
            [] => break,
        }
    }
    if any_needless {
        flags.raise(Flag::PctUnres, text);
    }
    if any_unicode {
        flags.raise(Flag::PctU, text);
    }
    if any_invalid {
        flags.raise(Flag::BadPct, text);
    }
    Text::untraced(out.get(..len).unwrap_or_default())
}

/// Copies what is before the next `%`; how many bytes.
#[inline(always)]
fn copy_plain(bytes: &[u8], from: usize, out: &mut [u8], to: usize) -> usize {
    let mut copied = 0;
    while let (Some(sixteen), Some(place)) =
        (sixteen_at(bytes, from + copied), sixteen_at_mut(out, to + copied))
    {
        let count = index::copy_until(b'%', sixteen, place);
        copied += count;
        if count < sixteen.len() {
            return copied;
        }
    }
    // Most runs behind the last escapes are short.
    if let (Some(eight), Some(place)) = (
        bytes.get(from + copied..).and_then(|rest| rest.first_chunk::<8>()),
        out.get_mut(to + copied..).and_then(|rest| rest.first_chunk_mut()),
    ) {
        *place = *eight;
        match swar::position(b'%', u64::from_le_bytes(*eight)) {
            Some(count) => return copied + count,
            None => copied += eight.len(),
        }
    }
    while let (Some(byte), Some(place)) = (bytes.get(from + copied), out.get_mut(to + copied))
        && *byte != b'%'
    {
        *place = *byte;
        copied += 1;
    }
    copied
}

#[inline(always)]
fn sixteen_at(bytes: &[u8], at: usize) -> Option<&[u8; 16]> {
    bytes.get(at..at + 16)?.first_chunk()
}

#[inline(always)]
fn sixteen_at_mut(bytes: &mut [u8], at: usize) -> Option<&mut [u8; 16]> {
    bytes.get_mut(at..at + 16)?.first_chunk_mut()
}

/// Writes the run of escapes of bytes beyond ASCII that begins at `at` with `first`; where it ends, and where the next belong.
#[inline(never)]
fn put_high_untraced<'a>(
    text: Text<'a>,
    at: usize,
    first: u8,
    out: &mut [u8],
    mut len: usize,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> (usize, usize) {
    let rest = text.bytes.get(at..).unwrap_or_default();
    // Most are one letter, in UTF-8 or another charset.
    match (first, rest.get(3..).and_then(bytes::escape), rest.get(3), rest.get(6)) {
        (_, _, byte, _) if byte != Some(&b'%') => {
            flags.raise(Flag::BadUtf8, text);
            flags.raise(Flag::DoublePct, text);
            return (at + 3, guard_to(out, len, first));
        }
        (0xC2..=0xDF, Some(second @ 0x80..=0xBF), _, byte) if byte != Some(&b'%') => {
            return (at + 6, copy_to(out, len, &[first, second]));
        }
        _ => {}
    }
    cx.spare.with(|high| {
        while let Some(byte) = bytes::escape(rest.get(3 * high.len()..).unwrap_or_default())
            && !byte.is_ascii()
        {
            high.push(byte);
        }
        for chunk in high.utf8_chunks() {
            len = copy_to(out, len, chunk.valid().as_bytes());
            for &byte in chunk.invalid() {
                len = guard_to(out, len, byte);
                flags.raise(Flag::BadUtf8, text);
                flags.raise(Flag::DoublePct, text);
            }
        }
        (at + 3 * high.len(), len)
    })
}

fn decode_traced<'a>(
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
                    if is_needless(byte, text.bytes, at, field) {
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
            _ => bytes::position(b'%', text.bytes.get(end..).unwrap_or_default()).map(|n| end + n),
        };
    }
    builder.copy(text.from(copied));
    builder.finish()
}

/// Raises the flag of a `%` at `at`, where `rest` begins, that begins no escape.
fn raise_invalid<'a>(rest: &[u8], text: Text<'a>, at: usize, flags: &mut Flags<'a>) {
    if is_unicode_escape(rest) {
        flags.raise_at(Flag::PctU, text, at..at + 6);
    } else {
        flags.raise_at(Flag::BadPct, text, at..at + 1);
    }
}

/// Returns whether a text begins with `%uhhhh`.
fn is_unicode_escape(text: &[u8]) -> bool {
    matches!(text, [b'%', b'u' | b'U', a, b, c, d, ..]
        if bytes::hex_byte(*a, *b).is_some() && bytes::hex_byte(*c, *d).is_some())
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
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(from..)?;
            // They come in runs.
            let step = match rest.first()? {
                b'%' | &GUARD => 0,
                _ => memchr::memchr2(b'%', GUARD, rest)?,
            };
            let at = from + step;
            from = at + 1;
            let rest = rest.get(step..)?;
            let sign = match rest {
                [b'%', ..] => 1,
                _ if rest.starts_with(&GUARDED_PERCENT) => GUARDED_PERCENT.len(),
                _ => continue,
            };
            if let Some([high, low]) = rest.get(sign..).and_then(|digits| digits.first_chunk())
                && let Some(byte) = bytes::hex_byte(*high, *low)
            {
                from = at + sign + 2;
                return Some((at..from, byte));
            }
        }
    })
}

/// Returns whether decoded text has residue, for which see [`residues`].
pub(crate) fn has_residue(text: &[u8]) -> bool {
    first_escape(text).is_some()
        || memchr::memchr_iter(GUARD, text).any(|at| {
            let rest = text.get(at..).unwrap_or_default();
            rest.starts_with(&GUARDED_PERCENT) && begins_with_digits(rest.get(GUARDED_PERCENT.len()..))
        })
}

/// The place of the first valid `%hh` of a text.
pub(crate) fn first_escape(text: &[u8]) -> Option<usize> {
    bytes::places(b'%', text).find(|at| begins_with_digits(text.get(at + 1..)))
}

/// Returns whether a text begins with two hexadecimal digits.
#[inline]
fn begins_with_digits(text: Option<&[u8]>) -> bool {
    text.is_some_and(|text| matches!(text, [high, low, ..] if bytes::hex_byte(*high, *low).is_some()))
}

/// A `%` that an entity or NFKC gave.
const GUARDED_PERCENT: [u8; 3] = [GUARD, b'2', b'5'];

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
    fn both_ways_to_decode_agree() {
        let pieces: [&[u8]; 16] = [
            b"a",
            b"%",
            b"%2",
            b"%41",
            b"%2f",
            b"%5C",
            b"%c3",
            b"%A9",
            b"%c0",
            b"%u0041",
            b"%uZ",
            b"%00",
            b"%25",
            b"/",
            b"plain text without any",
            b"%e2%82%ac",
        ];
        let mut random = crate::context::tests::random();
        with_context(|cx| {
            for round in 0..3_000 {
                let input: Vec<u8> =
                    (0..round % 9).flat_map(|_| pieces[random(16) as usize].iter().copied()).collect();
                for field in [Field::Path, Field::Query, Field::Other] {
                    let decoded = |traced: bool| {
                        let mut flags = cx.flags();
                        (decode(Text::request(&input, traced), field, cx, &mut flags).bytes, flags.set)
                    };
                    assert_eq!(decoded(false), decoded(true), "{}", input.escape_ascii());
                }
            }
        });
    }

    #[test]
    fn residues_are_found_wherever_they_stand() {
        assert!(has_residue(b"\xFFC0\xFF2541") && !has_residue(b"\xFFC0\xFF254%"));
        let found: Vec<_> = residues(b"%2e%%41 \xFF2541\xFFC0%zz%4").collect();
        assert_eq!(found, [(0..3, b'.'), (4..7, b'A'), (8..13, b'A')]);
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
        let all = |text| {
            let all = residues(text).collect::<Vec<_>>();
            assert_eq!(has_residue(text), !all.is_empty(), "{}", text.escape_ascii());
            all
        };
        assert_eq!(all(b"a%2Eb%2e"), [(1..4, b'.'), (5..8, b'.')]);
        assert!(all(b"a\xFF2Eb").is_empty());
        assert_eq!(all(b"a\xFF253C%41"), [(1..6, b'<'), (6..9, b'A')]);
        assert!(all(b"a%2Gb%").is_empty());
    }
}
