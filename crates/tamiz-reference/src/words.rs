//! Words (7.8).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use crate::chars::{self, Char};

macro_rules! classes {
    ($($class:literal),*) => {
        [$(($class, include_str!(concat!("../../../spec/words/", $class, ".txt")))),*]
    };
}

static FILES: [(&str, &str); 11] =
    classes!["file", "java", "jndi", "js", "ldap", "nosql", "php", "shell", "sql", "ssti", "xxe"];

/// A part of an entry and its marks (7.8.1).
struct Part {
    text: Vec<char>,
    free_before: bool,
    free_after: bool,
    at_command: bool,
    call: bool,
    at_end: bool,
}

struct Entry {
    class: &'static str,
    parts: Vec<Part>,
}

/// Entries by the first two characters of their first part.
static ENTRIES: LazyLock<HashMap<(char, char), Vec<Entry>>> = LazyLock::new(|| {
    let mut entries: HashMap<_, Vec<Entry>> = HashMap::new();
    for (class, file) in FILES {
        for (text, _) in file.lines().filter_map(|line| line.split_once('\t')) {
            let parts: Vec<Part> = text.split(" .. ").map(part).collect();
            let first = &parts[0].text;
            let key = (first[0], first.get(1).copied().unwrap_or('\0'));
            entries.entry(key).or_default().push(Entry { class, parts });
        }
    }
    entries
});

/// Names that an entry calls, without its marks, and the classes of these entries (7.8.6).
static CALLS: LazyLock<HashMap<String, BTreeSet<&'static str>>> = LazyLock::new(|| {
    let mut calls: HashMap<_, BTreeSet<_>> = HashMap::new();
    for (class, file) in FILES {
        for (text, _) in file.lines().filter_map(|line| line.split_once('\t')) {
            let bare = text.trim_end_matches(" !").trim_end_matches(" $").trim_end_matches(" !");
            let bare = bare.trim_start_matches('^').trim_start_matches('~').trim_end_matches('~');
            if let Some(name) = bare.strip_suffix('(').filter(|name| is_name(name)) {
                calls.entry(call_name(name)).or_default().insert(class);
            }
        }
    }
    calls
});

/// A name in lower case, each run of digits as `0`.
fn call_name(name: &str) -> String {
    let mut folded = String::new();
    for c in name.chars() {
        let c = if c.is_ascii_digit() { '0' } else { c.to_ascii_lowercase() };
        if c != '0' || !folded.ends_with('0') {
            folded.push(c);
        }
    }
    folded
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word)
}

fn part(text: &str) -> Part {
    let mut part = Part {
        text: Vec::new(),
        free_before: false,
        free_after: false,
        at_command: false,
        call: false,
        at_end: false,
    };
    let mut text = text;
    loop {
        if let Some(rest) = text.strip_suffix(" !") {
            part.call = true;
            text = rest;
        } else if let Some(rest) = text.strip_suffix(" $") {
            part.at_end = true;
            text = rest;
        } else {
            break;
        }
    }
    if let Some(rest) = text.strip_prefix('^') {
        part.at_command = true;
        text = rest;
    }
    if let Some(rest) = text.strip_prefix('~') {
        part.free_before = true;
        text = rest;
    }
    if let Some(rest) = text.strip_suffix('~') {
        part.free_after = true;
        text = rest;
    }
    let plain: Vec<Seen> = text.chars().map(Seen::Char).collect();
    part.text = fold(&plain).into_iter().map(|(c, _)| c).collect();
    part
}

/// A character as a look sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Char(char),
    /// Bytes that a reading turns into a space (7.8.3).
    MadeSpace,
    /// A character that no entry has.
    Foreign,
}

impl Seen {
    fn char(self) -> Option<char> {
        match self {
            Seen::Char(c) => Some(c),
            _ => None,
        }
    }
}

const FOREIGN: char = '\u{FFFF}';
const SIGNS: &str = "()[]{}<>=,;|&*'\"`";

