//! The fields of a body: the key of each, its leaf, whether it is a secret.

#![allow(clippy::arithmetic_side_effects, reason = "counts what is in memory")]

use std::cell::Cell;

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use super::embedded::{self, Embedded};
use super::key_path::{self, Paths, SegmentId, Start};
use super::leaf;
use super::step::{Leaf, Sink, Step};
use super::unseen::Unseen;
use crate::bytes::{self, BACKSLASH, COLON, ENCODED, SLASH};
use crate::context::Context;
use crate::flags::{Flag, Flags, Parameter};
use crate::inspect::{JudgedKey, Key, MorePairs, scan_value};
use crate::scan::{self, Kind, LastName};
use crate::show::NameShown;
use crate::steps;
use crate::text::{Classified, Text};

/// One value of a body.
pub(crate) struct Field<'a> {
    pub(crate) leaf: Leaf<'a>,
    pub(crate) flags: Flags<'a>,
    /// Its leaves, where it is JSON.
    pub(crate) json: Option<&'a Embedded<'a>>,
    /// The union of the classes of the bytes of its text, where that is known.
    classes: Option<u32>,
    /// The last segment of the path to it.
    segment: SegmentId,
    /// True if the value is a secret by its name or by itself.
    pub(crate) secret: bool,
    /// True if it echoes one.
    pub(crate) echoes: Cell<bool>,
}

impl<'a> Field<'a> {
    /// Returns whether the value is shown as a secret.
    pub(crate) fn is_secret(&self) -> bool {
        self.secret || self.echoes.get()
    }

    /// Returns whether nothing in its value is a secret.
    pub(crate) fn is_in_clear(&self) -> bool {
        !self.is_secret() && self.json.is_none_or(|json| !json.holds_secret())
    }

    /// The flags of the leaves of a value that is JSON.
    pub(crate) fn leaf_flags(&self) -> impl Iterator<Item = &Flags<'a>> {
        self.json.iter().flat_map(|json| json.leaf_flags())
    }

    /// These flags, each with what its key adds to the field's.
    pub(crate) fn keyed_leaf_flags(&self) -> impl Iterator<Item = (&'a [u8], &Flags<'a>)> {
        self.json.iter().flat_map(|json| json.keyed_leaf_flags())
    }

    /// The union of the classes of the bytes of its text, where that is known.
    pub(crate) fn classes(&self) -> Option<u32> {
        self.classes
    }
}

/// The fields of a body, in order of arrival.
pub(crate) struct Fields<'a> {
    cx: Context<'a>,
    /// How many are shown.
    most: usize,
    /// At most so many.
    pub(crate) list: BumpVec<'a, Field<'a>>,
    /// The paths to these, and to the last leaf.
    pub(crate) paths: Paths<'a>,
    /// How many of their segments stay, whatever leaf follows.
    kept_segments: usize,
    /// How many more fields there were.
    pub(crate) more: usize,
    /// Those of them that have flags with their key as parameter, as in a form.
    keyed: BumpVec<'a, Field<'a>>,
    /// Those of a form, where they were let go.
    pub(crate) more_pairs: Option<Box<'a, MorePairs<'a>>>,
    /// The flags of the others.
    pub(crate) rest: Flags<'a>,
    /// The secrets of those.
    pub(crate) secrets: BumpVec<'a, Text<'a>>,
    /// Those of what is no field.
    pub(crate) unseen: Unseen<'a>,
    /// The last segment of the path to the next leaf, before the steps behind which no leaf came yet.
    at: SegmentId,
    /// These steps.
    steps: BumpVec<'a, Step<'a>>,
    /// True if a value that is JSON reached a limit.
    pub(crate) holds_capped: bool,
    /// True if a name is cut at its signs, as a key of a query is.
    pub(crate) cuts_names: bool,
}

/// A value under one name that is judged: a pair of a form.
pub(crate) struct Judged<'a> {
    pub(crate) key: Key<'a>,
    pub(crate) value: Text<'a>,
    pub(crate) secret: bool,
    /// The union of the classes of the bytes of the value, where that is known.
    pub(crate) classes: Option<u32>,
    /// The leaves of the value, where that is JSON.
    pub(crate) json: Option<&'a Embedded<'a>>,
    pub(crate) flags: Flags<'a>,
}

