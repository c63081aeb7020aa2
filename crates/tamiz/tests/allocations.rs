//! In steady state a document costs no allocation, and one as an owned [`tamiz::Document`].
//!
//! Allocations are counted in the whole process, so this file has one test.

mod common;

use std::alloc::System;

use common::{canonicalizers, vectors};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tamiz::{Canonicalizer, Scratch};

#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Requests with one of these may allocate: crates for decompression do, and deep JSON takes a word for 64 levels.
const EXCEPTIONS: [&str; 3] = ["Content-Encoding", "content-encoding", "[[[[[[[["];

/// How many allocations `work` makes, at least; whatever else the process does at times is left out.
fn allocations(mut work: impl FnMut()) -> usize {
    let once = |_| {
        let region = Region::new(MEMORY);
        work();
        let stats = region.change();
        stats.allocations + stats.reallocations
    };
    (0..3).map(once).min().unwrap()
}

/// Documents as text, in memory that is used again.
fn check_into(tamiz: &Canonicalizer, requests: &[Vec<u8>]) {
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    // What comes for the second time is kept; for the third, it is known.
    for request in requests.iter().chain(requests).chain(requests) {
        out.clear();
        tamiz.canonicalize_into(&mut scratch, request, &mut out);
    }
    for request in requests {
        let count = allocations(|| {
            out.clear();
            tamiz.canonicalize_into(&mut scratch, request, &mut out);
        });
        assert_eq!(count, 0, "{}", request.escape_ascii());
    }
}

/// Documents of their own: one allocation for what each says.
fn check_owned(tamiz: &Canonicalizer, requests: &[Vec<u8>]) {
    for request in requests.iter().chain(requests).chain(requests) {
        drop(tamiz.canonicalize(request));
    }
    for request in requests {
        let count = allocations(|| drop(tamiz.canonicalize(request)));
        assert_eq!(count, 1, "{}", request.escape_ascii());
    }
}

#[test]
fn vectors_in_steady_state() {
    let is_exception = |request: &[u8]| {
        let holds = |text: &&str| request.windows(text.len()).any(|window| window == text.as_bytes());
        request.len() > 4096 || EXCEPTIONS.iter().any(holds)
    };
    let mut requests: Vec<Vec<u8>> = vectors::all().iter().map(vectors::Vector::request).collect();
    let all = requests.len();
    requests.retain(|request| !is_exception(request));
    assert!(requests.len() > all * 9 / 10, "{} of {all}", requests.len());
    for tamiz in canonicalizers() {
        check_into(&tamiz, &requests);
        check_owned(&tamiz, &requests);
    }
}
