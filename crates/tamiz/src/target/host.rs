//! Hosts (clauses 5.6 to 5.15).

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice")]

use std::net::{Ipv4Addr, Ipv6Addr};

use bumpalo::collections::String as BumpString;
use idna::uts46::{AsciiDenyList, ErrorPolicy, Hyphens, ProcessingSuccess, Uts46};

use crate::bytes::{self, ALNUM, DIGIT, UPPER};
use crate::config::Scheme;
use crate::context::Context;
use crate::decode::{self, unicode, utf8};
use crate::flags::{Flag, Flags};
use crate::scan;
use crate::secrets;
use crate::show::marker;
use crate::steps;
use crate::text::Text;
use crate::walk::{Visitor, walk};

/// A valid host, in its canonical spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Host<'a> {
    /// ASCII, lower-case; an IPv6 address has its brackets.
    pub(crate) name: &'a [u8],
    pub(crate) port: Option<u16>,
}

/// Who names the host.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A `Host` header: a forbidden character makes its value a bad header, too.
    Header,
    /// The target.
    Target,
}

/// What is wrong with a host.
enum Bad {
    /// A character no host has.
    Character,
    /// Anything else.
    Form,
}

impl<'a> Host<'a> {
    /// Reads `host[:port]`; `None`, with its flags raised, when it is not valid.
    pub(crate) fn read(
        text: Text<'a>,
        source: Source,
        cx: Context<'a>,
        flags: &mut Flags<'a>,
    ) -> Option<Self> {
        let trimmed = text.trim();
        if let Some(host) = Host::plain(trimmed.bytes) {
            return Some(host);
        }
        scan_characters(trimmed, cx, flags);
        match read_host(trimmed, cx, flags) {
            Ok(host) => Some(host),
            Err(bad) => {
                flags.raise(Flag::BadHost, text);
                if matches!(bad, Bad::Character) && source == Source::Header {
                    flags.raise(Flag::BadHdrName, text);
                }
                None
            }
        }
    }

    /// Reads a name in lower case, perhaps with a port, of which nothing is to be flagged.
    fn plain(text: &'a [u8]) -> Option<Self> {
        let (name, rest) = plain_name(text)?;
        let port = match rest {
            [] => None,
            [_, port @ ..] => Some(read_port(port).ok()?),
        };
        Some(Host { name, port })
    }

    /// Without the port its scheme implies.
    pub(crate) fn without_default_port(self, scheme: Scheme) -> Self {
        Host { port: self.port.filter(|port| *port != scheme.default_port()), ..self }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.name);
        if let Some(port) = self.port {
            out.push(b':');
            marker::number(out, u64::from(port));
        }
    }
}

/// Cuts off a name in lower case of which nothing is to be flagged, at the colon or the end of the text.
fn plain_name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, rest) = text.split_at_checked(bytes::position(b':', text).unwrap_or(text.len()))?;
    let classes = bytes::union(name);
    let mut plain = PlainName { last_label: 0, tokens: secrets::Prefilter::new(name, classes, |_| false) };
    if classes & UPPER != 0 || walk(name, &mut plain) {
        return None;
    }
    let is_plain = matches!(name.get(plain.last_label), Some(b'a'..=b'z'))
        && !secrets::holds_token(plain.tokens.finish(), name, classes);
    is_plain.then_some((name, rest))
}

/// The state of a walk over the name of a host, which a sign ends that is not plain there.
struct PlainName<'t, F> {
    /// Where the last label begins.
    last_label: usize,
    tokens: secrets::Prefilter<'t, F>,
}

impl<F: Fn(&[u8]) -> bool> Visitor for PlainName<'_, F> {
    #[inline(always)]
    fn letters(&mut self, at: usize, eight: u64, _len: usize) -> bool {
        self.tokens.letters(at, eight);
        false
    }

    #[inline(always)]
    fn sign(&mut self, at: usize, byte: u8, next: u8) -> bool {
        match byte {
            b'.' if at > 0 && next != byte => self.last_label = at + 1,
            b'-' if next != byte => {}
            _ => return true,
        }
        Visitor::sign(&mut self.tokens, at, byte, next)
    }
}

/// Raises the flags of the characters of a host, whether it is valid or not. Scripts are judged label by label.
pub(crate) fn scan_characters<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) {
    let repaired = utf8::repair(text, cx, flags);
    if !text.bytes.is_ascii() {
        unicode::normalize(repaired, unicode::Stage::Name, cx, flags);
    }
    scan::characters(repaired.classified(), scan::Kind::Opaque, false, cx, flags);
}

