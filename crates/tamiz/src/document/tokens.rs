//! The document as tokens (clauses 9.17 and 9.18): for models that count words, each ties a place to what is
//! there.
//!
//! Everything in a token comes from the text or the notes, so nothing that these hide can be in one.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::keys::{Keys, Values, grouped};
use super::lines::{HeaderLine, Lines, Place};
use super::made_of::{Note, Notes};
use super::marker::{Marker, more};
use super::{Document, Raised};
use crate::bytes;
use crate::decode::unicode;
use crate::measure::Buckets;
use crate::show::charset;
use crate::show::marker::{number, push};

/// Headers whose values are shown as items with a space between them.
const SPACED_HEADERS: [&str; 6] =
    ["accept", "accept-charset", "accept-encoding", "accept-language", "cookie", "user-agent"];

/// Up to so many values, looking at all before each is quicker than sorting them.
const FEW: usize = 16;

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
        let mut written = Vec::new();
        self.write_tokens(options, &mut written);
        // Tokens are cut from UTF-8 at ASCII; were they not, nothing may leak from them.
        let written = String::from_utf8(written).unwrap_or_default();
        written.split(' ').filter(|token| !token.is_empty()).map(str::to_owned).collect()
    }

    /// Appends the tokens of [`Document::tokens_with`] to `out`, with a space between them: for many documents, since
    /// nothing is allocated for a token.
    ///
    /// ```
    /// use tamiz::{Canonicalizer, Config, TokenOptions};
    ///
    /// let document = Canonicalizer::new(Config::default()).canonicalize(b"GET / HTTP/1.1\r\n\r\n");
    /// let mut line = Vec::new();
    /// document.write_tokens(TokenOptions::default(), &mut line);
    /// assert_eq!(line, document.tokens().join(" ").as_bytes());
    /// ```
    pub fn write_tokens(&self, options: TokenOptions, out: &mut Vec<u8>) {
        let lines = self.lines();
        let buckets = self.buckets();
        let notes = Notes::read(self.notes());
        let start = out.len();
        let mut tokens = Tokens { out, start, buckets: &buckets, notes, options };
        tokens.shown(["m", "", ""], lines.method);
        if let Some(version) = self.version() {
            tokens.push(&["v=", version]);
        }
        if let Some(host) = lines.host() {
            tokens.push(&["u.host=", host]);
        }
        tokens.path(&lines);
        if let Some(keys) = lines.query {
            tokens.keys("q", keys);
            tokens.query_values(&lines);
        }
        tokens.headers(&lines);
        if let Some(body) = &lines.body {
            tokens.push(&["b.kind=", body.kind]);
            tokens.push(&["blen@", body.length.bucket]);
            if let Some(shape) = body.shape {
                tokens.value(["b", "", ""], Some(b'b'), 0, shape);
            }
            if let Some(keys) = body.keys {
                tokens.keys("b", keys);
                tokens.values("b", keys.iter(), &body.values);
            }
        }
        for flag in lines.rollup.into_iter().flat_map(|rollup| rollup.split(' ')) {
            tokens.push(&["f=", flag]);
        }
        for raised in self.raised_in(&lines) {
            tokens.raised(&raised);
        }
    }

    /// The buckets of whoever wrote it, as far as the document knows.
    fn buckets(&self) -> Cow<'static, Buckets> {
        static DEFAULT: LazyLock<(Buckets, String)> = LazyLock::new(|| {
            let buckets = Buckets::default();
            let bounds: Vec<String> = buckets.bounds().iter().map(u64::to_string).collect();
            (buckets, bounds.join(","))
        });
        let components = self.fingerprint().map(|fingerprint| fingerprint.components()).unwrap_or_default();
        let bounds = components.iter().find(|(name, _)| *name == "buckets").map(|(_, bounds)| bounds);
        let others = bounds.filter(|bounds| **bounds != DEFAULT.1).and_then(|bounds| {
            let bounds = bounds.split(',').map(|bound| bound.parse().ok()).collect::<Option<Vec<u64>>>();
            Buckets::new(bounds?).ok()
        });
        others.map_or(Cow::Borrowed(&DEFAULT.0), Cow::Owned)
    }
}

