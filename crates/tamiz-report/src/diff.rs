//! Compares two sets of documents: by flag, by path template, by label.

use std::collections::BTreeMap;

use serde::Serialize;

use tamiz_detector::template;

use crate::count::counter::Counter;
use crate::count::facts::Facts;
use crate::count::labels::Labels;
use crate::count::tally::Tally;
use crate::ratio::{Ratio, share};
use crate::summary::{MOST_TEMPLATES, Summary};

/// One of the two sets.
#[derive(Clone, Debug)]
pub struct Side {
    /// Its name.
    pub name: String,
    /// The identity of rules, tables and configuration.
    pub fingerprint: String,
    /// Its counts.
    pub summary: Summary,
}

/// The differences between two readings of the same requests, request by request.
#[derive(Clone, Debug)]
pub struct Paired {
    requests: u64,
    changed: u64,
    /// How many requests have a flag in the second reading alone, and in the first alone.
    gained: BTreeMap<String, u64>,
    lost: BTreeMap<String, u64>,
    /// Documents that changed, by the template of the first reading.
    templates: Counter<String, ()>,
}

impl Default for Paired {
    fn default() -> Self {
        Paired {
            requests: 0,
            changed: 0,
            gained: BTreeMap::new(),
            lost: BTreeMap::new(),
            templates: Counter::new(MOST_TEMPLATES),
        }
    }
}

impl Paired {
    /// Counts a request that was read twice.
    pub fn add(&mut self, first: &str, second: &str) {
        self.requests += 1;
        if first == second {
            return;
        }
        self.changed += 1;
        let (first, second) = (Facts::of(first), Facts::of(second));
        let (before, after) = (first.flags(), second.flags());
        for (name, _) in after.iter().filter(|flag| !before.contains(flag)) {
            *self.gained.entry((*name).to_owned()).or_default() += 1;
        }
        for (name, _) in before.iter().filter(|flag| !after.contains(flag)) {
            *self.lost.entry((*name).to_owned()).or_default() += 1;
        }
        self.templates.add(template(first.method, first.path).as_str(), 0);
    }

    /// Takes the counts of a part, which comes after all that were taken before.
    pub fn absorb(&mut self, part: Paired) {
        self.requests += part.requests;
        self.changed += part.changed;
        for (all, part) in [(&mut self.gained, part.gained), (&mut self.lost, part.lost)] {
            part.into_iter().for_each(|(name, n)| *all.entry(name).or_default() += n);
        }
        self.templates.absorb(part.templates, &[0]);
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Diff {
    pub(crate) a: SideCounts,
    pub(crate) b: SideCounts,
    /// True if anything does.
    pub(crate) differs: bool,
    /// Where the same requests were read twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) documents: Option<Changed>,
    pub(crate) labels: Vec<Row>,
    pub(crate) flags: Vec<Row>,
    pub(crate) templates: Vec<Row>,
}

/// The totals of a side.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SideCounts {
    pub(crate) name: String,
    pub(crate) fingerprint: String,
    pub(crate) sources: Vec<String>,
    pub(crate) requests: u64,
    pub(crate) unreadable: u64,
}

/// How many documents of the same requests differ.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Changed {
    pub(crate) compared: u64,
    pub(crate) changed: u64,
}

/// Something that both sides may have.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// How many requests have it.
    pub(crate) a: u64,
    pub(crate) b: u64,
    pub(crate) a_share: f64,
    pub(crate) b_share: f64,
    /// The share in B over that in A, smoothed, and its 95 % interval.
    pub(crate) lift: f64,
    pub(crate) lift_interval: [f64; 2],
    /// True if the interval does not hold 1.
    pub(crate) told_apart: bool,
    /// Of the same requests: those that have it in B alone, in A alone; for a template, those whose document changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gained: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lost: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) changed: Option<u64>,
    #[serde(skip)]
    score: f64,
}

impl Row {
    fn new(name: &str, a: u64, b: u64, of: (u64, u64)) -> Self {
        let ratio = Ratio { count: b, of: of.1, base_count: a, base_of: of.0 };
        let (low, high) = ratio.interval();
        Row {
            name: name.to_owned(),
            a,
            b,
            a_share: ratio.base_share(),
            b_share: ratio.share(),
            lift: ratio.lift(),
            lift_interval: [low, high],
            told_apart: ratio.differs(),
            gained: None,
            lost: None,
            changed: None,
            score: ratio.score(),
        }
    }

    /// How many of the same requests it differs in.
    fn moved(&self) -> u64 {
        [self.gained, self.lost, self.changed].into_iter().flatten().sum()
    }

    /// Returns whether the sides differ in it at all: shares as they are, not as chance would have them.
    fn differs(&self, of: (u64, u64)) -> bool {
        let is_equal = u128::from(self.a) * u128::from(of.1) == u128::from(self.b) * u128::from(of.0);
        self.moved() > 0 || !is_equal
    }

    /// Returns whether a table shows it: it is told apart, or, where the same requests were read twice, differs at all.
    pub(crate) fn is_shown(&self) -> bool {
        if self.gained.is_some() || self.changed.is_some() {
            self.moved() > 0 || self.a != self.b
        } else {
            self.told_apart
        }
    }
}

