//! Values made of items with `;name=value` parameters and quoted strings (clause 7.5): the
//! delimiters are structure, what they delimit is scanned.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use crate::context::Context;
use crate::flags::Flags;
use crate::scan::{self, Kind};
use crate::steps;
use crate::text::Text;

/// Scans what is between `,`, `;` and the quotes of well-formed strings, then all of it. `classes` is the union of the
/// classes of its bytes.
pub(crate) fn scan<'a>(
    text: Text<'a>,
    classes: u32,
    kind: Kind,
    secret: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) {
    // A value of which no character tells anything has no quote, and none of its pieces tells more.
    let closes = !scan::may_flag_characters(classes) || scan_pieces(text, kind, secret, cx, flags);
    let whole = match kind {
        Kind::Brands => Kind::Brands,
        _ if closes => Kind::Structured,
        _ => Kind::Free,
    };
    scan::content(text.with_classes(classes), whole, secret, cx, flags);
}

/// Returns whether every string closes.
fn scan_pieces<'a>(text: Text<'a>, kind: Kind, secret: bool, cx: Context<'a>, flags: &mut Flags<'a>) -> bool {
    steps::slow("parameters scanned");
    let mut start = 0;
    let mut at = 0;
    while let Some(step) = text.bytes.get(at..).and_then(|rest| memchr::memchr3(b';', b',', b'"', rest)) {
        at += step;
        match text.bytes.get(at).copied().unwrap_or_default() {
            b';' | b',' => {
                scan::characters(text.slice(start..at).classified(), kind, secret, cx, flags);
                at += 1;
                start = at;
            }
            _ => {
                let Some(close) = closing_quote(text.bytes, at) else {
                    scan::characters(text.from(start).classified(), kind, secret, cx, flags);
                    return false;
                };
                scan::characters(text.slice(start..at).classified(), kind, secret, cx, flags);
                scan::characters(text.slice(at + 1..close).classified(), kind, secret, cx, flags);
                at = close + 1;
                start = at;
            }
        }
    }
    scan::characters(text.from(start).classified(), kind, secret, cx, flags);
    true
}

/// The pieces between `separator`, which does not count inside quoted strings.
pub(crate) fn split_unquoted(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    // Once a string does not close, none after it is looked for: the search stays linear.
    let mut closes = true;
    std::iter::from_fn(move || {
        let text = rest?;
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            if byte == separator {
                rest = text.get(at + 1..);
                return text.get(..at);
            }
            at = match byte {
                b'"' if closes => {
                    let close = closing_quote(text, at);
                    closes = close.is_some();
                    close.unwrap_or(at) + 1
                }
                _ => at + 1,
            };
        }
        rest.take()
    })
}

/// Where the quoted string that opens at `open` closes (RFC 9110 section 5.6.4).
fn closing_quote(text: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes;
    use crate::context::tests::with_context;
    use crate::flags::Flag;

    fn flags(text: &str) -> Vec<&'static str> {
        with_context(|cx| {
            let mut flags = cx.flags();
            let classes = bytes::union(text.as_bytes());
            scan(Text::request(text.as_bytes(), true), classes, Kind::Free, false, cx, &mut flags);
            flags.set.iter().map(Flag::name).collect()
        })
    }

    #[test]
    fn delimiters_are_no_danger() {
        assert!(flags("text/html; charset=\"utf-8\", a;b=c").is_empty());
        assert_eq!(flags("a=\"b;c\""), ["SEMICOLON"]);
        assert_eq!(flags("a=\"b"), ["QUOTE"]);
        assert_eq!(flags("a=<b>"), ["ANGLE"]);
    }

    #[test]
    fn values_are_looked_at_in_pieces_where_that_tells() {
        for text in ["a, b=c; d", "a\u{7f}, b", "a, \u{200b}", "a,b", "a\\b", ",,", "a (b), c"] {
            with_context(|cx| {
                let text = Text::request(text.as_bytes(), true);
                let (mut whole, mut pieces) = (cx.flags(), cx.flags());
                scan(text, bytes::union(text.bytes), Kind::Free, false, cx, &mut whole);
                let closes = scan_pieces(text, Kind::Free, false, cx, &mut pieces);
                assert!(closes && pieces.set.iter().all(|flag| whole.set.contains(flag)));
            });
        }
    }
}
