//! Target, host, path (section 5) and query (section 6).

use std::collections::BTreeMap;

use crate::body::{Leaf, Told};
use crate::chars::{self, Char, Text, is};
use crate::document::escape_key;
use crate::names;
use crate::places::{self, Place, Placed};
use crate::scan::{self, Flags, Kind};
use crate::secrets;
use crate::shape::{self, MarkerKind};
use crate::{Context, Scheme, families, identity, inner, tokens};

/// `FULLWIDTH` and `COMPAT` (4.17, 4.18).
pub(crate) fn width(text: &[Char], flags: &mut Flags) {
    for c in text.iter().filter_map(|c| c.plain()) {
        if chars::is_full_width(c) {
            flags.insert("FULLWIDTH".into());
        }
        if chars::is_compat(c) {
            flags.insert("COMPAT".into());
        }
    }
}

/// Where percent-encoding is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Query,
    Other,
}

/// Returns whether the escape at `at` raises `PCTUNRES` (4.5).
fn is_unreserved_escape(text: &[Char], at: usize, byte: u8, part: Part) -> bool {
    let alnum = |c: Option<&Char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let between = at > 0 && alnum(text.get(at - 1)) && alnum(text.get(at + 3));
    match part {
        Part::Other => false,
        _ if byte.is_ascii_alphanumeric() => true,
        Part::Path => b"-._".contains(&byte),
        Part::Query => b"-._".contains(&byte) && !between,
    }
}

/// `BADPCT`, `PCTU` and `PCTUNRES` (4.3–4.5).
fn percent_flags(text: &[Char], part: Part, flags: &mut Flags) {
    for at in 0..text.len() {
        if text[at] != Char::Plain('%') {
            continue;
        }
        let unicode = matches!(text.get(at + 1), Some(Char::Plain('u' | 'U')))
            && (2..6).all(|i| text.get(at + i).is_some_and(|c| c.is_hex()));
        match chars::escape_at(text, at) {
            Some(byte) if is_unreserved_escape(text, at, byte, part) => {
                flags.insert("PCTUNRES".into());
            }
            Some(_) => {}
            None if unicode => {
                flags.insert("PCTU".into());
            }
            None => {
                flags.insert("BADPCT".into());
            }
        }
    }
}

/// Returns whether a text holds `%` and two hexadecimal digits after all passes (4.7.1).
fn has_residue(text: &[Char]) -> bool {
    text.windows(3).any(|three| {
        matches!(three[0], Char::Plain('%') | Char::Guarded('%')) && three[1].is_hex() && three[2].is_hex()
    })
}

// ---- Host (5.7–5.15) ----

/// A valid host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Host {
    pub(crate) name: String,
    /// Without the default one of its scheme.
    pub(crate) port: Option<u32>,
    pub(crate) written_port: Option<u32>,
}

impl Host {
    pub(crate) fn shown(&self) -> String {
        match self.port {
            Some(port) => format!("{}:{port}", self.name),
            None => self.name.clone(),
        }
    }
}

/// The result of parsing a host.
pub(crate) struct HostRead {
    pub(crate) host: Option<Host>,
    /// A forbidden character (5.9).
    pub(crate) forbidden: bool,
    pub(crate) flags: Flags,
}

pub(crate) fn read_host(value: &[Char], scheme: Scheme, cx: &Context<'_>) -> HostRead {
    let value = chars::trim(value, chars::is_blank);
    let mut read = HostRead { host: None, forbidden: false, flags: Flags::new() };
    width(&value, &mut read.flags);
    read_valid_host(&value, scheme, &mut read);
    if read.host.is_none() {
        read.flags.insert("BADHOST".into());
        read.flags.extend(scan::scan(&value, Kind::Opaque, Place::default(), cx.is_core()));
    }
    read
}

fn read_valid_host(value: &[Char], scheme: Scheme, read: &mut HostRead) {
    let (name, port, bracketed) = if is(value.first(), '[') {
        let Some(close) = chars::find(value, ']') else {
            read.forbidden = true;
            return;
        };
        let rest = &value[close + 1..];
        if !rest.is_empty() && rest[0] != Char::Plain(':') {
            read.forbidden = true;
            return;
        }
        (&value[1..close], rest.get(1..), true)
    } else {
        match value.iter().rposition(|c| *c == Char::Plain(':')) {
            Some(colon) => (&value[..colon], Some(&value[colon + 1..]), false),
            None => (value, None, false),
        }
    };
    let shown = if bracketed { bracket_name(name) } else { host_name(name, read) };
    let port = match port {
        None => Ok(None),
        Some(port) => read_port(port).map(Some).ok_or(()),
    };
    let (Some(name), Ok(port)) = (shown, port) else { return };
    let default = match scheme {
        Scheme::Http | Scheme::Ws => 80,
        Scheme::Https | Scheme::Wss => 443,
    };
    read.host = Some(Host { name, port: port.filter(|port| *port != default), written_port: port });
}

