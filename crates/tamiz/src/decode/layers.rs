//! Further layers of encoding (clauses 6.12 and 7.7): percent escapes, entities and script escapes that are left in
//! decoded text.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;

use super::entities::{self, Entity};
use super::{GUARD, base64, escape, replaced, utf8};
use crate::bytes::{self, BACKSLASH, ENCODED};
use crate::context::Context;
use crate::steps;
use crate::text::{Builder, Text};

/// Which escapes are undone in one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// `%hh`.
    Percent,
    /// Entities, numeric ones without `;` too.
    Entities,
    /// `\xhh`, `\uhhhh`, `\u{h…}`.
    Script,
    /// All of these.
    Combined,
}

/// The text that an escape stands for.
pub(crate) enum Plain {
    Byte(u8),
    Char(char),
    Entity(Entity),
}

impl Plain {
    /// The bytes of it.
    pub(crate) fn bytes<'b>(&'b self, buffer: &'b mut [u8; 4]) -> &'b [u8] {
        match self {
            Plain::Byte(byte) => std::slice::from_ref(byte),
            Plain::Char(c) => c.encode_utf8(buffer).as_bytes(),
            Plain::Entity(entity) => entity.decoded(buffer),
        }
    }
}

impl Layer {
    /// The place of the next sign that an escape begins with: where there is one, another is mostly near.
    fn find(self, text: &[u8]) -> Option<usize> {
        match (self, text) {
            (Layer::Percent, [b'%', ..]) | (Layer::Entities, [b'&', ..]) => Some(0),
            (Layer::Percent, _) => bytes::position(b'%', text),
            (Layer::Entities, _) => bytes::position(b'&', text),
            (Layer::Script, _) => bytes::position(b'\\', text),
            (Layer::Combined, [b'%' | b'&' | b'\\', ..]) => Some(0),
            (Layer::Combined, _) => memchr::memchr3(b'%', b'&', b'\\', text),
        }
    }

    /// The escapes of a text, which do not overlap.
    pub(crate) fn escapes(self, text: &[u8]) -> impl Iterator<Item = (Range<usize>, Plain)> {
        let mut from = 0;
        std::iter::from_fn(move || {
            loop {
                let at = from + self.find(text.get(from..)?)?;
                let rest = text.get(at..)?;
                match at_start(rest) {
                    Some((plain, len)) => {
                        steps::count(len);
                        from = at + len;
                        return Some((at..from, plain));
                    }
                    None => from = at + 1,
                }
            }
        })
    }

    /// Appends a text with its escapes undone, where it has any; whether it has.
    fn write(self, text: &[u8], out: &mut Vec<u8>) -> bool {
        write_plain(text, self.escapes(text), out, |_| {})
    }

    /// Undoes the escapes of a text, to which guarded bytes are bytes; `None` where it has none. `reveal` is told each
    /// escape, in a text with these bytes, and what it stands for; where no evidence is kept, each character of ASCII
    /// that escapes stand for.
    pub(crate) fn undo<'a>(
        self,
        text: Text<'a>,
        cx: Context<'a>,
        mut reveal: impl FnMut(Text<'a>, Range<usize>, &[u8]),
    ) -> Option<Text<'a>> {
        let text = replaced(text, GUARD, escape, cx);
        let undone = with_plain(text, self.escapes(text.bytes), cx, &mut reveal)?;
        Some(utf8::repair(undone, cx, &mut cx.flags()))
    }
}

/// A text with its overlong forms read as a lenient decoder reads them; `None` where it has none. `reveal` is told each
/// of them.
pub(crate) fn with_overlong_read<'a>(
    text: Text<'a>,
    cx: Context<'a>,
    mut reveal: impl FnMut(Text<'a>, Range<usize>, &[u8]),
) -> Option<Text<'a>> {
    bytes::position(GUARD, text.bytes)?;
    let text = replaced(text, GUARD, escape, cx);
    let read = with_plain(text, overlong_forms(text.bytes), cx, &mut reveal)?;
    Some(utf8::repair(read, cx, &mut cx.flags()))
}

