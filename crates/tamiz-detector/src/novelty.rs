//! How surprising a token is at an endpoint: Good–Turing for what is new, the mass of what is as rare for what is not.

use crate::hash::hash;
use crate::log::{ONE, log2};
use crate::model::Model;
use crate::stream::{Stream, process_seed};
use crate::table::{Map, Table, survives};
use crate::token::Parts;

/// Probabilities have so many bits behind the point.
pub(crate) const BITS: u32 = 40;
/// How many observations at an endpoint a family's counts over all endpoints weigh as much as.
const ENDPOINT_STRENGTH: u64 = 50;
/// How many observations over all endpoints the counts of its kind weigh as much as.
const WHOLE_STRENGTH: u64 = 2;
/// The share of new tokens is taken to be one in so many at least: over all endpoints, and of a kind.
const LEAST: [u64; 2] = [2000, 50];
/// Tokens with up to so many times the count are taken to be as rare: a difference of that size is chance. Otherwise
/// the rarest of many endpoints that are equally usual would count as rare.
const AS_RARE: u64 = 2;
/// The rate of a kind that nobody had.
pub(crate) const UNKNOWN_KIND: u64 = (1 << BITS) / 2;
/// No token is more surprising than this, in bits: so far counts can tell.
const MOST: i64 = 10 * ONE;

/// The counts of one table.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) requests: u64,
    level: u8,
    tokens: Map<u64, u64>,
    families: Map<u64, Family>,
}

/// The tokens of a family, by how rare they are.
#[derive(Debug, Default)]
struct Family {
    singletons: u64,
    /// Counts, and the sum of all that are at most so high; sorted.
    masses: Vec<(u64, u64)>,
}

/// The mean share of singletons of the families of a kind, over all endpoints.
#[derive(Debug, Default)]
pub(crate) struct Kinds(Map<u64, u64>);

/// The identity of a token, its place, family and kind: hashes that live as long as the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key<'t> {
    token: u64,
    text: Text<'t>,
    place: Option<(u64, Text<'t>)>,
    pub(crate) family: u64,
    kind: u64,
}

/// A text whose hash tells whether a table keeps it.
#[derive(Clone, Copy, Debug)]
enum Text<'t> {
    Given(&'t str),
    Hashed(u64),
}

impl Text<'_> {
    fn hash(self) -> u64 {
        match self {
            Text::Given(text) => hash(text.as_bytes()),
            Text::Hashed(hash) => hash,
        }
    }
}

impl<'t> Key<'t> {
    pub(crate) fn of(token: &'t str, parts: &Parts<'t>) -> Self {
        let seed = process_seed();
        let of = |text: &str, more: u64| Stream::of(seed ^ more, text).finish().0;
        let measured = u64::from(parts.measured);
        Key {
            token: of(token, 0),
            text: Text::Given(token),
            place: parts.place.map(|place| (of(place, 0), Text::Given(place))),
            family: of(parts.family, measured),
            kind: of(parts.kind, u64::from(parts.op) << 8 | measured),
        }
    }

    /// A token of the same family that nobody had, for tables that keep all tokens.
    pub(crate) fn never_seen(&self) -> Self {
        Key { token: 0, ..*self }
    }

    /// Returns the key with hashes in place of its texts.
    pub(crate) fn hashed(&self) -> Key<'static> {
        let hashed = |text: Text<'_>| Text::Hashed(text.hash());
        Key {
            token: self.token,
            text: hashed(self.text),
            place: self.place.map(|(key, text)| (key, hashed(text))),
            family: self.family,
            kind: self.kind,
        }
    }
}

/// A token as a table knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// In how many requests it was.
    pub(crate) count: u64,
    /// In how many requests its place was.
    pub(crate) of: u64,
}

