//! Hands tokens to a sink line by line, so that it may pass over lines that it knows: most lines of most requests came
//! before.

use super::hash::{fold, hash_until};
use super::pieces::{NOTHING, cut_at, each_flag, find};
use super::visit::{OwnBuckets, Visit};
use super::{TokenOptions, TokenSink};
use crate::document::lines::Lines;
use crate::document::made_of::{Note, Notes};
use crate::document::{Document, cut};

impl Document {
    /// Hands the tokens of [`Document::tokens`] but for `f=FLAG` to a sink, in any order, some of them more than once. What
    /// the sink knows is passed over. Returns whether that could be done; if not, some of the tokens have come.
    #[doc(hidden)]
    pub fn visit_lines<'d, S: TokenSink<'d>>(&'d self, sink: &mut S) -> bool {
        let buckets = OwnBuckets::of(self);
        let options = TokenOptions::default();
        let seed = sink.seed();
        let visit = Visit { sink, buckets: &buckets, notes: Notes::none(), options };
        let notes = Cursor { text: self.notes().as_bytes(), seed };
        let mut lines = LineByLine { visit, notes, query: notes, headers: 0, values: 0 };
        lines.text(Cursor { text: self.as_str().as_bytes(), seed }).is_some()
    }
}

/// Text that is still to come.
#[derive(Clone, Copy)]
struct Cursor<'d> {
    text: &'d [u8],
    seed: u64,
}

impl<'d> Cursor<'d> {
    #[inline(always)]
    fn starts_with(&self, byte: u8) -> bool {
        self.text.first() == Some(&byte)
    }

    /// Cuts the next line, with its hash.
    #[inline(always)]
    fn line(&mut self) -> Option<Hashed<'d>> {
        self.cut::<b'\n'>()
    }

    /// Cuts what stands before the next `END`, or before the end of the line.
    #[inline(always)]
    fn cut<const END: u8>(&mut self) -> Option<Hashed<'d>> {
        let (hash, end) = hash_until::<END>(self.seed, self.text);
        let (text, [_, behind @ ..]) = self.text.split_at_checked(end)? else { return None };
        self.text = behind;
        Some(Hashed { text, hash })
    }

    /// Cuts what stands before a byte.
    #[inline(always)]
    fn skip(&mut self, byte: u8) -> Option<&'d [u8]> {
        let end = find(self.text, byte)?;
        let (text, [_, behind @ ..]) = self.text.split_at_checked(end)? else { return None };
        self.text = behind;
        Some(text)
    }
}

/// A text and its hash.
#[derive(Clone, Copy, Default)]
struct Hashed<'d> {
    text: &'d [u8],
    hash: u64,
}

impl<'d> Hashed<'d> {
    /// The text, which is cut at ASCII: that is asked for where it is not known.
    fn text(self) -> Option<&'d str> {
        std::str::from_utf8(self.text).ok()
    }

    /// The hash of both texts; that of the first where there is no second.
    #[inline(always)]
    fn with(self, note: Self) -> u64 {
        if note.text.is_empty() { self.hash } else { fold(self.hash, note.hash) }
    }
}

/// A document under way, line by line.
struct LineByLine<'d, 's, S> {
    visit: Visit<'d, 's, S>,
    /// The notes that belong to lines that are still to come.
    notes: Cursor<'d>,
    /// The query as the URL shows it.
    query: Cursor<'d>,
    /// How many headers and values of the body came.
    headers: usize,
    values: usize,
}

impl<'d, S: TokenSink<'d>> LineByLine<'d, '_, S> {
    /// Takes the version and the notes of flags, which come before those of values.
    fn flags(&mut self) -> Option<()> {
        while !self.notes.text.is_empty() && !self.notes.starts_with(b':') {
            let line = self.notes.line()?;
            if self.visit.sink.knows(b'n', line.hash) {
                continue;
            }
            self.visit.place("");
            match cut_at(line.text()?, b' ') {
                (flag, Some(place)) => self.visit.sink.tell(["f.", place, "=", flag]),
                (version, None) if version.len() > 2 => self.visit.sink.tell([version]),
                _ => {}
            }
            self.visit.sink.end();
        }
        Some(())
    }

