//! Rejects texts that no entry is in, which is most of them, without folding them.
//!
//! `cargo x generate` chose a literal for every entry: a run of letters (a *token*) with the classes of what is beside
//! it, letters that a token begins with or has inside, or a *gram*, which is a sign and the folded characters behind
//! it. Folding changes no token, since it only drops signs, spaces and digits, none of which joins two of them. A first
//! table has a bit for each token, a second one what may be beside it.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice or table, and counts of what is in it"
)]

use super::Walked;
use super::gram::is_gram;
use super::reading::mark;
use super::tables::{BYTES, INSIDE, LISTS, LITERALS, MASKS, SIGNS, TOKENS};
use crate::bytes;
use crate::index::beyond_ascii;
use crate::steps;
use crate::swar::eight_at;
use crate::walk::{Visitor, walk};

/// Sizes of tables, as powers of two.
const TOKEN_BITS: u32 = 18;
const LITERAL_BITS: u32 = 13;
const INSIDE_BITS: u32 = 9;
const CODE_BITS: u32 = 6;
const _: () = assert!(TOKENS.len() == 1 << (TOKEN_BITS - 6) && LITERALS.len() == 1 << LITERAL_BITS);
const _: () = assert!(INSIDE.len() == 1 << INSIDE_BITS && SIGNS.len() == 1 << (2 * CODE_BITS));

/// Tokens of fewer letters have no literal inside that is not one of them.
const SHORTEST_INSIDE: usize = 7;
/// Letters inside of a token are looked at four at a time.
const WINDOW: usize = 4;

/// The code of white space; that of what is beyond ASCII is below, and that of what is beyond an end above all others.
const SPACE_CODE: u8 = 1;
const DIGIT_CODE: u8 = 2;
const END: u8 = u8::MAX;
/// Is set in the first code of the last record of a list.
const LAST: u8 = 1 << 7;
/// The class of white space, and of what is before the first byte and after the last.
const SPACE: u8 = 1;
const EDGE: u8 = 0;
/// How many classes there are.
const CLASSES: u8 = 16;
/// Is added to the class of a byte behind white space.
const SPACED: u8 = 16;

/// Returns whether an entry may be in a text, as it is, without guarded bytes; `byte_classes` is the union of the classes of its bytes.
pub(super) fn may_match(text: &[u8], byte_classes: u32) -> Walked {
    let may_match = match byte_classes & (bytes::NO_ALNUM | bytes::ALPHA | bytes::DIGIT) {
        0 | bytes::DIGIT => false,
        bytes::LOWER | bytes::UPPER | bytes::ALPHA => is_token(text, 0, eight_at(text, 0), text.len()),
        _ => {
            let has_high = byte_classes & bytes::HIGH != 0;
            let mut words = Words { prefilter: Prefilter::new(text), marks: 0, has_high };
            let may_match = walk(text, &mut words);
            return Walked { may_match, marks: words.marks };
        }
    };
    Walked { may_match, marks: 0 }
}

/// The state of a walk that a literal ends.
struct Words<'t> {
    prefilter: Prefilter<'t>,
    /// The union of the marks that readings ask for, of the signs so far.
    marks: u8,
    /// Whether the text may have bytes beyond ASCII.
    has_high: bool,
}

impl Visitor for Words<'_> {
    #[inline(always)]
    fn letters(&mut self, at: usize, eight: u64, len: usize) -> bool {
        self.prefilter.is_letters(at, eight, len)
    }

    #[inline(always)]
    fn sign(&mut self, at: usize, byte: u8, next: u8) -> bool {
        self.marks |= mark(byte);
        self.prefilter.is_sign(at, byte, next)
    }

    #[inline(always)]
    fn choose_signs(&self, signs: u64, window: &[u8; 64]) -> u64 {
        // No gram begins with what is beyond ASCII, and no reading drops it.
        if self.has_high { signs & !beyond_ascii(window) } else { signs }
    }
}

/// Finds literals in a text, as it is walked over.
#[derive(Clone, Copy)]
pub(crate) struct Prefilter<'t> {
    text: &'t [u8],
}

