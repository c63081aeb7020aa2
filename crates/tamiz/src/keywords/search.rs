//! Puts the parts that the trie finds together to entries (clause 7.8.4).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice or table, and counts of what is in it"
)]

use std::cell::OnceCell;
use std::ops::Range;

use bumpalo::collections::Vec as BumpVec;

use super::fold::{Kind, fold_into, fold_with_ranges, kind};
use super::reading::Reading;
use super::tables::{CLASSES, PARTS, SLOTS};
use super::trie::{self, Classes, Hit, PADDING};
use super::{COUNT, Found, is_word};
use crate::context::Context;
use crate::steps;

/// The bit of the first class of a part that is not the first of its entry: these are searched for once there is
/// a first one, as parts are found in the order in which they begin.
const LATER: Classes = 1 << COUNT;

/// How many folded characters may be between two parts of an entry.
pub(super) const GAP: usize = 100;

/// How many parts are kept before some are joined: a text of signs alone has several at each position.
const MOST_PARTS: usize = 1024;

/// The classes that are searched for in a reading, a bit each.
pub(super) fn classes_of(reading: Reading) -> Classes {
    const fn bits(names: &[&str]) -> Classes {
        let mut bits = 0;
        let mut class = 0;
        while class < CLASSES.len() {
            let mut index = 0;
            while index < names.len() {
                if is_same(CLASSES[class].as_bytes(), names[index].as_bytes()) {
                    bits |= 1 << class;
                }
                index += 1;
            }
            class += 1;
        }
        bits
    }
    const fn is_same(a: &[u8], b: &[u8]) -> bool {
        let mut at = 0;
        while at < a.len() && at < b.len() && a[at] == b[at] {
            at += 1;
        }
        at == a.len() && at == b.len()
    }
    const COMMENTS: Classes = bits(&["js", "php", "sql"]);
    const SHELL: Classes = bits(&["file", "shell"]);
    const _: () = assert!(COMMENTS.count_ones() == 3 && SHELL.count_ones() == 2);
    match reading {
        Reading::Plain => LATER - 1,
        Reading::Comments => COMMENTS,
        Reading::Shell => SHELL,
    }
}

/// Adds those of the wanted classes that are found in one reading of a text; `stripped` is the text without what the
/// reading drops.
pub(super) fn search<'a>(
    text: &[u8],
    reading: Reading,
    stripped: &[u8],
    wanted: Classes,
    cx: Context<'a>,
    found: &mut Found<'a>,
) {
    steps::slow("keywords searched");
    let wanted = wanted & classes_of(reading);
    if wanted == 0 {
        return;
    }
    let mut first = [None; COUNT];
    found.classes |= cx.spare.with(|folded| {
        fold_into(stripped, folded);
        Search::run(Source { text, reading, cx }, folded, wanted, &mut first)
    });
    // Only evidence has the ranges.
    if cx.traced && found.classes != 0 {
        let before = found.ranges;
        found.ranges = cx.bump.alloc_slice_fill_with(COUNT, |class| match first.get(class) {
            Some(Some(Match { end, begun, .. })) => locate(text, reading, *begun..*end),
            _ => before.get(class).cloned().unwrap_or_default(),
        });
    }
}

/// The bytes of the text that a range of its folded form is made of.
fn locate(text: &[u8], reading: Reading, range: Range<usize>) -> Range<usize> {
    let mut found = 0..text.len();
    let mut count = 0;
    fold_with_ranges(text, reading, |_, bytes| {
        if count == range.start {
            found.start = bytes.start;
        }
        count += 1;
        if count == range.end {
            found.end = bytes.end;
        }
    });
    found
}

/// The offsets in the folded text before which white space was dropped, in ascending order.
fn gaps<'a>(text: &[u8], reading: Reading, cx: Context<'a>) -> BumpVec<'a, usize> {
    let mut gaps = BumpVec::new_in(cx.bump);
    let (mut end, mut count) = (0, 0);
    fold_with_ranges(text, reading, |_, range| {
        if range.start > end && text.get(end).is_some_and(|&byte| may_begin_space(byte)) {
            gaps.push(count);
        }
        end = range.end;
        count += 1;
    });
    gaps
}

