//! Signs that well-known tokens are found by: those behind the gap that a family begins with, and those of heads that begin
//! with no letter.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use crate::bytes::{self, ALNUM, B64URL_MARK, DOT};
use crate::lists::CREDENTIAL_PREFIXES;
use crate::steps;

/// The characters of a leading gap that a sign follows.
const IN_GAPS: u32 = ALNUM | B64URL_MARK | DOT;

/// The anchor of a family that begins with a gap: a sign, and a byte at a fixed distance behind it.
#[derive(Clone, Copy)]
pub(super) struct Anchor {
    sign: u8,
    /// The byte right before the sign; zero where a gap ends there.
    before: u8,
    /// The shortest length of the leading gaps.
    least: usize,
    /// How far behind the leading gaps the sign is.
    pub(super) offset: usize,
    /// How far behind the sign the byte is.
    distance: usize,
    byte: u8,
}

impl Anchor {
    /// Reads the head of a row.
    const fn new(head: &[u8]) -> Self {
        let mut anchor = Anchor { sign: 0, before: 0, least: 0, offset: 0, distance: 0, byte: 0 };
        // The place behind the leading gaps, and in the head.
        let (mut place, mut at) = (0, 0);
        let mut is_leading = true;
        while at < head.len() {
            if head[at] == b'{' {
                let (mut len, mut least, mut has_len) = (0, usize::MAX, false);
                while head[at] != b'}' {
                    if has_len && head[at] == b'-' {
                        least = len;
                    }
                    has_len |= head[at] == b':';
                    len = if head[at].is_ascii_digit() { len * 10 + (head[at] - b'0') as usize } else { 0 };
                    at += 1;
                    assert!(is_leading || head[at] != b'-', "a gap inside a head has one length");
                }
                assert!(is_leading || has_len, "a gap inside a head has a length");
                if is_leading {
                    anchor.least += if least < len { least } else { len };
                } else {
                    place += len;
                }
            } else {
                is_leading = false;
                if anchor.sign == 0 && !head[at].is_ascii_alphanumeric() {
                    anchor.sign = head[at];
                    anchor.before = if place > 0 { head[at - 1] } else { 0 };
                    anchor.offset = place;
                }
                if anchor.sign != 0 {
                    anchor.distance = place - anchor.offset;
                    anchor.byte = head[at];
                }
                place += 1;
            }
            at += 1;
        }
        assert!(anchor.sign != 0, "a head that begins with a gap has a sign");
        anchor
    }

    /// Returns whether the sign is `byte` at `at`, with its neighbours.
    #[inline]
    pub(super) fn is_at(self, text: &[u8], at: usize, byte: u8) -> bool {
        self.sign == byte
            && text.get(at + self.distance) == Some(&self.byte)
            && at >= self.offset + self.least
            && if self.before == 0 {
                let is_in_gap = |back: usize| {
                    let byte = at.checked_sub(back).and_then(|at| text.get(at));
                    byte.is_some_and(|byte| bytes::is(*byte, IN_GAPS))
                };
                (1..=self.least).all(is_in_gap)
            } else {
                at.checked_sub(1).and_then(|at| text.get(at)) == Some(&self.before)
            }
    }
}

pub(super) const GAPPED: usize = {
    let (mut count, mut row) = (0, 0);
    while row < CREDENTIAL_PREFIXES.len() {
        count += (CREDENTIAL_PREFIXES[row].0.as_bytes()[0] == b'{') as usize;
        row += 1;
    }
    count
};

/// The anchors of the families that begin with a gap, in the order of their rows.
pub(super) const ANCHORS: [Anchor; GAPPED] = {
    let mut anchors = [Anchor { sign: 0, before: 0, least: 0, offset: 0, distance: 0, byte: 0 }; GAPPED];
    let (mut count, mut row) = (0, 0);
    while row < CREDENTIAL_PREFIXES.len() {
        let head = CREDENTIAL_PREFIXES[row].0.as_bytes();
        if head[0] == b'{' {
            anchors[count] = Anchor::new(head);
            count += 1;
        }
        row += 1;
    }
    anchors
};

