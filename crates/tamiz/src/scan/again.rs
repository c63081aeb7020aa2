//! Looking once more (clause 7.7): a further percent-decoding, entities, Base64.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;
use std::sync::LazyLock;

use super::characters::{characters, characters_seen, dangerous};
use super::{Kind, Look, serial};
use crate::bytes::{self, ALNUM, BACKSLASH, CONTROL, ENCODED, HIGH, NO_BASE64, WORD_SIGN};
use crate::decode::{entities, percent};
use crate::flags::{Flag, FlagSet, Flags};
use crate::text::{Builder, Text};

/// Shorter values are words, not Base64.
pub(super) const SHORTEST: usize = 12;

/// Looks at what a value would be after one more decoding of each kind. `own` is what it tells as it is,
/// beyond its characters, where no decoding belongs.
pub(super) fn tell<'a>(look: &Look<'a>, own: Option<Flags<'a>>, flags: &mut Flags<'a>) {
    if look.seen & ENCODED != 0 {
        let own = own.map(|mut own| {
            if look.kind.tells_characters() {
                characters_seen(look.text, look.seen, look.kind, look.secret, look.cx, &mut own);
            }
            own
        });
        escapes(look, own.as_ref(), flags);
        if let Some(own) = own {
            references(look, &own, flags);
        }
    }
    if look.seen & BACKSLASH != 0 {
        script_escapes(look, flags);
    }
    tell_plain(look, flags);
}

/// The same of a text without escapes.
pub(super) fn tell_plain<'a>(look: &Look<'a>, flags: &mut Flags<'a>) {
    if look.kind != Kind::Path {
        base64(look, flags);
    }
}

/// The same for a segment of a path, of which only objects and Base64 are told.
pub(super) fn tell_segment<'a>(look: &Look<'a>, flags: &mut Flags<'a>) {
    if look.seen & ENCODED != 0 && percent::residues(look.text.bytes).next().is_some() {
        serial::tell(&look.at(percent::decode_further(look.text, look.cx)), flags);
    }
    base64(look, flags);
}

/// The escapes of scripts, `\u003c` and `\x3c`: characters that they hide are told.
fn script_escapes<'a>(look: &Look<'a>, flags: &mut Flags<'a>) {
    let text = look.text;
    let mut builder: Option<Builder<'a>> = None;
    let mut copied = 0;
    for at in memchr::memchr_iter(b'\\', text.bytes) {
        let Some((c, len)) = script_escape(text.bytes.get(at..).unwrap_or_default()) else { continue };
        if at < copied {
            continue;
        }
        revealed(look, c, at..at + len, flags);
        let builder = builder.get_or_insert_with(|| Builder::new(look.cx.bump, text.is_traced(), text.len()));
        builder.copy(text.slice(copied..at));
        builder.put(c.encode_utf8(&mut [0; 4]).as_bytes(), text.slice(at..at + len));
        copied = at + len;
    }
    if let Some(mut builder) = builder {
        builder.copy(text.from(copied));
        look.at(builder.finish()).tell(flags);
    }
}

/// ```text
/// "\x" 2HEXDIG / "\u" 4HEXDIG / "\u{" 1*6HEXDIG "}"
/// ```
fn script_escape(text: &[u8]) -> Option<(char, usize)> {
    let (digits, len) = match text {
        [b'\\', b'x', rest @ ..] => (rest.get(..2)?, 4),
        [b'\\', b'u', b'{', rest @ ..] => {
            let end = rest.iter().take(7).position(|&b| b == b'}')?;
            (rest.get(..end)?, end + 4)
        }
        [b'\\', b'u', rest @ ..] => (rest.get(..4)?, 6),
        _ => return None,
    };
    let code = digits.iter().try_fold(0, |code, &b| Some(code << 4 | u32::from(bytes::hex_value(b)?)))?;
    char::from_u32(code).filter(|_| !digits.is_empty()).map(|c| (c, len))
}

