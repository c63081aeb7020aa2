//! Sixteen bytes at once, by SSE2, which every x86-64 processor has.

use safe_arch::{
    bitor_m128i, cmp_eq_mask_i8_m128i, load_unaligned_m128i, m128i, move_mask_i8_m128i, set_splat_i8_m128i,
    sub_i8_m128i, sub_saturating_u8_m128i, zeroed_m128i,
};

use super::Sixteen;

/// Classifies sixteen bytes.
#[inline(always)]
pub(super) fn sixteen(bytes: &[u8; 16]) -> Sixteen {
    let bytes = load_unaligned_m128i(bytes);
    let letters = is_in_range(bitor_m128i(bytes, set_splat_i8_m128i(0x20)), b'a', b'z');
    let digits = is_in_range(bytes, b'0', b'9');
    Sixteen { letters: bits(letters), signs: !bits(bitor_m128i(letters, digits)) }
}

/// Sets the bit that tells lower case from upper case.
#[inline(always)]
pub(super) fn lower(bytes: &[u8; 16]) -> [u8; 16] {
    bitor_m128i(load_unaligned_m128i(bytes), set_splat_i8_m128i(0x20)).into()
}

/// Which bytes are from `first` to `last`: all bits of these are set.
#[inline(always)]
fn is_in_range(bytes: m128i, first: u8, last: u8) -> m128i {
    let above = sub_i8_m128i(bytes, set_splat_i8_m128i(first.cast_signed()));
    let beyond = sub_saturating_u8_m128i(above, set_splat_i8_m128i(last.wrapping_sub(first).cast_signed()));
    cmp_eq_mask_i8_m128i(beyond, zeroed_m128i())
}

/// The top bits of the bytes.
#[inline(always)]
fn bits(bytes: m128i) -> u16 {
    move_mask_i8_m128i(bytes) as u16
}

/// Which of sixteen bytes are `byte`, a bit each.
#[inline(always)]
pub(super) fn equal(bytes: &[u8; 16], byte: u8) -> u16 {
    bits(cmp_eq_mask_i8_m128i(load_unaligned_m128i(bytes), set_splat_i8_m128i(byte.cast_signed())))
}

/// Which of sixteen bytes are beyond ASCII, a bit each.
#[inline(always)]
pub(super) fn high(bytes: &[u8; 16]) -> u16 {
    bits(load_unaligned_m128i(bytes))
}
