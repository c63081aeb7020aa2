//! `tamiz.Canonicalizer`.

use std::num::NonZero;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tamiz::{Parts, Profile, Scheme, Scratch, Source, View};

use crate::arrow::{self, Columns};
use crate::config;
use crate::document::Document;
use crate::input::{Input, TextOrBytes};
use crate::requests;

/// Turns requests into documents.
///
/// Cheap to share between threads: build one per configuration. Pickles as its configuration.
///
/// Parameters
/// ----------
/// config
///     The path of a ``tamiz.toml``, or a mapping with the same keys; its text is for ``from_toml``.
/// profile, view, scheme, source
///     Say so whatever the configuration says.
///
/// >>> tamiz.Canonicalizer({"flags": {"WSPAD": False}}, profile="full").config["profile"]
/// 'full'
#[pyclass(frozen, module = "tamiz._tamiz")]
pub(crate) struct Canonicalizer {
    inner: tamiz::Canonicalizer,
    /// Memory and caches that calls leave for the next.
    scratches: Mutex<Vec<Scratch>>,
}

/// A header as Python gives it.
type Header = (TextOrBytes, TextOrBytes);

#[pymethods]
impl Canonicalizer {
    #[new]
    #[pyo3(signature = (config=None, *, profile=None, view=None, scheme=None, source=None))]
    fn new(
        config: Option<&Bound<'_, PyAny>>,
        profile: Option<&Bound<'_, PyAny>>,
        view: Option<&Bound<'_, PyAny>>,
        scheme: Option<&Bound<'_, PyAny>>,
        source: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self::of(Words { profile, view, scheme, source }.over(config::read(config)?)?))
    }

    /// A canonicalizer from the text of a ``tamiz.toml``; the words say so whatever the text says.
    ///
    /// >>> tamiz.Canonicalizer.from_toml("profile = 'full'").config["profile"]
    /// 'full'
    #[staticmethod]
    #[pyo3(signature = (text, *, profile=None, view=None, scheme=None, source=None))]
    fn from_toml(
        text: &str,
        profile: Option<&Bound<'_, PyAny>>,
        view: Option<&Bound<'_, PyAny>>,
        scheme: Option<&Bound<'_, PyAny>>,
        source: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self::of(Words { profile, view, scheme, source }.over(config::from_toml(text)?)?))
    }

    /// The canonicalizer that `config_json` tells of.
    #[staticmethod]
    fn _from_json(json: &str) -> PyResult<Self> {
        Ok(Self::of(config::from_json(json)?))
    }

    /// The identity of rules, tables and configuration.
    #[getter]
    fn fingerprint(&self) -> &str {
        self.inner.fingerprint().as_str()
    }

    /// The whole configuration, by the keys of ``tamiz.toml``.
    #[getter]
    fn config<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (config::to_json(self.inner.config())?,))
    }

    /// The document of the wire bytes of one HTTP/1.x request. Any bytes give one.
    ///
    /// With ``evidence`` its flags tell which bytes raised them, and it can be explained.
    ///
    /// >>> request = b"GET //a/%2e%2e/b HTTP/1.1\r\nHost: ex.com\r\n\r\n"
    /// >>> document = tamiz.Canonicalizer().canonicalize(request, evidence=True)
    /// >>> document.path
    /// '/a/../b'
    /// >>> [request[start:end] for start, end in document.raised[0].evidence]
    /// [b'%2e%2e']
    #[pyo3(signature = (request, *, evidence=false))]
    fn canonicalize(&self, py: Python<'_>, request: Input, evidence: bool) -> Document {
        py.detach(|| {
            let bytes = request.as_ref();
            if evidence {
                Document::explained(self.inner.canonicalize_with_evidence(bytes), bytes.to_vec())
            } else {
                Document::new(self.inner.canonicalize(bytes))
            }
        })
    }

    /// The documents of requests, in their order.
    ///
    /// >>> requests = [b"GET /%d HTTP/1.1\r\nHost: ex.com\r\n\r\n" % n for n in range(3)]
    /// >>> [document.path for document in tamiz.Canonicalizer().canonicalize_many(requests, threads=2)]
    /// ['/0', '/1', '/2']
    #[pyo3(signature = (requests, *, threads=1))]
    fn canonicalize_many(
        &self,
        py: Python<'_>,
        requests: &Bound<'_, PyAny>,
        threads: usize,
    ) -> PyResult<Vec<Document>> {
        let Some(threads) = NonZero::new(threads) else {
            return Err(PyValueError::new_err("threads must be at least 1"));
        };
        let mut inputs: Vec<Input> = Vec::new();
        for (at, request) in requests.try_iter()?.enumerate() {
            inputs.push(request?.extract().map_err(|error: PyErr| named(py, at, &error))?);
        }
        Ok(py.detach(|| self.many(&inputs, threads)))
    }

    /// The documents of requests as the source of the configuration sees them, in their order.
    ///
    /// ``None`` stands for a request that it would refuse: ``refusal`` tells why. Sources of which no changes are
    /// known, as ``wire``, see what was sent.
    ///
    /// >>> requests = [b"GET /a HTTP/1.1\r\nHost: ex.com\r\nX_Id: 7\r\n\r\n", b"GET /../etc HTTP/1.1\r\nHost: ex.com\r\n\r\n"]
    /// >>> nginx = tamiz.Canonicalizer(source="nginx")
    /// >>> [document and document.flags for document in nginx.canonicalize_as_seen(requests)]
    /// [[], None]
    fn canonicalize_as_seen(
        &self,
        py: Python<'_>,
        requests: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<Option<Document>>> {
        let mut inputs: Vec<Input> = Vec::new();
        for (at, request) in requests.try_iter()?.enumerate() {
            inputs.push(request?.extract().map_err(|error: PyErr| named(py, at, &error))?);
        }
        let one =
            |request: &Input| tamiz_sources::document(&self.inner, request.as_ref()).ok().map(Document::new);
        Ok(py.detach(|| inputs.iter().map(one).collect()))
    }

    /// Why the source of the configuration would refuse a request; ``None`` if it would not.
    ///
    /// >>> tamiz.Canonicalizer(source="nginx").refusal(b"GET /../etc HTTP/1.1\r\nHost: ex.com\r\n\r\n")
    /// 'a path above its root'
    fn refusal(&self, request: Input) -> Option<&'static str> {
        match tamiz_sources::as_seen_by(self.inner.config().source, request.as_ref()) {
            tamiz_sources::Seen::Refused(refusal) => Some(refusal.as_str()),
            _ => None,
        }
    }

    /// The document of a request that someone else has cut already.
    ///
    /// >>> document = tamiz.Canonicalizer().canonicalize_parts(
    /// ...     method="POST", target="/login", headers=[("Host", "ex.com"), ("Content-Type", "application/json")],
    /// ...     body=b'{"user": "ana", "password": "1234"}')
    /// >>> document.body_values
    /// [('user', ['<lower:3>']), ('password', ['<SECRET:num:4>'])]
    #[pyo3(signature = (*, method, target, headers=Vec::new(), body=None, scheme=None, authority=None, version=None))]
    #[allow(clippy::too_many_arguments, reason = "each has a name in Python")]
    fn canonicalize_parts(
        &self,
        py: Python<'_>,
        method: TextOrBytes,
        target: TextOrBytes,
        headers: Vec<Header>,
        body: Option<Input>,
        scheme: Option<TextOrBytes>,
        authority: Option<TextOrBytes>,
        version: Option<TextOrBytes>,
    ) -> Document {
        py.detach(|| {
            let mut parts = Parts::new(method.as_ref(), target.as_ref());
            parts.scheme = scheme.as_ref().map(AsRef::as_ref);
            parts.authority = authority.as_ref().map(AsRef::as_ref);
            parts.version = version.as_ref().map(AsRef::as_ref);
            parts.body = body.as_ref().map(AsRef::as_ref);
            for (name, value) in &headers {
                parts.header(name.as_ref(), value.as_ref());
            }
            Document::new(self.inner.canonicalize_parts(&parts))
        })
    }

    /// The documents of a column of requests, as a batch: the columns of ``tamiz batch``'s Parquet.
    ///
    /// Takes an array or chunked array of bytes or text of any library that speaks Arrow (pyarrow, polars, …), without
    /// copying it; ``labels`` is a column of text of the same length, ``ids`` one of any type, which it keeps. A null
    /// request raises ``ValueError`` or, with ``nulls="drop"``, has no row. ``source`` is that of the configuration
    /// unless it is given.
    ///
    /// >>> import pyarrow
    /// >>> requests, labels = pyarrow.array([b"GET /a HTTP/1.1\r\n\r\n"]), pyarrow.array(["valid"])
    /// >>> batch = tamiz.Canonicalizer().canonicalize_arrow(requests, labels=labels)
    /// >>> batch.select(["label", "http.request.method", "url.path", "tamiz.flags"]).to_pylist()
    /// [{'label': 'valid', 'http.request.method': 'GET', 'url.path': '/a', 'tamiz.flags': ['BADHOST']}]
    #[pyo3(signature = (requests, *, ids=None, labels=None, source=None, nulls="raise"))]
    fn canonicalize_arrow<'py>(
        &self,
        py: Python<'py>,
        requests: &Bound<'py, PyAny>,
        ids: Option<&Bound<'py, PyAny>>,
        labels: Option<&Bound<'py, PyAny>>,
        source: Option<&str>,
        nulls: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = Columns { requests, ids, labels };
        let mut scratch = self.lock().pop().unwrap_or_default();
        let batch = arrow::canonicalize(py, &self.inner, &mut scratch, &columns, source, nulls);
        self.lock().push(scratch);
        batch
    }

    /// The documents of a batch of requests that ``tamiz batch --format requests`` wrote, by their bytes or by their
    /// parts: all columns of ``tamiz batch``, with where each request is from.
    ///
    /// >>> import pyarrow
    /// >>> request = {"input": "a.har", "record": 1, "source": "har", "method": b"GET", "target": b"/a"}
    /// >>> batch = pyarrow.RecordBatch.from_pylist([request], schema=tamiz.Canonicalizer.request_schema())
    /// >>> documents = tamiz.Canonicalizer().canonicalize_requests(batch)
    /// >>> documents.select(["url.path", "tamiz.source", "input", "record"]).to_pylist()
    /// [{'url.path': '/a', 'tamiz.source': 'har', 'input': 'a.har', 'record': 1}]
    fn canonicalize_requests<'py>(
        &self,
        py: Python<'py>,
        requests: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batch = requests::read(requests)?;
        let run = || {
            let mut scratch = self.lock().pop().unwrap_or_default();
            let documents = requests::documents(&self.inner, &batch, &mut scratch);
            self.lock().push(scratch);
            documents
        };
        py.detach(run)?.into_pyarrow(py)
    }

    /// The columns that ``canonicalize_requests`` takes.
    #[staticmethod]
    fn request_schema(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        pyo3_arrow::PySchema::new(tamiz_columns::request_schema()).into_pyarrow(py)
    }

    /// Pickles as its configuration.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let rebuild = py.get_type::<Canonicalizer>().getattr("_from_json")?;
        Ok((rebuild, PyTuple::new(py, [config::to_json(self.inner.config())?])?))
    }

    fn __repr__(&self) -> String {
        format!("<tamiz.Canonicalizer {}>", self.inner.fingerprint().as_str())
    }
}

