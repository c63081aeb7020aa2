//! The measured programs: where they are built, what they are called with.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::Result;
use crate::process::{self, cargo};

/// The program with this library and the peers that are crates of the workspace.
pub(super) fn main_program(root: &Path) -> Result<PathBuf> {
    build(root, &["--profile", "measure", "--package", "tamiz-bench", "--bin", "tamiz-bench"])
}

/// The command, as it is released.
pub(super) fn command(root: &Path) -> Result<PathBuf> {
    build(root, &["--profile", "dist", "--package", "tamiz-cli", "--all-features"])
}

/// The command, with the names of its functions.
pub(super) fn measured_command(root: &Path) -> Result<PathBuf> {
    build(root, &["--profile", "measure", "--package", "tamiz-cli"])
}

/// The programs of `cargo x bench serve`, in a profile of cargo.
pub(super) struct Servers {
    /// The command.
    pub(super) tamiz: PathBuf,
    /// The server that does nothing.
    pub(super) nothing: PathBuf,
    /// The folder with the requests.
    pub(super) corpora: PathBuf,
}

impl Servers {
    pub(super) fn build(root: &Path, profile: &str) -> Result<Self> {
        let build = |rest: &[&str]| build(root, &[&["--profile", profile, "--package"], rest].concat());
        Ok(Servers {
            tamiz: build(&["tamiz-cli", "--features", "serve"])?,
            nothing: build(&["tamiz-bench", "--bin", "empty"])?,
            corpora: build(&["tamiz-bench", "--bin", "tamiz-bench"])?,
        })
    }
}

/// Builds the program with an allocator that counts.
pub(super) fn counting_program(root: &Path) -> Result<PathBuf> {
    build(root, &["--profile", "measure", "--package", "tamiz-bench", "--bin", "allocations"])
}

/// A program of the peer that is a workspace of its own; what cargo makes of it goes to `target`.
pub(super) fn suricata(root: &Path, target: &Path, name: &str) -> Result<PathBuf> {
    let target = target.to_str().ok_or("a folder whose name is not UTF-8")?;
    build(&root.join("benches/suricata"), &["--release", "--locked", "--bin", name, "--target-dir", target])
}

/// Builds a program with cargo, and says where it is.
fn build(root: &Path, arguments: &[&str]) -> Result<PathBuf> {
    let mut command = cargo(root, ["build", "--quiet", "--message-format", "json-render-diagnostics"]);
    command.args(arguments);
    let messages = process::output(&mut command)?;
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| Some(PathBuf::from(message.get("executable")?.as_str()?)))
        .ok_or_else(|| "cargo does not say what it built".into())
}

/// The corpora that there are here, or those of them that are asked for.
pub(super) fn corpora(program: &Path, only: &[&str]) -> Result<Vec<String>> {
    let names = process::output(Command::new(program).arg("names"))?;
    if let Some(unknown) = only.iter().find(|name| names.lines().all(|known| known != **name)) {
        return Err(format!("no corpus is called {unknown}; there are {}", names.replace('\n', " ")).into());
    }
    let asked_for = |name: &&str| only.is_empty() || only.contains(name);
    Ok(names.lines().filter(asked_for).map(str::to_owned).collect())
}

/// Files of requests, removed at the end.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("tamiz-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Folder(folder))
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A file with so many requests of a corpus, or as many as it has.
    pub(super) fn sample(&self, program: &Path, corpus: &str, requests: usize) -> Result<Sample> {
        let file = self.path(&format!("{corpus}-{requests}"));
        if !file.exists() {
            let mut command = Command::new(program);
            process::run(command.args(["corpus", corpus, &requests.to_string()]).arg(&file))?;
        }
        Sample::of(file)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Left behind, it only takes room in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A file of requests.
pub(super) struct Sample {
    pub(super) file: PathBuf,
    pub(super) requests: u64,
    /// Of all requests, without their lengths.
    pub(super) bytes: u64,
}

impl Sample {
    fn of(file: PathBuf) -> Result<Self> {
        let content = std::fs::read(&file)?;
        let (mut requests, mut bytes, mut rest) = (0, 0, &content[..]);
        while let Some((length, after)) = rest.split_first_chunk::<4>() {
            let length = u32::from_le_bytes(*length) as usize;
            rest = after.get(length..).ok_or("a request is cut off")?;
            requests += 1;
            bytes += length as u64;
        }
        if requests == 0 {
            Err("a corpus without requests".into())
        } else {
            Ok(Sample { file, requests, bytes })
        }
    }
}

/// A program that reads all requests of a file again for each line it is sent, which says how.
pub(super) struct Served {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Served {
    /// The program with the library.
    pub(super) fn library(program: &Path, requests: &Path) -> Result<Self> {
        Self::start(Command::new(program).arg("serve").arg(requests))
    }

    /// Whatever reads lines and answers each with a number of nanoseconds.
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let answers = BufReader::new(child.stdout.take().ok_or("a pipe was asked for")?);
        Ok(Served { child, answers })
    }

    /// The processor time of reading them all, by one thread.
    pub(super) fn nanoseconds(&mut self, how: &str) -> Result<f64> {
        let stdin = self.child.stdin.as_mut().ok_or("a pipe was asked for")?;
        writeln!(stdin, "{how}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line.trim().parse()?)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The allocations of a contender for each request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Allocations {
    pub(super) count: f64,
    pub(super) bytes: f64,
}

/// Counts the allocations of `contender` of `program`, whose allocator counts, once it has read the sample before.
pub(super) fn allocations(program: &Path, contender: &str, sample: &Sample) -> Result<Allocations> {
    let mut command = Command::new(program);
    let line = process::output(command.args(["allocations", contender]).arg(&sample.file))?;
    let (count, bytes) = line.trim().split_once(' ').ok_or("a line of other numbers")?;
    let per_request =
        |number: &str| Ok::<_, std::num::ParseFloatError>(number.parse::<f64>()? / sample.requests as f64);
    Ok(Allocations { count: per_request(count)?, bytes: per_request(bytes)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_summed() {
        let folder = Folder::new().unwrap();
        let file = folder.path("two");
        std::fs::write(&file, b"\x03\0\0\0abc\x01\0\0\0d").unwrap();
        let sample = Sample::of(file.clone()).unwrap();
        assert_eq!((sample.requests, sample.bytes), (2, 4));
        std::fs::write(&file, b"\x03\0\0\0ab").unwrap();
        assert!(Sample::of(file).is_err());
    }
}
