//! The `accept` family (clauses 8.14 to 8.16): lists with qualities.

use std::cmp::Reverse;

use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, CONTROL, DANGER, DIGIT, ENCODED, HIGH, LOWER, NO_NAME, SPACE, UPPER};
use crate::context::Context;
use crate::show::escape::{self, Spot};

/// An item of a list: its name, escaped and folded, and its quality in thousandths.
#[derive(Clone, Copy)]
struct Item<'a> {
    /// How wide it is as a media range.
    width: u8,
    name: &'a [u8],
    quality: u16,
}

/// Cuts a list at `,` and at white space that no `;` or `=` is next to, so that the form's own
/// output reads as it was written. `classes` is the union of the classes of its bytes.
fn items<'a>(text: &'a [u8], classes: u32, cx: Context<'a>) -> BumpVec<'a, Item<'a>> {
    let mut items = BumpVec::with_capacity_in(8, cx.bump);
    let mut rest = if classes & SPACE == 0 { text } else { tight(text, cx) };
    loop {
        let (item, after) = Item::cut(rest, cx);
        if !item.name.is_empty() {
            items.push(item);
        }
        match after {
            [_, more @ ..] => rest = more,
            [] => return items,
        }
    }
}

/// A list without the blanks that stand next to `;` or `=`.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
fn tight<'a>(text: &'a [u8], cx: Context<'a>) -> &'a [u8] {
    let joins = |at: Option<usize>| matches!(at.and_then(|at| text.get(at)), Some(b';' | b'='));
    let is_dropped = |at: usize| joins(at.checked_sub(1)) || joins(Some(at + 1));
    if !memchr::memchr_iter(b' ', text).any(is_dropped) {
        return text;
    }
    cx.written(|tight| {
        let kept = text.iter().enumerate().filter(|(i, byte)| **byte != b' ' || !is_dropped(*i));
        tight.extend(kept.map(|(_, byte)| *byte));
    })
}

impl<'a> Item<'a> {
    /// Cuts the first item off a list; what follows it begins with its separator.
    fn cut(list: &'a [u8], cx: Context<'a>) -> (Self, &'a [u8]) {
        let mut classes = 0;
        let ends_name = |byte: &u8| {
            let class = bytes::class(*byte);
            classes |= class;
            class & (NO_NAME | DANGER) != 0
        };
        let len = list.iter().position(ends_name).unwrap_or(list.len());
        let (name, after) = list.split_at_checked(len).unwrap_or_default();
        let is_plain = classes & (UPPER | ENCODED | CONTROL | HIGH) == 0 && name.first() != Some(&b'[');
        match after {
            [] | [b',' | b' ', ..] if is_plain => (Item { width: width(name), name, quality: 1000 }, after),
            // Most qualities have one decimal.
            [b';', b'q', b'=', b'0', b'.', tenths @ b'0'..=b'9', after @ ..]
                if is_plain && matches!(after, [] | [b',' | b' ', ..]) =>
            {
                let quality = u16::from(tenths.saturating_sub(b'0')).saturating_mul(100);
                (Item { width: width(name), name, quality }, after)
            }
            _ => {
                let len = list.iter().position(|byte| matches!(byte, b',' | b' ')).unwrap_or(list.len());
                let (item, after) = list.split_at_checked(len).unwrap_or_default();
                (Item::read(item, cx), after)
            }
        }
    }

    fn read(text: &'a [u8], cx: Context<'a>) -> Self {
        let (raw, parameters) = match bytes::position(b';', text).and_then(|at| text.split_at_checked(at)) {
            Some((raw, [_, parameters @ ..])) => (raw, Some(parameters)),
            _ => (text, None),
        };
        let name = lowercase_name(raw, cx);
        let mut parameters = parameters.into_iter().flat_map(|text| text.split(|&b| b == b';'));
        let quality = parameters.find_map(quality_parameter).unwrap_or(1000);
        Item { width: width(name), name, quality }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.name);
        write_quality(self.quality, out);
    }
}

/// A name in lower case, escaped.
fn lowercase_name<'a>(raw: &'a [u8], cx: Context<'a>) -> &'a [u8] {
    let classes = bytes::union(raw);
    if classes & ENCODED == 0 && escape::is_plain(classes, Spot::Name) && raw.first() != Some(&b'[') {
        if classes & UPPER == 0 {
            return raw;
        }
        let name = cx.bump.alloc_slice_copy(raw);
        name.make_ascii_lowercase();
        return name;
    }
    cx.written(|out| {
        // A bracket after a space would look like a flag, and the order must not hang on that.
        let rest = raw.strip_prefix(b"[").inspect(|_| out.extend_from_slice(b"%5B"));
        escape::write_lowercase(rest.unwrap_or(raw), Spot::Name, cx, out);
    })
}

/// The quality that a parameter gives: `q=0.5`, or `q0.5` as this form writes it.
fn quality_parameter(parameter: &[u8]) -> Option<u16> {
    match parameter {
        [b'q' | b'Q', b'=', value @ ..] => Some(quality(value)),
        [b'q' | b'Q', value @ ..] if matches!(value.first(), Some(b) if bytes::is(*b, DIGIT)) => {
            Some(quality(value))
        }
        _ => None,
    }
}

/// RFC 9110 section 12.4.2, in thousandths; 0 when malformed:
/// `qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] )`.
#[allow(clippy::arithmetic_side_effects, reason = "three decimal digits")]
fn quality(text: &[u8]) -> u16 {
    let (whole, fraction) = match text {
        [whole @ (b'0' | b'1')] => (*whole, &b""[..]),
        [whole @ (b'0' | b'1'), b'.', fraction @ ..] => (*whole, fraction),
        _ => return 0,
    };
    if fraction.len() > 3 || !bytes::all(fraction, DIGIT) {
        return 0;
    }
    let digit = |i: usize| fraction.get(i).map_or(0, |d| u16::from(d - b'0'));
    let thousandths = digit(0) * 100 + digit(1) * 10 + digit(2);
    match (whole, thousandths) {
        (b'0', n) => n,
        (_, 0) => 1000,
        _ => 0,
    }
}

