//! The pieces of lines that tokens are made of: lists, names, markers and numbers.

use std::borrow::Cow;

use crate::document::lines::{HeaderLine, split_flags};
use crate::document::marker::Marker;
use crate::show::charset::CharSet;

/// The marker of a value that is not there.
pub(super) const NOTHING: &str = "<mixed:0>";

/// The lowest and the highest bit of each byte of a word.
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Where the first of a byte is, eight bytes at a time. Texts are short: that is quicker than a search that is made for
/// long ones.
#[inline(always)]
pub(super) fn find(text: &[u8], byte: u8) -> Option<usize> {
    let wanted = LOW.wrapping_mul(byte.into());
    let (words, rest) = text.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let differing = u64::from_le_bytes(*word) ^ wanted;
        // The lowest byte that has its highest bit here is the first that does not differ.
        let same = differing.wrapping_sub(LOW) & !differing & HIGH;
        if same != 0 {
            return Some(at.wrapping_mul(8) | same.trailing_zeros() as usize >> 3);
        }
    }
    let at = rest.iter().position(|other| *other == byte)?;
    Some(text.len().wrapping_sub(rest.len()).wrapping_add(at))
}

/// Splits a text at the first of a byte, which is ASCII.
#[inline(always)]
pub(super) fn cut_at(text: &str, byte: u8) -> (&str, Option<&str>) {
    match find(text.as_bytes(), byte) {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at.saturating_add(1)..)),
        None => (text, None),
    }
}

/// The pieces between a byte, which is ASCII.
#[inline(always)]
pub(super) fn pieces(text: &str, byte: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let (piece, behind) = cut_at(rest?, byte);
        rest = behind;
        Some(piece)
    })
}

/// The lines of the first header's name, and those behind them.
pub(super) fn same_name<'l, 'd>(lines: &'l [HeaderLine<'d>]) -> (&'l [HeaderLine<'d>], &'l [HeaderLine<'d>]) {
    let name = lines.first().map(|header| header.name);
    let end = lines.iter().position(|header| Some(header.name) != name).unwrap_or(lines.len());
    lines.split_at_checked(end).unwrap_or((lines, &[]))
}

/// The flags of ` [A] [B:x]`, each as `A`, `B:x`.
pub(super) fn each_flag<'d>(flags: &'d str, mut take: impl FnMut(&'d str)) {
    if !flags.is_empty() {
        match flags.strip_prefix(" [").and_then(|rest| rest.strip_suffix(']')) {
            Some(only) if !only.as_bytes().contains(&b']') => take(only),
            _ => split_flags(flags).for_each(take),
        }
    }
}

/// Reads a marker of a leaf; the most common ones at a glance.
pub(super) fn leaf_marker(text: &str) -> Option<Marker<'_>> {
    plain_marker(text).or_else(|| Marker::of_leaf(text))
}

/// Reads `<word:number>` of a common shape.
fn plain_marker(text: &str) -> Option<Marker<'_>> {
    let (word, digits) = cut_at(text.strip_prefix('<')?.strip_suffix('>')?, b':');
    let digits = digits?;
    let is_common = matches!(
        word,
        "num"
            | "lower"
            | "alpha"
            | "alnum"
            | "lowernum"
            | "mixed"
            | "slug"
            | "words"
            | "hex"
            | "dec"
            | "upper"
    );
    let is_number =
        is_common && (1..=7).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let length =
        digits.bytes().fold(0_u64, |n, digit| n.wrapping_mul(10).wrapping_add(u64::from(digit & 15)));
    let marker =
        Marker { is_secret: false, word, extension: None, length: Some(length), set: CharSet::default() };
    is_number.then_some(marker)
}

/// The name of a header, with those signs escaped that a sign, a skeleton or a length begins with.
pub(super) fn header_name(name: &str) -> Cow<'_, str> {
    if !name.bytes().any(|byte| matches!(byte, b'~' | b'^' | b'#')) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.replace('~', "%7E").replace('^', "%5E").replace('#', "%23"))
}

