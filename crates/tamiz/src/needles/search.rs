//! Finds the secrets of a request in it.
//!
//! A few secrets are found one after the other. More of them are found in one pass, which looks at places that are so near to
//! each other that every secret has four bytes at one of them. A table of the first fours of all secrets tells how far
//! before such a place a secret begins.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;

use bumpalo::collections::Vec as BumpVec;
use memchr::memmem;

use super::SHORTEST;
use super::spelling::is_blank;
use crate::context::{Context, HAS_FAST_PATHS};
use crate::steps;

/// So many times the bytes of the request are compared with needles before the search ends.
const MOST_COMPARED: usize = 64;
/// With more echoes in the request than this, each part is searched by itself.
const MOST_HITS: usize = 64;

/// So many needles are found one by one faster than by a table,
const FEW: usize = 6;
/// each by the first bytes of its piece.
const LONGEST_HEAD: usize = 8;

/// The distance of the places that are looked at, unless a piece is short.
const LONGEST_STEP: usize = 24;
/// How many bytes are looked up at once.
const GRAM: usize = 4;
/// The number of slots of a table, as a power of two: at least eight for each four bytes in it, unless these are many.
const FEWEST_SLOTS: u32 = 9;
const MOST_SLOTS: u32 = 17;
/// A slot that several offsets share.
const SHARED: u8 = u8::MAX;

/// The places of needles in a request.
pub(super) struct Hits<'a> {
    /// From and to, each once.
    pub(super) places: BumpVec<'a, (usize, usize)>,
    /// True if a needle with blanks may be in the request with other blanks.
    pub(super) may_differ_in_blanks: bool,
}

/// The part of a needle that is looked up: a run without blanks, which its plain form has too.
pub(super) struct Piece<'n> {
    pub(super) needle: &'n [u8],
    /// Where in the needle it is.
    range: Range<usize>,
    /// Whether it has blanks after all.
    pub(super) has_blank: bool,
}

impl<'n> Piece<'n> {
    /// The piece of a needle: its first long run without blanks, or the longest one; all of it, where it has no blanks or
    /// every run is too short.
    fn of((needle, has_blank): (&'n [u8], bool)) -> Self {
        let whole = 0..needle.len();
        if !has_blank {
            return Piece { needle, range: whole, has_blank };
        }
        let (mut next, mut longest) = (0, 0..0);
        for run in needle.split(|byte| is_blank(*byte)) {
            if run.len() > longest.len() {
                longest = next..next + run.len();
            }
            // A longer one would not be looked up in longer steps.
            if longest.len() >= LONGEST_STEP + GRAM {
                break;
            }
            next += run.len() + 1;
        }
        let has_blank = longest.len() < GRAM;
        Piece { needle, range: if has_blank { whole } else { longest }, has_blank }
    }

    /// The first eight bytes as a number; zero of a shorter one.
    fn first(&self) -> u64 {
        first_eight(self.text()).unwrap_or_default()
    }

    pub(super) fn text(&self) -> &'n [u8] {
        self.needle.get(self.range.clone()).unwrap_or_default()
    }

    /// Returns whether the needle is around its piece at `start` of a text, whatever the blanks are.
    fn is_around(&self, start: usize, text: &[u8]) -> bool {
        let (before, after) = self.needle.split_at_checked(self.range.start).unwrap_or_default();
        let (text_before, text_after) = text.split_at_checked(start).unwrap_or_default();
        !differs_in_others(after, text_after)
            && begins_alike(after.iter(), text_after.iter())
            && begins_alike(before.iter().rev(), text_before.iter().rev())
    }
}

/// Returns whether the first bytes in which a text differs from a needle are no blanks, so that it does not begin alike.
fn differs_in_others(needle: &[u8], text: &[u8]) -> bool {
    const AT_ONCE: usize = 16;
    let (needles, _) = needle.as_chunks::<AT_ONCE>();
    let (texts, _) = text.as_chunks::<AT_ONCE>();
    let alike = AT_ONCE * needles.iter().zip(texts).take_while(|(needle, text)| needle == text).count();
    let pairs = needle.iter().zip(text).skip(alike);
    let mut differing = pairs.filter(|(needle, text)| needle != text);
    differing.next().is_some_and(|(needle, text)| !is_blank(*needle) && !is_blank(*text))
}

/// Returns whether a text begins as a needle does, any blanks for any; those that the needle ends with need not be there.
fn begins_alike<'b>(needle: impl Iterator<Item = &'b u8>, text: impl Iterator<Item = &'b u8>) -> bool {
    let is_blank = |byte: &&u8| is_blank(**byte);
    let (mut needle, mut text) = (needle.peekable(), text.peekable());
    while let Some(byte) = needle.next() {
        if !is_blank(&byte) {
            if text.next() != Some(byte) {
                return false;
            }
            continue;
        }
        while needle.next_if(is_blank).is_some() {}
        if needle.peek().is_some() && text.next_if(is_blank).is_none() {
            return false;
        }
        while text.next_if(is_blank).is_some() {}
    }
    true
}

