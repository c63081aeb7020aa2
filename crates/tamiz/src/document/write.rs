//! Writing a document (clauses 9.2 to 9.5).

use std::cmp::Ordering;
use std::ops::Range;

use bumpalo::collections::Vec as BumpVec;

use super::Evidence;
use super::lines::MORE_HEADERS;
use super::made_of::{self, HeaderNote};
use super::many::FirstParameters;
use super::places::{evidence, write_notes};
use crate::body::{self, Body};
use crate::bytes;
use crate::context::Context;
use crate::finished::{self, Finished, LAYERED, Rank, Record};
use crate::flags::{Flag, FlagSet, Flags, Parameter, Weight};
use crate::formats::fields::Fields;
use crate::headers::{Header, Headers, Name, Value};
use crate::inspect::{Key, write_key};
use crate::needles::Needles;
use crate::request::{Method, Request};
use crate::show::escape::{self, Spot};
use crate::show::marker::{self, number, push};
use crate::show::{NameShown, length};
use crate::target::form::Form;
use crate::target::path::Path;
use crate::target::query::{Pair, Query};
use crate::target::write::{write_path, write_tail, write_userinfo, write_value_shape};

/// Whether to note what the text does not say: which query key raised which flag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notes {
    Without,
    With,
}

/// A flag with its parameter, as it is shown.
pub(super) type Parametrised<'a> = (Flag, &'a [u8]);

/// All flags of a document, gathered line by line.
struct Rollup<'a> {
    plain: FlagSet,
    parametrised: BumpVec<'a, Parametrised<'a>>,
    /// A flag has more parameters than are shown.
    capped: bool,
}

/// The finished lines of a request, by name, on their way to the output.
struct FinishedLines<'a, 'h> {
    headers: &'h Headers<'a>,
    /// How many are written.
    next: usize,
    /// The length of these.
    len: u64,
}

pub(super) struct Writer<'a, 'o> {
    pub(super) cx: Context<'a>,
    pub(super) out: &'o mut Vec<u8>,
    rollup: Rollup<'a>,
    /// The secrets of the request, for what is read again.
    needles: Option<&'o Needles<'a>>,
    /// What to note of headers, where notes are asked for.
    header_notes: Option<BumpVec<'a, HeaderNote<'a>>>,
}

/// Stands for the parameters of a flag beyond the limit.
const ANY: &[u8] = b"*";

/// Writes `request` to the end of `out`. `aside` is scratch space. Returns how long the text is,
/// without its notes, and the evidence when the context keeps it.
#[allow(clippy::arithmetic_side_effects, reason = "the output only grows")]
pub(crate) fn write<'a>(
    request: &Request<'a>,
    notes: Notes,
    cx: Context<'a>,
    out: &mut Vec<u8>,
    aside: &mut Vec<u8>,
) -> (usize, Option<Box<Evidence>>) {
    aside.clear();
    let start = out.len();
    let parametrised = BumpVec::with_capacity_in(8, cx.bump);
    let rollup = Rollup { plain: FlagSet::default(), parametrised, capped: false };
    // The first line says whether a limit was reached, and the roll-up stands in the middle: all
    // other lines are written first, aside.
    let header_notes = (notes == Notes::With && cx.settings.beyond_core()).then(|| BumpVec::new_in(cx.bump));
    let needles = request.needles.as_ref();
    let mut writer = Writer { cx, out: aside, rollup, needles, header_notes };
    writer.target_lines(request);
    let target_len = writer.out.len();
    let names = writer.headers(request);
    if let Some(body) = request.shown_body(cx) {
        writer.body_lines(body);
    }
    let (rollup, header_notes) = (writer.rollup, writer.header_notes);
    let (target, rest) = aside.split_at_checked(target_len).unwrap_or_default();
    let mut writer = Writer { cx, out, rollup, needles, header_notes: None };
    writer.method_line(request);
    writer.out.extend_from_slice(target);
    writer.flags_line();
    if cx.settings.fam {
        writer.families_line();
    }
    out.extend_from_slice(rest);
    let text_len = out.len() - start;
    let evidence = cx.traced.then(|| Box::new(evidence(request, &names, cx)));
    if notes == Notes::With {
        write_notes(request, cx, out);
        made_of::write_notes(request, &header_notes.unwrap_or_else(|| BumpVec::new_in(cx.bump)), cx, out);
    }
    (text_len, evidence)
}

