//! Serialised objects and compressed data in values (clause 7.6).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::sync::LazyLock;

use data_encoding::{BASE64, BASE64URL};
use memchr::memmem::Finder;

use super::{Kind, Scan};
use crate::bytes::{self, ALNUM, BANG, COLON, CONTROL, DIGIT, HEX_LETTER, HIGH, UNDERSCORE};
use crate::context::Context;
use crate::decode::{self, GUARD};
use crate::flags::{Flag, Flags};
use crate::steps;

/// How many bytes of a value are decoded to look at its beginning: a multiple of four.
const HEAD: usize = 24;

/// How long `aced0005` is.
const STREAM_LEN: usize = 8;

/// Texts as long as this are searched at once.
const LONG: usize = 64;

/// Raises `SERIAL` and `GZIPMAGIC`.
pub(super) fn flag<'a>(scan: &Scan<'a>, flags: &mut Flags<'a>) {
    let text = scan.text.bytes;
    let all = 0..text.len();
    if text.len() < 3 {
        return;
    }
    if scan.classes & (COLON | BANG | CONTROL | UNDERSCORE) == 0 {
        // Digits may be of a stream, and of nothing else.
        if scan.classes & DIGIT != 0 && holds_java(text, scan.cx) {
            scan.raise_word(Flag::Serial, "java", all.clone(), flags);
        }
    } else {
        for word in written(scan) {
            scan.raise_word(Flag::Serial, word, all.clone(), flags);
        }
    }
    let mut head = [0; HEAD];
    let plain = if scan.classes & HIGH == 0 { text } else { plain_head(text, &mut head) };
    let first = plain.first().copied().unwrap_or_default();
    if bytes::is(first, CONTROL | HIGH) {
        flag_magic(scan, plain, flags);
    }
    if !begins_like_data(plain) {
        return;
    }
    let mut decoded = [0; HEAD];
    if let Some(decoded) = base64_head(plain, &mut decoded) {
        flag_magic(scan, decoded, flags);
    }
}

/// Returns whether a text begins with what the first bytes of [`flag_magic`] are in Base64.
#[inline]
pub(super) fn begins_like_data(text: &[u8]) -> bool {
    matches!(text, [b'H', b'4', ..] | [b'r', b'O', ..] | [b'A' | b'B' | b'g', b'A', ..])
}

/// The flags of the first bytes of binary data.
fn flag_magic<'a>(scan: &Scan<'a>, head: &[u8], flags: &mut Flags<'a>) {
    let all = 0..scan.text.len();
    let word = match head {
        [0x1F, 0x8B, 0x08, ..] => {
            scan.raise(Flag::GzipMagic, all, flags);
            return;
        }
        [0xAC, 0xED, 0x00, 0x05, ..] => "java",
        [0x00, 0x01, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, ..] => "dotnet",
        [0x80, 2..=5, b'c' | b'}' | b']' | b'(' | 0x95 | b'X' | b'q', ..] => "python",
        [0x04, 0x08, b'o' | b'[' | b'{' | b'I' | b'U' | b'u' | b'e' | b'C' | b'S', ..] => "ruby",
        _ => return,
    };
    scan.raise_word(Flag::Serial, word, all, flags);
}

/// Raises `SERIAL` for what `:` and `!` are signs of.
pub(super) fn flag_written<'a>(scan: &Scan<'a>, flags: &mut Flags<'a>) {
    if scan.classes & BANG != 0 {
        flag(scan, flags);
    } else if holds_php_object(scan.text.bytes, scan.kind) {
        scan.raise_word(Flag::Serial, "php", 0..scan.text.len(), flags);
    }
}

/// The first bytes of decoded text, guarded bytes as bytes.
fn plain_head<'b>(text: &[u8], head: &'b mut [u8; HEAD]) -> &'b [u8] {
    let (mut at, mut len) = (0, 0);
    for slot in head.iter_mut() {
        let rest = text.get(at..).unwrap_or_default();
        let (byte, width) = match rest {
            [] => break,
            [GUARD, ..] => (crate::decode::escape(rest).unwrap_or(GUARD), 3),
            [byte, ..] => (*byte, 1),
        };
        *slot = byte;
        at += width;
        len += 1;
    }
    head.get(..len).unwrap_or_default()
}

/// The first bytes of what a Base64 value of 12 or more decodes to.
fn base64_head<'b>(text: &[u8], decoded: &'b mut [u8; HEAD]) -> Option<&'b [u8]> {
    let (encoding, head) =
        [(BASE64, b"+/"), (BASE64URL, b"-_")].into_iter().find_map(|(encoding, signs)| {
            let in_alphabet = |b: &&u8| bytes::is(**b, ALNUM) || signs.contains(b);
            let len = text.iter().take(HEAD).take_while(in_alphabet).count();
            Some((encoding, text.get(..len / 4 * 4).filter(|head| head.len() >= 12)?))
        })?;
    let len = encoding.decode_len(head.len()).ok()?;
    let len = encoding.decode_mut(head, decoded.get_mut(..len)?).ok()?;
    decoded.get(..len)
}

