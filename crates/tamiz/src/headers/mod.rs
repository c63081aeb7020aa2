//! Headers (section 8): names, order, repeats; then each value by its kind.

mod accept;
mod authorization;
mod content;
pub(crate) mod cookie;
mod forwarded;
mod lines;
pub(crate) mod many;
mod name;
mod parameters;
mod quiet;
mod url;
mod user_agent;
mod value;
mod whitespace;

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, COLON, HIGH};
use crate::config::{Limits, Scheme};
use crate::context::Context;
use crate::decode::{self, layers, utf8};
use crate::flags::{Flag, Flags};
use crate::hidden;
use crate::message::{self, Line};
use crate::scan;
use crate::show::NameShown;
use crate::target::host::{self, Host};
use crate::text::{Builder, Text};

use crate::finished::{Finished, Rank, Role};
use crate::known_headers::{Kind, Rule};
pub(crate) use cookie::Cookies;
use lines::Lines;
use many::Many;
pub(crate) use name::Name;
pub(crate) use value::{Content, Pieces, Value};
use whitespace::Break;

/// One `H:` line to be.
pub(crate) struct Header<'a> {
    /// `None` for a line without a colon.
    pub(crate) name: Option<Name<'a>>,
    /// The value in pieces: one, unless line ends were embedded in it.
    pub(crate) values: BumpVec<'a, Value<'a>>,
    /// The whole value, collapsed and joined.
    pub(crate) whole: Text<'a>,
    /// The union of the classes of its bytes.
    pub(crate) seen: u32,
    breaks: BumpVec<'a, Break>,
    /// What is known of the pieces behind those that are kept, where there are more.
    pub(crate) rest: Option<Rest>,
    /// Whether it is a continuation of nothing.
    pub(crate) is_orphan: bool,
    /// The line it was, where it was one line as it is.
    raw: Option<Text<'a>>,
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
const MOST_PIECES: usize = 64;

/// How many pieces of a value are kept; with evidence, all of them.
fn most_pieces(cx: Context<'_>) -> usize {
    if cx.traced { usize::MAX } else { MOST_PIECES }
}

impl<'a> Header<'a> {
    /// The pieces behind those that are kept.
    pub(crate) fn rest_of_pieces(&self) -> Pieces<'_, 'a> {
        let passed = if self.rest.is_some() { MOST_PIECES } else { self.breaks.len() };
        Pieces::new(self.whole, &self.breaks).behind(passed)
    }

    /// Reads the pieces behind those that are kept for what they tell of the whole.
    fn read_rest(&mut self, cx: Context<'a>) {
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

    /// Whether it is the header of this name, spelt exactly so, case apart.
    pub(crate) fn is_named(&self, name: &[u8]) -> bool {
        self.name.as_ref().is_some_and(|known| known.is_exact && known.text.bytes == name)
    }

    /// The line to remember it by, where the document would say the same of it in any request: it
    /// neither holds nor makes a secret, and what others read of it is its value as it stands there.
    pub(crate) fn line_to_keep(&self) -> Option<&'a [u8]> {
        let name = self.name.as_ref().filter(|name| name.shown == NameShown::Text && name.is_exact)?;
        let [value] = self.values.as_slice() else { return None };
        let raw = self.raw?.bytes;
        let is_kept = match name.rule.kind {
            Kind::Cookie | Kind::SetCookie | Kind::Authorization => false,
            _ if matches!(name.text.bytes, b"transfer-encoding" | b"content-encoding") => false,
            Kind::Host => value.is_host_of_any_scheme() && raw.ends_with(self.whole.bytes),
            Kind::ContentType | Kind::ContentLength => value.is_in_clear() && raw.ends_with(self.whole.bytes),
            _ => value.is_in_clear() || value.is_plain_url(),
        };
        (is_kept && !self.flags.set.contains(Flag::DupHdr)).then_some(raw)
    }

