//! Lengths in bins: sixteen to each doubling, so that short and long ones are told apart alike.

use std::collections::BTreeMap;

use super::tally::Tally;

/// How many bins there are to a doubling; below that, every length has a bin of its own.
const STEPS: u32 = 16;
const POWER: u32 = STEPS.ilog2();

/// The bin of a length.
fn bin(length: u64) -> u32 {
    match length.checked_ilog2() {
        Some(power @ POWER..) => {
            let step = (length >> (power - POWER)) as u32 % STEPS;
            (power - POWER + 1) * STEPS + step
        }
        _ => length as u32,
    }
}

/// The lowest length of a bin.
pub(crate) fn start(bin: u32) -> u64 {
    let (doubling, step) = (bin / STEPS, u64::from(bin % STEPS));
    match doubling {
        0 => step,
        // The bin of the longest length there can be ends where numbers do.
        61.. => u64::MAX,
        _ => (u64::from(STEPS) + step) << (doubling - 1),
    }
}

/// How often lengths were in each bin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lengths {
    bins: BTreeMap<u32, Tally>,
    longest: u64,
}

impl Lengths {
    pub(crate) fn add(&mut self, length: u64, label: usize) {
        self.bins.entry(bin(length)).or_default().add(label, 1);
        self.longest = self.longest.max(length);
    }

    pub(crate) fn absorb(&mut self, part: Self, map: &[usize]) {
        for (bin, tally) in part.bins {
            self.bins.entry(bin).or_default().absorb(&tally, map);
        }
        self.longest = self.longest.max(part.longest);
    }

    /// The longest.
    pub(crate) fn longest(&self) -> u64 {
        self.longest
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bins.is_empty()
    }

    /// Neighbouring bins, also those that are empty, from the first that is not to the last, joined so that there are
    /// at most so many; each with its lowest length, and the lowest that is beyond it.
    pub(crate) fn joined(&self, most: usize) -> Vec<(u64, u64, Tally)> {
        let (Some((&first, _)), Some((&last, _))) = (self.bins.first_key_value(), self.bins.last_key_value())
        else {
            return Vec::new();
        };
        let mut width = 1;
        while (last / width - first / width) as usize + 1 > most {
            width *= 2;
        }
        let mut joined = Vec::new();
        for group in first / width..=last / width {
            let mut tally = Tally::default();
            let bins = group * width..(group + 1) * width;
            let labels: Vec<usize> = (0..=super::labels::MOST_LABELS).collect();
            self.bins.range(bins.clone()).for_each(|(_, there)| tally.absorb(there, &labels));
            joined.push((start(bins.start), start(bins.end), tally));
        }
        joined
    }

    /// The lowest length that so many hundredths of all with a label do not exceed, as far as bins tell.
    pub(crate) fn percentile(&self, hundredths: u64, labels: &[usize]) -> Option<u64> {
        let of = |tally: &Tally| labels.iter().map(|label| tally.get(*label)).sum::<u64>();
        let total: u64 = self.bins.values().map(of).sum();
        let wanted = (total * hundredths).div_ceil(100).max(1);
        let mut seen = 0;
        for (&bin, tally) in &self.bins {
            seen += of(tally);
            if seen >= wanted {
                return Some((start(bin + 1) - 1).min(self.longest));
            }
        }
        None
    }
}

/// The lengths that are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Measure {
    Path,
    Pairs,
    Headers,
    Body,
    Document,
}

impl Measure {
    pub(crate) const ALL: [Measure; 5] =
        [Measure::Path, Measure::Pairs, Measure::Headers, Measure::Body, Measure::Document];

    /// The name of the measured length, and its unit.
    pub(crate) fn names(self) -> (&'static str, &'static str) {
        match self {
            Measure::Path => ("Path", "characters"),
            Measure::Pairs => ("Query", "pairs"),
            Measure::Headers => ("Headers", "bytes"),
            Measure::Body => ("Body", "bytes"),
            Measure::Document => ("Document", "bytes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_begin_where_they_say() {
        assert!((0..32).all(|n| start(n) == u64::from(n)));
        assert_eq!([32, 33, 47, 48, 64].map(start), [32, 34, 62, 64, 128]);
        for length in (0..5000).chain([u64::from(u32::MAX), 1 << 40, u64::MAX - 1]) {
            let bin = bin(length);
            assert!(start(bin) <= length && length < start(bin + 1), "{length} in {bin}");
        }
    }

    #[test]
    fn bins_are_joined_and_lose_nothing() {
        let mut lengths = Lengths::default();
        (0..10_000).for_each(|n| lengths.add(n, (n % 2) as usize));
        for most in [1, 5, 48] {
            let joined = lengths.joined(most);
            assert!(joined.len() <= most);
            assert_eq!(joined.iter().map(|(.., tally)| tally.total()).sum::<u64>(), 10_000);
            assert!(joined.windows(2).all(|pair| pair[0].1 == pair[1].0));
        }
        assert_eq!((lengths.longest(), lengths.percentile(100, &[0, 1])), (9999, Some(9999)));
        let median = lengths.percentile(50, &[0]).unwrap();
        assert!((4998..5200).contains(&median), "{median}");
        assert!(Lengths::default().joined(9).is_empty() && Lengths::default().percentile(50, &[0]).is_none());
    }
}
