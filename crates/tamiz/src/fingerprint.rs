//! The fingerprint (clause 9.16): the identity of rules, tables and configuration.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::FORM_VERSION;
use crate::config::{Limits, Source};
use crate::decode::unicode::UNICODE_VERSION;
use crate::lists;
use crate::settings::Settings;
use crate::words;

/// Documents with equal fingerprints are comparable: a model keeps the one it was trained on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    digest: Arc<str>,
    components: Arc<[(&'static str, String)]>,
}

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
        let mut components = vec![
            ("form", FORM_VERSION.to_string()),
            ("unicode", UNICODE_VERSION.to_owned()),
            ("idna", format!("UTS46-{UNICODE_VERSION}")),
            ("confusables", confusables()),
            ("entities", "HTML5-2231".to_owned()),
            ("lists", lists::DIGEST.get(..16).unwrap_or_default().to_owned()),
            ("words", words::DIGEST.get(..16).unwrap_or_default().to_owned()),
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
        ];
        // Requests by their bytes had fingerprints before there were other sources.
        if config.source != Source::Wire {
            components.push(("source", config.source.to_string()));
        }
        let mut hash = Sha256::new();
        for (name, value) in &components {
            hash.update(format!("{name}={value}\n"));
        }
        let hex = data_encoding::HEXLOWER.encode(&hash.finalize());
        let digest = format!("v{FORM_VERSION}-{}", hex.get(..16).unwrap_or_default());
        Fingerprint { digest: digest.into(), components: components.into() }
    }

    /// The short text that names it: `v1-` and sixteen hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.digest
    }

    /// What it is made of, in order.
    pub fn components(&self) -> &[(&'static str, String)] {
        &self.components
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
        f.write_str(&self.digest)
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
        let mut same = Config::default();
        same.flags.insert(Flag::WsPad, true);
        assert_eq!(default, of(same), "switching on what is on changes nothing");
    }
}
