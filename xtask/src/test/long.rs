//! The steps that only `cargo x test --all` runs: they take long, or go by the clock.

use std::fs;
use std::process::Command;

use super::runner::{Runner, cargo};
use crate::openapi::Openapi;
use crate::process::{self, line};
use crate::python::Package;
use crate::setup::Tools;
use crate::web::Web;
use crate::{Result, bench, fuzz, mutate, site};

/// The first command of the README: it must work as it is written there.
const FIRST_COMMAND: &str = "cargo run --release -- canon examples/login.http";

/// How long each fuzz target explores, in seconds, and from which seed.
const FUZZED: fuzz::Extent = fuzz::Extent { seconds: 60, seed: 0 };

/// How many mutants are tried, always the same ones.
const MUTANTS: &str = "100";

pub(super) fn run(runner: &mut Runner<'_>, tools: &Tools) -> Result<()> {
    features(runner)?;
    first_command(runner)?;
    package(runner, tools)?;
    packages(runner)?;
    released(runner)?;
    site(runner, tools)?;
    openapi(runner, tools)?;
    dependencies(runner)?;
    comparison(runner)?;
    fuzzing(runner)?;
    mutants(runner)?;
    runner.step("cargo x bench hostile", |runner| bench::hostile(runner.root))
}

/// The library without its default features, and with each feature alone; the command without any, and with the service,
/// which say how to get the others.
fn features(runner: &mut Runner<'_>) -> Result<()> {
    runner.cargo("check --package tamiz --no-default-features")?;
    let features = features_of("tamiz", &process::metadata(runner.root)?)?;
    for feature in features {
        runner.cargo(&format!("check --package tamiz --no-default-features --features {feature}"))?;
    }
    for chosen in ["", "--features serve "] {
        let without = format!("test --package tamiz-cli {chosen}--test without_features");
        runner.cargo_test(cargo(runner.root, without.split(' ')))?;
    }
    Ok(())
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

/// The README's first command prints a document.
fn first_command(runner: &mut Runner<'_>) -> Result<()> {
    runner.step(FIRST_COMMAND, |runner| {
        let readme = fs::read_to_string(runner.root.join("README.md"))?;
        if !readme.contains(FIRST_COMMAND) {
            return Err(format!("README.md does not show `{FIRST_COMMAND}`").into());
        }
        let text = process::output(&mut cargo(runner.root, FIRST_COMMAND.split(' ').skip(1)))?;
        print!("{text}");
        if !readme.contains(&text) {
            return Err(format!("README.md does not show what `{FIRST_COMMAND}` prints").into());
        }
        Ok(())
    })
}

/// `pip install .` as users type it, and the wheel.
fn package(runner: &mut Runner<'_>, tools: &Tools) -> Result<()> {
    let python = match &tools.python {
        Ok(python) => python,
        Err(reason) => {
            runner.skip("pip install .", reason);
            return Ok(());
        }
    };
    let package =
        Package { root: runner.root, target: &runner.target.clone(), console: &runner.console.clone() };
    runner.step("pip install .", |_| package.install())?;
    runner.step("pip wheel .", |runner| package.test_wheel(python, |line| runner.tally.add_pytest_line(line)))
}

/// Each crate that is published, built from what its package holds.
fn packages(runner: &mut Runner<'_>) -> Result<()> {
    let names = published(&process::metadata(runner.root)?);
    let mut command = cargo(runner.root, ["package", "--locked", "--allow-dirty"]);
    for name in &names {
        command.args(["--package", name]);
    }
    runner.step("cargo package, of every crate", |runner| runner.console.run(&mut command))
}

/// The packages that are published, as `cargo metadata` lists them.
fn published(metadata: &serde_json::Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let published = packages.iter().filter(|package| package["publish"].is_null());
    published.filter_map(|package| package["name"].as_str()).map(str::to_owned).collect()
}

/// Builds what a release has for Linux on x86-64, and tries each in an empty folder.
fn released(runner: &mut Runner<'_>) -> Result<()> {
    let musl = "x86_64-unknown-linux-musl";
    let script = |arguments: &str| {
        let mut command = Command::new("bash");
        command.current_dir(runner.root).args(arguments.split(' ')).env("CARGO_TARGET_DIR", &runner.target);
        command
    };
    for needed in ["scripts/tools.sh".to_owned(), format!("scripts/toolchain.sh {musl}")] {
        if let Err(error) = process::output(&mut script(&needed)) {
            runner.skip_by_choice("programs and packages as released", &error.to_string());
            return Ok(());
        }
    }
    let steps = [
        format!("scripts/release/binary.sh {musl}"),
        "scripts/release/try.sh archive".to_owned(),
        "scripts/release/wheel.sh x86_64-unknown-linux-gnu".to_owned(),
        "scripts/release/try.sh wheel".to_owned(),
        "scripts/release/wheel.sh sdist".to_owned(),
        "scripts/release/try.sh sdist".to_owned(),
        format!("scripts/release/image.sh {musl}"),
        "scripts/release/try.sh image".to_owned(),
        "scripts/sizes.sh".to_owned(),
    ];
    let mut steps: Vec<(String, Command)> = steps.map(|step| (step.clone(), script(&step))).into();
    for (title, command) in &mut steps {
        runner.step(title, |runner| runner.console.run(command))?;
    }
    Ok(())
}

/// The page without a server, in a browser, and the npm package, in Node.
fn site(runner: &mut Runner<'_>, tools: &Tools) -> Result<()> {
    let (root, target, console) = (runner.root.to_path_buf(), runner.target.clone(), runner.console.clone());
    let toolchain = match (&tools.browser, site::toolchain(&root, &target)) {
        (Err(reason), _) => {
            runner.skip("cargo x site", reason);
            return Ok(());
        }
        (Ok(()), Err(error)) => {
            runner.skip_by_choice("cargo x site", &error.to_string());
            return Ok(());
        }
        (Ok(()), Ok(toolchain)) => toolchain,
    };
    let mut built = None;
    runner.step("cargo x site", |_| {
        built = Some(site::build(&root, &target, &toolchain)?);
        Ok(())
    })?;
    let Some(built) = built else { return Ok(()) };
    let web = Web { root: &root, target: &target, console: &console };
    runner.step("npm run test-site", |runner| web.test_site(&built, |line| runner.tally.add_tap_line(line)))
}

/// The service against its own description.
fn openapi(runner: &mut Runner<'_>, tools: &Tools) -> Result<()> {
    let title = "schemathesis run /v1/openapi.json";
    if let Err(reason) = &tools.python {
        runner.skip(title, reason);
        return Ok(());
    }
    let openapi = Openapi { root: runner.root, target: &runner.target.clone() };
    if let Err(error) = openapi.install() {
        runner.skip_by_choice(title, &error.to_string());
        return Ok(());
    }
    runner.step(title, |_| openapi.check())
}

/// Licences, sources and bans always; advisories where their database can be had.
fn dependencies(runner: &mut Runner<'_>) -> Result<()> {
    install(runner, "deny", "cargo-deny")?;
    runner.cargo("deny check bans licenses sources")?;
    if process::succeeds(&mut cargo(runner.root, ["deny", "fetch", "db"])) {
        runner.cargo("deny check advisories")
    } else {
        runner.skip_by_choice("cargo deny check advisories", "the advisory database cannot be fetched");
        Ok(())
    }
}

/// Every request of the corpus by the library and by the reference; `cargo x test` takes one of forty.
fn comparison(runner: &mut Runner<'_>) -> Result<()> {
    let test = "test --release --package tamiz-reference --test compare";
    if std::env::var_os("TAMIZ_CORPUS").is_none_or(|folder| folder.is_empty()) {
        runner.skip_by_choice("every request by library and reference", "`TAMIZ_CORPUS` is not set");
        return Ok(());
    }
    let mut command = cargo(runner.root, test.split(' '));
    command.env("REFERENCE_EVERY", "1");
    runner.cargo_test(command)
}

/// Each fuzz target for some time, from another seed on every run.
fn fuzzing(runner: &mut Runner<'_>) -> Result<()> {
    if let Err(error) = fuzz::install(runner.root) {
        runner.skip("exploring fuzz runs", &error.to_string());
        return Ok(());
    }
    for target in fuzz::TARGETS {
        runner.step(&format!("cargo x fuzz {target} --seconds {}", FUZZED.seconds), |runner| {
            let (run, result) = fuzz::run_target(runner.root, target, FUZZED)?;
            println!("    {}", run.line());
            result
        })?;
    }
    Ok(())
}

/// Breaks the library in places of a sample, one at a time, and expects tests to fail for nearly all.
fn mutants(runner: &mut Runner<'_>) -> Result<()> {
    let mut command = mutate::command(runner.root, &["--count", MUTANTS]);
    runner.step(&line(&command), |runner| runner.console.run(&mut command))
}

/// Installs a subcommand of cargo where it is missing.
fn install(runner: &mut Runner<'_>, subcommand: &str, package: &str) -> Result<()> {
    if process::succeeds(&mut cargo(runner.root, [subcommand, "--version"])) {
        return Ok(());
    }
    let mut command: Command = cargo(runner.root, ["install", "--locked", package]);
    runner.step(&format!("cargo install --locked {package}"), |_| process::run(&mut command))
}

#[cfg(test)]
mod tests {
    use super::*;

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
