//! Multipart bodies (clause 8.35): the boundary, and the parts between its delimiter lines.
//!
//! Read as most servers do, which is more than RFC 2046 allows: bare line feeds, no last delimiter,
//! parts after it. What parsers are known to cut in different places raises `BADBOUNDARY`.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and counts of what is in it")]

use std::ops::Range;

use memchr::memmem::Finder;

use super::parameters::{Quotes, parameters};
use super::part;
use super::step::{Outcome, Sink};
use crate::bytes;
use crate::context::Context;
use crate::decode::{self, GUARD};
use crate::flags::{Flag, Flags};
use crate::text::Text;

/// The longest boundary of RFC 2046 section 5.1.1.
const LONGEST_BOUNDARY: usize = 70;

/// RFC 2046 section 5.1.1:
///
/// ```text
/// bchars        = bcharsnospace / " "
/// bcharsnospace = DIGIT / ALPHA / "'" / "(" / ")" / "+" / "_" / "," / "-" / "." / "/" / ":" / "=" / "?"
/// ```
fn is_bchar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte)
}

/// `boundary := 0*69<bchars> bcharsnospace`
fn is_legal(boundary: &[u8]) -> bool {
    boundary.len() <= LONGEST_BOUNDARY
        && boundary.iter().all(|byte| is_bchar(*byte))
        && boundary.last().is_some_and(|byte| *byte != b' ')
}

/// The boundary that the value of a `content-type` names, as bytes.
pub(crate) fn boundary<'a>(
    content_type: Text<'a>,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> Option<Text<'a>> {
    let mut first = None;
    for parameter in parameters(content_type, cx) {
        // `boundary*` and `boundary*0`, which few parsers know.
        let is_starred = bytes::position(b'*', parameter.name.bytes)
            .and_then(|star| parameter.name.bytes.get(..star))
            .is_some_and(|base| base.eq_ignore_ascii_case(b"boundary"));
        if is_starred {
            flags.raise(Flag::BadBoundary, parameter.text);
        }
        let Some(value) = parameter.value.filter(|_| parameter.is_named("boundary")) else { continue };
        if first.is_some() {
            flags.raise(Flag::DupParam, parameter.text);
            continue;
        }
        // Where there are no quotes, some parsers end it at a comma or a blank.
        let is_cut_short = parameter.quotes == Quotes::None
            && value.bytes.iter().any(|&byte| byte == b',' || bytes::is_blank(byte));
        if !is_legal(value.bytes) || is_cut_short || parameter.is_misquoted() {
            flags.raise(Flag::BadBoundary, parameter.text);
        }
        // Blanks at its end would be padding in the body.
        let trimmed = value.part(bytes::trim_end(value.bytes));
        let value = if bytes::position(GUARD, trimmed.bytes).is_none() {
            trimmed
        } else {
            // It is looked for in the bytes of the body.
            Text::untraced(cx.written(|out| decode::write_raw(trimmed.bytes, out)))
        };
        first = Some(value);
    }
    if first.is_none() {
        flags.raise(Flag::BadBoundary, content_type);
    }
    first.filter(|boundary| !boundary.is_empty())
}

/// The parts of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read<'a> {
    /// `Bad` when no delimiter is in it; nothing of it was looked at then.
    pub(crate) outcome: Outcome,
    /// How many parts there are beyond those that were read.
    pub(crate) more: usize,
    /// The bytes of those parts, from their first delimiter on.
    pub(crate) rest: Text<'a>,
}

impl<'a> Read<'a> {
    /// Leaves a part unread; `rest` begins with its delimiter.
    fn leave(&mut self, rest: Text<'a>) {
        if self.more == 0 {
            self.rest = rest;
        }
        self.more += 1;
    }
}

