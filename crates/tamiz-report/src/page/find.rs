//! An index: every flag and the most frequent paths, as links to their rows.

use tamiz::{Family, Flag};

use super::section::{self, Links};
use crate::figures::count;
use crate::markup::Html;
use crate::series::AllSeries;
use crate::summary::Summary;

pub(super) fn write(html: &mut Html, summary: &Summary, series: &AllSeries, links: &Links<'_>) {
    section::open(html, "find", "Find a flag or a path");
    html.raw("<p class=\"note\">Each name leads to its row: a flag names the paths that raise it, a path the flags that its requests raise.");
    if series.compared().is_some() {
        html.raw(" <em>Labels</em>, at the top, shows one label alone: what it never has goes away.");
    }
    html.raw("</p><details class=\"more\"><summary>Flags</summary>");
    for family in Family::ALL {
        let of = |name: &str| name.split(':').next().and_then(Flag::from_name);
        let all: Vec<_> = summary
            .flags
            .iter()
            .filter(|(name, _)| of(name).is_some_and(|flag| flag.family() == *family))
            .collect();
        if all.is_empty() {
            continue;
        }
        html.element("h3", "", family).raw("<ul class=\"index\">");
        for (name, tally) in all {
            html.open("li").attr("class", section::lacking(tally, series));
            section::flag_link(html, name);
            html.element("small", "", count(tally.total())).raw("</li>");
        }
        html.raw("</ul>");
    }
    html.raw("</details><details class=\"more\"><summary>Paths</summary><ul class=\"index\">");
    for (template, entry) in summary.templates.most().into_iter().take(super::paths::ROWS) {
        html.open("li").attr("class", section::lacking(&entry.tally, series));
        links.template(html, template);
        html.element("small", "", count(entry.tally.total())).raw("</li>");
    }
    html.raw("</ul></details>");
    section::close(html);
}
