//! `cargo x bench`: measurements.

mod batch;
mod callgrind;
mod compare;
mod edge;
mod hostile;
mod learn;
mod peers;
mod processor;
mod profile;
mod programs;
mod python;
mod rounds;
mod serve;
mod soak;

use std::path::Path;

use crate::Result;

/// Measures how work and memory grow with requests made to hurt.
pub(crate) fn hostile(root: &Path) -> Result<()> {
    hostile::run(root, None)
}

/// Runs a measurement; `None` when there is none of that name.
pub(crate) fn command(root: &Path, arguments: &[&str]) -> Option<Result<()>> {
    match arguments {
        ["batch"] => Some(batch::run(root)),
        ["edge", options @ ..] => edge::Options::read(options).map(|options| edge::run(root, &options)),
        ["hostile"] => Some(hostile::run(root, None)),
        ["hostile", only] => Some(hostile::run(root, Some(only))),
        ["instructions", only @ ..] => Some(profile::instructions(root, only)),
        ["learn"] => Some(learn::run(root)),
        ["score", only @ ..] => Some(profile::score(root, only)),
        ["python"] => Some(python::run(root)),
        ["serve", options @ ..] => serve::Options::read(options).map(|options| serve::run(root, &options)),
        ["profile", corpus] => Some(profile::run(root, corpus)),
        arguments => compare::Options::read(arguments).map(|options| compare::run(root, &options)),
    }
}
