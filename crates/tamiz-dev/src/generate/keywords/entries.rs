//! Reads `spec/words/*.txt`.
//!
//! A file holds the entries of one class: an entry, a tab and where it is from, one a line; empty
//! lines and lines that begin with `#` are comments. Clause 7.8 of the specification says what the
//! marks in an entry mean.

use std::collections::BTreeSet;
use std::path::Path;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::table_part::SEPARATOR;
use crate::Result;
use crate::generate::lists;

/// Where the words are.
const FOLDER: &str = "spec/words";

/// Marks after a part.
const MARKS: [&str; 2] = [" !", " $"];

/// No part is longer: the matcher remembers so many characters.
const LONGEST: usize = 63;

/// No part is shorter: fewer characters are found by chance.
const SHORTEST: usize = 3;

/// A lone word of letters has at least so many of them.
const SHORTEST_WORD: usize = 4;

/// A lone word of letters that others may touch has at least so many.
const SHORTEST_OPEN_WORD: usize = 6;

/// The entries of one class.
pub(super) struct Class {
    pub(super) name: String,
    pub(super) entries: Vec<String>,
}

/// Reads the classes, by name.
pub(super) fn read(root: &Path) -> Result<Vec<Class>> {
    let mut classes = Vec::new();
    for (name, text) in lists::read(root, FOLDER)? {
        let entries = parse(&text).map_err(|error| format!("{FOLDER}/{name}: {error}"))?;
        classes.push(Class {
            name: name.trim_end_matches(".txt").to_owned(),
            entries: entries.into_iter().map(str::to_owned).collect(),
        });
    }
    Ok(classes)
}

/// SHA-256 of the names of the classes and of their entries.
pub(super) fn digest(classes: &[Class]) -> String {
    let mut hash = Sha256::new();
    for class in classes {
        hash.update(format!("{}\n", class.name));
        for entry in &class.entries {
            hash.update(format!("{entry}\n"));
        }
    }
    HEXLOWER.encode(&hash.finalize())
}

/// Reads the entries of a class. Errors name the line.
fn parse(text: &str) -> std::result::Result<Vec<&str>, String> {
    let mut entries = Vec::new();
    let mut seen = BTreeSet::new();
    for (line, number) in text.lines().zip(1..) {
        if line.is_empty() || line.starts_with("# ") || line == "#" {
            continue;
        }
        let wrong = |what: String| Err(format!("line {number}: {what}"));
        let Some((entry, source)) = line.split_once('\t') else {
            return wrong("expected an entry, a tab and where it is from".to_owned());
        };
        if source.trim().is_empty() {
            return wrong("it does not say where the entry is from".to_owned());
        }
        if let Err(what) = check(entry) {
            return wrong(what);
        }
        if !seen.insert(entry) {
            return wrong("the entry stands above already".to_owned());
        }
        entries.push(entry);
    }
    if entries.is_empty() { Err("no entries".to_owned()) } else { Ok(entries) }
}

/// Returns whether an entry is written as it has to be.
fn check(entry: &str) -> std::result::Result<(), String> {
    if !entry.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        return Err("expected printable ASCII".to_owned());
    }
    if entry.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err("expected lower case".to_owned());
    }
    if entry.contains('+') {
        return Err("a plus folds to a space: write the space".to_owned());
    }
    let parts: Vec<&str> = entry.split(SEPARATOR).collect();
    for part in &parts {
        let bare = bare(part);
        if bare.trim() != bare || bare.contains("  ") {
            return Err(format!("`{part}`: white space that folds away"));
        }
        if bare.len() > LONGEST {
            return Err(format!("`{part}`: more than {LONGEST} characters"));
        }
        let is_anchored = part.starts_with('^') || parts.len() > 1;
        if !is_anchored && bare.len() < SHORTEST {
            return Err(format!("`{part}`: fewer than {SHORTEST} characters"));
        }
        let is_word = bare.bytes().all(|byte| byte.is_ascii_alphabetic());
        if !is_anchored
            && is_word
            && bare.len() < (if bare == *part { SHORTEST_WORD } else { SHORTEST_OPEN_WORD })
        {
            return Err(format!("`{part}`: too short or too open for a lone word"));
        }
    }
    for pair in parts.windows(2) {
        let (first, second) = (bare(pair[0]), bare(pair[1]));
        if overlap(first, second) {
            return Err(format!("`{first}` and `{second}` overlap"));
        }
    }
    Ok(())
}

/// A part without its marks.
fn bare(part: &str) -> &str {
    let part = part.strip_prefix('^').unwrap_or(part);
    MARKS.iter().find_map(|mark| part.strip_suffix(mark)).unwrap_or(part).trim_matches('~')
}

/// Returns whether an occurrence of `first` can end inside one of `second`: the matcher keeps only where the
/// last occurrence ended.
fn overlap(first: &str, second: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_edge = |text: &str, at: usize| {
        let bytes = text.as_bytes();
        at == 0 || at == bytes.len() || !(is_word(bytes[at - 1]) && is_word(bytes[at]))
    };
    let inside =
        second.match_indices(first).any(|(at, _)| is_edge(second, at) && is_edge(second, at + first.len()));
    let across = (1..=first.len().min(second.len())).any(|shared| {
        let both = format!("{first}{}", &second[shared..]);
        first.ends_with(&second[..shared])
            && is_edge(&both, first.len() - shared)
            && is_edge(&both, first.len())
    });
    inside || across
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_comments() {
        let text = "# Words.\n\nunion select\tmanual\n#exec cmd\tmanual, 2\nselect .. from dual\tx\n";
        assert_eq!(parse(text).unwrap(), ["union select", "#exec cmd", "select .. from dual"]);
    }

    #[test]
    fn bad_files_name_the_line() {
        for (text, error) in [
            ("", "no entries"),
            ("# T.\nabcd\n", "line 2: expected an entry, a tab and where it is from"),
            ("# T.\nabcd\t \n", "line 2: it does not say where the entry is from"),
            ("# T.\nabcd\tx\nabcd\ty\n", "line 3: the entry stands above already"),
            ("# T.\nABcd\tx\n", "line 2: expected lower case"),
            ("# T.\ncafé\tx\n", "line 2: expected printable ASCII"),
            ("# T.\na+bc\tx\n", "line 2: a plus folds to a space: write the space"),
            ("# T.\nid\tx\n", "line 2: `id`: fewer than 3 characters"),
            ("# T.\nwho\tx\n", "line 2: `who`: too short or too open for a lone word"),
            ("# T.\norder~\tx\n", "line 2: `order~`: too short or too open for a lone word"),
            ("# T.\nab  cd\tx\n", "line 2: `ab  cd`: white space that folds away"),
            ("# T.\n abcd\tx\n", "line 2: ` abcd`: white space that folds away"),
            ("# T.\nselect a .. a from\tx\n", "line 2: `select a` and `a from` overlap"),
        ] {
            assert_eq!(parse(text).unwrap_err(), error, "{text:?}");
        }
        let long = format!("# T.\n{}\tx\n", "ab ".repeat(21) + "a");
        assert!(parse(&long).unwrap_err().ends_with("more than 63 characters"));
        assert!(parse("# T.\n^id\tx\ncreate alias .. as\tx\ncount( !\tx\n~.bak $\tx\n").is_ok());
    }
}
