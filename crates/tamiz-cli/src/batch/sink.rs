//! Where rows go: a file of bytes, parts of columns, or standard output.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tamiz_columns::{Kind, Reader, SchemaRef, Writer};

use super::counts::Counts;
use super::format::{Joints, Output, RowFormat};
use super::partial::{Partial, State};
use super::rows::Content;
use crate::failure::Failure;

/// The file that rows of bytes go to.
const ROWS: &str = "rows";
/// The file that is made of others at the end.
const WHOLE: &str = "whole";

/// Takes rows.
pub(crate) enum Sink<'a> {
    Bytes(ByteSink<'a>),
    Columns(ColumnSink<'a>),
    Stdout(BufWriter<io::Stdout>, Joints, u64),
}

impl<'a> Sink<'a> {
    /// Opens the output of a run that has come as far as `state` says.
    pub(crate) fn open(output: Output, partial: &'a Partial, state: &State) -> Result<Self, Failure> {
        match output {
            Output::Bytes(format, joints) => ByteSink::open(format, joints, partial, state).map(Sink::Bytes),
            Output::Columns(kind) => {
                let schema = tamiz_columns::with_origins(&tamiz_columns::schema());
                Ok(Sink::Columns(ColumnSink {
                    kind,
                    schema,
                    partial,
                    parts: state.parts,
                    writer: None,
                    is_private: false,
                }))
            }
            Output::Requests => Ok(Sink::Columns(ColumnSink {
                kind: Kind::Parquet,
                schema: tamiz_columns::request_schema(),
                partial,
                parts: state.parts,
                writer: None,
                is_private: true,
            })),
        }
    }

    /// Standard output, which only rows of bytes go to.
    pub(crate) fn stdout(output: Output) -> Option<Self> {
        match output {
            Output::Bytes(_, joints) => Some(Sink::Stdout(BufWriter::new(io::stdout()), joints, 0)),
            Output::Columns(_) | Output::Requests => None,
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
            (Sink::Columns(sink), Content::Batch(batch)) => {
                let batch = match kept {
                    Some(kept) => {
                        tamiz_columns::with_rows(&batch, kept).map_err(|error| sink.failure(error.into()))?
                    }
                    None => batch,
                };
                sink.write(&batch)?;
                Ok(batch.num_rows() as u64)
            }
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

/// Parts of columns, each a file of its own until the end: a file of columns cannot be gone on with.
pub(crate) struct ColumnSink<'a> {
    kind: Kind,
    schema: SchemaRef,
    /// Whether nobody else may read the files.
    is_private: bool,
    partial: &'a Partial,
    /// How many parts are whole.
    parts: u64,
    /// The part that is under way.
    writer: Option<Writer>,
}

impl ColumnSink<'_> {
    fn part(&self, number: u64) -> PathBuf {
        self.partial.file(&part_name(number))
    }

    fn failure(&self, error: tamiz_columns::Error) -> Failure {
        match error.io() {
            Some(io) => self.partial.failure(io),
            None => self.partial.failure(&io::Error::other(error.to_string())),
        }
    }

    fn write(&mut self, batch: &tamiz_columns::RecordBatch) -> Result<(), Failure> {
        if self.writer.is_none() {
            let file = self.create(&self.part(self.parts + 1))?;
            let writer = Writer::new(file, self.kind, batch.schema());
            self.writer = Some(writer.map_err(|error| self.failure(error))?);
        }
        let written = self.writer.as_mut().map_or(Ok(()), |writer| writer.write(batch));
        written.map_err(|error| self.failure(error))
    }

    fn create(&self, path: &Path) -> Result<File, Failure> {
        let mut options = File::options();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        if self.is_private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        options.open(path).map_err(|error| self.partial.failure(&error))
    }

    /// Ends the part that is under way; how many there are.
    fn end_part(&mut self) -> Result<u64, Failure> {
        if let Some(writer) = self.writer.take() {
            writer.finish().map_err(|error| self.failure(error))?;
            self.parts += 1;
        }
        Ok(self.parts)
    }

    fn finish(mut self, counts: Option<&Counts>, forces: bool) -> Result<(), Failure> {
        if self.parts == 0 && self.writer.is_none() {
            self.write(&tamiz_columns::RecordBatch::new_empty(SchemaRef::clone(&self.schema)))?;
        }
        self.end_part()?;
        if counts.is_none() && self.parts == 1 {
            return self.partial.finish(&part_name(1), forces);
        }
        let parts: Vec<PathBuf> = (1..=self.parts).map(|number| self.part(number)).collect();
        let whole = self.create(&self.partial.file(WHOLE))?;
        let joined = match counts {
            Some(counts) => with_counts(&parts, whole, self.kind, counts),
            None => tamiz_columns::join(&parts, whole, self.kind),
        };
        joined.map_err(|error| self.failure(error))?;
        self.partial.finish(WHOLE, forces)
    }
}

fn part_name(number: u64) -> String {
    format!("part-{number:06}")
}

/// Every part again, with counts.
fn with_counts(
    parts: &[PathBuf],
    whole: File,
    kind: Kind,
    counts: &Counts,
) -> Result<(), tamiz_columns::Error> {
    let mut counts = counts.iter();
    let mut whole = Some(whole);
    let mut writer = None;
    let mut add = |batch: &tamiz_columns::RecordBatch, counted: Vec<u64>| {
        let batch = tamiz_columns::with_counts(batch, counted)?;
        if let Some(file) = whole.take() {
            writer = Some(Writer::new(file, kind, batch.schema())?);
        }
        writer.as_mut().map_or(Ok(()), |writer| writer.write(&batch))
    };
    // So that there is a column of counts even if there are no rows.
    let schema = tamiz_columns::with_origins(&tamiz_columns::schema());
    add(&tamiz_columns::RecordBatch::new_empty(schema), Vec::new())?;
    for part in parts {
        for batch in Reader::open(part, kind)? {
            let batch = batch?;
            let counted = counts.by_ref().take(batch.num_rows()).collect();
            add(&batch, counted)?;
        }
    }
    writer.map_or(Ok(()), Writer::finish)
}
