//! Takes the tokens of a document, in pieces.

use std::sync::Arc;

use tamiz::TokenSink;

use super::{Scorer, Shape, Token};
use crate::detector::weights::{PLACE, SHAPE, SIGN};
use crate::endpoint;
use crate::pieces::{PIECES, PlaceText, spelled};
use crate::stream::Stream;

impl<'a> TokenSink<'a> for Scorer<'a> {
    const ROLLUP: bool = false;

    fn head(&mut self, method: &'a str, path: Option<&'a str>) {
        // A marker is another text in a token.
        self.is_ambiguous |= method.starts_with('<');
        let name = endpoint::template(&spelled(method), path.map(spelled).as_deref());
        let at = self.detector.endpoint_at(&name);
        self.line.endpoint = at.map_or(0, |at| at as u64 + 1);
        self.set_endpoint(at);
        self.place_text = PlaceText::Pieces([""; 3]);
        let (hash, _) = Stream::new(self.detector.seed).push("e=").push(&name).finish();
        match self.detector.records.token(hash) {
            Some(record) if self.texts.is_none() => self.line.tokens.push(Token { hash, record }),
            _ => _ = self.take_text(Some(hash), true, |_, push| ["e=", &name].into_iter().for_each(push)),
        }
        if self.endpoint.is_none()
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
    fn skip_head(&mut self, hash: u64) -> bool {
        let key = self.detector.cache.key(0, b'e', hash);
        let Some(part) = self.begin(key, b'e') else { return false };
        self.set_endpoint(usize::try_from(part.place).ok().and_then(|at| at.checked_sub(1)));
        true
    }

    #[inline(always)]
    fn skip_line(&mut self, kind: u8, hash: u64) -> bool {
        let key = self.detector.cache.key(self.of_endpoint, kind, hash);
        if let Some(part) = self.begin(key, kind) {
            if part.place != 0 {
                self.is_repeated |= self.places.add(part.place) & !part.is_quiet();
            }
            return true;
        }
        self.begin_known(kind, hash)
    }

    fn skip_section(&mut self, kind: u8, hash: u64) -> bool {
        self.begin_section(kind, hash)
    }

    fn begin_lines(&mut self) {
        self.begin_line(0, 0);
    }

    fn end_section(&mut self) {
        self.cache_section();
    }

    fn end_line(&mut self) {
        self.end_tokens();
        self.end_part();
    }

    #[inline]
    fn place(&mut self, pieces: [&'a str; 3]) {
        let start = Stream::new(self.detector.seed);
        self.place = pieces.iter().fold(start, |stream, piece| stream.push(piece));
        self.place_text = PlaceText::Pieces(pieces);
        self.begin_place();
    }

    fn place_respelled(&mut self, name: String) {
        self.place = Stream::of(self.detector.seed, &name);
        self.place_text = PlaceText::Respelled(name);
        self.begin_place();
    }

    #[inline]
    fn here(&mut self) {
        let (what, _) = self.take(self.place, &[], &[]);
        // What is told of the key `kind` may be told of the body too.
        self.is_ambiguous |= matches!(self.place_text, PlaceText::Pieces(["b.", "kind", ""]));
        // A key without a character takes the sign behind it for its own.
        let is_empty = matches!(self.place_text, PlaceText::Pieces([_, "", ""]));
        let (place, is_plain) = self.place.finish();
        self.line.is_odd |= what != PLACE || is_empty;
        if what != PLACE || is_empty || !is_plain {
            (self.is_odd_place, self.odd_place) = (true, place);
        }
    }

    #[inline]
    fn tell<const N: usize>(&mut self, pieces: [&str; N]) {
        if self.is_odd_place {
            return self.take_odd(&pieces, &[]);
        }
        let stream = pieces.iter().fold(self.place, |stream, piece| stream.push(piece));
        let (what, hash) = self.take(stream, &pieces, &[]);
        if what == SIGN {
            self.pair(hash, &pieces);
        }
    }

    #[inline]
    fn value<const N: usize>(&mut self, pieces: [&'a str; N], ends: &[[&str; 2]]) {
        if self.is_odd_place {
            self.take_odd(&pieces, &[]);
            return ends.iter().for_each(|end| self.take_odd(&pieces, end));
        }
        let stream = pieces.iter().fold(self.place, |stream, piece| stream.push(piece));
        let (what, hash) = self.take(stream, &pieces, &[]);
        if what == SHAPE {
            let (place, _) = self.place.finish();
            let mut shape = [""; PIECES];
            shape.iter_mut().zip(pieces).for_each(|(slot, piece)| *slot = piece);
            self.shape = Shape { place, hash, pieces: shape, text: None };
            self.is_shape_certain = true;
        }
        for end in ends {
            let stream = end.iter().fold(stream, |stream, piece| stream.push(piece));
            self.take(stream, &pieces, end);
        }
    }
}

impl Scorer<'_> {
    /// Begins a place, which is odd if the last odd one comes again.
    #[inline(always)]
    fn begin_place(&mut self) {
        self.is_odd_place = self.odd_place != 0 && self.odd_place == self.place.finish().0;
    }

    /// Sets the endpoint, by its place among those that were learned.
    fn set_endpoint(&mut self, at: Option<usize>) {
        let Some(endpoint) = at.and_then(|at| self.detector.endpoints.get(at)) else { return };
        (self.endpoint, self.of_endpoint) = (Some(endpoint), endpoint.hash);
        if let Some((_, name)) = &mut self.texts {
            *name = Arc::clone(&endpoint.name);
        }
    }
}
