//! The request target (section 5): its form, host, path and query.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

pub(crate) mod form;
pub(crate) mod host;
mod identify;
pub(crate) mod more;
pub(crate) mod pair;
pub(crate) mod path;
pub(crate) mod query;
pub(crate) mod segment;
mod token;
pub(crate) mod write;

use crate::bytes::{self, WORD_SIGN};
use crate::config::{Limits, Scheme};
use crate::context::Context;
use crate::decode::{entities, layers, percent, utf8};
use crate::families;
use crate::flags::{Flag, Flags};
use crate::formats::embedded::Embedded;
use crate::scan::{self, Kind};
use crate::show::NameShown;
use crate::text::Text;

use host::Host;
use pair::Syntax;
use path::Path;
use query::Query;
use segment::Shown;

/// A URL in parts, decoded; a target, or a header that holds one.
pub(crate) struct Url<'a> {
    pub(crate) scheme: Option<Scheme>,
    /// Decoded, for its length.
    pub(crate) userinfo: Option<Text<'a>>,
    pub(crate) host: Option<Host<'a>>,
    pub(crate) path: Option<Path<'a>>,
    pub(crate) query: Option<Query<'a>>,
    /// A well-known token that reaches over several segments of the path, with the host before them.
    pub(crate) token: Option<&'a [u8]>,
    /// What follows a raw `#`, decoded.
    pub(crate) fragment: Option<Text<'a>>,
    /// Whether the fragment is shown as a secret.
    pub(crate) fragment_secret: bool,
    /// Flags of the whole: form, fragment.
    pub(crate) flags: Flags<'a>,
    /// Flags of the authority: userinfo, the host of an absolute-form.
    pub(crate) authority_flags: Flags<'a>,
}

impl<'a> Url<'a> {
    /// One without parts. It is filled where it is: it is too large to be handed on by value.
    pub(crate) fn new(cx: Context<'a>) -> &'a mut Self {
        cx.bump.alloc_with(|| Url {
            scheme: None,
            userinfo: None,
            host: None,
            path: None,
            query: None,
            token: None,
            fragment: None,
            fragment_secret: false,
            flags: cx.flags(),
            authority_flags: cx.flags(),
        })
    }

    /// Reads what follows the authority: path and query.
    fn read_tail(&mut self, tail: Text<'a>, cx: Context<'a>) {
        let (path, query) = match tail.cut(b'?') {
            Some((path, query)) => (path, Some(query)),
            None => (tail, None),
        };
        self.path = Some(Path::read(path, cx));
        self.query = query.map(|query| Query::read(query, Syntax::Url, cx));
    }

    /// Cuts off everything from the first raw `#` that is no part of an entity.
    fn cut_fragment(&mut self, text: Text<'a>, classes: u32, cx: Context<'a>) -> Text<'a> {
        if classes & WORD_SIGN == 0 {
            return text;
        }
        let Some(first) = memchr::memchr(b'#', text.bytes) else { return text };
        let mut places = bytes::places(b'#', text.bytes.get(first..).unwrap_or_default());
        let hash = places.find(|place| !entities::owns_hash(text.bytes, first + place));
        let Some(at) = hash.map(|place| first + place) else { return text };
        self.flags.raise(Flag::Fragment, text.from(at));
        let raw = utf8::repair(text.from(at + 1), cx, &mut self.flags);
        let fragment = percent::decode(raw, percent::Field::Other, cx, &mut self.flags);
        self.fragment_secret =
            scan::scan_for_secret(fragment.classified(), Kind::Free, false, cx, &mut self.flags);
        self.fragment = Some(fragment);
        text.slice(0..at)
    }

    /// Reads `[userinfo@]host[:port]`.
    fn read_authority(&mut self, authority: Text<'a>, cx: Context<'a>) {
        let host = match memchr::memrchr(b'@', authority.bytes) {
            None => authority,
            Some(at) => {
                let raw = authority.slice(0..at);
                let flags = &mut self.authority_flags;
                flags.raise(Flag::UserInfo, raw);
                let raw = utf8::repair(raw, cx, flags);
                let userinfo = percent::decode(raw, percent::Field::Other, cx, flags);
                scan::scan(userinfo.classified(), Kind::Free, true, cx, flags);
                flags.hide(raw);
                self.userinfo = Some(userinfo);
                authority.from(at + 1)
            }
        };
        self.host = Host::read(host, host::Source::Target, cx, &mut self.authority_flags);
        if self.host.is_none() {
            self.authority_flags.hide(authority);
        }
    }

    /// Hides the segments of the path that a well-known token has a part of which reaches over several of them, or
    /// begins with the host (clause 5.26.2). `flags` takes note of what is hidden.
    pub(crate) fn hide_tokens(&mut self, cx: Context<'a>, flags: &mut Flags<'a>) {
        let Some(path) = self.path.as_mut().filter(|path| !path.segments.is_empty()) else { return };
        let host = self.host.map_or(&b""[..], |host| host.name);
        if path.is_quiet() && !families::may_begin_with(host) {
            return;
        }
        self.token = cx.spare.with(|joined| {
            joined.extend_from_slice(host);
            for segment in &path.segments {
                joined.push(b'/');
                joined.extend_from_slice(segment.text.bytes);
            }
            let found = families::find_across(joined, b'/')?;
            let mut start = host.len();
            for segment in &mut path.segments {
                let end = start + 1 + segment.text.len();
                if start + 1 < found.end && found.start < end {
                    segment.shown = Shown::Secret;
                    flags.hide(segment.text);
                }
                start = end;
            }
            joined.get(found).map(|token| &*cx.bump.alloc_slice_copy(token))
        });
    }

