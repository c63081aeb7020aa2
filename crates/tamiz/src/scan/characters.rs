//! Single characters (clauses 4.9, 4.10, 7.2) and scripts (clause 7.4).

use super::Kind;
use crate::bytes::{self, CONTROL, DANGER, HIGH, SPACE};
use crate::context::Context;
use crate::decode::{Char, GUARD, char_indices, first_char, nfkc, unicode};
use crate::flags::{Flag, Flags};
use crate::steps;
use crate::text::{Classified, Text};

/// Raises the flags of single characters, and of scripts. For a secret the evidence is all of the text.
pub(crate) fn characters<'a>(
    text: Classified<'a>,
    kind: Kind,
    secret: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) {
    let Classified { text, classes } = text;
    let danger = if kind.flags_characters() { DANGER } else { 0 };
    let space = if matches!(kind, Kind::Segment | Kind::Key) { SPACE } else { 0 };
    if classes & (danger | CONTROL | HIGH | space) == 0 {
        return;
    }
    if !text.is_traced() && (classes & HIGH == 0 || high_tells_nothing(text.bytes)) {
        characters_quick(text.with_classes(classes), &Ordinary::of(text.bytes, kind, cx), kind, flags);
    } else {
        characters_slow(text, classes, kind, secret, cx, flags);
    }
}

/// The characters that are ordinary in one text, depending on its place.
struct Ordinary {
    /// The quotes are those around all of it.
    quotes: bool,
    /// A space tells, at its ends or anywhere.
    spaces_at_ends: bool,
    spaces: bool,
}

impl Ordinary {
    fn of(text: &[u8], kind: Kind, cx: Context<'_>) -> Self {
        let beyond_core = cx.settings.beyond_core();
        let at_ends = kind == Kind::Segment && beyond_core;
        Ordinary {
            quotes: beyond_core && matches!(kind, Kind::Value | Kind::Form | Kind::Leaf) && is_quoted(text),
            spaces_at_ends: at_ends,
            spaces: matches!(kind, Kind::Segment | Kind::Key) && !at_ends,
        }
    }
}

/// Returns whether a text is one string: `"a b"`.
fn is_quoted(text: &[u8]) -> bool {
    matches!(text, [b'"', inner @ .., b'"'] if !inner.is_empty() && memchr::memchr3(b'"', b'\'', b'\\', inner).is_none())
}

/// Returns whether a text has a letter of a script that is written from right to left.
fn is_right_to_left(text: &[u8]) -> bool {
    char_indices(text).filter_map(|(_, c)| c.plain()).any(|c| {
        matches!(c, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}'
            | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
            && unicode::is_letter(c)
    })
}

/// Returns whether a text may tell anything by its characters, wherever it is but in a key or segment. `classes` is the
/// union of the classes of its bytes.
pub(crate) fn may_flag_characters(classes: u32) -> bool {
    classes & (DANGER | CONTROL | HIGH) != 0
}

/// Flags of single ASCII characters, a bit each; the bits of a text are its flags.
mod bits {
    pub(super) const ANGLE: u16 = 1;
    pub(super) const QUOTE: u16 = 1 << 1;
    pub(super) const SEMICOLON: u16 = 1 << 2;
    pub(super) const PAREN: u16 = 1 << 3;
    pub(super) const BRACE: u16 = 1 << 4;
    pub(super) const PIPE: u16 = 1 << 5;
    pub(super) const BACKSLASH: u16 = 1 << 6;
    pub(super) const SPACE: u16 = 1 << 7;
    pub(super) const NUL: u16 = 1 << 8;
    /// HTAB and line ends, which are ordinary in some places.
    pub(super) const BLANK: u16 = 1 << 9;
    /// All other controls, and NUL.
    pub(super) const CONTROL: u16 = 1 << 10;
}

/// By byte.
const BITS: [u16; 256] = {
    let mut all = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        all[byte] = match byte as u8 {
            b'<' | b'>' => bits::ANGLE,
            b'\'' | b'"' => bits::QUOTE,
            b';' => bits::SEMICOLON,
            b'(' | b')' => bits::PAREN,
            b'{' | b'}' => bits::BRACE,
            b'|' => bits::PIPE,
            b'\\' => bits::BACKSLASH,
            b' ' => bits::SPACE,
            b'\0' => bits::NUL | bits::CONTROL,
            b'\t' | b'\n' | b'\r' => bits::BLANK,
            0x01..=0x1F | 0x7F => bits::CONTROL,
            _ => 0,
        };
        byte += 1;
    }
    all
};

