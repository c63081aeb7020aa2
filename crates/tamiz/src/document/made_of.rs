//! The composition of values (clause 9.18): signs, scripts and skeletons, noted by a fresh document for its tokens.
//!
//! A note is a line `:place index marker words…`: the place is `q`, `b` or `h`, the index that of the value in its
//! lines. The marker is there where the text shows the value in clear. A leaf of a value that is JSON follows as
//! `:place{ index key marker words…`.

use std::ops::Range;

use super::cut::split_at;
use crate::body;
use crate::bytes::{self, ALPHA, DIGIT, NO_ALNUM};
use crate::context::Context;
use crate::decode::unicode;
use crate::flags::Flag;
use crate::formats::embedded::Embedded;
use crate::formats::fields::{Field, Fields};
use crate::formats::key_path::Start;
use crate::formats::leaf;
use crate::formats::step::Leaf;
use crate::request::Request;
use crate::show::charset::{self, CharSet};
use crate::show::marker::{self, Plus, number, push};
use crate::target::pair::Pair;
use crate::target::query::Query;
use crate::target::write::write_value_shape;

/// A skeleton of more runs is none.
const MOST_RUNS: usize = 8;

/// A header whose value is shown as one marker, or would be but for the view: where its line is among those of all
/// headers, and what to note of it.
pub(super) type HeaderNote<'a> = (usize, &'a [u8]);

/// Notes what the values of a request are made of.
pub(super) fn write_notes<'a>(
    request: &Request<'a>,
    headers: &[HeaderNote<'a>],
    cx: Context<'a>,
    out: &mut Vec<u8>,
) {
    if !cx.settings.beyond_core() {
        return;
    }
    if let Some(query) = &request.url.query {
        note_query(query, cx, out);
    }
    for (index, note) in headers {
        begin(b'h', *index, out);
        out.extend_from_slice(note);
        out.push(b'\n');
    }
    match request.shown_body(cx).map(|body| &body.content) {
        None => {}
        Some(body::Content::Whole { secret: true, .. }) => {}
        Some(body::Content::Whole { text, .. }) => {
            note(b'b', 0, out, |out| write_words(text.bytes, Plus::Sign, cx, out));
        }
        Some(body::Content::Fields(fields)) => {
            for (i, field) in fields.list.iter().enumerate() {
                note(b'b', i, out, |out| write_field_words(field, cx, out));
                if let Some(json) = field.json.filter(|_| !field.is_secret()) {
                    note_leaves(b'b', i, json, cx, out);
                }
            }
        }
    }
}

fn note_query<'a>(query: &Query<'a>, cx: Context<'a>, out: &mut Vec<u8>) {
    let most = cx.settings.config.limits.pairs;
    for (i, pair) in query.pairs.iter().take(most).enumerate() {
        note(b'q', i, out, |out| write_pair_words(pair, cx, out));
        if let Some(json) = pair.json.filter(|_| !pair.secret) {
            note_leaves(b'q', i, json, cx, out);
        }
    }
}

fn write_pair_words<'a>(pair: &Pair<'a>, cx: Context<'a>, out: &mut Vec<u8>) {
    let Some(value) = pair.value.filter(|_| !pair.secret) else { return };
    let is_marker = pair.flags.set.contains(Flag::Marker) && marker::is_left(value.bytes, false, cx);
    let is_hidden = pair.json.is_some_and(Embedded::holds_secret);
    if cx.settings.literal() && !is_marker && !is_hidden {
        out.push(b' ');
        write_value_shape(pair, cx, out);
    }
    if pair.json.is_none() && !is_marker {
        write_words(value.bytes, pair.plus, cx, out);
    }
}

fn write_field_words(field: &Field<'_>, cx: Context<'_>, out: &mut Vec<u8>) {
    let (Leaf::Text(text) | Leaf::Number(text) | Leaf::Deep(text)) = field.leaf else { return };
    let is_marker = field.flags.set.contains(Flag::Marker);
    if !field.is_secret() && field.json.is_none() && !is_marker {
        write_words(text.bytes, Plus::Sign, cx, out);
    }
}

