//! The path to a field of a body: names, items and attributes.

use std::cell::{Cell, OnceCell};

use crate::bytes;
use crate::context::Context;
use crate::inspect::Key;
use crate::show::NameShown;
use crate::show::escape::{self, Spot};
use crate::show::marker::Measured;

/// A segment of the path to a field. Names are given by their index.
#[derive(Clone, Copy)]
pub(super) enum Segment {
    Name(usize),
    Item,
    Attribute(usize),
}

/// A name on the path to a field, judged once.
pub(crate) struct Name<'a> {
    pub(crate) key: Key<'a>,
    pub(super) sensitive: bool,
    /// True if it echoes a secret.
    pub(crate) echoes: Cell<bool>,
    /// How it is shown where it is not shown as it is; many fields may share a long name.
    measured: OnceCell<Measured>,
}

impl<'a> Name<'a> {
    pub(super) fn new(key: Key<'a>, sensitive: bool) -> Self {
        Name { key, sensitive, echoes: Cell::new(false), measured: OnceCell::new() }
    }

    /// Where it is shown, `nested` in a value that is JSON or by itself.
    pub(super) fn spot(nested: bool) -> Spot {
        if nested { Spot::Member } else { Spot::Name }
    }

    pub(super) fn write(&self, nested: bool, cx: Context<'_>, out: &mut Vec<u8>) {
        let measured = || {
            self.measured
                .get_or_init(|| Measured::of(self.key.text.bytes, bytes::union(self.key.text.bytes), cx))
        };
        match self.key.shown {
            _ if self.echoes.get() => measured().write(true, out),
            NameShown::Text => escape::write(self.key.text.bytes, Self::spot(nested), out),
            NameShown::Shape => measured().write(false, out),
            NameShown::ShapeAlone => measured().alone().write(false, out),
            NameShown::Secret => measured().write(true, out),
        }
    }
}
