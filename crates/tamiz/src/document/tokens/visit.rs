//! Reads the tokens of a document off its lines and notes, and hands them to a sink in pieces.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::{TokenOptions, TokenSink};
use crate::document::keys::{Keys, Values, grouped};
use crate::document::lines::{HeaderLine, Lines, Place};
use crate::document::made_of::{Note, Notes};
use crate::document::marker::{Marker, more};
use crate::document::{Document, Raised};
use crate::measure::Buckets;
use crate::show::charset::{self, CharSet};

/// Headers whose values are shown as items with a space between them.
const SPACED_HEADERS: [&str; 6] =
    ["accept", "accept-charset", "accept-encoding", "accept-language", "cookie", "user-agent"];

/// Up to so many values, looking at all before each is quicker than sorting them.
const FEW: usize = 16;

/// The marker of a value that is not there.
const NOTHING: &str = "<mixed:0>";

impl Document {
    /// Hands the tokens of [`Document::tokens_with`] to a sink, in the same order, without making strings of them.
    #[doc(hidden)]
    pub fn visit_tokens<'d, S: TokenSink<'d>>(&'d self, options: TokenOptions, sink: &mut S) {
        let lines = self.lines();
        let buckets = self.buckets();
        sink.head(lines.method, lines.path);
        let mut visit = Visit { sink, buckets: &buckets, notes: Notes::read(self.notes()), options };
        visit.place("m");
        visit.shown(lines.method);
        visit.place("");
        if let Some(version) = self.version() {
            visit.sink.tell(["v=", version]);
        }
        if let Some(host) = lines.host() {
            visit.sink.tell(["u.host=", host]);
        }
        visit.path(&lines);
        if let Some(keys) = lines.query {
            visit.keys("q", keys);
            visit.query_values(&lines);
        }
        visit.headers(&lines);
        if let Some(body) = &lines.body {
            visit.place("");
            visit.sink.tell(["b.kind=", body.kind]);
            visit.sink.tell(["blen@", body.length.bucket]);
            if let Some(shape) = body.shape {
                visit.place("b");
                visit.value(["b", "", ""], Some(b'b'), 0, shape);
            }
            if let Some(keys) = body.keys {
                visit.keys("b", keys);
                visit.values("b.", keys, &body.values);
            }
        }
        visit.place("");
        if S::ROLLUP {
            for flag in lines.rollup.into_iter().flat_map(|rollup| rollup.split(' ')) {
                visit.sink.tell(["f=", flag]);
            }
        }
        for raised in self.raised_in(&lines) {
            visit.raised(&raised);
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
type At<'d> = [&'d str; 3];

/// A document under way to a sink.
struct Visit<'d, 's, S> {
    sink: &'s mut S,
    buckets: &'s Buckets,
    notes: Notes<'d>,
    options: TokenOptions,
}

impl<'d, S: TokenSink<'d>> Visit<'d, '_, S> {
    fn place(&mut self, name: &'d str) {
        self.sink.place([name, "", ""]);
    }

    fn path(&mut self, lines: &Lines<'d>) {
        let Some(path) = lines.path else { return };
        self.sink.tell(["p=", path]);
        self.place("p/");
        for segment in path.split('/').filter(|segment| !segment.is_empty() && more(segment).is_none()) {
            self.shown(segment);
        }
        self.place("");
        if let Some(extension) = path.rsplit('/').next().and_then(extension) {
            self.sink.tell(["p.ext=", &extension]);
        }
        self.sink.tell(["plen@", lines.path_length.bucket]);
        self.sink.tell(["pmax@", lines.path_longest.bucket]);
    }

    fn keys(&mut self, place: &'d str, keys: Keys<'_>) {
        self.place(place);
        self.sink.tell([".n=", Digits::of(keys.count).as_str()]);
        self.sink.tell([".keys=", keys.text()]);
    }

    /// The values of the query: from the `QK` lines where there are some, else from the URL.
    fn query_values(&mut self, lines: &Lines<'d>) {
        if !lines.query_values.is_empty() {
            return self.values("q.", lines.query.unwrap_or_default(), &lines.query_values);
        }
        let pairs = lines.url_query().into_iter().flat_map(|query| query.split('&'));
        let shown = pairs.map(|pair| pair.split_once('=').map_or(NOTHING, |(_, value)| value));
        self.grouped_values("q.", lines.keys().zip(shown.chain(std::iter::repeat(""))));
    }

    /// The values of `keys`, whose shapes stand in lines of their own.
    fn values(&mut self, dotted: &'d str, keys: Keys<'d>, values: &Values<'d>) {
        if values.iter().size_hint().0 as u64 == keys.count.saturating_sub(keys.more) {
            // Each key came once.
            for (index, (key, shapes)) in values.iter().enumerate() {
                self.values_of([dotted, key, ""], shapes.map(|shape| (index, shape)));
            }
            return;
        }
        let mut shapes: Vec<(&str, _)> = values.iter().collect();
        let mut next = 0;
        // Keys come in order of arrival, their shapes key by key in order of first arrival: mostly the next is the one.
        let mut shape = |key: &str| {
            let is_next = shapes.get(next).is_some_and(|(there, _)| *there == key);
            let at = if is_next { Some(next) } else { shapes.iter().position(|(there, _)| *there == key) };
            next = at?.saturating_add(1);
            shapes.get_mut(at?)?.1.next()
        };
        let pairs: Vec<(&str, &str)> = keys.iter().map(|key| (key, shape(key).unwrap_or_default())).collect();
        self.grouped_values(dotted, pairs.into_iter());
    }

    /// Values in order of arrival, told key by key.
    fn grouped_values(&mut self, dotted: &'d str, mut pairs: impl Iterator<Item = (&'d str, &'d str)>) {
        let mut few = [("", (0, "")); FEW];
        let mut count = 0;
        for (place, (index, (key, shape))) in few.iter_mut().zip(pairs.by_ref().enumerate()) {
            *place = (key, (index, shape));
            count = index.saturating_add(1);
        }
        let few = few.get(..count).unwrap_or_default();
        if let Some(next) = (count == FEW).then(|| pairs.next()).flatten() {
            let rest = std::iter::once(next).chain(pairs).enumerate();
            let rest = rest.map(|(i, (key, shape))| (key, (i.saturating_add(FEW), shape)));
            for (key, values) in grouped(few.iter().copied().chain(rest)) {
                self.values_of([dotted, key, ""], values.into_iter());
            }
            return;
        }
        for (at, (key, _)) in few.iter().enumerate() {
            let is_told = few.iter().take(at).any(|(before, _)| before == key);
            if !is_told {
                let same = few.iter().skip(at).filter(|(other, _)| other == key);
                self.values_of([dotted, key, ""], same.map(|(_, value)| *value));
            }
        }
    }

    /// The values of one key.
    fn values_of(&mut self, place: At<'d>, values: impl Iterator<Item = (usize, &'d str)>) {
        let tag = place.first().and_then(|first| first.bytes().next());
        self.sink.place(place);
        self.sink.here();
        for (index, shape) in values {
            self.value(place, tag, index, shape);
        }
    }

    /// One value of the place: its shape, what it is made of, and its leaves where it is JSON.
    fn value(&mut self, place: At<'d>, tag: Option<u8>, index: usize, shown: &'d str) {
        let mut notes = tag.map(|tag| self.notes.of(tag, index)).unwrap_or_default();
        let own = self.notes.get(notes.clone()).first().filter(|note| note.leaf.is_none()).copied();
        notes.start = notes.start.saturating_add(usize::from(own.is_some()));
        let own = own.unwrap_or_default();
        let marker = leaf_marker(shown);
        match own.marker {
            None => marker.iter().for_each(|marker| self.measured(["=", ""], marker)),
            Some(marker) => self.shaped(marker),
        }
        if marker.is_none() && !shown.is_empty() {
            self.sink.value(["=\"", shown, "\""], &[]);
        }
        self.made_of(own, marker);
        if !notes.is_empty() {
            let leaves = self.notes.get(notes).iter().filter_map(|note| Some((note.leaf?, *note)));
            let leaves = grouped(leaves);
            self.leaves(place, leaves);
        }
    }

    /// The leaves of a value that is JSON.
    fn leaves(&mut self, place: At<'d>, leaves: Vec<(&'d str, Vec<Note<'d>>)>) {
        let [first, key, _] = place;
        for (leaf, notes) in leaves {
            self.sink.place([first, key, leaf]);
            self.sink.here();
            for note in notes {
                self.shaped(note.marker.unwrap_or_default());
                self.made_of(note, None);
            }
        }
        self.sink.place(place);
    }

    /// What a value is made of: by its note, or by the set of its marker in a document that was read back.
    fn made_of(&mut self, note: Note<'d>, marker: Option<Marker<'_>>) {
        let mut words = note.words().peekable();
        if words.peek().is_some() {
            return words.for_each(|word| self.sink.tell([word]));
        }
        for sign in marker.into_iter().flat_map(|marker| marker.set.signs()) {
            let mut written = Vec::with_capacity(3);
            charset::write_sign(sign, &mut written);
            self.sink.tell(["~", std::str::from_utf8(&written).unwrap_or_default()]);
        }
    }

    fn headers(&mut self, lines: &Lines<'d>) {
        let mut before = None;
        for (index, header) in lines.headers.iter().enumerate() {
            match header_name(header.name) {
                Cow::Borrowed(name) => self.sink.place(["h.", name, ""]),
                Cow::Owned(name) => self.sink.place_respelled(format!("h.{name}")),
            }
            if before != Some(header.name) {
                self.sink.here();
            }
            before = Some(header.name);
            self.header(header, index);
        }
        self.place("");
        self.sink.tell(["hcnt=", Digits::of(lines.header_count).as_str()]);
        self.sink.tell(["hlen@", lines.header_length.bucket]);
    }

    fn header(&mut self, header: &HeaderLine<'d>, index: usize) {
        if header.name == "content-length"
            && let Some(bucket) = self.bucket(header.value)
        {
            return self.sink.tell(["@", bucket]);
        }
        if !SPACED_HEADERS.contains(&header.name) {
            let notes = self.notes.of(b'h', index);
            let note = self.notes.get(notes).first().copied().unwrap_or_default();
            let marker = self.shown(header.value);
            if let Some(marker) = note.marker {
                self.shown(marker);
            }
            return self.made_of(note, marker);
        }
        let is_cookie = header.name == "cookie";
        for item in header.value.split(' ').filter(|item| !item.is_empty()) {
            match Some(item).filter(|_| is_cookie).and_then(cookie) {
                Some((name, length)) => {
                    let bucket = self.buckets.label(length);
                    self.place("");
                    self.sink.tell(["c.", name, "@", bucket]);
                    self.sink.place(["h.cookie", "", ""]);
                }
                None => {
                    self.shown(item);
                }
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
        self.sink.tell(["f.", place, &name, "=", raised.flag().name(), colon, parameter]);
    }

    /// The bucket of `n@bucket`, where it is that of the number.
    fn bucket<'t>(&self, measure: &'t str) -> Option<&'t str> {
        let (length, bucket) = measure.split_once('@')?;
        (self.buckets.label(length.parse().ok()?) == bucket).then_some(bucket)
    }

    /// Text that may stand in clear: a marker keeps its brackets, so that it is no word of the
    /// request, and is told again with the bucket of its length. Returns the marker.
    fn shown(&mut self, text: &'d str) -> Option<Marker<'d>> {
        let marker = text.starts_with('<').then(|| Marker::of_value(text)).flatten();
        match &marker {
            None => self.sink.value(["=", text], &[]),
            Some(marker) => self.measured(["=<", ">"], marker),
        }
        marker
    }

    /// A shape. What is none stands in clear, and gives nothing.
    fn shaped(&mut self, text: &'d str) {
        if let Some(marker) = leaf_marker(text) {
            self.measured(["=", ""], &marker);
        }
    }

    /// `lower`, `SECRET.alpha`, `file.tar.gz`, between `around`; again with the bucket of its length, and with that itself
    /// where it is asked for.
    fn measured(&mut self, around: [&'d str; 2], marker: &Marker<'d>) {
        let digits = Digits::of(marker.length.filter(|_| self.options.lengths).unwrap_or_default());
        let ends = [["@", marker.length.map_or("", |length| self.buckets.label(length))], ["#", digits.as_str()]];
        let count = usize::from(marker.length.is_some()) << usize::from(self.options.lengths);
        let ends = ends.get(..count).unwrap_or_default();
        let [open, close] = around;
        match (marker.is_secret, marker.extension) {
            (false, None) => self.sink.value([open, marker.word, close], ends),
            (is_secret, extension) => {
                let secret = if is_secret { "SECRET." } else { "" };
                let (dot, extension) = extension.map_or(("", ""), |extension| (".", extension));
                self.sink.value([open, secret, marker.word, dot, extension, close], ends);
            }
        }
    }
}

/// Reads a marker of a leaf; the most common ones at a glance.
fn leaf_marker(text: &str) -> Option<Marker<'_>> {
    plain_marker(text).or_else(|| Marker::of_leaf(text))
}

/// Reads `<word:number>` of a common shape.
fn plain_marker(text: &str) -> Option<Marker<'_>> {
    let (word, digits) = text.strip_prefix('<')?.strip_suffix('>')?.split_once(':')?;
    let is_common = matches!(
        word,
        "num" | "lower" | "alpha" | "alnum" | "lowernum" | "mixed" | "slug" | "words" | "hex" | "dec" | "upper"
    );
    let is_number = is_common && (1..=7).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let length = digits.bytes().fold(0_u64, |n, digit| n.wrapping_mul(10).wrapping_add(u64::from(digit & 15)));
    let marker = Marker {
        is_secret: false,
        word,
        extension: None,
        length: Some(length),
        set: CharSet::default(),
    };
    is_number.then_some(marker)
}

/// The name of a header, with those signs escaped that a sign, a skeleton or a length begins with.
fn header_name(name: &str) -> Cow<'_, str> {
    if !name.bytes().fold(false, |any, byte| any | matches!(byte, b'~' | b'^' | b'#')) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.replace('~', "%7E").replace('^', "%5E").replace('#', "%23"))
}

