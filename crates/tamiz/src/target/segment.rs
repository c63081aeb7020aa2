//! Segments of a path (clauses 5.18 to 5.27): how each is cut by other layers, and how it is shown.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and counts of its parts")]

use super::identify::{identifies, is_plain_word};
use crate::bytes::{self, ALPHA, NO_ALNUM};
use crate::context::Context;
use crate::decode::{self, GUARD};
use crate::flags::Flags;
use crate::shape;
use crate::show::marker;
use crate::steps;
use crate::text::{Builder, Classified, Text};

/// A segment that collapsing left.
pub(crate) struct Segment<'a> {
    pub(crate) text: Text<'a>,
    pub(crate) shown: Shown,
}

/// How a segment is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// As it is.
    Text,
    /// As it is, but for the values of sensitive parameters.
    Parameters,
    /// By its shape.
    Shape,
    /// As a secret.
    Secret,
}

impl<'a> Segment<'a> {
    /// The segment, and its parts and their values where it has some: each may be encoded by itself.
    pub(crate) fn texts(&self) -> impl Iterator<Item = Text<'a>> + use<'a> {
        let has_parts = memchr::memchr2(b';', b'=', self.text.bytes).is_some();
        let parts = has_parts.then(|| self.text.split_at_each(b';'));
        let values = |part: Text<'a>| [Some(part), part.cut(b'=').map(|(_, value)| value)];
        std::iter::once(self.text).chain(parts.into_iter().flatten().flat_map(values).flatten())
    }
}

/// Whether a segment is `scheme:`, so that the next one is an authority.
pub(super) fn is_scheme(segment: &[u8]) -> bool {
    segment.strip_suffix(b":").is_some_and(shape::is_scheme)
}

/// Whether a segment holds userinfo: `user:password@host`, or any `@` where an authority stands.
pub(super) fn has_userinfo(segment: &[u8], after_scheme: bool) -> bool {
    memchr::memrchr(b'@', segment).is_some_and(|at| {
        let userinfo = segment.get(..at).unwrap_or_default();
        let colon = bytes::position(b':', userinfo).is_some_and(|colon| colon > 0 && colon + 1 < at)
            && bytes::position(b' ', userinfo).is_none();
        after_scheme || (colon && at + 1 < segment.len())
    })
}

/// A dot that NFKC gave birth to is guarded only where it would make a dot segment.
pub(super) fn without_needless_guards<'a>(segment: Text<'a>, cx: Context<'a>) -> Text<'a> {
    let is_dot = |at: usize| segment.bytes.get(at..at + 3) == Some(&[GUARD, b'2', b'E']);
    if !memchr::memchr_iter(GUARD, segment.bytes).any(is_dot) {
        return segment;
    }
    let mut builder = Builder::new(cx.bump, segment.is_traced(), segment.len());
    let mut copied = 0;
    for at in memchr::memchr_iter(GUARD, segment.bytes).filter(|&at| is_dot(at)) {
        builder.copy(segment.slice(copied..at));
        builder.put(b".", segment.slice(at..at + 3));
        copied = at + 3;
    }
    builder.copy(segment.from(copied));
    let plain = builder.finish();
    if pieces(plain).any(|piece| matches!(before_parameters(piece.bytes), b"." | b"..")) {
        segment
    } else {
        plain
    }
}

