//! Chunks: a few records of a container, that any thread can take out.

use std::sync::Arc;

use crate::lines::{self, LineFormat};
use crate::memory::{self, Promise};
use crate::record::{At, Found, Place, Reason, Record, Unreadable};

/// A few records that are next to each other. Taking them out is where the work is.
pub struct Chunk {
    pub(crate) file: Arc<str>,
    pub(crate) content: Pieces,
}

pub(crate) enum Pieces {
    Lines { bytes: Vec<u8>, first: u64, format: LineFormat, limit: usize },
    Records(Vec<Result<Record, Unreadable>>),
}

impl Chunk {
    /// The most records of a chunk that is not made of lines.
    pub(crate) const RECORDS: usize = 256;
    /// About the most bytes of a chunk, unless one record has more.
    pub(crate) const BYTES: usize = 256 << 10;

    /// About how many bytes it holds.
    pub fn weight(&self) -> usize {
        match &self.content {
            Pieces::Lines { bytes, .. } => bytes.len(),
            Pieces::Records(records) => records
                .iter()
                .map(|record| record.as_ref().map_or(0, |record| record.request.len()))
                .fold(0, usize::saturating_add),
        }
    }
}

impl FromIterator<Result<Record, Unreadable>> for Chunk {
    /// A chunk of records that were taken out of others, or of what cannot be read.
    fn from_iter<I: IntoIterator<Item = Result<Record, Unreadable>>>(records: I) -> Self {
        Chunk { file: Arc::default(), content: Pieces::Records(records.into_iter().collect()) }
    }
}

impl IntoIterator for Chunk {
    type Item = Result<Record, Unreadable>;
    type IntoIter = ChunkRecords;

    fn into_iter(self) -> ChunkRecords {
        let content = match self.content {
            Pieces::Lines { bytes, first, format, limit } => {
                Taken::Lines { bytes, at: 0, line: first, format, limit }
            }
            Pieces::Records(records) => Taken::Records(records.into_iter()),
        };
        ChunkRecords { file: self.file, content, promise: None }
    }
}

/// The records of a chunk.
pub struct ChunkRecords {
    file: Arc<str>,
    content: Taken,
    /// Memory for the document of the record that was taken last.
    promise: Option<Promise>,
}

enum Taken {
    Lines { bytes: Vec<u8>, at: usize, line: u64, format: LineFormat, limit: usize },
    Records(std::vec::IntoIter<Result<Record, Unreadable>>),
}

impl Iterator for ChunkRecords {
    type Item = Result<Record, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        self.promise = None;
        let record = match self.taken()? {
            Ok(record) => record,
            unreadable => return Some(unreadable),
        };
        self.promise = Promise::for_document(record.request.len());
        Some(match self.promise {
            Some(_) => Ok(record),
            None => Err(Unreadable::new(record.place, memory::REASON)),
        })
    }
}

impl ChunkRecords {
    /// The next record, if there is memory for its document or not.
    fn taken(&mut self) -> Option<Result<Record, Unreadable>> {
        match &mut self.content {
            Taken::Records(records) => records.next(),
            Taken::Lines { bytes, at, line, format, limit } => loop {
                let rest = bytes.get(*at..).filter(|rest| !rest.is_empty())?;
                let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let found = rest.get(..len).and_then(|text| lines::read(text, format, *limit));
                let number = *line;
                *at = at.saturating_add(len).saturating_add(1);
                *line = line.saturating_add(1);
                if let Some(found) = found {
                    return Some(placed(&self.file, number, At::Line(number), found));
                }
            },
        }
    }
}

/// A record, or why there is none, at its place.
pub(crate) fn placed(
    file: &Arc<str>,
    record: u64,
    at: At,
    result: Result<Found, Reason>,
) -> Result<Record, Unreadable> {
    let place = Place { file: Arc::clone(file), record, at };
    match result {
        Ok(found) => Ok(found.at(place)),
        Err(reason) => Err(Unreadable::because(place, reason)),
    }
}
