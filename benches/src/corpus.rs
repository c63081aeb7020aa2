//! Files of requests: for each, its length as four bytes, the least first, then the request.

use std::fs::File;
use std::io::{BufRead, BufReader, Error, ErrorKind, Result};
use std::path::Path;

use data_encoding::BASE64;
use flate2::read::MultiGzDecoder;

/// Real corpora, by name: the files of the folder that they are made of.
const REAL: &[(&str, &[&str])] = &[
    ("csic-2010", &["csic2010_normal_train", "csic2010_normal_test", "csic2010_anomalous"]),
    ("har", &["har_requests"]),
    ("crs", &["crs_regression"]),
];

/// The names of the real corpora that are in `folder`.
pub fn real_names(folder: &Path) -> impl Iterator<Item = &'static str> {
    let there = |file: &&str| path(folder, file).is_file();
    REAL.iter().filter(move |(_, files)| files.iter().all(there)).map(|(name, _)| *name)
}

fn path(folder: &Path, file: &str) -> std::path::PathBuf {
    folder.join(format!("{file}.jsonl.gz"))
}

/// `most` requests of a real corpus, from everywhere in it, or all there are.
pub fn real(folder: &Path, name: &str, most: usize) -> Result<Option<Vec<Vec<u8>>>> {
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

/// The bytes of a file with these requests.
pub fn write(requests: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    for request in requests {
        out.extend_from_slice(&u32::try_from(request.len()).unwrap_or(u32::MAX).to_le_bytes());
        out.extend_from_slice(request);
    }
    out
}

/// The requests of a file.
pub fn read(mut bytes: &[u8]) -> Result<Vec<&[u8]>> {
    let mut requests = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        let (request, rest) = rest.split_at_checked(length).ok_or_else(|| invalid("a request is cut off"))?;
        requests.push(request);
        bytes = rest;
    }
    if bytes.is_empty() { Ok(requests) } else { Err(invalid("a length is cut off")) }
}

fn invalid(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let requests = vec![b"GET / HTTP/1.1\r\n\r\n".to_vec(), Vec::new(), vec![0xFF; 300]];
        let bytes = write(&requests);
        assert_eq!(read(&bytes).unwrap(), requests);
        assert!(read(&bytes[..bytes.len() - 1]).is_err());
        assert!(read(&bytes[..2]).is_err());
    }

    #[test]
    fn rows_hold_requests() {
        assert_eq!(request(r#"{"id":"1","raw_b64":"R0VUIC8="}"#).unwrap(), b"GET /");
        assert!(request(r#"{"id":"1"}"#).is_err());
    }
}
