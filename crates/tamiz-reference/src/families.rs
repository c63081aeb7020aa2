//! Families of well-known tokens (6.11.1–6.11.4).

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use crate::chars::{self, Char};
use crate::lists;

/// The characters of an alphabet (6.11.2).
#[derive(Debug)]
struct Alphabet {
    name: &'static str,
    signs: &'static str,
}

impl Alphabet {
    fn new(text: &'static str) -> Alphabet {
        let names = ["digit", "hex", "alnum", "word", "url", "dotted", "b64"];
        let name = names.into_iter().find(|name| text.starts_with(name)).unwrap();
        Alphabet { name, signs: &text[name.len()..] }
    }

    fn has(&self, c: &Char) -> bool {
        let Some(c) = c.plain() else { return false };
        let own = match self.name {
            "digit" => c.is_ascii_digit(),
            "hex" => c.is_ascii_hexdigit(),
            "alnum" => c.is_ascii_alphanumeric(),
            "word" => c.is_ascii_alphanumeric() || c == '_',
            "url" => c.is_ascii_alphanumeric() || "_-".contains(c),
            "dotted" => c.is_ascii_alphanumeric() || "_-.".contains(c),
            _ => c.is_ascii_alphanumeric() || "+/=".contains(c),
        };
        own || self.signs.contains(c)
    }

    /// How many characters of it stand from there on.
    fn run(&self, text: &[Char], from: usize) -> usize {
        text[from..].iter().take_while(|c| self.has(c)).count()
    }
}

/// One piece of a head (6.11.3).
#[derive(Debug)]
enum Piece {
    Char(char),
    /// Just so many characters.
    Just(Alphabet, usize),
    /// As many as there are, if that is so many.
    AsMany(Alphabet, RangeInclusive<usize>),
}

/// A row of `credential-prefixes.txt`.
#[derive(Debug)]
struct Family {
    head: Vec<Piece>,
    alphabet: Alphabet,
    length: RangeInclusive<usize>,
    /// True if a letter or digit may follow.
    open: bool,
}

static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| lists::credential_prefixes().map(family).collect());

fn range(text: &str) -> RangeInclusive<usize> {
    let (least, most) = text.split_once('-').unwrap();
    least.parse().unwrap()..=most.parse().unwrap()
}

fn family(line: &'static str) -> Family {
    let cells: Vec<&'static str> = line.split(' ').collect();
    let mut head = Vec::new();
    let mut rest = cells[0];
    while let Some(c) = rest.chars().next() {
        if let Some((gap, after)) = rest.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            let (alphabet, number) = gap.split_once(':').unwrap();
            let alphabet = Alphabet::new(alphabet);
            head.push(match number.parse() {
                Ok(number) => Piece::Just(alphabet, number),
                Err(_) => Piece::AsMany(alphabet, range(number)),
            });
            rest = after;
        } else {
            head.push(Piece::Char(c));
            rest = &rest[c.len_utf8()..];
        }
    }
    let length = match cells[2].strip_prefix('=') {
        Some(number) => number.parse().unwrap()..=number.parse().unwrap(),
        None if cells[2].contains('-') => range(cells[2]),
        None => cells[2].parse().unwrap()..=usize::MAX,
    };
    let open = *length.end() == usize::MAX;
    Family { head, alphabet: Alphabet::new(cells[1]), length, open }
}

/// Where the token ends that begins at `at`, if one does.
pub(crate) fn end_of_token(text: &[Char], at: usize) -> Option<usize> {
    if at > 0 && text[at - 1].is_ascii_alphanumeric() {
        return None;
    }
    FAMILIES.iter().find_map(|family| family.end(text, at))
}

/// Every token that fits in a text, by where it begins and then by its row: from where to where.
pub(crate) fn tokens(text: &[Char]) -> Vec<(usize, usize)> {
    let begins = |at: &usize| *at == 0 || !text[at - 1].is_ascii_alphanumeric();
    (0..text.len())
        .filter(begins)
        .flat_map(|at| FAMILIES.iter().filter_map(move |family| Some((at, family.end(text, at)?))))
        .collect()
}

impl Family {
    fn end(&self, text: &[Char], start: usize) -> Option<usize> {
        let mut at = start;
        // Going back from what follows a first gap, all of its characters belong to it.
        if let Some(Piece::AsMany(alphabet, _)) = self.head.first()
            && start > 0
            && alphabet.has(&text[start - 1])
        {
            return None;
        }
        for piece in &self.head {
            at += match piece {
                Piece::Char(c) => chars::is(text.get(at), *c).then_some(1)?,
                Piece::Just(alphabet, count) => (alphabet.run(text, at) >= *count).then_some(*count)?,
                Piece::AsMany(alphabet, counts) => {
                    let run = alphabet.run(text, at);
                    counts.contains(&run).then_some(run)?
                }
            };
        }
        let run = self.alphabet.run(text, at);
        let end = at + run;
        let closed = self.open || !text.get(end).is_some_and(|c| c.is_ascii_alphanumeric());
        (self.length.contains(&run) && closed).then_some(end)
    }
}
