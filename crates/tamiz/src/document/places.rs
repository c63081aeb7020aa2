//! What a fresh document knows beyond its text: which key raised which flag, and the evidence.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Evidence;
use super::write::{by_key, key_text};
use crate::context::Context;
use crate::flags::{Flag, FlagSet, Flags, Mark, Parameter};
use crate::request::Request;
use crate::show::marker::push;

/// Writes which place of the query raised which flag, a line each: `FLAG place`.
pub(crate) fn write_notes<'a>(request: &Request<'a>, cx: Context<'a>, out: &mut Vec<u8>) {
    let Some(query) = &request.url.query else {
        return;
    };
    let enabled = cx.settings.enabled;
    for flag in query.flags.set.intersection(enabled).iter() {
        write_note(flag, None, b"q", out);
    }
    if query.pairs.iter().all(|pair| pair.flags.set.intersection(enabled).is_empty()) {
        return;
    }
    for group in by_key(query, cx) {
        let Some((key, _)) = group.first() else {
            continue;
        };
        let set = group.iter().fold(FlagSet::default(), |set, (_, pair)| set.union(pair.flags.set));
        let place = [b"q.", *key].concat();
        for flag in set.intersection(enabled).iter() {
            match flag.parameter_kind() {
                Parameter::Key => write_note(flag, Some(key), &place, out),
                Parameter::Word => {
                    let mut words: Vec<&str> = group
                        .iter()
                        .flat_map(|(_, pair)| pair.flags.words())
                        .filter(|(of, _)| *of == flag)
                        .map(|(_, word)| *word)
                        .collect();
                    words.sort_unstable();
                    words.dedup();
                    words.iter().for_each(|word| write_note(flag, Some(word.as_bytes()), &place, out));
                }
                Parameter::None | Parameter::Name | Parameter::Number => write_note(flag, None, &place, out),
            }
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
        for pair in &query.pairs {
            let key = String::from_utf8_lossy(key_text(pair.key, cx)).into_owned();
            gatherer.add(format!("q.{key}"), &pair.flags);
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
