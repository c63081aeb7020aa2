//! `cookie` and `set-cookie` (clauses 8.17 and 8.18): names and lengths, never values.

mod write;

use bumpalo::collections::Vec as BumpVec;

use crate::bytes::{self, ALNUM, AT, BLANK, CONTROL, DASH, DOT, HIGH, NAME_MARK, TOKEN, UNDERSCORE};
use crate::context::{Context, HAS_FAST_PATHS};
use crate::decode;
use crate::families;
use crate::flags::{Flag, Flags};
use crate::formats::embedded::{self, Embedded};
use crate::inspect::{Key, write_key};
use crate::scan::{self, Kind};
use crate::secrets;
use crate::show::NameShown;
use crate::show::marker;
use crate::text::{Classified, Text};
pub(super) use write::{write, write_set};

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
    /// Its name raises no flag by its content.
    const HAS_QUIET_NAME: u8 = 1 << 5;
    /// Its value was searched for credentials as it was read, and there is none.
    const HAS_NONE_IN_VALUE: u8 = 1 << 6;
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
    let mut rest = Some(text.bytes);
    std::iter::from_fn(move || {
        loop {
            let all = rest?;
            let cut = bytes::position(b';', all).and_then(|at| all.split_at_checked(at));
            let (piece, after) = cut.map_or((all, None), |(piece, after)| (piece, after.get(1..)));
            rest = after;
            let piece = bytes::trim(piece);
            if !piece.is_empty() {
                return Some(text.piece(piece));
            }
        }
    })
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
        let is_quiet = match cookie.name_text() {
            Some(name) => cookie.read_name(name.classified(), cx, flags),
            None => true,
        };
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
                    } else if HAS_FAST_PATHS && !json.holds_secret() {
                        cookie.facts |= Facts::HAS_NONE_IN_VALUE;
                    }
                    self.json.push(json);
                }
                None => cookie.scan_value(value, cx, flags),
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
        self.facts |= if judged.is_quiet { Facts::HAS_QUIET_NAME } else { 0 };
        judged.is_quiet
    }

    /// Raises the flags of its value; where no evidence is kept, searches it for credentials too.
    fn scan_value(&mut self, value: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
        let value = value.with_classes(self.classes);
        let is_searched = HAS_FAST_PATHS && !cx.traced && cx.settings.beyond_core();
        if is_searched && scan::cannot_flag_cookie(value.text.bytes, value.classes, cx) {
            self.facts |= Facts::HAS_NONE_IN_VALUE;
        } else if !is_searched || self.is_sensitive() {
            scan::scan(value, Kind::Cookie, true, cx, flags);
        } else if !scan::scan_for_secret(value, Kind::Cookie, false, cx, flags) {
            self.facts |= Facts::HAS_NONE_IN_VALUE;
        }
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
        if self.is(Facts::HAS_NONE_IN_VALUE) && self.is_all_in_value() {
            return [false; 2];
        }
        let value = if self.is(Facts::IS_PAIR) { self.value().bytes } else { b"" };
        cx.settings.names.holds_in_text_and_end(self.piece.bytes, value, self.classes, cx)
    }

    /// Returns whether a credential in it is one in its value: none can begin in its name or before its `=`, and its value, however it
    /// is decoded, does not begin with the `:` of a password without a user.
    fn is_all_in_value(&self) -> bool {
        let name = self.name_bytes();
        let first = match self.value().bytes {
            rest @ [b'%', ..] => bytes::escape(rest).unwrap_or(b'%'),
            rest => rest.first().copied().unwrap_or(b':'),
        };
        self.shown == Some(NameShown::Text)
            && self.is(Facts::HAS_QUIET_NAME)
            && !self.is(Facts::HAS_BLANKS)
            && bytes::all(name, ALNUM | DASH | DOT | UNDERSCORE)
            && !families::holds_head(name)
            && (bytes::is(first, ALNUM | NAME_MARK) || matches!(first, b'{' | b'"' | b'/' | b'|' | b' '))
            && first != b':'
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
        marker::number(out, decode::chars_of(self.value().bytes, self.classes) as u64);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Shared;
    use crate::context::tests::{random, with_context};

    /// Pieces of values: credentials, what is around them, and what hides them.
    const PIECES: [&str; 40] = [
        ":",
        "@",
        "tcp(",
        "@tcp(h)",
        "u:p",
        ":p",
        "//",
        "://",
        "\\\\",
        "http",
        "u:p@h/",
        "a",
        "0",
        "/",
        ".",
        "-",
        "=",
        "&",
        ";",
        ",",
        "+",
        " ",
        "\"",
        "<",
        ">",
        "<lower:5>",
        "password",
        "token=",
        "%",
        "%25",
        "Bearer",
        "Basic ",
        "hunter22",
        "eyJhbGciOiJub25lIn0.eyJhIjoxfQ.abc",
        "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB",
        "AccountKey",
        "aaaaaa_aaaaaaaaaaaaaaaaaaaaaaaaaaaaa_mmk",
        "-----BEGIN RSA PRIVATE KEY-----",
        "{",
        "[",
    ];

    const NAMES: [&str; 14] = [
        "a",
        "_ga",
        "s.",
        "AccountKey",
        "Bearer",
        "key-",
        "user.name",
        "consent",
        "aaaaaa_",
        "x-y",
        "SK",
        "-----BEGIN",
        "12:3",
        "a b",
    ];

    #[test]
    fn credentials_of_cookies_are_those_of_their_values() {
        let (mut random, mut shortened) = (random(), 0);
        for _ in 0..30_000 {
            let mut value = String::new();
            for _ in 0..=random(5) {
                value.push_str(PIECES[random(PIECES.len() as u32) as usize]);
            }
            for _ in 0..random(3) {
                value = match random(4) {
                    0 => value.bytes().map(|byte| format!("%{byte:02X}")).collect(),
                    1 => value.replace('%', "%25").replace(['@', ':', '=', '/', '{'], "%40"),
                    2 => value.replace(':', "%3A").replace('@', "&#64;").replace('{', "\\u007b"),
                    _ => value.replace(':', "\\x3a").replace('=', "&equals;").replace('"', "%22"),
                };
            }
            let text = format!("{}={value}", NAMES[random(NAMES.len() as u32) as usize]);
            with_context(|cx| {
                let shared = Shared { traced: false, ..*cx };
                let cx = Context::new(&shared);
                let text =
                    crate::decode::utf8::repair(Text::request(text.as_bytes(), false), cx, &mut cx.flags());
                let cookies = read(text, cx, &mut cx.flags());
                for cookie in &cookies.list {
                    let names = &cx.settings.names;
                    let value = if cookie.is(Facts::IS_PAIR) { cookie.value().bytes } else { b"" };
                    let all = names.holds_in_text_and_end(cookie.piece.bytes, value, cookie.classes, cx);
                    shortened += u32::from(cookie.is(Facts::HAS_NONE_IN_VALUE) && cookie.is_all_in_value());
                    let shown = cookie.piece.bytes.escape_ascii();
                    assert!(cookie.is_sensitive() || cookie.holds_credentials(cx) == all, "{shown}: {all:?}");
                }
            });
        }
        assert!(shortened > 3_000, "{shortened}");
    }
}
