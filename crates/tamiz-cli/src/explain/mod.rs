//! `tamiz explain`: a request, the evidence of its flags beneath it, and what they mean.

mod cells;
mod echo;
mod lines;
mod list;
mod marks;
mod rows;
mod underline;

use std::io::{self, Write};
use std::process::ExitCode;

use tamiz::{Document, Weight};

use crate::args::ExplainArgs;
use crate::failure::Failure;
use crate::input::Source;
use crate::visible::harmless;
use crate::{config, output, style};
use marks::Mark;

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let canonicalizer = config::canonicalizer(&args.read)?;
    let source = Source::of(&args.file);
    let request = source.read()?;
    let document = canonicalizer.canonicalize_with_evidence(&request);
    let mut out = output::coloured(args.color.when);
    write(&mut out, &source.to_string(), &request, &document, output::columns())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn write(
    out: &mut impl Write,
    name: &str,
    request: &[u8],
    document: &Document,
    columns: usize,
) -> io::Result<()> {
    let marks = marks::of(document);
    let strong = style::STRONG;
    writeln!(out, "{strong}{}{strong:#}: {}, {}", harmless(name), bytes(request.len()), tally(&marks))?;
    echo::write(out, request, document.secrets(), &marks, columns)?;
    list::write(out, &marks, columns)
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
        .map(|&weight| (weight, marks.iter().filter(|mark| mark.flag.weight() == weight).count()))
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

    pub(super) fn explain(request: &[u8], columns: usize) -> String {
        let mut config = Config::default();
        config.profile = Profile::Full;
        let document = Canonicalizer::new(config).canonicalize_with_evidence(request);
        let mut out = anstream::StripStream::new(Vec::new());
        write(&mut out, "x.http", request, &document, columns).unwrap();
        String::from_utf8(out.into_inner()).unwrap()
    }

    #[test]
    fn nothing_odd_is_one_line_and_the_echo() {
        assert_eq!(
            explain(b"GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n", 100),
            "x.http: 33 bytes, no flags\n\n1 │ GET /a HTTP/1.1\n2 │ Host: ex.com\n3 │\n"
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
