//! Reads the tokens of a document off its lines and notes, and hands them to a sink in pieces.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::pieces::{
    Digits, NOTHING, cookie, cut_at, each_flag, extension, header_name, leaf_marker, pieces, same_name,
};
use super::{TokenOptions, TokenSink};
use crate::buckets::Buckets;
use crate::document::body::Body;
use crate::document::keys::{Keys, Values, grouped};
use crate::document::lines::{HeaderLine, Lines, MORE_HEADERS, Place};
use crate::document::made_of::{Note, Notes};
use crate::document::marker::{Marker, more};
use crate::document::{Document, Raised};
use crate::show::charset;

/// Up to so many values, looking at all before each is quicker than sorting them.
const FEW: usize = 16;

impl Document {
    /// Hands the tokens of [`Document::tokens_with`] to a sink, in the same order, without making strings of them.
    #[doc(hidden)]
    pub fn visit_tokens<'d, S: TokenSink<'d>>(&'d self, options: TokenOptions, sink: &mut S) {
        let lines = self.lines();
        let buckets = OwnBuckets::of(self);
        sink.head(lines.method, lines.path);
        let notes = Notes::read(self.notes());
        let mut visit = Visit { sink, buckets: &buckets, notes, options };
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
        visit.query(&lines);
        visit.headers(&lines);
        if let Some(body) = &lines.body {
            visit.body(body);
        }
        visit.place("");
        if S::ROLLUP {
            for flag in lines.rollup.into_iter().flat_map(|rollup| rollup.split(' ')) {
                visit.sink.tell(["f=", flag]);
            }
        }
        if self.notes().is_empty() {
            self.raised_in(&lines).iter().for_each(|raised| visit.raised(raised));
        } else {
            visit.flags(&lines);
        }
    }
}

/// A place, in pieces that follow each other: `q.`, a key, and the way to a leaf of its value.
type At<'d> = [&'d str; 3];

/// The buckets of a document, which are looked for when they are needed.
pub(super) struct OwnBuckets<'d> {
    document: &'d Document,
    buckets: OnceCell<Cow<'static, Buckets>>,
}

impl<'d> OwnBuckets<'d> {
    pub(super) fn of(document: &'d Document) -> Self {
        OwnBuckets { document, buckets: OnceCell::new() }
    }

    fn get(&self) -> &Buckets {
        self.buckets.get_or_init(|| self.document.buckets())
    }
}

/// A document under way to a sink.
pub(super) struct Visit<'d, 's, S> {
    pub(super) sink: &'s mut S,
    pub(super) buckets: &'s OwnBuckets<'d>,
    pub(super) notes: Notes<'d>,
    pub(super) options: TokenOptions,
}

impl<'d, S: TokenSink<'d>> Visit<'d, '_, S> {
    pub(super) fn place(&mut self, name: &'d str) {
        self.sink.place([name, "", ""]);
    }

    pub(super) fn path(&mut self, lines: &Lines<'d>) {
        let Some(path) = lines.path else { return };
        let (length, longest) = (lines.path_length.bucket, lines.path_longest.bucket);
        self.sink.tell(["p=", path]);
        self.place("p/");
        let mut last = "";
        for segment in pieces(path, b'/') {
            last = segment;
            let is_left_out = segment.starts_with('<') && more(segment).is_some();
            if !segment.is_empty() && !is_left_out {
                self.shown(segment);
            }
        }
        self.place("");
        if let Some(extension) = extension(last) {
            self.sink.tell(["p.ext=", &extension]);
        }
        self.sink.tell(["plen@", length]);
        self.sink.tell(["pmax@", longest]);
    }

    pub(super) fn keys(&mut self, place: &'d str, keys: Keys<'_>) {
        self.place(place);
        self.sink.tell([".n=", Digits::of(keys.count).as_str()]);
        self.sink.tell([".keys=", keys.text()]);
    }

    pub(super) fn query(&mut self, lines: &Lines<'d>) {
        if let Some(keys) = lines.query {
            self.keys("q", keys);
            self.query_values(lines);
        }
    }

