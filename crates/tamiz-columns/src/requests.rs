//! Requests themselves as columns, with where each is from: what others read who make documents on machines of their own.
//! Nothing in them is redacted.

use std::sync::{Arc, LazyLock};

use arrow_array::builder::{
    BinaryBuilder, ListBuilder, StringBuilder, StructBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};

use crate::origin::{Origin, OriginBuilder};

/// A header: bytes, as everything that a client sends.
static HEADER: LazyLock<Fields> = LazyLock::new(|| {
    Fields::from(vec![
        Field::new("name", DataType::Binary, false),
        Field::new("value", DataType::Binary, false),
    ])
});

static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let text = |name: &str, nullable| Field::new(name, DataType::Utf8, nullable);
    let bytes = |name: &str| Field::new(name, DataType::Binary, true);
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let header = Field::new("item", DataType::Struct(HEADER.clone()), false);
    let mut fields = crate::origin::fields();
    fields.extend([
        text("id", true),
        text("label", true),
        Field::new("timestamp", time, true),
        text("source", false),
        bytes("raw"),
        bytes("method"),
        bytes("target"),
        bytes("scheme"),
        bytes("authority"),
        bytes("version"),
        Field::new("headers", DataType::List(Arc::new(header)), true),
        bytes("body"),
    ]);
    Arc::new(Schema::new(fields))
});

/// The columns of every batch of requests, in their order.
pub fn request_schema() -> SchemaRef {
    Arc::clone(&SCHEMA)
}

/// The parts of a request that is not there by its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the columns")]
pub struct RequestParts<'a> {
    pub method: &'a [u8],
    pub target: &'a [u8],
    pub scheme: Option<&'a [u8]>,
    pub authority: Option<&'a [u8]>,
    pub version: Option<&'a [u8]>,
    pub headers: Vec<(&'a [u8], &'a [u8])>,
    pub body: Option<&'a [u8]>,
}

/// A request, and where it is from.
#[derive(Clone, Debug)]
pub struct RequestRow<'a> {
    /// Where it is from.
    pub origin: Origin<'a>,
    /// The name that its container gave it.
    pub id: Option<&'a str>,
    /// The label of the request.
    pub label: Option<&'a str>,
    /// When it was sent, in microseconds since 1970, UTC.
    pub time: Option<i64>,
    /// Who handed it over.
    pub source: &'a str,
    /// Its bytes, or its parts.
    pub request: Result<&'a [u8], RequestParts<'a>>,
}

/// Makes batches of requests.
#[derive(Debug)]
pub struct RequestBuilder {
    origins: OriginBuilder,
    id: StringBuilder,
    label: StringBuilder,
    time: TimestampMicrosecondBuilder,
    source: StringBuilder,
    raw: BinaryBuilder,
    /// Method, target, scheme, authority, version.
    line: [BinaryBuilder; 5],
    headers: ListBuilder<StructBuilder>,
    body: BinaryBuilder,
}

impl Default for RequestBuilder {
    fn default() -> Self {
        let header = StructBuilder::from_fields(HEADER.clone(), 0);
        let item = Field::new("item", DataType::Struct(HEADER.clone()), false);
        RequestBuilder {
            origins: OriginBuilder::default(),
            id: StringBuilder::new(),
            label: StringBuilder::new(),
            time: TimestampMicrosecondBuilder::new().with_timezone("UTC"),
            source: StringBuilder::new(),
            raw: BinaryBuilder::new(),
            line: Default::default(),
            headers: ListBuilder::new(header).with_field(item),
            body: BinaryBuilder::new(),
        }
    }
}

impl RequestBuilder {
    /// Adds a row.
    pub fn push(&mut self, row: &RequestRow<'_>) {
        self.origins.push(&row.origin);
        self.id.append_option(row.id);
        self.label.append_option(row.label);
        self.time.append_option(row.time);
        self.source.append_value(row.source);
        match &row.request {
            Ok(raw) => {
                self.raw.append_value(raw);
                self.line.iter_mut().for_each(BinaryBuilder::append_null);
                self.headers.append(false);
                self.body.append_null();
            }
            Err(parts) => {
                self.raw.append_null();
                let line =
                    [Some(parts.method), Some(parts.target), parts.scheme, parts.authority, parts.version];
                self.line.iter_mut().zip(line).for_each(|(column, value)| column.append_option(value));
                for (name, value) in &parts.headers {
                    let header = self.headers.values();
                    for (at, text) in [name, value].into_iter().enumerate() {
                        if let Some(column) = header.field_builder::<BinaryBuilder>(at) {
                            column.append_value(text);
                        }
                    }
                    header.append(true);
                }
                self.headers.append(true);
                self.body.append_option(parts.body);
            }
        }
    }

    /// The rows so far as a batch; the next begins without any.
    pub fn finish(&mut self) -> RecordBatch {
        let mut columns: Vec<ArrayRef> = self.origins.finish();
        columns.push(Arc::new(self.id.finish()));
        columns.push(Arc::new(self.label.finish()));
        columns.push(Arc::new(self.time.finish()));
        columns.push(Arc::new(self.source.finish()));
        columns.push(Arc::new(self.raw.finish()));
        columns.extend(self.line.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef));
        columns.push(Arc::new(self.headers.finish()));
        columns.push(Arc::new(self.body.finish()));
        // The builders are those of the schema, and all have as many rows: there is nothing to go wrong.
        RecordBatch::try_new(request_schema(), columns)
            .unwrap_or_else(|_| RecordBatch::new_empty(request_schema()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Begins;

    #[test]
    fn bytes_and_parts_side_by_side() {
        let mut builder = RequestBuilder::default();
        let mut row = RequestRow {
            origin: Origin { begins: Begins::Packet(7), ..Origin::new("a.pcap", 1) },
            id: None,
            label: Some("x"),
            time: Some(5),
            source: "wire",
            request: Ok(b"GET /\xFF"),
        };
        builder.push(&row);
        row.origin.begins = Begins::Input;
        row.request = Err(RequestParts {
            method: b"GET",
            target: b"/",
            headers: vec![(b"a", b"b"), (b"c", b"\xFF")],
            ..RequestParts::default()
        });
        builder.push(&row);
        let batch = builder.finish();
        assert_eq!((batch.num_rows(), batch.num_columns()), (2, request_schema().fields().len()));
        assert_eq!(builder.finish().num_rows(), 0);
    }
}
