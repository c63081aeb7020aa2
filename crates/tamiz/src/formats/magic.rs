//! Determines the type of a file from its first bytes, and compares it with the name (clause 8.35).

use super::file::promise;
use crate::bytes;
use crate::lists::FIRST_BYTES;

/// How many of the first bytes are looked at.
const HEAD: usize = 1024;

/// The type of content by its first bytes: a word of a closed list.
pub(crate) fn magic(content: &[u8]) -> Option<&'static str> {
    let head = content.get(..content.len().min(HEAD)).unwrap_or_default();
    binary_kind(head).or_else(|| text_kind(head))
}

/// Programs, archives, pictures, sounds: what is not text.
fn binary_kind(head: &[u8]) -> Option<&'static str> {
    let row = FIRST_BYTES.iter().find(|(_, pattern, condition)| match *condition {
        "" => after(head, pattern).is_some(),
        "nul" => after(head, pattern).is_some_and(|rest| rest.iter().take(64).any(|byte| *byte == 0)),
        offset => offset.parse().ok().and_then(|offset: usize| after(head.get(offset..)?, pattern)).is_some(),
    });
    row.map(|(kind, ..)| *kind)
}

/// The rest of `text` after a pattern of hexadecimal digits and `..`.
fn after<'t>(text: &'t [u8], pattern: &str) -> Option<&'t [u8]> {
    let (pattern, _) = pattern.as_bytes().as_chunks::<2>();
    let (first, rest) = text.split_at_checked(pattern.len())?;
    let fits = |(byte, [high, low]): (&u8, &[u8; 2])| high == &b'.' || bytes::hex(*byte) == [*high, *low];
    first.iter().zip(pattern).all(fits).then_some(rest)
}

/// Programs and markup, by how they begin.
fn text_kind(head: &[u8]) -> Option<&'static str> {
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    if text.starts_with(b"#!") {
        return Some("shell");
    }
    let text = text.trim_ascii_start();
    let starts =
        |with: &str| text.get(..with.len()).is_some_and(|first| first.eq_ignore_ascii_case(with.as_bytes()));
    let is_any = |of: &[&str]| of.iter().any(|with| starts(with));
    match text {
        [b'<', b'?', b'=' | b' ' | b'\t' | b'\r' | b'\n', ..] => Some("php"),
        [b'<', b'%', ..] => Some("asp"),
        _ if starts("<?php") => Some("php"),
        _ if is_any(&["<svg", "<!doctype svg"]) => Some("svg"),
        _ if starts("<?xml") && bytes::find_ignore_case(text, b"<svg").is_some() => Some("svg"),
        _ if starts("<?xml") => Some("xml"),
        _ if is_any(&["<!doctype html", "<html", "<head", "<body", "<script"]) => Some("html"),
        _ => None,
    }
}

