//! Markers: `<shape:len>` and its kin, written and recognised (clauses 6.13, 6.15 and 6.19).

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice; twenty digits hold any number")]

use std::io::Write as _;
use std::ops::Range;

use crate::bytes::{self, SPACE};
use crate::context::Context;
use crate::decode;
use crate::lists::AUTH_SCHEMES;
use crate::shape::Shape;
use crate::show::charset::CharSet;
use crate::show::entropy::entropy_tenths;

/// Writes the marker of `text`: `<SECRET:alpha:10>` for a secret, else `<lower:5>`.
pub(crate) fn write(text: &[u8], secret: bool, cx: Context<'_>, out: &mut Vec<u8>) {
    Measured::of(text, bytes::union(text), cx).write(secret, out);
}

/// The measurements of a text that a marker shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    shape: Shape,
    chars: usize,
    entropy_tenths: Option<u64>,
    /// The signs of an open shape; empty for others, and in `core`.
    set: CharSet,
}

impl Measured {
    /// Measures a text; `classes` is the union of the classes of its bytes.
    pub(crate) fn of(text: &[u8], classes: u32, cx: Context<'_>) -> Self {
        let mut measured = Measured::with_shape(text, classes, Shape::of(text, classes), cx);
        if measured.shape.is_open() && cx.settings.beyond_core() {
            measured.set = match measured.shape {
                Shape::Words if classes & SPACE == 0 => CharSet::default(),
                // What joins words is a space.
                Shape::Words => CharSet::default().with(b' '),
                _ => CharSet::of(text),
            };
        }
        measured
    }

    /// Measures a text whose shape is known.
    pub(crate) fn with_shape(text: &[u8], classes: u32, shape: Shape, cx: Context<'_>) -> Self {
        let entropy_tenths = if cx.settings.entropy { entropy_tenths(text, cx.bump) } else { None };
        let chars = decode::chars_of(text, classes);
        Measured { shape, chars, entropy_tenths, set: CharSet::default() }
    }

    /// Leaves its signs out.
    pub(crate) fn alone(self) -> Self {
        Measured { set: CharSet::default(), ..self }
    }

    /// Counts the `+` of a query value as what they stand for.
    pub(crate) fn with_plus(mut self, plus: Plus) -> Self {
        self.set = plus.apply(self.set);
        self
    }

    pub(crate) fn write(&self, secret: bool, out: &mut Vec<u8>) {
        push_head(self.shape, secret, out);
        let has_set = !secret && !self.set.is_empty();
        if self.entropy_tenths.is_none() && !has_set {
            number_and(out, self.chars as u64, b'>');
            return;
        }
        number(out, self.chars as u64);
        if let Some(tenths) = self.entropy_tenths {
            let _ = write!(out, "~{}.{}", tenths / 10, tenths % 10);
        }
        if has_set {
            out.push(b':');
            self.set.write(out);
        }
        out.push(b'>');
    }
}

/// Writes `<shape:len>`, without the signs of the text.
pub(crate) fn write_alone(text: &[u8], cx: Context<'_>, out: &mut Vec<u8>) {
    Measured::of(text, bytes::union(text), cx).alone().write(false, out);
}

/// Writes `<SECRET:word:len>`.
pub(crate) fn write_secret(word: &str, len: usize, out: &mut Vec<u8>) {
    push(out, "<SECRET:");
    push(out, word);
    out.push(b':');
    number(out, len as u64);
    out.push(b'>');
}

/// Writes `<more:n>` after `separator`, where there are more than are shown.
pub(crate) fn write_more(all: usize, most: usize, separator: &str, out: &mut Vec<u8>) {
    if let Some(more) = all.checked_sub(most).filter(|more| *more > 0) {
        push(out, separator);
        push(out, "<more:");
        number(out, more as u64);
        out.push(b'>');
    }
}

/// Returns whether `text` reads like what [`write_more`] writes.
pub(crate) fn is_more(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"<more:").and_then(|rest| rest.strip_suffix(b">"));
    digits.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// The beginning of a marker fits into so many bytes, with the longest word of a shape.
const HEAD: usize = 24;