/// A place, in pieces that follow each other: `q.`, a key, and the way to a leaf of its value.
type At<'p> = [&'p str; 3];

/// Writes tokens, one behind the other.
struct Tokens<'d, 'o> {
    out: &'o mut Vec<u8>,
    /// Where the first begins.
    start: usize,
    buckets: &'o Buckets,
    notes: Notes<'d>,
    options: TokenOptions,
}

impl<'d> Tokens<'d, '_> {
    /// Adds a token, with its white space as `%HH`.
    fn token(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if self.out.len() > self.start {
            self.out.push(b' ');
        }
        let from = self.out.len();
        write(self.out);
        let token = self.out.get(from..).unwrap_or_default();
        if !token.iter().fold(true, |is_plain, byte| is_plain & byte.is_ascii_graphic()) {
            escape_from(self.out, from);
        }
    }

    /// Adds a token that is made of these pieces.
    fn push(&mut self, pieces: &[&str]) {
        self.token(|out| pieces.iter().filter(|piece| !piece.is_empty()).for_each(|piece| push(out, piece)));
    }

    fn path(&mut self, lines: &Lines<'_>) {
        let Some(path) = lines.path else { return };
        self.push(&["p=", path]);
        for segment in path.split('/').filter(|segment| !segment.is_empty() && more(segment).is_none()) {
            self.shown(["p/", "", ""], segment);
        }
        if let Some(extension) = path.rsplit('/').next().and_then(extension) {
            self.push(&["p.ext=", &extension]);
        }
        self.push(&["plen@", lines.path_length.bucket]);
        self.push(&["pmax@", lines.path_longest.bucket]);
    }

    fn keys(&mut self, place: &str, keys: Keys<'_>) {
        self.token(|out| {
            push(out, place);
            push(out, ".n=");
            number(out, keys.count);
        });
        self.push(&[place, ".keys=", keys.text()]);
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
        let mut shapes: Vec<(&str, _)> = values.iter().collect();
        let mut next = 0;
        // Keys come in order of arrival, their shapes key by key in order of first arrival: mostly the next is the one.
        let mut shape = |key: &str| {
            let is_next = shapes.get(next).is_some_and(|(there, _)| *there == key);
            let at = if is_next { Some(next) } else { shapes.iter().position(|(there, _)| *there == key) };
            next = at?.saturating_add(1);
            shapes.get_mut(at?)?.1.next()
        };
        let pairs: Vec<(&str, &str)> = keys.map(|key| (key, shape(key).unwrap_or_default())).collect();
        self.grouped_values(place, pairs.into_iter());
    }

    /// Values in order of arrival, told key by key.
    fn grouped_values(&mut self, place: &str, pairs: impl Iterator<Item = (&'d str, &'d str)>) {
        let tag = place.bytes().next();
        let dotted = if place == "q" { "q." } else { "b." };
        let indexed = pairs.enumerate().map(|(i, (key, shape))| (key, (i, shape)));
        let indexed: Vec<(&str, (usize, &str))> = indexed.collect();
        if indexed.len() > FEW {
            for (key, values) in grouped(indexed.into_iter()) {
                self.values_of([dotted, key, ""], tag, values.into_iter());
            }
            return;
        }
        for (at, (key, _)) in indexed.iter().enumerate() {
            let is_told = indexed.iter().take(at).any(|(before, _)| before == key);
            if !is_told {
                let same = indexed.iter().skip(at).filter(|(other, _)| other == key);
                self.values_of([dotted, key, ""], tag, same.map(|(_, value)| *value));
            }
        }
    }

    /// The values of one key.
    fn values_of(&mut self, place: At<'_>, tag: Option<u8>, values: impl Iterator<Item = (usize, &'d str)>) {
        self.push(&place);
        for (index, shape) in values {
            self.value(place, tag, index, shape);
        }
    }

    /// One value: its shape, what it is made of, and its leaves where it is JSON.
    fn value(&mut self, place: At<'_>, tag: Option<u8>, index: usize, shown: &'d str) {
        let mut notes: Vec<Note<'d>> = tag.into_iter().flat_map(|tag| self.notes.of(tag, index)).collect();
        let own = match notes.first() {
            Some(note) if note.leaf.is_none() => notes.remove(0),
            _ => Note::default(),
        };
        let marker = Marker::of_leaf(shown);
        self.shaped(place, own.marker.unwrap_or(shown));
        if marker.is_none() && !shown.is_empty() {
            let [first, key, leaf] = place;
            self.push(&[first, key, leaf, "=\"", shown, "\""]);
        }
        self.made_of(place, own, marker);
        let leaves = notes.iter().filter_map(|note| Some((note.leaf?, *note)));
        for (leaf, notes) in grouped(leaves) {
            let [first, key, _] = place;
            let place = [first, key, leaf];
            self.push(&place);
            for note in notes {
                self.shaped(place, note.marker.unwrap_or_default());
                self.made_of(place, note, None);
            }
        }
    }

    /// What a value is made of: by its note, or by the set of its marker in a document that was read back.
    fn made_of(&mut self, [first, key, leaf]: At<'_>, note: Note<'d>, marker: Option<Marker<'_>>) {
        let mut words = note.words().peekable();
        if words.peek().is_some() {
            return words.for_each(|word| self.push(&[first, key, leaf, word]));
        }
        for sign in marker.into_iter().flat_map(|marker| marker.set.signs()) {
            self.token(|out| {
                [first, key, leaf, "~"].iter().for_each(|piece| push(out, piece));
                charset::write_sign(sign, out);
            });
        }
    }

    fn headers(&mut self, lines: &Lines<'d>) {
        let mut before = None;
        for (index, header) in lines.headers.iter().enumerate() {
            let name = header_name(header.name);
            if before != Some(header.name) {
                self.push(&["h.", &name]);
            }
            before = Some(header.name);
            self.header(header, ["h.", &name, ""], index);
        }
        self.token(|out| {
            push(out, "hcnt=");
            number(out, lines.header_count);
        });
        self.push(&["hlen@", lines.header_length.bucket]);
    }

    fn header(&mut self, header: &HeaderLine<'d>, place: At<'_>, index: usize) {
        if !SPACED_HEADERS.contains(&header.name) {
            let is_length = header.name == "content-length";
            return match Some(header.value).filter(|_| is_length).and_then(|value| self.bucket(value)) {
                Some(bucket) => self.push(&["h.content-length@", bucket]),
                None => {
                    let note = self.notes.of(b'h', index).next().unwrap_or_default();
                    self.shown(place, header.value);
                    if let Some(marker) = note.marker {
                        self.shown(place, marker);
                    }
                    self.made_of(place, note, Marker::of_value(header.value));
                }
            };
        }
        for item in header.value.split(' ').filter(|item| !item.is_empty()) {
            match Some(item).filter(|_| header.name == "cookie").and_then(cookie) {
                Some((name, length)) => self.push(&["c.", name, "@", self.buckets.label(length)]),
                None => self.shown(place, item),
            }
        }
    }

    /// A flag at its place.
    fn raised(&mut self, raised: &Raised<'_>) {
        let (place, name) = match raised.place() {
            Place::Method => ("m", Cow::Borrowed("")),
            Place::Url => ("u", Cow::Borrowed("")),
            Place::Path => ("p", Cow::Borrowed("")),
            Place::Query => ("q", Cow::Borrowed("")),
            Place::QueryKey(key) => ("q.", Cow::Borrowed(key)),
            Place::Header(name) => ("h.", header_name(name)),
            Place::Body => ("b", Cow::Borrowed("")),
            Place::BodyKey(key) => ("b.", Cow::Borrowed(key)),
        };
        let (colon, parameter) = raised.parameter().map_or(("", ""), |parameter| (":", parameter));
        self.push(&["f.", place, &name, "=", raised.flag().name(), colon, parameter]);
    }

    /// The bucket of `n@bucket`, where it is that of the number.
    fn bucket<'t>(&self, measure: &'t str) -> Option<&'t str> {
        let (length, bucket) = measure.split_once('@')?;
        (self.buckets.label(length.parse().ok()?) == bucket).then_some(bucket)
    }

    /// Text that may stand in clear: a marker keeps its brackets, so that it is no word of the
    /// request, and is told again with the bucket of its length.
    fn shown(&mut self, place: At<'_>, text: &str) {
        match Marker::of_value(text) {
            None => {
                let [first, key, leaf] = place;
                self.push(&[first, key, leaf, "=", text]);
            }
            Some(marker) => self.measured(place, ["=<", ">"], &marker),
        }
    }

    /// A shape. What is none stands in clear, and gives nothing.
    fn shaped(&mut self, place: At<'_>, text: &str) {
        if let Some(marker) = Marker::of_leaf(text) {
            self.measured(place, ["=", ""], &marker);
        }
    }

    /// `lower`, `SECRET.alpha`, `file.tar.gz`, between `around`; again with the bucket of its length, and with that itself
    /// where it is asked for.
    fn measured(&mut self, [first, key, leaf]: At<'_>, around: [&str; 2], marker: &Marker<'_>) {
        let [open, close] = around;
        let secret = if marker.is_secret { "SECRET." } else { "" };
        let (dot, extension) = marker.extension.map_or(("", ""), |extension| (".", extension));
        let what = [first, key, leaf, open, secret, marker.word, dot, extension, close];
        self.push(&what);
        let Some(length) = marker.length else { return };
        let bucket = self.buckets.label(length);
        self.token(|out| {
            what.iter().for_each(|piece| push(out, piece));
            push(out, "@");
            push(out, bucket);
        });
        if self.options.lengths {
            self.token(|out| {
                what.iter().for_each(|piece| push(out, piece));
                push(out, "#");
                number(out, length);
            });
        }
    }
}

