//! The trie of all parts, as the library walks it.
//!
//! Parts of four or more characters have a root for their first four, shorter ones a root for their first two. Roots are
//! found by a hash; the children of a node are side by side.
//!
//! `cargo x generate` makes the tables with this; in WebAssembly the library does so itself.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "the input is the entries of `spec/words/`, and tests compare the output"
)]

use std::collections::VecDeque;

use super::table_part::{Edge, Entry, Part, Step, is_word};

/// How many characters a long part is looked up by.
const HEAD: usize = 4;
/// How many slots the table of roots has, as a power of two.
const ROOT_BITS: u32 = 14;

/// How many heads the table of them tells apart, as a power of two.
const HEAD_BITS: u32 = 16;

/// The bit of the table of heads for parts that entries do not begin with.
const LATER: u32 = 11;

/// At which kinds of position a part begins, a bit each.
const ANYWHERE: u8 = 1;
const WORD: u8 = 2;
const COMMAND: u8 = 4;
const SIGN: u8 = 8;

/// What is reported where a part ends.
#[derive(Clone, Copy)]
struct End {
    id: usize,
    len: usize,
    class: u32,
    position: u8,
}

/// A part in the sorted list that the trie is made of.
struct Listed<'l> {
    text: &'l [u8],
    end: End,
}

#[derive(Clone, Default)]
struct Node {
    next: u64,
    classes: u32,
    positions: u8,
    label: (usize, usize),
    children: (usize, usize),
    ends: (usize, usize),
}

struct Trie {
    heads: Vec<u16>,
    pairs: Vec<u8>,
    roots: Vec<(u32, u16)>,
    nodes: Vec<Node>,
    keys: Vec<u8>,
    ends: Vec<End>,
    labels: Vec<u8>,
}

/// The kind of position a part begins at.
fn position(part: &Part) -> u8 {
    match part.before {
        _ if !part.text.first().is_some_and(|&first| is_word(first)) => SIGN,
        Edge::Boundary => WORD,
        Edge::Command => COMMAND,
        Edge::Any | Edge::End => ANYWHERE,
    }
}

/// The highest bits of the hash of a key.
fn hash(key: u32, bits: u32) -> usize {
    (key.wrapping_mul(0x9E37_79B1) >> (u32::BITS - bits)) as usize
}

/// The bit of [`Node::next`] for a character.
fn bit_of(byte: u8) -> u64 {
    1 << ((byte ^ (byte >> 1 & 0x20)) & 63)
}

/// The key of the root for two characters: no text has what follows them.
fn pair_key(first: u8, second: u8) -> u32 {
    u32::from_le_bytes([first, second, 1, 1])
}

/// The tables of the trie and of the parts as bytes, in the order of `tables.bin`; `None` where a number of them is too
/// large for its place.
pub(super) fn tables(entries: &[Entry], classes: usize) -> Option<[Vec<u8>; 8]> {
    let parts: Vec<&Part> = entries.iter().flatten().collect();
    let trie = Trie::new(&parts, classes);
    if trie.nodes.len().max(trie.ends.len()).max(parts.len()) > usize::from(u16::MAX) {
        return None;
    }
    let roots = trie.roots.iter().flat_map(|(key, root)| {
        let [a, b] = root.to_le_bytes();
        key.to_le_bytes().into_iter().chain([a, b, 0, 0])
    });
    let nodes = trie.nodes.iter().map(node_record).collect::<Option<Vec<_>>>()?;
    let ends = trie.ends.iter().flat_map(|end| {
        let [a, b] = (end.id as u16).to_le_bytes();
        [a, b, end.len as u8, end.position].into_iter().chain(end.class.to_le_bytes())
    });
    let records = parts.iter().flat_map(|part| {
        let [a, b] = (part.slot as u16).to_le_bytes();
        let after = part.after as u8 | u8::from(part.is_close) << 7;
        [part.class as u8, part.before as u8, after, part.step as u8, a, b]
    });
    Some([
        trie.heads.iter().flat_map(|head| head.to_le_bytes()).collect(),
        trie.pairs,
        roots.collect(),
        nodes.concat(),
        trie.keys,
        ends.collect(),
        trie.labels,
        records.collect(),
    ])
}

fn node_record(node: &Node) -> Option<[u8; 24]> {
    let mut record = [0; 24];
    let [a, b, c, 0] = u32::try_from(node.label.0).ok()?.to_le_bytes() else { return None };
    record[..8].copy_from_slice(&node.next.to_le_bytes());
    record[8..12].copy_from_slice(&(node.classes | u32::from(node.positions) << 28).to_le_bytes());
    record[12..15].copy_from_slice(&[a, b, c]);
    record[15] = u8::try_from(node.label.1).ok()?;
    record[16..18].copy_from_slice(&(node.children.0 as u16).to_le_bytes());
    record[18..20].copy_from_slice(&(node.ends.0 as u16).to_le_bytes());
    record[20] = u8::try_from(node.children.1).ok()?;
    record[21] = u8::try_from(node.ends.1).ok()?;
    Some(record)
}

