//! The `accept` family (clauses 8.14 to 8.16): lists with qualities.

use crate::bytes::{self, DIGIT, LOWER, UPPER};
use crate::show::escape::{self, Spot};

/// An item of a list: its name, escaped and folded, and its quality in thousandths.
struct Item {
    name: Vec<u8>,
    quality: u16,
}

/// Cuts a list at `,` and at white space that no `;` or `=` is next to, so that the form's own
/// output reads as it was written.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
fn items(text: &[u8]) -> Vec<Item> {
    let mut tight = Vec::with_capacity(text.len());
    for (i, &byte) in text.iter().enumerate() {
        let joins = |b: Option<&u8>| matches!(b, Some(b';' | b'='));
        let before = i.checked_sub(1).and_then(|before| text.get(before));
        if byte == b' ' && (joins(before) || joins(text.get(i + 1))) {
            continue;
        }
        tight.push(byte);
    }
    let items = tight.split(|&b| b == b',' || b == b' ').map(Item::read);
    items.filter(|item| !item.name.is_empty()).collect()
}

impl Item {
    fn read(text: &[u8]) -> Item {
        let mut parts = text.split(|&b| b == b';');
        let mut name = Vec::with_capacity(text.len());
        let raw = parts.next().unwrap_or_default();
        // A bracket after a space would look like a flag, and the order must not hang on that.
        let raw = match raw.strip_prefix(b"[") {
            Some(rest) => {
                name.extend_from_slice(b"%5B");
                rest
            }
            None => raw,
        };
        escape::write_lowercase(raw, Spot::Name, &mut name);
        let quality = parts.find_map(quality_parameter).unwrap_or(1000);
        Item { name, quality }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.name);
        write_quality(self.quality, out);
    }
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
    let text = format!(";q{}.{:03}", thousandths / 1000, thousandths % 1000);
    let mut shown = text.as_str();
    while shown.ends_with("00") || (shown.ends_with('0') && !shown.ends_with(".0")) {
        shown = shown.strip_suffix('0').unwrap_or_default();
    }
    out.extend_from_slice(shown.as_bytes());
}

/// How wide a media range is: concrete types before `type/*` before `*/*`.
fn width(name: &[u8]) -> u8 {
    match name {
        b"*/*" | b"*" => 2,
        _ if name.ends_with(b"/*") => 1,
        _ => 0,
    }
}

fn write_items(items: &[Item], out: &mut Vec<u8>) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        item.write(out);
    }
}

/// `accept` and `accept-charset`.
pub(crate) fn write(text: &[u8], out: &mut Vec<u8>) {
    let mut items = items(text);
    items.sort_by(|a, b| {
        (width(&a.name), &a.name).cmp(&(width(&b.name), &b.name)).then(b.quality.cmp(&a.quality))
    });
    items.dedup_by(|a, b| a.name == b.name && a.quality == b.quality);
    write_items(&items, out);
}

/// `accept-encoding`: a set; only a refusal keeps its quality.
pub(crate) fn write_encoding(text: &[u8], out: &mut Vec<u8>) {
    let mut names: Vec<Vec<u8>> = items(text)
        .into_iter()
        .map(|mut item| {
            if item.quality == 0 {
                item.name.extend_from_slice(b";q0.0");
            }
            item.name
        })
        .collect();
    names.sort();
    names.dedup();
    out.extend_from_slice(&names.join(&b' '));
}

/// `accept-language`: by quality, then tag, as `ll-CC`.
pub(crate) fn write_language(text: &[u8], out: &mut Vec<u8>) {
    let mut items = items(text);
    for item in &mut items {
        fold_language(&mut item.name);
    }
    items.sort_by(|a, b| b.quality.cmp(&a.quality).then_with(|| a.name.cmp(&b.name)));
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

    fn check(write: fn(&[u8], &mut Vec<u8>), cases: &[(&str, &str)]) {
        for (text, shown) in cases {
            let mut once = Vec::new();
            write(text.as_bytes(), &mut once);
            assert_eq!(String::from_utf8_lossy(&once), *shown, "{text}");
            let mut twice = Vec::new();
            write(&once, &mut twice);
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
