//! Queries (clauses 4.14 and 6.1 to 6.7): separators, pairs, keys.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and counts of its separators")]

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use super::pair::{Pair, Syntax};
use crate::bytes;
use crate::context::Context;
use crate::decode::entities;
use crate::flags::{Flag, Flags};
use crate::hash::hash;
use crate::inspect::MorePairs;
use crate::text::Text;

/// So many keys are compared with each other faster than they are sorted.
const FEW: usize = 12;

/// So many places of a table are tried for a key.
const MOST_TRIES: usize = 32;

/// A query, cut and decoded.
pub(crate) struct Query<'a> {
    pub(crate) pairs: BumpVec<'a, Pair<'a>>,
    /// The flags of the query as a whole.
    pub(crate) flags: Flags<'a>,
    /// The pairs beyond those that are shown, unless all are kept.
    pub(crate) more: Option<Box<'a, MorePairs<'a>>>,
}

impl<'a> Query<'a> {
    pub(crate) fn read(raw: Text<'a>, syntax: Syntax, cx: Context<'a>) -> Self {
        let flags = cx.flags();
        let mut query = Query { pairs: BumpVec::new_in(cx.bump), flags, more: None };
        if bytes::position(b';', raw.bytes).is_none() {
            query.read_tokens(raw.split_at_each(b'&'), pairs_in(raw.bytes), syntax, cx);
            return query;
        }
        let cuts = Cuts::of(raw, &mut query.flags);
        let count = cuts.count() + 1;
        if cuts.separates {
            query.read_tokens(between(raw, cuts), count, syntax, cx);
        } else {
            query.read_tokens(between(raw, cuts.filter(|cut| !cut.semicolon)), count, syntax, cx);
        }
        query
    }

    /// Reads the tokens that are not empty: as many as are shown are kept, or all of them where each has evidence or may be
    /// hidden by what it echoes.
    fn read_tokens(
        &mut self,
        tokens: impl Iterator<Item = Text<'a>>,
        room: usize,
        syntax: Syntax,
        cx: Context<'a>,
    ) {
        let limits = &cx.settings.config.limits;
        let most = match syntax {
            _ if cx.traced || cx.settings.literal() => usize::MAX,
            Syntax::Url => limits.pairs,
            Syntax::Form => limits.body_keys,
        };
        let mut tokens = tokens.filter(|token| !token.is_empty());
        self.pairs.reserve_exact(room.min(most));
        while self.pairs.len() < most
            && let Some(token) = tokens.next()
        {
            self.pairs.push(Pair::read(token, syntax, cx));
        }
        self.find_repeats(cx);
        if self.pairs.len() == most {
            let more = MorePairs::read(tokens, &self.pairs, syntax, cx);
            self.more = more.map(|more| Box::new_in(more, cx.bump));
        }
    }

    /// How many pairs there are, kept or not.
    pub(crate) fn count(&self) -> usize {
        self.pairs.len() + self.more.as_ref().map_or(0, |more| more.count)
    }

    /// `QREPEAT`, on every pair whose key came before.
    fn find_repeats(&mut self, cx: Context<'a>) {
        if self.pairs.len() <= FEW {
            self.find_repeats_among_few();
        } else {
            self.find_repeats_among_many(cx);
        }
    }

    /// By comparing each key with all before it.
    fn find_repeats_among_few(&mut self) {
        for i in 1..self.pairs.len() {
            if let Some((before, [pair, ..])) = self.pairs.split_at_mut_checked(i)
                && before.iter().any(|other| other.key.text.bytes == pair.key.text.bytes)
            {
                pair.flags.raise(Flag::QRepeat, pair.key.text);
            }
        }
    }

    /// By a table of those before it; by sorting, where many share their places in that.
    fn find_repeats_among_many(&mut self, cx: Context<'a>) {
        let mut hashes = BumpVec::with_capacity_in(self.pairs.len(), cx.bump);
        hashes.extend(self.pairs.iter().map(|pair| hash(pair.key.text.bytes)));
        let repeated =
            self.repeats_by_table(&hashes, cx).unwrap_or_else(|| self.repeats_by_order(&hashes, cx));
        for i in repeated {
            if let Some(pair) = self.pairs.get_mut(i) {
                pair.flags.raise(Flag::QRepeat, pair.key.text);
            }
        }
    }

    fn key_at(&self, i: usize) -> &[u8] {
        self.pairs.get(i).map_or(&b""[..], |pair| pair.key.text.bytes)
    }

