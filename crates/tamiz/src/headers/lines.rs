//! The lines of a header block: the quiet ones finished at once, by name, the others opened.
//!
//! The names of all lines are read first, and put in order. Lines of one name are opened: they may be joined, and are
//! flagged. Each other line is looked up among common lines or finished where it is in that order, so that the texts of finished
//! lines follow each other as in the document.

use std::cmp::Ordering;

use bumpalo::Bump;
use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use super::in_parts::Found;
use super::quiet::Quiet;
use crate::bytes;
use crate::common_lines::{self, CommonLine, CommonLines};
use crate::config::Scheme;
use crate::context::{Context, HAS_FAST_PATHS, Shared, Spare};
use crate::finished::{Finished, MOST_WORDS, NO_WORDS, Rank};
use crate::known_headers::{Known, Rule, ShortName};
use crate::message::{Line, RawLine};
use crate::settings::Settings;

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
    way: Way<'a>,
}

/// How a line is read.
enum Way<'a> {
    Opened,
    Common(&'a CommonLine),
    /// It may be finished; its name has a rule.
    Known(&'a Known),
    /// It may be finished; its name has no rule.
    Unknown,
    Finished,
}

/// Of more lines none is finished.
const MOST_LINES: usize = u8::MAX as usize;

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
    let mut order = Order::new();
    order_by_name(&mut named, &mut order);
    order.each(|nth| {
        if let Some(line) = named.get_mut(nth)
            && finish(line, &mut quiet).is_some()
        {
            line.way = Way::Finished;
        }
    });
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

/// Finishes the lines that nearly all clients send, those that are alike in any request.
pub(crate) fn finish_common_lines(settings: &Settings) -> CommonLines {
    let (bump, spare) = (&Bump::new(), &Spare::default());
    let shared = Shared { bump, spare, settings, traced: false, finishes: true };
    let cx = Context::new(&shared);
    let (mut common, mut texts) = (CommonLines::default(), Vec::new());
    if !HAS_FAST_PATHS {
        return common;
    }
    let mut quiet = Quiet::new(Scheme::Http, cx, &mut texts);
    let mut named = BumpVec::new_in(bump);
    for line in common_lines::lines() {
        let _ = Named::read(line.as_bytes(), cx, &mut named);
    }
    for line in &named {
        if matches!(line.way, Way::Known(known) if known.rule.is_known) && finish(line, &mut quiet).is_some()
        {
            let finished =
                quiet.finished.last().filter(|line| line.is_alike_everywhere() && line.words[0].is_none());
            if let Some(finished) = finished {
                common.add(finished, quiet.out);
            }
        }
    }
    common
}

/// Reads the names of all lines; `None` where none of these is to be finished.
fn name_all<'a>(lines: &[RawLine<'a>], cx: Context<'a>) -> Option<BumpVec<'a, Named<'a>>> {
    let limits = &cx.settings.config.limits;
    let is_tried = HAS_FAST_PATHS
        && cx.finishes
        && lines.len() <= limits.headers.min(MOST_LINES)
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
        if let Some(common) = cx.settings.common_lines.get().and_then(|lines| lines.find(line)) {
            let name_len = u32::from(common.record.name_len);
            named.push(Named { line, name_len, rank: common.record.rank, way: Way::Common(common) });
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
            named.push(Named { line, name_len, rank: known.rank, way });
        } else if bytes::is_token(line.get(..colon)?) {
            let rank = headers.rank_between(short.bytes().get(..colon)?);
            named.push(Named { line, name_len, rank, way: Way::Unknown });
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
        Some(Named { line, name_len: u32::try_from(name_len).ok()?, rank, way: Way::Opened })
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

/// Takes a line from the table of common lines, or finishes it.
#[inline(always)]
fn finish<'a>(line: &Named<'a>, quiet: &mut Quiet<'a, '_>) -> Option<()> {
    match &line.way {
        Way::Opened | Way::Finished => None,
        Way::Common(common) => {
            let start = u32::try_from(quiet.out.len()).ok()?;
            quiet.cx.settings.common_lines.get()?.write(common, quiet.out);
            quiet.finished.push(Finished { line: line.line, words: &NO_WORDS, start, record: common.record });
            Some(())
        }
        Way::Known(known) => quiet.finish(line, &known.name, &known.rule),
        Way::Unknown => quiet.finish(line, &ShortName::of(line.name())?, Rule::unknown()),
    }
}

