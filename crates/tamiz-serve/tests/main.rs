//! The tests of the service, as one program: linking eight took five times as long.

mod answers;
mod batch;
#[cfg(feature = "ext-proc")]
mod check;
mod common;
#[allow(dead_code, unreachable_pub, reason = "shared with the library's tests; this uses its part")]
#[path = "../../tamiz/tests/common/corpus.rs"]
mod corpus;
mod documents;
mod grafana;
mod hostile;
mod limits;
mod score;
#[allow(dead_code, unreachable_pub, reason = "shared with the library's tests; this uses its part")]
#[path = "../../tamiz/tests/common/vectors.rs"]
mod vectors;

use common::root;

/// A file that is not named above would not run.
#[test]
fn every_file_is_part_of_this_program() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if path.extension().is_some_and(|extension| extension == "rs") && name != "main" {
            assert!(include_str!("main.rs").contains(&format!("\nmod {name};\n")), "{name}");
        }
    }
}
