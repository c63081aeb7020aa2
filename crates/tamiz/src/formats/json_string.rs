//! Strings of JSON: their escapes.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and code units below 0x110000")]

use crate::bytes;
use crate::context::Context;
use crate::decode::put_guarded;
use crate::flags::{Flag, Flags};
use crate::text::{Builder, Text};

/// The inside of a string that was cut, without an escape that the cut went through.
pub(super) fn whole_escapes(inside: &[u8]) -> &[u8] {
    let mut at = 0;
    while let Some(step) = inside.get(at..).and_then(|rest| bytes::position(b'\\', rest)) {
        at += step;
        let escape = inside.get(at..).unwrap_or_default();
        let len = if escape.get(1) == Some(&b'u') { 6 } else { 2 };
        let digits = escape.get(2..).unwrap_or_default();
        if escape.len() < len && bytes::all(digits, bytes::HEX) {
            return inside.get(..at).unwrap_or_default();
        }
        at += len;
    }
    inside
}

/// A string without its quotes.
pub(super) fn without_quotes(string: Text<'_>) -> Text<'_> {
    string.slice(1..string.len().saturating_sub(1))
}

/// The text inside a string. A lone surrogate is no character: its bytes are guarded.
pub(super) fn unescape<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Text<'a> {
    if bytes::position(b'\\', text.bytes).is_none() {
        return text;
    }
    let mut builder = Builder::new(cx.bump, text.is_traced(), text.len());
    let mut at = 0;
    while let Some(step) = bytes::position(b'\\', text.bytes.get(at..).unwrap_or_default()) {
        builder.copy(text.slice(at..at + step));
        at += step;
        let rest = text.bytes.get(at + 1..).unwrap_or_default();
        let plain = match rest.first() {
            Some(b'u') => None,
            Some(b'b') => Some(0x08),
            Some(b'f') => Some(0x0C),
            Some(b'n') => Some(b'\n'),
            Some(b'r') => Some(b'\r'),
            Some(b't') => Some(b'\t'),
            other => other.copied(),
        };
        if let Some(plain) = plain {
            builder.put(&[plain], text.slice(at..at + 2));
            at += 2;
            continue;
        }
        let high = code_unit(rest.get(1..).unwrap_or_default());
        let low = match rest.get(5..) {
            Some([b'\\', b'u', digits @ ..]) => code_unit(digits),
            _ => None,
        };
        let (c, width) = match (high, low) {
            (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) => {
                (char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), 12)
            }
            (unit, _) => (unit.and_then(char::from_u32), 6),
        };
        let source = text.slice(at..at + width);
        match c {
            Some(c) => builder.put(c.encode_utf8(&mut [0; 4]).as_bytes(), source),
            None => {
                flags.raise(Flag::BadUtf8, source);
                for byte in surrogate_bytes(high.unwrap_or(0xFFFD)) {
                    put_guarded(&mut builder, byte, source);
                }
            }
        }
        at += width;
    }
    builder.copy(text.from(at));
    builder.finish().repaired()
}

fn code_unit(digits: &[u8]) -> Option<u32> {
    let digits = digits.get(..4)?;
    digits.iter().try_fold(0, |unit, &digit| Some(unit << 4 | u32::from(bytes::hex_value(digit)?)))
}

/// The three bytes a surrogate would have.
fn surrogate_bytes(unit: u32) -> [u8; 3] {
    [0xE0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3F) as u8, 0x80 | (unit & 0x3F) as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogates_are_three_bytes() {
        assert_eq!(surrogate_bytes(0xD800), [0xED, 0xA0, 0x80]);
        assert_eq!(surrogate_bytes(0xDFFF), [0xED, 0xBF, 0xBF]);
    }
}
