//! Shapes (clause 6.9): the class of a value, first that fits.
//!
//! One principle orders them: an encoding needs evidence, else the narrowest alphabet wins.

mod date;
mod jwt;

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::bytes::{
    self, ALNUM, ALPHA, AT, B64URL_MARK, BEYOND_HEX, BLANK, COLON, CONTROL, DANGER, DASH, DIGIT, DOT, EQUALS,
    HEX_LETTER, HIGH, LOWER, NO_ALNUM, NO_BASE64, NO_SPACED_BASE64, SLASH, SPACE, TOKEN68_MARK, UPPER,
};
use crate::decode::{self, Char, nfkc, unicode};
use crate::flags::words;
use crate::steps;
use date::is_date;
pub(crate) use jwt::{JSON_STARTS, begins_like_json, is_jwt, is_jwt_header};

words! {
    /// The class of a value.
    Shape {
        /// A JSON Web Token.
        Jwt = "jwt",
        /// 8-4-4-4-12 hexadecimal digits.
        Uuid = "uuid",
        /// An IPv4 address.
        Ipv4 = "ipv4",
        /// An IPv6 address.
        Ipv6 = "ipv6",
        /// Base64URL, with evidence that it is.
        B64url = "b64url",
        /// Base64, with evidence that it is.
        B64 = "b64",
        /// Hexadecimal digits, at least one digit and one letter.
        Hex = "hex",
        /// An ISO 8601 date, perhaps with a time.
        Date = "date",
        /// An e-mail address.
        Email = "email",
        /// A URL.
        Uaxurl = "uaxurl",
        /// A JSON object or array, by clause 6.20.
        Json = "json",
        /// Digits.
        Num = "num",
        /// Lower-case ASCII letters.
        Lower = "lower",
        /// Upper-case ASCII letters.
        Upper = "upper",
        /// ASCII letters.
        Alpha = "alpha",
        /// Lower-case ASCII letters and digits.
        Lowernum = "lowernum",
        /// Upper-case ASCII letters and digits.
        Uppernum = "uppernum",
        /// ASCII letters and digits.
        Alnum = "alnum",
        /// A signed or decimal number.
        Dec = "dec",
        /// ASCII letters and digits joined by single `-` or `_`.
        Slug = "slug",
        /// Plain names joined by `/`.
        Path = "path",
        /// Letters, marks and digits of any script, joined by single spaces.
        Words = "words",
        /// Anything else; also nothing.
        Mixed = "mixed",
    }
}

impl Shape {
    /// The shape of decoded text; `classes` is the union of the classes of its bytes.
    pub(crate) fn of(text: &[u8], classes: u32) -> Shape {
        if text.is_empty() {
            Shape::Mixed
        } else if classes & NO_ALNUM == 0 {
            of_alphanumeric(text, classes)
        } else if classes & HIGH == 0 {
            of_ascii(text, classes)
        } else {
            of_unicode(text, classes)
        }
    }

    /// Returns whether its name does not tell the alphabet, so that a marker tells the signs (clause 6.19).
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Shape::Email | Shape::Mixed | Shape::Path | Shape::Uaxurl | Shape::Words)
    }

    /// The shape a secret may show: case is not told.
    pub(crate) fn coarse(self) -> Shape {
        match self {
            Shape::Lower | Shape::Upper => Shape::Alpha,
            Shape::Lowernum | Shape::Uppernum => Shape::Alnum,
            other => other,
        }
    }
}

/// Long enough, and of upper, lower and digit: random rather than written.
fn looks_encoded(text: &[u8], classes: u32) -> bool {
    text.len() >= 16 && classes & UPPER != 0 && classes & LOWER != 0 && classes & DIGIT != 0
}

fn of_alphanumeric(text: &[u8], classes: u32) -> Shape {
    if looks_encoded(text, classes) {
        return Shape::B64url;
    }
    if classes & DIGIT != 0 && classes & HEX_LETTER != 0 && classes & BEYOND_HEX == 0 {
        return Shape::Hex;
    }
    match (classes & LOWER != 0, classes & UPPER != 0, classes & DIGIT != 0) {
        (false, false, _) => Shape::Num,
        (true, false, false) => Shape::Lower,
        (false, true, false) => Shape::Upper,
        (true, true, false) => Shape::Alpha,
        (true, false, true) => Shape::Lowernum,
        (false, true, true) => Shape::Uppernum,
        (true, true, true) => Shape::Alnum,
    }
}

