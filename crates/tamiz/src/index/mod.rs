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
    /// Classifies the first `len` of 64 bytes.
    #[inline(always)]
    pub(crate) fn of(bytes: &[u8; 64], len: usize) -> Self {
        let mut window = Window::default();
        let (sixteens, _) = bytes.as_chunks();
        for (bytes, place) in sixteens.iter().zip((0..len).step_by(16)) {
            let Sixteen { letters, signs } = sixteen(bytes);
            window.letters |= u64::from(letters) << place;
            window.signs |= u64::from(signs) << place;
        }
        if len < 64 {
            let bits = !(u64::MAX << len);
            window.letters &= bits;
            window.signs &= bits;
        }
        window
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_of_its_kind() {
        let mut random = crate::context::tests::random();
        for len in (0..=64).cycle().take(2_000) {
            let bytes: [u8; 64] = std::array::from_fn(|_| random(256) as u8);
            let mut expected = Window::default();
            for (place, byte) in bytes[..len].iter().enumerate() {
                expected.letters |= u64::from(byte.is_ascii_alphabetic()) << place;
                expected.signs |= u64::from(!byte.is_ascii_alphanumeric()) << place;
            }
            assert_eq!(Window::of(&bytes, len), expected, "{len}");
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
