//! `tamiz._tamiz`: what the Python package `tamiz` is made of.
//!
//! Each class is a thin wrapper; what is documented, typed and re-exported is in `python/tamiz/`. Nothing here
//! decides anything about a document.

#![allow(clippy::doc_lazy_continuation, reason = "docstrings of Python, whose examples look like quotations")]
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::string_slice
)]

#[cfg(feature = "columns")]
mod arrow;
#[cfg(not(feature = "columns"))]
#[path = "no_arrow.rs"]
mod arrow;
mod canonicalizer;
mod config;
mod document;
mod input;
mod model;
mod requests;

use pyo3::prelude::*;

/// Memory that a batch gave back is kept for the next: getting it anew from the system costs more than what is written to
/// it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule]
mod _tamiz {
    #[pymodule_export]
    use crate::canonicalizer::Canonicalizer;
    #[pymodule_export]
    use crate::document::{Document, Raised};
    #[pymodule_export]
    use crate::model::Model;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// The version of the form that documents are written in.
    #[pymodule_export]
    const FORM_VERSION: u32 = tamiz::FORM_VERSION;
}
