//! XML bodies (clause 8.36).
//!
//! A reader of our own: those there are take text that is UTF-8, or copy what they read and lose the
//! way back to the request. It expands nothing but the predefined entities and numbers, loads
//! nothing, and does not recurse.

#![allow(clippy::arithmetic_side_effects, reason = "the cursor moves over what it has seen")]

mod cursor;
mod doctype;
mod references;
mod tags;
#[cfg(test)]
mod tests;

use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, CONTROL};
use crate::context::Context;
use crate::decode::utf8;
use crate::flags::{Flag, Flags};
use crate::formats::charset;
use crate::formats::step::{Leaf, Outcome, Sink};
use crate::scan::{self, Kind};
use crate::steps;
use crate::text::{Builder, Text};
use cursor::{Cursor, is_space};

/// How far the reader goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How many elements may be open, the root among them, before what is in them is one leaf.
    pub(crate) depth: usize,
    /// How many declarations of entities are looked at.
    pub(crate) entities: usize,
}

/// The result of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) outcome: Outcome,
    /// True if a limit was reached.
    pub(crate) capped: bool,
}

/// Why reading stops before the end of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// The body ends where more has to follow.
    Early,
    /// The markup is not allowed here.
    Bad,
}

/// Tells the leaves of `body` to `sink`, and raises the flags of all that is no leaf. A body that was
/// `cut` may end anywhere.
pub(crate) fn read<'a>(
    body: Text<'a>,
    cut: bool,
    limits: Limits,
    cx: Context<'a>,
    sink: &mut impl Sink<'a>,
    flags: &mut Flags<'a>,
) -> Reading {
    if is_other_encoding(body.bytes) {
        flags.raise_at(Flag::BodyCharset, body, 0..body.len().min(4));
        return Reading { outcome: Outcome::Bad, capped: false };
    }
    let text = utf8::repair(body, cx, flags);
    let mut reader = Reader {
        cursor: Cursor { text, at: 0 },
        limits,
        cx,
        sink,
        flags,
        open: BumpVec::new_in(cx.bump),
        deep_start: 0,
        run: Run { first: None, joined: None },
        attributes: BumpVec::new_in(cx.bump),
        entities: 0,
        has_doctype: false,
        has_root: false,
        is_faulty: text.bytes.iter().any(|&b| bytes::is(b, CONTROL) && !is_space(b) && b != 0x7F),
        is_capped: false,
    };
    let end = reader.document();
    if end.is_err() {
        reader.leave();
    }
    let is_bad = reader.is_faulty
        || match end {
            Ok(()) => false,
            Err(Stop::Early) => !cut,
            Err(Stop::Bad) => true,
        };
    let outcome = if is_bad { Outcome::Bad } else { Outcome::Read };
    Reading { outcome, capped: reader.is_capped }
}

/// UTF-16, UTF-32, EBCDIC and UTF-7, by how a body begins in them (XML 1.0 appendix F).
fn is_other_encoding(body: &[u8]) -> bool {
    matches!(
        body,
        [0xFE, 0xFF, ..]
            | [0xFF, 0xFE, ..]
            | [b'<', 0, ..]
            | [0, ..]
            | [0x4C, 0x6F, 0xA7, 0x94, ..]
            | [b'+', b'A', b'D', b'w', ..]
    )
}

/// An element that is open.
struct Open<'a> {
    name: &'a [u8],
    /// True if nothing was told of it yet.
    is_empty: bool,
}

struct Reader<'a, 's, S> {
    cursor: Cursor<'a>,
    limits: Limits,
    cx: Context<'a>,
    sink: &'s mut S,
    flags: &'s mut Flags<'a>,
    open: BumpVec<'a, Open<'a>>,
    /// Where the element that crossed the depth limit begins, while it is open.
    deep_start: usize,
    /// The text since the last tag.
    run: Run<'a>,
    /// The names of the attributes of the tag that is being read.
    attributes: BumpVec<'a, &'a [u8]>,
    /// How many declarations of entities there were.
    entities: usize,
    has_doctype: bool,
    has_root: bool,
    /// True if the body is not well-formed, though one can read on.
    is_faulty: bool,
    is_capped: bool,
}

