//! Every flag's own requests, and the text about it.

mod common;

use common::vectors;
use tamiz::{Canonicalizer, Config, Flag, Profile};

fn flags_of(request: &[u8]) -> Vec<String> {
    let mut config = Config::default();
    config.profile = Profile::Full;
    let document = Canonicalizer::new(config).canonicalize(request);
    document.rollup().map(|flag| flag.split(':').next().unwrap().to_owned()).collect()
}

#[test]
fn each_flag_is_raised_by_its_request_and_not_by_its_near_miss() {
    let mut wrong = Vec::new();
    for flag in Flag::ALL {
        if !flags_of(flag.raises()).iter().any(|name| name == flag.name()) {
            wrong.push(format!("{flag} is not raised by its request"));
        }
        if flags_of(flag.near_miss()).iter().any(|name| name == flag.name()) {
            wrong.push(format!("{flag} is raised by its near miss"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn each_flag_has_its_evidence() {
    let mut config = Config::default();
    config.profile = Profile::Full;
    let tamiz = Canonicalizer::new(config);
    // What is raised by something missing has nothing to point at.
    let absent = ["NOEOH"];
    for flag in Flag::ALL {
        let request = flag.raises();
        let document = tamiz.canonicalize_with_evidence(request);
        assert_eq!(document, tamiz.canonicalize(request), "evidence changes no text");
        let raised = document.flags().find(|raised| raised.flag() == *flag).unwrap();
        assert_eq!(raised.evidence().is_empty(), absent.contains(&flag.name()), "{flag}");
        for range in raised.evidence() {
            assert!(range.start < range.end && range.end <= request.len(), "{flag}: {range:?}");
        }
    }
}

#[test]
fn each_flag_is_documented() {
    let spec = include_str!("../../../spec/canonical-form.md");
    for flag in Flag::ALL {
        for text in [flag.meaning(), flag.why()] {
            assert!(text.ends_with('.') && text.len() > 5, "{flag}: {text}");
        }
        let heading = format!("**{} ", flag.clause());
        assert!(spec.contains(&heading), "{flag}: clause {} is not in the specification", flag.clause());
        assert!(spec.contains(&format!("`{}", flag.name())), "{flag} is not in the specification");
    }
}

/// A word that documents have and the list has not could not be asked for by name.
#[test]
fn words_of_all_vectors_are_listed() {
    let mut seen = std::collections::BTreeSet::new();
    for vector in vectors::all() {
        let document: tamiz::Document = vector.document.parse().unwrap();
        for raised in document.flags().filter(|raised| raised.flag().parameter() == Some("word")) {
            let (flag, word) = (raised.flag(), raised.parameter().unwrap());
            assert!(flag.words().contains(&word), "{}: {flag}:{word}", vector.name);
            seen.insert(flag);
        }
    }
    assert!(Flag::ALL.iter().all(|flag| flag.words().is_empty() || seen.contains(flag)), "{seen:?}");
}
