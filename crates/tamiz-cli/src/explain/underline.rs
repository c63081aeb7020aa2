//! The carets beneath a row, and the names beside them.

use std::io::{self, Write};

use tamiz::Weight;

use super::cells::Cell;
use super::marks::Mark;
use crate::style;
use crate::wrap::width;

/// One line of carets: the flags that have exactly this evidence here.
pub(super) struct Underline {
    /// For each column, whether a caret stands there.
    carets: Vec<bool>,
    names: Vec<(String, Weight)>,
}

impl Underline {
    /// The underlines of a row, from left to right; flags of equal evidence share one.
    pub(super) fn of(cells: &[Cell], marks: &[Mark<'_>]) -> Vec<Self> {
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
            let carets: Vec<bool> = cells
                .iter()
                .flat_map(|cell| std::iter::repeat_n(cell.is_in(evidence), cell.glyph.width()))
                .collect();
            let name = (mark.label(), mark.flag.weight());
            match underlines.iter_mut().find(|underline| underline.carets == carets) {
                Some(underline) => underline.names.push(name),
                None => underlines.push(Underline { carets, names: vec![name] }),
            }
        }
        underlines.sort_by_key(|underline| underline.from());
        underlines
    }

    /// The underline of a whole text.
    pub(super) fn whole(text: &str, marks: &[&Mark<'_>]) -> Self {
        Underline {
            carets: vec![true; width(text)],
            names: marks.iter().map(|mark| (mark.label(), mark.flag.weight())).collect(),
        }
    }

    fn from(&self) -> usize {
        self.carets.iter().take_while(|caret| !**caret).count()
    }

    fn to(&self) -> usize {
        self.carets.iter().rposition(|caret| *caret).map_or(0, |last| last + 1)
    }

    /// Draws it behind `gutter`, the names at the right of the carets where they fit in `columns`,
    /// else at the left, else below.
    pub(super) fn write(&self, out: &mut impl Write, gutter: &str, columns: usize) -> io::Result<()> {
        let names_width = self.names.iter().map(|(name, _)| width(name) + 1).sum::<usize>();
        let (from, to) = (self.from(), self.to());
        write!(out, "{gutter} ")?;
        if to + names_width <= columns {
            write!(out, "{:from$}", "")?;
            self.write_carets(out)?;
            write!(out, " ")?;
            self.write_names(out, usize::MAX, gutter)?;
        } else if names_width <= from {
            write!(out, "{:1$}", "", from - names_width)?;
            self.write_names(out, usize::MAX, gutter)?;
            write!(out, " ")?;
            self.write_carets(out)?;
        } else {
            write!(out, "{:from$}", "")?;
            self.write_carets(out)?;
            write!(out, "\n{gutter} ")?;
            self.write_names(out, columns, gutter)?;
        }
        writeln!(out)
    }

    fn write_carets(&self, out: &mut impl Write) -> io::Result<()> {
        let heaviest = self.names.iter().map(|(_, weight)| *weight).max().unwrap_or(Weight::Structural);
        let colour = style::weight(heaviest);
        let (from, to) = (self.from(), self.to());
        let carets: String = self
            .carets
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .map(|caret| if *caret { '^' } else { ' ' })
            .collect();
        write!(out, "{colour}{carets}{colour:#}")
    }

    /// Writes the names, and goes on in the next line before one that does not fit.
    fn write_names(&self, out: &mut impl Write, columns: usize, gutter: &str) -> io::Result<()> {
        let mut used = 0;
        for (name, weight) in &self.names {
            let colour = style::weight(*weight);
            if used > 0 && used + 1 + width(name) > columns {
                write!(out, "\n{gutter} ")?;
                used = 0;
            } else if used > 0 {
                write!(out, " ")?;
                used += 1;
            }
            write!(out, "{colour}{name}{colour:#}")?;
            used += width(name);
        }
        Ok(())
    }
}
