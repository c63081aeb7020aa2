//! Names that make a secret of their value (clause 6.10).

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::bytes::{self, ALNUM};
use crate::lists::SENSITIVE_NAMES;

/// Decides which names make a secret of their value.
#[derive(Clone, Debug)]
pub(crate) struct SensitiveNames {
    /// `None` only if there were too many names for one automaton: then every name is sensitive.
    anywhere: Option<AhoCorasick>,
    words: Vec<Box<[u8]>>,
    /// The lengths of `words`, a bit each.
    lengths: u64,
    /// The first three letters of all names.
    triples: Triples,
    /// The names that configuration adds.
    pub(crate) extra: Vec<String>,
}

/// A set of three letters side by side, case ignored, a bit each; some that are not in the set share a bit.
#[derive(Clone, Debug)]
struct Triples {
    bits: Box<[u64; 512]>,
}

impl Triples {
    /// The first three letters of each name.
    fn new<'n>(names: impl Iterator<Item = &'n [u8]>) -> Self {
        let mut triples = Triples { bits: Box::new([0; 512]) };
        for name in names {
            match *name {
                [first, second, third, ..] => triples.add([first, second, third]),
                // Whatever is before it.
                [first, second] => (0..32).for_each(|before| triples.add([before, first, second])),
                // A shorter one may be anywhere.
                _ => triples.bits.fill(u64::MAX),
            }
        }
        triples
    }

    fn add(&mut self, triple: [u8; 3]) {
        let triple = triple.into_iter().fold(0, Triples::follow);
        if let Some(bits) = self.bits.get_mut(triple as usize >> 6) {
            *bits |= 1 << (triple & 63);
        }
    }

    fn follow(triple: u32, byte: u8) -> u32 {
        (triple << 5 | u32::from(byte & 31)) & 0x7FFF
    }

    /// Returns whether one of the names may be in a text.
    #[inline]
    fn may_be_in(&self, text: &[u8]) -> bool {
        let mut triple = 0;
        let found = text.iter().fold(0, |found, byte| {
            triple = Triples::follow(triple, *byte);
            found | self.bits.get(triple as usize >> 6).copied().unwrap_or_default() >> (triple & 63)
        });
        found & 1 != 0
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
    pub(crate) fn matches_ascii(&self, name: &[u8]) -> bool {
        self.may_match_ascii(name) && self.matches_slow(name)
    }

    /// Returns whether a name in ASCII may be sensitive.
    #[inline]
    pub(crate) fn may_match_ascii(&self, name: &[u8]) -> bool {
        self.triples.may_be_in(name) || self.anywhere.is_none()
    }

    pub(crate) fn matches_slow(&self, name: &[u8]) -> bool {
        self.anywhere.as_ref().is_none_or(|anywhere| anywhere.is_match(name))
            || name
                .split(|&b| !bytes::is(b, ALNUM))
                .filter(|word| self.lengths & length_bit(word) != 0)
                .any(|word| self.words.iter().any(|w| w.len() == word.len() && word.eq_ignore_ascii_case(w)))
    }
}

/// The bit of a word's length; long words share one.
fn length_bit(word: &[u8]) -> u64 {
    1 << word.len().min(63)
}
