//! Header lines that came before, with what the document said of them.
//!
//! Clients send the same lines over and over: the same `user-agent`, the same lists of what they
//! accept. A line that tells nothing of its request and takes nothing from it (it holds no secret,
//! frames nothing, is no repeat) is written once and then copied. [`Memo`] is bounded: a fixed number
//! of lines of a fixed size, where a new line takes the place of an old one.

#![allow(clippy::arithmetic_side_effects, reason = "lengths and offsets of slots, all below a megabyte")]

use std::cell::RefCell;
use std::fmt;

use crate::flags::{Flag, FlagSet};

/// How many lines are remembered: a power of two.
const SLOTS: usize = 512;
/// How many bytes a line and what is written of it may have together.
const SLOT_BYTES: usize = 768;
/// How many flags with a parameter a line may have.
const MOST_PARAMETERS: usize = 4;

/// A line that is remembered, for as long as the request lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(usize);

/// The parameter of a flag that a line raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// The header's own name, as shown.
    Name,
    Word(&'static str),
}

/// The first characters of a name, in lower case, in the order of names: names of the same rank may
/// still differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u128);

impl Rank {
    pub(crate) fn of(name: &[u8]) -> Self {
        let mut first = [0; 16];
        for (place, byte) in first.iter_mut().zip(name) {
            *place = byte.to_ascii_lowercase();
        }
        Rank(u128::from_be_bytes(first))
    }
}

/// What the document says of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Said {
    /// Flags without a parameter.
    pub(crate) plain: FlagSet,
    pub(crate) parameters: [Option<(Flag, Parameter)>; MOST_PARAMETERS],
    /// How long the name is, as shown.
    pub(crate) name_len: usize,
    /// What it adds to the length of all headers.
    pub(crate) len: usize,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    hash: u64,
    /// The request that used it last; what the present one uses stays.
    used: u64,
    line_len: usize,
    text_len: usize,
    rank: Rank,
    said: Said,
}

/// Remembered lines.
#[derive(Default)]
pub(crate) struct Memo {
    inner: RefCell<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Whose settings the texts were written by.
    owner: u64,
    request: u64,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
}

impl fmt::Debug for Memo {
    /// Without what is remembered: requests are nobody's business.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memo").finish_non_exhaustive()
    }
}

impl Memo {
    /// Begins another request. What was written by other settings is forgotten.
    pub(crate) fn begin(&mut self, owner: u64) {
        let inner = self.inner.get_mut();
        if inner.owner != owner {
            inner.owner = owner;
            inner.entries.clear();
            inner.entries.resize(SLOTS, Entry::default());
            inner.bytes.resize(SLOTS * SLOT_BYTES, 0);
        }
        inner.request += 1;
    }

    /// The slot of a line that came before.
    pub(crate) fn find(&self, line: &[u8]) -> Option<Slot> {
        let mut inner = self.inner.borrow_mut();
        let Inner { request, entries, bytes, .. } = &mut *inner;
        let hash = hash(line);
        let slot = slot_of(hash);
        let entry = entries.get_mut(slot)?;
        if entry.hash != hash || entry.line_len != line.len() {
            return None;
        }
        let start = slot * SLOT_BYTES;
        if bytes.get(start..start + line.len())? != line {
            return None;
        }
        entry.used = *request;
        Some(Slot(slot))
    }

    /// The place of its name among others.
    pub(crate) fn rank(&self, slot: Slot) -> Rank {
        self.inner.borrow().entries.get(slot.0).map(|entry| entry.rank).unwrap_or_default()
    }

    /// Shows what is remembered: the text of the whole line, and what it says.
    pub(crate) fn with<T>(&self, slot: Slot, show: impl FnOnce(&[u8], &Said) -> T) -> T {
        let inner = self.inner.borrow();
        let entry = inner.entries.get(slot.0).copied().unwrap_or_default();
        let start = slot.0 * SLOT_BYTES + entry.line_len;
        show(inner.bytes.get(start..start + entry.text_len).unwrap_or_default(), &entry.said)
    }