/// `;q` and at least one decimal.
fn write_quality(thousandths: u16, out: &mut Vec<u8>) {
    let digit = |n: u16| b'0'.saturating_add((n % 10) as u8);
    if thousandths.is_multiple_of(100) {
        out.extend_from_slice(&[b';', b'q', digit(thousandths / 1000), b'.', digit(thousandths / 100)]);
        return;
    }
    let decimals = [digit(thousandths / 100), digit(thousandths / 10), digit(thousandths)];
    let shown = decimals.iter().rposition(|&decimal| decimal != b'0').unwrap_or(0);
    out.extend_from_slice(&[b';', b'q', digit(thousandths / 1000), b'.']);
    out.extend_from_slice(decimals.get(..=shown).unwrap_or_default());
}

/// How wide a media range is: concrete types before `type/*` before `*/*`.
fn width(name: &[u8]) -> u8 {
    match name {
        b"*/*" | b"*" => 2,
        _ if name.ends_with(b"/*") => 1,
        _ => 0,
    }
}

fn write_items(items: &[Item<'_>], out: &mut Vec<u8>) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        item.write(out);
    }
}

/// `accept` and `accept-charset`.
pub(crate) fn write<'a>(text: &'a [u8], classes: u32, cx: Context<'a>, out: &mut Vec<u8>) {
    let mut items = items(text, classes, cx);
    items.sort_unstable_by(|a, b| {
        a.width.cmp(&b.width).then_with(|| a.name.cmp(b.name)).then(b.quality.cmp(&a.quality))
    });
    items.dedup_by(|a, b| a.name == b.name && a.quality == b.quality);
    write_items(&items, out);
}

/// `accept-encoding`: a set; only a refusal keeps its quality.
pub(crate) fn write_encoding<'a>(text: &'a [u8], classes: u32, cx: Context<'a>, out: &mut Vec<u8>) {
    let mut items = items(text, classes, cx);
    for item in items.iter_mut().filter(|item| item.quality == 0) {
        item.name = cx.written(|out| {
            out.extend_from_slice(item.name);
            out.extend_from_slice(b";q0.0");
        });
    }
    items.sort_unstable_by_key(|item| item.name);
    items.dedup_by_key(|item| item.name);
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(item.name);
    }
}

/// `accept-language`: by quality, then tag, as `ll-CC`.
pub(crate) fn write_language<'a>(text: &'a [u8], classes: u32, cx: Context<'a>, out: &mut Vec<u8>) {
    let mut items = items(text, classes, cx);
    for item in items.iter_mut().filter(|item| bytes::position(b'-', item.name).is_some()) {
        let tag = cx.bump.alloc_slice_copy(item.name);
        fold_language(tag);
        item.name = tag;
    }
    items.sort_unstable_by_key(|item| (Reverse(item.quality), item.name));
    items.dedup_by(|a, b| a.name == b.name && a.quality == b.quality);
    write_items(&items, out);
}

/// Two letters after the language are a region, four a script.
fn fold_language(tag: &mut [u8]) {
    for (i, subtag) in tag.split_mut(|&b| b == b'-').enumerate() {
        let letters = bytes::all(subtag, LOWER | UPPER);
        match (i, subtag.len()) {
            (1.., 2) if letters => subtag.make_ascii_uppercase(),
            (1.., 4) if letters => {
                if let Some(first) = subtag.first_mut() {
                    first.make_ascii_uppercase();
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn check(write: fn(&[u8], u32, Context<'_>, &mut Vec<u8>), cases: &[(&str, &str)]) {
        for (text, shown) in cases {
            let mut once = Vec::new();
            with_context(|cx| write(text.as_bytes(), bytes::union(text.as_bytes()), cx, &mut once));
            assert_eq!(String::from_utf8_lossy(&once), *shown, "{text}");
            let mut twice = Vec::new();
            with_context(|cx| write(&once, bytes::union(&once), cx, &mut twice));
            assert_eq!(twice, once, "its own output stays: {text}");
        }
    }

    #[test]
    fn types() {
        check(
            write,
            &[
                ("text/html;q=0.9, text/plain;q=0.8, */*;q=0.5", "text/html;q0.9 text/plain;q0.8 */*;q0.5"),
                ("*/*, text/*, Text/HTML", "text/html;q1.0 text/*;q1.0 */*;q1.0"),
                ("a/b; q=0.50 ; level=1, a/b;q=1.000, a/b", "a/b;q1.0 a/b;q0.5"),
                ("a/b;q=x, c/d;q=1.5, e/f;q=0.1234, g/h;q=0.123", "a/b;q0.0 c/d;q0.0 e/f;q0.0 g/h;q0.123"),
                ("", ""),
                (";q=1, a/b, ;", "a/b;q1.0"),
            ],
        );
    }

    #[test]
    fn encodings() {
        check(
            write_encoding,
            &[("gzip, deflate, br", "br deflate gzip"), ("gzip;q=1.0, *;q=0, gzip", "*;q0.0 gzip")],
        );
    }

    #[test]
    fn languages() {
        check(
            write_language,
            &[
                ("es-ar,en-us;q=0.8,en;q=0.5", "es-AR;q1.0 en-US;q0.8 en;q0.5"),
                ("ZH-hant-tw, *;q=0.1", "zh-Hant-TW;q1.0 *;q0.1"),
            ],
        );
    }
}
