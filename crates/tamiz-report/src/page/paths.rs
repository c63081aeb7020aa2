//! Paths: templates that are there often and seldom; documents that are there often.

use super::{flags, plot};
use crate::count::counter::{Entry, Example};
use crate::figures::{count, per_cent, things};
use crate::markup::Html;
use crate::ratio::share;
use crate::series::AllSeries;
use crate::summary::Summary;

/// How many of each are shown.
const MOST: usize = 20;
const RARE: usize = 16;
const DOCUMENTS: usize = 8;

pub(super) fn write(html: &mut Html, summary: &Summary, series: &AllSeries) {
    html.raw("<section id=\"paths\"><h2>Paths</h2>");
    let all = summary.templates.most();
    if all.is_empty() {
        html.raw("<p>There is no request.</p></section>");
        return;
    }
    frequent(html, summary, &all, series);
    rare(html, summary, &all);
    documents(html, summary);
    html.raw("</section>");
}

type Template<'a> = (&'a String, &'a Entry<Example>);

fn frequent(html: &mut Html, summary: &Summary, all: &[Template<'_>], series: &AllSeries) {
    html.raw("<h3>Most frequent templates</h3><p class=\"note\">Method and path, without what varies in it; shares of the requests with the label.</p>");
    plot::key(html, &series.shown);
    let shown = all.iter().take(MOST);
    let most = shown
        .clone()
        .flat_map(|(_, entry)| series.shown.iter().map(|one| share(entry.tally.get(one.label), one.requests)))
        .fold(0.0, f64::max);
    html.raw("<table class=\"rows\"><thead><tr><th scope=\"col\">template</th><th scope=\"col\" class=\"p\"><span class=\"vh\">share</span></th>");
    for one in &series.shown {
        html.open("th").attr("scope", "col").attr("class", "n").text(&one.name).close("th");
    }
    if series.compared().is_some() {
        html.raw("<th scope=\"col\" class=\"n lift\">lift</th>");
    }
    html.raw("</tr></thead><tbody>");
    for (template, entry) in shown {
        html.raw("<tr><th scope=\"row\">").element("code", "", template).raw("</th><td class=\"p\">");
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
        html.close("svg").raw("</td>");
        flags::numbers(html, &entry.tally, series);
        html.raw("</tr>");
    }
    html.raw("</tbody></table>");
    let rest: u64 = all.iter().skip(MOST).map(|(_, entry)| entry.tally.total()).sum();
    let other = summary.templates.other().total();
    if rest + other > 0 {
        html.raw("<p class=\"note\">").text(things(rest, "request has", "requests have"));
        html.text(format_args!(
            " one of {}",
            things(all.len().saturating_sub(MOST) as u64, "other template", "other templates")
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

fn rare(html: &mut Html, summary: &Summary, all: &[Template<'_>]) {
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
            example(html, template, entry.tally.total(), &entry.beside);
        }
    }
}

fn documents(html: &mut Html, summary: &Summary) {
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
        example(html, &crate::count::labels::cut(name, 160), entry.tally.total(), &entry.beside);
    }
}

fn example(html: &mut Html, name: &str, times: u64, example: &Example) {
    html.raw("<details><summary>").element("code", "", name).raw(" ");
    html.element("span", "num", things(times, "request", "requests")).raw("</summary><pre>");
    html.lines(&example.0).raw("</pre></details>");
}
