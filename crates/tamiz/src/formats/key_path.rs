//! The paths to the fields of a body: names, items and attributes, as a tree.

#![allow(clippy::arithmetic_side_effects, reason = "counts what is in memory")]

use std::cell::Cell;

use bumpalo::collections::Vec as BumpVec;

use super::step::Step;
use crate::bytes;
use crate::context::Context;
use crate::inspect::Key;
use crate::show::NameShown;
use crate::show::escape::{self, Spot};
use crate::show::marker::{Measured, push};
use crate::text::Text;

/// The index of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SegmentId(u32);

impl SegmentId {
    /// The start of all paths.
    pub(super) const ROOT: SegmentId = SegmentId(0);
    /// Of no segment.
    const NONE: SegmentId = SegmentId(u32::MAX);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kinds of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Root,
    Name,
    Item,
    Attribute,
}

/// The place where paths start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// A body: `user.name`, `$[].id`.
    Body,
    /// A value that is JSON, behind whose key they are shown: `{}.user.name`, `{}[].id`.
    Value,
}

impl Start {
    /// How a path begins, whose first segment is a name or something else.
    fn sign(self, is_name: bool) -> &'static str {
        match (self, is_name) {
            (Start::Body, true) => "",
            (Start::Body, false) => "$",
            (Start::Value, true) => "{}.",
            (Start::Value, false) => "{}",
        }
    }
}

/// The last segment of a path, and the segment before it.
pub(crate) struct Segment<'a> {
    pub(crate) key: Key<'a>,
    parent: SegmentId,
    /// The first segment behind it, the last one that was found or added there, and the one that was added after itself
    /// behind its parent.
    first: SegmentId,
    last: SegmentId,
    next: SegmentId,
    kind: Kind,
    /// True if it makes a secret of what is behind it.
    sensitive: bool,
    /// True if the name is found again by its text: it raises no flag.
    is_quiet: bool,
    /// True if nothing in the name is escaped.
    is_unescaped: bool,
    /// True if it echoes a secret.
    pub(crate) echoes: Cell<bool>,
}

/// A name that was judged.
pub(super) struct Judged<'a> {
    pub(super) key: Key<'a>,
    /// True if its value is a secret.
    pub(super) sensitive: bool,
    /// True if it raises no flag, and would raise none if it came again.
    pub(super) is_quiet: bool,
    /// The union of the classes of its bytes.
    pub(super) classes: u32,
}

impl Judged<'_> {
    /// Of what has no name.
    pub(super) fn nameless() -> Self {
        let key = Key { text: Text::untraced(b""), shown: NameShown::Text };
        Judged { key, sensitive: false, is_quiet: true, classes: 0 }
    }
}

/// All paths. Those that begin alike share segments.
pub(crate) struct Paths<'a> {
    segments: BumpVec<'a, Segment<'a>>,
    /// True if `.`, `[` and `]` in a name are escaped, because they are the path's own.
    pub(super) nested: bool,
}

impl<'a> Segment<'a> {
    fn new(parent: SegmentId, kind: Kind, name: Judged<'a>, nested: bool) -> Self {
        let Judged { key, sensitive, is_quiet, classes } = name;
        Segment {
            key,
            parent,
            first: SegmentId::NONE,
            last: SegmentId::NONE,
            next: SegmentId::NONE,
            kind,
            sensitive,
            is_quiet,
            is_unescaped: escape::is_plain(classes, spot(nested)),
            echoes: Cell::new(false),
        }
    }

    /// Returns whether it may stand for a step: it is the same, and has nothing to tell.
    fn is(&self, step: &Step<'_>) -> bool {
        let is_same = match (step, self.kind) {
            (Step::Item, Kind::Item) => true,
            (Step::Name(name), Kind::Name) | (Step::Attribute(name), Kind::Attribute) => {
                name.bytes == self.key.text.bytes
            }
            _ => false,
        };
        is_same && self.is_quiet
    }

