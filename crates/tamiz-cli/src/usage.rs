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

    /// The words of the commands of `tamiz` in the shell blocks of a page: up to what a shell takes for itself.
    #[cfg(all(feature = "columns", feature = "serve"))]
    fn commands(page: &str) -> Vec<Vec<String>> {
        let mut is_shell = false;
        let mut commands = Vec::new();
        for line in page.replace("\\\n", " ").lines() {
            if line.starts_with("```") {
                is_shell = line == "```sh";
            }
            let line = line.strip_prefix("zcat huge.jsonl.gz | ").unwrap_or(line);
            let line = line
                .strip_prefix("cargo run --release -- ")
                .map_or(line.to_owned(), |rest| format!("tamiz {rest}"));
            if is_shell && line.starts_with("tamiz ") {
                commands.push(words(&line));
            }
        }
        commands
    }

    #[cfg(all(feature = "columns", feature = "serve"))]
    fn words(line: &str) -> Vec<String> {
        let mut is_quoted = false;
        let words = line.split(|character: char| {
            is_quoted ^= character == '\'' || character == '"';
            character == ' ' && !is_quoted
        });
        let ends = |word: &&str| !["|", "&", "&&", ">", ">>", "<", "#"].contains(word);
        let words = words.filter(|word| !word.is_empty()).take_while(ends);
        words.map(|word| word.trim_matches(['\'', '"']).to_owned()).collect()
    }

    /// A command of the guides that the program does not take is a fault of the guide.
    #[cfg(all(feature = "columns", feature = "serve"))]
    #[test]
    fn the_guides_show_commands_that_there_are() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let docs = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
        let pages = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
        let mut count = 0;
        for page in pages.chain(["README.md", "README.es.md"].map(|name| root.join(name))) {
            for command in commands(&std::fs::read_to_string(&page).unwrap()) {
                count += 1;
                let shown = command.join(" ");
                if let Err(error) = Cli::try_parse_from(command) {
                    // Files that the reader has, and this machine has not.
                    let is_missing = error.to_string().contains("no such file");
                    assert!(is_missing, "{}: {shown}: {error}", page.display());
                }
            }
        }
        assert!(count > 60, "{count} commands");
    }

    #[cfg(all(feature = "columns", feature = "serve"))]
    #[test]
    fn commands_are_cut_as_a_shell_does() {
        let page = "tamiz no\n```sh\ntamiz a 'b c' > x   # d\ncargo run --release -- serve\n```\ntamiz no\n";
        assert_eq!(commands(page), [vec!["tamiz", "a", "b c"], vec!["tamiz", "serve"]]);
    }
}
