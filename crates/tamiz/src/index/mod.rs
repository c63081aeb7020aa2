//! Bitmaps of a text: which of its bytes are letters and which are signs, 64 at a time.

#![allow(clippy::arithmetic_side_effects, reason = "places in 64 bytes, and offsets into one slice")]

#[cfg(any(test, not(target_arch = "x86_64")))]
mod scalar;
#[cfg(target_arch = "x86_64")]
mod simd;

#[cfg(not(target_arch = "x86_64"))]
use scalar::sixteen;
#[cfg(target_arch = "x86_64")]
use simd::sixteen;

use crate::swar::eight_at;

/// Which of up to 64 bytes are of a kind, a bit each, that of the first byte lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    /// ASCII letters.
    pub(crate) letters: u64,
    /// Bytes that are no ASCII letters or digits.
    pub(crate) signs: u64,
}

/// The same kinds of sixteen bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sixteen {
    letters: u16,
    signs: u16,
}

impl Window {
    /// Classifies the bytes of a text from `start` on.
    #[inline(always)]
    pub(crate) fn at(text: &[u8], start: usize) -> Self {
        let mut window = Window::default();
        let end = text.len().min(start + 64);
        let (mut at, mut place) = (start, 0);
        while let Some(bytes) = text.get(at..).and_then(|rest| rest.first_chunk())
            && place < 64
        {
            window.add(sixteen(bytes), place);
            at += 16;
            place += 16;
        }
        if at < end {
            window.add(last(text, end - at), place);
        }
        window
    }

    #[inline(always)]
    fn add(&mut self, Sixteen { letters, signs }: Sixteen, place: usize) {
        self.letters |= u64::from(letters) << place;
        self.signs |= u64::from(signs) << place;
    }
}

/// The kinds of the last bytes of a text, of which there are `len`, fewer than sixteen.
#[inline(always)]
fn last(text: &[u8], len: usize) -> Sixteen {
    if let Some(bytes) = text.last_chunk() {
        let Sixteen { letters, signs } = sixteen(bytes);
        let others = 16 - len;
        return Sixteen { letters: letters >> others, signs: signs >> others };
    }
    let bytes = u128::from(eight_at(text, 0)) | u128::from(eight_at(text, 8)) << 64;
    let Sixteen { letters, signs } = sixteen(&bytes.to_le_bytes());
    // Zeros, which are signs, follow the text.
    Sixteen { letters, signs: signs & !(u16::MAX << len) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_of_its_kind() {
        let mut random = crate::context::tests::random();
        for len in (0..100).chain([127, 128, 129, 300]) {
            let text: Vec<u8> = (0..len).map(|_| random(256) as u8).collect();
            for start in (0..len).step_by(64) {
                let mut expected = Window::default();
                for (place, byte) in text[start..].iter().take(64).enumerate() {
                    expected.letters |= u64::from(byte.is_ascii_alphabetic()) << place;
                    expected.signs |= u64::from(!byte.is_ascii_alphanumeric()) << place;
                }
                assert_eq!(Window::at(&text, start), expected, "{len} {start}");
            }
        }
    }

    #[test]
    fn vectors_and_numbers_agree() {
        let mut random = crate::context::tests::random();
        for _ in 0..20_000 {
            let bytes = std::array::from_fn(|_| random(256) as u8);
            assert_eq!(sixteen(&bytes), scalar::sixteen(&bytes));
        }
    }
}
