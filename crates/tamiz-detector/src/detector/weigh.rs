//! How much single tokens weigh.

use super::record::Records;
use super::weights::{PackedWeight, WeightTable};
use super::{Detector, Learned};
use crate::hash::{hash, mix};
use crate::log::{ONE, log2};
use crate::novelty::{Counts, Key, Out, Seen, surprise};
use crate::prior;
use crate::stream::{Stream, fold};
use crate::table::Map;
use crate::token::{self, Parts};

/// Surprise below this counts nothing: one in 32 requests is no news.
pub(super) const UNREMARKABLE: i64 = 5 * ONE;
/// The rates of the prior weigh as much as so many requests.
const FLAG_STRENGTH: u64 = 100;
/// How often a flag is raised anywhere weighs as much as so many requests with the place. It is little, because a place
/// raises a flag often or never.
const PLACE_STRENGTH: u64 = 2;
/// No traffic is taken to raise a flag less often than once in so many requests.
const RAREST_FLAG: u64 = 100_000;

/// A token of a request under way.
pub(super) struct Item<'t> {
    pub(super) token: &'t str,
    pub(super) parts: Parts<'t>,
    pub(super) key: Key<'t>,
}

impl<'t> Item<'t> {
    pub(super) fn of(token: &'t str) -> Self {
        Item::of_parts(token, Parts::of(token))
    }

    pub(super) fn of_parts(token: &'t str, parts: Parts<'t>) -> Self {
        Item { token, parts, key: Key::of(token, &parts) }
    }
}

/// How often attacks raise a flag at a place, and how often this traffic does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlagRate {
    attacks: u64,
    /// Its logarithm.
    attacks_bits: i64,
    rate: u64,
}

impl FlagRate {
    fn new(attacks: u64, rate: u64) -> Self {
        FlagRate { attacks, attacks_bits: log2(attacks), rate }
    }

    /// Takes into account how often a place raised it.
    pub(super) fn tempered(self, seen: Seen) -> Self {
        FlagRate { rate: tempered(seen, self.rate, PLACE_STRENGTH), ..self }
    }

    /// How much more often attacks raise it, as a logarithm; at most 0 where they do not.
    pub(super) fn bits(self) -> i64 {
        let rate = self.rate.max((1 << prior::BITS) / RAREST_FLAG);
        if rate >= self.attacks { 0 } else { self.attacks_bits - log2(rate) }
    }
}

/// The counts of the tokens of a family that a request has: at its endpoint, and over all.
pub(super) type Taken = (Vec<u64>, Vec<u64>);

/// How much a token weighs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TokenWeight {
    pub(super) surprise: i64,
    /// The part of its surprise that counts; zero where it is not positive.
    pub(super) unusual: i64,
    /// How much it weighs as a flag; nothing where it is not positive.
    pub(super) flag: i64,
    pub(super) is_new: bool,
}

impl Detector {
    /// The counts of a request's tokens by family, for it to be taken out: at the endpoint, and over all.
    pub(super) fn taken(&self, tokens: &[&str], counts: Option<&Counts>) -> Map<u64, Taken> {
        let mut taken: Map<u64, Taken> = Map::default();
        for token in tokens {
            let key = Item::of(token).key;
            let entry = taken.entry(key.family).or_default();
            entry.0.push(counts.map_or(0, |counts| counts.seen(&key, false).count));
            entry.1.push(self.whole.seen(&key, false).count);
        }
        taken
    }

    /// How much a token weighs; with `taken`, without the request that has it.
    pub(super) fn told(
        &self,
        item: &Item<'_>,
        counts: Option<&Counts>,
        taken: Option<&Taken>,
    ) -> TokenWeight {
        let is_endpoint = item.parts.family == "e";
        let mut told = self.surprised(&item.key, is_endpoint, item.parts.op, counts, taken);
        if item.parts.op == b'f' {
            told.flag = self.flag_bits(item, counts, taken.is_some());
        }
        told
    }

