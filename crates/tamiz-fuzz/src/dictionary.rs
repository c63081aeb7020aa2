//! The dictionary for libFuzzer: words that it puts into inputs.

use std::collections::BTreeSet;
use std::{fs, io};

use tamiz::{Flag, Shape};

use crate::root;

/// Pieces of requests and documents that random bytes hardly ever give.
const TOKENS: &[&str] = &[
    // Requests.
    "GET ",
    "POST ",
    "CONNECT ",
    "OPTIONS * ",
    " HTTP/1.1\r\n",
    " HTTP/1.0\r\n",
    "\r\n",
    "\r\n\r\n",
    "\r\n ",
    "\r\n\t",
    "\n",
    ": ",
    "http://",
    "https://",
    "//",
    "/../",
    "/./",
    "%2e",
    "%2f",
    "%252e",
    "%00",
    "%u002e",
    "%C0%AF",
    "%EF%BC%8F",
    "&#x",
    "&lt;",
    "&amp;",
    "&#47;",
    "&&",
    "=",
    "?",
    "#",
    ";",
    "@",
    "[::1]",
    ":80",
    "0x7f.1",
    "chunked",
    "gzip",
    "deflate",
    "br",
    "zstd",
    "0\r\n\r\n",
    ";q=0.5",
    "Basic ",
    "Bearer ",
    "eyJ",
    "AKIA",
    "\\u0027",
    "\\x27",
    "xn--",
    "boundary=",
    "--b\r\n",
    "--b--",
    "name=\"a\"",
    "filename*=utf-8''",
    "base64,",
    "<?xml",
    "<!DOCTYPE",
    "<!ENTITY",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "{\"a\":",
    "[[",
    "__proto__",
    "$ne",
    "\u{FDFA}",
    "\u{200B}",
    "\u{202E}",
    "\u{FF0F}",
    "\u{301}",
    "\u{1100}\u{1161}",
    "\u{2028}",
    "\u{feff}",
    // Documents.
    "M:",
    "U:",
    "P:",
    "Q:",
    "KEYS:",
    "KEYS_SORTED:",
    "QK:",
    "FLAGS:[",
    "FAM:",
    "H:",
    "H:?=",
    "HCNT:",
    " HLEN:",
    "B:",
    " BLEN:",
    "BQ:",
    "BK:",
    " PLEN:",
    " PMAX:",
    "@0-15",
    "@16-31",
    "@>1023",
    "<more:",
    "<SECRET:",
    "<len:",
    "<file:",
    "<obj:0>",
    "<arr:0>",
    "<bool:4>",
    "<null:4>",
    "~4.7>",
    "] [",
    ":*]",
];

/// Lists whose first column is worth a place in the dictionary.
const LISTS: &[&str] = &[
    "auth-schemes",
    "credential-prefixes",
    "known-headers",
    "list-headers",
    "query-operators",
    "sensitive-names",
    "url-headers",
    "url-schemes",
    "volatile-headers",
    "command-words",
];

/// Returns the text of the dictionary: an entry a line, sorted.
pub fn text() -> io::Result<String> {
    let mut entries: BTreeSet<String> = TOKENS.iter().map(|&token| token.to_owned()).collect();
    entries.extend(Flag::ALL.iter().map(|flag| flag.name().to_owned()));
    entries.extend(Shape::ALL.iter().map(|shape| format!("<{shape}:")));
    for list in LISTS {
        let text = fs::read_to_string(root().join(format!("spec/lists/{list}.txt")))?;
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        entries.extend(lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned));
    }
    Ok(entries.iter().map(|entry| quoted(entry.as_bytes())).collect())
}

/// A line of a dictionary: printable ASCII as it is, all else as `\xHH`.
fn quoted(entry: &[u8]) -> String {
    let escaped = |&b: &u8| match b {
        b'"' | b'\\' => format!("\\{}", b as char),
        b' '..=b'~' => (b as char).to_string(),
        _ => format!("\\x{b:02X}"),
    };
    format!("\"{}\"\n", entry.iter().map(escaped).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionary_lines_are_quoted() {
        assert_eq!(quoted(b"a\"\\\r\n\xFF"), "\"a\\\"\\\\\\x0D\\x0A\\xFF\"\n");
    }

    #[test]
    fn the_dictionary_has_flags_and_lists() {
        let text = text().unwrap();
        for line in ["\"QUOTE\"", "\"Basic \"", "\"<SECRET:\"", "\"user-agent\""] {
            assert!(text.lines().any(|found| found == line), "{line}");
        }
    }
}
