//! The body (8.30–8.37).

use std::io::Read;

use crate::chars::{self, Char, Text, is};
use crate::document::{escape, measure};
use crate::json::{self, Kind as Json, Value};
use crate::message::{self, Line, Message};
use crate::names;
use crate::places::{self, Place, Placed};
use crate::scan::{Flags, Kind};
use crate::target::{self, is_name, operator_flags, value_marker};
use crate::{Context, headers, inner, multipart, tokens, xml};

/// A value as a marker, and what its tokens tell beside it (9.18).
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    pub(crate) marker: String,
    /// `~` or `^` and what follows it.
    pub(crate) made_of: Vec<String>,
    /// The leaves of a value that is JSON, as many as tell tokens.
    pub(crate) inner: Vec<Leaf>,
}

impl Told {
    /// A marker that tells nothing else.
    pub(crate) fn only(marker: impl Into<String>) -> Told {
        Told { marker: marker.into(), ..Told::default() }
    }
}

/// A value of a body, shown.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) key: String,
    pub(crate) told: Told,
}

/// The lines of a body.
pub(crate) struct Shown {
    pub(crate) kind: &'static str,
    /// The bytes of the body.
    pub(crate) length: usize,
    pub(crate) placed: Placed,
    /// The whole, where it does not show its values.
    pub(crate) whole: Option<Told>,
    /// Its values.
    pub(crate) leaves: Vec<Leaf>,
}

impl Shown {
    /// `B:…` up to its flags.
    pub(crate) fn head(&self) -> String {
        let whole = self.whole.as_ref().map(|told| format!(" {}", told.marker)).unwrap_or_default();
        format!("B:{} BLEN:{}{whole}", self.kind, measure(self.length))
    }

    /// `BQ` and `BK`, unless the whole is shown.
    pub(crate) fn lines(&self, cx: &Context<'_>) -> Vec<String> {
        if self.whole.is_some() { Vec::new() } else { field_lines(&self.leaves, cx) }
    }
}

/// The leaves of a body, or that it does not parse.
pub(crate) struct Fields {
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) parses: bool,
}

/// The values of a header: one that steers (4.19) by its raw name, any other by its normalised one (8.1).
fn header<'a>(message: &'a Message, wanted: &'static [u8]) -> impl Iterator<Item = Vec<u8>> + use<'a> {
    let steers = wanted != b"content-type";
    let named = move |name: &[u8]| {
        if steers { name.eq_ignore_ascii_case(wanted) } else { normal_name(name) == wanted }
    };
    message.lines.iter().filter_map(move |line| match line {
        Line::Header { name, value, .. } if named(name) => Some(message::collapsed(value)),
        _ => None,
    })
}

fn normal_name(name: &[u8]) -> Vec<u8> {
    let text = crate::embedded_as_space(name);
    let text = chars::lower(&chars::trim(&chars::plain_dots(&chars::nfkc(&text, false)), chars::is_blank));
    chars::as_string(&text).unwrap_or_default().into_bytes()
}

/// The size of the chunk at the start, and where its data begins (8.30.1).
fn chunk_size(body: &[u8]) -> Option<(usize, usize)> {
    let lf = body.iter().position(|b| *b == b'\n')?;
    let line = body[..lf].strip_suffix(b"\r").unwrap_or(&body[..lf]);
    let size = line.split(|b| *b == b';').next()?;
    let blank = |b: &u8| *b == b' ' || *b == b'\t';
    let from = size.iter().position(|b| !blank(b))?;
    let to = size.iter().rposition(|b| !blank(b))?;
    let size = &size[from..=to];
    if size.is_empty() || !size.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let digits = std::str::from_utf8(size).ok()?.trim_start_matches('0');
    // A size that no machine can count is none.
    let size = if digits.is_empty() { 0 } else { usize::from_str_radix(digits, 16).ok()? };
    Some((size, lf + 1))
}

fn join_chunks(body: &[u8]) -> Vec<u8> {
    let mut joined = Vec::new();
    let mut rest = body;
    loop {
        let Some((size, from)) = chunk_size(rest) else {
            joined.extend_from_slice(rest);
            return joined;
        };
        rest = &rest[from..];
        if size == 0 {
            return joined;
        }
        let take = size.min(rest.len());
        joined.extend_from_slice(&rest[..take]);
        rest = &rest[take..];
        rest = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")).unwrap_or(rest);
        if rest.is_empty() {
            return joined;
        }
    }
}

/// Records what the lines that begin chunks and the trailers of a chunked body give (6.14.5).
fn record_chunk_lines(body: &[u8], cx: &Context<'_>) {
    let mut rest = body;
    while let Some((size, from)) = chunk_size(rest) {
        let line = rest[..from].trim_ascii_end();
        if let Some(at) = line.iter().position(|b| *b == b';') {
            cx.secrets.record_unshown(&chars::read(&line[at + 1..]));
        }
        rest = &rest[from..];
        if size == 0 {
            record_trailers(rest, cx);
            return;
        }
        rest = &rest[size.min(rest.len())..];
        rest = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")).unwrap_or(rest);
    }
}

