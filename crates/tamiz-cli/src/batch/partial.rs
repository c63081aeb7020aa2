//! The folder beside the output in which a run is under way: `OUT.partial`, with what is written so
//! far and, in `state.json`, how far that is. The output itself appears at the end, whole, by renaming.
//!
//! Only files that a run makes are ever removed from it, and a folder without the state of a run is left alone.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fs4::{FileExt, TryLockError};
use serde::{Deserialize, Serialize};
use tamiz_containers::FileIdentity;

use super::counts::Counts;
use crate::failure::{Failure, cannot_write};

/// How far a run has come: everything before this is on the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The description of the run: `--resume` with another command line, program or input is refused.
    pub(crate) run: String,
    /// True if it may replace an output that exists.
    pub(crate) forces: bool,
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
    /// How many notices there were.
    pub(crate) notices: u64,
}

/// The beginning of every description of a run: a state file without it is not ours.
pub(crate) const RUN_BEGINS: &str = "tamiz ";
/// The file that is locked as long as the process of a run lives.
const LOCK: &str = "lock";
const STATE: &str = "state.json";
/// The folder of an output that is being replaced.
const OLD: &str = "old";

/// The folder of a run.
pub(crate) struct Partial {
    out: PathBuf,
    folder: PathBuf,
    /// True if a run that was stopped can go on.
    is_resumable: bool,
    /// True if the output is a folder of files.
    is_folder: bool,
    /// Held until the run is over; the system lets go of it when the process dies, however it dies.
    lock: Option<File>,
}

impl Partial {
    pub(crate) fn of(out: &Path, is_resumable: bool) -> Self {
        // A folder may be named with a slash behind it.
        let out: PathBuf = out.components().collect();
        let mut folder = OsString::from(out.as_os_str());
        folder.push(".partial");
        Partial { out, folder: folder.into(), is_resumable, is_folder: false, lock: None }
    }

    /// Says whether the output is a folder of files.
    #[must_use]
    pub(crate) fn with_folder(mut self, is_folder: bool) -> Self {
        self.is_folder = is_folder;
        self
    }

    /// Makes the folder, or takes the one that is there; the state that it is in.
    ///
    /// # Errors
    /// When the output or such a folder is there and nobody said what to do about it, or when the
    /// folder is of another run, of a run under way, or of no run at all.
    pub(crate) fn begin(&mut self, run: &str, resumes: bool, forces: bool) -> Result<State, Failure> {
        let fresh = State { run: run.to_owned(), forces, ..State::default() };
        match (self.out.is_dir(), self.is_folder) {
            (true, false) => {
                return Err(Failure::Usage(format!("{} is a directory; name a file", self.out.display())));
            }
            (true, true) => self.check_folder()?,
            (false, true) if self.out.exists() => {
                return Err(Failure::Usage(format!(
                    "{} is a file, and '--split' makes a folder; name another output",
                    self.out.display()
                )));
            }
            _ => {}
        }
        let left = self.left()?;
        if left.is_some() {
            self.lock()?;
        }
        let may_replace = forces || resumes && matches!(&left, Some(Left::State(state)) if state.forces);
        if self.out.exists() && !may_replace {
            return Err(self.exists());
        }
        match left {
            Some(Left::State(state)) if resumes => return self.resume(run, *state),
            Some(Left::State(_)) if !forces => {
                return Err(Failure::Usage(format!(
                    "{} is left of a run that did not end: go on with it with '--resume', or begin anew with '--force'",
                    self.folder.display()
                )));
            }
            Some(_) => self.clear().map_err(|error| self.failure(&error))?,
            None => {
                fs::create_dir(&self.folder).map_err(|error| self.failure(&error))?;
                self.lock()?;
            }
        }
        self.save(&fresh)?;
        Ok(fresh)
    }

