//! The grammar of JSON (RFC 8259), without recursion: for telling a token's header from three words
//! with dots, and for bodies.

use crate::bytes::{self, DIGIT, HEX};
use crate::index::plain_len;

/// Returns whether `text` is one JSON object, in UTF-8.
pub(crate) fn is_object(text: &[u8]) -> bool {
    skip_space(text).first() == Some(&b'{') && is_value(text)
}

/// Returns whether `text` is one JSON object or array, in UTF-8.
pub(crate) fn is_object_or_array(text: &[u8]) -> bool {
    matches!(skip_space(text).first(), Some(b'{' | b'[')) && is_value(text)
}

fn is_value(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok()
        && skip_value(skip_space(text), &mut |_| ()).is_some_and(|rest| skip_space(rest).is_empty())
}

/// Skips the value that `text` begins with, and returns the rest; passes each string in it, names too, with its
/// quotes. Depth costs a bit a level, beyond 64.
pub(crate) fn skip_value<'t>(text: &'t [u8], on_string: &mut impl FnMut(&'t [u8])) -> Option<&'t [u8]> {
    let mut rest = text;
    let mut open = Levels::default();
    loop {
        // A value is expected.
        rest = match rest {
            [b'{', inside @ ..] => match skip_space(inside) {
                [b'}', after @ ..] => after,
                inside => {
                    open.push(true);
                    rest = skip_key(inside, on_string)?;
                    continue;
                }
            },
            [b'[', inside @ ..] => match skip_space(inside) {
                [b']', after @ ..] => after,
                inside => {
                    open.push(false);
                    rest = inside;
                    continue;
                }
            },
            [b'"', ..] => skip_told(rest, on_string)?,
            _ => skip_scalar(rest)?,
        };
        // A value has ended: close what it ends, up to the next one.
        loop {
            let Some(in_object) = open.last() else {
                return Some(rest);
            };
            rest = match (skip_space(rest), in_object) {
                ([b',', after @ ..], true) => {
                    rest = skip_key(skip_space(after), on_string)?;
                    break;
                }
                ([b',', after @ ..], false) => {
                    rest = skip_space(after);
                    break;
                }
                ([b'}', after @ ..], true) | ([b']', after @ ..], false) => {
                    open.pop();
                    after
                }
                _ => return None,
            }
        }
    }
}

/// The open arrays and objects, outermost first: a bit a level, set for an object.
#[derive(Default)]
struct Levels {
    /// The innermost levels, the last one lowest.
    inner: u64,
    depth: usize,
    /// Those around them, 64 each.
    outer: Vec<u64>,
}

#[allow(clippy::arithmetic_side_effects, reason = "a depth is at most the length of a text")]
impl Levels {
    fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.inner);
        }
        self.inner = self.inner << 1 | u64::from(is_object);
        self.depth += 1;
    }

    fn last(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.inner & 1 == 1)
    }

    fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.inner >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.inner = self.outer.pop().unwrap_or_default();
        }
    }
}

