//! A whole request, read and redacted: what the document is written from.

use crate::body::{self, Body, hide};
use crate::bytes;
use crate::config::Scheme;
use crate::context::Context;
use crate::decode::unicode::Stage;
use crate::decode::{unicode, utf8};
use crate::flags::{Flag, Flags};
use crate::framing;
use crate::headers::{self, Headers};
use crate::message::{Message, Version, on_one_line};
use crate::needles::Needles;
use crate::scan::{self, Kind};
use crate::show::NameShown;
use crate::target::Url;
use crate::target::form::{self, Form};
use crate::target::host::{self, Host};
use crate::text::Text;

/// Everything the lines of a document are made of.
pub(crate) struct Request<'a> {
    pub(crate) method: Method<'a>,
    pub(crate) form: Form,
    pub(crate) scheme: Scheme,
    /// The target; its host is the one `U:` shows.
    pub(crate) url: &'a mut Url<'a>,
    pub(crate) headers: &'a mut Headers<'a>,
    /// Read for its secrets in `core` too, which does not show it.
    pub(crate) body: Option<&'a mut Body<'a>>,
    /// The flags of the `M` line.
    pub(crate) flags: Flags<'a>,
    pub(crate) version: Version,
    /// A version that is none.
    pub(crate) odd_version: Option<Text<'a>>,
    /// The secrets, for headers that are read again when they are written; `None` where there are none.
    pub(crate) needles: Option<&'a Needles<'a>>,
    /// True if a secret is echoed in a finished line: all of the request has to be read again, with every line opened.
    pub(crate) echoes_into_finished: bool,
}

/// The method, after NFKC.
pub(crate) struct Method<'a> {
    pub(crate) text: Text<'a>,
    /// As it is where it is a token of at most 32 characters and no credential.
    pub(crate) shown: NameShown,
}

