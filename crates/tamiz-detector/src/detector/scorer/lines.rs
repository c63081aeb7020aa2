//! Sections and lines: looked up in the cache when one begins, weighed and kept when one ends.

use super::places::FEW;
use super::{Loud, Scorer, Token};
use crate::detector::Detector;
use crate::detector::cache::{Part, WEIGHTS};
use crate::detector::record::RecordId;
use crate::detector::sum::with_site;
use crate::novelty::BITS;
use crate::stream::fold;

/// The endpoint of what lines tell at any.
const OF_ANY: u64 = 0x452821e638d01377;
/// The most tokens of a line that are kept: two in a word of a slot, in so many slots.
const SLOT_TOKENS: usize = 2 * (WEIGHTS + 1);
const MOST_TOKENS: usize = 4 * SLOT_TOKENS;

/// A line under way, or the whole document where it is read as one.
#[derive(Default)]
pub(super) struct Line {
    /// Its key in the cache; none where the document is read as a whole.
    pub(super) key: u64,
    pub(super) kind: u8,
    /// The state before it.
    pub(super) rarest: u32,
    pub(super) least_rate: u64,
    pub(super) new: u64,
    pub(super) unusual: usize,
    pub(super) flags: usize,
    /// The last place in it, and how many there are.
    pub(super) place: u64,
    pub(super) places: usize,
    /// Another part has the same place.
    pub(super) is_repeated: bool,
    pub(super) loud: Vec<Loud>,
    pub(super) tokens: Vec<Token>,
    /// The key of its tokens in the cache; none where they cannot be kept.
    pub(super) tokens_key: u64,
    /// One of its tokens weighs something, or is new.
    pub(super) is_loud: bool,
    /// Tokens of other lines may be the same as some of its own.
    pub(super) is_odd: bool,
    /// Of a request line: one more than the place of the endpoint among those that were learned, or 0.
    pub(super) endpoint: u64,
}

