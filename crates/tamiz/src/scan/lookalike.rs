//! Scan-alike characters (clause 7.9): what NFKC and best-fit mappings make of a value.

use std::ops::Range;
use std::sync::LazyLock;

use bumpalo::collections::Vec as BumpVec;

use super::characters::dangerous;
use super::{Kind, Scan};
use crate::bytes;
use crate::decode::{Char, char_indices, first_char, nfkc};
use crate::flags::{Flag, Flags};
use crate::lists::BEST_FIT;
use crate::steps;
use crate::text::{Builder, Text};

/// The best-fit table, by character.
static TABLE: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let mut table: Vec<(char, char)> = BEST_FIT
        .iter()
        .filter_map(|(code, plain)| {
            let code = u32::from_str_radix(code.strip_prefix("U+")?, 16).ok()?;
            Some((char::from_u32(code)?, plain.chars().next()?))
        })
        .collect();
    table.sort_unstable();
    table
});

/// Raises `BESTFIT`, and looks at what the value becomes.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
pub(super) fn flag<'a>(scan: &Scan<'a>, flags: &mut Flags<'a>) {
    let text = scan.text;
    if scan.classes & bytes::HIGH == 0 {
        return;
    }
    if !text.is_traced() {
        if let Some(becomes) = becomes_quick(scan, flags) {
            flag_become(scan, becomes, flags);
        }
        return;
    }
    let mut builder: Option<Builder<'a>> = None;
    let mut copied = 0;
    scan.cx.spare.with(|becomes| {
        for (at, c) in char_indices(text.bytes) {
            let Char::Plain(c) = c else { continue };
            becomes.clear();
            if !put_mapped(c, becomes) {
                continue;
            }
            let range = at..at + c.len_utf8();
            if quote_of(c).is_none() {
                becomes.iter().for_each(|plain| raise_plain(scan, *plain, range.clone(), flags));
            }
            let builder =
                builder.get_or_insert_with(|| Builder::new(scan.cx.bump, text.is_traced(), text.len()));
            builder.copy(text.slice(copied..at));
            builder.put(becomes, text.slice(range.clone()));
            copied = range.end;
        }
    });
    if let Some(mut builder) = builder {
        builder.copy(text.from(copied));
        flag_become(scan, builder.finish(), flags);
    }
}

/// Raises the flags of what a text becomes, in which a key is no URL.
fn flag_become<'a>(scan: &Scan<'a>, becomes: Text<'a>, flags: &mut Flags<'a>) {
    Scan { is_bare_key: false, ..scan.at(becomes) }.flag(flags);
}

/// Raises what is told of a character that becomes, or has in what it becomes, a plain one.
fn raise_plain<'a>(scan: &Scan<'a>, plain: u8, range: Range<usize>, flags: &mut Flags<'a>) {
    if let Some(flag) = dangerous(char::from(plain)).filter(|_| scan.kind != Kind::Brands) {
        // The others are what some languages are written with.
        if !matches!(flag, Flag::Paren | Flag::Semicolon | Flag::Pipe) {
            scan.raise(Flag::BestFit, range.clone(), flags);
        }
        if scan.kind != Kind::Cookie {
            scan.raise(flag, range, flags);
        }
    }
}

/// Replaces look-alike characters, without keeping offsets; `None` if there are none. Raises the flags of its
/// characters.
#[allow(clippy::arithmetic_side_effects, reason = "a number that is not zero has a lowest bit")]
fn becomes_quick<'a>(scan: &Scan<'a>, flags: &mut Flags<'a>) -> Option<Text<'a>> {
    steps::slow("look-alikes replaced");
    let text = scan.text;
    let mut out: Option<BumpVec<'a, u8>> = None;
    let mut copied = text.bytes;
    let mut rest = text.bytes;
    // The plain forms of full-width ones, a bit each.
    let mut narrow = [0_u64; 2];
    while let Some(at) = rest.iter().position(|byte| !byte.is_ascii()) {
        let mut from = rest.get(at..).unwrap_or_default();
        if is_full_width(from) {
            let out = out.get_or_insert_with(|| BumpVec::with_capacity_in(text.len(), scan.cx.bump));
            out.extend_from_slice_copy(before(copied, from));
            // They come in runs, and each has a plain form of its own.
            while let [0xEF, second, third, after @ ..] = from
                && let Some(plain) = nfkc::narrow_of(*second, *third)
            {
                if let Some(half) = narrow.get_mut(usize::from(plain >> 6)) {
                    *half |= 1 << (plain & 63);
                }
                out.push(plain);
                from = after;
            }
            (rest, copied) = (from, from);
            continue;
        }
        // Characters that stay, which U+FDFA becomes many of.
        let staying = nfkc::arabic_length(from);
        if staying > 0 {
            rest = from.get(staying..).unwrap_or_default();
            continue;
        }
        let Some(c) = first_char(from) else { break };
        let after = from.get(c.len()..).unwrap_or_default();
        rest = after;
        let Char::Plain(c) = c else { continue };
        scan.cx.spare.with(|becomes| {
            if put_mapped(c, becomes) {
                if quote_of(c).is_none() {
                    becomes.iter().for_each(|plain| raise_plain(scan, *plain, 0..text.len(), flags));
                }
                let out = out.get_or_insert_with(|| BumpVec::with_capacity_in(text.len(), scan.cx.bump));
                out.extend_from_slice_copy(before(copied, from));
                out.extend_from_slice_copy(becomes);
                copied = after;
            }
        });
    }
    for (mut half, first) in narrow.into_iter().zip([0, 64]) {
        while half != 0 {
            raise_plain(scan, first + half.trailing_zeros() as u8, 0..text.len(), flags);
            half &= half - 1;
        }
    }
    let mut out = out?;
    out.extend_from_slice_copy(copied);
    Some(Text::untraced(out.into_bump_slice()))
}

