//! HTML entities (clauses 4.12 to 4.14): decimal, hexadecimal and every HTML5 name, ended by `;`, one pass.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use crate::bytes;
use crate::context::Context;
use crate::decode::entity_names::expansion;
use crate::decode::put_guarded;
use crate::flags::{Flag, Flags};
use crate::steps;
use crate::text::{Builder, Text};

/// No named entity is longer.
const LONGEST: usize = 33;

/// An entity at the start of some text.
pub(crate) struct Entity {
    /// Its length, from `&` to `;`.
    pub(crate) len: usize,
    decoded: Decoded,
}

enum Decoded {
    Number(char),
    Name(&'static [u8]),
}

impl Entity {
    /// The text that it stands for.
    pub(crate) fn decoded<'b>(&'b self, buffer: &'b mut [u8; 4]) -> &'b [u8] {
        match &self.decoded {
            Decoded::Number(c) => c.encode_utf8(buffer).as_bytes(),
            Decoded::Name(bytes) => bytes,
        }
    }

    pub(crate) fn is_ampersand(&self) -> bool {
        self.decoded(&mut [0; 4]) == b"&"
    }
}

/// The entity that `text` starts with, if it is well formed.
///
/// ```text
/// entity = "&" ( "#" 1*DIGIT / "#" ("x" / "X") 1*HEXDIG / html5-name ) ";"
/// ```
pub(crate) fn at_start(text: &[u8]) -> Option<Entity> {
    // What most of them are: two digits.
    if let [b'&', b'#', b'x', high, low, b';', ..] = text
        && let Some(byte) = bytes::hex_byte(*high, *low)
    {
        return Some(Entity { len: 6, decoded: Decoded::Number(char::from(byte)) });
    }
    match text {
        [b'&', b'#', ..] => number(text).filter(|entity| text.get(entity.len - 1) == Some(&b';')),
        [b'&', ..] => {
            let head = text.get(..text.len().min(LONGEST))?;
            let end = bytes::position(b';', head)?;
            let decoded = expansion(head.get(1..end)?)?;
            Some(Entity { len: end + 1, decoded: Decoded::Name(decoded) })
        }
        _ => None,
    }
}

/// Parses an entity as above; a number need not end with `;`, as browsers read it.
pub(crate) fn at_start_unclosed(text: &[u8]) -> Option<Entity> {
    match text {
        [b'&', b'#', ..] => number(text),
        _ => at_start(text),
    }
}

/// A number of all digits there are, with the `;` that follows them, if there is one.
fn number(text: &[u8]) -> Option<Entity> {
    let (digits, radix, prefix) = match text {
        [b'&', b'#', b'x' | b'X', digits @ ..] => (digits, 16, 3),
        [b'&', b'#', digits @ ..] => (digits, 10, 2),
        _ => return None,
    };
    let value_of = |digit: u8| bytes::hex_value(digit).map(u32::from).filter(|digit| *digit < radix);
    let len = digits.iter().take_while(|&&digit| value_of(digit).is_some()).count();
    let value = digits
        .iter()
        .take(len)
        .try_fold(0_u32, |value, &digit| value.checked_mul(radix)?.checked_add(value_of(digit)?))?;
    let decoded = Decoded::Number(char::from_u32(value).filter(|_| len > 0)?);
    let end = usize::from(digits.get(len) == Some(&b';'));
    Some(Entity { len: prefix + len + end, decoded })
}

/// Decodes every entity of a path, which has delimiters of its own: `/` becomes a real one, the
/// others stay guarded.
pub(crate) fn decode_path<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Text<'a> {
    decode(text, cx, flags, |byte| matches!(byte, b'\\' | b'?' | b'#' | b';' | b'%'))
}

/// Decodes every entity of a query key or value.
pub(crate) fn decode_value<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Text<'a> {
    decode(text, cx, flags, |_| false)
}

/// Borrows when there is no entity.
fn decode<'a>(
    text: Text<'a>,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
    stays_guarded: impl Fn(u8) -> bool,
) -> Text<'a> {
    steps::slow("entities decoded");
    if bytes::position(b'&', text.bytes).is_none() {
        return text;
    }
    let mut builder: Option<Builder<'a>> = None;
    let mut copied = 0;
    for at in bytes::places(b'&', text.bytes) {
        let Some(entity) = at_start(text.bytes.get(at..).unwrap_or_default()) else {
            continue;
        };
        let source = text.slice(at..at + entity.len);
        flags.raise(Flag::HtmlEnt, source);
        let builder = builder.get_or_insert_with(|| Builder::new(cx.bump, text.is_traced(), text.len()));
        if copied < at {
            builder.copy(text.slice(copied..at));
        }
        match entity.decoded(&mut [0; 4]) {
            [byte] if stays_guarded(*byte) => put_guarded(builder, *byte, source),
            decoded => builder.put(decoded, source),
        }
        copied = at + entity.len;
    }
    match builder {
        None => text,
        Some(mut builder) => {
            builder.copy(text.from(copied));
            builder.finish()
        }
    }
}

/// Returns whether the `#` at `at` belongs to an entity, and so starts no fragment.
pub(crate) fn owns_hash(text: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else {
        return false;
    };
    text.get(before..).is_some_and(|from| {
        matches!(from, [b'&', b'#', next, ..] if bytes::is(*next, bytes::ALNUM)) && at_start(from).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Option<String> {
        let entity = at_start(text.as_bytes())?;
        Some(String::from_utf8(entity.decoded(&mut [0; 4]).to_vec()).unwrap())
    }

    #[test]
    fn all_three_kinds() {
        assert_eq!(one("&#47;").as_deref(), Some("/"));
        assert_eq!(one("&#x2F;rest").as_deref(), Some("/"));
        assert_eq!(one("&#X0000002f;").as_deref(), Some("/"));
        assert_eq!(one("&#x9;;").as_deref(), Some("\t"));
        assert_eq!(one("&#xE9;").as_deref(), Some("é"));
        assert_eq!(one("&lt;").as_deref(), Some("<"));
        assert_eq!(one("&NotEqualTilde;").as_deref(), Some("≂̸"));
    }

    #[test]
    fn malformed_ones_are_left_alone() {
        for text in [
            "&lt",
            "&#47",
            "&#;",
            "&#x;",
            "&#xD800;",
            "&#1114112;",
            "&#99999999999;",
            "&no-such;",
            "&;",
            "& lt;",
        ] {
            assert_eq!(one(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_without_an_end_are_read_where_that_is_asked_for() {
        for (text, decoded, len) in [
            ("&#60a", "<", 4),
            ("&#x3cs", "<", 5),
            ("&#x3c;", "<", 6),
            ("&#60", "<", 4),
            ("&#x3cb;", "\u{3cb}", 7),
        ] {
            let entity = at_start_unclosed(text.as_bytes()).unwrap();
            assert_eq!((entity.decoded(&mut [0; 4]), entity.len), (decoded.as_bytes(), len), "{text}");
        }
        for text in ["&lt", "&#;", "&#x", "&#", "&#xD800", "&#99999999999"] {
            assert!(at_start_unclosed(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn a_hash_inside_an_entity_is_no_fragment() {
        assert!(owns_hash(b"a&#x2f;b", 2));
        assert!(!owns_hash(b"a&#x2f", 2));
        assert!(!owns_hash(b"#a", 0));
    }
}