    /// How much a token weighs, but for what it weighs as a flag.
    pub(super) fn surprised(
        &self,
        key: &Key<'_>,
        is_endpoint: bool,
        op: u8,
        counts: Option<&Counts>,
        taken: Option<&Taken>,
    ) -> TokenWeight {
        let mut told = TokenWeight::default();
        if self.model.is_some() {
            let out = taken.map(|(endpoint, whole)| Out { endpoint, whole });
            // An endpoint is rare or not among all of them.
            let at = counts.filter(|_| !is_endpoint);
            told.surprise = surprise(key, at, &self.whole, &self.kinds, out);
            let table = at.unwrap_or(&self.whole);
            told.is_new = table.keeps(key) && table.count(key, out.is_some()) == 0;
            told.unusual = (told.surprise - UNREMARKABLE) * sixteenths(op) / 16;
        }
        told
    }

    /// Returns whether all tokens are counted, over all endpoints and at this one.
    #[inline(always)]
    pub(super) fn keeps_all(&self, endpoint: Option<&Learned>) -> bool {
        self.whole.keeps_all() && endpoint.is_none_or(|learned| learned.counts.keeps_all())
    }

    /// Weighs the tokens of all endpoints once, and those of all requests as an endpoint that is new has them.
    pub(super) fn weigh_learned(&mut self) {
        let (mut weights, mut records) = (WeightTable::default(), Records::default());
        let Some(model) = &self.model else { return };
        let whole = std::iter::once((None, &model.whole));
        let endpoints = self.endpoints.iter().zip(model.endpoints.values());
        let endpoints = endpoints.map(|(learned, endpoint)| (Some(learned), &endpoint.table));
        for (endpoint, table) in whole.chain(endpoints) {
            let counts = endpoint.map(|learned| &learned.counts);
            for (id, _) in table.sorted() {
                let item = Item::of(model.names.name(id));
                let told = self.told(&item, counts, None);
                let hash = token_hash(self.seed, item.token, &item.parts);
                let of_endpoint = endpoint.map_or(0, |learned| learned.hash);
                weights.insert(of_endpoint ^ hash, PackedWeight::of(&item.parts, told));
                self.record(&mut records, &item, endpoint);
            }
        }
        (self.weights, self.records) = (weights, records);
    }

    /// The place of an endpoint among those that were learned.
    pub(super) fn endpoint_at(&self, name: &str) -> Option<usize> {
        let (hash, _) = Stream::of(self.seed, name).finish();
        self.by_name.get(&hash).map(|at| *at as usize)
    }

    pub(super) fn endpoint(&self, name: &str) -> Option<&Learned> {
        self.endpoints.get(self.endpoint_at(name)?)
    }

    /// How much more often attacks raise a flag at such a place than this traffic does, as a logarithm.
    fn flag_bits(&self, item: &Item<'_>, endpoint: Option<&Counts>, out: bool) -> i64 {
        let Some((kind, flag)) = token::flag(item.token) else { return 0 };
        let mut rate = self.rate_of_flag(kind, flag, out);
        if self.model.is_some() {
            for counts in [Some(&self.whole), endpoint].into_iter().flatten() {
                rate = rate.tempered(counts.seen(&item.key, out));
            }
        }
        rate.bits()
    }

    /// How often attacks raise a flag that was learned, and this traffic does at such a place.
    pub(super) fn flag_rate(&self, item: &Item<'_>) -> FlagRate {
        let (kind, flag) = token::flag(item.token).unwrap_or_default();
        self.rate_of_flag(kind, flag, false).tempered(self.whole.seen(&item.key, false))
    }

    /// How often attacks raise a flag at a kind of place, and this traffic does; with `out`, without one request.
    fn rate_of_flag(&self, kind: &str, flag: &str, out: bool) -> FlagRate {
        let (attacks, honest) = self.prior.rates(kind, flag);
        let mut rate = honest;
        if self.model.is_some() {
            let raised = self.flags.get(&flag_key(kind, flag)).copied().unwrap_or_default();
            let out = u64::from(out);
            let raised =
                Seen { count: raised.saturating_sub(out), of: self.whole.requests.saturating_sub(out) };
            rate = tempered(raised, rate, FLAG_STRENGTH);
        }
        FlagRate::new(attacks, rate)
    }

    /// How often attacks raise a flag at a kind of place, and this traffic does; those of the prior are known.
    pub(super) fn base_rate(&self, kind: &str, flag: &str) -> FlagRate {
        let known = self.flag_rates.get(flag_hash(self.seed, kind, flag));
        known.unwrap_or_else(|| self.rate_of_flag(kind, flag, false))
    }

