//! Takes the tokens of a document by their hashes, line by line: no strings are made of tokens that were learned, and lines
//! that came before are not read.

use std::borrow::Cow;
use std::sync::Arc;

use tamiz::{Document, TokenOptions, TokenSink};

use super::Detector;
use super::known::Known;
use super::memo::{Part, WEIGHTS};
use super::sum::{self, Sum, weight};
use super::weigh::Item;
use crate::endpoint;
use crate::novelty::Counts;
use crate::observation::shorten;
use crate::score::Score;
use crate::stream::{Stream, fold};
use crate::token::{self, Parts};

/// The most pieces that a value is told in.
const PIECES: usize = 6;
/// Up to so many places, looking at all of them is quicker than sorting them.
const FEW: usize = 32;

/// The sums over the tokens of a document.
pub(super) struct Quick<'a> {
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
    /// Whether it is the last indeed: parts that are known are passed over.
    is_shape_certain: bool,
    /// A part of the request, under way.
    unit: Unit,
    /// A buffer for tokens that were not learned.
    text: Vec<u8>,
    /// Some tokens may have come twice: the document is read again, as one part.
    is_repeated: bool,
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

/// A part of a request under way: a line, or all of it.
#[derive(Default)]
struct Unit {
    /// The key to remember it by; none where the document is read as a whole.
    key: u64,
    kind: u8,
    rarest: u32,
    /// The last place in it, and how many there are.
    place: u64,
    places: usize,
    /// Another part has the same place.
    is_repeated: bool,
    loud: Vec<Loud>,
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

/// Counts places, each once.
#[derive(Default)]
struct Places {
    /// Has the bit of each place's lowest bits: mostly that tells that a place is new.
    seen: u64,
    few: [u64; FEW],
    len: usize,
    /// Those beyond the first few.
    more: Vec<u64>,
}

impl Places {
    /// Adds a place; whether it may have been there.
    #[inline(always)]
    fn add(&mut self, place: u64) -> bool {
        let bit = 1 << (place & 63);
        let is_seen = self.seen & bit != 0 && self.is_among(place);
        self.seen |= bit;
        if !is_seen {
            match self.few.get_mut(self.len) {
                Some(slot) => {
                    *slot = place;
                    self.len += 1;
                }
                None => self.more.push(place),
            }
        }
        is_seen || !self.more.is_empty()
    }

    #[cold]
    fn is_among(&self, place: u64) -> bool {
        self.few.get(..self.len).is_some_and(|few| few.contains(&place))
    }

    /// How many different ones there are.
    fn count(&mut self) -> u64 {
        self.more.sort_unstable();
        self.more.dedup();
        (self.len + self.more.len()) as u64
    }
}

impl<'a> Quick<'a> {
    #[inline(always)]
    pub(super) fn of(detector: &'a Detector) -> Self {
        Quick::new(detector, None)
    }

    /// Keeps the texts of tokens that weigh something.
    pub(super) fn explaining(detector: &'a Detector) -> Self {
        Quick::new(detector, Some((Vec::new(), "".into())))
    }

