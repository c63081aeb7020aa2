//! Parsing the command line; what is wrong with it, in one line.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::args::{Cli, Command};
use crate::failure::Failure;

/// The command, or the exit code of having said why there is none.
pub(crate) fn parse() -> Result<Command, ExitCode> {
    Cli::try_parse().map(|cli| cli.command).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => shown(&error, ExitCode::SUCCESS),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => shown(&error, ExitCode::from(2)),
        _ => Failure::Usage(one_line(&error.render().to_string())).report(),
    })
}

/// Prints what clap has to show: help on standard output when asked for, else on standard error.
fn shown(error: &clap::Error, code: ExitCode) -> ExitCode {
    match error.print().and_then(|()| std::io::stdout().flush()) {
        Ok(()) => code,
        Err(failed) => Failure::Output(failed).report(),
    }
}

/// A report of clap without its usage: paragraphs are joined by `; `, lines by a space.
fn one_line(report: &str) -> String {
    let paragraphs: Vec<String> = report
        .split("\n\n")
        .take_while(|paragraph| !paragraph.starts_with("Usage:"))
        .map(|paragraph| paragraph.lines().map(str::trim).collect::<Vec<_>>().join(" "))
        .map(|paragraph| paragraph.trim_start_matches("error: ").trim_start_matches("tip: ").to_owned())
        .filter(|paragraph| !paragraph.is_empty() && !paragraph.starts_with("For more information"))
        .collect();
    format!("{}; try '--help'", paragraphs.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn reports_become_one_line() {
        let report = "error: invalid value 'x' for '--view <VIEW>'\n  [possible values: shape]\n\n  \
                      tip: a similar value exists: 'y'\n\nUsage: tamiz canon\n\nFor more information, try '--help'.\n";
        assert_eq!(
            one_line(report),
            "invalid value 'x' for '--view <VIEW>' [possible values: shape]; \
             a similar value exists: 'y'; try '--help'"
        );
    }
}
