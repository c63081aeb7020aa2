//! Secrets by name and by content (clauses 6.10 to 6.13).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::memmem::Finder;

use crate::bytes::{
    self, ALNUM, AT, B64URL_MARK, BLANK, COLON, CREDENTIAL_MARK, DASH, DIGIT, DOT, ENCODED, EQUALS, HIGH,
    NO_ALNUM, PATH_MARK, SLASH, TOKEN68, UPPER,
};
use crate::context::Context;
use crate::decode::{self, GUARD, entities, percent};
use crate::eights::{self, eight_at};
use crate::lists::{CREDENTIAL_PREFIXES, SENSITIVE_NAMES};
use crate::sensitive;
use crate::shape;
use crate::show::marker;
use crate::text::Text;

/// No token of `CREDENTIAL_PREFIXES` is shorter, prefix included.
const SHORTEST_TOKEN: usize = 12;

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
        let triples = Triples::new(anywhere.clone().chain(of("word")).map(str::as_bytes));
        let anywhere = AhoCorasick::builder().ascii_case_insensitive(true).build(anywhere);
        let words: Vec<Box<[u8]>> = of("word").map(|word| Box::from(word.as_bytes())).collect();
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
        let decoded = percent::decode_further(Text::untraced(name), cx);
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
    /// Looks at the value as it is, and as it would be after up to three more percent-decodings and
    /// one pass of entities: then the whole value is the credential.
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
        if seen & CREDENTIAL_MARK == 0 {
            // Nothing but a token that is recognised by its prefix.
            return find_prefixed(value, seen);
        }
        let found = self.find_plain(value, seen, cx);
        if found.is_none() && seen & ENCODED != 0 { self.find_disguised(value, cx) } else { found }
    }

    fn find_plain(&self, value: &[u8], seen: u32, cx: Context<'_>) -> Option<Range<usize>> {
        let has = |classes: u32| seen & classes != 0;
        let jwt = if has(DOT) { find_jwt(value) } else { None };
        jwt.or_else(|| if value.len() < SHORTEST_TOKEN { None } else { find_prefixed(value, seen) })
            .or_else(|| if has(BLANK) { find_scheme(value) } else { None })
            .or_else(|| if has(DASH) { find_private_key(value) } else { None })
            .or_else(|| if has(AT) && has(SLASH) { find_userinfo(value) } else { None })
            .or_else(|| if has(EQUALS | COLON) { self.find_named(value, cx) } else { None })
    }

    fn find_disguised(&self, value: &[u8], cx: Context<'_>) -> Option<Range<usize>> {
        let is_credential = |text: &[u8]| {
            cx.spare.with(|plain| {
                // A byte as it came guards nothing.
                plain.extend(text.iter().map(|&byte| if byte == GUARD { 0xFE } else { byte }));
                self.find_plain(plain, bytes::union(plain), cx).is_some()
            })
        };
        any_revealed(value, cx, is_credential).then_some(0..value.len())
    }

    /// `name=value` or `name: value` with a sensitive name; markers are taken out before looking.
    fn find_named(&self, text: &[u8], cx: Context<'_>) -> Option<Range<usize>> {
        if !marker::holds_marker(text) {
            return self.find_named_in(text, cx);
        }
        cx.spare.with(|without| {
            marker::take_out(text, without);
            self.find_named_in(without, cx).map(|_| 0..text.len())
        })
    }

    fn find_named_in(&self, text: &[u8], cx: Context<'_>) -> Option<Range<usize>> {
        memchr::memchr2_iter(b'=', b':', text).find_map(|at| {
            let before = strip_marks(text.get(..at)?);
            let name_len = before.iter().rev().take_while(|&&b| is_name_byte(b)).count();
            let name = before.get(before.len() - name_len..)?;
            let name = if before.len() > name_len && before.get(before.len() - name_len - 1) == Some(&GUARD) {
                name.get(2..)?
            } else {
                name
            };
            if !self.matches(name, cx) {
                return None;
            }
            let rest = text.get(at + 1..)?;
            let skipped = rest.iter().take_while(|&&b| is_mark(b) || b == b'+').count();
            let rest = rest.get(skipped..)?;
            let ends = |b: u8| is_mark(b) || matches!(b, b'&' | b';' | b',');
            let len = rest.iter().take_while(|&&b| !ends(b)).count();
            let start = at + 1 + skipped;
            (len > 0).then_some(start..start + len)
        })
    }
}

/// The bit of a word's length; long words share one.
fn length_bit(word: &[u8]) -> u64 {
    1 << word.len().min(63)
}

/// Whether a text is too short and too plain for a credential. `seen` is the union of the classes of
/// its bytes.
pub(crate) fn is_too_plain(text: &[u8], seen: u32) -> bool {
    text.len() < SHORTEST_TOKEN && seen & CREDENTIAL_MARK == 0
}

