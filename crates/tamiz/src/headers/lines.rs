//! The lines of a header block: the quiet ones finished at once, the others opened.

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use super::in_parts::Found;
use super::quiet::Quiet;
use crate::bytes;
use crate::config::Scheme;
use crate::context::Context;
use crate::finished::{Echo, Finished, MOST_WORDS, Place, Rank, Role};
use crate::hash::hash;
use crate::message::{Line, RawLine};
use crate::text::Text;

/// The lines of a header block: finished, or to be read.
pub(super) struct Lines<'a> {
    pub(super) finished: BumpVec<'a, Finished<'a>>,
    /// The places of finished lines, by name.
    pub(super) order: BumpVec<'a, Place>,
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
    let texts = &mut *cx.spare.lines.borrow_mut();
    texts.clear();
    let limits = &cx.settings.config.limits;
    let is_tried = cx.finishes
        && lines.len() <= limits.headers.min(usize::from(u16::MAX))
        && limits.flag_parameters >= MOST_WORDS;
    let mut opened = BumpVec::with_capacity_in(lines.len(), cx.bump);
    let mut quiet = Quiet::new(scheme, if is_tried { lines.len() } else { 0 }, cx, texts);
    for line in lines {
        match line {
            RawLine::Cut(line) => opened.push(Box::into_inner(line)),
            RawLine::Plain(line)
                if is_tried && finish(line.bytes, opened.len() as u16, &mut quiet).is_some() => {}
            RawLine::Plain(line) => opened.push(Line::cut(line, cx)),
        }
    }
    let Quiet { found, out: texts, finished, .. } = quiet;
    if finished.is_empty() {
        return Lines { finished, order: BumpVec::new_in(cx.bump), opened, found };
    }
    if have_other_names(&opened, &finished, texts)
        && let Some(order) = order_by_name(&finished, texts, cx)
    {
        return Lines { finished, order, opened, found };
    }
    open_shared(Lines { finished, order: BumpVec::new_in(cx.bump), opened, found }, texts, cx)
}

/// Opens the finished lines that share a name with another line; all of them, where a name may count as any or what was
/// found of a line cannot be taken back.
fn open_shared<'a>(lines: Lines<'a>, texts: &[u8], cx: Context<'a>) -> Lines<'a> {
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
    for line in finished {
        if keeps_some && is_kept(&line) {
            kept.push(line);
        } else {
            again.push(line);
        }
    }
    if !keeps_some {
        found = Found::default();
    } else if again.iter().any(|line| line.record.role == Role::Host) {
        found.host = None;
    }
    let opened = open_too(opened, again.into_iter(), cx);
    let order = order_by_name(&kept, texts, cx).unwrap_or_else(|| BumpVec::new_in(cx.bump));
    Lines { finished: kept, order, opened, found }
}

/// Opens finished lines too, in the order in which all came.
fn open_too<'a>(
    opened: BumpVec<'a, Line<'a>>,
    finished: impl ExactSizeIterator<Item = Finished<'a>>,
    cx: Context<'a>,
) -> BumpVec<'a, Line<'a>> {
    let mut all = BumpVec::with_capacity_in(opened.len().saturating_add(finished.len()), cx.bump);
    let open = |line: Finished<'a>| Line::cut(Text::untraced(line.line), cx);
    let mut finished = finished.peekable();
    for (i, line) in opened.into_iter().enumerate() {
        while let Some(before) = finished.next_if(|line| usize::from(line.opened_before) <= i) {
            all.push(open(before));
        }
        all.push(line);
    }
    all.extend(finished.map(open));
    all
}

/// Takes a line from the cache, or finishes it.
fn finish<'a>(line: &'a [u8], opened_before: u16, quiet: &mut Quiet<'a, '_>) -> Option<()> {
    let Some(cache) = quiet.cx.cache else { return quiet.finish(line, opened_before) };
    let hash = hash(line);
    if let Some(known) = cache.get(line, hash, quiet.out, quiet.cx.bump) {
        quiet.finished.push(Finished { opened_before, ..known });
        return Some(());
    }
    quiet.finish(line, opened_before)?;
    if let Some(finished) = quiet.finished.last()
        && finished.is_alike_everywhere()
        && cache.admits(hash)
    {
        cache.keep(finished, hash, quiet.out);
    }
    Some(())
}

