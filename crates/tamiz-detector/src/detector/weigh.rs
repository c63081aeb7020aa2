//! How much single tokens weigh.

use super::Detector;
use super::memo::Memo;
use super::quick::known_hash;
use super::quiet::{Quiet, QuietTable};
use crate::hash::{hash, mix};
use crate::log::{ONE, log2};
use crate::novelty::{Counts, Key, Out, Seen, surprise};
use crate::prior;
use crate::stream::Stream;
use crate::table::Map;
use crate::token::{self, Parts};

/// Surprise below this counts nothing: one in 32 requests is no news.
const UNREMARKABLE: i64 = 5 * ONE;
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
    pub(super) key: Key,
}

impl<'t> Item<'t> {
    pub(super) fn of(token: &'t str) -> Self {
        let parts = Parts::of(token);
        Item { token, parts, key: Key::of(token, &parts) }
    }
}

impl Told {
    /// Whether it changes nothing but the order of requests without news.
    fn is_quiet(self) -> bool {
        self.unusual <= 0 && self.flag <= 0 && !self.is_new
    }
}

/// The counts of the tokens of a family that a request has: at its endpoint, and over all.
pub(super) type Taken = (Vec<u64>, Vec<u64>);

/// How much a token weighs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    pub(super) surprise: i64,
    /// What counts of its surprise; nothing where it is not positive.
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
    pub(super) fn told(&self, item: &Item<'_>, counts: Option<&Counts>, taken: Option<&Taken>) -> Told {
        let mut told = Told::default();
        if self.model.is_some() {
            let out = taken.map(|(endpoint, whole)| Out { endpoint, whole });
            // An endpoint is rare or not among all of them.
            let at = counts.filter(|_| item.parts.family != "e");
            told.surprise = surprise(&item.key, at, &self.whole, &self.kinds, out);
            let table = at.unwrap_or(&self.whole);
            told.is_new = table.keeps(&item.key) && table.seen(&item.key, out.is_some()).count == 0;
            told.unusual = (told.surprise - UNREMARKABLE) * sixteenths(item.parts.op) / 16;
        }
        if item.parts.op == b'f' {
            told.flag = self.flag_bits(item, counts, taken.is_some());
        }
        told
    }

    /// Weighs the tokens of all endpoints once, and those of all requests as an endpoint that is new has them.
    pub(super) fn find_quiet(&mut self) {
        let mut quiet = QuietTable::default();
        let Some(model) = &self.model else { return };
        let whole = std::iter::once((0, None, &model.whole));
        let endpoints = model
            .endpoints
            .iter()
            .map(|(name, endpoint)| (Stream::of(name).finish().0, self.endpoints.get(name), &endpoint.table));
        for (of_endpoint, counts, table) in whole.chain(endpoints) {
            for (id, _) in table.sorted() {
                let item = Item::of(model.names.name(id));
                let told = self.told(&item, counts, None);
                if let Some(known) = Quiet::of(&item.parts, told.surprise).filter(|_| told.is_quiet()) {
                    quiet.insert(of_endpoint ^ known_hash(item.token, &item.parts), known);
                }
            }
        }
        self.learned =
            model.endpoints.keys().map(|name| (name.as_str().into(), Stream::of(name).finish().0)).collect();
        self.memo = Memo::new();
        self.quiet = quiet;
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
fn sixteenths(op: u8) -> i64 {
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
    use tamiz::{Canonicalizer, Config};

    #[test]
    fn quiet_tokens_change_no_score() {
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
        let quick = Detector::new(model.clone());
        let mut slow = Detector::new(model);
        assert!(quick.quiet.len() > 0);
        slow.quiet.clear();
        for n in 0..4000 {
            let (quick, slow) = (quick.score(&request(n)).unwrap(), slow.score(&request(n)).unwrap());
            assert_eq!(format!("{quick:?}"), format!("{slow:?}"));
        }
    }
}
