//! The framing of a request (RFC 9112, 6.3), read as a tolerant server reads it.

use crate::concatenated::end_of_headers;
use crate::request_line;

/// Where the request at the start of `bytes` ends; `None` while that cannot be told.
pub(super) fn end_of_request(bytes: &[u8]) -> Option<usize> {
    let line_end = memchr::memchr(b'\n', bytes)?;
    let line = bytes.get(..line_end)?;
    let is_bare = request_line::begins_without_target(bytes) == Some(true);
    if !is_bare && !request_line::is_one(line.strip_suffix(b"\r").unwrap_or(line)) {
        // HTTP/0.9 is a line.
        return Some(line_end.saturating_add(1));
    }
    let headers = end_of_headers(bytes)?;
    let block = bytes.get(..headers)?;
    if is_chunked(block) {
        return end_of_chunks(bytes, headers);
    }
    Some(headers.saturating_add(content_length(block)))
}

/// The values of a header.
fn values<'a>(block: &'a [u8], name: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    block.split(|byte| *byte == b'\n').filter_map(move |line| {
        let colon = memchr::memchr(b':', line)?;
        let (there, value) = (line.get(..colon)?, line.get(colon.saturating_add(1)..)?);
        there.trim_ascii_end().eq_ignore_ascii_case(name).then(|| value.trim_ascii())
    })
}

fn is_chunked(block: &[u8]) -> bool {
    values(block, b"transfer-encoding").any(|value| {
        value.split(|byte| *byte == b',').any(|coding| coding.trim_ascii().eq_ignore_ascii_case(b"chunked"))
    })
}

/// The first length that is one; leading zeros and all.
fn content_length(block: &[u8]) -> usize {
    let length = values(block, b"content-length").find_map(|value| {
        let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(value.get(..digits)?).ok()?;
        // One that no number can hold is as good as endless.
        (digits > 0 && digits == value.len()).then(|| number.parse().unwrap_or(usize::MAX))
    });
    length.unwrap_or(0)
}

/// Where a chunked body ends, trailer included; at the bad chunk if there is one.
fn end_of_chunks(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = bytes.get(at..)?;
        let line_end = memchr::memchr(b'\n', rest)?;
        let line = rest.get(..line_end)?;
        let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let size =
            std::str::from_utf8(line.get(..digits)?).ok().and_then(|size| u64::from_str_radix(size, 16).ok());
        let Some(size) = size.and_then(|size| usize::try_from(size).ok()) else { return Some(at) };
        let data = at.saturating_add(line_end).saturating_add(1);
        if size == 0 {
            return end_of_trailer(bytes, data);
        }
        let end = data.saturating_add(size);
        at = match bytes.get(end..)? {
            [b'\r', b'\n', ..] => end.saturating_add(2),
            [b'\n', ..] => end.saturating_add(1),
            [] | [b'\r'] => return None,
            _ => return Some(end),
        };
    }
}

/// Where a trailer that begins at `from` ends, empty line included.
fn end_of_trailer(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = bytes.get(at..)?;
        let line_end = memchr::memchr(b'\n', rest)?;
        let next = at.saturating_add(line_end).saturating_add(1);
        let line = rest.get(..line_end)?;
        if line.is_empty() || line == b"\r" {
            return Some(next);
        }
        // A line that begins a request, where a header should be: the sender forgot the empty line.
        if request_line::is_one(line.strip_suffix(b"\r").unwrap_or(line)) {
            return Some(at);
        }
        at = next;
    }
}