impl Trie {
    fn new(parts: &[&Part], classes: usize) -> Self {
        let class_of = |part: &Part| match part.step {
            Step::Only | Step::First => 1 << part.class,
            Step::Middle | Step::Last => 1 << (classes + part.class),
        };
        let listed = parts.iter().enumerate().map(|(id, part)| Listed {
            text: &part.text,
            end: End { id, len: part.text.len(), class: class_of(part), position: position(part) },
        });
        let mut sorted: Vec<Listed<'_>> = listed.collect();
        sorted.sort_unstable_by_key(|listed| (listed.text, listed.end.id));
        let (long, short): (Vec<_>, Vec<_>) =
            sorted.into_iter().partition(|listed| listed.text.len() >= HEAD);
        let mut trie = Trie {
            heads: vec![0; 1 << HEAD_BITS],
            pairs: vec![0; 1 << 16],
            roots: vec![(0, 0); 1 << ROOT_BITS],
            nodes: vec![Node::default()],
            keys: vec![0],
            ends: Vec::new(),
            labels: Vec::new(),
        };
        let mut to_do = VecDeque::new();
        for same in long.chunk_by(|a, b| a.text[..HEAD] == b.text[..HEAD]) {
            let head = u32::from_le_bytes([0, 1, 2, 3].map(|at| same[0].text[at]));
            let root = trie.add_root(head, &[], same, HEAD);
            to_do.push_back((root, same, HEAD));
            let Node { classes: found, positions, .. } = trie.nodes[root];
            let later = u16::from(found >> classes != 0) << LATER;
            trie.heads[hash(head, HEAD_BITS)] |=
                u16::from(positions) << 12 | later | found as u16 & ((1 << classes) - 1);
        }
        for same in short.chunk_by(|a, b| a.text[0] == b.text[0]) {
            let (singles, longer) = same.split_at(same.partition_point(|listed| listed.text.len() == 1));
            let first = same[0].text[0];
            for second in 0..=u8::MAX {
                let start = longer.partition_point(|listed| listed.text[1] < second);
                let end = longer.partition_point(|listed| listed.text[1] <= second);
                let same = &longer[start..end];
                if singles.is_empty() && same.is_empty() {
                    continue;
                }
                let root = trie.add_root(pair_key(first, second), singles, same, 2);
                to_do.push_back((root, same, 2));
                let Node { classes: found, positions, .. } = trie.nodes[root];
                let pair = &mut trie.pairs[usize::from(u16::from_le_bytes([first, second]))];
                *pair |= if found & ((1 << classes) - 1) != 0 { positions } else { 0 };
                *pair |= if found >> classes != 0 { positions << 4 } else { 0 };
            }
        }
        while let Some((node, same, depth)) = to_do.pop_front() {
            trie.add_children(node, same, depth, &mut to_do);
        }
        trie
    }

    /// Adds the node of parts that begin with the same `depth` characters, or are the first of them; returns its index.
    fn add_root(&mut self, key: u32, singles: &[Listed<'_>], same: &[Listed<'_>], depth: usize) -> usize {
        let root = self.nodes.len();
        let start = self.ends.len();
        let ended = same.iter().filter(|listed| listed.text.len() == depth);
        self.ends.extend(singles.iter().chain(ended).map(|listed| listed.end));
        let all = || singles.iter().chain(same).map(|listed| listed.end);
        let classes = all().fold(0, |classes, end| classes | end.class);
        let positions = all().fold(0, |positions, end| positions | end.position);
        let ends = (start, self.ends.len() - start);
        self.nodes.push(Node { classes, positions, ends, ..Node::default() });
        self.keys.push(0);
        let mut slot = hash(key, ROOT_BITS);
        while self.roots[slot].1 != 0 {
            slot = (slot + 1) % self.roots.len();
        }
        self.roots[slot] = (key, root as u16);
        root
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
        for same in same[ended..].chunk_by(|a, b| a.text[depth] == b.text[depth]) {
            let (first, last) = (same[0].text, same[same.len() - 1].text);
            let common = first.iter().zip(last).take_while(|(a, b)| a == b).count();
            let (label, end) = (self.labels.len(), self.ends.len());
            self.labels.extend_from_slice(&first[depth + 1..common]);
            self.ends.extend(same.iter().filter(|it| it.text.len() == common).map(|it| it.end));
            next |= bit_of(first[depth]);
            to_do.push_back((self.nodes.len(), same, common));
            self.keys.push(first[depth]);
            self.nodes.push(Node {
                classes: same.iter().fold(0, |classes, listed| classes | listed.end.class),
                positions: same.iter().fold(0, |positions, listed| positions | listed.end.position),
                label: (label, self.labels.len() - label),
                ends: (end, self.ends.len() - end),
                ..Node::default()
            });
        }
        self.nodes[node].next = next;
        self.nodes[node].children = (start, self.nodes.len() - start);
    }
}
