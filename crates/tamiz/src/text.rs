//! Text that remembers where it came from.
//!
//! Every stage of the pipeline turns one [`Text`] into another. When evidence is asked for, a text
//! carries the way back to the bytes of the request; otherwise it is a plain slice and nothing is
//! recorded.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into a request or into what was written from it: sums are at most the length of one of them"
)]

use std::ops::Range;

use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;

use crate::bytes;

/// A run of output bytes and the bytes of the request they stand for.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Where the run starts in the text.
    out: usize,
    /// Where it starts in the request.
    origin: usize,
    /// How many bytes of the request the whole run stands for; `None` when it is a plain copy.
    width: Option<usize>,
}

/// The way back from a text to the request.
#[derive(Clone, Copy, Debug)]
enum Origin<'a> {
    /// Evidence was not asked for.
    Untraced,
    /// A plain slice of the request, from this offset.
    At(usize),
    /// Rewritten: `shift` is where this text starts in the text the runs describe.
    Runs { runs: &'a [Run], shift: usize },
}

/// Bytes, and the way back to the request. Every stage hands texts on by value, so they are kept small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) bytes: &'a [u8],
    /// How it was rewritten; `None` where it is a plain slice.
    runs: Option<&'a &'a [Run]>,
    /// Where it starts, in the request or in the text the runs describe, times four; below that the two flags.
    /// Of a text that is not traced the start means nothing.
    start_and_flags: usize,
}

/// The way back is kept.
const TRACED: usize = 1;
/// It was repaired, so that a guard in it is a guard.
const REPAIRED: usize = 2;
/// The increment of `start_and_flags` for a byte.
const STEP: usize = 4;

/// A text with the union of the classes of its bytes. What is asked of a text first is nearly always which classes it
/// has, so they are computed once and handed on with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Classified<'a> {
    pub(crate) text: Text<'a>,
    pub(crate) classes: u32,
}

