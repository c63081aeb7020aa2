//! Properties of the document of every request.
//!
//! Tests and fuzz targets (`crates/tamiz-fuzz`) check the same: the targets include this file.

use std::collections::{BTreeMap, BTreeSet};

use tamiz::{Canonicalizer, Document, Flag, Place, Raised, Scratch};

use super::{grammar, spelling};

/// How many bytes of a document one byte of a request can make: three bytes of U+FDFA are eighteen
/// characters under NFKC, 39 bytes with their spaces escaped, and a path is shown in `U` and in `P`.
pub const GROWTH: usize = 26;
/// The bytes of a document that do not depend on the request's size: the lines there always are, and 128 headers of two
/// bytes each (`:` and LF), which are 74 with their marker, given four times, and their flags.
pub const FIXED: usize = 4 << 10;
/// The ways to 128 values of a body, each of 32 names of 64 characters and a dot, in `BQ` and `BK`.
pub const WAYS: usize = 2 * 128 * 32 * (64 * 4 + 1);

/// The longest text that a request of so many bytes can have, under the default limits.
fn bound(request_len: usize, text: &str) -> usize {
    let ways = if text.contains("\nBQ:") { WAYS } else { 0 };
    GROWTH * request_len + FIXED + ways
}

/// Checks all of it; says what does not hold.
pub fn check(tamiz: &Canonicalizer, scratch: &mut Scratch, request: &[u8]) -> Result<Document, String> {
    let document = tamiz.canonicalize_with_evidence(request);
    check_deterministic(tamiz, scratch, request, &document)?;
    check_fresh(tamiz, &document, request.len())?;
    check_evidence(request, &document)?;
    Ok(document)
}

/// Checks what costs little: the text is UTF-8 without control characters and within its bound.
pub fn check_text(tamiz: &Canonicalizer, scratch: &mut Scratch, request: &[u8]) -> Result<(), String> {
    let mut out = Vec::new();
    tamiz.canonicalize_into(scratch, request, &mut out);
    let text = std::str::from_utf8(&out).map_err(|error| error.to_string())?;
    check_plain(text, request.len())
}

/// Checks what costs little of the text of a request of so many bytes.
pub fn check_plain(text: &str, request_len: usize) -> Result<(), String> {
    check_bound(text, request_len)?;
    check_control(text)
}

fn check_bound(text: &str, request_len: usize) -> Result<(), String> {
    if text.len() > bound(request_len, text) {
        return Err(format!("{request_len} bytes give {}, above the bound", text.len()));
    }
    Ok(())
}

fn check_control(text: &str) -> Result<(), String> {
    match text.chars().find(|c| c.is_control() && *c != '\n') {
        Some(control) => Err(format!("{control:?} is in the document")),
        None => Ok(()),
    }
}

/// A document fresh from a request of so many bytes.
pub fn check_fresh(tamiz: &Canonicalizer, document: &Document, request_len: usize) -> Result<(), String> {
    let text = document.as_str();
    check_bound(text, request_len)?;
    grammar::check(text)?;
    check_rollup(text, tamiz.config().limits.flag_parameters)?;
    check_read_back(document)
}

/// Any text: its document, if it is one. What is no document is refused without a word of it.
pub fn check_parse(text: &str) -> Result<Option<Document>, String> {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let is_inside = (1..=text.split('\n').count() + 1).contains(&error.line())
                && (1..=text.len() + 1).contains(&error.column());
            // `expected` is `&'static str`: nothing of the text can be in it.
            let expected: &'static str = error.expected();
            let said = format!("line {}, column {}: expected {expected}", error.line(), error.column());
            let is_told = is_inside && error.to_string() == said;
            return if is_told { Ok(None) } else { Err(format!("refused with: {error}")) };
        }
    };
    if document.as_str() != text {
        return Err(format!("it is read as\n{document}"));
    }
    check_control(text)?;
    if let Some(token) = document.tokens().iter().find(|token| !is_token(token)) {
        return Err(format!("{token:?} is a token"));
    }
    let json = serde_json::to_value(&document).map_err(|error| error.to_string())?;
    if json.get("tamiz.text").and_then(|text| text.as_str()) != Some(text) {
        return Err("its JSON has another text".to_owned());
    }
    Ok(Some(document))
}

