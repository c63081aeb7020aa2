//! Header lines whose `H:` line is written at once: nothing of them has to be looked at again, unless a secret of the
//! request is echoed in them or another header has their name.

#![allow(clippy::arithmetic_side_effects, reason = "lengths of parts of one line")]

use crate::bytes::{self, BACKSLASH, ENCODED, HIGH};
use crate::flags::{Flag, FlagSet};
use crate::text::Text;

/// The classes of bytes that a further decoding may change.
pub(crate) const LAYERED: u32 = BACKSLASH | ENCODED | HIGH;

/// How many flags with a word for a parameter a finished line may have.
pub(crate) const MOST_WORDS: usize = 2;

/// A header line, and where its text in the document is.
#[derive(Clone, Copy)]
pub(crate) struct Finished<'a> {
    /// The line as it came, without its end.
    pub(crate) line: &'a [u8],
    /// Where its text begins and ends in the texts of all finished lines ([`crate::context::Spare::lines`]):
    /// `H:name=value`, its flags and the line's end.
    pub(crate) text: (usize, usize),
    pub(crate) record: Record,
}

/// The facts about a finished line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    /// Flags without a parameter, with the name of the header or with a number, and those of `words`.
    pub(crate) flags: FlagSet,
    /// The number that a flag has for a parameter.
    pub(crate) count: u32,
    /// The flags that have a word for a parameter.
    pub(crate) words: [Option<(Flag, &'static str)>; MOST_WORDS],
    /// The length of the value, which ends the line.
    pub(crate) value_len: u32,
    /// The number of bytes it adds to the length of all headers.
    pub(crate) len: u32,
    pub(crate) rank: Rank,
    /// The length of the name, as shown.
    pub(crate) name_len: u16,
    /// True if nothing in the line would be decoded.
    pub(crate) is_plain: bool,
    /// True if the value is shown as one marker, whose signs tokens name.
    pub(crate) is_shape: bool,
    pub(crate) role: Role,
    pub(crate) echo: Echo,
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

/// The first sixteen characters of a name, in lower case, as a number in the order of names: different names may have
/// the same rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u128);

impl Rank {
    pub(crate) fn of(name: &[u8]) -> Self {
        let mut first = [0; 16];
        let len = name.len().min(first.len());
        if let (Some(place), Some(name)) = (first.get_mut(..len), name.get(..len)) {
            place.copy_from_slice(name);
        }
        first.make_ascii_lowercase();
        Rank::new(&first)
    }

    /// By the first characters in lower case; zeros follow a short name.
    pub(crate) fn new(first: &[u8; 16]) -> Self {
        Rank(u128::from_be_bytes(*first))
    }
}

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
        lines.get(self.text.0..self.text.1).unwrap_or_default()
    }

    /// The name, as shown.
    pub(crate) fn name<'t>(&self, lines: &'t [u8]) -> &'t [u8] {
        self.text(lines).get(2..2 + usize::from(self.record.name_len)).unwrap_or_default()
    }

    /// Returns whether it has the same text in any request, so that it may be cached: it holds no secret, and no port
    /// that another scheme implies.
    pub(crate) fn is_alike_everywhere(&self) -> bool {
        match self.record.role {
            Role::Host => bytes::position(b':', self.value().bytes).is_none(),
            _ => self.record.echo == Echo::InLine,
        }
    }

    /// The value as it came, which is repaired and collapsed.
    pub(crate) fn value(&self) -> Text<'a> {
        let line = Text::untraced(self.line);
        line.from(line.len().saturating_sub(self.record.value_len as usize)).repaired()
    }
}
