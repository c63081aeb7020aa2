//! `cookie` and `set-cookie` (clauses 8.17 and 8.18): names and lengths, never values.

use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, AT, BLANK, CONTROL, HIGH, TOKEN};
use crate::context::Context;
use crate::decode;
use crate::families;
use crate::flags::{Flag, Flags};
use crate::formats::embedded::{self, Embedded};
use crate::inspect::{Key, write_key};
use crate::scan::{self, Kind};
use crate::secrets;
use crate::show::NameShown;
use crate::show::marker;
use crate::swar::eight_at;
use crate::text::{Classified, Text};

/// The cookies of a header.
pub(crate) struct Cookies<'a> {
    pub(crate) list: BumpVec<'a, Cookie<'a>>,
    /// The leaves of values that are JSON.
    pub(crate) json: BumpVec<'a, &'a Embedded<'a>>,
}

/// A cookie, or an attribute of one that is being set. All of them are shown, and one may have two bytes: what can be
/// found again in its piece is not kept.
pub(crate) struct Cookie<'a> {
    /// All of it, as it came, without blanks around it.
    pub(crate) piece: Text<'a>,
    /// The union of the classes of the bytes of its value.
    classes: u32,
    /// The length of what is before its `=`, blanks left out.
    name_len: u32,
    /// Where its value begins, behind `=` and blanks.
    value_start: u32,
    /// See [`Facts`].
    facts: u8,
    /// How its name is shown; `None` for a piece without `=`, and for an attribute.
    shown: Option<NameShown>,
    attribute: Option<Attribute>,
}

/// Facts about a cookie, a bit each.
struct Facts;

impl Facts {
    /// It has a `=`.
    const IS_PAIR: u8 = 1;
    /// The name is sensitive, so the value is a secret that must not be echoed.
    const IS_SENSITIVE: u8 = 1 << 1;
    /// Neither its name nor its value raises a flag by its content.
    const IS_QUIET: u8 = 1 << 2;
    /// Its name is ASCII.
    const HAS_ASCII_NAME: u8 = 1 << 3;
    /// There are blanks around its `=`.
    const HAS_BLANKS: u8 = 1 << 4;
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
        let mut is_quiet = true;
        if let Some(name) = cookie.name_text() {
            is_quiet = cookie.read_name(name.classified(), cx, flags);
        }
        let value = cookie.value();
        cookie.classes = bytes::union(value.bytes);
        if scan::cannot_flag(value.bytes, cookie.classes) {
            cookie.facts |= if is_quiet { Facts::IS_QUIET } else { 0 };
        } else {
            match embedded::read_cookie(value, cookie.classes, cx) {
                Some(json) => {
                    scan::absorb_in_cookie(&json.all_flags(cx), flags);
                    if cookie.is_sensitive() {
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
        let credential = cookie.holds_credentials(cx) != [false; 2];
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
        let mut cookie =
            Cookie { piece, classes: 0, name_len: 0, value_start: 0, facts: 0, shown: None, attribute: None };
        if let Some(equals) = bytes::position(b'=', piece.bytes)
            && u32::try_from(piece.len()).is_ok()
            && let Some((name, value)) = piece.bytes.split_at_checked(equals)
        {
            let (name, after) = (bytes::trim_end(name), value.get(1..).unwrap_or_default());
            let value = bytes::trim_start(after);
            cookie.name_len = name.len() as u32;
            cookie.value_start = piece.len().saturating_sub(value.len()) as u32;
            let has_blanks = name.len() < equals || value.len() < after.len();
            cookie.facts = Facts::IS_PAIR | if has_blanks { Facts::HAS_BLANKS } else { 0 };
        }
        cookie
    }

    fn is(&self, facts: u8) -> bool {
        self.facts & facts == facts
    }

    /// Returns whether its name makes a secret of its value.
    pub(crate) fn is_sensitive(&self) -> bool {
        self.is(Facts::IS_SENSITIVE)
    }

    /// Judges its name and raises the flags of it; returns whether it raises none.
    fn read_name(&mut self, name: Classified<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> bool {
        let judged = Key::judge(name, cx);
        let is_secret = judged.key.shown == NameShown::Secret;
        if !judged.is_quiet {
            scan::scan(name, Kind::Free, is_secret, cx, flags);
        }
        if is_secret {
            flags.hide(name.text);
        }
        self.shown = Some(judged.key.shown);
        self.facts |= if judged.is_sensitive { Facts::IS_SENSITIVE } else { 0 };
        self.facts |= if name.classes & HIGH == 0 { Facts::HAS_ASCII_NAME } else { 0 };
        judged.is_quiet
    }

    fn name_bytes(&self) -> &'a [u8] {
        self.piece.bytes.get(..self.name_len as usize).unwrap_or_default()
    }

    /// Its text before its `=`.
    fn name_text(&self) -> Option<Text<'a>> {
        self.is(Facts::IS_PAIR).then(|| self.piece.slice(0..self.name_len as usize))
    }

    /// Its name; `None` for a piece without `=`, and for an attribute.
    pub(crate) fn name(&self) -> Option<Key<'a>> {
        Some(Key { shown: self.shown?, text: self.name_text()? })
    }

    /// Changes how its name is shown.
    pub(crate) fn show_name(&mut self, shown: NameShown) {
        self.shown = Some(shown);
    }

    /// Its text behind its `=`; without one, a cookie is all value and an attribute has none.
    pub(crate) fn value(&self) -> Text<'a> {
        match self.attribute {
            Some(_) if !self.is(Facts::IS_PAIR) => self.piece.from(self.piece.len()),
            _ => self.piece.from(self.value_start as usize),
        }
    }

    /// Returns the value, if it is known to have no other spelling: it is quiet, and so no Base64 of a text either.
    pub(crate) fn plain_value(&self) -> Option<&'a [u8]> {
        let is_plain = self.is(Facts::IS_QUIET) && self.classes & (HIGH | BLANK | CONTROL) == 0;
        is_plain.then(|| self.value().bytes)
    }

    /// Returns whether nothing in it is a secret, as far as that is seen quickly: its name makes none, and it is short and
    /// plain, or name and value are quiet and no token begins in the name.
    pub(crate) fn is_harmless(&self) -> bool {
        if self.shown != Some(NameShown::Text) || self.is_sensitive() {
            return false;
        }
        secrets::is_too_plain(self.value().bytes, self.classes)
            || self.is(Facts::IS_QUIET)
                && self.classes & AT == 0
                && !self.is(Facts::HAS_BLANKS)
                && !families::holds_head(self.name_bytes())
    }

    /// Returns whether there is a credential in all of it that its name does not make one, and whether there is one in its value
    /// alone: behind Base64, or at its start.
    pub(crate) fn holds_credentials(&self, cx: Context<'_>) -> [bool; 2] {
        let value = if self.is(Facts::IS_PAIR) { self.value().bytes } else { b"" };
        cx.settings.names.holds_in_text_and_end(self.piece.bytes, value, self.classes, cx)
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
        self.write_length(out);
    }

    fn write_length(&self, out: &mut Vec<u8>) {
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
