//! Every vector in every view and profile, with default and with small limits, and mutations of all vectors: text, evidence,
//! JSON and tokens, by the digests of `spec/digests.tsv`. `vectors.rs` compares documents, each in one view and profile; this
//! notices the rest. `fast_vs_reference` of `crates/tamiz-fuzz` says that documents of mutations are right.

mod common;

use common::digest::{MUTATED, digest, mutated, small_limits};
use common::vectors;
use tamiz::{Config, Limits, Profile, View};

/// Compares a row of `spec/digests.tsv`, for all vectors or for what they mutate to by a seed.
fn holds(set: &str, seed: Option<u64>, view: View, profile: Profile, limits: Limits) {
    let rows = std::fs::read_to_string(common::root().join("spec/digests.tsv")).unwrap();
    let start = format!("{set}\t{view}\t{profile}\t");
    let row = rows.lines().find_map(|line| line.strip_prefix(&start));
    let mut requests: Vec<Vec<u8>> = vectors::all().iter().map(vectors::Vector::request).collect();
    if let Some(seed) = seed {
        requests = mutated(&requests, seed);
    }
    let mut config = Config::default();
    (config.view, config.profile, config.limits) = (view, profile, limits);
    let found = format!("{}\t{}", requests.len(), digest(&requests, config));
    assert_eq!(
        row,
        Some(&*found),
        "{set}, {view}, {profile}: `cargo x digests --write` keeps a change that is meant"
    );
}

/// All sets, in a view and a profile.
fn all_hold(view: View, profile: Profile) {
    holds("vectors", None, view, profile, Limits::default());
    holds("vectors-small-limits", None, view, profile, small_limits());
    for seed in MUTATED {
        holds(&format!("vectors-mutated-{seed}"), Some(seed), view, profile, Limits::default());
    }
}

#[test]
fn shapes_in_core() {
    all_hold(View::Shape, Profile::Core);
}

#[test]
fn shapes_in_standard() {
    all_hold(View::Shape, Profile::Standard);
}

#[test]
fn shapes_in_full() {
    all_hold(View::Shape, Profile::Full);
}

#[test]
fn literals_in_core() {
    all_hold(View::Literal, Profile::Core);
}

#[test]
fn literals_in_standard() {
    all_hold(View::Literal, Profile::Standard);
}

#[test]
fn literals_in_full() {
    all_hold(View::Literal, Profile::Full);
}
