//! What of a path identifies someone or something (clause 5.26.4): numbers of accounts, addresses, keys.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice; sums of at most 34 digits and letters"
)]

use crate::bytes::{
    self, ALNUM, ALPHA, AT, BEYOND_HEX, BLANK, COLON, DASH, DIGIT, DOT, EQUALS, HIGH, LOWER, NO_ALNUM,
    NO_NAME, UPPER, WORD_SIGN,
};
use crate::decode::GUARD;
use crate::shape;
use crate::steps;

/// Signs that a segment is cut at have one of these classes.
const CUT: u32 = WORD_SIGN | EQUALS | COLON | HIGH | NO_NAME;

/// No number of a card, account or key is shorter, nor a token of letters and digits.
const SHORTEST_CARD: usize = 13;

/// No other text is as short that identifies without a digit, `@` or `:`.
const SHORTEST_WORD: usize = 16;

/// Whether a segment is too short and too plain to be a number or to identify. `classes` is the union of the classes of its bytes.
#[inline]
pub(super) fn is_plain_word(segment: &[u8], classes: u32) -> bool {
    segment.len() < SHORTEST_WORD && classes & (DIGIT | AT | COLON) == 0
}

/// Whether a segment, or one of its pieces, identifies. `classes` is the union of the classes of its bytes.
#[inline]
pub(super) fn identifies(segment: &[u8], classes: u32) -> bool {
    if segment.len() < SHORTEST_CARD && classes & (AT | COLON) == 0 {
        // It may be a phone number, which has a `+`, or an address, which has three dots; no other is as short.
        let may_be_phone = classes & (BLANK | DIGIT) == BLANK | DIGIT;
        let may_be_address = classes & (DOT | DIGIT) == DOT | DIGIT && has_three_dots(segment);
        return (may_be_phone || may_be_address) && identifies_slow(segment, classes);
    }
    !is_plain_word(segment, classes) && identifies_slow(segment, classes)
}

fn has_three_dots(text: &[u8]) -> bool {
    text.iter().filter(|byte| **byte == b'.').count() >= 3
}

#[inline(never)]
fn identifies_slow(segment: &[u8], classes: u32) -> bool {
    steps::slow("segment searched for identities");
    classes & COLON != 0 && is_bot(segment)
        || piece_identifies(segment, classes)
        || classes & CUT != 0 && pieces(segment).any(|piece| piece_identifies(piece, bytes::union(piece)))
}

/// Cuts a segment at signs, and at what is no plain character.
fn pieces(segment: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(segment);
    std::iter::from_fn(move || {
        let text = rest?;
        let cut = text.iter().position(|byte| *byte == GUARD || b";=,&:|\\()'\"".contains(byte));
        rest = cut.map(|at| {
            let width = if text.get(at) == Some(&GUARD) { 3 } else { 1 };
            text.get(at + width..).unwrap_or_default()
        });
        Some(text.get(..cut.unwrap_or(text.len())).unwrap_or_default())
    })
}

/// Whether a piece does, with or without its extension, or a part of it between dots.
fn piece_identifies(piece: &[u8], classes: u32) -> bool {
    if text_identifies(piece, classes) {
        return true;
    }
    let dot = if classes & DOT == 0 { None } else { memchr::memrchr(b'.', piece) };
    let Some(dot) = dot else { return false };
    // What has no letters, digits or signs that the whole has not is told nothing of either.
    let identifies = |text: &[u8]| may_identify(text, classes) && text_identifies(text, bytes::union(text));
    let (stem, extension) = (piece.get(..dot).unwrap_or_default(), piece.get(dot + 1..).unwrap_or_default());
    let is_extension = (1..=8).contains(&extension.len()) && bytes::all(extension, ALNUM);
    is_extension && identifies(stem) || piece.split(|byte| *byte == b'.').any(identifies)
}

