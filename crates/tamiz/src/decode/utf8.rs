//! Raw bytes to UTF-8 (clause 4.1): what is not UTF-8 stays in place, guarded, and is told.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;

use crate::bytes;
use crate::context::Context;
use crate::decode::{GUARD, put_guarded};
use crate::flags::{Flag, Flags};
use crate::text::{Builder, Text};

/// Guards every byte that is not part of a UTF-8 character. Borrows when there is none.
pub(crate) fn repair<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Text<'a> {
    if text.is_repaired() || text.bytes.is_ascii() || std::str::from_utf8(text.bytes).is_ok() {
        text.repaired()
    } else {
        repair_slow(text, cx, flags).repaired()
    }
}

/// Repairs plain bytes likewise; written to `buffer` where a byte has to be guarded.
pub(crate) fn repaired<'t>(raw: &'t [u8], buffer: &'t mut Vec<u8>) -> &'t [u8] {
    if std::str::from_utf8(raw).is_ok() {
        return raw;
    }
    for chunk in raw.utf8_chunks() {
        buffer.extend_from_slice(chunk.valid().as_bytes());
        for &byte in chunk.invalid() {
            let [high, low] = bytes::hex(byte);
            buffer.extend_from_slice(&[GUARD, high, low]);
        }
    }
    buffer
}

/// Repairs plain bytes, and calls `use_it` with them and the union of their classes; `classes` is that of the bytes as they came.
pub(crate) fn with_repaired<T>(
    raw: &[u8],
    classes: u32,
    cx: Context<'_>,
    use_it: impl FnOnce(&[u8], u32) -> T,
) -> T {
    if classes & bytes::HIGH == 0 {
        return use_it(raw, classes);
    }
    cx.spare.with(|buffer| {
        let text = repaired(raw, buffer);
        use_it(text, bytes::union(text))
    })
}

fn repair_slow<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Text<'a> {
    let mut builder = Builder::new(cx.bump, text.is_traced(), text.len() + 16);
    let mut at = 0;
    for chunk in text.bytes.utf8_chunks() {
        let valid = at..at + chunk.valid().len();
        at = valid.end;
        builder.copy(text.slice(valid));
        if !chunk.invalid().is_empty() {
            flags.raise_at(Flag::BadUtf8, text, at..at + chunk.invalid().len());
        }
        for &byte in chunk.invalid() {
            put_guarded(&mut builder, byte, text.slice(at..at + 1));
            at += 1;
        }
    }
    builder.finish()
}

/// The overlong forms of a text, and what a lenient decoder reads them as. No UTF-8 has the two bytes that one of them
/// begins with.
pub(super) fn overlong_forms(text: &[u8]) -> impl Iterator<Item = (Range<usize>, char)> + Clone {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + text.get(from..)?.iter().position(|&byte| byte >= 0xC0)?;
            match overlong_form(text.get(at..)?) {
                Some((c, len)) => {
                    from = at + len;
                    return Some((at..from, c));
                }
                None => from = at + 1,
            }
        }
    })
}

fn overlong_form(text: &[u8]) -> Option<(char, usize)> {
    let more = |bytes: &[u8]| {
        bytes
            .iter()
            .try_fold(0, |code, byte| (byte & 0xC0 == 0x80).then(|| code << 6 | u32::from(byte & 0x3F)))
    };
    let (code, len) = match text {
        [first @ 0xC0..=0xC1, a, ..] => (u32::from(first & 1) << 6 | more(&[*a])?, 2),
        [0xE0, a @ 0x80..=0x9F, b, ..] => (more(&[*a, *b])?, 3),
        [0xF0, a @ 0x80..=0x8F, b, c, ..] => (more(&[*a, *b, *c])?, 4),
        _ => return None,
    };
    char::from_u32(code).map(|c| (c, len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlong_forms_are_read_wherever_they_begin() {
        let found: Vec<_> = overlong_forms(b"\xC3\xC0\xAF\xE0\x80\xAFx\xF0\x80\x80\xBC\xC0").collect();
        assert_eq!(found, [(1..3, '/'), (3..6, '/'), (7..11, '<')]);
    }
}
