//! Rejects texts that no entry is in, which is most of them, without folding them.
//!
//! `cargo x generate` chose a witness for every entry: a run of letters (a *token*) with the folded characters around
//! it, the first letters of one, some letters inside of one, or a *gram*, which is a sign and the folded characters
//! behind it. Folding changes no token, since it only drops signs, spaces and digits, none of which joins two of
//! them. A first table has a bit for each token, a second one what has to be around it.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice or table, and counts of what is in it"
)]

use super::around::{Around, is_gram};
use super::fold::OTHER;
use super::masks::{self, Masks};
use super::tables::{AROUND, CORES, SIGN_PAIRS, TOKENS};
use crate::bytes;
use crate::decode::{GUARD, escape};

/// How many letters of a token the first table is asked for.
const PREFIX: usize = 4;
/// Lengths of tokens beyond this are the same to it.
const LONGEST_KEY: usize = 15;
/// Sizes of tables, as powers of two.
const TOKEN_BITS: u32 = 18;
const CORE_BITS: u32 = 14;
const _: () = assert!(TOKENS.len() == 1 << (TOKEN_BITS - 3) && CORES.len() == 1 << CORE_BITS);

/// Seeds of the hashes of cores: whole tokens, first letters, letters inside.
const WHOLE: u32 = 1;
const BEGUN: u32 = 2;
const INNER: u32 = 3;

/// Whether a text has bytes to put in for guarded ones.
pub(super) fn has_guarded(text: &[u8], seen: u32) -> bool {
    seen & bytes::HIGH != 0 && memchr::memchr(GUARD, text).is_some()
}

/// Whether an entry may be in a text, as it is, without guarded bytes; `seen` is the union of the classes of its bytes.
pub(super) fn may_match(text: &[u8], seen: u32) -> bool {
    if seen & (bytes::NO_ALNUM | bytes::ALPHA) == 0 {
        return false;
    }
    // No entry of hexadecimal digits alone is known by a single letter.
    walk(text, !bytes::is_hexadecimal(seen))
}

/// Appends a text with each guarded byte as the character that it counts as.
pub(super) fn unguard(text: &[u8], plain: &mut Vec<u8>) {
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

/// Whether a text, which has no guarded bytes, has a witness; with single letters beside digits, if they count.
fn walk(text: &[u8], with_singles: bool) -> bool {
    // Whether the block before ended in a letter, in a digit.
    let (mut letter_before, mut digit_before) = (0, 0);
    for (nth, block) in text.chunks(masks::BLOCK).enumerate() {
        let Masks { letters, digits, signs } = Masks::of(block);
        let starts = letters & !(letters << 1 | letter_before);
        // What the next block begins with is not known here.
        let goes_on = letters >> 1 | 1 << 63;
        let is_beside_digit = (digits << 1 | digit_before) | digits >> 1;
        let singles = if with_singles { is_beside_digit } else { 0 };
        let mut tokens = starts & (goes_on | singles);
        let start = nth * masks::BLOCK;
        while tokens != 0 {
            let bit = tokens.trailing_zeros();
            tokens &= tokens - 1;
            let at = start + bit as usize;
            let mut len = (letters >> bit).trailing_ones() as usize;
            if bit as usize + len == masks::BLOCK {
                len += letters_at(text, at + len);
            }
            if may_be_token(text, at, len) && is_witness(text, at, len) {
                return true;
            }
        }
        let mut signs = signs;
        while signs != 0 {
            let at = start + signs.trailing_zeros() as usize;
            signs &= signs - 1;
            if may_begin_gram(text, at) && is_gram(text, at) {
                return true;
            }
        }
        letter_before = letters >> 63;
        digit_before = digits >> 63;
    }
    false
}

/// How many letters are in a text from `at` on.
fn letters_at(text: &[u8], at: usize) -> usize {
    text.iter().skip(at).take_while(|byte| byte.is_ascii_alphabetic()).count()
}

/// Whether the first table has a token, or letters inside of it.
#[inline]
fn may_be_token(text: &[u8], at: usize, len: usize) -> bool {
    has_token(first_letters(text, at, len), len.min(LONGEST_KEY))
        || len >= 2 * PREFIX && may_have_inside(text, at, len)
}

/// Up to four letters in lower case; zeros follow.
#[inline]
fn first_letters(text: &[u8], at: usize, len: usize) -> u32 {
    const CASE: u32 = 0x2020_2020;
    let rest = text.get(at..).unwrap_or_default();
    let four = match rest.first_chunk() {
        Some(four) => u32::from_le_bytes(*four),
        None => rest.iter().rev().fold(0, |four, byte| four << 8 | u32::from(*byte)),
    };
    (four | CASE) & u32::MAX >> (u32::BITS - 8 * len.clamp(1, PREFIX) as u32)
}

/// The bit of the first table for letters and a length.
#[inline]
fn has_token(letters: u32, len: usize) -> bool {
    let key = u64::from(letters) | (len as u64) << 32;
    let bit = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - TOKEN_BITS)) as usize;
    TOKENS.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 != 0)
}

/// Whether the first table has letters inside of a long token, at each fourth one.
fn may_have_inside(text: &[u8], at: usize, len: usize) -> bool {
    let token = text.get(at + PREFIX..at + len).unwrap_or_default();
    let (fours, _) = token.as_chunks::<PREFIX>();
    fours.iter().any(|four| has_token(u32::from_le_bytes(*four) | 0x2020_2020, 0))
}

/// Whether a token that the first table has is a witness.
#[cold]
#[inline(never)]
fn is_witness(text: &[u8], at: usize, len: usize) -> bool {
    let token = text.get(at..at + len).unwrap_or_default();
    let is_core = |letters: &[u8], seed: u32| {
        let known = core(letters, seed);
        !known.is_empty() && {
            let around = Around::new(text, at, len);
            known.iter().any(|wanted| around.has(*wanted))
        }
    };
    let (fours, _) = token.as_chunks::<PREFIX>();
    is_core(token, WHOLE)
        || token.get(..PREFIX).is_some_and(|first| is_core(first, BEGUN))
        || fours.iter().any(|four| is_core(four, INNER))
}

/// What has to be around some letters, if they are known.
fn core(letters: &[u8], seed: u32) -> &'static [[u8; 4]] {
    let hash = letters.iter().fold(seed, |hash, byte| {
        (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x9E37_79B1).rotate_left(13)
    });
    let mut slot = (hash >> (u32::BITS - CORE_BITS)) as usize;
    while let Some(&[a, b, c, d, low, high, count, _]) = CORES.get(slot) {
        if count == 0 {
            break;
        }
        if u32::from_le_bytes([a, b, c, d]) == hash {
            let start = usize::from(u16::from_le_bytes([low, high]));
            return AROUND.get(start..start + usize::from(count)).unwrap_or_default();
        }
        slot = (slot + 1) % CORES.len();
    }
    &[]
}

/// Whether a gram may begin with the sign at `at`, by the byte behind it.
#[inline]
fn may_begin_gram(text: &[u8], at: usize) -> bool {
    text.get(at..).and_then(|rest| rest.first_chunk()).is_some_and(|pair| has_pair(*pair))
}

/// Whether a gram may begin with a sign and a byte behind it.
#[inline]
pub(super) fn has_pair(pair: [u8; 2]) -> bool {
    let bit = usize::from(u16::from_be_bytes(pair));
    SIGN_PAIRS.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 != 0)
}
