//! Wire bytes to lines (section 2).

use std::collections::BTreeSet;

/// One line of the header block.
#[derive(Debug)]
pub(crate) enum Line {
    Header {
        name: Vec<u8>,
        value: Vec<u8>,
        folded: bool,
    },
    NoColon(Vec<u8>),
    /// A continuation of nothing (2.17), without the white space that it begins with.
    Orphan(Vec<u8>),
}

/// A request, cut.
#[derive(Debug, Default)]
pub(crate) struct Message {
    pub(crate) method: Vec<u8>,
    pub(crate) target: Vec<u8>,
    pub(crate) version: Vec<u8>,
    pub(crate) lines: Vec<Line>,
    pub(crate) body: Vec<u8>,
    /// Flags of the message itself, which stand on `M`.
    pub(crate) flags: BTreeSet<String>,
    /// Texts that `HIDDENHDR` looks at beside header names and values (8.29).
    pub(crate) hidden: Vec<Vec<u8>>,
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\r' || byte == b'\n'
}

/// A line and where the next begins; `None` where no line end follows.
fn next_line(bytes: &[u8], from: usize, crlf: bool) -> Option<(usize, usize)> {
    (from..bytes.len()).find_map(|at| {
        if bytes[at] != b'\n' {
            return None;
        }
        let after_cr = at > from && bytes[at - 1] == b'\r';
        if after_cr {
            Some((at - 1, at + 1))
        } else if crlf {
            None
        } else {
            Some((at, at + 1))
        }
    })
}

pub(crate) fn parse(input: &[u8]) -> Message {
    let mut message = Message::default();
    let mut at = 0;
    loop {
        if input[at..].starts_with(b"\r\n") {
            at += 2;
        } else if input[at..].starts_with(b"\n") {
            at += 1;
        } else {
            break;
        }
        message.flags.insert("LEADCRLF".into());
    }
    let input = &input[at..];
    let (request_line, mut at, crlf) = match input.iter().position(|b| *b == b'\n') {
        None => (input, input.len(), true),
        Some(lf) if lf > 0 && input[lf - 1] == b'\r' => (&input[..lf - 1], lf + 1, true),
        Some(lf) => (&input[..lf], lf + 1, false),
    };
    cut_request_line(request_line, &mut message);

    let mut lines: Vec<&[u8]> = Vec::new();
    let mut ended = false;
    while at < input.len() {
        match next_line(input, at, crlf) {
            Some((end, next)) => {
                let line = &input[at..end];
                at = next;
                if line.is_empty() {
                    ended = true;
                    break;
                }
                lines.push(line);
            }
            None => {
                lines.push(&input[at..]);
                at = input.len();
            }
        }
    }
    if !ended {
        message.flags.insert("NOEOH".into());
    }
    message.body = input[at..].to_vec();
    header_lines(&lines, &mut message);
    message
}

pub(crate) fn trim_blanks(bytes: &[u8]) -> &[u8] {
    let blank = |b: &u8| *b == b' ' || *b == b'\t';
    let start = bytes.iter().position(|b| !blank(b)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|b| !blank(b)).map_or(start, |last| last + 1);
    &bytes[start..end]
}

fn header_lines(lines: &[&[u8]], message: &mut Message) {
    // Whether the line before is a header line or continues one (2.17).
    let mut header_before = false;
    for line in lines {
        let mut pieces = line.split(|b| is_line_end(*b));
        let first_piece = pieces.next().unwrap_or_default();
        message.hidden.extend(pieces.map(<[u8]>::to_vec));
        if header_before && is_line_end(line[0]) {
            if let Some(Line::Header { value, .. }) = message.lines.last_mut() {
                value.extend_from_slice(line);
            }
            continue;
        }
        if line[0] == b' ' || line[0] == b'\t' {
            message.hidden.push(first_piece.to_vec());
            if let (true, Some(Line::Header { value, folded, .. })) =
                (header_before, message.lines.last_mut())
            {
                let kept = value.iter().rposition(|b| *b != b' ' && *b != b'\t').map_or(0, |last| last + 1);
                value.truncate(kept);
                value.push(b' ');
                let start = line.iter().position(|b| *b != b' ' && *b != b'\t').unwrap_or(line.len());
                value.extend_from_slice(&line[start..]);
                *folded = true;
            } else {
                message.flags.insert("BADHDRCONT".into());
                if line.iter().any(|b| is_line_end(*b) || *b == 0) {
                    message.flags.insert("BADCRLF".into());
                }
                let start = line.iter().position(|b| *b != b' ' && *b != b'\t').unwrap_or(line.len());
                message.lines.push(Line::Orphan(line[start..].to_vec()));
                header_before = false;
            }
            continue;
        }
        match line.iter().position(|b| *b == b':') {
            Some(colon) => {
                message.lines.push(Line::Header {
                    name: line[..colon].to_vec(),
                    value: line[colon + 1..].to_vec(),
                    folded: false,
                });
                header_before = true;
            }
            None => {
                message.hidden.push(first_piece.to_vec());
                message.lines.push(Line::NoColon(line.to_vec()));
                header_before = false;
            }
        }
    }
    for line in &mut message.lines {
        if let Line::Header { value, .. } = line
            && value.first() == Some(&b' ')
        {
            value.remove(0);
        }
    }
}

