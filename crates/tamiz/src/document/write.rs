//! Writing a document (clauses 9.2 to 9.5).

mod body;
mod groups;
mod headers;
mod target;

use std::ops::Range;

use bumpalo::collections::Vec as BumpVec;

use super::Evidence;
use super::places::{evidence, write_notes};
use crate::context::Context;
use crate::document::made_of::{self, HeaderNote};
use crate::flags::{Flag, FlagSet, Flags, Weight};
use crate::inspect::{Key, write_key};
use crate::needles::Needles;
use crate::request::{Method, Request};
use crate::show::NameShown;
use crate::show::marker::{self, number, number_and, push};

pub(super) use groups::{Group, grouped};
pub(super) use headers::{header_name, header_parameters};

/// Selects whether to record what the text does not contain: which query key raised which flag.
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

impl Rollup<'_> {
    /// Sorts the flags once all are known; returns whether some are left out.
    fn finish(&mut self, cx: Context<'_>) -> bool {
        self.capped |= cap(&mut self.parametrised, cx.settings.config.limits.flag_parameters);
        if self.capped && cx.settings.enabled.contains(Flag::Capped) {
            self.plain.insert(Flag::Capped);
        }
        self.capped
    }
}

pub(super) struct Writer<'a, 'o> {
    pub(super) cx: Context<'a>,
    pub(super) out: &'o mut Vec<u8>,
    rollup: Rollup<'a>,
    /// The secrets of the request, for what is read again.
    needles: Option<&'a Needles<'a>>,
    /// The notes on headers, where notes are asked for.
    header_notes: Option<BumpVec<'a, HeaderNote<'a>>>,
}

/// Stands for the parameters of a flag beyond the limit.
const ANY: &[u8] = b"*";

/// Writes `request` to the end of `out`. Returns how long the text is, without its notes, and the evidence when the
/// context keeps it.
#[allow(clippy::arithmetic_side_effects, reason = "the output only grows")]
pub(crate) fn write<'a>(
    request: &Request<'a>,
    notes: Notes,
    cx: Context<'a>,
    out: &mut Vec<u8>,
) -> (usize, Option<Box<Evidence>>) {
    let start = out.len();
    let parametrised = BumpVec::with_capacity_in(8, cx.bump);
    let rollup = Rollup { plain: FlagSet::default(), parametrised, capped: false };
    let header_notes = (notes == Notes::With && cx.settings.beyond_core()).then(|| BumpVec::new_in(cx.bump));
    let mut writer = Writer { cx, out, rollup, needles: request.needles, header_notes };
    writer.method_line(request, request.flags.set);
    let target = writer.out.len();
    writer.target_lines(request);
    let rest = writer.out.len();
    let names = writer.headers(request);
    if let Some(body) = request.shown_body(cx) {
        writer.body_lines(body);
    }
    let end = writer.out.len();
    let is_capped = writer.rollup.finish(cx);
    writer.flags_line();
    if cx.settings.fam {
        writer.families_line();
    }
    // The lines about all others are known last, and are not the last.
    writer.out.get_mut(rest..).unwrap_or_default().rotate_left(end - rest);
    if is_capped {
        writer.cap_method_line(request, start..target);
    }
    let header_notes = writer.header_notes;
    let text_len = out.len() - start;
    let evidence = cx.traced.then(|| Box::new(evidence(request, &names, cx)));
    if notes == Notes::With {
        write_notes(request, cx, out);
        made_of::write_notes(request, &header_notes.unwrap_or_else(|| BumpVec::new_in(cx.bump)), cx, out);
    }
    (text_len, evidence)
}

