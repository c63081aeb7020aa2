//! One part of a multipart body (clause 8.35): its headers, and the leaf that it is.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use bumpalo::collections::Vec as BumpVec;

use super::charset;
use super::encoded::{self, Coding};
use super::parameters::{Parameter, Quotes, parameters};
use super::sections::{Field, Of, Section, Spelling, join};
use super::step::{File, Leaf, Sink, Step};
use crate::bytes;
use crate::context::Context;
use crate::decode::utf8;
use crate::flags::{Flag, Flags};
use crate::scan::{self, Kind};
use crate::text::{Builder, Classified, Text};

/// Reads what stands between two delimiters. `is_cut`: its end is not known.
pub(super) fn read<'a>(
    part: Text<'a>,
    is_cut: bool,
    cx: Context<'a>,
    sink: &mut impl Sink<'a>,
    flags: &mut Flags<'a>,
) {
    let (block, content) = split(part, is_cut, flags);
    let mut headers = Headers::new(is_cut && content.is_none());
    for line in unfold(block, cx) {
        headers.read(line, cx, flags);
        match header_name(line) {
            Some((name, value)) => sink.unseen(Some(name), value),
            None => sink.unseen(None, line),
        }
    }
    let mut content = content.unwrap_or(part.from(part.len()));
    if let Some(Some(coding)) = headers.coding {
        content = coding.decode(content, is_cut, cx, flags);
    }
    let name = utf8::repair(headers.name.value.unwrap_or(part.slice(0..0)), cx, flags);
    let leaf = match headers.filename.value {
        Some(filename) => {
            Leaf::File(cx.bump.alloc(File { name: utf8::repair(filename, cx, flags), content }))
        }
        None => {
            if name.bytes.eq_ignore_ascii_case(b"_charset_") {
                check_charset(content, flags);
            }
            Leaf::Text(utf8::repair(content, cx, flags))
        }
    };
    sink.enter(Step::Name(name));
    if headers.is_sensitive {
        sink.secret_leaf(leaf);
    } else {
        sink.leaf(leaf);
    }
    sink.leave();
}

/// `BODYCHARSET` for a charset that somebody names.
fn check_charset<'a>(charset: Text<'a>, flags: &mut Flags<'a>) {
    let name = charset.part(charset.bytes.trim_ascii());
    if !name.is_empty() && !charset::is_usual(name.bytes) {
        flags.raise(Flag::BodyCharset, name);
    }
}

/// Scans text that no leaf holds.
pub(super) fn scan_text<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    let text = utf8::repair(text, cx, flags);
    scan::scan(text.classified(), Kind::Leaf, false, cx, flags);
}

/// Cuts at the first empty line: headers, content. Where there is none, content begins at the first line
/// that is no header, which is odd; a part of headers alone is not (RFC 2046 section 5.1.1). `None` for
/// content that may be yet to come.
fn split<'a>(part: Text<'a>, is_cut: bool, flags: &mut Flags<'a>) -> (Text<'a>, Option<Text<'a>>) {
    let line_ends = memchr::memchr_iter(b'\n', part.bytes).map(|at| at + 1);
    for start in std::iter::once(0).chain(line_ends) {
        let blank = match part.bytes.get(start..) {
            Some([b'\r', b'\n', ..]) => 2,
            Some([b'\n', ..]) => 1,
            _ => continue,
        };
        return (part.slice(0..start), Some(part.from(start + blank)));
    }
    if is_cut {
        return (part, None);
    }
    let mut rest = part;
    while let Some((line, after)) = take_line(rest) {
        let is_fold =
            rest.len() < part.len() && line.bytes.first().is_some_and(|byte| bytes::is_blank(*byte));
        if !is_fold && header_name(line).is_none() {
            flags.raise(Flag::BadBody, line);
            break;
        }
        rest = after;
    }
    (part.slice(0..part.len() - rest.len()), Some(rest))
}

/// The first line, without its end, and what follows it.
fn take_line(text: Text<'_>) -> Option<(Text<'_>, Text<'_>)> {
    if text.is_empty() {
        return None;
    }
    let (line, rest) = text.cut(b'\n').unwrap_or((text, text.from(text.len())));
    let line = match line.bytes {
        [.., b'\r'] => line.slice(0..line.len() - 1),
        _ => line,
    };
    Some((line, rest))
}

