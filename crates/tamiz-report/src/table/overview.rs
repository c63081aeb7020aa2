//! A summary, as tables.

use std::io::{self, Write};

use anstyle::Style;
use tamiz::{Family, Flag};
use tamiz_explain::style;
use tamiz_explain::visible::harmless;

use super::grid::Grid;
use super::scores;
use crate::about::About;
use crate::count::facts::Rank;
use crate::count::lengths::Measure;
use crate::count::tally::Tally;
use crate::count::times::Moment;
use crate::figures::{count, moment, per_cent, span, things, times};
use crate::page::time::outside;
use crate::ratio::share;
use crate::series::AllSeries;
use crate::summary::Summary;

/// How many rows the longer tables have.
const MOST: usize = 15;

/// Writes the summary in styles, for a terminal of so many columns.
///
/// # Errors
/// When `out` does not take it.
pub fn table(out: &mut impl Write, summary: &Summary, about: &About, columns: usize) -> io::Result<()> {
    let series = AllSeries::of(summary, about.baseline.as_deref());
    labels(out, summary, &series, columns)?;
    scores::write(out, summary, about, &series, columns)?;
    flags(out, summary, &series, columns)?;
    keys(out, summary, &series, columns)?;
    templates(out, summary, &series, columns)?;
    lengths(out, summary, &series, columns)?;
    over_time(out, summary)?;
    hidden(out, summary, columns)?;
    let faint = style::FAINT;
    writeln!(
        out,
        "\n{faint}{}, view {}, profile {}, fingerprint {}{faint:#}",
        harmless(&about.program),
        harmless(&about.view),
        harmless(&about.profile),
        harmless(&about.fingerprint)
    )
}

pub(super) fn heading(out: &mut impl Write, text: &str) -> io::Result<()> {
    let strong = style::STRONG;
    writeln!(out, "\n{strong}{text}{strong:#}")
}

/// Writes how many rows a table does not show.
pub(super) fn more(out: &mut impl Write, n: usize) -> io::Result<()> {
    if n == 0 { Ok(()) } else { writeln!(out, "  and {} more", count(n as u64)) }
}

fn labels(out: &mut impl Write, summary: &Summary, series: &AllSeries, columns: usize) -> io::Result<()> {
    let strong = style::STRONG;
    let (distinct, is_exact) = summary.distinct.count();
    writeln!(
        out,
        "{strong}{}{strong:#}, {}{}, {}, {}",
        things(summary.requests(), "request", "requests"),
        if is_exact { "" } else { "about " },
        things(distinct, "distinct document", "distinct documents"),
        things(summary.templates.len() as u64, "path template", "path templates"),
        things(summary.unreadable(), "unreadable record", "unreadable records"),
    )?;
    heading(out, "Labels, and the most telling weight of flags")?;
    let head = ["label", "requests"].into_iter().chain(Rank::ALL.map(Rank::name)).map(str::to_owned);
    let mut grid = Grid::new(head);
    for one in &series.shown {
        let ranks = Rank::ALL.map(|rank| {
            per_cent(share(summary.ranks.get(&rank).map_or(0, |tally| tally.get(one.label)), one.requests))
        });
        grid.row(Style::new(), [one.name.clone(), count(one.requests)].into_iter().chain(ranks));
    }
    grid.write(out, columns)?;
    more(out, series.left_out)
}

/// The columns of shares and lifts.
pub(super) fn heads(what: &str, series: &AllSeries) -> Vec<String> {
    let mut heads = vec![what.to_owned()];
    match series.compared() {
        Some(_) => heads.extend(series.shown.iter().map(|one| one.name.clone())),
        None => heads.push("share".to_owned()),
    }
    match series.compared() {
        Some((_, [_])) => heads.push("lift".to_owned()),
        Some((_, others)) => heads.extend(others.iter().map(|one| format!("lift {}", one.name))),
        None => heads.push("requests".to_owned()),
    }
    heads
}

/// The cells of a tally in these columns. A lift that may be chance has a `~`.
pub(super) fn cells(name: &str, tally: &Tally, series: &AllSeries) -> Vec<String> {
    let mut cells = vec![name.to_owned()];
    cells.extend(series.shown.iter().map(|one| per_cent(share(tally.get(one.label), one.requests))));
    if series.compared().is_none() {
        cells.push(count(tally.total()));
    }
    cells.extend(series.ratios(tally).map(|(_, ratio)| {
        let sign = if ratio.differs() { "" } else { "~" };
        format!("{sign}{}", times(ratio.lift()))
    }));
    cells
}

fn flags(out: &mut impl Write, summary: &Summary, series: &AllSeries, columns: usize) -> io::Result<()> {
    for family in Family::ALL {
        let mut rows: Vec<(&str, Flag, &Tally)> = summary
            .flags
            .iter()
            .filter_map(|(name, tally)| {
                Some((name.as_str(), Flag::from_name(name.split(':').next()?)?, tally))
            })
            .filter(|(_, flag, _)| flag.family() == *family)
            .collect();
        if rows.is_empty() {
            continue;
        }
        rows.sort_by(|a, b| series.score(b.2).total_cmp(&series.score(a.2)));
        heading(out, &format!("Flags: {family}"))?;
        let mut grid = Grid::new(heads("flag", series));
        for (name, flag, tally) in rows {
            grid.row(style::weight(flag.weight()), cells(name, tally, series));
        }
        grid.write(out, columns)?;
    }
    Ok(())
}

