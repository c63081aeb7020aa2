//! Encodings inside a part (clause 8.35): `Content-Transfer-Encoding`, `name*=utf-8''…` and
//! `=?utf-8?B?…?=`. All of it is from mail; some servers undo it, others take it as it is.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use data_encoding::BASE64_MIME_PERMISSIVE;

use super::charset;
use crate::bytes;
use crate::context::Context;
use crate::flags::{Flag, Flags};
use crate::text::{Builder, Text};

/// A transfer encoding under which content is not what it seems (RFC 2045 section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Base64,
    QuotedPrintable,
    /// One that is not undone.
    Other,
}

impl Coding {
    /// Reads the value of a `Content-Transfer-Encoding`.
    pub(crate) fn read<'a>(value: Text<'a>, flags: &mut Flags<'a>) -> Option<Coding> {
        let name = value.cut(b';').map_or(value, |(name, _)| name).trim();
        let is = |word: &str| name.bytes.eq_ignore_ascii_case(word.as_bytes());
        let (coding, word) = if name.is_empty() || is("7bit") || is("8bit") || is("binary") {
            return None;
        } else if is("base64") {
            (Coding::Base64, "base64")
        } else if is("quoted-printable") {
            (Coding::QuotedPrintable, "quoted-printable")
        } else {
            (Coding::Other, "other")
        };
        flags.raise_word(Flag::BodyEnc, word, name, 0..name.len());
        Some(coding)
    }

    /// Undoes it. What is not encoded as it says stays as it is.
    pub(crate) fn decode<'a>(
        self,
        content: Text<'a>,
        is_cut: bool,
        cx: Context<'a>,
        flags: &mut Flags<'a>,
    ) -> Text<'a> {
        cx.spare.with(|decoded| {
            let (is_decoded, is_sound) = match self {
                Coding::Base64 => {
                    let is_decoded = base64(content.bytes, is_cut, cx, decoded);
                    (is_decoded, is_decoded)
                }
                Coding::QuotedPrintable => (true, quoted_printable(content.bytes, is_cut, decoded)),
                Coding::Other => (false, true),
            };
            if !is_sound {
                flags.raise(Flag::BadBody, content);
            }
            if !is_decoded {
                return content;
            }
            let mut builder = Builder::new(cx.bump, content.is_traced(), decoded.len());
            builder.put(decoded, content);
            builder.finish()
        })
    }
}

/// Base64 with white space anywhere, padded or not. Other bytes are not skipped, though mail says they
/// should be: nobody would look at them. Of a text that was cut, what is whole. Whether it is Base64.
fn base64(text: &[u8], is_cut: bool, cx: Context<'_>, out: &mut Vec<u8>) -> bool {
    cx.spare.with(|digits| {
        digits.extend(text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()));
        while digits.last() == Some(&b'=') {
            digits.pop();
        }
        if is_cut {
            digits.truncate(digits.len() / 4 * 4);
        }
        while !digits.len().is_multiple_of(4) {
            digits.push(b'=');
        }
        let Ok(most) = BASE64_MIME_PERMISSIVE.decode_len(digits.len()) else { return false };
        out.resize(most, 0);
        let decoded = BASE64_MIME_PERMISSIVE.decode_mut(digits, out);
        out.truncate(decoded.unwrap_or(0));
        decoded.is_ok()
    })
}

/// RFC 2045 section 6.7. A `=` that begins nothing stays, and the text is not sound unless it was cut
/// there.
fn quoted_printable(text: &[u8], is_cut: bool, decoded: &mut Vec<u8>) -> bool {
    let mut is_sound = true;
    let mut rest = text;
    while let Some(at) = bytes::position(b'=', rest) {
        decoded.extend_from_slice(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + 1..).unwrap_or_default();
        if let Some(byte) = hex_digits(rest) {
            decoded.push(byte);
            rest = rest.get(2..).unwrap_or_default();
            continue;
        }
        match bytes::trim_start(rest) {
            [b'\r', b'\n', after @ ..] | [b'\n', after @ ..] => rest = after,
            [] => rest = &[],
            _ => {
                is_sound &= is_cut && rest.len() == 1;
                decoded.push(b'=');
            }
        }
    }
    decoded.extend_from_slice(rest);
    is_sound
}

