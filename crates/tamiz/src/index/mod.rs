//! Bitmaps of a text: which of its bytes are letters, signs or a given byte.

#![allow(clippy::arithmetic_side_effects, reason = "places in 64 bytes, and offsets into one slice")]

#[cfg(any(test, feature = "fuzzing", not(target_arch = "x86_64")))]
mod scalar;
mod signs;
#[cfg(target_arch = "x86_64")]
mod simd;
mod string;

#[cfg(not(target_arch = "x86_64"))]
use scalar::{equal, high, lower, sixteen};
#[cfg(target_arch = "x86_64")]
use simd::{equal, high, lower, sixteen};

use crate::swar::{self, eight_at};
pub(crate) use signs::{each_sign, is_each_sign_alone};
pub(crate) use string::plain_len;

/// Which of up to 64 bytes are of a kind, a bit each, that of the first byte lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    /// ASCII letters.
    pub(crate) letters: u64,
    /// Bytes that are no ASCII letters or digits.
    pub(crate) signs: u64,
}

/// Which of sixteen bytes are letters and signs, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sixteen {
    letters: u16,
    signs: u16,
}

impl Window {
    /// Classifies the first `len` of 64 bytes.
    #[inline(always)]
    pub(crate) fn of(bytes: &[u8; 64], len: usize) -> Self {
        let mut window = Window::default();
        let (sixteens, _) = bytes.as_chunks();
        for (bytes, place) in sixteens.iter().zip((0..len).step_by(16)) {
            let Sixteen { letters, signs } = sixteen(bytes);
            window.letters |= u64::from(letters) << place;
            window.signs |= u64::from(signs) << place;
        }
        if len < 64 {
            let bits = !(u64::MAX << len);
            window.letters &= bits;
            window.signs &= bits;
        }
        window
    }
}

/// Which of 64 bytes are beyond ASCII, a bit each.
#[cfg_attr(
    target_family = "wasm",
    allow(dead_code, reason = "the prefilter of keywords, which WebAssembly has not")
)]
#[inline(always)]
pub(crate) fn beyond_ascii(window: &[u8; 64]) -> u64 {
    let (sixteens, _) = window.as_chunks();
    let places = (0..64).step_by(16);
    sixteens.iter().zip(places).fold(0, |bits, (bytes, at)| bits | u64::from(high(bytes)) << at)
}

/// Copies sixteen bytes, those in upper case as in lower case, and returns how many letters they begin with. What is not a
/// letter is copied as something else.
#[inline(always)]
pub(crate) fn copy_letters(from: &[u8; 16], to: &mut [u8; 16]) -> usize {
    let letters = sixteen(from).letters;
    *to = lower(from);
    letters.trailing_ones() as usize
}

/// Copies sixteen bytes, and returns how many come before the first `byte`.
#[inline(always)]
pub(crate) fn copy_until(byte: u8, from: &[u8; 16], to: &mut [u8; 16]) -> usize {
    let found = equal(from, byte);
    *to = *from;
    (u32::from(found) | 1 << 16).trailing_zeros() as usize
}

/// Returns whether two neighbours in a text are the same byte, one of `wanted`.
pub(crate) fn doubles<const COUNT: usize>(text: &[u8], wanted: [u8; COUNT]) -> bool {
    let is_in = |sixteen: &[u8; 16]| {
        wanted.iter().any(|byte| {
            let found = equal(sixteen, *byte);
            found & found >> 1 != 0
        })
    };
    let mut at = 0;
    while let Some(sixteen) = text.get(at..).and_then(|rest| rest.first_chunk()) {
        if is_in(sixteen) {
            return true;
        }
        // The last byte has no neighbour here.
        at += 15;
    }
    match text.last_chunk() {
        Some(last) => is_in(last),
        None => text.windows(2).any(|two| matches!(two, [a, b] if a == b && wanted.contains(a))),
    }
}

