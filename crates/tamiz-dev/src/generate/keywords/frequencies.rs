//! How often honest requests have what the prefilter is made of: `frequencies.tsv`, counted in a corpus.
//!
//! A line is a kind, a key and how many of a million tokens or pairs it is, the mean of the files. Only keys of the
//! dictionary are kept, so that nothing of a request is.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use super::prefilter::{PREFIX, Witness, candidates};
use super::{entries, part};
use crate::{Result, corpus};

const FILE: &str = "crates/tamiz-dev/src/generate/keywords/frequencies.tsv";
const HEAD: &str =
    "# By `cargo run -p tamiz-dev -- frequencies`: kind (token, prefix or pair), key, parts per million.\n";

/// The files with honest requests as they are.
const HONEST: [&str; 9] = [
    "api_clients",
    "api_requests",
    "burp_requests",
    "csic2010_normal_train",
    "har_misc2",
    "har_requests",
    "har_sites",
    "modsec_legitimate",
    "postman",
];

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A run of letters.
    Token,
    /// The first letters of one.
    Prefix,
    /// A sign and what follows it.
    Pair,
}

impl Kind {
    const ALL: [(Kind, &str); 3] = [(Kind::Token, "token"), (Kind::Prefix, "prefix"), (Kind::Pair, "pair")];
}

/// Parts per million, by kind and key.
pub(super) struct Frequencies(BTreeMap<(Kind, Vec<u8>), f64>);

impl Frequencies {
    pub(super) fn read(root: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(root.join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
        let mut all = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with("# ")) {
            let wrong = || format!("{FILE}: expected a kind, a key and a number, found {line:?}");
            let [kind, key, number] = line.split('\t').collect::<Vec<_>>()[..] else {
                return Err(wrong().into());
            };
            let (kind, _) = Kind::ALL.into_iter().find(|(_, name)| *name == kind).ok_or_else(wrong)?;
            all.insert((kind, key.as_bytes().to_vec()), number.parse().map_err(|_| wrong())?);
        }
        Ok(Frequencies(all))
    }

    /// Parts per million; a little for what was never seen.
    pub(super) fn of(&self, kind: Kind, key: &[u8]) -> f64 {
        self.0.get(&(kind, key.to_vec())).copied().unwrap_or(0.1)
    }
}

/// Counts the corpus and writes the file.
pub(crate) fn write(root: &Path) -> Result<()> {
    let files = corpus::files()?.ok_or("set TAMIZ_CORPUS to a folder of *.jsonl.gz files")?;
    let (all, _) = part::all(&entries::read(root)?);
    let wanted: BTreeSet<(Kind, Vec<u8>)> =
        all.iter().flat_map(candidates).flat_map(Witness::counted).collect();
    let mut rates: BTreeMap<(Kind, Vec<u8>), f64> = BTreeMap::new();
    for name in HONEST {
        let file = files.iter().find(|file| file.ends_with(format!("{name}.jsonl.gz")));
        let file = file.ok_or_else(|| format!("the corpus has no {name}.jsonl.gz"))?;
        let mut counts: BTreeMap<(Kind, Vec<u8>), u64> = BTreeMap::new();
        let mut total = 0;
        for row in corpus::rows(file, 1)? {
            let row = row?;
            if row.label == "valid" {
                total += count(&unescaped(&row.request), &wanted, &mut counts);
            }
        }
        for (key, count) in counts {
            *rates.entry(key).or_default() += count as f64 * 1e6 / total as f64 / HONEST.len() as f64;
        }
    }
    let mut text = HEAD.to_owned();
    for ((kind, key), rate) in rates.iter().filter(|(_, rate)| **rate >= 0.05) {
        let (_, name) = Kind::ALL.into_iter().find(|(known, _)| known == kind).unwrap_or(Kind::ALL[0]);
        let _ = writeln!(text, "{name}\t{}\t{rate:.1}", String::from_utf8_lossy(key));
    }
    Ok(std::fs::write(root.join(FILE), text)?)
}

/// A request with its `%HH` as bytes.
fn unescaped(request: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(request.len());
    let mut rest = request;
    while let [first, after @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, ..] => data_encoding::HEXLOWER_PERMISSIVE.decode(&[*high, *low]).ok(),
            _ => None,
        };
        match escaped {
            Some(escaped) => {
                bytes.extend(escaped);
                rest = &rest[3..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

/// Counts what of a text is wanted; how many tokens and signs it has.
fn count(
    text: &[u8],
    wanted: &BTreeSet<(Kind, Vec<u8>)>,
    counts: &mut BTreeMap<(Kind, Vec<u8>), u64>,
) -> u64 {
    let mut add = |kind: Kind, key: Vec<u8>| {
        if wanted.contains(&(kind, key.clone())) {
            *counts.entry((kind, key)).or_default() += 1;
        }
    };
    let mut total = 0;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte.is_ascii_alphabetic() {
            let token: Vec<u8> = text[at..]
                .iter()
                .take_while(|byte| byte.is_ascii_alphabetic())
                .map(u8::to_ascii_lowercase)
                .collect();
            at += token.len();
            total += 1;
            if let Some(prefix) = token.get(..PREFIX) {
                add(Kind::Prefix, prefix.to_vec());
            }
            add(Kind::Token, token);
            continue;
        }
        at += 1;
        if byte.is_ascii_punctuation() {
            total += 1;
            let next = match text.get(at) {
                Some(b'0'..=b'9') => b'0',
                Some(next) if next.is_ascii_graphic() && *next != b'+' => next.to_ascii_lowercase(),
                _ => b' ',
            };
            add(Kind::Pair, vec![byte, next]);
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_pairs_are_counted() {
        let wanted = [(Kind::Token, "union"), (Kind::Prefix, "unio"), (Kind::Pair, "('"), (Kind::Pair, "=0")];
        let wanted = wanted.map(|(kind, key)| (kind, key.as_bytes().to_vec())).into_iter().collect();
        let mut counts = BTreeMap::new();
        let total = count(&unescaped(b"UNION%28'x=5 unions"), &wanted, &mut counts);
        assert_eq!(counts.values().copied().collect::<Vec<_>>(), [1, 2, 1, 1]);
        assert_eq!(total, 6);
    }
}
