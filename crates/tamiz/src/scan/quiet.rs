//! Texts that nothing can be told of, which is most of them: decided from the classes of their bytes and one walk over
//! their words, before anything is decoded, folded or searched.

use super::serial;
use super::structure::doubles_dot_or_dash;
use crate::bytes;
use crate::bytes::{
    ALNUM, AT, BANG, BLANK, COLON, CONTROL, DANGER, DASH, DOT, ENCODED, EQUALS, HIGH, NO_ALNUM,
    NO_SPACED_BASE64, SLASH, WORD_SIGN,
};
use crate::decode::base64;
use crate::families;
use crate::keywords;
use crate::secrets;

/// What is left are letters, digits and `. - _ / + , ? [ ]`, SP.
const LOUD: u32 = DANGER | CONTROL | HIGH | WORD_SIGN | ENCODED | COLON | BANG | EQUALS | AT;

/// Whether a text of any kind raises no flag by its content and holds no credential, as far as that is seen quickly.
/// `classes` is the union of the classes of its bytes. The flag for a space in a key or segment, and what its length or
/// its name raise, are for the caller.
pub(crate) fn cannot_flag(text: &[u8], classes: u32) -> bool {
    if classes & LOUD != 0 {
        return false;
    }
    let has = |class: u32| classes & class != 0;
    if has(NO_ALNUM) {
        if has(DOT | DASH) && doubles_dot_or_dash(text)
            || text.last() == Some(&b'?')
            // It may be JSON, perhaps behind spaces.
            || matches!(text.first(), Some(b'[' | b' ' | b'+'))
            || has(SLASH) && text.starts_with(b"//")
            || text == b"c__builtin__"
        {
            return false;
        }
        if has(BLANK) && secrets::names_scheme(text) || has(DOT) && secrets::may_hold_jwt(text) {
            return false;
        }
    }
    if text.len() >= base64::SHORTEST && (may_be_token(text, classes) || may_be_base64(text, classes)) {
        return false;
    }
    !serial::may_begin_stream(text, classes) && !keywords::may_match(text, classes)
}

fn may_be_token(text: &[u8], classes: u32) -> bool {
    families::find(text, classes).is_some()
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
                ])
                .map(|piece| (*piece).to_owned())
                .collect();
        let entries = CLASSES.iter().flat_map(|(_, entries)| entries.iter().step_by(7));
        pieces.extend(entries.flat_map(|entry| entry.split([' ', '~', '^', '!'])).map(str::to_owned));
        pieces
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
                    scan(Text::untraced(text), kind, false, cx, &mut flags);
                    assert!(flags.set.is_empty(), "{kind:?} {}", text.escape_ascii());
                }
                assert!(cx.settings.names.find_credential(text, cx).is_none(), "{}", text.escape_ascii());
                assert!(crate::body::embedded::read(Text::untraced(text), bytes::union(text), cx).is_none());
            }
        });
        assert!(quiet > 5_000, "{quiet}");
    }
}