/// Whether a text holds a token that is recognised by itself, whatever stands around it.
pub(crate) fn holds_token(text: &[u8]) -> bool {
    find_jwt(text).is_some() || find_prefixed(text, bytes::union(text)).is_some()
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

/// Whether `is_it` is true of what a value would be after further decoding, where that changes it: up to
/// three passes of percent-decoding, which also undo what a path keeps encoded, then one of entities.
pub(crate) fn any_revealed(value: &[u8], cx: Context<'_>, mut is_it: impl FnMut(&[u8]) -> bool) -> bool {
    if memchr::memchr3(b'%', b'&', GUARD, value).is_none() {
        return false;
    }
    cx.spare.with(|text| {
        undo_escapes(value, GUARD, decode::escape, text);
        let mut is_other = text.len() != value.len();
        cx.spare.with(|next| {
            for _ in 0..3 {
                next.clear();
                undo_escapes(text, b'%', bytes::escape, next);
                if next.len() == text.len() && !is_other {
                    break;
                }
                is_other = false;
                if is_it(next) {
                    return true;
                }
                std::mem::swap(text, next);
            }
            next.clear();
            undo_entities(text, next);
            next.len() != text.len() && is_it(next)
        })
    })
}

/// Undoes escapes that begin with `sign`, as `escape` reads them.
fn undo_escapes(text: &[u8], sign: u8, escape: impl Fn(&[u8]) -> Option<u8>, out: &mut Vec<u8>) {
    let mut copied = 0;
    for at in memchr::memchr_iter(sign, text) {
        if at >= copied
            && let Some(byte) = text.get(at..).and_then(&escape)
        {
            out.extend_from_slice(text.get(copied..at).unwrap_or_default());
            out.push(byte);
            copied = at + 3;
        }
    }
    out.extend_from_slice(text.get(copied..).unwrap_or_default());
}

fn undo_entities(text: &[u8], out: &mut Vec<u8>) {
    let mut copied = 0;
    for at in memchr::memchr_iter(b'&', text) {
        if at >= copied
            && let Some(entity) = text.get(at..).and_then(decode::entities::at_start)
        {
            out.extend_from_slice(text.get(copied..at).unwrap_or_default());
            out.extend_from_slice(entity.decoded(&mut [0; 4]));
            copied = at + entity.len;
        }
    }
    out.extend_from_slice(text.get(copied..).unwrap_or_default());
}

/// A JSON Web Token anywhere in the text.
fn find_jwt(text: &[u8]) -> Option<Range<usize>> {
    if may_hold_jwt(text) { find_jwt_slow(text) } else { None }
}

/// Whether what may be the header of one stands before a dot, and another dot follows that.
fn may_hold_jwt(text: &[u8]) -> bool {
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

/// The prefixes of `CREDENTIAL_PREFIXES` by their first byte.
static PREFIXES: LazyLock<Vec<Prefixes>> = LazyLock::new(|| {
    let mut by_first = vec![Prefixes::default(); 256];
    for (prefix, alphabet, least) in CREDENTIAL_PREFIXES {
        let text = prefix.as_bytes();
        let &[first, second, ..] = text else { continue };
        if let Some(place) = by_first.get_mut(usize::from(first)) {
            place.seconds |= 1_u128.checked_shl(u32::from(second)).unwrap_or_default();
            place.list.push(Prefix { text, alphabet, least: least.parse().unwrap_or(usize::MAX) });
        }
    }
    by_first
});

/// Whether a prefix has nothing but hexadecimal digits, in lower case, and `-`.
static HAS_HEX: LazyLock<bool> = LazyLock::new(|| {
    CREDENTIAL_PREFIXES.iter().any(|(prefix, ..)| is_lower_hexadecimal(bytes::union(prefix.as_bytes())))
});

fn is_lower_hexadecimal(seen: u32) -> bool {
    bytes::is_hexadecimal(seen) && seen & UPPER == 0
}

/// The prefixes that begin with one byte.
#[derive(Clone, Default)]
struct Prefixes {
    /// What their second bytes are, a bit each.
    seconds: u128,
    list: Vec<Prefix>,
}

/// What a token begins with.
#[derive(Clone)]
struct Prefix {
    text: &'static [u8],
    /// What may follow, and the least of it that must.
    alphabet: &'static str,
    least: usize,
}

/// A token with a well-known prefix, not in the middle of a word; of several, the first. `seen` is the union of the
/// classes of its bytes.
fn find_prefixed(text: &[u8], seen: u32) -> Option<Range<usize>> {
    if text.len() < SHORTEST_TOKEN || seen & IN_PREFIXES == 0 || is_lower_hexadecimal(seen) && !*HAS_HEX {
        return None;
    }
    if seen & HIGH == 0 {
        return find_prefixed_in_ascii(text, seen);
    }
    word_starts(text, seen).find_map(|at| token_at(text, at))
}

/// The same, eight bytes at a time.
fn find_prefixed_in_ascii(text: &[u8], seen: u32) -> Option<Range<usize>> {
    let at_start = if may_begin_token(text, 0) { token_at(text, 0) } else { None };
    // Letters and digits alone are one word.
    if at_start.is_some() || seen & NO_ALNUM == 0 {
        return at_start;
    }
    let mut start = 0;
    while start < text.len() {
        let eight = eight_at(text, start);
        let mut others = !(eights::letters(eight) | eights::digits(eight)) & eights::TOPS;
        while others != 0 {
            let at = start + others.trailing_zeros() as usize / 8 + 1;
            others &= others - 1;
            if may_begin_token(text, at)
                && let Some(found) = token_at(text, at)
            {
                return Some(found);
            }
        }
        start += 8;
    }
    None
}

/// Whether the two characters at `at` may begin a prefix.
#[inline]
fn may_begin_token(text: &[u8], at: usize) -> bool {
    /// By the first character, a bit for each second one; some share a bit.
    const SECONDS: [u32; 256] = {
        let mut seconds = [0; 256];
        let mut row = 0;
        while row < CREDENTIAL_PREFIXES.len() {
            let prefix = CREDENTIAL_PREFIXES[row].0.as_bytes();
            seconds[prefix[0] as usize] |= 1 << (prefix[1] & 31);
            row += 1;
        }
        seconds
    };
    let [Some(first), Some(second)] = [at, at + 1].map(|at| text.get(at)) else { return false };
    SECONDS.get(usize::from(*first)).is_some_and(|seconds| seconds >> (second & 31) & 1 != 0)
}

/// The token with a well-known prefix that begins at `at`.
#[inline(never)]
fn token_at(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let Prefixes { seconds, list } = PREFIXES.get(usize::from(*rest.first()?))?;
    let second = rest.get(1).copied().unwrap_or_default();
    if *seconds == 0 || seconds.checked_shr(u32::from(second)).unwrap_or_default() & 1 == 0 {
        return None;
    }
    list.iter().find_map(|prefix| {
        let after = rest.strip_prefix(prefix.text)?;
        let len = after.iter().take_while(|&&b| in_alphabet(prefix.alphabet, b)).count();
        (len >= prefix.least).then(|| at..at + prefix.text.len() + len)
    })
}

/// One of these is in every prefix.
const IN_PREFIXES: u32 = UPPER | PATH_MARK | SLASH;

/// Where no letter or digit stands right before.
fn word_starts(text: &[u8], seen: u32) -> impl Iterator<Item = usize> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let at = next?;
        // Letters and digits alone are one word.
        let rest = if seen & NO_ALNUM == 0 { &[] } else { text.get(at..).unwrap_or_default() };
        next = rest.iter().position(|&b| !bytes::is(b, ALNUM)).map(|len| match rest.get(len) {
            // The digits of a guarded byte are no characters.
            Some(&GUARD) => at + len + 3,
            _ => at + len + 1,
        });
        Some(at)
    })
}

