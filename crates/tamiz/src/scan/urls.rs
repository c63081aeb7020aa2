//! URLs in values (clause 7.6): their scheme, and whether they lead to an address or inside.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice; an address has at most four parts"
)]

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use super::{Kind, Scan};
use crate::address::is_private;
use crate::bytes::{self, ALNUM, ALPHA};
use crate::decode::GUARD;
use crate::flags::{Flag, Flags};
use crate::lists::{LOCAL_HOSTS, URL_SCHEMES};
use crate::steps;

/// No scheme is longer.
const LONGEST_SCHEME: usize = 24;
/// No authority is longer.
const LONGEST_AUTHORITY: usize = 512;

/// Raises `URLVALUE`, `URLIP` and `URLLOCAL`.
pub(super) fn flag<'a>(scan: &Scan<'a>, flags: &mut Flags<'a>) {
    let text = scan.text.bytes;
    if text.starts_with(b"//") {
        flag_net_path(scan, flags);
    }
    if scan.classes & bytes::COLON == 0 {
        return;
    }
    for colon in bytes::places(b':', text) {
        let (before, rest) = text.split_at_checked(colon).unwrap_or_default();
        // Without a slash behind it, few schemes are known.
        if !matches!(rest, [_, b'/' | b'\\', ..]) && !may_end_scheme(before) {
            continue;
        }
        let (start, known) = scheme_before(before);
        if start == before.len() {
            continue;
        }
        match (rest, known) {
            // A path is collapsed: it has no two slashes.
            ([b':', b'/' | b'\\', host @ ..], Some((word, _)))
                if scan.kind == Kind::Path && !matches!(host.first(), Some(b'/' | b'\\')) =>
            {
                scan.raise_word(Flag::UrlValue, word, start..colon + 2, flags);
                flag_host(scan, colon + 2, host, flags);
            }
            ([b':', b'/' | b'\\', b'/' | b'\\', host @ ..], known) => {
                let word = known.map_or("other", |(word, _)| word);
                scan.raise_word(Flag::UrlValue, word, start..colon + 3, flags);
                flag_host(scan, colon + 3, host, flags);
            }
            // Browsers and resolvers take `http:127.0.0.1` for a URL too.
            ([b':', host @ ..], Some((word, "special"))) if is_address_or_local(host) => {
                scan.raise_word(Flag::UrlValue, word, start..colon + 1, flags);
                flag_host(scan, colon + 1, host, flags);
            }
            ([b':', after @ ..], Some((word, "opaque"))) if is_content(word, after) => {
                scan.raise_word(Flag::UrlValue, word, start..colon + 1, flags);
            }
            _ => {}
        }
    }
}

/// The host of what begins with `//`, `/\\` or `\\`.
pub(super) fn flag_net_path<'a>(scan: &Scan<'a>, flags: &mut Flags<'a>) {
    let slashes = scan.text.bytes.iter().take_while(|byte| matches!(byte, b'/' | b'\\')).count();
    flag_host(scan, slashes, scan.text.bytes.get(slashes..).unwrap_or_default(), flags);
}

/// Where the scheme starts that ends `before`, and what it is, if it is known: the longest that is, else the longest that
/// begins with a letter. One that starts at the end is none.
fn scheme_before(before: &[u8]) -> (usize, Option<(&'static str, &'static str)>) {
    steps::slow("scheme of a URL judged");
    let in_scheme = |&&b: &&u8| bytes::is(b, ALNUM) || matches!(b, b'+' | b'.' | b'-');
    let len = before.iter().rev().take(LONGEST_SCHEME).take_while(in_scheme).count();
    // The digits of a guarded byte are no letters.
    let is_guarded = |at: usize| at.checked_sub(1).and_then(|at| before.get(at)) == Some(&GUARD);
    let run = before.len() - len;
    let run = if is_guarded(run) { (run + 2).min(before.len()) } else { run };
    let begins = |start: usize| before.get(start).is_some_and(|&b| bytes::is(b, ALPHA));
    let after_sign = |start: usize| {
        start == run
            || start.checked_sub(1).and_then(|i| before.get(i)).is_some_and(|&b| !bytes::is(b, ALPHA))
    };
    let mut starts = (run..before.len()).filter(|&start| begins(start) && after_sign(start));
    let longest = starts.next().unwrap_or(before.len());
    let known = std::iter::once(longest)
        .chain(starts)
        .find_map(|start| Some((start, known_scheme(before.get(start..)?)?)));
    known.map_or((longest, None), |(start, scheme)| (start, Some(scheme)))
}

