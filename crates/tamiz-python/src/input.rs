//! Bytes that Python hands over.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

/// Bytes that stay as they are while the interpreter does something else: `bytes` are borrowed, what may
/// change is copied.
pub(crate) struct Input(PyBackedBytes);

impl AsRef<[u8]> for Input {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for Input {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Input(PyBackedBytes::from(bytes.to_owned())));
        }
        if let Ok(bytes) = object.cast::<PyByteArray>() {
            return Ok(Input(PyBackedBytes::from(bytes.to_owned())));
        }
        if object.cast::<PyMemoryView>().is_ok() {
            let bytes = object.call_method0("tobytes")?;
            return Ok(Input(PyBackedBytes::from(bytes.cast_into::<PyBytes>()?)));
        }
        let kind = object.get_type().name()?;
        let hint = if object.is_instance_of::<PyString>() {
            " (a request is bytes: encode the text, for example as latin-1)"
        } else {
            ""
        };
        Err(PyTypeError::new_err(format!("expected bytes, bytearray or memoryview, not {kind}{hint}")))
    }
}

/// Text or bytes: a method, a target, a header.
pub(crate) struct TextOrBytes(Vec<u8>);

impl AsRef<[u8]> for TextOrBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for TextOrBytes {
    type Error = PyErr;

    /// Text is UTF-8; a lone surrogate of `surrogateescape` is the byte it stands for.
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if !object.is_instance_of::<PyString>() {
            return Ok(TextOrBytes(object.extract::<Input>()?.as_ref().to_vec()));
        }
        let encoded = object.call_method1("encode", ("utf-8", "surrogateescape")).map_err(|_| {
            PyValueError::new_err("text with a lone surrogate: it is no UTF-8 and stands for no byte")
        })?;
        Ok(TextOrBytes(encoded.extract::<Input>()?.as_ref().to_vec()))
    }
}