    /// Whether it, its name or something in it is Base64 of readable text, also behind other layers: what that echoes
    /// is not seen in its line.
    pub(crate) fn hides_base64(&self, cx: Context<'a>) -> bool {
        let in_value = |value: &Value<'a>| match &value.content {
            Content::Url(url) => url.hides_base64(cx),
            _ => false,
        };
        let in_name = |name: &Name<'a>| layers::hides_base64(name.raw.bytes, cx);
        layers::hides_base64(self.whole.bytes, cx)
            || self.name.as_ref().is_some_and(in_name)
            || self.values.iter().any(in_value)
    }

    /// What it is to those who read the rest of the request.
    pub(crate) fn role(&self) -> Role {
        self.name.as_ref().map_or(Role::None, |name| quiet::role(name.rule.kind))
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
        if self.name.is_some() && self.seen & COLON != 0 {
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

    /// What stands before the first embedded line end.
    pub(crate) fn before_line_ends(&self) -> Text<'a> {
        self.whole.slice(0..self.breaks.first().map_or(self.whole.len(), |b| b.at()))
    }

    /// What follows each embedded line end, up to the next.
    pub(crate) fn after_line_ends(&self) -> impl Iterator<Item = Text<'a>> {
        let ends = self.breaks.iter().skip(1).map(|b| b.at()).chain(std::iter::once(self.whole.len()));
        self.breaks.iter().zip(ends).map(|(b, end)| self.whole.slice(b.at()..end).trim())
    }
}

/// The header block.
pub(crate) struct Headers<'a> {
    /// In order of arrival.
    pub(crate) list: BumpVec<'a, Header<'a>>,
    /// Continuations of nothing, in `core`, which does not show them.
    pub(crate) unseen: BumpVec<'a, Text<'a>>,
    /// Those that were not opened: none of them has the name of another header.
    pub(crate) finished: BumpVec<'a, Finished<'a>>,
    /// Their places in that list, by name.
    order: BumpVec<'a, (Rank, u16)>,
    /// The values of those that steer how the body is read.
    finished_type: Option<Text<'a>>,
    finished_length: Option<Text<'a>>,
    /// The first `Host`, where there is one and it is valid, with its port as written.
    pub(crate) host: Option<Host<'a>>,
    /// Whether there is a `Host` at all.
    pub(crate) has_host: bool,
    /// All of them, where they are more than are shown; then the lists are empty.
    pub(crate) many: Option<Box<'a, Many<'a>>>,
}

/// A header whose value is collapsed but not looked at.
pub(crate) struct Collapsed<'a> {
    pub(crate) name: Option<Name<'a>>,
    value: Text<'a>,
    /// The union of the classes of its bytes.
    seen: u32,
    breaks: BumpVec<'a, Break>,
    is_orphan: bool,
    raw: Option<Text<'a>>,
    flags: Flags<'a>,
}

impl<'a> Collapsed<'a> {
    fn rule(&self) -> Rule {
        self.name.as_ref().map(|name| name.rule).unwrap_or_default()
    }
}

/// Reads the header block. `scheme` tells which port need not be shown.
pub(crate) fn read<'a>(lines: message::Lines<'a>, scheme: Scheme, cx: Context<'a>) -> Headers<'a> {
    let lines = match lines {
        message::Lines::Few(lines) => lines,
        message::Lines::Many(lines) => {
            let mut headers = Headers::new(cx);
            headers.read_many(lines, scheme, cx);
            return headers;
        }
    };
    let Lines { finished, order, opened } = lines::finish_or_open(lines, cx);
    let mut collapsed = BumpVec::with_capacity_in(opened.len(), cx.bump);
    let mut unseen = BumpVec::new_in(cx.bump);
    for line in opened {
        let header = collapse(line, cx);
        if header.is_orphan && !cx.settings.beyond_core() {
            unseen.push(header.value.repaired());
        } else {
            collapsed.push(header);
        }
    }
    let collapsed = merge(collapsed, cx);
    let list = BumpVec::with_capacity_in(collapsed.len(), cx.bump);
    let mut headers = Headers { list, unseen, finished, order, ..Headers::new(cx) };
    headers.take_roles(cx);
    for header in collapsed {
        headers.push(header, scheme, cx);
    }
    headers
}

