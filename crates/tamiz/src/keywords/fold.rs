//! Folding (clause 7.8.2): one spelling for all that entries do not tell apart.

#![allow(clippy::arithmetic_side_effects, reason = "offsets into one slice, and counts of its bytes")]

use std::ops::Range;

use super::reading::{Dropper, Reading};
use crate::decode::{Char, GUARD, first_char, unicode};
use crate::index::copy_letters;
use crate::steps;

/// Is put for every character beyond ASCII that is no white space.
pub(super) const OTHER: u8 = 0xFE;

/// What folding does with a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Stays, in lower case, in every reading.
    Letter,
    /// Stays, in lower case; a reading may drop it.
    Plain,
    /// Stays, and spaces beside it go.
    Tight,
    Space,
    Digit,
    Slash,
    Dot,
    /// Begins a character beyond ASCII, or a guarded byte.
    High,
}

/// By byte.
const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Letter; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            0..=b' ' | 0x7F | b'+' => Kind::Space,
            b'0'..=b'9' => Kind::Digit,
            b'/' | b'\\' => Kind::Slash,
            b'.' => Kind::Dot,
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' => Kind::Tight,
            b'=' | b',' | b';' | b'|' | b'&' | b'*' | b'\'' | b'"' | b'`' => Kind::Tight,
            0x80.. => Kind::High,
            b'#' | b'-' | b'$' | b'^' => Kind::Plain,
            _ => Kind::Letter,
        };
        byte += 1;
    }
    kinds
};

pub(super) fn kind(byte: u8) -> Kind {
    KINDS.get(usize::from(byte)).copied().unwrap_or(Kind::Plain)
}

/// What [`fold_into`] does with a byte, and what it puts for it.
const ACTIONS: [(Action, u8); 256] = {
    let mut actions = [(Action::Stay, 0); 256];
    let mut byte = 0;
    while byte < 256 {
        let lower = (byte as u8).to_ascii_lowercase();
        actions[byte] = match KINDS[byte] {
            Kind::Letter if lower.is_ascii_lowercase() => (Action::Letter, lower),
            Kind::Letter | Kind::Plain => (Action::Stay, lower),
            Kind::Tight => (Action::Tight, lower),
            Kind::Space => (Action::Space, b' '),
            Kind::Digit => (Action::Digit, b'0'),
            Kind::Slash => (Action::Slash, b'/'),
            Kind::Dot => (Action::Dot, b'.'),
            Kind::High => (Action::Decode, OTHER),
        };
        byte += 1;
    }
    actions
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    /// Puts it and the letters behind it, in lower case.
    Letter,
    /// Puts it.
    Stay,
    /// Puts it, and drops spaces beside it.
    Tight,
    Space,
    Digit,
    Slash,
    Dot,
    /// Decides by the character beyond ASCII that begins there.
    Decode,
}

fn action_of(byte: u8) -> (Action, u8) {
    ACTIONS.get(usize::from(byte)).copied().unwrap_or((Action::Stay, byte))
}

/// Folds a text into an empty buffer. All that has to be known of what came before is the character put last.
#[inline(never)]
pub(super) fn fold_into(text: &[u8], folded: &mut Vec<u8>) {
    steps::slow("text folded");
    folded.resize(text.len() + LETTERS, 0);
    let mut out = Folded { bytes: folded.as_mut_slice(), len: 0 };
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let (mut action, mut put) = action_of(byte);
        if action == Action::Letter {
            at += out.put_letters(text, at);
            continue;
        }
        at += 1;
        if matches!(action, Action::Stay | Action::Tight) {
            out.put(put);
            continue;
        }
        if action == Action::Decode {
            let (byte, width) = beyond_ascii_quick(text.get(at - 1..).unwrap_or_default());
            at += width - 1;
            (action, put) = if byte == OTHER { (Action::Stay, OTHER) } else { action_of(byte) };
        }
        let last = out.last();
        match action {
            Action::Space => {
                // No space is put at the end.
                let Some(next) = skip_spaces(text, &mut at) else { break };
                if next == Action::Tight || out.is_tight() {
                    continue;
                }
            }
            Action::Digit => {
                while text.get(at).is_some_and(u8::is_ascii_digit) {
                    at += 1;
                }
                if last == Some(b'0') {
                    continue;
                }
            }
            Action::Slash if last == Some(b'/') => continue,
            Action::Dot if last == Some(b'/') && begins_with_slash(text.get(at..).unwrap_or_default()) => {
                continue;
            }
            _ => {}
        }
        out.put(put);
    }
    let len = out.len;
    folded.truncate(len);
}

/// Skips white space; what folding does with the character that follows, which is not skipped.
fn skip_spaces(text: &[u8], at: &mut usize) -> Option<Action> {
    loop {
        let (mut action, _) = action_of(*text.get(*at)?);
        let mut width = 1;
        if action == Action::Decode {
            let byte;
            (byte, width) = beyond_ascii_quick(text.get(*at..).unwrap_or_default());
            action = if byte == OTHER { Action::Stay } else { action_of(byte).0 };
        }
        if action != Action::Space {
            return Some(action);
        }
        *at += width;
    }
}

/// How many letters are put at once.
const LETTERS: usize = 16;

/// The text that was folded so far.
struct Folded<'o> {
    bytes: &'o mut [u8],
    len: usize,
}

