//! Characters (1.4–1.6) and decoding (section 4).

use std::cmp::Ordering;
use std::sync::LazyLock;

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::props::{
    BidiControl, DefaultIgnorableCodePoint, GeneralCategory, GeneralCategoryGroup, Script, WhiteSpace,
};
use icu_properties::{CodePointMapData, CodePointSetData, PropertyNamesLong};

/// One character of a text (1.4).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Char {
    /// A Unicode scalar value.
    Plain(char),
    /// A byte that is not part of well-formed UTF-8.
    Stray(u8),
    /// An escape that a path keeps (4.6), by the byte it stands for.
    Kept(u8),
    /// A guarded character (4.13, 4.15, 4.16).
    Guarded(char),
    /// A dot born of NFKC, until 4.16 decides about it.
    BornDot,
}

/// A sequence of characters.
pub(crate) type Text = Vec<Char>;

pub(crate) fn is(c: Option<&Char>, wanted: char) -> bool {
    c == Some(&Char::Plain(wanted))
}

impl PartialEq for Char {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Char {}

impl PartialOrd for Char {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Char {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Char {
    /// The key of comparisons: a kept escape equals the guarded character that is written like it.
    fn key(self) -> (u8, u32) {
        match self {
            Char::Plain(c) => (0, c.into()),
            Char::Stray(byte) => (1, byte.into()),
            Char::Kept(byte) => (2, byte.into()),
            Char::Guarded(c) => (2, c.into()),
            Char::BornDot => (3, 0),
        }
    }

    pub(crate) fn plain(self) -> Option<char> {
        match self {
            Char::Plain(c) => Some(c),
            _ => None,
        }
    }

    pub(crate) fn is_ascii_alphanumeric(self) -> bool {
        self.plain().is_some_and(|c| c.is_ascii_alphanumeric())
    }

    pub(crate) fn is_hex(self) -> bool {
        self.plain().is_some_and(|c| c.is_ascii_hexdigit())
    }

    /// Returns whether it is ASCII by 6.5: a guarded ASCII character is.
    pub(crate) fn is_ascii(self) -> bool {
        match self {
            Char::Plain(c) | Char::Guarded(c) => c.is_ascii(),
            Char::Stray(_) => false,
            Char::Kept(_) | Char::BornDot => true,
        }
    }
}

/// Bytes to text (1.5).
pub(crate) fn read(bytes: &[u8]) -> Text {
    let mut text = Text::new();
    let mut at = 0;
    'next: while at < bytes.len() {
        for length in 1..=4 {
            if let Some(Ok(piece)) = bytes.get(at..at + length).map(std::str::from_utf8) {
                text.extend(piece.chars().map(Char::Plain));
                at += length;
                continue 'next;
            }
        }
        text.push(Char::Stray(bytes[at]));
        at += 1;
    }
    text
}

pub(crate) fn text(plain: &str) -> Text {
    plain.chars().map(Char::Plain).collect()
}

/// The text as a string, if it has plain characters only.
pub(crate) fn as_string(text: &[Char]) -> Option<String> {
    text.iter().map(|c| c.plain()).collect()
}

/// The bytes of a text; kept escapes and guarded characters as what they stand for.
pub(crate) fn to_bytes(text: &[Char]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for c in text {
        match *c {
            Char::Plain(c) | Char::Guarded(c) => bytes.extend(c.to_string().bytes()),
            Char::Stray(byte) | Char::Kept(byte) => bytes.push(byte),
            Char::BornDot => bytes.push(b'.'),
        }
    }
    bytes
}

pub(crate) fn hex_escape(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("%{byte:02X}")).collect()
}

pub(crate) fn lower(text: &[Char]) -> Text {
    text.iter()
        .map(|c| match c {
            Char::Plain(c) => Char::Plain(c.to_ascii_lowercase()),
            other => *other,
        })
        .collect()
}

/// Cuts at every plain `separator`.
pub(crate) fn split(text: &[Char], separator: char) -> Vec<Text> {
    text.split(|c| *c == Char::Plain(separator)).map(<[Char]>::to_vec).collect()
}

/// Drops what `out` accepts at both ends.
pub(crate) fn trim(text: &[Char], out: impl Fn(char) -> bool) -> Text {
    let drop = |c: &Char| c.plain().is_some_and(&out);
    let start = text.iter().position(|c| !drop(c)).unwrap_or(text.len());
    let end = text.iter().rposition(|c| !drop(c)).map_or(start, |last| last + 1);
    text[start..end].to_vec()
}

pub(crate) fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}

pub(crate) fn find(text: &[Char], wanted: char) -> Option<usize> {
    text.iter().position(|c| *c == Char::Plain(wanted))
}