/// Objects that are written as text.
fn written(scan: &Scan<'_>) -> impl Iterator<Item = &'static str> {
    let (text, classes, cx) = (scan.text.bytes, scan.classes, scan.cx);
    let has = |needle: &[u8]| bytes::find_ignore_case(text, needle).is_some();
    let tagged = classes & BANG != 0;
    let python = || {
        tagged && has(b"!!python/") || classes & (CONTROL | UNDERSCORE) != 0 && holds_pickle(text, classes)
    };
    let ruby = || tagged && (has(b"!ruby/object") || has(b"!ruby/hash") || has(b"!ruby/struct"));
    let java =
        || tagged && has(b"!!javax.script.") || may_begin_stream(text, classes) && holds_java(text, cx);
    let found = [
        ("php", classes & COLON != 0 && holds_php_object(text, scan.kind)),
        ("python", python()),
        ("ruby", ruby()),
        ("java", java()),
    ];
    found.into_iter().filter(|(_, found)| *found).map(|(word, _)| word)
}

/// A Java stream in hexadecimal digits, none of which is of a guarded byte.
fn holds_java(text: &[u8], cx: Context<'_>) -> bool {
    steps::slow("searched for Java objects");
    holds_stream(text) && cx.spare.with(|plain| holds_stream(decode::without_guarded(text, plain)))
}

/// Returns whether the hexadecimal digits of a Java stream may be in a text; `classes` is the union of the classes of
/// its bytes.
pub(super) fn may_begin_stream(text: &[u8], classes: u32) -> bool {
    text.len() >= STREAM_LEN && classes & DIGIT != 0 && classes & HEX_LETTER != 0
}

/// `aced0005`, what Java's own streams begin with, in hexadecimal.
pub(super) fn holds_stream(text: &[u8]) -> bool {
    steps::slow("searched for streams");
    static DIGITS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("0005"));
    let is_worth_it = text.len() >= LONG || bytes::has_three(text, b'0');
    is_worth_it
        && DIGITS.find_iter(text).any(|at| {
            let head = at.checked_sub(4).and_then(|start| text.get(start..at));
            head.is_some_and(|head| head.eq_ignore_ascii_case(b"aced"))
        })
}

/// A pickle of the first protocol: a line that imports, then what it imports.
fn holds_pickle(text: &[u8], classes: u32) -> bool {
    steps::slow("searched for pickles");
    if classes & CONTROL == 0 {
        return text == b"c__builtin__";
    }
    let mut lines = text.split(|&b| b == b'\n').peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        let imports = matches!(line, b"cos" | b"cposix" | b"cnt") && next.starts_with(b"system");
        if imports || line == b"c__builtin__" {
            return true;
        }
    }
    false
}

/// ```text
/// (O|C):[+]digits:"class":digits:{   or   a:digits:{(i|s|O|a|b|d):
/// ```
fn holds_php_object(text: &[u8], kind: Kind) -> bool {
    steps::slow("searched for PHP objects");
    memchr::memchr_iter(b':', text).any(|at| {
        let letter = at.checked_sub(1).and_then(|i| text.get(i));
        let before = at.checked_sub(1).and_then(|i| text.get(..i)).unwrap_or_default();
        let glued = before.last().is_some_and(|&b| bytes::is(b, ALNUM)) && !decode::ends_guarded(before);
        let rest = text.get(at + 1..).unwrap_or_default();
        match letter {
            Some(b'O' | b'C') if !glued => {
                let rest = rest.strip_prefix(b"+").unwrap_or(rest);
                let digits = digits(rest);
                digits > 0 && rest.get(digits..).is_some_and(|rest| rest.starts_with(b":\""))
            }
            // Sessions are kept so in cookies: an array alone runs nothing.
            Some(b'a') if !glued && kind != Kind::Cookie => {
                let digits = digits(rest);
                digits > 0
                    && matches!(
                        rest.get(digits..),
                        Some([b':', b'{', b'i' | b's' | b'O' | b'a' | b'b' | b'd', b':', ..])
                    )
            }
            _ => false,
        }
    })
}

fn digits(text: &[u8]) -> usize {
    text.iter().take(10).take_while(|&&b| bytes::is(b, DIGIT)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;
    use crate::scan::Kind;
    use crate::text::Text;

    /// A slash that NFKC gave birth to is guarded in a name, and in the alphabet.
    #[test]
    fn guarded_bytes_are_bytes_of_base64() {
        for (text, word) in [
            (&b"gAN9cQA\xFF2FuAAAA"[..], "python"),
            (b"gAN9cQA/uAAAA", "python"),
            (b"rO0ABXNy\xFF2FAAA", "java"),
        ] {
            with_context(|cx| {
                let text = Text::request(text, true);
                let scan = Scan::new(text, bytes::union(text.bytes), Kind::Key, cx);
                let mut flags = cx.flags();
                flag(&scan, &mut flags);
                assert_eq!(flags.words(), [(Flag::Serial, word)], "{}", text.bytes.escape_ascii());
            });
        }
    }

    #[test]
    fn streams_are_found_wherever_they_stand() {
        for before in 0..20 {
            for after in 0..20 {
                let text = format!("{}{}{}", "7".repeat(before), "aCeD0005", "1".repeat(after));
                assert!(holds_stream(text.as_bytes()), "{text}");
            }
        }
    }
}
