//! The rules for headers, looked up by name.

mod name;
mod vocabulary;

use std::collections::BTreeMap;

pub(crate) use name::ShortName;
pub(crate) use vocabulary::Vocabulary;

use crate::finished::Rank;
use crate::lists::{
    ADDRESS_HEADERS, FILE_NAME_HEADERS, HOP_BY_HOP_HEADERS, KNOWN_HEADERS, LIST_HEADERS,
    METHOD_OVERRIDE_HEADERS, PARAMETER_HEADERS, URL_HEADERS, VOLATILE_HEADERS,
};
use crate::names::SensitiveNames;

/// How a header's value is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// After collapsing, as it is.
    #[default]
    Free,
    UserAgent,
    /// `accept` and `accept-charset`.
    Accept,
    AcceptEncoding,
    AcceptLanguage,
    Cookie,
    SetCookie,
    /// `authorization` and `proxy-authorization`.
    Authorization,
    XForwardedFor,
    Forwarded,
    /// One client address.
    Address,
    Host,
    Url,
    Origin,
    ContentType,
    ContentLength,
    /// Differs on every request: by its shape.
    Volatile,
}

/// The delimiters of a header's value that are grammar and raise no flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// Nothing.
    #[default]
    Text,
    /// `;name=value` parameters and quoted strings.
    Parameters,
    /// As above, and the strings are brands.
    Brands,
}

/// Which profile flags a header as hop-by-hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hop {
    #[default]
    EndToEnd,
    Core,
    Wide,
}

/// The rule for one header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) kind: Kind,
    pub(crate) grammar: Grammar,
    pub(crate) hop: Hop,
    /// Repeats are joined with `, `.
    pub(crate) is_list: bool,
    pub(crate) overrides_method: bool,
    pub(crate) is_known: bool,
    /// Its name makes a secret of its value; told of known headers only.
    pub(crate) is_sensitive: bool,
    /// Steers framing, merging or the host: compared in raw ASCII only.
    pub(crate) steers: bool,
    /// Its lines are never finished without being opened.
    pub(crate) is_opened: bool,
    /// The values that are shown in clear, where it has no normaliser.
    pub(crate) vocabulary: Option<Vocabulary>,
}

/// The rule for a header that is not known.
static UNKNOWN: Rule = Rule {
    kind: Kind::Free,
    grammar: Grammar::Text,
    hop: Hop::EndToEnd,
    is_list: false,
    overrides_method: false,
    is_known: false,
    is_sensitive: false,
    steers: false,
    is_opened: false,
    vocabulary: None,
};

impl Default for Rule {
    fn default() -> Self {
        UNKNOWN
    }
}

impl Rule {
    /// The rule for a header that is not known.
    pub(crate) fn unknown() -> &'static Self {
        &UNKNOWN
    }

    /// Returns whether it is flagged as hop-by-hop; `wide` where the longer list counts.
    pub(crate) fn is_hop_by_hop(self, wide: bool) -> bool {
        match self.hop {
            Hop::EndToEnd => false,
            Hop::Core => true,
            Hop::Wide => wide,
        }
    }
}

/// A header that has a rule and a short name.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) name: ShortName,
    pub(crate) rule: Rule,
    pub(crate) rank: Rank,
}

/// Every header with a rule.
#[derive(Clone, Debug)]
pub(crate) struct HeaderTable {
    /// The rules of short names, by name.
    short: Vec<Known>,
    /// The rules of longer names, which are in lower case.
    long: Vec<(Box<[u8]>, Rule)>,
    /// Where rules of short names are, from one on, by the hash of the name or after that; zero where none is.
    places: Vec<u16>,
    /// The bits of a place: there are a power of two.
    mask: usize,
}

/// So many names have a rank.
const MOST_SHORT: usize = u16::MAX as usize / 2;

/// Rules by the names of their headers, in lower case.
type Rules = BTreeMap<Box<[u8]>, Rule>;