/// The first letter by its place in the alphabet, case ignored; other characters share these places.
fn first_letter(name: &[u8]) -> usize {
    name.first().map_or(0, |first| usize::from(first & 31))
}

/// Schemes with the same first letter.
#[derive(Default)]
struct Schemes {
    lengths: u32,
    schemes: Vec<(&'static str, &'static str)>,
}

/// Returns whether a text may end with a scheme that is known without `//`, by its last two letters.
fn may_end_scheme(text: &[u8]) -> bool {
    static ENDS: LazyLock<[u32; 32]> = LazyLock::new(|| {
        let schemes = URL_SCHEMES.iter().filter(|(_, kind)| !kind.is_empty());
        ends_of(schemes.map(|(scheme, _)| scheme.as_bytes()))
    });
    ends_like(text, &ENDS)
}

fn known_scheme(name: &[u8]) -> Option<(&'static str, &'static str)> {
    /// The schemes that begin with each letter, and how long these are, a bit each.
    static BY_LETTER: LazyLock<[Schemes; 32]> = LazyLock::new(|| {
        let mut by_letter: [Schemes; 32] = Default::default();
        for (scheme, kind) in URL_SCHEMES {
            if let Some(known) = by_letter.get_mut(first_letter(scheme.as_bytes())) {
                known.lengths |= 1_u32 << scheme.len().min(31);
                known.schemes.push((scheme, kind));
            }
        }
        by_letter
    });
    let known = BY_LETTER.get(first_letter(name))?;
    if known.lengths >> name.len().min(31) & 1 == 0 {
        return None;
    }
    let is_it = |scheme: &str| scheme.len() == name.len() && name.eq_ignore_ascii_case(scheme.as_bytes());
    known.schemes.iter().copied().find(|(scheme, _)| is_it(scheme))
}

/// Returns whether what follows a scheme without `//` is more than prose.
fn is_content(scheme: &str, after: &[u8]) -> bool {
    match scheme {
        "data" => {
            let in_type = |&&b: &&u8| bytes::is(b, ALNUM) || matches!(b, b'/' | b'-' | b'.' | b'+');
            let kind = after.iter().take(64).take_while(in_type).count();
            matches!(after.get(kind), Some(b',' | b';'))
        }
        _ => after.first().is_some_and(|b| !b.is_ascii_whitespace()),
    }
}

/// The authority that `rest` begins with, and the host in it.
fn authority(rest: &[u8]) -> (&[u8], &[u8]) {
    static ENDS: [bool; 256] = {
        let mut ends = [false; 256];
        let mut nth = 0;
        let signs = b"/\\?#\"'<>& ";
        while nth < signs.len() {
            ends[signs[nth] as usize] = true;
            nth += 1;
        }
        ends
    };
    let ends = |byte: &u8| ENDS.get(usize::from(*byte)).copied().unwrap_or_default();
    let head = rest.get(..rest.len().min(LONGEST_AUTHORITY)).unwrap_or_default();
    let authority = head.get(..head.iter().position(ends).unwrap_or(head.len())).unwrap_or_default();
    let user = bytes::position(b'@', authority).and_then(|_| memchr::memrchr(b'@', authority));
    (authority, without_port(authority.get(user.map_or(0, |at| at + 1)..).unwrap_or_default()))
}

fn is_address_or_local(rest: &[u8]) -> bool {
    let slashes = rest.iter().take_while(|&&b| matches!(b, b'/' | b'\\')).count();
    let (_, host) = authority(rest.get(slashes..).unwrap_or_default());
    // One number alone could be anything: `http:80`.
    let is_spelt_out = host.contains(&b'.') || host.starts_with(b"[") || host.len() > 5;
    is_local_name(host) || is_spelt_out && address(host).is_some()
}

