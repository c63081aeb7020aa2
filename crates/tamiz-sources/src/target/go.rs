//! Targets as Go's `net/url` takes them apart and puts them together again.

use super::Told;
use crate::bytes::{cut, cut_last, hex};
use crate::refusal::{Refusal, refuse, require};
use crate::request_line::Cut;

pub(super) fn read(request: &Cut<'_>) -> Result<Told, Refusal> {
    let target = request.target;
    require(!target.iter().any(u8::is_ascii_control), "a control character in the target")?;
    require(!target.is_empty(), "an empty target")?;
    if target == b"*" {
        require(request.method != b"OPTIONS", "a question that the proxy answers itself")?;
        return Ok(Told::kept(target));
    }
    // The target of a CONNECT is an authority, and the path of nothing is a slash.
    let is_authority = request.method == b"CONNECT" && !target.starts_with(b"/");
    let (scheme, rest) = if is_authority { (&b"http"[..], target) } else { scheme(target)? };
    let (hierarchy, query) = match cut(rest, b'?') {
        Some((before, query)) => (before, Some(query)),
        None => (rest, None),
    };
    let authority = if is_authority {
        Some(hierarchy)
    } else {
        hierarchy.strip_prefix(b"//").filter(|_| !scheme.is_empty())
    };
    let (host, path) = match authority {
        Some(after) => {
            let end = after.iter().position(|byte| *byte == b'/').unwrap_or(after.len());
            let (authority, path) = after.split_at_checked(end).unwrap_or((after, b""));
            (Some(host(authority)?), path)
        }
        None => {
            require(hierarchy.starts_with(b"/"), "a target that is no path")?;
            (None, hierarchy)
        }
    };
    let decoded = decode(path)?;
    let mut told = if path.iter().all(|byte| is_valid(*byte)) { path.to_vec() } else { encode(&decoded) };
    if told.is_empty() {
        told.push(b'/');
    }
    if let Some(query) = query {
        told.push(b'?');
        told.extend_from_slice(query);
    }
    Ok(Told { target: told, host: host.filter(|host| !host.is_empty()) })
}

/// The scheme of a target, which may be empty, and what follows it.
fn scheme(target: &[u8]) -> Result<(&[u8], &[u8]), Refusal> {
    for (at, byte) in target.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return refuse("a target without a scheme before its colon"),
            b':' => return Ok(cut(target, b':').unwrap_or((b"", target))),
            _ => break,
        }
    }
    Ok((b"", target))
}

/// The host of an authority, with its port.
fn host(authority: &[u8]) -> Result<Vec<u8>, Refusal> {
    let bad = "a host that is not taken";
    let host = match cut_last(authority, b'@') {
        Some((user, host)) => {
            let is_user = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(byte);
            require(user.iter().all(is_user), "user information that is not taken")?;
            decode(user)?;
            host
        }
        None => authority,
    };
    let port = if host.starts_with(b"[") {
        let Some((_, port)) = cut_last(host, b']') else { return refuse(bad) };
        port
    } else {
        let colon = host.iter().rposition(|byte| *byte == b':').unwrap_or(host.len());
        host.get(colon..).unwrap_or_default()
    };
    let is_port = match port {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    require(is_port, bad)?;
    let mut decoded = Vec::with_capacity(host.len());
    let mut rest = host;
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let (Some(high), Some(low)) = (hex(*high), hex(*low)) else { return refuse(bad) };
                // Only what is not ASCII may be encoded in a host, and the percent sign of a zone.
                let byte = high.wrapping_mul(16).wrapping_add(low);
                require(byte >= 0x80 || byte == b'%', bad)?;
                decoded.push(byte);
                rest = after;
            }
            (byte, _) => {
                let is_host =
                    byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"!$&'()*+,;=:[]<>\"-_.~".contains(byte);
                require(is_host, bad)?;
                decoded.push(*byte);
            }
        }
    }
    Ok(decoded)
}

/// Returns whether a byte of a path may stay as it is.
fn is_valid(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~$&+,/:;=@!'()*[]%".contains(&byte)
}

fn decode(text: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        rest = after;
        let byte = match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let (Some(high), Some(low)) = (hex(*high), hex(*low)) else {
                    return refuse("a % without two digits in the path");
                };
                rest = after;
                high.wrapping_mul(16).wrapping_add(low)
            }
            (b'%', _) => return refuse("a % without two digits in the path"),
            (byte, _) => *byte,
        };
        decoded.push(byte);
    }
    Ok(decoded)
}

fn encode(path: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |value: u8| DIGITS.get(usize::from(value & 15)).copied().unwrap_or_default();
    let mut encoded = Vec::with_capacity(path.len());
    for byte in path {
        if byte.is_ascii_alphanumeric() || b"-._~$&+,/:;=@".contains(byte) {
            encoded.push(*byte);
        } else {
            encoded.extend_from_slice(&[b'%', digit(*byte >> 4), digit(*byte)]);
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(method: &str, target: &[u8]) -> Option<(String, Option<String>)> {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let cut = Cut { method: method.as_bytes(), target, version: None };
        read(&cut).ok().map(|told| (text(told.target), told.host.map(text)))
    }

    #[test]
    fn paths_are_encoded_where_a_byte_is_not_valid() {
        for (target, expected) in [
            (&b"/a%2fb!"[..], "/a%2fb!"),
            (b"/a%2fb\"!", "/a/b%22%21"),
            (b"/\xFF", "/%FF"),
            (b"/a#b?c#d", "/a%23b?c#d"),
            (b"/a?", "/a?"),
            (b"//a/b", "//a/b"),
            (b"*", "*"),
        ] {
            assert_eq!(told("GET", target), Some((expected.to_owned(), None)), "{}", target.escape_ascii());
        }
    }

    #[test]
    fn absolute_targets_tell_their_host() {
        let host = |host: &str| Some(host.to_owned());
        assert_eq!(told("GET", b"http://u:p@EX.com:80/a?b"), Some(("/a?b".to_owned(), host("EX.com:80"))));
        assert_eq!(told("GET", b"http://ex.com"), Some(("/".to_owned(), host("ex.com"))));
        assert_eq!(told("CONNECT", b"ex.com:80"), Some(("/".to_owned(), host("ex.com:80"))));
        for target in
            [&b"http://ex%41.com/"[..], b"http://ex.com:x/", b"ex.com:80", b"a/b", b"/%zz", b"/a b\x01"]
        {
            assert_eq!(told("GET", target), None, "{}", target.escape_ascii());
        }
        assert_eq!(told("OPTIONS", b"*"), None);
    }
}
