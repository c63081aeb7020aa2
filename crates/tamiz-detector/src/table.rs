//! Counts by token, bounded.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Keys are hashes already, or numbers that follow each other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Direct(u64);

impl Hasher for Direct {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = crate::hash::hash(bytes);
    }

    fn write_u32(&mut self, n: u32) {
        self.0 = u64::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = n;
    }
}

/// A map whose keys are hashed [`Direct`]ly.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Direct>>;

/// Returns whether a table of some level keeps what has this hash.
pub(crate) fn survives(hash: u64, level: u8) -> bool {
    hash.trailing_zeros() >= u32::from(level)
}

/// Counts by number, with open addressing: a number stands at the first free slot behind the one that it asks for.
#[derive(Clone, Debug, Default)]
struct Counts {
    /// One more than the number, or 0 in a free slot.
    slots: Vec<(u64, u64)>,
    len: usize,
}

impl Counts {
    fn add(&mut self, id: u32, times: u64) {
        if self.len * 4 >= self.slots.len() * 3 {
            self.reserve(self.len.max(3));
        }
        let key = u64::from(id) + 1;
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = Counts::index(key) & mask;
        while let Some((there, count)) = self.slots.get_mut(at) {
            if *there == key {
                *count = count.saturating_add(times);
                return;
            }
            if *there == 0 {
                (*there, *count) = (key, times);
                self.len += 1;
                return;
            }
            at = (at + 1) & mask;
        }
    }

    /// Where a key is looked for first.
    fn index(key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
    }

    /// Makes room for so many more.
    fn reserve(&mut self, more: usize) {
        let slots = ((self.len + more + 1) * 4 / 3).next_power_of_two();
        if slots > self.slots.len() {
            let before = std::mem::replace(&mut self.slots, vec![(0, 0); slots]);
            self.refill(before);
        }
    }

    fn refill(&mut self, before: Vec<(u64, u64)>) {
        self.len = 0;
        let mask = self.slots.len().wrapping_sub(1);
        for (key, count) in before.into_iter().filter(|(key, _)| *key != 0) {
            let mut at = Counts::index(key) & mask;
            while let Some(slot) = self.slots.get_mut(at) {
                if slot.0 == 0 {
                    *slot = (key, count);
                    self.len += 1;
                    break;
                }
                at = (at + 1) & mask;
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        let taken = self.slots.iter().filter(|(key, _)| *key != 0);
        taken.map(|(key, count)| ((*key - 1) as u32, *count))
    }

    /// Keeps those of which `stays` says so; it may change their counts.
    fn retain(&mut self, mut stays: impl FnMut(u32, &mut u64) -> bool) {
        for slot in &mut self.slots {
            if slot.0 != 0 && !stays((slot.0 - 1) as u32, &mut slot.1) {
                slot.0 = 0;
            }
        }
        let slots = self.slots.len();
        let before = std::mem::replace(&mut self.slots, vec![(0, 0); slots]);
        self.refill(before);
    }
}

impl PartialEq for Counts {
    fn eq(&self, other: &Self) -> bool {
        let sorted = |counts: &Counts| {
            let mut all: Vec<(u32, u64)> = counts.iter().collect();
            all.sort_unstable();
            all
        };
        self.len == other.len && sorted(self) == sorted(other)
    }
}

impl Eq for Counts {}

/// In how many requests each token was seen. Beyond its bound a table raises its level and keeps the tokens whose hash
/// ends with so many zero bits: which these are, and their counts, depends on the set of requests alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    counts: Counts,
    pub(crate) level: u8,
    /// How often tokens were seen that the table has let go.
    pub(crate) let_go: u64,
}

impl Table {
    /// Adds to the count of a token, unless it is of those let go; `hash_of` tells the hash of any token.
    pub(crate) fn add(&mut self, id: u32, times: u64, bound: usize, hash_of: &impl Fn(u32) -> u64) {
        if self.level > 0 && !survives(hash_of(id), self.level) {
            self.let_go = self.let_go.saturating_add(times);
            return;
        }
        self.counts.add(id, times);
        if self.counts.len > bound {
            self.raise(self.level + 1, bound, hash_of);
        }
    }

    /// Raises the level to this at least, and as far as the bound asks for.
    pub(crate) fn raise(&mut self, level: u8, bound: usize, hash_of: &impl Fn(u32) -> u64) {
        if level <= self.level && self.counts.len <= bound {
            return;
        }
        self.level = self.level.max(level);
        loop {
            let (level, let_go) = (self.level, &mut self.let_go);
            self.counts.retain(|id, count| {
                let stays = survives(hash_of(id), level);
                if !stays {
                    *let_go = let_go.saturating_add(*count);
                }
                stays
            });
            if self.counts.len <= bound || self.level >= 63 {
                return;
            }
            self.level += 1;
        }
    }

    /// Makes room for so many tokens more.
    pub(crate) fn reserve(&mut self, tokens: usize, bound: usize) {
        self.counts.reserve(tokens.min(bound.saturating_add(1).saturating_sub(self.counts.len)));
    }

    /// The tokens and their counts, in any order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        self.counts.iter()
    }

    /// The tokens and their counts, by number.
    pub(crate) fn sorted(&self) -> Vec<(u32, u64)> {
        let mut list: Vec<(u32, u64)> = self.iter().collect();
        list.sort_unstable();
        list
    }

    pub(crate) fn len(&self) -> usize {
        self.counts.len
    }

    /// Multiplies all counts by `percent` in a hundred, rounded; what becomes nothing is gone.
    pub(crate) fn decay(&mut self, percent: u64) {
        self.counts.retain(|_, count| {
            *count = scaled(*count, percent);
            *count > 0
        });
    }
}

/// `percent` in a hundred of a count, rounded.
pub(crate) fn scaled(count: u64, percent: u64) -> u64 {
    u64::try_from((u128::from(count) * u128::from(percent) + 50) / 100).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn survivors_do_not_depend_on_order() {
        let hash_of = |id: u32| mix(u64::from(id));
        let fill = |ids: &mut dyn Iterator<Item = u32>| {
            let mut table = Table::default();
            ids.for_each(|id| table.add(id, 1, 100, &hash_of));
            table
        };
        let up = fill(&mut (0..5000).chain(0..5000));
        let down = fill(&mut (0..5000).rev().chain(0..5000));
        assert_eq!(up, down);
        assert!(up.len() <= 100 && up.level > 0);
        assert!(up.sorted().iter().all(|(_, count)| *count == 2));
        assert_eq!(up.let_go + 2 * up.len() as u64, 10_000);
    }
}
