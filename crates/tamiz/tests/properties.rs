//! Properties, over generated requests, in both views and all profiles.
//!
//! `PROPTEST_CASES` sets how many requests each property is tried on.

mod common;

use std::sync::LazyLock;

use common::generate::{self, Wire};
use common::properties::check;
use proptest::prelude::*;
use tamiz::{Canonicalizer, Scratch};

/// Both views in all profiles.
static ALL: LazyLock<Vec<Canonicalizer>> = LazyLock::new(common::canonicalizers);

/// What fails becomes a vector, not a file of seeds.
fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

/// All properties of one request.
fn holds(request: &[u8]) -> Result<(), TestCaseError> {
    let mut scratch = Scratch::default();
    for tamiz in ALL.iter() {
        let (view, profile) = (tamiz.config().view, tamiz.config().profile);
        check(tamiz, &mut scratch, request).map_err(|fault| {
            TestCaseError::fail(format!("{view:?} {profile:?}: {fault}\n{}", tamiz.canonicalize(request)))
        })?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_request_has_its_properties(Wire(request) in generate::request()) {
        holds(&request)?;
    }

    #[test]
    fn any_bytes_have_their_properties(request in proptest::collection::vec(any::<u8>(), 0..300)) {
        holds(&request)?;
    }
}

#[test]
fn every_vector_has_its_properties() {
    let mut faults = Vec::new();
    for vector in common::vectors::all() {
        faults.extend(holds(&vector.request()).err().map(|fault| format!("{}: {fault}", vector.name)));
    }
    assert!(faults.is_empty(), "{} vectors:\n{}", faults.len(), faults.join("\n"));
}
