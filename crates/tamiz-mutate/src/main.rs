//! Mutants of the library, all of them in one build: a variable of the environment says which one is on.
//!
//! The sources are copied below `target/`, and each mutant of a sample is written into the copy beside what it stands for
//! (`sites.rs`, `rewrite.rs`). The copy is built once (`copy.rs`). Each test then says which mutants it reaches; a mutant
//! is tried with the tests that reach it, the vectors first, up to the first that fails (`tests.rs`).

mod copy;
mod known;
mod rewrite;
mod sites;
mod tests;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use copy::Copy;
use known::Known;
use sites::Mutant;
use tests::Fate;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const USAGE: &str = "\
Usage: cargo x mutate [--count N] [--seed N] [--seconds N] [--file PART] [--list]

  --count N    how many mutants are tried (500)
  --seed N     another sample (0)
  --seconds N  processor time of the tests that a mutant is tried with (30); with less, some are not run
  --file PART  only of files with PART in their path below crates/tamiz/src/
  --list       print the sample, and try nothing
";

/// The share of a sample that may survive, in per cent.
const MOST_SURVIVORS: usize = 5;

/// So many times a build is tried again without the mutants that do not compile.
const MOST_BUILDS: usize = 12;

struct Options {
    count: usize,
    seed: u64,
    seconds: f64,
    file: String,
    lists: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(options) = options(&arguments) else {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(&root(), &options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options(arguments: &[String]) -> Option<Options> {
    let mut options = Options { count: 500, seed: 0, seconds: 30.0, file: String::new(), lists: false };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--count" => options.count = rest.next()?.parse().ok()?,
            "--seed" => options.seed = rest.next()?.parse().ok()?,
            "--seconds" => options.seconds = rest.next()?.parse().ok()?,
            "--file" => options.file.clone_from(rest.next()?),
            "--list" => options.lists = true,
            _ => return None,
        }
    }
    Some(options)
}

/// The root of the workspace, wherever it was cloned to.
fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR");
    let package = manifest.map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.ancestors().nth(2).map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Tries a sample; whether few enough survive.
fn run(root: &Path, options: &Options) -> Result<bool> {
    let mut all = sites::of_library(&root.join("crates/tamiz/src"), &options.file)?;
    all.sort_by_key(|mutant| (mutant.key.rank(options.seed), mutant.key.0));
    println!("{} mutants", all.len());
    if options.lists {
        all.iter().take(options.count).for_each(|mutant| println!("{mutant}"));
        return Ok(true);
    }
    let copy = Copy::new(root)?;
    let mut rejected = BTreeSet::new();
    let (sample, programs) = build(&copy, &all, options.count, &mut rejected)?;
    println!("{} do not compile and are left out", rejected.len());

    let tests = tests::measure(&programs, &copy, sample.len())?;
    println!("{} tests", tests.len());
    let known = Known::read(&root.join("crates/tamiz-mutate/nothing-to-notice.tsv"))?;
    let fates =
        tests::try_all(&tests, &copy, (sample.len(), options.seconds), |at, fate| match sample.get(at) {
            Some(mutant) if fate != Fate::Noticed && known.reason(mutant).is_none() => {
                println!("{} survived: {mutant}", at + 1);
            }
            _ => {}
        })?;

    Ok(report(&sample, &fates, &known))
}

/// Builds with the first mutants that compile; these, and the test programs.
fn build<'m>(
    copy: &Copy,
    all: &'m [Mutant],
    count: usize,
    rejected: &mut BTreeSet<sites::Key>,
) -> Result<(Vec<&'m Mutant>, Vec<PathBuf>)> {
    for _ in 0..MOST_BUILDS {
        let sample: Vec<&Mutant> =
            all.iter().filter(|mutant| !rejected.contains(&mutant.key)).take(count).collect();
        copy.write(&sample)?;
        let blamed = copy.check()?;
        if blamed.is_empty() {
            let programs = copy.build()?;
            return Ok((sample, programs));
        }
        let keys = blamed.iter().filter_map(|number| sample.get(number - 1)).map(|mutant| mutant.key);
        rejected.extend(keys);
    }
    Err("too many mutants do not compile".into())
}

/// Prints what came of them; whether few enough survive.
fn report(sample: &[&Mutant], fates: &[Fate], known: &Known) -> bool {
    let mut by_module = std::collections::BTreeMap::<&str, [usize; 4]>::new();
    let mut survivors = Vec::new();
    for (mutant, fate) in sample.iter().zip(fates) {
        let row = by_module.entry(mutant.module()).or_default();
        row[0] += 1;
        match fate {
            Fate::Noticed => row[1] += 1,
            Fate::Unreached | Fate::Survived if known.reason(mutant).is_some() => row[2] += 1,
            Fate::Unreached | Fate::Survived => {
                row[3] += 1;
                survivors.push((mutant, fate));
            }
        }
    }
    println!("\n| module | tried | noticed | nothing to notice | survived |\n|---|---:|---:|---:|---:|");
    let mut whole = [0; 4];
    for (module, row) in &by_module {
        println!("| `{module}` | {} | {} | {} | {} |", row[0], row[1], row[2], row[3]);
        whole.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
    }
    println!("| all | {} | {} | {} | {} |\n", whole[0], whole[1], whole[2], whole[3]);
    for (mutant, fate) in &survivors {
        let note = if **fate == Fate::Unreached { ", which no test reaches" } else { "" };
        println!("survived: {mutant}{note}");
    }
    let is_few = survivors.len() * 100 <= sample.len() * MOST_SURVIVORS;
    let word = if is_few { "at most" } else { "more than" };
    println!("\n{} of {} survive: {word} {MOST_SURVIVORS} %", survivors.len(), sample.len());
    is_few
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn arguments_are_read() {
        let read = |line: &str| options(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let options = read("--count 7 --file target/ --seed 3 --seconds 2.5").unwrap();
        assert_eq!((options.count, options.seed, options.file.as_str()), (7, 3, "target/"));
        assert!((options.seconds - 2.5).abs() < 1e-9);
        assert!(read("--count").is_none() && read("--what").is_none());
    }
}
