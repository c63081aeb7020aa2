//! Secrets by echo (clause 6.14): a secret of eight or more characters makes a secret of whatever
//! else contains it.
//!
//! The secrets are collected, the request as it came is searched once for all of them, and each part of it that is a
//! plain piece of the request is judged by where they were found. Only what was decoded, or may be, is searched itself.

mod collect;
mod hide;

use crate::context::Context;
use crate::finished::Finished;
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
    let is_in = |line: &Finished<'a>| {
        let is_whole = line.record.is_plain && !needles.has_blanks;
        let is_in_line = if is_whole { needles.is_in_plain(line.line) } else { needles.is_in(line.line) };
        is_in_line
            || usize::from(line.record.name_len) >= needles.shortest && needles.is_in_plain(line.name())
    };
    request.echoes_into_finished = request.headers.finished.iter().any(is_in);
    if request.method.shown != NameShown::ShapeAlone && needles.is_in(request.method.text.bytes) {
        request.method.shown = NameShown::ShapeAlone;
        request.flags.hide(request.method.text);
    }
    request.needles = Some(needles);
}
