//! Header blocks of more lines than a document shows.
//!
//! Records of all lines would take many times the memory of the request. They are cut and read one by one instead, in an
//! arena that is emptied after each, once for each thing there is to know: which names repeat, what the block tells as a
//! whole, which secrets it holds, which headers are shown. Kept are the names, each once, what repeats of lists are joined to, and
//! the values that steer how the body is read.

#![allow(clippy::arithmetic_side_effects, reason = "counts and lengths of what is in memory")]

use bumpalo::collections::Vec as BumpVec;

use super::{Collapsed, Content, Header, Headers, collapse, says_chunked};
use crate::bytes;
use crate::config::Scheme;
use crate::context::Context;
use crate::distinct::Distinct;
use crate::flags::{Flag, Flags};
use crate::formats::coding;
use crate::known_headers::Kind;
use crate::message::Cursor;
use crate::show::NameShown;
use crate::target::host::{self, Host};
use crate::text::{Builder, Text};

/// A header block of many lines.
pub(crate) struct Many<'a> {
    lines: Cursor<'a>,
    scheme: Scheme,
    names: Distinct<'a, Group>,
    /// There are no more of these than names of lists.
    lists: BumpVec<'a, List<'a>>,
    /// The line of the first `Host`.
    first_host: Option<usize>,
    /// How many headers there are, the repeats of lists joined.
    pub(crate) count: usize,
    /// The length of all.
    pub(crate) len: u64,
    /// What they tell of the message.
    pub(crate) flags: Flags<'a>,
    /// Whether there may be secrets in them.
    pub(crate) may_hold_secrets: bool,
    /// The first `content-type`.
    pub(super) content_type: Option<Text<'a>>,
    /// Values of headers that steer framing or how the body is read: as many as tell what all of them tell.
    pub(super) steering: BumpVec<'a, (&'static [u8], Text<'a>)>,
    /// How many codings those of `content-encoding` name, and which.
    codings: usize,
    coding_words: BumpVec<'a, &'static str>,
}

/// The headers of one name.
#[derive(Clone, Copy)]
struct Group {
    /// The first line that has it.
    first: u32,
    /// One more than the list that its repeats are joined to.
    list: u32,
}

/// A list that repeats are joined to.
struct List<'a> {
    /// The line of the first, and how many there are.
    into: usize,
    count: usize,
    /// The length of all.
    len: usize,
    builder: Option<Builder<'a>>,
    value: Text<'a>,
    flags: Flags<'a>,
}

/// A header of the block: where it is.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    from: Cursor<'a>,
    index: usize,
}

impl Place<'_> {
    /// The number of its line.
    pub(crate) fn index(self) -> usize {
        self.index
    }
}

/// A step through the block.
#[allow(clippy::large_enum_variant, reason = "one at a time, and nearly all are headers")]
pub(crate) enum Step<'a, 'b> {
    Header(Place<'a>, Collapsed<'b>),
    /// A line that is joined to another, or is not shown as one.
    None,
}

/// A way through the block, line by line.
pub(crate) struct Walk<'m, 'a> {
    many: &'m Many<'a>,
    next: Place<'a>,
}

impl<'a> Walk<'_, 'a> {
    /// The next line, with what it is repeated or joined by.
    pub(crate) fn next<'b>(&mut self, cx: Context<'b>) -> Option<Step<'a, 'b>>
    where
        'a: 'b,
    {
        let place = self.next;
        let line = self.next.from.next(cx, &mut cx.flags())?;
        self.next.index += 1;
        Some(match self.many.settle(place.index, collapse(line, cx), cx) {
            Some(header) => Step::Header(place, header),
            None => Step::None,
        })
    }
}

impl<'a> Headers<'a> {
    /// Reads a block of many lines.
    pub(super) fn read_many(&mut self, lines: Cursor<'a>, scheme: Scheme, cx: Context<'a>) {
        let mut many = Many {
            lines,
            scheme,
            names: Distinct::new(cx.bump),
            lists: BumpVec::new_in(cx.bump),
            first_host: None,
            count: 0,
            len: 0,
            flags: cx.flags(),
            may_hold_secrets: false,
            content_type: None,
            steering: BumpVec::new_in(cx.bump),
            codings: 0,
            coding_words: BumpVec::new_in(cx.bump),
        };
        if many.find_repeats(cx) {
            many.join(cx);
        }
        cx.spare.with_arena(|arena| {
            let mut from = Place { from: lines, index: 0 };
            loop {
                arena.reset();
                let shared = cx.in_arena(arena);
                let local = Context::new(&shared);
                let mut walk = Walk { many: &many, next: from };
                match walk.next(local) {
                    None => return,
                    Some(Step::None) => from = walk.next,
                    Some(Step::Header(place, header)) => {
                        from = walk.next;
                        let (header, _) = many.open(place, header, local);
                        self.take_note(&mut many, place, &header, local, cx);
                    }
                }
            }
        });
        if !cx.settings.beyond_core() {
            self.keep_unseen(&many, cx);
        }
        self.many = Some(bumpalo::boxed::Box::new_in(many, cx.bump));
    }

