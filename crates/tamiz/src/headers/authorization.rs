//! `authorization` and `proxy-authorization` (clause 8.19): the scheme and a length, never more.

use crate::bytes;
use crate::decode;
use crate::flags::{Flag, Flags};
use crate::lists::AUTH_SCHEMES;
use crate::show::marker;
use crate::text::Text;

/// No scheme of the closed list is longer.
const LONGEST_SCHEME: usize = 32;

/// The scheme, of the closed list, and the credentials that follow it.
fn cut(text: &[u8]) -> Option<(&'static str, &[u8])> {
    let end = text.iter().take(LONGEST_SCHEME + 1).position(|&b| bytes::is_blank(b)).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    let mut schemes = AUTH_SCHEMES.iter().filter(|scheme| scheme.len() == word.len());
    let scheme = schemes.find(|scheme| word.eq_ignore_ascii_case(scheme.as_bytes()))?;
    Some((scheme, bytes::trim(rest)))
}

const _: () = {
    let mut row = 0;
    while row < AUTH_SCHEMES.len() {
        assert!(AUTH_SCHEMES[row].len() <= LONGEST_SCHEME);
        row += 1;
    }
};

/// Writes the scheme and the length of the credentials. `classes` are those of the bytes of the text.
pub(crate) fn write(text: &[u8], classes: u32, out: &mut Vec<u8>) {
    let (scheme, credentials) = cut(text).unwrap_or(("other", text));
    marker::write_secret(scheme, decode::chars_of(credentials, classes), out);
}

pub(crate) fn raise<'a>(text: Text<'a>, flags: &mut Flags<'a>) {
    match cut(text.bytes) {
        Some(("bearer", _)) => flags.raise(Flag::AuthBearer, text),
        Some(("basic", _)) => flags.raise(Flag::AuthBasic, text),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes() {
        for (text, shown) in [
            ("Bearer abc", "<SECRET:bearer:3>"),
            ("BASIC dXNlcg==", "<SECRET:basic:8>"),
            ("Digest a=b, c=d", "<SECRET:digest:8>"),
            ("Bearer", "<SECRET:bearer:0>"),
            ("hunter2", "<SECRET:other:7>"),
            ("Foo bar", "<SECRET:other:7>"),
            ("", "<SECRET:other:0>"),
        ] {
            let mut out = Vec::new();
            write(text.as_bytes(), bytes::union(text.as_bytes()), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), shown, "{text}");
        }
    }
}
