//! Every vector of `spec/vectors/` through the reference.

mod common;

use common::vectors;
use tamiz_reference::canonicalize;

/// How many vectors there are, and how many the reference covers and holds.
const TOTAL: usize = 2801;
const HELD: usize = 2801;

#[test]
fn vectors_hold() {
    common::big_stack(check);
}

fn check() {
    let mut held = 0;
    let all = vectors::all();
    assert_eq!(all.len(), TOTAL);
    let mut failures = Vec::new();
    for vector in &all {
        let options = vector.options();
        let document = canonicalize(&vector.request(), &options);
        if document == vector.document {
            held += 1;
        } else {
            failures.push(format!("{}\n{}", vector.name, common::diff(&vector.document, &document)));
        }
    }
    eprintln!("{held} of {TOTAL} vectors hold");
    if let Some(path) = std::env::var_os("REFERENCE_FAILURES") {
        std::fs::write(path, failures.join("\n")).unwrap();
    }
    assert_eq!(held, HELD, "{}", failures.join("\n"));
}
