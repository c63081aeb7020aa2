//! A Python of our own, with the packages that tests ask.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::process;

/// What is installed, at the versions that tests were written with.
const PACKAGES: [&str; 1] = ["pyarrow>=17"];

/// The interpreter of a virtual environment below `target` that has the packages.
pub(crate) fn provide(target: &Path) -> Result<PathBuf> {
    let folder = target.join("python");
    let python = interpreter(&folder);
    let has_packages = || process::succeeds(Command::new(&python).args(["-c", "import pyarrow.parquet"]));
    if !has_packages() {
        environment(&folder)?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES);
        process::run(&mut pip)?;
    }
    if has_packages() { Ok(python) } else { Err("pyarrow was installed, but cannot be imported".into()) }
}

/// Where the interpreter of a virtual environment is.
pub(crate) fn interpreter(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

/// Makes a virtual environment; returns its interpreter.
pub(crate) fn environment(folder: &Path) -> Result<PathBuf> {
    process::run(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    Ok(interpreter(folder))
}
