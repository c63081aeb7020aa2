//! A quick look at texts that hold no entry of the dictionary, which is most of them (clause 7.8).
//!
//! Every entry has a witness: a whole word, with the character after it where the entry says which; where
//! the entry tells only a part of a word, the first or the last characters of that, or four letters in the
//! middle of it; two characters side by side. A text of plain characters that
//! has the witness of no entry holds none. Texts with any other character are not judged here.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice or table, and counts of what is in it"
)]

use std::sync::LazyLock;

use super::words::{self, SEPARATOR};
use crate::bytes::{self, ALNUM, CONTROL, DIGIT, HIGH, UNDERSCORE, WORD_SIGN};
use crate::words::CLASSES;

/// Words that ordinary requests are full of: no witness where an entry has another word.
const COMMON: &str = "\
    account admin all and api app application as at blog by car category chrome client code com content \
    data date email en example false file files filter for from game get home hotel html http https id \
    image images in index is item items json jsp key lang language like linux list login message mobile \
    mozilla music name net new news none not null number of on or order org page php post price product \
    products query redirect safari search session set shop sort static system table test text title to \
    token true type update user users value video view";

/// After a word: anything.
const ANY: u8 = 0;
/// After the first or before the last characters: more of the word.
const PREFIX: u8 = 1;
const SUFFIX: u8 = 2;

/// How many bits each table has, as a power of two.
const WORD_BITS: u32 = 18;
const GRAM_BITS: u32 = 16;

/// How long grams are, and how far apart those are that are looked at: a part of a word that has one at
/// each place of a stride is seen wherever it stands.
const GRAM: usize = 4;
const LONG_GRAM: usize = 6;
const STRIDE: usize = 4;
/// The shortest parts that have.
const SHORTEST_INSIDE: usize = GRAM + STRIDE - 1;
const SHORTEST_LONG_INSIDE: usize = LONG_GRAM + STRIDE - 1;

/// How many characters tell the beginning of a word, where they are known, and its end.
const SHORT_PREFIX: usize = 3;
const LONG_PREFIX: usize = 5;
const LAST: usize = 5;

/// No witness that is a word is longer.
const LONGEST: usize = 64;

/// How much of a word is folded at a time, and how much of that is looked at again with what follows.
const FOLDED: usize = 128;
const AGAIN: usize = 8;

/// The witnesses of all entries, hashed: a text may have one that is in no entry.
struct Witnesses {
    words: Bits<WORD_BITS>,
    /// The beginnings of grams, long or not; whole ones.
    gram_beginnings: Bits<GRAM_BITS>,
    grams: Bits<WORD_BITS>,
    /// By the two characters, not hashed.
    pairs: Bits<16>,
}

/// A table of as many bits as `2` to the `BITS`.
struct Bits<const BITS: u32> {
    words: Vec<u64>,
}

impl<const BITS: u32> Bits<BITS> {
    fn new() -> Self {
        Bits { words: vec![0; 1 << (BITS - 6)] }
    }

    fn place(hash: u64) -> (usize, u64) {
        let bit = hash >> (64 - BITS);
        ((bit >> 6) as usize, 1 << (bit & 63))
    }

    fn set(&mut self, hash: u64) {
        let (at, bit) = Self::place(hash);
        if let Some(word) = self.words.get_mut(at) {
            *word |= bit;
        }
    }

    /// Two bits for one: what is not there is taken to be there by chance far less often.
    fn set_twice(&mut self, hash: u64) {
        self.set(hash);
        self.set(hash.rotate_left(BITS));
    }

    fn has_twice(&self, hash: u64) -> bool {
        self.has(hash) && self.has(hash.rotate_left(BITS))
    }

    fn has(&self, hash: u64) -> bool {
        let (at, bit) = Self::place(hash);
        self.words.get(at).is_some_and(|word| word & bit != 0)
    }
}

const K: u64 = 0x9E37_79B9_7F4A_7C15;

/// Hashes a word, case ignored.
fn hash_word(word: &[u8]) -> u64 {
    const CASE: u64 = 0x2020_2020_2020_2020;
    let (chunks, _) = word.as_chunks::<8>();
    let mut hash = word.len() as u64;
    for chunk in chunks {
        hash = (hash ^ (u64::from_le_bytes(*chunk) | CASE)).wrapping_mul(K).rotate_left(29);
    }
    (hash ^ (bytes::last_eight(word) | CASE)).wrapping_mul(K).rotate_left(32)
}

