//! Thousands of patterns, found in folded text by the places they begin at (clause 7.8).
//!
//! A pattern begins at one kind of place: where a word begins, where a command may stand, at a sign, or
//! anywhere in a word. For the four characters at each place of a text a table says at which kinds of
//! place a pattern begins so. Where that is this kind, which is seldom, patterns are compared.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice or table, and counts of what is in it"
)]

use std::ops::Range;

/// Where a pattern begins; a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Anywhere in a word.
    Anywhere = 1,
    /// Where a word begins.
    Word = 2,
    /// Where a word begins after `; | & (`.
    Command = 4,
    /// At what is no letter, digit or `_`.
    Sign = 8,
}

const PLACES: [Place; 4] = [Place::Anywhere, Place::Word, Place::Command, Place::Sign];

/// How many characters are looked up at once.
const HEAD: usize = 4;

/// What a text must end with so that all its places are looked at; no pattern has it.
pub(super) const PADDING: [u8; HEAD - 1] = [0; HEAD - 1];

/// The classes of a pattern, a bit each: those that are not wanted are passed over.
pub(super) type Classes = u16;

/// How many entries the table of heads has, as a power of two.
const BITS: u32 = 16;

/// All patterns.
pub(super) struct Patterns {
    /// The places of those that begin with four characters, by their hash.
    heads: Vec<u8>,
    /// The places of shorter ones, by their first two characters.
    pairs: Vec<u8>,
    /// In the order of `PLACES`.
    groups: [Group; PLACES.len()],
}

/// The patterns of a kind of place.
#[derive(Default)]
struct Group {
    /// Their first four characters, each once, in order.
    heads: Vec<Head>,
    /// Where heads are, from one on, by their hash or after that; zero where none is.
    places: Vec<u16>,
    /// Sorted.
    long: Vec<Pattern>,
    /// Those of fewer characters than a head, by the first.
    short: Vec<Vec<Pattern>>,
}

/// The patterns that begin with four characters.
struct Head {
    text: u32,
    /// The classes of all of them.
    classes: Classes,
    /// Where they are among the long ones.
    patterns: Range<usize>,
}

/// What is looked for, for one or more reasons.
#[derive(Clone)]
struct Pattern {
    text: Vec<u8>,
    ids: Vec<usize>,
    /// The classes of these.
    classes: Classes,
    /// The longest other one of the group that it begins with.
    shorter: Option<usize>,
}

fn hash(head: u32) -> usize {
    (head.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BITS)) as usize
}

impl Patterns {
    /// Patterns are known by their place in the list; `class_of` tells the class of each.
    pub(super) fn new(list: &[(Vec<u8>, Place)], class_of: impl Fn(usize) -> Classes) -> Self {
        let mut patterns =
            Patterns { heads: vec![0; 1 << BITS], pairs: vec![0; 1 << 16], groups: Default::default() };
        for (group, place) in patterns.groups.iter_mut().zip(PLACES) {
            let mut all: Vec<(&[u8], usize)> = Vec::new();
            all.extend(
                list.iter()
                    .enumerate()
                    .filter(|(_, (_, of))| *of == place)
                    .map(|(id, (text, _))| (&text[..], id)),
            );
            all.sort_unstable();
            group.short = vec![Vec::new(); 256];
            for same in all.chunk_by(|a, b| a.0 == b.0) {
                let Some(&(text, _)) = same.first() else { continue };
                let ids: Vec<usize> = same.iter().map(|(_, id)| *id).collect();
                let classes = ids.iter().fold(0, |classes, id| classes | class_of(*id));
                let pattern = Pattern { text: text.to_vec(), ids, classes, shorter: None };
                match text.first_chunk::<HEAD>() {
                    Some(head) => {
                        let head = u32::from_be_bytes(*head);
                        if let Some(places) = patterns.heads.get_mut(hash(head)) {
                            *places |= place as u8;
                        }
                        group.add_long(head, pattern);
                    }
                    None => {
                        let pairs = patterns.pairs.get_mut(pairs_of(text)).unwrap_or_default();
                        pairs.iter_mut().for_each(|places| *places |= place as u8);
                        let first = text.first().map(|first| usize::from(*first)).unwrap_or_default();
                        if let Some(same) = group.short.get_mut(first) {
                            same.push(pattern);
                        }
                    }
                }
            }
            group.place_heads();
        }
        patterns
    }

