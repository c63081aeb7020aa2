//! Further texts: what other layers may decode a text to (6.12, 7.7).

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::chars::{self, Char, Text, is};
use crate::scan;

/// One further text.
#[derive(Clone)]
pub(crate) struct Layer {
    pub(crate) text: Text,
    /// For each character, whether the decoding brought it: an escape, or an overlong form that is read as what it
    /// spells.
    pub(crate) brought: Vec<bool>,
    /// The text without overlong forms read as what they spell (4.20).
    pub(crate) strict: Text,
    /// True if this step undid Base64.
    pub(crate) undid_base64: bool,
    /// True if this step or one before it undid Base64.
    pub(crate) behind_base64: bool,
}

/// The further texts of each decoding, none where it does not apply.
pub(crate) struct Decodings {
    pub(crate) percent: Vec<Layer>,
    pub(crate) entities: Vec<Layer>,
    pub(crate) script: Vec<Layer>,
    pub(crate) base64: Vec<Layer>,
}

/// An escape of a text: its length and the bytes that it stands for.
type Escape = (usize, Vec<u8>);

/// Finds the escape at a place of a text.
type Find = fn(&[Char], usize) -> Option<Escape>;

/// Kept escapes, guarded characters and stray bytes as what they stand for.
fn meant(text: &[Char]) -> Text {
    chars::read(&chars::to_bytes(text))
}

/// `%hh` (7.7.1).
fn percent(text: &[Char], at: usize) -> Option<Escape> {
    Some((3, vec![chars::escape_at(text, at)?]))
}

/// An entity of 4.12, or a number without `;` (7.7.2).
fn entity(text: &[Char], at: usize) -> Option<Escape> {
    if let Some((length, expansion)) = chars::entity_at(text, at) {
        return Some((length, expansion.into_bytes()));
    }
    if !is(text.get(at), '&') || !is(text.get(at + 1), '#') {
        return None;
    }
    let hexadecimal = is(text.get(at + 2), 'x') || is(text.get(at + 2), 'X');
    let (from, radix) = if hexadecimal { (at + 3, 16) } else { (at + 2, 10) };
    let digits: Vec<u32> = text.get(from..)?.iter().map_while(|c| c.plain()?.to_digit(radix)).collect();
    let end = from + digits.len();
    if digits.is_empty() || is(text.get(end), ';') {
        return None;
    }
    let value = digits.iter().try_fold(0u32, |value, digit| value.checked_mul(radix)?.checked_add(*digit))?;
    Some((end - at, char::from_u32(value)?.to_string().into_bytes()))
}

/// `\xhh`, `\uhhhh` or `\u{h…}` (7.7.3).
fn script(text: &[Char], at: usize) -> Option<Escape> {
    if !is(text.get(at), '\\') {
        return None;
    }
    let (from, count, length) = match text.get(at + 1)?.plain()? {
        'x' => (at + 2, 2, 4),
        'u' if is(text.get(at + 2), '{') => {
            let count = text[at + 3..].iter().take_while(|c| c.is_hex()).count();
            if !(1..=6).contains(&count) || !is(text.get(at + 3 + count), '}') {
                return None;
            }
            (at + 3, count, count + 4)
        }
        'u' => (at + 2, 4, 6),
        _ => return None,
    };
    let digits = text.get(from..from + count)?;
    let value = digits.iter().try_fold(0, |value, c| Some(value * 16 + c.plain()?.to_digit(16)?))?;
    Some((length, char::from_u32(value)?.to_string().into_bytes()))
}

/// How long the overlong form at the start is, and what it spells.
fn overlong_form(bytes: &[u8]) -> Option<(usize, char)> {
    let (length, lead) = match (*bytes.first()?, *bytes.get(1)?) {
        (lead @ 0xC0..=0xC1, _) => (2, lead & 0x1F),
        (0xE0, 0x80..=0x9F) => (3, 0),
        (0xF0, 0x80..=0x8F) => (4, 0),
        _ => return None,
    };
    let tail = bytes.get(1..length)?;
    if !tail.iter().all(|b| (0x80..=0xBF).contains(b)) {
        return None;
    }
    let value = tail.iter().fold(u32::from(lead), |value, b| value << 6 | u32::from(b & 0x3F));
    Some((length, char::from_u32(value)?))
}

