//! Runs `tamiz-dev`, the program of the tasks that call the library.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::process::{self, cargo};

/// Builds and runs it.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = cargo(root, ["run", "--quiet", "--package", "tamiz-dev", "--"]);
    process::run(command.args(arguments))
}

/// The program that a build of the whole workspace has made.
pub(crate) fn built(target: &Path) -> Command {
    Command::new(target.join("debug/tamiz-dev"))
}
