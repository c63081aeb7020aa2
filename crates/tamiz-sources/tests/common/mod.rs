//! Helpers of the tests: the vectors and the corpus, read as the library's own tests read them.

#![allow(dead_code, unreachable_pub, reason = "each test uses its part")]

use std::path::PathBuf;

#[path = "../../../tamiz/tests/common/corpus.rs"]
pub mod corpus;
#[path = "../../../tamiz/tests/common/vectors.rs"]
pub mod vectors;

/// The root of the project.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The requests of the registry and of the vectors.
pub fn requests() -> Vec<Vec<u8>> {
    let of_flags = tamiz::Flag::ALL.iter().flat_map(|flag| [flag.raises(), flag.near_miss()]);
    of_flags.map(<[u8]>::to_vec).chain(vectors::all().iter().map(vectors::Vector::request)).collect()
}