/// The lines of a header block, each with those that continue it.
pub(crate) fn unfold<'a>(block: Text<'a>, cx: Context<'a>) -> impl Iterator<Item = Text<'a>> {
    let mut rest = block;
    std::iter::from_fn(move || {
        let (line, after) = take_line(rest)?;
        rest = after;
        let mut joined: Option<Builder<'a>> = None;
        while rest.bytes.first().is_some_and(|byte| bytes::is_blank(*byte)) {
            let (next, after) = take_line(rest)?;
            let builder = joined.get_or_insert_with(|| {
                let mut builder = Builder::new(cx.bump, line.is_traced(), line.len() + next.len() + 1);
                builder.copy(line);
                builder
            });
            builder.trim_blanks_at_end();
            builder.put(b" ", rest.slice(0..1));
            builder.copy(next.trim());
            rest = after;
        }
        Some(joined.map_or(line, Builder::finish))
    })
}

/// The name and value of a header line, if it is one.
fn header_name(line: Text<'_>) -> Option<(Text<'_>, Text<'_>)> {
    let (name, value) = line.cut(b':')?;
    let name = name.trim();
    bytes::is_token(name.bytes).then_some((name, value.trim()))
}

/// The headers of a part.
struct Headers<'a> {
    name: Field<'a>,
    filename: Field<'a>,
    /// That of the first `Content-Transfer-Encoding`.
    coding: Option<Option<Coding>>,
    has_disposition: bool,
    /// True if one of its names, of which only the first counts, makes a secret of its content.
    is_sensitive: bool,
    /// True if the last line may go on.
    is_cut: bool,
}

impl<'a> Headers<'a> {
    fn new(is_cut: bool) -> Self {
        let (name, filename) = (Field::default(), Field::default());
        Headers { name, filename, coding: None, has_disposition: false, is_sensitive: false, is_cut }
    }

    fn read(&mut self, line: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
        let Some((name, value)) = header_name(line) else {
            scan_text(line, cx, flags);
            return;
        };
        let is = |known: &str| name.bytes.eq_ignore_ascii_case(known.as_bytes());
        if is("content-disposition") {
            self.read_disposition(line, value, cx, flags);
        } else if is("content-type") {
            self.read_type(value, cx, flags);
        } else {
            scan_text(value, cx, flags);
            if is("content-transfer-encoding") {
                let coding = Coding::read(value, flags);
                self.coding.get_or_insert(coding);
            }
        }
    }

    /// The first `Content-Disposition` counts, and in it the first name and the first file name.
    fn read_disposition(&mut self, line: Text<'a>, value: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
        let is_first = !std::mem::replace(&mut self.has_disposition, true);
        if !is_first {
            flags.raise(Flag::DupParam, line);
            self.judge_names(value, cx);
        }
        let mut sections = [BumpVec::new_in(cx.bump), BumpVec::new_in(cx.bump)];
        let [of_name, of_filename] = &mut sections;
        for parameter in parameters(value, cx) {
            self.check_quotes(&parameter, flags);
            let named = Spelling::of(parameter.name.bytes).zip(parameter.value).filter(|_| is_first);
            let Some(((of, spelling), value)) = named else {
                scan_parameter(&parameter, cx, flags);
                continue;
            };
            scan_text(parameter.trailing, cx, flags);
            let decoded = match spelling {
                Spelling::Plain => encoded::decode_words(value, cx, flags),
                Spelling::Extended => encoded::decode_extended(value, cx, flags),
                Spelling::Section { number, is_extended } => {
                    flags.raise(Flag::DupParam, parameter.text);
                    let sections = if of == Of::Name { &mut *of_name } else { &mut *of_filename };
                    sections.push(Section { number, is_extended, value });
                    continue;
                }
            };
            self.offer(of, decoded, spelling, parameter.text, cx, flags);
        }
        for (of, sections) in [Of::Name, Of::Filename].into_iter().zip(sections) {
            if !sections.is_empty() {
                let joined = join(sections, value.is_traced(), cx, flags);
                self.offer(of, joined, Spelling::Extended, joined, cx, flags);
            }
        }
    }

    fn offer(
        &mut self,
        of: Of,
        value: Text<'a>,
        spelling: Spelling,
        evidence: Text<'a>,
        cx: Context<'a>,
        flags: &mut Flags<'a>,
    ) {
        match of {
            Of::Name => {
                self.judge(value, cx);
                self.name.offer(value, spelling, evidence, cx, flags);
            }
            Of::Filename => self.filename.offer(value, spelling, evidence, cx, flags),
        }
    }

