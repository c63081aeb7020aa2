//! `OVERLONG` (clause 4.20): stray bytes that a lenient decoder reads as something else.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use super::Scan;
use crate::decode::{self, GUARD};
use crate::flags::{Flag, Flags};
use crate::steps;

/// Raises `OVERLONG`, by each sequence of bytes that is one.
pub(super) fn flag<'a>(scan: &Scan<'a>, flags: &mut Flags<'a>) {
    let text = scan.text.bytes;
    let mut tags = None;
    for at in memchr::memchr_iter(GUARD, text) {
        let rest = text.get(at..).unwrap_or_default();
        let Some(len) = misread(rest).or_else(|| {
            opens_tag(rest).filter(|len| at + len <= *tags.get_or_insert_with(|| last_tag_end(text)))
        }) else {
            continue;
        };
        scan.raise(Flag::Overlong, at..at + len, flags);
        if !scan.text.is_traced() {
            return;
        }
    }
}

/// The stray byte that decoded text begins with.
fn stray(text: &[u8]) -> Option<u8> {
    match text {
        [GUARD, ..] => decode::escape(text).filter(|byte| !byte.is_ascii()),
        _ => None,
    }
}

/// The ASCII character that decoded text begins with, guarded or not, and how long it is there.
fn plain(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [GUARD, ..] => decode::escape(text).filter(u8::is_ascii).map(|byte| (byte, 3)),
        [byte, ..] if byte.is_ascii() => Some((*byte, 1)),
        _ => None,
    }
}

/// Returns whether a text begins with so many stray continuation bytes.
fn continues(text: &[u8], count: usize) -> bool {
    (0..count).all(|nth| matches!(text.get(3 * nth..).and_then(stray), Some(0x80..=0xBF)))
}

/// How much of a text that begins with a stray byte is read as one character, or swallowed with one.
fn misread(text: &[u8]) -> Option<usize> {
    steps::slow("searched for overlong forms");
    let first = stray(text)?;
    let rest = text.get(3..).unwrap_or_default();
    let second = stray(rest);
    let more = match (first, second) {
        (0xC0 | 0xC1, Some(0x80..=0xBF)) => 1,
        (0xE0, Some(0x80..=0x9F)) | (0xED, Some(0xA0..=0xBF)) => 2,
        (0xF0, Some(0x80..=0x8F)) | (0xF4, Some(0x90..=0xBF)) | (0xF5..=0xF7, Some(_)) => 3,
        (0xF8..=0xFB, Some(_)) => 4,
        (0xFC | 0xFD, Some(_)) => 5,
        _ => 0,
    };
    if more > 0 && continues(rest, more) {
        return Some(3 + 3 * more);
    }
    let (next, len) = plain(rest)?;
    let is_told = match first {
        0xC0 => matches!(next, b'/' | b'<' | b'>'),
        0xC1 => next == 0x1C,
        0xA0..=0xA9 | 0xAB..=0xB9 | 0xBB..=0xBF | 0xD7 | 0xF7 => matches!(next, b'\'' | b'"' | b'\\'),
        _ => false,
    };
    is_told.then_some(3 + len)
}

/// How long what opens a tag is, to a decoder that drops the high bit: `BC` for `<`.
fn opens_tag(text: &[u8]) -> Option<usize> {
    let (next, len) = plain(text.get(3..).unwrap_or_default()).filter(|_| stray(text) == Some(0xBC))?;
    (next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?')).then_some(3 + len)
}

/// Where the last byte stands that would close such a tag; 0 where there is none.
fn last_tag_end(text: &[u8]) -> usize {
    let high = memchr::memmem::rfind(text, &[GUARD, b'B', b'E']).unwrap_or_default();
    memchr::memrchr(b'>', text).unwrap_or_default().max(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes;
    use crate::context::tests::with_context;
    use crate::scan::Kind;
    use crate::text::Text;

    fn is_told(text: &[u8]) -> bool {
        let mut guarded = Vec::new();
        let repaired = decode::utf8::repaired(text, &mut guarded);
        with_context(|cx| {
            let mut flags = cx.flags();
            let text = Text::untraced(cx.bump.alloc_slice_copy(repaired));
            flag(&Scan::new(text, bytes::union(text.bytes), Kind::Leaf, cx), &mut flags);
            flags.set.contains(Flag::Overlong)
        })
    }

    #[test]
    fn what_lenient_decoders_misread() {
        for text in [
            &b"\xC0\xAF"[..],
            b"a\xC1\x9C",
            b"\xE0\x80\xAF",
            b"\xF0\x80\x80\xAF",
            b"\xED\xA0\x80",
            b"\xF4\x90\x80\x80",
            b"\xF5\x80\xBF\xBF",
            b"\xF8\x80\x80\x80\xAF",
            b"\xFC\x80\x80\x80\x80\xAF",
            b"\xC0/",
            b"\xC1\x1C",
            b"\xBCscript\xBEalert(1)",
            b"\xBC/a>",
            b"\xBCa>",
            b"\xBF'",
            b"x\xBF\\'",
        ] {
            assert!(is_told(text), "{}", text.escape_ascii());
        }
    }

    #[test]
    fn text_of_other_charsets() {
        for text in [
            &b"Ma\xF1ana"[..],
            b"\"caf\xE9\"",
            b"CITT\xC0 DI",
            b"\xC1lvaro",
            b"1\xBA'",
            b"\x93a\x94\"",
            b"1\xBC a",
            b"\xBCscript",
            b"\xE2\x82",
            b"\xC0",
            b"\xE0\xA4",
            b"\xF5\x80",
            b"\xF5\xF6\x80\x80",
            b"caf\xC3\xA9'",
        ] {
            assert!(!is_told(text), "{}", text.escape_ascii());
        }
    }
}
