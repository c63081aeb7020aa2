//! The tables of the prefilter: for every entry, the literal that costs least in honest requests.

use std::collections::{BTreeMap, BTreeSet};

use super::bytes::{self, CODE_BITS, EDGE, SPACE, SPACED, code};
use super::frequencies::Frequencies;
use super::literal::{Before, Beside, COMPARED, First, GRAM, Kind, Literal, WINDOW, candidates};
use super::part::Entry;
use super::tables::Section;
use crate::Result;

/// Sizes of tables, as powers of two.
const TOKEN_BITS: u32 = 18;
const LITERAL_BITS: u32 = 13;
const INSIDE_BITS: u32 = 9;
const GRAM_BITS: u32 = 11;

/// Is set in a code of the last record of a list.
const LAST: u8 = 1 << 7;

/// How many letters of a token are hashed, with its length.
const HASHED: usize = 8;

/// The hash of a token: of its first letters and its length.
fn hash(token: &[u8]) -> u64 {
    let letters = token.iter().take(HASHED).rev().fold(0, |key, letter| key << 8 | u64::from(*letter));
    mix(letters.wrapping_add(token.len() as u64))
}

/// The hash of letters inside of tokens.
fn hash_window(window: &[u8]) -> u64 {
    mix(window.iter().rev().fold(0xFFFF, |key, letter| key << 8 | u64::from(*letter)))
}

fn mix(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn slot(hash: u64, bits: u32) -> usize {
    (hash >> (u64::BITS - bits)) as usize
}

/// The sections of the prefilter.
pub(super) fn sections(entries: &[Entry], frequencies: &Frequencies) -> Result<Vec<Section>> {
    let mut chosen = Chosen::default();
    for entry in entries {
        let wrong = |what: &str| {
            let parts = entry.iter().map(|part| String::from_utf8_lossy(&part.text).into_owned());
            format!("{what}: {}", parts.collect::<Vec<_>>().join(" .. "))
        };
        let costs = candidates(entry).into_iter().map(|literal| (literal.cost(frequencies), literal));
        let best = costs.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, literal)| literal);
        let literal = best.ok_or_else(|| wrong("no literal for an entry"))?;
        let is_hexadecimal = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
        if matches!(literal.kind, Kind::Token { .. })
            && literal.text.len() == 1
            && entry.iter().flat_map(|part| &part.text).all(is_hexadecimal)
        {
            return Err(wrong("a single letter is no literal for an entry of hexadecimal digits").into());
        }
        chosen.add(literal);
    }
    chosen.sections()
}

/// The literals of all entries.
#[derive(Default)]
struct Chosen {
    /// By the token: what is beside it.
    tokens: BTreeMap<Vec<u8>, BTreeSet<(Beside, Beside)>>,
    /// A window, letters beside it, and how far before it they begin.
    inside: BTreeSet<(Vec<u8>, Vec<u8>, i8)>,
    /// A gram, and what is before it.
    grams: BTreeSet<(Vec<u8>, Before)>,
}

impl Chosen {
    fn add(&mut self, literal: Literal) {
        let text = literal.text.clone();
        match literal.kind {
            Kind::Token { before, after } => {
                self.tokens.entry(text).or_default().insert((before, after));
            }
            Kind::Start { before } => {
                let start = literal.start();
                let skipped = start.len() - COMPARED;
                self.inside.insert((text[..WINDOW].to_vec(), start[skipped..].to_vec(), -(skipped as i8)));
                // Too short a token is not looked into.
                if text.len() == COMPARED {
                    self.tokens.entry(text).or_default().insert((before, Beside::ANY));
                }
            }
            Kind::Inside => {
                for at in 0..WINDOW {
                    let start = at.min(1);
                    let compared = text[start..start + COMPARED].to_vec();
                    self.inside.insert((text[at..at + WINDOW].to_vec(), compared, (at - start) as i8));
                }
            }
            Kind::Gram { before } => {
                self.grams.insert((text, before));
            }
        }
    }