    /// Tells the pattern and the place of every match in a text, which ends with [`PADDING`], of a class
    /// that is wanted. Whoever is told says which are wanted from then on.
    pub(super) fn find_all(
        &self,
        padded: &[u8],
        mut wanted: Classes,
        mut tell: impl FnMut(usize, usize, usize) -> Classes,
    ) {
        let (mut head, mut places) = (0_u32, 0_u32);
        let mut before = Side::Sign;
        for (last, &byte) in padded.iter().enumerate() {
            let side = Side::of(byte);
            let here = places_at(before, side);
            before = side;
            head = head << 8 | u32::from(byte);
            places = places << 8 | u32::from(here);
            // Of the place that the head begins at.
            let here = (places >> 24) as u8;
            let long = self.heads.get(hash(head)).copied().unwrap_or_default() & here;
            let short = self.pairs.get((head >> 16) as usize).copied().unwrap_or_default() & here;
            if long | short != 0 {
                let start = last.saturating_sub(HEAD - 1);
                self.compare(padded, start, head, (long, short), &mut wanted, &mut tell);
                if wanted == 0 {
                    return;
                }
            }
        }
    }

    #[cold]
    fn compare(
        &self,
        padded: &[u8],
        start: usize,
        head: u32,
        (long, short): (u8, u8),
        wanted: &mut Classes,
        tell: &mut impl FnMut(usize, usize, usize) -> Classes,
    ) {
        let rest = padded.get(start..).unwrap_or_default();
        for (group, place) in self.groups.iter().zip(PLACES) {
            if long & place as u8 != 0 {
                group.compare_long(rest, head, *wanted, |pattern| tell_all(pattern, start, wanted, tell));
            }
            if short & place as u8 != 0 {
                let same = rest.first().and_then(|first| group.short.get(usize::from(*first)));
                let found = same.into_iter().flatten().filter(|pattern| rest.starts_with(&pattern.text));
                found.for_each(|pattern| tell_all(pattern, start, wanted, tell));
            }
        }
    }
}

/// The pairs of characters that a text which begins with `short` may begin with.
fn pairs_of(short: &[u8]) -> Range<usize> {
    match *short {
        [] => 0..1 << 16,
        [first] => {
            let start = usize::from(first) << 8;
            start..start + 256
        }
        [first, second, ..] => {
            let pair = usize::from(u16::from_be_bytes([first, second]));
            pair..pair + 1
        }
    }
}

fn tell_all(
    pattern: &Pattern,
    start: usize,
    wanted: &mut Classes,
    tell: &mut impl FnMut(usize, usize, usize) -> Classes,
) {
    if pattern.classes & *wanted != 0 {
        pattern.ids.iter().for_each(|&id| *wanted = tell(id, start, start + pattern.text.len()));
    }
}

impl Group {
    /// Adds one that is not before the last.
    fn add_long(&mut self, head: u32, mut pattern: Pattern) {
        let at = self.long.len();
        match self.heads.last_mut() {
            Some(last) if last.text == head => {
                last.patterns.end = at + 1;
                last.classes |= pattern.classes;
            }
            _ => self.heads.push(Head { text: head, classes: pattern.classes, patterns: at..at + 1 }),
        }
        // Whatever it begins with is the last one, or the last one begins with it.
        let mut shorter = self.long.len().checked_sub(1);
        while let Some(other) = shorter.and_then(|at| self.long.get(at))
            && !pattern.text.starts_with(&other.text)
        {
            shorter = other.shorter;
        }
        pattern.shorter = shorter;
        self.long.push(pattern);
    }

    fn place_heads(&mut self) {
        let mut places = vec![0; 1 << BITS];
        for (head, nth) in self.heads.iter().zip(1..) {
            let mut at = hash(head.text);
            while places.get(at).is_some_and(|place| *place != 0) {
                at = (at + 1) % places.len();
            }
            if let Some(place) = places.get_mut(at) {
                *place = nth;
            }
        }
        self.places = places;
    }

    fn head(&self, text: u32) -> Option<&Head> {
        let mut at = hash(text);
        loop {
            let nth = usize::from(*self.places.get(at)?).checked_sub(1)?;
            let head = self.heads.get(nth)?;
            if head.text == text {
                return Some(head);
            }
            at = (at + 1) % self.places.len();
        }
    }

