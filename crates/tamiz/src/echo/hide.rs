//! Hiding the echoes of secrets.

use crate::body::{self, Body};
use crate::bytes;
use crate::flags::Flags;
use crate::formats::embedded::Embedded;
use crate::formats::fields::Fields;
use crate::formats::step::Leaf;
use crate::headers::{Content, Header, Name, Value};
use crate::inspect::Key;
use crate::known_headers::Rule;
use crate::needles::Needles;
use crate::show::{NameShown, marker};
use crate::steps;
use crate::target::Url;
use crate::target::pair::Pair;
use crate::target::path;
use crate::target::segment::{self, Segment, Shown};
use crate::text::Text;

impl<'a> Needles<'a> {
    /// Hides echoes in a URL; `flags` takes note of what is hidden.
    pub(super) fn hide_in_url(&self, url: &mut Url<'a>, flags: &mut Flags<'a>) {
        if let Some(path) = &mut url.path {
            let segments = path.segments.iter_mut();
            for segment in segments.filter(|segment| self.may_be_in(segment.text.bytes)) {
                if segment.shown != Shown::Secret && self.is_in_segment(segment) {
                    segment.shown = Shown::Secret;
                    flags.hide(segment.text);
                }
            }
        }
        if let Some(query) = &mut url.query {
            for pair in &mut query.pairs {
                self.hide_in_pair(pair, flags);
            }
            if let Some(more) = &mut query.more {
                more.keyed.iter_mut().for_each(|(key, _)| self.hide_in_key(key, flags));
            }
        }
        if let Some(fragment) = url.fragment
            && !url.fragment_secret
            && self.is_in(fragment.bytes)
        {
            url.fragment_secret = true;
            flags.hide(fragment);
        }
    }

    #[inline]
    fn hide_in_pair(&self, pair: &mut Pair<'a>, flags: &mut Flags<'a>) {
        self.hide_in_key(&mut pair.key, flags);
        let Some(value) = pair.value else { return };
        if let Some(json) = pair.json {
            self.hide_in_json(value, json, flags);
        } else if !pair.secret && self.is_in_value(value.bytes, pair.classes()) {
            pair.secret = true;
            flags.hide(value);
        }
    }

    pub(super) fn hide_in_body(&self, body: &mut Body<'a>) {
        match &mut body.content {
            body::Content::Whole { text, secret } => {
                if !*secret && self.is_in(text.bytes) {
                    *secret = true;
                    body.flags.hide(*text);
                }
            }
            body::Content::Fields(fields) => {
                self.hide_in_leaves(fields, &mut body.flags);
                for name in fields.paths.names_mut() {
                    self.hide_in_key(&mut name.key, &mut body.flags);
                }
                if let Some(more) = &mut fields.more_pairs {
                    more.keyed.iter_mut().for_each(|(key, _)| self.hide_in_key(key, &mut body.flags));
                }
            }
        }
    }

    /// Hides echoes in a value that is JSON: leaf by leaf, and all of it where it would be shown in clear. `flags`
    /// takes note of what is hidden.
    fn hide_in_json(&self, value: Text<'a>, json: &Embedded<'a>, flags: &mut Flags<'a>) {
        let mut echoes = self.hide_in_leaves(&json.fields, flags);
        let names = json.fields.paths.names().filter(|name| name.key.shown != NameShown::Secret);
        for name in names.filter(|name| self.is_in(name.key.text.bytes)) {
            name.echoes.set(true);
            flags.hide(name.key.text);
            echoes = true;
        }
        if !json.holds_secret() && (echoes || self.is_in(value.bytes)) {
            json.set_secret();
        }
    }

    /// Returns whether a leaf echoes a secret.
    fn hide_in_leaves(&self, fields: &Fields<'a>, flags: &mut Flags<'a>) -> bool {
        let mut echoes = false;
        for field in &fields.list {
            let (Leaf::Text(text) | Leaf::Number(text) | Leaf::Deep(text)) = field.leaf else { continue };
            if let Some(json) = field.json {
                self.hide_in_json(text, json, flags);
            } else if !field.secret && self.is_in_value(text.bytes, field.classes()) {
                field.echoes.set(true);
                flags.hide(text);
                echoes = true;
            }
        }
        echoes
    }

    /// Returns whether a value echoes a secret and is not a marker, which is left as it is. `classes` is the union of the classes
    /// of its bytes, where it is known.
    #[inline]
    fn is_in_value(&self, value: &[u8], classes: Option<u32>) -> bool {
        self.may_be_in(value) && self.is_in_long_value(value, classes)
    }

    fn is_in_long_value(&self, value: &[u8], classes: Option<u32>) -> bool {
        steps::slow("value searched for echoes");
        self.is_in_known(value, classes.unwrap_or_else(|| bytes::union(value)))
            && !marker::is_left(value, false, self.cx)
    }

