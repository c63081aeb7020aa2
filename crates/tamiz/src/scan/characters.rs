//! Single characters (clauses 4.9, 4.10, 7.2) and scripts (clause 7.4).

use super::Kind;
use crate::bytes::{self, CONTROL, DANGER, HIGH, SPACE};
use crate::decode::{Char, char_indices, first_char, unicode};
use crate::flags::{Flag, Flags};
use crate::text::Text;

/// The flags of single characters, and of scripts. For a secret the evidence is all of the text.
pub(crate) fn characters<'a>(text: Text<'a>, kind: Kind, secret: bool, flags: &mut Flags<'a>) {
    characters_seen(text, bytes::union(text.bytes), kind, secret, flags);
}

/// The same, where the union of the classes of its bytes is known.
pub(super) fn characters_seen<'a>(
    text: Text<'a>,
    seen: u32,
    kind: Kind,
    secret: bool,
    flags: &mut Flags<'a>,
) {
    let danger = if kind.tells_characters() { DANGER } else { 0 };
    let space = if matches!(kind, Kind::Segment | Kind::Key) { SPACE } else { 0 };
    if seen & (danger | CONTROL | HIGH | space) != 0 {
        characters_slow(text, seen, kind, secret, flags);
    }
}

/// Whether a text may tell anything by its characters, wherever it is but in a key or segment. `seen` is the
/// union of the classes of its bytes.
pub(crate) fn may_tell_characters(seen: u32) -> bool {
    seen & (DANGER | CONTROL | HIGH) != 0
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
fn characters_slow<'a>(text: Text<'a>, seen: u32, kind: Kind, secret: bool, flags: &mut Flags<'a>) {
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
        if kind.tells_characters()
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
            if kind != Kind::Leaf || !matches!(c, '\t' | '\n' | '\r') {
                raise(Flag::Control);
            }
        } else if unicode::is_invisible(c) {
            raise(Flag::Invisible);
        }
    }
    if seen & HIGH != 0 {
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
