//! Credentials behind the name of an authentication scheme, in free text (clause 6.11).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;

use super::named::is_mark;
use crate::bytes::{self, DIGIT, TOKEN68};
use crate::context::HAS_FAST_PATHS;
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
    /// In lower case; it begins with three letters.
    pub(super) word: &'static [u8],
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

/// Returns whether a text begins with the word of a scheme, and something that may stand between it and credentials.
pub(super) fn begins_with_scheme(text: &[u8]) -> bool {
    let may_begin = |first: &u8, second: &u8| {
        SECONDS.get(usize::from(first & 31)).is_some_and(|seconds| seconds >> (second & 31) & 1 != 0)
    };
    let is_quickly_ruled_out =
        HAS_FAST_PATHS && !matches!(text, [first, second, ..] if may_begin(first, second));
    !is_quickly_ruled_out && SCHEMES.iter().any(|scheme| scheme.begins(text))
}

/// By the first letter of a scheme, from one on: its second letters, a bit each.
const SECONDS: [u32; 32] = {
    let mut rows = [0; 32];
    let mut nth = 0;
    while nth < SCHEMES.len() {
        let word = SCHEMES[nth].word;
        rows[(word[0] & 31) as usize] |= 1 << (word[1] & 31);
        nth += 1;
    }
    rows
};

impl Scheme {
    fn begins(&self, text: &[u8]) -> bool {
        text.split_at_checked(self.word.len()).is_some_and(|(word, after)| {
            word.eq_ignore_ascii_case(self.word) && after.first().is_some_and(|&b| is_mark(b) || b == b'+')
        })
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
