//! The ways to read a text (clause 7.8.3): as it is, without comments, and as shells read it.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and counts of its bytes")]

use super::is_word;
use crate::bytes::{self, CONTROL, WORD_SIGN};
use crate::index::has_any;
use crate::steps;

/// One way to read a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Everything that is there.
    Plain,
    /// As databases and languages read it: comments are spaces.
    Comments,
    /// As shells read it: what they drop from words is dropped.
    Shell,
}

impl Reading {
    /// Returns whether it drops anything of a text, or may. `byte_classes` is the union of the classes of its bytes, `marks`
    /// that of the marks of its signs, where it is known.
    pub(super) fn may_drop(self, text: &[u8], byte_classes: u32, marks: Option<u8>) -> bool {
        let has = |wanted: u8| marks.is_none_or(|marks| marks & wanted != 0);
        let has_lines = byte_classes & CONTROL != 0;
        // Every comment and quote has a sign.
        byte_classes & (WORD_SIGN | CONTROL) != 0
            && match self {
                Reading::Plain => false,
                Reading::Comments => {
                    let signs = if has_lines { STAR | LINE_COMMENT } else { STAR };
                    has(signs) && has_comment(text, has_lines)
                }
                Reading::Shell => {
                    marks.map_or_else(|| has_any(text, *b"'\"\\$^`"), |marks| marks & QUOTING != 0)
                        || has(ANGLE) && has_empty_substitution(text)
                }
            }
    }
}

/// A sign that shells drop or that an expansion begins with, that a comment has, or that one to the end of the line
/// begins with.
const QUOTING: u8 = 1;
const STAR: u8 = 2;
const LINE_COMMENT: u8 = 4;
/// `<`, which shells drop only as part of `<()`.
const ANGLE: u8 = 8;

/// The bits for a sign that readings ask for.
#[inline]
#[allow(clippy::indexing_slicing, reason = "a u8 cannot leave a table of 256")]
pub(crate) const fn mark(sign: u8) -> u8 {
    const MARKS: [u8; 256] = {
        let mut marks = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            marks[byte] = match byte as u8 {
                b'-' | b'#' => LINE_COMMENT,
                b'*' => STAR,
                b'<' => ANGLE,
                b'\\' | b'^' | b'\'' | b'"' | b'$' | b'`' => QUOTING,
                _ => 0,
            };
            byte += 1;
        }
        marks
    };
    MARKS[sign as usize]
}

/// Returns whether `<()` is in a text.
fn has_empty_substitution(text: &[u8]) -> bool {
    memchr::memchr_iter(b'<', text).any(|at| text.get(at..).is_some_and(|rest| rest.starts_with(b"<()")))
}

/// Returns whether the reading without comments drops anything of a text; `has_lines` is whether it has a line end.
fn has_comment(text: &[u8], has_lines: bool) -> bool {
    steps::slow("searched for comments");
    let mut comments = Comments::default();
    let mut is_comment = |at: usize| comments.skip(text.get(at..).unwrap_or_default()).is_some();
    if has_lines {
        return memchr::memchr3_iter(b'/', b'#', b'-', text).any(is_comment);
    }
    memchr::memchr_iter(b'*', text).any(|at| at.checked_sub(1).is_some_and(&mut is_comment))
}

/// Finds what a reading drops, from the start of a text to its end.
#[derive(Clone, Copy)]
pub(super) struct Dropper {
    reading: Reading,
    comments: Comments,
}

impl Dropper {
    pub(super) fn new(reading: Reading) -> Self {
        Dropper { reading, comments: Comments::default() }
    }

    /// Finds what `rest` begins with that is dropped: whether it is read as a space, and its length.
    pub(super) fn skip(&mut self, rest: &[u8]) -> Option<(bool, usize)> {
        match self.reading {
            Reading::Plain => None,
            Reading::Comments => self.comments.skip(rest).map(|len| (true, len)),
            Reading::Shell => dropped(rest),
        }
    }
}