    /// Tells the patterns that `rest` begins with, where one of its head is of a class that is wanted.
    fn compare_long<'p>(
        &'p self,
        rest: &[u8],
        head: u32,
        wanted: Classes,
        mut tell: impl FnMut(&'p Pattern),
    ) {
        let Some(Head { patterns, .. }) = self.head(head).filter(|head| head.classes & wanted != 0) else {
            return;
        };
        let start = patterns.start;
        let same = self.long.get(patterns.clone()).unwrap_or_default();
        // Of all that are not after it in the order of texts, the last begins with all that it begins with.
        let not_after = match same {
            [_] => 1,
            _ => same.partition_point(|pattern| pattern.text.as_slice() <= rest),
        };
        let mut next = (start + not_after).checked_sub(1).filter(|at| *at >= start);
        while let Some(pattern) = next.and_then(|at| self.long.get(at)) {
            if rest.starts_with(&pattern.text) {
                tell(pattern);
            }
            next = pattern.shorter;
        }
    }
}

/// What a character is to those beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// A letter, digit or `_`.
    Word,
    /// What may stand before a command.
    Opener,
    Sign,
}

impl Side {
    fn of(byte: u8) -> Self {
        const SIDES: [Side; 256] = {
            let mut sides = [Side::Sign; 256];
            let mut byte = 0;
            while byte < 256 {
                sides[byte] = match byte as u8 {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => Side::Word,
                    b';' | b'|' | b'&' | b'(' => Side::Opener,
                    _ => Side::Sign,
                };
                byte += 1;
            }
            sides
        };
        SIDES.get(usize::from(byte)).copied().unwrap_or(Side::Sign)
    }
}

/// The kinds of a place, by its character and the one before it.
fn places_at(before: Side, here: Side) -> u8 {
    let begins_word = Place::Anywhere as u8 | Place::Word as u8;
    match (before, here) {
        (_, Side::Opener | Side::Sign) => Place::Sign as u8,
        (Side::Word, Side::Word) => Place::Anywhere as u8,
        (Side::Sign, Side::Word) => begins_word,
        (Side::Opener, Side::Word) => begins_word | Place::Command as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every match, by trying every pattern at every place.
    fn find_slowly(list: &[(Vec<u8>, Place)], text: &[u8]) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        for start in 0..text.len() {
            let before = start.checked_sub(1).map_or(b' ', |before| text[before]);
            let is_in_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            let here = match (is_in_word(before), is_in_word(text[start])) {
                (_, false) => 8,
                (true, true) => 1,
                (false, true) if b";|&(".contains(&before) => 7,
                (false, true) => 3,
            };
            for (id, (pattern, place)) in list.iter().enumerate() {
                if *place as u8 & here != 0 && text[start..].starts_with(pattern) {
                    found.push((id, start, start + pattern.len()));
                }
            }
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn all_matches_are_found() {
        let mut state = 7_u32;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let mut some_text = |most: u32, least: u32| -> Vec<u8> {
            let len = least + random(most);
            (0..len).map(|_| b"aab_(;. "[random(8) as usize]).collect()
        };
        for _ in 0..200 {
            let mut list = Vec::new();
            for _ in 0..60 {
                let text = some_text(8, 1);
                let places: &[Place] = if Side::of(text[0]) == Side::Word {
                    &[Place::Anywhere, Place::Word, Place::Command]
                } else {
                    &[Place::Sign]
                };
                for place in places {
                    list.push((text.clone(), *place));
                }
            }
            let patterns = Patterns::new(&list, |id| 1 << (id % 16));
            for _ in 0..20 {
                let text = some_text(40, 0);
                let padded = [&text[..], &PADDING].concat();
                for wanted in [Classes::MAX, 0x0F0F, 1] {
                    let mut found = Vec::new();
                    patterns.find_all(&padded, wanted, |id, start, end| {
                        found.push((id, start, end));
                        wanted
                    });
                    // Others may be told along with them.
                    found.retain(|(id, ..)| wanted >> (id % 16) & 1 == 1);
                    found.sort_unstable();
                    let mut slowly = find_slowly(&list, &text);
                    slowly.retain(|(id, ..)| wanted >> (id % 16) & 1 == 1);
                    assert_eq!(found, slowly, "{}", text.escape_ascii());
                }
            }
        }
    }
}