impl<'a, S: Sink<'a>> Reader<'a, '_, S> {
    fn document(&mut self) -> Result<(), Stop> {
        if self.cursor.rest().starts_with("\u{FEFF}".as_bytes()) {
            self.cursor.at = '\u{FEFF}'.len_utf8();
        }
        if matches!(self.cursor.rest(), [b'<', b'?', b'x', b'm', b'l', after, ..] if is_space(*after)) {
            self.xml_declaration()?;
        }
        loop {
            let text = self.cursor.before(b'<');
            self.characters(text.text, !text.is_ended);
            match self.cursor.rest() {
                [] => break,
                [b'<', b'/', ..] => self.end_tag()?,
                [b'<', b'?', ..] => self.instruction()?,
                [b'<', b'!', ..] => self.markup()?,
                _ => self.start_tag()?,
            }
        }
        if self.open.is_empty() && self.has_root { Ok(()) } else { Err(Stop::Early) }
    }

    /// Tells what is left when reading stops.
    fn leave(&mut self) {
        self.end_run();
        if self.is_deep() {
            self.sink.leaf(Leaf::Deep(self.cursor.since(self.deep_start)));
        }
    }

    /// Returns whether what is here is below the depth limit.
    fn is_deep(&self) -> bool {
        self.open.len() > self.limits.depth
    }

    fn scan(&mut self, text: Text<'a>, kind: Kind) {
        steps::count(text.len());
        scan::scan(text.classified(), kind, false, self.cx, self.flags);
    }

    /// Scans what is no leaf, and tells it, as it may be a secret.
    fn scan_unseen(&mut self, name: Option<Text<'a>>, text: Text<'a>) {
        self.scan(text, Kind::Leaf);
        self.sink.unseen(name, text);
    }

    /// `<?xml version="1.0" encoding="utf-8" standalone="yes"?>`, at the start only.
    fn xml_declaration(&mut self) -> Result<(), Stop> {
        self.cursor.at += b"<?xml".len();
        let inside = self.cursor.until(b"?>");
        let mut pairs = Cursor { text: inside.text, at: 0 };
        let mut expected = [&b"version"[..], b"encoding", b"standalone"].into_iter();
        let mut has_version = false;
        loop {
            let is_spaced = pairs.skip_space();
            // The body may end between `?` and `>`.
            if pairs.is_at_end() || !inside.is_ended && pairs.rest() == b"?" {
                break;
            }
            let (name, value) = match pairs.attribute() {
                Ok(pair) => pair,
                Err(stop) => {
                    self.is_faulty |= inside.is_ended || stop == Stop::Bad;
                    break;
                }
            };
            self.scan_unseen(None, value.text);
            has_version |= name.bytes == b"version";
            self.is_faulty |= !value.is_ended && inside.is_ended;
            self.is_faulty |= !is_spaced || !has_version || !expected.any(|known| known == name.bytes);
            if name.bytes.eq_ignore_ascii_case(b"encoding") && !charset::is_usual(value.text.bytes) {
                self.flags.raise(Flag::BodyCharset, value.text);
            }
        }
        if !inside.is_ended {
            return Err(Stop::Early);
        }
        self.is_faulty |= !has_version;
        Ok(())
    }

    /// Character data. Where it `goes_on`, the body ends in it.
    fn characters(&mut self, text: Text<'a>, goes_on: bool) {
        if self.open.is_empty() {
            self.is_faulty |= !text.bytes.iter().all(|&b| is_space(b));
            return;
        }
        self.is_faulty |= memchr::memmem::find(text.bytes, b"]]>").is_some();
        let decoded = self.decode(text, goes_on);
        self.run.push(decoded, self.cx);
    }

