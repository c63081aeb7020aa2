//! Header names (clauses 8.1 to 8.3).

use super::table::Rule;
use crate::bytes;
use crate::context::Context;
use crate::decode::unicode::Stage;
use crate::decode::{unicode, utf8};
use crate::flags::{Flag, Flags};
use crate::message::{on_one_line, raise_embedded};
use crate::show::{NameShown, marker};
use crate::text::Text;

/// A header name: NFKC, lower-case, trimmed.
pub(crate) struct Name<'a> {
    pub(crate) text: Text<'a>,
    pub(crate) raw: Text<'a>,
    pub(crate) shown: NameShown,
    pub(crate) rule: Rule,
    /// Whether it came spelt exactly so, case apart: only then does it steer anything.
    pub(crate) is_exact: bool,
    /// Whether it is an RFC 9110 token.
    pub(crate) is_token: bool,
}

impl<'a> Name<'a> {
    pub(crate) fn read(raw: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Self {
        raise_embedded(raw, flags);
        let is_plain = bytes::is_token(raw.bytes);
        if !is_plain || memchr::memchr(b'_', raw.bytes).is_some() {
            flags.raise(Flag::BadHdrName, raw);
        }
        let (text, changed) = normal(raw, cx, flags);
        let is_token = bytes::is_token(text.bytes);
        let rule = cx.settings.headers.get(text.bytes);
        let is_exact = raw.bytes.eq_ignore_ascii_case(text.bytes);
        let hidden = !is_token
            || text.len() > 64
            || (rule.steers && changed)
            // A name that is known is no credential.
            || (!rule.is_known
                && [raw, text].iter().any(|text| cx.settings.names.find_credential(text.bytes).is_some()));
        let shown = if hidden {
            flags.hide(raw);
            NameShown::Shape
        } else {
            NameShown::Text
        };
        Name { text, raw, shown, rule, is_exact, is_token }
    }

    /// Writes the name as its `H:` line and flags show it.
    pub(crate) fn write(&self, cx: Context<'a>, out: &mut Vec<u8>) {
        match self.shown {
            NameShown::Text => out.extend_from_slice(self.text.bytes),
            NameShown::Shape => marker::write(self.text.bytes, false, cx.settings, out),
            NameShown::Secret => marker::write(self.text.bytes, true, cx.settings, out),
        }
    }
}

/// The normal form of a name, and whether NFKC changed it.
fn normal<'a>(raw: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> (Text<'a>, bool) {
    let (text, changed) = if bytes::is_token(raw.bytes) {
        (raw, false)
    } else {
        let text = utf8::repair(on_one_line(raw, cx), cx, flags);
        let normal = unicode::normalize(text, Stage::Name, cx, flags);
        (normal.trim(), normal.bytes != text.bytes)
    };
    if !text.bytes.iter().any(u8::is_ascii_uppercase) {
        return (text, changed);
    }
    let lower = cx.bump.alloc_slice_copy(text.bytes);
    lower.make_ascii_lowercase();
    (text.with_bytes(lower), changed)
}
