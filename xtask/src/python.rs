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
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let has_packages = || process::succeeds(Command::new(&python).args(["-c", "import pyarrow.parquet"]));
    if !has_packages() {
        process::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES);
        process::run(&mut pip)?;
    }
    if has_packages() { Ok(python) } else { Err("pyarrow was installed, but cannot be imported".into()) }
}
