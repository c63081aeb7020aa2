//! Accessors of a flag: the columns of the registry, and the order of flags by name.

#![allow(clippy::arithmetic_side_effects, reason = "runs at compile time, where overflow is an error")]

use super::registry::{ROWS, Row};
use super::{Family, Flag, Parameter, Weight};
use crate::flags::Profile;

/// The flags by name: `BY_NAME[rank]` is an id.
const BY_NAME: [u8; Flag::ALL.len()] = by_name();
/// The place of each flag in `BY_NAME`.
const RANKS: [u8; Flag::ALL.len()] = ranks();

const fn less(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() {
        if a[i] != b[i] {
            return a[i] < b[i];
        }
        i += 1;
    }
    a.len() < b.len()
}

const fn by_name() -> [u8; Flag::ALL.len()] {
    let mut ids = [0; Flag::ALL.len()];
    let mut filled = 0;
    while filled < ids.len() {
        let mut at = filled;
        while at > 0 && less(ROWS[filled].name.as_bytes(), ROWS[ids[at - 1] as usize].name.as_bytes()) {
            ids[at] = ids[at - 1];
            at -= 1;
        }
        ids[at] = filled as u8;
        filled += 1;
    }
    ids
}

const fn ranks() -> [u8; Flag::ALL.len()] {
    let mut ranks = [0; Flag::ALL.len()];
    let mut rank = 0;
    while rank < ranks.len() {
        ranks[BY_NAME[rank] as usize] = rank as u8;
        rank += 1;
    }
    ranks
}

impl Flag {
    #[allow(clippy::indexing_slicing, reason = "ids are the indexes of ROWS, as asserted above")]
    const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The name documents use: `DOUBLEPCT`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// A number that never changes and is never reused.
    pub const fn id(self) -> u16 {
        self as u16
    }

    /// The flag with this exact name, which has no parameter in it.
    pub fn from_name(name: &str) -> Option<Flag> {
        let at = BY_NAME
            .binary_search_by_key(&name, |&id| ROWS.get(usize::from(id)).map_or("", |row| row.name))
            .ok()?;
        Flag::of_rank(u32::try_from(at).ok()?)
    }

    /// The kind of text after the name's colon, if there is one: `key`, `name`, `n` or `word`.
    pub const fn parameter(self) -> Option<&'static str> {
        match self.row().parameter {
            Parameter::None => None,
            Parameter::Key => Some("key"),
            Parameter::Name => Some("name"),
            Parameter::Number => Some("n"),
            Parameter::Word => Some("word"),
        }
    }

    /// Its name without a parameter, as a line ends with it: ` [NAME]`.
    pub(crate) const fn in_brackets(self) -> &'static str {
        self.row().in_brackets
    }

    pub(crate) const fn parameter_kind(self) -> Parameter {
        self.row().parameter
    }

    /// The family that it belongs to.
    pub const fn family(self) -> Family {
        self.row().family
    }

    /// How telling it is.
    pub const fn weight(self) -> Weight {
        self.row().weight
    }

    /// The smallest profile that has it.
    pub const fn profile(self) -> Profile {
        self.row().profile
    }

    /// The clause of `spec/canonical-form.md` that defines it.
    pub const fn clause(self) -> &'static str {
        self.row().clause
    }

    /// The meaning for a request, in a sentence.
    pub const fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// Why that matters, in a sentence.
    pub const fn why(self) -> &'static str {
        self.row().why
    }

    /// A request that raises it in profile `full`.
    pub const fn raises(self) -> &'static [u8] {
        self.row().raises
    }

    /// A request much like [`raises`](Self::raises) that does not raise it.
    pub const fn near_miss(self) -> &'static [u8] {
        self.row().near_miss
    }

    /// Its place among all flags by name.
    #[allow(clippy::indexing_slicing, reason = "ids are the indexes of RANKS")]
    pub(crate) const fn rank(self) -> u32 {
        RANKS[self as usize] as u32
    }

    pub(crate) fn of_rank(rank: u32) -> Option<Flag> {
        let id = BY_NAME.get(usize::try_from(rank).ok()?)?;
        Flag::ALL.get(usize::from(*id)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_flags() {
        for &flag in Flag::ALL {
            assert_eq!(Flag::from_name(flag.name()), Some(flag));
        }
        assert_eq!(Flag::from_name("NOSUCHFLAG"), None);
    }
}
