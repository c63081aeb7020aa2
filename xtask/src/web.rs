//! What people see in a browser, tested in one: Node and Chromium, and the packages below `web/`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::process::{self, cargo};

/// The folder of the sources and of their tests.
pub(crate) struct Web<'a> {
    pub(crate) root: &'a Path,
    /// Where cargo builds.
    pub(crate) target: PathBuf,
}

impl Web<'_> {
    /// Installs what is missing: Debian's Chromium and Node, and the packages at the versions of the lock file.
    pub(crate) fn install(&self) -> Result<()> {
        process::provide("npm", "npm")?;
        process::provide("chromium", "chromium")?;
        self.npm(&["ci", "--no-audit", "--no-fund"])
    }

    /// Runs the tests against the command as it is now; each line that they print is handed to `look`.
    pub(crate) fn test(&self, look: impl FnMut(&str)) -> Result<()> {
        process::run(&mut cargo(self.root, ["build", "--package", "tamiz-cli"]))?;
        let mut command = Command::new("npm");
        command.current_dir(self.folder()).arg("test").env("TAMIZ", self.target.join("debug/tamiz"));
        process::watch(&mut command, look)
    }

    /// Whether the types of the page's sources hold.
    pub(crate) fn check(&self) -> Result<()> {
        self.npm(&["run", "check"])
    }

    /// Whether the page in the service is what its sources give.
    pub(crate) fn stale(&self) -> Result<()> {
        self.npm(&["run", "stale"])
    }

    fn npm(&self, arguments: &[&str]) -> Result<()> {
        process::run(Command::new("npm").current_dir(self.folder()).args(arguments))
    }

    fn folder(&self) -> PathBuf {
        self.root.join("web")
    }
}
