//! The Python package: built, installed as its users install it, and tested.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use data_encoding::BASE64;
use flate2::read::MultiGzDecoder;
use serde_json::json;
use tamiz::{Canonicalizer, Config};

use crate::process::{self, cargo};
use crate::python::{environment, interpreter};
use crate::{Result, vectors};

/// How many rows of a corpus are compared.
const ROWS: usize = 20_000;
/// Every so many are taken, so that all files have their part.
const EVERY: usize = 7;

/// Where everything is.
pub(crate) struct Package<'a> {
    pub(crate) root: &'a Path,
    pub(crate) target: PathBuf,
}

impl Package<'_> {
    /// `pip install .` where nothing else is installed but `packages`; the interpreter.
    pub(crate) fn installed(&self, packages: &[&str]) -> Result<PathBuf> {
        let folder = self.target.join("python-fresh");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let python = environment(&folder)?;
        process::run(self.pip(&python).args(["install", "."]).args(packages))?;
        Ok(python)
    }

    /// `pip install .` where nothing else is installed, and the README's own example.
    pub(crate) fn install(&self) -> Result<()> {
        let python = self.installed(&[])?;
        for readme in ["README.md", "README.es.md", "python/README.md"] {
            let example = self.target.join("python-example.py");
            fs::write(&example, python_blocks(&fs::read_to_string(self.root.join(readme))?))?;
            let mut run = Command::new(&python);
            let printed = process::output(run.arg("-I").arg(&example).current_dir(&self.target))?;
            if !printed.starts_with("M:POST\n") {
                return Err(format!("the Python of {readme} prints no document").into());
            }
        }
        Ok(())
    }

    /// The tests, and the stubs against real use. `look` is handed each line that pytest prints.
    pub(crate) fn test(&self, look: impl FnMut(&str)) -> Result<()> {
        let folder = self.target.join("python-package");
        let python = if interpreter(&folder).exists() { interpreter(&folder) } else { environment(&folder)? };
        process::run(self.pip(&python).args(["install", "-r", "python/requirements-test.txt"]))?;
        let wheels = self.target.join("wheels");
        if wheels.exists() {
            fs::remove_dir_all(&wheels)?;
        }
        process::run(self.pip(&python).args(["wheel", "--no-deps", "--wheel-dir"]).arg(&wheels).arg("."))?;
        let wheel = fs::read_dir(&wheels)?.next().ok_or("no wheel was built")??.path();
        process::run(self.pip(&python).args(["install", "--no-deps", "--force-reinstall"]).arg(&wheel))?;
        process::run(&mut cargo(self.root, ["build", "--package", "tamiz-cli"]))?;
        let mut pytest = Command::new(&python);
        pytest
            .args(["-m", "pytest", "-p", "no:cacheprovider"])
            .current_dir(self.root)
            .env("TAMIZ_WHEEL", &wheel)
            .env("TAMIZ_EXPECTED", self.expected()?)
            .env("TAMIZ_COMMAND", self.target.join("debug/tamiz"));
        process::watch(&mut pytest, look)?;
        process::run(Command::new(&python).args(["-m", "mypy"]).current_dir(self.root))
    }

    fn pip(&self, python: &Path) -> Command {
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check"]).current_dir(self.root);
        pip.env("CARGO_TARGET_DIR", &self.target);
        pip
    }

    /// A file of requests with what the library makes of them: every vector, and rows of a corpus where there
    /// is one.
    fn expected(&self) -> Result<PathBuf> {
        let path = self.target.join("python-expected.jsonl");
        let mut out = BufWriter::new(File::create(&path)?);
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
        for vector in vectors::all(self.root)? {
            write(&vector.request)?;
        }
        let rows = corpus_rows(self.root)?;
        if rows.is_empty() {
            println!("no corpus here: only the vectors are compared");
        }
        for request in rows {
            write(&request)?;
        }
        out.flush()?;
        Ok(path)
    }
}

/// Rows of the corpus, some of every file.
fn corpus_rows(root: &Path) -> Result<Vec<Vec<u8>>> {
    let folder =
        std::env::var_os("TAMIZ_CORPUS").map_or_else(|| root.join("../shared/corpus"), PathBuf::from);
    let mut rows = Vec::new();
    let Ok(entries) = fs::read_dir(&folder) else { return Ok(rows) };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.retain(|path| path.to_string_lossy().ends_with(".jsonl.gz"));
    paths.sort();
    for path in paths {
        let lines = BufReader::new(MultiGzDecoder::new(File::open(path)?)).lines();
        for line in lines.step_by(EVERY) {
            let row: serde_json::Value = serde_json::from_str(&line?)?;
            let raw = row["raw_b64"].as_str().ok_or("a row without raw_b64")?;
            rows.push(BASE64.decode(raw.as_bytes())?);
        }
    }
    rows.truncate(ROWS);
    Ok(rows)
}

/// The Python of a Markdown file.
fn python_blocks(markdown: &str) -> String {
    let mut blocks = String::new();
    let mut is_python = false;
    for line in markdown.lines() {
        match line {
            "```python" => is_python = true,
            "```" => is_python = false,
            _ if is_python => {
                blocks.push_str(line);
                blocks.push('\n');
            }
            _ => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_python_is_taken() {
        assert_eq!(
            python_blocks("a\n```python\nx = 1\n```\nb\n```sh\nls\n```\n```python\ny\n```"),
            "x = 1\ny\n"
        );
    }
}
