//! Other spellings of a text that are the same to someone: decoded further, and in its plain form.

use crate::bytes::{self, BACKSLASH, BLANK, CONTROL, ENCODED, HIGH};
use crate::context::Context;
use crate::decode::{self, GUARD, base64, layers, nfkc, unicode, utf8};
use crate::steps;

/// Returns whether a text may have another spelling. Blanks and `+` count where they are `blanks`; `classes` is the
/// union of the classes of its bytes.
pub(super) fn may_have_spelling(text: &[u8], classes: u32, blanks: bool) -> bool {
    blanks && has_blank(text, classes) || has_further(text, classes)
}

/// Returns whether a text may have a further text, or a plain form that differs in more than blanks. `classes` is the union
/// of the classes of its bytes.
pub(super) fn has_further(text: &[u8], classes: u32) -> bool {
    classes & (HIGH | ENCODED | BACKSLASH) != 0 || base64::may_hide(text, classes)
}

/// Returns whether a text is ASCII and has no other spelling but for blanks, as far as that is seen without the classes of its
/// bytes: nothing begins an escape, and it is no Base64 and holds none.
pub(super) fn has_one_spelling(text: &[u8]) -> bool {
    memchr::memchr3(b'%', b'&', b'\\', text).is_none()
        && memchr::memchr(b';', text).is_none()
        && memchr::memchr3(b':', b'.', b'"', text).is_some()
        && text.is_ascii()
}

/// Returns whether all that is beyond ASCII in a text are guarded bytes, each by itself, and nothing else is encoded: then
/// undoing their guards gives the text again, and its plain form differs in blanks alone.
pub(super) fn has_lone_bytes_only(text: &[u8]) -> bool {
    // All bytes alike, so that many are judged at once.
    let is_guarded = text.iter().fold(true, |all, byte| all & (byte.is_ascii() | (*byte == GUARD)));
    let is_alone = |at: usize| match text.get(at..) {
        Some([_, high, low, after @ ..]) => {
            let is_beyond_ascii = bytes::hex_byte(*high, *low).is_some_and(|byte| !byte.is_ascii());
            let is_upper = !high.is_ascii_lowercase() && !low.is_ascii_lowercase();
            is_beyond_ascii && is_upper && after.first() != Some(&GUARD)
        }
        _ => false,
    };
    is_guarded
        && memchr::memchr3(b'%', b'&', b'\\', text).is_none()
        && memchr::memchr(b';', text).is_none()
        && memchr::memchr_iter(GUARD, text).all(is_alone)
}

/// The length of the shortest text of which another spelling may have so many bytes of ASCII side by side.
///
/// Decoding makes no text longer but for guarded bytes, of which the two digits of the last may be right before ASCII. The plain
/// form has at most four characters of ASCII side by side for one of three bytes: U+247D is `(10)`.
pub(super) fn shortest_to_spell(len: usize) -> usize {
    len.saturating_sub(2).saturating_mul(3) / 4
}

/// Returns whether `is_it` is true of a further text of a text, or of its union of classes. `classes` is the union of the
/// classes of the bytes of the text.
pub(crate) fn any_further(
    text: &[u8],
    classes: u32,
    cx: Context<'_>,
    mut is_it: impl FnMut(&[u8], u32) -> bool,
) -> bool {
    layers::any_further(text, classes, cx, |revealed, classes| {
        utf8::with_repaired(revealed, classes, cx, &mut is_it)
    })
}

/// Uses the plain form of a text, if that is another text: NFKC, `+` and each run of white space as one blank, none around it.
/// `classes` is the union of the classes of its bytes.
pub(super) fn with_plain_form<T: Default>(
    text: &[u8],
    classes: u32,
    cx: Context<'_>,
    use_it: impl FnOnce(&[u8]) -> T,
) -> T {
    if classes & HIGH == 0 && !has_blank(text, classes) {
        return T::default();
    }
    steps::slow("spelling of a text compared");
    cx.spare.with(|plain| {
        write_plain_form(text, cx, plain);
        if plain.as_slice() == text { T::default() } else { use_it(plain) }
    })
}

/// Returns whether the plain form has a blank for a byte of a text in ASCII. `classes` is the union of the classes of
/// its bytes.
pub(super) fn has_blank(text: &[u8], classes: u32) -> bool {
    classes & BLANK != 0 && memchr::memchr2(b' ', b'+', text).is_some()
        || classes & CONTROL != 0 && text.iter().any(|byte| is_blank(*byte))
}

/// The ASCII bytes that the plain form makes a blank.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ' | b'+')
}

fn write_plain_form(text: &[u8], cx: Context<'_>, out: &mut Vec<u8>) {
    if text.is_ascii() {
        write_ascii_plain_form(text, out);
    } else {
        cx.spare.with(|normal| {
            nfkc::nfkc(text, normal);
            if normal.is_ascii() {
                write_ascii_plain_form(normal, out);
            } else {
                write_normal_plain_form(normal, out);
            }
        });
    }
    if out.last() == Some(&b' ') {
        out.pop();
    }
}

fn write_ascii_plain_form(text: &[u8], out: &mut Vec<u8>) {
    // All bytes alike, so that many are written at once.
    out.extend(text.iter().map(|byte| if is_blank(*byte) { b' ' } else { *byte }));
    if out.first() == Some(&b' ') || bytes::doubles(out, [b' ']) {
        let mut before = b' ';
        out.retain(|byte| {
            let is_after_blank = std::mem::replace(&mut before, *byte) == b' ';
            *byte != b' ' || !is_after_blank
        });
    }
}

fn write_normal_plain_form(text: &[u8], out: &mut Vec<u8>) {
    let mut is_after_blank = true;
    for (at, c) in decode::char_indices(text) {
        let is_blank = c.plain().is_some_and(|c| c == '+' || unicode::is_white_space(c));
        if !is_blank {
            out.extend_from_slice(text.get(at..at.saturating_add(c.len())).unwrap_or_default());
        } else if !is_after_blank {
            out.push(b' ');
        }
        is_after_blank = is_blank;
    }
}
