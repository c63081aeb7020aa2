//! `KW` (clause 7.8): the words and phrases that attacks of a class are made of.
//!
//! [`may_match`] is a prefilter that rejects most texts; [`scan`] searches the others. Text and entries are folded alike, and
//! the parts of all entries are searched for in the folded text, once for each reading of it. Where a match came
//! from is worked out only when there is one, by folding again. All tables are made by `cargo x generate`.

mod fold;
#[cfg(not(target_family = "wasm"))]
mod gram;
mod guarded;
#[cfg(not(target_family = "wasm"))]
mod masks;
#[cfg(not(target_family = "wasm"))]
mod prefilter;
#[cfg(target_family = "wasm")]
#[path = "no_prefilter.rs"]
mod prefilter;
mod reading;
mod search;
mod table;
#[cfg(any(test, target_family = "wasm"))]
mod table_compact;
#[cfg(any(test, target_family = "wasm"))]
mod table_part;
#[cfg(any(test, target_family = "wasm"))]
mod table_trie;
mod tables;
mod trie;

#[cfg(test)]
pub(crate) mod entries;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::bytes;
use crate::context::Context;
use reading::{Others, Reading};
pub(crate) use tables::{CLASSES, DIGEST};

/// How many classes there are.
const COUNT: usize = CLASSES.len();

/// No name of a function, with its bracket and a sign, is longer.
const LONGEST_CALL: usize = 66;

/// No text of fewer bytes has an entry.
const SHORTEST: usize = 3;

/// The classes found in a text, and where, if evidence is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    ranges: [Option<Range<usize>>; COUNT],
}

impl Found {
    /// Each class by its name, in the order of names, with its first match in the text.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, Range<usize>)> {
        let named = CLASSES.iter().zip(&self.ranges);
        named.filter_map(|(&name, range)| Some((name, range.clone()?)))
    }

    /// Whether no class was found.
    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.ranges.iter().all(Option::is_none)
    }
}

/// The result of a walk over a text.
#[derive(Clone, Copy)]
struct Walked {
    /// Whether it was ended by a literal, so that an entry may be in the text.
    may_match: bool,
    /// The union of the marks that readings ask for, of the signs before that.
    marks: u8,
}

/// Finds the classes of entries in decoded text; `seen` is the union of the classes of its bytes.
pub(crate) fn scan(text: &[u8], seen: u32, cx: Context<'_>) -> Option<Found> {
    if text.len() < SHORTEST {
        return None;
    }
    let mut found: Option<Found> = None;
    let is_guarded = guarded::has_guarded(text, seen);
    let Walked { may_match, marks } = if is_guarded {
        Walked { may_match: may_match_unguarded(text, cx), marks: 0 }
    } else {
        prefilter::may_match(text, seen)
    };
    if may_match {
        search::search(text, Reading::Plain, cx, found.get_or_insert_default());
    }
    let others =
        if may_match || is_guarded { Others::of(text, seen) } else { Others::of_marks(text, seen, marks) };
    for (reading, is_other) in [(Reading::Comments, others.comments), (Reading::Shell, others.shell)] {
        if is_other && may_match_reading(text, reading, seen, is_guarded, cx) {
            search::search(text, reading, cx, found.get_or_insert_default());
        }
    }
    found
}

/// Whether [`scan`] may find anything in a text; `seen` is the union of the classes of its bytes. Texts with quotes,
/// comments or guarded bytes are not judged.
pub(crate) fn may_match(text: &[u8], seen: u32) -> bool {
    text.len() >= SHORTEST
        && (guarded::has_guarded(text, seen) || {
            let Walked { may_match, marks } = prefilter::may_match(text, seen);
            may_match || Others::of_marks(text, seen, marks) != Others::default()
        })
}

/// Whether an entry may be in a reading of a text that is not the plain one.
fn may_match_reading(text: &[u8], reading: Reading, seen: u32, is_guarded: bool, cx: Context<'_>) -> bool {
    cx.spare.with(|stripped| {
        reading::strip(text, reading, stripped);
        if is_guarded {
            may_match_unguarded(stripped, cx)
        } else {
            prefilter::may_match(stripped, seen).may_match
        }
    })
}

/// Whether an entry may be in a text with guarded bytes.
fn may_match_unguarded(text: &[u8], cx: Context<'_>) -> bool {
    cx.spare.with(|plain| {
        guarded::unguard(text, plain);
        prefilter::may_match(plain, bytes::union(plain)).may_match
    })
}

/// The classes with an entry that calls a function of this name, a bit each. The name is in lower case, a run of digits in
/// it is `0`.
pub(crate) fn classes_of_call(folded_name: &[u8]) -> u16 {
    let mut call = [0; LONGEST_CALL];
    let Some(place) = call.get_mut(..folded_name.len()) else { return 0 };
    place.copy_from_slice(folded_name);
    // A sign behind the bracket that reads like a mark counts as one: `function($`.
    [&b"("[..], b"($", b"(!"].into_iter().fold(0, |classes, end| {
        let len = folded_name.len().saturating_add(end.len());
        let Some(entry) = call.get_mut(..len) else { return classes };
        if let Some(place) = entry.get_mut(folded_name.len()..) {
            place.copy_from_slice(end);
        }
        classes | search::classes_of_entry(entry)
    })
}

/// Searches every reading of a text, without the prefilter.
#[cfg(test)]
fn search_all(text: &[u8], seen: u32, cx: Context<'_>) -> Found {
    let mut found = Found::default();
    search::search(text, Reading::Plain, cx, &mut found);
    let others = Others::of(text, seen);
    for (reading, is_other) in [(Reading::Comments, others.comments), (Reading::Shell, others.shell)] {
        if is_other {
            search::search(text, reading, cx, &mut found);
        }
    }
    found
}

/// Whether a byte is a letter, a digit or `_`.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
