//! Scores requests against a model, or against the prior alone.

mod cache;
mod record;
mod scorer;
mod sum;
mod weigh;
mod weights;

use std::collections::BTreeMap;
use std::sync::Arc;

use tamiz::Document;

use crate::calibrate::{Calibration, Threshold};
use crate::error::Error;
use crate::log::{ONE, log2, log2_1p};
use crate::model::Model;
use crate::novelty::{Counts, Kinds, Seen};
use crate::observation::Observation;
use crate::prior::Prior;
use crate::reason::{Reason, Why};
use crate::score::{Explanation, Score};
use crate::stream::{Stream, random};
use crate::table::Map;
use crate::token::{self, Parts};
use cache::Cache;
use record::Records;
use scorer::Scorer;
use sum::{Parted, Sum};
use weigh::{FlagRate, Item, flag_key};
use weights::{HashTable, WeightTable};

/// The scale of novelty is at least this, in bits of fixed point: 1.44.
const LEAST_SCALE: i64 = 94_548;
/// The share of the sample whose novelty exceeds the scale.
const SCALE_SHARE: f64 = 0.01;
/// Flags weigh so many sixteenths.
const FLAG_SIXTEENTHS: i64 = 4;
/// The smaller of novelty and flags counts this fraction, to order requests that are equal in the other.
const SMALLER_OF: i64 = 1024;
/// The p-value that is counted by endpoint.
const HIGH: f64 = 0.05;
/// How many reasons are told.
const REASONS: usize = 5;

/// Scores requests.
#[derive(Debug)]
pub struct Detector {
    model: Option<Model>,
    prior: Prior,
    whole: Counts,
    /// Sorted by name.
    endpoints: Vec<Learned>,
    kinds: Kinds,
    /// The weight of every learned token.
    weights: WeightTable,
    /// Every learned token, and every family, to weigh them where they are new.
    records: Records,
    /// The rates of the flags of the prior.
    flag_rates: HashTable<FlagRate>,
    /// The places of endpoints among those that were learned, by the hash of their names.
    by_name: Map<u64, u32>,
    cache: Cache,
    /// Where hashes begin: nobody can look for two texts that have the same.
    seed: u64,
    /// How often each flag was raised at each kind of place.
    flags: Map<u64, u64>,
    /// The logarithm of one more than the places that a request has, on average.
    usual_places: i64,
    scale: i64,
    calibration: Calibration,
    /// The share of the sample with a token that is new, in requests.
    with_new: u64,
    /// By endpoint, how many requests of the sample there are, and how many with a p-value of [`HIGH`] at most.
    high: BTreeMap<String, (u64, u64)>,
}

/// An endpoint that was learned.
#[derive(Debug)]
struct Learned {
    name: Arc<str>,
    /// The seed of the hashes of its tokens.
    hash: u64,
    counts: Counts,
}

impl Detector {
    /// Makes a model ready, with the prior that is shipped.
    pub fn new(model: Model) -> Self {
        Detector::with_prior(model, Prior::shipped().clone())
    }

    /// A detector that has learned nothing: the prior alone scores.
    pub fn without_model() -> Self {
        Detector::from_prior(Prior::shipped().clone())
    }

    /// The same with another prior.
    pub fn from_prior(prior: Prior) -> Self {
        let mut detector = Detector::unready(prior);
        detector.rate_flags();
        detector
    }

    fn unready(prior: Prior) -> Self {
        Detector {
            model: None,
            prior,
            whole: Counts::default(),
            endpoints: Vec::new(),
            kinds: Kinds::default(),
            weights: WeightTable::default(),
            records: Records::default(),
            flag_rates: HashTable::default(),
            by_name: Map::default(),
            cache: Cache::new(),
            seed: random(),
            flags: Map::default(),
            usual_places: 0,
            scale: LEAST_SCALE,
            calibration: Calibration::default(),
            with_new: 0,
            high: BTreeMap::new(),
        }
    }

