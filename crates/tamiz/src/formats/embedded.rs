//! Values that are JSON (clause 6.20): a query, form, multipart or cookie value whose leaves are read like a body's.

use std::cell::Cell;

use super::fields::Fields;
use super::json;
use super::key_path::Start;
use super::step::{Leaf, Outcome};
use crate::bytes;
use crate::context::Context;
use crate::decode::base64;
use crate::decode::layers::Layer;
use crate::flags::{Flag, Flags};
use crate::json::is_object_or_array;
use crate::scan;
use crate::show::NameShown;
use crate::steps;
use crate::text::Text;

/// The leaves of a value that is JSON.
pub(crate) struct Embedded<'a> {
    pub(crate) fields: Fields<'a>,
    /// The flags of the value as a whole.
    pub(crate) flags: Flags<'a>,
    /// A limit was reached.
    pub(crate) capped: bool,
    /// Something in the value is a secret, so that it may not be shown in clear.
    secret: Cell<bool>,
    /// Its leaves are places of flags and tokens: it is not all a secret.
    pub(crate) is_told: bool,
}

/// Reads a decoded value, if it is JSON. In `core` none is.
pub(crate) fn read<'a>(value: Text<'a>, classes: u32, cx: Context<'a>) -> Option<&'a mut Embedded<'a>> {
    read_as(value, value, classes, cx)
}

/// Reads `text`, which is `value` in another spelling, if it is JSON. `classes` is the union of the classes of its
/// bytes.
pub(crate) fn read_as<'a>(
    text: Text<'a>,
    value: Text<'a>,
    classes: u32,
    cx: Context<'a>,
) -> Option<&'a mut Embedded<'a>> {
    if !cx.settings.beyond_core() || value.len() > cx.settings.config.limits.body_bytes {
        return None;
    }
    if is_object_or_array(text.bytes) {
        return read_text(text, value, cx);
    }
    // The first six bits of `{`, `[` and the white space of JSON.
    if !matches!(text.bytes.first(), Some(b'e' | b'W' | b'I' | b'C' | b'D')) {
        return None;
    }
    let decoded = scan::decode_base64(text, classes, cx).filter(|decoded| {
        base64::decoded_length(text.bytes) == decoded.len() && is_object_or_array(decoded.bytes)
    })?;
    let embedded = read_text(decoded, value, cx)?;
    embedded.flags.raise(Flag::B64Text, value);
    Some(embedded)
}

/// Reads the value of a cookie, which may be percent-encoded, if it is JSON.
pub(crate) fn read_cookie<'a>(
    value: Text<'a>,
    classes: u32,
    cx: Context<'a>,
) -> Option<&'a mut Embedded<'a>> {
    if let Some(embedded) = read(value, classes, cx) {
        return Some(embedded);
    }
    if !cx.settings.beyond_core()
        || classes & bytes::ENCODED == 0
        || !may_decode_to_json(value.bytes, classes)
    {
        return None;
    }
    let decoded = Layer::Percent.undo(value.with_classes(classes), cx, |_, _, _| {})?;
    read_as(decoded, value, bytes::union(decoded.bytes), cx)
}

/// Returns whether percent-decoding may make of a value what [`read_as`] reads. `classes` is the union of the classes of its bytes.
fn may_decode_to_json(value: &[u8], classes: u32) -> bool {
    let first = bytes::escape(value).or(value.first().copied());
    // A guarded byte may be part of the first escape.
    classes & bytes::HIGH != 0
        || first.is_some_and(|first| {
            first <= b' ' || matches!(first, b'{' | b'[' | b'e' | b'W' | b'I' | b'C' | b'D')
        })
}

/// Reads the leaves of `text`, which is JSON and what `value` decodes to.
fn read_text<'a>(text: Text<'a>, value: Text<'a>, cx: Context<'a>) -> Option<&'a mut Embedded<'a>> {
    steps::slow("parsed as embedded JSON");
    let limits = &cx.settings.config.limits;
    let mut flags = cx.flags();
    let mut fields = Fields::new(true, cx);
    let rules = json::Rules { depth: limits.depth, sequence: false, cut: false };
    let read = json::read(text, rules, cx, &mut fields, &mut flags);
    if read.outcome != Outcome::Read {
        return None;
    }
    let capped = read.too_deep || fields.more > 0;
    flags.absorb(&fields.rest);
    let secret = holds_secret(&fields)
        || cx.settings.names.find_credential(value.bytes, bytes::union(value.bytes), cx).is_some();
    Some(cx.bump.alloc(Embedded { fields, flags, capped, secret: Cell::new(secret), is_told: true }))
}

fn holds_secret(fields: &Fields<'_>) -> bool {
    fields.list.iter().any(|field| field.secret)
        || fields.paths.names().any(|name| name.key.shown == NameShown::Secret)
        || !fields.secrets.is_empty()
}

