//! Segments that identify someone or something (5.26.4).

use crate::chars::{self, Char};
use crate::shape;

/// Returns whether a segment, or a part of one that has hidden parameters, identifies: all of it or one of its pieces
/// does.
pub(crate) fn identifies(segment: &[Char]) -> bool {
    let cuts = |c: &Char| match c {
        Char::Plain(c) => ";=,&:|\\()'\"".contains(*c),
        _ => true,
    };
    is_bot(segment) || segment.split(cuts).chain([segment]).any(piece_identifies)
}

/// All of a piece, it without its extension, and its parts between dots.
fn piece_identifies(piece: &[Char]) -> bool {
    // What is no plain character is none of any of these.
    let text: String = piece.iter().map(|c| c.plain().unwrap_or('\u{FFFD}')).collect();
    let mut judged = vec![&text[..]];
    if let Some((before, extension)) = text.rsplit_once('.')
        && (1..=8).contains(&extension.len())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
    {
        judged.push(before);
    }
    judged.extend(text.split('.'));
    judged.iter().any(|text| text_identifies(text))
}

fn text_identifies(text: &str) -> bool {
    shape::is_uuid(text)
        || holds_uuid(text)
        || shape::is_email(&chars::text(text))
        || shape::ipv4(text).is_some()
        || shape::ipv6(text).is_some()
        || (text.len() >= 16 && text.chars().all(|c| c.is_ascii_hexdigit()))
        || is_long_token(text)
        || holds_long_run(text)
        || is_card(text)
        || holds_card(text)
        || is_iban(text)
        || is_phone(text)
}

/// A uuid with no letter or digit right before or after it.
fn holds_uuid(text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let alnum = |c: Option<&char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    (0..text.len().saturating_sub(35)).any(|at| {
        let uuid: String = text[at..at + 36].iter().collect();
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        shape::is_uuid(&uuid) && !alnum(before) && !alnum(text.get(at + 36))
    })
}

fn is_long_token(text: &str) -> bool {
    text.len() >= 20
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_~-".contains(c))
        && text.contains(|c: char| c.is_ascii_uppercase())
        && text.contains(|c: char| c.is_ascii_lowercase())
        && text.contains(|c: char| c.is_ascii_digit())
}

/// A run of letters and digits, as long as it goes, its letters of one case.
fn holds_long_run(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| {
        let digits = run.chars().filter(char::is_ascii_digit).count();
        let upper = run.contains(|c: char| c.is_ascii_uppercase());
        let lower = run.contains(|c: char| c.is_ascii_lowercase());
        run.len() >= 20 && digits >= 4 && !(upper && lower)
    })
}

fn is_card(text: &str) -> bool {
    let groups: Vec<&str> = text.split([' ', '-', '.', '_']).collect();
    let digits: String = groups.concat();
    groups.iter().all(|group| group.len() >= 3 && group.chars().all(|c| c.is_ascii_digit()))
        && (13..=19).contains(&digits.len())
        && !digits.starts_with(['0', '1'])
        && luhn(&digits)
}

/// A run of digits, as long as it goes, with no letter beside it.
fn holds_card(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(is_card)
}

fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .chars()
        .rev()
        .enumerate()
        .map(|(at, c)| {
            let digit = c.to_digit(10).unwrap();
            match digit * 2 {
                _ if at % 2 == 0 => digit,
                double if double > 9 => double - 9,
                double => double,
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

fn is_iban(text: &str) -> bool {
    let groups: Vec<&str> = text.split([' ', '-']).collect();
    let number = groups.concat();
    let (country, check) = (number.get(..2).unwrap_or_default(), number.get(2..4).unwrap_or_default());
    // Separators stand between two characters, one at a time.
    groups.iter().all(|group| !group.is_empty())
        && number.chars().all(|c| c.is_ascii_alphanumeric())
        && country.len() == 2
        && country.chars().all(|c| c.is_ascii_alphabetic())
        && check.len() == 2
        && check.chars().all(|c| c.is_ascii_digit())
        && (15..=34).contains(&number.len())
        && mod97(&number) == 1
}

/// ISO 7064 MOD 97-10, the first four moved to the end.
fn mod97(number: &str) -> u32 {
    number[4..].chars().chain(number[..4].chars()).fold(0, |rest, c| {
        let value = c.to_digit(36).unwrap();
        (rest * if value > 9 { 100 } else { 10 } + value) % 97
    })
}

fn is_phone(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('+') else { return false };
    let digits = rest.chars().filter(char::is_ascii_digit).count();
    rest.starts_with(|c: char| c.is_ascii_digit() || c == '(')
        && rest.chars().all(|c| c.is_ascii_digit() || " -.()".contains(c))
        && rest.ends_with(|c: char| c.is_ascii_digit())
        && (7..=15).contains(&digits)
}

/// `bot`, digits, `:` and something.
fn is_bot(segment: &[Char]) -> bool {
    let Some(rest) = segment.strip_prefix(&chars::text("bot")[..]) else { return false };
    let digits = rest.iter().take_while(|c| c.plain().is_some_and(|c| c.is_ascii_digit())).count();
    digits > 0 && chars::is(rest.get(digits), ':') && rest.len() > digits + 1
}
