//! The words of attacks against honest requests: which of them are found in valid rows, and how often.
//!
//! Every entry of the dictionary is run against all valid rows of the corpus. What is found stands here, by class and by
//! the text that matched, so that an entry which honest traffic writes is seen as soon as it is added.

mod common;

use std::collections::BTreeMap;

use common::corpus;
use tamiz::{Canonicalizer, Config};

/// In how many valid rows a text matched, by class. Every other entry matches in none.
const FOUND: &[(&str, &str, usize)] =
    &[("file", ".cfg", 1), ("file", ".env", 1), ("file", "web-inf", 1), ("shell", "/bin/bash", 3)];

/// Stands for a match of more than a few words, in text that is decoded only to look at it.
const LONG: &str = "(long)";

#[test]
fn words_in_valid_rows() {
    let Some(files) = corpus::files() else { return };
    let tamiz = Canonicalizer::new(Config::default());
    let mut found: BTreeMap<(String, String), usize> = BTreeMap::new();
    for file in &files {
        for row in corpus::sample(file).filter(|row| row.label == "valid") {
            let request = row.request();
            let document = tamiz.canonicalize(&request);
            if document.rollup().any(|flag| flag.starts_with("KW:")) {
                for word in words(&tamiz, &request) {
                    *found.entry(word).or_default() += 1;
                }
            }
        }
    }
    let known = |class: &str, text: &str| {
        FOUND.iter().find(|(c, t, _)| (*c, *t) == (class, text)).map(|(_, _, n)| *n)
    };
    found.iter().for_each(|((class, text), count)| eprintln!("    ({class:?}, {text:?}, {count}),"));
    for ((class, text), count) in &found {
        let most = known(class, text).unwrap_or_default();
        assert!(*count <= most, "{class}: {text:?} in {count} valid rows, {most} are known");
    }
    if corpus::is_whole() {
        let all: usize = found.values().sum();
        assert_eq!(
            all,
            FOUND.iter().map(|(_, _, n)| n).sum::<usize>(),
            "counts have fallen: write them down"
        );
    }
}

/// The words of a request: class, and the text that matched, in lower case; each once.
fn words(tamiz: &Canonicalizer, request: &[u8]) -> Vec<(String, String)> {
    let document = tamiz.canonicalize_with_evidence(request);
    let mut words: Vec<_> = document
        .flags()
        .filter(|raised| raised.flag() == tamiz::Flag::Kw)
        .filter_map(|raised| {
            let text = request.get(raised.evidence().first()?.clone())?;
            let text = String::from_utf8_lossy(text).to_lowercase();
            let text = if text.len() > 24 { LONG.to_owned() } else { text };
            Some((raised.parameter()?.to_owned(), text))
        })
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}
