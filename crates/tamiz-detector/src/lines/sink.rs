//! Takes the tokens of a document, in pieces.

use std::sync::Arc;

use tamiz::TokenSink;

use super::{Reader, Shape};
use crate::endpoint;
use crate::names::start;
use crate::observation::shorten;
use crate::pieces::{PIECES, PlaceText, spelled};
use crate::stream::process_seed;

impl<'d> TokenSink<'d> for Reader<'_, 'd> {
    const ROLLUP: bool = false;

    fn seed(&self) -> u64 {
        process_seed()
    }

    fn skip_head(&mut self, hash: u64) -> bool {
        let is_known = self.begin(b'e', hash);
        if is_known {
            self.endpoint = self.lines.endpoints.get(&self.key).cloned();
        }
        is_known
    }

    fn head(&mut self, method: &'d str, path: Option<&'d str>) {
        // A marker is another text in a token.
        self.is_ambiguous |= method.starts_with('<');
        let name = endpoint::template(&spelled(method), path.map(spelled).as_deref());
        let mut token = format!("e={name}");
        shorten(&mut token);
        self.found.push(self.names.id(&token));
        let name: Arc<str> = name.into();
        self.lines.endpoints.insert(self.key, Arc::clone(&name));
        self.endpoint = Some(name);
    }

    fn skip_line(&mut self, kind: u8, hash: u64) -> bool {
        self.begin(kind, hash)
    }

    fn skip_section(&mut self, kind: u8, hash: u64) -> bool {
        // The lines of headers are known one by one.
        kind != b'H' && self.begin(kind, hash)
    }

    fn end_line(&mut self) {
        self.end();
    }

    fn place(&mut self, pieces: [&'d str; 3]) {
        self.place = pieces.iter().fold(start(), |stream, piece| stream.push(piece));
        self.place_text = PlaceText::Pieces(pieces);
    }

    fn place_respelled(&mut self, name: String) {
        self.place = start().push(&name);
        self.place_text = PlaceText::Respelled(name);
    }

    fn here(&mut self) {
        self.take(self.place, std::iter::empty());
        self.is_paired();
    }

    fn tell<const N: usize>(&mut self, pieces: [&str; N]) {
        let stream = pieces.iter().fold(self.place, |stream, piece| stream.push(piece));
        self.take(stream, pieces.into_iter());
        match pieces.first().and_then(|first| first.bytes().next()) {
            Some(b'~') if self.is_paired() => self.pair(&pieces),
            // A word is no shape: it cannot be kept for the signs behind it.
            Some(b'=') if self.is_paired() => self.is_ambiguous = true,
            _ => {}
        }
    }

    fn value<const N: usize>(&mut self, pieces: [&'d str; N], ends: &[[&str; 2]]) {
        let stream = pieces.iter().fold(self.place, |stream, piece| stream.push(piece));
        self.take(stream, pieces.into_iter());
        let is_measured = || pieces.iter().any(|piece| piece.contains('@'));
        if self.is_paired() && !is_measured() {
            let mut shape = [""; PIECES];
            shape.iter_mut().zip(pieces).for_each(|(slot, piece)| *slot = piece);
            let (place, _) = self.place.finish();
            self.shape = Some(Shape { place, pieces: shape });
        }
        for end in ends {
            let stream = end.iter().fold(stream, |stream, piece| stream.push(piece));
            self.take(stream, pieces.into_iter().chain(*end));
        }
    }
}
