//! A hash of bytes for tables within one process: fast, not keyed, never stored.

#![allow(clippy::arithmetic_side_effects, reason = "the product of two words fits in two")]

use crate::bytes;

const K: u64 = 0x9E37_79B9_7F4A_7C15;

/// Hashes bytes, sixteen at a time; never zero. The upper bits are the best.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hash = bytes.len() as u64 ^ K;
    let (sixteens, rest) = bytes.as_chunks::<16>();
    for sixteen in sixteens {
        let two = u128::from_le_bytes(*sixteen);
        hash = folded_product(two as u64 ^ hash, (two >> 64) as u64 ^ K);
    }
    if let Some(first) = rest.first_chunk() {
        hash = folded_product(u64::from_le_bytes(*first) ^ hash, K);
    }
    folded_product(bytes::last_eight(bytes) ^ hash, K) | 1
}

/// Folds both halves of a product, so that every bit of the factors reaches the upper bits.
fn folded_product(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}
