//! What is looked up in a memo: bytes and their hash, worked out once.

#![allow(clippy::arithmetic_side_effects, reason = "the product of two words fits in two")]

use crate::bytes;

const K: u64 = 0x9E37_79B9_7F4A_7C15;

/// Bytes of a request, and their hash: never zero, which is no field's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field<'f> {
    pub(crate) bytes: &'f [u8],
    pub(super) hash: u64,
}

impl<'f> From<&'f [u8]> for Field<'f> {
    fn from(bytes: &'f [u8]) -> Self {
        Field { bytes, hash: hash(bytes) }
    }
}

/// Sixteen bytes at a time; collisions cost no more than a place.
pub(crate) fn hash(field: &[u8]) -> u64 {
    let mut hash = field.len() as u64 ^ K;
    let (sixteens, rest) = field.as_chunks::<16>();
    for sixteen in sixteens {
        let two = u128::from_le_bytes(*sixteen);
        hash = folded_product(two as u64 ^ hash, (two >> 64) as u64 ^ K);
    }
    if let Some(first) = rest.first_chunk() {
        hash = folded_product(u64::from_le_bytes(*first) ^ hash, K);
    }
    folded_product(bytes::last_eight(field) ^ hash, K) | 1
}

/// Both halves of a product in one: every bit of the factors reaches the upper bits, which tell a place.
fn folded_product(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}
