//! Reads the tokens of documents as numbers, line by line: lines that came before are not read again.

mod sink;

use std::sync::Arc;

use tamiz::Document;

use crate::names::Names;
use crate::observation::shorten;
use crate::pieces::{PIECES, PlaceText};
use crate::stream::{Stream, fold};
use crate::table::Map;

/// The most numbers and lines that are kept; beyond, all are forgotten.
const MOST_IDS: usize = 1 << 20;
const MOST_LINES: usize = 1 << 16;

/// The tokens of lines that came before, as numbers.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// Where the tokens of a line begin and end.
    lines: Map<u64, (u32, u32)>,
    ids: Vec<u32>,
    /// The endpoints of method and path.
    endpoints: Map<u64, Arc<str>>,
    /// The last document that had each token, by number.
    seen: Vec<u32>,
    documents: u32,
    /// Memory to use again.
    found: Vec<u32>,
    distinct: Vec<u32>,
    text: Vec<u8>,
}

impl Clone for Lines {
    /// A copy of a model reads lines anew.
    fn clone(&self) -> Self {
        Lines::default()
    }
}

impl Lines {
    /// The endpoint and the tokens of a document, each once, in any order; `None` where its tokens have to be read as
    /// strings.
    pub(crate) fn read(&mut self, document: &Document, names: &mut Names) -> Option<(Arc<str>, Vec<u32>)> {
        if self.ids.len() > MOST_IDS || self.lines.len() > MOST_LINES {
            *self = Lines::default();
        }
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let mut reader = Reader {
            names,
            endpoint: None,
            found,
            key: 0,
            start: 0,
            place: Stream::default(),
            place_text: PlaceText::Pieces([""; 3]),
            shape: None,
            is_ambiguous: false,
            lines: self,
        };
        let is_read = document.visit_lines(&mut reader) && !reader.is_ambiguous;
        let (endpoint, found) = (reader.endpoint.take(), reader.found);
        let ids = self.distinct(&found, names.len() as usize);
        self.found = found;
        Some((endpoint.filter(|_| is_read)?, ids))
    }

    /// Each number once.
    fn distinct(&mut self, found: &[u32], names: usize) -> Vec<u32> {
        self.documents = self.documents.wrapping_add(1);
        if self.documents == 0 {
            self.seen.clear();
            self.documents = 1;
        }
        self.seen.resize(names.max(self.seen.len()), 0);
        let mut ids = std::mem::take(&mut self.distinct);
        ids.clear();
        for id in found {
            if let Some(seen) = self.seen.get_mut(*id as usize)
                && *seen != self.documents
            {
                *seen = self.documents;
                ids.push(*id);
            }
        }
        ids
    }

    /// Takes the memory of numbers back, to use it again.
    pub(crate) fn give_back(&mut self, ids: Vec<u32>) {
        self.distinct = ids;
    }
}

/// A document under way.
struct Reader<'m, 'd> {
    names: &'m mut Names,
    lines: &'m mut Lines,
    endpoint: Option<Arc<str>>,
    /// The tokens so far.
    found: Vec<u32>,
    /// The line under way: its key, or none, and where its tokens begin.
    key: u64,
    start: usize,
    place: Stream,
    place_text: PlaceText<'d>,
    /// The value told last in this line, whose signs follow.
    shape: Option<Shape<'d>>,
    /// Something cannot be told from something else: the document has to be read as strings.
    is_ambiguous: bool,
}

/// The shape of a value, and the hash of its place.
struct Shape<'d> {
    place: u64,
    pieces: [&'d str; PIECES],
}

/// The sign of pairs.
const PAIR: &str = "&";

impl Reader<'_, '_> {
    /// Begins a line, unless it came before.
    fn begin(&mut self, kind: u8, hash: u64) -> bool {
        self.shape = None;
        self.key = fold(hash, u64::from(kind) << 1 | 1);
        self.start = self.found.len();
        let Some((from, to)) = self.lines.lines.get(&self.key) else { return false };
        let ids = self.lines.ids.get(*from as usize..*to as usize).unwrap_or_default();
        self.found.extend_from_slice(ids);
        true
    }

    /// Keeps the tokens of a line.
    fn end(&mut self) {
        let ids = self.found.get(self.start..).unwrap_or_default();
        let from = self.lines.ids.len();
        if self.key == 0 || self.is_ambiguous || from + ids.len() > u32::MAX as usize {
            return;
        }
        self.lines.ids.extend_from_slice(ids);
        self.lines.lines.insert(self.key, (from as u32, self.lines.ids.len() as u32));
    }

    /// Takes a token.
    #[inline]
    fn take<'p>(&mut self, stream: Stream, pieces: impl Iterator<Item = &'p str>) {
        let (key, _) = stream.finish();
        // A longer token is cut.
        let known =
            self.names.by_key(key).filter(|_| stream.len() as usize <= crate::observation::LONGEST_TOKEN);
        let id = known.unwrap_or_else(|| self.number(pieces));
        self.found.push(id);
    }

    /// The number of a token that is new, or not written as its pieces are.
    #[cold]
    fn number<'p>(&mut self, pieces: impl Iterator<Item = &'p str>) -> u32 {
        let mut text = std::mem::take(&mut self.lines.text);
        text.clear();
        self.place_text.pieces().into_iter().for_each(|piece| tamiz::push_token_piece(&mut text, piece));
        pieces.for_each(|piece| tamiz::push_token_piece(&mut text, piece));
        // Pieces are text, and stay so.
        let mut token = String::from_utf8(text).unwrap_or_default();
        shorten(&mut token);
        let id = self.names.id(&token);
        self.lines.text = token.into_bytes();
        id
    }

    /// Returns whether signs of this place are told together with the shape of the value: those of keys and headers
    /// are.
    fn is_paired(&mut self) -> bool {
        let [first, name, leaf] = self.place_text.pieces();
        let (letter, name) = match first {
            "q." | "b." | "h." => (first, name),
            // A header that is told by one piece.
            _ => match first.split_at_checked(2) {
                Some((letter @ ("q." | "b." | "h."), name)) => (letter, name),
                _ => return false,
            },
        };
        let is_op = |byte: u8| matches!(byte, b'=' | b'~' | b'^' | b'@' | b'#' | b'&');
        self.is_ambiguous |= name.is_empty() || name.bytes().chain(leaf.bytes()).any(is_op);
        let is_other = match letter {
            "q." => matches!(name, "n" | "keys"),
            "b." => matches!(name, "n" | "keys" | "kind"),
            _ => false,
        };
        !(is_other && leaf.is_empty())
    }

    /// Takes a sign together with the shape of the value.
    fn pair(&mut self, sign: &[&str]) {
        let (place, _) = self.place.finish();
        let Some(shape) = self.shape.take() else {
            // Where the line of the value came before, its shape is not known.
            self.is_ambiguous = true;
            return;
        };
        if shape.place == place {
            // The first piece of a shape begins with `=`, where a pair has `&`.
            let [first, rest @ ..] = shape.pieces;
            let pieces = || {
                let shape = [PAIR, first.strip_prefix('=').unwrap_or(first)].into_iter().chain(rest);
                shape.chain(sign.iter().copied())
            };
            let stream = pieces().fold(self.place, Stream::push);
            self.take(stream, pieces());
        }
        self.shape = Some(shape);
    }
}
