//! Text under way to tokens: what is still to come, and what was cut from it.

use super::hash::{fold, hash_until};
use super::pieces::find;

/// Text that is still to come.
#[derive(Clone, Copy, Default)]
pub(super) struct Cursor<'d> {
    pub(super) text: &'d str,
    pub(super) seed: u64,
}

impl<'d> Cursor<'d> {
    #[inline(always)]
    pub(super) fn starts_with(&self, byte: u8) -> bool {
        self.text.as_bytes().first() == Some(&byte)
    }

    /// Cuts the next line, with its hash.
    #[inline(always)]
    pub(super) fn line(&mut self) -> Option<Hashed<'d>> {
        self.cut::<b'\n'>()
    }

    /// Cuts what stands before the next `END`, or before the end of the line.
    #[inline(always)]
    pub(super) fn cut<const END: u8>(&mut self) -> Option<Hashed<'d>> {
        let (hash, end) = hash_until::<END>(self.seed, self.text.as_bytes());
        let text = self.text.get(..end)?;
        self.text = self.text.get(end.saturating_add(1)..)?;
        Some(Hashed { text, hash })
    }

    /// Cuts what stands before a byte.
    #[inline(always)]
    pub(super) fn skip(&mut self, byte: u8) -> Option<&'d str> {
        let end = find(self.text.as_bytes(), byte)?;
        let text = self.text.get(..end)?;
        self.text = self.text.get(end.saturating_add(1)..)?;
        Some(text)
    }

    /// Cuts the notes of the values of a place, which follow each other, and tells whether some are of leaves.
    #[inline(always)]
    pub(super) fn notes_of(&mut self, place: u8) -> Option<(&'d str, bool)> {
        let (mut length, mut has_leaves) = (0_usize, false);
        let mut rest = self.text;
        while let [b':', there, sign, ..] = rest.as_bytes()
            && *there == place
        {
            has_leaves |= *sign != b' ';
            let line = find(rest.as_bytes(), b'\n')?.saturating_add(1);
            rest = rest.get(line..)?;
            length = length.saturating_add(line);
        }
        let notes = self.text.get(..length)?;
        self.text = rest;
        Some((notes, has_leaves))
    }
}

/// A text and its hash.
#[derive(Clone, Copy, Default)]
pub(super) struct Hashed<'d> {
    pub(super) text: &'d str,
    pub(super) hash: u64,
}

impl Hashed<'_> {
    /// The hash of both texts; that of the first where there is no second.
    #[inline(always)]
    pub(super) fn with(self, note: Self) -> u64 {
        if note.text.is_empty() { self.hash } else { fold(self.hash, note.hash) }
    }
}
