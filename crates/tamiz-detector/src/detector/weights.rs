//! Weights by the hashes of endpoint and token.

use super::weigh::{TokenWeight, UNREMARKABLE, sixteenths};
use crate::token::{self, Parts};

/// A token at an endpoint, packed into one word: its kind, its surprise, and its weight as a flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PackedWeight(u64);

/// A key, or the name of a header.
pub(super) const PLACE: u64 = 1;
/// The shape of a value, which its signs are paired with.
pub(super) const SHAPE: u64 = 2;
/// A sign of a value.
pub(super) const SIGN: u64 = 4;
/// It was never seen at the endpoint.
const NEW: u64 = 8;
/// It weighs something.
const LOUD: u64 = 16;
/// Where its sixteenths, its surprise and its weight as a flag begin. A surprise is less than 2^20, a logarithm less
/// than 2^23.
const SIXTEENTHS: u32 = 5;
const SURPRISE: u32 = 10;
const FLAG: u32 = 32;

/// Returns the class of a token: place, shape, sign or other.
pub(super) fn what(parts: &Parts<'_>) -> u64 {
    let is_told = parts.place.is_some() && matches!(parts.kind, "q" | "b" | "h");
    match parts.op {
        token::PLACE => PLACE,
        b'=' if is_told && !parts.measured => SHAPE,
        b'~' if is_told => SIGN,
        _ => 0,
    }
}

impl PackedWeight {
    pub(super) fn of(parts: &Parts<'_>, told: TokenWeight) -> Self {
        PackedWeight::of_what(what(parts), parts.op, told)
    }

    /// Packs the weight of a token of the class `what`.
    fn of_what(what: u64, op: u8, told: TokenWeight) -> Self {
        let new = if told.is_new { NEW } else { 0 };
        let loud = if told.unusual > 0 || told.flag > 0 { LOUD } else { 0 };
        let number = |n: i64, bits: u32| n.clamp(0, (1 << bits) - 1).unsigned_abs();
        let sixteenths = number(sixteenths(op), SURPRISE - SIXTEENTHS) << SIXTEENTHS;
        let surprise = number(told.surprise, FLAG - SURPRISE) << SURPRISE;
        PackedWeight(what | new | loud | sixteenths | surprise | number(told.flag, 64 - FLAG - 1) << FLAG)
    }

    #[inline(always)]
    pub(super) fn surprise(self) -> u32 {
        (self.0 >> SURPRISE) as u32 & ((1 << (FLAG - SURPRISE)) - 1)
    }

    /// The part of its surprise that counts; zero where it is not positive.
    pub(super) fn unusual(self) -> i64 {
        let sixteenths = (self.0 >> SIXTEENTHS & 31) as i64;
        (i64::from(self.surprise()) - UNREMARKABLE) * sixteenths / 16
    }

    /// Its weight as a flag.
    pub(super) fn flag(self) -> i64 {
        (self.0 >> FLAG) as i64
    }

    /// The class of the token: place, shape, sign or other.
    #[inline(always)]
    pub(super) fn what(self) -> u64 {
        self.0 & (PLACE | SHAPE | SIGN)
    }

    pub(super) fn is_new(self) -> bool {
        self.0 & NEW != 0
    }

    /// Returns whether it changes nothing but the order of requests without news.
    #[inline(always)]
    pub(super) fn is_quiet(self) -> bool {
        self.0 & (NEW | LOUD) == 0
    }
}

/// Values by hashes, with open addressing: a key stands at the first free slot behind the one that it asks for.
#[derive(Debug)]
pub(super) struct HashTable<V> {
    slots: Vec<(u64, V)>,
    len: usize,
}

/// The weights of tokens at endpoints.
pub(super) type WeightTable = HashTable<PackedWeight>;

/// Marks a slot that is free; no key has it.
const FREE: u64 = 0;

impl<V> Default for HashTable<V> {
    fn default() -> Self {
        HashTable { slots: Vec::new(), len: 0 }
    }
}

impl<V: Copy + Default> HashTable<V> {
    pub(super) fn insert(&mut self, key: u64, value: V) {
        if self.len.saturating_mul(2) >= self.slots.len() {
            let larger = vec![(FREE, V::default()); (self.slots.len() * 2).max(64)];
            let before = std::mem::replace(&mut self.slots, larger);
            self.len = 0;
            for (key, value) in before.into_iter().filter(|(key, _)| *key != FREE) {
                self.place(key, value);
            }
        }
        self.place(key | 1, value);
    }

    fn place(&mut self, key: u64, value: V) {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = index(key, mask);
        while let Some(slot) = self.slots.get_mut(at) {
            if slot.0 == FREE {
                self.len += 1;
            }
            if slot.0 == FREE || slot.0 == key {
                *slot = (key, value);
                return;
            }
            at = (at + 1) & mask;
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> Option<V> {
        let key = key | 1;
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = index(key, mask);
        loop {
            let (there, value) = self.slots.get(at)?;
            if *there == key {
                return Some(*value);
            }
            if *there == FREE {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.len
    }
}

/// Where a key is looked for first; its lowest bit is always the same.
#[inline(always)]
fn index(key: u64, mask: usize) -> usize {
    (key >> 1) as usize & mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::ONE;

    #[test]
    fn all_is_told_in_a_word() {
        for token in ["q.a", "q.a=num", "q.a~'", "q.a&num~'", "f.q.a=QUOTE", "e=GET /", "hcnt=4"] {
            let parts = Parts::of(token);
            for surprise in [0, 1, UNREMARKABLE, UNREMARKABLE + 1, 10 * ONE] {
                for flag in [-5, 0, 1, 63 * ONE] {
                    let unusual = (surprise - UNREMARKABLE) * sixteenths(parts.op) / 16;
                    let weight =
                        PackedWeight::of(&parts, TokenWeight { surprise, unusual, flag, is_new: flag == 1 });
                    assert_eq!((i64::from(weight.surprise()), weight.flag()), (surprise, flag.max(0)));
                    assert_eq!(weight.unusual(), unusual);
                    assert_eq!(weight.is_new(), flag == 1);
                    assert_eq!(weight.is_quiet(), unusual <= 0 && flag <= 0);
                    assert_eq!(weight.what(), what(&parts));
                }
            }
        }
    }

    #[test]
    fn keys_are_found_and_others_are_not() {
        let weight = PackedWeight;
        let mut table = WeightTable::default();
        assert_eq!(table.get(0), None);
        // All ask for one of two slots.
        (0..1000_u64).for_each(|n| table.insert(n << 40 | (n & 1) << 1, weight(n)));
        table.insert(7 << 40 | 2, weight(7777));
        for n in 0..1000_u64 {
            let surprise = if n == 7 { 7777 } else { n };
            assert_eq!(table.get(n << 40 | (n & 1) << 1), Some(weight(surprise)));
            assert_eq!(table.get(n << 40 | 4), None);
        }
        assert_eq!(table.len(), 1000);
    }
}