/// The byte that two hexadecimal digits at the start of `text` stand for.
fn hex_digits(text: &[u8]) -> Option<u8> {
    match text {
        [high, low, ..] => Some(bytes::hex_value(*high)? << 4 | bytes::hex_value(*low)?),
        _ => None,
    }
}

/// Reads the value of a parameter whose name ends in `*`, which need not be one. RFC 8187 section 3.2:
///
/// ```text
/// ext-value = charset "'" [ language ] "'" value-chars
/// ```
pub(crate) fn decode_extended<'a>(value: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Text<'a> {
    match cut_extended(value) {
        Some((charset, text)) => {
            check_charset(charset, flags);
            decode_escapes(text, charset::is_latin1(charset.bytes), cx)
        }
        None => decode_escapes(value, false, cx),
    }
}

/// The charset of an extended value and its text, where it is one.
fn cut_extended(value: Text<'_>) -> Option<(Text<'_>, Text<'_>)> {
    let (charset, rest) = value.cut(b'\'')?;
    Some((charset, rest.cut(b'\'')?.1))
}

/// Returns whether an extended value says that it is Latin-1.
pub(crate) fn is_extended_latin1(value: Text<'_>) -> bool {
    cut_extended(value).is_some_and(|(charset, _)| charset::is_latin1(charset.bytes))
}

/// `BODYCHARSET`; a charset that is not named is none.
fn check_charset<'a>(charset: Text<'a>, flags: &mut Flags<'a>) {
    if !charset.trim().is_empty() && !charset::is_usual(charset.bytes) {
        flags.raise(Flag::BodyCharset, charset);
    }
}

/// Every `%hh` to its byte, or to the character that is this byte in Latin-1.
pub(crate) fn decode_escapes<'a>(text: Text<'a>, from_latin1: bool, cx: Context<'a>) -> Text<'a> {
    if bytes::position(b'%', text.bytes).is_none() && (text.bytes.is_ascii() || !from_latin1) {
        return text;
    }
    let mut builder = Builder::new(cx.bump, text.is_traced(), text.len());
    let mut at = 0;
    while let Some(rest) = text.bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = if from_latin1 {
            rest.iter().position(|byte| *byte == b'%' || !byte.is_ascii())
        } else {
            bytes::position(b'%', rest)
        };
        let plain = plain.unwrap_or(rest.len());
        builder.copy(text.slice(at..at + plain));
        at += plain;
        let Some((byte, len)) = text.bytes.get(at..).and_then(|rest| match bytes::escape(rest) {
            Some(byte) => Some((byte, 3)),
            None => rest.first().map(|byte| (*byte, 1)),
        }) else {
            break;
        };
        put_byte(&mut builder, byte, from_latin1, text.slice(at..at + len));
        at += len;
    }
    builder.finish()
}

/// Appends a byte, or the character that it is in Latin-1.
fn put_byte(builder: &mut Builder<'_>, byte: u8, from_latin1: bool, source: Text<'_>) {
    if from_latin1 {
        builder.put(char::from(byte).encode_utf8(&mut [0; 4]).as_bytes(), source);
    } else {
        builder.put(&[byte], source);
    }
}

/// A word of RFC 2047 section 2, at the start of a text:
///
/// ```text
/// encoded-word = "=?" charset "?" encoding "?" encoded-text "?="
/// ```
struct Word<'a> {
    len: usize,
    charset: Text<'a>,
    encoding: &'static str,
    decoded: &'a [u8],
}

