//! Tokens (9.17) and what values are made of (9.18).

use std::collections::BTreeSet;

use crate::body::{self, Leaf, Told};
use crate::chars::{self, Char};
use crate::headers;
use crate::scan::Flags;
use crate::target::Query;
use crate::{Context, document, shape};

// ---- What a value is made of (9.18) ----

/// The signs, scripts and skeleton of a value, each as it follows the place. The signs are those of another spelling
/// of the value (6.19).
pub(crate) fn made_of(value: &[Char], signs: &[Char], cx: &Context<'_>) -> Vec<String> {
    if cx.is_core() {
        return Vec::new();
    }
    let signs: BTreeSet<char> = signs.iter().filter_map(|c| c.plain()).collect();
    let mut told: Vec<String> =
        signs.into_iter().filter_map(shape::sign).map(|sign| format!("~{sign}")).collect();
    let scripts: BTreeSet<&str> =
        value.iter().filter_map(|c| c.plain()).filter(|c| !c.is_ascii()).map(chars::script_name).collect();
    told.extend(scripts.into_iter().map(|script| format!("~{script}")));
    told.extend(skeleton(value));
    told
}

/// `^` and the runs of letters and digits, at most eight, of a value that has both and nothing else.
fn skeleton(value: &[Char]) -> Option<String> {
    let mut runs = String::new();
    for c in value {
        let c = c.plain()?;
        let run = match c {
            '0'..='9' => '9',
            'A'..='Z' | 'a'..='z' => 'a',
            _ => return None,
        };
        if !runs.ends_with(run) {
            runs.push(run);
        }
    }
    ((2..=8).contains(&runs.len())).then(|| format!("^{runs}"))
}

/// The signs of a marker that came in: those of its set.
pub(crate) fn signs_of_marker(marker: &str) -> Vec<String> {
    let inner = marker.trim_start_matches('<').trim_end_matches('>');
    let set = if inner.starts_with("SECRET:") { None } else { inner.splitn(3, ':').nth(2) };
    let mut rest = set.unwrap_or_default();
    let mut signs = Vec::new();
    while !rest.is_empty() {
        let (sign, after) = rest.split_at(if rest.starts_with('%') { 3 } else { 1 });
        signs.push(format!("~{sign}"));
        rest = after;
    }
    signs
}

// ---- Markers ----

/// The parts of a marker that tokens show.
struct Marker {
    /// `num`, `SECRET.alpha`, `file.tar.gz`.
    name: String,
    /// `None` for what is not measured.
    length: Option<usize>,
}

/// Reads a marker that this form writes.
fn read(marker: &str) -> Option<Marker> {
    let cells: Vec<&str> = marker.strip_prefix('<')?.strip_suffix('>')?.splitn(3, ':').collect();
    let length = |cell: &str| -> Option<usize> {
        // The entropy is left out.
        cell.split('~').next()?.parse().ok()
    };
    match cells[..] {
        ["SECRET", kind, number] => {
            Some(Marker { name: format!("SECRET.{kind}"), length: Some(length(number)?) })
        }
        ["file", number, extension] => {
            Some(Marker { name: format!("file.{extension}"), length: Some(length(number)?) })
        }
        [kind @ ("bool" | "null" | "obj" | "arr"), _] => Some(Marker { name: kind.into(), length: None }),
        [shape, number] | [shape, number, _] => {
            Some(Marker { name: shape.into(), length: Some(length(number)?) })
        }
        _ => None,
    }
}

fn bucket(length: usize) -> String {
    document::measure(length).split_once('@').unwrap().1.into()
}

/// A text that is exactly one marker of 6.13.
fn is_marker(text: &str, cx: &Context<'_>) -> bool {
    cx.shown_marker(&chars::text(text)).is_some_and(|shown| shown == text)
}

/// The tokens of a marker at a place: with its brackets where words may stand in clear.
fn marker_tokens(place: &str, marker: &str, brackets: bool, tokens: &mut Vec<String>) {
    let marker = read(marker).unwrap();
    let name = if brackets { format!("<{}>", marker.name) } else { marker.name };
    tokens.push(format!("{place}={name}"));
    if let Some(length) = marker.length {
        tokens.push(format!("{place}={name}@{}", bucket(length)));
    }
}

