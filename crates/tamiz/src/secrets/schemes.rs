//! Credentials behind the name of an authentication scheme, in free text (clause 6.11).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;

use super::named::is_mark;
use crate::bytes::{self, DIGIT, TOKEN68};
use crate::families::starts_word;

/// The condition on the run behind a scheme word that makes it a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Requires {
    Anything,
    /// Six characters, a digit or `=`: the word is a plain one too.
    Token,
    /// A `=` in it.
    Parameter,
    /// A `:` in it, which belongs to the run.
    Pair,
}

/// A scheme that announces credentials.
pub(super) struct Scheme {
    /// In lower case.
    word: &'static [u8],
    requires: Requires,
    /// Whether all that follows is the credential: what a digest proves is spread over its parameters.
    is_spread: bool,
}

const fn scheme(word: &'static [u8], requires: Requires) -> Scheme {
    Scheme { word, requires, is_spread: false }
}

/// In the order in which they are searched for.
pub(super) const SCHEMES: [Scheme; 10] = [
    scheme(b"bearer", Requires::Anything),
    scheme(b"basic", Requires::Token),
    Scheme { is_spread: true, ..scheme(b"digest", Requires::Token) },
    scheme(b"token", Requires::Token),
    scheme(b"negotiate", Requires::Anything),
    scheme(b"aws4-hmac-sha256", Requires::Anything),
    scheme(b"apikey", Requires::Token),
    scheme(b"sharedkey", Requires::Pair),
    scheme(b"sharedkeylite", Requires::Pair),
    Scheme { is_spread: true, ..scheme(b"hawk", Requires::Parameter) },
];

/// Finds a scheme word followed by credentials.
pub(super) fn find(text: &[u8]) -> Option<Range<usize>> {
    SCHEMES.iter().find_map(|scheme| scheme.find(text))
}

/// Whether a text ends with the word of a scheme.
#[inline]
pub(super) fn ends_with_scheme(text: &[u8]) -> bool {
    text.last_chunk().is_some_and(|last| {
        let bit = ending_bit(*last);
        ENDINGS.get(bit >> 6).is_some_and(|bits| bits >> (bit & 63) & 1 != 0)
    }) && SCHEMES.iter().any(|scheme| scheme.ends(text))
}

/// The number of bits of [`ENDINGS`], as a power of two.
const ENDING_BITS: u32 = 10;

/// The last four characters of the words, hashed, a bit each.
static ENDINGS: [u64; 1 << (ENDING_BITS - 6)] = {
    let mut endings = [0; 1 << (ENDING_BITS - 6)];
    let mut nth = 0;
    while nth < SCHEMES.len() {
        if let Some(last) = SCHEMES[nth].word.last_chunk() {
            let bit = ending_bit(*last);
            endings[bit >> 6] |= 1 << (bit & 63);
        }
        nth += 1;
    }
    endings
};

/// The hash of four characters, case ignored: the bit that is set makes lower case of a letter and leaves a digit.
const fn ending_bit(last: [u8; 4]) -> usize {
    ((u32::from_le_bytes(last) | 0x2020_2020).wrapping_mul(0x9E37_79B1) >> (u32::BITS - ENDING_BITS)) as usize
}

impl Scheme {
    fn ends(&self, text: &[u8]) -> bool {
        let start = text.len().checked_sub(self.word.len());
        start.and_then(|start| text.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(self.word))
    }

    /// Finds the word followed by credentials.
    pub(super) fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        let mut from = 0;
        while let Some(step) = bytes::find_ignore_case(text.get(from..)?, self.word) {
            let at = from + step;
            from = at + 1;
            let after = text.get(at + self.word.len()..)?;
            let blanks = after.iter().take_while(|&&b| is_mark(b) || b == b'+').count();
            if !starts_word(text, at) || blanks == 0 {
                continue;
            }
            let rest = after.get(blanks..)?;
            let is_pair = self.requires == Requires::Pair;
            let len = rest.iter().take_while(|&&b| bytes::is(b, TOKEN68) || is_pair && b == b':').count();
            if self.announces(rest.get(..len)?) {
                let start = at + self.word.len() + blanks;
                return Some(start..if self.is_spread { text.len() } else { start + len });
            }
        }
        None
    }

    fn announces(&self, run: &[u8]) -> bool {
        match self.requires {
            Requires::Anything => !run.is_empty(),
            Requires::Token => run.len() >= 6 || run.iter().any(|&b| bytes::is(b, DIGIT) || b == b'='),
            Requires::Parameter => run.contains(&b'='),
            Requires::Pair => run.contains(&b':'),
        }
    }
}
