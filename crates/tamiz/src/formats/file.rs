//! The names of files in a multipart body (clause 8.35): how one is shown, and whether it runs.

use std::cmp::Ordering;

use crate::bytes;
use crate::decode::GUARD;
use crate::lists::{EXECUTABLE_EXTENSIONS, FILE_EXTENSIONS};
use crate::show::marker::{number, push};

/// Writes `<file:len:ext>`.
pub(crate) fn write_marker(name: &[u8], len: usize, out: &mut Vec<u8>) {
    push(out, "<file:");
    number(out, len as u64);
    out.push(b':');
    extensions(name).write(out);
    out.push(b'>');
}

/// The extensions of a name that are shown: words of a closed list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extensions {
    before_last: Option<&'static str>,
    last: Option<&'static str>,
}

impl Extensions {
    /// Writes `tar.gz`, `jpg`, `php.other` or `other`.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        if let Some(before_last) = self.before_last {
            push(out, before_last);
            out.push(b'.');
        }
        push(out, self.last.unwrap_or("other"));
    }
}

/// The last two extensions of a repaired file name, as far as they are known.
pub(crate) fn extensions(name: &[u8]) -> Extensions {
    let (before_last, last) = last_two(name);
    let known = |piece: Option<&[u8]>| piece.and_then(find).map(|(name, _)| name);
    Extensions { before_last: known(before_last), last: known(last) }
}

/// The texts after the last dot but one, and after the last. Before the first dot is the name itself.
fn last_two(name: &[u8]) -> (Option<&[u8]>, Option<&[u8]>) {
    let mut pieces = base(opened(name)).rsplit(|byte| *byte == b'.');
    let (last, before_last, third) = (pieces.next(), pieces.next(), pieces.next());
    (third.and(before_last), before_last.and(last))
}

/// The kinds of content that the extension of a name promises, as its list has them; none where it is not
/// known.
pub(crate) fn promise(name: &[u8]) -> &'static str {
    last_two(name).1.and_then(find).map_or("", |(_, promised)| promised)
}

/// The row of an extension, and the kinds that it promises.
fn find(extension: &[u8]) -> Option<(&'static str, &'static str)> {
    let at = FILE_EXTENSIONS.binary_search_by(|(name, _)| compare(name, extension)).ok()?;
    FILE_EXTENSIONS.get(at).copied()
}

/// Compares a word of a list, which is lower-case, with text in any case.
fn compare(word: &str, text: &[u8]) -> Ordering {
    word.bytes().cmp(text.iter().map(u8::to_ascii_lowercase))
}

/// The part of a name that reaches the file system: up to a NUL, and without the name of the main stream.
fn opened(name: &[u8]) -> &[u8] {
    let ends = [
        bytes::position(0, name),
        memchr::memmem::find(name, &[GUARD, b'0', b'0']),
        bytes::find_ignore_case(name, b"::$data"),
    ];
    let end = ends.into_iter().flatten().min().unwrap_or(name.len());
    name.get(..end).unwrap_or_default()
}

/// A name without the folders before it, and without what file systems drop at its end: dots, blanks and
/// slashes.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
fn base(name: &[u8]) -> &[u8] {
    let mut base = name;
    while let [rest @ .., b'.' | b' ' | b'/' | b'\\'] = base {
        base = rest;
    }
    let folder = memchr::memrchr2(b'/', b'\\', base).map_or(0, |at| at + 1);
    base.get(folder..).unwrap_or_default()
}

/// `EXECEXT`: whether something may run or obey a file of this name, in any of the ways in which servers
/// and file systems take names apart.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
pub(crate) fn is_executable(name: &[u8]) -> bool {
    [opened(name), name].into_iter().map(base).any(|base| {
        let mut start = 0;
        base.split(|byte| *byte == b'.').any(|piece| {
            let at = start;
            start += piece.len() + 1;
            // Blanks after a dot are dropped by some and hide the extension from others.
            let blanks = piece.iter().take_while(|&&byte| byte == b' ').count();
            let extension = extension(piece.get(blanks..).unwrap_or_default());
            let end = blanks + extension.len();
            let is_end = end < piece.len() || at + piece.len() == base.len();
            let before = base.get(..at + if blanks == 0 { end } else { 0 }).unwrap_or_default();
            // Before the first dot is the name itself.
            at > 0
                && (is_executable_anywhere(extension)
                    || is_end && (is_executable_last(before) || is_last(extension)))
        })
    })
}

fn is_executable_anywhere(extension: &[u8]) -> bool {
    let found = EXECUTABLE_EXTENSIONS.binary_search_by(|(word, _)| compare(word, extension)).ok();
    found.and_then(|at| EXECUTABLE_EXTENSIONS.get(at)).is_some_and(|(_, place)| place.is_empty())
}

/// Returns whether an extension alone is one that counts at the end of a name.
fn is_last(extension: &[u8]) -> bool {
    EXECUTABLE_EXTENSIONS.iter().any(|(word, place)| *place == "last" && compare(word, extension).is_eq())
}

