//! Scores a document by the hashes of its tokens, section by section and line by line: no strings are made of tokens that
//! were learned, and sections and lines that are in the cache are skipped.

mod lines;
mod places;
mod sink;

use std::sync::Arc;

use tamiz::{Document, TokenOptions, TokenSink};

use super::Detector;
use super::cache::Part;
use super::sum::{self, Sum, with_site};
use super::weigh::Item;
use super::weights::PackedWeight;
use crate::novelty::Counts;
use crate::observation::shorten;
use crate::pieces::{PIECES, PlaceText};
use crate::score::Score;
use crate::stream::{Stream, fold};
use crate::token::{self, Parts};
use lines::{Line, Section};
use places::Places;

/// The sums over the tokens of a document.
pub(super) struct Scorer<'a> {
    detector: &'a Detector,
    /// The place of the endpoint among those that were learned.
    learned: Option<usize>,
    /// The hash of the endpoint; none for one that was not learned, whose tokens are known over all.
    of_endpoint: u64,
    counts: Option<&'a Counts>,
    /// How many places the request has.
    places: Places,
    /// How surprising the most surprising of the tokens is.
    rarest: u32,
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
    /// The value told last, whose signs follow.
    shape: Shape<'a>,
    /// Whether it is the last indeed: lines in the cache are skipped.
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

