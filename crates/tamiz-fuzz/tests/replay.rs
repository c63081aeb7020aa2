//! Every target on every seed, on every kept input and on a fixed number of mutations: alike on every machine.
//!
//! `TAMIZ_FUZZ_MUTATIONS` sets how many mutations each target gets, `TAMIZ_FUZZ_SEED` of which seed, and
//! `TAMIZ_FUZZ_START` the number of the first one: the mutations before it are made and not run. A failure prints the
//! target, the seed, the number of the mutation and the input, as `tamiz-fuzz keep` takes it. Mutations are made of the
//! vectors: a number means the same input as long as no vector is changed.

use std::env;
use std::panic::{self, AssertUnwindSafe};

use tamiz_fuzz::seeds::{self, Mutations};
use tamiz_fuzz::{Checks, Target};

/// The seed that is run when no other is asked for.
const SEED: u64 = 1;

/// After so many failures a target is given up.
const FAILURES: usize = 20;

fn number(variable: &str) -> Option<u64> {
    env::var(variable)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")))
}

/// Runs one target on all its inputs.
fn replay(name: &str, mutations: u64) {
    let target = Target::by_name(name).unwrap();
    let count = number("TAMIZ_FUZZ_MUTATIONS").unwrap_or(mutations);
    let seed = number("TAMIZ_FUZZ_SEED").unwrap_or(SEED);
    let start = number("TAMIZ_FUZZ_START").unwrap_or(0);
    let mut replay = Replay { target, run: 0, failures: Vec::new() };
    for input in seeds::seeds(target) {
        replay.run(&format!("seed {}", input.name), &input.input);
    }
    for input in seeds::kept(target).unwrap() {
        replay.run(&format!("kept {}", input.name), &input.input);
    }
    let mut mutations = Mutations::new(target, seed);
    for _ in 0..start {
        mutations.next_input();
    }
    for n in (start..).take(usize::try_from(count).unwrap()) {
        replay.run(&format!("mutation {n} of seed {seed}"), &mutations.next_input());
    }
    replay.report();
}

struct Replay {
    target: Target,
    run: usize,
    failures: Vec<String>,
}

impl Replay {
    fn run(&mut self, what: &str, input: &[u8]) {
        self.run += 1;
        // What a panic leaves behind is memory of the thread, which the next input clears.
        let Err(payload) = panic::catch_unwind(AssertUnwindSafe(|| (self.target.run)(input, Checks::All)))
        else {
            return;
        };
        let message = payload.downcast_ref::<String>().map(String::as_str);
        let message =
            message.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without text");
        let name = self.target.name;
        self.failures.push(format!("target {name}, {what}: {message}\ninput '{}'\n", input.escape_ascii()));
        if self.failures.len() == FAILURES {
            self.report();
        }
    }

    fn report(&self) {
        let (name, failed) = (self.target.name, self.failures.len());
        eprintln!("{name}: {} inputs, {failed} failures", self.run);
        assert!(self.failures.is_empty(), "{failed} of {} inputs:\n{}", self.run, self.failures.join("\n"));
    }
}

#[test]
fn request() {
    replay("request", 20_000);
}

#[test]
fn document_parse() {
    replay("document_parse", 40_000);
}

#[test]
fn parts() {
    replay("parts", 15_000);
}

#[test]
fn body() {
    replay("body", 15_000);
}

#[test]
fn containers() {
    replay("containers", 40_000);
}

#[test]
fn fast_vs_reference() {
    replay("fast_vs_reference", 20_000);
}

#[test]
fn index() {
    replay("index", 20_000);
}

/// Every target is replayed: a new one needs a test here.
#[test]
fn no_target_is_left_out() {
    let tested = ["request", "document_parse", "parts", "body", "containers", "fast_vs_reference", "index"];
    assert_eq!(Target::ALL.iter().map(|target| target.name).collect::<Vec<_>>(), tested);
}