/// Returns whether white space may begin with this byte: what is between two folded characters and begins beyond ASCII was
/// dropped as white space.
fn may_begin_space(byte: u8) -> bool {
    matches!(kind(byte), Kind::Space | Kind::High)
}

/// What has to be before or after a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Any,
    /// No letter, digit or `_`.
    Boundary,
    /// What begins or ends a command of a shell.
    Command,
    /// The end of the text.
    End,
}

impl Edge {
    fn of(number: u8) -> Self {
        match number {
            1 => Edge::Boundary,
            2 => Edge::Command,
            3 => Edge::End,
            _ => Edge::Any,
        }
    }
}

/// Where a part is in its entry. Slots keep how much of an entry was found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Only,
    First { slot: usize },
    Middle { from: usize, slot: usize },
    Last { from: usize },
}

/// What is known of a part.
#[derive(Clone, Copy)]
struct Part {
    class: usize,
    before: Edge,
    after: Edge,
    /// The last character is close to the one before, and does not begin a plural in brackets.
    is_close: bool,
    step: Step,
}

impl Part {
    fn at(id: usize) -> Option<Self> {
        const CLOSE: u8 = 0x80;
        let [class, before, after, step, low, high] = *PARTS.get(id)?;
        let slot = usize::from(u16::from_le_bytes([low, high]));
        Some(Part {
            class: usize::from(class),
            before: Edge::of(before),
            after: Edge::of(after & !CLOSE),
            is_close: after & CLOSE != 0,
            step: match step {
                0 => Step::Only,
                1 => Step::First { slot },
                2 => Step::Middle { from: slot, slot: slot + 1 },
                _ => Step::Last { from: slot },
            },
        })
    }
}

/// The classes that have an entry which is this folded text and nothing else, a bit each.
pub(super) fn classes_of_entry(text: &[u8]) -> Classes {
    let mut classes = 0;
    trie::parts_equal(text, |id| {
        if let Some(part) = Part::at(id).filter(|part| part.step == Step::Only) {
            classes |= 1 << part.class;
        }
    });
    classes
}

/// The text of a search, and how it is read.
#[derive(Clone, Copy)]
struct Source<'s> {
    text: &'s [u8],
    reading: Reading,
    cx: Context<'s>,
}

/// A match. Of two, that one counts which ends first, then which begins first, then which is listed first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Match {
    end: usize,
    /// Where the part begins that ends it.
    start: usize,
    id: usize,
    /// Where the entry began.
    begun: usize,
}

/// The search of one reading. All offsets are of the folded text.
struct Search<'s> {
    source: Source<'s>,
    folded: &'s [u8],
    /// The classes that are searched for, a bit each; above these, those that a later part may belong to.
    wanted: Classes,
    /// The classes that were found, a bit each.
    found: Classes,
    /// The first match of each class.
    first: &'s mut [Option<Match>; COUNT],
    /// The parts of entries of several that were found and are not joined yet.
    parts: BumpVec<'s, Match>,
    /// When there are so many, those that no later one can come before are joined.
    most_parts: usize,
    /// Where the entry of a slot began, and where the part of it that was found last ended.
    progress: BumpVec<'s, Option<Range<usize>>>,
    /// Where white space was dropped; worked out when it is needed.
    gaps: OnceCell<BumpVec<'s, usize>>,
}

impl<'s> Search<'s> {
    /// Finds the first match of each class that is wanted; returns the classes that have one.
    fn run(
        source: Source<'s>,
        folded: &'s mut Vec<u8>,
        wanted: Classes,
        first: &'s mut [Option<Match>; COUNT],
    ) -> Classes {
        let len = folded.len();
        folded.extend_from_slice(&PADDING);
        let padded: &'s [u8] = folded;
        let mut search = Search {
            source,
            folded: padded.get(..len).unwrap_or_default(),
            wanted,
            found: 0,
            first,
            parts: BumpVec::new_in(source.cx.bump),
            most_parts: MOST_PARTS,
            progress: BumpVec::new_in(source.cx.bump),
            gaps: OnceCell::new(),
        };
        trie::find_all(padded, wanted, |hit| {
            search.take(hit);
            search.wanted
        });
        search.join_parts(usize::MAX);
        search.found
    }

