//! `cargo x test`: every check there is, in order, up to the first that fails.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::Result;
use crate::fuzz;
use crate::generate::{self, Mode};
use crate::openapi::Openapi;
use crate::package::Package;
use crate::process::{self, cargo, line};
use crate::proxies;
use crate::python;
use crate::web::Web;

/// The first command of the README: it must work as it stands there.
const FIRST_COMMAND: &str = "cargo run --release -- canon examples/login.http";

/// How long each fuzz target runs, in seconds; and always from the same seed, so that a check which passes
/// passes again.
const FUZZED: fuzz::Extent = fuzz::Extent { seconds: 60, seed: 1 };

/// How much to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Everything.
    All,
    /// Everything but release builds, dependency checks and fuzzing.
    Fast,
}

/// Runs the checks. The last line on standard output is `N passed, M failed`, tests and steps together.
pub(crate) fn run(root: &Path, extent: Extent) -> Result<()> {
    summed_up(root, |runner| runner.all(extent))
}

/// Runs every row of the corpus through the tests that take a sample otherwise.
pub(crate) fn corpus(root: &Path, mode: Mode) -> Result<()> {
    summed_up(root, |runner| runner.corpus(mode))
}

/// Runs checks, and says at the end how many passed.
fn summed_up(root: &Path, checks: impl FnOnce(&mut Runner<'_>) -> Result<()>) -> Result<()> {
    let started = Instant::now();
    let mut runner = Runner { root, tally: Tally::default() };
    let result = checks(&mut runner);
    println!("\nin {:.1} s", started.elapsed().as_secs_f64());
    println!("{} passed, {} failed", runner.tally.passed, runner.tally.failed);
    result
}

/// How many tests and steps passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: u64,
    failed: u64,
}

impl Tally {
    /// Adds what a line of the form `test result: ok. 3 passed; 0 failed; …` tells.
    fn add_result_line(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else { return };
        let counts = result.split_once(". ").map_or("", |(_, counts)| counts);
        for count in counts.split("; ") {
            match count.split_once(' ') {
                Some((n, "passed")) => self.passed += n.parse().unwrap_or(0),
                Some((n, "failed")) => self.failed += n.parse().unwrap_or(0),
                _ => {}
            }
        }
    }

    /// Adds what the last line of pytest, `1 failed, 2 passed in 3.00s`, tells.
    fn add_pytest_line(&mut self, line: &str) {
        let Some((counts, _)) = line.split_once(" in ").filter(|(_, time)| time.contains('s')) else {
            return;
        };
        for count in counts.split(", ") {
            match count.split_once(' ') {
                Some((n, "passed")) => self.passed += n.parse().unwrap_or(0),
                Some((n, "failed" | "error" | "errors")) => self.failed += n.parse().unwrap_or(0),
                _ => {}
            }
        }
    }

    /// Adds what the closing lines of Node's test runner, `# pass 3` and `# fail 0`, tell.
    fn add_tap_line(&mut self, line: &str) {
        match line.strip_prefix("# ").and_then(|count| count.split_once(' ')) {
            Some(("pass", n)) => self.passed += n.parse().unwrap_or(0),
            Some(("fail", n)) => self.failed += n.parse().unwrap_or(0),
            _ => {}
        }
    }
}

struct Runner<'a> {
    root: &'a Path,
    tally: Tally,
}

