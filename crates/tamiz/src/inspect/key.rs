//! Names that came from outside: keys of queries, forms and bodies, names of cookies.

use crate::bytes::{self, ALPHA, AT, BEYOND_HEX, BLANK, EQUALS, HIGH, NAME_MARK, NO_ALNUM, NO_BASE64, SLASH};
use crate::context::Context;
use crate::decode::{Char, char_indices, chars, unicode};
use crate::scan;
use crate::shape;
use crate::show::NameShown;
use crate::show::escape::{self, Spot};
use crate::show::marker;
use crate::steps;
use crate::text::{Classified, Text};

/// A name that came from outside, and how it may be shown.
#[derive(Clone, Copy)]
pub(crate) struct Key<'a> {
    pub(crate) text: Text<'a>,
    pub(crate) shown: NameShown,
}

/// A name, judged.
pub(crate) struct JudgedKey<'a> {
    pub(crate) key: Key<'a>,
    /// True if it raises no flag by its content.
    pub(crate) is_quiet: bool,
    /// True if its value is a secret.
    pub(crate) is_sensitive: bool,
}

impl<'a> Key<'a> {
    /// Judges decoded text (clause 6.6).
    pub(crate) fn judge(text: Classified<'a>, cx: Context<'a>) -> JudgedKey<'a> {
        match cx.settings.names.matches_common(text.text.bytes, text.text.len()) {
            Some(is_sensitive) => {
                let key = Key { text: text.text, shown: NameShown::Text };
                JudgedKey { key, is_quiet: true, is_sensitive }
            }
            None => Key::judge_slow(text, cx),
        }
    }

    fn judge_slow(text: Classified<'a>, cx: Context<'a>) -> JudgedKey<'a> {
        let Classified { text, classes } = text;
        let names = &cx.settings.names;
        let is_quiet = scan::cannot_flag(text.bytes, classes);
        let shown =
            if (!is_quiet || classes & AT != 0) && names.find_credential(text.bytes, classes, cx).is_some() {
                NameShown::Secret
            } else if looks_like_a_name(text.bytes, classes) && !identifies(text.bytes, classes) {
                NameShown::Text
            } else {
                NameShown::Shape
            };
        let is_sensitive = names.matches(text.bytes, classes, cx);
        JudgedKey { key: Key { text, shown }, is_quiet, is_sensitive }
    }

    /// Makes a key of a name of ASCII that raises no flag and has no `@`. `classes` is the union of the classes of its bytes.
    #[inline(always)]
    pub(crate) fn quiet(text: Text<'a>, classes: u32) -> Self {
        let is_name = looks_like_a_name(text.bytes, classes) && !identifies(text.bytes, classes);
        Key { text, shown: if is_name { NameShown::Text } else { NameShown::Shape } }
    }
}

/// 0–64 Unicode letters, digits and `_ . $ : @ [ ] -`.
#[inline(always)]
fn looks_like_a_name(text: &[u8], classes: u32) -> bool {
    if classes & HIGH != 0 {
        return looks_like_a_name_beyond_ascii(text);
    }
    let is_plain = classes & (NO_BASE64 | BLANK | SLASH | EQUALS) == 0;
    text.len() <= 64 && (is_plain || bytes::all(text, bytes::ALNUM | NAME_MARK))
}

fn looks_like_a_name_beyond_ascii(text: &[u8]) -> bool {
    chars(text) <= 64
        && char_indices(text).all(|(_, c)| match c {
            Char::Plain(c) if c.is_ascii() => bytes::is(c as u8, bytes::ALNUM | NAME_MARK),
            Char::Plain(c) => unicode::is_letter_or_digit(c),
            Char::Guarded(_) => false,
        })
}

/// A key that is someone's or something's identity rather than a name.
#[inline(always)]
fn identifies(text: &[u8], classes: u32) -> bool {
    // One without `@` has no other letters than those of hexadecimal digits, and none is shorter.
    classes & (BEYOND_HEX | AT) != BEYOND_HEX && text.len() >= 5 && identifies_slow(text, classes)
}

#[inline(never)]
fn identifies_slow(text: &[u8], classes: u32) -> bool {
    steps::slow("key searched for identities");
    (text.len() >= 5 && classes & (ALPHA | NO_ALNUM) == 0)
        || (text.len() >= 16 && classes & (BEYOND_HEX | NO_ALNUM) == 0)
        || (bytes::is_hexadecimal(classes) && shape::is_uuid(text))
        || (classes & AT != 0 && shape::is_email(text))
}

/// Writes a key as every line and flag shows it.
pub(crate) fn write_key(key: Key<'_>, cx: Context<'_>, out: &mut Vec<u8>) {
    match key.shown {
        // A name of ASCII has nothing that would be escaped.
        NameShown::Text if key.text.bytes.is_ascii() => out.extend_from_slice(key.text.bytes),
        NameShown::Text => escape::write(key.text.bytes, Spot::Name, out),
        NameShown::Shape => marker::write(key.text.bytes, false, cx, out),
        NameShown::ShapeAlone => marker::write_alone(key.text.bytes, cx, out),
        NameShown::Secret => marker::write(key.text.bytes, true, cx, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    #[test]
    fn common_names_are_quiet() {
        let is_quiet = |text: &&str| {
            with_context(|cx| {
                let classified = Text::untraced(text.as_bytes()).repaired().classified();
                let [quick, slow] = [Key::judge(classified, cx), Key::judge_slow(classified, cx)]
                    .map(|judged| (judged.key.shown, judged.is_quiet, judged.is_sensitive));
                quick == slow
            })
        };
        let names = crate::names::common::NAMES.split_ascii_whitespace();
        let loud: Vec<&str> = names.filter(|name| !is_quiet(name)).collect();
        assert!(loud.is_empty(), "{loud:?}");
    }

    #[test]
    fn names_are_judged_by_their_classes() {
        let long = "a".repeat(65);
        for (text, shown) in [
            ("", NameShown::Text),
            ("user_name", NameShown::Text),
            ("1234", NameShown::Text),
            ("12345", NameShown::Shape),
            ("0123456789abcdef", NameShown::Shape),
            ("0123456789abcdeg", NameShown::Text),
            ("49b3f5c4-8a32-4e10-9d6c-0123456789ab", NameShown::Shape),
            ("49b3f5c4-8a32-4e10-9d6c-0123456789abc", NameShown::Text),
            ("a@b.es", NameShown::Shape),
            ("a@b", NameShown::Text),
            ("a b", NameShown::Shape),
            ("año", NameShown::Text),
            (&long, NameShown::Shape),
        ] {
            with_context(|cx| {
                let JudgedKey { key, .. } =
                    Key::judge(Text::untraced(text.as_bytes()).repaired().classified(), cx);
                assert_eq!(key.shown, shown, "{text}");
            });
        }
    }
}
