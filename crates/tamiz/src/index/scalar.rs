//! Eight bytes at once, in a number: for machines whose vectors are not used here.

use super::Sixteen;
use crate::swar::{self, TOPS, eight_at};

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
