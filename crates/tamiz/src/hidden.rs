//! `HIDDENHDR` (clause 8.29): the names that steer framing, where they are not plainly headers.

use crate::bytes::{self, ALNUM, TOKEN};
use crate::context::Context;
use crate::decode;
use crate::flags::{Flag, Flags};
use crate::steps;
use crate::text::Text;

/// The names, and their letters alone.
const NAMES: [(&str, &[u8]); 3] =
    [("transfer-encoding", b"transferencoding"), ("content-length", b"contentlength"), ("host", b"host")];

/// Returns whether the letters and digits of `text` are those of `name`, or begin with them.
fn spells(text: &[u8], name: &[u8], whole: bool) -> bool {
    let mut letters = text.iter().filter(|&&b| bytes::is(b, ALNUM)).map(u8::to_ascii_lowercase);
    name.iter().all(|&expected| letters.next() == Some(expected)) && (!whole || letters.next().is_none())
}

/// The steering name that `line`, in which nothing is guarded, reads as: what stands before its colon
/// or, without one, its start.
fn reads_as(line: &[u8]) -> Option<&'static str> {
    steps::slow("line searched for framing names");
    let colon = bytes::position(b':', line);
    let name = line.get(..colon.unwrap_or(line.len()))?;
    NAMES.iter().find_map(|(shown, letters)| {
        let found = match colon {
            Some(_) => spells(name, letters, true),
            // `host` is too short to be looked for in front of other letters.
            None if *shown == "host" => spells(first_word(name), letters, true),
            None => spells(name, letters, false),
        };
        found.then_some(*shown)
    })
}

fn first_word(text: &[u8]) -> &[u8] {
    text.split(|&b| bytes::is_blank(b)).find(|word| !word.is_empty()).unwrap_or_default()
}

/// A line that is no header of its own, and what follows the line ends embedded in it.
pub(crate) fn check_line<'a>(line: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    line.split(|b| matches!(b, b'\r' | b'\n')).for_each(|piece| check_piece(piece, cx, flags));
}

/// Checks the end of a line that a continuation follows, behind the last line end embedded in it. The value that both are
/// joined to does not tell where the line ended.
pub(crate) fn check_end_of_line<'a>(line: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    if let Some(piece) = line.split(|b| matches!(b, b'\r' | b'\n')).skip(1).last() {
        check_piece(piece, cx, flags);
    }
}

/// A line that is no header of its own, in which no line end is embedded.
pub(crate) fn check_piece<'a>(line: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    let name = if line.is_repaired() {
        cx.spare.with(|plain| reads_as(decode::without_guarded(line.bytes, plain)))
    } else {
        reads_as(line.bytes)
    };
    if let Some(name) = name {
        flags.raise_word(Flag::HiddenHdr, name, line, 0..line.len());
    }
}

/// Returns whether a name, in lower case, that is not known has the letters of one that steers framing.
pub(crate) fn is_disguised(name: &[u8]) -> bool {
    NAMES.iter().any(|(_, letters)| spells(name, letters, true))
}

/// A name that is not known, or not plainly spelt, and what follows the line ends embedded in it.
pub(crate) fn check_odd_name<'a>(raw: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    let known = NAMES.iter().find(|(_, letters)| spells(raw.bytes, letters, true));
    if let Some((shown, _)) = known
        && !raw.bytes.eq_ignore_ascii_case(shown.as_bytes())
    {
        flags.raise_word(Flag::HiddenHdr, shown, raw, 0..raw.len());
    }
    check_name(raw, cx, flags);
}

/// Checks the text after line ends embedded in a name: the last of it ends at the colon.
fn check_name<'a>(raw: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    let mut pieces = raw.split(|b| matches!(b, b'\r' | b'\n')).skip(1).peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_some() {
            check_piece(piece, cx, flags);
        } else if let Some((shown, _)) = NAMES.iter().find(|(_, name)| spells(piece.bytes, name, true)) {
            flags.raise_word(Flag::HiddenHdr, shown, piece, 0..piece.len());
        }
    }
}

/// A whole header inside a value, behind whatever some parser takes for a line end. `host` is a
/// word that values may well hold.
#[allow(clippy::arithmetic_side_effects, reason = "it is above zero")]
pub(crate) fn check_value<'a>(value: Text<'a>, flags: &mut Flags<'a>) {
    for colon in bytes::places(b':', value.bytes) {
        let before = bytes::trim_end(value.bytes.get(..colon).unwrap_or_default());
        // The last letters of the names.
        if !matches!(before.last(), Some(b'g' | b'G' | b'h' | b'H')) {
            continue;
        }
        for (name, _) in NAMES.iter().filter(|(name, _)| *name != "host") {
            let Some(start) = before.len().checked_sub(name.len()).filter(|start| *start > 0) else {
                continue;
            };
            let spelt = before.get(start..).is_some_and(|text| text.eq_ignore_ascii_case(name.as_bytes()));
            let alone = before.get(start - 1).is_some_and(|&b| !bytes::is(b, TOKEN))
                || before.get(..start).is_some_and(decode::ends_guarded);
            if spelt && alone {
                flags.raise_word(Flag::HiddenHdr, name, value, start..colon);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_disguise() {
        for (line, name) in [
            ("Transfer-Encoding: chunked", Some("transfer-encoding")),
            ("Transfer -\tEncoding : chunked", Some("transfer-encoding")),
            ("transfer_encoding chunked", Some("transfer-encoding")),
            ("\u{1}Content-Length: 3", Some("content-length")),
            ("Host: x", Some("host")),
            ("host x", Some("host")),
            ("hostname x", None),
            ("X-Host: x", None),
            ("Transfer-Encoding-X: y", None),
            ("", None),
        ] {
            assert_eq!(reads_as(line.as_bytes()), name, "{line}");
        }
    }
}