/// `MAGIC`: whether the extension of a name promises other content than `kind`.
pub(crate) fn contradicts(kind: &str, name: &[u8]) -> bool {
    let is_markup = matches!(kind, "html" | "svg" | "xml");
    match promise(name) {
        "" => false,
        "text" => !is_markup,
        "code" => !is_markup && !matches!(kind, "php" | "asp" | "shell"),
        promised => promised.split(',').all(|promised| promised != kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::FILE_EXTENSIONS;

    #[test]
    fn every_promise_can_be_kept() {
        for (word, promised) in FILE_EXTENSIONS {
            for kind in promised.split(',').filter(|kind| !kind.is_empty()) {
                let is_known = FIRST_BYTES.iter().any(|(known, ..)| *known == kind);
                assert!(is_known || matches!(kind, "html" | "xml" | "text" | "code"), "{word}: {kind}");
            }
        }
    }

    #[test]
    fn a_zero_is_looked_for_in_64_bytes() {
        let program = |letters: usize| [b"MZ", &b"x".repeat(letters)[..], b"\0"].concat();
        assert_eq!(magic(&program(63)), Some("pe"));
        assert_eq!(magic(&program(64)), None);
    }

    #[test]
    fn every_row_tells_its_kind() {
        for (kind, pattern, condition) in FIRST_BYTES {
            let offset = condition.parse().unwrap_or(0);
            assert!(matches!(*condition, "" | "nul") || offset > 0, "{kind} {condition}");
            let mut content = vec![b'a'; offset];
            for pair in pattern.as_bytes().chunks(2) {
                let byte = match pair {
                    b".." => b'x',
                    [high, low] => bytes::escape(&[b'%', *high, *low]).unwrap(),
                    _ => panic!("{kind} {pattern}"),
                };
                assert!(!pair.iter().any(u8::is_ascii_lowercase), "{kind} {pattern}");
                content.push(byte);
            }
            let short = content.len() - 1;
            assert_eq!(magic(&content[..short]), None, "{kind}");
            if *condition == "nul" {
                assert_eq!(magic(&content), None, "{kind}");
                content.push(0);
            }
            assert_eq!(magic(&content), Some(*kind), "{kind} {pattern}");
        }
    }

    #[test]
    fn kinds_by_first_bytes() {
        let mut tar = vec![b'a'; 257];
        tar.extend_from_slice(b"ustar\x0000");
        for (content, kind) in [
            (&b"MZ\x90\0"[..], Some("pe")),
            (b"MZ is a name", None),
            (b"BM\x36\0\0\0\0\0\0\0", Some("bmp")),
            (b"BMW", None),
            (b"\x7FELF\x02", Some("elf")),
            (b"\xCA\xFE\xBA\xBE\0", Some("class")),
            (b"<?php echo 1;", Some("php")),
            (b"\r\n <?PHP", Some("php")),
            (b"<?=1", Some("php")),
            (b"<? echo", Some("php")),
            (b"<%@ page", Some("asp")),
            (b"#!/bin/sh", Some("shell")),
            (b" #!/bin/sh", None),
            (b"\xEF\xBB\xBF<?xml version='1.0'?>\n<a/>", Some("xml")),
            (b"<?xml version='1.0'?>\n<SVG>", Some("svg")),
            (b"<svg onload=1>", Some("svg")),
            (b"<!DOCTYPE HTML>", Some("html")),
            (b"<Script>", Some("html")),
            (b"<a>", None),
            (b"%PDF-1.7", Some("pdf")),
            (b"PK\x03\x04", Some("zip")),
            (b"\x1F\x8B\x08", Some("gzip")),
            (b"\x89PNG\r\n\x1A\n", Some("png")),
            (b"\xFF\xD8\xFF\xE0", Some("jpeg")),
            (b"GIF89a;<?php", Some("gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("webp")),
            (b"RIFF\0\0\0\0WAVEfmt ", Some("wav")),
            (b"RIFF\0\0\0\0XXXX", None),
            (b"\0\0\0\x20ftypisom", Some("mp4")),
            (b"ID3\x04\0", Some("mp3")),
            (b"ID3 tags", None),
            (b"SQLite format 3\0", Some("sqlite")),
            (b"\xFF\xFEa\0", None),
            (b"hello", None),
            (b"", None),
            (b"M", None),
            (&tar, Some("tar")),
        ] {
            assert_eq!(magic(content), kind, "{}", content.escape_ascii());
        }
        let blanks = vec![b' '; 1 << 20];
        assert_eq!(magic(&blanks), None);
    }

    #[test]
    fn what_extensions_promise() {
        for (kind, name) in [
            ("pe", "a.png"),
            ("php", "a.gif"),
            ("html", "a.jpg"),
            ("jpeg", "a.png"),
            ("svg", "a.png"),
            ("pe", "a.txt"),
            ("php", "a.txt"),
            ("shell", "a.csv"),
            ("asp", "a.html"),
            ("zip", "a.json"),
            ("zip", "a.pdf"),
            ("php", "a.zip"),
            ("gif", "a.php"),
            ("elf", "a.sh"),
            ("pdf", "a.docx"),
            ("pe", "a.jpg::$DATA"),
            ("pe", "a.php.JPG"),
        ] {
            assert!(contradicts(kind, name.as_bytes()), "{kind} {name}");
        }
        for (kind, name) in [
            ("pe", "a.exe"),
            ("pe", "a"),
            ("pe", ""),
            ("pe", "a.xyz"),
            ("pe", "png"),
            ("php", "a.php"),
            ("php", "a.php\0.jpg"),
            ("shell", "a.py"),
            ("zip", "a.docx"),
            ("ole", "a.docx"),
            ("zip", "a.jar"),
            ("zip", "a.epub"),
            ("html", "a.txt"),
            ("svg", "a.svg"),
            ("xml", "a.svg"),
            ("xml", "a.html"),
            ("html", "a.xls"),
            ("jpeg", "a.JPG"),
            ("gzip", "a.tar.gz"),
            ("mp4", "a.heic"),
        ] {
            assert!(!contradicts(kind, name.as_bytes()), "{kind} {name}");
        }
    }
}
