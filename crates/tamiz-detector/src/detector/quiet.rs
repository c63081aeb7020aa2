//! Tokens that weigh nothing, by the hashes of endpoint and token: most tokens of most requests are among them.

use crate::token::{self, Parts};

/// What is known of a token at an endpoint, in one word: how surprising it is, and what it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quiet(u32);

/// A key, or the name of a header.
const PLACE: u32 = 1;
/// The shape of a value, which its signs are paired with.
const SHAPE: u32 = 2;
/// A sign of a value.
const SIGN: u32 = 4;
/// How far the surprise is shifted.
const BITS: u32 = 3;

impl Quiet {
    /// What a token is, with how surprising it is; `None` for one that is more so than can be told.
    pub(super) fn of(parts: &Parts<'_>, surprise: i64) -> Option<Self> {
        let is_told = parts.place.is_some() && matches!(parts.kind, "q" | "b" | "h");
        let what = match parts.op {
            token::PLACE => PLACE,
            b'=' if is_told && !parts.measured => SHAPE,
            b'~' if is_told => SIGN,
            _ => 0,
        };
        let surprise = u32::try_from(surprise.max(0)).ok().filter(|bits| bits.leading_zeros() >= BITS)?;
        Some(Quiet(surprise << BITS | what))
    }

    pub(super) fn surprise(self) -> u32 {
        self.0 >> BITS
    }

    pub(super) fn is_place(self) -> bool {
        self.0 & PLACE != 0
    }

    pub(super) fn is_shape(self) -> bool {
        self.0 & SHAPE != 0
    }

    pub(super) fn is_sign(self) -> bool {
        self.0 & SIGN != 0
    }
}

/// Open addressing: a key stands at the first free slot behind the one that it asks for.
#[derive(Debug, Default)]
pub(super) struct QuietTable {
    slots: Vec<(u64, Quiet)>,
    len: usize,
}

/// Marks a slot that is free; no key has it.
const FREE: u64 = 0;

impl QuietTable {
    pub(super) fn insert(&mut self, key: u64, quiet: Quiet) {
        if self.len.saturating_mul(2) >= self.slots.len() {
            let larger = vec![(FREE, Quiet::default()); (self.slots.len() * 2).max(64)];
            let before = std::mem::replace(&mut self.slots, larger);
            self.len = 0;
            for (key, quiet) in before.into_iter().filter(|(key, _)| *key != FREE) {
                self.place(key, quiet);
            }
        }
        self.place(key | 1, quiet);
    }

    fn place(&mut self, key: u64, quiet: Quiet) {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = index(key, mask);
        while let Some(slot) = self.slots.get_mut(at) {
            if slot.0 == FREE {
                self.len += 1;
            }
            if slot.0 == FREE || slot.0 == key {
                *slot = (key, quiet);
                return;
            }
            at = (at + 1) & mask;
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> Option<Quiet> {
        let key = key | 1;
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = index(key, mask);
        loop {
            let (there, quiet) = self.slots.get(at)?;
            if *there == key {
                return Some(*quiet);
            }
            if *there == FREE {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    #[cfg(test)]
    pub(super) fn clear(&mut self) {
        *self = QuietTable::default();
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.len
    }
}

/// Where a key is looked for first; its lowest bit is always the same.
#[inline(always)]
fn index(key: u64, mask: usize) -> usize {
    (key >> 1) as usize & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_and_others_are_not() {
        let quiet = Quiet;
        let mut table = QuietTable::default();
        assert_eq!(table.get(0), None);
        // All ask for one of two slots.
        (0..1000_u64).for_each(|n| table.insert(n << 40 | (n & 1) << 1, quiet(n as u32)));
        table.insert(7 << 40 | 2, quiet(7777));
        for n in 0..1000_u64 {
            let surprise = if n == 7 { 7777 } else { n as u32 };
            assert_eq!(table.get(n << 40 | (n & 1) << 1), Some(quiet(surprise)));
            assert_eq!(table.get(n << 40 | 4), None);
        }
        assert_eq!(table.len(), 1000);
    }
}
