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
use crate::swar::eight_at;
pub(crate) use prefilter::Prefilter;
use reading::Reading;
pub(crate) use reading::mark;
pub(crate) use tables::{CLASSES, DIGEST};
pub(crate) use trie::Classes;

/// How many classes there are.
const COUNT: usize = CLASSES.len();

/// No name of a function, with its bracket, is longer.
const LONGEST_CALL: usize = 65;

/// No text of fewer bytes has an entry.
const SHORTEST: usize = 3;

/// The readings besides the plain one.
const OTHER_READINGS: [Reading; 2] = [Reading::Comments, Reading::Shell];

/// The classes found in a text, and where, if evidence is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found<'a> {
    classes: Classes,
    /// By class: its first match. Empty where no evidence is kept, or nothing was found.
    ranges: &'a [Range<usize>],
    /// The length of the text.
    len: usize,
}

impl Found<'_> {
    fn none(len: usize) -> Self {
        Found { classes: 0, ranges: &[], len }
    }

    /// The classes, a bit each.
    pub(crate) fn classes(&self) -> Classes {
        self.classes
    }

    /// Each class by its name, in the order of names, with its first match in the text.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, Range<usize>)> {
        let found = CLASSES.iter().enumerate().filter(|(class, _)| self.classes >> class & 1 != 0);
        found.map(|(class, name)| (*name, self.ranges.get(class).cloned().unwrap_or(0..self.len)))
    }

    /// Returns whether no class was found.
    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.classes == 0
    }
}

/// The result of a walk over a text.
#[derive(Clone, Copy)]
pub(crate) struct Walked {
    /// Whether there was a literal, so that an entry may be in the text.
    may_match: bool,
    /// The union of the marks that readings ask for, of the signs; where there was a literal, of those before it.
    marks: u8,
}

impl Walked {
    pub(crate) fn new(may_match: bool, marks: u8) -> Self {
        Walked { may_match, marks }
    }

    /// Returns whether [`scan_walked`] finds nothing in the text; `byte_classes` is the union of the classes of its bytes.
    #[inline]
    pub(crate) fn cannot_match(self, text: &[u8], byte_classes: u32) -> bool {
        let may_drop = |reading: &Reading| reading.may_drop(text, byte_classes, Some(self.marks));
        !self.may_match && (self.marks == 0 || !OTHER_READINGS.iter().any(may_drop))
    }
}

/// The class of a name, as its bit.
pub(crate) fn class_of(name: &str) -> Classes {
    CLASSES.iter().position(|class| *class == name).map_or(0, |class| 1 << class)
}

/// Finds the classes of entries in decoded text, but for those that are known; `byte_classes` is the union of the classes of its
/// bytes.
pub(crate) fn scan<'a>(text: &[u8], byte_classes: u32, known: Classes, cx: Context<'a>) -> Found<'a> {
    if text.len() < SHORTEST {
        return Found::none(text.len());
    }
    let is_guarded = guarded::has_guarded(text, byte_classes);
    let walked = if is_guarded {
        Walked { may_match: may_match_unguarded(text, cx), marks: 0 }
    } else {
        prefilter::may_match(text, byte_classes)
    };
    scan_walked(text, byte_classes, walked, is_guarded, known, cx)
}

/// Finds the classes of entries in a text that was walked over; see [`scan`].
pub(crate) fn scan_walked<'a>(
    text: &[u8],
    byte_classes: u32,
    walked: Walked,
    is_guarded: bool,
    known: Classes,
    cx: Context<'a>,
) -> Found<'a> {
    let mut found = Found::none(text.len());
    let Walked { may_match, marks } = walked;
    if may_match {
        search::search(text, Reading::Plain, text, !known, cx, &mut found);
    }
    let marks = Some(marks).filter(|_| !may_match && !is_guarded);
    for reading in OTHER_READINGS {
        let wanted = search::classes_of(reading) & !known & !found.classes;
        if wanted != 0 && reading.may_drop(text, byte_classes, marks) {
            cx.spare.with(|stripped| {
                reading::strip(text, reading, stripped);
                // Whatever is dropped is longer than what is put for it.
                if stripped.len() == text.len() {
                    return;
                }
                let has_literal = || {
                    if is_guarded {
                        may_match_unguarded(stripped, cx)
                    } else {
                        prefilter::may_match(stripped, byte_classes).may_match
                    }
                };
                // A text that has a literal nearly always has one without what is dropped.
                if may_match || has_literal() {
                    search::search(text, reading, stripped, wanted, cx, &mut found);
                }
            });
        }
    }
    found
}

/// Returns whether [`scan`] may find anything in a text; `byte_classes` is the union of the classes of its bytes. Texts with quotes,
/// comments or guarded bytes are not judged.
#[inline]
pub(crate) fn may_match(text: &[u8], byte_classes: u32) -> bool {
    text.len() >= SHORTEST
        && byte_classes & (bytes::ALPHA | bytes::NO_ALNUM) != 0
        && (guarded::has_guarded(text, byte_classes)
            || !prefilter::may_match(text, byte_classes).cannot_match(text, byte_classes))
}

/// Does what [`may_match`] does, for a text of ASCII letters.
pub(crate) fn may_match_letters(text: &[u8]) -> bool {
    text.len() >= SHORTEST && Prefilter::new(text).is_letters(0, eight_at(text, 0), text.len())
}

/// Returns whether an entry may be in a text with guarded bytes.
fn may_match_unguarded(text: &[u8], cx: Context<'_>) -> bool {
    cx.spare.with(|plain| {
        guarded::unguard(text, plain);
        prefilter::may_match(plain, bytes::union(plain)).may_match
    })
}

/// The classes with an entry that calls a function of this name, a bit each. The name is in lower case, a run of digits in
/// it is `0`.
pub(crate) fn classes_of_call(folded_name: &[u8]) -> Classes {
    let mut call = [0; LONGEST_CALL];
    let Some(call) = call.get_mut(..folded_name.len().saturating_add(1)) else { return 0 };
    if let [name @ .., bracket] = call {
        name.copy_from_slice(folded_name);
        *bracket = b'(';
    }
    search::classes_of_entry(call)
}

/// Searches every reading of a text, without the prefilter.
#[cfg(test)]
fn search_all<'a>(text: &[u8], byte_classes: u32, cx: Context<'a>) -> Found<'a> {
    let mut found = Found::none(text.len());
    search::search(text, Reading::Plain, text, Classes::MAX, cx, &mut found);
    for reading in OTHER_READINGS {
        if reading.may_drop(text, byte_classes, None) {
            let mut stripped = Vec::new();
            reading::strip(text, reading, &mut stripped);
            search::search(text, reading, &stripped, !found.classes, cx, &mut found);
        }
    }
    found
}

/// Returns whether a byte is a letter, a digit or `_`.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