/// Writes the beginning of a marker, up to the colon behind the word of a shape.
#[allow(clippy::indexing_slicing, reason = "there is a head for each shape")]
fn push_head(shape: Shape, secret: bool, out: &mut Vec<u8>) {
    type Heads = [([u8; HEAD], usize); Shape::ALL.len()];
    const fn heads(start: &[u8]) -> Heads {
        let mut heads = [([b':'; HEAD], 0); Shape::ALL.len()];
        let mut nth = 0;
        while nth < heads.len() {
            let word = Shape::ALL[nth].as_str().as_bytes();
            let mut at = 0;
            while at < start.len() + word.len() {
                heads[nth].0[at] = if at < start.len() { start[at] } else { word[at - start.len()] };
                at += 1;
            }
            heads[nth].1 = at + 1;
            nth += 1;
        }
        heads
    }
    static PLAIN: Heads = heads(b"<");
    static SECRET: Heads = heads(b"<SECRET:");
    let (head, len) = if secret { &SECRET[shape.coarse() as usize] } else { &PLAIN[shape as usize] };
    // As many bytes for each, so that none is copied by itself.
    let start = out.len();
    out.extend_from_slice(head);
    out.truncate(start + len);
}

#[inline(always)]
pub(crate) fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

pub(crate) fn number(out: &mut Vec<u8>, n: u64) {
    number_and(out, n, 0);
    out.pop();
}

/// Writes a number and a byte.
#[inline]
pub(crate) fn number_and(out: &mut Vec<u8>, n: u64, end: u8) {
    if n >= 1000 {
        long_number(out, n);
        out.push(end);
        return;
    }
    let n = n as u32;
    let digits = ((n / 100) | ((n / 10 % 10) << 8) | ((n % 10) << 16) | (u32::from(end) << 24)) + 0x30_3030;
    let zeros = usize::from(n < 100) + usize::from(n < 10);
    // As many bytes for each.
    let len = out.len() + 4 - zeros;
    out.extend_from_slice(&(digits >> (8 * zeros)).to_le_bytes());
    out.truncate(len);
}

#[inline(never)]
fn long_number(out: &mut Vec<u8>, n: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = n;
    loop {
        at -= 1;
        if let Some(digit) = digits.get_mut(at) {
            *digit = b'0' + (rest % 10) as u8;
        }
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(at..).unwrap_or_default());
}

/// A marker, cut.
struct Cut<'t> {
    is_secret: bool,
    /// The digits of its length.
    digits: &'t [u8],
    /// The text before its set, and the set.
    set: Option<(&'t [u8], CharSet)>,
    /// True if `core` knows no such marker.
    is_beyond_core: bool,
}

impl Cut<'_> {
    /// Returns whether it is short enough to be left as it came.
    fn is_short(&self) -> bool {
        self.digits.len() <= 7
    }
}

/// Cuts a text that is exactly one marker of a known shape; `parse` reads its set.
fn cut(text: &[u8], parse: fn(&[u8]) -> Option<CharSet>) -> Option<Cut<'_>> {
    let inside = text.strip_prefix(b"<")?.strip_suffix(b">")?;
    let (is_secret, rest) = match inside.strip_prefix(b"SECRET:") {
        Some(rest) => (true, rest),
        None => (false, inside),
    };
    let mut pieces = rest.splitn(3, |&b| b == b':');
    let word = std::str::from_utf8(pieces.next()?).ok()?;
    let digits = length_digits(pieces.next()?)?;
    let shape = word.parse::<Shape>().ok();
    if shape.is_none()
        && !(is_secret && (matches!(word, "userinfo" | "other") || AUTH_SCHEMES.contains(&word)))
    {
        return None;
    }
    let set = match pieces.next() {
        None => None,
        Some(set) => {
            let is_open = !is_secret && shape.is_some_and(Shape::is_open);
            let before = text.get(..text.len().checked_sub(set.len() + 1)?)?;
            Some((before, parse(set).filter(|set| is_open && !set.is_empty())?))
        }
    };
    let is_beyond_core = set.is_some() || shape == Some(Shape::Json);
    Some(Cut { is_secret, digits, set, is_beyond_core })
}

