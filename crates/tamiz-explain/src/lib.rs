//! A request, the evidence of its flags beneath it, and what they mean: for a terminal ([`write()`]) and for a
//! page ([`html`]). Bytes that a document hides are masked here too, and nothing in a request can drive a
//! terminal or a browser.
//!
//! ```
//! use tamiz::{Canonicalizer, Config};
//!
//! let request = b"GET /?q=%3Cb%3E HTTP/1.1\r\nHost: ex.com\r\n\r\n";
//! let document = Canonicalizer::new(Config::default()).canonicalize_with_evidence(request);
//! let text = tamiz_explain::text("x.http", request, &document, 80);
//! assert!(text.contains("ANGLE"));
//! ```

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::string_slice
)]
#![cfg_attr(
    test,
    allow(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::string_slice,
        reason = "a test may fail loudly"
    )
)]

mod cells;
mod echo;
mod html;
mod lines;
mod list;
mod marks;
pub mod named;
mod rows;
pub mod style;
mod underline;
pub mod visible;
pub mod wrap;

use std::io::{self, Write};
use std::ops::Range;

use tamiz::{Document, Weight};

pub use html::html;
use marks::Mark;
use visible::harmless;

/// Writes the explanation of a request called `name`, in styles, for a terminal of so many columns. The
/// document has its evidence: it was made by
/// [`canonicalize_with_evidence`](tamiz::Canonicalizer::canonicalize_with_evidence).
pub fn write(
    out: &mut impl Write,
    name: &str,
    request: &[u8],
    document: &Document,
    columns: usize,
) -> io::Result<()> {
    write_pointed(out, name, request, document, &[], columns)
}

/// Writes the explanation of [`write()`], with what somebody else points at underlined too: names, and ranges of the
/// request.
pub fn write_pointed(
    out: &mut impl Write,
    name: &str,
    request: &[u8],
    document: &Document,
    pointed: &[(String, Vec<Range<usize>>)],
    columns: usize,
) -> io::Result<()> {
    let mut marks = marks::of(document);
    let strong = style::STRONG;
    writeln!(out, "{strong}{}{strong:#}: {}, {}", harmless(name), bytes(request.len()), tally(&marks))?;
    let flags = marks.len();
    marks.extend(pointed.iter().map(|(label, ranges)| Mark::pointed(label, ranges)));
    echo::write(out, request, document.secrets(), &marks, columns)?;
    marks.truncate(flags);
    list::write(out, &marks, columns)
}

/// Writes an explanation as text, without styles.
pub fn text(name: &str, request: &[u8], document: &Document, columns: usize) -> String {
    let mut out = anstream::StripStream::new(Vec::new());
    match write(&mut out, name, request, document, columns) {
        // Writing to memory does not fail, and what is written is text.
        Ok(()) => String::from_utf8_lossy(&out.into_inner()).into_owned(),
        Err(_) => String::new(),
    }
}

/// `1 byte`, `2 bytes`.
fn bytes(n: usize) -> String {
    format!("{n} byte{}", if n == 1 { "" } else { "s" })
}

/// How many flags of which weight, the most telling first.
fn tally(marks: &[Mark<'_>]) -> String {
    let counts: Vec<String> = Weight::ALL
        .iter()
        .rev()
        .map(|&weight| (weight, marks.iter().filter(|mark| mark.weight == weight).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(weight, count)| format!("{count} {weight}"))
        .collect();
    match marks.len() {
        0 => "no flags".to_owned(),
        1 => format!("1 flag: {}", counts.join(", ")),
        n => format!("{n} flags: {}", counts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use tamiz::{Canonicalizer, Config, Profile};

    use super::*;

    pub(crate) fn explain(request: &[u8], columns: usize) -> String {
        let mut config = Config::default();
        config.profile = Profile::Full;
        let document = Canonicalizer::new(config).canonicalize_with_evidence(request);
        text("x.http", request, &document, columns)
    }

    #[test]
    fn nothing_odd_is_one_line_and_the_echo() {
        assert_eq!(
            explain(b"GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n", 100),
            "x.http: 33 bytes, no flags\n\n1 │ GET /a HTTP/1.1\n2 │ Host: ex.com\n3 │\n"
        );
    }

    #[test]
    fn what_somebody_points_at_is_underlined() {
        let request = b"GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n";
        let document = Canonicalizer::new(Config::default()).canonicalize_with_evidence(request);
        let mut out = anstream::StripStream::new(Vec::new());
        let pointed = [("#1".to_owned(), vec![23..29, 900..901])];
        write_pointed(&mut out, "x.http", request, &document, &pointed, 100).unwrap();
        assert_eq!(
            String::from_utf8(out.into_inner()).unwrap(),
            "x.http: 33 bytes, no flags\n\n1 │ GET /a HTTP/1.1\n2 │ Host: ex.com\n  │       ^^^^^^ #1\n3 │\n"
        );
    }

    #[test]
    fn every_request_of_the_registry_is_explained_without_controls() {
        for &flag in tamiz::Flag::ALL {
            for request in [flag.raises(), flag.near_miss()] {
                let shown = explain(request, 60);
                assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown}");
            }
            assert!(explain(flag.raises(), 60).contains(flag.meaning().split(' ').next().unwrap()), "{flag}");
        }
    }
}
