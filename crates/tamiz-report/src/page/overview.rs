//! The first look: how many, of what, how odd.

use super::plot;
use crate::count::facts::Rank;
use crate::figures::{count, per_cent, things};
use crate::markup::Html;
use crate::ratio::share;
use crate::series::AllSeries;
use crate::summary::Summary;

pub(super) fn write(html: &mut Html, summary: &Summary, series: &AllSeries) {
    html.raw("<section id=\"overview\"><h2>Overview</h2>");
    tiles(html, summary);
    ranks(html, summary, series);
    kinds(html, summary);
    html.raw("</section>");
}

fn tiles(html: &mut Html, summary: &Summary) {
    let requests = summary.requests();
    let (distinct, is_exact) = summary.distinct.count();
    let evasion = summary.ranks.get(&Rank::Evasion).map_or(0, |tally| tally.total());
    let secrets: u64 = summary.secrets.iter().map(|(_, entry)| entry.tally.total()).sum::<u64>()
        + summary.secrets.other().total();
    html.raw("<dl class=\"tiles\">");
    let mut tile = |name: &'static str, value: String, more: String| {
        html.raw("<div>").element("dt", "", name).raw("<dd>").text(value);
        html.element("small", "", more).raw("</dd></div>");
    };
    tile("Requests", count(requests), things(summary.labels.len() as u64, "label", "labels"));
    let about = if is_exact { "" } else { "about " };
    tile(
        "Distinct documents",
        format!("{about}{}", count(distinct)),
        format!("{} of requests", per_cent(share(distinct, requests).min(1.0))),
    );
    let templates = summary.templates.len() as u64;
    let more = summary.templates.other().total();
    tile(
        "Path templates",
        count(templates),
        if more > 0 { format!("and {} requests of others", count(more)) } else { "all of them".to_owned() },
    );
    tile(
        "Evasion flags",
        per_cent(share(evasion, requests)),
        format!("in {}", things(evasion, "request", "requests")),
    );
    tile(
        "Secrets redacted",
        count(secrets),
        format!("in {}", things(summary.with_secrets.total(), "request", "requests")),
    );
    let unreadable = summary.unreadable();
    let more = if unreadable > 0 { "named below" } else { "all were read" };
    tile("Unreadable", count(unreadable), more.to_owned());
    html.raw("</dl>");
}

/// How odd requests are, by label.
fn ranks(html: &mut Html, summary: &Summary, series: &AllSeries) {
    html.raw("<h3>How odd the requests are</h3><p class=\"note\">Each request by the most telling weight among its flags.</p>");
    let classes = ["r0", "r1", "r2", "r3"];
    plot::colours(html, classes.into_iter().zip(Rank::ALL.map(Rank::name)));
    html.raw("<div class=\"bars\">");
    for (at, one) in series.shown.iter().enumerate() {
        let of = |rank: &Rank| summary.ranks.get(rank).map_or(0, |tally| tally.get(one.label));
        let told: Vec<String> = Rank::ALL
            .iter()
            .map(|rank| format!("{} {}", rank.name(), per_cent(share(of(rank), one.requests))))
            .collect();
        plot::row_name(html, &series.shown, at);
        let name = format_args!("{}: {}", one.name, told.join(", "));
        plot::open_of(html, format_args!("plot l{at}"), name, 26);
        let mut from = 0.0;
        for (rank, class) in Rank::ALL.iter().zip(classes).filter(|(rank, _)| of(rank) > 0) {
            let part = share(of(rank), one.requests);
            html.open("svg").at("x", from).at("width", part).attr("height", 26).attr("overflow", "hidden");
            plot::bar(html, class, (0.0, 1.0), (2.0, 22.0));
            let told = format!("{}, {}: {} ({})", one.name, rank.name(), per_cent(part), count(of(rank)));
            plot::title(html, told);
            html.close("rect");
            // What is too narrow for a number has none.
            if part > 0.16 {
                html.open("text").attr("class", format_args!("on-{class}")).attr("x", 6).attr("y", 17);
                html.text(per_cent(part)).close("text");
            }
            html.close("svg");
            from += part;
        }
        html.close("svg");
        html.open("span").attr("class", format_args!("num l{at}")).text(count(one.requests)).close("span");
    }
    html.raw("</div>");
    values(html, summary, series);
}

/// Writes the same figures as numbers.
fn values(html: &mut Html, summary: &Summary, series: &AllSeries) {
    html.raw(
        "<details class=\"more\"><summary>Values</summary><table><thead><tr><th scope=\"col\">label</th>",
    );
    for rank in Rank::ALL {
        html.open("th").attr("scope", "col").attr("class", "n").text(rank.name()).close("th");
    }
    html.raw("</tr></thead><tbody>");
    for (at, one) in series.shown.iter().enumerate() {
        html.open("tr")
            .attr("class", format_args!("l{at}"))
            .open("th")
            .attr("scope", "row")
            .text(&one.name)
            .close("th");
        for rank in Rank::ALL {
            let n = summary.ranks.get(&rank).map_or(0, |tally| tally.get(one.label));
            html.raw("<td class=\"n\">").text(per_cent(share(n, one.requests)));
            html.element("small", "", count(n)).raw("</td>");
        }
        html.raw("</tr>");
    }
    html.raw("</tbody></table></details>");
}

/// Methods, bodies and sources, each in a line.
fn kinds(html: &mut Html, summary: &Summary) {
    html.raw("<p class=\"note\">");
    for (name, counter) in
        [("Methods", &summary.methods), ("Bodies", &summary.bodies), ("Handed over as", &summary.sources)]
    {
        const MOST: usize = 8;
        let most = counter.most();
        let told: Vec<String> = most
            .iter()
            .take(MOST)
            .map(|(kind, entry)| format!("{kind} {}", count(entry.tally.total())))
            .collect();
        html.text(format_args!("{name}: {}", told.join(", ")));
        if most.len() > MOST {
            html.text(format_args!(" and {} more", most.len() - MOST));
        }
        html.text(". ");
    }
    html.raw("</p>");
}
