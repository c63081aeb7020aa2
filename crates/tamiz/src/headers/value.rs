//! Header values: what they tell, and how they are shown (clauses 8.10 to 8.12 and 8.23 to 8.27).

use bumpalo::boxed::Box;

use super::url::read_url;
use super::{Cookies, accept, authorization, content, cookie, forwarded, parameters, user_agent};
use crate::bytes;
use crate::config::Limits;
use crate::context::Context;
use crate::flags::{Flag, Flags};
use crate::formats::{self, file};
use crate::json;
use crate::known_headers::{Grammar, Kind, Rule};
use crate::lists::FILE_NAME_HEADERS;
use crate::scan::{self, Kind as ScanKind};
use crate::shape;
use crate::show::escape::{self, Spot};
use crate::show::marker;
use crate::target::Url;
use crate::target::host::Host;
use crate::target::write::write_url;
use crate::text::Text;

/// One piece of a value, by the rules of the header it reads as.
pub(crate) struct Value<'a> {
    /// The name it reads as, after an embedded line end; as written.
    pub(crate) label: Option<Text<'a>>,
    /// Repaired and collapsed.
    pub(crate) text: Text<'a>,
    /// The same, with its label.
    pub(crate) whole: Text<'a>,
    pub(crate) rule: Rule,
    pub(crate) content: Content<'a>,
}

/// What a value is taken for.
pub(crate) enum Content<'a> {
    /// Shown by the rule of its header.
    Plain,
    /// Exactly a marker: left as it is.
    Marker,
    /// Shown by its shape.
    Shape,
    /// Shown as a secret.
    Secret,
    Url(&'a mut Url<'a>),
    Cookies(Box<'a, Cookies<'a>>),
    Host(Host<'a>),
}

impl Content<'_> {
    /// Returns whether there may be secrets in it.
    pub(super) fn may_hold_secrets(&self) -> bool {
        matches!(self, Content::Secret | Content::Url(_) | Content::Cookies(_))
    }
}

impl<'a> Value<'a> {
    /// `CAPPED`: more segments or pairs of a URL than are shown.
    pub(super) fn check_limits(&self, limits: &Limits, flags: &mut Flags<'a>) {
        if let Content::Url(url) = &self.content {
            url.check_limits(limits, flags);
        }
    }

    /// How many cookies it holds.
    pub(super) fn cookies(&self) -> usize {
        match &self.content {
            Content::Cookies(cookies) if self.rule.kind == Kind::Cookie => cookies.list.len(),
            _ => 0,
        }
    }

    /// Reads a piece; `classes` is the union of the classes of its bytes.
    pub(super) fn read(
        text: Text<'a>,
        classes: u32,
        name: &[u8],
        rule: Rule,
        cx: Context<'a>,
        flags: &mut Flags<'a>,
    ) -> Self {
        let content = match rule.kind {
            Kind::Cookie => Content::Cookies(Box::new_in(cookie::read(text, cx, flags), cx.bump)),
            Kind::SetCookie => Content::Cookies(Box::new_in(cookie::read_set(text, cx, flags), cx.bump)),
            _ => inspect(text, classes, name, rule, cx, flags),
        };
        Value { label: None, text, whole: text, rule, content }
    }