/// A word and what follows it.
fn hash_pair(word: u64, next: u8) -> u64 {
    (word ^ u64::from(next)).wrapping_mul(K)
}

fn hash_gram(gram: [u8; GRAM]) -> u64 {
    (u64::from(u32::from_le_bytes(gram)) | 0x2020_2020).wrapping_mul(K)
}

/// Where a pair is in its table.
fn place_of(pair: [u8; 2]) -> u64 {
    u64::from(u16::from_be_bytes(pair)) << 48
}

fn is_word(byte: u8) -> bool {
    bytes::is(byte, ALNUM | UNDERSCORE)
}

/// What tells an entry.
enum Witness {
    Word {
        word: Vec<u8>,
        next: u8,
    },
    /// What a word begins with.
    Beginning {
        part: Vec<u8>,
    },
    /// What a word ends with.
    End {
        part: Vec<u8>,
    },
    /// What may stand anywhere in a word.
    Inside {
        part: Vec<u8>,
    },
    /// Two characters, at least one of which is no letter or digit; digits are `0`.
    Pair {
        pair: [u8; 2],
    },
    /// A character that no plain text has.
    Sign,
}

/// The witness of an entry.
fn witness(entry: &str) -> Witness {
    let mut best: Option<(usize, Witness)> = None;
    let mut best_pair: Option<(usize, [u8; 2])> = None;
    let mut has_sign = false;
    for written in entry.split(SEPARATOR) {
        let is_command = written.starts_with('^');
        let (open_start, open_end) = (written.starts_with('~'), written.ends_with('~'));
        let folded = words::folded_part(written);
        has_sign |= bytes::union(&folded) & (WORD_SIGN | HIGH) != 0;
        has_sign |= is_command;
        for pair in folded.windows(2) {
            let &[a, b] = pair else { continue };
            let marks = [a, b].iter().filter(|&&byte| !is_word(byte)).count();
            if marks > 0 && a != b' ' && b != b' ' && best_pair.is_none_or(|(most, _)| most < marks) {
                best_pair = Some((marks, [a, b]));
            }
        }
        let mut at = 0;
        while let Some(start) = folded.iter().skip(at).position(|&b| is_word(b)).map(|step| at + step) {
            let len = folded.iter().skip(start).take_while(|&&b| is_word(b)).count();
            at = start + len;
            let word = folded.get(start..at).unwrap_or_default();
            if bytes::all(word, DIGIT) {
                continue;
            }
            let (begins_openly, ends_openly) = (open_start && start == 0, open_end && at == folded.len());
            let next = folded.get(at).copied().unwrap_or(ANY);
            let is_common = word.len() < 3 || COMMON.split(' ').any(|common| common.as_bytes() == word);
            let common = if is_common { 0 } else { 1000 };
            let part = word.to_vec();
            // Fewer characters would be in every other word.
            let (score, witness) = if begins_openly && ends_openly {
                if word.len() < SHORTEST_INSIDE {
                    continue;
                }
                (word.len(), Witness::Inside { part })
            } else if begins_openly {
                if word.len() < LAST {
                    continue;
                }
                (word.len(), Witness::End { part })
            } else if ends_openly {
                if word.len() < SHORT_PREFIX {
                    continue;
                }
                (word.len(), Witness::Beginning { part })
            } else if word.len() > 1 || next != ANY {
                let known = if next == ANY { 0 } else { 10 };
                (common + 100 + 2 * word.len() + known, Witness::Word { word: word.to_vec(), next })
            } else {
                continue;
            };
            if word.len() <= LONGEST && best.as_ref().is_none_or(|(other, _)| *other < score) {
                best = Some((score, witness));
            }
        }
    }
    match (best, best_pair) {
        _ if has_sign => Witness::Sign,
        (Some((_, witness)), _) => witness,
        (None, Some((_, pair))) => Witness::Pair { pair },
        (None, None) => Witness::Sign,
    }
}

