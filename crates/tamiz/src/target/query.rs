//! Queries (clauses 4.14 and 6.1 to 6.7): separators, pairs, keys.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and counts of its separators")]

use bumpalo::collections::Vec as BumpVec;

use crate::body::embedded::{self, Embedded};
use crate::bytes::{
    self, ALPHA, AT, BACKSLASH, BEYOND_HEX, BLANK, COLON, ENCODED, HIGH, NAME_MARK, NO_ALNUM, SLASH,
};
use crate::context::Context;
use crate::decode::unicode::Stage;
use crate::decode::{Char, byte_len, char_indices, chars, entities, first_char, percent, unicode, utf8};
use crate::flags::{Flag, Flags};
use crate::hash::hash;
use crate::scan::{self, Kind};
use crate::shape;
use crate::show::NameShown;
use crate::show::marker::{self, Plus};
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

/// A name that came from outside, and how it may be shown.
#[derive(Clone, Copy)]
pub(crate) struct Key<'a> {
    pub(crate) text: Text<'a>,
    pub(crate) shown: NameShown,
}

impl<'a> Key<'a> {
    /// Judges decoded text (clause 6.6).
    pub(crate) fn new(text: Text<'a>, cx: Context<'a>) -> Self {
        Key::new_seen(text, bytes::union(text.bytes), cx)
    }

    /// The same, where the union of the classes of its bytes is known.
    fn new_seen(text: Text<'a>, seen: u32, cx: Context<'a>) -> Self {
        let shown = if cx.settings.names.find_credential_seen(text.bytes, seen, cx).is_some() {
            NameShown::Secret
        } else if looks_like_a_name(text.bytes, seen) && !identifies(text.bytes, seen) {
            NameShown::Text
        } else {
            NameShown::Shape
        };
        Key { text, shown }
    }
}

/// 0–64 Unicode letters, digits and `_ . $ : @ [ ] -`.
fn looks_like_a_name(text: &[u8], seen: u32) -> bool {
    if seen & HIGH == 0 {
        return text.len() <= 64 && (seen & NO_ALNUM == 0 || bytes::all(text, bytes::ALNUM | NAME_MARK));
    }
    chars(text) <= 64
        && char_indices(text).all(|(_, c)| match c {
            Char::Plain(c) if c.is_ascii() => bytes::is(c as u8, bytes::ALNUM | NAME_MARK),
            Char::Plain(c) => unicode::is_letter_or_digit(c),
            Char::Guarded(_) => false,
        })
}

/// A key that is someone's or something's identity rather than a name.
fn identifies(text: &[u8], seen: u32) -> bool {
    (text.len() >= 5 && seen & (ALPHA | NO_ALNUM) == 0)
        || (text.len() >= 16 && seen & (BEYOND_HEX | NO_ALNUM) == 0)
        || (bytes::is_hexadecimal(seen) && shape::is_uuid(text))
        || (seen & AT != 0 && shape::is_email(text))
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
        let mut flags = cx.flags();
        let mut pairs;
        if memchr::memchr(b';', raw.bytes).is_none() {
            pairs = BumpVec::with_capacity_in(pairs_in(raw.bytes), cx.bump);
            for token in raw.split_at_each(b'&').filter(|token| !token.is_empty()) {
                pairs.push(Pair::read(token, syntax, cx));
            }
        } else {
            let tokens = cut_slow(raw, cx, &mut flags);
            pairs = BumpVec::with_capacity_in(tokens.len(), cx.bump);
            pairs.extend(tokens.iter().map(|token| Pair::read(*token, syntax, cx)));
        }
        let mut query = Query { pairs, flags };
        query.find_repeats(cx);
        query
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
struct Cut {
    start: usize,
    end: usize,
    semicolon: bool,
}

/// Cuts a raw query with a `;` into its non-empty tokens.
fn cut_slow<'a>(raw: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> BumpVec<'a, Text<'a>> {
    let most = memchr::memchr_iter(b'&', raw.bytes).count() + 1;
    let mut tokens = BumpVec::with_capacity_in(most, cx.bump);
    let cuts = find_cuts(raw, cx, flags);
    let semicolons = cuts.iter().filter(|cut| cut.semicolon).count();
    if semicolons > 0 {
        if separates(raw, &cuts, semicolons) {
            flags.raise(Flag::QSemiSep, raw);
            tokens.extend(between(raw, cuts.iter()).filter(|token| !token.is_empty()));
            return tokens;
        }
        for cut in cuts.iter().filter(|cut| cut.semicolon) {
            flags.raise_at(Flag::QRawSemi, raw, cut.start..cut.end);
        }
    }
    let ampersands = cuts.iter().filter(|cut| !cut.semicolon);
    tokens.extend(between(raw, ampersands).filter(|token| !token.is_empty()));
    tokens
}

