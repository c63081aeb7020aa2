//! The document as tokens (clauses 9.17 and 9.18): for models that count words, each ties a place to what is
//! there.
//!
//! Everything in a token comes from the text or the notes, so nothing that these hide can be in one.

use std::collections::HashMap;
use std::fmt::Display;

use super::Document;
use super::keys::{Keys, Values, grouped};
use super::lines::{HeaderLine, Lines, Place};
use super::made_of::{Note, Notes};
use super::marker::{Marker, more};
use crate::bytes;
use crate::decode::unicode;
use crate::measure::Buckets;
use crate::show::charset;

/// Headers whose values are shown as items with a space between them.
const SPACED_HEADERS: [&str; 6] =
    ["accept", "accept-charset", "accept-encoding", "accept-language", "cookie", "user-agent"];

/// The marker of a value that is not there.
const NOTHING: &str = "<mixed:0>";

/// Which tokens a document gives beyond the usual ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenOptions {
    /// One more token with the exact length of each value: `q.id=num#3`.
    pub lengths: bool,
}

impl Document {
    /// The document as strings for models that count words: each ties a place to what is there.
    /// None has white space in it.
    ///
    /// ```
    /// use tamiz::{Canonicalizer, Config};
    ///
    /// let tamiz = Canonicalizer::new(Config::default());
    /// let document = tamiz.canonicalize(b"GET /a//b.jsp?cp=28' HTTP/1.1\r\nHost: ex.com\r\n\r\n");
    /// let tokens = document.tokens();
    /// for token in ["m=GET", "u.host=ex.com", "p=/a/b.jsp", "p/=a", "p.ext=jsp", "plen@0-15"] {
    ///     assert!(tokens.iter().any(|there| there == token));
    /// }
    /// for token in ["q.cp", "q.cp=mixed", "q.cp=mixed@0-15", "q.cp~'", "f=QUOTE", "f.q.cp=QUOTE"] {
    ///     assert!(tokens.iter().any(|there| there == token));
    /// }
    /// ```
    pub fn tokens(&self) -> Vec<String> {
        self.tokens_with(TokenOptions::default())
    }

    /// The tokens that [`Document::tokens`] gives, and those that the options ask for.
    pub fn tokens_with(&self, options: TokenOptions) -> Vec<String> {
        let lines = self.lines();
        let notes = Notes::read(self.notes());
        let mut tokens = Tokens { list: Vec::new(), buckets: self.buckets(), notes, options };
        tokens.shown("m", lines.method);
        if let Some(version) = self.version() {
            tokens.pair("v", version);
        }
        if let Some(host) = lines.host() {
            tokens.pair("u.host", host);
        }
        tokens.path(&lines);
        if let Some(keys) = lines.query {
            tokens.keys("q", keys);
            tokens.query_values(&lines);
        }
        tokens.headers(&lines);
        if let Some(body) = &lines.body {
            tokens.pair("b.kind", body.kind);
            tokens.push(format!("blen@{}", body.length.bucket));
            if let Some(shape) = body.shape {
                tokens.value("b", Some(b'b'), 0, shape);
            }
            if let Some(keys) = body.keys {
                tokens.keys("b", keys);
                tokens.values("b", keys.iter(), &body.values);
            }
        }
        for flag in self.rollup() {
            tokens.pair("f", flag);
        }
        for raised in self.flags() {
            let place = match raised.place() {
                Place::Header(name) => header_place(name),
                place => place.to_string(),
            };
            tokens.push(format!("f.{place}={raised}"));
        }
        tokens.list
    }

    /// The buckets of whoever wrote it, as far as the document knows.
    fn buckets(&self) -> Buckets {
        let components = self.fingerprint().map(|fingerprint| fingerprint.components()).unwrap_or_default();
        let bounds = components.iter().find(|(name, _)| *name == "buckets").and_then(|(_, bounds)| {
            bounds.split(',').map(|bound| bound.parse().ok()).collect::<Option<Vec<u64>>>()
        });
        bounds.and_then(|bounds| Buckets::new(bounds).ok()).unwrap_or_default()
    }
}

struct Tokens<'d> {
    list: Vec<String>,
    buckets: Buckets,
    notes: Notes<'d>,
    options: TokenOptions,
}

impl<'d> Tokens<'d> {
    /// Adds a token, with its white space as `%HH`.
    fn push(&mut self, token: String) {
        let escaped = token.contains(unicode::is_white_space).then(|| escape(&token));
        self.list.push(escaped.unwrap_or(token));
    }

    /// `place=what`.
    fn pair(&mut self, place: &str, what: impl Display) {
        self.push(format!("{place}={what}"));
    }

