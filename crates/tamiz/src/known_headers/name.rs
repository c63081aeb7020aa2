//! Header names in registers: in lower case, compared and hashed by the word.

use crate::swar::{self, eight_at};

/// A longer name is looked up by its bytes.
pub(crate) const LONGEST: usize = 32;

/// A header name of at most 32 bytes, in lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShortName {
    /// Its bytes, the first lowest; zeros follow them.
    words: [u64; LONGEST / 8],
    len: u8,
}

impl ShortName {
    /// Reads a name spelt in any case; `None` where it is longer or empty.
    pub(crate) fn of(name: &[u8]) -> Option<Self> {
        ShortName::at_start(name, name.len())
    }

    /// Reads the name of `len` bytes that a text begins with, spelt in any case; `None` where it is longer
    /// or empty.
    #[inline(always)]
    pub(crate) fn at_start(text: &[u8], len: usize) -> Option<Self> {
        if !(1..=LONGEST).contains(&len) {
            return None;
        }
        let first = swar::first_sixteen(text, len);
        let mut words = [swar::lower_case(first as u64), swar::lower_case((first >> 64) as u64), 0, 0];
        if len > 16 {
            let name = text.get(..len)?;
            (words[2], words[3]) =
                (swar::lower_case(eight_at(name, 16)), swar::lower_case(eight_at(name, 24)));
        }
        Some(ShortName { words, len: len as u8 })
    }

    /// The name, and zeros behind it.
    pub(crate) fn bytes(&self) -> [u8; LONGEST] {
        let mut bytes = [0; LONGEST];
        let (eights, _) = bytes.as_chunks_mut();
        for (eight, word) in eights.iter_mut().zip(self.words) {
            *eight = word.to_le_bytes();
        }
        bytes
    }

    /// Whether it is before a name in lower case.
    pub(super) fn is_before(&self, name: &[u8]) -> bool {
        self.bytes().get(..usize::from(self.len)).is_some_and(|bytes| bytes < name)
    }

    /// A hash whose upper bits are the best.
    #[inline]
    pub(super) fn hash(&self) -> u64 {
        let [a, b, c, d] = self.words;
        let mixed = a ^ b.rotate_left(23) ^ c.rotate_left(41) ^ d.rotate_left(53);
        mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_lower_case() {
        let name = "X-Amz-Content-Sha256-And-More-Of_";
        for len in 1..=LONGEST {
            let short = ShortName::of(&name.as_bytes()[..len]).unwrap();
            let bytes = short.bytes();
            assert_eq!(&bytes[..len], name[..len].to_ascii_lowercase().as_bytes());
            assert!(bytes[len..].iter().all(|byte| *byte == 0));
            for end in len..name.len() {
                assert_eq!(ShortName::at_start(&name.as_bytes()[..end], len), Some(short));
            }
        }
        assert!(ShortName::of(name.as_bytes()).is_none() && ShortName::of(b"").is_none());
        assert_ne!(ShortName::of(b"a"), ShortName::of(b"a\0"));
    }
}
