//! Secrets by name and by content (clauses 6.10 to 6.13).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use bumpalo::collections::Vec as BumpVec;
use memchr::memmem::Finder;

use crate::bytes::{
    self, ALNUM, AT, B64URL_MARK, BLANK, COLON, CREDENTIAL_MARK, DASH, DIGIT, DOT, EQUALS, HIGH, TOKEN68,
    WORD_SIGN,
};
use crate::context::Context;
use crate::decode::{self, GUARD, entities, layers, percent, unicode, utf8};
use crate::families::{self, SHORTEST_TOKEN, starts_word};
use crate::lists::SENSITIVE_NAMES;
use crate::sensitive;
use crate::shape;
use crate::show::marker;
use crate::text::Text;

/// So many credentials of one text are told, at most.
const MOST_CREDENTIALS: usize = 16;

/// A credential in a text.
pub(crate) struct Credential {
    /// What of the text it is.
    pub(crate) part: Range<usize>,
    /// Whether it is a name and a password.
    pub(crate) is_userinfo: bool,
}

/// The kinds of credentials, in the order in which they are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Jwt,
    Token,
    Scheme,
    PrivateKey,
    Userinfo,
    DataSource,
    Element,
    Named,
}

impl Kind {
    const ALL: [Kind; 8] = [
        Kind::Jwt,
        Kind::Token,
        Kind::Scheme,
        Kind::PrivateKey,
        Kind::Userinfo,
        Kind::DataSource,
        Kind::Element,
        Kind::Named,
    ];

    /// Whether a text may hold one; `seen` is the union of the classes of its bytes.
    fn may_be_in(self, text: &[u8], seen: u32) -> bool {
        let classes = match self {
            Kind::Jwt => DOT,
            Kind::Token => return text.len() >= SHORTEST_TOKEN,
            Kind::Scheme => BLANK,
            Kind::PrivateKey => DASH,
            Kind::Userinfo | Kind::DataSource => AT,
            Kind::Element => WORD_SIGN,
            Kind::Named => EQUALS | COLON | HIGH,
        };
        seen & classes != 0
    }
}

/// Undoes the percent escapes of a name that was decoded already: to another layer, guarded bytes are bytes.
fn decode_escapes<'a>(name: Text<'a>, cx: Context<'a>) -> Text<'a> {
    if memchr::memchr(GUARD, name.bytes).is_none() {
        return percent::decode(name, percent::Field::Other, cx, &mut cx.flags());
    }
    let bytes = decode::replaced(name, GUARD, decode::escape, cx);
    let bytes = decode::replaced(bytes, b'%', bytes::escape, cx);
    utf8::repair(bytes, cx, &mut cx.flags())
}

/// Decides which names make a secret of their value.
#[derive(Clone, Debug)]
pub(crate) struct SensitiveNames {
    /// `None` only if there were too many names for one automaton: then every name is sensitive.
    anywhere: Option<AhoCorasick>,
    words: Vec<Box<[u8]>>,
    /// How long these are, a bit each.
    lengths: u64,
    /// The first three letters of all of them.
    triples: Triples,
    /// Those that configuration adds.
    extra: Vec<String>,
}

/// Three letters side by side, case ignored, a bit each: what others are the same is not told.
#[derive(Clone, Debug)]
struct Triples {
    bits: Box<[u64; 512]>,
}

impl Triples {
    /// The first three letters of each name.
    fn new<'n>(names: impl Iterator<Item = &'n [u8]>) -> Self {
        let mut bits = Box::new([0; 512]);
        for name in names {
            match name.first_chunk::<3>() {
                Some(first) => {
                    let triple = first.iter().fold(0, |triple, byte| Triples::follow(triple, *byte));
                    if let Some(bits) = bits.get_mut(triple as usize >> 6) {
                        *bits |= 1 << (triple & 63);
                    }
                }
                None => match *name {
                    // Whatever stands before it.
                    [first, second] => (0..32).for_each(|before| {
                        let triple = Triples::follow(Triples::follow(before, first), second);
                        if let Some(bits) = bits.get_mut(triple as usize >> 6) {
                            *bits |= 1 << (triple & 63);
                        }
                    }),
                    // A shorter one may be anywhere.
                    _ => bits.fill(u64::MAX),
                },
            }
        }
        Triples { bits }
    }

    fn follow(triple: u32, byte: u8) -> u32 {
        (triple << 5 | u32::from(byte & 31)) & 0x7FFF
    }

    /// Whether one of the names may be in a text.
    fn may_be_in(&self, text: &[u8]) -> bool {
        let mut triple = 0;
        text.iter().any(|byte| {
            triple = Triples::follow(triple, *byte);
            self.bits.get(triple as usize >> 6).is_some_and(|bits| bits >> (triple & 63) & 1 != 0)
        })
    }
}