/// The extension of a segment, without its parameters: one to eight letters and digits after the last dot.
pub(super) fn extension(segment: &str) -> Option<Cow<'_, str>> {
    let (_, extension) = segment.split(';').next()?.rsplit_once('.')?;
    let is_one =
        (1..=8).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_lower = !extension.bytes().any(|byte| byte.is_ascii_uppercase());
    is_one.then(|| if is_lower { extension.into() } else { extension.to_ascii_lowercase().into() })
}

/// The name and length of `NAME<len:n>`.
pub(super) fn cookie(item: &str) -> Option<(&str, u64)> {
    let inner = item.strip_suffix('>')?;
    let at = memchr::memrchr(b'<', inner.as_bytes())?;
    let (name, length) = (inner.get(..at)?, inner.get(at..)?.strip_prefix("<len:")?);
    Some((name, length.parse().ok()?))
}

/// A number in decimal digits.
pub(super) struct Digits {
    bytes: [u8; 20],
    from: usize,
}

impl Digits {
    pub(super) fn of(mut number: u64) -> Self {
        let mut digits = Digits { bytes: [b'0'; 20], from: 20 };
        for (at, byte) in digits.bytes.iter_mut().enumerate().rev() {
            *byte = b'0' | u8::try_from(number % 10).unwrap_or_default();
            digits.from = at;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        digits
    }

    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(self.bytes.get(self.from..).unwrap_or_default()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;

    #[test]
    fn bytes_are_found() {
        for length in 0..40 {
            for at in 0..=length {
                for other in [b'\n' - 1, b'\n' + 1, b'\n' | 0x80, 0, 0xFF] {
                    let mut text = vec![other; length];
                    text[at..].fill(b'\n');
                    assert_eq!(find(&text, b'\n'), (at < length).then_some(at));
                }
            }
        }
    }

    #[test]
    fn extensions() {
        for (segment, expected) in [
            ("index.jsp", Some("jsp")),
            ("a.tar.GZ", Some("gz")),
            (".htaccess", Some("htaccess")),
            ("index.php;jsessionid=<SECRET:alpha:3>", Some("php")),
            ("a", None),
            ("..", None),
            ("a.", None),
            ("a.abcdefghi", None),
            ("a.b%20", None),
            ("<b64url:40~4.7>", None),
            ("a;b.jsp", None),
            ("a.é", None),
        ] {
            assert_eq!(extension(segment).as_deref(), expected, "{segment}");
        }
    }

    #[test]
    fn cookies() {
        assert_eq!(cookie("a<len:5>"), Some(("a", 5)));
        assert_eq!(cookie("<len:5>"), Some(("", 5)));
        assert_eq!(cookie("<uuid:36><len:5>"), Some(("<uuid:36>", 5)));
        for item in ["a", "a<len:>", "a<len:x>", "a<len:5", "<lower:5>"] {
            assert_eq!(cookie(item), None, "{item}");
        }
    }

    #[test]
    fn markers_at_a_glance_are_those_that_are_read() {
        let words = Shape::ALL.iter().map(|shape| shape.as_str()).chain(["bool", "file", "more", "len", ""]);
        for word in words {
            for rest in
                [":0", ":5", ":0012", ":1234567", ":12345678", ":", ":x", ":5~4.1", ":5:%27", "", ":5:"]
            {
                for text in [format!("<{word}{rest}>"), format!("<{word}{rest}"), format!("{word}{rest}>")] {
                    let quick = plain_marker(&text);
                    assert!(quick.is_none() || quick == Marker::of_leaf(&text), "{text}");
                }
            }
        }
        assert!(plain_marker("<num:5>").is_some());
    }

    #[test]
    fn numbers_are_written() {
        for number in [0, 7, 10, 99, 1234, u64::MAX] {
            assert_eq!(Digits::of(number).as_str(), number.to_string());
        }
    }
}
