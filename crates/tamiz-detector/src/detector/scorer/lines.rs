//! The cache of sections and lines: looked up when one begins, filled when one ends.

use super::places::FEW;
use super::{Loud, Scorer};
use crate::detector::Detector;
use crate::detector::cache::{Part, WEIGHTS};

/// A line under way, or the whole document where it is read as one.
#[derive(Default)]
pub(super) struct Line {
    /// Its key in the cache; none where the document is read as a whole.
    pub(super) key: u64,
    pub(super) kind: u8,
    pub(super) rarest: u32,
    /// The last place in it, and how many there are.
    pub(super) place: u64,
    pub(super) places: usize,
    /// Another part has the same place.
    pub(super) is_repeated: bool,
    pub(super) loud: Vec<Loud>,
}

/// A section under way: its key, and what there was before it.
#[derive(Default)]
pub(super) struct Section {
    pub(super) key: u64,
    pub(super) rarest: u32,
    pub(super) new: u64,
    pub(super) unusual: usize,
    pub(super) flags: usize,
    pub(super) places: usize,
}

impl Scorer<'_> {
    /// Begins a line, unless it is in the cache.
    #[inline(always)]
    pub(super) fn begin(&mut self, key: u64, kind: u8) -> Option<Part> {
        self.is_shape_certain = false;
        // A reason names the endpoint, which the cache keeps by its number alone.
        let is_asked = kind != b'e' || self.texts.is_none();
        if let Some((part, weights)) = self.detector.cache.get(key).filter(|_| is_asked) {
            if part.is_quiet() {
                self.rarest = self.rarest.max(part.surprise);
                return Some(part);
            }
            if self.texts.is_none() {
                self.rarest = self.rarest.max(part.surprise);
                self.new += u64::from(part.new);
                let mut weights = weights.iter();
                self.unusual.extend(weights.by_ref().take(part.unusual.into()));
                self.flags.extend(weights);
                self.note_once(kind, key);
                return Some(part);
            }
        }
        self.begin_line(key, kind);
        None
    }

    pub(super) fn begin_line(&mut self, key: u64, kind: u8) {
        self.is_shape_certain = false;
        let rarest = std::mem::take(&mut self.rarest);
        (self.line.key, self.line.kind, self.line.rarest) = (key, kind, rarest);
        (self.line.place, self.line.places, self.line.is_repeated) = (0, 0, false);
    }

    /// Begins a section, unless it is in the cache; whether it is.
    #[inline(always)]
    pub(super) fn begin_section(&mut self, kind: u8, hash: u64) -> bool {
        let key = self.detector.cache.key(self.of_endpoint, kind, hash);
        if let Some((part, weights)) = self.detector.cache.get(key)
            && (part.is_quiet() || self.texts.is_none())
        {
            self.rarest = self.rarest.max(part.surprise);
            self.places.others += part.place;
            if !part.is_quiet() {
                self.new += u64::from(part.new);
                let mut weights = weights.iter();
                self.unusual.extend(weights.by_ref().take(part.unusual.into()));
                self.flags.extend(weights);
            }
            return true;
        }
        let rarest = std::mem::take(&mut self.rarest);
        self.section = Section {
            key,
            rarest,
            new: self.new,
            unusual: self.unusual.len(),
            flags: self.flags.len(),
            places: self.places.own(),
        };
        false
    }

    /// Puts a section that has come to its end into the cache. The places of a section are not those of another.
    pub(super) fn cache_section(&mut self) {
        let surprise = self.rarest;
        self.rarest = surprise.max(self.section.rarest);
        let is_certain = !self.is_repeated && !self.is_ambiguous;
        if !is_certain || self.texts.is_some() {
            return;
        }
        let unusual = self.unusual.get(self.section.unusual..).unwrap_or_default();
        let flags = self.flags.get(self.section.flags..).unwrap_or_default();
        let place = (self.places.own() - self.section.places) as u64;
        self.detector.cache_part(
            self.section.key,
            surprise,
            self.new - self.section.new,
            (unusual, flags),
            place,
        );
    }

    /// A place may have the same flag noted twice, if it is the leaf of a value and another key.
    fn note_once(&mut self, kind: u8, key: u64) {
        if kind == b'n' {
            self.is_repeated |= self.notes.len() >= FEW || self.notes.contains(&key);
            self.notes.push(key);
        }
    }

    /// Ends a part, whose place is this if it has none of its own.
    pub(super) fn end_part(&mut self, place: u64) {
        let mut loud = std::mem::take(&mut self.line.loud);
        loud.sort_unstable();
        loud.dedup();
        let surprise = self.rarest;
        self.rarest = surprise.max(self.line.rarest);
        let (unusual, flags) = (self.unusual.len(), self.flags.len());
        let mut new = 0_u64;
        for token in &loud {
            new += u64::from(token.is_new);
            self.unusual.extend(token.unusual);
            self.flags.extend(token.flag);
        }
        self.new += new;
        if !loud.is_empty() {
            self.is_repeated |= self.line.is_repeated;
            self.note_once(self.line.kind, self.line.key);
        }
        loud.clear();
        self.line.loud = loud;
        if self.line.key == 0 || self.line.places > 1 || self.is_ambiguous || self.texts.is_some() {
            return;
        }
        let weights =
            (self.unusual.get(unusual..).unwrap_or_default(), self.flags.get(flags..).unwrap_or_default());
        let place = if self.line.places == 0 { place } else { self.line.place };
        self.detector.cache_part(self.line.key, surprise, new, weights, place);
    }
}

impl Detector {
    /// Puts a part of a request into the cache, if it has few weights.
    pub(super) fn cache_part(
        &self,
        key: u64,
        surprise: u32,
        new: u64,
        (unusual, flags): (&[u64], &[u64]),
        place: u64,
    ) {
        let mut weights = [0; WEIGHTS];
        let count = unusual.len() + flags.len();
        if let (Some(to), Ok(new)) = (weights.get_mut(..count), u16::try_from(new)) {
            to.iter_mut().zip(unusual.iter().chain(flags)).for_each(|(to, weight)| *to = *weight);
            let part = Part { surprise, new, unusual: unusual.len() as u8, flags: flags.len() as u8, place };
            self.cache.set(key, part, to);
        }
    }
}
