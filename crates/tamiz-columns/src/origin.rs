//! Where rows are from: the columns by which one is traced back to its record.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

/// The columns, in their order.
pub(crate) fn fields() -> Vec<Field> {
    let number = |name: &str, nullable| Field::new(name, DataType::Int64, nullable);
    vec![
        Field::new("input", DataType::Utf8, false),
        number("record", false),
        number("line", true),
        number("byte", true),
        number("packet", true),
        number("stream", true),
        Field::new("client", DataType::Utf8, true),
    ]
}

/// Where in its input a request begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Begins {
    /// With the input.
    Input,
    /// At a line, from one.
    Line(u64),
    /// At a byte, from zero.
    Byte(u64),
    /// At a packet, from one.
    Packet(u64),
}

/// Where a row is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin<'a> {
    /// The file that it is in, or `standard input`.
    pub input: &'a str,
    /// Its number there, from one.
    pub record: u64,
    /// Where it begins there.
    pub begins: Begins,
    /// Which connection it came by.
    pub stream: Option<u64>,
    /// Who sent it.
    pub client: Option<String>,
}

impl<'a> Origin<'a> {
    /// A record of which nothing else is known.
    pub fn new(input: &'a str, record: u64) -> Self {
        Origin { input, record, begins: Begins::Input, stream: None, client: None }
    }
}

/// Makes the columns.
#[derive(Debug, Default)]
pub struct OriginBuilder {
    input: StringBuilder,
    record: Int64Builder,
    /// Line, byte, packet, stream.
    numbers: [Int64Builder; 4],
    client: StringBuilder,
}

impl OriginBuilder {
    /// Adds a row.
    pub fn push(&mut self, origin: &Origin<'_>) {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.input.append_value(origin.input);
        self.record.append_value(number(origin.record));
        let (line, byte, packet) = match origin.begins {
            Begins::Input => (None, None, None),
            Begins::Line(line) => (Some(line), None, None),
            Begins::Byte(byte) => (None, Some(byte), None),
            Begins::Packet(packet) => (None, None, Some(packet)),
        };
        let numbers = [line, byte, packet, origin.stream];
        self.numbers
            .iter_mut()
            .zip(numbers)
            .for_each(|(column, value)| column.append_option(value.map(number)));
        self.client.append_option(origin.client.as_deref());
    }

    /// The columns so far; the next begin without any rows.
    pub(crate) fn finish(&mut self) -> Vec<ArrayRef> {
        let mut columns: Vec<ArrayRef> = vec![Arc::new(self.input.finish()), Arc::new(self.record.finish())];
        columns.extend(self.numbers.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef));
        columns.push(Arc::new(self.client.finish()));
        columns
    }

    /// A batch with these columns behind its own; the next begin without any rows.
    ///
    /// # Errors
    /// When there are not as many rows here as there.
    pub fn append_to(&mut self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let columns = batch.columns().iter().cloned().chain(self.finish()).collect();
        RecordBatch::try_new(with_origins(&batch.schema()), columns)
    }
}

/// A schema with these columns behind its own.
pub fn with_origins(schema: &SchemaRef) -> SchemaRef {
    let mut all: Vec<Arc<Field>> = schema.fields().iter().map(Arc::clone).collect();
    all.extend(fields().into_iter().map(Arc::new));
    Arc::new(Schema::new(all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Row};

    #[test]
    fn columns_are_put_behind_those_of_documents() {
        let (mut rows, mut origins) = (Builder::default(), OriginBuilder::default());
        rows.push(&Row::new("M:GET\nU:/\nP:/\n", "wire", "x"));
        let client = Some("192.0.2.0/24".to_owned());
        origins.push(&Origin { begins: Begins::Line(3), client, ..Origin::new("a.log", 3) });
        let batch = origins.append_to(&rows.finish()).unwrap();
        assert_eq!(batch.schema(), with_origins(&crate::schema()));
        assert_eq!(batch.num_rows(), 1);
        origins.push(&Origin::new("a.log", 4));
        assert!(origins.append_to(&rows.finish()).is_err(), "more rows than documents");
    }
}
