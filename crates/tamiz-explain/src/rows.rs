//! A long line in rows: those where evidence begins or ends, and the first. The rest is counted.

use std::ops::Range;

use crate::cells::Cell;

/// At most so many rows of one line are shown.
const MOST_ROWS: usize = 8;

/// The pieces of a line, in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// These cells.
    Shown(Range<usize>),
    /// Nothing of these cells but how many bytes they are.
    Skipped(Range<usize>),
}

/// Cuts cells into rows of at most `columns`. `is_edge` tells the cells where evidence begins or
/// ends.
pub(crate) fn of(cells: &[Cell], columns: usize, is_edge: impl Fn(usize) -> bool) -> Vec<Row> {
    let chunks = chunks(cells, columns);
    let telling: Vec<bool> =
        chunks.iter().enumerate().map(|(at, chunk)| at == 0 || chunk.clone().any(&is_edge)).collect();
    let is_telling = |at: usize| telling.get(at).copied().unwrap_or(true);
    let mut rows: Vec<Row> = Vec::new();
    let mut shown = 0;
    for (at, chunk) in chunks.into_iter().enumerate() {
        // To say that a single row is left out would take a row too.
        let alone = at > 0 && is_telling(at - 1) && is_telling(at + 1);
        if shown < MOST_ROWS && (is_telling(at) || alone) {
            shown += 1;
            rows.push(Row::Shown(chunk));
        } else if let Some(Row::Skipped(skipped)) = rows.last_mut() {
            skipped.end = chunk.end;
        } else {
            rows.push(Row::Skipped(chunk));
        }
    }
    rows
}

/// Runs of cells that fit.
fn chunks(cells: &[Cell], columns: usize) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut used = 0;
    for (at, cell) in cells.iter().enumerate() {
        let width = cell.glyph.width();
        if used + width > columns && at > start {
            chunks.push(start..at);
            start = at;
            used = 0;
        }
        used += width;
    }
    chunks.push(start..cells.len());
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells;

    fn rows(line: &str, edges: &[usize]) -> Vec<Row> {
        let cells = cells::of(line.as_bytes(), 0..line.len(), &[]);
        of(&cells, 10, |at| edges.contains(&at))
    }

    #[test]
    fn short_lines_are_one_row() {
        assert_eq!(rows("", &[]), [Row::Shown(0..0)]);
        assert_eq!(rows("0123456789", &[3]), [Row::Shown(0..10)]);
    }

    #[test]
    fn long_lines_show_where_evidence_begins_and_ends() {
        let line = "x".repeat(95);
        assert_eq!(rows(&line, &[]), [Row::Shown(0..10), Row::Skipped(10..95)]);
        assert_eq!(
            rows(&line, &[35, 71]),
            [
                Row::Shown(0..10),
                Row::Skipped(10..30),
                Row::Shown(30..40),
                Row::Skipped(40..70),
                Row::Shown(70..80),
                Row::Skipped(80..95),
            ]
        );
    }

    #[test]
    fn rows_have_a_limit() {
        let line = "x".repeat(1000);
        let rows = rows(&line, &(0..1000).collect::<Vec<_>>());
        assert_eq!(rows.len(), MOST_ROWS + 1);
        assert_eq!(rows.last(), Some(&Row::Skipped(80..1000)));
    }

    #[test]
    fn a_single_row_is_not_left_out() {
        assert_eq!(rows(&"x".repeat(13), &[]), [Row::Shown(0..10), Row::Shown(10..13)]);
        let bridged = [Row::Shown(0..10), Row::Shown(10..20), Row::Shown(20..30), Row::Skipped(30..50)];
        assert_eq!(rows(&"x".repeat(50), &[25]), bridged);
    }

    #[test]
    fn escapes_are_not_cut() {
        let shown = [Row::Shown(0..1), Row::Shown(1..4), Row::Shown(4..5)];
        assert_eq!(rows("\u{202E}\u{202E}abc", &[1]), shown);
    }
}
