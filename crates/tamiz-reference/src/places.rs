//! Flags that depend on whose value a text is: `REDIRECT` and `RFI` (7.6.1, 7.6.2).

use crate::chars::{self, Char};
use crate::lists;
use crate::scan::{self, Flags, Kind};

/// No key: what comes beyond a limit tells at its line (9.17).
const BEYOND: &str = "\0";

/// The place of the item of a key: the key, or none where it comes beyond a limit.
pub(crate) fn within(key: &str, at: usize, limit: usize) -> &str {
    if at < limit { key } else { BEYOND }
}

/// Flags of a line with their places (1.3): the line itself, its keys, and the leaves of values that are JSON.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    pub(crate) line: Flags,
    keys: Vec<Key>,
}

#[derive(Debug)]
struct Key {
    key: String,
    flags: Flags,
    leaves: Vec<(String, Flags)>,
}

impl Placed {
    fn key(&mut self, key: &str) -> &mut Key {
        let at = self.keys.iter().position(|known| known.key == key).unwrap_or_else(|| {
            self.keys.push(Key { key: key.into(), flags: Flags::new(), leaves: Vec::new() });
            self.keys.len() - 1
        });
        &mut self.keys[at]
    }

    /// The flags of a key. Keys are kept in order of first arrival.
    pub(crate) fn at(&mut self, key: &str) -> &mut Flags {
        &mut self.key(key).flags
    }

    /// The flags of a leaf of a value that is JSON.
    pub(crate) fn leaf(&mut self, key: &str, leaf: &str) -> &mut Flags {
        let leaves = &mut self.key(key).leaves;
        let at = leaves.iter().position(|(known, _)| known == leaf).unwrap_or_else(|| {
            leaves.push((leaf.into(), Flags::new()));
            leaves.len() - 1
        });
        &mut leaves[at].1
    }

    pub(crate) fn all(&self) -> Flags {
        self.in_order().into_iter().flat_map(|(_, flags)| flags.clone()).collect()
    }

    /// Each place, that of the line without a name, and its flags.
    pub(crate) fn in_order(&self) -> Vec<(Option<&str>, &Flags)> {
        let mut places = vec![(None, &self.line)];
        for key in &self.keys {
            places.push((Some(&key.key[..]), &key.flags));
            places.extend(key.leaves.iter().map(|(leaf, flags)| (Some(&leaf[..]), flags)));
        }
        places
    }

    /// Moves the flags of keys that are not shown to their line.
    pub(crate) fn keep_keys(&mut self, shown: &[&str]) {
        for key in std::mem::take(&mut self.keys) {
            if shown.contains(&&key.key[..]) {
                self.keys.push(key);
            } else {
                self.line.extend(key.flags);
                self.line.extend(key.leaves.into_iter().flat_map(|(_, flags)| flags));
            }
        }
    }

    /// Moves the flags of leaves without an own place to their key.
    pub(crate) fn keep_leaves(&mut self, key: &str, told: &[&str]) {
        let key = self.key(key);
        for (leaf, flags) in std::mem::take(&mut key.leaves) {
            if told.contains(&&leaf[..]) {
                key.leaves.push((leaf, flags));
            } else {
                key.flags.extend(flags);
            }
        }
    }
}

/// Whose text it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// The key of that value leads somewhere.
    pub(crate) leads: bool,
    /// A query or form key without a value.
    pub(crate) bare_key: bool,
}

/// Returns whether a key leads somewhere. An entry marked `flat` counts only where the key is no way (`nested`).
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
        && scan::is_local_without_scheme(&scan::host_text(&value[..end]))
    {
        flags.insert("URLLOCAL".into());
    }
    flags
}

/// Returns whether a value or a bare key, or a further text of it, raises `RFI`.
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
