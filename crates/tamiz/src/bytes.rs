//! Byte classes.
//!
//! One table, built at compile time from the patterns below, answers every "is this byte a …"
//! question of the form. Its edges are asserted beneath it, also at compile time.

/// `a`–`z`.
pub(crate) const LOWER: u32 = 1;
/// `A`–`Z`.
pub(crate) const UPPER: u32 = 1 << 1;
/// `0`–`9`.
pub(crate) const DIGIT: u32 = 1 << 2;
/// `a`–`f`, `A`–`F`.
pub(crate) const HEX_LETTER: u32 = 1 << 3;
/// RFC 9110 section 5.6.2: `tchar = "!" / "#" / "$" / "%" / "&" / "'" / "*" / "+" / "-" / "." /
/// "^" / "_" / "`" / "|" / "~" / DIGIT / ALPHA`.
pub(crate) const TOKEN: u32 = 1 << 4;
/// The dangerous characters of clause 7.2: `< > ' " ; ( ) { } | \` and NUL.
pub(crate) const DANGER: u32 = 1 << 5;
/// C0 controls and DEL.
pub(crate) const CONTROL: u32 = 1 << 6;
/// Bytes outside ASCII (the guard byte of [`crate::decode`] among them).
pub(crate) const HIGH: u32 = 1 << 7;
/// The punctuation a key may have and still look like a name: `_ . $ : @ [ ] -`.
pub(crate) const NAME_MARK: u32 = 1 << 8;
/// The punctuation of RFC 9110 `token68` credentials: `- . _ ~ + / =`.
pub(crate) const TOKEN68_MARK: u32 = 1 << 9;
/// Letters that are no hexadecimal digits.
pub(crate) const BEYOND_HEX: u32 = 1 << 10;
/// In neither alphabet of Base64, nor its padding, nor SP, which may be a `+` that a form decoded.
pub(crate) const NO_SPACED_BASE64: u32 = 1 << 11;
/// SP.
pub(crate) const SPACE: u32 = 1 << 12;
/// Signs whose neighbours clause 7.6 checks: ``. ` $ { < # - / & | > ; ' "`` and line ends.
pub(crate) const STRUCTURE: u32 = 1 << 13;

/// Without one of these, or a long token, no text holds a credential: `. = : / " ' \ + % & <`, SP,
/// HTAB and the guard byte.
pub(crate) const CREDENTIAL_MARK: u32 = 1 << 14;

/// Signs that attacks are made of and plain words, numbers and URLs are not:
/// ``^ ` $ \ { } < > | & * ~ # " ' ; ( )``.
pub(crate) const WORD_SIGN: u32 = 1 << 15;

/// Bytes that a further decoding may change: `%`, `&` and the guard byte.
pub(crate) const ENCODED: u32 = 1 << 16;
/// Single signs that a whole look depends on.
pub(crate) const COLON: u32 = 1 << 17;
pub(crate) const BACKSLASH: u32 = 1 << 18;
pub(crate) const BANG: u32 = 1 << 19;
pub(crate) const EQUALS: u32 = 1 << 20;
pub(crate) const DOT: u32 = 1 << 21;
pub(crate) const AT: u32 = 1 << 22;
pub(crate) const SLASH: u32 = 1 << 23;
pub(crate) const DASH: u32 = 1 << 24;
pub(crate) const UNDERSCORE: u32 = 1 << 25;
/// Bytes that may stand between a scheme and its credentials: SP, HTAB, `" ' \ +`.
pub(crate) const BLANK: u32 = 1 << 26;
/// Neither letter nor digit.
pub(crate) const NO_ALNUM: u32 = 1 << 27;
/// In neither alphabet of Base64, nor its padding.
pub(crate) const NO_BASE64: u32 = 1 << 28;

/// Bytes that names must not show: SP and `, | & = < >`.
pub(crate) const NO_NAME: u32 = 1 << 29;
/// Bytes that a query value must not show: SP and `& = # < >`.
pub(crate) const NO_QUERY: u32 = 1 << 30;
/// Delimiters of a key path: `. [ ]`.
pub(crate) const WAY: u32 = 1 << 31;

/// `.`, `_` and `-`: what joins the parts of a path-shaped value.
pub(crate) const PATH_MARK: u32 = DOT | UNDERSCORE | DASH;
/// The alphabet of Base64URL besides letters and digits: `-` and `_`.
pub(crate) const B64URL_MARK: u32 = DASH | UNDERSCORE;

pub(crate) const ALPHA: u32 = LOWER | UPPER;
pub(crate) const ALNUM: u32 = ALPHA | DIGIT;
pub(crate) const HEX: u32 = DIGIT | HEX_LETTER;
pub(crate) const TOKEN68: u32 = ALNUM | TOKEN68_MARK;

const TABLE: [u32; 256] = build();

#[allow(clippy::arithmetic_side_effects, reason = "runs at compile time, where overflow is an error")]
const fn within(byte: u8, set: &[u8]) -> bool {
    let mut i = 0;
    while i < set.len() {
        if set[i] == byte {
            return true;
        }
        i += 1;
    }
    false
}

