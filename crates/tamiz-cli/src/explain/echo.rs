//! The request, line by line, with underlines.

use std::io::{self, Write};
use std::ops::Range;

use super::bytes;
use super::cells::{self, Cell};
use super::lines::{self, Line};
use super::marks::Mark;
use super::rows::{self, Row};
use super::underline::Underline;
use crate::style;
use crate::visible::{ELLIPSIS, Glyph};

/// What every line is drawn with.
struct Echo<'e> {
    request: &'e [u8],
    secrets: &'e [Range<usize>],
    marks: &'e [Mark<'e>],
    /// How many columns a row of the request has.
    columns: usize,
    /// The columns of a line number.
    digits: usize,
}

/// Writes a request. Its body is told by length alone.
pub(super) fn write(
    out: &mut impl Write,
    request: &[u8],
    secrets: &[Range<usize>],
    marks: &[Mark<'_>],
    columns: usize,
) -> io::Result<()> {
    let cut = lines::cut(request);
    let digits = cut.lines.len().max(1).ilog10() as usize + 1;
    let columns = columns.saturating_sub(digits + 3).max(Glyph::Escaped(char::MAX).width());
    let echo = Echo { request, secrets, marks, columns, digits };
    if !request.is_empty() {
        writeln!(out)?;
    }
    for (line, number) in cut.lines.iter().zip(1..) {
        echo.line(out, line, number)?;
    }
    echo.body(out, cut.body)
}

impl Echo<'_> {
    fn line(&self, out: &mut impl Write, line: &Line, number: usize) -> io::Result<()> {
        let range = line.content.start..if self.shows_end(line) { line.end.end } else { line.content.end };
        let cells = cells::of(self.request, range.clone(), self.secrets);
        let here: Vec<&[Range<usize>]> = self.marks.iter().map(|mark| mark.within(range.clone())).collect();
        let edge_at = |at: usize| {
            cells.get(at).is_some_and(|cell| here.iter().any(|evidence| is_edge(*cell, evidence)))
        };
        let digits = self.digits;
        let mut gutter = format!("{number:>digits$} │");
        for row in rows::of(&cells, self.columns, edge_at) {
            match row {
                Row::Shown(row) => self.row(out, &gutter, cells.get(row).unwrap_or_default())?,
                Row::Skipped(row) => self.skipped(out, cells.get(row).unwrap_or_default())?,
            }
            gutter = self.gutter('┆');
        }
        Ok(())
    }

    /// A line end is shown where it is what raised a flag.
    fn shows_end(&self, line: &Line) -> bool {
        self.marks.iter().any(|mark| {
            mark.within(line.end.clone())
                .iter()
                .any(|evidence| evidence.start >= line.end.start || line.content.is_empty())
        })
    }

    fn row(&self, out: &mut impl Write, gutter: &str, cells: &[Cell]) -> io::Result<()> {
        let faint = style::FAINT;
        write!(out, "{faint}{gutter}{faint:#}")?;
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
        let gutter = format!("{faint}{}{faint:#}", self.gutter('│'));
        for underline in Underline::of(cells, self.marks) {
            underline.write(out, &gutter, self.columns)?;
        }
        Ok(())
    }

    /// Tells how much is left out, and which flags have evidence in it that is shown nowhere.
    fn skipped(&self, out: &mut impl Write, cells: &[Cell]) -> io::Result<()> {
        let faint = style::FAINT;
        let length = cells.iter().map(|cell| cell.len).sum();
        write!(out, "{faint}{} {ELLIPSIS} {}", self.gutter('┆'), bytes(length))?;
        let mut before = " more, with ";
        for mark in self.marks {
            let first = cells.first().map_or(0, |cell| cell.start);
            let evidence = mark.within(first..first + length);
            if cells.iter().any(|cell| is_edge(*cell, evidence)) {
                write!(out, "{before}{}", mark.label)?;
                before = " ";
            }
        }
        writeln!(out, "{faint:#}")
    }

    fn body(&self, out: &mut impl Write, body: Range<usize>) -> io::Result<()> {
        if body.is_empty() {
            return Ok(());
        }
        let faint = style::FAINT;
        let text = format!("[body: {}]", bytes(body.len()));
        let gutter = format!("{faint}{}{faint:#}", self.gutter('│'));
        writeln!(out, "{gutter} {faint}{text}{faint:#}")?;
        let marks: Vec<&Mark<'_>> =
            self.marks.iter().filter(|mark| !mark.within(body.clone()).is_empty()).collect();
        if marks.is_empty() {
            return Ok(());
        }
        Underline::whole(&text, &marks).write(out, &gutter, self.columns)
    }

    fn gutter(&self, bar: char) -> String {
        format!("{:1$} {bar}", "", self.digits)
    }
}

/// Whether evidence begins or ends in a cell.
fn is_edge(cell: Cell, evidence: &[Range<usize>]) -> bool {
    let bytes = cell.start..cell.start + cell.len;
    let at = evidence.partition_point(|range| range.end <= bytes.start);
    evidence.get(at).is_some_and(|range| {
        bytes.contains(&range.start) || (range.end > bytes.start && range.end <= bytes.end)
    })
}

fn look(glyph: Glyph) -> anstyle::Style {
    match glyph {
        Glyph::Plain(_) => anstyle::Style::new(),
        Glyph::Masked => style::SECRET,
        Glyph::Letter(_) | Glyph::Escaped(_) | Glyph::Byte(_) => style::FAINT,
    }
}