    fn text(&mut self, mut rest: Cursor<'d>) -> Option<()> {
        let method = rest.line()?;
        let url = if rest.starts_with(b'U') { self.cut_url(&mut rest)? } else { &[] };
        let path = if rest.starts_with(b'P') { rest.line()? } else { Hashed::default() };
        self.head(method, path)?;
        self.flags()?;
        self.host(url)?;
        while let Some(first) = rest.text.first_chunk::<2>() {
            match first {
                [b'H', b':'] => self.header(rest.line()?)?,
                [b'F', _] => _ = rest.skip(b'\n')?,
                [b'Q', b':'] => self.pairs(rest.line()?)?,
                [b'B', b'K'] => self.body_value(rest.line()?)?,
                [b'H', _] => self.header_sizes(&mut rest)?,
                [b'B', _] => self.body(rest.line()?)?,
                _ => return None,
            }
        }
        // What is left belongs to nothing that was shown.
        self.notes.text.is_empty().then_some(())
    }

    /// The method and the line of the path.
    fn head(&mut self, method: Hashed<'d>, path: Hashed<'d>) -> Option<()> {
        // Flags are rare.
        if method.text.ends_with(b"]") {
            return None;
        }
        if self.visit.sink.knows_head(method.with(path)) {
            return Some(());
        }
        let method = method.text()?.strip_prefix("M:")?;
        let mut lines = Lines::default();
        if !path.text.is_empty() {
            cut::take(path.text()?, &mut lines)?;
        }
        let visit = &mut self.visit;
        visit.sink.head(method, lines.path);
        visit.place("m");
        visit.shown(method);
        visit.place("");
        visit.path(&lines);
        each_flag(lines.path_flags, |flag| visit.sink.tell(["f.p=", flag]));
        visit.sink.end();
        Some(())
    }