/// The name of a header, with those signs escaped that a sign, a skeleton or a length begins with.
fn header_name(name: &str) -> Cow<'_, str> {
    if !name.bytes().any(|byte| matches!(byte, b'~' | b'^' | b'#')) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.replace('~', "%7E").replace('^', "%5E").replace('#', "%23"))
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
    let inner = item.strip_suffix('>')?;
    let at = memchr::memrchr(b'<', inner.as_bytes())?;
    let (name, length) = (inner.get(..at)?, inner.get(at..)?.strip_prefix("<len:")?);
    Some((name, length.parse().ok()?))
}

/// Writes the white space of what `out` has behind `from` as `%HH`.
#[cold]
fn escape_from(out: &mut Vec<u8>, from: usize) {
    let token = out.split_off(from.min(out.len()));
    // Whoever writes tokens writes UTF-8; were it not, nothing may leak from it.
    for c in std::str::from_utf8(&token).unwrap_or_default().chars() {
        let mut buffer = [0; 4];
        let encoded = c.encode_utf8(&mut buffer).as_bytes();
        if unicode::is_white_space(c) {
            for byte in encoded {
                out.push(b'%');
                out.extend(bytes::hex(*byte));
            }
        } else {
            out.extend_from_slice(encoded);
        }
    }
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
        let escaped = |text: &str| {
            let mut out = format!("a {text}").into_bytes();
            escape_from(&mut out, 2);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(escaped("a/b%20<c>"), "a a/b%20<c>");
        assert_eq!(escaped("a b\u{a0}c\u{3000}é"), "a a%20b%C2%A0c%E3%80%80é");
    }
}