pub(crate) fn find_text(haystack: &[Char], needle: &[Char]) -> Option<usize> {
    if needle.is_empty() {
        return Some(0);
    }
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// Returns whether `text` begins with `prefix`, which is ASCII, case ignored.
pub(crate) fn begins_ignoring_case(text: &[Char], prefix: &str) -> bool {
    text.len() >= prefix.len()
        && prefix.chars().zip(text).all(|(p, c)| c.plain().is_some_and(|c| c.eq_ignore_ascii_case(&p)))
}

// ---- Properties (1.6) ----

static CATEGORY: LazyLock<icu_properties::CodePointMapDataBorrowed<'static, GeneralCategory>> =
    LazyLock::new(CodePointMapData::<GeneralCategory>::new);

pub(crate) fn is_letter(c: char) -> bool {
    GeneralCategoryGroup::Letter.contains(CATEGORY.get(c))
}

pub(crate) fn is_mark(c: char) -> bool {
    GeneralCategoryGroup::Mark.contains(CATEGORY.get(c))
}

pub(crate) fn is_digit(c: char) -> bool {
    CATEGORY.get(c) == GeneralCategory::DecimalNumber
}

pub(crate) fn is_cc(c: char) -> bool {
    CATEGORY.get(c) == GeneralCategory::Control
}

pub(crate) fn is_white_space(c: char) -> bool {
    CodePointSetData::new::<WhiteSpace>().contains(c)
}

/// Returns whether a character raises `CONTROL` (4.9).
pub(crate) fn is_control(c: char) -> bool {
    is_cc(c) || c == '\u{2028}' || c == '\u{2029}' || CodePointSetData::new::<BidiControl>().contains(c)
}

pub(crate) fn is_default_ignorable(c: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

/// Returns whether a character raises `INVISIBLE` (4.10).
pub(crate) fn is_invisible(c: char) -> bool {
    is_default_ignorable(c) && !is_control(c)
}

/// Latin 1, Cyrillic 2, Greek 4 (7.4).
pub(crate) fn script(c: char) -> u8 {
    match CodePointMapData::<Script>::new().get(c) {
        Script::Latin => 1,
        Script::Cyrillic => 2,
        Script::Greek => 4,
        _ => 0,
    }
}

/// Returns whether the characters beyond ASCII are Latin, or four or more of one other script, but for Common and
/// Inherited; Han, Hiragana and Katakana are one (7.7.4).
pub(crate) fn is_of_one_script(text: &[Char]) -> bool {
    let mut scripts: Vec<Script> = Vec::new();
    for c in text.iter().filter_map(|c| c.plain()).filter(|c| !c.is_ascii()) {
        let script = CodePointMapData::<Script>::new().get(c);
        let script =
            if [Script::Hiragana, Script::Katakana].contains(&script) { Script::Han } else { script };
        if ![Script::Common, Script::Inherited].contains(&script) {
            scripts.push(script);
        }
    }
    let one = scripts.iter().all(|script| *script == scripts[0]);
    one && scripts.first().is_some_and(|script| *script == Script::Latin || scripts.len() >= 4)
}

/// The long name of the Script property.
pub(crate) fn script_name(c: char) -> &'static str {
    let script = CodePointMapData::<Script>::new().get(c);
    PropertyNamesLong::<Script>::new().get(script).unwrap()
}

// ---- NFKC (4.15–4.18) ----

pub(crate) fn nfkc_string(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfkc().normalize(text).into_owned()
}

/// NFKC with guarding (4.15); dots that it brings are `BornDot`.
pub(crate) fn nfkc(text: &[Char], raw_path: bool) -> Text {
    let mut expanded = Text::new();
    for c in text {
        match *c {
            Char::Plain('\u{FF05}') if raw_path => expanded.push(Char::Plain('%')),
            Char::Plain('\u{FF0F}') if raw_path => expanded.push(Char::Plain('/')),
            Char::Plain(c) if !c.is_ascii() => {
                let alone = nfkc_string(&c.to_string());
                if alone.contains(|c: char| "/\\?#%&=;:@.".contains(c)) {
                    expanded.extend(alone.chars().map(|c| match c {
                        '.' => Char::BornDot,
                        c if "/\\?#%&=;:@".contains(c) => Char::Guarded(c),
                        c => Char::Plain(c),
                    }));
                } else {
                    expanded.push(Char::Plain(c));
                }
            }
            other => expanded.push(other),
        }
    }
    let mut normal = Text::new();
    let mut run = String::new();
    let flush = |run: &mut String, normal: &mut Text| {
        normal.extend(nfkc_string(run).chars().map(Char::Plain));
        run.clear();
    };
    for c in expanded {
        match c {
            Char::Plain(c) => run.push(c),
            other => {
                flush(&mut run, &mut normal);
                normal.push(other);
            }
        }
    }
    flush(&mut run, &mut normal);
    normal
}

/// Dots born of NFKC as plain dots: everywhere but in the dot segments of 4.16.
pub(crate) fn plain_dots(text: &[Char]) -> Text {
    text.iter().map(|c| if *c == Char::BornDot { Char::Plain('.') } else { *c }).collect()
}

/// 4.17: the decompositions `<wide>` and `<narrow>` outside U+FF00–FFEF are that of U+3000 alone.
pub(crate) fn is_full_width(c: char) -> bool {
    ('\u{FF00}'..='\u{FFEF}').contains(&c) || c == '\u{3000}'
}

/// 4.18.
pub(crate) fn is_compat(c: char) -> bool {
    !is_full_width(c) && nfkc_string(&c.to_string()) != c.to_string()
}

// ---- Percent-decoding (4.2) ----

/// The byte of the `%hh` at `at`, if there is one.
pub(crate) fn escape_at(text: &[Char], at: usize) -> Option<u8> {
    if !is(text.get(at), '%') {
        return None;
    }
    let digit = |at: usize| text.get(at)?.plain()?.to_digit(16);
    u8::try_from(digit(at + 1)? * 16 + digit(at + 2)?).ok()
}

/// Percent-decodes a text, and returns whether a stray byte came percent-encoded (4.7.2).
pub(crate) fn percent_decode(text: &[Char], keep: &[u8]) -> (Text, bool) {
    let mut decoded = Text::new();
    let mut stray = false;
    let mut at = 0;
    while at < text.len() {
        let Some(byte) = escape_at(text, at) else {
            decoded.push(text[at]);
            at += 1;
            continue;
        };
        if byte <= 0x7F {
            decoded.push(if keep.contains(&byte) { Char::Kept(byte) } else { Char::Plain(char::from(byte)) });
            at += 3;
            continue;
        }
        let mut run = Vec::new();
        while let Some(byte) = escape_at(text, at).filter(|byte| *byte > 0x7F) {
            run.push(byte);
            at += 3;
        }
        let run = read(&run);
        stray |= run.iter().any(|c| matches!(c, Char::Stray(_)));
        decoded.extend(run);
    }
    (decoded, stray)
}

/// A further percent-decoding (6.10, 8.35): kept escapes are undone, stray bytes are bytes.
pub(crate) fn percent_decode_further(text: &[Char]) -> Text {
    let bytes = to_bytes(text);
    let mut decoded = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let digit = |at: usize| bytes.get(at).and_then(|b| char::from(*b).to_digit(16));
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push(u8::try_from(high * 16 + low).unwrap());
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    read(&decoded)
}

// ---- Entities (4.12) ----

/// The entity at `at`: its length and what it stands for.
pub(crate) fn entity_at(text: &[Char], at: usize) -> Option<(usize, String)> {
    if !is(text.get(at), '&') {
        return None;
    }
    let mut name = String::from("&");
    for c in text.get(at + 1..)?.iter() {
        let c = c.plain()?;
        name.push(c);
        if c == ';' {
            break;
        }
        let first_hash = c == '#' && name.len() == 2;
        if !(c.is_ascii_alphanumeric() || first_hash) {
            return None;
        }
    }
    let body = name.strip_prefix('&')?.strip_suffix(';')?;
    let length = name.chars().count();
    if let Some(number) = body.strip_prefix('#') {
        let (digits, radix) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16),
            None => (number, 10),
        };
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return None;
        }
        let value = u32::from_str_radix(digits.trim_start_matches('0'), radix);
        let value = if digits.trim_start_matches('0').is_empty() { 0 } else { value.ok()? };
        return Some((length, char::from_u32(value)?.to_string()));
    }
    let expansion = htmlize::ENTITIES.get(name.as_bytes())?;
    Some((length, String::from_utf8(expansion.to_vec()).unwrap()))
}

/// One pass of entities; whether there was one.
pub(crate) fn decode_entities(text: &[Char]) -> (Text, bool) {
    let mut decoded = Text::new();
    let mut any = false;
    let mut at = 0;
    while at < text.len() {
        if let Some((length, expansion)) = entity_at(text, at) {
            decoded.extend(expansion.chars().map(Char::Plain));
            at += length;
            any = true;
        } else {
            decoded.push(text[at]);
            at += 1;
        }
    }
    (decoded, any)
}

/// A token (1.8).
pub(crate) fn is_token_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

pub(crate) fn is_token(text: &[Char]) -> bool {
    !text.is_empty() && text.iter().all(|c| c.plain().is_some_and(is_token_char))
}

/// SP and HTAB runs become one SP, those at both ends are dropped (8.4).
pub(crate) fn collapse(text: &[Char]) -> Text {
    let mut collapsed = Text::new();
    for c in text {
        if c.plain().is_some_and(is_blank) {
            if !collapsed.is_empty() && collapsed.last() != Some(&Char::Plain(' ')) {
                collapsed.push(Char::Plain(' '));
            }
        } else {
            collapsed.push(*c);
        }
    }
    trim(&collapsed, is_blank)
}
