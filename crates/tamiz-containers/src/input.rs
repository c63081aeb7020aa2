//! Where containers are: files, folders of them, standard input.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::identity::FileIdentity;
use crate::record::{At, Place, Reason, Unreadable};

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
    /// Takes an argument: `-` is standard input.
    pub fn of(argument: &Path) -> Self {
        if argument.as_os_str() == "-" { Input::Stdin } else { Input::File(argument.to_owned()) }
    }

    /// Everything that arguments name, in their order: of a folder, every regular file in it and below it, by
    /// name. What is in a folder and is not read is an [`Unreadable`] each: a FIFO, a socket, a device, a link that leads
    /// elsewhere; as a notice, a hidden or an empty file, and a file that was there before.
    pub fn walk(arguments: &[PathBuf]) -> impl Iterator<Item = Result<Input, Unreadable>> + Send + use<> {
        Input::walk_without(arguments, &[])
    }

    /// Walks as [`Input::walk`] does, without `excluded`, files and folders that are passed over in silence where a folder has them: what is
    /// being written.
    pub fn walk_without(
        arguments: &[PathBuf],
        excluded: &[PathBuf],
    ) -> impl Iterator<Item = Result<Input, Unreadable>> + Send + use<> {
        let absolute = excluded.iter().filter_map(|path| std::path::absolute(path).ok()).collect();
        let pending = arguments.iter().rev().map(|argument| Pending::Argument(Input::of(argument)));
        Walk { pending: pending.collect(), excluded: absolute, seen: BTreeSet::new() }
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
    /// Paths that are still to be looked at, last first.
    pending: Vec<Pending>,
    excluded: Vec<PathBuf>,
    /// The regular files that were given out.
    seen: BTreeSet<FileIdentity>,
}

enum Pending {
    Argument(Input),
    /// An entry of a folder; the folder that was the argument.
    Entry(PathBuf, Arc<Path>),
}

impl Iterator for Walk {
    type Item = Result<Input, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let found = match self.pending.pop()? {
                Pending::Argument(Input::Stdin) => Some(Ok(Input::Stdin)),
                Pending::Argument(Input::File(path)) => self.argument(path),
                Pending::Entry(path, root) => self.entry(path, &root),
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

impl Walk {
    /// A file is read whatever it is: who names a FIFO wants it read.
    fn argument(&mut self, path: PathBuf) -> Option<Result<Input, Unreadable>> {
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => {
                let root = path.canonicalize().unwrap_or_else(|_| path.clone()).into();
                self.list(&path, &root)
            }
            Ok(metadata) if metadata.is_file() => self.file(path),
            // Whoever opens it tells why it cannot be read.
            _ => Some(Ok(Input::File(path))),
        }
    }

    fn entry(&mut self, path: PathBuf, root: &Arc<Path>) -> Option<Result<Input, Unreadable>> {
        let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
        if self.excluded.contains(&absolute) {
            return None;
        }
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if is_hidden {
            return Some(Err(notice(&path, "hidden, so it is not read; name it to read it")));
        }
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) => return Some(Err(fault(&path, unlisted(&error)))),
        };
        let kind = metadata.file_type();
        if kind.is_symlink() {
            return Some(Err(link(&path, root)));
        }
        if kind.is_dir() {
            return self.list(&path, root);
        }
        if !kind.is_file() {
            return Some(Err(fault(&path, special(kind).into())));
        }
        if metadata.len() == 0 {
            return Some(Err(notice(&path, "empty")));
        }
        self.file(path)
    }

    /// A regular file, unless it was there before.
    fn file(&mut self, path: PathBuf) -> Option<Result<Input, Unreadable>> {
        let is_new = FileIdentity::of(&path).is_none_or(|identity| self.seen.insert(identity));
        Some(if is_new {
            Ok(Input::File(path))
        } else {
            Err(notice(&path, "a file that was read already, perhaps under another name; it is read once"))
        })
    }

    fn list(&mut self, folder: &Path, root: &Arc<Path>) -> Option<Result<Input, Unreadable>> {
        match list(folder) {
            Ok(paths) => {
                let entries = paths.into_iter().rev().map(|path| Pending::Entry(path, Arc::clone(root)));
                self.pending.extend(entries);
                None
            }
            Err(error) => Some(Err(fault(folder, unlisted(&error)))),
        }
    }
}

/// Lists a folder, by name.
fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

/// A link is never followed: what it leads to inside the folder is read by its own name.
fn link(path: &Path, root: &Path) -> Unreadable {
    match path.canonicalize() {
        Ok(target) if target.starts_with(root) => {
            notice(path, "a link into the folder itself, which is not followed")
        }
        Ok(_) => fault(path, "a link that leads out of the folder; name what it leads to".into()),
        Err(_) => fault(path, "a link that leads nowhere".into()),
    }
}

/// Names the kind of a file that is no regular one.
fn special(kind: fs::FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a FIFO, which is not read in a folder; name it to read it";
        }
        if kind.is_socket() {
            return "a socket, which cannot be read";
        }
        if kind.is_block_device() || kind.is_char_device() {
            return "a device, which is not read in a folder; name it to read it";
        }
    }
    let _ = kind;
    "no regular file, so it is not read in a folder"
}

fn unlisted(error: &io::Error) -> Reason {
    format!("cannot be listed: {}", error.kind()).into()
}

fn place(path: &Path) -> Place {
    Place { file: path.display().to_string().into(), record: 0, at: At::Whole }
}

fn fault(path: &Path, reason: Reason) -> Unreadable {
    Unreadable::because(place(path), reason)
}

fn notice(path: &Path, reason: &'static str) -> Unreadable {
    Unreadable::notice(place(path), reason.into())
}