    /// Returns whether the name is shown as it is.
    fn is_plain(&self) -> bool {
        self.is_unescaped && self.key.shown == NameShown::Text && !self.echoes.get()
    }

    /// Returns whether it has a name: an item has none.
    fn is_named(&self) -> bool {
        matches!(self.kind, Kind::Name | Kind::Attribute)
    }

    fn write(&self, nested: bool, cx: Context<'_>, out: &mut Vec<u8>) {
        let text = self.key.text.bytes;
        let measured = || Measured::of(text, bytes::union(text), cx);
        match self.key.shown {
            _ if self.echoes.get() => measured().write(true, out),
            NameShown::Text => escape::write(text, spot(nested), out),
            NameShown::Shape => measured().write(false, out),
            NameShown::ShapeAlone => measured().alone().write(false, out),
            NameShown::Secret => measured().write(true, out),
        }
    }
}

/// Where a name is shown, `nested` in a value that has a structure or by itself.
fn spot(nested: bool) -> Spot {
    if nested { Spot::Member } else { Spot::Name }
}

impl<'a> Paths<'a> {
    pub(super) fn new(nested: bool, cx: Context<'a>) -> Self {
        let mut segments = BumpVec::with_capacity_in(16, cx.bump);
        segments.push(Segment::new(SegmentId::NONE, Kind::Root, Judged::nameless(), nested));
        Paths { segments, nested }
    }

    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    fn get(&self, id: SegmentId) -> Option<&Segment<'a>> {
        self.segments.get(id.index())
    }

    /// The segments that are names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Segment<'a>> {
        self.segments.iter().filter(|segment| segment.is_named())
    }

    /// The segments that are names, to be changed.
    pub(crate) fn names_mut(&mut self) -> impl Iterator<Item = &mut Segment<'a>> {
        self.segments.iter_mut().filter(|segment| segment.is_named())
    }

    /// The segment before another.
    pub(super) fn before(&self, id: SegmentId) -> SegmentId {
        self.get(id).map_or(SegmentId::ROOT, |segment| segment.parent)
    }

    /// Returns whether a segment, or one before it, makes a secret of what is behind it.
    pub(super) fn is_sensitive(&self, id: SegmentId) -> bool {
        self.get(id).is_some_and(|segment| segment.sensitive)
    }

    /// The text of the last name on the path to a segment.
    pub(super) fn last_name(&self, id: SegmentId) -> Option<&'a [u8]> {
        self.last_of(id, Segment::is_named)
    }

    /// The text of the last name on the path to a segment that is no attribute.
    pub(super) fn last_element(&self, id: SegmentId) -> Option<&'a [u8]> {
        self.last_of(id, |segment| segment.kind == Kind::Name)
    }

    fn last_of(&self, id: SegmentId, is_wanted: impl Fn(&Segment<'a>) -> bool) -> Option<&'a [u8]> {
        let mut segment = self.get(id)?;
        while !is_wanted(segment) {
            segment = self.get(segment.parent)?;
        }
        Some(segment.key.text.bytes)
    }

    /// Finds the segment for a step behind `parent`. Objects mostly have the members of the one before, in the same order:
    /// it is looked for among a few that follow the one that was last found, so that it may be missed.
    pub(super) fn find(&mut self, parent: SegmentId, step: &Step<'a>) -> Option<SegmentId> {
        const FEW: usize = 4;
        let above = self.get(parent)?;
        let mut id = self.get(above.last)?.next;
        for _ in 0..FEW {
            let is_end = id == SegmentId::NONE;
            if is_end {
                id = above.first;
            }
            let segment = self.get(id)?;
            if segment.is(step) {
                self.segments.get_mut(parent.index())?.last = id;
                return Some(id);
            }
            if is_end {
                break;
            }
            id = segment.next;
        }
        None
    }

    /// Adds a segment behind `parent`; where it `stays`, it may be found again.
    pub(super) fn add(&mut self, parent: SegmentId, kind: Kind, name: Judged<'a>, stays: bool) -> SegmentId {
        let id = SegmentId(u32::try_from(self.segments.len()).unwrap_or(u32::MAX));
        let mut segment = Segment::new(parent, kind, name, self.nested);
        if let Some(above) = self.segments.get_mut(parent.index()) {
            segment.sensitive |= above.sensitive;
            if stays {
                let before = std::mem::replace(&mut above.last, id);
                if before == SegmentId::NONE {
                    above.first = id;
                } else if let Some(before) = self.segments.get_mut(before.index()) {
                    segment.next = std::mem::replace(&mut before.next, id);
                }
            }
        }
        self.segments.push(segment);
        id
    }

    /// Lets go of the last segment, which was added to stay nowhere; returns its name where that is a secret.
    pub(super) fn pop(&mut self) -> Option<Text<'a>> {
        let segment = self.segments.pop()?;
        (segment.key.shown == NameShown::Secret).then_some(segment.key.text)
    }

    /// The paths to fields, as shown: each path, and each name on it, is written once.
    pub(super) fn keys(
        &self,
        start: Start,
        ids: impl Iterator<Item = SegmentId>,
        cx: Context<'a>,
    ) -> BumpVec<'a, &'a [u8]> {
        let mut keys = BumpVec::with_capacity_in(ids.size_hint().0, cx.bump);
        let mut written = Written { start, paths: BumpVec::new_in(cx.bump), names: BumpVec::new_in(cx.bump) };
        for id in ids {
            let alone = if start == Start::Body { self.name_alone(id) } else { None };
            keys.push(alone.unwrap_or_else(|| {
                if written.paths.is_empty() {
                    written.paths.resize(self.len(), None);
                }
                self.key(id, &mut written, cx)
            }));
        }
        keys
    }

    /// The path to a field that is one name, shown as it is.
    fn name_alone(&self, id: SegmentId) -> Option<&'a [u8]> {
        let segment = self.get(id)?;
        let is_alone = segment.parent == SegmentId::ROOT && segment.is_plain();
        (is_alone && segment.kind == Kind::Name).then_some(segment.key.text.bytes)
    }

    fn key(&self, id: SegmentId, written: &mut Written<'a>, cx: Context<'a>) -> &'a [u8] {
        if let Some(known) = written.paths.get(id.index()).copied().flatten() {
            return known;
        }
        let mut path = BumpVec::with_capacity_in(8, cx.bump);
        let mut at = id;
        while let Some(segment) = self.get(at).filter(|segment| segment.kind != Kind::Root) {
            path.push(at);
            at = segment.parent;
        }
        let key = cx.written(|out| {
            let first = path.last().and_then(|first| self.get(*first));
            push(out, written.start.sign(first.is_some_and(|first| first.kind == Kind::Name)));
            for id in path.iter().rev() {
                self.write_segment(*id, written, cx, out);
            }
        });
        if let Some(place) = written.paths.get_mut(id.index()) {
            *place = Some(key);
        }
        key
    }

    fn write_segment(&self, id: SegmentId, written: &mut Written<'a>, cx: Context<'a>, out: &mut Vec<u8>) {
        let Some(segment) = self.get(id) else { return };
        match segment.kind {
            Kind::Root => {}
            Kind::Item => return push(out, "[]"),
            Kind::Attribute => out.push(b'@'),
            Kind::Name if segment.parent == SegmentId::ROOT => {}
            Kind::Name => out.push(b'.'),
        }
        if segment.is_plain() {
            out.extend_from_slice(segment.key.text.bytes);
            return;
        }
        if written.names.is_empty() {
            written.names.resize(self.len(), None);
        }
        let Some(name) = written.names.get_mut(id.index()) else { return };
        let write = || cx.written(|out| segment.write(self.nested, cx, out));
        out.extend_from_slice(name.get_or_insert_with(write));
    }
}

/// The paths and names that are written already, by their segments; empty before the first.
struct Written<'a> {
    start: Start,
    paths: BumpVec<'a, Option<&'a [u8]>>,
    names: BumpVec<'a, Option<&'a [u8]>>,
}
