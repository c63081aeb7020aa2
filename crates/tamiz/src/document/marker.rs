//! Markers read back from a document (clauses 6.13, 8.30 and 8.31).

use crate::show::charset::CharSet;
use crate::show::marker;

/// A marker that stands for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marker<'d> {
    pub(super) is_secret: bool,
    /// The shape, the scheme of credentials, or what kind of leaf it is.
    pub(super) word: &'d str,
    /// The extensions of a file's name.
    pub(super) extension: Option<&'d str>,
    /// How long the value is; `None` for leaves that are always as long.
    pub(super) length: Option<u64>,
    /// The signs that it names (clause 6.19).
    pub(super) set: CharSet,
}

impl<'d> Marker<'d> {
    /// Reads `<shape:len>` or `<SECRET:shape:len>`.
    pub(super) fn of_value(text: &'d str) -> Option<Self> {
        if !marker::is_written_marker(text.as_bytes()) {
            return None;
        }
        let inside = inside(text)?;
        let (is_secret, rest) = match inside.strip_prefix("SECRET:") {
            Some(rest) => (true, rest),
            None => (false, inside),
        };
        let (word, length) = rest.split_once(':')?;
        let (length, set) = length.split_once(':').unwrap_or((length, ""));
        let digits = length.split('~').next().unwrap_or_default();
        let set = CharSet::parse(set.as_bytes())?;
        // More digits than a number holds are a length beyond every bucket.
        let length = digits.parse().unwrap_or(u64::MAX);
        Some(Marker { is_secret, word, extension: None, length: Some(length), set })
    }

    /// Reads what may stand at a key of a body: a value's marker, `<bool:4>`, `<bool:5>`,
    /// `<null:4>`, `<obj:0>`, `<arr:0>` or `<file:len:ext>`.
    pub(super) fn of_leaf(text: &'d str) -> Option<Self> {
        let leaf =
            |word| Marker { is_secret: false, word, extension: None, length: None, set: CharSet::default() };
        match inside(text)? {
            "bool:4" | "bool:5" => Some(leaf("bool")),
            "null:4" => Some(leaf("null")),
            "obj:0" => Some(leaf("obj")),
            "arr:0" => Some(leaf("arr")),
            other => match other.strip_prefix("file:") {
                None => Marker::of_value(text),
                Some(rest) => {
                    let (length, extension) = rest.split_once(':')?;
                    let length = number(length).filter(|_| is_extension(extension))?;
                    Some(Marker { extension: Some(extension), length: Some(length), ..leaf("file") })
                }
            },
        }
    }
}

/// The `n` of `<more:n>`: how much was left out.
pub(super) fn more(text: &str) -> Option<u64> {
    number(inside(text)?.strip_prefix("more:")?).filter(|&n| n > 0)
}

/// A key of a body: pieces of text escaped as a key, and markers.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
pub(super) fn is_body_key(key: &str) -> bool {
    let mut rest = key;
    while let Some((before, marked)) = rest.split_once('<') {
        let Some((inside, after)) = marked.split_once('>') else { return false };
        // The brackets around it are ASCII, so the marker is where they are.
        let Some(marker) = rest.get(before.len()..before.len() + inside.len() + 2) else { return false };
        if !super::parse::is_escaped_name(before) || !marker::is_written_marker(marker.as_bytes()) {
            return false;
        }
        rest = after;
    }
    super::parse::is_escaped_name(rest)
}

fn inside(text: &str) -> Option<&str> {
    text.strip_prefix('<')?.strip_suffix('>')
}

/// A number as this form writes it.
fn number(digits: &str) -> Option<u64> {
    let canonical = digits == "0" || !digits.starts_with('0');
    let all_digits = digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| canonical && all_digits)
}

/// ```text
/// word [ "." word ]
/// ```
fn is_extension(text: &str) -> bool {
    let is_byte = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(is_byte);
    text.split('.').all(is_word) && text.split('.').count() <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(text: &str) -> Option<String> {
        Marker::of_leaf(text).map(|marker| {
            format!("{} {} {:?} {:?}", marker.is_secret, marker.word, marker.extension, marker.length)
        })
    }

    #[test]
    fn leaves() {
        for (text, read) in [
            ("<num:5>", "false num None Some(5)"),
            ("<SECRET:alpha:10>", "true alpha None Some(10)"),
            ("<b64url:120~4.7>", "false b64url None Some(120)"),
            ("<mixed:99999999999999999999999>", "false mixed None Some(18446744073709551615)"),
            ("<bool:4>", "false bool None None"),
            ("<null:4>", "false null None None"),
            ("<arr:0>", "false arr None None"),
            ("<file:0:other>", "false file Some(\"other\") Some(0)"),
            ("<file:12:tar.gz>", "false file Some(\"tar.gz\") Some(12)"),
        ] {
            assert_eq!(leaf(text).as_deref(), Some(read), "{text}");
        }
        for text in [
            "",
            "<>",
            "<bool:3>",
            "<bool:04>",
            "<null:0>",
            "<obj:1>",
            "<SECRET:bool:4>",
            "<file:1>",
            "<file:01:a>",
            "<file:+1:a>",
            "<file:1:>",
            "<file:1:a.>",
            "<file:1:a.b.c>",
            "<file:1:A>",
            "<file:1:a:b>",
            "<more:1>",
            "<len:1>",
            "<num:5><num:5>",
            "num:5",
        ] {
            assert_eq!(leaf(text), None, "{text}");
        }
        assert_eq!(Marker::of_value("<bool:4>"), None, "a leaf is no value");
    }

    #[test]
    fn what_was_left_out() {
        assert_eq!(more("<more:1>"), Some(1));
        assert_eq!(more("<more:18446744073709551615>"), Some(u64::MAX));
        for text in [
            "<more:0>",
            "<more:01>",
            "<more:>",
            "<more:+1>",
            "<more:1",
            "more:1",
            "<more:1>x",
            "<more:1~4.5>",
        ] {
            assert_eq!(more(text), None, "{text}");
        }
        assert_eq!(more("<more:18446744073709551616>"), None, "no number");
    }

    #[test]
    fn keys_of_bodies() {
        for key in [
            "",
            "$",
            "$[].id",
            "user.name",
            "a@b",
            "<email:12>.x",
            "x.<SECRET:jwt:90>[]",
            "<num:5><num:6>",
            "é%20",
        ] {
            assert!(is_body_key(key), "{key}");
        }
        for key in [
            "a b",
            "a=b",
            "a,b",
            "a|b",
            "a&b",
            "a<b",
            "a>b",
            "<",
            ">",
            "<>",
            "<bool:4>",
            "<more:1>",
            "<file:1:a>",
            "<a<num:5>>",
            "a\u{a0}b",
            "a=b<num:5>",
            "<num:5>a=b",
            "<num:5>,<num:6>",
        ] {
            assert!(!is_body_key(key), "{key}");
        }
    }
}
