//! Texts that nothing can be told of, which is most of them: decided from the classes of their bytes and one walk over
//! their words, before anything is decoded, folded or searched.

use super::structure::doubles_dot_or_dash;
use super::{Kind, Scan, serial, urls};
use crate::bytes;
use crate::bytes::{
    ALNUM, BANG, COLON, CONTROL, DANGER, DASH, DOT, ENCODED, EQUALS, HIGH, NO_ALNUM, NO_SPACED_BASE64, SLASH,
    UNDERSCORE, WORD_SIGN,
};
use crate::context::Context;
use crate::decode::base64;
use crate::keywords;
use crate::secrets;
use crate::text::Text;

/// Classes that may raise a flag. All others are letters, digits and `. - _ / + , ? @ [ ]`, SP.
const LOUD: u32 = DANGER | CONTROL | HIGH | WORD_SIGN | ENCODED | COLON | BANG | EQUALS;

/// Whether all that a text has beyond ASCII are letters that no look-alike mapping, script or decoder makes anything of:
/// Latin letters of one accent (U+00C0 to U+00FF) and Chinese characters (U+4E00 to U+9FFF).
fn has_plain_letters(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| !byte.is_ascii()) {
        rest = match rest.get(at..) {
            Some([0xC3, 0x80..=0x96 | 0x98..=0xB6 | 0xB8..=0xBF, after @ ..]) => after,
            Some([0xE4, 0xB8..=0xBF, 0x80..=0xBF, after @ ..]) => after,
            Some([0xE5..=0xE9, 0x80..=0xBF, 0x80..=0xBF, after @ ..]) => after,
            _ => return false,
        };
    }
    true
}

/// Whether a text of any kind raises no flag by its content and holds no credential, as far as that is seen quickly.
/// `classes` is the union of the classes of its bytes. The flag for a space in a key or segment, and what its length or
/// its name raise, are for the caller.
pub(crate) fn cannot_flag(text: &[u8], classes: u32) -> bool {
    if classes & LOUD != 0 && (classes & LOUD != HIGH || !has_plain_letters(text)) {
        return false;
    }
    let has = |class: u32| classes & class != 0;
    if has(NO_ALNUM)
        && (has(DOT | DASH) && doubles_dot_or_dash(text)
            || text.last() == Some(&b'?')
            // It may be JSON, perhaps behind spaces.
            || matches!(text.first(), Some(b'[' | b' ' | b'+'))
            || has(SLASH) && text.starts_with(b"//")
            || text == b"c__builtin__")
    {
        return false;
    }
    if secrets::may_hold_unnamed(text, classes)
        || text.len() >= base64::SHORTEST && may_be_base64(text, classes)
    {
        return false;
    }
    let may_be_stream = serial::may_begin_stream(text, classes) && serial::holds_stream(text);
    !may_be_stream && !keywords::may_match(text, classes)
}

/// Whether a part, at signs, of a text that cannot flag raises no flag either: it may still be Base64 by itself.
pub(crate) fn cannot_flag_part(text: &[u8], classes: u32) -> bool {
    let may_be_json = matches!(text.first(), Some(b'[' | b' ' | b'+'));
    let is_loud = classes & NO_ALNUM != 0
        && (may_be_json || text.last() == Some(&b'?') || text == b"c__builtin__")
        || text.len() >= base64::SHORTEST && may_be_base64(text, classes);
    !is_loud
}

/// The signs that are grammar in a header value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signs {
    /// Free text.
    Text = 1,
    /// `;name=value` parameters and quoted strings.
    Parameters = 2,
    /// Products with comments in brackets, as in `user-agent`.
    Comments = 4,
    /// Brands with versions, as in `sec-ch-ua`.
    Brands = 8,
}