fn record_trailers(mut rest: &[u8], cx: &Context<'_>) {
    let mut trailers: Vec<Vec<u8>> = Vec::new();
    while !rest.is_empty() {
        let lf = rest.iter().position(|b| *b == b'\n');
        let line = &rest[..lf.unwrap_or(rest.len())];
        rest = lf.map_or(&[], |lf| &rest[lf + 1..]);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            // What follows the empty line is one text.
            cx.secrets.record_unshown(&chars::read(rest));
            break;
        }
        match trailers.last_mut() {
            Some(before) if line[0] == b' ' || line[0] == b'\t' => {
                let kept = before.iter().rposition(|b| *b != b' ' && *b != b'\t').map_or(0, |last| last + 1);
                before.truncate(kept);
                before.push(b' ');
                let start = line.iter().position(|b| *b != b' ' && *b != b'\t').unwrap_or(line.len());
                before.extend_from_slice(&line[start..]);
            }
            _ => trailers.push(line.to_vec()),
        }
    }
    for line in trailers {
        let line = chars::read(&line);
        match chars::find(&line, ':').filter(|colon| chars::is_token(&line[..*colon])) {
            Some(colon) => {
                let value = chars::trim(&line[colon + 1..], chars::is_blank);
                headers::record_unshown(&line[..colon], &value, cx);
            }
            None => cx.secrets.record_unshown(&line),
        }
    }
}

/// The inflated bytes of a stream, at most so many; `Err` where it is broken.
struct Inflated {
    bytes: Vec<u8>,
    capped: bool,
}

/// Reads byte by byte, so that whatever stands before a fault is there.
fn read_limited(mut reader: impl Read, limit: usize, bytes: &mut Vec<u8>) -> Result<bool, ()> {
    let mut byte = [0];
    loop {
        match reader.read(&mut byte) {
            _ if bytes.len() > limit => return Ok(true),
            Ok(0) => return Ok(false),
            Ok(_) => bytes.push(byte[0]),
            Err(_) if bytes.len() == limit => return Ok(true),
            Err(_) => return Err(()),
        }
        if bytes.len() > limit {
            return Ok(true);
        }
    }
}

/// RFC 1951, or 1950: what follows the stream, and whether there was more than the limit.
fn inflate<'a>(
    mut input: &'a [u8],
    zlib: bool,
    limit: usize,
    bytes: &mut Vec<u8>,
) -> Result<(&'a [u8], bool), ()> {
    let mut decoder = flate2::Decompress::new(zlib);
    loop {
        bytes.reserve(1024);
        let (read, written) = (decoder.total_in(), bytes.len());
        let status = decoder.decompress_vec(input, bytes, flate2::FlushDecompress::None);
        let read = usize::try_from(decoder.total_in() - read).unwrap();
        input = &input[read..];
        let stuck = read == 0 && bytes.len() == written;
        match status {
            Ok(_) if bytes.len() > limit => return Ok((input, true)),
            Ok(flate2::Status::StreamEnd) => return Ok((input, false)),
            Ok(_) if !stuck => {}
            _ if bytes.len() >= limit => return Ok((input, true)),
            _ => return Err(()),
        }
    }
}

/// The bytes after the header of a gzip member (RFC 1952, 2.3).
fn after_gzip_header(input: &[u8]) -> Option<&[u8]> {
    let flags = *input.get(3)?;
    if !input.starts_with(&[0x1F, 0x8B, 8]) || flags & 0b1110_0000 != 0 {
        return None;
    }
    let mut rest = input.get(10..)?;
    if flags & 4 != 0 {
        let length = usize::from(*rest.first()?) + 256 * usize::from(*rest.get(1)?);
        rest = rest.get(2 + length..)?;
    }
    for text in [8, 16] {
        if flags & text != 0 {
            rest = &rest[rest.iter().position(|b| *b == 0)? + 1..];
        }
    }
    if flags & 2 != 0 {
        rest = rest.get(2..)?;
    }
    Some(rest)
}

/// The members of gzip, each checked.
fn gunzip(mut input: &[u8], limit: usize, bytes: &mut Vec<u8>) -> Result<bool, ()> {
    let broken = |bytes: &[u8]| if bytes.len() == limit { Ok(true) } else { Err(()) };
    loop {
        let Some(data) = after_gzip_header(input) else { return broken(bytes) };
        let start = bytes.len();
        let (rest, capped) = inflate(data, false, limit, bytes)?;
        if capped {
            return Ok(true);
        }
        let mut crc = flate2::Crc::new();
        crc.update(&bytes[start..]);
        let expected = [crc.sum().to_le_bytes(), crc.amount().to_le_bytes()].concat();
        if !rest.starts_with(&expected) {
            return broken(bytes);
        }
        input = &rest[8..];
        if !input.starts_with(&[0x1F, 0x8B, 8]) {
            return Ok(false);
        }
    }
}

