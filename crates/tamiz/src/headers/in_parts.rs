//! Header values that are read in parts, finished: cookies, hosts, URLs and credentials.
//!
//! The stages that need a part of such a value find it in [`Found`], so that the header is not opened for them.

use super::quiet::Quiet;
use super::url::read_url;
use super::value::scan_by_grammar;
use super::{Cookies, authorization, cookie};
use crate::decode::layers;
use crate::finished::Echo;
use crate::known_headers::Kind;
use crate::scan::{self, Kind as ScanKind};
use crate::shape;
use crate::show::{NameShown, marker};
use crate::target::host::{self, Host};
use crate::target::write::write_url;
use crate::text::Classified;

/// The parts of finished lines that other stages need.
#[derive(Default)]
pub(crate) struct Found<'a> {
    /// The host, with its port as written.
    pub(crate) host: Option<Host<'a>>,
    pub(crate) cookies: Option<Cookies<'a>>,
    /// The values of `authorization` and `proxy-authorization`.
    pub(crate) credentials: [Option<Classified<'a>>; 2],
}

impl Found<'_> {
    /// Puts credentials in the order in which they came.
    pub(super) fn put_in_order(&mut self) {
        self.credentials.sort_unstable_by_key(|value| {
            value.map_or(usize::MAX, |value| value.text.bytes.as_ptr() as usize)
        });
    }
}

/// Returns whether values of a kind are read in parts.
pub(super) fn is_kind(kind: Kind) -> bool {
    matches!(kind, Kind::Cookie | Kind::Authorization | Kind::Host | Kind::Url | Kind::Origin)
}

/// Writes a value of such a kind whose flags a record has a place for; `None` for others.
pub(super) fn write(line: &mut Quiet<'_, '_>) -> Option<()> {
    match line.rule.kind {
        Kind::Host => write_host(line),
        Kind::Cookie => write_cookies(line),
        Kind::Authorization => write_authorization(line),
        _ => write_url_in_clear(line),
    }
}

fn write_host(line: &mut Quiet<'_, '_>) -> Option<()> {
    let (start, cx) = (line.out.len(), line.cx);
    let mut flags = cx.flags();
    let host = Host::read(line.text().text, host::Source::Header, cx, &mut flags);
    let host = host.filter(|_| flags.set.is_empty())?;
    host.without_default_port(line.scheme).write(line.out);
    line.found.host = Some(host);
    line.record.echo = Echo::InName;
    line.record.len = u16::try_from(line.out.len().saturating_sub(start)).ok()?;
    Some(())
}

fn write_cookies(line: &mut Quiet<'_, '_>) -> Option<()> {
    let cx = line.cx;
    let mut flags = cx.flags();
    let cookies = cookie::read(line.text().text, cx, &mut flags);
    if cookies.names().any(|name| name.shown == NameShown::Secret) {
        return None;
    }
    line.add_flags(&flags)?;
    cookie::write(&cookies, cx, line.out);
    line.record.count = u16::try_from(cookies.list.len()).ok()?;
    line.record.echo = Echo::InName;
    line.found.cookies = Some(cookies);
    Some(())
}

fn write_authorization(line: &mut Quiet<'_, '_>) -> Option<()> {
    let (value, cx) = (line.text(), line.cx);
    let text = value.text;
    if marker::is_left(text.bytes, true, cx) || shape::is_jwt(text.bytes) {
        return None;
    }
    let mut flags = cx.flags();
    authorization::raise(text, &mut flags);
    if cx.settings.beyond_core() {
        scan_by_grammar(text, value.classes, *line.rule, true, cx, &mut flags);
    } else {
        scan::scan(value, ScanKind::Opaque, true, cx, &mut flags);
    }
    line.add_flags(&flags)?;
    *line.found.credentials.iter_mut().find(|place| place.is_none())? = Some(value);
    authorization::write(text.bytes, value.classes, line.out);
    line.record.echo = Echo::InName;
    Some(())
}

fn write_url_in_clear(line: &mut Quiet<'_, '_>) -> Option<()> {
    let (Classified { text, classes }, cx) = (line.text(), line.cx);
    if marker::is_left(text.bytes, false, cx) {
        return None;
    }
    let mut flags = cx.flags();
    let url = read_url(text, classes, line.rule.kind, cx, &mut flags)?;
    let mut limits = cx.flags();
    url.check_limits(&cx.settings.config.limits, &mut limits);
    let is_in_clear = limits.set.is_empty()
        && !url.holds_secret()
        && !url.hides_base64(cx)
        && !layers::hides_base64(text.with_classes(classes), cx);
    if !is_in_clear {
        return None;
    }
    line.add_flags(&flags)?;
    write_url(url, cx, line.out);
    Some(())
}
