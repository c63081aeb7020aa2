//! Texts of which each is kept once, with what is known of it: names and keys of which a request may have any number.

#![allow(clippy::arithmetic_side_effects, reason = "counts of what is in memory, and places of a table")]

use std::collections::BTreeMap;

use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;

use crate::hash::hash;

/// So many places of the table are tried for a text.
const MOST_TRIES: usize = 32;
/// The places of the first table.
const FIRST_PLACES: usize = 256;

/// Texts, each once, in the order in which they first came.
///
/// They are found by a table of their hashes, of which at most half is full. Hashes are not keyed, so that someone may
/// make many texts share one: what finds no place near its own is kept in order instead.
pub(crate) struct Distinct<'a, T> {
    bump: &'a Bump,
    pub(crate) entries: BumpVec<'a, Entry<'a, T>>,
    /// One more than the entry that is there.
    table: BumpVec<'a, u32>,
    crowded: BTreeMap<&'a [u8], usize>,
}

/// A text, and what is known of it.
pub(crate) struct Entry<'a, T> {
    pub(crate) text: &'a [u8],
    pub(crate) of: T,
}

impl<'a, T> Distinct<'a, T> {
    pub(crate) fn new(bump: &'a Bump) -> Self {
        let mut table = BumpVec::with_capacity_in(FIRST_PLACES + MOST_TRIES, bump);
        table.resize(FIRST_PLACES + MOST_TRIES, 0);
        Distinct { bump, entries: BumpVec::new_in(bump), table, crowded: BTreeMap::new() }
    }

    /// The value of a text.
    pub(crate) fn get(&self, text: &[u8]) -> Option<&T> {
        let at = self.find(text).ok()?;
        self.entries.get(at).map(|entry| &entry.of)
    }

    /// The value of a text, and whether the text is known; stores `of` where it is new.
    pub(crate) fn get_or_insert(&mut self, text: &[u8], of: T) -> Option<(&mut T, bool)> {
        let found = self.find(text);
        let at = match found {
            Ok(at) => at,
            Err(place) => {
                let text = self.bump.alloc_slice_copy(text);
                self.entries.push(Entry { text, of });
                let at = self.entries.len() - 1;
                self.put(place, text, at);
                if self.entries.len() * 2 > self.table.len() - MOST_TRIES {
                    self.grow();
                }
                at
            }
        };
        self.entries.get_mut(at).map(|entry| (&mut entry.of, found.is_ok()))
    }

    /// Where a text is among the entries, else its place in the table, if there is one.
    fn find(&self, text: &[u8]) -> Result<usize, Option<usize>> {
        let first = self.first_place(text);
        for at in first..first + MOST_TRIES {
            match self.table.get(at).copied().unwrap_or_default() {
                0 => return Err(Some(at)),
                there => {
                    let entry = there as usize - 1;
                    if self.entries.get(entry).is_some_and(|entry| entry.text == text) {
                        return Ok(entry);
                    }
                }
            }
        }
        self.crowded.get(text).copied().ok_or(None)
    }

    fn first_place(&self, text: &[u8]) -> usize {
        let places = self.table.len() - MOST_TRIES;
        (hash(text) >> (u64::BITS - places.ilog2())) as usize
    }

    fn put(&mut self, place: Option<usize>, text: &'a [u8], at: usize) {
        match (place.and_then(|place| self.table.get_mut(place)), u32::try_from(at + 1)) {
            (Some(place), Ok(nth)) => *place = nth,
            _ => {
                self.crowded.insert(text, at);
            }
        }
    }

    /// Makes the table twice as large.
    fn grow(&mut self) {
        let places = (self.table.len() - MOST_TRIES) * 2;
        self.table = BumpVec::with_capacity_in(places + MOST_TRIES, self.bump);
        self.table.resize(places + MOST_TRIES, 0);
        self.crowded.clear();
        for at in 0..self.entries.len() {
            let Some(text) = self.entries.get(at).map(|entry| entry.text) else { continue };
            let first = self.first_place(text);
            let place = (first..first + MOST_TRIES).find(|place| self.table.get(*place) == Some(&0));
            self.put(place, text, at);
        }
    }
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
    fn crowded_texts_are_found() {
        let bump = Bump::new();
        let mut distinct = Distinct::new(&bump);
        // Whatever their hashes, no more than these fit into the first table near one place.
        let texts: Vec<String> = (0..100).map(|i| format!("text {i}")).collect();
        for (at, text) in texts.iter().enumerate() {
            distinct.entries.push(Entry { text: bump.alloc_slice_copy(text.as_bytes()), of: at });
            let text = distinct.entries[at].text;
            distinct.put(None, text, at);
        }
        distinct.table.iter_mut().for_each(|place| *place = 1);
        for (at, text) in texts.iter().enumerate() {
            assert_eq!(distinct.get_or_insert(text.as_bytes(), 7), Some((&mut { at }, true)));
        }
    }
}