#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
fn read_host<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Result<Host<'a>, Bad> {
    steps::slow("host parsed");
    if let [b'[', ..] = text.bytes {
        let close = bytes::position(b']', text.bytes).ok_or(Bad::Character)?;
        let port = match text.bytes.get(close + 1..) {
            Some([]) | None => None,
            Some([b':', port @ ..]) => Some(read_port(port)?),
            Some(_) => return Err(Bad::Character),
        };
        let inside = text.bytes.get(1..close).unwrap_or_default();
        let address: Ipv6Addr = parse(inside).ok_or(Bad::Form)?;
        return Ok(Host {
            name: bumpalo::format!(in cx.bump, "[{}]", address).into_bump_str().as_bytes(),
            port,
        });
    }
    let (name, port) = match memchr::memrchr(b':', text.bytes) {
        None => (text, None),
        Some(colon) => (text.slice(0..colon), text.bytes.get(colon + 1..)),
    };
    let name = read_name(name, cx, flags)?;
    let port = port.map(read_port).transpose()?;
    Ok(Host { name: name.as_bytes(), port })
}

fn parse<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// 1 to 65535, decimal.
#[allow(clippy::arithmetic_side_effects, reason = "five digits fit")]
fn read_port(text: &[u8]) -> Result<u16, Bad> {
    let digits = text.iter().position(|&b| b != b'0').and_then(|first| text.get(first..)).unwrap_or_default();
    if digits.is_empty() || digits.len() > 5 || !bytes::all(digits, DIGIT) {
        return Err(Bad::Form);
    }
    let port = digits.iter().fold(0_u32, |port, digit| port * 10 + u32::from(digit - b'0'));
    u16::try_from(port).map_err(|_| Bad::Form)
}

fn read_name<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Result<&'a str, Bad> {
    if text.is_empty() || secrets::has_token(text.bytes, bytes::union(text.bytes)) {
        return Err(Bad::Form);
    }
    let ascii = to_ascii(text, cx, flags)?;
    let name = ascii.strip_suffix('.').unwrap_or(ascii);
    if name.split('.').any(str::is_empty) {
        return Err(Bad::Form);
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    if is_number(last) && name.parse::<Ipv4Addr>().is_err() {
        return Err(Bad::Form);
    }
    if name.len() < ascii.len() {
        flags.raise(Flag::HostDot, text);
    }
    Ok(name)
}

/// As the URL standard has it: digits, or `0x` and hexadecimal digits.
fn is_number(label: &str) -> bool {
    let label = label.as_bytes();
    bytes::all(label, DIGIT) || label.strip_prefix(b"0x").is_some_and(|digits| bytes::all(digits, bytes::HEX))
}

/// UTS-46 to ASCII, lower-case. Labels that are plain already only lose their case.
fn to_ascii<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Result<&'a str, Bad> {
    let plain = text.bytes.iter().all(|&b| bytes::is(b, ALNUM) || matches!(b, b'-' | b'.'));
    let encoded = bytes::find_ignore_case(text.bytes, b"xn--").is_some();
    if plain && !encoded {
        let name = std::str::from_utf8(text.bytes).map_err(|_| Bad::Character)?;
        if !name.bytes().any(|b| b.is_ascii_uppercase()) {
            return Ok(name);
        }
        let name: &'a mut str = cx.bump.alloc_str(name);
        name.make_ascii_lowercase();
        return Ok(name);
    }
    to_ascii_slow(text, cx, flags)
}

fn to_ascii_slow<'a>(text: Text<'a>, cx: Context<'a>, flags: &mut Flags<'a>) -> Result<&'a str, Bad> {
    steps::slow("host converted");
    let is_mixed = cx.spare.with(|plain| {
        let plain = if text.is_repaired() { decode::without_guarded(text.bytes, plain) } else { text.bytes };
        let shown = to_unicode(plain, cx);
        shown.split(|&b| b == b'.').any(unicode::mixes_scripts)
    });
    if is_mixed {
        flags.raise(Flag::MixedScript, text);
    }
    let mut sink = BumpString::new_in(cx.bump);
    let (deny, policy) = (AsciiDenyList::STD3, ErrorPolicy::FailFast);
    let done =
        Uts46::new().process(text.bytes, deny, Hyphens::Allow, policy, |_, _, _| false, &mut sink, None);
    let ascii = match done.map_err(|_| Bad::Character)? {
        ProcessingSuccess::Passthrough => std::str::from_utf8(text.bytes).map_err(|_| Bad::Character)?,
        ProcessingSuccess::WroteToSink => sink.into_bump_str(),
    };
    if !text.bytes.is_ascii() {
        flags.raise(Flag::Idna, text);
    }
    Ok(ascii)
}

