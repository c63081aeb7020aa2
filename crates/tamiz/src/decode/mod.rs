//! Decoding: UTF-8, percent escapes, HTML entities, Unicode, and further layers of these, script escapes and Base64.
//!
//! Decoded text is UTF-8 with one addition. Some bytes and characters must be written `%HH` in
//! the document and must never be taken for an escape, a delimiter or residue by a later pass:
//! bytes that are not UTF-8, the delimiters a path keeps encoded, delimiters that NFKC gives birth
//! to. They are *guarded*: the byte [`GUARD`], which no UTF-8 text holds, and the two digits. The
//! writer puts `%` for the guard. Nothing in a request can forge one, because raw text is repaired
//! (every byte that is not UTF-8 is itself guarded) before anything else looks at it.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and counts of its bytes")]

pub(crate) mod base64;
pub(crate) mod entities;
mod entity_names;
pub(crate) mod layers;
pub(crate) mod nfkc;
pub(crate) mod percent;
pub(crate) mod unicode;
pub(crate) mod utf8;

use crate::bytes::{self, ENCODED, HIGH};
use crate::context::Context;
use crate::text::{Builder, Text};

/// Stands for the `%` of a protected `%HH`.
pub(crate) const GUARD: u8 = 0xFF;

/// Appends `byte` as a guarded `%HH` that stands for `source`.
pub(crate) fn put_guarded(builder: &mut Builder<'_>, byte: u8, source: Text<'_>) {
    let [high, low] = bytes::hex(byte);
    builder.put(&[GUARD, high, low], source);
}

/// The number of Unicode characters; each guarded byte counts as one.
pub(crate) fn chars(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let starts = text.iter().filter(|&&b| b & 0xC0 != 0x80).count();
    starts.saturating_sub(2 * memchr::memchr_iter(GUARD, text).count())
}

/// The number of Unicode characters of a text; `classes` holds the classes of its bytes.
pub(crate) fn chars_of(text: &[u8], classes: u32) -> usize {
    if classes & HIGH == 0 { text.len() } else { chars(text) }
}

/// The number of bytes before guarding: each guarded byte counts as one.
pub(crate) fn byte_len(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.len().saturating_sub(2 * memchr::memchr_iter(GUARD, text).count())
}

/// Returns whether decoded text ends in a guarded byte.
pub(crate) fn ends_guarded(text: &[u8]) -> bool {
    text.len().checked_sub(3).and_then(|at| text.get(at)) == Some(&GUARD)
}

/// Returns whether a text may hold a guarded byte, by the union of the classes of its bytes.
#[inline]
pub(crate) fn may_be_guarded(classes: u32) -> bool {
    classes & HIGH != 0 && classes & ENCODED != 0
}

/// Returns whether a text holds a byte that is guarded.
pub(crate) fn holds_guarded(text: &[u8], byte: u8) -> bool {
    let [high, low] = bytes::hex(byte);
    memchr::memchr_iter(GUARD, text)
        .any(|at| text.get(at.saturating_add(1)..).is_some_and(|rest| rest.starts_with(&[high, low])))
}

/// Decoded text with a guard alone for each guarded byte: its digits are no characters of the text.
/// Written to `buffer` where there is one.
pub(crate) fn without_guarded<'t>(text: &'t [u8], buffer: &'t mut Vec<u8>) -> &'t [u8] {
    if bytes::position(GUARD, text).is_none() {
        return text;
    }
    let mut pieces = text.split(|&b| b == GUARD);
    buffer.extend_from_slice(pieces.next().unwrap_or_default());
    for piece in pieces {
        buffer.push(GUARD);
        buffer.extend_from_slice(piece.get(2..).unwrap_or_default());
    }
    buffer
}

/// Appends decoded text with its guarded bytes as bytes.
pub(crate) fn write_raw(text: &[u8], raw: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(&byte) = rest.first() {
        let (byte, width) = match rest {
            [GUARD, ..] => (escape(rest).unwrap_or(byte), 3),
            _ => (byte, 1),
        };
        raw.push(byte);
        rest = rest.get(width..).unwrap_or_default();
    }
}

/// A character of decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Char {
    /// A character, with its length in bytes.
    Plain(char),
    /// A guarded byte (three bytes long).
    Guarded(u8),
}

impl Char {
    pub(crate) fn len(self) -> usize {
        match self {
            Char::Plain(c) => c.len_utf8(),
            Char::Guarded(_) => 3,
        }
    }

    /// Returns whether it stands for an ASCII character.
    pub(crate) fn is_ascii(self) -> bool {
        match self {
            Char::Plain(c) => c.is_ascii(),
            Char::Guarded(byte) => byte.is_ascii(),
        }
    }

