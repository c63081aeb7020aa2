//! Headers (8.1–8.29).

use crate::body::{self, Told};
use crate::chars::{self, Char, Text, is};
use crate::document::{self, escape, name_parameter};
use crate::json;
use crate::message::{self, Line, Message};
use crate::names;
use crate::places::Place;
use crate::scan::{self, Flags, Kind};
use crate::shape::{self, MarkerKind};
use crate::target;
use crate::{Context, Options, Scheme, View, embedded_as_space, inner, tokens, vocabulary};

/// A header line, shown.
pub(crate) struct Shown {
    pub(crate) shown_name: String,
    pub(crate) shown_value: String,
    pub(crate) flags: Flags,
    pub(crate) bytes: usize,
    /// The marker that would stand for a value in clear in view `shape` (9.18).
    pub(crate) marker_of_clear: Option<String>,
    /// The tokens of a value that is a marker (9.18).
    pub(crate) made_of: Vec<String>,
}

/// A header as it is worked on.
struct Header {
    raw_name: Vec<u8>,
    raw_value: Vec<u8>,
    normal: Text,
    shown_name: String,
    value: Text,
    value_bytes: Vec<u8>,
    flags: Flags,
    embedded: bool,
}

const STEERING: [&str; 4] = ["host", "content-length", "transfer-encoding", "set-cookie"];

fn steers(name: &str) -> bool {
    STEERING.contains(&name) || lists_has(crate::lists::list_headers(), name)
}

fn lists_has(mut list: impl Iterator<Item = &'static str>, name: &str) -> bool {
    list.any(|entry| entry == name)
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\r' || byte == b'\n'
}

pub(crate) fn headers(message: &Message, scheme: Scheme, on_m: &mut Flags, cx: &Context<'_>) -> Vec<Shown> {
    framing(message, on_m);
    let mut headers: Vec<Header> = Vec::new();
    let mut no_colon: Vec<Shown> = Vec::new();
    for line in &message.lines {
        match line {
            Line::NoColon(bytes) => no_colon.push(line_without_colon(bytes, cx)),
            // It is not shown, and gives needles all the same (6.14.5).
            Line::Orphan(bytes) if cx.is_core() => {
                cx.secrets.record_unshown(&chars::collapse(&embedded_as_space(bytes)));
            }
            Line::Orphan(bytes) => no_colon.push(orphan(bytes, cx)),
            Line::Header { name, value, folded } => {
                let mut header = read_header(name, value, cx);
                if *folded {
                    header.flags.insert("OBSFOLD".into());
                }
                let repeated = headers.iter().any(|other| other.normal == header.normal);
                if repeated && chars::as_string(&header.normal).as_deref() != Some("set-cookie") {
                    header.flags.insert(format!("DUPHDR:{}", name_parameter(&header.shown_name)));
                }
                let raw_host = header.raw_name.eq_ignore_ascii_case(b"host");
                if raw_host && headers.iter().any(|other| other.raw_name.eq_ignore_ascii_case(b"host")) {
                    header.flags.insert("BADHOST".into());
                }
                let lower = name.to_ascii_lowercase();
                let joins = std::str::from_utf8(&lower)
                    .is_ok_and(|name| lists_has(crate::lists::list_headers(), name))
                    && !header.embedded;
                let first = headers.iter_mut().find(|other| {
                    joins && !other.embedded && other.raw_name.eq_ignore_ascii_case(&header.raw_name)
                });
                if let Some(first) = first {
                    first.value.extend(chars::text(", "));
                    first.value.extend(header.value);
                    first.value_bytes.extend(b", ");
                    first.value_bytes.extend(header.value_bytes);
                    first.flags.append(&mut header.flags);
                } else {
                    headers.push(header);
                }
            }
        }
    }
    for header in &headers {
        hidden_in_value(&header.value_bytes, on_m);
    }
    for header in &mut headers {
        // An empty repeat leaves a space behind what it is joined to, which only the length tells (8.5).
        while header.value.last() == Some(&Char::Plain(' ')) {
            header.value.pop();
        }
    }
    let mut shown: Vec<Shown> = headers.into_iter().map(|header| show(header, scheme, cx)).collect();
    shown.sort_by(|a, b| a.shown_name.as_bytes().cmp(b.shown_name.as_bytes()));
    shown.extend(no_colon);
    shown
}

fn line_without_colon(bytes: &[u8], cx: &Context<'_>) -> Shown {
    let spaced = embedded_as_space(bytes);
    let text = chars::collapse(&spaced);
    let mut flags = Flags::from(["BADHDRLINE".to_string()]);
    if text != spaced {
        flags.insert("WSPAD".into());
    }
    if bytes.iter().any(|b| is_line_end(*b) || *b == 0) {
        flags.insert("BADCRLF".into());
    }
    flags.extend(cx.scan(&text, Kind::Free));
    line_of_no_name(&text, flags, cx)
}

/// A `?` line: a marker in both views.
fn line_of_no_name(text: &[Char], flags: Flags, cx: &Context<'_>) -> Shown {
    let Told { marker, made_of, .. } = body::deep_marker(false, text, cx);
    let bytes = chars::to_bytes(text).len();
    Shown { shown_name: "?".into(), shown_value: marker, flags, bytes, marker_of_clear: None, made_of }
}

/// A continuation of nothing (2.17.1), without the white space that it begins with.
fn orphan(bytes: &[u8], cx: &Context<'_>) -> Shown {
    let spaced = embedded_as_space(bytes);
    let text = chars::collapse(&spaced);
    let mut flags = Flags::new();
    if text != spaced {
        flags.insert("WSPAD".into());
    }
    flags.extend(cx.scan(&text, Kind::Free));
    line_of_no_name(&text, flags, cx)
}

