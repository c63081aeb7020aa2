//! A summary as one page that needs nothing else: no script, no font, no image, nothing from the network.

mod find;
mod flags;
mod hidden;
mod lengths;
mod overview;
mod paths;
mod plot;
pub(crate) mod scores;
mod section;
mod shapes;
pub(crate) mod time;

use std::sync::LazyLock;

use data_encoding::BASE64;
use sha2::{Digest, Sha256};

use self::section::Links;
use crate::about::About;
use crate::figures::{count, things};
use crate::markup::Html;
use crate::series::AllSeries;
use crate::summary::{MOST_DOCUMENTS, MOST_KEYS, MOST_PAIRS, MOST_TEMPLATES, Summary};

/// The style: the colours of both themes stand in it twice, for the system's choice and for the reader's.
static STYLE: LazyLock<String> = LazyLock::new(|| {
    let (light, dark) = (include_str!("light.css").trim_end(), include_str!("dark.css").trim_end());
    include_str!("style.css").replace("/*light*/", light).replace("/*dark*/", dark)
});

/// The page. The same summary gives the same bytes.
pub fn page(summary: &Summary, about: &About) -> String {
    let series = AllSeries::of(summary, about.baseline.as_deref());
    let links = Links::of(summary, paths::ROWS);
    let mut html = Html::default();
    head(&mut html, about);
    header(&mut html, summary, about, &series);
    navigation(&mut html, summary, about, &series);
    html.raw("<main>");
    overview::write(&mut html, summary, &series);
    find::write(&mut html, summary, &series, &links);
    if let Some(model) = &about.model {
        scores::write(&mut html, summary, model, &series, &links);
    }
    flags::write(&mut html, summary, &series, &links);
    shapes::write(&mut html, summary, &series);
    paths::write(&mut html, summary, &series, &links);
    lengths::write(&mut html, summary, &series);
    time::write(&mut html, summary);
    hidden::write_secrets(&mut html, summary, &series);
    hidden::write_unreadable(&mut html, summary);
    how_to_read(&mut html, about, &series);
    html.raw("</main>");
    footer(&mut html, about);
    html.raw("</body></html>\n");
    html.finish()
}

fn title(about: &About) -> &str {
    about.title.as_deref().unwrap_or("What the requests are")
}

fn head(html: &mut Html, about: &About) {
    // Nothing is allowed but this very style, by its digest, and an icon that is nothing.
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        BASE64.encode(&Sha256::digest(STYLE.as_str()))
    );
    html.raw("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    html.open("meta").attr("http-equiv", "Content-Security-Policy").attr("content", policy);
    html.raw("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">");
    html.raw("<meta name=\"referrer\" content=\"no-referrer\"><link rel=\"icon\" href=\"data:,\">");
    html.element("title", "", title(about));
    html.raw("<style>").raw(STYLE.as_str()).raw("</style></head><body>");
}

fn header(html: &mut Html, summary: &Summary, about: &About, series: &AllSeries) {
    html.raw("<header><p class=\"over\">Tamiz report</p>").element("h1", "", title(about));
    html.raw("<p class=\"lede\">").text(things(summary.requests(), "request", "requests"));
    if let Some((base, others)) = series.compared() {
        html.text(format_args!(": {} {}", count(base.requests), base.name));
        for (at, other) in others.iter().enumerate() {
            let joint = if at + 1 == others.len() && series.left_out == 0 { " and " } else { ", " };
            html.text(joint).text(format_args!("{} {}", count(other.requests), other.name));
        }
        if series.left_out > 0 {
            html.text(format_args!(" and {}", things(series.left_out as u64, "more label", "more labels")));
        }
    } else if let Some(only) = series.shown.first().filter(|only| only.name != "requests") {
        html.text(format_args!(", all of them {}", only.name));
    }
    html.text(". Everything here is told from their canonical form, in which secrets are redacted.");
    html.raw("</p></header>");
}

fn navigation(html: &mut Html, summary: &Summary, about: &About, series: &AllSeries) {
    html.raw("<nav aria-label=\"Sections\"><div><ul tabindex=\"0\" aria-label=\"Sections\">");
    html.raw("<li><a href=\"#overview\">Overview</a></li><li><a href=\"#find\">Find</a></li>");
    if about.model.is_some() {
        html.raw("<li><a href=\"#scores\">Scores</a></li>");
    }
    html.raw("<li><a href=\"#flags\">Flags</a></li>");
    html.raw("<li><a href=\"#shapes\">Values</a></li><li><a href=\"#paths\">Paths</a></li>");
    html.raw("<li><a href=\"#lengths\">Lengths</a></li>");
    if !summary.times.is_empty() {
        html.raw("<li><a href=\"#time\">Time</a></li>");
    }
    html.raw("<li><a href=\"#secrets\">Secrets</a></li><li><a href=\"#unreadable\">Unreadable</a></li>");
    html.raw("<li><a href=\"#how\">How to read this</a></li></ul><div class=\"switches\">");
    if series.compared().is_some() {
        let names = series.shown.iter().map(|one| one.name.as_str());
        switch(html, "only", "Labels", ["all"].into_iter().chain(names));
    }
    switch(html, "theme", "Theme", ["system", "light", "dark"].into_iter());
    html.raw("</div></div></nav>");
}

/// Radio buttons, of which the first is chosen: what they do is in the style.
fn switch<'a>(html: &mut Html, name: &'static str, legend: &'static str, all: impl Iterator<Item = &'a str>) {
    html.open("fieldset").attr("class", name).element("legend", "", legend);
    for (at, choice) in all.enumerate() {
        html.raw("<label>").open("input").attr("type", "radio").attr("name", name);
        html.attr("id", format_args!("{name}-{at}"));
        if at == 0 {
            html.attr("checked", "");
        }
        html.element("span", "", choice).raw("</label>");
    }
    html.close("fieldset");
}

