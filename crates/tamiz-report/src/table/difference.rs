//! A comparison as tables.

use std::io::{self, Write};

use anstyle::Style;
use tamiz::Flag;
use tamiz_explain::style;
use tamiz_explain::visible::harmless;

use super::grid::Grid;
use crate::diff::{Diff, Row, change, changed_share};
use crate::figures::{count, per_cent, points, things, times};

/// Writes what differs in styles, for a terminal of so many columns, with at most `top` rows of each kind.
///
/// # Errors
/// When `out` does not take it.
pub fn diff_table(out: &mut impl Write, diff: &Diff, columns: usize, top: usize) -> io::Result<()> {
    let strong = style::STRONG;
    for (letter, side) in [("A", &diff.a), ("B", &diff.b)] {
        writeln!(
            out,
            "{strong}{letter}{strong:#}  {}: {}, {}, from {}, fingerprint {}",
            harmless(&side.name),
            things(side.requests, "request", "requests"),
            things(side.unreadable, "unreadable record", "unreadable records"),
            harmless(&if side.sources.is_empty() { "nobody".to_owned() } else { side.sources.join(", ") }),
            harmless(&side.fingerprint)
        )?;
    }
    if diff.a.fingerprint == diff.b.fingerprint {
        writeln!(out, "The fingerprints are equal: the documents are comparable.")?;
    } else {
        writeln!(out, "The fingerprints differ: a model of one does not fit the other.")?;
        if diff.a.sources != diff.b.sources {
            writeln!(
                out,
                "The sources differ: what a source does not hand over is missing from its documents."
            )?;
        }
    }
    if let Some(documents) = diff.documents {
        writeln!(
            out,
            "{} of {} changed ({}).",
            count(documents.changed),
            things(documents.compared, "document", "documents"),
            per_cent(changed_share(documents))
        )?;
    }
    if !diff.differs() {
        return writeln!(out, "Nothing differs.");
    }
    // The same requests have the same labels.
    if diff.labels.len() > 1 && diff.documents.is_none() {
        rows(out, "Labels", "label", &diff.labels, columns, top)?;
    }
    rows(out, "Flags", "flag", &diff.flags, columns, top)?;
    rows(out, "Path templates", "template", &diff.templates, columns, top)
}

fn rows(
    out: &mut impl Write,
    title: &str,
    name: &str,
    all: &[Row],
    columns: usize,
    top: usize,
) -> io::Result<()> {
    let strong = style::STRONG;
    writeln!(out, "\n{strong}{title}{strong:#}")?;
    let shown: Vec<&Row> = all.iter().filter(|row| row.is_shown()).collect();
    let mut head = vec![name.to_owned()];
    let moved = Moved::of(all);
    head.extend(["A", "share", "B", "share", "points", "B over A"].map(str::to_owned));
    head.extend(moved.heads().iter().map(|head| (*head).to_owned()));
    let mut grid = Grid::new(head);
    for row in shown.iter().take(top) {
        let flag = Flag::from_name(row.name.split(':').next().unwrap_or_default()).filter(|_| name == "flag");
        let colour = flag.map_or(Style::new(), |flag| style::weight(flag.weight()));
        let mut cells =
            vec![row.name.clone(), count(row.a), per_cent(row.a_share), count(row.b), per_cent(row.b_share)];
        cells.extend([points(change(row)), times(row.lift)]);
        cells.extend(moved.cells(row));
        grid.row(colour, cells);
    }
    if shown.is_empty() {
        writeln!(out, "  nothing is told apart")?;
    } else {
        grid.write(out, columns)?;
    }
    let (more, same) = (shown.len().saturating_sub(top), all.len() - shown.len());
    if more > 0 {
        writeln!(out, "  and {} more; '--top {}' shows them", count(more as u64), shown.len())?;
    }
    if same > 0 && !shown.is_empty() {
        let how = if moved == Moved::Nothing { "not told apart" } else { "the same" };
        writeln!(out, "  {} {how}", things(same as u64, "other is", "others are"))?;
    }
    Ok(())
}

/// How the documents of the same requests changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moved {
    Nothing,
    Flags,
    Documents,
}

impl Moved {
    fn of(rows: &[Row]) -> Self {
        match rows.first() {
            Some(row) if row.gained.is_some() => Moved::Flags,
            Some(row) if row.changed.is_some() => Moved::Documents,
            _ => Moved::Nothing,
        }
    }

    fn heads(self) -> &'static [&'static str] {
        match self {
            Moved::Nothing => &[],
            Moved::Flags => &["gained", "lost"],
            Moved::Documents => &["changed"],
        }
    }

    fn cells(self, row: &Row) -> Vec<String> {
        let n = |n: Option<u64>| count(n.unwrap_or(0));
        match self {
            Moved::Nothing => Vec::new(),
            Moved::Flags => vec![n(row.gained), n(row.lost)],
            Moved::Documents => vec![n(row.changed)],
        }
    }
}