fn read_header(name: &[u8], value: &[u8], cx: &Context<'_>) -> Header {
    let mut flags = Flags::new();
    let as_came = embedded_as_space(name);
    target::width(&as_came, &mut flags);
    let normal = chars::plain_dots(&chars::nfkc(&as_came, false));
    let normal = chars::lower(&chars::trim(&normal, chars::is_blank));
    let came_token = chars::is_token(&chars::read(name));
    let plain = chars::as_string(&normal);

    let steering_in_disguise = !name.is_ascii() && plain.as_deref().is_some_and(steers);
    // A name is looked at as it came and normalised, each of which may have a credential in it (6.12, 8.2).
    let trimmed = chars::trim(&as_came, chars::is_blank);
    let credential = cx.has_credential(&trimmed) || cx.has_credential(&normal);
    if credential {
        cx.secrets.record_value(&trimmed);
        cx.secrets.record_value(&normal);
    }
    let echo = [&as_came, &chars::lower(&as_came), &normal].iter().any(|name| cx.secrets.echoes(name));
    let fits = chars::is_token(&normal) && normal.len() <= 64;
    let shown_name = if credential {
        cx.marker_without_set(&normal)
    } else if echo {
        cx.secret_marker(&normal)
    } else if !fits || steering_in_disguise {
        cx.marker(&normal)
    } else {
        plain.clone().unwrap()
    };
    if !came_token || name.contains(&b'_') {
        flags.insert(format!("BADHDRNAME:{}", name_parameter(&shown_name)));
    }
    if !chars::is_token(&trimmed) {
        let kind = if cx.is_core() { Kind::Opaque } else { Kind::Free };
        flags.extend(cx.scan(&trimmed, kind));
    }
    if name.iter().chain(value).any(|b| is_line_end(*b) || *b == 0) {
        flags.insert("BADCRLF".into());
    }
    if let Some(plain) = &plain {
        for line in crate::lists::hop_by_hop_headers() {
            let (entry, profile) = line.split_once(' ').unwrap();
            if entry == plain && (profile == "core" || cx.is_full()) {
                flags.insert(format!("HOPBYHOP:{}", name_parameter(&shown_name)));
            }
        }
        if lists_has(crate::lists::method_override_headers(), plain) {
            flags.insert("METHODOVERRIDE".into());
        }
    }
    if !plain.as_deref().is_some_and(|plain| lists_has(crate::lists::known_headers(), plain)) {
        flags.insert(format!("UNKHDR:{}", name_parameter(&shown_name)));
    }
    let spaced = embedded_as_space(value);
    let collapsed = chars::collapse(&spaced);
    if collapsed != spaced {
        flags.insert("WSPAD".into());
    }
    Header {
        raw_name: name.to_vec(),
        raw_value: value.to_vec(),
        normal,
        shown_name,
        value_bytes: message::collapsed(value),
        value: collapsed,
        flags,
        embedded: value.iter().any(|b| is_line_end(*b)),
    }
}

fn show(mut header: Header, scheme: Scheme, cx: &Context<'_>) -> Shown {
    let name = chars::as_string(&header.normal).unwrap_or_default();
    cx.joined.set(header.flags.iter().any(|flag| flag == "OBSFOLD" || flag.starts_with("DUPHDR:")));
    let counted = counted_bytes(&name, &header.value_bytes, cx);
    let mut bytes = chars::to_bytes(&header.normal).len() + 2 + counted;
    let shown_value = if name == "host" {
        let before = header.value_bytes.len();
        let (host, flags, echoes) = host(&header, scheme, cx);
        header.flags.extend(flags);
        bytes =
            bytes - before + host.as_ref().map_or_else(|| cx.bare_marker_length(&header.value), String::len);
        match host {
            Some(host) => host,
            None if echoes => cx.secret_marker(&header.value),
            None => cx.marker(&header.value),
        }
    } else if header.embedded {
        pieces(&header.normal, &header.raw_value, &mut header.flags, cx)
    } else {
        show_value(&header.normal, &chars::trim(&header.value, chars::is_blank), &mut header.flags, cx)
    };
    // A repeat without a value leaves `, `.
    let shown_value = shown_value.strip_suffix(' ').unwrap_or(&shown_value).to_owned();
    let (marker_of_clear, made_of) = made_of(&header, &name, &shown_value, cx);
    Shown {
        shown_name: header.shown_name,
        shown_value: bracket(&shown_value),
        flags: header.flags,
        bytes,
        marker_of_clear,
        made_of,
    }
}

/// The composition, for tokens, of a value that is one `<shape:len>`, or would be in view `shape` but is shown in clear
/// (9.18): in that case the marker, and what it is made of.
fn made_of(header: &Header, name: &str, shown: &str, cx: &Context<'_>) -> (Option<String>, Vec<String>) {
    if cx.first_pass || cx.is_core() || name == "cookie" || name == "set-cookie" {
        return (None, Vec::new());
    }
    let value = chars::trim(&header.value, chars::is_blank);
    let is_shape = |text: &str| cx.marker_kind(&chars::text(text)) == Some(MarkerKind::Shape);
    if is_shape(shown) {
        let came_in = cx.marker_kind(&value).is_some();
        let told = if came_in { tokens::signs_of_marker(shown) } else { tokens::made_of(&value, &value, cx) };
        return (None, told);
    }
    let secret = cx.marker_kind(&chars::text(shown)).is_some();
    if !cx.is_literal() || secret || name == "host" {
        return (None, Vec::new());
    }
    let options = Options { view: View::Shape, ..*cx.options };
    let in_shape = Context {
        options: &options,
        secrets: cx.secrets,
        first_pass: cx.first_pass,
        capped: cx.capped.clone(),
        hidden: cx.hidden.clone(),
        joined: cx.joined.clone(),
    };
    let marker = if header.embedded {
        pieces(&header.normal, &header.raw_value, &mut Flags::new(), &in_shape)
    } else {
        show_value(&header.normal, &value, &mut Flags::new(), &in_shape)
    };
    if is_shape(&marker) {
        let told = tokens::made_of(&value, &value, cx);
        return (Some(marker), told);
    }
    (None, Vec::new())
}

/// How many bytes of a value `HLEN` counts (8.28).
fn counted_bytes(name: &str, value: &[u8], cx: &Context<'_>) -> usize {
    let list = ["accept", "accept-charset", "accept-encoding", "accept-language"].contains(&name);
    if cx.is_core() || !list {
        return value.len();
    }
    let sign = |at: Option<usize>| at.and_then(|at| value.get(at)).is_some_and(|b| b",;=".contains(b));
    let dropped = |at: usize| value[at] == b' ' && (sign(at.checked_sub(1)) || sign(Some(at + 1)));
    (0..value.len()).filter(|at| !dropped(*at)).count()
}

/// Records what a header line that no document shows gives: of a part of a multipart body, or a trailer (6.14.5).
pub(crate) fn record_unshown(name: &[Char], value: &[Char], cx: &Context<'_>) {
    let name = chars::lower(name);
    if name == chars::text("authorization") || name == chars::text("proxy-authorization") {
        record_authorization(value, cx);
    } else if names::is_sensitive(&name) {
        cx.secrets.record_value(value);
    } else {
        cx.secrets.record_unshown(value);
    }
}

