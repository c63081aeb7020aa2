//! Thousands of patterns, found in folded text by the places they begin at (clause 7.8).
//!
//! A pattern begins at one kind of place: where a word begins, where a command may stand, at a sign, or
//! anywhere in a word. For the two characters at each place of a text a table says at which kinds of
//! place a pattern begins so. Where that is this kind, another table is asked for the four characters, and a
//! tree of patterns is walked for as long as the text agrees with one of a class that is wanted.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice or table, and counts of what is in it"
)]

use std::collections::VecDeque;
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

/// What a text must end with so that all its places are looked at; no pattern has it.
pub(super) const PADDING: [u8; HEAD - 1] = [0; HEAD - 1];

/// The classes of a pattern, one of the lower bits each: those that are not wanted are passed over.
pub(super) type Classes = u32;

/// Above the classes, where both are kept together, are the places.
const PLACES: u32 = 28;

/// How many pairs of characters there are.
const PAIRS: usize = 1 << 16;

/// How many characters a long pattern is looked up by.
const HEAD: usize = 4;

/// How many entries the tables by head have, as a power of two.
const BITS: u32 = 16;

/// All patterns, as a tree for each head that long ones begin with, and for each pair that short ones begin with.
pub(super) struct Patterns {
    /// By the first two characters: the places of the long patterns that begin so; in the upper half those of the
    /// short ones.
    pairs: Box<[u8; PAIRS]>,
    /// By the hash of a head or pair: the classes of the patterns of such ones, and their places.
    heads: Box<[u32; 1 << BITS]>,
    /// By the hash of a head or pair, or after that: its node; zero where none is.
    roots: Box<[u16; 1 << BITS]>,
    /// The children of a node stand side by side.
    nodes: Vec<Node>,
    /// The head or pair of each root.
    root_keys: Vec<u32>,
    /// The character that leads to each node.
    keys: Vec<u8>,
    /// What nodes tell, side by side.
    told: Vec<Told>,
    /// The labels of all nodes.
    labels: Vec<u8>,
}

fn hash(head: u32) -> u16 {
    (head.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BITS)) as u16
}

/// What follows some characters that patterns begin with.
#[derive(Clone, Copy, Default)]
struct Node {
    /// The characters that children begin with, a bit for some of them each: see [`bit_of`].
    next: u64,
    /// The classes of all patterns here and below.
    classes: Classes,
    /// The places of these.
    places: u8,
    /// What the text must go on with, after the character that leads here.
    label: Span,
    children: Span,
    /// The patterns that end here.
    told: Span,
}

/// A range of a list.
#[derive(Clone, Copy, Default)]
struct Span {
    start: u32,
    len: u16,
}

impl Span {
    fn of(range: Range<usize>) -> Self {
        debug_assert!(range.len() <= usize::from(u16::MAX));
        Span { start: range.start as u32, len: range.len() as u16 }
    }

    fn in_list<T>(self, list: &[T]) -> &[T] {
        let start = self.start as usize;
        list.get(start..start + usize::from(self.len)).unwrap_or_default()
    }
}

/// What is told where a pattern ends.
#[derive(Clone, Copy)]
struct Told {
    id: usize,
    len: usize,
    class: Classes,
    place: u8,
}

/// Which bit of [`Node::next`] stands for a character: letters and the signs before them in ASCII have one each.
fn bit_of(byte: u8) -> u64 {
    1 << ((byte ^ (byte >> 1 & 0x20)) & 63)
}

/// What stands for the pair that a head begins with among heads: no text has the characters after it.
fn key_of_pair(head: u32) -> u32 {
    head & 0xFFFF | 0x0101_0000
}

/// A pattern among those that a tree is made of, which are sorted.
struct Listed<'l> {
    text: &'l [u8],
    told: Told,
}

