//! JSON Web Tokens.

use data_encoding::BASE64URL_NOPAD;

use crate::bytes::{self, ALNUM, B64URL_MARK};
use crate::json;
use crate::steps;

/// Three Base64URL segments, the third perhaps empty, of which the first is a JSON object.
pub(crate) fn is_jwt(text: &[u8]) -> bool {
    steps::slow("JSON Web Token judged");
    if !begins_like_json(text) {
        return false;
    }
    let mut segments = text.split(|&b| b == b'.');
    let (Some(header), Some(payload), Some(signature), None) =
        (segments.next(), segments.next(), segments.next(), segments.next())
    else {
        return false;
    };
    let in_alphabet = |segment| bytes::all(segment, ALNUM | B64URL_MARK);
    !payload.is_empty() && is_jwt_header(header) && in_alphabet(payload) && in_alphabet(signature)
}

/// Returns whether a Base64URL segment decodes to a JSON object.
pub(crate) fn is_jwt_header(segment: &[u8]) -> bool {
    begins_like_json(segment)
        && if segment.len() <= SHORT_HEADER { is_short_object(segment) } else { is_long_object(segment) }
}

/// Returns whether Base64URL begins with the first twelve bits of a JSON object: of `{` and `"`, white space or `}`,
/// or of the white space JSON allows before it and more of that or `{`.
pub(crate) fn begins_like_json(segment: &[u8]) -> bool {
    segment.first_chunk().is_some_and(|first| JSON_STARTS.contains(first))
}

/// The first two characters of such segments.
pub(crate) const JSON_STARTS: [[u8; 2]; 15] = [
    *b"ey", *b"ew", *b"e3", *b"IC", *b"IA", *b"IH", *b"CS", *b"CQ", *b"CX", *b"Ci", *b"Cg", *b"Cn", *b"DS",
    *b"DQ", *b"DX",
];

/// Nearly all headers of tokens are shorter, in Base64.
const SHORT_HEADER: usize = 512;

fn is_short_object(segment: &[u8]) -> bool {
    let mut buffer = [0; SHORT_HEADER / 4 * 3];
    let decoded = BASE64URL_NOPAD.decode_len(segment.len()).ok().and_then(|len| buffer.get_mut(..len));
    decoded.is_some_and(|decoded| {
        BASE64URL_NOPAD.decode_mut(segment, decoded).is_ok() && json::is_object(decoded)
    })
}

fn is_long_object(segment: &[u8]) -> bool {
    BASE64URL_NOPAD.decode(segment).is_ok_and(|decoded| json::is_object(&decoded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_begin_like_json() {
        for first in [b'{', b' ', b'\t', b'\n', b'\r', b'[', b'a', b'"'] {
            for second in 0..=u8::MAX {
                let encoded = BASE64URL_NOPAD.encode(&[first, second, b'x']);
                let may_follow: &[u8] = match first {
                    b'{' => b"\" \t\n\r}",
                    b' ' | b'\t' | b'\n' | b'\r' => b"{ \t\n\r",
                    _ => b"",
                };
                if may_follow.contains(&second) {
                    assert!(begins_like_json(encoded.as_bytes()), "{first} {second}");
                }
            }
        }
        for object in ["{}", " {}", "{ }", "\r\n{\"a\":1}", "\t\t{\n}"] {
            assert!(is_jwt_header(BASE64URL_NOPAD.encode(object.as_bytes()).as_bytes()), "{object}");
        }
    }

    #[test]
    fn headers_of_tokens_of_any_length() {
        for len in 0..SHORT_HEADER {
            let json = format!("{{\"alg\":\"{}\"}}", "x".repeat(len));
            let header = BASE64URL_NOPAD.encode(json.as_bytes());
            assert!(is_jwt_header(header.as_bytes()), "{len}");
            assert!(!is_jwt_header(header.replacen('e', "i", 1).as_bytes()), "{len}");
            let broken = BASE64URL_NOPAD.encode(json.trim_end_matches('}').as_bytes());
            assert!(!is_jwt_header(broken.as_bytes()), "{len}");
            if header.len() <= SHORT_HEADER {
                assert!(is_long_object(header.as_bytes()) && !is_long_object(broken.as_bytes()), "{len}");
            }
        }
    }
}
