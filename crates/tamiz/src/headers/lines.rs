//! The lines of a header block: the quiet ones finished at once, by name, the others opened.
//!
//! The names of all lines are read first, and put in order. Lines of one name are opened: they may be joined, and are
//! flagged. Each other line is taken from the cache or finished where it is in that order, so that the texts of finished
//! lines follow each other as in the document.

use std::cmp::Ordering;

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use super::in_parts::Found;
use super::quiet::Quiet;
use crate::bytes;
use crate::config::Scheme;
use crate::context::{Context, HAS_FAST_PATHS};
use crate::finished::{Finished, MOST_WORDS, Rank};
use crate::hash::hash;
use crate::known_headers::{Known, Rule, ShortName};
use crate::message::{Line, RawLine};

/// The lines of a header block: finished, or to be read.
pub(super) struct Lines<'a> {
    /// By name.
    pub(super) finished: BumpVec<'a, Finished<'a>>,
    /// In the order in which they came.
    pub(super) opened: BumpVec<'a, Line<'a>>,
    /// The parts of finished lines that other stages need.
    pub(super) found: Found<'a>,
}

/// A line, by its name.
pub(super) struct Named<'a> {
    /// The line without its end; its name alone, where it is cut already.
    pub(super) line: &'a [u8],
    /// The length of the name, which is a token.
    name_len: u32,
    pub(super) rank: Rank,
    /// Its hash, where there is a cache.
    hash: u64,
    way: Way<'a>,
}

/// How a line is read.
enum Way<'a> {
    Opened,
    /// It is in this slot of the cache.
    Cached(usize),
    /// It may be finished; its name has a rule.
    Known(&'a Known),
    /// It may be finished; its name has no rule.
    Unknown,
    Finished,
}

/// Finishes the quiet lines that share their name with no other, and opens all others; opens all of them, where a name may
/// count as any.
pub(super) fn finish_or_open<'a>(
    lines: BumpVec<'a, RawLine<'a>>,
    scheme: Scheme,
    cx: Context<'a>,
) -> Lines<'a> {
    let texts = &mut *cx.spare.lines.borrow_mut();
    texts.clear();
    let mut quiet = Quiet::new(scheme, cx, texts);
    let mut named = name_all(&lines, cx).unwrap_or_else(|| BumpVec::new_in(cx.bump));
    quiet.finished.reserve_exact(named.len());
    for place in order_by_name(&mut named, cx) {
        if let Some(line) = named.get_mut(place.nth())
            && finish(line, &mut quiet).is_some()
        {
            line.way = Way::Finished;
        }
    }
    let Quiet { mut found, finished, .. } = quiet;
    found.put_in_order();
    let mut opened = BumpVec::with_capacity_in(lines.len().saturating_sub(finished.len()), cx.bump);
    if finished.len() < lines.len() {
        let mut named = named.iter();
        for line in lines {
            match line {
                _ if matches!(named.next(), Some(Named { way: Way::Finished, .. })) => {}
                RawLine::Cut(line) => opened.push(Box::into_inner(line)),
                RawLine::Plain(line) => opened.push(Line::cut(line, cx)),
            }
        }
    }
    Lines { finished, opened, found }
}

/// Reads the names of all lines; `None` where none of these is to be finished.
fn name_all<'a>(lines: &[RawLine<'a>], cx: Context<'a>) -> Option<BumpVec<'a, Named<'a>>> {
    let limits = &cx.settings.config.limits;
    let is_tried = HAS_FAST_PATHS
        && cx.finishes
        && lines.len() <= limits.headers.min(usize::from(u16::MAX))
        && limits.flag_parameters >= MOST_WORDS;
    if !is_tried {
        return None;
    }
    let mut named = BumpVec::with_capacity_in(lines.len(), cx.bump);
    for line in lines {
        match line {
            RawLine::Plain(line) => Named::read(line.bytes, cx, &mut named)?,
            RawLine::Cut(line) => named.push(Named::opened(line.name?.bytes, line.name?.len(), cx)?),
        }
    }
    Some(named)
}

impl<'a> Named<'a> {
    /// Reads the name of a line and adds it to those before; `None` where it may count as any.
    #[inline(always)]
    fn read(line: &'a [u8], cx: Context<'a>, named: &mut BumpVec<'a, Self>) -> Option<()> {
        let hash = if cx.cache.is_some() { hash(line) } else { 0 };
        if let Some((slot, record)) = cx.cache.and_then(|cache| cache.find(line, hash)) {
            let name_len = u32::from(record.name_len);
            named.push(Named { line, name_len, rank: record.rank, hash, way: Way::Cached(slot) });
            return Some(());
        }
        let colon = bytes::position_near(b':', line)?;
        let headers = &cx.settings.headers;
        let Some(short) = ShortName::at_start(line, colon) else {
            named.push(Named::opened(line, colon, cx)?);
            return Some(());
        };
        let name_len = colon as u32;
        if let Some(known) = headers.find(&short) {
            let way = if known.rule.is_opened { Way::Opened } else { Way::Known(known) };
            named.push(Named { line, name_len, rank: known.rank, hash, way });
        } else if bytes::is_token(line.get(..colon)?) {
            let rank = headers.rank_between(short.bytes().get(..colon)?);
            named.push(Named { line, name_len, rank, hash, way: Way::Unknown });
        } else {
            return None;
        }
        Some(())
    }

