//! Pieces that plots are made of.
//!
//! Places along the horizontal axis are per cent, so that a plot is as wide as its page and its text stays as large as it
//! is; heights are pixels.

use std::fmt::Display;

use crate::markup::Html;
use crate::series::Series;

/// Begins a plot: an image with a name, of some height.
pub(super) fn open(html: &mut Html, name: impl Display, height: u32) {
    open_of(html, "plot", name, height);
}

/// Begins a plot with classes of its own.
pub(super) fn open_of(html: &mut Html, class: impl Display, name: impl Display, height: u32) {
    html.open("svg").attr("class", class).attr("role", "img").attr("aria-label", name);
    html.attr("width", "100%").attr("height", height);
}

/// Writes the tooltip of a mark.
pub(super) fn title(html: &mut Html, text: impl Display) {
    html.element("title", "", text);
}

/// A bar from `from` on, of a share of the width.
pub(super) fn bar(
    html: &mut Html,
    class: impl Display,
    (from, share): (f64, f64),
    (top, height): (f64, f64),
) {
    html.open("rect").attr("class", format_args!("mark {class}")).at("x", from).at("width", share);
    html.attr("y", format_args!("{top:.1}")).attr("height", format_args!("{height:.1}"));
}

/// The mark of a label, by its place among those that are shown: each has a shape of its own, beside its colour.
pub(super) fn mark(html: &mut Html, series: usize, share: f64, y: u32) -> &mut Html {
    const SHAPES: [&str; 4] = [
        "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0",
        "M0-5.5 5.5 0 0 5.5-5.5 0Z",
        "M-4-4H4V4H-4Z",
        "M0-5 5 4H-5Z",
    ];
    html.open("svg").at("x", share).attr("y", y).attr("overflow", "visible");
    html.open("path").attr("class", format_args!("mark s{series}"));
    html.attr("d", SHAPES.get(series).copied().unwrap_or_default())
}

/// Which mark is which label.
pub(super) fn key(html: &mut Html, all: &[Series]) {
    if all.len() < 2 {
        return;
    }
    html.raw("<ul class=\"keyed\" aria-label=\"Labels\">");
    for (at, series) in all.iter().enumerate() {
        html.open("li").attr("class", format_args!("l{at}"));
        label(html, all, at);
        html.text(&series.name).raw("</li>");
    }
    html.raw("</ul>");
}

/// The mark of a label before its name; where there is but one label, none.
pub(super) fn label(html: &mut Html, all: &[Series], at: usize) {
    if all.len() > 1 {
        html.open("svg").attr("class", "in").attr("aria-hidden", "true");
        mark(html, at, 0.5, 6).close("path").close("svg").close("svg");
    }
}

/// Column heads of labels, each with its mark.
pub(super) fn heads(html: &mut Html, all: &[Series]) {
    for (at, series) in all.iter().enumerate() {
        html.open("th").attr("scope", "col").attr("class", format_args!("n l{at}"));
        label(html, all, at);
        html.text(&series.name).close("th");
    }
}

/// A bar's name at its left: the mark of a label, and the label.
pub(super) fn row_name(html: &mut Html, all: &[Series], at: usize) {
    html.open("span").attr("class", format_args!("name l{at}"));
    label(html, all, at);
    html.text(all.get(at).map_or("", |series| series.name.as_str())).close("span");
}

/// Which colour is what.
pub(super) fn colours<'a>(html: &mut Html, names: impl Iterator<Item = (&'static str, &'a str)>) {
    html.raw("<ul class=\"keyed\">");
    for (class, name) in names {
        html.raw("<li>").open("svg").attr("class", "in").attr("aria-hidden", "true");
        html.open("rect")
            .attr("class", class)
            .attr("width", 12)
            .attr("height", 12)
            .close("rect")
            .close("svg");
        html.text(name).raw("</li>");
    }
    html.raw("</ul>");
}

/// An axis of shares on which a distance is a ratio: logarithmic, with a place for zero before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShareAxis {
    /// The power of ten that it begins at.
    lowest: i32,
}

impl ShareAxis {
    /// Where the logarithmic part begins.
    const START: f64 = 0.08;

    /// One that holds all these shares.
    pub(super) fn of(shares: impl Iterator<Item = f64>) -> Self {
        let least = shares.filter(|share| *share > 0.0).fold(1.0, f64::min);
        ShareAxis { lowest: (least.log10().floor() as i32).clamp(-5, -1) }
    }

    /// The place of a share.
    pub(super) fn place(self, share: f64) -> f64 {
        if share <= 0.0 {
            return 0.0;
        }
        let lowest = f64::from(self.lowest);
        let part = ((share.log10() - lowest) / -lowest).clamp(0.0, 1.0);
        Self::START + (1.0 - Self::START) * part
    }

    fn ticks(self) -> impl Iterator<Item = f64> {
        (self.lowest..=0).map(|power| 10_f64.powi(power))
    }

    /// The names of its places.
    pub(super) fn head(self, html: &mut Html) {
        html.open("svg").attr("aria-hidden", "true").attr("width", "100%").attr("height", 14);
        html.open("text").at("x", 0.0).attr("y", 11).attr("text-anchor", "middle").text("0").close("text");
        for tick in self.ticks() {
            html.open("text").at("x", self.place(tick)).attr("y", 11);
            html.attr("text-anchor", if tick < 1.0 { "middle" } else { "end" });
            let percent = tick * 100.0;
            if tick < 1.0 {
                html.text(percent)
            } else {
                html.text("100 %")
            };
            html.close("text");
        }
        html.close("svg");
    }

    /// Lines at its places.
    pub(super) fn grid(self, html: &mut Html, height: u32) {
        for place in [0.0].into_iter().chain(self.ticks().map(|tick| self.place(tick))) {
            line(html, "grid", (place, place), (0.0, f64::from(height)));
        }
    }
}

/// A line, by the places of its ends.
pub(super) fn line(html: &mut Html, class: impl Display, (from, to): (f64, f64), (top, bottom): (f64, f64)) {
    html.open("line").attr("class", class).at("x1", from).at("x2", to);
    html.attr("y1", format_args!("{top:.1}")).attr("y2", format_args!("{bottom:.1}")).close("line");
}

/// A text that stands at some place.
pub(super) fn text(
    html: &mut Html,
    class: impl Display,
    anchor: &'static str,
    (x, y): (f64, f64),
    text: impl Display,
) {
    html.open("text").attr("class", class).attr("text-anchor", anchor).at("x", x);
    html.attr("y", format_args!("{y:.1}")).text(text).close("text");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ratios_are_equal_distances() {
        let axis = ShareAxis::of([0.0, 0.0003, 0.5].into_iter());
        assert_eq!(axis.lowest, -4);
        let distance = |a: f64, b: f64| axis.place(b) - axis.place(a);
        assert!((distance(0.001, 0.01) - distance(0.05, 0.5)).abs() < 1e-9);
        assert_eq!((axis.place(0.0), axis.place(1.0)), (0.0, 1.0));
        assert!(axis.place(0.0001) > 0.0);
        assert_eq!(ShareAxis::of(std::iter::empty()).lowest, -1);
    }
}
