//! Shapes (6.9), markers (6.13, 6.15), entropy (6.17) and sets of signs (6.19).

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::chars::{self, Char};
use crate::json;
use crate::lists;

const SHAPES: [&str; 22] = [
    "jwt", "uuid", "ipv4", "ipv6", "b64url", "b64", "hex", "date", "email", "uaxurl", "num", "lower",
    "upper", "alpha", "lowernum", "uppernum", "alnum", "dec", "slug", "path", "words", "mixed",
];

/// Four decimal octets 0–255 without leading zeros.
pub(crate) fn ipv4(text: &str) -> Option<Ipv4Addr> {
    let octets: Vec<u8> = text
        .split('.')
        .map(|octet| {
            let digits = !octet.is_empty() && octet.len() <= 3 && octet.chars().all(|c| c.is_ascii_digit());
            let leading = octet.len() > 1 && octet.starts_with('0');
            (digits && !leading).then(|| octet.parse().ok()).flatten()
        })
        .collect::<Option<_>>()?;
    let octets: [u8; 4] = octets.try_into().ok()?;
    Some(octets.into())
}

/// An address of RFC 4291, no brackets, no zone.
pub(crate) fn ipv6(text: &str) -> Option<Ipv6Addr> {
    text.parse().ok()
}

pub(crate) fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).collect::<Vec<_>>() == [8, 4, 4, 4, 12]
        && groups.iter().all(|group| group.chars().all(|c| c.is_ascii_hexdigit()))
}

/// Base64url without padding, spare bits zero.
pub(crate) fn base64url(text: &str) -> Option<Vec<u8>> {
    let mut bits: u32 = 0;
    let mut count = 0;
    let mut bytes = Vec::new();
    for c in text.bytes() {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xFF) as u8);
        }
    }
    (count < 6 && bits & ((1 << count) - 1) == 0).then_some(bytes)
}

/// Returns whether the first part of a JWT is one.
pub(crate) fn is_jwt_head(part: &str) -> bool {
    base64url(part).is_some_and(|bytes| json::is_object(&bytes))
}

fn is_jwt(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let all = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    parts.len() == 3
        && !parts[0].is_empty()
        && !parts[1].is_empty()
        && parts.iter().all(|part| all(part))
        && is_jwt_head(parts[0])
}

fn has_evidence(text: &str) -> bool {
    let classes = text.contains(|c: char| c.is_ascii_uppercase())
        && text.contains(|c: char| c.is_ascii_lowercase())
        && text.contains(|c: char| c.is_ascii_digit());
    (text.len() >= 16 && classes) || (text.ends_with('=') && text.len().is_multiple_of(4))
}

fn is_b64url(text: &str) -> bool {
    let bare = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    !bare.is_empty()
        && bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        && has_evidence(text)
}

fn is_b64(text: &str) -> bool {
    let bare = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    text.len().is_multiple_of(4)
        && bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '+' || c == '/')
        && has_evidence(text)
}

fn is_date(text: &str) -> bool {
    let digits = |text: &str, at: usize, n: usize| {
        text.get(at..at + n).is_some_and(|d| d.chars().all(|c| c.is_ascii_digit()))
    };
    if !text.is_ascii() || text.len() < 10 {
        return false;
    }
    let (date, mut rest) = text.split_at(10);
    let month: u8 = date[5..7].parse().unwrap_or(0);
    let day: u8 = date[8..10].parse().unwrap_or(0);
    if !(digits(date, 0, 4)
        && &date[4..5] == "-"
        && digits(date, 5, 2)
        && &date[7..8] == "-"
        && digits(date, 8, 2)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day))
    {
        return false;
    }
    if rest.starts_with(['T', ' ']) {
        if !(digits(rest, 1, 2) && rest.get(3..4) == Some(":") && digits(rest, 4, 2)) {
            return false;
        }
        rest = &rest[6..];
        if rest.starts_with(':') && digits(rest, 1, 2) {
            rest = &rest[3..];
            if let Some(fraction) = rest.strip_prefix('.') {
                let after = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
                if after.len() < fraction.len() {
                    rest = after;
                }
            }
        }
    }
    rest.is_empty()
        || rest == "Z"
        || (rest.len() == 6
            && rest.starts_with(['+', '-'])
            && digits(rest, 1, 2)
            && &rest[3..4] == ":"
            && digits(rest, 4, 2))
}

