//! The folded characters around some bytes of a text, without folding all of it.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice or table, and counts of what is in it"
)]

use super::fold::{Kind, OTHER, beyond_ascii, kind};
use super::prefilter::has_pair;
use super::tables::GRAMS;

/// In place of a folded character that has to be there: anything.
const ANY: u8 = 0;
/// What begins a command, and what ends one.
const COMMAND: u8 = 1;
/// The end of the text.
const END: u8 = 2;
/// No letter, digit or `_`.
const BOUNDARY: u8 = 3;

const GRAM_BITS: u32 = 10;
const _: () = assert!(GRAMS.len() == 1 << GRAM_BITS);

/// The characters around a token, folded as they are asked for.
pub(super) struct Around<'t> {
    text: &'t [u8],
    /// Where the token begins.
    at: usize,
    /// The character after it; nothing at the end of the text.
    next: Option<u8>,
    following: Following<'t>,
}

impl<'t> Around<'t> {
    /// Those around the letters of a token, which has no guarded bytes beside it.
    pub(super) fn new(text: &'t [u8], at: usize, len: usize) -> Self {
        let mut following = Following { text, at: at + len, last: b'a' };
        Around { text, at, next: following.next(), following }
    }

    /// Whether they are what has to be there: before the token, after it, after that, and before the one before.
    pub(super) fn has(&self, wanted: [u8; 4]) -> bool {
        let [before, next, after_next, before_that] = wanted;
        is(next, self.next, b" ;|&)<>$", true)
            && (before == ANY && before_that == ANY || self.has_before(before, before_that))
            && (after_next == ANY || is(after_next, self.following.clone().next(), b"", false))
    }

    fn has_before(&self, before: u8, before_that: u8) -> bool {
        let found = self::before(self.text, self.at, b'a');
        is(before, found.map(|(byte, _)| byte), b";|&(", false)
            && (before_that == ANY || {
                let found = found.and_then(|(byte, at)| self::before(self.text, at, byte));
                is(before_that, found.map(|(byte, _)| byte), b"", false)
            })
    }
}

/// Whether a character is what has to be there; `command` are those that are beside one, and so may be the end.
#[inline]
fn is(wanted: u8, found: Option<u8>, command: &[u8], may_end: bool) -> bool {
    match wanted {
        ANY => true,
        COMMAND => found.map_or(may_end, |found| command.contains(&found)),
        END => found.is_none(),
        BOUNDARY => found != Some(b'0') && found != Some(b'_'),
        wanted => found == Some(wanted),
    }
}

/// Whether a gram begins with the sign at `at`.
#[cold]
#[inline(never)]
pub(super) fn is_gram(text: &[u8], at: usize) -> bool {
    let Some(&sign) = text.get(at) else { return false };
    if is_dropped(text, at) {
        return false;
    }
    let sign = if sign == b'\\' { b'/' } else { sign };
    let mut following = Following { text, at: at + 1, last: sign };
    let Some(second) = following.next().filter(|second| has_pair([sign, *second])) else { return false };
    let mut gram = [sign, second, 0, 0];
    let before = || before(text, at, sign).map(|(byte, _)| byte);
    for nth in 2..=gram.len() {
        if has_gram(gram, before) {
            return true;
        }
        let (Some(place), Some(next)) = (gram.get_mut(nth), following.next()) else { return false };
        *place = next;
    }
    false
}

/// Whether folding drops the sign at `at`: a slash after another, a dot between two. Runs of these would be read again for
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

/// Whether a gram is known, with what is before it; zeros follow a short one.
fn has_gram(gram: [u8; 4], before: impl Fn() -> Option<u8>) -> bool {
    let hash = u32::from_le_bytes(gram).wrapping_mul(0x9E37_79B1);
    let mut slot = (hash >> (u32::BITS - GRAM_BITS)) as usize;
    while let Some(&[a, b, c, d, wanted, ..]) = GRAMS.get(slot) {
        if a == 0 {
            break;
        }
        if [a, b, c, d] == gram && (wanted == ANY || before() == Some(wanted)) {
            return true;
        }
        slot = (slot + 1) % GRAMS.len();
    }
    false
}

/// The folded character before what is at `at` and counts as `own`, and where it begins.
fn before(text: &[u8], at: usize, own: u8) -> Option<(u8, usize)> {
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
        return Some(if is_put { (b' ', at + 1) } else { (folded, at) });
    }
}

fn is_tight(byte: u8) -> bool {
    kind(byte) == Kind::Tight
}

/// Folds what follows a character that counts as `last`, one character at a time.
#[derive(Clone)]
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
