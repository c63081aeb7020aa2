//! Wire bytes, or parts already cut, to one message (section 2).

pub(crate) mod parts;
mod request_line;
mod wire;

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use crate::bytes;
use crate::config::Scheme;
use crate::context::Context;
use crate::flags::{Flag, Flags};
use crate::steps;
use crate::text::{Builder, Text};

use wire::Wire;
pub(crate) use wire::read;

/// A request cut into parts, nothing decoded yet.
pub(crate) struct Message<'a> {
    /// The request as it came; empty where it came in parts.
    pub(crate) raw: &'a [u8],
    pub(crate) method: Text<'a>,
    pub(crate) target: Text<'a>,
    /// The union of the classes of its bytes.
    pub(crate) target_classes: u32,
    /// `:scheme` and `:authority`, as HTTP/2 and HTTP/3 carry them.
    pub(crate) scheme: Option<Scheme>,
    /// A `:scheme` was given that is none of HTTP's.
    pub(crate) has_unknown_scheme: bool,
    pub(crate) authority: Option<Text<'a>>,
    pub(crate) lines: Lines<'a>,
    /// What the `M` line tells: request line, line ends, orphans.
    pub(crate) flags: Flags<'a>,
    /// Every byte after the blank line; `None` where whoever cut the request did not say.
    pub(crate) body: Option<Text<'a>>,
    /// Whether a body may have a length that no header tells.
    pub(crate) is_in_frames: bool,
    pub(crate) version: Version,
    /// A version that is none.
    pub(crate) odd_version: Option<Text<'a>>,
}

/// The version of a message, as tokens tell it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Version(&'static str);

impl Version {
    /// By what a request line or a part says, with `HTTP/`.
    pub(crate) fn of(text: &[u8]) -> Self {
        Version(match text {
            b"HTTP/1.1" => "1.1",
            b"HTTP/1.0" => "1.0",
            b"HTTP/2" | b"HTTP/2.0" => "2",
            b"HTTP/3" | b"HTTP/3.0" => "3",
            b"" | b"HTTP/0.9" => "0.9",
            _ => "other",
        })
    }

    /// Returns whether its messages come in frames, which tell where a body ends.
    pub(crate) fn has_frames(self) -> bool {
        matches!(self.0, "2" | "3")
    }

    /// Empty when it is not known.
    pub(crate) fn as_str(self) -> &'static str {
        self.0
    }
}

/// A line of the header block, continuations joined.
pub(crate) struct Line<'a> {
    /// `None` for a line without a colon.
    pub(crate) name: Option<Text<'a>>,
    /// What follows the colon, or the whole line. A CR or LF inside is an embedded line end.
    pub(crate) value: Text<'a>,
    /// Whether the value follows a colon, whose single SP is not padding.
    pub(crate) after_colon: bool,
    /// Whether CR LF inside is one line end, as in parts, rather than two, as on the wire.
    pub(crate) pairs_crlf: bool,
    /// Whether it is a continuation of nothing, whose line ends the message tells.
    pub(crate) is_orphan: bool,
    pub(crate) flags: Flags<'a>,
}

/// The lines of a header block.
pub(crate) enum Lines<'a> {
    /// As many as a document shows.
    Few(BumpVec<'a, RawLine<'a>>),
    /// More: they are cut again whenever they are read, since records of all of them would take many times the memory of
    /// the request.
    Many(Cursor<'a>),
}

/// A place in a header block from which its lines can be cut, one by one.
#[derive(Clone, Copy)]
pub(crate) enum Cursor<'a> {
    Wire(Wire<'a>),
    Parts(&'a [(&'a [u8], &'a [u8])]),
}

impl<'a> Cursor<'a> {
    /// Cuts one line. `flags` takes note of what it tells of the message.
    pub(crate) fn next<'b>(&mut self, cx: Context<'b>, flags: &mut Flags<'b>) -> Option<Line<'b>>
    where
        'a: 'b,
    {
        match self {
            Cursor::Wire(wire) => match wire.next(cx, flags)? {
                RawLine::Plain(line) => Some(Line::cut(line, cx)),
                RawLine::Cut(line) => Some(Box::into_inner(line)),
            },
            Cursor::Parts(parts) => {
                let (first, rest) = parts.split_first()?;
                *parts = rest;
                Some(Line::of_part(*first, cx))
            }
        }
    }
}

/// A line of the header block.
pub(crate) enum RawLine<'a> {
    /// One line of the wire, without its end, not cut yet.
    Plain(Text<'a>),
    /// A line that is cut: it came in parts, was continued, or continues nothing.
    Cut(Box<'a, Line<'a>>),
}

impl<'a> Line<'a> {
    /// Cuts a line of the wire at its colon.
    pub(crate) fn cut(line: Text<'a>, cx: Context<'a>) -> Self {
        let mut flags = cx.flags();
        match line.cut(b':') {
            Some((name, value)) => Line {
                name: Some(name),
                value,
                after_colon: true,
                pairs_crlf: false,
                is_orphan: false,
                flags,
            },
            None => {
                flags.raise(Flag::BadHdrLine, line);
                Line {
                    name: None,
                    value: line,
                    after_colon: false,
                    pairs_crlf: false,
                    is_orphan: false,
                    flags,
                }
            }
        }
    }

    /// A header that came in parts.
    pub(crate) fn of_part((name, value): (&'a [u8], &'a [u8]), cx: Context<'a>) -> Self {
        Line {
            name: Some(Text::untraced(name)),
            value: Text::untraced(value),
            after_colon: false,
            pairs_crlf: true,
            is_orphan: false,
            flags: cx.flags(),
        }
    }

    /// A line that continues nothing, without the white space it begins with.
    pub(crate) fn orphan(line: Text<'a>, cx: Context<'a>) -> Self {
        let value = on_one_line(line.part(bytes::trim_start(line.bytes)), cx);
        let flags = cx.flags();
        Line { name: None, value, after_colon: false, pairs_crlf: false, is_orphan: true, flags }
    }
}

/// `BADCRLF`: CR, LF or NUL inside a part.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
pub(crate) fn raise_embedded<'a>(part: Text<'a>, flags: &mut Flags<'a>) {
    steps::slow("line ends in a line");
    for at in memchr::memchr3_iter(b'\r', b'\n', 0, part.bytes) {
        flags.raise_at(Flag::BadCrlf, part, at..at + 1);
    }
}

/// A part with one SP in place of each embedded line end.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
pub(crate) fn on_one_line<'a>(part: Text<'a>, cx: Context<'a>) -> Text<'a> {
    if memchr::memchr2(b'\r', b'\n', part.bytes).is_none() {
        return part;
    }
    let mut builder = Builder::new(cx.bump, part.is_traced(), part.len());
    let mut copied = 0;
    for at in memchr::memchr2_iter(b'\r', b'\n', part.bytes) {
        builder.copy(part.slice(copied..at));
        builder.put(b" ", part.slice(at..at + 1));
        copied = at + 1;
    }
    builder.copy(part.from(copied));
    builder.finish()
}
