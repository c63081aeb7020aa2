//! Steps from one byte that is no letter or digit to the next, eight bytes at a time.

use crate::swar::{self, ONES, TOPS, eight_at};

/// Calls `visit` with the place of each byte that is no ASCII letter or digit, the byte, and the four bytes behind it, the
/// first lowest; zero where there are fewer. Of characters beyond ASCII it may leave out the bytes that another such byte
/// follows: no credential begins there. Guards are never left out.
#[inline(always)]
pub(crate) fn each_sign(text: &[u8], mut visit: impl FnMut(usize, u8, u32)) {
    let mut start = 0_usize;
    while start < text.len() {
        let eight = eight_at(text, start);
        let low = eight & !TOPS;
        let mut signs = (!(swar::letters(low) | swar::digits(low)) | eight) & TOPS;
        let high = eight & TOPS;
        if high != 0 {
            let guards = low.wrapping_add(ONES) & high;
            signs &= !(high & high >> 8 & !guards);
        }
        while signs != 0 {
            let at = start.wrapping_add(signs.trailing_zeros() as usize / 8);
            signs &= signs.wrapping_sub(1);
            // Zeros follow the end.
            let Some((byte, rest)) = text.get(at..).and_then(<[u8]>::split_first) else { return };
            visit(at, *byte, rest.first_chunk().map_or(0, |four| u32::from_le_bytes(*four)));
        }
        start = start.wrapping_add(8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::GUARD;

    #[test]
    fn signs_are_all_but_letters_and_digits() {
        let mut random = crate::context::tests::random();
        for len in 0..40 {
            for _ in 0..50 {
                let text: Vec<u8> =
                    (0..len).map(|_| b"aZ09.-_ \x00\x7F\x80\xC3\xFF@[`{/:"[random(19) as usize]).collect();
                let is_left_out = |at: usize| {
                    let is_high = |at: usize| text.get(at).is_some_and(|byte| !byte.is_ascii());
                    at % 8 < 7 && is_high(at) && is_high(at + 1) && text[at] != GUARD
                };
                let expected: Vec<usize> =
                    (0..len).filter(|at| !text[*at].is_ascii_alphanumeric() && !is_left_out(*at)).collect();
                let mut found = Vec::new();
                each_sign(&text, |at, byte, behind| {
                    assert_eq!(byte, text[at]);
                    let four = text[at + 1..].first_chunk().copied().unwrap_or_default();
                    assert_eq!(behind.to_le_bytes(), four);
                    found.push(at);
                });
                assert_eq!(found, expected, "{}", text.escape_ascii());
            }
        }
    }
}
