//! Texts that nothing can be told of, which is most of them: decided from the classes of their bytes and one walk over
//! their words, before anything is decoded, folded or searched.

mod header;

use super::serial;
use crate::bytes::{
    self, ALPHA, AT, BANG, BLANK, COLON, CONTROL, DANGER, DASH, DIGIT, DOT, ENCODED, EQUALS, HIGH, NO_ALNUM,
    NO_SPACED_BASE64, UPPER, WORD_SIGN,
};
use crate::context::{Context, HAS_FAST_PATHS};
use crate::decode::{GUARD, base64};
use crate::families::SHORTEST_TOKEN;
use crate::keywords;
use crate::lists::CREDENTIAL_PREFIXES;
use crate::secrets;
use crate::walk::{Visitor, walk};

pub(crate) use header::{Signs, cannot_flag_cookie, cannot_flag_header};

/// Classes that may raise a flag. All others are letters, digits and `. - _ / + , ? @ [ ]`, SP.
const LOUD: u32 = DANGER | CONTROL | HIGH | WORD_SIGN | ENCODED | COLON | BANG | EQUALS;

/// Returns whether all that a text has beyond ASCII are letters that no look-alike mapping, script or decoder makes anything of:
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

/// Returns whether a text of any kind raises no flag by its content and holds no credential, as far as that is seen quickly.
/// `classes` is the union of the classes of its bytes. The flag for a space in a key or segment, and what its length or
/// its name raise, are for the caller.
#[inline(always)]
pub(crate) fn cannot_flag(text: &[u8], classes: u32) -> bool {
    if !HAS_FAST_PATHS {
        return false;
    }
    if classes & NO_ALNUM == 0 && text.len() < SHORTEST_TOKEN.min(base64::SHORTEST) {
        return classes & ALPHA == 0 || cannot_flag_word(text, classes);
    }
    is_quiet(text, classes)
}

/// Does what [`cannot_flag`] does, for a text of a few letters, perhaps with digits.
#[inline(never)]
fn cannot_flag_word(text: &[u8], classes: u32) -> bool {
    if classes & DIGIT == 0 {
        return !keywords::may_match_letters(text);
    }
    let is_loud = keywords::may_match(text, classes)
        || serial::may_begin_stream(text, classes) && serial::holds_stream(text);
    !is_loud
}

#[inline(never)]
fn is_quiet(text: &[u8], classes: u32) -> bool {
    if classes & LOUD != 0 && (classes & LOUD != HIGH || !has_plain_letters(text)) {
        return false;
    }
    tells_nothing(text, classes, |_| false)
}

/// Returns whether a text with letters of ISO 8859-1 that are guarded, each by itself, raises no flag by its content and holds no
/// credential, as far as that is seen quickly; see [`cannot_flag`].
pub(crate) fn cannot_flag_guarded(text: &[u8], classes: u32, cx: Context<'_>) -> bool {
    HAS_FAST_PATHS
        && classes & LOUD & !(HIGH | ENCODED) == 0
        && classes & HIGH != 0
        && cx.spare.with(|plain| put_letters(text, plain) && cannot_flag(plain, bytes::union(plain)))
}

/// Appends a text with a plain letter for each guarded byte; returns whether each is one that no decoder takes together with
/// what follows it, unless that is a quote, an angle or another such byte.
fn put_letters(text: &[u8], plain: &mut Vec<u8>) -> bool {
    let mut rest = text;
    while let Some((before, [_, high, low, after @ ..])) =
        bytes::position(GUARD, rest).and_then(|at| rest.split_at_checked(at))
    {
        let is_plain = matches!(bytes::hex_byte(*high, *low), Some(0xA1..=0xBB | 0xBD | 0xBF | 0xC2..=0xFE));
        let is_alone = after.first().is_none_or(u8::is_ascii) && before.last().is_none_or(u8::is_ascii);
        if !is_plain || !is_alone {
            return false;
        }
        plain.extend_from_slice(before);
        plain.extend_from_slice("\u{E9}".as_bytes());
        rest = after;
    }
    plain.extend_from_slice(rest);
    true
}