fn is_version(token: &[u8]) -> bool {
    token.len() >= 5 && token[..5].eq_ignore_ascii_case(b"HTTP/")
}

fn trim_spaces(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|b| *b != b' ').unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|b| *b != b' ').map_or(start, |last| last + 1);
    &bytes[start..end]
}

fn cut_request_line(line: &[u8], message: &mut Message) {
    if line.contains(&b'\r') {
        message.flags.insert("BADCRLF".into());
    }
    let (mut method, mut target, mut version) = first_cut(line);
    if method.is_empty() || target.is_empty() || version.is_empty() {
        (method, target, version) = second_cut(line);
    }
    let exact = [&method[..], &target[..], &version[..]].join(&b' ') == line
        && ![&method, &target, &version]
            .iter()
            .any(|part| part.iter().any(|b| matches!(b, b' ' | b'\t' | 0x0B | 0x0C | b'\r')));
    let known: [&[u8]; 6] = [b"HTTP/1.0", b"HTTP/1.1", b"HTTP/2", b"HTTP/2.0", b"HTTP/3", b"HTTP/3.0"];
    let token = !method.is_empty() && method.iter().all(|b| crate::chars::is_token_char(char::from(*b)));
    if method.is_empty() || target.is_empty() || !exact || !token || !known.contains(&&version[..]) {
        message.flags.insert("BADREQLINE".into());
    }
    if version.is_empty() {
        message.flags.insert("HTTP09".into());
    }
    if version == b"HTTP/1.0" {
        message.flags.insert("HTTP10".into());
    }
    for part in [&mut method, &mut target, &mut version] {
        if part.contains(&0) {
            message.flags.insert("BADCRLF".into());
        }
        for byte in part.iter_mut().filter(|b| **b == b'\r') {
            *byte = b' ';
        }
    }
    (message.method, message.target, message.version) = (method, target, version);
}

type Cut = (Vec<u8>, Vec<u8>, Vec<u8>);

fn first_cut(line: &[u8]) -> Cut {
    let Some(space) = line.iter().position(|b| *b == b' ') else {
        return (line.to_vec(), Vec::new(), Vec::new());
    };
    let method = &line[..space];
    let rest = trim_spaces(&line[space..]);
    let last = rest.iter().rposition(|b| *b == b' ').map_or(0, |at| at + 1);
    if is_version(&rest[last..]) {
        (method.to_vec(), trim_spaces(&rest[..last]).to_vec(), rest[last..].to_vec())
    } else {
        (method.to_vec(), rest.to_vec(), Vec::new())
    }
}

fn second_cut(line: &[u8]) -> Cut {
    let white = |b: &u8| matches!(b, b' ' | b'\t' | 0x0B | 0x0C | b'\r');
    let start = line.iter().position(|b| !white(b)).unwrap_or(line.len());
    let end = line.iter().rposition(|b| !white(b)).map_or(start, |last| last + 1);
    let line = &line[start..end];
    let method_end = line.iter().position(white).unwrap_or(line.len());
    let method = line[..method_end].to_vec();
    let rest_start = line[method_end..].iter().position(|b| !white(b)).map_or(line.len(), |n| method_end + n);
    let rest = &line[rest_start..];
    let last = rest.iter().rposition(white).map_or(0, |at| at + 1);
    if !is_version(&rest[last..]) {
        return (method, rest.to_vec(), Vec::new());
    }
    let target_end = rest[..last].iter().rposition(|b| !white(b)).map_or(0, |at| at + 1);
    (method, rest[..target_end].to_vec(), rest[last..].to_vec())
}

/// The value of a header line as 8.4 leaves it, embedded line ends as SP.
pub(crate) fn collapsed(value: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for byte in trim_blanks(value) {
        let byte = if is_line_end(*byte) || *byte == b'\t' { b' ' } else { *byte };
        if byte != b' ' || out.last() != Some(&b' ') {
            out.push(byte);
        }
    }
    trim_blanks(&out).to_vec()
}
