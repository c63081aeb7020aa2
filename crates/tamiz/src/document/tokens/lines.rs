//! Hands tokens to a sink line by line, so that it may pass over lines that it knows: most lines of most requests came
//! before.

use super::pieces::{NOTHING, cut_at, each_flag, pieces};
use super::visit::Visit;
use super::{TokenOptions, TokenSink};
use crate::document::lines::Lines;
use crate::document::made_of::{Note, Notes};
use crate::document::{Document, cut};

impl Document {
    /// Hands the tokens of [`Document::tokens`] but for `f=FLAG` to a sink, in any order, some of them more than once. What
    /// the sink knows is passed over. Returns whether that could be done; if not, some of the tokens have come.
    #[doc(hidden)]
    pub fn visit_lines<'d, S: TokenSink<'d>>(&'d self, sink: &mut S) -> bool {
        let buckets = self.buckets();
        let notes = self.notes();
        let options = TokenOptions::default();
        let visit = Visit { sink, buckets: &buckets, notes: Notes::none(), options };
        let mut lines = LineByLine { visit, notes, query: "", headers: 0, values: 0 };
        lines.text(self.as_str()).is_some()
    }
}

/// A document under way, line by line.
struct LineByLine<'d, 's, S> {
    visit: Visit<'d, 's, S>,
    /// The notes that belong to lines that are still to come.
    notes: &'d str,
    /// The query as the URL shows it.
    query: &'d str,
    /// How many headers and values of the body came.
    headers: usize,
    values: usize,
}

impl<'d, S: TokenSink<'d>> LineByLine<'d, '_, S> {
    /// Takes the version and the notes of flags, which come before those of values.
    fn flags(&mut self) -> Option<()> {
        while !self.notes.is_empty() && !self.notes.starts_with(':') {
            let (line, rest) = cut_line(self.notes)?;
            self.notes = rest;
            if self.visit.sink.knows(b'n', line, "") {
                continue;
            }
            self.visit.place("");
            match cut_at(line, b' ') {
                (flag, Some(place)) => self.visit.sink.tell(["f.", place, "=", flag]),
                (version, None) if version.len() > 2 => self.visit.sink.tell([version]),
                _ => {}
            }
            self.visit.sink.end();
        }
        Some(())
    }

