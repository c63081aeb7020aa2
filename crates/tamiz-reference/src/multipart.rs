//! Multipart bodies (8.35).

use crate::Context;
use crate::body::{self, Fields, Leaf, Told};
use crate::chars::{self, Char, Text, is};
use crate::files;
use crate::inner;
use crate::names;
use crate::places::{self, Placed};
use crate::scan::{Flags, Kind};

fn is_boundary_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "'()+_,-./:=? ".contains(c)
}

/// The lines of a body: each with where it begins, ends, and where the next begins.
fn lines(data: &[u8]) -> Vec<(usize, usize, usize)> {
    let mut lines = Vec::new();
    let mut start = 0;
    while start < data.len() {
        let lf = data[start..].iter().position(|b| *b == b'\n').map(|at| start + at);
        let (end, next) = match lf {
            Some(lf) if lf > start && data[lf - 1] == b'\r' => (lf - 1, lf + 1),
            Some(lf) => (lf, lf + 1),
            None if data.ends_with(b"\r") => (data.len() - 1, data.len()),
            None => (data.len(), data.len()),
        };
        lines.push((start, end, next));
        start = next;
    }
    lines
}

fn boundary(content_type: &[Char], data: &[u8], flags: &mut Flags) -> Option<Vec<u8>> {
    let mut found: Option<Text> = None;
    for parameter in parameters(content_type, &mut Flags::new()) {
        if chars::lower(&parameter.name) == chars::text("boundary") && parameter.has_value {
            if found.is_some() {
                flags.insert("DUPPARAM".into());
                continue;
            }
            let raw = &parameter.value;
            let mut value = chars::trim(raw, chars::is_blank);
            let trailing = is(raw.last(), ' ') && parameter.quoted;
            if trailing || parameter.broken {
                flags.insert("BADBOUNDARY".into());
            }
            if !parameter.quoted {
                if value.iter().any(|c| matches!(c, Char::Plain(',' | ' ' | '\t'))) {
                    flags.insert("BADBOUNDARY".into());
                }
            } else {
                value = raw.clone();
                while value.last().is_some_and(|c| c.plain().is_some_and(chars::is_blank)) {
                    value.pop();
                }
            }
            if value.is_empty()
                || value.len() > 70
                || !value.iter().all(|c| c.plain().is_some_and(is_boundary_char))
            {
                flags.insert("BADBOUNDARY".into());
            }
            found = Some(value);
        } else if chars::begins_ignoring_case(&parameter.name, "boundary*") {
            flags.insert("BADBOUNDARY".into());
        }
    }
    if let Some(found) = found.filter(|found| !found.is_empty()) {
        return Some(chars::to_bytes(&found));
    }
    flags.insert("BADBOUNDARY".into());
    let (start, end, _) = *lines(data).iter().find(|(start, end, _)| end > start)?;
    let line = data[start..end].strip_prefix(b"--")?;
    let line = &line[..line.iter().rposition(|b| *b != b' ' && *b != b'\t').map_or(0, |last| last + 1)];
    let legal = !line.is_empty()
        && line.len() <= 70
        && line.iter().all(|b| is_boundary_char(char::from(*b)))
        && line.last() != Some(&b' ');
    legal.then(|| line.to_vec())
}

/// A part of a header between `;`, the first too.
pub(crate) struct Parameter {
    pub(crate) name: Text,
    pub(crate) value: Text,
    /// True if there is a `=`.
    pub(crate) has_value: bool,
    quoted: bool,
    /// True if its quotes close.
    closed: bool,
    /// An unclosed quote, or text after a closing one.
    broken: bool,
    /// That text, without the blanks around it.
    rest: Text,
}

