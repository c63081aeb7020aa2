//! Scores a document by the hashes of its tokens, section by section and line by line: no strings are made of tokens that
//! were learned, and sections and lines that are in the cache are skipped.

mod lines;
mod places;
mod sink;
mod texts;

use std::cell::Cell;
use std::sync::Arc;

use tamiz::{Document, TokenOptions, TokenSink};

use super::record::RecordId;
use super::sum::{self, Sum};
use super::weigh::pair_hash;
use super::weights::{PLACE, PackedWeight};
use super::{Detector, Learned};
use crate::novelty::{BITS, bits};
use crate::pieces::{PIECES, PlaceText};
use crate::score::Score;
use crate::stream::Stream;
use lines::{Line, Section};
use places::Places;

/// The sums over the tokens of a document.
pub(super) struct Scorer<'a> {
    detector: &'a Detector,
    /// The endpoint, if it was learned.
    endpoint: Option<&'a Learned>,
    /// Its hash; none for one that was not learned, whose tokens are known over all.
    of_endpoint: u64,
    /// How many places the request has.
    places: Places,
    /// How surprising the most surprising of the tokens is, but for those that the least probability is of.
    rarest: u32,
    least_rate: u64,
    /// How many tokens are new.
    new: u64,
    /// The weight of unusual tokens and flags.
    unusual: Vec<u64>,
    flags: Vec<u64>,
    /// The texts of tokens that weigh something or are new, where reasons are asked for, and the endpoint.
    texts: Option<(Vec<String>, Arc<str>)>,
    /// The notes of flags that weigh something.
    notes: Vec<u64>,
    /// The prefix of the next tokens.
    place: Stream,
    place_text: PlaceText<'a>,
    /// The prefix has a sign that tokens of other places have too, or white space: what its tokens are, their texts tell.
    is_odd_place: bool,
    /// The hash of the last such prefix.
    odd_place: u64,
    /// The value told last, whose signs follow.
    shape: Shape<'a>,
    /// True if it is the last indeed: lines in the cache are skipped.
    is_shape_certain: bool,
    line: Line,
    section: Section,
    /// A buffer for tokens that were not learned.
    text: Vec<u8>,
    /// Some tokens may have come twice: the document is read again, as one part.
    is_repeated: bool,
    /// A key that cannot be told from what is told of it; such requests are read as strings.
    is_ambiguous: bool,
}

/// Memory that the next document on this thread uses again.
#[derive(Default)]
struct Buffers {
    unusual: Vec<u64>,
    flags: Vec<u64>,
    notes: Vec<u64>,
    loud: Vec<Loud>,
    tokens: Vec<Token>,
    text: Vec<u8>,
}

thread_local! {
    static BUFFERS: Cell<Buffers> = const {
        Cell::new(Buffers {
            unusual: Vec::new(),
            flags: Vec::new(),
            notes: Vec::new(),
            loud: Vec::new(),
            tokens: Vec::new(),
            text: Vec::new(),
        })
    };
}

/// More memory than for so many weights, or bytes of a token, is given back.
const MOST_KEPT: usize = 256;

impl Drop for Scorer<'_> {
    fn drop(&mut self) {
        let is_large = [self.unusual.capacity(), self.flags.capacity(), self.notes.capacity()]
            .into_iter()
            .chain([self.line.loud.capacity(), self.line.tokens.capacity(), self.text.capacity() / 4])
            .any(|capacity| capacity > MOST_KEPT);
        if is_large {
            return;
        }
        let mut buffers = Buffers {
            unusual: std::mem::take(&mut self.unusual),
            flags: std::mem::take(&mut self.flags),
            notes: std::mem::take(&mut self.notes),
            loud: std::mem::take(&mut self.line.loud),
            tokens: std::mem::take(&mut self.line.tokens),
            text: std::mem::take(&mut self.text),
        };
        buffers.unusual.clear();
        buffers.flags.clear();
        buffers.notes.clear();
        buffers.loud.clear();
        buffers.tokens.clear();
        // A thread that ends has no use for it.
        let _ = BUFFERS.try_with(|kept| kept.set(buffers));
    }
}

/// A token that was learned, or is of a family that was.
#[derive(Clone, Copy)]
struct Token {
    hash: u64,
    record: RecordId,
}

/// A token that weighs something, or is new, and has no record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Loud {
    token: u64,
    unusual: Option<u64>,
    flag: Option<u64>,
    is_new: bool,
}

/// The shape of a value, and what it was told of.
#[derive(Default)]
struct Shape<'d> {
    place: u64,
    hash: u64,
    pieces: [&'d str; PIECES],
    /// The shape itself, in place of its pieces.
    text: Option<String>,
}

impl Shape<'_> {
    /// Its text, without the sign before it.
    fn text(&self) -> impl Iterator<Item = &str> {
        // The first piece begins with `=`.
        let [first, rest @ ..] = self.pieces;
        let first = self.text.as_deref().unwrap_or(first.strip_prefix('=').unwrap_or(first));
        std::iter::once(first).chain(rest)
    }
}

impl<'a> Scorer<'a> {
    #[inline(always)]
    pub(super) fn of(detector: &'a Detector) -> Self {
        Scorer::new(detector, None)
    }

