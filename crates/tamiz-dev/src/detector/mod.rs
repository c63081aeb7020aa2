//! `cargo x detector`: how many attacks the detector finds, at 5, 1 and 0.1 % false positives.
//!
//! Thresholds come from honest requests that were not learned, and attacks are scored against them. Every experiment uses a
//! prior without the files that it learns or scores. With `TAMIZ_DETECTOR_EXAMPLES` set it also shows requests on the wrong
//! side of the last threshold, by their tokens.

mod inject;
pub(crate) mod prior;

use std::path::PathBuf;
use std::time::Instant;

use sha2::{Digest, Sha256};
use tamiz::{Canonicalizer, Config};
use tamiz_detector::{Detector, Model, Observation, Prior};

use crate::{Result, corpus};

const SHARES: [f64; 3] = [0.05, 0.01, 0.001];
/// CSIC and Torpeda, which is traffic of the same shop.
const CSIC: &[&str] = &["csic2010_anomalous", "csic2010_normal_train", "csic2010_normal_test", "torpeda"];
/// Files of honest requests of many sites.
const HONEST: &[&str] = &["har_requests", "api_requests"];

/// Requests, as the detector sees them.
type Rows = Vec<Observation>;

/// Runs the experiments whose names contain `only`.
pub(crate) fn run(only: Option<&str>) -> Result<()> {
    let lab = Lab { tamiz: Canonicalizer::new(Config::default()) };
    let wants = |name: &str| only.is_none_or(|only| name.contains(only));
    println!(
        "| experiment | learned, honest, odd | recall at 5 / 1 / 0.1 % | false positives at the model's own thresholds | model | must | aim |"
    );
    println!("|---|---|---|---|---|---|---|");
    if only.is_none_or(|only| only.contains("csic")) {
        lab.csic(&wants)?;
    }
    if wants("torpeda") {
        lab.torpeda()?;
    }
    if wants("injected") {
        lab.injected()?;
    }
    if wants("no model") {
        lab.no_model()?;
    }
    Ok(())
}

struct Lab {
    tamiz: Canonicalizer,
}

/// An experiment.
struct Trial<'a> {
    name: &'a str,
    learned: &'a [&'a Observation],
    honest: &'a Rows,
    odd: &'a [&'a Observation],
    without: &'a [&'a str],
    goals: [&'a str; 2],
}

impl Lab {
    fn rows(&self, file: &str, label: &str) -> Result<Vec<(u64, Vec<u8>)>> {
        let mut out = Vec::new();
        for row in corpus::rows(&path(file)?, 1)? {
            let row = row?;
            if row.label == label {
                out.push((digest(&row.request), row.request));
            }
        }
        Ok(out)
    }

    fn observe(&self, request: &[u8]) -> Result<Observation> {
        Ok(Observation::of(&self.tamiz.canonicalize(request))?)
    }

    /// The requests of a file with a label, in an order that a hash gives.
    fn shuffled(&self, file: &str, label: &str) -> Result<Rows> {
        let mut rows = self.rows(file, label)?;
        rows.sort();
        rows.iter().map(|(_, request)| self.observe(request)).collect()
    }

    fn csic(&self, wants: &dyn Fn(&str) -> bool) -> Result<()> {
        let learned = self.shuffled("csic2010_normal_train", "valid")?;
        let honest = self.shuffled("csic2010_normal_test", "valid")?;
        let odd = self.shuffled("csic2010_anomalous", "attack")?;
        let all: Vec<&Observation> = learned.iter().collect();
        let attacks: Vec<&Observation> = odd.iter().collect();
        let trial = |name: &str, learned: &[&Observation], odd: &[&Observation], goals: [&str; 2]| {
            Trial { name, learned, honest: &honest, odd, without: CSIC, goals }.run(&self.tamiz)
        };
        for size in [1000, 3000, 10_000, 36_000] {
            let name = format!("csic, {size} learned");
            let goals = match size {
                36_000 => ["99.3 / 99.0 / 97.5", "99.8 / 99.6 / 99.3"],
                3000 => ["99.3 / 96 / 75", "99.5 / 98.5 / 90"],
                _ => ["", ""],
            };
            if wants(&name) {
                trial(&name, all.get(..size).unwrap_or(&all), &attacks, goals)?;
            }
        }
        for tenths in [1, 5, 10] {
            let poison = all.len() * tenths / 1000;
            let (bad, scored) = attacks.split_at(poison);
            let mut learned = all.get(poison..).unwrap_or_default().to_vec();
            learned.extend(bad);
            let name = format!("csic, 36000 learned, {}.{} % of them attacks", tenths / 10, tenths % 10);
            let goals = if tenths == 5 { ["99.3 / 99.0 / 80", "99.6 / 99.4 / 95"] } else { ["", ""] };
            if wants(&name) {
                trial(&name, &learned, scored, goals)?;
            }
        }
        Ok(())
    }

