//! A quick look at texts that hold no entry of the dictionary, which is most of them (clause 7.8).
//!
//! Every entry has a witness: a whole word, with the characters before and after it where the entry says
//! which; where the entry tells only a part of a word, the first or the last characters of that, or four
//! letters in the middle of it; two characters side by side. A text of plain characters that
//! has the witness of no entry holds none. Texts with any other character are not judged here.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice or table, and counts of what is in it"
)]

use std::sync::LazyLock;

use super::words::{self, OTHER, SEPARATOR, beyond_ascii};
use crate::bytes::{self, ALNUM, ALPHA, CONTROL, DIGIT, HIGH, NO_ALNUM, UNDERSCORE, WORD_SIGN};
use crate::eights::{self, eight_at};
use crate::words::CLASSES;

/// Words that ordinary requests are full of: no witness where an entry has another word.
const COMMON: &str = "\
    account admin all and api app application as at blog by car category chrome client code com content \
    data date devices email en example false file files filter for from game get home hotel html http https id \
    image images in index is item items json jsp key lang language like linux list login message mobile \
    mozilla music name net new news none not null number of on or order org page php post price product \
    products query redirect safari search session set shop sort static system table test text title to \
    token true type update user users value video view www";

/// The same one by one, in order.
static COMMON_WORDS: LazyLock<Vec<&[u8]>> = LazyLock::new(|| {
    let mut words: Vec<&[u8]> = COMMON.split(' ').map(str::as_bytes).collect();
    words.sort_unstable();
    words
});

/// Before or after a word: anything.
const ANY: u8 = 0;
/// Before a word: with a space before that.
const SPACED: u8 = 0x80;
/// After the first or before the last characters: more of the word.
const PREFIX: u8 = 1;
const SUFFIX: u8 = 2;

/// How many bits each table has, as a power of two.
const WORD_BITS: u32 = 18;
const GRAM_BITS: u32 = 16;
const TRIPLE_BITS: u32 = 15;

/// How long grams are, and how far apart those are that are looked at: a part of a word that has one at
/// each place of a stride is seen wherever it stands.
const GRAM: usize = 4;
const LONG_GRAM: usize = 6;
const STRIDE: usize = 4;
/// The shortest parts that have.
const SHORTEST_INSIDE: usize = GRAM + STRIDE - 1;
const SHORTEST_LONG_INSIDE: usize = LONG_GRAM + STRIDE - 1;

/// How many characters tell the beginning of a word, where they are known, and its end.
const PREFIXES: [usize; 3] = [3, 4, 5];
const SHORT_LAST: usize = 4;
const LONG_LAST: usize = 5;

/// What the ends of words begin with that are witnesses: other words are not looked at for them.
const DOUBLE: &[u8] = b"__";

/// No witness that is a word is longer.
const LONGEST: usize = 64;

/// How many bytes of a long word are looked at at once.
const PIECE: usize = 16;

/// How much of a word is folded at a time, and how much of that is looked at again with what follows.
const FOLDED: usize = 128;
const AGAIN: usize = 8;

/// The witnesses of all entries, hashed: a text may have one that is in no entry.
struct Witnesses {
    /// Words, whatever stands beside them.
    words: Bits<WORD_BITS>,
    /// Words with what stands beside them; parts of words.
    placed: Bits<WORD_BITS>,
    /// How long the longest of them is.
    longest: usize,
    /// Those of at most eight characters.
    short: Bits<WORD_BITS>,
    /// The first and the last three characters of words of which only a part is told.
    beginnings: Bits<TRIPLE_BITS>,
    ends: Bits<TRIPLE_BITS>,
    /// The beginnings of grams, long or not; whole ones.
    gram_beginnings: Bits<GRAM_BITS>,
    grams: Bits<WORD_BITS>,
    /// The same of words as they are written, where a run of digits may be of any length.
    written: Written,
    /// Letters of each entry that has nothing but hexadecimal digits and dashes.
    hexadecimal: Vec<Vec<u8>>,
    /// By the two characters, not hashed.
    pairs: Bits<16>,
    /// The second ones of them, a bit each; all are ASCII.
    seconds: u128,
    /// Whether one of them ends with a letter, digit or `_`.
    has_pairs_with_words: bool,
}

