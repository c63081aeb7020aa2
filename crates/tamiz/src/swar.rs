//! Eight bytes at once, in a number, the first byte lowest.
//!
//! A function that tells which bytes are of a kind sets their top bits; it is right of ASCII.

#![allow(clippy::arithmetic_side_effects, reason = "of ASCII, no sum leaves its byte; shifts are below 64")]

pub(crate) const TOPS: u64 = 0x8080_8080_8080_8080;
pub(crate) const ONES: u64 = 0x0101_0101_0101_0101;

pub(crate) fn digits(eight: u64) -> u64 {
    // Nothing but digits is below ten then.
    !((eight ^ (ONES * 0x30)) + ONES * 0x76) & TOPS
}

pub(crate) fn letters(eight: u64) -> u64 {
    let lower = eight | (ONES * 0x20);
    (lower + ONES * 0x1F) & !(lower + ONES * 0x05) & TOPS
}

/// The bytes with those that are letters of ASCII in lower case, whatever the others are.
pub(crate) fn lower_case(eight: u64) -> u64 {
    let ascii = eight & !TOPS;
    let upper = (ascii + ONES * 0x3F) & !(ascii + ONES * 0x25) & !eight & TOPS;
    eight | upper >> 2
}

/// The top bits of eight bytes, side by side, that of the first lowest.
#[cfg(any(test, feature = "fuzzing", not(target_arch = "x86_64")))]
pub(crate) fn bits(tops: u64) -> u8 {
    ((tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Where a byte first is.
pub(crate) fn position(byte: u8, eight: u64) -> Option<usize> {
    let zeros = zeros(eight ^ (ONES * u64::from(byte)));
    (zeros != 0).then(|| zeros.trailing_zeros() as usize / 8)
}

/// Bits of which the lowest is the top bit of the first byte that is zero, whatever the others are.
fn zeros(eight: u64) -> u64 {
    eight.wrapping_sub(ONES) & !eight & TOPS
}

/// Up to eight bytes from `at` on, the first lowest; zero beyond the end.
pub(crate) fn eight_at(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    if let Some(eight) = rest.first_chunk() {
        return u64::from_le_bytes(*eight);
    }
    match (text.last_chunk(), rest.len()) {
        (_, 0) => 0,
        (Some(last), len) => u64::from_le_bytes(*last) >> (64 - 8 * len),
        (None, _) => few_bytes(rest),
    }
}

/// The first `len` bytes of a text, of which there is one at least, the first lowest; of more than sixteen the first sixteen.
#[inline(always)]
pub(crate) fn first_sixteen(text: &[u8], len: usize) -> u128 {
    match text.first_chunk() {
        // Behind most words enough bytes follow to read them at once.
        Some(sixteen) => u128::from_le_bytes(*sixteen) & u128::MAX >> (128 - 8 * len.clamp(1, 16)),
        None => {
            let text = text.get(..len).unwrap_or_default();
            u128::from(eight_at(text, 0)) | u128::from(eight_at(text, 8)) << 64
        }
    }
}

/// Fewer than eight bytes, the first lowest.
fn few_bytes(text: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        let shift = 8 * text.len().saturating_sub(4).min(4);
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << shift;
    }
    match *text {
        [a] => u64::from(a),
        [a, b] => u64::from(a) | u64::from(b) << 8,
        [a, b, c] => u64::from(a) | u64::from(b) << 8 | u64::from(c) << 16,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told() {
        for byte in 0..=u8::MAX {
            let eight = u64::from_le_bytes([b'-', byte & 0x7F, b'-', b'0', b'9', b'a', b'Z', b'_']);
            let is = |tops: u64| tops >> 15 & 1 == 1;
            assert_eq!(is(digits(eight)), (byte & 0x7F).is_ascii_digit());
            assert_eq!(is(letters(eight)), (byte & 0x7F).is_ascii_alphabetic());
        }
    }

    #[test]
    fn letters_lose_their_case() {
        for byte in 0..=u8::MAX {
            let eight = [0xFF, byte, b'[', byte, b'Z', b'A', b'@', byte];
            let lower = lower_case(u64::from_le_bytes(eight)).to_le_bytes();
            assert_eq!(lower, eight.map(|byte| byte.to_ascii_lowercase()));
        }
    }

    #[test]
    fn bits_are_in_the_order_of_bytes() {
        for bits in 0..=u8::MAX {
            let tops = (0..8).fold(0, |tops, i| tops | u64::from(bits >> i & 1) << (8 * i + 7));
            assert_eq!(super::bits(tops), bits);
        }
    }

    #[test]
    fn zeros_follow_the_end() {
        let text: Vec<u8> = (1..=20).collect();
        for len in 0..=text.len() {
            for at in 0..=len + 1 {
                let expected = (0..8).fold(0, |eight, i| {
                    eight | u64::from(text[..len].get(at + i).copied().unwrap_or_default()) << (8 * i)
                });
                assert_eq!(eight_at(&text[..len], at), expected, "{len} {at}");
                if (1..=16.min(len)).contains(&at) {
                    let expected = text[..at].iter().rev().fold(0, |all, byte| all << 8 | u128::from(*byte));
                    assert_eq!(first_sixteen(&text[..len], at), expected, "{len} {at}");
                }
            }
        }
    }
}
