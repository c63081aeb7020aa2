//! Names of charsets (clause 8.30).

use crate::bytes;

/// Returns whether `charset` is a name of UTF-8, ASCII or Latin-1, quoted or not.
pub(crate) fn is_usual(charset: &[u8]) -> bool {
    const USUAL: [&str; 9] =
        ["utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1"];
    let name = match bytes::trim(charset) {
        [b'"', inside @ .., b'"'] | [b'\'', inside @ .., b'\''] => bytes::trim(inside),
        name => name,
    };
    USUAL.iter().any(|usual| name.eq_ignore_ascii_case(usual.as_bytes()))
}

/// Returns whether `charset` is Latin-1.
pub(crate) fn is_latin1(charset: &[u8]) -> bool {
    const NAMES: [&str; 5] = ["iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1"];
    NAMES.iter().any(|name| charset.eq_ignore_ascii_case(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_charsets() {
        for charset in [
            "utf-8",
            "UTF8",
            "\"utf-8\"",
            "'UTF-8'",
            " us-ascii ",
            "ASCII",
            "ISO-8859-1",
            "iso8859-1",
            "Latin1",
        ] {
            assert!(is_usual(charset.as_bytes()), "{charset}");
        }
        for charset in
            ["", "\"\"", "\"", "utf-7", "utf-16", "ibm037", "windows-1252", "utf-8x", "iso-8859-15"]
        {
            assert!(!is_usual(charset.as_bytes()), "{charset}");
        }
    }
}
