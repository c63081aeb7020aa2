//! Digests of what the library makes of requests: texts, evidence, JSON and tokens. `cargo x digests` uses them too.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use tamiz::{Canonicalizer, Config, Limits, Scratch};

use super::mutate::{Mutator, Random};

/// The digest of the documents of all requests, 16 bytes of it in hexadecimal.
pub fn digest(requests: &[Vec<u8>], config: Config) -> String {
    let tamiz = Canonicalizer::new(config);
    let mut scratch = Scratch::default();
    let (mut digest, mut text, mut evidence) = (Sha256::new(), Vec::new(), String::new());
    for request in requests {
        text.clear();
        evidence.clear();
        tamiz.canonicalize_into(&mut scratch, request, &mut text);
        let document = tamiz.canonicalize_with_evidence(request);
        for raised in document.flags() {
            let _ = write!(evidence, "{raised} {} {:?};", raised.place(), raised.evidence());
        }
        let _ = write!(evidence, "{:?}", document.secrets());
        let fresh = tamiz.canonicalize(request);
        digest.update(&text);
        digest.update(&evidence);
        digest.update(serde_json::to_string(&fresh).unwrap_or_default());
        digest.update(fresh.tokens().join(" "));
    }
    digest.finalize().iter().take(16).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Limits so small that most vectors meet one.
pub fn small_limits() -> Limits {
    let mut limits = Limits::default();
    limits.long_value = 8;
    limits.pairs = 2;
    limits.segments = 2;
    limits.headers = 2;
    limits.body_keys = 2;
    limits.flag_parameters = 1;
    limits.body_bytes = 64;
    limits.depth = 2;
    limits.parts = 2;
    limits.entities = 1;
    limits
}

/// The seeds that all vectors are mutated by.
pub const MUTATED: [u64; 3] = [1, 2, 3];

/// Mutates each request once: `seed` chooses how.
pub fn mutated(requests: &[Vec<u8>], seed: u64) -> Vec<Vec<u8>> {
    let mut mutator = Mutator::new(Random::new(seed), requests.iter().map(Vec::as_slice));
    let mutate = |request: &Vec<u8>| {
        let other = mutator.random().below(requests.len());
        mutator.mutate(request, requests.get(other).map_or(b"", Vec::as_slice))
    };
    requests.iter().map(mutate).collect()
}
