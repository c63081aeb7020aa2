//! Records of tokens and families over all endpoints, from which a token is weighed at an endpoint that never had it.

use super::weigh::{
    FlagRate, Item, TokenWeight, UNREMARKABLE, counted_hash, family_hash, sixteenths, token_hash,
};
use super::weights::{HashTable, PLACE, what};
use super::{Detector, Learned};
use crate::novelty::{BITS, Key, Seen, UNKNOWN_KIND, bits, rate_at_endpoint, rate_of_kind, rate_over_all};
use crate::stream::Stream;
use crate::token::{self, Parts};

/// A token that was learned, or any token of a family that was never seen.
#[derive(Debug)]
pub(super) struct Record {
    /// Its hash; 0 for a family.
    pub(super) hash: u64,
    /// The hash of the place that it is about; 0 for a family of places, each of which is its own.
    pub(super) site: u64,
    /// The hashes of its family, and of its place, or 0 where it has none.
    family: u64,
    place: u64,
    op: u8,
    is_endpoint: bool,
    /// How probable a token as rare is over all endpoints.
    rate: u64,
    /// If it is a flag, how often attacks raise it, and this traffic.
    flag: Option<FlagRate>,
    /// Its weight where its place was never seen.
    far: Fresh,
    /// To ask tables that have let tokens go.
    key: Option<Key<'static>>,
}

/// The weight of a token at an endpoint that never had it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fresh {
    /// How probable a token as rare is; the surprise follows from it, or is told.
    pub(super) rate: u64,
    pub(super) surprise: u32,
    pub(super) unusual: i64,
    pub(super) flag: i64,
    pub(super) is_new: bool,
}

/// A record by its number, and the class of its tokens (`weights::what`), in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RecordId(u32);

impl RecordId {
    fn new(at: usize, what: u64) -> Option<Self> {
        let at = u32::try_from(at).ok().filter(|at| *at < 1 << 29)?;
        Some(RecordId(at << 3 | what as u32))
    }

    #[inline(always)]
    pub(super) fn what(self) -> u64 {
        u64::from(self.0 & 7)
    }

    #[inline(always)]
    pub(super) fn is_place(self) -> bool {
        self.what() == PLACE
    }

    #[inline(always)]
    pub(super) fn word(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(super) fn from_word(word: u32) -> Self {
        RecordId(word)
    }
}

/// The records of all tokens that were learned, and of their families.
#[derive(Debug, Default)]
pub(super) struct Records {
    list: Vec<Record>,
    tokens: HashTable<RecordId>,
    families: HashTable<RecordId>,
    /// By endpoint and family, how many tokens were seen once, and how often the place was seen; by endpoint and place, how
    /// often it was seen.
    seen: HashTable<(u64, u64)>,
    /// By kind and sign, the rate of what nobody had.
    kinds: HashTable<u64>,
}

impl Records {
    #[inline(always)]
    pub(super) fn token(&self, hash: u64) -> Option<RecordId> {
        self.tokens.get(hash)
    }

    #[inline(always)]
    pub(super) fn get(&self, id: RecordId) -> Option<&Record> {
        self.list.get(id.0 as usize >> 3)
    }

    fn seen(&self, of_endpoint: u64, hash: u64) -> Option<Seen> {
        self.seen.get(of_endpoint ^ hash).map(|(count, of)| Seen { count, of })
    }

    fn insert_seen(&mut self, of_endpoint: u64, hash: u64, seen: Seen) {
        self.seen.insert(of_endpoint ^ hash, (seen.count, seen.of));
    }

    fn push(&mut self, record: Record, what: u64) -> Option<RecordId> {
        let id = RecordId::new(self.list.len(), what)?;
        self.list.push(record);
        Some(id)
    }
}

/// The hash of the kind of tokens.
fn kind_hash(seed: u64, parts: &Parts<'_>) -> u64 {
    let sign = [parts.op, u8::from(parts.measured) + b'0'];
    Stream::of(seed, parts.kind).push("\n").push(std::str::from_utf8(&sign).unwrap_or_default()).finish().0
}

impl Detector {
    /// Records a token of an endpoint, or of all requests (`endpoint` is none).
    pub(super) fn record(&self, records: &mut Records, item: &Item<'_>, endpoint: Option<&Learned>) {
        let parts = &item.parts;
        let (of_endpoint, counts) = match endpoint {
            Some(learned) => (learned.hash, &learned.counts),
            None => (0, &self.whole),
        };
        let counted = counted_hash(self.seed, parts);
        if records.seen(of_endpoint, counted).is_none() {
            records.insert_seen(of_endpoint, counted, counts.of_family(&item.key));
        }
        let hash = token_hash(self.seed, item.token, parts);
        if parts.op == token::PLACE {
            let seen = counts.seen(&item.key, false);
            records.insert_seen(of_endpoint, hash, Seen { count: 0, of: seen.count });
        }
        if endpoint.is_some() {
            return;
        }
        records.kinds.insert(kind_hash(self.seed, parts), self.kinds.rate(&item.key));
        let of_key = |key: &Key<'_>| rate_over_all(key, &self.whole, &self.kinds, None);
        let record = self.record_of(item.token, parts, hash, of_key(&item.key));
        let flag = record.flag.map(|_| self.flag_rate(item));
        let record = self.finished(Record { flag, key: Some(item.key.hashed()), ..record });
        if let Some(id) = records.push(record, what(parts)) {
            records.tokens.insert(hash, id);
        }
        let family = family_hash(self.seed, parts);
        if parts.op != b'f' && self.whole.keeps_all() && records.families.get(family).is_none() {
            let key = item.key.never_seen();
            let record = self.record_of(item.token, parts, 0, of_key(&key));
            let site = if parts.op == token::PLACE { 0 } else { record.site };
            let record = self.finished(Record { site, key: Some(key.hashed()), ..record });
            if let Some(id) = records.push(record, what(parts)) {
                records.families.insert(family, id);
            }
        }
    }