    pub(super) fn body(&mut self, body: &Body<'d>) {
        self.body_sizes(body);
        if let Some(shape) = body.shape {
            self.place("b");
            self.value(["b", "", ""], Some(b'b'), 0, shape);
        }
        if let Some(keys) = body.keys {
            self.keys("b", keys);
            self.values("b.", keys, &body.values);
        }
    }

    pub(super) fn body_sizes(&mut self, body: &Body<'d>) {
        self.place("");
        self.sink.tell(["b.kind=", body.kind]);
        self.sink.tell(["blen@", body.length.bucket]);
    }

    /// The values of the query: from the `QK` lines where there are some, else from the URL.
    fn query_values(&mut self, lines: &Lines<'d>) {
        if !lines.query_values.is_empty() {
            return self.values("q.", lines.query.unwrap_or_default(), &lines.query_values);
        }
        let pairs = lines.url_query().into_iter().flat_map(|query| pieces(query, b'&'));
        let shown = pairs.map(|pair| cut_at(pair, b'=').1.unwrap_or(NOTHING));
        self.grouped_values("q.", lines.keys().zip(shown.chain(std::iter::repeat(""))));
    }

    /// The values of `keys`, whose shapes stand in lines of their own.
    fn values(&mut self, dotted: &'d str, keys: Keys<'d>, values: &Values<'d>) {
        let lines = values.lines();
        if lines.len() as u64 == keys.count.saturating_sub(keys.more) {
            // Each key came once.
            for (index, (key, shape)) in lines.iter().enumerate() {
                self.values_of([dotted, key, ""], std::iter::once((index, *shape)));
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
        let notes = tag.map(|tag| self.notes.of(tag, index)).unwrap_or_default();
        let own = self.notes.get(notes.clone()).first().filter(|note| note.leaf.is_none()).copied();
        self.own_value(own.unwrap_or_default(), shown);
        if !notes.is_empty() {
            let leaves = self.notes.get(notes).iter().filter_map(|note| Some((note.leaf?, *note)));
            let leaves = grouped(leaves);
            self.leaves(place, leaves);
        }
    }

    /// The tokens of a value itself: its shape and its composition.
    pub(super) fn own_value(&mut self, own: Note<'d>, shown: &'d str) {
        let marker = leaf_marker(shown);
        match own.marker {
            None => marker.iter().for_each(|marker| self.measured(["=", ""], marker)),
            Some(marker) => self.shaped(marker),
        }
        if marker.is_none() && !shown.is_empty() {
            self.sink.value(["=\"", shown, "\""], &[]);
        }
        self.made_of(own, marker);
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

    /// The composition of a value: by its note, or by the set of its marker in a document that was read back.
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
            let notes = self.notes.of(b'h', index);
            let note = self.notes.get(notes).first().copied().unwrap_or_default();
            self.header_place(header.name);
            if before != Some(header.name) {
                self.sink.here();
            }
            before = Some(header.name);
            self.header(header, note);
        }
        self.place("");
        self.header_sizes(lines);
    }

    pub(super) fn header_sizes(&mut self, lines: &Lines<'d>) {
        self.sink.tell(["hcnt=", Digits::of(lines.header_count).as_str()]);
        self.sink.tell(["hlen@", lines.header_length.bucket]);
    }

    pub(super) fn header_place(&mut self, name: &'d str) {
        match header_name(name) {
            Cow::Borrowed(name) => self.sink.place(["h.", name, ""]),
            Cow::Owned(name) => self.sink.place_respelled(format!("h.{name}")),
        }
    }

    pub(super) fn header(&mut self, header: &HeaderLine<'d>, note: Note<'d>) {
        match header.name {
            "accept" | "accept-charset" | "accept-encoding" | "accept-language" | "user-agent" => {
                for item in pieces(header.value, b' ').filter(|item| !item.is_empty()) {
                    self.shown(item);
                }
            }
            "cookie" => {
                for item in pieces(header.value, b' ').filter(|item| !item.is_empty()) {
                    self.cookie(item);
                }
            }
            _ => {
                let is_length = header.name == "content-length";
                if let Some(bucket) =
                    Some(header.value).filter(|_| is_length).and_then(|text| self.bucket(text))
                {
                    return self.sink.tell(["@", bucket]);
                }
                let marker = self.shown(header.value);
                if let Some(marker) = note.marker {
                    self.shown(marker);
                }
                self.made_of(note, marker);
            }
        }
    }

    fn cookie(&mut self, item: &'d str) {
        let Some((name, length)) = cookie(item) else {
            self.shown(item);
            return;
        };
        self.place("");
        self.sink.tell(["c.", name, "@", self.buckets.get().label(length)]);
        self.place("h.cookie");
    }

    /// The flags of a fresh document, at their places, in the order of [`Document::flags`].
    fn flags(&mut self, lines: &Lines<'d>) {
        self.place("");
        for (place, flags) in
            [("f.m=", lines.method_flags), ("f.u=", lines.url_flags), ("f.p=", lines.path_flags)]
        {
            each_flag(flags, |flag| self.sink.tell([place, flag]));
        }
        self.noted(b'q');
        let mut rest = lines.headers.iter().as_slice();
        while let Some(at) = rest.iter().position(|header| !header.flags.is_empty()) {
            let (same, behind) = same_name(rest.get(at..).unwrap_or_default());
            self.header_flags(same);
            rest = behind;
        }
        if let Some(more) = lines.more_headers {
            each_flag(more.flags, |flag| self.sink.tell(["f.h.", MORE_HEADERS, "=", flag]));
        }
        self.noted(b'b');
    }

    /// The flags of the lines of one header, the first of which has some: each once, sorted.
    pub(super) fn header_flags(&mut self, lines: &[HeaderLine<'d>]) {
        let mut flags: Vec<&str> = Vec::new();
        lines.iter().for_each(|header| each_flag(header.flags, |flag| flags.push(flag)));
        flags.sort_unstable();
        flags.dedup();
        let name = header_name(lines.first().map_or("", |header| header.name));
        flags.iter().for_each(|flag| self.sink.tell(["f.h.", &name, "=", flag]));
    }

    /// The flags that the notes tell of the query or the body, and of their keys.
    fn noted(&mut self, tag: u8) {
        for note in pieces(self.notes.flags(), b'\n') {
            let (flag, Some(place)) = cut_at(note, b' ') else { continue };
            let is_there = matches!(place.as_bytes(), [first, ..] if *first == tag)
                && matches!(place.as_bytes(), [_] | [_, b'.', ..]);
            if is_there {
                self.sink.tell(["f.", place, "=", flag]);
            }
        }
    }

    /// A flag of a document that was read, at its place.
    fn raised(&mut self, raised: &Raised<'_>) {
        let place = match raised.place() {
            Place::Header(name) => format!("h.{}", header_name(name)),
            place => place.to_string(),
        };
        self.sink.tell(["f.", &place, "=", &raised.to_string()]);
    }

    /// The bucket of `n@bucket`, where it is that of the number, and the number as the form writes it.
    fn bucket<'t>(&self, measure: &'t str) -> Option<&'t str> {
        let (length, bucket) = measure.split_once('@')?;
        let length = Some(length).filter(|length| *length == "0" || !length.starts_with(['0', '+']))?;
        (self.buckets.get().label(length.parse().ok()?) == bucket).then_some(bucket)
    }

    /// Text that may stand in clear: a marker keeps its brackets, so that it is no word of the
    /// request, and is told again with the bucket of its length. Returns the marker.
    pub(super) fn shown(&mut self, text: &'d str) -> Option<Marker<'d>> {
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

    /// `lower`, `SECRET.alpha`, `file.tar.gz`, between `around`; again with the bucket of its length, and with that
    /// itself where it is asked for.
    fn measured(&mut self, around: [&'d str; 2], marker: &Marker<'d>) {
        let digits = Digits::of(marker.length.filter(|_| self.options.lengths).unwrap_or_default());
        let ends = [
            ["@", marker.length.map_or("", |length| self.buckets.get().label(length))],
            ["#", digits.as_str()],
        ];
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
