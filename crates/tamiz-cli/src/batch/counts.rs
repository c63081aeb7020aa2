//! How often each document was there: for `--dedup`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::rows::Identity;

/// Documents by their identity, and the count of each in the order of their first appearance.
#[derive(Default)]
pub(crate) struct Counts {
    known: HashMap<Identity, u32>,
    counts: Vec<u64>,
}

impl Counts {
    /// Counts a document; whether it was there for the first time.
    pub(crate) fn add(&mut self, identity: Identity) -> bool {
        let next = u32::try_from(self.counts.len()).unwrap_or(u32::MAX);
        match self.known.entry(identity) {
            Entry::Vacant(entry) => {
                entry.insert(next);
                self.counts.push(1);
                true
            }
            Entry::Occupied(entry) => {
                if let Some(count) = usize::try_from(*entry.get()).ok().and_then(|at| self.counts.get_mut(at))
                {
                    *count += 1;
                }
                false
            }
        }
    }

    /// The counts, by first appearance.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.counts.iter().copied()
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut identities: Vec<Identity> = vec![Identity::default(); self.counts.len()];
        #[allow(clippy::iter_over_hash_type, reason = "each goes to its own place")]
        for (identity, at) in &self.known {
            if let Some(place) = usize::try_from(*at).ok().and_then(|at| identities.get_mut(at)) {
                *place = *identity;
            }
        }
        let pairs = identities.iter().zip(&self.counts);
        pairs.flat_map(|(identity, count)| identity.iter().copied().chain(count.to_le_bytes())).collect()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let mut all = Counts::default();
        for pair in bytes.chunks_exact(24) {
            if let (Some(identity), Some(count)) = (pair.first_chunk::<16>(), pair.last_chunk::<8>()) {
                all.add(*identity);
                if let Some(last) = all.counts.last_mut() {
                    *last = u64::from_le_bytes(*count);
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_back() {
        let mut counts = Counts::default();
        for (n, is_first) in [(1, true), (2, true), (1, false), (3, true), (1, false)] {
            assert_eq!(counts.add([n; 16]), is_first);
        }
        assert_eq!(counts.iter().collect::<Vec<_>>(), [3, 1, 1]);
        let mut back = Counts::from_bytes(&counts.to_bytes());
        assert!(!back.add([2; 16]) && back.add([9; 16]));
        assert_eq!(back.iter().collect::<Vec<_>>(), [3, 2, 1, 1]);
    }
}
