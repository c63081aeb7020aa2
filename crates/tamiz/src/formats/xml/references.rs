//! References in XML text: the five predefined names and numbers are decoded, nothing else is.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use super::cursor::{is_name_byte, starts_name};
use crate::context::Context;
use crate::text::{Builder, Text};

/// The kinds of text after a `&`.
enum Reference {
    /// A character, and the length of the reference.
    Char(char, usize),
    /// A name that is not predefined: left as it is.
    Name,
    /// Neither; or what may become either, but the text ends before.
    Malformed,
    Unfinished,
}

/// Decodes `text`, and tells whether its references are well-formed. Where the text `goes_on`, an
/// unfinished one at its end counts as well-formed. Borrows when there is nothing to decode.
///
/// XML 1.0 section 4.1:
/// ```text
/// CharRef   ::= '&#' [0-9]+ ';' | '&#x' [0-9a-fA-F]+ ';'
/// EntityRef ::= '&' Name ';'
/// ```
pub(super) fn decode<'a>(text: Text<'a>, goes_on: bool, cx: Context<'a>) -> (Text<'a>, bool) {
    let mut builder: Option<Builder<'a>> = None;
    let mut copied = 0;
    let mut is_sound = true;
    for at in memchr::memchr_iter(b'&', text.bytes) {
        match reference(text.bytes.get(at..).unwrap_or_default()) {
            Reference::Char(c, len) => {
                is_sound &= is_xml_char(c);
                let builder =
                    builder.get_or_insert_with(|| Builder::new(cx.bump, text.is_traced(), text.len()));
                builder.copy(text.slice(copied..at));
                builder.put(c.encode_utf8(&mut [0; 4]).as_bytes(), text.slice(at..at + len));
                copied = at + len;
            }
            Reference::Name => {}
            Reference::Malformed => is_sound = false,
            Reference::Unfinished => is_sound &= goes_on,
        }
    }
    let decoded = match builder {
        None => text,
        Some(mut builder) => {
            builder.copy(text.from(copied));
            builder.finish().repaired()
        }
    };
    (decoded, is_sound)
}

/// The reference at the start of `text`, which begins with `&`.
fn reference(text: &[u8]) -> Reference {
    match text {
        [b'&', b'#', b'x', digits @ ..] => number(digits, 16, 3),
        [b'&', b'#', digits @ ..] => number(digits, 10, 2),
        [b'&', name @ ..] => {
            let len = name.iter().take_while(|&&b| is_name_byte(b)).count();
            let (name, rest) = name.split_at_checked(len).unwrap_or_default();
            match (name.first(), rest.first()) {
                (Some(&first), _) if !starts_name(first) => Reference::Malformed,
                (Some(_), Some(b';')) => match predefined(name) {
                    Some(c) => Reference::Char(c, len + 2),
                    None => Reference::Name,
                },
                (_, None) => Reference::Unfinished,
                _ => Reference::Malformed,
            }
        }
        _ => Reference::Malformed,
    }
}

/// XML 1.0 section 4.6.
fn predefined(name: &[u8]) -> Option<char> {
    Some(match name {
        b"lt" => '<',
        b"gt" => '>',
        b"amp" => '&',
        b"apos" => '\'',
        b"quot" => '"',
        _ => return None,
    })
}

/// A number in `radix`, ended by `;`, behind `prefix` bytes.
fn number(digits: &[u8], radix: u32, prefix: usize) -> Reference {
    let len = digits.iter().take_while(|&&b| char::from(b).is_digit(radix)).count();
    let (digits, rest) = digits.split_at_checked(len).unwrap_or_default();
    match rest.first() {
        None => Reference::Unfinished,
        Some(b';') if len > 0 => {
            let value = digits.iter().try_fold(0_u32, |value, &digit| {
                value.checked_mul(radix)?.checked_add(char::from(digit).to_digit(radix)?)
            });
            match value.and_then(char::from_u32) {
                Some(c) => Reference::Char(c, prefix + len + 1),
                None => Reference::Malformed,
            }
        }
        Some(_) => Reference::Malformed,
    }
}

/// XML 1.0 section 2.2, `Char`.
fn is_xml_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn decoded(text: &str, goes_on: bool) -> (String, bool) {
        with_context(|cx| {
            let (text, is_sound) = decode(Text::request(text.as_bytes(), true).repaired(), goes_on, cx);
            (String::from_utf8(text.bytes.to_vec()).unwrap(), is_sound)
        })
    }

    #[test]
    fn predefined_and_numbers() {
        for (text, expected) in [
            ("", ""),
            ("a", "a"),
            ("&lt;&gt;&amp;&apos;&quot;", "<>&'\""),
            ("a&#65;b&#x42;c", "aAbBc"),
            ("&#0000000000000000000000000000041;", ")"),
            ("&#x1F600;", "😀"),
            ("&amp;lt;", "&lt;"),
            ("&nbsp;&LT;&b;&x:y-z.1;&é;", "&nbsp;&LT;&b;&x:y-z.1;&é;"),
        ] {
            assert_eq!(decoded(text, false), (expected.to_owned(), true), "{text}");
        }
    }

    #[test]
    fn malformed_ones_are_left_and_told() {
        for text in [
            "&",
            "& ",
            "&;",
            "&lt",
            "&lt ;",
            "&#;",
            "&#x;",
            "&#X41;",
            "&#4a;",
            "&#xG;",
            "&#xD800;",
            "&#1114112;",
            "&#99999999999999999999;",
            "&1;",
            "&-a;",
            "&a&b;",
        ] {
            assert_eq!(decoded(text, false), (text.to_owned(), false), "{text}");
        }
    }

    #[test]
    fn what_may_go_on_is_no_fault() {
        for text in ["&", "&l", "&lt", "&#", "&#4", "&#x", "&#xF"] {
            assert_eq!(decoded(text, true), (text.to_owned(), true), "{text}");
        }
        for text in ["& ", "&;", "&#;", "&1", "&#a"] {
            assert_eq!(decoded(text, true), (text.to_owned(), false), "{text}");
        }
    }

    #[test]
    fn a_character_that_is_none_of_xml_is_decoded_and_told() {
        assert_eq!(decoded("&#0;&#x1B;", false), ("\0\x1B".to_owned(), false));
        assert_eq!(decoded("&#xFFFF;", false), ("\u{FFFF}".to_owned(), false));
        assert_eq!(decoded("&#9;&#10;&#13;", false), ("\t\n\r".to_owned(), true));
    }

    #[test]
    fn the_way_back_is_kept() {
        with_context(|cx| {
            let (text, _) = decode(Text::request(b"ab&lt;cd&#x41;", true).repaired(), false, cx);
            assert_eq!(text.bytes, b"ab<cdA");
            assert_eq!(text.origin(2..3), Some(2..6));
            assert_eq!(text.origin(3..4), Some(6..7));
            assert_eq!(text.origin(5..6), Some(8..14));
            assert!(text.is_repaired());
        });
    }
}