/// Returns whether a byte, which is not zero, is in a text three times, side by side.
pub(crate) fn has_three(text: &[u8], byte: u8) -> bool {
    let is_in = |sixteen: &[u8; 16]| {
        let found = equal(sixteen, byte);
        found & found >> 1 & found >> 2 != 0
    };
    let mut at = 0;
    while let Some(sixteen) = text.get(at..).and_then(|rest| rest.first_chunk()) {
        if is_in(sixteen) {
            return true;
        }
        // The last two bytes have too few neighbours here.
        at += 14;
    }
    match text.last_chunk() {
        Some(last) => is_in(last),
        None => is_in(&(u128::from(eight_at(text, 0)) | u128::from(eight_at(text, 8)) << 64).to_le_bytes()),
    }
}

/// Returns whether a text has one of some bytes.
pub(crate) fn has_any<const COUNT: usize>(text: &[u8], wanted: [u8; COUNT]) -> bool {
    let is_in = |bytes: &[u8; 16]| wanted.iter().fold(0, |found, byte| found | equal(bytes, *byte)) != 0;
    let (sixteens, _) = text.as_chunks();
    match text.last_chunk() {
        Some(last) => sixteens.iter().any(is_in) || is_in(last),
        None => text.iter().any(|byte| wanted.contains(byte)),
    }
}

/// Finds the first place of a byte in fewer than sixteen.
#[inline]
fn position_among_few(byte: u8, text: &[u8]) -> Option<usize> {
    let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) else {
        return text.iter().position(|other| *other == byte);
    };
    let at = |eight: &[u8; 8]| swar::position(byte, u64::from_le_bytes(*eight));
    at(first).or_else(|| at(last).map(|at| text.len() - 8 + at))
}

/// The ends of runs in the first 256 bytes of a text.
pub(crate) struct Positions([u64; 4]);

impl Positions {
    /// Finds all bytes that are neither letters nor digits nor `-`, `.` and `_`; beyond the end there may be one more.
    pub(crate) fn of_runs(text: &[u8]) -> Self {
        let joins = |bytes: &[u8; 16]| equal(bytes, b'-') | equal(bytes, b'.') | equal(bytes, b'_');
        let ends = |bytes: &[u8; 16]| sixteen(bytes).signs & !joins(bytes);
        let mut found = Positions([0; 4]);
        for (nth, word) in found.0.iter_mut().enumerate() {
            for part in 0..4 {
                let rest = text.get(nth * 64 + part * 16..).unwrap_or_default();
                let few;
                let sixteen = match rest.first_chunk() {
                    Some(sixteen) => sixteen,
                    None if rest.is_empty() => return found,
                    None => {
                        few = u128::from(eight_at(rest, 0)) | u128::from(eight_at(rest, 8)) << 64;
                        &few.to_le_bytes()
                    }
                };
                *word |= u64::from(ends(sixteen)) << (part * 16);
            }
        }
        found
    }

    /// Finds the first place from `at` on.
    #[inline]
    pub(crate) fn next(&self, at: usize) -> Option<usize> {
        let bits = self.0.get(at / 64)? >> (at % 64);
        if bits != 0 {
            return Some(at + bits.trailing_zeros() as usize);
        }
        let mut words = self.0.iter().enumerate().skip(at / 64 + 1);
        words.find(|(_, bits)| **bits != 0).map(|(nth, bits)| nth * 64 + bits.trailing_zeros() as usize)
    }
}

/// Texts that are mostly shorter than this are searched here; what is longer is left to `memchr`.
const NEAR: usize = 32;

/// Finds the first place of a byte in a text, which is mostly near its beginning.
pub(crate) fn position(byte: u8, text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(sixteen) = text.get(at..).and_then(|rest| rest.first_chunk()) {
        let found = equal(sixteen, byte);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += 16;
        if at == NEAR {
            return memchr::memchr(byte, text.get(at..)?).map(|found| at + found);
        }
    }
    let (found, before) = match text.last_chunk() {
        // What of these was looked at already is no such byte.
        Some(last) => (equal(last, byte), text.len() - 16),
        None => return position_among_few(byte, text),
    };
    (found != 0).then(|| before + found.trailing_zeros() as usize)
}

