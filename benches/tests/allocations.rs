//! Reading the corpora costs no allocation in steady state, and one a request as owned documents.
//!
//! Allocations are counted in the whole process, so this file has one test.

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tamiz::{Canonicalizer, Config, Scratch};
use tamiz_bench::generate;

#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

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

#[test]
fn every_corpus_in_steady_state() {
    let tamiz = Canonicalizer::new(Config::default());
    for name in generate::names() {
        let most = if name == "big" { 20 } else { 200 };
        let requests = generate::requests(name, most).unwrap();
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        let mut read_all = || {
            for request in &requests {
                out.clear();
                tamiz.canonicalize_into(&mut scratch, request, &mut out);
            }
        };
        read_all();
        assert_eq!(allocations(read_all), 0, "{name}");
        let read_owned = || requests.iter().for_each(|request| drop(tamiz.canonicalize(request)));
        read_owned();
        assert_eq!(allocations(read_owned), requests.len(), "{name}");
    }
}