fn is_executable_last(base: &[u8]) -> bool {
    EXECUTABLE_EXTENSIONS.iter().filter(|(_, place)| *place == "last").any(|(word, _)| {
        let cut = base.len().checked_sub(word.len()).and_then(|at| base.split_at_checked(at));
        cut.is_some_and(|(before, end)| before.ends_with(b".") && compare(word, end).is_eq())
    })
}

/// The extension that a piece between dots has where a `;`, `:`, blank, control, escape or stray byte ends it:
/// `php` of `php;`, of `php::$DATA`, of `php%00`.
fn extension(piece: &[u8]) -> &[u8] {
    let ends = |byte: &u8| matches!(*byte, b';' | b':' | b'%' | b' ' | GUARD) || byte.is_ascii_control();
    piece.get(..piece.iter().position(ends).unwrap_or(piece.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &[u8]) -> String {
        let mut out = Vec::new();
        extensions(name).write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lists_can_be_searched() {
        assert!(FILE_EXTENSIONS.is_sorted());
        assert!(EXECUTABLE_EXTENSIONS.is_sorted());
        let words = FILE_EXTENSIONS.iter().chain(EXECUTABLE_EXTENSIONS).map(|(word, _)| word);
        assert!(words.clone().all(|word| !word.bytes().any(|byte| byte.is_ascii_uppercase())));
        for (word, place) in EXECUTABLE_EXTENSIONS {
            assert!(matches!(*place, "" | "last"), "{word}");
            assert!(word.contains('.') || find(word.as_bytes()).is_some(), "{word} is shown");
        }
    }

    #[test]
    fn extensions_of_names() {
        for (name, extensions) in [
            (&b"a.tar.gz"[..], "tar.gz"),
            (b"photo.JPG", "jpg"),
            (b"a.php.xyz", "php.other"),
            (b"a.xyz.jpg", "jpg"),
            (b"a.PHP.Jpg", "php.jpg"),
            (b"a.xyz.zyx", "other"),
            (b"a", "other"),
            (b"", "other"),
            (b".", "other"),
            (b"jpg", "other"),
            (b"jpg.png", "png"),
            (b".htaccess", "htaccess"),
            (b".tar.gz", "tar.gz"),
            (b"a.b.c.tar.gz", "tar.gz"),
            (b"a.jpg. . ", "jpg"),
            (b"C:\\dir.php\\a.txt", "txt"),
            (b"/x.php/a", "other"),
            (b"a.php/.", "php"),
            (b"a.php\0.jpg", "php"),
            (b"a.php\xFF00.jpg", "php"),
            (b"a.php::$DATA", "php"),
            (b"a.php::$Data.jpg", "php"),
            (b"a.\xFFE9", "other"),
            (b"a..jpg", "jpg"),
        ] {
            assert_eq!(shown(name), extensions, "{}", name.escape_ascii());
        }
    }

    #[test]
    fn markers() {
        let mut out = Vec::new();
        write_marker(b"backup.tar.gz", 1234, &mut out);
        write_marker(b"", 0, &mut out);
        assert_eq!(out, b"<file:1234:tar.gz><file:0:other>");
    }

    #[test]
    fn executable_names() {
        for name in [
            &b"a.php"[..],
            b"a.PhP5",
            b"a.php.jpg",
            b"a.php.b.c.d.jpg",
            b"a.php.",
            b"a.php ",
            b"a.php. . .",
            b"a.php;.jpg",
            b"a.asp;a.jpg",
            b"a.php\0.jpg",
            b"a.php\xFF00.jpg",
            b"a.php%00.jpg",
            b"a.php%20",
            b"a.php%0a.jpg",
            b"a.php\n.jpg",
            b"a.php:.jpg",
            b"a.php::$DATA",
            b"a.php::$DATA.jpg",
            b"a.php/.",
            b"a.php/",
            b"a.php\0/b.jpg",
            b"b.jpg\0/a.php",
            b"../../a.jsp",
            b"C:\\dir\\a.exe",
            b".htaccess",
            b".user.ini",
            b"web.config",
            b"web.config::$DATA",
            b"web.config%00.jpg",
            b"a.com",
            b"a.COM.",
            b"lib.so.1",
            b"a.shtml",
            b"a.phar",
            b"a.php\xFFE9",
        ] {
            assert!(is_executable(name), "{}", name.escape_ascii());
        }
        for name in [
            &b""[..],
            b"php",
            b"exe",
            b"config",
            b"photo.jpg",
            b"a.txt",
            b"a.js",
            b"a.svg",
            b"php.txt",
            b"a.phpx",
            b"a.xphp",
            b"example.com.pdf",
            b"app.config.json",
            b"www.example.php/photo.jpg",
            b"settings.ini",
            b"a.tar.gz",
        ] {
            assert!(!is_executable(name), "{}", name.escape_ascii());
        }
    }
}
