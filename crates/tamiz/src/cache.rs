//! A cache of header lines that came before, with the `H:` lines written for them.
//!
//! Clients send the same `user-agent` and the same lists of what they accept over and over. A line is admitted when it
//! comes for the second time, if its `H:` line is the same in any request: it holds no secret, and no other header has
//! its name. The cache has a fixed number of slots of a fixed size; a new line takes the slot that was used least lately.

#![allow(clippy::arithmetic_side_effects, reason = "lengths and offsets of slots, all below a megabyte")]

use std::cell::RefCell;
use std::fmt;

use bumpalo::Bump;

use crate::finished::{Finished, NO_WORDS, Record, Words};

/// How many lines are kept: a power of two.
const SLOTS: usize = 512;
/// How many bytes a line and its text may have together.
const SLOT_BYTES: usize = 512;
/// How many slots a line may be in.
const WAYS: usize = 4;
/// The upper bits of a hash choose a set of slots.
const SHIFT: u32 = u64::BITS - (SLOTS / WAYS).ilog2();
/// How many hashes of lines that came once are kept.
const CAME: usize = SLOTS * 4;

/// Header lines that came before.
#[derive(Default)]
pub(crate) struct Cache {
    inner: RefCell<Inner>,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    /// The settings that the text was written by; zero where nothing is kept.
    owner: u64,
    /// The request that used it last; what the present one uses stays.
    used: u64,
    line_len: u16,
    record: Record,
    words: Words,
}

#[derive(Default)]
struct Inner {
    /// The settings of the present request.
    owner: u64,
    request: u64,
    /// The hash of the line in each slot, by sets; zero where none is.
    hashes: Vec<[u64; WAYS]>,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    /// A part of the hash of each line that came lately, by another part of it.
    came: Vec<u16>,
}

impl fmt::Debug for Cache {
    /// Shows nothing of what is kept: it is content of requests.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").finish_non_exhaustive()
    }
}

impl Inner {
    /// Takes all the memory it will ever have.
    fn make_room(&mut self) {
        if self.entries.is_empty() {
            self.hashes.resize(SLOTS / WAYS, [0; WAYS]);
            self.entries.resize(SLOTS, Entry::default());
            self.bytes.resize(SLOTS * SLOT_BYTES, 0);
            self.came.resize(CAME, 0);
        }
    }

    /// Finds the slot of a line; the present request uses it then.
    #[inline(always)]
    fn find(&mut self, line: &[u8], hash: u64) -> Option<(usize, &Record)> {
        let set = (hash >> SHIFT) as usize;
        let way = self.hashes.get(set)?.iter().position(|other| *other == hash)?;
        let slot = set * WAYS + way;
        let entry = self.entries.get_mut(slot)?;
        let start = slot * SLOT_BYTES;
        let is_it = usize::from(entry.line_len) == line.len()
            && entry.owner == self.owner
            && self.bytes.get(start..start + line.len())? == line;
        entry.used = if is_it { self.request } else { entry.used };
        is_it.then_some((slot, &entry.record))
    }
}

impl Cache {
    /// The number of bytes that it holds.
    #[cfg(test)]
    pub(crate) fn allocated(&self) -> usize {
        let inner = self.inner.borrow();
        inner.bytes.capacity()
            + inner.entries.capacity() * size_of::<Entry>()
            + inner.hashes.capacity() * size_of::<[u64; WAYS]>()
            + inner.came.capacity() * size_of::<u16>()
    }

    /// Begins another request. Lines written by other settings are not found.
    pub(crate) fn begin(&mut self, owner: u64) {
        let inner = self.inner.get_mut();
        inner.owner = owner;
        inner.request += 1;
    }

    /// Finds a line that was admitted, by its hash: its slot, and what is known of it.
    #[inline(always)]
    pub(crate) fn find(&self, line: &[u8], hash: u64) -> Option<(usize, Record)> {
        self.inner.borrow_mut().find(line, hash).map(|(slot, record)| (slot, *record))
    }