/// A word that stands in clear or is one marker.
fn word_tokens(place: &str, word: &str, tokens: &mut Vec<String>, cx: &Context<'_>) {
    if is_marker(word, cx) {
        marker_tokens(place, word, true, tokens);
    } else {
        tokens.push(format!("{place}={word}"));
    }
}

// ---- Values ----

/// A value of a query or body at its place.
fn value_tokens(place: &str, told: &Told, clear: Option<&str>, start: &str, tokens: &mut Vec<String>) {
    marker_tokens(place, &told.marker, false, tokens);
    if let Some(clear) = clear {
        tokens.push(format!("{place}=\"{clear}\""));
    }
    tokens.extend(told.made_of.iter().map(|made_of| format!("{place}{made_of}")));
    let inner: Vec<(&Leaf, Option<&str>)> = told.inner.iter().map(|leaf| (leaf, None)).collect();
    key_tokens(&inner, start, tokens);
}

/// Each distinct key in order of first arrival, and its values; `start` is `q.` or `b.`.
fn key_tokens(values: &[(&Leaf, Option<&str>)], start: &str, tokens: &mut Vec<String>) {
    let mut keys: Vec<&str> = Vec::new();
    for (leaf, _) in values {
        if !keys.contains(&&leaf.key[..]) {
            keys.push(&leaf.key);
        }
    }
    for key in keys {
        let place = format!("{start}{key}");
        tokens.push(place.clone());
        for (leaf, clear) in values.iter().filter(|(leaf, _)| leaf.key == key) {
            value_tokens(&place, &leaf.told, *clear, start, tokens);
        }
    }
}

// ---- Lines ----

/// The input of tokens.
pub(crate) struct Source<'a> {
    pub(crate) method: &'a str,
    pub(crate) version: &'a [u8],
    /// Host and port of `U`.
    pub(crate) host: Option<String>,
    /// The path as shown, its length and that of its longest segment.
    pub(crate) path: Option<(&'a str, usize, usize)>,
    pub(crate) query: Option<&'a Query>,
    /// The headers that are shown.
    pub(crate) headers: &'a [headers::Shown],
    pub(crate) header_count: usize,
    pub(crate) header_bytes: usize,
    pub(crate) body: Option<&'a body::Shown>,
    pub(crate) rollup: &'a Flags,
    /// Each place with its flags, in the order of lines.
    pub(crate) places: Vec<(String, Flags)>,
}

pub(crate) fn tokens(source: &Source<'_>, cx: &Context<'_>) -> Vec<String> {
    let mut tokens = Vec::new();
    word_tokens("m", source.method, &mut tokens, cx);
    let version = match source.version {
        b"" | b"HTTP/0.9" => "0.9",
        b"HTTP/1.0" => "1.0",
        b"HTTP/1.1" => "1.1",
        b"HTTP/2" | b"HTTP/2.0" => "2",
        b"HTTP/3" | b"HTTP/3.0" => "3",
        _ => "other",
    };
    tokens.push(format!("v={version}"));
    tokens.extend(source.host.iter().map(|host| format!("u.host={host}")));
    if let Some((path, length, longest)) = source.path {
        path_tokens(path, &mut tokens, cx);
        tokens.push(format!("plen@{}", bucket(length)));
        tokens.push(format!("pmax@{}", bucket(longest)));
    }
    if let Some(query) = source.query {
        tokens.push(format!("q.n={}", query.count));
        let keys: Vec<String> = query.keys.iter().chain(&query.more).cloned().collect();
        tokens.push(format!("q.keys={}", keys.join(",")));
        let values: Vec<(&Leaf, Option<&str>)> =
            query.values.iter().map(|(leaf, clear)| (leaf, clear.as_deref())).collect();
        key_tokens(&values, "q.", &mut tokens);
    }
    header_tokens(source.headers, &mut tokens, cx);
    tokens.push(format!("hcnt={}", source.header_count));
    tokens.push(format!("hlen@{}", bucket(source.header_bytes)));
    if let Some(body) = source.body {
        body_tokens(body, &mut tokens, cx);
    }
    tokens.extend(source.rollup.iter().map(|flag| format!("f={flag}")));
    for (place, flags) in &source.places {
        tokens.extend(flags.iter().map(|flag| format!("f.{place}={flag}")));
    }
    tokens.iter().map(|token| without_white_space(token)).collect()
}