    fn torpeda(&self) -> Result<()> {
        let valid = self.shuffled("torpeda", "valid")?;
        let (learned, honest) = valid.split_at(valid.len() / 2);
        let odd = self.shuffled("torpeda", "unknown")?;
        let attacks = self.shuffled("torpeda", "attack")?;
        for (name, odd, goals) in [
            ("torpeda, odd values", &odd, ["97 / 97", "99.5 / 99.5"]),
            ("torpeda, attacks", &attacks, ["", ""]),
        ] {
            let trial = Trial {
                name,
                learned: &learned.iter().collect::<Vec<_>>(),
                honest: &honest.to_vec(),
                odd: &odd.iter().collect::<Vec<_>>(),
                without: CSIC,
                goals,
            };
            trial.run(&self.tamiz)?;
        }
        Ok(())
    }

    /// Browsers and clients of many sites; payloads of httpparams in half of those that were not learned.
    fn injected(&self) -> Result<()> {
        let payloads: Vec<Vec<u8>> = self
            .rows("httpparams", "attack")?
            .iter()
            .filter_map(|(_, request)| {
                let text = request.strip_prefix(b"GET /search?q=")?;
                Some(unescape(text.split(|byte| *byte == b' ').next()?))
            })
            .collect();
        let (mut learned, mut honest, mut odd) = (Vec::new(), Vec::new(), Vec::new());
        for file in HONEST {
            for (hash, request) in self.rows(file, "valid")? {
                if hash % 2 == 0 {
                    learned.push(self.observe(&request)?);
                    continue;
                }
                honest.push(self.observe(&request)?);
                let payload = payloads.get((hash >> 8) as usize % payloads.len().max(1)).cloned();
                if let Some(request) = inject::inject(&request, &payload.unwrap_or_default(), hash >> 32) {
                    odd.push(self.observe(&request)?);
                }
            }
        }
        let trial = Trial {
            name: "injected, HAR + API",
            learned: &learned.iter().collect::<Vec<_>>(),
            honest: &honest,
            odd: &odd.iter().collect::<Vec<_>>(),
            without: &["har_requests", "api_requests", "httpparams"],
            goals: ["99.5 / 97 / 60", "99.9 / 99.5 / 90"],
        };
        trial.run(&self.tamiz)
    }

    fn no_model(&self) -> Result<()> {
        let mut honest = Vec::new();
        for file in HONEST {
            honest.extend(self.shuffled(file, "valid")?);
        }
        for (file, goals) in
            [("crs_regression", ["75 / 45", "85 / 60"]), ("gotestwaf", ["96 / 80", "98 / 90"])]
        {
            let odd = self.shuffled(file, "attack")?;
            let without = ["har_requests", "api_requests", "crs_regression", "gotestwaf"];
            let name = format!("no model, HAR + API against {file}");
            let trial = Trial {
                name: &name,
                learned: &[],
                honest: &honest,
                odd: &odd.iter().collect::<Vec<_>>(),
                without: &without,
                goals,
            };
            trial.run(&self.tamiz)?;
        }
        Ok(())
    }
}

