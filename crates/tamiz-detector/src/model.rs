//! The model: what is counted.

use std::collections::{BTreeMap, HashMap};

use tamiz::{Document, FORM_VERSION, Fingerprint, Source};

use crate::error::Error;
use crate::hash::{hash, mix};
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
}

/// What was counted at an endpoint.
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

/// Tokens by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    list: Vec<(Box<str>, u64)>,
    ids: HashMap<Box<str>, u32>,
}

impl Names {
    /// The number of a token, which may be a new one.
    pub(crate) fn id(&mut self, token: &str, hash: u64) -> u32 {
        if let Some(id) = self.ids.get(token) {
            return *id;
        }
        let id = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push((token.into(), hash));
        self.ids.insert(token.into(), id);
        id
    }

    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn name(&self, id: u32) -> &str {
        self.list.get(id as usize).map_or("", |(name, _)| name)
    }

    pub(crate) fn hash(&self, id: u32) -> u64 {
        self.list.get(id as usize).map_or(0, |(_, hash)| *hash)
    }
}

impl Model {
    /// A model without requests, for documents of this fingerprint, whoever handed the requests over.
    ///
    /// # Errors
    /// When the view is `literal`.
    pub fn new(fingerprint: &Fingerprint) -> Result<Self, Error> {
        Model::with_bounds(fingerprint, Bounds::default())
    }

    /// The same, with other bounds.
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
        }
    }

    /// Counts a request.
    ///
    /// # Errors
    /// When the document was read back, is of view `literal` or of another fingerprint.
    pub fn learn(&mut self, document: &Document) -> Result<(), Error> {
        self.check(document)?;
        self.add(&Observation::of(document)?, 1);
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
        self.requests = self.requests.saturating_add(times);
        let of_source = self.sources.entry(observation.source.to_string()).or_default();
        *of_source = of_source.saturating_add(times);
        let mut ids = Vec::with_capacity(observation.tokens.len());
        let mut identity = 0;
        for token in &observation.tokens {
            let hash = hash(token.as_bytes());
            identity = mix(identity ^ hash);
            ids.push(self.names.id(token, hash));
        }
        let names = &self.names;
        let hash_of = |id| names.hash(id);
        for id in &ids {
            self.whole.add(*id, times, self.bounds.tokens, &hash_of);
        }
        if survives(hash(observation.endpoint.as_bytes()), self.endpoint_level) {
            if !self.endpoints.contains_key(&observation.endpoint) {
                self.endpoints.insert(observation.endpoint.clone(), Endpoint::default());
            }
            if let Some(endpoint) = self.endpoints.get_mut(&observation.endpoint) {
                endpoint.requests = endpoint.requests.saturating_add(times);
                for id in &ids {
                    endpoint.table.add(*id, times, self.bounds.endpoint_tokens, &hash_of);
                }
            }
        } else {
            self.elsewhere = self.elsewhere.saturating_add(times);
        }
        self.add_to_sample(identity, &observation.endpoint, ids, times);
        self.keep_bounds();
    }

    fn add_to_sample(&mut self, identity: u64, endpoint: &str, tokens: Vec<u32>, times: u64) {
        let entry = self.sample.entry(identity).or_insert_with(|| Sampled {
            endpoint: endpoint.to_owned(),
            tokens,
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
        if self.names.list.len() > referred {
            *self = self.renumbered();
        }
    }

    /// The same model with tokens numbered in their order, and none that nothing refers to.
    pub(crate) fn renumbered(&self) -> Model {
        let mut used: Vec<u32> = self.whole.sorted().into_iter().map(|(id, _)| id).collect();
        used.extend(self.endpoints.values().flat_map(|endpoint| endpoint.table.sorted()).map(|(id, _)| id));
        used.extend(self.sample.values().flat_map(|sampled| &sampled.tokens));
        used.sort_unstable();
        used.dedup();
        let mut tokens: Vec<&str> = used.iter().map(|id| self.names.name(*id)).collect();
        tokens.sort_unstable();
        let mut model = Model::empty(self.fingerprint.clone(), self.form, self.bounds);
        for token in tokens {
            model.names.id(token, hash(token.as_bytes()));
        }
        model.absorb(self);
        model
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
        let mut ids: HashMap<u32, u32> = HashMap::new();
        let names = &mut self.names;
        let mut translate =
            |id: u32| *ids.entry(id).or_insert_with(|| names.id(other.names.name(id), other.names.hash(id)));
        let whole: Vec<(u32, u64)> =
            other.whole.sorted().into_iter().map(|(id, count)| (translate(id), count)).collect();
        let endpoints: Vec<Vec<(u32, u64)>> = other
            .endpoints
            .values()
            .map(|endpoint| {
                endpoint.table.sorted().into_iter().map(|(id, count)| (translate(id), count)).collect()
            })
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
            self.add_to_sample(*identity, &sampled.endpoint, tokens, sampled.count);
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
    for (id, count) in counts {
        to.add(id, count, bound, &hash_of);
    }
}