impl SensitiveNames {
    /// The built-in names and `extra` ones.
    pub(crate) fn new(extra: &[String]) -> Self {
        let of = |kind: &'static str| {
            let names = SENSITIVE_NAMES.iter().filter(move |(k, name)| *k == kind && name.is_ascii());
            names.map(|(_, name)| *name)
        };
        let added = extra.iter().map(String::as_str).filter(|name| !name.is_empty() && name.is_ascii());
        let anywhere = of("anywhere").chain(added);
        let words = || of("word").chain(of("whole"));
        let triples = Triples::new(anywhere.clone().chain(words()).map(str::as_bytes));
        // Built whenever a canonicalizer is, and rarely asked: a prefilter answers first.
        let kind = Some(AhoCorasickKind::NoncontiguousNFA);
        let anywhere = AhoCorasick::builder().kind(kind).ascii_case_insensitive(true).build(anywhere);
        let words: Vec<Box<[u8]>> = words().map(|word| Box::from(word.as_bytes())).collect();
        let lengths = words.iter().fold(0, |lengths, word| lengths | length_bit(word));
        SensitiveNames { anywhere: anywhere.ok(), words, lengths, triples, extra: extra.to_vec() }
    }

    /// Whether the value under `name` is a secret.
    pub(crate) fn matches(&self, name: &[u8], cx: Context<'_>) -> bool {
        self.matches_plain(name, cx)
            || memchr::memchr3(b'%', b'&', GUARD, name).is_some() && self.matches_decoded(name, cx)
    }

    fn matches_plain(&self, name: &[u8], cx: Context<'_>) -> bool {
        if name.is_ascii() { self.matches_ascii(name) } else { sensitive::matches(name, &self.extra, cx) }
    }

    /// The same of a name that is decoded once more: escapes, then entities.
    fn matches_decoded(&self, name: &[u8], cx: Context<'_>) -> bool {
        let name = cx.bump.alloc_slice_copy(name);
        let decoded = decode_escapes(Text::untraced(name), cx);
        let plain = entities::decode_value(decoded, cx, &mut cx.flags());
        decoded.bytes != name && self.matches_plain(decoded.bytes, cx)
            || plain.bytes != decoded.bytes && self.matches_plain(plain.bytes, cx)
    }

    /// The same of a name in ASCII.
    pub(crate) fn matches_ascii(&self, name: &[u8]) -> bool {
        (self.anywhere.is_none() || self.triples.may_be_in(name)) && self.matches_slow(name)
    }

    fn matches_slow(&self, name: &[u8]) -> bool {
        self.anywhere.as_ref().is_none_or(|anywhere| anywhere.is_match(name))
            || name
                .split(|&b| !bytes::is(b, ALNUM))
                .filter(|word| self.lengths & length_bit(word) != 0)
                .any(|word| self.words.iter().any(|w| w.len() == word.len() && word.eq_ignore_ascii_case(w)))
    }

    /// The credential inside `value`, if there is one; of several, the first found.
    ///
    /// Looks at the value as it is, and at its further texts: then the whole value is the credential.
    pub(crate) fn find_credential(&self, value: &[u8], cx: Context<'_>) -> Option<Range<usize>> {
        self.find_credential_seen(value, bytes::union(value), cx)
    }

    /// The same, where the union of the classes of its bytes is known.
    pub(crate) fn find_credential_seen(
        &self,
        value: &[u8],
        seen: u32,
        cx: Context<'_>,
    ) -> Option<Range<usize>> {
        if value.len() < 4 || is_too_plain(value, seen) {
            return None;
        }
        let found = if seen & (CREDENTIAL_MARK | HIGH) == 0 {
            // Nothing but a token that is recognised by its prefix.
            families::find(value, seen)
        } else {
            self.find_plain(value, seen, cx)
        };
        found.or_else(|| self.find_disguised(value, cx))
    }

    fn find_plain(&self, value: &[u8], seen: u32, cx: Context<'_>) -> Option<Range<usize>> {
        Kind::ALL.iter().find_map(|kind| self.find_kind(*kind, value, seen, cx))
    }

    /// The first credential of a kind; `seen` is the union of the classes of the text's bytes, or more.
    fn find_kind(&self, kind: Kind, text: &[u8], seen: u32, cx: Context<'_>) -> Option<Range<usize>> {
        if !kind.may_be_in(text, seen) {
            return None;
        }
        match kind {
            Kind::Jwt => find_jwt(text),
            Kind::Token => families::find(text, seen),
            Kind::Scheme => find_scheme(text),
            Kind::PrivateKey => find_private_key(text),
            Kind::Userinfo => find_userinfo(text),
            Kind::DataSource => find_data_source(text),
            Kind::Element => self.find_without_markers(text, cx, Self::find_element),
            Kind::Named => self.find_without_markers(text, cx, Self::find_named),
        }
    }

    /// The credentials of a value as it is, by kind and then by place, of each kind one after the other.
    pub(crate) fn find_credentials<'a>(&self, value: &[u8], cx: Context<'a>) -> BumpVec<'a, Credential> {
        let seen = bytes::union(value);
        let mut all = BumpVec::new_in(cx.bump);
        for kind in Kind::ALL {
            let is_userinfo = matches!(kind, Kind::Userinfo | Kind::DataSource);
            let mut collect = |find: &dyn Fn(&[u8]) -> Option<Range<usize>>| {
                let mut from = 0;
                while all.len() < MOST_CREDENTIALS
                    && let Some(rest) = value.get(from..)
                    && let Some(found) = find(rest)
                {
                    all.push(Credential { part: from + found.start..from + found.end, is_userinfo });
                    from += found.end.max(1);
                }
            };
            if kind != Kind::Scheme {
                collect(&|rest| self.find_kind(kind, rest, seen, cx));
            } else if kind.may_be_in(value, seen) && names_scheme(value) {
                // Each word by itself: the credentials of one may end where another begins.
                SCHEMES
                    .iter()
                    .for_each(|(scheme, telling)| collect(&|rest| find_word(rest, scheme, *telling)));
            }
        }
        all
    }

    /// The values in an `authorization` that are secrets by name, what proves something among them.
    pub(crate) fn find_proofs<'a>(&self, value: &[u8], cx: Context<'a>) -> BumpVec<'a, Range<usize>> {
        let is_proof = |name: &[u8]| {
            name.eq_ignore_ascii_case(b"mac")
                || name.eq_ignore_ascii_case(b"response")
                || self.matches(name, cx)
        };
        let mut from = 0;
        let values = delimiters(value).filter_map(|delimiter| {
            let name = name_before(value.get(from..delimiter.start)?);
            from = delimiter.end;
            let part = value_after(value, delimiter.end)?;
            (!name.is_empty() && is_proof(name)).then_some(part)
        });
        BumpVec::from_iter_in(values.take(MOST_CREDENTIALS), cx.bump)
    }

    /// Whether a text holds a credential as it is.
    pub(crate) fn holds_plain_credential(&self, text: &[u8], cx: Context<'_>) -> bool {
        self.find_plain(text, bytes::union(text), cx).is_some()
    }

    /// Whether a text holds `name=value` or `name: value` with a sensitive name.
    pub(crate) fn holds_named(&self, text: &[u8], cx: Context<'_>) -> bool {
        self.find_without_markers(text, cx, Self::find_named).is_some()
    }

    fn find_disguised(&self, value: &[u8], cx: Context<'_>) -> Option<Range<usize>> {
        let is_credential = |text: &[u8]| {
            cx.spare.with(|repaired| self.holds_plain_credential(utf8::repaired(text, repaired), cx))
        };
        layers::any_further(value, cx, is_credential).then_some(0..value.len())
    }

    /// Looks for a credential in a text whose markers are taken out first; if there was one, the credential is all of it.
    fn find_without_markers(
        &self,
        text: &[u8],
        cx: Context<'_>,
        find: fn(&Self, &[u8], Context<'_>) -> Option<Range<usize>>,
    ) -> Option<Range<usize>> {
        if !marker::holds_marker(text) {
            return find(self, text, cx);
        }
        cx.spare.with(|without| {
            marker::take_out(text, without);
            find(self, without, cx).map(|_| 0..text.len())
        })
    }

    /// `<name>value` with a sensitive name.
    fn find_element(&self, text: &[u8], cx: Context<'_>) -> Option<Range<usize>> {
        memchr::memchr_iter(b'<', text).find_map(|at| {
            let inside = text.get(at + 1..)?;
            let is_name = |byte: u8| {
                bytes::is(byte, ALNUM)
                    || matches!(byte, b'_' | b'.' | b':' | b'-')
                    || byte >= 0x80 && byte != GUARD
            };
            let len = inside.iter().take_while(|byte| is_name(**byte)).count();
            let start = at + len + 2;
            let value = text.get(start..).filter(|_| inside.get(len) == Some(&b'>'))?;
            let end = start + memchr::memchr(b'<', value).unwrap_or(value.len());
            (end > start && self.matches(inside.get(..len)?, cx)).then_some(start..end)
        })
    }

    /// `name=value` or `name: value` with a sensitive name.
    fn find_named(&self, text: &[u8], cx: Context<'_>) -> Option<Range<usize>> {
        let mut from = 0;
        delimiters(text).find_map(|delimiter| {
            let name = name_before(text.get(from..delimiter.start)?);
            from = delimiter.end;
            if name.is_empty() || !self.matches(name, cx) {
                return None;
            }
            value_after(text, delimiter.end)
        })
    }
}

