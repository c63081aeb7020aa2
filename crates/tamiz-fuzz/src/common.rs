//! Files of the library's own tests: properties, the grammar they use, and the reader of vectors.
//!
//! They are included by path. As a crate of their own they would be a development dependency of the library that
//! depends on the library, which `cargo package` refuses.

#![allow(dead_code, unreachable_pub, missing_docs, reason = "the tests of the library use all of it")]

#[path = "../../tamiz/tests/common/grammar.rs"]
pub(crate) mod grammar;
#[path = "../../tamiz/tests/common/properties.rs"]
pub(crate) mod properties;
#[path = "../../tamiz/tests/common/spelling.rs"]
pub(crate) mod spelling;
#[path = "../../tamiz/tests/common/vectors.rs"]
pub(crate) mod vectors;

use std::path::PathBuf;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}