fn first_eight(text: &[u8]) -> Option<u64> {
    text.first_chunk().map(|eight| u64::from_be_bytes(*eight))
}

/// The offsets in pieces of four bytes, by their hash: one more than the offset, [`SHARED`], or zero for none.
struct Table<'a> {
    slots: &'a mut [u8],
    shift: u32,
    step: usize,
}

impl<'a> Table<'a> {
    fn of(pieces: &[Piece<'_>], cx: Context<'a>) -> Self {
        let shortest = pieces.iter().map(|piece| piece.range.len()).min().unwrap_or_default();
        let step = (shortest + 1).saturating_sub(GRAM).clamp(1, LONGEST_STEP);
        let bits = (pieces.len() * step * 8).max(1).ilog2() + 1;
        let bits = bits.clamp(FEWEST_SLOTS, MOST_SLOTS);
        let slots = cx.bump.alloc_slice_fill_copy(1 << bits, 0);
        let table = Table { slots, shift: u32::BITS - bits, step };
        for piece in pieces {
            let mut rest = piece.text();
            for offset in 1..=step as u8 {
                let Some(gram) = rest.first_chunk() else { break };
                if let Some(slot) = table.slots.get_mut(hash(*gram, table.shift)) {
                    *slot = if *slot == 0 || *slot == offset { offset } else { SHARED };
                }
                rest = rest.get(1..).unwrap_or_default();
            }
        }
        table
    }

    /// Looks up the offset of four bytes.
    #[inline(always)]
    fn get(&self, gram: [u8; GRAM]) -> u8 {
        self.slots.get(hash(gram, self.shift)).copied().unwrap_or_default()
    }
}

#[inline(always)]
fn hash(gram: [u8; GRAM], shift: u32) -> usize {
    (u32::from_le_bytes(gram).wrapping_mul(0x9E37_79B1) >> shift) as usize
}

/// The state of a search.
struct Search<'s, 'n, 'a> {
    request: &'s [u8],
    /// Those of eight bytes or more, by the first eight.
    long: &'s [Piece<'n>],
    short: &'s [Piece<'n>],
    own: &'s [(usize, usize)],
    hits: Hits<'a>,
    /// How many bytes may still be compared.
    left: usize,
    /// The length of the longest needle, and how far behind the beginning of its needle a piece may be.
    longest: usize,
    furthest: usize,
}

impl Search<'_, '_, '_> {
    /// Finds the needles one by one; `None` where they are too many.
    fn find_each(&mut self, pieces: &[Piece<'_>]) -> Option<()> {
        for piece in pieces {
            let text = piece.text();
            let find = head_finder(text.get(..LONGEST_HEAD).unwrap_or(text));
            let mut from = 0;
            while let Some(at) = self.request.get(from..).and_then(&find) {
                let start = from + at;
                // Inside the range of a secret, the next needle that counts ends behind it.
                let own = start.checked_sub(piece.range.start).and_then(|place| self.end_of_own(place));
                let last = own.and_then(|end| (end + piece.range.start).checked_sub(piece.needle.len()));
                if last.is_none_or(|last| start > last) {
                    self.compare(piece, start)?;
                }
                from = start.max(last.unwrap_or_default()) + 1;
            }
        }
        Some(())
    }

    /// Finds the needles in one pass with a table of their pieces; `None` where they are too many.
    fn find_all(&mut self, table: &Table<'_>) -> Option<()> {
        let mut rest = self.request;
        while let Some(gram) = rest.first_chunk() {
            let at = self.request.len() - rest.len();
            match table.get(*gram) {
                0 => {}
                SHARED if self.are_own(at.saturating_sub(table.step)..at) => {}
                SHARED => {
                    for offset in 0..table.step.min(at + 1) {
                        self.look_at(at - offset)?;
                    }
                }
                offset => {
                    if let Some(start) = (at + 1).checked_sub(usize::from(offset)) {
                        self.look_at(start)?;
                    }
                }
            }
            rest = rest.get(table.step..).unwrap_or_default();
        }
        Some(())
    }

    /// Takes note of the needles whose piece is at `start`; `None` where they are too many.
    fn look_at(&mut self, start: usize) -> Option<()> {
        let rest = self.request.get(start..).unwrap_or_default();
        let (long, short) = (self.long, self.short);
        let first = first_eight(rest).unwrap_or(u64::MAX);
        let like = long.get(long.partition_point(|piece| piece.first() < first)..).unwrap_or_default();
        let mut like = like.iter().take_while(|piece| piece.first() == first).chain(short);
        like.try_for_each(|piece| self.compare(piece, start))
    }

    /// Takes note of a needle if its piece is at `start`; `None` where they are too many.
    fn compare(&mut self, piece: &Piece<'_>, start: usize) -> Option<()> {
        steps::count(1);
        self.left = self.left.checked_sub(piece.needle.len())?;
        let is_there = self.request.get(start..).is_some_and(|rest| rest.starts_with(piece.text()));
        if is_there { self.take(piece, start) } else { Some(()) }
    }

    fn take(&mut self, piece: &Piece<'_>, start: usize) -> Option<()> {
        steps::slow("possible echo compared");
        let whole = start.checked_sub(piece.range.start).map(|from| (from, from + piece.needle.len()));
        if whole.is_some_and(|place| self.is_own(place)) {
            return Some(());
        }
        if let Some(place) = whole
            && self.request.get(place.0..place.1) == Some(piece.needle)
        {
            if self.hits.places.len() == MOST_HITS {
                return None;
            }
            self.hits.places.push(place);
        } else if piece.range.len() < piece.needle.len() && !self.hits.may_differ_in_blanks {
            let is_own = self.is_own((start, start + piece.range.len()));
            self.hits.may_differ_in_blanks = !is_own && piece.is_around(start, self.request);
        }
        Some(())
    }

    /// Returns whether all needles with a piece that begins in a range are inside a range of the secrets themselves.
    fn are_own(&self, starts: Range<usize>) -> bool {
        self.is_own((starts.start.saturating_sub(self.furthest), starts.end + self.longest))
    }

    fn is_own(&self, (from, to): (usize, usize)) -> bool {
        self.end_of_own(from).is_some_and(|end| to <= end)
    }

    /// The end of the last range of a secret that does not begin behind a place.
    fn end_of_own(&self, place: usize) -> Option<usize> {
        let after = self.own.partition_point(|(start, _)| *start <= place);
        after.checked_sub(1).and_then(|at| self.own.get(at)).map(|(_, end)| *end)
    }
}

