//! A file that appears whole or not at all: it is written under another name beside it, and renamed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fs4::{FileExt, TryLockError};

use crate::failure::{Failure, cannot_write};

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
        let file = open(&partial, path)?;
        Ok(WholeFile { path: path.to_owned(), partial, file: Some(file), may_exist })
    }

    /// The temporary name, until the file is complete.
    pub(crate) fn partial(&self) -> &Path {
        &self.partial
    }

    /// Writes it, and puts it in its place.
    pub(crate) fn finish(self, content: &[u8]) -> Result<(), Failure> {
        self.finish_by(|mut file| file.write_all(content))
    }

    /// Lets `write` write it, and puts it in its place.
    pub(crate) fn finish_by(mut self, write: impl FnOnce(File) -> io::Result<()>) -> Result<(), Failure> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let written = file.try_clone().and_then(write).and_then(|()| file.sync_all());
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

/// Opens the file to write under. One that a killed run left is empty, since all is written at the end: only such a one
/// is taken, and only by one process at a time.
fn open(partial: &Path, path: &Path) -> Result<File, Failure> {
    let refused = |why: &str| Failure::Usage(format!("{} {why}; name another output", partial.display()));
    if partial.exists() && !fs::metadata(partial).is_ok_and(|there| there.is_file() && there.len() == 0) {
        return Err(refused("is there, but is not what a run left"));
    }
    let open = File::options().write(true).create(true).truncate(false).open(partial);
    let file = open.map_err(|error| failure(path, &error))?;
    match FileExt::try_lock(&file) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(refused("is being written by another run")),
        Err(TryLockError::Error(error)) => Err(failure(path, &error)),
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
    cannot_write(path, error, "")
}
