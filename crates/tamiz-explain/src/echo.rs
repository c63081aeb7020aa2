//! The request, line by line, with underlines.

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

use crate::bytes;
use crate::cells::{self, Cell};
use crate::lines::{self, Line};
use crate::marks::Mark;
use crate::rows::{self, Row};
use crate::style;
use crate::underline::Underline;
use crate::visible::{ELLIPSIS, Glyph};

/// The first lines of a body are shown,
const FIRST_LINES: usize = 8;
/// and of the others those where evidence begins or ends, at most so many lines in all.
const MOST_LINES: usize = 32;

/// The state with which every line is drawn.
struct Echo<'e> {
    request: &'e [u8],
    secrets: &'e [Range<usize>],
    marks: &'e [Mark<'e>],
    /// How many columns a row of the request has.
    columns: usize,
    /// The columns of a line number.
    digits: usize,
}

/// Writes a request. A body that is hidden as a whole is told by its length alone.
pub(crate) fn write(
    out: &mut impl Write,
    request: &[u8],
    secrets: &[Range<usize>],
    marks: &[Mark<'_>],
    columns: usize,
) -> io::Result<()> {
    let cut = lines::cut(request);
    let hidden = secrets.iter().any(|secret| secret.start <= cut.body.start && cut.body.end <= secret.end);
    let body = if hidden { Vec::new() } else { lines::of_body(request, cut.body.clone()) };
    let digits = (cut.lines.len() + body.len()).max(1).ilog10() as usize + 1;
    let columns = columns.saturating_sub(digits + 3).max(Glyph::Escaped(char::MAX).width());
    let echo = Echo { request, secrets, marks, columns, digits };
    if !request.is_empty() {
        writeln!(out)?;
    }
    for (line, number) in cut.lines.iter().zip(1..) {
        echo.line(out, line, number)?;
    }
    if hidden {
        return echo.hidden_body(out, cut.body);
    }
    echo.body(out, &body, cut.lines.len() + 1)
}

impl Echo<'_> {
    fn line(&self, out: &mut impl Write, line: &Line, number: usize) -> io::Result<()> {
        let range = line.content.start..if self.shows_end(line) { line.end.end } else { line.content.end };
        let cells = cells::of(self.request, range.clone(), self.secrets);
        let edges = self.edges(&range);
        let is_edge = |cell: &Cell| {
            let start = cell.start - range.start;
            edges.get(start..start + cell.len).is_some_and(|bytes| bytes.contains(&true))
        };
        let edge_at = |at: usize| cells.get(at).is_some_and(is_edge);
        let mut gutter = Gutter { number: Some(number), ..self.gutter('│') };
        for row in rows::of(&cells, self.columns, edge_at) {
            match row {
                Row::Shown(row) => self.row(out, gutter, cells.get(row).unwrap_or_default())?,
                Row::Skipped(row) => {
                    let skipped = cells.get(row).unwrap_or_default();
                    let start = skipped.first().map_or(0, |cell| cell.start);
                    let end = skipped.last().map_or(0, |cell| cell.start + cell.len);
                    self.skipped(out, &bytes(end - start), start..end)?;
                }
            }
            gutter = self.gutter('┆');
        }
        Ok(())
    }

    /// The bytes of a range at which evidence begins or ends.
    fn edges(&self, range: &Range<usize>) -> Vec<bool> {
        let mut edges = vec![false; range.len()];
        for evidence in self.marks.iter().flat_map(|mark| mark.within(range.clone())) {
            for at in [Some(evidence.start), evidence.end.checked_sub(1)].into_iter().flatten() {
                if let Some(edge) = at.checked_sub(range.start).and_then(|at| edges.get_mut(at)) {
                    *edge = true;
                }
            }
        }
        edges
    }

    /// A line end is shown where it is what raised a flag.
    fn shows_end(&self, line: &Line) -> bool {
        self.marks.iter().any(|mark| {
            mark.within(line.end.clone())
                .iter()
                .any(|evidence| evidence.start >= line.end.start || line.content.is_empty())
        })
    }

    fn row(&self, out: &mut impl Write, gutter: Gutter, cells: &[Cell]) -> io::Result<()> {
        write!(out, "{gutter}")?;
        if !cells.is_empty() {
            write!(out, " ")?;
        }
        for run in cells.chunk_by(|a, b| look(a.glyph) == look(b.glyph)) {
            let look = run.first().map_or(style::FAINT, |cell| look(cell.glyph));
            write!(out, "{look}")?;
            run.iter().try_for_each(|cell| write!(out, "{}", cell.glyph))?;
            write!(out, "{look:#}")?;
        }
        writeln!(out)?;
        for underline in Underline::of(cells, self.marks) {
            underline.write(out, self.gutter('│'), self.columns)?;
        }
        Ok(())
    }

    /// Tells how much is left out, and which flags have evidence in it that is shown nowhere.
    fn skipped(&self, out: &mut impl Write, length: &str, skipped: Range<usize>) -> io::Result<()> {
        let faint = style::FAINT;
        write!(out, "{} {faint}{ELLIPSIS} {length}", self.gutter('┆'))?;
        let mut before = " more, with ";
        for mark in self.marks {
            if has_edge(&skipped, mark.within(skipped.clone())) {
                write!(out, "{before}{}", mark.label)?;
                before = " ";
            }
        }
        writeln!(out, "{faint:#}")
    }

    fn body(&self, out: &mut impl Write, lines: &[Line], first_number: usize) -> io::Result<()> {
        let mut shown = 0;
        // The lines since the last one that was shown.
        let mut skipped = 0..0;
        for (at, line) in lines.iter().enumerate() {
            let range = line.content.start..line.end.end;
            let telling = at < FIRST_LINES
                || self.marks.iter().any(|mark| has_edge(&range, mark.within(range.clone())));
            if !telling || shown == MOST_LINES {
                skipped.end = at + 1;
                continue;
            }
            self.skipped_lines(out, lines.get(skipped).unwrap_or_default())?;
            skipped = at + 1..at + 1;
            self.line(out, line, first_number + at)?;
            shown += 1;
        }
        self.skipped_lines(out, lines.get(skipped).unwrap_or_default())
    }

    fn skipped_lines(&self, out: &mut impl Write, lines: &[Line]) -> io::Result<()> {
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
            return Ok(());
        };
        let range = first.content.start..last.end.end;
        let many = if lines.len() == 1 { "" } else { "s" };
        self.skipped(out, &format!("{} line{many}, {}", lines.len(), bytes(range.len())), range)
    }

    fn hidden_body(&self, out: &mut impl Write, body: Range<usize>) -> io::Result<()> {
        if body.is_empty() {
            return Ok(());
        }
        let faint = style::FAINT;
        let text = format!("[body: {}]", bytes(body.len()));
        let gutter = self.gutter('│');
        writeln!(out, "{gutter} {faint}{text}{faint:#}")?;
        let marks: Vec<&Mark<'_>> =
            self.marks.iter().filter(|mark| !mark.within(body.clone()).is_empty()).collect();
        if marks.is_empty() {
            return Ok(());
        }
        Underline::whole(&text, &marks).write(out, gutter, self.columns)
    }

    /// A gutter without a number.
    fn gutter(&self, bar: char) -> Gutter {
        Gutter { number: None, digits: self.digits, bar }
    }
}