impl<'a> Fields<'a> {
    /// Of a format whose keys are names (`nested` false) or paths of them.
    pub(crate) fn new(nested: bool, cx: Context<'a>) -> Self {
        Fields {
            cx,
            most: cx.settings.config.limits.body_keys,
            list: BumpVec::with_capacity_in(16, cx.bump),
            paths: Paths::new(nested, cx),
            kept_segments: 0,
            more: 0,
            more_pairs: None,
            rest: cx.flags(),
            keyed: BumpVec::new_in(cx.bump),
            secrets: BumpVec::new_in(cx.bump),
            unseen: Unseen::new(cx),
            at: SegmentId::ROOT,
            steps: BumpVec::with_capacity_in(8, cx.bump),
            holds_capped: false,
            cuts_names: !nested,
        }
    }

    /// How many fields there are, shown or not.
    pub(crate) fn count(&self) -> usize {
        self.list.len() + self.more
    }

    /// Takes over what is kept of the pairs of a form beyond those that are shown.
    pub(crate) fn push_more(&mut self, more: Option<Box<'a, MorePairs<'a>>>) {
        let Some(more) = more else { return };
        self.more += more.count;
        self.holds_capped |= more.holds_capped;
        self.rest.absorb(&more.flags);
        self.more_pairs = Some(more);
    }

    /// Takes over a value under one name, which is judged already.
    pub(crate) fn push_judged(&mut self, judged: Judged<'a>) {
        let Judged { key, value, secret, classes, json, flags } = judged;
        let name = key_path::Judged {
            key,
            sensitive: false,
            is_quiet: false,
            classes: bytes::union(key.text.bytes),
        };
        let segment = self.paths.add(SegmentId::ROOT, key_path::Kind::Name, name, false);
        let leaf = Leaf::Text(value);
        self.keep(Field { leaf, flags, json, classes, segment, secret, echoes: Cell::new(false) });
    }

    /// Returns whether all fields that may be shown are there.
    fn is_full(&self) -> bool {
        self.list.len() >= self.most
    }

    /// Keeps a field; beyond the limit only what must be known of it.
    fn keep(&mut self, field: Field<'a>) {
        self.holds_capped |= field.json.is_some_and(|json| json.capped);
        if !self.is_full() {
            self.kept_segments = self.paths.len();
            self.list.push(field);
            return;
        }
        self.more += 1;
        if let (true, Leaf::Text(text) | Leaf::Number(text) | Leaf::Deep(text)) = (field.secret, field.leaf) {
            self.secrets.push(text);
        }
        if let Some(json) = field.json {
            self.rest.absorb(&json.all_flags(self.cx));
            self.secrets.extend(json.secret_texts());
        }
        if field.flags.set.iter().any(|flag| flag.parameter_kind() == Parameter::Key) {
            self.kept_segments = self.paths.len();
            self.keyed.push(field);
        } else {
            self.rest.absorb(&field.flags);
        }
    }

    /// Lets go of the segment of a step that was left, unless it is kept, but for a name that is a secret. Where there is
    /// evidence, names that are no secrets are shown beside it; in clear, one that echoes a secret hides a value.
    fn let_go_of(&mut self, segment: SegmentId) {
        let is_last = segment.index() >= self.kept_segments && segment.index() + 1 == self.paths.len();
        if is_last && !self.cx.traced && !self.cx.settings.literal() {
            self.secrets.extend(self.paths.pop());
        }
    }