fn of_ascii(text: &[u8], classes: u32) -> Shape {
    steps::slow("shape of text with signs");
    if classes & DOT != 0 && is_jwt(text) {
        Shape::Jwt
    } else if bytes::is_hexadecimal(classes) && is_uuid(text) {
        Shape::Uuid
    } else if classes & ALPHA == 0 && classes & DOT != 0 && is_ipv4(text) {
        Shape::Ipv4
    } else if classes & COLON != 0 && classes & BEYOND_HEX == 0 && is_ipv6(text) {
        Shape::Ipv6
    } else if classes & NO_BASE64 == 0 && is_b64url(text, classes) {
        Shape::B64url
    } else if classes & NO_BASE64 == 0 && is_b64(text, classes) {
        Shape::B64
    } else if classes & DASH != 0 && is_date(text) {
        Shape::Date
    } else if classes & AT != 0 && is_email(text) {
        Shape::Email
    } else if classes & COLON != 0 && is_url(text) {
        Shape::Uaxurl
    } else if classes & ALPHA == 0 && is_dec(text) {
        Shape::Dec
    } else if classes & (NO_BASE64 | SLASH | EQUALS | BLANK) == 0 && bytes::is_each_sign_alone(text) {
        // All its signs are `-` and `_`.
        Shape::Slug
    } else if classes & SLASH != 0 && is_path(text) {
        Shape::Path
    } else if classes & (NO_SPACED_BASE64 | TOKEN68_MARK) == 0 && bytes::is_each_sign_alone(text) {
        // All its signs are spaces.
        Shape::Words
    } else {
        Shape::Mixed
    }
}

fn of_unicode(text: &[u8], classes: u32) -> Shape {
    steps::slow("shape beyond ASCII");
    if classes & AT != 0 && is_email(text) {
        Shape::Email
    } else if classes & COLON != 0 && is_url(text) {
        Shape::Uaxurl
    } else if is_words(text) {
        Shape::Words
    } else {
        Shape::Mixed
    }
}

/// ```text
/// 8HEXDIG "-" 4HEXDIG "-" 4HEXDIG "-" 4HEXDIG "-" 12HEXDIG
/// ```
pub(crate) fn is_uuid(text: &[u8]) -> bool {
    let Ok(mut digits) = <[u8; 36]>::try_from(text) else { return false };
    for at in [8, 13, 18, 23] {
        match digits.get_mut(at) {
            Some(dash) if *dash == b'-' => *dash = b'0',
            _ => return false,
        }
    }
    // Without a way out of a piece, so that all its bytes are compared at once.
    let is_hex = |piece: &[u8; 16]| {
        piece.iter().fold(true, |all, byte| {
            all & (((byte | 0x20).wrapping_sub(b'a') < 6) | (byte.wrapping_sub(b'0') < 10))
        })
    };
    let (pieces, _) = digits.as_chunks();
    pieces.iter().all(is_hex) && digits.last_chunk().is_some_and(is_hex)
}

pub(crate) fn is_ipv4(text: &[u8]) -> bool {
    parse::<Ipv4Addr>(text, 15)
}

pub(crate) fn is_ipv6(text: &[u8]) -> bool {
    parse::<Ipv6Addr>(text, 45)
}

fn parse<T: std::str::FromStr>(text: &[u8], longest: usize) -> bool {
    text.len() <= longest && std::str::from_utf8(text).is_ok_and(|s| s.parse::<T>().is_ok())
}

/// ```text
/// 1*(ALPHA / DIGIT / "-" / "_") *2"="
/// ```
fn is_b64url(text: &[u8], classes: u32) -> bool {
    let (body, padding) = unpadded(text);
    !body.is_empty() && has_evidence(text, padding, classes) && bytes::all(body, ALNUM | B64URL_MARK)
}

/// ```text
/// *4b64 [ 2b64 "==" / 3b64 "=" ]        b64 = ALPHA / DIGIT / "+" / "/"
/// ```
fn is_b64(text: &[u8], classes: u32) -> bool {
    let (body, padding) = unpadded(text);
    text.len().is_multiple_of(4)
        && has_evidence(text, padding, classes)
        && body.iter().all(|&b| bytes::is(b, ALNUM) || b == b'+' || b == b'/')
}

fn unpadded(text: &[u8]) -> (&[u8], usize) {
    match text {
        [body @ .., b'=', b'='] => (body, 2),
        [body @ .., b'='] => (body, 1),
        body => (body, 0),
    }
}

