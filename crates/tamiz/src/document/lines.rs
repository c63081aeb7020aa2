//! The lines of a document, cut again, and views on them.

use std::fmt;
use std::ops::Range;

use super::body::Body;
use super::keys::{Keys, Values};
use super::{Document, cut, parse};
use crate::bytes;
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
    /// `h.<name>`: one header; `h.<more>`: those that are not shown.
    Header(&'d str),
    /// `b`: the body as a whole.
    Body,
    /// `b.<key>`: one key of the body.
    BodyKey(&'d str),
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
            Place::Body => f.write_str("b"),
            Place::BodyKey(key) => write!(f, "b.{key}"),
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

    /// The text after its colon.
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

/// A `B:` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BodyLine<'d> {
    /// The kind of the body: `form`, `json`, `multipart`, `xml`, `text` or `binary`.
    pub kind: &'d str,
    /// How many bytes came.
    pub length: u64,
    /// The shape of all of it, as a marker, where it has no keys or could not be read.
    pub shape: Option<&'d str>,
}

/// The name that stands for the headers that are not shown.
pub(super) const MORE_HEADERS: &str = "<more>";

/// An `H:<more:n>` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MoreHeaders<'d> {
    pub(crate) count: u64,
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
    pub(crate) query: Option<Keys<'d>>,
    pub(crate) query_flags: &'d str,
    pub(crate) keys_sorted: Option<&'d str>,
    pub(crate) query_values: Values<'d>,
    pub(crate) rollup: Option<&'d str>,
    pub(crate) families: Option<&'d str>,
    pub(crate) headers: Vec<HeaderLine<'d>>,
    pub(crate) more_headers: Option<MoreHeaders<'d>>,
    pub(crate) header_count: u64,
    pub(crate) header_length: Measure<'d>,
    pub(crate) body: Option<Body<'d>>,
}

impl<'d> Lines<'d> {
    /// The keys of the query that are shown, in order of arrival.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'d str> {
        self.query.unwrap_or_default().iter()
    }

    /// Where the URL points: host and port, after any userinfo.
    pub(crate) fn host(&self) -> Option<&'d str> {
        let url = self.url.filter(|url| !url.starts_with('/'))?;
        let rest = behind_scheme(url).unwrap_or(url);
        let authority = cut::split_at(rest, b'/').map_or(rest, |(authority, _)| authority);
        Some(cut::split_at(authority, b'@').map_or(authority, |(_, host)| host))
    }

    /// The text between the path and the fragment of `U`, without its `?`.
    pub(crate) fn url_query(&self) -> Option<&'d str> {
        let url = self.url?;
        let rest = if url.starts_with('/') {
            url
        } else {
            let rest = behind_scheme(url)?;
            rest.get(bytes::position(b'/', rest.as_bytes())?..)?
        };
        let path = self.path?;
        let rest = if path.starts_with('/') { rest } else { rest.strip_prefix('/')? };
        let query = rest.strip_prefix(path)?.strip_prefix('?')?;
        // A fragment is a marker behind an escaped `#`; most queries hold no `%` at all.
        let is_fragment = |at: &usize| query.get(*at..).is_some_and(|rest| rest.starts_with("%23<"));
        let end = memchr::memchr_iter(b'%', query.as_bytes()).find(is_fragment);
        query.get(..end.unwrap_or(query.len()))
    }

    /// The flags of every line that carries some, each as it is written.
    pub(crate) fn flags(&self) -> impl Iterator<Item = &'d str> {
        let head = [self.method_flags, self.url_flags, self.path_flags, self.query_flags];
        let headers = self.headers.iter().map(|header| header.flags);
        let more = self.more_headers.iter().map(|more| more.flags);
        let body = self.body.iter().map(|body| body.flags);
        head.into_iter().chain(headers).chain(more).chain(body).flat_map(split_flags)
    }
}