/// The value behind a delimiter that ends at `at`, if there is something.
fn value_after(text: &[u8], at: usize) -> Option<Range<usize>> {
    let start = at + value_start(text.get(at..)?);
    let len = value_len(text.get(start..)?);
    (len > 0).then_some(start..start + len)
}

/// Where `=` or `:` stands, also full-width.
fn delimiters(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    memchr::memchr3_iter(b'=', b':', 0xEF, text).filter_map(move |at| match text.get(at..)? {
        [b'=' | b':', ..] => Some(at..at + 1),
        [0xEF, 0xBC, 0x9A | 0x9D, ..] => Some(at..at + 3),
        _ => None,
    })
}

/// The name that a text ends with, but for marks.
fn name_before(text: &[u8]) -> &[u8] {
    let before = strip_marks(text);
    // What is beyond ASCII belongs to it, but for guarded bytes.
    let is_name = |byte: u8| is_name_byte(byte) || byte >= 0x80 && byte != GUARD;
    let len = before.iter().rev().take_while(|byte| is_name(**byte)).count();
    let (around, name) = before.split_at_checked(before.len() - len).unwrap_or_default();
    // The digits of a guarded byte are no part of what follows it.
    if around.last() == Some(&GUARD) { name.get(2..).unwrap_or_default() } else { name }
}