static WITNESSES: LazyLock<Witnesses> = LazyLock::new(|| {
    let mut all = Witnesses {
        words: Bits::new(),
        gram_beginnings: Bits::new(),
        grams: Bits::new(),
        pairs: Bits::new(),
    };
    for entry in CLASSES.iter().flat_map(|(_, entries)| entries.iter()) {
        match witness(entry) {
            Witness::Sign => {}
            Witness::Word { word, next } => all.words.set_twice(hash_pair(hash_word(&word), next)),
            Witness::Beginning { part } => {
                let len = if part.len() < LONG_PREFIX { SHORT_PREFIX } else { LONG_PREFIX };
                all.words.set_twice(hash_pair(hash_word(part.get(..len).unwrap_or_default()), PREFIX));
            }
            Witness::End { part } => {
                let last = part.last_chunk::<LAST>().map_or(&b""[..], |last| last);
                all.words.set_twice(hash_pair(hash_word(last), SUFFIX));
            }
            Witness::Inside { part } => all.add_inside(&part),
            Witness::Pair { pair } => all.pairs.set(place_of(pair)),
        }
    }
    all
});

impl Witnesses {
    /// A part that may stand anywhere in a word: by a gram at each place of a stride.
    fn add_inside(&mut self, part: &[u8]) {
        let len = if part.len() < SHORTEST_LONG_INSIDE { GRAM } else { LONG_GRAM };
        for gram in part.windows(len).take(STRIDE) {
            if let Some(first) = gram.first_chunk() {
                self.gram_beginnings.set(hash_gram(*first));
                self.grams.set_twice(hash_word(gram));
            }
        }
    }

    fn know(&self, word: &[u8], next: u8) -> bool {
        let hash = hash_word(word);
        self.words.has_twice(hash_pair(hash, ANY)) || self.words.has_twice(hash_pair(hash, next))
    }

    /// Spaces between the two may count or not: they are taken not to.
    fn know_pair(&self, a: u8, b: u8) -> bool {
        let digit = |byte: u8| if byte.is_ascii_digit() { b'0' } else { byte.to_ascii_lowercase() };
        self.pairs.has(place_of([digit(a), digit(b)]))
    }

    /// Whether a word, folded, is a witness, or begins or ends with one.
    fn know_folded(&self, word: &[u8], next: u8) -> bool {
        self.know(word, next) || self.know_beginning_of(word) || self.know_end_of(word)
    }

    /// Whether anything of a word, folded, is a witness.
    fn know_any_of(&self, word: &[u8], next: u8) -> bool {
        self.know_folded(word, next) || self.know_inside_of(word)
    }

    /// The same, of a word with digits: each run of them counts as one `0`.
    fn know_any_with_digits(&self, word: &[u8], next: u8) -> bool {
        let mut folded = [0; FOLDED];
        let mut len = 0;
        let mut before = 0;
        for (nth, piece) in word.chunks(FOLDED - AGAIN).enumerate() {
            if let Some(full) = folded.get(..len).filter(|full| !full.is_empty()) {
                if nth == 1 && self.know_beginning_of(full) || self.know_inside_of(full) {
                    return true;
                }
                let again = len.min(AGAIN);
                folded.copy_within(len - again..len, 0);
                len = again;
            }
            for &byte in piece {
                let byte = if byte.is_ascii_digit() { b'0' } else { byte };
                if let Some(place) = folded.get_mut(len) {
                    *place = byte;
                }
                len += usize::from(byte != b'0' || before != b'0');
                before = byte;
            }
        }
        let folded = folded.get(..len).unwrap_or_default();
        let is_hex = matches!(folded, [b'0', b'x' | b'X', ..]);
        is_hex || self.know_any_of(folded, next)
    }

    /// Whether an entry tells only the first letters of a word like this.
    fn know_beginning_of(&self, word: &[u8]) -> bool {
        let knows = |len: usize| {
            word.get(..len).is_some_and(|start| self.words.has_twice(hash_pair(hash_word(start), PREFIX)))
        };
        knows(SHORT_PREFIX) || knows(LONG_PREFIX)
    }

    /// Whether an entry tells only the last letters of a word like this.
    fn know_end_of(&self, word: &[u8]) -> bool {
        word.last_chunk::<LAST>().is_some_and(|last| self.words.has_twice(hash_pair(hash_word(last), SUFFIX)))
    }

