//! A configuration made ready: effective switches, compiled lists, the fingerprint.

use std::sync::OnceLock;

use crate::common_lines::CommonLines;
use crate::config::{Config, Profile, Unlisted, View};
use crate::flags::{Flag, FlagSet};
use crate::known_headers::HeaderTable;
use crate::names::SensitiveNames;

/// The settings that the stages read. Built once per [`Canonicalizer`](crate::Canonicalizer).
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) config: Config,
    /// The flags that may be shown.
    pub(crate) enabled: FlagSet,
    pub(crate) keys_sorted: bool,
    pub(crate) qk: bool,
    pub(crate) fam: bool,
    pub(crate) entropy: bool,
    pub(crate) wide_hop_by_hop: bool,
    /// True if headers without a normaliser are shown whatever they say.
    pub(crate) shows_unlisted: bool,
    pub(crate) names: SensitiveNames,
    pub(crate) headers: HeaderTable,
    /// Set once a request was read.
    pub(crate) has_read: OnceLock<()>,
    /// Finished before the second request.
    pub(crate) common_lines: OnceLock<CommonLines>,
}

impl Settings {
    pub(crate) fn new(config: Config) -> Self {
        let full = config.profile == Profile::Full;
        let enabled = Flag::ALL
            .iter()
            .copied()
            .filter(|flag| {
                let by_profile = flag.profile() <= config.profile;
                // What is left out is never left out silently.
                *flag == Flag::Capped || config.flags.get(flag).copied().unwrap_or(by_profile)
            })
            .collect();
        let names = SensitiveNames::new(&config.secrets.names);
        Settings {
            enabled,
            keys_sorted: config.lines.keys_sorted.unwrap_or(full),
            qk: config.lines.qk.unwrap_or(full),
            fam: config.lines.fam.unwrap_or(full),
            entropy: config.entropy.unwrap_or(full),
            wide_hop_by_hop: config.headers.wide_hop_by_hop.unwrap_or(full),
            shows_unlisted: match config.headers.unlisted {
                Unlisted::ByProfile => config.profile == Profile::Core,
                unlisted => unlisted == Unlisted::Show,
            },
            headers: HeaderTable::new(&config.headers.list, &names),
            names,
            has_read: OnceLock::new(),
            common_lines: OnceLock::new(),
            config,
        }
    }

    pub(crate) fn literal(&self) -> bool {
        self.config.view == View::Literal
    }

    /// Returns whether more than the seeds' own rules apply.
    pub(crate) fn beyond_core(&self) -> bool {
        self.config.profile > Profile::Core
    }
}