/// Whether no letter or digit stands right before `at`.
fn starts_word(text: &[u8], at: usize) -> bool {
    match text.get(..at).unwrap_or_default() {
        // What begins with the digits of a guarded byte is no word.
        [.., GUARD] | [.., GUARD, _] => false,
        before => before.last().is_none_or(|&b| !bytes::is(b, ALNUM)) || decode::ends_guarded(before),
    }
}

fn in_alphabet(alphabet: &str, byte: u8) -> bool {
    bytes::is(byte, ALNUM)
        || match alphabet {
            "word" => byte == b'_',
            "url" => matches!(byte, b'_' | b'-'),
            "dotted" => matches!(byte, b'_' | b'-' | b'.'),
            _ => false,
        }
}

/// The schemes that announce credentials in free text, and whether they are also plain words.
const SCHEMES: [(&[u8], bool); 6] = [
    (b"bearer", false),
    (b"basic", true),
    (b"digest", true),
    (b"token", true),
    (b"negotiate", false),
    (b"aws4-hmac-sha256", false),
];

/// A scheme word followed by credentials.
fn find_scheme(text: &[u8]) -> Option<Range<usize>> {
    if names_scheme(text) { find_scheme_slow(text) } else { None }
}

/// Whether a scheme word stands right before something that may stand between it and its credentials.
fn names_scheme(text: &[u8]) -> bool {
    let ends_with = |before: &[u8], scheme: &[u8]| {
        let start = before.len().checked_sub(scheme.len());
        start.and_then(|start| before.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(scheme))
    };
    let mut at = 0;
    while let Some(step) = text.get(at..).and_then(|rest| rest.iter().position(|&b| bytes::is(b, BLANK))) {
        let before = text.get(..at + step).unwrap_or_default();
        // The last letters of the schemes.
        if matches!(
            before.last(),
            Some(b'r' | b'R' | b'c' | b'C' | b't' | b'T' | b'n' | b'N' | b'e' | b'E' | b'6')
        ) && SCHEMES.iter().any(|(scheme, _)| ends_with(before, scheme))
        {
            return true;
        }
        at += step + 1;
    }
    false
}