/// A token that weighs something, or is new.
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
        Scorer {
            detector,
            learned: None,
            of_endpoint: 0,
            counts: None,
            places: Places::default(),
            rarest: 0,
            new: 0,
            unusual: Vec::new(),
            flags: Vec::new(),
            texts,
            notes: Vec::new(),
            place: Stream::default(),
            place_text: PlaceText::Pieces([""; 3]),
            shape: Shape::default(),
            is_shape_certain: true,
            line: Line::default(),
            section: Section::default(),
            text: Vec::new(),
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
        document.visit_tokens(TokenOptions::default(), self);
        self.end_line();
    }

    pub(super) fn score(&mut self) -> Score {
        let usual_places = self.detector.usual_places;
        let tokens = (self.rarest, self.new);
        let places = || self.places.count();
        let parted = sum::finish(tokens, &mut self.unusual, &mut self.flags, usual_places, places);
        self.detector.score_parted(&parted, self.learned.is_some())
    }

    /// The endpoint, whether it was learned, the tokens that weigh something, and the sum over all others.
    pub(super) fn loud_tokens(mut self) -> (Arc<str>, bool, Vec<String>, Sum<'static>) {
        let (mut texts, endpoint) = self.texts.take().unwrap_or_else(|| (Vec::new(), "".into()));
        texts.sort_unstable();
        texts.dedup();
        (endpoint, self.learned.is_some(), texts, Sum::of_quiet(self.places.count(), self.rarest.into()))
    }

    /// Takes a token; returns its weight and its hash.
    #[inline(always)]
    fn take(&mut self, stream: Stream, pieces: &[&str], ends: &[&str]) -> (PackedWeight, u64) {
        let (hash, is_plain) = stream.finish();
        match self.detector.weights.get(self.of_endpoint ^ hash) {
            Some(weight) if is_plain && weight.is_quiet() => (self.count(weight, hash), hash),
            _ => self.take_other(hash, is_plain, is_plain, |place, push| {
                place.iter().chain(pieces).chain(ends).for_each(|piece| push(piece));
            }),
        }
    }

    /// Takes a token that may have white space, weigh something, or be new: from the cache, if its hash is that of its text.
    #[inline(never)]
    fn take_other(
        &mut self,
        hash: u64,
        is_of_text: bool,
        is_plain: bool,
        write: impl FnOnce([&str; 3], &mut dyn FnMut(&str)),
    ) -> (PackedWeight, u64) {
        if !is_of_text || self.texts.is_some() {
            return self.take_text(is_plain, write);
        }
        let key = self.detector.cache.key(self.of_endpoint, b't', hash);
        if let Some((part, weights)) = self.detector.cache.get(key) {
            let mut weights = weights.iter();
            let unusual = weights.by_ref().take(part.unusual.into()).next();
            let (flag, is_new) = (weights.next(), part.new > 0);
            self.line.loud.push(Loud { token: hash, unusual, flag, is_new });
            return (self.count(PackedWeight::from_word(part.place), hash), hash);
        }
        let (weight, of_text) = self.take_text(is_plain, write);
        if let Some(loud) = self.line.loud.last().filter(|loud| loud.token == hash && of_text == hash) {
            let (unusual, flag) = (loud.unusual.as_slice(), loud.flag.as_slice());
            self.detector.cache_part(key, 0, loud.is_new.into(), (unusual, flag), weight.word());
        }
        (weight, of_text)
    }

    #[inline(always)]
    fn count(&mut self, weight: PackedWeight, hash: u64) -> PackedWeight {
        self.rarest = self.rarest.max(weight.surprise());
        if weight.is_place() {
            let place = hash.max(1);
            self.line.is_repeated |= self.places.add(place);
            (self.line.place, self.line.places) = (place, self.line.places + 1);
        }
        weight
    }

    /// Takes a token by its text: it may have white space, weigh something, or be new.
    #[cold]
    #[inline(never)]
    fn take_text(
        &mut self,
        is_plain: bool,
        write: impl FnOnce([&str; 3], &mut dyn FnMut(&str)),
    ) -> (PackedWeight, u64) {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        write(self.place_text.pieces(), &mut |piece| match is_plain {
            true => text.extend_from_slice(piece.as_bytes()),
            false => tamiz::push_token_piece(&mut text, piece),
        });
        // Pieces are text, and stay so.
        let mut token = String::from_utf8(text).unwrap_or_default();
        shorten(&mut token);
        let parts = Parts::of(&token);
        let hash = token_hash(self.detector.seed, &token, &parts);
        let weight = self.detector.weights.get(self.of_endpoint ^ hash);
        let weight = weight.unwrap_or_else(|| self.weigh_new(&token, &parts, hash));
        if !weight.is_quiet() {
            self.take_loud(&token, &parts, weight, hash);
        }
        if self.texts.is_none() || weight.is_quiet() {
            self.count(weight, hash);
        }
        self.text = token.into_bytes();
        (weight, hash)
    }

    fn take_loud(&mut self, token: &str, parts: &Parts<'_>, weight: PackedWeight, hash: u64) {
        if let Some((texts, _)) = &mut self.texts {
            return texts.push(token.to_owned());
        }
        let (site, _) = Stream::of(self.detector.seed, parts.site(token)).finish();
        let (unusual, flag) = (with_site(site, weight.unusual()), with_site(site, weight.flag()));
        self.line.loud.push(Loud { token: hash, unusual, flag, is_new: weight.is_new() });
    }

    /// Weighs a token that the endpoint never had.
    fn weigh_new(&self, token: &str, parts: &Parts<'_>, hash: u64) -> PackedWeight {
        let detector = self.detector;
        let weigh =
            || PackedWeight::of(parts, detector.told(&Item::of_parts(token, *parts), self.counts, None));
        // A token that was never seen anywhere weighs what any such token of its family does, unless some were let go.
        let is_kept = detector.whole.keeps_all() && self.counts.is_none_or(Counts::keeps_all);
        let is_new = self.of_endpoint == 0 || detector.weights.get(hash).is_none();
        if parts.op == b'f' || !is_kept || !is_new {
            return weigh();
        }
        // Most families end with what tells them from others of the place.
        let which = match parts.op {
            token::PLACE => "\n.",
            _ if parts.measured => "\n@",
            _ => "",
        };
        let (hash, _) = Stream::of(detector.seed, parts.family).push(which).finish();
        let key = detector.cache.key(self.of_endpoint, b'k', hash);
        if let Some((part, _)) = detector.cache.get(key) {
            return PackedWeight::from_word(part.place);
        }
        let weight = weigh();
        detector.cache.set(key, Part { place: weight.word(), ..Part::default() }, &[]);
        weight
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
        if let Some(weight) =
            self.detector.weights.get(self.of_endpoint ^ hash).filter(|weight| weight.is_quiet())
        {
            self.count(weight, hash);
            return;
        }
        // The first piece of a shape begins with `=`, where a pair has `&`.
        let [first, rest @ ..] = self.shape.pieces;
        let shape = ["&", first.strip_prefix('=').unwrap_or(first)].into_iter().chain(rest);
        self.take_other(hash, true, false, |place, push| {
            place.into_iter().chain(shape).chain(what.iter().copied()).for_each(push);
        });
    }
}

/// The hash of a pair of shape and sign, by their own.
fn pair_hash(shape: u64, sign: u64) -> u64 {
    fold(shape, sign | 1)
}

/// The hash of a token of a model, by which its weight is found.
pub(super) fn token_hash(seed: u64, text: &str, parts: &Parts<'_>) -> u64 {
    let pair = || {
        let place = parts.place.filter(|_| parts.op == b'&')?;
        let (shape, sign) = text.get(place.len() + 1..)?.rsplit_once('~')?;
        let of = |op: &str, what: &str| Stream::of(seed, place).push(op).push(what).finish().0;
        Some(pair_hash(of("=", shape), of("~", sign)))
    };
    pair().unwrap_or_else(|| Stream::of(seed, text).finish().0)
}
