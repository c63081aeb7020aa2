//! `cargo x bench python`: how fast the Python package is beside the library.

use std::path::Path;
use std::process::Command;

use super::programs::{self, Folder, Served};
use crate::Result;
use crate::process::{self, Console};
use crate::python::Package;

/// The corpora that are measured: what browsers send, and CSIC's forms.
const CORPORA: [&str; 2] = ["browser", "csic"];
/// How often everything is measured, in turns; the best counts, since all else is the machine's.
const ROUNDS: usize = 9;
/// The calls, and the required share of the library's rate for each.
const CALLS: [(&str, f64); 2] = [("canonicalize_arrow", 0.8), ("canonicalize_many", 0.4)];

/// Measures; fails if a call is too slow.
pub(crate) fn run(root: &Path) -> Result<()> {
    let library = programs::main_program(root)?;
    let python = Package { root, target: &process::target(root)?, console: &Console::Terminal }
        .installed(&["pyarrow>=17"])?;
    let folder = Folder::new()?;
    let mut too_slow = Vec::new();
    println!(
        "| corpus | library | `canonicalize_arrow` | of the library | `canonicalize_many` | of the library |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    for corpus in CORPORA {
        let sample = folder.sample(&library, corpus, u32::MAX as usize)?;
        let mut beside = Served::library(&library, &sample.file)?;
        let mut measured = Served::start(
            Command::new(&python).arg("-I").arg(root.join("benches/python/throughput.py")).arg(&sample.file),
        )?;
        let mut best = [f64::INFINITY; 1 + CALLS.len()];
        for _ in 0..ROUNDS {
            best[0] = best[0].min(beside.nanoseconds("tamiz")?);
            for (best, (call, _)) in best.iter_mut().skip(1).zip(CALLS) {
                *best = best.min(measured.nanoseconds(call)?);
            }
        }
        let rate = |nanoseconds: f64| sample.requests as f64 * 1e9 / nanoseconds;
        print!("| {corpus} | {:.0} |", rate(best[0]));
        for (nanoseconds, (call, least)) in best.iter().skip(1).zip(CALLS) {
            let share = best[0] / nanoseconds;
            print!(" {:.0} | {share:.2} |", rate(*nanoseconds));
            if share < least {
                too_slow.push(format!("{call} on {corpus}: {share:.2}, not {least}"));
            }
        }
        println!();
    }
    println!("\nRequests a second of processor time, one thread, the best of {ROUNDS} rounds in turns.");
    if too_slow.is_empty() { Ok(()) } else { Err(too_slow.join("; ").into()) }
}