#[allow(clippy::arithmetic_side_effects, reason = "runs at compile time, where overflow is an error")]
const fn build() -> [u32; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let byte = i as u8;
        let mut class = 0;
        if byte.is_ascii_lowercase() {
            class |= LOWER;
        }
        if byte.is_ascii_uppercase() {
            class |= UPPER;
        }
        if byte.is_ascii_digit() {
            class |= DIGIT;
        }
        if byte.is_ascii_hexdigit() && !byte.is_ascii_digit() {
            class |= HEX_LETTER;
        }
        if byte.is_ascii_alphanumeric() || within(byte, b"!#$%&'*+-.^_`|~") {
            class |= TOKEN;
        }
        if within(byte, b"<>'\";(){}|\\\0") {
            class |= DANGER;
        }
        if byte.is_ascii_control() {
            class |= CONTROL;
        }
        if !byte.is_ascii() {
            class |= HIGH;
        }
        if within(byte, b"_.$:@[]-") {
            class |= NAME_MARK;
        }
        if within(byte, b"-._~+/=") {
            class |= TOKEN68_MARK;
        }
        if byte.is_ascii_alphabetic() && !byte.is_ascii_hexdigit() {
            class |= BEYOND_HEX;
        }
        if byte == b' ' {
            class |= SPACE;
        }
        if within(byte, b".`${<#-/&|>;'\"\r\n") {
            class |= STRUCTURE;
        }
        if within(byte, b".=:/\"'\\+%&< \t\xFF") {
            class |= CREDENTIAL_MARK;
        }
        if within(byte, b"^`$\\{}<>|&*~#\"';()") {
            class |= WORD_SIGN;
        }
        class |= match byte {
            b'%' | b'&' | 0xFF => ENCODED,
            b':' => COLON,
            b'\\' => BACKSLASH | BLANK,
            b'!' => BANG,
            b'=' => EQUALS,
            b'.' => DOT,
            b'@' => AT,
            b'/' => SLASH,
            b'-' => DASH,
            b'_' => UNDERSCORE,
            b' ' | b'\t' | b'"' | b'\'' | b'+' => BLANK,
            _ => 0,
        };
        if within(byte, b" ,|&=<>") {
            class |= NO_NAME;
        }
        if within(byte, b" &=#<>") {
            class |= NO_QUERY;
        }
        if within(byte, b".[]") {
            class |= WAY;
        }
        if !byte.is_ascii_alphanumeric() {
            class |= NO_ALNUM;
        }
        if !byte.is_ascii_alphanumeric() && !within(byte, b"+/-_=") {
            class |= NO_BASE64;
        }
        if !byte.is_ascii_alphanumeric() && !within(byte, b"+/-_= ") {
            class |= NO_SPACED_BASE64;
        }
        table[i] = class;
        i += 1;
    }
    table
}

const _: () = {
    assert!(TABLE[b'a' as usize] & LOWER != 0 && TABLE[b'`' as usize] & LOWER == 0);
    assert!(TABLE[b'z' as usize] & LOWER != 0 && TABLE[b'{' as usize] & LOWER == 0);
    assert!(TABLE[b'0' as usize] & DIGIT != 0 && TABLE[b'/' as usize] & DIGIT == 0);
    assert!(TABLE[b'f' as usize] & HEX_LETTER != 0 && TABLE[b'g' as usize] & HEX_LETTER == 0);
    assert!(TABLE[b'~' as usize] & TOKEN != 0 && TABLE[b':' as usize] & TOKEN == 0);
    assert!(TABLE[0x1f] & CONTROL != 0 && TABLE[0x20] & CONTROL == 0 && TABLE[0x7f] & CONTROL != 0);
    assert!(TABLE[0x7f] & HIGH == 0 && TABLE[0x80] & HIGH != 0 && TABLE[0xff] & HIGH != 0);
};

/// The classes of `byte`, as a mask.
#[inline]
#[allow(clippy::indexing_slicing, reason = "a u8 cannot leave a table of 256")]
pub(crate) fn class(byte: u8) -> u32 {
    TABLE[byte as usize]
}

/// Returns whether `byte` is in any of `classes`.
#[inline]
pub(crate) fn is(byte: u8, classes: u32) -> bool {
    class(byte) & classes != 0
}

/// Returns whether every byte of `bytes` is in one of `classes` (true of nothing).
pub(crate) fn all(bytes: &[u8], classes: u32) -> bool {
    bytes.iter().all(|&b| is(b, classes))
}

/// The union of the classes of all bytes.
pub(crate) fn union(bytes: &[u8]) -> u32 {
    let (eights, rest) = bytes.as_chunks::<8>();
    let classes =
        eights.iter().fold(0, |classes, eight| eight.iter().fold(classes, |classes, b| classes | class(*b)));
    rest.iter().fold(classes, |classes, &b| classes | class(b))
}

/// Returns whether a text has nothing but hexadecimal digits and `-`, by the union of the classes of its bytes.
pub(crate) fn is_hexadecimal(classes: u32) -> bool {
    classes & (BEYOND_HEX | NO_BASE64 | SLASH | EQUALS | UNDERSCORE | BLANK) == 0
}

