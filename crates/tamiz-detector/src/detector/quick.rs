//! Takes the tokens of a document without making strings of those that weigh nothing.

use std::borrow::Cow;

use tamiz::{Document, TokenOptions, TokenSink};

use super::Detector;
use super::quiet::Quiet;
use crate::observation::{made_of, shorten};
use crate::stream::{Stream, fold};
use crate::token::Parts;
use crate::{endpoint, token};

/// The most pieces that a value is told in.
const PIECES: usize = 6;
/// So many places are kept without memory of their own.
const FEW: usize = 48;

/// What the tokens of a document come to.
pub(super) struct Quick<'a> {
    detector: &'a Detector,
    pub(super) endpoint: String,
    pub(super) is_learned: bool,
    /// The hash of the endpoint; none for one that was not learned, whose tokens are known over all.
    of_endpoint: u64,
    /// The tokens that may weigh something.
    pub(super) others: Vec<String>,
    /// How many places with quiet tokens the request has.
    places: Places,
    /// How surprising the most surprising of the quiet tokens is.
    pub(super) rarest: i64,
    /// What the next tokens begin with.
    place: Stream,
    place_text: PlaceText<'a>,
    /// The value told last, whose signs follow.
    shape: Shape<'a>,
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

/// The shape of a value, and what it was told of.
#[derive(Default)]
struct Shape<'d> {
    place: u64,
    hash: u64,
    pieces: [&'d str; PIECES],
}

/// Each place once.
struct Places {
    few: [u64; FEW],
    count: usize,
    more: Vec<u64>,
}

impl Places {
    fn add(&mut self, place: u64) {
        match self.few.get_mut(self.count) {
            Some(slot) => *slot = place,
            None => self.more.push(place),
        }
        self.count += 1;
    }

    /// How many different ones there are.
    fn distinct(&mut self) -> u64 {
        let few = self.few.get_mut(..self.count.min(FEW)).unwrap_or_default();
        if !self.more.is_empty() {
            self.more.extend_from_slice(few);
        }
        let all = if self.more.is_empty() { few } else { &mut self.more };
        all.sort_unstable();
        all.chunk_by(|a, b| a == b).count() as u64
    }
}

impl<'a> Quick<'a> {
    /// Takes a document; `None` where its tokens have to be read as strings.
    pub(super) fn of(detector: &'a Detector, document: &'a Document) -> Option<Self> {
        let mut quick = Quick {
            detector,
            endpoint: String::new(),
            is_learned: false,
            of_endpoint: 0,
            others: Vec::new(),
            places: Places { few: [0; FEW], count: 0, more: Vec::new() },
            rarest: 0,
            place: Stream::default(),
            place_text: PlaceText::Pieces([""; 3]),
            shape: Shape::default(),
            is_ambiguous: false,
        };
        document.visit_tokens(TokenOptions::default(), &mut quick);
        quick.others.sort_unstable();
        quick.others.dedup();
        (!quick.is_ambiguous).then_some(quick)
    }

    pub(super) fn places(&mut self) -> u64 {
        self.places.distinct()
    }

    /// Takes a token; what is known of it, and its hash.
    #[inline]
    fn take(&mut self, stream: Stream, pieces: &[&str], ends: &[&str]) -> (Quiet, u64) {
        let (hash, is_plain) = stream.finish();
        match self.detector.quiet.get(self.of_endpoint ^ hash) {
            Some(quiet) if is_plain => (self.count(quiet, hash), hash),
            _ => self.take_other(pieces, ends),
        }
    }

    #[inline]
    fn count(&mut self, quiet: Quiet, hash: u64) -> Quiet {
        self.rarest = self.rarest.max(quiet.surprise.into());
        if quiet.is_place {
            self.places.add(hash);
        }
        quiet
    }

    /// Takes a token that is not known in these pieces: it may have white space, or weigh something.
    #[cold]
    fn take_other(&mut self, pieces: &[&str], ends: &[&str]) -> (Quiet, u64) {
        let text = made_of(self.place_text.pieces().into_iter().chain(pieces.iter().chain(ends).copied()));
        let (hash, _) = Stream::of(&text).finish();
        if let Some(quiet) = self.detector.quiet.get(self.of_endpoint ^ hash) {
            return (self.count(quiet, hash), hash);
        }
        let quiet = Quiet::of(&Parts::of(&text), 0);
        self.others.push(text);
        (quiet, hash)
    }

    /// Takes the sign of a value together with the value's shape.
    fn pair(&mut self, sign: u64, what: &[&str]) {
        let (place, _) = self.place.finish();
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
        self.endpoint = endpoint::template(&spelled(method), path.map(spelled).as_deref());
        let stream = Stream::of(&self.endpoint);
        (self.of_endpoint, _) = stream.finish();
        let token = Stream::of("e=").push(&self.endpoint);
        let (hash, _) = token.finish();
        match self.detector.quiet.get(self.of_endpoint ^ hash) {
            Some(quiet) => {
                self.is_learned = true;
                self.count(quiet, hash);
            }
            None => {
                self.is_learned = self.detector.endpoints.contains_key(&self.endpoint);
                if !self.is_learned {
                    self.of_endpoint = 0;
                }
                let mut token = format!("e={}", self.endpoint);
                shorten(&mut token);
                self.others.push(token);
            }
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
        self.is_ambiguous |= !quiet.is_place || is_empty;
    }

    #[inline]
    fn tell<const N: usize>(&mut self, pieces: [&str; N]) {
        let stream = pieces.iter().fold(self.place, |stream, piece| stream.push(piece));
        let (quiet, hash) = self.take(stream, &pieces, &[]);
        if quiet.is_sign {
            self.pair(hash, &pieces);
        }
    }

    #[inline]
    fn value<const N: usize>(&mut self, pieces: [&'a str; N], ends: &[[&str; 2]]) {
        let stream = pieces.iter().fold(self.place, |stream, piece| stream.push(piece));
        let (quiet, hash) = self.take(stream, &pieces, &[]);
        if quiet.is_shape {
            let (place, _) = self.place.finish();
            let mut kept = [""; PIECES];
            kept.iter_mut().zip(pieces).for_each(|(kept, piece)| *kept = piece);
            self.shape = Shape { place, hash, pieces: kept };
        }
        for end in ends {
            let stream = end.iter().fold(stream, |stream, piece| stream.push(piece));
            self.take(stream, &pieces, end);
        }
    }
}

impl Quiet {
    /// What a token is, with how surprising it is.
    pub(super) fn of(parts: &Parts<'_>, surprise: i32) -> Self {
        let is_told = parts.place.is_some() && matches!(parts.kind, "q" | "b" | "h");
        Quiet {
            surprise,
            is_place: parts.op == token::PLACE,
            is_shape: is_told && parts.op == b'=' && !parts.measured,
            is_sign: is_told && parts.op == b'~',
        }
    }
}
