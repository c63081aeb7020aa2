//! Tokens that are not known by their hashes: by their texts.

use super::{Loud, Scorer, Shape, Token};
use crate::detector::record::RecordId;
use crate::detector::sum::with_site;
use crate::detector::weigh::{Item, TokenWeight, token_hash};
use crate::detector::weights::{PLACE, PackedWeight, SHAPE, SIGN, what};
use crate::observation::{LONGEST_TOKEN, shorten};
use crate::pieces::{PIECES, PlaceText};
use crate::stream::Stream;
use crate::token::Parts;

impl Scorer<'_> {
    /// Takes a token by its text, which has this hash unless it is too long: it may have white space, or be new.
    #[inline(never)]
    pub(super) fn take_text(
        &mut self,
        hash: Option<u64>,
        is_plain: bool,
        write: impl FnOnce([&str; 3], &mut dyn FnMut(&str)),
    ) -> (u64, u64) {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        write(self.place_text.pieces(), &mut |piece| match is_plain {
            true => text.extend_from_slice(piece.as_bytes()),
            false => tamiz::push_token_piece(&mut text, piece),
        });
        // Pieces are text, and stay so.
        let token = String::from_utf8(text).unwrap_or_default();
        let (token, what, hash) = self.take_token(token, hash);
        self.text = token.into_bytes();
        (what, hash)
    }

    /// Takes a token, which has this hash unless it is too long; returns it, its class and its hash.
    fn take_token(&mut self, mut token: String, hash: Option<u64>) -> (String, u64, u64) {
        shorten(&mut token);
        let parts = Parts::of(&token);
        let hash = hash.filter(|_| token.len() <= LONGEST_TOKEN);
        let hash = hash.unwrap_or_else(|| token_hash(self.detector.seed, &token, &parts));
        if self.texts.is_some() {
            self.explain(&token, &parts, hash);
        } else if let Some(record) = self.record_of(&parts, hash) {
            self.line.tokens.push(Token { hash, record });
        } else {
            self.weigh_text(&token, &parts, hash);
        }
        let what = what(&parts);
        (token, what, hash)
    }

    /// The record of the family of a token that was never seen, where its place tells the family without its text.
    #[inline(never)]
    pub(super) fn family_record(&self, token: Stream, pieces: &[&str], ends: &[&str]) -> Option<RecordId> {
        let PlaceText::Pieces(place) = self.place_text else { return None };
        let (first, rest) = pieces.split_first()?;
        let is_exact = self.detector.keeps_all(self.endpoint) && token.len() as usize <= LONGEST_TOKEN;
        if self.is_odd_place || !is_exact {
            return None;
        }
        let (family, which) = match (place, *first) {
            (["q." | "b.", "n" | "keys" | "kind", ""], _) => return None,
            (["q." | "b." | "h.", _, _], _) => {
                let sign = first.get(..1).filter(|sign| matches!(*sign, "=" | "~" | "^"))?;
                let behind = first.get(1..).unwrap_or_default();
                let is_measured = || [behind].iter().chain(rest).chain(ends).any(|piece| piece.contains('@'));
                (self.place.push(sign), if sign == "=" && is_measured() { "\n@" } else { "\n=" })
            }
            (["p/" | "m", "", ""], "=" | "=<") => (self.place, "\n="),
            (["", "", ""], "p=" | "p.ext=" | "plen@" | "pmax@" | "hcnt=" | "hlen@" | "u.host=" | "blen@") => {
                (self.place.push(first.get(..first.len() - 1)?), "\n=")
            }
            _ => return None,
        };
        self.detector.family(family.push(which).finish().0)
    }

    /// Takes a token of a place that is odd, and what its text tells of the tokens around it.
    #[cold]
    #[inline(never)]
    pub(super) fn take_odd(&mut self, pieces: &[&str], end: &[&str]) {
        let mut text = Vec::new();
        let place = self.place_text.pieces();
        place.iter().chain(pieces).chain(end).for_each(|piece| tamiz::push_token_piece(&mut text, piece));
        // Pieces are text, and stay so. What a long token is cut to is not what its pair is made of.
        let token = String::from_utf8(text).unwrap_or_default();
        let parts = Parts::of(&token);
        let place = parts.place.unwrap_or_default();
        let of_place = Stream::of(self.detector.seed, place).finish().0;
        let told = token.get(place.len() + 1..).unwrap_or_default();
        match what(&parts) {
            SHAPE => {
                let hash = token_hash(self.detector.seed, &token, &parts);
                let (pieces, text) = ([""; PIECES], Some(told.to_owned()));
                self.shape = Shape { place: of_place, hash, pieces, text };
                self.is_shape_certain = true;
            }
            SIGN => {
                self.is_ambiguous |= !self.is_shape_certain;
                if self.shape.place == of_place {
                    let mut pair = format!("{place}&").into_bytes();
                    self.shape.text().for_each(|piece| tamiz::push_token_piece(&mut pair, piece));
                    pair.push(b'~');
                    pair.extend_from_slice(told.as_bytes());
                    self.take_token(String::from_utf8(pair).unwrap_or_default(), None);
                }
            }
            _ => {}
        }
        self.take_token(token, None);
    }

    /// The record of a token that was learned, or of its family.
    fn record_of(&self, parts: &Parts<'_>, hash: u64) -> Option<RecordId> {
        let records = &self.detector.records;
        records.token(hash).or_else(|| {
            let is_family = self.detector.keeps_all(self.endpoint);
            if is_family { self.detector.family_of(parts) } else { None }
        })
    }

    /// Keeps the text of a token, if it weighs something.
    fn explain(&mut self, token: &str, parts: &Parts<'_>, hash: u64) {
        let weight = self.weight(token, parts, hash);
        match &mut self.texts {
            Some((texts, _)) if !weight.is_quiet() => texts.push(token.to_owned()),
            _ => self.count(weight, hash),
        }
    }

    /// Weighs a token without a record.
    fn weigh_text(&mut self, token: &str, parts: &Parts<'_>, hash: u64) {
        // The tokens of this line cannot be told by their records.
        self.line.tokens_key = 0;
        let detector = self.detector;
        if detector.model.is_some() && detector.keeps_all(self.endpoint) {
            let (site, fresh) = detector.weigh_unknown(token, parts, hash, self.endpoint);
            self.rarest = self.rarest.max(fresh.surprise);
            self.least_rate = self.least_rate.min(fresh.rate);
            if what(parts) == PLACE {
                self.add_place(hash);
            }
            self.push_loud(hash, site, fresh.unusual, fresh.flag, fresh.is_new);
            return;
        }
        let weight = self.weight(token, parts, hash);
        self.count(weight, hash);
        if !weight.is_quiet() {
            let (site, _) = Stream::of(detector.seed, parts.site(token)).finish();
            self.push_loud(hash, site, weight.unusual(), weight.flag(), weight.is_new());
        }
    }

    fn push_loud(&mut self, token: u64, site: u64, unusual: i64, flag: i64, is_new: bool) {
        let (unusual, flag) = (with_site(site, unusual), with_site(site, flag));
        self.line.loud.push(Loud { token, unusual, flag, is_new });
    }

    /// The weight of a token at the endpoint.
    fn weight(&self, token: &str, parts: &Parts<'_>, hash: u64) -> PackedWeight {
        let detector = self.detector;
        detector.weights.get(self.of_endpoint ^ hash).unwrap_or_else(|| {
            let is_flag = parts.op == b'f';
            let counts = self.endpoint.map(|learned| &learned.counts);
            let told = match &detector.model {
                // What was learned of nothing is no news.
                None if !is_flag => TokenWeight::default(),
                _ => detector.told(&Item::of_parts(token, *parts), counts, None),
            };
            PackedWeight::of(parts, told)
        })
    }
}
