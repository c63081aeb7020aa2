//! How far traffic has moved away from a model, by endpoint.

use std::collections::BTreeMap;
use std::io::{self, Write};

use tamiz_detector::{Detector, Score};
use tamiz_explain::visible::harmless;

use super::score::highest_first;

/// The p-value that one request in twenty reaches where nothing has changed.
const USUAL: f64 = 0.05;
/// The most endpoints that are told apart; others are told together.
const MOST: usize = 10_000;

/// Counts by endpoint.
#[derive(Default)]
pub(crate) struct Drift {
    endpoints: BTreeMap<String, Counts>,
    total: Counts,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    requests: u64,
    high: u64,
    unlearned: bool,
}

impl Drift {
    pub(crate) fn add(&mut self, endpoint: &str, score: &Score) {
        let key = if self.endpoints.len() < MOST || self.endpoints.contains_key(endpoint) {
            endpoint
        } else {
            "(others)"
        };
        let high = u64::from(score.p_value().is_some_and(|p| p <= USUAL));
        let of = self.endpoints.entry(key.to_owned()).or_default();
        of.unlearned = !score.learned_endpoint();
        for counts in [of, &mut self.total] {
            counts.requests += 1;
            counts.high += high;
        }
    }

    /// Writes a table, the endpoint with most unusual requests first.
    pub(crate) fn write(&self, out: &mut dyn Write, detector: &Detector) -> io::Result<()> {
        writeln!(out, "requests  unusual  learned  endpoint (unusual: the share with p at most {USUAL})")?;
        line(out, "all", &self.total, USUAL)?;
        let mut list: Vec<(&String, &Counts)> = self.endpoints.iter().collect();
        highest_first(&mut list, |(_, counts)| counts.high);
        for (endpoint, counts) in list {
            line(out, endpoint, counts, detector.share_high(endpoint))?;
        }
        Ok(())
    }
}

/// One endpoint, of whose learned requests `usual` were unusual.
fn line(out: &mut dyn Write, endpoint: &str, counts: &Counts, usual: f64) -> io::Result<()> {
    let expected = counts.requests as f64 * usual;
    // Three standard deviations above what chance gives.
    let has_moved = counts.high as f64 > expected + 3.0 * expected.sqrt() + 1.0;
    let note = match (counts.unlearned, has_moved) {
        (true, _) => "  not learned",
        (false, true) => "  has moved",
        (false, false) => "",
    };
    let share = counts.high as f64 / counts.requests.max(1) as f64;
    writeln!(out, "{:>8}  {share:>7.3}  {usual:>7.3}  {}{note}", counts.requests, harmless(endpoint))
}
