//! How much more often attacks raise a flag than honest requests do, by kind of place: the table that is shipped.
//!
//! `spec/prior.tsv` has the counts of each source. A source of many requests counts as [`CAP`] of them, so that none
//! outweighs the others.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use tamiz::{Flag, Weight};

use crate::log::log2;

/// A source counts as so many requests at most.
const CAP: u64 = 1000;
/// Notable and evasion flags are taken to be raised by one in so many attacks at least: of rare classes of attacks there
/// are too few in any collection.
const FLOOR: u64 = 100;
/// Probabilities have so many bits behind the point.
pub(crate) const BITS: u32 = 32;

static SHIPPED: LazyLock<Prior> = LazyLock::new(|| Prior::from_table(include_str!("prior.tsv"), &[]));

/// Rates of flags by kind of place, in attacks and in honest requests.
#[derive(Clone, Debug, Default)]
pub struct Prior {
    rates: BTreeMap<String, BTreeMap<String, Rates>>,
    /// The requests counted, capped: attacks, honest ones.
    totals: [u64; 2],
}

/// Capped counts with [`BITS`] behind the point: of attacks, of honest requests.
#[derive(Clone, Copy, Debug, Default)]
struct Rates([u64; 2]);

impl Prior {
    /// The prior that is shipped.
    pub fn shipped() -> &'static Prior {
        &SHIPPED
    }

    /// Reads a table: lines of source, label, kind of place, flag and count, with tabs between. Lines without kind and flag
    /// tell how many requests the source has. Sources in `without` are left out.
    pub fn from_table(table: &str, without: &[&str]) -> Self {
        let mut prior = Prior::default();
        let mut requests: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [source, label, kind, flag, count] = fields[..] else { continue };
            let (Ok(count), side) = (count.parse::<u64>(), usize::from(label == "valid")) else { continue };
            if without.contains(&source) {
                continue;
            }
            if kind.is_empty() {
                requests.insert((source, label), count.max(1));
                if let Some(total) = prior.totals.get_mut(side) {
                    *total += count.min(CAP);
                }
                continue;
            }
            let of = requests.get(&(source, label)).copied().unwrap_or(count.max(1));
            let capped = (u128::from(count) << BITS) * u128::from(of.min(CAP)) / u128::from(of);
            let rates = prior.rates.entry(kind.to_owned()).or_default().entry(flag.to_owned()).or_default();
            if let Some(sum) = rates.0.get_mut(side) {
                *sum = sum.saturating_add(u64::try_from(capped).unwrap_or(u64::MAX));
            }
        }
        prior
    }

    /// The probability that an attack, and that an honest request, raises the flag at a place of the kind.
    pub(crate) fn rates(&self, kind: &str, flag: &str) -> (u64, u64) {
        let Rates([attacks, honest]) =
            self.rates.get(kind).and_then(|flags| flags.get(flag)).copied().unwrap_or_default();
        // Half a request more, so that nothing is impossible.
        let rate = |sum: u64, total: u64| (sum + (1 << (BITS - 1))) / (total + 1);
        let [of_attacks, of_honest] = self.totals;
        let mut attack = rate(attacks, of_attacks);
        if is_telling(flag) {
            attack = attack.max((1 << BITS) / FLOOR);
        }
        (attack, rate(honest, of_honest))
    }

    /// The flags of the table, with their kinds of place.
    pub(crate) fn flags(&self) -> impl Iterator<Item = (&str, &str)> {
        self.rates
            .iter()
            .flat_map(|(kind, flags)| flags.keys().map(move |flag| (kind.as_str(), flag.as_str())))
    }

    /// How much more often attacks raise the flag at such a place, as a binary logarithm.
    pub fn bits(&self, kind: &str, flag: &str) -> f64 {
        let (attack, honest) = self.rates(kind, flag);
        (log2(attack) - log2(honest)) as f64 / crate::log::ONE as f64
    }

    /// The kinds of places at which public requests raise a flag, and how many times as often attacks do: `q` for a query,
    /// `b` for a body, `h` for headers, `p` for a path. A flag with a word is told with it, such as `KW:sql`.
    pub fn ratios(&self, flag: &str) -> Vec<(&str, f64)> {
        let kinds = self.rates.iter().filter(|(_, flags)| flags.contains_key(flag));
        kinds.map(|(kind, _)| (kind.as_str(), self.bits(kind, flag).exp2())).collect()
    }
}

fn is_telling(flag: &str) -> bool {
    let name = flag.split(':').next().unwrap_or(flag);
    Flag::from_name(name).is_some_and(|flag| matches!(flag.weight(), Weight::Notable | Weight::Evasion))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# a comment\na\tattack\t\t\t4000\na\tattack\tq\tQUOTE\t2000\nb\tvalid\t\t\t500\nb\tvalid\tq\tQUOTE\t5\n";

    #[test]
    fn rates_are_capped_and_never_nothing() {
        let prior = Prior::from_table(TABLE, &[]);
        let share = |rate: u64| rate as f64 / (1_u64 << BITS) as f64;
        let (attack, honest) = prior.rates("q", "QUOTE");
        assert!((share(attack) - 500.5 / 1001.0).abs() < 1e-6);
        assert!((share(honest) - 5.5 / 501.0).abs() < 1e-6);
        assert!(prior.bits("q", "QUOTE") > 5.0);
        assert!(prior.rates("b", "HOME").1 > 0);
        assert!(prior.rates("b", "NUL").0 >= (1 << BITS) / FLOOR);
        assert!(Prior::from_table(TABLE, &["a"]).rates("q", "QUOTE").0 >= (1 << BITS) / FLOOR);
    }

    #[test]
    fn the_shipped_table_tells_attacks_from_honest_requests() {
        let prior = Prior::shipped();
        assert!(prior.totals.iter().all(|total| *total > 1000), "{:?}", prior.totals);
        assert!(prior.bits("q", "KW:sql") > 3.0);
        let ratios = prior.ratios("KW:sql");
        assert!(ratios.iter().any(|(kind, ratio)| *kind == "q" && *ratio > 8.0), "{ratios:?}");
        assert!(prior.ratios("NOSUCHFLAG").is_empty());
    }
}