impl Patterns {
    /// Patterns are known by their place in the list; `class_of` tells the class of each. None is empty.
    pub(super) fn new(list: &[(Vec<u8>, Place)], class_of: impl Fn(usize) -> Classes) -> Self {
        let told_of = |id: usize, text: &[u8], place: Place| Told {
            id,
            len: text.len(),
            class: class_of(id),
            place: place as u8,
        };
        let listed = list.iter().enumerate();
        let mut sorted: Vec<Listed<'_>> =
            listed.map(|(id, (text, place))| Listed { text, told: told_of(id, text, *place) }).collect();
        sorted.sort_unstable_by_key(|listed| (listed.text, listed.told.id));
        let (long, short): (Vec<_>, Vec<_>) =
            sorted.into_iter().partition(|listed| listed.text.len() >= HEAD);
        let mut patterns = Patterns {
            pairs: Box::new([0; PAIRS]),
            heads: Box::new([0; 1 << BITS]),
            roots: Box::new([0; 1 << BITS]),
            nodes: vec![Node::default()],
            root_keys: vec![0],
            keys: vec![0],
            told: Vec::new(),
            labels: Vec::new(),
        };
        let mut to_do = VecDeque::new();
        for same in long.chunk_by(|a, b| a.text.get(..HEAD) == b.text.get(..HEAD)) {
            let Some(&[a, b, c, d]) = same.first().and_then(|listed| listed.text.first_chunk()) else {
                continue;
            };
            let head = u32::from_le_bytes([a, b, c, d]);
            let (root, places) = patterns.add_root(head, &[], same, HEAD);
            to_do.push_back((root, same, HEAD));
            if let Some(known) = patterns.pairs.get_mut(usize::from(u16::from_le_bytes([a, b]))) {
                *known |= places;
            }
        }
        for same in short.chunk_by(|a, b| a.text.first() == b.text.first()) {
            let singles = same.partition_point(|listed| listed.text.len() == 1);
            let (singles, longer) = same.split_at_checked(singles).unwrap_or_default();
            let first = same.first().and_then(|listed| listed.text.first()).copied().unwrap_or_default();
            for second in 0..=u8::MAX {
                let start = longer.partition_point(|listed| listed.text.get(1) < Some(&second));
                let end = longer.partition_point(|listed| listed.text.get(1) <= Some(&second));
                let same = longer.get(start..end).unwrap_or_default();
                if singles.is_empty() && same.is_empty() {
                    continue;
                }
                let (root, places) = patterns.add_root(
                    key_of_pair(u32::from_le_bytes([first, second, 0, 0])),
                    singles,
                    same,
                    2,
                );
                to_do.push_back((root, same, 2));
                if let Some(known) = patterns.pairs.get_mut(usize::from(u16::from_le_bytes([first, second])))
                {
                    *known |= places << 4;
                }
            }
        }
        while let Some((node, same, depth)) = to_do.pop_front() {
            patterns.add_children(node, same, depth, &mut to_do);
        }
        patterns
    }

