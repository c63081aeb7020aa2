//! Header names (clauses 8.1 to 8.3).

use crate::bytes;
use crate::context::Context;
use crate::decode::unicode::Stage;
use crate::decode::{GUARD, unicode, utf8};
use crate::flags::{Flag, Flags};
use crate::known_headers::Rule;
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
    /// As it came, repaired and trimmed, where that is no RFC 9110 token.
    pub(crate) odd: Option<Text<'a>>,
}

impl<'a> Name<'a> {
    pub(crate) fn read(raw: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Self {
        Name::read_known(raw, cx).unwrap_or_else(|| Name::read_slow(raw, cx, flags))
    }

    /// A name that is known as it came, case apart: nothing of it is odd.
    fn read_known(raw: Text<'a>, cx: Context<'a>) -> Option<Self> {
        let text = lower(raw, cx);
        let rule = cx.settings.headers.get(text.bytes);
        rule.is_known.then_some(Name { text, raw, shown: NameShown::Text, rule, is_exact: true, odd: None })
    }

    fn read_slow(raw: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Self {
        raise_embedded(raw, flags);
        let is_plain = bytes::is_token(raw.bytes);
        if !is_plain || bytes::position(b'_', raw.bytes).is_some() {
            flags.raise(Flag::BadHdrName, raw);
        }
        let came = if is_plain { raw } else { utf8::repair(on_one_line(raw, cx), cx, flags) };
        let (text, changed) = if is_plain { (raw, false) } else { normal(came, cx, flags) };
        let text = lower(text, cx);
        let odd = Some(came.trim()).filter(|came| !bytes::is_token(came.bytes));
        let rule = cx.settings.headers.get(text.bytes);
        let is_exact = raw.bytes.eq_ignore_ascii_case(text.bytes);
        let is_hidden = !bytes::is_token(text.bytes) || text.len() > 64 || (rule.steers && changed);
        let holds_credential = |text: &Text<'_>| {
            cx.settings.names.find_credential(text.bytes, bytes::union(text.bytes), cx).is_some()
        };
        let shown = match is_hidden {
            // A name that is known is no credential.
            _ if !rule.is_known && [came, text].iter().any(holds_credential) => NameShown::ShapeAlone,
            true => NameShown::Shape,
            false => NameShown::Text,
        };
        if shown != NameShown::Text {
            flags.hide(raw);
        }
        Name { text, raw, shown, rule, is_exact, odd }
    }

    /// Writes the name as its `H:` line and flags show it.
    pub(crate) fn write(&self, cx: Context<'a>, out: &mut Vec<u8>) {
        match self.shown {
            NameShown::Text => out.extend_from_slice(self.text.bytes),
            NameShown::Shape => marker::write(self.text.bytes, false, cx, out),
            NameShown::ShapeAlone => marker::write_alone(self.text.bytes, cx, out),
            NameShown::Secret => marker::write(self.text.bytes, true, cx, out),
        }
    }
}

/// The NFKC form of a name, and whether that differs.
fn normal<'a>(came: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> (Text<'a>, bool) {
    let normal = unicode::normalize(came, Stage::Name, cx, flags);
    (normal.trim(), normal.bytes != came.bytes)
}

/// The text in lower case, but for the digits of guarded bytes.
fn lower<'a>(text: Text<'a>, cx: Context<'a>) -> Text<'a> {
    if !text.bytes.iter().any(u8::is_ascii_uppercase) {
        return text;
    }
    let lower = cx.bump.alloc_slice_copy(text.bytes);
    let mut pieces = lower.split_mut(|byte| *byte == GUARD);
    pieces.next().into_iter().for_each(|first| first.make_ascii_lowercase());
    for piece in pieces {
        piece.get_mut(2..).unwrap_or_default().make_ascii_lowercase();
    }
    text.with_bytes(lower)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;
    use crate::lists::KNOWN_HEADERS;

    #[test]
    fn guarded_bytes_keep_their_digits() {
        with_context(|cx| {
            for (name, expected) in
                [(&b"X-A"[..], &b"x-a"[..]), (b"\xFFC0A\xFFAF", b"\xFFC0a\xFFAF"), (b"A\xFFEFB", b"a\xFFEFb")]
            {
                assert_eq!(lower(Text::untraced(name), cx).bytes, expected);
            }
        });
    }

    #[test]
    fn known_names_are_read_alike() {
        with_context(|cx| {
            for name in KNOWN_HEADERS.iter().flat_map(|name| [(*name).to_owned(), name.to_ascii_uppercase()])
            {
                let raw = Text::request(name.as_bytes(), true);
                let mut flags = cx.flags();
                let (quick, slow) =
                    (Name::read_known(raw, cx).unwrap(), Name::read_slow(raw, cx, &mut flags));
                assert_eq!(quick.text.bytes, slow.text.bytes);
                assert_eq!((quick.shown, quick.rule, quick.is_exact), (slow.shown, slow.rule, slow.is_exact));
                assert!(slow.odd.is_none() && flags.set.is_empty() && flags.marks().is_empty(), "{name}");
            }
        });
    }
}
