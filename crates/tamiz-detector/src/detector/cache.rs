//! A cache of what sections and lines of requests weigh, and of the tokens of lines: most of them came before.
//!
//! Its entries follow from the model alone, so that scores do not depend on it. It has a fixed size, and is shared by
//! threads without locks: a slot that two write at once belongs to neither, and is written again.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::stream::fold;

/// How many parts it keeps: four megabytes of them.
const SLOTS: usize = 1 << 16;
/// A part is in one of so many slots that follow each other.
const WAYS: usize = 4;
/// The words of a slot: the key mixed with all others, a summary, a place, and weights.
const WORDS: usize = 8;
/// The most weights of a part that is kept.
pub(super) const WEIGHTS: usize = WORDS - 3;

/// A number without a pattern, from the digits of pi.
const MIX: u64 = 0xa409_3822_299f_3100;

/// The sum over the tokens of a part of a request, but for their weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// How surprising the most surprising of its tokens is.
    pub(super) surprise: u32,
    /// How many tokens are new.
    pub(super) new: u16,
    /// How many weights are those of unusual tokens, and how many those of flags, which follow.
    pub(super) unusual: u8,
    pub(super) flags: u8,
    /// The hash of its key or header, or 0 if it tells of none; of a request line, the number of its endpoint.
    pub(super) place: u64,
}

impl Part {
    fn summary(self) -> u64 {
        u64::from(self.surprise)
            | u64::from(self.new) << 32
            | u64::from(self.unusual) << 48
            | u64::from(self.flags) << 56
    }

    #[inline(always)]
    fn read(summary: u64, place: u64) -> Self {
        Part {
            surprise: summary as u32,
            new: (summary >> 32) as u16,
            unusual: (summary >> 48) as u8,
            flags: (summary >> 56) as u8,
            place,
        }
    }

    /// Returns whether none of its tokens weighs anything or is new.
    #[inline(always)]
    pub(super) fn is_quiet(self) -> bool {
        self.summary() >> 32 == 0
    }

    fn weights(self) -> usize {
        usize::from(self.unusual) + usize::from(self.flags)
    }
}

/// Parts by the hash of their text.
#[derive(Debug, Default)]
pub(super) struct Cache {
    slots: Vec<[AtomicU64; WORDS]>,
}

impl Cache {
    pub(super) fn new() -> Self {
        Cache { slots: (0..SLOTS).map(|_| Default::default()).collect() }
    }

    /// The key of a text with this hash, at an endpoint.
    #[inline(always)]
    pub(super) fn key(&self, endpoint: u64, kind: u8, hash: u64) -> u64 {
        // Mixed by a product, so that no text makes up for another kind.
        fold(hash ^ endpoint, MIX | u64::from(kind))
    }

    /// The slots that a part may be in.
    #[inline(always)]
    fn set_of(&self, key: u64) -> &[[AtomicU64; WORDS]] {
        let at = (key >> 40) as usize & (SLOTS - WAYS);
        self.slots.get(at..at + WAYS).unwrap_or_default()
    }

    /// The part of this key, and its weights, those of unusual tokens first.
    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> Option<(Part, Weights<'_>)> {
        self.set_of(key).iter().find_map(|slot| Cache::get_at(slot, key))
    }

    #[inline(always)]
    fn get_at(slot: &[AtomicU64; WORDS], key: u64) -> Option<(Part, Weights<'_>)> {
        let [mixed, summary, place, weights @ ..] = slot;
        let (summary, place) = (summary.load(Ordering::Relaxed), place.load(Ordering::Relaxed));
        let part = Part::read(summary, place);
        let mut check = mixed.load(Ordering::Relaxed) ^ summary ^ place.rotate_left(1);
        let weights = Weights(weights.get(..part.weights())?);
        if !weights.0.is_empty() {
            check ^= weights.check();
        }
        (check == key).then_some((part, weights))
    }

    /// Keeps a part; `weights` are as many as it says. Where all of its slots are taken, the key chooses whose is.
    pub(super) fn set(&self, key: u64, part: Part, weights: &[u64]) {
        let slots = self.set_of(key);
        let is_free = |slot: &&[AtomicU64; WORDS]| slot.iter().all(|word| word.load(Ordering::Relaxed) == 0);
        let Some(slot) = slots.iter().find(is_free).or_else(|| slots.get(key as usize & (WAYS - 1))) else {
            return;
        };
        if weights.len() > WEIGHTS || weights.len() != part.weights() {
            return;
        }
        let [mixed, summary, place, rest @ ..] = slot;
        let check = weights.iter().fold(0, |check, weight| mixed_in(check, *weight));
        mixed.store(key ^ part.summary() ^ part.place.rotate_left(1) ^ check, Ordering::Relaxed);
        summary.store(part.summary(), Ordering::Relaxed);
        place.store(part.place, Ordering::Relaxed);
        rest.iter().zip(weights).for_each(|(slot, weight)| slot.store(*weight, Ordering::Relaxed));
    }
}

/// The weights of a part in the cache.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a>(&'a [AtomicU64]);

impl Weights<'_> {
    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|weight| weight.load(Ordering::Relaxed))
    }

    fn check(&self) -> u64 {
        self.iter().fold(0, mixed_in)
    }
}

fn mixed_in(check: u64, weight: u64) -> u64 {
    (check ^ weight).rotate_left(7).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(place: u64, unusual: u8, flags: u8) -> Part {
        Part { surprise: 7, new: 3, unusual, flags, place }
    }

    #[test]
    fn parts_are_kept_until_others_take_their_slots() {
        let cache = Cache::new();
        let found = |key| cache.get(key).map(|(part, weights)| (part, weights.iter().collect::<Vec<u64>>()));
        let key = |n: u8| 0xdead_beef_0000_0000 ^ u64::from(n);
        let of = |n: u8| (part(u64::MAX - 1, n, 0), vec![u64::MAX - u64::from(n); n.into()]);
        for n in 0..=WEIGHTS as u8 {
            assert_eq!(found(key(n)), None);
            cache.set(key(n), of(n).0, &of(n).1);
            for before in 0..=n {
                let is_there = usize::from(before) + WAYS > usize::from(n);
                assert_eq!(found(key(before)), is_there.then(|| of(before)), "{before} of {n}");
            }
            assert_eq!(found(key(n) ^ 1 << 30), None);
        }
        assert!(Cache::default().get(7).is_none());
    }

    #[test]
    fn a_part_with_too_many_weights_is_not_kept() {
        let cache = Cache::new();
        cache.set(7, part(0, WEIGHTS as u8, 1), &[1; WEIGHTS + 1]);
        assert!(cache.get(7).is_none());
    }

    #[test]
    fn a_slot_that_two_write_is_nobodys() {
        let cache = Cache::new();
        cache.set(7, part(1, 1, 1), &[5, 6]);
        for word in 1..5 {
            cache.slots[0][word].fetch_xor(1 << 20, Ordering::Relaxed);
            assert!(cache.get(7).is_none(), "{word}");
            cache.slots[0][word].fetch_xor(1 << 20, Ordering::Relaxed);
        }
        assert!(cache.get(7).is_some());
    }

    #[test]
    fn what_is_new_is_not_quiet() {
        assert!(Part { surprise: 9, place: 4, ..Part::default() }.is_quiet());
        assert!(!Part { new: 1, ..Part::default() }.is_quiet());
        assert!(!Part { flags: 1, ..Part::default() }.is_quiet());
    }
}
