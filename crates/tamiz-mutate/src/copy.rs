//! The copy of the library that mutants are written into.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Result;
use crate::rewrite::{SWITCH, rewrite};
use crate::sites::Mutant;

/// The tests of the library that take seconds, without those that count memory or read a corpus.
const TESTS: [&str; 19] = [
    "vectors",
    "digests",
    "registry",
    "parts",
    "secrets",
    "json",
    "tokens",
    "document_parse",
    "evidence",
    "options",
    "hostile_bodies",
    "quiet_lines",
    "nested_escapes",
    "words",
    "any_input",
    "floods",
    "leaks",
    "memory",
    "properties",
];

/// How many lines around an error are looked through for a mutant, where it points at none.
const NEAR: u64 = 20;

/// A workspace below `target/` with the library alone.
pub(crate) struct Copy {
    root: PathBuf,
    /// Where the library's own sources are.
    source: PathBuf,
    target: PathBuf,
}

impl Copy {
    pub(crate) fn new(root: &Path) -> Result<Self> {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let copy = Copy {
            root: target.join("mutate"),
            source: root.join("crates/tamiz/src"),
            // Not that of the workspace: cargo would take the copy's library for the workspace's own.
            target: target.join("mutate-build"),
        };
        fs::create_dir_all(copy.package())?;
        let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
        put(&copy.root.join("Cargo.toml"), alone(&manifest).as_bytes())?;
        // Tests read files of the repository.
        let others =
            ["spec", "examples", "docs", "README.md", "crates/tamiz/Cargo.toml", "crates/tamiz/tests"];
        for name in others {
            copy_all(&root.join(name), &copy.root.join(name), &no_change)?;
        }
        if !copy.root.join("Cargo.lock").exists() {
            fs::copy(root.join("Cargo.lock"), copy.root.join("Cargo.lock"))?;
        }
        Ok(copy)
    }

    /// The folder that tests run in.
    pub(crate) fn package(&self) -> PathBuf {
        self.root.join("crates/tamiz")
    }

    /// A file for the notes of a test.
    pub(crate) fn notes(&self, number: usize) -> PathBuf {
        self.root.join(format!("reached-{number}"))
    }

    /// Writes the sources with these mutants, numbered from one on.
    pub(crate) fn write(&self, sample: &[&Mutant]) -> Result<()> {
        let mut by_file = BTreeMap::<&str, Vec<(usize, &Mutant)>>::new();
        for (number, mutant) in (1..).zip(sample) {
            by_file.entry(&mutant.file).or_default().push((number, mutant));
        }
        let change = |path: &Path, text: Vec<u8>| {
            let name = path.strip_prefix(&self.source).ok().and_then(Path::to_str).unwrap_or_default();
            let text = match (by_file.get(name), String::from_utf8(text)) {
                (Some(mutants), Ok(text)) => rewrite(&text, mutants).into_bytes(),
                (_, Ok(text)) => text.into_bytes(),
                (_, Err(error)) => error.into_bytes(),
            };
            if name == "lib.rs" { [&text, &b"\n#[doc(hidden)]\nmod mutation;\n"[..]].concat() } else { text }
        };
        let source = self.package().join("src");
        copy_all(&self.source, &source, &change)?;
        put(&source.join("mutation.rs"), SWITCH.as_bytes())
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.root).args(arguments).args([
            "--package",
            "tamiz",
            "--message-format",
            "json",
        ]);
        command.env("CARGO_TARGET_DIR", &self.target).env("RUSTFLAGS", "-Awarnings");
        command.stderr(Stdio::null());
        command
    }

    /// The numbers of mutants that do not compile, in the library or in its unit tests.
    ///
    /// # Errors
    /// When something else does not.
    pub(crate) fn check(&self) -> Result<BTreeSet<usize>> {
        let mut blamed = self.check_with(&["check", "--lib"])?;
        blamed.extend(self.check_with(&["check", "--lib", "--profile", "test"])?);
        Ok(blamed)
    }

    fn check_with(&self, arguments: &[&str]) -> Result<BTreeSet<usize>> {
        let output = self.cargo(arguments).output()?;
        let messages = String::from_utf8(output.stdout)?;
        let mut blamed = BTreeSet::new();
        let mut last = String::new();
        for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let message = &message["message"];
            if message["level"] != "error" {
                continue;
            }
            last = message["rendered"].as_str().unwrap_or_default().to_owned();
            let spans = message["spans"].as_array().into_iter().flatten();
            let here: Vec<usize> = spans.clone().flat_map(|span| self.numbers_at(span, 0)).collect();
            let is_told = !here.is_empty();
            blamed.extend(here);
            if !is_told {
                blamed.extend(spans.flat_map(|span| self.numbers_at(span, NEAR)));
            }
        }
        if output.status.success() || !blamed.is_empty() {
            Ok(blamed)
        } else {
            Err(format!("the copy does not compile: {last}").into())
        }
    }

    /// The mutants of the lines that a message points at, and of so many around them.
    fn numbers_at(&self, span: &Value, around: u64) -> Vec<usize> {
        let (Some(file), Some(first), Some(last)) =
            (span["file_name"].as_str(), span["line_start"].as_u64(), span["line_end"].as_u64())
        else {
            return Vec::new();
        };
        let text = fs::read_to_string(self.root.join(file)).unwrap_or_default();
        let skipped = first.saturating_sub(around + 1);
        let lines = text.lines().skip(skipped as usize).take((last + around - skipped) as usize);
        lines.flat_map(numbers).collect()
    }

    /// Builds the tests; their programs.
    pub(crate) fn build(&self) -> Result<Vec<PathBuf>> {
        let mut arguments = vec!["test", "--no-run", "--lib"];
        TESTS.iter().for_each(|test| arguments.extend(["--test", test]));
        let output = self.cargo(&arguments).stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err("the tests of the copy do not build".into());
        }
        let messages = String::from_utf8(output.stdout)?;
        let programs = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        Ok(programs.filter_map(|message| Some(PathBuf::from(message["executable"].as_str()?))).collect())
    }
}

