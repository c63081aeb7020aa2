//! Remembers parts of requests whose tokens all weigh nothing: most lines of most requests came before.
//!
//! What is remembered follows from the model alone, so that scores do not depend on it. It has a fixed size, and is shared by
//! threads without locks: a slot that two write at once belongs to neither, and is written again.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::stream::text_hash;

/// How many parts are remembered.
const SLOTS: usize = 1 << 14;

/// A part of a request whose tokens are quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) surprise: u32,
    /// The hash of its key or header, if it tells of one.
    pub(super) place: Option<u64>,
}

/// How far the surprise is shifted: it is less than two to the power of 20.
const SHIFT: u32 = 44;
const PLACE: u64 = (1 << SHIFT) - 1;

/// A place, as far as a part keeps its hash.
pub(super) fn kept(place: u64) -> u64 {
    (place & PLACE).max(1)
}

impl Part {
    /// As one word; `None` where it does not fit.
    pub(super) fn packed(self) -> Option<u64> {
        let surprise = u64::from(self.surprise);
        (surprise < 1 << (64 - SHIFT)).then(|| surprise << SHIFT | self.place.map_or(0, kept))
    }

    #[inline(always)]
    pub(super) fn unpacked(packed: u64) -> Self {
        let place = Some(packed & PLACE).filter(|place| *place != 0);
        Part { surprise: (packed >> SHIFT) as u32, place }
    }
}

/// Words by the hash of a text. A slot is its key mixed with what is remembered, and that.
#[derive(Debug, Default)]
pub(super) struct Memo {
    slots: Vec<[AtomicU64; 2]>,
    /// Where hashes begin: nobody can look for two lines that have the same.
    seed: u64,
}

impl Memo {
    pub(super) fn new() -> Self {
        let slots = (0..SLOTS).map(|_| Default::default()).collect();
        Memo { slots, seed: RandomState::new().build_hasher().finish() }
    }

    /// The key of a line of a document and its note, at an endpoint.
    #[inline(always)]
    pub(super) fn key(&self, endpoint: u64, kind: u8, line: &str, note: &str) -> u64 {
        let seed = self.seed ^ endpoint ^ u64::from(kind) << 56;
        let key = text_hash(seed, line.as_bytes());
        if note.is_empty() { key } else { text_hash(key, note.as_bytes()) }
    }

    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> Option<u64> {
        let [mixed, word] = self.slots.get(key as usize & (SLOTS - 1))?;
        let word = word.load(Ordering::Relaxed);
        (mixed.load(Ordering::Relaxed) ^ word == key).then_some(word)
    }

    pub(super) fn set(&self, key: u64, word: u64) {
        if let Some([mixed, slot]) = self.slots.get(key as usize & (SLOTS - 1)) {
            mixed.store(key ^ word, Ordering::Relaxed);
            slot.store(word, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_remembered_until_others_take_their_slot() {
        let memo = Memo::new();
        for word in [0, 7, u64::MAX] {
            let key = 0xdead_beef_0000_0000 ^ word >> 32;
            assert_eq!(memo.get(key), None);
            memo.set(key, word);
            assert_eq!(memo.get(key), Some(word));
            assert_eq!(memo.get(key ^ 1 << 40), None);
            memo.set(key ^ 1 << 40, word);
            assert_eq!(memo.get(key), None);
        }
        assert_eq!(Memo::default().get(7), None);
    }

    #[test]
    fn parts_are_words() {
        for (surprise, place) in [(0, None), (7, Some(1)), ((1 << 20) - 1, Some(PLACE))] {
            let part = Part { surprise, place };
            assert_eq!(part.packed().map(Part::unpacked), Some(part));
        }
        assert_eq!(Part { surprise: 1 << 20, place: None }.packed(), None);
    }
}
