//! Random secrets of every kind, in every place and spelling: none is in any output.
//!
//! A run takes a sample. `TAMIZ_LEAKS=all` takes every combination, which lasts minutes;
//! `TAMIZ_LEAKS_SEED=7` takes other secrets and another sample. A failure names its seed.

mod canaries;

use canaries::{ByContent, ByEcho, ByPath, ByPlace, Case, Rng, look};
use tamiz::{Canonicalizer, Config, Document, Profile, View};

fn canonicalizers() -> Vec<Canonicalizer> {
    let mut all = Vec::new();
    for &view in View::ALL {
        for &profile in Profile::ALL {
            let mut config = Config::default();
            (config.view, config.profile) = (view, profile);
            all.push(Canonicalizer::new(config));
        }
    }
    all
}

/// Everything that the library says about a request.
fn outputs(request: &[u8], canonicalizers: &[Canonicalizer]) -> Vec<String> {
    let mut outputs = Vec::new();
    for canonicalizer in canonicalizers {
        let document = canonicalizer.canonicalize_with_evidence(request);
        outputs.push(document.to_string());
        outputs.push(format!("{document:?}"));
        outputs.push(serde_json::to_string(&document).unwrap());
        outputs.push(document.tokens().join(" "));
    }
    let text = String::from_utf8_lossy(request);
    if let Err(error) = Document::parse(&text) {
        outputs.push(format!("{error} {error:?}"));
    }
    if let Err(error) = Config::from_toml(&text) {
        outputs.push(format!("{error} {error:?}"));
    }
    outputs
}

/// Runs cases by number and tells all that leak.
fn check(what: &str, total: usize, sample: usize, case: impl Fn(usize) -> Option<Case>) {
    let seed = canaries::seed();
    let canonicalizers = canonicalizers();
    let mut leaks = Vec::new();
    let mut tried = 0;
    for number in canaries::chosen(total, sample, &mut Rng::new(seed)) {
        let Some(case) = case(number) else { continue };
        tried += 1;
        for output in outputs(&case.request, &canonicalizers) {
            if let Some(piece) = look::leak(&output, &case.canary) {
                let request = case.request.escape_ascii();
                leaks.push(format!("{}: {piece}\n{request}\n{output}", case.name));
                break;
            }
        }
    }
    println!("{what}: {tried} requests of {total} combinations, seed {seed}");
    assert!(tried > 0);
    assert!(
        leaks.is_empty(),
        "{} of {tried} leak, TAMIZ_LEAKS_SEED={seed}:\n\n{}",
        leaks.len(),
        leaks.join("\n")
    );
}

#[test]
fn what_is_recognised_is_shown_nowhere() {
    let all = ByContent::new();
    check(&all.describe(), all.total(), 2_500, |number| all.case(number, canaries::seed()));
}

#[test]
fn what_identifies_in_a_path_is_shown_nowhere() {
    let all = ByPath::new();
    check(&all.describe(), all.total(), 1_000, |number| all.case(number, canaries::seed()));
}

#[test]
fn what_stands_where_secrets_stand_is_shown_nowhere() {
    let all = ByPlace::new(false);
    check(&all.describe(), all.total(), 1_000, |number| all.case(number, canaries::seed()));
}

#[test]
fn echoes_of_secrets_are_shown_nowhere() {
    let all = ByEcho::new();
    check(&all.describe(), all.total(), 2_500, |number| all.case(number, canaries::seed()));
}

#[test]
fn echoes_in_pieces_are_shown_nowhere() {
    let all = ByEcho::in_pieces();
    check(&all.describe(), all.total(), 2_500, |number| all.case(number, canaries::seed()));
}
