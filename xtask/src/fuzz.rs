//! `cargo x fuzz`: explores with the targets of `fuzz/` and tells what they did.

use std::path::Path;

use crate::Result;
use crate::process::{self, cargo};
use crate::setup;

/// The targets, in the order they are run.
pub(crate) const TARGETS: &[&str] =
    &["request", "document_parse", "parts", "body", "containers", "fast_vs_reference", "index"];

/// How long each target runs when nothing else is said, in seconds.
const SECONDS: u32 = 60;

/// One run longer than this is a finding, in seconds: no input of this size may take so long.
const TIMEOUT: u32 = 20;

/// Inputs are at most this long: enough for every limit of the tiny configurations, and for all of the vectors.
const MAX_LEN: u32 = 4096;

/// How a target is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) seconds: u32,
    /// Of libFuzzer's random numbers: runs of the same seed begin alike. Zero is another one each time.
    pub(crate) seed: u32,
}

/// The sanitizers that a target can be built with: libFuzzer's names for them. Nothing here is `unsafe`, so that the
/// first, which is the fastest, is the default.
const SANITIZERS: &[&str] = &["none", "address"];

/// The arguments of `cargo x fuzz`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Asked<'a> {
    only: Option<&'a str>,
    extent: Extent,
    sanitizer: &'a str,
}

/// Runs `[TARGET] [--seconds N] [--seed N] [--sanitizer NAME]`; `None` when that is not what the arguments are.
pub(crate) fn command(root: &Path, arguments: &[&str]) -> Option<Result<()>> {
    Some(run(root, parse(arguments)?))
}

fn parse<'a>(mut arguments: &[&'a str]) -> Option<Asked<'a>> {
    let mut extent = Extent { seconds: SECONDS, seed: 0 };
    let (mut only, mut sanitizer) = (None, SANITIZERS[0]);
    while let [first, rest @ ..] = arguments {
        arguments = match (*first, rest) {
            ("--seconds", [seconds, rest @ ..]) => {
                extent.seconds = seconds.parse().ok()?;
                rest
            }
            ("--seed", [seed, rest @ ..]) => {
                extent.seed = seed.parse().ok()?;
                rest
            }
            ("--sanitizer", [name, rest @ ..]) if SANITIZERS.contains(name) => {
                sanitizer = name;
                rest
            }
            (target, rest) if only.is_none() && !target.starts_with('-') => {
                only = Some(target);
                rest
            }
            _ => return None,
        };
    }
    Some(Asked { only, extent, sanitizer })
}

fn run(root: &Path, asked: Asked<'_>) -> Result<()> {
    let Asked { only, extent, sanitizer } = asked;
    if let Some(unknown) = only.filter(|only| !TARGETS.contains(only)) {
        return Err(format!("no target `{unknown}`: there are {}", TARGETS.join(", ")).into());
    }
    install(root)?;
    let mut rows = Vec::new();
    for target in TARGETS.iter().filter(|target| only.is_none_or(|only| only == **target)) {
        let (run, result) = explore(root, target, extent, sanitizer)?;
        rows.push(run.row(target));
        if result.is_err() {
            rows.iter().for_each(|row| println!("{row}"));
        }
        result?;
    }
    println!("\n| target | executions | cov | ft | corpus | crashes |\n|---|---:|---:|---:|---:|---:|");
    rows.iter().for_each(|row| println!("{row}"));
    Ok(())
}

/// Installs what fuzzing needs where it is missing: a C++ compiler, which builds libFuzzer, and `cargo-fuzz`.
pub(crate) fn install(root: &Path) -> Result<()> {
    setup::provide("c++", "g++")?;
    if process::succeeds(&mut cargo(root, ["fuzz", "--version"])) {
        return Ok(());
    }
    process::run(&mut cargo(root, ["install", "--locked", "cargo-fuzz"]))
}

/// The figures that libFuzzer prints for a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    executions: u64,
    coverage: u64,
    features: u64,
    corpus: u64,
    artifacts: Vec<String>,
}

/// Writes seeds and dictionary, and runs one target without a sanitizer. The inner result says whether it crashed.
pub(crate) fn run_target(root: &Path, target: &str, extent: Extent) -> Result<(Run, Result<()>)> {
    explore(root, target, extent, SANITIZERS[0])
}

