//! Names of files (8.35).

use crate::chars::{self, Char, Text};
use crate::lists;
use crate::multipart;
use crate::scan::Flags;

/// `EXECEXT` of a header that names a file.
pub(crate) fn header_flags(value: &[Char]) -> Flags {
    let filename = |name: &[Char]| ["filename", "filename*"].iter().any(|known| name == chars::text(known));
    let parameter = multipart::parameters(value, &mut Flags::new())
        .into_iter()
        .find(|parameter| filename(&chars::lower(&parameter.name)) && parameter.has_value);
    let name = parameter.map_or_else(|| value.to_vec(), |parameter| parameter.value);
    let mut flags = Flags::new();
    if is_executable(&name) {
        flags.insert("EXECEXT".into());
    }
    flags
}

/// A name without what NUL and `::$DATA` cut off, and what stands at its end.
fn cut_name(name: &[Char]) -> Text {
    let nul = chars::find(name, '\0').unwrap_or(name.len());
    let data =
        (0..name.len()).find(|at| chars::begins_ignoring_case(&name[*at..], "::$DATA")).unwrap_or(name.len());
    trim_end(&name[..nul.min(data)])
}

fn trim_end(name: &[Char]) -> Text {
    let end =
        name.iter().rposition(|c| !matches!(c, Char::Plain('.' | ' ' | '/' | '\\'))).map_or(0, |at| at + 1);
    name[..end].to_vec()
}

fn base(name: &[Char]) -> Text {
    let from = name.iter().rposition(|c| matches!(c, Char::Plain('/' | '\\'))).map_or(0, |at| at + 1);
    name[from..].to_vec()
}

fn without_leading_spaces(part: &[Char]) -> Text {
    part.iter().skip_while(|c| **c == Char::Plain(' ')).copied().collect()
}

/// Returns whether a name has an executable extension (`EXECEXT`).
pub(crate) fn is_executable(name: &[Char]) -> bool {
    [cut_name(name), trim_end(name)].iter().any(|name| {
        let base = chars::lower(&base(name));
        let parts: Vec<Text> =
            chars::split(&base, '.').iter().map(|part| without_leading_spaces(part)).collect();
        let base = parts.join(&Char::Plain('.'));
        parts.iter().enumerate().skip(1).any(|(at, extension)| {
            let end = extension
                .iter()
                .position(|c| match c {
                    Char::Plain(c) => ";:% ".contains(*c) || chars::is_control(*c),
                    _ => true,
                })
                .unwrap_or(extension.len());
            let last = at + 1 == parts.len() || end < extension.len();
            let before =
                &base[..base.len() - parts[at + 1..].iter().map(|part| part.len() + 1).sum::<usize>()];
            let shown = &before[..before.len() - (extension.len() - end)];
            lists::executable_extensions().any(|line| {
                let (entry, mark) = line.split_once(' ').unwrap_or((line, ""));
                let dotted = chars::text(&format!(".{entry}"));
                shown.ends_with(&dotted) && (mark != "last" || last)
            })
        })
    })
}

/// The extension that a file's marker shows.
pub(crate) fn extension(name: &[Char]) -> String {
    let base = chars::lower(&base(&cut_name(name)));
    let parts = chars::split(&base, '.');
    if parts.len() < 2 {
        return "other".into();
    }
    let listed = |part: &Text| {
        let text = chars::as_string(part)?;
        promise(&text).map(|_| text)
    };
    let last = listed(&parts[parts.len() - 1]).unwrap_or_else(|| "other".into());
    let before = if parts.len() >= 3 { listed(&parts[parts.len() - 2]) } else { None };
    match before {
        Some(before) => format!("{before}.{last}"),
        None => last,
    }
}

/// The type that an extension of `file-extensions.txt` promises.
fn promise(extension: &str) -> Option<&'static str> {
    lists::file_extensions().find_map(|line| {
        let (entry, kinds) = line.split_once(' ').unwrap_or((line, ""));
        (entry == extension).then_some(kinds)
    })
}

fn kind_of(content: &[u8]) -> Option<&'static str> {
    for line in lists::first_bytes() {
        let words: Vec<&'static str> = line.split(' ').collect();
        let pattern = words[1];
        let offset = words.get(2).and_then(|word| word.parse::<usize>().ok()).unwrap_or(0);
        let bytes: Vec<Option<u8>> = (0..pattern.len() / 2)
            .map(|at| u8::from_str_radix(&pattern[at * 2..at * 2 + 2], 16).ok())
            .collect();
        let fits = bytes.iter().enumerate().all(|(at, wanted)| {
            content.get(offset + at).is_some_and(|b| wanted.is_none_or(|wanted| wanted == *b))
        });
        let nul =
            !words.contains(&"nul") || content.iter().skip(offset + bytes.len()).take(64).any(|b| *b == 0);
        if fits && nul {
            return Some(words[0]);
        }
    }
    let start = &content[..content.len().min(1024)];
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    if start.starts_with(b"#!") {
        return Some("shell");
    }
    let lower = start.trim_ascii_start().to_ascii_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| lower.starts_with(word.as_bytes()));
    let short =
        lower.strip_prefix(b"<?").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_whitespace));
    if begins(&["<?php", "<?="]) || short {
        return Some("php");
    }
    if begins(&["<%"]) {
        return Some("asp");
    }
    let svg = begins(&["<?xml"]) && lower.windows(4).any(|window| window == b"<svg");
    if begins(&["<svg", "<!doctype svg"]) || svg {
        return Some("svg");
    }
    if begins(&["<?xml"]) {
        return Some("xml");
    }
    begins(&["<!doctype html", "<html", "<head", "<body", "<script"]).then_some("html")
}

/// `MAGIC:<kind>`.
pub(crate) fn magic(name: &[Char], content: &[u8]) -> Flags {
    let mut flags = Flags::new();
    let base = chars::lower(&base(&cut_name(name)));
    let parts = chars::split(&base, '.');
    let last = if parts.len() >= 2 { chars::as_string(&parts[parts.len() - 1]) } else { None };
    let Some(promised) = last.as_deref().and_then(promise).filter(|kinds| !kinds.is_empty()) else {
        return flags;
    };
    let Some(kind) = kind_of(content) else { return flags };
    let kept = match promised {
        "text" => ["html", "svg", "xml"].contains(&kind),
        "code" => ["html", "svg", "xml", "php", "asp", "shell"].contains(&kind),
        kinds => kinds.split(',').any(|promised| promised == kind),
    };
    if !kept {
        flags.insert(format!("MAGIC:{kind}"));
    }
    flags
}