/// The bytes that a value with each kind of signs may have, a bit each.
#[allow(clippy::arithmetic_side_effects, reason = "runs at compile time, where overflow is an error")]
const ALLOWED: [u8; 256] = {
    let mut allowed = [0; 256];
    let plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_/+,?= :";
    let mut at = 0;
    while at < plain.len() {
        allowed[plain[at] as usize] = 1 | 2 | 4 | 8;
        at += 1;
    }
    // A bracket that opens nothing makes free text of a value with comments.
    allowed[b']' as usize] = 1 | 2 | 8;
    allowed[b'*' as usize] = 2 | 4 | 8;
    allowed[b';' as usize] = 2 | 4 | 8;
    allowed[b'"' as usize] = 2 | 8;
    allowed[b'(' as usize] = 4 | 8;
    allowed[b')' as usize] = 4 | 8;
    allowed[b'!' as usize] = 8;
    allowed
};

/// Whether a header value, whose signs of a kind are grammar, raises no flag by its content and holds no credential, as
/// far as that is seen quickly. `classes` is the union of the classes of its bytes.
pub(crate) fn cannot_flag_header(text: &[u8], classes: u32, signs: Signs, cx: Context<'_>) -> bool {
    if classes & LOUD == 0 {
        return cannot_flag(text, classes);
    }
    let all = text
        .iter()
        .fold(u8::MAX, |all, &byte| all & ALLOWED.get(usize::from(byte)).copied().unwrap_or_default());
    if all & signs as u8 == 0 || !is_well_formed(text, classes, signs) {
        return false;
    }
    let has = |class: u32| classes & class != 0;
    let is_loud = has(DOT | DASH) && doubles_dot_or_dash(text)
        || has(SLASH) && text.starts_with(b"//")
        || text.len() >= base64::SHORTEST && may_be_base64(text, classes)
        || has(DANGER) && has_data_url(text)
        || serial::may_begin_stream(text, classes) && serial::holds_stream(text);
    if is_loud || cx.settings.names.may_hold_credential(text, classes, cx) {
        return false;
    }
    let whole = Text::untraced(text).repaired();
    let scan = Scan::new(whole, classes, Kind::Structured, cx);
    let mut flags = cx.flags();
    if has(COLON | BANG | UNDERSCORE) {
        urls::flag(&scan, &mut flags);
        serial::flag(&scan, &mut flags);
    }
    scan.flag_words(&mut flags);
    flags.set.is_empty()
}

/// Whether the brackets and quotes of a value are those of its grammar.
fn is_well_formed(text: &[u8], classes: u32, signs: Signs) -> bool {
    if classes & DANGER == 0 {
        return true;
    }
    match signs {
        Signs::Text => false,
        Signs::Parameters => {
            // Inside a string a `;` is no separator.
            let mut is_quoted = false;
            let is_grammar = |at: usize| {
                let is_quote = text.get(at) == Some(&b'"');
                is_quoted ^= is_quote;
                is_quote || !is_quoted
            };
            memchr::memchr2_iter(b'"', b';', text).all(is_grammar) && !is_quoted
        }
        Signs::Brands => true,
        Signs::Comments => {
            let mut depth = 0_usize;
            let is_grammar = |byte: &u8| match byte {
                b'(' => {
                    depth = depth.saturating_add(1);
                    true
                }
                b')' => {
                    let is_open = depth > 0;
                    depth = depth.saturating_sub(1);
                    is_open
                }
                b';' => depth > 0,
                _ => true,
            };
            text.iter().all(is_grammar) && depth == 0
        }
    }
}

/// Whether `;base64` is in a text.
fn has_data_url(text: &[u8]) -> bool {
    memchr::memchr_iter(b';', text).any(|at| {
        let word = text.get(at.saturating_add(1)..at.saturating_add(7));
        word.is_some_and(|word| word.eq_ignore_ascii_case(b"base64"))
    })
}

