//! Names that make a secret of their value (clause 6.10).

#![allow(clippy::arithmetic_side_effects, reason = "places in a number of 64 bits")]

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::bytes::{self, ALNUM};
use crate::lists::SENSITIVE_NAMES;
use crate::steps;

/// Decides which names make a secret of their value.
#[derive(Clone, Debug)]
pub(crate) struct SensitiveNames {
    /// `None` only if there were too many names for one automaton: then every name is sensitive.
    anywhere: Option<AhoCorasick>,
    words: Vec<Box<[u8]>>,
    /// The lengths of `words`, a bit each.
    lengths: u64,
    /// Three letters of each name.
    triples: Triples,
    /// The names that configuration adds.
    pub(crate) extra: Vec<String>,
}

/// Sets of three letters side by side, case ignored, followed all at once, each in three bits of a number. Every name has one
/// of them in it: one that other names have too, or that is most like others.
#[derive(Clone, Debug)]
struct Triples {
    /// The places that each letter stands at, a bit each.
    places: [u64; 32],
    /// The places that any letter stands at, so that there need be none.
    any: u64,
}

impl Triples {
    /// So many sets have bits of their own.
    const COUNT: usize = 21;
    /// The first and the last letters.
    const FIRST: u64 = 0o111_111_111_111_111_111_111;
    const LAST: u64 = Triples::FIRST << 2;

    /// Three letters of each name, short names first: most have one of these in them.
    fn new<'n>(names: impl Iterator<Item = &'n [u8]>) -> Self {
        let mut names: Vec<&[u8]> = names.collect();
        names.sort_by_key(|name| name.len());
        let mut sets = [[0_u32; 3]; Triples::COUNT];
        for name in names {
            let triples = (0..name.len().max(3) - 2).map(|start| triple(name, start));
            let joined = triples.flat_map(|triple| {
                sets.iter().enumerate().map(move |(nth, set)| {
                    let joined = joined(set, triple);
                    // How many triples more would be found, and be in no name.
                    (combinations(joined) - combinations(*set), nth, joined)
                })
            });
            if let Some((_, nth, joined)) = joined.min_by_key(|(growth, ..)| *growth)
                && let Some(set) = sets.get_mut(nth)
            {
                *set = joined;
            }
        }
        let mut triples = Triples { places: [0; 32], any: 0 };
        for (place, letters) in sets.as_flattened().iter().enumerate() {
            triples.any |= u64::from(*letters == u32::MAX) << place;
            for (letter, places) in triples.places.iter_mut().enumerate() {
                *places |= u64::from(letters >> letter & 1) << place;
            }
        }
        triples
    }

    /// Returns whether one of the names may be in a text.
    #[inline]
    fn may_be_in(&self, text: &[u8]) -> bool {
        let (mut state, mut found) = (self.any, self.any);
        for byte in text {
            let places = self.places.get(usize::from(byte & 31)).copied().unwrap_or_default();
            state = (state << 1 | Triples::FIRST) & places;
            found |= state;
        }
        found & Triples::LAST != 0
    }
}

impl SensitiveNames {
    /// The built-in names and `extra` ones.
    pub(crate) fn new(extra: &[String]) -> Self {
        let of = |kind: &'static str| {
            let names = SENSITIVE_NAMES.iter().filter(move |(k, name)| *k == kind && name.is_ascii());
            names.map(|(_, name)| *name)
        };
        let added = extra.iter().map(String::as_str).filter(|name| !name.is_empty() && name.is_ascii());
        let anywhere = of("anywhere").chain(added);
        let words = || of("word").chain(of("whole"));
        let triples = Triples::new(anywhere.clone().chain(words()).map(str::as_bytes));
        // Built whenever a canonicalizer is, and rarely asked: a prefilter answers first.
        let kind = Some(AhoCorasickKind::NoncontiguousNFA);
        let anywhere = AhoCorasick::builder().kind(kind).ascii_case_insensitive(true).build(anywhere);
        let words: Vec<Box<[u8]>> = words().map(|word| Box::from(word.as_bytes())).collect();
        let lengths = words.iter().fold(0, |lengths, word| lengths | length_bit(word));
        SensitiveNames { anywhere: anywhere.ok(), words, lengths, triples, extra: extra.to_vec() }
    }

    /// Returns whether the value under a name in ASCII is a secret.
    #[inline]
    pub(crate) fn matches_ascii(&self, name: &[u8]) -> bool {
        self.may_match_ascii(name) && self.matches_slow(name)
    }

    /// Returns whether a name in ASCII may be sensitive.
    #[inline]
    pub(crate) fn may_match_ascii(&self, name: &[u8]) -> bool {
        self.triples.may_be_in(name) || self.anywhere.is_none()
    }

    #[inline(never)]
    pub(crate) fn matches_slow(&self, name: &[u8]) -> bool {
        steps::slow("sensitive names searched");
        self.anywhere.as_ref().is_none_or(|anywhere| anywhere.is_match(name))
            || name
                .split(|&b| !bytes::is(b, ALNUM))
                .filter(|word| self.lengths & length_bit(word) != 0)
                .any(|word| self.words.iter().any(|w| w.len() == word.len() && word.eq_ignore_ascii_case(w)))
    }
}

/// Three letters of a name, a bit each; before a short one there may be any letters.
fn triple(name: &[u8], start: usize) -> [u32; 3] {
    let letter = |place: usize| match (place + name.len().min(3)).checked_sub(3) {
        None => u32::MAX,
        Some(at) => name.get(start + at).map_or(0, |letter| 1 << (letter & 31)),
    };
    [letter(0), letter(1), letter(2)]
}

/// The union of the letters at each place.
fn joined(set: &[u32; 3], other: [u32; 3]) -> [u32; 3] {
    let [a, b, c] = set;
    let [d, e, f] = other;
    [a | d, b | e, c | f]
}

/// How many triples of letters there are.
fn combinations(set: [u32; 3]) -> u32 {
    set.iter().map(|letters| letters.count_ones()).product()
}

/// The bit of a word's length; long words share one.
fn length_bit(word: &[u8]) -> u64 {
    1 << word.len().min(63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_an_automaton_every_name_is_sensitive() {
        let names = SensitiveNames::new(&[]);
        assert!(!names.matches_ascii(b"q"));
        let names = SensitiveNames { anywhere: None, ..names };
        assert!(names.matches_ascii(b"q"));
    }
}