/// Where the value begins that follows a delimiter: behind marks, `+` and controls.
fn value_start(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        at += match rest {
            [byte, ..] if is_mark(*byte) || *byte == b'+' => 1,
            _ => match control_len(rest) {
                0 => break,
                len => len,
            },
        };
    }
    at
}

/// How long the value is that a text begins with.
fn value_len(text: &[u8]) -> usize {
    let ends = |at: usize, byte: u8| {
        is_mark(byte)
            || matches!(byte, b'&' | b';' | b',')
            || (byte < 0x20 || byte == 0x7F || byte == 0xC2)
                && control_len(text.get(at..).unwrap_or_default()) > 0
    };
    text.iter().enumerate().position(|(at, byte)| ends(at, *byte)).unwrap_or(text.len())
}

/// The length of the control character that a text begins with, zero for none.
fn control_len(text: &[u8]) -> usize {
    match text {
        [0..0x20 | 0x7F, ..] => 1,
        [0xC2, 0x80..=0x9F, ..] => 2,
        _ => 0,
    }
}

/// The bit of a word's length; long words share one.
fn length_bit(word: &[u8]) -> u64 {
    1 << word.len().min(63)
}

/// Whether a text is too short and too plain for a credential. `seen` is the union of the classes of
/// its bytes.
pub(crate) fn is_too_plain(text: &[u8], seen: u32) -> bool {
    text.len() < SHORTEST_TOKEN && seen & (CREDENTIAL_MARK | HIGH) == 0
}

/// Whether a text holds a token that is recognised by itself, whatever stands around it.
pub(crate) fn holds_token(text: &[u8]) -> bool {
    find_jwt(text).is_some() || families::find(text, bytes::union(text)).is_some()
}

/// What may stand around a name or a value in free text: blanks, quotes, escaped quotes.
fn is_mark(byte: u8) -> bool {
    bytes::is_blank(byte) || matches!(byte, b'"' | b'\'' | b'\\')
}

/// At most a handful of marks before a delimiter are looked past.
fn strip_marks(text: &[u8]) -> &[u8] {
    let marks = text.iter().rev().take(8).take_while(|&&b| is_mark(b)).count();
    text.get(..text.len() - marks).unwrap_or_default()
}

