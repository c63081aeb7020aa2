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
    ("api-calls", &["api_requests"]),
    ("pcap", &["pcap_requests"]),
    ("crs", &["crs_regression"]),
];

/// Longer requests are left out: a few of them would be most of the work.
const LONGEST: usize = 16 << 10;
/// One request of so many is measured; those between them are read before.
const STEP: usize = 5;

/// The names of the real corpora that are in `folder`.
pub fn names(folder: &Path) -> impl Iterator<Item = &'static str> {
    let there = |file: &&str| path(folder, file).is_file();
    REAL.iter().filter(move |(_, files)| files.iter().all(there)).map(|(name, _)| *name)
}

fn path(folder: &Path, file: &str) -> PathBuf {
    folder.join(format!("{file}.jsonl.gz"))
}

/// Requests to measure.
type Requests = Vec<Vec<u8>>;

/// At most `most` requests of a real corpus, every fifth of it, and four times as many others.
pub fn requests(folder: &Path, name: &str, most: usize) -> Result<Option<(Requests, Requests)>> {
    let Some((_, files)) = REAL.iter().find(|(known, _)| *known == name) else { return Ok(None) };
    let (mut measured, mut others) = (Vec::new(), Vec::new());
    let mut nth = 0;
    for file in *files {
        let reader = BufReader::new(MultiGzDecoder::new(File::open(path(folder, file))?));
        for line in reader.lines() {
            let request = request(&line?)?;
            if request.len() <= LONGEST {
                let is_measured = nth % STEP == 0;
                let requests = if is_measured { &mut measured } else { &mut others };
                if requests.len() < if is_measured { most } else { most.saturating_mul(STEP - 1) } {
                    requests.push(request);
                }
                nth += 1;
            }
        }
    }
    Ok(Some((measured, others)))
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