/// Records the userinfo of a `Host` that is not valid (6.14.2).
fn record_userinfo_of_host(value: &[Char], read: &target::HostRead, cx: &Context<'_>) {
    if read.host.is_none()
        && let Some(at) = value.iter().rposition(|c| *c == Char::Plain('@'))
    {
        cx.secrets.record_userinfo(&value[..at]);
    }
}

/// `[` after a space is written `%5B` (9.6).
fn bracket(value: &str) -> String {
    value.replace(" [", " %5B")
}

/// A valid host as it is shown, the flags of a host, and whether it echoes a secret.
fn host(header: &Header, scheme: Scheme, cx: &Context<'_>) -> (Option<String>, Flags, bool) {
    let mut read = target::read_host(&header.value, scheme, cx);
    if header.embedded {
        read.host = None;
        read.forbidden = true;
        read.flags.retain(|flag| flag == "FULLWIDTH" || flag == "COMPAT");
        read.flags.insert("BADHOST".into());
    }
    if read.host.is_none() {
        read.flags.extend(cx.scan(&header.value, Kind::Free));
    }
    record_userinfo_of_host(&header.value, &read, cx);
    match read.host {
        Some(host) => (Some(host.shown()), read.flags, false),
        None => {
            if read.forbidden {
                read.flags.insert(format!("BADHDRNAME:{}", name_parameter(&header.shown_name)));
            }
            let echoes = cx.secrets.echoes(&header.value) || cx.echoes_in_joined(&header.value);
            (None, read.flags, echoes)
        }
    }
}

/// A value with embedded line ends (8.10).
fn pieces(name: &[Char], raw: &[u8], flags: &mut Flags, cx: &Context<'_>) -> String {
    let mut shown = Vec::new();
    let text = chars::read(raw);
    let line_end = |c: &Char| matches!(c, Char::Plain('\r' | '\n'));
    let mut parts: Vec<Text> = text.split(line_end).map(<[Char]>::to_vec).collect();
    // After two line ends with nothing but white space between them, all the rest is one piece.
    let blank = |part: &Text| part.iter().all(|c| c.plain().is_some_and(chars::is_blank));
    let mut rest: Option<Text> = None;
    if let Some(gap) = (1..parts.len().saturating_sub(1)).find(|at| blank(&parts[*at])) {
        rest = Some(parts[gap + 1..].join(&Char::Plain(' ')));
        parts.truncate(gap);
    }
    for (at, part) in parts.iter().enumerate() {
        let part = chars::collapse(part);
        let mut told = Flags::new();
        shown.push(if at == 0 {
            show_value(name, &part, &mut told, cx)
        } else {
            later_piece(&part, &mut told, cx)
        });
        add_flags(flags, told);
    }
    if let Some(rest) = rest {
        shown.push(unnamed_piece(&chars::collapse(&rest), flags, cx));
    }
    shown.retain(|piece| !piece.is_empty());
    shown.join(" ")
}

/// Adds the flags of a piece; cookies are counted over the whole line (8.17).
fn add_flags(flags: &mut Flags, mut of_piece: Flags) {
    let count = |flags: &Flags| {
        let flag = flags.iter().find(|flag| flag.starts_with("COOKIE:")).cloned();
        flag.map(|flag| (flag.clone(), flag[7..].parse::<usize>().unwrap()))
    };
    if let (Some((old, a)), Some((new, b))) = (count(flags), count(&of_piece)) {
        flags.remove(&old);
        of_piece.remove(&new);
        flags.insert(format!("COOKIE:{}", a + b));
    }
    flags.append(&mut of_piece);
}

fn later_piece(part: &[Char], flags: &mut Flags, cx: &Context<'_>) -> String {
    let named = chars::find(part, ':').filter(|colon| {
        let name = &part[..*colon];
        chars::is_token(name) && name.len() <= 64 && !cx.has_credential(name)
    });
    let Some(colon) = named else { return unnamed_piece(part, flags, cx) };
    let name = chars::as_string(&part[..colon]).unwrap();
    let value = chars::trim(&part[colon + 1..], chars::is_blank);
    let lower = name.to_ascii_lowercase();
    let shown = show_value(&chars::text(&lower), &value, flags, cx);
    if cx.secrets.echoes(&part[..colon]) || cx.secrets.echoes(&chars::text(&lower)) {
        return cx.secret_marker(part);
    }
    if shown.is_empty() { format!("{name}:") } else { format!("{name}: {shown}") }
}

fn unnamed_piece(part: &[Char], flags: &mut Flags, cx: &Context<'_>) -> String {
    if part.is_empty() {
        return String::new();
    }
    flags.extend(cx.scan(part, Kind::Free));
    if cx.secrets.hides(false, part) || cx.echoes_in_joined(part) {
        cx.secret_marker(part)
    } else {
        cx.marker(part)
    }
}

/// A value by the rules of its header (8.11), and what it raises.
fn show_value(name_text: &[Char], value: &[Char], flags: &mut Flags, cx: &Context<'_>) -> String {
    let name = &chars::as_string(name_text).unwrap_or_default()[..];
    if name == "cookie" {
        return cookie(value, flags, cx);
    }
    if name == "set-cookie" {
        return set_cookie(value, flags, cx);
    }
    if shape::shape(value) == "jwt" {
        flags.insert("JWT".into());
    }
    if name == "x-forwarded-for" || name == "forwarded" {
        flags.insert("XFF".into());
    }
    let authorization = name == "authorization" || name == "proxy-authorization";
    let sensitive = names::is_sensitive(name_text);
    match cx.marker_kind(value) {
        Some(kind) if kind == MarkerKind::Secret || !(sensitive || authorization) => {
            flags.insert("MARKER".into());
            return cx.shown_marker(value).unwrap();
        }
        _ => {}
    }
    if lists_has(crate::lists::file_name_headers(), name) && !cx.is_core() && !cx.first_pass {
        flags.extend(crate::files::header_flags(value));
    }
    if name == "content-type" && has_odd_boundary(value) {
        flags.insert("BADBOUNDARY".into());
    }
    if authorization {
        scan_hidden(name, value, flags, cx);
        return show_authorization(value, flags, cx);
    }
    if sensitive {
        scan_hidden(name, value, flags, cx);
        cx.secrets.hides(true, value);
        return cx.secret_marker(value);
    }
    let hidden_before = cx.hidden.get();
    let url = lists_has(crate::lists::url_headers(), name).then(|| url_header(name, value, cx)).flatten();
    if let Some((shown, told)) = url {
        flags.extend(told);
        let hides = cx.hidden.get() > hidden_before || cx.has_credential(value);
        let hidden = cx.is_literal() && (hides || cx.secrets.echoes(value));
        return if hidden || cx.echoes_in_joined(value) {
            cx.secret_marker(value)
        } else if cx.is_literal() {
            escape(value, |_| false)
        } else {
            shown
        };
    }
    let hidden = cx.secrets.hides(false, value) || cx.echoes_in_joined(value);
    if cx.has_credential(value) {
        scan_hidden(name, value, flags, cx);
    } else {
        scan_header(name, value, flags, cx);
    }
    if hidden {
        return cx.secret_marker(value);
    }
    if cx.is_literal() {
        return escape(value, |_| false);
    }
    match name {
        "user-agent" => user_agent(value),
        "accept" | "accept-charset" => accept(value),
        "accept-encoding" => accept_encoding(value),
        "accept-language" => accept_language(value),
        "x-forwarded-for" => {
            chars::split(value, ',').iter().map(|item| address(item)).collect::<Vec<_>>().join(",")
        }
        "forwarded" => forwarded(value),
        "content-type" => content_type(value),
        "content-length" => content_length(value, cx),
        _ if lists_has(crate::lists::address_headers(), name) => address(value).into(),
        "origin" if value == chars::text("null") => "null".into(),
        _ if lists_has(crate::lists::url_headers(), name) => cx.marker(value),
        _ if lists_has(crate::lists::volatile_headers(), name) => cx.marker(value),
        _ if cx.is_core() || vocabulary::is_vocabulary(name, value) => escape(value, |_| false),
        _ => cx.marker(value),
    }
}

