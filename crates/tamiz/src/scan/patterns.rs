//! Thousands of patterns, found in folded text by the places they begin at (clause 7.8).
//!
//! A pattern begins at one kind of place: where a word begins, where a command may stand, at a sign, or
//! anywhere in a word. For the four characters at each place of a text a table says at which kinds of
//! place a pattern begins so. Where that is this kind, which is seldom, patterns are compared.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice or table, and counts of what is in it"
)]

use crate::bytes::{self, ALNUM};

/// Where a pattern begins; a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Anywhere in a word.
    Anywhere = 1,
    /// Where a word begins.
    Word = 2,
    /// Where a word begins after `; | & (`.
    Command = 4,
    /// At what is no letter, digit or `_`.
    Sign = 8,
}

const PLACES: [Place; 4] = [Place::Anywhere, Place::Word, Place::Command, Place::Sign];

/// How many characters are looked up at once.
const HEAD: usize = 4;

/// What a text must end with so that all its places are looked at; no pattern has it.
pub(super) const PADDING: [u8; HEAD - 1] = [0; HEAD - 1];

/// How many entries the table of heads has, as a power of two.
const BITS: u32 = 16;

/// All patterns.
pub(super) struct Patterns {
    /// The places of those that begin with four characters, by their hash.
    heads: Vec<u8>,
    /// The places of shorter ones, by their first two characters.
    pairs: Vec<u8>,
    /// In the order of `PLACES`.
    groups: [Group; PLACES.len()],
}

/// The patterns of a kind of place.
#[derive(Default)]
struct Group {
    /// Their first four characters, sorted, each once.
    heads: Vec<u32>,
    /// Where those of each head begin in `long`, and where the last of them end.
    starts: Vec<usize>,
    /// Sorted.
    long: Vec<Pattern>,
    /// Those of fewer characters than a head, by the first.
    short: Vec<Vec<Pattern>>,
}

/// What is looked for, for one or more reasons.
#[derive(Clone)]
struct Pattern {
    text: Vec<u8>,
    ids: Vec<usize>,
    /// The longest other one of the group that it begins with.
    shorter: Option<usize>,
}

fn hash(head: u32) -> usize {
    (head.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BITS)) as usize
}

impl Patterns {
    /// Patterns are known by their place in the list.
    pub(super) fn new(list: &[(Vec<u8>, Place)]) -> Self {
        let mut patterns =
            Patterns { heads: vec![0; 1 << BITS], pairs: vec![0; 1 << 16], groups: Default::default() };
        for (group, place) in patterns.groups.iter_mut().zip(PLACES) {
            let mut all: Vec<(&[u8], usize)> = Vec::new();
            all.extend(
                list.iter()
                    .enumerate()
                    .filter(|(_, (_, of))| *of == place)
                    .map(|(id, (text, _))| (&text[..], id)),
            );
            all.sort_unstable();
            group.short = vec![Vec::new(); 256];
            for same in all.chunk_by(|a, b| a.0 == b.0) {
                let Some(&(text, _)) = same.first() else { continue };
                let ids = same.iter().map(|(_, id)| *id).collect();
                match text.first_chunk::<HEAD>() {
                    Some(head) => {
                        let head = u32::from_be_bytes(*head);
                        if let Some(places) = patterns.heads.get_mut(hash(head)) {
                            *places |= place as u8;
                        }
                        group.add_long(head, Pattern { text: text.to_vec(), ids, shorter: None });
                    }
                    None => {
                        for (pair, places) in patterns.pairs.iter_mut().enumerate() {
                            let pair = (pair as u16).to_be_bytes();
                            if pair.starts_with(text.get(..2).unwrap_or(text)) {
                                *places |= place as u8;
                            }
                        }
                        let first = text.first().map(|first| usize::from(*first)).unwrap_or_default();
                        if let Some(same) = group.short.get_mut(first) {
                            same.push(Pattern { text: text.to_vec(), ids, shorter: None });
                        }
                    }
                }
            }
            group.starts.push(group.long.len());
        }
        patterns
    }

    /// Tells the pattern and the place of every match in a text, which ends with [`PADDING`].
    pub(super) fn find_all(&self, padded: &[u8], mut tell: impl FnMut(usize, usize, usize)) {
        let (mut head, mut places) = (0_u32, 0_u32);
        let (mut before, mut is_in_word) = (0, false);
        for (last, &byte) in padded.iter().enumerate() {
            let was_in_word = is_in_word;
            is_in_word = is_word(byte);
            let here = match (is_in_word, was_in_word) {
                (false, _) => Place::Sign as u8,
                (true, true) => Place::Anywhere as u8,
                (true, false) => begins_word(before),
            };
            before = byte;
            head = head << 8 | u32::from(byte);
            places = places << 8 | u32::from(here);
            // Of the place that the head begins at.
            let here = (places >> 24) as u8;
            let long = self.heads.get(hash(head)).copied().unwrap_or_default() & here;
            let short = self.pairs.get((head >> 16) as usize).copied().unwrap_or_default() & here;
            if long | short != 0 {
                self.compare(padded, last.saturating_sub(HEAD - 1), head, long, short, &mut tell);
            }
        }
    }