/// Words that are given beside a configuration.
struct Words<'a, 'py> {
    profile: Option<&'a Bound<'py, PyAny>>,
    view: Option<&'a Bound<'py, PyAny>>,
    scheme: Option<&'a Bound<'py, PyAny>>,
    source: Option<&'a Bound<'py, PyAny>>,
}

impl Words<'_, '_> {
    /// Puts them over what a configuration says.
    fn over(&self, mut config: tamiz::Config) -> PyResult<tamiz::Config> {
        if let Some(profile) = self.profile {
            config.profile = config::word("profile", profile, &words(Profile::ALL, Profile::as_str))?;
        }
        if let Some(view) = self.view {
            config.view = config::word("view", view, &words(View::ALL, View::as_str))?;
        }
        if let Some(scheme) = self.scheme {
            config.scheme = config::word("scheme", scheme, &words(Scheme::ALL, Scheme::as_str))?;
        }
        if let Some(source) = self.source {
            config.source = config::word("source", source, &words(Source::ALL, Source::as_str))?;
        }
        Ok(config)
    }
}

fn words<T: Copy>(all: &[T], word: impl Fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|one| word(*one)).collect()
}

/// Adds to an error which item it is about.
fn named(py: Python<'_>, at: usize, error: &PyErr) -> PyErr {
    let message = format!("item {at}: {}", error.value(py));
    PyErr::from_type(error.get_type(py), message)
}

impl Canonicalizer {
    fn of(config: tamiz::Config) -> Self {
        Canonicalizer { inner: tamiz::Canonicalizer::new(config), scratches: Mutex::default() }
    }

    pub(crate) fn inner(&self) -> &tamiz::Canonicalizer {
        &self.inner
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Scratch>> {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The documents of requests, in their order.
    fn many(&self, requests: &[Input], threads: NonZero<usize>) -> Vec<Document> {
        let one = |request: &Input| Document::new(self.inner.canonicalize(request.as_ref()));
        if threads.get() == 1 || requests.len() < 2 * threads.get() {
            return requests.iter().map(one).collect();
        }
        let part = requests.len().div_ceil(threads.get());
        thread::scope(|scope| {
            let workers: Vec<_> = requests
                .chunks(part)
                .map(|part| scope.spawn(move || part.iter().map(one).collect::<Vec<_>>()))
                .collect();
            // A part that is lost must not shift the others.
            let documents = |worker: ScopedJoinHandle<'_, Vec<Document>>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            workers.into_iter().flat_map(documents).collect()
        })
    }
}