    /// Judges a name by which a parser may know the part.
    fn judge(&mut self, name: Text<'a>, cx: Context<'a>) {
        let Classified { text, classes } = utf8::repair(name, cx, &mut cx.flags()).classified();
        self.is_sensitive |= cx.settings.names.matches(text.bytes, classes, cx);
    }

    /// Judges the names of a `Content-Disposition` that does not count.
    fn judge_names(&mut self, value: Text<'a>, cx: Context<'a>) {
        let mut sections = BumpVec::new_in(cx.bump);
        for parameter in parameters(value, cx) {
            let Some(((Of::Name, spelling), value)) = Spelling::of(parameter.name.bytes).zip(parameter.value)
            else {
                continue;
            };
            match spelling {
                Spelling::Plain => self.judge(encoded::decode_words(value, cx, &mut cx.flags()), cx),
                Spelling::Extended => self.judge(encoded::decode_extended(value, cx, &mut cx.flags()), cx),
                Spelling::Section { number, is_extended } => {
                    sections.push(Section { number, is_extended, value });
                }
            }
        }
        if !sections.is_empty() {
            self.judge(join(sections, value.is_traced(), cx, &mut cx.flags()), cx);
        }
    }

    fn read_type(&mut self, value: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
        let mut has_charset = false;
        for parameter in parameters(value, cx) {
            self.check_quotes(&parameter, flags);
            scan_parameter(&parameter, cx, flags);
            if let Some(charset) = parameter.value
                && parameter.is_named("charset")
            {
                check_charset(charset, flags);
                if std::mem::replace(&mut has_charset, true) {
                    flags.raise(Flag::DupParam, parameter.text);
                }
            }
        }
    }

    /// `BADBODY` where quotes do not pair, or hold what parsers that do not know them cut at.
    fn check_quotes(&self, parameter: &Parameter<'a>, flags: &mut Flags<'a>) {
        let is_cut_by_some = parameter.quotes == Quotes::Closed
            && (parameter.is_named("name") || parameter.is_named("filename"))
            && parameter.value.is_some_and(|value| bytes::position(b';', value.bytes).is_some());
        if parameter.is_misquoted() && !self.is_cut || is_cut_by_some {
            flags.raise(Flag::BadBody, parameter.text);
        }
    }
}

