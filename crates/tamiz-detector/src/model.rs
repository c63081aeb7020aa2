//! The model: what is counted.

use std::collections::BTreeMap;

use tamiz::{Document, FORM_VERSION, Fingerprint, Source};

use crate::error::Error;
use crate::hash::hash;
use crate::lines::Lines;
use crate::names::{Names, Translation};
use crate::observation::Observation;
use crate::table::{Table, scaled, survives};

/// How much a model may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounds {
    /// The most endpoints.
    pub endpoints: usize,
    /// The most tokens of an endpoint.
    pub endpoint_tokens: usize,
    /// The most tokens over all endpoints.
    pub tokens: usize,
    /// The most token sets of the sample.
    pub sample: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { endpoints: 8192, endpoint_tokens: 1024, tokens: 1 << 17, sample: 4096 }
    }
}

/// A model whose counts are taken out keeps so many tokens, to learn others faster.
const MOST_NAMES_KEPT: u32 = 1 << 17;

/// Counts of tokens, by endpoint and over all, and a sample of requests to calibrate with.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) fingerprint: String,
    pub(crate) form: u32,
    pub(crate) bounds: Bounds,
    pub(crate) sources: BTreeMap<String, u64>,
    pub(crate) requests: u64,
    pub(crate) names: Names,
    pub(crate) whole: Table,
    pub(crate) endpoints: BTreeMap<String, Endpoint>,
    pub(crate) endpoint_level: u8,
    /// Requests to endpoints that were let go.
    pub(crate) elsewhere: u64,
    pub(crate) sample: BTreeMap<u64, Sampled>,
    /// Lines that were learned, to learn them faster when they come again.
    pub(crate) lines: Lines,
}

/// The counts of an endpoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct Endpoint {
    pub(crate) requests: u64,
    pub(crate) table: Table,
}

/// A token set of the sample, and how many requests had it.
#[derive(Clone, Debug)]
pub(crate) struct Sampled {
    pub(crate) endpoint: String,
    pub(crate) tokens: Vec<u32>,
    pub(crate) count: u64,
}

impl Model {
    /// A model without requests, for documents of this fingerprint, whoever handed the requests over.
    ///
    /// # Errors
    /// When the view is `literal`.
    pub fn new(fingerprint: &Fingerprint) -> Result<Self, Error> {
        Model::with_bounds(fingerprint, Bounds::default())
    }

    /// Makes an empty model with other bounds.
    ///
    /// # Errors
    /// When the view is `literal`.
    pub fn with_bounds(fingerprint: &Fingerprint, bounds: Bounds) -> Result<Self, Error> {
        if fingerprint.components().iter().any(|(name, value)| *name == "view" && value == "literal") {
            return Err(Error::Literal);
        }
        let fingerprint = fingerprint.with_source(Source::Wire).to_string();
        Ok(Model::empty(fingerprint, FORM_VERSION, bounds))
    }

    /// A model without requests, of the same fingerprint and bounds.
    #[must_use]
    pub fn clone_empty(&self) -> Self {
        Model::empty(self.fingerprint.clone(), self.form, self.bounds)
    }

    pub(crate) fn empty(fingerprint: String, form: u32, bounds: Bounds) -> Self {
        Model {
            fingerprint,
            form,
            bounds,
            sources: BTreeMap::new(),
            requests: 0,
            names: Names::default(),
            whole: Table::default(),
            endpoints: BTreeMap::new(),
            endpoint_level: 0,
            elsewhere: 0,
            sample: BTreeMap::new(),
            lines: Lines::default(),
        }
    }

    /// Counts a request.
    ///
    /// # Errors
    /// When the document was read back, is of view `literal` or of another fingerprint.
    pub fn learn(&mut self, document: &Document) -> Result<(), Error> {
        self.check(document)?;
        let source = document.source().unwrap_or(Source::Wire);
        match self.lines.read(document, &mut self.names) {
            Some((endpoint, tokens)) => self.count(&endpoint, tokens, source, 1),
            None => self.add(&Observation::of(document)?, 1),
        }
        Ok(())
    }

    /// Takes a false alarm in: its tokens count as if one in ten requests of the endpoint had them.
    ///
    /// # Errors
    /// As [`Model::learn`].
    pub fn accept(&mut self, document: &Document) -> Result<(), Error> {
        self.check(document)?;
        let observation = Observation::of(document)?;
        let seen = self.endpoints.get(&observation.endpoint).map_or(0, |endpoint| endpoint.requests);
        self.add(&observation, (seen / 10).max(20));
        Ok(())
    }

    /// Makes sure that a document is of the model's fingerprint.
    pub(crate) fn check(&self, document: &Document) -> Result<(), Error> {
        self.check_fingerprint(document.fingerprint().ok_or(Error::ReadBack)?)
    }

