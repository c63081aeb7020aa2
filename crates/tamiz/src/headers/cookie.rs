//! `cookie` and `set-cookie` (clauses 8.17 and 8.18): names and lengths, never values.

use std::num::NonZeroU32;

use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, AT, HIGH, TOKEN};
use crate::context::Context;
use crate::decode;
use crate::families;
use crate::flags::{Flag, Flags};
use crate::formats::embedded::{self, Embedded};
use crate::inspect::{JudgedKey, Key, write_key};
use crate::scan::{self, Kind};
use crate::secrets;
use crate::show::NameShown;
use crate::show::marker;
use crate::text::Text;

/// The cookies of a header.
pub(crate) struct Cookies<'a> {
    pub(crate) list: BumpVec<'a, Cookie<'a>>,
    /// The leaves of values that are JSON.
    pub(crate) json: BumpVec<'a, &'a Embedded<'a>>,
}

/// A cookie, or an attribute of one that is being set. All of them are shown, and one may have two bytes: what can be
/// found again in its piece is not kept.
pub(crate) struct Cookie<'a> {
    /// All of it, as it came.
    pub(crate) piece: Text<'a>,
    /// The union of the classes of the bytes of its value.
    classes: u32,
    /// Where its `=` is, if it has one.
    equals: Option<NonZeroU32>,
    /// How its name is shown; `None` for a piece without `=`, and for an attribute.
    shown: Option<NameShown>,
    /// The name is sensitive, so the value is a secret that must not be echoed.
    pub(crate) sensitive: bool,
    /// Neither its name nor its value raises a flag by its content.
    is_quiet: bool,
    attribute: Option<Attribute>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Attribute {
    /// One of RFC 6265bis, by its place in `ATTRIBUTES`.
    Known(u8),
    Other,
    /// Holds or echoes a credential.
    Secret,
}

/// Few clients send more cookies.
const ROOM: usize = 6;

/// The attributes of RFC 6265bis.
const ATTRIBUTES: [&str; 7] = ["Expires", "Max-Age", "Domain", "Path", "Secure", "HttpOnly", "SameSite"];
const EXPIRES: u8 = 0;

/// The pieces of a header between `;` that are not empty.
fn pieces(text: Text<'_>) -> impl Iterator<Item = Text<'_>> {
    text.split_at_each(b';').map(|piece| piece.trim()).filter(|piece| !piece.is_empty())
}

impl<'a> Cookies<'a> {
    /// The names of its cookies.
    pub(crate) fn names(&self) -> impl Iterator<Item = Key<'a>> {
        self.list.iter().filter_map(Cookie::name)
    }

    /// Makes room for the cookies of a text: of a long one they are counted first.
    fn new(text: Text<'a>, cx: Context<'a>) -> Self {
        const SHORT: usize = 256;
        let room = if text.len() < SHORT { ROOM } else { pieces(text).count() };
        Cookies { list: BumpVec::with_capacity_in(room, cx.bump), json: BumpVec::new_in(cx.bump) }
    }

    fn read_one(&mut self, piece: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
        let mut cookie = Cookie::new(piece);
        if let Some(name) = cookie.name_text() {
            let judged = read_name(name, cx, flags);
            cookie.shown = Some(judged.key.shown);
            cookie.sensitive = judged.is_sensitive;
            cookie.is_quiet = judged.is_quiet;
        }
        let value = cookie.value();
        cookie.classes = bytes::union(value.bytes);
        if !scan::cannot_flag(value.bytes, cookie.classes) {
            cookie.is_quiet = false;
            match embedded::read_cookie(value, cookie.classes, cx) {
                Some(json) => {
                    scan::absorb_in_cookie(&json.all_flags(cx), flags);
                    if cookie.sensitive {
                        json.make_secret();
                    }
                    self.json.push(json);
                }
                None => scan::scan(value.with_classes(cookie.classes), Kind::Cookie, true, cx, flags),
            }
        }
        flags.hide(value);
        self.list.push(cookie);
    }
}

/// Judges a name and raises its flags.
fn read_name<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> JudgedKey<'a> {
    let classified = text.classified();
    let judged = Key::judge(classified, cx);
    let is_secret = judged.key.shown == NameShown::Secret;
    if !judged.is_quiet {
        scan::scan(classified, Kind::Free, is_secret, cx, flags);
    }
    if is_secret {
        flags.hide(text);
    }
    judged
}

/// Reads a `cookie` header and counts its cookies.
pub(crate) fn read<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Cookies<'a> {
    let mut cookies = Cookies::new(text, cx);
    pieces(text).for_each(|piece| cookies.read_one(piece, cx, flags));
    flags.raise(Flag::Cookie, text);
    cookies
}

/// Reads a `set-cookie` header: a cookie, then its attributes.
pub(crate) fn read_set<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Cookies<'a> {
    let mut cookies = Cookies::new(text, cx);
    for piece in pieces(text) {
        if cookies.list.is_empty() {
            cookies.read_one(piece, cx, flags);
            continue;
        }
        let mut cookie = Cookie::new(piece);
        let name = cookie.name_text().unwrap_or(piece);
        let known =
            ATTRIBUTES.iter().zip(0..).find(|(known, _)| name.bytes.eq_ignore_ascii_case(known.as_bytes()));
        cookie.classes = bytes::union(cookie.value().bytes);
        let value = if cookie.equals.is_some() { cookie.value().bytes } else { b"" };
        let credential = cx.settings.names.holds_in_text_and_end(piece.bytes, value, cx) != [false; 2];
        let attribute = match known {
            _ if credential => Attribute::Secret,
            Some((_, known)) => Attribute::Known(known),
            None => Attribute::Other,
        };
        if !matches!(attribute, Attribute::Known(_)) {
            flags.hide(piece);
        }
        scan::scan(piece.classified(), Kind::Free, credential, cx, flags);
        cookie.attribute = Some(attribute);
        cookies.list.push(cookie);
    }
    cookies
}

