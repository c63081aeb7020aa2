//! JSON Web Tokens anywhere in a text (clause 6.11.1).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;

use crate::bytes::{self, ALNUM, B64URL_MARK};
use crate::decode::GUARD;
use crate::shape;

/// Returns whether the header of a token may begin in a text behind other characters of its segment, at `eyJ`.
#[inline]
pub(super) fn may_be_glued(text: &[u8]) -> bool {
    memchr::memchr_iter(b'J', text).any(|at| text.get(..at).is_some_and(|before| before.ends_with(b"ey")))
}

/// Finds the first token.
pub(super) fn find(text: &[u8]) -> Option<Range<usize>> {
    let in_token = |b: u8| bytes::is(b, ALNUM | B64URL_MARK) || b == b'.';
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..)?;
        let len = rest.iter().take_while(|&&b| in_token(b)).count();
        if let Some(found) = find_in_run(rest.get(..len)?) {
            return Some(at + found.start..at + found.end);
        }
        // The digits of a guarded byte are no part of what follows it.
        at += len + if rest.get(len) == Some(&GUARD) { 3 } else { 1 };
    }
    None
}

/// Tries each three neighbouring segments of a run of token characters.
fn find_in_run(run: &[u8]) -> Option<Range<usize>> {
    if memchr::memchr_iter(b'.', run).count() < 2 {
        return None;
    }
    let mut start = 0;
    while let Some(dot) = bytes::position(b'.', run.get(start..)?) {
        let payload = start + dot + 1;
        let payload_len = bytes::position(b'.', run.get(payload..)?)?;
        let header = run.get(start..start + dot)?;
        if let Some(glued) = header_in(header) {
            let start = start + glued;
            let signature = payload + payload_len + 1;
            let rest = run.get(signature..)?;
            let len = bytes::position(b'.', rest).unwrap_or(rest.len());
            return Some(start..signature + len);
        }
        start = payload;
    }
    None
}

/// Where the header of a token begins in a segment: at its start, or glued behind something else
/// at one of the first `eyJ` (`{"` in Base64).
fn header_in(segment: &[u8]) -> Option<usize> {
    let glued = memchr::memchr_iter(b'J', segment)
        .filter_map(|at| at.checked_sub(2).filter(|&start| segment.get(start..at) == Some(b"ey")))
        .take(8);
    std::iter::once(0).chain(glued).find(|&at| segment.get(at..).is_some_and(shape::is_jwt_header))
}