/// The flags of a hidden value: in `core` it is opaque (7.1).
fn scan_hidden(name: &str, value: &[Char], flags: &mut Flags, cx: &Context<'_>) {
    if cx.is_core() {
        flags.extend(cx.scan(value, Kind::Opaque));
    } else {
        scan_header(name, value, flags, cx);
    }
}

/// The flags of a header value, by the grammar of its header (7.5).
fn scan_header(name: &str, value: &[Char], flags: &mut Flags, cx: &Context<'_>) {
    if cx.first_pass {
        return;
    }
    let structured = |flags: &mut Flags, rest: Text, text: &[Char]| {
        flags.extend(scan::characters(&rest));
        flags.extend(cx.scan(text, Kind::Structured));
    };
    if name == "user-agent" {
        match outside_comments(value) {
            Some(rest) => structured(flags, rest, value),
            None => flags.extend(cx.scan(value, Kind::Free)),
        }
        return;
    }
    match crate::lists::parameter_header(name) {
        Some("brands") => {
            flags.extend(cx.scan(value, Kind::Brands));
        }
        Some(_) => {
            let (outside, strings, open) = quoted(value);
            if let Some(open) = open {
                let mut rest: Text = outside
                    .iter()
                    .filter(|c| **c != Char::Plain(';') && **c != Char::Plain('"'))
                    .copied()
                    .collect();
                rest.extend(strings.iter().flatten());
                rest.extend(open);
                flags.extend(scan::characters(&rest));
                flags.extend(scan::scan(value, Kind::Structured, Place::default(), true));
                if !cx.is_core() {
                    let told = scan::scan(value, Kind::Free, Place::default(), true);
                    flags.extend(scan::beyond_core(value, Kind::Free, Place::default(), &told));
                }
                return;
            }
            let mut rest: Text = outside
                .iter()
                .filter(|c| **c != Char::Plain(';') && **c != Char::Plain('"'))
                .copied()
                .collect();
            rest.extend(strings.iter().flatten());
            structured(flags, rest, value);
        }
        None => {
            let secret = name == "authorization" || name == "proxy-authorization";
            match json_strings(value).filter(|_| !cx.is_core() && !secret) {
                Some(strings) => {
                    for string in &strings {
                        flags.extend(scan::characters(string));
                        let mut odd = scan::plain_oddities(string, false, false);
                        odd.remove("BADUTF8");
                        flags.append(&mut odd);
                    }
                    flags.extend(cx.scan(value, Kind::Structured));
                }
                None => flags.extend(cx.scan(value, Kind::Free)),
            }
        }
    }
}

/// The strings, names too, of a value that is one JSON object or array (7.5.5).
fn json_strings(value: &[Char]) -> Option<Vec<Text>> {
    let data = chars::as_string(value)?.into_bytes();
    let mut reader = json::Reader::new(&data, false);
    let whole = reader.value()?;
    let container = matches!(whole.kind, json::Kind::Array(_) | json::Kind::Object(_));
    if reader.fault.is_some() || reader.at != data.len() || !container {
        return None;
    }
    let mut strings = Vec::new();
    let mut left = vec![&whole];
    while let Some(value) = left.pop() {
        match &value.kind {
            json::Kind::String(text) => strings.push(text.clone()),
            json::Kind::Array(items) => left.extend(items),
            json::Kind::Object(members) => {
                strings.extend(members.iter().filter_map(|(name, _)| name.clone()));
                left.extend(members.iter().map(|(_, value)| value));
            }
            _ => {}
        }
    }
    Some(strings)
}

/// The text outside the quoted strings (with their quotes), the strings, and an open one to the end (7.5.2).
fn quoted(value: &[Char]) -> (Text, Vec<Text>, Option<Text>) {
    let (mut outside, mut strings) = (Text::new(), Vec::new());
    let mut at = 0;
    while at < value.len() {
        outside.push(value[at]);
        if value[at] == Char::Plain('"') {
            let Some(end) = closing_quote(value, at) else {
                outside.pop();
                return (outside, strings, Some(value[at..].to_vec()));
            };
            strings.push(value[at + 1..end].to_vec());
            outside.push(Char::Plain('"'));
            at = end;
        }
        at += 1;
    }
    (outside, strings, None)
}

/// The text of a user agent that is not grammar; `None` where a comment does not close (7.5.1).
fn outside_comments(value: &[Char]) -> Option<Text> {
    let mut rest = Text::new();
    let mut open = Vec::new();
    for c in value {
        match c {
            Char::Plain('(') => open.push(')'),
            Char::Plain('[') => open.push(']'),
            Char::Plain(close @ (')' | ']')) => match open.pop() {
                Some(wanted) if wanted == *close => {}
                Some(_) => return None,
                None => return None,
            },
            Char::Plain(';' | ',') if !open.is_empty() => {}
            other => rest.push(*other),
        }
    }
    open.is_empty().then_some(rest)
}

// ---- Cookies (8.17, 8.18) ----

