//! Flags that depend on whose value a text is: `REDIRECT` and `RFI` (7.6.1, 7.6.2).

use crate::chars::{self, Char};
use crate::lists;
use crate::scan::{self, Flags, Kind};

/// Whose text it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// The key of that value leads somewhere.
    pub(crate) leads: bool,
    /// A query or form key without a value.
    pub(crate) bare_key: bool,
}

/// Whether a key leads somewhere. An entry marked `flat` counts only where the key is no way (`nested`).
pub(crate) fn leads(key: &[Char], nested: bool) -> bool {
    let mut names = key.split(|c| matches!(c, Char::Plain('.' | '[' | ']')));
    let Some(last) = names.rfind(|name| !name.is_empty()).and_then(chars::as_string) else {
        return false;
    };
    let bare = last.to_ascii_lowercase().replace(['_', '-'], "");
    lists::redirect_names().any(|line| {
        let (name, mark) = line.split_once(' ').unwrap_or((line, ""));
        name == bare && !(nested && mark == "flat")
    })
}

/// The place of the value of a key of a query, form or multipart body.
pub(crate) fn of_value(key: &[Char]) -> Place {
    Place { leads: leads(key, false), bare_key: false }
}

/// The place of a leaf, by the last name or attribute on the way to it in JSON or XML.
pub(crate) fn of_leaf(last_name: &[Char]) -> Place {
    Place { leads: leads(last_name, true), bare_key: false }
}

/// `REDIRECT`, and `URLLOCAL` without a scheme, of the value of a key that leads somewhere.
pub(crate) fn redirect(value: &[Char]) -> Flags {
    let blank = |c: &Char| c.plain().is_some_and(|c| c == ' ' || c.is_ascii_control());
    let start = value.iter().position(|c| !blank(c)).unwrap_or(value.len());
    let value = &value[start..];
    let mut flags = Flags::new();
    let slashes = value.iter().take_while(|c| matches!(c, Char::Plain('/' | '\\'))).count();
    let goes_on = value.get(slashes).is_some_and(|c| {
        !c.is_ascii() || c.plain().is_some_and(|c| c.is_ascii_alphanumeric() || "[@".contains(c))
    });
    if slashes >= 2 && goes_on {
        flags.insert("REDIRECT".into());
    }
    let end = value.iter().position(|c| matches!(c, Char::Plain('/' | ':')));
    if let Some(end) = end.filter(|end| chars::to_bytes(&value[..*end]).len() < 256)
        && let Some(host) = chars::as_string(&value[..end])
        && scan::is_local_without_scheme(&host)
    {
        flags.insert("URLLOCAL".into());
    }
    flags
}

/// Whether a value or a bare key, or a further text of it, raises `RFI`.
pub(crate) fn is_remote_inclusion(text: &[Char], kind: Kind, place: Place) -> bool {
    if !matches!(kind, Kind::Value | Kind::Form | Kind::Cookie | Kind::Leaf) && !place.bare_key {
        return false;
    }
    let odd = |c: &Char| c.plain().is_some_and(|c| c == ' ' || c.is_ascii_control());
    if text.iter().any(odd) {
        return false;
    }
    ["file", "ftp", "ftps", "http", "https"].iter().any(|scheme| {
        if !chars::begins_ignoring_case(text, scheme) {
            return false;
        }
        let (written, rest) = text.split_at(scheme.len());
        let url = rest.starts_with(&chars::text("://"));
        let has = |test: fn(&char) -> bool| written.iter().any(|c| c.plain().is_some_and(|c| test(&c)));
        let mixed_case = has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase);
        let marks = rest.iter().rev().take_while(|c| **c == Char::Plain('?')).count();
        let before_marks = &rest[..rest.len() - marks];
        let ends_in_marks =
            marks > 0 && (url || before_marks.is_empty()) && !before_marks.contains(&Char::Plain('?'));
        (url && (mixed_case || place.bare_key)) || ends_in_marks
    })
}
