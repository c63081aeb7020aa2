//! Markers: `<shape:len>` and its kin, written and recognised (clauses 6.13 and 6.15).

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice; twenty digits hold any number")]

use std::io::Write as _;
use std::ops::Range;

use crate::bytes::{self, HIGH};
use crate::context::Context;
use crate::decode;
use crate::lists::AUTH_SCHEMES;
use crate::measure::entropy_tenths;
use crate::shape::Shape;

/// Writes the marker of `text`: `<SECRET:alpha:10>` for a secret, else `<lower:5>`.
pub(crate) fn write(text: &[u8], secret: bool, cx: Context<'_>, out: &mut Vec<u8>) {
    Measured::of(text, cx).write(secret, out);
}

/// What a marker tells of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    shape: Shape,
    chars: usize,
    entropy_tenths: Option<u64>,
}

impl Measured {
    pub(crate) fn of(text: &[u8], cx: Context<'_>) -> Self {
        Measured::of_seen(text, bytes::union(text), cx)
    }

    /// The same, where the union of the classes of its bytes is known.
    pub(crate) fn of_seen(text: &[u8], seen: u32, cx: Context<'_>) -> Self {
        let entropy_tenths = if cx.settings.entropy { entropy_tenths(text, cx.bump) } else { None };
        let chars = if seen & HIGH == 0 { text.len() } else { decode::chars(text) };
        Measured { shape: Shape::of_seen(text, seen), chars, entropy_tenths }
    }

    pub(crate) fn write(self, secret: bool, out: &mut Vec<u8>) {
        let (prefix, shape) = if secret { ("<SECRET:", self.shape.coarse()) } else { ("<", self.shape) };
        push(out, prefix);
        push(out, shape.as_str());
        out.push(b':');
        number(out, self.chars as u64);
        if let Some(tenths) = self.entropy_tenths {
            let _ = write!(out, "~{}.{}", tenths / 10, tenths % 10);
        }
        out.push(b'>');
    }
}

/// Writes `<SECRET:word:len>`.
pub(crate) fn write_secret(word: &str, len: usize, out: &mut Vec<u8>) {
    push(out, "<SECRET:");
    push(out, word);
    out.push(b':');
    number(out, len as u64);
    out.push(b'>');
}

/// Writes `<more:n>` after `separator`, where there are more than are shown.
pub(crate) fn write_more(all: usize, most: usize, separator: &str, out: &mut Vec<u8>) {
    if let Some(more) = all.checked_sub(most).filter(|more| *more > 0) {
        push(out, separator);
        push(out, "<more:");
        number(out, more as u64);
        out.push(b'>');
    }
}

/// Whether `text` reads like what [`write_more`] writes.
pub(crate) fn is_more(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"<more:").and_then(|rest| rest.strip_suffix(b">"));
    digits.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

pub(crate) fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

pub(crate) fn number(out: &mut Vec<u8>, n: u64) {
    match n {
        0..10 => out.push(b'0' + n as u8),
        10..100 => out.extend_from_slice(&[b'0' + (n / 10) as u8, b'0' + (n % 10) as u8]),
        _ => long_number(out, n),
    }
}

fn long_number(out: &mut Vec<u8>, n: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = n;
    loop {
        at -= 1;
        if let Some(digit) = digits.get_mut(at) {
            *digit = b'0' + (rest % 10) as u8;
        }
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(at..).unwrap_or_default());
}

/// Whether `text` is exactly one marker of a known shape, with at most seven digits.
pub(crate) fn is_marker(text: &[u8]) -> bool {
    match text {
        [b'<', inside @ .., b'>'] => {
            is_shape_and_length(inside, false)
                || inside.strip_prefix(b"SECRET:").is_some_and(|rest| is_shape_and_length(rest, true))
        }
        _ => false,
    }
}

/// The length that a text states which is exactly one marker.
pub(crate) fn stated_length(text: &[u8]) -> Option<usize> {
    let inside = text.strip_prefix(b"<").filter(|_| is_marker(text))?;
    let inside = inside.strip_prefix(b"SECRET:").unwrap_or(inside);
    let length = inside.get(memchr::memchr(b':', inside)? + 1..)?;
    let digits = length.iter().take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |number: usize, digit| number * 10 + usize::from(digit - b'0')))
}

