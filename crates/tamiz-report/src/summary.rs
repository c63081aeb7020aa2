//! Counts what many documents have in common.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use tamiz::{Family, Flag};
use tamiz_detector::template;

use crate::about::Item;
use crate::count::counter::{Counter, Example, Kinds};
use crate::count::distinct::Distinct;
use crate::count::facts::{self, Facts, Rank};
use crate::count::labels::Labels;
use crate::count::lengths::{Lengths, Measure};
use crate::count::scores::Scores;
use crate::count::tally::Tally;
use crate::count::times::Times;

/// How many templates, documents, keys and places of secrets are kept.
pub(crate) const MOST_TEMPLATES: usize = 20_000;
pub(crate) const MOST_DOCUMENTS: usize = 8_000;
pub(crate) const MOST_KEYS: usize = 4_000;
/// How many pairs of a flag and a template.
pub(crate) const MOST_PAIRS: usize = 20_000;
/// How many reasons and files of unreadable records, and how many of these one by one.
const MOST_REASONS: usize = 1_000;
pub(crate) const MOST_NAMED: usize = 20;
/// How much of a document is kept as an example.
const EXAMPLE_BYTES: usize = 2_000;
/// A longer key is cut.
const LONGEST_KEY: usize = 120;

/// The source of requests that were logged, and the flag that they have for that.
pub(crate) const LOG: &str = "access-log";
pub(crate) const NO_HOST: &str = "BADHOST";

/// Counts of documents. A part is made with [`add`](Self::add) and taken by the whole with [`absorb`](Self::absorb):
/// only the whole bounds its memory, so that a part is of as many documents as fit in memory.
#[derive(Clone, Debug)]
pub struct Summary {
    pub(crate) labels: Labels,
    pub(crate) requests: Tally,
    pub(crate) ranks: BTreeMap<Rank, Tally>,
    /// Requests with a flag of the family that is not structural.
    pub(crate) families: BTreeMap<Family, Tally>,
    /// By name, or with a word of a closed list: `KW:sql`.
    pub(crate) flags: BTreeMap<String, Tally>,
    pub(crate) methods: Counter<String, ()>,
    pub(crate) sources: Counter<String, ()>,
    pub(crate) bodies: Counter<String, ()>,
    pub(crate) templates: Counter<String, Example>,
    pub(crate) documents: Counter<[u8; 16], Example>,
    pub(crate) distinct: Distinct,
    /// Values by key, as `q.id`, and by kind.
    pub(crate) keys: Counter<String, Kinds>,
    /// Secrets by place, as `h.authorization`, and by kind.
    pub(crate) secrets: Counter<String, Kinds>,
    pub(crate) with_secrets: Tally,
    pub(crate) cookies: Tally,
    pub(crate) lengths: BTreeMap<Measure, Lengths>,
    pub(crate) times: Times,
    /// Where there is a model.
    pub(crate) scores: Option<Scores>,
    /// Flags by path template: a flag, a space and a template.
    pub(crate) pairs: Counter<String, ()>,
    pub(crate) unreadable: Unreadable,
}

/// Counts of unreadable records.
#[derive(Clone, Debug)]
pub(crate) struct Unreadable {
    pub(crate) count: u64,
    pub(crate) reasons: Counter<String, ()>,
    pub(crate) files: Counter<String, ()>,
    /// The first of them: place and reason.
    pub(crate) first: Vec<(String, String)>,
}

impl Default for Summary {
    fn default() -> Self {
        Summary {
            labels: Labels::default(),
            requests: Tally::default(),
            ranks: BTreeMap::new(),
            families: BTreeMap::new(),
            flags: BTreeMap::new(),
            methods: Counter::new(MOST_REASONS),
            sources: Counter::new(MOST_REASONS),
            bodies: Counter::new(MOST_REASONS),
            templates: Counter::new(MOST_TEMPLATES),
            documents: Counter::new(MOST_DOCUMENTS),
            distinct: Distinct::default(),
            keys: Counter::new(MOST_KEYS),
            secrets: Counter::new(MOST_KEYS),
            with_secrets: Tally::default(),
            cookies: Tally::default(),
            lengths: BTreeMap::new(),
            times: Times::default(),
            scores: None,
            pairs: Counter::new(MOST_PAIRS),
            unreadable: Unreadable {
                count: 0,
                reasons: Counter::new(MOST_REASONS),
                files: Counter::new(MOST_REASONS),
                first: Vec::new(),
            },
        }
    }
}

