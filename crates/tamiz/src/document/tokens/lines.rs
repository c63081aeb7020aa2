//! Hands tokens to a sink section by section and line by line, so that it may skip what it knows: most sections and lines
//! of most requests came before.

use super::cursor::{Cursor, Hashed};
use super::groups::Groups;
use super::hash::{fold, hash_all, hash_until};
use super::pieces::{NOTHING, cut_at, each_flag, find, pieces};
use super::url::Url;
use super::visit::{OwnBuckets, Visit};
use super::{TokenOptions, TokenSink};
use crate::bytes;
use crate::document::lines::Lines;
use crate::document::made_of::{Note, Notes};
use crate::document::{Document, cut};

impl Document {
    /// Hands the tokens of [`Document::tokens`] but for `f=FLAG` to a sink, in any order, some of them more than once.
    /// What the sink skips does not come. Returns whether that could be done; if not, some of the tokens have come.
    #[doc(hidden)]
    pub fn visit_lines<'d, S: TokenSink<'d>>(&'d self, sink: &mut S) -> bool {
        let buckets = OwnBuckets::of(self);
        let options = TokenOptions::default();
        let seed = sink.seed();
        let visit = Visit { sink, buckets: &buckets, notes: Notes::default(), options };
        let notes = Cursor { text: self.notes(), seed };
        let url = Url { query: notes, ..Url::default() };
        let mut lines = LineByLine { document: self, visit, notes, url, headers: 0, values: 0 };
        lines.text(Cursor { text: self.as_str(), seed }).is_some()
    }
}

/// A document under way, line by line.
struct LineByLine<'d, 's, S> {
    document: &'d Document,
    visit: Visit<'d, 's, S>,
    /// The notes that belong to lines that are still to come.
    notes: Cursor<'d>,
    url: Url<'d>,
    /// How many headers and values of the body came.
    headers: usize,
    values: usize,
}

impl<'d, S: TokenSink<'d>> LineByLine<'d, '_, S> {
    fn text(&mut self, mut rest: Cursor<'d>) -> Option<()> {
        let method = rest.line()?;
        if rest.starts_with(b'U') {
            self.url = Url::cut(&mut rest)?;
        }
        let path = if rest.starts_with(b'P') { rest.line()? } else { Hashed::default() };
        self.head(method, path)?;
        self.flags()?;
        self.host()?;
        while let Some(first) = rest.text.as_bytes().first_chunk::<2>() {
            match first {
                [b'H', b':'] => self.headers(&mut rest)?,
                [b'F', _] => _ = rest.skip(b'\n')?,
                [b'Q', b':'] => self.query(rest.line()?, path)?,
                [b'H', _] => self.header_sizes(&mut rest)?,
                [b'B', _] => self.body(&mut rest)?,
                _ => return None,
            }
        }
        // What is left belongs to nothing that was shown.
        self.notes.text.is_empty().then_some(())
    }

    /// The method and the line of the path.
    fn head(&mut self, method: Hashed<'d>, path: Hashed<'d>) -> Option<()> {
        if self.visit.sink.skip_head(method.with(path)) {
            return Some(());
        }
        let mut lines = Lines::default();
        cut::take(method.text, &mut lines)?;
        if !path.text.is_empty() {
            cut::take(path.text, &mut lines)?;
        }
        let visit = &mut self.visit;
        visit.sink.head(lines.method, lines.path);
        visit.place("m");
        visit.shown(lines.method);
        visit.place("");
        visit.path(&lines);
        each_flag(lines.method_flags, |flag| visit.sink.tell(["f.m=", flag]));
        each_flag(lines.path_flags, |flag| visit.sink.tell(["f.p=", flag]));
        visit.sink.end_line();
        Some(())
    }

    /// Takes the version and the notes of flags, which come before those of values.
    fn flags(&mut self) -> Option<()> {
        while !self.notes.text.is_empty() && !self.notes.starts_with(b':') {
            let line = self.notes.line()?;
            if self.visit.sink.skip_line(b'n', line.hash) {
                continue;
            }
            self.visit.place("");
            match cut_at(line.text, b' ') {
                (flag, Some(place)) => self.visit.sink.tell(["f.", place, "=", flag]),
                (version, None) if version.len() > 2 => self.visit.sink.tell([version]),
                _ => {}
            }
            self.visit.sink.end_line();
        }
        Some(())
    }

