//! Header lines whose `H:` line is written at once: nothing of them has to be looked at again, unless a secret of the
//! request is echoed in them or another header has their name.

#![allow(clippy::arithmetic_side_effects, reason = "lengths of parts of one line")]

use crate::bytes::{BACKSLASH, ENCODED, HIGH};
use crate::flags::{Flag, FlagSet};
use crate::text::Text;

/// The classes of bytes that a further decoding may change.
pub(crate) const LAYERED: u32 = BACKSLASH | ENCODED | HIGH;

/// How many flags with a word for a parameter a finished line may have.
pub(crate) const MOST_WORDS: usize = 2;

/// The flags of a line that have a word for a parameter, by flag and word.
pub(crate) type Words = [Option<(Flag, &'static str)>; MOST_WORDS];

/// The words of most lines.
pub(crate) static NO_WORDS: Words = [None; MOST_WORDS];

/// A header line, and where its text in the document is.
#[derive(Clone, Copy)]
pub(crate) struct Finished<'a> {
    /// The line as it came, without its end.
    pub(crate) line: &'a [u8],
    pub(crate) words: &'a Words,
    /// Where its text begins in the texts of all finished lines ([`crate::context::Spare::lines`]): `H:name=value`, its
    /// flags and the line's end.
    pub(crate) start: u32,
    pub(crate) record: Record,
}

// Each line has one.
const _: () = assert!(size_of::<Finished<'_>>() <= 64);

/// The facts about a finished line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    /// Flags without a parameter, with the name of the header or with a number, and those with a word.
    pub(crate) flags: [u64; 2],
    /// The length of its text.
    pub(crate) text_len: u32,
    pub(crate) rank: Rank,
    /// The number of bytes it adds to the length of all headers.
    pub(crate) len: u16,
    /// The number that a flag has for a parameter.
    pub(crate) count: u16,
    /// The length of the name, as shown.
    pub(crate) name_len: u8,
    /// True if nothing in the line would be decoded.
    pub(crate) is_plain: bool,
    /// True if the value is shown as one marker, whose signs tokens name.
    pub(crate) is_shape: bool,
    pub(crate) role: Role,
    pub(crate) echo: Echo,
}

impl Record {
    pub(crate) fn flags(&self) -> FlagSet {
        FlagSet::from_words(self.flags)
    }

    pub(crate) fn set_flags(&mut self, flags: FlagSet) {
        self.flags = flags.words();
    }
}

/// Where a finished line would show an echo of a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Echo {
    /// Anywhere in the line.
    #[default]
    InLine,
    /// In its name alone: the value is a host or a secret itself, or its parts are looked at one by one.
    InName,
}

/// Where a name is in the order of names: names that are not known may share a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(pub(crate) u16);

/// The part of a header that other stages read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    #[default]
    None,
    Host,
    ContentType,
    ContentLength,
}

impl<'a> Finished<'a> {
    /// Its text, of the texts of all finished lines.
    pub(crate) fn text<'t>(&self, lines: &'t [u8]) -> &'t [u8] {
        lines.get(self.start as usize..self.end()).unwrap_or_default()
    }

    /// Where its text ends in the texts of all finished lines.
    pub(crate) fn end(&self) -> usize {
        self.start as usize + self.record.text_len as usize
    }

    /// The name, as shown.
    pub(crate) fn name<'t>(&self, lines: &'t [u8]) -> &'t [u8] {
        self.text(lines).get(2..2 + usize::from(self.record.name_len)).unwrap_or_default()
    }

    /// Returns whether it has the same text in any request, so that it may be finished in advance: it holds no secret, and
    /// no host.
    pub(crate) fn is_alike_everywhere(&self) -> bool {
        self.record.role != Role::Host && self.record.echo == Echo::InLine
    }

    /// The value as it came, which is repaired and collapsed.
    pub(crate) fn value(&self) -> Text<'a> {
        let value = self.line.get(usize::from(self.record.name_len) + 1..).unwrap_or_default();
        Text::untraced(value.strip_prefix(b" ").unwrap_or(value)).repaired()
    }
}
