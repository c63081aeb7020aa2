//! Finds the parts of all entries in folded text, by a trie for each head that they begin with.
//!
//! A part begins at one kind of position: where a word begins, where a command may be, at a sign, or anywhere in a
//! word. A table has, by the four characters at a position, the classes of the parts that begin so and at which kinds of
//! position they do. Where one of these classes is wanted, and the position is of such a kind, the root for the four is
//! looked up, and the trie is walked for as long as the text agrees with a part of a class that is wanted.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice or table, and counts of what is in it"
)]

use super::COUNT;
use super::tables::{ENDS, HEADS, KEYS, LABELS, NODES, PAIRS, ROOTS};

/// A text must end with these so that all its positions are searched; no part has them.
pub(super) const PADDING: [u8; HEAD - 1] = [0; HEAD - 1];

/// Classes of parts, a bit each, those of first parts below those of later ones.
pub(crate) type Classes = u32;

/// The positions of a node are above its classes.
const POSITIONS: u32 = 28;

/// How many characters a long part is looked up by.
const HEAD: usize = 4;

/// How many slots the table of roots has, as a power of two.
const ROOT_BITS: u32 = 14;
const _: () = assert!(ROOTS.len() == 1 << ROOT_BITS);

/// How many slots the table of heads has, as a power of two.
const HEAD_BITS: u32 = 16;
const _: () =
    assert!(COUNT < 12, "the positions of a head are above its classes and the bit for later parts");

/// A part that was found: its number, where it begins and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hit {
    pub(super) id: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The highest bits of the hash of a key.
fn hash<const BITS: u32>(key: u32) -> usize {
    (key.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BITS)) as usize
}

/// A record of the table of nodes: what follows some characters that parts begin with.
#[derive(Clone, Copy)]
struct Node(&'static [u8; 24]);

impl Node {
    fn at(index: usize) -> Option<Self> {
        NODES.get(index).map(Node)
    }

    fn two(self, low: usize, high: usize) -> usize {
        let byte = |at: usize| self.0.get(at).copied().unwrap_or_default();
        usize::from(u16::from_le_bytes([byte(low), byte(high)]))
    }

    /// The characters that children begin with, a bit for some of them each: see [`bit_of`].
    fn may_go_on(self, byte: u8) -> bool {
        self.0.first_chunk().is_some_and(|next| u64::from_le_bytes(*next) & bit_of(byte) != 0)
    }

    /// Returns whether a part of these classes begins at such a position, here or below.
    fn has(self, positions: u8, wanted: Classes) -> bool {
        let [_, _, _, _, _, _, _, _, a, b, c, d, ..] = *self.0;
        let own = u32::from_le_bytes([a, b, c, d]);
        own & wanted != 0 && own & u32::from(positions) << POSITIONS != 0
    }

    /// What the text must go on with, after the character that leads here.
    fn label(self) -> &'static [u8] {
        let [_, _, _, _, _, _, _, _, _, _, _, _, a, b, c, len, ..] = *self.0;
        let start = u32::from_le_bytes([a, b, c, 0]) as usize;
        LABELS.get(start..start + usize::from(len)).unwrap_or_default()
    }

    /// The child that a character leads to.
    fn child(self, byte: u8) -> Option<Self> {
        let start = self.two(16, 17);
        let keys = KEYS.get(start..start + usize::from(self.0[20]))?;
        Node::at(start + keys.iter().position(|key| *key == byte)?)
    }

    /// The parts that end here.
    fn ends(self) -> &'static [[u8; 8]] {
        // At most nodes none does.
        let (start, count) = (self.two(18, 19), usize::from(self.0[21]));
        if count == 0 { &[] } else { ENDS.get(start..start + count).unwrap_or_default() }
    }
}

/// The bit for a character among those of children: letters and the signs before them in ASCII have one each.
fn bit_of(byte: u8) -> u64 {
    1 << ((byte ^ (byte >> 1 & 0x20)) & 63)
}