    /// The host and the flags of a `U` line.
    fn host(&mut self) -> Option<()> {
        let url = self.url.before_query;
        if !self.url.flags.is_empty() {
            let (hash, _) = hash_until::<b'\n'>(self.notes.seed, self.url.flags.as_bytes());
            if !self.visit.sink.skip_line(b'f', hash) {
                self.visit.place("");
                each_flag(self.url.flags, |flag| self.visit.sink.tell(["f.u=", flag]));
                self.visit.sink.end_line();
            }
        }
        if matches!(url.as_bytes(), [] | [b'/', ..]) {
            return Some(());
        }
        // The host follows from what stands between the first `://` and the path; where there is none, from all of it.
        let behind_scheme = find(url.as_bytes(), b':').and_then(|at| url.get(at..)?.strip_prefix("://"));
        let (hash, _) = match behind_scheme {
            Some(rest) => hash_until::<b'/'>(self.notes.seed, rest.as_bytes()),
            None => hash_until::<b'\n'>(self.notes.seed, url.as_bytes()),
        };
        if !self.visit.sink.skip_line(b'u', hash) {
            let lines = Lines { url: Some(url), ..Lines::default() };
            self.visit.place("");
            if let Some(host) = lines.host() {
                self.visit.sink.tell(["u.host=", host]);
            }
            self.visit.sink.end_line();
        }
        Some(())
    }

    /// `HCNT`: all but the exact length tells something.
    fn header_sizes(&mut self, rest: &mut Cursor<'d>) -> Option<()> {
        let line = rest.text;
        let count = rest.cut::<b' '>()?;
        rest.skip(b'@')?;
        let bucket = rest.line()?;
        if !self.visit.sink.skip_line(b'l', count.with(bucket)) {
            let mut lines = Lines::default();
            cut::take(line.get(..find(line.as_bytes(), b'\n')?)?, &mut lines)?;
            self.visit.place("");
            self.visit.header_sizes(&lines);
            self.visit.sink.end_line();
        }
        Some(())
    }

    /// The lines of the body, which are the last.
    fn body(&mut self, rest: &mut Cursor<'d>) -> Option<()> {
        let mut behind = self.notes;
        let (notes, has_leaves) = behind.notes_of(b'b')?;
        // Values of a key that came more than once stand in one line.
        let has_groups = has_leaves || bytes::position(b'|', rest.text.as_bytes()).is_some();
        let groups = if has_groups && !has_leaves { Groups::of(rest, notes) } else { None };
        if has_groups && groups.is_none() {
            let hash = fold(hash_all(rest.seed, rest.text.as_bytes()), hash_all(rest.seed, notes.as_bytes()));
            (rest.text, self.notes) = ("", behind);
            if !self.visit.sink.skip_section(b'B', hash) {
                self.visit.sink.begin_lines();
                self.visit.notes = Notes::read(self.document.notes());
                self.visit.body(self.document.lines().body.as_ref()?);
                self.visit.sink.end_line();
                self.visit.sink.end_section();
            }
            return Some(());
        }
        while !rest.text.is_empty() {
            let line = rest.line()?;
            match &groups {
                _ if !line.text.starts_with("BK:") => self.body_line(line)?,
                Some(groups) => self.grouped_value(line, groups)?,
                None => self.body_value(line)?,
            }
        }
        if groups.is_some() {
            self.notes = behind;
        }
        Some(())
    }

    /// `BK`, where some key has more than one value.
    fn grouped_value(&mut self, line: Hashed<'d>, groups: &Groups<'d>) -> Option<()> {
        let (key, Some(shapes)) = cut_at(line.text.strip_prefix("BK:")?, b'=') else { return None };
        let arrived = || groups.keys.iter().enumerate().filter(|(_, other)| **other == key);
        let note_of = |index: usize| groups.notes.iter().find(|(of, _)| *of == index).map(|(_, note)| *note);
        if pieces(shapes, b'|').count() != arrived().count() {
            return None;
        }
        let mut hash = line.hash;
        for (nth, (index, _)) in arrived().enumerate() {
            if let Some(note) = note_of(index) {
                hash = fold(fold(hash, note.hash), nth as u64);
            }
        }
        if self.visit.sink.skip_line(b'g', hash) {
            return Some(());
        }
        self.visit.sink.place(["b.", key, ""]);
        self.visit.sink.here();
        for (shape, (index, _)) in pieces(shapes, b'|').zip(arrived()) {
            let words = note_of(index).unwrap_or_default().text;
            self.visit.own_value(Note::of_words(words), shape);
        }
        self.visit.sink.end_line();
        Some(())
    }

    /// `B`, `BQ`.
    fn body_line(&mut self, line: Hashed<'d>) -> Option<()> {
        let is_first = line.text.starts_with("B:");
        let note = if is_first && is_shape(line.text) { self.note(b'b', 0)? } else { Hashed::default() };
        if self.visit.sink.skip_line(b'l', line.with(note)) {
            return Some(());
        }
        let body = (!is_first).then(Default::default);
        let mut lines = Lines { body, ..Lines::default() };
        cut::take(line.text, &mut lines)?;
        let (visit, body) = (&mut self.visit, lines.body?);
        match body.keys {
            Some(keys) => visit.keys("b", keys),
            None => {
                visit.body_sizes(&body);
                if let Some(shape) = body.shape {
                    visit.place("b");
                    visit.own_value(Note::of_words(note.text), shape);
                }
            }
        }
        self.visit.sink.end_line();
        Some(())
    }

