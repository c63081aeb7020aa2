//! Steps from one byte that is no letter or digit to the next, eight bytes at a time.

use crate::eights::{self, TOPS, eight_at};

/// Calls `visit` with the place of each byte that is no ASCII letter or digit, and the byte, until it returns `false`.
#[inline(always)]
pub(crate) fn each_sign(text: &[u8], mut visit: impl FnMut(usize, u8) -> bool) {
    let mut start = 0_usize;
    while start < text.len() {
        let eight = eight_at(text, start);
        let low = eight & !TOPS;
        let mut signs = !(eights::letters(low) | eights::digits(low)) & TOPS | eight & TOPS;
        while signs != 0 {
            let at = start.saturating_add(signs.trailing_zeros() as usize / 8);
            signs &= signs.wrapping_sub(1);
            // Behind the end there are zeros.
            let Some(byte) = text.get(at) else { return };
            if !visit(at, *byte) {
                return;
            }
        }
        start = start.saturating_add(8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_all_but_letters_and_digits() {
        let mut random = crate::context::tests::random();
        for len in 0..40 {
            for _ in 0..50 {
                let text: Vec<u8> =
                    (0..len).map(|_| b"aZ09.-_ \x00\x7F\x80\xC3\xFF@[`{/:"[random(19) as usize]).collect();
                let expected: Vec<usize> = (0..len).filter(|at| !text[*at].is_ascii_alphanumeric()).collect();
                let mut found = Vec::new();
                each_sign(&text, |at, byte| {
                    assert_eq!(byte, text[at]);
                    found.push(at);
                    true
                });
                assert_eq!(found, expected, "{}", text.escape_ascii());
            }
        }
    }
}