fn read_port(port: &[Char]) -> Option<u32> {
    let port = chars::as_string(port)?;
    if port.is_empty() || !port.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    port.trim_start_matches('0').parse().ok().filter(|port| (1..=65535).contains(port))
}

fn bracket_name(name: &[Char]) -> Option<String> {
    let address = shape::ipv6(&chars::as_string(name)?)?;
    Some(format!("[{address}]"))
}

fn host_name(name: &[Char], read: &mut HostRead) -> Option<String> {
    use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};
    if name.is_empty() || secrets::token_in_host(name) {
        return None;
    }
    let uts46 = Uts46::new();
    let readable: String = name.iter().map(|c| c.plain().unwrap_or('\u{FFFD}')).collect();
    let (unicode, _) = uts46.to_unicode(readable.as_bytes(), AsciiDenyList::EMPTY, Hyphens::Allow);
    if unicode.split('.').any(|label| scan::is_mixed_script(&chars::text(label))) {
        read.flags.insert("MIXEDSCRIPT".into());
    }
    let ascii = chars::as_string(name).and_then(|text| {
        uts46
            .to_ascii(text.as_bytes(), AsciiDenyList::STD3, Hyphens::Allow, DnsLength::Ignore)
            .map(|ascii| ascii.into_owned())
            .ok()
    });
    let Some(mut ascii) = ascii else {
        read.forbidden = true;
        return None;
    };
    if !readable.is_ascii() {
        read.flags.insert("IDNA".into());
        read.flags.extend(scan::plain_oddities(name, false, true));
    }
    let dot = ascii.ends_with('.');
    if dot {
        ascii.pop();
    }
    if ascii.split('.').any(str::is_empty) {
        return None;
    }
    let last = ascii.rsplit('.').next().unwrap();
    let number = last.chars().all(|c| c.is_ascii_digit())
        || last.strip_prefix("0x").is_some_and(|hex| hex.chars().all(|c| c.is_ascii_hexdigit()));
    if number && shape::ipv4(&ascii).is_none() {
        return None;
    }
    if dot {
        read.flags.insert("HOSTDOT".into());
    }
    Some(ascii)
}

// ---- Path (5.18–5.28) ----

/// A path, shown.
pub(crate) struct Path {
    pub(crate) shown: String,
    pub(crate) flags: Flags,
}

/// The length of what cuts a segment at `at` (5.21).
fn cut_at(text: &[Char], at: usize) -> Option<usize> {
    match text[at] {
        Char::Plain('\\') => Some(1),
        Char::Kept(b'/' | b'\\' | b'?' | b'#') | Char::Guarded('/' | '\\' | '?' | '#') => Some(1),
        _ => chars::escape_at(text, at).filter(|byte| b"/\\?#".contains(byte)).map(|_| 3),
    }
}

/// The pieces of a segment (5.21), parameters and all.
fn whole_pieces(segment: &[Char]) -> Vec<Text> {
    let mut pieces = vec![Text::new()];
    let mut at = 0;
    while at < segment.len() {
        if let Some(length) = cut_at(segment, at) {
            pieces.push(Text::new());
            at += length;
        } else {
            pieces.last_mut().unwrap().push(segment[at]);
            at += 1;
        }
    }
    pieces
}

/// The pieces of a segment (5.21), without what follows `;` or `%3B`.
fn pieces(segment: &[Char]) -> Vec<Text> {
    let ends = |piece: &[Char], at: usize| {
        matches!(piece[at], Char::Plain(';') | Char::Guarded(';') | Char::Kept(b';'))
            || chars::escape_at(piece, at) == Some(b';')
    };
    whole_pieces(segment)
        .into_iter()
        .map(|piece| {
            let end = (0..piece.len()).find(|at| ends(&piece, *at)).unwrap_or(piece.len());
            piece[..end].to_vec()
        })
        .collect()
}

fn is_dots(piece: &[Char], count: usize) -> bool {
    piece.len() == count && piece.iter().all(|c| *c == Char::Plain('.'))
}

/// Dots born of NFKC (4.16).
fn decide_dots(segment: &[Char]) -> Text {
    if !segment.contains(&Char::BornDot) {
        return segment.to_vec();
    }
    let plain = chars::plain_dots(segment);
    if pieces(&plain).iter().any(|piece| is_dots(piece, 1) || is_dots(piece, 2)) {
        segment.iter().map(|c| if *c == Char::BornDot { Char::Guarded('.') } else { *c }).collect()
    } else {
        plain
    }
}

pub(crate) fn write_path(text: &[Char]) -> String {
    text.iter()
        .map(|c| match *c {
            Char::Plain(c) if chars::is_control(c) || chars::is_invisible(c) || chars::is_white_space(c) => {
                chars::hex_escape(c.to_string().as_bytes())
            }
            Char::Plain(c) => c.to_string(),
            Char::Stray(byte) | Char::Kept(byte) => chars::hex_escape(&[byte]),
            Char::Guarded(c) => chars::hex_escape(c.to_string().as_bytes()),
            Char::BornDot => ".".into(),
        })
        .collect()
}

