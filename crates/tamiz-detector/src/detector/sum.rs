//! Sums up what the tokens of a request weigh: by their texts, or by hashes.

use std::collections::BTreeMap;

use super::weigh::{Item, TokenWeight};
use crate::log::log2;
use crate::token;

/// Of the tokens of one place, the most surprising counts in full, and each further one so many sixteenths of the one
/// before: they tell much the same.
const FURTHER_SIXTEENTHS: i64 = 4;

/// The parts of a score, before they are one number.
pub(super) struct Parted {
    pub(super) novelty: i64,
    pub(super) flags: i64,
    /// How many tokens are new.
    pub(super) new: u64,
}

impl Parted {
    /// A request so far, without the weights of its places. What is no news still breaks ties.
    fn before(rarest: i64, new: u64) -> Self {
        Parted { novelty: rarest / 16, flags: 0, new }
    }

    /// Adds what is unusual at a place, from the least.
    fn add_unusual(&mut self, weights: impl Iterator<Item = i64>) {
        let site = weights.fold(0, |sum, bits| sum * FURTHER_SIXTEENTHS / 16 + bits);
        self.novelty = self.novelty.saturating_add(site);
    }

    /// Adds what the flags of a place weigh, from the least.
    fn add_flags(&mut self, weights: impl Iterator<Item = i64>) {
        self.flags = self.flags.max(weights.fold(0, |sum, bits| sum / 2 + bits));
    }

    /// Takes into account how many places the request has.
    fn with_places(mut self, usual_places: i64, places: u64) -> Self {
        if self.flags > 0 {
            self.flags = (self.flags + usual_places - log2(places + 1)).max(0);
        }
        self
    }
}

/// The sums over the tokens of a request, under way.
#[derive(Default)]
pub(super) struct Sum<'t> {
    pub(super) places: u64,
    pub(super) rarest: i64,
    new: u64,
    /// By key or header: what is unusual there, and what its flags weigh.
    by_site: BTreeMap<&'t str, (Vec<i64>, Vec<i64>)>,
}

impl<'t> Sum<'t> {
    /// Begins with tokens that weigh nothing.
    pub(super) fn of_quiet(places: u64, rarest: i64) -> Self {
        Sum { places, rarest, ..Sum::default() }
    }

    pub(super) fn add(&mut self, item: &Item<'t>, told: TokenWeight) {
        self.places += u64::from(item.parts.op == token::PLACE);
        self.new += u64::from(told.is_new);
        self.rarest = self.rarest.max(told.surprise);
        if told.unusual <= 0 && told.flag <= 0 {
            return;
        }
        let (unusual, flags) = self.by_site.entry(item.parts.site(item.token)).or_default();
        unusual.extend(Some(told.unusual).filter(|bits| *bits > 0));
        flags.extend(Some(told.flag).filter(|bits| *bits > 0));
    }

    pub(super) fn finish(mut self, usual_places: i64) -> Parted {
        let mut parted = Parted::before(self.rarest, self.new);
        for (unusual, flags) in self.by_site.values_mut() {
            unusual.sort_unstable();
            parted.add_unusual(unusual.iter().copied());
            flags.sort_unstable();
            parted.add_flags(flags.iter().copied());
        }
        parted.with_places(usual_places, self.places)
    }
}

/// The bits of a weight; the others are those of the hash of its place.
const VALUE: u32 = 23;

/// A weight together with the hash of its place.
pub(super) fn with_site(site: u64, value: i64) -> Option<u64> {
    let value = u64::try_from(value).ok().filter(|value| *value > 0)?;
    Some(site >> VALUE << VALUE | value.min((1 << VALUE) - 1))
}

fn value(weight: u64) -> i64 {
    (weight & ((1 << VALUE) - 1)) as i64
}

/// The sum over tokens, by the hashes of their places.
pub(super) fn finish(
    (rarest, new): (u32, u64),
    unusual: &mut [u64],
    flags: &mut [u64],
    usual_places: i64,
    places: impl FnOnce() -> u64,
) -> Parted {
    let mut parted = Parted::before(rarest.into(), new);
    by_site(unusual, |weights| parted.add_unusual(weights.iter().map(|weight| value(*weight))));
    if flags.is_empty() {
        return parted;
    }
    by_site(flags, |weights| parted.add_flags(weights.iter().map(|weight| value(*weight))));
    parted.with_places(usual_places, places())
}

/// Takes the weights of each place, from the least.
fn by_site(weights: &mut [u64], take: impl FnMut(&[u64])) {
    // The hash of the place is the upper part of a weight.
    weights.sort_unstable();
    weights.chunk_by(|a, b| a >> VALUE == b >> VALUE).for_each(take);
}
