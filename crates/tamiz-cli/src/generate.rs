//! `tamiz completions` and `tamiz man`: what is generated from the command line's own definition.

use std::fs;
use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::failure::{Failure, reason};
use crate::output;

/// Runs `tamiz completions`.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    // Generated in memory, because clap_complete panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tamiz", &mut script);
    print(&script)
}

/// Runs `tamiz man`.
pub(crate) fn man(args: &ManArgs) -> Result<ExitCode, Failure> {
    // The manual of a version: a fingerprint belongs to `tamiz --version`.
    let command = Cli::command().version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true);
    let Some(dir) = &args.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        return print(&page);
    };
    fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(command, dir)).map_err(|error| {
        Failure::Input(format!("cannot write manual pages to {}: {}", dir.display(), reason(&error)))
    })?;
    Ok(ExitCode::SUCCESS)
}

fn print(bytes: &[u8]) -> Result<ExitCode, Failure> {
    let mut out = output::raw();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