/// The key of the root for the first two characters of a head: no text has what follows them in it.
fn key_of_pair(head: u32) -> u32 {
    head & 0xFFFF | 0x0101_0000
}

/// The root for a head, or for a pair.
fn root(key: u32) -> Option<Node> {
    let mut slot = hash::<ROOT_BITS>(key);
    loop {
        let [a, b, c, d, low, high, ..] = *ROOTS.get(slot)?;
        let node = usize::from(u16::from_le_bytes([low, high]));
        if node == 0 {
            return None;
        }
        if u32::from_le_bytes([a, b, c, d]) == key {
            return Node::at(node);
        }
        slot = (slot + 1) % ROOTS.len();
    }
}

/// Reports every part in a text, which ends with [`PADDING`], that is of a wanted class. `report` returns the classes
/// that are wanted from then on.
#[inline(never)]
pub(super) fn find_all(padded: &[u8], mut wanted: Classes, mut report: impl FnMut(Hit) -> Classes) {
    // The kinds of position that the next character may be at.
    let mut next = positions_after(b' ');
    for (start, window) in padded.windows(HEAD).enumerate() {
        let Some(head) = window.first_chunk() else { return };
        let head = u32::from_le_bytes(*head);
        let here = next;
        next = positions_after(head as u8);
        let long = HEADS.get(hash::<HEAD_BITS>(head)).map_or(0, |long| u16::from_le_bytes(*long));
        if long != 0 && (long >> 12) as u8 & here != 0 && u32::from(long) & wanted_heads(wanted) != 0 {
            wanted = begin(head, HEAD, padded, start, here, wanted, &mut report);
        }
        let short = PAIRS.get(usize::from(head as u16)).copied().unwrap_or_default();
        if short != 0 && short_positions(short, wanted) & here != 0 {
            wanted = begin(key_of_pair(head), 2, padded, start, here, wanted, &mut report);
        }
    }
}

/// The bits of a head that make it wanted: its classes, and, where later parts of entries are wanted, that it has some.
#[inline(always)]
fn wanted_heads(wanted: Classes) -> u32 {
    const FIRST: Classes = (1 << COUNT) - 1;
    wanted & FIRST | u32::from(wanted & !FIRST != 0) << COUNT
}

/// The kinds of position that the short parts of a pair begin at. Later parts of entries count only where one is wanted.
#[inline(always)]
fn short_positions(pair: u8, wanted: Classes) -> u8 {
    if wanted >> COUNT == 0 { pair } else { pair | pair >> 4 }
}

/// Reports the parts that the text has at `start`, which begin with the `len` characters that `key` is of. Returns the
/// classes that are wanted from then on.
#[inline(never)]
fn begin(
    key: u32,
    len: usize,
    padded: &[u8],
    start: usize,
    here: u8,
    mut wanted: Classes,
    report: &mut impl FnMut(Hit) -> Classes,
) -> Classes {
    let Some(mut node) = root(key).filter(|root| root.has(here, wanted)) else { return wanted };
    let mut rest = padded.get(start + len..).unwrap_or_default();
    loop {
        for &[low, high, len, position, a, b, c, d] in node.ends() {
            if position & here != 0 && u32::from_le_bytes([a, b, c, d]) & wanted != 0 {
                let id = usize::from(u16::from_le_bytes([low, high]));
                wanted = report(Hit { id, start, end: start + usize::from(len) });
            }
        }
        let Some((&byte, after)) = rest.split_first() else { return wanted };
        if !node.may_go_on(byte) {
            return wanted;
        }
        let Some(child) = node.child(byte).filter(|child| child.has(here, wanted)) else { return wanted };
        let Some(after) = after.strip_prefix(child.label()) else { return wanted };
        (node, rest) = (child, after);
    }
}

