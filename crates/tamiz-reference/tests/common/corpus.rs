//! Real requests, where they are: the folder `TAMIZ_CORPUS` names, or the default beside the clone.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use flate2::read::MultiGzDecoder;
use serde::Deserialize;

/// A row of a corpus file.
#[derive(Deserialize)]
pub struct Row {
    pub id: String,
    raw_b64: String,
}

impl Row {
    pub fn request(&self) -> Vec<u8> {
        data_encoding::BASE64.decode(self.raw_b64.as_bytes()).expect("raw_b64 is Base64")
    }
}

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("TAMIZ_CORPUS")
        .map_or_else(|| super::root().join("../shared/corpus"), PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// Every `*.jsonl.gz` of the corpus, by name; `None`, with a message, where there is none.
pub fn files() -> Option<Vec<PathBuf>> {
    let Some(folder) = folder() else {
        eprintln!("skipped: no corpus here (set TAMIZ_CORPUS to a folder of *.jsonl.gz files)");
        return None;
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".jsonl.gz"))
        .collect();
    files.sort();
    Some(files)
}

/// The rows of one file.
pub fn rows(path: &PathBuf) -> impl Iterator<Item = Row> + use<> {
    let file = std::fs::File::open(path).unwrap();
    BufReader::new(MultiGzDecoder::new(file))
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).expect("a row of the corpus"))
}