/// The rule for a name, which is added where there is none.
fn rule<'r>(rules: &'r mut Rules, name: &str) -> &'r mut Rule {
    rules.entry(name.to_ascii_lowercase().into_bytes().into_boxed_slice()).or_default()
}

const SPECIAL: [(&str, Kind); 13] = [
    ("user-agent", Kind::UserAgent),
    ("accept", Kind::Accept),
    ("accept-charset", Kind::Accept),
    ("accept-encoding", Kind::AcceptEncoding),
    ("accept-language", Kind::AcceptLanguage),
    ("cookie", Kind::Cookie),
    ("set-cookie", Kind::SetCookie),
    ("authorization", Kind::Authorization),
    ("proxy-authorization", Kind::Authorization),
    ("x-forwarded-for", Kind::XForwardedFor),
    ("forwarded", Kind::Forwarded),
    ("content-type", Kind::ContentType),
    ("content-length", Kind::ContentLength),
];

/// Headers that steer how a body is decoded.
const OPENED: [&str; 2] = ["transfer-encoding", "content-encoding"];

const FRAMING: [&str; 4] = ["host", "content-length", "transfer-encoding", "set-cookie"];

impl HeaderTable {
    /// The built-in rules, with `extra` list headers; `names` tells which are sensitive.
    pub(crate) fn new(extra: &[String], names: &SensitiveNames) -> Self {
        let mut rules = Rules::new();
        for name in KNOWN_HEADERS {
            rule(&mut rules, name).is_known = true;
        }
        for name in VOLATILE_HEADERS {
            rule(&mut rules, name).kind = Kind::Volatile;
        }
        for name in ADDRESS_HEADERS {
            rule(&mut rules, name).kind = Kind::Address;
        }
        for name in URL_HEADERS {
            rule(&mut rules, name).kind = if *name == "origin" { Kind::Origin } else { Kind::Url };
        }
        for (name, kind) in SPECIAL {
            rule(&mut rules, name).kind = kind;
        }
        rule(&mut rules, "host").kind = Kind::Host;
        for (name, brands) in PARAMETER_HEADERS {
            rule(&mut rules, name).grammar =
                if brands.is_empty() { Grammar::Parameters } else { Grammar::Brands };
        }
        for (name, profile) in HOP_BY_HOP_HEADERS {
            rule(&mut rules, name).hop = if *profile == "core" { Hop::Core } else { Hop::Wide };
        }
        for name in METHOD_OVERRIDE_HEADERS {
            rule(&mut rules, name).overrides_method = true;
        }
        for (name, vocabulary) in Vocabulary::all() {
            rule(&mut rules, name).vocabulary = Some(vocabulary);
        }
        for name in FRAMING {
            rule(&mut rules, name).steers = true;
        }
        for name in LIST_HEADERS.iter().copied().chain(extra.iter().map(String::as_str)) {
            let rule = rule(&mut rules, name);
            rule.is_list = true;
            rule.steers = true;
        }
        for name in OPENED.iter().chain(FILE_NAME_HEADERS) {
            rule(&mut rules, name).is_opened = true;
        }
        for (name, rule) in &mut rules {
            rule.is_sensitive = rule.is_known && names.matches_ascii(name);
            let is_shown = !rule.is_sensitive || matches!(rule.kind, Kind::Cookie | Kind::Authorization);
            rule.is_opened |= !is_shown || rule.overrides_method || rule.kind == Kind::SetCookie;
        }
        HeaderTable::of_rules(rules)
    }

    fn of_rules(rules: Rules) -> Self {
        let (mut short, mut long) = (Vec::with_capacity(rules.len()), Vec::new());
        for (name, rule) in rules {
            match ShortName::of(&name) {
                Some(name) if short.len() < MOST_SHORT => {
                    let rank = Rank((short.len() << 1 | 1) as u16);
                    short.push(Known { name, rule, rank });
                }
                _ => long.push((name, rule)),
            }
        }
        // At most a quarter of it is full, so that a search soon ends.
        let mut places = vec![0; short.len().saturating_mul(4).next_power_of_two()];
        let mask = places.len().saturating_sub(1);
        for (known, nth) in short.iter().zip(1..) {
            let mut at = first_place(&known.name);
            while places.get(at & mask).is_some_and(|place| *place != 0) {
                at = at.wrapping_add(1);
            }
            if let Some(place) = places.get_mut(at & mask) {
                *place = nth;
            }
        }
        HeaderTable { short, long, places, mask }
    }