#[allow(clippy::arithmetic_side_effects, reason = "what is taken off is a part of it")]
fn skip_told<'t>(text: &'t [u8], on_string: &mut impl FnMut(&'t [u8])) -> Option<&'t [u8]> {
    let after = skip_string(text)?;
    on_string(text.get(..text.len() - after.len())?);
    Some(after)
}

/// Without the white space at the start.
#[inline]
pub(crate) fn skip_space(text: &[u8]) -> &[u8] {
    // Mostly there is none, or one.
    match text {
        [first, ..] if *first > b' ' => text,
        [b' ', rest @ ..] if rest.first().is_some_and(|first| *first > b' ') => rest,
        _ => skip_spaces(text),
    }
}

fn skip_spaces(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = text {
        text = rest;
    }
    text
}

/// A member's name and colon, up to its value.
fn skip_key<'t>(text: &'t [u8], on_string: &mut impl FnMut(&'t [u8])) -> Option<&'t [u8]> {
    match skip_space(skip_told(text, on_string)?) {
        [b':', rest @ ..] => Some(skip_space(rest)),
        _ => None,
    }
}

/// Skips a number, `true`, `false` or `null`, and returns the rest.
pub(crate) fn skip_scalar(text: &[u8]) -> Option<&[u8]> {
    match text.first()? {
        b't' => text.strip_prefix(b"true"),
        b'f' => text.strip_prefix(b"false"),
        b'n' => text.strip_prefix(b"null"),
        _ => skip_number(text),
    }
}

/// Splits a string without escapes into its content and the rest.
#[inline(always)]
pub(crate) fn cut_plain_string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = text.strip_prefix(b"\"")?;
    let (inside, rest) = inside.split_at_checked(plain_len(inside))?;
    Some((inside, rest.strip_prefix(b"\"")?))
}

/// Skips a string, and returns the rest.
pub(crate) fn skip_string(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text.strip_prefix(b"\"")?;
    loop {
        let plain = plain_len(rest);
        rest = match rest.get(plain..)? {
            [b'"', after @ ..] => return Some(after),
            [b'\\', b'u', digits @ ..] => {
                if !bytes::all(digits.get(..4)?, HEX) {
                    return None;
                }
                digits.get(4..)?
            }
            [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', after @ ..] => after,
            _ => return None,
        };
    }
}

fn skip_number(text: &[u8]) -> Option<&[u8]> {
    let digits = |text: &[u8]| text.iter().take_while(|&&b| bytes::is(b, DIGIT)).count();
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.first() == Some(&b'0')) {
        return None;
    }
    rest = rest.get(whole..)?;
    if let Some(fraction) = rest.strip_prefix(b".") {
        let n = digits(fraction);
        if n == 0 {
            return None;
        }
        rest = fraction.get(n..)?;
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = match exponent {
            [b'+' | b'-', after @ ..] => after,
            after => after,
        };
        let n = digits(exponent);
        if n == 0 {
            return None;
        }
        rest = exponent.get(n..)?;
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::{cut_plain_string, is_object, is_object_or_array, skip_string};

    #[test]
    fn strings_are_cut_alike() {
        for text in
            [r#""""#, r#""a" b"#, r#""a\"b"c"#, r#""abcdefghij", "x""#, r#""abc"#, "\"a\u{1}\"", "a\"", ""]
        {
            let text = text.as_bytes();
            match cut_plain_string(text) {
                Some((inside, rest)) => {
                    assert_eq!(skip_string(text), Some(rest));
                    assert_eq!([b"\"", inside, b"\"", rest].concat(), text);
                }
                None => assert!(skip_string(text).is_none() || text.contains(&b'\\')),
            }
        }
    }

    #[test]
    fn objects_and_others() {
        for text in
            ["{}", " { } ", r#"{"a":1}"#, r#"{"a":[1,{"b":null}],"c":"\u00e9\n"}"#, r#"{"a":-1.5e+3}"#]
        {
            assert!(is_object(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "[]",
            "1",
            "{",
            "}",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1,}"#,
            r#"{"a":01}"#,
            r#"{a:1}"#,
            r#"{"a":1}x"#,
            r#"{"a":[1}"#,
        ] {
            assert!(!is_object(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn arrays_too() {
        for text in ["[]", " [1, {\"a\":[]}]\n", "{}"] {
            assert!(is_object_or_array(text.as_bytes()), "{text}");
        }
        for text in ["", "1", "\"[]\"", "[", "[1,]", "[1}", "[1] [2]", "[]]"] {
            assert!(!is_object_or_array(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn depth_is_no_recursion() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(is_object(deep.as_bytes()));
        let mixed = format!("{{\"a\":{}1{}}}", "[{\"a\":".repeat(100), "}]".repeat(100));
        assert!(is_object(mixed.as_bytes()));
        assert!(!is_object(mixed.replace("}]}]", "]}]}").as_bytes()));
    }

    #[test]
    fn agrees_with_serde_json() {
        for text in [r#"{"a":1}"#, r#"{"a":"\ud800"}"#, "{\"a\":\"\u{1}\"}", r#"{"a":1e}"#, r#"{"a":.5}"#] {
            let theirs = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).is_ok();
            // A lone surrogate escape is grammatical JSON (RFC 8259 section 8.2); serde_json refuses it.
            assert_eq!(is_object(text.as_bytes()), theirs || text.contains("ud800"), "{text}");
        }
    }
}
