//! Parts of entries: their marks, and their text as it is searched for (clauses 7.8.1, 7.8.2 and 7.8.4).
//!
//! `cargo x generate` makes the tables with this; in WebAssembly the library does so itself.

#![allow(clippy::arithmetic_side_effects, reason = "counts of the entries of `spec/words/`")]

/// Between the parts of an entry.
pub(super) const SEPARATOR: &str = " .. ";

/// What has to be before or after a part. The numbers are those of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Any = 0,
    /// No letter, digit or `_`.
    Boundary = 1,
    /// What begins or ends a command of a shell.
    Command = 2,
    /// The end of the text.
    End = 3,
}

/// Where a part is in its entry. Slots keep how much of an entry was found. The numbers are those of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Only = 0,
    First = 1,
    Middle = 2,
    Last = 3,
}

/// A part of an entry.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) class: usize,
    /// Folded.
    pub(super) text: Vec<u8>,
    pub(super) before: Edge,
    pub(super) after: Edge,
    /// The last character is close to the one before, and begins no plural in brackets.
    pub(super) is_close: bool,
    pub(super) step: Step,
    pub(super) slot: usize,
}

/// The parts of one entry.
pub(super) type Entry = Vec<Part>;

/// All entries of the classes in parts, in the order of the files, and how many slots they take.
pub(super) fn all(classes: &[Vec<&str>]) -> (Vec<Entry>, usize) {
    let mut slots = 0;
    let mut all = Vec::new();
    for (class, entries) in classes.iter().enumerate() {
        for entry in entries {
            let last = entry.split(SEPARATOR).count() - 1;
            let mut parts = Vec::new();
            for (index, written) in entry.split(SEPARATOR).enumerate() {
                let step = match index {
                    0 if last == 0 => Step::Only,
                    0 => Step::First,
                    _ if index == last => Step::Last,
                    _ => Step::Middle,
                };
                parts.push(part(written, class, step, slots));
                slots += usize::from(index > 0);
            }
            all.push(parts);
        }
    }
    (all, slots)
}

/// Reads a part and its marks.
fn part(written: &str, class: usize, step: Step, slot: usize) -> Part {
    let of = |text: &str, before, after, is_close| Part {
        class,
        text: fold(text.as_bytes()),
        before,
        after,
        is_close,
        step,
        slot,
    };
    if let Some(text) = written.strip_prefix('^') {
        return of(text, Edge::Command, Edge::Command, false);
    }
    let (ended, closed) = (written.strip_suffix(" $"), written.strip_suffix(" !"));
    let open = ended.or(closed).unwrap_or(written);
    let text = open.trim_matches('~');
    let edge = |byte: Option<&u8>| match byte {
        Some(&byte) if is_word(byte) => Edge::Boundary,
        _ => Edge::Any,
    };
    // A name that begins with a dot is a file of its own, not the end of another's name.
    let name = text.strip_prefix('.').unwrap_or(text);
    let before = if open.starts_with('~') { Edge::Any } else { edge(name.as_bytes().first()) };
    let after = match ended {
        Some(_) => Edge::End,
        None if open.ends_with('~') => Edge::Any,
        None => edge(text.as_bytes().last()),
    };
    of(text, before, after, closed.is_some())
}

/// Returns whether a byte is a letter, a digit or `_`.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns whether spaces beside a character are dropped.
pub(super) fn is_tight(byte: u8) -> bool {
    b"()[]{}<>=,;|&*'\"`".contains(&byte)
}

/// Folds a part, which is printable ASCII in lower case without `+`, or what was folded byte by byte.
pub(super) fn fold(text: &[u8]) -> Vec<u8> {
    let mut folded: Vec<u8> = Vec::new();
    let mut is_spaced = false;
    for (at, &byte) in text.iter().enumerate() {
        let byte = match byte {
            b' ' => {
                is_spaced = true;
                continue;
            }
            b'\\' => b'/',
            b'0'..=b'9' => b'0',
            _ => byte,
        };
        let last = folded.last().copied();
        if is_spaced {
            is_spaced = false;
            if last.is_some_and(|last| !is_tight(last)) && !is_tight(byte) {
                folded.push(b' ');
            }
        } else if last == Some(byte) && matches!(byte, b'/' | b'0')
            || last == Some(b'/') && byte == b'.' && matches!(text.get(at + 1), Some(b'/' | b'\\'))
        {
            continue;
        }
        folded.push(byte);
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_folded() {
        for (text, folded) in [
            ("or 12 = 34", "or 0=0"),
            ("c:\\\\windows\\.\\system32", "c:/windows/system0"),
            ("/* a */ b", "/*a*/ b"),
            ("../../a", "../../a"),
            ("( '", "('"),
        ] {
            assert_eq!(String::from_utf8(fold(text.as_bytes())).unwrap(), folded, "{text}");
        }
    }

    #[test]
    fn marks_are_read() {
        let read = |written: &str| {
            let part = part(written, 0, Step::Only, 0);
            (String::from_utf8(part.text).unwrap(), part.before, part.after, part.is_close)
        };
        assert_eq!(read("^id"), ("id".to_owned(), Edge::Command, Edge::Command, false));
        assert_eq!(read("lower( !"), ("lower(".to_owned(), Edge::Boundary, Edge::Any, true));
        assert_eq!(read("~.bak $"), (".bak".to_owned(), Edge::Any, Edge::End, false));
        assert_eq!(read(".env~"), (".env".to_owned(), Edge::Boundary, Edge::Any, false));
    }
}
