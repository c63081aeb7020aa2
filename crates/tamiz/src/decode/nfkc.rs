//! NFKC of texts that may hold guarded bytes.

#![allow(clippy::arithmetic_side_effects, reason = "ranges of characters, and offsets into one slice")]

use std::fmt;

use icu_normalizer::{ComposingNormalizer, ComposingNormalizerBorrowed};

use super::GUARD;

/// The tables of NFKC.
pub(super) const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizer::new_nfkc();

/// Returns whether NFKC leaves a character by itself as it is.
pub(super) fn is_stable(c: char) -> bool {
    match c {
        // Letters of Latin-1, Cyrillic, Arabic and Chinese, which most texts beyond ASCII are made of.
        '\0'..='\u{7F}' | '\u{C0}'..='\u{131}' | '\u{400}'..='\u{52F}' => true,
        '\u{620}'..='\u{674}' | '\u{4E00}'..='\u{9FFF}' => true,
        _ => NFKC.is_normalized(c.encode_utf8(&mut [0; 4])),
    }
}

/// NFKC of decoded text, guarded bytes left as they are: for comparing, not for showing.
pub(crate) fn nfkc(text: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    if !nfkc_quick(text, out) {
        out.truncate(start);
        nfkc_slow(text, out);
    }
}

/// Appends the NFKC of a text that has nothing beyond ASCII but guarded bytes and full-width forms of ASCII, none of
/// which combines with another. Returns whether the text is one.
fn nfkc_quick(text: &[u8], out: &mut Vec<u8>) -> bool {
    let mut rest = text;
    while let [first, behind @ ..] = rest {
        rest = if first.is_ascii() || *first == GUARD {
            let is_plain = |byte: &&u8| byte.is_ascii() || **byte == GUARD;
            let len = 1 + behind.iter().take_while(is_plain).count();
            let (plain, after) = rest.split_at_checked(len).unwrap_or_default();
            out.extend_from_slice(plain);
            after
        } else if let [0xEF, second, third, after @ ..] = rest
            && let Some(narrow) = narrow_of(*second, *third)
        {
            out.push(narrow);
            after
        } else {
            return false;
        };
    }
    true
}

fn nfkc_slow(text: &[u8], out: &mut Vec<u8>) {
    for chunk in text.utf8_chunks() {
        if chunk.valid().is_ascii() {
            out.extend_from_slice(chunk.valid().as_bytes());
        } else {
            put_nfkc(chunk.valid(), out);
        }
        out.extend_from_slice(chunk.invalid());
    }
}

/// Appends the NFKC of one character, where that is something else; whether it is.
pub(crate) fn put_nfkc_of(c: char, out: &mut Vec<u8>) -> bool {
    if let Some(narrow) = narrow(c) {
        out.push(narrow);
        return true;
    }
    let is_changed = !is_stable(c);
    if is_changed {
        put_nfkc(c.encode_utf8(&mut [0; 4]), out);
    }
    is_changed
}

/// The ASCII character whose full-width form has, after the first, these two bytes.
pub(crate) fn narrow_of(second: u8, third: u8) -> Option<u8> {
    match (second, third) {
        (0xBC, 0x81..=0xBF) => Some(third - 0x60),
        (0xBD, 0x80..=0x9E) => Some(third - 0x20),
        _ => None,
    }
}

/// The ASCII character whose full-width form this is.
fn narrow(c: char) -> Option<u8> {
    matches!(c, '！'..='～').then(|| (u32::from(c) - u32::from('！')) as u8 + b'!')
}

/// The character that NFKC makes most of, 18 characters, and these. No other makes more than eight. They neither
/// combine with what is before them nor with what is behind.
const LONGEST: (char, &str) = ('\u{FDFA}', "صلى الله عليه وسلم");

/// How many bytes at the start of decoded text are letters, marks and digits of Arabic, from U+0620 to U+0669. Each by
/// itself is in NFKC.
#[inline]
pub(crate) fn arabic_length(text: &[u8]) -> usize {
    let is_one = |pair: &&[u8; 2]| matches!(pair, [0xD8, 0xA0..=0xBF] | [0xD9, 0x80..=0xA9]);
    2 * text.as_chunks().0.iter().take_while(is_one).count()
}