/// A segment cut where another layer would cut it: at `\`, `%2F`, `%5C`, `%3F`, `%23`.
pub(super) fn pieces(segment: Text<'_>) -> impl Iterator<Item = Text<'_>> {
    let mut rest = Some(segment);
    std::iter::from_fn(move || {
        let text = rest?;
        let cut = memchr::memchr3_iter(b'\\', b'%', GUARD, text.bytes).find_map(|at| {
            match text.bytes.get(at..)? {
                [b'\\', ..] => Some((at, 1)),
                escape => matches!(decode::escape(escape)?, b'/' | b'\\' | b'?' | b'#').then_some((at, 3)),
            }
        });
        match cut {
            None => rest.take(),
            Some((at, len)) => {
                rest = Some(text.from(at + len));
                Some(text.slice(0..at))
            }
        }
    })
}

/// Whether two dots stand side by side.
pub(super) fn has_dots(segment: &[u8]) -> bool {
    memchr::memchr_iter(b'.', segment).any(|at| segment.get(at + 1) == Some(&b'.'))
}

/// Returns the text before the first `;` or `%3B`.
pub(super) fn before_parameters(piece: &[u8]) -> &[u8] {
    let cut = memchr::memchr3_iter(b';', b'%', GUARD, piece).find(|&at| {
        let rest = piece.get(at..).unwrap_or_default();
        rest.first() == Some(&b';') || decode::escape(rest) == Some(b';')
    });
    piece.get(..cut.unwrap_or(piece.len())).unwrap_or_default()
}

/// `DOTTAIL`: where the tail that Windows drops begins.
pub(super) fn odd_tail(segment: &[u8]) -> Option<usize> {
    const STREAM: &[u8] = b"::$data";
    if !matches!(segment.last(), Some(b'.' | b' ' | b'a' | b'A')) {
        return None;
    }
    let stream = segment.len().checked_sub(STREAM.len());
    if let Some(at) = stream
        && segment.get(at..).is_some_and(|tail| tail.eq_ignore_ascii_case(STREAM))
    {
        return Some(at);
    }
    if !matches!(segment.last(), Some(b'.' | b' ')) {
        return None;
    }
    let last = pieces(Text::untraced(segment)).last().map_or(segment, |piece| piece.bytes);
    let odd = matches!(last.last(), Some(b'.' | b' ')) && last.iter().any(|&b| b != b'.');
    odd.then(|| segment.len() - 1)
}

/// Segments with more characters than this are shown by their shape, but in `core`.
const LONGEST_SHOWN: usize = 64;

/// Decides how a segment is shown, parameters first (clause 5.26).
pub(super) fn shown<'a>(segment: Classified<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Shown {
    let Classified { text: segment, classes } = segment;
    let (mut shown, mut is_whole) = (Shown::Text, true);
    for (part, value) in parts(segment, cx) {
        is_whole &= value.is_none();
        if let Some(value) = value.filter(|value| !marker::is_secret_marker(value.bytes)) {
            flags.hide(value);
            shown = Shown::Parameters;
        }
        let classes = if part.len() == segment.len() { classes } else { bytes::union(part.bytes) };
        if cx.settings.names.find_credential(part.bytes, classes, cx).is_some() {
            flags.hide(segment);
            return Shown::Secret;
        }
    }
    if is_hidden(segment.with_classes(classes), is_whole, cx) {
        flags.hide(segment);
        return Shown::Shape;
    }
    shown
}

/// Whether a segment is shown by its shape; `is_whole` where no part of it is hidden.
#[inline(always)]
pub(super) fn is_hidden<'a>(segment: Classified<'a>, is_whole: bool, cx: Context<'a>) -> bool {
    !(is_whole && is_plain_word(segment.text.bytes, segment.classes)) && is_hidden_slow(segment, is_whole, cx)
}

#[inline(never)]
fn is_hidden_slow<'a>(segment: Classified<'a>, is_whole: bool, cx: Context<'a>) -> bool {
    let options = &cx.settings.config.path;
    let is_number = || segment.text.len() >= 3 && segment.classes & (ALPHA | NO_ALNUM) == 0;
    options.identifiers && is_personal(segment, is_whole, cx) || options.numbers && is_number()
}

/// The parts of a segment between `;`: what may be shown of each, and the value that is hidden, by a marker already or not.
fn parts<'a>(segment: Text<'a>, cx: Context<'a>) -> impl Iterator<Item = (Text<'a>, Option<Text<'a>>)> {
    segment.split_at_each(b';').enumerate().map(move |(i, part)| {
        let value = if i > 0 { hidden_value(part, cx) } else { None };
        let len = value.map_or(part.len(), |value| part.len().saturating_sub(value.len() + 1));
        (part.slice(0..len), value)
    })
}

/// Whether a segment identifies someone or something, or is too long; hidden values left out.
fn is_personal<'a>(segment: Classified<'a>, is_whole: bool, cx: Context<'a>) -> bool {
    steps::slow("segment searched for personal data");
    let Classified { text: segment, classes } = segment;
    let most = if cx.settings.beyond_core() { LONGEST_SHOWN } else { usize::MAX };
    if is_whole {
        // No character has more than four bytes.
        let is_long = segment.len() / 4 > most || segment.len() > most && decode::chars(segment.bytes) > most;
        return is_long || identifies(segment.bytes, classes);
    }
    let len = |(part, value): (Text<'a>, Option<Text<'a>>)| {
        decode::chars(part.bytes) + usize::from(value.is_some()) + 1
    };
    parts(segment, cx).map(len).sum::<usize>() - 1 > most
        || parts(segment, cx).any(|(part, _)| identifies(part.bytes, bytes::union(part.bytes)))
}

/// The value of a `;name=value` whose name is sensitive, unless a marker hides it already.
pub(crate) fn sensitive_value<'a>(parameter: Text<'a>, cx: Context<'a>) -> Option<Text<'a>> {
    hidden_value(parameter, cx).filter(|value| !marker::is_secret_marker(value.bytes))
}

/// The value of a `;name=value` whose name is sensitive, also where a marker hides it.
pub(crate) fn hidden_value<'a>(parameter: Text<'a>, cx: Context<'a>) -> Option<Text<'a>> {
    let (name, value) = parameter.cut(b'=')?;
    cx.settings.names.matches(name.bytes, bytes::union(name.bytes), cx).then_some(value)
}