fn undo(word: &str, input: &[u8], limit: usize) -> Result<Inflated, ()> {
    let mut bytes = Vec::new();
    if input.is_empty() {
        return Err(());
    }
    let capped = match word {
        "gzip" => gunzip(input, limit, &mut bytes)?,
        "deflate" => match inflate(input, true, limit, &mut bytes) {
            Ok((_, capped)) => capped,
            Err(()) => {
                bytes.clear();
                inflate(input, false, limit, &mut bytes)?.1
            }
        },
        "br" => unbrotli(input, limit, &mut bytes)?,
        _ => unzstd(input, limit, &mut bytes)?,
    };
    bytes.truncate(limit);
    Ok(Inflated { bytes, capped })
}

fn unbrotli(input: &[u8], limit: usize, bytes: &mut Vec<u8>) -> Result<bool, ()> {
    use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
    let alloc = StandardAlloc::default;
    let mut state = BrotliState::new_strict(alloc(), alloc(), alloc());
    // What a broken stream gives before its fault depends on how much is asked for at a time.
    let mut buffer = vec![0; 16 * 1024];
    let (mut left, mut read, mut written) = (input.len(), 0, 0);
    loop {
        let (mut room, mut filled) = (buffer.len(), 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut read,
            input,
            &mut room,
            &mut filled,
            &mut buffer,
            &mut written,
            &mut state,
        );
        bytes.extend_from_slice(&buffer[..filled]);
        match result {
            _ if bytes.len() > limit => return Ok(true),
            BrotliResult::ResultSuccess => return Ok(false),
            BrotliResult::NeedsMoreOutput => {}
            _ if bytes.len() == limit => return Ok(true),
            _ => return Err(()),
        }
    }
}

/// The frames of zstd, each checked; skippable ones are skipped.
fn unzstd(mut input: &[u8], limit: usize, bytes: &mut Vec<u8>) -> Result<bool, ()> {
    let broken = |bytes: &[u8]| if bytes.len() == limit { Ok(true) } else { Err(()) };
    let skippable =
        |input: &[u8]| input.len() >= 4 && input[1..4] == [0x2A, 0x4D, 0x18] && input[0] & 0xF0 == 0x50;
    loop {
        if input.len() >= 8 && skippable(input) {
            let size = u32::from_le_bytes([input[4], input[5], input[6], input[7]]) as usize;
            let Some(rest) = input.get(8 + size..) else { return broken(bytes) };
            input = rest;
        } else {
            let window = 8 << 20;
            let Ok(mut decoder) =
                ruzstd::decoding::StreamingDecoder::new_with_max_window_size(&mut input, window)
            else {
                return broken(bytes);
            };
            if read_limited(&mut decoder, limit, bytes)? {
                return Ok(true);
            }
            let decoder = decoder.into_frame_decoder();
            let stated = decoder.get_checksum_from_data();
            if stated.is_some() && stated != decoder.get_calculated_checksum() {
                return broken(bytes);
            }
        }
        if !input.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) && !skippable(input) {
            return Ok(false);
        }
    }
}

/// Drops a UTF-8 character that a cut went through.
fn whole_characters(bytes: &mut Vec<u8>) {
    for back in 1..=3.min(bytes.len()) {
        let at = bytes.len() - back;
        // Nothing wrong but that it ends too soon.
        if std::str::from_utf8(&bytes[at..])
            .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        {
            bytes.truncate(at);
            return;
        }
    }
}

/// A `charset` that is not a usual one (8.30.5).
pub(crate) fn is_odd_charset(charset: &[Char]) -> bool {
    let usual =
        ["utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1"];
    let mut trimmed = chars::trim(charset, chars::is_blank);
    for quote in ['"', '\''].map(Char::Plain) {
        if trimmed.len() >= 2 && trimmed.first() == Some(&quote) && trimmed.last() == Some(&quote) {
            trimmed = chars::trim(&trimmed[1..trimmed.len() - 1], chars::is_blank);
            break;
        }
    }
    !chars::as_string(&chars::lower(&trimmed)).is_some_and(|charset| usual.contains(&&charset[..]))
}