/// A text with its escapes replaced by what they stand for; `None` where there are none.
fn with_plain<'a>(
    text: Text<'a>,
    escapes: impl Iterator<Item = (Range<usize>, Plain)>,
    cx: Context<'a>,
    reveal: &mut impl FnMut(Text<'a>, Range<usize>, &[u8]),
) -> Option<Text<'a>> {
    if text.is_traced() {
        return with_plain_traced(text, escapes, cx, reveal);
    }
    // The characters of ASCII that escapes stand for, a bit each.
    let mut revealed = 0_u128;
    let undone = cx.spare.with(|out| {
        let is_escaped = write_plain(text.bytes, escapes, out, |plain| {
            for byte in plain.iter().filter(|byte| byte.is_ascii()) {
                revealed |= 1 << byte;
            }
        });
        is_escaped.then(|| &*cx.bump.alloc_slice_copy(out))
    })?;
    while revealed != 0 {
        reveal(text, 0..text.len(), &[revealed.trailing_zeros() as u8]);
        revealed &= revealed - 1;
    }
    Some(Text::untraced(undone))
}

fn with_plain_traced<'a>(
    text: Text<'a>,
    escapes: impl Iterator<Item = (Range<usize>, Plain)>,
    cx: Context<'a>,
    reveal: &mut impl FnMut(Text<'a>, Range<usize>, &[u8]),
) -> Option<Text<'a>> {
    let mut builder: Option<Builder<'a>> = None;
    let mut copied = 0;
    for (range, plain) in escapes {
        let mut buffer = [0; 4];
        let plain = plain.bytes(&mut buffer);
        reveal(text, range.clone(), plain);
        let builder = builder.get_or_insert_with(|| Builder::new(cx.bump, true, text.len()));
        if copied < range.start {
            builder.copy(text.slice(copied..range.start));
        }
        copied = range.end;
        builder.put(plain, text.slice(range));
    }
    let mut builder = builder?;
    builder.copy(text.from(copied));
    Some(builder.finish())
}

/// Appends a text with its escapes replaced by what they stand for, where there are any; whether there are. `reveal` is
/// told what each stands for.
fn write_plain(
    text: &[u8],
    escapes: impl Iterator<Item = (Range<usize>, Plain)>,
    out: &mut Vec<u8>,
    mut reveal: impl FnMut(&[u8]),
) -> bool {
    let mut copied = 0;
    for (range, plain) in escapes {
        if copied == 0 {
            out.reserve(text.len());
        }
        if copied < range.start {
            out.extend_from_slice(text.get(copied..range.start).unwrap_or_default());
        }
        match plain {
            Plain::Byte(byte) => {
                reveal(&[byte]);
                out.push(byte);
            }
            _ => {
                let mut buffer = [0; 4];
                let plain = plain.bytes(&mut buffer);
                reveal(plain);
                out.extend_from_slice(plain);
            }
        }
        copied = range.end;
    }
    if copied > 0 {
        out.extend_from_slice(text.get(copied..).unwrap_or_default());
    }
    copied > 0
}

/// The overlong forms of a text, and what a lenient decoder reads them as. No UTF-8 has the two bytes that one of them
/// begins with.
fn overlong_forms(text: &[u8]) -> impl Iterator<Item = (Range<usize>, Plain)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + text.get(from..)?.iter().position(|&byte| byte >= 0xC0)?;
            match overlong_form(text.get(at..)?) {
                Some((c, len)) => {
                    from = at + len;
                    return Some((at..from, Plain::Char(c)));
                }
                None => from = at + 1,
            }
        }
    })
}

fn overlong_form(text: &[u8]) -> Option<(char, usize)> {
    let more = |bytes: &[u8]| {
        bytes
            .iter()
            .try_fold(0, |code, byte| (byte & 0xC0 == 0x80).then(|| code << 6 | u32::from(byte & 0x3F)))
    };
    let (code, len) = match text {
        [first @ 0xC0..=0xC1, a, ..] => (u32::from(first & 1) << 6 | more(&[*a])?, 2),
        [0xE0, a @ 0x80..=0x9F, b, ..] => (more(&[*a, *b])?, 3),
        [0xF0, a @ 0x80..=0x8F, b, c, ..] => (more(&[*a, *b, *c])?, 4),
        _ => return None,
    };
    char::from_u32(code).map(|c| (c, len))
}

