//! Where letters, digits and signs are, a bit for each byte of a block.

#![allow(clippy::arithmetic_side_effects, reason = "of ASCII, no sum leaves its byte; shifts are below 64")]

use crate::eights::{self, TOPS, eight_at};

/// How many bytes a block has at most.
pub(super) const BLOCK: usize = 64;

/// Where bytes of a kind are in a block, the first lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Masks {
    /// ASCII letters.
    pub(super) letters: u64,
    pub(super) digits: u64,
    /// Other ASCII but white space and controls.
    pub(super) signs: u64,
}

impl Masks {
    /// The masks of at most [`BLOCK`] bytes.
    #[inline]
    pub(super) fn of(block: &[u8]) -> Self {
        let mut masks = Masks::default();
        let (eights, rest) = block.as_chunks();
        for (nth, eight) in eights.iter().enumerate() {
            masks.add(u64::from_le_bytes(*eight), 8 * nth as u32);
        }
        if !rest.is_empty() {
            masks.add(eight_at(block, block.len() - rest.len()), 8 * eights.len() as u32);
        }
        masks
    }

    #[inline]
    fn add(&mut self, eight: u64, shift: u32) {
        let ascii = eight & !TOPS;
        let (letters, digits) = (eights::letters(ascii) & !eight, eights::digits(ascii) & !eight);
        let signs = (ascii + 0x5F5F_5F5F_5F5F_5F5F) & !eight & TOPS & !letters & !digits;
        self.letters |= bits(letters) << (shift & 63);
        self.digits |= bits(digits) << (shift & 63);
        self.signs |= bits(signs) << (shift & 63);
    }
}

/// The top bits of eight bytes, side by side.
#[inline]
fn bits(tops: u64) -> u64 {
    (tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_those_of_each_byte() {
        let mut random = crate::context::tests::random();
        for len in 0..=BLOCK {
            for _ in 0..200 {
                let block: Vec<u8> = (0..len).map(|_| random(256) as u8).collect();
                let bit = |is: fn(&u8) -> bool| {
                    block.iter().enumerate().fold(0, |mask, (at, byte)| mask | u64::from(is(byte)) << at)
                };
                let masks = Masks::of(&block);
                assert_eq!(masks.letters, bit(u8::is_ascii_alphabetic));
                assert_eq!(masks.digits, bit(u8::is_ascii_digit));
                assert_eq!(masks.signs, bit(|byte| byte.is_ascii_punctuation() || *byte == 0x7F));
            }
        }
    }
}
