//! Runs `tamiz-mutate`, which breaks the library and says what the tests do not notice.

use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::process::{self, cargo};

/// Builds and runs it.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<()> {
    process::run(&mut command(root, arguments))
}

/// The command that does.
pub(crate) fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = cargo(root, ["run", "--quiet", "--package", "tamiz-mutate", "--"]);
    command.args(arguments);
    command
}
