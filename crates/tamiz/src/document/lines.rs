//! The lines of a document, cut again, and views on them.

use std::fmt;
use std::ops::Range;

use super::{Document, parse};
use crate::flags::Flag;

/// Where in a request something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Place<'d> {
    /// `m`: the request line and what surrounds it.
    Method,
    /// `u`: the target as a whole, and its host.
    Url,
    /// `p`: the path.
    Path,
    /// `q`: the query as a whole.
    Query,
    /// `q.<key>`: one key of the query.
    QueryKey(&'d str),
    /// `h.<name>`: one header.
    Header(&'d str),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Method => f.write_str("m"),
            Place::Url => f.write_str("u"),
            Place::Path => f.write_str("p"),
            Place::Query => f.write_str("q"),
            Place::QueryKey(key) => write!(f, "q.{key}"),
            Place::Header(name) => write!(f, "h.{name}"),
        }
    }
}

/// A flag that a document raises, with what it raises it for, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raised<'d> {
    flag: Flag,
    parameter: Option<&'d str>,
    place: Place<'d>,
    evidence: &'d [Range<usize>],
}

impl<'d> Raised<'d> {
    /// The flag.
    pub fn flag(&self) -> Flag {
        self.flag
    }

    /// What follows its colon.
    pub fn parameter(&self) -> Option<&'d str> {
        self.parameter
    }

    /// Where it was raised.
    pub fn place(&self) -> Place<'d> {
        self.place
    }

    /// The byte ranges of the request that raised it; empty unless evidence was asked for, and
    /// where what raised it is missing from the request.
    pub fn evidence(&self) -> &'d [Range<usize>] {
        self.evidence
    }
}

impl fmt::Display for Raised<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.flag.name())?;
        match self.parameter {
            None => Ok(()),
            Some(parameter) => write!(f, ":{parameter}"),
        }
    }
}

/// An `H:` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderLine<'d> {
    /// The name; `?` for a line of the request that had none.
    pub name: &'d str,
    /// The value, as shown.
    pub value: &'d str,
    pub(crate) flags: &'d str,
}

/// A length and its bucket: `12@0-15`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Measure<'d> {
    pub(crate) length: u64,
    pub(crate) bucket: &'d str,
}

/// A document's text in pieces. Flags are kept as written: ` [A] [B:x]`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines<'d> {
    pub(crate) method: &'d str,
    pub(crate) method_flags: &'d str,
    pub(crate) url: Option<&'d str>,
    pub(crate) url_flags: &'d str,
    pub(crate) path: Option<&'d str>,
    pub(crate) path_length: Measure<'d>,
    pub(crate) path_longest: Measure<'d>,
    pub(crate) path_flags: &'d str,
    pub(crate) query: Option<(u64, &'d str)>,
    pub(crate) query_flags: &'d str,
    pub(crate) keys_sorted: Option<&'d str>,
    pub(crate) qk: Vec<(&'d str, &'d str)>,
    pub(crate) rollup: Option<&'d str>,
    pub(crate) families: Option<&'d str>,
    pub(crate) headers: Vec<HeaderLine<'d>>,
    pub(crate) header_count: u64,
    pub(crate) header_length: Measure<'d>,
}

impl<'d> Lines<'d> {
    /// The keys of the query, in order of arrival.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'d str> {
        let (count, keys) = self.query.unwrap_or_default();
        keys.split(',').take(usize::try_from(count).unwrap_or(usize::MAX))
    }
}

/// The flags of ` [A] [B:x]`, each as `A`, `B:x`.
pub(crate) fn split_flags(flags: &str) -> impl Iterator<Item = &str> {
    let inside = flags.strip_prefix(" [").and_then(|rest| rest.strip_suffix(']'));
    inside.into_iter().flat_map(|inside| inside.split("] ["))
}

/// A flag as written, cut at its colon.
pub(crate) fn read_flag(written: &str) -> Option<(Flag, Option<&str>)> {
    let (name, parameter) = match written.split_once(':') {
        Some((name, parameter)) => (name, Some(parameter)),
        None => (written, None),
    };
    let flag = Flag::from_name(name)?;
    (flag.parameter().is_some() == parameter.is_some()).then_some((flag, parameter))
}

impl Document {
    pub(crate) fn lines(&self) -> Lines<'_> {
        parse::cut(self.as_str()).unwrap_or_default()
    }

    /// The method, as shown.
    pub fn method(&self) -> &str {
        self.lines().method
    }

    /// The absolute URL, or the authority of a `CONNECT`; `None` without a valid host.
    pub fn url(&self) -> Option<&str> {
        self.lines().url
    }

    /// The path, as shown.
    pub fn path(&self) -> Option<&str> {
        self.lines().path
    }

    /// The query's keys, in order of arrival; `None` without a query.
    pub fn query_keys(&self) -> Option<Vec<&str>> {
        let lines = self.lines();
        lines.query.map(|_| lines.keys().collect())
    }

    /// The headers, in the order they are shown.
    pub fn headers(&self) -> Vec<HeaderLine<'_>> {
        self.lines().headers
    }

    /// The items of the `FLAGS` line: `QREPEAT:a`.
    pub fn rollup(&self) -> impl Iterator<Item = &str> {
        self.lines().rollup.into_iter().flat_map(|rollup| rollup.split(' '))
    }

    /// Every flag with its place, in the order of the document's lines; the same flag, parameter
    /// and place only once.
    pub fn flags(&self) -> impl Iterator<Item = Raised<'_>> {
        let lines = self.lines();
        let mut raised: Vec<Raised<'_>> = Vec::new();
        self.collect(lines.method_flags, Place::Method, &mut raised);
        self.collect(lines.url_flags, Place::Url, &mut raised);
        self.collect(lines.path_flags, Place::Path, &mut raised);
        if self.notes().is_empty() {
            self.collect(lines.query_flags, Place::Query, &mut raised);
        }
        for note in self.notes().lines() {
            let Some((written, place)) = note.split_once(' ') else {
                continue;
            };
            let place = place.strip_prefix("q.").map_or(Place::Query, Place::QueryKey);
            raised.extend(self.raised(written, place));
        }
        for group in lines.headers.chunk_by(|a, b| a.name == b.name) {
            let mut written: Vec<&str> = group.iter().flat_map(|header| split_flags(header.flags)).collect();
            written.sort_unstable();
            written.dedup();
            let place = group.first().map_or(Place::Method, |header| Place::Header(header.name));
            raised.extend(written.into_iter().filter_map(|flag| self.raised(flag, place)));
        }
        raised.into_iter()
    }

    fn collect<'d>(&'d self, flags: &'d str, place: Place<'d>, raised: &mut Vec<Raised<'d>>) {
        raised.extend(split_flags(flags).filter_map(|written| self.raised(written, place)));
    }

    fn raised<'d>(&'d self, written: &'d str, place: Place<'d>) -> Option<Raised<'d>> {
        let (flag, parameter) = read_flag(written)?;
        let evidence = self
            .evidence
            .as_deref()
            .and_then(|evidence| evidence.flags.get(&(place.to_string(), flag)))
            .map_or(&[][..], Vec::as_slice);
        Some(Raised { flag, parameter, place, evidence })
    }
}