/// Looks at the authority at the start of `rest`, which stands at `at`.
fn flag_host<'a>(scan: &Scan<'a>, at: usize, rest: &[u8], flags: &mut Flags<'a>) {
    steps::slow("host of a URL judged");
    let slashes = rest.iter().take_while(|&&b| matches!(b, b'/' | b'\\')).count();
    let (authority, host) = authority(rest.get(slashes..).unwrap_or_default());
    let range = at + slashes..at + slashes + authority.len();
    let address = address(host);
    if address.is_some() {
        scan.raise(Flag::UrlIp, range.clone(), flags);
    }
    if address.is_some_and(is_inside) || is_local_name(host) {
        scan.raise(Flag::UrlLocal, range, flags);
    }
}

fn without_port(host: &[u8]) -> &[u8] {
    if host.first() == Some(&b'[') {
        return host.get(..bytes::position(b']', host).map_or(host.len(), |at| at + 1)).unwrap_or_default();
    }
    host.get(..bytes::position(b':', host).unwrap_or(host.len())).unwrap_or_default()
}

/// An address in any spelling that a resolver takes.
fn address(host: &[u8]) -> Option<IpAddr> {
    if let [b'[', inner @ .., b']'] = host {
        let inner = inner.split(|&b| b == b'%').next().unwrap_or_default();
        return std::str::from_utf8(inner).ok()?.parse::<Ipv6Addr>().ok().map(IpAddr::V6);
    }
    loose_v4(host.strip_suffix(b".").unwrap_or(host)).map(IpAddr::V4)
}

/// A host that leads inside where no scheme says that it is one: a name that could be nothing else, or four numbers.
pub(super) fn is_bare_local(host: &[u8]) -> bool {
    if bytes::position(b'.', host).is_none() {
        return host.eq_ignore_ascii_case(b"localhost");
    }
    let dots = |host: &[u8]| memchr::memchr_iter(b'.', host).count();
    is_local_name(host)
        || dots(host.strip_suffix(b".").unwrap_or(host)) == 3 && address(host).is_some_and(is_inside)
}

/// ```text
/// inet_aton: one to four of decimal, 0-octal or 0x-hexadecimal numbers; the last fills the rest
/// ```
/// One number alone wraps around, and so does each of four: resolvers and filters disagree on what is too large.
fn loose_v4(host: &[u8]) -> Option<Ipv4Addr> {
    if !host.first()?.is_ascii_digit() {
        return None;
    }
    let mut numbers = [Loose::default(); 4];
    let mut count = 0;
    for part in host.split(|&b| b == b'.') {
        *numbers.get_mut(count)? = loose_number(part)?;
        count += 1;
    }
    let value = match (count, numbers) {
        (1, [n, ..]) => n,
        (2, [a, n, ..]) if a.is_octet() && n.fits(24) => n.or(a, 24),
        (3, [a, b, n, _]) if a.is_octet() && b.is_octet() && n.fits(16) => n.or(b, 16).or(a, 24),
        (4, [a, b, c, d]) => d.octet().or(c.octet(), 8).or(b.octet(), 16).or(a.octet(), 24),
        _ => return None,
    };
    Some(Ipv4Addr::from(value.0))
}

/// A number of an address, modulo 2^32, and whether it was larger.
#[derive(Clone, Copy, Default)]
struct Loose(u32, bool);

impl Loose {
    fn fits(self, bits: u32) -> bool {
        !self.1 && self.0 >> bits == 0
    }

    fn is_octet(self) -> bool {
        self.fits(8)
    }

    fn octet(self) -> Self {
        Loose(self.0 & 0xFF, false)
    }

    fn or(self, other: Self, shift: u32) -> Self {
        Loose(self.0 | other.0 << shift, false)
    }
}

fn loose_number(part: &[u8]) -> Option<Loose> {
    let (digits, radix) = match part {
        [b'0', b'x' | b'X', hex @ ..] => (hex, 16),
        [b'0', octal @ ..] if !octal.is_empty() => (octal, 8),
        _ => (part, 10),
    };
    let mut number = Loose::default();
    for digit in digits {
        let next = u64::from(number.0) * u64::from(radix) + u64::from(char::from(*digit).to_digit(radix)?);
        number = Loose(next as u32, number.1 || next > u64::from(u32::MAX));
    }
    (!digits.is_empty()).then_some(number)
}

