//! Eight bytes at once, in a number: for machines whose vectors are not used here.

use super::Sixteen;
use crate::swar::{self, ONES, TOPS, eight_at};

/// Classifies sixteen bytes.
#[inline(always)]
pub(super) fn sixteen(bytes: &[u8; 16]) -> Sixteen {
    let ((letters, signs), (more_letters, more_signs)) =
        (eight(eight_at(bytes, 0)), eight(eight_at(bytes, 8)));
    Sixteen {
        letters: u16::from(letters) | u16::from(more_letters) << 8,
        signs: u16::from(signs) | u16::from(more_signs) << 8,
    }
}

/// Which of eight bytes are letters, and which are signs.
#[inline(always)]
fn eight(bytes: u64) -> (u8, u8) {
    let ascii = bytes & !TOPS;
    let (letters, digits) = (swar::letters(ascii) & !bytes, swar::digits(ascii) & !bytes);
    (swar::bits(letters), swar::bits(!(letters | digits) & TOPS))
}

/// Which of sixteen bytes are `byte`, a bit each.
#[inline(always)]
pub(super) fn equal(bytes: &[u8; 16], byte: u8) -> u16 {
    let is_zero = |eight: u64| {
        // The low seven bits of a byte that is zero carry into no top bit, nor does its own.
        let others = ((eight & !TOPS).wrapping_add(!TOPS) | eight) & TOPS;
        u16::from(swar::bits(!others & TOPS))
    };
    let same = ONES.wrapping_mul(u64::from(byte));
    is_zero(eight_at(bytes, 0) ^ same) | is_zero(eight_at(bytes, 8) ^ same) << 8
}

/// Sets the bit that tells lower case from upper case.
#[inline(always)]
pub(super) fn lower(bytes: &[u8; 16]) -> [u8; 16] {
    bytes.map(|byte| byte | 0x20)
}

/// Which of sixteen bytes are beyond ASCII, a bit each.
#[inline(always)]
pub(super) fn high(bytes: &[u8; 16]) -> u16 {
    let high = |at: usize| u16::from(swar::bits(eight_at(bytes, at) & TOPS));
    high(0) | high(8) << 8
}
