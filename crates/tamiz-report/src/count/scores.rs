//! Scores against a model: how many requests are how unusual, at which endpoints something is new, and the highest.

use tamiz_detector::{Explanation, Score};

use super::counter::{Beside, Counter};
use super::tally::Tally;

/// How many endpoints are told apart.
pub(crate) const MOST_ENDPOINTS: usize = 4_000;
/// How many of the highest scores are kept.
const MOST_HIGHEST: usize = 25;

/// How unusual a request is: the share of learned requests that score as high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Usual,
    InTwenty,
    InHundred,
    InThousand,
}

impl Level {
    pub(crate) const ALL: [Level; 4] = [Level::Usual, Level::InTwenty, Level::InHundred, Level::InThousand];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Level::Usual => "usual",
            Level::InTwenty => "p ≤ 5 %",
            Level::InHundred => "p ≤ 1 %",
            Level::InThousand => "p ≤ 0.1 %",
        }
    }

    /// The level of a score; one without a p-value is usual.
    fn of(score: &Score) -> Self {
        match score.p_value().unwrap_or(1.0) {
            p if p <= 0.001 => Level::InThousand,
            p if p <= 0.01 => Level::InHundred,
            p if p <= 0.05 => Level::InTwenty,
            _ => Level::Usual,
        }
    }
}

/// A score, and where the request is from.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Scored<'a> {
    /// The score, its reasons and its endpoint.
    pub explained: &'a Explanation,
    /// The file of the request, and where in it.
    pub place: &'a str,
}

impl<'a> Scored<'a> {
    /// The score of a request at some place.
    pub fn new(explained: &'a Explanation, place: &'a str) -> Self {
        Scored { explained, place }
    }
}

/// New tokens at an endpoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct New {
    /// Requests that have a token that was never seen there.
    pub(crate) with_new: u64,
    /// Requests with a p-value of 1 % or less.
    pub(crate) high: u64,
    /// True if no request to it was learned.
    pub(crate) is_unknown: bool,
    /// The first reason of the highest score.
    pub(crate) reason: Option<(f64, String)>,
}

impl Beside for New {
    fn absorb(&mut self, other: Self, _: &[usize]) {
        self.with_new += other.with_new;
        self.high += other.high;
        self.is_unknown |= other.is_unknown;
        let score = |reason: &Option<(f64, String)>| reason.as_ref().map_or(-1.0, |(score, _)| *score);
        if score(&other.reason) > score(&self.reason) {
            self.reason = other.reason;
        }
    }
}

/// Requests that score alike, for the same reasons.
#[derive(Clone, Debug)]
pub(crate) struct High {
    pub(crate) score: f64,
    pub(crate) p_value: Option<f64>,
    pub(crate) endpoint: String,
    pub(crate) reasons: Vec<String>,
    /// How many there are, and with which labels.
    pub(crate) tally: Tally,
    /// Where the first of them is, and its document.
    pub(crate) place: String,
    pub(crate) example: String,
}

impl High {
    fn is_like(&self, other: &High) -> bool {
        self.endpoint == other.endpoint && self.reasons == other.reasons
    }
}

/// Counts of scores.
#[derive(Clone, Debug)]
pub(crate) struct Scores {
    /// Requests of each level, by label.
    pub(crate) levels: [Tally; Level::ALL.len()],
    /// Requests that have a token that was never seen at their endpoint.
    pub(crate) with_new: Tally,
    pub(crate) endpoints: Counter<String, New>,
    /// The highest first; of equal ones, those that came first.
    pub(crate) highest: Vec<High>,
}

impl Default for Scores {
    fn default() -> Self {
        Scores {
            levels: Default::default(),
            with_new: Tally::default(),
            endpoints: Counter::new(MOST_ENDPOINTS),
            highest: Vec::new(),
        }
    }
}

impl Scores {
    /// Counts a score, and tells its level; `example` is what is kept of the document.
    pub(crate) fn add(
        &mut self,
        scored: &Scored<'_>,
        label: usize,
        example: impl FnOnce() -> String,
    ) -> Level {
        let Scored { explained, place } = *scored;
        let (score, endpoint) = (explained.score(), explained.endpoint());
        let level = Level::of(score);
        if let Some(tally) = self.levels.get_mut(level as usize) {
            tally.add(label, 1);
        }
        let has_new = u64::from(score.new_tokens() > 0);
        self.with_new.add(label, has_new);
        let first = explained.reasons().first().map(|reason| (score.value(), reason.to_string()));
        let new = New {
            with_new: has_new,
            high: u64::from(level >= Level::InHundred),
            is_unknown: !score.learned_endpoint(),
            reason: first,
        };
        self.endpoints.add(endpoint, label).absorb(new, &[]);
        if score.value() > 0.0 && self.has_room(score.value()) {
            let mut tally = Tally::default();
            tally.add(label, 1);
            self.insert(High {
                score: score.value(),
                p_value: score.p_value(),
                endpoint: endpoint.to_owned(),
                reasons: explained.reasons().iter().map(ToString::to_string).collect(),
                tally,
                place: place.to_owned(),
                example: example(),
            });
        }
        level
    }