    /// The fields whose flags are told with their keys, shown or not.
    pub(crate) fn told(&self) -> impl Iterator<Item = &Field<'a>> {
        self.list.iter().chain(&self.keyed)
    }

    /// Takes the steps behind which no leaf came yet, judging their names.
    fn take_steps(&mut self, flags: &mut Flags<'a>) {
        for nth in 0..self.steps.len() {
            if let Some(step) = self.steps.get(nth).copied() {
                self.at = self.segment(self.at, &step, flags);
            }
        }
        self.steps.clear();
    }

    /// The segment of a step behind another segment.
    fn segment(&mut self, before: SegmentId, step: &Step<'a>, flags: &mut Flags<'a>) -> SegmentId {
        if let Some(found) = self.paths.find(before, step) {
            return found;
        }
        let (kind, name) = match *step {
            Step::Item => (key_path::Kind::Item, key_path::Judged::nameless()),
            Step::Name(name) => (key_path::Kind::Name, self.judge(name, Some(before), flags)),
            Step::Attribute(name) => (key_path::Kind::Attribute, self.judge(name, None, flags)),
        };
        // Evidence is of each name, as often as it comes.
        let stays = !self.cx.traced && !self.is_full();
        self.paths.add(before, kind, name, stays)
    }

    /// Judges a name on the path, which is in what the name before it names, if there is one.
    fn judge(
        &self,
        text: Text<'a>,
        before: Option<SegmentId>,
        flags: &mut Flags<'a>,
    ) -> key_path::Judged<'a> {
        steps::slow("key of a body judged");
        let above = || self.paths.last_element(before?);
        let steers = match self.cuts_names {
            true => scan::names(text, above, flags),
            false => scan::name(text, above, flags),
        };
        let classified = text.classified();
        let JudgedKey { key, is_quiet, is_sensitive } = Key::judge(classified, self.cx);
        let secret = key.shown == NameShown::Secret;
        if !is_quiet {
            scan::scan(classified, Kind::Leaf, secret, self.cx, flags);
        }
        if secret {
            flags.hide(text);
        }
        key_path::Judged {
            key,
            sensitive: is_sensitive,
            is_quiet: is_quiet && !secret && !steers,
            classes: classified.classes,
        }
    }

    /// The keys of the fields whose flags are told with them, as shown.
    pub(crate) fn keys(&self, start: Start) -> BumpVec<'a, &'a [u8]> {
        self.paths.keys(start, self.told().map(|field| field.segment), self.cx)
    }

    /// Adds a leaf. It is `sensitive` where someone calls it by a name that makes a secret of it.
    fn add(&mut self, leaf: Leaf<'a>, sensitive: bool) {
        let mut flags = self.cx.flags();
        self.take_steps(&mut flags);
        let segment = self.at;
        let sensitive = sensitive || self.paths.is_sensitive(segment);
        let (mut classes, mut json) = (None, None);
        let secret = match leaf {
            Leaf::Text(text) => {
                let value = text.classified();
                classes = Some(value.classes);
                let (secret, leaves) = self.scan_text(value, segment, sensitive, &mut flags);
                json = leaves;
                secret
            }
            Leaf::Number(text) => {
                classes = Some(bytes::union(text.bytes));
                sensitive
            }
            other => leaf::scan(other, sensitive, self.cx, &mut flags),
        };
        self.keep(Field { leaf, flags, json, classes, segment, secret, echoes: Cell::new(false) });
    }

    /// Scans a text; returns whether it is a secret, and its leaves where it is JSON.
    fn scan_text(
        &self,
        value: Classified<'a>,
        segment: SegmentId,
        sensitive: bool,
        flags: &mut Flags<'a>,
    ) -> (bool, Option<&'a Embedded<'a>>) {
        let (cx, nested) = (self.cx, self.paths.nested);
        let Classified { text, classes } = value;
        let secret = if scan::cannot_flag(text.bytes, classes) {
            if sensitive {
                flags.hide(text);
            }
            sensitive
        } else {
            if !nested && let Some(json) = embedded::read(text, classes, cx) {
                let (secret, json) = json.settle(text, sensitive, cx, flags);
                return (secret, Some(json));
            }
            scan_value(value, Kind::Leaf, sensitive, cx, flags)
        };
        // Without one of these signs a value leads nowhere.
        if classes & (SLASH | COLON | BACKSLASH | ENCODED) != 0
            && !flags.set.contains(Flag::Marker)
            && let Some(name) = self.paths.last_name(segment)
        {
            let name = if nested { LastName::Nested(name) } else { LastName::Flat(name) };
            scan::redirect(name, text, secret, cx, flags);
        }
        (secret, None)
    }
}

impl<'a> Sink<'a> for Fields<'a> {
    #[inline]
    fn enter(&mut self, step: Step<'a>) {
        self.steps.push(step);
    }

    #[inline]
    fn leave(&mut self) {
        if self.steps.pop().is_none() {
            let left = self.at;
            self.at = self.paths.before(left);
            self.let_go_of(left);
        }
    }

    fn leaf(&mut self, leaf: Leaf<'a>) {
        self.add(leaf, false);
    }

    fn secret_leaf(&mut self, leaf: Leaf<'a>) {
        self.add(leaf, true);
    }

    fn unseen(&mut self, name: Option<Text<'a>>, text: Text<'a>) {
        self.unseen.take(name, text, self.cx);
    }
}