/// Finds the first place of a byte in a text, which is nearly always among the first sixteen.
#[inline(always)]
pub(crate) fn position_near(byte: u8, text: &[u8]) -> Option<usize> {
    match text.first_chunk().map(|sixteen| equal(sixteen, byte)) {
        Some(found) if found != 0 => Some(found.trailing_zeros() as usize),
        _ => position(byte, text),
    }
}

/// The places of a byte in a text, which are found 64 bytes at a time.
pub(crate) struct Places<'t> {
    text: &'t [u8],
    byte: u8,
    /// Where the present 64 bytes begin.
    window: usize,
    /// Which of these are the byte and were not taken yet, that of the first byte lowest.
    left: u64,
}

/// Finds the places of a byte in a text, in order.
pub(crate) fn places(byte: u8, text: &[u8]) -> Places<'_> {
    Places { text, byte, window: 0, left: equal_in_window(text, byte) }
}

impl Iterator for Places<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            let next = self.window + 64;
            self.left = equal_in_window(self.text.get(next..).filter(|rest| !rest.is_empty())?, self.byte);
            self.window = next;
        }
        let place = self.window + self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(place)
    }
}

/// Which of the first 64 bytes of a text are `byte`, a bit each.
#[inline(always)]
fn equal_in_window(text: &[u8], byte: u8) -> u64 {
    match text.first_chunk::<64>() {
        Some(window) => equal_in_sixteens(window, byte),
        None => {
            let end = match text.last_chunk() {
                // What of these was looked at already is found again.
                Some(last) => u64::from(equal(last, byte)) << (text.len() - 16),
                None => {
                    let few = u128::from(eight_at(text, 0)) | u128::from(eight_at(text, 8)) << 64;
                    u64::from(equal(&few.to_le_bytes(), byte)) & !(u64::MAX << text.len())
                }
            };
            equal_in_sixteens(text, byte) | end
        }
    }
}

/// Which of the bytes of a text of at most 64 are `byte`, a bit each, but for the last ones that are fewer than sixteen.
#[inline(always)]
fn equal_in_sixteens(text: &[u8], byte: u8) -> u64 {
    let (sixteens, _) = text.as_chunks();
    let places = (0..64).step_by(16);
    sixteens.iter().zip(places).fold(0, |bits, (bytes, at)| bits | u64::from(equal(bytes, byte)) << at)
}