fn keys(out: &mut impl Write, summary: &Summary, series: &AllSeries, columns: usize) -> io::Result<()> {
    let keys = summary.keys.most();
    if keys.is_empty() {
        return Ok(());
    }
    heading(out, "Values by key")?;
    let mut head = vec!["key".to_owned(), "values".to_owned()];
    head.extend(series.shown.iter().map(|one| one.name.clone()));
    let mut grid = Grid::new(head);
    for (key, entry) in keys.iter().take(MOST) {
        let mut row = vec![(*key).clone(), count(entry.tally.total())];
        for one in &series.shown {
            let mut kinds: Vec<(&str, u64)> =
                entry.beside.0.iter().map(|(kind, tally)| (kind.as_str(), tally.get(one.label))).collect();
            kinds.retain(|(_, n)| *n > 0);
            kinds.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
            let of: u64 = kinds.iter().map(|(_, n)| n).sum();
            let told: Vec<String> =
                kinds.iter().take(2).map(|(kind, n)| format!("{kind} {}", per_cent(share(*n, of)))).collect();
            row.push(told.join(", "));
        }
        grid.row(Style::new(), row);
    }
    grid.write(out, columns)?;
    more(out, keys.len().saturating_sub(MOST))
}

fn templates(out: &mut impl Write, summary: &Summary, series: &AllSeries, columns: usize) -> io::Result<()> {
    let all = summary.templates.most();
    if all.is_empty() {
        return Ok(());
    }
    heading(out, "Path templates, most frequent first")?;
    let mut grid = Grid::new(heads("template", series));
    for (template, entry) in all.iter().take(MOST) {
        grid.row(Style::new(), cells(template, &entry.tally, series));
    }
    grid.write(out, columns)?;
    let once = all.iter().filter(|(_, entry)| entry.tally.total() == 1).count();
    let left = all.len().saturating_sub(MOST);
    if left > 0 {
        writeln!(out, "  and {} more, {} of all there once", count(left as u64), count(once as u64))?;
    }
    let other = summary.templates.other().total();
    if other > 0 {
        writeln!(out, "  and {} of templates that were let go", things(other, "request", "requests"))?;
    }
    Ok(())
}

fn lengths(out: &mut impl Write, summary: &Summary, series: &AllSeries, columns: usize) -> io::Result<()> {
    heading(out, "Lengths: at most so long are half, 90 % and 99 % of them")?;
    let mut grid = Grid::new(["", "requests", "50 %", "90 %", "99 %", "longest"].map(str::to_owned));
    for measure in Measure::ALL {
        let Some(lengths) = summary.lengths.get(&measure).filter(|lengths| !lengths.is_empty()) else {
            continue;
        };
        let (what, unit) = measure.names();
        for one in &series.shown {
            let bins = lengths.joined(usize::MAX);
            let of: u64 = bins.iter().map(|(.., tally)| tally.get(one.label)).sum();
            if of == 0 {
                continue;
            }
            let name = if series.shown.len() > 1 {
                format!("{what}, {unit}, {}", one.name)
            } else {
                format!("{what}, {unit}")
            };
            let at =
                |hundredths| lengths.percentile(hundredths, &[one.label]).map_or_else(String::new, count);
            grid.row(Style::new(), [name, count(of), at(50), at(90), at(99), at(100)]);
        }
    }
    grid.write(out, columns)
}

/// Counts requests of some kind within a bin.
type Count = fn(&Moment) -> u64;

/// How many flags there are in which part of the time.
fn over_time(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let shown = summary.times.shown();
    let (width, bins) = (shown.width, &shown.bins);
    let (Some((first, _)), Some((last, _))) = (bins.first(), bins.last()) else { return Ok(()) };
    heading(out, "Over time")?;
    writeln!(
        out,
        "  from {} to {} UTC, in steps of {}",
        moment(*first, width.min(60)),
        moment(last + width, width.min(60)),
        span(width)
    )?;
    outside(&shown).try_for_each(|sentence| writeln!(out, "  {sentence}"))?;
    const TELLING: fn([u64; 4]) -> u64 = |[.., high, higher]| high + higher;
    let mut rows: Vec<(&str, Count)> =
        vec![("requests", Moment::requests), ("notable, evasion", |there| TELLING(there.ranks))];
    if summary.scores.is_some() {
        rows.push(("p ≤ 1 %", |there| TELLING(there.levels)));
    }
    for (name, of) in rows {
        let most = bins.iter().map(|(_, there)| of(there)).max().unwrap_or(0);
        let bar = |n: u64| match n {
            0 => ' ',
            n => BARS.get(((n * 8 - 1) / most.max(1)).min(7) as usize).copied().unwrap_or(' '),
        };
        let bars: String = bins.iter().map(|(_, there)| bar(of(there))).collect();
        writeln!(out, "  {name:<17}{}  at most {}", bars.trim_end(), count(most))?;
    }
    Ok(())
}

fn hidden(out: &mut impl Write, summary: &Summary, columns: usize) -> io::Result<()> {
    let secrets = summary.secrets.most();
    heading(
        out,
        &format!("Secrets redacted, in {}", things(summary.with_secrets.total(), "request", "requests")),
    )?;
    let mut grid = Grid::new(["place", "secrets"].map(str::to_owned));
    for (place, entry) in secrets.iter().take(MOST) {
        grid.row(style::SECRET, [(*place).clone(), count(entry.tally.total())]);
    }
    if secrets.is_empty() {
        writeln!(out, "  none")?;
    } else {
        grid.write(out, columns)?;
    }
    more(out, secrets.len().saturating_sub(MOST))?;
    if summary.unreadable() == 0 {
        return Ok(());
    }
    heading(out, "Unreadable records")?;
    let reasons = summary.unreadable.reasons.most();
    let mut grid = Grid::new(["reason", "records"].map(str::to_owned));
    for (reason, entry) in reasons.iter().take(MOST) {
        grid.row(Style::new(), [(*reason).clone(), count(entry.tally.total())]);
    }
    grid.write(out, columns)?;
    more(out, reasons.len().saturating_sub(MOST))
}
