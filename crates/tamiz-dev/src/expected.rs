//! `tamiz-dev expected`: requests with the library's documents, for the tests of other languages.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use data_encoding::BASE64;
use serde_json::json;
use tamiz::{Canonicalizer, Config};

use crate::{Result, corpus, vectors};

/// How many rows of a corpus are written at most.
const ROWS: usize = 20_000;
/// One row in so many is taken, so that every file contributes.
const STEP: usize = 7;

/// Writes a JSON line for each vector and for rows of a corpus where `TAMIZ_CORPUS` is set: `raw_b64`, `text`, `json`.
pub(crate) fn run(file: &Path) -> Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    let tamiz = Canonicalizer::new(Config::default());
    let mut write = |request: &[u8]| -> Result<()> {
        let document = tamiz.canonicalize(request);
        let row = json!({
            "raw_b64": BASE64.encode(request),
            "text": document.as_str(),
            "json": serde_json::to_string(&document)?,
        });
        Ok(writeln!(out, "{row}")?)
    };
    for vector in vectors::all() {
        write(&vector.request())?;
    }
    let mut left = ROWS;
    for file in corpus::files()?.unwrap_or_default() {
        for row in corpus::rows(&file, STEP)?.take(left) {
            write(&row?.request)?;
            left -= 1;
        }
    }
    Ok(out.flush()?)
}