    fn body_value(&mut self, line: Hashed<'d>) -> Option<()> {
        let note = self.note(b'b', self.values)?;
        self.values = self.values.saturating_add(1);
        if self.visit.sink.skip_line(b'b', line.with(note)) {
            return Some(());
        }
        let (key, Some(shape)) = cut_at(line.text.strip_prefix("BK:")?, b'=') else { return None };
        self.value(["b.", key, ""], shape, note.text);
        Some(())
    }

    /// A `Q` line, and the values of its keys in the URL.
    fn query(&mut self, line: Hashed<'d>, path: Hashed<'d>) -> Option<()> {
        let mut behind = self.notes;
        let (notes, has_leaves) = behind.notes_of(b'q')?;
        // Keys that are not shown, or hold what is hidden, are not those of the URL.
        if self.url.is_odd || has_leaves || find(line.text.as_bytes(), b'<').is_some() {
            let seed = self.notes.seed;
            let url = fold(hash_all(seed, self.url.line.as_bytes()), path.hash);
            let hash = fold(fold(url, line.hash), hash_all(seed, notes.as_bytes()));
            self.notes = behind;
            return self.whole_query(hash);
        }
        if !self.visit.sink.skip_line(b'q', line.hash) {
            let mut lines = Lines::default();
            cut::take(line.text, &mut lines)?;
            self.visit.keys("q", lines.query?);
            self.visit.sink.end_line();
        }
        self.pairs(line)
    }

    /// The query in one piece.
    #[cold]
    fn whole_query(&mut self, hash: u64) -> Option<()> {
        if !self.visit.sink.skip_section(b'Q', hash) {
            self.visit.sink.begin_lines();
            self.visit.notes = Notes::read(self.document.notes());
            self.visit.query(&self.document.lines());
            self.visit.sink.end_line();
            self.visit.sink.end_section();
        }
        Some(())
    }

    /// The pairs of the URL, whose keys are those of the `Q` line.
    fn pairs(&mut self, line: Hashed<'d>) -> Option<()> {
        let mut keys = Cursor { text: line.text, seed: 0 };
        if keys.skip(b' ')? == "Q:0" {
            return Some(());
        }
        keys.skip(b':')?;
        for index in 0_usize.. {
            let note = self.note(b'q', index)?;
            let pair = self.url.query.cut::<b'&'>()?;
            let key = pair.text.get(..find(pair.text.as_bytes(), b'=').unwrap_or(pair.text.len()))?;
            keys.text = keys.text.strip_prefix(key)?;
            if !self.visit.sink.skip_line(b'v', pair.with(note)) {
                let (key, value) = cut_at(pair.text, b'=');
                self.value(["q.", key, ""], value.unwrap_or(NOTHING), note.text);
            }
            match keys.text.as_bytes() {
                // Flags follow a space.
                [] | [b' ', ..] => break,
                [b',', ..] => _ = keys.skip(b',')?,
                _ => return None,
            }
        }
        Some(())
    }

    fn value(&mut self, place: [&'d str; 3], shown: &'d str, words: &'d str) {
        self.visit.sink.place(place);
        self.visit.sink.here();
        self.visit.own_value(Note::of_words(words), shown);
        self.visit.sink.end_line();
    }

    /// The lines of all headers.
    fn headers(&mut self, rest: &mut Cursor<'d>) -> Option<()> {
        let mut behind = self.notes;
        let (notes, _) = behind.notes_of(b'h')?;
        let (mut lines, sizes) = cut_headers(rest)?;
        *rest = sizes;
        let hash = hash_all(rest.seed, lines.text.as_bytes());
        let hash = if notes.is_empty() { hash } else { fold(hash, hash_all(rest.seed, notes.as_bytes())) };
        if self.visit.sink.skip_section(b'H', hash) {
            self.notes = behind;
            return Some(());
        }
        while !lines.text.is_empty() {
            self.header(lines.line()?)?;
        }
        self.visit.sink.end_section();
        Some(())
    }

    #[inline(always)]
    fn header(&mut self, line: Hashed<'d>) -> Option<()> {
        let note = self.note(b'h', self.headers)?;
        self.headers = self.headers.saturating_add(1);
        if self.visit.sink.skip_line(b'h', line.with(note)) {
            return Some(());
        }
        let (line, words) = (line.text, note.text);
        let mut lines = Lines::default();
        cut::take(line, &mut lines)?;
        let header = lines.headers.first()?;
        self.visit.header_place(header.name);
        self.visit.sink.here();
        self.visit.header(header, Note::of_words(words));
        self.visit.place("");
        self.visit.header_flags(&lines.headers);
        self.visit.sink.end_line();
        Some(())
    }

    /// The note of a value, if it is the next; `None` where it has leaves.
    #[inline(always)]
    fn note(&mut self, place: u8, index: usize) -> Option<Hashed<'d>> {
        let [b':', there, rest @ ..] = self.notes.text.as_bytes() else { return Some(Hashed::default()) };
        if *there != place {
            return Some(Hashed::default());
        }
        // A leaf has `{` there.
        let [b' ', digits @ ..] = rest else { return None };
        let mut number = 0_usize;
        let mut length = 3_usize;
        for digit in digits.iter().map(|byte| byte.wrapping_sub(b'0')).take_while(|digit| *digit < 10) {
            number = number.wrapping_mul(10).wrapping_add(digit.into());
            length = length.saturating_add(1);
        }
        if number != index {
            return Some(Hashed::default());
        }
        self.notes.text = self.notes.text.get(length..)?;
        self.notes.line()
    }
}

