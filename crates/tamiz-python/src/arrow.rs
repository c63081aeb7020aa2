//! `Canonicalizer.canonicalize_arrow`: requests in a column of Arrow, documents in a batch. It is the feature `columns`;
//! `no_arrow.rs` stands for it without.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, new_empty_array};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use pyo3_arrow::input::AnyArray;
use tamiz::Scratch;
use tamiz_columns::{Builder, Row};

/// Columns as Python gives them.
pub(crate) struct Columns<'a, 'py> {
    pub(crate) requests: &'a Bound<'py, PyAny>,
    pub(crate) ids: Option<&'a Bound<'py, PyAny>>,
    pub(crate) labels: Option<&'a Bound<'py, PyAny>>,
}

/// The documents of a column of requests, as a batch of pyarrow.
pub(crate) fn canonicalize<'py>(
    py: Python<'py>,
    canonicalizer: &tamiz::Canonicalizer,
    scratch: &mut Scratch,
    columns: &Columns<'_, 'py>,
    source: Option<&str>,
    nulls: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let column = |name, given: Option<&Bound<'py, PyAny>>| {
        given.filter(|given| !given.is_none()).map(|given| Column::read(name, given)).transpose()
    };
    let task = Task {
        canonicalizer,
        requests: Column::read("requests", columns.requests)?,
        ids: columns.ids.filter(|ids| !ids.is_none()).map(|ids| Column::read_any("ids", ids)).transpose()?,
        labels: column("labels", columns.labels)?,
        source: source.unwrap_or(canonicalizer.config().source.as_str()),
        nulls: Nulls::read(nulls)?,
    };
    task.check()?;
    py.detach(|| task.run(scratch))?.into_pyarrow(py)
}

/// The treatment of a row that is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nulls {
    /// It is a mistake.
    Raise,
    /// It has no row in the batch.
    Drop,
}

impl Nulls {
    fn read(word: &str) -> PyResult<Self> {
        match word {
            "raise" => Ok(Nulls::Raise),
            "drop" => Ok(Nulls::Drop),
            _ => Err(PyValueError::new_err(format!("nulls must be one of raise, drop, not {word:?}"))),
        }
    }
}

/// A column of bytes or text, in chunks.
struct Column {
    name: &'static str,
    chunks: Vec<ArrayRef>,
    data_type: DataType,
}

impl Column {
    /// Takes over an array or chunked array without copying it.
    fn read(name: &'static str, given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let column = Self::read_any(name, given)?;
        if column.is_text() {
            return Ok(column);
        }
        let found = column.data_type;
        Err(PyTypeError::new_err(format!("{name} must be of bytes or text, not {found}")))
    }

    /// Takes over an array of whatever type.
    fn read_any(name: &'static str, given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let kind = || given.get_type().name().map(|name| name.to_string()).unwrap_or_default();
        let array: AnyArray = given.extract().map_err(|_| {
            PyTypeError::new_err(format!("{name} must be an Arrow array or chunked array, not {}", kind()))
        })?;
        let (chunks, field) = array.into_chunked_array().map_err(PyErr::from)?.into_inner();
        Ok(Column { name, chunks, data_type: field.data_type().clone() })
    }

    fn is_text(&self) -> bool {
        matches!(
            self.data_type,
            DataType::Binary
                | DataType::LargeBinary
                | DataType::BinaryView
                | DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Null
        )
    }

    /// One array of the rows that are chosen.
    fn chosen(&self, chosen: &BooleanArray) -> Result<ArrayRef, ArrowError> {
        let chunks: Vec<&dyn Array> = self.chunks.iter().map(AsRef::as_ref).collect();
        if chunks.is_empty() {
            return Ok(new_empty_array(&self.data_type));
        }
        arrow_select::filter::filter(&arrow_select::concat::concat(&chunks)?, chosen)
    }

    fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    /// The rows, in their order.
    fn rows(&self) -> impl Iterator<Item = Option<&[u8]>> {
        self.chunks.iter().flat_map(|chunk| (0..chunk.len()).map(move |at| value(chunk, at)))
    }
}