/// A further percent-decoding. Where none belongs, `PCTVALUE` if that adds a flag.
fn escapes<'a>(look: &Look<'a>, own: Option<&Flags<'a>>, flags: &mut Flags<'a>) {
    let text = look.text;
    if percent::residues(text.bytes).next().is_none() {
        return;
    }
    let mut found = look.cx.flags();
    for (range, byte) in percent::residues(text.bytes) {
        if byte.is_ascii() {
            revealed(look, char::from(byte), range, &mut found);
        }
    }
    let decoded = percent::decode_further(text, look.cx);
    look.at(decoded).tell(&mut found);
    match own {
        None => flags.absorb(&found),
        Some(own) => absorb_news(look, Flag::PctValue, own, &found, flags),
    }
}

/// Entities, outside path and query: `HTMLENT` if decoding them adds a flag.
fn references<'a>(look: &Look<'a>, own: &Flags<'a>, flags: &mut Flags<'a>) {
    let text = look.text;
    let decoded = entities::decode_value(text, look.cx, &mut look.cx.flags());
    if decoded.bytes == text.bytes {
        return;
    }
    let mut found = look.cx.flags();
    for at in memchr::memchr_iter(b'&', text.bytes) {
        if let Some(entity) = entities::at_start(text.bytes.get(at..).unwrap_or_default())
            && let [byte] = entity.decoded(&mut [0; 4])
        {
            revealed(look, char::from(*byte), at..at + entity.len, &mut found);
        }
    }
    look.at(decoded).tell(&mut found);
    absorb_news(look, Flag::HtmlEnt, own, &found, flags);
}

/// A character that only a further decoding shows.
fn revealed<'a>(look: &Look<'a>, c: char, range: Range<usize>, found: &mut Flags<'a>) {
    let flag = match c {
        '\0' => Some(Flag::Nul),
        _ if matches!(look.kind, Kind::Cookie | Kind::Brands) => None,
        ' ' if look.kind == Kind::Key => Some(Flag::Space),
        c => dangerous(c),
    };
    if let Some(flag) = flag {
        look.raise(flag, range, found);
    }
}

/// Takes over `found` if there is anything in it that the text as it is does not tell, and raises
/// `flag` then.
fn absorb_news<'a>(look: &Look<'a>, flag: Flag, own: &Flags<'a>, found: &Flags<'a>, flags: &mut Flags<'a>) {
    let is_new = found.set.iter().any(|flag| !own.set.contains(flag))
        || found.words().iter().any(|word| !own.words().contains(word));
    if is_new {
        look.raise(flag, 0..look.text.len(), flags);
        flags.absorb(found);
    }
}

/// `B64TEXT`: the value, or what follows `;base64,`, is Base64 of readable text.
fn base64<'a>(look: &Look<'a>, flags: &mut Flags<'a>) {
    let text = look.text;
    if text.len() < SHORTEST {
        return;
    }
    let encoded = if look.seen & NO_BASE64 == 0 {
        text
    } else if look.seen & WORD_SIGN == 0 {
        return;
    } else {
        match memchr::memmem::find(text.bytes, b";base64,") {
            Some(at) => text.from(at + 8),
            None => return,
        }
    };
    let plain = look.cx.spare.with(|decoded| {
        decode_readable(encoded.bytes, decoded).then(|| {
            let mut builder = Builder::new(look.cx.bump, text.is_traced(), decoded.len());
            builder.put(decoded, text);
            builder.finish()
        })
    });
    let Some(plain): Option<Text<'a>> = plain else { return };
    look.raise(Flag::B64Text, 0..text.len(), flags);
    let inner = Look { kind: Kind::Leaf, ..look.at(plain) };
    let mut found = look.cx.flags();
    characters(plain, Kind::Leaf, look.secret, look.cx, &mut found);
    inner.tell(&mut found);
    flags.absorb_only(&found, telling(look.kind));
}

