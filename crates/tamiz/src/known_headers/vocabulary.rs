//! Headers whose values are vocabulary (clause 8.27): what of them may be shown.

use super::HeaderTable;
use crate::bytes::{self, ALPHA, DANGER, DIGIT};
use crate::lists::VOCABULARY_HEADERS;

/// How the values of a header are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Words,
    Products,
    Directives,
    Names,
    Numbers,
    Version,
    Brands,
}

/// The values of a header that are shown in clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vocabulary {
    form: Form,
    /// The row of its words in [`VOCABULARY_HEADERS`].
    row: u8,
}

/// The words of all headers.
static WORDS: Words = Words::new();

/// How many words there are.
const COUNT: usize = {
    let (mut count, mut row) = (0, 0);
    while row < VOCABULARY_HEADERS.len() {
        let words = VOCABULARY_HEADERS[row].2.as_bytes();
        let mut at = 0;
        while at < words.len() {
            count += (words[at] == b'|') as usize;
            at += 1;
        }
        count += (at > 0) as usize;
        row += 1;
    }
    count
};

/// The slots for the hashes of words.
const SLOTS: usize = 1024;

/// Words with their rows, found by hash.
struct Words {
    /// The place of a word, from one on; zero where none is.
    slots: [u16; SLOTS],
    /// In lower case.
    words: [(u8, &'static [u8]); COUNT],
}

impl Words {
    #[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "runs at compile time")]
    const fn new() -> Self {
        let none: &[u8] = b"";
        let (mut slots, mut words) = ([0; SLOTS], [(0, none); COUNT]);
        let (mut count, mut row) = (0, 0);
        while row < VOCABULARY_HEADERS.len() {
            let mut rest = VOCABULARY_HEADERS[row].2.as_bytes();
            while !rest.is_empty() {
                let mut len = 0;
                while len < rest.len() && rest[len] != b'|' {
                    len += 1;
                }
                let (word, after) = rest.split_at(len);
                words[count] = (row as u8, word);
                count += 1;
                let mut slot = slot(row as u8, word.len(), [word[0], word[len / 2], word[len - 1]]);
                while slots[slot] != 0 {
                    slot = (slot + 1) % SLOTS;
                }
                slots[slot] = count as u16;
                rest = if after.is_empty() { after } else { after.split_at(1).1 };
            }
            row += 1;
        }
        Words { slots, words }
    }

    /// Returns whether a row has a word, in any case.
    fn has(&self, row: u8, item: &[u8]) -> bool {
        let (Some(first), Some(middle), Some(last)) = (item.first(), item.get(item.len() / 2), item.last())
        else {
            return false;
        };
        let mut slot = slot(row, item.len(), [*first, *middle, *last]);
        while let Some(nth) = self.slots.get(slot).and_then(|nth| usize::from(*nth).checked_sub(1)) {
            let is_it = |word: &[u8]| word == item || word.eq_ignore_ascii_case(item);
            if self.words.get(nth).is_some_and(|(of, word)| *of == row && is_it(word)) {
                return true;
            }
            slot = slot.wrapping_add(1) % SLOTS;
        }
        false
    }
}

/// The slot of a word by its row, its length and three of its bytes, in any case.
#[allow(clippy::arithmetic_side_effects, reason = "the divisor is no zero")]
const fn slot(row: u8, len: usize, [first, middle, last]: [u8; 3]) -> usize {
    let [a, b] = (len as u16).to_le_bytes();
    let key = u64::from_le_bytes([a, b, row, first | 0x20, middle | 0x20, last | 0x20, 0, 0]);
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % SLOTS
}

/// The longest version, and the longest name of a brand.
const LONGEST_VERSION: usize = 24;
const LONGEST_BRAND: usize = 32;

impl Vocabulary {
    /// Every header that has one.
    pub(crate) fn all() -> impl Iterator<Item = (&'static str, Self)> {
        VOCABULARY_HEADERS.iter().zip(0..).filter_map(|((name, form, _), row)| {
            let form = match *form {
                "words" => Form::Words,
                "products" => Form::Products,
                "directives" => Form::Directives,
                "names" => Form::Names,
                "numbers" => Form::Numbers,
                "version" => Form::Version,
                "brands" => Form::Brands,
                _ => return None,
            };
            Some((*name, Vocabulary { form, row }))
        })
    }

    /// Returns whether a value, collapsed and joined, says nothing else. `table` tells which headers are known.
    pub(crate) fn has(self, value: &[u8], table: &HeaderTable) -> bool {
        let items = || value.split(|byte| *byte == b',').map(trim);
        match self.form {
            Form::Words => self.is_word(value) || items().all(|item| self.is_word(item)),
            Form::Products => items().all(|item| self.is_product(item)),
            Form::Directives => {
                value.split(|byte| matches!(byte, b',' | b';')).map(trim).all(|item| self.is_directive(item))
            }
            Form::Names => items().all(|item| self.is_word(item) || table.get(item).is_known),
            Form::Numbers => items().all(is_number),
            Form::Version => cut_quoted(value).is_some_and(|(version, rest)| {
                rest.is_empty() && (version.is_empty() || is_version(version))
            }),
            Form::Brands => are_brands(value, is_brand, |_| true),
        }
    }

    /// Returns whether a value is what most values of its header are: one word of the list, one known name, or brands that are usual with
    /// one space or none between them. It raises no flag, holds no credential, and has nothing to collapse.
    #[inline]
    pub(crate) fn is_common(self, value: &[u8], table: &HeaderTable) -> bool {
        match self.form {
            Form::Words | Form::Directives => self.is_word(value),
            Form::Names => self.is_word(value) || table.get(value).is_known,
            Form::Brands => are_brands(value, is_usual_brand, has_one_space_or_none),
            Form::Products | Form::Numbers | Form::Version => false,
        }
    }

    /// Returns whether a value says nothing else, raises no flag and holds no credential: its words are fixed, and beside them are
    /// at most separators, short numbers and the brands that are usual. `classes` is the union of the classes of its bytes.
    pub(crate) fn is_quiet(self, value: &[u8], classes: u32, table: &HeaderTable) -> bool {
        match self.form {
            Form::Words | Form::Names | Form::Directives => classes & DANGER == 0 && self.has(value, table),
            Form::Brands | Form::Products | Form::Numbers | Form::Version => false,
        }
    }

    fn is_word(self, item: &[u8]) -> bool {
        WORDS.has(self.row, item)
    }

    fn is_product(self, item: &[u8]) -> bool {
        match cut(item, b'/') {
            Some((name, version)) => self.is_word(name) && is_version(version),
            None => self.is_word(item),
        }
    }

    fn is_directive(self, item: &[u8]) -> bool {
        let is_argument = |text: &[u8]| {
            matches!(text, b"?0" | b"?1") || (1..=10).contains(&text.len()) && bytes::all(text, DIGIT)
        };
        self.is_word(item)
            || cut(item, b'=').is_some_and(|(name, argument)| self.is_word(name) && is_argument(argument))
    }
}

#[inline]
fn trim(item: &[u8]) -> &[u8] {
    if !matches!((item.first(), item.last()), (Some(b' '), _) | (_, Some(b' '))) {
        return item;
    }
    let start = item.iter().position(|byte| *byte != b' ').unwrap_or(item.len());
    let end = item.iter().rposition(|byte| *byte != b' ').map_or(start, |last| last.saturating_add(1));
    item.get(start..end).unwrap_or_default()
}

/// Splits a text at the first `sign`.
fn cut(text: &[u8], sign: u8) -> Option<(&[u8], &[u8])> {
    let at = bytes::position(sign, text)?;
    Some((text.get(..at)?, text.get(at.saturating_add(1)..)?))
}

/// Splits the quoted string that a text begins with from the rest.
fn cut_quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    cut(text.strip_prefix(b"\"")?, b'"')
}

fn is_version(text: &[u8]) -> bool {
    (1..=LONGEST_VERSION).contains(&text.len())
        && text.iter().all(|byte| bytes::is(*byte, DIGIT) || *byte == b'.')
}

fn is_number(item: &[u8]) -> bool {
    let is_digits = |text: &[u8], most: usize| (1..=most).contains(&text.len()) && bytes::all(text, DIGIT);
    match cut(item, b'.') {
        Some((whole, fraction)) => is_digits(whole, 5) && is_digits(fraction, 3),
        None => is_digits(item, 5),
    }
}

/// Returns whether a value is brands with their versions: `"Chromium";v="133", "Not(A:Brand";v="99"`. `is_gap` is asked of what is behind
/// each but the last.
fn are_brands(mut rest: &[u8], is_brand: impl Fn(&[u8]) -> bool, is_gap: impl Fn(&[u8]) -> bool) -> bool {
    loop {
        let Some((brand, after)) = cut_quoted(rest) else { return false };
        let Some((version, after)) = after.strip_prefix(b";v=").and_then(cut_quoted) else { return false };
        if !is_brand(brand) || !is_version(version) {
            return false;
        }
        match trim(after) {
            [] => return after.is_empty(),
            [b',', more @ ..] if is_gap(after) => rest = trim(more),
            _ => return false,
        }
    }
}

/// Returns whether a text begins with a comma and one space or none.
fn has_one_space_or_none(text: &[u8]) -> bool {
    matches!(text, [b',', b' ', other, ..] | [b',', other, ..] if *other != b' ')
}

fn is_brand(brand: &[u8]) -> bool {
    let is_sign = |byte: u8| b" ()-./:;=?_".contains(&byte);
    (1..=LONGEST_BRAND).contains(&brand.len())
        && brand.iter().all(|byte| bytes::is(*byte, ALPHA) || is_sign(*byte))
}

/// Returns whether a brand is a well-known one, or the one that stands for none: `Not`, `A` and `Brand`, with a sign between them, and
/// perhaps one before.
fn is_usual_brand(brand: &[u8]) -> bool {
    let is_sign =
        |byte: u8| matches!(byte, b' ' | b'(' | b')' | b'-' | b'.' | b'/' | b':' | b'=' | b'?' | b'_');
    match brand {
        b"Chromium" | b"Google Chrome" | b"Microsoft Edge" | b"Opera" | b"Brave" | b"YaBrowser"
        | b"Vivaldi" => true,
        [b'N', b'o', b't', first, b'A', second, b'B', b'r', b'a', b'n', b'd'] => {
            is_sign(*first) && is_sign(*second)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::SensitiveNames;

    fn shows(name: &str, value: &str) -> bool {
        let table = HeaderTable::new(&[], &SensitiveNames::new(&[]));
        table.get(name.as_bytes()).vocabulary.is_some_and(|words| words.has(value.as_bytes(), &table))
    }

    #[test]
    fn values_of_the_grammar() {
        for (name, value) in [
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-mode", "No-CORS"),
            ("te", "gzip, Trailers"),
            ("cache-control", "max-age=0, no-cache"),
            ("cache-control", "No-Store"),
            ("priority", "u=4, i"),
            ("priority", "u=1, i=?0"),
            ("sec-websocket-extensions", "permessage-deflate; client_max_window_bits"),
            ("prefer", "return=minimal, wait=10"),
            ("connection", "Keep-Alive, Upgrade"),
            ("upgrade", "HTTP/2.0,websocket"),
            ("x-requested-with", "XMLHttpRequest"),
            ("x-requested-with", "ShockwaveFlash/20.0.0.228"),
            ("dpr", "1.25"),
            ("sec-websocket-version", "13, 8"),
            ("sec-ch-ua-full-version", "\"97.0.4692.71\""),
            ("sec-ch-ua-platform-version", "\"\""),
            ("sec-ch-ua-platform", "\"macOS\""),
            ("sec-ch-ua", "\" Not;A Brand\";v=\"99\", \"Google Chrome\";v=\"97\""),
            ("sec-ch-ua", "\"Chromium\";v=\"133\",\"Not(A:Brand\";v=\"99\""),
            ("cf-visitor", "{\"scheme\":\"https\"}"),
        ] {
            assert!(shows(name, value), "{name}: {value}");
        }
    }

    #[test]
    fn other_values() {
        for (name, value) in [
            ("sec-fetch-mode", "navigate-x"),
            ("sec-fetch-mode", "navigate joe"),
            ("sec-fetch-mode", ""),
            ("sec-fetch-mode", "cors,"),
            ("cache-control", "max-age=\"0\""),
            ("cache-control", "max-age=12345678901"),
            ("cache-control", "max-age="),
            ("cache-control", "joe=1"),
            ("priority", "u=?2"),
            ("connection", "joe"),
            ("upgrade", "http/joe"),
            ("x-requested-with", "XMLHttpRequest/"),
            ("x-requested-with", "com.example.joe"),
            ("dpr", "123456"),
            ("dpr", "1.2345"),
            ("dpr", "1."),
            ("sec-ch-ua-full-version", "97.0"),
            ("sec-ch-ua-full-version", "\"97.0\"x"),
            ("sec-ch-ua-model", "\"Pixel 7\""),
            ("sec-ch-ua", "\"Joe 1\";v=\"99\""),
            ("sec-ch-ua", "\"Joe\";v=\"joe\""),
            ("sec-ch-ua", "\"Joe\";v=\"1\","),
            ("sec-ch-ua", "\"Joe\";v=\"1\" "),
            ("sec-ch-ua", "\"Joe\""),
            ("x-unheard-of", "1"),
        ] {
            assert!(!shows(name, value), "{name}: {value}");
        }
    }

    #[test]
    fn all_words_are_found() {
        for (row, (_, _, words)) in (0..).zip(VOCABULARY_HEADERS) {
            for word in words.split('|').filter(|word| !word.is_empty()) {
                assert!(
                    WORDS.has(row, word.as_bytes()) && WORDS.has(row, word.to_ascii_uppercase().as_bytes())
                );
                assert!(!WORDS.has(u8::MAX, word.as_bytes()));
            }
        }
        assert!(!WORDS.has(0, b"") && !WORDS.has(0, b"x") && !WORDS.has(0, b"GEt|head"));
    }

    #[test]
    fn every_row_has_a_form_and_words_in_lower_case() {
        assert_eq!(Vocabulary::all().count(), VOCABULARY_HEADERS.len());
        for (name, form, words) in VOCABULARY_HEADERS {
            assert!(!words.bytes().any(|byte| byte.is_ascii_uppercase()), "{name}");
            let needs_words = matches!(*form, "words" | "products" | "directives");
            assert!(!needs_words || words.split('|').all(|word| !word.is_empty()), "{name}");
        }
    }
}