/// The escape of any layer that a text begins with, and its length.
fn at_start(text: &[u8]) -> Option<(Plain, usize)> {
    match text.first()? {
        b'%' => bytes::escape(text).map(|byte| (Plain::Byte(byte), 3)),
        b'&' => entities::at_start_unclosed(text).map(|entity| {
            let len = entity.len;
            (Plain::Entity(entity), len)
        }),
        _ => script_escape(text).map(|(c, len)| (Plain::Char(c), len)),
    }
}

/// ```text
/// "\x" 2HEXDIG / "\u" 4HEXDIG / "\u{" 1*6HEXDIG "}"
/// ```
fn script_escape(text: &[u8]) -> Option<(char, usize)> {
    let (digits, len) = match text {
        [b'\\', b'x', rest @ ..] => (rest.get(..2)?, 4),
        [b'\\', b'u', b'{', rest @ ..] => {
            let end = rest.iter().take(7).position(|&b| b == b'}')?;
            (rest.get(..end)?, end + 4)
        }
        [b'\\', b'u', rest @ ..] => (rest.get(..4)?, 6),
        _ => return None,
    };
    let code = digits.iter().try_fold(0, |code, &b| Some(code << 4 | u32::from(bytes::hex_value(b)?)))?;
    char::from_u32(code).filter(|_| !digits.is_empty()).map(|c| (c, len))
}

/// How many decodings may follow one another.
pub(crate) const DEPTH: usize = 3;

/// Returns whether a text, or what further decodings make of it, is Base64: then what it hides is not found in a text
/// that it is a part of.
pub(crate) fn hides_base64(text: &[u8], cx: Context<'_>) -> bool {
    let is_base64 = |text: &[u8], classes: u32| cx.spare.with(|plain| base64::read(text, classes, plain));
    let classes = bytes::union(text);
    is_base64(text, classes) || any_further(text, classes, cx, is_base64)
}

/// Returns whether `is_it` is true of one of the further texts of a value (clause 6.12), which are plain bytes, or of
/// its union of classes. `classes` is the union of the classes of the value's bytes.
pub(crate) fn any_further(
    value: &[u8],
    classes: u32,
    cx: Context<'_>,
    mut is_it: impl FnMut(&[u8], u32) -> bool,
) -> bool {
    if classes & ENCODED == 0 || bytes::position(GUARD, value).is_none() {
        return any_further_of_raw(value, classes, false, cx, &mut is_it);
    }
    cx.spare.with(|raw| {
        super::write_raw(value, raw);
        any_further_of_raw(raw, bytes::union(raw), true, cx, &mut is_it)
    })
}

/// Returns whether `is_it` is true of one of the further texts of plain bytes, some of which `were_guarded`.
fn any_further_of_raw(
    raw: &[u8],
    classes: u32,
    were_guarded: bool,
    cx: Context<'_>,
    is_it: &mut dyn FnMut(&[u8], u32) -> bool,
) -> bool {
    let mut is_any = |write: &dyn Fn(&mut Vec<u8>) -> bool| {
        cx.spare.with(|text| write(text) && is_any_from(text, cx, is_it))
    };
    let write_percent = |out: &mut Vec<u8>| {
        let is_escaped = Layer::Percent.write(raw, out);
        if !is_escaped && were_guarded {
            out.extend_from_slice(raw);
        }
        is_escaped || were_guarded
    };
    let is_encoded = classes & ENCODED != 0;
    (is_encoded || were_guarded) && is_any(&write_percent)
        || is_encoded && is_any(&|out| Layer::Entities.write(raw, out))
        || classes & BACKSLASH != 0 && is_any(&|out| Layer::Script.write(raw, out))
        || base64::encoded(raw, classes).is_some() && is_any(&|out| base64::read(raw, classes, out))
}