    /// Adds the node of patterns that begin with the same `depth` characters, or are the first of them.
    /// Where it is, and the places of these.
    fn add_root(
        &mut self,
        key: u32,
        singles: &[Listed<'_>],
        same: &[Listed<'_>],
        depth: usize,
    ) -> (usize, u8) {
        let root = self.nodes.len();
        let start = self.told.len();
        let ended = same.iter().filter(|listed| listed.text.len() == depth);
        self.told.extend(singles.iter().chain(ended).map(|listed| listed.told));
        let told = Span::of(start..self.told.len());
        let all = || singles.iter().chain(same).map(|listed| listed.told);
        let classes = all().fold(0, |classes, told| classes | told.class);
        let places = all().fold(0, |places, told| places | told.place);
        self.nodes.push(Node { classes, places, told, ..Node::default() });
        if let Some(known) = self.heads.get_mut(usize::from(hash(key))) {
            *known |= classes | u32::from(places) << PLACES;
        }
        self.root_keys.push(key);
        self.keys.push(0);
        let mut at = hash(key);
        while self.roots.get(usize::from(at)).is_some_and(|root| *root != 0) {
            at = at.wrapping_add(1);
        }
        if let Some(place) = self.roots.get_mut(usize::from(at)) {
            *place = root as u16;
        }
        (root, places)
    }

    /// The node of a head, or of a pair.
    fn root(&self, key: u32) -> Option<&Node> {
        let mut at = hash(key);
        loop {
            let root = usize::from(self.roots.get(usize::from(at)).copied().unwrap_or_default());
            if root == 0 {
                return None;
            }
            if self.root_keys.get(root) == Some(&key) {
                return self.nodes.get(root);
            }
            at = at.wrapping_add(1);
        }
    }

    /// Adds what follows the first `depth` characters, which all of `same` begin with.
    fn add_children<'l>(
        &mut self,
        node: usize,
        same: &'l [Listed<'l>],
        depth: usize,
        to_do: &mut VecDeque<(usize, &'l [Listed<'l>], usize)>,
    ) {
        let start = self.nodes.len();
        let mut next = 0;
        let ended = same.partition_point(|listed| listed.text.len() == depth);
        for same in
            same.get(ended..).unwrap_or_default().chunk_by(|a, b| a.text.get(depth) == b.text.get(depth))
        {
            let (Some(first), Some(last)) = (same.first(), same.last()) else { continue };
            let common = first.text.iter().zip(last.text).take_while(|(a, b)| a == b).count();
            let key = first.text.get(depth).copied().unwrap_or_default();
            let label = self.labels.len();
            self.labels.extend_from_slice(first.text.get(depth + 1..common).unwrap_or_default());
            let told = self.told.len();
            let ended = same.iter().filter(|listed| listed.text.len() == common);
            self.told.extend(ended.map(|listed| listed.told));
            next |= bit_of(key);
            to_do.push_back((self.nodes.len(), same, common));
            self.keys.push(key);
            self.nodes.push(Node {
                classes: same.iter().fold(0, |classes, listed| classes | listed.told.class),
                places: same.iter().fold(0, |places, listed| places | listed.told.place),
                label: Span::of(label..self.labels.len()),
                told: Span::of(told..self.told.len()),
                ..Node::default()
            });
        }
        let children = Span::of(start..self.nodes.len());
        if let Some(node) = self.nodes.get_mut(node) {
            node.next = next;
            node.children = children;
        }
    }

    /// Tells the pattern and the place of every match in a text, which ends with [`PADDING`], of a class
    /// that is wanted. Whoever is told says which are wanted from then on.
    pub(super) fn find_all(
        &self,
        padded: &[u8],
        mut wanted: Classes,
        mut tell: impl FnMut(usize, usize, usize) -> Classes,
    ) {
        let mut before = Side::of(b' ');
        let Some((&[a, b, c], mut rest)) = padded.split_first_chunk() else { return };
        let mut head = u32::from_le_bytes([0, a, b, c]);
        while let Some((&last, after)) = rest.split_first() {
            rest = after;
            head = head >> 8 | u32::from(last) << 24;
            let side = Side::of(head as u8);
            let here = side.places_after(before);
            before = side;
            let hit = self.pairs.get(usize::from(head as u16)).copied().unwrap_or_default() & here;
            if hit == 0 {
                continue;
            }
            if hit & LONG != 0 && self.may_walk(head, here, wanted) {
                let start = padded.len() - rest.len() - HEAD;
                self.walk(head, rest, start, here, &mut wanted, &mut tell);
            }
            let pair = key_of_pair(head);
            if hit & SHORT != 0 && self.may_walk(pair, here, wanted) {
                let start = padded.len() - rest.len() - HEAD;
                let rest = padded.get(start + 2..).unwrap_or_default();
                self.walk(pair, rest, start, here, &mut wanted, &mut tell);
            }
            if wanted == 0 {
                return;
            }
        }
    }

    /// Whether there may be patterns with this head, or pair, for such a place.
    fn may_walk(&self, key: u32, here: u8, wanted: Classes) -> bool {
        let known = self.heads.get(usize::from(hash(key))).copied().unwrap_or_default();
        known & wanted != 0 && known & u32::from(here) << PLACES != 0
    }

    /// Tells the patterns that the text has at `start`, where what `key` stands for is followed by `rest`.
    fn walk(
        &self,
        key: u32,
        mut rest: &[u8],
        start: usize,
        here: u8,
        wanted: &mut Classes,
        tell: &mut impl FnMut(usize, usize, usize) -> Classes,
    ) {
        let is_wanted = |node: &Node, wanted: Classes| node.classes & wanted != 0 && node.places & here != 0;
        let Some(mut node) = self.root(key).filter(|root| is_wanted(root, *wanted)) else { return };
        loop {
            if node.told.len != 0 {
                for told in node.told.in_list(&self.told) {
                    if told.place & here != 0 && told.class & *wanted != 0 {
                        *wanted = tell(told.id, start, start + told.len);
                    }
                }
            }
            let Some((&key, after)) = rest.split_first() else { return };
            if node.next & bit_of(key) == 0 {
                return;
            }
            let keys = node.children.in_list(&self.keys);
            let Some(nth) = keys.iter().position(|child| *child == key) else { return };
            let Some(child) = self.nodes.get(node.children.start as usize + nth) else { return };
            if !is_wanted(child, *wanted) {
                return;
            }
            (node, rest) = (child, after);
            if node.label.len != 0 {
                let label = node.label.in_list(&self.labels);
                let Some((begun, after)) = rest.split_at_checked(label.len()) else { return };
                if begun.iter().zip(label).any(|(a, b)| a != b) {
                    return;
                }
                rest = after;
            }
        }
    }
}

/// What a character is to those beside it. In the lower byte the places that it may be, in the upper those that
/// the next one may be; twice each, for long and for short patterns.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Side(u16);

/// The places of long patterns.
const LONG: u8 = 0x0F;
/// Those of short ones.
const SHORT: u8 = 0xF0;

impl Side {
    /// A letter, digit or `_`.
    const WORD: Side = Side(0x9977);
    /// What may stand before a command.
    const OPENER: Side = Side(0xFF88);
    const SIGN: Side = Side(0xBB88);

    fn of(byte: u8) -> Self {
        const SIDES: [Side; 256] = {
            let mut sides = [Side::SIGN; 256];
            let mut byte = 0;
            while byte < 256 {
                sides[byte] = match byte as u8 {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => Side::WORD,
                    b';' | b'|' | b'&' | b'(' => Side::OPENER,
                    _ => Side::SIGN,
                };
                byte += 1;
            }
            sides
        };
        SIDES.get(usize::from(byte)).copied().unwrap_or(Side::SIGN)
    }

    /// The kinds of place that a character with this side is after another, twice.
    fn places_after(self, before: Side) -> u8 {
        (self.0 & before.0 >> 8) as u8
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
        let mut random = crate::context::tests::random();
        let mut some_text = |most: u32, least: u32| -> Vec<u8> {
            let len = least + random(most);
            (0..len).map(|_| b"aab_(;. "[random(8) as usize]).collect()
        };
        for _ in 0..200 {
            let mut list = Vec::new();
            for _ in 0..60 {
                let text = some_text(8, 1);
                let places: &[Place] = if Side::of(text[0]) == Side::WORD {
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