fn words_of(subtype: &str) -> Vec<&str> {
    subtype.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// The kind by type (8.30.6).
fn kind_by_type(content_type: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(content_type).to_ascii_lowercase();
    let text = text.split(';').next().unwrap().trim_matches([' ', '\t']);
    let (kind, subtype) = text.split_once('/')?;
    let words = words_of(subtype);
    let has = |wanted: &str| wanted.split(' ').any(|wanted| words.contains(&wanted));
    let application = kind == "application";
    const TEXT: &str = "csv ecmascript graphql javascript jose jwt n-quads n-triples postscript rtf sdp sparql-query sparql-update sql toml trig typescript x-csh x-ecmascript x-httpd-php x-javascript x-perl x-php x-python x-ruby x-sh x-shellscript x-sql x-toml x-yaml yaml";
    const BINARY: &str = "7z amf archive arrow avro binary bson bzip bzip2 cbor compressed dosexec executable flash font grpc gzip ipp ms msdownload msgpack msword oasis ocsp octet officedocument openxmlformats parquet pdf pkcs10 pkcs12 pkcs7 pkcs8 pkix rar serialized sqlite3 tar thrift wasm wbxml xz zip zstd";
    const WHOLE: &str =
        "dns-message java-vm timestamp-query x-git-receive-pack-request x-git-upload-pack-request";
    if kind == "multipart" {
        Some("multipart")
    } else if text == "application/x-www-form-urlencoded" {
        Some("form")
    } else if has("json ndjson jsonl") || text == "application/csp-report" {
        Some("json")
    } else if has("xml") {
        Some("xml")
    } else if kind == "text" || (application && TEXT.split(' ').any(|entry| entry == subtype)) {
        Some("text")
    } else if ["audio", "font", "image", "model", "video"].contains(&kind)
        || (application
            && (subtype.contains("protobuf")
                || has(BINARY)
                || WHOLE.split(' ').any(|entry| entry == subtype)))
    {
        Some("binary")
    } else {
        None
    }
}

const HTML: &str = "audio b base blockquote body br button canvas center details dialog div em embed font form frame frameset h1 h2 h3 h4 h5 h6 head hr html i iframe img input isindex li marquee meta nav noscript ol p pre script select span strong style table tbody td template textarea th tr u ul video";

/// The kind by content (8.30.7).
fn kind_by_content(body: &[u8]) -> &'static str {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let start = body.iter().position(|b| !b" \t\r\n".contains(b)).unwrap_or(body.len());
    let body = &body[start..];
    if body.starts_with(b"{") || body.starts_with(b"[") {
        let mut reader = json::Reader::new(body, false);
        reader.value();
        reader.skip_space();
        let whole = reader.fault.is_none() && reader.at == body.len();
        if whole && std::str::from_utf8(body).is_ok() {
            return "json";
        }
    }
    if looks_like_xml(body) {
        "xml"
    } else if looks_like_multipart(body) {
        "multipart"
    } else if looks_like_form(body) {
        "form"
    } else if looks_like_text(body) {
        "text"
    } else {
        "binary"
    }
}

fn is_xml_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn skip_xml_space(bytes: &[u8]) -> &[u8] {
    let spaces = bytes.iter().take_while(|b| is_xml_space(**b)).count();
    &bytes[spaces..]
}

fn looks_like_xml(body: &[u8]) -> bool {
    let utf16: [&[u8]; 6] =
        [b"\xFE\xFF\0<", b"\xFF\xFE<\0", b"<\0?\0x\0", b"<\0!\0", b"\0<\0?\0x", b"\0<\0!"];
    if utf16.iter().any(|start| body.starts_with(start)) {
        return true;
    }
    let mut rest = body;
    while let Some(comment) = rest.strip_prefix(b"<!--") {
        let Some(end) = comment.windows(3).position(|w| w == b"-->") else { return false };
        rest = skip_xml_space(&comment[end + 3..]);
    }
    if let Some(after) = rest.strip_prefix(b"<?xml") {
        return after.first().is_some_and(|b| is_xml_space(*b) || *b == b'-');
    }
    if rest.len() >= 9 && rest[..9].eq_ignore_ascii_case(b"<!DOCTYPE") {
        let name = skip_xml_space(&rest[9..]);
        let html = name.len() >= 4 && name[..4].eq_ignore_ascii_case(b"html");
        return !html;
    }
    let Some(tag) = rest.strip_prefix(b"<") else { return false };
    let text = chars::read(tag);
    let length = xml::name_length(&text);
    if length == 0 {
        return false;
    }
    let ended = matches!(text.get(length), Some(Char::Plain(' ' | '\t' | '\r' | '\n' | '/' | '>')));
    let name = chars::as_string(&chars::lower(&text[..length])).unwrap_or_default();
    let closed = rest.iter().rfind(|b| !is_xml_space(**b)) == Some(&b'>');
    ended && closed && !HTML.split(' ').any(|html| html == name)
}

fn is_boundary_char(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&b)
}

fn looks_like_multipart(body: &[u8]) -> bool {
    let Some(rest) = body.strip_prefix(b"--") else { return false };
    let taken = rest.iter().take_while(|b| is_boundary_char(**b)).count();
    // It does not end in a space.
    let length = rest[..taken].iter().rposition(|b| *b != b' ').map_or(0, |last| last + 1);
    let blanks = rest[length..].iter().take_while(|b| **b == b' ' || **b == b'\t').count();
    let after = &rest[length + blanks..];
    let Some(after) = after.strip_prefix(b"\r\n").or_else(|| after.strip_prefix(b"\n")) else { return false };
    let begins = |word: &[u8]| after.len() >= word.len() && after[..word.len()].eq_ignore_ascii_case(word);
    (1..=70).contains(&length) && (begins(b"content-disposition:") || begins(b"content-type:"))
}

