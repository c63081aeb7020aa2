//! `RFI` (clause 7.6.2): values and bare keys that are all URL, written as remote inclusions are.

use super::{Kind, Scan};
use crate::bytes::{self, ALPHA, COLON, CONTROL, SPACE};
use crate::flags::{Flag, Flags};

/// Schemes that scripts include from.
const SCHEMES: [&str; 5] = ["file", "ftp", "ftps", "http", "https"];

/// Raises `RFI` of a value, or of a key without one, of which being a URL is enough.
pub(super) fn flag<'a>(scan: &Scan<'a>, flags: &mut Flags<'a>) {
    let text = scan.text.bytes;
    let is_value = matches!(scan.kind, Kind::Value | Kind::Form | Kind::Leaf | Kind::Cookie);
    if (is_value || scan.is_bare_key)
        && scan.classes & (SPACE | CONTROL) == 0
        && (is_odd(text) || scan.is_bare_key && scan.classes & COLON != 0 && is_url(text))
    {
        scan.raise(Flag::Rfi, 0..text.len(), flags);
    }
}

fn is_url(text: &[u8]) -> bool {
    cut(text).is_some_and(|(_, rest)| rest.starts_with(b"://"))
}

/// The scheme that a text begins with, and what follows it.
fn cut(text: &[u8]) -> Option<(&[u8], &[u8])> {
    if !matches!(text.first(), Some(b'f' | b'F' | b'h' | b'H')) {
        return None;
    }
    let len = text.iter().take(6).take_while(|&&b| bytes::is(b, ALPHA)).count();
    let (scheme, rest) = text.split_at_checked(len)?;
    SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known.as_bytes())).then_some((scheme, rest))
}

fn is_odd(text: &[u8]) -> bool {
    let Some((scheme, rest)) = cut(text) else { return false };
    let is_url = rest.starts_with(b"://");
    let has = |is: fn(&u8) -> bool| scheme.iter().any(is);
    let is_mixed = is_url && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let ends_in_mark = || {
        bytes::position(b'?', rest).is_some_and(|at| {
            let marks = rest.get(at..).unwrap_or_default();
            (is_url || at == 0) && marks.iter().all(|&b| b == b'?')
        })
    };
    is_mixed || ends_in_mark()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_urls() {
        for text in ["hTTp://a", "Http://a/b", "http://a/b?", "https://a/??", "http?", "FTP?", "file:///etc?"]
        {
            assert!(is_odd(text.as_bytes()), "{text}");
        }
        for text in [
            "http://a",
            "HTTP://a",
            "http://a/?b",
            "http://a/?b?",
            "http:?",
            "httpx?",
            "what?",
            "Http:a",
            "",
            "xhttp?",
        ] {
            assert!(!is_odd(text.as_bytes()), "{text}");
        }
    }
}