    /// Cuts a `U` line, of which only the host tells something, and the query, which is kept for its pairs. Returns the
    /// URL without its query.
    fn cut_url(&mut self, rest: &mut Cursor<'d>) -> Option<&'d [u8]> {
        let line = rest.text;
        let end = find(line, b'\n')?;
        let [b'U', b':', url @ ..] = line.get(..end)? else { return None };
        rest.text = line.get(end.saturating_add(1)..)?;
        self.query.text = b"\n";
        let mark = find(url, b'?');
        if let Some(mark) = mark {
            // With its line end, and what is behind it, there are whole words to read.
            self.query.text = line.get(mark.saturating_add(3)..)?;
            // A fragment is rare.
            let mut rest = url.get(mark..)?;
            while let Some(at) = find(rest, b'%') {
                rest = rest.get(at..)?;
                if rest.starts_with(b"%23<") {
                    return None;
                }
                rest = rest.get(1..)?;
            }
        }
        // So are flags.
        if url.ends_with(b"]") {
            return None;
        }
        url.get(..mark.unwrap_or(url.len()))
    }

    fn host(&mut self, url: &'d [u8]) -> Option<()> {
        if matches!(url, [] | [b'/', ..]) {
            return Some(());
        }
        // The host follows from what stands between the first `://` and the path; where there is none, from all of it.
        let behind_scheme = find(url, b':').and_then(|at| url.get(at..)?.strip_prefix(b"://"));
        let (hash, _) = match behind_scheme {
            Some(rest) => hash_until::<b'/'>(self.query.seed, rest),
            None => hash_until::<b'\n'>(self.query.seed, url),
        };
        if !self.visit.sink.knows(b'u', hash) {
            let lines = Lines { url: Some(std::str::from_utf8(url).ok()?), ..Lines::default() };
            self.visit.place("");
            if let Some(host) = lines.host() {
                self.visit.sink.tell(["u.host=", host]);
            }
            self.visit.sink.end();
        }
        Some(())
    }

    /// `HCNT`: all but the exact length tells something.
    fn header_sizes(&mut self, rest: &mut Cursor<'d>) -> Option<()> {
        let line = rest.text;
        let count = rest.cut::<b' '>()?;
        rest.skip(b'@')?;
        let bucket = rest.line()?;
        if !self.visit.sink.knows(b'l', count.with(bucket)) {
            let mut lines = Lines::default();
            cut::take(std::str::from_utf8(line.get(..find(line, b'\n')?)?).ok()?, &mut lines)?;
            self.visit.place("");
            self.visit.header_sizes(&lines);
            self.visit.sink.end();
        }
        Some(())
    }

    /// `B`, `BQ`.
    fn body(&mut self, line: Hashed<'d>) -> Option<()> {
        let is_first = line.text.starts_with(b"B:");
        let note = if is_first && is_shape(line.text) { self.note(b'b', 0)? } else { Hashed::default() };
        if self.visit.sink.knows(b'l', line.with(note)) {
            return Some(());
        }
        let body = (!is_first).then(Default::default);
        let mut lines = Lines { body, ..Lines::default() };
        cut::take(line.text()?, &mut lines)?;
        let (visit, body) = (&mut self.visit, lines.body?);
        if let Some(keys) = body.keys {
            visit.keys("b", keys);
        } else {
            visit.place("");
            visit.sink.tell(["b.kind=", body.kind]);
            visit.sink.tell(["blen@", body.length.bucket]);
            if let Some(shape) = body.shape {
                visit.place("b");
                visit.own_value(Note::of_words(note.text()?), shape);
            }
        }
        self.visit.sink.end();
        Some(())
    }

    /// A `Q` line, and the values of its keys in the URL.
    fn pairs(&mut self, line: Hashed<'d>) -> Option<()> {
        if !self.visit.sink.knows(b'q', line.hash) {
            self.new_keys(line.text()?)?;
        }
        let mut keys = Cursor { text: line.text, seed: 0 };
        if keys.skip(b' ')? == b"Q:0" {
            return Some(());
        }
        keys.skip(b':')?;
        for index in 0_usize.. {
            let note = self.note(b'q', index)?;
            let pair = self.query.cut::<b'&'>()?;
            let key = pair.text.get(..find(pair.text, b'=').unwrap_or(pair.text.len()))?;
            keys.text = keys.text.strip_prefix(key)?;
            if !self.visit.sink.knows(b'v', pair.with(note)) {
                let (key, value) = cut_at(pair.text()?, b'=');
                self.value(["q.", key, ""], value.unwrap_or(NOTHING), note.text()?);
            }
            match keys.text {
                // Flags follow a space.
                [] | [b' ', ..] => break,
                [b',', rest @ ..] => keys.text = rest,
                _ => return None,
            }
        }
        Some(())
    }

    #[cold]
    fn new_keys(&mut self, line: &'d str) -> Option<()> {
        let (content, _) = cut::content_and_flags(line);
        let mut lines = Lines::default();
        cut::take(content, &mut lines)?;
        let keys = lines.query?;
        // Some keys are not shown, or hold what is hidden.
        if keys.text().contains('<') {
            return None;
        }
        self.visit.keys("q", keys);
        self.visit.sink.end();
        Some(())
    }

    fn value(&mut self, place: [&'d str; 3], shown: &'d str, words: &'d str) {
        self.visit.sink.place(place);
        self.visit.sink.here();
        self.visit.own_value(Note::of_words(words), shown);
        self.visit.sink.end();
    }

    fn body_value(&mut self, line: Hashed<'d>) -> Option<()> {
        let note = self.note(b'b', self.values)?;
        self.values = self.values.saturating_add(1);
        if self.visit.sink.knows(b'b', line.with(note)) {
            return Some(());
        }
        let (key, Some(shape)) = cut_at(line.text()?.strip_prefix("BK:")?, b'=') else { return None };
        if shape.contains('|') {
            return None;
        }
        self.value(["b.", key, ""], shape, note.text()?);
        Some(())
    }

    #[inline(always)]
    fn header(&mut self, line: Hashed<'d>) -> Option<()> {
        let note = self.note(b'h', self.headers)?;
        self.headers = self.headers.saturating_add(1);
        if self.visit.sink.knows(b'h', line.with(note)) {
            return Some(());
        }
        self.new_header(line.text()?, note.text()?)
    }

    #[cold]
    fn new_header(&mut self, line: &'d str, words: &'d str) -> Option<()> {
        let mut lines = Lines::default();
        cut::take(line, &mut lines)?;
        let header = lines.headers.first()?;
        self.visit.header_place(header.name);
        self.visit.sink.here();
        self.visit.header(header, Note::of_words(words));
        self.visit.place("");
        self.visit.header_flags(&lines.headers);
        self.visit.sink.end();
        Some(())
    }

    /// What the note of a value says of it, if it is the next; `None` where it has leaves.
    #[inline(always)]
    fn note(&mut self, place: u8, index: usize) -> Option<Hashed<'d>> {
        let [b':', there, rest @ ..] = self.notes.text else { return Some(Hashed::default()) };
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

/// Whether a `B` line has the shape of all of the body.
fn is_shape(line: &[u8]) -> bool {
    line.split(|byte| *byte == b' ').nth(2).is_some_and(|piece| piece.starts_with(b"<"))
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
