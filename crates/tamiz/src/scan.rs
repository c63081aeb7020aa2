//! What a value tells (section 7): the one scanner, called with what it looks at.

use crate::bytes::{self, CONTROL, DANGER, HIGH, SPACE};
use crate::context::Context;
use crate::decode::{Char, char_indices, unicode};
use crate::flags::{Flag, Flags};
use crate::text::Text;

/// What is being looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A path segment: one token, in which a space is odd.
    Segment,
    /// A key: one token, in which a space is odd.
    Key,
    /// A value, judged word by word.
    Value,
    /// A value whose characters are its own grammar (cookies, brands): only controls, invisible
    /// characters and scripts are told.
    Opaque,
}

/// Raises the flags of decoded text. For a secret the evidence is all of it.
pub(crate) fn scan<'a>(text: Text<'a>, kind: Kind, secret: bool, _cx: Context<'a>, flags: &mut Flags<'a>) {
    let seen = bytes::union(text.bytes);
    if seen & (DANGER | CONTROL | HIGH | SPACE) == 0 {
        return;
    }
    characters(text, kind, secret, flags);
    if seen & HIGH != 0 {
        scan_scripts(text, kind, secret, flags);
    }
}

/// The flags of single characters.
pub(crate) fn characters<'a>(text: Text<'a>, kind: Kind, secret: bool, flags: &mut Flags<'a>) {
    for (at, c) in char_indices(text.bytes) {
        let Char::Plain(c) = c else { continue };
        let mut raise = |flag| {
            let range = if secret { 0..text.len() } else { at..at + c.len_utf8() };
            flags.raise_at(flag, text, range);
        };
        if kind != Kind::Opaque
            && let Some(flag) = dangerous(c)
        {
            raise(flag);
        }
        if c == ' ' && matches!(kind, Kind::Segment | Kind::Key) {
            raise(Flag::Space);
        }
        if c == '\0' {
            raise(Flag::Nul);
        }
        if unicode::is_control(c) {
            raise(Flag::Control);
        } else if unicode::is_invisible(c) {
            raise(Flag::Invisible);
        }
    }
}

/// The characters attacks are made of (clause 7.2); NUL is told apart.
fn dangerous(c: char) -> Option<Flag> {
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

/// `MIXEDSCRIPT`: a segment or key is one token, a value is judged word by word.
fn scan_scripts<'a>(text: Text<'a>, kind: Kind, secret: bool, flags: &mut Flags<'a>) {
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