pub(crate) use crate::index::{
    Places, Positions, doubles, each_sign, has_three, is_each_sign_alone, places, position, position_near,
};

/// The last eight bytes as a number; of fewer, a number that tells them from others of their length.
pub(crate) fn last_eight(bytes: &[u8]) -> u64 {
    if let Some(last) = bytes.last_chunk() {
        return u64::from_le_bytes(*last);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last));
    }
    match *bytes {
        [] => 0,
        [a] => u64::from(a),
        [a, b] => u64::from(a) << 8 | u64::from(b),
        [a, b, .., c] => u64::from(a) << 16 | u64::from(b) << 8 | u64::from(c),
    }
}

/// RFC 9110 `token = 1*tchar`.
pub(crate) fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && all(bytes, TOKEN)
}

/// SP or HTAB, the `OWS` of RFC 9110.
pub(crate) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// `bytes` without the SP and HTAB around it.
pub(crate) fn trim(bytes: &[u8]) -> &[u8] {
    trim_end(trim_start(bytes))
}

pub(crate) fn trim_start(mut bytes: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = bytes
        && is_blank(*first)
    {
        bytes = rest;
    }
    bytes
}

pub(crate) fn trim_end(mut bytes: &[u8]) -> &[u8] {
    while let [rest @ .., last] = bytes
        && is_blank(*last)
    {
        bytes = rest;
    }
    bytes
}

/// The value of each hexadecimal digit; more than fifteen for any other byte.
#[allow(clippy::arithmetic_side_effects, reason = "runs at compile time, where overflow is an error")]
const HEX_VALUES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut digit = 0;
    while digit < 16 {
        let upper = b"0123456789ABCDEF"[digit as usize];
        values[upper as usize] = digit;
        values[upper.to_ascii_lowercase() as usize] = digit;
        digit += 1;
    }
    values
};

fn hex_value_or_more(digit: u8) -> u8 {
    HEX_VALUES.get(usize::from(digit)).copied().unwrap_or(u8::MAX)
}

/// The value of one hexadecimal digit.
pub(crate) fn hex_value(digit: u8) -> Option<u8> {
    Some(hex_value_or_more(digit)).filter(|value| *value < 16)
}

/// The byte that two hexadecimal digits stand for.
pub(crate) fn hex_byte(high: u8, low: u8) -> Option<u8> {
    let (high, low) = (hex_value_or_more(high), hex_value_or_more(low));
    (high | low < 16).then_some(high << 4 | low)
}

/// The byte that `%hh` at the start of `bytes` stands for.
pub(crate) fn escape(bytes: &[u8]) -> Option<u8> {
    match bytes {
        [b'%', high, low, ..] => hex_byte(*high, *low),
        _ => None,
    }
}

/// Two upper-case hexadecimal digits.
#[allow(clippy::arithmetic_side_effects, reason = "a nibble is below 16")]
pub(crate) fn hex(byte: u8) -> [u8; 2] {
    let digit = |nibble: u8| {
        if nibble < 10 { b'0' + nibble } else { b'A' + nibble - 10 }
    };
    [digit(byte >> 4), digit(byte & 15)]
}

/// Where `needle` first stands in `haystack`, ASCII case ignored. `needle` is lower-case.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
pub(crate) fn find_ignore_case(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let (&first, _) = needle.split_first()?;
    let upper = first.to_ascii_uppercase();
    let mut from = 0;
    while let Some(step) = memchr::memchr2(first, upper, haystack.get(from..)?) {
        let at = from + step;
        if haystack.get(at..at + needle.len())?.eq_ignore_ascii_case(needle) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_two_hex_digits() {
        assert_eq!(escape(b"%2f"), Some(b'/'));
        assert_eq!(escape(b"%2Frest"), Some(b'/'));
        for not in [&b"%"[..], b"%2", b"%2G", b"2F", b""] {
            assert_eq!(escape(not), None);
        }
        for byte in 0..=255 {
            let [h, l] = hex(byte);
            assert_eq!(escape(&[b'%', h, l]), Some(byte));
        }
    }

    #[test]
    fn hexadecimal_texts_are_known_by_their_classes() {
        for byte in 0..=u8::MAX {
            let is_it = byte.is_ascii_hexdigit() || byte == b'-';
            assert_eq!(is_hexadecimal(union(&[b'0', byte, b'a'])), is_it, "{byte}");
        }
    }

    #[test]
    fn search_ignores_case() {
        assert_eq!(find_ignore_case(b"xBeArEr y", b"bearer"), Some(1));
        assert_eq!(find_ignore_case(b"bbearer", b"bearer"), Some(1));
        assert_eq!(find_ignore_case(b"beare", b"bearer"), None);
    }

    #[test]
    fn trims_only_blanks() {
        assert_eq!(trim(b" \t a b\x0b \t"), b"a b\x0b");
        assert_eq!(trim(b" \t"), b"");
    }
}