fn explore(root: &Path, target: &str, extent: Extent, sanitizer: &str) -> Result<(Run, Result<()>)> {
    process::run(&mut cargo(root, ["run", "--quiet", "--package", "tamiz-fuzz", "--", "seeds", target]))?;
    // Watching every comparison takes half of the time, and finds what the dictionary has already.
    let mut command = cargo(root, ["fuzz", "run", "--no-trace-compares", "--sanitizer", sanitizer, target]);
    command
        .arg("--")
        .arg(format!("-max_total_time={}", extent.seconds))
        .arg(format!("-seed={}", extent.seed))
        .arg(format!("-timeout={TIMEOUT}"))
        .arg(format!("-max_len={MAX_LEN}"))
        .arg(format!("-dict={}", root.join("fuzz/dictionary.txt").display()))
        // Choosing inputs by the rarity of what they reach takes three quarters of the time.
        .args(["-entropic=0", "-print_final_stats=1", "-rss_limit_mb=4096"])
        // The flags for coverage are not stable; this lets the stable compiler take them.
        .env("RUSTC_BOOTSTRAP", "1");
    let mut run = Run::default();
    let result = process::watch_errors(&mut command, |line| {
        run.read(line);
        // Thousands of these come before the last.
        let second = line.split_whitespace().nth(1).unwrap_or_default();
        !(line.starts_with('#') && matches!(second, "NEW" | "REDUCE" | "RELOAD")
            || line.trim_start().starts_with("NEW_FUNC"))
    });
    let result = match run.artifacts.first() {
        Some(artifact) => {
            let again = format!("RUSTC_BOOTSTRAP=1 cargo fuzz run {target} {artifact}");
            Err(format!("{target} fails on {artifact}; to see it again: {again}").into())
        }
        None => result,
    };
    Ok((run, result))
}

impl Run {
    /// Takes what a line of libFuzzer's tells.
    fn read(&mut self, line: &str) {
        // A slow unit is no finding: only those beyond the timeout are, and they are named so.
        if let Some((_, artifact)) = line.split_once("Test unit written to ")
            && !artifact.contains("slow-unit-")
        {
            self.artifacts.push(artifact.to_owned());
        }
        if let Some(executions) = line.strip_prefix("stat::number_of_executed_units:") {
            self.executions = executions.trim().parse().unwrap_or(self.executions);
        }
        if !line.starts_with('#') {
            return;
        }
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            let into = match word {
                "cov:" => &mut self.coverage,
                "ft:" => &mut self.features,
                "corp:" => &mut self.corpus,
                _ => continue,
            };
            let number = words.next().and_then(|word| word.split('/').next()?.parse().ok());
            *into = number.unwrap_or(*into);
        }
    }

    /// A row of the table.
    fn row(&self, target: &str) -> String {
        let Run { executions, coverage, features, corpus, artifacts } = self;
        format!("| `{target}` | {executions} | {coverage} | {features} | {corpus} | {} |", artifacts.len())
    }

    /// Formats the figures as one line.
    pub(crate) fn line(&self) -> String {
        let Run { executions, coverage, features, corpus, artifacts } = self;
        format!(
            "{executions} executions, cov {coverage}, ft {features}, corpus {corpus}, {} crashes",
            artifacts.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_libfuzzer_says_is_read() {
        let mut run = Run::default();
        for line in [
            "INFO: Loaded 1 modules   (42 inline 8-bit counters): 42",
            "#2\tINITED cov: 7 ft: 9 corp: 1/1b exec/s: 0 rss: 30Mb",
            "#4096\tDONE   cov: 1234 ft: 5678 corp: 90/12Kb lim: 17 exec/s: 512 rss: 61Mb",
            "stat::number_of_executed_units: 4097",
            "artifact_prefix='x/'; Test unit written to fuzz/artifacts/request/slow-unit-0b",
            "artifact_prefix='x/'; Test unit written to fuzz/artifacts/request/crash-0a",
        ] {
            run.read(line);
        }
        assert_eq!(run.row("request"), "| `request` | 4097 | 1234 | 5678 | 90 | 1 |");
        assert_eq!(run.artifacts, ["fuzz/artifacts/request/crash-0a"]);
    }

    #[test]
    fn arguments() {
        let asked =
            |only, seconds, seed, sanitizer| Asked { only, extent: Extent { seconds, seed }, sanitizer };
        assert_eq!(parse(&[]), Some(asked(None, 60, 0, "none")));
        assert_eq!(parse(&["body", "--seconds", "5"]), Some(asked(Some("body"), 5, 0, "none")));
        assert_eq!(parse(&["--seed", "7", "body"]), Some(asked(Some("body"), 60, 7, "none")));
        assert_eq!(parse(&["--sanitizer", "address"]), Some(asked(None, 60, 0, "address")));
        for wrong in [&["a", "b"][..], &["--seconds"], &["--seed", "x"], &["--sanitizer", "x"], &["--other"]]
        {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn every_target_is_there() {
        let manifest = std::fs::read_to_string(crate::root().join("fuzz/Cargo.toml")).unwrap();
        let there = manifest.lines().filter_map(|line| line.strip_prefix("path = \"fuzz_targets/"));
        let mut there: Vec<&str> = there.filter_map(|name| name.strip_suffix(".rs\"")).collect();
        let mut listed = TARGETS.to_vec();
        there.sort_unstable();
        listed.sort_unstable();
        assert_eq!(there, listed);
    }
}