    /// Makes sure that documents of this fingerprint can be learned and scored, whoever handed the requests over.
    ///
    /// # Errors
    /// Names both fingerprints.
    pub fn check_fingerprint(&self, fingerprint: &Fingerprint) -> Result<(), Error> {
        if fingerprint.as_str() == self.fingerprint {
            return Ok(());
        }
        let other = fingerprint.with_source(Source::Wire);
        if other.as_str() == self.fingerprint {
            return Ok(());
        }
        Err(Error::Fingerprint { model: self.fingerprint.clone(), other: other.to_string() })
    }

    /// Counts an observation so many times.
    pub fn add(&mut self, observation: &Observation, times: u64) {
        let ids = observation.tokens.iter().map(|token| self.names.id(token)).collect();
        self.count(&observation.endpoint, ids, observation.source, times);
    }

    /// Counts a request with these tokens, each of which is told once, so many times.
    fn count(&mut self, endpoint: &str, mut ids: Vec<u32>, source: Source, times: u64) {
        self.requests = self.requests.saturating_add(times);
        let of_source = self.sources.entry(source.to_string()).or_default();
        *of_source = of_source.saturating_add(times);
        let identity = self.names.sort(&mut ids);
        let names = &self.names;
        let hash_of = |id| names.hash(id);
        for id in &ids {
            self.whole.add(*id, times, self.bounds.tokens, &hash_of);
        }
        if survives(hash(endpoint.as_bytes()), self.endpoint_level) {
            if !self.endpoints.contains_key(endpoint) {
                self.endpoints.insert(endpoint.to_owned(), Endpoint::default());
            }
            if let Some(endpoint) = self.endpoints.get_mut(endpoint) {
                endpoint.requests = endpoint.requests.saturating_add(times);
                if endpoint.table.len() == 0 {
                    endpoint.table.reserve(ids.len(), self.bounds.endpoint_tokens);
                }
                for id in &ids {
                    endpoint.table.add(*id, times, self.bounds.endpoint_tokens, &hash_of);
                }
            }
        } else {
            self.elsewhere = self.elsewhere.saturating_add(times);
        }
        self.add_to_sample(identity, endpoint, &ids, times);
        self.lines.give_back(ids);
        self.keep_bounds();
    }

    fn add_to_sample(&mut self, identity: u64, endpoint: &str, tokens: &[u32], times: u64) {
        let is_full = self.sample.len() >= self.bounds.sample;
        if is_full && self.sample.last_key_value().is_none_or(|(last, _)| *last < identity) {
            return;
        }
        let entry = self.sample.entry(identity).or_insert_with(|| Sampled {
            endpoint: endpoint.to_owned(),
            tokens: tokens.to_vec(),
            count: 0,
        });
        entry.count = entry.count.saturating_add(times);
        while self.sample.len() > self.bounds.sample {
            self.sample.pop_last();
        }
    }

    /// Lets endpoints go beyond the bound, and names that nothing refers to.
    fn keep_bounds(&mut self) {
        while self.endpoints.len() > self.bounds.endpoints && self.endpoint_level < 63 {
            self.endpoint_level += 1;
            let (level, elsewhere) = (self.endpoint_level, &mut self.elsewhere);
            self.endpoints.retain(|name, endpoint| {
                let stays = survives(hash(name.as_bytes()), level);
                if !stays {
                    *elsewhere = elsewhere.saturating_add(endpoint.requests);
                }
                stays
            });
        }
        let referred = self.whole.len().saturating_mul(2).saturating_add(1 << 20);
        if self.names.len() as usize > referred {
            *self = self.renumbered();
        }
    }

    /// Returns a copy of the model without the names that nothing refers to.
    fn renumbered(&self) -> Model {
        let mut model = self.clone_empty();
        model.absorb(self);
        model
    }

    /// The numbers of the tokens that something refers to, sorted by their text.
    pub(crate) fn tokens_in_order(&self) -> Vec<u32> {
        let mut is_used = vec![false; self.names.len() as usize];
        let of_endpoints = self.endpoints.values().flat_map(|endpoint| endpoint.table.iter());
        let counted = self.whole.iter().chain(of_endpoints).map(|(id, _)| id);
        for id in counted.chain(self.sample.values().flat_map(|sampled| sampled.tokens.iter().copied())) {
            is_used.get_mut(id as usize).into_iter().for_each(|used| *used = true);
        }
        let mut ids = self.names.in_order();
        ids.retain(|id| is_used.get(*id as usize) == Some(&true));
        ids
    }

    /// Takes out what was counted, as a model of its own. This one has no requests then, but learns faster than one
    /// that is new: it still knows the lines that came before.
    #[must_use]
    pub fn take(&mut self) -> Model {
        let mut counted = self.clone_empty();
        std::mem::swap(self, &mut counted);
        let mut part = self.clone_empty();
        part.absorb(&counted);
        if counted.names.len() <= MOST_NAMES_KEPT {
            (self.names, self.lines) = (counted.names, counted.lines);
        }
        part
    }

