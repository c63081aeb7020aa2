//! The rows of the list of well-known tokens: what a token of a family is made of.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;

use super::starts_word;
use crate::bytes::{self, ALNUM};
use crate::decode::GUARD;

/// The characters of a part of a token, a bit each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alphabet(pub(super) u128);

impl Alphabet {
    /// By its name and the signs behind it.
    pub(super) fn new(text: &str) -> Self {
        const NAMES: [(&str, &str, &str); 7] = [
            ("digit", "09", ""),
            ("hex", "09AFaf", ""),
            ("alnum", "09AZaz", ""),
            ("word", "09AZaz", "_"),
            ("url", "09AZaz", "_-"),
            ("dotted", "09AZaz", "_-."),
            ("b64", "09AZaz", "+/="),
        ];
        let mut bits = 0;
        if let Some((name, ranges, signs)) = NAMES.iter().find(|(name, ..)| text.starts_with(name)) {
            for range in ranges.as_bytes().chunks(2) {
                if let [first, last] = range {
                    (*first..=*last).for_each(|byte| bits |= 1 << byte);
                }
            }
            let own = text.get(name.len()..).unwrap_or_default();
            signs.bytes().chain(own.bytes()).for_each(|byte| bits |= 1 << (byte & 127));
        }
        Alphabet(bits)
    }

    pub(super) fn has(self, byte: u8) -> bool {
        byte.is_ascii() && self.0 >> byte & 1 != 0
    }

    /// How many of them a text begins with, counted up to `most`.
    fn run(self, text: &[u8], most: usize) -> usize {
        text.iter().take(most).take_while(|byte| self.has(**byte)).count()
    }
}

/// A piece of a head.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Text(&'static [u8]),
    Gap(Alphabet, Lengths),
}

/// How many characters there may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    pub(super) least: usize,
    pub(super) most: usize,
}

impl Lengths {
    /// `n`, `=n` or `n-m`; `open` is the most where the text names none.
    pub(super) fn new(text: &str, open: Option<usize>) -> Self {
        let number = |text: &str| text.parse().unwrap_or(usize::MAX >> 1);
        match (text.strip_prefix('='), text.split_once('-')) {
            (Some(just), _) => Lengths { least: number(just), most: number(just) },
            (_, Some((least, most))) => Lengths { least: number(least), most: number(most) },
            _ => Lengths { least: number(text), most: open.unwrap_or_else(|| number(text)) },
        }
    }

    pub(super) fn has(self, count: usize) -> bool {
        (self.least..=self.most).contains(&count)
    }

    fn is_open(self) -> bool {
        self.most == usize::MAX
    }
}

/// A row of the list.
#[derive(Clone, Debug)]
pub(super) struct Family {
    pub(super) row: usize,
    pub(super) head: Vec<Piece>,
    pub(super) alphabet: Alphabet,
    pub(super) lengths: Lengths,
}

impl Family {
    pub(super) fn new(row: usize, (head, alphabet, lengths): (&'static str, &str, &str)) -> Self {
        let mut pieces = Vec::new();
        let mut rest = head;
        while !rest.is_empty() {
            let gap = rest.strip_prefix('{').and_then(|gap| gap.split_once('}'));
            if let Some((gap, after)) = gap {
                let (alphabet, lengths) = gap.split_once(':').unwrap_or((gap, "1"));
                pieces.push(Piece::Gap(Alphabet::new(alphabet), Lengths::new(lengths, None)));
                rest = after;
            } else {
                let (text, after) =
                    rest.split_at_checked(rest.find('{').unwrap_or(rest.len())).unwrap_or((rest, ""));
                pieces.push(Piece::Text(text.as_bytes()));
                rest = after;
            }
        }
        let lengths = Lengths::new(lengths, Some(usize::MAX));
        Family { row, head: pieces, alphabet: Alphabet::new(alphabet), lengths }
    }

    /// Where the token ends that begins at `at`.
    pub(super) fn end(&self, text: &[u8], at: usize) -> Option<usize> {
        self.end_of(&self.head, text, at)
    }

    /// Where the token ends whose head, but for its part before `at`, is `head`.
    fn end_of(&self, head: &[Piece], text: &[u8], at: usize) -> Option<usize> {
        let at = head_end(head, text, at)?;
        let rest = text.get(at..)?;
        // What is too short is counted no further than that: the search stays linear.
        let count = self.alphabet.run(rest, self.lengths.most.saturating_add(1));
        let is_ended = || rest.get(count).is_none_or(|byte| !bytes::is(*byte, ALNUM));
        (self.lengths.has(count) && (self.lengths.is_open() || is_ended())).then_some(at + count)
    }

    /// The gaps that it begins with, and the rest of its head, which begins with a text.
    pub(super) fn cut(&self) -> (&[Piece], &[Piece]) {
        let gaps = self.head.iter().take_while(|piece| matches!(piece, Piece::Gap(..))).count();
        self.head.split_at_checked(gaps).unwrap_or_default()
    }

    /// The token whose first text after gaps is at `at`.
    pub(super) fn around(&self, text: &[u8], at: usize) -> Option<Range<usize>> {
        let (gaps, rest) = self.cut();
        // Most are none by what follows; the length of the token is counted last, and at most once.
        head_end(rest, text, at)?;
        let mut start = at;
        for gap in gaps.iter().rev() {
            let Piece::Gap(alphabet, lengths) = gap else { return None };
            let before = text.get(..start)?;
            // The two digits of a guarded byte are no characters.
            let most = if lengths.least == lengths.most { lengths.most } else { lengths.most + 3 };
            let count = before.iter().rev().take(most).take_while(|byte| alphabet.has(**byte)).count();
            let is_guard =
                |back: usize| before.len().checked_sub(back).and_then(|at| before.get(at)) == Some(&GUARD);
            let digits = if is_guard(count + 1) { 2 } else { usize::from(is_guard(count + 2)) };
            let count = count.checked_sub(digits)?;
            start -= Some(count).filter(|count| lengths.has(*count))?;
        }
        if starts_word(text, start) { Some(start..self.end_of(rest, text, at)?) } else { None }
    }
}

/// Where a head ends that begins at `at`.
fn head_end(head: &[Piece], text: &[u8], mut at: usize) -> Option<usize> {
    for piece in head {
        let rest = text.get(at..)?;
        at += match piece {
            Piece::Text(piece) => rest.starts_with(piece).then_some(piece.len())?,
            Piece::Gap(alphabet, lengths) if lengths.least == lengths.most => {
                Some(alphabet.run(rest, lengths.most)).filter(|count| lengths.has(*count))?
            }
            Piece::Gap(alphabet, lengths) => {
                Some(alphabet.run(rest, lengths.most + 1)).filter(|count| lengths.has(*count))?
            }
        };
    }
    Some(at)
}