    /// The pairs whose keys came before; `None` where that takes too long.
    fn repeats_by_table(&self, hashes: &[u64], cx: Context<'a>) -> Option<BumpVec<'a, usize>> {
        // So many that few share one, and some more so that no search leaves them.
        let places = hashes.len().checked_mul(4)?.checked_next_power_of_two()?;
        let shift = u64::BITS - places.ilog2();
        // One more than the pair that is there.
        let mut table = BumpVec::new_in(cx.bump);
        table.resize(places + MOST_TRIES, 0_u32);
        let mut repeated = BumpVec::new_in(cx.bump);
        for (i, hash) in hashes.iter().enumerate() {
            let first = (hash >> shift) as usize;
            let mut tried = (first..).take(MOST_TRIES).filter_map(|at| Some((at, *table.get(at)?)));
            let is_it =
                |other: usize| hashes.get(other) == Some(hash) && self.key_at(other) == self.key_at(i);
            let (at, there) =
                tried.find(|(_, there)| there.checked_sub(1).is_none_or(|other| is_it(other as usize)))?;
            if there > 0 {
                repeated.push(i);
            } else if let Some(place) = table.get_mut(at) {
                *place = u32::try_from(i + 1).ok()?;
            }
        }
        Some(repeated)
    }

    /// The same, however many share a hash.
    fn repeats_by_order(&self, hashes: &[u64], cx: Context<'a>) -> BumpVec<'a, usize> {
        let mut order = BumpVec::with_capacity_in(hashes.len(), cx.bump);
        order.extend(hashes.iter().copied().enumerate());
        order.sort_unstable_by(|(a, hash), (b, other)| {
            hash.cmp(other).then_with(|| self.key_at(*a).cmp(self.key_at(*b)).then(a.cmp(b)))
        });
        let mut repeated = BumpVec::new_in(cx.bump);
        for two in order.windows(2) {
            if let [(a, hash), (b, other)] = two
                && hash == other
                && self.key_at(*a) == self.key_at(*b)
            {
                repeated.push(*b);
            }
        }
        repeated
    }
}

/// Room for the pairs of a query: of a long one they are counted first.
fn pairs_in(raw: &[u8]) -> usize {
    const SHORT: usize = 256;
    if raw.len() < SHORT { raw.len() / 16 + 2 } else { memchr::memchr_iter(b'&', raw).count() + 1 }
}

/// A place where the raw query may be cut.
#[derive(Clone, Copy)]
struct Cut {
    start: usize,
    end: usize,
    semicolon: bool,
}

/// Every `&` and `;` of a raw query that no entity owns; an entity for `&` is the separator its own `&` was. They are
/// found again whenever they are asked for: there may be as many as the query has bytes.
#[derive(Clone, Copy)]
struct Cuts<'a> {
    raw: Text<'a>,
    at: usize,
    /// Whether `;` separates (clause 6.2).
    separates: bool,
}

impl Iterator for Cuts<'_> {
    type Item = Cut;

    fn next(&mut self) -> Option<Cut> {
        loop {
            let rest = self.raw.bytes.get(self.at..)?;
            let start = self.at + memchr::memchr2(b'&', b';', rest)?;
            let rest = self.raw.bytes.get(start..).unwrap_or_default();
            let Some(entity) = entities::at_start(rest) else {
                self.at = start + 1;
                return Some(Cut { start, end: self.at, semicolon: rest.first() == Some(&b';') });
            };
            self.at = start + entity.len;
            if entity.is_ampersand() {
                return Some(Cut { start, end: self.at, semicolon: false });
            }
        }
    }
}

impl<'a> Cuts<'a> {
    /// The places where a query is cut, which has a `;`, from its first on.
    fn of(raw: Text<'a>, flags: &mut Flags<'a>) -> Self {
        let mut cuts = Cuts { raw, at: 0, separates: false };
        let (mut semicolons, mut others) = (0, 0);
        for cut in cuts {
            if cut.semicolon {
                semicolons += 1;
            } else {
                others += 1;
                if cut.end - cut.start > 1 {
                    flags.raise_at(Flag::HtmlEnt, raw, cut.start..cut.end);
                }
            }
        }
        cuts.separates = semicolons > 0 && others <= semicolons && are_pairs(raw, cuts);
        if cuts.separates {
            flags.raise(Flag::QSemiSep, raw);
        } else {
            for cut in cuts.filter(|cut| cut.semicolon) {
                flags.raise_at(Flag::QRawSemi, raw, cut.start..cut.end);
            }
        }
        cuts
    }
}

/// The pieces of a query between its cuts.
fn between<'a>(raw: Text<'a>, cuts: impl Iterator<Item = Cut>) -> impl Iterator<Item = Text<'a>> {
    let ends = cuts.map(|cut| (cut.start, cut.end)).chain(std::iter::once((raw.len(), raw.len())));
    let mut start = 0;
    ends.map(move |(end, next)| {
        let token = raw.slice(start..end);
        start = next;
        token
    })
}

/// Whether the tokens between cuts are three or more pairs with a key.
fn are_pairs(raw: Text<'_>, cuts: Cuts<'_>) -> bool {
    let is_pair = |token: &Text<'_>| bytes::position(b'=', token.bytes).is_some_and(|at| at > 0);
    let mut tokens = between(raw, cuts).filter(|token| !token.is_empty());
    let mut count = 0;
    tokens.all(|token| {
        count += 1;
        is_pair(&token)
    }) && count >= 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    #[test]
    fn repeats_are_found_alike() {
        let mut random = crate::context::tests::random();
        for keys in [2, 12, 13, 60, 400] {
            let query: String = (0..keys).map(|_| format!("k{}=1&", random(keys))).collect();
            with_context(|cx| {
                let query = Query::read(Text::request(query.as_bytes(), true), Syntax::Url, cx);
                let is_repeat = |i: &usize| (0..*i).any(|before| query.key_at(before) == query.key_at(*i));
                let repeats: Vec<usize> = (0..query.pairs.len()).filter(is_repeat).collect();
                let hashes: Vec<u64> = query.pairs.iter().map(|pair| hash(pair.key.text.bytes)).collect();
                let mut by_order = query.repeats_by_order(&hashes, cx).to_vec();
                by_order.sort_unstable();
                assert_eq!(by_order, repeats);
                assert_eq!(query.repeats_by_table(&hashes, cx).unwrap().to_vec(), repeats);
                let raised = |pair: &Pair<'_>| pair.flags.set.contains(Flag::QRepeat);
                assert_eq!(query.pairs.iter().filter(|pair| raised(pair)).count(), repeats.len());
                // Where all are in one place, the table gives up.
                let same = vec![1; hashes.len()];
                assert!(keys < 400 || query.repeats_by_table(&same, cx).is_none());
                let mut by_order = query.repeats_by_order(&same, cx).to_vec();
                by_order.sort_unstable();
                assert_eq!(by_order, repeats);
            });
        }
    }
}
