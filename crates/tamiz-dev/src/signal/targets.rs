//! The table of what flags and tokens are to reach, and what they reach.

use std::path::PathBuf;

use tamiz::Canonicalizer;

use super::novelty::{self, Novelty, percent};
use super::{Counted, Tally};
use crate::{Result, corpus};

/// A share of requests with a notable or evasion flag that is to be reached, or not exceeded.
struct Target {
    what: &'static str,
    files: &'static [&'static str],
    label: &'static str,
    must: f64,
    aim: f64,
}

const POOLED: &[&str] = &["har_sites", "har_misc2", "api_clients", "postman", "modsec_legitimate"];
const CSIC_VALID: &[&str] = &["csic2010_normal_train", "csic2010_normal_test"];

const TARGETS: [Target; 10] = [
    target("CRS, attack", &["crs_regression"], "attack", 92.0, 94.0),
    target("gotestwaf, attack", &["gotestwaf"], "attack", 97.5, 99.0),
    target("wafbypass, attack", &["wafbypass"], "attack", 97.0, 98.5),
    target("httpparams, attack", &["httpparams"], "attack", 99.8, 99.9),
    target("httpparams, valid", &["httpparams"], "valid", 0.3, 0.1),
    target("CSIC, valid", CSIC_VALID, "valid", 1.0, 0.3),
    target("CSIC, anomalous", &["csic2010_anomalous"], "attack", 36.0, 45.0),
    target("har_requests, valid", &["har_requests"], "valid", 5.5, 4.0),
    target("api_requests, valid", &["api_requests"], "valid", 6.0, 4.0),
    target("har_sites, har_misc2, api_clients, postman, modsec_legitimate, valid", POOLED, "valid", 5.0, 3.5),
];

const fn target(
    what: &'static str,
    files: &'static [&'static str],
    label: &'static str,
    must: f64,
    aim: f64,
) -> Target {
    Target { what, files, label, must, aim }
}

/// Prints the table; rows whose files were not counted are left out.
pub(super) fn print(all: &[Counted], tamiz: &Canonicalizer) -> Result<()> {
    println!("\n| | figure | must | aim |\n|---|---:|---:|---:|");
    for target in &TARGETS {
        if let Some(share) = target.share(all) {
            let than = if target.label == "valid" { "≤" } else { "≥" };
            println!("| {} | {share:.1} | {than} {} | {than} {} |", target.what, target.must, target.aim);
        }
    }
    let is_counted = |file: &str| all.iter().any(|counted| counted.file == file);
    if let ([train, test], true) = (CSIC_VALID, is_counted("csic2010_anomalous"))
        && let (Some(train), Some(test), Some(odd)) = (path(train)?, path(test)?, path("csic2010_anomalous")?)
    {
        let Novelty { recall: [five, one, tenth], collisions } =
            novelty::measure(&train, &test, &odd, tamiz)?;
        println!(
            "| CSIC, unseen at the endpoint and rarest, recall at 5 / 1 / 0.1 % | \
             {five:.1} / {one:.1} / {tenth:.1} | ≥ 99.3 / 99.0 / 98.5 | ≥ 99.8 / 99.6 / 99.4 |"
        );
        println!("| CSIC, attacks with the tokens of a valid request | {collisions:.2} | ≤ 0.6 | ≤ 0.1 |");
    }
    Ok(())
}

fn path(file: &str) -> Result<Option<PathBuf>> {
    let name = format!("{file}.jsonl.gz");
    let files = corpus::files()?.unwrap_or_default();
    Ok(files.into_iter().find(|path| path.file_name().is_some_and(|other| *other == *name)))
}

impl Target {
    /// The share over all its files, which are counted.
    fn share(&self, all: &[Counted]) -> Option<f64> {
        let of = |file: &&str| -> Option<&Tally> {
            let is_it = |counted: &&Counted| counted.file == **file && counted.label == self.label;
            all.iter().find(is_it).map(|counted| &counted.tally)
        };
        let tallies: Vec<&Tally> = self.files.iter().map(of).collect::<Option<_>>()?;
        let told = tallies.iter().map(|tally| tally.told).sum();
        Some(percent(told, tallies.iter().map(|tally| tally.requests).sum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_pooled() {
        let counted = |file: &str, told, requests| Counted {
            file: file.to_owned(),
            label: "valid".to_owned(),
            tally: Tally { told, requests, ..Tally::default() },
        };
        let target = target("x", &["a", "b"], "valid", 1.0, 1.0);
        let all = [counted("a", 1, 10), counted("b", 2, 20), counted("c", 9, 9)];
        assert_eq!(target.share(&all), Some(10.0));
        assert_eq!(target.share(&all[..1]), None);
    }
}