/// The folded text, each character with the last index it came from (7.8.2).
fn fold(text: &[Seen]) -> Vec<(char, usize)> {
    let mapped: Vec<char> = text
        .iter()
        .map(|seen| match seen {
            Seen::Foreign => FOREIGN,
            Seen::MadeSpace => ' ',
            Seen::Char('\\') => '/',
            Seen::Char('+') => ' ',
            Seen::Char(c) if chars::is_white_space(*c) || chars::is_cc(*c) => ' ',
            Seen::Char(c) => c.to_ascii_lowercase(),
        })
        .collect();
    let mut folded: Vec<(char, usize)> = Vec::new();
    for (at, c) in mapped.iter().copied().enumerate() {
        let last = folded.last().map(|(c, _)| *c);
        let before = folded.len().checked_sub(2).map(|at| folded[at].0);
        match c {
            ' ' => {
                if last.is_some_and(|last| last != ' ' && !SIGNS.contains(last)) {
                    folded.push((' ', at));
                }
                continue;
            }
            c if SIGNS.contains(c) && last == Some(' ') => {
                folded.pop();
                folded.push((c, at));
                continue;
            }
            '/' if last == Some('/') => {
                folded.last_mut().unwrap().1 = at;
                continue;
            }
            '/' if last == Some('.') && before == Some('/') => {
                folded.pop();
                folded.last_mut().unwrap().1 = at;
                continue;
            }
            c if c.is_ascii_digit() => {
                if at > 0 && mapped[at - 1].is_ascii_digit() {
                    folded.last_mut().unwrap().1 = at;
                } else {
                    folded.push(('0', at));
                }
                continue;
            }
            c => folded.push((c, at)),
        }
    }
    if folded.last().is_some_and(|(c, _)| *c == ' ') {
        folded.pop();
    }
    folded
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns whether a part matches at a place of the folded text (7.8.4).
fn part_matches(part: &Part, folded: &[(char, usize)], at: usize, text: &[Seen]) -> bool {
    let end = at + part.text.len();
    if end > folded.len() || !part.text.iter().zip(&folded[at..]).all(|(p, (c, _))| p == c) {
        return false;
    }
    let char_at = |at: usize| folded.get(at).map(|(c, _)| *c);
    let before = at.checked_sub(1).and_then(char_at);
    let after = char_at(end);
    let first = part.text[0];
    let word_first = is_word(first) || (first == '.' && part.text.get(1).copied().is_some_and(is_word));
    if word_first && !part.free_before && before.is_some_and(is_word) {
        return false;
    }
    if is_word(*part.text.last().unwrap()) && !part.free_after && after.is_some_and(is_word) {
        return false;
    }
    if part.at_command {
        let opened = before == Some('(') && at >= 2 && char_at(at - 2) == Some('$');
        if !(before.is_some_and(|c| ";|&".contains(c)) || opened) {
            return false;
        }
        if !after.is_none_or(|c| " ;|&)<>$".contains(c)) {
            return false;
        }
    }
    if part.call {
        let origin = end.checked_sub(2).map(|before_last| folded[before_last].1);
        let space = origin.and_then(|origin| text.get(origin + 1)).is_some_and(|seen| match seen {
            Seen::Char(c) => *c == '+' || chars::is_white_space(*c) || chars::is_cc(*c),
            _ => false,
        });
        let plural = (after == Some('s') && char_at(end + 1) == Some(')'))
            || (after == Some('e') && char_at(end + 1) == Some('s') && char_at(end + 2) == Some(')'));
        if space || plural {
            return false;
        }
    }
    !part.at_end || end == folded.len()
}

fn rest_matches(parts: &[Part], folded: &[(char, usize)], from: usize, text: &[Seen]) -> bool {
    let Some(part) = parts.first() else { return true };
    (from..=(from + 100).min(folded.len())).any(|at| {
        part_matches(part, folded, at, text) && rest_matches(&parts[1..], folded, at + part.text.len(), text)
    })
}

fn search(text: &[Seen], wanted: Option<&[&str]>, found: &mut BTreeSet<&'static str>) {
    let folded = fold(text);
    for at in 0..folded.len() {
        let first = folded[at].0;
        let second = folded.get(at + 1).map(|(c, _)| *c);
        for key in [Some((first, '\0')), second.map(|second| (first, second))].into_iter().flatten() {
            for entry in ENTRIES.get(&key).into_iter().flatten() {
                if found.contains(entry.class) || wanted.is_some_and(|wanted| !wanted.contains(&entry.class))
                {
                    continue;
                }
                if part_matches(&entry.parts[0], &folded, at, text)
                    && rest_matches(&entry.parts[1..], &folded, at + entry.parts[0].text.len(), text)
                {
                    found.insert(entry.class);
                }
            }
        }
    }
}

fn at(text: &[Seen], at: usize, wanted: &str) -> bool {
    wanted.chars().enumerate().all(|(i, c)| text.get(at + i) == Some(&Seen::Char(c)))
}

fn find(text: &[Seen], from: usize, wanted: &str) -> Option<usize> {
    (from..text.len()).find(|i| at(text, *i, wanted))
}

fn without_comments(text: &[Seen]) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut i = 0;
    let mut open = 0;
    while i < text.len() {
        if at(text, i, "/*!") {
            seen.push(Seen::MadeSpace);
            i += 3;
            while matches!(text.get(i), Some(Seen::Char(c)) if c.is_ascii_digit()) {
                i += 1;
            }
            open += 1;
        } else if open > 0 && at(text, i, "*/") {
            seen.push(Seen::MadeSpace);
            i += 2;
            open -= 1;
        } else if let Some(end) = at(text, i, "/*").then(|| find(text, i + 2, "*/")).flatten() {
            seen.push(Seen::MadeSpace);
            i = end + 2;
        } else if let Some(end) =
            (at(text, i, "#") || at(text, i, "--")).then(|| find(text, i, "\n")).flatten()
        {
            seen.push(Seen::MadeSpace);
            i = end + 1;
        } else {
            seen.push(text[i]);
            i += 1;
        }
    }
    seen
}