/// Tells `sink` the first `most` parts of a body. `is_cut`: the body went on, but was cut at a limit.
/// Without a boundary, its first line serves if it reads like a delimiter.
pub(crate) fn read<'a>(
    body: Text<'a>,
    boundary: Option<Text<'a>>,
    most: usize,
    is_cut: bool,
    cx: Context<'a>,
    sink: &mut impl Sink<'a>,
    flags: &mut Flags<'a>,
) -> Read<'a> {
    let mut read = Read { outcome: Outcome::Bad, more: 0, rest: body.from(body.len()) };
    let Some(boundary) = declared_or_guessed(boundary, body, flags) else { return read };
    let needle =
        cx.written(|out| [b"\n--", boundary.bytes].iter().for_each(|part| out.extend_from_slice(part)));
    let mut section = Section::Outside { start: 0 };
    let mut count = 0;
    let mut is_closed = false;
    for found in find_delimiters(body.bytes, needle, is_cut) {
        let delimiter = match found {
            Found::Delimiter(delimiter) => delimiter,
            Found::Other(range) => {
                flags.raise_at(Flag::BadBoundary, body, range);
                continue;
            }
        };
        read.outcome = Outcome::Read;
        let before = section;
        if is_closed {
            flags.raise_at(Flag::BadBoundary, body, delimiter.start..delimiter.end);
        }
        section = if delimiter.closes {
            Section::Outside { start: delimiter.end }
        } else {
            count += 1;
            Section::Part { delimiter: delimiter.start, start: delimiter.end, number: count }
        };
        is_closed |= delimiter.closes;
        match before {
            Section::Outside { start } => scan_outside(body.slice(start..delimiter.before), cx, sink, flags),
            Section::Part { start, number, .. } if number <= most => {
                part::read(body.slice(start..delimiter.before), false, cx, sink, flags);
            }
            Section::Part { delimiter, .. } => read.leave(body.from(delimiter)),
        }
    }
    if read.outcome == Outcome::Bad || !is_cut && matches!(section, Section::Part { .. }) {
        flags.raise_at(Flag::BadBoundary, body, 0..0);
    }
    match section {
        _ if read.outcome == Outcome::Bad => {}
        Section::Outside { start } => scan_outside(body.from(start), cx, sink, flags),
        // After a delimiter that ends the body there is nothing that could be a part.
        Section::Part { start, .. } if start >= body.len() => {}
        Section::Part { start, number, .. } if number <= most => {
            part::read(body.from(start), is_cut, cx, sink, flags);
        }
        Section::Part { delimiter, .. } => read.leave(body.from(delimiter)),
    }
    read
}

/// The boundary that is declared, else the one that the body seems to have.
fn declared_or_guessed<'a>(
    declared: Option<Text<'a>>,
    body: Text<'a>,
    flags: &mut Flags<'a>,
) -> Option<Text<'a>> {
    declared.filter(|boundary| !boundary.is_empty()).or_else(|| {
        let guess = guess(body);
        flags.raise(Flag::BadBoundary, guess.unwrap_or(body.slice(0..0)));
        guess
    })
}

/// The section between two delimiters.
#[derive(Clone, Copy)]
enum Section {
    /// The preamble or the epilogue.
    Outside { start: usize },
    /// A part; they are numbered from 1.
    Part { delimiter: usize, start: usize, number: usize },
}

/// Scans a preamble or an epilogue: nobody reads them, which makes them a place to hide.
fn scan_outside<'a>(text: Text<'a>, cx: Context<'a>, sink: &mut impl Sink<'a>, flags: &mut Flags<'a>) {
    let text = text.part(text.bytes.trim_ascii());
    if !text.is_empty() {
        part::scan_text(text, cx, flags);
        sink.unseen(None, text);
    }
}

