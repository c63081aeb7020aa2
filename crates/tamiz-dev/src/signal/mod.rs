//! `cargo x signal`: what flags and tokens tell of real requests, by file and label, and in three tables.

mod novelty;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tamiz::{Canonicalizer, Config, Document, Family, Flag, Weight};

use crate::{Result, corpus};

/// How many documents without a telling flag are shown for each file and label.
const EXAMPLES: usize = 10;

/// The requests of one file with one label.
#[derive(Default)]
struct Tally {
    requests: usize,
    /// With at least one notable or evasion flag.
    told: usize,
    flags: BTreeMap<&'static str, usize>,
    /// Of these, how often the flag was the only notable or evasion one.
    alone: BTreeMap<&'static str, usize>,
    silent: BTreeMap<String, usize>,
    /// With a notable or evasion flag of family framing or header.
    framed: usize,
    /// With at least one word of a class.
    words: BTreeMap<String, usize>,
}

/// A file's requests with one label, counted.
struct Counted {
    file: String,
    label: String,
    tally: Tally,
}

/// Prints a table for each `*.jsonl.gz` of the corpus whose name contains `only`.
pub(crate) fn run(only: Option<&str>) -> Result<()> {
    let Some(paths) = corpus::files()? else {
        return Err("no corpus: set TAMIZ_CORPUS to a folder of *.jsonl.gz files".into());
    };
    let tamiz = Canonicalizer::new(Config::default());
    let mut all = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".jsonl.gz") else { continue };
        if only.is_none_or(|only| name.contains(only)) {
            for (label, tally) in read(&path, &tamiz)? {
                print(name, &label, &tally);
                all.push(Counted { file: name.to_owned(), label, tally });
            }
        }
    }
    print_shares(&all);
    print_words(&all);
    targets::print(&all, &tamiz)
}

/// The share of told requests, a row for each file and label.
fn print_shares(all: &[Counted]) {
    println!("| file, label | requests | notable or evasion flag | of them by framing or header |");
    println!("|---|---:|---:|---:|");
    for Counted { file, label, tally } in all {
        let (told, framed) = (tally.percent(tally.told), tally.percent(tally.framed));
        println!("| {file}, {label} | {} | {told:.1} % | {framed:.1} % |", tally.requests);
    }
}

/// How many valid requests hold words of each class.
fn print_words(all: &[Counted]) {
    let valid: Vec<_> = all.iter().filter(|counted| counted.label == "valid").collect();
    let classes: BTreeSet<&String> = all.iter().flat_map(|counted| counted.tally.words.keys()).collect();
    print!("\n| valid requests with `KW` |");
    valid.iter().for_each(|of| print!(" {} ({}) |", of.file, of.tally.requests));
    println!("\n|---|{}", "---:|".repeat(valid.len()));
    for class in classes {
        print!("| `{class}` |");
        for counted in &valid {
            print!(" {} |", counted.tally.words.get(class).copied().unwrap_or_default());
        }
        println!();
    }
}

fn read(path: &Path, tamiz: &Canonicalizer) -> Result<BTreeMap<String, Tally>> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for row in corpus::rows(path, 1)? {
        let row = row?;
        tallies.entry(row.label).or_default().add(&tamiz.canonicalize(&row.request));
    }
    Ok(tallies)
}

impl Tally {
    fn add(&mut self, document: &Document) {
        self.requests += 1;
        let classes: BTreeSet<&str> = document
            .flags()
            .filter(|raised| raised.flag() == Flag::Kw)
            .filter_map(|raised| raised.parameter())
            .collect();
        for class in classes {
            *self.words.entry(class.to_owned()).or_default() += 1;
        }
        let mut flags: Vec<Flag> = document.flags().map(|raised| raised.flag()).collect();
        flags.sort_unstable();
        flags.dedup();
        for flag in &flags {
            *self.flags.entry(flag.name()).or_default() += 1;
        }
        let framing = |flag: &&Flag| matches!(flag.family(), Family::Framing | Family::Header);
        let is_telling = |flag: &&Flag| flag.weight() != Weight::Structural;
        self.framed += usize::from(flags.iter().filter(framing).any(|flag| is_telling(&flag)));
        let mut telling = flags.iter().filter(is_telling);
        let first = telling.next();
        if let (Some(only), None) = (first, telling.next()) {
            *self.alone.entry(only.name()).or_default() += 1;
        }
        if first.is_some() {
            self.told += 1;
        } else {
            *self.silent.entry(document.to_string()).or_default() += 1;
        }
    }

    fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.requests.max(1) as f64
    }
}

fn print(file: &str, label: &str, tally: &Tally) {
    println!(
        "{file}, {label}: {:.1} % of {} requests with a notable or evasion flag",
        tally.percent(tally.told),
        tally.requests
    );
    let mut flags: Vec<_> = tally.flags.iter().collect();
    flags.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (name, count) in flags {
        let alone = tally.alone.get(name).copied().unwrap_or_default();
        println!("  {:6.2} %  {:6.2} % alone  {name}", tally.percent(*count), tally.percent(alone));
    }
    if label == "attack" {
        let mut silent: Vec<_> = tally.silent.iter().collect();
        silent.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (document, count) in silent.into_iter().take(EXAMPLES) {
            println!("\n  without such a flag, {count} of them:");
            document.lines().for_each(|line| println!("    {line}"));
        }
    }
    println!();
}
