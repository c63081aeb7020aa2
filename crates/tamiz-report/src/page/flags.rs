//! Flags: how often, by label, and how that differs.

use tamiz::{Family, Flag, Weight};

use super::plot::{self, ShareAxis};
use super::section::{self, Links};
use crate::count::tally::Tally;
use crate::figures::{count, per_cent, things, times};
use crate::markup::Html;
use crate::ratio::share;
use crate::series::AllSeries;
use crate::summary::{LOG, Summary};

/// How many flags come first, whatever their family.
const MOST_TELLING: usize = 12;
/// How many paths are named that raise a flag.
const MOST_PATHS: usize = 8;

/// A flag as counted.
#[derive(Clone, Copy)]
struct Row<'a> {
    name: &'a str,
    flag: Flag,
    tally: &'a Tally,
}

pub(super) fn write(html: &mut Html, summary: &Summary, series: &AllSeries, links: &Links<'_>) {
    section::open(html, "flags", "Flags");
    let mut rows: Vec<Row<'_>> = summary.flags.iter().filter_map(|(name, tally)| row(name, tally)).collect();
    if rows.is_empty() {
        html.raw("<p>No request raises a flag.</p>");
        return section::close(html);
    }
    // Equal scores stay in the order of names.
    rows.sort_by(|a, b| series.score(b.tally).total_cmp(&series.score(a.tally)));
    let shares = rows.iter().flat_map(|row| {
        series.shown.iter().map(|one| share(row.tally.get(one.label), one.requests)).collect::<Vec<_>>()
    });
    let table = Table { axis: ShareAxis::of(shares), series, links };
    if summary.sources.get(&LOG.to_owned()).is_some() {
        html.raw("<p class=\"note\">Some requests come from logs, which keep no host: <code>BADHOST</code> says nothing about these, and does not count for their weight and family.</p>");
    }
    families(html, summary, series);
    if let Some((base, others)) = series.compared() {
        html.raw("<h3>What tells the labels apart</h3><p class=\"note\">");
        html.text(format_args!(
            "Ordered by the lift over {} that is sure: that end of its 95 % interval which is nearer to ×1{}. The interval \
             stands below each lift. Structural flags are left out. On the axis a distance is a ratio: shares of requests, \
             in per cent, logarithmic.",
            base.name,
            if others.len() > 1 { ", of the label where that is furthest from ×1" } else { "" },
        ));
        html.raw("</p>");
        let telling = rows.iter().filter(|row| row.flag.weight() != Weight::Structural);
        table.write(html, &telling.take(MOST_TELLING).collect::<Vec<_>>(), false);
    }
    for family in Family::ALL {
        let of_family: Vec<&Row<'_>> = rows.iter().filter(|row| row.flag.family() == *family).collect();
        if !of_family.is_empty() {
            html.raw("<h3>").text(capital(family.as_str())).raw(" <small>");
            html.text(about(*family)).raw("</small></h3>");
            table.write(html, &of_family, true);
        }
    }
    section::close(html);
}

fn row<'a>(name: &'a str, tally: &'a Tally) -> Option<Row<'a>> {
    Some(Row { name, flag: Flag::from_name(name.split(':').next()?)?, tally })
}

/// How many requests have a flag of each family, by label.
fn families(html: &mut Html, summary: &Summary, series: &AllSeries) {
    html.raw("<h3>Families</h3><p class=\"note\">Requests with a flag of the family that is not structural, as a share of those with the label.</p>");
    plot::key(html, &series.shown);
    let most = summary
        .families
        .values()
        .flat_map(|tally| series.shown.iter().map(|one| share(tally.get(one.label), one.requests)))
        .fold(0.0, f64::max);
    let mut all: Vec<(&Family, &Tally)> = summary.families.iter().collect();
    all.sort_by(|a, b| series.score(b.1).total_cmp(&series.score(a.1)));
    html.raw("<div class=\"bars\">");
    for (family, tally) in all {
        let shares: Vec<f64> =
            series.shown.iter().map(|one| share(tally.get(one.label), one.requests)).collect();
        let told: Vec<String> = shares.iter().map(|share| per_cent(*share)).collect();
        html.element("span", "name", family);
        let height = 10 * series.shown.len() as u32 + 4;
        plot::open(html, format_args!("{family}: {}", told.join(", ")), height);
        for (at, (one, share)) in series.shown.iter().zip(&shares).enumerate() {
            let top = 2.0 + 10.0 * at as f64;
            let width = if most > 0.0 { share / most } else { 0.0 };
            plot::bar(html, format_args!("s{at}"), (0.0, width), (top, 8.0));
            plot::title(
                html,
                format_args!(
                    "{family}, {}: {} ({})",
                    one.name,
                    per_cent(*share),
                    count(tally.get(one.label))
                ),
            );
            html.close("rect");
        }
        html.close("svg");
        html.element("span", "num", told.join(" / "));
    }
    html.raw("</div>");
}

/// How the tables of flags are written.
struct Table<'a> {
    axis: ShareAxis,
    series: &'a AllSeries,
    links: &'a Links<'a>,
}

