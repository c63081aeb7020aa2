//! Wire bytes of one HTTP/1.x request to a message (clauses 2.4 to 2.7 and 2.14 to 2.19).
//!
//! Tolerant: every input is cut, and whatever had to be guessed is told.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use super::{Cursor, Line, Lines, Message, RawLine, request_line};
use crate::bytes::{self, Places};
use crate::context::Context;
use crate::flags::{Flag, Flags};
use crate::hidden;
use crate::text::{Builder, Text};

/// What ends a line, as the request line's own end tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    /// Only CR LF.
    CrLf,
    /// LF, with or without a CR before it.
    Lf,
}

/// Cuts a request.
pub(crate) fn read<'a>(input: Text<'a>, cx: Context<'a>) -> Message<'a> {
    let mut flags = cx.flags();
    let start = skip_empty_lines(input.bytes);
    if start > 0 {
        flags.raise_at(Flag::LeadCrlf, input, 0..start);
    }
    let input = input.from(start);
    let (line, line_end, rest) = first_line(input);
    let request_line = request_line::read(line, cx, &mut flags);
    let (lines, body) = read_block(Wire { rest, line_end, is_at_end: false }, cx, &mut flags);
    Message {
        raw: input.bytes,
        method: request_line.method,
        target: request_line.target,
        target_classes: request_line.target_classes,
        scheme: None,
        has_unknown_scheme: false,
        authority: None,
        lines,
        flags,
        body: Some(body),
        // Whatever its first line says of the version.
        is_in_frames: false,
        version: request_line.version,
        odd_version: request_line.odd_version,
    }
}

fn skip_empty_lines(mut input: &[u8]) -> usize {
    let before = input.len();
    loop {
        input = match input {
            [b'\r', b'\n', rest @ ..] | [b'\n', rest @ ..] => rest,
            _ => return before - input.len(),
        };
    }
}

/// The request line, what ended it, and what follows.
fn first_line(input: Text<'_>) -> (Text<'_>, LineEnd, Text<'_>) {
    let Some(lf) = bytes::position(b'\n', input.bytes) else {
        return (input, LineEnd::CrLf, input.from(input.len()));
    };
    let rest = input.from(lf + 1);
    match input.bytes.get(..lf) {
        Some([line @ .., b'\r']) => (input.slice(0..line.len()), LineEnd::CrLf, rest),
        _ => (input.slice(0..lf), LineEnd::Lf, rest),
    }
}

/// A place in a header block of the wire.
#[derive(Clone, Copy)]
pub(crate) struct Wire<'a> {
    rest: Text<'a>,
    line_end: LineEnd,
    /// Whether the rest is what follows the block.
    is_at_end: bool,
}

impl<'a> Wire<'a> {
    /// Cuts one line, with its continuations; `None` behind the last.
    pub(super) fn next<'b>(&mut self, cx: Context<'b>, flags: &mut Flags<'b>) -> Option<RawLine<'b>>
    where
        'a: 'b,
    {
        if self.is_at_end {
            return None;
        }
        let mut block = Block::new(1, cx);
        let read =
            self.rest.len().saturating_sub(read_lines(self.rest, self.line_end, &mut block, flags).len());
        self.rest = self.rest.from(read);
        self.is_at_end = !block.is_full;
        block.lines.pop()
    }
}

/// Reads the header block; returns it and what follows. Where evidence is kept, every line is: it says of each where it
/// stood.
fn read_block<'a>(mut from: Wire<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> (Lines<'a>, Text<'a>) {
    let most = if cx.traced { usize::MAX } else { cx.settings.config.limits.headers };
    let mut block = Block::new(most, cx);
    let body = read_lines(from.rest, from.line_end, &mut block, flags);
    if !block.is_full {
        return (Lines::Few(block.lines), body);
    }
    let many = Lines::Many(Cursor::Wire(from));
    from.rest = body;
    cx.spare.with_arena(|arena| {
        loop {
            arena.reset();
            let shared = cx.in_arena(arena);
            let cx = Context::new(&shared);
            let mut told = cx.flags();
            let line = from.next(cx, &mut told);
            flags.absorb(&told);
            if line.is_none() {
                return;
            }
        }
    });
    (many, from.rest)
}

/// The header block so far.
struct Block<'a> {
    lines: BumpVec<'a, RawLine<'a>>,
    /// Whether continuations would add to the last line, if that is a header.
    is_open: bool,
    /// The value of the last line so far, once it has a continuation.
    joined: Option<Builder<'a>>,
    /// So many lines are cut.
    most: usize,
    /// Whether there are more.
    is_full: bool,
    cx: Context<'a>,
}