    /// The rule for a name, spelt in any case.
    pub(crate) fn get(&self, name: &[u8]) -> Rule {
        match ShortName::of(name) {
            Some(name) => self.find(&name).map(|known| known.rule).unwrap_or_default(),
            None => {
                let known = self.long.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
                known.map(|(_, rule)| *rule).unwrap_or_default()
            }
        }
    }

    /// Finds a short name that has a rule.
    #[inline(always)]
    pub(crate) fn find(&self, name: &ShortName) -> Option<&Known> {
        let mut at = first_place(name);
        loop {
            let nth = usize::from(*self.places.get(at & self.mask)?).checked_sub(1)?;
            let known = self.short.get(nth)?;
            if known.name == *name {
                return Some(known);
            }
            at = at.wrapping_add(1);
        }
    }

    /// The rank of a name, in lower case: that of a name of the table, or between those.
    pub(crate) fn rank(&self, name: &[u8]) -> Rank {
        let known = ShortName::of(name).and_then(|name| self.find(&name));
        known.map_or_else(|| self.rank_between(name), |known| known.rank)
    }

    /// The rank of a name, in lower case, that has no rule, or is long.
    pub(crate) fn rank_between(&self, name: &[u8]) -> Rank {
        Rank((self.short.partition_point(|known| known.name.is_before(name)) << 1) as u16)
    }
}

/// Where a name is among places, or after which it is; beyond their end it goes on at their beginning.
#[inline(always)]
fn first_place(name: &ShortName) -> usize {
    (name.hash() >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_in_the_order_of_names() {
        let table = HeaderTable::new(&["x-list".to_owned()], &SensitiveNames::new(&[]));
        let mut names: Vec<String> = KNOWN_HEADERS.iter().map(|name| (*name).to_owned()).collect();
        for name in KNOWN_HEADERS {
            names.extend([
                format!("{name}a"),
                name[..name.len() - 1].to_owned(),
                format!("{name}-{}", "x".repeat(32)),
            ]);
        }
        names.extend(["", "?", "<alpha:9>", "x-list", "zzz"].map(str::to_owned));
        names.sort_unstable();
        names.dedup();
        let ranks: Vec<Rank> = names.iter().map(|name| table.rank(name.as_bytes())).collect();
        assert!(ranks.is_sorted());
        for two in ranks.windows(2) {
            assert!(two[0] != two[1] || two[0].0 % 2 == 0);
        }
    }

    #[test]
    fn rules_by_name() {
        let table = HeaderTable::new(&["X-List".to_owned()], &SensitiveNames::new(&[]));
        assert_eq!(table.get(b"cookie").kind, Kind::Cookie);
        assert!(table.get(b"x-list").is_list && table.get(b"accept").steers);
        assert_eq!(table.get(b"keep-alive").hop, Hop::Wide);
        assert!(table.get(b"cookie").is_known && !table.get(b"accept").is_sensitive);
        assert_eq!(table.get(b"x-unknown"), Rule::default());
        for known in &table.short {
            assert!(table.find(&known.name).is_some_and(|found| found.rank == known.rank));
        }
        for name in KNOWN_HEADERS {
            assert!(table.get(name.as_bytes()).is_known, "{name}");
            assert_eq!(table.get(name.to_uppercase().as_bytes()), table.get(name.as_bytes()));
        }
        for name in ["set-cookie", "Transfer-Encoding", "x-http-method-override"] {
            assert!(table.get(name.as_bytes()).is_opened, "{name}");
        }
    }
}