    /// Adds what a part counted.
    pub(crate) fn absorb(&mut self, part: Self, map: &[usize]) {
        for (mine, theirs) in self.levels.iter_mut().zip(&part.levels) {
            mine.absorb(theirs, map);
        }
        self.with_new.absorb(&part.with_new, map);
        self.endpoints.absorb(part.endpoints, map);
        for high in part.highest {
            let mut tally = Tally::default();
            tally.absorb(&high.tally, map);
            self.insert(High { tally, ..high });
        }
    }

    /// Returns whether a score is among the highest that are kept. One that was let go never comes back, so that what
    /// is kept is counted whole.
    fn has_room(&self, score: f64) -> bool {
        self.highest.len() < MOST_HIGHEST || self.highest.last().is_some_and(|last| score >= last.score)
    }

    fn insert(&mut self, high: High) {
        let from = self.highest.partition_point(|known| known.score > high.score);
        let to = self.highest.partition_point(|known| known.score >= high.score);
        let equals = self.highest.get_mut(from..to).unwrap_or_default();
        if let Some(known) = equals.iter_mut().find(|known| known.is_like(&high)) {
            known.tally.merge(&high.tally);
        } else if to < MOST_HIGHEST {
            self.highest.insert(to, high);
            self.highest.truncate(MOST_HIGHEST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamiz::{Canonicalizer, Config};
    use tamiz_detector::{Detector, Model};

    fn detector(tamiz: &Canonicalizer) -> Detector {
        let mut model = Model::new(tamiz.fingerprint()).unwrap();
        for n in 0..200 {
            let request = format!("GET /item?id={n} HTTP/1.1\r\nHost: ex.com\r\n\r\n");
            model.learn(&tamiz.canonicalize(request.as_bytes())).unwrap();
        }
        Detector::new(model)
    }

    fn scores(tamiz: &Canonicalizer, values: &[String]) -> Vec<Explanation> {
        let detector = detector(tamiz);
        let request = |value: &String| format!("GET /item?id={value} HTTP/1.1\r\nHost: ex.com\r\n\r\n");
        values.iter().map(|v| detector.explain(&tamiz.canonicalize(request(v).as_bytes())).unwrap()).collect()
    }

    #[test]
    fn how_scores_are_cut_into_parts_changes_nothing() {
        let tamiz = Canonicalizer::new(Config::default());
        // More odd values than are kept, some of them again and again.
        let odd = ["'", "%3C", "..%2f", "%00", "a'b", "1%20or%201", "%7Bx", "$(a)", "é", "%u0041"];
        let value = |n: usize| format!("{}{}{}", odd[n % 10].repeat(n % 9), odd[n / 10 % 10], n % 7);
        let values: Vec<String> = (0..400).map(value).collect();
        let scores = scores(&tamiz, &values);
        let whole = |size: usize| {
            let mut whole = Scores::default();
            let mut at = 0;
            for chunk in scores.chunks(size) {
                let mut part = Scores::default();
                for score in chunk {
                    let place = format!("line {at}");
                    part.add(&Scored::new(score, &place), at % 2, || place.clone());
                    at += 1;
                }
                whole.absorb(part, &[0, 1]);
            }
            whole
        };
        let one = whole(400);
        assert_eq!(format!("{one:?}"), format!("{:?}", whole(7)));
        assert_eq!(one.levels.iter().map(Tally::total).sum::<u64>(), 400);
        assert_eq!(one.highest.len(), MOST_HIGHEST);
        assert!(one.highest.is_sorted_by(|a, b| a.score >= b.score));
        assert!(one.highest.iter().any(|high| high.tally.total() > 1), "requests alike are told once");
        let new = &one.endpoints.get(&"GET /item".to_owned()).unwrap().beside;
        assert!(new.with_new > 100 && !new.is_unknown && new.reason.is_some());
    }

    #[test]
    fn levels_are_those_of_p_values() {
        let tamiz = Canonicalizer::new(Config::default());
        let scores = scores(&tamiz, &["7".to_owned(), "7'+or+sleep(9)--".to_owned()]);
        assert_eq!(Level::of(scores[0].score()), Level::Usual);
        // The least p-value of two hundred requests is about 0.5 %.
        assert_eq!(Level::of(scores[1].score()), Level::InHundred);
    }
}
