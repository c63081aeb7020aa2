//! The fields of a body: the key of each, its leaf, whether it is a secret.

#![allow(clippy::arithmetic_side_effects, reason = "counts what is in memory")]

use std::cell::Cell;

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use super::embedded::{self, Embedded};
use super::key_path::{Name, Segment};
use super::leaf;
use super::step::{Leaf, Sink, Step};
use super::unseen::Unseen;
use crate::bytes;
use crate::context::Context;
use crate::flags::{Flag, Flags, Parameter};
use crate::inspect::{JudgedKey, Key, MorePairs, scan_value};
use crate::scan::{self, Kind, LastName};
use crate::show::NameShown;
use crate::show::escape::{self};
use crate::show::marker::push;
use crate::text::Text;

/// One value of a body.
pub(crate) struct Field<'a> {
    key_path: BumpVec<'a, Segment>,
    pub(crate) leaf: Leaf<'a>,
    /// True if the value is a secret by its name or by itself.
    pub(crate) secret: bool,
    /// True if it echoes one.
    pub(crate) echoes: Cell<bool>,
    /// The union of the classes of the bytes of its text, where that is known.
    classes: Option<u32>,
    /// Its leaves, where it is JSON.
    pub(crate) json: Option<&'a Embedded<'a>>,
    pub(crate) flags: Flags<'a>,
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

    /// The flags of the leaves of a value that is JSON, each with what its key adds to the field's.
    pub(crate) fn leaf_flags(&self) -> impl Iterator<Item = (&'a [u8], &Flags<'a>)> {
        self.json.iter().flat_map(|json| json.leaf_flags())
    }

    /// The union of the classes of the bytes of its text, where that is known.
    pub(crate) fn classes(&self) -> Option<u32> {
        self.classes
    }
}

