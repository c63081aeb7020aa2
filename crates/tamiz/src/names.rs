//! Names that make a secret of their value (clause 6.10).

#![allow(clippy::arithmetic_side_effects, reason = "places in numbers of 64 bits")]

pub(crate) mod common;

use crate::bytes::{self, ALNUM, COLON, ENCODED, HIGH, NAME_MARK};
use crate::lists::SENSITIVE_NAMES;
use crate::steps;
use common::Common;

/// Decides which names make a secret of their value.
#[derive(Clone, Debug)]
pub(crate) struct SensitiveNames {
    anywhere: Anywhere,
    words: Vec<Box<[u8]>>,
    /// The lengths of `words`, a bit each.
    lengths: u64,
    /// Three letters of each name.
    triples: Triples,
    common: Common,
    /// The names that configuration adds.
    pub(crate) extra: Vec<String>,
}

/// Sets of three letters side by side, case ignored, followed all at once, each in three bits of a number. Every name has one
/// of them in it: one that other names have too, or that is most like others.
#[derive(Clone, Debug)]
struct Triples {
    /// By byte: the places that it stands at, a bit each; for bytes of names also [`OF_NAME`].
    places: [u64; 256],
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
        let mut triples = Triples { places: [0; 256], any: 0 };
        for (place, letters) in sets.as_flattened().iter().enumerate() {
            triples.any |= u64::from(*letters == u32::MAX) << place;
            for (byte, places) in triples.places.iter_mut().enumerate() {
                *places |= u64::from(letters >> (byte & 31) & 1) << place;
            }
        }
        for (byte, places) in (0..=u8::MAX).zip(&mut triples.places) {
            *places |= if is_name_byte(byte) { OF_NAME } else { 0 };
        }
        triples
    }

    /// Returns whether one of the names may be in a text.
    #[inline]
    fn may_be_in(&self, text: &[u8]) -> bool {
        let (mut state, mut found) = (self.any, self.any);
        for byte in text {
            state = (state << 1 | Triples::FIRST) & self.places_of(*byte);
            found |= state;
        }
        found & Triples::LAST != 0
    }

    /// Returns whether one of the names may be in the one that a text ends with, or that has something beyond ASCII.
    #[inline]
    fn may_be_at_end(&self, text: &[u8]) -> bool {
        let (mut state, mut found, mut union) = (0, 0, 0);
        for byte in text.iter().rev() {
            let places = self.places_of(*byte);
            if places & OF_NAME == 0 {
                break;
            }
            state = (state >> 1 | Triples::LAST) & places;
            found |= state;
            union |= byte;
        }
        // Before a short name there may be nothing.
        found |= found >> 1 & self.any;
        found |= found >> 1 & self.any;
        found & Triples::FIRST != 0 || !union.is_ascii()
    }

    #[inline(always)]
    fn places_of(&self, byte: u8) -> u64 {
        self.places.get(usize::from(byte)).copied().unwrap_or_default()
    }
}

/// In the places of a byte: it may be in a name. No place has this bit.
const OF_NAME: u64 = 1 << 63;

/// Returns whether a byte may be in a name in free text: letters, digits, `_ - . $ @ [ ]`, and what is beyond ASCII but for guards.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    bytes::is(byte, ALNUM | NAME_MARK | HIGH) && !bytes::is(byte, COLON | ENCODED)
}

/// Names that are looked for anywhere in a text, case ignored.
#[derive(Clone, Debug)]
struct Anywhere {
    /// In lower case, sorted. None is in another one, so that none is the beginning of another one either.
    names: Vec<Box<[u8]>>,
    /// The first three letters of each, hashed, a bit each.
    starts: [u64; 1 << (Anywhere::BITS - 6)],
}

impl Anywhere {
    /// How many bits a hash has.
    const BITS: u32 = 11;

    fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let mut all: Vec<Box<[u8]>> =
            names.map(|name| name.to_ascii_lowercase().into_bytes().into_boxed_slice()).collect();
        all.sort_by_key(|name| name.len());
        let mut anywhere = Anywhere { names: Vec::new(), starts: [0; 1 << (Anywhere::BITS - 6)] };
        for name in all {
            if !anywhere.is_in(&name) {
                anywhere.add_start(&name);
                let place = anywhere.names.partition_point(|other| *other < name);
                anywhere.names.insert(place, name);
            }
        }
        anywhere
    }

    /// Adds the first letters of a name; behind a short one there may be any.
    fn add_start(&mut self, name: &[u8]) {
        let letter = |at: usize| name.get(at).map_or(0..32, |letter| letter & 31..(letter & 31) + 1);
        for (a, b) in letter(0).flat_map(|a| letter(1).map(move |b| (a, b))) {
            for c in letter(2) {
                let bit = Anywhere::hash([a, b, c]);
                if let Some(bits) = self.starts.get_mut(bit / 64) {
                    *bits |= 1 << (bit % 64);
                }
            }
        }
    }

    /// The hash of three letters, case ignored; other characters share those of letters.
    #[inline]
    fn hash([a, b, c]: [u8; 3]) -> usize {
        let letters = u32::from(a & 31) | u32::from(b & 31) << 5 | u32::from(c & 31) << 10;
        (letters.wrapping_mul(0x9E37_79B1) >> (u32::BITS - Anywhere::BITS)) as usize
    }

    /// Returns whether one of the names is in a text.
    fn is_in(&self, text: &[u8]) -> bool {
        let mut rest = text;
        while let [first, behind @ ..] = rest {
            let letter = |at: usize| behind.get(at).copied().unwrap_or_default();
            let bit = Anywhere::hash([*first, letter(0), letter(1)]);
            if self.starts.get(bit / 64).is_some_and(|bits| bits >> (bit % 64) & 1 != 0) && self.begins(rest)
            {
                return true;
            }
            rest = behind;
        }
        false
    }

    /// Returns whether a text begins with one of the names: with the last one that is not beyond it.
    fn begins(&self, text: &[u8]) -> bool {
        let lower = || text.iter().map(u8::to_ascii_lowercase);
        let behind = self.names.partition_point(|name| name.iter().copied().le(lower()));
        let last = behind.checked_sub(1).and_then(|at| self.names.get(at));
        last.is_some_and(|name| text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name)))
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
        let anywhere = Anywhere::new(anywhere);
        let words: Vec<Box<[u8]>> = words().map(|word| Box::from(word.as_bytes())).collect();
        let lengths = words.iter().fold(0, |lengths, word| lengths | length_bit(word));
        let (common, extra) = (Common::default(), extra.to_vec());
        let names = SensitiveNames { anywhere, words, lengths, triples, common, extra };
        SensitiveNames { common: Common::new(|name| names.matches_ascii(name)), ..names }
    }

    /// Returns whether the value under a name is a secret, where that is one of the common names: the first `len` bytes of a
    /// text.
    #[inline(always)]
    pub(crate) fn matches_common(&self, text: &[u8], len: usize) -> Option<bool> {
        self.common.get(text, len)
    }

    /// Returns whether the value under a name in ASCII is a secret.
    #[inline]
    pub(crate) fn matches_ascii(&self, name: &[u8]) -> bool {
        self.may_match_ascii(name) && self.matches_slow(name)
    }

    /// Returns whether a name in ASCII may be sensitive.
    #[inline]
    pub(crate) fn may_match_ascii(&self, name: &[u8]) -> bool {
        self.triples.may_be_in(name)
    }

    /// Returns whether the name that a text ends with may be sensitive.
    #[inline]
    pub(crate) fn may_match_end(&self, text: &[u8]) -> bool {
        self.triples.may_be_at_end(text)
    }

    #[inline(never)]
    pub(crate) fn matches_slow(&self, name: &[u8]) -> bool {
        steps::slow("sensitive names searched");
        self.anywhere.is_in(name)
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
    fn names_are_found_anywhere() {
        let extra = ["q", "PIN", "token2", "x-Y"].map(str::to_owned);
        let names = SensitiveNames::new(&extra);
        let anywhere = SENSITIVE_NAMES.iter().filter(|(kind, name)| *kind == "anywhere" && name.is_ascii());
        let wanted: Vec<String> = anywhere
            .map(|(_, name)| *name)
            .chain(extra.iter().map(String::as_str))
            .map(str::to_lowercase)
            .collect();
        let mut random = crate::context::tests::random();
        for _ in 0..100_000 {
            let mut text: Vec<u8> = (0..random(6)).map(|_| b"abcioPnsTtu-_0"[random(14) as usize]).collect();
            if random(2) == 0 {
                let name = wanted[random(wanted.len() as u32) as usize].as_bytes();
                text.extend_from_slice(&name[..name.len().min(random(12) as usize)]);
            }
            let lower = String::from_utf8(text.to_ascii_lowercase()).unwrap();
            let is_in = wanted.iter().any(|name| lower.contains(name.as_str()));
            assert_eq!(names.anywhere.is_in(&text), is_in, "{lower}");
        }
    }
}