/// Returns whether a text begins with the full-width form of a character of ASCII.
fn is_full_width(text: &[u8]) -> bool {
    matches!(text, [0xEF, second, third, ..] if nfkc::narrow_of(*second, *third).is_some())
}

/// The part of a text before its end `from`.
fn before<'t>(text: &'t [u8], from: &[u8]) -> &'t [u8] {
    text.get(..text.len().saturating_sub(from.len())).unwrap_or_default()
}

/// The plain form of a typographic quote: prose is full of them, so that alone tells nothing.
fn quote_of(c: char) -> Option<u8> {
    match c {
        '\u{2018}'..='\u{201B}' => Some(b'\''),
        '\u{201C}'..='\u{201F}' => Some(b'"'),
        _ => None,
    }
}

/// Appends what another layer makes of a character, where that is something else; whether it is.
fn put_mapped(c: char, out: &mut Vec<u8>) -> bool {
    if c.is_ascii() {
        return false;
    }
    if let Some(quote) = quote_of(c) {
        out.push(quote);
        return true;
    }
    let known = TABLE.binary_search_by_key(&c, |(known, _)| *known).ok().and_then(|at| TABLE.get(at));
    match known {
        Some((_, plain)) => out.extend_from_slice(plain.encode_utf8(&mut [0; 4]).as_bytes()),
        None => return nfkc::put_nfkc_of(c, out),
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    #[test]
    fn full_width_forms_are_mapped_alike() {
        for c in '\u{80}'..=char::MAX {
            let mut buffer = [0; 4];
            if let [0xEF, second, third] = c.encode_utf8(&mut buffer).as_bytes()
                && let Some(plain) = nfkc::narrow_of(*second, *third)
            {
                let mut mapped = Vec::new();
                assert!(put_mapped(c, &mut mapped) && mapped == [plain], "{c:?}");
            }
        }
    }

    #[test]
    fn arabic_is_not_mapped() {
        for c in '\u{80}'..=char::MAX {
            let is_arabic = nfkc::arabic_length(c.encode_utf8(&mut [0; 4]).as_bytes()) > 0;
            assert!(!is_arabic || !put_mapped(c, &mut Vec::new()), "{c:?}");
        }
    }

    #[test]
    fn both_ways_to_map_agree() {
        let pieces =
            ["a", "<", "＜", "ｓ", "～", "｟", "é", "ﬁ", "\u{2039}", "“", "№", "\u{FFFD}", "😀", ";", "ｶﾞ"];
        let mut random = crate::context::tests::random();
        with_context(|cx| {
            for round in 0..3_000 {
                let mut bytes = Vec::new();
                for _ in 0..round % 8 {
                    match random(16) {
                        15 => bytes.extend_from_slice(b"\xFFC0"),
                        nth => bytes.extend_from_slice(pieces[nth as usize].as_bytes()),
                    }
                }
                for kind in [Kind::Value, Kind::Cookie, Kind::Brands] {
                    let told = |traced: bool| {
                        let text = Text::request(&bytes, traced);
                        let mut flags = cx.flags();
                        let classes = bytes::union(text.bytes);
                        flag(&Scan::new(text, classes, kind, cx), &mut flags);
                        let mut words = flags.words().to_vec();
                        words.sort_unstable_by_key(|(_, word)| *word);
                        (flags.set, words)
                    };
                    assert_eq!(told(false), told(true), "{}", bytes.escape_ascii());
                }
            }
        });
    }
}
