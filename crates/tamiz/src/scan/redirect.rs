//! `REDIRECT` (clause 7.6.1): values of keys that say where to go, and where they lead.

use std::ops::Range;

use super::urls;
use crate::bytes::{self, ALNUM, CONTROL};
use crate::context::Context;
use crate::decode::layers::{Layer, with_overlong_read};
use crate::flags::{Flag, Flags};
use crate::lists::REDIRECT_NAMES;
use crate::text::Text;

/// No name of the list is as long, nor a host that is looked at.
const LONGEST_NAME: usize = 64;
const LONGEST_HOST: usize = 256;

/// The last name on the path to a value.
#[derive(Clone, Copy)]
pub(crate) enum LastName<'k> {
    /// The key of a query, form or multipart body.
    Flat(&'k [u8]),
    /// The last name on the way through a document, where any link may be called `url`.
    Nested(&'k [u8]),
}

/// Raises `REDIRECT`, and `URLLOCAL` of a host without a scheme, by the value of a key. For a secret the evidence is
/// all of it.
pub(crate) fn redirect<'a>(
    key: LastName<'_>,
    value: Text<'a>,
    secret: bool,
    cx: Context<'a>,
    flags: &mut Flags<'a>,
) {
    if !cx.settings.beyond_core() || value.is_empty() {
        return;
    }
    let found = find(value.bytes);
    let may_hide = found.is_none() && bytes::position(b'%', value.bytes).is_some();
    if (found.is_none() && !may_hide) || !leads_somewhere(key) {
        return;
    }
    if let Some((flag, range)) = found {
        flags.raise_at(flag, value, if secret { 0..value.len() } else { range });
    } else if let Some(decoded) = Layer::Percent.undo(value.classified(), cx, |_, _, _| {})
        && let Some((flag, _)) = find(with_overlong_read(decoded, cx, |_, _, _| {}).unwrap_or(decoded).bytes)
    {
        flags.raise(flag, value);
        flags.raise(Flag::PctValue, value);
    }
}

/// Returns whether the last name of a key is in the list, case, `_` and `-` ignored.
fn leads_somewhere(key: LastName<'_>) -> bool {
    let (key, may_be_flat) = match key {
        LastName::Flat(key) => (key, true),
        LastName::Nested(key) => (key, false),
    };
    let is_cut = |b: &u8| matches!(b, b'.' | b'[' | b']');
    let Some(name) = key.rsplit(is_cut).find(|name| !name.is_empty()) else { return false };
    let mut buffer = [0; LONGEST_NAME];
    let mut len = 0_usize;
    for byte in name.iter().filter(|b| !matches!(b, b'_' | b'-')) {
        let Some(place) = buffer.get_mut(len) else { return false };
        *place = byte.to_ascii_lowercase();
        len = len.saturating_add(1);
    }
    let name = buffer.get(..len).unwrap_or_default();
    let found = REDIRECT_NAMES.binary_search_by(|(known, _)| known.as_bytes().cmp(name)).ok();
    found.and_then(|at| REDIRECT_NAMES.get(at)).is_some_and(|(_, mark)| may_be_flat || mark.is_empty())
}

/// The flag of a value's beginning.
fn find(text: &[u8]) -> Option<(Flag, Range<usize>)> {
    let is_blank = |b: &&u8| **b == b' ' || bytes::is(**b, CONTROL);
    let start = text.iter().take_while(is_blank).count();
    let rest = text.get(start..)?;
    let slashes = rest.iter().take_while(|b| matches!(b, b'/' | b'\\')).count();
    let end = |len: usize| start.saturating_add(len);
    if slashes >= 2 {
        let next = *rest.get(slashes)?;
        let is_host = bytes::is(next, ALNUM) || matches!(next, b'[' | b'@') || !next.is_ascii();
        return is_host.then(|| (Flag::Redirect, start..end(slashes)));
    }
    if slashes > 0 {
        return None;
    }
    let head = rest.get(..rest.len().min(LONGEST_HOST))?;
    let len = memchr::memchr2(b'/', b':', head)?;
    urls::is_bare_local(head.get(..len)?).then(|| (Flag::UrlLocal, start..end(len)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_can_be_searched() {
        assert!(REDIRECT_NAMES.is_sorted());
        let is_plain = |name: &str| name.len() < LONGEST_NAME && name.bytes().all(|b| b.is_ascii_lowercase());
        assert!(REDIRECT_NAMES.iter().all(|(name, mark)| is_plain(name) && matches!(*mark, "" | "flat")));
    }

    #[test]
    fn keys_that_lead_somewhere() {
        for key in ["next", "Return_URL", "return-to", "a[next]", "opts.redirect", "x[url][]"] {
            assert!(leads_somewhere(LastName::Flat(key.as_bytes())), "{key}");
        }
        for key in ["q", "nextx", "", "[]", "next.q", "redirect the user"] {
            assert!(!leads_somewhere(LastName::Flat(key.as_bytes())), "{key}");
        }
        assert!(
            leads_somewhere(LastName::Nested(b"return_url")) && !leads_somewhere(LastName::Nested(b"url"))
        );
    }

    #[test]
    fn where_values_lead() {
        let flag = |text: &str| find(text.as_bytes()).map(|(flag, _)| flag);
        for text in
            ["//evil.example", "/\\evil.example", "\\\\evil", " \t//[::1]", "///@evil", "//\u{ff45}vil"]
        {
            assert_eq!(flag(text), Some(Flag::Redirect), "{text}");
        }
        for text in ["localhost/", "LOCALHOST:80", "127.0.0.1/a", "a.internal/x"] {
            assert_eq!(flag(text), Some(Flag::UrlLocal), "{text}");
        }
        for text in ["/a//b", "//", "", "/", "localhost", "metadata/a", "a/b", "8.8.8.8/", "1:2", "http://x/"]
        {
            assert_eq!(flag(text), None, "{text}");
        }
    }
}
