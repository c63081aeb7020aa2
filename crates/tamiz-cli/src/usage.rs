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

    /// Every command, those of commands too.
    fn all_commands() -> Vec<clap::Command> {
        let mut command = Cli::command();
        command.build();
        let mut all = vec![command];
        let mut at = 0;
        while let Some(command) = all.get(at) {
            let inner: Vec<_> = command.get_subcommands().cloned().collect();
            all.extend(inner);
            at += 1;
        }
        all
    }

    fn help(command: &clap::Command) -> String {
        command.clone().term_width(100).render_long_help().to_string()
    }

    /// Errors repeat the names of options, and messages escape what is not plain.
    #[test]
    fn names_of_options_and_values_are_plain() {
        for command in all_commands() {
            for argument in command.get_arguments() {
                assert!(argument.to_string().is_ascii(), "{} {argument}", command.get_name());
            }
        }
    }

    #[test]
    fn exit_codes_have_a_line_each() {
        let mut count = 0;
        for command in all_commands() {
            let help = help(&command);
            let Some((_, codes)) = help.split_once("\nExit codes:\n") else { continue };
            let codes = codes.split("\n\n").next().unwrap();
            for (line, code) in codes.lines().zip(0..) {
                assert!(line.starts_with(&format!("  {code}  ")) && line.len() <= 80, "{line}");
            }
            assert!(codes.lines().count() > 2);
            count += 1;
        }
        assert_eq!(count, 6);
    }

    #[test]
    fn defaults_are_told_where_a_configuration_has_them() {
        let config = tamiz::Config::default();
        let mut count = 0;
        for command in all_commands().iter().filter(|command| command.get_name() != "help") {
            for (name, default) in [
                ("view", config.view.as_str()),
                ("profile", config.profile.as_str()),
                ("scheme", config.scheme.as_str()),
            ] {
                let Some(option) = command.get_arguments().find(|argument| argument.get_id() == name) else {
                    continue;
                };
                // A filter of flags.
                if command.get_name() == "flags" {
                    continue;
                }
                let help = option.get_help().unwrap().to_string();
                assert!(help.ends_with(&format!("[default: {default}, or what --config says]")), "{help}");
                count += 1;
            }
        }
        assert!(count >= 24, "{count}");
    }

    #[test]
    fn limits_are_told() {
        let all = all_commands();
        let of = |name: &str| help(all.iter().find(|command| command.get_name() == name).unwrap());
        let batch = of("batch");
        for number in [
            "16777216  bytes of a record",
            "268435456  bytes",
            " 400 times",
            "100000  entries",
            "1048576  bytes",
        ] {
            assert!(batch.contains(number), "{number}: {batch}");
        }
        #[cfg(feature = "serve")]
        for number in [
            "16384  bytes of a head, and 64 headers; 131072 bytes",
            "32768  bytes",
            "256  requests",
            "4096  documents",
        ] {
            assert!(of("serve").contains(number), "{number}: {}", of("serve"));
        }
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
                .or_else(|| line.strip_prefix("cargo run --release --features serve -- "))
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
        let page = "tamiz no\n```sh\ntamiz a 'b c' > x   # d\ncargo run --release --features serve -- serve\n```\ntamiz no\n";
        assert_eq!(commands(page), [vec!["tamiz", "a", "b c"], vec!["tamiz", "serve"]]);
    }
}
