//! Queries (clauses 4.14 and 6.1 to 6.7): separators, pairs, keys.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and counts of its separators")]

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, BACKSLASH, BLANK, COLON, ENCODED, HIGH, NO_ALNUM, SLASH};
use crate::context::Context;
use crate::decode::unicode::Stage;
use crate::decode::{Char, byte_len, entities, first_char, percent, unicode, utf8};
use crate::flags::{Flag, Flags};
use crate::formats::embedded::{self, Embedded};
use crate::hash::hash;
use crate::inspect::{Key, MorePairs, look_at_value, look_at_value_seen};
use crate::scan::{self, Kind};
use crate::show::NameShown;
use crate::show::marker::Plus;
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

/// A token of a query: `key=value`, or `key` alone.
pub(crate) struct Pair<'a> {
    pub(crate) key: Key<'a>,
    /// `None` when there was no `=`.
    pub(crate) value: Option<Text<'a>>,
    /// Whether the value is shown as a secret.
    pub(crate) secret: bool,
    /// The union of the classes of the bytes of its value, where that is known.
    pub(crate) seen: Option<u32>,
    /// What the `+` of its value stand for.
    pub(crate) plus: Plus,
    /// The leaves of its value, where that is JSON.
    pub(crate) json: Option<&'a Embedded<'a>>,
    pub(crate) flags: Flags<'a>,
}

/// What is written by the rules of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// The query of a URL.
    Url,
    /// A form in a body: `+` is a space, and encoding plain letters is not odd.
    Form,
}

impl Syntax {
    fn field(self) -> percent::Field {
        match self {
            Syntax::Url => percent::Field::Query,
            Syntax::Form => percent::Field::Other,
        }
    }

    /// What its values are looked at as.
    fn kind(self) -> Kind {
        match self {
            Syntax::Url => Kind::Value,
            Syntax::Form => Kind::Form,
        }
    }

    /// What the `+` of a value stand for; those of a form are spaces already. `raw_classes` is the union of the classes of
    /// the raw bytes.
    fn plus(self, raw: Text<'_>, raw_classes: u32, value: Text<'_>) -> Plus {
        match self {
            Syntax::Url if raw_classes & BLANK != 0 => Plus::of(raw.bytes, value.bytes),
            Syntax::Url | Syntax::Form => Plus::default(),
        }
    }

    /// A decoded value with the `+` that stood in the raw query as spaces, as JSON there is written.
    fn spaced<'a>(self, raw: Text<'a>, value: Text<'a>, plus: Plus, cx: Context<'a>) -> Text<'a> {
        if plus == Plus::Sign
            || !matches!(value.bytes.first(), Some(b'{' | b'[' | b'+' | b' ' | b'\t' | b'\r' | b'\n'))
        {
            return value;
        }
        decode_value(with_spaces(raw, cx), self.field(), cx, &mut cx.flags())
    }

    /// The text with its `+` as what they stand for.
    fn with_spaces<'a>(self, raw: Text<'a>, cx: Context<'a>) -> Text<'a> {
        if self == Syntax::Url || memchr::memchr(b'+', raw.bytes).is_none() {
            return raw;
        }
        with_spaces(raw, cx)
    }
}

/// A text with a space for each `+`.
fn with_spaces<'a>(raw: Text<'a>, cx: Context<'a>) -> Text<'a> {
    let spaced = cx.bump.alloc_slice_copy(raw.bytes);
    spaced.iter_mut().filter(|b| **b == b'+').for_each(|b| *b = b' ');
    raw.with_bytes(spaced)
}

