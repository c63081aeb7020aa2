//! The header lines that nearly all clients send, with the `H:` lines that one configuration writes for them.
//!
//! They are finished before the second request that a canonicalizer reads. A line is found by its length and its ends, so
//! that looking for one that is not in the table costs next to nothing.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "lengths and offsets of lines in one table, far below a gigabyte"
)]

use std::fmt;

use crate::finished::{Finished, Record};

/// Lines of which most are sent by many clients. Some of them are finished in no configuration, and have no place then.
const LINES: &str = include_str!("common_lines.txt");

/// The number of slots, as a power of two.
const BITS: u32 = 11;
/// The number of lines: there are several slots for each.
const MOST: usize = 1 << (BITS - 2);
/// The bit that tells upper case from lower case.
const CASE: u8 = 0x20;

/// Common header lines, finished.
#[derive(Clone, Default)]
pub(crate) struct CommonLines {
    /// Part of the hash of each line, above its place among the entries, from one on; zero where none is.
    slots: Vec<u32>,
    entries: Vec<CommonLine>,
    /// The lines, eight bytes at a time, with the bits of these in which no spelling differs. Each has its last eight bytes first.
    eights: Vec<[u64; 2]>,
    /// The texts of all, and something behind them.
    texts: Vec<u8>,
}

/// A common header line.
#[derive(Clone, Copy)]
pub(crate) struct CommonLine {
    /// Where it begins in the bytes of all lines.
    eights: u32,
    len: u32,
    /// Where its text begins.
    text: u32,
    pub(crate) record: Record,
}

/// Shorter texts are copied in one piece of this length.
const PIECE: usize = 64;

impl fmt::Debug for CommonLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommonLines").field("count", &self.entries.len()).finish_non_exhaustive()
    }
}

/// The lines to finish for a configuration.
pub(crate) fn lines() -> impl Iterator<Item = &'static str> {
    LINES.lines().filter(|line| !line.starts_with('#'))
}

impl CommonLines {
    /// Adds a line whose name has a rule, and is thus written alike however it is spelt.
    pub(crate) fn add(&mut self, finished: &Finished<'_>, texts: &[u8]) {
        let Finished { line, record, .. } = *finished;
        let Some(Key { hash, last }) = Key::of(line).filter(|_| self.entries.len() < MOST) else { return };
        self.slots.resize(1 << BITS, 0);
        let eights = self.eights.len() as u32;
        let name_len = usize::from(record.name_len);
        let is_letter = |at: usize| at < name_len && line.get(at).is_some_and(u8::is_ascii_alphabetic);
        let bits = |start: usize| {
            u64::from_le_bytes(std::array::from_fn(|at| if is_letter(start + at) { !CASE } else { u8::MAX }))
        };
        self.eights.push([last, bits(line.len() - 8)]);
        let (chunks, _) = line.as_chunks();
        self.eights
            .extend(chunks.iter().zip(0..).map(|(eight, nth)| [u64::from_le_bytes(*eight), bits(nth * 8)]));
        self.texts
            .truncate(self.entries.last().map_or(0, |last| (last.text + last.record.text_len) as usize));
        let text = self.texts.len() as u32;
        self.texts.extend_from_slice(finished.text(texts));
        self.texts.extend_from_slice(&[0; PIECE]);
        self.entries.push(CommonLine { eights, len: line.len() as u32, text, record });
        let mut at = first_slot(hash);
        while self.slots.get(at).is_some_and(|slot| *slot != 0) {
            at = slot_after(at);
        }
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = hash as u32 & TAG | self.entries.len() as u32;
        }
    }

    /// Finds a line.
    #[inline(always)]
    pub(crate) fn find(&self, line: &[u8]) -> Option<&CommonLine> {
        let Key { hash, last } = Key::of(line)?;
        let mut at = first_slot(hash);
        loop {
            let slot = *self.slots.get(at)?;
            if (slot ^ hash as u32) & TAG == 0
                && let Some(entry) = self.entries.get((slot & !TAG).wrapping_sub(1) as usize)
                && entry.len as usize == line.len()
                && self.is_line(entry, line, last)
            {
                return Some(entry);
            }
            if slot == 0 {
                return None;
            }
            at = slot_after(at);
        }
    }

    /// Returns whether a line, whose length is that of an entry, is it in any spelling of its name. `last` are its last eight bytes.
    #[inline(always)]
    fn is_line(&self, entry: &CommonLine, line: &[u8], last: u64) -> bool {
        let (chunks, _) = line.as_chunks();
        let start = entry.eights as usize;
        let eights = self.eights.get(start..start + 1 + chunks.len()).unwrap_or_default();
        let Some(([known, bits], eights)) = eights.split_first() else { return false };
        let mut differences = (known ^ last) & bits;
        for (chunk, [known, bits]) in chunks.iter().zip(eights) {
            differences |= (known ^ u64::from_le_bytes(*chunk)) & bits;
        }
        differences == 0
    }

    /// Writes the text of a line.
    #[inline(always)]
    pub(crate) fn write(&self, line: &CommonLine, out: &mut Vec<u8>) {
        let (start, len) = (line.text as usize, line.record.text_len as usize);
        match self.texts.get(start..).and_then(|rest| rest.first_chunk::<PIECE>()) {
            Some(piece) if len <= PIECE => {
                let end = out.len() + len;
                out.extend_from_slice(piece);
                out.truncate(end);
            }
            _ => out.extend_from_slice(self.texts.get(start..start + len).unwrap_or_default()),
        }
    }
}