    fn decode(&mut self, text: Text<'a>, goes_on: bool) -> Text<'a> {
        steps::count(text.len());
        let (decoded, is_sound) = references::decode(text, goes_on, self.cx);
        self.is_faulty |= !is_sound;
        decoded
    }

    /// Tells the text since the last tag, unless it is only white space.
    fn end_run(&mut self) {
        let Some(text) = self.run.take() else { return };
        if text.bytes.iter().all(|&b| is_space(b)) {
            return;
        }
        self.scan_value(text);
    }

    /// Tells a value of the innermost element, under the path as it is.
    fn scan_value(&mut self, value: Text<'a>) {
        if let Some(element) = self.open.last_mut() {
            element.is_empty = false;
        }
        if self.is_deep() {
            self.scan(value, Kind::Leaf);
        } else {
            self.sink.leaf(Leaf::Text(value));
        }
    }

    /// Reads markup that begins with `<!`.
    fn markup(&mut self) -> Result<(), Stop> {
        let rest = self.cursor.rest();
        let is = |start: &[u8]| rest.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
        if is(b"<!--") {
            self.comment()
        } else if rest.starts_with(b"<![CDATA[") {
            self.character_section()
        } else if is(b"<!DOCTYPE") {
            self.doctype()
        } else if [&b"<!--"[..], b"<![CDATA[", b"<!DOCTYPE"].iter().any(|start| start.starts_with(rest)) {
            Err(Stop::Early)
        } else {
            Err(Stop::Bad)
        }
    }

    fn comment(&mut self) -> Result<(), Stop> {
        self.cursor.at += b"<!--".len();
        let comment = self.cursor.until(b"-->");
        self.scan_unseen(None, comment.text);
        let inside = match comment.text.bytes {
            // The body may end inside of `-->`.
            [inside @ .., b'-', b'-'] | [inside @ .., b'-'] if !comment.is_ended => inside,
            inside => inside,
        };
        self.is_faulty |= inside.ends_with(b"-") || memchr::memmem::find(inside, b"--").is_some();
        if comment.is_ended { Ok(()) } else { Err(Stop::Early) }
    }

    /// A CDATA section: text without references.
    fn character_section(&mut self) -> Result<(), Stop> {
        self.cursor.at += b"<![CDATA[".len();
        let section = self.cursor.until(b"]]>");
        if self.open.is_empty() {
            self.is_faulty = true;
        } else {
            self.run.push(section.text, self.cx);
        }
        if section.is_ended { Ok(()) } else { Err(Stop::Early) }
    }

    /// A processing instruction other than the XML declaration.
    fn instruction(&mut self) -> Result<(), Stop> {
        self.cursor.at += b"<?".len();
        let mut inside = self.cursor;
        let instruction = self.cursor.until(b"?>");
        self.scan_unseen(None, instruction.text);
        if !instruction.is_ended {
            return Err(Stop::Early);
        }
        let is_well_formed = inside.name().is_ok_and(|target| {
            let is_alone = target.len() == instruction.text.len();
            !target.bytes.eq_ignore_ascii_case(b"xml") && (is_alone || inside.skip_space())
        });
        self.is_faulty |= !is_well_formed;
        Ok(())
    }
}

/// Text that comes in pieces, between comments, instructions and CDATA sections.
struct Run<'a> {
    first: Option<Text<'a>>,
    joined: Option<Builder<'a>>,
}

impl<'a> Run<'a> {
    fn push(&mut self, piece: Text<'a>, cx: Context<'a>) {
        if piece.is_empty() {
            return;
        }
        match (&mut self.joined, self.first) {
            (Some(joined), _) => joined.copy(piece),
            (None, None) => self.first = Some(piece),
            (None, Some(first)) => {
                let mut joined = Builder::new(cx.bump, first.is_traced(), first.len() + piece.len());
                joined.copy(first);
                joined.copy(piece);
                self.joined = Some(joined);
            }
        }
    }

    fn take(&mut self) -> Option<Text<'a>> {
        let first = self.first.take();
        match self.joined.take() {
            Some(joined) => Some(joined.finish().repaired()),
            None => first,
        }
    }
}