/// Cuts a header into parameters; `\"` and `\\` are escapes in quotes, any other `\` is itself.
pub(crate) fn parameters(value: &[Char], flags: &mut Flags) -> Vec<Parameter> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < value.len() {
        let mut name = Text::new();
        while at < value.len() && !matches!(value[at], Char::Plain('=' | ';')) {
            name.push(value[at]);
            at += 1;
        }
        let name = chars::trim(&name, chars::is_blank);
        let mut parameter = Parameter {
            name,
            value: Text::new(),
            has_value: false,
            quoted: false,
            closed: false,
            broken: false,
            rest: Text::new(),
        };
        if is(value.get(at), '=') {
            at += 1;
            parameter.has_value = true;
            while value.get(at).is_some_and(|c| c.plain().is_some_and(chars::is_blank)) {
                at += 1;
            }
            if is(value.get(at), '"') {
                parameter.quoted = true;
                parameter.broken = true;
                at += 1;
                while at < value.len() {
                    if value[at] == Char::Plain('\\')
                        && matches!(value.get(at + 1), Some(Char::Plain('"' | '\\')))
                    {
                        parameter.value.push(value[at + 1]);
                        at += 2;
                    } else if value[at] == Char::Plain('"') {
                        parameter.closed = true;
                        parameter.broken = false;
                        at += 1;
                        break;
                    } else {
                        parameter.value.push(value[at]);
                        at += 1;
                    }
                }
                let rest: Text =
                    value[at..].iter().take_while(|c| **c != Char::Plain(';')).copied().collect();
                at += rest.len();
                parameter.rest = chars::trim(&rest, chars::is_blank);
                parameter.broken |= !parameter.rest.is_empty();
            } else {
                let rest: Text =
                    value[at..].iter().take_while(|c| **c != Char::Plain(';')).copied().collect();
                at += rest.len();
                parameter.value = chars::trim(&rest, chars::is_blank);
            }
        }
        if parameter.broken {
            flags.insert("BADBODY".into());
        }
        if !parameter.name.is_empty() || parameter.has_value {
            found.push(parameter);
        }
        // The `;`.
        at += 1;
    }
    found
}

/// The values of `charset` in a `content-type`.
pub(crate) fn charsets(content_type: &[Char]) -> Vec<Text> {
    parameters(content_type, &mut Flags::new())
        .into_iter()
        .filter(|parameter| chars::lower(&parameter.name) == chars::text("charset") && parameter.has_value)
        .map(|parameter| parameter.value)
        .collect()
}

pub(crate) fn fields(
    data: &[u8],
    cut: bool,
    content_type: &[Char],
    placed: &mut Placed,
    cx: &Context<'_>,
) -> Fields {
    let none = Fields { leaves: Vec::new(), parses: false };
    let flags = &mut placed.line;
    let Some(boundary) = boundary(content_type, data, flags) else { return none };
    let delimiter = [b"--", &boundary[..]].concat();
    let mut delimiters = Vec::new();
    let mut before_end = 0;
    for (start, end, next) in lines(data) {
        if let Some(rest) = data[start..end].strip_prefix(&delimiter[..]) {
            let blank = |bytes: &[u8]| bytes.iter().all(|b| *b == b' ' || *b == b'\t');
            let closes =
                rest.strip_prefix(b"--").is_some_and(blank) || (cut && rest == b"-" && end == data.len());
            if blank(rest) || closes {
                delimiters.push(Delimiter { before: before_end, start, end: next, closes });
            } else {
                flags.insert("BADBOUNDARY".into());
            }
        }
        before_end = end;
    }
    let (Some(first), Some(last)) = (delimiters.first(), delimiters.last()) else {
        flags.insert("BADBOUNDARY".into());
        return none;
    };
    if !last.closes && !cut {
        flags.insert("BADBOUNDARY".into());
    }
    let outside_parts = |bytes: &[u8], flags: &mut Flags| {
        let text = chars::read(bytes.trim_ascii());
        flags.extend(cx.scan(&text, Kind::Leaf));
        cx.secrets.record_unshown(&text);
    };
    outside_parts(&data[..first.before], &mut placed.line);
    let mut leaves = Vec::new();
    // Where the parts begin that are beyond the limit.
    let mut beyond = None;
    for (at, delimiter) in delimiters.iter().enumerate() {
        let start = delimiter.end;
        let end = delimiters.get(at + 1).map(|next| next.before);
        if delimiter.closes {
            let outside = &data[start..end.unwrap_or(data.len()).max(start)];
            outside_parts(outside, &mut placed.line);
            if at + 1 < delimiters.len() {
                placed.line.insert("BADBOUNDARY".into());
            }
            continue;
        }
        let cut = cut && end.is_none();
        let Some(end) = end.or((start < data.len()).then_some(data.len())) else { continue };
        let end = end.max(start);
        if leaves.len() >= cx.options.limits.parts {
            cx.capped.set(true);
            beyond.get_or_insert(delimiter.start);
            continue;
        }
        let leaf = part(&data[start..end], cut, leaves.len(), placed, cx);
        leaves.push(leaf);
    }
    if let Some(start) = beyond.filter(|_| !cx.first_pass && !cx.is_core()) {
        // All that follows is one text.
        for class in crate::words::words(&chars::read(&data[start..])) {
            placed.line.insert(format!("KW:{class}"));
        }
    }
    Fields { leaves, parses: true }
}