impl Folded<'_> {
    fn put(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
    }

    /// Puts the letters that a text has at `at`, in lower case, up to so many; returns how many.
    #[inline(always)]
    fn put_letters(&mut self, text: &[u8], at: usize) -> usize {
        let sixteen = text.get(at..at + LETTERS).and_then(|sixteen| sixteen.first_chunk());
        let place =
            self.bytes.get_mut(self.len..self.len + LETTERS).and_then(|place| place.first_chunk_mut());
        let (Some(sixteen), Some(place)) = (sixteen, place) else { return self.put_last_letters(text, at) };
        // What is put behind the letters is put over.
        let count = copy_letters(sixteen, place);
        self.len += count;
        count
    }

    fn put_last_letters(&mut self, text: &[u8], at: usize) -> usize {
        let letters = text.iter().skip(at).take_while(|byte| byte.is_ascii_alphabetic());
        letters.map(|byte| self.put(byte.to_ascii_lowercase())).count()
    }

    fn last(&self) -> Option<u8> {
        self.bytes.get(self.len.wrapping_sub(1)).copied()
    }

    /// Returns whether a space goes here: after a sign that spaces go beside, or at the beginning.
    fn is_tight(&self) -> bool {
        self.last().is_none_or(|last| kind(last) == Kind::Tight)
    }
}

/// Does what [`beyond_ascii`] does, faster for guarded bytes and for characters that begin like no white space.
fn beyond_ascii_quick(rest: &[u8]) -> (u8, usize) {
    match rest {
        [GUARD, high @ b'8'..=b'F', b'0'..=b'9' | b'A'..=b'F', ..] if high.is_ascii_hexdigit() => (OTHER, 3),
        [0xE4..=0xEC | 0xEE | 0xEF, 0x80..=0xBF, 0x80..=0xBF, ..] => (OTHER, 3),
        [0xC3..=0xDF, 0x80..=0xBF, ..] => (OTHER, 2),
        _ => beyond_ascii(rest),
    }
}

/// Folds a text in a reading; `put` is given each folded character and the bytes it is made of.
pub(super) fn fold_with_ranges(text: &[u8], reading: Reading, mut put: impl FnMut(u8, Range<usize>)) {
    steps::count(text.len());
    let mut at = 0;
    // A text begins as after a space: one at its beginning says nothing.
    let mut last = b' ';
    let mut is_tight = true;
    let mut space: Option<Range<usize>> = None;
    let mut dropper = Dropper::new(reading);
    while let Some(&first) = text.get(at) {
        let start = at;
        if kind(first) == Kind::Letter && space.is_none() {
            last = first.to_ascii_lowercase();
            is_tight = false;
            at += 1;
            put(last, start..at);
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let skipped = dropper.skip(rest);
        let (byte, kind) = match skipped {
            Some((is_space, len)) => {
                at += len;
                if !is_space {
                    continue;
                }
                (b' ', Kind::Space)
            }
            None => {
                let (byte, len) = if first.is_ascii() { (first, 1) } else { beyond_ascii(rest) };
                at += len;
                (byte, kind(byte))
            }
        };
        let byte = match kind {
            Kind::Space => {
                space.get_or_insert(start..at).end = at;
                continue;
            }
            Kind::Slash if last == b'/' && space.is_none() => continue,
            Kind::Dot
                if last == b'/'
                    && space.is_none()
                    && begins_with_slash(undropped(text.get(at..).unwrap_or_default(), dropper)) =>
            {
                continue;
            }
            // Digits that only what was dropped between them keeps apart.
            Kind::Digit if last == b'0' && space.is_none() => continue,
            Kind::Slash => b'/',
            Kind::Digit => {
                let more = text.get(at..).unwrap_or_default();
                at += more.iter().take_while(|byte| byte.is_ascii_digit()).count();
                b'0'
            }
            _ => byte.to_ascii_lowercase(),
        };
        if let Some(range) = space.take()
            && !is_tight
            && kind != Kind::Tight
        {
            put(b' ', range);
        }
        is_tight = kind == Kind::Tight;
        last = byte;
        put(byte, start..at);
    }
}

/// Returns the text behind what a reading drops; none, where it makes a space of that.
fn undropped(mut rest: &[u8], mut dropper: Dropper) -> &[u8] {
    loop {
        steps::count(1);
        rest = match dropper.skip(rest) {
            None => return rest,
            Some((true, _)) => return &[],
            Some((false, len)) => rest.get(len..).unwrap_or_default(),
        };
    }
}

/// Returns whether a `/`, as folding sees it, comes first.
fn begins_with_slash(rest: &[u8]) -> bool {
    matches!(first_char(rest), Some(Char::Plain('/' | '\\') | Char::Guarded(b'/' | b'\\')))
}

/// The ASCII character, or [`OTHER`], that the character at the start of `rest` counts as, and its
/// length.
pub(super) fn beyond_ascii(rest: &[u8]) -> (u8, usize) {
    match first_char(rest) {
        None => (OTHER, 1),
        Some(found) => match found {
            Char::Guarded(byte) if byte.is_ascii() => (byte, found.len()),
            Char::Plain(c) if c.is_control() || unicode::is_white_space(c) => (b' ', found.len()),
            _ => (OTHER, found.len()),
        },
    }
}