impl<'a> Query<'a> {
    pub(crate) fn read(raw: Text<'a>, syntax: Syntax, cx: Context<'a>) -> Self {
        let flags = cx.flags();
        let mut query = Query { pairs: BumpVec::new_in(cx.bump), flags, more: None };
        if memchr::memchr(b';', raw.bytes).is_none() {
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
    let is_pair = |token: &Text<'_>| memchr::memchr(b'=', token.bytes).is_some_and(|at| at > 0);
    let mut tokens = between(raw, cuts).filter(|token| !token.is_empty());
    let mut count = 0;
    tokens.all(|token| {
        count += 1;
        is_pair(&token)
    }) && count >= 3
}

impl<'a> Pair<'a> {
    pub(super) fn read(token: Text<'a>, syntax: Syntax, cx: Context<'a>) -> Self {
        let mut flags = cx.flags();
        let spaced = syntax.with_spaces(token, cx);
        let (raw_key, raw_value) = match spaced.cut(b'=') {
            Some((key, value)) => (key, Some(value)),
            None => (spaced, None),
        };
        let (key, is_sensitive) = read_and_look_at_key(raw_key, syntax.field(), cx, &mut flags);
        let mut pair =
            Pair { key, value: None, secret: false, seen: None, plus: Plus::default(), json: None, flags };
        match raw_value {
            None => {
                pair.flags.raise(Flag::QBare, token);
                scan::bare_key(pair.key.text, cx, &mut pair.flags);
            }
            Some(raw) if raw.is_empty() => {
                pair.value = Some(raw.repaired());
                pair.flags.raise(Flag::QEmptyVal, token);
                pair.secret = look_at_value(raw, syntax.kind(), is_sensitive, cx, &mut pair.flags);
            }
            Some(raw) => pair.look(raw, is_sensitive, syntax, cx),
        }
        // Without one of these signs a value leads nowhere.
        let may_lead = pair.seen.is_none_or(|classes| classes & (SLASH | COLON | BACKSLASH | ENCODED) != 0);
        if let Some(value) = pair.value.filter(|_| may_lead && !pair.flags.set.contains(Flag::Marker)) {
            scan::redirect(
                scan::LastName::Flat(pair.key.text.bytes),
                value,
                pair.secret,
                cx,
                &mut pair.flags,
            );
        }
        let flags = &mut pair.flags;
        if flags.set.contains(Flag::DoublePct) && !flags.set.contains(Flag::MultiEnc) {
            flags.raise(Flag::MultiEnc, token);
        }
        pair
    }

    /// The flags of the leaves of a value that is JSON, each with what its key adds to the value's.
    pub(crate) fn leaf_flags(&self) -> impl Iterator<Item = (&'a [u8], &Flags<'a>)> {
        self.json.iter().flat_map(|json| json.leaf_flags())
    }

    /// The union of the classes of the bytes of its value, where that is known.
    pub(crate) fn seen(&self) -> Option<u32> {
        self.seen
    }

    /// Looks at a value, which is not empty.
    fn look(&mut self, raw: Text<'a>, is_sensitive: bool, syntax: Syntax, cx: Context<'a>) {
        let flags = &mut self.flags;
        let raw_seen = bytes::union(raw.bytes);
        let (value, seen) = if raw_seen & (ENCODED | HIGH) == 0 {
            (raw.repaired(), raw_seen)
        } else {
            let value = decode_value(raw, syntax.field(), cx, flags);
            let seen = bytes::union(value.bytes);
            raise_encoding(value, seen, flags);
            (value, seen)
        };
        self.value = Some(value);
        self.plus = syntax.plus(raw, raw_seen, value);
        let long_value = cx.settings.config.limits.long_value;
        if value.len() > long_value && byte_len(value.bytes) > long_value {
            flags.raise(Flag::QLong, value);
        }
        self.seen = Some(seen);
        if scan::cannot_flag(value.bytes, seen) {
            self.secret = is_sensitive;
            if is_sensitive {
                flags.hide(value);
            }
            return;
        }
        let spaced = syntax.spaced(raw, value, self.plus, cx);
        if let Some(json) = embedded::read_as(spaced, value, seen, cx) {
            let (secret, json) = json.settle(value, is_sensitive, cx, flags);
            self.secret = secret;
            self.json = Some(json);
            return;
        }
        self.secret = look_at_value_seen(value, seen, syntax.kind(), is_sensitive, cx, flags);
        if flags.set.contains(Flag::Nul) && memchr::memchr(0, value.bytes).is_some() {
            flags.raise(Flag::QNul, value);
        }
    }
}

/// Reads a key and tells what it alone tells; and whether its value is a secret.
fn read_and_look_at_key<'a>(
    raw: Text<'a>,
    field: percent::Field,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> (Key<'a>, bool) {
    let (key, seen) = read_key(raw, field, cx, flags);
    let text = key.text;
    if seen & bytes::SPACE != 0 || !scan::cannot_flag(text.bytes, seen) {
        scan::scan_seen(text, seen, Kind::Key, key.shown == NameShown::Secret, cx, flags);
    }
    if seen & NO_ALNUM != 0 {
        scan::names(text, flags);
        scan::method_key(text, flags);
    }
    if key.shown == NameShown::Secret {
        flags.hide(text);
    }
    if text.bytes.ends_with(b"[]") {
        flags.raise(Flag::QArray, text);
    }
    raise_encoding(text, seen, flags);
    let is_sensitive = cx.settings.names.matches(text.bytes, cx);
    (key, is_sensitive)
}

/// What is left of encodings after decoding: characters beyond ASCII, a second layer. `seen` is the union of the
/// classes of its bytes.
fn raise_encoding<'a>(text: Text<'a>, seen: u32, flags: &mut Flags<'a>) {
    if seen & HIGH != 0
        && let Some((at, c)) = first_beyond_ascii(text.bytes)
    {
        flags.raise_at(Flag::QNonAscii, text, at..at + c.len());
    }
    if seen & ENCODED == 0 {
        return;
    }
    for (residue, _) in percent::residues(text.bytes) {
        flags.raise_at(Flag::DoublePct, text, residue.clone());
        flags.raise_at(Flag::MultiEnc, text, residue);
        // Without evidence once is enough.
        if !text.is_traced() {
            break;
        }
    }
}

/// The first character that stands for none of ASCII, and where it is.
fn first_beyond_ascii(text: &[u8]) -> Option<(usize, Char)> {
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        at += rest.iter().position(|b| !b.is_ascii())?;
        let c = first_char(text.get(at..)?)?;
        if !c.is_ascii() {
            return Some((at, c));
        }
        at += c.len();
    }
}

/// Percent-decode, NFKC, entities: a key, and the union of the classes of its bytes.
fn read_key<'a>(
    raw: Text<'a>,
    field: percent::Field,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> (Key<'a>, u32) {
    let seen = bytes::union(raw.bytes);
    if seen & (ENCODED | HIGH) == 0 {
        return (Key::new_seen(raw.repaired(), seen, cx), seen);
    }
    let text = utf8::repair(raw, cx, flags);
    let text = percent::decode(text, field, cx, flags);
    let text = unicode::normalize(text, Stage::Name, cx, flags);
    let text = entities::decode_value(text, cx, flags);
    // What entities reveal is told, not rewritten.
    unicode::normalize(text, Stage::Name, cx, flags);
    let seen = bytes::union(text.bytes);
    (Key::new_seen(text, seen, cx), seen)
}

/// Percent-decode, entities: a value.
pub(crate) fn decode_value<'a>(
    raw: Text<'a>,
    field: percent::Field,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> Text<'a> {
    let text = utf8::repair(raw, cx, flags);
    let text = percent::decode(text, field, cx, flags);
    entities::decode_value(text, cx, flags)
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
