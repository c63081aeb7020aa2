//! Formats of one record a line: many lines are cut off at once, and read on whatever thread.

use std::sync::Arc;

use crate::chunk::Chunk;
use crate::mapping::Mapping;
use crate::memory::{self, Promise};
use crate::record::{Found, Reason};
use crate::table::Table;
use crate::window::Window;
use crate::{access_log, compressed, jsonl, urls};

/// The format of lines, with all that is known of them beforehand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineFormat {
    Jsonl(Arc<Mapping>),
    AccessLog(Arc<Mapping>),
    Table(Arc<Table>),
    Urls,
}

/// The copies of a line that are made of it by those who do not parse it.
const COPIES: usize = 4;

/// Reads one line; `None` for a blank one, or one that is of no request by its own account.
pub(crate) fn read(line: &[u8], format: &LineFormat, limit: usize) -> Option<Result<Found, Reason>> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return None;
    }
    if line.len() > limit {
        return Some(Err(too_long(limit)));
    }
    let Some(_promise) = Promise::for_copies(line.len(), COPIES) else {
        return Some(Err(memory::REASON.into()));
    };
    match format {
        LineFormat::Jsonl(mapping) => Some(jsonl::read(line, mapping)),
        LineFormat::AccessLog(mapping) => access_log::read(line, mapping),
        LineFormat::Table(table) => table.read(line),
        LineFormat::Urls => urls::read(line),
    }
}

/// The byte order mark that some programs put before UTF-8.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Cuts an input into pieces of whole lines.
pub(crate) struct LineReader {
    window: Window,
    format: LineFormat,
    limit: usize,
    /// The number of the line that the window begins with.
    line: u64,
    is_over: bool,
}

/// Some lines, or what cannot be read.
pub(crate) enum Piece {
    Lines { bytes: Vec<u8>, first: u64 },
    Unreadable { line: u64, reason: Reason },
}

impl LineReader {
    pub(crate) fn new(mut window: Window, format: LineFormat, limit: usize) -> Self {
        if window.starts_with(BOM) {
            window.consume(BOM.len());
        }
        LineReader { window, format, limit, line: 1, is_over: false }
    }

    pub(crate) fn format(&self) -> LineFormat {
        self.format.clone()
    }

    /// The most bytes that a line may have.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn next_piece(&mut self) -> Option<Piece> {
        if self.is_over {
            return None;
        }
        self.note_columns();
        let is_more = self.window.fill(Chunk::BYTES.min(self.limit));
        let mut end = memchr::memrchr(b'\n', self.window.bytes());
        while is_more && end.is_none() && self.window.bytes().len() <= self.limit {
            // Only what is new has to be looked at, but a line this long is rare.
            if !self.window.read_more() {
                break;
            }
            end = memchr::memchr(b'\n', self.window.bytes());
        }
        let first = self.line;
        if let (Some(last), LineFormat::Table(_)) = (end, &self.format)
            && let Some(cut) =
                self.window.bytes().get(..last).and_then(|whole| memchr::memmem::find(whole, b"\n#"))
        {
            // Without `take`, which copies what is behind: there may be many such pieces.
            let len = cut.saturating_add(1);
            let bytes = self.window.bytes().get(..len).unwrap_or_default().to_vec();
            self.window.consume(len);
            self.line = first.saturating_add(memchr::memchr_iter(b'\n', &bytes).count() as u64);
            return Some(Piece::Lines { bytes, first });
        }
        if let Some(end) = end {
            let len = end.saturating_add(1);
            let bytes = self.window.take(len);
            self.line = first.saturating_add(memchr::memchr_iter(b'\n', &bytes).count() as u64);
            return Some(Piece::Lines { bytes, first });
        }
        if self.window.bytes().len() > self.limit {
            self.is_over = !self.window.skip_past(b"\n");
            self.line = first.saturating_add(1);
            return Some(Piece::Unreadable { line: first, reason: too_long(self.limit) });
        }
        if self.window.lacks_memory() {
            self.is_over = !self.window.skip_past(b"\n");
            self.window.shrink();
            self.line = first.saturating_add(1);
            return Some(Piece::Unreadable { line: first, reason: memory::REASON.into() });
        }
        self.is_over = true;
        if let Some(error) = self.window.failure() {
            return Some(Piece::Unreadable { line: first, reason: compressed::reason(error) });
        }
        let bytes = self.window.take(usize::MAX);
        (!bytes.is_empty()).then_some(Piece::Lines { bytes, first })
    }
}

impl LineReader {
    /// Takes note of lines that name columns, which are for those behind them.
    fn note_columns(&mut self) {
        let LineFormat::Table(table) = &mut self.format else { return };
        while self.window.peek() == Some(b'#') {
            let Some(end) = self.window.find(b"\n", self.limit) else { return };
            let len = end.saturating_add(1);
            Table::note(table, self.window.bytes().get(..len).unwrap_or_default());
            self.window.consume(len);
            self.line = self.line.saturating_add(1);
        }
    }
}

/// Says that a record has more bytes than it may have.
pub(crate) fn too_long(limit: usize) -> Reason {
    format!("longer than {limit} bytes, the most that a record may have").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn pieces(text: &[u8], limit: usize) -> Vec<(u64, String)> {
        let window = Window::new(Box::new(Cursor::new(text.to_vec())));
        let mut reader = LineReader::new(window, LineFormat::Jsonl(Arc::default()), limit);
        std::iter::from_fn(|| {
            Some(match reader.next_piece()? {
                Piece::Lines { bytes, first } => (first, String::from_utf8(bytes).unwrap()),
                Piece::Unreadable { line, reason } => (line, reason.into_owned()),
            })
        })
        .collect()
    }

    #[test]
    fn long_lines_are_named_and_passed_over() {
        // Longer than what is read at once, so that no piece can hold it.
        let long = "x".repeat(2 << 20);
        let all = pieces(format!("a\n{long}\nb\nc").as_bytes(), 1000);
        let words: Vec<&str> = all.iter().map(|(_, text)| text.split(' ').next().unwrap()).collect();
        assert_eq!(words, ["a\n", "longer", "b\n", "c"]);
        assert_eq!(all.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(pieces(long.as_bytes(), 1000).len(), 1);
        assert!(
            read(long.as_bytes(), &LineFormat::Jsonl(Arc::default()), 1000)
                .unwrap()
                .unwrap_err()
                .starts_with("longer")
        );
    }

    #[test]
    fn marks_and_empty_inputs() {
        assert_eq!(pieces(b"\xEF\xBB\xBFa\n", 100), [(1, "a\n".to_owned())]);
        assert_eq!(pieces(b"", 100), []);
        assert_eq!(pieces(b"\n", 100), [(1, "\n".to_owned())]);
    }
}
