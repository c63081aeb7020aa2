//! Parameters in sections, in two spellings, given more than once (RFC 2231, RFC 5987).

use bumpalo::collections::Vec as BumpVec;

use super::encoded;
use super::part::scan_text;
use crate::bytes;
use crate::context::Context;
use crate::flags::{Flag, Flags};
use crate::text::{Builder, Text};

/// A piece of a parameter (RFC 2231 section 3): `name*0` or `name*0*`.
pub(super) struct Section<'a> {
    pub(super) number: u32,
    pub(super) is_extended: bool,
    pub(super) value: Text<'a>,
}

impl Section<'_> {
    /// Returns whether it begins `charset'lang'`, which holds for all.
    pub(super) fn names_charset(&self) -> bool {
        self.is_extended && self.number == 0
    }
}

/// Joins the sections of a parameter by their numbers.
pub(super) fn join<'a>(
    mut sections: BumpVec<'a, Section<'a>>,
    is_traced: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> Text<'a> {
    let from_latin1 = sections
        .iter()
        .find(|section| section.names_charset())
        .is_some_and(|section| encoded::is_extended_latin1(section.value));
    sections.sort_by_key(|section| section.number);
    let len = sections.iter().map(|section| section.value.len()).sum();
    let mut builder = Builder::new(cx.bump, is_traced, len);
    for section in sections {
        builder.copy(if section.names_charset() {
            encoded::decode_extended(section.value, cx, flags)
        } else if section.is_extended {
            encoded::decode_escapes(section.value, from_latin1, cx)
        } else {
            section.value
        });
    }
    builder.finish()
}

/// Which of the two parameters that matter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Name,
    Filename,
}

/// How the name of a parameter is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// `name`
    Plain,
    /// `name*` (RFC 8187)
    Extended,
    /// `name*0`, `name*1*` (RFC 2231 section 3)
    Section { number: u32, is_extended: bool },
}

impl Spelling {
    pub(super) fn of(name: &[u8]) -> Option<(Of, Spelling)> {
        let star = bytes::position(b'*', name);
        let (base, suffix) = name.split_at_checked(star.unwrap_or(name.len()))?;
        let of = if base.eq_ignore_ascii_case(b"name") {
            Of::Name
        } else if base.eq_ignore_ascii_case(b"filename") {
            Of::Filename
        } else {
            return None;
        };
        let spelling = match suffix {
            [] => Spelling::Plain,
            [_] => Spelling::Extended,
            [_, digits @ .., b'*'] => Spelling::Section { number: number(digits)?, is_extended: true },
            [_, digits @ ..] => Spelling::Section { number: number(digits)?, is_extended: false },
        };
        Some((of, spelling))
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok().filter(|_| bytes::all(digits, bytes::DIGIT))?.parse().ok()
}

/// A parameter that may be given more than once.
#[derive(Default)]
pub(super) struct Field<'a> {
    /// The one that counts.
    pub(super) value: Option<Text<'a>>,
    has_plain: bool,
    has_extended: bool,
}

impl<'a> Field<'a> {
    /// Takes a value if there is none yet. Another in the same spelling, or another value in the other
    /// one, is `DUPPARAM`; it is scanned, since no leaf will hold it.
    pub(super) fn offer(
        &mut self,
        value: Text<'a>,
        spelling: Spelling,
        evidence: Text<'a>,
        cx: Context<'a>,
        flags: &mut Flags<'a>,
    ) {
        let seen = if spelling == Spelling::Plain { &mut self.has_plain } else { &mut self.has_extended };
        let is_repeat = std::mem::replace(seen, true);
        match self.value {
            None => self.value = Some(value),
            Some(first) => {
                if is_repeat || first.bytes != value.bytes {
                    flags.raise(Flag::DupParam, evidence);
                }
                scan_text(value, cx, flags);
            }
        }
    }
}
