//! Refuses an output that is also an input: checked before anything is opened.

use std::path::{Path, PathBuf};

use tamiz_containers::{FileIdentity, Input};

use crate::failure::Failure;

/// A file that a command is about to write.
pub(crate) struct Written<'a> {
    pub(crate) path: &'a Path,
    /// The option that names it, for messages.
    pub(crate) option: &'static str,
    /// True if a new file takes the place of what is there.
    pub(crate) is_replaced: bool,
    /// Where a run that did not end has left it in a folder that is read, it is no input.
    pub(crate) is_left_over: bool,
}

/// Checks that no file is written twice, that no device or pipe is replaced, and that no file is read as well: by
/// device and inode, so that links and other spellings of a path are seen through. `folder` is where a run is kept
/// until its output is whole.
///
/// # Errors
/// When one is.
pub(crate) fn check(
    inputs: &[PathBuf],
    written: &[Written<'_>],
    folder: Option<&Path>,
) -> Result<(), Failure> {
    for (at, one) in written.iter().enumerate() {
        if one.is_replaced && is_special(one.path) {
            return Err(Failure::Usage(format!(
                "{} is no regular file, and is not replaced by one; name another output, or '-' for standard output",
                one.path.display()
            )));
        }
        for other in written.iter().skip(at + 1) {
            if is_same(one.path, other.path) {
                return Err(Failure::Usage(format!(
                    "'{}' and '{}' name the same file, {}; name two",
                    one.option,
                    other.option,
                    one.path.display()
                )));
            }
        }
        if let Some(folder) = folder
            && (is_same(one.path, folder) || is_below(one.path, folder))
        {
            return Err(Failure::Usage(format!(
                "'{}' names a file in {}, where the run is kept until it ends; name another",
                one.option,
                folder.display()
            )));
        }
    }
    if let Some(folder) = folder
        && let Some(input) = arguments(inputs).find(|input| is_same(input, folder) || is_below(input, folder))
    {
        return Err(Failure::Usage(format!(
            "{} is read, and {} is where the run would be kept: name another output",
            input.display(),
            folder.display()
        )));
    }
    let there: Vec<(&Written<'_>, FileIdentity)> =
        written.iter().filter_map(|one| Some((one, FileIdentity::of(one.path)?))).collect();
    if there.is_empty() {
        return Ok(());
    }
    for (input, is_argument) in every_file(inputs) {
        let Some(identity) = FileIdentity::of(&input) else { continue };
        for (one, _) in there.iter().filter(|(_, written)| *written == identity) {
            if is_argument || !one.is_left_over {
                return Err(Failure::Usage(format!(
                    "{} is read, so it cannot be what '{}' writes; name another file",
                    one.path.display(),
                    one.option
                )));
            }
        }
    }
    Ok(())
}

/// Returns whether a path leads to a device, a pipe or a socket: the output takes the place of what is there when it is
/// whole.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Checks that no input is in the folder that is written.
///
/// # Errors
/// When one is.
pub(crate) fn check_folder(inputs: &[PathBuf], out: &Path) -> Result<(), Failure> {
    match arguments(inputs).find(|input| is_same(input, out) || is_below(input, out)) {
        Some(input) => Err(Failure::Usage(format!(
            "{} is read, so it cannot be in the folder that '--out' writes; name another folder",
            input.display()
        ))),
        None => Ok(()),
    }
}

/// The arguments as paths; standard input as what it is connected to.
fn arguments(inputs: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    let inputs = if inputs.is_empty() { vec![PathBuf::from("-")] } else { inputs.to_vec() };
    inputs.into_iter().map(|input| match Input::of(&input) {
        Input::File(path) => path,
        _ => PathBuf::from("/dev/stdin"),
    })
}

/// Every file that is read, and whether an argument names it.
fn every_file(inputs: &[PathBuf]) -> impl Iterator<Item = (PathBuf, bool)> {
    let named: Vec<PathBuf> = arguments(inputs).collect();
    let all: Vec<PathBuf> = named.iter().filter(|path| path.is_dir()).cloned().collect();
    let within = Input::walk(&all).flatten().filter_map(|input| match input {
        Input::File(path) => Some((path, false)),
        _ => None,
    });
    named.into_iter().filter(|path| path.is_file()).map(|path| (path, true)).chain(within)
}

/// Returns whether two paths are of the same file, there already or not.
fn is_same(one: &Path, other: &Path) -> bool {
    match (FileIdentity::of(one), FileIdentity::of(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => resolved(one) == resolved(other),
        _ => false,
    }
}

fn is_below(path: &Path, folder: &Path) -> bool {
    let folder = resolved(folder);
    resolved(path).ancestors().skip(1).any(|parent| parent == folder)
}

/// A path without links and detours, as far as it is there.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolved(parent).join(name),
        _ => path,
    }
}
