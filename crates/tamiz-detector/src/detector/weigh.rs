//! How much single tokens weigh.

use super::scorer::token_hash;
use super::weights::{PackedWeight, WeightTable, what};
use super::{Detector, Learned};
use crate::hash::{hash, mix};
use crate::log::{ONE, log2};
use crate::novelty::{Counts, Key, Out, Seen, surprise};
use crate::prior;
use crate::stream::Stream;
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

/// A token that was learned somewhere, to weigh it at an endpoint that never had it.
#[derive(Debug)]
pub(super) struct Known {
    key: Key<'static>,
    /// The hash of the place that it is about.
    pub(super) site: u64,
    /// The class of the token (`weights::what`): place, shape or sign.
    what: u64,
    op: u8,
}

impl Known {
    /// A token but a flag, which weighs more than it surprises, and an endpoint, which is rare or not among all.
    fn of(seed: u64, item: &Item<'_>) -> Option<Self> {
        if item.parts.op == b'f' || item.parts.family == "e" {
            return None;
        }
        let (site, _) = Stream::of(seed, item.parts.site(item.token)).finish();
        Some(Known { key: item.key.hashed(), site, what: what(&item.parts), op: item.parts.op })
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

    /// The key of what any token of a family weighs that was never seen anywhere. Flags weigh more than they surprise; where
    /// tokens were let go, nobody knows whether one was seen; and endpoints are rare or not among all.
    pub(super) fn family_key(
        &self,
        of_endpoint: u64,
        counts: Option<&Counts>,
        parts: &Parts<'_>,
    ) -> Option<u64> {
        let keeps_all = self.whole.keeps_all() && counts.is_none_or(Counts::keeps_all);
        if parts.op == b'f' || !keeps_all || (parts.family == "e" && counts.is_some()) {
            return None;
        }
        // Most families end with what tells them from others of the place.
        let which = match parts.op {
            token::PLACE => "\n.",
            _ if parts.measured => "\n@",
            _ => "",
        };
        let (hash, _) = Stream::of(self.seed, parts.family).push(which).finish();
        Some(self.cache.key(of_endpoint, b'k', hash))
    }

    /// How much a token weighs at an endpoint that never had it.
    pub(super) fn weigh_known(&self, known: &Known, counts: Option<&Counts>) -> PackedWeight {
        PackedWeight::of_what(known.what, known.op, self.surprised(&known.key, false, known.op, counts, None))
    }

    /// Weighs the tokens of all endpoints once, and those of all requests as an endpoint that is new has them.
    pub(super) fn weigh_learned(&mut self) {
        let (mut weights, mut known) = (WeightTable::default(), Map::default());
        let Some(model) = &self.model else { return };
        let whole = std::iter::once((0, None, &model.whole));
        let endpoints = self.endpoints.iter().zip(model.endpoints.values());
        let endpoints =
            endpoints.map(|(learned, endpoint)| (learned.hash, Some(&learned.counts), &endpoint.table));
        for (of_endpoint, counts, table) in whole.chain(endpoints) {
            for (id, _) in table.sorted() {
                let item = Item::of(model.names.name(id));
                let told = self.told(&item, counts, None);
                let hash = token_hash(self.seed, item.token, &item.parts);
                weights.insert(of_endpoint ^ hash, PackedWeight::of(&item.parts, told));
                if let Some(family) = self.family_key(of_endpoint, counts, &item.parts)
                    && weights.get(family).is_none()
                {
                    let told = self.surprised(&item.key.never_seen(), false, item.parts.op, counts, None);
                    weights.insert(family, PackedWeight::of(&item.parts, told));
                }
                if of_endpoint == 0 {
                    known.extend(Known::of(self.seed, &item).map(|known| (hash, known)));
                }
            }
        }
        (self.weights, self.known) = (weights, known);
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
    pub(super) fn flag_bits(&self, item: &Item<'_>, endpoint: Option<&Counts>, out: bool) -> i64 {
        let Some((kind, flag)) = token::flag(item.token) else { return 0 };
        let (attacks, honest) = self.prior.rates(kind, flag);
        let mut rate = honest;
        if self.model.is_some() {
            let raised = self.flags.get(&flag_key(kind, flag)).copied().unwrap_or_default();
            let out = u64::from(out);
            let raised =
                Seen { count: raised.saturating_sub(out), of: self.whole.requests.saturating_sub(out) };
            rate = tempered(raised, rate, FLAG_STRENGTH);
            for counts in [Some(&self.whole), endpoint].into_iter().flatten() {
                rate = tempered(counts.seen(&item.key, out > 0), rate, PLACE_STRENGTH);
            }
        }
        log2(attacks) - log2(rate.max((1 << prior::BITS) / RAREST_FLAG))
    }
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
