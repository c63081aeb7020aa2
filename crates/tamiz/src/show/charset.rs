//! Sets of signs (clause 6.19): the ASCII characters of a value that are neither letters nor digits.

use crate::bytes;
use crate::decode;

/// The characters that are written as `%HH`, a bit each: those that are not printable, and signs of which each cuts a line, a list, a
/// query or a marker somewhere.
#[allow(clippy::arithmetic_side_effects, reason = "runs at compile time, where overflow is an error")]
const ESCAPED: u128 = {
    let signs = b"#%&,/:;<=>?[]|~";
    let mut escaped = ((1 << (b' ' + 1)) - 1) | (1 << 0x7F);
    let mut nth = 0;
    while nth < signs.len() {
        escaped |= 1 << signs[nth];
        nth += 1;
    }
    escaped
};

/// A set of ASCII characters that are neither letters nor digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CharSet(u128);

impl CharSet {
    /// Collects the signs of decoded text. Guarded bytes have none.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut quarters = [0_u64; 4];
        bytes::each_sign(text, |sign| {
            if let Some(quarter) = quarters.get_mut(usize::from(sign >> 6)) {
                *quarter |= 1 << (sign & 63);
            }
        });
        let [low, high, _, _] = quarters;
        CharSet(u128::from(low) | u128::from(high) << 64)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn contains(self, sign: u8) -> bool {
        self.0 >> (sign & 0x7F) & 1 == 1
    }

    /// Adds an ASCII character.
    pub(crate) fn with(self, sign: u8) -> Self {
        CharSet(self.0 | 1 << (sign & 0x7F))
    }

    /// Removes an ASCII character.
    pub(crate) fn without(self, sign: u8) -> Self {
        CharSet(self.0 & !(1 << (sign & 0x7F)))
    }

    /// Lists the characters, sorted.
    pub(crate) fn signs(self) -> impl Iterator<Item = u8> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let sign = u8::try_from(rest.trailing_zeros()).ok().filter(u8::is_ascii)?;
            rest &= rest.wrapping_sub(1);
            Some(sign)
        })
    }

    /// Writes the set as a marker carries it.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        for (half, first) in [(self.0 as u64, 0), ((self.0 >> 64) as u64, 64)] {
            let mut rest = half;
            while rest != 0 {
                write_sign(first | rest.trailing_zeros() as u8, out);
                rest &= rest.wrapping_sub(1);
            }
        }
    }

    /// Reads what [`CharSet::write`] writes, and nothing else: sorted, each sign once, escaped where it must be.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        CharSet::parse_signs(text, |sign, spelling| is_escaped(sign) == (spelling == Spelling::Escape))
    }

    /// Reads a set as a value may bring it (clause 6.15): signs may also stand as themselves, or guarded.
    pub(crate) fn parse_decoded(text: &[u8]) -> Option<Self> {
        CharSet::parse_signs(text, |_, _| true)
    }

    /// Reads signs, sorted and each once; `fits` judges a sign by what it is and how it is spelled.
    fn parse_signs(text: &[u8], fits: impl Fn(u8, Spelling) -> bool) -> Option<Self> {
        let mut set = CharSet::default();
        let mut rest = text;
        while let Some(&first) = rest.first() {
            let escaped = decode::escape(rest).filter(|_| rest.get(..3).is_some_and(is_upper));
            let (sign, width) = escaped.map_or((first, 1), |sign| (sign, 3));
            let spelling = match (escaped, first) {
                (None, _) => Spelling::Plain,
                (Some(_), b'%') => Spelling::Escape,
                (Some(_), _) => Spelling::Guarded,
            };
            let is_sorted = u32::from(sign) >= 128_u32.saturating_sub(set.0.leading_zeros());
            let is_sign = sign.is_ascii() && !sign.is_ascii_alphanumeric();
            if !is_sign || !is_sorted || !fits(sign, spelling) {
                return None;
            }
            set = set.with(sign);
            rest = rest.get(width..)?;
        }
        Some(set)
    }
}

/// How a sign of a set is spelled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    Plain,
    /// As `%HH`.
    Escape,
    /// As a guarded byte.
    Guarded,
}

fn is_upper(escape: &[u8]) -> bool {
    !escape.iter().any(u8::is_ascii_lowercase)
}

fn is_escaped(sign: u8) -> bool {
    !sign.is_ascii() || ESCAPED >> (sign & 0x7F) & 1 == 1
}

/// Writes one sign as a set and a token show it.
#[inline]
pub(crate) fn write_sign(sign: u8, out: &mut Vec<u8>) {
    if is_escaped(sign) {
        let [high, low] = bytes::hex(sign);
        out.extend_from_slice(&[b'%', high, low]);
    } else {
        out.push(sign);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        CharSet::of(text.as_bytes()).write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn sets_are_sorted_and_escaped() {
        assert_eq!(written("abc123"), "");
        assert_eq!(written("a*b,c'*"), "'*%2C");
        assert_eq!(written("a b\0\x7F~"), "%00%20%7E%7F");
        assert_eq!(written("é-\u{A0}"), "-");
        let all: String = (0..128_u8).map(char::from).collect();
        assert_eq!(CharSet::of(all.as_bytes()).signs().count(), 66);
        assert_eq!(CharSet::parse(written(&all).as_bytes()), Some(CharSet::of(all.as_bytes())));
    }

    #[test]
    fn only_one_spelling_is_read() {
        for text in ["'*%2C", "%20", "!\"$", "_`{}", "%7F", ""] {
            let set = CharSet::parse(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            let mut out = Vec::new();
            set.write(&mut out);
            assert_eq!(out, text.as_bytes());
        }
        for text in ["*'", "**", "%2c", "%2A", ",", "a", "%41", "%", "%%", "%2", "%80", "é", ">", " "] {
            assert_eq!(CharSet::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn decoded_sets_are_read_too() {
        for text in ["'*,", "'*%2C", " &=>", "%20\u{FF}2F", "%"] {
            let text: Vec<u8> = text.chars().map(|c| c as u8).collect();
            assert!(CharSet::parse_decoded(&text).is_some(), "{}", text.escape_ascii());
        }
        for text in [",'", "a", "''", "%2c"] {
            assert_eq!(CharSet::parse_decoded(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn signs_come_and_go() {
        let set = CharSet::of(b"+").without(b'+').with(b' ');
        assert_eq!(set.signs().collect::<Vec<_>>(), b" ");
        assert!(set.without(b' ').is_empty());
    }
}
