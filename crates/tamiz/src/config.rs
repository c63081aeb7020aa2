//! Configuration: what a [`Canonicalizer`](crate::Canonicalizer) is made from, and `tamiz.toml`.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::flags::{Flag, words};

use crate::buckets::Buckets;
pub use crate::flags::Profile;

words! {
    /// The scheme of a request whose target names none.
    Scheme {
        /// `http`
        Http = "http",
        /// `https`
        Https = "https",
        /// `ws`
        Ws = "ws",
        /// `wss`
        Wss = "wss",
    }
}

impl Scheme {
    /// The port that need not be written.
    pub(crate) fn default_port(self) -> u16 {
        match self {
            Scheme::Http | Scheme::Ws => 80,
            Scheme::Https | Scheme::Wss => 443,
        }
    }
}

words! {
    /// How values are shown.
    View {
        /// By shape and length.
        Shape = "shape",
        /// Decoded, in clear, secrets still redacted. Not anonymous.
        Literal = "literal",
    }
}

words! {
    /// How the values of headers that have no rule of their own are shown.
    Unlisted {
        /// In `core` as `show`, else as `shape`.
        ByProfile = "by-profile",
        /// As they are, after collapsing.
        Show = "show",
        /// By their shape, but for the vocabulary of headers that have one.
        Shape = "shape",
    }
}

words! {
    /// Who handed over a request (section 10): each tells of it what is left once it has read it.
    Source {
        /// Its bytes, as they were sent.
        Wire = "wire",
        /// HAProxy, to an agent of its stream processing offload engine.
        HaproxySpoe = "haproxy-spoe",
        /// Envoy, to an external processor.
        EnvoyExtProc = "envoy-ext-proc",
        /// Envoy, to an external authorization service over HTTP.
        EnvoyExtAuthz = "envoy-ext-authz",
        /// nginx, by `auth_request`.
        Nginx = "nginx",
        /// Caddy, by `forward_auth`.
        Caddy = "caddy",
        /// A line of an access log.
        AccessLog = "access-log",
        /// The parts that a line of JSON names.
        JsonLines = "json-lines",
        /// An HTTP archive, as browsers save it.
        Har = "har",
        /// An audit log of ModSecurity.
        Modsecurity = "modsecurity",
    }
}

/// Everything that can be chosen. [`Config::default`] is what `tamiz` does without a file.
///
/// ```
/// use tamiz::{Config, Profile};
/// let mut config = Config::default();
/// config.profile = Profile::Full;
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// The scheme of targets that name none.
    pub scheme: Scheme,
    /// Who hands over the requests. It changes no document, but models of one source are not for another: it is told
    /// beside each, and the fingerprint has it.
    pub source: Source,
    /// How values are shown.
    pub view: View,
    /// Which lines and flags are on.
    pub profile: Profile,
    /// Single flags switched on or off, whatever the profile.
    pub flags: BTreeMap<Flag, bool>,
    /// Optional lines switched on or off, whatever the profile.
    pub lines: Lines,
    /// The entropy suffix of shape markers, whatever the profile.
    pub entropy: Option<bool>,
    /// The length buckets.
    pub buckets: Buckets,
    /// Limits.
    pub limits: Limits,
    /// Secrets beyond the built-in rules.
    pub secrets: Secrets,
    /// How much of a path is shown.
    pub path: PathOptions,
    /// How headers are read and shown.
    pub headers: HeaderOptions,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            scheme: Scheme::Http,
            source: Source::Wire,
            view: View::Shape,
            profile: Profile::Standard,
            flags: BTreeMap::new(),
            lines: Lines::default(),
            entropy: None,
            buckets: Buckets::default(),
            limits: Limits::default(),
            secrets: Secrets::default(),
            path: PathOptions::default(),
            headers: HeaderOptions::default(),
        }
    }
}

/// The optional lines; `None` follows the profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "UPPERCASE")]
#[non_exhaustive]
pub struct Lines {
    /// `KEYS_SORTED`
    pub keys_sorted: Option<bool>,
    /// `QK`
    pub qk: Option<bool>,
    /// `FAM`
    pub fam: Option<bool>,
}

/// Limits on what is ordinary, shown and read. Reaching any but the first raises `CAPPED`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// `QLONG` is raised by a query value of more bytes than this.
    pub long_value: usize,
    /// How many pairs of a query are shown.
    pub pairs: usize,
    /// How many segments of a path are shown.
    pub segments: usize,
    /// How many headers are shown.
    pub headers: usize,
    /// How many values of a body are shown.
    pub body_keys: usize,
    /// How many parameters of one flag are shown.
    pub flag_parameters: usize,
    /// How many bytes of a body are read, after its codings are undone.
    pub body_bytes: usize,
    /// How many levels of JSON or XML are followed.
    pub depth: usize,
    /// How many parts of a multipart body are read.
    pub parts: usize,
    /// How many entity declarations of an XML body are read.
    pub entities: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            long_value: 1024,
            pairs: 128,
            segments: 64,
            headers: 128,
            body_keys: 128,
            flag_parameters: 8,
            body_bytes: 1 << 20,
            depth: 32,
            parts: 1024,
            entities: 64,
        }
    }
}