/// What tells that a word as it is written, its digits not folded, may be or hold a witness. What
/// is seen so is looked at once more, folded.
struct Written {
    /// The beginnings of grams, by [`gram_place`].
    gram_beginnings: Box<[u64; 1 << (GRAM_BITS - 6)]>,
    /// Whole ones, long or not.
    grams: Bits<WORD_BITS>,
    /// What stands around a digit inside of grams, where the word may have a run of them: two characters before
    /// it, one after it.
    seams: Bits<TRIPLE_BITS>,
    /// What stands after one, a bit each.
    after_seams: u32,
    /// The first two characters and the last one of words with digits.
    ends: Bits<TRIPLE_BITS>,
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
/// Makes letters lower case.
const CASE: u64 = 0x2020_2020_2020_2020;

/// Hashes a word, case ignored.
fn hash_word(word: &[u8]) -> u64 {
    let (chunks, _) = word.as_chunks::<8>();
    let mut hash = word.len() as u64;
    for chunk in chunks {
        hash = (hash ^ (u64::from_le_bytes(*chunk) | CASE)).wrapping_mul(K).rotate_left(29);
    }
    (hash ^ (bytes::last_eight(word) | CASE)).wrapping_mul(K).rotate_left(32)
}

/// A word and what stands before and after it.
fn hash_placed(word: u64, before: u8, next: u8) -> u64 {
    (word ^ u64::from(next) ^ u64::from(before) << 8).wrapping_mul(K)
}

/// A part of a word, and which.
fn hash_part(part: &[u8], which: u8) -> u64 {
    hash_placed(hash_word(part), ANY, which)
}

/// Where three characters are in their table, case ignored.
fn place_of_three(three: [u8; 3]) -> u64 {
    let [a, b, c] = three.map(|byte| u64::from(byte & 31));
    (a << 10 | b << 5 | c) << (u64::BITS - TRIPLE_BITS)
}

/// The same, of the first three bytes.
fn place_of_first_three(eight: u64) -> u64 {
    ((eight & 31) << 10 | (eight >> 8 & 31) << 5 | eight >> 16 & 31) << (u64::BITS - TRIPLE_BITS)
}

fn hash_gram(gram: [u8; GRAM]) -> u64 {
    (u64::from(u32::from_le_bytes(gram)) | 0x2020_2020).wrapping_mul(K)
}

/// Hashes a short word, folded: zeros follow it.
fn hash_short(eight: u64) -> u64 {
    eight.wrapping_mul(K)
}

/// The bits of the first bytes of eight.
fn first_bytes(len: usize) -> u64 {
    u64::MAX.checked_shr(64_u32.saturating_sub(8 * len as u32)).unwrap_or_default()
}

/// A gram of which the first `len` bytes count, in lower case, each digit as `0`.
fn hash_written(eight: u64, len: usize) -> u64 {
    (eight << (64 - 8 * len)).wrapping_mul(K).rotate_left(32).wrapping_mul(K)
}

/// Where a gram of four bytes is in its table: which number, and which bit of it.
fn gram_place(gram: u32) -> (usize, u32) {
    let hash = gram.wrapping_mul(0x9E37_79B1) >> (u32::BITS - GRAM_BITS);
    ((hash >> 6) as usize, hash & 63)
}

/// A letter or `_` without its case; every digit is the same.
fn written_sign(byte: u8) -> u8 {
    if byte.is_ascii_digit() { 0 } else { byte & 31 }
}

/// Where three characters of a word as it is written are in their table.
fn place_of_written(three: [u8; 3]) -> u64 {
    let [a, b, c] = three.map(|byte| u64::from(written_sign(byte)));
    (a << 10 | b << 5 | c) << (u64::BITS - TRIPLE_BITS)
}

/// A byte that has a sign.
fn byte_of_sign(sign: u8) -> u8 {
    if sign == 0 { b'0' } else { 0x40 | sign }
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
        before: u8,
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

/// How much a character beside a word tells: not much, where it stands beside words everywhere.
fn rarity(beside: u8) -> usize {
    match beside {
        ANY => 0,
        b' ' | b'/' | b'.' => 10,
        _ => 30,
    }
}

/// How much two characters side by side tell; nothing, where they are no witness.
fn rarity_of_pair(a: u8, b: u8) -> usize {
    let marks = [a, b].iter().filter(|&&byte| !is_word(byte)).count();
    match (a, b) {
        // Dashes stand side by side in every other token.
        (b' ', _) | (_, b' ') | (b'-', b'-') => 0,
        // Base64 ends with these, and dots are all over some tokens.
        (b'=', b'=') | (b'.', b'.') => 1,
        // Signs follow digits less often than digits follow signs.
        _ if marks > 0 => 2 * marks + usize::from(a == b'0'),
        _ => 0,
    }
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
            let score = rarity_of_pair(a, b);
            if score > 0 && best_pair.is_none_or(|(most, _)| most < score) {
                best_pair = Some((score, [a, b]));
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
            let before = match folded.get(..start) {
                Some([.., b' ', before]) if before.is_ascii_punctuation() => before | SPACED,
                Some([.., before]) => *before,
                _ => ANY,
            };
            let is_common = word.len() < 3 || COMMON_WORDS.binary_search(&word).is_ok();
            let common = if is_common { 0 } else { 1000 };
            let part = word.to_vec();
            // Fewer characters would be in every other word.
            let (score, witness) = if begins_openly && ends_openly {
                if word.len() < SHORTEST_INSIDE {
                    continue;
                }
                (word.len(), Witness::Inside { part })
            } else if begins_openly {
                // Others are in no list: ends with digits would have to be folded.
                if word.len() < SHORT_LAST || !word.starts_with(DOUBLE) || word.contains(&b'0') {
                    continue;
                }
                (word.len(), Witness::End { part })
            } else if ends_openly {
                if !PREFIXES.iter().any(|len| *len <= word.len()) {
                    continue;
                }
                (word.len(), Witness::Beginning { part })
            } else if word.len() > 1 || next != ANY || before != ANY {
                let known: usize = [before, next].map(rarity).iter().sum();
                (common + 100 + 2 * word.len() + known, Witness::Word { before, word: part, next })
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
        placed: Bits::new(),
        longest: 0,
        short: Bits::new(),
        beginnings: Bits::new(),
        ends: Bits::new(),
        gram_beginnings: Bits::new(),
        grams: Bits::new(),
        written: Written {
            gram_beginnings: Box::new([0; 1 << (GRAM_BITS - 6)]),
            grams: Bits::new(),
            seams: Bits::new(),
            after_seams: 0,
            ends: Bits::new(),
        },
        hexadecimal: Vec::new(),
        pairs: Bits::new(),
        seconds: 0,
        has_pairs_with_words: false,
    };
    for entry in CLASSES.iter().flat_map(|(_, entries)| entries.iter()) {
        let witness = witness(entry);
        let parts: Vec<Vec<u8>> = entry.split(SEPARATOR).map(words::folded_part).collect();
        if !matches!(witness, Witness::Sign)
            && parts.iter().flatten().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
        {
            let letters = parts.iter().flat_map(|part| part.split(|byte| !byte.is_ascii_alphabetic()));
            all.hexadecimal.push(letters.max_by_key(|piece| piece.len()).unwrap_or_default().to_vec());
        }
        match witness {
            Witness::Sign => {}
            Witness::Word { before, word, next } => {
                let hash = hash_word(&word);
                all.words.set_twice(hash_placed(hash, ANY, ANY));
                all.placed.set_twice(hash_placed(hash, before, next));
                all.longest = all.longest.max(word.len());
                all.written.add_word(&word);
                if word.len() <= 8 {
                    all.short.set(hash_short(plain_eight(eight_at(&word, 0)) & first_bytes(word.len())));
                }
            }
            Witness::Beginning { part } => {
                let len = PREFIXES.into_iter().rfind(|len| *len <= part.len()).unwrap_or_default();
                all.placed.set_twice(hash_part(part.get(..len).unwrap_or_default(), PREFIX));
                if let Some(first) = part.first_chunk() {
                    all.beginnings.set(place_of_three(*first));
                }
            }
            Witness::End { part } => {
                let len = if part.len() < LONG_LAST { SHORT_LAST } else { LONG_LAST };
                let last = part.get(part.len().saturating_sub(len)..).unwrap_or_default();
                all.placed.set_twice(hash_part(last, SUFFIX));
                if let Some(last) = part.last_chunk() {
                    all.ends.set(place_of_three(*last));
                }
            }
            Witness::Inside { part } => {
                all.add_inside(&part);
                all.written.add_inside(&part);
            }
            Witness::Pair { pair } => {
                all.pairs.set(place_of(pair));
                let [_, second] = pair;
                all.seconds |= 1_u128.checked_shl(u32::from(second)).unwrap_or_default();
                all.has_pairs_with_words |= pair.last().is_some_and(|last| is_word(*last));
            }
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

    /// Whether a word, folded, is a witness where it stands.
    fn know(&self, word: &[u8], beside: impl FnOnce() -> Beside) -> bool {
        if word.len() > self.longest {
            return false;
        }
        let hash = hash_word(word);
        self.words.has_twice(hash_placed(hash, ANY, ANY)) && {
            let Beside { before, is_spaced_before, next } = beside();
            let spaced = if is_spaced_before { before | SPACED } else { before };
            let places =
                [(ANY, ANY), (ANY, next), (before, ANY), (before, next), (spaced, ANY), (spaced, next)];
            places.iter().any(|(before, next)| self.placed.has_twice(hash_placed(hash, *before, *next)))
        }
    }

    /// Spaces between the two may count or not: they are taken not to.
    fn know_pair(&self, a: u8, b: u8) -> bool {
        let digit = |byte: u8| if byte.is_ascii_digit() { b'0' } else { byte.to_ascii_lowercase() };
        self.seconds.checked_shr(u32::from(b)).unwrap_or_default() & 1 != 0
            && self.pairs.has(place_of([digit(a), digit(b)]))
    }

    /// Whether anything of a short word is a witness, but for its end.
    fn know_any_short(&self, word: &Short, beside: impl FnOnce() -> Beside) -> bool {
        word.is_hex
            || self.short.has(hash_short(word.folded)) && word.with_folded(|word| self.know(word, beside))
            || self.beginnings.has(place_of_first_three(word.folded))
                && word.with_folded(|word| self.know_beginning_of(word))
            || word.folded > first_bytes(SHORTEST_INSIDE - 1)
                && word.with_folded(|word| self.know_inside_of(word))
    }

    /// Whether anything of a word without digits is a witness, but for its end.
    fn know_any_of(&self, word: &[u8], beside: impl FnOnce() -> Beside) -> bool {
        self.know(word, beside) || self.know_beginning_of(word) || self.know_inside_of(word)
    }

    /// Whether anything of a word is a witness.
    fn know_any_long(&self, word: &[u8], is: Word, beside: impl FnOnce() -> Beside) -> bool {
        if !is.has_letters && !is.has_underscores {
            return false;
        }
        is.has_underscores && self.know_end_of(word)
            || if is.has_digits {
                self.may_know_any_with_digits(word) && self.know_any_folded(word, beside())
            } else {
                self.know_any_of(word, beside)
            }
    }

    /// Whether that may be so of a word with digits, too, of which each run counts as one `0`.
    fn may_know_any_with_digits(&self, word: &[u8]) -> bool {
        matches!(word, [b'0', b'x' | b'X', ..])
            || self.written.may_know(word)
            || first_three(word).is_some_and(|first| self.beginnings.has(place_of_three(first)))
            || self.written.may_know_inside_of(word)
    }

    /// Whether it is.
    #[cold]
    #[inline(never)]
    fn know_any_folded(&self, word: &[u8], beside: Beside) -> bool {
        let mut folded = [0; FOLDED];
        let mut len = 0;
        for (nth, piece) in word.chunks(FOLDED - AGAIN).enumerate() {
            if let Some(full) = folded.get(..len).filter(|full| !full.is_empty()) {
                if nth == 1 && self.know_beginning_of(full) || self.know_inside_of(full) {
                    return true;
                }
                let again = len.min(AGAIN);
                folded.copy_within(len - again..len, 0);
                len = again;
            }
            len = fold_digits(piece, &mut folded, len);
        }
        let folded = folded.get(..len).unwrap_or_default();
        let is_hex = matches!(word, [b'0', b'x' | b'X', ..]);
        is_hex
            || self.know(folded, || beside)
            || self.know_beginning_of(folded)
            || self.know_inside_of(folded)
    }

    /// Whether an entry tells only the first letters of a word like this.
    fn know_beginning_of(&self, word: &[u8]) -> bool {
        let knows =
            |len: usize| word.get(..len).is_some_and(|start| self.placed.has_twice(hash_part(start, PREFIX)));
        word.first_chunk().is_some_and(|first| self.beginnings.has(place_of_three(*first)))
            && PREFIXES.into_iter().any(knows)
    }

    /// Whether an entry tells only the last letters of a word like this.
    fn know_end_of(&self, word: &[u8]) -> bool {
        let knows = |len: usize| {
            let last = word.len().checked_sub(len).and_then(|start| word.get(start..));
            last.is_some_and(|last| self.placed.has_twice(hash_part(last, SUFFIX)))
        };
        word.last_chunk().is_some_and(|last| self.ends.has(place_of_three(*last)))
            && has_double(word)
            && [SHORT_LAST, LONG_LAST].into_iter().any(knows)
    }

    /// Whether a word, folded, has a part of which an entry tells, anywhere.
    fn know_inside_of(&self, word: &[u8]) -> bool {
        if word.len() < SHORTEST_INSIDE {
            return false;
        }
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

impl Written {
    /// A word, folded.
    fn add_word(&mut self, word: &[u8]) {
        let ([first, .., last], true) = (word, word.contains(&b'0')) else { return };
        for sign in 0..32 {
            // What follows a run of digits is not looked for.
            let second = word.get(1).filter(|_| *first != b'0');
            if second.is_none_or(|byte| written_sign(*byte) == sign) {
                self.ends.set(place_of_written([*first, byte_of_sign(sign), *last]));
            }
        }
    }

    /// A part that may stand anywhere in a word, folded: by the characters of it that are no digits, if
    /// there are enough side by side, else by some with as few digits as can be. A run of digits between
    /// those would hide the grams, so what stands around each of these is told too.
    fn add_inside(&mut self, part: &[u8]) {
        let longest = part.split(|&byte| byte == b'0').max_by_key(|piece| piece.len()).unwrap_or_default();
        let (piece, start) = if longest.len() >= SHORTEST_INSIDE {
            (longest, 0)
        } else {
            let zeros = |piece: &[u8]| piece.iter().filter(|&&byte| byte == b'0').count();
            let few = part.windows(SHORTEST_INSIDE).enumerate().min_by_key(|(_, piece)| zeros(piece));
            few.map_or((part, 0), |(start, piece)| (piece, start))
        };
        let len = if piece.len() < SHORTEST_LONG_INSIDE { GRAM } else { LONG_GRAM };
        for gram in piece.windows(len).take(STRIDE) {
            let eight = plain_eight(eight_at(gram, 0));
            let (at, bit) = gram_place(eight as u32);
            if let Some(bits) = self.gram_beginnings.get_mut(at) {
                *bits |= 1 << bit;
            }
            self.grams.set_twice(hash_written(eight, len));
        }
        if std::ptr::eq(piece, longest) {
            return;
        }
        for at in start + 1..(start + piece.len()).saturating_sub(1) {
            let [Some(b'0'), Some(&before), Some(&after)] =
                [part.get(at), part.get(at - 1), part.get(at + 1)]
            else {
                continue;
            };
            self.after_seams |= 1 << written_sign(after);
            let two_before = at.checked_sub(2).and_then(|at| part.get(at));
            for other in 0..32 {
                if two_before.is_none_or(|&byte| written_sign(byte) == other) {
                    self.seams.set(place_of_written([byte_of_sign(other), before, after]));
                }
            }
        }
    }

    /// Whether a word with digits may be one that was added.
    fn may_know(&self, word: &[u8]) -> bool {
        match word {
            [first, second, .., last] => self.ends.has(place_of_written([*first, *second, *last])),
            [first, last] => self.ends.has(place_of_written([*first, *last, *last])),
            _ => false,
        }
    }

    /// Whether a word, written as it is, may hold a part that was added.
    fn may_know_inside_of(&self, word: &[u8]) -> bool {
        if word.len() < SHORTEST_INSIDE {
            return false;
        }
        let (eights, rest) = word.as_chunks();
        // The digits of the last eight bytes.
        let mut before = 0;
        for (nth, eight) in eights.iter().enumerate() {
            let eight = u64::from_le_bytes(*eight);
            let digits = eights::digits(eight);
            let seams = seams(digits, before);
            if self.may_have_grams(eight, digits) && self.know_grams(word, nth * 8)
                || seams != 0 && self.may_know_seams(word, nth * 8, seams)
            {
                return true;
            }
            before = digits;
        }
        let at = word.len() - rest.len();
        let eight = eight_at(word, at);
        let digits = eights::digits(eight);
        let seams = seams(digits, before);
        self.may_have_grams(eight, digits) && self.know_grams(word, at)
            || seams != 0 && self.may_know_seams(word, at, seams)
    }

    /// Whether a gram may begin at the first or the middle one of eight bytes.
    #[inline]
    fn may_have_grams(&self, eight: u64, digits: u64) -> bool {
        let plain = eights::with_zeros(eight, digits) | CASE;
        (self.gram_bit(plain as u32) | self.gram_bit((plain >> 32) as u32)) & 1 != 0
    }

    /// The bit of a gram, lowest; what the others are says nothing.
    #[inline]
    fn gram_bit(&self, gram: u32) -> u64 {
        let (at, bit) = gram_place(gram);
        self.gram_beginnings.get(at).map_or(0, |bits| bits >> bit)
    }

    /// Whether a whole one does.
    #[cold]
    #[inline(never)]
    fn know_grams(&self, word: &[u8], at: usize) -> bool {
        [at, at + GRAM].into_iter().any(|at| {
            let eight = plain_eight(eight_at(word, at));
            [GRAM, LONG_GRAM].into_iter().any(|len| self.grams.has_twice(hash_written(eight, len)))
        })
    }

    /// Whether one of the runs of digits that end where a bit of `ends` says, from `start` on, may stand for
    /// a digit of a part.
    #[cold]
    #[inline(never)]
    fn may_know_seams(&self, word: &[u8], start: usize, mut ends: u64) -> bool {
        while ends != 0 {
            let at = start + ends.trailing_zeros() as usize / 8;
            ends &= ends - 1;
            let Some((before, [after, ..])) = word.split_at_checked(at) else { continue };
            if self.after_seams >> written_sign(*after) & 1 == 0 {
                continue;
            }
            let run = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            let (a, b) = match before.get(..before.len() - run) {
                Some([.., a, b]) => (*a, *b),
                // Of a part that begins here, whatever stands before is told.
                Some([b]) => (b'0', *b),
                _ => continue,
            };
            if self.seams.has(place_of_written([a, b, *after])) {
                return true;
            }
        }
        false
    }
}

/// The bytes that follow two digits and are none.
fn seams(digits: u64, before: u64) -> u64 {
    (digits << 8 | before >> 56) & (digits << 16 | before >> 48) & !digits
}

/// Eight bytes, in lower case, each digit as `0`.
fn plain_eight(eight: u64) -> u64 {
    eights::with_zeros(eight, eights::digits(eight)) | CASE
}

/// The first three characters of a word, folded.
fn first_three(word: &[u8]) -> Option<[u8; 3]> {
    match word {
        [a, b, c, ..] if !a.is_ascii_digit() && !b.is_ascii_digit() => {
            Some([*a, *b, if c.is_ascii_digit() { b'0' } else { *c }])
        }
        _ => first_three_slow(word),
    }
}

/// The same, whatever they are.
fn first_three_slow(word: &[u8]) -> Option<[u8; 3]> {
    let mut three = [0; 3];
    let mut places = three.iter_mut();
    let mut last = 0;
    for &byte in word {
        let byte = if byte.is_ascii_digit() { b'0' } else { byte };
        if byte != b'0' || last != b'0' {
            *places.next()? = byte;
            if places.len() == 0 {
                return Some(three);
            }
        }
        last = byte;
    }
    None
}

/// What stands before and after a word, folded.
struct Beside {
    before: u8,
    /// Whether a space stands before that.
    is_spaced_before: bool,
    next: u8,
}

/// Whether a text may hold an entry. `seen` is the union of the classes of its bytes.
pub(super) fn may_hold(text: &[u8], seen: u32) -> bool {
    if seen & (WORD_SIGN | CONTROL) != 0 {
        return true;
    }
    if seen & (NO_ALNUM | ALPHA) == 0 {
        return false;
    }
    let witnesses = &*WITNESSES;
    if bytes::is_hexadecimal(seen) {
        witnesses.may_be_in_hexadecimal(text)
    } else {
        may_be_in(witnesses, text)
    }
}

/// Whether two letters, in whatever case, stand side by side, the first at an even place.
fn holds_even(text: &[u8], two: [u8; 2]) -> bool {
    const ONES: u64 = 0x0001_0001_0001_0001;
    let two = ONES * u64::from(u16::from_le_bytes(two));
    let has_two = |eight: u64| {
        let others = (eight | CASE) ^ two;
        others.wrapping_sub(ONES) & !others & ONES << 15 != 0
    };
    let (eights, rest) = text.as_chunks();
    eights.iter().any(|eight| has_two(u64::from_le_bytes(*eight)))
        || has_two(eight_at(text, text.len() - rest.len()))
}

impl Witnesses {
    /// Whether an entry may be in a text of hexadecimal digits and dashes.
    fn may_be_in_hexadecimal(&self, text: &[u8]) -> bool {
        self.hexadecimal.iter().any(|part| {
            // Of two letters side by side the first or the second stands at an even place.
            let is_worth_it = match part.get(..3) {
                Some(&[a, b, c]) => holds_even(text, [a, b]) || holds_even(text, [b, c]),
                _ => true,
            };
            is_worth_it && (part.is_empty() || bytes::find_ignore_case(text, part).is_some())
        })
    }
}

/// Whether an entry may be in a text of plain characters.
fn may_be_in(witnesses: &Witnesses, text: &[u8]) -> bool {
    let mut at = 0;
    // The last character that is no space, and whether spaces follow it.
    let (mut before, mut is_spaced) = (ANY, false);
    // Whether spaces stand before it.
    let mut is_spaced_before = false;
    while let Some(&byte) = text.get(at) {
        if !is_word(byte) {
            if is_space(byte) {
                at += 1;
                is_spaced = true;
                continue;
            }
            let (byte, len) = if byte.is_ascii() {
                (byte, 1)
            } else {
                let (byte, len) = beyond_ascii(text.get(at..).unwrap_or_default());
                // White space beyond ASCII, and what was kept from being decoded: not judged here.
                if len > 1 && byte != OTHER {
                    return true;
                }
                (byte, len)
            };
            at += len;
            if witnesses.know_pair(before, byte) {
                return true;
            }
            is_spaced_before = is_spaced;
            (before, is_spaced) = (byte, false);
            continue;
        }
        if witnesses.has_pairs_with_words && witnesses.know_pair(before, byte) {
            return true;
        }
        let (stood_before, was_spaced) = (before, is_spaced);
        let beside = |end: usize| Beside {
            before: folded_before(stood_before, was_spaced),
            is_spaced_before,
            next: folded_next(text.get(end..).unwrap_or_default()),
        };
        let first = Eight::at(text, at);
        let is_longer = first.others == 0 && text.get(at + 8).is_some_and(|byte| is_word(*byte));
        let end = if is_longer {
            let word = longer_word_at(text, at, first);
            let end = at + word.len;
            if witnesses.know_any_long(text.get(at..end).unwrap_or_default(), word, || beside(end)) {
                return true;
            }
            end
        } else {
            let short = first.first_word();
            let end = at + short.len;
            let is_known = short.is_telling && witnesses.know_any_short(&short, || beside(end));
            if is_known
                || short.has_underscores && witnesses.know_end_of(text.get(at..end).unwrap_or_default())
            {
                return true;
            }
            end
        };
        at = end;
        before = text.get(at - 1).copied().unwrap_or_default();
        is_spaced = false;
    }
    false
}

/// A word of at most eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Short {
    len: usize,
    /// In lower case, each run of digits as one `0`; zeros follow.
    folded: u64,
    /// Whether it is no number.
    is_telling: bool,
    has_underscores: bool,
    /// Whether it begins with `0x`.
    is_hex: bool,
}

/// Eight bytes, and the top bits of those that are of a kind.
#[derive(Clone, Copy)]
struct Eight {
    bytes: u64,
    letters: u64,
    digits: u64,
    underscores: u64,
    /// No part of a word.
    others: u64,
}

impl Eight {
    /// Those that stand in a text from `at` on. Beyond the end of the text there are zeros.
    #[inline]
    fn at(text: &[u8], at: usize) -> Self {
        let bytes = eight_at(text, at);
        let ascii = bytes & !eights::TOPS;
        let (letters, digits) = (eights::letters(ascii), eights::digits(ascii));
        let underscores = eights::underscores(ascii);
        let others = (!(letters | digits | underscores) | bytes) & eights::TOPS;
        Eight { bytes, letters, digits, underscores, others }
    }

    /// The bits of the bytes before the first that is no part of the word.
    #[inline]
    fn own(&self) -> u64 {
        ((self.others & self.others.wrapping_neg()) >> 7).wrapping_sub(1)
    }

    #[inline]
    fn first_len(&self) -> usize {
        self.others.trailing_zeros() as usize / 8
    }

    /// The word that they begin with.
    #[inline]
    fn first_word(&self) -> Short {
        let own = self.own();
        let digits = self.digits & own;
        let plain = (eights::with_zeros(self.bytes, digits) | CASE) & own;
        Short {
            len: self.first_len(),
            folded: if digits == 0 { plain } else { without_runs(plain, digits & digits << 8) },
            is_telling: (self.letters | self.underscores) & own != 0,
            has_underscores: self.underscores & own != 0,
            is_hex: self.bytes as u16 | 0x2000 == u16::from_le_bytes(*b"0x"),
        }
    }
}

impl Short {
    fn with_folded<T>(&self, show: impl FnOnce(&[u8]) -> T) -> T {
        let len = 8 - self.folded.leading_zeros() as usize / 8;
        show(self.folded.to_le_bytes().get(..len).unwrap_or_default())
    }
}

/// Eight bytes without those whose top bit is set in `runs`; zeros follow.
fn without_runs(mut eight: u64, mut runs: u64) -> u64 {
    while runs != 0 {
        let before = ((runs & runs.wrapping_neg()) >> 7).wrapping_sub(1);
        eight = eight & before | eight >> 8 & !before;
        runs = (runs & (runs - 1)) >> 8;
    }
    eight
}

/// Writes a piece of a word from `len` on, each run of digits as one `0`; how long all is then.
fn fold_digits(piece: &[u8], folded: &mut [u8; FOLDED], mut len: usize) -> usize {
    let (eights, rest) = piece.as_chunks();
    let is_after_digit =
        |folded: &[u8], len: usize| len.checked_sub(1).and_then(|at| folded.get(at)) == Some(&b'0');
    for eight in eights {
        let chars = u64::from_le_bytes(*eight);
        let digits = eights::digits(chars);
        let after_digits = digits << 8 | u64::from(is_after_digit(folded, len)) << 7;
        match folded.get_mut(len..len + 8) {
            // No two digits side by side.
            Some(place) if digits & after_digits == 0 => {
                place.copy_from_slice(&eights::with_zeros(chars, digits).to_le_bytes());
                len += 8;
            }
            _ => len = fold_digits_slow(eight, folded, len),
        }
    }
    fold_digits_slow(rest, folded, len)
}

/// The same, byte by byte.
fn fold_digits_slow(piece: &[u8], folded: &mut [u8; FOLDED], mut len: usize) -> usize {
    let mut is_after_digit = len.checked_sub(1).and_then(|at| folded.get(at)) == Some(&b'0');
    for &byte in piece {
        let is_digit = byte.is_ascii_digit();
        if is_digit && is_after_digit {
            continue;
        }
        is_after_digit = is_digit;
        if let Some(place) = folded.get_mut(len) {
            *place = if is_digit { b'0' } else { byte };
        }
        len += 1;
    }
    len
}

/// What a word is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    len: usize,
    has_letters: bool,
    has_digits: bool,
    has_underscores: bool,
}

/// Whether [`DOUBLE`] is in a word.
fn has_double(word: &[u8]) -> bool {
    memchr::memchr_iter(b'_', word).any(|at| word.get(at + 1) == Some(&b'_'))
}

/// What of a word stands at the start of a text in whole pieces of [`PIECE`]. Of such a long one it is not asked
/// whether it has letters.
fn long_word(text: &[u8]) -> Word {
    let mut word = Word { len: 0, has_letters: false, has_digits: false, has_underscores: false };
    let (pieces, _) = text.as_chunks::<PIECE>();
    for piece in pieces {
        // Without a way out, so that all bytes are compared at once.
        let (mut all, mut any_digit, mut any_underscore) = (true, false, false);
        for &byte in piece {
            let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
            let (is_digit, is_underscore) = (byte.wrapping_sub(b'0') < 10, byte == b'_');
            all &= is_letter | is_digit | is_underscore;
            any_digit |= is_digit;
            any_underscore |= is_underscore;
        }
        if !all {
            break;
        }
        word.has_letters = true;
        word.has_digits |= any_digit;
        word.has_underscores |= any_underscore;
        word.len += PIECE;
    }
    word
}

/// The word that stands in a text from `at` on, eight bytes at a time; the first eight are a part of it.
fn longer_word_at(text: &[u8], at: usize, first: Eight) -> Word {
    let rest = long_word(text.get(at + 8..).unwrap_or_default());
    let mut len = 8 + rest.len;
    let Eight { mut letters, mut digits, mut underscores, .. } = first;
    loop {
        let eight = Eight::at(text, at + len);
        let own = eight.own();
        letters |= eight.letters & own;
        digits |= eight.digits & own;
        underscores |= eight.underscores & own;
        len += eight.first_len();
        if eight.others != 0 {
            break;
        }
    }
    Word {
        len,
        has_letters: rest.has_letters || letters != 0,
        has_digits: rest.has_digits || digits != 0,
        has_underscores: rest.has_underscores || underscores != 0,
    }
}

/// The same, byte by byte.
#[cfg(test)]
fn word_at_slow(text: &[u8], at: usize) -> Word {
    let mut word = Word { len: 0, has_letters: false, has_digits: false, has_underscores: false };
    for &byte in text.iter().skip(at) {
        let class = bytes::class(byte);
        if class & (ALNUM | UNDERSCORE) == 0 {
            break;
        }
        word.has_letters |= class & bytes::ALPHA != 0;
        word.has_digits |= class & DIGIT != 0;
        word.has_underscores |= class & UNDERSCORE != 0;
        word.len += 1;
    }
    word
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'+')
}

/// Whether spaces beside a character do not count. Of those that are so, plain texts have only these.
fn is_tight(byte: u8) -> bool {
    matches!(byte, b',' | b'=' | b'[' | b']')
}

/// What stands before a word, folded.
fn folded_before(before: u8, is_spaced: bool) -> u8 {
    if is_spaced && before != ANY && !is_tight(before) { b' ' } else { before }
}

/// What follows a character, folded: white space counts as one space after a word, and not at all
/// before what stands close to words.
fn folded_next(rest: &[u8]) -> u8 {
    match rest {
        [] => ANY,
        [first, ..] if is_space(*first) => match rest.iter().find(|&&byte| !is_space(byte)) {
            None => ANY,
            Some(&byte) if is_tight(byte) => byte,
            Some(_) => b' ',
        },
        [first, ..] => *first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

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
            // With more than one digit for each, and in other case.
            for (nth, text) in texts.clone().into_iter().enumerate() {
                let runs = ["90", "1234567", "00", &"5".repeat(70)];
                let run = runs[nth % runs.len()].as_bytes();
                let more =
                    text.iter().flat_map(|byte| if *byte == b'0' { run } else { std::slice::from_ref(byte) });
                texts.push(more.copied().collect());
            }
            for text in texts {
                assert!(may_hold(&text, bytes::union(&text)), "{entry:?} in {}", text.escape_ascii());
            }
        }
    }

    /// What is judged without folding is never less than what is there, folded.
    #[test]
    fn words_with_digits_are_worth_folding() {
        let mut state = 11_u32;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        for entry in CLASSES.iter().flat_map(|(_, entries)| entries.iter()) {
            let (part, is_beginning, is_inside) = match witness(entry) {
                Witness::Word { word, .. } => (word, false, false),
                Witness::Beginning { part } => (part, true, false),
                Witness::Inside { part } => (part, false, true),
                _ => continue,
            };
            for _ in 0..4 {
                let noise = |len: usize, random: &mut dyn FnMut(usize) -> usize| -> Vec<u8> {
                    (0..len).map(|_| b"abcXYZ_0123"[random(11)]).collect()
                };
                let mut text = if is_inside { noise(random(20), &mut random) } else { Vec::new() };
                for &byte in &part {
                    let run = if byte == b'0' { 1 + random(3) } else { 1 };
                    let written = if random(2) == 0 { byte } else { byte.to_ascii_uppercase() };
                    text.extend(
                        (0..run).map(|_| if byte == b'0' { b'0' + random(10) as u8 } else { written }),
                    );
                }
                if is_inside || is_beginning {
                    text.extend(noise(random(200), &mut random));
                }
                if text.iter().any(u8::is_ascii_digit) {
                    assert!(
                        WITNESSES.may_know_any_with_digits(&text),
                        "{entry:?} in {}",
                        text.escape_ascii()
                    );
                }
            }
        }
    }

    #[test]
    fn words_are_read_and_folded_alike() {
        let mut random = crate::context::tests::random();
        for _ in 0..20_000 {
            let len = random(90);
            let text: Vec<u8> =
                (0..len).map(|_| b"abzAZ_0123459._-/@`[{\xC3\xFF"[random(23) as usize]).collect();
            for at in [0, 1, 9] {
                let (first, mut slow) = (Eight::at(&text, at), word_at_slow(&text, at));
                if slow.len > 8 {
                    slow.has_letters |= slow.len >= 8 + PIECE;
                    assert_eq!(longer_word_at(&text, at, first), slow, "{}", text.escape_ascii());
                    continue;
                }
                let short = first.first_word();
                assert_eq!(short.len, slow.len);
                assert_eq!(short.is_telling, slow.has_letters || slow.has_underscores);
                assert_eq!(short.has_underscores, slow.has_underscores);
                let text = text.get(at..).unwrap_or_default();
                let mut folded = [0; FOLDED];
                let len = fold_digits_slow(&text[..slow.len], &mut folded, 0);
                let folded = eight_at(&folded[..len], 0) | CASE & first_bytes(len);
                assert_eq!(short.folded, folded, "{}", text.escape_ascii());
                assert_eq!(short.is_hex, text.starts_with(b"0x") || text.starts_with(b"0X"));
            }
            let word: Vec<u8> = (0..len).map(|_| b"abzAZ_012345"[random(12) as usize]).collect();
            for start in [0, 1, 8] {
                let (mut quick, mut slow) = ([b'0'; FOLDED], [b'0'; FOLDED]);
                let lens = (fold_digits(&word, &mut quick, start), fold_digits_slow(&word, &mut slow, start));
                assert_eq!(
                    (quick[..lens.0].escape_ascii().to_string(), lens.0),
                    (slow[..lens.1].escape_ascii().to_string(), lens.1)
                );
            }
        }
    }

    /// Whatever is found is witnessed: entries without signs, in other case, with other digits, glued to others.
    #[test]
    fn what_is_found_is_witnessed() {
        let plain: Vec<&str> = CLASSES
            .iter()
            .flat_map(|(_, entries)| entries.iter().copied())
            .filter(|entry| bytes::union(entry.trim_matches('~').as_bytes()) & (WORD_SIGN | CONTROL) == 0)
            .collect();
        let mut state = 5_u32;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        let mut found = 0;
        for _ in 0..20_000 {
            let mut text = Vec::new();
            for _ in 0..=random(2) {
                let glue =
                    [" ", "-", "--", "/", ".", "=", ", ", "", "_", "__", "q", "9", "0x", " -", "a1b22", "é"];
                text.extend_from_slice(glue[random(glue.len())].as_bytes());
                let entry = plain[random(plain.len())].replace(SEPARATOR, " z ");
                let shift = random(3);
                for &byte in entry.trim_matches('~').as_bytes() {
                    let run = if byte.is_ascii_digit() { 1 + random(3) } else { 1 };
                    for _ in 0..run {
                        text.push(match byte {
                            b'0'..=b'9' if run > 1 || shift == 0 => b'0' + random(10) as u8,
                            byte if random(2) == 0 => byte.to_ascii_uppercase(),
                            byte => byte,
                        });
                    }
                }
                text.extend_from_slice(glue[random(glue.len())].as_bytes());
            }
            let seen = bytes::union(&text);
            let is_found = with_context(|cx| words::search(&text, seen, cx).iter().next().is_some());
            found += usize::from(is_found);
            assert!(!is_found || may_hold(&text, seen), "{}", text.escape_ascii());
        }
        assert!(found > 5_000, "{found}");
    }

    #[test]
    fn hexadecimal_texts_are_judged_alike() {
        for text in [
            "49b3f5c4-8a32-4e10-9d6c-0123456789ab",
            "ACED0005737200116A617661",
            "01234567-aced0005-89abcdef",
            "x0123456789abcdef0123456789abcdef",
            "0123456789abcdef0123456789abcdef-",
        ] {
            let text = text.as_bytes();
            assert_eq!(bytes::is_hexadecimal(bytes::union(text)), !text.contains(&b'x'));
            assert!(
                may_hold(text, bytes::union(text)) || !may_be_in(&WITNESSES, text),
                "{}",
                text.escape_ascii()
            );
        }
        for entry in CLASSES.iter().flat_map(|(_, entries)| entries.iter()) {
            let text = [&words::folded_part(entry), &b"-0123456789abcdef"[..]].concat();
            if bytes::is_hexadecimal(bytes::union(&text)) && !matches!(witness(entry), Witness::Sign) {
                assert!(may_hold(&text, bytes::union(&text)), "{entry}");
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