pub(crate) fn is_email(text: &[Char]) -> bool {
    let at = Char::Plain('@');
    if text.iter().filter(|c| **c == at).count() != 1 {
        return false;
    }
    let bad = |c: char| chars::is_white_space(c) || c == '\0' || "<>'\";(){}|\\".contains(c);
    if text.iter().any(|c| c.plain().is_some_and(bad)) {
        return false;
    }
    let at = text.iter().position(|c| *c == at).unwrap();
    let domain = &text[at + 1..];
    at > 0 && domain.iter().enumerate().any(|(i, c)| *c == Char::Plain('.') && i > 0 && i + 1 < domain.len())
}

fn is_uaxurl(text: &[Char]) -> bool {
    let opaque = ["data:", "javascript:", "mailto:", "tel:", "urn:", "about:", "blob:", "vbscript:"];
    if opaque.iter().any(|scheme| chars::begins_ignoring_case(text, scheme)) {
        return true;
    }
    let Some(colon) = chars::find(text, ':') else { return false };
    let scheme = &text[..colon];
    chars::is(text.get(colon + 1), '/')
        && chars::is(text.get(colon + 2), '/')
        && scheme.first().is_some_and(|c| c.plain().is_some_and(|c| c.is_ascii_alphabetic()))
        && scheme.iter().all(|c| c.is_ascii_alphanumeric() || c.plain().is_some_and(|c| "+.-".contains(c)))
}

fn is_dec(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    match text.split_once('.') {
        Some((whole, fraction)) => number(whole) && number(fraction),
        None => number(text),
    }
}

fn is_path(text: &str) -> bool {
    if !text.contains('/') {
        return false;
    }
    let text = text.strip_prefix('/').unwrap_or(text);
    let text = text.strip_suffix('/').unwrap_or(text);
    text.split('/').all(|part| {
        part.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)) && part.contains(|c| c != '.')
    })
}

fn is_words(text: &str) -> bool {
    let letters = |c: char| chars::is_letter(c) || chars::is_mark(c) || chars::is_digit(c);
    let runs: Vec<&str> = text.split(' ').collect();
    runs.iter().all(|run| !run.is_empty() && run.chars().all(letters))
        && (runs.len() >= 2 || !text.is_ascii())
}

/// The shape of a value.
pub(crate) fn shape(text: &[Char]) -> &'static str {
    let plain = chars::as_string(text);
    if let Some(text) = plain.as_deref() {
        if is_jwt(text) {
            return "jwt";
        }
        if is_uuid(text) {
            return "uuid";
        }
        if ipv4(text).is_some() {
            return "ipv4";
        }
        if ipv6(text).is_some() {
            return "ipv6";
        }
        if is_b64url(text) {
            return "b64url";
        }
        if is_b64(text) {
            return "b64";
        }
        if text.chars().all(|c| c.is_ascii_hexdigit())
            && text.contains(|c: char| c.is_ascii_digit())
            && text.contains(|c: char| c.is_ascii_alphabetic())
        {
            return "hex";
        }
        if is_date(text) {
            return "date";
        }
    }
    if is_email(text) {
        return "email";
    }
    if is_uaxurl(text) {
        return "uaxurl";
    }
    let Some(text) = plain.filter(|text| !text.is_empty()) else { return "mixed" };
    let all = |class: fn(char) -> bool| text.chars().all(class);
    if all(|c| c.is_ascii_digit()) {
        "num"
    } else if all(|c| c.is_ascii_lowercase()) {
        "lower"
    } else if all(|c| c.is_ascii_uppercase()) {
        "upper"
    } else if all(|c| c.is_ascii_alphabetic()) {
        "alpha"
    } else if all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()) {
        "lowernum"
    } else if all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()) {
        "uppernum"
    } else if all(|c| c.is_ascii_alphanumeric()) {
        "alnum"
    } else if is_dec(&text) {
        "dec"
    } else if text.contains(['-', '_'])
        && text
            .split(['-', '_'])
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric()))
    {
        "slug"
    } else if is_path(&text) {
        "path"
    } else if is_words(&text) {
        "words"
    } else {
        "mixed"
    }
}