impl<'a> Text<'a> {
    /// Computes the union of the classes of its bytes.
    pub(crate) fn classified(self) -> Classified<'a> {
        Classified { text: self, classes: bytes::union(self.bytes) }
    }

    /// Adds the union of the classes of its bytes, where a caller has it already.
    pub(crate) fn with_classes(self, classes: u32) -> Classified<'a> {
        Classified { text: self, classes }
    }

    /// The whole request.
    pub(crate) fn request(bytes: &'a [u8], traced: bool) -> Self {
        Text { bytes, runs: None, start_and_flags: if traced { TRACED } else { 0 } }
    }

    /// Bytes that are in no request: parts given one by one, or text of our own.
    pub(crate) fn untraced(bytes: &'a [u8]) -> Self {
        Text { bytes, runs: None, start_and_flags: 0 }
    }

    fn way_back(&self) -> Origin<'a> {
        let start = self.start_and_flags / STEP;
        match self.runs {
            _ if !self.is_traced() => Origin::Untraced,
            None => Origin::At(start),
            Some(runs) => Origin::Runs { runs, shift: start },
        }
    }

    pub(crate) fn is_repaired(&self) -> bool {
        self.start_and_flags & REPAIRED != 0
    }

    /// Marks the text as UTF-8 with guards.
    pub(crate) fn repaired(self) -> Self {
        Text { start_and_flags: self.start_and_flags | REPAIRED, ..self }
    }

    pub(crate) fn is_traced(&self) -> bool {
        self.start_and_flags & TRACED != 0
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// A part of this text; what lies outside it is left out.
    pub(crate) fn slice(&self, range: Range<usize>) -> Text<'a> {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        Text {
            bytes: self.bytes.get(start..end).unwrap_or_default(),
            start_and_flags: self.start_and_flags.wrapping_add(start.wrapping_mul(STEP)),
            ..*self
        }
    }

    /// The part from `start` on.
    pub(crate) fn from(&self, start: usize) -> Text<'a> {
        self.slice(start..self.len())
    }

    /// The part of this text that `part`, one of its own sub-slices, covers.
    pub(crate) fn part(&self, part: &[u8]) -> Text<'a> {
        let start = (part.as_ptr() as usize).saturating_sub(self.bytes.as_ptr() as usize);
        self.slice(start..start + part.len())
    }

    /// The part of this text that is `piece`, one of its own sub-slices. Unlike [`Text::part`] it relies on that.
    #[inline]
    pub(crate) fn piece(&self, piece: &'a [u8]) -> Text<'a> {
        let start = (piece.as_ptr() as usize).wrapping_sub(self.bytes.as_ptr() as usize);
        debug_assert!(start + piece.len() <= self.len());
        let start_and_flags = self.start_and_flags.wrapping_add(start.wrapping_mul(STEP));
        Text { bytes: piece, start_and_flags, ..*self }
    }

    /// Cuts around the first `byte`.
    pub(crate) fn cut(&self, byte: u8) -> Option<(Text<'a>, Text<'a>)> {
        let at = bytes::position(byte, self.bytes)?;
        Some((self.slice(0..at), self.from(at + 1)))
    }

    /// The pieces between any of the bytes that `is_separator` picks.
    pub(crate) fn split(self, is_separator: impl Fn(u8) -> bool) -> impl Iterator<Item = Text<'a>> {
        let mut rest = Some(self);
        std::iter::from_fn(move || {
            let text = rest?;
            match text.bytes.iter().position(|&b| is_separator(b)) {
                Some(at) => {
                    rest = Some(text.from(at + 1));
                    Some(text.slice(0..at))
                }
                None => rest.take(),
            }
        })
    }

    /// The pieces between one byte.
    pub(crate) fn split_at_each(self, byte: u8) -> impl Iterator<Item = Text<'a>> {
        let mut rest = Some(self);
        std::iter::from_fn(move || {
            let text = rest?;
            match text.cut(byte) {
                Some((piece, after)) => {
                    rest = Some(after);
                    Some(piece)
                }
                None => rest.take(),
            }
        })
    }

    /// Without the SP and HTAB around it.
    pub(crate) fn trim(&self) -> Text<'a> {
        self.part(crate::bytes::trim(self.bytes))
    }

    /// The bytes of the request that `range` of this text stands for.
    pub(crate) fn origin(&self, range: Range<usize>) -> Option<Range<usize>> {
        match self.way_back() {
            Origin::Untraced => None,
            Origin::At(at) => Some(at + range.start..at + range.end),
            Origin::Runs { runs, shift } => {
                let run_of = |offset: usize| {
                    let after = runs.partition_point(|run| run.out <= offset);
                    runs.get(after.checked_sub(1)?)
                };
                let (start, end) = (shift + range.start, shift + range.end);
                let first = run_of(start)?;
                let from = match first.width {
                    None => first.origin + (start - first.out),
                    Some(_) => first.origin,
                };
                if end <= start {
                    return Some(from..from);
                }
                let last = run_of(end - 1)?;
                let to = match last.width {
                    None => last.origin + (end - last.out),
                    Some(width) => last.origin + width,
                };
                Some(from.min(to)..to.max(from))
            }
        }
    }

    /// Replaces the bytes by another spelling of the same length.
    pub(crate) fn with_bytes(&self, bytes: &'a [u8]) -> Text<'a> {
        debug_assert_eq!(bytes.len(), self.len());
        Text { bytes, ..*self }
    }

    /// The bytes of the request that the whole text stands for.
    pub(crate) fn whole_origin(&self) -> Option<Range<usize>> {
        self.origin(0..self.len())
    }
}

