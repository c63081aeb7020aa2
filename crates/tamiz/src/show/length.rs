//! The lengths of a path that is written (clause 5.28).

#![allow(clippy::arithmetic_side_effects, reason = "counts of one text, and of 64 markers of seven digits")]

use super::{escape, marker};
use crate::bytes;

/// The characters of a written path, and of its longest segment. With `stated`, a marker counts the
/// length it states instead of its own.
pub(crate) fn of_path(path: &[u8], stated: bool) -> (usize, usize) {
    let stated = stated && bytes::position(b'<', path).is_some();
    if !stated && path.is_ascii() {
        let ends = memchr::memchr_iter(b'/', path).chain(std::iter::once(path.len()));
        let (_, longest) = ends.fold((0, 0), |(start, longest), end| (end + 1, longest.max(end - start)));
        return (path.len(), longest);
    }
    let (mut total, mut longest, mut rest) = (0, 0, path);
    loop {
        let end = bytes::position(b'/', rest);
        let segment = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let len = if stated { stated_length(segment) } else { escape::chars(segment) };
        total += len;
        longest = longest.max(len);
        match end {
            Some(slash) => rest = rest.get(slash + 1..).unwrap_or_default(),
            None => return (total, longest),
        }
        total += 1;
    }
}

/// The length of a segment: a marker that is all of it, or all of the value of a parameter, counts what
/// it states.
fn stated_length(segment: &[u8]) -> usize {
    if let Some(len) = marker::stated_length(segment) {
        return len;
    }
    let of_part = |(nth, part): (usize, &[u8])| {
        let value = bytes::position(b'=', part).map(|at| at + 1).filter(|_| nth > 0);
        let (name, value) = part.split_at_checked(value.unwrap_or(part.len())).unwrap_or_default();
        escape::chars(name) + marker::stated_length(value).unwrap_or_else(|| escape::chars(value))
    };
    let parts = segment.split(|byte| *byte == b';').enumerate().map(of_part);
    parts.map(|len| len + 1).sum::<usize>() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_count_what_they_state() {
        for (path, written, stated) in [
            ("/", (1, 0), (1, 0)),
            ("*", (1, 1), (1, 1)),
            ("/alpha/b", (8, 5), (8, 5)),
            ("/u/<uuid:36>", (12, 9), (39, 36)),
            ("/<SECRET:mixed:120~4.7>/x", (25, 22), (123, 120)),
            ("/a;jsessionid=<SECRET:hex:4>", (28, 27), (18, 17)),
            ("/a;x=<num:9>;y", (14, 13), (16, 15)),
            ("/a=<num:9>", (10, 9), (10, 9)),
            ("/x<num:9>", (9, 8), (9, 8)),
            ("/<more:9>", (9, 8), (9, 8)),
            ("/é/<num:9>;", (11, 8), (11, 8)),
        ] {
            assert_eq!(of_path(path.as_bytes(), false), written, "{path}");
            assert_eq!(of_path(path.as_bytes(), true), stated, "{path}");
        }
    }
}