impl<'t> Prefilter<'t> {
    /// For a text without guarded bytes.
    #[inline]
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Prefilter { text }
    }

    /// Returns whether a run of letters is a literal; see [`Visitor::letters`].
    #[inline(always)]
    pub(crate) fn is_letters(self, at: usize, eight: u64, len: usize) -> bool {
        is_token(self.text, at, eight, len)
    }

    /// Returns whether a literal begins with a sign; see [`Visitor::sign`].
    #[inline(always)]
    pub(crate) fn is_sign(self, at: usize, byte: u8, next: u8) -> bool {
        let classes = classes_before(byte, next);
        classes != 0 && classes >> class_at(self.text, at.wrapping_sub(1)) & 1 != 0 && is_gram(self.text, at)
    }
}

/// Returns whether the token at `at`, which has `len` letters, is a literal, or has one inside; `eight` are the bytes from `at` on.
#[inline(always)]
fn is_token(text: &[u8], at: usize, eight: u64, len: usize) -> bool {
    let hash = hash(eight, len);
    has_bit(hash) && has_neighbours(text, at, len, hash) && is_literal(text, at, len, hash)
        || len >= SHORTEST_INSIDE && has_inside(text, at, len)
}

/// The hash of a token: of its length and its letters, up to eight.
#[inline]
fn hash(eight: u64, len: usize) -> u64 {
    let letters = lower(eight) & u64::MAX >> ((64 - 8 * len.min(8) as u32) & 63);
    mix(letters.wrapping_add(len as u64))
}

/// Eight letters in lower case.
#[inline]
fn lower(eight: u64) -> u64 {
    eight | 0x2020_2020_2020_2020
}