/// Writes a [`Text`], keeping the way back when the text it is made from has one.
pub(crate) struct Builder<'a> {
    bytes: BumpVec<'a, u8>,
    runs: Option<BumpVec<'a, Run>>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(bump: &'a Bump, traced: bool, capacity: usize) -> Self {
        Builder {
            bytes: BumpVec::with_capacity_in(capacity, bump),
            runs: traced.then(|| BumpVec::new_in(bump)),
        }
    }

    /// Makes a builder for a text whose bytes have a known number of origins.
    pub(crate) fn traced(bump: &'a Bump, capacity: usize, origins: usize) -> Self {
        Builder {
            bytes: BumpVec::with_capacity_in(capacity, bump),
            runs: Some(BumpVec::with_capacity_in(origins, bump)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Appends a text as it is.
    pub(crate) fn copy(&mut self, text: Text<'_>) {
        if let Some(runs) = &mut self.runs
            && !text.is_empty()
        {
            let out = self.bytes.len();
            match text.way_back() {
                Origin::Untraced => {}
                Origin::At(at) => runs.push(Run { out, origin: at, width: None }),
                Origin::Runs { runs: from, shift } => {
                    let first = from.partition_point(|run| run.out <= shift).saturating_sub(1);
                    for run in from.get(first..).unwrap_or_default() {
                        if run.out >= shift + text.len() {
                            break;
                        }
                        let skipped = shift.saturating_sub(run.out);
                        runs.push(Run {
                            out: out + run.out.saturating_sub(shift),
                            origin: if run.width.is_none() { run.origin + skipped } else { run.origin },
                            width: run.width,
                        });
                    }
                }
            }
        }
        self.bytes.extend_from_slice_copy(text.bytes);
    }

    /// Appends bytes that stand for `source`.
    pub(crate) fn put(&mut self, bytes: &[u8], source: Text<'_>) {
        if let Some(runs) = &mut self.runs
            && let Some(origin) = source.whole_origin()
            && !bytes.is_empty()
        {
            runs.push(Run {
                out: self.bytes.len(),
                origin: origin.start,
                width: Some(origin.end - origin.start),
            });
        }
        match *bytes {
            [byte] => self.bytes.push(byte),
            _ => self.bytes.extend_from_slice_copy(bytes),
        }
    }

    pub(crate) fn trim_blanks_at_end(&mut self) {
        let kept = crate::bytes::trim_end(&self.bytes).len();
        self.bytes.truncate(kept);
        if let Some(runs) = &mut self.runs {
            let live = runs.partition_point(|run| run.out < kept);
            runs.truncate(live);
        }
    }

    pub(crate) fn finish(self) -> Text<'a> {
        let bump = self.bytes.bump();
        let bytes = self.bytes.into_bump_slice();
        match self.runs {
            Some(runs) => {
                Text { bytes, runs: Some(bump.alloc(runs.into_bump_slice())), start_and_flags: TRACED }
            }
            None => Text::untraced(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rewritten_text_leads_back_to_the_request() {
        let bump = Bump::new();
        let request = Text::request(b"ab%41cd", true);
        let mut builder = Builder::new(&bump, true, 8);
        builder.copy(request.slice(0..2));
        builder.put(b"A", request.slice(2..5));
        builder.copy(request.from(5));
        let once = builder.finish();
        assert_eq!(once.bytes, b"abAcd");
        assert_eq!(once.origin(2..3), Some(2..5));
        assert_eq!(once.origin(1..4), Some(1..6));
        assert_eq!(once.from(3).origin(0..1), Some(5..6));

        let mut builder = Builder::new(&bump, true, 8);
        builder.put(b"xx", once.slice(0..1));
        builder.copy(once.from(2));
        let twice = builder.finish();
        assert_eq!(twice.bytes, b"xxAcd");
        assert_eq!(twice.origin(0..2), Some(0..1));
        assert_eq!(twice.origin(2..3), Some(2..5));
        assert_eq!(twice.origin(3..5), Some(5..7));
    }

    #[test]
    fn untraced_text_records_nothing() {
        let bump = Bump::new();
        let request = Text::request(b"abc", false);
        let mut builder = Builder::new(&bump, false, 4);
        builder.copy(request);
        assert_eq!(builder.finish().origin(0..1), None);
    }
}