fn collapse<'a>(line: Line<'a>, cx: Context<'a>) -> Collapsed<'a> {
    let mut flags = line.flags;
    let name = line.name.map(|raw| Name::read(raw, cx, &mut flags));
    if let Some((value, seen)) = whitespace::as_it_came(line.value, line.after_colon) {
        let breaks = BumpVec::new_in(cx.bump);
        return Collapsed { name, value, seen, breaks, is_orphan: line.is_orphan, raw: line.raw, flags };
    }
    let value = utf8::repair(line.value, cx, &mut flags);
    let mut told = cx.flags();
    let (value, breaks) = whitespace::collapse(value, line.after_colon, line.pairs_crlf, cx, &mut told);
    if line.is_orphan {
        // Of its line ends the message tells.
        told.absorb_into(&mut flags, |flag| flag != Flag::BadCrlf);
    } else {
        flags.absorb(&told);
    }
    let seen = bytes::union(value.bytes);
    Collapsed { name, value, seen, breaks, is_orphan: line.is_orphan, raw: line.raw, flags }
}

/// So many names are compared with each other faster than they are sorted.
const FEW: usize = 12;

/// Whether a header has the name of another, found by comparing each with all before it.
fn any_repeats(headers: &[Collapsed<'_>]) -> bool {
    headers.iter().enumerate().any(|(i, header)| {
        let own = text_of(header.name.as_ref());
        own.is_some() && headers.iter().take(i).any(|other| text_of(other.name.as_ref()) == own)
    })
}

/// Joins the repeats of list headers, and flags every repeat.
fn merge<'a>(headers: BumpVec<'a, Collapsed<'a>>, cx: Context<'a>) -> BumpVec<'a, Collapsed<'a>> {
    if headers.len() <= FEW && !any_repeats(&headers) {
        return headers;
    }
    let n = headers.len();
    let mut order = BumpVec::with_capacity_in(n, cx.bump);
    order.extend(0..n);
    let name = |i: usize| headers.get(i).and_then(|header: &Collapsed<'_>| header.name.as_ref());
    order.sort_by(|&a, &b| text_of(name(a)).cmp(&text_of(name(b))));
    let mut joins = BumpVec::new_in(cx.bump);
    let mut repeats = BumpVec::new_in(cx.bump);
    let same_name = |a: &usize, b: &usize| name(*a).is_some() && text_of(name(*a)) == text_of(name(*b));
    for group in order.chunk_by(same_name).filter(|group| group.len() > 1) {
        let mut into = None;
        for (nth, &i) in group.iter().enumerate() {
            let Some(header) = name(i) else { continue };
            let whole = headers.get(i).is_some_and(|header: &Collapsed<'_>| header.breaks.is_empty());
            let joinable = header.rule.is_list && header.is_exact && whole;
            match into {
                Some(into) if joinable => joins.push((into, i)),
                _ if nth > 0 && header.rule.kind != Kind::SetCookie => repeats.push(i),
                _ => {}
            }
            if joinable && into.is_none() {
                into = Some(i);
            }
        }
    }
    if joins.is_empty() && repeats.is_empty() {
        return headers;
    }
    join(headers, &joins, &repeats, cx)
}

fn text_of<'a>(name: Option<&Name<'a>>) -> Option<&'a [u8]> {
    name.map(|name| name.text.bytes)
}

