//! Lengths: buckets (clause 5.29) and the entropy suffix (clause 6.17).

use std::fmt;

use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;

use crate::decode;

/// The ranges that lengths are put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buckets {
    bounds: Vec<u64>,
    labels: Vec<String>,
}

impl Buckets {
    /// Buckets that end at each of `bounds`, and one beyond the last.
    ///
    /// # Errors
    /// When there are none, or they do not strictly increase.
    #[allow(clippy::arithmetic_side_effects, reason = "`from` is one more than a bound")]
    pub fn new(bounds: Vec<u64>) -> Result<Self, BucketsError> {
        if bounds.is_empty() {
            return Err(BucketsError { reason: Reason::Empty });
        }
        if let Some(at) = bounds.windows(2).position(|two| matches!(two, [a, b] if a >= b)) {
            return Err(BucketsError { reason: Reason::NotIncreasing { at: at + 1 } });
        }
        let mut labels = Vec::with_capacity(bounds.len() + 1);
        let mut from = 0;
        for &to in &bounds {
            labels.push(format!("{from}-{to}"));
            from = to.saturating_add(1);
        }
        labels.push(format!(">{}", from - 1));
        Ok(Buckets { bounds, labels })
    }

    /// The upper bound of each bucket but the last.
    pub fn bounds(&self) -> &[u64] {
        &self.bounds
    }

    /// The bucket of a length: `16-31`, `>1023`.
    pub fn label(&self, length: u64) -> &str {
        let at = self.bounds.partition_point(|&bound| bound < length);
        self.labels.get(at).map_or("", String::as_str)
    }
}

/// The bounds of buckets that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketsError {
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Empty,
    /// The bound at this place is no greater than the one before it.
    NotIncreasing {
        at: usize,
    },
}

impl fmt::Display for BucketsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Reason::Empty => f.write_str("buckets need at least one bound"),
            Reason::NotIncreasing { at } => {
                write!(f, "the bounds of buckets must increase: the one at place {at} does not")
            }
        }
    }
}

impl std::error::Error for BucketsError {}

impl Default for Buckets {
    fn default() -> Self {
        #[allow(clippy::expect_used, reason = "a constant that the tests build")]
        Buckets::new(vec![15, 31, 63, 127, 255, 511, 1023]).expect("increasing bounds")
    }
}

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
    fn buckets_hold_their_bounds() {
        let buckets = Buckets::default();
        for (length, label) in [
            (0, "0-15"),
            (15, "0-15"),
            (16, "16-31"),
            (31, "16-31"),
            (32, "32-63"),
            (63, "32-63"),
            (64, "64-127"),
            (128, "128-255"),
            (256, "256-511"),
            (511, "256-511"),
            (512, "512-1023"),
            (1023, "512-1023"),
            (1024, ">1023"),
            (u64::MAX, ">1023"),
        ] {
            assert_eq!(buckets.label(length), label, "{length}");
        }
        let error = |bounds: &[u64]| Buckets::new(bounds.to_vec()).unwrap_err().to_string();
        assert_eq!(error(&[]), "buckets need at least one bound");
        assert_eq!(error(&[1, 1]), "the bounds of buckets must increase: the one at place 1 does not");
    }

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