/// Returns whether `is_it` is true of a first text, of what the combined decodings make of it, or of the entities of
/// the last.
fn is_any_from(text: &mut Vec<u8>, cx: Context<'_>, is_it: &mut dyn FnMut(&[u8], u32) -> bool) -> bool {
    cx.spare.with(|next| {
        for depth in 1..=DEPTH {
            read_overlong(text, next);
            let classes = bytes::union(text);
            if is_it(text, classes) {
                return true;
            }
            next.clear();
            let is_other = if depth < DEPTH {
                write_combined(text, classes, next)
            } else {
                classes & ENCODED != 0 && Layer::Entities.write(text, next)
            };
            if !is_other {
                return false;
            }
            std::mem::swap(text, next);
        }
        is_it(text, bytes::union(text))
    })
}

/// Reads the overlong forms of a text; `spare` is to write in.
fn read_overlong(text: &mut Vec<u8>, spare: &mut Vec<u8>) {
    spare.clear();
    if !text.is_ascii() && write_plain(text, overlong_forms(text), spare, |_| {}) {
        std::mem::swap(text, spare);
    }
}

/// Appends what clause 7.7.5 makes of a text; whether it applies. `classes` is the union of the classes of its bytes.
fn write_combined(text: &[u8], classes: u32, out: &mut Vec<u8>) -> bool {
    if base64::read(text, classes, out) {
        return true;
    }
    out.clear();
    classes & (ENCODED | BACKSLASH) != 0 && Layer::Combined.write(text, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    #[test]
    fn escapes_are_undone_at_once() {
        for (text, layer, expected) in [
            ("%3Cb", Layer::Percent, Some("<b")),
            ("%253Cb", Layer::Percent, Some("%3Cb")),
            ("&#x3csc&#60s&lt;", Layer::Entities, Some("<sc<s<")),
            ("&#x3cb&#60", Layer::Entities, Some("\u{3cb}<")),
            ("&lt &#; &#x; &#xD800", Layer::Entities, None),
            (r"\u003c\x3e\u{3c}\u{", Layer::Script, Some("<><\\u{")),
            ("%26lt;&#37;3c\\u00253c", Layer::Combined, Some("&lt;%3c%3c")),
            ("%C3%A9", Layer::Combined, Some("\u{e9}")),
            ("%C0%AF%E0%80%AF%F0%80%80%BC", Layer::Percent, Some("//<")),
            ("a", Layer::Combined, None),
        ] {
            with_context(|cx| {
                let undone = layer.undo(Text::request(text.as_bytes(), true), cx, |_, _, _| {});
                let undone = undone.map(|text| with_overlong_read(text, cx, |_, _, _| {}).unwrap_or(text));
                assert_eq!(undone.map(|text| text.bytes), expected.map(str::as_bytes), "{text}");
                let mut out = Vec::new();
                assert_eq!(layer.write(text.as_bytes(), &mut out), expected.is_some(), "{text}");
                read_overlong(&mut out, &mut Vec::new());
                assert_eq!(out, expected.unwrap_or_default().as_bytes());
            });
        }
    }

    #[test]
    fn further_texts_are_bounded() {
        for (text, expected) in [
            ("%2525252541", &["%25252541", "%252541", "%2541"][..]),
            ("%252526lt;", &["%2526lt;", "%26lt;", "&lt;", "<"]),
            (
                "\\u002525&#50;6lt;",
                &["\\u00252526lt;", "%2526lt;", "%26lt;", "%25&#50;6lt;", "%26lt;", "&lt;", "<"],
            ),
        ] {
            let mut texts = Vec::new();
            with_context(|cx| {
                any_further(text.as_bytes(), bytes::union(text.as_bytes()), cx, |text, _| {
                    texts.push(String::from_utf8(text.to_vec()).unwrap());
                    false
                });
            });
            assert_eq!(texts, expected, "{text}");
        }
    }
}