/// Secrets beyond the built-in rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Secrets {
    /// Texts that make a secret of the value of any key or header name that contains them.
    pub names: Vec<String>,
}

/// How much of a path is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PathOptions {
    /// Show segments that identify someone or something (uuid, long hex, e-mail, address, random
    /// token) as markers.
    pub identifiers: bool,
    /// Show segments of three or more digits as markers.
    pub numbers: bool,
}

impl Default for PathOptions {
    fn default() -> Self {
        PathOptions { identifiers: true, numbers: false }
    }
}

/// How headers are read and shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct HeaderOptions {
    /// Header names, beyond the built-in list, whose repeats are joined with `, `.
    pub list: Vec<String>,
    /// How the values of headers that have no rule of their own are shown.
    pub unlisted: Unlisted,
    /// How many words of a user agent are shown.
    pub user_agent_words: usize,
    /// Flag every hop-by-hop header, not only the four; `None` follows the profile.
    pub wide_hop_by_hop: Option<bool>,
}

impl Default for HeaderOptions {
    fn default() -> Self {
        HeaderOptions {
            list: Vec::new(),
            unlisted: Unlisted::ByProfile,
            user_agent_words: 16,
            wide_hop_by_hop: None,
        }
    }
}

impl Config {
    /// Reads a `tamiz.toml`.
    ///
    /// ```
    /// let config = tamiz::Config::from_toml("profile = \"full\"\n[flags]\nWSPAD = false\n")?;
    /// assert_eq!(config.profile, tamiz::Profile::Full);
    ///
    /// let error = tamiz::Config::from_toml("profile = \"all\"").unwrap_err();
    /// assert_eq!(error.line(), 1);
    /// # Ok::<(), tamiz::ConfigError>(())
    /// ```
    #[cfg(feature = "toml")]
    pub fn from_toml(text: &str) -> Result<Config, ConfigError> {
        toml::from_str(text).map_err(|error| ConfigError::new(text, &error))
    }
}

impl Serialize for Buckets {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.bounds().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Buckets {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Buckets::new(Vec::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Flag::from_name(&name).ok_or_else(|| {
            serde::de::Error::custom(format!("unknown flag `{name}`: `tamiz flags` lists them all"))
        })
    }
}

/// A word that names no such thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownWord;

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown word")
    }
}

impl std::error::Error for UnknownWord {}

/// An error in a configuration file, and its place.
#[cfg(feature = "toml")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    line: usize,
    column: usize,
    key: Option<String>,
    message: String,
}

/// Returns whether a text is a key, which a message may repeat; nothing else on the line may be.
#[cfg(feature = "toml")]
fn is_bare_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

#[cfg(feature = "toml")]
impl ConfigError {
    #[allow(clippy::arithmetic_side_effects, reason = "lines and columns of one text")]
    fn new(text: &str, error: &toml::de::Error) -> Self {
        let at = error.span().map_or(0, |span| span.start);
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line_text = text.get(line_start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let key = line_text.split('=').next().map(str::trim).filter(|key| is_bare_key(key));
        ConfigError {
            line: before.matches('\n').count() + 1,
            column: before.len() - line_start + 1,
            key: key.map(str::to_owned),
            message: error.message().to_owned(),
        }
    }

    /// The line of the file, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column, in bytes, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// The key on that line.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }
}

#[cfg(feature = "toml")]
impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)?;
        if let Some(key) = &self.key {
            write!(f, ", at `{key}`")?;
        }
        write!(f, ": {}", self.message)
    }
}

#[cfg(feature = "toml")]
impl std::error::Error for ConfigError {}

#[cfg(all(test, feature = "toml"))]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Config::from_toml(text).unwrap_err().to_string()
    }

    #[test]
    fn an_empty_file_is_the_default() {
        assert_eq!(Config::from_toml("").unwrap(), Config::default());
    }

    #[test]
    fn errors_name_the_key_and_the_line() {
        let unknown = error("view = \"shape\"\n\n[headers]\nlists = []\n");
        assert!(unknown.starts_with("line 4, column 1, at `lists`: unknown field `lists`"), "{unknown}");
        let value = error("view = \"raw\"\n");
        assert!(value.starts_with("line 1, column 8, at `view`: unknown variant `raw`"), "{value}");
        let flag = error("[flags]\nNOPE = true\n");
        assert!(flag.contains("line 2") && flag.contains("unknown flag `NOPE`"), "{flag}");
        let buckets = error("buckets = [3, 2]\n");
        assert!(buckets.contains("line 1") && buckets.contains("increase"), "{buckets}");
        let stray = error("Authorization: Bearer hunter2\n");
        assert!(stray.starts_with("line 1") && !stray.contains("hunter2"), "{stray}");
        let syntax = error("view = \n");
        assert!(syntax.starts_with("line 1"), "{syntax}");
        let error = Config::from_toml("view = \"shape\"\nprofile = \"raw\"\n").unwrap_err();
        assert_eq!((error.line(), error.column(), error.key()), (2, 11, Some("profile")));
    }
}
