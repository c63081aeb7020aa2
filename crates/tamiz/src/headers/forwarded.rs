//! Client addresses (clauses 8.20 and 8.21): `x-forwarded-for`, `forwarded` and the headers with one address.

use std::net::IpAddr;

use crate::address::is_private;
use crate::bytes;

use super::parameters::split_unquoted;

const WORDS: [&str; 5] = ["ipv4", "ipv6", "private", "unknown", "invalid"];

/// The word an address is shown as.
fn classify(text: &[u8]) -> &'static str {
    let text = unquoted(bytes::trim(text));
    if matches!(text, [b'_', ..]) || text.eq_ignore_ascii_case(b"unknown") {
        return "unknown";
    }
    // The form's own words stay.
    if let Some(word) = WORDS.iter().find(|word| text == word.as_bytes()) {
        return word;
    }
    match address(text) {
        Some(address) if is_private(address) => "private",
        Some(IpAddr::V4(_)) => "ipv4",
        Some(IpAddr::V6(_)) => "ipv6",
        None => "invalid",
    }
}

fn unquoted(text: &[u8]) -> &[u8] {
    match text {
        [b'"', inside @ .., b'"'] => inside,
        _ => text,
    }
}

/// An address, perhaps with a port: `192.0.2.1:80`, `[2001:db8::1]:80`, `2001:db8::1`.
fn address(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?;
    if let Some(rest) = text.strip_prefix('[') {
        let (inside, port) = rest.split_once(']')?;
        let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        return is_port.then(|| inside.parse().ok().map(IpAddr::V6)).flatten();
    }
    text.parse().ok().or_else(|| {
        let (host, port) = text.split_once(':')?;
        is_port(port).then(|| host.parse().ok().map(IpAddr::V4)).flatten()
    })
}

/// RFC 7239: a port, or an obfuscated one.
fn is_port(text: &str) -> bool {
    text.starts_with('_') || text.parse::<u16>().is_ok()
}

/// `x-forwarded-for`.
pub(crate) fn write_list(text: &[u8], out: &mut Vec<u8>) {
    write_words(text.split(|&b| b == b',').map(classify), out);
}

/// `forwarded`: one word an element, by its `for=`.
pub(crate) fn write(text: &[u8], out: &mut Vec<u8>) {
    let words = split_unquoted(text, b',').map(|element| {
        if let Some(word) = WORDS.iter().find(|word| word.as_bytes() == bytes::trim(element)) {
            return *word;
        }
        split_unquoted(element, b';')
            .find_map(|pair| {
                let (name, value) = bytes::trim(pair).split_at_checked(4)?;
                name.eq_ignore_ascii_case(b"for=").then(|| classify(value))
            })
            .unwrap_or("unknown")
    });
    write_words(words, out);
}

/// A header with one address.
pub(crate) fn write_address(text: &[u8], out: &mut Vec<u8>) {
    write_words(std::iter::once(classify(text)), out);
}

fn write_words(words: impl Iterator<Item = &'static str>, out: &mut Vec<u8>) {
    for (i, word) in words.enumerate() {
        if i > 0 {
            out.push(b',');
        }
        out.extend_from_slice(word.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let written = |write: fn(&[u8], &mut Vec<u8>), text: &str| {
            let mut out = Vec::new();
            write(text.as_bytes(), &mut out);
            String::from_utf8(out).unwrap()
        };
        for (text, shown) in [
            ("203.0.113.1, 10.0.0.1, 198.51.100.2:443", "ipv4,private,ipv4"),
            ("2001:db8::1, [2001:db8::2]:80, ::1, fe80::1", "ipv6,ipv6,private,private"),
            ("unknown, _hidden, nonsense, 100.64.0.1", "unknown,unknown,invalid,private"),
            ("::ffff:10.0.0.1", "private"),
            ("", "invalid"),
        ] {
            assert_eq!(written(write_list, text), shown, "{text}");
            assert_eq!(written(write_list, shown), shown, "its own output stays: {text}");
        }
        for (text, shown) in [
            ("for=192.0.2.60;proto=http;by=203.0.113.43", "ipv4"),
            ("For=\"[2001:db8:cafe::17]:4711\", for=10.0.0.1", "ipv6,private"),
            ("proto=https, for=\"_a,b\"", "unknown,unknown"),
        ] {
            assert_eq!(written(write, text), shown, "{text}");
            assert_eq!(written(write, shown), shown, "its own output stays: {text}");
        }
    }
}
