//! Scores against a model: how many requests are how unusual, when, where something is new, and the highest with reasons.

use super::section::{self, Links};
use super::time::{CLASSES, Stack};
use super::{flags, plot};
use crate::about::AboutModel;
use crate::count::counter::Entry;
use crate::count::scores::{High, Level, New, Scores};
use crate::count::tally::Tally;
use crate::figures::{count, per_cent, things};
use crate::markup::Html;
use crate::ratio::share;
use crate::series::AllSeries;
use crate::summary::Summary;

/// How many endpoints are shown.
const MOST: usize = 20;

pub(super) fn write(
    html: &mut Html,
    summary: &Summary,
    model: &AboutModel,
    series: &AllSeries,
    links: &Links<'_>,
) {
    section::open(html, "scores", "Scores");
    about(html, model);
    let Some(scores) = &summary.scores else {
        html.raw("<p>There is no request to score.</p>");
        return section::close(html);
    };
    levels(html, scores, series);
    over_time(html, summary);
    endpoints(html, scores, series, links);
    highest(html, scores, series, links);
    section::close(html);
}

fn about(html: &mut Html, model: &AboutModel) {
    html.raw("<p class=\"note\">").text(format_args!(
        "How unusual requests are to a model of {}. A p-value is the share of those that score as high; the least that this \
         model can tell is {}. Of the learned requests, {} have something that no other has.",
        things(model.requests, "request", "requests"),
        per_cent(model.least_p_value),
        per_cent(model.share_with_new)
    ));
    html.raw("</p>");
    if !model.unknown_sources.is_empty() {
        html.raw("<p class=\"note\"><b>Scores may be too high:</b> ");
        html.text(format_args!("the model has learned no requests of {}.", model.unknown_sources.join(", ")));
        html.raw("</p>");
    }
}

/// Requests by how unusual they are, by label.
fn levels(html: &mut Html, scores: &Scores, series: &AllSeries) {
    html.raw("<h3>How unusual the requests are</h3><p class=\"note\">Of requests like those learned, 5 % have a p-value of 5 % or less, and so on.</p>");
    html.raw("<table><thead><tr><th scope=\"col\">requests</th>");
    plot::heads(html, &series.shown);
    if series.compared().is_some() {
        html.raw("<th scope=\"col\" class=\"n lift\">lift</th>");
    }
    html.raw("</tr></thead><tbody>");
    for (level, name) in Level::ALL.into_iter().zip(Level::ALL.map(Level::name)).skip(1).rev() {
        // A p-value of 0.1 % is one of 5 % too.
        let mut at_least = Tally::default();
        scores.levels.iter().skip(level as usize).for_each(|tally| at_least.merge(tally));
        html.raw("<tr>").open("th").attr("scope", "row").text(name).close("th");
        flags::numbers(html, &at_least, series);
        html.raw("</tr>");
    }
    html.raw("<tr><th scope=\"row\">with something new at its endpoint</th>");
    flags::numbers(html, &scores.with_new, series);
    html.raw("</tr></tbody></table>");
}

fn over_time(html: &mut Html, summary: &Summary) {
    let shown = summary.times.shown();
    if shown.bins.is_empty() {
        html.raw("<p class=\"note\">No request tells when it was sent, so that scores cannot be shown over time.</p>");
        return;
    }
    html.raw("<h3>Scores over time</h3>");
    plot::colours(html, CLASSES.into_iter().zip(Level::ALL.map(Level::name)));
    html.raw("<figure><figcaption><b>Requests</b> <span class=\"unit\">by their p-value; a request stands in the lowest class that it is in</span></figcaption>");
    let stack = Stack { names: Level::ALL.map(Level::name), of: |there| there.levels };
    stack.write(html, &shown.bins, shown.width);
    html.raw("</figure>");
}

/// Endpoints with most that is new.
fn endpoints(html: &mut Html, scores: &Scores, series: &AllSeries, links: &Links<'_>) {
    html.raw("<h3>Endpoints with most that is new</h3><p class=\"note\">By how many requests have something that was never seen there; below each, the first reason of its highest score.</p>");
    let all = newest(scores);
    if all.is_empty() {
        html.raw("<p>No request has anything new.</p>");
        return;
    }
    html.raw("<table class=\"wide\"><thead><tr><th scope=\"col\">endpoint</th><th scope=\"col\" class=\"n\">requests</th><th scope=\"col\" class=\"n\">with new</th><th scope=\"col\" class=\"n\">p ≤ 1 %</th></tr></thead><tbody>");
    for (endpoint, entry) in all.iter().take(MOST) {
        let (requests, new) = (entry.tally.total(), &entry.beside);
        html.open("tr").attr("class", section::lacking(&entry.tally, series)).raw("<th scope=\"row\">");
        links.template(html, endpoint);
        if new.is_unknown {
            html.raw(" <span class=\"w evasion\">not learned</span>");
        }
        if let Some((_, reason)) = &new.reason {
            html.raw("<small>");
            section::in_code(html, reason);
            html.raw("</small>");
        }
        html.raw("</th>").element("td", "n", count(requests));
        for n in [new.with_new, new.high] {
            html.raw("<td class=\"n\">").text(per_cent(share(n, requests)));
            html.element("small", "", count(n)).raw("</td>");
        }
        html.raw("</tr>");
    }
    html.raw("</tbody></table>");
    if all.len() > MOST {
        let left = things((all.len() - MOST) as u64, "more endpoint has", "more endpoints have");
        html.raw("<p class=\"note\">").text(format_args!("{left} something new.")).raw("</p>");
    }
}

/// Endpoints that have something new, those with most first.
pub(crate) fn newest(scores: &Scores) -> Vec<(&String, &Entry<New>)> {
    let mut all: Vec<_> = scores.endpoints.iter().filter(|(_, entry)| entry.beside.with_new > 0).collect();
    all.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.beside.with_new));
    all
}

/// The highest scores, each with its reasons and its document.
fn highest(html: &mut Html, scores: &Scores, series: &AllSeries, links: &Links<'_>) {
    html.raw("<h3>Highest scores</h3><p class=\"note\">Requests to one endpoint that score alike for the same reasons are told once. Each opens to its document.</p><ol class=\"highest\">");
    for high in &scores.highest {
        html.open("li").attr("class", section::lacking(&high.tally, series)).raw("<div>");
        html.element("b", "", format_args!("{:.2}", high.score));
        html.element("small", "", headline(high));
        html.text(" ");
        links.template(html, &high.endpoint);
        html.raw("</div><ul>");
        for reason in &high.reasons {
            html.raw("<li>");
            section::in_code(html, reason);
            html.raw("</li>");
        }
        html.raw("</ul><details class=\"more\"><summary>").text(labels(high, series));
        html.element("small", "", &high.place).raw("</summary><pre>");
        html.lines(&high.example).raw("</pre></details></li>");
    }
    html.raw("</ol>");
    if scores.highest.is_empty() {
        html.raw("<p>No request has a score above 0.</p>");
    }
}

/// The p-value of a score.
pub(crate) fn headline(high: &High) -> String {
    high.p_value.map_or_else(String::new, |p| format!("p = {}", per_cent(p)))
}

/// How many requests there are, and of which labels.
fn labels(high: &High, series: &AllSeries) -> String {
    let all = things(high.tally.total(), "request", "requests");
    if series.compared().is_none() {
        return all;
    }
    let of = series.shown.iter().filter(|one| high.tally.get(one.label) > 0);
    let named: Vec<String> =
        of.map(|one| format!("{} {}", count(high.tally.get(one.label)), one.name)).collect();
    format!("{all} ({})", named.join(", "))
}
