//! Takes the tokens of a document without making strings of those that weigh nothing.

use std::borrow::Cow;
use std::sync::Arc;

use tamiz::{Document, TokenOptions, TokenSink};

use super::Detector;
use super::memo::{Part, kept};
use super::quiet::Quiet;
use crate::endpoint;
use crate::observation::{made_of, shorten};
use crate::stream::{Stream, fold};
use crate::token::Parts;

/// The most pieces that a value is told in.
const PIECES: usize = 6;
/// Up to so many places, looking at all of them is quicker than sorting them.
const FEW: usize = 32;

/// The sums over the tokens of a document.
pub(super) struct Quick<'a> {
    detector: &'a Detector,
    pub(super) endpoint: Arc<str>,
    pub(super) is_learned: bool,
    /// The hash of the endpoint; none for one that was not learned, whose tokens are known over all.
    of_endpoint: u64,
    /// The tokens that may weigh something.
    pub(super) others: Vec<String>,
    /// How many places with quiet tokens the request has.
    places: Places,
    /// How surprising the most surprising of the quiet tokens is.
    rarest: u32,
    /// The prefix of the next tokens.
    place: Stream,
    place_text: PlaceText<'a>,
    /// The value told last, whose signs follow.
    shape: Shape<'a>,
    /// Whether it is the last indeed: parts that are known are passed over.
    is_shape_certain: bool,
    /// A part of the request, under way.
    part: Unit,
    /// A key that cannot be told from what is told of it; such requests are read as strings.
    is_ambiguous: bool,
}

enum PlaceText<'d> {
    Pieces([&'d str; 3]),
    Respelled(String),
}

impl PlaceText<'_> {
    fn pieces(&self) -> [&str; 3] {
        match self {
            PlaceText::Pieces(pieces) => *pieces,
            PlaceText::Respelled(name) => [name, "", ""],
        }
    }
}

/// A part of a request, and what there was before it.
#[derive(Default)]
struct Unit {
    key: u64,
    rarest: u32,
    others: usize,
    /// The last place in it, and how many there are.
    place: Option<u64>,
    places: usize,
}

/// The shape of a value, and what it was told of.
#[derive(Default)]
struct Shape<'d> {
    place: u64,
    hash: u64,
    pieces: [&'d str; PIECES],
}

/// Counts places, each once.
#[derive(Default)]
struct Places {
    /// Has the bit of each place's highest bits: mostly that tells that a place is new.
    seen: u64,
    list: Vec<u64>,
}

impl Places {
    #[inline(always)]
    fn add(&mut self, place: u64) {
        let bit = 1 << (place & 63);
        if self.seen & bit == 0 || self.list.len() >= FEW || !self.list.contains(&place) {
            self.list.push(place);
        }
        self.seen |= bit;
    }

    /// How many different ones there are.
    fn count(&mut self) -> u64 {
        if self.list.len() >= FEW {
            self.list.sort_unstable();
            self.list.dedup();
        }
        self.list.len() as u64
    }
}

impl<'a> Quick<'a> {
    /// Takes a document; `None` where its tokens have to be read as strings.
    pub(super) fn of(detector: &'a Detector, document: &'a Document) -> Option<Self> {
        let mut quick = Quick {
            detector,
            endpoint: Arc::clone(&detector.no_endpoint),
            is_learned: false,
            of_endpoint: 0,
            others: Vec::new(),
            places: Places { seen: 0, list: Vec::with_capacity(FEW) },
            rarest: 0,
            place: Stream::default(),
            place_text: PlaceText::Pieces([""; 3]),
            shape: Shape::default(),
            is_shape_certain: true,
            part: Unit::default(),
            is_ambiguous: false,
        };
        if !document.visit_lines(&mut quick) {
            quick.begin_again();
            document.visit_tokens(TokenOptions::default(), &mut quick);
        }
        quick.others.sort_unstable();
        quick.others.dedup();
        (!quick.is_ambiguous).then_some(quick)
    }

