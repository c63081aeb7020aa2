//! How often honest requests have what the prefilter is made of: `frequencies.tsv`, counted in a corpus.
//!
//! A line is a kind, a key, and what is before and after it with how many of a million tokens and signs that is, the
//! mean of the files. Only keys of the dictionary, and pairs of a sign and what follows it, are kept, so that nothing of
//! a request is.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use super::bytes::{EDGE, HIGH, SPACE, SPACED, class, code};
use super::literal::{COMPARED, GRAM, LONGEST_START, candidates};
use super::{entries, part};
use crate::{Result, corpus};

const FILE: &str = "crates/tamiz-dev/src/generate/keywords/frequencies.tsv";
const HEAD: &str = "# By `cargo run -p tamiz-dev -- frequencies`: kind (token, start, gram or pair), key, then \
                    `before.after=rate` in parts per million.\n";

/// Rarer ones are not kept.
const RAREST: f64 = 0.3;

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

/// The kinds of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Counted {
    /// A run of letters, with the classes of what is beside it.
    Token,
    /// The first letters of one.
    Start,
    /// A sign and the folded characters behind it, with the one before.
    Gram,
    /// A sign and the byte behind it, folded, with the class of the one before.
    Pair,
}

impl Counted {
    const ALL: [(Counted, &str); 4] = [
        (Counted::Token, "token"),
        (Counted::Start, "start"),
        (Counted::Gram, "gram"),
        (Counted::Pair, "pair"),
    ];
}

/// A kind of count, its key, and the classes before and after it.
type Key = (Counted, Vec<u8>, [u8; 2]);

/// The classes before and after a key, and its parts per million there.
type Rate = ([u8; 2], f64);

/// Rates by kind and key.
pub(super) struct Frequencies(BTreeMap<(Counted, Vec<u8>), Vec<Rate>>);

impl Frequencies {
    pub(super) fn read(root: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(root.join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
        let mut all = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with("# ")) {
            let wrong = || format!("{FILE}: expected a kind, a key and rates, found {line:?}");
            let [kind, key, rates] = line.split('\t').collect::<Vec<_>>()[..] else {
                return Err(wrong().into());
            };
            let (kind, _) = Counted::ALL.into_iter().find(|(_, name)| *name == kind).ok_or_else(wrong)?;
            let rates = rates.split(' ').map(rate).collect::<Option<Vec<_>>>().ok_or_else(wrong)?;
            all.insert((kind, key.as_bytes().to_vec()), rates);
        }
        Ok(Frequencies(all))
    }

    /// Parts per million of a key, with what is before and after it as wanted.
    pub(super) fn sum(&self, kind: Counted, key: &[u8], is_wanted: impl Fn([u8; 2]) -> bool) -> f64 {
        let rates = self.0.get(&(kind, key.to_vec())).into_iter().flatten();
        rates.filter(|(beside, _)| is_wanted(*beside)).map(|(_, rate)| rate).sum()
    }

    /// The pairs with a sign: the code of the byte behind it, the class of the one before, parts per million.
    pub(super) fn pairs(&self, sign: u8) -> impl Iterator<Item = (u8, u8, f64)> {
        let pairs =
            self.0.iter().filter(move |((kind, key), _)| *kind == Counted::Pair && code(key[0]) == sign);
        pairs.flat_map(|((_, key), rates)| {
            rates.iter().map(|([before, _], rate)| (code(key[1]), *before, *rate))
        })
    }
}

/// Reads `before.after=rate`.
fn rate(text: &str) -> Option<([u8; 2], f64)> {
    let (beside, rate) = text.split_once('=')?;
    let (before, after) = beside.split_once('.')?;
    Some(([before.parse().ok()?, after.parse().ok()?], rate.parse().ok()?))
}

/// Counts the corpus and writes the file.
pub(crate) fn write(root: &Path) -> Result<()> {
    let files = corpus::files()?.ok_or("set TAMIZ_CORPUS to a folder of *.jsonl.gz files")?;
    let (all, _) = part::all(&entries::read(root)?);
    let wanted = all.iter().flat_map(candidates).flat_map(|candidate| candidate.counted()).collect();
    let mut rates: BTreeMap<Key, f64> = BTreeMap::new();
    for name in HONEST {
        let file = files.iter().find(|file| file.ends_with(format!("{name}.jsonl.gz")));
        let file = file.ok_or_else(|| format!("the corpus has no {name}.jsonl.gz"))?;
        let mut counts = Counts { wanted: &wanted, counts: BTreeMap::new(), total: 0 };
        for row in corpus::rows(file, 1)? {
            let row = row?;
            if row.label == "valid" {
                texts(&row.request).iter().for_each(|text| counts.add_text(text));
            }
        }
        for (key, count) in counts.counts {
            *rates.entry(key).or_default() += count as f64 * 1e6 / counts.total as f64 / HONEST.len() as f64;
        }
    }
    let mut lines: BTreeMap<(Counted, Vec<u8>), Vec<String>> = BTreeMap::new();
    for ((kind, key, [before, after]), rate) in rates.into_iter().filter(|(_, rate)| *rate >= RAREST) {
        lines.entry((kind, key)).or_default().push(format!("{before}.{after}={rate:.1}"));
    }
    let mut text = HEAD.to_owned();
    for ((kind, key), rates) in lines {
        let (_, name) = Counted::ALL.into_iter().find(|(known, _)| *known == kind).unwrap_or(Counted::ALL[0]);
        let _ = writeln!(text, "{name}\t{}\t{}", String::from_utf8_lossy(&key), rates.join(" "));
    }
    Ok(std::fs::write(root.join(FILE), text)?)
}