impl<'a> Block<'a> {
    fn new(most: usize, cx: Context<'a>) -> Self {
        let lines = BumpVec::with_capacity_in(most.min(16), cx.bump);
        Block { lines, is_open: false, joined: None, most, is_full: false, cx }
    }

    /// Returns whether there is room for another line.
    fn has_room(&mut self) -> bool {
        self.is_full = self.lines.len() >= self.most;
        !self.is_full
    }

    /// A line of its own.
    fn push(&mut self, line: Text<'a>) {
        self.close();
        self.lines.push(RawLine::Plain(line));
        self.is_open = true;
    }

    /// Ends the line that continuations may add to.
    #[inline]
    fn close(&mut self) {
        if self.joined.is_some() {
            self.close_joined();
        }
        self.is_open = false;
    }

    #[cold]
    fn close_joined(&mut self) {
        if let Some(joined) = self.joined.take()
            && let Some(RawLine::Cut(line)) = self.lines.last_mut()
        {
            line.value = joined.finish();
        }
    }

    /// Returns whether the last line is a header that a continuation may add to.
    fn has_header(&self) -> bool {
        self.is_open
            && match self.lines.last() {
                None => false,
                Some(RawLine::Plain(line)) => bytes::position(b':', line.bytes).is_some(),
                Some(RawLine::Cut(line)) => line.name.is_some(),
            }
    }

    /// The last line, which is a header, and its value so far.
    fn open(&mut self) -> Option<(&mut Line<'a>, &mut Builder<'a>)> {
        let last = self.lines.last_mut()?;
        if let RawLine::Plain(line) = *last {
            *last = RawLine::Cut(Box::new_in(Line::cut(line, self.cx), self.cx.bump));
        }
        let RawLine::Cut(line) = last else { return None };
        let joined = self.joined.get_or_insert_with(|| {
            let value = line.value;
            let mut builder = Builder::new(self.cx.bump, value.is_traced(), value.len() + 64);
            builder.copy(value);
            builder
        });
        Some((line, joined))
    }

    /// Unfolds an obsolete continuation line: one SP joins it.
    fn fold(&mut self, continuation: Text<'a>) {
        let Some((line, joined)) = self.open() else { return };
        line.flags.raise(Flag::ObsFold, continuation);
        let content = bytes::trim_start(continuation.bytes);
        let blank = continuation.slice(0..continuation.len() - content.len());
        joined.trim_blanks_at_end();
        joined.put(b" ", blank);
        joined.copy(continuation.part(content));
    }

    /// Appends a line that an embedded line end keeps in this value.
    fn append(&mut self, line: Text<'a>) {
        if let Some((_, joined)) = self.open() {
            joined.copy(line);
        }
    }
}

/// Finds where the line from `start` on ends and where the next begins: both at the end of the text, where nothing ends it.
/// `places` are those of the LF from `start` on.
#[inline(always)]
fn end_of_line(bytes: &[u8], start: usize, line_end: LineEnd, places: &mut Places<'_>) -> (usize, usize) {
    for lf in places {
        if lf > start && bytes.get(lf - 1) == Some(&b'\r') {
            return (lf - 1, lf + 1);
        }
        if line_end == LineEnd::Lf {
            return (lf, lf + 1);
        }
    }
    (bytes.len(), bytes.len())
}

