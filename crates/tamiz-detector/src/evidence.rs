//! Where in a request a token is: for people who look at a reason.
//!
//! A token is told of a decoded value. Here its key is looked for in the bytes as they came, layer by layer no further than
//! `%HH` and `+`: what stands deeper is told by the value as a whole, and what is not found has no range.

use std::ops::Range;

use tamiz::Document;

use crate::token::Parts;

/// So many ranges of a token are told.
const MOST: usize = 16;

/// The ranges of `request` that a token of its document is about; sorted.
pub(crate) fn of(token: &str, request: &[u8], document: &Document) -> Vec<Range<usize>> {
    let parts = Parts::of(token);
    if parts.op == b'f' {
        let is_it = |place: &str, flag: &str| {
            token.strip_prefix("f.").and_then(|rest| rest.strip_prefix(place)) == Some(&format!("={flag}"))
        };
        let raised = document.flags().find(|raised| is_it(&raised.place().to_string(), &raised.to_string()));
        return raised.map_or(Vec::new(), |raised| raised.evidence().iter().take(MOST).cloned().collect());
    }
    let message = Message::of(request);
    let site = parts.site(token);
    let found = match site.split_once('.') {
        Some(("q", key)) => pairs(request, message.query, key),
        Some(("b", key)) if document.body().is_some_and(|body| body.kind == "form") => {
            pairs(request, message.body, key)
        }
        Some(("h", name)) => headers(request, message.headers, name),
        _ if site.starts_with('p') || site == "e" => vec![(message.path.clone(), message.path)],
        _ => Vec::new(),
    };
    let ranges = found.into_iter().flat_map(|(key, value)| match parts.op {
        _ if key.start == value.start => vec![value],
        b'.' => vec![key],
        b'~' | b'&' => signs(request, &value, token.rsplit_once('~').map_or("", |(_, sign)| sign)),
        _ => vec![value],
    });
    ranges.filter(|range| !range.is_empty()).take(MOST).collect()
}

/// The parts of a request, as ranges of its bytes; what is not there is empty.
struct Message {
    path: Range<usize>,
    query: Range<usize>,
    headers: Range<usize>,
    body: Range<usize>,
}

impl Message {
    fn of(request: &[u8]) -> Self {
        let line_end = find(request, 0, b"\n").unwrap_or(request.len());
        let line = request.get(..line_end).unwrap_or_default();
        let from = find(line, 0, b" ").map_or(line.len(), |at| at + 1);
        let to = line.iter().rposition(|byte| *byte == b' ').filter(|to| *to >= from).unwrap_or(line.len());
        let target = from..to;
        let bytes = request.get(target.clone()).unwrap_or_default();
        let mark = find(bytes, 0, b"?").map_or(target.end, |at| from + at);
        let begins = find(bytes, 0, b"://").and_then(|at| find(bytes, at + 3, b"/"));
        let path = begins.map_or(from, |at| from + at).min(mark)..mark;
        let behind = request.get(line_end..).unwrap_or_default();
        let crlf = find(behind, 0, b"\r\n\r\n").map(|at| (at + 2, at + 4));
        let end = crlf.or_else(|| find(behind, 0, b"\n\n").map(|at| (at + 1, at + 2)));
        let (headers, body) = end.unwrap_or((behind.len(), behind.len()));
        Message {
            path,
            query: (mark + 1).min(target.end)..target.end,
            headers: line_end..line_end + headers,
            body: line_end + body..request.len(),
        }
    }
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    bytes.get(from..)?.windows(what.len()).position(|window| window == what).map(|at| at + from)
}

/// The keys and values of a query or form that have this key.
fn pairs(request: &[u8], within: Range<usize>, key: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let wanted = decoded(key.as_bytes());
    let mut found = Vec::new();
    let mut start = within.start;
    for pair in request.get(within).unwrap_or_default().split(|byte| *byte == b'&') {
        let cut = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
        if decoded(pair.get(..cut).unwrap_or_default()) == wanted {
            found.push((start..start + cut, (start + cut + 1).min(start + pair.len())..start + pair.len()));
        }
        start += pair.len() + 1;
    }
    found
}