/// Returns whether a text that may have `:` and `=` raises no flag by its content but those of a URL, and holds no credential, as
/// far as that is seen quickly; see [`cannot_flag`].
pub(crate) fn cannot_flag_but_url(text: &[u8], classes: u32, cx: Context<'_>) -> bool {
    HAS_FAST_PATHS
        && classes & (LOUD & !(COLON | EQUALS) | AT) == 0
        && tells_nothing(text, classes, |before| cx.settings.names.may_name_value(before))
}

/// Returns whether a text without loud signs raises no flag, but by `:`, and holds no credential.
#[inline]
fn tells_nothing(text: &[u8], classes: u32, may_name_value: impl Fn(&[u8]) -> bool) -> bool {
    let has_sign = classes & NO_ALNUM != 0;
    if has_sign
        && (text.last() == Some(&b'?')
            // It may be JSON, perhaps behind spaces.
            || matches!(text.first(), Some(b'[' | b' ' | b'+'))
            || text.starts_with(b"//")
            || text == b"c__builtin__")
    {
        return false;
    }
    if text.len() >= base64::SHORTEST && may_be_base64(text, classes)
        || serial::may_begin_stream(text, classes) && serial::holds_stream(text)
    {
        return false;
    }
    if bytes::is_hexadecimal(classes) && is_plain_number(text, classes) {
        return true;
    }
    let words = keywords::Prefilter::new(text);
    if text.len() < SHORTEST_TOKEN && classes & (BLANK | DOT | AT | HIGH | COLON | EQUALS) == 0 {
        return !walk(text, &mut Name { words });
    }
    let credentials = secrets::Prefilter::new(text, classes, may_name_value);
    let mut quiet = Quiet { special: DOUBLED | u32::from(credentials.wanted()) << ROLES, words, credentials };
    !walk(text, &mut quiet)
        && !secrets::may_be_named(quiet.credentials.finish())
        && !secrets::holds_unnamed(quiet.credentials.finish(), text, classes)
}

/// Returns whether nothing is in a text of hexadecimal digits and `-` that begins a token or a comment. No keyword is of these alone,
/// but for the beginning of a stream, of which any digits are as good as others.
fn is_plain_number(text: &[u8], classes: u32) -> bool {
    let begins_stream = text.first_chunk::<4>().is_some_and(|first| first.eq_ignore_ascii_case(b"aced"));
    !begins_stream
        && match classes & (UPPER | DASH) {
            0 => true,
            DASH => !bytes::doubles(text, [b'-']) && bytes::find_ignore_case(text, b"-aced").is_none(),
            UPPER => !bytes::doubles(text, DOUBLED_IN_HEADS),
            _ => false,
        }
}

/// The head of a token that is of upper-case hexadecimal digits alone has two of one of these side by side.
const DOUBLED_IN_HEADS: [u8; 2] = [b'A', b'C'];

/// No head of a token is of lower-case hexadecimal digits and `-` alone, and in upper case it is as said above.
const _: () = {
    let mut row = 0;
    while row < CREDENTIAL_PREFIXES.len() {
        let head = CREDENTIAL_PREFIXES[row].0.as_bytes();
        let (mut is_lower, mut is_upper, mut is_doubled) = (true, true, false);
        let (mut at, mut last, mut is_gap) = (0, 0, false);
        while at < head.len() {
            let byte = head[at];
            is_gap |= byte == b'{';
            if !is_gap {
                is_lower &= matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-');
                is_upper &= matches!(byte, b'0'..=b'9' | b'A'..=b'F');
                is_doubled |= byte == last && (byte == DOUBLED_IN_HEADS[0] || byte == DOUBLED_IN_HEADS[1]);
            }
            is_gap &= byte != b'}';
            last = byte;
            at += 1;
        }
        assert!(!is_lower && (!is_upper || is_doubled));
        row += 1;
    }
};

/// The state of a walk over a text too short and too plain for a credential.
struct Name<'t> {
    words: keywords::Prefilter<'t>,
}

impl Visitor for Name<'_> {
    #[inline(always)]
    fn letters(&mut self, at: usize, eight: u64, len: usize) -> bool {
        self.words.is_letters(at, eight, len)
    }

    #[inline(always)]
    fn sign(&mut self, at: usize, byte: u8, next: u8) -> bool {
        matches!(byte, b'.' | b'-') && byte == next || self.words.is_sign(at, byte, next)
    }
}

