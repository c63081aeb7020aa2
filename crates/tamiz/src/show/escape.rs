//! Escaping (clauses 4.11 and 9.6): so that every line can be cut again and nothing can be forged.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use crate::bytes::{self, CONTROL, HIGH, NO_NAME, NO_QUERY, SPACE, WAY};
use crate::context::Context;
use crate::decode::{Char, GUARD, char_indices, unicode};
use crate::show::marker;
use crate::steps;

/// Where text is written, and so what must be escaped in it besides controls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spot {
    /// `M`, `U`, `P`: white space.
    Line,
    /// Keys, cookie names, list items, flag parameters: white space and `, | & = < >`.
    Name,
    /// A name on the way to a field of a body: the same and `. [ ]`, which the way is made of.
    Member,
    /// A query value in clear: white space and `& = # < >`.
    QueryValue,
    /// A header value: nothing else. ` [` is seen to by [`guard_flags`].
    HeaderValue,
}

impl Spot {
    /// The classes of what is escaped, among ASCII that is no control.
    fn escaped(self) -> u32 {
        match self {
            Spot::Line => SPACE,
            Spot::Name => NO_NAME,
            Spot::Member => NO_NAME | WAY,
            Spot::QueryValue => NO_QUERY,
            Spot::HeaderValue => 0,
        }
    }
}

/// Returns whether nothing in a text is escaped, by the union of the classes of its bytes.
pub(crate) fn is_plain(classes: u32, spot: Spot) -> bool {
    classes & (CONTROL | HIGH | spot.escaped()) == 0
}

/// Writes decoded text, escaped for `spot`.
pub(crate) fn write(text: &[u8], spot: Spot, out: &mut Vec<u8>) {
    if is_plain(bytes::union(text), spot) {
        out.extend_from_slice(text);
    } else {
        write_slow(text, spot, out);
    }
}

fn write_slow(text: &[u8], spot: Spot, out: &mut Vec<u8>) {
    steps::slow("text escaped");
    for (at, c) in char_indices(text) {
        let encoded = text.get(at..at + c.len()).unwrap_or_default();
        match c {
            Char::Guarded(_) => {
                out.push(b'%');
                out.extend_from_slice(encoded.get(1..).unwrap_or_default());
            }
            Char::Plain(c) => {
                let odd = unicode::is_control(c)
                    || unicode::is_invisible(c)
                    || (spot != Spot::HeaderValue && unicode::is_white_space(c))
                    || (c.is_ascii() && bytes::is(c as u8, spot.escaped()));
                if odd {
                    encoded.iter().for_each(|&byte| escape(byte, out));
                } else {
                    out.extend_from_slice(encoded);
                }
            }
        }
    }
}

fn escape(byte: u8, out: &mut Vec<u8>) {
    let [high, low] = bytes::hex(byte);
    out.extend_from_slice(&[b'%', high, low]);
}

/// Writes text escaped, then with its ASCII letters in lower case, except those of `%HH` and of
/// markers.
pub(crate) fn write_lowercase(text: &[u8], spot: Spot, cx: Context<'_>, out: &mut Vec<u8>) {
    let mut plain = 0;
    let mut at = 0;
    while let Some(step) = memchr::memchr3(b'%', b'<', GUARD, text.get(at..).unwrap_or_default()) {
        at += step;
        let kept = kept_case(text.get(at..).unwrap_or_default(), spot);
        if kept > 0 {
            fold(text.get(plain..at).unwrap_or_default(), spot, cx, out);
            write(text.get(at..at + kept).unwrap_or_default(), spot, out);
            plain = at + kept;
        }
        at += kept.max(1);
    }
    fold(text.get(plain..).unwrap_or_default(), spot, cx, out);
}