/// The names and values of the headers that have this name.
fn headers(request: &[u8], within: Range<usize>, name: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let mut start = within.start;
    for line in request.get(within).unwrap_or_default().split(|byte| *byte == b'\n') {
        if let Some(colon) = line.iter().position(|byte| *byte == b':') {
            let (before, value) = line.split_at_checked(colon).unwrap_or((line, &[]));
            if before.trim_ascii().eq_ignore_ascii_case(name.as_bytes()) {
                let value = value.get(1..).unwrap_or_default();
                let from = start + colon + 1 + (value.len() - value.trim_ascii_start().len());
                found.push((start..start + colon, from..from + value.trim_ascii().len()));
            }
        }
        start += line.len() + 1;
    }
    found
}

/// Where a sign stands in a value, as itself, as `%HH` or, a space, as `+`; the whole value where it does not.
fn signs(request: &[u8], value: &Range<usize>, sign: &str) -> Vec<Range<usize>> {
    let wanted = decoded(sign.as_bytes());
    let bytes = request.get(value.clone()).unwrap_or_default();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (byte, width) = unit(bytes.get(at..).unwrap_or_default());
        if wanted == [byte] {
            found.push(value.start + at..value.start + at + width);
        }
        at += width;
    }
    if found.is_empty() { vec![value.clone()] } else { found }
}

/// The first byte that some text stands for, and how wide it is.
fn unit(text: &[u8]) -> (u8, usize) {
    let digit = |byte: u8| (byte as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    match *text {
        [b'%', high, low, ..] => match (digit(high), digit(low)) {
            (Some(high), Some(low)) => (high << 4 | low, 3),
            _ => (b'%', 1),
        },
        [b'+', ..] => (b' ', 1),
        [byte, ..] => (byte, 1),
        [] => (0, 1),
    }
}

fn decoded(mut text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    while !text.is_empty() {
        let (byte, width) = unit(text);
        out.push(byte);
        text = text.get(width..).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamiz::{Canonicalizer, Config};

    fn found(request: &str, token: &str) -> Vec<String> {
        let document = Canonicalizer::new(Config::default()).canonicalize_with_evidence(request.as_bytes());
        of(token, request.as_bytes(), &document).into_iter().map(|range| request[range].to_owned()).collect()
    }

    #[test]
    fn tokens_are_found_where_they_stand() {
        let get = "GET /a/b?id=7%27x&i%64=o+k'&n=1 HTTP/1.1\r\nHost: ex.com\r\nX-Long:  a'b \r\n\r\n";
        assert_eq!(found(get, "q.id~'"), ["%27", "'"]);
        assert_eq!(found(get, "q.id&mixed~%20"), ["7%27x", "+"]);
        assert_eq!(found(get, "q.id=mixed@0-15"), ["7%27x", "o+k'"]);
        assert_eq!(found(get, "q.n"), ["n"]);
        assert_eq!(found(get, "h.x-long~'"), ["'"]);
        assert_eq!(found(get, "h.host=ex.com"), ["ex.com"]);
        assert_eq!(found(get, "p/=b"), ["/a/b"]);
        assert_eq!(found(get, "e=GET /a/b"), ["/a/b"]);
        assert_eq!(found(get, "f.q.id=QUOTE"), ["%27", "'"]);
        assert_eq!(found("GET http://ex.com/a?b=c HTTP/1.1\r\n\r\n", "p=/a"), ["/a"]);
        let post = "POST / HTTP/1.1\nContent-Type: application/x-www-form-urlencoded\nContent-Length: 9\n\na=1&b=%3C";
        assert_eq!(found(post, "b.b~%3C"), ["%3C"]);
        assert!(found(post, "q.b~%3C").is_empty() && found(post, "hcnt=2").is_empty());
    }

    #[test]
    fn any_bytes_have_ranges_within_them() {
        let tamiz = Canonicalizer::new(Config::default());
        for request in
            tamiz::Flag::ALL.iter().map(|flag| flag.raises()).chain([&b"\n\n"[..], b" ", b"? ?", b""])
        {
            let document = tamiz.canonicalize_with_evidence(request);
            for token in
                document.tokens().iter().map(String::as_str).chain(["q.a~'", "e=x", "p=", "h.", "b."])
            {
                for range in of(token, request, &document) {
                    assert!(range.start < range.end && range.end <= request.len(), "{token} {range:?}");
                }
            }
        }
    }
}