/// The entropy suffix (6.17): tenths of bits, halves rounded up.
fn entropy(text: &[Char]) -> String {
    let length = text.len();
    if length < 16 {
        return String::new();
    }
    let mut counts: BTreeMap<Char, usize> = BTreeMap::new();
    for c in text {
        *counts.entry(*c).or_default() += 1;
    }
    let length = length as f64;
    let bits: f64 = counts
        .values()
        .map(|count| {
            let p = *count as f64 / length;
            -p * p.log2()
        })
        .sum();
    // Sums of many terms are a little off: what is this near a border is on it.
    if bits <= 4.0 + 1e-9 {
        return String::new();
    }
    let tenths = (bits * 10.0 + 0.5 + 1e-9).floor();
    format!("~{}.{}", (tenths / 10.0).floor(), tenths % 10.0)
}

/// The shapes whose alphabet is not known from their name (6.19).
const OPEN: [&str; 5] = ["email", "mixed", "path", "uaxurl", "words"];

/// One character of a set of signs as it is written; `None` for what is never in one.
pub(crate) fn sign(c: char) -> Option<String> {
    if !c.is_ascii() || c.is_ascii_alphanumeric() {
        return None;
    }
    let escaped = c == ' ' || c.is_ascii_control() || "#%&,/:;<=>?[]|~".contains(c);
    Some(if escaped { chars::hex_escape(&[c as u8]) } else { c.to_string() })
}

/// The set of signs of a text with its colon (6.19), nothing if it is empty.
fn set_of_signs(text: &[Char]) -> String {
    let signs: BTreeSet<char> =
        text.iter().filter_map(|c| c.plain()).filter(|c| sign(*c).is_some()).collect();
    if signs.is_empty() {
        return String::new();
    }
    let signs: String = signs.into_iter().filter_map(sign).collect();
    format!(":{signs}")
}

/// A set that came in, as 6.19 writes it: not empty, sorted, each character once. A character may stand there as
/// itself, as its upper-case `%HH`, or as a kept escape (6.15).
fn read_set(text: &[Char]) -> Option<String> {
    let mut signs: Vec<char> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let written = |byte: u8| {
            let upper = text[at..].starts_with(&chars::text(&chars::hex_escape(&[byte])));
            upper && sign(char::from(byte)).is_some()
        };
        match (text[at], chars::escape_at(text, at)) {
            (Char::Kept(byte), _) => signs.push(char::from(byte)),
            (_, Some(byte)) if written(byte) => {
                signs.push(char::from(byte));
                at += 2;
            }
            (Char::Plain(c), _) => signs.push(c),
            _ => return None,
        }
        at += 1;
    }
    let sorted = signs.is_sorted_by(|a, b| a < b);
    let written: Vec<String> = signs.iter().map(|c| sign(*c)).collect::<Option<_>>()?;
    (sorted && !signs.is_empty()).then(|| written.concat())
}

/// The parts of a marker beside shape and length.
#[derive(Clone, Copy)]
pub(crate) struct Extras {
    /// The entropy (6.17).
    pub(crate) entropy: bool,
    /// The set of signs (6.19).
    pub(crate) signs: bool,
}

