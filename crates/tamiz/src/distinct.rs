//! Texts of which each is kept once, with what is known of it: names and keys of which a request may have any number.

#![allow(clippy::arithmetic_side_effects, reason = "counts of what is in memory, and places of a table")]

use std::collections::BTreeMap;

use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;

use crate::hash::hash;

/// So many places of the table are tried for a text.
const MOST_TRIES: usize = 32;
/// The places of the smallest table.
const FIRST_PLACES: usize = 64;

/// Room for so many texts is made at once, at most: there may be fewer than were announced.
const MOST_ROOM: usize = 1024;

/// Texts, each once, in the order in which they first came.
///
/// They are found by a table of their hashes, of which at most half is full. Hashes are not keyed, so that someone may
/// make many texts share one: what finds no place near its own is kept in order instead.
pub(crate) struct Distinct<'a, T> {
    bump: &'a Bump,
    pub(crate) entries: BumpVec<'a, Entry<'a, T>>,
    /// The upper half of a hash, and below it one more than the entry that is there.
    table: BumpVec<'a, u64>,
    crowded: BTreeMap<&'a [u8], usize>,
}

/// A text, and what is known of it.
pub(crate) struct Entry<'a, T> {
    pub(crate) text: &'a [u8],
    pub(crate) of: T,
}

impl<'a, T> Distinct<'a, T> {
    pub(crate) fn new(bump: &'a Bump) -> Self {
        Distinct::with_room(0, bump)
    }

    /// A table that `most` texts fit into.
    pub(crate) fn with_room(most: usize, bump: &'a Bump) -> Self {
        let places = most.saturating_mul(2).checked_next_power_of_two().unwrap_or(0).max(FIRST_PLACES);
        let (crowded, entries) = (BTreeMap::new(), BumpVec::with_capacity_in(most.min(MOST_ROOM), bump));
        Distinct { bump, entries, table: empty_table(places, bump), crowded }
    }

    /// The value of a text.
    pub(crate) fn get(&self, text: &[u8]) -> Option<&T> {
        let at = self.find(text, hash(text)).ok()?;
        self.entries.get(at).map(|entry| &entry.of)
    }

    /// The value of a text, and whether the text is known; stores `of` and a copy of the text where it is new.
    pub(crate) fn get_or_insert(&mut self, text: &[u8], of: T) -> Option<(&mut T, bool)> {
        let bump = self.bump;
        self.get_or_insert_by(text, of, |text| bump.alloc_slice_copy(text))
    }

    /// Does the same with a text that lives as long as the others.
    #[inline]
    pub(crate) fn get_or_insert_kept(&mut self, text: &'a [u8], of: T) -> Option<(&mut T, bool)> {
        self.get_or_insert_by(text, of, |_| text)
    }

    #[inline(always)]
    fn get_or_insert_by(
        &mut self,
        text: &[u8],
        of: T,
        keep: impl FnOnce(&[u8]) -> &'a [u8],
    ) -> Option<(&mut T, bool)> {
        let hash = hash(text);
        let found = self.find(text, hash);
        let at = match found {
            Ok(at) => at,
            Err(place) => {
                let (text, at) = (keep(text), self.entries.len());
                self.entries.push(Entry { text, of });
                self.put(place, text, hash, at);
                if self.entries.len() * 2 > self.table.len() - MOST_TRIES {
                    self.grow();
                }
                at
            }
        };
        self.entries.get_mut(at).map(|entry| (&mut entry.of, found.is_ok()))
    }

    /// Where a text is among the entries, else its place in the table, if there is one.
    #[inline(always)]
    fn find(&self, text: &[u8], hash: u64) -> Result<usize, Option<usize>> {
        let first = self.first_place(hash);
        let near = self.table.get(first..first + MOST_TRIES).unwrap_or_default();
        for (at, there) in near.iter().enumerate() {
            if *there == 0 {
                return Err(Some(first + at));
            }
            let entry = *there as u32 as usize - 1;
            if (there ^ hash) >> u32::BITS == 0
                && self.entries.get(entry).is_some_and(|entry| entry.text == text)
            {
                return Ok(entry);
            }
        }
        self.crowded.get(text).copied().ok_or(None)
    }

    /// The first place for a hash, of which the upper half tells.
    fn first_place(&self, hash: u64) -> usize {
        let places = self.table.len() - MOST_TRIES;
        (hash >> (u64::BITS - places.ilog2())) as usize
    }

