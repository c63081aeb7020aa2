//! Real requests: the `*.jsonl.gz` files of the folder that `TAMIZ_CORPUS` names.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use flate2::read::MultiGzDecoder;

use crate::Result;

/// A row of a corpus file.
pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) request: Vec<u8>,
}

/// Lists the files of the corpus by name; `None` where `TAMIZ_CORPUS` is not set.
pub(crate) fn files() -> Result<Option<Vec<PathBuf>>> {
    let Some(folder) =
        std::env::var_os("TAMIZ_CORPUS").filter(|folder| !folder.is_empty()).map(PathBuf::from)
    else {
        return Ok(None);
    };
    let entries =
        fs::read_dir(&folder).map_err(|error| format!("TAMIZ_CORPUS, {}: {error}", folder.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    files.retain(|path| path.to_string_lossy().ends_with(".jsonl.gz"));
    files.sort();
    Ok(Some(files))
}

/// Reads every `step`th row of a file, from the first.
pub(crate) fn rows(path: &Path, step: usize) -> Result<impl Iterator<Item = Result<Row>> + use<>> {
    let lines = BufReader::new(MultiGzDecoder::new(File::open(path)?)).lines();
    Ok(lines.step_by(step).map(|line| read(&line?)))
}

fn read(line: &str) -> Result<Row> {
    let row: serde_json::Value = serde_json::from_str(line)?;
    let text = |key: &str| row.get(key).and_then(|value| value.as_str()).unwrap_or_default();
    Ok(Row { label: text("label").to_owned(), request: BASE64.decode(text("raw_b64").as_bytes())? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let row = read(r#"{"id": "1", "label": "valid", "raw_b64": "R0VU"}"#).unwrap();
        assert_eq!((row.label.as_str(), &row.request[..]), ("valid", &b"GET"[..]));
        assert!(read("{").is_err());
        assert!(read(r#"{"raw_b64": "?"}"#).is_err());
    }
}