/// A section under way: its key, and what there was before it.
#[derive(Default)]
pub(super) struct Section {
    pub(super) key: u64,
    pub(super) rarest: u32,
    pub(super) least_rate: u64,
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
        let line = &mut self.line;
        (line.key, line.kind, line.tokens_key, line.endpoint) = (key, kind, 0, 0);
        line.rarest = std::mem::take(&mut self.rarest);
        line.least_rate = std::mem::replace(&mut self.least_rate, 1 << BITS);
        (line.new, line.unusual, line.flags) = (self.new, self.unusual.len(), self.flags.len());
        (line.place, line.places, line.is_repeated) = (0, 0, false);
        (line.is_loud, line.is_odd) = (false, false);
    }

    /// Takes the tokens of a line that came before, maybe at another endpoint; whether it did.
    pub(super) fn begin_known(&mut self, kind: u8, hash: u64) -> bool {
        if self.texts.is_some() {
            return false;
        }
        self.line.tokens_key = self.detector.cache.key(OF_ANY, kind, hash);
        let mut tokens = [RecordId::default(); MOST_TOKENS];
        let Some(tokens) = self.detector.known_tokens(self.line.tokens_key, &mut tokens) else {
            return false;
        };
        self.weigh(tokens.iter().map(|record| (None, *record)));
        self.end_part();
        true
    }

    /// Ends the tokens of a line, or of a document.
    pub(super) fn end_tokens(&mut self) {
        let mut tokens = std::mem::take(&mut self.line.tokens);
        if tokens.len() > 1 {
            tokens.sort_unstable_by_key(|token| token.hash);
            tokens.dedup_by_key(|token| token.hash);
        }
        if self.line.tokens_key != 0 && !self.is_ambiguous && !self.line.is_odd {
            self.detector.keep_tokens(self.line.tokens_key, &tokens);
        }
        self.weigh(tokens.iter().map(|token| (Some(token.hash), token.record)));
        tokens.clear();
        self.line.tokens = tokens;
    }

    /// Weighs tokens, each once, by their hashes and records.
    #[inline(always)]
    fn weigh(&mut self, tokens: impl Iterator<Item = (Option<u64>, RecordId)>) {
        let detector = self.detector;
        for (hash, id) in tokens {
            let Some(record) = detector.records.get(id) else { continue };
            let hash = hash.unwrap_or(record.hash);
            if id.is_place() {
                self.add_place(hash);
            }
            // A token of a family was never seen.
            let learned = (record.hash != 0).then(|| detector.weights.get(self.of_endpoint ^ hash)).flatten();
            let (unusual, flag, is_new) = match learned {
                Some(weight) => {
                    self.rarest = self.rarest.max(weight.surprise());
                    if weight.is_quiet() {
                        continue;
                    }
                    (weight.unusual(), weight.flag(), weight.is_new())
                }
                None => {
                    let fresh = detector.fresh(record, self.endpoint);
                    self.rarest = self.rarest.max(fresh.surprise);
                    self.least_rate = self.least_rate.min(fresh.rate);
                    (fresh.unusual, fresh.flag, fresh.is_new)
                }
            };
            let site = if record.site == 0 { hash } else { record.site };
            let (unusual, flag) = (with_site(site, unusual), with_site(site, flag));
            self.new += u64::from(is_new);
            self.line.is_loud |= is_new | unusual.is_some() | flag.is_some();
            self.unusual.extend(unusual);
            self.flags.extend(flag);
        }
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
        self.section = Section {
            key,
            rarest: std::mem::take(&mut self.rarest),
            least_rate: std::mem::replace(&mut self.least_rate, 1 << BITS),
            new: self.new,
            unusual: self.unusual.len(),
            flags: self.flags.len(),
            places: self.places.own(),
        };
        false
    }

    /// Puts a section that has come to its end into the cache. The places of a section are not those of another.
    pub(super) fn cache_section(&mut self) {
        let surprise = self.surprise();
        self.rarest = self.rarest.max(self.section.rarest);
        self.least_rate = self.least_rate.min(self.section.least_rate);
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

    /// Ends a part.
    pub(super) fn end_part(&mut self) {
        let surprise = self.surprise();
        self.rarest = self.rarest.max(self.line.rarest);
        self.least_rate = self.least_rate.min(self.line.least_rate);
        if !self.line.loud.is_empty() {
            self.take_loud();
        }
        if self.line.is_loud {
            self.is_repeated |= self.line.is_repeated | self.line.is_odd;
            self.note_once(self.line.kind, self.line.key);
        }
        let is_kept = self.line.key != 0 && self.line.places <= 1 && !self.line.is_odd;
        if !is_kept || self.is_ambiguous || self.texts.is_some() {
            return;
        }
        let unusual = self.unusual.get(self.line.unusual..).unwrap_or_default();
        let flags = self.flags.get(self.line.flags..).unwrap_or_default();
        let place = if self.line.places == 0 { self.line.endpoint } else { self.line.place };
        self.detector.cache_part(self.line.key, surprise, self.new - self.line.new, (unusual, flags), place);
    }

    /// Takes the tokens that have no record, each once.
    #[cold]
    fn take_loud(&mut self) {
        let mut loud = std::mem::take(&mut self.line.loud);
        loud.sort_unstable();
        loud.dedup();
        for token in &loud {
            self.new += u64::from(token.is_new);
            self.unusual.extend(token.unusual);
            self.flags.extend(token.flag);
        }
        self.line.is_loud = true;
        loud.clear();
        self.line.loud = loud;
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

    /// Keeps the tokens of a line, unless there are too many, or one that was never seen.
    fn keep_tokens(&self, key: u64, tokens: &[Token]) {
        let was_seen = |token: &Token| self.records.get(token.record).is_some_and(|record| record.hash != 0);
        if tokens.len() > MOST_TOKENS || !tokens.iter().all(was_seen) {
            return;
        }
        let count = tokens.len() as u32;
        let word = |pair: &[Token]| {
            pair.iter().rev().fold(0, |word, token| word << 32 | u64::from(token.record.word()))
        };
        let mut key = key;
        let mut rest = tokens;
        loop {
            let (now, behind) = rest.split_at_checked(SLOT_TOKENS).unwrap_or((rest, &[]));
            let mut words = [0; WEIGHTS + 1];
            words.iter_mut().zip(now.chunks(2)).for_each(|(to, pair)| *to = word(pair));
            let [place, words @ ..] = words;
            let used = now.len().div_ceil(2).saturating_sub(1);
            let words = words.get(..used).unwrap_or_default();
            let part = Part { surprise: count, new: 0, unusual: words.len() as u8, flags: 0, place };
            self.cache.set(key, part, words);
            if behind.is_empty() {
                return;
            }
            (rest, key) = (behind, next_key(key));
        }
    }

    /// The tokens of a line that were kept.
    #[inline(always)]
    fn known_tokens<'t>(
        &self,
        mut key: u64,
        tokens: &'t mut [RecordId; MOST_TOKENS],
    ) -> Option<&'t [RecordId]> {
        let mut done = 0;
        loop {
            let (part, words) = self.cache.get(key)?;
            let count = part.surprise as usize;
            let to = tokens.get_mut(done..count)?;
            let words = std::iter::once(part.place).chain(words.iter());
            for (to, word) in to.chunks_mut(2).zip(words) {
                for (to, word) in to.iter_mut().zip([word as u32, (word >> 32) as u32]) {
                    *to = RecordId::from_word(word);
                }
            }
            done += SLOT_TOKENS;
            if done >= count {
                return tokens.get(..count);
            }
            key = next_key(key);
        }
    }
}

/// The key of the slot behind that of another.
fn next_key(key: u64) -> u64 {
    fold(key, OF_ANY)
}
