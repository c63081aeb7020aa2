//! Where requests come from: files and standard input.

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, reason};

/// One input of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// `-`, or no file at all.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Source {
    /// The input that an argument names.
    pub(crate) fn of(argument: &Path) -> Self {
        if argument.as_os_str() == "-" { Source::Stdin } else { Source::File(argument.to_owned()) }
    }

    /// The inputs that the arguments name.
    ///
    /// # Errors
    /// When standard input is there twice: its second reading would find nothing.
    pub(crate) fn all(arguments: &[PathBuf]) -> Result<Vec<Self>, Failure> {
        let sources: Vec<Source> = arguments.iter().map(|argument| Source::of(argument)).collect();
        if sources.iter().filter(|source| **source == Source::Stdin).count() > 1 {
            return Err(Failure::Usage("standard input can be read only once: give '-' once".to_owned()));
        }
        Ok(if sources.is_empty() { vec![Source::Stdin] } else { sources })
    }

    /// Everything in it.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        let read = match self {
            Source::Stdin => {
                let mut bytes = Vec::new();
                io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
            }
            Source::File(path) => fs::read(path),
        };
        read.map_err(|error| Failure::Input(format!("cannot read {self}: {}", self.advice(&error))))
    }

    /// Describes an error, and what to do about it.
    fn advice(&self, error: &io::Error) -> String {
        match self {
            Source::File(path) if path.is_dir() => "it is a directory; name the files in it".to_owned(),
            Source::File(_) if error.kind() == io::ErrorKind::NotFound => {
                "there is no such file; check the path, or pipe the request in and give '-'".to_owned()
            }
            _ => reason(error),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Stdin => f.write_str("standard input"),
            Source::File(path) => path.display().fmt(f),
        }
    }
}
