//! Reading a document back, strictly (clauses 9.10 to 9.12).
//!
//! Errors name the line, the column and what was expected, never what was there.

use std::fmt;

use super::escape;
use super::lines::{HeaderLine, Lines, Measure, read_flag, split_flags};
use crate::bytes;
use crate::decode::unicode;
use crate::flags::{Flag, Weight};
use crate::marker;

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

    /// What was expected there.
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

type Result<T> = std::result::Result<T, ParseError>;

/// The lines still to be read.
struct Reader<'d> {
    rest: &'d str,
    line: usize,
}

/// One line being read.
#[derive(Clone, Copy)]
struct Cursor<'d> {
    rest: &'d str,
    line: usize,
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
    fn tagged(&mut self, tag: &'static str, expected: &'static str) -> Result<Cursor<'d>> {
        let mut cursor = self.next()?;
        cursor.tag(tag, expected)?;
        Ok(cursor)
    }

    fn has(&self, tag: &str) -> bool {
        self.rest.starts_with(tag)
    }
}

impl<'d> Cursor<'d> {
    fn fail<T>(self, expected: &'static str) -> Result<T> {
        Err(ParseError { line: self.line, column: self.column, expected })
    }

    fn skip(self, len: usize) -> Self {
        Cursor { rest: self.rest.get(len..).unwrap_or_default(), column: self.column + len, ..self }
    }

    fn check_characters(self) -> Result<()> {
        match self.rest.char_indices().find(|(_, c)| unicode::is_control(*c) || unicode::is_invisible(*c)) {
            Some((at, _)) => self.skip(at).fail("a visible character"),
            None => Ok(()),
        }
    }

    fn tag(&mut self, tag: &str, expected: &'static str) -> Result<()> {
        if !self.rest.starts_with(tag) {
            return self.fail(expected);
        }
        *self = self.skip(tag.len());
        Ok(())
    }

    /// Everything up to the first ` [`, and the flags from there on.
    fn content_and_flags(self) -> Result<(&'d str, &'d str)> {
        let at = self.rest.find(" [").unwrap_or(self.rest.len());
        let (content, flags) = self.rest.split_at_checked(at).unwrap_or((self.rest, ""));
        self.skip(at).check_flags(flags)?;
        Ok((content, flags))
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
        match read_flag(written) {
            Some((_, parameter)) if parameter.is_none_or(|p| !p.contains(unicode::is_white_space)) => Ok(()),
            _ => self.fail("a flag"),
        }
    }

    fn number(&mut self) -> Result<u64> {
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
    fn measure(&mut self) -> Result<Measure<'d>> {
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

    fn end(self) -> Result<()> {
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
        lines.families = Some(reader.tagged("FAM:", "a `FAM:` line")?.rest);
    }
    while reader.has("H:") {
        let cursor = reader.tagged("H:", "an `H:` line")?;
        lines.headers.push(cut_header(cursor)?);
    }
    let mut cursor = reader.tagged("HCNT:", "the next line of a document, or `HCNT:`")?;
    lines.header_count = cursor.number()?;
    cursor.tag(" HLEN:", "` HLEN:`")?;
    lines.header_length = cursor.measure()?;
    cursor.end()?;
    if !reader.rest.is_empty() {
        return Cursor { rest: "", line: reader.line, column: 1 }.fail("the end of the document");
    }
    Ok(lines)
}

fn check_method(cursor: Cursor<'_>, method: &str) -> Result<()> {
    let bytes = method.as_bytes();
    if bytes::is_token(bytes) && bytes.len() <= 32 || marker::is_marker(bytes) {
        Ok(())
    } else {
        cursor.fail("a method")
    }
}

fn check_no_space(cursor: Cursor<'_>, text: &str) -> Result<()> {
    match text.find(unicode::is_white_space) {
        Some(at) => cursor.skip(at).fail("no white space"),
        None => Ok(()),
    }
}

fn cut_path<'d>(reader: &mut Reader<'d>, lines: &mut Lines<'d>) -> Result<()> {
    let cursor = reader.tagged("P:", "a `P:` line")?;
    let len = cursor.rest.find(' ').unwrap_or(cursor.rest.len());
    let path = cursor.rest.get(..len).unwrap_or_default();
    check_no_space(cursor, path)?;
    let mut at = cursor.skip(len);
    at.tag(" PLEN:", "` PLEN:`")?;
    let here = at;
    lines.path_length = at.measure()?;
    if lines.path_length.length != escape::chars(path.as_bytes()) as u64 {
        return here.fail("the length of the path");
    }
    at.tag(" PMAX:", "` PMAX:`")?;
    let here = at;
    lines.path_longest = at.measure()?;
    let longest = path.split('/').map(|segment| segment.chars().count()).max().unwrap_or(0);
    if lines.path_longest.length != longest as u64 {
        return here.fail("the length of the longest segment");
    }
    at.check_flags(at.rest)?;
    lines.path = Some(path);
    lines.path_flags = at.rest;
    Ok(())
}

