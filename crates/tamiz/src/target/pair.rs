//! Pairs of queries and forms (clauses 6.1 to 6.7): one token, decoded and scanned.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice")]

use super::token::Token;
use crate::bytes::{self, BACKSLASH, BLANK, COLON, ENCODED, HIGH, NO_ALNUM, SLASH};
use crate::context::Context;
use crate::decode::unicode::Stage;
use crate::decode::{Char, byte_len, entities, first_char, percent, unicode, utf8};
use crate::flags::{Flag, Flags};
use crate::formats::embedded::{self, Embedded};
use crate::inspect::{JudgedKey, Key, scan_value};
use crate::scan::{self, Kind};
use crate::show::NameShown;
use crate::show::marker::Plus;
use crate::steps;
use crate::text::{Classified, Text};

/// A token of a query: `key=value`, or `key` alone.
pub(crate) struct Pair<'a> {
    pub(crate) key: Key<'a>,
    /// `None` when there was no `=`.
    pub(crate) value: Option<Text<'a>>,
    /// Whether the value is shown as a secret.
    pub(crate) secret: bool,
    /// The union of the classes of the bytes of its value, where that is known.
    pub(crate) classes: Option<u32>,
    /// True if its value provably raises no flag and holds no credential.
    pub(crate) is_quiet: bool,
    /// What the `+` of its value stand for.
    pub(crate) plus: Plus,
    /// The leaves of its value, where that is JSON.
    pub(crate) json: Option<&'a Embedded<'a>>,
    pub(crate) flags: Flags<'a>,
}

/// The kinds of text that are written by the rules of a query.
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

    /// The kind that its values are scanned as.
    fn kind(self) -> Kind {
        match self {
            Syntax::Url => Kind::Value,
            Syntax::Form => Kind::Form,
        }
    }

    /// Returns what the `+` of a value stand for; those of a form are spaces already. `raw_classes` is the union of the classes of
    /// the raw bytes.
    #[inline]
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
        let raw = with_spaces(raw, cx);
        decode_value(raw, bytes::union(raw.bytes), self.field(), cx, &mut cx.flags()).text
    }

    /// The text with its `+` as what they stand for.
    pub(super) fn with_spaces<'a>(self, raw: Text<'a>, cx: Context<'a>) -> Text<'a> {
        steps::slow("plus signs replaced");
        if self == Syntax::Url || memchr::memchr(b'+', raw.bytes).is_none() {
            return raw;
        }
        with_spaces(raw, cx)
    }
}

/// A text with a space for each `+`.
fn with_spaces<'a>(raw: Text<'a>, cx: Context<'a>) -> Text<'a> {
    let spaced = cx.bump.alloc_slice_copy(raw.bytes);
    spaced.iter_mut().for_each(|b| *b = if *b == b'+' { b' ' } else { *b });
    raw.with_bytes(spaced)
}

impl<'a> Pair<'a> {
    #[inline]
    pub(super) fn read(token: &Token<'a>, syntax: Syntax, cx: Context<'a>) -> Self {
        if token.is_quiet(cx) { Pair::quiet(token, syntax, cx) } else { Pair::loud(token, syntax, cx) }
    }

    /// Reads a quiet token.
    #[inline]
    fn quiet(token: &Token<'a>, syntax: Syntax, cx: Context<'a>) -> Self {
        let mut flags = cx.flags();
        let (key, secret) = read_quiet_key(token, cx, &mut flags);
        let value = token.value().map(Text::repaired);
        if let Some(value) = value.filter(|_| secret) {
            flags.hide(value);
        }
        let plus = value.map_or(Plus::default(), |value| syntax.plus(value, token.value_classes, value));
        let classes = Some(token.value_classes);
        Pair { key, value, secret, classes, is_quiet: true, plus, json: None, flags }
    }