    /// A line that is to be opened; `None` where its name may count as any.
    fn opened(line: &'a [u8], name_len: usize, cx: Context<'a>) -> Option<Self> {
        let name = line.get(..name_len).filter(|name| bytes::is_token(name))?;
        let rank = cx.spare.with(|lower| {
            lower.extend(name.iter().map(u8::to_ascii_lowercase));
            cx.settings.headers.rank(lower)
        });
        Some(Named { line, name_len: u32::try_from(name_len).ok()?, rank, hash: 0, way: Way::Opened })
    }

    /// The name as it came.
    pub(super) fn name(&self) -> &'a [u8] {
        self.line.get(..self.name_len as usize).unwrap_or_default()
    }

    /// Compares names of one rank, case ignored.
    fn cmp_name(&self, other: &Self) -> Ordering {
        let lower = |name: &'a [u8]| name.iter().map(u8::to_ascii_lowercase);
        lower(self.name()).cmp(lower(other.name()))
    }
}

/// Takes a line from the cache, or finishes it.
#[inline(always)]
fn finish<'a>(line: &Named<'a>, quiet: &mut Quiet<'a, '_>) -> Option<()> {
    let cx = quiet.cx;
    match &line.way {
        Way::Opened | Way::Finished => None,
        Way::Cached(slot) => {
            let known = cx.cache?.get(*slot, line.line, quiet.out, cx.bump)?;
            quiet.finished.push(known);
            Some(())
        }
        Way::Known(_) | Way::Unknown => {
            match line.way {
                Way::Known(known) => quiet.finish(line, &known.name, &known.rule)?,
                _ => quiet.finish(line, &ShortName::of(line.name())?, Rule::unknown())?,
            }
            if let (Some(cache), Some(finished)) = (cx.cache, quiet.finished.last())
                && finished.is_alike_everywhere()
                && cache.admits(line.hash)
            {
                cache.keep(finished, line.hash, quiet.out);
            }
            Some(())
        }
    }
}

/// A place in a list of lines, with the rank of that line's name above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place(u32);

impl Place {
    fn rank(self) -> u16 {
        (self.0 >> 16) as u16
    }

    fn nth(self) -> usize {
        (self.0 & 0xFFFF) as usize
    }
}

/// The places of lines by name. Lines that share their name are to be opened.
fn order_by_name<'a>(lines: &mut [Named<'a>], cx: Context<'a>) -> BumpVec<'a, Place> {
    let mut order = BumpVec::with_capacity_in(lines.len(), cx.bump);
    let places = lines.iter().zip(0_u32..);
    order.extend(places.map(|(line, nth)| Place(u32::from(line.rank.0) << 16 | nth)));
    sort(&mut order);
    if !order.windows(2).any(|two| matches!(two, [a, b] if a.rank() == b.rank())) {
        return order;
    }
    let cmp_name = |lines: &[Named<'a>], a: Place, b: Place| match (lines.get(a.nth()), lines.get(b.nth())) {
        (Some(a), Some(b)) => a.cmp_name(b),
        _ => Ordering::Equal,
    };
    order.sort_unstable_by(|a, b| a.rank().cmp(&b.rank()).then_with(|| cmp_name(lines, *a, *b)));
    for two in order.windows(2) {
        if let [a, b] = two
            && a.rank() == b.rank()
            && cmp_name(lines, *a, *b).is_eq()
        {
            for place in [a, b] {
                if let Some(line) = lines.get_mut(place.nth()) {
                    line.way = Way::Opened;
                }
            }
        }
    }
    order
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
    use crate::text::Text;

    #[test]
    fn finished_lines_are_in_the_order_of_names() {
        let pieces = [
            "sec-fetch-",
            "accept",
            "-language",
            "x",
            "-a",
            "b",
            "content-type",
            "Host",
            "-Dest",
            "mode",
            "q",
            "te",
            "-bearer",
            "sec-ch-ua",
            "-platform",
            "-version",
        ];
        let mut random = random();
        with_context(|cx| {
            for count in (0..48).cycle().take(500) {
                let mut name = || -> String {
                    let pieces = (0..=random(2)).map(|_| pieces[random(pieces.len() as u32) as usize]);
                    pieces.collect()
                };
                let lines: Vec<String> = (0..count).map(|_| format!("{}: en", name())).collect();
                let mut named = BumpVec::new_in(cx.bump);
                lines.iter().for_each(|line| Named::read(line.as_bytes(), cx, &mut named).unwrap());
                let order = order_by_name(&mut named, cx);
                let names = named.iter().map(|line| line.name().to_ascii_lowercase());
                let mut names: Vec<Vec<u8>> = names.collect();
                for line in &named {
                    let own = line.name().to_ascii_lowercase();
                    let is_shared = names.iter().filter(|name| **name == own).count() > 1;
                    assert!(!is_shared || matches!(line.way, Way::Opened));
                }
                names.sort_unstable();
                assert!(order.iter().map(|place| named[place.nth()].name().to_ascii_lowercase()).eq(names));
            }
        });
    }

    #[test]
    fn lines_without_a_name_open_all() {
        with_context(|cx| {
            let name_all = |lines: &[&'static str]| {
                let mut named = BumpVec::new_in(cx.bump);
                lines.iter().all(|line| Named::read(line.as_bytes(), cx, &mut named).is_some())
            };
            assert!(name_all(&["a: b", "host: c"]));
            for odd in ["a", "", ": b", "a b: c", "\u{e9}: b", "a\0: b"] {
                assert!(!name_all(&["a: b", odd]), "{odd}");
            }
            assert!(Line::cut(Text::untraced(b"a"), cx).name.is_none());
        });
    }
}
