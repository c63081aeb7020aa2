//! The request line (clauses 2.8 to 2.11).

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use super::{Version, on_one_line};
use crate::bytes::{self, CONTROL, SPACE};
use crate::context::Context;
use crate::decode::utf8;
use crate::flags::{Flag, Flags};
use crate::scan::{self, Kind};
use crate::text::Text;

pub(crate) struct RequestLine<'a> {
    pub(crate) method: Text<'a>,
    pub(crate) target: Text<'a>,
    /// The union of the classes of its bytes.
    pub(crate) target_classes: u32,
    pub(crate) version: Version,
    /// A version that is none.
    pub(crate) odd_version: Option<Text<'a>>,
}

/// The versions a request line may name.
const VERSIONS: [&[u8]; 6] = [b"HTTP/1.1", b"HTTP/1.0", b"HTTP/2", b"HTTP/2.0", b"HTTP/3", b"HTTP/3.0"];

fn is_version(token: &[u8]) -> bool {
    token.get(..5).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"HTTP/"))
}

/// SP, HTAB, VT, FF, CR: what cuts a line that SP alone does not cut in three.
fn is_wide_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0B | 0x0C | b'\r')
}

struct Cut<'a> {
    method: Text<'a>,
    target: Text<'a>,
    version: Text<'a>,
}

pub(crate) fn read<'a>(line: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> RequestLine<'a> {
    let (cut, target_classes) = cut_well_formed(line).unwrap_or_else(|| {
        let cut = cut_slow(line, flags);
        let classes = bytes::union(cut.target.bytes);
        (cut, classes)
    });
    if cut.version.bytes == b"HTTP/1.0" {
        flags.raise(Flag::Http10, cut.version);
    }
    let version = Version::of(cut.version.bytes);
    let odd_version = Some(cut.version).filter(|version| !VERSIONS.contains(&version.bytes));
    let odd_version = odd_version.map(|version| read_odd_version(version, cx, flags));
    RequestLine { method: cut.method, target: cut.target, target_classes, version, odd_version }
}

/// Scans a version that is none: it is not shown, and may hold a secret.
pub(super) fn read_odd_version<'a>(version: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Text<'a> {
    flags.hide(version);
    let version = utf8::repair(on_one_line(version, cx), cx, flags);
    scan::scan(version.classified(), Kind::Opaque, false, cx, flags);
    version
}

/// A line of which nothing is to be told but its version, and the union of the classes of the bytes of its target.
fn cut_well_formed(line: Text<'_>) -> Option<(Cut<'_>, u32)> {
    let first = bytes::position(b' ', line.bytes)?;
    // Most versions have eight bytes; what is no version is told below.
    let usual = line.len().checked_sub(9).filter(|at| line.bytes.get(*at) == Some(&b' '));
    let last = usual.or_else(|| memchr::memrchr(b' ', line.bytes)).filter(|last| first < *last)?;
    let target = line.slice(first + 1..last);
    let cut = Cut { method: line.slice(0..first), target, version: line.from(last + 1) };
    let classes = bytes::union(target.bytes);
    let is_target = !target.is_empty() && classes & (SPACE | CONTROL) == 0;
    let is_well_formed =
        is_target && bytes::is_token(cut.method.bytes) && VERSIONS.contains(&cut.version.bytes);
    is_well_formed.then_some((cut, classes))
}

fn cut_slow<'a>(line: Text<'a>, flags: &mut Flags<'a>) -> Cut<'a> {
    let is_sp = |b: u8| b == b' ';
    let end = line.bytes.iter().rposition(|&b| !is_sp(b)).map_or(0, |last| last + 1);
    let cut = match cut(line.slice(0..end), is_sp) {
        Some(cut) if !cut.method.is_empty() && !cut.target.is_empty() && !cut.version.is_empty() => cut,
        _ => {
            let inner = trim(line, is_wide_space);
            cut_wide(inner)
        }
    };
    super::raise_embedded(line, flags);
    if !is_well_formed(&cut, line) {
        flags.raise(Flag::BadReqLine, line);
    }
    if cut.version.is_empty() {
        flags.raise(Flag::Http09, line);
    }
    cut
}

/// One SP between three parts, and nothing else: the lengths must add up.
fn is_well_formed(cut: &Cut<'_>, line: Text<'_>) -> bool {
    bytes::is_token(cut.method.bytes)
        && !cut.target.is_empty()
        && VERSIONS.contains(&cut.version.bytes)
        && cut.method.len() + cut.target.len() + cut.version.len() + 2 == line.len()
        && line.bytes.iter().filter(|&&b| is_wide_space(b)).eq([&b' ', &b' '])
}