    #[inline(always)]
    fn new(detector: &'a Detector, texts: Option<(Vec<String>, Arc<str>)>) -> Self {
        Quick {
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
            unit: Unit::default(),
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
        *self = Quick::new(self.detector, texts);
        document.visit_tokens(TokenOptions::default(), self);
        self.end();
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

    /// Takes a token; what is known of it, and its hash.
    #[inline(always)]
    fn take(&mut self, stream: Stream, pieces: &[&str], ends: &[&str]) -> (Known, u64) {
        let (hash, is_plain) = stream.finish();
        match self.detector.known.get(self.of_endpoint ^ hash) {
            Some(known) if is_plain && known.is_quiet() => (self.count(known, hash), hash),
            _ => self.take_text(|place, text| {
                place.iter().chain(pieces).chain(ends).for_each(|piece| tamiz::push_token_piece(text, piece));
            }),
        }
    }

    #[inline(always)]
    fn count(&mut self, known: Known, hash: u64) -> Known {
        self.rarest = self.rarest.max(known.surprise());
        if known.is_place() {
            let place = hash.max(1);
            self.unit.is_repeated |= self.places.add(place);
            (self.unit.place, self.unit.places) = (place, self.unit.places + 1);
        }
        known
    }

    /// Takes a token by its text: it may have white space, weigh something, or be new.
    #[cold]
    #[inline(never)]
    fn take_text(&mut self, write: impl FnOnce([&str; 3], &mut Vec<u8>)) -> (Known, u64) {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        write(self.place_text.pieces(), &mut text);
        // Pieces are text, and stay so.
        let mut token = String::from_utf8(text).unwrap_or_default();
        shorten(&mut token);
        let parts = Parts::of(&token);
        let hash = known_hash(self.detector.seed, &token, &parts);
        let known = self.detector.known.get(self.of_endpoint ^ hash);
        let known = known.unwrap_or_else(|| self.weigh_new(&token, &parts, hash));
        if !known.is_quiet() {
            self.take_loud(&token, &parts, known, hash);
        }
        if self.texts.is_none() || known.is_quiet() {
            self.count(known, hash);
        }
        self.text = token.into_bytes();
        (known, hash)
    }

    fn take_loud(&mut self, token: &str, parts: &Parts<'_>, known: Known, hash: u64) {
        if let Some((texts, _)) = &mut self.texts {
            return texts.push(token.to_owned());
        }
        let (site, _) = Stream::of(self.detector.seed, parts.site(token)).finish();
        let (unusual, flag) = (weight(site, known.unusual()), weight(site, known.flag()));
        self.unit.loud.push(Loud { token: hash, unusual, flag, is_new: known.is_new() });
    }

    /// Weighs a token that the endpoint never had.
    fn weigh_new(&self, token: &str, parts: &Parts<'_>, hash: u64) -> Known {
        let detector = self.detector;
        let weigh = || Known::of(parts, detector.told(&Item::of(token), self.counts, None));
        // A token that was never seen anywhere weighs what any such token of its family does, unless some were let go.
        let is_kept = detector.whole.keeps_all() && self.counts.is_none_or(Counts::keeps_all);
        let is_new = self.of_endpoint == 0 || detector.known.get(hash).is_none();
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
        let key = detector.memo.key(self.of_endpoint, b'k', hash);
        if let Some((part, _)) = detector.memo.get(key) {
            return Known::from_word(part.place);
        }
        let known = weigh();
        detector.memo.set(key, Part { place: known.word(), ..Part::default() }, &[]);
        known
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
        if let Some(known) = self.detector.known.get(self.of_endpoint ^ hash).filter(|known| known.is_quiet())
        {
            self.count(known, hash);
            return;
        }
        // The first piece of a shape begins with `=`, where a pair has `&`.
        let [first, rest @ ..] = self.shape.pieces;
        let shape = ["&", first.strip_prefix('=').unwrap_or(first)].into_iter().chain(rest);
        self.take_text(|place, text| {
            let pieces = place.into_iter().chain(shape).chain(what.iter().copied());
            pieces.for_each(|piece| tamiz::push_token_piece(text, piece));
        });
    }

    /// Begins a part, unless it is known.
    #[inline(always)]
    fn begin(&mut self, key: u64, kind: u8) -> Option<Part> {
        self.is_shape_certain = false;
        // A reason names the endpoint, which is remembered by its number alone.
        let is_asked = kind != b'e' || self.texts.is_none();
        if let Some((part, weights)) = self.detector.memo.get(key).filter(|_| is_asked) {
            if part.is_quiet() {
                self.rarest = self.rarest.max(part.surprise);
                return Some(part);
            }
            if self.texts.is_none() {
                self.rarest = self.rarest.max(part.surprise);
                self.new += u64::from(part.new);
                let mut weights = weights.iter();
                self.unusual.extend(weights.by_ref().take(part.unusual.into()));
                self.flags.extend(weights);
                self.note_once(kind, key);
                return Some(part);
            }
        }
        let rarest = std::mem::take(&mut self.rarest);
        (self.unit.key, self.unit.kind, self.unit.rarest) = (key, kind, rarest);
        (self.unit.place, self.unit.places, self.unit.is_repeated) = (0, 0, false);
        None
    }

    /// A place may have the same flag noted twice, if it is the leaf of a value and another key.
    fn note_once(&mut self, kind: u8, key: u64) {
        if kind == b'n' {
            self.is_repeated |= self.notes.len() >= FEW || self.notes.contains(&key);
            self.notes.push(key);
        }
    }

    /// Ends a part, whose place is this if it has none of its own.
    fn end_part(&mut self, place: u64) {
        let mut loud = std::mem::take(&mut self.unit.loud);
        loud.sort_unstable();
        loud.dedup();
        let surprise = self.rarest;
        self.rarest = surprise.max(self.unit.rarest);
        let (unusual, flags) = (self.unusual.len(), self.flags.len());
        let mut new = 0_u64;
        for token in &loud {
            new += u64::from(token.is_new);
            self.unusual.extend(token.unusual);
            self.flags.extend(token.flag);
        }
        self.new += new;
        if !loud.is_empty() {
            self.is_repeated |= self.unit.is_repeated;
            self.note_once(self.unit.kind, self.unit.key);
        }
        loud.clear();
        self.unit.loud = loud;
        if self.unit.key == 0 || self.unit.places > 1 || self.is_ambiguous || self.texts.is_some() {
            return;
        }
        let (unusual, flags) =
            (self.unusual.get(unusual..).unwrap_or_default(), self.flags.get(flags..).unwrap_or_default());
        let mut weights = [0; WEIGHTS];
        let count = unusual.len() + flags.len();
        if let (Some(to), Ok(new)) = (weights.get_mut(..count), u16::try_from(new)) {
            to.iter_mut().zip(unusual.iter().chain(flags)).for_each(|(to, weight)| *to = *weight);
            let place = if self.unit.places == 0 { place } else { self.unit.place };
            let part = Part { surprise, new, unusual: unusual.len() as u8, flags: flags.len() as u8, place };
            self.detector.memo.set(self.unit.key, part, to);
        }
    }

    /// Sets the endpoint.
    fn set_endpoint(&mut self, learned: Option<usize>) {
        let Some((at, endpoint)) = learned.and_then(|at| Some((at, self.detector.endpoints.get(at)?))) else {
            return;
        };
        self.learned = Some(at);
        (self.of_endpoint, self.counts) = (endpoint.hash, Some(&endpoint.counts));
        if let Some((_, name)) = &mut self.texts {
            *name = Arc::clone(&endpoint.name);
        }
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
fn pair_hash(shape: u64, sign: u64) -> u64 {
    fold(shape, sign | 1)
}

/// The hash that a token of a model is known by.
pub(super) fn known_hash(seed: u64, text: &str, parts: &Parts<'_>) -> u64 {
    let pair = || {
        let place = parts.place.filter(|_| parts.op == b'&')?;
        let (shape, sign) = text.get(place.len() + 1..)?.rsplit_once('~')?;
        let of = |op: &str, what: &str| Stream::of(seed, place).push(op).push(what).finish().0;
        Some(pair_hash(of("=", shape), of("~", sign)))
    };
    pair().unwrap_or_else(|| Stream::of(seed, text).finish().0)
}

impl<'a> TokenSink<'a> for Quick<'a> {
    const ROLLUP: bool = false;

    fn head(&mut self, method: &'a str, path: Option<&'a str>) {
        // A marker is another text in a token.
        self.is_ambiguous |= method.starts_with('<');
        let name = endpoint::template(&spelled(method), path.map(spelled).as_deref());
        self.set_endpoint(self.detector.endpoint_at(&name));
        self.place_text = PlaceText::Pieces([""; 3]);
        self.take_text(|_, text| {
            text.extend_from_slice(b"e=");
            text.extend_from_slice(name.as_bytes());
        });
        if self.learned.is_none()
            && let Some((_, endpoint)) = &mut self.texts
        {
            *endpoint = name.into();
        }
    }

    #[inline(always)]
    fn seed(&self) -> u64 {
        self.detector.seed
    }

    #[inline(always)]
    fn knows_head(&mut self, hash: u64) -> bool {
        let key = self.detector.memo.key(0, b'e', hash);
        let Some(part) = self.begin(key, b'e') else { return false };
        self.set_endpoint(usize::try_from(part.place).ok().and_then(|at| at.checked_sub(1)));
        true
    }

    #[inline(always)]
    fn knows(&mut self, kind: u8, hash: u64) -> bool {
        let key = self.detector.memo.key(self.of_endpoint, kind, hash);
        let Some(part) = self.begin(key, kind) else { return false };
        if part.place != 0 {
            self.is_repeated |= self.places.add(part.place) & !part.is_quiet();
        }
        true
    }

    fn end(&mut self) {
        let place = match (self.unit.kind, self.learned) {
            (b'e', Some(at)) => at as u64 + 1,
            _ => 0,
        };
        self.end_part(place);
    }

    #[inline]
    fn place(&mut self, pieces: [&'a str; 3]) {
        let start = Stream::new(self.detector.seed);
        self.place = pieces.iter().fold(start, |stream, piece| stream.push(piece));
        self.place_text = PlaceText::Pieces(pieces);
    }

    fn place_respelled(&mut self, name: String) {
        self.place = Stream::of(self.detector.seed, &name);
        self.place_text = PlaceText::Respelled(name);
    }

    #[inline]
    fn here(&mut self) {
        let (known, _) = self.take(self.place, &[], &[]);
        // A key without a character takes the sign behind it for its own; others are taken for what is told of all keys.
        let is_odd = matches!(
            self.place_text,
            PlaceText::Pieces([_, "", ""] | ["q." | "b.", "n" | "keys" | "kind", ""])
        );
        self.is_ambiguous |= !known.is_place() || is_odd;
    }

    #[inline]
    fn tell<const N: usize>(&mut self, pieces: [&str; N]) {
        let stream = pieces.iter().fold(self.place, |stream, piece| stream.push(piece));
        let (known, hash) = self.take(stream, &pieces, &[]);
        if known.is_sign() {
            self.pair(hash, &pieces);
        }
    }

    #[inline]
    fn value<const N: usize>(&mut self, pieces: [&'a str; N], ends: &[[&str; 2]]) {
        let stream = pieces.iter().fold(self.place, |stream, piece| stream.push(piece));
        let (known, hash) = self.take(stream, &pieces, &[]);
        if known.is_shape() {
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
