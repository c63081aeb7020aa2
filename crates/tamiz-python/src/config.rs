//! Reads the options of a canonicalizer from Python arguments.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use pyo3::exceptions::{PyFileNotFoundError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};
use tamiz::Config;

/// A configuration from the path of a `tamiz.toml`, or a mapping with the same keys.
pub(crate) fn read(given: Option<&Bound<'_, PyAny>>) -> PyResult<Config> {
    let Some(given) = given.filter(|given| !given.is_none()) else { return Ok(Config::default()) };
    if let Ok(mapping) = given.cast::<PyMapping>() {
        return from_mapping(mapping);
    }
    if given.is_instance_of::<PyString>() || given.hasattr("__fspath__")? {
        return from_path(&given.extract::<PathBuf>()?);
    }
    let kind = given.get_type().name()?;
    Err(PyTypeError::new_err(format!("config must be the path of a tamiz.toml or a mapping, not {kind}")))
}

/// A configuration from the text of a `tamiz.toml`.
pub(crate) fn from_toml(text: &str) -> PyResult<Config> {
    Config::from_toml(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn from_path(path: &Path) -> PyResult<Config> {
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let hint = "no such configuration (its text, not its path, is for Canonicalizer.from_toml)";
            PyFileNotFoundError::new_err((error.raw_os_error(), hint, path.display().to_string()))
        }
        ErrorKind::InvalidData => PyValueError::new_err(format!("{}: not UTF-8", path.display())),
        _ => PyErr::from(error),
    })?;
    Config::from_toml(&text).map_err(|error| PyValueError::new_err(format!("{}: {error}", path.display())))
}

fn from_mapping(mapping: &Bound<'_, PyMapping>) -> PyResult<Config> {
    read_value(mapping.as_any()).or_else(|error| Err(blamed(mapping, &[])?.unwrap_or(error)))
}

/// The configuration that a value of Python says.
fn read_value(value: &Bound<'_, PyAny>) -> PyResult<Config> {
    let py = value.py();
    let value = if value.is_instance_of::<PyDict>() {
        value.clone()
    } else {
        py.get_type::<PyDict>().call1((value,))?
    };
    from_json(&py.import("json")?.call_method1("dumps", (value,))?.extract::<String>()?)
}

/// The error of the first key that cannot stand alone, by its whole name: `limits.body`.
fn blamed(mapping: &Bound<'_, PyMapping>, outer: &[Bound<'_, PyAny>]) -> PyResult<Option<PyErr>> {
    let py = mapping.py();
    for item in mapping.items()?.iter() {
        let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let path: Vec<Bound<'_, PyAny>> = outer.iter().cloned().chain([key]).collect();
        let mut alone = value.clone();
        for key in path.iter().rev() {
            let one = PyDict::new(py);
            one.set_item(key, alone)?;
            alone = one.into_any();
        }
        let Err(error) = read_value(&alone) else { continue };
        if let Ok(inner) = value.cast::<PyMapping>()
            && let Some(found) = blamed(inner, &path)?
        {
            return Ok(Some(found));
        }
        let names: Vec<String> =
            path.iter().map(|key| Ok(key.str()?.to_string())).collect::<PyResult<_>>()?;
        return Ok(Some(named(&names.join("."), &value, &error)?));
    }
    Ok(None)
}

/// The error of one key: with the type that it has and the one that is wanted, where that is what is wrong.
fn named(key: &str, value: &Bound<'_, PyAny>, error: &PyErr) -> PyResult<PyErr> {
    let message = error.value(value.py()).to_string();
    let message = message.strip_prefix("config: ").unwrap_or(&message);
    let kind = value.get_type().name()?;
    if error.is_instance_of::<PyTypeError>(value.py()) {
        return Ok(PyTypeError::new_err(format!("config: {key}: no configuration holds {kind}")));
    }
    let wanted = match message.strip_prefix("invalid type: ").and_then(|rest| rest.rsplit_once(", expected "))
    {
        Some((_, "usize" | "u64" | "u32")) => "a whole number",
        Some((_, wanted)) => wanted,
        // What a reader of JSON says where one of some words is to be.
        None if message == "expected value" => "text",
        None => return Ok(PyValueError::new_err(format!("config: {key}: {message}"))),
    };
    Ok(PyTypeError::new_err(format!("config: {key} must be {wanted}, not {kind}")))
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
pub(crate) fn word<T: FromStr>(name: &str, given: &Bound<'_, PyAny>, known: &[&str]) -> PyResult<T> {
    let known = known.join(", ");
    let Ok(text) = given.cast::<PyString>() else {
        let kind = given.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{name} must be one of {known}, not {kind}")));
    };
    let text = text.to_str()?;
    text.parse().map_err(|_| PyValueError::new_err(format!("{name} must be one of {known}, not {text:?}")))
}
