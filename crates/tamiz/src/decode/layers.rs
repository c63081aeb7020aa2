//! Further layers of encoding (clauses 6.12 and 7.7): percent escapes, entities and script escapes that are left in
//! decoded text.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

mod further;

use std::ops::Range;

use super::entities::{self, Entity};
use super::{GUARD, escape, may_be_guarded, percent, replaced, utf8};
use crate::bytes;
use crate::context::Context;
use crate::steps;
use crate::swar::{self, eight_at};
use crate::text::{Builder, Classified, Text};
pub(crate) use further::{DEPTH, any_further, any_unguarded, hides_base64};

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

/// The signs that escapes begin with.
const SIGNS: [u8; 3] = [b'%', b'&', b'\\'];

impl Layer {
    /// The place of the next sign that an escape begins with: where there is one, another is mostly near.
    #[inline(always)]
    fn find(self, text: &[u8]) -> Option<usize> {
        let Some(sign) = self.sign() else {
            let [percent, ampersand, backslash] = SIGNS;
            return memchr::memchr3(percent, ampersand, backslash, text);
        };
        let near = swar::position(sign, eight_at(text, 0));
        near.or_else(|| bytes::position(sign, text.get(8..)?).map(|at| at + 8))
    }

    /// The escapes of a text, which do not overlap.
    pub(crate) fn escapes(self, text: &[u8]) -> impl Iterator<Item = (Range<usize>, Plain)> + Clone {
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
    pub(crate) fn write(self, text: &[u8], out: &mut Vec<u8>) -> bool {
        self.write_and_reveal(text, out, &mut Revealed::default())
    }

    /// Appends a text with its escapes undone, where it has any; whether it has. Takes note of what they stand for.
    fn write_and_reveal(self, text: &[u8], out: &mut Vec<u8>, revealed: &mut Revealed) -> bool {
        steps::slow("escapes undone");
        let Some(first) = self.first_escape(text) else { return false };
        out.reserve(text.len());
        out.extend_from_slice(text.get(..first).unwrap_or_default());
        let mut at = first;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            match *rest {
                [b'%', high, low, ..]
                    if self.has(b'%')
                        && let Some(mut byte) = bytes::hex_byte(high, low) =>
                {
                    // They come in runs.
                    loop {
                        revealed.add(byte);
                        out.push(byte);
                        steps::count(3);
                        at += 3;
                        let Some(next) = text.get(at..).and_then(bytes::escape) else { break };
                        byte = next;
                    }
                }
                [sign @ (b'&' | b'\\'), ..]
                    if self.has(sign)
                        && let Some((plain, len)) = at_start(rest) =>
                {
                    let mut buffer = [0; 4];
                    let plain = plain.bytes(&mut buffer);
                    plain.iter().for_each(|byte| revealed.add(*byte));
                    out.extend_from_slice(plain);
                    steps::count(len);
                    at += len;
                }
                [byte, ref behind @ ..] => {
                    out.push(byte);
                    let plain = behind.get(..self.find(behind).unwrap_or(behind.len())).unwrap_or_default();
                    out.extend_from_slice(plain);
                    at += 1 + plain.len();
                }
                [] => {}
            }
        }
        true
    }

    /// The place of the first escape of a text.
    #[inline]
    fn first_escape(self, text: &[u8]) -> Option<usize> {
        if self == Layer::Percent {
            return percent::first_escape(text);
        }
        let mut from = 0;
        loop {
            let at = from + self.find(text.get(from..)?)?;
            if at_start(text.get(at..)?).is_some() {
                return Some(at);
            }
            from = at + 1;
        }
    }

    /// The sign that its escapes begin with, if there is one alone.
    #[inline(always)]
    fn sign(self) -> Option<u8> {
        match self {
            Layer::Percent => Some(b'%'),
            Layer::Entities => Some(b'&'),
            Layer::Script => Some(b'\\'),
            Layer::Combined => None,
        }
    }

    /// Returns whether its escapes begin with a sign, which is one of [`SIGNS`].
    #[inline(always)]
    fn has(self, sign: u8) -> bool {
        self.sign().is_none_or(|own| own == sign)
    }

    /// Undoes the escapes of a text, to which guarded bytes are bytes; `None` where it has none. `reveal` is told each
    /// escape, in a text with these bytes, and what it stands for; where no evidence is kept, each character of ASCII
    /// that escapes stand for.
    pub(crate) fn undo<'a>(
        self,
        Classified { text, classes }: Classified<'a>,
        cx: Context<'a>,
        mut reveal: impl FnMut(Text<'a>, Range<usize>, &[u8]),
    ) -> Option<Text<'a>> {
        let text = if may_be_guarded(classes) { replaced(text, GUARD, escape, cx) } else { text };
        let undone = if text.is_traced() {
            with_plain_traced(text, self.escapes(text.bytes), cx, &mut reveal)?
        } else {
            with_plain(text, cx, &mut reveal, |out, revealed| {
                self.write_and_reveal(text.bytes, out, revealed)
            })?
        };
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
    let read = if text.is_traced() {
        let forms = utf8::overlong_forms(text.bytes).map(|(range, c)| (range, Plain::Char(c)));
        with_plain_traced(text, forms, cx, &mut reveal)?
    } else {
        with_plain(text, cx, &mut reveal, |out, revealed| write_overlong_read(text.bytes, out, revealed))?
    };
    Some(utf8::repair(read, cx, &mut cx.flags()))
}

