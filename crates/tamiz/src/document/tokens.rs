//! The document as tokens (clause 9.17): for models that count words, each ties a place to what is
//! there.
//!
//! Everything in a token comes from the text or the notes, so nothing that these hide can be in one.

use std::fmt::Display;

use super::Document;
use super::keys::{Keys, Values, grouped};
use super::lines::{HeaderLine, Lines};
use super::marker::{Marker, more};
use crate::bytes;
use crate::decode::unicode;
use crate::measure::Buckets;

/// Headers whose values are shown as items with a space between them.
const SPACED_HEADERS: [&str; 6] =
    ["accept", "accept-charset", "accept-encoding", "accept-language", "cookie", "user-agent"];

/// The marker of a value that is not there.
const NOTHING: &str = "<mixed:0>";

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
    /// for token in ["q.cp", "q.cp=mixed", "q.cp=mixed@0-15", "f=QUOTE", "f.q.cp=QUOTE"] {
    ///     assert!(tokens.iter().any(|there| there == token));
    /// }
    /// ```
    pub fn tokens(&self) -> Vec<String> {
        let lines = self.lines();
        let mut tokens = Tokens { list: Vec::new(), buckets: self.buckets() };
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
                tokens.shaped("b", shape);
            }
            if let Some(keys) = body.keys {
                tokens.keys("b", keys);
                tokens.values("b", &body.values);
            }
        }
        for flag in self.rollup() {
            tokens.pair("f", flag);
        }
        for raised in self.flags() {
            tokens.push(format!("f.{}={raised}", raised.place()));
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

struct Tokens {
    list: Vec<String>,
    buckets: Buckets,
}

impl Tokens {
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

    /// The shapes of the query's values: from the `QK` lines where there are some, else from the
    /// URL, where values that stand in clear give none.
    fn query_values(&mut self, lines: &Lines<'_>) {
        if !lines.query_values.is_empty() {
            return self.values("q", &lines.query_values);
        }
        let shown = lines.keys().count();
        let pairs = lines.url_query().into_iter().flat_map(|query| query.split('&'));
        let shapes = pairs.map(|pair| pair.split_once('=').map_or(NOTHING, |(_, value)| value));
        let shapes = shapes.chain(std::iter::repeat("")).take(shown);
        for (key, values) in grouped(lines.keys().zip(shapes)) {
            self.value("q", key, values.into_iter());
        }
    }

    fn values(&mut self, place: &str, values: &Values<'_>) {
        for (key, shapes) in values.iter() {
            self.value(place, key, shapes);
        }
    }

    fn value<'d>(&mut self, place: &str, key: &str, shapes: impl Iterator<Item = &'d str>) {
        let place = format!("{place}.{key}");
        self.push(place.clone());
        for shape in shapes {
            self.shaped(&place, shape);
        }
    }

    fn headers(&mut self, lines: &Lines<'_>) {
        for group in lines.headers.chunk_by(|a, b| a.name == b.name) {
            let Some(first) = group.first() else { continue };
            self.push(format!("h.{}", first.name));
            for header in group {
                self.header(header);
            }
        }
        self.push(format!("hcnt={}", lines.header_count));
        self.push(format!("hlen@{}", lines.header_length.bucket));
    }

    fn header(&mut self, header: &HeaderLine<'_>) {
        let place = format!("h.{}", header.name);
        if !SPACED_HEADERS.contains(&header.name) {
            return match bucket(header.value).filter(|_| header.name == "content-length") {
                Some(bucket) => self.push(format!("{place}@{bucket}")),
                None => self.shown(&place, header.value),
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
        }
    }
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

/// The bucket of `n@bucket`.
fn bucket(measure: &str) -> Option<&str> {
    let (length, bucket) = measure.split_once('@')?;
    let is_bucket = bucket.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'>'));
    (is_bucket && length.bytes().all(|byte| byte.is_ascii_digit())).then_some(bucket)
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