/// The boundary of a body whose first line, after empty ones, is `--` and a legal boundary. No other
/// would do: a guess must not turn a body into one long delimiter that nobody looks at.
fn guess(body: Text<'_>) -> Option<Text<'_>> {
    let mut rest = body.bytes;
    while let [b'\r', b'\n', after @ ..] | [b'\n', after @ ..] = rest {
        rest = after;
    }
    let line = body.part(rest.strip_prefix(b"--")?);
    let line = line.slice(0..bytes::position(b'\n', line.bytes).unwrap_or(line.len()));
    let line = line.part(line.bytes.strip_suffix(b"\r").unwrap_or(line.bytes));
    let guess = line.part(bytes::trim_end(line.bytes));
    is_legal(guess.bytes).then_some(guess)
}

/// A delimiter line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Delimiter {
    /// Where what precedes it ends: the line end before a delimiter belongs to it.
    before: usize,
    start: usize,
    /// Where what follows its line end begins.
    end: usize,
    closes: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Found {
    Delimiter(Delimiter),
    /// A line that begins like a delimiter and goes on: some parsers cut there all the same.
    Other(Range<usize>),
}

/// Every line that begins with a delimiter. `needle` is a line feed and the delimiter; as no boundary
/// holds a line feed, its occurrences do not overlap.
fn find_delimiters<'b>(body: &'b [u8], needle: &'b [u8], is_cut: bool) -> impl Iterator<Item = Found> + 'b {
    let at_start = needle.get(1..).filter(|delimiter| body.starts_with(delimiter)).map(|_| 0);
    let finder = Finder::new(needle);
    let mut from = 0;
    let after_line_feed = std::iter::from_fn(move || {
        let found = finder.find(body.get(from..)?)?;
        from += found + finder.needle().len();
        Some(from + 1 - finder.needle().len())
    });
    let len = needle.len().saturating_sub(1);
    at_start.into_iter().chain(after_line_feed).map(move |start| {
        let rest = body.get(start + len..).unwrap_or_default();
        let (closes, line_end) = match rest {
            [b'-', b'-', rest @ ..] => (true, line_end(rest).map(|len| len + 2)),
            [b'-'] if is_cut => (true, Some(1)),
            _ => (false, line_end(rest)),
        };
        let Some(line_end) = line_end else { return Found::Other(start..start + len) };
        let before = body.get(..start).unwrap_or_default();
        let before = before.strip_suffix(b"\n").unwrap_or(before);
        let before = before.strip_suffix(b"\r").unwrap_or(before);
        Found::Delimiter(Delimiter { before: before.len(), start, end: start + len + line_end, closes })
    })
}

/// The length of the padding and line end, or end of body, that `text` begins with.
fn line_end(text: &[u8]) -> Option<usize> {
    let rest = bytes::trim_start(text);
    let padding = text.len() - rest.len();
    match rest {
        [] => Some(padding),
        [b'\n', ..] | [b'\r'] => Some(padding + 1),
        [b'\r', b'\n', ..] => Some(padding + 2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;
    use crate::formats::step::{File, Leaf, Step};

    /// Shows leaves as lines: `name=text`, `name=@filename:content`.
    #[derive(Default)]
    struct Lines {
        name: String,
        lines: Vec<String>,
    }

    impl<'a> Sink<'a> for Lines {
        fn enter(&mut self, step: Step<'a>) {
            let Step::Name(name) = step else { panic!("{step:?}") };
            assert!(name.is_repaired());
            self.name = show(name);
        }

        fn leave(&mut self) {}

        fn leaf(&mut self, leaf: Leaf<'a>) {
            let line = match leaf {
                Leaf::Text(text) => {
                    assert!(text.is_repaired());
                    show(text)
                }
                Leaf::File(File { name, content }) => {
                    assert!(name.is_repaired());
                    format!("@{}:{}", show(*name), show(*content))
                }
                other => panic!("{other:?}"),
            };
            self.lines.push(format!("{}={line}", self.name));
        }
    }

    fn show(text: Text<'_>) -> String {
        String::from_utf8_lossy(text.bytes).into_owned()
    }

    struct Seen {
        lines: Vec<String>,
        flags: Vec<&'static str>,
        bad: bool,
        more: usize,
        rest: Vec<u8>,
    }

    fn run(body: &[u8], boundary: Option<&str>, most: usize, is_cut: bool) -> Seen {
        with_context(|cx| {
            let mut flags = cx.flags();
            let mut lines = Lines::default();
            let boundary = boundary.map(|boundary| Text::untraced(boundary.as_bytes()));
            let body = Text::request(body, true);
            let read = read(body, boundary, most, is_cut, cx, &mut lines, &mut flags);
            Seen {
                lines: lines.lines,
                flags: flags.set.iter().map(Flag::name).collect(),
                bad: read.outcome == Outcome::Bad,
                more: read.more,
                rest: read.rest.bytes.to_vec(),
            }
        })
    }

    #[track_caller]
    fn assert_read(body: &str, lines: &[&str], flags: &[&str]) {
        let seen = run(body.as_bytes(), Some("b"), 1000, false);
        assert!(!seen.bad, "{body:?}");
        assert_eq!(seen.lines, lines, "{body:?}");
        assert_eq!(seen.flags, flags, "{body:?}");
    }

    const A: &str = "Content-Disposition: form-data; name=a\r\n";

    #[test]
    fn boundaries() {
        for (value, found, flags) in [
            ("multipart/form-data; boundary=b", Some("b"), &[][..]),
            ("multipart/form-data;BOUNDARY=\"a b\"", Some("a b"), &[]),
            ("multipart/form-data; boundary = ----=_x.1 ; charset=utf-8", Some("----=_x.1"), &[]),
            ("boundary=b", Some("b"), &[]),
            ("multipart/form-data", None, &["BADBOUNDARY"]),
            ("", None, &["BADBOUNDARY"]),
            ("multipart/form-data; boundary", None, &["BADBOUNDARY"]),
            ("multipart/form-data; boundary=", None, &["BADBOUNDARY"]),
            ("multipart/form-data; boundary=\"\"", None, &["BADBOUNDARY"]),
            ("multipart/form-data; boundary=\" \"", None, &["BADBOUNDARY"]),
            ("multipart/form-data; boundary=\"a \"", Some("a"), &["BADBOUNDARY"]),
            ("multipart/form-data; boundary=a b", Some("a b"), &["BADBOUNDARY"]),
            ("multipart/form-data; boundary=a,b", Some("a,b"), &["BADBOUNDARY"]),
            ("multipart/form-data; boundary=\"a,b\"", Some("a,b"), &[]),
            ("multipart/form-data; boundary=a<b", Some("a<b"), &["BADBOUNDARY"]),
            ("multipart/form-data; boundary=\u{e9}", Some("\u{e9}"), &["BADBOUNDARY"]),
            ("multipart/form-data; boundary=\"a\\\"b\"", Some("a\"b"), &["BADBOUNDARY"]),
            ("multipart/form-data; boundary=\"a", Some("a"), &["BADBOUNDARY"]),
            ("multipart/form-data; boundary=\"a\"b", Some("a"), &["BADBOUNDARY"]),
            ("multipart/form-data; boundary=a; boundary=b", Some("a"), &["DUPPARAM"]),
            ("multipart/form-data; boundary=a; Boundary=a", Some("a"), &["DUPPARAM"]),
            ("multipart/form-data; boundary*=utf-8''a", None, &["BADBOUNDARY"]),
            ("multipart/form-data; boundary*0=a; boundary*1=b; boundary=c", Some("c"), &["BADBOUNDARY"]),
            ("multipart/form-data; xboundary=a; boundary=b", Some("b"), &[]),
            ("multipart/form-data; x=\"; boundary=a\"; boundary=b", Some("b"), &[]),
        ] {
            with_context(|cx| {
                let mut raised = cx.flags();
                let text = Text::request(value.as_bytes(), true);
                let boundary = boundary(text, cx, &mut raised).map(|boundary| boundary.bytes);
                assert_eq!(boundary, found.map(str::as_bytes), "{value}");
                assert_eq!(raised.set.iter().map(Flag::name).collect::<Vec<_>>(), flags, "{value}");
            });
        }
        for (len, legal) in [(70, true), (71, false)] {
            let value = format!("multipart/form-data; boundary={}", "b".repeat(len));
            with_context(|cx| {
                let mut flags = cx.flags();
                boundary(Text::untraced(value.as_bytes()), cx, &mut flags).unwrap();
                assert_eq!(flags.set.is_empty(), legal, "{len}");
            });
        }
    }

    #[test]
    fn fields_and_files() {
        assert_read(&format!("--b\r\n{A}\r\n1\r\n--b--\r\n"), &["a=1"], &[]);
        assert_read(
            &format!(
                "--b\r\n{A}\r\n1\r\n\r\n2\r\n--b\r\nContent-Disposition: form-data; name=\"f\"; \
                 filename=\"x.png\"\r\nContent-Type: image/png\r\n\r\n\r\n\r\n--b--"
            ),
            &["a=1\r\n\r\n2", "f=@x.png:\r\n"],
            &[],
        );
        assert_read(
            "--b\r\nContent-Disposition: form-data; name=f; filename=\"\"\r\n\r\n\r\n--b--",
            &["f=@:"],
            &[],
        );
        assert_read("--b--\r\n", &[], &[]);
    }

    #[test]
    fn line_feeds_and_padding() {
        assert_read("--b\nContent-Disposition: form-data; name=a\n\n1\n--b--\n", &["a=1"], &[]);
        assert_read("\r\n--b \t\r\nContent-Disposition: form-data; name=a\n\r\n1\n--b-- \t", &["a=1"], &[]);
        assert_read(&format!("--b\r\n{A}\r\n1\r\r\n--b--"), &["a=1\r"], &[]);
    }

    #[test]
    fn empty_and_headless_parts() {
        assert_read(&format!("--b\r\n{A}\r\n\r\n--b--"), &["a="], &[]);
        assert_read(&format!("--b\r\n{A}\r\n--b--"), &["a="], &[]);
        assert_read(&format!("--b\r\n{A}--b--"), &["a="], &[]);
        assert_read("--b\r\n\r\n1\r\n--b--", &["=1"], &[]);
        assert_read("--b\r\n--b\r\n\r\n--b--", &["=", "="], &[]);
        assert_read(&format!("--b\r\n{A}1\r\n2\r\n--b--"), &["a=1\r\n2"], &["BADBODY"]);
        assert_read("--b\r\n1\r\n--b--", &["=1"], &["BADBODY"]);
    }

    #[test]
    fn other_lines_do_not_cut() {
        assert_read(&format!("--b\r\n{A}\r\n1 --b\r\n2\r\n--b--"), &["a=1 --b\r\n2"], &[]);
        assert_read(&format!("--b\r\n{A}\r\n1\r\n-b\r\n--b--"), &["a=1\r\n-b"], &[]);
        // Those that begin like a delimiter are told.
        for line in ["--bb", "--bb--", "--b-", "--b--x", "--b x", "--b\rx", "--b\u{b}"] {
            let expected = format!("a=1\r\n{line}\r\n2");
            assert_read(
                &format!("--b\r\n{A}\r\n1\r\n{line}\r\n2\r\n--b--"),
                &[expected.as_str()],
                &["BADBOUNDARY"],
            );
        }
        let seen = run(b"--bb\r\n\r\n1\r\n--b\r\n\r\n2\r\n--bb--", Some("bb"), 9, false);
        assert_eq!((seen.lines, seen.flags), (vec!["=1\r\n--b\r\n\r\n2".to_owned()], vec![]));
    }

    #[test]
    fn missing_ends() {
        assert_read(&format!("--b\r\n{A}\r\n1"), &["a=1"], &["BADBOUNDARY"]);
        assert_read(&format!("--b\r\n{A}\r\n1\r\n--b"), &["a=1"], &["BADBOUNDARY"]);
        assert_read(&format!("--b\r\n{A}\r\n1\r\n--b\r\n"), &["a=1"], &["BADBOUNDARY"]);
        for end in ["", "\r\n", "\r\n--", "\r\n--b", "\r\n--b-", "\r\n--b\r", "\r\n--b\r\n"] {
            let body = format!("--b\r\n{A}\r\n1{end}");
            let seen = run(body.as_bytes(), Some("b"), 9, true);
            assert_eq!(seen.lines.len(), 1, "{end:?}");
            assert!(seen.lines[0].starts_with("a=1"), "{end:?}");
            assert!(seen.flags.is_empty() && !seen.bad, "{end:?} {:?}", seen.flags);
        }
        // A cut inside headers.
        let seen = run(b"--b\r\nContent-Disposition: form-data; name=\"a", Some("b"), 9, true);
        assert_eq!((seen.lines, seen.flags), (vec!["a=".to_owned()], vec![]));
    }

    #[test]
    fn no_boundary_in_sight() {
        for (body, boundary) in [
            (&b"a=1"[..], None),
            (b"", None),
            (b"--", None),
            (b"--\r\n", None),
            (b"-- <b>\r\n", None),
            (b"a=1", Some("b")),
            (b"", Some("b")),
            (b"--bb\r\n", Some("b")),
            (b"x--b\r\n", Some("b")),
        ] {
            let seen = run(body, boundary, 9, false);
            assert!(seen.bad && seen.lines.is_empty(), "{}", body.escape_ascii());
            assert_eq!(seen.flags, ["BADBOUNDARY"], "{}", body.escape_ascii());
        }
        let seen = run(format!("\r\n--x y \r\n{A}\r\n1\r\n--x y--").as_bytes(), None, 9, false);
        assert_eq!((seen.lines, seen.flags, seen.bad), (vec!["a=1".to_owned()], vec!["BADBOUNDARY"], false));
        let long = [b"--".to_vec(), vec![b'a'; 1 << 20]].concat();
        assert!(run(&long, None, 9, false).bad, "a line too long for a boundary is no delimiter");
    }

    #[test]
    fn preamble_and_epilogue_are_scanned() {
        assert_read("hello\r\nworld\r\n--b--\r\nbye\r\n\tbye", &[], &[]);
        assert_read("<\r\n--b--", &[], &["ANGLE"]);
        assert_read("--b--\r\n'\r\n\0", &[], &["CONTROL", "NUL", "QUOTE"]);
        assert_read(&format!("--b\r\n{A}\r\n1\r\n--b--\r\n--b--"), &["a=1"], &["BADBOUNDARY"]);
        // Some servers read on.
        assert_read(
            &format!("--b\r\n{A}\r\n1\r\n--b--\r\n(\r\n--b\r\n{A}\r\n2\r\n--b--"),
            &["a=1", "a=2"],
            &["BADBOUNDARY", "PAREN"],
        );
    }

    #[test]
    fn limits() {
        let body = format!("--b\r\n{A}\r\n1\r\n--b\r\n{A}\r\n2\r\n--b\r\n{A}\r\n3\r\n--b--");
        for (most, lines, more) in [(0, 0, 3), (1, 1, 2), (2, 2, 1), (3, 3, 0), (usize::MAX, 3, 0)] {
            let seen = run(body.as_bytes(), Some("b"), most, false);
            assert_eq!((seen.lines.len(), seen.more), (lines, more));
            assert_eq!(seen.rest.is_empty(), more == 0);
            assert!(seen.rest.is_empty() || seen.rest.starts_with(b"--b\r\n"));
        }
        let seen = run(b"--b\n\n1\n--b\n", Some("b"), 1, false);
        assert_eq!((seen.lines.len(), seen.more, seen.rest), (1, 0, vec![]));
        let cut = run(body.strip_suffix("\r\n--b--").unwrap().as_bytes(), Some("b"), 2, true);
        assert_eq!((cut.lines.len(), cut.more), (2, 1));
    }

    #[test]
    fn fifty_thousand_parts() {
        let mut body = String::new();
        for i in 0..50_000 {
            body.push_str(&format!("--b\r\nContent-Disposition: form-data; name=\"n{i}\"\r\n\r\nv\r\n"));
        }
        body.push_str("--b--\r\n");
        let seen = run(body.as_bytes(), Some("b"), usize::MAX, false);
        assert_eq!((seen.lines.len(), seen.more), (50_000, 0));
        assert_eq!(seen.lines.last().map(String::as_str), Some("n49999=v"));
        let seen = run(body.as_bytes(), Some("b"), 128, false);
        assert_eq!((seen.lines.len(), seen.more), (128, 49_872));
    }

    #[test]
    fn hostile_bodies_take_no_time() {
        let mega = 1 << 20;
        let dashes = vec![b'-'; mega];
        assert!(run(&dashes, Some(&"-".repeat(70)), 9, false).lines.is_empty());
        run(&dashes, Some(&"-".repeat(mega / 2)), 9, false);
        run(&dashes, None, 9, false);
        for piece in ["\n--b", "\n--bb", "\r\n--b--", "\n", "\r", "--b\r\n", "\n--b \t", "\n--b\n:", "\n--"] {
            let body = piece.repeat(mega / piece.len());
            run(body.as_bytes(), Some("b"), usize::MAX, false);
            run(body.as_bytes(), Some("b"), 3, true);
        }
        assert!(run(&vec![b'x'; mega], Some("b"), 9, false).bad);
    }

    #[test]
    fn delimiters_are_whole_lines() {
        /// Cuts into lines and compares each, slowly.
        fn plainly(body: &[u8]) -> Vec<(usize, bool)> {
            let mut at = 0;
            let mut found = Vec::new();
            for line in body.split_inclusive(|byte| *byte == b'\n') {
                let text = line.strip_suffix(b"\n").unwrap_or(line);
                let text = bytes::trim_end(text.strip_suffix(b"\r").unwrap_or(text));
                match text {
                    b"--b" => found.push((at, false)),
                    b"--b--" => found.push((at, true)),
                    _ => {}
                }
                at += line.len();
            }
            found
        }
        let alphabet: [&[u8]; 6] = [b"--b", b"-", b"b", b" ", b"\r", b"\n"];
        for n in 0..6_usize.pow(6) {
            let body: Vec<u8> =
                (0..6).flat_map(|digit| alphabet[n / 6_usize.pow(digit) % 6].iter().copied()).collect();
            let found: Vec<_> = find_delimiters(&body, b"\n--b", false)
                .filter_map(|found| match found {
                    Found::Delimiter(delimiter) => Some((delimiter.start, delimiter.closes)),
                    Found::Other(_) => None,
                })
                .collect();
            assert_eq!(found, plainly(&body), "{}", body.escape_ascii());
        }
    }

    #[test]
    fn any_pieces_in_any_order() {
        let pieces = [
            "--b",
            "--b--",
            "\r\n",
            "\n",
            "\r",
            " ",
            "\t",
            ":",
            ";",
            "=",
            "\"",
            "\\",
            "'",
            "%41",
            "%",
            "*",
            "*0",
            "\0",
            "Content-Disposition:",
            "Content-Type:",
            "Content-Transfer-Encoding:",
            "name",
            "filename",
            "charset",
            "base64",
            "quoted-printable",
            "iso-8859-1''",
            "=?utf-8?B?YQ==?=",
            "=?latin1?q?=E9?=",
            "_charset_",
            "\u{e9}",
            "a",
        ];
        let mut seed: u64 = 1;
        for _ in 0..20_000 {
            let mut body = Vec::new();
            for _ in 0..24 {
                // Knuth's MMIX generator.
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                body.extend_from_slice(pieces[(seed >> 33) as usize % pieces.len()].as_bytes());
            }
            let seen = run(&body, Some("b"), 3, seed >> 63 == 1);
            assert!(seen.lines.len() <= 3);
            assert_eq!(seen.rest.is_empty(), seen.more == 0 || seen.bad, "{}", body.escape_ascii());
        }
    }

    #[test]
    fn cut_anywhere() {
        let body = format!(
            "pre\r\n--b\r\n{A}\r\n1\r\n--b \r\ncontent-disposition : form-data;\r\n\tname=\"f\\\"\"; \
             filename*0*=utf-8''x%2E; filename*1=\"php\"\r\nContent-Type: a/b; charset=\"ibm037\"\r\n\
             Content-Transfer-Encoding: base64\r\n\r\nYWJj\r\nYWI=\r\n--b\n\nfoo\0\u{e9}\n--b\r\nX: =?u?Q?a?=\r\n\
             Content-Transfer-Encoding: quoted-printable\r\n\r\na=3D=\r\n=E9\r\n--b--\r\npost"
        );
        for end in 0..=body.len() {
            let prefix = &body.as_bytes()[..end];
            for is_cut in [false, true] {
                for boundary in [Some("b"), None] {
                    let seen = run(prefix, boundary, 9, is_cut);
                    assert!(seen.lines.len() <= 4);
                    // What was read before the cut stays as it was.
                    if boundary.is_some() && seen.lines.len() > 1 {
                        assert_eq!(seen.lines[0], "a=1", "{end}");
                    }
                }
            }
            with_context(|cx| {
                let mut flags = cx.flags();
                boundary(Text::request(prefix, true), cx, &mut flags);
            });
        }
        let seen = run(body.as_bytes(), Some("b"), 9, false);
        assert_eq!(seen.lines, ["a=1", "f\"=@x.php:abcab", "=foo\0\u{e9}", "=a=\u{fffd}E9"]);
        assert_eq!(seen.flags, ["BADUTF8", "BODYCHARSET", "BODYENC", "DUPPARAM"]);
    }
}