/// Whether a text may identify that is part of one with these classes: none is shorter without a sign or a dot.
#[inline]
fn may_identify(text: &[u8], classes: u32) -> bool {
    text.len() >= SHORTEST_CARD || classes & (AT | COLON | BLANK) != 0 || has_three_dots(text)
}

fn text_identifies(text: &[u8], classes: u32) -> bool {
    steps::slow("piece searched for identities");
    let has = |class: u32| classes & class != 0;
    // The digits of a guarded byte are no characters; nothing but an address may have one in it.
    if has(HIGH) && bytes::position(GUARD, text).is_some() {
        return has(AT) && shape::is_email(text);
    }
    text.len() >= 16 && classes & (BEYOND_HEX | NO_ALNUM) == 0
        || has(DOT) && !has(ALPHA) && shape::is_ipv4(text)
        || has(COLON) && shape::is_ipv6(text)
        || has(AT) && shape::is_email(text)
        || has(DIGIT) && (is_phone(text) || text.len() >= SHORTEST_CARD && holds_number(text, classes))
        || text.len() >= 36 && has(DASH) && holds_uuid(text)
}

/// A random token, or the number of a card or account, of a text as long as that of a card.
fn holds_number(text: &[u8], classes: u32) -> bool {
    let has_letters = classes & ALPHA != 0;
    is_random(text, classes)
        || if has_letters { is_iban(text) } else { is_card(text) }
        || classes & NO_ALNUM != 0
            && text
                .split(|&byte| !bytes::is(byte, ALNUM))
                .any(|run| run.len() >= SHORTEST_CARD && bytes::all(run, DIGIT) && is_card(run))
}

/// Twenty or more of a token's characters with both cases and digits; or a run of as many letters and
/// digits, four of these or more, in one case.
fn is_random(text: &[u8], classes: u32) -> bool {
    steps::slow("letters counted");
    if text.len() < 20 {
        return false;
    }
    let has_all = classes & UPPER != 0 && classes & LOWER != 0;
    let is_token = || text.iter().all(|&b| bytes::is(b, ALNUM) || matches!(b, b'_' | b'~' | b'-'));
    has_all && is_token()
        || text.split(|&byte| !bytes::is(byte, ALNUM)).any(|run| {
            let classes = bytes::union(run);
            run.len() >= 20
                && !(classes & UPPER != 0 && classes & LOWER != 0)
                && run.iter().filter(|byte| byte.is_ascii_digit()).count() >= 4
        })
}

/// A uuid anywhere, not inside a longer word.
fn holds_uuid(text: &[u8]) -> bool {
    let is_in_word =
        |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(|byte| bytes::is(*byte, ALNUM));
    text.windows(36).enumerate().any(|(at, window)| {
        window.get(8) == Some(&b'-')
            && shape::is_uuid(window)
            && !is_in_word(at.checked_sub(1))
            && !is_in_word(Some(at + 36))
    })
}

/// The number of a card: digits, in groups or not, whose Luhn sum is a multiple of ten.
fn is_card(text: &[u8]) -> bool {
    let is_sign = |byte: &u8| matches!(byte, b' ' | b'-' | b'.' | b'_');
    let mut groups = text.split(is_sign);
    let is_whole = groups.clone().nth(1).is_none();
    if matches!(text.first(), Some(b'0' | b'1'))
        || !groups.all(|group| bytes::all(group, DIGIT) && (is_whole || group.len() >= 3))
    {
        return false;
    }
    let digits = || text.iter().rev().filter(|byte| !is_sign(byte)).map(|byte| u32::from(byte - b'0'));
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let weighed = |(digit, nth): (u32, u32)| if nth % 2 == 0 { digit } else { doubled(digit) };
    (13..=19).contains(&digits().count()) && digits().zip(0..).map(weighed).sum::<u32>().is_multiple_of(10)
}