fn looks_like_form(body: &[u8]) -> bool {
    let body = body.strip_suffix(b"\r\n").or_else(|| body.strip_suffix(b"\n")).unwrap_or(body);
    if body.iter().any(|b| *b <= b' ' || *b == 0x7F) {
        return false;
    }
    let tokens: Vec<&[u8]> = body.split(|b| *b == b'&').filter(|token| !token.is_empty()).collect();
    let fits = tokens.iter().all(|token| {
        let Some(equals) = token.iter().position(|b| *b == b'=') else { return false };
        let key = chars::read(&token[..equals]);
        let (mut at, mut good) = (0, !key.is_empty());
        while at < key.len() {
            if chars::escape_at(&key, at).is_some() {
                at += 3;
            } else {
                good &= key[at].is_ascii_alphanumeric()
                    || key[at].plain().is_some_and(|c| "_.$:@[]-".contains(c));
                at += 1;
            }
        }
        good
    });
    let single = tokens.len() == 1 && {
        let value = tokens[0].splitn(2, |b| *b == b'=').nth(1).unwrap_or_default();
        value.first().is_none_or(|b| *b == b'=')
    };
    !tokens.is_empty() && fits && !single
}

fn looks_like_text(body: &[u8]) -> bool {
    let text = chars::read(body);
    let control = body.iter().any(|b| b.is_ascii_control() && !b"\t\r\n".contains(b));
    let stray = text.iter().filter(|c| matches!(c, Char::Stray(_))).count();
    !control && (stray * 10 < body.len() * 3 || body.is_empty())
}

/// Readable binary data (8.37).
fn is_readable(body: &[u8]) -> bool {
    let odd =
        body.iter().filter(|b| (**b < 0x20 && !b"\t\r\n".contains(b)) || **b == 0x7F || **b >= 0xF8).count();
    !body.contains(&0) && odd * 20 <= body.len()
}

/// The flags of binary data (8.37).
pub(crate) fn binary_flags(body: &[u8], flags: &mut Flags, cx: &Context<'_>) {
    if cx.first_pass || cx.is_core() {
        return;
    }
    let text = chars::read(body);
    if is_readable(body) {
        let mut told = cx.scan(&text, Kind::Leaf);
        told.remove("BADUTF8");
        flags.extend(told);
    } else {
        for class in crate::words::words(&text) {
            flags.insert(format!("KW:{class}"));
        }
    }
}

/// The body's lines; in `core` only its secrets are looked for.
pub(crate) fn body(message: &Message, cx: &Context<'_>) -> Option<Shown> {
    if message.body.is_empty() {
        return None;
    }
    let mut placed = Placed::default();
    let flags = &mut placed.line;
    let limit = cx.options.limits.body;
    let mut data = message.body.clone();
    let chunked = header(message, b"transfer-encoding")
        .any(|value| value.to_ascii_lowercase().windows(7).any(|window| window == b"chunked"));
    if chunked && chunk_size(&data).is_some() {
        record_chunk_lines(&data, cx);
        data = join_chunks(&data);
    }
    let words: Vec<&'static str> = header(message, b"content-encoding")
        .flat_map(|value| {
            value
                .split(|b| *b == b',')
                .map(|item| message::trim_blanks(item).to_ascii_lowercase())
                .collect::<Vec<_>>()
        })
        .filter_map(|item| match &item[..] {
            b"" | b"identity" => None,
            b"gzip" | b"x-gzip" => Some("gzip"),
            b"deflate" => Some("deflate"),
            b"br" => Some("br"),
            b"zstd" => Some("zstd"),
            b"compress" | b"x-compress" => Some("compress"),
            _ => Some("other"),
        })
        .collect();
    for word in &words {
        flags.insert(format!("BODYENC:{word}"));
    }
    let mut binary = false;
    let mut cut = false;
    if words.len() > cx.options.limits.codings {
        binary = true;
        cx.capped.set(true);
    } else {
        let before = data.clone();
        for word in words.iter().rev() {
            if *word == "compress" || *word == "other" {
                binary = true;
                break;
            }
            match undo(word, &data, limit) {
                Ok(inflated) => {
                    data = inflated.bytes;
                    cut |= inflated.capped;
                }
                Err(()) => {
                    flags.insert("BADBODY".into());
                    data = before;
                    binary = false;
                    break;
                }
            }
        }
    }
    if data.len() > limit {
        data.truncate(limit);
        cut = true;
    }
    if cut {
        whole_characters(&mut data);
        cx.capped.set(true);
    }
    let content_type = header(message, b"content-type").next();
    let type_text = content_type.as_deref().map(chars::read).unwrap_or_default();
    if multipart::charsets(&type_text).iter().any(|charset| is_odd_charset(charset)) {
        flags.insert("BODYCHARSET".into());
    }
    let declared = content_type.as_deref().and_then(kind_by_type);
    let content = kind_by_content(&data);
    let mut kind = declared.unwrap_or(content);
    if binary {
        kind = "binary";
    } else if declared.is_some_and(|declared| {
        declared != content
            && content != "form"
            && content != "text"
            && !(declared == "text" && content == "json")
    }) {
        flags.insert("CTMISMATCH".into());
    }
    let fields = match kind {
        "form" => Some(form(&data, &mut placed, cx)),
        "json" => Some(json_fields(&data, cut, &type_text, &mut placed, cx)),
        "multipart" => Some(multipart::fields(&data, cut, &type_text, &mut placed, cx)),
        "xml" => Some(xml::fields(&data, cut, &mut placed, cx)),
        _ => None,
    };
    let length = message.body.len();
    if let Some(fields) = fields {
        if fields.parses {
            let shown = &fields.leaves[..fields.leaves.len().min(cx.options.limits.values)];
            placed.keep_keys(&shown.iter().map(|leaf| &leaf.key[..]).collect::<Vec<_>>());
            return Some(Shown { kind, length, placed, whole: None, leaves: fields.leaves });
        }
        placed.keep_keys(&[]);
        placed.line.insert("BADBODY".into());
        if declared.is_none() {
            kind = "text";
        }
    }
    let flags = &mut placed.line;
    let text = chars::read(&data);
    if kind == "binary" {
        binary_flags(&data, flags, cx);
    } else {
        flags.extend(cx.scan(&text, Kind::Leaf));
    }
    let whole = deep_marker(false, &text, cx);
    Some(Shown { kind, length, placed, whole: Some(whole), leaves: Vec::new() })
}

