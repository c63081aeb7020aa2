//! One header, opened: its value in pieces, and what the rest of the request asks of it.

use bumpalo::collections::Vec as BumpVec;

use super::whitespace::Break;
use super::{Name, Pieces, Value};
use crate::bytes::COLON;
use crate::config::Limits;
use crate::context::Context;
use crate::flags::{Flag, Flags};
use crate::hidden;
use crate::text::Text;

/// One `H:` line to be.
pub(crate) struct Header<'a> {
    /// `None` for a line without a colon.
    pub(crate) name: Option<Name<'a>>,
    /// The value in pieces: one, unless line ends were embedded in it.
    pub(crate) values: BumpVec<'a, Value<'a>>,
    /// The whole value, collapsed and joined.
    pub(crate) whole: Text<'a>,
    /// The union of the classes of its bytes.
    pub(crate) classes: u32,
    pub(super) breaks: BumpVec<'a, Break>,
    /// What is known of the pieces behind those that are kept, where there are more.
    pub(crate) rest: Option<Rest>,
    /// Whether it is a continuation of nothing.
    pub(crate) is_orphan: bool,
    /// How many bytes `name: value` had, before normalising.
    pub(crate) len: usize,
    pub(crate) flags: Flags<'a>,
}

/// The pieces of a value that are read again whenever they are asked for: all of them are shown, and a record of each would
/// take a hundred times its memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rest {
    /// How many cookies are in them.
    cookies: usize,
    /// Whether there are more segments or pairs of a URL than are shown.
    is_capped: bool,
    /// Whether there may be secrets in them.
    pub(crate) may_hold_secrets: bool,
}

/// So many pieces of a value are kept.
pub(super) const MOST_PIECES: usize = 64;

/// How many pieces of a value are kept; with evidence, all of them.
pub(super) fn most_pieces(cx: Context<'_>) -> usize {
    if cx.traced { usize::MAX } else { MOST_PIECES }
}

impl<'a> Header<'a> {
    /// Returns whether lines may have been joined to its value: it is folded, or repeats another.
    pub(crate) fn is_joined(&self) -> bool {
        self.flags.set.contains(Flag::ObsFold) || self.flags.set.contains(Flag::DupHdr)
    }

    /// The pieces behind those that are kept.
    pub(crate) fn rest_of_pieces(&self) -> Pieces<'_, 'a> {
        let passed = if self.rest.is_some() { MOST_PIECES } else { self.breaks.len() };
        Pieces::new(self.whole, &self.breaks).behind(passed)
    }

    /// Reads the pieces behind those that are kept for what they tell of the whole.
    pub(super) fn read_rest(&mut self, cx: Context<'a>) {
        let mut rest = Rest::default();
        let mut pieces = Pieces::new(self.whole, &self.breaks).behind(MOST_PIECES);
        cx.spare.with_arena(|arena| {
            loop {
                arena.reset();
                let shared = cx.in_arena(arena);
                let local = Context::new(&shared);
                let (mut told, mut limits) = (local.flags(), local.flags());
                let Some(value) = pieces.next(local, &mut told) else { return };
                self.flags.absorb(&told);
                if let Some(value) = value {
                    value.check_limits(&cx.settings.config.limits, &mut limits);
                    rest.is_capped |= !limits.set.is_empty();
                    rest.cookies = rest.cookies.saturating_add(value.cookies());
                    rest.may_hold_secrets |= value.content.may_hold_secrets();
                }
            }
        });
        self.rest = Some(rest);
    }

    /// Returns whether it is the header of this name, spelt exactly so, case apart.
    pub(crate) fn is_named(&self, name: &[u8]) -> bool {
        self.name.as_ref().is_some_and(|known| known.is_exact && known.text.bytes == name)
    }

    /// `HIDDENHDR`: a name that is misspelt, a line without a colon, and what follows embedded line ends.
    pub(crate) fn check_disguise(&self, cx: Context<'a>, flags: &mut Flags<'a>) {
        match &self.name {
            // It is told already, as it came.
            None if self.is_orphan => {}
            None => hidden::check_piece(self.before_line_ends(), cx, flags),
            Some(name) if name.rule.is_known && name.is_exact => {}
            Some(name) => hidden::check_odd_name(name.raw, cx, flags),
        }
        for piece in self.after_line_ends() {
            hidden::check_piece(piece, cx, flags);
        }
        if self.name.is_some() && self.classes & COLON != 0 {
            hidden::check_value(self.whole, flags);
        }
    }

    /// `CAPPED`: more segments or pairs of a URL than are shown.
    pub(crate) fn check_limits(&self, limits: &Limits, flags: &mut Flags<'a>) {
        for value in &self.values {
            value.check_limits(limits, flags);
        }
        if self.rest.is_some_and(|rest| rest.is_capped) {
            flags.raise(Flag::Capped, Text::untraced(b""));
        }
    }

    /// How many cookies it holds.
    pub(crate) fn cookies(&self) -> usize {
        let of_rest = self.rest.map_or(0, |rest| rest.cookies);
        self.values.iter().map(|value| value.cookies()).sum::<usize>().saturating_add(of_rest)
    }

    /// Returns the text before the first embedded line end.
    pub(crate) fn before_line_ends(&self) -> Text<'a> {
        self.whole.slice(0..self.breaks.first().map_or(self.whole.len(), |b| b.at()))
    }

    /// Lists the texts that follow embedded line ends, each up to the next.
    pub(crate) fn after_line_ends(&self) -> impl Iterator<Item = Text<'a>> {
        let ends = self.breaks.iter().skip(1).map(|b| b.at()).chain(std::iter::once(self.whole.len()));
        self.breaks.iter().zip(ends).map(|(b, end)| self.whole.slice(b.at()..end).trim())
    }
}
