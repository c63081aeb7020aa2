//! Framing (clause 8.29): where the request ends, and whether everyone would agree.
//!
//! Framing headers are checked against the body, never obeyed.

pub(crate) mod chunked;

use crate::bytes::{self, DIGIT};
use crate::context::Context;
use crate::flags::{Flag, Flags};
use crate::headers::Headers;
use crate::text::Text;

/// Raises the framing flags of a request. `body` is `None` where it is not known; in frames it needs no header to tell
/// its length.
pub(crate) fn check<'a>(
    headers: &Headers<'a>,
    body: Option<Text<'a>>,
    is_in_frames: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) {
    let lengths = || headers.lengths();
    let codings = || headers.named(b"transfer-encoding");
    let has_coding = codings().next().is_some();
    if let (Some(length), true) = (lengths().next(), has_coding) {
        flags.raise(Flag::ClTe, length);
    }
    let length = check_length(lengths(), flags);
    if let (Some(body), Some(length)) =
        (body, length.or_else(|| absent(lengths(), has_coding || is_in_frames)))
        && length != body.len() as u64
    {
        let evidence = lengths().next().unwrap_or(body);
        flags.raise(Flag::ClMismatch, evidence);
    }
    if check_coding(codings(), flags)
        && let Some(body) = body
    {
        chunked::check(body, flags);
    }
    for header in &headers.list {
        header.check_disguise(cx, flags);
    }
    if let Some(many) = &headers.many {
        flags.absorb(&many.flags);
    }
}

/// A request without a length has none, unless it tells in another way where its body ends.
fn absent<'a>(mut lengths: impl Iterator<Item = Text<'a>>, ends_itself: bool) -> Option<u64> {
    (lengths.next().is_none() && !ends_itself).then_some(0)
}

/// The length, where there is just one and it is a number.
fn check_length<'a>(lengths: impl Iterator<Item = Text<'a>>, flags: &mut Flags<'a>) -> Option<u64> {
    let mut length: Option<&'a [u8]> = None;
    let mut good = true;
    for value in lengths {
        let is_number = !value.is_empty() && bytes::all(value.bytes, DIGIT);
        if !is_number || length.is_some_and(|before| before != value.bytes) {
            flags.raise(Flag::BadCl, value);
            good = false;
        }
        length = Some(value.bytes);
    }
    let digits = std::str::from_utf8(length.filter(|_| good)?).ok()?;
    // A number too large for any body differs from every body.
    Some(digits.parse().unwrap_or(u64::MAX))
}

/// Returns whether the body is plainly chunked.
fn check_coding<'a>(codings: impl Iterator<Item = Text<'a>>, flags: &mut Flags<'a>) -> bool {
    let mut plain = false;
    for (nth, value) in codings.enumerate() {
        plain = nth == 0 && value.bytes == b"chunked";
        if !plain {
            flags.raise(Flag::BadTe, value);
        }
    }
    plain
}