impl Summary {
    /// Counts a document.
    pub fn add(&mut self, item: &Item<'_>) {
        let label = self.labels.number(item.label);
        let facts = Facts::of(item.text);
        self.requests.add(label, 1);
        let flags = facts.flags();
        // A log keeps no host, which says nothing about its requests.
        let of_request: Vec<_> =
            flags.iter().copied().filter(|(name, _)| item.source != LOG || *name != NO_HOST).collect();
        let (rank, families) = (Facts::rank(&of_request), Facts::families(&of_request));
        self.ranks.entry(rank).or_default().add(label, 1);
        for family in &families {
            self.families.entry(*family).or_default().add(label, 1);
        }
        for (name, _) in &flags {
            match self.flags.get_mut(*name) {
                Some(tally) => tally.add(label, 1),
                None => self.flags.entry((*name).to_owned()).or_default().add(label, 1),
            }
        }
        let level = item
            .scored
            .as_ref()
            .map(|scored| self.scores.get_or_insert_default().add(scored, label, || example(item.text)));
        self.times.add(item.time, rank, &families, level);
        self.methods.add(facts::without_lengths(facts.method), label);
        self.sources.add(item.source, label);
        self.bodies.add(facts.body_kind.unwrap_or("none"), label);
        self.add_text(item.text, &facts, &flags, label);
        self.add_values(&facts, label);
        self.add_lengths(item.text, &facts, label);
    }

    fn add_text(&mut self, text: &str, facts: &Facts<'_>, flags: &[(&str, Flag)], label: usize) {
        let template = template(facts.method, facts.path);
        keep(self.templates.add(template.as_str(), label), text);
        let mut pair = String::new();
        for (name, _) in flags {
            pair.clear();
            pair.extend([name, " ", &template]);
            self.pairs.add(pair.as_str(), label);
        }
        let digest = Sha256::digest(text);
        if let (Some(digest), Some(number)) = (digest.first_chunk::<16>(), digest.last_chunk::<8>()) {
            keep(self.documents.add(digest, label), text);
            self.distinct.add(u64::from_le_bytes(*number));
        }
    }

    fn add_values(&mut self, facts: &Facts<'_>, label: usize) {
        for (whole, key, value) in facts.values() {
            let key = short(format!("{whole}.{}", facts::without_lengths(key)));
            self.keys.add(key.as_str(), label).add(facts::kind(value), label);
        }
        let mut found = false;
        let secrets = &mut self.secrets;
        facts.secrets(|place, kind| {
            found = true;
            secrets.add(short(place.to_owned()).as_str(), label).add(kind, label);
        });
        if found {
            self.with_secrets.add(label, 1);
        }
        self.cookies.add(label, facts.cookies());
    }

    fn add_lengths(&mut self, text: &str, facts: &Facts<'_>, label: usize) {
        for (measure, length) in [
            (Measure::Path, facts.path_length),
            (Measure::Pairs, facts.query_pairs),
            (Measure::Headers, facts.header_length),
            (Measure::Body, facts.body_length),
            (Measure::Document, Some(text.len() as u64)),
        ] {
            if let Some(length) = length {
                self.lengths.entry(measure).or_default().add(length, label);
            }
        }
    }

    /// Counts a record that could not be read: the file it is in, where in it, and why.
    pub fn add_unreadable(&mut self, file: &str, place: &str, reason: &str) {
        let unreadable = &mut self.unreadable;
        unreadable.count += 1;
        unreadable.reasons.add(reason, 0);
        unreadable.files.add(file, 0);
        if unreadable.first.len() < MOST_NAMED {
            unreadable.first.push((place.to_owned(), reason.to_owned()));
        }
    }

    /// Who handed over the requests, sorted by name.
    pub fn sources(&self) -> Vec<String> {
        let mut sources: Vec<String> = self.sources.iter().map(|(source, _)| source.clone()).collect();
        sources.sort();
        sources
    }

    /// Takes the counts of a part, which comes after all that were taken before.
    pub fn absorb(&mut self, part: Summary) {
        let map = self.labels.absorb(&part.labels);
        self.requests.absorb(&part.requests, &map);
        absorb_all(&mut self.ranks, part.ranks, &map);
        absorb_all(&mut self.families, part.families, &map);
        absorb_all(&mut self.flags, part.flags, &map);
        self.methods.absorb(part.methods, &map);
        self.sources.absorb(part.sources, &map);
        self.bodies.absorb(part.bodies, &map);
        self.templates.absorb(part.templates, &map);
        self.documents.absorb(part.documents, &map);
        self.distinct.absorb(part.distinct);
        self.keys.absorb(part.keys, &map);
        self.secrets.absorb(part.secrets, &map);
        self.with_secrets.absorb(&part.with_secrets, &map);
        self.cookies.absorb(&part.cookies, &map);
        for (measure, lengths) in part.lengths {
            self.lengths.entry(measure).or_default().absorb(lengths, &map);
        }
        self.times.absorb(part.times);
        if let Some(scores) = part.scores {
            self.scores.get_or_insert_default().absorb(scores, &map);
        }
        self.pairs.absorb(part.pairs, &map);
        self.unreadable.count += part.unreadable.count;
        self.unreadable.reasons.absorb(part.unreadable.reasons, &[0]);
        self.unreadable.files.absorb(part.unreadable.files, &[0]);
        self.unreadable.first.extend(part.unreadable.first);
        self.unreadable.first.truncate(MOST_NAMED);
    }

