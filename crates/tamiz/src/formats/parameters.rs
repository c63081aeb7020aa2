//! The parameters of a multipart body's headers (clause 8.35), in every legal and illegal quoting.
//!
//! Clients never agreed on one: `name=a`, `name="a"`, `name = "a\"b"`, `filename="C:\dir\a.txt"`.

use crate::bytes;
use crate::context::Context;
use crate::text::{Builder, Text};

/// A piece of a header between two `;`: the first one too, which needs no `=`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter<'a> {
    /// All of it, as it came.
    pub(crate) text: Text<'a>,
    /// The text before `=`.
    pub(crate) name: Text<'a>,
    /// The text after `=`, without quotes and escapes; not repaired.
    pub(crate) value: Option<Text<'a>>,
    pub(crate) quotes: Quotes,
    /// The text after the closing quote, where nothing should be.
    pub(crate) trailing: Text<'a>,
}

/// How a value is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quotes {
    /// Not at all: it ends at the next `;`.
    None,
    /// As it should be.
    Closed,
    /// The closing quote is missing: it ends with the line.
    Open,
}

impl Parameter<'_> {
    /// Returns whether the quoting is such that parsers read different values.
    pub(crate) fn is_misquoted(&self) -> bool {
        self.quotes == Quotes::Open || !self.trailing.is_empty()
    }

    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name.bytes.eq_ignore_ascii_case(name.as_bytes())
    }
}

/// The pieces of a header value, empty ones left out.
pub(crate) fn parameters<'a>(value: Text<'a>, cx: Context<'a>) -> impl Iterator<Item = Parameter<'a>> {
    let mut rest = Some(value);
    std::iter::from_fn(move || {
        let (parameter, after) = next(rest?, cx);
        rest = after;
        Some(parameter)
    })
    .filter(|parameter| !parameter.text.is_empty())
}

/// The first piece, and what follows its `;`.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
fn next<'a>(text: Text<'a>, cx: Context<'a>) -> (Parameter<'a>, Option<Text<'a>>) {
    let nothing = text.slice(0..0);
    let bare = |name: Text<'a>| {
        let name = name.trim();
        Parameter { text: name, name, value: None, quotes: Quotes::None, trailing: nothing }
    };
    let Some(at) = memchr::memchr2(b'=', b';', text.bytes) else {
        return (bare(text), None);
    };
    if text.bytes.get(at) == Some(&b';') {
        return (bare(text.slice(0..at)), Some(text.from(at + 1)));
    }
    let name = text.slice(0..at).trim();
    let after = text.from(at + 1);
    let after = after.part(bytes::trim_start(after.bytes));
    let (value, quotes, after) = match after.bytes.first() {
        Some(b'"') => unquote(after.from(1), cx),
        _ => (nothing, Quotes::None, after),
    };
    let (piece, next) = after.cut(b';').map_or((after, None), |(piece, next)| (piece, Some(next)));
    let (value, trailing) = match quotes {
        Quotes::None => (piece.trim(), nothing),
        Quotes::Closed | Quotes::Open => (value, piece.trim()),
    };
    let end = next.map_or(text.len(), |next| text.len() - next.len() - 1);
    let whole = text.slice(0..end).trim();
    (Parameter { text: whole, name, value: Some(value), quotes, trailing }, next)
}

/// Reads to the closing quote. A backslash escapes `"` and `\` only: before anything else it is part
/// of a path, as some clients send them whole.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
fn unquote<'a>(text: Text<'a>, cx: Context<'a>) -> (Text<'a>, Quotes, Text<'a>) {
    let mut builder: Option<Builder<'a>> = None;
    let mut copied = 0;
    let mut at = 0;
    let (end, quotes) = loop {
        let Some(step) = text.bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) else {
            break (text.len(), Quotes::Open);
        };
        at += step;
        match text.bytes.get(at..) {
            Some([b'\\', escaped @ (b'"' | b'\\'), ..]) => {
                // As long as what is there, not as what may come: a header may hold very many of these.
                let builder = builder.get_or_insert_with(|| Builder::new(cx.bump, text.is_traced(), at + 16));
                builder.copy(text.slice(copied..at));
                builder.put(&[*escaped], text.slice(at..at + 2));
                at += 2;
                copied = at;
            }
            Some([b'"', ..]) => break (at, Quotes::Closed),
            _ => at += 1,
        }
    };
    let value = match builder {
        None => text.slice(0..end),
        Some(mut builder) => {
            builder.copy(text.slice(copied..end));
            builder.finish()
        }
    };
    (value, quotes, text.from(end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn read(text: &str) -> Vec<(String, Option<String>, Quotes, String)> {
        let show = |text: Text<'_>| String::from_utf8(text.bytes.to_vec()).unwrap();
        with_context(|cx| {
            let text = Text::request(text.as_bytes(), true);
            parameters(text, cx)
                .map(|found| (show(found.name), found.value.map(show), found.quotes, show(found.trailing)))
                .collect()
        })
    }

    #[track_caller]
    fn assert_value(text: &str, value: &str, quotes: Quotes) {
        let found = read(text);
        let Some((name, found, found_quotes, _)) = found.get(1) else { panic!("{found:?}") };
        assert_eq!((name.as_str(), found.as_deref(), *found_quotes), ("name", Some(value), quotes), "{text}");
    }

    #[test]
    fn every_quoting() {
        for text in ["f;name=a", "f; name=a", "f ; name = a ", "f;\tname\t=\ta\t;x", "f;;name=a;;"] {
            assert_value(text, "a", Quotes::None);
        }
        for text in ["f;name=\"a;b\"", "f; name = \"a;b\" ; x=y", "f; name=\"a;b\"x; name=c"] {
            assert_value(text, "a;b", Quotes::Closed);
        }
        assert_value(r#"f; name="a\"b\\c""#, r#"a"b\c"#, Quotes::Closed);
        assert_value(r#"f; name="C:\dir\a.txt""#, r"C:\dir\a.txt", Quotes::Closed);
        assert_value("f; name='a;b'", "'a", Quotes::None);
        assert_value("f; name=\"a; b=c", "a; b=c", Quotes::Open);
        assert_value(r#"f; name="a\"; b"#, r#"a"; b"#, Quotes::Open);
        assert_value("f; name=\"", "", Quotes::Open);
        assert_value("f; name=\"a\\", "a\\", Quotes::Open);
        assert_value("f; name=\"\"", "", Quotes::Closed);
        assert_value("f; name=", "", Quotes::None);
        assert_value("f; name=a\"b\"", "a\"b\"", Quotes::None);
        assert_value("f; name=a=b", "a=b", Quotes::None);
    }

    #[test]
    fn first_pieces_and_leftovers() {
        assert!(read("").is_empty());
        assert!(read(" ; ;; ").is_empty());
        assert_eq!(read("form-data"), [("form-data".into(), None, Quotes::None, String::new())]);
        assert_eq!(read("a=b").len(), 1);
        assert_eq!(read("f; name=\"a\" b ;c").get(1).unwrap().3, "b");
        assert_eq!(read("f; =a").get(1).unwrap().0, "");
    }

    #[test]
    fn whole_pieces_and_their_place_are_known() {
        with_context(|cx| {
            let text = Text::request(br#"f; name="a\"b" ; c=d"#, true);
            let all: Vec<_> = parameters(text, cx).collect();
            assert_eq!(all[1].text.bytes, br#"name="a\"b""#);
            assert_eq!(all[1].value.unwrap().origin(1..2), Some(10..12));
            assert_eq!(all[2].text.bytes, b"c=d");
            assert_eq!(all[2].text.whole_origin(), Some(17..20));
        });
    }
}