/// What follows the last dot of a segment, its parameters aside: one to eight letters and digits.
fn extension(segment: &str) -> Option<Cow<'_, str>> {
    let (_, extension) = segment.split(';').next()?.rsplit_once('.')?;
    let is_one =
        (1..=8).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_lower = !extension.bytes().any(|byte| byte.is_ascii_uppercase());
    is_one.then(|| if is_lower { extension.into() } else { extension.to_ascii_lowercase().into() })
}

/// The name and length of `NAME<len:n>`.
fn cookie(item: &str) -> Option<(&str, u64)> {
    let inner = item.strip_suffix('>')?;
    let at = memchr::memrchr(b'<', inner.as_bytes())?;
    let (name, length) = (inner.get(..at)?, inner.get(at..)?.strip_prefix("<len:")?);
    Some((name, length.parse().ok()?))
}

/// A number in decimal digits.
struct Digits {
    bytes: [u8; 20],
    from: usize,
}

impl Digits {
    fn of(mut number: u64) -> Self {
        let mut digits = Digits { bytes: [b'0'; 20], from: 20 };
        for (at, byte) in digits.bytes.iter_mut().enumerate().rev() {
            *byte = b'0' | u8::try_from(number % 10).unwrap_or_default();
            digits.from = at;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        digits
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(self.bytes.get(self.from..).unwrap_or_default()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;

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
    fn markers_at_a_glance_are_those_that_are_read() {
        let words = Shape::ALL.iter().map(|shape| shape.as_str()).chain(["bool", "file", "more", "len", ""]);
        for word in words {
            for rest in [":0", ":5", ":0012", ":1234567", ":12345678", ":", ":x", ":5~4.1", ":5:%27", "", ":5:"] {
                for text in [format!("<{word}{rest}>"), format!("<{word}{rest}"), format!("{word}{rest}>")] {
                    let quick = plain_marker(&text);
                    assert!(quick.is_none() || quick == Marker::of_leaf(&text), "{text}");
                }
            }
        }
        assert!(plain_marker("<num:5>").is_some());
    }

    #[test]
    fn numbers_are_written() {
        for number in [0, 7, 10, 99, 1234, u64::MAX] {
            assert_eq!(Digits::of(number).as_str(), number.to_string());
        }
    }
}
