//! The folder beside the output in which a run is under way: `OUT.partial`, with what is written so
//! far and, in `state.json`, how far that is. The output itself appears at the end, whole, by renaming.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::counts::Counts;
use crate::failure::{Failure, reason};

/// How far a run has come: everything before this is on the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// What the run is of: another command line, program or input cannot go on with it.
    pub(crate) run: String,
    /// How many chunks of the input are done.
    pub(crate) chunks: u64,
    /// How many requests were read, rows written and records unreadable.
    pub(crate) requests: u64,
    pub(crate) rows: u64,
    pub(crate) unreadable: u64,
    /// How many requests the source would refuse, by the reason.
    pub(crate) refused: BTreeMap<String, u64>,
    /// How long the output is, where it is one file of bytes.
    pub(crate) bytes: u64,
    /// How many parts of it are whole, where it is columns.
    pub(crate) parts: u64,
    /// How long the file of errors is.
    pub(crate) error_bytes: u64,
}

/// The folder of a run.
pub(crate) struct Partial {
    out: PathBuf,
    folder: PathBuf,
}

impl Partial {
    pub(crate) fn of(out: &Path) -> Self {
        let mut folder = OsString::from(out.as_os_str());
        folder.push(".partial");
        Partial { out: out.to_owned(), folder: folder.into() }
    }

    /// Makes the folder, or takes the one that is there; the state that it is in.
    ///
    /// # Errors
    /// When the output or such a folder is there and nobody said what to do about it, or when the
    /// folder is of another run.
    pub(crate) fn begin(&self, run: &str, resumes: bool, forces: bool) -> Result<State, Failure> {
        let fresh = State { run: run.to_owned(), ..State::default() };
        if self.out.is_dir() {
            return Err(Failure::Usage(format!("{} is a directory; name a file", self.out.display())));
        }
        if self.out.exists() && !forces {
            return Err(Failure::Usage(format!(
                "{} exists; name another output, or replace it with '--force'",
                self.out.display()
            )));
        }
        if self.folder.exists() {
            if resumes {
                return self.resume(run);
            }
            if !forces {
                return Err(Failure::Usage(format!(
                    "{} is left of a run that did not end: go on with it with '--resume', or begin anew with '--force'",
                    self.folder.display()
                )));
            }
            fs::remove_dir_all(&self.folder).map_err(|error| self.failure(&error))?;
        }
        fs::create_dir_all(&self.folder).map_err(|error| self.failure(&error))?;
        self.save(&fresh)?;
        Ok(fresh)
    }

    fn resume(&self, run: &str) -> Result<State, Failure> {
        let text = match fs::read(self.file("state.json")) {
            Ok(text) => text,
            // It was stopped before it had written anything.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(State { run: run.to_owned(), ..State::default() });
            }
            Err(error) => return Err(self.failure(&error)),
        };
        let state: State = serde_json::from_slice(&text).map_err(|_| {
            Failure::Usage(format!(
                "{} cannot be gone on with: its state cannot be read; begin anew with '--force'",
                self.folder.display()
            ))
        })?;
        if state.run != run {
            return Err(Failure::Usage(format!(
                "{} is of another run: inputs, options and version have to be the same; begin anew with '--force'",
                self.folder.display()
            )));
        }
        Ok(state)
    }

    /// A file in the folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Keeps a state, so that either it or the one before is there whatever happens.
    pub(crate) fn save(&self, state: &State) -> Result<(), Failure> {
        let text = serde_json::to_vec(state).map_err(io::Error::from)?;
        self.replace("state.json", &text)
    }

    /// Keeps the counts of a run that leaves out repeats; before the state that they belong to.
    pub(crate) fn save_counts(&self, counts: &Counts, state: &State) -> Result<(), Failure> {
        self.replace(&counts_name(state.chunks), &counts.to_bytes())
    }

    /// The counts that belong to a state.
    pub(crate) fn counts(&self, state: &State) -> Result<Counts, Failure> {
        if state.chunks == 0 {
            return Ok(Counts::default());
        }
        let bytes = fs::read(self.file(&counts_name(state.chunks))).map_err(|error| self.failure(&error))?;
        Ok(Counts::from_bytes(&bytes))
    }

    /// Removes the counts that belonged to a state of so many chunks.
    pub(crate) fn remove_counts(&self, chunks: u64) {
        // If that cannot be done, they are in nobody's way.
        let _ = fs::remove_file(self.file(&counts_name(chunks)));
    }

    /// The folder itself.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a file of the folder, so that either it or the one before is there whatever happens.
    pub(crate) fn replace(&self, name: &str, content: &[u8]) -> Result<(), Failure> {
        let new = self.file(&format!("{name}.new"));
        let write = || -> io::Result<()> {
            let mut file = File::create(&new)?;
            file.write_all(content)?;
            file.sync_all()?;
            fs::rename(&new, self.file(name))
        };
        write().map_err(|error| self.failure(&error))
    }

    /// Puts a finished file of the folder where the output should be, and removes the folder.
    pub(crate) fn finish(&self, name: &str) -> Result<(), Failure> {
        fs::rename(self.file(name), &self.out)
            .and_then(|()| fs::remove_dir_all(&self.folder))
            .map_err(|error| self.failure(&error))
    }

    /// Says what cannot be done, and that what was written is not lost.
    pub(crate) fn failure(&self, error: &io::Error) -> Failure {
        Failure::Input(format!(
            "cannot write {}: {}; what is written is kept in {}, and '--resume' goes on",
            self.out.display(),
            reason(error),
            self.folder.display()
        ))
    }
}

fn counts_name(chunks: u64) -> String {
    format!("counts-{chunks}")
}
