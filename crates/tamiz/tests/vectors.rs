//! Every vector of `spec/vectors/`, exactly.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::vectors::{self, Vector};
use tamiz::{Canonicalizer, Config, Document, Scratch};

/// How many vectors there are: a file that stops loading must not pass silently.
const TOTAL: usize = 3968;
const SEEDS: usize = 181;

fn canonicalizer(vector: &Vector) -> Canonicalizer {
    let mut config = Config::default();
    config.view = vector.view.unwrap_or(config.view);
    config.profile = vector.profile.unwrap_or(config.profile);
    config.scheme = vector.scheme.unwrap_or(config.scheme);
    Canonicalizer::new(config)
}

#[test]
fn vectors_hold() {
    let mut failures = Vec::new();
    for vector in vectors::all() {
        let document = canonicalizer(&vector).canonicalize(&vector.request()).to_string();
        if document != vector.document {
            failures.push(format!("{}\n{}", vector.name, common::diff(&vector.document, &document)));
        }
    }
    assert!(failures.is_empty(), "{} vectors fail:\n\n{}", failures.len(), failures.join("\n"));
}

/// A `Scratch` that other requests have used changes no document.
#[test]
fn vectors_hold_in_used_memory() {
    let mut scratches = BTreeMap::<String, Scratch>::new();
    for vector in vectors::all() {
        let tamiz = canonicalizer(&vector);
        let scratch = scratches.entry(tamiz.fingerprint().to_string()).or_default();
        let mut text = Vec::new();
        tamiz.canonicalize_into(scratch, &vector.request(), &mut text);
        assert_eq!(String::from_utf8_lossy(&text), vector.document, "{}", vector.name);
    }
}

/// The tokens of the vectors that name them, all of them in their order.
#[test]
fn tokens_hold() {
    let mut failures = Vec::new();
    for vector in vectors::all() {
        let Some(expected) = vector.tokens() else { continue };
        let actual = canonicalizer(&vector).canonicalize(&vector.request()).tokens();
        if actual != expected {
            failures.push(format!("{}\n  - {}\n  + {}", vector.name, expected.join(" "), actual.join(" ")));
        }
    }
    assert!(failures.is_empty(), "{} vectors fail:\n\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn all_vectors_are_there() {
    let all = vectors::all();
    assert_eq!(all.len(), TOTAL);
    assert_eq!(all.iter().filter(|vector| vector.seed.is_some()).count(), SEEDS);
    let names: BTreeSet<_> = all.iter().map(|vector| &vector.name).collect();
    assert_eq!(names.len(), all.len(), "names are unique");
}

#[test]
fn documents_of_vectors_parse_back() {
    for vector in vectors::all() {
        let parsed =
            Document::parse(&vector.document).unwrap_or_else(|error| panic!("{}: {error}", vector.name));
        assert_eq!(parsed.as_str(), vector.document);
    }
}

/// The example of a seed holds as it is, or the vector says why it does not.
#[test]
fn seeds_hold_or_are_superseded() {
    for vector in vectors::all() {
        if vector.seed.is_none() {
            continue;
        }
        let lines = vector.seed_lines.iter().flatten();
        let lines_hold =
            lines.clone().all(|line| vector.document.lines().any(|shown| shown.contains(line.as_str())));
        let rollup: Vec<&str> = vector
            .document
            .lines()
            .find_map(|line| line.strip_prefix("FLAGS:[")?.strip_suffix(']'))
            .map(|flags| flags.split(' ').collect())
            .unwrap_or_default();
        let flags_hold = vector.seed_flags.as_ref().is_none_or(|flags| *flags == rollup);
        assert_eq!(lines_hold && flags_hold, vector.superseded.is_none(), "{}", vector.name);
    }
}
