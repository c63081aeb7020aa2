//! Reduces a request to what an access log in the Combined format keeps: the request line, `Referer` and
//! `User-Agent`.

use crate::bytes::{cut, trim};
use crate::head::{Line, next_line, skip_empty_lines};
use crate::parts::OwnedParts;
use crate::refusal::{Refusal, require};

/// The headers that it keeps; of several, the first.
const KEPT: [&str; 2] = ["referer", "user-agent"];

/// A request as a log keeps it. Logs also have what was refused, so that nothing but the lack of a request line is.
pub(crate) fn read(request: &[u8]) -> Result<OwnedParts, Refusal> {
    let input = skip_empty_lines(request);
    let unended = input.strip_suffix(b"\r").unwrap_or(input);
    let (line, mut rest) = next_line(input).unwrap_or((Line { text: unended, has_cr: false }, b""));
    require(!line.text.is_empty() && line.text != b"-", "no request line")?;
    let mut parts = request_line(line.text);
    let mut found: [Option<&[u8]>; 2] = [None; 2];
    while let Some((line, after)) = next_line(rest).filter(|(line, _)| !line.text.is_empty()) {
        rest = after;
        let Some((name, value)) = cut(line.text, b':') else { continue };
        for (kept, place) in KEPT.iter().zip(&mut found) {
            if name.eq_ignore_ascii_case(kept.as_bytes()) && place.is_none() {
                *place = Some(trim(value));
            }
        }
    }
    for (name, value) in KEPT.iter().zip(found) {
        // A log has a dash for what is not there.
        if let Some(value) = value.filter(|value| !value.is_empty() && *value != b"-") {
            parts.headers.push((name.as_bytes().to_vec(), value.to_vec()));
        }
    }
    Ok(parts)
}

fn request_line(line: &[u8]) -> OwnedParts {
    let (method, target, version) = cut_logged_line(line);
    OwnedParts {
        method: method.to_vec(),
        target: target.to_vec(),
        version: Some(version.to_vec()),
        ..OwnedParts::default()
    }
}

/// A request line as logs keep it, cut as the canonical form cuts one (clause 2.8): the method before the first space,
/// the version if the last word starts with `HTTP/`, else `HTTP/0.9`, and the target between them. In this order: method,
/// target, version.
///
/// ```
/// let (method, target, version) = tamiz_sources::cut_logged_line(b"GET /a b HTTP/1.1");
/// assert_eq!((method, target, version), (&b"GET"[..], &b"/a b"[..], &b"HTTP/1.1"[..]));
/// ```
pub fn cut_logged_line(line: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let space = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
    let (method, rest) = line.split_at_checked(space).unwrap_or((line, b""));
    let rest = rest.trim_ascii();
    let last = rest.iter().rposition(|byte| *byte == b' ').map_or(0, |space| space.saturating_add(1));
    let (target, word) = rest.split_at_checked(last).unwrap_or((rest, b""));
    let is_version = word.get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"HTTP/"));
    if is_version { (method, target.trim_ascii(), word) } else { (method, rest, b"HTTP/0.9") }
}