fn path_tokens(path: &str, tokens: &mut Vec<String>, cx: &Context<'_>) {
    tokens.push(format!("p={path}"));
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in &segments {
        if !is_more(segment) {
            word_tokens("p/", segment, tokens, cx);
        }
    }
    if let Some(last) = segments.last()
        && let Some((_, extension)) = last.split(';').next().unwrap().rsplit_once('.')
        && (1..=8).contains(&extension.len())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
    {
        tokens.push(format!("p.ext={}", extension.to_ascii_lowercase()));
    }
}

/// `<more:m>`.
fn is_more(text: &str) -> bool {
    text.strip_prefix("<more:")
        .and_then(|rest| rest.strip_suffix('>'))
        .is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
}

/// A header's name as the place of tokens.
pub(crate) fn header_place(name: &str) -> String {
    format!("h.{}", name.replace('~', "%7E").replace('^', "%5E").replace('#', "%23"))
}

fn header_tokens(headers: &[headers::Shown], tokens: &mut Vec<String>, cx: &Context<'_>) {
    let mut names: Vec<&str> = headers.iter().map(|header| &header.shown_name[..]).collect();
    names.dedup();
    for name in names {
        let place = header_place(name);
        tokens.push(place.clone());
        for header in headers.iter().filter(|header| header.shown_name == name) {
            line_tokens(name, &place, header, tokens, cx);
        }
    }
}

const OF_ITEMS: [&str; 5] = ["accept", "accept-charset", "accept-encoding", "accept-language", "user-agent"];

/// The tokens of one header line.
fn line_tokens(name: &str, place: &str, header: &headers::Shown, tokens: &mut Vec<String>, cx: &Context<'_>) {
    let value = &header.shown_value;
    let items = || value.split(' ').filter(|item| !item.is_empty());
    if name == "cookie" {
        for item in items() {
            match cookie(item) {
                Some((cookie, length)) => tokens.push(format!("c.{cookie}@{}", bucket(length))),
                None => word_tokens(place, item, tokens, cx),
            }
        }
    } else if OF_ITEMS.contains(&name) {
        items().for_each(|item| word_tokens(place, item, tokens, cx));
    } else if let Some(bucket) = measured(value).filter(|_| name == "content-length") {
        tokens.push(format!("{place}@{bucket}"));
    } else {
        word_tokens(place, value, tokens, cx);
    }
    if let Some(marker) = &header.marker_of_clear {
        marker_tokens(place, marker, true, tokens);
    }
    tokens.extend(header.made_of.iter().map(|made_of| format!("{place}{made_of}")));
}

/// The name and length of `NAME<len:n>`; the name may be empty.
fn cookie(item: &str) -> Option<(&str, usize)> {
    let (name, rest) = item.rsplit_once("<len:")?;
    Some((name, rest.strip_suffix('>')?.parse().ok()?))
}

/// The bucket of `{n}@{bucket}`.
fn measured(value: &str) -> Option<&str> {
    let (number, bucket) = value.split_once('@')?;
    (document::measure(number.parse().ok()?) == value).then_some(bucket)
}

fn body_tokens(body: &body::Shown, tokens: &mut Vec<String>, cx: &Context<'_>) {
    tokens.push(format!("b.kind={}", body.kind));
    tokens.push(format!("blen@{}", bucket(body.length)));
    if let Some(whole) = &body.whole {
        value_tokens("b", whole, None, "b.", tokens);
        return;
    }
    let shown = &body.leaves[..body.leaves.len().min(cx.options.limits.values)];
    let mut keys: Vec<String> = shown.iter().map(|leaf| leaf.key.clone()).collect();
    if body.leaves.len() > shown.len() {
        keys.push(format!("<more:{}>", body.leaves.len() - shown.len()));
    }
    tokens.push(format!("b.n={}", body.leaves.len()));
    tokens.push(format!("b.keys={}", keys.join(",")));
    let values: Vec<(&Leaf, Option<&str>)> = shown.iter().map(|leaf| (leaf, None)).collect();
    key_tokens(&values, "b.", tokens);
}

/// White_Space as the `%HH` of its bytes.
fn without_white_space(token: &str) -> String {
    token
        .chars()
        .map(
            |c| {
                if chars::is_white_space(c) { chars::hex_escape(c.to_string().as_bytes()) } else { c.into() }
            },
        )
        .collect()
}
