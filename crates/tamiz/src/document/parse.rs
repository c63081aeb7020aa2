//! Reading a document back, strictly (clauses 9.10 and 9.12).
//!
//! Errors name the line, the column and what was expected, never what was there.

#![allow(clippy::arithmetic_side_effects, reason = "lines and columns of one text")]

use std::fmt;

use super::body::Body;
use super::keys::{Keys, Values};
use super::lines::{HeaderLine, Lines, Measure, MoreHeaders, read_flag, split_flags};
use super::marker::{Marker, more};
use crate::bytes;
use crate::decode::unicode;
use crate::flags::{Flag, Parameter};
use crate::show::{length, marker};

/// Why a text is not a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    line: usize,
    column: usize,
    expected: &'static str,
}

impl ParseError {
    /// The line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column, in bytes, from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// The description of what was expected there.
    pub fn expected(&self) -> &'static str {
        self.expected
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: expected {}", self.line, self.column, self.expected)
    }
}

impl std::error::Error for ParseError {}

/// The parameter that stands for those of a flag that are left out.
pub(super) const EVERY_OTHER: &str = "*";

pub(super) type Result<T> = std::result::Result<T, ParseError>;

/// The lines still to be read.
pub(super) struct Reader<'d> {
    rest: &'d str,
    line: usize,
}

/// One line being read.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'d> {
    rest: &'d str,
    pub(super) line: usize,
    column: usize,
}

impl<'d> Reader<'d> {
    fn peek(&self) -> &'d str {
        self.rest.split('\n').next().unwrap_or_default()
    }

    /// The next line, which must end in LF.
    fn next(&mut self) -> Result<Cursor<'d>> {
        let line = self.peek();
        let cursor = Cursor { rest: line, line: self.line, column: 1 };
        match self.rest.get(line.len()..).and_then(|rest| rest.strip_prefix('\n')) {
            None => cursor.skip(line.len()).fail("a line feed"),
            Some(rest) => {
                self.rest = rest;
                self.line += 1;
                cursor.check_characters()?;
                Ok(cursor)
            }
        }
    }

    /// The next line after its tag.
    pub(super) fn tagged(&mut self, tag: &'static str, expected: &'static str) -> Result<Cursor<'d>> {
        let mut cursor = self.next()?;
        cursor.tag(tag, expected)?;
        Ok(cursor)
    }

    pub(super) fn has(&self, tag: &str) -> bool {
        self.rest.starts_with(tag)
    }
}

impl<'d> Cursor<'d> {
    /// A place to point at, after everything was read.
    pub(super) fn at(line: usize, column: usize) -> Self {
        Cursor { rest: "", line, column }
    }

    pub(super) fn fail<T>(self, expected: &'static str) -> Result<T> {
        Err(ParseError { line: self.line, column: self.column, expected })
    }

