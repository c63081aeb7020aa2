//! The document as tokens (clauses 9.17 and 9.18): for models that count words, each ties a place to what is
//! there.
//!
//! Everything in a token comes from the text or the notes, so nothing that these hide can be in one.

mod cursor;
mod groups;
mod hash;
mod lines;
mod pieces;
mod url;
mod visit;

use std::borrow::Cow;
use std::sync::LazyLock;

use super::Document;
use crate::buckets::Buckets;
use crate::bytes;
use crate::decode::unicode;

/// Which tokens a document gives beyond the usual ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenOptions {
    /// One more token with the exact length of each value: `q.id=num#3`.
    pub lengths: bool,
}

/// Takes the tokens of a document in pieces, so that none has to be made a string: for whoever hashes or copies them.
///
/// A token is its place and what is told there, in pieces that follow each other. Pieces are as the document has them:
/// a token has each white space of its pieces as `%HH` (clause 9.17).
#[doc(hidden)]
pub trait TokenSink<'d> {
    /// True if it takes the flags of the whole document, `f=FLAG`, too.
    const ROLLUP: bool = true;

    /// Where hashes of sections and lines begin.
    fn seed(&self) -> u64 {
        0
    }

    /// Begins the tokens that follow from the lines of the method and the path, which have this hash, or skips them.
    fn skip_head(&mut self, _hash: u64) -> bool {
        false
    }

    /// Takes the method and the path, as shown, before any token.
    fn head(&mut self, _method: &'d str, _path: Option<&'d str>) {}

    /// Begins the tokens that follow from a line and its note alone, which have this hash, or skips them.
    fn skip_line(&mut self, _kind: u8, _hash: u64) -> bool {
        false
    }

    /// Begins the lines of a section, which has this hash with its notes, or skips them.
    fn skip_section(&mut self, _kind: u8, _hash: u64) -> bool {
        false
    }

    /// Begins the tokens of several lines of a section.
    fn begin_lines(&mut self) {}

    /// Ends the tokens of a line, or of several lines.
    fn end_line(&mut self) {}

    /// Ends a section.
    fn end_section(&mut self) {}

    /// Begins a place: what the next tokens begin with.
    fn place(&mut self, pieces: [&'d str; 3]);

    /// Begins a place whose name the document does not have in this spelling.
    fn place_respelled(&mut self, name: String);

    /// Takes the place itself as a token: a key, or the name of a header.
    fn here(&mut self);

    /// Takes the token of the place and these pieces.
    fn tell<const N: usize>(&mut self, pieces: [&str; N]);

    /// Takes the token of the place and these pieces, which tell a value, and that token again with each of these ends.
    fn value<const N: usize>(&mut self, pieces: [&'d str; N], ends: &[[&str; 2]]);
}

impl Document {
    /// The document as strings for models that count words: each ties a place to what is there.
    /// None has white space in it.
    ///
    /// ```
    /// use tamiz::{Canonicalizer, Config};
    ///
    /// let tamiz = Canonicalizer::new(Config::default());
    /// let document = tamiz.canonicalize(b"GET /a//b.jsp?cp=28' HTTP/1.1\r\nHost: ex.com\r\n\r\n");
    /// let tokens = document.tokens();
    /// for token in ["m=GET", "u.host=ex.com", "p=/a/b.jsp", "p/=a", "p.ext=jsp", "plen@0-15"] {
    ///     assert!(tokens.iter().any(|there| there == token));
    /// }
    /// for token in ["q.cp", "q.cp=mixed", "q.cp=mixed@0-15", "q.cp~'", "f=QUOTE", "f.q.cp=QUOTE"] {
    ///     assert!(tokens.iter().any(|there| there == token));
    /// }
    /// ```
    pub fn tokens(&self) -> Vec<String> {
        self.tokens_with(TokenOptions::default())
    }

    /// The tokens that [`Document::tokens`] gives, and those that the options ask for.
    pub fn tokens_with(&self, options: TokenOptions) -> Vec<String> {
        let mut written = Vec::new();
        self.write_tokens(options, &mut written);
        // Tokens are cut from UTF-8 at ASCII; were they not, nothing may leak from them.
        let written = String::from_utf8(written).unwrap_or_default();
        written.split(' ').filter(|token| !token.is_empty()).map(str::to_owned).collect()
    }

    /// Appends the tokens of [`Document::tokens_with`] to `out`, with a space between them: for many documents, since
    /// nothing is allocated for a token.
    ///
    /// ```
    /// use tamiz::{Canonicalizer, Config, TokenOptions};
    ///
    /// let document = Canonicalizer::new(Config::default()).canonicalize(b"GET / HTTP/1.1\r\n\r\n");
    /// let mut line = Vec::new();
    /// document.write_tokens(TokenOptions::default(), &mut line);
    /// assert_eq!(line, document.tokens().join(" ").as_bytes());
    /// ```
    pub fn write_tokens(&self, options: TokenOptions, out: &mut Vec<u8>) {
        let start = out.len();
        self.visit_tokens(options, &mut Text { out, start, place: Vec::with_capacity(64) });
    }

    /// The buckets of whoever wrote it, as far as the document knows.
    fn buckets(&self) -> Cow<'static, Buckets> {
        static DEFAULT: LazyLock<(Buckets, String)> = LazyLock::new(|| {
            let buckets = Buckets::default();
            let bounds: Vec<String> = buckets.bounds().iter().map(u64::to_string).collect();
            (buckets, bounds.join(","))
        });
        let components = self.fingerprint().map(|fingerprint| fingerprint.components()).unwrap_or_default();
        let bounds = components.iter().find(|(name, _)| *name == "buckets").map(|(_, bounds)| bounds);
        let others = bounds.filter(|bounds| **bounds != DEFAULT.1).and_then(|bounds| {
            let bounds = bounds.split(',').map(|bound| bound.parse().ok()).collect::<Option<Vec<u64>>>();
            Buckets::new(bounds?).ok()
        });
        others.map_or(Cow::Borrowed(&DEFAULT.0), Cow::Owned)
    }
}

/// Writes tokens as text, one behind the other.
struct Text<'o> {
    out: &'o mut Vec<u8>,
    /// Where the first begins.
    start: usize,
    /// The beginning of the next tokens.
    place: Vec<u8>,
}

impl Text<'_> {
    /// Begins a token; where it begins.
    fn begin(&mut self) -> usize {
        if self.out.len() > self.start {
            self.out.push(b' ');
        }
        self.out.len()
    }
}

