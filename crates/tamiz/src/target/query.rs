//! Queries (clauses 4.14 and 6.1 to 6.7): separators, pairs, keys.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and counts of its separators")]

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use super::more::Seen;
use super::pair::{Pair, Syntax};
use super::token::Token;
use crate::bytes::{self, Places};
use crate::context::Context;
use crate::decode::entities;
use crate::distinct::Distinct;
use crate::flags::{Flag, Flags};
use crate::inspect::MorePairs;
use crate::text::Text;

/// So many keys are compared with each other faster than they are sorted.
const FEW: usize = 12;

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
        let mut query = Query { pairs: BumpVec::new_in(cx.bump), flags: cx.flags(), more: None };
        // No separator and no entity has a `+` or a space in it.
        let raw = syntax.with_spaces(raw, cx);
        let (ends, room) = if bytes::position(b';', raw.bytes).is_none() {
            (Ends::Ampersands(bytes::places(b'&', raw.bytes)), pairs_in(raw.bytes))
        } else {
            let cuts = Cuts::of(raw, &mut query.flags);
            (Ends::Cuts(cuts), cuts.count() + 1)
        };
        query.read_tokens(Tokens { raw, start: 0, ends, cx }, room, syntax, cx);
        query
    }

    /// Reads the tokens: as many as are shown are kept, or all of them where each has evidence or may be hidden by what it
    /// echoes.
    fn read_tokens(&mut self, mut tokens: Tokens<'a>, room: usize, syntax: Syntax, cx: Context<'a>) {
        let limits = &cx.settings.config.limits;
        let most = match syntax {
            _ if cx.traced || cx.settings.literal() => usize::MAX,
            Syntax::Url => limits.pairs,
            Syntax::Form => limits.body_keys,
        };
        self.pairs.reserve_exact(room.min(most));
        while let Some(token) = tokens.next() {
            if self.pairs.len() == most {
                let keys = self.find_repeats_among_many(room, cx);
                let more = MorePairs::read(token, tokens, keys, syntax, cx);
                self.more = Some(Box::new_in(more, cx.bump));
                return;
            }
            self.pairs.push(Pair::read(&token, syntax, cx));
        }
        if self.pairs.len() <= FEW {
            self.find_repeats_among_few();
        } else {
            drop(self.find_repeats_among_many(self.pairs.len(), cx));
        }
    }

    /// How many pairs there are, kept or not.
    pub(crate) fn count(&self) -> usize {
        self.pairs.len() + self.more.as_ref().map_or(0, |more| more.count)
    }

    /// Raises `QREPEAT` on every pair whose key came before, by comparing each key with all before it.
    fn find_repeats_among_few(&mut self) {
        for i in 1..self.pairs.len() {
            if let Some((before, [pair, ..])) = self.pairs.split_at_mut_checked(i)
                && before.iter().any(|other| other.key.text.bytes == pair.key.text.bytes)
            {
                pair.flags.raise(Flag::QRepeat, pair.key.text);
            }
        }
    }

    /// Raises `QREPEAT` on every pair whose key came before; also returns the keys, in a table with room for `room` of
    /// them.
    fn find_repeats_among_many(&mut self, room: usize, cx: Context<'a>) -> Distinct<'a, Seen> {
        let mut keys = Distinct::with_room(room, cx.bump);
        for pair in &mut self.pairs {
            let known = keys.get_or_insert_kept(pair.key.text.bytes, Seen::new(pair.key));
            if known.is_some_and(|(_, came_before)| came_before) {
                pair.flags.raise(Flag::QRepeat, pair.key.text);
            }
        }
        keys
    }
}

/// Room for the pairs of a query: of a long one they are counted first.
fn pairs_in(raw: &[u8]) -> usize {
    const SHORT: usize = 256;
    if raw.len() < SHORT { raw.len() / 16 + 2 } else { memchr::memchr_iter(b'&', raw).count() + 1 }
}

/// The tokens of a query that are not empty.
struct Tokens<'a> {
    raw: Text<'a>,
    /// Where the next one begins; beyond the end where there is none.
    start: usize,
    ends: Ends<'a>,
    cx: Context<'a>,
}

/// The signs that end the tokens of a query.
enum Ends<'a> {
    /// Each `&`: there is no `;`, and so no entity.
    Ampersands(Places<'a>),
    Cuts(Cuts<'a>),
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let start = self.start;
            let end = match &mut self.ends {
                Ends::Ampersands(places) => places.next().map(|at| (at, at + 1)),
                Ends::Cuts(cuts) => cuts.next_separator().map(|cut| (cut.start, cut.end)),
            };
            let (end, next) = end.unwrap_or((self.raw.len(), self.raw.len() + 1));
            self.start = next;
            if end > start {
                return Token::cut(self.raw, start..end, self.cx);
            }
            if end == self.raw.len() {
                return None;
            }
        }
    }
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
    /// The next place where a token ends.
    fn next_separator(&mut self) -> Option<Cut> {
        let separates = self.separates;
        self.find(|cut| separates || !cut.semicolon)
    }

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
            let text: String = (0..keys).map(|_| format!("k{}=1&", random(keys))).collect();
            with_context(|cx| {
                let read = || Query::read(Text::request(text.as_bytes(), true), Syntax::Url, cx);
                let (query, mut few, mut many) = (read(), read(), read());
                let key_at = |i: usize| query.pairs[i].key.text.bytes;
                let is_repeat = |i: &usize| (0..*i).any(|before| key_at(before) == key_at(*i));
                let repeats: Vec<usize> = (0..query.pairs.len()).filter(is_repeat).collect();
                let raised = |query: &Query<'_>| -> Vec<usize> {
                    let raised = |i: &usize| query.pairs[*i].flags.set.contains(Flag::QRepeat);
                    (0..query.pairs.len()).filter(raised).collect()
                };
                assert_eq!(raised(&query), repeats);
                for query in [&mut few, &mut many] {
                    query.pairs.iter_mut().for_each(|pair| pair.flags = cx.flags());
                }
                few.find_repeats_among_few();
                many.find_repeats_among_many(0, cx);
                assert_eq!((raised(&few), raised(&many)), (repeats.clone(), repeats));
            });
        }
    }
}
