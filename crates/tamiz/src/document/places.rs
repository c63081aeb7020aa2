//! Facts that only a fresh document has: which key raised which flag, and the evidence.

use std::collections::BTreeMap;
use std::ops::Range;

use bumpalo::collections::Vec as BumpVec;

use super::Evidence;
use super::write::{Group, grouped, key_text};
use crate::body;
use crate::context::Context;
use crate::flags::{Flag, FlagSet, Flags, Mark, Parameter};
use crate::formats::embedded::Embedded;
use crate::formats::key_path::Start;
use crate::request::Request;
use crate::show::marker::push;

/// Writes what the text does not say: the version, then which place of the query or body raised
/// which flag, a line each: `FLAG place`.
pub(crate) fn write_notes<'a>(request: &Request<'a>, cx: Context<'a>, out: &mut Vec<u8>) {
    push(out, "v=");
    push(out, request.version.as_str());
    out.push(b'\n');
    if let Some(query) = &request.url.query {
        // What comes beyond a limit tells at the line.
        let most = cx.settings.config.limits.pairs;
        let beyond = query.pairs.get(most..).unwrap_or_default();
        let of_line = beyond.iter().flat_map(|pair| std::iter::once(&pair.flags).chain(pair.leaf_flags()));
        let of_more = query.more.iter().map(|more| &more.flags);
        note_flags(std::iter::once(&query.flags).chain(of_line).chain(of_more), None, b"q", cx, out);
        let keyed = beyond.iter().map(|pair| (pair.key, pair.flags.set));
        let keyed = keyed.chain(query.more.iter().flat_map(|more| more.keyed.iter().copied()));
        note_keyed(keyed.map(|(key, set)| (key_text(key, cx), set)), b"q", cx, out);
        let shown = query.pairs.iter().take(most).map(|pair| (key_text(pair.key, cx), pair));
        for group in grouped(shown, cx) {
            note_key(group, |pair| &pair.flags, b"q.", cx, out);
            note_leaves(group, |pair| pair.json, b"q.", cx, out);
        }
    }
    let Some(body) = request.shown_body(cx) else { return };
    let body::Content::Fields(fields) = &body.content else {
        note_flags(std::iter::once(&body.flags), None, b"b", cx, out);
        return;
    };
    let keys = fields.keys(Start::Body);
    let keyed = || keys.iter().copied().zip(fields.told());
    let beyond = || keyed().skip(fields.list.len());
    note_flags(
        std::iter::once(&body.flags).chain(beyond().map(|(_, field)| &field.flags)),
        None,
        b"b",
        cx,
        out,
    );
    let of_pairs = fields.more_pairs.iter().flat_map(|more| more.keyed.iter());
    let of_pairs = of_pairs.map(|(key, set)| (key_text(*key, cx), *set));
    note_keyed(beyond().map(|(key, field)| (key, field.flags.set)).chain(of_pairs), b"b", cx, out);
    for group in grouped(keyed().take(fields.list.len()), cx) {
        note_key(group, |field| &field.flags, b"b.", cx, out);
        note_leaves(group, |field| field.json, b"b.", cx, out);
    }
}

/// Notes the flags that have a key as their parameter, of what comes beyond a limit, key by key.
fn note_keyed<'a>(
    keyed: impl Iterator<Item = (&'a [u8], FlagSet)>,
    place: &[u8],
    cx: Context<'a>,
    out: &mut Vec<u8>,
) {
    for group in grouped(keyed, cx) {
        let set = group.iter().fold(FlagSet::default(), |all, (_, _, set)| all.union(*set));
        let key = group.first().map(|(key, ..)| *key);
        for flag in set.intersection(cx.settings.enabled).iter() {
            if flag.parameter_kind() == Parameter::Key {
                write_note(flag, key, place, out);
            }
        }
    }
}

/// Notes the flags of all that came under one key.
fn note_key<'a, T>(
    group: Group<'a, &'a T>,
    flags: impl Fn(&'a T) -> &'a Flags<'a>,
    place: &[u8],
    cx: Context<'a>,
    out: &mut Vec<u8>,
) {
    if let Some((key, ..)) = group.first() {
        let place = cx.written(|out| {
            out.extend_from_slice(place);
            out.extend_from_slice(key);
        });
        note_flags(group.iter().map(|(_, _, item)| flags(item)), Some(key), place, cx, out);
    }
}

/// Notes the flags of the leaves of values that are JSON, of all that came under one key.
fn note_leaves<'a, T>(
    group: Group<'a, &'a T>,
    json: impl Fn(&'a T) -> Option<&'a Embedded<'a>>,
    place: &[u8],
    cx: Context<'a>,
    out: &mut Vec<u8>,
) {
    let leaves = group.iter().flat_map(|(key, _, item)| {
        let leaves = json(item).into_iter().flat_map(|json| json.keyed_leaf_flags());
        leaves.map(move |(leaf, flags)| (*key, leaf, flags))
    });
    let keyed = leaves.map(|(key, leaf, flags)| {
        let key = cx.written(|out| {
            out.extend_from_slice(key);
            out.extend_from_slice(leaf);
        });
        (key, flags)
    });
    for group in grouped(keyed, cx) {
        note_key(group, |flags| flags, place, cx, out);
    }
}

