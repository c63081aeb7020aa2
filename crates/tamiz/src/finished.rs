//! Header lines whose `H:` line is written at once: nothing of them has to be looked at again, unless a secret of the
//! request is echoed in them or another header has their name.

#![allow(clippy::arithmetic_side_effects, reason = "lengths of parts of one line")]

use crate::bytes::{BACKSLASH, ENCODED, HIGH};
use crate::flags::{Flag, FlagSet};
use crate::text::Text;

/// The classes of bytes that a further decoding may change.
pub(crate) const LAYERED: u32 = BACKSLASH | ENCODED | HIGH;

/// How many flags with a parameter a line may have.
pub(crate) const MOST_PARAMETERS: usize = 2;

/// A header line and its text in the document.
#[derive(Clone, Copy)]
pub(crate) struct Finished<'a> {
    /// The line as it came, without its end.
    pub(crate) line: &'a [u8],
    /// `H:name=value`, its flags and the line's end.
    pub(crate) text: &'a [u8],
    pub(crate) record: Record,
}

/// The facts about a finished line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    /// Flags without a parameter.
    pub(crate) plain: FlagSet,
    pub(crate) parameters: [Option<(Flag, Parameter)>; MOST_PARAMETERS],
    /// The length of the name, as shown.
    pub(crate) name_len: u16,
    /// The length of the value, which ends the line.
    pub(crate) value_len: u32,
    /// The number of bytes it adds to the length of all headers.
    pub(crate) len: usize,
    pub(crate) rank: Rank,
    /// Whether nothing in the line would be decoded.
    pub(crate) is_plain: bool,
    /// Whether the value is shown as one marker, whose signs tokens name.
    pub(crate) is_shape: bool,
    pub(crate) role: Role,
}

/// The parameter of a flag that a line raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// The header's own name, as shown.
    Name,
    Word(&'static str),
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
        Rank(u128::from_be_bytes(first))
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
    /// The name, as shown.
    pub(crate) fn name(&self) -> &'a [u8] {
        self.text.get(2..2 + usize::from(self.record.name_len)).unwrap_or_default()
    }

    /// The value as it came, which is repaired and collapsed.
    pub(crate) fn value(&self) -> Text<'a> {
        let line = Text::untraced(self.line);
        line.from(line.len().saturating_sub(self.record.value_len as usize)).repaired()
    }
}

impl Record {
    /// Adds flags with a parameter; `None` where they are too many.
    pub(crate) fn with_parameters(
        mut self,
        parameters: impl Iterator<Item = (Flag, Parameter)>,
    ) -> Option<Self> {
        let mut slots = self.parameters.iter_mut();
        for parameter in parameters {
            *slots.next()? = Some(parameter);
        }
        Some(self)
    }
}
