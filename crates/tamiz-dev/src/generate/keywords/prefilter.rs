//! The prefilter: for every entry something that a text with the entry has, and that honest requests seldom have.
//!
//! That is a run of letters (a *token*) with the folded characters around it, the first letters of one, some letters
//! inside of one, or a *gram*: a sign and the folded characters behind it. A text that has the witness of no entry
//! is not searched.

use std::collections::{BTreeMap, BTreeSet};

use super::frequencies::{Frequencies, Kind};
use super::part::{Edge, Entry, Part, is_tight};
use super::tables::Section;
use crate::Result;

/// How many letters of a token that goes on are compared.
pub(super) const PREFIX: usize = 4;
/// Letters inside of a token are compared so many at a time, at every fourth letter: so many make sure that some are.
const SHORTEST_INSIDE: usize = 7;
/// How long grams are at most.
const GRAM: usize = 4;
/// Lengths of tokens beyond this are the same to the first table.
const LONGEST_KEY: usize = 15;

/// In place of a character beside a token. Others are the folded character itself.
const ANY: u8 = 0;
/// What begins a command, and what ends one.
const COMMAND: u8 = 1;
/// The end of the text.
const END: u8 = 2;
/// No digit and no `_`; a letter cannot be there.
const BOUNDARY: u8 = 3;

/// Sizes of tables, as powers of two.
const TOKEN_BITS: u32 = 18;
const CORE_BITS: u32 = 14;
const GRAM_BITS: u32 = 10;

/// What may tell that a text has an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Witness {
    /// A token, and what is around it: the characters before, next, after that, and before the one before.
    Token { token: Vec<u8>, around: [u8; 4] },
    /// The first letters of a token, and what is before it.
    Prefix { letters: Vec<u8>, before: u8 },
    /// Letters that may be anywhere in a token.
    Inside { letters: Vec<u8> },
    /// A sign and what follows, and what is before it.
    Gram { gram: Vec<u8>, before: u8 },
}

impl Witness {
    /// What is counted to tell how common it is.
    pub(super) fn counted(self) -> Vec<(Kind, Vec<u8>)> {
        match self {
            Witness::Token { token, .. } => vec![(Kind::Token, token)],
            Witness::Prefix { letters, .. } => vec![(Kind::Prefix, letters)],
            Witness::Inside { .. } => Vec::new(),
            Witness::Gram { gram, .. } => {
                vec![(Kind::Pair, gram[..2].to_vec()), (Kind::Pair, vec![gram[0], b' '])]
            }
        }
    }

    /// How often honest requests have it, about.
    fn rate(&self, frequencies: &Frequencies) -> f64 {
        let rarity = |beside: u8| match beside {
            ANY => 1.0,
            BOUNDARY => 0.9,
            b' ' | b'/' | b'.' | b'-' | b'=' | b'_' | b'0' => 0.4,
            b':' | b',' | b'a'..=b'z' => 0.2,
            _ => 0.03,
        };
        match self {
            Witness::Token { token, around } => {
                // Hexadecimal numbers are full of single digits.
                let common = if token.len() == 1 && token[0].is_ascii_hexdigit() { 1e3 } else { 1.0 };
                common
                    * frequencies.of(Kind::Token, token)
                    * around.iter().map(|beside| rarity(*beside)).product::<f64>()
            }
            Witness::Prefix { letters, before } => frequencies.of(Kind::Prefix, letters) * rarity(*before),
            Witness::Inside { .. } => 1.0,
            Witness::Gram { gram, before } => {
                let pair = frequencies.of(Kind::Pair, &gram[..2]);
                let spaced = match gram[..] {
                    [a, b, ..] if is_tight(a) || is_tight(b) => frequencies.of(Kind::Pair, &[a, b' ']),
                    _ => 0.0,
                };
                let others = gram[2..].iter().chain([before]).map(|beside| rarity(*beside)).product::<f64>();
                // To look behind a pair is cheap beside a search; a token is the cheaper way to begin with.
                2.0 + (pair + 0.001 * spaced) * others + 0.01 * (pair + spaced)
            }
        }
    }
}

/// All witnesses that an entry could have.
pub(super) fn candidates(entry: &Entry) -> Vec<Witness> {
    entry.iter().flat_map(|part| tokens(part).into_iter().chain(grams(part))).collect()
}