    /// Takes a part that was found: at few of the places where one may begin.
    #[inline(never)]
    fn take(&mut self, Hit { id, start, end }: Hit) {
        steps::count(1);
        let Some(part) = Part::at(id) else { return };
        let found = Match { end, start, id, begun: start };
        let is_traced = self.source.cx.traced;
        let is_before = |first: &Option<Match>| first.is_some_and(|first| !is_traced || first < found);
        let is_late = self.first.get(part.class).is_some_and(is_before);
        if self.wanted >> part.class & 1 == 0 || is_late || !self.is_apart(part, start, end) {
            return;
        }
        match part.step {
            Step::Only => self.finish(part.class, found),
            _ => {
                self.wanted |= LATER << part.class;
                self.parts.push(found);
                if self.parts.len() >= self.most_parts {
                    self.join_parts(start);
                    self.most_parts = MOST_PARTS.max(2 * self.parts.len());
                }
            }
        }
    }

    fn finish(&mut self, class: usize, found: Match) {
        if let Some(first) = self.first.get_mut(class)
            && first.is_none_or(|first| found < first)
        {
            *first = Some(found);
            self.found |= 1 << class;
            // Only evidence has which of several is the first.
            if !self.source.cx.traced {
                self.wanted &= !((1 | LATER) << class);
            }
        }
    }

    /// Puts the parts of entries together, in the order in which they end: those that end by `reached`, where all that
    /// are still to come begin.
    fn join_parts(&mut self, reached: usize) {
        if self.parts.is_empty() {
            return;
        }
        if self.progress.is_empty() {
            self.progress.resize(SLOTS, None);
        }
        let mut parts = std::mem::replace(&mut self.parts, BumpVec::new_in(self.source.cx.bump));
        steps::count(parts.len());
        parts.sort_unstable();
        let ended = parts.partition_point(|found| found.end <= reached);
        for found in parts.drain(..ended) {
            self.join(found);
        }
        self.parts = parts;
    }

    /// Takes a part, which ends behind all that were taken before.
    fn join(&mut self, found: Match) {
        let Match { end, start, id, .. } = found;
        let Some(Part { class, step, .. }) = Part::at(id) else { return };
        // Where the entry began whose part so far ended not far before this one.
        let reached = |slot: usize| {
            let so_far = self.progress.get(slot)?.as_ref()?;
            let gap = start.checked_sub(so_far.end)?;
            (gap <= GAP).then_some(so_far.start)
        };
        let (begun, next) = match step {
            Step::Only => (None, None),
            Step::First { slot } => (Some(start), Some(slot)),
            Step::Middle { from, slot } => (reached(from), Some(slot)),
            Step::Last { from } => (reached(from), None),
        };
        match (begun, next.and_then(|slot| self.progress.get_mut(slot))) {
            (Some(begun), Some(place)) => *place = Some(begun..end),
            (Some(begun), None) => self.finish(class, Match { begun, ..found }),
            (None, _) => {}
        }
    }

    /// Returns whether what is around a part is what it asks for.
    fn is_apart(&self, part: Part, start: usize, end: usize) -> bool {
        let bytes = self.folded;
        let before = |back: usize| start.checked_sub(back).and_then(|at| bytes.get(at)).copied();
        let begins = match part.before {
            Edge::Any => true,
            Edge::Boundary => !before(1).is_some_and(is_word),
            Edge::Command => match before(1) {
                Some(b';' | b'|' | b'&') => true,
                Some(b'(') => before(2) == Some(b'$'),
                _ => false,
            },
            Edge::End => false,
        };
        let rest = bytes.get(end..).unwrap_or_default();
        let next = rest.first().copied();
        let ends = match part.after {
            Edge::Any => true,
            Edge::Boundary => !next.is_some_and(is_word),
            Edge::Command => {
                next.is_none_or(|byte| matches!(byte, b' ' | b';' | b'|' | b'&' | b')' | b'<' | b'>' | b'$'))
            }
            Edge::End => next.is_none(),
        };
        let Source { text, reading, cx } = self.source;
        let is_gap = || self.gaps.get_or_init(|| gaps(text, reading, cx)).binary_search(&(end - 1)).is_ok();
        let is_plural = || rest.starts_with(b"s)") || rest.starts_with(b"es)");
        begins && ends && !(part.is_close && (is_gap() || is_plural()))
    }
}