/// Appends the NFKC of a text.
pub(super) fn put_nfkc(text: &str, out: &mut Vec<u8>) {
    let (longest, becomes) = LONGEST;
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(longest) {
        put_nfkc_by_table(before, out);
        out.extend_from_slice(becomes.as_bytes());
        rest = after;
    }
    put_nfkc_by_table(rest, out);
}

fn put_nfkc_by_table(text: &str, out: &mut Vec<u8>) {
    /// A sink that takes anything.
    struct Bytes<'o>(&'o mut Vec<u8>);
    impl fmt::Write for Bytes<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.extend_from_slice(text.as_bytes());
            Ok(())
        }
    }
    if !text.is_empty() {
        let _ = NFKC.normalize_to(text, &mut Bytes(out));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::unicode::{is_letter_or_digit, is_mark};

    #[test]
    fn narrow_forms_are_those_of_nfkc() {
        for c in '\u{80}'..=char::MAX {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            let changes = put_nfkc_of(c, &mut ours);
            put_nfkc(c.encode_utf8(&mut [0; 4]), &mut theirs);
            assert_eq!(changes, theirs != c.to_string().as_bytes(), "{c:?}");
            assert!(!changes || ours == theirs, "{c:?}");
        }
    }

    #[test]
    fn the_longest_form_is_that_of_nfkc_beside_everything() {
        let (longest, becomes) = LONGEST;
        for c in '\0'..=char::MAX {
            let nfkc = |text: &str| NFKC.normalize(text).into_owned();
            let one = nfkc(c.encode_utf8(&mut [0; 4]));
            assert_eq!(nfkc(&format!("{c}{longest}{c}")), format!("{one}{becomes}{one}"), "{c:?}");
            assert!(c == longest || one.chars().count() <= 8, "{c:?}");
        }
        let mut ours = Vec::new();
        put_nfkc("e\u{301}\u{FDFA}\u{653}\u{FDFA}ﬁ", &mut ours);
        assert_eq!(ours, format!("é{becomes}\u{653}{becomes}fi").as_bytes());
    }

    #[test]
    fn characters_of_arabic_are_words_that_stay() {
        for c in '\0'..=char::MAX {
            let mut buffer = [0; 4];
            let text = c.encode_utf8(&mut buffer);
            let is_one = matches!(c, '\u{620}'..='\u{669}');
            assert_eq!(arabic_length(text.as_bytes()), if is_one { text.len() } else { 0 }, "{c:?}");
            assert!(!is_one || is_letter_or_digit(c) || is_mark(c), "{c:?}");
            assert!(!is_one || is_stable(c), "{c:?}");
        }
        assert_eq!(arabic_length("لىa".as_bytes()), 4);
        assert_eq!(arabic_length(b"\xD8"), 0);
    }

    #[test]
    fn narrow_forms_are_told_by_two_bytes() {
        for c in '\u{F000}'..='\u{FFFF}' {
            let mut buffer = [0; 4];
            if let [0xEF, second, third] = *c.encode_utf8(&mut buffer).as_bytes() {
                assert_eq!(narrow_of(second, third), narrow(c), "{c:?}");
            }
        }
    }

    #[test]
    fn both_ways_to_nfkc_agree() {
        for text in ["", "ａb；C", "！～", "é１", "ｶﾞ", "a\u{301}Ａ", "Ａ\u{301}", "｟", "plain"]
        {
            let guarded = [text.as_bytes(), b"\xFFC0x", text.as_bytes()].concat();
            for bytes in [text.as_bytes(), &guarded] {
                let (mut ours, mut slow) = (b"before".to_vec(), b"before".to_vec());
                nfkc(bytes, &mut ours);
                nfkc_slow(bytes, &mut slow);
                assert_eq!(ours, slow, "{text}");
            }
        }
        let mut out = Vec::new();
        assert!(nfkc_quick("ａb；C".as_bytes(), &mut out) && out == b"ab;C");
        assert!(!nfkc_quick("é".as_bytes(), &mut out));
    }
}
