//! The lines of headers: those that are finished, and those that were opened.

use std::cmp::Ordering;

use bumpalo::collections::Vec as BumpVec;

use super::{ANY, Parametrised, Writer, words, written_number};
use crate::context::Context;
use crate::document::lines::MORE_HEADERS;
use crate::document::made_of;
use crate::document::many::FirstParameters;
use crate::finished::Finished;
use crate::flags::{FlagSet, Parameter};
use crate::headers::{Header, Headers, Name, Value};

use crate::request::Request;
use crate::show::NameShown;
use crate::show::escape::{self, Spot};
use crate::show::marker::{self, number, push};

/// The finished lines of a request, by name, on their way to the output.
struct FinishedLines<'a, 'h> {
    headers: &'h Headers<'a>,
    /// How many are written.
    next: usize,
    /// The length of these.
    len: u64,
}

impl<'a> Writer<'a, '_> {
    /// Writes the header block; returns the place of each header, in the order of `list`.
    #[allow(clippy::arithmetic_side_effects, reason = "counts and lengths of what is in memory")]
    pub(super) fn headers(&mut self, request: &Request<'a>) -> BumpVec<'a, &'a [u8]> {
        if let Some(many) = &request.headers.many {
            self.many_headers(request, many);
            return BumpVec::new_in(self.cx.bump);
        }
        let list = &request.headers.list;
        let mut finished = FinishedLines { headers: request.headers, next: 0, len: 0 };
        if list.is_empty() {
            self.finished_lines(&mut finished, None, 0);
            self.header_sums(finished.next, finished.len);
            return BumpVec::new_in(self.cx.bump);
        }
        let mut names: BumpVec<'a, &'a [u8]> = BumpVec::with_capacity_in(list.len(), self.cx.bump);
        names.extend(list.iter().map(|header| header_name(header.name.as_ref(), self.cx)));
        let mut order = BumpVec::with_capacity_in(list.len(), self.cx.bump);
        order.extend(0..list.len());
        let key =
            |i: usize| (list.get(i).is_none_or(|h: &Header<'_>| h.name.is_none()), names.get(i).copied());
        order.sort_by(|&a, &b| key(a).cmp(&key(b)));
        let most = self.cx.settings.config.limits.headers;
        for (written, &i) in order.iter().take(most).enumerate() {
            if let (Some(header), Some(name)) = (list.get(i), names.get(i)) {
                self.finished_lines(&mut finished, header.name.as_ref().map(|_| *name), written);
                self.header_line(header, name, written + finished.next);
            }
        }
        self.finished_lines(&mut finished, None, order.len());
        let rest = order.get(most..).unwrap_or_default();
        if !rest.is_empty() {
            self.more_headers(list, rest, &names);
        }
        for &i in rest {
            if let Some(name) = names.get_mut(i) {
                *name = MORE_HEADERS.as_bytes();
            }
        }
        let total: u64 = list.iter().map(|header| header.len as u64).sum();
        self.header_sums(list.len() + finished.next, total + finished.len);
        names
    }

    /// Writes how many headers there are, and how long they are.
    pub(in crate::document) fn header_sums(&mut self, count: usize, len: u64) {
        push(self.out, "HCNT:");
        number(self.out, count as u64);
        self.measure(" HLEN:", len);
        self.out.push(b'\n');
    }

    /// Copies the finished lines that come before a name; all of them before a line without one. So many opened ones are
    /// written already.
    #[allow(clippy::arithmetic_side_effects, reason = "counts and lengths of what is in memory")]
    fn finished_lines(&mut self, lines: &mut FinishedLines<'a, '_>, before: Option<&[u8]>, opened: usize) {
        let texts = self.cx.spare.lines.borrow();
        let rest = lines.headers.finished.get(lines.next..).unwrap_or_default();
        let count = before.map_or(rest.len(), |name| {
            let rank = self.cx.settings.headers.rank(name);
            let is_before = |line: &&Finished<'_>| match line.record.rank.cmp(&rank) {
                Ordering::Less => true,
                Ordering::Equal => line.name(&texts) < name,
                Ordering::Greater => false,
            };
            rest.iter().take_while(is_before).count()
        });
        let finished = rest.get(..count).unwrap_or_default();
        // The text of one follows that of the other.
        if let (Some(first), Some(last)) = (finished.first(), finished.last()) {
            self.out.extend_from_slice(texts.get(first.start as usize..last.end()).unwrap_or_default());
        }
        for line in finished {
            lines.len += u64::from(line.record.len);
            let flags = line.record.flags();
            if !flags.is_empty() {
                self.gather(line, flags, &texts);
            }
        }
        if let Some(notes) = &mut self.header_notes {
            for (nth, line) in finished.iter().enumerate().filter(|(_, line)| line.record.is_shape) {
                let value = line.value().bytes;
                let words = Some(value).filter(|value| made_of::may_have_words(value));
                let words = words.and_then(|value| made_of::header_words(value, None, self.cx));
                notes.extend(words.map(|words| (opened + lines.next + nth, words)));
            }
        }
        lines.next += count;
    }

    /// Gathers the flags of a finished line.
    fn gather(&mut self, line: &Finished<'a>, flags: FlagSet, texts: &[u8]) {
        let plain = flags.plain();
        self.rollup.plain = self.rollup.plain.union(plain);
        if plain == flags {
            return;
        }
        let words = line.words.iter().flatten().filter(|(flag, _)| flags.contains(*flag));
        self.rollup.parametrised.extend(words.map(|(flag, word)| (*flag, word.as_bytes())));
        for flag in flags.without(plain).iter() {
            let parameter = match flag.parameter_kind() {
                Parameter::Name => &*self.cx.bump.alloc_slice_copy(line.name(texts)),
                Parameter::Number => written_number(line.record.count as usize, self.cx),
                Parameter::Word => continue,
                Parameter::None | Parameter::Key => {
                    self.rollup.plain.insert(flag);
                    continue;
                }
            };
            self.rollup.parametrised.push((flag, parameter));
        }
    }

    /// Writes a header's line, the `index`-th of all.
    pub(in crate::document) fn header_line(&mut self, header: &Header<'a>, name: &'a [u8], index: usize) {
        push(self.out, "H:");
        self.out.extend_from_slice(name);
        self.out.push(b'=');
        let start = self.out.len();
        header.values.iter().for_each(|value| write_piece(value, start, self.cx, self.out));
        if header.rest.is_some() {
            self.rest_of_pieces(header, start);
        }
        escape::guard_flags(self.out, start, self.cx);
        self.note_header(header, start, index);
        let mut parameters = header_parameters(header, name, self.cx);
        self.end_line_of(header.flags.set, &mut parameters);
    }

    /// Writes the pieces of a value that are not kept, behind those that are, which begin at `start` of the output.
    fn rest_of_pieces(&mut self, header: &Header<'a>, start: usize) {
        let mut pieces = header.rest_of_pieces();
        let cx = self.cx;
        cx.spare.with_arena(|arena| {
            loop {
                arena.reset();
                let shared = cx.in_arena(arena);
                let local = Context::new(&shared);
                let mut flags = local.flags();
                let Some(value) = pieces.next(local, &mut flags) else { return };
                let Some(mut value) = value else { continue };
                if let Some(needles) = self.needles {
                    needles.hide_in_value(&mut value, header.is_joined(), &mut flags);
                }
                write_piece(&value, start, local, self.out);
            }
        });
    }

    /// Notes what a value is made of that is shown as one marker. The value is written from `start` on.
    fn note_header(&mut self, header: &Header<'a>, start: usize, index: usize) {
        let Some(notes) = &mut self.header_notes else { return };
        let [value] = header.values.as_slice() else { return };
        let Some(text) = value.text_of_shape() else { return };
        let cx = self.cx;
        let is_literal = cx.settings.literal();
        let is_marker = if is_literal {
            cx.spare.with(|out| {
                value.write_by_shape(cx, out);
                marker::is_written_marker(out)
            })
        } else {
            marker::is_written_marker(self.out.get(start..).unwrap_or_default())
        };
        if is_marker && (is_literal || made_of::may_have_words(text)) {
            let is_shown = is_literal && value.is_in_clear();
            let marker = is_shown.then(|| cx.written(|out| value.write_by_shape(cx, out)));
            notes.extend(made_of::header_words(text, marker, cx).map(|words| (index, words)));
        }
    }

    /// One line for the headers that are not shown, with their flags.
    fn more_headers(&mut self, list: &[Header<'a>], order: &[usize], names: &[&'a [u8]]) {
        marker::write_more(order.len(), 0, "H:", self.out);
        let cx = self.cx;
        let (mut all, mut first) = (FlagSet::default(), FirstParameters::new(cx));
        for (header, name) in order.iter().filter_map(|&i| Some((list.get(i)?, *names.get(i)?))) {
            all = all.union(header.flags.set);
            first.add_all(header, name, cx);
        }
        self.end_line_of(all, &mut first.list);
    }
}

