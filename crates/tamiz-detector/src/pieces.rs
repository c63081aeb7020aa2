//! Tokens in pieces, as documents tell them.

use std::borrow::Cow;

/// The most pieces that a value is told in.
pub(crate) const PIECES: usize = 6;

/// The beginning of all tokens of a place.
#[derive(Debug)]
pub(crate) enum PlaceText<'d> {
    Pieces([&'d str; 3]),
    Respelled(String),
}

impl PlaceText<'_> {
    pub(crate) fn pieces(&self) -> [&str; 3] {
        match self {
            PlaceText::Pieces(pieces) => *pieces,
            PlaceText::Respelled(name) => [name, "", ""],
        }
    }
}

/// A text as tokens spell it.
pub(crate) fn spelled(text: &str) -> Cow<'_, str> {
    if text.bytes().fold(true, |is_plain, byte| is_plain & byte.is_ascii_graphic()) {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    tamiz::push_token_piece(&mut out, text);
    Cow::Owned(String::from_utf8(out).unwrap_or_default())
}