impl Trial<'_> {
    fn run(&self, tamiz: &Canonicalizer) -> Result<()> {
        let prior = Prior::from_table(include_str!("../../../../spec/prior.tsv"), self.without);
        let started = Instant::now();
        let mut size = 0;
        let detector = if self.learned.is_empty() {
            Detector::from_prior(prior)
        } else {
            let mut model = Model::new(tamiz.fingerprint())?;
            for observation in self.learned {
                model.add(observation, 1);
            }
            size = model.to_bytes().len();
            Detector::with_prior(model, prior)
        };
        let learning = started.elapsed();
        let mut usual: Vec<f64> =
            self.honest.iter().map(|row| detector.score_observation(row).value()).collect();
        let odd: Vec<f64> = self.odd.iter().map(|row| detector.score_observation(row).value()).collect();
        let scoring = started.elapsed() - learning;
        usual.sort_by(f64::total_cmp);
        let recall = SHARES.map(|share| recall(&usual, &odd, share));
        let own = SHARES.map(|share| {
            let threshold = detector.threshold(share).score;
            percent(usual.iter().filter(|score| **score > threshold).count(), usual.len())
        });
        // Without a model there are neither thresholds nor a file.
        let learned = match size {
            0 => " | ".to_owned(),
            size => {
                let [five, one, tenth] = own;
                format!("{five:.2} / {one:.2} / {tenth:.2} | {} KB", size.div_ceil(1000))
            }
        };
        let [must, aim] = self.goals;
        println!(
            "| {} | {}, {}, {} | {:.1} / {:.1} / {:.1} | {learned} | {must} | {aim} |",
            self.name,
            self.learned.len(),
            self.honest.len(),
            self.odd.len(),
            recall[0],
            recall[1],
            recall[2],
        );
        eprintln!(
            "{}: learned in {:.1} s, scored {} in {:.1} s",
            self.name,
            learning.as_secs_f64(),
            usual.len() + odd.len(),
            scoring.as_secs_f64()
        );
        if std::env::var_os("TAMIZ_DETECTOR_EXAMPLES").is_some() {
            self.examples(&detector, &usual);
        }
        Ok(())
    }

    /// Shows honest requests above, and odd ones below, the threshold of 0.1 %.
    fn examples(&self, detector: &Detector, usual: &[f64]) {
        let threshold =
            usual.iter().rev().nth((usual.len() as f64 * 0.001) as usize).copied().unwrap_or_default();
        let show = |what: &str, row: &Observation| {
            let explained = detector.explain_observation(row);
            let score = explained.score();
            eprintln!(
                "{what} {:.2} novelty {:.1} flags {:.1} {}",
                score.value(),
                score.novelty(),
                score.flags(),
                row.endpoint()
            );
            explained.reasons().iter().for_each(|reason| eprintln!("      {:.1} {reason}", reason.bits()));
        };
        let above = self.honest.iter().filter(|row| detector.score_observation(row).value() > threshold);
        above.take(25).for_each(|row| show("honest", row));
        let below = self.odd.iter().filter(|row| detector.score_observation(row).value() <= threshold);
        below.step_by(40).take(40).for_each(|row| show("odd", row));
    }
}

/// The share of `odd` scores, in percent, above the threshold that at most `share` of the `usual` ones pass. The
/// usual ones are sorted.
fn recall(usual: &[f64], odd: &[f64], share: f64) -> f64 {
    let allowed = (usual.len() as f64 * share) as usize;
    let threshold = usual.iter().rev().nth(allowed).copied().unwrap_or(f64::NEG_INFINITY);
    percent(odd.iter().filter(|score| **score > threshold).count(), odd.len())
}

fn percent(count: usize, of: usize) -> f64 {
    100.0 * count as f64 / of.max(1) as f64
}

fn path(file: &str) -> Result<PathBuf> {
    let name = format!("{file}.jsonl.gz");
    let files = corpus::files()?.ok_or("no corpus: set TAMIZ_CORPUS to a folder of *.jsonl.gz files")?;
    let path = files.into_iter().find(|path| path.file_name().is_some_and(|other| *other == *name));
    Ok(path.ok_or_else(|| format!("the corpus has no {name}"))?)
}

fn digest(request: &[u8]) -> u64 {
    let digest = Sha256::digest(request);
    digest.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        let escaped = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *byte == b'%') {
            Some(decoded) => {
                out.push(decoded);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                out.push(*byte);
                rest = after;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Learns half of a file and scores all of it, twice: the second time from the cache. All is as if tokens were strings.
    fn check(path: &std::path::Path, step: usize) {
        let tamiz = Canonicalizer::new(Config::default());
        let documents: Vec<_> =
            corpus::rows(path, step).unwrap().map(|row| tamiz.canonicalize(&row.unwrap().request)).collect();
        let mut model = Model::new(tamiz.fingerprint()).unwrap();
        documents.iter().step_by(2).for_each(|document| model.learn(document).unwrap());
        let mut of_tokens = model.clone_empty();
        documents
            .iter()
            .step_by(2)
            .for_each(|document| of_tokens.add(&Observation::of(document).unwrap(), 1));
        assert!(model.to_bytes() == of_tokens.to_bytes(), "{}: another model", path.display());
        for detector in [Detector::new(model), Detector::without_model()] {
            let by_tokens: Vec<_> = documents
                .iter()
                .map(|document| detector.explain_observation(&Observation::of(document).unwrap()))
                .collect();
            for _ in 0..2 {
                for (document, expected) in documents.iter().zip(&by_tokens) {
                    let score = detector.score(document).unwrap();
                    assert_eq!(score, *expected.score(), "{}: {document}", path.display());
                    let explained = detector.explain(document).unwrap();
                    assert_eq!(*explained.score(), *expected.score());
                    assert_eq!(explained.reasons(), expected.reasons());
                }
            }
        }
    }

    #[test]
    fn documents_of_the_corpus_score_as_their_tokens_do() {
        let Some(files) = corpus::files().unwrap() else {
            eprintln!("SKIPPED: scores of real requests (set TAMIZ_CORPUS to a folder of *.jsonl.gz files)");
            return;
        };
        let step = if std::env::var_os("TAMIZ_CORPUS_ALL").is_some() { 1 } else { 50 };
        files.iter().for_each(|path| check(path, step));
    }
}
