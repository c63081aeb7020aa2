//! `tamiz._tamiz.Model`: what `tamiz.Detector` learns, and scores with.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tamiz_detector::{Detector, Error};

use crate::canonicalizer::Canonicalizer;
use crate::document::Document;

/// Counts of the tokens of requests, by endpoint and over all: the model of ``tamiz learn``.
///
/// >>> canonicalizer = tamiz.Canonicalizer()
/// >>> model = tamiz.Model(canonicalizer)
/// >>> model.learn(canonicalizer.canonicalize_many([b"GET / HTTP/1.1\r\nHost: ex.com\r\n\r\n"] * 3))
/// >>> model.requests
/// 3
#[pyclass(frozen, module = "tamiz._tamiz")]
pub(crate) struct Model {
    state: Mutex<State>,
}

struct State {
    model: tamiz_detector::Model,
    /// Learns, and remembers lines that came before; without requests.
    worker: Option<tamiz_detector::Model>,
    /// The model made ready to score; made when it is first asked for.
    detector: Option<Arc<Detector>>,
}

/// Scores, p-values, and how many tokens are new: one of each for a request.
type Columns = (Vec<f64>, Vec<f64>, Vec<u64>);

#[pymethods]
impl Model {
    /// A model without requests, for documents of the canonicalizer's configuration.
    #[new]
    fn new(canonicalizer: &Bound<'_, Canonicalizer>) -> PyResult<Self> {
        let fingerprint = canonicalizer.get().inner().fingerprint();
        Ok(Model::of(tamiz_detector::Model::new(fingerprint).map_err(value_error)?))
    }

    /// Reads a model that ``tamiz learn`` or ``to_bytes`` wrote.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Model::of(tamiz_detector::Model::from_bytes(bytes).map_err(value_error)?))
    }

    /// The file of the model: the same bytes for the same requests, in whatever order they were learned.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = py.detach(|| self.lock().model.to_bytes());
        PyBytes::new(py, &bytes)
    }

    /// How many requests were learned.
    #[getter]
    fn requests(&self) -> u64 {
        self.lock().model.requests()
    }

    /// The fingerprint of the documents that can be learned and scored, as those of requests by their bytes have it.
    #[getter]
    fn fingerprint(&self) -> String {
        self.lock().model.fingerprint().to_owned()
    }

    /// Counts documents. All of them are counted, or none.
    fn learn(&self, py: Python<'_>, documents: Vec<Py<Document>>) -> PyResult<()> {
        let learned = py.detach(|| {
            let mut state = self.lock();
            // Where a document is refused, the worker goes, with all that it has counted.
            let mut worker = state.worker.take().unwrap_or_else(|| state.model.clone_empty());
            documents.iter().try_for_each(|document| worker.learn(document.get().inner()))?;
            state.detector = None;
            let part = worker.take();
            state.worker = Some(worker);
            state.model.merge(&part)
        });
        learned.map_err(|error| mismatch(py, error))
    }

    /// Adds the counts of another model.
    fn merge(&self, py: Python<'_>, other: &Bound<'_, Model>) -> PyResult<()> {
        // A copy, so that no two locks are held: a model may be merged with itself.
        let other = other.get().lock().model.clone();
        let mut state = self.lock();
        state.detector = None;
        state.model.merge(&other).map_err(|error| mismatch(py, error))
    }

    /// Scores documents: a list of scores, one of p-values, and one of the numbers of tokens that are new.
    fn score(&self, py: Python<'_>, documents: Vec<Py<Document>>) -> PyResult<Columns> {
        let mut columns = Columns::default();
        for score in self.each(py, &documents, Detector::score)? {
            columns.0.push(score.value());
            columns.1.push(score.p_value().unwrap_or(1.0));
            columns.2.push(score.new_tokens());
        }
        Ok(columns)
    }

    /// Scores documents: a JSON object for each, with its reasons, as ``tamiz score --format jsonl`` has it.
    fn explain(&self, py: Python<'_>, documents: Vec<Py<Document>>) -> PyResult<Vec<String>> {
        let explained = self.each(py, &documents, Detector::explain)?;
        let texts: Result<Vec<String>, _> = explained.iter().map(serde_json::to_string).collect();
        texts.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The score above which a p-value is at most ``share``.
    fn threshold(&self, py: Python<'_>, share: f64) -> f64 {
        py.detach(|| self.detector().alert_above(share))
    }

    fn __repr__(&self) -> String {
        format!("<tamiz.Model of {} requests>", self.requests())
    }
}

impl Model {
    fn of(model: tamiz_detector::Model) -> Self {
        Model { state: Mutex::new(State { model, worker: None, detector: None }) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn detector(&self) -> Arc<Detector> {
        let mut state = self.lock();
        let State { model, detector, .. } = &mut *state;
        Arc::clone(detector.get_or_insert_with(|| Arc::new(Detector::new(model.clone()))))
    }

    /// Scores each document.
    fn each<T: Send>(
        &self,
        py: Python<'_>,
        documents: &[Py<Document>],
        score: fn(&Detector, &tamiz::Document) -> Result<T, Error>,
    ) -> PyResult<Vec<T>> {
        let scores: Result<Vec<T>, Error> = py.detach(|| {
            let detector = self.detector();
            documents.iter().map(|document| score(&detector, document.get().inner())).collect()
        });
        scores.map_err(|error| mismatch(py, error))
    }
}

fn value_error(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// `tamiz.FingerprintMismatch`, which names both, where that is what is wrong.
fn mismatch(py: Python<'_>, error: Error) -> PyErr {
    let Error::Fingerprint { model, other } = error else { return value_error(error) };
    let class = py.import("tamiz").and_then(|tamiz| tamiz.getattr("FingerprintMismatch"));
    match class.and_then(|class| class.call1((model, other))) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