    /// Forgets the tokens that came.
    fn begin_again(&mut self) {
        self.others.clear();
        self.places.list.clear();
        (self.places.seen, self.rarest) = (0, 0);
        (self.is_shape_certain, self.is_ambiguous, self.shape) = (true, false, Shape::default());
    }

    /// How many places with quiet tokens there are, and how surprising the most surprising of these tokens is.
    pub(super) fn sums(&mut self) -> (u64, i64) {
        (self.places.count(), self.rarest.into())
    }

    /// Takes a token; what is known of it, and its hash.
    #[inline(always)]
    fn take(&mut self, stream: Stream, pieces: &[&str], ends: &[&str]) -> (Quiet, u64) {
        let (hash, is_plain) = stream.finish();
        match self.detector.quiet.get(self.of_endpoint ^ hash) {
            Some(quiet) if is_plain => (self.count(quiet, hash), hash),
            _ => self.take_other(pieces, ends),
        }
    }

    #[inline(always)]
    fn count(&mut self, quiet: Quiet, hash: u64) -> Quiet {
        self.rarest = self.rarest.max(quiet.surprise());
        if quiet.is_place() {
            self.places.add(kept(hash));
            (self.part.place, self.part.places) = (Some(kept(hash)), self.part.places + 1);
        }
        quiet
    }

    /// Takes a token that is not known in these pieces: it may have white space, or weigh something.
    #[cold]
    #[inline(never)]
    fn take_other(&mut self, pieces: &[&str], ends: &[&str]) -> (Quiet, u64) {
        let text = made_of(self.place_text.pieces().into_iter().chain(pieces.iter().chain(ends).copied()));
        let (hash, _) = Stream::of(&text).finish();
        if let Some(quiet) = self.detector.quiet.get(self.of_endpoint ^ hash) {
            return (self.count(quiet, hash), hash);
        }
        let quiet = Quiet::of(&Parts::of(&text), 0).unwrap_or_default();
        self.others.push(text);
        (quiet, hash)
    }

    /// Takes the sign of a value together with the value's shape.
    fn pair(&mut self, sign: u64, what: &[&str]) {
        let (place, _) = self.place.finish();
        // Where the value was passed over, its shape is not known.
        self.is_ambiguous |= !self.is_shape_certain;
        if self.shape.place != place {
            return;
        }
        let hash = pair_hash(self.shape.hash, sign);
        if let Some(quiet) = self.detector.quiet.get(self.of_endpoint ^ hash) {
            self.count(quiet, hash);
            return;
        }
        // The first piece of a shape begins with `=`, where a pair has `&`.
        let [first, rest @ ..] = self.shape.pieces;
        let shape = ["&", first.strip_prefix('=').unwrap_or(first)].into_iter().chain(rest);
        let place = self.place_text.pieces().into_iter();
        let text = made_of(place.chain(shape).chain(what.iter().copied()));
        self.others.push(text);
    }
}

/// A text as tokens spell it.
fn spelled(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    tamiz::push_token_piece(&mut out, text);
    Cow::Owned(String::from_utf8(out).unwrap_or_default())
}

/// The hash of a pair of shape and sign, by their own.
pub(super) fn pair_hash(shape: u64, sign: u64) -> u64 {
    fold(shape, sign | 1)
}

/// The hash that a token of a model is known by.
pub(super) fn known_hash(text: &str, parts: &Parts<'_>) -> u64 {
    let of = |text: &str| Stream::of(text).finish().0;
    let pair = || {
        let place = parts.place.filter(|_| parts.op == b'&')?;
        let (shape, sign) = text.get(place.len() + 1..)?.rsplit_once('~')?;
        Some(pair_hash(of(&format!("{place}={shape}")), of(&format!("{place}~{sign}"))))
    };
    pair().unwrap_or_else(|| of(text))
}