    /// Remembers a line, unless it is too long or in the way of another that is in use.
    pub(crate) fn keep(&self, line: &[u8], text: &[u8], said: Said) {
        let mut inner = self.inner.borrow_mut();
        let Inner { request, entries, bytes, .. } = &mut *inner;
        let hash = hash(line);
        let slot = slot_of(hash);
        let start = slot * SLOT_BYTES;
        let text_start = start + line.len();
        let Some(entry) = entries.get_mut(slot) else { return };
        if line.len() + text.len() > SLOT_BYTES || entry.used == *request {
            return;
        }
        if let Some(place) = bytes.get_mut(start..text_start) {
            place.copy_from_slice(line);
        }
        if let Some(place) = bytes.get_mut(text_start..text_start + text.len()) {
            place.copy_from_slice(text);
        }
        let rank = Rank::of(name_of(text, &said));
        *entry = Entry { rank, hash, used: *request, line_len: line.len(), text_len: text.len(), said };
    }
}

/// The name that the text of a line, `H:name=value`, shows.
pub(crate) fn name_of<'t>(text: &'t [u8], said: &Said) -> &'t [u8] {
    text.get(2..2 + said.name_len).unwrap_or_default()
}

impl Said {
    /// What a line with these flags says; `None` where that is more than is remembered.
    pub(crate) fn new(
        plain: FlagSet,
        parameters: impl Iterator<Item = (Flag, Parameter)>,
        name_len: usize,
        len: usize,
    ) -> Option<Self> {
        let mut said = Said { plain, name_len, len, ..Said::default() };
        let mut slots = said.parameters.iter_mut();
        for parameter in parameters {
            *slots.next()? = Some(parameter);
        }
        Some(said)
    }
}

/// Eight bytes at a time; collisions cost no more than a place.
fn hash(line: &[u8]) -> u64 {
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = line.len() as u64;
    let (chunks, rest) = line.as_chunks::<8>();
    for chunk in chunks {
        hash = (hash ^ u64::from_le_bytes(*chunk)).wrapping_mul(K).rotate_left(29);
    }
    let mut last = [0; 8];
    if let Some(place) = last.get_mut(..rest.len()) {
        place.copy_from_slice(rest);
    }
    (hash ^ u64::from_le_bytes(last)).wrapping_mul(K)
}

/// The upper bits: every byte of a line reaches them.
fn slot_of(hash: u64) -> usize {
    (hash >> (64 - SLOTS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_again_until_another_takes_its_place() {
        let mut memo = Memo::default();
        memo.begin(1);
        assert_eq!(memo.find(b"A: b"), None);
        let said = Said { name_len: 1, len: 4, ..Said::default() };
        memo.keep(b"A: b", b"H:a=b\n", said);
        memo.begin(1);
        let slot = memo.find(b"A: b").unwrap();
        memo.with(slot, |text, said| {
            assert_eq!((text, name_of(text, said), said.len), (&b"H:a=b\n"[..], &b"a"[..], 4));
        });
        assert_eq!(memo.find(b"A: c"), None);
        memo.begin(2);
        assert_eq!(memo.find(b"A: b"), None, "other settings");
    }

    #[test]
    fn what_a_request_uses_stays() {
        let mut memo = Memo::default();
        memo.begin(1);
        let lines: Vec<Vec<u8>> = (0..4 * SLOTS).map(|i| format!("X: {i}").into_bytes()).collect();
        for line in &lines {
            memo.keep(line, line, Said::default());
        }
        let kept: Vec<&Vec<u8>> = lines.iter().filter(|line| memo.find(line).is_some()).collect();
        assert!(kept.len() > SLOTS / 2 && kept.len() <= SLOTS);
        for line in kept {
            memo.with(memo.find(line).unwrap(), |text, _| assert_eq!(text, *line));
        }
        memo.keep(&[b'x'; 500], &[b'x'; 500], Said::default());
        assert_eq!(memo.find(&[b'x'; 500]), None, "too long");
    }
}