/// Writes a piece of a value, whose first begins at `start` of the output.
fn write_piece<'a>(value: &Value<'a>, start: usize, cx: Context<'a>, out: &mut Vec<u8>) {
    if out.len() > start {
        out.push(b' ');
    }
    value.write(cx, out);
    // A piece may show nothing, or nothing after its name.
    if out.len() > start && out.last() == Some(&b' ') {
        out.pop();
    }
}

/// The flags of a header that have a parameter.
pub(in crate::document) fn header_parameters<'a>(
    header: &Header<'_>,
    name: &'a [u8],
    cx: Context<'a>,
) -> BumpVec<'a, Parametrised<'a>> {
    let mut parameters = BumpVec::with_capacity_in(4, cx.bump);
    parameters.extend(words(&header.flags));
    for flag in header.flags.set.iter() {
        match flag.parameter_kind() {
            Parameter::Name => parameters.push((flag, name_parameter(name, header, cx))),
            Parameter::Number => {
                parameters.push((flag, written_number(header.cookies(), cx)));
            }
            Parameter::None | Parameter::Key | Parameter::Word => {}
        }
    }
    parameters
}

/// A header's name as its line shows it; `?` for a line without one.
pub(in crate::document) fn header_name<'a>(name: Option<&Name<'a>>, cx: Context<'a>) -> &'a [u8] {
    match name {
        None => b"?",
        Some(name) => {
            if name.shown == NameShown::Text {
                return name.text.bytes;
            }
            cx.written(|out| name.write(cx, out))
        }
    }
}

/// A header's name as a flag's parameter.
fn name_parameter<'a>(shown: &'a [u8], header: &Header<'_>, cx: Context<'a>) -> &'a [u8] {
    let in_clear = header.name.as_ref().is_some_and(|name| name.shown == NameShown::Text);
    if shown == ANY {
        return b"%2A";
    }
    if !in_clear || shown.iter().all(|b| !matches!(b, b'|' | b'&')) {
        return shown;
    }
    cx.written(|out| escape::write(shown, Spot::Name, out))
}
