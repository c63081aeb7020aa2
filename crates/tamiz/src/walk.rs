//! One walk over the runs of letters and the signs of a text.
//!
//! It steps from bit to bit of the text's bitmaps, and never looks at a byte that begins no run and is no sign.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice, counts of its bytes, and places in 64 of them"
)]

use crate::index::Window;
use crate::swar::eight_at;

/// Takes what a text is made of: of each 64 bytes first the runs of letters, then the signs.
pub(crate) trait Visitor {
    /// Chooses the signs that it takes, a bit for each.
    #[inline(always)]
    fn choose_signs(&self, signs: u64, _window: &[u8; WINDOW]) -> u64 {
        signs
    }

    /// Takes a run of `len` ASCII letters; `eight` are the bytes from its first one on, zero beyond the end. Returns whether
    /// the walk ends.
    fn letters(&mut self, at: usize, eight: u64, len: usize) -> bool;

    /// Takes a byte that is no ASCII letter or digit and the one behind it, which is zero at the end. Returns whether the
    /// walk ends.
    fn sign(&mut self, at: usize, byte: u8, next: u8) -> bool;
}

/// The bytes that are classified at once.
const WINDOW: usize = 64;
/// These, and those behind the last of them that a visitor is handed.
const BYTES: usize = WINDOW + 8;
/// The bytes that are copied at once.
const PIECE: usize = 16;

/// Hands the runs of letters and the signs of a text to a visitor; returns whether that ended the walk.
#[inline(always)]
pub(crate) fn walk(text: &[u8], visitor: &mut impl Visitor) -> bool {
    let mut padded = [0; BYTES];
    let (mut start, mut last_is_letter) = (0, 0);
    let mut rest = text;
    while !rest.is_empty() {
        // All places in these bytes are known to be in them, without a check for each.
        let bytes: &[u8; BYTES] = match rest.first_chunk() {
            Some(bytes) => bytes,
            None => {
                copy_to(&mut padded, rest);
                &padded
            }
        };
        let Some(window) = bytes.first_chunk() else { return false };
        let Window { letters, signs } = Window::of(window, rest.len().min(WINDOW));
        let mut signs = visitor.choose_signs(signs, window);
        let mut begins = letters & !(letters << 1 | last_is_letter);
        last_is_letter = letters >> (WINDOW - 1);
        while begins != 0 {
            let place = begins.trailing_zeros() as usize;
            begins &= begins - 1;
            let mut len = (!(letters >> place)).trailing_zeros() as usize;
            if place + len == WINDOW {
                len += letters_at(rest, WINDOW);
            }
            let eight = bytes.get(place..place + 8).and_then(|eight| eight.first_chunk());
            let Some(eight) = eight else { return false };
            if visitor.letters(start + place, u64::from_le_bytes(*eight), len) {
                return true;
            }
        }
        while signs != 0 {
            let place = signs.trailing_zeros() as usize;
            signs &= signs - 1;
            let Some([byte, next]) = bytes.get(place..place + 2) else { return false };
            if visitor.sign(start + place, *byte, *next) {
                return true;
            }
        }
        start += WINDOW;
        rest = rest.get(WINDOW..).unwrap_or_default();
    }
    false
}

/// Copies a text that has fewer bytes, behind which zeros stay: where one was copied before, at most eight bytes are left of it, and
/// sixteen are written. It is copied in pieces of one size, which need no call.
#[inline(always)]
fn copy_to(padded: &mut [u8; BYTES], text: &[u8]) {
    let (places, _) = padded.as_chunks_mut();
    let Some(last) = text.last_chunk::<PIECE>() else {
        if let Some(place) = places.first_mut() {
            *place = (u128::from(eight_at(text, 0)) | u128::from(eight_at(text, 8)) << 64).to_le_bytes();
        }
        return;
    };
    let (pieces, _) = text.as_chunks::<PIECE>();
    for (place, piece) in places.iter_mut().zip(pieces) {
        *place = *piece;
    }
    let end = padded.get_mut(text.len() - PIECE..).and_then(|end| end.first_chunk_mut());
    if let Some(place) = end {
        *place = *last;
    }
}

/// How many letters are in a text from `at` on.
#[cold]
fn letters_at(text: &[u8], at: usize) -> usize {
    text.iter().skip(at).take_while(|byte| byte.is_ascii_alphabetic()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Pieces(Vec<(usize, usize, u64)>);

    impl Visitor for Pieces {
        fn letters(&mut self, at: usize, eight: u64, len: usize) -> bool {
            self.0.push((at, len, eight));
            false
        }

        fn sign(&mut self, at: usize, byte: u8, next: u8) -> bool {
            self.0.push((at, 0, u64::from(byte) | u64::from(next) << 8));
            false
        }
    }

    #[test]
    fn short_texts_are_padded() {
        let text: [u8; BYTES] = std::array::from_fn(|at| at as u8 + 1);
        for len in 0..BYTES {
            let mut expected = [0; BYTES];
            expected[..len].copy_from_slice(&text[..len]);
            let mut padded = [0; BYTES];
            copy_to(&mut padded, &text[..len]);
            assert_eq!(padded, expected);
        }
    }

    #[test]
    fn runs_and_signs_are_those_of_each_byte() {
        let mut random = crate::context::tests::random();
        for len in (0..60).chain([63, 64, 65, 127, 128, 129, 200]) {
            for nth in 0..50 {
                // Long runs of letters cross windows.
                let kinds = if nth % 2 == 0 { 25 } else { 4 };
                let text: Vec<u8> = (0..len)
                    .map(|_| b"aZbcYz09.-_ \x00\x7F\x80\xC3\xE1\xFA\xFF@[`{/:"[random(kinds) as usize])
                    .collect();
                let mut expected = Vec::new();
                for (at, byte) in text.iter().enumerate() {
                    if !byte.is_ascii_alphanumeric() {
                        expected.push((at, 0, eight_at(&text, at) & 0xFFFF));
                    } else if byte.is_ascii_alphabetic() && (at == 0 || !text[at - 1].is_ascii_alphabetic()) {
                        let len = text[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
                        expected.push((at, len, eight_at(&text, at)));
                    }
                }
                expected.sort_by_key(|(at, len, _)| (at / 64, *len == 0, *at));
                let mut pieces = Pieces::default();
                assert!(!walk(&text, &mut pieces));
                assert_eq!(pieces.0, expected, "{}", text.escape_ascii());
            }
        }
    }
}