#[inline]
pub(super) const fn mix(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Returns whether a record of a table is wanted, from the slot of a hash on to one that is free.
#[inline(always)]
pub(super) fn has_record<const COUNT: usize>(
    table: &'static [[u8; 8]; COUNT],
    hash: u64,
    mut is_wanted: impl FnMut([u8; 8]) -> bool,
) -> bool {
    let mut slot = (hash >> (u64::BITS - COUNT.ilog2())) as usize;
    while let Some(record) = table.get(slot % COUNT).filter(|record| **record != [0; 8]) {
        if is_wanted(*record) {
            return true;
        }
        slot += 1;
    }
    false
}

/// Returns whether the first table has a token or a window.
#[inline]
fn has_bit(hash: u64) -> bool {
    let bit = (hash >> (u64::BITS - TOKEN_BITS)) as usize;
    TOKENS.get(bit / 64).is_some_and(|bits| u64::from_le_bytes(*bits) >> (bit % 64) & 1 != 0)
}

/// Returns whether a token that the first table has may be a literal, by the bytes right beside it: most are words that
/// attacks have somewhere else.
#[inline(always)]
fn has_neighbours(text: &[u8], at: usize, len: usize, hash: u64) -> bool {
    let record = LITERALS.get((hash >> (u64::BITS - LITERAL_BITS)) as usize).copied().unwrap_or_default();
    let [a, b, _, _, before @ .., e, f] = record;
    // Behind the record of another token there may be the one that is wanted.
    u16::from_le_bytes([a, b]) != tag(hash)
        || u16::from_le_bytes(before) >> class_at(text, at.wrapping_sub(1)) & 1 != 0
            && u16::from_le_bytes([e, f]) >> class_at(text, at + len) & 1 != 0
}

/// The part of a hash by which records of tokens are compared.
#[inline]
fn tag(hash: u64) -> u16 {
    (hash >> u32::BITS) as u16
}

/// Returns whether a token that the first table has is a literal, with what is beside it.
#[inline(never)]
fn is_literal(text: &[u8], at: usize, len: usize, hash: u64) -> bool {
    steps::slow("keyword literal compared");
    let mut first = 0;
    has_record(LITERALS, hash, |[a, b, low, high, ..]| {
        first = usize::from(u16::from_le_bytes([low, high]));
        u16::from_le_bytes([a, b]) == tag(hash)
    }) && {
        let (head, tail) = text.split_at(at.min(text.len()));
        let before = Beside::of(head.iter().rev());
        let after = Beside::of(tail.get(len..).unwrap_or_default().iter());
        for &[mask, code_before, behind_before, code_after, behind_after] in LISTS.iter().skip(first) {
            let [a, b, c, d, e, f, g, h] = MASKS.get(usize::from(mask)).copied().unwrap_or_default();
            if before.is_class(u32::from_le_bytes([a, b, c, d]))
                && after.is_class(u32::from_le_bytes([e, f, g, h]))
                && before.is(code_before & !LAST, behind_before)
                && after.is(code_after, behind_after)
            {
                return true;
            }
            if code_before & LAST != 0 {
                break;
            }
        }
        false
    }
}

/// The neighbours of a token: the first byte that is no white space, and those behind it.
struct Beside<I> {
    class: u8,
    code: u8,
    others: I,
}

impl<'t, I: Iterator<Item = &'t u8> + Clone> Beside<I> {
    #[inline(always)]
    fn of(mut bytes: I) -> Self {
        let mut spaced = 0;
        loop {
            let Some(byte) = bytes.next() else { return Beside { class: EDGE, code: 0, others: bytes } };
            match BYTES.get(usize::from(*byte)).copied().unwrap_or_default() {
                [SPACE, _] => spaced = SPACED,
                [class, code] => return Beside { class: class + spaced, code, others: bytes },
            }
        }
    }

    /// Returns whether it is of some classes.
    #[inline(always)]
    fn is_class(&self, classes: u32) -> bool {
        classes >> self.class & 1 != 0
    }

    /// Returns whether it has the codes that are wanted, if any. What is beyond ASCII, or an end, has none.
    #[inline(always)]
    fn is(&self, code: u8, behind: u8) -> bool {
        (code == 0 || self.code == code || self.code == 0) && (behind == 0 || self.is_behind(behind))
    }

    /// Returns whether the byte behind it, or behind the digits that it begins, has a code, or may fold to anything.
    fn is_behind(&self, wanted: u8) -> bool {
        let is_digit = self.code == DIGIT_CODE;
        let mut others = self.others.clone().skip_while(|next| is_digit && next.is_ascii_digit());
        // Nothing is behind an end.
        let code = others.next().map_or(END, |byte| code_of(*byte) as u8);
        code == wanted || code <= SPACE_CODE
    }
}

/// The class of the byte at a place of a text, or of what is beyond it.
#[inline(always)]
fn class_at(text: &[u8], at: usize) -> u8 {
    let class = text.get(at).and_then(|byte| BYTES.get(usize::from(*byte))).map_or(EDGE, |[class, _]| *class);
    class % CLASSES
}

#[inline]
fn code_of(byte: u8) -> usize {
    BYTES.get(usize::from(byte)).map_or(0, |[_, code]| usize::from(*code))
}

/// Returns whether a token has a literal inside: its letters are looked at four at a time.
#[inline]
fn has_inside(text: &[u8], at: usize, len: usize) -> bool {
    steps::slow("letters compared by four");
    let (windows, _) = text.get(at..at + len).unwrap_or_default().as_chunks::<WINDOW>();
    windows.iter().enumerate().any(|(nth, window)| {
        let letters = lower(u64::from(u32::from_le_bytes(*window))) & u64::from(u32::MAX);
        let hash = mix(letters | 0xFFFF << u32::BITS);
        has_bit(hash) && is_inside(text, at + nth * WINDOW, hash)
    })
}

/// Returns whether a window that the first table has is in a literal, with the letters around it.
#[cold]
fn is_inside(text: &[u8], at: usize, hash: u64) -> bool {
    has_record(INSIDE, hash, |[a, b, c, d, e, f, back, _]| {
        let start = at.checked_add_signed(-isize::from(back as i8)).unwrap_or(text.len());
        let found = lower(eight_at(text, start)) << 16 >> 16;
        found == u64::from_le_bytes([a, b, c, d, e, f, 0, 0])
    })
}

/// The classes of what may be before a gram that begins with two characters, a bit each.
#[inline]
pub(super) fn classes_before(sign: u8, next: u8) -> u16 {
    let classes = SIGNS.get(code_of(sign) << CODE_BITS | code_of(next));
    classes.map_or(0, |classes| u16::from_le_bytes(*classes))
}
