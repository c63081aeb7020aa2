//! Headers whose values are vocabulary (8.27).

use crate::chars::{self, Char};
use crate::lists;

/// Returns whether the value of a header is vocabulary: the header is listed, and the value follows its grammar.
pub(crate) fn is_vocabulary(name: &str, value: &[Char]) -> bool {
    let Some(value) = chars::as_string(value) else { return false };
    let value = value.to_ascii_lowercase();
    lists::vocabulary_headers().any(|line| {
        let mut cells = line.splitn(3, ' ');
        let (header, grammar) = (cells.next(), cells.next().unwrap_or_default());
        let words: Vec<&str> = cells.next().map(|words| words.split('|').collect()).unwrap_or_default();
        header == Some(name) && follows(&value, grammar, &words)
    })
}

/// So many of the characters, at least and at most.
fn is_run(text: &str, least: usize, most: usize, accept: impl Fn(char) -> bool) -> bool {
    let count = text.chars().count();
    least <= count && count <= most && text.chars().all(accept)
}

fn is_version(text: &str, least: usize) -> bool {
    is_run(text, least, 24, |c| c.is_ascii_digit() || c == '.')
}

fn digits(text: &str, most: usize) -> bool {
    is_run(text, 1, most, |c| c.is_ascii_digit())
}

/// Returns whether a value, in lower case, follows a grammar of 8.27.1.
fn follows(value: &str, grammar: &str, words: &[&str]) -> bool {
    let items = |separators: &'static [char]| value.split(separators).map(|item| item.trim_matches(' '));
    let is_word = |item: &str| words.contains(&item);
    match grammar {
        "words" => items(&[',']).all(is_word),
        "products" => items(&[',']).all(|item| {
            is_word(item)
                || item
                    .rsplit_once('/')
                    .is_some_and(|(word, version)| is_word(word) && is_version(version, 1))
        }),
        "directives" => items(&[',', ';']).all(|item| {
            is_word(item)
                || item.rsplit_once('=').is_some_and(|(word, argument)| {
                    is_word(word) && (digits(argument, 10) || argument == "?0" || argument == "?1")
                })
        }),
        "names" => items(&[',']).all(|item| is_word(item) || lists::known_headers().any(|name| name == item)),
        "numbers" => items(&[',']).all(|item| match item.split_once('.') {
            Some((whole, decimals)) => digits(whole, 5) && digits(decimals, 3),
            None => digits(item, 5),
        }),
        "version" => value
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .is_some_and(|version| is_version(version, 0)),
        "brands" => are_brands(value),
        _ => panic!("a grammar of 8.27.1"),
    }
}

fn are_brands(value: &str) -> bool {
    let mut rest = value;
    loop {
        let Some(after) = brand(rest) else { return false };
        if after.is_empty() {
            return true;
        }
        let Some(next) = after.trim_start_matches(' ').strip_prefix(',') else { return false };
        rest = next.trim_start_matches(' ');
    }
}

/// The text after a brand.
fn brand(text: &str) -> Option<&str> {
    let (name, rest) = text.strip_prefix('"')?.split_once('"')?;
    let (version, rest) = rest.strip_prefix(";v=\"")?.split_once('"')?;
    let fits = is_run(name, 1, 32, |c| c.is_ascii_alphabetic() || " ()-./:;=?_".contains(c));
    (fits && is_version(version, 1)).then_some(rest)
}
