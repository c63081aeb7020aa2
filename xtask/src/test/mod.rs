//! `cargo x test`: the steps, in order, up to the first that fails.
//!
//! | command | steps |
//! |---|---|
//! | `cargo x test` | [`every_day`]: deterministic, and at most 15 minutes on two cores of a clean clone |
//! | `cargo x test --all` | these, and [`long`]: fuzzing by the clock, release builds, dependencies, growth |
//! | `cargo x test --corpus` | every row of the corpus through the tests that take a sample otherwise |

mod long;
mod runner;
mod tally;

use std::path::Path;

use crate::python::Package;
use crate::setup::{self, Permission, Tools};
use crate::web::Web;
use crate::{Result, dev};
use runner::{Runner, cargo};

/// Arguments of cargo for the build and the tests. Examples are linted, but only built where they are asked for.
const TESTED: &str = "--workspace --all-features --lib --bins --tests";

/// How much to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All that is deterministic and quick enough for every change.
    EveryDay,
    /// All of it.
    All,
}

/// Runs the steps.
pub(crate) fn run(root: &Path, extent: Extent) -> Result<()> {
    runner::run(root, |runner| {
        let tools = every_day(runner)?;
        if extent == Extent::All { long::run(runner, &tools) } else { Ok(()) }
    })
}

/// Runs every row of the corpus through the tests that take a sample otherwise. `write` keeps the counts of flags.
pub(crate) fn corpus(root: &Path, write: bool) -> Result<()> {
    runner::run(root, |runner| {
        let arguments = "test --package tamiz --test corpus --test peers -- --nocapture";
        let mut command = cargo(runner.root, arguments.split(' '));
        command.env("TAMIZ_CORPUS_ALL", "1");
        if write {
            command.env("TAMIZ_CORPUS_WRITE", "1");
        }
        runner.cargo_test(command)
    })
}

/// Every unit, vector, property, integration, Python, browser and proxy test; formatting, lints, generated files and
/// documentation.
fn every_day(runner: &mut Runner<'_>) -> Result<Tools> {
    let (root, target) = (runner.root.to_path_buf(), runner.target.clone());
    // Downloads take the network and compilers the cores: they run side by side.
    let tools = std::thread::spawn(move || setup::install(&root, &target, Permission::IfRoot));
    runner.cargo("fmt --all --check")?;
    runner.cargo("clippy --workspace --all-targets --all-features -- -D warnings")?;
    // One build, of all that the steps below run: nothing is compiled twice.
    runner.cargo(&format!("build {TESTED}"))?;
    let tools = tools.join().map_err(|_| "the set-up panicked")?;
    runner.side_by_side(
        |runner| tests(runner, &tools),
        |runner| {
            generated(runner)?;
            web(runner, &tools)?;
            python(runner, &tools)?;
            documentation(runner)
        },
    )?;
    Ok(tools)
}

/// Unit, integration and documentation tests of all crates.
fn tests(runner: &mut Runner<'_>, tools: &Tools) -> Result<()> {
    let mut command = cargo(runner.root, format!("test {TESTED}").split(' '));
    match &tools.python {
        Ok(python) => _ = command.env("TAMIZ_PYTHON", python),
        Err(reason) => runner.skip("what Python reads of `tamiz batch`", reason),
    }
    match &tools.proxies {
        Ok(folder) => _ = command.env("TAMIZ_PROXIES", folder),
        Err(reason) => runner.skip("real proxies", reason),
    }
    if std::env::var_os("TAMIZ_CORPUS").is_none_or(|folder| folder.is_empty()) {
        runner.skip_by_choice("tests on real traffic", "TAMIZ_CORPUS names no folder");
    }
    runner.cargo_test(command)?;
    runner.cargo_test(cargo(runner.root, ["test", "--workspace", "--all-features", "--doc"]))
}

/// Files that are made from others are what they would be now.
fn generated(runner: &mut Runner<'_>) -> Result<()> {
    let mut command = dev::built(&runner.target);
    command.args(["generate", "--check"]);
    runner.command(command)
}

/// The documentation of all crates, without a warning.
fn documentation(runner: &mut Runner<'_>) -> Result<()> {
    let mut command = cargo(runner.root, ["doc", "--workspace", "--no-deps", "--all-features"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    runner.command(command)
}

/// The Python package, from the extension module that the workspace's build made.
fn python(runner: &mut Runner<'_>, tools: &Tools) -> Result<()> {
    let python = match &tools.python {
        Ok(python) => python,
        Err(reason) => {
            runner.skip("the Python package", reason);
            return Ok(());
        }
    };
    if let Err(reason) = &tools.java {
        runner.skip("the Python package on Spark", reason);
    }
    let package =
        Package { root: runner.root, target: &runner.target.clone(), console: &runner.console.clone() };
    runner.step_with_skips("python -m pytest", |runner| {
        package.test(python, tools.java.is_ok(), |line| runner.tally.add_pytest_line(line))
    })?;
    runner.step("python -m mypy", |_| package.check_types(python))
}

/// The pages, in a real browser.
fn web(runner: &mut Runner<'_>, tools: &Tools) -> Result<()> {
    if let Err(reason) = &tools.browser {
        runner.skip("pages in a browser", reason);
        return Ok(());
    }
    let web = Web { root: runner.root, target: &runner.target.clone(), console: &runner.console.clone() };
    runner.step("npm run check", |_| web.check())?;
    runner.step("npm run stale", |_| web.stale())?;
    runner.step_with_skips("npm test", |runner| web.test(|line| runner.tally.add_tap_line(line)))
}
