//! Classes of bytes, for what is beside a literal, and codes of them, for what follows a sign.

use super::tables::Section;

/// Before the first byte and after the last one.
pub(super) const EDGE: u8 = 0;
pub(super) const SPACE: u8 = 1;
/// Beyond ASCII: white space, or a character that no entry has.
pub(super) const HIGH: u8 = 2;
const LETTER: u8 = 3;
const DIGIT: u8 = 4;
const UNDERSCORE: u8 = 5;
const SLASH: u8 = 6;
pub(super) const ROUND: u8 = 10;
pub(super) const BRACKET: u8 = 11;
pub(super) const COMMAND: u8 = 13;
pub(super) const OTHER: u8 = 15;

/// Is added to a class where white space is between the literal and the byte.
pub(super) const SPACED: u8 = 16;

/// The classes that a word ends at.
pub(super) const BOUNDARY: u32 = !(1 << LETTER | 1 << DIGIT | 1 << UNDERSCORE);

/// The class of a byte.
pub(super) fn class(byte: u8) -> u8 {
    match byte {
        0..=b' ' | 0x7F | b'+' => SPACE,
        0x80.. => HIGH,
        b'a'..=b'z' | b'A'..=b'Z' => LETTER,
        b'0'..=b'9' => DIGIT,
        b'_' => UNDERSCORE,
        b'/' | b'\\' => SLASH,
        b'.' => 7,
        b'-' => 8,
        b'=' => 9,
        b'(' => ROUND,
        b')' | b'[' | b']' | b'{' | b'}' => BRACKET,
        b'\'' | b'"' | b'`' => 12,
        b';' | b'|' | b'&' => COMMAND,
        b':' => 14,
        _ => OTHER,
    }
}

/// How many codes there are at most, as a power of two.
pub(super) const CODE_BITS: u32 = 6;
pub(super) const SPACE_CODE: u8 = 1;

/// The code of a byte: one for each folded character, white space, and all beyond ASCII.
pub(super) fn code(byte: u8) -> u8 {
    const FIRST_SIGN: u8 = 29;
    match byte {
        _ if class(byte) == HIGH => 0,
        _ if class(byte) == SPACE => SPACE_CODE,
        b'0'..=b'9' => 2,
        b'a'..=b'z' => 3 + (byte - b'a'),
        b'A'..=b'Z' => 3 + (byte - b'A'),
        b'\\' => code(b'/'),
        _ => FIRST_SIGN + (b'!'..byte).filter(|before| is_coded_sign(*before)).count() as u8,
    }
}

fn is_coded_sign(byte: u8) -> bool {
    byte.is_ascii_punctuation() && byte != b'+' && byte != b'\\'
}

/// The table of classes and codes.
pub(super) fn section() -> Section {
    let records = (0..=u8::MAX).flat_map(|byte| [class(byte), code(byte)]);
    Section::records("BYTES", "The class and the code of each byte.", 2, records.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_characters_have_codes_of_their_own() {
        let folded = (0..=u8::MAX).filter(|byte| byte.is_ascii_lowercase() || is_coded_sign(*byte));
        let codes: std::collections::BTreeSet<u8> = folded.chain(*b" 0\xFF").map(code).collect();
        assert_eq!(codes.len(), 26 + 30 + 3);
        assert!(codes.iter().all(|code| *code < 1 << CODE_BITS));
        assert_eq!((code(b'\\'), code(b'Q'), code(b'7')), (code(b'/'), code(b'q'), code(b'0')));
    }
}
