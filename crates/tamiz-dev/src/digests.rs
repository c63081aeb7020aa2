//! `tamiz-dev digests`: what the library makes of all vectors and of a corpus, as digests, so that a change that should
//! change no document is seen to change none.
//!
//! `spec/digests.tsv` has a row for each set of requests and each pair of view and profile: how many requests there
//! are, and the digest of their texts, evidence, JSON and tokens. Of files that are not there nothing is compared.

use std::collections::BTreeMap;
use std::path::Path;

use tamiz::{Config, Limits, Profile, View};

use crate::digest::{MUTATED, digest, mutated, small_limits};
use crate::{Result, corpus, vectors};

const HEAD: &str = "# Digests of documents, evidence, JSON and tokens, by `cargo x digests --write`: set, view, \
                    profile, requests, digest.\n";

/// The action: compare with the file, or write it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Compare,
    Write,
}

/// The row of a set under a pair of view and profile, and what it says.
type Rows = BTreeMap<String, String>;

/// Compares the digests with those of the file, or writes it.
pub(crate) fn run(root: &Path, mode: Mode) -> Result<()> {
    let file = root.join("spec/digests.tsv");
    let known = read(&std::fs::read_to_string(&file).unwrap_or_default());
    let mut rows = Rows::new();
    let vectors: Vec<Vec<u8>> = vectors::all().iter().map(|vector| vector.request()).collect();
    add("vectors", &vectors, &Limits::default(), &mut rows);
    add("vectors-small-limits", &vectors, &small_limits(), &mut rows);
    for seed in MUTATED {
        add(&format!("vectors-mutated-{seed}"), &mutated(&vectors, seed), &Limits::default(), &mut rows);
    }
    match corpus::files()? {
        None => eprintln!("SKIPPED: real requests (set TAMIZ_CORPUS to a folder of *.jsonl.gz files)"),
        Some(files) => {
            for file in files {
                let name = file.file_name().map(|name| name.to_string_lossy().replace(".jsonl.gz", ""));
                let requests =
                    corpus::rows(&file, 1)?.map(|row| Ok(row?.request)).collect::<Result<Vec<_>>>()?;
                add(&name.unwrap_or_default(), &requests, &Limits::default(), &mut rows);
            }
        }
    }
    if mode == Mode::Write {
        let all: Rows = known.into_iter().chain(rows).collect();
        let lines = all.iter().map(|(of, says)| format!("{of}\t{says}\n"));
        return Ok(std::fs::write(file, std::iter::once(HEAD.to_owned()).chain(lines).collect::<String>())?);
    }
    let changed: Vec<&String> =
        rows.iter().filter(|(of, says)| known.get(*of) != Some(says)).map(|(of, _)| of).collect();
    if changed.is_empty() {
        println!("{} digests are those of spec/digests.tsv", rows.len());
        return Ok(());
    }
    let list: String = changed.iter().map(|of| format!("\n  {}", of.replace('\t', " "))).collect();
    Err(format!("{} of {} digests differ from spec/digests.tsv:{list}", changed.len(), rows.len()).into())
}

fn read(text: &str) -> Rows {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let cells = lines.filter_map(|line| {
        let (of, digest) = line.rsplit_once('\t')?;
        let (of, count) = of.rsplit_once('\t')?;
        Some((of.to_owned(), format!("{count}\t{digest}")))
    });
    cells.collect()
}

/// Adds the rows of a set of requests.
fn add(name: &str, requests: &[Vec<u8>], limits: &Limits, rows: &mut Rows) {
    let settings =
        View::ALL.iter().flat_map(|view| Profile::ALL.iter().map(move |profile| (*view, *profile)));
    std::thread::scope(|scope| {
        let threads: Vec<_> = settings
            .map(|(view, profile)| {
                let mut config = Config::default();
                (config.view, config.profile, config.limits) = (view, profile, limits.clone());
                (view, profile, scope.spawn(move || digest(requests, config)))
            })
            .collect();
        for (view, profile, thread) in threads {
            if let Ok(digest) = thread.join() {
                rows.insert(format!("{name}\t{view}\t{profile}"), format!("{}\t{digest}", requests.len()));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_back() {
        let mut rows = Rows::new();
        add("a", &[b"GET / HTTP/1.1\r\n\r\n".to_vec()], &Limits::default(), &mut rows);
        assert_eq!(rows.len(), View::ALL.len() * Profile::ALL.len());
        let text: String = rows.iter().map(|(of, says)| format!("{of}\t{says}\n")).collect();
        assert_eq!(read(&format!("{HEAD}{text}")), rows);
        let mut others = Rows::new();
        add("a", &[b"GET /? HTTP/1.1\r\n\r\n".to_vec()], &Limits::default(), &mut others);
        assert!(rows.iter().all(|(of, says)| others.get(of) != Some(says)));
    }
}
