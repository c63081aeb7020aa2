//! Puts a payload into one value of a request: of its query, or of a body that is a form or JSON.

use std::ops::Range;

/// The request with `payload` in place of the value that `pick` chooses; `None` where it has no value.
pub(super) fn inject(request: &[u8], payload: &[u8], pick: u64) -> Option<Vec<u8>> {
    let head_end = find(request, b"\r\n\r\n")? + 4;
    let (head, body) = request.split_at_checked(head_end)?;
    let mut values: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    let line_end = find(head, b"\r\n")?;
    let target = target(head.get(..line_end)?)?;
    let target_text = head.get(target.clone())?;
    if let Some(query) = find(target_text, b"?") {
        let end = find(target_text, b"#").unwrap_or(target_text.len());
        let start = target.start + query + 1;
        pairs(target_text.get(query + 1..end).unwrap_or_default(), start, payload, &mut values);
    }
    let kind =
        header(head, "content-type").map(|range| head.get(range).unwrap_or_default().to_ascii_lowercase());
    match kind {
        Some(kind) if find(&kind, b"form-urlencoded").is_some() => {
            pairs(body, head_end, payload, &mut values);
        }
        Some(kind) if find(&kind, b"json").is_some() => strings(body, head_end, payload, &mut values),
        _ => {}
    }
    let count = u64::try_from(values.len()).ok().filter(|count| *count > 0)?;
    let (range, text) = values.swap_remove(usize::try_from(pick % count).ok()?);
    let mut out = Vec::with_capacity(request.len() + text.len());
    out.extend_from_slice(request.get(..range.start)?);
    out.extend_from_slice(&text);
    out.extend_from_slice(request.get(range.end..)?);
    if range.start >= head_end {
        // The length has to be right, or that would be what is found.
        let length = (out.len() - head_end).to_string();
        if let Some(at) = header(head, "content-length") {
            out.splice(at, length.into_bytes());
        }
    }
    Some(out)
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

fn target(line: &[u8]) -> Option<Range<usize>> {
    let start = find(line, b" ")? + 1;
    let end = start + find(line.get(start..)?, b" ")?;
    Some(start..end)
}

/// The values of `a=1&b=2` that are not empty.
fn pairs(text: &[u8], start: usize, payload: &[u8], out: &mut Vec<(Range<usize>, Vec<u8>)>) {
    let mut at = start;
    for pair in text.split(|byte| *byte == b'&') {
        if let Some(equals) = find(pair, b"=").filter(|equals| equals + 1 < pair.len()) {
            out.push((at + equals + 1..at + pair.len(), percent(payload)));
        }
        at += pair.len() + 1;
    }
}

/// The strings of JSON that are values.
fn strings(text: &[u8], start: usize, payload: &[u8], out: &mut Vec<(Range<usize>, Vec<u8>)>) {
    let payload = serde_json::to_string(&String::from_utf8_lossy(payload)).unwrap_or_default();
    let inner = payload.as_bytes().get(1..payload.len().saturating_sub(1)).unwrap_or_default();
    let (mut at, mut behind_colon) = (0, false);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                let mut end = at + 1;
                while let Some(byte) = text.get(end).filter(|byte| **byte != b'"') {
                    end += if *byte == b'\\' { 2 } else { 1 };
                }
                if behind_colon && end < text.len() {
                    out.push((start + at + 1..start + end, inner.to_vec()));
                }
                behind_colon = false;
                at = end;
            }
            b':' => behind_colon = true,
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => behind_colon = false,
        }
        at += 1;
    }
}

/// The value of the first header of this name.
fn header(head: &[u8], name: &str) -> Option<Range<usize>> {
    let mut at = find(head, b"\r\n")? + 2;
    while let Some(end) = find(head.get(at..)?, b"\r\n").map(|length| at + length).filter(|end| *end > at) {
        let line = head.get(at..end)?;
        if let Some(colon) = find(line, b":")
            && line.get(..colon)?.eq_ignore_ascii_case(name.as_bytes())
        {
            let blank = line.get(colon + 1..)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            return Some(at + colon + 1 + blank..end);
        }
        at = end + 2;
    }
    None
}

fn percent(text: &[u8]) -> Vec<u8> {
    let escape = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => vec![*byte],
        byte => format!("%{byte:02X}").into_bytes(),
    };
    text.iter().flat_map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_is_replaced() {
        let inject = |request: &str, pick| {
            inject(request.as_bytes(), b"1' or", pick).map(|bytes| String::from_utf8(bytes).unwrap())
        };
        let get = "GET /a?x=1&y=2&z= HTTP/1.1\r\nHost: a\r\n\r\n";
        assert_eq!(inject(get, 1).unwrap(), "GET /a?x=1&y=1%27%20or&z= HTTP/1.1\r\nHost: a\r\n\r\n");
        let json = "POST /a HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n{\"a\":\"b\",\"c\":\"d\"}";
        let injected = inject(json, 0).unwrap();
        assert!(injected.ends_with("Content-Length: 21\r\n\r\n{\"a\":\"1' or\",\"c\":\"d\"}"), "{injected}");
        assert_eq!(inject("GET /a HTTP/1.1\r\n\r\n", 0), None);
        assert_eq!(inject("GET", 0), None);
    }
}