/// Every `&` and `;` that no entity owns; an entity for `&` is the separator its own `&` was.
fn find_cuts<'a>(raw: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> BumpVec<'a, Cut> {
    let mut cuts = BumpVec::new_in(cx.bump);
    let mut at = 0;
    while let Some(step) = raw.bytes.get(at..).and_then(|rest| memchr::memchr2(b'&', b';', rest)) {
        at += step;
        let rest = raw.bytes.get(at..).unwrap_or_default();
        match entities::at_start(rest) {
            Some(entity) => {
                let end = at + entity.len;
                if entity.is_ampersand() {
                    flags.raise_at(Flag::HtmlEnt, raw, at..end);
                    cuts.push(Cut { start: at, end, semicolon: false });
                }
                at = end;
            }
            None => {
                cuts.push(Cut { start: at, end: at + 1, semicolon: rest.first() == Some(&b';') });
                at += 1;
            }
        }
    }
    cuts
}

fn between<'a: 'c, 'c>(
    raw: Text<'a>,
    cuts: impl Iterator<Item = &'c Cut> + 'c,
) -> impl Iterator<Item = Text<'a>> + 'c {
    let ends = cuts.map(|cut| (cut.start, cut.end)).chain(std::iter::once((raw.len(), raw.len())));
    let mut start = 0;
    ends.map(move |(end, next)| {
        let token = raw.slice(start..end);
        start = next;
        token
    })
}

/// Whether `;` separates (clause 6.2).
fn separates(raw: Text<'_>, cuts: &[Cut], semicolons: usize) -> bool {
    let is_pair = |token: &Text<'_>| memchr::memchr(b'=', token.bytes).is_some_and(|at| at > 0);
    let mut tokens = between(raw, cuts.iter()).filter(|token| !token.is_empty());
    let mut count = 0;
    cuts.len() - semicolons <= semicolons
        && tokens.all(|token| {
            count += 1;
            is_pair(&token)
        })
        && count >= 3
}

impl<'a> Pair<'a> {
    fn read(token: Text<'a>, syntax: Syntax, cx: Context<'a>) -> Self {
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

/// Scans a value and decides whether it is a secret, by the name it goes by or by itself.
pub(crate) fn look_at_value<'a>(
    value: Text<'a>,
    kind: Kind,
    sensitive: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> bool {
    look_at_value_seen(value, bytes::union(value.bytes), kind, sensitive, cx, flags)
}

/// The same, where the union of the classes of its bytes is known.
pub(crate) fn look_at_value_seen<'a>(
    value: Text<'a>,
    seen: u32,
    kind: Kind,
    sensitive: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> bool {
    let names = &cx.settings.names;
    if marker::is_left(value.bytes, sensitive, cx) {
        flags.raise(Flag::Marker, value);
        return false;
    }
    let secret = sensitive || names.find_credential_seen(value.bytes, seen, cx).is_some();
    if kind == Kind::Value && seen & bytes::DOT != 0 && shape::is_jwt(value.bytes) {
        flags.raise(Flag::Jwt, value);
    }
    if secret {
        flags.hide(value);
    }
    scan::scan_seen(value, seen, kind, secret, cx, flags);
    secret
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

    #[test]
    fn names_are_judged_by_their_classes() {
        let long = "a".repeat(65);
        for (text, shown) in [
            ("", NameShown::Text),
            ("user_name", NameShown::Text),
            ("1234", NameShown::Text),
            ("12345", NameShown::Shape),
            ("0123456789abcdef", NameShown::Shape),
            ("0123456789abcdeg", NameShown::Text),
            ("49b3f5c4-8a32-4e10-9d6c-0123456789ab", NameShown::Shape),
            ("49b3f5c4-8a32-4e10-9d6c-0123456789abc", NameShown::Text),
            ("a@b.es", NameShown::Shape),
            ("a@b", NameShown::Text),
            ("a b", NameShown::Shape),
            ("año", NameShown::Text),
            (&long, NameShown::Shape),
        ] {
            with_context(|cx| {
                let key = Key::new(Text::untraced(text.as_bytes()).repaired(), cx);
                assert_eq!(key.shown, shown, "{text}");
            });
        }
    }
}
