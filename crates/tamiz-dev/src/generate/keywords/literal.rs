//! Literals: for every entry something that a text with the entry has, by which the prefilter finds it.
//!
//! That is a run of letters (a *token*) with the classes of what is beside it, letters that a token begins with or
//! has inside, or a *gram*: a sign and the folded characters behind it.

use super::bytes::{
    BOUNDARY, BRACKET, COMMAND, EDGE, HIGH, OTHER, ROUND, SPACE, SPACE_CODE, SPACED, class, code,
};
use super::frequencies::{Counted, Frequencies};
use super::part::{Edge, Entry, Part, is_tight, is_word};

/// Letters inside of a token are compared four at a time, at every fourth letter: seven make sure that four are.
pub(super) const WINDOW: usize = 4;
const SHORTEST_INSIDE: usize = 7;
/// So many letters around a window are compared with those of the literal.
pub(super) const COMPARED: usize = 6;
/// Of letters that a token begins with, the last of so many.
pub(super) const LONGEST_START: usize = 9;
/// How long grams are at most.
pub(super) const GRAM: usize = 4;

/// The bytes that may be before or after a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Beside {
    /// A bit for each class, and above those for a class behind white space.
    pub(super) classes: u32,
    /// The code of the folded character; `0` where any of the classes will do.
    pub(super) code: u8,
    /// The code of the one behind it, if that is known: behind `_` or a run of digits.
    pub(super) behind: u8,
}

impl Beside {
    /// Nothing is asked for.
    pub(super) const ANY: Beside = Beside::of(u32::MAX);

    const fn of(classes: u32) -> Self {
        Beside { classes, code: 0, behind: 0 }
    }

    fn has(self, class: u8) -> bool {
        self.classes >> class & 1 != 0
    }

    /// How much there is that it may be.
    fn unseen(self) -> f64 {
        f64::from(self.classes.count_ones()) * self.share() / 140.0
    }

    /// How much of what is of its classes it is, about.
    fn share(self) -> f64 {
        match self {
            Beside { behind: 1.., .. } => 0.03,
            Beside { code: 1.., .. } => 0.2,
            _ => 1.0,
        }
    }
}

/// The kind of a literal, and what is beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A whole token.
    Token { before: Beside, after: Beside },
    /// Letters that a token begins with.
    Start { before: Beside },
    /// Letters anywhere in a token.
    Inside,
    /// A sign and the folded characters behind it.
    Gram { before: Before },
}

/// The byte before a gram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Before {
    Any,
    /// No letter, digit or `_`.
    Boundary,
    /// A folded character.
    Known(u8),
}

/// The literal by which the prefilter finds an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Literal {
    pub(super) kind: Kind,
    pub(super) text: Vec<u8>,
}

impl Literal {
    /// The counts that estimate how common it is.
    pub(super) fn counted(&self) -> Vec<(Counted, Vec<u8>)> {
        match self.kind {
            Kind::Token { .. } => vec![(Counted::Token, self.text.clone())],
            Kind::Start { .. } => vec![(Counted::Start, self.start().to_vec())],
            Kind::Inside => Vec::new(),
            Kind::Gram { .. } => vec![(Counted::Gram, self.text.clone())],
        }
    }

    /// The first letters, as many as are compared.
    pub(super) fn start(&self) -> &[u8] {
        &self.text[..self.text.len().min(LONGEST_START)]
    }

    /// Estimates its cost in honest requests: a search costs far more than a lookup in a table.
    pub(super) fn cost(&self, frequencies: &Frequencies) -> f64 {
        const SEARCH: f64 = 12.0;
        match self.kind {
            Kind::Token { before, after } => {
                let all = frequencies.sum(Counted::Token, &self.text, |_| true);
                let passed =
                    frequencies.sum(Counted::Token, &self.text, |[b, a]| before.has(b) && after.has(a));
                // Hexadecimal numbers are full of single digits.
                let single = match self.text[..] {
                    [letter] if letter.is_ascii_hexdigit() => 1e5,
                    [_] => 5.0,
                    _ => 0.0,
                };
                // Of literals that were never seen: the longer, with less beside it.
                let unseen = before.unseen() * after.unseen() + 0.3 / self.text.len() as f64;
                SEARCH * passed * before.share() * after.share() + all + single + unseen
            }
            Kind::Start { .. } => 20.0 + SEARCH * frequencies.sum(Counted::Start, self.start(), |_| true),
            Kind::Inside => 20.0,
            Kind::Gram { before } => {
                let is_before = |found: u8| match before {
                    Before::Any => true,
                    Before::Boundary => !is_word(found),
                    Before::Known(before) => before == found,
                };
                let passed = frequencies.sum(Counted::Gram, &self.text, |[b, _]| is_before(b));
                let First { classes, codes } = First::of(&self.text, before);
                let looks = frequencies
                    .pairs(code(self.text[0]))
                    .filter(|(next, class, _)| codes.contains(next) && classes >> class & 1 != 0);
                // Of grams that were never seen: the longer, with what is before it, by which attacks are told apart.
                let unseen =
                    (GRAM - self.text.len()) as f64 + if before == Before::Any { 1000.0 } else { 0.0 };
                5.0 + unseen + SEARCH * passed + 4.0 * looks.map(|(_, _, rate)| rate).sum::<f64>()
            }
        }
    }
}