    /// The rest of the line.
    pub(super) fn rest(self) -> &'d str {
        self.rest
    }

    pub(super) fn skip(self, len: usize) -> Self {
        Cursor { rest: self.rest.get(len..).unwrap_or_default(), column: self.column + len, ..self }
    }

    pub(super) fn skip_column(self, len: usize) -> Self {
        Cursor { column: self.column + len, ..self }
    }

    fn check_characters(self) -> Result<()> {
        match self.rest.char_indices().find(|(_, c)| unicode::is_control(*c) || unicode::is_invisible(*c)) {
            Some((at, _)) => self.skip(at).fail("a visible character"),
            None => Ok(()),
        }
    }

    pub(super) fn tag(&mut self, tag: &str, expected: &'static str) -> Result<()> {
        if !self.rest.starts_with(tag) {
            return self.fail(expected);
        }
        *self = self.skip(tag.len());
        Ok(())
    }

    /// Everything up to the first ` [`.
    pub(super) fn up_to_flags(&mut self) -> &'d str {
        let at = self.rest.find(" [").unwrap_or(self.rest.len());
        let content = self.rest.get(..at).unwrap_or_default();
        *self = self.skip(at);
        content
    }

    /// The flags that end the line.
    pub(super) fn flags(self) -> Result<&'d str> {
        self.check_flags(self.rest)?;
        Ok(self.rest)
    }

    /// Everything up to the first ` [`, and the flags from there on.
    fn content_and_flags(mut self) -> Result<(&'d str, &'d str)> {
        let content = self.up_to_flags();
        Ok((content, self.flags()?))
    }

    /// The word that the line goes on with.
    pub(super) fn word(self) -> &'d str {
        self.rest.split(' ').next().unwrap_or_default()
    }

    fn check_flags(self, flags: &str) -> Result<()> {
        if flags.is_empty() {
            return Ok(());
        }
        if !flags.ends_with(']') {
            return self.skip(flags.len()).fail("a closing bracket");
        }
        let mut cursor = self.skip(2);
        let mut before: Option<&str> = None;
        for written in split_flags(flags) {
            cursor.check_flag(written)?;
            if before.is_some_and(|before| before >= written) {
                return cursor.fail("flags sorted by name, each once");
            }
            before = Some(written);
            cursor = cursor.skip(written.len() + 3);
        }
        Ok(())
    }

    fn check_flag(self, written: &str) -> Result<()> {
        let is_word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.' | b'_');
        let fits = |(flag, parameter): (Flag, Option<&str>)| match (flag.parameter_kind(), parameter) {
            (Parameter::None, parameter) => parameter.is_none(),
            (_, Some(EVERY_OTHER)) => true,
            (Parameter::Number, Some(n)) => !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()),
            (Parameter::Word, Some(word)) => !word.is_empty() && word.bytes().all(is_word),
            (Parameter::Key | Parameter::Name, Some(name)) => is_key(name),
            (_, None) => false,
        };
        if read_flag(written).is_some_and(fits) { Ok(()) } else { self.fail("a flag") }
    }

    pub(super) fn number(&mut self) -> Result<u64> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let text = self.rest.get(..digits).unwrap_or_default();
        let canonical = text == "0" || !text.starts_with('0');
        match text.parse() {
            Ok(n) if canonical => {
                *self = self.skip(digits);
                Ok(n)
            }
            _ => self.fail("a number"),
        }
    }

    /// `{n}@{bucket}`, where the bucket holds the number.
    pub(super) fn measure(&mut self) -> Result<Measure<'d>> {
        let length = self.number()?;
        self.tag("@", "`@` and a bucket")?;
        let len = self.rest.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b'-' | b'>')).count();
        let bucket = self.rest.get(..len).unwrap_or_default();
        let holds = match (bucket.strip_prefix('>'), bucket.split_once('-')) {
            (Some(last), _) => last.parse::<u64>().is_ok_and(|last| length > last),
            (None, Some((from, to))) => {
                from.parse::<u64>().is_ok_and(|from| from <= length)
                    && to.parse::<u64>().is_ok_and(|to| length <= to)
            }
            (None, None) => false,
        };
        if !holds {
            return self.fail("the bucket that holds the number");
        }
        *self = self.skip(len);
        Ok(Measure { length, bucket })
    }

    pub(super) fn end(self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { self.fail("the end of the line") }
    }
}

/// Cuts a document into its lines, checking the grammar of each.
pub(crate) fn cut(text: &str) -> Result<Lines<'_>> {
    let mut reader = Reader { rest: text, line: 1 };
    let mut lines = Lines::default();
    let cursor = reader.tagged("M:", "an `M:` line")?;
    (lines.method, lines.method_flags) = cursor.content_and_flags()?;
    check_method(cursor, lines.method)?;
    if reader.has("U:") {
        let cursor = reader.tagged("U:", "a `U:` line")?;
        let (url, flags) = cursor.content_and_flags()?;
        check_no_space(cursor, url)?;
        (lines.url, lines.url_flags) = (Some(url), flags);
    }
    if reader.has("P:") {
        cut_path(&mut reader, &mut lines)?;
    }
    if reader.has("Q:") {
        cut_query(&mut reader, &mut lines)?;
    }
    if reader.has("FLAGS:") {
        let cursor = reader.tagged("FLAGS:[", "the opening bracket of the flags")?;
        let Some(rollup) = cursor.rest.strip_suffix(']') else {
            return cursor.skip(cursor.rest.len()).fail("a closing bracket");
        };
        lines.rollup = Some(rollup);
    }
    if reader.has("FAM:") {
        let cursor = reader.tagged("FAM:", "a `FAM:` line")?;
        if cursor.rest.is_empty() {
            return cursor.fail("a count");
        }
        lines.families = Some(cursor.rest);
    }
    while reader.has("H:") && lines.more_headers.is_none() {
        let cursor = reader.tagged("H:", "an `H:` line")?;
        let mut at = cursor;
        match more(at.up_to_flags()) {
            Some(count) => lines.more_headers = Some(MoreHeaders { count, flags: at.flags()? }),
            None => lines.headers.push(cut_header(cursor)?),
        }
    }
    let mut cursor = reader.tagged("HCNT:", "the next line of a document, or `HCNT:`")?;
    lines.header_count = cursor.number()?;
    cursor.tag(" HLEN:", "` HLEN:`")?;
    lines.header_length = cursor.measure()?;
    cursor.end()?;
    if reader.has("B:") {
        lines.body = Some(Body::cut(&mut reader)?);
    }
    if !reader.rest.is_empty() {
        return Cursor::at(reader.line, 1).fail("the end of the document");
    }
    Ok(lines)
}

