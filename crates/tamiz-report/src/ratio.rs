//! Two shares beside each other.

/// How often something is there among some, and among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ratio {
    pub(crate) count: u64,
    pub(crate) of: u64,
    /// The others, which it is compared with.
    pub(crate) base_count: u64,
    pub(crate) base_of: u64,
}

/// How many standard errors each side of a 95 % interval has.
const NORMAL: f64 = 1.96;

impl Ratio {
    /// The share among some, between 0 and 1.
    pub(crate) fn share(&self) -> f64 {
        share(self.count, self.of)
    }

    /// The share among the others.
    pub(crate) fn base_share(&self) -> f64 {
        share(self.base_count, self.base_of)
    }

    /// The lift: the share among some over that among the others. Half a request is added to each count and one to each
    /// number that it is of, so that a zero gives a number that grows with what was looked at, not infinity.
    pub(crate) fn lift(&self) -> f64 {
        let (share, base) = self.smoothed();
        share / base
    }

    fn smoothed(&self) -> (f64, f64) {
        let smooth = |count: u64, of: u64| (count as f64 + 0.5) / (of as f64 + 1.0);
        (smooth(self.count, self.of), smooth(self.base_count, self.base_of))
    }

    /// The standard error of the logarithm of the lift.
    fn error(&self) -> f64 {
        let part = |count: u64, of: u64| 1.0 / (count as f64 + 0.5) - 1.0 / (of as f64 + 1.0);
        (part(self.count, self.of) + part(self.base_count, self.base_of)).max(0.0).sqrt()
    }

    /// Between which lifts the true one is in 95 of 100 cases.
    pub(crate) fn interval(&self) -> (f64, f64) {
        let width = (NORMAL * self.error()).exp();
        (self.lift() / width, self.lift() * width)
    }

    /// Returns whether the two shares are told apart: the interval does not hold 1.
    pub(crate) fn differs(&self) -> bool {
        let (low, high) = self.interval();
        low > 1.0 || high < 1.0
    }

    /// How much they differ for sure: the logarithm of the lift, as far as its interval leaves it. It is below zero
    /// where the interval holds 1.
    pub(crate) fn score(&self) -> f64 {
        self.lift().ln().abs() - NORMAL * self.error()
    }
}

/// A share between 0 and 1; of nothing, 0.
pub(crate) fn share(count: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { count as f64 / of as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(count: u64, of: u64, base_count: u64, base_of: u64) -> Ratio {
        Ratio { count, of, base_count, base_of }
    }

    #[test]
    fn lifts_are_what_shares_say_and_zeros_are_finite() {
        assert!((ratio(200, 1000, 100, 1000).lift() - 2.0).abs() < 0.01);
        assert!((ratio(5, 5, 0, 0).lift() / 1.83 - 1.0).abs() < 0.01);
        let never = ratio(0, 1000, 0, 1000);
        assert!((never.lift() - 1.0).abs() < 1e-9 && !never.differs());
        let only = ratio(100, 1000, 0, 1000);
        assert!(only.lift() > 100.0 && only.lift().is_finite() && only.differs());
        assert!(ratio(100, 1000, 0, 100_000).lift() > only.lift(), "more was looked at");
    }

    #[test]
    fn chance_is_not_told_apart() {
        assert!(!ratio(3, 100, 2, 100).differs());
        assert!(ratio(300, 10_000, 200, 10_000).differs());
        assert!(ratio(900, 1000, 100, 1000).score() > ratio(9, 10, 1, 10).score());
        let (low, high) = ratio(900, 1000, 100, 1000).interval();
        assert!((ratio(900, 1000, 100, 1000).score().exp() - low).abs() < 1e-9 && high > low);
        let (fewer, more) = (ratio(10, 1000, 0, 1000), ratio(400, 1000, 200, 1000));
        assert!(fewer.lift() > 10.0 * more.lift() && fewer.score() < more.score(), "its interval is wide");
        assert!(ratio(3, 100, 2, 100).score() < 0.0);
        assert!(!ratio(0, 0, 0, 0).differs());
        assert!(ratio(u64::MAX / 4, u64::MAX / 4, 0, 1).score().is_finite());
    }
}
