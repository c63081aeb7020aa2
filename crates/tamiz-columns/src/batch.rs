//! The schema, and batches of rows.

use std::sync::{Arc, LazyLock};

use arrow_array::builder::{
    Int32Builder, Int64Builder, ListBuilder, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};

use crate::shown::Shown;

/// Signed numbers only: not every reader of Arrow has others.
static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let text = |name: &str, nullable| Field::new(name, DataType::Utf8, nullable);
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let flag = Field::new("item", DataType::Utf8, false);
    Arc::new(Schema::new(vec![
        text("id", true),
        text("label", true),
        Field::new("timestamp", time, true),
        text("http.request.method", false),
        text("url.full", true),
        text("url.scheme", true),
        text("url.path", true),
        text("url.query", true),
        text("server.address", true),
        Field::new("server.port", DataType::Int32, true),
        text("user_agent.original", true),
        Field::new("http.request.body.size", DataType::Int64, true),
        text("tamiz.text", false),
        Field::new("tamiz.flags", DataType::List(Arc::new(flag)), false),
        text("tamiz.fingerprint", false),
        text("tamiz.source", false),
    ]))
});

/// The columns of every batch, in their order.
pub fn schema() -> SchemaRef {
    Arc::clone(&SCHEMA)
}

/// A document, and what is known about it beyond its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// The text of the document.
    pub text: &'a str,
    /// Who handed over the request: `wire`, `har`, `access-log` and so on.
    pub source: &'a str,
    /// The fingerprint of the document.
    pub fingerprint: &'a str,
    /// The name that its container gave it.
    pub id: Option<&'a str>,
    /// The label of the request.
    pub label: Option<&'a str>,
    /// When it was sent, in microseconds since 1970, UTC.
    pub time: Option<i64>,
}

impl<'a> Row<'a> {
    /// A document of which nothing else is known.
    pub fn new(text: &'a str, source: &'a str, fingerprint: &'a str) -> Self {
        Row { text, source, fingerprint, id: None, label: None, time: None }
    }
}

/// Makes batches.
#[derive(Debug)]
pub struct Builder {
    rows: usize,
    id: StringBuilder,
    label: StringBuilder,
    time: TimestampMicrosecondBuilder,
    method: StringBuilder,
    url: StringBuilder,
    scheme: StringBuilder,
    path: StringBuilder,
    query: StringBuilder,
    address: StringBuilder,
    port: Int32Builder,
    user_agent: StringBuilder,
    body_size: Int64Builder,
    text: StringBuilder,
    flags: ListBuilder<StringBuilder>,
    fingerprint: StringBuilder,
    source: StringBuilder,
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            rows: 0,
            id: StringBuilder::new(),
            label: StringBuilder::new(),
            time: TimestampMicrosecondBuilder::new().with_timezone("UTC"),
            method: StringBuilder::new(),
            url: StringBuilder::new(),
            scheme: StringBuilder::new(),
            path: StringBuilder::new(),
            query: StringBuilder::new(),
            address: StringBuilder::new(),
            port: Int32Builder::new(),
            user_agent: StringBuilder::new(),
            body_size: Int64Builder::new(),
            text: StringBuilder::new(),
            flags: ListBuilder::new(StringBuilder::new()).with_field(Field::new(
                "item",
                DataType::Utf8,
                false,
            )),
            fingerprint: StringBuilder::new(),
            source: StringBuilder::new(),
        }
    }
}

impl Builder {
    /// Makes room for the next batch, if it is still empty: so many rows, whose texts have about so many bytes.
    pub fn expect(&mut self, rows: usize, bytes: usize) {
        if !self.is_empty() {
            return;
        }
        // URLs and user agents are about a fifth of a document each.
        let room = |share: usize| StringBuilder::with_capacity(rows, share);
        self.text = room(bytes);
        for column in [&mut self.url, &mut self.path, &mut self.query, &mut self.user_agent] {
            *column = room(bytes / 5);
        }
        for column in [&mut self.method, &mut self.scheme, &mut self.source] {
            *column = room(rows.saturating_mul(4));
        }
        self.fingerprint = room(rows.saturating_mul(20));
        self.address = room(rows.saturating_mul(16));
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Adds a row.
    pub fn push(&mut self, row: &Row<'_>) {
        let shown = Shown::of(row.text);
        let server = shown.server();
        self.rows = self.rows.saturating_add(1);
        self.id.append_option(row.id);
        self.label.append_option(row.label);
        self.time.append_option(row.time);
        self.method.append_value(shown.method);
        self.url.append_option(shown.url);
        self.scheme.append_option(shown.scheme());
        self.path.append_option(shown.path);
        self.query.append_option(shown.query());
        self.address.append_option(server.map(|(address, _)| address));
        self.port.append_option(server.and_then(|(_, port)| port).map(i32::from));
        self.user_agent.append_option(shown.user_agent);
        self.body_size.append_option(shown.body_size.map(|size| i64::try_from(size).unwrap_or(i64::MAX)));
        self.text.append_value(row.text);
        for flag in shown.flags() {
            self.flags.values().append_value(flag);
        }
        self.flags.append(true);
        self.fingerprint.append_value(row.fingerprint);
        self.source.append_value(row.source);
    }

    /// The rows so far as a batch; the next begins without any.
    pub fn finish(&mut self) -> RecordBatch {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.id.finish()),
            Arc::new(self.label.finish()),
            Arc::new(self.time.finish()),
            Arc::new(self.method.finish()),
            Arc::new(self.url.finish()),
            Arc::new(self.scheme.finish()),
            Arc::new(self.path.finish()),
            Arc::new(self.query.finish()),
            Arc::new(self.address.finish()),
            Arc::new(self.port.finish()),
            Arc::new(self.user_agent.finish()),
            Arc::new(self.body_size.finish()),
            Arc::new(self.text.finish()),
            Arc::new(self.flags.finish()),
            Arc::new(self.fingerprint.finish()),
            Arc::new(self.source.finish()),
        ];
        self.rows = 0;
        // The builders are those of the schema, and all have as many rows: there is nothing to go wrong.
        RecordBatch::try_new(schema(), columns).unwrap_or_else(|_| RecordBatch::new_empty(schema()))
    }
}