fn is_token(token: &str) -> bool {
    !token.is_empty() && !token.contains(char::is_whitespace)
}

/// The document does not depend on the way in which it is made.
fn check_deterministic(
    tamiz: &Canonicalizer,
    scratch: &mut Scratch,
    request: &[u8],
    document: &Document,
) -> Result<(), String> {
    let mut out = Vec::new();
    tamiz.canonicalize_into(scratch, request, &mut out);
    if out != document.as_str().as_bytes() {
        return Err(format!("with used memory it is\n{}", out.escape_ascii()));
    }
    let plain = tamiz.canonicalize(request);
    if plain != *document || plain.as_str() != document.as_str() {
        return Err(format!("without evidence it is\n{plain}"));
    }
    Ok(())
}

/// The text reads back into a document that says the same.
fn check_read_back(document: &Document) -> Result<(), String> {
    let read = check_parse(document.as_str())?.ok_or("it does not read back")?;
    let same = [
        ("text", read.as_str() == document.as_str() && read == *document),
        ("method", read.method() == document.method()),
        ("url", read.url() == document.url()),
        ("path", read.path() == document.path()),
        ("query keys", read.query_keys() == document.query_keys()),
        ("headers", read.headers() == document.headers()),
        ("body", read.body() == document.body()),
        ("body keys", read.body_keys() == document.body_keys()),
        ("body values", read.body_values() == document.body_values()),
        ("roll-up", read.rollup().eq(document.rollup())),
        ("flags", flags_by_line(&read) == flags_by_line(document)),
        ("tokens", has_tokens_of(document, &read)),
    ];
    match same.iter().find(|(_, same)| !same) {
        Some((what, _)) => Err(format!("read back, its {what} differ")),
        None => Ok(()),
    }
}

/// Flags with the places that a document which was read back knows.
fn flags_by_line(document: &Document) -> BTreeSet<(String, String)> {
    let place = |raised: &Raised<'_>| match raised.place() {
        Place::QueryKey(_) => Place::Query.to_string(),
        Place::BodyKey(_) => Place::Body.to_string(),
        place => place.to_string(),
    };
    // Where parameters are left out (8.31), a fresh document still knows them by key.
    let is_capped = document.rollup().any(|item| item.ends_with(":*"));
    let is_told = |raised: &Raised<'_>| !is_capped || raised.parameter().is_none();
    document.flags().filter(is_told).map(|raised| (place(&raised), raised.to_string())).collect()
}

/// Returns whether a fresh document has the tokens of the same document that was read back, in their order. It has more
/// only where it knows more (9.13): the version, flags by key, what values are made of, shapes of what is in clear.
fn has_tokens_of(fresh: &Document, read: &Document) -> bool {
    let of = |document: &Document| -> Vec<String> {
        let is_by_line = |token: &String| !token.starts_with("f.") && !token.starts_with("v=");
        document.tokens().into_iter().filter(is_by_line).collect()
    };
    let read = of(read);
    let is_literal = fresh
        .fingerprint()
        .is_some_and(|fingerprint| fingerprint.components().contains(&("view", "literal".to_owned())));
    let mut expected = read.iter().peekable();
    let is_known = |token: &String| {
        expected.next_if_eq(&token).is_some()
            || is_literal
            || token.contains(['~', '^'])
            || token.contains("{}")
    };
    of(fresh).iter().all(is_known) && expected.next().is_none()
}