    fn path(&mut self, lines: &Lines<'_>) {
        let Some(path) = lines.path else { return };
        self.pair("p", path);
        for segment in path.split('/').filter(|segment| !segment.is_empty() && more(segment).is_none()) {
            self.shown("p/", segment);
        }
        if let Some(extension) = path.rsplit('/').next().and_then(extension) {
            self.pair("p.ext", extension);
        }
        self.push(format!("plen@{}", lines.path_length.bucket));
        self.push(format!("pmax@{}", lines.path_longest.bucket));
    }

    fn keys(&mut self, place: &str, keys: Keys<'_>) {
        self.push(format!("{place}.n={}", keys.count));
        self.push(format!("{place}.keys={}", keys.text()));
    }

    /// The values of the query: from the `QK` lines where there are some, else from the URL.
    fn query_values(&mut self, lines: &Lines<'d>) {
        let pairs = lines.url_query().into_iter().flat_map(|query| query.split('&'));
        let shown = pairs.map(|pair| pair.split_once('=').map_or(NOTHING, |(_, value)| value));
        if !lines.query_values.is_empty() {
            self.values("q", lines.keys(), &lines.query_values);
            return;
        }
        let shapes = shown.chain(std::iter::repeat(""));
        self.grouped_values("q", lines.keys().zip(shapes));
    }

    /// The values of `keys`, whose shapes stand in lines of their own.
    fn values(&mut self, place: &str, keys: impl Iterator<Item = &'d str>, values: &Values<'d>) {
        // Keys come in order of arrival, their shapes key by key.
        let mut shapes: HashMap<&str, _> = values.iter().collect();
        let mut shape = |key| shapes.get_mut(key).and_then(Iterator::next).unwrap_or_default();
        let pairs: Vec<(&str, &str)> = keys.map(|key| (key, shape(key))).collect();
        self.grouped_values(place, pairs.into_iter());
    }

    /// Values in order of arrival, told key by key.
    fn grouped_values(&mut self, place: &str, pairs: impl Iterator<Item = (&'d str, &'d str)>) {
        let tag = place.bytes().next();
        let indexed = pairs.enumerate().map(|(i, (key, shape))| (key, (i, shape)));
        for (key, values) in grouped(indexed) {
            let place = format!("{place}.{key}");
            self.push(place.clone());
            for (index, shape) in values {
                self.value(&place, tag, index, shape);
            }
        }
    }

    /// One value: its shape, what it is made of, and its leaves where it is JSON.
    fn value(&mut self, place: &str, tag: Option<u8>, index: usize, shown: &'d str) {
        let mut notes: Vec<Note<'d>> = tag.into_iter().flat_map(|tag| self.notes.of(tag, index)).collect();
        let own = match notes.first() {
            Some(note) if note.leaf.is_none() => notes.remove(0),
            _ => Note::default(),
        };
        let marker = Marker::of_leaf(shown);
        self.shaped(place, own.marker.unwrap_or(shown));
        if marker.is_none() && !shown.is_empty() {
            self.push(format!("{place}=\"{shown}\""));
        }
        self.made_of(place, own, marker);
        let leaves = notes.iter().filter_map(|note| Some((note.leaf?, *note)));
        for (leaf, notes) in grouped(leaves) {
            let place = format!("{place}{leaf}");
            self.push(place.clone());
            for note in notes {
                self.shaped(&place, note.marker.unwrap_or_default());
                self.made_of(&place, note, None);
            }
        }
    }

    /// What a value is made of: by its note, or by the set of its marker in a document that was read back.
    fn made_of(&mut self, place: &str, note: Note<'d>, marker: Option<Marker<'_>>) {
        let mut words = note.words().peekable();
        if words.peek().is_some() {
            return words.for_each(|word| self.push(format!("{place}{word}")));
        }
        for sign in marker.into_iter().flat_map(|marker| marker.set.signs()) {
            let mut token = format!("{place}~").into_bytes();
            charset::write_sign(sign, &mut token);
            self.push(String::from_utf8_lossy(&token).into_owned());
        }
    }

    fn headers(&mut self, lines: &Lines<'d>) {
        let mut before = None;
        for (index, header) in lines.headers.iter().enumerate() {
            if before != Some(header.name) {
                self.push(header_place(header.name));
            }
            before = Some(header.name);
            self.header(header, index);
        }
        self.push(format!("hcnt={}", lines.header_count));
        self.push(format!("hlen@{}", lines.header_length.bucket));
    }

