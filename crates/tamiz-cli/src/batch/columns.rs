//! Rows as columns, in files of Parquet or Arrow: what the feature `columns` adds to `tamiz batch`.
//!
//! `no_columns.rs` stands for this file without the feature. There [`Columns`] has no value, so that nothing is left to do.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tamiz::Canonicalizer;
use tamiz_columns::{
    Begins, Builder, Kind, Origin, OriginBuilder, Reader, RequestBuilder, RequestParts, RequestRow, Row,
    SchemaRef, Writer,
};
use tamiz_containers::{At, Record, Request};

use super::client::Client;
use super::counts::Counts;
use super::format::BatchFormat;
use super::partial::{Partial, State};
use super::sink::WHOLE;
use crate::failure::Failure;

/// Rows of one chunk.
pub(crate) use tamiz_columns::RecordBatch as Batch;

/// A format of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Columns {
    Parquet,
    Arrow,
    /// Requests as Parquet: the one output that is not redacted.
    Requests,
}

impl Columns {
    /// The columns that a format has; `None` if it is one of bytes.
    ///
    /// # Errors
    /// When the program was built without columns.
    #[allow(clippy::unnecessary_wraps, reason = "it fails without the feature")]
    pub(crate) fn of(format: BatchFormat) -> Result<Option<Self>, Failure> {
        Ok(match format {
            BatchFormat::Parquet => Some(Columns::Parquet),
            BatchFormat::Arrow => Some(Columns::Arrow),
            BatchFormat::Requests => Some(Columns::Requests),
            BatchFormat::Text | BatchFormat::Jsonl | BatchFormat::Tokens => None,
        })
    }

    /// Whether rows are requests as they are, with their secrets.
    pub(crate) fn are_requests(self) -> bool {
        self == Columns::Requests
    }

    fn kind(self) -> Kind {
        match self {
            Columns::Parquet | Columns::Requests => Kind::Parquet,
            Columns::Arrow => Kind::Arrow,
        }
    }
}

/// Makes rows of columns.
pub(super) struct ColumnRows(Made);

enum Made {
    Documents(Box<(Builder, OriginBuilder)>),
    Requests(Box<RequestBuilder>),
}

impl ColumnRows {
    pub(super) fn new(columns: Columns) -> Self {
        ColumnRows(match columns {
            Columns::Parquet | Columns::Arrow => Made::Documents(Box::default()),
            Columns::Requests => Made::Requests(Box::default()),
        })
    }

    /// Whether rows need the text of documents.
    pub(super) fn hold_documents(&self) -> bool {
        matches!(self.0, Made::Documents(_))
    }

    /// Adds a row: the document `text`, or the request itself.
    pub(super) fn push(
        &mut self,
        record: &Record,
        text: &str,
        canonicalizer: &Canonicalizer,
        client: Client,
    ) {
        match &mut self.0 {
            Made::Documents(made) => {
                let source = record.source_for(canonicalizer);
                let fingerprint = canonicalizer.fingerprint().with_source(source);
                let mut row = Row::new(text, source.as_str(), fingerprint.as_str());
                row.id = record.id.as_deref();
                row.label = record.label.as_deref();
                row.time = record.time.map(|time| time.micros());
                made.0.push(&row);
                made.1.push(&origin(record, client));
            }
            Made::Requests(requests) => requests.push(&request_row(record, client)),
        }
    }

    /// The rows since the last time.
    pub(super) fn finish(&mut self) -> Batch {
        match &mut self.0 {
            Made::Documents(made) => {
                let rows = made.0.finish();
                // There are as many of one as of the other: there is nothing to go wrong.
                made.1.append_to(&rows).unwrap_or(rows)
            }
            Made::Requests(requests) => requests.finish(),
        }
    }
}

/// Where a record is from.
fn origin(record: &Record, client: Client) -> Origin<'_> {
    let mut origin = Origin::new(&record.place.file, record.place.record);
    origin.begins = match record.place.at {
        At::Line(line) => Begins::Line(line),
        At::Byte(byte) => Begins::Byte(byte),
        At::Packet(packet) => Begins::Packet(packet),
        _ => Begins::Input,
    };
    origin.stream = record.stream;
    origin.client = record.client.and_then(|address| client.shown(address));
    origin
}

