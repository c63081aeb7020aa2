//! The entropy suffix of a marker (clause 6.17).

use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;

use crate::decode;

/// Shannon entropy of the characters of `text`, in tenths of a bit, rounded half up; only where
/// it is worth telling: 16 or more characters, more than 4.0 bits.
///
/// All in integers, so that every platform agrees: `H = log2(n) - sum(c * log2(c)) / n`.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "below 64 with 32 fractional bits, times a length or ten; `n` is at least 16"
)]
pub(crate) fn entropy_tenths(text: &[u8], bump: &Bump) -> Option<u64> {
    let mut chars = BumpVec::with_capacity_in(text.len(), bump);
    chars.extend(decode::char_indices(text).map(|(_, c)| match c {
        decode::Char::Plain(c) => u32::from(c),
        decode::Char::Guarded(byte) => 0x11_0000 + u32::from(byte),
    }));
    let n = chars.len() as u64;
    if n < 16 {
        return None;
    }
    chars.sort_unstable();
    let sum: u128 = chars
        .chunk_by(|a, b| a == b)
        .map(|same| same.len() as u128 * u128::from(log2(same.len() as u64)))
        .sum();
    let bits = log2(n).saturating_sub(u64::try_from(sum / u128::from(n)).unwrap_or(u64::MAX));
    (bits > 4 << FRACTION).then(|| (bits * 10 + (1 << (FRACTION - 1))) >> FRACTION)
}

const FRACTION: u32 = 32;

/// `log2(n)` for `n > 0`, with 32 fractional bits, by repeated squaring.
#[allow(clippy::arithmetic_side_effects, reason = "the mantissa is below two, with 32 fractional bits")]
fn log2(n: u64) -> u64 {
    let whole = n.max(1).ilog2();
    // The mantissa, in 1.0 .. 2.0, with 32 fractional bits.
    let mut mantissa = (u128::from(n.max(1)) << FRACTION) >> whole;
    let mut fraction = 0;
    for _ in 0..FRACTION {
        mantissa = (mantissa * mantissa) >> FRACTION;
        fraction <<= 1;
        if mantissa >= 2 << FRACTION {
            mantissa >>= 1;
            fraction |= 1;
        }
    }
    (u64::from(whole) << FRACTION) | fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_agrees_with_floating_point() {
        for text in
            ["abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopq", "0123456789abcdefABCDEF0123456789abcdef"]
        {
            let n = text.len() as f64;
            let mut counts = [0_f64; 256];
            for byte in text.bytes() {
                counts[byte as usize] += 1.0;
            }
            let h: f64 = counts.iter().filter(|c| **c > 0.0).map(|c| -(c / n) * (c / n).log2()).sum();
            assert_eq!(
                entropy_tenths(text.as_bytes(), &Bump::new()),
                Some((h * 10.0).round() as u64),
                "{text}"
            );
        }
        assert_eq!(entropy_tenths(b"abcdefghijklmnop", &Bump::new()), None, "exactly 4.0 is not more");
        assert_eq!(entropy_tenths(b"abcdefghijklmno", &Bump::new()), None);
    }
}
