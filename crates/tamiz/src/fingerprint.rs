//! The fingerprint (clause 9.16): the identity of rules, tables and configuration.

use std::fmt;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use crate::FORM_VERSION;
use crate::config::{Limits, Source};
use crate::decode::unicode::UNICODE_VERSION;
use crate::keywords;
use crate::lists;
use crate::settings::Settings;

/// Documents with equal fingerprints are comparable: a model keeps the one it was trained on.
#[derive(Clone, Debug, Default)]
pub struct Fingerprint {
    identity: Identity,
    /// The identities of requests that others hand over, by the order of [`Source::ALL`], once they are asked for.
    of_sources: Arc<[OnceLock<Identity>]>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Identity {
    digest: Arc<str>,
    components: Arc<[(&'static str, String)]>,
}

impl Identity {
    fn of(components: Vec<(&'static str, String)>) -> Self {
        let mut hash = Sha256::new();
        for (name, value) in &components {
            hash.update(format!("{name}={value}\n"));
        }
        let hex = data_encoding::HEXLOWER.encode(&hash.finalize());
        let digest = format!("v{FORM_VERSION}-{}", hex.get(..16).unwrap_or_default());
        Identity { digest: digest.into(), components: components.into() }
    }
}

impl PartialEq for Fingerprint {
    fn eq(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl Eq for Fingerprint {}

impl Fingerprint {
    pub(crate) fn of(settings: &Settings) -> Self {
        let config = &settings.config;
        let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
        let names = |list: &[String]| {
            let mut list: Vec<String> = list.iter().map(|name| name.to_ascii_lowercase()).collect();
            list.sort();
            list.dedup();
            list.join(",")
        };
        let flags: Vec<&str> = settings.enabled.iter().map(|flag| flag.name()).collect();
        let bounds: Vec<String> = config.buckets.bounds().iter().map(u64::to_string).collect();
        let components = vec![
            ("form", FORM_VERSION.to_string()),
            ("unicode", UNICODE_VERSION.to_owned()),
            ("idna", format!("UTS46-{UNICODE_VERSION}")),
            ("confusables", confusables()),
            ("entities", "HTML5-2231".to_owned()),
            ("lists", lists::DIGEST.get(..16).unwrap_or_default().to_owned()),
            ("words", keywords::DIGEST.get(..16).unwrap_or_default().to_owned()),
            ("scheme", config.scheme.to_string()),
            ("view", config.view.to_string()),
            ("profile", config.profile.to_string()),
            ("flags", flags.join(",")),
            ("keys_sorted", switch(settings.keys_sorted)),
            ("qk", switch(settings.qk)),
            ("fam", switch(settings.fam)),
            ("entropy", switch(settings.entropy)),
            ("buckets", bounds.join(",")),
            ("limits", limits(&config.limits)),
            ("sensitive", names(&config.secrets.names)),
            ("path_identifiers", switch(config.path.identifiers)),
            ("path_numbers", switch(config.path.numbers)),
            ("list_headers", names(&config.headers.list)),
            ("unlisted", if settings.shows_unlisted { "show" } else { "shape" }.to_owned()),
            ("user_agent_words", config.headers.user_agent_words.to_string()),
            ("wide_hop_by_hop", switch(settings.wide_hop_by_hop)),
            ("source", config.source.to_string()),
        ];
        let of_sources = Source::ALL.iter().map(|_| OnceLock::new()).collect();
        Fingerprint { identity: Identity::of(components), of_sources }
    }

    /// The fingerprint of the same rules and configuration for requests that `source` hands over.
    #[must_use]
    pub fn with_source(&self, source: Source) -> Self {
        let identity = || {
            let with_source = self.components().iter().map(|(name, value)| match *name {
                "source" => (*name, source.to_string()),
                _ => (*name, value.clone()),
            });
            Identity::of(with_source.collect())
        };
        let at = Source::ALL.iter().position(|other| *other == source);
        let kept = at.and_then(|at| self.of_sources.get(at));
        let identity = kept.map_or_else(identity, |kept| kept.get_or_init(identity).clone());
        Fingerprint { identity, of_sources: Arc::clone(&self.of_sources) }
    }

    /// The short text that names it: `v2-` and sixteen hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.identity.digest
    }

    /// Its components, in order.
    pub fn components(&self) -> &[(&'static str, String)] {
        &self.identity.components
    }
}

/// The tables that tell which characters look alike.
fn confusables() -> String {
    let (major, minor, patch) = unicode_security::UNICODE_VERSION;
    format!("UTS39-{major}.{minor}.{patch}")
}

fn limits(limits: &Limits) -> String {
    let Limits {
        long_value,
        pairs,
        segments,
        headers,
        body_keys,
        flag_parameters,
        body_bytes,
        depth,
        parts,
        entities,
    } = limits;
    [long_value, pairs, segments, headers, body_keys, flag_parameters, body_bytes, depth, parts, entities]
        .map(usize::to_string)
        .join(",")
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Source, View};
    use crate::{Canonicalizer, Flag};

    #[test]
    fn follows_the_effective_configuration() {
        let of = |config: Config| Canonicalizer::new(config).fingerprint().to_string();
        let default = of(Config::default());
        assert_eq!(default, of(Config::default()));
        let literal = Config { view: View::Literal, ..Config::default() };
        assert_ne!(default, of(literal));
        let nginx = Canonicalizer::new(Config { source: Source::Nginx, ..Config::default() });
        assert_ne!(default, nginx.fingerprint().to_string());
        assert!(nginx.fingerprint().components().contains(&("source", "nginx".to_owned())));
        let wire = Canonicalizer::new(Config::default()).fingerprint().clone();
        assert_eq!(&wire.with_source(Source::Nginx), nginx.fingerprint());
        assert_eq!(nginx.fingerprint().with_source(Source::Wire), wire);
        let mut same = Config::default();
        same.flags.insert(Flag::WsPad, true);
        assert_eq!(default, of(same), "switching on what is on changes nothing");
    }
}