impl<'a> Writer<'a, '_> {
    fn method_line(&mut self, request: &Request<'a>) {
        let mut parameters = words_of(&request.flags, self.cx);
        let enabled = self.cx.settings.enabled;
        self.rollup
            .parametrised
            .extend(parameters.iter().copied().filter(|(flag, _)| enabled.contains(*flag)));
        let most = self.cx.settings.config.limits.flag_parameters;
        self.rollup.capped |= cap(&mut self.rollup.parametrised, most);
        push(self.out, "M:");
        let Method { text, shown } = request.method;
        match shown {
            NameShown::Text => self.out.extend_from_slice(text.bytes),
            NameShown::Shape => marker::write(text.bytes, false, self.cx, self.out),
            NameShown::ShapeAlone => marker::write_alone(text.bytes, self.cx, self.out),
            NameShown::Secret => marker::write(text.bytes, true, self.cx, self.out),
        }
        let mut set = request.flags.set;
        if self.rollup.capped {
            set.insert(Flag::Capped);
        }
        self.end_line_of(set, &mut parameters);
    }

    fn target_lines(&mut self, request: &Request<'a>) {
        let path_written = self.url_line(request);
        if let Some(path) = &request.url.path {
            self.path_line(path, path_written);
        }
        if let Some(query) = &request.url.query {
            self.query_lines(query);
        }
    }

    /// Returns where in the output the path is.
    fn url_line(&mut self, request: &Request<'a>) -> Range<usize> {
        let url = &request.url;
        if url.host.is_none() && !request.is_without_authority(self.cx) {
            return 0..0;
        }
        let mut path = 0..0;
        push(self.out, "U:");
        if let Some(host) = url.host {
            if request.form != Form::Authority {
                push(self.out, request.scheme.as_str());
                push(self.out, "://");
            }
            write_userinfo(url, self.out);
            host.write(self.out);
        }
        if request.form != Form::Authority {
            path = write_tail(url, self.cx, self.out);
        }
        self.end_line(&url.flags);
        path
    }

    /// Writes the line of a path, which may be written already at some place of the output.
    fn path_line(&mut self, path: &Path<'a>, written: Range<usize>) {
        push(self.out, "P:");
        let start = self.out.len();
        if written.is_empty() {
            write_path(path, self.cx, self.out);
        } else {
            self.out.extend_from_within(written);
        }
        let text = self.out.get(start..).unwrap_or_default();
        let (len, longest) = length::of_path(text, self.cx.settings.beyond_core());
        self.measure(" PLEN:", len as u64);
        self.measure(" PMAX:", longest as u64);
        if path.flags.set.is_empty() {
            self.out.push(b'\n');
        } else {
            let climb = written_number(path.longest_climb, self.cx);
            let mut parameters = words_of(&path.flags, self.cx);
            parameters.extend([(Flag::DotDotN, climb), (Flag::MultiEnc, &b"path"[..])]);
            self.end_line_of(path.flags.set, &mut parameters);
        }
    }

    fn measure(&mut self, name: &str, n: u64) {
        push(self.out, name);
        number(self.out, n);
        self.out.push(b'@');
        push(self.out, self.cx.settings.config.buckets.label(n));
    }

    fn query_lines(&mut self, query: &Query<'a>) {
        push(self.out, "Q:");
        number(self.out, query.count() as u64);
        push(self.out, " KEYS:");
        let most = self.cx.settings.config.limits.pairs;
        for (i, pair) in query.pairs.iter().take(most).enumerate() {
            if i > 0 {
                self.out.push(b',');
            }
            write_key(pair.key, self.cx, self.out);
        }
        marker::write_more(query.count(), most, ",", self.out);
        let mut all = query.flags.set;
        let mut parameters = words_of(&query.flags, self.cx);
        for pair in query.pairs.iter().filter(|pair| !pair.flags.set.is_empty()) {
            all = all.union(pair.flags.set);
            parameters.extend(words(&pair.flags));
            for flag in pair.flags.set.iter().filter(|flag| flag.parameter_kind() == Parameter::Key) {
                parameters.push((flag, key_text(pair.key, self.cx)));
            }
        }
        for (_, flags) in query.pairs.iter().flat_map(Pair::leaf_flags) {
            all = all.union(flags.set);
            parameters.extend(words(flags));
        }
        if let Some(more) = &query.more {
            all = all.union(more.flags.set);
            parameters.extend(words(&more.flags));
            parameters.extend(FirstParameters::of_keys(&more.keyed, self.cx));
        }
        self.end_line_of(all, &mut parameters);
        if self.cx.settings.keys_sorted {
            self.keys_sorted_line(query);
        }
        if self.cx.settings.qk {
            self.qk_lines(query);
        }
    }

    fn keys_sorted_line(&mut self, query: &Query<'a>) {
        let mut keys = BumpVec::with_capacity_in(query.pairs.len(), self.cx.bump);
        let most = self.cx.settings.config.limits.pairs;
        keys.extend(query.pairs.iter().take(most).map(|pair| key_text(pair.key, self.cx)));
        keys.sort_unstable();
        keys.dedup();
        push(self.out, "KEYS_SORTED:");
        for (i, key) in keys.iter().enumerate() {
            if i > 0 {
                self.out.push(b',');
            }
            self.out.extend_from_slice(key);
        }
        self.out.push(b'\n');
    }

    /// One line a key, in order of first arrival.
    fn qk_lines(&mut self, query: &Query<'a>) {
        let most = self.cx.settings.config.limits.pairs;
        let shown = query.pairs.iter().take(most).map(|pair| (key_text(pair.key, self.cx), pair));
        for group in grouped(shown, self.cx) {
            push(self.out, "QK:");
            for (i, (key, _, pair)) in group.iter().enumerate() {
                if i == 0 {
                    self.out.extend_from_slice(key);
                }
                self.out.push(if i == 0 { b'=' } else { b'|' });
                write_value_shape(pair, self.cx, self.out);
            }
            self.out.push(b'\n');
        }
        if query.count() > most {
            marker::write_more(query.count(), most, "QK:", self.out);
            self.out.push(b'\n');
        }
    }

    fn body_lines(&mut self, body: &Body<'a>) {
        push(self.out, "B:");
        push(self.out, body.kind.as_str());
        self.measure(" BLEN:", body.len as u64);
        let mut all = body.flags.set;
        let mut parameters = words_of(&body.flags, self.cx);
        match &body.content {
            body::Content::Whole { text, secret } => {
                self.out.push(b' ');
                marker::write(text.bytes, *secret, self.cx, self.out);
                self.end_line_of(all, &mut parameters);
            }
            body::Content::Fields(fields) => {
                let mut keys = field_keys(fields, self.cx);
                for (field, key) in fields.told().zip(&keys) {
                    all = all.union(field.flags.set);
                    parameters.extend(words(&field.flags));
                    for flag in field.flags.set.iter().filter(|flag| flag.parameter_kind() == Parameter::Key)
                    {
                        parameters.push((flag, key));
                    }
                    for (_, flags) in field.leaf_flags() {
                        all = all.union(flags.set);
                        parameters.extend(words(flags));
                    }
                }
                if let Some(more) = &fields.more_pairs {
                    parameters.extend(FirstParameters::of_keys(&more.keyed, self.cx));
                }
                self.end_line_of(all, &mut parameters);
                keys.truncate(fields.list.len());
                self.field_lines(fields, &keys);
            }
        }
    }

    fn field_lines(&mut self, fields: &Fields<'a>, keys: &[&'a [u8]]) {
        push(self.out, "BQ:");
        number(self.out, fields.count() as u64);
        push(self.out, " KEYS:");
        for (i, key) in keys.iter().enumerate() {
            if i > 0 {
                self.out.push(b',');
            }
            self.out.extend_from_slice(key);
        }
        marker::write_more(fields.count(), keys.len(), ",", self.out);
        self.out.push(b'\n');
        for group in grouped(keys.iter().copied().zip(&fields.list), self.cx) {
            push(self.out, "BK:");
            for (i, (key, _, field)) in group.iter().enumerate() {
                if i == 0 {
                    self.out.extend_from_slice(key);
                }
                self.out.push(if i == 0 { b'=' } else { b'|' });
                fields.write_leaf(field, self.out);
            }
            self.out.push(b'\n');
        }
        if fields.more > 0 {
            marker::write_more(fields.count(), keys.len(), "BK:", self.out);
            self.out.push(b'\n');
        }
    }

    /// Writes the flags of one place, whose parameters are words, and the line's end.
    fn end_line(&mut self, flags: &Flags<'a>) {
        if flags.set.is_empty() {
            self.out.push(b'\n');
        } else {
            self.end_line_of(flags.set, &mut words_of(flags, self.cx));
        }
    }

    pub(super) fn end_line_of(&mut self, set: FlagSet, parameters: &mut [Parametrised<'a>]) {
        let set = set.intersection(self.cx.settings.enabled);
        if !set.is_empty() {
            parameters.sort_unstable_by_key(|(flag, parameter)| (flag.rank(), *parameter));
            for flag in set.iter() {
                if flag.parameter_kind() == Parameter::None {
                    self.out.extend_from_slice(b" [");
                    push(self.out, flag.name());
                    self.out.push(b']');
                    self.rollup.plain.insert(flag);
                } else {
                    self.parametrised(flag, parameters);
                }
            }
        }
        self.out.push(b'\n');
    }

    /// Writes a flag with each of its parameters; these are sorted.
    fn parametrised(&mut self, flag: Flag, parameters: &[Parametrised<'a>]) {
        let most = self.cx.settings.config.limits.flag_parameters;
        let mut own = parameters.iter().copied().filter(|(of, _)| *of == flag);
        if let (Some(sole), None) = (own.next(), own.next())
            && most > 0
        {
            self.parametrised_flag(sole);
            return;
        }
        let mut shown = BumpVec::new_in(self.cx.bump);
        shown.extend(parameters.iter().copied().filter(|(of, _)| *of == flag));
        self.rollup.capped |= cap(&mut shown, most);
        for parametrised in shown {
            self.parametrised_flag(parametrised);
        }
    }

    fn parametrised_flag(&mut self, (flag, parameter): Parametrised<'a>) {
        self.out.extend_from_slice(b" [");
        push(self.out, flag.name());
        self.out.push(b':');
        self.out.extend_from_slice(parameter);
        self.out.push(b']');
        self.rollup.parametrised.push((flag, parameter));
    }

    fn flags_line(&mut self) {
        let rollup = &mut self.rollup;
        cap(&mut rollup.parametrised, self.cx.settings.config.limits.flag_parameters);
        let mut all = rollup.plain;
        for (flag, _) in &rollup.parametrised {
            all.insert(*flag);
        }
        if all.is_empty() {
            return;
        }
        push(self.out, "FLAGS:[");
        let mut first = true;
        for flag in all.iter() {
            let with = rollup.parametrised.iter().filter(|(of, _)| *of == flag).map(|(_, p)| Some(*p));
            let plain = rollup.plain.contains(flag).then_some(None);
            for parameter in plain.into_iter().chain(with) {
                if !first {
                    self.out.push(b' ');
                }
                first = false;
                push(self.out, flag.name());
                if let Some(parameter) = parameter {
                    self.out.push(b':');
                    self.out.extend_from_slice(parameter);
                }
            }
        }
        push(self.out, "]\n");
    }

    /// Counts by family, structural flags left out.
    fn families_line(&mut self) {
        let rollup = &self.rollup;
        let telling = rollup
            .plain
            .iter()
            .chain(rollup.parametrised.iter().map(|(flag, _)| *flag))
            .filter(|flag| flag.weight() != Weight::Structural);
        let mut families = BumpVec::new_in(self.cx.bump);
        families.extend(telling.map(|flag| flag.family().as_str()));
        families.sort_unstable();
        if families.is_empty() {
            return;
        }
        push(self.out, "FAM:");
        for (i, family) in families.chunk_by(|a, b| a == b).enumerate() {
            if i > 0 {
                self.out.push(b' ');
            }
            push(self.out, family.first().copied().unwrap_or_default());
            self.out.push(b'=');
            number(self.out, family.len() as u64);
        }
        self.out.push(b'\n');
    }

    /// Writes the header block; returns the place of each header, in the order of `list`.
    #[allow(clippy::arithmetic_side_effects, reason = "counts and lengths of what is in memory")]
    fn headers(&mut self, request: &Request<'a>) -> BumpVec<'a, &'a [u8]> {
        if let Some(many) = &request.headers.many {
            self.many_headers(request, many);
            return BumpVec::new_in(self.cx.bump);
        }
        let list = &request.headers.list;
        let mut names: BumpVec<'a, &'a [u8]> = BumpVec::with_capacity_in(list.len(), self.cx.bump);
        names.extend(list.iter().map(|header| header_name(header.name.as_ref(), self.cx)));
        let mut order = BumpVec::with_capacity_in(list.len(), self.cx.bump);
        order.extend(0..list.len());
        let key =
            |i: usize| (list.get(i).is_none_or(|h: &Header<'_>| h.name.is_none()), names.get(i).copied());
        order.sort_by(|&a, &b| key(a).cmp(&key(b)));
        let most = self.cx.settings.config.limits.headers;
        let mut finished = FinishedLines { headers: &request.headers, next: 0, len: 0 };
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
    pub(super) fn header_sums(&mut self, count: usize, len: u64) {
        push(self.out, "HCNT:");
        number(self.out, count as u64);
        self.measure(" HLEN:", len);
        self.out.push(b'\n');
    }

    /// Copies the finished lines that come before a name; all of them before a line without one. So many opened ones are
    /// written already.
    #[allow(clippy::arithmetic_side_effects, reason = "counts and lengths of what is in memory")]
    fn finished_lines(&mut self, lines: &mut FinishedLines<'a, '_>, before: Option<&[u8]>, opened: usize) {
        let before = before.map(|name| (name, Rank::of(name)));
        for line in lines.headers.finished_from(lines.next) {
            let record = &line.record;
            let is_before = before.is_none_or(|(name, other)| match record.rank.cmp(&other) {
                Ordering::Less => true,
                Ordering::Equal => line.name() < name,
                Ordering::Greater => false,
            });
            if !is_before {
                return;
            }
            self.out.extend_from_slice(line.text);
            if record.is_shape
                && let Some(notes) = &mut self.header_notes
            {
                let value = line.value().bytes;
                let words = Some(value).filter(|value| made_of::may_have_words(value));
                let words = words.and_then(|value| made_of::header_words(value, None, self.cx));
                notes.extend(words.map(|words| (opened + lines.next, words)));
            }
            lines.len += record.len as u64;
            lines.next += 1;
            self.rollup.plain = self.rollup.plain.union(record.plain);
            for (flag, parameter) in record.parameters.iter().map_while(Option::as_ref) {
                let parameter = match parameter {
                    finished::Parameter::Name => line.name(),
                    finished::Parameter::Word(word) => word.as_bytes(),
                };
                self.rollup.parametrised.push((*flag, parameter));
            }
        }
    }

    /// Caches the line that begins at `start` of the output, where that holds in any request.
    fn keep(&self, header: &Header<'a>, name: &'a [u8], start: usize, parameters: &[Parametrised<'a>]) {
        let (Some(cache), Some(line)) = (self.cx.cache, header.line_to_keep()) else { return };
        if !cache.admits(line) {
            return;
        }
        let set = header.flags.set.intersection(self.cx.settings.enabled);
        let mut elsewhere = self.cx.flags();
        header.check_disguise(self.cx, &mut elsewhere);
        header.check_limits(&self.cx.settings.config.limits, &mut elsewhere);
        let most = self.cx.settings.config.limits.flag_parameters;
        let is_counted =
            set.iter().any(|flag| matches!(flag.parameter_kind(), Parameter::Number | Parameter::Key));
        if header.hides_base64(self.cx)
            || is_counted
            || !elsewhere.set.is_empty()
            || parameters.len() > most
            || name_parameter(name, header, self.cx) != name
        {
            return;
        }
        let parametrised = parameters.iter().filter(|(flag, _)| set.contains(*flag)).map(|(flag, _)| *flag);
        let words = header.flags.words().iter().filter(|(flag, _)| set.contains(*flag));
        let words = words.map(|(flag, word)| (*flag, finished::Parameter::Word(word)));
        let names = parametrised.filter(|flag| flag.parameter_kind() == Parameter::Name);
        let names = names.map(|flag| (flag, finished::Parameter::Name));
        let (Ok(name_len), Ok(value_len)) = (u16::try_from(name.len()), u32::try_from(header.whole.len()))
        else {
            return;
        };
        let record = Record {
            plain: set.iter().filter(|flag| flag.parameter_kind() == Parameter::None).collect(),
            name_len,
            value_len,
            len: header.len,
            rank: Rank::of(name),
            is_plain: bytes::union(line) & LAYERED == 0,
            role: header.role(),
            ..Record::default()
        };
        if let Some(record) = record.with_parameters(words.chain(names)) {
            let text = self.out.get(start..).unwrap_or_default();
            cache.keep(&Finished { line, text, record });
        }
    }

    /// Writes a header's line, the `index`-th of all.
    pub(super) fn header_line(&mut self, header: &Header<'a>, name: &'a [u8], index: usize) {
        let line_start = self.out.len();
        push(self.out, "H:");
        self.out.extend_from_slice(name);
        self.out.push(b'=');
        let start = self.out.len();
        header.values.iter().for_each(|value| write_piece(value, start, self.cx, self.out));
        if header.rest.is_some() {
            self.rest_of_pieces(header, start);
        }
        escape::guard_flags(self.out, start, self.cx);
        let is_noted = self.note_header(header, start, index);
        let mut parameters = header_parameters(header, name, self.cx);
        self.end_line_of(header.flags.set, &mut parameters);
        if !is_noted {
            self.keep(header, name, line_start, &parameters);
        }
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
                    needles.hide_in_value(&mut value, &mut flags);
                }
                write_piece(&value, start, local, self.out);
            }
        });
    }

    /// Notes what a value is made of that is shown as one marker; whether there is something to note. The value is
    /// written from `start` on.
    fn note_header(&mut self, header: &Header<'a>, start: usize, index: usize) -> bool {
        let [value] = header.values.as_slice() else { return false };
        let Some(text) = value.text_of_shape() else { return false };
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
        if !is_marker || !is_literal && !made_of::may_have_words(text) {
            return false;
        }
        if let Some(notes) = &mut self.header_notes {
            let is_shown = is_literal && value.is_in_clear();
            let marker = is_shown.then(|| cx.written(|out| value.write_by_shape(cx, out)));
            notes.extend(made_of::header_words(text, marker, cx).map(|words| (index, words)));
        }
        true
    }

    /// One line for the headers that are not shown, with their flags.
    fn more_headers(&mut self, list: &[Header<'a>], order: &[usize], names: &[&'a [u8]]) {
        marker::write_more(order.len(), 0, "H:", self.out);
        let mut all = FlagSet::default();
        let mut parameters = BumpVec::new_in(self.cx.bump);
        for &i in order {
            if let (Some(header), Some(name)) = (list.get(i), names.get(i)) {
                all = all.union(header.flags.set);
                parameters.extend(header_parameters(header, name, self.cx));
            }
        }
        self.end_line_of(all, &mut parameters);
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

/// Sorts parametrised flags, each once; of a flag with more than `most` parameters the first ones
/// stay, and [`ANY`]. Whether there was such a flag.
#[allow(clippy::arithmetic_side_effects, reason = "counts what is in memory")]
fn cap(parameters: &mut BumpVec<'_, Parametrised<'_>>, most: usize) -> bool {
    let is_before = |(a, b): &Parametrised<'_>, (c, d): &Parametrised<'_>| (a.rank(), *b) < (c.rank(), *d);
    let is_capped = parameters.len() > most || parameters.iter().any(|(_, parameter)| *parameter == ANY);
    if !is_capped && parameters.is_sorted_by(is_before) {
        return false;
    }
    parameters.sort_unstable_by_key(|(flag, parameter)| (flag.rank(), *parameter == ANY, *parameter));
    parameters.dedup();
    if parameters.len() <= most && parameters.iter().all(|(_, parameter)| *parameter != ANY) {
        return false;
    }
    let (mut before, mut shown, mut capped) = (None, 0, false);
    parameters.retain_mut(|(flag, parameter)| {
        if before != Some(*flag) {
            (before, shown) = (Some(*flag), 0);
        }
        shown += 1;
        if *parameter == ANY || shown > most {
            *parameter = ANY;
            capped = true;
        }
        // One beyond the limit stands for all that follow.
        shown <= most.saturating_add(1)
    });
    parameters.sort_unstable_by_key(|(flag, parameter)| (flag.rank(), *parameter));
    capped
}

/// The flags of a header that have a parameter.
pub(super) fn header_parameters<'a>(
    header: &Header<'a>,
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

/// A number as it is written.
fn written_number(n: usize, cx: Context<'_>) -> &[u8] {
    const DIGITS: [[u8; 1]; 10] = [*b"0", *b"1", *b"2", *b"3", *b"4", *b"5", *b"6", *b"7", *b"8", *b"9"];
    match DIGITS.get(n) {
        Some(digit) => digit,
        None => cx.written(|out| number(out, n as u64)),
    }
}

/// The flags of a place whose parameter is a word.
fn words<'a>(flags: &Flags<'a>) -> impl ExactSizeIterator<Item = Parametrised<'a>> {
    flags.words().iter().map(|(flag, word)| (*flag, word.as_bytes()))
}

/// The same in a list of their own.
fn words_of<'a>(flags: &Flags<'a>, cx: Context<'a>) -> BumpVec<'a, Parametrised<'a>> {
    let mut list = BumpVec::with_capacity_in(words(flags).len(), cx.bump);
    list.extend(words(flags));
    list
}

