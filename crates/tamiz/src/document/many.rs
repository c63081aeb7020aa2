//! Writing the header block of a request with more headers than are shown.

#![allow(clippy::arithmetic_side_effects, reason = "counts of what is in memory")]

use bumpalo::collections::Vec as BumpVec;

use super::write::{Parametrised, Writer, header_name, header_parameters};
use crate::context::Context;
use crate::flags::{Flag, FlagSet};
use crate::headers::Header;
use crate::headers::many::{Many, Place, Step};
use crate::inspect::{Key, write_key};
use crate::request::Request;
use crate::show::marker;

/// A header that may be shown.
struct Candidate<'a> {
    /// Lines without a name come last; all others in the order of their names.
    is_unnamed: bool,
    name: &'a [u8],
    place: Place<'a>,
}

/// The first parameters of each flag, of any number: one more than are shown, so that it is told that there are more.
pub(super) struct FirstParameters<'a> {
    /// Sorted.
    pub(super) list: BumpVec<'a, Parametrised<'a>>,
    most: usize,
}

impl<'a> Writer<'a, '_> {
    /// Writes the header block of many lines.
    pub(super) fn many_headers(&mut self, request: &Request<'a>, many: &Many<'a>) {
        let cx = self.cx;
        let shown = first_headers(request, many, cx);
        for (nth, candidate) in shown.iter().enumerate() {
            let Some(mut header) = many.read(candidate.place, cx) else { continue };
            if let Some(needles) = &request.needles {
                needles.hide_in_header(&mut header);
            }
            self.header_line(&header, candidate.name, nth);
        }
        if many.count > shown.len() {
            let (set, mut parameters) = flags_of_rest(request, many, &shown, cx);
            marker::write_more(many.count, shown.len(), "H:", self.out);
            self.end_line_of(set, &mut parameters);
        }
        self.header_sums(many.count, many.len);
    }
}

/// The headers that are shown, by name.
fn first_headers<'a>(request: &Request<'a>, many: &Many<'a>, cx: Context<'a>) -> BumpVec<'a, Candidate<'a>> {
    let most = cx.settings.config.limits.headers;
    let mut first: BumpVec<'a, Candidate<'a>> = BumpVec::new_in(cx.bump);
    // A header that does not come before this one is not among them.
    let mut bound: Option<(bool, &'a [u8])> = None;
    let mut walk = many.walk();
    cx.spare.with_arena(|arena| {
        loop {
            arena.reset();
            let shared = cx.in_arena(arena);
            let local = Context::new(&shared);
            let Some(step) = walk.next(local) else { return };
            let Step::Header(place, mut header) = step else { continue };
            if let (Some(name), Some(needles)) = (&mut header.name, &request.needles) {
                needles.hide_in_name(name);
            }
            let is_unnamed = header.name.is_none();
            let name = header_name(header.name.as_ref(), local);
            if bound.is_some_and(|bound| (is_unnamed, name) >= bound) {
                continue;
            }
            first.push(Candidate { is_unnamed, name: cx.bump.alloc_slice_copy(name), place });
            if first.len() > most.saturating_mul(2) {
                keep_first(&mut first, most);
                bound = first.last().map(|last| (last.is_unnamed, last.name)).or(Some((false, b"")));
            }
        }
    });
    keep_first(&mut first, most);
    first
}

fn keep_first(candidates: &mut BumpVec<'_, Candidate<'_>>, most: usize) {
    candidates.sort_unstable_by_key(|one| (one.is_unnamed, one.name, one.place.index()));
    candidates.truncate(most);
}

/// The flags of the headers that are not shown.
fn flags_of_rest<'a>(
    request: &Request<'a>,
    many: &Many<'a>,
    shown: &[Candidate<'a>],
    cx: Context<'a>,
) -> (FlagSet, BumpVec<'a, Parametrised<'a>>) {
    let mut indices = BumpVec::with_capacity_in(shown.len(), cx.bump);
    indices.extend(shown.iter().map(|candidate| candidate.place.index()));
    indices.sort_unstable();
    let (mut set, mut first) = (FlagSet::default(), FirstParameters::new(cx));
    let mut walk = many.walk();
    cx.spare.with_arena(|arena| {
        loop {
            arena.reset();
            let shared = cx.in_arena(arena);
            let local = Context::new(&shared);
            let Some(step) = walk.next(local) else { return };
            let Step::Header(place, header) = step else { continue };
            if indices.binary_search(&place.index()).is_ok() {
                continue;
            }
            let mut header = many.open(place, header, local).0;
            if let (Some(name), Some(needles)) = (&mut header.name, &request.needles) {
                needles.hide_in_name(name);
            }
            set = set.union(header.flags.set);
            first.add_all(&header, header_name(header.name.as_ref(), local), cx);
        }
    });
    (set, first.list)
}

impl<'a> FirstParameters<'a> {
    pub(super) fn new(cx: Context<'a>) -> Self {
        FirstParameters { list: BumpVec::new_in(cx.bump), most: cx.settings.config.limits.flag_parameters }
    }

    /// The first of keys that are parameters of flags.
    pub(super) fn of_keys(keyed: &[(Key<'a>, FlagSet)], cx: Context<'a>) -> BumpVec<'a, Parametrised<'a>> {
        let mut first = FirstParameters::new(cx);
        cx.spare.with(|shown| {
            for (key, flags) in keyed {
                shown.clear();
                write_key(*key, cx, shown);
                flags.iter().for_each(|flag| first.add(flag, shown, cx));
            }
        });
        first.list
    }

    /// Adds those of a header that are among the first of their flags.
    pub(super) fn add_all(&mut self, header: &Header<'_>, name: &[u8], cx: Context<'a>) {
        cx.spare.with_arena(|arena| {
            let shared = cx.in_arena(arena);
            for (flag, parameter) in header_parameters(header, name, Context::new(&shared)) {
                self.add(flag, parameter, cx);
            }
        });
    }

    /// Adds a parameter, if it is one of the first of its flag.
    fn add(&mut self, flag: Flag, parameter: &[u8], cx: Context<'a>) {
        let start = self.list.partition_point(|(of, _)| of.rank() < flag.rank());
        let own = self.list.get(start..).unwrap_or_default();
        let own = own.get(..own.partition_point(|(of, _)| *of == flag)).unwrap_or_default();
        let Err(nth) = own.binary_search_by(|(_, known)| (*known).cmp(parameter)) else { return };
        if nth > self.most {
            return;
        }
        if own.len() > self.most {
            self.list.remove(start + own.len() - 1);
        }
        self.list.insert(start + nth, (flag, cx.bump.alloc_slice_copy(parameter)));
    }
}
