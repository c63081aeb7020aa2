//! Counts the places of a request.

/// Up to so many places, looking at all of them is faster than sorting them.
pub(super) const FEW: usize = 32;

/// Counts places, each once.
#[derive(Default)]
pub(super) struct Places {
    /// Has the bit of each place's lowest bits: mostly that tells that a place is new.
    seen: u64,
    few: [u64; FEW],
    pub(super) len: usize,
    /// Those beyond the first few.
    pub(super) more: Vec<u64>,
    /// How many there are in sections from the cache.
    pub(super) others: u64,
}

impl Places {
    /// Adds a place; whether it may have been there.
    #[inline(always)]
    pub(super) fn add(&mut self, place: u64) -> bool {
        let bit = 1 << (place & 63);
        let is_seen = self.seen & bit != 0 && self.is_among(place);
        self.seen |= bit;
        if !is_seen {
            match self.few.get_mut(self.len) {
                Some(slot) => {
                    *slot = place;
                    self.len += 1;
                }
                None => self.more.push(place),
            }
        }
        is_seen || !self.more.is_empty()
    }

    #[cold]
    pub(super) fn is_among(&self, place: u64) -> bool {
        self.few.get(..self.len).is_some_and(|few| few.contains(&place))
    }

    /// How many different ones there are.
    pub(super) fn count(&mut self) -> u64 {
        self.more.sort_unstable();
        self.more.dedup();
        (self.len + self.more.len()) as u64 + self.others
    }
}
