//! The step of the request line: cut, and its method and version taken or not.

use crate::bytes::{cut, is_blank, is_token};
use crate::refusal::{Refusal, refuse, require};
use crate::rules::{Methods, Parted, RequestLine, Versions};

/// A request line, cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut<'a> {
    pub(crate) method: &'a [u8],
    pub(crate) target: &'a [u8],
    /// `None` for HTTP/0.9.
    pub(crate) version: Option<&'a [u8]>,
}

impl Cut<'_> {
    /// Returns whether it is of HTTP/1.1 or later.
    pub(crate) fn is_current(&self) -> bool {
        self.version.is_some_and(|version| version > b"HTTP/1.0".as_slice())
    }
}

/// Cuts a request line that is taken.
pub(crate) fn read<'a>(line: &'a [u8], rules: &RequestLine) -> Result<Cut<'a>, Refusal> {
    let cut = match rules.parted_by {
        Parted::Space => by_one_space(line),
        Parted::Spaces => by_run(line, |byte| byte == b' '),
        Parted::Blanks => by_run(line, is_blank),
        Parted::WhiteSpace => by_run(line, |byte| is_blank(byte) || byte == b'\r'),
    };
    let Some((method, target, version)) = cut else { return refuse("a request line without a target") };
    check_method(method, rules)?;
    if version.is_empty() {
        require(rules.http09 && method == b"GET", "a request line without a version")?;
        return Ok(Cut { method, target, version: None });
    }
    let trimmed = if rules.spaces_at_end { crate::bytes::trim_end(version) } else { version };
    require(is_version(trimmed, rules.versions), "a version that is not taken")?;
    Ok(Cut { method, target, version: Some(trimmed) })
}

type Words<'a> = (&'a [u8], &'a [u8], &'a [u8]);

/// The version may be missing, and then is empty.
fn by_one_space(line: &[u8]) -> Option<Words<'_>> {
    let (method, rest) = cut(line, b' ')?;
    let (target, version) = cut(rest, b' ')?;
    Some((method, target, version))
}

fn by_run(line: &[u8], is_space: impl Fn(u8) -> bool + Copy) -> Option<Words<'_>> {
    let (method, rest) = word(line, is_space);
    let (target, rest) = word(rest, is_space);
    (!target.is_empty()).then_some((method, target, rest))
}

/// The first word, and what follows the space behind it.
fn word(text: &[u8], is_space: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| is_space(*byte)).unwrap_or(text.len());
    let (word, mut rest) = text.split_at_checked(end).unwrap_or((text, b""));
    while let [first, after @ ..] = rest
        && is_space(*first)
    {
        rest = after;
    }
    (word, rest)
}

fn check_method(method: &[u8], rules: &RequestLine) -> Result<(), Refusal> {
    let is_in = |list: &[String]| list.iter().any(|there| there.as_bytes() == method);
    let is_taken = match rules.methods {
        Methods::Token => is_token(method),
        Methods::Capitals => {
            !method.is_empty()
                && method.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-'))
        }
        Methods::Listed => is_in(&rules.method_list),
    };
    require(rules.method_longest.is_none_or(|most| method.len() <= most), "a method that is too long")?;
    require(is_taken && !is_in(&rules.methods_refused), "a method that is not taken")
}

fn is_version(version: &[u8], taken: Versions) -> bool {
    let Some(number) = version.strip_prefix(b"HTTP/") else { return false };
    match (taken, number) {
        (Versions::Current, number) => number == b"1.1",
        (Versions::Minor, [b'1', b'.', minor]) => minor.is_ascii_digit(),
        (Versions::LongMinor, [b'1', b'.', minor @ ..]) => {
            matches!(minor.len(), 1 | 2) && minor.iter().all(u8::is_ascii_digit)
        }
        (Versions::Any, [major, b'.', minor]) => major.is_ascii_digit() && minor.is_ascii_digit(),
        _ => false,
    }
}