/// Which segments have a part of the first known token that reaches beyond a segment (5.26.2). `host` is the name of
/// the host that the path is shown with.
fn in_token_across(segments: &[Text], host: Option<&str>, cx: &Context<'_>) -> Vec<bool> {
    let mut whole: Text = host.map(|host| chars::text(&format!("{host}/"))).unwrap_or_default();
    let mut spans = Vec::new();
    for segment in segments {
        if !spans.is_empty() {
            whole.push(Char::Plain('/'));
        }
        spans.push((whole.len(), whole.len() + segment.len()));
        whole.extend(segment);
    }
    let beyond = |(from, to): &(usize, usize)| whole[*from..*to].contains(&Char::Plain('/'));
    let Some((from, to)) = families::tokens(&whole).into_iter().take(16).find(beyond) else {
        return vec![false; segments.len()];
    };
    cx.secrets.record(&whole[from..to]);
    spans.iter().map(|(start, end)| *start < to && from < *end).collect()
}

/// Shows a path; `net` where `NETPATH` is looked for (5.20); `host` is the name of the host that it is shown with.
pub(crate) fn path(raw: &[Char], net: bool, host: Option<&str>, cx: &Context<'_>) -> Path {
    let mut flags = Flags::new();
    width(raw, &mut flags);
    let text = chars::nfkc(raw, true);
    percent_flags(&text, Part::Path, &mut flags);
    let mut joined = Text::new();
    let mut stray_escape = false;
    for (at, segment) in chars::split(&text, '/').into_iter().enumerate() {
        let (decoded, stray) = chars::percent_decode(&segment, b"/\\?#;");
        stray_escape |= stray;
        width(&decoded, &mut flags);
        let normal = chars::nfkc(&decoded, false);
        let mut entities = Text::new();
        let mut i = 0;
        while i < normal.len() {
            if let Some((length, expansion)) = chars::entity_at(&normal, i) {
                flags.insert("HTMLENT".into());
                entities.extend(
                    expansion
                        .chars()
                        .map(|c| if "\\?#;%".contains(c) { Char::Guarded(c) } else { Char::Plain(c) }),
                );
                i += length;
            } else {
                entities.push(normal[i]);
                i += 1;
            }
        }
        width(&entities, &mut flags);
        if at > 0 {
            joined.push(Char::Plain('/'));
        }
        joined.extend(chars::nfkc(&entities, false));
    }
    let segments: Vec<Text> = chars::split(&joined, '/').iter().map(|s| decide_dots(s)).collect();
    let joined: Text = segments.join(&Char::Plain('/'));

    let kept: Vec<Text> = segments.iter().filter(|s| !s.is_empty() && !is_dots(s, 1)).cloned().collect();
    if joined.windows(2).any(|two| two == [Char::Plain('/'); 2]) {
        flags.insert("MULTIPLESLASH".into());
    }
    if segments.iter().any(|segment| is_dots(segment, 1)) {
        flags.insert("DOTCUR".into());
    }
    if is(joined.last(), '/') && !kept.is_empty() {
        flags.insert("TRAILSLASH".into());
    }
    if kept.is_empty() {
        flags.insert("HOME".into());
    }
    if net {
        let sign = |at: usize| -> Option<(char, usize)> {
            match joined.get(at)? {
                Char::Plain('/') | Char::Kept(b'/') | Char::Guarded('/') => Some(('/', 1)),
                Char::Plain('\\') | Char::Kept(b'\\') | Char::Guarded('\\') => Some(('\\', 1)),
                _ => match chars::escape_at(&joined, at)? {
                    b'/' => Some(('/', 3)),
                    b'\\' => Some(('\\', 3)),
                    _ => None,
                },
            }
        };
        let first = sign(0);
        let second = first.and_then(|(_, length)| sign(length));
        if matches!(first, Some(('\\', _))) || (first.is_some() && second.is_some()) {
            flags.insert("NETPATH".into());
        }
    }
    path_flags(&kept, stray_escape, &mut flags);

    // What it tells.
    let marker: Vec<bool> = kept.iter().map(|segment| is_path_marker(segment, cx)).collect();
    for (segment, marker) in kept.iter().zip(&marker) {
        if *marker {
            flags.insert("MARKER".into());
        } else {
            flags.extend(cx.scan(segment, Kind::Segment));
            if shape::shape(segment) == "jwt" {
                flags.insert("JWT".into());
            }
        }
    }
    let as_plain = |c: &Char| match *c {
        Char::Kept(byte) => Char::Plain(char::from(byte)),
        Char::Guarded(c) => Char::Plain(c),
        other => other,
    };
    // A marker is not scanned (6.15), and joins nothing: it is one character that tells nothing.
    let unmarked: Vec<Text> = kept
        .iter()
        .zip(&marker)
        .map(|(segment, marker)| if *marker { chars::text("\u{FFFD}") } else { segment.clone() })
        .collect();
    let mut whole: Text = unmarked.join(&Char::Plain('/')).iter().map(as_plain).collect();
    if is(joined.first(), '/') {
        whole.insert(0, Char::Plain('/'));
    }
    let mut told = cx.scan(&whole, Kind::Path);
    told.remove("MIXEDSCRIPT");
    flags.extend(told);
    if flags.contains("NETPATH") && !cx.is_core() {
        flags.extend(scan::network_host(&joined.iter().map(as_plain).collect::<Text>()));
    }

    let in_token = in_token_across(&kept, host, cx);
    let shown: Vec<String> = kept
        .iter()
        .enumerate()
        .map(|(at, segment)| redact(segment, at.checked_sub(1).map(|b| &kept[b]), in_token[at], cx))
        .collect();
    let mut shown = shown;
    let limit = cx.options.limits.segments;
    if shown.len() > limit {
        let more = shown.len() - limit;
        shown.truncate(limit);
        shown.push(format!("<more:{more}>"));
        cx.capped.set(true);
    }
    let lead = if is(joined.first(), '/') { "/" } else { "" };
    let shown = if shown.is_empty() { "/".into() } else { format!("{lead}{}", shown.join("/")) };
    Path { shown, flags }
}