    /// Takes note of what a header tells of the whole. It is in the arena of `local`; what is kept of it, in that of `cx`.
    fn take_note<'b>(
        &mut self,
        many: &mut Many<'a>,
        place: Place<'a>,
        header: &Header<'b>,
        local: Context<'b>,
        cx: Context<'a>,
    ) {
        let keep = |text: Text<'b>| Text::untraced(cx.bump.alloc_slice_copy(text.bytes)).repaired();
        many.count += 1;
        many.len += header.len as u64;
        let mut told = local.flags();
        header.check_disguise(local, &mut told);
        header.check_limits(&cx.settings.config.limits, &mut told);
        many.flags.absorb(&told);
        many.may_hold_secrets |= header.may_hold_secrets();
        let Some(name) = &header.name else { return };
        if name.text.bytes == b"content-type" && many.content_type.is_none() {
            many.content_type = Some(keep(header.whole));
        }
        if name.is_exact {
            if name.rule.kind == Kind::Host && !self.has_host {
                many.first_host = Some(place.index);
                self.has_host = true;
                if header.breaks.is_empty() {
                    self.host = Host::read(keep(header.whole), host::Source::Header, cx, &mut cx.flags());
                }
            }
            let steering: [&'static [u8]; 3] = [b"content-length", b"transfer-encoding", b"content-encoding"];
            if let Some(name) = steering.into_iter().find(|known| *known == name.text.bytes)
                && many.is_needed(name, header.whole, local)
            {
                many.steering.push((name, keep(header.whole)));
            }
        }
    }

    /// Keeps the secrets of lines that `core` does not show.
    fn keep_unseen(&mut self, many: &Many<'a>, cx: Context<'a>) {
        cx.spare.with_arena(|arena| {
            let mut from = many.lines;
            loop {
                arena.reset();
                let shared = cx.in_arena(arena);
                let local = Context::new(&shared);
                let Some(line) = from.next(local, &mut local.flags()) else { return };
                if !line.is_orphan {
                    continue;
                }
                let value = collapse(line, local).value.repaired();
                if cx.settings.names.find_credential(value.bytes, bytes::union(value.bytes), local).is_some()
                {
                    self.unseen.push(Text::untraced(cx.bump.alloc_slice_copy(value.bytes)).repaired());
                }
            }
        });
    }
}

impl<'a> Many<'a> {
    /// A way through all of it.
    pub(crate) fn walk(&self) -> Walk<'_, 'a> {
        Walk { many: self, next: Place { from: self.lines, index: 0 } }
    }

    /// The header of a place.
    pub(crate) fn read<'b>(&self, place: Place<'a>, cx: Context<'b>) -> Option<Header<'b>>
    where
        'a: 'b,
    {
        let mut from = place.from;
        let line = from.next(cx, &mut cx.flags())?;
        let header = self.settle(place.index, collapse(line, cx), cx)?;
        Some(self.open(place, header, cx).0)
    }