/// Returns whether a byte is the sign of a family that begins with a gap.
#[inline]
pub(crate) const fn is_anchor(byte: u8) -> bool {
    let mut nth = 0;
    while nth < GAPPED {
        if ANCHORS[nth].sign == byte {
            return true;
        }
        nth += 1;
    }
    false
}

/// No token that begins with a gap is shorter than this, nor of so many bytes.
pub(crate) const SHORTEST_ANCHORED: usize = {
    let (mut shortest, mut row, mut nth) = (usize::MAX, 0, 0);
    while row < CREDENTIAL_PREFIXES.len() {
        let (head, _, lengths) = CREDENTIAL_PREFIXES[row];
        if head.as_bytes()[0] == b'{' {
            let Anchor { least, offset, distance, .. } = ANCHORS[nth];
            let len = least + offset + distance + 1 + least_number(lengths.as_bytes());
            shortest = if len < shortest { len } else { shortest };
            nth += 1;
        }
        row += 1;
    }
    shortest
};

/// The first number in a text.
const fn least_number(text: &[u8]) -> usize {
    let (mut number, mut at) = (0, 0);
    while at < text.len() && (number == 0 || text[at].is_ascii_digit()) {
        if text[at].is_ascii_digit() {
            number = number * 10 + (text[at] - b'0') as usize;
        }
        at += 1;
    }
    number
}

/// Returns whether the sign at `at` may be inside a token that begins with a gap.
#[inline]
pub(crate) fn may_be_anchored(text: &[u8], at: usize, byte: u8) -> bool {
    steps::slow("token anchor compared");
    ANCHORS.iter().any(|anchor| anchor.is_at(text, at, byte))
}

/// The first sign of a head that begins with a sign or a digit.
#[derive(Clone, Copy)]
struct HeadSign {
    sign: u8,
    /// The byte behind it.
    next: u8,
    /// How far behind the beginning of the head it is.
    offset: usize,
}

/// How many heads begin with a sign or a digit.
const SIGNED: usize = {
    let (mut count, mut row) = (0, 0);
    while row < CREDENTIAL_PREFIXES.len() {
        let first = CREDENTIAL_PREFIXES[row].0.as_bytes()[0];
        count += (!first.is_ascii_alphabetic() && first != b'{') as usize;
        row += 1;
    }
    count
};

const HEAD_SIGNS: [HeadSign; SIGNED] = {
    let mut signs = [HeadSign { sign: 0, next: 0, offset: 0 }; SIGNED];
    let (mut count, mut row) = (0, 0);
    while row < CREDENTIAL_PREFIXES.len() {
        let head = CREDENTIAL_PREFIXES[row].0.as_bytes();
        if !head[0].is_ascii_alphabetic() && head[0] != b'{' {
            let mut at = 0;
            while head[at].is_ascii_alphanumeric() {
                at += 1;
            }
            assert!(at < 2 && head[at + 1] != b'{', "a sign and what is behind it tell such a head");
            signs[count] = HeadSign { sign: head[at], next: head[at + 1], offset: at };
            count += 1;
        }
        row += 1;
    }
    signs
};

/// Returns whether a head that does not begin with a letter has this sign first.
pub(crate) const fn is_head_sign(byte: u8) -> bool {
    let mut nth = 0;
    while nth < SIGNED {
        if HEAD_SIGNS[nth].sign == byte {
            return true;
        }
        nth += 1;
    }
    false
}

/// Returns whether the byte may be right behind the sign of a family that begins with a gap.
pub(crate) const fn may_follow_anchor(next: u8) -> bool {
    next.is_ascii_alphanumeric() || matches!(next, b'-' | b'_' | b'.' | b'~')
}

/// Returns whether a head that does not begin with a letter has this byte behind its first sign.
pub(crate) const fn may_follow_head_sign(next: u8) -> bool {
    let mut nth = 0;
    while nth < SIGNED {
        if HEAD_SIGNS[nth].next == next {
            return true;
        }
        nth += 1;
    }
    false
}

/// Where a head that does not begin with a letter may begin, by the sign at `at` and the byte behind it.
pub(crate) fn head_around(at: usize, byte: u8, next: u8) -> Option<usize> {
    let is_it = |head: &&HeadSign| head.sign == byte && head.next == next;
    HEAD_SIGNS.iter().find(is_it).and_then(|head| at.checked_sub(head.offset))
}