fn is_path_marker(segment: &[Char], cx: &Context<'_>) -> bool {
    let more = || {
        chars::as_string(segment).is_some_and(|text| {
            text.strip_prefix("<more:")
                .and_then(|rest| rest.strip_suffix('>'))
                .is_some_and(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()))
        })
    };
    cx.marker_kind(segment).is_some() || (!cx.is_core() && more())
}

fn path_flags(kept: &[Text], stray_escape: bool, flags: &mut Flags) {
    let written: String = kept.iter().map(|s| write_path(s)).collect::<Vec<_>>().join("/");
    let shows = |escape: &str| written.to_ascii_uppercase().contains(escape);
    let mut raise = |found: bool, flag: &str| {
        if found {
            flags.insert(flag.into());
        }
    };
    raise(shows("%2F"), "PCTSLASH");
    raise(shows("%5C"), "PCTBACKSLASH");
    raise(shows("%3F") || shows("%23") || shows("%3B"), "PCTDELIM");
    let residue = stray_escape || kept.iter().any(|segment| has_residue(segment));
    raise(residue, "DOUBLEPCT");
    raise(residue, "MULTIENC:path");
    raise(kept.iter().any(|segment| segment.contains(&Char::Plain('%'))), "PERCENT_IN_PATH");
    raise(kept.iter().any(|segment| segment.contains(&Char::Plain(';'))), "PATHPARAM");
    let tail = kept.iter().any(|segment| {
        let data =
            segment.len() >= 7 && chars::begins_ignoring_case(&segment[segment.len() - 7..], "::$DATA");
        let last = whole_pieces(segment).pop().unwrap();
        let dots = last.iter().all(|c| *c == Char::Plain('.'));
        data || (!dots && matches!(last.last(), Some(Char::Plain('.' | ' '))))
    });
    raise(tail, "DOTTAIL");
    let pieces: Vec<Text> = kept.iter().flat_map(|segment| pieces(segment)).collect();
    let (mut run, mut longest, mut depth, mut below) = (0, 0, 0i64, false);
    for piece in &pieces {
        if is_dots(piece, 2) {
            run += 1;
            depth -= 1;
        } else if !piece.is_empty() && !is_dots(piece, 1) {
            run = 0;
            depth += 1;
        }
        longest = longest.max(run);
        below |= depth < 0;
    }
    raise(longest > 0, "DOTDOT");
    raise(longest > 0, &format!("DOTDOTN:{longest}"));
    raise(below, "ROOTTRAV");
}

