//! Where letters and signs are, a bit for each byte of a block.

#![allow(clippy::arithmetic_side_effects, reason = "runs at compile time, or shifts by less than 64")]

/// How many bytes a block has at most.
pub(super) const BLOCK: usize = 64;

/// Where bytes of a kind are in a block, the first lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Masks {
    /// ASCII letters.
    pub(super) letters: u64,
    /// ASCII but letters, digits, white space and controls.
    pub(super) signs: u64,
}

impl Masks {
    /// The masks of a block of a text, from `start` on.
    #[inline(never)]
    pub(super) fn at(text: &[u8], start: usize) -> Self {
        let rest = text.get(start..).unwrap_or_default();
        let (first, second) = match rest.split_at_checked(HALF) {
            None => (half(rest), 0),
            Some((first, second)) => (half(first), half(second.get(..HALF).unwrap_or(second))),
        };
        Masks {
            letters: u64::from(first as u32) | second << HALF,
            signs: first >> HALF | second & u64::from(u32::MAX) << HALF,
        }
    }
}

/// Half of a block has its letters in one half of a number, its signs in the other.
const HALF: usize = BLOCK / 2;

/// Where letters and signs are among at most [`HALF`] bytes.
#[inline(always)]
fn half(bytes: &[u8]) -> u64 {
    /// The top bit of a half is set for a byte of its kind; it goes down as others come.
    const KINDS: [u64; 256] = {
        let mut kinds = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            kinds[byte] = ((byte as u8).is_ascii_alphabetic() as u64 * (1 << 31))
                | ((byte as u8).is_ascii_punctuation() as u64 * (1 << 63));
            byte += 1;
        }
        kinds
    };
    let kind = |byte: u8| KINDS.get(usize::from(byte)).copied().unwrap_or_default();
    let (eights, rest) = bytes.as_chunks::<8>();
    let mut masks = 0;
    for eight in eights {
        for &byte in eight {
            masks = masks >> 1 | kind(byte);
        }
    }
    for &byte in rest {
        masks = masks >> 1 | kind(byte);
    }
    masks >> (HALF - bytes.len().min(HALF))
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
                let masks = Masks::at(&block, 0);
                assert_eq!(masks.letters, bit(u8::is_ascii_alphabetic));
                assert_eq!(masks.signs, bit(u8::is_ascii_punctuation));
            }
        }
    }
}
