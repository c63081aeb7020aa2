//! The spellings of a text that some decoder undoes.

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
    ];

    /// The text, spelt for a place; `None` where it would be something else there.
    pub fn of(self, text: &str, field: Field, rng: &mut Rng) -> Option<Vec<u8>> {
        let text = if field.is_one_line() { text.replace('\n', " ") } else { text.to_owned() };
        let has_entities = matches!(self, Spelling::Entities | Spelling::EntitiesInPercent);
        // There an entity of a delimiter is a delimiter.
        let cuts = match field {
            Field::Path | Field::Parameter => has_entities && text.contains('/'),
            Field::Key | Field::Query | Field::Form => has_entities && text.contains('&'),
            // There `&` and `;` end a named value.
            Field::Named => self == Spelling::Entities,
            _ => false,
        };
        if cuts {
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
        };
        field.is_free().then_some(spelt)
    }
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
