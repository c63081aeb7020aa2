//! Counters. Their labels are names of this crate and of the flag registry: nothing that a client sends is one.

use std::sync::LazyLock;
use std::time::Duration;

use memchr::{memchr, memmem};
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use tamiz::{Flag, Source};
use tamiz_detector::Score;

use crate::problem::Problem;
use crate::sink::Counters;

/// The type of what [`Metrics::text`] gives.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The upper ends of the buckets of times, in seconds.
const TIMES: [f64; 12] = [50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 50e-3, 250e-3, 1.0, 5.0];

/// P-values are counted by the first of these that they do not exceed.
const P_VALUES: [(f64, &str); 5] =
    [(0.0001, "0.0001"), (0.001, "0.001"), (0.01, "0.01"), (0.05, "0.05"), (1.0, "1")];

/// The route that answered, or `other`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    route: &'static str,
    status: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfRoute {
    route: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfFlag {
    flag: &'static str,
}

/// The verdict that a proxy got.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfCheck {
    source: &'static str,
    denied: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfScore {
    p_at_most: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfReason {
    reason: &'static str,
}

/// All there are.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    times: Family<OfRoute, Histogram, fn() -> Histogram>,
    documents: Counter,
    /// By id: flags are counted with each document, and need no look-up.
    flags: Vec<Counter>,
    rejections: Family<OfReason, Counter>,
    checks: Family<OfCheck, Counter>,
    scores: Family<OfScore, Counter>,
    /// The requests of the model that is in use.
    pub(crate) model_requests: Gauge,
    /// Counters of the sink.
    pub(crate) sink: Counters,
    /// Open connections.
    pub(crate) connections: Gauge,
    /// Bytes that came over connections.
    pub(crate) received: Counter,
    /// Bytes that went over them.
    pub(crate) sent: Counter,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let flags = Family::<OfFlag, Counter>::default();
        let times: fn() -> Histogram = || Histogram::new(TIMES);
        let mut metrics = Metrics {
            registry: Registry::with_prefix("tamiz"),
            requests: Family::default(),
            times: Family::new_with_constructor(times),
            documents: Counter::default(),
            flags: Flag::ALL
                .iter()
                .map(|flag| flags.get_or_create_owned(&OfFlag { flag: flag.name() }))
                .collect(),
            rejections: Family::default(),
            checks: Family::default(),
            scores: Family::default(),
            model_requests: Gauge::default(),
            sink: Counters::default(),
            connections: Gauge::default(),
            received: Counter::default(),
            sent: Counter::default(),
        };
        for problem in Problem::ALL {
            metrics.rejections.get_or_create_owned(&OfReason { reason: problem.code() });
        }
        for (_, p_at_most) in P_VALUES {
            metrics.scores.get_or_create_owned(&OfScore { p_at_most });
        }
        let registry = &mut metrics.registry;
        registry.register("requests", "Requests answered, by route and status", metrics.requests.clone());
        registry.register_with_unit(
            "request_duration",
            "From the head of a request to that of its answer",
            Unit::Seconds,
            metrics.times.clone(),
        );
        registry.register("documents", "Documents made", metrics.documents.clone());
        registry.register("flags", "Documents that raise a flag, by its name", flags);
        registry.register("rejections", "What was refused, by reason", metrics.rejections.clone());
        registry.register("checks", "Requests that proxies asked about, by source", metrics.checks.clone());
        registry.register("scores", "Requests scored against a model, by p-value", metrics.scores.clone());
        registry.register(
            "model_requests",
            "Requests that the model in use has learned",
            metrics.model_requests.clone(),
        );
        let Counters { written, dropped } = metrics.sink.clone();
        registry.register("sink_documents", "Documents that the sink has taken", written);
        registry.register("sink_dropped", "Documents that it has not", dropped);
        registry.register("connections", "Connections that are open", metrics.connections.clone());
        registry.register_with_unit(
            "received",
            "Bytes that came over connections",
            Unit::Bytes,
            metrics.received.clone(),
        );
        registry.register_with_unit(
            "sent",
            "Bytes that went over connections",
            Unit::Bytes,
            metrics.sent.clone(),
        );
        metrics
    }

    /// Counts an answer.
    pub(crate) fn answered(&self, route: &'static str, status: u16, time: Duration) {
        self.requests.get_or_create(&Answered { route, status: status.into() }).inc();
        self.times.get_or_create(&OfRoute { route }).observe(time.as_secs_f64());
    }

    /// Counts something that was refused.
    pub(crate) fn rejected(&self, problem: Problem) {
        self.rejections.get_or_create(&OfReason { reason: problem.code() }).inc();
    }

    /// Counts what a proxy was told.
    pub(crate) fn checked(&self, source: Source, is_denied: bool) {
        let denied = if is_denied { "yes" } else { "no" };
        self.checks.get_or_create(&OfCheck { source: source.as_str(), denied }).inc();
    }

    /// Counts a score that has a p-value.
    pub(crate) fn scored(&self, score: &Score) {
        let Some(p_value) = score.p_value() else { return };
        let at_most = P_VALUES.iter().find(|(at_most, _)| p_value <= *at_most);
        if let Some((_, p_at_most)) = at_most {
            self.scores.get_or_create(&OfScore { p_at_most }).inc();
        }
    }

    /// Counts a document, and the flags of its roll-up: each once, however many parameters it has there.
    pub(crate) fn document(&self, text: &[u8]) {
        self.documents.inc();
        let mut last = None;
        for flag in rolled_up(text) {
            // Items are sorted: those of one flag follow each other.
            if last.replace(flag) != Some(flag)
                && let Some(counter) = self.flags.get(usize::from(flag.id()))
            {
                counter.inc();
            }
        }
    }

    /// All counters as OpenMetrics text.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        // Writing to memory does not fail.
        let _ = text::encode(&mut out, &self.registry);
        out
    }
}

