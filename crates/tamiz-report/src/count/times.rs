//! Requests over time, in bins that grow with the time they span.

use std::collections::BTreeMap;
use std::ops::Range;

use tamiz::Family;

use super::facts::Rank;
use super::scores::Level;

/// The most bins that are shown.
pub(crate) const MOST_BINS: i64 = 96;
/// The most bins that are kept: those without requests are not, so that one wrong clock does not widen the others.
const MOST_KEPT: usize = 4096;
/// The share of requests that may lie outside of what is shown: one in so many.
const OUTSIDE: u64 = 10;

/// How long bins can be, in seconds; each is a multiple of the one before, so that bins can be joined.
const WIDTHS: [i64; 12] = [1, 5, 15, 60, 300, 900, 3600, 10_800, 21_600, 43_200, 86_400, 2 * 86_400];

/// The next width, which is a multiple of this one.
fn wider(width: i64) -> i64 {
    WIDTHS.iter().copied().find(|next| *next > width).unwrap_or(width.saturating_mul(2))
}

/// The counts of a time bin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Requests by the most telling weight of their flags, as [`Rank`] numbers them.
    pub(crate) ranks: [u64; Rank::ALL.len()],
    /// Requests with a flag of the family that is not structural.
    pub(crate) families: BTreeMap<Family, u64>,
    /// Requests that were scored, as [`Level`] numbers them.
    pub(crate) levels: [u64; Level::ALL.len()],
}

impl Moment {
    pub(crate) fn requests(&self) -> u64 {
        self.ranks.iter().sum()
    }