fn without_shell(text: &[Seen]) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut i = 0;
    let char_at = |i: usize| match text.get(i) {
        Some(Seen::Char(c)) => Some(*c),
        _ => None,
    };
    let word_at = |i: usize| char_at(i).is_some_and(is_word);
    let sign_at = |i: usize| char_at(i).is_some_and(|c| "@*!-".contains(c) || c.is_ascii_digit());
    let ifs = |i: usize| {
        "ifs".chars().enumerate().all(|(n, c)| char_at(i + n).is_some_and(|x| x.eq_ignore_ascii_case(&c)))
    };
    while i < text.len() {
        let c = char_at(i);
        if matches!(c, Some('\\' | '^')) {
            i += if at(text, i + 1, "\r\n") {
                3
            } else if at(text, i + 1, "\n") {
                2
            } else {
                1
            };
        } else if matches!(c, Some('\'' | '"')) {
            i += 1;
        } else if at(text, i, "``") {
            i += 2;
        } else if at(text, i, "$()") || at(text, i, "<()") {
            i += 3;
        } else if c == Some('$') && ifs(i + 1) && !word_at(i + 4) {
            seen.push(Seen::MadeSpace);
            i += 4;
        } else if at(text, i, "${") && ifs(i + 2) && char_at(i + 5) == Some('}') {
            seen.push(Seen::MadeSpace);
            i += 6;
        } else if c == Some('$') && (sign_at(i + 1) || (word_at(i + 1) && !word_at(i + 2))) {
            i += 2;
        } else if at(text, i, "${") {
            let name = (i + 2..text.len())
                .take_while(|n| char_at(*n).is_some_and(|c| is_word(c) || "@*!".contains(c)))
                .count();
            if (1..=15).contains(&name) && char_at(i + 2 + name) == Some('}') {
                i += name + 3;
            } else {
                seen.push(text[i]);
                i += 1;
            }
        } else {
            seen.push(text[i]);
            i += 1;
        }
    }
    seen
}

/// How many of the blanks of 7.8.6 stand at a place.
fn blanks_at(text: &[Seen], at: usize) -> usize {
    text[at..].iter().take_while(|seen| matches!(seen, Seen::Char(' ' | '\t' | '\r' | '\n' | '+'))).count()
}