fn note_flags<'a>(
    all: impl Iterator<Item = &'a Flags<'a>>,
    key: Option<&[u8]>,
    place: &[u8],
    cx: Context<'a>,
    out: &mut Vec<u8>,
) {
    let mut set = FlagSet::default();
    let mut words = BumpVec::new_in(cx.bump);
    for flags in all {
        set = set.union(flags.set);
        words.extend(flags.words().iter().copied());
    }
    words.sort_unstable_by_key(|(flag, word)| (flag.rank(), *word));
    words.dedup();
    for flag in set.intersection(cx.settings.enabled).iter() {
        match flag.parameter_kind() {
            Parameter::Key if key.is_none() => {}
            Parameter::Key => write_note(flag, key, place, out),
            Parameter::Word => {
                for (_, word) in words.iter().filter(|(of, _)| *of == flag) {
                    write_note(flag, Some(word.as_bytes()), place, out);
                }
            }
            Parameter::None | Parameter::Name | Parameter::Number => write_note(flag, None, place, out),
        }
    }
}

fn write_note(flag: Flag, parameter: Option<&[u8]>, place: &[u8], out: &mut Vec<u8>) {
    push(out, flag.name());
    if let Some(parameter) = parameter {
        out.push(b':');
        out.extend_from_slice(parameter);
    }
    out.push(b' ');
    out.extend_from_slice(place);
    out.push(b'\n');
}

/// Gathers the evidence of every place.
pub(crate) fn evidence<'a>(request: &Request<'a>, names: &[&'a [u8]], cx: Context<'a>) -> Evidence {
    let mut gatherer = Gatherer { enabled: cx.settings.enabled, ..Gatherer::default() };
    gatherer.add("m".to_owned(), &request.flags);
    gatherer.add("u".to_owned(), &request.url.flags);
    if let Some(path) = &request.url.path {
        gatherer.add("p".to_owned(), &path.flags);
    }
    if let Some(query) = &request.url.query {
        gatherer.add("q".to_owned(), &query.flags);
        for (nth, pair) in query.pairs.iter().enumerate() {
            if nth >= cx.settings.config.limits.pairs {
                gatherer.add("q".to_owned(), &pair.flags);
                pair.leaf_flags().for_each(|flags| gatherer.add("q".to_owned(), flags));
                continue;
            }
            let key = String::from_utf8_lossy(key_text(pair.key, cx)).into_owned();
            gatherer.add(format!("q.{key}"), &pair.flags);
            for (leaf, flags) in pair.keyed_leaf_flags() {
                gatherer.add(format!("q.{key}{}", String::from_utf8_lossy(leaf)), flags);
            }
        }
    }
    if let Some(body) = request.shown_body(cx) {
        gatherer.add("b".to_owned(), &body.flags);
        if let body::Content::Fields(fields) = &body.content {
            for (nth, (field, key)) in fields.told().zip(fields.keys(Start::Body)).enumerate() {
                if nth >= fields.list.len() {
                    gatherer.add("b".to_owned(), &field.flags);
                    continue;
                }
                let key = String::from_utf8_lossy(key);
                gatherer.add(format!("b.{key}"), &field.flags);
                for (leaf, flags) in field.keyed_leaf_flags() {
                    gatherer.add(format!("b.{key}{}", String::from_utf8_lossy(leaf)), flags);
                }
            }
        }
    }
    for (header, name) in request.headers.list.iter().zip(names) {
        gatherer.add(format!("h.{}", String::from_utf8_lossy(name)), &header.flags);
    }
    gatherer.finish()
}

#[derive(Default)]
struct Gatherer {
    enabled: FlagSet,
    ranges: BTreeMap<(String, Flag), Vec<Range<usize>>>,
    hidden: Vec<Range<usize>>,
}

impl Gatherer {
    fn add(&mut self, place: String, flags: &Flags<'_>) {
        for mark in flags.marks() {
            match mark {
                Mark::Hidden(range) => self.hidden.push(range.clone()),
                Mark::Flag(flag, range) if self.enabled.contains(*flag) => {
                    self.ranges.entry((place.clone(), *flag)).or_default().push(range.clone());
                }
                Mark::Flag(..) => {}
            }
        }
    }

    fn finish(self) -> Evidence {
        Evidence {
            flags: self.ranges.into_iter().map(|(of, ranges)| (of, merged(ranges))).collect(),
            hidden: merged(self.hidden),
        }
    }
}

/// Sorts ranges and joins those that touch.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    ranges.dedup_by(|next, kept| {
        let touch = next.start <= kept.end;
        if touch {
            kept.end = kept.end.max(next.end);
        }
        touch
    });
    ranges
}