/// Method up to the first separator, version after the last, target between.
fn cut<'a>(line: Text<'a>, is_space: impl Fn(u8) -> bool) -> Option<Cut<'a>> {
    let first = line.bytes.iter().position(|&b| is_space(b))?;
    let last = line.bytes.iter().rposition(|&b| is_space(b))?;
    let method = line.slice(0..first);
    let tail = line.from(last + 1);
    let nothing = line.from(line.len());
    let (middle, version) = if is_version(tail.bytes) {
        (line.slice(first + 1..last.max(first + 1)), tail)
    } else {
        (line.from(first + 1), nothing)
    };
    Some(Cut { method, target: trim(middle, is_space), version })
}

fn cut_wide(line: Text<'_>) -> Cut<'_> {
    let nothing = line.from(line.len());
    cut(line, is_wide_space).unwrap_or(Cut { method: line, target: nothing, version: nothing })
}

fn trim<'a>(text: Text<'a>, is_space: impl Fn(u8) -> bool) -> Text<'a> {
    let start = text.bytes.iter().position(|&b| !is_space(b)).unwrap_or(text.len());
    let end = text.bytes.iter().rposition(|&b| !is_space(b)).map_or(start, |last| last + 1);
    text.slice(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn cut_of(line: &[u8]) -> (String, String, Vec<&'static str>) {
        with_context(|cx| {
            let mut flags = cx.flags();
            let read = read(Text::request(line, true), cx, &mut flags);
            let text = |t: Text<'_>| String::from_utf8_lossy(t.bytes).into_owned();
            (text(read.method), text(read.target), flags.set.iter().map(Flag::name).collect())
        })
    }

    #[test]
    fn well_formed_lines_raise_nothing() {
        for version in VERSIONS {
            let line = [b"GET /a ", version].concat();
            let (method, target, flags) = cut_of(&line);
            assert_eq!((method.as_str(), target.as_str()), ("GET", "/a"));
            assert!(flags.is_empty() || flags == ["HTTP10"], "{flags:?}");
        }
    }

    #[test]
    fn well_formed_lines_are_cut_alike() {
        with_context(|cx| {
            for line in ["GET /a HTTP/1.1", "X *? HTTP/1.0", "CONNECT a:1 HTTP/3", "GET /\u{e9}% HTTP/2"] {
                let line = Text::request(line.as_bytes(), true);
                let mut flags = cx.flags();
                let ((quick, classes), slow) = (cut_well_formed(line).unwrap(), cut_slow(line, &mut flags));
                assert_eq!(quick.method.bytes, slow.method.bytes);
                assert_eq!(quick.target.bytes, slow.target.bytes);
                assert_eq!(classes, bytes::union(slow.target.bytes));
                assert_eq!(quick.version.bytes, slow.version.bytes);
                assert!(flags.set.is_empty());
            }
        });
    }

    #[test]
    fn odd_lines_are_still_cut() {
        for (line, method, target, flags) in [
            (&b"GET /a b HTTP/1.1"[..], "GET", "/a b", &["BADREQLINE"][..]),
            (b"GET  /a HTTP/1.1", "GET", "/a", &["BADREQLINE"]),
            (b" GET /a HTTP/1.1", "GET", "/a", &["BADREQLINE"]),
            (b"GET /a HTTP/1.1 ", "GET", "/a", &["BADREQLINE"]),
            (b"GET\t/a\tHTTP/1.1", "GET", "/a", &["BADREQLINE"]),
            (b"GET\r/a HTTP/1.1", "GET", "/a", &["BADCRLF", "BADREQLINE"]),
            (b"GET /a http/1.1", "GET", "/a", &["BADREQLINE"]),
            (b"GET /a HTTP/1.2", "GET", "/a", &["BADREQLINE"]),
            (b"GET /a", "GET", "/a", &["BADREQLINE", "HTTP09"]),
            (b"GET HTTP/1.1", "GET", "", &["BADREQLINE"]),
            (b"GET", "GET", "", &["BADREQLINE", "HTTP09"]),
            (b"", "", "", &["BADREQLINE", "HTTP09"]),
            (b"GET /a HTTP/1.0", "GET", "/a", &["HTTP10"]),
        ] {
            let got = cut_of(line);
            assert_eq!(
                (got.0.as_str(), got.1.as_str(), got.2.as_slice()),
                (method, target, flags),
                "{}",
                line.escape_ascii()
            );
        }
    }
}