impl Counts {
    pub(crate) fn of(table: &Table, requests: u64, model: &Model) -> Self {
        let mut counts = Counts { requests, level: table.level, ..Counts::default() };
        let mut families: Vec<(u64, u64)> = Vec::with_capacity(table.len());
        for (id, count) in table.sorted() {
            let token = model.names.name(id);
            let key = Key::of(token, &Parts::of(token));
            counts.tokens.insert(key.token, count);
            families.push((key.family, count));
        }
        families.sort_unstable();
        for same in families.chunk_by(|a, b| a.0 == b.0) {
            let mut family = Family::default();
            let mut mass = 0_u64;
            for (_, count) in same {
                mass = mass.saturating_add(*count);
                family.singletons += u64::from(*count == 1);
                match family.masses.last_mut() {
                    Some(last) if last.0 == *count => last.1 = mass,
                    _ => family.masses.push((*count, mass)),
                }
            }
            if let Some((id, _)) = same.first() {
                counts.families.insert(*id, family);
            }
        }
        counts
    }

    /// The counts of a token; with `out`, less one request that has it.
    pub(crate) fn seen(&self, key: &Key<'_>, out: bool) -> Seen {
        let count = |token: u64| self.tokens.get(&token).copied();
        let of = key.place.map_or(self.requests, |(place, text)| {
            let is_kept = || self.keeps_all() || survives(text.hash(), self.level);
            count(place).unwrap_or_else(|| if is_kept() { 0 } else { self.requests })
        });
        let out = u64::from(out);
        Seen { count: count(key.token).unwrap_or_default().saturating_sub(out), of: of.saturating_sub(out) }
    }

    /// In how many requests a token was; with `out`, without one request that has it.
    pub(crate) fn count(&self, key: &Key<'_>, out: bool) -> u64 {
        self.tokens.get(&key.token).copied().unwrap_or_default().saturating_sub(u64::from(out))
    }

    /// Returns whether the table counts the token: one beyond its bound has let most go.
    pub(crate) fn keeps(&self, key: &Key<'_>) -> bool {
        self.keeps_all() || survives(key.text.hash(), self.level)
    }

    /// Returns whether the table counts all tokens.
    pub(crate) fn keeps_all(&self) -> bool {
        self.level == 0
    }

    /// How many tokens of the family of this one were seen once, and how often its place was seen.
    pub(crate) fn of_family(&self, key: &Key<'_>) -> Seen {
        let singletons = self.families.get(&key.family).map_or(0, |family| family.singletons);
        Seen { count: singletons, of: self.seen(key, false).of }
    }

    /// The mass of the tokens of a family that are as rare as one with this count, without one request whose tokens of the
    /// family have the counts `out` with it. Counts up to [`AS_RARE`] times as high are as rare; a new token is as rare as
    /// the singletons.
    fn mass(&self, family: u64, count: u64, out: &[u64]) -> u64 {
        let Some(family) = self.families.get(&family) else { return 0 };
        if count == 0 {
            let fewer = out.iter().filter(|count| **count == 1).count() as u64;
            let more = out.iter().filter(|count| **count == 2).count() as u64;
            return (family.singletons + more).saturating_sub(fewer);
        }
        let count = count.saturating_mul(AS_RARE);
        let end = family.masses.partition_point(|(other, _)| *other <= count);
        let mass = end.checked_sub(1).and_then(|at| family.masses.get(at)).map_or(0, |(_, mass)| *mass);
        let fewer = out.iter().filter(|other| **other <= count).count() as u64;
        let more = out.iter().filter(|other| **other == count + 1).count() as u64;
        (mass + more * count).saturating_sub(fewer)
    }
}

