//! Where rows go: a file of bytes, files of columns (`column_sink`), or standard output.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};

use super::columns::ColumnSink;
use super::counts::Counts;
use super::format::{Joints, Output, RowFormat};
use super::partial::{Partial, State};
use super::rows::Content;
use crate::failure::Failure;

/// The file that rows of bytes go to.
const ROWS: &str = "rows";
/// The file that is made of others at the end.
pub(super) const WHOLE: &str = "whole";

/// Takes rows.
pub(crate) enum Sink<'a> {
    Bytes(ByteSink<'a>),
    Columns(ColumnSink<'a>),
    Stdout(BufWriter<io::Stdout>, Joints, u64),
}

impl<'a> Sink<'a> {
    /// Opens the output of a run that has come as far as `state` says.
    /// `split` is how many bytes a file of columns has at most, where there is more than one.
    pub(crate) fn open(
        output: Output,
        partial: &'a Partial,
        state: &State,
        split: Option<u64>,
    ) -> Result<Self, Failure> {
        match output {
            Output::Bytes(format, joints) => ByteSink::open(format, joints, partial, state).map(Sink::Bytes),
            Output::Columns(columns) => Ok(Sink::Columns(ColumnSink::open(columns, partial, state, split))),
        }
    }

    /// Standard output, which only rows of bytes go to.
    pub(crate) fn stdout(output: Output) -> Option<Self> {
        match output {
            Output::Bytes(_, joints) => Some(Sink::Stdout(BufWriter::new(io::stdout()), joints, 0)),
            Output::Columns(_) => None,
        }
    }

    /// Writes the rows that are kept, or all of them; how many.
    pub(crate) fn write(&mut self, content: Content, kept: Option<Vec<bool>>) -> Result<u64, Failure> {
        match (self, content) {
            (Sink::Bytes(sink), Content::Bytes { bytes, ends }) => {
                let before = sink.rows;
                write_rows(&mut sink.file, sink.joints, &mut sink.rows, &bytes, &ends, kept.as_deref())
                    .map_err(|error| sink.partial.failure(&error))?;
                Ok(sink.rows - before)
            }
            (Sink::Stdout(out, joints, rows), Content::Bytes { bytes, ends }) => {
                let before = *rows;
                write_rows(out, *joints, rows, &bytes, &ends, kept.as_deref())?;
                Ok(*rows - before)
            }
            (Sink::Columns(sink), Content::Batch(batch)) => sink.write_kept(batch, kept),
            // Rows are made in the format of the sink.
            _ => Ok(0),
        }
    }

    /// Makes sure that everything is on the disk, and says in `state` how far that is.
    pub(crate) fn checkpoint(&mut self, state: &mut State) -> Result<(), Failure> {
        match self {
            Sink::Bytes(sink) => {
                let saved = sink.file.flush().and_then(|()| sink.file.get_ref().sync_data());
                let place = saved.and_then(|()| sink.file.stream_position());
                state.bytes = place.map_err(|error| sink.partial.failure(&error))?;
            }
            Sink::Columns(sink) => state.parts = sink.end_part()?,
            Sink::Stdout(..) => {}
        }
        Ok(())
    }

    /// Makes the output of what was written, with counts if there are some; `forces` says that it may replace another.
    pub(crate) fn finish(self, counts: Option<&Counts>, forces: bool) -> Result<(), Failure> {
        match self {
            Sink::Bytes(sink) => sink.finish(counts, forces),
            Sink::Columns(sink) => sink.finish(counts, forces),
            Sink::Stdout(mut out, ..) => Ok(out.flush()?),
        }
    }
}

/// Writes rows with what stands between and behind them.
fn write_rows(
    out: &mut impl Write,
    joints: Joints,
    rows: &mut u64,
    bytes: &[u8],
    ends: &[usize],
    kept: Option<&[bool]>,
) -> io::Result<()> {
    let mut start = 0;
    for (at, end) in ends.iter().enumerate() {
        let row = bytes.get(start..*end).unwrap_or_default();
        start = *end;
        if kept.is_some_and(|kept| !kept.get(at).copied().unwrap_or(false)) {
            continue;
        }
        if *rows > 0 {
            out.write_all(joints.between)?;
        }
        out.write_all(row)?;
        out.write_all(joints.behind)?;
        *rows += 1;
    }
    Ok(())
}

/// A file of bytes.
pub(crate) struct ByteSink<'a> {
    format: RowFormat,
    joints: Joints,
    partial: &'a Partial,
    file: BufWriter<File>,
    rows: u64,
}

impl<'a> ByteSink<'a> {
    fn open(format: RowFormat, joints: Joints, partial: &'a Partial, state: &State) -> Result<Self, Failure> {
        let open = || -> io::Result<File> {
            let path = partial.file(ROWS);
            let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
            // What came after the last state is written again.
            file.set_len(state.bytes)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(|error| partial.failure(&error))?;
        Ok(ByteSink {
            format,
            joints,
            partial,
            file: BufWriter::with_capacity(1 << 16, file),
            rows: state.rows,
        })
    }

    fn finish(mut self, counts: Option<&Counts>, forces: bool) -> Result<(), Failure> {
        let done = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        done.map_err(|error| self.partial.failure(&error))?;
        match counts {
            Some(counts) if self.format == RowFormat::Jsonl => {
                self.with_counts(counts).map_err(|error| self.partial.failure(&error))?;
                self.partial.finish(WHOLE, forces)
            }
            _ => self.partial.finish(ROWS, forces),
        }
    }

    /// Every line again, with its count.
    fn with_counts(&self, counts: &Counts) -> io::Result<()> {
        let mut lines = BufReader::new(File::open(self.partial.file(ROWS))?);
        let mut out = BufWriter::new(File::create(self.partial.file(WHOLE))?);
        let mut line = Vec::new();
        for count in counts.iter() {
            line.clear();
            lines.read_until(b'\n', &mut line)?;
            let object = line.strip_suffix(b"}\n").unwrap_or_default();
            out.write_all(object)?;
            writeln!(out, ",\"tamiz.count\":{count}}}")?;
        }
        out.into_inner()?.sync_all()
    }
}