    /// The character, where there is one.
    pub(crate) fn plain(self) -> Option<char> {
        match self {
            Char::Plain(c) => Some(c),
            Char::Guarded(_) => None,
        }
    }
}

/// The byte that `%hh` at the start of decoded text, guarded or not, stands for.
pub(crate) fn escape(text: &[u8]) -> Option<u8> {
    match text {
        [GUARD, high, low, ..] => Some(bytes::hex_value(*high)? << 4 | bytes::hex_value(*low)?),
        _ => bytes::escape(text),
    }
}

/// Decoded text with its guarded ASCII as plain characters.
pub(crate) fn unguarded<'a>(text: Text<'a>, cx: Context<'a>) -> Text<'a> {
    replaced(text, GUARD, |rest| escape(rest).filter(u8::is_ascii), cx)
}

/// Text with every three bytes that begin with `sign`, and that `escape` reads, as the byte they are.
pub(crate) fn replaced<'a>(
    text: Text<'a>,
    sign: u8,
    escape: impl Fn(&[u8]) -> Option<u8>,
    cx: Context<'a>,
) -> Text<'a> {
    let mut builder: Option<Builder<'a>> = None;
    let mut copied = 0;
    for at in bytes::places(sign, text.bytes) {
        if at >= copied
            && let Some(byte) = text.bytes.get(at..).and_then(&escape)
        {
            let builder = builder.get_or_insert_with(|| Builder::new(cx.bump, text.is_traced(), text.len()));
            if copied < at {
                builder.copy(text.slice(copied..at));
            }
            copied = at + 3;
            builder.put(&[byte], text.slice(at..copied));
        }
    }
    match builder {
        None => text,
        Some(mut builder) => {
            builder.copy(text.from(copied));
            builder.finish()
        }
    }
}

/// The first character of decoded text.
pub(crate) fn first_char(text: &[u8]) -> Option<Char> {
    match text {
        [] => None,
        [GUARD, high, low, ..] => {
            Some(Char::Guarded(bytes::hex_value(*high)? << 4 | bytes::hex_value(*low)?))
        }
        [byte, ..] if byte.is_ascii() => Some(Char::Plain(char::from(*byte))),
        _ => beyond_ascii(text).map(Char::Plain),
    }
}

/// The character of two or more bytes that a text begins with.
fn beyond_ascii(text: &[u8]) -> Option<char> {
    let more = |byte: &u8| if byte & 0xC0 == 0x80 { Some(u32::from(byte & 0x3F)) } else { None };
    let (code, least) = match text {
        [first @ 0xC2..=0xDF, a, ..] => (u32::from(first & 0x1F) << 6 | more(a)?, 0x80),
        [first @ 0xE0..=0xEF, a, b, ..] => (u32::from(first & 0x0F) << 12 | more(a)? << 6 | more(b)?, 0x800),
        [first @ 0xF0..=0xF4, a, b, c, ..] => {
            (u32::from(first & 0x07) << 18 | more(a)? << 12 | more(b)? << 6 | more(c)?, 0x1_0000)
        }
        _ => return None,
    };
    char::from_u32(code).filter(|_| code >= least)
}

/// The characters of decoded text, with their offsets.
pub(crate) fn char_indices(text: &[u8]) -> impl Iterator<Item = (usize, Char)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let found = first_char(text.get(at..)?)?;
        let here = at;
        at += found.len();
        Some((here, found))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_those_of_the_standard_library() {
        for c in '\u{80}'..=char::MAX {
            let mut bytes = [b'x'; 5];
            c.encode_utf8(&mut bytes);
            assert_eq!(beyond_ascii(&bytes), Some(c));
        }
        let some = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF];
        for first in 0x80..=0xFE {
            for (a, b, c) in some.iter().flat_map(|a| some.iter().map(move |b| (*a, *b, 0x80))) {
                let bytes = [first, a, b, c];
                for text in [&bytes[..1], &bytes[..2], &bytes[..3], &bytes] {
                    let theirs = text.utf8_chunks().next().unwrap().valid().chars().next();
                    assert_eq!(beyond_ascii(text), theirs, "{}", text.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn guarded_bytes_are_one_character() {
        let text = b"a\xFF2F\xC3\xA9\xFFC0";
        assert_eq!(chars(text), 4);
        assert!(may_be_guarded(bytes::union(text)));
        let all: Vec<_> = char_indices(text).collect();
        assert_eq!(
            all,
            [
                (0, Char::Plain('a')),
                (1, Char::Guarded(b'/')),
                (4, Char::Plain('é')),
                (6, Char::Guarded(0xC0)),
            ]
        );
    }
}