fn join<'a>(
    headers: BumpVec<'a, Collapsed<'a>>,
    joins: &[(usize, usize)],
    repeats: &[usize],
    cx: Context<'a>,
) -> BumpVec<'a, Collapsed<'a>> {
    let mut slots = BumpVec::with_capacity_in(headers.len(), cx.bump);
    slots.extend(headers.into_iter().map(Some));
    for &i in repeats {
        if let Some(Some(header)) = slots.get_mut(i)
            && let Some(name) = &header.name
        {
            header.flags.raise(Flag::DupHdr, name.raw);
        }
    }
    for group in joins.chunk_by(|a, b| a.0 == b.0) {
        let Some(&(into, _)) = group.first() else {
            continue;
        };
        let Some(mut target) = slots.get_mut(into).and_then(Option::take) else {
            continue;
        };
        let mut builder = Builder::new(cx.bump, cx.traced, target.value.len().saturating_mul(2));
        builder.copy(target.value);
        for &(_, from) in group {
            let Some(source) = slots.get_mut(from).and_then(Option::take) else {
                continue;
            };
            if let Some(name) = &source.name {
                target.flags.raise(Flag::DupHdr, name.raw);
            }
            builder.put(b", ", source.value.slice(0..0));
            builder.copy(source.value);
            target.flags.absorb(&source.flags);
        }
        target.value = builder.finish();
        target.seen = bytes::union(target.value.bytes);
        target.raw = None;
        if let Some(slot) = slots.get_mut(into) {
            *slot = Some(target);
        }
    }
    let mut kept = BumpVec::with_capacity_in(slots.len(), cx.bump);
    kept.extend(slots.into_iter().flatten());
    kept
}

/// Whether a `transfer-encoding` names the chunked coding.
pub(crate) fn says_chunked(value: &[u8], cx: Context<'_>) -> bool {
    cx.spare.with(|plain| {
        let value = decode::without_guarded(value, plain);
        bytes::find_ignore_case(value, b"chunked").is_some()
    })
}

impl<'a> Headers<'a> {
    fn new(cx: Context<'a>) -> Self {
        Headers {
            list: BumpVec::new_in(cx.bump),
            unseen: BumpVec::new_in(cx.bump),
            finished: BumpVec::new_in(cx.bump),
            order: BumpVec::new_in(cx.bump),
            finished_type: None,
            finished_length: None,
            host: None,
            has_host: false,
            many: None,
        }
    }

    /// The finished lines from the `nth` on, by name.
    pub(crate) fn finished_from(&self, nth: usize) -> impl Iterator<Item = &Finished<'a>> {
        let places = self.order.get(nth..).unwrap_or_default();
        places.iter().filter_map(|(_, place)| self.finished.get(usize::from(*place)))
    }

    /// Takes note of the finished lines that have a role; there is no other header of their names.
    fn take_roles(&mut self, cx: Context<'a>) {
        for line in self.finished.iter().filter(|line| line.record.role != Role::None) {
            match line.record.role {
                Role::None => {}
                Role::Host => {
                    self.host = Host::read(line.value(), host::Source::Header, cx, &mut cx.flags());
                    self.has_host = true;
                }
                Role::ContentType => self.finished_type = Some(line.value()),
                Role::ContentLength => self.finished_length = Some(line.value()),
            }
        }
    }

    /// The value of each `content-length`.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = Text<'a>> {
        self.named(b"content-length").chain(self.finished_length)
    }

    /// The value of the first `content-type`, whose name may be spelt in any way: it steers nothing.
    pub(crate) fn content_type(&self) -> Option<Text<'a>> {
        let is_type = |header: &&Header<'a>| {
            header.name.as_ref().is_some_and(|name| name.text.bytes == b"content-type")
        };
        let read = self.list.iter().find(is_type).map(|header| header.whole);
        read.or(self.finished_type).or_else(|| self.many.as_ref()?.content_type)
    }

    /// The values of the headers of a name that is never remembered, spelt exactly so: of many, as many as tell what all of
    /// them tell.
    pub(crate) fn named(&self, name: &'static [u8]) -> impl Iterator<Item = Text<'a>> {
        let of_many = self.many.iter().flat_map(|many| many.steering.iter());
        let of_many = of_many.filter(move |(of, _)| *of == name).map(|(_, value)| *value);
        self.list.iter().filter(move |header| header.is_named(name)).map(|header| header.whole).chain(of_many)
    }

    fn push(&mut self, header: Collapsed<'a>, scheme: Scheme, cx: Context<'a>) {
        let is_host = header.name.as_ref().is_some_and(|name| name.is_exact && name.rule.kind == Kind::Host);
        let (header, host) = header.open(self.has_host, scheme, cx);
        if is_host && !self.has_host {
            self.host = host;
            self.has_host = true;
        }
        self.list.push(header);
    }
}