impl<'a> Cookie<'a> {
    fn new(piece: Text<'a>) -> Self {
        let equals =
            bytes::position(b'=', piece.bytes).and_then(|at| u32::try_from(at.saturating_add(1)).ok());
        let equals = equals.and_then(NonZeroU32::new);
        Cookie { piece, classes: 0, equals, shown: None, sensitive: false, is_quiet: false, attribute: None }
    }

    /// What stands before its `=`.
    fn name_text(&self) -> Option<Text<'a>> {
        let end = (self.equals?.get() as usize).saturating_sub(1);
        Some(self.piece.slice(0..end).trim())
    }

    /// Its name; `None` for a piece without `=`, and for an attribute.
    pub(crate) fn name(&self) -> Option<Key<'a>> {
        Some(Key { shown: self.shown?, text: self.name_text()? })
    }

    /// Changes how its name is shown.
    pub(crate) fn show_name(&mut self, shown: NameShown) {
        self.shown = Some(shown);
    }

    /// What follows its `=`; without one, a cookie is all value and an attribute has none.
    pub(crate) fn value(&self) -> Text<'a> {
        match self.equals {
            Some(end) => self.piece.from(end.get() as usize).trim(),
            None if self.attribute.is_some() => self.piece.from(self.piece.len()),
            None => self.piece,
        }
    }

    /// Returns whether nothing in it is a credential that its name does not make one, as far as that is seen
    /// quickly: it is short and plain, or name and value are quiet and no token begins in the name.
    fn is_harmless(&self) -> bool {
        let Some(name) = self.name().filter(|name| name.shown == NameShown::Text && !self.sensitive) else {
            return false;
        };
        let (name, value) = (name.text.bytes, self.value().bytes);
        let is_pair = || name.len().saturating_add(value.len()).saturating_add(1) == self.piece.len();
        secrets::is_too_plain(value, self.classes)
            || self.is_quiet && self.classes & AT == 0 && is_pair() && !families::holds_head(name)
    }

    /// Returns whether there is a credential in all of it that its name does not make one, and whether there is one in its value
    /// alone: behind Base64, or at its start.
    pub(crate) fn holds_credentials(&self, cx: Context<'_>) -> [bool; 2] {
        if self.is_harmless() {
            // What is quiet is no Base64 of anything.
            return [false; 2];
        }
        let value = if self.equals.is_some() { self.value().bytes } else { b"" };
        cx.settings.names.holds_in_text_and_end(self.piece.bytes, value, cx)
    }

    pub(crate) fn is_attribute(&self) -> bool {
        self.attribute.is_some()
    }

    /// Shows an attribute as a secret.
    pub(crate) fn hide(&mut self) {
        self.attribute = Some(Attribute::Secret);
    }

    fn write(&self, cx: Context<'_>, out: &mut Vec<u8>) {
        if let Some(name) = self.name() {
            write_key(name, cx, out);
        }
        marker::push(out, "<len:");
        let value = self.value();
        let len = if self.classes & HIGH == 0 { value.len() } else { decode::chars(value.bytes) };
        marker::number(out, len as u64);
        out.push(b'>');
    }

    fn write_attribute(&self, attribute: Attribute, cx: Context<'_>, out: &mut Vec<u8>) {
        let Attribute::Known(known) = attribute else {
            marker::write(self.piece.bytes, attribute == Attribute::Secret, cx, out);
            return;
        };
        marker::push(out, ATTRIBUTES.get(usize::from(known)).copied().unwrap_or_default());
        let value = self.value();
        if value.is_empty() {
            return;
        }
        out.push(b'=');
        let plain = |&b: &u8| bytes::is(b, TOKEN) || b == b'/';
        if known != EXPIRES && value.bytes.iter().all(plain) {
            out.extend_from_slice(value.bytes);
        } else {
            marker::write(value.bytes, false, cx, out);
        }
    }
}

/// `NAME<len:n>`, by name.
pub(crate) fn write<'a>(Cookies { list: cookies, .. }: &Cookies<'a>, cx: Context<'a>, out: &mut Vec<u8>) {
    let is_plain = |name: Key<'_>| name.shown == NameShown::Text && name.text.bytes.is_ascii();
    if cookies.iter().all(|cookie| cookie.name().is_some_and(is_plain)) {
        write_plain(cookies, cx, out);
    } else {
        write_slow(cookies, cx, out);
    }
}

/// Cookies whose names are shown as they are.
fn write_plain(cookies: &[Cookie<'_>], cx: Context<'_>, out: &mut Vec<u8>) {
    let mut order = BumpVec::with_capacity_in(cookies.len(), cx.bump);
    order.extend(cookies.iter());
    // Those of one name stay in the order in which they are in memory.
    order.sort_unstable_by_key(|cookie| {
        (cookie.name_text().map(|name| name.bytes), std::ptr::from_ref(*cookie))
    });
    for (i, cookie) in order.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        cookie.write(cx, out);
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

/// What stands before `<len:n>`.
fn shown_name(cookie: &[u8]) -> &[u8] {
    let len = memchr::memmem::rfind(cookie, b"<len:").unwrap_or(cookie.len());
    cookie.get(..len).unwrap_or_default()
}

/// `NAME<len:n>; Path=/; HttpOnly`, in order of arrival.
pub(crate) fn write_set(cookies: &Cookies<'_>, cx: Context<'_>, out: &mut Vec<u8>) {
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