    /// Reads what follows an embedded line end: `name: value` by that header's rules, else its shape.
    pub(super) fn embedded(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Self {
        let named = text.cut(b':').filter(|(name, _)| {
            bytes::is_token(name.bytes)
                && name.len() <= 64
                && cx.settings.names.find_credential(name.bytes, bytes::union(name.bytes), cx).is_none()
        });
        let Some((label, value)) = named else {
            return Value::unnamed(text, bytes::union(text.bytes), cx, flags);
        };
        let name = cx.bump.alloc_slice_copy(label.bytes);
        name.make_ascii_lowercase();
        let mut rule = cx.settings.headers.get(name);
        if rule.kind == Kind::Host {
            rule = Rule::default();
        }
        let value = value.trim();
        let value = Value::read(value, bytes::union(value.bytes), name, rule, cx, flags);
        Value { label: Some(label), whole: text, ..value }
    }

    /// A text without a name: its shape, or that of a secret.
    pub(crate) fn unnamed(text: Text<'a>, classes: u32, cx: Context<'a>, flags: &mut Flags<'a>) -> Self {
        let secret = cx.settings.names.find_credential(text.bytes, classes, cx).is_some();
        scan::scan(text.classified(), ScanKind::Free, secret, cx, flags);
        flags.hide(text);
        let content = if secret { Content::Secret } else { Content::Shape };
        Value { label: None, text, whole: text, rule: Rule::default(), content }
    }

    pub(crate) fn host(
        text: Text<'a>,
        host: Option<Host<'a>>,
        cx: Context<'a>,
        flags: &mut Flags<'a>,
    ) -> Self {
        let content = match host {
            Some(host) => Content::Host(host),
            None => {
                scan::scan(text.classified(), ScanKind::Free, false, cx, flags);
                flags.hide(text);
                Content::Shape
            }
        };
        Value { label: None, text, whole: text, rule: Rule::default(), content }
    }

    /// The length of a host as shown, without the set of a marker.
    pub(crate) fn host_len(&self, cx: Context<'a>) -> usize {
        cx.spare.with(|out| {
            self.write(cx, out);
            marker::len_without_set(out)
        })
    }

    /// Returns whether the document shows this value in clear, so that an echo of a secret would leak.
    pub(crate) fn is_in_clear(&self) -> bool {
        matches!(self.content, Content::Plain)
    }

    /// The text of a value that view `shape` may show as one marker of a shape.
    pub(crate) fn text_of_shape(&self) -> Option<&'a [u8]> {
        let is_shaped = self.label.is_none() && matches!(self.content, Content::Plain | Content::Shape);
        is_shaped.then_some(self.text.bytes)
    }

    /// Writes a value that is no secret as view `shape` shows it.
    pub(crate) fn write_by_shape(&self, cx: Context<'a>, out: &mut Vec<u8>) {
        match self.content {
            Content::Plain => write_plain(self.text.bytes, bytes::union(self.text.bytes), self.rule, cx, out),
            _ => self.write(cx, out),
        }
    }

    pub(crate) fn write(&self, cx: Context<'a>, out: &mut Vec<u8>) {
        if let Some(label) = self.label {
            out.extend_from_slice(label.bytes);
            out.extend_from_slice(b": ");
        }
        let text = self.text.bytes;
        match &self.content {
            Content::Marker => marker::write_left(text, out),
            Content::Shape => marker::write(text, false, cx, out),
            Content::Secret if self.rule.kind == Kind::Authorization => {
                authorization::write(text, bytes::union(text), out);
            }
            Content::Secret => marker::write(text, true, cx, out),
            Content::Host(host) => host.write(out),
            Content::Cookies(cookies) if self.rule.kind == Kind::Cookie => cookie::write(cookies, cx, out),
            Content::Cookies(cookies) => cookie::write_set(cookies, cx, out),
            Content::Url(url) if !cx.settings.literal() => write_url(url, cx, out),
            Content::Url(url)
                if url.holds_secret()
                    || cx.settings.names.find_credential(text, bytes::union(text), cx).is_some() =>
            {
                marker::write(text, true, cx, out);
            }
            Content::Url(_) => escape::write(text, Spot::HeaderValue, out),
            Content::Plain if cx.settings.literal() => escape::write(text, Spot::HeaderValue, out),
            Content::Plain => write_plain(text, bytes::union(text), self.rule, cx, out),
        }
    }
}

