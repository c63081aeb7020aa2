//! Helpers of the integration tests.

#![allow(dead_code, unreachable_pub, reason = "each test includes it and uses its part")]

pub mod corpus;
pub mod digest;
pub mod generate;
pub mod grammar;
pub mod mutate;
pub mod oddities;
pub mod properties;
pub mod spelling;
pub mod vectors;

use std::path::PathBuf;

use tamiz::{Canonicalizer, Config, Profile, View};

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Both views in all profiles.
pub fn canonicalizers() -> Vec<Canonicalizer> {
    let choices = View::ALL.iter().flat_map(|&view| Profile::ALL.iter().map(move |&profile| (view, profile)));
    choices.map(|(view, profile)| canonicalizer(view, profile)).collect()
}

/// The default configuration but for view and profile.
pub fn canonicalizer(view: View, profile: Profile) -> Canonicalizer {
    let mut config = Config::default();
    (config.view, config.profile) = (view, profile);
    Canonicalizer::new(config)
}

/// The lines that differ, expected with `-`, actual with `+`.
pub fn diff(expected: &str, actual: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let gone = old.iter().filter(|line| !new.contains(line)).map(|line| format!("  - {line}\n"));
    let come = new.iter().filter(|line| !old.contains(line)).map(|line| format!("  + {line}\n"));
    gone.chain(come).collect()
}
