//! Requests and flags over time, where containers tell it.

use std::collections::BTreeMap;

use tamiz::Family;

use super::{plot, section};
use crate::count::facts::Rank;
use crate::count::times::{Moment, Outside, Shown};
use crate::figures::{count, moment, per_cent, span, things};
use crate::markup::Html;
use crate::ratio::share;
use crate::summary::Summary;

pub(super) const CLASSES: [&str; 4] = ["r0", "r1", "r2", "r3"];
/// Pixels above and of the bars.
const ABOVE: f64 = 18.0;
const BARS: f64 = 110.0;

pub(super) fn write(html: &mut Html, summary: &Summary) {
    let shown = summary.times.shown();
    let Shown { width, ref bins, .. } = shown;
    let (Some((first, _)), Some((last, _))) = (bins.first(), bins.last()) else { return };
    section::open(html, "time", "Flags over time");
    html.raw("<p class=\"note\">").text(format_args!(
        "From {} to {} UTC, in steps of {}.",
        moment(*first, width.min(60)),
        moment(last + width, width.min(60)),
        span(width)
    ));
    for sentence in outside(&shown) {
        html.text(format_args!(" {sentence}"));
    }
    if summary.times.without() > 0 {
        html.text(format_args!(
            " {} no time.",
            things(summary.times.without(), "request has", "requests have")
        ));
    }
    html.raw(" Point at a step for its values.</p>");
    plot::colours(html, CLASSES.into_iter().zip(Rank::ALL.map(Rank::name)));
    html.raw("<figure><figcaption><b>Requests</b> <span class=\"unit\">by the most telling weight among their flags</span></figcaption>");
    let stack = Stack { names: Rank::ALL.map(Rank::name), of: |there| there.ranks };
    stack.write(html, bins, width);
    html.raw("</figure>");
    families(html, bins, width);
    section::close(html);
}

/// Describes requests whose times are too far from all others to be shown.
pub(crate) fn outside(shown: &Shown) -> impl Iterator<Item = String> {
    [(shown.before, "before"), (shown.after, "after")].into_iter().filter_map(|(outside, side)| {
        let Outside { requests, from, to } = outside?;
        let when =
            if from == to { moment(from, 1) } else { format!("{} to {}", moment(from, 1), moment(to, 1)) };
        let what = things(requests, "request is", "requests are");
        Some(format!("{what} not shown, since a clock far {side} all others would squeeze these: {when}."))
    })
}

type Bin = (i64, Moment);

/// Bars over time, each cut into four classes; the last is the most telling.
pub(super) struct Stack {
    pub(super) names: [&'static str; 4],
    pub(super) of: fn(&Moment) -> [u64; 4],
}

impl Stack {
    /// Writes the plot and the table of its values.
    pub(super) fn write(&self, html: &mut Html, bins: &[Bin], width: i64) {
        let of = |there: &Moment| (self.of)(there).iter().sum::<u64>();
        let most = bins.iter().map(|(_, there)| of(there)).max().unwrap_or(0).max(1);
        let height = (ABOVE + BARS + 20.0) as u32;
        plot::open(html, "Requests over time; the values are in the table below", height);
        plot::line(html, "grid", (0.0, 1.0), (ABOVE, ABOVE));
        plot::line(html, "grid", (0.0, 1.0), (ABOVE + BARS / 2.0, ABOVE + BARS / 2.0));
        plot::line(html, "base", (0.0, 1.0), (ABOVE + BARS, ABOVE + BARS));
        plot::text(html, "rest", "end", (1.0, 12.0), things(most, "request", "requests"));
        let step = 1.0 / bins.len() as f64;
        for (at, (start, there)) in bins.iter().enumerate() {
            let x = at as f64 * step;
            html.open("g").attr("class", "col");
            let mut bottom = ABOVE + BARS;
            // The most telling are at the bottom, where they can be compared.
            for (n, class) in (self.of)(there).iter().zip(CLASSES).rev().filter(|(n, _)| **n > 0) {
                let height = *n as f64 / most as f64 * BARS;
                bottom -= height;
                plot::bar(html, class, (x + step * 0.06, step * 0.88), (bottom, height));
                html.close("rect");
            }
            plot::text(html, "tip", "end", (1.0, 12.0), self.told(*start, there, width));
            html.open("rect").attr("class", "hit").at("x", x).at("width", step).attr("y", 0);
            html.attr("height", ABOVE + BARS).close("rect").close("g");
        }
        ticks(html, bins, width);
        html.close("svg");
        self.table(html, bins, width);
    }