impl<'a> Request<'a> {
    /// Reads a message. The request stays where it is: it is too large to be handed on by value.
    pub(crate) fn read(mut message: Message<'a>, cx: Context<'a>) -> &'a mut Self {
        let method = Method::read(message.method, cx, &mut message.flags);
        let (form, url) = form::read(&message, cx);
        let scheme = url.scheme.unwrap_or(cx.settings.config.scheme);
        let named_by_target =
            form == Form::Absolute || form == Form::Authority || message.authority.is_some();
        let headers = headers::read(message.lines, scheme, cx);
        let version = message.version;
        let request = cx.bump.alloc(Request {
            method,
            form,
            scheme,
            url,
            headers,
            body: None,
            flags: message.flags,
            version,
            odd_version: message.odd_version,
            needles: None,
            echoes_into_finished: false,
        });
        request.settle_host(named_by_target, message.target);
        if request.form == Form::Absolute
            && let Some(authority) = message.authority
        {
            request.check_authority(authority, cx);
        }
        request.url.hide_tokens(cx, &mut request.flags);
        request.settle_flags(cx);
        framing::check(request.headers, message.body, message.is_in_frames, cx, &mut request.flags);
        if let Some(body) = message.body {
            request.body = body::read(body, request.headers, cx).map(|body| cx.bump.alloc(body));
        }
        request.check_limits(message.body, cx);
        request
    }

    /// Hides what evidence must not show of a body, once all its secrets are known.
    pub(crate) fn hide_rest_of(&mut self, body: Text<'a>, cx: Context<'a>) {
        let mut hidden = cx.flags();
        hide::hide_rest(body, self.shown_body(cx), &mut hidden);
        self.flags.absorb(&hidden);
    }

    /// The body, in the profiles that show it.
    pub(crate) fn shown_body(&self, cx: Context<'a>) -> Option<&Body<'a>> {
        self.body.as_deref().filter(|_| cx.settings.beyond_core())
    }

    /// Returns whether the `U` line is in origin form, for want of a host.
    pub(crate) fn is_without_authority(&self, cx: Context<'a>) -> bool {
        self.url.host.is_none() && cx.settings.beyond_core() && self.form != Form::Authority
    }

    /// Moves flags to the line that carries them: those of an authority that `U` does not show, and of a `U` that is
    /// not there, stand on `M` (clause 5.6).
    fn settle_flags(&mut self, cx: Context<'a>) {
        let of_authority = std::mem::replace(&mut self.url.authority_flags, cx.flags());
        if self.url.host.is_some() {
            self.url.flags.absorb(&of_authority);
            return;
        }
        self.flags.absorb(&of_authority);
        if !self.is_without_authority(cx) {
            let of_target = std::mem::replace(&mut self.url.flags, cx.flags());
            self.flags.absorb(&of_target);
            if let Some(fragment) = self.url.fragment {
                self.flags.hide(fragment);
            }
        }
    }

    /// `CAPPED`: more than is shown or read.
    fn check_limits(&mut self, raw_body: Option<Text<'a>>, cx: Context<'a>) {
        let limits = &cx.settings.config.limits;
        self.url.check_limits(limits, &mut self.flags);
        for header in &self.headers.list {
            header.check_limits(limits, &mut self.flags);
        }
        if let Some(header) = self.headers.list.get(limits.headers) {
            self.flags.raise(Flag::Capped, header.whole);
        }
        if self.headers.many.as_ref().is_some_and(|many| many.count > limits.headers) {
            self.flags.raise(Flag::Capped, Text::untraced(b""));
        }
        if let (Some(raw), Some(Body { capped: true, .. })) = (raw_body, self.shown_body(cx)) {
            self.flags.raise(Flag::Capped, raw);
        }
    }

    /// Decides which host `U:` shows, and whether two of them disagree.
    fn settle_host(&mut self, named_by_target: bool, target: Text<'a>) {
        let Headers { host, has_host, .. } = *self.headers;
        if !named_by_target {
            self.url.host = host.map(|host| host.without_default_port(self.scheme));
            if !has_host {
                self.flags.raise(Flag::BadHost, target.slice(0..0));
            }
            return;
        }
        if self.form != Form::Authority {
            self.url.host = self.url.host.map(|host| host.without_default_port(self.scheme));
        }
        if has_host && !self.agrees(host) {
            self.url.authority_flags.raise(Flag::HostMismatch, target);
        }
    }

    /// An absolute-form wins over `:authority` too, which must agree with it and with `Host`.
    fn check_authority(&mut self, authority: Text<'a>, cx: Context<'a>) {
        let named = Host::read(authority, host::Source::Target, cx, &mut self.url.authority_flags);
        let named = named.map(|host| host.without_default_port(self.scheme));
        let header = self.headers.host.map(|host| host.without_default_port(self.scheme));
        if named != self.url.host || self.headers.has_host && named != header {
            self.url.authority_flags.raise(Flag::HostMismatch, authority);
        }
    }

    /// Returns whether `Host` names the target's host; a `CONNECT` may leave the port to the target.
    fn agrees(&self, header: Option<Host<'a>>) -> bool {
        match (self.form, self.url.host, header) {
            (Form::Authority, Some(target), Some(header)) => {
                target.name == header.name && (header.port.is_none() || target.port == header.port)
            }
            (_, target, header) => {
                target.is_some() && target == header.map(|host| host.without_default_port(self.scheme))
            }
        }
    }
}

impl<'a> Method<'a> {
    fn read(raw: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Self {
        let shown = |text: &[u8]| {
            if cx.settings.names.find_credential(text, bytes::union(text), cx).is_some() {
                NameShown::ShapeAlone
            } else if bytes::is_token(text) && text.len() <= 32 {
                NameShown::Text
            } else {
                NameShown::Shape
            }
        };
        if shown(raw.bytes) == NameShown::Text {
            return Method { text: raw, shown: NameShown::Text };
        }
        let text = utf8::repair(on_one_line(raw, cx), cx, flags);
        let text = unicode::normalize(text, Stage::Name, cx, flags);
        let shown = shown(text.bytes);
        scan::scan(text.classified(), Kind::Opaque, shown == NameShown::ShapeAlone, cx, flags);
        if shown != NameShown::Text {
            flags.hide(raw);
        }
        Method { text, shown }
    }
}