    /// Opens a header of a place.
    pub(crate) fn open<'b>(
        &self,
        place: Place<'a>,
        header: Collapsed<'b>,
        cx: Context<'b>,
    ) -> (Header<'b>, Option<Host<'b>>) {
        let is_second_host = self.first_host.is_some_and(|first| first < place.index);
        header.open(is_second_host, self.scheme, cx)
    }

    /// Finds the names that repeat; whether repeats of a list are to be joined.
    fn find_repeats(&mut self, cx: Context<'a>) -> bool {
        let mut has_joined = false;
        self.each_line(cx, |many, index, header, _| {
            let Some(name) = &header.name else { return };
            let new = Group { first: u32::try_from(index).unwrap_or(u32::MAX), list: 0 };
            let Some((group, _)) = many.names.get_or_insert(name.text.bytes, new) else { return };
            if !header.is_joinable() {
                return;
            }
            let len = header.value.len() + 2;
            match (group.list as usize).checked_sub(1).and_then(|list| many.lists.get_mut(list)) {
                Some(list) => {
                    list.count += 1;
                    list.len += len;
                    has_joined = true;
                }
                None => {
                    let (value, flags) = (Text::untraced(b""), cx.flags());
                    many.lists.push(List { into: index, count: 1, len, builder: None, value, flags });
                    group.list = u32::try_from(many.lists.len()).unwrap_or_default();
                }
            }
        });
        has_joined
    }

    /// Joins the repeats of lists.
    fn join(&mut self, cx: Context<'a>) {
        self.each_line(cx, |many, index, header, cx| {
            let Some(name) = header.name.as_ref().filter(|_| header.is_joinable()) else { return };
            let Some(nth) = many.list_of(name.text.bytes) else { return };
            let Some(list) = many.lists.get_mut(nth).filter(|list| list.count > 1) else { return };
            let builder = list.builder.get_or_insert_with(|| Builder::new(cx.bump, false, list.len));
            if list.into < index {
                list.flags.raise(Flag::DupHdr, name.raw);
                list.flags.absorb(&header.flags);
                builder.put(b", ", header.value.slice(0..0));
            }
            builder.copy(header.value);
        });
        for list in &mut self.lists {
            if let Some(builder) = list.builder.take() {
                list.value = builder.finish();
            }
        }
    }

    /// The list that the headers of a name are joined to.
    fn list_of(&self, name: &[u8]) -> Option<usize> {
        (self.names.get(name)?.list as usize).checked_sub(1)
    }

    /// Calls `visit` with each line, collapsed, and its number.
    fn each_line(
        &mut self,
        cx: Context<'a>,
        mut visit: impl FnMut(&mut Self, usize, Collapsed<'_>, Context<'a>),
    ) {
        cx.spare.with_arena(|arena| {
            let mut from = self.lines;
            for index in 0.. {
                arena.reset();
                let shared = cx.in_arena(arena);
                let local = Context::new(&shared);
                let Some(line) = from.next(local, &mut local.flags()) else { return };
                visit(self, index, collapse(line, local), cx);
            }
        });
    }

    /// A line as a header: flagged where its name repeats, with the repeats that are joined to it. `None` where it is none.
    fn settle<'b>(&self, index: usize, mut header: Collapsed<'b>, cx: Context<'b>) -> Option<Collapsed<'b>>
    where
        'a: 'b,
    {
        if header.is_orphan && !cx.settings.beyond_core() {
            return None;
        }
        let Some(name) = &header.name else { return Some(header) };
        let group = self.names.get(name.text.bytes)?;
        if index != group.first as usize && name.rule.kind != Kind::SetCookie {
            header.flags.raise(Flag::DupHdr, name.raw);
        }
        let list = self.list_of(name.text.bytes).and_then(|list| self.lists.get(list));
        if let Some(list) = list.filter(|list| list.count > 1 && header.is_joinable()) {
            if list.into != index {
                return None;
            }
            header.value = list.value;
            header.classes = bytes::union(header.value.bytes);
            header.flags.absorb(&list.flags);
        }
        Some(header)
    }

    /// Returns whether the value of a header that steers something adds to what those before it tell.
    fn is_needed(&mut self, name: &[u8], value: Text<'_>, cx: Context<'_>) -> bool {
        let mut before = self.steering.iter().filter(|(of, _)| *of == name).map(|(_, text)| text.bytes);
        match name {
            // Whether all are one number.
            b"content-length" => match (before.next(), before.next()) {
                (None, _) => true,
                (Some(first), None) => first != value.bytes,
                _ => false,
            },
            // Whether it is one word, and whether one of them is `chunked`.
            b"transfer-encoding" => {
                let is_chunked = before.clone().any(|value| says_chunked(value, cx));
                before.count() < 2 || !is_chunked && says_chunked(value.bytes, cx)
            }
            _ => {
                let words = &mut self.coding_words;
                let (known, few) = (words.len(), self.codings <= coding::MOST);
                for word in coding::codings(value.bytes) {
                    self.codings += 1;
                    if !words.contains(&word) {
                        words.push(word);
                    }
                }
                few || words.len() > known
            }
        }
    }
}

impl<'a> Collapsed<'a> {
    /// Returns whether it is joined to, or joined by, others of its name.
    fn is_joinable(&self) -> bool {
        self.name.as_ref().is_some_and(|name| name.rule.is_list && name.is_exact) && self.breaks.is_empty()
    }
}

impl Header<'_> {
    /// Returns whether there may be secrets in it.
    fn may_hold_secrets(&self) -> bool {
        let is_host = self.name.as_ref().is_some_and(|name| name.rule.kind == Kind::Host);
        let is_secret = self.name.as_ref().is_some_and(|name| name.shown == NameShown::ShapeAlone);
        let holds = |content: &Content<'_>| {
            content.may_hold_secrets() || is_host && matches!(content, Content::Shape)
        };
        is_secret
            || self.rest.is_some_and(|rest| rest.may_hold_secrets)
            || self.values.iter().any(|value| holds(&value.content))
    }
}