/// How long the `%HH` or marker is that `text` begins with, if it does. Escaped it is no marker.
fn kept_case(text: &[u8], spot: Spot) -> usize {
    let marker = text.first() == Some(&b'<') && !bytes::is(b'<', spot.escaped());
    let close = bytes::position(b'>', text.get(..text.len().min(64)).unwrap_or_default());
    match (close, text.first()) {
        (_, Some(&GUARD)) => 3,
        (Some(close), _) if marker && text.get(..=close).is_some_and(marker::is_marker) => close + 1,
        _ if bytes::escape(text).is_some() => 3,
        _ => 0,
    }
}

fn fold(text: &[u8], spot: Spot, cx: Context<'_>, out: &mut Vec<u8>) {
    steps::slow("text folded to show");
    if is_plain(bytes::union(text), spot) {
        let start = out.len();
        out.extend_from_slice(text);
        out.get_mut(start..).unwrap_or_default().make_ascii_lowercase();
        return;
    }
    cx.spare.with(|lower| {
        lower.extend(text.iter().map(u8::to_ascii_lowercase));
        write(lower, spot, out);
    });
}

/// Rewrites ` [` in the header value that begins at `start` of `out`, so that no value can pass
/// for the flags that follow it.
pub(crate) fn guard_flags(out: &mut Vec<u8>, start: usize, cx: Context<'_>) {
    let value = out.get(start..).unwrap_or_default();
    let is_flag = |at: usize| value.get(..at).is_some_and(|before| before.ends_with(b" "));
    if bytes::position(b'[', value).is_none() || !memchr::memchr_iter(b'[', value).any(is_flag) {
        return;
    }
    cx.spare.with(|came| {
        came.extend_from_slice(out.get(start..).unwrap_or_default());
        out.truncate(start);
        let mut before = 0;
        for &byte in came.iter() {
            if byte == b'[' && before == b' ' {
                escape(byte, out);
            } else {
                out.push(byte);
            }
            before = byte;
        }
    });
}

/// The number of characters of written text.
pub(crate) fn chars(written: &[u8]) -> usize {
    debug_assert!(!written.contains(&GUARD));
    if written.is_ascii() {
        return written.len();
    }
    written.iter().filter(|&&b| b & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn written(text: &[u8], spot: Spot) -> String {
        let mut out = Vec::new();
        write(text, spot, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_spot_has_its_own() {
        assert_eq!(written(b"a b<c>&d", Spot::Line), "a%20b<c>&d");
        assert_eq!(written(b"a b<c>,d", Spot::Name), "a%20b%3Cc%3E%2Cd");
        assert_eq!(written(b"a#b=c|d", Spot::QueryValue), "a%23b%3Dc|d");
        assert_eq!(written("a\u{a0}b [c".as_bytes(), Spot::HeaderValue), "a\u{a0}b [c");
        assert_eq!(written(b"\0\n\x7f\xFF2F", Spot::HeaderValue), "%00%0A%7F%2F");
        assert_eq!(written("\u{200b}\u{202e}é".as_bytes(), Spot::Line), "%E2%80%8B%E2%80%AEé");
        assert_eq!(written("a\u{3000}b".as_bytes(), Spot::Line), "a%E3%80%80b");
    }

    #[test]
    fn case_is_folded_but_not_of_escapes() {
        let mut out = Vec::new();
        with_context(|cx| write_lowercase(b"AB\0C\xFFFF", Spot::Name, cx, &mut out));
        assert_eq!(out, b"ab%00c%FF");
        let mut out = Vec::new();
        with_context(|cx| write_lowercase(b"A%3B<SECRET:jwt:5>B%zZ", Spot::Line, cx, &mut out));
        assert_eq!(out, b"a%3B<SECRET:jwt:5>b%zz");
    }

    #[test]
    fn flags_cannot_be_forged() {
        let mut out = b"H:x=".to_vec();
        out.extend_from_slice(b"[a] [QUOTE] [b");
        with_context(|cx| guard_flags(&mut out, 4, cx));
        assert_eq!(out, b"H:x=[a] %5BQUOTE] %5Bb");
    }
}