/// A delimiter line.
struct Delimiter {
    /// Where the line before it ends.
    before: usize,
    start: usize,
    /// Where the next line begins.
    end: usize,
    closes: bool,
}

/// A part, the `nth`, which may be `cut` by a limit.
fn part(data: &[u8], cut: bool, nth: usize, placed: &mut Placed, cx: &Context<'_>) -> Leaf {
    let flags = &mut placed.line;
    let mut headers: Vec<(String, Text)> = Vec::new();
    let mut content = data.len();
    // A CR that nothing follows ends a line, but is no empty one.
    let is_empty = |start: usize, next: usize| data[start..next] == *b"\r\n" || data[start..next] == *b"\n";
    let has_empty_line = lines(data).iter().any(|(start, _, next)| is_empty(*start, *next));
    for (start, end, next) in lines(data) {
        let line = &data[start..end];
        if is_empty(start, next) {
            content = next;
            break;
        }
        if matches!(line.first(), Some(b' ' | b'\t'))
            && let Some((_, value)) = headers.last_mut()
        {
            value.push(Char::Plain(' '));
            value.extend(chars::trim(&chars::read(line), chars::is_blank));
            // A line that continues another may be blank.
            *value = chars::trim(value, chars::is_blank);
            continue;
        }
        let text = chars::read(line);
        let name = chars::find(&text, ':').map(|colon| chars::trim(&text[..colon], chars::is_blank));
        match name {
            Some(name) if chars::is_token(&name) => {
                let value = chars::trim(&text[chars::find(&text, ':').unwrap() + 1..], chars::is_blank);
                headers.push((chars::as_string(&chars::lower(&name)).unwrap(), value));
            }
            _ if has_empty_line || cut => {
                flags.extend(cx.scan(&text, Kind::Leaf));
                cx.secrets.record_unshown(&text);
                headers.push((String::new(), Text::new()));
            }
            _ => {
                flags.insert("BADBODY".into());
                content = start;
                break;
            }
        }
    }
    let content = data[content..].to_vec();
    // Quotes that do not pair are none, where the headers were cut.
    let cut_headers = cut && !has_empty_line;
    let bad_before = flags.contains("BADBODY");

    let mut field = Names::default();
    let mut dispositions = 0;
    let mut coding: Option<String> = None;
    for (name, value) in &headers {
        crate::headers::record_unshown(&chars::text(name), value, cx);
        if name == "content-disposition" {
            dispositions += 1;
            if dispositions > 1 {
                flags.insert("DUPPARAM".into());
            }
            read_names(value, dispositions == 1, &mut field, flags, cx);
            continue;
        }
        if name == "content-type" {
            let mut charsets = 0;
            for parameter in parameters(value, flags) {
                flags.extend(cx.scan(&parameter.name, Kind::Leaf));
                flags.extend(cx.scan(&parameter.value, Kind::Leaf));
                flags.extend(cx.scan(&parameter.rest, Kind::Leaf));
                if chars::lower(&parameter.name) == chars::text("charset") && parameter.has_value {
                    charsets += 1;
                    if charsets > 1 {
                        flags.insert("DUPPARAM".into());
                    }
                    check_charset(&parameter.value, flags);
                }
            }
            continue;
        }
        flags.extend(cx.scan(value, Kind::Leaf));
        if name == "content-transfer-encoding" {
            let word: Text = value.iter().take_while(|c| **c != Char::Plain(';')).copied().collect();
            let word = chars::lower(&chars::trim(&word, chars::is_blank));
            let word = chars::as_string(&word).unwrap_or_else(|| "other".into());
            if !["", "7bit", "8bit", "binary"].contains(&&word[..]) {
                let shown = if word == "base64" || word == "quoted-printable" { &word[..] } else { "other" };
                flags.insert(format!("BODYENC:{shown}"));
            }
            coding.get_or_insert(word);
        }
    }
    if cut_headers && !bad_before {
        flags.remove("BADBODY");
    }
    let has_parameters = |name: &str| name == "content-disposition" || name == "content-type";
    if headers.iter().any(|(name, value)| has_parameters(name) && has_quoted_semicolon(value)) {
        flags.insert("BADBODY".into());
    }
    let content = decode_content(content, coding.as_deref(), cut, flags);
    let name = field.name.clone().unwrap_or_default();
    let shown_key = crate::target::show_key(&name, cx);
    let value = chars::read(&content);
    if field.file.is_none() && chars::lower(&name) == chars::text("_charset_") {
        check_charset(&value, flags);
    }
    let place_key = places::within(&shown_key, nth, cx.options.limits.values);
    let own = placed.at(place_key);
    own.extend(cx.scan(&name, Kind::Leaf));
    body::way_flags(&name, own);
    if let Some(file) = &field.file {
        own.extend(cx.scan(file, Kind::Leaf));
        if files::is_executable(file) {
            own.insert("EXECEXT".into());
        }
        own.extend(files::magic(file, &content));
        file_flags(&content, own, cx);
        body::stray_bytes_of_body(place_key, placed);
        let marker = format!("<file:{}:{}>", content.len(), files::extension(file));
        return Leaf { key: shown_key, told: Told::only(marker) };
    }
    let sensitive = field.all.iter().any(|name| names::is_sensitive(name));
    let place = places::of_value(&name);
    let told = inner::field_marker(sensitive, &value, Kind::Leaf, place, place_key, placed, cx);
    body::stray_bytes_of_body(place_key, placed);
    Leaf { key: shown_key, told }
}

