//! Values with embedded line ends, cut into pieces.

use bumpalo::collections::Vec as BumpVec;

use super::header::most_pieces;
use super::whitespace::Break;
use super::{Name, Value};
use crate::bytes;
use crate::context::Context;
use crate::flags::Flags;
use crate::text::Text;

/// Cuts a value at its embedded line ends and reads each piece that is kept. Returns whether there are more.
pub(crate) fn read_all<'a>(
    value: Text<'a>,
    classes: u32,
    breaks: &[Break],
    name: Option<&Name<'a>>,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
    values: &mut BumpVec<'a, Value<'a>>,
) -> bool {
    let Some(name) = name else {
        values.push(Value::unnamed(value, classes, cx, flags));
        return false;
    };
    let Some(b) = breaks.first() else {
        // Nothing is left to trim.
        values.push(Value::read(value, classes, name.text.bytes, name.rule, cx, flags));
        return false;
    };
    let first = value.slice(0..b.at()).trim();
    values.push(Value::read(first, bytes::union(first.bytes), name.text.bytes, name.rule, cx, flags));
    let mut pieces = Pieces::new(value, breaks);
    while pieces.passed() < most_pieces(cx) {
        match pieces.next(cx, flags) {
            Some(piece) => values.extend(piece),
            None => return false,
        }
    }
    pieces.passed() < breaks.len()
}

/// The pieces of a value behind its embedded line ends.
pub(crate) struct Pieces<'p, 'a> {
    value: Text<'a>,
    breaks: &'p [Break],
    next: usize,
}

impl<'p, 'a> Pieces<'p, 'a> {
    pub(crate) fn new(value: Text<'a>, breaks: &'p [Break]) -> Self {
        Pieces { value, breaks, next: 0 }
    }

    /// Passes over the pieces behind the first line ends.
    pub(crate) fn behind(self, passed: usize) -> Self {
        Pieces { next: passed, ..self }
    }

    fn passed(&self) -> usize {
        self.next
    }

    /// Reads the next piece, which may be empty. What follows an empty line is the last.
    pub(crate) fn next<'b>(&mut self, cx: Context<'b>, flags: &mut Flags<'b>) -> Option<Option<Value<'b>>>
    where
        'a: 'b,
    {
        let b = self.breaks.get(self.next)?;
        self.next = self.next.saturating_add(1);
        if b.is_double() {
            self.next = self.breaks.len();
            let rest = self.value.from(b.at());
            return Some(
                (!rest.is_empty()).then(|| Value::unnamed(rest, bytes::union(rest.bytes), cx, flags)),
            );
        }
        let end = self.breaks.get(self.next).map_or(self.value.len(), |b| b.at());
        let piece = self.value.slice(b.at()..end).trim();
        Some((!piece.is_empty()).then(|| Value::embedded(piece, cx, flags)))
    }
}