/// Redacts a segment of a path (5.26). The segment may be part of a token that reaches beyond it.
fn redact(segment: &[Char], before: Option<&Text>, in_token: bool, cx: &Context<'_>) -> String {
    if is_path_marker(segment, cx) {
        return cx.shown_marker(segment).unwrap_or_else(|| write_path(segment));
    }
    let parts = chars::split(segment, ';');
    let mut shown = Vec::new();
    let mut others = Vec::new();
    let mut hidden_parameter = false;
    let mut hidden_length = 0;
    for (at, part) in parts.iter().enumerate() {
        let equals = chars::find(part, '=');
        if let (true, Some(equals)) = (at > 0, equals) {
            let (key, value) = (&part[..equals], &part[equals + 1..]);
            if names::is_sensitive(key) {
                hidden_parameter = true;
                hidden_length += value.len();
                let value_shown = if cx.marker_kind(value) == Some(MarkerKind::Secret) {
                    chars::as_string(value).unwrap()
                } else {
                    cx.secrets.hides(true, value);
                    cx.secret_marker(value)
                };
                shown.push(format!("{}={value_shown}", write_path(key)));
                // The name alone is still looked at.
                others.push(key.to_vec());
                continue;
            }
        }
        shown.push(write_path(part));
        others.push(part.clone());
    }
    let credential = others.iter().any(|part| cx.has_credential(part));
    let scheme_before = before.and_then(|before| chars::as_string(before)).is_some_and(|before| {
        before.strip_suffix(':').is_some_and(|scheme| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
        })
    });
    let userinfo = || {
        let Some(last) = segment.iter().rposition(|c| *c == Char::Plain('@')) else { return false };
        let Some(colon) = chars::find(segment, ':') else { return false };
        scheme_before
            || (colon > 0
                && colon + 1 < last
                && last + 1 < segment.len()
                && !segment[..last].contains(&Char::Plain(' ')))
    };
    let at_after_scheme = scheme_before && segment.contains(&Char::Plain('@'));
    if credential || in_token || at_after_scheme || userinfo() {
        cx.secrets.record_value(segment);
        return cx.secret_marker(segment);
    }
    let whole_echoes = !hidden_parameter && cx.secrets.echoes(segment);
    let part_echoes = |part: &Text| {
        let value = chars::find(part, '=').map(|at| &part[at + 1..]);
        cx.secrets.echoes(part) || value.is_some_and(|value| cx.secrets.echoes(value))
    };
    if whole_echoes || others.iter().any(part_echoes) {
        return cx.secret_marker(segment);
    }
    let identifies = if hidden_parameter {
        others.iter().any(|part| identity::identifies(part))
    } else {
        identity::identifies(segment)
    };
    if identifies || (!cx.is_core() && segment.len() - hidden_length > 64) {
        return cx.marker(segment);
    }
    shown.join(";")
}

/// The length of a path as written and that of its longest segment (5.28).
pub(crate) fn measure_path(shown: &str, cx: &Context<'_>) -> (usize, usize) {
    let lengths: Vec<usize> = shown.split('/').map(|segment| segment_length(segment, cx)).collect();
    let slashes = lengths.len() - 1;
    (lengths.iter().sum::<usize>() + slashes, *lengths.iter().max().unwrap())
}

