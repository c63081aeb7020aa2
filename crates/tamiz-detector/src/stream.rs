//! Hashes text that comes in pieces, eight bytes at a time: how a text is cut does not change its hash.
//!
//! These hashes live as long as a detector. What a file depends on is hashed by `hash.rs`.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// A number that nobody can guess, to begin hashes with: nobody can look for two texts that have the same.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Where hashes begin that are compared all over the process.
pub(crate) fn process_seed() -> u64 {
    static SEED: LazyLock<u64> = LazyLock::new(random);
    *SEED
}

/// Two odd numbers without a pattern, from the digits of pi.
const MIX: [u64; 2] = [0x2437_6a88_85a3_08d3, 0x1319_8a2e_0370_7345];
/// The lowest and the highest bit of each byte.
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// A text so far. It is copied to hash several texts that begin alike.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stream {
    state: u64,
    /// The bytes that do not make a word yet, and zeros.
    tail: u64,
    len: u32,
    /// Has a bit where a word had a byte that is not printable ASCII, or is a space.
    odd: u64,
}

impl Stream {
    /// A text that begins with nothing yet.
    #[inline(always)]
    pub(crate) fn new(seed: u64) -> Self {
        Stream { state: seed, ..Stream::default() }
    }

    pub(crate) fn of(seed: u64, text: &str) -> Self {
        Stream::new(seed).push(text)
    }

    /// Appends a piece.
    #[inline(always)]
    pub(crate) fn push(mut self, piece: &str) -> Self {
        let (words, rest) = piece.as_bytes().as_chunks::<8>();
        for word in words {
            self = self.word(u64::from_le_bytes(*word), 8);
        }
        if rest.is_empty() { self } else { self.word(partial(rest), rest.len() as u32) }
    }

    /// Appends up to eight bytes; those beyond are zero.
    #[inline(always)]
    fn word(mut self, word: u64, len: u32) -> Self {
        let shift = 8 * (self.len & 7);
        let tail = self.tail | word << shift;
        self.len = self.len.wrapping_add(len);
        self.tail = tail;
        if shift + 8 * len >= 64 {
            self.odd |= odd(tail);
            self.state = fold(self.state ^ tail, MIX[0]);
            // What did not fit; nothing, where the word began where the last had ended.
            self.tail = (word >> 1) >> (63 - shift);
        }
        self
    }

    /// How many bytes it has.
    #[inline(always)]
    pub(crate) fn len(self) -> u32 {
        self.len
    }

    /// The hash of the text, and whether all of it is printable ASCII without spaces.
    #[inline(always)]
    pub(crate) fn finish(self) -> (u64, bool) {
        let filled = 8 * (self.len & 7);
        // The bytes that are missing are taken for printable ones.
        let is_plain = (self.odd | odd(self.tail | (LOW * 0x21) << filled)) == 0 || self.len == 0;
        (fold(self.state ^ self.tail, MIX[1] ^ u64::from(self.len)), is_plain)
    }
}

/// The bytes of less than a word, and zeros.
#[inline(always)]
fn partial(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let shift = 8 * (bytes.len() as u32 - 4);
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << shift;
    }
    match *bytes {
        [a] => a.into(),
        [a, b] => u64::from(a) | u64::from(b) << 8,
        [a, b, c] => u64::from(a) | u64::from(b) << 8 | u64::from(c) << 16,
        _ => 0,
    }
}

/// Has a bit where a byte of the word is below `!` or above `~`; the lowest such byte has one.
#[inline(always)]
fn odd(word: u64) -> u64 {
    (word | word.wrapping_sub(LOW * 0x21) | word.wrapping_add(LOW)) & HIGH
}

/// Both halves of a product, so that each bit depends on all of both.
#[inline(always)]
pub(crate) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ MIX[1]) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_matter() {
        let text = "q.descripcion=mixed@16-31/áéí…0123456789abcdefghijklmnopqrstuvwxyz";
        for from in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            for to in (from..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let whole = Stream::of(1, &text[from..to]).finish();
                for cut in (from..=to).filter(|at| text.is_char_boundary(*at)) {
                    assert_eq!(Stream::of(1, &text[from..cut]).push("").push(&text[cut..to]).finish(), whole);
                }
            }
        }
    }

    #[test]
    fn texts_are_told_apart() {
        let mut seen = std::collections::BTreeSet::new();
        for length in 0..40 {
            for c in ['\0', 'a', 'b'] {
                assert!(seen.insert(Stream::of(1, &c.to_string().repeat(length)).finish().0) || length == 0);
            }
        }
        for n in 0..100_000_u32 {
            assert!(seen.insert(Stream::of(1, &format!("q.{n}")).finish().0));
        }
    }

    #[test]
    fn plain_text_is_printable_ascii_without_spaces() {
        for c in (0..=0x250_u32).filter_map(char::from_u32) {
            for before in 0..10 {
                let text = format!("{}{c}{}", "a".repeat(before), "!~".repeat(before % 3));
                assert_eq!(Stream::of(1, &text).finish().1, c.is_ascii_graphic(), "{text:?}");
            }
        }
        assert!(Stream::of(1, "").finish().1);
    }
}
