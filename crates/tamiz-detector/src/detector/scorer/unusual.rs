//! Tokens that weigh something, or are new: from the cache, from what was learned of them elsewhere, or by their texts.

use super::{Loud, Scorer, token_hash};
use crate::detector::cache::Part;
use crate::detector::sum::with_site;
use crate::detector::weigh::{Item, Known};
use crate::detector::weights::PackedWeight;
use crate::observation::{LONGEST_TOKEN, shorten};
use crate::stream::Stream;
use crate::token::Parts;

impl Scorer<'_> {
    /// Takes a token that may have white space, weigh something, or be new: from the cache, if its hash is that of its text.
    #[inline(never)]
    pub(super) fn take_other(
        &mut self,
        hash: u64,
        is_of_text: bool,
        is_plain: bool,
        write: impl FnOnce([&str; 3], &mut dyn FnMut(&str)),
    ) -> (PackedWeight, u64) {
        if !is_of_text || self.texts.is_some() {
            return self.take_text(None, is_plain, write);
        }
        let key = self.detector.cache.key(self.of_endpoint, b't', hash);
        if let Some((part, weights)) = self.detector.cache.get(key) {
            let mut weights = weights.iter();
            let unusual = weights.by_ref().take(part.unusual.into()).next();
            let (flag, is_new) = (weights.next(), part.new > 0);
            self.line.loud.push(Loud { token: hash, unusual, flag, is_new });
            return (self.count(PackedWeight::from_word(part.place), hash), hash);
        }
        let (weight, of_text) = match self.detector.known.get(&hash) {
            Some(known) => self.take_known(known, hash),
            None => self.take_text(Some(hash), is_plain, write),
        };
        if let Some(loud) = self.line.loud.last().filter(|loud| loud.token == hash && of_text == hash) {
            let (unusual, flag) = (loud.unusual.as_slice(), loud.flag.as_slice());
            self.detector.cache_part(key, 0, loud.is_new.into(), (unusual, flag), weight.word());
        }
        (weight, of_text)
    }

    /// Takes a token that was learned, here or elsewhere.
    fn take_known(&mut self, known: &Known, hash: u64) -> (PackedWeight, u64) {
        let weight = self.detector.weights.get(self.of_endpoint ^ hash);
        let weight = weight.unwrap_or_else(|| self.detector.weigh_known(known, self.counts));
        if !weight.is_quiet() {
            self.push_loud(known.site, weight, hash);
        }
        (self.count(weight, hash), hash)
    }

    /// Takes a token by its text, which has this hash unless it is too long: it may have white space, weigh something, or be new.
    #[cold]
    #[inline(never)]
    pub(super) fn take_text(
        &mut self,
        hash: Option<u64>,
        is_plain: bool,
        write: impl FnOnce([&str; 3], &mut dyn FnMut(&str)),
    ) -> (PackedWeight, u64) {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        write(self.place_text.pieces(), &mut |piece| match is_plain {
            true => text.extend_from_slice(piece.as_bytes()),
            false => tamiz::push_token_piece(&mut text, piece),
        });
        // Pieces are text, and stay so.
        let mut token = String::from_utf8(text).unwrap_or_default();
        shorten(&mut token);
        let parts = Parts::of(&token);
        let hash = hash.filter(|_| token.len() <= LONGEST_TOKEN);
        let hash = hash.unwrap_or_else(|| token_hash(self.detector.seed, &token, &parts));
        let weight = self.detector.weights.get(self.of_endpoint ^ hash);
        let weight = weight.unwrap_or_else(|| self.weigh_new(&token, &parts, hash));
        if !weight.is_quiet() {
            self.take_loud(&token, &parts, weight, hash);
        }
        if self.texts.is_none() || weight.is_quiet() {
            self.count(weight, hash);
        }
        self.text = token.into_bytes();
        (weight, hash)
    }

    fn take_loud(&mut self, token: &str, parts: &Parts<'_>, weight: PackedWeight, hash: u64) {
        if let Some((texts, _)) = &mut self.texts {
            return texts.push(token.to_owned());
        }
        let (site, _) = Stream::of(self.detector.seed, parts.site(token)).finish();
        self.push_loud(site, weight, hash);
    }

    fn push_loud(&mut self, site: u64, weight: PackedWeight, hash: u64) {
        let (unusual, flag) = (with_site(site, weight.unusual()), with_site(site, weight.flag()));
        self.line.loud.push(Loud { token: hash, unusual, flag, is_new: weight.is_new() });
    }

    /// Weighs a token that the endpoint never had.
    fn weigh_new(&self, token: &str, parts: &Parts<'_>, hash: u64) -> PackedWeight {
        let detector = self.detector;
        let weigh =
            || PackedWeight::of(parts, detector.told(&Item::of_parts(token, *parts), self.counts, None));
        // A token that was never seen anywhere weighs what any such token of its family does.
        let is_new = self.of_endpoint == 0 || detector.weights.get(hash).is_none();
        let family = detector.family_key(self.of_endpoint, self.counts, parts).filter(|_| is_new);
        let Some(key) = family else { return weigh() };
        if let Some(weight) = detector.weights.get(key) {
            return weight;
        }
        if let Some((part, _)) = detector.cache.get(key) {
            return PackedWeight::from_word(part.place);
        }
        let weight = weigh();
        detector.cache.set(key, Part { place: weight.word(), ..Part::default() }, &[]);
        weight
    }
}
