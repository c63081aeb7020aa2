//! Instructions, counted by callgrind in the function `counted_pass` of a measured program.

use std::path::Path;
use std::process::{Command, Stdio};

use super::programs::{Folder, Sample};
use crate::Result;
use crate::process;

/// The counts of one pass over a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Counted {
    /// For each request.
    pub(super) instructions: f64,
    /// Bytes that came out, for each request.
    pub(super) written: f64,
}

/// Counts the instructions of `contender` of `program` on a sample.
pub(super) fn count(folder: &Folder, program: &Path, contender: &str, sample: &Sample) -> Result<Counted> {
    // Several may run at once.
    let dump = folder.path(&format!("callgrind.{contender}"));
    let written = run(program, contender, sample, &dump)?;
    let instructions = total(&std::fs::read_to_string(&dump)?).ok_or("callgrind does not say how many")?;
    let requests = sample.requests as f64;
    Ok(Counted { instructions: instructions as f64 / requests, written: written as f64 / requests })
}

/// Runs `contender` of `program` under callgrind, which writes to `dump`.
fn run(program: &Path, contender: &str, sample: &Sample, dump: &Path) -> Result<u64> {
    let mut command = Command::new("valgrind");
    command
        // A pattern: names of functions are mangled, with a hash at their end.
        .args(["--quiet", "--tool=callgrind", "--toggle-collect=*counted_pass*"])
        .arg(format!("--callgrind-out-file={}", dump.display()))
        .arg(program)
        .args(["count", contender])
        .arg(&sample.file);
    Ok(process::output(&mut command)?.trim().parse()?)
}

/// The sum at the end of one of callgrind's files.
pub(super) fn total(dump: &str) -> Option<u64> {
    let line = dump.lines().rev().find_map(|line| line.strip_prefix("totals:"))?;
    line.trim().parse().ok().filter(|&total| total > 0)
}

/// The functions that take most of a pass: by themselves, and with all they call.
pub(super) fn profile(
    folder: &Folder,
    program: &Path,
    contender: &str,
    sample: &Sample,
) -> Result<(String, String)> {
    let dump = folder.path("callgrind.out");
    run(program, contender, sample, &dump)?;
    let annotate = |inclusive: &str| {
        let mut command = Command::new("callgrind_annotate");
        command.args(["--auto=no", "--threshold=100", inclusive]).arg(&dump).stdin(Stdio::null());
        process::output(&mut command)
    };
    Ok((annotate("--inclusive=no")?, annotate("--inclusive=yes")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read() {
        assert_eq!(total("events: Ir\nfn=(1)\n12 34\ntotals: 1234\n"), Some(1234));
        assert_eq!(total("totals: 0\n"), None, "nothing was collected");
        assert_eq!(total("fn=(1)\n"), None);
    }
}
