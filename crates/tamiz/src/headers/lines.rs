//! The lines of a header block: the quiet ones finished at once, the others opened.

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use super::in_parts::Found;
use super::quiet;
use crate::bytes;
use crate::config::Scheme;
use crate::context::Context;
use crate::finished::{Echo, Finished, Rank, Role};
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
                let is_finished =
                    is_tried && finish(line.bytes, scheme, cx, &mut found, texts, &mut finished).is_some();
                if is_finished {
                    places.push(opened.len());
                } else {
                    opened.push(Line::cut(line, cx));
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
    open_shared(Lines { finished, order: BumpVec::new_in(cx.bump), opened, found }, places, cx)
}

/// Opens the finished lines that share a name with another line; all of them, where a name may count as any or what was
/// found of a line cannot be taken back. `places` has how many opened lines were before each finished one.
fn open_shared<'a>(lines: Lines<'a>, places: BumpVec<'a, usize>, cx: Context<'a>) -> Lines<'a> {
    let Lines { finished, opened, mut found, .. } = lines;
    let shared = shared_names(&opened, &finished, cx);
    let is_kept = |line: &Finished<'a>| {
        shared.as_ref().is_some_and(|shared| shared.binary_search(&line.record.rank).is_err())
    };
    // Only a host can be taken back from what was found.
    let is_known = |line: &Finished<'a>| line.record.role == Role::Host || line.record.echo == Echo::InLine;
    let keeps_some = finished.iter().all(|line| is_kept(line) || is_known(line));
    let count = if keeps_some { finished.iter().filter(|line| is_kept(line)).count() } else { 0 };
    let mut kept = BumpVec::with_capacity_in(count, cx.bump);
    let mut again = BumpVec::with_capacity_in(finished.len().saturating_sub(count), cx.bump);
    for (line, place) in finished.into_iter().zip(places) {
        if keeps_some && is_kept(&line) {
            kept.push(line);
        } else {
            again.push((line, place));
        }
    }
    if !keeps_some {
        found = Found::default();
    } else if again.iter().any(|(line, _)| line.record.role == Role::Host) {
        found.host = None;
    }
    let opened = open_too(opened, again.into_iter(), cx);
    let order = order_by_name(&kept, cx).unwrap_or_else(|| BumpVec::new_in(cx.bump));
    Lines { finished: kept, order, opened, found }
}

/// Opens finished lines too, in the order in which all came. Each comes with how many opened ones were before it.
fn open_too<'a>(
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

/// Takes a line from the cache, or finishes it: appends its text to `texts` and its record to `finished`.
fn finish<'a>(
    line: &'a [u8],
    scheme: Scheme,
    cx: Context<'a>,
    found: &mut Found<'a>,
    texts: &mut Vec<u8>,
    finished: &mut BumpVec<'a, Finished<'a>>,
) -> Option<()> {
    if let Some(known) = cx.cache.and_then(|cache| cache.get(line, texts)) {
        finished.push(known);
        return Some(());
    }
    quiet::finish(line, scheme, cx, found, texts, finished)?;
    if let (Some(cache), Some(finished)) = (cx.cache, finished.last())
        && finished.is_alike_everywhere()
        && cache.admits(line)
    {
        cache.keep(finished, texts);
    }
    Some(())
}

/// Returns whether no line has the name of a finished one, as far as names tell by their rank.
fn have_other_names(opened: &[Line<'_>], finished: &[Finished<'_>]) -> bool {
    opened
        .iter()
        .all(|line| rank_of(line).is_some_and(|rank| finished.iter().all(|line| line.record.rank != rank)))
}

/// The rank of a name that is a token; any other may count as any name.
fn rank_of(line: &Line<'_>) -> Option<Rank> {
    line.name.filter(|name| bytes::is_token(name.bytes)).map(|name| Rank::of(name.bytes))
}

/// The names that two lines have, sorted, as far as names tell by their rank; `None` where a name is no token.
fn shared_names<'a>(
    opened: &[Line<'_>],
    finished: &[Finished<'_>],
    cx: Context<'a>,
) -> Option<BumpVec<'a, Rank>> {
    let count = finished.len().saturating_add(opened.len());
    let mut ranks = BumpVec::with_capacity_in(count, cx.bump);
    ranks.extend(finished.iter().map(|line| line.record.rank));
    for line in opened {
        ranks.push(rank_of(line)?);
    }
    ranks.sort_unstable();
    let shared = ranks.windows(2).filter_map(|two| match two {
        [a, b] if a == b => Some(*a),
        _ => None,
    });
    let mut names: BumpVec<'a, Rank> = BumpVec::new_in(cx.bump);
    for name in shared {
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
    Some(names)
}

/// The places of lines by name; `None` where two may have the same.
#[allow(clippy::arithmetic_side_effects, reason = "a place is below the number of lines")]
fn order_by_name<'a>(lines: &[Finished<'a>], cx: Context<'a>) -> Option<BumpVec<'a, (Rank, u16)>> {
    let mut order = BumpVec::with_capacity_in(lines.len(), cx.bump);
    for (line, nth) in lines.iter().zip(0..=u16::MAX) {
        let rank = line.record.rank;
        let before = order.iter().rposition(|(other, _)| *other <= rank);
        if before.and_then(|before| order.get(before)).is_some_and(|(other, _)| *other == rank) {
            return None;
        }
        order.insert(before.map_or(0, |before| before + 1), (rank, nth));
    }
    (order.len() == lines.len()).then_some(order)
}
