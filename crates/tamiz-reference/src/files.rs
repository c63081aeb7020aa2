//! Names of files (8.35).

use crate::chars::{self, Char, Text};
use crate::headers::split_unquoted;
use crate::lists;
use crate::scan::Flags;

/// `EXECEXT` of a header that names a file.
pub(crate) fn header_flags(value: &[Char]) -> Flags {
    let parameter = split_unquoted(value, ';').iter().find_map(|part| {
        let part = chars::trim(part, chars::is_blank);
        let at = chars::find(&part, '=')?;
        let name = chars::as_string(&chars::trim(&part[..at], chars::is_blank))?;
        let value = chars::trim(&part[at + 1..], chars::is_blank);
        (name.eq_ignore_ascii_case("filename")).then(|| unquote(&value))
    });
    let name = parameter.unwrap_or_else(|| value.to_vec());
    let mut flags = Flags::new();
    if is_executable(&name) {
        flags.insert("EXECEXT".into());
    }
    flags
}

fn unquote(value: &[Char]) -> Text {
    let quote = Char::Plain('"');
    if value.first() == Some(&quote) {
        let end = value[1..].iter().position(|c| *c == quote).map_or(value.len(), |at| at + 1);
        return value[1..end].to_vec();
    }
    value.to_vec()
}

/// A name without what NUL and `::$DATA` cut off, and what stands at its end.
fn cut_name(name: &[Char]) -> Text {
    let nul = chars::find(name, '\0').unwrap_or(name.len());
    let data = (0..name.len()).find(|at| chars::begins_ignoring_case(&name[*at..], "::$DATA")).unwrap_or(name.len());
    trim_end(&name[..nul.min(data)])
}

fn trim_end(name: &[Char]) -> Text {
    let end = name.iter().rposition(|c| !matches!(c, Char::Plain('.' | ' ' | '/' | '\\'))).map_or(0, |at| at + 1);
    name[..end].to_vec()
}

fn base(name: &[Char]) -> Text {
    let from = name.iter().rposition(|c| matches!(c, Char::Plain('/' | '\\'))).map_or(0, |at| at + 1);
    name[from..].to_vec()
}

/// Whether a name has an executable extension (`EXECEXT`).
pub(crate) fn is_executable(name: &[Char]) -> bool {
    [cut_name(name), trim_end(name)].iter().any(|name| {
        let base = chars::lower(&base(name));
        let parts = chars::split(&base, '.');
        parts.iter().enumerate().skip(1).any(|(at, extension)| {
            let end = extension
                .iter()
                .position(|c| match c {
                    Char::Plain(c) => ";:% ".contains(*c) || chars::is_control(*c),
                    _ => true,
                })
                .unwrap_or(extension.len());
            let last = at + 1 == parts.len() && end == extension.len();
            let before = &base[..base.len() - parts[at + 1..].iter().map(|part| part.len() + 1).sum::<usize>()];
            let shown = &before[..before.len() - (extension.len() - end)];
            lists::executable_extensions().any(|line| {
                let (entry, mark) = line.split_once(' ').unwrap_or((line, ""));
                let dotted = chars::text(&format!(".{entry}"));
                shown.ends_with(&dotted) && (mark != "last" || last)
            })
        })
    })
}