impl<'a> Embedded<'a> {
    /// All its flags.
    pub(crate) fn all_flags(&self, cx: Context<'a>) -> Flags<'a> {
        let mut all = cx.flags();
        all.absorb(&self.flags);
        self.fields.told().for_each(|field| all.absorb(&field.flags));
        all
    }

    /// The flags of each leaf.
    pub(crate) fn leaf_flags(&self) -> impl Iterator<Item = &Flags<'a>> {
        self.fields.told().filter(|_| self.is_told).map(|field| &field.flags)
    }

    /// The key of each leaf, after that of its value, and its flags.
    pub(crate) fn keyed_leaf_flags(&self) -> impl Iterator<Item = (&'a [u8], &Flags<'a>)> {
        let keys = self.is_told.then(|| self.fields.keys(Start::Value));
        keys.into_iter().flatten().zip(self.leaf_flags())
    }

    /// Decides about a value that is JSON, once its key is known: whether it is a secret. Under a sensitive key it is,
    /// and its flags are the value's own.
    pub(crate) fn settle(
        &'a mut self,
        value: Text<'a>,
        sensitive: bool,
        cx: Context<'a>,
        flags: &mut Flags<'a>,
    ) -> (bool, &'a Self) {
        if sensitive {
            flags.absorb(&self.all_flags(cx));
            flags.hide(value);
            self.make_secret();
        } else {
            flags.absorb(&self.flags);
        }
        (sensitive, self)
    }

    /// Tells nothing of its leaves: the value is a secret, since its key is sensitive.
    pub(crate) fn make_secret(&mut self) {
        self.is_told = false;
    }

    /// Returns whether something in the value is a secret, so that it may not be shown in clear.
    pub(crate) fn holds_secret(&self) -> bool {
        self.secret.get()
    }

    /// Notes that something in the value echoes a secret.
    pub(crate) fn set_secret(&self) {
        self.secret.set(true);
    }

    /// The texts of its leaves that are secrets: all of them where it is one.
    pub(crate) fn secret_texts(&self) -> impl Iterator<Item = Text<'a>> {
        let secrets = self.fields.list.iter().filter(|field| field.secret || !self.is_told);
        let texts = secrets.filter_map(|field| match field.leaf {
            Leaf::Text(text) | Leaf::Number(text) | Leaf::Deep(text) => Some(text),
            _ => None,
        });
        let names = self.fields.paths.names().filter(|name| name.key.shown == NameShown::Secret);
        texts.chain(names.map(|name| name.key.text)).chain(self.fields.secrets.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn keys(value: &str) -> Option<Vec<String>> {
        with_context(|cx| {
            let text = Text::request(value.as_bytes(), true).repaired();
            let embedded = read(text, bytes::union(text.bytes), cx)?;
            let keys = embedded.keyed_leaf_flags().map(|(key, _)| String::from_utf8_lossy(key).into_owned());
            Some(keys.collect())
        })
    }

    #[test]
    fn keys_of_leaves() {
        for (value, expected) in [
            (r#"{"user":{"name":"ann"}}"#, &["{}.user.name"][..]),
            (r#" [1,{"id":2}] "#, &["{}[]", "{}[].id"]),
            ("{}", &["{}"]),
            ("[]", &["{}"]),
            (r#"{"a.b":{"c{}":1}}"#, &["{}.a%2Eb.<mixed:3:{}>"]),
            ("eyJhIjoxLCJiIjpbXX0", &["{}.a", "{}.b"]),
        ] {
            assert_eq!(keys(value).unwrap_or_else(|| panic!("{value}")), expected, "{value}");
        }
        for value in ["", "1", "\"a\"", "{", "{\"a\":1}x", "{'a':1}", "[1,]", "e30", "null"] {
            assert_eq!(keys(value), None, "{value}");
        }
    }

    #[test]
    fn encoded_json_is_known_by_its_first_byte() {
        let values = [
            r#"{"a":1}"#,
            " [1]",
            "\t{}",
            "\r\n[2]",
            "eyJhIjoxLCJiIjpbXX0",
            "W3siYSI6MX0sMl0",
            "a{}",
            "IHsiYSI6MTIzfQ",
        ];
        let mut found = 0;
        for value in values {
            let mut escapes = value.bytes().map(|byte| format!("%{byte:02x}"));
            let first = escapes.next().unwrap() + &value[1..];
            let last = value[..value.len() - 1].to_owned() + &escapes.next_back().unwrap();
            for encoded in [first, last] {
                with_context(|cx| {
                    let text = Text::request(encoded.as_bytes(), true).repaired();
                    let decoded = Layer::Percent.undo(text.classified(), cx, |_, _, _| {}).unwrap();
                    let is_json = read_as(decoded, text, bytes::union(decoded.bytes), cx).is_some();
                    found += usize::from(is_json);
                    assert_eq!(
                        read_cookie(text, bytes::union(text.bytes), cx).is_some(),
                        is_json,
                        "{encoded}"
                    );
                });
            }
        }
        assert!(found >= 10, "{found}");
    }
}
