//! Sets of flags, and the evidence behind them.

use std::mem::ManuallyDrop;
use std::ops::Range;

use bumpalo::Bump;
use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use super::{Flag, Parameter};
use crate::text::Text;

/// A set of flags without parameters, kept in the order documents list them: by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlagSet(u128);

const _: () = assert!(Flag::ALL.len() <= 128, "FlagSet needs another word");

impl FlagSet {
    /// The flags that are shown without a parameter.
    const PLAIN: FlagSet = FlagSet::with(Parameter::None);
    /// The flags that are shown with a key.
    const OF_KEYS: FlagSet = FlagSet::with(Parameter::Key);

    /// The flags with a kind of parameter.
    #[allow(clippy::arithmetic_side_effects, reason = "runs at compile time, where overflow is an error")]
    const fn with(parameter: Parameter) -> FlagSet {
        let mut set = FlagSet(0);
        let mut nth = 0;
        while nth < Flag::ALL.len() {
            let flag = Flag::ALL[nth];
            if flag.parameter_kind() as u8 == parameter as u8 {
                set.0 |= 1 << flag.rank();
            }
            nth += 1;
        }
        set
    }

    /// Those of its flags that are shown without a parameter.
    pub(crate) fn plain(self) -> FlagSet {
        self.intersection(FlagSet::PLAIN)
    }

    /// Those of its flags that are shown with a key.
    pub(crate) fn of_keys(self) -> FlagSet {
        self.intersection(FlagSet::OF_KEYS)
    }

    pub(crate) fn insert(&mut self, flag: Flag) {
        self.0 |= 1 << flag.rank();
    }

    pub(crate) fn contains(self, flag: Flag) -> bool {
        self.0 & (1 << flag.rank()) != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn union(self, other: FlagSet) -> FlagSet {
        FlagSet(self.0 | other.0)
    }

    pub(crate) fn intersection(self, other: FlagSet) -> FlagSet {
        FlagSet(self.0 & other.0)
    }

    pub(crate) fn without(self, other: FlagSet) -> FlagSet {
        FlagSet(self.0 & !other.0)
    }

    /// The set as two words, which need less room beside others than a number of their size does.
    pub(crate) fn words(self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> 64) as u64]
    }

    pub(crate) fn from_words([low, high]: [u64; 2]) -> Self {
        FlagSet(u128::from(high) << 64 | u128::from(low))
    }

    /// The flags, by name.
    #[allow(clippy::arithmetic_side_effects, reason = "it is not zero")]
    pub(crate) fn iter(self) -> impl Iterator<Item = Flag> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let rank = rest.trailing_zeros();
            rest &= rest - 1;
            Flag::of_rank(rank)
        })
    }
}

impl FromIterator<Flag> for FlagSet {
    fn from_iter<I: IntoIterator<Item = Flag>>(flags: I) -> Self {
        let mut set = FlagSet::default();
        for flag in flags {
            set.insert(flag);
        }
        set
    }
}

/// Why a range of the request is remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It raised this flag.
    Flag(Flag, Range<usize>),
    /// It is a secret, or something the document does not show.
    Hidden(Range<usize>),
}

/// The flags of one place, with their evidence when it is asked for.
#[derive(Debug)]
pub(crate) struct Flags<'a> {
    pub(crate) set: FlagSet,
    bump: &'a Bump,
    /// `None` for most places: no words, and no evidence is kept. In the arena, so that nothing is to be dropped.
    more: Option<ManuallyDrop<Box<'a, More<'a>>>>,
}

/// Data that few places have.
#[derive(Debug)]
struct More<'a> {
    /// The words of the flags whose parameter is one; each once.
    words: BumpVec<'a, (Flag, &'static str)>,
    marks: Option<BumpVec<'a, Mark>>,
}

impl<'a> Flags<'a> {
    pub(crate) fn new(bump: &'a Bump, traced: bool) -> Self {
        let more = traced.then(|| ManuallyDrop::new(Box::new_in(More::new(bump, true), bump)));
        Flags { set: FlagSet::default(), bump, more }
    }