fn check_method(cursor: Cursor<'_>, method: &str) -> Result<()> {
    let bytes = method.as_bytes();
    if bytes::is_token(bytes) && bytes.len() <= 32 || marker::is_written_marker(bytes) {
        Ok(())
    } else {
        cursor.fail("a method")
    }
}

pub(super) fn check_no_space(cursor: Cursor<'_>, text: &str) -> Result<()> {
    match text.find(unicode::is_white_space) {
        Some(at) => cursor.skip(at).fail("no white space"),
        None => Ok(()),
    }
}

/// A key, or a name in a flag's parameter: a marker, or text that was escaped as one.
fn is_key(text: &str) -> bool {
    marker::is_written_marker(text.as_bytes()) || is_escaped_name(text)
}

/// Text that was escaped as a key.
pub(super) fn is_escaped_name(text: &str) -> bool {
    !text.contains(|c| unicode::is_white_space(c) || matches!(c, ',' | '|' | '&' | '=' | '<' | '>'))
}

/// A path as collapsing leaves it.
fn is_path(text: &str) -> bool {
    let inner = text.strip_prefix('/').unwrap_or(text);
    text == "/" || inner.split('/').all(|segment| !segment.is_empty() && segment != ".")
}

fn cut_path<'d>(reader: &mut Reader<'d>, lines: &mut Lines<'d>) -> Result<()> {
    let cursor = reader.tagged("P:", "a `P:` line")?;
    let len = cursor.rest.find(' ').unwrap_or(cursor.rest.len());
    let path = cursor.rest.get(..len).unwrap_or_default();
    check_no_space(cursor, path)?;
    if !is_path(path) {
        return cursor.fail("a path without empty segments or `.`");
    }
    let mut at = cursor.skip(len);
    at.tag(" PLEN:", "` PLEN:`")?;
    let here = at;
    lines.path_length = at.measure()?;
    // Which of the two it is, a document does not tell.
    let lengths = [false, true].map(|stated| length::of_path(path.as_bytes(), stated));
    let mut fitting =
        lengths.iter().filter(|(length, _)| *length as u64 == lines.path_length.length).peekable();
    if fitting.peek().is_none() {
        return here.fail("the length of the path");
    }
    at.tag(" PMAX:", "` PMAX:`")?;
    let here = at;
    lines.path_longest = at.measure()?;
    if !fitting.any(|(_, longest)| *longest as u64 == lines.path_longest.length) {
        return here.fail("the length of the longest segment");
    }
    at.check_flags(at.rest)?;
    lines.path = Some(path);
    lines.path_flags = at.rest;
    Ok(())
}

fn cut_query<'d>(reader: &mut Reader<'d>, lines: &mut Lines<'d>) -> Result<()> {
    let mut cursor = reader.tagged("Q:", "a `Q:` line")?;
    lines.query = Some(Keys::cut(&mut cursor, is_key)?);
    lines.query_flags = cursor.flags()?;
    if reader.has("KEYS_SORTED:") {
        lines.keys_sorted = Some(reader.tagged("KEYS_SORTED:", "a `KEYS_SORTED:` line")?.rest);
    }
    lines.query_values = Values::cut(reader, "QK:", Marker::of_value)?;
    Ok(())
}

fn cut_header(cursor: Cursor<'_>) -> Result<HeaderLine<'_>> {
    let Some((name, _)) = cursor.rest.split_once('=') else {
        return cursor.fail("a header name and `=`");
    };
    let is_name = name == "?"
        || marker::is_written_marker(name.as_bytes())
        || bytes::is_token(name.as_bytes())
            && name.len() <= 64
            && !name.bytes().any(|b| b.is_ascii_uppercase());
    if !is_name {
        return cursor.fail("a header name in lower case, or a marker");
    }
    let at = cursor.skip(name.len() + 1);
    let (value, flags) = at.content_and_flags()?;
    if value.starts_with(' ') || value.ends_with(' ') || value.contains("  ") {
        return at.fail("a value with single spaces");
    }
    if name == "?" && !marker::is_written_marker(value.as_bytes()) {
        return at.fail("a marker");
    }
    Ok(HeaderLine { name, value, flags })
}
