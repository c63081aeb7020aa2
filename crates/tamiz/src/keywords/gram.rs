//! Grams: a sign and the folded characters behind it, read without folding all of a text.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice or table, and counts of what is in it"
)]

use std::cell::LazyCell;

use super::fold::{Kind, OTHER, beyond_ascii, kind};
use super::prefilter::{classes_before, has_record, mix};
use super::tables::GRAMS;
use crate::steps;

/// Returns whether a gram begins with the sign at `at` of a text, which has no guarded bytes.
#[inline(never)]
pub(super) fn is_gram(text: &[u8], at: usize) -> bool {
    steps::slow("sign compared");
    let Some(&sign) = text.get(at) else { return false };
    if is_dropped(text, at) {
        return false;
    }
    let sign = if sign == b'\\' { b'/' } else { sign };
    let mut following = Following { text, at: at + 1, last: sign };
    let Some(second) = following.next().filter(|second| classes_before(sign, *second) != 0) else {
        return false;
    };
    let mut gram = [sign, second, 0, 0];
    let before = LazyCell::new(|| before(text, at, sign));
    for nth in 2..=gram.len() {
        if has_gram(gram, || *before) {
            return true;
        }
        let (Some(place), Some(next)) = (gram.get_mut(nth), following.next()) else { return false };
        *place = next;
        if nth == 2 && !may_be_long(gram) {
            return false;
        }
    }
    false
}

/// The number of bits of [`HEADS_OF_LONG`], as a power of two.
const HEAD_BITS: u32 = 13;

/// The first three characters of grams of three or four, hashed, a bit each.
static HEADS_OF_LONG: [u64; 1 << (HEAD_BITS - 6)] = {
    let mut heads = [0; 1 << (HEAD_BITS - 6)];
    let mut row = 0;
    while row < GRAMS.len() {
        let [first, second, third, fourth, ..] = GRAMS[row];
        if third != 0 {
            let bit = hash_head([first, second, third, fourth]);
            heads[bit / 64] |= 1 << (bit % 64);
        }
        row += 1;
    }
    heads
};

/// The hash of the first three characters of a gram.
const fn hash_head(gram: [u8; 4]) -> usize {
    (mix(u32::from_le_bytes(gram) as u64 & 0x00FF_FFFF) >> (u64::BITS - HEAD_BITS)) as usize
}

/// Returns whether a gram of three or four characters may begin with these three.
fn may_be_long(gram: [u8; 4]) -> bool {
    let bit = hash_head(gram);
    HEADS_OF_LONG.get(bit / 64).is_some_and(|bits| bits >> (bit % 64) & 1 != 0)
}

/// Returns whether a gram is known, with what is before it; zeros follow a short one.
fn has_gram(gram: [u8; 4], before: impl Fn() -> Option<u8>) -> bool {
    has_record(GRAMS, mix(u64::from(u32::from_le_bytes(gram))), |[a, b, c, d, wanted, ..]| {
        [a, b, c, d] == gram && (wanted == 0 || before() == Some(wanted))
    })
}

/// Returns whether folding drops the sign at `at`: a slash after another, a dot between two. Runs of these would be read again for
/// each of them.
fn is_dropped(text: &[u8], at: usize) -> bool {
    let is_slash = |at: usize| matches!(text.get(at), Some(b'/' | b'\\'));
    let is_after_slash = at.checked_sub(1).is_some_and(is_slash);
    let is_after_both = at.checked_sub(2).is_some_and(is_slash) && text.get(at - 1) == Some(&b'.');
    match text.get(at) {
        Some(b'.') => is_after_slash && is_slash(at + 1),
        Some(b'/' | b'\\') => is_after_slash || is_after_both,
        _ => false,
    }
}

/// The folded character before what is at `at` and counts as `own`.
fn before(text: &[u8], at: usize, own: u8) -> Option<u8> {
    let mut is_spaced = false;
    let mut at = at;
    loop {
        at = at.checked_sub(1)?;
        let mut byte = *text.get(at)?;
        if !byte.is_ascii() {
            // The first byte of the character.
            let start = (at.saturating_sub(3)..=at)
                .rev()
                .find(|&at| text.get(at).is_some_and(|byte| byte & 0xC0 != 0x80));
            let start = start.unwrap_or(at);
            let (found, len) = beyond_ascii(text.get(start..).unwrap_or_default());
            byte = if start + len > at { found } else { OTHER };
            if byte == b' ' {
                at = start;
            }
        }
        let folded = match kind(byte) {
            Kind::Space => {
                is_spaced = true;
                continue;
            }
            Kind::Digit => b'0',
            Kind::Slash => b'/',
            _ => byte.to_ascii_lowercase(),
        };
        let is_put = is_spaced && !is_tight(folded) && !is_tight(own);
        return Some(if is_put { b' ' } else { folded });
    }
}

fn is_tight(byte: u8) -> bool {
    kind(byte) == Kind::Tight
}

/// Folds what follows a character that counts as `last`, one character at a time.
struct Following<'t> {
    text: &'t [u8],
    at: usize,
    last: u8,
}

impl Following<'_> {
    fn is_slash(&self, at: usize) -> bool {
        matches!(self.text.get(at), Some(b'/' | b'\\'))
    }

    fn next(&mut self) -> Option<u8> {
        let mut is_spaced = false;
        loop {
            let first = *self.text.get(self.at)?;
            // What folding keeps whatever is beside it.
            if !is_spaced && matches!(kind(first), Kind::Letter | Kind::Plain | Kind::Tight) {
                self.at += 1;
                self.last = first.to_ascii_lowercase();
                return Some(self.last);
            }
            let (byte, len) = if first.is_ascii() {
                (first, 1)
            } else {
                beyond_ascii(self.text.get(self.at..).unwrap_or_default())
            };
            let end = self.at + len;
            let kind = kind(byte);
            let folded = match kind {
                Kind::Space => {
                    is_spaced = true;
                    self.at = end;
                    continue;
                }
                Kind::Digit => b'0',
                Kind::Slash => b'/',
                _ => byte.to_ascii_lowercase(),
            };
            let is_same = folded == self.last && matches!(kind, Kind::Digit | Kind::Slash);
            let is_passed = self.last == b'/' && kind == Kind::Dot && self.is_slash(end);
            if is_spaced {
                if kind != Kind::Tight && !is_tight(self.last) {
                    self.last = b' ';
                    return Some(b' ');
                }
            } else if is_same || is_passed {
                self.at = end;
                continue;
            }
            self.at = end;
            self.last = folded;
            return Some(folded);
        }
    }
}
