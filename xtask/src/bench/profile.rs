//! `cargo x bench instructions` and `cargo x bench profile`: for whoever makes the library faster.

use std::collections::BTreeMap;
use std::path::Path;

use super::callgrind;
use super::compare::base;
use super::programs::{self, Folder, Sample};
use crate::Result;

/// How many functions and files a profile shows.
const SHOWN: usize = 15;

/// How many requests of a corpus are counted: as many of each as take about as long.
fn counted_requests(corpus: &str) -> usize {
    match corpus {
        "big" => 30,
        "browser" | "csic" | "attack" | "api" => 300,
        _ => 600,
    }
}

/// Prints the instructions for each request of each corpus, or of those named.
pub(super) fn instructions(root: &Path, only: &[&str]) -> Result<()> {
    let program = programs::main_program(root)?;
    let counting = programs::counting_program(root)?;
    let corpora = programs::corpora(&program, only)?;
    let folder = Folder::new()?;
    println!("| corpus | bytes | document | httparse | Tamiz | ratio | allocations | owned |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for corpus in &corpora {
        let sample = folder.sample(&program, corpus, counted_requests(corpus))?;
        let peer = callgrind::count(&folder, &program, base(corpus), &sample)?;
        let tamiz = callgrind::count(&folder, &program, "tamiz", &sample)?;
        let reused = programs::allocations(&counting, "tamiz", &sample)?;
        let owned = programs::allocations(&counting, "tamiz-owned", &sample)?;
        println!(
            "| {corpus} | {} | {:.0} | {:.0} | {:.0} | {:.1} | {:.2} | {:.2} |",
            sample.bytes / sample.requests,
            tamiz.written,
            peer.instructions,
            tamiz.instructions,
            tamiz.instructions / peer.instructions,
            reused.count,
            owned.count
        );
    }
    Ok(())
}

/// Prints what a score costs on top of the document, in instructions for each request of each corpus, or of those named.
/// The model has learned other requests of the corpus, and has scored them before, or none.
pub(super) fn score(root: &Path, only: &[&str]) -> Result<()> {
    let program = programs::main_program(root)?;
    let corpora = programs::corpora(&program, only)?;
    let folder = Folder::new()?;
    println!("| corpus | document | score on top | of the document | cold | of the document |");
    println!("|---|---:|---:|---:|---:|---:|");
    for corpus in &corpora {
        let sample = folder.sample(&program, corpus, counted_requests(corpus))?;
        let count =
            |name| callgrind::count(&folder, &program, name, &sample).map(|counted| counted.instructions);
        let document = count("tamiz-owned")?;
        let (warm, cold) = (count("tamiz-score")? - document, count("tamiz-score-cold")? - document);
        println!(
            "| {corpus} | {document:.0} | {warm:.0} | {:.1} % | {cold:.0} | {:.1} % |",
            100.0 * warm / document,
            100.0 * cold / document
        );
    }
    Ok(())
}

/// Prints which functions take the instructions of one corpus.
pub(super) fn run(root: &Path, corpus: &str) -> Result<()> {
    let program = programs::main_program(root)?;
    programs::corpora(&program, &[corpus])?;
    let folder = Folder::new()?;
    let sample = folder.sample(&program, corpus, counted_requests(corpus))?;
    let (own, inclusive) = callgrind::profile(&folder, &program, "tamiz", &sample)?;
    println!("## {corpus}\n");
    let own = lines(&own);
    print_top("by itself", &summed(own.iter().map(|line| (&line.function, line.instructions))), &sample);
    // A function has a line for each file that was inlined into it; the largest is the whole of it.
    let mut whole: BTreeMap<&String, u64> = BTreeMap::new();
    let inclusive = lines(&inclusive);
    for line in inclusive.iter().filter(|line| !line.leads_to_the_library()) {
        let most = whole.entry(&line.function).or_default();
        *most = line.instructions.max(*most);
    }
    print_top("with what it calls", &whole, &sample);
    print_top("by source file", &summed(own.iter().map(|line| (&line.file, line.instructions))), &sample);
    Ok(())
}

fn summed<'a>(counts: impl Iterator<Item = (&'a String, u64)>) -> BTreeMap<&'a String, u64> {
    let mut sums = BTreeMap::new();
    for (name, count) in counts {
        *sums.entry(name).or_default() += count;
    }
    sums
}

fn print_top(which: &str, counts: &BTreeMap<&String, u64>, sample: &Sample) {
    println!("| instructions per request | {which} |");
    println!("|---:|---|");
    let mut counts: Vec<_> = counts.iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (name, count) in counts.iter().take(SHOWN) {
        println!("| {} | `{name}` |", *count / sample.requests);
    }
    println!();
}

/// A line of callgrind's summary.
#[derive(Debug, PartialEq)]
struct Line {
    instructions: u64,
    /// The file that the code is from: inlined code keeps its own.
    file: String,
    function: String,
}

impl Line {
    fn leads_to_the_library(&self) -> bool {
        const LEADING: [&str; 5] = ["tamiz_bench", "below main", "libc_start", "rust_begin", "0x"];
        self.function == "main" || LEADING.iter().any(|lead| self.function.contains(lead))
    }
}

fn lines(annotated: &str) -> Vec<Line> {
    annotated.lines().filter_map(line).collect()
}

fn line(text: &str) -> Option<Line> {
    let (count, rest) = text.trim_start().split_once(" (")?;
    let (_, rest) = rest.split_once("%)")?;
    let instructions = count.replace(',', "").parse().ok()?;
    let name = rest.trim().split(" [").next()?;
    let (file, function) = name.split_once(':')?;
    // A function that is called while it runs is told apart by a number.
    let function = function.split('\'').next()?;
    Some(Line { instructions, file: short(file).to_owned(), function: function.to_owned() })
}

/// A file as this repository, or the crate it belongs to, names it.
fn short(file: &str) -> &str {
    let after = |mark: &str| file.split_once(mark).map(|(_, rest)| rest);
    after("crates/tamiz/src/")
        .or_else(|| after("/registry/src/").and_then(|rest| Some(rest.split_once('/')?.1)))
        .or_else(|| after("/library/"))
        .unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read() {
        let annotated = "\
Ir                    file:function
114,894,030 (100.0%)  PROGRAM TOTALS
114,894,030 (100.0%)  ???:main [/tmp/target/release/tamiz-bench]
 51,373,630 (44.71%)  /some/crates/tamiz/src/headers/value.rs:tamiz::headers::read [/tmp/x]
  1,000 ( 0.10%)  /home/.cargo/registry/src/index-1/memchr-2.8.0/src/lib.rs:memchr::memchr'2
";
        let found = lines(annotated);
        let line = |instructions, file: &str, function: &str| Line {
            instructions,
            file: file.to_owned(),
            function: function.to_owned(),
        };
        assert_eq!(
            found,
            [
                line(114_894_030, "???", "main"),
                line(51_373_630, "headers/value.rs", "tamiz::headers::read"),
                line(1_000, "memchr-2.8.0/src/lib.rs", "memchr::memchr"),
            ]
        );
        let leading: Vec<bool> = found.iter().map(Line::leads_to_the_library).collect();
        assert_eq!(leading, [true, false, false]);
    }
}