impl<'a> Writer<'a, '_> {
    fn method_line(&mut self, request: &Request<'a>, set: FlagSet) {
        push(self.out, "M:");
        let Method { text, shown } = &request.method;
        match shown {
            NameShown::Text => self.out.extend_from_slice(text.bytes),
            NameShown::Shape => marker::write(text.bytes, false, self.cx, self.out),
            NameShown::ShapeAlone => marker::write_alone(text.bytes, self.cx, self.out),
            NameShown::Secret => marker::write(text.bytes, true, self.cx, self.out),
        }
        self.end_line_with(set, &request.flags);
    }

    /// Writes the first line, whose place is known, once more: with `CAPPED`.
    #[allow(clippy::arithmetic_side_effects, reason = "the output only grows")]
    fn cap_method_line(&mut self, request: &Request<'a>, place: Range<usize>) {
        let end = self.out.len();
        let capped = std::iter::once(Flag::Capped).collect();
        self.method_line(request, request.flags.set.union(capped));
        let len = self.out.len() - end;
        self.out.get_mut(place.start..).unwrap_or_default().rotate_right(len);
        self.out.drain(place.start + len..place.end + len);
    }

    #[inline(always)]
    fn measure(&mut self, name: &str, n: u64) {
        push(self.out, name);
        self.number_and_bucket(n);
    }

    fn number_and_bucket(&mut self, n: u64) {
        number_and(self.out, n, b'@');
        push(self.out, self.cx.settings.config.buckets.label(n));
    }

    /// Writes the flags of one place, whose parameters are words, and the line's end.
    fn end_line(&mut self, flags: &Flags<'a>) {
        self.end_line_with(flags.set, flags);
    }

    /// Writes a set of flags, the words of which are those of a place, and the line's end.
    fn end_line_with(&mut self, set: FlagSet, words: &Flags<'a>) {
        if set.is_empty() {
            self.out.push(b'\n');
        } else {
            self.end_line_of(set, &mut words_of(words, self.cx));
        }
    }

    pub(super) fn end_line_of(&mut self, set: FlagSet, parameters: &mut [Parametrised<'a>]) {
        let set = set.intersection(self.cx.settings.enabled);
        if !set.is_empty() {
            let plain = set.plain();
            self.rollup.plain = self.rollup.plain.union(plain);
            if plain != set {
                parameters.sort_unstable_by_key(|(flag, parameter)| (flag.rank(), *parameter));
            }
            let mut rest: &[Parametrised<'a>] = parameters;
            for flag in set.iter() {
                if plain.contains(flag) {
                    push(self.out, flag.in_brackets());
                    continue;
                }
                let before = rest.iter().take_while(|(of, _)| of.rank() < flag.rank()).count();
                rest = rest.get(before..).unwrap_or_default();
                let count = rest.iter().take_while(|(of, _)| *of == flag).count();
                let (own, others) = rest.split_at_checked(count).unwrap_or_default();
                self.parametrised(own);
                rest = others;
            }
        }
        self.out.push(b'\n');
    }

    /// Writes a flag with each of its parameters; these are sorted.
    fn parametrised(&mut self, own: &[Parametrised<'a>]) {
        let most = self.cx.settings.config.limits.flag_parameters;
        if own.len() <= most && own.iter().all(|(_, parameter)| *parameter != ANY) {
            let each_once = own.chunk_by(|a, b| a.1 == b.1).filter_map(<[_]>::first);
            return each_once.for_each(|parametrised| self.parametrised_flag(*parametrised));
        }
        let mut shown = BumpVec::from_iter_in(own.iter().copied(), self.cx.bump);
        self.rollup.capped |= cap(&mut shown, most);
        shown.into_iter().for_each(|parametrised| self.parametrised_flag(parametrised));
    }

    fn parametrised_flag(&mut self, (flag, parameter): Parametrised<'a>) {
        push(self.out, flag.in_brackets().strip_suffix(']').unwrap_or_default());
        self.out.push(b':');
        self.out.extend_from_slice(parameter);
        self.out.push(b']');
        self.rollup.parametrised.push((flag, parameter));
    }

    fn flags_line(&mut self) {
        let Rollup { plain, parametrised, .. } = &self.rollup;
        let mut all = *plain;
        parametrised.iter().for_each(|(flag, _)| all.insert(*flag));
        if all.is_empty() {
            return;
        }
        push(self.out, "FLAGS:[");
        let mut parametrised = parametrised.iter().peekable();
        for flag in all.iter() {
            if plain.contains(flag) {
                push(self.out, flag.name());
                self.out.push(b' ');
            }
            while let Some((_, parameter)) = parametrised.next_if(|(of, _)| *of == flag) {
                push(self.out, flag.name());
                self.out.push(b':');
                self.out.extend_from_slice(parameter);
                self.out.push(b' ');
            }
        }
        self.out.pop();
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
}

/// Sorts parametrised flags, each once; of a flag with more than `most` parameters the first ones
/// stay, and [`ANY`]. Whether there was such a flag.
#[allow(clippy::arithmetic_side_effects, reason = "counts what is in memory")]
fn cap(parameters: &mut BumpVec<'_, Parametrised<'_>>, most: usize) -> bool {
    let order =
        |(a, b): &Parametrised<'_>, (c, d): &Parametrised<'_>| a.rank().cmp(&c.rank()).then_with(|| b.cmp(d));
    let is_capped = parameters.len() > most || parameters.iter().any(|(_, parameter)| *parameter == ANY);
    if !is_capped {
        if !parameters.is_sorted_by(|a, b| order(a, b).is_lt()) {
            parameters.sort_unstable_by(order);
            parameters.dedup();
        }
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

/// A number as it is written.
fn written_number(n: usize, cx: Context<'_>) -> &[u8] {
    const DIGITS: [[u8; 1]; 10] = [*b"0", *b"1", *b"2", *b"3", *b"4", *b"5", *b"6", *b"7", *b"8", *b"9"];
    match DIGITS.get(n) {
        Some(digit) => digit,
        None => cx.written(|out| number(out, n as u64)),
    }
}

/// The flags of a place whose parameter is a word.
fn words<'w>(flags: &Flags<'_>) -> impl ExactSizeIterator<Item = Parametrised<'w>> {
    flags.words().iter().map(|(flag, word)| (*flag, word.as_bytes()))
}

/// The flags with their parameters, in a list of their own.
fn words_of<'a>(flags: &Flags<'a>, cx: Context<'a>) -> BumpVec<'a, Parametrised<'a>> {
    // More follow, where there are some.
    let mut list = BumpVec::with_capacity_in(words(flags).len().saturating_add(4), cx.bump);
    list.extend(words(flags));
    list
}

pub(crate) fn key_text<'a>(key: Key<'a>, cx: Context<'a>) -> &'a [u8] {
    if key.shown == NameShown::Text && key.text.bytes.is_ascii() {
        return key.text.bytes;
    }
    cx.written(|out| write_key(key, cx, out))
}