fn is_name_byte(byte: u8) -> bool {
    bytes::is(byte, ALNUM) || matches!(byte, b'_' | b'-' | b'.' | b'$' | b'@' | b'[' | b']')
}

/// A JSON Web Token anywhere in the text.
fn find_jwt(text: &[u8]) -> Option<Range<usize>> {
    if may_hold_jwt(text) { find_jwt_slow(text) } else { None }
}

/// Whether what may be the header of one stands before a dot, and another dot follows that.
pub(crate) fn may_hold_jwt(text: &[u8]) -> bool {
    let Some(last) = memchr::memrchr(b'.', text) else { return false };
    let mut start = 0;
    memchr::memchr_iter(b'.', text).take_while(|dot| *dot < last).any(|dot| {
        let before = text.get(start..dot).unwrap_or_default();
        start = dot + 1;
        let len = before.iter().rev().take_while(|&&byte| bytes::is(byte, ALNUM | B64URL_MARK)).count();
        let (around, header) = before.split_at_checked(before.len() - len).unwrap_or_default();
        // The digits of a guarded byte are no part of what follows it.
        let is_guarded = around.last() == Some(&GUARD);
        is_guarded || shape::begins_like_json(header) || memchr::memmem::find(header, b"eyJ").is_some()
    })
}

fn find_jwt_slow(text: &[u8]) -> Option<Range<usize>> {
    let in_token = |b: u8| bytes::is(b, ALNUM | B64URL_MARK) || b == b'.';
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..)?;
        let len = rest.iter().take_while(|&&b| in_token(b)).count();
        if let Some(found) = find_jwt_in_run(rest.get(..len)?) {
            return Some(at + found.start..at + found.end);
        }
        // The digits of a guarded byte are no part of what follows it.
        at += len + if rest.get(len) == Some(&GUARD) { 3 } else { 1 };
    }
    None
}

/// Looks at each three neighbouring segments of a run of token characters.
fn find_jwt_in_run(run: &[u8]) -> Option<Range<usize>> {
    if memchr::memchr_iter(b'.', run).count() < 2 {
        return None;
    }
    let mut start = 0;
    while let Some(dot) = memchr::memchr(b'.', run.get(start..)?) {
        let payload = start + dot + 1;
        let payload_len = memchr::memchr(b'.', run.get(payload..)?)?;
        let header = run.get(start..start + dot)?;
        if let Some(glued) = jwt_header_in(header) {
            let start = start + glued;
            let signature = payload + payload_len + 1;
            let rest = run.get(signature..)?;
            let len = memchr::memchr(b'.', rest).unwrap_or(rest.len());
            return Some(start..signature + len);
        }
        start = payload;
    }
    None
}

/// Where the header of a token begins in a segment: at its start, or glued behind something else
/// at one of the first `eyJ` (`{"` in Base64).
fn jwt_header_in(segment: &[u8]) -> Option<usize> {
    let glued = memchr::memchr_iter(b'J', segment)
        .filter_map(|at| at.checked_sub(2).filter(|&start| segment.get(start..at) == Some(b"ey")))
        .take(8);
    std::iter::once(0).chain(glued).find(|&at| segment.get(at..).is_some_and(shape::is_jwt_header))
}

/// What tells that the run behind a scheme word is a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Telling {
    /// Whatever it is.
    Anything,
    /// The word is a plain one too: six characters, a digit or `=`.
    Token,
    /// A `=` in it.
    Parameter,
    /// A `:` in it, which belongs to the run.
    Pair,
}

/// The schemes that announce credentials in free text.
const SCHEMES: [(&[u8], Telling); 10] = [
    (b"bearer", Telling::Anything),
    (b"basic", Telling::Token),
    (b"digest", Telling::Token),
    (b"token", Telling::Token),
    (b"negotiate", Telling::Anything),
    (b"aws4-hmac-sha256", Telling::Anything),
    (b"apikey", Telling::Token),
    (b"sharedkey", Telling::Pair),
    (b"sharedkeylite", Telling::Pair),
    (b"hawk", Telling::Parameter),
];

/// A scheme word followed by credentials.
fn find_scheme(text: &[u8]) -> Option<Range<usize>> {
    if names_scheme(text) { find_scheme_slow(text) } else { None }
}