    #[cold]
    fn compare(
        &self,
        padded: &[u8],
        start: usize,
        head: u32,
        long: u8,
        short: u8,
        tell: &mut impl FnMut(usize, usize, usize),
    ) {
        let rest = padded.get(start..).unwrap_or_default();
        for (group, place) in self.groups.iter().zip(PLACES) {
            if long & place as u8 != 0 {
                group.compare_long(rest, head, |pattern| tell_all(pattern, start, tell));
            }
            if short & place as u8 != 0 {
                let same = rest.first().and_then(|first| group.short.get(usize::from(*first)));
                let found = same.into_iter().flatten().filter(|pattern| rest.starts_with(&pattern.text));
                found.for_each(|pattern| tell_all(pattern, start, tell));
            }
        }
    }
}

fn tell_all(pattern: &Pattern, start: usize, tell: &mut impl FnMut(usize, usize, usize)) {
    pattern.ids.iter().for_each(|&id| tell(id, start, start + pattern.text.len()));
}

impl Group {
    /// Adds one that is not before the last.
    fn add_long(&mut self, head: u32, mut pattern: Pattern) {
        if self.heads.last() != Some(&head) {
            self.heads.push(head);
            self.starts.push(self.long.len());
        }
        // Whatever it begins with is the last one, or the last one begins with it.
        let mut shorter = self.long.len().checked_sub(1);
        while let Some(other) = shorter.and_then(|at| self.long.get(at))
            && !pattern.text.starts_with(&other.text)
        {
            shorter = other.shorter;
        }
        pattern.shorter = shorter;
        self.long.push(pattern);
    }

    /// Tells the patterns that `rest` begins with.
    fn compare_long<'p>(&'p self, rest: &[u8], head: u32, mut tell: impl FnMut(&'p Pattern)) {
        let Ok(nth) = self.heads.binary_search(&head) else { return };
        let (Some(&start), Some(&end)) = (self.starts.get(nth), self.starts.get(nth + 1)) else { return };
        let same = self.long.get(start..end).unwrap_or_default();
        // Of all that are not after it in the order of texts, the last begins with all that it begins with.
        let not_after = same.partition_point(|pattern| pattern.text.as_slice() <= rest);
        let mut next = (start + not_after).checked_sub(1).filter(|at| *at >= start);
        while let Some(pattern) = next.and_then(|at| self.long.get(at)) {
            if rest.starts_with(&pattern.text) {
                tell(pattern);
            }
            next = pattern.shorter;
        }
    }
}

fn is_word(byte: u8) -> bool {
    bytes::is(byte, ALNUM) || byte == b'_'
}

/// The places of where a word begins, by the character before it.
fn begins_word(before: u8) -> u8 {
    let word = Place::Anywhere as u8 | Place::Word as u8;
    if matches!(before, b';' | b'|' | b'&' | b'(') { word | Place::Command as u8 } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every match, by trying every pattern at every place.
    fn find_slowly(list: &[(Vec<u8>, Place)], text: &[u8]) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        for start in 0..text.len() {
            let before = start.checked_sub(1).map_or(0, |before| text[before]);
            let here = match (is_word(text[start]), is_word(before)) {
                (false, _) => Place::Sign as u8,
                (true, true) => Place::Anywhere as u8,
                (true, false) => begins_word(before),
            };
            for (id, (pattern, place)) in list.iter().enumerate() {
                if *place as u8 & here != 0 && text[start..].starts_with(pattern) {
                    found.push((id, start, start + pattern.len()));
                }
            }
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn all_matches_are_found() {
        let mut state = 7_u32;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let mut some_text = |most: u32, least: u32| -> Vec<u8> {
            let len = least + random(most);
            (0..len).map(|_| b"aab_(;. "[random(8) as usize]).collect()
        };
        for _ in 0..200 {
            let mut list = Vec::new();
            for _ in 0..60 {
                let text = some_text(8, 1);
                let places: &[Place] = if is_word(text[0]) {
                    &[Place::Anywhere, Place::Word, Place::Command]
                } else {
                    &[Place::Sign]
                };
                for place in places {
                    list.push((text.clone(), *place));
                }
            }
            let patterns = Patterns::new(&list);
            for _ in 0..20 {
                let text = some_text(40, 0);
                let mut found = Vec::new();
                let padded = [&text[..], &PADDING].concat();
                patterns.find_all(&padded, |id, start, end| found.push((id, start, end)));
                found.sort_unstable();
                assert_eq!(found, find_slowly(&list, &text), "{}", text.escape_ascii());
            }
        }
    }
}