/// One piece `name=value` or a length; its shown name and text.
fn cookie_piece(piece: &[Char], flags: &mut Flags, cx: &Context<'_>) -> (String, String) {
    let Some(equals) = chars::find(piece, '=') else {
        cx.secrets.record_unshown(piece);
        cookie_value(false, piece, flags, cx);
        return (String::new(), format!("<len:{}>", piece.len()));
    };
    let name = chars::trim(&piece[..equals], chars::is_blank);
    let value = chars::trim(&piece[equals + 1..], chars::is_blank);
    flags.extend(cx.scan(&name, Kind::Free));
    let sensitive = names::is_sensitive(&name);
    cookie_value(sensitive, &value, flags, cx);
    if sensitive {
        cx.secrets.record(&value);
    } else {
        cx.secrets.record_unshown(piece);
        cx.secrets.record_unshown(&value);
    }
    let shown = target::show_key(&name, cx);
    let text = format!("{shown}<len:{}>", value.len());
    (shown, text)
}

/// The flags of a cookie's value; a piece without a name is one.
fn cookie_value(sensitive: bool, value: &[Char], flags: &mut Flags, cx: &Context<'_>) {
    match inner::read_cookie(value, cx) {
        Some(inner) => {
            // No limit that it reaches is told (6.20.5).
            let capped = cx.capped.get();
            inner.tell_cookie(sensitive, flags, cx);
            cx.capped.set(capped);
        }
        None => flags.extend(cx.scan(value, Kind::Cookie)),
    }
}

fn cookie_pieces(value: &[Char]) -> Vec<Text> {
    let mut pieces: Vec<Text> =
        chars::split(value, ';').iter().map(|piece| chars::trim(piece, chars::is_blank)).collect();
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

fn cookie(value: &[Char], flags: &mut Flags, cx: &Context<'_>) -> String {
    let mut shown: Vec<(String, String)> =
        cookie_pieces(value).iter().map(|piece| cookie_piece(piece, flags, cx)).collect();
    flags.insert(format!("COOKIE:{}", shown.len()));
    shown.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
    shown.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" ")
}

fn set_cookie(value: &[Char], flags: &mut Flags, cx: &Context<'_>) -> String {
    let mut shown = Vec::new();
    for (at, piece) in cookie_pieces(value).iter().enumerate() {
        if at == 0 {
            shown.push(cookie_piece(piece, flags, cx).1);
            continue;
        }
        flags.extend(cx.scan(piece, Kind::Free));
        shown.push(attribute(piece, cx));
    }
    shown.join("; ")
}

fn attribute(piece: &[Char], cx: &Context<'_>) -> String {
    let of_value = chars::find(piece, '=').map(|at| chars::trim(&piece[at + 1..], chars::is_blank));
    if cx.has_credential(piece) || of_value.as_ref().is_some_and(|value| cx.has_credential(value)) {
        cx.secrets.record_unshown(piece);
        of_value.iter().for_each(|value| cx.secrets.record_unshown(value));
        return cx.secret_marker(piece);
    }
    if cx.secrets.echoes(piece) || of_value.is_some_and(|value| cx.secrets.echoes(&value)) {
        return cx.secret_marker(piece);
    }
    let (name, value) = match chars::find(piece, '=') {
        Some(at) => {
            (chars::trim(&piece[..at], chars::is_blank), chars::trim(&piece[at + 1..], chars::is_blank))
        }
        None => (piece.to_vec(), Text::new()),
    };
    let known = ["Expires", "Max-Age", "Domain", "Path", "Secure", "HttpOnly", "SameSite"];
    let name = chars::as_string(&name);
    let Some(known) =
        known.iter().find(|known| name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(known)))
    else {
        return cx.marker(piece);
    };
    if value.is_empty() {
        return (*known).into();
    }
    let plain = value.iter().all(|c| c.plain().is_some_and(|c| chars::is_token_char(c) || c == '/'));
    if *known != "Expires" && plain {
        format!("{known}={}", chars::as_string(&value).unwrap())
    } else {
        format!("{known}={}", cx.marker(&value))
    }
}

/// Records what an authorization gives (6.14.3).
fn record_authorization(value: &[Char], cx: &Context<'_>) {
    let (scheme, rest) = match chars::find(value, ' ') {
        Some(at) => (chars::lower(&value[..at]), &value[at + 1..]),
        None => (chars::lower(value), &value[value.len()..]),
    };
    if rest.len() >= 8 {
        cx.secrets.record(rest);
    } else {
        cx.secrets.record_value(value);
    }
    if (scheme == chars::text("sharedkey") || scheme == chars::text("sharedkeylite"))
        && let Some(colon) = chars::find(rest, ':')
    {
        cx.secrets.record(&rest[colon + 1..]);
    }
    cx.secrets.record_proofs(value);
}

fn show_authorization(value: &[Char], flags: &mut Flags, cx: &Context<'_>) -> String {
    let (word, rest) = match chars::find(value, ' ') {
        Some(at) => (&value[..at], Some(&value[at + 1..])),
        None => (value, None),
    };
    record_authorization(value, cx);
    let scheme =
        chars::as_string(&chars::lower(word)).filter(|word| lists_has(crate::lists::auth_schemes(), word));
    let Some(scheme) = scheme else { return format!("<SECRET:other:{}>", value.len()) };
    match scheme.as_str() {
        "bearer" => _ = flags.insert("AUTHBEARER".into()),
        "basic" => _ = flags.insert("AUTHBASIC".into()),
        _ => {}
    }
    format!("<SECRET:{scheme}:{}>", rest.map_or(0, <[Char]>::len))
}

// ---- Normalisers (8.12–8.16, 8.20, 8.23–8.25) ----

/// Lower case, but for `%HH` and markers (8.12). A set of signs has nothing that folding changes.
fn fold(text: &str) -> String {
    let text = chars::text(text);
    let mut out = String::new();
    let mut at = 0;
    while at < text.len() {
        if chars::escape_at(&text, at).is_some() {
            out.extend(text[at..at + 3].iter().filter_map(|c| c.plain()));
            at += 3;
            continue;
        }
        if is(text.get(at), '<')
            && let Some(end) = text[at..].iter().position(|c| *c == Char::Plain('>'))
            && shape::marker_kind(&text[at..=at + end], true).is_some()
        {
            out.extend(text[at..=at + end].iter().filter_map(|c| c.plain()));
            at += end + 1;
            continue;
        }
        out.extend(text[at].plain().map(|c| c.to_ascii_lowercase()));
        at += 1;
    }
    out
}