/// The text after the first `://`.
fn behind_scheme(url: &str) -> Option<&str> {
    let is_one = |at: &usize| url.get(*at..).is_some_and(|rest| rest.starts_with("://"));
    let at = memchr::memchr_iter(b':', url.as_bytes()).find(is_one)?;
    url.get(at.saturating_add(3)..)
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
        let text = self.as_str();
        cut::lines(text).or_else(|| parse::cut(text).ok()).unwrap_or_default()
    }

    /// The method, as shown.
    pub fn method(&self) -> &str {
        self.lines().method
    }

    /// The absolute URL, or the authority of a `CONNECT`; without a valid host the path and query alone, or `None` in
    /// `core` and for a `CONNECT`.
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

    /// The version of HTTP: `1.1`, `1.0`, `2`, `3`, `0.9`, or `other`. Only a document fresh from a
    /// request knows it, and only where the request told it.
    pub fn version(&self) -> Option<&str> {
        self.notes().lines().next()?.strip_prefix("v=").filter(|version| !version.is_empty())
    }

    /// The headers, in the order they are shown.
    pub fn headers(&self) -> Vec<HeaderLine<'_>> {
        self.lines().headers
    }

    /// The `B:` line; `None` without a body.
    pub fn body(&self) -> Option<BodyLine<'_>> {
        let body = self.lines().body?;
        Some(BodyLine { kind: body.kind, length: body.length.length, shape: body.shape })
    }

    /// The body's keys, in order of arrival; `None` without a body that has keys.
    pub fn body_keys(&self) -> Option<Vec<&str>> {
        Some(self.lines().body?.keys?.iter().collect())
    }

    /// The body's keys, each once, with the shapes of their values.
    pub fn body_values(&self) -> Vec<(&str, Vec<&str>)> {
        let values = self.lines().body.unwrap_or_default().values;
        values.iter().map(|(key, shapes)| (key, shapes.collect())).collect()
    }

    /// The items of the `FLAGS` line: `QREPEAT:a`.
    pub fn rollup(&self) -> impl Iterator<Item = &str> {
        self.lines().rollup.into_iter().flat_map(|rollup| rollup.split(' '))
    }

    /// Every flag with its place, in the order of the document's lines; the same flag, parameter
    /// and place only once.
    pub fn flags(&self) -> impl Iterator<Item = Raised<'_>> {
        self.raised_in(&self.lines()).into_iter()
    }

    /// The flags of [`Document::flags`], for whoever has cut the lines already.
    pub(super) fn raised_in<'d>(&'d self, lines: &Lines<'d>) -> Vec<Raised<'d>> {
        let mut raised: Vec<Raised<'_>> = Vec::new();
        self.collect(lines.method_flags, Place::Method, &mut raised);
        self.collect(lines.url_flags, Place::Url, &mut raised);
        self.collect(lines.path_flags, Place::Path, &mut raised);
        let notes = self.notes();
        if notes.is_empty() {
            self.collect(lines.query_flags, Place::Query, &mut raised);
        }
        self.noted("q", Place::Query, Place::QueryKey, &mut raised);
        for group in lines.headers.chunk_by(|a, b| a.name == b.name) {
            let mut written: Vec<&str> = group.iter().flat_map(|header| split_flags(header.flags)).collect();
            written.sort_unstable();
            written.dedup();
            let place = group.first().map_or(Place::Method, |header| Place::Header(header.name));
            raised.extend(written.into_iter().filter_map(|flag| self.raised(flag, place)));
        }
        if let Some(more) = lines.more_headers {
            self.collect(more.flags, Place::Header(MORE_HEADERS), &mut raised);
        }
        if let Some(body) = lines.body.as_ref().filter(|_| notes.is_empty()) {
            self.collect(body.flags, Place::Body, &mut raised);
        }
        self.noted("b", Place::Body, Place::BodyKey, &mut raised);
        raised
    }

    /// The flags that the notes tell of `whole`, and of one key of it.
    fn noted<'d>(
        &'d self,
        whole: &str,
        place: Place<'d>,
        key_place: fn(&'d str) -> Place<'d>,
        raised: &mut Vec<Raised<'d>>,
    ) {
        // Notes of what values are made of begin with a colon.
        let notes = self.notes().split('\n').filter(|note| !note.starts_with(':'));
        for (written, at) in notes.filter_map(|note| cut::split_at(note, b' ')) {
            let place = match at.strip_prefix(whole) {
                Some("") => place,
                Some(rest) => match rest.strip_prefix('.') {
                    Some(key) => key_place(key),
                    None => continue,
                },
                None => continue,
            };
            raised.extend(self.raised(written, place));
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::Fingerprint;

    const TEXT: &str = "\
M:POST
U:http://ex.com/a?k=<num:1>&k=<mixed:2>
P:/a PLEN:2@0-15 PMAX:1@0-15
Q:2 KEYS:k,k [QREPEAT:k] [QUOTE]
FLAGS:[BODYFORM KW:sql QREPEAT:k QUOTE WSPAD]
H:host=ex.com
H:x=a [WSPAD]
HCNT:2 HLEN:20@16-31
B:form BLEN:10@0-15 [BODYFORM] [KW:sql] [QUOTE]
BQ:2 KEYS:user.name,user.name
BK:user.name=<lower:3>|<mixed:9>
";

    fn fresh(notes: &str) -> Document {
        let buffer = format!("{TEXT}{notes}").into_bytes();
        Document::fresh(&buffer, TEXT.len(), Fingerprint::default(), crate::config::Source::Wire, None)
    }

    fn flags(document: &Document) -> Vec<String> {
        document.flags().map(|raised| format!("{raised} {}", raised.place())).collect()
    }

    #[test]
    fn notes_tell_the_places_of_query_and_body() {
        let notes = "v=1.1\nQREPEAT:k q.k\nQUOTE q.k\nBODYFORM b\nKW:sql b.user.name\nQUOTE b.user.name\n";
        let document = fresh(notes);
        assert_eq!(document.version(), Some("1.1"));
        let expected = [
            "QREPEAT:k q.k",
            "QUOTE q.k",
            "WSPAD h.x",
            "BODYFORM b",
            "KW:sql b.user.name",
            "QUOTE b.user.name",
        ];
        assert_eq!(flags(&document), expected);
        assert_eq!(fresh(&notes.replace("v=1.1\n", "")).version(), None);
        assert_eq!(flags(&fresh(&notes.replace("v=1.1\n", ""))), expected, "the version may be missing");
        assert_eq!(fresh("v=\n").version(), None, "a version may be unknown");
        assert_eq!(flags(&fresh("v=\n")), ["WSPAD h.x"], "with notes, only notes tell of query and body");
    }

    #[test]
    fn a_read_document_knows_places_by_line() {
        let document = Document::parse(TEXT).unwrap();
        assert_eq!(document.version(), None);
        assert_eq!(
            flags(&document),
            ["QREPEAT:k q", "QUOTE q", "WSPAD h.x", "BODYFORM b", "KW:sql b", "QUOTE b"]
        );
    }

    #[test]
    fn keys_that_look_like_places_are_keys() {
        let document = fresh("v=\nQUOTE q.b\nQUOTE q.b.c\nQUOTE b.q\nQUOTE b.\n");
        assert_eq!(flags(&document), ["QUOTE q.b", "QUOTE q.b.c", "WSPAD h.x", "QUOTE b.q", "QUOTE b."]);
    }
}