/// Cuts the lines of headers, which `HCNT` ends; few lines follow it, so that it is looked for from the end.
fn cut_headers<'d>(text: &Cursor<'d>) -> Option<(Cursor<'d>, Cursor<'d>)> {
    let mut end = text.text.len().checked_sub(1)?;
    loop {
        let start = memchr::memrchr(b'\n', text.text.as_bytes().get(..end)?)?.saturating_add(1);
        let (lines, behind) = text.text.split_at_checked(start)?;
        if behind.starts_with("HC") {
            return Some((Cursor { text: lines, ..*text }, Cursor { text: behind, ..*text }));
        }
        end = start.checked_sub(1)?;
    }
}

/// Returns whether a `B` line has the shape of all of the body.
fn is_shape(line: &str) -> bool {
    line.as_bytes().split(|byte| *byte == b' ').nth(2).is_some_and(|piece| piece.starts_with(b"<"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::push_token_piece;
    use crate::{Canonicalizer, Config, Flag, TokenSink};

    /// Collects tokens.
    #[derive(Default)]
    struct Collected(BTreeSet<String>, String);

    impl Collected {
        fn add(&mut self, pieces: &[&str]) {
            let mut token = Vec::new();
            std::iter::once(&self.1.as_str())
                .chain(pieces)
                .for_each(|piece| push_token_piece(&mut token, piece));
            self.0.insert(String::from_utf8(token).unwrap());
        }
    }

    impl<'d> TokenSink<'d> for Collected {
        fn place(&mut self, pieces: [&'d str; 3]) {
            self.1 = pieces.concat();
        }

        fn place_respelled(&mut self, name: String) {
            self.1 = name;
        }

        fn here(&mut self) {
            self.add(&[]);
        }

        fn tell<const N: usize>(&mut self, pieces: [&str; N]) {
            self.add(&pieces);
        }

        fn value<const N: usize>(&mut self, pieces: [&'d str; N], ends: &[[&str; 2]]) {
            self.add(&pieces);
            ends.iter().for_each(|end| self.add(&[&pieces[..], end].concat()));
        }
    }

    #[test]
    fn lines_give_the_tokens_of_the_document() {
        let odd = [
            "GET /?a=1&a=2'&&=&b=%27x&c HTTP/1.1\r\nHost: ex.com\r\nX-A: a1\r\nX-A: b\r\nX~: 7\r\n\r\n",
            "POST /a?x#y HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 18\r\n\r\na=1&b=x1&a=&c=%3Cb",
            "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab'9-",
            "POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n{\"a\":1,\"b\":\"x'\"}",
            "POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 29\r\n\r\na=1&b=x1&a=x'y&c=%3Cb&b=&a=-9",
            "POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 33\r\n\r\n{\"a\":[{\"b\":1},{\"b\":\"x'\"}],\"c\":0}",
            "GET /?j=%7B%22a%22:%22x'%22%7D HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        ];
        let tamiz = Canonicalizer::new(Config::default());
        let mut read = 0;
        for request in Flag::ALL.iter().map(|flag| flag.raises()).chain(odd.map(str::as_bytes)) {
            let document = tamiz.canonicalize(request);
            let mut found = Collected::default();
            if document.visit_lines(&mut found) {
                read += 1;
                let expected: BTreeSet<String> =
                    document.tokens().into_iter().filter(|token| !token.starts_with("f=")).collect();
                assert_eq!(found.0, expected, "{document}");
            }
        }
        assert!(read > Flag::ALL.len() / 2, "{read}");
    }
}
