//! The rules for headers, looked up by name.

mod vocabulary;

use vocabulary::Vocabulary;

use crate::hash::hash;
use crate::lists::{
    ADDRESS_HEADERS, HOP_BY_HOP_HEADERS, KNOWN_HEADERS, LIST_HEADERS, METHOD_OVERRIDE_HEADERS,
    PARAMETER_HEADERS, URL_HEADERS, VOLATILE_HEADERS,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// The values that are shown in clear, where it has no normaliser.
    pub(crate) vocabulary: Option<Vocabulary>,
}

impl Rule {
    /// Returns whether it is flagged as hop-by-hop; `wide` where the longer list counts.
    pub(crate) fn is_hop_by_hop(self, wide: bool) -> bool {
        match self.hop {
            Hop::EndToEnd => false,
            Hop::Core => true,
            Hop::Wide => wide,
        }
    }
}

/// Every header with a rule.
#[derive(Clone, Debug)]
pub(crate) struct HeaderTable {
    /// Sorted by name.
    rules: Vec<(Box<[u8]>, Rule)>,
    /// Where rules are, from one on, by the hash of the name or after that; zero where none is.
    places: Vec<u32>,
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

const FRAMING: [&str; 4] = ["host", "content-length", "transfer-encoding", "set-cookie"];

impl HeaderTable {
    /// The built-in rules, with `extra` list headers; `names` tells which are sensitive.
    pub(crate) fn new(extra: &[String], names: &SensitiveNames) -> Self {
        let mut table = HeaderTable { rules: Vec::with_capacity(256), places: Vec::new() };
        for name in KNOWN_HEADERS {
            table.rule(name).is_known = true;
        }
        for name in VOLATILE_HEADERS {
            table.rule(name).kind = Kind::Volatile;
        }
        for name in ADDRESS_HEADERS {
            table.rule(name).kind = Kind::Address;
        }
        for name in URL_HEADERS {
            table.rule(name).kind = if *name == "origin" { Kind::Origin } else { Kind::Url };
        }
        for (name, kind) in SPECIAL {
            table.rule(name).kind = kind;
        }
        table.rule("host").kind = Kind::Host;
        for (name, brands) in PARAMETER_HEADERS {
            table.rule(name).grammar = if brands.is_empty() { Grammar::Parameters } else { Grammar::Brands };
        }
        for (name, profile) in HOP_BY_HOP_HEADERS {
            table.rule(name).hop = if *profile == "core" { Hop::Core } else { Hop::Wide };
        }
        for name in METHOD_OVERRIDE_HEADERS {
            table.rule(name).overrides_method = true;
        }
        for (name, vocabulary) in Vocabulary::all() {
            table.rule(name).vocabulary = Some(vocabulary);
        }
        for name in FRAMING {
            table.rule(name).steers = true;
        }
        for name in LIST_HEADERS.iter().copied().chain(extra.iter().map(String::as_str)) {
            let rule = table.rule(name);
            rule.is_list = true;
            rule.steers = true;
        }
        for (name, rule) in &mut table.rules {
            rule.is_sensitive = rule.is_known && names.matches_ascii(name);
        }
        table.places = table.places();
        table
    }

    /// At most half of it is full, so that a search soon ends.
    fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.rules.len().saturating_mul(2).next_power_of_two()];
        for ((name, _), nth) in self.rules.iter().zip(1..) {
            let mut tried = tries(name, places.len());
            while let Some(place) = tried.next().and_then(|at| places.get_mut(at)) {
                if *place == 0 {
                    *place = nth;
                    break;
                }
            }
        }
        places
    }

    fn rule(&mut self, name: &str) -> &mut Rule {
        let name = name.to_ascii_lowercase().into_bytes().into_boxed_slice();
        let at = match self.rules.binary_search_by(|(known, _)| known.cmp(&name)) {
            Ok(at) => at,
            Err(at) => {
                self.rules.insert(at, (name, Rule::default()));
                at
            }
        };
        #[allow(clippy::indexing_slicing, reason = "found or inserted just above")]
        &mut self.rules[at].1
    }

    /// The rule for a lower-case name.
    pub(crate) fn get(&self, name: &[u8]) -> Rule {
        for at in tries(name, self.places.len()) {
            let nth = self.places.get(at).copied().unwrap_or_default();
            let Some(nth) = nth.checked_sub(1) else { break };
            if let Some((known, rule)) = self.rules.get(nth as usize)
                && known.as_ref() == name
            {
                return *rule;
            }
        }
        Rule::default()
    }
}

/// Where a name may be among so many places, a power of two: one after the other.
#[allow(clippy::arithmetic_side_effects, reason = "there is at least one place, and a hash has 64 bits")]
fn tries(name: &[u8], places: usize) -> impl Iterator<Item = usize> {
    let first = (hash(name) >> 32) as usize;
    (first..first + places).map(move |at| at & (places - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_by_name() {
        let table = HeaderTable::new(&["X-List".to_owned()], &SensitiveNames::new(&[]));
        assert_eq!(table.get(b"cookie").kind, Kind::Cookie);
        assert!(table.get(b"x-list").is_list && table.get(b"accept").steers);
        assert_eq!(table.get(b"keep-alive").hop, Hop::Wide);
        assert!(table.get(b"cookie").is_known && !table.get(b"accept").is_sensitive);
        assert_eq!(table.get(b"x-unknown"), Rule::default());
        for (name, rule) in &table.rules {
            assert_eq!(table.get(name), *rule);
        }
    }
}
