//! Helpers of the tests.

#![allow(dead_code, unreachable_pub, reason = "each test includes it and uses its part")]

#[path = "../../../tamiz/tests/common/corpus.rs"]
pub mod corpus;
pub mod vectors;

use std::path::PathBuf;

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The lines that differ, expected with `-`, actual with `+`.
pub fn diff(expected: &str, actual: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let gone = old.iter().filter(|line| !new.contains(line)).map(|line| format!("  - {line}\n"));
    let come = new.iter().filter(|line| !old.contains(line)).map(|line| format!("  + {line}\n"));
    gone.chain(come).collect()
}