    fn header(&mut self, header: &HeaderLine<'d>, index: usize) {
        let place = header_place(header.name);
        if !SPACED_HEADERS.contains(&header.name) {
            return match self.bucket(header.value).filter(|_| header.name == "content-length") {
                Some(bucket) => self.push(format!("{place}@{bucket}")),
                None => {
                    let note = self.notes.of(b'h', index).next().unwrap_or_default();
                    self.shown(&place, header.value);
                    if let Some(marker) = note.marker {
                        self.shown(&place, marker);
                    }
                    self.made_of(&place, note, Marker::of_value(header.value));
                }
            };
        }
        for item in header.value.split(' ').filter(|item| !item.is_empty()) {
            match cookie(item).filter(|_| header.name == "cookie") {
                Some((name, length)) => {
                    let bucket = self.buckets.label(length).to_owned();
                    self.push(format!("c.{name}@{bucket}"));
                }
                None => self.shown(&place, item),
            }
        }
    }

    /// The bucket of `n@bucket`, where it is that of the number.
    fn bucket<'t>(&self, measure: &'t str) -> Option<&'t str> {
        let (length, bucket) = measure.split_once('@')?;
        (self.buckets.label(length.parse().ok()?) == bucket).then_some(bucket)
    }

    /// Text that may stand in clear: a marker keeps its brackets, so that it is no word of the
    /// request, and is told again with the bucket of its length.
    fn shown(&mut self, place: &str, text: &str) {
        match Marker::of_value(text) {
            None => self.pair(place, text),
            Some(marker) => {
                let what = format!("<{}>", word(&marker));
                self.measured(place, &what, &marker);
            }
        }
    }

    /// A shape. What is none stands in clear, and gives nothing.
    fn shaped(&mut self, place: &str, text: &str) {
        if let Some(marker) = Marker::of_leaf(text) {
            self.measured(place, &word(&marker), &marker);
        }
    }

    fn measured(&mut self, place: &str, what: &str, marker: &Marker<'_>) {
        self.pair(place, what);
        if let Some(length) = marker.length {
            let bucket = self.buckets.label(length).to_owned();
            self.push(format!("{place}={what}@{bucket}"));
            if self.options.lengths {
                self.push(format!("{place}={what}#{length}"));
            }
        }
    }
}

/// `h.name`, with those signs of the name escaped that a sign, a skeleton or a length begins with.
fn header_place(name: &str) -> String {
    let mut place = "h.".to_owned();
    for c in name.chars() {
        match c {
            '~' => place.push_str("%7E"),
            '^' => place.push_str("%5E"),
            '#' => place.push_str("%23"),
            _ => place.push(c),
        }
    }
    place
}

/// `lower`, `SECRET.alpha`, `file.tar.gz`.
fn word(marker: &Marker<'_>) -> String {
    let secret = if marker.is_secret { "SECRET." } else { "" };
    match marker.extension {
        Some(extension) => format!("{secret}{}.{extension}", marker.word),
        None => format!("{secret}{}", marker.word),
    }
}

/// What follows the last dot of a segment, its parameters aside: one to eight letters and digits.
fn extension(segment: &str) -> Option<String> {
    let (_, extension) = segment.split(';').next()?.rsplit_once('.')?;
    let is_one =
        (1..=8).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_one.then(|| extension.to_ascii_lowercase())
}

/// The name and length of `NAME<len:n>`.
fn cookie(item: &str) -> Option<(&str, u64)> {
    let (name, length) = item.strip_suffix('>')?.rsplit_once("<len:")?;
    Some((name, length.parse().ok()?))
}

/// `text` with its white space as `%HH`.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if unicode::is_white_space(c) {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                out.push('%');
                out.extend(bytes::hex(byte).map(char::from));
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions() {
        for (segment, expected) in [
            ("index.jsp", Some("jsp")),
            ("a.tar.GZ", Some("gz")),
            (".htaccess", Some("htaccess")),
            ("index.php;jsessionid=<SECRET:alpha:3>", Some("php")),
            ("a", None),
            ("..", None),
            ("a.", None),
            ("a.abcdefghi", None),
            ("a.b%20", None),
            ("<b64url:40~4.7>", None),
            ("a;b.jsp", None),
            ("a.é", None),
        ] {
            assert_eq!(extension(segment).as_deref(), expected, "{segment}");
        }
    }

    #[test]
    fn cookies() {
        assert_eq!(cookie("a<len:5>"), Some(("a", 5)));
        assert_eq!(cookie("<len:5>"), Some(("", 5)));
        assert_eq!(cookie("<uuid:36><len:5>"), Some(("<uuid:36>", 5)));
        for item in ["a", "a<len:>", "a<len:x>", "a<len:5", "<lower:5>"] {
            assert_eq!(cookie(item), None, "{item}");
        }
    }

    #[test]
    fn white_space_is_escaped_and_nothing_else() {
        assert_eq!(escape("a/b%20<c>"), "a/b%20<c>");
        assert_eq!(escape("a b\u{a0}c\u{3000}é"), "a%20b%C2%A0c%E3%80%80é");
    }
}