fn value(chunk: &ArrayRef, at: usize) -> Option<&[u8]> {
    if chunk.is_null(at) {
        return None;
    }
    Some(match chunk.data_type() {
        DataType::Binary => chunk.as_binary::<i32>().value(at),
        DataType::LargeBinary => chunk.as_binary::<i64>().value(at),
        DataType::BinaryView => chunk.as_binary_view().value(at),
        DataType::Utf8 => chunk.as_string::<i32>().value(at).as_bytes(),
        DataType::LargeUtf8 => chunk.as_string::<i64>().value(at).as_bytes(),
        DataType::Utf8View => chunk.as_string_view().value(at).as_bytes(),
        _ => return None,
    })
}

/// The batch of a column of requests.
struct Task<'t> {
    canonicalizer: &'t tamiz::Canonicalizer,
    requests: Column,
    ids: Option<Column>,
    labels: Option<Column>,
    source: &'t str,
    nulls: Nulls,
}

impl Task<'_> {
    fn check(&self) -> PyResult<()> {
        let rows = self.requests.len();
        for column in [&self.ids, &self.labels].into_iter().flatten() {
            if column.len() != rows {
                let (name, found) = (column.name, column.len());
                return Err(PyValueError::new_err(format!("{name} has {found} rows, requests has {rows}")));
            }
        }
        Ok(())
    }

    /// Does the work: nothing of Python is needed.
    fn run(&self, scratch: &mut Scratch) -> PyResult<PyRecordBatch> {
        /// The most bytes that a column of text can hold.
        const MOST: usize = i32::MAX as usize;
        let fingerprint = self.canonicalizer.fingerprint().as_str();
        let mut builder = Builder::default();
        // Documents are about as long as what they are of.
        let bytes = self.requests.rows().flatten().map(<[u8]>::len).fold(0, usize::saturating_add);
        builder.expect(self.requests.len(), bytes.min(MOST));
        let mut text = Vec::new();
        let mut written = 0_usize;
        let mut ids = self.ids.as_ref().filter(|ids| ids.is_text()).map(Column::rows);
        let mut labels = self.labels.as_ref().map(Column::rows);
        for (at, request) in self.requests.rows().enumerate() {
            let id = ids.as_mut().and_then(Iterator::next).flatten();
            let label = labels.as_mut().and_then(Iterator::next).flatten();
            let Some(request) = request else {
                match self.nulls {
                    Nulls::Drop => continue,
                    Nulls::Raise => {
                        return Err(PyValueError::new_err(format!("row {at} of requests is null")));
                    }
                }
            };
            text.clear();
            self.canonicalizer.canonicalize_into(scratch, request, &mut text);
            written = written.saturating_add(text.len());
            if written > MOST {
                return Err(PyOverflowError::new_err(format!(
                    "the documents up to row {at} are more than a column holds: give fewer rows at a time"
                )));
            }
            // A document is text, whatever the request is.
            let shown = std::str::from_utf8(&text).unwrap_or_default();
            let id = id.map(String::from_utf8_lossy);
            let label = label.map(String::from_utf8_lossy);
            let row = Row::new(shown, self.source, fingerprint);
            builder.push(&Row { id: id.as_deref(), label: label.as_deref(), ..row });
        }
        let batch = builder.finish();
        match self.ids.as_ref().filter(|ids| !ids.is_text()) {
            Some(ids) => self.with_ids(&batch, ids).map_err(|error| PyValueError::new_err(error.to_string())),
            None => Ok(PyRecordBatch::new(batch)),
        }
    }

    /// The batch with a column `id` of the type that it came with.
    fn with_ids(&self, batch: &RecordBatch, ids: &Column) -> Result<PyRecordBatch, ArrowError> {
        let has_row: BooleanArray = self.requests.rows().map(|request| Some(request.is_some())).collect();
        let ids = ids.chosen(&has_row)?;
        let at = batch.schema_ref().index_of("id")?;
        let field = |(place, field): (usize, &Arc<Field>)| {
            if place == at {
                Arc::new(Field::new("id", ids.data_type().clone(), true))
            } else {
                Arc::clone(field)
            }
        };
        let fields: Vec<Arc<Field>> = batch.schema_ref().fields().iter().enumerate().map(field).collect();
        let columns = batch.columns().iter().enumerate();
        let columns =
            columns.map(|(place, column)| if place == at { &ids } else { column }).cloned().collect();
        Ok(PyRecordBatch::new(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?))
    }
}
