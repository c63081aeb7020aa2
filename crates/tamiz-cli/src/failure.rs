//! Errors of the command, and their exit codes.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use tamiz_explain::visible::harmless;

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line or the configuration asks for something that cannot be done: exit code 2.
    Usage(String),
    /// An input cannot be read or is not a document, or a file cannot be written: exit code 1.
    Input(String),
    /// The output does not take what is written.
    Output(io::Error),
}

impl Failure {
    /// An error for something that this program was built without.
    #[cfg(not(all(feature = "columns", feature = "ext-proc")))]
    pub(crate) fn without(what: &str, feature: &str) -> Self {
        Failure::Usage(format!(
            "this program was built without {what}: build it with '--features {feature}', or install a released one"
        ))
    }

    /// Says it on standard error, and gives the exit code.
    ///
    /// A reader that has seen enough (`tamiz flags | head -1`) is no failure.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Failure::Usage(message) => {
                complain(&message);
                ExitCode::from(2)
            }
            Failure::Input(message) => {
                complain(&message);
                ExitCode::FAILURE
            }
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Failure::Output(error) => {
                complain(&format!("cannot write the output: {}", reason(&error)));
                ExitCode::FAILURE
            }
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

/// Writes one line to standard error, whatever characters are in it.
pub(crate) fn complain(message: &str) {
    use io::Write;
    // There is nobody left to tell when standard error is closed.
    let _ = writeln!(io::stderr(), "tamiz: {}", harmless(message));
}

/// So many of something: `1 request`, `2 requests`.
pub(crate) fn things(count: u64, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// That a file cannot be written, and what is kept all the same. A folder that is not there is named, and not made: its
/// name may be a slip.
pub(crate) fn cannot_write(path: &Path, error: &io::Error, kept: &str) -> Failure {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let why = match path.parent().filter(is_missing) {
        Some(folder) if error.kind() == io::ErrorKind::NotFound => {
            format!("there is no folder {}", folder.display())
        }
        _ => reason(error),
    };
    Failure::Input(format!("cannot write {}: {why}{kept}", path.display()))
}

/// The system's message for an error, without its number.
pub(crate) fn reason(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::FileTooLarge {
        return "no space left: file too large for its limit (ulimit -f) or its file system".to_owned();
    }
    let text = error.to_string();
    let text = text.split(" (os error ").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_plain_words() {
        let error = std::fs::read("no such file").unwrap_err();
        assert!(!reason(&error).contains("os error"), "{}", reason(&error));
        assert!(reason(&error).starts_with(char::is_lowercase));
        assert_eq!(reason(&io::Error::other("Disk on fire")), "disk on fire");
    }
}
