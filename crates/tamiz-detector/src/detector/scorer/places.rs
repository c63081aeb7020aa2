//! Counts the places of a request.

use crate::table::Map;

/// Up to so many places, looking at all of them is faster than sorting them.
pub(super) const FEW: usize = 32;

/// Counts places, each once.
#[derive(Default)]
pub(super) struct Places {
    /// Has the bit of each place's lowest bits: mostly that tells that a place is new.
    seen: u64,
    few: [u64; FEW],
    len: usize,
    /// Those beyond the first few.
    more: Map<u64, ()>,
    /// How many there are in sections from the cache.
    pub(super) others: u64,
}

impl Places {
    /// Adds a place; whether it was there.
    #[inline(always)]
    pub(super) fn add(&mut self, place: u64) -> bool {
        let bit = 1 << (place & 63);
        let is_seen = self.seen & bit != 0 && self.is_among(place);
        self.seen |= bit;
        if is_seen {
            return true;
        }
        match self.few.get_mut(self.len) {
            Some(slot) => {
                *slot = place;
                self.len += 1;
                false
            }
            None => self.more.insert(place, ()).is_some(),
        }
    }

    #[cold]
    fn is_among(&self, place: u64) -> bool {
        self.few.get(..self.len).is_some_and(|few| few.contains(&place))
    }

    /// How many different ones there are, but for those of sections from the cache.
    pub(super) fn own(&self) -> usize {
        self.len + self.more.len()
    }

    /// How many different ones there are.
    pub(super) fn count(&self) -> u64 {
        self.own() as u64 + self.others
    }
}
