//! Every vector in every view and profile, with default and with small limits: text, evidence, JSON and tokens, by the
//! digests of `spec/digests.tsv`. `vectors.rs` compares documents, each in one view and profile; this notices the rest.

mod common;

use common::digest::{digest, small_limits};
use common::vectors;
use tamiz::{Config, Limits, Profile, View};

/// Compares a row of `spec/digests.tsv`.
fn holds(set: &str, view: View, profile: Profile, limits: Limits) {
    let rows = std::fs::read_to_string(common::root().join("spec/digests.tsv")).unwrap();
    let start = format!("{set}\t{view}\t{profile}\t");
    let row = rows.lines().find_map(|line| line.strip_prefix(&start));
    let requests: Vec<Vec<u8>> = vectors::all().iter().map(vectors::Vector::request).collect();
    let mut config = Config::default();
    (config.view, config.profile, config.limits) = (view, profile, limits);
    let found = format!("{}\t{}", requests.len(), digest(&requests, config));
    assert_eq!(
        row,
        Some(&*found),
        "{set}, {view}, {profile}: `cargo x digests --write` keeps a change that is meant"
    );
}

/// Both sets, in a view and a profile.
fn both_hold(view: View, profile: Profile) {
    holds("vectors", view, profile, Limits::default());
    holds("vectors-small-limits", view, profile, small_limits());
}

#[test]
fn shapes_in_core() {
    both_hold(View::Shape, Profile::Core);
}

#[test]
fn shapes_in_standard() {
    both_hold(View::Shape, Profile::Standard);
}

#[test]
fn shapes_in_full() {
    both_hold(View::Shape, Profile::Full);
}

#[test]
fn literals_in_core() {
    both_hold(View::Literal, Profile::Core);
}

#[test]
fn literals_in_standard() {
    both_hold(View::Literal, Profile::Standard);
}

#[test]
fn literals_in_full() {
    both_hold(View::Literal, Profile::Full);
}