/// Appends a text without what a reading drops.
pub(super) fn strip(text: &[u8], reading: Reading, stripped: &mut Vec<u8>) {
    steps::slow("text stripped");
    let starts: &[bool; 256] = match reading {
        Reading::Plain => return stripped.extend_from_slice(text),
        Reading::Comments => &COMMENT_STARTS,
        Reading::Shell => &SHELL_STARTS,
    };
    let mut dropper = Dropper::new(reading);
    let (mut at, mut kept) = (0, 0);
    let is_start = |byte: &u8| starts.get(usize::from(*byte)).copied().unwrap_or_default();
    while let Some(step) = text.get(at..).and_then(|rest| rest.iter().position(is_start)) {
        at += step;
        let Some((is_space, len)) = dropper.skip(text.get(at..).unwrap_or_default()) else {
            at += 1;
            continue;
        };
        stripped.extend_from_slice(text.get(kept..at).unwrap_or_default());
        if is_space {
            stripped.push(b' ');
        }
        at += len;
        kept = at;
    }
    stripped.extend_from_slice(text.get(kept..).unwrap_or_default());
}

/// The bytes that a comment, or the mark of one, begins with.
const COMMENT_STARTS: [bool; 256] = table(b"/*#-");
/// The bytes that what shells drop begins with.
const SHELL_STARTS: [bool; 256] = table(b"\\^'\"`$<");

const fn table(set: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut nth = 0;
    while nth < set.len() {
        table[set[nth] as usize] = true;
        nth += 1;
    }
    table
}

/// Finds comments.
#[derive(Clone, Copy, Default)]
struct Comments {
    /// No `*/`, no line end follows any more: neither is searched for twice in vain.
    no_end: bool,
    no_line_end: bool,
    /// How many `/*!`, whose content counts, are open.
    open: usize,
}

impl Comments {
    /// The length of the comment, or of the mark, that `rest` begins with.
    fn skip(&mut self, rest: &[u8]) -> Option<usize> {
        match rest {
            [b'/', b'*', b'!', after @ ..] => {
                self.open += 1;
                Some(3 + after.iter().take_while(|byte| byte.is_ascii_digit()).count())
            }
            [b'*', b'/', ..] if self.open > 0 => {
                self.open -= 1;
                Some(2)
            }
            [b'/', b'*', after @ ..] if !self.no_end => {
                let end = memchr::memmem::find(after, b"*/");
                steps::count(end.unwrap_or(after.len()));
                self.no_end = end.is_none();
                end.map(|end| end + 4)
            }
            [b'#', ..] | [b'-', b'-', ..] if !self.no_line_end => {
                let end = bytes::position(b'\n', rest);
                steps::count(end.unwrap_or(rest.len()));
                self.no_line_end = end.is_none();
                end.map(|end| end + 1)
            }
            _ => None,
        }
    }
}

/// Finds what shells drop from words, or read as a space, and its length: quotes and escapes of `sh` and
/// `cmd.exe`, and what expands to nothing or to white space.
fn dropped(rest: &[u8]) -> Option<(bool, usize)> {
    match rest {
        [b'\\' | b'^', b'\r', b'\n', ..] => Some((false, 3)),
        [b'\\' | b'^', b'\n', ..] => Some((false, 2)),
        [b'\\' | b'^' | b'\'' | b'"', ..] => Some((false, 1)),
        [b'`', b'`', ..] => Some((false, 2)),
        [b'$' | b'<', b'(', b')', ..] => Some((false, 3)),
        [b'$', b'@' | b'*' | b'!' | b'-' | b'0'..=b'9', ..] => Some((false, 2)),
        [b'$', b'{', after @ ..] => {
            let name = after.get(..after.iter().take(16).position(|&byte| byte == b'}')?)?;
            let is_name = |byte: &u8| is_word(*byte) || matches!(byte, b'@' | b'*' | b'!');
            let is_space = name.eq_ignore_ascii_case(b"ifs");
            (!name.is_empty() && name.iter().all(is_name)).then_some((is_space, name.len() + 3))
        }
        [b'$', name @ ..] => {
            let len = name.iter().take(4).take_while(|&&byte| is_word(byte)).count();
            match name.get(..len)? {
                [_] => Some((false, 2)),
                name if name.eq_ignore_ascii_case(b"ifs") => Some((true, 4)),
                _ => None,
            }
        }
        _ => None,
    }
}
