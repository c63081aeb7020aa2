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
use crate::bytes::{self, ALNUM, ALPHA, CONTROL, DIGIT, HIGH, UNDERSCORE, WORD_SIGN};
use crate::words::CLASSES;

/// Words that ordinary requests are full of: no witness where an entry has another word.
const COMMON: &str = "\
    account admin all and api app application as at blog by car category chrome client code com content \
    data date email en example false file files filter for from game get home hotel html http https id \
    image images in index is item items json jsp key lang language like linux list login message mobile \
    mozilla music name net new news none not null number of on or order org page php post price product \
    products query redirect safari search session set shop sort static system table test text title to \
    token true type update user users value video view";

/// The same one by one, in order.
static COMMON_WORDS: LazyLock<Vec<&[u8]>> = LazyLock::new(|| {
    let mut words: Vec<&[u8]> = COMMON.split(' ').map(str::as_bytes).collect();
    words.sort_unstable();
    words
});

/// Before or after a word: anything.
const ANY: u8 = 0;
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
    /// Words, whatever stands beside them.
    words: Bits<WORD_BITS>,
    /// Words with what stands beside them; parts of words.
    placed: Bits<WORD_BITS>,
    /// The first and the last three characters of words of which only a part is told.
    beginnings: Bits<TRIPLE_BITS>,
    ends: Bits<TRIPLE_BITS>,
    /// The beginnings of grams, long or not; whole ones.
    gram_beginnings: Bits<GRAM_BITS>,
    grams: Bits<WORD_BITS>,
    /// By the two characters, not hashed.
    pairs: Bits<16>,
    /// Whether one of them ends with a letter, digit or `_`.
    has_pairs_with_words: bool,
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
            // Signs follow digits less often than digits follow signs.
            let score = 2 * marks + usize::from(a == b'0');
            if marks > 0 && a != b' ' && b != b' ' && best_pair.is_none_or(|(most, _)| most < score) {
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
            let before = start.checked_sub(1).and_then(|at| folded.get(at)).copied().unwrap_or(ANY);
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
                if word.len() < LAST {
                    continue;
                }
                (word.len(), Witness::End { part })
            } else if ends_openly {
                if word.len() < SHORT_PREFIX {
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
        beginnings: Bits::new(),
        ends: Bits::new(),
        gram_beginnings: Bits::new(),
        grams: Bits::new(),
        pairs: Bits::new(),
        has_pairs_with_words: false,
    };
    for entry in CLASSES.iter().flat_map(|(_, entries)| entries.iter()) {
        match witness(entry) {
            Witness::Sign => {}
            Witness::Word { before, word, next } => {
                let hash = hash_word(&word);
                all.words.set_twice(hash_placed(hash, ANY, ANY));
                all.placed.set_twice(hash_placed(hash, before, next));
            }
            Witness::Beginning { part } => {
                let len = if part.len() < LONG_PREFIX { SHORT_PREFIX } else { LONG_PREFIX };
                all.placed.set_twice(hash_part(part.get(..len).unwrap_or_default(), PREFIX));
                if let Some(first) = part.first_chunk() {
                    all.beginnings.set(place_of_three(*first));
                }
            }
            Witness::End { part } => {
                let last = part.last_chunk::<LAST>().map_or(&b""[..], |last| last);
                all.placed.set_twice(hash_part(last, SUFFIX));
                if let Some(last) = part.last_chunk() {
                    all.ends.set(place_of_three(*last));
                }
            }
            Witness::Inside { part } => all.add_inside(&part),
            Witness::Pair { pair } => {
                all.pairs.set(place_of(pair));
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
        let hash = hash_word(word);
        self.words.has_twice(hash_placed(hash, ANY, ANY)) && {
            let Beside { before, next } = beside();
            let places = [(ANY, ANY), (ANY, next), (before, ANY), (before, next)];
            places.iter().any(|(before, next)| self.placed.has_twice(hash_placed(hash, *before, *next)))
        }
    }

    /// Spaces between the two may count or not: they are taken not to.
    fn know_pair(&self, a: u8, b: u8) -> bool {
        let digit = |byte: u8| if byte.is_ascii_digit() { b'0' } else { byte.to_ascii_lowercase() };
        self.pairs.has(place_of([digit(a), digit(b)]))
    }

    /// Whether anything of a word, folded, is a witness.
    fn know_any_of(&self, word: &[u8], beside: impl FnOnce() -> Beside) -> bool {
        self.know(word, beside)
            || self.know_beginning_of(word)
            || self.know_end_of(word)
            || self.know_inside_of(word)
    }

    /// The same, of a word with digits: each run of them counts as one `0`.
    fn know_any_with_digits(&self, word: &[u8], beside: impl FnOnce() -> Beside) -> bool {
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
        is_hex || self.know_any_of(folded, beside)
    }

    /// Whether an entry tells only the first letters of a word like this.
    fn know_beginning_of(&self, word: &[u8]) -> bool {
        let knows =
            |len: usize| word.get(..len).is_some_and(|start| self.placed.has_twice(hash_part(start, PREFIX)));
        word.first_chunk().is_some_and(|first| self.beginnings.has(place_of_three(*first)))
            && (knows(SHORT_PREFIX) || knows(LONG_PREFIX))
    }

    /// Whether an entry tells only the last letters of a word like this.
    fn know_end_of(&self, word: &[u8]) -> bool {
        word.last_chunk().is_some_and(|last| self.ends.has(place_of_three(*last)))
            && word.last_chunk::<LAST>().is_some_and(|last| self.placed.has_twice(hash_part(last, SUFFIX)))
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

/// What stands before and after a word, folded.
struct Beside {
    before: u8,
    next: u8,
}

/// Whether a text may hold an entry. `seen` is the union of the classes of its bytes.
pub(super) fn may_hold(text: &[u8], seen: u32) -> bool {
    if seen & (WORD_SIGN | CONTROL) != 0 {
        return true;
    }
    let witnesses = &*WITNESSES;
    let mut at = 0;
    // The last character that is no space, and whether spaces follow it.
    let (mut before, mut is_spaced) = (ANY, false);
    while let Some(&byte) = text.get(at) {
        if !is_word(byte) {
            if is_space(byte) {
                at += 1;
                is_spaced = true;
                continue;
            }
            let (byte, len) = match text.get(at..) {
                Some(rest) if !byte.is_ascii() => beyond_ascii(rest),
                _ => (byte, 1),
            };
            // White space beyond ASCII, and what was kept from being decoded: not judged here.
            if len > 1 && byte != OTHER {
                return true;
            }
            at += len;
            if witnesses.know_pair(before, byte) {
                return true;
            }
            (before, is_spaced) = (byte, false);
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let Word { len, has_letters, has_digits, has_underscores } = first_word(rest);
        let word = rest.get(..len).unwrap_or_default();
        at += len;
        if witnesses.has_pairs_with_words && witnesses.know_pair(before, byte) {
            return true;
        }
        let folded_before = if is_spaced && before != ANY && !is_tight(before) { b' ' } else { before };
        (before, is_spaced) = (word.last().copied().unwrap_or_default(), false);
        if !has_letters && !has_underscores {
            continue;
        }
        if has_underscores && memchr::memchr_iter(b'_', word).any(|at| word.get(at + 1) == Some(&b'_')) {
            return true;
        }
        let beside =
            || Beside { before: folded_before, next: folded_next(text.get(at..).unwrap_or_default()) };
        let is_known = if has_digits {
            witnesses.know_any_with_digits(word, beside)
        } else {
            witnesses.know_any_of(word, beside)
        };
        if is_known {
            return true;
        }
    }
    false
}

/// Whether a word of letters and digits that stands alone may hold an entry. `seen` is the union of the classes of
/// its bytes.
pub(super) fn is_any(word: &[u8], seen: u32) -> bool {
    let alone = || Beside { before: ANY, next: ANY };
    if seen & DIGIT == 0 {
        WITNESSES.know_any_of(word, alone)
    } else {
        WITNESSES.know_any_with_digits(word, alone)
    }
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

/// The word that a text begins with, eight bytes at a time as far as they are ASCII.
fn first_word(text: &[u8]) -> Word {
    let mut word = Word { len: 0, has_letters: false, has_digits: false, has_underscores: false };
    while let Some(eight) = text.get(word.len..).and_then(|rest| rest.first_chunk()) {
        let eight = u64::from_le_bytes(*eight);
        if eight & eights::TOPS != 0 {
            break;
        }
        let (letters, digits) = (eights::letters(eight), eights::digits(eight));
        let underscores = eights::underscores(eight);
        let others = !(letters | digits | underscores) & eights::TOPS;
        // What stands before the first that is no part of the word.
        let own = (others & others.wrapping_neg()).wrapping_sub(1);
        word.has_letters |= letters & own != 0;
        word.has_digits |= digits & own != 0;
        word.has_underscores |= underscores & own != 0;
        word.len += others.trailing_zeros() as usize / 8;
        if others != 0 {
            return word;
        }
    }
    first_word_slow(text, word)
}

/// The same, byte by byte, from where `word` ends so far.
fn first_word_slow(text: &[u8], mut word: Word) -> Word {
    for &byte in text.iter().skip(word.len) {
        let class = bytes::class(byte);
        if class & (ALNUM | UNDERSCORE) == 0 {
            break;
        }
        word.has_letters |= class & ALPHA != 0;
        word.has_digits |= class & DIGIT != 0;
        word.has_underscores |= class & UNDERSCORE != 0;
        word.len += 1;
    }
    word
}

/// Eight bytes of ASCII at once. Each function sets the top bit of the bytes that are so.
mod eights {
    pub(super) const TOPS: u64 = 0x8080_8080_8080_8080;
    const ONES: u64 = 0x0101_0101_0101_0101;

    pub(super) fn digits(eight: u64) -> u64 {
        // Nothing but digits is below ten then.
        !((eight ^ (ONES * 0x30)) + ONES * 0x76) & TOPS
    }

    pub(super) fn letters(eight: u64) -> u64 {
        let lower = eight | (ONES * 0x20);
        (lower + ONES * 0x1F) & !(lower + ONES * 0x05) & TOPS
    }

    pub(super) fn underscores(eight: u64) -> u64 {
        // Nothing but `_` is zero then.
        !((eight ^ (ONES * 0x5F)) + ONES * 0x7F) & TOPS
    }

    /// The digits, each as `0`.
    pub(super) fn with_zeros(eight: u64, digits: u64) -> u64 {
        eight & !((digits >> 7) * 0x0F)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'+')
}

/// Whether spaces beside a character do not count. Of those that are so, plain texts have only these.
fn is_tight(byte: u8) -> bool {
    matches!(byte, b',' | b'=' | b'[' | b']')
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
    fn words_are_read_and_folded_alike() {
        let mut state = 7_u32;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        for byte in 0..=u8::MAX {
            let eight = u64::from_le_bytes([b'-', byte & 0x7F, b'-', b'0', b'9', b'a', b'Z', b'_']);
            let is = |tops: u64| tops >> 15 & 1 == 1;
            assert_eq!(is(eights::digits(eight)), (byte & 0x7F).is_ascii_digit());
            assert_eq!(is(eights::letters(eight)), (byte & 0x7F).is_ascii_alphabetic());
            assert_eq!(is(eights::underscores(eight)), byte & 0x7F == b'_');
        }
        let none = Word { len: 0, has_letters: false, has_digits: false, has_underscores: false };
        for _ in 0..20_000 {
            let len = random(40);
            let text: Vec<u8> =
                (0..len).map(|_| b"abzAZ_0123459._-/@`[{\xC3\xFF"[random(23) as usize]).collect();
            assert_eq!(first_word(&text), first_word_slow(&text, none), "{}", text.escape_ascii());
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