fn tokens(part: &Part) -> Vec<Witness> {
    let text = &part.text;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = (at..text.len()).find(|&at| text[at].is_ascii_alphabetic()) {
        let len = text[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let end = start + len;
        at = end;
        let letters = text[start..end].to_vec();
        let is_open = start == 0 && part.before == Edge::Any;
        let goes_on = end == text.len() && part.after == Edge::Any;
        let before = match (start, part.before) {
            (0, Edge::Command) => COMMAND,
            (0, Edge::Boundary) => BOUNDARY,
            (0, _) => ANY,
            _ => text[start - 1],
        };
        if is_open {
            if len >= SHORTEST_INSIDE {
                found.push(Witness::Inside { letters });
            }
        } else if goes_on {
            if len >= PREFIX {
                found.push(Witness::Prefix { letters: letters[..PREFIX].to_vec(), before });
            }
        } else {
            let next = match (text.get(end), part.after) {
                (Some(next), _) => *next,
                (None, Edge::Command) => COMMAND,
                (None, Edge::End) => END,
                (None, _) => BOUNDARY,
            };
            let after_next = text.get(end + 1).copied().unwrap_or(ANY);
            let before_that = match text.get(..start) {
                // Of others, more characters of a text may be dropped or the same one.
                Some([.., first, second]) if !b"/.0".contains(second) => *first,
                _ => ANY,
            };
            // Single letters are only looked at beside digits.
            if len > 1 || before == b'0' || next == b'0' {
                found
                    .push(Witness::Token { token: letters, around: [before, next, after_next, before_that] });
            }
        }
    }
    found
}

fn grams(part: &Part) -> Vec<Witness> {
    let text = &part.text;
    let signs = (0..text.len()).filter(|&at| text[at].is_ascii_punctuation());
    let witness = |at: usize| Witness::Gram {
        gram: text[at..text.len().min(at + GRAM)].to_vec(),
        before: at.checked_sub(1).map_or(ANY, |before| text[before]),
    };
    signs.filter(|at| at + 1 < text.len()).map(witness).collect()
}

/// The bit of a token, or of letters in one, in the first table.
fn token_bit(letters: &[u8], len: usize) -> usize {
    let mut first = [0; 8];
    for (place, letter) in first.iter_mut().zip(letters.iter().take(PREFIX)) {
        *place = *letter;
    }
    let key = u64::from_le_bytes(first) | (len as u64) << 32;
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - TOKEN_BITS)) as usize
}

/// Seeds of the hashes of cores: whole tokens, and first letters.
const WHOLE: u32 = 1;
const BEGUN: u32 = 2;
const INNER: u32 = 3;

fn hash_core(letters: &[u8], seed: u32) -> u32 {
    letters
        .iter()
        .fold(seed, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x9E37_79B1).rotate_left(13))
}

/// The sections of the prefilter.
pub(super) fn sections(entries: &[Entry], frequencies: &Frequencies) -> Result<Vec<Section>> {
    let mut tables = Tables::default();
    tables.tokens.resize(1 << (TOKEN_BITS - 3), 0);
    tables.pairs.resize(1 << 13, 0);
    for entry in entries {
        let rate = |witness: &Witness| witness.rate(frequencies);
        let best = candidates(entry).into_iter().min_by(|a, b| rate(a).total_cmp(&rate(b)));
        let wrong = |what: &str| {
            let parts = entry.iter().map(|part| String::from_utf8_lossy(&part.text).into_owned());
            format!("{what}: {}", parts.collect::<Vec<_>>().join(" .. "))
        };
        let witness = best.ok_or_else(|| wrong("no witness for an entry"))?;
        let is_hexadecimal = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
        if matches!(&witness, Witness::Token { token, .. } if token.len() == 1)
            && entry.iter().flat_map(|part| &part.text).all(is_hexadecimal)
        {
            return Err(wrong("a single letter is no witness for an entry of hexadecimal digits").into());
        }
        tables.add(witness);
    }
    tables.sections()
}

#[derive(Default)]
struct Tables {
    tokens: Vec<u8>,
    pairs: Vec<u8>,
    /// By the hash of a core: what has to be around it.
    cores: BTreeMap<u32, BTreeSet<[u8; 4]>>,
    /// By the gram: what has to be before it.
    grams: BTreeSet<([u8; 4], u8)>,
    longest: usize,
}