/// Returns whether a `;` is in a quoted `name` or `filename`.
fn has_quoted_semicolon(disposition: &[Char]) -> bool {
    parameters(disposition, &mut Flags::new()).iter().any(|parameter| {
        let name = chars::as_string(&chars::lower(&parameter.name)).unwrap_or_default();
        (name == "name" || name == "filename")
            && parameter.closed
            && chars::find(&parameter.value, ';').is_some()
    })
}

/// `BODYCHARSET` for a charset that a part's type or a field names: ASCII white space around it is dropped.
fn check_charset(charset: &[Char], flags: &mut Flags) {
    check_charset_in_name(&chars::trim(charset, |c| c.is_ascii_whitespace()), flags);
}

/// `BODYCHARSET` for a charset in a name: a line end is no part of what is dropped around it.
fn check_charset_in_name(charset: &[Char], flags: &mut Flags) {
    if !chars::trim(charset, chars::is_blank).is_empty() && body::is_odd_charset(charset) {
        flags.insert("BODYCHARSET".into());
    }
}

/// Of a file, the first KiB (8.37).
fn file_flags(content: &[u8], flags: &mut Flags, cx: &Context<'_>) {
    let start = &content[..content.len().min(1024)];
    body::binary_flags(start, flags, cx);
}

#[derive(Default)]
struct Names {
    name: Option<Text>,
    file: Option<Text>,
    /// Every `name`, in any spelling, of any `Content-Disposition`.
    all: Vec<Text>,
}

fn read_names(value: &[Char], counts: bool, field: &mut Names, flags: &mut Flags, cx: &Context<'_>) {
    let found = parameters(value, flags);
    field.all.extend(spellings("name", &found, &mut Flags::new()).into_iter().map(|(_, value)| value));
    if counts {
        field.name = read_name("name", &found, flags, cx);
        field.file = read_name("filename", &found, flags, cx);
    }
    for parameter in &found {
        flags.extend(cx.scan(&parameter.name, Kind::Leaf));
        flags.extend(cx.scan(&parameter.rest, Kind::Leaf));
        let name = chars::as_string(&chars::lower(&parameter.name)).unwrap_or_default();
        let is_spelling = is_spelling(&name, "name") || is_spelling(&name, "filename");
        if !(counts && is_spelling && parameter.has_value) {
            flags.extend(cx.scan(&parameter.value, Kind::Leaf));
        }
    }
}

