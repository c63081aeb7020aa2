//! Buckets: the ranges that lengths are put in (clause 5.29).

use std::fmt;

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
        // Most lengths are in the first ones.
        let at = self.bounds.iter().take_while(|bound| **bound < length).count();
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
}