    fn text(&mut self, text: &'d str) -> Option<()> {
        let (method, rest) = cut_line(text.strip_prefix("M:")?)?;
        self.head(method, rest)?;
        self.flags()?;
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
            let line = text.get(start..end)?;
            start = end.saturating_add(1);
            match line.as_bytes() {
                [b'H', b':', ..] => self.header(line)?,
                [b'F', ..] => {}
                [b'U', ..] => self.url(line)?,
                [b'Q', b':', ..] => self.pairs(line)?,
                [b'B', b'K', ..] => self.body_value(line)?,
                [b'Q' | b'K', ..] => return None,
                _ => self.whole(line)?,
            }
        }
        // What is left belongs to nothing that was shown.
        self.notes.is_empty().then_some(())
    }

    /// Tells the sink the method and the path.
    fn head(&mut self, method: &'d str, rest: &'d str) -> Option<()> {
        if method.ends_with(']') {
            return None;
        }
        let path = match rest.as_bytes() {
            [b'P', ..] => Some(rest),
            _ => cut_line(rest).map(|(_, rest)| rest).filter(|rest| rest.starts_with("P:")),
        };
        let path = path.and_then(|rest| rest.strip_prefix("P:"));
        self.visit.sink.head(method, path.map(|path| cut_at(path, b' ').0));
        Some(())
    }

    /// A line that nothing else tells of: `M`, `P`, `HCNT`, `B`, `BQ`.
    fn whole(&mut self, line: &'d str) -> Option<()> {
        let is_body = line.starts_with("B:");
        let note = if is_body && self.is_shape(line) { self.note(b'b', 0)? } else { "" };
        if self.visit.sink.knows(b'l', line, note) {
            return Some(());
        }
        // `BQ` follows `B`.
        let body = line.starts_with("BQ").then(Default::default);
        let mut lines = Lines { body, ..Lines::default() };
        cut::take(line, &mut lines)?;
        let visit = &mut self.visit;
        match line.as_bytes() {
            [b'M', ..] => {
                visit.place("m");
                visit.shown(lines.method);
            }
            [b'P', ..] => {
                visit.place("");
                visit.path(&lines);
                each_flag(lines.path_flags, |flag| visit.sink.tell(["f.p=", flag]));
            }
            [b'H', ..] => {
                visit.place("");
                visit.header_sizes(&lines);
            }
            _ => {
                let body = lines.body?;
                if let Some(keys) = body.keys {
                    visit.keys("b", keys);
                } else {
                    visit.place("");
                    visit.sink.tell(["b.kind=", body.kind]);
                    visit.sink.tell(["blen@", body.length.bucket]);
                    if let Some(shape) = body.shape {
                        visit.place("b");
                        visit.own_value(Note::read(note).unwrap_or_default(), shape);
                    }
                }
            }
        }
        self.visit.sink.end();
        Some(())
    }

    /// Whether a `B` line has the shape of all of the body.
    fn is_shape(&self, line: &str) -> bool {
        pieces(line, b' ').nth(2).is_some_and(|piece| piece.starts_with('<'))
    }

    fn url(&mut self, line: &'d str) -> Option<()> {
        let (url, query) = cut_at(line, b'?');
        self.query = query.unwrap_or_default();
        // Flags, and a fragment, are rare.
        if line.ends_with(']') || query.is_some_and(|query| query.contains("%23<")) {
            return None;
        }
        if !self.visit.sink.knows(b'u', url, "") {
            let lines = Lines { url: Some(url.strip_prefix("U:")?), ..Lines::default() };
            self.visit.place("");
            if let Some(host) = lines.host() {
                self.visit.sink.tell(["u.host=", host]);
            }
            self.visit.sink.end();
        }
        Some(())
    }

    /// A `Q` line, and the values of its keys in the URL.
    fn pairs(&mut self, line: &'d str) -> Option<()> {
        let (content, _) = cut::content_and_flags(line);
        let (_, keys) = content.split_once(" KEYS:")?;
        if keys.contains('<') {
            return None;
        }
        if !self.visit.sink.knows(b'q', content, "") {
            let mut lines = Lines::default();
            cut::take(content, &mut lines)?;
            self.visit.keys("q", lines.query?);
            self.visit.sink.end();
        }
        if content.starts_with("Q:0") {
            return Some(());
        }
        let mut shown = pieces(self.query, b'&');
        for (index, key) in pieces(keys, b',').enumerate() {
            let note = self.note(b'q', index)?;
            let pair = shown.next()?;
            let (shown_key, value) = cut_at(pair, b'=');
            if shown_key != key {
                return None;
            }
            if !self.visit.sink.knows(b'v', pair, note) {
                self.value(["q.", key, ""], value.unwrap_or(NOTHING), note);
            }
        }
        Some(())
    }

    fn value(&mut self, place: [&'d str; 3], shown: &'d str, note: &'d str) {
        self.visit.sink.place(place);
        self.visit.sink.here();
        self.visit.own_value(Note::read(note).unwrap_or_default(), shown);
        self.visit.sink.end();
    }

    fn body_value(&mut self, line: &'d str) -> Option<()> {
        let note = self.note(b'b', self.values)?;
        self.values = self.values.saturating_add(1);
        if self.visit.sink.knows(b'b', line, note) {
            return Some(());
        }
        let (key, Some(shape)) = cut_at(line.strip_prefix("BK:")?, b'=') else { return None };
        if shape.contains('|') {
            return None;
        }
        self.value(["b.", key, ""], shape, note);
        Some(())
    }

    fn header(&mut self, line: &'d str) -> Option<()> {
        let note = self.note(b'h', self.headers)?;
        self.headers = self.headers.saturating_add(1);
        if self.visit.sink.knows(b'h', line, note) {
            return Some(());
        }
        let mut lines = Lines::default();
        cut::take(line, &mut lines)?;
        let header = lines.headers.first()?;
        self.visit.header_place(header.name);
        self.visit.sink.here();
        self.visit.header(header, Note::read(note).unwrap_or_default());
        self.visit.place("");
        self.visit.header_flags(&lines.headers);
        self.visit.sink.end();
        Some(())
    }

    /// The note of a value, if it is the next; `None` where it has leaves.
    #[inline(always)]
    fn note(&mut self, place: u8, index: usize) -> Option<&'d str> {
        let bytes = self.notes.as_bytes();
        if bytes.get(1) != Some(&place) {
            return Some("");
        }
        if bytes.get(2) == Some(&b'{') {
            return None;
        }
        let digits = bytes.get(3..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit());
        let there = digits
            .fold(0_usize, |n, digit| n.wrapping_mul(10).wrapping_add(usize::from(digit.wrapping_sub(b'0'))));
        if there != index {
            return Some("");
        }
        let (line, rest) = cut_line(self.notes)?;
        self.notes = rest;
        Some(line)
    }
}

/// The first line, and what is behind it.
#[inline(always)]
fn cut_line(text: &str) -> Option<(&str, &str)> {
    cut::split_at(text, b'\n')
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
