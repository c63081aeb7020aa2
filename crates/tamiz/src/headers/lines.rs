//! The lines of a header block: the quiet ones finished at once, the others opened.

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use super::in_parts::Found;
use super::quiet;
use crate::bytes;
use crate::config::Scheme;
use crate::context::Context;
use crate::finished::{Finished, Rank};
use crate::message::{Line, RawLine};
use crate::text::Text;

/// The lines of a header block: finished, or to be read.
pub(super) struct Lines<'a> {
    pub(super) finished: BumpVec<'a, Finished<'a>>,
    /// The places of finished lines, by name.
    pub(super) order: BumpVec<'a, (Rank, u16)>,
    pub(super) opened: BumpVec<'a, Line<'a>>,
    /// The parts of finished lines that other stages need.
    pub(super) found: Found<'a>,
}

/// Finishes the quiet lines, and opens all others; opens all of them where two may have one name.
pub(super) fn finish_or_open<'a>(
    lines: BumpVec<'a, RawLine<'a>>,
    scheme: Scheme,
    cx: Context<'a>,
) -> Lines<'a> {
    let mut found = Found::default();
    let texts = &mut *cx.spare.lines.borrow_mut();
    texts.clear();
    let mut finished = BumpVec::new_in(cx.bump);
    let mut opened = BumpVec::with_capacity_in(lines.len(), cx.bump);
    let is_tried = cx.finishes && lines.len() <= cx.settings.config.limits.headers;
    if is_tried {
        finished.reserve_exact(lines.len());
    }
    // Where each finished line came, among the opened ones.
    let mut places = BumpVec::with_capacity_in(finished.capacity(), cx.bump);
    for line in lines {
        match line {
            RawLine::Cut(line) => opened.push(Box::into_inner(line)),
            RawLine::Plain(line) => {
                match Some(line.bytes)
                    .filter(|_| is_tried)
                    .and_then(|line| finish(line, scheme, cx, &mut found, texts))
                {
                    Some(line) => {
                        places.push(opened.len());
                        finished.push(line);
                    }
                    None => opened.push(Line::cut(line, cx)),
                }
            }
        }
    }
    if finished.is_empty() {
        return Lines { finished, order: BumpVec::new_in(cx.bump), opened, found };
    }
    if have_other_names(&opened, &finished)
        && let Some(order) = order_by_name(&finished, cx)
    {
        return Lines { finished, order, opened, found };
    }
    let opened = open_all(opened, finished.into_iter().zip(places), cx);
    let finished = BumpVec::new_in(cx.bump);
    Lines { finished, order: BumpVec::new_in(cx.bump), opened, found: Found::default() }
}

/// Opens finished lines too: all lines in the order in which they came. Each comes with how many opened ones were before it.
fn open_all<'a>(
    opened: BumpVec<'a, Line<'a>>,
    finished: impl ExactSizeIterator<Item = (Finished<'a>, usize)>,
    cx: Context<'a>,
) -> BumpVec<'a, Line<'a>> {
    let mut all = BumpVec::with_capacity_in(opened.len().saturating_add(finished.len()), cx.bump);
    let open = |(line, _): (Finished<'a>, usize)| Line::cut(Text::untraced(line.line), cx);
    let mut finished = finished.peekable();
    for (i, line) in opened.into_iter().enumerate() {
        while let Some(before) = finished.next_if(|(_, at)| *at <= i) {
            all.push(open(before));
        }
        all.push(line);
    }
    all.extend(finished.map(open));
    all
}

/// Takes a line from the cache, or finishes it; appends its text to `texts`.
fn finish<'a>(
    line: &'a [u8],
    scheme: Scheme,
    cx: Context<'a>,
    found: &mut Found<'a>,
    texts: &mut Vec<u8>,
) -> Option<Finished<'a>> {
    if let Some(known) = cx.cache.and_then(|cache| cache.get(line, texts)) {
        return Some(known);
    }
    let finished = quiet::finish(line, scheme, cx, found, texts)?;
    if let Some(cache) = cx.cache.filter(|cache| finished.is_alike_everywhere() && cache.admits(line)) {
        cache.keep(&finished, texts);
    }
    Some(finished)
}

/// Whether no line has the name of a finished one, as far as names tell by their rank.
fn have_other_names(opened: &[Line<'_>], finished: &[Finished<'_>]) -> bool {
    opened.iter().all(|line| {
        line.name.is_some_and(|name| {
            let rank = Rank::of(name.bytes);
            bytes::is_token(name.bytes) && finished.iter().all(|line| line.record.rank != rank)
        })
    })
}

/// The places of lines by name; `None` where two may have the same.
fn order_by_name<'a>(lines: &[Finished<'a>], cx: Context<'a>) -> Option<BumpVec<'a, (Rank, u16)>> {
    let mut order = BumpVec::with_capacity_in(lines.len(), cx.bump);
    order.extend(lines.iter().map(|line| line.record.rank).zip(0..));
    order.sort_unstable();
    let differ = order.windows(2).all(|two| matches!(two, [a, b] if a.0 != b.0));
    (differ && order.len() == lines.len()).then_some(order)
}
