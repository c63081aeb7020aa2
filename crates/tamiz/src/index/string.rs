//! The signs of a JSON string: a quote, a backslash, a control.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice")]

use crate::swar::ONES;

/// Counts the bytes before the first that does not stand for itself in a JSON string: a quote, a backslash or a control.
#[inline]
pub(crate) fn plain_len(text: &[u8]) -> usize {
    let mut len = 0;
    #[cfg(target_arch = "x86_64")]
    while let Some(sixteen) = text.get(len..).and_then(|rest| rest.first_chunk()) {
        let signs = signs_of(sixteen);
        if signs != 0 {
            return len + signs.trailing_zeros() as usize;
        }
        len += 16;
    }
    // Nothing in front of it is a sign.
    while let Some(eight) = text.get(len..).and_then(|rest| rest.first_chunk()) {
        let signs = signs_of_eight(u64::from_le_bytes(*eight));
        if signs != 0 {
            return len + signs.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    let rest = text.get(len..).unwrap_or_default();
    len + rest.iter().position(|byte| is_sign(*byte)).unwrap_or(rest.len())
}

fn is_sign(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..=0x1F)
}

/// Which of sixteen bytes are signs, a bit each.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn signs_of(sixteen: &[u8; 16]) -> i32 {
    use safe_arch::{
        bitor_m128i, cmp_eq_mask_i8_m128i, load_unaligned_m128i, move_mask_i8_m128i, set_splat_i8_m128i,
        sub_saturating_u8_m128i, zeroed_m128i,
    };
    let bytes = load_unaligned_m128i(sixteen);
    let is = |byte| cmp_eq_mask_i8_m128i(bytes, set_splat_i8_m128i(byte));
    let controls =
        cmp_eq_mask_i8_m128i(sub_saturating_u8_m128i(bytes, set_splat_i8_m128i(0x1F)), zeroed_m128i());
    move_mask_i8_m128i(bitor_m128i(controls, bitor_m128i(is(0x22), is(0x5C))))
}

/// Bits of which the lowest is the top bit of the first of eight bytes that is a sign.
fn signs_of_eight(eight: u64) -> u64 {
    let below = |eight: u64, least: u64| eight.wrapping_sub(ONES * least) & !eight & ONES << 7;
    below(eight, 0x20) | below(eight ^ (ONES * 0x22), 1) | below(eight ^ (ONES * 0x5C), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_found_anywhere() {
        for byte in 0..=u8::MAX {
            for len in [1, 7, 8, 15, 16, 20, 40] {
                for at in 0..len {
                    for other in [b'a', 0xFF, b'!', b'#', b'[', b']', 0x80, 0x7F] {
                        let mut text = vec![other; len];
                        for at in [at, at / 2] {
                            text[at] = byte;
                            let expected = text.iter().position(|byte| is_sign(*byte)).unwrap_or(len);
                            assert_eq!(plain_len(&text), expected, "{}", text.escape_ascii());
                        }
                    }
                }
            }
        }
        assert_eq!(plain_len(b""), 0);
    }
}