/// Raises the flags of a text's ASCII, where nobody asks which of its characters raise them.
fn characters_quick<'a>(text: Classified<'a>, ordinary: &Ordinary, kind: Kind, flags: &mut Flags<'a>) {
    steps::slow("signs judged");
    let Classified { text, classes } = text;
    let bits_of = |byte: &u8| BITS.get(usize::from(*byte)).copied().unwrap_or_default();
    let found = match classes & (DANGER | CONTROL | SPACE) {
        0 => 0,
        SPACE => bits::SPACE,
        _ => text.bytes.iter().fold(0, |found, byte| found | bits_of(byte)),
    };
    let mut raise = |flag, bits: u16| {
        if found & bits != 0 {
            flags.raise(flag, text);
        }
    };
    if kind.flags_characters() {
        raise(Flag::Angle, bits::ANGLE);
        raise(Flag::Quote, if ordinary.quotes { 0 } else { bits::QUOTE });
        raise(Flag::Semicolon, bits::SEMICOLON);
        raise(Flag::Paren, bits::PAREN);
        raise(Flag::Brace, bits::BRACE);
        raise(Flag::Pipe, bits::PIPE);
        raise(Flag::Backslash, bits::BACKSLASH);
    }
    let at_ends = || matches!(text.bytes, [b' ', ..] | [.., b' ']);
    if ordinary.spaces || ordinary.spaces_at_ends && at_ends() {
        raise(Flag::Space, bits::SPACE);
    }
    raise(Flag::Nul, bits::NUL);
    raise(Flag::Control, if kind.has_lines() { bits::CONTROL } else { bits::CONTROL | bits::BLANK });
}

/// Returns whether all that a text has beyond ASCII is guarded or tells nothing.
fn high_tells_nothing(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| !byte.is_ascii()) {
        rest = rest.get(at..).unwrap_or_default();
        // Full-width forms come in runs.
        while let [0xEF, 0xBC | 0xBD, 0x80..=0xBF, after @ ..] = rest {
            rest = after;
        }
        if rest.first().is_none_or(u8::is_ascii) {
            continue;
        }
        rest = match nfkc::arabic_length(rest) {
            0 => match tells_nothing(rest) {
                Some(after) => after,
                None => return false,
            },
            len => rest.get(len..).unwrap_or_default(),
        };
    }
    true
}

/// Skips the character that decoded text begins with, and returns the rest, where that is guarded, or begins with a
/// byte that controls, invisible characters and letters of two of the three scripts that are told apart never begin with.
fn tells_nothing(text: &[u8]) -> Option<&[u8]> {
    match text {
        [GUARD, _, _, rest @ ..]
        | [0xC3..=0xCC | 0xD5..=0xD7 | 0xD9..=0xDF, 0x80..=0xBF, rest @ ..]
        // Arabic, but for its own control.
        | [0xD8, 0x80..=0x9B | 0x9D..=0xBF, rest @ ..]
        | [0xE4..=0xE9 | 0xEB | 0xEC | 0xEE, 0x80..=0xBF, 0x80..=0xBF, rest @ ..]
        | [0xEF, 0xBC | 0xBD, 0x80..=0xBF, rest @ ..] => Some(rest),
        _ => None,
    }
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
fn characters_slow<'a>(
    text: Text<'a>,
    classes: u32,
    kind: Kind,
    secret: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) {
    steps::slow("characters scanned");
    let ordinary = Ordinary::of(text.bytes, kind, cx);
    let mut right_to_left = None;
    let mut at = 0;
    loop {
        // What no flag is about is passed over.
        let rest = text.bytes.get(at..).unwrap_or_default();
        let Some(step) = rest.iter().position(|&b| bytes::is(b, DANGER | CONTROL | HIGH | SPACE)) else {
            break;
        };
        at += step;
        let Some(c) = first_char(rest.get(step..).unwrap_or_default()) else { break };
        let here = at;
        at += c.len();
        let at = here;
        let Char::Plain(c) = c else { continue };
        let mut raise = |flag| {
            let range = if secret { 0..text.len() } else { at..at + c.len_utf8() };
            flags.raise_at(flag, text, range);
        };
        if kind.flags_characters()
            && let Some(flag) = dangerous(c).filter(|flag| *flag != Flag::Quote || !ordinary.quotes)
        {
            raise(flag);
        }
        let is_end = at == 0 || at + 1 == text.len();
        if c == ' ' && (ordinary.spaces || ordinary.spaces_at_ends && is_end) {
            raise(Flag::Space);
        }
        if matches!(c, '\u{200E}' | '\u{200F}')
            && cx.settings.beyond_core()
            && *right_to_left.get_or_insert_with(|| is_right_to_left(text.bytes))
        {
            continue;
        }
        if c == '\0' {
            raise(Flag::Nul);
        }
        if unicode::is_control(c) {
            if !kind.has_lines() || !matches!(c, '\t' | '\n' | '\r') {
                raise(Flag::Control);
            }
        } else if unicode::is_invisible(c) {
            raise(Flag::Invisible);
        }
    }
    if classes & HIGH != 0 {
        scripts(text, kind, secret, flags);
    }
}