    /// Whether a word, folded, has a part of which an entry tells, anywhere.
    fn know_inside_of(&self, word: &[u8]) -> bool {
        let (grams, _) = word.as_chunks::<GRAM>();
        grams.iter().enumerate().any(|(i, first)| {
            let whole = |len: usize| word.get(i * STRIDE..i * STRIDE + len);
            self.gram_beginnings.has(hash_gram(*first))
                && [GRAM, LONG_GRAM]
                    .into_iter()
                    .any(|len| whole(len).is_some_and(|gram| self.grams.has_twice(hash_word(gram))))
        })
    }
}

/// Whether a text may hold an entry. `seen` is the union of the classes of its bytes.
pub(super) fn may_hold(text: &[u8], seen: u32) -> bool {
    if seen & (WORD_SIGN | CONTROL) != 0 || seen & HIGH != 0 && !text.iter().all(|&byte| is_letter_part(byte))
    {
        return true;
    }
    let witnesses = &*WITNESSES;
    let mut at = 0;
    let mut before = b' ';
    while let Some(&byte) = text.get(at) {
        if !is_word(byte) {
            at += 1;
            if is_space(byte) {
                continue;
            }
            let next = folded_next(text.get(at..).unwrap_or_default());
            if witnesses.know_pair(before, byte) || witnesses.know_pair(byte, next) {
                return true;
            }
            before = byte;
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let len = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
        let word = rest.get(..len).unwrap_or_default();
        at += len;
        before = word.last().copied().unwrap_or_default();
        if bytes::all(word, DIGIT) {
            continue;
        }
        let seen = if seen & (DIGIT | UNDERSCORE) == 0 { 0 } else { bytes::union(word) };
        let next = folded_next(text.get(at..).unwrap_or_default());
        if seen & UNDERSCORE != 0 && memchr::memmem::find(word, b"__").is_some() {
            return true;
        }
        let is_known = if seen & DIGIT == 0 {
            witnesses.know_any_of(word, next)
        } else {
            witnesses.know_any_with_digits(word, next)
        };
        if is_known {
            return true;
        }
    }
    false
}

/// ASCII, or part of a character of two bytes from U+00C0 to U+07FF: letters, and no white space.
fn is_letter_part(byte: u8) -> bool {
    matches!(byte, 0..0xC0 | 0xC3..0xE0)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'+')
}

/// What follows a character, folded: white space counts as one space after a word, and not at all
/// before what stands close to words.
fn folded_next(rest: &[u8]) -> u8 {
    match rest {
        [] => ANY,
        [first, ..] if is_space(*first) => match rest.iter().find(|&&byte| !is_space(byte)) {
            None => ANY,
            Some(byte @ (b',' | b'=' | b'[' | b']' | b'&')) => *byte,
            Some(_) => b' ',
        },
        [first, ..] => *first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_witnessed() {
        for entry in CLASSES.iter().flat_map(|(_, entries)| entries.iter()) {
            let parts: Vec<Vec<u8>> = entry.split(SEPARATOR).map(words::folded_part).collect();
            let command = if entry.starts_with('^') { ";" } else { "" };
            let text = [command.as_bytes(), &parts.join(&b' ')].concat();
            let glued_before = if entry.starts_with('~') { &b"x"[..] } else { b"x " };
            let after = if entry.ends_with('~') { "q71z" } else { " x" };
            let mut texts = vec![text.clone(), text.to_ascii_uppercase()];
            // Wherever it stands in a word.
            for more in ["", "q", "qz", "qzq", &"qz9".repeat(FOLDED)] {
                let before = if entry.starts_with('~') { more } else { "" };
                texts.push([before.as_bytes(), glued_before, text.as_slice(), after.as_bytes()].concat());
            }
            for text in texts {
                assert!(may_hold(&text, bytes::union(&text)), "{entry:?} in {}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn plain_texts_are_let_pass() {
        for text in [
            "hotel",
            "kitchen table",
            "2024-01-02",
            "12.5",
            "GA1.2.180739896.1443036386",
            "es-ES",
            "café",
            "",
        ] {
            assert!(!may_hold(text.as_bytes(), bytes::union(text.as_bytes())), "{text}");
        }
        for text in [
            "../a",
            "etc/passwd",
            "x.popen(1)",
            "a;b",
            "name__gt",
            "a\u{3000}b",
            "xp_regread",
            "0x7e",
            ".env",
            ".envrc",
            "<é",
        ] {
            assert!(may_hold(text.as_bytes(), bytes::union(text.as_bytes())), "{text}");
        }
    }
}
