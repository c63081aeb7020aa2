//! A file that appears whole or not at all: it is written under another name beside it, and renamed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, reason};

/// A file to be.
pub(crate) struct WholeFile {
    path: PathBuf,
    partial: PathBuf,
    /// `None` once it is in its place.
    file: Option<File>,
    may_exist: bool,
}

impl WholeFile {
    /// Makes sure that it can be written, before any work is done for it.
    ///
    /// # Errors
    /// When it exists and nothing says that it may be replaced, or when nothing can be written beside it.
    pub(crate) fn begin(path: &Path, may_exist: bool) -> Result<Self, Failure> {
        if path.is_dir() {
            return Err(Failure::Usage(format!("{} is a directory; name a file", path.display())));
        }
        check(path, may_exist)?;
        let mut partial = OsString::from(path.as_os_str());
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        // One that a run left which was killed is written over.
        let file = File::create(&partial).map_err(|error| failure(path, &error))?;
        Ok(WholeFile { path: path.to_owned(), partial, file: Some(file), may_exist })
    }

    /// What it is written under until it is whole.
    pub(crate) fn partial(&self) -> &Path {
        &self.partial
    }

    /// Writes it, and puts it in its place.
    pub(crate) fn finish(mut self, content: &[u8]) -> Result<(), Failure> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        let written = file.write_all(content).and_then(|()| file.sync_all());
        drop(file);
        let done = written.map_err(|error| failure(&self.path, &error)).and_then(|()| {
            check(&self.path, self.may_exist)?;
            fs::rename(&self.partial, &self.path).map_err(|error| failure(&self.path, &error))
        });
        if done.is_err() {
            let _ = fs::remove_file(&self.partial);
        }
        done
    }
}

impl Drop for WholeFile {
    /// Leaves nothing behind where it came to nothing.
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = fs::remove_file(&self.partial);
        }
    }
}

fn check(path: &Path, may_exist: bool) -> Result<(), Failure> {
    if path.exists() && !may_exist {
        return Err(Failure::Usage(format!(
            "{} exists; name another output, or replace it with '--force'",
            path.display()
        )));
    }
    Ok(())
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    Failure::Input(format!("cannot write {}: {}", path.display(), reason(error)))
}