fn how_to_read(html: &mut Html, about: &About, series: &AllSeries) {
    section::open(html, "how", "How to read this");
    html.raw("<dl class=\"how\">");
    let mut entry = |term: &'static str, meaning: &dyn std::fmt::Display| {
        html.element("dt", "", term).element("dd", "", meaning);
    };
    entry(
        "Flag",
        &"The name of one oddity of a request, or of something telling in it. A request counts once for each flag it \
          raises; flags of words of a closed list, such as KW:sql, are counted word by word.",
    );
    entry(
        "Weight",
        &"Structural: ordinary traffic raises it. Notable: worth a look. Evasion: a spelling that honest clients do not use. \
          A family counts requests that have a flag of it that is not structural.",
    );
    if let Some((base, _)) = series.compared() {
        entry(
            "Lift",
            &format!(
                "The share of requests with a label over that of {}: (a + 0.5) / (A + 1) over (b + 0.5) / (B + 1), where a of A \
                 and b of B requests have it, so that a zero gives a finite number. It is grey where the 95 % interval of the \
                 ratio holds 1: then chance may be all there is. Flags are ordered by the end of that interval that is nearer \
                 to 1, so that a large lift of few requests does not come before a sure one.",
                base.name
            ),
        );
    }
    if about.model.is_some() {
        entry(
            "Score",
            &"How far a request is from what the model has learned: what is new or rare at its endpoint, and flags that \
              attacks raise more often. Reasons are tokens of the canonical form and counts; \u{201C}2,144 seen\u{201D} is how \
              often the place was seen.",
        );
    }
    entry(
        "Template",
        &"Method and path without what varies: <num> for numbers, <hex> for identifiers, markers without lengths, \
          <long> for segments of more than 48 characters.",
    );
    entry(
        "Lengths",
        &"Bins grow with the length: below 16 each length has its own, then there are 16 to each doubling, and neighbours are \
          joined where they would be too narrow. Rows have the same scale, and what is there at all has at least a pixel.",
    );
    entry(
        "Bounds",
        &format!(
            "At most {} templates, {} documents, {} keys and {} pairs of a flag and a template are told apart. Beyond that, the rarest are let go and counted \
             as others, and what was let go is said where it matters.",
            count(MOST_TEMPLATES as u64),
            count(MOST_DOCUMENTS as u64),
            count(MOST_KEYS as u64),
            count(MOST_PAIRS as u64)
        ),
    );
    html.raw("</dl>");
    section::close(html);
}

fn footer(html: &mut Html, about: &About) {
    html.raw("<footer><p>").text(format_args!(
        "Made by {}; view {}, profile {}; fingerprint ",
        about.program, about.view, about.profile
    ));
    html.element("code", "", &about.fingerprint).text(". ");
    if about.view == "literal" {
        html.text("In this view values are shown in clear: the page is not anonymous. ");
    }
    html.text("Documents with equal fingerprints are comparable.").raw("</p></footer>");
}