/// A marker with a shape that is known.
pub(crate) fn named_marker(shape: &str, text: &[Char], full: bool) -> String {
    let entropy = if full { entropy(text) } else { String::new() };
    format!("<{shape}:{}{entropy}>", text.len())
}

/// `<shape:len>`. `signs` is the text that the set is taken from.
pub(crate) fn marker(text: &[Char], signs: &[Char], extras: Extras) -> String {
    let shape = shape(text);
    let entropy = if extras.entropy { entropy(text) } else { String::new() };
    let set = if extras.signs && OPEN.contains(&shape) { set_of_signs(signs) } else { String::new() };
    format!("<{shape}:{}{entropy}{set}>", text.len())
}

/// `<SECRET:shape:len>`, the shape coarser (6.13).
pub(crate) fn secret_marker(text: &[Char], full: bool) -> String {
    let shape = match shape(text) {
        "lower" | "upper" => "alpha",
        "lowernum" | "uppernum" => "alnum",
        other => other,
    };
    named_marker(&format!("SECRET:{shape}"), text, full)
}

/// The kind of a text that is exactly one marker (6.15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkerKind {
    Shape,
    Secret,
}

/// A text that is exactly one marker (6.15): its kind, and how it is shown. In `core` there are no sets, and no JSON.
pub(crate) fn read_marker(text: &[Char], core: bool) -> Option<(MarkerKind, String)> {
    let [Char::Plain('<'), inner @ .., Char::Plain('>')] = text else { return None };
    let (kind, rest) = match inner.strip_prefix(&chars::text("SECRET:")[..]) {
        Some(rest) => (MarkerKind::Secret, rest),
        None => (MarkerKind::Shape, inner),
    };
    let mut cells = rest.splitn(3, |c| *c == Char::Plain(':'));
    let name = chars::as_string(cells.next()?)?;
    let number = chars::as_string(cells.next()?)?;
    let set = cells.next();
    let known = SHAPES.contains(&&name[..])
        || (name == "json" && !core)
        || (kind == MarkerKind::Secret
            && (name == "other" || name == "userinfo" || lists::auth_schemes().any(|scheme| scheme == name)));
    let digits = |text: &str, most: usize| {
        !text.is_empty() && text.len() <= most && text.chars().all(|c| c.is_ascii_digit())
    };
    let (count, entropy) = match number.split_once('~') {
        Some((count, entropy)) => (count, Some(entropy)),
        None => (&number[..], None),
    };
    let entropy_fits = entropy.is_none_or(|entropy| {
        entropy.split_once('.').is_some_and(|(whole, tenth)| digits(whole, 2) && digits(tenth, 1))
    });
    if !(known && digits(count, 7) && entropy_fits) {
        return None;
    }
    let secret = if kind == MarkerKind::Secret { "SECRET:" } else { "" };
    let Some(set) = set else { return Some((kind, format!("<{secret}{name}:{number}>"))) };
    let may_have_set = !core && kind == MarkerKind::Shape && OPEN.contains(&&name[..]);
    let set = read_set(set).filter(|_| may_have_set)?;
    Some((kind, format!("<{name}:{number}:{set}>")))
}

pub(crate) fn marker_kind(text: &[Char], core: bool) -> Option<MarkerKind> {
    read_marker(text, core).map(|(kind, _)| kind)
}

/// Every marker in the text, as this form writes it, taken out, and whether there was one (6.11).
pub(crate) fn without_markers(text: &[Char], core: bool) -> (Vec<Char>, bool) {
    let mut rest = Vec::new();
    let mut any = false;
    let mut at = 0;
    while at < text.len() {
        if chars::is(text.get(at), '<')
            && let Some(end) = text[at..].iter().position(|c| *c == Char::Plain('>'))
            && let marker = &text[at..=at + end]
            && read_marker(marker, core).is_some_and(|(_, shown)| chars::text(&shown) == marker)
        {
            any = true;
            at += end + 1;
            continue;
        }
        rest.push(text[at]);
        at += 1;
    }
    (rest, any)
}
