//! Text that cannot drive a terminal.
//!
//! A request may hold any byte. A character is shown as it is when a terminal shows it alone, from
//! left to right and in known width; everything else is escaped: `\n`, `\x1B`, `\u{202E}`, and
//! `\xE9` for a byte that is not UTF-8. Nothing shown can be forged: a backslash is doubled, and the
//! two characters that stand for what is left out are escaped.

use std::fmt::{self, Write};

use icu_properties::CodePointMapData;
use icu_properties::props::{BidiClass, EastAsianWidth, GeneralCategory, GraphemeClusterBreak};

/// Stands for one byte of a secret.
pub const MASK: char = '•';
/// Stands for what does not fit.
pub const ELLIPSIS: char = '…';

/// The form in which one character or byte is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    /// The character itself.
    Plain(char),
    /// A control character of C, by its letter: `\n`.
    Letter(char),
    /// A character, by its number: `\u{202E}`, `\x1B`.
    Escaped(char),
    /// A byte that is not UTF-8: `\xE9`.
    Byte(u8),
    /// A byte of a secret.
    Masked,
}

impl Glyph {
    /// The form in which a character is shown.
    pub fn of(c: char) -> Self {
        match c {
            ' '..='[' | ']'..='~' => Glyph::Plain(c),
            '\\' => Glyph::Letter('\\'),
            '\n' => Glyph::Letter('n'),
            '\r' => Glyph::Letter('r'),
            '\t' => Glyph::Letter('t'),
            MASK | ELLIPSIS => Glyph::Escaped(c),
            _ if stands_alone(c) => Glyph::Plain(c),
            _ => Glyph::Escaped(c),
        }
    }

    /// How many columns it takes.
    pub fn width(self) -> usize {
        match self {
            Glyph::Plain(c) if is_wide(c) => 2,
            Glyph::Plain(_) | Glyph::Masked => 1,
            Glyph::Letter(_) => 2,
            Glyph::Escaped(c) if c.is_ascii() => 4,
            Glyph::Escaped(c) => {
                // `\u{`, the digits, `}`.
                let digits = (u32::from(c).max(1).ilog2() / 4 + 1) as usize;
                digits + 4
            }
            Glyph::Byte(_) => 4,
        }
    }
}

impl fmt::Display for Glyph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Glyph::Plain(c) => f.write_char(c),
            Glyph::Letter(c) => write!(f, "\\{c}"),
            Glyph::Escaped(c) if c.is_ascii() => write!(f, "\\x{:02X}", u32::from(c)),
            Glyph::Escaped(c) => write!(f, "\\u{{{:X}}}", u32::from(c)),
            Glyph::Byte(byte) => write!(f, "\\x{byte:02X}"),
            Glyph::Masked => f.write_char(MASK),
        }
    }
}

/// Returns whether a terminal shows a character beyond ASCII in cells of its own, from left to right.
fn stands_alone(c: char) -> bool {
    let alone = matches!(
        CodePointMapData::<GraphemeClusterBreak>::new().get(c),
        GraphemeClusterBreak::Other | GraphemeClusterBreak::LV | GraphemeClusterBreak::LVT
    );
    let inked = !matches!(
        CodePointMapData::<GeneralCategory>::new().get(c),
        GeneralCategory::SpaceSeparator | GeneralCategory::PrivateUse | GeneralCategory::Unassigned
    );
    let leftward = matches!(
        CodePointMapData::<BidiClass>::new().get(c),
        BidiClass::RightToLeft | BidiClass::ArabicLetter | BidiClass::ArabicNumber
    );
    alone && inked && !leftward
}

fn is_wide(c: char) -> bool {
    !c.is_ascii()
        && matches!(
            CodePointMapData::<EastAsianWidth>::new().get(c),
            EastAsianWidth::Wide | EastAsianWidth::Fullwidth
        )
}

/// The glyphs of any bytes, each with how many bytes it stands for.
pub fn glyphs(bytes: &[u8]) -> impl Iterator<Item = (Glyph, usize)> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let chars = chunk.valid().chars().map(|c| (Glyph::of(c), c.len_utf8()));
        let rest = chunk.invalid().iter().map(|&byte| (Glyph::Byte(byte), 1));
        chars.chain(rest)
    })
}

/// Bytes of a request with everything escaped that is not harmless.
pub fn visible(bytes: &[u8]) -> String {
    joined(glyphs(bytes).map(|(glyph, _)| glyph))
}

/// A message, a name or a path with everything escaped that is not harmless. Backslashes stay: on
/// some systems paths are made of them.
pub fn harmless(text: &str) -> String {
    joined(text.chars().map(|c| if c == '\\' { Glyph::Plain(c) } else { Glyph::of(c) }))
}

fn joined(glyphs: impl Iterator<Item = Glyph>) -> String {
    let mut text = String::new();
    for glyph in glyphs {
        let _ = write!(text, "{glyph}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_text_is_shown_as_it_is() {
        for text in ["GET /a?b=c HTTP/1.1", "señora", "東京", "한국", "привет", "~!\"'<>"] {
            assert_eq!(visible(text.as_bytes()), text);
            assert_eq!(harmless(text), text);
        }
    }

    #[test]
    fn everything_else_is_escaped() {
        for (bytes, shown) in [
            (&b"\x1B[31m\x07\x7F\0"[..], r"\x1B[31m\x07\x7F\x00"),
            (b"\r\n\t", r"\r\n\t"),
            (br"\x1B", r"\\x1B"),
            (b"caf\xE9", r"caf\xE9"),
            (b"\xF0\x9F\x92", r"\xF0\x9F\x92"),
            ("\u{202E}\u{200B}\u{FEFF}\u{AD}".as_bytes(), r"\u{202E}\u{200B}\u{FEFF}\u{AD}"),
            ("\u{9B}\u{85}\u{2028}".as_bytes(), r"\u{9B}\u{85}\u{2028}"),
            ("e\u{301}\u{A0}\u{E000}\u{10FFFF}".as_bytes(), r"e\u{301}\u{A0}\u{E000}\u{10FFFF}"),
            ("\u{5D0}\u{627}•…".as_bytes(), r"\u{5D0}\u{627}\u{2022}\u{2026}"),
        ] {
            assert_eq!(visible(bytes), shown);
        }
        assert_eq!(harmless("C:\\x\u{1B}\n"), r"C:\x\x1B\n");
    }

    #[test]
    fn widths_are_those_of_what_is_shown() {
        let any = (0..=u32::from(char::MAX)).step_by(7).filter_map(char::from_u32);
        for glyph in any.map(Glyph::of).chain([Glyph::Byte(0xE9), Glyph::Masked]) {
            let shown = glyph.to_string();
            let wide = usize::from(matches!(glyph, Glyph::Plain(c) if is_wide(c)));
            assert_eq!(glyph.width(), shown.chars().count() + wide, "{shown}");
            assert!(!shown.chars().any(char::is_control));
        }
        assert_eq!(Glyph::of('東').width(), 2);
        assert_eq!(Glyph::of('é').width(), 1);
    }
}