    /// Takes a line that was found in a slot by the present request; appends its text to `texts`.
    #[inline(always)]
    pub(crate) fn get<'a>(
        &self,
        slot: usize,
        line: &'a [u8],
        texts: &mut Vec<u8>,
        bump: &'a Bump,
    ) -> Option<Finished<'a>> {
        let inner = self.inner.borrow();
        let Entry { record, words, .. } = inner.entries.get(slot)?;
        let text_start = slot * SLOT_BYTES + line.len();
        let text = inner.bytes.get(text_start..text_start + record.text_len as usize)?;
        let start = u32::try_from(texts.len()).ok()?;
        texts.extend_from_slice(text);
        let words = if words[0].is_none() { &NO_WORDS } else { &*bump.alloc(*words) };
        Some(Finished { line, words, start, record: *record })
    }

    /// Returns whether a line came before, lately; only such a line is worth a slot.
    pub(crate) fn admits(&self, hash: u64) -> bool {
        let mut inner = self.inner.borrow_mut();
        inner.make_room();
        let part = (hash >> 36) as u16 | 1;
        let place = (hash >> 20) as usize & (CAME - 1);
        inner.came.get_mut(place).is_some_and(|came| std::mem::replace(came, part) == part)
    }

    /// Keeps a line, whose text is in `texts`, unless it is too long or its slots are all used by the present request.
    pub(crate) fn keep(&self, finished: &Finished<'_>, hash: u64, texts: &[u8]) {
        let Finished { line, record, .. } = *finished;
        let text = finished.text(texts);
        if line.len() + text.len() > SLOT_BYTES {
            return;
        }
        let mut inner = self.inner.borrow_mut();
        inner.make_room();
        let Inner { owner, request, hashes, entries, bytes, .. } = &mut *inner;
        let set = (hash >> SHIFT) as usize;
        let used = |way: &usize| entries.get(set * WAYS + way).map_or(u64::MAX, |entry| entry.used);
        let way = (0..WAYS).min_by_key(used).unwrap_or_default();
        let slot = set * WAYS + way;
        let start = slot * SLOT_BYTES;
        let Some(entry) = entries.get_mut(slot).filter(|entry| entry.used != *request) else { return };
        let text_start = start + line.len();
        if let Some(place) = bytes.get_mut(start..text_start) {
            place.copy_from_slice(line);
        }
        if let Some(place) = bytes.get_mut(text_start..text_start + text.len()) {
            place.copy_from_slice(text);
        }
        let words = *finished.words;
        *entry = Entry { owner: *owner, used: *request, line_len: line.len() as u16, record, words };
        if let Some(place) = hashes.get_mut(set).and_then(|set| set.get_mut(way)) {
            *place = hash;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::hash::hash;

    fn finished<'a>(line: &'a [u8], text: &[u8]) -> Finished<'a> {
        let record = Record { text_len: text.len() as u32, ..Record::default() };
        Finished { line, words: &NO_WORDS, start: 0, record }
    }

    fn get(cache: &Cache, line: &[u8]) -> Option<Vec<u8>> {
        let (mut texts, bump) = (b"before".to_vec(), Bump::new());
        let (slot, _) = cache.find(line, hash(line))?;
        cache.get(slot, line, &mut texts, &bump).map(|found| found.text(&texts).to_vec())
    }

    fn keep(cache: &Cache, line: &[u8], text: &[u8]) {
        cache.keep(&finished(line, text), hash(line), text);
    }

    #[test]
    fn lines_are_found_by_whoever_wrote_them() {
        let mut cache = Cache::default();
        cache.begin(1);
        let (line, text) = (b"a: b", b"H:a=b\n");
        assert!(get(&cache, line).is_none());
        keep(&cache, line, text);
        assert_eq!(get(&cache, line), Some(text.to_vec()));
        assert!(get(&cache, b"a: c").is_none());
        cache.begin(2);
        assert!(get(&cache, line).is_none());
    }

    #[test]
    fn lines_are_admitted_the_second_time() {
        let mut cache = Cache::default();
        cache.begin(1);
        assert!(!cache.admits(hash(b"a: b")));
        assert!(cache.admits(hash(b"a: b")));
        assert!(!cache.admits(hash(b"a: c")));
    }

    #[test]
    fn what_the_present_request_uses_stays() {
        let mut cache = Cache::default();
        cache.begin(1);
        let lines: Vec<Vec<u8>> = (0..SLOTS * 4).map(|n| format!("x-{n}: y").into_bytes()).collect();
        for line in &lines {
            keep(&cache, line, b"");
        }
        let kept = lines.iter().filter(|line| get(&cache, line).is_some()).count();
        assert!(kept <= SLOTS);
        for line in &lines {
            keep(&cache, line, b"");
        }
        assert_eq!(lines.iter().filter(|line| get(&cache, line).is_some()).count(), kept);
        let long = vec![b'x'; SLOT_BYTES + 1];
        keep(&cache, &long, b"");
        assert!(get(&cache, &long).is_none());
    }
}
