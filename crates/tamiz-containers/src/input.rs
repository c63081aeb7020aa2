//! Where containers are: files, folders of them, standard input.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::record::{At, Place, Unreadable};

/// Something to read a container from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Input {
    /// What an argument names: `-` is standard input.
    pub fn of(argument: &Path) -> Self {
        if argument.as_os_str() == "-" { Input::Stdin } else { Input::File(argument.to_owned()) }
    }

    /// Everything that arguments name, in their order: of a folder, every file in it and below it, by
    /// name. Hidden files and folders are left out.
    pub fn walk(arguments: &[PathBuf]) -> impl Iterator<Item = Result<Input, Unreadable>> + Send + use<> {
        Walk { pending: arguments.iter().rev().map(|argument| Input::of(argument)).collect() }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Stdin => f.write_str("standard input"),
            Input::File(path) => path.display().fmt(f),
        }
    }
}

struct Walk {
    /// What is still to be looked at, last first.
    pending: Vec<Input>,
}

impl Iterator for Walk {
    type Item = Result<Input, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let input = self.pending.pop()?;
            let Input::File(path) = &input else { return Some(Ok(input)) };
            if !path.is_dir() {
                return Some(Ok(input));
            }
            match list(path) {
                Ok(paths) => self.pending.extend(paths.into_iter().rev().map(Input::File)),
                Err(error) => {
                    let place = Place { file: input.to_string().into(), record: 0, at: At::Whole };
                    let reason = format!("cannot be listed: {}", error.kind()).into();
                    return Some(Err(Unreadable { place, reason }));
                }
            }
        }
    }
}

/// What is in a folder, by name; no link to another folder, which could lead back here.
fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let is_link_to_folder = entry.file_type()?.is_symlink() && entry.path().is_dir();
        if !is_hidden && !is_link_to_folder {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}
