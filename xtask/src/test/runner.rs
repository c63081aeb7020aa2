//! Runs steps: announces, times and counts them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::tally::Tally;
use crate::Result;
use crate::process::{self, Console, line};

/// Cargo as the steps run it. Nothing is kept for incremental compilation: that takes longer on a clean clone, and
/// gigabytes of disk.
pub(super) fn cargo<'a>(root: &Path, arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = process::cargo(root, arguments);
    if std::env::var_os("CARGO_INCREMENTAL").is_none() {
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// The state that all steps share.
pub(super) struct Runner<'a> {
    pub(super) root: &'a Path,
    /// The folder that cargo builds in.
    pub(super) target: PathBuf,
    pub(super) console: Console,
    pub(super) tally: Tally,
    skipped: Vec<Skipped>,
}

/// A step that could not run.
struct Skipped {
    name: String,
    reason: String,
    /// True if `cargo x setup` can install what is missing.
    setup_helps: bool,
}

/// Runs `steps`. The last line on standard output counts what passed, failed and was skipped.
pub(super) fn run(root: &Path, steps: impl FnOnce(&mut Runner<'_>) -> Result<()>) -> Result<()> {
    let started = Instant::now();
    let mut runner = Runner::new(root, process::target(root)?);
    let result = steps(&mut runner);
    println!("\nin {:.0} s", started.elapsed().as_secs_f64());
    for Skipped { name, reason, .. } in &runner.skipped {
        println!("skipped: {name}: {reason}");
    }
    let setup_helps = runner.skipped.iter().any(|skipped| skipped.setup_helps);
    println!("{}", runner.tally.closing_line(runner.skipped.len(), setup_helps));
    result
}

impl<'a> Runner<'a> {
    fn new(root: &'a Path, target: PathBuf) -> Self {
        Runner { root, target, console: Console::Terminal, tally: Tally::default(), skipped: Vec::new() }
    }

    /// Runs two lists of steps side by side, each up to the first that fails. What the second prints comes last.
    pub(super) fn side_by_side(
        &mut self,
        first: impl FnOnce(&mut Self) -> Result<()>,
        second: impl FnOnce(&mut Self) -> Result<()> + Send,
    ) -> Result<()> {
        let mut beside = Runner::new(self.root, self.target.clone());
        beside.console = Console::file(self.target.join("test/side-by-side.log"))?;
        let (first, second) = std::thread::scope(|scope| {
            let second = scope.spawn(|| second(&mut beside));
            (first(self), second.join())
        });
        beside.console.show()?;
        self.tally.passed += beside.tally.passed;
        self.tally.failed += beside.tally.failed;
        self.skipped.append(&mut beside.skipped);
        first.and(second.unwrap_or_else(|_| Err("a step panicked".into())))
    }

    /// Runs one step. A step fails once, however many of its tests do.
    pub(super) fn step(&mut self, title: &str, run: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.say(&format!("\n==> {title}"));
        let started = Instant::now();
        let failed_before = self.tally.failed;
        let result = run(self);
        match &result {
            Ok(()) => self.tally.passed += 1,
            Err(_) if self.tally.failed > failed_before => {}
            Err(_) => self.tally.failed += 1,
        }
        let outcome = if result.is_ok() { "ok" } else { "FAILED" };
        self.say(&format!("    {outcome}, {:.1} s", started.elapsed().as_secs_f64()));
        result
    }

    /// Records a step that cannot run because `cargo x setup` has not installed what it needs.
    pub(super) fn skip(&mut self, name: &str, reason: &str) {
        self.record_skip(name, reason, true);
    }

    /// Records a step that cannot run, which no installation changes.
    pub(super) fn skip_by_choice(&mut self, name: &str, reason: &str) {
        self.record_skip(name, reason, false);
    }

    fn record_skip(&mut self, name: &str, reason: &str, setup_helps: bool) {
        self.say(&format!("\n==> {name}\n    SKIPPED: {reason}"));
        self.skipped.push(Skipped { name: name.to_owned(), reason: reason.to_owned(), setup_helps });
    }

    /// Prints a line. A console that fails has nowhere to say so.
    fn say(&self, text: &str) {
        let _ = self.console.say(text);
    }

    /// Runs a step like [`Runner::step`], and records the tests that its own test runner skipped.
    pub(super) fn step_with_skips(
        &mut self,
        title: &str,
        run: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let before = self.tally.skipped;
        self.step(title, run)?;
        let skipped = self.tally.skipped - before;
        if skipped > 0 {
            self.skip_by_choice(&format!("{skipped} tests of `{title}`"), "its output says why");
        }
        Ok(())
    }

    /// Runs a step that is one command.
    pub(super) fn command(&mut self, mut command: Command) -> Result<()> {
        self.step(&line(&command), |runner| runner.console.run(&mut command))
    }

    /// Runs a step that is one cargo command, its arguments separated by spaces.
    pub(super) fn cargo(&mut self, arguments: &str) -> Result<()> {
        self.command(cargo(self.root, arguments.split(' ')))
    }

    /// Runs a step that is a `cargo test` command, and counts its tests.
    pub(super) fn cargo_test(&mut self, mut command: Command) -> Result<()> {
        self.step(&line(&command), |runner| {
            let Runner { console, tally, .. } = runner;
            console.watch(&mut command, |line| tally.add_result_line(line))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_are_counted() {
        let target = std::env::temp_dir().join(format!("tamiz-runner-{}", std::process::id()));
        let mut runner = Runner::new(Path::new("."), target.clone());
        let result = runner.side_by_side(
            |runner| runner.step("first", |_| Ok(())),
            |runner| {
                runner.skip("third", "it is missing");
                runner.step("second", |_| Err("no".into()))
            },
        );
        assert_eq!(result.unwrap_err().to_string(), "no");
        assert_eq!((runner.tally, runner.skipped.len()), (Tally { passed: 1, failed: 1, skipped: 0 }, 1));
        std::fs::remove_dir_all(target).unwrap();
    }

    #[test]
    fn skipped_tests_are_named() {
        let mut runner = Runner::new(Path::new("."), PathBuf::from("target"));
        let run = |runner: &mut Runner<'_>| {
            runner.tally.add_pytest_line("3 passed, 2 skipped in 1.00s");
            Ok(())
        };
        runner.step_with_skips("pytest", run).unwrap();
        assert_eq!(runner.skipped.len(), 1);
        assert_eq!(runner.skipped[0].name, "2 tests of `pytest`");
        runner.step_with_skips("nothing", |_| Ok(())).unwrap();
        assert_eq!(runner.skipped.len(), 1);
    }

    #[test]
    fn steps_are_counted_once() {
        let mut runner = Runner::new(Path::new("."), PathBuf::from("target"));
        runner.step("passes", |_| Ok(())).unwrap();
        runner.step("fails", |_| Err("no".into())).unwrap_err();
        assert_eq!(runner.tally, Tally { passed: 1, failed: 1, skipped: 0 });
        let tests = |runner: &mut Runner<'_>| {
            runner.tally.add_result_line("test result: FAILED. 5 passed; 2 failed; 0 ignored");
            Err("no".into())
        };
        runner.step("fails by its tests", tests).unwrap_err();
        assert_eq!(
            runner.tally,
            Tally { passed: 6, failed: 3, skipped: 0 },
            "failed tests are not counted again as a step"
        );
    }
}
