//! The section on what is not shown: secrets that were redacted, by number alone, and records that could not be read.

use super::{plot, section};
use crate::figures::{count, per_cent, things};
use crate::markup::Html;
use crate::ratio::share;
use crate::series::AllSeries;
use crate::summary::{MOST_NAMED, Summary};

/// How many rows a table has.
const MOST: usize = 12;

pub(super) fn write_secrets(html: &mut Html, summary: &Summary, series: &AllSeries) {
    section::open(html, "secrets", "Secrets");
    let all = summary.secrets.most();
    let cookies = summary.cookies.total();
    html.raw("<p>");
    if all.is_empty() {
        html.text("No secret was found");
    } else {
        let total: u64 =
            all.iter().map(|(_, entry)| entry.tally.total()).sum::<u64>() + summary.secrets.other().total();
        html.text(format_args!(
            "{} redacted, in {} ({})",
            things(total, "secret was", "secrets were"),
            things(summary.with_secrets.total(), "request", "requests"),
            per_cent(share(summary.with_secrets.total(), summary.requests()))
        ));
    }
    html.text(format_args!(
        "; {} told by length alone. What they are is not in the documents, and so not here.",
        things(cookies, "cookie is", "cookies are")
    ));
    html.raw("</p>");
    if !all.is_empty() {
        plot::key(html, &series.shown);
        let most = all.first().map_or(1, |(_, entry)| entry.tally.total()).max(1);
        html.raw("<table class=\"rows\"><thead><tr><th scope=\"col\">place</th><th scope=\"col\" class=\"p\"><span class=\"vh\">secrets</span></th>");
        html.raw("<th scope=\"col\" class=\"n\">secrets</th></tr></thead><tbody>");
        for (place, entry) in all.iter().take(MOST) {
            let mut kinds: Vec<(&String, u64)> =
                entry.beside.0.iter().map(|(kind, tally)| (kind, tally.total())).collect();
            kinds.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
            let kinds: Vec<String> = kinds.iter().map(|(kind, n)| format!("{kind} {}", count(*n))).collect();
            html.open("tr").attr("class", section::lacking(&entry.tally, series));
            html.raw("<th scope=\"row\">");
            section::place(html, place);
            html.element("small", "", kinds.join(", ")).raw("</th><td class=\"p\">");
            plot::open(html, format_args!("{place}: {}", count(entry.tally.total())), 16);
            let mut from = 0.0;
            for (at, one) in series.shown.iter().enumerate() {
                let n = entry.tally.get(one.label);
                if n > 0 {
                    let width = share(n, most);
                    plot::bar(html, format_args!("s{at}"), (from, width), (3.0, 10.0));
                    plot::title(html, format_args!("{place}, {}: {}", one.name, count(n)));
                    html.close("rect");
                    from += width;
                }
            }
            html.close("svg").raw("</td>");
            html.open("td")
                .attr("class", "n")
                .attr("data-of", "secrets")
                .text(count(entry.tally.total()))
                .close("td")
                .raw("</tr>");
        }
        html.raw("</tbody></table>");
        more(html, all.len().saturating_sub(MOST), "more place", "more places");
    }
    section::close(html);
}

pub(super) fn write_unreadable(html: &mut Html, summary: &Summary) {
    let unreadable = &summary.unreadable;
    section::open(html, "unreadable", "Unreadable records");
    if unreadable.count == 0 {
        html.raw("<p>Every record could be read.</p>");
        return section::close(html);
    }
    html.raw("<p>").text(format_args!(
        "{} could not be read; nothing of what they hold is here.",
        things(unreadable.count, "record", "records")
    ));
    html.raw("</p>");
    for (name, counter) in [("reason", &unreadable.reasons), ("file", &unreadable.files)] {
        html.raw("<table><thead><tr>").open("th").attr("scope", "col").text(name).close("th");
        html.raw("<th scope=\"col\" class=\"n\">records</th></tr></thead><tbody>");
        let all = counter.most();
        for (what, entry) in all.iter().take(MOST) {
            html.raw("<tr>").open("th").attr("scope", "row");
            if name == "file" {
                html.element("code", "", what)
            } else {
                html.text(what)
            };
            html.close("th");
            html.element("td", "n", count(entry.tally.total())).raw("</tr>");
        }
        html.raw("</tbody></table>");
        more(html, all.len().saturating_sub(MOST), "more", "more");
    }
    html.raw("<details class=\"more\"><summary>The first of them</summary><ul>");
    for (place, reason) in unreadable.first.iter().take(MOST_NAMED) {
        html.raw("<li>").element("code", "", place).text(format_args!(": {reason}")).raw("</li>");
    }
    html.raw("</ul></details>");
    section::close(html);
}

fn more(html: &mut Html, n: usize, one: &'static str, many: &'static str) {
    if n > 0 {
        html.raw("<p class=\"note\">").text(format_args!("And {}.", things(n as u64, one, many))).raw("</p>");
    }
}
