//! Where in an XML body one reads.

#![allow(clippy::arithmetic_side_effects, reason = "the cursor moves over what it has seen")]

use super::Stop;
use crate::bytes::{self, ALPHA, DIGIT, HIGH};
use crate::steps;
use crate::text::Text;

/// XML 1.0 section 2.3: `S ::= (#x20 | #x9 | #xD | #xA)+`.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// XML 1.0 section 2.3, `NameStartChar`; all that is not ASCII counts as one.
pub(super) fn starts_name(byte: u8) -> bool {
    bytes::is(byte, ALPHA | HIGH) || matches!(byte, b'_' | b':')
}

/// XML 1.0 section 2.3, `NameChar`; all that is not ASCII counts as one.
pub(super) fn is_name_byte(byte: u8) -> bool {
    starts_name(byte) || bytes::is(byte, DIGIT) || matches!(byte, b'-' | b'.')
}

/// A text, and how much of it was read.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) text: Text<'a>,
    pub(super) at: usize,
}

/// Text up to what ends it; where nothing does, all there is.
pub(super) struct Piece<'a> {
    pub(super) text: Text<'a>,
    pub(super) is_ended: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn rest(&self) -> &'a [u8] {
        self.text.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The text from `start` to here.
    pub(super) fn since(&self, start: usize) -> Text<'a> {
        self.text.slice(start..self.at)
    }

    /// The next byte, without reading it.
    pub(super) fn peek(&self) -> Result<u8, Stop> {
        self.rest().first().copied().ok_or(Stop::Early)
    }

    /// Reads `byte`, which must be here.
    pub(super) fn expect(&mut self, byte: u8) -> Result<(), Stop> {
        if self.peek()? != byte {
            return Err(Stop::Bad);
        }
        self.at += 1;
        Ok(())
    }

    /// Skips white space, and tells whether there was any.
    pub(super) fn skip_space(&mut self) -> bool {
        let len = self.rest().iter().take_while(|&&b| is_space(b)).count();
        self.at += len;
        steps::count(len);
        len > 0
    }

    /// Reads a name. One at the very end may go on.
    pub(super) fn name(&mut self) -> Result<Text<'a>, Stop> {
        if !starts_name(self.peek()?) {
            return Err(Stop::Bad);
        }
        let start = self.at;
        self.at += self.rest().iter().take_while(|&&b| is_name_byte(b)).count();
        steps::count(self.at - start);
        if self.is_at_end() { Err(Stop::Early) } else { Ok(self.since(start)) }
    }

    /// Reads up to and with `end`.
    pub(super) fn until(&mut self, end: &[u8]) -> Piece<'a> {
        let start = self.at;
        let found = memchr::memmem::find(self.rest(), end);
        steps::count(found.unwrap_or(self.rest().len()));
        match found {
            Some(len) => {
                self.at += len + end.len();
                Piece { text: self.text.slice(start..start + len), is_ended: true }
            }
            None => {
                self.at = self.text.len();
                Piece { text: self.since(start), is_ended: false }
            }
        }
    }

    /// Reads up to `byte`, or to the end.
    pub(super) fn before(&mut self, byte: u8) -> Piece<'a> {
        let start = self.at;
        let found = bytes::position(byte, self.rest());
        self.at += found.unwrap_or(self.rest().len());
        steps::count(self.at - start);
        Piece { text: self.since(start), is_ended: found.is_some() }
    }

    /// Reads what is between two quotes, `"` or `'`, the first of which is here.
    pub(super) fn quoted(&mut self) -> Result<Piece<'a>, Stop> {
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                Ok(self.until(&[quote]))
            }
            _ => Err(Stop::Bad),
        }
    }

    /// Reads `name = "value"`: XML 1.0 section 3.1, `Attribute ::= Name Eq AttValue`.
    pub(super) fn attribute(&mut self) -> Result<(Text<'a>, Piece<'a>), Stop> {
        let name = self.name()?;
        self.skip_space();
        self.expect(b'=')?;
        self.skip_space();
        Ok((name, self.quoted()?))
    }
}