/// The fields of a body, in order of arrival.
pub(crate) struct Fields<'a> {
    cx: Context<'a>,
    /// At most so many as are shown.
    pub(crate) list: BumpVec<'a, Field<'a>>,
    /// The names on the ways to these, and to the last leaf.
    pub(crate) names: BumpVec<'a, Name<'a>>,
    /// How many of them stay, whatever leaf follows.
    kept_names: usize,
    /// How many more there were.
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
    /// The path to the last leaf: the text of each name, and where it was judged.
    last: BumpVec<'a, (Text<'a>, Segment)>,
    /// True if `.`, `[` and `]` in a name are escaped, because they are the way's own.
    nested: bool,
    /// True if a value that is JSON reached a limit.
    pub(crate) holds_capped: bool,
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
    /// Of a format whose keys are names (`nested` false) or ways of them.
    pub(crate) fn new(nested: bool, cx: Context<'a>) -> Self {
        Fields {
            cx,
            list: BumpVec::with_capacity_in(16, cx.bump),
            names: BumpVec::with_capacity_in(16, cx.bump),
            kept_names: 0,
            more: 0,
            more_pairs: None,
            rest: cx.flags(),
            keyed: BumpVec::new_in(cx.bump),
            secrets: BumpVec::new_in(cx.bump),
            unseen: Unseen::new(cx),
            last: BumpVec::with_capacity_in(8, cx.bump),
            nested,
            holds_capped: false,
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
        let mut key_path = BumpVec::with_capacity_in(1, self.cx.bump);
        key_path.push(Segment::Name(self.names.len()));
        self.names.push(Name::new(key, false));
        let leaf = Leaf::Text(value);
        self.keep(Field { key_path, leaf, secret, classes, json, flags, echoes: Cell::new(false) });
    }

    /// Keeps a field, which the last leaf is unless it has a path of its own; else keeps its flags.
    fn keep(&mut self, mut field: Field<'a>) {
        self.holds_capped |= field.json.is_some_and(|json| json.capped);
        if self.list.len() < self.cx.settings.config.limits.body_keys {
            self.keep_key_path(&mut field);
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
            self.keep_key_path(&mut field);
            self.keyed.push(field);
        } else {
            self.rest.absorb(&field.flags);
        }
    }

    /// Keeps the path to a field, and the names on it.
    fn keep_key_path(&mut self, field: &mut Field<'a>) {
        self.kept_names = self.names.len();
        if field.key_path.is_empty() {
            field.key_path.reserve_exact(self.last.len());
            field.key_path.extend(self.last.iter().map(|(_, place)| *place));
        }
    }

    /// Lets go of the names that the last leaf alone has behind `known` steps, but for those that are secrets. Where
    /// there is evidence, names that are no secrets are shown beside it; in clear, one that echoes a secret hides a
    /// value.
    fn let_go_of_names(&mut self, known: usize) {
        if self.cx.traced || self.cx.settings.literal() {
            return;
        }
        for (_, place) in self.last.iter().skip(known).rev() {
            let (Segment::Name(name) | Segment::Attribute(name)) = *place else { continue };
            if name < self.kept_names || name + 1 != self.names.len() {
                return;
            }
            let secret = self.names.pop().filter(|name| name.key.shown == NameShown::Secret);
            self.secrets.extend(secret.map(|name| name.key.text));
        }
    }

    /// The fields whose flags are told with their keys, shown or not.
    pub(crate) fn told(&self) -> impl Iterator<Item = &Field<'a>> {
        self.list.iter().chain(&self.keyed)
    }

    /// Follows `path`, judging the names that the last leaf did not have.
    fn follow(&mut self, path: &[Step<'a>], flags: &mut Flags<'a>) {
        let same = |step: &Step<'a>, last: &(Text<'a>, Segment)| match (step, last) {
            (Step::Item, (_, Segment::Item)) => true,
            (Step::Name(a), (b, Segment::Name(_))) | (Step::Attribute(a), (b, Segment::Attribute(_))) => {
                std::ptr::eq(a.bytes, b.bytes)
            }
            _ => false,
        };
        let known = path.iter().zip(&self.last).take_while(|(step, last)| same(step, last)).count();
        self.let_go_of_names(known);
        self.last.truncate(known);
        for step in path.iter().skip(known) {
            let judged = match *step {
                Step::Item => (Text::untraced(b""), Segment::Item),
                Step::Name(name) => (name, Segment::Name(self.judge(name, flags))),
                Step::Attribute(name) => (name, Segment::Attribute(self.judge(name, flags))),
            };
            self.last.push(judged);
        }
    }

    fn judge(&mut self, text: Text<'a>, flags: &mut Flags<'a>) -> usize {
        let above = self.last.iter().rev().find(|(_, place)| matches!(place, Segment::Name(_)));
        if self.nested {
            scan::name(text, above.map(|(name, _)| name.bytes), flags);
        } else {
            scan::names(text, flags);
        }
        let name = self.scan_name(text, flags);
        self.names.push(name);
        self.names.len() - 1
    }

    /// Judges a name by itself.
    fn scan_name(&self, text: Text<'a>, flags: &mut Flags<'a>) -> Name<'a> {
        let classified = text.classified();
        let JudgedKey { key, is_quiet, is_sensitive } = Key::judge(classified, self.cx);
        let secret = key.shown == NameShown::Secret;
        if !is_quiet {
            scan::scan(classified, Kind::Leaf, secret, self.cx, flags);
        }
        if secret {
            flags.hide(text);
        }
        Name::new(key, is_sensitive)
    }

    /// The key of a field, as shown.
    pub(crate) fn key(&self, field: &Field<'a>) -> &'a [u8] {
        self.plain_key(field).unwrap_or_else(|| self.cx.written(|out| self.write_key(field, out)))
    }

    /// The key of a field that is one name, shown as it is.
    fn plain_key(&self, field: &Field<'a>) -> Option<&'a [u8]> {
        let [Segment::Name(name)] = field.key_path.as_slice() else { return None };
        let Key { text, shown } = self.names.get(*name).filter(|name| !name.echoes.get())?.key;
        let is_plain = || escape::is_plain(bytes::union(text.bytes), Name::spot(self.nested));
        (shown == NameShown::Text && is_plain()).then_some(text.bytes)
    }

    /// The key of a leaf of a value that is JSON, after that of the value: `{}.user.name`.
    pub(crate) fn embedded_key(&self, field: &Field<'a>) -> &'a [u8] {
        self.cx.written(|out| {
            push(out, "{}");
            if matches!(field.key_path.first(), Some(Segment::Name(_))) {
                out.push(b'.');
            }
            self.write_key_path(field, out);
        })
    }

    /// Writes the key of a field.
    fn write_key(&self, field: &Field<'a>, out: &mut Vec<u8>) {
        if !matches!(field.key_path.first(), Some(Segment::Name(_))) {
            out.push(b'$');
        }
        self.write_key_path(field, out);
    }

    fn write_key_path(&self, field: &Field<'a>, out: &mut Vec<u8>) {
        for (i, place) in field.key_path.iter().enumerate() {
            let name = match *place {
                Segment::Item => {
                    push(out, "[]");
                    continue;
                }
                Segment::Attribute(name) => {
                    out.push(b'@');
                    name
                }
                Segment::Name(name) => {
                    if i > 0 {
                        out.push(b'.');
                    }
                    name
                }
            };
            if let Some(name) = self.names.get(name) {
                name.write(self.nested, self.cx, out);
            }
        }
    }

    /// Adds a leaf. It is `sensitive` where someone calls it by a name that makes a secret of it.
    fn add(&mut self, path: &[Step<'a>], leaf: Leaf<'a>, sensitive: bool) {
        let mut flags = self.cx.flags();
        self.follow(path, &mut flags);
        let key_path = BumpVec::new_in(self.cx.bump);
        let is_sensitive = |(_, place): &(Text<'a>, Segment)| match place {
            Segment::Item => false,
            Segment::Name(name) | Segment::Attribute(name) => {
                self.names.get(*name).is_some_and(|name| name.sensitive)
            }
        };
        let sensitive = sensitive || self.last.iter().any(is_sensitive);
        let classes = match leaf {
            Leaf::Text(text) => Some(bytes::union(text.bytes)),
            _ => None,
        };
        if let (false, Leaf::Text(text), Some(classes)) = (self.nested, leaf, classes)
            && let Some(json) = embedded::read(text, classes, self.cx)
        {
            let (secret, json) = json.settle(text, sensitive, self.cx, &mut flags);
            self.keep(Field {
                key_path,
                leaf,
                secret,
                classes: Some(classes),
                json: Some(json),
                flags,
                echoes: Cell::new(false),
            });
            return;
        }
        let secret = match (leaf, classes) {
            (Leaf::Text(text), Some(classes)) if !sensitive => {
                !scan::cannot_flag(text.bytes, classes)
                    && scan_value(text.with_classes(classes), Kind::Leaf, false, self.cx, &mut flags)
            }
            _ => leaf::scan(leaf, sensitive, self.cx, &mut flags),
        };
        if let Leaf::Text(text) = leaf
            && let Some((name, _)) = self.last.iter().rev().find(|(_, place)| !matches!(place, Segment::Item))
            && !flags.set.contains(Flag::Marker)
        {
            let name = if self.nested { LastName::Nested(name.bytes) } else { LastName::Flat(name.bytes) };
            scan::redirect(name, text, secret, self.cx, &mut flags);
        }
        self.keep(Field { key_path, leaf, secret, classes, json: None, flags, echoes: Cell::new(false) });
    }
}

impl<'a> Sink<'a> for Fields<'a> {
    fn leaf(&mut self, path: &[Step<'a>], leaf: Leaf<'a>) {
        self.add(path, leaf, false);
    }

    fn secret_leaf(&mut self, path: &[Step<'a>], leaf: Leaf<'a>) {
        self.add(path, leaf, true);
    }

    fn unseen(&mut self, name: Option<Text<'a>>, text: Text<'a>) {
        self.unseen.take(name, text, self.cx);
    }
}
