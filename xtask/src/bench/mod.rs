//! `cargo x bench`: measurements.

mod hostile;

use std::path::Path;

use crate::Result;

/// Runs a measurement; `None` when there is none of that name.
pub(crate) fn command(root: &Path, arguments: &[&str]) -> Option<Result<()>> {
    match arguments {
        ["hostile"] => Some(hostile::run(root, None)),
        ["hostile", only] => Some(hostile::run(root, Some(only))),
        _ => None,
    }
}