/// The digits of
/// ```text
/// 1*DIGIT [ "~" 1*2DIGIT "." DIGIT ]
/// ```
fn length_digits(text: &[u8]) -> Option<&[u8]> {
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let mut parts = text.splitn(2, |&b| b == b'~');
    let length = parts.next().filter(|length| is_number(length))?;
    let is_entropy = parts.next().is_none_or(|entropy| match entropy {
        [whole @ .., b'.', tenth] => is_number(whole) && whole.len() <= 2 && tenth.is_ascii_digit(),
        _ => false,
    });
    is_entropy.then_some(length)
}

/// Returns whether `text` is exactly one marker of a known shape, with at most seven digits.
pub(crate) fn is_marker(text: &[u8]) -> bool {
    cut(text, CharSet::parse).is_some_and(|cut| cut.is_short())
}

/// Returns whether `text` is exactly one marker, of those that the profile knows.
pub(crate) fn is_known_marker(text: &[u8], cx: Context<'_>) -> bool {
    cut(text, CharSet::parse)
        .is_some_and(|cut| cut.is_short() && (!cut.is_beyond_core || cx.settings.beyond_core()))
}

/// Returns whether a value is a marker that is left as it is (clause 6.15): of a secret where its name is sensitive,
/// and without a set in `core`.
pub(crate) fn is_left(text: &[u8], sensitive: bool, cx: Context<'_>) -> bool {
    text.first() == Some(&b'<')
        && cut(text, CharSet::parse_decoded).is_some_and(|cut| {
            cut.is_short()
                && (cut.is_secret || !sensitive)
                && (!cut.is_beyond_core || cx.settings.beyond_core())
        })
}

/// Writes a marker that is left as it is, with its set as this form writes it.
pub(crate) fn write_left(text: &[u8], out: &mut Vec<u8>) {
    match cut(text, CharSet::parse_decoded).and_then(|cut| cut.set) {
        None => out.extend_from_slice(text),
        Some((before, set)) => {
            out.extend_from_slice(before);
            set.write(out);
            out.push(b'>');
        }
    }
}

/// The length that a text states which is exactly one marker.
pub(crate) fn stated_length(text: &[u8]) -> Option<usize> {
    let inside = text.strip_prefix(b"<").filter(|_| is_marker(text))?;
    let inside = inside.strip_prefix(b"SECRET:").unwrap_or(inside);
    let length = inside.get(bytes::position(b':', inside)? + 1..)?;
    let digits = length.iter().take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |number: usize, digit| number * 10 + usize::from(digit - b'0')))
}

/// The markers in a text that the profile knows.
fn markers<'t>(text: &'t [u8], cx: Context<'t>) -> impl Iterator<Item = Range<usize>> + 't {
    let mut from = 0;
    memchr::memchr_iter(b'<', text).filter_map(move |start| {
        if start < from {
            return None;
        }
        // The longest marker, with all signs, is well under 256 bytes, so the search stays linear.
        let head = text.get(start..text.len().min(start + 256)).unwrap_or_default();
        let close = bytes::position(b'>', head)?;
        head.get(..=close).filter(|head| is_known_marker(head, cx))?;
        from = start + close + 1;
        Some(start..from)
    })
}

/// Returns whether a marker may begin with a `<` and these bytes behind it: with a word and a colon.
pub(crate) fn may_begin(behind: &[u8]) -> bool {
    const LONGEST_WORD: usize = 16;
    let in_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-';
    let len = behind.iter().take(LONGEST_WORD).take_while(in_word).count();
    behind.get(len) == Some(&b':')
}

pub(crate) fn holds_marker(text: &[u8], cx: Context<'_>) -> bool {
    markers(text, cx).next().is_some()
}

/// Appends `text` without its markers.
pub(crate) fn take_out(text: &[u8], cx: Context<'_>, out: &mut Vec<u8>) {
    let mut copied = 0;
    for marker in markers(text, cx) {
        out.extend_from_slice(text.get(copied..marker.start).unwrap_or_default());
        copied = marker.end;
    }
    out.extend_from_slice(text.get(copied..).unwrap_or_default());
}

/// Returns whether `text` is a marker that this form writes, of whatever length.
pub(crate) fn is_written_marker(text: &[u8]) -> bool {
    cut(text, CharSet::parse).is_some()
}