/// The key of a gram in the first table: the classes of the byte before its sign, the codes of the one behind.
pub(super) struct First {
    pub(super) classes: u32,
    pub(super) codes: Vec<u8>,
}

impl First {
    pub(super) fn of(gram: &[u8], before: Before) -> Self {
        let (sign, next) = (gram[0], gram[1]);
        let may_be_spaced = |beside: u8| beside == b' ' || is_tight(beside) || is_tight(sign);
        let mut codes = vec![code(next)];
        if may_be_spaced(next) {
            codes.extend([SPACE_CODE, code(0xFF)]);
        }
        if sign == b'/' {
            // More slashes, and dots between them, are dropped.
            codes.extend([code(b'/'), code(b'.')]);
        }
        let classes = match before {
            Before::Any => u32::MAX,
            Before::Boundary => BOUNDARY,
            Before::Known(before) => {
                1 << class(before) | 1 << HIGH | u32::from(may_be_spaced(before)) << SPACE
            }
        };
        First { classes, codes }
    }
}

/// All literals that an entry could be found by.
pub(super) fn candidates(entry: &Entry) -> Vec<Literal> {
    entry.iter().flat_map(|part| tokens(part).into_iter().chain(grams(part))).collect()
}

fn tokens(part: &Part) -> Vec<Literal> {
    let text = &part.text;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = (at..text.len()).find(|&at| text[at].is_ascii_alphabetic()) {
        let len = text[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let end = start + len;
        at = end;
        let is_open = start == 0 && part.before == Edge::Any;
        let goes_on = end == text.len() && part.after == Edge::Any;
        let kind = match (is_open, goes_on) {
            (true, _) if len >= SHORTEST_INSIDE => Kind::Inside,
            (false, true) if len >= COMPARED => Kind::Start { before: before(part, start) },
            (false, false) => Kind::Token { before: before(part, start), after: after(part, end) },
            _ => continue,
        };
        found.push(Literal { kind, text: text[start..end].to_vec() });
    }
    found
}

fn grams(part: &Part) -> Vec<Literal> {
    let text = &part.text;
    let signs = (0..text.len().saturating_sub(1)).filter(|&at| text[at].is_ascii_punctuation());
    let gram = |at: usize| {
        let before = match (text[..at].last(), part.before) {
            (Some(before), _) => Before::Known(*before),
            (None, Edge::Boundary) => Before::Boundary,
            (None, _) => Before::Any,
        };
        Literal { kind: Kind::Gram { before }, text: text[at..text.len().min(at + GRAM)].to_vec() }
    };
    signs.map(gram).collect()
}

/// A bit for each of some classes. What is beyond ASCII may be white space, with anything behind it.
fn bits(classes: &[u8]) -> u32 {
    classes.iter().chain(&[HIGH, SPACED + HIGH]).fold(0, |bits, class| bits | 1 << class)
}

/// The bytes that may be before the token at `start` of a part.
fn before(part: &Part, start: usize) -> Beside {
    match (part.text[..start].split_last(), part.before) {
        (Some((last, others)), _) => beside(*last, others.last()),
        (None, Edge::Command) => Beside::of(bits(&[COMMAND, SPACED + COMMAND, ROUND, SPACED + ROUND])),
        (None, Edge::Boundary) => Beside::of(BOUNDARY),
        (None, Edge::Any | Edge::End) => Beside::ANY,
    }
}

/// The bytes that may be after the token that ends at `end` of a part.
fn after(part: &Part, end: usize) -> Beside {
    const SPACED_ANY: u32 = u32::MAX << SPACED;
    match (part.text[end..].split_first(), part.after) {
        (Some((first, others)), _) => beside(*first, others.first()),
        (None, Edge::Command) => Beside::of(SPACED_ANY | bits(&[EDGE, BRACKET, COMMAND, OTHER])),
        (None, Edge::Boundary) => Beside::of(BOUNDARY),
        (None, Edge::End) => Beside::of(bits(&[EDGE])),
        (None, Edge::Any) => Beside::ANY,
    }
}

/// The bytes that may be beside a token where a folded character is wanted, and another after that.
fn beside(wanted: u8, behind: Option<&u8>) -> Beside {
    match (wanted, behind) {
        (b' ', Some(behind)) => {
            Beside { classes: bits(&[SPACED + class(*behind)]), code: code(*behind), behind: 0 }
        }
        (b' ', None) => Beside::ANY,
        _ if is_tight(wanted) => {
            Beside { classes: bits(&[class(wanted), SPACED + class(wanted)]), code: code(wanted), behind: 0 }
        }
        _ => {
            // What is beside `_` or a digit is dropped only if it is white space or another digit.
            let behind = behind.filter(|_| matches!(wanted, b'_' | b'0')).map_or(0, |behind| code(*behind));
            Beside { classes: bits(&[class(wanted)]), code: code(wanted), behind }
        }
    }
}