/// Returns whether no line has the name of a finished one.
fn have_other_names(opened: &[Line<'_>], finished: &[Finished<'_>], texts: &[u8]) -> bool {
    let is_other = |name: &[u8]| {
        let has_name = |line: &Finished<'_>| line.name(texts).eq_ignore_ascii_case(name);
        !finished.iter().any(|line| usize::from(line.record.name_len) == name.len() && has_name(line))
    };
    opened.iter().all(|line| name_of(line).is_some_and(is_other))
}

/// The name of a line, where it is a token; any other may count as any name.
fn name_of<'a>(line: &Line<'a>) -> Option<&'a [u8]> {
    line.name.map(|name| name.bytes).filter(|name| bytes::is_token(name))
}

/// The rank of a name in any case.
fn rank_of(name: &[u8], cx: Context<'_>) -> Rank {
    cx.spare.with(|lower| {
        lower.extend(name.iter().map(u8::to_ascii_lowercase));
        cx.settings.headers.rank(lower)
    })
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
        ranks.push(rank_of(name_of(line)?, cx));
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

/// The places of lines by name; `None` where two have the same.
fn order_by_name<'a>(lines: &[Finished<'a>], texts: &[u8], cx: Context<'a>) -> Option<BumpVec<'a, Place>> {
    let mut order = BumpVec::with_capacity_in(lines.len(), cx.bump);
    order.extend(lines.iter().zip(0..=u16::MAX).map(|(line, nth)| line.record.rank.at(nth)));
    sort(&mut order);
    if !have_one(&order, |a, b| a.rank() == b.rank()) {
        return Some(order);
    }
    let name = |place: Place| lines.get(place.nth()).map(|line| line.name(texts));
    order.sort_unstable_by(|a, b| a.rank().cmp(&b.rank()).then_with(|| name(*a).cmp(&name(*b))));
    (!have_one(&order, |a, b| name(a) == name(b))).then_some(order)
}

/// Returns whether two neighbours are alike.
fn have_one(places: &[Place], are_alike: impl Fn(Place, Place) -> bool) -> bool {
    places.windows(2).any(|two| matches!(two, [a, b] if are_alike(*a, *b)))
}

/// Sorts places, mostly few.
fn sort(places: &mut [Place]) {
    const FEW: usize = 32;
    if places.len() > FEW {
        return places.sort_unstable();
    }
    for end in 1..=places.len() {
        let Some([before @ .., last]) = places.get_mut(..end) else { return };
        let place = *last;
        let mut free = last;
        for other in before.iter_mut().rev() {
            if *other < place {
                break;
            }
            *free = *other;
            free = other;
        }
        *free = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::{random, with_context};

    #[test]
    fn finished_lines_are_in_the_order_of_names() {
        let pieces =
            ["sec-fetch-", "accept", "-language", "x", "-a", "b", "content-type", "Host", "-Dest", "mode"];
        let mut random = random();
        with_context(|cx| {
            for count in (0..48).cycle().take(500) {
                let name = |_| -> String {
                    let pieces = (0..=random(2)).map(|_| pieces[random(pieces.len() as u32) as usize]);
                    pieces.collect()
                };
                let lines: Vec<String> = (0..count).map(name).map(|name| format!("{name}: en")).collect();
                let mut texts = Vec::new();
                let mut quiet = Quiet::new(Scheme::Http, lines.len(), cx, &mut texts);
                for line in &lines {
                    quiet.finish(line.as_bytes(), 0);
                }
                let finished = quiet.finished;
                let mut names: Vec<&[u8]> = finished.iter().map(|line| line.name(&texts)).collect();
                names.sort_unstable();
                let is_shared = names.windows(2).any(|two| two[0] == two[1]);
                let order = order_by_name(&finished, &texts, cx);
                assert_eq!(order.is_none(), is_shared);
                let ordered = order.iter().flatten().map(|place| finished[place.nth()].name(&texts));
                assert!(is_shared || ordered.eq(names));
            }
        });
    }
}
