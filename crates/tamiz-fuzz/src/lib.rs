//! Fuzz targets as plain functions, with the seeds they start from and one deterministic mutator.
//!
//! `tests/replay.rs` runs all of it as an ordinary test, alike on every machine. The programs of `fuzz/` hand the
//! targets to libFuzzer, which explores.

mod common;
pub mod dictionary;
pub mod escaped;
// The mutator that the digests of the library's tests use too: see `common.rs`.
#[path = "../../tamiz/tests/common/mutate.rs"]
pub mod mutate;
pub mod seeds;
mod settings;
pub mod targets;

use std::path::PathBuf;

pub use targets::{Checks, Target};

/// The root of the repository.
pub fn root() -> PathBuf {
    common::root()
}