    /// How many documents were counted.
    pub fn requests(&self) -> u64 {
        self.requests.total()
    }

    /// How many records could not be read.
    pub fn unreadable(&self) -> u64 {
        self.unreadable.count
    }

    /// Returns whether a document has this label.
    pub fn has_label(&self, label: &str) -> bool {
        (0..self.labels.len()).any(|number| {
            matches!(self.labels.get(number), crate::count::labels::Label::Named(name) if name == label)
        })
    }
}

fn absorb_all<K: Ord>(all: &mut BTreeMap<K, Tally>, part: BTreeMap<K, Tally>, map: &[usize]) {
    for (key, tally) in part {
        all.entry(key).or_default().absorb(&tally, map);
    }
}

/// Keeps the beginning of the first text.
fn keep(kept: &mut Example, text: &str) {
    if kept.0.is_empty() {
        kept.0 = example(text);
    }
}

/// The beginning of a text.
fn example(text: &str) -> String {
    let end = boundary(text, EXAMPLE_BYTES);
    // No line of a document begins so.
    let rest = if end < text.len() { "\n...\n" } else { "" };
    [text.get(..end).unwrap_or_default(), rest].concat()
}

/// The last place at or before `most` where a text can be cut.
fn boundary(text: &str, most: usize) -> usize {
    (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default()
}

/// A key of bounded length.
fn short(mut key: String) -> String {
    if key.len() > LONGEST_KEY {
        key.truncate(boundary(&key, LONGEST_KEY));
        key.push_str("...");
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamiz::{Canonicalizer, Config};

    fn texts(count: usize) -> Vec<String> {
        let tamiz = Canonicalizer::new(Config::default());
        let request =
            |n: usize| format!("GET /a/{}/{n}?id={n}&pwd=secret{n} HTTP/1.1\r\nHost: ex.com\r\n\r\n", n % 7);
        (0..count).map(|n| tamiz.canonicalize(request(n).as_bytes()).to_string()).collect()
    }

    #[test]
    fn how_documents_are_cut_into_parts_changes_nothing() {
        let texts = texts(300);
        let items: Vec<Item<'_>> = texts
            .iter()
            .enumerate()
            .map(|(n, text)| Item {
                label: [Some("valid"), Some("attack"), None][n % 3],
                time: Some(n as i64 * 60_000_000),
                ..Item::new(text)
            })
            .collect();
        let whole = |size: usize| {
            let mut whole = Summary::default();
            for chunk in items.chunks(size) {
                let mut part = Summary::default();
                chunk.iter().for_each(|item| part.add(item));
                whole.absorb(part);
            }
            whole
        };
        let one = format!("{:?}", whole(300));
        assert_eq!(one, format!("{:?}", whole(7)));
        let whole = whole(11);
        assert_eq!((whole.requests(), whole.templates.len()), (300, 1));
        assert_eq!(whole.with_secrets.total(), 300);
        assert!(!one.contains("secret1"));
    }

    #[test]
    fn a_log_is_not_blamed_for_what_it_does_not_keep() {
        let text = Canonicalizer::new(Config::default()).canonicalize(b"GET /a HTTP/1.1\r\n\r\n").to_string();
        for (source, rank) in [("wire", Rank::Evasion), (LOG, Rank::None)] {
            let mut summary = Summary::default();
            summary.add(&Item { source, ..Item::new(&text) });
            assert_eq!(summary.ranks.keys().copied().collect::<Vec<_>>(), [rank]);
            assert_eq!(
                (summary.flags.contains_key(NO_HOST), summary.families.is_empty()),
                (true, source == LOG)
            );
        }
    }

    #[test]
    fn memory_is_bounded_whatever_comes() {
        let mut whole = Summary::default();
        for chunk in 0..60 {
            let mut part = Summary::default();
            for n in 0..500 {
                let n = chunk * 500 + n;
                let word: String = format!("{n:b}").replace('0', "x").replace('1', "y");
                let text = format!("M:GET\nP:/{word} PLEN:9@0-15 PMAX:8@0-15\nHCNT:0 HLEN:0@0-15\n");
                part.add(&Item { label: Some(&word), ..Item::new(&text) });
            }
            whole.absorb(part);
        }
        assert_eq!(whole.requests(), 30_000);
        assert!(whole.templates.len() <= MOST_TEMPLATES && whole.documents.len() <= MOST_DOCUMENTS);
        let kept: u64 = whole.templates.iter().map(|(_, entry)| entry.tally.total()).sum();
        assert_eq!(kept + whole.templates.other().total(), 30_000);
        assert!(whole.labels.len() <= crate::count::labels::MOST_LABELS + 1);
        assert_eq!(whole.distinct.count(), (30_000, true));
    }
}
