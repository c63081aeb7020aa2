//! Calibrates scores: the share of learned requests that score as high.

use crate::log::ONE;

/// The scores of learned requests, each with how many requests had it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calibration {
    /// Scores from the highest, and how many requests score at least as high.
    tail: Vec<(i64, u64)>,
    requests: u64,
}

/// A score that a given share of learned requests reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Threshold {
    /// The share of learned requests that may score higher.
    pub share: f64,
    /// The score.
    pub score: f64,
    /// The scores between which it is, in nineteen of twenty cases.
    pub between: (f64, f64),
}

impl Calibration {
    pub(crate) fn of(mut scores: Vec<(i64, u64)>) -> Self {
        scores.sort_unstable_by_key(|(score, _)| std::cmp::Reverse(*score));
        let mut tail: Vec<(i64, u64)> = Vec::new();
        let mut requests = 0_u64;
        for (score, count) in scores {
            requests = requests.saturating_add(count);
            match tail.last_mut() {
                Some(last) if last.0 == score => last.1 = requests,
                _ => tail.push((score, requests)),
            }
        }
        Calibration { tail, requests }
    }

    pub(crate) fn requests(&self) -> u64 {
        self.requests
    }

    /// The share of requests that score at least as high, this one counted among them.
    pub(crate) fn p_value(&self, score: i64) -> f64 {
        let end = self.tail.partition_point(|(other, _)| *other >= score);
        let above = end.checked_sub(1).and_then(|at| self.tail.get(at)).map_or(0, |(_, above)| *above);
        (above + 1) as f64 / (self.requests + 1) as f64
    }

    /// The highest score whose p-value is more than `share`; `None` where also a score above all others has more.
    pub(crate) fn alert_above(&self, share: f64) -> Option<i64> {
        let p_value = |above: u64| (above + 1) as f64 / (self.requests + 1) as f64;
        if p_value(0) > share {
            return None;
        }
        let at = self.tail.partition_point(|(_, above)| p_value(*above) <= share);
        Some(self.tail.get(at).map_or(-1, |(score, _)| *score))
    }

    /// The score that no more than `share` of the requests exceed.
    pub(crate) fn quantile(&self, share: f64) -> i64 {
        self.rank((self.requests as f64 * share.clamp(0.0, 1.0)) as u64)
    }

    /// The score of the request behind the `rank` highest.
    fn rank(&self, rank: u64) -> i64 {
        let at = self.tail.partition_point(|(_, above)| *above <= rank);
        self.tail.get(at).or(self.tail.last()).map_or(0, |(score, _)| *score)
    }

    pub(crate) fn threshold(&self, share: f64) -> Threshold {
        let expected = self.requests as f64 * share;
        let spread = 1.96 * (expected * (1.0 - share)).sqrt();
        let score = |rank: f64| self.rank(rank.max(0.0) as u64) as f64 / ONE as f64;
        Threshold {
            share,
            score: score(expected),
            between: (score(expected + spread + 1.0), score(expected - spread - 1.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_scores() {
        let calibration = Calibration::of((0..1000).map(|score| (score, 1)).collect());
        assert_eq!(calibration.p_value(5000), 1.0 / 1001.0);
        assert_eq!(calibration.p_value(990), 11.0 / 1001.0);
        assert_eq!(calibration.p_value(-1), 1.0);
        assert_eq!(calibration.quantile(0.01), 989);
        let threshold = calibration.threshold(0.01);
        assert!(threshold.between.0 <= threshold.score && threshold.score <= threshold.between.1);
        for share in [0.001, 0.01, 0.5] {
            let above = calibration.alert_above(share).unwrap();
            assert!(calibration.p_value(above) > share && calibration.p_value(above + 1) <= share, "{share}");
        }
        assert_eq!(calibration.alert_above(0.0009), None);
        assert_eq!(calibration.alert_above(1.0), Some(-1));
        assert_eq!(Calibration::default().p_value(3), 1.0);
        assert_eq!(Calibration::default().quantile(0.01), 0);
    }
}