    fn sections(self) -> Result<Vec<Section>> {
        let mut bits = vec![0; 1 << (TOKEN_BITS - 3)];
        let windows = self.inside.iter().map(|(window, ..)| hash_window(window));
        for hash in self.tokens.keys().map(|token| hash(token)).chain(windows) {
            let bit = slot(hash, TOKEN_BITS);
            bits[bit / 8] |= 1 << (bit % 8);
        }
        let mut all =
            vec![bytes::section(), Section::records("TOKENS", "A bit for each token and window.", 8, bits)];
        all.extend(tokens(self.tokens)?);
        let mut inside = vec![[0; 8]; 1 << INSIDE_BITS];
        for (window, letters, back) in self.inside {
            let mut record = [0; 8];
            record[..COMPARED].copy_from_slice(&letters);
            record[COMPARED] = back as u8;
            put(&mut inside, hash_window(&window), record);
        }
        let (mut signs, mut grams) = (vec![0_u16; 1 << (2 * CODE_BITS)], vec![[0; 8]; 1 << GRAM_BITS]);
        for (gram, before) in self.grams {
            let First { classes, codes } = First::of(&gram, before);
            for next in codes {
                signs[usize::from(code(gram[0])) << CODE_BITS | usize::from(next)] |= classes as u16;
            }
            let mut record = [0; 8];
            record[..gram.len()].copy_from_slice(&gram);
            let key = record.iter().take(GRAM).rev().fold(0, |key, byte| key << 8 | u64::from(*byte));
            record[GRAM] = if let Before::Known(before) = before { before } else { 0 };
            put(&mut grams, mix(key), record);
        }
        let signs = signs.iter().flat_map(|classes| classes.to_le_bytes()).collect();
        all.extend([
            Section::records("INSIDE", "Letters inside of tokens, by hash.", 8, inside.concat()),
            Section::records("SIGNS", "Classes before a sign, by its code and the next one's.", 2, signs),
            Section::records("GRAMS", "Signs with what is beside them, by hash.", 8, grams.concat()),
        ]);
        Ok(all)
    }
}

/// Puts a record at the first free slot for its hash.
fn put(table: &mut [[u8; 8]], hash: u64, record: [u8; 8]) {
    let mut slot = slot(hash, table.len().ilog2());
    while table[slot] != [0; 8] {
        slot = (slot + 1) % table.len();
    }
    table[slot] = record;
}

/// The classes of what may be right beside a token, a bit each: behind white space is something of one of `classes`.
fn neighbours(classes: u32) -> u16 {
    let is_spaced = classes >> SPACED != 0 || classes & 1 << EDGE != 0;
    (classes as u16) & !(1 << SPACE) | u16::from(is_spaced) << SPACE
}

/// The table of tokens, what may be beside each, and the classes of that.
fn tokens(all: BTreeMap<Vec<u8>, BTreeSet<(Beside, Beside)>>) -> Result<Vec<Section>> {
    let classes = |(before, after): &(Beside, Beside)| (before.classes, after.classes);
    let masks: BTreeSet<(u32, u32)> = all.values().flatten().map(classes).collect();
    let masks: Vec<(u32, u32)> = masks.into_iter().collect();
    let mut by_hash: BTreeMap<u64, BTreeSet<[u8; 5]>> = BTreeMap::new();
    for (token, list) in all {
        for beside in list {
            let mask = masks.iter().position(|known| *known == classes(&beside)).unwrap_or_default();
            let (before, after) = beside;
            let record = [u8::try_from(mask)?, before.code, before.behind, after.code, after.behind];
            by_hash.entry(hash(&token)).or_default().insert(record);
        }
    }
    let (mut lists, mut starts) = (Vec::new(), BTreeMap::new());
    let mut literals = vec![[0; 8]; 1 << LITERAL_BITS];
    for (hash, list) in by_hash {
        let start = *starts.entry(list.clone()).or_insert_with(|| {
            let start = lists.len() / 5;
            lists.extend(list.iter().flatten());
            // The second byte of the last record has the topmost bit.
            let last = lists.len() - 4;
            lists[last] |= LAST;
            start
        });
        let of = |classes: fn(&(u32, u32)) -> u32| {
            list.iter().fold(0, |all, [mask, ..]| all | neighbours(classes(&masks[usize::from(*mask)])))
        };
        let words = [(hash >> u32::BITS) as u16, u16::try_from(start)?, of(|mask| mask.0), of(|mask| mask.1)];
        let record: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        put(&mut literals, hash, record.try_into().unwrap_or_default());
    }
    let masks = masks.iter().flat_map(|(before, after)| [before.to_le_bytes(), after.to_le_bytes()]);
    Ok(vec![
        Section::records(
            "LITERALS",
            "By hash: where the list of a token is, and the classes of the bytes right beside it.",
            8,
            literals.concat(),
        ),
        Section::records("LISTS", "What may be beside tokens: classes and codes.", 5, lists),
        Section::records("MASKS", "Classes before and after a token.", 8, masks.flatten().collect()),
    ])
}