/// What is before each row: the number of the line where it begins one, and a bar.
#[derive(Clone, Copy)]
struct Gutter {
    number: Option<usize>,
    /// The columns of the number.
    digits: usize,
    bar: char,
}

impl fmt::Display for Gutter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gutter { number, digits, bar } = *self;
        let faint = style::FAINT;
        match number {
            Some(number) => write!(f, "{faint}{number:>digits$} {bar}{faint:#}"),
            None => write!(f, "{faint}{:digits$} {bar}{faint:#}", ""),
        }
    }
}

/// Returns whether evidence begins or ends in a range of bytes.
fn has_edge(bytes: &Range<usize>, evidence: &[Range<usize>]) -> bool {
    evidence
        .iter()
        .any(|range| bytes.contains(&range.start) || (bytes.start < range.end && range.end <= bytes.end))
}

fn look(glyph: Glyph) -> anstyle::Style {
    match glyph {
        Glyph::Plain(_) => anstyle::Style::new(),
        Glyph::Masked => style::SECRET,
        Glyph::Letter(_) | Glyph::Escaped(_) | Glyph::Byte(_) => style::FAINT,
    }
}

#[cfg(test)]
mod tests {
    use tamiz::{Canonicalizer, Config};

    use super::*;
    use crate::marks;

    /// The echo of a request in which only these ranges are hidden.
    fn echoed(request: &[u8], secrets: &[Range<usize>]) -> String {
        let document = Canonicalizer::new(Config::default()).canonicalize_with_evidence(request);
        let mut out = anstream::StripStream::new(Vec::new());
        write(&mut out, request, secrets, &marks::of(&document), 60).unwrap();
        String::from_utf8(out.into_inner()).unwrap()
    }

    const HEAD: &str = "POST / HTTP/1.1\r\nHost: ex.com\r\nTransfer-Encoding: chunked\r\n\r\n";

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "a range is meant")]
    fn bodies_are_lines_like_the_others() {
        let request = format!("{HEAD}3;x=y\r\npwd\r\n0\r\nX-A: 1\r\n\r\n");
        let at = request.find("pwd").unwrap();
        let shown = echoed(request.as_bytes(), &[at..at + 3]);
        let body = shown.split("4 │\n").nth(1).unwrap();
        let expected = "\
5 │ 3;x=y
  │ ^^^^^ CHUNKEXT
6 │ •••
7 │ 0
8 │ X-A: 1
  │ ^^^^^^ TRAILER
9 │
";
        assert_eq!(body, expected, "{shown}");
    }

    #[test]
    fn a_body_that_is_hidden_is_told_by_its_length() {
        let request = format!("{HEAD}3\r\npwd\r\n0\r\n\r\n");
        let all = HEAD.len()..request.len();
        let shown = echoed(request.as_bytes(), &[all]);
        assert!(shown.ends_with("4 │\n  │ [body: 13 bytes]\n"), "{shown}");
        let none = HEAD.len()..HEAD.len();
        assert!(echoed(HEAD.as_bytes(), &[none]).ends_with("4 │\n"));
        assert!(echoed(HEAD.as_bytes(), &[]).ends_with("4 │\n"));
    }

    #[test]
    fn long_bodies_are_cut() {
        let filler = "1\r\nz\r\n".repeat(500);
        let request = format!("{HEAD}{filler}1;odd=1\r\nz\r\n0\r\n\r\n");
        let shown = echoed(request.as_bytes(), &[]);
        assert!(shown.lines().count() < 30, "{shown}");
        let expected = "     ┆ … 992 lines, 2976 bytes\n1005 │ 1;odd=1\n     │ ^^^^^^^ CHUNKEXT\n";
        assert!(shown.contains(expected), "{shown}");
        assert!(shown.ends_with("     ┆ … 3 lines, 8 bytes\n"), "{shown}");
        let odd = format!("{HEAD}{}0\r\n\r\n", "1;odd=1\r\nz\r\n".repeat(500));
        let shown = echoed(odd.as_bytes(), &[]);
        assert!(shown.lines().count() < 120, "{shown}");
        assert!(shown.trim_end().ends_with("bytes more, with CHUNKEXT"), "{shown}");
    }
}