/// An international bank account number, by its checksum.
fn is_iban(text: &[u8]) -> bool {
    let is_sign = |byte: &u8| matches!(byte, b' ' | b'-');
    let signs = || text.iter().filter(|byte| !is_sign(byte));
    let begins = signs().take(2).all(|byte| bytes::is(*byte, ALPHA))
        && signs().skip(2).take(2).all(|byte| bytes::is(*byte, DIGIT));
    let follow = |rest: u32, byte: &u8| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        letter => (rest * 100 + u32::from(letter.to_ascii_lowercase() - b'a') + 10) % 97,
    };
    begins
        && (15..=34).contains(&signs().count())
        && text.split(is_sign).all(|group| !group.is_empty() && bytes::all(group, ALNUM))
        && signs().skip(4).chain(signs().take(4)).fold(0, follow) == 1
}

/// A phone number with its `+`.
fn is_phone(text: &[u8]) -> bool {
    let Some(number) = text.strip_prefix(b"+") else { return false };
    matches!(number.first(), Some(b'0'..=b'9' | b'('))
        && number.last().is_some_and(u8::is_ascii_digit)
        && number.iter().all(|byte| byte.is_ascii_digit() || b" -.()".contains(byte))
        && (7..=15).contains(&number.iter().filter(|byte| byte.is_ascii_digit()).count())
}

