//! Other spellings of a text that are the same to someone: decoded further, and in its plain form.

use crate::bytes::{BACKSLASH, BLANK, CONTROL, ENCODED, HIGH};
use crate::context::Context;
use crate::decode::{self, base64, layers, nfkc, unicode, utf8};
use crate::steps;

/// Returns whether a text may have another spelling. Blanks and `+` count where they are `blanks`; `classes` is the
/// union of the classes of its bytes.
pub(super) fn may_have_spelling(text: &[u8], classes: u32, blanks: bool) -> bool {
    classes & (HIGH | ENCODED | BACKSLASH) != 0
        || blanks && has_blank(text, classes)
        || base64::may_hide(text, classes)
}

/// The length of the shortest text of which another spelling may have so many bytes of ASCII side by side.
///
/// Decoding makes no text longer but for guarded bytes, of which the two digits of the last may be right before ASCII. The plain
/// form has at most four characters of ASCII side by side for one of three bytes: U+247D is `(10)`.
pub(super) fn shortest_to_spell(len: usize) -> usize {
    len.saturating_sub(2).saturating_mul(3) / 4
}

/// Returns whether `is_it` is true of another spelling of a text: its plain form, its further texts, and the plain form
/// of each of these. Blanks and `+` count where they are `blanks`; `classes` is the union of the classes of its bytes.
pub(super) fn any_spelling(
    text: &[u8],
    classes: u32,
    blanks: bool,
    cx: Context<'_>,
    mut is_it: impl FnMut(&[u8]) -> bool,
) -> bool {
    let is_plain_it = |text: &[u8], classes: u32, is_it: &mut dyn FnMut(&[u8]) -> bool| {
        (classes & HIGH != 0 || blanks && has_blank(text, classes))
            && cx.spare.with(|plain| {
                write_plain_form(text, cx, plain);
                plain.as_slice() != text && is_it(plain)
            })
    };
    is_plain_it(text, classes, &mut is_it)
        || layers::any_further(text, classes, cx, |revealed, classes| {
            cx.spare.with(|repaired| {
                let spelling =
                    if classes & HIGH == 0 { revealed } else { utf8::repaired(revealed, repaired) };
                is_it(spelling) || is_plain_it(spelling, classes, &mut is_it)
            })
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

/// Writes the plain form of a text: NFKC, `+` and each run of white space as one blank, none around it.
fn write_plain_form(text: &[u8], cx: Context<'_>, out: &mut Vec<u8>) {
    steps::slow("spelling of a text compared");
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
    for piece in text.split(|byte| is_blank(*byte)).filter(|piece| !piece.is_empty()) {
        if !out.is_empty() {
            out.push(b' ');
        }
        out.extend_from_slice(piece);
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