/// Notes the leaves of a value that is JSON.
fn note_leaves<'a>(place: u8, index: usize, json: &Embedded<'a>, cx: Context<'a>, out: &mut Vec<u8>) {
    let fields: &Fields<'a> = &json.fields;
    for (field, key) in fields.list.iter().zip(fields.keys(Start::Value)) {
        out.extend_from_slice(&[b':', place, b'{', b' ']);
        number(out, index as u64);
        out.push(b' ');
        out.extend_from_slice(key);
        out.push(b' ');
        leaf::write(field, cx, out);
        write_field_words(field, cx, out);
        out.push(b'\n');
    }
}

/// Writes a note, unless there is nothing to say.
fn note(place: u8, index: usize, out: &mut Vec<u8>, words: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    begin(place, index, out);
    let empty = out.len();
    words(out);
    if out.len() == empty {
        out.truncate(start);
    } else {
        out.push(b'\n');
    }
}

fn begin(place: u8, index: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&[b':', place, b' ']);
    number(out, index as u64);
}

/// Writes a header's note, as far as it follows the index: `marker` is how its value is shown by shape, where the text
/// shows it in clear.
pub(super) fn header_words<'a>(text: &[u8], marker: Option<&[u8]>, cx: Context<'a>) -> Option<&'a [u8]> {
    let words = cx.written(|out| {
        if let Some(marker) = marker {
            out.push(b' ');
            out.extend_from_slice(marker);
        }
        write_words(text, Plus::Sign, cx, out);
    });
    (!words.is_empty()).then_some(words)
}

/// Returns whether there may be something to say of a value.
pub(super) fn may_have_words(text: &[u8]) -> bool {
    let classes = bytes::union(text);
    classes & NO_ALNUM != 0 || classes & ALPHA != 0 && classes & DIGIT != 0
}

/// Writes ` ~sign`, ` ~Script` and ` ^skeleton` of a value.
fn write_words(text: &[u8], plus: Plus, cx: Context<'_>, out: &mut Vec<u8>) {
    let classes = bytes::union(text);
    if classes & NO_ALNUM == 0 {
        if classes & ALPHA != 0 && classes & DIGIT != 0 {
            write_skeleton(text, out);
        }
        return;
    }
    for sign in plus.apply(CharSet::of(text)).signs() {
        push(out, " ~");
        charset::write_sign(sign, out);
    }
    if classes & bytes::HIGH != 0 {
        for script in unicode::scripts(text, cx.bump) {
            push(out, " ~");
            push(out, script);
        }
    }
}

fn write_skeleton(text: &[u8], out: &mut Vec<u8>) {
    let runs = || text.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    if runs().take(MOST_RUNS.saturating_add(1)).count() > MOST_RUNS {
        return;
    }
    push(out, " ^");
    for run in runs() {
        out.push(if run.first().is_some_and(u8::is_ascii_digit) { b'9' } else { b'a' });
    }
}

/// A note, read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Note<'d> {
    place: u8,
    index: usize,
    /// The key of a leaf, as far as it follows that of its value.
    pub(super) leaf: Option<&'d str>,
    /// The shape of a leaf, and of what the text shows in clear.
    pub(super) marker: Option<&'d str>,
    words: &'d str,
}

impl<'d> Note<'d> {
    /// `~*`, `~Latin`, `^9a`.
    pub(super) fn words(self) -> impl Iterator<Item = &'d str> {
        self.words.split(' ').filter(|word| !word.is_empty())
    }

    pub(super) fn read(line: &'d str) -> Option<Self> {
        let (place, rest) = split_at(line.strip_prefix(':')?, b' ')?;
        let cut = |text: &'d str| split_at(text, b' ').unwrap_or((text, ""));
        let (index, rest) = cut(rest);
        let is_leaf = place.ends_with('{');
        let (leaf, rest) = match split_at(rest, b' ').filter(|_| is_leaf) {
            Some((key, rest)) => (Some(key), rest),
            None => (None, rest),
        };
        let (place, index) = (place.bytes().next()?, index.parse().ok()?);
        Some(Note { place, index, leaf, ..Note::of_words(rest) })
    }

    /// A note of a value, as far as it says something of it.
    pub(super) fn of_words(words: &'d str) -> Self {
        let words = words.strip_prefix(' ').unwrap_or(words);
        let (marker, words) = match Some(words).filter(|words| words.starts_with('<')) {
            Some(marked) => match split_at(marked, b' ') {
                Some((marker, words)) => (Some(marker), words),
                None => (Some(marked), ""),
            },
            None => (None, words),
        };
        Note { marker, words, ..Note::default() }
    }
}

