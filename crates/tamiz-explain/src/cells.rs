//! The glyphs of a line, with the bytes they stand for. Secrets are masked here, before anything
//! is drawn.

use std::ops::Range;

use crate::visible::{Glyph, glyphs};

/// One glyph of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    /// The glyph that is shown.
    pub(crate) glyph: Glyph,
    /// Where its bytes start in the request.
    pub(crate) start: usize,
    /// How many they are.
    pub(crate) len: usize,
}

impl Cell {
    /// Returns whether one of the ranges, which are sorted and disjoint, holds a byte of it.
    pub(crate) fn is_in(self, ranges: &[Range<usize>]) -> bool {
        let at = ranges.partition_point(|range| range.end <= self.start);
        ranges.get(at).is_some_and(|range| range.start < self.start + self.len)
    }
}

/// The cells of a range of the request: one for each character, or for each byte that is not UTF-8
/// or belongs to a secret.
pub(crate) fn of(request: &[u8], range: Range<usize>, secrets: &[Range<usize>]) -> Vec<Cell> {
    let mut start = range.start;
    let mut cells = Vec::with_capacity(range.len());
    // Both are in order: what is behind a cell is behind all that follow.
    let behind = secrets.partition_point(|secret| secret.end <= start);
    let mut secrets = secrets.get(behind..).unwrap_or_default();
    for (glyph, len) in glyphs(request.get(range).unwrap_or_default()) {
        while let [first, rest @ ..] = secrets
            && first.end <= start
        {
            secrets = rest;
        }
        let cell = Cell { glyph, start, len };
        if secrets.first().is_some_and(|secret| secret.start < start + len) {
            cells.extend((start..start + len).map(|start| Cell { glyph: Glyph::Masked, start, len: 1 }));
        } else {
            cells.push(cell);
        }
        start += len;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(request: &[u8], secrets: &[Range<usize>]) -> String {
        of(request, 0..request.len(), secrets).iter().map(|cell| cell.glyph.to_string()).collect()
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "ranges are meant")]
    fn secrets_are_masked_byte_by_byte() {
        assert_eq!(shown(b"a=secret&b=2", &[2..8]), "a=••••••&b=2");
        assert_eq!(shown(b"a=secret&b=2", &[2..3, 5..6]), "a=•ec•et&b=2");
        assert_eq!(shown("añ\u{1B}\r".as_bytes(), &[2..4]), "a•••\\r", "a character is masked whole");
    }

    #[test]
    fn cells_cover_every_byte_once() {
        let request: Vec<u8> = (0..=255).chain("añ東\u{202E}".bytes()).collect();
        let mut at = 7;
        for cell in of(&request, 7..request.len(), &[20..30, 258..259]) {
            assert_eq!(cell.start, at);
            at += cell.len;
        }
        assert_eq!(at, request.len());
    }
}