    fn told(&self, start: i64, there: &Moment, width: i64) -> String {
        let all = (self.of)(there);
        let classes: Vec<String> =
            (self.names.iter().zip(all).skip(2)).map(|(name, n)| format!("{} {name}", count(n))).collect();
        format!("{}: {}, {}", moment(start, width), count(all.iter().sum()), classes.join(", "))
    }

    fn table(&self, html: &mut Html, bins: &[Bin], width: i64) {
        html.raw("<details><summary>Values</summary><table><thead><tr><th scope=\"col\">from</th>");
        for name in self.names {
            html.open("th").attr("scope", "col").attr("class", "n").text(name).close("th");
        }
        html.raw("</tr></thead><tbody>");
        for (start, there) in bins.iter().filter(|(_, there)| there.requests() > 0) {
            html.raw("<tr>").open("th").attr("scope", "row").text(moment(*start, width)).close("th");
            for n in (self.of)(there) {
                html.element("td", "n", count(n));
            }
            html.raw("</tr>");
        }
        html.raw("</tbody></table></details>");
    }
}

fn ticks(html: &mut Html, bins: &[Bin], width: i64) {
    let y = ABOVE + BARS + 14.0;
    if let Some((start, _)) = bins.first() {
        plot::text(html, "tick", "start", (0.0, y), moment(*start, width));
    }
    if let Some((start, _)) = bins.last().filter(|_| bins.len() > 1) {
        plot::text(html, "tick", "end", (1.0, y), moment(start + width, width));
    }
}

/// A strip for each family: the stronger its colour, the larger the share of requests with a flag of it. The strength
/// grows with the root of the share, so that small ones can be seen.
fn families(html: &mut Html, bins: &[Bin], width: i64) {
    let mut totals: BTreeMap<Family, u64> = BTreeMap::new();
    for (_, there) in bins {
        there.families.iter().for_each(|(family, n)| *totals.entry(*family).or_default() += n);
    }
    let mut order: Vec<(Family, u64)> = totals.into_iter().collect();
    order.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let requests: u64 = bins.iter().map(|(_, there)| there.requests()).sum();
    if order.is_empty() {
        return;
    }
    html.raw("<figure><figcaption><b>Families</b> <span class=\"unit\">share of the requests of a step with a flag of the family that is not structural; the number is that of all steps</span></figcaption><div class=\"strip\">");
    for (family, total) in order {
        html.element("span", "name", family);
        plot::open(html, format_args!("{family}: {} of requests", per_cent(share(total, requests))), 16);
        let step = 1.0 / bins.len() as f64;
        for (at, (start, there)) in bins.iter().enumerate().filter(|(_, (_, there))| there.requests() > 0) {
            let n = there.families.get(&family).copied().unwrap_or(0);
            let part = share(n, there.requests());
            html.open("rect").attr("class", if n > 0 { "mark heat" } else { "mark cold" });
            html.at("x", at as f64 * step).at("width", step).attr("y", 1).attr("height", 14);
            if n > 0 {
                html.attr("fill-opacity", format_args!("{:.2}", 0.15 + 0.85 * part.sqrt()));
            }
            let told =
                format!("{family}, {}: {} of {}", moment(*start, width), count(n), count(there.requests()));
            plot::title(html, told);
            html.close("rect");
        }
        html.close("svg");
        html.element("span", "num", per_cent(share(total, requests)));
    }
    html.raw("</div></figure>");
}