/// The notes of a document: those of the query, of headers, of the body, each in order of their values. Notes of flags
/// come before them.
#[derive(Default)]
pub(super) struct Notes<'d> {
    flags: &'d str,
    list: Vec<Note<'d>>,
    /// Where the next that is asked for is likely to be.
    next: usize,
}

impl<'d> Notes<'d> {
    pub(super) fn read(notes: &'d str) -> Self {
        let is_first = |at: &usize| {
            at.checked_sub(1).and_then(|before| notes.as_bytes().get(before)).is_none_or(|b| *b == b'\n')
        };
        let from = memchr::memchr_iter(b':', notes.as_bytes()).find(is_first).unwrap_or(notes.len());
        let (flags, rest) = notes.split_at_checked(from).unwrap_or((notes, ""));
        Notes { flags, list: rest.lines().filter_map(Note::read).collect(), next: 0 }
    }

    /// The notes of flags, a line each: `FLAG place`.
    pub(super) fn flags(&self) -> &'d str {
        self.flags
    }

    /// Where the note of a value is, and those of its leaves behind it.
    pub(super) fn of(&mut self, place: u8, index: usize) -> Range<usize> {
        let rank = |place: u8| b"qhb".iter().position(|other| *other == place);
        let asked = (rank(place), index);
        let is_before = |note: &Note<'_>| (rank(note.place), note.index) < asked;
        let is_at = |at: usize| {
            self.list.get(at).is_none_or(|note| !is_before(note))
                && at.checked_sub(1).and_then(|before| self.list.get(before)).is_none_or(is_before)
        };
        // Values are mostly asked for in their order.
        let from = if is_at(self.next) { self.next } else { self.list.partition_point(is_before) };
        let notes = self.list.get(from..).unwrap_or_default();
        let count = notes.iter().take_while(|note| (note.place, note.index) == (place, index)).count();
        self.next = from.saturating_add(count);
        from..self.next
    }

    /// The notes of such a range.
    pub(super) fn get(&self, range: Range<usize>) -> &[Note<'d>] {
        self.list.get(range).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn words(text: &str, plus: Plus) -> String {
        let mut out = Vec::new();
        with_context(|cx| write_words(text.as_bytes(), plus, cx, &mut out));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn words_of_values() {
        assert_eq!(words("12345678Z", Plus::Sign), " ^9a");
        assert_eq!(words("a1b2", Plus::Sign), " ^a9a9");
        assert_eq!(words("a1b2c3d4", Plus::Sign), " ^a9a9a9a9");
        assert_eq!(words("a1b2c3d4e", Plus::Sign), "");
        assert_eq!(words("abc", Plus::Sign), "");
        assert_eq!(words("", Plus::Sign), "");
        assert_eq!(words("a+b c", Plus::Space), " ~%20");
        assert_eq!(words("a+b", Plus::Both), " ~%20 ~+");
        assert_eq!(words("Vino .*?", Plus::Sign), " ~%20 ~* ~. ~%3F");
        assert_eq!(words("año€", Plus::Sign), " ~Common ~Latin");
        assert_eq!(words("мир-1", Plus::Sign), " ~- ~Cyrillic");
    }

    #[test]
    fn notes_are_read() {
        let mut notes =
            Notes::read("v=1.1\nKW:sql q.a\n:q 0 ~* ^9a\n:q{ 0 {}.a <num:1>\n:q 2 <lower:3>\n:b 0 ~-\n");
        assert_eq!(notes.flags(), "v=1.1\nKW:sql q.a\n");
        let of_first = notes.of(b'q', 0);
        let of_first = notes.get(of_first).to_vec();
        assert_eq!(of_first.len(), 2);
        assert_eq!(of_first[0].words().collect::<Vec<_>>(), ["~*", "^9a"]);
        assert_eq!((of_first[1].leaf, of_first[1].marker), (Some("{}.a"), Some("<num:1>")));
        for _ in 0..2 {
            assert_eq!(notes.of(b'q', 1).len(), 0);
            let third = notes.of(b'q', 2);
            assert_eq!(notes.get(third).first().and_then(|note| note.marker), Some("<lower:3>"));
            assert_eq!(notes.of(b'h', 7).len(), 0);
            assert_eq!(notes.of(b'b', 0).len(), 1);
            assert_eq!(notes.of(b'q', 0).len(), 2, "in any order");
        }
    }
}
