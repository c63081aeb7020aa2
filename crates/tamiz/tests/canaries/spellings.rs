//! The spellings of a text that some decoder undoes.

use data_encoding::BASE64URL_NOPAD;

use super::Rng;
use super::places::Field;

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// As it is, but for what its place cannot hold.
    AsItIs,
    /// Every byte percent-encoded.
    Percent,
    /// Some bytes percent-encoded, hexadecimal digits of both cases.
    SomePercent,
    PercentTwice,
    PercentThrice,
    /// Numeric entities, decimal and hexadecimal.
    Entities,
    /// Entities, then every byte percent-encoded.
    EntitiesInPercent,
    /// The escapes of the format: `\uXXXX` in JSON.
    Escapes,
    /// The escapes of scripts, where the format has none.
    Script,
    /// Base64 of all of it.
    Base64,
    /// Every byte percent-encoded, then Base64.
    PercentInBase64,
    /// Base64, then every byte percent-encoded.
    Base64InPercent,
}

impl Spelling {
    pub const ALL: &'static [Spelling] = &[
        Spelling::AsItIs,
        Spelling::Percent,
        Spelling::SomePercent,
        Spelling::PercentTwice,
        Spelling::PercentThrice,
        Spelling::Entities,
        Spelling::EntitiesInPercent,
        Spelling::Escapes,
        Spelling::Script,
        Spelling::Base64,
        Spelling::PercentInBase64,
        Spelling::Base64InPercent,
    ];

    fn is_base64(self) -> bool {
        matches!(self, Spelling::Base64 | Spelling::PercentInBase64 | Spelling::Base64InPercent)
    }

    /// The text, spelt for a place; `None` where it would be something else there.
    pub fn of(self, text: &str, field: Field, rng: &mut Rng) -> Option<Vec<u8>> {
        let text = if field.is_one_line() { text.replace('\n', " ") } else { text.to_owned() };
        let has_entities = matches!(self, Spelling::Entities | Spelling::EntitiesInPercent);
        // There an entity of a delimiter is a delimiter.
        let cuts = match field {
            Field::Path | Field::Parameter => has_entities && text.contains('/'),
            Field::Key | Field::Form => has_entities && text.contains('&'),
            // It may be the value of a URL in the value, which a backslash ends.
            Field::Query => has_entities && text.contains('&') || self == Spelling::Script,
            // There `&` and `;` end a named value, and so does a backslash.
            Field::Named => matches!(self, Spelling::Entities | Spelling::Script),
            Field::Json => self == Spelling::Script,
            _ => false,
        };
        // Elsewhere it may be a part of a text, in which Base64 is not looked for.
        if cuts || self.is_base64() && !field.is_whole() {
            return None;
        }
        let spelt = match self {
            Spelling::AsItIs => return field.fit(text.as_bytes()),
            Spelling::Percent => percent(text.as_bytes()),
            Spelling::SomePercent => some_percent(text.as_bytes(), rng),
            Spelling::PercentTwice => again(&percent(text.as_bytes())),
            Spelling::PercentThrice => again(&again(&percent(text.as_bytes()))),
            Spelling::Entities => entities(&text, rng),
            Spelling::EntitiesInPercent => percent(&entities(&text, rng)),
            Spelling::Escapes => return escapes(&text, field),
            Spelling::Script => {
                text.encode_utf16().flat_map(|unit| format!("\\u{unit:04x}").into_bytes()).collect()
            }
            Spelling::Base64 => base64(text.as_bytes(), field)?,
            Spelling::PercentInBase64 => base64(&percent(text.as_bytes()), field)?,
            Spelling::Base64InPercent => percent(&base64(text.as_bytes(), field)?),
        };
        (field.is_free() || field.fit(&spelt)? == spelt).then_some(spelt)
    }
}

/// Base64 of text that is readable and long enough to be taken for it, spelt for a place.
fn base64(text: &[u8], field: Field) -> Option<Vec<u8>> {
    let is_readable = text.is_ascii() && text.len() >= 9;
    is_readable.then(|| field.fit(BASE64URL_NOPAD.encode(text).as_bytes()))?
}

fn percent(text: &[u8]) -> Vec<u8> {
    text.iter().flat_map(|byte| format!("%{byte:02x}").into_bytes()).collect()
}

fn some_percent(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = Vec::new();
    for &byte in text {
        match rng.below(4) {
            0 => out.extend(format!("%{byte:02x}").bytes()),
            1 => out.extend(format!("%{byte:02X}").bytes()),
            _ if byte.is_ascii_alphanumeric() => out.push(byte),
            _ => out.extend(format!("%{byte:02X}").bytes()),
        }
    }
    out
}

fn again(text: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(text).replace('%', "%25").into_bytes()
}

fn entities(text: &str, rng: &mut Rng) -> Vec<u8> {
    let mut out = String::new();
    for c in text.chars() {
        let code = u32::from(c);
        match rng.below(3) {
            0 => out.push_str(&format!("&#{code};")),
            1 => out.push_str(&format!("&#x{code:x};")),
            _ if c.is_ascii_alphanumeric() => out.push(c),
            _ => out.push_str(&format!("&#x{code:04X};")),
        }
    }
    out.into_bytes()
}

fn escapes(text: &str, field: Field) -> Option<Vec<u8>> {
    let unit = |unit: u16| format!("\\u{unit:04x}").into_bytes();
    (field == Field::Json).then(|| text.encode_utf16().flat_map(unit).collect())
}
