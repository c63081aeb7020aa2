//! `cookie` and `set-cookie` (clauses 8.17 and 8.18): names and lengths, never values.

use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, ALNUM, HIGH, PATH_MARK, TOKEN};
use crate::context::Context;
use crate::decode;
use crate::flags::{Flag, Flags};
use crate::formats::embedded::{self, Embedded};
use crate::inspect::{Key, write_key};
use crate::scan::{self, Kind};
use crate::secrets;
use crate::show::NameShown;
use crate::show::marker;
use crate::text::Text;

/// A cookie, or an attribute of one that is being set.
pub(crate) struct Cookie<'a> {
    /// `None` for a piece without `=`.
    pub(crate) name: Option<Key<'a>>,
    pub(crate) value: Text<'a>,
    /// The union of the classes of its bytes.
    seen: u32,
    /// All of it, as it came.
    pub(crate) piece: Text<'a>,
    /// The name is sensitive, so the value is a secret that must not be echoed.
    pub(crate) sensitive: bool,
    /// The leaves of the value, where that is JSON.
    pub(crate) json: Option<&'a Embedded<'a>>,
    attribute: Option<Attribute>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Attribute {
    /// One of RFC 6265bis, by its place in `ATTRIBUTES`.
    Known(usize),
    Other,
    /// Holds or echoes a credential.
    Secret,
}

/// Few clients send more cookies.
const ROOM: usize = 6;

/// The attributes of RFC 6265bis.
const ATTRIBUTES: [&str; 7] = ["Expires", "Max-Age", "Domain", "Path", "Secure", "HttpOnly", "SameSite"];
const EXPIRES: usize = 0;

fn read_one<'a>(piece: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Cookie<'a> {
    let (name, value, sensitive) = match piece.cut(b'=') {
        None => (None, piece, false),
        Some((name, value)) => {
            let (name, sensitive) = read_name(name.trim(), cx, flags);
            (Some(name), value.trim(), sensitive)
        }
    };
    let seen = bytes::union(value.bytes);
    let mut json = None;
    if !scan::cannot_flag(value.bytes, seen) {
        json = embedded::read_cookie(value, seen, cx).map(|json| &*json);
        match json {
            Some(json) => scan::absorb_in_cookie(&json.all_flags(cx), flags),
            None => scan::scan_seen(value, seen, Kind::Cookie, true, cx, flags),
        }
    }
    flags.hide(value);
    Cookie { name, value, seen, piece, sensitive, json, attribute: None }
}

/// Reads a name and tells what it tells; and whether its value is a secret that must not be echoed.
fn read_name<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> (Key<'a>, bool) {
    let name = Key::new(text, cx);
    let is_sensitive = cx.settings.names.matches(text.bytes, cx);
    let classes = bytes::union(text.bytes);
    if !scan::cannot_flag(text.bytes, classes) {
        scan::scan_seen(text, classes, Kind::Free, name.shown == NameShown::Secret, cx, flags);
    }
    if name.shown == NameShown::Secret {
        flags.hide(text);
    }
    (name, is_sensitive)
}

/// Reads a `cookie` header and counts its cookies.
pub(crate) fn read<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> BumpVec<'a, Cookie<'a>> {
    let mut cookies = BumpVec::with_capacity_in(ROOM, cx.bump);
    for piece in text.split_at_each(b';').map(|piece| piece.trim()).filter(|piece| !piece.is_empty()) {
        cookies.push(read_one(piece, cx, flags));
    }
    flags.raise(Flag::Cookie, text);
    cookies
}

/// Reads a `set-cookie` header: a cookie, then its attributes.
pub(crate) fn read_set<'a>(
    text: Text<'a>,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) -> BumpVec<'a, Cookie<'a>> {
    let mut cookies = BumpVec::new_in(cx.bump);
    for piece in text.split_at_each(b';').map(|piece| piece.trim()).filter(|piece| !piece.is_empty()) {
        if cookies.is_empty() {
            cookies.push(read_one(piece, cx, flags));
            continue;
        }
        let (name, value) = piece.cut(b'=').unwrap_or((piece, piece.from(piece.len())));
        let known =
            ATTRIBUTES.iter().position(|known| name.trim().bytes.eq_ignore_ascii_case(known.as_bytes()));
        let credential = cx.settings.names.find_credential(piece.bytes, cx).is_some();
        let attribute = match known {
            _ if credential => Attribute::Secret,
            Some(known) => Attribute::Known(known),
            None => Attribute::Other,
        };
        if !matches!(attribute, Attribute::Known(_)) {
            flags.hide(piece);
        }
        scan::scan(piece, Kind::Free, credential, cx, flags);
        let value = value.trim();
        cookies.push(Cookie {
            name: None,
            value,
            seen: bytes::union(value.bytes),
            piece,
            sensitive: false,
            json: None,
            attribute: Some(attribute),
        });
    }
    cookies
}