    /// Makes a model ready, with another prior.
    pub fn with_prior(model: Model, prior: Prior) -> Self {
        let mut detector = Detector::unready(prior);
        detector.whole = Counts::of(&model.whole, model.requests, &model);
        detector.kinds = Kinds::of(&detector.whole, &model);
        for (name, endpoint) in &model.endpoints {
            let counts = Counts::of(&endpoint.table, endpoint.requests, &model);
            let (hash, _) = Stream::of(detector.seed, name).finish();
            detector.by_name.insert(hash, detector.endpoints.len() as u32);
            detector.endpoints.push(Learned { name: name.as_str().into(), hash, counts });
        }
        let mut places = 0_u64;
        for (id, count) in model.whole.sorted() {
            let token = model.names.name(id);
            if let Some((kind, flag)) = token::flag(token) {
                *detector.flags.entry(flag_key(kind, flag)).or_default() += count;
            } else if Parts::of(token).op == b'.' {
                places = places.saturating_add(count);
            }
        }
        // A table that let tokens go has kept one in two to the power of its level.
        let places = places.saturating_mul(1 << model.whole.level.min(20));
        detector.usual_places = log2(places.saturating_add(model.requests)) - log2(model.requests);
        detector.model = Some(model);
        detector.rate_flags();
        detector.calibrate();
        detector.weigh_learned();
        detector
    }

    /// Scores the sample, with each request taken out of the counts.
    fn calibrate(&mut self) {
        let Some(model) = &self.model else { return };
        let parted: Vec<(Parted, u64)> = model
            .sample
            .values()
            .map(|sampled| {
                let tokens: Vec<&str> = sampled.tokens.iter().map(|id| model.names.name(*id)).collect();
                (self.without_one(&sampled.endpoint, &tokens), sampled.count)
            })
            .collect();
        let novelty =
            Calibration::of(parted.iter().map(|(parted, count)| (parted.novelty, *count)).collect());
        self.scale = novelty.quantile(SCALE_SHARE).max(LEAST_SCALE);
        let scores: Vec<(i64, u64)> =
            parted.iter().map(|(parted, count)| (self.combined(parted), *count)).collect();
        self.with_new = parted.iter().filter(|(parted, _)| parted.new > 0).map(|(_, count)| count).sum();
        self.calibration = Calibration::of(scores.clone());
        for (sampled, (score, count)) in model.sample.values().zip(scores) {
            let (all, high) = self.high.entry(sampled.endpoint.clone()).or_default();
            *all += count;
            if self.calibration.p_value(score) <= HIGH {
                *high += count;
            }
        }
    }

    /// Scores a document. That costs a fraction of making it; reasons are [explained](Detector::explain).
    ///
    /// # Errors
    /// When the document was read back, is of view `literal`, or of another fingerprint than the model.
    pub fn score(&self, document: &Document) -> Result<Score, Error> {
        self.check(document)?;
        self.score_checked(document)
    }

    /// Scores a document whose fingerprint may be another than the model's: for a caller who knows that its scheme alone is
    /// another, as a proxy says it.
    ///
    /// # Errors
    /// When the document was read back, or is of view `literal`.
    pub fn score_any_fingerprint(&self, document: &Document) -> Result<Score, Error> {
        Observation::check(document)?;
        self.score_checked(document)
    }

    fn score_checked(&self, document: &Document) -> Result<Score, Error> {
        let mut scorer = Scorer::of(self);
        if scorer.read(document) {
            return Ok(scorer.score());
        }
        Ok(self.score_observation(&Observation::of(document)?))
    }

    /// Scores a document, and tells why.
    ///
    /// # Errors
    /// As [`Detector::score`].
    pub fn explain(&self, document: &Document) -> Result<Explanation, Error> {
        self.check(document)?;
        let mut scorer = Scorer::explaining(self);
        if !scorer.read(document) {
            return Ok(self.explain_observation(&Observation::of(document)?));
        }
        let (name, is_learned, loud, sum) = scorer.loud_tokens();
        Ok(self.explain_tokens(name, is_learned, loud.iter().map(String::as_str), sum))
    }

    fn check(&self, document: &Document) -> Result<(), Error> {
        match &self.model {
            Some(model) => model.check(document),
            None => Observation::check(document),
        }
    }

    /// Scores an observation, as [`Detector::score`] scores the document that it is of.
    pub fn score_observation(&self, observation: &Observation) -> Score {
        *self.explain_observation(observation).score()
    }

    /// Scores an observation, and tells why.
    pub fn explain_observation(&self, observation: &Observation) -> Explanation {
        let tokens = observation.tokens.iter().map(String::as_str);
        let is_learned = self.endpoint(&observation.endpoint).is_some();
        self.explain_tokens(observation.endpoint.as_str().into(), is_learned, tokens, Sum::default())
    }

