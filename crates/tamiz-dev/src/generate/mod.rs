//! `cargo x generate`: the files that are made from others.
//!
//! | file | made from |
//! |---|---|
//! | `crates/tamiz/src/lists.rs` | `spec/lists/*.txt` |
//! | `crates/tamiz/src/keywords/tables.rs`, `tables.bin`, `words.txt`, `entries.rs` | `spec/words/*.txt` |
//! | `spec/flags.md` | the flag registry |
//! | `python/tamiz/_flags.py` | the flag registry |
//! | `spec/schema.json` | `schema.template.json` and the flag registry |
//! | `spec/schema-lines.json` | the same, and `schema.lines.json` |
//! | `crates/tamiz-detector/src/prior.tsv` | `spec/prior.tsv` |
//! | `crates/tamiz-serve/src/schema.json` | `spec/schema.json` |
//! | `crates/tamiz-sources/src/sources.toml` | `spec/sources.toml` |
//!
//! The last three are copies: a crate that is published is built from its own folder alone.
//!
//! All of them are committed, so that the library builds without this program; `--check` fails when
//! one of them is not what it would be now.

mod clauses;
mod flags;
pub(crate) mod keywords;
mod lists;
mod python;
mod schema;

use std::fs;
use std::path::Path;

use crate::Result;
use clauses::Clauses;

/// The action on the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Write those that differ.
    Write,
    /// Fail if one differs.
    Check,
}

/// A file, and what it should hold.
struct Generated {
    path: &'static str,
    bytes: Vec<u8>,
}

impl Generated {
    fn new(path: &'static str, content: impl Into<Vec<u8>>) -> Self {
        Generated { path, bytes: content.into() }
    }
}

/// Writes or checks every generated file, then checks that the registry and the specification
/// agree on where each flag is defined.
pub(crate) fn run(root: &Path, mode: Mode) -> Result<()> {
    let clauses = Clauses::read(root)?;
    let keywords = keywords::render(root)?;
    let files = [
        Generated::new("crates/tamiz/src/lists.rs", lists::render(root)?),
        Generated::new("crates/tamiz/src/keywords/tables.rs", keywords.tables),
        Generated::new("crates/tamiz/src/keywords/tables.bin", keywords.data),
        Generated::new("crates/tamiz/src/keywords/words.txt", keywords.words),
        Generated::new("crates/tamiz/src/keywords/entries.rs", keywords.entries),
        Generated::new("spec/flags.md", flags::render(&clauses)),
        Generated::new("python/tamiz/_flags.py", python::render()),
        Generated::new("spec/schema.json", schema::render()),
        Generated::new("crates/tamiz-serve/src/schema.json", schema::render()),
        Generated::new("spec/schema-lines.json", schema::render_lines()),
        copy(root, "spec/prior.tsv", "crates/tamiz-detector/src/prior.tsv")?,
        copy(root, "spec/sources.toml", "crates/tamiz-sources/src/sources.toml")?,
    ];
    settle(root, &files, mode)?;
    clauses.check()
}

/// A file of a crate that is the same as one of `spec/`.
fn copy(root: &Path, from: &str, path: &'static str) -> Result<Generated> {
    let text = fs::read_to_string(root.join(from)).map_err(|error| format!("{from}: {error}"))?;
    Ok(Generated::new(path, text))
}

fn settle(root: &Path, files: &[Generated], mode: Mode) -> Result<()> {
    let mut stale = Vec::new();
    for file in files {
        let path = root.join(file.path);
        let found = fs::read(&path).unwrap_or_default();
        if found == file.bytes {
            continue;
        }
        match mode {
            Mode::Write => {
                fs::write(&path, &file.bytes).map_err(|error| format!("{}: {error}", file.path))?;
                println!("wrote {}", file.path);
            }
            Mode::Check => {
                stale.push(format!("{}, from line {}", file.path, first_difference(&found, &file.bytes)))
            }
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("stale: {}\nrun `cargo x generate` and commit what it writes", stale.join("; ")).into())
}

/// The first line, from 1, in which two texts differ.
fn first_difference(a: &[u8], b: &[u8]) -> usize {
    let lines = |text: &[u8]| text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    lines(a).iter().zip(&lines(b)).take_while(|(a, b)| a == b).count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_file_is_named_and_then_written() {
        let root = std::env::temp_dir().join(format!("tamiz-generate-{}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join("same"), "a\n").unwrap();
        fs::write(root.join("other"), "a\nb\nc\n").unwrap();
        let files = ["same", "other", "missing"]
            .map(|path| Generated { path, bytes: if path == "same" { "a\n" } else { "a\nB\nc\n" }.into() });

        let error = settle(&root, &files, Mode::Check).unwrap_err().to_string();
        assert!(error.starts_with("stale: other, from line 2; missing, from line 1\n"), "{error}");
        assert_eq!(fs::read_to_string(root.join("other")).unwrap(), "a\nb\nc\n", "checking writes nothing");

        settle(&root, &files, Mode::Write).unwrap();
        settle(&root, &files, Mode::Check).unwrap();
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn differences_are_found() {
        assert_eq!(first_difference(b"a\nb", b"a\nc"), 2);
        assert_eq!(first_difference(b"a\n", b"a\nb\n"), 2);
        assert_eq!(first_difference(b"", b"a"), 1);
    }
}
