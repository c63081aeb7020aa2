//! Helpers of the tests.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod capture;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Once;

use tamiz_containers::{Container, Input, Options, Record, Request, Unreadable};

/// The folder of real containers and requests that `TAMIZ_CORPUS` names; `None`, with one message on the terminal, where
/// it is not set or has no `formats`.
pub(crate) fn corpus() -> Option<PathBuf> {
    static SAID: Once = Once::new();
    let folder = std::env::var_os("TAMIZ_CORPUS").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let found = folder.filter(|folder| folder.join("formats").is_dir());
    if found.is_none() {
        // Written past the capture of the test runner.
        SAID.call_once(|| {
            let message =
                "SKIPPED: tests on real containers (set TAMIZ_CORPUS to a folder with `formats` in it)";
            let _ = writeln!(std::io::stderr(), "{message}");
        });
    }
    found
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