    /// Returns whether a segment echoes a secret, the parameters it hides already left out.
    #[allow(clippy::arithmetic_side_effects, reason = "what is taken off is a part of it")]
    fn is_in_segment(&self, segment: &Segment<'a>) -> bool {
        let parts = || segment.text.split_at_each(b';').enumerate();
        let hidden = |(i, part)| segment::hidden_value(part, self.cx).filter(|_| i > 0);
        if path::is_marker(segment.text, self.cx) {
            return false;
        }
        if memchr::memchr2(b';', b'=', segment.text.bytes).is_none() {
            return self.is_in(segment.text.bytes);
        }
        if !parts().any(|part| hidden(part).is_some()) && self.is_in(segment.text.bytes) {
            return true;
        }
        parts().any(|(i, part)| {
            let len = hidden((i, part)).map_or(0, |value| value.len());
            let part = part.slice(0..part.len() - len);
            self.is_in(part.bytes) || part.cut(b'=').is_some_and(|(_, value)| self.is_in(value.bytes))
        })
    }

    fn hide_in_key(&self, key: &mut Key<'a>, flags: &mut Flags<'a>) {
        if key.shown != NameShown::Secret && self.is_in(key.text.bytes) {
            key.shown = NameShown::Secret;
            flags.hide(key.text);
        }
    }

    /// Hides the name of a header that echoes a secret; whether it does.
    pub(crate) fn hide_in_name(&self, name: &mut Name<'a>) -> bool {
        let echoes = !matches!(name.shown, NameShown::Secret | NameShown::ShapeAlone)
            && (self.is_in(name.text.bytes) || self.is_in(name.odd.unwrap_or(name.raw).bytes));
        if echoes {
            name.shown = NameShown::Secret;
        }
        echoes
    }

    pub(crate) fn hide_in_header(&self, header: &mut Header<'a>) {
        if let Some(name) = &mut header.name
            && self.hide_in_name(name)
        {
            header.flags.hide(name.raw);
        }
        // A URL, cookies or pieces of a value may hold layers where the whole has none; a label is shown in lower case.
        let is_joined = header.is_joined();
        let is_whole = match header.values.as_slice() {
            [value] if !is_joined => {
                value.label.is_none() && !matches!(value.content, Content::Url(_) | Content::Cookies(_))
            }
            _ => false,
        };
        let whole = header.whole.bytes;
        if is_whole && !self.may_have_spelling(whole, header.classes) && !self.is_in_plain(whole) {
            return;
        }
        for value in &mut header.values {
            self.hide_in_value(value, is_joined, &mut header.flags);
        }
    }

    /// Returns whether a name contains a secret: as it came, or in lower case, as a name is shown.
    fn is_in_name(&self, name: &[u8]) -> bool {
        let is_lower_in = |lower: &mut Vec<u8>| {
            lower.extend(name.iter().map(u8::to_ascii_lowercase));
            self.is_in(lower)
        };
        self.is_in(name) || self.cx.spare.with(is_lower_in)
    }

    /// Returns whether a part of a value that lines were joined to echoes a secret: the lines were texts of their own.
    fn is_in_joined(&self, value: &[u8]) -> bool {
        value.split(|byte| matches!(byte, b' ' | b',')).any(|part| self.is_in(part))
    }

    /// Hides the echoes in a value; `is_joined` where lines were joined to it.
    pub(crate) fn hide_in_value(&self, value: &mut Value<'a>, is_joined: bool, flags: &mut Flags<'a>) {
        if let Some(label) = value.label.filter(|label| self.is_in_name(label.bytes)) {
            flags.hide(label);
            *value = Value {
                label: None,
                text: value.whole,
                whole: value.whole,
                rule: Rule::default(),
                content: Content::Secret,
            };
            flags.hide(value.text);
            return;
        }
        let whole = value.is_in_clear() || matches!(value.content, Content::Shape);
        match &mut value.content {
            // Literal URLs are shown as they came.
            Content::Url(_)
                if self.cx.settings.literal() && self.is_in(value.text.bytes)
                    || is_joined && self.is_in_joined(value.text.bytes) =>
            {
                value.content = Content::Secret;
                flags.hide(value.text);
            }
            Content::Url(url) => self.hide_in_url(url, flags),
            Content::Cookies(cookies) => {
                for cookie in &mut cookies.list {
                    if let Some(mut name) = cookie.name() {
                        self.hide_in_key(&mut name, flags);
                        cookie.show_name(name.shown);
                    }
                    if cookie.is_attribute()
                        && (self.is_in(cookie.piece.bytes) || self.is_in(cookie.value().bytes))
                    {
                        cookie.hide();
                        flags.hide(cookie.piece);
                    }
                }
            }
            _ if whole
                && (self.is_in_value(value.text.bytes, None)
                    || is_joined && self.is_in_joined(value.text.bytes)) =>
            {
                value.content = Content::Secret;
                flags.hide(value.text);
            }
            _ => {}
        }
    }
}