/// The length of a segment as written; but in `core` a marker counts the length it states.
fn segment_length(segment: &str, cx: &Context<'_>) -> usize {
    let stated = |text: &str| -> Option<usize> {
        // A set counts only as 6.19 writes it: a document is checked by its text alone.
        cx.shown_marker(&chars::text(text)).filter(|shown| !cx.is_core() && shown == text)?;
        let rest = text.strip_prefix("<SECRET:").unwrap_or(text);
        let (_, number) = rest.split_once(':')?;
        number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    if let Some(length) = stated(segment) {
        return length;
    }
    let parts: Vec<&str> = segment.split(';').collect();
    let separators = parts.len() - 1;
    let length = |(at, part): (usize, &&str)| match part.split_once('=') {
        Some((name, value)) if at > 0 => {
            name.chars().count() + 1 + stated(value).unwrap_or_else(|| value.chars().count())
        }
        _ => part.chars().count(),
    };
    separators + parts.iter().enumerate().map(length).sum::<usize>()
}

// ---- Query (6.1–6.7) ----

/// A pair of a query or form.
pub(crate) struct Pair {
    pub(crate) key: Text,
    pub(crate) shown_key: String,
    /// `None` for a bare key.
    pub(crate) value: Option<Text>,
    /// The value with each `+` that stood in the raw query as SP, for its set of signs (6.19) and as JSON (6.20).
    signs: Text,
}

/// A value decoded: percent-decoding, then entities; whether a stray byte came percent-encoded, whether there was
/// an entity.
fn decode_value(raw: &[Char]) -> (Text, bool, bool) {
    let (decoded, stray) = chars::percent_decode(raw, b"");
    let (value, entity) = chars::decode_entities(&decoded);
    (value, stray, entity)
}

/// A raw value with each `+` as SP.
fn plus_as_space(raw: &[Char]) -> Text {
    raw.iter().map(|c| if *c == Char::Plain('+') { Char::Plain(' ') } else { *c }).collect()
}

/// How a key is shown (6.6).
pub(crate) fn show_key(key: &[Char], cx: &Context<'_>) -> String {
    if cx.secrets.hides(false, key) {
        return cx.secret_marker(key);
    }
    if is_name(key) { escape_key(key) } else { cx.marker(key) }
}

/// Returns whether a key is shown as it is, but for secrets.
pub(crate) fn is_name(key: &[Char]) -> bool {
    let fits = key.len() <= 64
        && key.iter().all(|c| {
            c.plain().is_some_and(|c| chars::is_letter(c) || chars::is_digit(c) || "_.$:@[]-".contains(c))
        });
    let Some(text) = chars::as_string(key) else { return false };
    let all_hex = text.len() >= 16 && text.chars().all(|c| c.is_ascii_hexdigit());
    let all_digits = text.len() >= 5 && text.chars().all(|c| c.is_ascii_digit());
    let identifies = all_hex || all_digits || shape::is_uuid(&text) || shape::is_email(key);
    fits && !identifies
}

/// The tokens of a raw query (4.14, 6.2, 6.3).
fn cut_pairs(raw: &[Char], flags: &mut Flags) -> Vec<Text> {
    // Each character: itself, or hidden inside an entity, or a separator that an entity is.
    #[derive(PartialEq)]
    enum Role {
        Open,
        Inside,
        Ampersand,
        Nothing,
    }
    let mut roles = Vec::new();
    let mut at = 0;
    while at < raw.len() {
        match chars::entity_at(raw, at) {
            Some((length, expansion)) => {
                let amp = expansion == "&";
                if amp {
                    flags.insert("HTMLENT".into());
                }
                for i in 0..length {
                    roles.push(match (amp, i) {
                        (true, 0) => Role::Ampersand,
                        (true, _) => Role::Nothing,
                        _ => Role::Inside,
                    });
                }
                at += length;
            }
            None => {
                roles.push(if raw[at] == Char::Plain('&') { Role::Ampersand } else { Role::Open });
                at += 1;
            }
        }
    }
    let cut = |semicolons: bool| -> Vec<Text> {
        let mut tokens = vec![Text::new()];
        for (c, role) in raw.iter().zip(&roles) {
            match role {
                Role::Nothing => {}
                Role::Ampersand => tokens.push(Text::new()),
                Role::Open if semicolons && *c == Char::Plain(';') => tokens.push(Text::new()),
                _ => tokens.last_mut().unwrap().push(*c),
            }
        }
        tokens.retain(|token| !token.is_empty());
        tokens
    };
    let semicolons =
        raw.iter().zip(&roles).filter(|(c, role)| **c == Char::Plain(';') && **role == Role::Open).count();
    if semicolons == 0 {
        return cut(false);
    }
    let ampersands = roles.iter().filter(|role| **role == Role::Ampersand).count();
    let both = cut(true);
    let keyed = both.iter().all(|token| chars::find(token, '=').is_some_and(|at| at > 0));
    if both.len() >= 3 && keyed && ampersands <= semicolons {
        flags.insert("QSEMISEP".into());
        return both;
    }
    flags.insert("QRAWSEMI".into());
    cut(false)
}

/// The pairs of a query, or of a form (8.33), and what they raise, each at its key.
pub(crate) fn pairs(raw: &[Char], form: bool, placed: &mut Placed, cx: &Context<'_>) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = Vec::new();
    let limit = if form { cx.options.limits.values } else { cx.options.limits.pairs };
    for token in cut_pairs(raw, &mut placed.line) {
        let mut flags = Flags::new();
        percent_flags(&token, if form { Part::Other } else { Part::Query }, &mut flags);
        let (key, value) = match chars::find(&token, '=') {
            Some(at) => (token[..at].to_vec(), Some(token[at + 1..].to_vec())),
            None => (token, None),
        };
        width(&key, &mut flags);
        let (decoded, key_stray) = chars::percent_decode(&key, b"");
        width(&decoded, &mut flags);
        let (key, key_entity) = chars::decode_entities(&chars::nfkc(&decoded, false));
        let key = chars::plain_dots(&key);
        width(&key, &mut flags);
        let mut residue = key_stray || has_residue(&key);
        let mut entity = key_entity;
        let signs = value.as_ref().map(|value| decode_value(&plus_as_space(value)).0).unwrap_or_default();
        let value = value.map(|value| {
            let (value, stray, any) = decode_value(&value);
            residue |= stray || has_residue(&value);
            entity |= any;
            value
        });
        if entity {
            flags.insert("HTMLENT".into());
        }
        let shown_key = show_key(&key, cx);
        if residue {
            flags.insert("DOUBLEPCT".into());
            flags.insert(format!("MULTIENC:{shown_key}"));
        }
        flags.extend(key_flags(&key, value.is_none(), cx));
        if key.len() >= 2 && key[key.len() - 2..] == chars::text("[]") {
            flags.insert(format!("QARRAY:{shown_key}"));
        }
        match &value {
            None => {
                flags.insert("QBARE".into());
            }
            Some(value) => value_flags(&key, value, &signs, form, &mut flags, cx),
        }
        if !key.iter().chain(value.iter().flatten()).all(|c| c.is_ascii()) {
            flags.insert("QNONASCII".into());
        }
        if form {
            flags.remove("JWT");
        }
        placed.at(places::within(&shown_key, pairs.len(), limit)).append(&mut flags);
        pairs.push(Pair { key, shown_key, value, signs });
    }
    let mut counts: BTreeMap<&Text, usize> = BTreeMap::new();
    for (at, pair) in pairs.iter().enumerate() {
        *counts.entry(&pair.key).or_default() += 1;
        if counts[&pair.key] >= 2 {
            let place = places::within(&pair.shown_key, at, limit);
            placed.at(place).insert(format!("QREPEAT:{}", pair.shown_key));
        }
    }
    pairs
}

/// The flags of a key of a query, form, multipart or XML body (7.1, 8.8, 8.34.5).
fn key_flags(key: &[Char], bare: bool, cx: &Context<'_>) -> Flags {
    let mut flags = cx.scan_at(key, Kind::Key, Place { bare_key: bare, ..Place::default() });
    operator_flags(key, &mut flags);
    if chars::as_string(key).is_some_and(|key| key.eq_ignore_ascii_case("_method")) {
        flags.insert("METHODOVERRIDE".into());
    }
    flags
}

/// `PROTO` and `JOPER` of a key that is cut at `.`, `[` and `]` (8.34.5).
pub(crate) fn operator_flags(key: &[Char], flags: &mut Flags) {
    let names: Vec<String> = key
        .split(|c| matches!(c, Char::Plain('.' | '[' | ']')))
        .filter_map(chars::as_string)
        .filter(|name| !name.is_empty())
        .collect();
    for (at, name) in names.iter().enumerate() {
        if name == "__proto__" || (name == "prototype" && at > 0 && names[at - 1] == "constructor") {
            flags.insert("PROTO".into());
        }
        if crate::lists::query_operators().any(|operator| operator == name) {
            flags.insert("JOPER".into());
        }
    }
}

fn value_flags(
    key: &[Char],
    value: &[Char],
    spaced: &[Char],
    form: bool,
    flags: &mut Flags,
    cx: &Context<'_>,
) {
    if value.is_empty() {
        flags.insert("QEMPTYVAL".into());
    }
    let marker = cx.marker_kind(value);
    let is_left = marker.is_some_and(|kind| kind == MarkerKind::Secret || !names::is_sensitive(key));
    if !is_left && value.contains(&Char::Plain('\0')) {
        flags.insert("QNUL".into());
    }
    if chars::to_bytes(value).len() > cx.options.limits.long_value {
        flags.insert("QLONG".into());
    }
    if shape::shape(value) == "jwt" {
        flags.insert("JWT".into());
    }
    if marker.is_none() && inner::read(spaced, cx).is_none() {
        let kind = if form { Kind::Form } else { Kind::Value };
        flags.extend(cx.scan_at(value, kind, places::of_value(key)));
    }
}

/// A value as a marker, or left as it is if it is one (6.15); `MARKER` is raised then.
pub(crate) fn value_marker(
    sensitive: bool,
    value: &[Char],
    signs: &[Char],
    flags: &mut Flags,
    cx: &Context<'_>,
) -> (Told, bool) {
    match cx.marker_kind(value) {
        Some(kind) if !sensitive || kind == MarkerKind::Secret => {
            flags.insert("MARKER".into());
            let marker = cx.shown_marker(value).unwrap();
            let made_of = tokens::signs_of_marker(&marker);
            return (Told { marker, made_of, inner: Vec::new() }, true);
        }
        _ => {}
    }
    if cx.secrets.hides(sensitive, value) {
        return (Told::only(cx.secret_marker(value)), true);
    }
    let marker = cx.marker_with_signs(value, signs);
    (Told { marker, made_of: tokens::made_of(value, signs, cx), inner: Vec::new() }, false)
}

/// A query, shown.
pub(crate) struct Query {
    /// The text after `?` in `U`.
    pub(crate) url: String,
    pub(crate) count: usize,
    pub(crate) keys: Vec<String>,
    /// `<more:n>`, where pairs are not shown.
    pub(crate) more: Option<String>,
    /// Each distinct shown key with its markers.
    pub(crate) markers: Vec<(String, Vec<String>)>,
    /// The pairs that are shown, with their values in clear where they are.
    pub(crate) values: Vec<(Leaf, Option<String>)>,
    pub(crate) placed: Placed,
}

pub(crate) fn query(raw: &[Char], always_shapes: bool, cx: &Context<'_>) -> Query {
    let mut placed = Placed::default();
    let pairs = pairs(raw, false, &mut placed, cx);
    let limit = cx.options.limits.pairs;
    let mut query = Query {
        url: String::new(),
        count: pairs.len(),
        keys: Vec::new(),
        more: None,
        markers: Vec::new(),
        values: Vec::new(),
        placed: Placed::default(),
    };
    let mut shown = Vec::new();
    for (at, pair) in pairs.iter().enumerate() {
        let place = places::within(&pair.shown_key, at, limit);
        let sensitive = names::is_sensitive(&pair.key);
        let empty = Text::new();
        let value = pair.value.as_ref().unwrap_or(&empty);
        let mut own = Flags::new();
        // The marker, and what stands instead of it in view `literal`.
        let (mut told, literal) = match &pair.value {
            None => (Told::only("<mixed:0>"), None),
            Some(_) => match inner::markers(sensitive, value, &pair.signs, place, &mut placed, cx) {
                Some(json) => (json.told, json.literal),
                None => {
                    let (told, fixed) = value_marker(sensitive, value, &pair.signs, &mut own, cx);
                    let literal = fixed.then(|| told.marker.clone());
                    (told, literal)
                }
            },
        };
        if cx.marker_kind(value).is_some() && !own.contains("MARKER") {
            own.extend(cx.scan_at(value, Kind::Value, places::of_value(&pair.key)));
        }
        placed.at(place).append(&mut own);
        if at >= limit {
            continue;
        }
        let marker = told.marker.clone();
        let mut clear = None;
        shown.push(match &pair.value {
            None => pair.shown_key.clone(),
            Some(value) if cx.is_literal() && !always_shapes => {
                let in_url = literal.clone().unwrap_or_else(|| crate::document::escape_query_value(value));
                if literal.is_none() && !in_url.is_empty() {
                    clear = Some(in_url.clone());
                }
                format!("{}={in_url}", pair.shown_key)
            }
            Some(_) => format!("{}={marker}", pair.shown_key),
        });
        // Tokens follow `QK` where there is one, else `U` (9.17).
        if cx.is_full() {
            clear = None;
        } else if let Some(literal) = literal.filter(|_| cx.is_literal()) {
            told.marker = literal;
        }
        query.values.push((Leaf { key: pair.shown_key.clone(), told }, clear));
        query.keys.push(pair.shown_key.clone());
        match query.markers.iter_mut().find(|(key, _)| *key == pair.shown_key) {
            Some((_, markers)) => markers.push(marker),
            None => query.markers.push((pair.shown_key.clone(), vec![marker])),
        }
    }
    if pairs.len() > limit {
        let more = format!("<more:{}>", pairs.len() - limit);
        shown.push(more.clone());
        query.more = Some(more);
        cx.capped.set(true);
    }
    query.url = shown.join("&");
    placed.keep_keys(&query.keys.iter().map(|key| &key[..]).collect::<Vec<_>>());
    query.placed = placed;
    query
}

// ---- Target (5.1–5.6, 5.16, 5.17) ----

/// The pieces of a target or of a header's URL.
pub(crate) struct Pieces {
    pub(crate) authority: Text,
    pub(crate) path: Text,
    pub(crate) query: Option<Text>,
    pub(crate) fragment: Option<Text>,
}

/// Cuts what follows a scheme, or a target without one (5.1).
pub(crate) fn cut(text: &[Char], has_authority: bool) -> Pieces {
    let mut hash = None;
    let mut at = 0;
    while at < text.len() {
        if let Some((length, _)) = chars::entity_at(text, at) {
            at += length;
        } else if text[at] == Char::Plain('#') {
            hash = Some(at);
            break;
        } else {
            at += 1;
        }
    }
    let (before, fragment) = match hash {
        Some(at) => (&text[..at], Some(text[at + 1..].to_vec())),
        None => (text, None),
    };
    let (authority, rest) = if has_authority {
        let end = before.iter().position(|c| matches!(c, Char::Plain('/' | '?'))).unwrap_or(before.len());
        before.split_at(end)
    } else {
        before.split_at(0)
    };
    let (path, query) = match chars::find(rest, '?') {
        Some(at) => (&rest[..at], Some(rest[at + 1..].to_vec())),
        None => (rest, None),
    };
    Pieces { authority: authority.to_vec(), path: path.to_vec(), query, fragment }
}

/// The scheme a text begins with, and what follows its `//`.
pub(crate) fn scheme(text: &[Char]) -> Option<(Scheme, &[Char])> {
    [("http://", Scheme::Http), ("https://", Scheme::Https), ("ws://", Scheme::Ws), ("wss://", Scheme::Wss)]
        .into_iter()
        .find(|(prefix, _)| chars::begins_ignoring_case(text, prefix))
        .map(|(prefix, scheme)| (scheme, &text[prefix.len()..]))
}

/// Userinfo and host of an authority; the userinfo as shown, with its `@`.
pub(crate) fn userinfo(authority: &[Char], flags: &mut Flags, cx: &Context<'_>) -> (String, Text) {
    let Some(at) = authority.iter().rposition(|c| *c == Char::Plain('@')) else {
        return (String::new(), authority.to_vec());
    };
    let raw = &authority[..at];
    flags.insert("USERINFO".into());
    percent_flags(raw, Part::Other, flags);
    let (decoded, stray) = chars::percent_decode(raw, b"");
    if stray {
        flags.insert("DOUBLEPCT".into());
    }
    flags.extend(cx.scan(&decoded, Kind::Free));
    if !decoded.is_empty() {
        cx.hidden.set(cx.hidden.get() + 1);
    }
    cx.secrets.record_userinfo(&decoded);
    (format!("<SECRET:userinfo:{}>@", decoded.len()), authority[at + 1..].to_vec())
}

/// A fragment as shown.
pub(crate) fn fragment(raw: &[Char], flags: &mut Flags, cx: &Context<'_>) -> String {
    flags.insert("FRAGMENT".into());
    percent_flags(raw, Part::Other, flags);
    let (decoded, stray) = chars::percent_decode(raw, b"");
    if stray {
        flags.insert("DOUBLEPCT".into());
    }
    flags.extend(cx.scan(&decoded, Kind::Free));
    let marker =
        if cx.secrets.hides(false, &decoded) { cx.secret_marker(&decoded) } else { cx.marker(&decoded) };
    format!("%23{marker}")
}