fn user_agent(value: &[Char]) -> String {
    let mut words = Vec::new();
    let mut run = Text::new();
    let mut depth = 0usize;
    let white = |text: &[Char]| fold(&escape(text, chars::is_white_space));
    let mut flush = |run: &mut Text, depth: usize| {
        if depth == 0 {
            for word in chars::split(run, ' ').iter().filter(|word| !word.is_empty()) {
                words.push(white(word));
            }
        } else {
            for item in run.split(|c| matches!(c, Char::Plain(';' | ','))) {
                let item = chars::trim(item, chars::is_blank);
                if let Some(slash) = chars::find(&item, '/')
                    && chars::is_token(&item[..slash])
                    && chars::is_token(&item[slash + 1..])
                {
                    words.push(white(&item));
                }
                if chars::begins_ignoring_case(&item, "like ") && chars::is_token(&item[5..]) {
                    words.push(format!("like:{}", white(&item[5..])));
                }
            }
        }
        run.clear();
    };
    for c in value {
        match c {
            Char::Plain('(' | '[') => {
                flush(&mut run, depth);
                depth += 1;
            }
            Char::Plain(')' | ']') => {
                flush(&mut run, depth);
                depth = depth.saturating_sub(1);
            }
            other => run.push(*other),
        }
    }
    flush(&mut run, depth);
    words.truncate(16);
    words.join(" ")
}

/// The items of 8.14: type and quality in thousandths, both unescaped.
fn items(value: &[Char]) -> Vec<(Text, u32)> {
    let mut tight = Text::new();
    for (at, c) in value.iter().enumerate() {
        let near = |c: Option<&Char>| matches!(c, Some(Char::Plain(';' | '=')));
        let before = at.checked_sub(1).and_then(|before| value.get(before));
        if *c == Char::Plain(' ') && (near(before) || near(value.get(at + 1))) {
            continue;
        }
        tight.push(*c);
    }
    tight
        .split(|c| matches!(c, Char::Plain(',' | ' ')))
        .filter_map(|item| {
            let mut parts = chars::split(item, ';').into_iter();
            let kind = parts.next().unwrap();
            if kind.is_empty() {
                return None;
            }
            let quality = parts.find_map(|part| {
                let text = chars::lower(&part);
                if !is(text.first(), 'q') {
                    return None;
                }
                let digit = text.get(1).is_some_and(|c| c.plain().is_some_and(|c| c.is_ascii_digit()));
                let rest = if is(text.get(1), '=') { Some(&part[2..]) } else { digit.then(|| &part[1..]) };
                rest.map(quality)
            });
            Some((kind, quality.unwrap_or(1000)))
        })
        .collect()
}

fn quality(text: &[Char]) -> u32 {
    let parse = || -> Option<u32> {
        let text = chars::as_string(text)?;
        let (whole, fraction) = match text.split_once('.') {
            Some((whole, fraction)) => (whole, fraction),
            None => (&text[..], ""),
        };
        if !(whole == "0" || whole == "1")
            || fraction.len() > 3
            || !fraction.chars().all(|c| c.is_ascii_digit())
        {
            return None;
        }
        let thousandths: u32 = format!("{fraction:0<3}").parse().ok()?;
        if whole == "1" && thousandths > 0 {
            return None;
        }
        Some(whole.parse::<u32>().ok()? * 1000 + thousandths)
    };
    parse().unwrap_or(0)
}

fn written_quality(quality: u32) -> String {
    let decimals = format!("{:03}", quality % 1000);
    let decimals = decimals.trim_end_matches('0');
    format!("q{}.{}", quality / 1000, if decimals.is_empty() { "0" } else { decimals })
}

fn item_text(text: &[Char]) -> String {
    escape(text, |c| chars::is_white_space(c) || ",|&=<>".contains(c))
}

fn leading_bracket(text: String) -> String {
    match text.strip_prefix('[') {
        Some(rest) => format!("%5B{rest}"),
        None => text,
    }
}

fn accept(value: &[Char]) -> String {
    let mut items: Vec<(u8, String, std::cmp::Reverse<u32>)> = items(value)
        .into_iter()
        .map(|(kind, quality)| {
            let kind = leading_bracket(fold(&item_text(&kind)));
            let class = match &kind[..] {
                "*" | "*/*" => 2,
                kind if kind.ends_with("/*") => 1,
                _ => 0,
            };
            (class, kind, std::cmp::Reverse(quality))
        })
        .collect();
    items.sort();
    items.dedup();
    items
        .into_iter()
        .map(|(_, kind, quality)| format!("{kind};{}", written_quality(quality.0)))
        .collect::<Vec<_>>()
        .join(" ")
}

fn accept_encoding(value: &[Char]) -> String {
    let mut names: Vec<String> = items(value)
        .into_iter()
        .map(|(name, quality)| {
            let name = leading_bracket(fold(&item_text(&name)));
            if quality == 0 { format!("{name};q0.0") } else { name }
        })
        .collect();
    names.sort();
    names.dedup();
    names.join(" ")
}

fn accept_language(value: &[Char]) -> String {
    let mut tags: Vec<(std::cmp::Reverse<u32>, String)> = items(value)
        .into_iter()
        .map(|(tag, quality)| {
            let tag = leading_bracket(item_text(&tag));
            let subtags: Vec<String> = tag
                .split('-')
                .enumerate()
                .map(|(at, subtag)| {
                    let letters = subtag.chars().all(|c| c.is_ascii_alphabetic());
                    if at > 0 && letters && subtag.len() == 2 {
                        subtag.to_ascii_uppercase()
                    } else if at > 0 && letters && subtag.len() == 4 {
                        format!("{}{}", subtag[..1].to_ascii_uppercase(), subtag[1..].to_ascii_lowercase())
                    } else {
                        fold(subtag)
                    }
                })
                .collect();
            (std::cmp::Reverse(quality), subtags.join("-"))
        })
        .collect();
    tags.sort();
    tags.dedup();
    tags.into_iter()
        .map(|(quality, tag)| format!("{tag};{}", written_quality(quality.0)))
        .collect::<Vec<_>>()
        .join(" ")
}

