//! How well tokens alone tell odd requests from usual ones: those never seen at an endpoint, and the rarest one.
//!
//! An endpoint is a method and a path. Counts are learned from one file of valid requests; a second file of valid
//! requests sets the threshold for a share of false positives, and attacks are scored against it.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::path::Path;

use tamiz::{Canonicalizer, Document};

use crate::{Result, corpus};

/// Shares of false positives for which recall is told.
pub(super) const FALSE_POSITIVES: [f64; 3] = [0.05, 0.01, 0.001];

/// The results for three files.
pub(super) struct Novelty {
    /// The share of attacks above each threshold of [`FALSE_POSITIVES`], in percent.
    pub(super) recall: [f64; 3],
    /// The share of attacks that have the tokens of a valid request, in percent.
    pub(super) collisions: f64,
}

/// Learns from valid requests, and scores other valid requests and attacks.
pub(super) fn measure(
    learned: &Path,
    valid: &Path,
    attacks: &Path,
    tamiz: &Canonicalizer,
) -> Result<Novelty> {
    let mut counts = Counts::default();
    let mut seen = HashSet::new();
    for_each(learned, tamiz, |document, tokens| {
        seen.insert(digest(tokens));
        counts.learn(endpoint(document), tokens);
    })?;
    let mut usual = Vec::new();
    for_each(valid, tamiz, |document, tokens| {
        seen.insert(digest(tokens));
        usual.push(counts.score(&endpoint(document), tokens));
    })?;
    let (mut odd, mut same) = (Vec::new(), 0);
    for_each(attacks, tamiz, |document, tokens| {
        same += usize::from(seen.contains(&digest(tokens)));
        odd.push(counts.score(&endpoint(document), tokens));
    })?;
    usual.sort_by(f64::total_cmp);
    let recall = FALSE_POSITIVES.map(|share| recall(&usual, &odd, share));
    Ok(Novelty { recall, collisions: percent(same, odd.len()) })
}

fn for_each(
    path: &Path,
    tamiz: &Canonicalizer,
    mut each: impl FnMut(&Document, &BTreeSet<String>),
) -> Result<()> {
    for row in corpus::rows(path, 1)? {
        let document = tamiz.canonicalize(&row?.request);
        let tokens = document.tokens().into_iter().collect();
        each(&document, &tokens);
    }
    Ok(())
}

fn endpoint(document: &Document) -> String {
    format!("{} {}", document.method(), document.path().unwrap_or_default())
}

fn digest(tokens: &BTreeSet<String>) -> u64 {
    let mut hasher = DefaultHasher::new();
    tokens.hash(&mut hasher);
    hasher.finish()
}

/// How many requests of each endpoint had each token.
#[derive(Default)]
struct Counts(HashMap<String, HashMap<String, usize>>);

impl Counts {
    fn learn(&mut self, endpoint: String, tokens: &BTreeSet<String>) {
        let counts = self.0.entry(endpoint).or_default();
        for token in tokens {
            *counts.entry(token.clone()).or_default() += 1;
        }
    }

    /// The number of tokens never seen at the endpoint, and, below one, how rare the rarest other one is.
    fn score(&self, endpoint: &str, tokens: &BTreeSet<String>) -> f64 {
        let Some(counts) = self.0.get(endpoint) else { return tokens.len() as f64 };
        let seen = tokens.iter().filter_map(|token| counts.get(token));
        let rarest = seen.clone().min().map_or(0.0, |count| 1.0 / (1.0 + *count as f64));
        (tokens.len() - seen.count()) as f64 + rarest
    }
}

/// The share of `odd` scores, in percent, above the threshold that at most `share` of the `usual` ones pass. The
/// usual ones are sorted.
fn recall(usual: &[f64], odd: &[f64], share: f64) -> f64 {
    let allowed = (usual.len() as f64 * share) as usize;
    let threshold = usual.iter().rev().nth(allowed).copied().unwrap_or(f64::NEG_INFINITY);
    percent(odd.iter().filter(|score| **score > threshold).count(), odd.len())
}

pub(super) fn percent(count: usize, of: usize) -> f64 {
    100.0 * count as f64 / of.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(tokens: &[&str]) -> BTreeSet<String> {
        tokens.iter().map(|token| (*token).to_owned()).collect()
    }

    #[test]
    fn scores_grow_with_what_is_new() {
        let mut counts = Counts::default();
        for _ in 0..3 {
            counts.learn("GET /".to_owned(), &set(&["a", "b"]));
        }
        counts.learn("GET /".to_owned(), &set(&["a", "c"]));
        let score = |tokens: &[&str]| counts.score("GET /", &set(tokens));
        assert!(score(&["a", "b"]) < score(&["a", "c"]));
        assert!(score(&["a", "c"]) < score(&["a", "b", "x"]));
        assert!(score(&["a", "x"]) < score(&["x", "y"]));
        assert_eq!(counts.score("GET /other", &set(&["a", "b"])), 2.0);
    }

    #[test]
    fn thresholds_hold_for_the_usual_ones() {
        let usual: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(recall(&usual, &[93.0, 94.0, 95.0, 200.0], 0.05), 50.0);
        assert_eq!(recall(&usual, &[99.0, 100.0], 0.001), 50.0);
    }
}
