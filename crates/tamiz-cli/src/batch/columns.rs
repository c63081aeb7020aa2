//! Rows as columns, in files of Parquet or Arrow: what the feature `columns` adds to `tamiz batch`.
//!
//! `no_columns.rs` stands for this file without the feature. There [`Columns`] has no value, so that nothing is left to do.

use std::net::IpAddr;

use tamiz::Canonicalizer;
use tamiz_columns::{
    Begins, Builder, Kind, Origin, OriginBuilder, RequestBuilder, RequestParts, RequestRow, Row,
};
use tamiz_containers::{At, Place, Record, Request};

use super::client::Client;
use super::format::BatchFormat;
use crate::failure::Failure;

pub(crate) use super::column_sink::ColumnSink;
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

    /// Returns whether rows are requests as they are, with their secrets.
    pub(crate) fn are_requests(self) -> bool {
        self == Columns::Requests
    }

    pub(super) fn kind(self) -> Kind {
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

    /// Returns whether rows need the text of documents.
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
                made.1.push(&origin_of(record, client));
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

fn origin_of(record: &Record, client: Client) -> Origin<'_> {
    origin(&record.place, record.stream, record.client, client)
}

/// Where a record is from.
pub(crate) fn origin(
    place: &Place,
    stream: Option<u64>,
    address: Option<IpAddr>,
    client: Client,
) -> Origin<'_> {
    let mut origin = Origin::new(&place.file, place.record);
    origin.begins = match place.at {
        At::Line(line) => Begins::Line(line),
        At::Byte(byte) => Begins::Byte(byte),
        At::Packet(packet) => Begins::Packet(packet),
        _ => Begins::Input,
    };
    origin.stream = stream;
    origin.client = address.and_then(|address| client.shown(address));
    origin
}

/// A request as it is, with where it is from.
fn request_row(record: &Record, client: Client) -> RequestRow<'_> {
    RequestRow {
        origin: origin_of(record, client),
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