/// What decoded text may tell: not that its line ends are controls, nor characters that are grammar
/// all around it.
fn telling(kind: Kind) -> FlagSet {
    static TELLING: LazyLock<FlagSet> = LazyLock::new(|| {
        Flag::ALL.iter().copied().filter(|flag| !matches!(flag, Flag::Control | Flag::Invisible)).collect()
    });
    static IN_GRAMMAR: LazyLock<FlagSet> = LazyLock::new(|| {
        let is_grammar = |flag: &Flag| {
            matches!(
                flag,
                Flag::Angle
                    | Flag::Quote
                    | Flag::Semicolon
                    | Flag::Paren
                    | Flag::Brace
                    | Flag::Pipe
                    | Flag::Backslash
            )
        };
        TELLING.iter().filter(|flag| !is_grammar(flag)).collect()
    });
    if matches!(kind, Kind::Cookie | Kind::Brands) { *IN_GRAMMAR } else { *TELLING }
}

/// Whether so much of it is not printable that decoding need not go on. Judges whole groups only.
fn is_unreadable(body: &[u8]) -> bool {
    let most = body.len() / 4 * 3 / 10 + 1;
    let mut bad = 0;
    for group in body.chunks_exact(4) {
        let bits = group.iter().fold(0, |bits, byte| bits << 6 | sextet(*byte));
        bad += [bits >> 16, bits >> 8, bits].iter().filter(|&&b| !is_printable(b as u8)).count();
        if bad > most {
            return true;
        }
    }
    false
}

/// The six bits that a character of either alphabet stands for.
fn sextet(byte: u8) -> u32 {
    const SEXTETS: [u8; 256] = {
        let mut sextets = [63; 256];
        let mut byte = 0;
        while byte < 256 {
            sextets[byte] = match byte as u8 {
                letter @ b'A'..=b'Z' => letter - b'A',
                letter @ b'a'..=b'z' => letter - b'a' + 26,
                digit @ b'0'..=b'9' => digit - b'0' + 52,
                b'+' | b'-' => 62,
                _ => 63,
            };
            byte += 1;
        }
        sextets
    };
    u32::from(SEXTETS.get(usize::from(byte)).copied().unwrap_or_default())
}

fn is_printable(byte: u8) -> bool {
    !bytes::is(byte, CONTROL | HIGH) || matches!(byte, b'\t' | b'\n' | b'\r')
}

/// Appends Base64 of either alphabet, padded or not, decoded; whether at least nine tenths of that are
/// printable. Of what is not ASCII nothing is appended.
fn decode_readable(text: &[u8], out: &mut Vec<u8>) -> bool {
    let body = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let in_alphabet = |&b: &u8| bytes::is(b, ALNUM) || matches!(b, b'+' | b'/' | b'-' | b'_');
    // Most are found to be no text by their first groups.
    if body.len() < SHORTEST || body.len() % 4 == 1 || is_unreadable(body) || !body.iter().all(in_alphabet) {
        return false;
    }
    // No text is of both alphabets.
    if memchr::memchr2(b'-', b'_', body).is_some() && memchr::memchr2(b'+', b'/', body).is_some() {
        return false;
    }
    let (mut len, mut printable) = (0, 0);
    for group in body.chunks(4) {
        let bits = group.iter().fold(0, |bits, byte| bits << 6 | sextet(*byte)) << (6 * (4 - group.len()));
        for byte in [bits >> 16, bits >> 8, bits].into_iter().take(group.len() - 1).map(|byte| byte as u8) {
            len += 1;
            printable += usize::from(is_printable(byte));
            if byte.is_ascii() {
                out.push(byte);
            }
        }
    }
    printable >= len - len / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readable_base64() {
        let decoded = |text: &str| {
            let mut out = Vec::new();
            decode_readable(text.as_bytes(), &mut out).then(|| String::from_utf8(out).unwrap())
        };
        assert_eq!(
            decoded("PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==").as_deref(),
            Some("<script>alert(1)</script>")
        );
        assert_eq!(
            decoded("PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg").as_deref(),
            Some("<script>alert(1)</script>")
        );
        for text in ["administrator", "JSESSIONIDJSESSIONID", "AAECAwQFBgcICQoL", "abc", "PHNjcmlwdD5h b", ""]
        {
            assert_eq!(decoded(text), None, "{text}");
        }
    }
}
