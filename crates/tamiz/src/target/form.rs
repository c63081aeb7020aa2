//! The four forms of a target (clauses 5.1 to 5.5).

use super::{Url, cut_scheme, read_absolute, read_relative};
use crate::bytes::{self, CONTROL};
use crate::context::Context;
use crate::flags::Flag;
use crate::message::{Message, on_one_line};
use crate::text::Text;

/// RFC 9112 section 3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `/path?query`
    Origin,
    /// `http://host/path?query`
    Absolute,
    /// `host:port`
    Authority,
    /// `*`
    Asterisk,
    /// None of them, or one its method does not allow: a path.
    Bad,
}

fn form_of(method: &[u8], target: Text<'_>) -> Form {
    let connect = method == b"CONNECT";
    match target.bytes {
        b"*" if method == b"OPTIONS" => Form::Asterisk,
        [b'/', ..] if !connect => Form::Origin,
        _ if !connect && cut_scheme(target).is_some() => Form::Absolute,
        text if connect && is_authority(text) => Form::Authority,
        _ => Form::Bad,
    }
}

/// `host ":" port`, with nothing that belongs to another form.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
fn is_authority(text: &[u8]) -> bool {
    let Some(colon) = memchr::memrchr(b':', text) else {
        return false;
    };
    let port = text.get(colon + 1..).unwrap_or_default();
    !port.is_empty()
        && bytes::all(port, bytes::DIGIT)
        && colon > 0
        && !text.iter().any(|b| matches!(b, b'/' | b'?' | b'#'))
}

/// Reads the target of a message.
pub(crate) fn read<'a>(message: &Message<'a>, cx: Context<'a>) -> (Form, &'a mut Url<'a>) {
    let (target, classes) = match message.authority {
        // How HTTP/2 and HTTP/3 carry a CONNECT.
        Some(authority) if message.method.bytes == b"CONNECT" && message.target.is_empty() => {
            (authority, bytes::union(authority.bytes))
        }
        _ => (message.target, message.target_classes),
    };
    let target = if classes & CONTROL == 0 { target } else { on_one_line(target, cx) };
    let form = form_of(message.method.bytes, target);
    let url = match form {
        Form::Absolute => match cut_scheme(target) {
            Some((scheme, rest)) => read_absolute(scheme, rest, classes, cx),
            None => read_relative(target, classes, cx),
        },
        Form::Authority => {
            let url = Url::new(cx);
            url.read_authority(target, cx);
            url
        }
        Form::Origin | Form::Asterisk | Form::Bad => read_relative(target, classes, cx),
    };
    if form == Form::Bad || message.has_unknown_scheme {
        url.flags.raise(Flag::BadTarget, message.target);
    }
    if matches!(form, Form::Origin | Form::Bad)
        && let Some(path) = &mut url.path
        && path.is_net_path
    {
        path.flags.raise(Flag::NetPath, message.target);
        path.scan_net_host(cx);
    }
    if let Some(authority) = message.authority
        && matches!(form, Form::Origin | Form::Asterisk | Form::Bad)
    {
        url.read_authority(on_one_line(authority, cx), cx);
    }
    url.scheme = url.scheme.or(message.scheme);
    (form, url)
}