impl Kinds {
    pub(crate) fn of(whole: &Counts, model: &Model) -> Self {
        let mut sums: Map<u64, (u64, u64)> = Map::default();
        let mut families: Map<u64, ()> = Map::default();
        for (id, _) in model.whole.sorted() {
            let token = model.names.name(id);
            let key = Key::of(token, &Parts::of(token));
            if families.insert(key.family, ()).is_none() {
                let sum = sums.entry(key.kind).or_default();
                sum.0 += whole.families.get(&key.family).map_or(0, |family| family.singletons);
                sum.1 = sum.1.saturating_add(whole.seen(&key, false).of);
            }
        }
        let rate = |(singletons, of): (u64, u64)| {
            u64::try_from((u128::from(2 * singletons + 1) << BITS) / (2 * u128::from(of) + 2))
                .unwrap_or(u64::MAX)
        };
        Kinds(sums.into_iter().map(|(kind, sum)| (kind, rate(sum))).collect())
    }

    /// The rate of the kind of a token.
    pub(crate) fn rate(&self, key: &Key<'_>) -> u64 {
        self.0.get(&key.kind).copied().unwrap_or(UNKNOWN_KIND)
    }
}

/// The counts of the other tokens that a request has of the same family, where it is taken out: at the endpoint, over
/// all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Out<'a> {
    pub(crate) endpoint: &'a [u64],
    pub(crate) whole: &'a [u64],
}

/// How surprising a token is, in bits of fixed point.
pub(crate) fn surprise(
    key: &Key<'_>,
    endpoint: Option<&Counts>,
    whole: &Counts,
    kinds: &Kinds,
    out: Option<Out<'_>>,
) -> i64 {
    let mut rate = rate_over_all(key, whole, kinds, out);
    if let Some(endpoint) = endpoint.filter(|endpoint| endpoint.keeps(key)) {
        let seen = endpoint.seen(key, out.is_some());
        let mass = endpoint.mass(key.family, seen.count, out.unwrap_or_default().endpoint);
        rate = rate_at_endpoint(mass, seen.of, rate);
    }
    bits(rate)
}

/// The probability of a token that is as rare, over all endpoints.
pub(crate) fn rate_over_all(key: &Key<'_>, whole: &Counts, kinds: &Kinds, out: Option<Out<'_>>) -> u64 {
    if !whole.keeps(key) {
        return 1 << BITS;
    }
    let seen = whole.seen(key, out.is_some());
    rate_of_kind(whole.mass(key.family, seen.count, out.unwrap_or_default().whole), seen.of, kinds.rate(key))
}

/// The probability of a token over all endpoints, by the mass of those that are as rare, how often its place was seen, and the
/// rate of its kind.
pub(crate) fn rate_of_kind(mass: u64, of: u64, kind: u64) -> u64 {
    let [_, least] = LEAST.map(|least| (1 << BITS) / least);
    share(mass, of, kind.max(least), WHOLE_STRENGTH)
}

/// The probability of a token at an endpoint, by the mass of those that are as rare there, how often its place was seen there,
/// and the probability over all endpoints.
#[inline]
pub(crate) fn rate_at_endpoint(mass: u64, of: u64, over_all: u64) -> u64 {
    let [least, _] = LEAST.map(|least| (1 << BITS) / least);
    share(mass, of, over_all.max(least), ENDPOINT_STRENGTH)
}

/// How surprising a token of this probability is.
pub(crate) fn bits(rate: u64) -> i64 {
    (i64::from(BITS) * ONE - log2(rate)).min(MOST)
}

/// `mass` of `of`, shrunk to what the wider family gives, which weighs as much as `strength` observations.
#[inline]
fn share(mass: u64, of: u64, wider: u64, strength: u64) -> u64 {
    // Up to here all fits into one word.
    if mass < 1 << 20 && wider <= 1 << BITS && of < 1 << 62 {
        return (((mass << BITS) + wider * strength) / (of + strength)).clamp(1, 1 << BITS);
    }
    let all = (u128::from(mass) << BITS) + u128::from(wider) * u128::from(strength);
    let share = all / (u128::from(of) + u128::from(strength));
    u64::try_from(share).unwrap_or(u64::MAX).clamp(1, 1 << BITS)
}