/// A header's name as its line shows it; `?` for a line without one.
pub(super) fn header_name<'a>(name: Option<&Name<'a>>, cx: Context<'a>) -> &'a [u8] {
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
fn name_parameter<'a>(shown: &'a [u8], header: &Header<'a>, cx: Context<'a>) -> &'a [u8] {
    let in_clear = header.name.as_ref().is_some_and(|name| name.shown == NameShown::Text);
    if shown == ANY {
        return b"%2A";
    }
    if !in_clear || shown.iter().all(|b| !matches!(b, b'|' | b'&')) {
        return shown;
    }
    cx.written(|out| escape::write(shown, Spot::Name, out))
}

pub(crate) fn key_text<'a>(key: Key<'a>, cx: Context<'a>) -> &'a [u8] {
    if key.shown == NameShown::Text && key.text.bytes.is_ascii() {
        return key.text.bytes;
    }
    cx.written(|out| write_key(key, cx, out))
}

/// The keys of a body's fields, as shown.
pub(crate) fn field_keys<'a>(fields: &Fields<'a>, cx: Context<'a>) -> BumpVec<'a, &'a [u8]> {
    let mut keys = BumpVec::with_capacity_in(fields.list.len(), cx.bump);
    keys.extend(fields.told().map(|field| fields.key(field)));
    keys
}

/// What came under a key, in order of arrival.
pub(crate) type Group<'a, T> = &'a [(&'a [u8], usize, T)];

/// What came under each key, keys in order of first arrival.
pub(crate) fn grouped<'a, T: Copy>(
    items: impl Iterator<Item = (&'a [u8], T)>,
    cx: Context<'a>,
) -> BumpVec<'a, Group<'a, T>> {
    let mut all = BumpVec::with_capacity_in(items.size_hint().0, cx.bump);
    all.extend(items.enumerate().map(|(i, (key, item))| (key, i, item)));
    all.sort_unstable_by_key(|(key, i, _)| (*key, *i));
    let all: &'a [(&'a [u8], usize, T)] = all.into_bump_slice();
    let mut groups = BumpVec::with_capacity_in(all.len(), cx.bump);
    groups.extend(all.chunk_by(|a, b| a.0 == b.0));
    groups.sort_unstable_by_key(|group| group.first().map(|(_, i, _)| *i));
    groups
}
