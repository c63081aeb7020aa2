//! Base64 of readable text (clause 7.7.4).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use super::unicode;
use crate::bytes::{self, ALNUM, CONTROL, NO_SPACED_BASE64, WORD_SIGN};
use crate::steps;

/// Shorter values are words, not Base64.
pub(crate) const SHORTEST: usize = 12;

/// Finds what may be Base64: the text, or what follows `;base64,` in it. `classes` is the union of the classes of its
/// bytes.
pub(crate) fn encoded(text: &[u8], classes: u32) -> Option<&[u8]> {
    if text.len() < SHORTEST {
        return None;
    }
    if classes & NO_SPACED_BASE64 == 0 {
        return Some(text);
    }
    if classes & WORD_SIGN == 0 {
        return None;
    }
    bytes::places(b';', text).find_map(|at| text.get(at..)?.strip_prefix(b";base64,"))
}

/// Appends what a text hides in Base64, if that is readable: of either alphabet, padded or not, with SP for `+`. Stray
/// bytes are left out, so that what is appended is UTF-8.
pub(crate) fn read(text: &[u8], classes: u32, out: &mut Vec<u8>) -> bool {
    encoded(text, classes).is_some_and(|encoded| decode_readable(encoded, out))
}

/// How many bytes Base64 stands for, stray ones included.
pub(crate) fn decoded_length(text: &[u8]) -> usize {
    without_padding(text).len() * 3 / 4
}

fn without_padding(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text)
}

/// Returns whether a text may hide readable text. `classes` is the union of the classes of its bytes.
pub(crate) fn may_hide(text: &[u8], classes: u32) -> bool {
    encoded(text, classes).is_some_and(may_be_readable)
}

/// Returns whether Base64 of a text may be readable: `text` has no other characters.
pub(crate) fn may_be_readable(text: &[u8]) -> bool {
    !is_unreadable(without_padding(text))
}

/// Returns whether so much of it is neither printable ASCII nor UTF-8 that decoding need not go on. Judges whole groups
/// only.
fn is_unreadable(body: &[u8]) -> bool {
    steps::slow("Base64 judged");
    let most = body.len() / 4 * 3 / 10 + 1;
    let (groups, _) = body.as_chunks::<4>();
    let kind = |byte: u8| KINDS.get(usize::from(byte)).copied().unwrap_or_default();
    let mut bad = 0;
    let has_too_many = groups.iter().any(|group| {
        bad += decode_group(*group).into_iter().map(|byte| usize::from(kind(byte) / BAD)).sum::<usize>();
        bad > most
    });
    let mut state = 0;
    has_too_many
        && groups.iter().any(|group| {
            decode_group(*group).into_iter().any(|byte| {
                state =
                    STEPS.get(usize::from(state & NEEDED | (kind(byte) % BAD))).copied().unwrap_or_default();
                state & BROKEN != 0
            })
        })
}

#[inline]
fn decode_group([a, b, c, d]: [u8; 4]) -> [u8; 3] {
    let bits = sextet(a) << 18 | sextet(b) << 12 | sextet(c) << 6 | sextet(d);
    [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8]
}

/// No printable ASCII, line end or tab.
const BAD: u8 = 1 << 3;
/// Kinds of bytes of UTF-8: a character of one byte; the first byte of one with so many more; one that is not the first; a
/// control, or a byte that no UTF-8 has.
const FIRST: [u8; 4] = [0, 1, 2, 3];
const FOLLOWS: u8 = 4;
const NEVER: u8 = 5;

/// The kind of each byte, and whether it is bad.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    loop {
        kinds[byte as usize] = match byte {
            b'\t' | b'\n' | b'\r' | 0x20..0x7F => FIRST[0],
            0x80..0xC0 => FOLLOWS | BAD,
            0xC2..0xE0 => FIRST[1] | BAD,
            0xE0..0xF0 => FIRST[2] | BAD,
            0xF0..0xF5 => FIRST[3] | BAD,
            0..0x20 | 0x7F | 0xC0 | 0xC1 | 0xF5.. => NEVER | BAD,
        };
        if byte == u8::MAX {
            break;
        }
        byte = byte.wrapping_add(1);
    }
    kinds
};

/// How many more bytes a character needs, in a state; the bits below are free for a kind.
const NEEDED: u8 = 3 << 3;
/// In a state: the last byte can be no UTF-8 without controls.
const BROKEN: u8 = 1 << 5;

/// The state behind a byte of each kind, in each state.
const STEPS: [u8; 32] = {
    let mut steps = [0; 32];
    let mut at = 0_u8;
    while at < 32 {
        let (needed, kind) = (at >> 3, at & 7);
        steps[at as usize] = match (needed, kind) {
            (1.., FOLLOWS) => (needed - 1) << 3,
            (0, FOLLOWS) | (_, NEVER) => BROKEN,
            (0, first) => first << 3 & NEEDED,
            (_, first) => BROKEN | first << 3 & NEEDED,
        };
        at += 1;
    }
    steps
};