/// Whether a text decodes to something readable, or begins with what decodes to binary data of a known kind.
fn may_be_base64(text: &[u8], classes: u32) -> bool {
    let begins_like_data = || {
        matches!(text.first(), Some(b'A' | b'B' | b'H' | b'g' | b'r'))
            && text
                .iter()
                .take(base64::SHORTEST)
                .all(|&b| bytes::is(b, ALNUM) || matches!(b, b'+' | b'/' | b'-' | b'_'))
    };
    begins_like_data() || classes & NO_SPACED_BASE64 == 0 && base64::may_be_readable(text)
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, scan};
    use super::*;
    use crate::context::tests::{random, with_context};
    use crate::keywords::entries::CLASSES;
    use crate::text::Text;

    /// Pieces that texts are put together from: what attacks, tokens and honest values are made of.
    fn pieces() -> Vec<String> {
        let mut pieces: Vec<String> =
            ["..", "--", "//", "a", "0", "Bearer", "Basic", "c__builtin__", "aced0005", "rO0AB"]
                .iter()
                .chain(&[
                    "eyJhbGciOiJub25lIn0.e30.",
                    "ghp_",
                    "AKIA",
                    "PHNjcmlwdD4",
                    "http",
                    "localhost",
                    " ",
                    "+",
                    "?",
                    "/",
                    ".",
                    "-",
                    "_",
                    ",",
                    "[",
                    "]",
                    "[1,2]",
                    "@",
                    "mail@ex.com",
                    "\u{e9}",
                    "\u{df}",
                    "\u{6771}\u{4eac}",
                    "\u{4e00}",
                    "\u{9fff}",
                ])
                .map(|piece| (*piece).to_owned())
                .collect();
        let entries = CLASSES.iter().flat_map(|(_, entries)| entries.iter().step_by(7));
        pieces.extend(entries.flat_map(|entry| entry.split([' ', '~', '^', '!'])).map(str::to_owned));
        pieces
    }

    #[test]
    fn plain_letters_are_those_that_nothing_is_made_of() {
        with_context(|cx| {
            for c in '\u{80}'..='\u{FFFF}' {
                let text = format!("a{c}b");
                if has_plain_letters(text.as_bytes()) {
                    let mut flags = cx.flags();
                    scan(Text::untraced(text.as_bytes()).classified(), Kind::Leaf, false, cx, &mut flags);
                    assert!(flags.set.is_empty(), "{text}");
                    assert!(matches!(c, '\u{C0}'..='\u{FF}' | '\u{4E00}'..='\u{9FFF}'));
                    let mut normal = Vec::new();
                    crate::decode::nfkc::nfkc(text.as_bytes(), &mut normal);
                    assert_eq!(normal, text.as_bytes());
                }
            }
        });
    }

    #[test]
    fn quiet_texts_raise_nothing_and_hold_no_credential() {
        let (pieces, mut random, mut quiet) = (pieces(), random(), 0);
        let kinds =
            [Kind::Value, Kind::Form, Kind::Free, Kind::Cookie, Kind::Leaf, Kind::Path, Kind::Structured];
        with_context(|cx| {
            for _ in 0..60_000 {
                let text: String =
                    (0..=random(5)).map(|_| pieces[random(pieces.len() as u32) as usize].as_str()).collect();
                let text = text.as_bytes();
                if !cannot_flag(text, bytes::union(text)) {
                    continue;
                }
                quiet += 1;
                for kind in kinds {
                    let mut flags = cx.flags();
                    scan(Text::untraced(text).classified(), kind, false, cx, &mut flags);
                    assert!(flags.set.is_empty(), "{kind:?} {}", text.escape_ascii());
                }
                assert!(
                    cx.settings.names.find_credential(text, bytes::union(text), cx).is_none(),
                    "{}",
                    text.escape_ascii()
                );
                assert!(
                    crate::formats::embedded::read(Text::untraced(text), bytes::union(text), cx).is_none()
                );
            }
        });
        assert!(quiet > 5_000, "{quiet}");
    }
}
