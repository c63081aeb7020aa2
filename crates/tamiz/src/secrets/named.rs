//! Values behind a sensitive name in free text: `name=value`, `name: value`, `<name>value` (clause 6.11).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;

use bumpalo::collections::Vec as BumpVec;

use super::MOST_CREDENTIALS;
use crate::bytes::{self, ALNUM};
use crate::context::Context;
use crate::decode::GUARD;
use crate::names::{SensitiveNames, is_name_byte};
use crate::show::marker;
use crate::steps;

impl SensitiveNames {
    /// Finds the values in an `authorization` that are secrets by name, or proofs.
    pub(crate) fn find_proofs<'a>(&self, value: &[u8], cx: Context<'a>) -> BumpVec<'a, Range<usize>> {
        let is_proof = |name: &[u8]| {
            name.eq_ignore_ascii_case(b"mac")
                || name.eq_ignore_ascii_case(b"response")
                || self.matches_plain(name, cx)
        };
        BumpVec::from_iter_in(named_values(value, is_proof).take(MOST_CREDENTIALS), cx.bump)
    }

    /// Returns whether the name that a text ends with, before a delimiter, may make a secret of its value.
    pub(crate) fn may_name_value(&self, before: &[u8]) -> bool {
        steps::slow("name may be sensitive");
        self.may_match_end(strip_marks(before)) && {
            let name = name_before(before);
            !name.is_ascii() || self.matches_slow(name)
        }
    }

    /// Finds a credential in a text without its markers; if there was a marker, the credential is all of the text.
    pub(super) fn find_without_markers(
        &self,
        text: &[u8],
        cx: Context<'_>,
        find: fn(&Self, &[u8], Context<'_>) -> Option<Range<usize>>,
    ) -> Option<Range<usize>> {
        if !marker::holds_marker(text, cx) {
            return find(self, text, cx);
        }
        cx.spare.with(|without| {
            marker::take_out(text, cx, without);
            find(self, without, cx).map(|_| 0..text.len())
        })
    }

    /// Finds `<name>value` with a sensitive name.
    pub(super) fn find_element(&self, text: &[u8], cx: Context<'_>) -> Option<Range<usize>> {
        memchr::memchr_iter(b'<', text).find_map(|at| {
            let name = element_name(text.get(at + 1..)?).filter(|name| self.matches_plain(name, cx))?;
            let start = at + name.len() + 2;
            let value = text.get(start..)?;
            Some(start..start + bytes::position(b'<', value).unwrap_or(value.len()))
        })
    }

    /// Finds `name=value` or `name: value` with a sensitive name.
    pub(super) fn find_named(&self, text: &[u8], cx: Context<'_>) -> Option<Range<usize>> {
        named_values(text, |name| self.matches_plain(name, cx)).next()
    }
}

/// The name of an element that a value follows: of what is behind a `<`.
pub(super) fn element_name(behind: &[u8]) -> Option<&[u8]> {
    let is_name = |byte: u8| {
        bytes::is(byte, ALNUM) || matches!(byte, b'_' | b'.' | b':' | b'-') || byte >= 0x80 && byte != GUARD
    };
    let len = behind.iter().take_while(|byte| is_name(**byte)).count();
    let (name, rest) = behind.split_at_checked(len)?;
    matches!(rest, [b'>', first, ..] if *first != b'<').then_some(name)
}

/// The values behind names that `is_sensitive` picks.
fn named_values(text: &[u8], is_sensitive: impl Fn(&[u8]) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    // The name that was judged last, and is no sensitive one: it may come again and again.
    let mut ordinary: &[u8] = b"";
    delimiters(text).filter_map(move |delimiter| {
        let name = name_before(text.get(from..delimiter.start)?);
        from = delimiter.end;
        if name.is_empty() || name == ordinary {
            return None;
        }
        if !is_sensitive(name) {
            ordinary = name;
            return None;
        }
        value_after(text, delimiter.end)
    })
}

/// The value behind a delimiter that ends at `at`, if there is one.
fn value_after(text: &[u8], at: usize) -> Option<Range<usize>> {
    let start = at + value_start(text.get(at..)?);
    let len = value_len(text.get(start..)?);
    (len > 0).then_some(start..start + len)
}

/// Returns whether a text has a full-width `=` or `:`.
pub(super) fn has_wide_delimiter(text: &[u8]) -> bool {
    memchr::memchr2_iter(0x9A, 0x9D, text)
        .any(|at| text.get(..at).is_some_and(|before| before.ends_with(&[0xEF, 0xBC])))
}

/// The places of `=` and `:`, also full-width.
fn delimiters(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    memchr::memchr3_iter(b'=', b':', 0xBC, text).filter_map(move |at| match text.get(at) {
        Some(0xBC) => {
            let start = at.checked_sub(1)?;
            matches!(text.get(start..)?, [0xEF, 0xBC, 0x9A | 0x9D, ..]).then_some(start..start + 3)
        }
        _ => Some(at..at + 1),
    })
}

/// The name that a text ends with, but for marks; it has no `=`, `:`, `%`, `&` or guarded byte.
fn name_before(text: &[u8]) -> &[u8] {
    let before = strip_marks(text);
    let len = before.iter().rev().take_while(|byte| is_name_byte(**byte)).count();
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
    let ends = |(at, byte): (usize, &u8)| {
        MAY_END_VALUE.get(usize::from(*byte)) == Some(&true)
            && (*byte != 0xC2 || control_len(text.get(at..).unwrap_or_default()) > 0)
    };
    text.iter().enumerate().position(ends).unwrap_or(text.len())
}

/// The bytes that end a value in free text: marks, `&`, `;`, `,` and controls, of which some have two bytes.
const MAY_END_VALUE: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0_u8;
    loop {
        ends[byte as usize] =
            matches!(byte, 0..=b' ' | b'"' | b'\'' | b'\\' | b'&' | b';' | b',' | 0x7F | 0xC2);
        if byte == u8::MAX {
            break;
        }
        byte = byte.wrapping_add(1);
    }
    ends
};

/// The length of the control character that a text begins with, zero for none.
fn control_len(text: &[u8]) -> usize {
    match text {
        [0..0x20 | 0x7F, ..] => 1,
        [0xC2, 0x80..=0x9F, ..] => 2,
        _ => 0,
    }
}

/// Returns whether a byte may be around a name or a value in free text: a blank, a quote, the escape of a quote.
pub(super) fn is_mark(byte: u8) -> bool {
    bytes::is_blank(byte) || matches!(byte, b'"' | b'\'' | b'\\')
}

/// Strips the marks before a delimiter, at most a handful.
#[inline]
fn strip_marks(text: &[u8]) -> &[u8] {
    if text.last().is_none_or(|last| !is_mark(*last)) {
        return text;
    }
    let marks = text.iter().rev().take(8).take_while(|&&b| is_mark(b)).count();
    text.get(..text.len() - marks).unwrap_or_default()
}
