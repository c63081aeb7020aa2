//! Parquet files: a row a request, with a column of its bytes (`raw`), with its parts as `tamiz batch --format requests` writes
//! them, or with columns under the names of JSON lines or of a mapping.

use std::fs::File;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::file::reader::ChunkReader;
use serde_json::{Map, Value};
use tamiz::Source;

use crate::compressed;
use crate::container::Reader;
use crate::id::Id;
use crate::jsonl;
use crate::lines::too_long;
use crate::mapping::Mapping;
use crate::memory::{self, Promise};
use crate::record::{At, Found, Parts, Reason};
use crate::seekable::Seekable;
use crate::time::Time;

/// Rows that are read at once: requests may be long.
const ROWS: usize = 256;

pub(crate) struct Rows {
    reader: ParquetRecordBatchReader,
    batch: Option<RecordBatch>,
    row: usize,
    mapping: Arc<Mapping>,
    limit: usize,
    is_over: bool,
}

impl Rows {
    /// Opens a file, or one that is in memory.
    ///
    /// # Errors
    /// When it cannot be opened, its directory is damaged, or it expands as only bombs do.
    pub(crate) fn open(place: Seekable, mapping: Arc<Mapping>, limit: usize) -> Result<Self, Reason> {
        let reader = match place {
            Seekable::File(path) => rows(
                File::open(path)
                    .map_err(|error| Reason::from(format!("cannot be opened: {}", error.kind())))?,
            ),
            Seekable::Memory(bytes) => rows(Bytes::from_owner(bytes)),
        };
        Ok(Rows { reader: reader?, batch: None, row: 0, mapping, limit, is_over: false })
    }
}

/// Returns whether bytes begin such a file.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PAR1")
}

/// Reads the directory of a file.
fn rows(file: impl ChunkReader + 'static) -> Result<ParquetRecordBatchReader, Reason> {
    let damaged = |_| Reason::from("a Parquet file whose directory is damaged or missing");
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(damaged)?;
    let is_bomb = builder.metadata().row_groups().iter().flat_map(|group| group.columns()).any(|column| {
        let size = |size: i64| u64::try_from(size).unwrap_or(u64::MAX);
        compressed::is_bomb(size(column.compressed_size()), size(column.uncompressed_size()))
    });
    if is_bomb {
        return Err(
            "a Parquet file whose columns expand to more than 400 times their size, as only bombs do".into(),
        );
    }
    // A page may be all of a column of its group.
    let columns = builder.metadata().row_groups().iter().flat_map(|group| group.columns());
    let longest =
        columns.map(|column| usize::try_from(column.uncompressed_size()).unwrap_or(usize::MAX)).max();
    if Promise::for_copies(longest.unwrap_or(0), 1).is_none() {
        return Err(memory::REASON.into());
    }
    builder.with_batch_size(ROWS).build().map_err(damaged)
}

impl Reader for Rows {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        loop {
            if let Some(batch) = self.batch.as_ref().filter(|batch| self.row < batch.num_rows()) {
                let row = self.row;
                self.row = row.saturating_add(1);
                let found = read(batch, row, &self.mapping);
                let is_too_long = found.as_ref().is_ok_and(|found| found.request.len() > self.limit);
                let found = if is_too_long { Err(too_long(self.limit)) } else { found };
                return Some((At::Whole, found));
            }
            if self.is_over {
                return None;
            }
            self.row = 0;
            self.batch = None;
            match self.reader.next() {
                None => self.is_over = true,
                Some(Ok(batch)) => self.batch = Some(batch),
                Some(Err(_)) => {
                    self.is_over = true;
                    let reason = "a Parquet file that is damaged, or of a compression that is not read";
                    return Some((At::Whole, Err(reason.into())));
                }
            }
        }
    }
}

