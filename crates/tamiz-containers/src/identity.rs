//! Telling files apart whatever they are called: by device and inode where the system has them.

use std::fs;
use std::path::Path;

/// Identifies a file on this machine: paths, links and hard links to the same file have the same identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileIdentity(Identity);

#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = std::path::PathBuf;

impl FileIdentity {
    /// The identity of what a path leads to, links followed; `None` when there is nothing. It opens nothing.
    #[cfg(unix)]
    pub fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::of_metadata(&metadata))
    }

    /// The identity of what a path leads to, links followed; `None` when there is nothing. It opens nothing.
    #[cfg(not(unix))]
    pub fn of(path: &Path) -> Option<Self> {
        fs::canonicalize(path).ok().map(FileIdentity)
    }

    #[cfg(unix)]
    fn of_metadata(metadata: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        FileIdentity((metadata.dev(), metadata.ino()))
    }
}
