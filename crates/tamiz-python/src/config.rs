//! What a canonicalizer is made from, as Python says it.

use std::path::PathBuf;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};
use tamiz::Config;

/// A configuration from the text of a `tamiz.toml`, its path, or a mapping with the same keys.
pub(crate) fn read(given: Option<&Bound<'_, PyAny>>) -> PyResult<Config> {
    let Some(given) = given.filter(|given| !given.is_none()) else { return Ok(Config::default()) };
    if let Ok(text) = given.cast::<PyString>() {
        return Config::from_toml(text.to_str()?).map_err(|error| PyValueError::new_err(error.to_string()));
    }
    if let Ok(mapping) = given.cast::<PyMapping>() {
        return from_mapping(mapping);
    }
    if given.hasattr("__fspath__")? {
        let path: PathBuf = given.extract()?;
        let text = std::fs::read_to_string(&path)?;
        return Config::from_toml(&text)
            .map_err(|error| PyValueError::new_err(format!("{}: {error}", path.display())));
    }
    let kind = given.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "config must be the text of a tamiz.toml, its path or a mapping, not {kind}"
    )))
}

fn from_mapping(mapping: &Bound<'_, PyMapping>) -> PyResult<Config> {
    let py = mapping.py();
    let dict = py.get_type::<pyo3::types::PyDict>().call1((mapping,))?;
    let json: String = py.import("json")?.call_method1("dumps", (dict,))?.extract()?;
    from_json(&json)
}

/// The configuration that [`to_json`] wrote, or a mapping said.
pub(crate) fn from_json(json: &str) -> PyResult<Config> {
    serde_json::from_str(json).map_err(|error| PyValueError::new_err(format!("config: {}", plain(&error))))
}

/// A whole configuration, as JSON.
pub(crate) fn to_json(config: &Config) -> PyResult<String> {
    serde_json::to_string(config).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The message without a place in JSON that the caller never wrote.
fn plain(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rfind(" at line ") {
        Some(at) => message.get(..at).unwrap_or(&message).to_owned(),
        None => message,
    }
}

/// A word of a closed list, such as a profile.
pub(crate) fn word<T: std::str::FromStr>(name: &str, given: &str, known: &[&str]) -> PyResult<T> {
    given.parse().map_err(|_| {
        PyValueError::new_err(format!("{name} must be one of {}, not {given:?}", known.join(", ")))
    })
}