/// The flags of the `FLAGS` line, which lists each once for each of its parameters.
fn rolled_up(text: &[u8]) -> impl Iterator<Item = Flag> {
    rolled_up_items(text).filter_map(|flag| Flag::from_name(flag.split(':').next()?))
}

/// The items of the `FLAGS` line: flags with what follows their colons.
pub(crate) fn rolled_up_items(text: &[u8]) -> impl Iterator<Item = &str> {
    // Only a line end of the document begins a line: those of the request are escaped.
    const START: &[u8] = b"\nFLAGS:[";
    static FINDER: LazyLock<memmem::Finder<'_>> = LazyLock::new(|| memmem::Finder::new(START));
    let list = FINDER.find(text).and_then(|at| {
        let rest = text.get(at.checked_add(START.len())?..)?;
        rest.get(..memchr(b'\n', rest)?)?.strip_suffix(b"]")
    });
    let list = str::from_utf8(list.unwrap_or_default()).unwrap_or_default();
    list.split(' ').filter(|item| !item.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamiz::{Canonicalizer, Config};

    #[test]
    fn the_roll_up_is_what_the_document_raises() {
        let tamiz = Canonicalizer::new(Config::default());
        for &flag in Flag::ALL {
            let document = tamiz.canonicalize(flag.raises());
            let mut raised: Vec<&str> = document.flags().map(|raised| raised.flag().name()).collect();
            raised.sort();
            raised.dedup();
            let mut counted: Vec<&str> = rolled_up(document.as_str().as_bytes()).map(Flag::name).collect();
            counted.dedup();
            assert_eq!(counted, raised, "{document}");
        }
    }

    #[test]
    fn everything_is_told_in_names_of_ours() {
        let metrics = Metrics::new();
        metrics.document(b"M:GET\nFLAGS:[COOKIE:2 DOTDOT KW:file KW:sql]\n");
        metrics.answered("/v1/canonicalize", 200, Duration::from_micros(70));
        metrics.rejected(Problem::TooLarge);
        let text = metrics.text();
        for line in [
            "tamiz_documents_total 1",
            "tamiz_flags_total{flag=\"DOTDOT\"} 1",
            "tamiz_flags_total{flag=\"COOKIE\"} 1",
            "tamiz_flags_total{flag=\"KW\"} 1",
            "tamiz_flags_total{flag=\"ANGLE\"} 0",
            "tamiz_requests_total{route=\"/v1/canonicalize\",status=\"200\"} 1",
            "tamiz_request_duration_seconds_count{route=\"/v1/canonicalize\"} 1",
            "tamiz_rejections_total{reason=\"too-large\"} 1",
            "tamiz_received_bytes_total 0",
        ] {
            assert!(text.lines().any(|there| there == line), "{line}\n{text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }
}
