//! The chunked coding (RFC 9112 section 7.1), read tolerantly.
//!
//! ```text
//! chunked-body = *( chunk-size [ chunk-ext ] CRLF chunk-data CRLF ) 1*"0" [ chunk-ext ] CRLF trailers CRLF
//! ```

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;

use crate::bytes;
use crate::context::Context;
use crate::flags::{Flag, Flags};
use crate::formats::part;
use crate::formats::unseen::Unseen;
use crate::text::{Builder, Text};

/// Raises what is odd about a chunked body.
pub(crate) fn check<'a>(body: Text<'a>, flags: &mut Flags<'a>) {
    let mut at = 0;
    loop {
        let Some(line) = next_line(body, at) else {
            return bad(body, at..body.len(), flags);
        };
        let (size, extension) = line.cut();
        if extension.is_some() {
            flags.raise(Flag::ChunkExt, line.content);
        }
        let Some(size) = read_size(size.bytes) else {
            return bad(body, at..line.end, flags);
        };
        if line.is_bare {
            bad(body, at..line.end, flags);
        }
        at = line.end;
        if size == 0 {
            return check_trailers(body, at, flags);
        }
        let end = usize::try_from(size).ok().and_then(|size| at.checked_add(size));
        let Some(end) = end.filter(|&end| end <= body.len()) else {
            return bad(body, at..body.len(), flags);
        };
        match body.bytes.get(end..) {
            Some([b'\r', b'\n', ..]) => at = end + 2,
            Some([b'\n', ..]) => {
                bad(body, end..end + 1, flags);
                at = end + 1;
            }
            _ => return bad(body, end..body.len(), flags),
        }
    }
}

/// Joins the content of the chunks, up to where they can be followed. `None` when there is not even one. What else
/// their lines say goes to `unseen`.
pub(crate) fn join<'a>(body: Text<'a>, unseen: &mut Unseen<'a>, cx: Context<'a>) -> Option<Text<'a>> {
    let mut builder = Builder::new(cx.bump, body.is_traced(), body.len());
    let mut at = 0;
    while let Some(line) = next_line(body, at) {
        let (size, extension) = line.cut();
        let Some(size) = read_size(size.trim().bytes) else { break };
        at = line.end;
        if let Some(extension) = extension {
            unseen.take(None, extension.trim(), cx);
        }
        if size == 0 {
            let (trailers, rest) = cut_trailers(body.from(at));
            part::unfold(trailers, cx).for_each(|line| unseen.take_line(line, cx));
            unseen.take(None, rest, cx);
            return Some(builder.finish());
        }
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let data = body.slice(at..at.saturating_add(size));
        builder.copy(data);
        at += data.len();
        let rest = body.bytes.get(at..).unwrap_or_default();
        at += match rest {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => 0,
        };
    }
    if at == 0 {
        return None;
    }
    // Where the chunks cannot be followed, the rest is taken as it is: nothing is lost.
    builder.copy(body.from(at));
    Some(builder.finish())
}

/// The lines that follow the last chunk, up to an empty one, and what follows that.
fn cut_trailers(body: Text<'_>) -> (Text<'_>, Text<'_>) {
    let mut at = 0;
    while let Some(line) = next_line(body, at) {
        if line.content.is_empty() {
            return (body.slice(0..at), body.from(line.end));
        }
        at = line.end;
    }
    (body, body.from(body.len()))
}

fn bad<'a>(body: Text<'a>, range: Range<usize>, flags: &mut Flags<'a>) {
    flags.raise_at(Flag::BadChunk, body, range);
}

/// After the last chunk: fields up to a blank line, and then nothing.
fn check_trailers<'a>(body: Text<'a>, mut at: usize, flags: &mut Flags<'a>) {
    loop {
        let Some(line) = next_line(body, at) else {
            if at < body.len() {
                flags.raise(Flag::Trailer, body.from(at));
            }
            return bad(body, at..body.len(), flags);
        };
        if line.is_bare {
            bad(body, at..line.end, flags);
        }
        at = line.end;
        if line.content.is_empty() {
            if at < body.len() {
                bad(body, at..body.len(), flags);
            }
            return;
        }
        flags.raise(Flag::Trailer, line.content);
    }
}

struct ChunkLine<'a> {
    content: Text<'a>,
    /// Where the next line begins.
    end: usize,
    /// True if a bare LF ended it.
    is_bare: bool,
}

impl<'a> ChunkLine<'a> {
    /// Cuts a line into what may be a size and the extension behind its `;`.
    fn cut(&self) -> (Text<'a>, Option<Text<'a>>) {
        match self.content.cut(b';') {
            Some((size, extension)) => (size, Some(extension)),
            None => (self.content, None),
        }
    }
}

fn next_line(body: Text<'_>, at: usize) -> Option<ChunkLine<'_>> {
    let lf = at + bytes::position(b'\n', body.bytes.get(at..)?)?;
    let is_bare = !matches!(body.bytes.get(at..lf), Some([.., b'\r']));
    let content = body.slice(at..if is_bare { lf } else { lf - 1 });
    Some(ChunkLine { content, end: lf + 1, is_bare })
}

/// Reads `1*HEXDIG`; `None` when it is no size that fits.
fn read_size(digits: &[u8]) -> Option<u64> {
    // A sign is no digit here.
    let digits = std::str::from_utf8(digits).ok().filter(|_| bytes::all(digits, bytes::HEX))?;
    u64::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn flags(body: &str) -> Vec<&'static str> {
        with_context(|cx| {
            let mut flags = cx.flags();
            check(Text::request(body.as_bytes(), true), &mut flags);
            flags.set.iter().map(Flag::name).collect()
        })
    }

    #[test]
    fn well_formed_bodies_raise_nothing() {
        for body in ["0\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n", "A\r\n0123456789\r\n00\r\n\r\n"] {
            assert_eq!(flags(body), [""; 0], "{body:?}");
        }
    }

    #[test]
    fn odd_bodies() {
        for (body, expected) in [
            ("", &["BADCHUNK"][..]),
            ("3\r\nabc\r\n", &["BADCHUNK"]),
            ("3\r\nabcd\r\n0\r\n\r\n", &["BADCHUNK"]),
            ("4\r\nabc\r\n0\r\n\r\n", &["BADCHUNK"]),
            ("0x3\r\nabc\r\n0\r\n\r\n", &["BADCHUNK"]),
            (" 3\r\nabc\r\n0\r\n\r\n", &["BADCHUNK"]),
            ("3\nabc\r\n0\r\n\r\n", &["BADCHUNK"]),
            ("ffffffffffffffff\r\nabc", &["BADCHUNK"]),
            ("10000000000000000\r\nabc", &["BADCHUNK"]),
            ("0\r\n", &["BADCHUNK"]),
            ("0\r\n\r\nX", &["BADCHUNK"]),
            ("3;a=b\r\nabc\r\n0\r\n\r\n", &["CHUNKEXT"]),
            ("0\r\nX: y\r\n\r\n", &["TRAILER"]),
        ] {
            assert_eq!(flags(body), expected, "{body:?}");
        }
    }
}
