//! Headers (section 8): names, order, repeats; then each value by its kind.

mod accept;
mod authorization;
mod content;
pub(crate) mod cookie;
mod forwarded;
mod header;
mod in_parts;
mod lines;
pub(crate) mod many;
mod merge;
mod name;
mod parameters;
mod pieces;
mod quiet;
mod url;
mod user_agent;
mod value;
mod whitespace;

use bumpalo::boxed::Box;
use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, HIGH};
use crate::config::Scheme;
use crate::context::Context;
use crate::decode::{self, utf8};
use crate::flags::{Flag, Flags};
use crate::message::{self, Line};
use crate::scan;
use crate::show::NameShown;
use crate::target::host::{self, Host};
use crate::text::Text;

use crate::finished::{Finished, Role};
use crate::known_headers::{Kind, Rule};
use crate::steps;
pub(crate) use cookie::Cookies;
pub(crate) use header::Header;
use header::most_pieces;
use in_parts::Found;
use lines::Lines;
pub(crate) use lines::finish_common_lines;
use many::Many;
use merge::merge;
pub(crate) use name::Name;
pub(crate) use pieces::Pieces;
pub(crate) use value::{Content, Value};
use whitespace::Break;

/// The header block.
pub(crate) struct Headers<'a> {
    /// In order of arrival.
    pub(crate) list: BumpVec<'a, Header<'a>>,
    /// Continuations of nothing, in `core`, which does not show them.
    pub(crate) unseen: BumpVec<'a, Text<'a>>,
    /// Those that were not opened, by name: none of them has the name of another header.
    pub(crate) finished: BumpVec<'a, Finished<'a>>,
    /// The parts of these that other stages need.
    pub(crate) found: Found<'a>,
    /// The values of those that steer how the body is read; there is no other header of their names.
    finished_type: Option<Text<'a>>,
    pub(crate) finished_length: Option<Text<'a>>,
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
    classes: u32,
    breaks: BumpVec<'a, Break>,
    is_orphan: bool,
    flags: Flags<'a>,
}

impl<'a> Collapsed<'a> {
    fn rule(&self) -> Rule {
        self.name.as_ref().map(|name| name.rule).unwrap_or_default()
    }
}

/// Reads the header block. `scheme` tells which port need not be shown.
pub(crate) fn read<'a>(lines: message::Lines<'a>, scheme: Scheme, cx: Context<'a>) -> &'a mut Headers<'a> {
    let headers = Headers::new(cx);
    let lines = match lines {
        message::Lines::Few(lines) => lines,
        message::Lines::Many(lines) => {
            headers.read_many(lines, scheme, cx);
            return headers;
        }
    };
    let Lines { finished, opened, found } = lines::finish_or_open(lines, scheme, cx);
    headers.finished = finished;
    headers.found = found;
    headers.take_roles();
    if opened.is_empty() {
        return headers;
    }
    let mut collapsed = BumpVec::with_capacity_in(opened.len(), cx.bump);
    for line in opened {
        let header = collapse(line, cx);
        if header.is_orphan && !cx.settings.beyond_core() {
            headers.unseen.push(header.value.repaired());
        } else {
            collapsed.push(header);
        }
    }
    let collapsed = merge(collapsed, cx);
    headers.list.reserve_exact(collapsed.len());
    for header in collapsed {
        headers.push(header, scheme, cx);
    }
    headers
}

fn collapse<'a>(line: Line<'a>, cx: Context<'a>) -> Collapsed<'a> {
    let mut flags = line.flags;
    let name = line.name.map(|raw| Name::read(raw, cx, &mut flags));
    if let Some((part, classes)) = whitespace::as_it_came(line.value.bytes, line.after_colon) {
        let value = line.value.part(part).repaired();
        let breaks = BumpVec::new_in(cx.bump);
        return Collapsed { name, value, classes, breaks, is_orphan: line.is_orphan, flags };
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
    let classes = bytes::union(value.bytes);
    Collapsed { name, value, classes, breaks, is_orphan: line.is_orphan, flags }
}

/// Returns whether a `transfer-encoding` names the chunked coding.
pub(crate) fn says_chunked(value: &[u8], cx: Context<'_>) -> bool {
    cx.spare.with(|plain| {
        let value = decode::without_guarded(value, plain);
        bytes::find_ignore_case(value, b"chunked").is_some()
    })
}

impl<'a> Headers<'a> {
    /// No header yet. It is filled where it is: it is too large to be handed on by value.
    fn new(cx: Context<'a>) -> &'a mut Self {
        cx.bump.alloc_with(|| Headers {
            list: BumpVec::new_in(cx.bump),
            unseen: BumpVec::new_in(cx.bump),
            finished: BumpVec::new_in(cx.bump),
            found: Found::default(),
            finished_type: None,
            finished_length: None,
            host: None,
            has_host: false,
            many: None,
        })
    }

    /// Takes note of the finished lines that have a role; there is no other header of their names.
    fn take_roles(&mut self) {
        for line in self.finished.iter().filter(|line| line.record.role != Role::None) {
            match line.record.role {
                Role::None => {}
                Role::Host => {
                    self.host = self.found.host;
                    self.has_host = true;
                }
                Role::ContentType => self.finished_type = Some(line.value()),
                Role::ContentLength => self.finished_length = Some(line.value()),
            }
        }
    }

    /// Returns whether there are others than the finished ones.
    pub(crate) fn has_opened(&self) -> bool {
        !self.list.is_empty() || self.many.is_some()
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
        steps::slow("header line opened");
        let rule = self.rule();
        let Collapsed { name, value, classes, breaks, is_orphan, mut flags } = self;
        // Collapsing and joining rewrite it, but only what was repaired before.
        let value = value.repaired();
        let name_len = name.as_ref().map_or(0, |name| decode::byte_len(name.text.bytes) + 2);
        let value_len = if classes & HIGH == 0 { value.len() } else { decode::byte_len(value.bytes) };
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
            has_rest = pieces::read_all(value, classes, &breaks, name.as_ref(), cx, &mut flags, &mut values);
        }
        let mut header =
            Header { name, values, whole: value, classes, breaks, rest: None, is_orphan, len, flags };
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
    host::scan_characters(value, cx, flags);
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
    bytes::places(b' ', value).filter(is_dropped).count()
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
        scan::scan(came.classified(), kind, is_secret, cx, flags);
    }
}
