//! What is known of each header, by name.

use crate::lists::{
    ADDRESS_HEADERS, HOP_BY_HOP_HEADERS, KNOWN_HEADERS, LIST_HEADERS, METHOD_OVERRIDE_HEADERS,
    PARAMETER_HEADERS, URL_HEADERS, VOLATILE_HEADERS,
};

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

/// What of a header's value is structure rather than danger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// Nothing.
    #[default]
    Text,
    /// `;name=value` parameters and quoted strings.
    Parameters,
    /// The same, and the strings are brands.
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

/// What is known of one header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) kind: Kind,
    pub(crate) grammar: Grammar,
    pub(crate) hop: Hop,
    /// Repeats are joined with `, `.
    pub(crate) is_list: bool,
    pub(crate) overrides_method: bool,
    pub(crate) is_known: bool,
    /// Steers framing, merging or the host: compared in raw ASCII only.
    pub(crate) steers: bool,
}

/// Every header with a rule, sorted by name.
#[derive(Clone, Debug)]
pub(crate) struct HeaderTable {
    rules: Vec<(Box<[u8]>, Rule)>,
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
    /// The built-in rules, with `extra` list headers.
    pub(crate) fn new(extra: &[String]) -> Self {
        let mut table = HeaderTable { rules: Vec::with_capacity(256) };
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
        for name in FRAMING {
            table.rule(name).steers = true;
        }
        for name in LIST_HEADERS.iter().copied().chain(extra.iter().map(String::as_str)) {
            let rule = table.rule(name);
            rule.is_list = true;
            rule.steers = true;
        }
        table
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
        self.rules
            .binary_search_by(|(known, _)| known.as_ref().cmp(name))
            .ok()
            .and_then(|at| self.rules.get(at))
            .map(|(_, rule)| *rule)
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_by_name() {
        let table = HeaderTable::new(&["X-List".to_owned()]);
        assert_eq!(table.get(b"cookie").kind, Kind::Cookie);
        assert!(table.get(b"x-list").is_list && table.get(b"accept").steers);
        assert_eq!(table.get(b"keep-alive").hop, Hop::Wide);
        assert_eq!(table.get(b"x-unknown"), Rule::default());
    }
}