/// The markers in a text.
fn markers(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    memchr::memchr_iter(b'<', text).filter_map(move |start| {
        if start < from {
            return None;
        }
        // The longest marker is well under 64 bytes, so the search stays linear.
        let head = text.get(start..text.len().min(start + 64)).unwrap_or_default();
        let close = memchr::memchr(b'>', head)?;
        head.get(..=close).filter(|head| is_marker(head))?;
        from = start + close + 1;
        Some(start..from)
    })
}

pub(crate) fn holds_marker(text: &[u8]) -> bool {
    markers(text).next().is_some()
}

/// Appends `text` without its markers.
pub(crate) fn take_out(text: &[u8], out: &mut Vec<u8>) {
    let mut copied = 0;
    for marker in markers(text) {
        out.extend_from_slice(text.get(copied..marker.start).unwrap_or_default());
        copied = marker.end;
    }
    out.extend_from_slice(text.get(copied..).unwrap_or_default());
}

/// Whether `text` is a marker that this form writes, of whatever length.
pub(crate) fn is_written_marker(text: &[u8]) -> bool {
    let digits = |b: &u8| b.is_ascii_digit();
    let Some(colon) = memchr::memrchr(b':', text) else { return false };
    let (head, length) = text.split_at_checked(colon + 1).unwrap_or_default();
    let long = length.iter().position(|b| !digits(b)).unwrap_or(0);
    // Seven digits stand for as many as there are.
    let skipped = long.saturating_sub(7);
    is_marker(&[head, length.get(skipped..).unwrap_or_default()].concat())
}

/// Whether `text` is exactly one marker of a secret.
pub(crate) fn is_secret_marker(text: &[u8]) -> bool {
    text.starts_with(b"<SECRET:") && is_marker(text)
}

fn is_shape_and_length(text: &[u8], secret: bool) -> bool {
    let Some(colon) = memchr::memchr(b':', text) else {
        return false;
    };
    let word = std::str::from_utf8(text.get(..colon).unwrap_or_default()).unwrap_or_default();
    let length = text.get(colon + 1..).unwrap_or_default();
    let known = word.parse::<Shape>().is_ok()
        || (secret && (matches!(word, "userinfo" | "other") || AUTH_SCHEMES.contains(&word)));
    known && is_length(length)
}

/// ```text
/// 1*7DIGIT [ "~" 1*2DIGIT "." DIGIT ]
/// ```
pub(crate) fn is_length(text: &[u8]) -> bool {
    let mut parts = text.splitn(2, |&b| b == b'~');
    let digits = |part: &[u8], most: usize| {
        !part.is_empty() && part.len() <= most && part.iter().all(u8::is_ascii_digit)
    };
    let length = parts.next().unwrap_or_default();
    let entropy = parts.next();
    digits(length, 7)
        && entropy.is_none_or(|entropy| match entropy {
            [whole @ .., b'.', tenth] => digits(whole, 2) && tenth.is_ascii_digit(),
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_markers_only() {
        for text in
            ["<num:5>", "<SECRET:alpha:10>", "<SECRET:bearer:142>", "<b64url:120~4.7>", "<mixed:1234567>"]
        {
            assert!(is_marker(text.as_bytes()), "{text}");
        }
        for text in [
            "<num:5",
            "<num:>",
            "<num:x>",
            "<nope:5>",
            "<bearer:5>",
            "<mixed:12345678>",
            "a<num:5>",
            "<num:5><num:5>",
            "<SECRET:num:5~>",
            "<len:5>",
            "<>",
        ] {
            assert!(!is_marker(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn written_markers_may_be_long() {
        for text in ["<num:5>", "<mixed:12345678>", "<SECRET:userinfo:123456789012>", "<mixed:12345678~4.5>"]
        {
            assert!(is_written_marker(text.as_bytes()), "{text}");
        }
        for text in ["<mixed:>", "<mixed:1x>", "mixed:12345678", "<nope:12345678>", ""] {
            assert!(!is_written_marker(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn numbers() {
        for n in [0, 7, 10, 1234, u64::MAX] {
            let mut out = Vec::new();
            number(&mut out, n);
            assert_eq!(out, n.to_string().into_bytes());
        }
    }
}