/// `bot`, digits, a colon and a token, as bots are called by.
fn is_bot(segment: &[u8]) -> bool {
    let Some(rest) = segment.strip_prefix(b"bot") else { return false };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && matches!(rest.get(digits..), Some([b':', _, ..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_that_identify() {
        for segment in [
            "0b5d1b52-3c3f-4f6f-9f0e-0123456789ab",
            "0b5d1b52-3c3f-4f6f-9f0e-0123456789ab.json",
            "order-0B5D1B52-3c3f-4f6f-9f0e-0123456789ab",
            "0123456789abcdef",
            "abcdefabcdefabcd",
            "0123456789abcdef.tar.gz",
            "id=0123456789abcdef",
            "a;id=0123456789abcdef",
            "a,b=1,0123456789abcdef",
            "joe@example.com",
            "user=joe@ex.com",
            "10.0.0.1",
            "10.0.0.1.json",
            "2001:db8::1",
            "AbCdEfGhIjKlMnOpQr12",
            "AbCdEfGhIjKlMnOpQr12.js",
            "abcdefghijklmnop1234",
            "x-ABCDEFGHIJKLMNOP1234",
            "4111111111111111",
            "378282246310005",
            "4222222222222",
            "4111-1111-1111-1111",
            "4111 1111 1111 1111",
            "3782.822463.10005",
            "4512345678908",
            "451-234-567-890-123-4564",
            "4222222222222.pdf",
            "GB82WEST12345698765432",
            "gb82 west 1234 5698 7654 32",
            "G-B82WEST12345698765432",
            "DE89370400440532013000.csv",
            "NO9386011117947",
            "GB14ABCDEFGHIJK",
            "GB12ABCDEFGHIJKLMNOPQRSTUVWXYZABCD",
            "G-B-1-2-A-B-C-D-E-F-G-H-I-J-K-L-M-N-O-P-Q-R-S-T-U-V-W-X-Y-Z-A-B-C-D",
            "+34600123456",
            "+1234567",
            "+123456789012345",
            "+1 (555) 010-9999",
            "bot1:a",
            "bot123456:AAE",
            "a\\0123456789abcdef",
        ] {
            assert!(identifies(segment.as_bytes(), bytes::union(segment.as_bytes())), "{segment}");
        }
        let guarded = b"a\xFF2F0123456789abcdef";
        assert!(identifies(guarded, bytes::union(guarded)));
    }

    /// The rule, without any short way.
    fn identifies_by_the_rule(segment: &[u8]) -> bool {
        let text_identifies = |text: &[u8]| {
            let classes = bytes::union(text);
            let is_number = |run: &[u8]| bytes::all(run, DIGIT) && is_card(run);
            if text.contains(&GUARD) {
                return shape::is_email(text);
            }
            text.len() >= 16 && classes & (BEYOND_HEX | NO_ALNUM) == 0
                || shape::is_ipv4(text)
                || shape::is_ipv6(text)
                || shape::is_email(text)
                || classes & DIGIT != 0 && is_random(text, classes)
                || is_phone(text)
                || is_card(text)
                || is_iban(text)
                || text.split(|&byte| !bytes::is(byte, ALNUM)).any(is_number)
                || holds_uuid(text)
        };
        let piece_identifies = |piece: &[u8]| {
            let stem =
                piece.iter().rposition(|byte| *byte == b'.').map(|dot| (&piece[..dot], &piece[dot + 1..]));
            let is_stem = |(stem, extension): (&[u8], &[u8])| {
                (1..=8).contains(&extension.len()) && bytes::all(extension, ALNUM) && text_identifies(stem)
            };
            text_identifies(piece)
                || stem.is_some_and(is_stem)
                || piece.contains(&b'.') && piece.split(|byte| *byte == b'.').any(text_identifies)
        };
        is_bot(segment) || piece_identifies(segment) || pieces(segment).any(piece_identifies)
    }

    #[test]
    fn short_ways_follow_the_rule() {
        let pieces: [&[u8]; 32] = [
            b"a",
            b"Z",
            b"e",
            b"0",
            b"7",
            b"34",
            b"555",
            b"1234567",
            b"41111111",
            b"11111111",
            b"4222222222222",
            b"GB82WEST12345698765432",
            b"49b3f5c4-8a32-4e10-9d6c-0123456789ab",
            b"0123456789abcdef",
            b"10.0.0.1",
            b"2001:db8::1",
            b"joe@ex.com",
            b"bot12:a",
            b"AbCdEfGhIj",
            b"+",
            b"+34600123456",
            b"-",
            b" ",
            b".",
            b"_",
            b"=",
            b";",
            b",",
            b":",
            b"@",
            b"\xFF2F",
            b"\xC3\xA9",
        ];
        let (mut random, mut found) = (crate::context::tests::random(), 0);
        for _ in 0..100_000 {
            let segment: Vec<u8> =
                (0..=random(6)).flat_map(|_| pieces[random(32) as usize].iter().copied()).collect();
            let identifies = identifies(&segment, bytes::union(&segment));
            assert_eq!(identifies, identifies_by_the_rule(&segment), "{}", segment.escape_ascii());
            found += u32::from(identifies);
        }
        assert!((20_000..80_000).contains(&found), "{found}");
    }

    #[test]
    fn segments_that_do_not() {
        for segment in [
            "",
            "index.html",
            "report-2024-01-15.pdf",
            "0b5d1b52-3c3f-4f6f-9f0e-0123456789ag",
            "x0b5d1b52-3c3f-4f6f-9f0e-0123456789ab",
            "0123456789abcde",
            "abcdefghijklmnopqrst",
            "abcdefghijklmnopq123",
            "a-b-c-d-e-f-g-1-2-3-4-5-6",
            "4111-1111-1111-1112",
            "451234567894",
            "451-234-567-890-123-45678",
            "45-1234-5678-908",
            "4512345--678908",
            "GB35ABCDEFGHIJ",
            "GB10ABCDEFGHIJKLMNOPQRSTUVWXYZABCDE",
            "GB14--ABCDEFGHIJK",
            "GB14ABCDEFGHIJK-",
            "1700000000000",
            "2024-01-15-12-30-45-123",
            "NO9386011117948",
            "+123456",
            "+1234567890123456",
            "+12-",
            "c++",
            "bot:a",
            "bot1:",
            "robot1:a",
            "12:30",
            "v1.2.3",
            "jquery-3.7.1.min.js",
        ] {
            assert!(!identifies(segment.as_bytes(), bytes::union(segment.as_bytes())), "{segment}");
        }
    }
}
