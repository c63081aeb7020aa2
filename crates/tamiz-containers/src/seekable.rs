//! Containers whose directory is at their end, so that they have to be read at any place: a file, or memory.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::compressed;
use crate::record::Reason;
use crate::window::Window;

/// The most records, as long as they may be, that are held in memory.
const RECORDS: usize = 4;

/// Where a container can be read at any place.
#[derive(Clone)]
pub(crate) enum Seekable {
    File(PathBuf),
    /// Bytes from standard input, out of an archive or out of compressed data.
    Memory(Arc<[u8]>),
}

impl Seekable {
    /// Takes the file that `path` leads to if `begins` knows it by its first bytes, else what is left of the window.
    ///
    /// # Errors
    /// When there is more than a few records may have, or it cannot be read.
    pub(crate) fn of(
        mut window: Window,
        path: Option<&Path>,
        begins: fn(&[u8]) -> bool,
        limit: usize,
    ) -> Result<Self, Reason> {
        // A file that is compressed once more is not the container.
        let is_file = |path: &Path| {
            let mut magic = [0; 4];
            let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
            read.is_ok() && begins(&magic) && path.is_file()
        };
        if let Some(path) = path.filter(|path| is_file(path)) {
            return Ok(Seekable::File(path.to_owned()));
        }
        let most = limit.saturating_mul(RECORDS);
        if window.fill(most.saturating_add(1)) {
            return Err(format!(
                "more than {most} bytes of a format whose directory is at its end, and no file of its own: put it into one"
            )
            .into());
        }
        match window.failure() {
            Some(error) => Err(compressed::reason(error)),
            None => Ok(Seekable::Memory(window.take(usize::MAX).into())),
        }
    }
}