    /// A record without what follows from it.
    fn record_of(&self, token: &str, parts: &Parts<'_>, hash: u64, rate: u64) -> Record {
        let hash_of = |text| Stream::of(self.seed, text).finish().0;
        Record {
            hash,
            site: hash_of(parts.site(token)),
            family: counted_hash(self.seed, parts),
            place: parts.place.map_or(0, hash_of),
            op: parts.op,
            is_endpoint: parts.family == "e",
            rate,
            flag: (parts.op == b'f').then(FlagRate::default),
            far: Fresh { rate, surprise: 0, unusual: 0, flag: 0, is_new: true },
            key: None,
        }
    }

    fn finished(&self, record: Record) -> Record {
        let far = weighed(&record, rate_at_endpoint(0, 0, record.rate), record.flag);
        Record { far, ..record }
    }

    /// The family of a token that was never seen, if tokens of it were and are told apart by nothing else.
    pub(super) fn family_of(&self, parts: &Parts<'_>) -> Option<RecordId> {
        if parts.op == b'f' { None } else { self.family(family_hash(self.seed, parts)) }
    }

    /// The record of a family, but for one of flags, by its hash.
    pub(super) fn family(&self, hash: u64) -> Option<RecordId> {
        self.records.families.get(hash)
    }

    /// The weight of a token that was never seen, nor any of its family, or of a flag. The tables have let nothing go.
    pub(super) fn weigh_unknown(
        &self,
        token: &str,
        parts: &Parts<'_>,
        hash: u64,
        endpoint: Option<&Learned>,
    ) -> (u64, Fresh) {
        let mut record = self.record_of(token, parts, 0, 0);
        if parts.op == token::PLACE {
            record.site = hash;
        }
        let seen = self.seen_of(&record, 0, self.whole.requests).unwrap_or(Seen { count: 0, of: 0 });
        let kind = self.records.kinds.get(kind_hash(self.seed, parts)).unwrap_or(UNKNOWN_KIND);
        record.rate = rate_of_kind(seen.count, seen.of, kind);
        if let (Some((kind, flag)), true) = (token::flag(token), parts.op == b'f') {
            record.flag = Some(self.base_rate(kind, flag).tempered(Seen { count: 0, of: seen.of }));
        } else {
            record.flag = None;
        }
        (record.site, self.fresh(&self.finished(record), endpoint))
    }

    /// The tokens of the family that were seen once, and how often its place was seen; `None` where it never was.
    fn seen_of(&self, record: &Record, of_endpoint: u64, requests: u64) -> Option<Seen> {
        self.records.seen(of_endpoint, record.family).or_else(|| {
            if record.place == 0 {
                return Some(Seen { count: 0, of: requests });
            }
            self.records.seen(of_endpoint, record.place).map(|seen| Seen { count: 0, of: seen.of })
        })
    }

    /// Weighs a token at an endpoint that never had it.
    pub(super) fn fresh(&self, record: &Record, endpoint: Option<&Learned>) -> Fresh {
        let Some(learned) = endpoint.filter(|_| !record.is_endpoint) else {
            return Fresh { is_new: record.hash == 0, ..weighed(record, record.rate, record.flag) };
        };
        if !learned.counts.keeps_all() {
            return self.fresh_of_few(record, learned);
        }
        let Some(seen) = self.seen_of(record, learned.hash, learned.counts.requests) else {
            return record.far;
        };
        let flag = record.flag.map(|flag| flag.tempered(Seen { count: 0, of: seen.of }));
        weighed(record, rate_at_endpoint(seen.count, seen.of, record.rate), flag)
    }

    /// Weighs a token at an endpoint that has let tokens go.
    #[cold]
    fn fresh_of_few(&self, record: &Record, learned: &Learned) -> Fresh {
        let counts = &learned.counts;
        let Some(key) = &record.key else { return record.far };
        let told = self.surprised(key, record.is_endpoint, record.op, Some(counts), None);
        let flag = record.flag.map_or(0, |flag| flag.tempered(counts.seen(key, false)).bits());
        let TokenWeight { surprise, unusual, is_new, .. } = told;
        let surprise = u32::try_from(surprise).unwrap_or_default();
        Fresh { rate: 1 << BITS, surprise, unusual, flag, is_new }
    }
}

/// Weighs a token of this probability.
#[inline]
fn weighed(record: &Record, rate: u64, flag: Option<FlagRate>) -> Fresh {
    // A token that is more probable is not unusual: no logarithm is needed to tell.
    let is_unusual = rate < 1 << (i64::from(BITS) - (UNREMARKABLE >> crate::log::FRACTION));
    let unusual = if is_unusual { (bits(rate) - UNREMARKABLE) * sixteenths(record.op) / 16 } else { 0 };
    Fresh { rate, surprise: 0, unusual, flag: flag.map_or(0, FlagRate::bits), is_new: true }
}