/// The state of a walk over a text with no signs but those of words and URLs; what may raise a flag ends it. None of these
/// signs drops anything in another reading.
struct Quiet<'t, F> {
    /// The bits of [`FACTS`] that are looked at.
    special: u32,
    words: keywords::Prefilter<'t>,
    credentials: secrets::Prefilter<'t, F>,
}

impl<F: Fn(&[u8]) -> bool> Visitor for Quiet<'_, F> {
    #[inline(always)]
    fn letters(&mut self, at: usize, eight: u64, len: usize) -> bool {
        self.credentials.letters(at, eight);
        self.words.is_letters(at, eight, len)
    }

    #[inline(always)]
    fn sign(&mut self, at: usize, byte: u8, next: u8) -> bool {
        let special = facts_of(byte) & self.special;
        if special != 0 {
            if special & DOUBLED != 0 && byte == next {
                return true;
            }
            let role = (special >> ROLES) as u8;
            self.credentials.sign(at, byte, next, role);
        }
        self.words.is_sign(at, byte, next)
    }
}

/// Returns whether a part, at signs, of a text that cannot flag raises no flag either: it may still be Base64 by itself.
pub(crate) fn cannot_flag_part(text: &[u8], classes: u32) -> bool {
    let may_be_json = matches!(text.first(), Some(b'[' | b' ' | b'+'));
    let is_loud = classes & NO_ALNUM != 0
        && (may_be_json || text.last() == Some(&b'?') || text == b"c__builtin__")
        || text.len() >= base64::SHORTEST && may_be_base64(text, classes);
    !is_loud
}

/// The meaning of a byte that is no letter or digit to a walk, as bits: those of [`Signs`], with which kinds of them it is no
/// grammar; above [`ROLES`], its roles in credentials; above [`MARKS`], its marks for readings.
const FACTS: [u32; 256] = {
    let mut facts = [0; 256];
    let mut byte = 0_u8;
    loop {
        let grammar = match byte {
            b'.' | b'-' | b'_' | b'/' | b'+' | b',' | b'?' | b'=' | b' ' | b':' => ALL_SIGNS,
            // A bracket that opens nothing makes free text of a value with comments.
            b']' => ALL_SIGNS ^ Signs::Comments as u32,
            b'*' => 2 | 4 | 8,
            b';' => ALL_SIGNS ^ Signs::Text as u32,
            b'"' => 2 | 8 | 64,
            b'(' | b')' => 4 | 8 | 64,
            b'!' => 8 | 64,
            b'[' | b'{' | b'}' | b'|' | b'~' | b'^' | b'%' | b'&' | b'@' => 64,
            _ => 0,
        };
        facts[byte as usize] = ALL_SIGNS ^ grammar
            | (secrets::role(byte) as u32) << ROLES
            | (keywords::mark(byte) as u32) << MARKS
            | match byte {
                b'.' | b'-' => DOUBLED,
                b'"' | b';' | b'(' | b')' | b'&' => BRACKET,
                _ => 0,
            };
        if byte == u8::MAX {
            break;
        }
        byte = byte.wrapping_add(1);
    }
    facts
};
/// The bits of all kinds of [`Signs`].
const ALL_SIGNS: u32 = 1 | 2 | 4 | 8 | 64;
const ROLES: u32 = 8;
const MARKS: u32 = 16;
/// A bracket, a quote, a semicolon or an ampersand.
const BRACKET: u32 = 1 << 4;
/// Two of it side by side may raise a flag.
const DOUBLED: u32 = 1 << 5;