/// The spellings of a name and what they stand for; sections are one, behind the others.
fn spellings(wanted: &str, found: &[Parameter], flags: &mut Flags) -> Vec<(String, Text)> {
    let mut spellings: Vec<(String, Text)> = Vec::new();
    let mut sections: Vec<(u32, bool, &Text)> = Vec::new();
    for parameter in found {
        let name = chars::as_string(&chars::lower(&parameter.name)).unwrap_or_default();
        if !is_spelling(&name, wanted) || !parameter.has_value {
            continue;
        }
        if name == wanted {
            spellings.push((name, encoded_words(&parameter.value, flags)));
        } else if name == format!("{wanted}*") {
            spellings.push((name, extended(&parameter.value, flags)));
        } else {
            flags.insert("DUPPARAM".into());
            let number = name.split('*').nth(1).and_then(|digits| digits.parse().ok());
            sections.push((number.unwrap_or_default(), name.ends_with('*'), &parameter.value));
        }
    }
    if !sections.is_empty() {
        let charset = sections
            .iter()
            .find(|(number, is_extended, _)| *number == 0 && *is_extended)
            .and_then(|(_, _, value)| charset_and_text(value))
            .map_or(&[][..], |(charset, _)| charset);
        sections.sort_by_key(|(number, _, _)| *number);
        let mut joined = Text::new();
        for (number, is_extended, value) in &sections {
            joined.extend(match (is_extended, number) {
                (true, 0) => extended(value, flags),
                (true, _) => from_charset(charset, &chars::to_bytes(&chars::percent_decode_further(value))),
                (false, _) => (*value).clone(),
            });
        }
        spellings.push((format!("{wanted}*"), joined));
    }
    spellings
}

/// The first spelling of a name.
fn read_name(wanted: &str, found: &[Parameter], flags: &mut Flags, cx: &Context<'_>) -> Option<Text> {
    let spellings = spellings(wanted, found, flags);
    let (first, others) = spellings.split_first()?;
    for (at, (name, value)) in others.iter().enumerate() {
        flags.extend(cx.scan(value, Kind::Leaf));
        if spellings[..=at].iter().any(|(other, before)| other == name || before != value) {
            flags.insert("DUPPARAM".into());
        }
    }
    Some(first.1.clone())
}

/// `name`, `name*`, `name*0` or `name*0*`.
fn is_spelling(parameter: &str, name: &str) -> bool {
    match parameter.strip_prefix(name) {
        Some("" | "*") => true,
        Some(rest) => rest.strip_prefix('*').is_some_and(|rest| {
            let digits = rest.strip_suffix('*').unwrap_or(rest);
            digits.chars().all(|c| c.is_ascii_digit()) && digits.parse::<u32>().is_ok()
        }),
        None => false,
    }
}

/// `charset'lang'text` as its charset and text; `None` where there are no two quotes.
fn charset_and_text(value: &[Char]) -> Option<(&[Char], &[Char])> {
    let parts: Vec<&[Char]> = value.splitn(3, |c| *c == Char::Plain('\'')).collect();
    match parts[..] {
        [charset, _, text] => Some((charset, text)),
        _ => None,
    }
}

/// `charset'lang'text` (RFC 8187); what is not written so is UTF-8.
fn extended(value: &[Char], flags: &mut Flags) -> Text {
    let (charset, text) = charset_and_text(value).unwrap_or((&[], value));
    check_charset_in_name(charset, flags);
    from_charset(charset, &chars::to_bytes(&chars::percent_decode_further(text)))
}

/// Bytes of Latin-1, or of UTF-8.
fn from_charset(charset: &[Char], bytes: &[u8]) -> Text {
    let latin = chars::as_string(&chars::lower(charset)).is_some_and(|charset| {
        ["iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1"].contains(&&charset[..])
    });
    if latin { bytes.iter().map(|b| Char::Plain(char::from(*b))).collect() } else { chars::read(bytes) }
}

