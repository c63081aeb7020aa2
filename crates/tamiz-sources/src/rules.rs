//! The rules of each source: `spec/sources.toml`, read once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use tamiz::{Flag, Source};

/// The rules of a source. Each field is a rule that the step of the same name applies.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Rules {
    /// Whose rules they are.
    pub name: Source,
    /// The program and the version that were measured.
    pub proxy: String,
    /// How it hands over requests.
    pub way: String,
    pub(crate) request_line: RequestLine,
    pub(crate) headers: Headers,
    pub(crate) host: Host,
    pub(crate) framing: Framing,
    pub(crate) body: Body,
    pub(crate) limits: Limits,
}

/// The request line, and what is told of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RequestLine {
    pub(crate) before: Before,
    /// The separator of its parts.
    pub(crate) parted_by: Parted,
    /// True if spaces may follow it.
    pub(crate) spaces_at_end: bool,
    pub(crate) methods: Methods,
    /// Those of [`Methods::Listed`].
    #[serde(default)]
    pub(crate) method_list: Vec<String>,
    /// The most bytes that a method may have.
    #[serde(default)]
    pub(crate) method_longest: Option<usize>,
    /// Methods that are refused all the same.
    pub(crate) methods_refused: Vec<String>,
    pub(crate) versions: Versions,
    /// True if a `GET` without a version is one of HTTP/0.9.
    pub(crate) http09: bool,
    pub(crate) target: Target,
}

/// Bytes that are allowed before a request line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Before {
    /// Nothing.
    Nothing,
    /// Empty lines.
    EmptyLines,
    /// CR and LF, in any order.
    LineEnds,
}

/// Separators between the parts of a request line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Parted {
    /// One space.
    Space,
    /// Any number of spaces.
    Spaces,
    /// Any number of spaces and tabs.
    Blanks,
    /// Any number of spaces, tabs and CRs.
    WhiteSpace,
}

/// Which methods are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Methods {
    /// Tokens.
    Token,
    /// Capital letters, `_` and `-`.
    Capitals,
    /// Those of a list.
    Listed,
}

/// Which versions are taken, after `HTTP/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum Versions {
    /// `1.1`.
    #[serde(rename = "1.1")]
    Current,
    /// `1.` and a digit.
    #[serde(rename = "1.n")]
    Minor,
    /// `1.` and one or two digits.
    #[serde(rename = "1.nn")]
    LongMinor,
    /// A digit, a dot, a digit.
    #[serde(rename = "n.n")]
    Any,
}

/// Whose rules a target is read by, and what is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Target {
    /// nginx: kept, once its path has been read as a file's.
    Nginx,
    /// Go: taken apart and put together again.
    Go,
    /// Envoy: path and query, the host of an absolute one for `Host`.
    Envoy,
    /// HAProxy: kept, but for a port that is the scheme's; an absolute one has to be that of `Host`.
    Haproxy,
}

/// The header lines.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Headers {
    pub(crate) folds: Folds,
    pub(crate) bare_cr: BareCr,
    /// True if a line without a colon is a header without a value; else it is refused.
    pub(crate) colon_optional: bool,
    pub(crate) name_bytes: NameBytes,
    /// Headers whose names hold anything but ASCII letters, digits and `-` are dropped.
    pub(crate) odd_names_dropped: bool,
    /// Headers whose names hold one of these are dropped.
    pub(crate) names_dropped_with: String,
    pub(crate) name_case: NameCase,
    pub(crate) value_bytes: ValueBytes,
    /// True if tabs around values are dropped as spaces are; else they are before they are told, but count until then.
    pub(crate) tabs_trimmed: bool,
    /// Bytes that are not UTF-8 become `!`.
    pub(crate) invalid_utf8_marked: bool,
    pub(crate) repeats: Repeats,
    /// Names whose values are joined with a comma where others are kept.
    #[serde(default)]
    pub(crate) joined: Vec<String>,
    /// Names that must not repeat.
    pub(crate) once: Vec<String>,
    /// Names of which the first alone is kept.
    pub(crate) first_only: Vec<String>,
    /// True if headers that `Connection` names are dropped.
    pub(crate) nominated_dropped: bool,
    /// Names that `Connection` must not name.
    pub(crate) nominated_refused: Vec<String>,
    /// Names that `Connection` may name without harm.
    pub(crate) nominated_kept: Vec<String>,
    /// Names that are never handed over.
    pub(crate) dropped: Vec<String>,
    /// Names that are dropped where they have no value.
    pub(crate) dropped_if_empty: Vec<String>,
    /// True if a `Referer` is dropped that is no URL, or one with user information or a fragment.
    pub(crate) referer_checked: bool,
    /// The beginnings of such names.
    pub(crate) dropped_beginning: Vec<String>,
    pub(crate) te: Te,
    /// The treatment of requests that ask for another protocol.
    pub(crate) upgrade: Upgrade,
    /// True if the options of a connection that concern it alone are taken out of `Connection`.
    pub(crate) connection_cleaned: bool,
    /// True if `Expect: 100-continue` is dropped.
    pub(crate) continue_dropped: bool,
    /// True if any other `Expect` is refused.
    pub(crate) expectations_refused: bool,
    /// True if `Pragma: no-cache` adds a `Cache-Control` where there is none.
    pub(crate) pragma_adds_cache_control: bool,
}

/// The treatment of a line that continues the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Folds {
    /// The request is refused.
    Refused,
    /// Both are trimmed and joined with a space.
    Space,
    /// The line end becomes a space for each of its bytes.
    Spaces,
    /// The line end is left out.
    Joined,
}

