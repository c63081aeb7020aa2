//! Replaces `arrow.rs` in a package built without the feature `columns`: says how to get it.

use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use tamiz::Scratch;

/// Columns as Python gives them.
#[expect(dead_code, reason = "nothing is made of them")]
pub(crate) struct Columns<'a, 'py> {
    pub(crate) requests: &'a Bound<'py, PyAny>,
    pub(crate) ids: Option<&'a Bound<'py, PyAny>>,
    pub(crate) labels: Option<&'a Bound<'py, PyAny>>,
}

/// Says how to get columns.
pub(crate) fn canonicalize<'py>(
    _: Python<'py>,
    _: &tamiz::Canonicalizer,
    _: &mut Scratch,
    _: &Columns<'_, 'py>,
    _: Option<&str>,
    _: &str,
) -> PyResult<Bound<'py, PyAny>> {
    Err(PyNotImplementedError::new_err(
        "this tamiz was built without Arrow columns: install a released one, or build it with the feature 'columns'",
    ))
}