/// UTS-46 to Unicode, whether it is valid or not.
fn to_unicode<'a>(text: &'a [u8], cx: Context<'a>) -> &'a [u8] {
    let mut sink = BumpString::new_in(cx.bump);
    let (deny, policy) = (AsciiDenyList::EMPTY, ErrorPolicy::MarkErrors);
    match Uts46::new().process(text, deny, Hyphens::Allow, policy, |_, _, _| true, &mut sink, None) {
        Ok(ProcessingSuccess::Passthrough) => text,
        _ => sink.into_bump_str().as_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::tests::with_context;

    fn host(text: &str) -> (String, Vec<&'static str>) {
        with_context(|cx| {
            let mut flags = cx.flags();
            let host = Host::read(Text::request(text.as_bytes(), true), Source::Header, cx, &mut flags);
            let mut out = Vec::new();
            if let Some(host) = host {
                host.without_default_port(Scheme::Http).write(&mut out);
            }
            (String::from_utf8(out).unwrap(), flags.set.iter().map(Flag::name).collect())
        })
    }

    #[test]
    fn ports_have_sixteen_bits() {
        let numbers = (0..70_000).flat_map(|number| [number.to_string(), format!("00{number}")]);
        for text in
            numbers.chain(["", "a", "1a", "99999", "100000", "+1", "18446744073709551617"].map(str::to_owned))
        {
            let expected = text.parse::<u16>().ok().filter(|port| *port > 0 && !text.starts_with('+'));
            assert_eq!(read_port(text.as_bytes()).ok(), expected, "{text}");
        }
    }

    #[test]
    fn valid_hosts() {
        for (text, shown, flags) in [
            ("Ex.COM:80", "ex.com", &[][..]),
            ("ex.com:8080", "ex.com:8080", &[]),
            ("ex.com:0080", "ex.com", &[]),
            ("localhost", "localhost", &[]),
            ("127.0.0.1", "127.0.0.1", &[]),
            ("[2001:DB8:0::1]:8080", "[2001:db8::1]:8080", &[]),
            ("ex.com.", "ex.com", &["HOSTDOT"]),
            ("españa.es", "xn--espaa-rta.es", &["IDNA"]),
            ("xn--espaa-rta.es", "xn--espaa-rta.es", &[]),
            ("ｅx.com", "ex.com", &["FULLWIDTH", "IDNA"]),
            ("раypal.com", "xn--ypal-43d9g.com", &["IDNA", "MIXEDSCRIPT"]),
        ] {
            assert_eq!(host(text), (shown.to_owned(), flags.to_vec()), "{text}");
        }
    }

    #[test]
    fn plain_hosts_are_read_alike() {
        let pieces =
            ["a", "0", "-", ".", ":", "80", "ex", "com", "xn--", "A", "_", "[", "glpat-", "eyJ", "x0", "%"];
        let mut random = crate::context::tests::random();
        with_context(|cx| {
            let mut plain = 0;
            for _ in 0..20_000 {
                let pieces = (0..random(9)).map(|_| pieces[random(pieces.len() as u32) as usize]);
                let text: String = pieces.collect();
                let Some(host) = Host::plain(text.as_bytes()) else { continue };
                let (mut flags, came) = (cx.flags(), Text::request(text.as_bytes(), true));
                scan_characters(came, cx, &mut flags);
                let slow = read_host(came, cx, &mut flags).ok();
                assert!(slow == Some(host) && flags.set.is_empty(), "{text}");
                plain += 1;
            }
            assert!(plain > 500);
        });
    }

    #[test]
    fn invalid_hosts() {
        for (text, flags) in [
            ("", &["BADHOST"][..]),
            ("a_b", &["BADHDRNAME", "BADHOST"]),
            ("a b", &["BADHDRNAME", "BADHOST"]),
            ("u@ex.com", &["BADHDRNAME", "BADHOST"]),
            ("::1", &["BADHDRNAME", "BADHOST"]),
            ("[::1", &["BADHDRNAME", "BADHOST"]),
            ("[::g]", &["BADHOST"]),
            ("ex.com:", &["BADHOST"]),
            ("ex.com:0", &["BADHOST"]),
            ("ex.com:65536", &["BADHOST"]),
            ("ex.com:8o", &["BADHOST"]),
            ("a..b", &["BADHOST"]),
            ("1.2.3", &["BADHOST"]),
            ("0x7f.1", &["BADHOST"]),
            ("256.1.1.1", &["BADHOST"]),
        ] {
            assert_eq!(host(text), (String::new(), flags.to_vec()), "{text}");
        }
    }
}