/// Bytes, each with whether a decoding brought it, to a text: by 1.5, but overlong forms as what they spell.
fn layer(bytes: &[(u8, bool)]) -> Layer {
    let plain: Vec<u8> = bytes.iter().map(|(byte, _)| *byte).collect();
    let (mut text, mut brought) = (Text::new(), Vec::new());
    let mut at = 0;
    while at < plain.len() {
        let (length, c, spelled) = match overlong_form(&plain[at..]) {
            Some((length, c)) => (length, Char::Plain(c), true),
            None => {
                let c = chars::read(&plain[at..plain.len().min(at + 4)])[0];
                (chars::to_bytes(&[c]).len(), c, false)
            }
        };
        text.push(c);
        brought.push(spelled || bytes[at..at + length].iter().any(|(_, brought)| *brought));
        at += length;
    }
    Layer { text, brought, strict: chars::read(&plain), undid_base64: false, behind_base64: false }
}

/// Every escape that one of `finds` finds, as what it stands for; `None` where there is none.
fn decode(text: &[Char], finds: &[Find]) -> Option<Layer> {
    let text = meant(text);
    let mut bytes: Vec<(u8, bool)> = Vec::new();
    let mut any = false;
    let mut at = 0;
    while at < text.len() {
        if let Some((length, stands_for)) = finds.iter().find_map(|find| find(&text, at)) {
            bytes.extend(stands_for.into_iter().map(|byte| (byte, true)));
            any = true;
            at += length;
        } else {
            bytes.extend(chars::to_bytes(&text[at..=at]).into_iter().map(|byte| (byte, false)));
            at += 1;
        }
    }
    any.then(|| layer(&bytes))
}

/// Decodes Base64, stray bytes left out (7.7.4). All its characters are scanned.
fn undo_base64(text: &[Char]) -> Option<Layer> {
    let decoded = scan::base64_text(&meant(text))?;
    let bytes: Vec<(u8, bool)> = chars::to_bytes(&decoded).into_iter().map(|byte| (byte, true)).collect();
    Some(Layer { undid_base64: true, behind_base64: true, ..layer(&bytes) })
}

/// The result of a decoding, and of those of 7.7.5: three texts at most.
fn chain(first: Option<Layer>, path: bool) -> Vec<Layer> {
    let mut layers: Vec<Layer> = first.into_iter().collect();
    while let Some(last) = layers.last().filter(|_| layers.len() < 3) {
        let undone = if path { None } else { undo_base64(&last.text) };
        let Some(next) = undone.or_else(|| decode(&last.text, &[percent, entity, script])) else { break };
        let behind_base64 = next.behind_base64 || last.behind_base64;
        layers.push(Layer { behind_base64, ..next });
    }
    layers
}

/// The further texts of a text (7.7). In a `path` as a whole nothing is Base64.
pub(crate) fn decodings(text: &[Char], path: bool) -> Decodings {
    Decodings {
        percent: chain(decode(text, &[percent]), path),
        entities: chain(decode(text, &[entity]), path),
        script: chain(decode(text, &[script]), path),
        base64: chain(if path { None } else { undo_base64(text) }, path),
    }
}

thread_local! {
    /// Further texts by text, since the same ones come again as values, as echoes and in other views.
    static CACHE: RefCell<BTreeMap<Text, Vec<Text>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The text and its further texts where credentials and echoes are looked for (6.12); each once.
pub(crate) fn texts(text: &[Char]) -> Vec<Text> {
    if let Some(texts) = CACHE.with_borrow(|cache| cache.get(text).cloned()) {
        return texts;
    }
    let found = find_texts(text);
    CACHE.with_borrow_mut(|cache| {
        if cache.len() > 2_000 {
            cache.clear();
        }
        cache.insert(text.to_vec(), found.clone());
    });
    found
}

fn find_texts(text: &[Char]) -> Vec<Text> {
    let mut decodings = decodings(text, false);
    // For 7.7.1 a kept escape, a guarded character or a stray byte is as good as a `%hh`.
    if decodings.percent.is_empty() && text.iter().any(|c| c.plain().is_none()) {
        let bytes: Vec<(u8, bool)> = chars::to_bytes(text).into_iter().map(|byte| (byte, false)).collect();
        decodings.percent = chain(Some(layer(&bytes)), false);
    }
    let mut texts = vec![text.to_vec()];
    for layers in [decodings.percent, decodings.entities, decodings.script, decodings.base64] {
        let behind = layers.get(2).and_then(|third| decode(&third.text, &[entity]));
        texts.extend(layers.into_iter().chain(behind).map(|layer| layer.text));
    }
    let mut seen: Vec<Text> = Vec::new();
    for text in texts {
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}

/// Returns whether a `%hh` in a text is one of the bytes (7.7.1).
pub(crate) fn holds_escape_of(text: &[Char], bytes: &[u8]) -> bool {
    let text = meant(text);
    (0..text.len()).any(|at| chars::escape_at(&text, at).is_some_and(|byte| bytes.contains(&byte)))
}