/// So many ranks can be in order. Few configurations have more.
const RANKS: usize = 512;

/// The places of lines by rank. It is filled where it is.
struct Order {
    /// The ranks there are, a bit each.
    ranks: [u64; RANKS / 64],
    /// The place of the line of each of these.
    places: [u8; RANKS],
}

impl Order {
    fn new() -> Self {
        Order { ranks: [0; RANKS / 64], places: [0; RANKS] }
    }

    /// Puts ranks in order; returns whether none comes twice or is too high.
    #[inline(always)]
    fn fill(&mut self, ranks: impl Iterator<Item = (usize, u8)>) -> bool {
        for (rank, nth) in ranks {
            let (Some(word), Some(place)) = (self.ranks.get_mut(rank / 64), self.places.get_mut(rank)) else {
                return false;
            };
            let bit = 1 << (rank % 64);
            if *word & bit != 0 {
                return false;
            }
            *word |= bit;
            *place = nth;
        }
        true
    }

    /// Hands out each place in order.
    #[inline(always)]
    fn each(&self, mut give: impl FnMut(usize)) {
        for (ranks, places) in self.ranks.iter().zip(self.places.as_chunks::<64>().0) {
            let mut left = *ranks;
            while left != 0 {
                give(places.get(left.trailing_zeros() as usize).copied().unwrap_or_default().into());
                left &= left.wrapping_sub(1);
            }
        }
    }
}

/// Puts lines in order by name. Lines that share their name are to be opened.
#[inline(always)]
fn order_by_name(lines: &mut [Named<'_>], order: &mut Order) {
    if !order.fill(lines.iter().map(|line| usize::from(line.rank.0)).zip(0..)) {
        order_shared_names(lines, order);
    }
}

fn order_shared_names(lines: &mut [Named<'_>], by_name: &mut Order) {
    let cmp = |lines: &[Named<'_>], a: u8, b: u8| match (lines.get(usize::from(a)), lines.get(usize::from(b)))
    {
        (Some(a), Some(b)) => a.rank.cmp(&b.rank).then_with(|| a.cmp_name(b)),
        _ => Ordering::Equal,
    };
    let mut order = [0_u8; MOST_LINES];
    let order = order.get_mut(..lines.len()).unwrap_or_default();
    order.iter_mut().zip(0..).for_each(|(place, nth)| *place = nth);
    order.sort_unstable_by(|a, b| cmp(lines, *a, *b));
    for two in order.windows(2) {
        if let [a, b] = two
            && cmp(lines, *a, *b).is_eq()
        {
            for place in [a, b] {
                if let Some(line) = lines.get_mut(usize::from(*place)) {
                    line.way = Way::Opened;
                }
            }
        }
    }
    *by_name = Order::new();
    by_name.fill(order.iter().enumerate().map(|(at, nth)| (at, *nth)));
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
                let mut order = Order::new();
                order_by_name(&mut named, &mut order);
                let mut ordered = Vec::new();
                order.each(|nth| ordered.push(named[nth].name().to_ascii_lowercase()));
                let names = named.iter().map(|line| line.name().to_ascii_lowercase());
                let mut names: Vec<Vec<u8>> = names.collect();
                for line in &named {
                    let own = line.name().to_ascii_lowercase();
                    let is_shared = names.iter().filter(|name| **name == own).count() > 1;
                    assert!(!is_shared || matches!(line.way, Way::Opened));
                }
                names.sort_unstable();
                assert_eq!(ordered, names);
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
