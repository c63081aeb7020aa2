//! Items with the same key, side by side.

#![allow(clippy::arithmetic_side_effects, reason = "counts of what is in memory")]

use bumpalo::collections::Vec as BumpVec;

use crate::bytes;
use crate::context::Context;

/// The items under a key, in order of arrival.
pub(crate) type Group<'a, T> = &'a [Item<'a, T>];

/// A key, the place of its item among all, and the item.
type Item<'a, T> = (&'a [u8], usize, T);

/// Someone may make many keys share their tag: more keys than these are sorted.
const MOST: usize = 512;
/// Stands for no index.
const NONE: u32 = u32::MAX;

/// The first item of a key, and the last one.
struct Head {
    tag: u64,
    first: u32,
    last: u32,
    /// The head of another key in the same place of the table.
    other: u32,
}

/// Groups items by key, keys in order of first arrival.
pub(crate) fn grouped<'a, T: Copy>(
    items: impl Iterator<Item = (&'a [u8], T)>,
    cx: Context<'a>,
) -> BumpVec<'a, Group<'a, T>> {
    let mut all = BumpVec::with_capacity_in(items.size_hint().0, cx.bump);
    all.extend(items.enumerate().map(|(i, (key, item))| (key, i, item)));
    let mut groups = BumpVec::with_capacity_in(all.len(), cx.bump);
    if all.len() > MOST {
        all.sort_unstable_by_key(|(key, i, _)| (*key, *i));
        groups.extend(all.into_bump_slice().chunk_by(|a, b| a.0 == b.0));
        groups.sort_unstable_by_key(|group: &Group<'a, T>| group.first().map(|(_, i, _)| *i));
        return groups;
    }
    let (heads, next) = linked(&all, cx);
    if heads.len() == all.len() {
        groups.extend(all.into_bump_slice().chunks(1));
        return groups;
    }
    let mut side_by_side = BumpVec::with_capacity_in(all.len(), cx.bump);
    let mut lengths = BumpVec::with_capacity_in(heads.len(), cx.bump);
    for head in heads {
        let (mut at, before) = (head.first, side_by_side.len());
        while let Some(item) = all.get(at as usize) {
            side_by_side.push(*item);
            at = next.get(at as usize).copied().unwrap_or(NONE);
        }
        lengths.push(side_by_side.len() - before);
    }
    let mut rest: &'a [Item<'a, T>] = side_by_side.into_bump_slice();
    for length in lengths {
        let (group, others) = rest.split_at_checked(length).unwrap_or_default();
        groups.push(group);
        rest = others;
    }
    groups
}

/// The heads of all keys in order of first arrival, and behind each item the next one with its key.
fn linked<'a, T>(items: &[Item<'a, T>], cx: Context<'a>) -> (BumpVec<'a, Head>, BumpVec<'a, u32>) {
    let mut heads: BumpVec<'a, Head> = BumpVec::with_capacity_in(items.len(), cx.bump);
    let mut next = BumpVec::with_capacity_in(items.len(), cx.bump);
    next.resize(items.len(), NONE);
    let mut table = [NONE; 64];
    for (nth, (key, ..)) in (0..).zip(items) {
        let tag = (bytes::last_eight(key) ^ (key.len() as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let Some(place) = table.get_mut((tag >> (u64::BITS - 6)) as usize) else { continue };
        let mut at = *place;
        loop {
            let Some(head) = heads.get_mut(at as usize) else {
                let other = std::mem::replace(place, heads.len() as u32);
                heads.push(Head { tag, first: nth, last: nth, other });
                break;
            };
            if head.tag == tag && items.get(head.first as usize).is_some_and(|(known, ..)| known == key) {
                let last = std::mem::replace(&mut head.last, nth);
                if let Some(next) = next.get_mut(last as usize) {
                    *next = nth;
                }
                break;
            }
            at = head.other;
        }
    }
    (heads, next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::{random, with_context};

    #[test]
    fn keys_come_in_order_of_first_arrival() {
        let mut random = random();
        for len in (0..60).chain([MOST - 1, MOST, MOST + 1, 2000]) {
            for kinds in [1, 3, 40, 1000] {
                let keys: Vec<String> = (0..len).map(|_| format!("key{}", random(kinds))).collect();
                let mut expected: Vec<(&str, Vec<usize>)> = Vec::new();
                for (i, key) in keys.iter().enumerate() {
                    match expected.iter_mut().find(|(known, _)| known == key) {
                        Some((_, places)) => places.push(i),
                        None => expected.push((key, vec![i])),
                    }
                }
                with_context(|cx| {
                    let items = keys.iter().enumerate();
                    let keys = items.map(|(i, key)| (&*cx.bump.alloc_slice_copy(key.as_bytes()), i));
                    let groups: Vec<(String, Vec<usize>)> = grouped(keys, cx)
                        .iter()
                        .map(|group| {
                            assert!(group.iter().all(|(key, i, item)| i == item && *key == group[0].0));
                            let key = String::from_utf8_lossy(group[0].0).into_owned();
                            (key, group.iter().map(|(_, i, _)| *i).collect())
                        })
                        .collect();
                    let expected = expected.iter().map(|(key, places)| ((*key).to_owned(), places.clone()));
                    assert_eq!(groups, expected.collect::<Vec<_>>());
                });
            }
        }
    }
}
