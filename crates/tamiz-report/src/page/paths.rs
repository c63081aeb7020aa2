//! Paths: templates that are there often and seldom; documents that are there often.

use super::section::{self, Links};
use super::{flags, plot};
use crate::count::counter::{Entry, Example};
use crate::count::tally::Tally;
use crate::figures::{count, per_cent, things};
use crate::markup::Html;
use crate::ratio::share;
use crate::series::AllSeries;
use crate::summary::Summary;

/// How many of each are shown.
const MOST: usize = 20;
/// How many templates have a row, those that are folded away included.
pub(super) const ROWS: usize = 80;
const RARE: usize = 16;
const DOCUMENTS: usize = 8;

pub(super) fn write(html: &mut Html, summary: &Summary, series: &AllSeries, links: &Links<'_>) {
    section::open(html, "paths", "Paths");
    let all = summary.templates.most();
    if all.is_empty() {
        html.raw("<p>There is no request.</p>");
        return section::close(html);
    }
    frequent(html, summary, &all, series, links);
    rare(html, summary, &all, series);
    documents(html, summary, series);
    section::close(html);
}

type Template<'a> = (&'a String, &'a Entry<Example>);

fn frequent(html: &mut Html, summary: &Summary, all: &[Template<'_>], series: &AllSeries, links: &Links<'_>) {
    html.raw("<h3>Most frequent templates</h3><p class=\"note\">Method and path, without what varies in it; shares of the requests with the label. Each opens to the flags that its requests raise.</p>");
    let most = all
        .iter()
        .take(ROWS)
        .flat_map(|(_, entry)| series.shown.iter().map(|one| share(entry.tally.get(one.label), one.requests)))
        .fold(0.0, f64::max);
    let (first, more) = all.split_at_checked(MOST).unwrap_or((all, &[]));
    table(html, first, 0, most, series, links);
    let more = more.get(..more.len().min(ROWS - MOST)).unwrap_or_default();
    if !more.is_empty() {
        html.raw("<details class=\"more\"><summary>");
        html.text(things(more.len() as u64, "more template", "more templates")).raw("</summary>");
        table(html, more, MOST, most, series, links);
        html.raw("</details>");
    }
    let rest: u64 = all.iter().skip(ROWS).map(|(_, entry)| entry.tally.total()).sum();
    let other = summary.templates.other().total();
    if rest + other > 0 {
        html.raw("<p class=\"note\">").text(things(rest, "request has", "requests have"));
        html.text(format_args!(
            " one of {}",
            things(all.len().saturating_sub(ROWS) as u64, "other template", "other templates")
        ));
        if other > 0 {
            html.text(format_args!(
                "; {} of templates that were let go, so that a count may be too low by {}",
                things(other, "request is", "requests are"),
                count(summary.templates.short())
            ));
        }
        html.raw(".</p>");
    }
}

/// Rows of templates, numbered from `from` on.
fn table(
    html: &mut Html,
    rows: &[Template<'_>],
    from: usize,
    most: f64,
    series: &AllSeries,
    links: &Links<'_>,
) {
    html.raw("<table class=\"rows\"><thead><tr><th scope=\"col\">template</th><th scope=\"col\" class=\"p\"><span class=\"vh\">share</span></th>");
    plot::heads(html, &series.shown);
    if series.compared().is_some() {
        html.raw("<th scope=\"col\" class=\"n lift\">lift</th>");
    }
    html.raw("</tr></thead><tbody>");
    for (at, (template, entry)) in rows.iter().enumerate() {
        html.open("tr").attr("class", section::lacking(&entry.tally, series));
        html.attr("id", format_args!("path-{}", from + at));
        html.raw("<th scope=\"row\">").element("code", "", template);
        raised(html, links.flags(template), series);
        html.raw("</th><td class=\"p\">");
        bars(html, template, entry, most, series);
        html.raw("</td>");
        flags::numbers(html, &entry.tally, series);
        html.raw("</tr>");
    }
    html.raw("</tbody></table>");
}

/// The share of each label.
fn bars(html: &mut Html, template: &str, entry: &Entry<Example>, most: f64, series: &AllSeries) {
    let height = 9 * series.shown.len() as u32 + 4;
    let told: Vec<String> = series
        .shown
        .iter()
        .map(|one| format!("{} {}", one.name, per_cent(share(entry.tally.get(one.label), one.requests))))
        .collect();
    plot::open(html, format_args!("{template}: {}", told.join(", ")), height);
    for (at, (one, told)) in series.shown.iter().zip(&told).enumerate() {
        let width = share(entry.tally.get(one.label), one.requests) / most.max(f64::MIN_POSITIVE);
        plot::bar(html, format_args!("s{at}"), (0.0, width), (2.0 + 9.0 * at as f64, 7.0));
        plot::title(html, format_args!("{told} ({})", count(entry.tally.get(one.label))));
        html.close("rect");
    }
    html.close("svg");
}

/// The flags that the requests of a template raise.
fn raised(html: &mut Html, all: &[(&str, &Tally)], series: &AllSeries) {
    if all.is_empty() {
        return;
    }
    html.raw("<details class=\"more\"><summary>");
    html.text(things(all.len() as u64, "flag", "flags")).raw("</summary><ul class=\"at\">");
    for (flag, tally) in all {
        html.open("li").attr("class", section::lacking(tally, series));
        section::flag_link(html, flag);
        html.element("small", "", count(tally.total())).raw("</li>");
    }
    html.raw("</ul></details>");
}

fn rare(html: &mut Html, summary: &Summary, all: &[Template<'_>], series: &AllSeries) {
    let least = all.last().map_or(0, |(_, entry)| entry.tally.total());
    let rarest: Vec<&Template<'_>> = all.iter().filter(|(_, entry)| entry.tally.total() == least).collect();
    html.raw("<h3>Rare templates</h3><p class=\"note\">");
    let times = if least == 1 { "once".to_owned() } else { format!("{} times", count(least)) };
    html.text(things(rarest.len() as u64, "template is", "templates are"))
        .text(format_args!(" there {times}"));
    if summary.templates.short() > 0 {
        html.text(", of those that were kept; rarer ones were let go");
    }
    html.raw(". Some of the rarest, from all over the alphabet; each opens to its first document.</p>");
    // Neighbours are much alike: the few that are shown are taken evenly.
    let candidates = rarest.len().max(RARE).min(all.len());
    let from = all.len() - candidates;
    for at in 0..candidates.min(RARE) {
        if let Some((template, entry)) = all.get(from + at * candidates / candidates.min(RARE)) {
            example(html, template, entry, series);
        }
    }
}

fn documents(html: &mut Html, summary: &Summary, series: &AllSeries) {
    html.raw("<h3>Most frequent documents</h3><p class=\"note\">Requests that are the same in canonical form, byte for byte.");
    if summary.documents.short() > 0 {
        html.text(format_args!(
            " Rare ones were let go: a count may be too low by {}.",
            count(summary.documents.short())
        ));
    }
    html.raw("</p>");
    for (_, entry) in summary.documents.most().into_iter().take(DOCUMENTS) {
        let lines = entry.beside.0.lines();
        let name = lines.clone().find_map(|line| line.strip_prefix("U:")).or_else(|| lines.clone().next());
        let name = name.unwrap_or_default().split(" [").next().unwrap_or_default();
        example(html, &crate::count::labels::cut(name, 160), entry, series);
    }
}

fn example(html: &mut Html, name: &str, entry: &Entry<Example>, series: &AllSeries) {
    html.open("details").attr("class", section::lacking(&entry.tally, series)).raw("<summary>");
    html.element("code", "", name).raw(" ");
    html.element("span", "num", things(entry.tally.total(), "request", "requests")).raw("</summary><pre>");
    html.lines(&entry.beside.0).raw("</pre></details>");
}