/// `=?charset?B?text?=` and `?Q?`.
fn encoded_words(value: &[Char], flags: &mut Flags) -> Text {
    let mut decoded = Text::new();
    let mut after_word: Option<usize> = None;
    let mut at = 0;
    while at < value.len() {
        if is(value.get(at), '=') && is(value.get(at + 1), '?') {
            let rest = &value[at + 2..];
            let parts: Vec<&[Char]> = rest.splitn(3, |c| *c == Char::Plain('?')).collect();
            if parts.len() == 3 {
                let end = chars::find(parts[2], '?').filter(|end| is(parts[2].get(end + 1), '='));
                let coding = chars::as_string(&chars::lower(parts[1])).unwrap_or_default();
                if let (Some(end), "b" | "q") = (end, &coding[..]) {
                    let inside = chars::to_bytes(&parts[2][..end]);
                    let bytes = if coding == "b" {
                        base64(&inside, false)
                    } else {
                        let spaced: Vec<u8> =
                            inside.iter().map(|b| if *b == b'_' { b' ' } else { *b }).collect();
                        Some(quoted_printable(&spaced, false).0)
                    };
                    if let Some(bytes) = bytes {
                        let word = if coding == "b" { "base64" } else { "quoted-printable" };
                        flags.insert(format!("BODYENC:{word}"));
                        check_charset_in_name(parts[0], flags);
                        // Blanks between two of them are not there.
                        if after_word.is_some_and(|from| {
                            value[from..at].iter().all(|c| c.plain().is_some_and(chars::is_blank))
                        }) {
                            decoded.truncate(decoded.len() - (at - after_word.unwrap_or(at)));
                        }
                        decoded.extend(from_charset(parts[0], &bytes));
                        at += 2 + parts[0].len() + 1 + parts[1].len() + 1 + end + 2;
                        after_word = Some(at);
                        continue;
                    }
                }
            }
        }
        decoded.push(value[at]);
        at += 1;
    }
    decoded
}

fn base64(input: &[u8], cut: bool) -> Option<Vec<u8>> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut tight: Vec<u8> = input.iter().filter(|b| !b.is_ascii_whitespace()).copied().collect();
    while tight.last() == Some(&b'=') {
        tight.pop();
    }
    if cut {
        tight.truncate(tight.len() / 4 * 4);
    }
    // Groups of four, each of which may be padded.
    let mut bytes = Vec::new();
    for group in tight.chunks(4) {
        let digits = group.iter().take_while(|b| ALPHABET.contains(b)).count();
        let padded = group[digits..].iter().all(|b| *b == b'=');
        if digits < 2 || !padded {
            return None;
        }
        bytes.extend(crate::scan::base64(&group[..digits], ALPHABET));
    }
    Some(bytes)
}

/// Decodes quoted-printable, and returns whether something was no escape.
fn quoted_printable(input: &[u8], cut: bool) -> (Vec<u8>, bool) {
    let mut out = Vec::new();
    let mut bad = false;
    let mut at = 0;
    while at < input.len() {
        if input[at] != b'=' {
            out.push(input[at]);
            at += 1;
            continue;
        }
        let hex = |at: usize| input.get(at).and_then(|b| char::from(*b).to_digit(16));
        if let (Some(high), Some(low)) = (hex(at + 1), hex(at + 2)) {
            out.push(u8::try_from(high * 16 + low).unwrap());
            at += 3;
            continue;
        }
        // A soft line break: blanks, and a line end or the end.
        let blanks = input[at + 1..].iter().take_while(|b| **b == b' ' || **b == b'\t').count();
        let after = at + 1 + blanks;
        if after == input.len() {
            at = after;
        } else if input[after..].starts_with(b"\r\n") {
            at = after + 2;
        } else if input[after..].starts_with(b"\n") {
            at = after + 1;
        } else {
            bad |= !(cut && at + 2 == input.len());
            out.push(b'=');
            at += 1;
        }
    }
    (out, bad)
}

/// Decodes a transfer encoding; one that was `cut`, as far as it is whole.
fn decode_content(content: Vec<u8>, coding: Option<&str>, cut: bool, flags: &mut Flags) -> Vec<u8> {
    match coding {
        Some("base64") => match base64(&content, cut) {
            Some(decoded) => decoded,
            None => {
                flags.insert("BADBODY".into());
                content
            }
        },
        Some("quoted-printable") => {
            let (decoded, bad) = quoted_printable(&content, cut);
            if bad {
                flags.insert("BADBODY".into());
            }
            decoded
        }
        _ => content,
    }
}