fn is_inside(address: IpAddr) -> bool {
    is_private(address)
        || match address {
            IpAddr::V4(v4) => v4.octets().first() == Some(&0),
            IpAddr::V6(v6) => {
                v6.is_unspecified() || v6.to_ipv4_mapped().is_some_and(|v4| v4.octets().first() == Some(&0))
            }
        }
}

/// A name that resolves to this machine or network, or to a cloud's metadata.
fn is_local_name(host: &[u8]) -> bool {
    static ENDS: LazyLock<[u32; 32]> =
        LazyLock::new(|| ends_of(LOCAL_HOSTS.iter().map(|name| name.as_bytes())));
    let host = host.strip_suffix(b".").unwrap_or(host);
    ends_like(host, &ENDS) && is_local_name_slow(host)
}

/// The last but one letters of names, a bit each, by the last one.
fn ends_of<'n>(names: impl Iterator<Item = &'n [u8]>) -> [u32; 32] {
    let mut ends = [0; 32];
    for name in names {
        let (last, before) = last_letters(name);
        if let Some(known) = ends.get_mut(last) {
            *known |= before;
        }
    }
    ends
}

/// Returns whether a name ends with two letters that others end with; see [`ends_of`].
fn ends_like(name: &[u8], ends: &[u32; 32]) -> bool {
    let (last, before) = last_letters(name);
    ends.get(last).is_some_and(|known| known & before != 0)
}

/// The last letter by its place in the alphabet, and the bit of the one before; other characters share these. Before a name of one
/// letter there may be any.
fn last_letters(name: &[u8]) -> (usize, u32) {
    match name {
        [.., before, last] => (usize::from(last & 31), 1 << (before & 31)),
        [last] => (usize::from(last & 31), u32::MAX),
        [] => (0, 0),
    }
}

fn is_local_name_slow(host: &[u8]) -> bool {
    LOCAL_HOSTS.iter().any(|name| {
        let tail = host.len().checked_sub(name.len()).and_then(|at| host.get(at..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(name.as_bytes()))
            && (name.starts_with('.') || tail.map_or(0, <[u8]>::len) == host.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_in_every_spelling() {
        for host in ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "017700000001", "0x7f000001", "127.0.0.1."]
        {
            assert_eq!(address(host.as_bytes()), Some("127.0.0.1".parse().unwrap()), "{host}");
        }
        assert_eq!(address(b"[::1]"), Some("::1".parse().unwrap()));
        for (host, is) in [
            ("7147006462", "169.254.169.254"),
            ("425.510.425.510", "169.254.169.254"),
            ("4294967297", "0.0.0.1"),
            ("340282366920938463463374607431768211457", "0.0.0.1"),
        ] {
            assert_eq!(address(host.as_bytes()), Some(is.parse().unwrap()), "{host}");
        }
        for host in ["ex.com", "1.2.3.4.5", "256.1.1", "1.16777216", "08.1.1.1", "", "1..2", "0x", "1.2.3.."]
        {
            assert_eq!(address(host.as_bytes()), None, "{host}");
        }
    }

    #[test]
    fn local_names_are_known_by_their_ends() {
        for name in LOCAL_HOSTS.iter().copied().chain(["ex.com", "a", "", "localhosts", "x.internal.es"]) {
            for host in [name.to_owned(), name.to_ascii_uppercase(), format!("a{name}")] {
                assert_eq!(is_local_name(host.as_bytes()), is_local_name_slow(host.as_bytes()), "{host}");
            }
        }
    }

    #[test]
    fn local_names() {
        for host in
            ["localhost", "LOCALHOST.", "a.localhost", "metadata.google.internal", "x.10.0.0.1.nip.io"]
        {
            assert!(is_local_name(host.as_bytes()), "{host}");
        }
        for host in ["notlocalhost", "localhost.ex.com", "ex.com"] {
            assert!(!is_local_name(host.as_bytes()), "{host}");
        }
    }
}