fn find_scheme_slow(text: &[u8]) -> Option<Range<usize>> {
    SCHEMES.iter().find_map(|(scheme, is_word)| {
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
            let len = rest.iter().take_while(|&&b| bytes::is(b, TOKEN68)).count();
            let credentials = rest.get(..len)?;
            let telling = if *is_word {
                len >= 6 || credentials.iter().any(|&b| bytes::is(b, DIGIT) || b == b'=')
            } else {
                len > 0
            };
            if telling {
                let start = at + scheme.len() + blanks;
                // What a digest proves is spread over its parameters.
                let end = if *scheme == b"digest" { text.len() } else { start + len };
                return Some(start..end);
            }
        }
        None
    })
}

/// A PEM private key.
fn find_private_key(text: &[u8]) -> Option<Range<usize>> {
    static BEGIN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("-----BEGIN"));
    let at = BEGIN.find(text)?;
    let rest = text.get(at..)?;
    let private = [&b"PRIVATE KEY"[..], b"PRIVATE+KEY"];
    private.iter().any(|words| memchr::memmem::find(rest, words).is_some()).then_some(at..text.len())
}

/// Userinfo inside a URL, or after the `//` that begins the text.
fn find_userinfo(text: &[u8]) -> Option<Range<usize>> {
    let mut until = 0;
    let slashes = memchr::memchr_iter(b'/', text).filter(|at| text.get(at + 1) == Some(&b'/'));
    slashes.into_iter().find_map(|at| {
        let before = text.get(..at)?;
        let start = at + 2;
        if start < until || !(before.ends_with(b":") || before.is_empty()) {
            return None;
        }
        let authority = text.get(start..)?;
        let len = authority.iter().take_while(|&&b| !matches!(b, b'/' | b'?' | b'#' | b' ')).count();
        until = start + len;
        let userinfo = memchr::memrchr(b'@', authority.get(..len)?)?;
        let is_marker = marker::is_marker(authority.get(..userinfo)?);
        (userinfo > 0 && !is_marker).then(|| start..start + userinfo)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    #[test]
    fn words_start_where_no_letter_or_digit_stands_before() {
        for text in [&b""[..], b"ab1", b"a b", b" a--b ", b"\xFF8Bxoxb-1", b"a\xFF8B\xFF8Ba b", b"a\xFF8B"] {
            let found: Vec<usize> = word_starts(text, bytes::union(text)).collect();
            let expected: Vec<usize> = (0..=text.len()).filter(|&at| starts_word(text, at)).collect();
            assert_eq!(found, expected, "{}", text.escape_ascii());
        }
    }

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

    #[test]
    fn prefixes_are_found_alike() {
        let words = [
            "",
            "a",
            "Zq",
            "AKIAIOSFODNN7EXAMPLE",
            "ghp_0123456789abcdefghij",
            "xoxe.0123456789",
            "1//",
            "ya29.x",
        ];
        let between = ["", " ", "-", "_", "/", "..", "+="];
        for (a, b) in words.iter().flat_map(|a| words.map(|b| (a, b))) {
            for (x, y) in between.iter().flat_map(|x| between.map(|y| (x, y))) {
                for more in ["", "abcdefg", "abcdefgh-"] {
                    let text = format!("{more}{x}{a}{y}{b}");
                    let (text, seen) = (text.as_bytes(), bytes::union(text.as_bytes()));
                    let slow = word_starts(text, seen).find_map(|at| token_at(text, at));
                    assert_eq!(find_prefixed_in_ascii(text, seen), slow, "{}", text.escape_ascii());
                }
            }
        }
    }

    fn found(text: &str) -> Option<String> {
        let names = SensitiveNames::new(&[]);
        let range = with_context(|cx| names.find_credential(text.as_bytes(), cx))?;
        Some(text[range].to_owned())
    }

    #[test]
    fn every_prefix_has_what_is_looked_for() {
        for (prefix, ..) in CREDENTIAL_PREFIXES {
            assert!(bytes::union(prefix.as_bytes()) & IN_PREFIXES != 0, "{prefix}");
            assert!(prefix.len() > 1 && prefix.is_ascii());
        }
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
    fn no_token_is_shorter() {
        for (prefix, _, least) in CREDENTIAL_PREFIXES {
            assert!(prefix.len() + least.parse::<usize>().unwrap() >= SHORTEST_TOKEN, "{prefix}");
        }
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
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