/// Gives the numbers of the parts that are this text, whatever position they begin at.
pub(super) fn parts_equal(text: &[u8], mut give: impl FnMut(usize)) {
    let (root, mut rest) = match text {
        [a, b, c, d, rest @ ..] => (root(u32::from_le_bytes([*a, *b, *c, *d])), rest),
        [a, b, rest @ ..] => (root(key_of_pair(u32::from_le_bytes([*a, *b, 0, 0]))), rest),
        _ => return,
    };
    let Some(mut node) = root else { return };
    while let Some((&byte, after)) = rest.split_first() {
        let Some(child) = node.child(byte) else { return };
        let Some(after) = after.strip_prefix(child.label()) else { return };
        (node, rest) = (child, after);
    }
    for &[low, high, len, ..] in node.ends() {
        if usize::from(len) == text.len() {
            give(usize::from(u16::from_le_bytes([low, high])));
        }
    }
}

/// The kinds of position that the character behind another may be at.
#[inline(always)]
fn positions_after(byte: u8) -> u8 {
    const AFTER: [u8; 256] = {
        let mut after = [0b1011; 256];
        let mut byte = 0;
        while byte < 256 {
            match byte as u8 {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => after[byte] = 0b1001,
                b';' | b'|' | b'&' | b'(' => after[byte] = 0b1111,
                _ => {}
            }
            byte += 1;
        }
        after
    };
    AFTER.get(usize::from(byte)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::random;
    use crate::keywords::entries::CLASSES;
    use crate::keywords::is_word;
    use crate::keywords::tests::{Edge, SEPARATOR, Written, folded_part, marks};

    /// Every part with the positions it begins at.
    fn parts() -> Vec<(Vec<u8>, u8)> {
        let written =
            CLASSES.iter().flat_map(|(_, entries)| entries.iter().flat_map(|it| it.split(SEPARATOR)));
        let part = |written| {
            let (text, Written { before, .. }) = (folded_part(written), marks(written));
            let position = match before {
                _ if !is_word(text[0]) => 8,
                Edge::Boundary => 2,
                Edge::Command => 4,
                Edge::Any | Edge::End => 1,
            };
            (text, position)
        };
        written.map(part).collect()
    }

    /// Finds every part by trying all at every position.
    fn find_slowly(parts: &[(Vec<u8>, u8)], text: &[u8]) -> Vec<Hit> {
        let mut hits = Vec::new();
        for start in 0..text.len() {
            let before = start.checked_sub(1).map_or(b' ', |before| text[before]);
            let here = match (is_word(before), is_word(text[start])) {
                (_, false) => 8,
                (true, true) => 1,
                (false, true) if b";|&(".contains(&before) => 7,
                (false, true) => 3,
            };
            for (id, (part, position)) in parts.iter().enumerate() {
                if position & here != 0 && text[start..].starts_with(part) {
                    hits.push(Hit { id, start, end: start + part.len() });
                }
            }
        }
        hits
    }

    #[test]
    fn all_parts_are_found() {
        let (parts, mut random) = (parts(), random());
        let mut count = 0;
        for _ in 0..400 {
            let mut text = Vec::new();
            for _ in 0..4 {
                text.extend_from_slice(&parts[random(parts.len() as u32) as usize].0);
                text.extend_from_slice([&b""[..], b" ", b";", b"x", b"0", b"("][random(6) as usize]);
            }
            let padded = [&text[..], &PADDING].concat();
            let mut hits = Vec::new();
            find_all(&padded, Classes::MAX, |hit| {
                hits.push(hit);
                Classes::MAX
            });
            let mut slowly = find_slowly(&parts, &text);
            hits.sort_unstable();
            slowly.sort_unstable();
            assert_eq!(hits, slowly, "{}", text.escape_ascii());
            count += hits.len();
        }
        assert!(count > 1_600, "{count}");
    }

    #[test]
    fn every_part_is_known_by_its_number() {
        for (id, (part, _)) in parts().iter().enumerate() {
            let mut is_given = part.len() < 2;
            parts_equal(part, |given| is_given |= given == id);
            assert!(is_given, "{}", part.escape_ascii());
        }
    }
}