/// The treatment of a CR that no LF follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BareCr {
    /// The request is refused.
    Refused,
    /// Refused, but not before the end of a line.
    RefusedInside,
    /// It is left out.
    Removed,
}

/// Which names are taken at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NameBytes {
    /// Tokens.
    Token,
    /// Anything without controls and spaces.
    Visible,
}

/// The case in which names are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NameCase {
    /// As they came.
    Kept,
    /// Lower.
    Lower,
    /// `Content-Type`.
    Canonical,
}

/// Which bytes are taken in values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ValueBytes {
    /// All.
    Any,
    /// All but NUL.
    NoNul,
    /// All but controls other than HTAB.
    NoControl,
}

/// The treatment of headers of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Repeats {
    /// They are kept.
    Kept,
    /// Their values are joined with a comma.
    Comma,
}

/// The treatment of `TE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Te {
    /// It is like others.
    Plain,
    /// It is handed over as `trailers`, if it says so in any case, and else dropped.
    Trailers,
    /// Like `Trailers`, but only in lower case.
    LowerTrailers,
}

/// The treatment of a request that asks for another protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Upgrade {
    /// Nothing: its headers are like others.
    Plain,
    /// `Connection: Upgrade` and `Upgrade` are handed over, of others neither.
    Kept,
    /// It is refused, but for `h2c`, whose settings are dropped.
    Refused,
    /// `websocket` is refused without a key that is one.
    WithKey,
}

/// `Host`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Host {
    pub(crate) required: Required,
    pub(crate) repeated: RepeatedHost,
    /// Bytes that may be in it, beside ASCII letters and digits; all but controls where nothing is said.
    pub(crate) allowed: Option<String>,
    /// True if it may be empty.
    pub(crate) empty: bool,
    /// True if nginx reads it: no slash, no two dots, something before the port.
    pub(crate) as_nginx: bool,
}

/// Who needs a `Host`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Required {
    /// Nobody.
    Never,
    /// Requests of HTTP/1.1 and later.
    Since11,
    /// Those whose target names no host.
    UnlessAbsolute,
}

/// The treatment of a second `Host`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RepeatedHost {
    /// The request is refused.
    Refused,
    /// Dropped if it says the same; else the request is refused.
    Same,
    /// Joined as others.
    Joined,
}

/// Lengths and codings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Framing {
    pub(crate) lengths: Lengths,
    pub(crate) length_and_coding: LengthAndCoding,
    /// The treatment of a coding in HTTP/1.0: refused, ignored, or decoded.
    pub(crate) coding_in_10: CodingIn10,
    /// When the length is passed on.
    pub(crate) length_told: LengthTold,
    /// True if the coding is told.
    pub(crate) coding_told: bool,
}

/// The treatment of several lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Lengths {
    /// One alone is taken.
    One,
    /// Several lines of the same.
    Same,
    /// Several of the same, also in a list.
    SameListed,
}

/// The treatment of a length beside a coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LengthAndCoding {
    /// The request is refused.
    Refused,
    /// The length is left out.
    LengthDropped,
}

/// The treatment of a coding in HTTP/1.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CodingIn10 {
    /// The request is refused.
    Refused,
    /// It says nothing.
    Ignored,
    /// It is one.
    Read,
}

/// The length of a body that is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LengthTold {
    /// The length that the client declared.
    Kept,
    /// How long the body is that is handed over, cut as it may be; nothing without one.
    OfBody,
}

/// The body.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Body {
    /// True if it is handed over.
    pub(crate) given: bool,
    /// True if lines of chunks may end with a bare LF.
    #[serde(default)]
    pub(crate) chunks_bare_lf: bool,
    /// How much of it.
    #[serde(default)]
    pub(crate) most: usize,
}

/// How long things may be.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Limits {
    /// The bytes of the head, with its empty line.
    pub(crate) head: Option<usize>,
    /// The header lines.
    pub(crate) headers: Option<usize>,
    /// The memory that HAProxy has for a request: its words, and eight bytes for each header, for two more and for the
    /// body, which is cut to what is left.
    pub(crate) blocks: Option<usize>,
    /// The first buffer of nginx, its larger ones, and how many of them: no line is in two.
    pub(crate) buffers: Option<(usize, usize, usize)>,
    /// The length that a body may say it has.
    pub(crate) length: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Flags that documents from a source never have.
    never: BTreeMap<Source, Vec<Flag>>,
    #[serde(rename = "source")]
    sources: Vec<Rules>,
}

/// A file that does not read has no rules; the tests see to it that it does.
static FILE: LazyLock<File> =
    LazyLock::new(|| toml::from_str(include_str!("sources.toml")).unwrap_or_default());

/// The rules of a source that changes requests; `None` of those that have none: the wire, logs and containers.
pub fn rules(source: Source) -> Option<&'static Rules> {
    FILE.sources.iter().find(|rules| rules.name == source)
}

/// The flags that documents from a source never have, whatever was sent: by the default configuration but for the
/// profile, which is `full`.
pub fn never(source: Source) -> &'static [Flag] {
    FILE.never.get(&source).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_every_proxy_once() {
        let file: File = toml::from_str(include_str!("sources.toml")).unwrap();
        let names: Vec<Source> = file.sources.iter().map(|rules| rules.name).collect();
        assert_eq!(
            names,
            [Source::HaproxySpoe, Source::EnvoyExtProc, Source::EnvoyExtAuthz, Source::Nginx, Source::Caddy]
        );
        assert!(rules(Source::Wire).is_none() && rules(Source::Nginx).is_some());
    }
}
