//! Reads the inputs of a run: files one after another, their chunks in order.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sha2::{Digest, Sha256};
use tamiz_containers::{Chunk, Container, Input, Options, Unreadable};

use crate::failure::{Failure, reason};

/// Everything to read, in order.
pub(crate) struct Inputs {
    arguments: Vec<PathBuf>,
    /// Output files, which are not read even in a folder that is an input.
    excluded: Vec<PathBuf>,
}

impl Inputs {
    /// Collects the inputs that the arguments name; standard input if there are none.
    ///
    /// # Errors
    /// When one is not there, or standard input is there twice.
    pub(crate) fn of(arguments: &[PathBuf], written: &[&Path]) -> Result<Self, Failure> {
        let arguments = if arguments.is_empty() { vec![PathBuf::from("-")] } else { arguments.to_vec() };
        if arguments.iter().filter(|argument| Input::of(argument) == Input::Stdin).count() > 1 {
            return Err(Failure::Usage("standard input can be read only once: give '-' once".to_owned()));
        }
        for argument in &arguments {
            if let (Input::File(path), Err(error)) = (Input::of(argument), fs::metadata(argument)) {
                return Err(Failure::Input(format!("cannot read {}: {}", path.display(), reason(&error))));
            }
        }
        let excluded = written.iter().map(|path| path.to_path_buf()).collect();
        Ok(Inputs { arguments, excluded })
    }

    fn walk(&self) -> impl Iterator<Item = Result<Input, Unreadable>> + Send + use<> {
        Input::walk_without(&self.arguments, &self.excluded)
    }

    /// How many bytes all files have; `None` when one of the inputs is no file.
    pub(crate) fn total(&self) -> Option<u64> {
        self.walk().flatten().try_fold(0, |total, input| match input {
            Input::File(path) => Some(total + fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len()),
            _ => None,
        })
    }

    /// Identifies the inputs: names, lengths, times, beginnings and ends of all files.
    pub(crate) fn identity(&self) -> String {
        let mut digest = Sha256::new();
        for input in self.walk().flatten() {
            digest.update(input.to_string());
            if let Input::File(path) = input
                && let Ok(metadata) = fs::metadata(&path)
            {
                let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                digest.update(metadata.len().to_le_bytes());
                digest.update(modified.unwrap_or_default().as_nanos().to_le_bytes());
                if metadata.is_file() {
                    digest.update(both_ends(&path));
                }
            }
            digest.update([0]);
        }
        digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The chunks of all of them.
    pub(crate) fn chunks(&self, options: Options) -> impl Iterator<Item = Chunk> + Send + use<> {
        Chunks { inputs: self.walk(), options, present: None }
    }
}

/// The first and the last bytes of a file, as far as they can be read: a file that was written anew may have the length
/// and the time that it had before.
fn both_ends(path: &Path) -> Vec<u8> {
    const LEN: u64 = 64 << 10;
    let mut bytes = Vec::new();
    let mut read = || -> io::Result<()> {
        let mut file = File::open(path)?;
        (&mut file).take(LEN).read_to_end(&mut bytes)?;
        let len = file.metadata()?.len();
        file.seek(SeekFrom::Start(len.saturating_sub(LEN).max(LEN)))?;
        file.take(LEN).read_to_end(&mut bytes)?;
        Ok(())
    };
    // What cannot be read is told when it is its turn.
    let _ = read();
    bytes
}

struct Chunks<I> {
    inputs: I,
    options: Options,
    present: Option<Container>,
}

impl<I: Iterator<Item = Result<Input, Unreadable>>> Iterator for Chunks<I> {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        loop {
            if let Some(chunk) = self.present.as_mut().and_then(Container::next_chunk) {
                return Some(chunk);
            }
            match self.inputs.next()?.and_then(|input| Container::open(&input, &self.options)) {
                Ok(container) => self.present = Some(container),
                Err(unreadable) => {
                    self.present = None;
                    return Some(Chunk::from_iter([Err(unreadable)]));
                }
            }
        }
    }
}
