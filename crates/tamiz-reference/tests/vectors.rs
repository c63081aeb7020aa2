//! Every vector of `spec/vectors/` through the reference.

mod common;

use common::vectors;
use tamiz_reference::canonicalize;

/// How many vectors there are.
const TOTAL: usize = 2897;

#[test]
fn vectors_hold() {
    common::big_stack(check);
}

fn check() {
    let all = vectors::all();
    assert_eq!(all.len(), TOTAL);
    let mut failures = Vec::new();
    for vector in &all {
        let options = vector.options();
        let document = canonicalize(&vector.request(), &options);
        if document != vector.document {
            failures.push(format!("{}\n{}", vector.name, common::diff(&vector.document, &document)));
        }
    }
    assert!(failures.is_empty(), "{} of {TOTAL} fail\n{}", failures.len(), failures.join("\n"));
}