    fn put(&mut self, place: Option<usize>, text: &'a [u8], hash: u64, at: usize) {
        match (place.and_then(|place| self.table.get_mut(place)), u32::try_from(at + 1)) {
            (Some(place), Ok(nth)) => *place = hash >> u32::BITS << u32::BITS | u64::from(nth),
            _ => {
                self.crowded.insert(text, at);
            }
        }
    }

    /// Makes the table twice as large.
    #[cold]
    fn grow(&mut self) {
        let places = (self.table.len() - MOST_TRIES) * 2;
        let before = std::mem::replace(&mut self.table, empty_table(places, self.bump));
        let crowded = std::mem::take(&mut self.crowded);
        for there in before.iter().copied().filter(|there| *there != 0) {
            let at = there as u32 as usize - 1;
            let Some(text) = self.entries.get(at).map(|entry| entry.text) else { continue };
            self.put_anew(text, there, at);
        }
        for (text, at) in crowded {
            self.put_anew(text, hash(text), at);
        }
    }

    fn put_anew(&mut self, text: &'a [u8], hash: u64, at: usize) {
        let first = self.first_place(hash);
        let place = (first..first + MOST_TRIES).find(|place| self.table.get(*place) == Some(&0));
        self.put(place, text, hash, at);
    }
}

/// A table of so many places, and those behind the last that are tried for it.
fn empty_table(places: usize, bump: &Bump) -> BumpVec<'_, u64> {
    let mut table = BumpVec::with_capacity_in(places + MOST_TRIES, bump);
    table.resize(places + MOST_TRIES, 0);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_kept_once() {
        let bump = Bump::new();
        let mut random = crate::context::tests::random();
        let mut distinct = Distinct::new(&bump);
        let mut expected: Vec<(String, usize)> = Vec::new();
        for nth in 0..5000 {
            let text = format!("name{}", random(2000));
            let first = match expected.iter().find(|(known, _)| *known == text) {
                Some((_, first)) => *first,
                None => {
                    expected.push((text.clone(), nth));
                    nth
                }
            };
            assert_eq!(distinct.get_or_insert(text.as_bytes(), nth), Some((&mut { first }, first < nth)));
        }
        let texts: Vec<(String, usize)> = distinct
            .entries
            .iter()
            .map(|entry| (String::from_utf8_lossy(entry.text).into_owned(), entry.of))
            .collect();
        assert_eq!(texts, expected);
        assert!(expected.iter().all(|(text, first)| distinct.get(text.as_bytes()) == Some(first)));
        assert_eq!(distinct.get(b"none"), None);
    }

    #[test]
    fn texts_of_one_hash_are_told_apart() {
        let mut by_hash = BTreeMap::new();
        let colliding = (0..400_000_u32).find_map(|n| {
            let text = n.to_string();
            let upper = hash(text.as_bytes()) >> u32::BITS;
            by_hash.insert(upper, text.clone()).map(|before| (before, text))
        });
        let (one, other) = colliding.unwrap();
        let bump = Bump::new();
        let mut distinct = Distinct::new(&bump);
        assert_eq!(distinct.get_or_insert(one.as_bytes(), 1), Some((&mut 1, false)));
        assert_eq!(distinct.get_or_insert(other.as_bytes(), 2), Some((&mut 2, false)));
        assert_eq!(distinct.get_or_insert(one.as_bytes(), 3), Some((&mut 1, true)));
        assert_eq!(distinct.get(other.as_bytes()), Some(&2));
    }

    #[test]
    fn crowded_texts_are_found() {
        let bump = Bump::new();
        let mut distinct = Distinct::new(&bump);
        // Whatever their hashes, no more than these fit into the first table near one place.
        let texts: Vec<String> = (0..100).map(|i| format!("text {i}")).collect();
        for (at, text) in texts.iter().enumerate() {
            distinct.entries.push(Entry { text: bump.alloc_slice_copy(text.as_bytes()), of: at });
            let text = distinct.entries[at].text;
            distinct.put(None, text, 0, at);
        }
        distinct.table.iter_mut().for_each(|place| *place = 1);
        for (at, text) in texts.iter().enumerate() {
            assert_eq!(distinct.get_or_insert(text.as_bytes(), 7), Some((&mut { at }, true)));
        }
    }
}
