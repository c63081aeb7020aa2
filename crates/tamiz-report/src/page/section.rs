//! Elements that sections share: they fold where the page is narrow, rows can be filtered by label, and names are links.
//!
//! The page has no script. A checkbox folds a section, radio buttons choose a label, and the style does the rest.

use std::collections::BTreeMap;

use crate::count::tally::Tally;
use crate::markup::Html;
use crate::series::AllSeries;
use crate::summary::Summary;

/// Begins a section.
pub(super) fn open(html: &mut Html, id: &'static str, title: &'static str) {
    html.open("section").attr("id", id).open("input");
    html.attr("type", "checkbox").attr("class", "fold").attr("id", format_args!("fold-{id}"));
    html.raw("<h2>").open("label").attr("for", format_args!("fold-{id}")).text(title).close("label");
    html.raw("</h2><div class=\"body\">");
}

/// Ends a section.
pub(super) fn close(html: &mut Html) {
    html.raw("</div></section>");
}

/// The classes of a row that labels have or lack: `no1` is not shown where only the second label is.
pub(super) fn lacking(tally: &Tally, series: &AllSeries) -> String {
    let lacked = series.shown.iter().enumerate().filter(|(_, one)| tally.get(one.label) == 0);
    lacked.map(|(at, _)| format!("no{at}")).collect::<Vec<_>>().join(" ")
}

/// A place such as `q.id`, told in words where it is pointed at.
pub(super) fn place(html: &mut Html, place: &str) {
    html.open("code").attr("title", in_words(place)).text(place).close("code");
}

fn in_words(place: &str) -> String {
    let (kind, key) = place.split_once('.').unwrap_or((place, ""));
    match (kind, key) {
        ("m", _) => "the method".to_owned(),
        ("u", _) => "the URL beside path and query: user, host, fragment".to_owned(),
        ("p", _) => "the path".to_owned(),
        ("q", "") => "a key of the query".to_owned(),
        ("q", key) => format!("the values of {key} in the query"),
        ("h", "") => "the name of a header".to_owned(),
        ("h", name) => format!("the header {name}"),
        ("b", "") => "the body itself, or a key in it".to_owned(),
        ("b", key) => format!("the values of {key} in the body"),
        _ => "a place of the request".to_owned(),
    }
}

/// The name of a flag's row: `flag-KW-sql`.
pub(super) fn flag_id(name: &str) -> String {
    format!("flag-{}", name.replace(':', "-"))
}

/// A link to the row of a flag.
pub(super) fn flag_link(html: &mut Html, name: &str) {
    html.open("a").attr("href", format_args!("#{}", flag_id(name))).element("code", "", name).close("a");
}

/// Flags by template, and templates by flag; and which templates have a row.
#[derive(Default)]
pub(super) struct Links<'a> {
    by_flag: BTreeMap<&'a str, Vec<(&'a str, &'a Tally)>>,
    by_template: BTreeMap<&'a str, Vec<(&'a str, &'a Tally)>>,
    rows: BTreeMap<&'a str, usize>,
}

impl<'a> Links<'a> {
    /// Finds them; `rows` templates, the most frequent, have a row.
    pub(super) fn of(summary: &'a Summary, rows: usize) -> Self {
        let mut links = Links::default();
        for (pair, entry) in summary.pairs.most() {
            if let Some((flag, template)) = pair.split_once(' ') {
                links.by_flag.entry(flag).or_default().push((template, &entry.tally));
                links.by_template.entry(template).or_default().push((flag, &entry.tally));
            }
        }
        let most = summary.templates.most();
        links.rows = most.iter().take(rows).enumerate().map(|(at, (name, _))| (name.as_str(), at)).collect();
        links
    }

    /// The templates whose requests raise a flag, the most frequent first.
    pub(super) fn templates(&self, flag: &str) -> &[(&'a str, &'a Tally)] {
        self.by_flag.get(flag).map_or(&[], Vec::as_slice)
    }

    /// The flags that the requests of a template raise, the most frequent first.
    pub(super) fn flags(&self, template: &str) -> &[(&'a str, &'a Tally)] {
        self.by_template.get(template).map_or(&[], Vec::as_slice)
    }

    /// The name of a template: a link where it has a row.
    pub(super) fn template(&self, html: &mut Html, template: &str) {
        match self.rows.get(template) {
            Some(at) => html
                .open("a")
                .attr("href", format_args!("#path-{at}"))
                .element("code", "", template)
                .close("a"),
            None => html.element("code", "", template),
        };
    }
}

/// A sentence with code between backquotes.
pub(super) fn in_code(html: &mut Html, sentence: &str) {
    for (at, piece) in sentence.split('`').enumerate() {
        if at % 2 == 0 {
            html.text(piece)
        } else {
            html.element("code", "", piece)
        };
    }
}
