//! One walk over the runs of letters and the signs of a text.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and counts of its bytes")]

use crate::swar::{self, TOPS, eight_at};

/// Takes what a text is made of, from its start on.
pub(crate) trait Visitor {
    /// Takes a run of `len` ASCII letters; `eight` are the bytes from its first one on, zero beyond the end. Returns whether
    /// the walk ends.
    fn letters(&mut self, at: usize, eight: u64, len: usize) -> bool;

    /// Takes a byte that is no ASCII letter or digit. Returns whether the walk ends.
    fn sign(&mut self, at: usize, byte: u8) -> bool;
}

/// Hands the runs of letters and the signs of a text to a visitor; returns whether that ended the walk.
#[inline(always)]
pub(crate) fn walk(text: &[u8], visitor: &mut impl Visitor) -> bool {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte.is_ascii_alphabetic() {
            let eight = match text.get(at..).and_then(|rest| rest.first_chunk()) {
                Some(eight) => u64::from_le_bytes(*eight),
                None => eight_at(text, at),
            };
            let others = (!swar::letters(eight & !TOPS) | eight) & TOPS;
            let mut len = others.trailing_zeros() as usize / 8;
            if len == 8 {
                len += letters_at(text, at + len);
            }
            if visitor.letters(at, eight, len) {
                return true;
            }
            at += len;
        } else if byte.is_ascii_digit() {
            at += 1;
            while text.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
        } else {
            if visitor.sign(at, byte) {
                return true;
            }
            at += 1;
        }
    }
    false
}

/// How many letters are in a text from `at` on.
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

        fn sign(&mut self, at: usize, byte: u8) -> bool {
            self.0.push((at, 0, u64::from(byte)));
            false
        }
    }

    #[test]
    fn runs_and_signs_are_those_of_each_byte() {
        let mut random = crate::context::tests::random();
        for len in 0..60 {
            for _ in 0..50 {
                let text: Vec<u8> = (0..len)
                    .map(|_| b"aZbcYz09.-_ \x00\x7F\x80\xC3\xE1\xFA\xFF@[`{/:"[random(25) as usize])
                    .collect();
                let mut expected = Vec::new();
                for (at, byte) in text.iter().enumerate() {
                    if !byte.is_ascii_alphanumeric() {
                        expected.push((at, 0, u64::from(*byte)));
                    } else if byte.is_ascii_alphabetic() && (at == 0 || !text[at - 1].is_ascii_alphabetic()) {
                        let len = text[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
                        expected.push((at, len, eight_at(&text, at)));
                    }
                }
                let mut pieces = Pieces::default();
                assert!(!walk(&text, &mut pieces));
                assert_eq!(pieces.0, expected, "{}", text.escape_ascii());
            }
        }
    }
}
