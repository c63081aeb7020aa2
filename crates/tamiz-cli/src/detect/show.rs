//! Prints models and scores, as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};
use tamiz_detector::{Detector, Explanation, Score};
use tamiz_explain::visible::harmless;

/// The shares of false positives for which thresholds are told.
pub(crate) const SHARES: [f64; 3] = [0.05, 0.01, 0.001];
/// Above this share of requests with something new, more has to be learned.
const MUCH_IS_NEW: f64 = 0.2;

/// Tells what was learned, and whether it was enough.
pub(crate) fn learned(out: &mut dyn Write, detector: &Detector) -> io::Result<()> {
    let Some(model) = detector.model() else { return Ok(()) };
    let sources: Vec<String> =
        model.sources().iter().map(|(source, count)| format!("{count} {source}")).collect();
    writeln!(out, "requests    {} ({})", model.requests(), sources.join(", "))?;
    writeln!(out, "endpoints   {}", model.endpoints().count())?;
    writeln!(out, "tokens      {}", model.tokens())?;
    if let (tokens @ 1.., _) | (tokens, 1..) = model.let_go() {
        writeln!(out, "let go      tokens {tokens} times, {} requests by endpoint", model.let_go().1)?;
    }
    let new = detector.share_with_new();
    writeln!(out, "new         {:.1} % of a sample have something that no other request has", 100.0 * new)?;
    for share in SHARES {
        let threshold = detector.threshold(share);
        let (low, high) = threshold.between;
        writeln!(
            out,
            "threshold   {:.2} for {} % false positives ({low:.2} to {high:.2})",
            threshold.score,
            100.0 * share
        )?;
    }
    let sample = detector.calibrated_on();
    if new > MUCH_IS_NEW {
        writeln!(out, "enough?     no: {:.0} % of what comes is still new; learn more", 100.0 * new)?;
    } else if sample < 1000 {
        writeln!(out, "enough?     thresholds come from {sample} requests: for 0.1 % learn 5,000 and more")?;
    } else {
        writeln!(out, "enough?     yes")?;
    }
    Ok(())
}

/// The facts about a model as JSON.
pub(crate) fn learned_json(detector: &Detector) -> Value {
    let Some(model) = detector.model() else { return Value::Null };
    let thresholds: Vec<Value> = SHARES
        .iter()
        .map(|share| {
            let threshold = detector.threshold(*share);
            json!({"fpr": share, "score": threshold.score, "low": threshold.between.0, "high": threshold.between.1})
        })
        .collect();
    let endpoints: Vec<Value> = model
        .endpoints()
        .map(|(endpoint, requests, tokens)| json!({"endpoint": endpoint, "requests": requests, "tokens": tokens}))
        .collect();
    let (tokens, requests) = model.let_go();
    json!({
        "fingerprint": model.fingerprint(),
        "requests": model.requests(),
        "sources": model.sources(),
        "tokens": model.tokens(),
        "let_go": {"tokens": tokens, "requests": requests},
        "share_with_new": detector.share_with_new(),
        "sample": detector.calibrated_on(),
        "thresholds": thresholds,
        "endpoints": endpoints,
    })
}

/// Tells a score and why, behind an explanation.
pub(crate) fn explained(out: &mut dyn Write, explained: &Explanation) -> io::Result<()> {
    writeln!(out, "\n{}", headline(explained.score()))?;
    for (reason, nth) in explained.reasons().iter().zip(1..) {
        writeln!(out, "  {}  {:>5.1}  {}", number(nth), reason.bits(), harmless(&reason.to_string()))?;
    }
    Ok(())
}

/// The name of a reason under the bytes that it is about.
pub(crate) fn number(nth: usize) -> String {
    format!("#{nth}")
}

/// `score 4.21, p 0.0002`.
pub(crate) fn headline(score: &Score) -> String {
    match score.p_value() {
        Some(p) => format!("score {:.2}, p {p:.5}", score.value()),
        None => format!("score {:.2}, nothing learned", score.value()),
    }
}

/// The reasons of a score, a line each.
pub(crate) fn reasons(out: &mut dyn Write, explained: &Explanation) -> io::Result<()> {
    for reason in explained.reasons() {
        writeln!(out, "    {:>5.1}  {}", reason.bits(), harmless(&reason.to_string()))?;
    }
    Ok(())
}
