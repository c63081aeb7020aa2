//! Secrets by echo (clause 6.14): a secret of eight or more characters makes a secret of whatever
//! else contains it.
//!
//! The secrets are collected, the request as it came is searched once for all of them, and each part of it that is a
//! plain piece of the request is judged by where they were found. Only what was decoded, or may be, is searched itself.

mod collect;
mod hide;

use crate::context::Context;
use crate::finished::{Echo, Finished};
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
    needles.prepare(cx.bump);
    needles.hide_in_url(request.url, &mut request.flags);
    for header in &mut request.headers.list {
        needles.hide_in_header(header);
    }
    if let Some(body) = &mut request.body {
        needles.hide_in_body(body);
    }
    let texts = cx.spare.lines.borrow();
    let mut finished = request.headers.finished.iter();
    let is_in_cookies = request
        .headers
        .found
        .cookies
        .iter()
        .flat_map(Cookies::names)
        .any(|name| needles.is_in(name.text.bytes));
    request.echoes_into_finished =
        is_in_cookies || finished.any(|line| is_in_finished(line, &texts, &needles));
    if request.method.shown != NameShown::ShapeAlone && needles.is_in(request.method.text.bytes) {
        request.method.shown = NameShown::ShapeAlone;
        request.flags.hide(request.method.text);
    }
    request.needles = Some(needles);
}

/// Returns whether a finished line, whose text is among `texts`, shows an echo of a secret.
fn is_in_finished(line: &Finished<'_>, texts: &[u8], needles: &Needles<'_>) -> bool {
    let record = &line.record;
    let is_in_value = match record.echo {
        Echo::InName => false,
        Echo::InLine if record.is_plain && !needles.has_blanks => needles.is_in_plain(line.line),
        Echo::InLine => needles.is_in(line.line),
    };
    is_in_value || usize::from(record.name_len) >= needles.shortest && needles.is_in_plain(line.name(texts))
}
