//! What the tests share.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod capture;

use std::path::{Path, PathBuf};

use tamiz_containers::{Container, Input, Options, Record, Request, Unreadable};

/// The folder of real containers and requests that `TAMIZ_CORPUS` names, or the default beside the clone.
pub(crate) fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("TAMIZ_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"), PathBuf::from);
    if folder.join("formats").is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no corpus here (set TAMIZ_CORPUS to a folder with `formats` in it)");
    None
}

/// Everything in a file.
pub(crate) fn read_file(path: &Path, options: &Options) -> Vec<Result<Record, Unreadable>> {
    match Container::open(&Input::of(path), options) {
        Ok(container) => container.into_iter().collect(),
        Err(unreadable) => vec![Err(unreadable)],
    }
}

/// Everything in some bytes.
pub(crate) fn read_bytes(name: &str, bytes: &[u8], options: &Options) -> Vec<Result<Record, Unreadable>> {
    match Container::read(name, std::io::Cursor::new(bytes.to_vec()), options) {
        Ok(container) => container.into_iter().collect(),
        Err(unreadable) => vec![Err(unreadable)],
    }
}

/// The bytes of a request that has them.
pub(crate) fn raw(record: &Record) -> &[u8] {
    match &record.request {
        Request::Raw(bytes) => bytes,
        _ => panic!("{}: not bytes", record.place),
    }
}