    /// Scores what was summed up already, and these tokens.
    fn explain_tokens<'t>(
        &self,
        name: Arc<str>,
        is_learned: bool,
        tokens: impl ExactSizeIterator<Item = &'t str>,
        mut sum: Sum<'t>,
    ) -> Explanation {
        let endpoint =
            if tokens.len() > 0 { self.endpoint(&name).map(|learned| &learned.counts) } else { None };
        let mut reasons: Vec<(i64, Why, &str, Seen)> = Vec::new();
        for token in tokens {
            let item = Item::of(token);
            let told = self.told(&item, endpoint, None);
            sum.add(&item, told);
            let flag = (Why::Flag { ratio: told.flag }, told.flag);
            for (why, weight) in [(Why::Unusual, told.unusual), flag] {
                if weight > 0 {
                    let at = endpoint.filter(|_| item.parts.family != "e").unwrap_or(&self.whole);
                    reasons.push((weight, why, token, at.seen(&item.key, false)));
                }
            }
        }
        reasons.sort_by(|a, b| b.0.cmp(&a.0).then(a.2.cmp(b.2)));
        reasons.truncate(REASONS);
        let reason = |(bits, why, token, seen): (i64, Why, &str, Seen)| {
            Reason::new(why, token, &name, is_learned, seen, bits)
        };
        let reasons = reasons.into_iter().map(reason).collect();
        let score = self.score_parted(&sum.finish(self.usual_places), is_learned);
        Explanation { score, reasons, endpoint: name }
    }

    fn score_parted(&self, parted: &Parted, learned_endpoint: bool) -> Score {
        let raw = self.combined(parted);
        Score {
            raw,
            p_value: self.model.as_ref().map(|_| self.calibration.p_value(raw)),
            novelty: parted.novelty,
            flags: parted.flags,
            new: parted.new,
            learned_endpoint,
        }
    }

    /// What a learned request comes to where it is taken out of the counts.
    fn without_one(&self, endpoint: &str, tokens: &[&str]) -> Parted {
        let counts = self.endpoint(endpoint).map(|learned| &learned.counts);
        let taken = self.taken(tokens, counts);
        let mut sum = Sum::default();
        for token in tokens {
            let item = Item::of(token);
            sum.add(&item, self.told(&item, counts, taken.get(&item.key.family)));
        }
        sum.finish(self.usual_places)
    }

    fn combined(&self, parted: &Parted) -> i64 {
        let scaled = match parted.novelty.checked_mul(ONE) {
            Some(novelty) => novelty / self.scale,
            None => i64::try_from(i128::from(parted.novelty) * i128::from(ONE) / i128::from(self.scale))
                .unwrap_or(i64::MAX),
        };
        let (novelty, flags) = (log2_1p(scaled), parted.flags.saturating_mul(FLAG_SIXTEENTHS) / 16);
        novelty.max(flags) + novelty.min(flags) / SMALLER_OF
    }

    /// The model, if there is one.
    pub fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    /// The score that no more than `share` of the learned requests exceed.
    pub fn threshold(&self, share: f64) -> Threshold {
        self.calibration.threshold(share)
    }

    /// The score above which a p-value is at most `share`; infinite where no request can have such a p-value.
    pub fn alert_above(&self, share: f64) -> f64 {
        self.calibration.alert_above(share).map_or(f64::INFINITY, |score| score as f64 / ONE as f64)
    }

    /// The share of learned requests to an endpoint whose p-value is at most 0.05: some endpoints vary more than others.
    pub fn share_high(&self, endpoint: &str) -> f64 {
        let (all, high) = self.high.get(endpoint).copied().unwrap_or_default();
        (high + 1) as f64 / (all + 20) as f64
    }

    /// How many requests the thresholds come from.
    pub fn calibrated_on(&self) -> u64 {
        self.calibration.requests()
    }

    /// The least p-value that a score can have: one in the number of requests that the thresholds come from.
    pub fn least_p_value(&self) -> f64 {
        1.0 / (self.calibration.requests() as f64 + 1.0)
    }

    /// The share of the sample that has something new, each request against all others.
    pub fn share_with_new(&self) -> f64 {
        self.with_new as f64 / self.calibration.requests().max(1) as f64
    }
}
