//! Which labels are shown, in what order, and which of them the others are compared with.

use crate::count::labels::Label;
use crate::count::tally::Tally;
use crate::ratio::Ratio;
use crate::summary::Summary;

/// The most labels that are shown side by side.
pub(crate) const MOST_SERIES: usize = 4;

/// Labels that ordinary traffic has, the likeliest first.
const ORDINARY: [&str; 12] =
    ["valid", "normal", "benign", "legitimate", "legit", "good", "clean", "ok", "norm", "ham", "0", "false"];

/// One label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Series {
    /// Its number in tallies.
    pub(crate) label: usize,
    /// Its name, as shown.
    pub(crate) name: String,
    /// How many requests have it.
    pub(crate) requests: u64,
}

/// The labels that are shown; the first is the one that the others are compared with.
#[derive(Clone, Debug)]
pub(crate) struct AllSeries {
    pub(crate) shown: Vec<Series>,
    /// How many labels are not.
    pub(crate) left_out: usize,
}

impl AllSeries {
    /// Chooses: the baseline, then those with the most requests.
    pub(crate) fn of(summary: &Summary, baseline: Option<&str>) -> Self {
        let mut all: Vec<Series> = (0..summary.labels.len())
            .map(|label| Series {
                label,
                name: summary.labels.get(label).shown().into_owned(),
                requests: summary.requests.get(label),
            })
            .filter(|series| series.requests > 0)
            .collect();
        all.sort_by_key(|series| std::cmp::Reverse(series.requests));
        let by_name = |name: &str| all.iter().position(|series| series.name.eq_ignore_ascii_case(name));
        let chosen = match baseline {
            Some(name) => all.iter().position(|series| series.name == name),
            None => ORDINARY.iter().find_map(|name| by_name(name)),
        };
        if let Some(series) = chosen.map(|at| all.remove(at)) {
            all.insert(0, series);
        }
        // Where nothing is labelled, there is nothing to call it but what it is.
        if let [only] = &mut all[..]
            && *summary.labels.get(only.label) == Label::None
        {
            "requests".clone_into(&mut only.name);
        }
        let left_out = all.len().saturating_sub(MOST_SERIES);
        all.truncate(MOST_SERIES);
        AllSeries { shown: all, left_out }
    }

    /// The label that the others are compared with, and these, if there are any.
    pub(crate) fn compared(&self) -> Option<(&Series, &[Series])> {
        self.shown.split_first().filter(|(_, others)| !others.is_empty())
    }

    /// The ratio of each label to the first in a tally.
    pub(crate) fn ratios<'a>(&'a self, tally: &'a Tally) -> impl Iterator<Item = (&'a Series, Ratio)> + 'a {
        self.compared().into_iter().flat_map(move |(base, others)| {
            others.iter().map(move |series| {
                let ratio = Ratio {
                    count: tally.get(series.label),
                    of: series.requests,
                    base_count: tally.get(base.label),
                    base_of: base.requests,
                };
                (series, ratio)
            })
        })
    }

    /// How much a tally differs between labels for sure; where there is but one, how often it is there.
    pub(crate) fn score(&self, tally: &Tally) -> f64 {
        match self.compared() {
            Some(_) => self.ratios(tally).map(|(_, ratio)| ratio.score()).fold(f64::NEG_INFINITY, f64::max),
            None => tally.total() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::about::Item;

    fn summary(labels: &[(&str, usize)]) -> Summary {
        let mut summary = Summary::default();
        for (label, times) in labels {
            for _ in 0..*times {
                let text = "M:GET\nP:/ PLEN:1@0-15 PMAX:0@0-15\nHCNT:0 HLEN:0@0-15\n";
                summary.add(&Item { label: Some(label), ..Item::new(text) });
            }
        }
        summary
    }

    fn names(summary: &Summary, baseline: Option<&str>) -> Vec<String> {
        AllSeries::of(summary, baseline).shown.into_iter().map(|series| series.name).collect()
    }

    #[test]
    fn ordinary_traffic_comes_first_then_the_most() {
        let labels = summary(&[("xss", 3), ("sqli", 5), ("Normal", 1), ("rce", 2), ("lfi", 1)]);
        assert_eq!(names(&labels, None), ["Normal", "sqli", "xss", "rce"]);
        assert_eq!(names(&labels, Some("rce")), ["rce", "sqli", "xss", "Normal"]);
        assert_eq!(AllSeries::of(&labels, None).left_out, 1);
        assert_eq!(names(&summary(&[("a", 1), ("b", 2)]), None), ["b", "a"]);
        assert!(AllSeries::of(&summary(&[("a", 1)]), None).compared().is_none());
    }
}
