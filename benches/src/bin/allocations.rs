//! Counts allocations for `cargo x bench`: `tamiz-bench` under an allocator that counts. A program of its own, so
//! that counting costs no time in the other.

use std::alloc::System;
use std::process::ExitCode;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use tamiz_bench::program;

#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let so_far = || {
        let stats = MEMORY.stats();
        (stats.allocations + stats.reallocations, stats.bytes_allocated)
    };
    let ["allocations", name, file] = arguments[..] else { return ExitCode::from(2) };
    if let Err(error) = program::allocations(name, file, so_far) {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
