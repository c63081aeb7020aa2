//! `cargo x signal`: what the flags tell of real requests, by file and label.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use flate2::read::MultiGzDecoder;
use tamiz::{Canonicalizer, Config, Document, Flag, Weight};

use crate::Result;

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
}

/// Prints a table for each `*.jsonl.gz` of the corpus whose name contains `only`.
pub(crate) fn run(root: &Path, only: Option<&str>) -> Result<()> {
    let folder =
        std::env::var_os("TAMIZ_CORPUS").map_or_else(|| root.join("../shared/corpus"), PathBuf::from);
    if !folder.is_dir() {
        return Err("no corpus here: set TAMIZ_CORPUS to a folder of *.jsonl.gz files".into());
    }
    let tamiz = Canonicalizer::new(Config::default());
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".jsonl.gz") else { continue };
        if only.is_none_or(|only| name.contains(only)) {
            for (label, tally) in read(&path, &tamiz)? {
                print(name, &label, &tally, only.is_some());
            }
        }
    }
    Ok(())
}

fn read(path: &Path, tamiz: &Canonicalizer) -> Result<BTreeMap<String, Tally>> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for line in BufReader::new(MultiGzDecoder::new(File::open(path)?)).lines() {
        let row: serde_json::Value = serde_json::from_str(&line?)?;
        let text = |key: &str| row.get(key).and_then(|value| value.as_str()).unwrap_or_default();
        let request = BASE64.decode(text("raw_b64").as_bytes())?;
        tallies.entry(text("label").to_owned()).or_default().add(&tamiz.canonicalize(&request));
    }
    Ok(tallies)
}

impl Tally {
    fn add(&mut self, document: &Document) {
        self.requests += 1;
        let mut flags: Vec<Flag> = document.flags().map(|raised| raised.flag()).collect();
        flags.sort_unstable();
        flags.dedup();
        for flag in &flags {
            *self.flags.entry(flag.name()).or_default() += 1;
        }
        let mut telling = flags.iter().filter(|flag| flag.weight() != Weight::Structural);
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

fn print(file: &str, label: &str, tally: &Tally, with_examples: bool) {
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
    if with_examples && label == "attack" {
        let mut silent: Vec<_> = tally.silent.iter().collect();
        silent.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (document, count) in silent.into_iter().take(EXAMPLES) {
            println!("\n  {count} times, without such a flag:");
            document.lines().for_each(|line| println!("    {line}"));
        }
    }
    println!();
}
