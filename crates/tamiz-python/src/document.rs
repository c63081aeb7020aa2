//! `tamiz.Document`.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use tamiz::Flag;

/// The canonical document of a request.
#[pyclass(frozen, module = "tamiz._tamiz")]
pub(crate) struct Document {
    inner: tamiz::Document,
    /// The request, where the evidence of its flags was asked for.
    request: Option<Vec<u8>>,
}

impl Document {
    pub(crate) fn new(inner: tamiz::Document) -> Self {
        Document { inner, request: None }
    }

    /// A document with its evidence, which lies in `request`.
    pub(crate) fn explained(inner: tamiz::Document, request: Vec<u8>) -> Self {
        Document { inner, request: Some(request) }
    }

    pub(crate) fn inner(&self) -> &tamiz::Document {
        &self.inner
    }

    fn request(&self) -> PyResult<&[u8]> {
        self.request.as_deref().ok_or_else(|| {
            PyValueError::new_err(
                "the document has no evidence: make it with canonicalize(request, evidence=True)",
            )
        })
    }
}

#[pymethods]
impl Document {
    /// Reads the text of a document, strictly. Raises ``ValueError`` that names the place.
    ///
    /// >>> document = tamiz.Canonicalizer().canonicalize(b"GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n")
    /// >>> tamiz.Document.parse(str(document)) == document
    /// True
    #[classmethod]
    fn parse(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        let document =
            tamiz::Document::parse(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
        for title in document.rollup() {
            let (name, parameter) = title.split_once(':').unwrap_or((title, ""));
            let known: Vec<&str> = Flag::from_name(name).into_iter().flat_map(Flag::classes).collect();
            if !known.is_empty() && !known.contains(&parameter) {
                let known = known.join(", ");
                return Err(PyValueError::new_err(format!(
                    "flag {name} has one of {known}, not {parameter:?}"
                )));
            }
        }
        Ok(Document::new(document))
    }

    fn __str__(&self) -> &str {
        self.inner.as_str()
    }

    fn __repr__(&self) -> String {
        let flags: Vec<&str> = self.inner.rollup().collect();
        let url = self.inner.url().or(self.inner.path()).unwrap_or("");
        format!("<tamiz.Document {} {url} [{}]>", self.inner.method(), flags.join(" "))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Document>().is_ok_and(|other| other.get().inner == self.inner)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.inner.as_str().hash(&mut hasher);
        hasher.finish()
    }

    /// Pickles as its text.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let parse = py.get_type::<Document>().getattr("parse")?;
        Ok((parse, PyTuple::new(py, [self.inner.as_str()])?))
    }

    /// Who handed over the request, as ``wire`` or ``nginx``; ``None`` of a document that was read back from its text.
    #[getter]
    fn source(&self) -> Option<&'static str> {
        self.inner.source().map(tamiz::Source::as_str)
    }

    /// The text, also ``str(document)``.
    #[getter]
    fn text(&self) -> &str {
        self.inner.as_str()
    }

    /// The method, as the document has it.
    #[getter]
    fn method(&self) -> &str {
        self.inner.method()
    }

    /// The whole URL, with its query; ``None`` where there is no host.
    #[getter]
    fn url(&self) -> Option<&str> {
        self.inner.url()
    }

    /// The path; ``None`` where the target has none.
    #[getter]
    fn path(&self) -> Option<&str> {
        self.inner.path()
    }

    /// The keys of the query; ``None`` without one.
    #[getter]
    fn query_keys(&self) -> Option<Vec<&str>> {
        self.inner.query_keys()
    }

    /// Names and values of the headers, as the document has them.
    #[getter]
    fn headers(&self) -> Vec<(&str, &str)> {
        self.inner.headers().iter().map(|header| (header.name, header.value)).collect()
    }

    /// The keys of a body that has some.
    #[getter]
    fn body_keys(&self) -> Option<Vec<&str>> {
        self.inner.body_keys()
    }

    /// The markers of a body's values, by key.
    #[getter]
    fn body_values(&self) -> Vec<(&str, Vec<&str>)> {
        self.inner.body_values()
    }

    /// The HTTP version; ``None`` for a document that was parsed.
    #[getter]
    fn version(&self) -> Option<&str> {
        self.inner.version()
    }

    /// The fingerprint it was made under; ``None`` for a document that was parsed.
    #[getter]
    fn fingerprint(&self) -> Option<&str> {
        self.inner.fingerprint().map(tamiz::Fingerprint::as_str)
    }

    /// Every flag with its parameter, as the ``FLAGS`` line lists them: ``KW:sql``.
    #[getter]
    fn flags(&self) -> Vec<&str> {
        self.inner.rollup().collect()
    }

    /// Every flag where it was raised.
    #[getter]
    fn raised(&self) -> Vec<Raised> {
        let raised = self.inner.flags().map(|raised| Raised {
            name: raised.flag().name(),
            parameter: raised.parameter().map(str::to_owned),
            place: raised.place().to_string(),
            evidence: raised.evidence().iter().map(|range| (range.start, range.end)).collect(),
        });
        raised.collect()
    }

    /// Strings for models that count words.
    #[getter]
    fn tokens(&self) -> Vec<String> {
        self.inner.tokens()
    }

    /// Strings for models that count words, on request with the exact length of each value.
    #[pyo3(signature = (*, lengths = false))]
    fn tokens_with(&self, lengths: bool) -> Vec<String> {
        let mut options = tamiz::TokenOptions::default();
        options.lengths = lengths;
        self.inner.tokens_with(options)
    }

    /// The JSON object of the document, by OpenTelemetry's names.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The document as a dictionary.
    ///
    /// >>> tamiz.Canonicalizer().canonicalize(b"GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n").to_dict()["url.path"]
    /// '/a'
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.to_json()?,))
    }

    /// The request, its evidence beneath it, and what its flags mean. Needs ``evidence=True``.
    #[pyo3(signature = (*, columns=100, name="request"))]
    fn explain(&self, columns: usize, name: &str) -> PyResult<String> {
        Ok(tamiz_explain::text(name, self.request()?, &self.inner, columns))
    }

    /// The explanation as HTML, which a notebook shows.
    fn explain_html(&self) -> PyResult<String> {
        Ok(tamiz_explain::html(self.request()?, &self.inner))
    }

    /// Shows the document in a notebook: the explanation where there is evidence, else the text.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        match self.explain_html() {
            Ok(html) => Ok(html),
            Err(_) => {
                let escaped: String =
                    py.import("html")?.call_method1("escape", (self.inner.as_str(),))?.extract()?;
                Ok(format!("<pre>{escaped}</pre>"))
            }
        }
    }
}

/// A flag that a document raises, where, and by which bytes of the request.
#[pyclass(frozen, get_all, module = "tamiz._tamiz")]
pub(crate) struct Raised {
    name: &'static str,
    parameter: Option<String>,
    place: String,
    evidence: Vec<(usize, usize)>,
}

#[pymethods]
impl Raised {
    /// The member of `tamiz.Flag`.
    #[getter]
    fn flag<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("tamiz._flags")?.getattr("Flag")?.call1((self.name,))
    }

    fn __str__(&self) -> String {
        match &self.parameter {
            Some(parameter) => format!("{}:{parameter}", self.name),
            None => self.name.to_owned(),
        }
    }

    fn __repr__(&self) -> String {
        format!("<tamiz.Raised {} at {}>", self.__str__(), self.place)
    }
}