impl<'d> TokenSink<'d> for Text<'_> {
    fn place(&mut self, pieces: [&'d str; 3]) {
        self.place.clear();
        pieces.iter().for_each(|piece| push_token_piece(&mut self.place, piece));
    }

    fn place_respelled(&mut self, name: String) {
        self.place.clear();
        push_token_piece(&mut self.place, &name);
    }

    fn here(&mut self) {
        self.begin();
        self.out.extend_from_slice(&self.place);
    }

    fn tell<const N: usize>(&mut self, pieces: [&str; N]) {
        self.begin();
        self.out.extend_from_slice(&self.place);
        pieces.iter().for_each(|piece| push_token_piece(self.out, piece));
    }

    fn value<const N: usize>(&mut self, pieces: [&'d str; N], ends: &[[&str; 2]]) {
        let begins = self.begin();
        self.out.extend_from_slice(&self.place);
        pieces.iter().for_each(|piece| push_token_piece(self.out, piece));
        let token = begins..self.out.len();
        for end in ends {
            self.begin();
            self.out.extend_from_within(token.clone());
            end.iter().for_each(|piece| push_token_piece(self.out, piece));
        }
    }
}

/// Appends a piece of a token, its white space as `%HH`.
#[doc(hidden)]
pub fn push_token_piece(out: &mut Vec<u8>, piece: &str) {
    if piece.bytes().fold(true, |is_plain, byte| is_plain & byte.is_ascii_graphic()) {
        return out.extend_from_slice(piece.as_bytes());
    }
    for c in piece.chars() {
        let mut buffer = [0; 4];
        let encoded = c.encode_utf8(&mut buffer).as_bytes();
        if unicode::is_white_space(c) {
            for byte in encoded {
                out.push(b'%');
                out.extend(bytes::hex(*byte));
            }
        } else {
            out.extend_from_slice(encoded);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_escaped_and_nothing_else() {
        let escaped = |text: &str| {
            let mut out = b"a ".to_vec();
            push_token_piece(&mut out, text);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(escaped("a/b%20<c>"), "a a/b%20<c>");
        assert_eq!(escaped("a b\u{a0}c\u{3000}é"), "a a%20b%C2%A0c%E3%80%80é");
    }
}