impl<'a> Collapsed<'a> {
    /// Reads the value; returns its host too, with the port as written, where it is one. `has_host` where a `Host` came
    /// before.
    #[allow(clippy::arithmetic_side_effects, reason = "lengths of slices in memory")]
    fn open(self, has_host: bool, scheme: Scheme, cx: Context<'a>) -> (Header<'a>, Option<Host<'a>>) {
        let rule = self.rule();
        let Collapsed { name, value, seen, breaks, is_orphan, raw, mut flags } = self;
        // Collapsing and joining rewrite it, but only what was repaired before.
        let value = value.repaired();
        let name_len = name.as_ref().map_or(0, |name| decode::byte_len(name.text.bytes) + 2);
        let value_len = if seen & HIGH == 0 { value.len() } else { decode::byte_len(value.bytes) };
        let blanks = if cx.settings.beyond_core() { blanks_dropped(value.bytes, rule.kind) } else { 0 };
        let mut len = name_len + value_len - blanks;
        if let Some(name) = &name {
            raise_by_name(name, cx, &mut flags);
        } else {
            flags.hide(value);
        }
        // An empty repeat leaves a space behind what it is joined to.
        let value = value.part(bytes::trim_end(value.bytes));
        let mut values = BumpVec::with_capacity_in(1 + breaks.len().min(most_pieces(cx)), cx.bump);
        let mut has_rest = false;
        let mut host = None;
        if rule.kind == Kind::Host {
            host = read_host(value, &breaks, cx, &mut flags);
            if has_host && name.as_ref().is_some_and(|name| name.is_exact) {
                flags.raise(Flag::BadHost, value);
            }
            let shown = host.map(|host| host.without_default_port(scheme));
            let shown = Value::host(value, shown, cx, &mut flags);
            len = name_len + shown.host_len(cx);
            values.push(shown);
        } else {
            has_rest = value::read_all(value, seen, &breaks, name.as_ref(), cx, &mut flags, &mut values);
        }
        let mut header =
            Header { name, values, whole: value, seen, breaks, rest: None, is_orphan, raw, len, flags };
        if has_rest {
            header.read_rest(cx);
        }
        (header, host)
    }
}

fn read_host<'a>(
    value: Text<'a>,
    breaks: &[Break],
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> Option<Host<'a>> {
    if breaks.is_empty() {
        return Host::read(value, host::Source::Header, cx, flags);
    }
    host::look(value, cx, flags);
    flags.raise(Flag::BadHost, value);
    flags.raise(Flag::BadHdrName, value);
    None
}

/// How many blanks of a value its normaliser drops, so that they are no part of its length.
fn blanks_dropped(value: &[u8], kind: Kind) -> usize {
    if !matches!(kind, Kind::Accept | Kind::AcceptEncoding | Kind::AcceptLanguage) {
        return 0;
    }
    let is_sign = |byte: Option<&u8>| matches!(byte, Some(b',' | b';' | b'='));
    let is_dropped = |at: &usize| {
        is_sign(value.get(at.saturating_add(1))) || is_sign(at.checked_sub(1).and_then(|at| value.get(at)))
    };
    memchr::memchr_iter(b' ', value).filter(is_dropped).count()
}

/// The flags that a name alone raises.
fn raise_by_name<'a>(name: &Name<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    if name.rule.is_hop_by_hop(cx.settings.wide_hop_by_hop) {
        flags.raise(Flag::HopByHop, name.raw);
    }
    if name.rule.overrides_method {
        flags.raise(Flag::MethodOverride, name.raw);
    }
    if !name.rule.is_known {
        flags.raise(Flag::UnkHdr, name.raw);
    }
    if let Some(came) = name.odd {
        let kind = if cx.settings.beyond_core() { scan::Kind::Free } else { scan::Kind::Opaque };
        let is_secret = matches!(name.shown, NameShown::ShapeAlone | NameShown::Secret);
        scan::scan(came, kind, is_secret, cx, flags);
    }
}