impl<'a> TokenSink<'a> for Quick<'a> {
    const ROLLUP: bool = false;

    fn head(&mut self, method: &'a str, path: Option<&'a str>) {
        // A marker is another text in a token.
        self.is_ambiguous |= method.starts_with('<');
        let of_path = self.detector.memo.key(0, b'e', method, path.unwrap_or("\n"));
        let known = self.detector.memo.get(of_path).and_then(|at| usize::try_from(at).ok());
        let learned = &self.detector.learned;
        if let Some((name, hash)) = known.and_then(|at| learned.get(at)) {
            (self.endpoint, self.of_endpoint, self.is_learned) = (Arc::clone(name), *hash, true);
        } else {
            let name = endpoint::template(&spelled(method), path.map(spelled).as_deref());
            if let Ok(at) = learned.binary_search_by(|(learned, _)| (**learned).cmp(&name)) {
                (self.of_endpoint, self.is_learned) = (Stream::of(&name).finish().0, true);
                self.detector.memo.set(of_path, at as u64);
            }
            self.endpoint = name.into();
        }
        let (hash, _) = Stream::of("e=").push(&self.endpoint).finish();
        match self.detector.quiet.get(self.of_endpoint ^ hash) {
            Some(quiet) => {
                self.count(quiet, hash);
            }
            None => {
                let mut token = format!("e={}", self.endpoint);
                shorten(&mut token);
                self.others.push(token);
            }
        }
    }

    #[inline(always)]
    fn knows(&mut self, kind: u8, line: &str, note: &str) -> bool {
        let key = self.detector.memo.key(self.of_endpoint, kind, line, note);
        self.is_shape_certain = false;
        if let Some(part) = self.detector.memo.get(key).map(Part::unpacked) {
            self.rarest = self.rarest.max(part.surprise);
            part.place.into_iter().for_each(|place| self.places.add(place));
            return true;
        }
        let (rarest, others) = (std::mem::take(&mut self.rarest), self.others.len());
        self.part = Unit { key, rarest, others, places: 0, place: None };
        false
    }

    fn end(&mut self) {
        let Unit { key, rarest, others, places, place } = self.part;
        let surprise = self.rarest;
        self.rarest = surprise.max(rarest);
        let is_known = places <= 1 && !self.is_ambiguous && self.others.len() == others;
        if let Some(word) = (Part { surprise, place }).packed().filter(|_| is_known) {
            self.detector.memo.set(key, word);
        }
    }

    #[inline]
    fn place(&mut self, pieces: [&'a str; 3]) {
        self.place = pieces.iter().fold(Stream::default(), |stream, piece| stream.push(piece));
        self.place_text = PlaceText::Pieces(pieces);
    }

    fn place_respelled(&mut self, name: String) {
        self.place = Stream::of(&name);
        self.place_text = PlaceText::Respelled(name);
    }

    #[inline]
    fn here(&mut self) {
        let (quiet, _) = self.take(self.place, &[], &[]);
        // A key without a character takes the sign behind it for its own.
        let is_empty = matches!(self.place_text, PlaceText::Pieces([_, "", ""]));
        self.is_ambiguous |= !quiet.is_place() || is_empty;
    }

    #[inline]
    fn tell<const N: usize>(&mut self, pieces: [&str; N]) {
        let stream = pieces.iter().fold(self.place, |stream, piece| stream.push(piece));
        let (quiet, hash) = self.take(stream, &pieces, &[]);
        if quiet.is_sign() {
            self.pair(hash, &pieces);
        }
    }

    #[inline]
    fn value<const N: usize>(&mut self, pieces: [&'a str; N], ends: &[[&str; 2]]) {
        let stream = pieces.iter().fold(self.place, |stream, piece| stream.push(piece));
        let (quiet, hash) = self.take(stream, &pieces, &[]);
        if quiet.is_shape() {
            let (place, _) = self.place.finish();
            let mut shape = [""; PIECES];
            shape.iter_mut().zip(pieces).for_each(|(slot, piece)| *slot = piece);
            self.shape = Shape { place, hash, pieces: shape };
            self.is_shape_certain = true;
        }
        for end in ends {
            let stream = end.iter().fold(stream, |stream, piece| stream.push(piece));
            self.take(stream, &pieces, end);
        }
    }
}
