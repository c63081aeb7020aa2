//! URLs as programs keep them, cut where a request would cut them. Nothing is decoded or checked.

use crate::record::Parts;

/// Puts a URL where a request has its parts: scheme and authority if it has them, the rest as target.
pub(crate) fn put(url: &[u8], parts: &mut Parts) {
    let Some((scheme, rest)) = split_scheme(url) else {
        parts.target = url.to_vec();
        return;
    };
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at_checked(end).unwrap_or((rest, b""));
    parts.scheme = Some(scheme.to_ascii_lowercase());
    parts.authority = Some(authority.to_vec());
    parts.target = if rest.starts_with(b"/") { rest.to_vec() } else { [b"/", rest].concat() };
}

/// A URL without what a browser keeps to itself.
pub(crate) fn without_fragment(url: &[u8]) -> &[u8] {
    url.iter().position(|byte| *byte == b'#').and_then(|end| url.get(..end)).unwrap_or(url)
}

fn split_scheme(url: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memmem::find(url, b"://")?;
    let scheme = url.get(..at)?;
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
    Some((scheme, url.get(at.saturating_add(3)..)?)).filter(|_| is_scheme)
}

/// A version in any of its spellings as `HTTP/…`; `None` for what is none.
pub(crate) fn version(text: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    // Front Door writes `2.0.0.0`.
    let number = match text.to_ascii_lowercase().as_str() {
        "h2" | "h2c" | "http/2" | "http/2.0" | "2" | "2.0" | "2.0.0.0" => "2",
        "h3" | "http/3" | "http/3.0" | "3" | "3.0" | "3.0.0.0" | "quic" => "3",
        "1.1" | "1.1.0.0" | "http/1.1" => "1.1",
        "1.0" | "1.0.0.0" | "http/1.0" => "1.0",
        "0.9" | "http/0.9" => "0.9",
        other if other.starts_with("http/") => return Some(text.as_bytes().to_vec()),
        _ => return None,
    };
    Some(format!("HTTP/{number}").into_bytes())
}

/// Adds a name, and a value if there is one, to a form.
pub(crate) fn add_to_form(name: &str, value: Option<&str>, form: &mut Vec<u8>) {
    if !form.is_empty() {
        form.push(b'&');
    }
    encode(name, form);
    if let Some(value) = value {
        form.push(b'=');
        encode(value, form);
    }
}

/// Writes text as a form has it. What is there as an escape stays one: exporters differ.
fn encode(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b' ' => out.push(b'+'),
            b'&' | b'=' | b'#' | b'+' | 0..0x20 | 0x7F.. => {
                out.extend_from_slice(format!("%{byte:02X}").as_bytes());
            }
            _ => out.push(byte),
        }
    }
}

/// Writes text with all but letters, digits and `-._~` as escapes.
pub(crate) fn add_escaped(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte);
        } else {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_cut() {
        for (url, scheme, authority, target) in [
            ("https://a.b:1/c?d#e", Some("https"), Some("a.b:1"), "/c?d#e"),
            ("HTTP://a", Some("http"), Some("a"), "/"),
            ("http://a?b", Some("http"), Some("a"), "/?b"),
            ("/c?u=http://x/", None, None, "/c?u=http://x/"),
            ("//a/b", None, None, "//a/b"),
            ("data:x", None, None, "data:x"),
            ("", None, None, ""),
        ] {
            let mut parts = Parts::default();
            put(url.as_bytes(), &mut parts);
            assert_eq!(parts.scheme.as_deref(), scheme.map(str::as_bytes), "{url}");
            assert_eq!(parts.authority.as_deref(), authority.map(str::as_bytes), "{url}");
            assert_eq!(parts.target, target.as_bytes(), "{url}");
        }
        assert_eq!(without_fragment(b"/a#b#c"), b"/a");
        assert_eq!(without_fragment(b"/a"), b"/a");
    }

    #[test]
    fn versions_are_spelt_alike() {
        assert_eq!(version("h2").unwrap(), b"HTTP/2");
        assert_eq!(version("1.1").unwrap(), b"HTTP/1.1");
        assert_eq!(version("HTTP/1.2").unwrap(), b"HTTP/1.2");
        assert_eq!((version("unknown"), version("")), (None, None));
    }
}
