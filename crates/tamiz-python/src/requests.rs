//! `Canonicalizer.canonicalize_requests`: batches of `tamiz batch --format requests` to those of documents.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;
use tamiz::{Canonicalizer, Parts, Scratch, Source};
use tamiz_columns::{Builder, OriginBuilder, RecordBatch, Requests, Row};

/// Takes over a batch without copying it.
pub(crate) fn read(given: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let kind = || given.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    let batch: PyRecordBatch = given.extract().map_err(|_| {
        PyTypeError::new_err(format!("requests must be an Arrow record batch, not {}", kind()))
    })?;
    Ok(batch.into_inner())
}

/// Makes the documents of a batch of requests, with the columns that `tamiz batch` writes.
pub(crate) fn documents(
    canonicalizer: &Canonicalizer,
    batch: &RecordBatch,
    scratch: &mut Scratch,
) -> PyResult<PyRecordBatch> {
    let requests = Requests::of(batch).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let (mut rows, mut origins) = (Builder::default(), OriginBuilder::default());
    let mut text = Vec::new();
    for request in requests.iter() {
        text.clear();
        match &request.request {
            Ok(raw) => canonicalizer.canonicalize_into(scratch, raw, &mut text),
            Err(cut) => {
                let mut parts = Parts::new(cut.method, cut.target);
                (parts.scheme, parts.authority) = (cut.scheme, cut.authority);
                (parts.version, parts.body) = (cut.version, cut.body);
                for (name, value) in &cut.headers {
                    parts.header(name, value);
                }
                text.extend_from_slice(canonicalizer.canonicalize_parts(&parts).as_str().as_bytes());
            }
        }
        let source = match canonicalizer.config().source {
            Source::Wire => request.source.parse().unwrap_or(Source::Wire),
            named => named,
        };
        let fingerprint = canonicalizer.fingerprint().with_source(source);
        // A document is text, whatever the request is.
        let shown = std::str::from_utf8(&text).unwrap_or_default();
        let row = Row::new(shown, source.as_str(), fingerprint.as_str());
        rows.push(&Row { id: request.id, label: request.label, time: request.time, ..row });
        origins.push(&request.origin);
    }
    let documents =
        origins.append_to(&rows.finish()).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(PyRecordBatch::new(documents))
}