impl Tables {
    fn add(&mut self, witness: Witness) {
        match witness {
            Witness::Token { token, around } => {
                self.set_token(&token, token.len().min(LONGEST_KEY));
                self.cores.entry(hash_core(&token, WHOLE)).or_default().insert(around);
                self.longest = self.longest.max(token.len());
            }
            Witness::Prefix { letters, before } => {
                (PREFIX..=LONGEST_KEY).for_each(|len| self.set_token(&letters, len));
                self.cores.entry(hash_core(&letters, BEGUN)).or_default().insert([before, ANY, ANY, ANY]);
            }
            Witness::Inside { letters } => {
                for inner in letters.windows(PREFIX).take(PREFIX) {
                    (0..=LONGEST_KEY)
                        .filter(|len| *len == 0 || *len >= PREFIX)
                        .for_each(|len| self.set_token(inner, len));
                    self.cores.entry(hash_core(inner, INNER)).or_default().insert([ANY; 4]);
                }
            }
            Witness::Gram { gram, before } => self.add_gram(&gram, before),
        }
    }

    fn set_token(&mut self, letters: &[u8], len: usize) {
        let bit = token_bit(letters, len);
        self.tokens[bit / 8] |= 1 << (bit % 8);
    }

    fn add_gram(&mut self, gram: &[u8], before: u8) {
        let mut key = [0; 4];
        key[..gram.len()].copy_from_slice(gram);
        self.grams.insert((key, before));
        let (first, second) = (gram[0], gram[1]);
        // How the two may be written.
        let may_be_spaced = second == b' ' || is_tight(first) || is_tight(second);
        let is_space = |byte: u8| byte <= b' ' || byte == b'+' || byte >= 0x7F;
        let is_second = |byte: u8| {
            byte.to_ascii_lowercase() == second
                || second == b'0' && byte.is_ascii_digit()
                || second == b'/' && byte == b'\\'
                || first == b'/' && matches!(byte, b'/' | b'\\' | b'.')
                || may_be_spaced && is_space(byte)
        };
        let firsts: &[u8] = if first == b'/' { b"/\\" } else { &[first] };
        for &first in firsts {
            for second in (0..=u8::MAX).filter(|byte| is_second(*byte)) {
                let bit = usize::from(first) << 8 | usize::from(second);
                self.pairs[bit / 8] |= 1 << (bit % 8);
            }
        }
    }

    fn sections(self) -> Result<Vec<Section>> {
        let (mut around, mut lists) = (Vec::new(), BTreeMap::new());
        let mut cores = vec![[0; 8]; 1 << CORE_BITS];
        for (hash, list) in self.cores {
            let start = *lists.entry(list.clone()).or_insert_with(|| {
                let start = around.len() / 4;
                around.extend(list.iter().flatten());
                start
            });
            let mut slot = (hash >> (u32::BITS - CORE_BITS)) as usize;
            while cores[slot] != [0; 8] {
                slot = (slot + 1) % cores.len();
            }
            let [a, b, c, d] = hash.to_le_bytes();
            let [e, f] = u16::try_from(start)?.to_le_bytes();
            cores[slot] = [a, b, c, d, e, f, u8::try_from(list.len())?, 0];
        }
        let mut grams = vec![[0; 8]; 1 << GRAM_BITS];
        for (gram, before) in self.grams {
            let hash = u32::from_le_bytes(gram).wrapping_mul(0x9E37_79B1);
            let mut slot = (hash >> (u32::BITS - GRAM_BITS)) as usize;
            while grams[slot] != [0; 8] {
                slot = (slot + 1) % grams.len();
            }
            let [a, b, c, d] = gram;
            grams[slot] = [a, b, c, d, before, 0, 0, 0];
        }
        Ok(vec![
            Section::bytes(
                "TOKENS",
                "A bit for the first letters and the length of each token.",
                self.tokens,
            ),
            Section::records(
                "CORES",
                "By the hash of a token: where its list is in `AROUND`.",
                8,
                cores.concat(),
            ),
            Section::records("AROUND", "What has to be around a token.", 4, around),
            Section::bytes("SIGN_PAIRS", "A bit for a sign and the byte behind it.", self.pairs),
            Section::records(
                "GRAMS",
                "Signs with what follows them, and what is before, by hash.",
                8,
                grams.concat(),
            ),
        ])
    }
}
