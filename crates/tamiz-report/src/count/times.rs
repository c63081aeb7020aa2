//! Requests over time, in bins that grow with the time they span.

use std::collections::BTreeMap;

use tamiz::Family;

use super::facts::Rank;

/// The most bins that there are.
pub(crate) const MOST_BINS: i64 = 96;

/// How long bins can be, in seconds; each is a multiple of the one before, so that bins can be joined.
const WIDTHS: [i64; 12] = [1, 5, 15, 60, 300, 900, 3600, 10_800, 21_600, 43_200, 86_400, 2 * 86_400];

/// What happened within a bin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Requests by the most telling weight of their flags, as [`Rank`] numbers them.
    pub(crate) ranks: [u64; Rank::ALL.len()],
    /// Requests with a flag of the family that is not structural.
    pub(crate) families: BTreeMap<Family, u64>,
}

impl Moment {
    pub(crate) fn requests(&self) -> u64 {
        self.ranks.iter().sum()
    }

    fn absorb(&mut self, other: Self) {
        self.ranks.iter_mut().zip(other.ranks).for_each(|(mine, theirs)| *mine += theirs);
        for (family, count) in other.families {
            *self.families.entry(family).or_default() += count;
        }
    }
}

/// Requests by their moment.
#[derive(Clone, Debug)]
pub(crate) struct Times {
    /// Seconds of a bin.
    width: i64,
    /// By number: the seconds since 1970, divided by the width.
    bins: BTreeMap<i64, Moment>,
    /// Requests whose moment is not known.
    without: u64,
}

impl Default for Times {
    fn default() -> Self {
        Times { width: 1, bins: BTreeMap::new(), without: 0 }
    }
}

impl Times {
    /// Counts a request, sent so many microseconds after 1970 if that is known.
    pub(crate) fn add(&mut self, micros: Option<i64>, rank: Rank, families: &[Family]) {
        let Some(micros) = micros else {
            self.without += 1;
            return;
        };
        let bin = micros.div_euclid(1_000_000).div_euclid(self.width);
        let moment = self.bins.entry(bin).or_default();
        if let Some(count) = moment.ranks.get_mut(rank as usize) {
            *count += 1;
        }
        for family in families {
            *moment.families.entry(*family).or_default() += 1;
        }
        self.widen();
    }

    pub(crate) fn absorb(&mut self, mut part: Self) {
        self.without += part.without;
        self.set_width(self.width.max(part.width));
        part.set_width(self.width);
        for (bin, moment) in part.bins {
            self.bins.entry(bin).or_default().absorb(moment);
        }
        self.widen();
    }

    fn span(&self) -> i64 {
        match (self.bins.first_key_value(), self.bins.last_key_value()) {
            (Some((first, _)), Some((last, _))) => last - first + 1,
            _ => 0,
        }
    }

    /// Makes bins longer until there are few enough.
    fn widen(&mut self) {
        while self.span() > MOST_BINS {
            let next = WIDTHS.iter().copied().find(|width| *width > self.width);
            self.set_width(next.unwrap_or(self.width * 2));
        }
    }

    fn set_width(&mut self, width: i64) {
        if width == self.width {
            return;
        }
        let ratio = width / self.width;
        let mut joined: BTreeMap<i64, Moment> = BTreeMap::new();
        for (bin, moment) in std::mem::take(&mut self.bins) {
            joined.entry(bin.div_euclid(ratio)).or_default().absorb(moment);
        }
        (self.width, self.bins) = (width, joined);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bins.is_empty()
    }

    /// Requests whose moment is not known.
    pub(crate) fn without(&self) -> u64 {
        self.without
    }

    /// How many seconds a bin has.
    pub(crate) fn width(&self) -> i64 {
        self.width
    }

    /// Every bin from the first to the last, also those without requests, each with the second it begins at.
    pub(crate) fn all(&self) -> Vec<(i64, Moment)> {
        let (Some((&first, _)), Some((&last, _))) = (self.bins.first_key_value(), self.bins.last_key_value())
        else {
            return Vec::new();
        };
        (first..=last)
            .map(|bin| (bin * self.width, self.bins.get(&bin).cloned().unwrap_or_default()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;

    #[test]
    fn bins_grow_with_the_span_and_lose_nothing() {
        for span in [1, 95, 96, 97, 3600, 86_400 * 30, 86_400 * 40_000] {
            let mut times = Times::default();
            for n in 0..500 {
                times.add(Some((1_000_000 + n * span / 499) * SECOND), Rank::Evasion, &[Family::Query]);
            }
            let all = times.all();
            assert!(all.len() as i64 <= MOST_BINS, "{span}");
            assert_eq!(all.iter().map(|(_, moment)| moment.requests()).sum::<u64>(), 500);
            assert_eq!(all.iter().map(|(_, moment)| moment.families[&Family::Query]).sum::<u64>(), 500);
        }
    }

    #[test]
    fn the_order_of_parts_changes_nothing() {
        let of = |moments: &[i64]| {
            let mut times = Times::default();
            moments.iter().for_each(|at| times.add(Some(at * SECOND), Rank::None, &[]));
            times
        };
        let parts = [of(&[0, 3, 50]), of(&[-7000, 12]), of(&[90_000]), of(&[])];
        let (mut forwards, mut backwards) = (Times::default(), Times::default());
        parts.iter().for_each(|part| forwards.absorb(part.clone()));
        parts.iter().rev().for_each(|part| backwards.absorb(part.clone()));
        assert_eq!((forwards.width(), forwards.all()), (backwards.width(), backwards.all()));
    }

    #[test]
    fn any_moment_can_be_counted() {
        let mut times = Times::default();
        for at in [i64::MIN, i64::MAX, 0] {
            times.add(Some(at), Rank::None, &[]);
        }
        times.add(None, Rank::None, &[]);
        assert_eq!(
            (times.all().iter().map(|(_, moment)| moment.requests()).sum::<u64>(), times.without()),
            (3, 1)
        );
    }
}
