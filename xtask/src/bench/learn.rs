//! `cargo x bench learn`: what `tamiz learn` costs beside `tamiz batch --format tokens`, on real requests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::callgrind;
use super::processor::Spent;
use super::programs::{self, Folder};
use crate::Result;
use crate::process;

/// The files of the corpus: one site, browsers on many, APIs of many.
const FILES: [&str; 3] = ["csic2010_normal_train", "har_requests", "api_requests"];
/// How often processor time is measured; the mean is shown, since systems tell hundredths of a second.
const ROUNDS: usize = 10;
/// The required share of the rate of `batch --format tokens`.
const LEAST: f64 = 0.7;

/// Measures; fails if learning takes too many instructions, which do not depend on what else the machine does.
pub(super) fn run(root: &Path) -> Result<()> {
    let corpus = std::env::var_os("TAMIZ_CORPUS").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let corpus =
        corpus.ok_or("real requests are measured: set TAMIZ_CORPUS to a folder of *.jsonl.gz files")?;
    let command = programs::measured_command(root)?;
    let folder = Folder::new()?;
    println!("| requests | learn, s | batch, s | rate | learn, instructions | batch, instructions | rate |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let mut faults = Vec::new();
    for file in FILES {
        let input = corpus.join(format!("{file}.jsonl.gz"));
        let out = folder.path("out");
        let learn = |command: &mut Command| {
            command.arg("learn").arg(&input).args(["--quiet", "--force", "--jobs", "1", "-o"]).arg(&out);
        };
        let batch = |command: &mut Command| {
            command
                .arg("batch")
                .arg(&input)
                .args(["--quiet", "--force", "--jobs", "1", "--format", "tokens", "-o", "-"]);
        };
        let ways: [&dyn Fn(&mut Command); 2] = [&learn, &batch];
        let mut seconds = [0.0; 2];
        for _ in 0..ROUNDS {
            // In turns, so that what the machine does beside it falls on both alike.
            for (sum, way) in seconds.iter_mut().zip(ways) {
                let mut run = Command::new(&command);
                way(&mut run);
                *sum += Spent::of(run.stdout(Stdio::null()))?.processor() / ROUNDS as f64;
            }
        }
        let mut instructions = [0.0; 2];
        for (count, way) in instructions.iter_mut().zip(ways) {
            *count = counted(&folder, &command, way)?;
        }
        let rate = |[learn, batch]: [f64; 2]| batch / learn;
        let ([learn, batch], [more, less]) = (seconds, instructions.map(|count| count / 1e6));
        println!(
            "| {file} | {learn:.3} | {batch:.3} | {:.2} | {more:.0} million | {less:.0} million | {:.2} |",
            rate(seconds),
            rate(instructions)
        );
        if rate(instructions) < LEAST {
            faults.push(format!("{file}: less than {LEAST} of the rate of batch"));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ").into()) }
}

/// The instructions of a whole run.
fn counted(folder: &Folder, command: &Path, way: &dyn Fn(&mut Command)) -> Result<f64> {
    let dump = folder.path("callgrind.learn");
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args(["--quiet", "--tool=callgrind"])
        .arg(format!("--callgrind-out-file={}", dump.display()))
        .arg(command);
    way(&mut valgrind);
    process::run(valgrind.stdout(Stdio::null()))?;
    let total =
        callgrind::total(&std::fs::read_to_string(&dump)?).ok_or("callgrind does not say how many")?;
    Ok(total as f64)
}