/// Scans a value and decides what it is.
pub(super) fn inspect<'a>(
    text: Text<'a>,
    classes: u32,
    name: &[u8],
    rule: Rule,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> Content<'a> {
    let names = &cx.settings.names;
    let by_name = if rule.is_known { rule.is_sensitive } else { names.matches(name, bytes::union(name), cx) };
    let sensitive = rule.kind == Kind::Authorization || by_name;
    if matches!(rule.kind, Kind::XForwardedFor | Kind::Forwarded) {
        flags.raise(Flag::Xff, text);
    }
    if marker::is_left(text.bytes, sensitive, cx) {
        flags.raise(Flag::Marker, text);
        return Content::Marker;
    }
    if shape::is_jwt(text.bytes) {
        flags.raise(Flag::Jwt, text);
    }
    if rule.kind == Kind::Authorization {
        authorization::raise(text, flags);
    }
    let url = if matches!(rule.kind, Kind::Url | Kind::Origin) && !sensitive {
        read_url(text, classes, rule.kind, cx, flags)
    } else {
        None
    };
    if let Some(url) = url {
        return Content::Url(url);
    }
    if rule.kind == Kind::ContentType && cx.settings.beyond_core() {
        for parameter in content::odd_boundaries(text.bytes) {
            flags.raise(Flag::BadBoundary, text.part(parameter));
        }
    }
    if FILE_NAME_HEADERS.iter().any(|known| known.as_bytes() == name)
        && file::is_executable(file_name(text, cx))
    {
        flags.raise(Flag::ExecExt, text);
    }
    let secret = sensitive || names.find_credential(text.bytes, classes, cx).is_some();
    if !secret || cx.settings.beyond_core() {
        scan_by_grammar(text, classes, rule, secret, cx, flags);
    } else {
        scan::scan(text.classified(), ScanKind::Opaque, true, cx, flags);
    }
    if secret {
        flags.hide(text);
        Content::Secret
    } else {
        Content::Plain
    }
}

/// The file a header names: its `filename` parameter, or all of it.
fn file_name<'a>(text: Text<'a>, cx: Context<'a>) -> &'a [u8] {
    let is_name =
        |of: &formats::parameters::Parameter<'a>| of.is_named("filename") || of.is_named("filename*");
    let mut named = formats::parameters::parameters(text, cx).filter(is_name);
    named.find_map(|of| of.value).unwrap_or(text).bytes
}

pub(super) fn scan_by_grammar<'a>(
    text: Text<'a>,
    classes: u32,
    rule: Rule,
    secret: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) {
    match (rule.kind, rule.grammar) {
        (Kind::UserAgent, _) => user_agent::scan(text, secret, cx, flags),
        (_, Grammar::Parameters) => parameters::scan(text, classes, ScanKind::Free, secret, cx, flags),
        (_, Grammar::Brands) => parameters::scan(text, classes, ScanKind::Brands, secret, cx, flags),
        (_, Grammar::Text) if is_json(text, classes, cx) => {
            formats::json::each_string(text, cx, |string| {
                scan::characters(string.classified(), ScanKind::Free, secret, cx, flags);
            });
            scan::content(text.with_classes(classes), ScanKind::Structured, secret, cx, flags);
        }
        (_, Grammar::Text) => scan::scan(text.with_classes(classes), ScanKind::Free, secret, cx, flags),
    }
}

/// Returns whether quotes and braces are the grammar of a value: it is JSON as a whole.
fn is_json(text: Text<'_>, classes: u32, cx: Context<'_>) -> bool {
    classes & bytes::DANGER != 0
        && cx.settings.beyond_core()
        && matches!(text.bytes.first(), Some(b'{' | b'['))
        && json::is_object_or_array(text.bytes)
}

/// Writes a value that is neither a secret nor a URL by the rule of its header. `classes` is the union of the classes of
/// its bytes.
pub(super) fn write_plain<'a>(text: &'a [u8], classes: u32, rule: Rule, cx: Context<'a>, out: &mut Vec<u8>) {
    let settings = cx.settings;
    match rule.kind {
        Kind::UserAgent => {
            user_agent::write(text, classes, settings.config.headers.user_agent_words, cx, out);
        }
        Kind::Accept => accept::write(text, classes, cx, out),
        Kind::AcceptEncoding => accept::write_encoding(text, classes, cx, out),
        Kind::AcceptLanguage => accept::write_language(text, classes, cx, out),
        Kind::XForwardedFor => forwarded::write_list(text, out),
        Kind::Forwarded => forwarded::write(text, out),
        Kind::Address => forwarded::write_address(text, out),
        Kind::ContentType => content::write_type(text, cx, out),
        Kind::ContentLength => content::write_length(text, cx, out),
        Kind::Origin if text == b"null" => out.extend_from_slice(text),
        Kind::Url | Kind::Origin | Kind::Volatile => marker::write(text, false, cx, out),
        _ if settings.shows_unlisted
            || rule.vocabulary.is_some_and(|vocabulary| vocabulary.has(text, &settings.headers)) =>
        {
            escape::write(text, Spot::HeaderValue, out);
        }
        _ => marker::write(text, false, cx, out),
    }
}