/// Returns whether the vectors of this processor and plain numbers classify and find the bytes of a text alike.
#[cfg(any(test, feature = "fuzzing"))]
pub fn forms_agree(text: &[u8]) -> bool {
    let (sixteens, rest) = text.as_chunks();
    let mut last = [0; 16];
    last.iter_mut().zip(rest).for_each(|(place, byte)| *place = *byte);
    sixteens.iter().chain([&last]).all(|bytes| {
        sixteen(bytes) == scalar::sixteen(bytes)
            && lower(bytes) == scalar::lower(bytes)
            && high(bytes) == scalar::high(bytes)
            && bytes.iter().all(|byte| equal(bytes, *byte) == scalar::equal(bytes, *byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_is_of_its_kind() {
        let mut random = crate::context::tests::random();
        for len in (0..=64).cycle().take(2_000) {
            let bytes: [u8; 64] = std::array::from_fn(|_| random(256) as u8);
            let mut expected = Window::default();
            for (place, byte) in bytes[..len].iter().enumerate() {
                expected.letters |= u64::from(byte.is_ascii_alphabetic()) << place;
                expected.signs |= u64::from(!byte.is_ascii_alphanumeric()) << place;
            }
            assert_eq!(Window::of(&bytes, len), expected, "{len}");
        }
    }

    #[test]
    fn vectors_and_numbers_agree() {
        let mut random = crate::context::tests::random();
        for len in (0..40).cycle().take(20_000) {
            let text: Vec<u8> = (0..len).map(|_| random(256) as u8).collect();
            assert!(forms_agree(&text), "{}", text.escape_ascii());
        }
    }

    #[test]
    fn bytes_are_found_near_and_far() {
        for len in 0..80 {
            let mut text: Vec<u8> = (0..len).map(|i| if i % 3 == 0 { b'%' } else { b'$' }).collect();
            assert_eq!(position(b'&', &text), None);
            assert_eq!(position(b'%', &text), memchr::memchr(b'%', &text));
            for at in 0..text.len() {
                for after in [at, text.len() - 1] {
                    let before = (text[at], text[after]);
                    (text[at], text[after]) = (b'&', b'&');
                    assert_eq!(position(b'&', &text), Some(at), "{}", text.escape_ascii());
                    (text[at], text[after]) = before;
                    text[at] = before.0;
                }
            }
            text.push(0xFF);
            assert_eq!(position(0xFF, &text), Some(len));
        }
    }

    #[test]
    fn any_of_some_bytes_is_found() {
        for len in 0..50 {
            let mut text: Vec<u8> = (0..len).map(|i| b"abc-\xFF"[i % 5]).collect();
            assert!(!has_any(&text, *b"'$"));
            for at in 0..len {
                let before = std::mem::replace(&mut text[at], b'$');
                assert!(has_any(&text, *b"'$") && !has_any(&text, *b"'%"));
                text[at] = before;
            }
        }
    }

    #[test]
    fn all_places_of_a_byte_are_found() {
        let mut random = crate::context::tests::random();
        for _ in 0..500 {
            let len = random(200);
            let text: Vec<u8> = (0..len).map(|_| [b'a', 0, 0xFF, b'\n'][random(4) as usize]).collect();
            for byte in [b'a', 0, 0xFF, b'\n', b'b'] {
                let expected: Vec<usize> = memchr::memchr_iter(byte, &text).collect();
                assert_eq!(places(byte, &text).collect::<Vec<_>>(), expected);
                assert_eq!(position_near(byte, &text), expected.first().copied());
            }
        }
    }

    #[test]
    fn positions_are_the_ends_of_runs() {
        let mut random = crate::context::tests::random();
        for len in (0..70).chain([127, 128, 129, 255, 256, 300]) {
            let text: Vec<u8> = (0..len).map(|_| b"abcdefgh.-_\0,;\xFF"[random(15) as usize]).collect();
            let ends = Positions::of_runs(&text);
            let is_end = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"-._".contains(byte);
            for from in 0..text.len().min(256) {
                let expected = text.iter().take(256).skip(from).position(is_end).map(|at| from + at);
                assert_eq!(ends.next(from).filter(|at| *at < text.len()), expected);
            }
        }
    }

    #[test]
    fn doubled_signs_are_found_anywhere() {
        for len in 2..40 {
            for at in 0..len - 1 {
                for sign in 0x20..=0x2F {
                    let mut text: Vec<u8> = (0..len).map(|i| b"aa.0 ll//=="[i % 11]).collect();
                    text.iter_mut().filter(|byte| **byte == sign).for_each(|byte| *byte = b'x');
                    assert!(!doubles(&text, [sign]));
                    (text[at], text[at + 1]) = (sign, sign);
                    assert!(doubles(&text, [sign]), "{}", text.escape_ascii());
                    assert!(!has_three(&text, sign));
                    if let Some(third) = text.get_mut(at + 2) {
                        let before = std::mem::replace(third, sign);
                        assert!(has_three(&text, sign), "{}", text.escape_ascii());
                        text[at + 2] = before;
                    }
                    assert!(sign ^ 1 == b'/' || !doubles(&text, [sign ^ 1]));
                }
            }
        }
    }
}