/// The six bits that a character of either alphabet stands for. SP is what a form makes of `+`.
fn sextet(byte: u8) -> u32 {
    const SEXTETS: [u8; 256] = {
        let mut sextets = [63; 256];
        let mut byte = 0;
        while byte < 256 {
            sextets[byte] = match byte as u8 {
                letter @ b'A'..=b'Z' => letter - b'A',
                letter @ b'a'..=b'z' => letter - b'a' + 26,
                digit @ b'0'..=b'9' => digit - b'0' + 52,
                b'+' | b'-' | b' ' => 62,
                _ => 63,
            };
            byte += 1;
        }
        sextets
    };
    u32::from(SEXTETS.get(usize::from(byte)).copied().unwrap_or_default())
}

fn is_control(byte: u8) -> bool {
    bytes::is(byte, CONTROL) && !matches!(byte, b'\t' | b'\n' | b'\r')
}

/// Appends Base64 decoded, without stray bytes; whether that is readable: nine tenths of it are printable ASCII, or it
/// is text of one script.
fn decode_readable(text: &[u8], out: &mut Vec<u8>) -> bool {
    steps::slow("Base64 decoded");
    let body = without_padding(text);
    let in_alphabet = |&b: &u8| bytes::is(b, ALNUM) || matches!(b, b'+' | b'/' | b'-' | b'_' | b' ');
    // Most are found to be no text by their first groups.
    if body.len() < SHORTEST || body.len() % 4 == 1 || is_unreadable(body) || !body.iter().all(in_alphabet) {
        return false;
    }
    // No text is of both alphabets.
    if memchr::memchr2(b'-', b'_', body).is_some() && memchr::memchr3(b'+', b'/', b' ', body).is_some() {
        return false;
    }
    crate::steps::count(body.len());
    let start = out.len();
    for group in body.chunks(4) {
        let bits = group.iter().fold(0, |bits, byte| bits << 6 | sextet(*byte)) << (6 * (4 - group.len()));
        out.extend([bits >> 16, bits >> 8, bits].into_iter().take(group.len() - 1).map(|byte| byte as u8));
    }
    let decoded = out.get(start..).unwrap_or_default();
    let printable = decoded.iter().filter(|byte| byte.is_ascii() && !is_control(**byte)).count();
    if printable >= decoded.len() - decoded.len() / 10 {
        drop_stray_bytes(out, start);
        return true;
    }
    // By chance digits decode to UTF-8 too, but not to one script.
    !decoded.iter().any(|byte| is_control(*byte))
        && std::str::from_utf8(decoded).is_ok_and(unicode::is_of_one_script)
}

/// Drops, from `start` on, the bytes that are not part of well-formed UTF-8.
fn drop_stray_bytes(text: &mut Vec<u8>, start: usize) {
    let (mut kept, mut at) = (start, start);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let (valid, stray) = match std::str::from_utf8(rest) {
            Ok(all) => (all.len(), 0),
            Err(error) => (error.valid_up_to(), 1),
        };
        text.copy_within(at..at + valid, kept);
        kept += valid;
        at += valid + stray;
    }
    text.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Option<String> {
        let mut out = Vec::new();
        let is_readable = read(text.as_bytes(), bytes::union(text.as_bytes()), &mut out);
        is_readable.then(|| String::from_utf8(out).unwrap())
    }

    #[test]
    fn readable_text() {
        for text in [
            "PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
            "PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg",
            "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
        ] {
            assert_eq!(decoded(text).as_deref(), Some("<script>alert(1)</script>"), "{text}");
        }
        for text in [
            "administrator",
            "JSESSIONIDJSESSIONID",
            "AAECAwQFBgcICQoL",
            "/v38+/r5+Pf29fTz8vHw",
            "gICAgICAgICAgICA",
            // Cyrillic and Hebrew; one character that is Syriac.
            "0L/QsNGA157Xlw==",
            "circunstante",
            "abc",
            "PHNjcmlwdD5h\tb",
            "",
            "the quick brown fox jumps over",
        ] {
            assert_eq!(decoded(text), None, "{text}");
        }
    }

    #[test]
    fn other_scripts_are_readable_and_stray_bytes_are_left_out() {
        assert_eq!(decoded("Y29udHJhc2XDsWE9aHVudGVyMg==").as_deref(), Some("contrase\u{f1}a=hunter2"));
        assert_eq!(decoded("0L/QsNGA0L7Qu9GMPXg=").as_deref(), Some("пароль=x"));
        // `abcdefghij`, the byte F1, `klmnopqrst`.
        assert_eq!(decoded("YWJjZGVmZ2hpavFrbG1ub3BxcnN0").as_deref(), Some("abcdefghijklmnopqrst"));
    }

    #[test]
    fn a_space_is_what_a_form_made_of_a_plus() {
        assert_eq!(decoded("YT8+YT8/YT8+").as_deref(), Some("a?>a??a?>"));
        assert_eq!(decoded("YT8 YT8/YT8 ").as_deref(), Some("a?>a??a?>"));
        assert_eq!(decoded("YT8 YT8_YT8 "), None);
    }
}
