//! Header values that are read in parts, finished: cookies, hosts, URLs and credentials.
//!
//! The stages that need a part of such a value find it in [`Found`], so that the header is not opened for them.

use super::quiet::Written;
use super::url::read_url;
use super::value::scan_by_grammar;
use super::{Cookies, authorization, cookie};
use crate::config::Scheme;
use crate::context::Context;
use crate::decode::layers;
use crate::finished::Echo;
use crate::known_headers::{Kind, Rule};
use crate::scan::{self, Kind as ScanKind};
use crate::shape;
use crate::show::{NameShown, marker};
use crate::target::host::{self, Host};
use crate::target::write::write_url;
use crate::text::{Classified, Text};

/// The parts of finished lines that other stages need.
#[derive(Default)]
pub(crate) struct Found<'a> {
    /// The host, with its port as written.
    pub(crate) host: Option<Host<'a>>,
    pub(crate) cookies: Option<Cookies<'a>>,
    /// The values of `authorization` and `proxy-authorization`.
    pub(crate) credentials: [Option<Text<'a>>; 2],
}

/// Returns whether values of a kind are read in parts.
pub(super) fn is_kind(kind: Kind) -> bool {
    matches!(kind, Kind::Cookie | Kind::Authorization | Kind::Host | Kind::Url | Kind::Origin)
}

/// Writes a value of such a kind whose flags a record has a place for; `None` for others.
pub(super) fn write<'a>(
    value: Classified<'a>,
    rule: Rule,
    scheme: Scheme,
    cx: Context<'a>,
    found: &mut Found<'a>,
    out: &mut Vec<u8>,
) -> Option<Written> {
    match rule.kind {
        Kind::Host => write_host(value.text, scheme, cx, found, out),
        Kind::Cookie => write_cookies(value.text, cx, found, out),
        Kind::Authorization => write_authorization(value, rule, cx, found, out),
        _ => write_url_in_clear(value, rule, cx, out),
    }
}

fn write_host<'a>(
    value: Text<'a>,
    scheme: Scheme,
    cx: Context<'a>,
    found: &mut Found<'a>,
    out: &mut Vec<u8>,
) -> Option<Written> {
    let start = out.len();
    let mut flags = cx.flags();
    let host = Host::read(value, host::Source::Header, cx, &mut flags).filter(|_| flags.set.is_empty())?;
    host.without_default_port(scheme).write(out);
    found.host = Some(host);
    Some(Written { echo: Echo::InName, ..Written::new(out.len().saturating_sub(start)) })
}

fn write_cookies<'a>(
    value: Text<'a>,
    cx: Context<'a>,
    found: &mut Found<'a>,
    out: &mut Vec<u8>,
) -> Option<Written> {
    let mut flags = cx.flags();
    let cookies = cookie::read(value, cx, &mut flags);
    if cookies.names().any(|name| name.shown == NameShown::Secret) {
        return None;
    }
    let written = Written::new(value.len()).with_flags(&flags)?;
    cookie::write(&cookies, cx, out);
    let count = u32::try_from(cookies.list.len()).ok()?;
    found.cookies = Some(cookies);
    Some(Written { count, echo: Echo::InName, ..written })
}

fn write_authorization<'a>(
    value: Classified<'a>,
    rule: Rule,
    cx: Context<'a>,
    found: &mut Found<'a>,
    out: &mut Vec<u8>,
) -> Option<Written> {
    let text = value.text;
    if marker::is_left(text.bytes, true, cx) || shape::is_jwt(text.bytes) {
        return None;
    }
    let mut flags = cx.flags();
    authorization::raise(text, &mut flags);
    if cx.settings.beyond_core() {
        scan_by_grammar(text, value.classes, rule, true, cx, &mut flags);
    } else {
        scan::scan(value, ScanKind::Opaque, true, cx, &mut flags);
    }
    let written = Written::new(text.len()).with_flags(&flags)?;
    *found.credentials.iter_mut().find(|place| place.is_none())? = Some(text);
    authorization::write(text.bytes, out);
    Some(Written { echo: Echo::InName, ..written })
}

fn write_url_in_clear<'a>(
    value: Classified<'a>,
    rule: Rule,
    cx: Context<'a>,
    out: &mut Vec<u8>,
) -> Option<Written> {
    let Classified { text, classes } = value;
    if marker::is_left(text.bytes, false, cx) {
        return None;
    }
    let mut flags = cx.flags();
    let url = read_url(text, classes, rule.kind, cx, &mut flags)?;
    let mut limits = cx.flags();
    url.check_limits(&cx.settings.config.limits, &mut limits);
    let is_in_clear = limits.set.is_empty()
        && !url.holds_secret()
        && !url.hides_base64(cx)
        && !layers::hides_base64(text.bytes, cx);
    let written = Written::new(text.len()).with_flags(&flags).filter(|_| is_in_clear)?;
    write_url(url, cx, out);
    Some(written)
}