impl Table<'_> {
    /// Writes rows. Those of `whole` tables can be linked to, and tell at which paths their flag is raised.
    fn write(&self, html: &mut Html, rows: &[&Row<'_>], whole: bool) {
        html.raw("<table class=\"rows\"><thead><tr><th scope=\"col\">flag</th><th scope=\"col\" class=\"p\"><span class=\"vh\">share</span>");
        self.axis.head(html);
        html.raw("</th>");
        plot::heads(html, &self.series.shown);
        if self.series.compared().is_some() {
            html.raw("<th scope=\"col\" class=\"n lift\">lift</th>");
        }
        html.raw("</tr></thead><tbody>");
        for row in rows {
            html.open("tr").attr("class", section::lacking(row.tally, self.series));
            if whole {
                html.attr("id", section::flag_id(row.name)).raw("<th scope=\"row\">");
                html.element("code", "", row.name);
            } else {
                html.raw("<th scope=\"row\">");
                section::flag_link(html, row.name);
            }
            let weight = row.flag.weight();
            html.open("span").attr("class", format_args!("w {weight}")).text(weight).close("span");
            meaning(html, row);
            if whole {
                self.paths(html, row);
            }
            html.raw("</th><td class=\"p\">");
            dots(html, row, self.axis, self.series);
            html.raw("</td>");
            numbers(html, row.tally, self.series);
            html.raw("</tr>");
        }
        html.raw("</tbody></table>");
    }

    /// At which paths a flag is raised.
    fn paths(&self, html: &mut Html, row: &Row<'_>) {
        let all = self.links.templates(row.name);
        if all.is_empty() {
            return;
        }
        html.raw("<details class=\"more\"><summary>");
        html.text(things(all.len() as u64, "path", "paths")).raw("</summary><ul class=\"at\">");
        for (template, tally) in all.iter().take(MOST_PATHS) {
            html.open("li").attr("class", section::lacking(tally, self.series));
            self.links.template(html, template);
            html.element("small", "", count(tally.total())).raw("</li>");
        }
        html.raw("</ul>");
        if all.len() > MOST_PATHS {
            let left = (all.len() - MOST_PATHS) as u64;
            html.element("small", "", format_args!("and {} more", count(left)));
        }
        html.raw("</details>");
    }
}

/// Writes a flag's meaning, with code as code.
fn meaning(html: &mut Html, row: &Row<'_>) {
    let meaning = row.flag.meaning_of(row.name.split_once(':').map_or("", |(_, parameter)| parameter));
    // Of those that are counted word by word, the words need not be listed.
    let (meaning, end) = match meaning.split_once(": `").filter(|_| row.name.contains(':')) {
        Some((meaning, _)) => (meaning, "."),
        None => (meaning, ""),
    };
    html.raw("<small>");
    section::in_code(html, meaning);
    html.raw(end).raw("</small>");
}

/// A mark for each label, and a line between them.
fn dots(html: &mut Html, row: &Row<'_>, axis: ShareAxis, series: &AllSeries) {
    const HEIGHT: u32 = 22;
    let shares: Vec<f64> =
        series.shown.iter().map(|one| share(row.tally.get(one.label), one.requests)).collect();
    let told: Vec<String> = series
        .shown
        .iter()
        .zip(&shares)
        .map(|(one, share)| format!("{} {}", one.name, per_cent(*share)))
        .collect();
    plot::open(html, format_args!("{}: {}", row.name, told.join(", ")), HEIGHT);
    axis.grid(html, HEIGHT);
    let places: Vec<f64> = shares.iter().map(|share| axis.place(*share)).collect();
    let (low, high) =
        (places.iter().copied().fold(1.0, f64::min), places.iter().copied().fold(0.0, f64::max));
    let middle = f64::from(HEIGHT) / 2.0;
    plot::line(html, "link", (low, high), (middle, middle));
    for (at, ((one, share), place)) in series.shown.iter().zip(&shares).zip(&places).enumerate() {
        plot::mark(html, at, *place, HEIGHT / 2);
        let n = row.tally.get(one.label);
        plot::title(html, format_args!("{}, {}: {} ({})", row.name, one.name, per_cent(*share), count(n)));
        html.close("path").close("svg");
    }
    html.close("svg");
}

/// Shares, counts and lifts as cells.
pub(super) fn numbers(html: &mut Html, tally: &Tally, series: &AllSeries) {
    for (at, one) in series.shown.iter().enumerate() {
        let n = tally.get(one.label);
        html.open("td").attr("class", format_args!("n l{at}")).attr("data-of", &one.name);
        html.text(per_cent(share(n, one.requests))).element("small", "", count(n)).close("td");
    }
    if series.compared().is_none() {
        return;
    }
    html.open("td").attr("class", "n lift").attr("data-of", "lift");
    let is_one = series.shown.len() == 2;
    for (other, ratio) in series.ratios(tally) {
        let (low, high) = ratio.interval();
        let interval = format!("{} to {}", times(low), times(high));
        let told = format!("{}: {interval} in 95 of 100 cases", other.name);
        let (element, class) = if ratio.differs() { ("b", "") } else { ("span", "same") };
        html.open(element).attr("class", class).attr("title", told).text(times(ratio.lift())).close(element);
        html.element("small", "", interval);
        if !is_one {
            html.element("small", "", &other.name);
        }
    }
    html.close("td");
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Describes a family of flags.
fn about(family: Family) -> &'static str {
    match family {
        Family::Encoding => "how characters were encoded",
        Family::Unicode => "which characters there are beyond ASCII",
        Family::Path => "the shape of the path or target",
        Family::Query => "the shape of the query",
        Family::Danger => "characters that attacks are made of",
        Family::Content => "what a value says",
        Family::Header => "header names, repeats and hosts",
        Family::Whitespace => "white space, folds and line ends",
        Family::Framing => "where the request and its parts end",
        Family::Body => "the body",
        Family::Privacy => "credentials and persons",
        _ => "",
    }
}
