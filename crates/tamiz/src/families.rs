//! Well-known tokens (clause 6.11.1): found by what they begin with, or by a sign inside them.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

mod anchors;
mod pattern;
mod signs;

use std::ops::Range;
use std::sync::LazyLock;

use crate::bytes::{self, ALNUM, NO_ALNUM};
use crate::decode::{self, GUARD};
use crate::lists::CREDENTIAL_PREFIXES;
use crate::steps;
use crate::swar::eight_at;

use anchors::ANCHORS;
pub(crate) use anchors::{
    SHORTEST_ANCHORED, head_around, is_anchor, is_head_sign, may_be_anchored, may_follow_anchor,
    may_follow_head_sign,
};
use pattern::{Family, Piece};
pub(crate) use signs::each_sign;

/// No token is shorter, its head included.
pub(crate) const SHORTEST_TOKEN: usize = 12;

/// All families, by how they are searched for.
struct Families {
    /// The families that begin with a text, by their first byte.
    by_first: Vec<Vec<(Head, Family)>>,
    /// The families that begin with a gap, in the order of [`ANCHORS`].
    gapped: Vec<Family>,
    /// What the heads with a `/` have right before it.
    hosts: Vec<&'static [u8]>,
}

/// The first four bytes of a head, or as many as it has, the first lowest.
#[derive(Clone, Copy)]
struct Head {
    bytes: u32,
    mask: u32,
}

impl Head {
    fn new(text: &[u8]) -> Self {
        let first = |byte: usize| text.get(byte).map_or(0, |byte| u32::from(*byte));
        let bytes = first(0) | first(1) << 8 | first(2) << 16 | first(3) << 24;
        Head { bytes, mask: u32::MAX >> (32 - 8 * text.len().clamp(1, 4)) }
    }
}

static FAMILIES: LazyLock<Families> = LazyLock::new(|| {
    let mut all = Families { by_first: vec![Vec::new(); 256], gapped: Vec::new(), hosts: Vec::new() };
    for (row, columns) in CREDENTIAL_PREFIXES.iter().enumerate() {
        let family = Family::new(row, *columns);
        let texts = family.head.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(*text),
            Piece::Gap(..) => None,
        });
        all.hosts.extend(texts.filter_map(|text| text.get(..bytes::position(b'/', text)?)));
        match family.head.first() {
            Some(Piece::Text(text)) => {
                if let Some(list) = text.first().and_then(|first| all.by_first.get_mut(usize::from(*first))) {
                    list.push((Head::new(text), family));
                }
            }
            _ => all.gapped.push(family),
        }
    }
    all
});

/// Returns whether a token may begin with a host that a path follows.
pub(crate) fn may_begin_with(host: &[u8]) -> bool {
    FAMILIES.hosts.iter().any(|end| host.last() == end.last() && host.ends_with(end))
}

/// So many tokens of a text are tried for one that holds a separator: each is a search of all that follows.
const MOST_ACROSS: usize = 16;

/// The first of the first sixteen well-known tokens of a text that holds `separator` among its characters.
pub(crate) fn find_across(text: &[u8], separator: u8) -> Option<Range<usize>> {
    let classes = bytes::union(text);
    let mut from = 0;
    for _ in 0..MOST_ACROSS {
        let found = find(text.get(from..)?, classes)?;
        let found = from + found.start..from + found.end;
        if bytes::position(separator, text.get(found.clone())?).is_some() {
            return Some(found);
        }
        from = found.end.max(from + 1);
    }
    None
}

/// Finds a well-known token that is not in the middle of a word; of several, the first. `classes` is the union of the
/// classes of the text's bytes.
pub(crate) fn find(text: &[u8], classes: u32) -> Option<Range<usize>> {
    if text.len() < SHORTEST_TOKEN {
        return None;
    }
    let mut search = Search { text, first: None, is_prefixed: false, is_gapped: [false; ANCHORS.len()] };
    search.try_word(0, eight_at(text, 0) as u32);
    if classes & NO_ALNUM != 0 {
        // What follows a guard up to here are its digits.
        let mut digits_end = 0;
        each_sign(text, |at, byte, behind| {
            if at >= digits_end && byte == GUARD {
                digits_end = at + 3;
                search.try_word(digits_end, eight_at(text, digits_end) as u32);
            } else if at >= digits_end {
                search.try_word(at + 1, behind);
            }
            if is_anchor(byte) {
                search.try_anchor(at, byte);
            }
        });
    }
    search.first.map(|(_, found)| found)
}

/// A search for the first token of a text.
struct Search<'t> {
    text: &'t [u8],
    /// The first token so far, with its row; at one place, the one of the first row.
    first: Option<(usize, Range<usize>)>,
    /// Whether a token that begins with a text was found: others follow it.
    is_prefixed: bool,
    /// The families that begin with a gap of which one was found: others follow it, and the search stays linear.
    is_gapped: [bool; ANCHORS.len()],
}