/// The characters attacks are made of (clause 7.2); NUL is told apart.
pub(super) fn dangerous(c: char) -> Option<Flag> {
    Some(match c {
        '<' | '>' => Flag::Angle,
        '\'' | '"' => Flag::Quote,
        ';' => Flag::Semicolon,
        '(' | ')' => Flag::Paren,
        '{' | '}' => Flag::Brace,
        '|' => Flag::Pipe,
        '\\' => Flag::Backslash,
        _ => return None,
    })
}

/// `MIXEDSCRIPT`: a segment or key is one token, anything else is judged word by word.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
fn scripts<'a>(text: Text<'a>, kind: Kind, secret: bool, flags: &mut Flags<'a>) {
    if matches!(kind, Kind::Segment | Kind::Key) {
        if unicode::mixes_scripts(text.bytes) {
            flags.raise(Flag::MixedScript, text);
        }
        return;
    }
    let in_word = |c: Char| c.plain().is_some_and(|c| unicode::is_letter_or_digit(c) || unicode::is_mark(c));
    let mut start = 0;
    let ends = char_indices(text.bytes).filter(|(_, c)| !in_word(*c)).map(|(at, c)| (at, at + c.len()));
    for (end, next) in ends.chain(std::iter::once((text.len(), text.len()))) {
        let word = text.slice(start..end);
        if unicode::mixes_scripts(word.bytes) {
            flags.raise(Flag::MixedScript, if secret { text } else { word });
        }
        start = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    #[test]
    fn characters_that_tell_nothing() {
        let mut count = 0;
        for c in '\u{80}'..=char::MAX {
            let mut buffer = [0; 4];
            let text = c.encode_utf8(&mut buffer).as_bytes();
            if let Some(rest) = tells_nothing(text) {
                assert!(rest.is_empty(), "{c:?}");
                assert!(!unicode::is_control(c) && !unicode::is_invisible(c), "{c:?}");
                let in_latin = format!("a{c}");
                assert!(!unicode::mixes_scripts(in_latin.as_bytes()), "{c:?}");
                count += 1;
            }
        }
        assert!(count > 20_000, "{count}");
        assert!(tells_nothing("Ａ".as_bytes()).is_some() && tells_nothing(b"\xFFC0").is_some());
    }

    #[test]
    fn both_ways_to_look_agree() {
        let kinds = [
            Kind::Segment,
            Kind::Key,
            Kind::Value,
            Kind::Form,
            Kind::Path,
            Kind::Free,
            Kind::Structured,
            Kind::Brands,
            Kind::Cookie,
            Kind::Leaf,
            Kind::Opaque,
        ];
        let mut texts: Vec<Vec<u8>> = (0..=0x7F).map(|byte| vec![b'a', byte, b'b']).collect();
        texts.extend(
            ["Ａ<", "éa;", "раypal", "a\u{200B}", "a\u{AD}|", "я", "\u{2028}"].map(|text| text.into()),
        );
        texts.extend(
            ["\"a\"", "\"é\"", "\"é'\"", " é", "é ", "a b", " a", "\u{200F}é", "\u{200F}\u{5D0}"]
                .map(Vec::from),
        );
        texts.push(b"\xFFC0;\xFF2F".to_vec());
        with_context(|cx| {
            for text in &texts {
                for kind in kinds {
                    let flags_of = |traced: bool| {
                        let mut flags = cx.flags();
                        characters(Text::request(text, traced).classified(), kind, false, cx, &mut flags);
                        flags.set
                    };
                    assert_eq!(flags_of(false), flags_of(true), "{kind:?} {}", text.escape_ascii());
                }
            }
        });
    }
}
