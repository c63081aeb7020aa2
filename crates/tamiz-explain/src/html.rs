//! An explanation for a page: the request, its evidence marked, and what the flags mean.

use std::fmt::Write;
use std::ops::Range;

use tamiz::{Document, Weight};

use crate::cells::{self, Cell};
use crate::lines;
use crate::marks::{self, Mark};
use crate::visible::Glyph;
use crate::{bytes, tally};

/// How much of a request is shown.
const MOST_BYTES: usize = 32 * 1024;

/// Beside light text and dark: colours of the page itself, and marks that let them through.
const STYLE: &str = "\
.tamiz{font:13px/1.5 ui-monospace,monospace;color:inherit}\
.tamiz pre{margin:.5em 0;padding:.5em;white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #8884;\
border-radius:4px;background:none;color:inherit}\
.tamiz mark{color:inherit;border-bottom:2px solid;padding:0}\
.tamiz .evasion{background:#e0314530;border-color:#e03145}\
.tamiz .notable{background:#d9930030;border-color:#d99300}\
.tamiz .structural{background:#1098ad20;border-color:#1098ad}\
.tamiz .secret{opacity:.6}\
.tamiz dl{margin:.5em 0}.tamiz dt{font-weight:bold}.tamiz dt mark{padding:0 .3em}\
.tamiz dd{margin:0 0 .5em 1.5em;font-family:system-ui,sans-serif}";

/// The explanation as a fragment of HTML: `<div class="tamiz">`, without scripts and without anything that
/// is fetched. The document has its evidence.
pub fn html(request: &[u8], document: &Document) -> String {
    let marks = marks::of(document);
    let mut out = String::with_capacity(2 * request.len().min(MOST_BYTES) + 2048);
    out.push_str("<div class=\"tamiz\"><style>");
    out.push_str(STYLE);
    out.push_str("</style><div>");
    push_escaped(&mut out, &format!("{}, {}", bytes(request.len()), tally(&marks)));
    out.push_str("</div><pre>");
    push_request(&mut out, request, document.secrets(), &marks);
    out.push_str("</pre>");
    if !marks.is_empty() {
        push_list(&mut out, &marks);
    }
    out.push_str("</div>");
    out
}

/// Text without anything that a browser would read as markup.
fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

fn push_request(out: &mut String, request: &[u8], secrets: &[Range<usize>], marks: &[Mark<'_>]) {
    let shown = request.len().min(MOST_BYTES);
    let cut = lines::cut(request);
    let of_body = lines::of_body(request, cut.body);
    for line in cut.lines.iter().chain(&of_body) {
        if line.content.start >= shown {
            break;
        }
        // The line end belongs to the line: it may be evidence, and is shown where it is.
        let range = line.content.start..line.end.end.min(shown);
        let cells = cells::of(request, range, secrets);
        push_cells(out, &cells, &line.end, marks);
        out.push('\n');
    }
    let more = request.len().saturating_sub(shown);
    if more > 0 {
        let _ = write!(out, "… {} more", bytes(more));
    }
}

/// Cells in runs of the same evidence.
fn push_cells(out: &mut String, cells: &[Cell], end: &Range<usize>, marks: &[Mark<'_>]) {
    let here = |cell: &Cell| -> Vec<usize> {
        let flags = marks.iter().enumerate().filter(|(_, mark)| cell.is_in(&mark.ranges));
        flags.map(|(at, _)| at).collect()
    };
    let mut runs: Vec<(Vec<usize>, &[Cell])> = Vec::new();
    let mut start = 0;
    for (at, cell) in cells.iter().enumerate() {
        let of_cell = here(cell);
        match runs.last_mut() {
            Some((flags, run)) if *flags == of_cell => *run = cells.get(start..=at).unwrap_or_default(),
            _ => {
                start = at;
                runs.push((of_cell, cells.get(at..=at).unwrap_or_default()));
            }
        }
    }
    for (flags, run) in runs {
        let marked: Vec<&Mark<'_>> = flags.iter().filter_map(|at| marks.get(*at)).collect();
        let weight = marked.iter().map(|mark| mark.weight).max();
        if let Some(weight) = weight {
            let _ = write!(out, "<mark class=\"{weight}\" title=\"");
            let labels: Vec<&str> = marked.iter().map(|mark| mark.label.as_str()).collect();
            push_escaped(out, &labels.join(", "));
            out.push_str("\">");
        }
        for cell in run {
            // An ordinary line end is the end of the line.
            let is_end = cell.start >= end.start && weight.is_none();
            if cell.glyph == Glyph::Masked {
                out.push_str("<span class=\"secret\">•</span>");
            } else if !is_end {
                push_escaped(out, &cell.glyph.to_string());
            }
        }
        if weight.is_some() {
            out.push_str("</mark>");
        }
    }
}

fn push_list(out: &mut String, marks: &[Mark<'_>]) {
    out.push_str("<dl>");
    for &weight in Weight::ALL.iter().rev() {
        for mark in marks.iter().filter(|mark| mark.weight == weight) {
            let _ = write!(out, "<dt><mark class=\"{weight}\">");
            push_escaped(out, &mark.label);
            out.push_str("</mark></dt><dd>");
            let [meaning, why] = mark.texts();
            push_escaped(out, meaning);
            out.push_str("<br>");
            push_escaped(out, why);
            out.push_str("</dd>");
        }
    }
    out.push_str("</dl>");
}

#[cfg(test)]
mod tests {
    use tamiz::{Canonicalizer, Config, Flag, Profile};

    use super::*;

    fn page(request: &[u8]) -> String {
        let mut config = Config::default();
        config.profile = Profile::Full;
        html(request, &Canonicalizer::new(config).canonicalize_with_evidence(request))
    }

    #[test]
    fn evidence_is_marked_and_flags_are_explained() {
        let page = page(b"GET /?q=%3Cb%3E HTTP/1.1\r\nHost: ex.com\r\n\r\n");
        assert!(page.contains("title=\"ANGLE\">%3C</mark>"), "{page}");
        assert!(page.contains("An angle bracket, `&lt;` or `&gt;`."), "{page}");
    }

    #[test]
    fn nothing_of_a_request_is_markup() {
        let page =
            page(b"GET /<script>alert(1)</script>?\"onload=x&'y HTTP/1.1\r\nA: <img src=x>\r\n\r\n<b>");
        for markup in ["<script", "<img", "<b>", "\"onload"] {
            assert!(!page.contains(markup), "{markup} in {page}");
        }
    }

    #[test]
    fn secrets_are_masked() {
        let page = page(b"GET /?pwd=visionario HTTP/1.1\r\nAuthorization: Bearer visionario1\r\n\r\n");
        assert!(!page.contains("visionario") && page.contains("•"), "{page}");
    }

    #[test]
    fn every_request_of_the_registry_is_explained() {
        for &flag in Flag::ALL {
            let page = page(flag.raises());
            assert!(page.contains(flag.name()), "{flag}: {page}");
            let is_plain = |c: char| !c.is_control() || c == '\n';
            assert!(page.chars().all(is_plain), "{flag}: {page}");
        }
    }

    #[test]
    fn long_requests_are_cut() {
        let request = [b"GET /?q=".as_slice(), &b"'".repeat(1 << 20), b" HTTP/1.1\r\n\r\n"].concat();
        assert!(page(&request).len() < 16 * MOST_BYTES);
    }
}