/// The texts that a request has, about: words of the request line, values of header lines, pairs of a body.
fn texts(request: &[u8]) -> Vec<Vec<u8>> {
    let end = request.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(request.len());
    let (head, body) = request.split_at(end);
    let mut lines = head.split(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    let mut texts: Vec<Vec<u8>> = first.split(|byte| b"?&= ".contains(byte)).map(unescaped).collect();
    for line in lines {
        let colon = line.iter().position(|byte| *byte == b':').map_or(line.len(), |at| at + 1);
        texts.push(line[colon..].trim_ascii().to_vec());
    }
    let body = body.trim_ascii_start();
    if matches!(body.first(), Some(b'{' | b'[' | b'<' | b'-')) {
        texts.push(body.to_vec());
    } else {
        texts.extend(body.split(|byte| b"&=".contains(byte)).map(unescaped));
    }
    texts
}

/// A text with its `%HH` as bytes.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
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

/// The counts of a file.
struct Counts<'w> {
    wanted: &'w BTreeSet<(Counted, Vec<u8>)>,
    counts: BTreeMap<Key, u64>,
    /// How many tokens and signs there were.
    total: u64,
}

impl Counts<'_> {
    fn add(&mut self, kind: Counted, key: &[u8], beside: [u8; 2]) {
        if kind == Counted::Pair || self.wanted.contains(&(kind, key.to_vec())) {
            *self.counts.entry((kind, key.to_vec(), beside)).or_default() += 1;
        }
    }

    fn add_text(&mut self, text: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            let start = at;
            at += 1;
            if byte.is_ascii_alphabetic() {
                at += text[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
                let token = text[start..at].to_ascii_lowercase();
                let beside = [beside(text[..start].iter().rev()), beside(text[at..].iter())];
                self.add(Counted::Token, &token, beside);
                for len in COMPARED..=LONGEST_START.min(token.len()) {
                    self.add(Counted::Start, &token[..len], [0; 2]);
                }
                self.total += 1;
            } else if class(byte) != SPACE && class(byte) != HIGH && !byte.is_ascii_digit() {
                let before = start.checked_sub(1).map_or(EDGE, |before| class(text[before]));
                if let Some(next) = text.get(at).map(|next| folded(*next)).filter(u8::is_ascii) {
                    self.add(Counted::Pair, &[folded(byte), next], [before, 0]);
                }
                self.total += 1;
            }
        }
        let folded = part::fold(&text.iter().map(|byte| folded(*byte)).collect::<Vec<u8>>());
        for at in (0..folded.len()).filter(|&at| folded[at].is_ascii_punctuation()) {
            let before = at.checked_sub(1).map_or(0, |before| folded[before]);
            for len in 2..=GRAM {
                if let Some(gram) = folded.get(at..at + len) {
                    self.add(Counted::Gram, gram, [before, 0]);
                }
            }
        }
    }
}

/// The class of what comes first, without white space.
fn beside<'t>(mut rest: impl Iterator<Item = &'t u8> + Clone) -> u8 {
    let is_spaced = rest.clone().next().is_some_and(|byte| class(*byte) == SPACE);
    let found = rest.find(|byte| class(**byte) != SPACE);
    found.map_or(EDGE, |byte| class(*byte) + if is_spaced { SPACED } else { 0 })
}

/// A byte as folding takes it by itself.
fn folded(byte: u8) -> u8 {
    match class(byte) {
        SPACE => b' ',
        HIGH => 0xFE,
        _ if byte == b'\\' => b'/',
        _ if byte.is_ascii_digit() => b'0',
        _ => byte.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_signs_are_counted() {
        let wanted = [(Counted::Token, "union"), (Counted::Start, "unions"), (Counted::Gram, "('x")];
        let wanted = wanted.map(|(kind, key)| (kind, key.as_bytes().to_vec())).into_iter().collect();
        let mut counts = Counts { wanted: &wanted, counts: BTreeMap::new(), total: 0 };
        for text in texts(b"GET /?a=UNION+%28'x HTTP/1.1\r\nA: b unions\r\n\r\n") {
            counts.add_text(&text);
        }
        let key = |kind, key: &str, beside| (kind, key.as_bytes().to_vec(), beside);
        let (is_pair, others): (Vec<_>, Vec<_>) =
            counts.counts.into_iter().partition(|((kind, ..), _)| *kind == Counted::Pair);
        assert_eq!(
            others,
            [
                (key(Counted::Token, "union", [EDGE, SPACED + class(b'(')]), 1),
                (key(Counted::Start, "unions", [0, 0]), 1),
                (key(Counted::Gram, "('x", [b'n', 0]), 1),
            ]
        );
        assert_eq!(is_pair.len(), 4, "{is_pair:?}");
        // Tokens: GET, a, UNION, x, HTTP, b, unions. Signs: `/`, `(`, `'`, and `/` and `.` of the version.
        assert_eq!(counts.total, 7 + 5);
    }
}
