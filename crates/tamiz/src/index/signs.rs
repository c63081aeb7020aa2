//! The signs of a text: bytes that are no ASCII letters or digits.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and places in sixteen bytes")]

use super::sixteen;
use crate::swar::eight_at;

/// Hands each sign of a text to `give`, in order.
#[inline(always)]
pub(crate) fn each_sign(text: &[u8], mut give: impl FnMut(u8)) {
    let mut give_each = |bytes: &[u8; 16], mut signs: u16| {
        while signs != 0 {
            if let Some(sign) = bytes.get(signs.trailing_zeros() as usize) {
                give(*sign);
            }
            signs &= signs - 1;
        }
    };
    let (sixteens, rest) = text.as_chunks();
    for bytes in sixteens {
        give_each(bytes, sixteen(bytes).signs);
    }
    if !rest.is_empty() {
        let bytes = padded(rest);
        give_each(&bytes, signs_of_few(&bytes, rest.len()));
    }
}

/// Returns whether each sign of a text has a letter or digit on either side; false of nothing.
pub(crate) fn is_each_sign_alone(text: &[u8]) -> bool {
    let is_alone = |signs: u16| signs & signs >> 1 == 0;
    let is_inner = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    if !is_inner(text.first()) || !is_inner(text.last()) {
        return false;
    }
    let Some(last) = text.last_chunk() else {
        return is_alone(signs_of_few(&padded(text), text.len()));
    };
    let mut at = 0;
    while let Some(bytes) = text.get(at..).and_then(|rest| rest.first_chunk()) {
        if !is_alone(sixteen(bytes).signs) {
            return false;
        }
        // The last byte has no neighbour here.
        at += 15;
    }
    is_alone(sixteen(last).signs)
}

/// Fewer than sixteen bytes, with zeros behind them.
#[inline(always)]
fn padded(few: &[u8]) -> [u8; 16] {
    (u128::from(eight_at(few, 0)) | u128::from(eight_at(few, 8)) << 64).to_le_bytes()
}

#[inline(always)]
fn signs_of_few(padded: &[u8; 16], len: usize) -> u16 {
    sixteen(padded).signs & !(u16::MAX << len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_those_of_each_byte() {
        let mut random = crate::context::tests::random();
        for len in (0..70).cycle().take(20_000) {
            let kinds = if random(2) == 0 { 24 } else { 4 };
            let text: Vec<u8> =
                (0..len).map(|_| b"aZ- bzAm09_.%/\x00\x7F\x80\xFF@[`{:;"[random(kinds) as usize]).collect();
            let is_sign = |byte: &u8| !byte.is_ascii_alphanumeric();
            let mut signs = Vec::new();
            each_sign(&text, |sign| signs.push(sign));
            assert_eq!(signs, text.iter().copied().filter(is_sign).collect::<Vec<_>>());
            let is_alone = !text.split(is_sign).any(<[u8]>::is_empty);
            assert_eq!(is_each_sign_alone(&text), is_alone, "{}", text.escape_ascii());
        }
    }
}