/// The request of a row.
fn read(batch: &RecordBatch, row: usize, mapping: &Mapping) -> Result<Found, Reason> {
    let value = |name: &str| batch.column_by_name(name).and_then(|column| value_of(column.as_ref(), row));
    let text = |name: &str| value(name).and_then(|text| String::from_utf8(text).ok());
    let mut found = if mapping.is_empty()
        && let Some(raw) = value("raw")
    {
        Found::raw(raw)
    } else if mapping.is_empty()
        && let (Some(method), Some(target)) = (value("method"), value("target"))
    {
        if method.is_empty() {
            return Err("no method in it".into());
        }
        let headers = batch.column_by_name("headers").map(|column| headers(column.as_ref(), row));
        let parts = Parts {
            method,
            target,
            scheme: value("scheme"),
            authority: value("authority"),
            version: value("version"),
            headers: headers.unwrap_or_default(),
            body: value("body"),
        };
        Found::parts(parts, Source::JsonLines)
    } else {
        let mut object = Map::new();
        for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
            if let Some(value) = json(column.as_ref(), row) {
                object.insert(field.name().clone(), value);
            }
        }
        jsonl::object(&Value::Object(object), mapping)?
    };
    if let Some(source) = text("source").and_then(|source| source.parse().ok()) {
        found.source = source;
    }
    found.id = found.id.or_else(|| text("id").map(Id::from));
    found.label = found.label.or_else(|| text("label"));
    let moment = |name: &str| batch.column_by_name(name).and_then(|column| time(column.as_ref(), row));
    found.time = ["timestamp", "time", "ts"].iter().find_map(|name| moment(name)).or(found.time);
    Ok(found)
}

/// A value of bytes or of text.
fn value_of(column: &dyn Array, row: usize) -> Option<Vec<u8>> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Binary => column.as_binary::<i32>().value(row).to_vec(),
        DataType::LargeBinary => column.as_binary::<i64>().value(row).to_vec(),
        DataType::Utf8 => column.as_string::<i32>().value(row).as_bytes().to_vec(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).as_bytes().to_vec(),
        _ => return None,
    })
}

/// A list of pairs of names and values.
fn headers(column: &dyn Array, row: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let entries = match column.data_type() {
        DataType::List(_) if column.is_valid(row) => column.as_list::<i32>().value(row),
        DataType::Map(..) if column.is_valid(row) => {
            let pairs = column.as_map().value(row);
            return pairs_of(&pairs);
        }
        _ => return Vec::new(),
    };
    entries.as_struct_opt().map(pairs_of).unwrap_or_default()
}

fn pairs_of(pairs: &arrow_array::StructArray) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (Some(names), Some(values)) = (pairs.columns().first(), pairs.columns().get(1)) else {
        return Vec::new();
    };
    let pair = |at| Some((value_of(names.as_ref(), at)?, value_of(values.as_ref(), at)?));
    (0..pairs.len()).filter_map(pair).collect()
}

/// When a row is from.
fn time(column: &dyn Array, row: usize) -> Option<Time> {
    if column.is_null(row) {
        return None;
    }
    let micros = match column.data_type() {
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
            column.as_primitive::<TimestampNanosecondType>().value(row) / 1000
        }
        _ => return Time::parse(&value_of(column, row)?),
    };
    Some(Time::from_micros(micros))
}

/// A value as JSON has it: text, numbers and truths; headers as pairs.
fn json(column: &dyn Array, row: usize) -> Option<Value> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Boolean => column.as_boolean().value(row).into(),
        DataType::Int8 => column.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => column.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into(),
        DataType::UInt8 => column.as_primitive::<UInt8Type>().value(row).into(),
        DataType::UInt16 => column.as_primitive::<UInt16Type>().value(row).into(),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).into(),
        DataType::Float32 => column.as_primitive::<Float32Type>().value(row).into(),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).into(),
        DataType::List(_) | DataType::Map(..) => {
            let pairs = headers(column, row);
            let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes).into_owned());
            pairs.iter().map(|(name, value)| Value::Array(vec![text(name), text(value)])).collect()
        }
        _ => String::from_utf8(value_of(column, row)?).ok()?.into(),
    })
}