    /// Reads the rates of all flags of the prior.
    pub(super) fn rate_flags(&mut self) {
        let flags = self
            .prior
            .flags()
            .map(|(kind, flag)| (flag_hash(self.seed, kind, flag), self.rate_of_flag(kind, flag, false)));
        let flags: Vec<(u64, FlagRate)> = flags.collect();
        flags.into_iter().for_each(|(hash, rate)| self.flag_rates.insert(hash, rate));
    }
}

/// The hash of a flag at a kind of place.
fn flag_hash(seed: u64, kind: &str, flag: &str) -> u64 {
    Stream::of(seed, kind).push("=").push(flag).finish().0
}

/// The hash of a family of tokens that weigh alike where they were never seen.
pub(super) fn family_hash(seed: u64, parts: &Parts<'_>) -> u64 {
    if parts.op == token::PLACE {
        return Stream::of(seed, parts.family).push("\n.").finish().0;
    }
    counted_hash(seed, parts)
}

/// The hash of a family of tokens that are counted together: of keys of the body, too, and what is told of all of it.
pub(super) fn counted_hash(seed: u64, parts: &Parts<'_>) -> u64 {
    // Most families end with what tells them from others of the place.
    let which = if parts.measured { "\n@" } else { "\n=" };
    Stream::of(seed, parts.family).push(which).finish().0
}

/// The hash of a token of a model, by which its weight is found.
pub(super) fn token_hash(seed: u64, text: &str, parts: &Parts<'_>) -> u64 {
    let pair = || {
        let place = parts.place.filter(|_| parts.op == b'&')?;
        let (shape, sign) = text.get(place.len() + 1..)?.rsplit_once('~')?;
        let of = |op: &str, what: &str| Stream::of(seed, place).push(op).push(what).finish().0;
        Some(pair_hash(of("=", shape), of("~", sign)))
    };
    pair().unwrap_or_else(|| Stream::of(seed, text).finish().0)
}

/// The hash of a pair of shape and sign, by their own.
pub(super) fn pair_hash(shape: u64, sign: u64) -> u64 {
    fold(shape, sign | 1)
}

/// How much the surprise of a token counts: what other tokens of the place tell too counts less.
pub(super) fn sixteenths(op: u8) -> i64 {
    match op {
        b'&' => 12,
        b'f' => 8,
        _ => 16,
    }
}

pub(super) fn flag_key(kind: &str, flag: &str) -> u64 {
    mix(hash(kind.as_bytes()) ^ hash(flag.as_bytes()).rotate_left(1))
}

/// A rate as counted, shrunk to a rate known before, which weighs as much as `strength` observations.
fn tempered(seen: Seen, before: u64, strength: u64) -> u64 {
    // Up to here all fits into one word.
    if seen.count < 1 << 30 && before <= 1 << prior::BITS && seen.of < 1 << 62 {
        return ((seen.count << prior::BITS) + before * strength) / (seen.of + strength);
    }
    let all = (u128::from(seen.count) << prior::BITS) + u128::from(before) * u128::from(strength);
    u64::try_from(all / (u128::from(seen.of) + u128::from(strength))).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use crate::observation::Observation;
    use tamiz::{Canonicalizer, Config};

    #[test]
    fn the_table_of_tokens_changes_no_score() {
        let tamiz = Canonicalizer::new(Config::default());
        let request = |n: u64| {
            let odd = ["", "'", "--", "<b>"][usize::from(n.is_multiple_of(97)) * (n % 4) as usize];
            let name = ["ana", "O Neill", "x9"][(n % 3) as usize].replace(' ', "+");
            tamiz.canonicalize(
                format!("GET /{}?id={n}{odd}&name={name} HTTP/1.1\r\nHost: ex.com\r\n\r\n", n % 5).as_bytes(),
            )
        };
        let mut model = Model::new(tamiz.fingerprint()).unwrap();
        (0..2000).for_each(|n| model.learn(&request(n)).unwrap());
        let detector = Detector::new(model);
        assert!(detector.weights.len() > 0);
        for n in 0..4000 {
            let slow = detector.explain_observation(&Observation::of(&request(n)).unwrap());
            assert_eq!(detector.score(&request(n)).unwrap(), *slow.score());
            assert_eq!(format!("{:?}", detector.explain(&request(n)).unwrap()), format!("{slow:?}"));
        }
    }
}
