//! Headers of one name (clause 8.4): joined where they are lists, flagged where they repeat.

use bumpalo::collections::Vec as BumpVec;

use super::{Collapsed, Name};
use crate::bytes;
use crate::context::Context;
use crate::flags::Flag;
use crate::known_headers::Kind;
use crate::text::Builder;

/// So many names are compared with each other faster than they are sorted.
const FEW: usize = 12;

/// Returns whether a header has the name of another, found by comparing each with all before it.
fn any_repeats(headers: &[Collapsed<'_>]) -> bool {
    headers.iter().enumerate().any(|(i, header)| {
        let own = text_of(header.name.as_ref());
        own.is_some() && headers.iter().take(i).any(|other| text_of(other.name.as_ref()) == own)
    })
}

/// Joins the repeats of list headers, and flags every repeat.
pub(super) fn merge<'a>(
    mut headers: BumpVec<'a, Collapsed<'a>>,
    cx: Context<'a>,
) -> BumpVec<'a, Collapsed<'a>> {
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
    let same_name = |a: &usize, b: &usize| text_of(name(*a)) == text_of(name(*b));
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
    for i in repeats {
        if let Some(header) = headers.get_mut(i)
            && let Some(name) = &header.name
        {
            header.flags.raise(Flag::DupHdr, name.raw);
        }
    }
    // Without any to join, they are not moved: there may be very many.
    if joins.is_empty() { headers } else { join(headers, &joins, cx) }
}

fn text_of<'a>(name: Option<&Name<'a>>) -> Option<&'a [u8]> {
    name.map(|name| name.text.bytes)
}

fn join<'a>(
    headers: BumpVec<'a, Collapsed<'a>>,
    joins: &[(usize, usize)],
    cx: Context<'a>,
) -> BumpVec<'a, Collapsed<'a>> {
    let mut slots = BumpVec::with_capacity_in(headers.len(), cx.bump);
    slots.extend(headers.into_iter().map(Some));
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
        target.classes = bytes::union(target.value.bytes);
        if let Some(slot) = slots.get_mut(into) {
            *slot = Some(target);
        }
    }
    let mut kept = BumpVec::with_capacity_in(slots.len(), cx.bump);
    kept.extend(slots.into_iter().flatten());
    kept
}
