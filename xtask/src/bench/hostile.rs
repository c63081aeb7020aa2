//! `cargo x bench hostile`: how work and memory grow when a request made to hurt is doubled.
//!
//! Instructions are counted by callgrind, which is slow, for the smaller sizes; processor time and
//! the peak of memory are taken natively for all. Instructions and memory are the same on every run
//! and fail the command; processor time is not, and is told beside them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::process::{self, cargo};
use crate::setup;

/// The smallest size, which is doubled. No power of two: counts at one would be just below or just
/// above it, and tables that grow by doubling would show steps that are those of the sizes.
const SMALLEST: usize = 18_000;
/// Up to here under callgrind,
const LARGEST_COUNTED: usize = SMALLEST << 3;
/// and up to here natively.
const LARGEST: usize = SMALLEST << 8;

/// No doubling of the input may cost more than this many times as many instructions.
const MOST_INSTRUCTIONS: f64 = 2.1;
/// No doubling of the input may cost more than this many times as much memory.
const MOST_MEMORY: f64 = 2.2;

/// The families of the dearest characters and bodies, and the most instructions for each of their bytes: of the default
/// document of the largest request that callgrind counts.
const BOUNDED: [&str; 2] = ["path: U+FDFA", "gzip: empty members"];
const MOST_A_BYTE: f64 = 2_000.0;

/// Memory that is less than so many bytes for each of the request counts as so many: it is what a few copies of the
/// request take, and where there are none at one size and some at the next, nothing grows.
const COPIES: u64 = 8;

/// How many families one process measures: starting is slow under callgrind, and its dumps are large.
const AT_ONCE: usize = 8;

/// The three works: the default document; the full profile with evidence, explained; reading back and tokens.
const WORKS: usize = 3;

/// The costs of one size of a family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Measured {
    request: u64,
    document: u64,
    /// For each work, but beyond a megabyte for the first alone.
    works: Vec<Work>,
}

/// The cost of one kind of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Work {
    nanoseconds: u64,
    memory: u64,
}

/// Measures every family whose name contains `only`; fails if one grows too fast.
pub(crate) fn run(root: &Path, only: Option<&str>) -> Result<()> {
    let program = build(root)?;
    let list = process::output(Command::new(&program).arg("list"))?;
    let families: Vec<&str> =
        list.lines().filter(|name| only.is_none_or(|only| name.contains(only))).collect();
    if families.is_empty() {
        return Err("no family with that in its name".into());
    }
    let callgrind = setup::provide("valgrind", "valgrind");
    if let Err(error) = &callgrind {
        println!("WARNING: instructions are NOT counted: {error}\n");
    }
    println!("| family | instructions | memory | time | memory per byte | ns per byte | document |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let mut too_fast = Vec::new();
    let mut bounded = Vec::new();
    let mut worst_row = Row::default();
    for families in families.chunks(AT_ONCE) {
        let native = native(&program, families)?;
        let counted = if callgrind.is_ok() { counted(&program, families)? } else { Vec::new() };
        for (i, family) in families.iter().enumerate() {
            let row = Row::of(nth(&native, i, families.len()), nth(&counted, i, families.len()));
            println!("| {} | {row}", family.replace('|', "\\|"));
            worst_row.instructions = worst_row.instructions.max(row.instructions);
            worst_row.memory = worst_row.memory.max(row.memory);
            if row.grows_too_fast() {
                too_fast.push(*family);
            }
            if BOUNDED.contains(family) && row.instructions_a_byte > 0.0 {
                bounded.push((*family, row.instructions_a_byte));
            }
        }
    }
    println!(
        "\n{} families; per doubling, instructions at most {:.2} of {MOST_INSTRUCTIONS}, memory at most {:.2} of {MOST_MEMORY}",
        families.len(),
        worst_row.instructions,
        worst_row.memory
    );
    for (family, instructions) in &bounded {
        println!("{family}: {instructions:.0} instructions a byte; {MOST_A_BYTE} is the most there may be");
    }
    if !too_fast.is_empty() {
        return Err(format!("too fast: {}", too_fast.join(", ")).into());
    }
    let is_dear = |(_, instructions): &&(&str, f64)| *instructions > MOST_A_BYTE;
    match bounded.iter().find(is_dear) {
        Some((family, _)) => Err(format!("too dear: {family}").into()),
        None => Ok(()),
    }
}

/// The sizes of family `i` of `families`, which have as many each.
fn nth<T>(all: &[T], i: usize, families: usize) -> &[T] {
    let sizes = all.len() / families;
    all.get(i * sizes..(i + 1) * sizes).unwrap_or_default()
}

/// The program that reads the requests, as cargo builds it.
fn build(root: &Path) -> Result<PathBuf> {
    let mut command = cargo(root, ["build", "--quiet", "--profile", "measure", "--package", "tamiz-bench"]);
    command.args(["--bin", "hostile", "--message-format", "json-render-diagnostics"]);
    let messages = process::output(&mut command)?;
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| Some(PathBuf::from(message.get("executable")?.as_str()?)))
        .ok_or_else(|| "cargo does not say what it built".into())
}

/// The costs of each size of each family.
fn native(program: &Path, families: &[&str]) -> Result<Vec<Measured>> {
    let mut command = Command::new(program);
    command.args(["run", &SMALLEST.to_string(), &LARGEST.to_string()]).args(families);
    process::output(&mut command)?.lines().map(read_line).collect()
}

