//! Framing (clause 8.29): where the request ends, and whether everyone would agree.
//!
//! Framing headers are checked against the body, never obeyed.

pub(crate) mod chunked;

use bumpalo::collections::Vec as BumpVec;

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
    let mut lengths = BumpVec::new_in(cx.bump);
    let mut codings = BumpVec::new_in(cx.bump);
    if headers.has_opened() {
        lengths.extend(headers.named(b"content-length"));
        codings.extend(headers.named(b"transfer-encoding"));
    }
    lengths.extend(headers.finished_length);
    if let (Some(length), false) = (lengths.first(), codings.is_empty()) {
        flags.raise(Flag::ClTe, *length);
    }
    // A request without a length has no body, unless it tells in another way where that ends.
    let is_without = lengths.is_empty() && codings.is_empty() && !is_in_frames;
    let length = check_length(&lengths, flags).or_else(|| is_without.then_some(0));
    if let (Some(body), Some(length)) = (body, length)
        && length != body.len() as u64
    {
        flags.raise(Flag::ClMismatch, lengths.first().copied().unwrap_or(body));
    }
    if check_coding(&codings, flags)
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

/// The length, where there is just one and it is a number.
fn check_length<'a>(lengths: &[Text<'a>], flags: &mut Flags<'a>) -> Option<u64> {
    let mut length: Option<&'a [u8]> = None;
    let mut good = true;
    for value in lengths {
        let is_number = !value.is_empty() && bytes::all(value.bytes, DIGIT);
        if !is_number || length.is_some_and(|before| before != value.bytes) {
            flags.raise(Flag::BadCl, *value);
            good = false;
        }
        length = Some(value.bytes);
    }
    let digits = std::str::from_utf8(length.filter(|_| good)?).ok()?;
    // A number too large for any body differs from every body.
    Some(digits.parse().unwrap_or(u64::MAX))
}

/// Returns whether the body is plainly chunked.
fn check_coding<'a>(codings: &[Text<'a>], flags: &mut Flags<'a>) -> bool {
    let mut plain = false;
    for (nth, value) in codings.iter().enumerate() {
        plain = nth == 0 && value.bytes == b"chunked";
        if !plain {
            flags.raise(Flag::BadTe, *value);
        }
    }
    plain
}
