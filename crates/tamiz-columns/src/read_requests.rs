//! Requests read back from columns, as Spark and others hand them over.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{ArrowError, DataType, TimeUnit};

use crate::origin::{Begins, Origin};
use crate::requests::{RequestParts, RequestRow, request_schema};

/// The columns of a batch of requests, by what they hold.
#[derive(Debug)]
pub struct Requests<'b> {
    rows: usize,
    /// In the order of [`request_schema`].
    columns: Vec<&'b ArrayRef>,
}

impl<'b> Requests<'b> {
    /// Looks the columns up by name. Text and bytes may be of any width, and moments of any unit.
    ///
    /// # Errors
    /// When a column is missing or holds something else.
    pub fn of(batch: &'b RecordBatch) -> Result<Self, ArrowError> {
        let mut columns = Vec::new();
        for field in request_schema().fields() {
            let name = field.name();
            let column = batch
                .column_by_name(name)
                .ok_or_else(|| ArrowError::SchemaError(format!("no column '{name}'")))?;
            let found = column.data_type();
            if !fits(field.data_type(), found) {
                return Err(ArrowError::SchemaError(format!("column '{name}' cannot be of {found}")));
            }
            columns.push(column);
        }
        Ok(Requests { rows: batch.num_rows(), columns })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The requests, in their order.
    pub fn iter(&self) -> impl Iterator<Item = RequestRow<'b>> + '_ {
        (0..self.rows).map(|row| self.row(row))
    }

    fn row(&self, row: usize) -> RequestRow<'b> {
        let bytes = |name: &str| self.column(name).and_then(|column| bytes(column, row));
        let text = |name: &str| bytes(name).and_then(|text| std::str::from_utf8(text).ok());
        let number = |name: &str| self.column(name).and_then(|column| number(column, row));
        let begins =
            [("line", Begins::Line as fn(u64) -> Begins), ("byte", Begins::Byte), ("packet", Begins::Packet)]
                .into_iter()
                .find_map(|(name, begins)| number(name).map(begins));
        let parts = || RequestParts {
            method: bytes("method").unwrap_or_default(),
            target: bytes("target").unwrap_or_default(),
            scheme: bytes("scheme"),
            authority: bytes("authority"),
            version: bytes("version"),
            headers: self.column("headers").map(|column| headers(column, row)).unwrap_or_default(),
            body: bytes("body"),
        };
        RequestRow {
            origin: Origin {
                begins: begins.unwrap_or(Begins::Input),
                stream: number("stream"),
                client: text("client").map(str::to_owned),
                ..Origin::new(text("input").unwrap_or_default(), number("record").unwrap_or_default())
            },
            id: text("id"),
            label: text("label"),
            time: self.column("timestamp").and_then(|column| micros(column, row)),
            source: text("source").unwrap_or_default(),
            request: bytes("raw").ok_or_else(parts),
        }
    }

    fn column(&self, name: &str) -> Option<&'b ArrayRef> {
        let at = request_schema().index_of(name).ok()?;
        self.columns.get(at).copied()
    }
}

/// Returns whether a column of one type can be read as another.
fn fits(expected: &DataType, found: &DataType) -> bool {
    match expected {
        DataType::Utf8 | DataType::Binary => matches!(
            found,
            DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Binary
                | DataType::LargeBinary
                | DataType::BinaryView
                | DataType::Null
        ),
        DataType::Timestamp(..) => matches!(found, DataType::Timestamp(..) | DataType::Null),
        DataType::List(_) => match found {
            DataType::List(item) => matches!(item.data_type(), DataType::Struct(fields) if fields.len() == 2),
            other => *other == DataType::Null,
        },
        _ => expected == found || *found == DataType::Null,
    }
}

fn bytes(column: &ArrayRef, row: usize) -> Option<&[u8]> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Binary => column.as_binary::<i32>().value(row),
        DataType::LargeBinary => column.as_binary::<i64>().value(row),
        DataType::BinaryView => column.as_binary_view().value(row),
        DataType::Utf8 => column.as_string::<i32>().value(row).as_bytes(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).as_bytes(),
        DataType::Utf8View => column.as_string_view().value(row).as_bytes(),
        _ => return None,
    })
}

fn number(column: &ArrayRef, row: usize) -> Option<u64> {
    let numbers = column.as_primitive_opt::<Int64Type>().filter(|numbers| numbers.is_valid(row))?;
    u64::try_from(numbers.value(row)).ok()
}

fn micros(column: &ArrayRef, row: usize) -> Option<i64> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => {
            column.as_primitive::<TimestampSecondType>().value(row).saturating_mul(1_000_000)
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            column.as_primitive::<TimestampMillisecondType>().value(row).saturating_mul(1000)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            column.as_primitive::<TimestampMicrosecondType>().value(row)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            column.as_primitive::<TimestampNanosecondType>().value(row).div_euclid(1000)
        }
        _ => return None,
    })
}

/// Names and values of a row.
fn headers(column: &ArrayRef, row: usize) -> Vec<(&[u8], &[u8])> {
    let Some(list) = column.as_list_opt::<i32>().filter(|list| list.is_valid(row)) else { return Vec::new() };
    let range = list.value_offsets().get(row..).and_then(|offsets| offsets.first_chunk::<2>());
    let Some([from, to]) = range.copied() else { return Vec::new() };
    let pairs: Option<&StructArray> = list.values().as_struct_opt();
    let Some((names, values)) =
        pairs.and_then(|pairs| Some((pairs.columns().first()?, pairs.columns().get(1)?)))
    else {
        return Vec::new();
    };
    let at = |at: i32| {
        let at = usize::try_from(at).ok()?;
        Some((bytes(names, at)?, bytes(values, at)?))
    };
    (from..to).filter_map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RequestBuilder;

    #[test]
    fn requests_come_back() {
        let rows = [
            RequestRow {
                origin: Origin {
                    begins: Begins::Packet(7),
                    stream: Some(2),
                    client: Some("192.0.2.0/24".into()),
                    ..Origin::new("a.pcap", 1)
                },
                id: None,
                label: Some("x"),
                time: Some(-5),
                source: "wire",
                request: Ok(&b"GET /\xFF"[..]),
            },
            RequestRow {
                origin: Origin::new("a.har", 2),
                id: Some("1"),
                label: None,
                time: None,
                source: "har",
                request: Err(RequestParts {
                    method: b"GET",
                    target: b"/",
                    headers: vec![(b"a", b"b"), (b"c", b"\xFF")],
                    body: Some(b""),
                    ..RequestParts::default()
                }),
            },
        ];
        let mut builder = RequestBuilder::default();
        rows.iter().for_each(|row| builder.push(row));
        let batch = builder.finish();
        // The second by itself, so that lists begin in the middle.
        for (batch, rows) in [(batch.clone(), &rows[..]), (batch.slice(1, 1), &rows[1..])] {
            let requests = Requests::of(&batch).unwrap();
            assert_eq!(requests.len(), rows.len());
            for (back, row) in requests.iter().zip(rows) {
                assert_eq!(format!("{back:?}"), format!("{row:?}"));
            }
        }
        let less = batch.project(&[0, 1]).unwrap();
        assert!(Requests::of(&less).unwrap_err().to_string().contains("no column 'line'"));
    }
}