    /// Adds the counts of another model.
    ///
    /// # Errors
    /// When the other one is of another fingerprint.
    pub fn merge(&mut self, other: &Model) -> Result<(), Error> {
        if other.fingerprint != self.fingerprint {
            return Err(Error::Fingerprint {
                model: self.fingerprint.clone(),
                other: other.fingerprint.clone(),
            });
        }
        self.absorb(other);
        self.keep_bounds();
        Ok(())
    }

    fn absorb(&mut self, other: &Model) {
        self.requests = self.requests.saturating_add(other.requests);
        self.elsewhere = self.elsewhere.saturating_add(other.elsewhere);
        for (source, count) in &other.sources {
            let of_source = self.sources.entry(source.clone()).or_default();
            *of_source = of_source.saturating_add(*count);
        }
        let mut translation = Translation::of(&mut self.names, &other.names);
        let mut translate = |id: u32| translation.id(id);
        let whole: Vec<(u32, u64)> = other.whole.iter().map(|(id, count)| (translate(id), count)).collect();
        let endpoints: Vec<Vec<(u32, u64)>> = other
            .endpoints
            .values()
            .map(|endpoint| endpoint.table.iter().map(|(id, count)| (translate(id), count)).collect())
            .collect();
        let sample: Vec<Vec<u32>> = other
            .sample
            .values()
            .map(|sampled| sampled.tokens.iter().map(|id| translate(*id)).collect())
            .collect();
        join(&mut self.whole, &other.whole, whole, self.bounds.tokens, &self.names);
        let level = self.endpoint_level.max(other.endpoint_level);
        self.endpoint_level = level;
        let elsewhere = &mut self.elsewhere;
        self.endpoints.retain(|name, endpoint| {
            let stays = survives(hash(name.as_bytes()), level);
            if !stays {
                *elsewhere = elsewhere.saturating_add(endpoint.requests);
            }
            stays
        });
        for ((name, from), counts) in other.endpoints.iter().zip(endpoints) {
            if !survives(hash(name.as_bytes()), level) {
                self.elsewhere = self.elsewhere.saturating_add(from.requests);
                continue;
            }
            let to = self.endpoints.entry(name.clone()).or_default();
            to.requests = to.requests.saturating_add(from.requests);
            join(&mut to.table, &from.table, counts, self.bounds.endpoint_tokens, &self.names);
        }
        for ((identity, sampled), tokens) in other.sample.iter().zip(sample) {
            self.add_to_sample(*identity, &sampled.endpoint, &tokens, sampled.count);
        }
    }

    /// Multiplies all counts by `percent` in a hundred, so that older requests weigh less than those learned next.
    pub fn decay(&mut self, percent: u64) {
        let percent = percent.min(100);
        self.requests = scaled(self.requests, percent);
        self.elsewhere = scaled(self.elsewhere, percent);
        self.sources.values_mut().for_each(|count| *count = scaled(*count, percent));
        self.whole.decay(percent);
        for endpoint in self.endpoints.values_mut() {
            endpoint.requests = scaled(endpoint.requests, percent);
            endpoint.table.decay(percent);
        }
        self.endpoints.retain(|_, endpoint| endpoint.requests > 0);
        self.sample.retain(|_, sampled| {
            sampled.count = scaled(sampled.count, percent);
            sampled.count > 0
        });
    }

    /// How many requests were learned.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// The fingerprint of its documents, as those of requests by their bytes have it.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// How many requests were learned of each source.
    pub fn sources(&self) -> &BTreeMap<String, u64> {
        &self.sources
    }

    /// The endpoints, with how many requests and tokens each had.
    pub fn endpoints(&self) -> impl Iterator<Item = (&str, u64, usize)> {
        self.endpoints.iter().map(|(name, endpoint)| (name.as_str(), endpoint.requests, endpoint.table.len()))
    }

    /// How many different tokens there are over all.
    pub fn tokens(&self) -> usize {
        self.whole.len()
    }

    /// The tokens of an endpoint and how many requests had each, in order.
    pub fn tokens_of(&self, endpoint: &str) -> Vec<(&str, u64)> {
        let table = self.endpoints.get(endpoint).map(|endpoint| endpoint.table.sorted()).unwrap_or_default();
        let mut list: Vec<(&str, u64)> =
            table.into_iter().map(|(id, count)| (self.names.name(id), count)).collect();
        list.sort_unstable();
        list
    }

    /// How often tokens were seen that had to be let go, and requests to endpoints that had to be.
    pub fn let_go(&self) -> (u64, u64) {
        let of_endpoints = self.endpoints.values().map(|endpoint| endpoint.table.let_go);
        (of_endpoints.fold(self.whole.let_go, u64::saturating_add), self.elsewhere)
    }
}

fn join(to: &mut Table, from: &Table, counts: Vec<(u32, u64)>, bound: usize, names: &Names) {
    let hash_of = |id| names.hash(id);
    to.raise(from.level, bound, &hash_of);
    to.let_go = to.let_go.saturating_add(from.let_go);
    if to.len() == 0 {
        to.reserve(counts.len(), bound);
    }
    for (id, count) in counts {
        to.add(id, count, bound, &hash_of);
    }
}