fn has_evidence(text: &[u8], padding: usize, classes: u32) -> bool {
    looks_encoded(text, classes) || (padding > 0 && text.len().is_multiple_of(4))
}

/// `^[^@\s]+@[^@\s]+\.[^@\s]+$`, without dangerous characters.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
pub(crate) fn is_email(text: &[u8]) -> bool {
    let Some(at) = bytes::position(b'@', text) else {
        return false;
    };
    let (local, domain) = (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
    let classes = bytes::union(text);
    if local.is_empty() || bytes::position(b'@', domain).is_some() || classes & DANGER != 0 {
        return false;
    }
    // A dot with at least one character on either side.
    let inner = domain.get(1..domain.len().saturating_sub(1)).unwrap_or_default();
    bytes::position(b'.', inner).is_some()
        && (classes & (SPACE | CONTROL | HIGH) == 0 || !has_white_space(text))
}

fn has_white_space(text: &[u8]) -> bool {
    decode::char_indices(text).any(|(_, c)| matches!(c, Char::Plain(c) if unicode::is_white_space(c)))
}

/// Schemes that need no `//` to be a URL.
const BARE_SCHEMES: [&[u8]; 8] =
    [b"data", b"javascript", b"mailto", b"tel", b"urn", b"about", b"blob", b"vbscript"];

/// `scheme://…`, or one of the schemes that go without.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
pub(crate) fn is_url(text: &[u8]) -> bool {
    let Some(colon) = bytes::position(b':', text) else {
        return false;
    };
    let scheme = text.get(..colon).unwrap_or_default();
    let rest = text.get(colon + 1..).unwrap_or_default();
    is_scheme(scheme)
        && (rest.starts_with(b"//") || BARE_SCHEMES.iter().any(|s| scheme.eq_ignore_ascii_case(s)))
}

/// RFC 3986: `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`.
pub(crate) fn is_scheme(text: &[u8]) -> bool {
    matches!(text, [first, rest @ ..] if bytes::is(*first, ALPHA)
        && rest.iter().all(|&b| bytes::is(b, ALNUM) || matches!(b, b'+' | b'-' | b'.')))
}

/// `[+-]?digits[.digits]`; plain digits were taken before.
fn is_dec(text: &[u8]) -> bool {
    let unsigned = match text {
        [b'+' | b'-', rest @ ..] => rest,
        all => all,
    };
    let mut parts = unsigned.splitn(2, |&b| b == b'.');
    parts.all(|part| !part.is_empty() && bytes::all(part, DIGIT))
}

/// Parts of `[A-Za-z0-9._-]`, none of them dots alone, with at least one `/`, which may lead and end.
fn is_path(text: &[u8]) -> bool {
    if bytes::position(b'/', text).is_none() {
        return false;
    }
    let inner = text.strip_prefix(b"/").unwrap_or(text);
    let inner = inner.strip_suffix(b"/").unwrap_or(inner);
    inner
        .split(|&b| b == b'/')
        .all(|part| bytes::all(part, ALNUM | bytes::PATH_MARK) && part.iter().any(|&b| b != b'.'))
}

/// Letters, marks and digits joined by single spaces, or one such word beyond ASCII.
fn is_words(text: &[u8]) -> bool {
    steps::slow("words counted");
    let in_word = |c: Char| c.plain().is_some_and(|c| unicode::is_letter_or_digit(c) || unicode::is_mark(c));
    let mut rest = text;
    loop {
        let (arabic, after) = rest.split_at_checked(nfkc::arabic_length(rest)).unwrap_or_default();
        let len =
            if let [b' ', ..] = after { 0 } else { bytes::position(b' ', after).unwrap_or(after.len()) };
        let (others, next) = after.split_at_checked(len).unwrap_or_default();
        let is_word = !(arabic.is_empty() && others.is_empty());
        if !is_word || !decode::char_indices(others).all(|(_, c)| in_word(c)) {
            return false;
        }
        let [_, next @ ..] = next else { return true };
        rest = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::random;

    #[test]
    fn slugs_and_words_are_told_by_classes() {
        let is_slug = |text: &[u8]| {
            text.split(|b| matches!(b, b'-' | b'_')).all(|part| !part.is_empty() && bytes::all(part, ALNUM))
        };
        let mut random = random();
        for _ in 0..200_000 {
            let kinds = [3, 5, 12][random(3) as usize];
            let text: Vec<u8> = (0..random(24)).map(|_| b"ag0- _Z+/=,."[random(kinds) as usize]).collect();
            let shape = Shape::of(&text, bytes::union(&text));
            let is_plain = shape != Shape::Mixed && shape != Shape::Slug && shape != Shape::Words;
            if !is_plain {
                let is_slug = is_slug(&text) && bytes::union(&text) & NO_ALNUM != 0;
                assert_eq!(shape == Shape::Slug, is_slug, "{}", text.escape_ascii());
                let is_words = !is_slug && is_words(&text);
                assert_eq!(shape == Shape::Words, is_words, "{}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn uuids() {
        let uuid = b"01234567-89ab-CDEF-0123-456789abcdef";
        assert!(is_uuid(uuid));
        for at in 0..uuid.len() {
            for byte in 0..=u8::MAX {
                let mut text = *uuid;
                text[at] = byte;
                let is_well = if uuid[at] == b'-' { byte == b'-' } else { byte.is_ascii_hexdigit() };
                assert_eq!(is_uuid(&text), is_well, "{}", text.escape_ascii());
            }
        }
        assert!(!is_uuid(&uuid[1..]) && !is_uuid(b"012345678-9ab-CDEF-0123-456789abcdef"));
    }

    #[test]
    fn shapes_of_examples() {
        for (text, shape) in [
            ("", Shape::Mixed),
            ("12345", Shape::Num),
            ("aaa", Shape::Lower),
            ("ABC", Shape::Upper),
            ("Abc", Shape::Alpha),
            ("abc123", Shape::Hex),
            ("xyz123", Shape::Lowernum),
            ("XYZ123", Shape::Uppernum),
            ("Xyz123", Shape::Alnum),
            ("dGVzdA==", Shape::B64url),
            ("dGVz/A==", Shape::B64),
            ("abcDEF123456_-xyz", Shape::B64url),
            ("abcDEF123456/xyz", Shape::B64),
            ("abcDEF123456xyz", Shape::Alnum),
            ("-1", Shape::Dec),
            ("1.5", Shape::Dec),
            ("+1.", Shape::Mixed),
            ("1.2.3", Shape::Mixed),
            ("a-b_c", Shape::Slug),
            ("a--b", Shape::Mixed),
            ("/a/b.txt", Shape::Path),
            ("a/b/", Shape::Path),
            ("/", Shape::Mixed),
            ("a//b", Shape::Mixed),
            ("../a", Shape::Mixed),
            ("hello world", Shape::Words),
            ("hello  world", Shape::Mixed),
            ("niño", Shape::Words),
            ("صلى الله", Shape::Words),
            ("صلىa الله", Shape::Words),
            ("صلى  الله", Shape::Mixed),
            (" صلى", Shape::Mixed),
            ("صلى ", Shape::Mixed),
            ("صلى. الله", Shape::Mixed),
            ("é صلى.", Shape::Mixed),
            ("1+UNION+SELECT+1", Shape::Mixed),
            ("192.168.0.1", Shape::Ipv4),
            ("192.168.0.01", Shape::Mixed),
            ("::1", Shape::Ipv6),
            ("2024-02-31", Shape::Date),
            ("2024-13-01", Shape::Slug),
            ("2024-02-30T10:20:30.5Z", Shape::Date),
            ("2024-02-30 10:20", Shape::Date),
            ("2024-02-30T10:20+02:00", Shape::Date),
            ("2024-02-30T1:20", Shape::Mixed),
            ("a@b.co", Shape::Email),
            ("a@b", Shape::Mixed),
            ("a@.b", Shape::Mixed),
            ("a'@b.co", Shape::Mixed),
            ("https://ex.com/a", Shape::Uaxurl),
            ("JavaScript:alert(1)", Shape::Uaxurl),
            ("foo:bar", Shape::Mixed),
            ("123e4567-e89b-12d3-a456-426614174000", Shape::Uuid),
            ("eyJhbGciOiJub25lIn0.e30.", Shape::Jwt),
            ("eyJhbGciOiJub25lIn0.e30.abc", Shape::Jwt),
            ("abc.def.ghi", Shape::Mixed),
        ] {
            assert_eq!(Shape::of(text.as_bytes(), bytes::union(text.as_bytes())), shape, "{text}");
        }
    }

    #[test]
    fn an_address_made_of_hex_digits_is_still_one() {
        assert_eq!(Shape::of(b"abcd::1", bytes::union(b"abcd::1")), Shape::Ipv6);
    }
}