impl Cookie<'_> {
    /// Whether nothing in it is a credential that its name does not make one, as far as that is seen
    /// quickly: it is short and plain, or a name and a word of which no token is a part.
    pub(crate) fn is_harmless(&self) -> bool {
        let Some(name) = self.name.filter(|name| name.shown == NameShown::Text && !self.sensitive) else {
            return false;
        };
        let (name, value) = (name.text.bytes, self.value.bytes);
        // Nothing but the `=` between the two is a sign that a credential needs.
        let is_word = || bytes::all(value, ALNUM | PATH_MARK) && bytes::all(name, ALNUM | PATH_MARK);
        let is_pair = || name.len().saturating_add(value.len()).saturating_add(1) == self.piece.len();
        secrets::is_too_plain(value, self.seen)
            || is_pair() && is_word() && !secrets::holds_token(self.piece.bytes)
    }

    pub(crate) fn is_attribute(&self) -> bool {
        self.attribute.is_some()
    }

    /// Shows an attribute as a secret.
    pub(crate) fn hide(&mut self) {
        self.attribute = Some(Attribute::Secret);
    }

    fn write(&self, cx: Context<'_>, out: &mut Vec<u8>) {
        if let Some(name) = self.name {
            write_key(name, cx, out);
        }
        marker::push(out, "<len:");
        let len = if self.seen & HIGH == 0 { self.value.len() } else { decode::chars(self.value.bytes) };
        marker::number(out, len as u64);
        out.push(b'>');
    }

    fn write_attribute(&self, attribute: Attribute, cx: Context<'_>, out: &mut Vec<u8>) {
        let Attribute::Known(known) = attribute else {
            marker::write(self.piece.bytes, attribute == Attribute::Secret, cx, out);
            return;
        };
        marker::push(out, ATTRIBUTES.get(known).copied().unwrap_or_default());
        if self.value.is_empty() {
            return;
        }
        out.push(b'=');
        let plain = |&b: &u8| bytes::is(b, TOKEN) || b == b'/';
        if known != EXPIRES && self.value.bytes.iter().all(plain) {
            out.extend_from_slice(self.value.bytes);
        } else {
            marker::write(self.value.bytes, false, cx, out);
        }
    }
}

/// `NAME<len:n>`, by name.
pub(crate) fn write<'a>(cookies: &[Cookie<'a>], cx: Context<'a>, out: &mut Vec<u8>) {
    let is_plain = |name: Key<'_>| name.shown == NameShown::Text && name.text.bytes.is_ascii();
    if cookies.iter().all(|cookie| cookie.name.is_some_and(is_plain)) {
        write_plain(cookies, cx, out);
    } else {
        write_slow(cookies, cx, out);
    }
}

/// Cookies whose names are shown as they are.
fn write_plain(cookies: &[Cookie<'_>], cx: Context<'_>, out: &mut Vec<u8>) {
    let mut order = BumpVec::with_capacity_in(cookies.len(), cx.bump);
    order.extend(cookies.iter().enumerate());
    order.sort_unstable_by_key(|(i, cookie)| (cookie.name.map(|name| name.text.bytes), *i));
    for (i, (_, cookie)) in order.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        cookie.write(cx, out);
    }
}

fn write_slow<'a>(cookies: &[Cookie<'a>], cx: Context<'a>, out: &mut Vec<u8>) {
    let mut shown = BumpVec::with_capacity_in(cookies.len(), cx.bump);
    shown.extend(cookies.iter().map(|cookie| cx.written(|one| cookie.write(cx, one))).enumerate());
    shown.sort_unstable_by_key(|(i, cookie)| (shown_name(cookie), *i));
    for (i, (_, cookie)) in shown.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(cookie);
    }
}

/// What stands before `<len:n>`.
fn shown_name(cookie: &[u8]) -> &[u8] {
    let len = memchr::memmem::rfind(cookie, b"<len:").unwrap_or(cookie.len());
    cookie.get(..len).unwrap_or_default()
}

/// `NAME<len:n>; Path=/; HttpOnly`, in order of arrival.
pub(crate) fn write_set(cookies: &[Cookie<'_>], cx: Context<'_>, out: &mut Vec<u8>) {
    for (i, cookie) in cookies.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(b"; ");
        }
        match cookie.attribute {
            None => cookie.write(cx, out),
            Some(attribute) => cookie.write_attribute(attribute, cx, out),
        }
    }
}