/// Reads lines of the header block, as many as it has room for; returns what follows them, or the block.
fn read_lines<'a>(
    text: Text<'a>,
    line_end: LineEnd,
    block: &mut Block<'a>,
    flags: &mut Flags<'a>,
) -> Text<'a> {
    let cx = block.cx;
    let mut places = bytes::places(b'\n', text.bytes);
    let mut next = 0;
    // The line before, unless it is a continuation, of which all is checked already.
    let mut before = None;
    let read = loop {
        let start = next;
        let (end, after) = end_of_line(text.bytes, start, line_end, &mut places);
        next = after;
        let line = text.slice(start..end);
        match line.bytes.first() {
            Some(b'!'..) => {
                if !block.has_room() {
                    break start;
                }
                before = Some(start..end);
                block.push(line);
            }
            None => {
                if end == after {
                    flags.raise(Flag::NoEoh, line);
                }
                break next;
            }
            Some(b' ' | b'\t') if block.has_header() => {
                if let Some(before) = before.take() {
                    hidden::check_end_of_line(text.slice(before), cx, flags);
                }
                hidden::check_line(line, cx, flags);
                block.fold(line);
            }
            Some(b'\r' | b'\n') if block.has_header() => {
                before = Some(start..end);
                block.append(line);
            }
            Some(_) if !block.has_room() => break start,
            Some(b' ' | b'\t') => {
                block.close();
                flags.raise(Flag::BadHdrCont, line);
                hidden::check_line(line, cx, flags);
                super::raise_embedded(line, flags);
                flags.hide(line);
                block.lines.push(RawLine::Cut(Box::new_in(Line::orphan(line, cx), cx.bump)));
            }
            Some(_) => {
                before = Some(start..end);
                block.push(line);
            }
        }
    };
    block.close();
    text.from(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    /// `name|value` of each line, the flags of the message, the body.
    fn cut_of(input: &[u8]) -> (Vec<String>, Vec<&'static str>, Vec<u8>) {
        with_context(|cx| {
            let message = read(Text::request(input, true), cx);
            let Lines::Few(lines) = message.lines else { panic!("all lines are kept") };
            let lines = lines
                .iter()
                .map(|line| {
                    let cut;
                    let line = match line {
                        RawLine::Plain(text) => {
                            cut = Line::cut(*text, cx);
                            &cut
                        }
                        RawLine::Cut(line) => &**line,
                    };
                    let name = line.name.map_or("?".into(), |name| name.bytes.escape_ascii().to_string());
                    format!("{name}|{}", line.value.bytes.escape_ascii())
                })
                .collect();
            (lines, message.flags.set.iter().map(Flag::name).collect(), message.body.unwrap().bytes.to_vec())
        })
    }

    #[test]
    fn crlf_lines() {
        let (lines, flags, body) = cut_of(b"GET / HTTP/1.1\r\nA: 1\r\nB:2\r\n\r\nbody\r\n\r\n");
        assert_eq!(lines, ["A| 1", "B|2"]);
        assert!(flags.is_empty());
        assert_eq!(body, b"body\r\n\r\n");
    }

    #[test]
    fn lf_lines_may_mix_with_crlf() {
        let (lines, flags, body) = cut_of(b"GET / HTTP/1.1\nA: 1\r\nB: 2\n\nbody");
        assert_eq!(lines, ["A| 1", "B| 2"]);
        assert!(flags.is_empty());
        assert_eq!(body, b"body");
    }

    #[test]
    fn a_bare_lf_ends_nothing_after_crlf() {
        let (lines, _, body) = cut_of(b"GET / HTTP/1.1\r\nA: 1\nB: 2\r\n\r\n");
        assert_eq!(lines, ["A| 1\\nB: 2"]);
        assert!(body.is_empty());
        let (lines, flags, _) = cut_of(b"GET / HTTP/1.1\r\nX-Evil: a\r\n\nInjected: b\r\n\r\n");
        assert_eq!(lines, ["X-Evil| a\\nInjected: b"]);
        assert!(flags.is_empty());
        let (lines, _, _) = cut_of(b"GET / HTTP/1.1\r\n\nHost: x\r\n\r\n");
        assert_eq!(lines, ["\\nHost| x"]);
    }

    #[test]
    fn folds() {
        let (lines, _, _) = cut_of(b"GET / HTTP/1.1\r\nA: 1 \r\n\t  2\r\n 3\r\nB: 4\r\n\r\n");
        assert_eq!(lines, ["A| 1 2 3", "B| 4"]);
        let (lines, flags, _) = cut_of(b"GET / HTTP/1.1\r\n\t x\r\nnocolon\r\n y\r\nA: 1\r\n\r\n");
        assert_eq!(lines, ["?|x", "?|nocolon", "?|y", "A| 1"]);
        assert_eq!(flags, ["BADHDRCONT"]);
    }

    #[test]
    fn ends_without_a_blank_line() {
        for input in [
            &b""[..],
            b"GET / HTTP/1.1",
            b"GET / HTTP/1.1\r\n",
            b"GET / HTTP/1.1\r\nA: 1",
            b"GET / HTTP/1.1\r\nA: 1\r\n",
        ] {
            assert!(cut_of(input).1.contains(&"NOEOH"), "{}", input.escape_ascii());
        }
        assert_eq!(cut_of(b"\r\n\nGET / HTTP/1.1\r\n\r\n").1, ["LEADCRLF"]);
    }
}