impl Diff {
    /// Compares two sides; `paired` is there where both are readings of the same requests.
    pub fn new(a: &Side, b: &Side, paired: Option<&Paired>) -> Self {
        let of = (a.summary.requests(), b.summary.requests());
        let mut labels = rows(label_counts(&a.summary), label_counts(&b.summary), of);
        let mut flags = rows(totals(&a.summary.flags), totals(&b.summary.flags), of);
        let mut templates = rows(template_counts(&a.summary), template_counts(&b.summary), of);
        if let Some(paired) = paired {
            for row in &mut flags {
                row.gained = Some(paired.gained.get(&row.name).copied().unwrap_or(0));
                row.lost = Some(paired.lost.get(&row.name).copied().unwrap_or(0));
            }
            for row in &mut templates {
                row.changed = Some(paired.templates.get(&row.name).map_or(0, |entry| entry.tally.total()));
            }
        }
        for rows in [&mut labels, &mut flags, &mut templates] {
            rows.sort_by(|x, y| y.moved().cmp(&x.moved()).then(y.score.total_cmp(&x.score)));
        }
        let documents = paired.map(|paired| Changed { compared: paired.requests, changed: paired.changed });
        let differs = documents.is_some_and(|documents| documents.changed > 0)
            || [&labels, &flags, &templates].iter().any(|rows| rows.iter().any(|row| row.differs(of)));
        Diff { a: side(a), b: side(b), differs, documents, labels, flags, templates }
    }

    /// Returns whether the sides differ: in the document of a request, where both are readings of the same, else in the
    /// share of a label, flag or template.
    pub fn differs(&self) -> bool {
        self.differs
    }
}

fn side(side: &Side) -> SideCounts {
    SideCounts {
        name: side.name.clone(),
        fingerprint: side.fingerprint.clone(),
        sources: side.summary.sources(),
        requests: side.summary.requests(),
        unreadable: side.summary.unreadable(),
    }
}

fn totals(tallies: &BTreeMap<String, Tally>) -> BTreeMap<String, u64> {
    tallies.iter().map(|(name, tally)| (name.clone(), tally.total())).collect()
}

fn template_counts(summary: &Summary) -> BTreeMap<String, u64> {
    summary.templates.iter().map(|(name, entry)| (name.clone(), entry.tally.total())).collect()
}

fn label_counts(summary: &Summary) -> BTreeMap<String, u64> {
    let labels: &Labels = &summary.labels;
    let mut counts = BTreeMap::new();
    for label in 0..labels.len() {
        *counts.entry(labels.get(label).shown().into_owned()).or_default() += summary.requests.get(label);
    }
    counts
}

/// A row for each name of either side.
fn rows(a: BTreeMap<String, u64>, mut b: BTreeMap<String, u64>, of: (u64, u64)) -> Vec<Row> {
    let mut rows: Vec<Row> =
        a.iter().map(|(name, n)| Row::new(name, *n, b.remove(name).unwrap_or(0), of)).collect();
    rows.extend(b.iter().map(|(name, n)| Row::new(name, 0, *n, of)));
    rows.sort_by(|x, y| x.name.cmp(&y.name));
    rows
}

/// The difference of two shares.
pub(crate) fn change(row: &Row) -> f64 {
    row.b_share - row.a_share
}

/// The share of changed documents.
pub(crate) fn changed_share(changed: Changed) -> f64 {
    share(changed.changed, changed.compared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::about::Item;
    use tamiz::{Canonicalizer, Config, Profile};

    fn read(requests: &[&str], profile: Profile) -> Vec<String> {
        let mut config = Config::default();
        config.profile = profile;
        let tamiz = Canonicalizer::new(config);
        requests
            .iter()
            .map(|target| format!("GET {target} HTTP/1.1\r\nHost: ex.com\r\n\r\n"))
            .map(|request| tamiz.canonicalize(request.as_bytes()).to_string())
            .collect()
    }

    fn side(texts: &[String]) -> Side {
        let mut summary = Summary::default();
        texts.iter().for_each(|text| summary.add(&Item::new(text)));
        Side { name: "x".to_owned(), fingerprint: "v2-x".to_owned(), summary }
    }

    #[test]
    fn the_same_is_the_same() {
        let texts = read(&["/a?b=1", "/b//c"], Profile::Standard);
        let diff = Diff::new(&side(&texts), &side(&texts), None);
        assert!(!diff.differs());
        let twice: Vec<String> = texts.iter().chain(&texts).cloned().collect();
        assert!(!Diff::new(&side(&texts), &side(&twice), None).differs(), "shares are the same");
    }

    #[test]
    fn what_is_new_and_what_is_gone() {
        let a = read(&["/a?b=1"; 50], Profile::Standard);
        let b = read(&["/c?b=1'"; 50], Profile::Standard);
        let diff = Diff::new(&side(&a), &side(&b), None);
        assert!(diff.differs());
        let quote = diff.flags.iter().find(|row| row.name == "QUOTE").unwrap();
        assert!((quote.a, quote.b) == (0, 50) && quote.lift > 50.0 && quote.is_shown());
        let names: Vec<&str> = diff.templates.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["GET /a", "GET /c"]);
    }

    #[test]
    fn readings_are_compared_request_by_request() {
        let requests = ["/a", "/100%", "/b?c=1"];
        let (a, b) = (read(&requests, Profile::Standard), read(&requests, Profile::Full));
        let mut paired = Paired::default();
        a.iter().zip(&b).for_each(|(a, b)| paired.add(a, b));
        let diff = Diff::new(&side(&a), &side(&b), Some(&paired));
        assert!(diff.differs() && diff.documents.unwrap().compared == 3);
        assert!(diff.flags[0].name == "BADPCT" && diff.flags[0].gained == Some(1), "{:?}", diff.flags);
        let json = serde_json::to_value(&diff).unwrap();
        assert_eq!((&json["flags"][0]["a"], &json["flags"][0]["b"]), (&0.into(), &1.into()));
    }
}