/// Scans a parameter that no leaf shows.
fn scan_parameter<'a>(parameter: &Parameter<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    scan_text(parameter.name, cx, flags);
    if let Some(value) = parameter.value {
        scan_text(value, cx, flags);
    }
    scan_text(parameter.trailing, cx, flags);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    /// The one leaf of a part.
    #[derive(Default)]
    struct Seen {
        name: Vec<u8>,
        filename: Option<Vec<u8>>,
        content: Vec<u8>,
    }

    impl<'a> Sink<'a> for Seen {
        fn enter(&mut self, step: Step<'a>) {
            let Step::Name(name) = step else { panic!("{step:?}") };
            self.name = name.bytes.to_vec();
        }

        fn leave(&mut self) {}

        fn leaf(&mut self, leaf: Leaf<'a>) {
            match leaf {
                Leaf::Text(text) => self.content = text.bytes.to_vec(),
                Leaf::File(File { name, content }) => {
                    self.filename = Some(name.bytes.to_vec());
                    self.content = content.bytes.to_vec();
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn run(part: &[u8]) -> (Seen, Vec<String>) {
        with_context(|cx| {
            let mut flags = cx.flags();
            let mut seen = Seen::default();
            read(Text::request(part, true), false, cx, &mut seen, &mut flags);
            let bare = |flag: &Flag| flags.words().iter().all(|(of, _)| of != flag);
            let mut told: Vec<String> =
                flags.set.iter().filter(bare).map(|flag| flag.name().to_owned()).collect();
            told.extend(flags.words().iter().map(|(flag, word)| format!("{flag}:{word}")));
            told.sort();
            (seen, told)
        })
    }

    /// A disposition with these parameters.
    #[track_caller]
    fn assert_disposition(parameters: &str, name: &str, filename: Option<&str>, flags: &[&str]) {
        let part = format!("Content-Disposition: form-data; {parameters}\r\n\r\nx");
        let (seen, told) = run(part.as_bytes());
        assert_eq!(String::from_utf8_lossy(&seen.name), name, "{parameters}");
        let seen_filename = seen.filename.map(|name| String::from_utf8_lossy(&name).into_owned());
        assert_eq!(seen_filename.as_deref(), filename, "{parameters}");
        assert_eq!(seen.content, b"x");
        assert_eq!(told, flags, "{parameters}");
    }

    #[test]
    fn names_in_every_quoting() {
        assert_disposition("name=a", "a", None, &[]);
        assert_disposition("NAME = \"a b\" ; x=y", "a b", None, &[]);
        assert_disposition("name='a'", "'a'", None, &[]);
        assert_disposition(r#"name="a\"b\\c\d""#, r#"a"b\c\d"#, None, &[]);
        assert_disposition("name=\"a%22b\"", "a%22b", None, &[]);
        assert_disposition(r#"name=a; filename="C:\dir\a.txt""#, "a", Some(r"C:\dir\a.txt"), &[]);
        assert_disposition(r#"filename="\\host\share\a.txt""#, "", Some(r"\host\share\a.txt"), &[]);
        assert_disposition("name=\"a; filename=b", "a; filename=b", None, &["BADBODY"]);
        assert_disposition("name=\"a\"b; filename=c", "a", Some("c"), &["BADBODY"]);
        assert_disposition("name=\"a\"<; filename=c", "a", Some("c"), &["ANGLE", "BADBODY"]);
        assert_disposition("filename=", "", Some(""), &[]);
        assert_disposition("filename", "", None, &[]);
        assert_disposition("name=\u{e9}", "\u{e9}", None, &[]);
        assert_disposition("name=a; x=<; y=\"'\"", "a", None, &["ANGLE", "QUOTE"]);
        assert_disposition("name=\"<\"", "<", None, &[]);
    }

    #[test]
    fn repeated_names() {
        assert_disposition("name=a; name=b", "a", None, &["DUPPARAM"]);
        assert_disposition("name=a; Name=a", "a", None, &["DUPPARAM"]);
        assert_disposition("name=a; name=<", "a", None, &["ANGLE", "DUPPARAM"]);
        assert_disposition("filename=a; filename=b", "", Some("a"), &["DUPPARAM"]);
        assert_disposition("filename=a; filename*=utf-8''a", "", Some("a"), &[]);
        assert_disposition("filename=a; filename*=utf-8''%61", "", Some("a"), &[]);
        assert_disposition("filename=a; filename*=utf-8''b", "", Some("a"), &["DUPPARAM"]);
        assert_disposition("filename*=utf-8''b; filename=a", "", Some("b"), &["DUPPARAM"]);
        assert_disposition("filename*=utf-8''b; filename*=utf-8''b", "", Some("b"), &["DUPPARAM"]);
        assert_disposition("name*=utf-8''a; name=a", "a", None, &[]);
        assert_disposition("filename*=\"utf-8''%e2%82%ac\"", "", Some("\u{20ac}"), &[]);
        assert_disposition("filename*=iso-8859-1''%E9", "", Some("\u{e9}"), &[]);
        assert_disposition("filename*=ibm037''a", "", Some("a"), &["BODYCHARSET"]);
        assert_disposition(
            "filename=\"=?utf-8?B?w6k=?=\"; filename*=utf-8''%C3%A9",
            "",
            Some("\u{e9}"),
            &["BODYENC:base64"],
        );
    }

    #[test]
    fn names_in_sections() {
        assert_disposition("filename*1=hp; filename*0=a.p", "", Some("a.php"), &["DUPPARAM"]);
        assert_disposition("filename*0*=utf-8''a%2E; filename*1*=ph%70", "", Some("a.php"), &["DUPPARAM"]);
        assert_disposition("filename=a; filename*0=b", "", Some("a"), &["DUPPARAM"]);
        assert_disposition("name*0=a; name*1=b", "ab", None, &["DUPPARAM"]);
        for not in ["name*x=a", "name*1x=a", "name**=a", "name*99999999999=a", "name*+1=a"] {
            assert_disposition(not, "", None, &[]);
        }
    }

    #[track_caller]
    fn assert_part(part: &[u8], name: &str, content: &[u8], flags: &[&str]) {
        let (seen, told) = run(part);
        assert_eq!(seen.name, name.as_bytes(), "{}", part.escape_ascii());
        assert_eq!(seen.content, content, "{}", part.escape_ascii());
        assert_eq!(told, flags, "{}", part.escape_ascii());
    }

    #[test]
    fn header_lines() {
        assert_part(b"content-DISPOSITION:form-data;\r\n\tname=a\r\n \r\n ;x=y\r\n\r\n1", "a", b"1", &[]);
        assert_part(b" Content-Disposition : form-data; name=a\n\n1", "a", b"1", &[]);
        assert_part(b"X: 1\r\nno colon\r\nContent-Disposition: f; name=a\r\n\r\n1", "a", b"1", &[]);
        assert_part(b"X: <\r\nno (colon)\r\n\r\n1", "", b"1", &["ANGLE", "PAREN"]);
        assert_part(b"X\0: a\r\n\r\n1", "", b"1", &["CONTROL", "NUL"]);
        assert_part(b"X: a\tb\r\n\r\n1", "", b"1", &[]);
        let twice = b"Content-Disposition: f; name=a\r\nContent-Disposition: f; name=\"'\"\r\n\r\n1";
        assert_part(twice, "a", b"1", &["DUPPARAM", "QUOTE"]);
        assert_part(b"Content-Disposition: name=a\r\n\r\n1", "a", b"1", &[]);
        assert_part(b"\r\n\r\n", "", b"\r\n", &[]);
        assert_part(b"", "", b"", &[]);
        assert_part(b"X: \xE9\r\n\r\n\xE9\0", "", b"\xFFE9\0", &["BADUTF8"]);
    }

    #[test]
    fn types_and_encodings() {
        assert_part(b"Content-Type: a/b; charset=\"UTF-8\"\r\n\r\n1", "", b"1", &[]);
        assert_part(b"Content-Type: a/b; charset=utf-16\r\n\r\n1", "", b"1", &["BODYCHARSET"]);
        assert_part(b"Content-Type: a/b; charset=\r\n\r\n1", "", b"1", &[]);
        assert_part(
            b"Content-Type: a/b; charset=utf-8; charset=utf-7\r\n\r\n1",
            "",
            b"1",
            &["BODYCHARSET", "DUPPARAM"],
        );
        assert_part(b"Content-Type: a/b; x=\"<\"\r\n\r\n1", "", b"1", &["ANGLE"]);
        assert_part(b"Content-Transfer-Encoding: binary\r\n\r\nYQ==", "", b"YQ==", &[]);
        assert_part(b"Content-Transfer-Encoding: base64\r\n\r\nYQ==", "", b"a", &["BODYENC:base64"]);
        assert_part(
            b"Content-Transfer-Encoding: base64\r\n\r\n<>",
            "",
            b"<>",
            &["BADBODY", "BODYENC:base64"],
        );
        assert_part(
            b"Content-Transfer-Encoding: 7bit\r\nContent-Transfer-Encoding: x\r\n\r\nYQ==",
            "",
            b"YQ==",
            &["BODYENC:other"],
        );
        let nested = b"Content-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\n1\r\n--c--";
        assert_part(nested, "", b"--c\r\n\r\n1\r\n--c--", &[]);
    }

    #[test]
    fn the_charset_field() {
        let part =
            |charset: &str| format!("Content-Disposition: f; name=_charset_\r\n\r\n{charset}").into_bytes();
        for plain in ["utf-8", " UTF-8\r\n", "iso-8859-1", ""] {
            assert_part(&part(plain), "_charset_", plain.as_bytes(), &[]);
        }
        assert_part(&part("utf-7"), "_charset_", b"utf-7", &["BODYCHARSET"]);
    }

    #[test]
    fn evidence_leads_to_the_request() {
        use crate::flags::Mark;
        with_context(|cx| {
            let mut flags = cx.flags();
            let text = b"Content-Disposition: f; name=a;\r\n name=\"<\"\r\n\r\n1";
            read(Text::request(text, true), false, cx, &mut Seen::default(), &mut flags);
            let told: Vec<_> = flags
                .marks()
                .iter()
                .map(|mark| match mark {
                    Mark::Flag(flag, range) => (flag.name(), &text[range.clone()]),
                    Mark::Hidden(_) => panic!("nothing is hidden here"),
                })
                .collect();
            assert_eq!(told, [("DUPPARAM", &b"name=\"<\""[..]), ("ANGLE", b"<")]);
        });
    }

    #[test]
    fn hostile_headers_take_no_time() {
        let mega = 1 << 20;
        for piece in [
            "a",
            ":",
            "\r\n ",
            "\n\t",
            "x\n",
            "x:\n",
            ";",
            "; name=",
            "; name=\"",
            "\\\"",
            "; a=\"\\\"\"",
            "; name*0=a",
            "=?",
            "; filename*=''%",
            "Content-Disposition:\n",
            "; a",
            "\0",
        ] {
            let piece = piece.repeat(mega / piece.len());
            for (before, after) in
                [("", ""), ("Content-Disposition: f; name=\"", "\r\n\r\n"), ("Content-Type: ", "")]
            {
                run(format!("{before}{piece}{after}").as_bytes());
            }
        }
    }
}