    /// `CAPPED`: more segments or pairs than are shown.
    pub(crate) fn check_limits(&self, limits: &Limits, flags: &mut Flags<'a>) {
        if let Some(segment) = self.path.as_ref().and_then(|path| path.segments.get(limits.segments)) {
            flags.raise(Flag::Capped, segment.text);
        }
        if let Some(pair) = self.query.as_ref().and_then(|query| query.pairs.get(limits.pairs)) {
            flags.raise(Flag::Capped, pair.key.text);
        }
        if self.query.as_ref().is_some_and(|query| query.more.is_some()) {
            flags.raise(Flag::Capped, Text::untraced(b""));
        }
        for pair in self.query.iter().flat_map(|query| query.pairs.iter()) {
            if let Some(value) = pair.value.filter(|_| pair.json.is_some_and(|json| json.capped)) {
                flags.raise(Flag::Capped, value);
            }
        }
    }

    /// Whether anything in it is shown as a secret.
    pub(crate) fn holds_secret(&self) -> bool {
        let in_path = |path: &Path<'a>| {
            path.segments.iter().any(|segment| matches!(segment.shown, Shown::Secret | Shown::Parameters))
        };
        let in_query = |query: &Query<'a>| {
            query.more.as_ref().is_some_and(|more| more.holds_secret)
                || query.pairs.iter().any(|pair| {
                    pair.secret
                        || pair.key.shown == NameShown::Secret
                        || pair.json.is_some_and(Embedded::holds_secret)
                })
        };
        self.userinfo.is_some_and(|userinfo| !userinfo.is_empty())
            || self.fragment_secret
            || self.path.as_ref().is_some_and(in_path)
            || self.query.as_ref().is_some_and(in_query)
    }

    /// Whether something in it is Base64 of readable text, also behind other layers.
    pub(crate) fn hides_base64(&self, cx: Context<'a>) -> bool {
        let hides = |text: Text<'a>| layers::hides_base64(text.classified(), cx);
        let in_query = |query: &Query<'a>| {
            query.more.is_some()
                || query.pairs.iter().any(|pair| hides(pair.key.text) || pair.value.is_some_and(hides))
        };
        self.path.as_ref().is_some_and(|path| path.hides_base64(cx))
            || self.query.as_ref().is_some_and(in_query)
            || self.fragment.is_some_and(hides)
    }

    /// All the flags of a URL inside a header.
    pub(crate) fn all_flags(&self, cx: Context<'a>) -> Flags<'a> {
        let mut all = cx.flags();
        all.absorb(&self.flags);
        all.absorb(&self.authority_flags);
        if let Some(path) = &self.path {
            all.absorb(&path.flags);
        }
        if let Some(query) = &self.query {
            all.absorb(&query.flags);
            for pair in &query.pairs {
                all.absorb(&pair.flags);
                pair.leaf_flags().for_each(|flags| all.absorb(flags));
            }
            if let Some(more) = &query.more {
                all.absorb(&more.flags);
            }
        }
        all
    }
}

impl Scheme {
    /// The scheme of this name, case ignored.
    pub(crate) fn of(name: &[u8]) -> Option<Scheme> {
        Scheme::ALL.iter().copied().find(|scheme| name.eq_ignore_ascii_case(scheme.as_str().as_bytes()))
    }
}

/// Cuts `scheme://` off, for the four schemes of HTTP.
pub(crate) fn cut_scheme(text: Text<'_>) -> Option<(Scheme, Text<'_>)> {
    let colon = bytes::position(b':', text.bytes)?;
    let rest = text.from(colon + 1);
    let scheme = Scheme::of(text.bytes.get(..colon)?)?;
    rest.bytes.starts_with(b"//").then(|| (scheme, rest.from(2)))
}

/// Reads `authority[/path][?query][#fragment]`, after a scheme. `classes` has the classes of all its bytes.
pub(crate) fn read_absolute<'a>(
    scheme: Scheme,
    rest: Text<'a>,
    classes: u32,
    cx: Context<'a>,
) -> &'a mut Url<'a> {
    let url = Url::new(cx);
    url.scheme = Some(scheme);
    let rest = url.cut_fragment(rest, classes, cx);
    let end = rest.bytes.iter().position(|b| matches!(b, b'/' | b'?')).unwrap_or(rest.len());
    url.read_authority(rest.slice(0..end), cx);
    url.read_tail(rest.from(end), cx);
    url
}

/// Reads `/path[?query][#fragment]`. `classes` has the classes of all its bytes.
pub(crate) fn read_relative<'a>(text: Text<'a>, classes: u32, cx: Context<'a>) -> &'a mut Url<'a> {
    let url = Url::new(cx);
    let text = url.cut_fragment(text, classes, cx);
    url.read_tail(text, cx);
    url
}