#[inline(always)]
fn facts_of(byte: u8) -> u32 {
    FACTS.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Returns whether a text decodes to something readable, or begins with what decodes to binary data of a known kind.
fn may_be_base64(text: &[u8], classes: u32) -> bool {
    serial::begins_like_data(text) || classes & NO_SPACED_BASE64 == 0 && base64::may_be_readable(text)
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, scan};
    use super::*;
    use crate::context::Shared;
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

    #[test]
    fn plain_numbers_hold_no_keyword_or_token() {
        let (mut random, mut quiet) = (random(), 0);
        let entries = CLASSES.iter().flat_map(|(_, entries)| entries.iter());
        let mut pieces: Vec<String> = entries
            .map(|entry| entry.replace([' ', '~', '^', '!'], ""))
            .filter(|entry| bytes::is_hexadecimal(bytes::union(entry.as_bytes())))
            .collect();
        assert!(pieces.iter().any(|piece| piece == "aced0005"));
        pieces.extend(["aced", "ac", "ed", "00", "05", "c", "-", "--", "AA", "AC", "CC"].map(str::to_owned));
        let upper = ["ACED", "A3-", "EAA", "ACCA", "AA", "0123456789ABCDEF", "7", "-"];
        with_context(|cx| {
            for nth in 0..60_000 {
                let mut text = String::new();
                for _ in 0..=random(9) {
                    match (random(3), nth % 2) {
                        (0, _) => text.push_str(&format!("{:x}", random(u32::MAX))),
                        (_, 0) => text.push_str(&pieces[random(pieces.len() as u32) as usize]),
                        _ => text.push_str(upper[random(upper.len() as u32) as usize]),
                    }
                }
                let text = if nth % 2 == 0 { text } else { text.to_uppercase() };
                let (text, classes) = (text.as_bytes(), bytes::union(text.as_bytes()));
                if !cannot_flag(text, classes) {
                    continue;
                }
                quiet += 1;
                for kind in [Kind::Value, Kind::Form, Kind::Free, Kind::Leaf, Kind::Path] {
                    let mut flags = cx.flags();
                    scan(Text::untraced(text).classified(), kind, false, cx, &mut flags);
                    assert!(flags.set.is_empty(), "{kind:?} {}", text.escape_ascii());
                }
                let found = cx.settings.names.find_credential(text, classes, cx);
                assert_eq!(found, None, "{}", text.escape_ascii());
            }
        });
        assert!(quiet > 20_000, "{quiet}");
    }

    #[test]
    fn texts_like_urls_raise_nothing_but_what_urls_do() {
        let (mut pieces, mut random, mut quiet) = (pieces(), random(), 0);
        pieces.extend(
            [
                "https://",
                "HTTP:",
                "ftp://",
                "www.example.com",
                "localhost",
                "127.0.0.1",
                ":",
                "=",
                "a=",
                "?x=1",
                "token=",
            ]
            .iter()
            .chain(&[
                "pin:",
                "b:1",
                "data:",
                "file:",
                "//",
                "/",
                "aGVsbG8gd29ybGQ=",
                "W10=",
                "a:1:",
                "O:4:",
                "user:pw",
            ])
            .map(|piece| (*piece).to_owned())
            .cycle()
            .take(300),
        );
        with_context(|cx| {
            for _ in 0..60_000 {
                let text: String =
                    (0..=random(6)).map(|_| pieces[random(pieces.len() as u32) as usize].as_str()).collect();
                let text = text.as_bytes();
                let classes = bytes::union(text);
                if classes & (COLON | EQUALS) == 0 || !cannot_flag_but_url(text, classes, cx) {
                    continue;
                }
                quiet += 1;
                for kind in [Kind::Value, Kind::Form] {
                    let (mut all, mut some) = (cx.flags(), cx.flags());
                    let text = Text::request(text, true).with_classes(classes);
                    scan(text, kind, false, cx, &mut all);
                    super::super::url(text, kind, false, cx, &mut some);
                    assert_eq!(all.set, some.set, "{kind:?} {}", text.text.bytes.escape_ascii());
                    assert_eq!((all.words(), all.marks()), (some.words(), some.marks()));
                }
                let found = cx.settings.names.find_credential(text, classes, cx);
                assert_eq!(found, None, "{}", text.escape_ascii());
                assert!(!crate::shape::is_jwt(text) && !crate::show::marker::is_left(text, false, cx));
                assert!(crate::formats::embedded::read(Text::untraced(text), classes, cx).is_none());
            }
        });
        assert!(quiet > 1_000, "{quiet}");
    }

    #[test]
    fn quiet_cookies_raise_nothing_however_they_are_decoded() {
        let (mut pieces, mut random, mut quiet) = (pieces(), random(), 0);
        let signs = "[ ] { } | ~ ^ % %% & &amp; &lt &#60 ; \" ( ) ! ' # * $ < > \\ \u{7f} && || $( ${ {{ <% #{ /* */ = : ? '# ;base64,";
        let values = "name=value token= user:pw@h/ http://127.0.0.1/ HTtp://a hTTP://b? O:4:\"a\" a:1:{i:0; !!python/ c__builtin__ \\u003c";
        pieces.extend(signs.split(' ').chain(values.split(' ')).cycle().take(300).map(str::to_owned));
        with_context(|cx| {
            for _ in 0..100_000 {
                let mut text: String =
                    (0..=random(4)).map(|_| pieces[random(pieces.len() as u32) as usize].as_str()).collect();
                for _ in 0..random(6).saturating_sub(1) {
                    text = match random(4) {
                        0 => text.bytes().map(|byte| format!("%{byte:02X}")).collect(),
                        1 => text.replace('%', "%25"),
                        2 => data_encoding::BASE64.encode(text.as_bytes()),
                        _ => text.replace([' ', '|', '='], "%20").replace(':', "%3A").replace('/', "%2f"),
                    };
                }
                let (text, classes) = (text.as_bytes(), bytes::union(text.as_bytes()));
                if !cannot_flag_cookie(text, classes, cx) {
                    continue;
                }
                quiet += 1;
                let (mut flags, shown) = (cx.flags(), text.escape_ascii());
                scan(Text::untraced(text).classified(), Kind::Cookie, false, cx, &mut flags);
                assert!(flags.set.is_empty(), "{shown}");
                assert_eq!(cx.settings.names.find_credential(text, classes, cx), None, "{shown}");
            }
        });
        assert!(quiet > 10_000, "{quiet}");
    }

    #[test]
    fn guarded_letters_raise_nothing() {
        let (mut random, mut quiet) = (random(), 0);
        let mut pieces: Vec<Vec<u8>> = pieces().into_iter().map(String::into_bytes).collect();
        let guarded: Vec<Vec<u8>> =
            (0x80..=0xFF).map(|byte| format!("\u{0}{byte:02X}").into_bytes()).collect();
        pieces.extend(
            ["Bearer", "token", "eyJ", "BE", "FF", "F", "/", " ", "script", "ghp_", "=", ":", "'", "<"]
                .map(|piece| piece.as_bytes().to_vec()),
        );
        with_context(|cx| {
            for nth in 0..120_000 {
                let text: Vec<u8> = (0..=random(6))
                    .flat_map(|_| {
                        let of = if random(2) == 0 { &guarded } else { &pieces };
                        of[random(of.len() as u32) as usize].clone()
                    })
                    .map(|byte| if byte == 0 { GUARD } else { byte })
                    .collect();
                let classes = bytes::union(&text);
                if !cannot_flag_guarded(&text, classes, cx) {
                    continue;
                }
                quiet += 1;
                let shared = Shared { traced: nth % 2 == 0, ..*cx };
                let cx = Context::new(&shared);
                let shown = text.escape_ascii();
                let text = Text::request(&text, nth % 2 == 0).repaired().with_classes(classes);
                for kind in [Kind::Value, Kind::Form, Kind::Leaf, Kind::Free, Kind::Cookie] {
                    let mut flags = cx.flags();
                    let secret = super::super::scan_for_secret(text, kind, false, cx, &mut flags);
                    assert!(!secret && flags.set.is_empty(), "{kind:?} {shown}");
                }
                assert!(!crate::shape::is_jwt(text.text.bytes));
                assert!(crate::formats::embedded::read(text.text, classes, cx).is_none(), "{shown}");
            }
        });
        assert!(quiet > 5_000, "{quiet}");
    }

    #[test]
    fn quiet_names_and_values_are_no_credential_together() {
        let (pieces, mut random, mut quiet) = (pieces(), random(), 0);
        let mut text = || -> String {
            (0..=random(3)).map(|_| pieces[random(pieces.len() as u32) as usize].as_str()).collect()
        };
        with_context(|cx| {
            for _ in 0..100_000 {
                let (name, value) = (text(), text());
                let (name, value) = (name.trim().as_bytes(), value.trim().as_bytes());
                let is_quiet = |text: &[u8]| cannot_flag(text, bytes::union(text));
                if is_quiet(name)
                    && is_quiet(value)
                    && bytes::union(value) & bytes::AT == 0
                    && !crate::families::holds_head(name)
                    && !cx.settings.names.matches(name, bytes::union(name), cx)
                {
                    quiet += 1;
                    let pair = [name, b"=", value].concat();
                    let found = cx.settings.names.find_credential(&pair, bytes::union(&pair), cx);
                    assert_eq!(found, None, "{}", pair.escape_ascii());
                }
            }
        });
        assert!(quiet > 2_000, "{quiet}");
    }
}