    /// Checks that a folder that is to be replaced holds nothing but what such a run makes.
    fn check_folder(&self) -> Result<(), Failure> {
        let entries = fs::read_dir(&self.out).map_err(|error| self.failure(&error))?;
        let is_ours = |entry: fs::DirEntry| {
            is_part(&entry.file_name()) && entry.file_type().is_ok_and(|kind| kind.is_file())
        };
        if entries.flatten().all(is_ours) {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "{} holds files that '--split' does not make, so it is not replaced; name another output",
            self.out.display()
        )))
    }

    fn exists(&self) -> Failure {
        Failure::Usage(format!(
            "{} exists; name another output, or replace it with '--force'",
            self.out.display()
        ))
    }

    /// Looks for an earlier run in the folder.
    fn left(&self) -> Result<Option<Left>, Failure> {
        let foreign = || {
            Failure::Usage(format!(
                "{} is there, but is not what a run left: move it away, or name another output",
                self.folder.display()
            ))
        };
        if fs::symlink_metadata(&self.folder).is_err() {
            return Ok(None);
        }
        if !fs::symlink_metadata(&self.folder).is_ok_and(|metadata| metadata.is_dir()) {
            return Err(foreign());
        }
        let state = fs::read(self.file(STATE)).ok();
        let state = state.and_then(|text| serde_json::from_slice::<State>(&text).ok());
        if let Some(state) = state.filter(|state| state.run.starts_with(RUN_BEGINS)) {
            return Ok(Some(Left::State(Box::new(state))));
        }
        // A run that was stopped before it had a state has made nothing but its lock.
        let entries = fs::read_dir(&self.folder).map_err(|error| self.failure(&error))?;
        let is_empty = entries.flatten().all(|entry| {
            entry.file_name() == LOCK && entry.metadata().is_ok_and(|metadata| metadata.len() == 0)
        });
        if is_empty { Ok(Some(Left::Nothing)) } else { Err(foreign()) }
    }

    /// Makes sure that no other process writes this output.
    fn lock(&mut self) -> Result<(), Failure> {
        let open = || File::options().write(true).create(true).truncate(false).open(self.file(LOCK));
        let file = open().map_err(|error| self.failure(&error))?;
        let busy = || {
            Failure::Usage(format!("another run is writing {}; let it end, or stop it", self.out.display()))
        };
        match FileExt::try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy()),
            Err(TryLockError::Error(error)) => return Err(self.failure(&error)),
        }
        self.lock = Some(file);
        // A run that ends while this one begins takes its lock away with it.
        if FileIdentity::of(&self.file(LOCK)).is_none() { Err(busy()) } else { Ok(()) }
    }

    fn resume(&self, run: &str, state: State) -> Result<State, Failure> {
        if state.run != run {
            return Err(Failure::Usage(format!(
                "{} is of another run: inputs, options and version have to be the same; begin anew with '--force'",
                self.folder.display()
            )));
        }
        Ok(state)
    }

    /// Removes what a run makes, but for its lock.
    fn clear(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if !is_of_a_run(&entry.file_name()) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                remove_parts(&entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Removes the folder; what is in it and is nobody's keeps it there.
    pub(crate) fn remove(&self) {
        // The output is whole: what cannot be removed is in nobody's way.
        let _ = self.clear();
        let _ = fs::remove_file(self.file(LOCK));
        let _ = fs::remove_dir(&self.folder);
    }

    /// Leaves nothing behind of a run that could not begin; one that was to be gone on with stays as it is.
    pub(crate) fn give_up(&self, resumes: bool) {
        if self.lock.is_some() && !resumes {
            self.remove();
        }
    }

    /// The message for a run that is stopped from outside.
    pub(crate) fn stopped_message(&self) -> String {
        if self.is_resumable {
            format!("stopped; what is written is kept in {}, and '--resume' goes on", self.folder.display())
        } else {
            format!("stopped; a sample cannot be gone on with: {} can be removed", self.folder.display())
        }
    }

    /// A file in the folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Keeps a state, so that either it or the one before is there whatever happens.
    pub(crate) fn save(&self, state: &State) -> Result<(), Failure> {
        let text = serde_json::to_vec(state).map_err(io::Error::from)?;
        self.replace(STATE, &text)
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
    pub(crate) fn finish(&self, name: &str, forces: bool) -> Result<(), Failure> {
        if self.out.exists() && !forces {
            // It came while this was made.
            return Err(self.exists());
        }
        fs::rename(self.file(name), &self.out).map_err(|error| self.failure(&error))?;
        self.remove();
        Ok(())
    }

    /// Makes an empty folder in the folder.
    #[cfg(feature = "columns")]
    pub(crate) fn new_folder(&self, name: &str, is_private: bool) -> io::Result<PathBuf> {
        let path = self.file(name);
        if path.is_dir() {
            remove_parts(&path)?;
        }
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        if is_private {
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        }
        #[cfg(not(unix))]
        let _ = is_private;
        builder.create(&path)?;
        Ok(path)
    }

    /// Puts a finished folder of the folder where the output should be, and removes the folder. One that is there is
    /// kept until the new one is in its place.
    #[cfg(feature = "columns")]
    pub(crate) fn finish_folder(&self, name: &str, forces: bool) -> Result<(), Failure> {
        let io = |error: io::Error| self.failure(&error);
        if self.out.exists() {
            if !forces {
                return Err(self.exists());
            }
            self.check_folder()?;
            let old = self.file(OLD);
            if old.is_dir() {
                remove_parts(&old).map_err(io)?;
            }
            fs::rename(&self.out, old).map_err(io)?;
        }
        fs::rename(self.file(name), &self.out).map_err(io)?;
        self.remove();
        Ok(())
    }

    /// Says what cannot be done and, where something is written already, that it is not lost.
    pub(crate) fn failure(&self, error: &io::Error) -> Failure {
        let kept = if self.is_resumable && self.file(STATE).exists() {
            format!("; what is written is kept in {}, and '--resume' goes on", self.folder.display())
        } else {
            String::new()
        };
        cannot_write(&self.out, error, &kept)
    }
}

impl Drop for Partial {
    /// Leaves nothing behind of a run that cannot go on.
    fn drop(&mut self) {
        if !self.is_resumable && self.lock.is_some() {
            self.remove();
        }
    }
}

/// Contents of the folder from before this run.
enum Left {
    Nothing,
    State(Box<State>),
}

/// Returns whether a run makes files of this name.
fn is_of_a_run(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let name = name.strip_suffix(".new").unwrap_or(name);
    let is_numbered = |prefix: &str| {
        name.strip_prefix(prefix)
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    [STATE, OLD, "rows", "whole", "model"].contains(&name)
        || ["part-", "counts-", "model-"].into_iter().any(is_numbered)
}

/// Returns whether a file of this name is one of an output that is split: `part-000001.parquet`.
fn is_part(name: &OsStr) -> bool {
    let name = name.to_str().and_then(|name| name.strip_prefix("part-"));
    let number = name.and_then(|name| name.strip_suffix(".parquet").or_else(|| name.strip_suffix(".arrow")));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Removes a folder of parts; what else is in it keeps it there.
fn remove_parts(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_part(&entry.file_name()) {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir(folder)
}

fn counts_name(chunks: u64) -> String {
    format!("counts-{chunks}")
}
