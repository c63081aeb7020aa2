//! Secrets by echo (clause 6.14): a secret of eight or more characters makes a secret of whatever
//! else contains it.
//!
//! The secrets are collected, the request as it came is searched once for all of them, and each part of it that is a
//! plain piece of the request is judged by where they were found. Only what was decoded, or may be, is searched itself.

mod collect;
mod hide;

use crate::context::Context;
use crate::finished::Echo;
use crate::headers::Cookies;
use crate::needles::Needles;
use crate::request::Request;
use crate::show::NameShown;

/// Finds the secrets of a request and hides every echo of them.
pub(crate) fn redact<'a>(request: &mut Request<'a>, raw: &'a [u8], cx: Context<'a>) {
    let mut needles = Needles::new(raw, cx);
    needles.collect(request, cx);
    if needles.is_empty() {
        return;
    }
    needles.prepare();
    let needles = &*cx.bump.alloc(needles);
    needles.hide_in_url(request.url, &mut request.flags);
    for header in &mut request.headers.list {
        needles.hide_in_header(header);
    }
    if let Some(body) = &mut request.body {
        needles.hide_in_body(body);
    }
    request.echoes_into_finished = is_in_finished(request, needles, cx);
    if request.method.shown != NameShown::ShapeAlone && needles.is_in(request.method.text.bytes) {
        request.method.shown = NameShown::ShapeAlone;
        request.flags.hide(request.method.text);
    }
    request.needles = Some(needles);
}

/// Returns whether a finished line shows an echo of a secret.
fn is_in_finished(request: &Request<'_>, needles: &Needles<'_>, cx: Context<'_>) -> bool {
    let headers = &*request.headers;
    let mut names = headers.found.cookies.iter().flat_map(Cookies::names);
    if names.any(|name| needles.is_in(name.text.bytes)) {
        return true;
    }
    headers.finished.iter().any(|line| {
        let record = &line.record;
        let is_in_value = || match record.is_plain {
            true => needles.is_in_undecoded(line.line),
            false => needles.is_in(line.line),
        };
        record.echo == Echo::InLine && is_in_value()
            || usize::from(record.name_len) >= needles.shortest_in_name
                && needles.is_in_plain(line.name(&cx.spare.lines.borrow()))
    })
}