/// A search for two or more bytes: for the first and the last of them at once, many places at a time. A general searcher takes
/// longer to make than to search a request.
#[cfg(target_arch = "x86_64")]
fn head_finder(head: &[u8]) -> impl Fn(&[u8]) -> Option<usize> + '_ {
    use memchr::arch::all::packedpair::Pair;
    use memchr::arch::x86_64::avx2::packedpair::Finder;

    let last = u8::try_from(head.len().saturating_sub(1)).unwrap_or_default();
    let finder = Pair::with_indices(head, 0, last).and_then(|pair| Finder::with_pair(head, pair));
    move |text| match &finder {
        Some(finder) if text.len() >= finder.min_haystack_len() => finder.find(text, head),
        _ => memmem::find(text, head),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn head_finder(head: &[u8]) -> impl Fn(&[u8]) -> Option<usize> + '_ {
    let finder = memmem::Finder::new(head);
    move |text| finder.find(text)
}

/// The pieces of needles, in their order. Each needle comes with whether it may have a blank.
pub(super) fn pieces<'a>(
    needles: impl ExactSizeIterator<Item = (&'a [u8], bool)>,
    cx: Context<'a>,
) -> BumpVec<'a, Piece<'a>> {
    let mut pieces = BumpVec::with_capacity_in(needles.len(), cx.bump);
    pieces.extend(needles.map(Piece::of));
    pieces
}

/// Finds needles, none of which is shorter than [`SHORTEST`], in a request by their pieces, which are sorted for that: all that
/// are not inside a range of `own`, which is sorted. `None` where they are too many or the search would take too long.
pub(super) fn find<'a>(
    request: &[u8],
    pieces: &mut [Piece<'_>],
    own: &[(usize, usize)],
    cx: Context<'a>,
) -> Option<Hits<'a>> {
    steps::slow("request searched for echoes");
    if request.len() < SHORTEST {
        return None;
    }
    let may_differ_in_blanks = pieces.iter().any(|piece| piece.has_blank);
    let hits = Hits { places: BumpVec::new_in(cx.bump), may_differ_in_blanks };
    let left = request.len() * MOST_COMPARED;
    let mut search = Search { request, long: &[], short: &[], own, hits, left, longest: 0, furthest: 0 };
    if HAS_FAST_PATHS && pieces.len() <= FEW {
        search.find_each(pieces)?;
        return Some(search.hits);
    }
    pieces.sort_unstable_by_key(|piece| (piece.range.len() < SHORTEST, piece.first()));
    let long = pieces.partition_point(|piece| piece.range.len() >= SHORTEST);
    (search.long, search.short) = pieces.split_at_checked(long).unwrap_or_default();
    search.longest = pieces.iter().map(|piece| piece.needle.len()).max().unwrap_or_default();
    search.furthest = pieces.iter().map(|piece| piece.range.start).max().unwrap_or_default();
    search.find_all(&Table::of(pieces, cx))?;
    Some(search.hits)
}
