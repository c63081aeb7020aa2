//! `tamiz learn`, `tamiz score` and `tamiz model`: models of what is usual, and how far requests are from them.

pub(crate) mod args;
#[cfg(feature = "columns")]
mod columns;
#[cfg(not(feature = "columns"))]
#[path = "no_columns.rs"]
mod columns;
pub(crate) mod drift;
pub(crate) mod learn;
pub(crate) mod model;
pub(crate) mod score;
pub(crate) mod show;

use std::fs;
use std::path::Path;

use tamiz::Canonicalizer;
use tamiz_detector::{Detector, Error, Model};

use crate::failure::{Failure, reason};

/// Reads a model.
///
/// # Errors
/// Says what is wrong with the file, as wrong usage.
pub(crate) fn read(path: &Path) -> Result<Model, Failure> {
    let bytes = fs::read(path).map_err(|error| {
        let reason = if path.is_dir() { "it is a directory".to_owned() } else { reason(&error) };
        Failure::Usage(format!("cannot read the model {}: {reason}", path.display()))
    })?;
    Model::from_bytes(&bytes).map_err(|error| unusable(Some(path), &error))
}

/// Reads a model, and makes sure that it is of what `canonicalizer` writes.
pub(crate) fn read_for(path: &Path, canonicalizer: &Canonicalizer) -> Result<Model, Failure> {
    let model = read(path)?;
    model.check_fingerprint(canonicalizer.fingerprint()).map_err(|error| unusable(Some(path), &error))?;
    Ok(model)
}

/// The detector of a model.
pub(crate) fn detector(path: &Path, canonicalizer: &Canonicalizer) -> Result<Detector, Failure> {
    Ok(Detector::new(read_for(path, canonicalizer)?))
}

/// Says what is wrong with a model, or with what it is used for.
pub(crate) fn unusable(path: Option<&Path>, error: &Error) -> Failure {
    Failure::Usage(match path {
        Some(path) => format!("{}: {error}", path.display()),
        None => error.to_string(),
    })
}
