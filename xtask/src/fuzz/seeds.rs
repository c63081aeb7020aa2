//! What the fuzzer starts from: seeds made of the vectors, and a dictionary.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tamiz::{Flag, Shape};

use crate::Result;
use crate::vectors::{self, Vector};

/// How many canonicalizers the first byte of an input chooses from (`fuzz/src/lib.rs`).
const CHOICES: usize = 12;

/// Names of seeds begin with this: those of vectors that are gone are taken away.
const PREFIX: &str = "seed-";

/// Writes the seeds of a target to its corpus.
pub(super) fn write_seeds(root: &Path, target: &str) -> Result<()> {
    let folder = root.join("fuzz/corpus").join(target);
    fs::create_dir_all(&folder)?;
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX)) {
            fs::remove_file(path)?;
        }
    }
    for (at, vector) in vectors::all(root)?.iter().enumerate() {
        if let Some(seed) = seed(target, vector, at) {
            fs::write(folder.join(format!("{PREFIX}{}", vector.name.replace('/', "-"))), seed)?;
        }
    }
    Ok(())
}

/// The input of a target that a vector makes; the choosing bytes go round.
fn seed(target: &str, vector: &Vector, at: usize) -> Option<Vec<u8>> {
    let choice = u8::try_from(at % CHOICES).ok()?;
    match target {
        "document_parse" => Some(vector.document.clone().into_bytes()),
        "parts" => Some(parts(choice, &vector.request)),
        "body" => body(choice, vector),
        "containers" => Some([&[choice, 1], vector.request.as_slice()].concat()),
        _ => Some([&[choice], vector.request.as_slice()].concat()),
    }
}

/// Fields behind their lengths, as `fuzz_targets/parts.rs` reads them.
fn parts(choice: u8, request: &[u8]) -> Vec<u8> {
    let (head, body) = split(request, b"\r\n\r\n");
    let (line, headers) = split(head, b"\r\n");
    let mut words = line.splitn(3, |&b| b == b' ');
    let mut next = || words.next().unwrap_or_default();
    let (method, target, version) = (next(), next(), next());
    let mut out = vec![choice, 0b1111];
    for field in [method, target, &b"https"[..], b"ex.com", version, body] {
        put(&mut out, field);
    }
    for header in headers.split(|&b| b == b'\n').filter(|header| !header.is_empty()) {
        let (name, value) = split(header, b": ");
        put(&mut out, name);
        put(&mut out, value.strip_suffix(b"\r").unwrap_or(value));
    }
    out
}

fn put(out: &mut Vec<u8>, field: &[u8]) {
    let len = u16::try_from(field.len()).unwrap_or(u16::MAX);
    out.extend(len.to_le_bytes());
    out.extend(field.iter().take(usize::from(len)));
}

/// A body behind the bytes that choose its type, as `fuzz_targets/body.rs` reads them.
fn body(choice: u8, vector: &Vector) -> Option<Vec<u8>> {
    let (_, body) = split(&vector.request, b"\r\n\r\n");
    let line = vector.document.lines().find_map(|line| line.strip_prefix("B:"))?;
    let content_type = match line.split(' ').next()? {
        "form" => 0,
        "json" => 1,
        // Without a boundary, the first line of the body tells it.
        "multipart" => 8,
        "xml" => 3,
        "text" => 4,
        _ => 5,
    };
    Some([&[choice, content_type, 0], body].concat())
}

fn split<'a>(text: &'a [u8], at: &[u8]) -> (&'a [u8], &'a [u8]) {
    match text.windows(at.len()).position(|window| window == at) {
        Some(found) => (&text[..found], &text[found + at.len()..]),
        None => (text, &[]),
    }
}

/// What inputs are made of that chance would not write.
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

/// Writes `fuzz/dictionary.txt`.
pub(super) fn write_dictionary(root: &Path) -> Result<()> {
    let mut entries: BTreeSet<String> = TOKENS.iter().map(|&token| token.to_owned()).collect();
    for flag in Flag::ALL {
        entries.insert(flag.name().to_owned());
    }
    for shape in Shape::ALL {
        entries.insert(format!("<{shape}:"));
    }
    for list in LISTS {
        let text = fs::read_to_string(root.join(format!("spec/lists/{list}.txt")))
            .map_err(|error| format!("spec/lists/{list}.txt: {error}"))?;
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        entries.extend(lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned));
    }
    let text: String = entries.iter().map(|entry| quoted(entry.as_bytes())).collect();
    Ok(fs::write(root.join("fuzz/dictionary.txt"), text)?)
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
    fn seeds_are_inputs_of_their_targets() {
        let vector = Vector {
            name: "a/b".to_owned(),
            request: b"POST /a HTTP/1.1\r\nHost: ex.com\r\n\r\nb=1".to_vec(),
            document: "M:POST\nB:form BLEN:3@0-15\n".to_owned(),
        };
        assert_eq!(seed("body", &vector, 13).unwrap(), b"\x01\0\0b=1");
        assert!(seed("request", &vector, 2).unwrap().starts_with(b"\x02POST /a"));
        assert_eq!(seed("document_parse", &vector, 2).unwrap(), vector.document.as_bytes());
        let parts = seed("parts", &vector, 3).unwrap();
        assert!(parts.starts_with(b"\x03\x0F\x04\0POST\x02\0/a\x05\0https"));
        assert!(parts.ends_with(b"\x08\0HTTP/1.1\x03\0b=1\x04\0Host\x06\0ex.com"));
    }
}