fn field_lines(leaves: &[Leaf], cx: &Context<'_>) -> Vec<String> {
    let limit = cx.options.limits.values;
    let shown = &leaves[..leaves.len().min(limit)];
    let mut keys: Vec<String> = shown.iter().map(|leaf| leaf.key.clone()).collect();
    let more = leaves.len() - shown.len();
    if more > 0 {
        keys.push(format!("<more:{more}>"));
        cx.capped.set(true);
    }
    let mut lines = vec![format!("BQ:{} KEYS:{}", leaves.len(), keys.join(","))];
    let mut by_key: Vec<(&str, Vec<&str>)> = Vec::new();
    for leaf in shown {
        match by_key.iter_mut().find(|(key, _)| *key == leaf.key) {
            Some((_, markers)) => markers.push(&leaf.told.marker),
            None => by_key.push((&leaf.key, vec![&leaf.told.marker])),
        }
    }
    lines.extend(by_key.iter().map(|(key, markers)| format!("BK:{key}={}", markers.join("|"))));
    if more > 0 {
        lines.push(format!("BK:<more:{more}>"));
    }
    lines
}

fn form(data: &[u8], placed: &mut Placed, cx: &Context<'_>) -> Fields {
    placed.line.insert("BODYFORM".into());
    let raw: Vec<u8> = data.iter().map(|b| if *b == b'+' { b' ' } else { *b }).collect();
    let pairs = target::pairs(&chars::read(&raw), true, placed, cx);
    let leaves = pairs
        .iter()
        .enumerate()
        .map(|(at, pair)| {
            let own = places::within(&pair.shown_key, at, cx.options.limits.values);
            let sensitive = names::is_sensitive(&pair.key);
            let told = match &pair.value {
                None => Told::only("<mixed:0>"),
                Some(value) => {
                    let place = places::of_value(&pair.key);
                    inner::field_marker(sensitive, value, Kind::Form, place, own, placed, cx)
                }
            };
            Leaf { key: pair.shown_key.clone(), told }
        })
        .collect();
    Fields { leaves, parses: true }
}

/// The marker of a leaf; one that came in as a marker is left and, if it is not, scanned.
pub(crate) fn leaf_marker(
    sensitive: bool,
    value: &[Char],
    kind: Kind,
    place: Place,
    flags: &mut Flags,
    cx: &Context<'_>,
) -> Told {
    let mut own = Flags::new();
    let (told, _) = value_marker(sensitive, value, value, &mut own, cx);
    if !own.contains("MARKER") && (kind != Kind::Form || cx.marker_kind(value).is_some()) {
        flags.extend(cx.scan_at(value, kind, place));
    }
    flags.append(&mut own);
    told
}

/// The marker of a body as a whole (8.32), and of what lies below the depth limit (8.34.3, 8.36.9).
pub(crate) fn deep_marker(sensitive: bool, text: &[Char], cx: &Context<'_>) -> Told {
    if cx.secrets.hides(sensitive, text) {
        return Told::only(cx.secret_marker(text));
    }
    Told { marker: cx.marker(text), made_of: tokens::made_of(text, text, cx), inner: Vec::new() }
}

/// A name of a way, shown (8.34.1).
pub(crate) fn show_way_name(name: &[Char], cx: &Context<'_>) -> String {
    if cx.secrets.hides(false, name) {
        return cx.secret_marker(name);
    }
    if is_name(name) {
        escape(name, |c| chars::is_white_space(c) || ",|&=<>.[]".contains(c))
    } else {
        cx.marker(name)
    }
}