/// Returns whether a `(` stands at a place, and behind it the end or what an argument begins with.
fn opens_call(text: &[Seen], at: usize) -> bool {
    if text.get(at) != Some(&Seen::Char('(')) {
        return false;
    }
    let blanks = blanks_at(text, at + 1);
    match text.get(at + 1 + blanks) {
        _ if blanks > 32 => false,
        None => true,
        Some(Seen::Char(c)) => c.is_ascii_digit() || ")('\"`@$*-".contains(*c),
        Some(_) => false,
    }
}

/// The end of the run of ASCII letters, digits and `_`.
fn word_end(text: &[Seen], at: usize) -> usize {
    at + text[at..].iter().take_while(|seen| matches!(seen, Seen::Char(c) if is_word(*c))).count()
}

/// Returns whether a variable of PHP that stands behind the `$` before `at` is called.
fn calls_variable(text: &[Seen], start: usize) -> bool {
    if !matches!(text.get(start), Some(Seen::Char(c)) if c.is_ascii_alphabetic() || *c == '_') {
        return false;
    }
    let mut end = word_end(text, start);
    if end - start > 64 {
        return false;
    }
    while text.get(end) == Some(&Seen::Char('[')) {
        let inside = text[end + 1..].iter().take_while(|seen| !matches!(seen, Seen::Char('[' | ']'))).count();
        if inside > 64 || text.get(end + 1 + inside) != Some(&Seen::Char(']')) {
            return false;
        }
        end += inside + 2;
    }
    let blanks = blanks_at(text, end);
    blanks <= 32 && opens_call(text, end + blanks)
}

/// The classes of calls (7.8.6).
fn calls(text: &[Seen], found: &mut BTreeSet<&'static str>) {
    let mut at = 0;
    while at < text.len() {
        if text[at] == Seen::Char('$') && calls_variable(text, at + 1) {
            found.insert("php");
        }
        let end = word_end(text, at);
        if end == at {
            at += 1;
            continue;
        }
        let blanks = blanks_at(text, end);
        let spaced = (1..=32).contains(&blanks) && opens_call(text, end + blanks);
        let dotted = text.get(end) == Some(&Seen::Char('.')) && opens_call(text, end + 1);
        if (spaced || dotted) && end - at <= 64 {
            let name: String = text[at..end].iter().filter_map(|seen| seen.char()).collect();
            found.extend(CALLS.get(&call_name(&name)).into_iter().flatten());
        }
        at = end;
    }
}

thread_local! {
    /// Results by text, since the same texts come again in other views and profiles.
    static CACHE: std::cell::RefCell<BTreeMap<Vec<Char>, BTreeSet<&'static str>>> = const { std::cell::RefCell::new(BTreeMap::new()) };
}

/// The classes that have an entry in the text.
pub(crate) fn words(text: &[Char]) -> BTreeSet<&'static str> {
    if let Some(found) = CACHE.with_borrow(|cache| cache.get(text).cloned()) {
        return found;
    }
    let seen: Vec<Seen> = text
        .iter()
        .map(|c| match c {
            Char::Plain(c) if c.is_ascii() || chars::is_white_space(*c) || chars::is_cc(*c) => Seen::Char(*c),
            Char::Guarded(c) => Seen::Char(*c),
            Char::Kept(byte) => Seen::Char(char::from(*byte)),
            Char::BornDot => Seen::Char('.'),
            Char::Plain(_) | Char::Stray(_) => Seen::Foreign,
        })
        .collect();
    let mut found = BTreeSet::new();
    search(&seen, None, &mut found);
    calls(&seen, &mut found);
    search(&without_comments(&seen), Some(&["js", "php", "sql"]), &mut found);
    search(&without_shell(&seen), Some(&["file", "shell"]), &mut found);
    CACHE.with_borrow_mut(|cache| {
        if cache.len() > 20_000 {
            cache.clear();
        }
        cache.insert(text.to_vec(), found.clone());
    });
    found
}