/// Whether a scheme word stands right before something that may stand between it and its credentials.
pub(crate) fn names_scheme(text: &[u8]) -> bool {
    let ends_with = |before: &[u8], scheme: &[u8]| {
        let start = before.len().checked_sub(scheme.len());
        start.and_then(|start| before.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(scheme))
    };
    // The last letters of the schemes.
    let is_last = |byte: &u8| {
        matches!(byte.to_ascii_lowercase(), b'r' | b'c' | b't' | b'n' | b'e' | b'y' | b'k' | b'6')
    };
    let mut at = 0;
    while let Some(step) = text.get(at..).and_then(|rest| rest.iter().position(|&b| bytes::is(b, BLANK))) {
        let before = text.get(..at + step).unwrap_or_default();
        if before.last().is_some_and(is_last) && SCHEMES.iter().any(|(scheme, _)| ends_with(before, scheme)) {
            return true;
        }
        at += step + 1;
    }
    false
}

fn find_scheme_slow(text: &[u8]) -> Option<Range<usize>> {
    SCHEMES.iter().find_map(|(scheme, telling)| find_word(text, scheme, *telling))
}

/// One scheme word followed by credentials.
fn find_word(text: &[u8], scheme: &[u8], telling: Telling) -> Option<Range<usize>> {
    let mut from = 0;
    while let Some(step) = bytes::find_ignore_case(text.get(from..)?, scheme) {
        let at = from + step;
        from = at + 1;
        let after = text.get(at + scheme.len()..)?;
        let blanks = after.iter().take_while(|&&b| is_mark(b) || b == b'+').count();
        if !starts_word(text, at) || blanks == 0 {
            continue;
        }
        let rest = after.get(blanks..)?;
        let is_pair = telling == Telling::Pair;
        let len = rest.iter().take_while(|&&b| bytes::is(b, TOKEN68) || is_pair && b == b':').count();
        let credentials = rest.get(..len)?;
        let tells = match telling {
            Telling::Anything => len > 0,
            Telling::Token => len >= 6 || credentials.iter().any(|&b| bytes::is(b, DIGIT) || b == b'='),
            Telling::Parameter => credentials.contains(&b'='),
            Telling::Pair => credentials.contains(&b':'),
        };
        if tells {
            let start = at + scheme.len() + blanks;
            // What a digest proves is spread over its parameters.
            let is_spread = matches!(scheme, b"digest" | b"hawk");
            return Some(start..if is_spread { text.len() } else { start + len });
        }
    }
    None
}

/// A PEM private key.
fn find_private_key(text: &[u8]) -> Option<Range<usize>> {
    static BEGIN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("-----BEGIN"));
    let at = BEGIN.find(text)?;
    let rest = text.get(at..)?;
    let private = [&b"PRIVATE KEY"[..], b"PRIVATE+KEY"];
    private.iter().any(|words| memchr::memmem::find(rest, words).is_some()).then_some(at..text.len())
}

/// Userinfo inside a URL, or after the `//` that begins the text; `\\` may stand for `/`.
fn find_userinfo(text: &[u8]) -> Option<Range<usize>> {
    let mut until = 0;
    let is_slash = |byte: Option<&u8>| matches!(byte, Some(b'/' | b'\\'));
    let slashes = memchr::memchr2_iter(b'/', b'\\', text).filter(|at| is_slash(text.get(at + 1)));
    slashes.into_iter().find_map(|at| {
        let before = text.get(..at)?;
        let start = at + 2;
        if start < until || !(before.ends_with(b":") || before.is_empty()) {
            return None;
        }
        let is_plain = text.get(at..start) == Some(b"//");
        let authority = text.get(start..)?;
        let ends = |byte: u8| matches!(byte, b'/' | b'?' | b'#' | b' ') || !is_plain && byte == b'\\';
        let len = authority.iter().take_while(|&&byte| !ends(byte)).count();
        until = start + len;
        let userinfo = memchr::memrchr(b'@', authority.get(..len)?)?;
        let is_marker = marker::is_marker(authority.get(..userinfo)?);
        (userinfo > 0 && !is_marker).then(|| start..start + userinfo)
    })
}