/// The bits of a slot that are of a hash.
const TAG: u32 = 0xFFFF_0000;

/// The key of a line in the table.
struct Key {
    /// Of its length and its ends, in any case; the upper bits are the best.
    hash: u64,
    /// Its last eight bytes.
    last: u64,
}

impl Key {
    /// The key of a line; `None` of the shortest.
    #[inline(always)]
    fn of(line: &[u8]) -> Option<Self> {
        let cases = u64::from_le_bytes([CASE; 8]);
        let first = u64::from_le_bytes(*line.first_chunk()?) | cases;
        let last = u64::from_le_bytes(*line.last_chunk()?);
        let mixed = (first.rotate_left(25) ^ (last | cases)).wrapping_add(line.len() as u64);
        Some(Key { hash: mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15), last })
    }
}

/// The slot where a line is, or after which it is.
#[inline(always)]
fn first_slot(hash: u64) -> usize {
    (hash >> (u64::BITS - BITS)) as usize
}

#[inline(always)]
fn slot_after(at: usize) -> usize {
    (at + 1) % (1 << BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finished::NO_WORDS;

    #[test]
    fn lines_are_found_in_any_spelling_of_their_names() {
        let mut table = CommonLines::default();
        assert!(table.find(b"accept: */*").is_none());
        let lines: Vec<&str> = lines().filter(|line| line.len() >= 8).collect();
        for line in &lines {
            let name_len = line.find(':').unwrap() as u8;
            let record = Record { name_len, text_len: line.len() as u32, ..Record::default() };
            let finished = Finished { line: line.as_bytes(), words: &NO_WORDS, start: 0, record };
            table.add(&finished, line.as_bytes());
        }
        assert_eq!(table.entries.len(), lines.len());
        let text_of = |line: &[u8]| {
            let mut out = b"before".to_vec();
            table.find(line).inspect(|found| table.write(found, &mut out))?;
            Some(out.split_off(6))
        };
        for line in lines {
            let (name, value) = line.split_once(':').unwrap();
            for name in [name.to_owned(), name.to_lowercase(), name.to_uppercase()] {
                assert_eq!(text_of(format!("{name}:{value}").as_bytes()), Some(line.as_bytes().to_vec()));
            }
            for (at, byte) in line.bytes().enumerate() {
                for other in [byte ^ CASE, byte ^ 1, 0xFF] {
                    let mut spelt = line.as_bytes().to_vec();
                    spelt[at] = other;
                    let is_spelling = at < name.len() && other.eq_ignore_ascii_case(&byte);
                    assert_eq!(text_of(&spelt).is_some_and(|text| text == line.as_bytes()), is_spelling);
                }
            }
        }
    }
}