/// A text with its escapes replaced by what they stand for, as `write` does; `None` where there are none.
fn with_plain<'a>(
    text: Text<'a>,
    cx: Context<'a>,
    reveal: &mut impl FnMut(Text<'a>, Range<usize>, &[u8]),
    write: impl FnOnce(&mut Vec<u8>, &mut Revealed) -> bool,
) -> Option<Text<'a>> {
    let mut revealed = Revealed::default();
    let undone = cx.spare.with(|out| write(out, &mut revealed).then(|| &*cx.bump.alloc_slice_copy(out)))?;
    // Those beyond ASCII are no characters.
    for (quarter, first) in revealed.0.into_iter().zip([0, 64]) {
        let mut rest = quarter;
        while rest != 0 {
            reveal(text, 0..text.len(), &[first + rest.trailing_zeros() as u8]);
            rest &= rest - 1;
        }
    }
    Some(Text::untraced(undone))
}

/// Appends what a text has between the last escape and the one at `start`.
#[inline(always)]
fn copy_before(start: usize, copied: usize, text: &[u8], out: &mut Vec<u8>) {
    if copied == 0 {
        out.reserve(text.len());
    }
    if copied < start {
        out.extend_from_slice(text.get(copied..start).unwrap_or_default());
    }
}

/// The bytes that escapes stand for, a bit each.
#[derive(Default)]
struct Revealed([u64; 4]);

impl Revealed {
    #[inline(always)]
    fn add(&mut self, byte: u8) {
        if let Some(quarter) = self.0.get_mut(usize::from(byte >> 6)) {
            *quarter |= 1 << (byte & 63);
        }
    }
}

/// A text with its escapes replaced by what they stand for, each with where it came from; `None` where there are none.
fn with_plain_traced<'a>(
    text: Text<'a>,
    escapes: impl Iterator<Item = (Range<usize>, Plain)> + Clone,
    cx: Context<'a>,
    reveal: &mut impl FnMut(Text<'a>, Range<usize>, &[u8]),
) -> Option<Text<'a>> {
    // Origins are counted first: there may be as many as escapes, and a list that doubles takes thrice its room.
    let (mut origins, mut copied) = (0, 0);
    for (range, _) in escapes.clone() {
        origins += 1 + usize::from(copied < range.start);
        copied = range.end;
    }
    if origins == 0 {
        return None;
    }
    let mut builder = Builder::traced(cx.bump, text.len(), origins + 1);
    let mut copied = 0;
    for (range, plain) in escapes {
        let mut buffer = [0; 4];
        let plain = plain.bytes(&mut buffer);
        reveal(text, range.clone(), plain);
        if copied < range.start {
            builder.copy(text.slice(copied..range.start));
        }
        copied = range.end;
        builder.put(plain, text.slice(range));
    }
    builder.copy(text.from(copied));
    Some(builder.finish())
}

/// Appends a text with its overlong forms read, where there are any; whether there are. Takes note of what they stand for.
fn write_overlong_read(text: &[u8], out: &mut Vec<u8>, revealed: &mut Revealed) -> bool {
    let mut copied = 0;
    for (range, c) in utf8::overlong_forms(text) {
        copy_before(range.start, copied, text, out);
        let mut buffer = [0; 4];
        let plain = c.encode_utf8(&mut buffer).as_bytes();
        plain.iter().for_each(|byte| revealed.add(*byte));
        out.extend_from_slice(plain);
        copied = range.end;
    }
    if copied > 0 {
        out.extend_from_slice(text.get(copied..).unwrap_or_default());
    }
    copied > 0
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

#[cfg(test)]
mod tests {
    use super::further::read_overlong;
    use super::*;
    use crate::context::tests::with_context;

    #[test]
    fn origins_of_many_escapes_take_their_room_once() {
        let text = "%3C".repeat(20_000);
        with_context(|cx| {
            let undone =
                Layer::Percent.undo(Text::request(text.as_bytes(), true).classified(), cx, |_, _, _| {});
            assert_eq!(undone.map(|undone| undone.len()), Some(20_000));
            assert!(cx.bump.allocated_bytes() < 1_000_000, "{}", cx.bump.allocated_bytes());
        });
    }

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
                let undone = layer.undo(Text::request(text.as_bytes(), true).classified(), cx, |_, _, _| {});
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