/// An item of 8.20.2.
fn address(item: &[Char]) -> &'static str {
    let item = chars::trim(item, chars::is_blank);
    let Some(item) = chars::as_string(&item) else {
        return if is(item.first(), '_') { "unknown" } else { "invalid" };
    };
    let item = match item.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.to_string(),
        None => item,
    };
    if item.eq_ignore_ascii_case("unknown") || item.starts_with('_') {
        return "unknown";
    }
    if let Some(word) = ["private", "ipv4", "ipv6", "invalid"].into_iter().find(|word| *word == item) {
        return word;
    }
    let is_port = |port: &str| {
        port.starts_with('_')
            || (!port.is_empty()
                && port.chars().all(|c| c.is_ascii_digit())
                && port.trim_start_matches('0').len() <= 5
                && port.parse::<u32>().is_ok_and(|port| port <= 65535))
    };
    let v4 = |text: &str| shape::ipv4(text).map(|a| if scan::is_private_v4(a) { "private" } else { "ipv4" });
    let v6 = |text: &str| shape::ipv6(text).map(|a| if scan::is_private_v6(a) { "private" } else { "ipv6" });
    if let Some(inside) = item.strip_prefix('[') {
        let Some((inside, rest)) = inside.split_once(']') else { return "invalid" };
        let port_fits = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
        return v6(inside).filter(|_| port_fits).unwrap_or("invalid");
    }
    if let Some(word) = v6(&item).or_else(|| v4(&item)) {
        return word;
    }
    match item.split_once(':') {
        Some((host, port)) if is_port(port) => v4(host).unwrap_or("invalid"),
        _ => "invalid",
    }
}

/// Cuts at a separator outside quoted strings; a `"` that is never closed begins none (7.5.2).
fn split_unquoted(text: &[Char], separator: char) -> Vec<Text> {
    let mut parts = vec![Text::new()];
    let mut at = 0;
    while at < text.len() {
        if text[at] == Char::Plain(separator) {
            parts.push(Text::new());
            at += 1;
            continue;
        }
        let end = if text[at] == Char::Plain('"') { closing_quote(text, at).unwrap_or(at) } else { at };
        parts.last_mut().unwrap().extend(&text[at..=end]);
        at = end + 1;
    }
    parts
}

fn closing_quote(text: &[Char], open: usize) -> Option<usize> {
    let mut at = open + 1;
    while at < text.len() && text[at] != Char::Plain('"') {
        at += if text[at] == Char::Plain('\\') { 2 } else { 1 };
    }
    (at < text.len()).then_some(at)
}

fn forwarded(value: &[Char]) -> String {
    split_unquoted(value, ',')
        .iter()
        .map(|element| {
            let word = chars::as_string(&chars::trim(element, chars::is_blank));
            if let Some(word) = word
                && let Some(word) =
                    ["private", "ipv4", "ipv6", "invalid", "unknown"].into_iter().find(|known| *known == word)
            {
                return word;
            }
            split_unquoted(element, ';')
                .iter()
                .find_map(|part| {
                    let part = chars::trim(part, chars::is_blank);
                    chars::begins_ignoring_case(&part, "for=").then(|| address(&part[4..]))
                })
                .unwrap_or("unknown")
        })
        .collect::<Vec<_>>()
        .join(",")
}

/// A parameter of `content-type`: its name and, behind `=`, its value without the quotes around it (8.24).
fn type_parameter(part: &[Char]) -> (Text, Option<Text>) {
    let part = chars::trim(part, chars::is_blank);
    let Some(at) = chars::find(&part, '=') else { return (part, None) };
    let value = chars::trim(&part[at + 1..], chars::is_blank);
    let quoted = value.len() >= 2 && is(value.first(), '"') && is(value.last(), '"');
    let value = if quoted { value[1..value.len() - 1].to_vec() } else { value };
    (chars::trim(&part[..at], chars::is_blank), Some(value))
}

fn is_boundary(name: &[Char]) -> bool {
    chars::lower(name) == chars::text("boundary")
}

const MEDIA_TYPES: [&str; 9] =
    ["application", "audio", "font", "image", "message", "model", "multipart", "text", "video"];

/// Returns whether a `boundary` reads like a type or a charset (8.24).
fn has_odd_boundary(value: &[Char]) -> bool {
    split_unquoted(value, ';').iter().skip(1).any(|part| {
        let part = chars::trim(part, chars::is_blank);
        let Some(at) = chars::find(&part, '=') else { return false };
        let mut value = chars::trim(&part[at + 1..], chars::is_blank);
        if is(value.first(), '"') {
            value.remove(0);
            value.truncate(chars::find(&value, '"').unwrap_or(value.len()));
        }
        let is_type = chars::find(&value, '/').is_some_and(|at| {
            let kind = chars::as_string(&chars::lower(&value[..at])).unwrap_or_default();
            MEDIA_TYPES.contains(&&kind[..]) && chars::is_token(&value[at + 1..])
        });
        is_boundary(&chars::trim(&part[..at], chars::is_blank))
            && (is_type || chars::begins_ignoring_case(&value, "charset="))
    })
}

fn content_type(value: &[Char]) -> String {
    let written = |part: &[Char]| escape(part, |c| chars::is_white_space(c) || c == ';' || c == '"');
    let mut parts = split_unquoted(value, ';').into_iter();
    let kind = fold(&written(&chars::trim(&parts.next().unwrap(), chars::is_blank)));
    let mut parameters: Vec<String> = parts
        .filter_map(|part| {
            let (name, value) = type_parameter(&part);
            if (name.is_empty() && value.is_none()) || (is_boundary(&name) && value.is_some()) {
                return None;
            }
            let name = written(&name);
            let Some(value) = value else { return Some(fold(&name)) };
            Some(fold(&format!("{name}={}", written(&value))))
        })
        .collect();
    parameters.sort();
    parameters.dedup();
    std::iter::once(kind).chain(parameters).collect::<Vec<_>>().join(";")
}

fn content_length(value: &[Char], cx: &Context<'_>) -> String {
    let text = chars::as_string(value).unwrap_or_default();
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if digits(&text) && text.len() <= 19 {
        return document::measure(text.parse().unwrap());
    }
    if let Some((number, _)) = text.split_once('@')
        && digits(number)
        && number.len() <= 19
        && document::measure(number.parse().unwrap()) == text
    {
        return text;
    }
    cx.marker(value)
}

