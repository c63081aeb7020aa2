//! Real requests: all properties of every one, and which flags they raise.
//!
//! A sample of the rows by default; every row, and the counts of flags against `corpus-flags.tsv`,
//! with `cargo x test --corpus`.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use common::properties::check;
use common::{canonicalizers, corpus};
use tamiz::{Canonicalizer, Document, Profile, Scratch, View};

/// How many requests of a file and label raise a flag; under `ROWS`, how many there are.
type Counts = BTreeMap<(String, String, String), usize>;

/// The entry in the column of flags that counts all rows.
const ROWS: &str = "(rows)";
const HEAD: &str = "# How many rows of the corpus raise each flag in profile `full`, by file and label.\n\
                    # Written by `cargo x test --corpus --write`; `cargo x test --corpus` compares.\n";

#[test]
fn every_row_has_its_properties() {
    let Some(files) = corpus::files() else { return };
    let canonicalizers = canonicalizers();
    let (files, counts) = (Mutex::new(files), Mutex::new(Counts::new()));
    let next = || files.lock().unwrap().pop();
    let work = || {
        for file in std::iter::from_fn(next) {
            let found = read(&file, &canonicalizers);
            counts.lock().unwrap().extend(found);
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    let counts = counts.into_inner().unwrap();
    let rows: usize = counts.iter().filter(|((_, _, flag), _)| flag == ROWS).map(|(_, count)| count).sum();
    if corpus::is_whole() {
        compare(&counts);
        eprintln!("{rows} rows, all there are");
    } else {
        eprintln!("{rows} rows, a sample; `cargo x test --corpus` takes all");
    }
}

/// Checks the rows of one file, in both views and all profiles.
fn read(file: &PathBuf, canonicalizers: &[Canonicalizer]) -> Counts {
    let name = file.file_name().unwrap().to_string_lossy().replace(".jsonl.gz", "");
    let mut scratch = Scratch::default();
    let mut counts = Counts::new();
    for row in corpus::sample(file) {
        let request = row.request();
        for tamiz in canonicalizers {
            let (view, profile) = (tamiz.config().view, tamiz.config().profile);
            let document = check(tamiz, &mut scratch, &request)
                .unwrap_or_else(|fault| panic!("{} {view:?} {profile:?}: {fault}", row.id));
            if (view, profile) == (View::Shape, Profile::Full) {
                for flag in flag_names(&document).into_iter().chain([ROWS]) {
                    *counts.entry((name.clone(), row.label.clone(), flag.to_owned())).or_default() += 1;
                }
            }
        }
    }
    counts
}

/// The names of the flags in the roll-up.
fn flag_names(document: &Document) -> BTreeSet<&str> {
    document.rollup().map(|item| item.split(':').next().unwrap()).collect()
}

/// Prints the counts, and holds them against the snapshot, or writes that.
fn compare(counts: &Counts) {
    let lines =
        counts.iter().map(|((file, label, flag), count)| format!("{file}\t{label}\t{flag}\t{count}\n"));
    let table: String = std::iter::once(HEAD.to_owned()).chain(lines).collect();
    print!("{table}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus-flags.tsv");
    if std::env::var_os("TAMIZ_CORPUS_WRITE").is_some() {
        std::fs::write(&path, &table).unwrap();
        eprintln!("written: tests/corpus-flags.tsv");
    } else {
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        let diff = common::diff(&kept, &table);
        assert!(diff.is_empty(), "counts differ from tests/corpus-flags.tsv (`--write` keeps them):\n{diff}");
    }
}