/// A walk over the values of a JSON text.
pub(crate) struct JsonWalk<'a, 'b> {
    data: &'a [u8],
    /// True if it ends at a limit, and not at a fault.
    cut: bool,
    /// How names and strings are scanned.
    kind: Kind,
    pub(crate) leaves: Vec<Leaf>,
    /// True if a leaf is a secret.
    pub(crate) secret: bool,
    /// True if the last name on the way leads somewhere (7.6.1).
    leads: bool,
    /// The name of the object that is walked through.
    outer_name: Option<Text>,
    /// Flags of names before a leaf came under them.
    of_names: Flags,
    /// The key of the value that is JSON; none for a body.
    value_key: Option<String>,
    placed: &'a mut Placed,
    cx: &'a Context<'b>,
}

fn json_fields(
    data: &[u8],
    cut: bool,
    content_type: &[Char],
    placed: &mut Placed,
    cx: &Context<'_>,
) -> Fields {
    let data = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data);
    let kind = chars::lower(content_type);
    let many = ["ndjson", "jsonl", "json-seq"]
        .iter()
        .any(|word| chars::find_text(&kind, &chars::text(word)).is_some());
    let mut values = Vec::new();
    let mut reader = json::Reader::new(data, cut);
    let mut parses = true;
    loop {
        reader.skip_space();
        while many && data.get(reader.at) == Some(&0x1E) {
            reader.at += 1;
            reader.skip_space();
        }
        if reader.at >= data.len() {
            parses &= many || cut || !values.is_empty();
            break;
        }
        if !many && !values.is_empty() {
            parses = false;
            break;
        }
        values.extend(reader.value());
        if let Some(fault) = &reader.fault {
            parses = cut && *fault == json::Fault::End;
            break;
        }
    }
    if reader.lone_surrogate || chars::read(data).iter().any(|c| matches!(c, Char::Stray(_))) {
        placed.line.insert("BADUTF8".into());
    }
    // What a body that does not parse has told so far stays told, and its secrets are secrets.
    let mut walk = JsonWalk::new(data, Kind::Leaf, None, placed, cx);
    walk.cut = cut && parses;
    for value in &values {
        walk.value(value, String::new(), false, 1);
    }
    Fields { leaves: walk.leaves, parses }
}

impl<'a, 'b> JsonWalk<'a, 'b> {
    pub(crate) fn new(
        data: &'a [u8],
        kind: Kind,
        value_key: Option<String>,
        placed: &'a mut Placed,
        cx: &'a Context<'b>,
    ) -> Self {
        JsonWalk {
            data,
            cut: false,
            kind,
            leaves: Vec::new(),
            secret: false,
            leads: false,
            outer_name: None,
            of_names: Flags::new(),
            value_key,
            placed,
            cx,
        }
    }

    /// The flags of all of it.
    fn whole(&mut self) -> &mut Flags {
        match &self.value_key {
            Some(key) => self.placed.at(key),
            None => &mut self.placed.line,
        }
    }

    /// Tells what a leaf raises at its place; stray bytes are told of the whole.
    fn tell_leaf(&mut self, key: &str, mut flags: Flags) {
        if flags.remove("BADUTF8") {
            self.whole().insert("BADUTF8".into());
        }
        flags.append(&mut self.of_names);
        let key = places::within(key, self.leaves.len(), self.cx.options.limits.values);
        match &self.value_key {
            Some(value_key) => self.placed.leaf(value_key, key).append(&mut flags),
            None => self.placed.at(key).append(&mut flags),
        }
    }

    /// The key of a leaf by the way to it (8.34.1, 6.20.3).
    fn key(&self, way: &str, top: bool) -> String {
        match &self.value_key {
            Some(value_key) if top => format!("{value_key}{{}}"),
            None if top => "$".into(),
            _ => way.into(),
        }
    }