/// How long a text is, without its set of signs where it is a marker that has one.
pub(crate) fn len_without_set(text: &[u8]) -> usize {
    let set = cut(text, CharSet::parse).and_then(|cut| cut.set);
    set.map_or(text.len(), |(before, _)| before.len())
}

/// Returns whether `text` is exactly one marker of a secret.
pub(crate) fn is_secret_marker(text: &[u8]) -> bool {
    cut(text, CharSet::parse).is_some_and(|cut| cut.is_secret && cut.is_short())
}

/// The meaning of `+` in a query value, for its set of signs (clause 6.19).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Plus {
    /// Each is a `+` that decoding gave.
    #[default]
    Sign,
    /// Each stood in the raw query.
    Space,
    /// There are some of both.
    Both,
}

impl Plus {
    /// Compares a raw query value with what it decodes to.
    pub(crate) fn of(raw: &[u8], decoded: &[u8]) -> Self {
        if bytes::position(b'+', raw).is_none() {
            Plus::Sign
        } else if std::ptr::eq(raw, decoded) {
            Plus::Space
        } else {
            let count = |text: &[u8]| memchr::memchr_iter(b'+', text).count();
            if count(decoded) > count(raw) { Plus::Both } else { Plus::Space }
        }
    }

    /// Replaces the `+` of a set, if it has one.
    pub(crate) fn apply(self, set: CharSet) -> CharSet {
        match self {
            _ if !set.contains(b'+') => set,
            Plus::Sign => set,
            Plus::Space => set.without(b'+').with(b' '),
            Plus::Both => set.with(b' '),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_markers_only() {
        for text in [
            "<num:5>",
            "<SECRET:alpha:10>",
            "<SECRET:bearer:142>",
            "<b64url:120~4.7>",
            "<mixed:1234567>",
            "<mixed:9~3.0:%20'*>",
            "<words:3:%20>",
        ] {
            assert!(is_marker(text.as_bytes()), "{text}");
            assert!(may_begin(&text.as_bytes()[1..]), "{text}");
        }
        for shape in Shape::ALL {
            assert!(may_begin(format!("{}:1>", shape.as_str()).as_bytes()), "{}", shape.as_str());
        }
        for text in [
            "<num:5",
            "<num:>",
            "<num:x>",
            "<nope:5>",
            "<bearer:5>",
            "<mixed:12345678>",
            "a<num:5>",
            "<num:5><num:5>",
            "<SECRET:num:5~>",
            "<len:5>",
            "<>",
            "<mixed:9:>",
            "<mixed:9:*'>",
            "<mixed:9:%20",
            "<mixed:9:a>",
            "<lower:9:*>",
            "<SECRET:mixed:9:*>",
            "<mixed:9:*:*>",
        ] {
            assert!(!is_marker(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn written_markers_may_be_long() {
        for text in ["<num:5>", "<mixed:12345678>", "<SECRET:userinfo:123456789012>", "<mixed:12345678~4.5>"]
        {
            assert!(is_written_marker(text.as_bytes()), "{text}");
        }
        for text in ["<mixed:>", "<mixed:1x>", "mixed:12345678", "<nope:12345678>", ""] {
            assert!(!is_written_marker(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn words_are_joined_by_spaces_alone() {
        let mut random = crate::context::tests::random();
        for _ in 0..100_000 {
            let pieces = ["a", "Z9", " ", "é", "你", "-", "ﷺ", "صلى الله", "\u{301}", "."];
            let text: String = (0..random(8)).map(|_| pieces[random(10) as usize]).collect();
            let classes = bytes::union(text.as_bytes());
            if Shape::of(text.as_bytes(), classes) == Shape::Words {
                let space = CharSet::default().with(b' ');
                let expected = if classes & SPACE == 0 { CharSet::default() } else { space };
                assert_eq!(CharSet::of(text.as_bytes()), expected, "{text}");
            }
        }
    }

    #[test]
    fn numbers() {
        for n in [0, 7, 10, 1234, u64::MAX] {
            let mut out = Vec::new();
            number(&mut out, n);
            assert_eq!(out, n.to_string().into_bytes());
        }
    }
}