/// The roll-up is the union of what lines carry, with at most `limit` parameters each (9.3, 9.5, 8.31).
fn check_rollup(text: &str, limit: usize) -> Result<(), String> {
    let mut union: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut rollup: Vec<&str> = Vec::new();
    for line in text.lines() {
        let line = grammar::cut(line).ok_or("a line without a colon")?;
        if line.kind == "FLAGS" {
            let inside = line.content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            rollup = inside.ok_or("a roll-up without brackets")?.split(' ').collect();
        }
        let mut parameters: BTreeMap<&str, usize> = BTreeMap::new();
        for flag in line.flags {
            let (name, parameter) = flag.split_once(':').unwrap_or((flag, ""));
            *parameters.entry(name).or_default() += usize::from(parameter != "*");
            union.entry(name).or_default().insert(parameter);
        }
        if let Some((name, count)) = parameters.iter().find(|(_, count)| **count > limit) {
            return Err(format!("{name} has {count} parameters on one line"));
        }
    }
    let mut expected: Vec<String> = Vec::new();
    for (name, parameters) in &union {
        let plain = parameters.iter().filter(|parameter| **parameter != "*");
        let is_capped = parameters.contains("*") || plain.clone().count() > limit;
        expected.extend(plain.take(limit).map(|parameter| match *parameter {
            "" if !takes_parameter(name) => (*name).to_owned(),
            parameter => format!("{name}:{parameter}"),
        }));
        expected.extend(is_capped.then(|| format!("{name}:*")));
    }
    expected.sort_unstable();
    if expected == rollup { Ok(()) } else { Err(format!("the roll-up should be [{}]", expected.join(" "))) }
}

fn takes_parameter(name: &str) -> bool {
    Flag::from_name(name).is_some_and(|flag| flag.parameter().is_some())
}

/// Evidence is inside the request; that of a character is that character, or a spelling of it.
fn check_evidence(request: &[u8], document: &Document) -> Result<(), String> {
    let secrets = document.secrets();
    if !secrets.is_sorted_by(|a, b| a.end < b.start)
        || secrets.iter().any(|range| range.is_empty() || range.end > request.len())
    {
        return Err(format!("hidden ranges are {secrets:?}"));
    }
    let is_hidden = |start: usize, end: usize| secrets.iter().any(|s| s.start < end && start < s.end);
    // What an inflated body holds, and what Base64 and the encodings of parts hide, has the whole for
    // evidence.
    let decoded: BTreeSet<String> = document
        .flags()
        .filter(|raised| matches!(raised.flag().name(), "BODYENC" | "B64TEXT"))
        .map(|raised| line_of(raised.place()))
        .collect();
    for raised in document.flags() {
        for range in raised.evidence() {
            let Some(bytes) = request.get(range.clone()).filter(|bytes| !bytes.is_empty()) else {
                return Err(format!("{raised} at {}: evidence {range:?}", raised.place()));
            };
            let is_looked_at =
                !is_hidden(range.start, range.end) && !decoded.contains(&line_of(raised.place()));
            // A URL in a header, or in a piece of one, does not tell of Base64 (8.23), but of what is in it.
            let is_header = line_of(raised.place()).starts_with("h.");
            if let Some(characters) = characters(raised.flag().name()).filter(|_| is_looked_at)
                && !spelling::spells(bytes, characters)
                && !(is_header && spelling::hides(bytes, characters))
            {
                return Err(format!("{raised} at {}: evidence `{}`", raised.place(), bytes.escape_ascii()));
            }
        }
    }
    Ok(())
}

/// The line a place belongs to.
fn line_of(place: Place<'_>) -> String {
    match place {
        Place::QueryKey(_) => Place::Query.to_string(),
        Place::BodyKey(_) => Place::Body.to_string(),
        place => place.to_string(),
    }
}

/// The characters of 7.2, and the backtick, that a flag stands for.
fn characters(flag: &str) -> Option<&'static str> {
    Some(match flag {
        "ANGLE" => "<>",
        "QUOTE" => "'\"",
        "SEMICOLON" => ";",
        "PAREN" => "()",
        "BRACE" => "{}",
        "PIPE" => "|",
        "BACKSLASH" => "\\",
        "BACKTICK" => "`",
        _ => return None,
    })
}
