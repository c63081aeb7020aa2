//! Real requests, where they are: folders of `*.jsonl.gz` files with `raw_b64` in each row.

use std::fs::File;
use std::io::{BufRead, BufReader, Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use flate2::read::MultiGzDecoder;

/// Real corpora, by name: the files of the folder that they are made of.
const REAL: &[(&str, &[&str])] = &[
    ("csic-2010", &["csic2010_normal_train", "csic2010_normal_test", "csic2010_anomalous"]),
    ("har", &["har_requests"]),
    ("crs", &["crs_regression"]),
];

/// The names of the real corpora that are in `folder`.
pub fn names(folder: &Path) -> impl Iterator<Item = &'static str> {
    let there = |file: &&str| path(folder, file).is_file();
    REAL.iter().filter(move |(_, files)| files.iter().all(there)).map(|(name, _)| *name)
}

fn path(folder: &Path, file: &str) -> PathBuf {
    folder.join(format!("{file}.jsonl.gz"))
}

/// `most` requests of a real corpus, from everywhere in it, or all there are.
pub fn requests(folder: &Path, name: &str, most: usize) -> Result<Option<Vec<Vec<u8>>>> {
    let Some((_, files)) = REAL.iter().find(|(known, _)| *known == name) else { return Ok(None) };
    let mut rows = Vec::new();
    for file in *files {
        let reader = BufReader::new(MultiGzDecoder::new(File::open(path(folder, file))?));
        for line in reader.lines() {
            rows.push(line?);
        }
    }
    let step = rows.len().div_ceil(most).max(1);
    rows.iter().step_by(step).map(|row| request(row)).collect::<Result<_>>().map(Some)
}

/// The request of a row.
fn request(row: &str) -> Result<Vec<u8>> {
    let row: serde_json::Value = serde_json::from_str(row)?;
    let encoded = row["raw_b64"].as_str().ok_or_else(|| invalid("a row without a request"))?;
    BASE64.decode(encoded.as_bytes()).map_err(|error| invalid(&error.to_string()))
}

fn invalid(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_requests() {
        assert_eq!(request(r#"{"id":"1","raw_b64":"R0VUIC8="}"#).unwrap(), b"GET /");
        assert!(request(r#"{"id":"1"}"#).is_err());
    }
}
