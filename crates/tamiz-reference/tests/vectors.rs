//! Every vector of `spec/vectors/` through the reference.

mod common;

use common::vectors;
use tamiz_reference::{canonicalize, tokens};

/// How many vectors there are.
const TOTAL: usize = 3968;

#[test]
fn vectors_hold() {
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

/// The tokens of the vectors that name them, all of them in their order.
#[test]
fn tokens_hold() {
    let mut failures = Vec::new();
    for vector in vectors::all() {
        let Some(expected) = vector.tokens() else { continue };
        let actual = tokens(&vector.request(), &vector.options());
        if actual != expected {
            failures.push(format!("{}\n  - {}\n  + {}", vector.name, expected.join(" "), actual.join(" ")));
        }
    }
    assert!(failures.is_empty(), "{} fail\n{}", failures.len(), failures.join("\n"));
}

/// Nothing recurses as deep as the input nests: the stack of a test's thread is small.
#[test]
fn depth_is_no_recursion() {
    let deep = ["[".repeat(100_000), "]".repeat(100_000)].concat();
    let request = format!("POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: {}\r\n\r\n{deep}", deep.len());
    let document = canonicalize(request.as_bytes(), &tamiz_reference::Options::default());
    assert!(document.contains("\nB:json "), "{document}");
}