    #[inline(never)]
    pub(super) fn loud(token: &Token<'a>, syntax: Syntax, cx: Context<'a>) -> Self {
        steps::slow("pair decoded and scanned");
        let mut flags = cx.flags();
        let raw_value = token.value();
        let (key, is_sensitive) = if token.has_quiet_key() && raw_value.is_some() {
            read_quiet_key(token, cx, &mut flags)
        } else {
            let raw_key = token.key().with_classes(token.key_classes);
            read_and_scan_key(raw_key, raw_value.is_none(), syntax.field(), cx, &mut flags)
        };
        let token_text = token.text;
        let mut pair = Pair {
            key,
            value: None,
            secret: false,
            classes: None,
            is_quiet: false,
            plus: Plus::default(),
            json: None,
            flags,
        };
        match raw_value {
            None => pair.flags.raise(Flag::QBare, token_text),
            Some(raw) if raw.is_empty() => {
                pair.value = Some(raw.repaired());
                pair.flags.raise(Flag::QEmptyVal, token_text);
                pair.secret = scan_value(raw.classified(), syntax.kind(), is_sensitive, cx, &mut pair.flags);
            }
            Some(raw) => pair.scan(raw.with_classes(token.value_classes), is_sensitive, syntax, cx),
        }
        // Without one of these signs a value leads nowhere.
        let may_lead =
            pair.classes.is_none_or(|classes| classes & (SLASH | COLON | BACKSLASH | ENCODED) != 0);
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
            flags.raise(Flag::MultiEnc, token_text);
        }
        pair
    }

    /// The flags of the leaves of a value that is JSON.
    pub(crate) fn leaf_flags(&self) -> impl Iterator<Item = &Flags<'a>> {
        self.json.iter().flat_map(|json| json.leaf_flags())
    }

    /// These flags, each with what its key adds to the value's.
    pub(crate) fn keyed_leaf_flags(&self) -> impl Iterator<Item = (&'a [u8], &Flags<'a>)> {
        self.json.iter().flat_map(|json| json.keyed_leaf_flags())
    }

    /// The union of the classes of the bytes of its value, where that is known.
    pub(crate) fn classes(&self) -> Option<u32> {
        self.classes
    }

    /// Looks at a value, which is not empty.
    fn scan(&mut self, raw: Classified<'a>, is_sensitive: bool, syntax: Syntax, cx: Context<'a>) {
        let flags = &mut self.flags;
        let Classified { text: raw, classes: raw_classes } = raw;
        let Classified { text: value, classes } = decode_value(raw, raw_classes, syntax.field(), cx, flags);
        if classes & (ENCODED | HIGH) != 0 {
            raise_encoding(value, classes, flags);
        }
        self.value = Some(value);
        self.plus = syntax.plus(raw, raw_classes, value);
        let long_value = cx.settings.config.limits.long_value;
        if value.len() > long_value && byte_len(value.bytes) > long_value {
            flags.raise(Flag::QLong, value);
        }
        self.classes = Some(classes);
        if scan::cannot_flag(value.bytes, classes) || scan::cannot_flag_guarded(value.bytes, classes, cx) {
            self.is_quiet = true;
            self.secret = is_sensitive;
            if is_sensitive {
                flags.hide(value);
            }
            return;
        }
        if scan::cannot_flag_but_url(value.bytes, classes, cx) {
            self.secret = is_sensitive;
            if is_sensitive {
                flags.hide(value);
            }
            scan::url(value.with_classes(classes), syntax.kind(), is_sensitive, cx, flags);
            return;
        }
        let spaced = syntax.spaced(raw, value, self.plus, cx);
        if let Some(json) = embedded::read_as(spaced, value, classes, cx) {
            let (secret, json) = json.settle(value, is_sensitive, cx, flags);
            self.secret = secret;
            self.json = Some(json);
            return;
        }
        self.secret = scan_value(value.with_classes(classes), syntax.kind(), is_sensitive, cx, flags);
        // The flags may be of the key; a marker that is left is no value.
        let may_hold_nul = flags.set.contains(Flag::Nul) && !flags.set.contains(Flag::Marker);
        if may_hold_nul && bytes::position(0, value.bytes).is_some() {
            flags.raise(Flag::QNul, value);
        }
    }
}

/// Reads the key of a token which is quiet; also returns whether it makes a secret of its value.
#[inline]
fn read_quiet_key<'a>(token: &Token<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> (Key<'a>, bool) {
    let key = token.quiet_key();
    if token.is_array() {
        flags.raise(Flag::QArray, key.text);
    }
    (key, token.is_sensitive(cx))
}

/// Reads a key and raises its own flags; also returns whether it makes a secret of its value.
fn read_and_scan_key<'a>(
    raw: Classified<'a>,
    is_bare: bool,
    field: percent::Field,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> (Key<'a>, bool) {
    steps::slow("key of a pair scanned");
    let classified = read_key(raw, field, cx, flags);
    let Classified { text, classes } = classified;
    let JudgedKey { key, is_quiet, is_sensitive } = Key::judge(classified, cx);
    if classes & bytes::SPACE != 0 || !is_quiet {
        let is_secret = key.shown == NameShown::Secret;
        if is_bare {
            scan::bare_key(classified, is_secret, cx, flags);
        } else {
            scan::scan(classified, Kind::Key, is_secret, cx, flags);
        }
    }
    if classes & NO_ALNUM != 0 {
        scan::names(text, || None, flags);
        scan::method_key(text, flags);
    }
    if key.shown == NameShown::Secret {
        flags.hide(text);
    }
    if text.bytes.ends_with(b"[]") {
        flags.raise(Flag::QArray, text);
    }
    raise_encoding(text, classes, flags);
    (key, is_sensitive)
}

/// Raises the flags of what decoding left: characters beyond ASCII, a second layer. `classes` is the union of the
/// classes of its bytes.
fn raise_encoding<'a>(text: Text<'a>, classes: u32, flags: &mut Flags<'a>) {
    if classes & HIGH != 0
        && let Some((at, c)) = first_beyond_ascii(text.bytes)
    {
        flags.raise_at(Flag::QNonAscii, text, at..at + c.len());
    }
    if classes & ENCODED == 0 || !percent::has_residue(text.bytes) {
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
    raw: Classified<'a>,
    field: percent::Field,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> Classified<'a> {
    let Classified { text: raw, classes } = raw;
    if classes & (ENCODED | HIGH) == 0 {
        return raw.repaired().with_classes(classes);
    }
    let text = utf8::repair(raw, cx, flags);
    let text = percent::decode(text, field, cx, flags);
    let text = unicode::normalize(text, Stage::Name, cx, flags);
    let text = entities::decode_value(text, cx, flags);
    // What entities reveal is told, not rewritten.
    unicode::normalize(text, Stage::Name, cx, flags);
    text.classified()
}

/// Percent-decode, entities: a value, and the union of the classes of its bytes. `classes` is that of the raw bytes.
fn decode_value<'a>(
    raw: Text<'a>,
    classes: u32,
    field: percent::Field,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> Classified<'a> {
    if classes & (ENCODED | HIGH) == 0 {
        return raw.repaired().with_classes(classes);
    }
    let text = if classes & HIGH == 0 { raw.repaired() } else { utf8::repair(raw, cx, flags) };
    let decoded = percent::decode(text, field, cx, flags).classified();
    if decoded.classes & ENCODED == 0 {
        return decoded;
    }
    entities::decode_value(decoded.text, cx, flags).classified()
}
