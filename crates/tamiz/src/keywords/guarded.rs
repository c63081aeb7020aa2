//! Guarded bytes in a text that entries are looked for in.

use super::fold::OTHER;
use crate::bytes;
use crate::decode::{GUARD, escape, may_be_guarded};
use crate::steps;

/// Returns whether a text has bytes to put in for guarded ones.
pub(super) fn has_guarded(text: &[u8], byte_classes: u32) -> bool {
    may_be_guarded(byte_classes) && bytes::position(GUARD, text).is_some()
}

/// Appends a text with each guarded byte as the character that it counts as.
pub(super) fn unguard(text: &[u8], plain: &mut Vec<u8>) {
    steps::slow("guards removed");
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        let (byte, after) = match rest {
            [GUARD, _, _, after @ ..] => (escape(rest).filter(u8::is_ascii).unwrap_or(OTHER), after),
            _ => (first, after),
        };
        plain.push(byte);
        rest = after;
    }
}
