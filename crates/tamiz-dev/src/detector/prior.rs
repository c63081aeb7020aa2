//! `cargo x prior`: the table of what flags attacks and honest requests raise, from the corpus.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tamiz::{Canonicalizer, Config};
use tamiz_detector::Observation;

use crate::{Result, corpus};

/// Files of the corpus and where they are from. Labels other than `attack` and `valid` are passed over.
const SOURCES: [(&str, &str); 16] = [
    ("api_clients", "recorded calls of PRAW and of dns-lexicon"),
    ("api_requests", "recorded calls of REST clients: Octokit and others"),
    ("burp_requests", "an export of Burp"),
    ("crs_regression", "regression tests of the OWASP Core Rule Set, half of them"),
    ("csic2010_anomalous", "CSIC 2010, anomalous traffic"),
    ("csic2010_normal_train", "CSIC 2010, normal traffic for training"),
    ("gotestwaf", "payloads of gotestwaf, half of them"),
    ("har_misc2", "HAR files of seven applications"),
    ("har_requests", "HAR files of browsers"),
    ("har_sites", "HAR files of 102 large sites, 2013"),
    ("httpparams", "HttpParamsDataset"),
    ("modsec_legitimate", "honest parameters of modsec-learn"),
    ("postman", "two vendors' Postman collections"),
    ("smuggling", "mutations of smuggler"),
    ("torpeda", "Torpeda: the shop of CSIC again"),
    ("wafbypass", "payloads of waf-bypass, half of them"),
];

/// How many requests there are, and how many raise each flag at each kind of place.
type Counted = (u64, BTreeMap<(String, String), u64>);

/// Counts, and writes `spec/prior.tsv`, and the copy that the detector is built with.
pub(crate) fn write(root: &Path) -> Result<()> {
    let Some(table) = count()? else {
        return Err("no corpus: set TAMIZ_CORPUS to a folder of *.jsonl.gz files".into());
    };
    fs::write(root.join("spec/prior.tsv"), &table)?;
    Ok(fs::write(root.join("crates/tamiz-detector/src/prior.tsv"), &table)?)
}

/// The table; `None` where there is no corpus.
fn count() -> Result<Option<String>> {
    let Some(files) = corpus::files()? else { return Ok(None) };
    let tamiz = Canonicalizer::new(Config::default());
    let mut out = String::from(
        "# How many requests raise each flag at each kind of place, by source and label: the prior of the detector.\n\
         # Written by `cargo x prior`. A line without kind and flag tells how many requests the source has.\n",
    );
    for (source, what) in SOURCES {
        writeln!(out, "# {source}: {what}")?;
    }
    out.push_str("# source\tlabel\tkind\tflag\tcount\n");
    for (source, _) in SOURCES {
        let name = format!("{source}.jsonl.gz");
        let Some(path) = files.iter().find(|path| path.file_name().is_some_and(|file| *file == *name)) else {
            return Err(format!("the corpus has no {name}").into());
        };
        let mut labels: BTreeMap<String, Counted> = BTreeMap::new();
        for row in corpus::rows(path, 1)? {
            let row = row?;
            if row.label != "attack" && row.label != "valid" {
                continue;
            }
            let observation = Observation::of(&tamiz.canonicalize(&row.request))?;
            let (requests, counts) = labels.entry(row.label).or_default();
            *requests += 1;
            let flags: BTreeSet<(&str, &str)> = observation.flags().collect();
            for (kind, flag) in flags {
                *counts.entry((kind.to_owned(), flag.to_owned())).or_default() += 1;
            }
        }
        for (label, (requests, counts)) in labels {
            writeln!(out, "{source}\t{label}\t\t\t{requests}")?;
            for ((kind, flag), count) in counts {
                writeln!(out, "{source}\t{label}\t{kind}\t{flag}\t{count}")?;
            }
        }
    }
    Ok(Some(out))
}
