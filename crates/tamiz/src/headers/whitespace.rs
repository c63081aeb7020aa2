//! White space in header values (clauses 2.18 and 8.4): runs collapse, ends are trimmed, embedded
//! line ends become one space and are remembered.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice; pairs of line ends are counted among the line ends"
)]

use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, CONTROL, HIGH, SPACE};
use crate::context::Context;
use crate::flags::{Flag, Flags};
use crate::steps;
use crate::text::{Builder, Text};

/// Where an embedded line end stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Break {
    at: u32,
    double: bool,
}

impl Break {
    fn new(at: usize, double: bool) -> Self {
        Break { at: u32::try_from(at).unwrap_or(u32::MAX), double }
    }

    /// Where what follows it begins, in the collapsed value.
    pub(crate) fn at(self) -> usize {
        self.at as usize
    }

    /// Returns whether it was two or more in a row.
    pub(crate) fn is_double(self) -> bool {
        self.double
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Collapses a value. Borrows when there is nothing to collapse but the single SP after the colon.
pub(crate) fn collapse<'a>(
    value: Text<'a>,
    after_colon: bool,
    pairs_crlf: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> (Text<'a>, BumpVec<'a, Break>) {
    for at in memchr::memchr_iter(0, value.bytes) {
        flags.raise_at(Flag::BadCrlf, value, at..at + 1);
    }
    let value = after_space(value, after_colon);
    if is_collapsed(value.bytes) {
        (value, BumpVec::new_in(cx.bump))
    } else {
        collapse_slow(value, pairs_crlf, cx, flags)
    }
}

/// A value in which there is nothing to repair, to tell or to collapse but the single SP after the colon, without that,
/// and the union of the classes of its bytes.
pub(crate) fn as_it_came(value: &[u8], after_colon: bool) -> Option<(&[u8], u32)> {
    let value = value.strip_prefix(b" ").filter(|_| after_colon).unwrap_or(value);
    Some((value, classes_of_collapsed(value)?))
}

/// The union of the classes of the bytes of a value in which there is nothing to repair, to tell or to collapse; `None` for others.
pub(crate) fn classes_of_collapsed(value: &[u8]) -> Option<u32> {
    let classes = bytes::union(value);
    let is_clean = classes & (CONTROL | HIGH) == 0 && (classes & SPACE == 0 || has_single_spaces(value));
    is_clean.then_some(classes)
}

/// The value without the single SP that follows a colon.
fn after_space(value: Text<'_>, after_colon: bool) -> Text<'_> {
    match value.bytes {
        [b' ', ..] if after_colon => value.from(1),
        _ => value,
    }
}

fn is_collapsed(value: &[u8]) -> bool {
    memchr::memchr3(b'\t', b'\r', b'\n', value).is_none() && has_single_spaces(value)
}

/// Returns whether every SP stands alone, between other bytes.
fn has_single_spaces(value: &[u8]) -> bool {
    !matches!((value.first(), value.last()), (Some(b' '), _) | (_, Some(b' ')))
        && !bytes::doubles(value, [b' '])
}

/// Room for the line ends of a value: of a long one they are counted first.
fn breaks_in(value: &[u8]) -> usize {
    const SHORT: usize = 256;
    if value.len() < SHORT { 0 } else { memchr::memchr2_iter(b'\r', b'\n', value).count() }
}

fn collapse_slow<'a>(
    value: Text<'a>,
    pairs_crlf: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> (Text<'a>, BumpVec<'a, Break>) {
    steps::slow("white space collapsed");
    let mut builder = Builder::new(cx.bump, value.is_traced(), value.len());
    let mut breaks = BumpVec::with_capacity_in(breaks_in(value.bytes), cx.bump);
    let mut at = 0;
    while at < value.len() {
        let rest = value.bytes.get(at..).unwrap_or_default();
        let word = rest.iter().position(|&b| is_space(b)).unwrap_or(rest.len());
        builder.copy(value.slice(at..at + word));
        at += word;
        let rest = value.bytes.get(at..).unwrap_or_default();
        let run = rest.iter().position(|&b| !is_space(b)).unwrap_or(rest.len());
        if run == 0 {
            continue;
        }
        let spaces = value.slice(at..at + run);
        at += run;
        let pairs = if pairs_crlf { crlf_pairs(spaces.bytes) } else { 0 };
        let line_ends = raise_line_ends(spaces, flags) - pairs;
        let is_edge = builder.len() == 0 || at == value.len();
        let units = spaces.len() - pairs;
        if is_edge || units > 1 || spaces.bytes == b"\t" {
            flags.raise(Flag::WsPad, spaces);
        }
        if !is_edge {
            builder.put(b" ", spaces);
        }
        if line_ends > 0 {
            breaks.push(Break::new(builder.len(), line_ends > 1));
        }
    }
    (builder.finish(), breaks)
}

/// `BADCRLF` for each embedded CR and LF; returns how many there are.
fn raise_line_ends<'a>(spaces: Text<'a>, flags: &mut Flags<'a>) -> usize {
    let mut count = 0;
    for at in memchr::memchr2_iter(b'\r', b'\n', spaces.bytes) {
        flags.raise_at(Flag::BadCrlf, spaces, at..at + 1);
        count += 1;
    }
    count
}

fn crlf_pairs(spaces: &[u8]) -> usize {
    memchr::memmem::find_iter(spaces, b"\r\n").count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn collapsed(value: &str) -> (String, Vec<(usize, bool)>, Vec<&'static str>) {
        with_context(|cx| {
            let mut flags = cx.flags();
            let value = Text::request(value.as_bytes(), true);
            let (text, breaks) = collapse(value, true, true, cx, &mut flags);
            if let Some((came, classes)) = as_it_came(value.bytes, true) {
                assert_eq!((came, classes), (text.bytes, bytes::union(text.bytes)));
                assert!(breaks.is_empty() && flags.set.is_empty() && flags.marks().is_empty());
            }
            (
                String::from_utf8(text.bytes.to_vec()).unwrap(),
                breaks.iter().map(|b| (b.at(), b.double)).collect(),
                flags.set.iter().map(Flag::name).collect(),
            )
        })
    }

    #[test]
    fn padding() {
        for (value, text, flags) in [
            (" a b c", "a b c", &[][..]),
            ("a", "a", &[]),
            ("", "", &[]),
            (" ", "", &[]),
            ("  ", "", &["WSPAD"]),
            ("  a", "a", &["WSPAD"]),
            ("\ta", "a", &["WSPAD"]),
            (" a ", "a", &["WSPAD"]),
            (" a\tb", "a b", &["WSPAD"]),
            (" a  b", "a b", &["WSPAD"]),
        ] {
            assert_eq!(collapsed(value), (text.to_owned(), vec![], flags.to_vec()), "{value:?}");
        }
    }

    #[test]
    fn embedded_line_ends() {
        assert_eq!(collapsed(" a\nb"), ("a b".into(), vec![(2, false)], vec!["BADCRLF"]));
        assert_eq!(collapsed(" a\r\nb"), ("a b".into(), vec![(2, false)], vec!["BADCRLF"]));
        assert_eq!(collapsed(" a\n\nb"), ("a b".into(), vec![(2, true)], vec!["BADCRLF", "WSPAD"]));
        assert_eq!(collapsed(" a\n b"), ("a b".into(), vec![(2, false)], vec!["BADCRLF", "WSPAD"]));
        assert_eq!(collapsed(" a\n"), ("a".into(), vec![(1, false)], vec!["BADCRLF", "WSPAD"]));
    }
}