/// What a data source is reached by: `user:password` before `@tcp(`.
fn find_data_source(text: &[u8]) -> Option<Range<usize>> {
    const NETWORKS: [&[u8]; 6] = [b"tcp(", b"tcp4(", b"tcp6(", b"udp(", b"unix(", b"cloudsql("];
    let begins = |rest: &[u8], network: &[u8]| {
        rest.get(..network.len()).is_some_and(|start| start.eq_ignore_ascii_case(network))
    };
    let ends = |c: char| matches!(c, '"' | '\'' | '\\') || c.is_control() || unicode::is_white_space(c);
    let is_network = |at: usize| {
        text.get(at + 1..).is_some_and(|rest| NETWORKS.iter().any(|network| begins(rest, network)))
    };
    if !memchr::memchr_iter(b'@', text).any(is_network) {
        return None;
    }
    // Where the run begins, and its first `:` that does not begin it.
    let (mut start, mut colon) = (0, None);
    for (at, c) in decode::char_indices(text) {
        match c.plain() {
            Some('@') if colon.is_some_and(|colon: usize| colon + 1 < at) && is_network(at) => {
                return Some(start..at);
            }
            Some(':') if at > start => colon = colon.or(Some(at)),
            Some(c) if ends(c) => (start, colon) = (at + c.len_utf8(), None),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    #[test]
    fn names() {
        let names = SensitiveNames::new(&["Internal".to_owned()]);
        for name in [
            "pwd",
            "PASSWORD",
            "user_token",
            "X-Api-Key",
            "api.key",
            "sid",
            "AWSAccessKeyId",
            "X-Amz-Credential",
            "private-key",
            "sec-websocket-key",
            "my-internal-id",
        ] {
            assert!(with_context(|cx| names.matches(name.as_bytes(), cx)), "{name}");
        }
        for name in ["login", "keyword", "side", "monkey", "pinned", "id", "q", ""] {
            assert!(!with_context(|cx| names.matches(name.as_bytes(), cx)), "{name}");
        }
    }

    #[test]
    fn names_are_looked_at_alike() {
        let mut state = 3_u32;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        let extras: [&[&str]; 4] = [&[], &["Internal"], &["ab"], &["x"]];
        for extra in extras {
            let extra: Vec<String> = extra.iter().map(|name| (*name).to_owned()).collect();
            let names = SensitiveNames::new(&extra);
            for _ in 0..5_000 {
                let (_, known) = SENSITIVE_NAMES[random(SENSITIVE_NAMES.len())];
                let noise = |len: usize, random: &mut dyn FnMut(usize) -> usize| -> String {
                    (0..len).map(|_| char::from(b"aeiPSTkxb_-."[random(12)])).collect()
                };
                let name = match random(3) {
                    0 => noise(random(12), &mut random),
                    1 => noise(random(4), &mut random) + known + &noise(random(4), &mut random),
                    _ => noise(random(4), &mut random) + &known.to_uppercase(),
                };
                assert_eq!(
                    names.matches_ascii(name.as_bytes()),
                    names.matches_slow(name.as_bytes()),
                    "{name}"
                );
            }
        }
    }

    fn found(text: &str) -> Option<String> {
        let names = SensitiveNames::new(&[]);
        let range = with_context(|cx| names.find_credential(text.as_bytes(), cx))?;
        Some(text[range].to_owned())
    }

    #[test]
    fn contents() {
        for (text, secret) in [
            ("see eyJhbGciOiJub25lIn0.e30.abc now", "eyJhbGciOiJub25lIn0.e30.abc"),
            ("a.eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJub25lIn0.e30."),
            ("Bearer x", "x"),
            ("x BEARER+abc", "abc"),
            ("basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
            ("Digest username=\"bob\"", "username=\"bob\""),
            ("xeyJhbGciOiJub25lIn0.e30.abc", "eyJhbGciOiJub25lIn0.e30.abc"),
            ("\"password\" : \"hunter2\"", "hunter2"),
            ("ghp_0123456789abcdefghij", "ghp_0123456789abcdefghij"),
            ("key AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
            ("http://user:pass@host/", "user:pass"),
            ("a=1&password=hunter2&b=2", "hunter2"),
            ("{\"password\": \"hunter2\"}", "hunter2"),
            ("{\\\"password\\\":\\\"hunter2\\\"}", "hunter2"),
            ("password=<num:3>hunter2", "password=<num:3>hunter2"),
            ("http://<num:3>:hunter2@h/", "<num:3>:hunter2"),
            ("http://us'er:hunter2@h/", "us'er:hunter2"),
            ("//user:hunter2@h/", "user:hunter2"),
            ("Bearer \"hunter2\"", "hunter2"),
            ("Set token: abc", "abc"),
            ("Bearer%20abc", "Bearer%20abc"),
            ("pass%2577ord%253Dhunter2", "pass%2577ord%253Dhunter2"),
            ("pass&#119;ord=hunter2", "hunter2"),
            ("contrase\u{f1}a=hunter2", "hunter2"),
            ("\u{5bc6}\u{7801}\u{ff1a}hunter2", "hunter2"),
            ("password=hunter2\r\nX-A: 1", "hunter2"),
            ("password=\r\nhunter2\u{85}x", "hunter2"),
            ("root:hunter2@tcp(db:3306)/x", "root:hunter2"),
            ("dsn 'a@b:c@TCP6(x)'", "a@b:c"),
            ("ftp:\\\\u:hunter2@h", "u:hunter2"),
            ("ftp:/\\u:hunter2@h", "u:hunter2"),
            ("ApiKey hunter2", "hunter2"),
            ("SharedKey acct:c2ln", "acct:c2ln"),
            ("Hawk id=\"a\", mac=\"b\"", "id=\"a\", mac=\"b\""),
            ("<u><wsse:Password>hunter2</wsse:Password></u>", "hunter2"),
        ] {
            let got = found(text);
            if text.contains("&#119;") {
                assert!(got.is_some(), "{text}");
            } else {
                assert_eq!(got.as_deref(), Some(secret), "{text}");
            }
        }
    }

    #[test]
    fn tokens_are_found_alike() {
        let pieces = [
            "",
            "a",
            "e30",
            "IHt9",
            "CXt9",
            "DXt9",
            "eyJhbGciOiJub25lIn0",
            "xeyJhIjoxfQ",
            "GA1",
            "\u{e9}",
            "ewp9",
        ];
        for (a, b) in pieces.iter().flat_map(|a| pieces.map(|b| (a, b))) {
            for c in pieces {
                for text in [
                    format!("{a}.{b}.{c}"),
                    format!("{a} {b}.{c}."),
                    format!(".{a}.{b}"),
                    format!("{a}{b}{c}"),
                ] {
                    assert_eq!(find_jwt(text.as_bytes()), find_jwt_slow(text.as_bytes()), "{text}");
                }
            }
        }
    }

    #[test]
    fn schemes_are_found_alike() {
        let words = ["", "x", "bearer", "Basic", "DIGEST", "token", "Negotiate", "aws4-hmac-sha256", "usage"];
        let between = ["", " ", "\t", "+", "\"", "\\\"", ": ", "-"];
        for (first, second) in words.iter().flat_map(|first| words.map(|second| (first, second))) {
            for (a, b) in between.iter().flat_map(|a| between.map(|b| (a, b))) {
                let text = format!("{first}{a}{second}{b}abc123");
                assert_eq!(find_scheme(text.as_bytes()), find_scheme_slow(text.as_bytes()), "{text}");
            }
        }
    }

    #[test]
    fn every_credential_is_found() {
        let names = SensitiveNames::new(&[]);
        let all = |text: &str| {
            with_context(|cx| {
                let found = names.find_credentials(text.as_bytes(), cx);
                found.into_iter().map(|found| text[found.part].to_owned()).collect::<Vec<_>>()
            })
        };
        assert_eq!(all("pwd=one&token=two Bearer three"), ["three", "one", "two"]);
        assert_eq!(all("Basic dragonfly7,Bearer swordfish9"), ["swordfish9", "dragonfly7"]);
        assert_eq!(all("a:b@tcp(x) c:d@tcp(y) //e:f@g"), ["a:b", "c:d"]);
        assert_eq!(all(&"pwd=x ".repeat(40)).len(), MOST_CREDENTIALS);
        assert_eq!(all("<pwd>a</pwd><token>b</token>"), ["a", "b"]);
        assert_eq!(all("pwd%3Dhunter2"), Vec::<String>::new());
        assert_eq!(all("nothing"), Vec::<String>::new());
    }

    #[test]
    fn ordinary_text_is_no_secret() {
        for text in [
            "hello world",
            "basic usage",
            "www.example.com",
            "1.2.3",
            "http://ex.com/a@b",
            "a token",
            "12:30:15",
            "k=v; x=y",
            "password=<SECRET:alpha:10>",
            "http://<SECRET:userinfo:9>@ex.com/",
            "a:b@media(x)",
            "u:@tcp(h)",
            ":p@tcp(h)",
            "u:p @tcp(h)",
            "c:\\\\dir\\file@2x.png",
            "hawk eyes",
            "sharedkey abc",
            "enclave=1",
            "<p>hunter2</p>",
            "<pwd></pwd>",
            "<pwd x>hunter2",
            "<SECRET:alpha:10>hunter2",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