impl<'a> Word<'a> {
    /// Looks no further than the next three `?`, so that looking at every `=?` stays linear.
    fn read(text: Text<'a>, cx: Context<'a>) -> Option<Self> {
        let (charset, rest) = text.from(2).cut(b'?')?;
        let (encoding, rest) = match rest.bytes {
            [b'B' | b'b', b'?', ..] => ("base64", rest.from(2)),
            [b'Q' | b'q', b'?', ..] => ("quoted-printable", rest.from(2)),
            _ => return None,
        };
        let (encoded, rest) = rest.cut(b'?')?;
        if rest.bytes.first() != Some(&b'=') {
            return None;
        }
        let mut is_encoded = true;
        let decoded = cx.written(|out| match encoding {
            "base64" => is_encoded = base64(encoded.bytes, false, cx, out),
            _ => cx.spare.with(|spaced| {
                spaced.extend(encoded.bytes.iter().map(|&byte| if byte == b'_' { b' ' } else { byte }));
                quoted_printable(spaced, false, out);
            }),
        });
        is_encoded.then_some(Word { len: text.len() - rest.len() + 1, charset, encoding, decoded })
    }
}

/// Undoes the encoded words of a name or file name: clients that know mail send them for what is not
/// ASCII, and some servers read them. White space between two of them is not there.
pub(crate) fn decode_words<'a>(value: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Text<'a> {
    let mut builder: Option<Builder<'a>> = None;
    let mut copied = 0;
    for at in memchr::memmem::find_iter(value.bytes, b"=?") {
        if at < copied {
            continue;
        }
        let Some(word) = Word::read(value.from(at), cx) else { continue };
        let source = value.slice(at..at + word.len);
        flags.raise_word(Flag::BodyEnc, word.encoding, source, 0..source.len());
        check_charset(word.charset, flags);
        let between = value.slice(copied..at);
        let is_next = builder.is_some() && between.trim().is_empty();
        let builder = builder.get_or_insert_with(|| Builder::new(cx.bump, value.is_traced(), value.len()));
        if !is_next {
            builder.copy(between);
        }
        if charset::is_latin1(word.charset.bytes) {
            let text = cx.written(|out| {
                for &byte in word.decoded {
                    out.extend_from_slice(char::from(byte).encode_utf8(&mut [0; 4]).as_bytes());
                }
            });
            builder.put(text, source);
        } else {
            builder.put(word.decoded, source);
        }
        copied = at + word.len;
    }
    match builder {
        None => value,
        Some(mut builder) => {
            builder.copy(value.from(copied));
            builder.finish()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    type Decoder = for<'a> fn(Text<'a>, Context<'a>, &mut Flags<'a>) -> Text<'a>;

    fn run(text: &[u8], decode: Decoder) -> (String, Vec<&'static str>) {
        with_context(|cx| {
            let mut flags = cx.flags();
            let decoded = decode(Text::request(text, true), cx, &mut flags);
            (String::from_utf8_lossy(decoded.bytes).into_owned(), flags.set.iter().map(Flag::name).collect())
        })
    }

    fn content(encoding: &str, text: &str, is_cut: bool) -> (String, Vec<String>) {
        with_context(|cx| {
            let mut flags = cx.flags();
            let encoding = Text::untraced(encoding.as_bytes());
            let text = Text::request(text.as_bytes(), true);
            let coding = Coding::read(encoding, &mut flags);
            let decoded = coding.map_or(text, |coding| coding.decode(text, is_cut, cx, &mut flags));
            let mut told: Vec<String> = flags.words().iter().map(|(_, word)| (*word).to_owned()).collect();
            told.extend(flags.set.contains(Flag::BadBody).then(|| "BADBODY".to_owned()));
            if decoded.bytes != text.bytes && !decoded.is_empty() {
                assert_eq!(decoded.origin(0..1), Some(0..text.len()), "evidence is all of it");
            }
            (String::from_utf8_lossy(decoded.bytes).into_owned(), told)
        })
    }

    #[test]
    fn transfer_encodings() {
        for (encoding, text, decoded, told) in [
            ("", "YQ==", "YQ==", &[][..]),
            ("7bit", "YQ==", "YQ==", &[]),
            ("8BIT", "YQ==", "YQ==", &[]),
            ("Binary ; x", "YQ==", "YQ==", &[]),
            ("base64", "YWJj", "abc", &["base64"]),
            ("BASE64; x", "YW\r\nJj\t \n", "abc", &["base64"]),
            ("base64", "YWI=", "ab", &["base64"]),
            ("base64", "YWI", "ab", &["base64"]),
            ("base64", "YWJ", "ab", &["base64"]),
            ("base64", "YQ==YQ==", "aa", &["base64"]),
            ("base64", "", "", &["base64"]),
            ("base64", "<script>", "<script>", &["base64", "BADBODY"]),
            ("base64", "YWJjZ", "YWJjZ", &["base64", "BADBODY"]),
            ("quoted-printable", "a=3Cb=3e=\r\nc= \nd=", "a<b>cd", &["quoted-printable"]),
            ("quoted-printable", "a=b", "a=b", &["quoted-printable", "BADBODY"]),
            ("quoted-printable", "==3D", "==", &["quoted-printable", "BADBODY"]),
            ("x-uuencode", "YQ==", "YQ==", &["other"]),
            ("\"base64\"", "YQ==", "YQ==", &["other"]),
        ] {
            let told: Vec<String> = told.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(content(encoding, text, false), (decoded.to_owned(), told), "{encoding} {text:?}");
        }
    }

    #[test]
    fn a_cut_is_no_mistake() {
        assert_eq!(content("base64", "YWJjZ", true), ("abc".into(), vec!["base64".into()]));
        assert_eq!(content("quoted-printable", "a=3", true), ("a=3".into(), vec!["quoted-printable".into()]));
    }

    #[test]
    fn extended_values() {
        for (text, decoded, flags) in [
            (&b"utf-8''a%2Ephp"[..], "a.php", &[][..]),
            (b"UTF-8'en'%e2%82%ac", "\u{20ac}", &[]),
            (b"iso-8859-1''caf%E9\xE9", "caf\u{e9}\u{e9}", &[]),
            (b"iso-8859-1''cafe", "cafe", &[]),
            (b"''a%2Eb", "a.b", &[]),
            (b"a%2Eb", "a.b", &[]),
            (b"utf-8'a%2Eb", "utf-8'a.b", &[]),
            (b"utf-7''+ADw-", "+ADw-", &["BODYCHARSET"]),
            (b"utf-8''a%2", "a%2", &[]),
            (b"utf-8''%%41%", "%A%", &[]),
            (b"utf-8''a'b", "a'b", &[]),
            (b"utf-8''", "", &[]),
            (b"", "", &[]),
        ] {
            assert_eq!(run(text, decode_extended), (decoded.to_owned(), flags.to_vec()), "{text:?}");
        }
    }

    #[test]
    fn encoded_words() {
        for (text, decoded, flags) in [
            ("a.php", "a.php", &[][..]),
            ("=?utf-8?B?YS5waHA=?=", "a.php", &["BODYENC"]),
            ("x =?utf-8?b?YQ?= =?UTF-8?q?=2E_p?= y", "x a. p y", &["BODYENC"]),
            ("=?iso-8859-1?Q?=E9?=", "\u{e9}", &["BODYENC"]),
            ("=?utf-7?Q?a?=", "a", &["BODYCHARSET", "BODYENC"]),
            ("=?utf-8?B?<>?=", "=?utf-8?B?<>?=", &[]),
            ("=?utf-8?X?a?=", "=?utf-8?X?a?=", &[]),
            ("=?utf-8?Q?a", "=?utf-8?Q?a", &[]),
            ("=?=?utf-8?Q?a?=", "=?a", &["BODYENC"]),
            ("=?utf-8?Q?a?=?=", "a?=", &["BODYENC"]),
            ("=??Q??=", "", &["BODYENC"]),
            ("=?", "=?", &[]),
        ] {
            assert_eq!(run(text.as_bytes(), decode_words), (decoded.to_owned(), flags.to_vec()), "{text}");
        }
    }

    #[test]
    fn hostile_words_take_no_time() {
        for piece in ["=?", "=?a", "=?utf-8?Q?", "=?utf-8?Q?a?=", "=?u?B?YQ"] {
            let text = piece.repeat(200_000);
            run(text.as_bytes(), decode_words);
        }
    }
}