/// A line of the program's: bytes of request and document, then time and memory of each work.
fn read_line(line: &str) -> Result<Measured> {
    let numbers = line.split(' ').map(str::parse).collect::<std::result::Result<Vec<u64>, _>>()?;
    let [request, document, ref works @ ..] = numbers[..] else {
        return Err("a line of other numbers".into());
    };
    let work = |pair: &[u64]| match *pair {
        [nanoseconds, memory] => Ok(Work { nanoseconds, memory }),
        _ => Err("a work without its memory".into()),
    };
    Ok(Measured { request, document, works: works.chunks(2).map(work).collect::<Result<_>>()? })
}

/// The instructions of each size of each family, for each work.
fn counted(program: &Path, families: &[&str]) -> Result<Vec<[u64; WORKS]>> {
    let folder = std::env::temp_dir().join(format!("tamiz-hostile-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let mut command = Command::new("valgrind");
    command
        .args(["--quiet", "--tool=callgrind", "--dump-after=hostile::counted_*"])
        .arg(format!("--callgrind-out-file={}", folder.join("out").display()))
        .arg(program)
        .args(["run", &SMALLEST.to_string(), &LARGEST_COUNTED.to_string()])
        .args(families);
    process::output(&mut command)?;
    let mut counts = Vec::new();
    // The first dump is `out.1`; only every second is of a work.
    for i in (2..).step_by(2) {
        let Ok(dump) = std::fs::read_to_string(folder.join(format!("out.{i}"))) else { break };
        counts.push(total(&dump).ok_or("callgrind does not say how many")?);
    }
    std::fs::remove_dir_all(&folder)?;
    let sizes: Vec<_> = counts.chunks_exact(WORKS).filter_map(|works| works.try_into().ok()).collect();
    if sizes.is_empty() { Err("callgrind has counted nothing".into()) } else { Ok(sizes) }
}

/// The sum at the end of one of callgrind's files.
fn total(dump: &str) -> Option<u64> {
    let line = dump.lines().rev().find_map(|line| line.strip_prefix("totals:"))?;
    line.trim().parse().ok()
}

/// A row of the table.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    /// The worst factor of a doubling, for these three.
    instructions: f64,
    memory: f64,
    time: f64,
    /// Of the largest request, for the default document.
    memory_per_byte: f64,
    nanoseconds_per_byte: f64,
    document: u64,
    /// Of the largest request that is counted, for the default document.
    instructions_a_byte: f64,
}

impl Row {
    fn of(native: &[Measured], counted: &[[u64; WORKS]]) -> Row {
        let last = native.last().cloned().unwrap_or_default();
        let bytes = last.request.max(1) as f64;
        let text = last.works.first().copied().unwrap_or_default();
        let mut row = Row {
            memory_per_byte: text.memory as f64 / bytes,
            nanoseconds_per_byte: text.nanoseconds as f64 / bytes,
            document: last.document,
            ..Row::default()
        };
        if let Some(([instructions, ..], size)) = counted.iter().zip(native).next_back() {
            row.instructions_a_byte = *instructions as f64 / size.request.max(1) as f64;
        }
        for work in 0..WORKS {
            row.instructions = row.instructions.max(worst(counted.iter().map(|size| size[work])));
            let of_work = || native.iter().filter_map(|size| Some((size.request, size.works.get(work)?)));
            let memory = of_work().map(|(request, work)| work.memory.max(COPIES * request));
            row.memory = row.memory.max(worst(memory));
            // Below this size time is mostly noise.
            let large = of_work().filter(|(request, _)| *request >= LARGEST_COUNTED as u64);
            row.time = row.time.max(worst(large.map(|(_, work)| work.nanoseconds)));
        }
        row
    }

    fn grows_too_fast(&self) -> bool {
        self.instructions > MOST_INSTRUCTIONS || self.memory > MOST_MEMORY
    }
}

/// The worst factor from one to the next.
fn worst(values: impl Iterator<Item = u64>) -> f64 {
    let values: Vec<u64> = values.collect();
    values.windows(2).map(|pair| pair[1] as f64 / pair[0].max(1) as f64).fold(0.0, f64::max)
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Row { instructions, memory, time, memory_per_byte, nanoseconds_per_byte, document, .. } = self;
        write!(
            f,
            "{instructions:.2} | {memory:.2} | {time:.2} | {memory_per_byte:.1} | {nanoseconds_per_byte:.0} | {document} |"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_factor_of_any_work_counts() {
        let size = |request, memory: &[u64]| Measured {
            request,
            document: 9,
            works: memory.iter().map(|&memory| Work { nanoseconds: 4, memory }).collect(),
        };
        let native = [size(1, &[10, 10, 1]), size(2, &[20, 25, 16]), size(4, &[40, 50])];
        let row = Row::of(&native, &[[100, 100, 100], [200, 200, 310]]);
        assert_eq!(
            (row.instructions, row.memory),
            (3.1, 2.5),
            "one byte and sixteen are copies of the request"
        );
        assert_eq!((row.memory_per_byte, row.document), (10.0, 9));
        assert_eq!(row.instructions_a_byte, 100.0, "200 of a request of two bytes");
    }

    #[test]
    fn lines_and_dumps_are_read() {
        let measured = read_line("100 20 1 2 3 4").unwrap();
        let works = [Work { nanoseconds: 1, memory: 2 }, Work { nanoseconds: 3, memory: 4 }];
        assert_eq!((measured.request, measured.document, &measured.works[..]), (100, 20, &works[..]));
        assert!(read_line("100 20 1").is_err());
        assert_eq!(total("summary: 7\n\n0 7\ntotals: 7\n"), Some(7));
    }
}
