//! Shapes of values, by key.

use super::{plot, section};
use crate::count::counter::{Entry, Kinds};
use crate::figures::{count, per_cent, things};
use crate::markup::Html;
use crate::ratio::share;
use crate::series::AllSeries;
use crate::summary::Summary;

/// How many keys are shown at once, and how many in all.
const MOST_KEYS: usize = 18;
const MORE_KEYS: usize = 60;
/// How many kinds have a part of their own.
const MOST_KINDS: usize = 3;

pub(super) fn write(html: &mut Html, summary: &Summary, series: &AllSeries) {
    section::open(html, "shapes", "Values by key");
    let keys = summary.keys.most();
    if keys.is_empty() {
        html.raw("<p>No request has a value in its query or body.</p>");
        return section::close(html);
    }
    html.raw("<p class=\"note\">What the values of each key look like, as shares of its values with the label; the most frequent keys first. <code>q.</code> is the query, <code>b.</code> the body; point at a key to read where it is.</p>");
    html.raw("<div class=\"keys\">");
    for (key, entry) in keys.iter().take(MOST_KEYS) {
        one(html, key, entry, series);
    }
    html.raw("</div>");
    let rest = keys.get(MOST_KEYS..).unwrap_or_default();
    if !rest.is_empty() {
        html.raw("<details class=\"more\"><summary>");
        html.text(things(rest.len().min(MORE_KEYS) as u64, "more key", "more keys"));
        html.raw("</summary><div class=\"keys\">");
        for (key, entry) in rest.iter().take(MORE_KEYS) {
            one(html, key, entry, series);
        }
        html.raw("</div></details>");
    }
    let left = rest.len().saturating_sub(MORE_KEYS) as u64;
    let other = summary.keys.other().total();
    if left > 0 || other > 0 {
        html.raw("<p class=\"note\">").text(things(left, "key is", "keys are")).text(" not shown");
        if other > 0 {
            html.text(format_args!(", and {} of keys that were let go", things(other, "value", "values")));
        }
        html.raw(".</p>");
    }
    section::close(html);
}

fn one(html: &mut Html, key: &str, entry: &Entry<Kinds>, series: &AllSeries) {
    let kinds = &entry.beside;
    // The same order in all labels, so that parts can be compared.
    let mut order: Vec<(&str, u64)> =
        kinds.0.iter().map(|(kind, tally)| (kind.as_str(), tally.total())).collect();
    order.sort_by_key(|(_, total)| std::cmp::Reverse(*total));
    html.open("div").attr("class", section::lacking(&entry.tally, series)).raw("<div class=\"head\">");
    section::place(html, key);
    let total: u64 = order.iter().map(|(_, total)| total).sum();
    html.element("small", "", things(total, "value", "values")).raw("</div><div class=\"bars\">");
    for (shown, label) in series.shown.iter().enumerate() {
        let of = |kind: &str| kinds.0.get(kind).map_or(0, |tally| tally.get(label.label));
        let values: u64 = order.iter().map(|(kind, _)| of(kind)).sum();
        if values == 0 {
            continue;
        }
        let told: Vec<String> = order
            .iter()
            .filter(|(kind, _)| of(kind) > 0)
            .map(|(kind, _)| format!("{kind} {}", per_cent(share(of(kind), values))))
            .collect();
        plot::row_name(html, &series.shown, shown);
        let name = format_args!("{key}, {}: {}", label.name, told.join(", "));
        plot::open_of(html, format_args!("plot l{shown}"), name, 20);
        let mut from = 0.0;
        for (at, (kind, _)) in order.iter().enumerate().take(MOST_KINDS) {
            from += part(html, at, kind, &label.name, (of(kind), values), from);
        }
        let rest: Vec<&str> =
            order.iter().skip(MOST_KINDS).map(|(kind, _)| *kind).filter(|kind| of(kind) > 0).collect();
        let n: u64 = rest.iter().map(|kind| of(kind)).sum();
        let name = if let [only] = rest[..] {
            only.to_owned()
        } else {
            format!("{} others: {}", rest.len(), rest.join(", "))
        };
        part(html, MOST_KINDS, &name, &label.name, (n, values), from);
        html.close("svg");
        html.open("span").attr("class", format_args!("num l{shown}")).text(count(values)).close("span");
    }
    html.raw("</div></div>");
}

/// A part of a bar, with its name in it as far as that fits; how wide it is.
fn part(html: &mut Html, at: usize, kind: &str, label: &str, (n, of): (u64, u64), from: f64) -> f64 {
    let width = share(n, of);
    if n > 0 {
        html.open("svg").at("x", from).at("width", width).attr("height", 20).attr("overflow", "hidden");
        plot::bar(html, format_args!("k{at}"), (0.0, 1.0), (1.0, 18.0));
        plot::title(html, format_args!("{kind}, {label}: {} ({})", per_cent(width), count(n)));
        html.close("rect");
        // What is too narrow for a few letters has none.
        if width > 0.12 {
            let name = kind.split(':').next().unwrap_or_default();
            html.open("text").attr("class", "on").attr("x", 6).attr("y", 14).text(name).close("text");
        }
        html.close("svg");
    }
    width
}