/// The numbers of the mutants in a line of the copy.
fn numbers(line: &str) -> Vec<usize> {
    let behind = line.split("crate::mutation::").skip(1);
    let digits = behind.filter_map(|rest| {
        let (_, rest) = rest.split_once('(')?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    });
    digits.collect()
}

/// The manifest of the workspace with the library as its one member.
fn alone(manifest: &str) -> String {
    let mut out = String::new();
    let mut is_list = false;
    for line in manifest.lines() {
        if line.starts_with("members = [") {
            out.push_str("members = [\"crates/tamiz\"]\n");
            is_list = true;
        }
        if !is_list && !line.starts_with("default-members") && !line.starts_with("exclude") {
            out.push_str(line);
            out.push('\n');
        }
        is_list = is_list && line != "]";
    }
    out
}

/// Leaves the text of a file as it is.
fn no_change(_: &Path, text: Vec<u8>) -> Vec<u8> {
    text
}

/// Copies a file or a folder, with the text of each file as `change` makes it.
fn copy_all(from: &Path, to: &Path, change: &dyn Fn(&Path, Vec<u8>) -> Vec<u8>) -> Result<()> {
    if !from.is_dir() {
        return put(to, &change(from, fs::read(from)?));
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy_all(&entry.path(), &to.join(entry.file_name()), change)?;
    }
    Ok(())
}

/// Writes a file that is not there yet, or that holds something else: cargo goes by the times of files.
fn put(path: &Path, text: &[u8]) -> Result<()> {
    if fs::read(path).ok().as_deref() != Some(text) {
        fs::write(path, text)?;
    }
    Ok(())
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn the_library_is_the_one_member() {
        let manifest =
            "[workspace]\nmembers = [\n    \"a\",\n    \"b\",\n]\nexclude = [\"c\"]\n[profile.dev]\n";
        assert_eq!(alone(manifest), "[workspace]\nmembers = [\"crates/tamiz\"]\n[profile.dev]\n");
    }

    #[test]
    fn mutants_of_a_line_are_told() {
        assert_eq!(numbers("(crate::mutation::on(12) || crate::mutation::less(3, &(a), &(b)))"), [12, 3]);
        assert!(numbers("on(1)").is_empty());
    }
}
