//! Calls (clause 7.8.6): function names of the dictionary with blanks or a dot before their bracket, and calls of what a
//! variable names.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]

use std::ops::Range;

use crate::bytes::{self, ALNUM};
use crate::decode::GUARD;
use crate::keywords::{self, CLASSES, Classes};
use crate::steps;

/// How many blanks may stand before a bracket.
const MOST_BLANKS: usize = 32;
/// No name is longer, nor what stands between the brackets of an index.
const LONGEST: usize = 64;

fn is_in_name(byte: u8) -> bool {
    bytes::is(byte, ALNUM) || byte == b'_'
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'+')
}

/// Writes a name in lower case to `folded`, with `0` for each run of digits; returns what is written.
fn fold<'f>(name: &[u8], folded: &'f mut [u8; LONGEST]) -> &'f [u8] {
    let mut len = 0;
    let mut last = 0;
    for byte in name.iter().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte.to_ascii_lowercase() }) {
        if (byte != b'0' || last != b'0')
            && let Some(place) = folded.get_mut(len)
        {
            *place = byte;
            len += 1;
        }
        last = byte;
    }
    folded.get(..len).unwrap_or_default()
}

/// Gives the first call of each class in a text, but for those that are known.
pub(super) fn find(text: &[u8], known: Classes, mut give: impl FnMut(&'static str, Range<usize>)) {
    steps::slow("searched for calls");
    let mut given = known;
    for at in memchr::memchr_iter(b'(', text) {
        if !begins_arguments(text.get(at + 1..).unwrap_or_default()) {
            continue;
        }
        let before = text.get(..at).unwrap_or_default();
        let Some((start, classes)) = function(before).or_else(|| variable(before)) else { continue };
        let news = classes & !given;
        for name in CLASSES.iter().enumerate().filter(|(nth, _)| news >> nth & 1 == 1).map(|(_, class)| class)
        {
            give(name, start..at + 1);
        }
        given |= news;
    }
}

/// Returns whether what follows a bracket is no prose.
pub(super) fn begins_arguments(text: &[u8]) -> bool {
    let blanks = text.iter().take(MOST_BLANKS).take_while(|byte| is_blank(**byte)).count();
    let next = text.get(blanks);
    next.is_none_or(|byte| {
        byte.is_ascii_digit() || matches!(byte, b')' | b'(' | b'\'' | b'"' | b'`' | b'@' | b'$' | b'*' | b'-')
    })
}

/// The run of name characters that ends a text, and where it begins; the digits of a guarded byte are no part of it.
fn last_name(text: &[u8]) -> Option<(usize, &[u8])> {
    let len = text.iter().rev().take(LONGEST + 1).take_while(|byte| is_in_name(**byte)).count();
    let start = text.len() - len;
    let is_guarded = start.checked_sub(1).and_then(|at| text.get(at)) == Some(&GUARD);
    let start = if is_guarded { (start + 2).min(text.len()) } else { start };
    let name = text.get(start..).filter(|name| (1..=LONGEST).contains(&name.len()))?;
    Some((start, name))
}

/// The text without the blanks at its end, and how many there are.
fn without_blanks(text: &[u8]) -> Option<(&[u8], usize)> {
    let blanks = text.iter().rev().take(MOST_BLANKS + 1).take_while(|byte| is_blank(**byte)).count();
    (blanks <= MOST_BLANKS).then(|| (text.get(..text.len() - blanks).unwrap_or_default(), blanks))
}

/// A function that is called behind blanks or a dot, and its classes.
fn function(before: &[u8]) -> Option<(usize, Classes)> {
    let (text, blanks) = without_blanks(before)?;
    let text = match (blanks, text) {
        (0, [text @ .., b'.']) => text,
        (0, _) => return None,
        _ => text,
    };
    let (start, name) = last_name(text)?;
    Some((start, keywords::classes_of_call(fold(name, &mut [0; LONGEST]))))
        .filter(|(_, classes)| *classes != 0)
}

/// A call of what a variable names: `$x (`, `$_[o](`.
fn variable(before: &[u8]) -> Option<(usize, Classes)> {
    let (mut text, _) = without_blanks(before)?;
    while let [indexed @ .., b']'] = text {
        let open = indexed.iter().rev().take(LONGEST + 1).position(|byte| matches!(byte, b'[' | b']'))?;
        let open = indexed.len() - 1 - open;
        text = indexed.get(..open).filter(|_| indexed.get(open) == Some(&b'['))?;
    }
    let (start, name) = last_name(text)?;
    let is_variable =
        !name.first()?.is_ascii_digit() && start.checked_sub(1).and_then(|at| text.get(at)) == Some(&b'$');
    let php = CLASSES.iter().position(|name| *name == "php")?;
    is_variable.then(|| (start - 1, 1 << php))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &[u8]) -> Vec<&'static str> {
        let mut found = Vec::new();
        find(text, 0, |class, range| {
            assert!(text[range].ends_with(b"("));
            found.push(class);
        });
        found.sort_unstable();
        found
    }

    #[test]
    fn calls() {
        for text in ["sleep (5)", "FLOOR (", "x sleep.(5)", "sleep \t\n( 5)", "sleep+('a')"] {
            assert!(found(text.as_bytes()).contains(&"sql"), "{text}");
        }
        for text in ["$x (4)", "$__[o](4)", "$x[1][2] ()", "$OOO0000O0 (16)", "$_x('a')"] {
            assert_eq!(found(text.as_bytes()), ["php"], "{text}");
        }
        assert!(found(b"\xFFC0sleep (5)").contains(&"sql"));
    }

    #[test]
    fn prose_and_numbers() {
        for text in [
            "count (id)",
            "$x (y)",
            "sleep(5)",
            "xsleep (5)",
            "sleep  5)",
            "$5 (4)",
            "$x] (4)",
            "[o](4)",
            "(",
            "a (1)",
        ] {
            assert_eq!(found(text.as_bytes()), [""; 0], "{text}");
        }
        assert_eq!(found(format!("sleep{}(5)", " ".repeat(33)).as_bytes()), [""; 0]);
    }
}
