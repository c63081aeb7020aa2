//! Prefixes that programs which collect logs put before a line: syslog, Docker Compose, Kubernetes.

use std::borrow::Cow;

/// The byte that the colours of terminals begin with.
const ESCAPE: u8 = 0x1B;

/// The line without colours (`ESC [ … m`), which programs write for terminals. Servers escape this byte in what clients
/// send.
pub(super) fn without_colours(line: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(ESCAPE, line).is_none() {
        return Cow::Borrowed(line);
    }
    let mut out = Vec::new();
    let mut pieces = line.split(|byte| *byte == ESCAPE);
    out.extend_from_slice(pieces.next().unwrap_or_default());
    for piece in pieces {
        let colour = piece.strip_prefix(b"[").map(|rest| {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
            rest.get(digits..).unwrap_or_default()
        });
        match colour.and_then(|rest| rest.strip_prefix(b"m")) {
            Some(rest) => out.extend_from_slice(rest),
            None => {
                out.push(ESCAPE);
                out.extend_from_slice(piece);
            }
        }
    }
    Cow::Owned(out)
}

/// The line without one thing that is always put before another: a priority of syslog, a name of Compose, a stream of
/// Kubernetes.
pub(super) fn certain(line: &[u8]) -> Option<&[u8]> {
    priority(line).or_else(|| container_runtime(line)).or_else(|| compose(line))
}

/// The line without what may be put before it, or be part of it: a time, a host and a program.
pub(super) fn likely(line: &[u8]) -> Option<&[u8]> {
    if let Some(at) = memchr::memmem::find(line, b"\t{") {
        // Caddy, where it writes for people.
        return line.get(at.saturating_add(1)..);
    }
    let rest = after_time(line)?;
    // `host program[1]: ` or `host program: `, without a quote or a brace before it.
    let head = rest.get(..160.min(rest.len()))?;
    let at = memchr::memmem::find(head, b": ")?;
    let tag = head.get(..at)?;
    let words = tag.split(|byte| *byte == b' ').count();
    let is_tag = words <= 3 && !tag.iter().any(|byte| matches!(byte, b'"' | b'{'));
    rest.get(at.saturating_add(2)..).filter(|_| is_tag)
}

/// `<134>` of RFC 3164, and all of what RFC 5424 puts before a message.
fn priority(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"<")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = rest.get(digits..)?.strip_prefix(b">").filter(|_| (1..=3).contains(&digits))?;
    Some(rfc5424(rest).unwrap_or(rest))
}

/// Returns whether a line begins with a priority.
pub(crate) fn has_priority(line: &[u8]) -> bool {
    priority(line).is_some()
}

/// `1 time host program process message-id [data] message` (RFC 5424, 6).
fn rfc5424(line: &[u8]) -> Option<&[u8]> {
    let mut rest = line.strip_prefix(b"1 ")?;
    for _ in 0..5 {
        rest = rest.get(memchr::memchr(b' ', rest)?.saturating_add(1)..)?;
    }
    if let Some(rest) = rest.strip_prefix(b"- ") {
        return Some(rest.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(rest));
    }
    // Data is in brackets, in which quoted text may have others.
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_quoted = !is_quoted,
            b']' if !is_quoted && rest.get(at.saturating_add(1)) == Some(&b' ') => {
                return rest.get(at.saturating_add(2)..);
            }
            _ => {}
        }
    }
    None
}

/// `2026-01-01T00:00:00Z stdout F …`, of containerd and CRI-O.
fn container_runtime(line: &[u8]) -> Option<&[u8]> {
    let start = line.get(..64.min(line.len()))?;
    [&b" stdout F "[..], b" stderr F ", b" stdout P ", b" stderr P "].iter().find_map(|stream| {
        let at = memchr::memmem::find(start, stream)?;
        line.get(at.saturating_add(stream.len())..)
    })
}

/// `name-1  | …`, of Docker Compose.
fn compose(line: &[u8]) -> Option<&[u8]> {
    let bar = memchr::memchr(b'|', line.get(..64.min(line.len()))?)?;
    let name = line.get(..bar)?.strip_suffix(b" ")?.trim_ascii_end();
    let is_name = !name.is_empty()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'@'));
    line.get(bar.saturating_add(1)..).filter(|_| is_name).map(<[u8]>::trim_ascii_start)
}

/// Cuts off `Oct 10 13:55:36 ` or `2026-10-10T13:55:36+00:00 `.
fn after_time(line: &[u8]) -> Option<&[u8]> {
    let old = line.get(..16).is_some_and(|time| {
        time.first().is_some_and(u8::is_ascii_uppercase)
            && time.get(3) == Some(&b' ')
            && time.get(9) == Some(&b':')
            && time.get(12) == Some(&b':')
            && time.get(15) == Some(&b' ')
    });
    if old {
        return line.get(16..);
    }
    let end = memchr::memchr(b' ', line.get(..40.min(line.len()))?)?;
    let is_time = line.get(..end)?.get(10) == Some(&b'T') && line.first()?.is_ascii_digit();
    line.get(end.saturating_add(1)..).filter(|_| is_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_taken_off() {
        for line in [
            "<134>X",
            "<134>1 2026-10-10T13:55:36Z lb nginx 1 - - X",
            "<134>1 2026-10-10T13:55:36Z lb nginx 1 id [a b=\"]\\\"\"][c d=\"e\"] X",
            "2026-10-10T13:55:36.5Z stdout F X",
            "caddy  | X",
            "web-1 | X",
            "stack_web.1.x@node  | X",
        ] {
            assert_eq!(certain(line.as_bytes()), Some(&b"X"[..]), "{line}");
        }
        for line in ["Oct 10 13:55:36 lb nginx[12]: X", "2026-10-10T13:55:36+00:00 lb nginx: X"] {
            assert_eq!(likely(line.as_bytes()), Some(&b"X"[..]), "{line}");
            assert_eq!(certain(line.as_bytes()), None, "{line}");
        }
        for line in ["", "<x>", "<1234>X", "a b | c", "| c", "{\"a\": 1}", "<134", "1.1.1.1 - - [t] \"x: y\""]
        {
            assert_eq!((certain(line.as_bytes()), likely(line.as_bytes())), (None, None), "{line}");
        }
    }
}
