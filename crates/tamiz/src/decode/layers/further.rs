//! Searches the further decodings of a text, as plain bytes (clause 6.12).

use super::{Layer, Revealed, write_overlong_read};
use crate::bytes::{self, BACKSLASH, ENCODED, HIGH};
use crate::context::Context;
use crate::decode::{GUARD, base64, write_raw};
use crate::steps;
use crate::text::Classified;

/// How many decodings may follow one another.
pub(crate) const DEPTH: usize = 3;

/// Returns whether a text, or what further decodings make of it, is Base64: then what it hides is not found in a text
/// that it is a part of.
pub(crate) fn hides_base64(Classified { text, classes }: Classified<'_>, cx: Context<'_>) -> bool {
    let text = text.bytes;
    // No text has fewer bytes than what it decodes to.
    if text.len() < base64::SHORTEST {
        return false;
    }
    steps::slow("searched for Base64");
    let is_base64 = |text: &[u8], classes: u32| {
        base64::encoded(text, classes).is_some() && cx.spare.with(|plain| base64::read(text, classes, plain))
    };
    is_base64(text, classes) || any_further(text, classes, cx, is_base64)
}

/// Returns whether `is_it` is true of one of the further texts of a value (clause 6.12), which are plain bytes, or of
/// its union of classes. `classes` is the union of the classes of the value's bytes.
pub(crate) fn any_further(
    value: &[u8],
    classes: u32,
    cx: Context<'_>,
    mut is_it: impl FnMut(&[u8], u32) -> bool,
) -> bool {
    if classes & ENCODED == 0 || bytes::position(GUARD, value).is_none() {
        return any_further_of_raw(value, classes, false, cx, &mut is_it);
    }
    cx.spare.with(|raw| {
        write_raw(value, raw);
        any_further_of_raw(raw, bytes::union(raw), true, cx, &mut is_it)
    })
}

/// Returns whether `is_it` is true of a text with its guarded bytes as bytes, or of what it is further decoded to.
pub(crate) fn any_unguarded(
    value: &[u8],
    cx: Context<'_>,
    mut is_it: impl FnMut(&[u8], u32) -> bool,
) -> bool {
    cx.spare.with(|raw| {
        write_raw(value, raw);
        is_any_from(raw, cx, &mut is_it)
    })
}

/// Returns whether `is_it` is true of one of the further texts of plain bytes, some of which `were_guarded`.
fn any_further_of_raw(
    raw: &[u8],
    classes: u32,
    were_guarded: bool,
    cx: Context<'_>,
    is_it: &mut dyn FnMut(&[u8], u32) -> bool,
) -> bool {
    steps::slow("further decodings searched");
    let mut is_any = |write: &dyn Fn(&mut Vec<u8>) -> bool| {
        cx.spare.with(|text| write(text) && is_any_from(text, cx, is_it))
    };
    let write_percent = |out: &mut Vec<u8>| {
        let is_escaped = Layer::Percent.write(raw, out);
        if !is_escaped && were_guarded {
            out.extend_from_slice(raw);
        }
        is_escaped || were_guarded
    };
    let is_encoded = classes & ENCODED != 0;
    (is_encoded || were_guarded) && is_any(&write_percent)
        || is_encoded && is_any(&|out| Layer::Entities.write(raw, out))
        || classes & BACKSLASH != 0 && is_any(&|out| Layer::Script.write(raw, out))
        || base64::encoded(raw, classes).is_some() && is_any(&|out| base64::read(raw, classes, out))
}

/// Returns whether `is_it` is true of a first text, of what the combined decodings make of it, or of the entities of
/// the last.
fn is_any_from(text: &mut Vec<u8>, cx: Context<'_>, is_it: &mut dyn FnMut(&[u8], u32) -> bool) -> bool {
    cx.spare.with(|next| {
        for depth in 1..=DEPTH {
            let mut classes = bytes::union(text);
            if classes & HIGH != 0 && read_overlong(text, next) {
                classes = bytes::union(text);
            }
            if is_it(text, classes) {
                return true;
            }
            next.clear();
            let is_other = if depth < DEPTH {
                write_combined(text, classes, next)
            } else {
                classes & ENCODED != 0 && Layer::Entities.write(text, next)
            };
            if !is_other {
                return false;
            }
            std::mem::swap(text, next);
        }
        is_it(text, bytes::union(text))
    })
}

/// Reads the overlong forms of a text, where there are any; whether there are. `spare` is to write in.
pub(super) fn read_overlong(text: &mut Vec<u8>, spare: &mut Vec<u8>) -> bool {
    spare.clear();
    let is_read = write_overlong_read(text, spare, &mut Revealed::default());
    if is_read {
        std::mem::swap(text, spare);
    }
    is_read
}

/// Appends what clause 7.7.5 makes of a text; whether it applies. `classes` is the union of the classes of its bytes.
fn write_combined(text: &[u8], classes: u32, out: &mut Vec<u8>) -> bool {
    if base64::read(text, classes, out) {
        return true;
    }
    out.clear();
    classes & (ENCODED | BACKSLASH) != 0 && Layer::Combined.write(text, out)
}
