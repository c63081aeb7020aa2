//! Real requests, from the folder that `TAMIZ_CORPUS` names; without it, tests on real traffic are skipped.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::sync::Once;

use flate2::read::MultiGzDecoder;
use serde::Deserialize;

/// A row of a corpus file.
#[derive(Deserialize)]
pub struct Row {
    pub id: String,
    pub label: String,
    raw_b64: String,
}

impl Row {
    pub fn request(&self) -> Vec<u8> {
        data_encoding::BASE64.decode(self.raw_b64.as_bytes()).expect("raw_b64 is Base64")
    }
}

/// The folder of the corpus; `None`, with one message on the terminal, where `TAMIZ_CORPUS` is not set.
fn folder() -> Option<PathBuf> {
    static SAID: Once = Once::new();
    let Some(folder) =
        std::env::var_os("TAMIZ_CORPUS").filter(|folder| !folder.is_empty()).map(PathBuf::from)
    else {
        // Written past the capture of the test runner.
        SAID.call_once(|| {
            let message = "SKIPPED: tests on real traffic (set TAMIZ_CORPUS to a folder of *.jsonl.gz files)";
            let _ = writeln!(std::io::stderr(), "{message}");
        });
        return None;
    };
    assert!(folder.is_dir(), "TAMIZ_CORPUS is {}, which is no folder", folder.display());
    Some(folder)
}

/// Every `*.jsonl.gz` of the corpus, by name; `None` where there is no corpus.
pub fn files() -> Option<Vec<PathBuf>> {
    let folder = folder()?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".jsonl.gz"))
        .collect();
    files.sort();
    Some(files)
}

/// Returns whether every row is asked for: `cargo x test --corpus` does.
pub fn is_whole() -> bool {
    std::env::var_os("TAMIZ_CORPUS_ALL").is_some()
}

/// Every row of one file if all are asked for, else one in `SAMPLED`.
pub fn sample(path: &PathBuf) -> impl Iterator<Item = Row> + use<> {
    const SAMPLED: usize = 50;
    rows(path).step_by(if is_whole() { 1 } else { SAMPLED })
}

/// The rows of one file.
pub fn rows(path: &PathBuf) -> impl Iterator<Item = Row> + use<> {
    let file = std::fs::File::open(path).unwrap();
    BufReader::new(MultiGzDecoder::new(file))
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).expect("a row of the corpus"))
}
