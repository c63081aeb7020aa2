//! Writing cookies: names and lengths.

use bumpalo::collections::Vec as BumpVec;

use super::{Cookie, Cookies, Facts};
use crate::context::Context;
use crate::show::NameShown;
use crate::swar::eight_at;

/// `NAME<len:n>`, by name.
pub(in crate::headers) fn write<'a>(
    Cookies { list: cookies, .. }: &Cookies<'a>,
    cx: Context<'a>,
    out: &mut Vec<u8>,
) {
    let is_plain =
        |cookie: &Cookie<'_>| cookie.shown == Some(NameShown::Text) && cookie.is(Facts::HAS_ASCII_NAME);
    if cookies.iter().all(is_plain) {
        write_plain(cookies, cx, out);
    } else {
        write_slow(cookies, cx, out);
    }
}

/// Cookies whose names are shown as they are.
fn write_plain(cookies: &[Cookie<'_>], cx: Context<'_>, out: &mut Vec<u8>) {
    // Their first eight characters as a number, which tells most names apart.
    let mut order: BumpVec<'_, (u64, &Cookie<'_>)> = BumpVec::with_capacity_in(cookies.len(), cx.bump);
    order.extend(cookies.iter().map(|cookie| (eight_at(cookie.name_bytes(), 0).swap_bytes(), cookie)));
    order.sort_unstable_by(|(first, a), (second, b)| {
        // Those of one name stay in the order in which they are in memory.
        let in_full = || {
            a.name_bytes()
                .cmp(b.name_bytes())
                .then_with(|| std::ptr::from_ref(*a).cmp(&std::ptr::from_ref(*b)))
        };
        first.cmp(second).then_with(in_full)
    });
    for (i, (_, cookie)) in order.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(cookie.name_bytes());
        cookie.write_length(out);
    }
}

fn write_slow<'a>(cookies: &[Cookie<'a>], cx: Context<'a>, out: &mut Vec<u8>) {
    // Those without a name come first, as they came.
    let has_name = |cookie: &&Cookie<'a>| cookie.name().is_some_and(|name| !name.text.is_empty());
    let mut shown = BumpVec::with_capacity_in(cookies.iter().filter(has_name).count(), cx.bump);
    let named = cookies.iter().filter(has_name);
    shown.extend(named.map(|cookie| cx.written(|one| cookie.write(cx, one))).enumerate());
    shown.sort_unstable_by_key(|(i, cookie)| (shown_name(cookie), *i));
    let start = out.len();
    for cookie in cookies.iter().filter(|cookie| !has_name(cookie)) {
        cookie.write(cx, out);
        out.push(b' ');
    }
    for (_, cookie) in &shown {
        out.extend_from_slice(cookie);
        out.push(b' ');
    }
    if out.len() > start {
        out.pop();
    }
}

/// Returns the name of a written cookie: all before its `<len:n>`.
fn shown_name(cookie: &[u8]) -> &[u8] {
    let len = memchr::memmem::rfind(cookie, b"<len:").unwrap_or(cookie.len());
    cookie.get(..len).unwrap_or_default()
}

/// `NAME<len:n>; Path=/; HttpOnly`, in order of arrival.
pub(in crate::headers) fn write_set(cookies: &Cookies<'_>, cx: Context<'_>, out: &mut Vec<u8>) {
    for (i, cookie) in cookies.list.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(b"; ");
        }
        match cookie.attribute {
            None => cookie.write(cx, out),
            Some(attribute) => cookie.write_attribute(attribute, cx, out),
        }
    }
}