impl Runner<'_> {
    fn all(&mut self, extent: Extent) -> Result<()> {
        self.cargo("fmt --all --check")?;
        self.cargo("clippy --workspace --all-targets --all-features -- -D warnings")?;
        self.features()?;
        self.tests()?;
        self.step("cargo x generate --check", |runner| generate::run(runner.root, Mode::Check))?;
        self.documentation()?;
        if extent == Extent::All {
            self.dependencies()?;
            self.first_command()?;
            self.package()?;
            self.web()?;
            self.openapi()?;
            self.fuzzing()?;
        }
        Ok(())
    }

    /// Runs one step: announces it, times it, counts it.
    fn step(&mut self, title: &str, run: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        println!("\n==> {title}");
        let started = Instant::now();
        let failed_before = self.tally.failed;
        let result = run(self);
        match &result {
            Ok(()) => self.tally.passed += 1,
            Err(_) if self.tally.failed > failed_before => {}
            Err(_) => self.tally.failed += 1,
        }
        let outcome = if result.is_ok() { "ok" } else { "FAILED" };
        println!("    {outcome}, {:.1} s", started.elapsed().as_secs_f64());
        result
    }

    /// A step that is one command.
    fn command(&mut self, mut command: Command) -> Result<()> {
        self.step(&line(&command), |_| process::run(&mut command))
    }

    /// A step that is one cargo command, its arguments separated by spaces.
    fn cargo(&mut self, arguments: &str) -> Result<()> {
        self.command(cargo(self.root, arguments.split(' ')))
    }

    /// The library without its default features, and with each feature alone.
    fn features(&mut self) -> Result<()> {
        self.cargo("check --package tamiz --no-default-features")?;
        for feature in features_of_the_library(self.root)? {
            self.cargo(&format!("check --package tamiz --no-default-features --features {feature}"))?;
        }
        Ok(())
    }

    /// Unit, integration and documentation tests.
    fn tests(&mut self) -> Result<()> {
        let mut command = cargo(self.root, ["test", "--workspace", "--all-features"]);
        match python::provide(&target(self.root)?) {
            Ok(python) => _ = command.env("TAMIZ_PYTHON", python),
            Err(error) => println!("\nWARNING: what Python reads was NOT checked: {error}"),
        }
        match proxies::provide(&target(self.root)?) {
            Ok(folder) => _ = command.env("TAMIZ_PROXIES", folder),
            Err(error) => println!("\nWARNING: real proxies were NOT asked: {error}"),
        }
        self.step(&line(&command), |runner| {
            process::watch(&mut command, |line| runner.tally.add_result_line(line))
        })
    }

    /// The tests that read a corpus, on all of it; they say so where there is none.
    fn corpus(&mut self, mode: Mode) -> Result<()> {
        let arguments = "test --package tamiz --test corpus --test peers -- --nocapture";
        let mut command = cargo(self.root, arguments.split(' '));
        command.env("TAMIZ_CORPUS_ALL", "1");
        if mode == Mode::Write {
            command.env("TAMIZ_CORPUS_WRITE", "1");
        }
        self.step(&line(&command), |runner| {
            process::watch(&mut command, |line| runner.tally.add_result_line(line))
        })
    }

    fn documentation(&mut self) -> Result<()> {
        let mut command = cargo(self.root, ["doc", "--workspace", "--no-deps", "--all-features"]);
        command.env("RUSTDOCFLAGS", "-D warnings");
        self.command(command)
    }

    /// The Python package, where there is a Python.
    fn package(&mut self) -> Result<()> {
        if !process::succeeds(Command::new("python3").arg("--version")) {
            println!("\nWARNING: there is no python3; the Python package was NOT tested");
            return Ok(());
        }
        let package = Package { root: self.root, target: target(self.root)? };
        self.step("pip install .", |_| package.install())?;
        self.step("python -m pytest; python -m mypy", |runner| {
            package.test(|line| runner.tally.add_pytest_line(line))
        })
    }

    /// Pages, in a real browser, where one can be had.
    fn web(&mut self) -> Result<()> {
        let web = Web { root: self.root, target: target(self.root)? };
        if let Err(error) = web.install() {
            println!("\nWARNING: pages were NOT looked at in a browser: {error}");
            return Ok(());
        }
        self.step("npm run check", |_| web.check())?;
        self.step("npm run stale", |_| web.stale())?;
        self.step("npm test", |runner| web.test(|line| runner.tally.add_tap_line(line)))
    }

    /// The service against its own description, where there is a Python.
    fn openapi(&mut self) -> Result<()> {
        let openapi = Openapi { root: self.root, target: target(self.root)? };
        if let Err(error) = openapi.install() {
            println!("\nWARNING: the service was NOT held against its description: {error}");
            return Ok(());
        }
        self.step("schemathesis run /v1/openapi.json", |_| openapi.check())
    }

    /// Licences, sources and bans always; advisories where their database can be had.
    fn dependencies(&mut self) -> Result<()> {
        if !process::succeeds(&mut cargo(self.root, ["deny", "--version"])) {
            self.cargo("install --locked cargo-deny")?;
        }
        self.cargo("deny check bans licenses sources")?;
        if process::succeeds(&mut cargo(self.root, ["deny", "fetch", "db"])) {
            self.cargo("deny check advisories")
        } else {
            println!("\nWARNING: the advisory database cannot be fetched; advisories were NOT checked");
            Ok(())
        }
    }

    /// Each fuzz target for a short time, where the fuzzer can be had.
    fn fuzzing(&mut self) -> Result<()> {
        if let Err(error) = fuzz::install(self.root) {
            println!("\nWARNING: the fuzz targets were NOT run: {error}");
            return Ok(());
        }
        for target in fuzz::TARGETS {
            let fuzz::Extent { seconds, seed } = FUZZED;
            self.step(&format!("cargo x fuzz {target} --seconds {seconds} --seed {seed}"), |runner| {
                let (run, result) = fuzz::run_target(runner.root, target, FUZZED)?;
                println!("    {}", run.line());
                result
            })?;
        }
        Ok(())
    }

    /// What the README tells a stranger to type first.
    fn first_command(&mut self) -> Result<()> {
        self.step(FIRST_COMMAND, |runner| {
            let readme = std::fs::read_to_string(runner.root.join("README.md"))
                .map_err(|error| format!("README.md: {error}"))?;
            if !readme.contains(FIRST_COMMAND) {
                return Err(format!("README.md does not show `{FIRST_COMMAND}`").into());
            }
            let text = process::output(&mut cargo(runner.root, FIRST_COMMAND.split(' ').skip(1)))?;
            print!("{text}");
            if !text.starts_with("M:") {
                return Err(
                    format!("`{FIRST_COMMAND}` prints no document: it does not start with `M:`").into()
                );
            }
            tamiz::Document::parse(&text)
                .map_err(|error| format!("what `{FIRST_COMMAND}` prints is no document: {error}"))?;
            Ok(())
        })
    }
}