/// A request as it is, with where it is from.
fn request_row(record: &Record, client: Client) -> RequestRow<'_> {
    RequestRow {
        origin: origin(record, client),
        id: record.id.as_deref(),
        label: record.label.as_deref(),
        time: record.time.map(|time| time.micros()),
        source: record.source.as_str(),
        request: match &record.request {
            Request::Parts(parts) => Err(RequestParts {
                method: &parts.method,
                target: &parts.target,
                scheme: parts.scheme.as_deref(),
                authority: parts.authority.as_deref(),
                version: parts.version.as_deref(),
                headers: parts.headers.iter().map(|(name, value)| (&name[..], &value[..])).collect(),
                body: parts.body.as_deref(),
            }),
            Request::Raw(bytes) => Ok(bytes),
            _ => Ok(&[]),
        },
    }
}

/// Parts of columns, each a file of its own until the end: a file of columns cannot be gone on with.
pub(crate) struct ColumnSink<'a> {
    columns: Columns,
    schema: SchemaRef,
    partial: &'a Partial,
    /// How many parts are whole.
    parts: u64,
    /// The part that is under way.
    writer: Option<Writer>,
}

impl<'a> ColumnSink<'a> {
    /// Goes on after the parts that `state` has.
    pub(super) fn open(columns: Columns, partial: &'a Partial, state: &State) -> Self {
        let schema = match columns {
            Columns::Parquet | Columns::Arrow => tamiz_columns::with_origins(&tamiz_columns::schema()),
            Columns::Requests => tamiz_columns::request_schema(),
        };
        ColumnSink { columns, schema, partial, parts: state.parts, writer: None }
    }

    /// Writes the rows that are kept, or all of them; how many.
    pub(super) fn write_kept(&mut self, batch: Batch, kept: Option<Vec<bool>>) -> Result<u64, Failure> {
        let batch = match kept {
            Some(kept) => {
                tamiz_columns::with_rows(&batch, kept).map_err(|error| self.failure(error.into()))?
            }
            None => batch,
        };
        self.write(&batch)?;
        Ok(batch.num_rows() as u64)
    }

    fn part(&self, number: u64) -> PathBuf {
        self.partial.file(&part_name(number))
    }

    fn failure(&self, error: tamiz_columns::Error) -> Failure {
        match error.io() {
            Some(io) => self.partial.failure(io),
            None => self.partial.failure(&io::Error::other(error.to_string())),
        }
    }

    fn write(&mut self, batch: &Batch) -> Result<(), Failure> {
        if self.writer.is_none() {
            let file = self.create(&self.part(self.parts + 1))?;
            let writer = Writer::new(file, self.columns.kind(), batch.schema());
            self.writer = Some(writer.map_err(|error| self.failure(error))?);
        }
        let written = self.writer.as_mut().map_or(Ok(()), |writer| writer.write(batch));
        written.map_err(|error| self.failure(error))
    }

    fn create(&self, path: &Path) -> Result<File, Failure> {
        let mut options = File::options();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        if self.columns == Columns::Requests {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        options.open(path).map_err(|error| self.partial.failure(&error))
    }

    /// Ends the part that is under way; how many there are.
    pub(super) fn end_part(&mut self) -> Result<u64, Failure> {
        if let Some(writer) = self.writer.take() {
            writer.finish().map_err(|error| self.failure(error))?;
            self.parts += 1;
        }
        Ok(self.parts)
    }

    pub(super) fn finish(mut self, counts: Option<&Counts>, forces: bool) -> Result<(), Failure> {
        if self.parts == 0 && self.writer.is_none() {
            self.write(&Batch::new_empty(SchemaRef::clone(&self.schema)))?;
        }
        self.end_part()?;
        if counts.is_none() && self.parts == 1 {
            return self.partial.finish(&part_name(1), forces);
        }
        let parts: Vec<PathBuf> = (1..=self.parts).map(|number| self.part(number)).collect();
        let whole = self.create(&self.partial.file(WHOLE))?;
        let joined = match counts {
            Some(counts) => with_counts(&parts, whole, self.columns.kind(), counts),
            None => tamiz_columns::join(&parts, whole, self.columns.kind()),
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
    let mut add = |batch: &Batch, counted: Vec<u64>| {
        let batch = tamiz_columns::with_counts(batch, counted)?;
        if let Some(file) = whole.take() {
            writer = Some(Writer::new(file, kind, batch.schema())?);
        }
        writer.as_mut().map_or(Ok(()), |writer| writer.write(&batch))
    };
    // So that there is a column of counts even if there are no rows.
    let schema = tamiz_columns::with_origins(&tamiz_columns::schema());
    add(&Batch::new_empty(schema), Vec::new())?;
    for part in parts {
        for batch in Reader::open(part, kind)? {
            let batch = batch?;
            let counted = counts.by_ref().take(batch.num_rows()).collect();
            add(&batch, counted)?;
        }
    }
    writer.map_or(Ok(()), Writer::finish)
}