fn cut_query<'d>(reader: &mut Reader<'d>, lines: &mut Lines<'d>) -> Result<()> {
    let mut cursor = reader.tagged("Q:", "a `Q:` line")?;
    let here = cursor;
    let count = cursor.number()?;
    cursor.tag(" KEYS:", "` KEYS:`")?;
    let (keys, flags) = cursor.content_and_flags()?;
    check_no_space(cursor, keys)?;
    let found = if keys.is_empty() { count.min(1) } else { keys.split(',').count() as u64 };
    if found != count {
        return here.fail("the number of keys");
    }
    (lines.query, lines.query_flags) = (Some((count, keys)), flags);
    if reader.has("KEYS_SORTED:") {
        lines.keys_sorted = Some(reader.tagged("KEYS_SORTED:", "a `KEYS_SORTED:` line")?.rest);
    }
    while reader.has("QK:") {
        let cursor = reader.tagged("QK:", "a `QK:` line")?;
        let Some((key, shapes)) = cursor.rest.split_once('=') else {
            return cursor.fail("a key and its shapes");
        };
        let mut at = cursor.skip(key.len() + 1);
        for shape in shapes.split('|') {
            if !marker::is_marker(shape.as_bytes()) {
                return at.fail("a marker");
            }
            at = at.skip(shape.len() + 1);
        }
        lines.qk.push((key, shapes));
    }
    Ok(())
}

fn cut_header(cursor: Cursor<'_>) -> Result<HeaderLine<'_>> {
    let Some((name, _)) = cursor.rest.split_once('=') else {
        return cursor.fail("a header name and `=`");
    };
    let is_name = name == "?"
        || marker::is_marker(name.as_bytes())
        || bytes::is_token(name.as_bytes())
            && name.len() <= 64
            && !name.bytes().any(|b| b.is_ascii_uppercase());
    if !is_name {
        return cursor.fail("a header name in lower case, or a marker");
    }
    let (value, flags) = cursor.skip(name.len() + 1).content_and_flags()?;
    Ok(HeaderLine { name, value, flags })
}

/// Checks a whole document: each line, and what the lines say of each other.
pub(crate) fn check(text: &str) -> Result<()> {
    let lines = cut(text)?;
    let at = |tag: &str| {
        let line = text.lines().position(|line| line.starts_with(tag)).map_or(1, |i| i + 1);
        Cursor { rest: "", line, column: tag.len() + 1 }
    };
    check_rollup(&lines, at("FLAGS:"))?;
    check_families(&lines, at("FAM:"))?;
    check_headers(&lines, at("HCNT:"), at("H:"))?;
    check_keys(&lines, at("KEYS_SORTED:"), at("QK:"))?;
    match (lines.url, lines.path) {
        (Some(url), Some(path)) => check_url(url, path, &lines, at("U:")),
        _ => Ok(()),
    }
}

fn check_rollup(lines: &Lines<'_>, at: Cursor<'_>) -> Result<()> {
    let local = [lines.method_flags, lines.url_flags, lines.path_flags, lines.query_flags];
    let headers = lines.headers.iter().map(|header| header.flags);
    let mut union: Vec<&str> = local.into_iter().chain(headers).flat_map(split_flags).collect();
    union.sort_unstable();
    union.dedup();
    if union.join(" ") != lines.rollup.unwrap_or_default() || lines.rollup == Some("") {
        return at.fail("the sorted union of the flags of all lines");
    }
    Ok(())
}

fn check_families(lines: &Lines<'_>, at: Cursor<'_>) -> Result<()> {
    let Some(written) = lines.families else {
        return Ok(());
    };
    let mut families: Vec<&str> = lines
        .rollup
        .into_iter()
        .flat_map(|rollup| rollup.split(' '))
        .filter_map(read_flag)
        .map(|(flag, _): (Flag, _)| flag)
        .filter(|flag| flag.weight() != Weight::Structural)
        .map(|flag| flag.family().as_str())
        .collect();
    families.sort_unstable();
    let counts: Vec<String> = families
        .chunk_by(|a, b| a == b)
        .map(|same| format!("{}={}", same.first().copied().unwrap_or_default(), same.len()))
        .collect();
    if counts.join(" ") == written { Ok(()) } else { at.fail("the counts of the flags by family") }
}

fn check_headers(lines: &Lines<'_>, count: Cursor<'_>, first: Cursor<'_>) -> Result<()> {
    let order = |header: &HeaderLine<'_>| (header.name == "?", header.name.to_owned());
    for (i, two) in lines.headers.windows(2).enumerate() {
        if let [a, b] = two
            && order(a) > order(b)
        {
            return Cursor { line: first.line + i + 1, ..first }.fail("headers sorted by name");
        }
    }
    if lines.headers.len() as u64 != lines.header_count {
        return count.fail("the number of headers");
    }
    Ok(())
}

fn check_keys(lines: &Lines<'_>, sorted_at: Cursor<'_>, qk_at: Cursor<'_>) -> Result<()> {
    if let Some(written) = lines.keys_sorted {
        let mut sorted: Vec<&str> = lines.keys().collect();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.join(",") != written {
            return sorted_at.fail("the keys, sorted");
        }
    }
    if lines.qk.is_empty() {
        return Ok(());
    }
    let mut counts: Vec<(&str, usize, usize)> =
        lines.keys().enumerate().map(|(i, key)| (key, i, 1)).collect();
    counts.sort_unstable();
    counts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.2 += usize::from(same);
        same
    });
    counts.sort_unstable_by_key(|(_, first, _)| *first);
    let written = lines.qk.iter().map(|(key, shapes)| (*key, shapes.split('|').count()));
    if counts.iter().map(|(key, _, count)| (*key, *count)).eq(written) {
        Ok(())
    } else {
        qk_at.fail("each key once, with one shape for each of its values")
    }
}

