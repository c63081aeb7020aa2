//! The carets beneath a row, and the names beside them.

use std::fmt::Display;
use std::io::{self, Write};
use std::ops::Range;

use anstyle::Style;
use tamiz::Weight;

use crate::cells::Cell;
use crate::marks::Mark;
use crate::style;
use crate::wrap::width;

/// One line of carets: the flags that have exactly this evidence here.
#[derive(Debug)]
pub(crate) struct Underline {
    /// The columns that have carets; sorted, disjoint.
    carets: Vec<Range<usize>>,
    names: Vec<(String, Weight)>,
}

impl Underline {
    /// The underlines of a row, from left to right; flags of equal evidence share one.
    pub(crate) fn of(cells: &[Cell], marks: &[Mark<'_>]) -> Vec<Self> {
        let (Some(first), Some(last)) = (cells.first(), cells.last()) else {
            return Vec::new();
        };
        let bytes = first.start..last.start + last.len;
        let mut underlines: Vec<Underline> = Vec::new();
        for mark in marks {
            let evidence = mark.within(bytes.clone());
            if evidence.is_empty() {
                continue;
            }
            let carets = columns_of(cells, evidence);
            let name = (mark.label_within(&bytes), mark.weight);
            match underlines.iter_mut().find(|underline| underline.carets == carets) {
                Some(underline) => underline.names.push(name),
                None => underlines.push(Underline { carets, names: vec![name] }),
            }
        }
        underlines.sort_by_key(|underline| underline.carets.first().map(|run| run.start));
        underlines
    }

    /// The underline of a whole text.
    pub(crate) fn whole(text: &str, marks: &[&Mark<'_>]) -> Self {
        Underline {
            carets: std::iter::once(0..width(text)).collect(),
            names: marks.iter().map(|mark| (mark.label.clone(), mark.weight)).collect(),
        }
    }

    /// Draws it behind `gutter`, the names beside the carets where they fit in `columns`, else
    /// below.
    pub(crate) fn write(&self, out: &mut impl Write, gutter: impl Display, columns: usize) -> io::Result<()> {
        let names = self.names_width();
        let room = self.room(names, columns);
        let colour =
            style::weight(self.names.iter().map(|(_, weight)| *weight).max().unwrap_or(Weight::Structural));
        let mut pen = Pen { out, column: 0 };
        write!(pen.out, "{gutter} ")?;
        for run in self.carets.iter().filter(|run| room.is_none_or(|room| run.start < room)) {
            pen.write(run.start, &"^".repeat(run.len()), colour)?;
        }
        let Some(room) = room else {
            return self.write_below(pen.out, gutter, columns);
        };
        let mut at = room;
        for (name, weight) in &self.names {
            pen.write(at, name, style::weight(*weight))?;
            at += width(name) + 1;
        }
        for run in self.carets.iter().filter(|run| run.start > room) {
            pen.write(run.start, &"^".repeat(run.len()), colour)?;
        }
        writeln!(pen.out)
    }

    fn names_width(&self) -> usize {
        self.names.iter().map(|(name, _)| width(name) + 1).sum::<usize>().saturating_sub(1)
    }

    /// The column for names of that width: at the right of the carets, else between them, as far
    /// to the right as can be, else at their left.
    fn room(&self, names: usize, columns: usize) -> Option<usize> {
        let ends = std::iter::once(0).chain(self.carets.iter().map(|run| run.end + 1));
        let starts = self.carets.iter().map(|run| run.start.saturating_sub(1)).chain([columns]);
        let gaps: Vec<(usize, usize)> = ends.zip(starts).collect();
        let fits = |(from, to): &&(usize, usize)| from + names <= *to;
        match gaps.split_first() {
            Some((left, rest)) => match rest.iter().rev().find(fits) {
                Some((from, _)) => Some(*from),
                None => Some(left).filter(fits).map(|(_, to)| to - names),
            },
            None => None,
        }
    }

    /// Ends the line, and writes the names in as many lines as they need.
    fn write_below(&self, out: &mut impl Write, gutter: impl Display, columns: usize) -> io::Result<()> {
        let mut pen = Pen { out, column: columns };
        for (name, weight) in &self.names {
            let mut at = pen.column + 1;
            if at + width(name) > columns {
                write!(pen.out, "\n{gutter} ")?;
                pen.column = 0;
                at = 0;
            }
            pen.write(at, name, style::weight(*weight))?;
        }
        writeln!(pen.out)
    }
}

/// The columns of the cells that evidence meets.
fn columns_of(cells: &[Cell], evidence: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut column = 0;
    for cell in cells {
        let end = column + cell.glyph.width();
        if cell.is_in(evidence) {
            match runs.last_mut().filter(|run| run.end == column) {
                Some(run) => run.end = end,
                None => runs.push(column..end),
            }
        }
        column = end;
    }
    runs
}

/// Writes at columns.
struct Pen<'w, W> {
    out: &'w mut W,
    column: usize,
}

impl<W: Write> Pen<'_, W> {
    fn write(&mut self, at: usize, text: &str, style: Style) -> io::Result<()> {
        write!(self.out, "{:1$}{style}{text}{style:#}", "", at.saturating_sub(self.column))?;
        self.column = at + width(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(carets: &[Range<usize>], names: &[&str]) -> String {
        let names = names.iter().map(|name| ((*name).to_owned(), Weight::Notable)).collect();
        let mut out = anstream::StripStream::new(Vec::new());
        Underline { carets: carets.to_vec(), names }.write(&mut out, "|", 20).unwrap();
        String::from_utf8(out.into_inner()).unwrap()
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "ranges are meant")]
    fn names_stand_where_they_fit() {
        assert_eq!(drawn(&[2..5], &["A", "BC"]), "|   ^^^ A BC\n");
        assert_eq!(drawn(&[2..5, 7..8], &["QUOTE"]), "|   ^^^  ^ QUOTE\n");
        assert_eq!(drawn(&[12..14], &["QUOTE"]), "|             ^^ QUOTE\n", "just fits");
        assert_eq!(drawn(&[12..15], &["QUOTE"]), "|       QUOTE ^^^\n");
        assert_eq!(drawn(&[0..2, 5..7, 14..18], &["QUOTE"]), "| ^^   ^^ QUOTE ^^^^\n");
        assert_eq!(drawn(&[0..18], &["QUOTE"]), "| ^^^^^^^^^^^^^^^^^^\n| QUOTE\n");
        assert_eq!(
            drawn(&[0..20], &["ABCDEFGHIJ", "KLMNOPQRS", "T"]),
            format!("| {}\n| ABCDEFGHIJ KLMNOPQRS\n| T\n", "^".repeat(20))
        );
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "ranges are meant")]
    fn carets_follow_what_is_shown() {
        let cells = super::super::cells::of("a\u{1B}東b".as_bytes(), 0..6, &[]);
        assert_eq!(columns_of(&cells, &[1..2]), [1..5]);
        assert_eq!(columns_of(&cells, &[2..5]), [5..7]);
        assert_eq!(columns_of(&cells, &[3..6]), [5..8]);
        assert_eq!(columns_of(&cells, &[0..1, 5..6]), [0..1, 7..8]);
    }
}
