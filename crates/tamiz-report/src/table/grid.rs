//! Rows of cells in columns: the first to the left, the others to the right, as wide as they need to be.

use std::io::{self, Write};

use anstyle::Style;
use tamiz_explain::style;
use tamiz_explain::visible::{Glyph, harmless};

/// Replaces the rest of a text that is too long.
const CUT: &str = "...";
/// The first column is not squeezed into less.
const FEWEST: usize = 20;

/// A table under way.
pub(super) struct Grid {
    head: Vec<String>,
    rows: Vec<(Style, Vec<String>)>,
}

impl Grid {
    pub(super) fn new(head: impl IntoIterator<Item = String>) -> Self {
        Grid { head: shown(head), rows: Vec::new() }
    }

    /// Adds a row, with a colour for its first cell.
    pub(super) fn row(&mut self, style: Style, cells: impl IntoIterator<Item = String>) {
        self.rows.push((style, shown(cells)));
    }

    /// Writes it in at most so many columns, if the first column can be cut for that.
    pub(super) fn write(&self, out: &mut impl Write, columns: usize) -> io::Result<()> {
        let count = self.head.len();
        let cells = |at: usize| {
            self.rows.iter().map(|(_, row)| row).chain([&self.head]).filter_map(move |row| row.get(at))
        };
        let widths: Vec<usize> =
            (0..count).map(|at| cells(at).map(|cell| width(cell)).max().unwrap_or(0)).collect();
        let others: usize = widths.iter().skip(1).map(|width| width + 2).sum();
        let first = widths.first().copied().unwrap_or(0).min(columns.saturating_sub(others + 2).max(FEWEST));
        let mut line = |style: Style, row: &[String]| -> io::Result<()> {
            let name = cut(row.first().map_or("", String::as_str), first);
            // Nothing is padded at the end of a line.
            let pad = if row.len() > 1 { first.saturating_sub(width(&name)) } else { 0 };
            write!(out, "  {style}{name}{style:#}{:pad$}", "")?;
            for (cell, wide) in row.iter().zip(&widths).skip(1) {
                write!(out, "  {:pad$}{cell}", "", pad = wide.saturating_sub(width(cell)))?;
            }
            writeln!(out)
        };
        line(style::FAINT, &self.head)?;
        self.rows.iter().try_for_each(|(style, row)| line(*style, row))
    }
}

/// Cells in which nothing drives a terminal.
fn shown(cells: impl IntoIterator<Item = String>) -> Vec<String> {
    cells.into_iter().map(|cell| harmless(&cell)).collect()
}

/// The columns that a harmless text takes. Its backslashes are single ones.
fn width(text: &str) -> usize {
    text.chars().map(|c| if c == '\\' { 1 } else { Glyph::of(c).width() }).sum()
}

/// A text in so many columns: what is too long loses its middle, since paths differ at their ends.
fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(CUT.len());
    let fit = |chars: &mut dyn Iterator<Item = char>, room: usize| -> Vec<char> {
        let mut used = 0;
        chars
            .take_while(|c| {
                used += width(c.encode_utf8(&mut [0; 4]));
                used <= room
            })
            .collect()
    };
    let tail = fit(&mut text.chars().rev(), room / 2);
    let head = fit(&mut text.chars(), room - room / 2);
    head.into_iter().chain(CUT.chars()).chain(tail.into_iter().rev()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_fit() {
        let mut grid = Grid::new(["name", "n"].map(str::to_owned));
        grid.row(Style::new(), ["a".to_owned(), "1".to_owned()]);
        grid.row(Style::new(), ["x".repeat(100), "12,345".to_owned()]);
        grid.row(Style::new(), ["\u{1B}[31m\u{202E}".to_owned(), "7".to_owned()]);
        let mut out = anstream::StripStream::new(Vec::new());
        grid.write(&mut out, 40).unwrap();
        let text = String::from_utf8(out.into_inner()).unwrap();
        assert!(text.lines().all(|line| line.chars().count() == 40), "{text}");
        assert!(text.contains("xxx...xxx") && text.contains("\\x1B[31m\\u{202E}"), "{text}");
    }
}
