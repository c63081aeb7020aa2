//! Scores against a model, for a terminal.

use std::io::{self, Write};

use anstyle::Style;
use tamiz_explain::style;
use tamiz_explain::visible::harmless;

use super::grid::Grid;
use super::overview::{cells, heading, heads, more};
use crate::about::About;
use crate::count::scores::{Level, Scores};
use crate::count::tally::Tally;
use crate::figures::{count, per_cent, things};
use crate::page::scores::{headline, newest};
use crate::ratio::share;
use crate::series::AllSeries;
use crate::summary::Summary;

/// How many endpoints and requests are shown.
const MOST: usize = 10;

/// Writes what the model says, where there is one.
pub(super) fn write(
    out: &mut impl Write,
    summary: &Summary,
    about: &About,
    series: &AllSeries,
    columns: usize,
) -> io::Result<()> {
    let (Some(model), Some(scores)) = (&about.model, &summary.scores) else { return Ok(()) };
    heading(out, &format!("Scores, against a model of {}", things(model.requests, "request", "requests")))?;
    if !model.unknown_sources.is_empty() {
        let sources = harmless(&model.unknown_sources.join(", "));
        writeln!(out, "  scores may be too high: the model has learned no requests of {sources}")?;
    }
    levels(out, scores, series, columns)?;
    endpoints(out, scores, columns)?;
    highest(out, scores)
}

fn levels(out: &mut impl Write, scores: &Scores, series: &AllSeries, columns: usize) -> io::Result<()> {
    let mut grid = Grid::new(heads("requests with", series));
    for level in Level::ALL.into_iter().skip(1).rev() {
        // A p-value of 0.1 % is one of 5 % too.
        let mut at_least = Tally::default();
        scores.levels.iter().skip(level as usize).for_each(|tally| at_least.merge(tally));
        grid.row(Style::new(), cells(level.name(), &at_least, series));
    }
    grid.row(Style::new(), cells("something new", &scores.with_new, series));
    grid.write(out, columns)
}

fn endpoints(out: &mut impl Write, scores: &Scores, columns: usize) -> io::Result<()> {
    let all = newest(scores);
    if all.is_empty() {
        return Ok(());
    }
    heading(out, "Endpoints with most that is new")?;
    let mut grid = Grid::new(["endpoint", "requests", "with new", "p ≤ 1 %"].map(str::to_owned));
    for (endpoint, entry) in all.iter().take(MOST) {
        let (requests, new) = (entry.tally.total(), &entry.beside);
        let told = |n: u64| format!("{} ({})", count(n), per_cent(share(n, requests)));
        grid.row(Style::new(), [(*endpoint).clone(), count(requests), told(new.with_new), told(new.high)]);
    }
    grid.write(out, columns)?;
    more(out, all.len().saturating_sub(MOST))
}

fn highest(out: &mut impl Write, scores: &Scores) -> io::Result<()> {
    heading(out, "Highest scores")?;
    if scores.highest.is_empty() {
        return writeln!(out, "  none above 0");
    }
    let (strong, faint) = (style::STRONG, style::FAINT);
    for high in scores.highest.iter().take(MOST) {
        writeln!(
            out,
            "  {strong}{:.2}{strong:#}  {}  {}  {faint}{}, first in {}{faint:#}",
            high.score,
            headline(high),
            harmless(&high.endpoint),
            things(high.tally.total(), "request", "requests"),
            harmless(&high.place)
        )?;
        for reason in &high.reasons {
            writeln!(out, "      {}", harmless(reason))?;
        }
    }
    more(out, scores.highest.len().saturating_sub(MOST))
}