/// The folder that cargo builds in.
pub(crate) fn target(root: &Path) -> Result<PathBuf> {
    let metadata = process::output(&mut cargo(root, ["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let folder = metadata["target_directory"].as_str().ok_or("`cargo metadata` names no folder")?;
    Ok(PathBuf::from(folder))
}

fn features_of_the_library(root: &Path) -> Result<Vec<String>> {
    let metadata = process::output(&mut cargo(root, ["metadata", "--no-deps", "--format-version", "1"]))?;
    features_of("tamiz", &serde_json::from_str(&metadata)?)
}

/// The features of a package but `default`, as `cargo metadata` lists them.
fn features_of(package: &str, metadata: &serde_json::Value) -> Result<Vec<String>> {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let features = packages
        .iter()
        .find(|found| found["name"] == package)
        .and_then(|found| found["features"].as_object())
        .ok_or_else(|| format!("`cargo metadata` does not know the package `{package}`"))?;
    let mut features: Vec<String> = features.keys().filter(|name| *name != "default").cloned().collect();
    features.sort();
    Ok(features)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passed: u64, failed: u64) -> Tally {
        Tally { passed, failed }
    }

    #[test]
    fn result_lines_are_summed() {
        let mut sum = Tally::default();
        for line in [
            "running 3 tests",
            "test tests::passed ... ok",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: FAILED. 39 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s",
            "test result: ok. 7 passed",
        ] {
            sum.add_result_line(line);
        }
        assert_eq!(sum, tally(49, 2));
    }

    #[test]
    fn closing_lines_of_node_are_summed() {
        let mut sum = Tally::default();
        for line in
            ["# Subtest: pass 9", "ok 1 - pass 9", "# tests 5", "# pass 4", "# fail 1", "# cancelled 0"]
        {
            sum.add_tap_line(line);
        }
        assert_eq!(sum, tally(4, 1));
    }

    #[test]
    fn steps_are_counted_once() {
        let mut runner = Runner { root: Path::new("."), tally: Tally::default() };
        runner.step("passes", |_| Ok(())).unwrap();
        runner.step("fails", |_| Err("no".into())).unwrap_err();
        assert_eq!(runner.tally, tally(1, 1));
        let tests = |runner: &mut Runner<'_>| {
            runner.tally.add_result_line("test result: FAILED. 5 passed; 2 failed; 0 ignored");
            Err("no".into())
        };
        runner.step("fails by its tests", tests).unwrap_err();
        assert_eq!(runner.tally, tally(6, 3), "failed tests are not counted again as a step");
    }

    #[test]
    fn features_but_default() {
        let metadata = serde_json::json!({"packages": [
            {"name": "other", "features": {"x": []}},
            {"name": "tamiz", "features": {"toml": [], "default": ["toml"], "http": []}},
        ]});
        assert_eq!(features_of("tamiz", &metadata).unwrap(), ["http", "toml"]);
        assert!(features_of("none", &metadata).is_err());
    }
}
