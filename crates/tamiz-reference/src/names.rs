//! Names whose values are secrets (6.10).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::chars::{self, Char, Text};
use crate::lists;

/// Characters that must not stand right before or after an entry.
#[derive(Clone, Copy)]
enum Bounds {
    /// Anything may.
    Anywhere,
    /// No ASCII letter or digit.
    Word,
    /// No letter, mark or digit.
    Whole,
}

/// An entry of `sensitive-names.txt` in the readings that names are compared in.
struct Entry {
    bounds: Bounds,
    folded: String,
    skeleton: String,
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    lists::sensitive_names()
        .map(|line| {
            let (how, word) = line.split_once(' ').unwrap();
            let folded = fold(&chars::nfkc_string(word));
            let bounds = match how {
                "anywhere" => Bounds::Anywhere,
                "word" => Bounds::Word,
                "whole" => Bounds::Whole,
                _ => panic!("a mark of sensitive-names.txt"),
            };
            Entry { bounds, skeleton: skeleton(&folded), folded }
        })
        .collect()
});

/// A character that no entry has.
const NONE: char = '\u{FFFF}';

/// Each character by its lower-case mapping, and `ß` as `ss`.
fn fold(text: &str) -> String {
    let mut folded = String::new();
    for c in text.chars() {
        match c {
            '\u{130}' => folded.push('i'),
            c => folded.extend(c.to_lowercase()),
        }
    }
    folded.replace('ß', "ss")
}

/// The skeleton of UTS-39.
fn skeleton(text: &str) -> String {
    unicode_security::skeleton(text).collect()
}

thread_local! {
    /// Results by name, since the same names come again in every further text.
    static CACHE: RefCell<BTreeMap<Text, bool>> = const { RefCell::new(BTreeMap::new()) };
}

/// A name whose value is a secret.
pub(crate) fn is_sensitive(name: &[Char]) -> bool {
    if let Some(found) = CACHE.with_borrow(|cache| cache.get(name).copied()) {
        return found;
    }
    let found = is_sensitive_in_a_reading(name);
    CACHE.with_borrow_mut(|cache| {
        if cache.len() > 20_000 {
            cache.clear();
        }
        cache.insert(name.to_vec(), found);
    });
    found
}

fn is_sensitive_in_a_reading(name: &[Char]) -> bool {
    let decoded = chars::percent_decode_further(name);
    let (entities, _) = chars::decode_entities(&decoded);
    [name, &decoded, &entities].into_iter().any(reads_sensitive)
}

/// Returns whether a name is sensitive in one of the readings of 6.10.1 and 6.10.2.
fn reads_sensitive(name: &[Char]) -> bool {
    let mut normal = nfkc(name);
    normal.retain(|c| !chars::is_default_ignorable(c));
    let folded = fold(&normal);
    if ENTRIES.iter().any(|entry| holds(&folded, &entry.folded, entry.bounds)) {
        return true;
    }
    if name.iter().all(|c| c.is_ascii()) {
        return false;
    }
    let skeletons = [skeleton(&folded), skeleton(&fold(&skeleton(&normal)))];
    ENTRIES.iter().any(|entry| skeletons.iter().any(|name| holds(name, &entry.skeleton, entry.bounds)))
}

/// Returns whether a name holds an entry within its bounds.
fn holds(name: &str, entry: &str, bounds: Bounds) -> bool {
    let in_word = |c: Option<char>| {
        c.is_some_and(|c| match bounds {
            Bounds::Anywhere => false,
            Bounds::Word => c.is_ascii_alphanumeric(),
            Bounds::Whole => chars::is_letter(c) || chars::is_mark(c) || chars::is_digit(c),
        })
    };
    // Matches may overlap.
    name.char_indices().any(|(at, _)| {
        name[at..].strip_prefix(entry).is_some_and(|rest| {
            let before = name[..at].chars().next_back();
            !in_word(before) && !in_word(rest.chars().next())
        })
    })
}

/// NFKC of the plain runs of a name; what is no plain character is `NONE`.
fn nfkc(name: &[Char]) -> String {
    name.split_inclusive(|c| c.plain().is_none())
        .map(|run| {
            let (plain, end) = match run.last() {
                Some(c) if c.plain().is_none() => (&run[..run.len() - 1], NONE.to_string()),
                _ => (run, String::new()),
            };
            chars::nfkc_string(&chars::as_string(plain).unwrap()) + &end
        })
        .collect()
}