    /// Keeps the texts of tokens that weigh something.
    pub(super) fn explaining(detector: &'a Detector) -> Self {
        Scorer::new(detector, Some((Vec::new(), "".into())))
    }

    #[inline(always)]
    fn new(detector: &'a Detector, texts: Option<(Vec<String>, Arc<str>)>) -> Self {
        let Buffers { unusual, flags, notes, loud, tokens, text } =
            BUFFERS.try_with(Cell::take).unwrap_or_default();
        Scorer {
            detector,
            endpoint: None,
            of_endpoint: 0,
            places: Places::default(),
            rarest: 0,
            least_rate: 1 << BITS,
            new: 0,
            unusual,
            flags,
            texts,
            notes,
            place: Stream::default(),
            place_text: PlaceText::Pieces([""; 3]),
            is_odd_place: false,
            odd_place: 0,
            shape: Shape::default(),
            is_shape_certain: true,
            line: Line { loud, tokens, ..Line::default() },
            section: Section::default(),
            text,
            is_repeated: false,
            is_ambiguous: false,
        }
    }

    /// Takes a document; whether that could be done: if not, its tokens have to be read as strings.
    #[inline(always)]
    pub(super) fn read(&mut self, document: &'a Document) -> bool {
        let is_read = document.visit_lines(self);
        if (!is_read || self.is_repeated) && !self.is_ambiguous {
            self.read_whole(document);
        }
        !self.is_ambiguous
    }

    /// Takes a document again, as one part.
    #[cold]
    fn read_whole(&mut self, document: &'a Document) {
        let texts = self.texts.take().map(|(_, endpoint)| (Vec::new(), endpoint));
        *self = Scorer::new(self.detector, texts);
        self.begin_line(0, 0);
        document.visit_tokens(TokenOptions::default(), self);
        self.end_line();
    }

    pub(super) fn score(&mut self) -> Score {
        let usual_places = self.detector.usual_places;
        let tokens = (self.surprise(), self.new);
        let places = || self.places.count();
        let parted = sum::finish(tokens, &mut self.unusual, &mut self.flags, usual_places, places);
        self.detector.score_parted(&parted, self.endpoint.is_some())
    }

    /// The endpoint, whether it was learned, the tokens that weigh something, and the sum over all others.
    pub(super) fn loud_tokens(mut self) -> (Arc<str>, bool, Vec<String>, Sum<'static>) {
        let (mut texts, endpoint) = self.texts.take().unwrap_or_else(|| (Vec::new(), "".into()));
        texts.sort_unstable();
        texts.dedup();
        let sum = Sum::of_quiet(self.places.count(), self.surprise().into());
        (endpoint, self.endpoint.is_some(), texts, sum)
    }

    /// How surprising the most surprising of the tokens is.
    fn surprise(&self) -> u32 {
        match self.least_rate {
            rate if rate >= 1 << BITS => self.rarest,
            rate => self.rarest.max(u32::try_from(bits(rate)).unwrap_or_default()),
        }
    }

    /// Takes a token; returns its class (`weights::what`) and its hash.
    #[inline(always)]
    fn take(&mut self, stream: Stream, pieces: &[&str], ends: &[&str]) -> (u64, u64) {
        let (hash, is_plain) = stream.finish();
        let is_told_by_hash = is_plain && self.texts.is_none();
        let record =
            || self.detector.records.token(hash).or_else(|| self.family_record(stream, pieces, ends));
        match is_told_by_hash.then(record).flatten() {
            Some(record) => {
                self.line.tokens.push(Token { hash, record });
                (record.what(), hash)
            }
            None => self.take_text(is_plain.then_some(hash), is_plain, |place, push| {
                place.iter().chain(pieces).chain(ends).for_each(|piece| push(piece));
            }),
        }
    }

    /// Adds a place, which has this hash.
    #[inline(always)]
    fn add_place(&mut self, hash: u64) {
        let place = hash.max(1);
        self.line.is_repeated |= self.places.add(place);
        (self.line.place, self.line.places) = (place, self.line.places + 1);
    }

    /// Takes a token that has a weight.
    fn count(&mut self, weight: PackedWeight, hash: u64) {
        self.rarest = self.rarest.max(weight.surprise());
        if weight.what() == PLACE {
            self.add_place(hash);
        }
    }

    /// Takes the sign of a value together with the value's shape.
    fn pair(&mut self, sign: u64, what: &[&str]) {
        let (place, _) = self.place.finish();
        // Where the line of the value was skipped, its shape is not known.
        self.is_ambiguous |= !self.is_shape_certain;
        if self.shape.place != place {
            return;
        }
        let hash = pair_hash(self.shape.hash, sign);
        if let Some(record) = self.detector.records.token(hash).filter(|_| self.texts.is_none()) {
            self.line.tokens.push(Token { hash, record });
            return;
        }
        let shape = std::mem::take(&mut self.shape);
        self.take_text(Some(hash), false, |place, push| {
            let shape = std::iter::once("&").chain(shape.text());
            place.into_iter().chain(shape).chain(what.iter().copied()).for_each(push);
        });
        self.shape = shape;
    }
}