    pub(crate) fn value(&mut self, value: &Value, way: String, sensitive: bool, depth: usize) {
        let key = self.key(&way, way.is_empty() && depth == 1);
        let filled = match &value.kind {
            Json::Array(items) => !items.is_empty(),
            Json::Object(members) => !members.is_empty(),
            _ => false,
        };
        let mut own = Flags::new();
        let outer_name = self.outer_name.take();
        let told = match &value.kind {
            _ if filled && depth > self.cx.options.limits.depth => {
                let told = self.scan_strings(value);
                self.whole().extend(told);
                if !self.gives_leaf(value, depth) {
                    return;
                }
                self.cx.capped.set(true);
                deep_marker(sensitive, &chars::read(&self.data[value.start..value.end]), self.cx)
            }
            Json::Array(items) if filled => {
                for item in items {
                    self.value(item, format!("{key}[]"), sensitive, depth + 1);
                }
                return;
            }
            Json::Object(members) if filled => {
                self.members(members, &way, outer_name.as_ref(), sensitive, depth);
                let names: Vec<&Text> = members.iter().filter_map(|(name, _)| name.as_ref()).collect();
                if value.whole && names.iter().enumerate().any(|(at, name)| names[..at].contains(name)) {
                    self.whole().insert("JDUP".into());
                }
                return;
            }
            Json::Array(_) => Told::only("<arr:0>"),
            Json::Object(_) => Told::only("<obj:0>"),
            Json::Missing => return,
            Json::Null => Told::only("<null:4>"),
            Json::Bool(true) if sensitive => Told::only("<SECRET:alpha:4>"),
            Json::Bool(false) if sensitive => Told::only("<SECRET:alpha:5>"),
            Json::Bool(true) => Told::only("<bool:4>"),
            Json::Bool(false) => Told::only("<bool:5>"),
            Json::String(text) | Json::Number(text) => {
                let place = Place { leads: self.leads, bare_key: false };
                leaf_marker(sensitive, text, self.kind, place, &mut own, self.cx)
            }
        };
        self.tell_leaf(&key, own);
        // A marker that came in, and is left, hides nothing.
        let left = matches!(&value.kind, Json::String(text) if *text == chars::text(&told.marker));
        self.secret |= told.marker.starts_with("<SECRET:") && !left;
        self.leaves.push(Leaf { key, told });
    }

    /// Returns whether a value shows anything, as far as it was read.
    fn gives_leaf(&self, value: &Value, depth: usize) -> bool {
        let (items, members): (&[Value], &[(Option<Text>, Value)]) = match &value.kind {
            Json::Missing => return false,
            Json::Array(items) => (items, &[]),
            Json::Object(members) => (&[], members),
            _ => return true,
        };
        if items.is_empty() && members.is_empty() {
            return true;
        }
        if depth > self.cx.options.limits.depth {
            return value.leaves && (value.whole || self.cut);
        }
        items
            .iter()
            .chain(members.iter().map(|(_, value)| value))
            .any(|value| self.gives_leaf(value, depth + 1))
    }

    fn members(
        &mut self,
        members: &[(Option<Text>, Value)],
        way: &str,
        outer_name: Option<&Text>,
        sensitive: bool,
        depth: usize,
    ) {
        for (name, value) in members {
            let Some(name) = name else {
                self.value(value, way.into(), sensitive, depth);
                continue;
            };
            if !self.gives_leaf(value, depth + 1) {
                // Its strings may be scanned all the same.
                self.value(value, String::new(), false, depth + 1);
                continue;
            }
            self.name(name);
            if *name == chars::text("prototype") && outer_name == Some(&chars::text("constructor")) {
                self.of_names.insert("PROTO".into());
            }
            let shown = show_way_name(name, self.cx);
            let led_before = std::mem::replace(&mut self.leads, places::leads(name, true));
            let top = depth == 1 && way.is_empty();
            let start = match &self.value_key {
                Some(value_key) if top => format!("{value_key}{{}}."),
                _ if top => String::new(),
                _ => format!("{way}."),
            };
            self.outer_name = Some(name.clone());
            self.value(value, format!("{start}{shown}"), sensitive || names::is_sensitive(name), depth + 1);
            self.leads = led_before;
        }
    }

    fn name(&mut self, name: &[Char]) {
        let mut told = self.cx.scan(name, self.kind);
        if told.remove("BADUTF8") {
            self.whole().insert("BADUTF8".into());
        }
        self.of_names.append(&mut told);
        let text = chars::as_string(name).unwrap_or_default();
        if text == "__proto__" {
            self.of_names.insert("PROTO".into());
        }
        if crate::lists::query_operators().any(|operator| operator == text) {
            self.of_names.insert("JOPER".into());
        }
    }

    /// Everything below the depth limit, however deep.
    fn scan_strings(&self, value: &Value) -> Flags {
        let mut flags = Flags::new();
        let mut left = vec![value];
        while let Some(value) = left.pop() {
            match &value.kind {
                Json::String(text) => flags.extend(self.cx.scan(text, self.kind)),
                Json::Array(items) => left.extend(items),
                Json::Object(members) => {
                    for (name, value) in members {
                        flags.extend(name.iter().flat_map(|name| self.cx.scan(name, self.kind)));
                        left.push(value);
                    }
                }
                _ => {}
            }
        }
        flags
    }
}

/// Stray bytes are told of a body as a whole, but of a form.
pub(crate) fn stray_bytes_of_body(key: &str, placed: &mut Placed) {
    if placed.at(key).remove("BADUTF8") {
        placed.line.insert("BADUTF8".into());
    }
}

/// Flags of a key that is a name of a multipart field or an XML element.
pub(crate) fn way_flags(key: &[Char], flags: &mut Flags) {
    operator_flags(key, flags);
}

/// Returns whether a text is blanks only.
pub(crate) fn is_blank_text(text: &[Char]) -> bool {
    text.iter().all(|c| is(Some(c), ' ') || is(Some(c), '\t') || is(Some(c), '\r') || is(Some(c), '\n'))
}