    fn absorb(&mut self, other: Self) {
        self.ranks.iter_mut().zip(other.ranks).for_each(|(mine, theirs)| *mine += theirs);
        self.levels.iter_mut().zip(other.levels).for_each(|(mine, theirs)| *mine += theirs);
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
    pub(crate) fn add(&mut self, micros: Option<i64>, rank: Rank, families: &[Family], level: Option<Level>) {
        let Some(micros) = micros else {
            self.without += 1;
            return;
        };
        let bin = micros.div_euclid(1_000_000).div_euclid(self.width);
        let moment = self.bins.entry(bin).or_default();
        if let Some(count) = moment.ranks.get_mut(rank as usize) {
            *count += 1;
        }
        if let Some(count) = level.and_then(|level| moment.levels.get_mut(level as usize)) {
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

    /// Makes bins longer until there are few enough.
    fn widen(&mut self) {
        while self.bins.len() > MOST_KEPT {
            self.set_width(wider(self.width));
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

    /// The bins to show, at most [`MOST_BINS`] of them.
    pub(crate) fn shown(&self) -> Shown {
        let kept: Vec<(i64, &Moment)> = self.bins.iter().map(|(bin, moment)| (*bin, moment)).collect();
        let range = window(&kept.iter().map(|(bin, moment)| (*bin, moment.requests())).collect::<Vec<_>>());
        let inside = kept.get(range.clone()).unwrap_or_default();
        let (before, after) = (kept.get(..range.start), kept.get(range.end..));
        let (Some((first, _)), Some((last, _))) = (inside.first(), inside.last()) else {
            return Shown { width: self.width, ..Shown::default() };
        };
        let mut width = self.width;
        let bin = |kept: i64, width: i64| kept.div_euclid(width / self.width);
        while bin(*last, width).saturating_sub(bin(*first, width)) >= MOST_BINS {
            width = wider(width);
        }
        let from = bin(*first, width);
        let mut bins: Vec<(i64, Moment)> =
            (from..=bin(*last, width)).map(|at| (at.saturating_mul(width), Moment::default())).collect();
        for (at, moment) in inside {
            let place = usize::try_from(bin(*at, width) - from).unwrap_or_default();
            if let Some((_, joined)) = bins.get_mut(place) {
                joined.absorb((*moment).clone());
            }
        }
        let outside = |some: Option<&[(i64, &Moment)]>| Outside::of(some.unwrap_or_default(), self.width);
        Shown { width, bins, before: outside(before), after: outside(after) }
    }
}

/// The bins of a plot, and what is too far from all others to be in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Seconds of a bin.
    pub(crate) width: i64,
    /// Every bin from the first to the last, also those without requests, each with the second it begins at.
    pub(crate) bins: Vec<(i64, Moment)>,
    pub(crate) before: Option<Outside>,
    pub(crate) after: Option<Outside>,
}

/// Requests that are not shown, from the second that the first of them has to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outside {
    pub(crate) requests: u64,
    pub(crate) from: i64,
    pub(crate) to: i64,
}

impl Outside {
    fn of(bins: &[(i64, &Moment)], width: i64) -> Option<Self> {
        let ((from, _), (to, _)) = (bins.first()?, bins.last()?);
        let requests = bins.iter().map(|(_, moment)| moment.requests()).sum();
        Some(Outside { requests, from: from.saturating_mul(width), to: to.saturating_mul(width) })
    }
}

/// Which bins are shown, of those that hold requests: all, unless a few wrong clocks would squeeze the others into one
/// bar.
///
/// The shortest run of bins that holds nine requests in ten is found, and grows by every bin that is no further away than
/// the run is long. If what it leaves out makes the whole so long that the run would be one bar, only the run is shown.
fn window(bins: &[(i64, u64)]) -> Range<usize> {
    let at = |place: usize| bins.get(place).map_or(0, |(bin, _)| *bin);
    let length = |range: &Range<usize>| at(range.end.saturating_sub(1)).saturating_sub(at(range.start));
    let total: u64 = bins.iter().map(|(_, requests)| requests).sum();
    let spare = if total < 3 { 0 } else { (total / OUTSIDE).max(1) };
    let (mut inside, mut end) = (0_u64, 0);
    let mut best = 0..bins.len();
    for (start, (_, requests)) in bins.iter().enumerate() {
        while inside < total - spare && end < bins.len() {
            inside += bins.get(end).map_or(0, |(_, requests)| *requests);
            end += 1;
        }
        if inside < total - spare {
            break;
        }
        if length(&(start..end)) < length(&best) {
            best = start..end;
        }
        inside -= requests;
    }
    loop {
        let reach = length(&best).max(1);
        if best.start > 0 && at(best.start).saturating_sub(at(best.start - 1)) <= reach {
            best.start -= 1;
        } else if best.end < bins.len() && at(best.end).saturating_sub(at(best.end - 1)) <= reach {
            best.end += 1;
        } else {
            break;
        }
    }
    let all = 0..bins.len();
    if length(&best).saturating_add(1).saturating_mul(MOST_BINS) <= length(&all) { best } else { all }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;

    fn of(moments: &[i64]) -> Times {
        let mut times = Times::default();
        moments.iter().for_each(|at| times.add(Some(at.saturating_mul(SECOND)), Rank::None, &[], None));
        times
    }

    fn counted(shown: &Shown) -> u64 {
        shown.bins.iter().map(|(_, moment)| moment.requests()).sum()
    }

    #[test]
    fn bins_grow_with_the_span_and_lose_nothing() {
        for span in [1, 95, 96, 97, 3600, 86_400 * 30, 86_400 * 40_000] {
            let mut times = Times::default();
            for n in 0..5000 {
                times.add(
                    Some((1_000_000 + n * span / 4999) * SECOND),
                    Rank::Evasion,
                    &[Family::Query],
                    None,
                );
            }
            let shown = times.shown();
            assert!(times.bins.len() <= MOST_KEPT && shown.bins.len() as i64 <= MOST_BINS, "{span}");
            assert_eq!((counted(&shown), shown.before, shown.after), (5000, None, None));
            let families = shown.bins.iter().filter_map(|(_, moment)| moment.families.get(&Family::Query));
            assert_eq!(families.sum::<u64>(), 5000);
        }
    }

    #[test]
    fn a_wrong_clock_does_not_squeeze_the_others() {
        const DAY: i64 = 1_791_590_400;
        let hours: Vec<i64> = (0..240).map(|n| DAY + n * 360).collect();
        let usual = of(&hours).shown();
        assert_eq!((usual.bins.len(), usual.width), (96, 900));
        for (wrong, before, after) in [
            (vec![0], 1, 0),
            (vec![0, 1, 2, 40_000], 4, 0),
            (vec![DAY + 86_400 * 9000], 0, 1),
            (vec![0, DAY + 86_400 * 9000, i64::MAX, i64::MIN], 2, 2),
        ] {
            let shown = of(&[hours.clone(), wrong.clone()].concat()).shown();
            assert_eq!((&shown.bins, shown.width), (&usual.bins, 900), "{wrong:?}");
            let told = [shown.before, shown.after].map(|some| some.map_or(0, |outside| outside.requests));
            assert_eq!(told, [before, after], "{wrong:?}");
        }
        let shown = of(&[0, DAY, DAY + 60]).shown();
        assert_eq!((shown.before, counted(&shown)), (Some(Outside { requests: 1, from: 0, to: 0 }), 2));
    }

    #[test]
    fn what_can_be_seen_is_shown() {
        // Of two moments neither is wrong; a tenth and more is no outlier; a bar beside the others can be seen.
        assert_eq!(counted(&of(&[0, 1_791_590_400]).shown()), 2);
        let half: Vec<i64> = (0..50).chain((0..50).map(|n| 1_791_590_400 + n)).collect();
        assert_eq!(counted(&of(&half).shown()), 100);
        let near: Vec<i64> = (0..100).chain([5000]).collect();
        assert_eq!(counted(&of(&near).shown()), 101);
    }

    #[test]
    fn the_order_of_parts_changes_nothing() {
        let many: Vec<i64> = (0..9000).map(|n| n * 7).collect();
        let parts = [of(&[0, 3, 50]), of(&[-7000, 12]), of(&many), of(&[90_000]), of(&[])];
        let (mut forwards, mut backwards) = (Times::default(), Times::default());
        parts.iter().for_each(|part| forwards.absorb(part.clone()));
        parts.iter().rev().for_each(|part| backwards.absorb(part.clone()));
        assert_eq!((forwards.width, forwards.shown()), (backwards.width, backwards.shown()));
    }

    #[test]
    fn any_moment_can_be_counted() {
        let mut times = Times::default();
        for at in [i64::MIN, i64::MAX, 0] {
            times.add(Some(at), Rank::None, &[], None);
        }
        times.add(None, Rank::None, &[], None);
        let shown = times.shown();
        let outside = [shown.before, shown.after].into_iter().flatten();
        let all = counted(&shown) + outside.map(|outside| outside.requests).sum::<u64>();
        assert_eq!((all, times.without()), (3, 1));
    }
}