impl Search<'_> {
    /// Tries the tokens that begin with a text at the start of a word, of which `first` are the first bytes.
    #[inline]
    fn try_word(&mut self, at: usize, first: u32) {
        if !self.is_prefixed
            && may_begin_token(first)
            && let Some((row, found)) = token_at(self.text, at)
        {
            self.is_prefixed = true;
            self.keep(row, found);
        }
    }

    /// Tries the tokens that have a sign behind the gap they begin with.
    fn try_anchor(&mut self, at: usize, byte: u8) {
        let families = ANCHORS.iter().zip(&FAMILIES.gapped).zip(0..);
        for ((anchor, family), nth) in families {
            if anchor.is_at(self.text, at, byte)
                && self.is_gapped.get(nth) == Some(&false)
                && let Some(found) =
                    at.checked_sub(anchor.offset).and_then(|start| family.around(self.text, start))
            {
                if let Some(is_gapped) = self.is_gapped.get_mut(nth) {
                    *is_gapped = true;
                }
                self.keep(family.row, found);
            }
        }
    }

    fn keep(&mut self, row: usize, found: Range<usize>) {
        if self.first.as_ref().is_none_or(|(of, first)| (found.start, row) < (first.start, *of)) {
            self.first = Some((row, found));
        }
    }
}

/// The number of bits of [`TRIPLES`], as a power of two.
const TRIPLE_BITS: u32 = 14;

/// The first three characters of heads, hashed, a bit each.
static TRIPLES: [u64; 1 << (TRIPLE_BITS - 6)] = {
    let mut triples = [0; 1 << (TRIPLE_BITS - 6)];
    let mut row = 0;
    while row < CREDENTIAL_PREFIXES.len() {
        let head = CREDENTIAL_PREFIXES[row].0.as_bytes();
        let is_short = head.len() == 2 || head[2] == b'{';
        // Any character may follow a head of two.
        let (mut third, last) = if is_short { (0, 0x7F) } else { (head[2], head[2]) };
        while head[0] != b'{' && third <= last {
            let bit = hash_triple(u32::from_le_bytes([head[0], head[1], third, 0]));
            triples[bit >> 6] |= 1 << (bit & 63);
            third += 1;
        }
        row += 1;
    }
    triples
};

/// The hash of the lowest three bytes.
const fn hash_triple(first: u32) -> usize {
    ((first << 8).wrapping_mul(0x9E37_79B1) >> (u32::BITS - TRIPLE_BITS)) as usize
}

/// Returns whether a word may begin a head, by its first four bytes, the first lowest.
#[inline]
pub(crate) fn may_begin_token(first: u32) -> bool {
    let bit = hash_triple(first);
    TRIPLES.get(bit >> 6).is_some_and(|bits| bits >> (bit & 63) & 1 != 0)
}

/// Returns whether a token may begin at `at`, by the first four characters of its head.
#[inline(never)]
pub(crate) fn has_head(text: &[u8], at: usize) -> bool {
    let first = text.get(at..).and_then(|rest| rest.first_chunk::<4>());
    first.is_some_and(|first| {
        let bytes = u32::from_le_bytes(*first);
        let list = first.first().and_then(|first| FAMILIES.by_first.get(usize::from(*first)));
        list.is_some_and(|list| list.iter().any(|(head, _)| bytes & head.mask == head.bytes))
    })
}

/// Returns whether a token may begin in a text that goes on, by the first four characters of its head.
pub(crate) fn holds_head(text: &[u8]) -> bool {
    let mut found = may_begin_token(eight_at(text, 0) as u32) && has_head(text, 0);
    each_sign(text, |at, _, behind| found = found || may_begin_token(behind) && has_head(text, at + 1));
    found
}

/// Returns whether a token is at `at` that begins with the text of its head, if that is where a word begins.
pub(crate) fn is_token_at(text: &[u8], at: usize) -> bool {
    token_at(text, at).is_some()
}

/// The token that begins at `at` with the text of its head, with its row.
#[inline(never)]
fn token_at(text: &[u8], at: usize) -> Option<(usize, Range<usize>)> {
    steps::slow("token matched");
    let first = text.get(at..).and_then(|rest| rest.first_chunk())?;
    let bytes = u32::from_le_bytes(*first);
    let list = FAMILIES.by_first.get(usize::from(*first.first()?))?;
    let mut families = list.iter().filter(|(head, _)| bytes & head.mask == head.bytes);
    families.find_map(|(_, family)| Some((family.row, at..family.end(text, at)?)))
}

/// Returns whether no letter or digit is right before `at`.
pub(crate) fn starts_word(text: &[u8], at: usize) -> bool {
    match text.get(..at).unwrap_or_default() {
        // What begins with the digits of a guarded byte is no word.
        [.., GUARD] | [.., GUARD, _] => false,
        before => before.last().is_none_or(|&b| !bytes::is(b, ALNUM)) || decode::ends_guarded(before),
    }
}

#[cfg(test)]
mod tests;