/// A URL header that holds a URL (8.23).
fn url_header(name: &str, value: &[Char], cx: &Context<'_>) -> Option<(String, Flags)> {
    let mut flags = Flags::new();
    let (lead, pieces, host_name) = if let Some((scheme, rest)) = target::scheme(value) {
        let pieces = target::cut(rest, true);
        let host_at = pieces.authority.iter().rposition(|c| *c == Char::Plain('@')).map_or(0, |at| at + 1);
        let mut read = target::read_host(&pieces.authority[host_at..], scheme, cx);
        let host = read.host?;
        let (user, _) = target::userinfo(&pieces.authority, &mut flags, cx);
        flags.append(&mut read.flags);
        (format!("{}://{user}{}", scheme.name(), host.shown()), pieces, Some(host.name))
    } else if is(value.first(), '/') && name != "origin" {
        (String::new(), target::cut(value, false), None)
    } else {
        return None;
    };
    let bare = pieces.path.is_empty() || pieces.path == chars::text("/");
    let mut shown = lead;
    if !(name == "origin" && bare && pieces.query.is_none()) {
        let raw = if pieces.path.is_empty() { chars::text("/") } else { pieces.path.clone() };
        let path = target::path(&raw, host_name.is_none(), host_name.as_deref(), cx);
        flags.extend(path.flags);
        shown.push_str(&path.shown);
    }
    if let Some(raw) = &pieces.query {
        let query = target::query(raw, true, cx);
        flags.extend(query.placed.all());
        shown.push('?');
        shown.push_str(&query.url);
    }
    if let Some(raw) = &pieces.fragment {
        shown.push_str(&target::fragment(raw, &mut flags, cx));
    }
    flags.retain(|flag| document::told_by_url_header(flag));
    Some((shown, flags))
}

// ---- Framing (8.29) ----

fn framing(message: &Message, on_m: &mut Flags) {
    let values = |wanted: &[u8]| -> Vec<Vec<u8>> {
        message
            .lines
            .iter()
            .filter_map(|line| match line {
                Line::Header { name, value, .. } if name.eq_ignore_ascii_case(wanted) => {
                    Some(message::collapsed(value))
                }
                _ => None,
            })
            .collect()
    };
    let lengths = values(b"content-length");
    let encodings = values(b"transfer-encoding");
    if !lengths.is_empty() && !encodings.is_empty() {
        on_m.insert("CLTE".into());
    }
    let digits = |value: &Vec<u8>| !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    let bad_length = !lengths.iter().all(digits) || lengths.windows(2).any(|two| two[0] != two[1]);
    if bad_length {
        on_m.insert("BADCL".into());
    }
    if encodings.len() > 1 || encodings.iter().any(|value| value != b"chunked") {
        on_m.insert("BADTE".into());
    }
    let length = match lengths.first() {
        Some(length) if !bad_length => {
            let digits = String::from_utf8_lossy(length).trim_start_matches('0').to_string();
            Some(digits)
        }
        Some(_) => None,
        None => encodings.is_empty().then(String::new),
    };
    let body = message.body.len();
    if length.is_some_and(|length| length != if body == 0 { String::new() } else { body.to_string() }) {
        on_m.insert("CLMISMATCH".into());
    }
    if encodings.len() == 1 && encodings[0] == b"chunked" {
        chunks(&message.body, on_m);
    }
    hidden(message, on_m);
}

/// A line, whether CRLF ended it, and what follows.
fn chunk_line(body: &[u8]) -> Option<(&[u8], bool, &[u8])> {
    let lf = body.iter().position(|b| *b == b'\n')?;
    let crlf = lf > 0 && body[lf - 1] == b'\r';
    Some((&body[..if crlf { lf - 1 } else { lf }], crlf, &body[lf + 1..]))
}

fn chunks(body: &[u8], on_m: &mut Flags) {
    if read_chunks(body, on_m).is_none() {
        on_m.insert("BADCHUNK".into());
    }
}

fn read_chunks(mut body: &[u8], on_m: &mut Flags) -> Option<()> {
    let mut exact = true;
    loop {
        let (line, crlf, rest) = chunk_line(body)?;
        exact &= crlf;
        body = rest;
        let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let after = &line[digits..];
        if line.contains(&b';') {
            on_m.insert("CHUNKEXT".into());
        }
        if digits == 0 || !(after.is_empty() || after[0] == b';') {
            return None;
        }
        let size = std::str::from_utf8(&line[..digits]).unwrap().trim_start_matches('0');
        let size = if size.is_empty() { 0 } else { usize::from_str_radix(size, 16).unwrap_or(usize::MAX) };
        if size == 0 {
            break;
        }
        if size > body.len() {
            return None;
        }
        body = &body[size..];
        if let Some(rest) = body.strip_prefix(b"\r\n") {
            body = rest;
        } else if let Some(rest) = body.strip_prefix(b"\n") {
            body = rest;
            exact = false;
        } else {
            return None;
        }
    }
    loop {
        let Some((line, crlf, rest)) = chunk_line(body) else {
            if !body.is_empty() {
                on_m.insert("TRAILER".into());
            }
            return None;
        };
        exact &= crlf;
        body = rest;
        if line.is_empty() {
            break;
        }
        on_m.insert("TRAILER".into());
    }
    (exact && body.is_empty()).then_some(())
}

fn letters(bytes: &[u8]) -> String {
    bytes.iter().filter(|b| b.is_ascii_alphanumeric()).map(|b| char::from(b.to_ascii_lowercase())).collect()
}

/// A framing header inside a value, repeats of which are joined.
fn hidden_in_value(value: &[u8], on_m: &mut Flags) {
    for name in ["transfer-encoding", "content-length"] {
        for at in 1..value.len() {
            if value.len() >= at + name.len()
                && value[at..at + name.len()].eq_ignore_ascii_case(name.as_bytes())
                && !chars::is_token_char(char::from(value[at - 1]))
            {
                let rest = &value[at + name.len()..];
                let blanks = rest.iter().take_while(|b| **b == b' ' || **b == b'\t').count();
                if rest.get(blanks) == Some(&b':') {
                    on_m.insert(format!("HIDDENHDR:{name}"));
                }
            }
        }
    }
}

fn hidden(message: &Message, on_m: &mut Flags) {
    let names = ["transfer-encoding", "content-length", "host"];
    let mut raise = |name: &str| _ = on_m.insert(format!("HIDDENHDR:{name}"));
    for name in names {
        let wanted = letters(name.as_bytes());
        for line in &message.lines {
            let Line::Header { name: raw, .. } = line else { continue };
            if !raw.eq_ignore_ascii_case(name.as_bytes()) && letters(raw) == wanted {
                raise(name);
            }
        }
        for text in &message.hidden {
            match text.iter().position(|b| *b == b':') {
                Some(colon) => {
                    if letters(&text[..colon]) == wanted {
                        raise(name);
                    }
                }
                None if name == "host" => {
                    let first = text
                        .split(|b| *b == b' ' || *b == b'\t')
                        .find(|word| !word.is_empty())
                        .unwrap_or_default();
                    if letters(first) == wanted {
                        raise(name);
                    }
                }
                None => {
                    if letters(text).starts_with(&wanted) {
                        raise(name);
                    }
                }
            }
        }
    }
}