/// `U` is scheme, authority, the path, then the query with the keys of `Q`, then a fragment.
fn check_url(url: &str, path: &str, lines: &Lines<'_>, at: Cursor<'_>) -> Result<()> {
    let Some((scheme, rest)) = url.split_once("://") else {
        return at.fail("a scheme and `://`");
    };
    if scheme.parse::<crate::config::Scheme>().is_err() {
        return at.fail("http, https, ws or wss");
    }
    let at = at.skip_column(scheme.len() + 3);
    let authority = rest.find('/').unwrap_or(rest.len());
    let (host, rest) = rest.split_at_checked(authority).unwrap_or((rest, ""));
    if host.is_empty() {
        return at.fail("a host");
    }
    let at = at.skip_column(host.len());
    let rooted = if path.starts_with('/') {
        rest.strip_prefix(path)
    } else {
        rest.strip_prefix('/').and_then(|rest| rest.strip_prefix(path))
    };
    let Some(tail) = rooted else {
        return at.fail("the path of the `P:` line");
    };
    let at = at.skip_column(rest.len() - tail.len());
    let (query, fragment) = match tail.find("%23<") {
        Some(hash) => tail.split_at_checked(hash).unwrap_or((tail, "")),
        None => (tail, ""),
    };
    if let Some(fragment) = fragment.strip_prefix("%23")
        && !marker::is_marker(fragment.as_bytes())
    {
        return at.skip_column(query.len()).fail("the shape of the fragment");
    }
    check_url_query(query, lines, at)
}

fn check_url_query(query: &str, lines: &Lines<'_>, at: Cursor<'_>) -> Result<()> {
    match (query.strip_prefix('?'), lines.query) {
        (None, None) if query.is_empty() => Ok(()),
        (Some(pairs), Some((count, _))) => {
            let keys = pairs.split('&').map(|pair| pair.split_once('=').map_or(pair, |(key, _)| key));
            if count == 0 && pairs.is_empty() || count > 0 && keys.eq(lines.keys()) {
                Ok(())
            } else {
                at.fail("a query with the keys of the `Q:` line")
            }
        }
        _ => at.fail("a query exactly when there is a `Q:` line"),
    }
}

impl Cursor<'_> {
    fn skip_column(self, len: usize) -> Self {
        Cursor { column: self.column + len, ..self }
    }
}
