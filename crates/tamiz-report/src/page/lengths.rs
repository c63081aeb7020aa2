//! How long things are: a histogram for each, with a row for each label.

use super::{plot, section};
use crate::count::lengths::Measure;
use crate::count::tally::Tally;
use crate::figures::{count, per_cent};
use crate::markup::Html;
use crate::ratio::share;
use crate::series::{AllSeries, Series};
use crate::summary::Summary;

/// The most bars of a row.
const MOST_BINS: usize = 48;
/// The most numbers along the axis.
const MOST_TICKS: usize = 7;
/// Pixels of a row: what stands above its bars, and they.
const ABOVE: f64 = 26.0;
const BARS: f64 = 46.0;
/// Where the name of a row stands.
const NAME: f64 = 20.0;

pub(super) fn write(html: &mut Html, summary: &Summary, series: &AllSeries) {
    section::open(html, "lengths", "Lengths");
    html.raw("<p class=\"note\">Shares of the requests that have one, by length. Bins grow with the length, as the numbers below them say; all rows of a plot have the same scale. Point at a bin for its values.</p><div class=\"plots\">");
    for measure in Measure::ALL {
        if let Some(lengths) = summary.lengths.get(&measure).filter(|lengths| !lengths.is_empty()) {
            let bins = lengths.joined(MOST_BINS);
            figure(html, measure, lengths.longest(), &bins, series);
        }
    }
    html.raw("</div>");
    section::close(html);
}

type Bin = (u64, u64, Tally);

fn figure(html: &mut Html, measure: Measure, longest: u64, bins: &[Bin], series: &AllSeries) {
    let (what, unit) = measure.names();
    // Of those that have one: a body, a query.
    let rows: Vec<(usize, &Series, u64)> = series
        .shown
        .iter()
        .enumerate()
        .map(|(shown, one)| (shown, one, bins.iter().map(|(.., tally)| tally.get(one.label)).sum()))
        .filter(|(.., of)| *of > 0)
        .collect();
    let most = rows
        .iter()
        .flat_map(|(_, one, of)| bins.iter().map(|(.., tally)| share(tally.get(one.label), *of)))
        .fold(0.0, f64::max);
    html.raw("<figure><figcaption>").element("b", "", what).raw(" <span class=\"unit\">");
    html.text(format_args!("{unit}, at most {}", count(longest))).raw("</span></figcaption>");
    let height = (ABOVE + BARS) * rows.len() as f64 + 18.0;
    plot::open(
        html,
        format_args!("{what}: histogram of {unit}; its values are in the table below"),
        height as u32,
    );
    for (at, (shown, one, of)) in rows.iter().enumerate() {
        let top = (ABOVE + BARS) * at as f64;
        let is_marked = series.shown.len() > 1;
        if is_marked {
            html.open("svg").attr("x", 6).attr("y", 0).attr("overflow", "visible");
            plot::mark(html, *shown, 0.0, (top + NAME) as u32 - 4).close("path").close("svg").close("svg");
        }
        html.open("text")
            .attr("class", format_args!("name l{shown}"))
            .attr("x", if is_marked { 16 } else { 0 });
        html.attr("y", top + NAME).text(format_args!("{} ({})", one.name, count(*of))).close("text");
        plot::line(html, "grid", (0.0, 1.0), (top + ABOVE, top + ABOVE));
        plot::line(html, "base", (0.0, 1.0), (top + ABOVE + BARS, top + ABOVE + BARS));
        plot::text(html, "rest", "end", (1.0, top + NAME), per_cent(most));
    }
    for (at, bin) in bins.iter().enumerate() {
        column(html, bin, (at, bins.len()), &rows, most);
    }
    axis(html, bins, f64::from(height as u32));
    html.close("svg");
    table(html, unit, bins, &rows);
    html.raw("</figure>");
}

/// The bars of a bin in all rows, and what is told when they are pointed at.
fn column(
    html: &mut Html,
    (from, to, tally): &Bin,
    (at, of): (usize, usize),
    rows: &[(usize, &Series, u64)],
    most: f64,
) {
    let (x, width) = (at as f64 / of as f64, 1.0 / of as f64);
    html.open("g").attr("class", "col");
    for (row, (shown, one, requests)) in rows.iter().enumerate() {
        let n = tally.get(one.label);
        let part = share(n, *requests);
        let top = (ABOVE + BARS) * row as f64;
        if n > 0 {
            let height = (part / most * BARS).max(1.0);
            plot::bar(
                html,
                format_args!("s{shown}"),
                (x + width * 0.06, width * 0.88),
                (top + ABOVE + BARS - height, height),
            );
            html.close("rect");
        }
        let told = format!("{}: {} ({})", range(*from, *to), per_cent(part), count(n));
        plot::text(html, format_args!("tip l{shown}"), "end", (1.0, top + NAME), told);
    }
    let height = (ABOVE + BARS) * rows.len() as f64;
    html.open("rect").attr("class", "hit").at("x", x).at("width", width).attr("y", 0).attr("height", height);
    html.close("rect").close("g");
}

/// `7`, `32 to 39`.
fn range(from: u64, to: u64) -> String {
    if to - from <= 1 { count(from) } else { format!("{} to {}", count(from), count(to - 1)) }
}

fn axis(html: &mut Html, bins: &[Bin], height: f64) {
    let step = bins.len().div_ceil(MOST_TICKS).max(1);
    // Every other power of two is a rounder number than what is between them.
    let step = step.next_power_of_two();
    for (at, (from, ..)) in bins.iter().enumerate().step_by(step) {
        let place = at as f64 / bins.len() as f64;
        plot::text(
            html,
            "tick",
            if at == 0 { "start" } else { "middle" },
            (place, height - 3.0),
            count(*from),
        );
    }
}

fn table(html: &mut Html, unit: &str, bins: &[Bin], rows: &[(usize, &Series, u64)]) {
    html.raw("<details><summary>Values</summary><table><thead><tr>");
    html.open("th").attr("scope", "col").text(unit).close("th");
    for (shown, one, _) in rows {
        html.open("th")
            .attr("scope", "col")
            .attr("class", format_args!("n l{shown}"))
            .text(&one.name)
            .close("th");
    }
    html.raw("</tr></thead><tbody>");
    for (from, to, tally) in bins.iter().filter(|(.., tally)| tally.total() > 0) {
        html.raw("<tr>").open("th").attr("scope", "row").text(range(*from, *to)).close("th");
        for (shown, one, of) in rows {
            let n = tally.get(one.label);
            html.open("td")
                .attr("class", format_args!("n l{shown}"))
                .text(per_cent(share(n, *of)))
                .element("small", "", count(n))
                .raw("</td>");
        }
        html.raw("</tr>");
    }
    html.raw("</tbody></table></details>");
}