    fn marks_mut(&mut self) -> Option<&mut BumpVec<'a, Mark>> {
        self.more.as_mut()?.marks.as_mut()
    }

    /// Raises `flag`, by all of `text`.
    pub(crate) fn raise(&mut self, flag: Flag, text: Text<'_>) {
        self.raise_at(flag, text, 0..text.len());
    }

    /// Raises `flag`, by `range` of `text`. What is raised by an absence has no evidence.
    pub(crate) fn raise_at(&mut self, flag: Flag, text: Text<'_>, range: Range<usize>) {
        self.set.insert(flag);
        if let Some(marks) = self.marks_mut()
            && let Some(origin) = text.origin(range).filter(|origin| !origin.is_empty())
        {
            marks.push(Mark::Flag(flag, origin));
        }
    }

    /// Raises `flag` with the word it is about, by `range` of `text`.
    pub(crate) fn raise_word(&mut self, flag: Flag, word: &'static str, text: Text<'_>, range: Range<usize>) {
        self.raise_at(flag, text, range);
        self.add_word(flag, word);
    }

    fn add_word(&mut self, flag: Flag, word: &'static str) {
        let bump = self.bump;
        let new = || ManuallyDrop::new(Box::new_in(More::new(bump, false), bump));
        let words = &mut self.more.get_or_insert_with(new).words;
        if !words.contains(&(flag, word)) {
            words.push((flag, word));
        }
    }

    /// The words of the flags whose parameter is one.
    pub(crate) fn words(&self) -> &[(Flag, &'static str)] {
        self.more.as_ref().map_or(&[], |more| &more.words)
    }

    /// Remembers that the document hides `text`.
    pub(crate) fn hide(&mut self, text: Text<'_>) {
        if let Some(marks) = self.marks_mut()
            && let Some(origin) = text.whole_origin().filter(|origin| !origin.is_empty())
        {
            marks.push(Mark::Hidden(origin));
        }
    }

    /// Takes over the flags of a part of this place.
    pub(crate) fn absorb(&mut self, other: &Flags<'_>) {
        self.set = self.set.union(other.set);
        other.words().iter().for_each(|(flag, word)| self.add_word(*flag, word));
        if let Some(marks) = self.marks_mut() {
            marks.extend(other.marks().iter().cloned());
        }
    }

    /// Hands over those of its flags that `is_taken` takes, and what is hidden.
    pub(crate) fn absorb_into(&self, other: &mut Flags<'_>, is_taken: impl Fn(Flag) -> bool) {
        other.absorb_only(self, self.set.iter().filter(|flag| is_taken(*flag)).collect());
    }

    /// Takes over the flags among `allowed`, and what is hidden.
    pub(crate) fn absorb_only(&mut self, other: &Flags<'_>, allowed: FlagSet) {
        self.set = self.set.union(other.set.intersection(allowed));
        let words = other.words().iter().filter(|(flag, _)| allowed.contains(*flag));
        words.for_each(|(flag, word)| self.add_word(*flag, word));
        if let Some(marks) = self.marks_mut() {
            marks.extend(
                other
                    .marks()
                    .iter()
                    .filter(|mark| match mark {
                        Mark::Flag(flag, _) => allowed.contains(*flag),
                        Mark::Hidden(_) => true,
                    })
                    .cloned(),
            );
        }
    }

    pub(crate) fn marks(&self) -> &[Mark] {
        self.more.as_ref().and_then(|more| more.marks.as_deref()).unwrap_or_default()
    }
}

impl<'a> More<'a> {
    fn new(bump: &'a Bump, traced: bool) -> Self {
        More { words: BumpVec::new_in(bump), marks: traced.then(|| BumpVec::new_in(bump)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_list_flags_by_name() {
        let set: FlagSet = Flag::ALL.iter().copied().collect();
        let names: Vec<&str> = set.iter().map(Flag::name).collect();
        assert!(names.is_sorted());
        assert_eq!(names.len(), Flag::ALL.len());
    }
}
