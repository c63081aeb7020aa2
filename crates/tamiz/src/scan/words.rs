//! `KW` (clause 7.8): the words and phrases that attacks of a class are made of.
//!
//! Text and entries are folded alike. The parts of all entries are looked for in the folded text, once for
//! each way of reading it. Where a match came from is worked out only when there is one, by folding again.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice or table, and counts of what is in it"
)]

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::LazyLock;

use bumpalo::collections::Vec as BumpVec;

use super::patterns::{Classes, PADDING, Patterns, Place};
use super::witness;
use crate::bytes::{ALPHA, CONTROL, WORD_SIGN};
use crate::context::Context;
use crate::decode::{Char, GUARD, first_char, unicode};
use crate::steps;
use crate::words::CLASSES;

/// The bit of the first class of a part that is not the first of its entry: these are looked for once there is
/// a first one, as parts are found in the order in which they begin.
const LATER: Classes = 1 << COUNT;

/// How many folded characters may stand between two parts of an entry.
const GAP: usize = 100;

/// How many classes there are.
const COUNT: usize = CLASSES.len();

/// No text of fewer bytes holds an entry.
const SHORTEST: usize = 3;

/// Between the parts of an entry.
pub(super) const SEPARATOR: &str = " .. ";

/// Stands for every character beyond ASCII that is no white space.
pub(super) const OTHER: u8 = 0xFE;

/// The classes found in a text, and where, if that is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    ranges: [Option<Range<usize>>; COUNT],
}

impl Found {
    /// Each class by its name, in the order of names, with its first match in the text.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static str, Range<usize>)> {
        let named = CLASSES.iter().zip(&self.ranges);
        named.filter_map(|(&(name, _), range)| Some((name, range.clone()?)))
    }

    /// Whether no class was found.
    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.ranges.iter().all(Option::is_none)
    }
}

/// The classes of words in decoded text; `seen` is the union of the classes of its bytes.
pub(crate) fn classes(text: &[u8], seen: u32, cx: Context<'_>) -> Option<Found> {
    (text.len() >= SHORTEST && witness::may_hold(text, seen)).then(|| search(text, seen, cx))
}

/// All looks at a text that may hold something.
pub(super) fn search(text: &[u8], classes: u32, cx: Context<'_>) -> Found {
    let mut found = Found::default();
    let seen = Seen::by_classes(classes).or_else(|| Seen::by_bits(text)).unwrap_or_else(|| Seen::of(text));
    if !seen.telling {
        return found;
    }
    look(text, Look::Plain, cx, &mut found);
    if seen.comment {
        look(text, Look::Comments, cx, &mut found);
    }
    if seen.quoting {
        look(text, Look::Shell, cx, &mut found);
    }
    found
}

/// The offsets in the folded text before which white space was dropped, in ascending order.
fn gaps<'a>(text: &[u8], look: Look, cx: Context<'a>) -> BumpVec<'a, usize> {
    let mut gaps = BumpVec::new_in(cx.bump);
    let (mut end, mut count) = (0, 0);
    fold(text, look, |_, range| {
        if range.start > end && text.get(end).is_some_and(|&byte| is_space(byte)) {
            gaps.push(count);
        }
        end = range.end;
        count += 1;
    });
    gaps
}

/// Whether white space begins with this byte, or may: what stands between two folded characters and
/// begins beyond ASCII was dropped as white space.
fn is_space(byte: u8) -> bool {
    matches!(kind(byte), Kind::Space | Kind::High)
}

/// What a text has, so that looks that cannot find anything more are left out.
struct Seen {
    /// A byte that numbers, dates and lists of them do not have: every entry has one.
    telling: bool,
    /// What may be a comment.
    comment: bool,
    /// What shells drop from words.
    quoting: bool,
}

impl Seen {
    /// What the union of the classes of its bytes tells, where that is enough: letters are telling, and
    /// every comment and quote has a sign or a control.
    fn by_classes(classes: u32) -> Option<Self> {
        (classes & ALPHA != 0 && classes & (WORD_SIGN | CONTROL) == 0).then_some(Seen {
            telling: true,
            comment: false,
            quoting: false,
        })
    }

    /// What bits of its bytes tell, where that is enough: of comments only that there is none.
    fn by_bits(text: &[u8]) -> Option<Self> {
        const TELLING: u8 = 1;
        const QUOTING: u8 = 2;
        const STAR: u8 = 4;
        const LINE_COMMENT: u8 = 8;
        const LINE_END: u8 = 16;
        const BITS: [u8; 256] = {
            let mut bits = [0; 256];
            let mut byte = 0;
            while byte < 256 {
                bits[byte] = match byte as u8 {
                    b'0'..=b'9' | b'.' | b',' | b':' | b' ' | b'_' => 0,
                    b'-' => LINE_COMMENT,
                    b'#' => LINE_COMMENT | TELLING,
                    b'\n' => LINE_END,
                    b'*' => STAR | TELLING,
                    b'\\' | b'^' | b'\'' | b'"' | b'$' | b'`' => QUOTING | TELLING,
                    _ => TELLING,
                };
                byte += 1;
            }
            bits
        };
        let bits = text
            .iter()
            .fold(0, |bits, byte| bits | BITS.get(usize::from(*byte)).copied().unwrap_or_default());
        let may_comment = bits & STAR != 0 || bits & LINE_COMMENT != 0 && bits & LINE_END != 0;
        (!may_comment).then_some(Seen {
            telling: bits & TELLING != 0,
            comment: false,
            quoting: bits & QUOTING != 0,
        })
    }

    fn of(text: &[u8]) -> Self {
        let mut seen = Seen { telling: false, comment: false, quoting: false };
        let mut before = 0;
        let mut in_line_comment = false;
        for &byte in text {
            match byte {
                b'0'..=b'9' | b'.' | b',' | b':' | b' ' | b'_' => {}
                b'-' => in_line_comment |= before == b'-',
                b'#' => {
                    in_line_comment = true;
                    seen.telling = true;
                }
                b'\n' => seen.comment |= in_line_comment,
                b'*' => {
                    seen.comment |= before == b'/';
                    seen.telling = true;
                }
                _ => {
                    seen.telling = true;
                    seen.quoting |= matches!(byte, b'\\' | b'^' | b'\'' | b'"' | b'$' | b'`');
                }
            }
            before = byte;
        }
        seen
    }
}

/// One way to read a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Everything that is there.
    Plain,
    /// As databases and languages read it: comments are spaces.
    Comments,
    /// As shells read it: what they drop from words is dropped.
    Shell,
}

/// What folding does with a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Stays, in lower case, however it is looked at.
    Letter,
    /// Stays, in lower case; a look may read it otherwise.
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

fn kind(byte: u8) -> Kind {
    KINDS.get(usize::from(byte)).copied().unwrap_or(Kind::Plain)
}

/// What [`fold_into`] does with a byte, and what is put for it; by look and byte.
const ACTS: [[(Act, u8); 256]; 3] = [acts_of(b""), acts_of(b"/*#-"), acts_of(b"\\^'\"`$<")];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    /// Puts it.
    Stay,
    /// The same, and spaces beside it go.
    Tight,
    Space,
    Digit,
    Slash,
    Dot,
    /// Sees what begins there: something that the look drops, or a character beyond ASCII.
    See,
}

/// What is done in a look that drops something which may begin with `dropped`.
const fn acts_of(dropped: &[u8]) -> [(Act, u8); 256] {
    let mut acts = [(Act::Stay, 0); 256];
    let mut byte = 0;
    while byte < 256 {
        let lower = (byte as u8).to_ascii_lowercase();
        acts[byte] = match KINDS[byte] {
            Kind::Letter | Kind::Plain => (Act::Stay, lower),
            Kind::Tight => (Act::Tight, lower),
            Kind::Space => (Act::Space, b' '),
            Kind::Digit => (Act::Digit, b'0'),
            Kind::Slash => (Act::Slash, b'/'),
            Kind::Dot => (Act::Dot, b'.'),
            Kind::High => (Act::See, OTHER),
        };
        byte += 1;
    }
    let mut nth = 0;
    while nth < dropped.len() {
        acts[dropped[nth] as usize].0 = Act::See;
        nth += 1;
    }
    acts
}

/// What [`fold`] puts, into an empty buffer, without where it came from. All that has to be known of what
/// came before is the character put last, and whether a space is due.
fn fold_into(text: &[u8], look: Look, folded: &mut Vec<u8>) {
    let [plain, comments, shell] = &ACTS;
    let acts = match look {
        Look::Plain => plain,
        Look::Comments => comments,
        Look::Shell => shell,
    };
    let mut comments = Comments::default();
    folded.resize(text.len(), 0);
    let mut out = Folded { bytes: folded.as_mut_slice(), len: 0 };
    let mut at = 0;
    loop {
        while let (Some(byte), Some(place)) = (text.get(at), out.bytes.get_mut(out.len))
            && let (Act::Stay | Act::Tight, put) = act_of(acts, *byte)
        {
            *place = put;
            at += 1;
            out.len += 1;
        }
        // What is odd, and what is put next if a space is due before that.
        let mut is_space_due = false;
        loop {
            let Some(&byte) = text.get(at) else {
                let len = out.len;
                folded.truncate(len);
                return;
            };
            let (mut act, mut put) = act_of(acts, byte);
            at += 1;
            if act == Act::See {
                let (seen, width) = see(text.get(at - 1..).unwrap_or_default(), look, &mut comments);
                at += width - 1;
                (act, put) = match seen {
                    Some(OTHER) => (Act::Stay, OTHER),
                    Some(byte) => act_of(plain, byte),
                    None => continue,
                };
            }
            match act {
                Act::Space => {
                    is_space_due = true;
                    continue;
                }
                Act::Digit => {
                    while text.get(at).is_some_and(u8::is_ascii_digit) {
                        at += 1;
                    }
                }
                _ => {}
            }
            if is_space_due {
                if act != Act::Tight && !out.is_tight() {
                    out.put(b' ');
                }
            } else if act == Act::Digit && out.last() == Some(b'0')
                || act == Act::Slash && out.last() == Some(b'/')
                || act == Act::Dot && out.last() == Some(b'/') && is_passed_over(text, at, look, comments)
            {
                break;
            }
            out.put(put);
            break;
        }
    }
}

fn act_of(acts: &[(Act, u8); 256], byte: u8) -> (Act, u8) {
    acts.get(usize::from(byte)).copied().unwrap_or((Act::Stay, byte))
}

/// What was folded so far.
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

    fn last(&self) -> Option<u8> {
        self.bytes.get(self.len.wrapping_sub(1)).copied()
    }

    /// Whether a space goes here: after a sign that spaces go beside, or at the beginning.
    fn is_tight(&self) -> bool {
        self.last().is_none_or(|last| kind(last) == Kind::Tight)
    }
}

/// Whether a dot that ends at `at` stands between slashes.
#[inline(never)]
fn is_passed_over(text: &[u8], at: usize, look: Look, comments: Comments) -> bool {
    begins_with_slash(undropped(text.get(at..).unwrap_or_default(), look, comments))
}

/// The character of ASCII, or [`OTHER`], that stands at the start of `rest` in a look, and how long it is; none
/// where something is dropped.
#[inline(never)]
fn see(rest: &[u8], look: Look, comments: &mut Comments) -> (Option<u8>, usize) {
    let first = rest.first().copied().unwrap_or_default();
    if !first.is_ascii() {
        let (byte, width) = beyond_ascii_quick(rest);
        return (Some(byte), width);
    }
    let dropped = match look {
        Look::Plain => None,
        Look::Comments => comments.skip(rest).map(|len| (true, len)),
        Look::Shell => dropped(rest),
    };
    match dropped {
        Some((is_space, width)) => (is_space.then_some(b' '), width),
        None => (Some(first), 1),
    }
}

/// What [`beyond_ascii`] tells, told sooner of guarded bytes and characters that begin like no white space.
fn beyond_ascii_quick(rest: &[u8]) -> (u8, usize) {
    match rest {
        [GUARD, high @ b'8'..=b'F', b'0'..=b'9' | b'A'..=b'F', ..] if high.is_ascii_hexdigit() => (OTHER, 3),
        [0xE4..=0xEC | 0xEE | 0xEF, 0x80..=0xBF, 0x80..=0xBF, ..] => (OTHER, 3),
        [0xC3..=0xDF, 0x80..=0xBF, ..] => (OTHER, 2),
        _ => beyond_ascii(rest),
    }
}

/// Folds a text; `put` is given each folded character and the bytes it stands for. Both texts and
/// entries go through here.
fn fold(text: &[u8], look: Look, mut put: impl FnMut(u8, Range<usize>)) {
    steps::count(text.len());
    let mut at = 0;
    // A text begins as after a space: one at its beginning says nothing.
    let mut last = b' ';
    let mut is_tight = true;
    let mut space: Option<Range<usize>> = None;
    let mut comments = Comments::default();
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
        let skipped = match look {
            Look::Plain => None,
            Look::Comments => comments.skip(rest).map(|len| (true, len)),
            Look::Shell => dropped(rest),
        };
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
                    && begins_with_slash(undropped(text.get(at..).unwrap_or_default(), look, comments)) =>
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

/// What follows what a look drops; nothing, where it makes a space of that.
fn undropped(mut rest: &[u8], look: Look, mut comments: Comments) -> &[u8] {
    loop {
        steps::count(1);
        let skipped = match look {
            Look::Plain => None,
            Look::Comments => comments.skip(rest).map(|len| (true, len)),
            Look::Shell => dropped(rest),
        };
        rest = match skipped {
            None => return rest,
            Some((true, _)) => return &[],
            Some((false, len)) => rest.get(len..).unwrap_or_default(),
        };
    }
}

/// Whether a `/`, as folding sees it, comes first.
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

/// Finds comments.
#[derive(Clone, Copy, Default)]
struct Comments {
    /// No `*/`, no line end follows any more: neither is searched for twice in vain.
    no_end: bool,
    no_line_end: bool,
    /// How many `/*!`, whose content counts, are open.
    open: usize,
}

impl Comments {
    /// The length of the comment, or of the mark, that `rest` begins with.
    fn skip(&mut self, rest: &[u8]) -> Option<usize> {
        match rest {
            [b'/', b'*', b'!', after @ ..] => {
                self.open += 1;
                Some(3 + after.iter().take_while(|byte| byte.is_ascii_digit()).count())
            }
            [b'*', b'/', ..] if self.open > 0 => {
                self.open -= 1;
                Some(2)
            }
            [b'/', b'*', after @ ..] if !self.no_end => {
                let end = memchr::memmem::find(after, b"*/");
                steps::count(end.unwrap_or(after.len()));
                self.no_end = end.is_none();
                end.map(|end| end + 4)
            }
            [b'#', ..] | [b'-', b'-', ..] if !self.no_line_end => {
                let end = memchr::memchr(b'\n', rest);
                steps::count(end.unwrap_or(rest.len()));
                self.no_line_end = end.is_none();
                end.map(|end| end + 1)
            }
            _ => None,
        }
    }
}

/// What shells drop from words, or read as a space, and its length: quotes and escapes of `sh` and
/// `cmd.exe`, and what expands to nothing or to white space.
fn dropped(rest: &[u8]) -> Option<(bool, usize)> {
    match rest {
        [b'\\' | b'^', b'\r', b'\n', ..] => Some((false, 3)),
        [b'\\' | b'^', b'\n', ..] => Some((false, 2)),
        [b'\\' | b'^' | b'\'' | b'"', ..] => Some((false, 1)),
        [b'`', b'`', ..] => Some((false, 2)),
        [b'$' | b'<', b'(', b')', ..] => Some((false, 3)),
        [b'$', b'@' | b'*' | b'!' | b'-' | b'0'..=b'9', ..] => Some((false, 2)),
        [b'$', b'{', after @ ..] => {
            let name = after.get(..after.iter().take(16).position(|&byte| byte == b'}')?)?;
            let is_name = |byte: &u8| is_word(*byte) || matches!(byte, b'@' | b'*' | b'!');
            let is_space = name.eq_ignore_ascii_case(b"ifs");
            (!name.is_empty() && name.iter().all(is_name)).then_some((is_space, name.len() + 3))
        }
        [b'$', name @ ..] => {
            let len = name.iter().take(4).take_while(|&&byte| is_word(byte)).count();
            match name.get(..len)? {
                [_] => Some((false, 2)),
                name if name.eq_ignore_ascii_case(b"ifs") => Some((true, 4)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// After a part: no white space before its last character.
const CLOSE: &str = " !";

/// After a part: the text ends there.
const AT_END: &str = " $";

/// What must stand before or after a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// Anything.
    Any,
    /// No letter, digit or `_`.
    Boundary,
    /// What begins or ends a command of a shell.
    Command,
    /// The end of the text.
    End,
}

/// A part's place in its entry. Slots keep how far entries have come.
#[derive(Clone, Copy)]
enum Step {
    Only,
    First { slot: usize },
    Middle { from: usize, slot: usize },
    Last { from: usize },
}

/// What is known of a pattern.
#[derive(Clone, Copy)]
struct Part {
    class: usize,
    before: Edge,
    after: Edge,
    /// The last character stands close to the one before, and does not begin a plural in brackets.
    is_close: bool,
    step: Step,
}

/// All entries, made ready.
struct Dictionary {
    patterns: Patterns,
    /// By pattern.
    parts: Vec<Part>,
    slots: usize,
}

impl Dictionary {
    fn new() -> Self {
        let mut parts = Vec::new();
        let mut patterns = Vec::new();
        let mut slots = 0;
        for (class, (_, entries)) in CLASSES.iter().enumerate() {
            for entry in *entries {
                let last = entry.split(SEPARATOR).count() - 1;
                for (index, written) in entry.split(SEPARATOR).enumerate() {
                    let step = match index {
                        0 if last == 0 => Step::Only,
                        0 => Step::First { slot: slots },
                        _ if index == last => Step::Last { from: slots },
                        _ => Step::Middle { from: slots, slot: slots + 1 },
                    };
                    slots += usize::from(index > 0);
                    let Written { before, after, is_close, .. } = marks(written);
                    let pattern = folded_part(written);
                    parts.push(Part { class, before, after, is_close, step });
                    let begins_with_word = pattern.first().is_some_and(|first| is_word(*first));
                    let place = match before {
                        _ if !begins_with_word => Place::Sign,
                        Edge::Boundary => Place::Word,
                        Edge::Command => Place::Command,
                        Edge::Any | Edge::End => Place::Anywhere,
                    };
                    patterns.push((pattern, place));
                }
            }
        }
        let class_of = |id: usize| {
            parts.get(id).map_or(0, |part: &Part| match part.step {
                Step::Only | Step::First { .. } => 1 << part.class,
                Step::Middle { .. } | Step::Last { .. } => LATER << part.class,
            })
        };
        Dictionary { patterns: Patterns::new(&patterns, class_of), parts, slots }
    }
}

static DICTIONARY: LazyLock<Dictionary> = LazyLock::new(Dictionary::new);

/// A part of an entry without its marks, as it is searched for.
pub(super) fn folded_part(written: &str) -> Vec<u8> {
    let mut folded = Vec::with_capacity(written.len());
    fold(marks(written).part.as_bytes(), Look::Plain, |byte, _| folded.push(byte));
    folded
}

/// A part without its marks, and what they and its own characters ask for.
struct Written<'w> {
    part: &'w str,
    before: Edge,
    after: Edge,
    is_close: bool,
}

/// Reads the marks of a part.
fn marks(written: &str) -> Written<'_> {
    if let Some(part) = written.strip_prefix('^') {
        return Written { part, before: Edge::Command, after: Edge::Command, is_close: false };
    }
    let ended = written.strip_suffix(AT_END);
    let closed = written.strip_suffix(CLOSE);
    let touching = ended.or(closed).unwrap_or(written);
    let part = touching.trim_matches('~');
    let edge = |byte: Option<&u8>| match byte {
        Some(&byte) if is_word(byte) => Edge::Boundary,
        _ => Edge::Any,
    };
    // A name that begins with a dot is a file of its own, not the end of another's name.
    let name = part.strip_prefix('.').unwrap_or(part);
    let before = if touching.starts_with('~') { Edge::Any } else { edge(name.as_bytes().first()) };
    let after = match ended {
        Some(_) => Edge::End,
        None if touching.ends_with('~') => Edge::Any,
        None => edge(part.as_bytes().last()),
    };
    Written { part, before, after, is_close: closed.is_some() }
}

/// The classes that a look counts for, a bit each.
fn counted(look: Look) -> Classes {
    const fn bits(names: &[&str]) -> Classes {
        let mut bits = 0;
        let mut class = 0;
        while class < CLASSES.len() {
            let mut index = 0;
            while index < names.len() {
                if is_same(CLASSES[class].0.as_bytes(), names[index].as_bytes()) {
                    bits |= 1 << class;
                }
                index += 1;
            }
            class += 1;
        }
        bits
    }
    const fn is_same(a: &[u8], b: &[u8]) -> bool {
        let mut at = 0;
        while at < a.len() && at < b.len() && a[at] == b[at] {
            at += 1;
        }
        at == a.len() && at == b.len()
    }
    const COMMENTS: Classes = bits(&["js", "php", "sql"]);
    const SHELL: Classes = bits(&["file", "shell"]);
    const _: () = assert!(COMMENTS.count_ones() == 3 && SHELL.count_ones() == 2);
    match look {
        Look::Plain => LATER - 1,
        Look::Comments => COMMENTS,
        Look::Shell => SHELL,
    }
}

/// Adds the classes that one look finds.
fn look(text: &[u8], look: Look, cx: Context<'_>, found: &mut Found) {
    let mut wanted = counted(look);
    for (class, range) in found.ranges.iter().enumerate() {
        wanted &= !(Classes::from(range.is_some()) << class);
    }
    if wanted == 0 {
        return;
    }
    let matched = cx.spare.with(|folded| {
        folded.reserve(text.len() + PADDING.len());
        fold_into(text, look, folded);
        Search::run(&DICTIONARY, Source { text, look, cx }, folded, wanted)
    });
    for (place, matched) in found.ranges.iter_mut().zip(matched) {
        if let Some(Match { end, begun, .. }) = matched {
            // Only evidence tells where.
            *place = Some(if cx.traced { locate(text, look, begun..end) } else { 0..text.len() });
        }
    }
}

/// The bytes of the text that a range of its folded form stands for.
fn locate(text: &[u8], look: Look, range: Range<usize>) -> Range<usize> {
    let mut found = 0..text.len();
    let mut count = 0;
    fold(text, look, |_, bytes| {
        if count == range.start {
            found.start = bytes.start;
        }
        count += 1;
        if count == range.end {
            found.end = bytes.end;
        }
    });
    found
}

/// What is folded, and how.
#[derive(Clone, Copy)]
struct Source<'s> {
    text: &'s [u8],
    look: Look,
    cx: Context<'s>,
}

/// A match. Of two, that one counts which ends first, then which begins first, then which is listed
/// first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Match {
    end: usize,
    /// Where the part begins that ends it.
    start: usize,
    id: usize,
    /// Where the entry began.
    begun: usize,
}

/// How many parts are kept before some are joined: a text of signs alone has several at each place.
const MOST_PARTS: usize = 1024;

/// One look at a text. All offsets are of the folded text.
struct Search<'s> {
    dictionary: &'s Dictionary,
    source: Source<'s>,
    folded: &'s [u8],
    /// The classes that are searched for, a bit each; above these, those that a later part may belong to.
    wanted: Classes,
    /// The first match of each class.
    first: [Option<Match>; COUNT],
    /// The parts of entries of several that were found and are not joined yet.
    parts: BumpVec<'s, Match>,
    /// When there are so many, those that no later one can come before are joined.
    most_parts: usize,
    /// Where the entry that a slot stands for began, and where it has come to.
    progress: BumpVec<'s, Option<Range<usize>>>,
    /// Where white space was dropped; worked out when it is asked for.
    gaps: OnceCell<BumpVec<'s, usize>>,
}

impl<'s> Search<'s> {
    /// The first match of each class that is wanted.
    fn run(
        dictionary: &'s Dictionary,
        source: Source<'s>,
        folded: &'s mut Vec<u8>,
        wanted: Classes,
    ) -> [Option<Match>; COUNT] {
        let len = folded.len();
        folded.extend_from_slice(&PADDING);
        let padded: &'s [u8] = folded;
        let mut search = Search {
            dictionary,
            source,
            folded: padded.get(..len).unwrap_or_default(),
            wanted,
            first: [None; COUNT],
            parts: BumpVec::new_in(source.cx.bump),
            most_parts: MOST_PARTS,
            progress: BumpVec::new_in(source.cx.bump),
            gaps: OnceCell::new(),
        };
        dictionary.patterns.find_all(padded, wanted, |id, start, end| {
            search.part(id, start, end);
            search.wanted
        });
        search.join_parts(usize::MAX);
        search.first
    }

    /// Takes a part that stands from `start` to `end`.
    fn part(&mut self, id: usize, start: usize, end: usize) {
        steps::count(1);
        let Some(&part) = self.dictionary.parts.get(id) else { return };
        let found = Match { end, start, id, begun: start };
        let is_traced = self.source.cx.traced;
        let is_before = |first: &Option<Match>| first.is_some_and(|first| !is_traced || first < found);
        let is_late = self.first.get(part.class).is_some_and(is_before);
        if self.wanted >> part.class & 1 == 0 || is_late || !self.stands_alone(part, start, end) {
            return;
        }
        match part.step {
            Step::Only => self.finish(part.class, found),
            _ => {
                self.wanted |= LATER << part.class;
                self.parts.push(found);
                if self.parts.len() >= self.most_parts {
                    self.join_parts(start);
                    self.most_parts = MOST_PARTS.max(2 * self.parts.len());
                }
            }
        }
    }

    fn finish(&mut self, class: usize, found: Match) {
        if let Some(first) = self.first.get_mut(class)
            && first.is_none_or(|first| found < first)
        {
            *first = Some(found);
            // Only evidence tells which of several is the first.
            if !self.source.cx.traced {
                self.wanted &= !((1 | LATER) << class);
            }
        }
    }

    /// Puts the parts of entries together, in the order in which they end: those that end by `reached`, where all that
    /// are still to come begin.
    fn join_parts(&mut self, reached: usize) {
        if self.parts.is_empty() {
            return;
        }
        if self.progress.is_empty() {
            self.progress.resize(self.dictionary.slots, None);
        }
        let mut parts = std::mem::replace(&mut self.parts, BumpVec::new_in(self.source.cx.bump));
        steps::count(parts.len());
        parts.sort_unstable();
        let ended = parts.partition_point(|found| found.end <= reached);
        for found in parts.drain(..ended) {
            self.join(found);
        }
        self.parts = parts;
    }

    /// Takes a part, which ends behind all that were taken before.
    fn join(&mut self, found: Match) {
        let Match { end, start, id, .. } = found;
        let Some(&Part { class, step, .. }) = self.dictionary.parts.get(id) else { return };
        // Where the entry began whose part so far ended not far before this one.
        let reached = |slot: usize| {
            let so_far = self.progress.get(slot)?.as_ref()?;
            let gap = start.checked_sub(so_far.end)?;
            (gap <= GAP).then_some(so_far.start)
        };
        let (begun, next) = match step {
            Step::Only => (None, None),
            Step::First { slot } => (Some(start), Some(slot)),
            Step::Middle { from, slot } => (reached(from), Some(slot)),
            Step::Last { from } => (reached(from), None),
        };
        match (begun, next.and_then(|slot| self.progress.get_mut(slot))) {
            (Some(begun), Some(place)) => *place = Some(begun..end),
            (Some(begun), None) => self.finish(class, Match { begun, ..found }),
            (None, _) => {}
        }
    }

    /// Whether what stands around a part is what it asks for.
    fn stands_alone(&self, part: Part, start: usize, end: usize) -> bool {
        let bytes = self.folded;
        let before = |back: usize| start.checked_sub(back).and_then(|at| bytes.get(at)).copied();
        let begins = match part.before {
            Edge::Any => true,
            Edge::Boundary => !before(1).is_some_and(is_word),
            Edge::Command => match before(1) {
                Some(b';' | b'|' | b'&') => true,
                Some(b'(') => before(2) == Some(b'$'),
                _ => false,
            },
            Edge::End => false,
        };
        let rest = bytes.get(end..).unwrap_or_default();
        let next = rest.first().copied();
        let ends = match part.after {
            Edge::Any => true,
            Edge::Boundary => !next.is_some_and(is_word),
            Edge::Command => {
                next.is_none_or(|byte| matches!(byte, b' ' | b';' | b'|' | b'&' | b')' | b'<' | b'>' | b'$'))
            }
            Edge::End => next.is_none(),
        };
        let Source { text, look, cx } = self.source;
        let is_gap = || self.gaps.get_or_init(|| gaps(text, look, cx)).binary_search(&(end - 1)).is_ok();
        let is_plural = || rest.starts_with(b"s)") || rest.starts_with(b"es)");
        begins && ends && !(part.is_close && (is_gap() || is_plural()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes;
    use crate::context::tests::with_context;

    fn classes(text: &[u8]) -> Found {
        with_context(|cx| super::classes(text, bytes::union(text), cx)).unwrap_or_default()
    }

    fn found(text: impl AsRef<[u8]>) -> Vec<&'static str> {
        classes(text.as_ref()).iter().map(|(name, _)| name).collect()
    }

    fn folded(text: &str, look: Look) -> String {
        let mut bytes = Vec::new();
        fold(text.as_bytes(), look, |byte, _| bytes.push(byte));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
        CLASSES.iter().flat_map(|&(class, entries)| entries.iter().map(move |&entry| (class, entry)))
    }

    /// A text that the entry is there for: parts with something between them, a command after `;`.
    fn text_of(entry: &str) -> String {
        let parts: Vec<String> = entry
            .split(SEPARATOR)
            .map(|part| match part.strip_prefix('^') {
                Some(command) => format!(";{command}"),
                None => marks(part).part.to_owned(),
            })
            .collect();
        parts.join(" # ")
    }

    #[test]
    fn parts_of_entries_do_not_pile_up() {
        let text = "=".repeat(200_000);
        let taken = with_context(|cx| {
            super::classes(text.as_bytes(), bytes::union(text.as_bytes()), cx);
            cx.bump.allocated_bytes()
        });
        assert!(taken < 1 << 20, "{taken} bytes for {}", text.len());
    }

    #[test]
    fn entries_are_long_enough_and_classes_are_sorted() {
        let is_long = |entry: &str| folded_part(entry).len() >= SHORTEST;
        assert!(
            entries().all(|(_, entry)| is_long(entry) || entry.contains(SEPARATOR) || entry.starts_with('^'))
        );
        assert!(CLASSES.is_sorted_by_key(|(name, _)| name));
        assert_eq!(COUNT, 11);
    }

    #[test]
    fn every_entry_is_found_in_its_class_in_any_spelling() {
        for (class, entry) in entries() {
            let text = text_of(entry);
            let spellings = [
                text.clone(),
                text.to_ascii_uppercase(),
                text.replace(' ', "+"),
                text.replace(' ', " \t\r\n\u{A0}"),
                format!("- {text} -"),
                format!("é{text} é"),
                format!("- {text} \t"),
            ];
            let is_last = entry.ends_with(AT_END);
            for spelling in spellings.iter().filter(|text| !is_last || !text.ends_with(['-', 'é'])) {
                assert!(found(spelling).contains(&class), "{class}: {entry:?} in {spelling:?}");
            }
            if matches!(class, "sql" | "php" | "js") {
                let spelling = text.replace(' ', "/* x */");
                assert!(found(&spelling).contains(&class), "{class}: {entry:?} in {spelling:?}");
            }
        }
    }

    /// The entry alone, so that no shorter one is found in its stead.
    fn matches_alone(entry: &str, text: &str) -> bool {
        let Written { part, before, after, .. } = marks(entry);
        let pattern = folded(part, Look::Plain);
        let text = folded(text, Look::Plain);
        text.match_indices(&pattern).any(|(at, _)| {
            let before_ok =
                before != Edge::Boundary || !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
            let rest = &text[at + pattern.len()..];
            before_ok && (after != Edge::Boundary || !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        })
    }

    #[test]
    fn a_letter_glued_to_a_word_breaks_it() {
        let mut broken = 0;
        for (class, entry) in
            entries().filter(|(_, entry)| !entry.contains(SEPARATOR) && !entry.contains('^'))
        {
            let Written { part, before, after, .. } = marks(entry);
            let mut glued = Vec::new();
            if before == Edge::Boundary {
                glued.push(format!("zq{part}"));
            }
            if after == Edge::Boundary {
                glued.push(format!("{part}zq"));
            }
            for text in glued {
                assert!(!matches_alone(entry, &text), "{entry:?} in {text:?}");
                if !found(&text).contains(&class) {
                    broken += 1;
                    continue;
                }
                // Only because another entry is found inside.
                let inside = entries().any(|(of, other)| {
                    let mut parts = other.split(SEPARATOR);
                    of == class && other != entry && parts.all(|part| matches_alone(part, &text))
                });
                assert!(inside, "{class}: {entry:?} in {text:?}");
            }
        }
        assert!(broken > 1000, "{broken}");
    }

    #[test]
    fn folding() {
        for (text, plain) in [
            ("UNION\t\n SELECT+1", "union select 0"),
            ("sleep ( 5 )", "sleep(0)"),
            ("  a  ", "a"),
            ("or 12 = 345", "or 0=0"),
            ("c:\\\\windows\\.\\system32//cmd", "c:/windows/system0/cmd"),
            ("/etc/./passwd", "/etc/passwd"),
            ("../../a", "../../a"),
            ("a\0b\u{2003}c\u{85}d", "a b c d"),
            ("/* a */ b", "/*a*/ b"),
        ] {
            assert_eq!(folded(text, Look::Plain), plain, "{text:?}");
        }
        let mut guarded = Vec::new();
        fold(b"..\xFF2Fetc\xFF2F\xFFC0x", Look::Plain, |byte, _| guarded.push(byte));
        assert_eq!(guarded, b"../etc/\xFEx");
        guarded.clear();
        fold(b"etc\xFF2F.\xFF2F\xFF5Cpasswd", Look::Plain, |byte, _| guarded.push(byte));
        assert_eq!(guarded, b"etc/passwd");
        for (text, comments) in [
            ("union/**/select", "union select"),
            ("union/*a*/ /*b*/select", "union select"),
            ("/*!50000union*/ /*!select*/ 1", "union select 0"),
            ("union#a\nselect", "union select"),
            ("union -- a\nselect", "union select"),
            ("a/*b", "a/*b"),
            ("a#b", "a#b"),
        ] {
            assert_eq!(folded(text, Look::Comments), comments, "{text:?}");
        }
        for (text, shell) in [
            ("c'a't /e\\tc/p\"\"asswd", "cat /etc/passwd"),
            ("w^hoami", "whoami"),
            ("cat /et\\\nc/pass\\\r\nwd", "cat /etc/passwd"),
            ("cat$IFS/etc/passwd", "cat /etc/passwd"),
            ("cat${IFS}$9/etc/passwd", "cat /etc/passwd"),
            ("wh$@oami", "whoami"),
            ("python2'3'.1", "python0.0"),
            ("wh``oami", "whoami"),
            ("wh$()oami", "whoami"),
            ("wh${x}oami", "whoami"),
            ("wh$u\\oami", "whoami"),
            ("$home/.ssh", "$home/.ssh"),
            ("$ifsx ${", "$ifsx ${"),
        ] {
            assert_eq!(folded(text, Look::Shell), shell, "{text:?}");
        }
    }

    #[test]
    fn both_ways_to_fold_agree() {
        let mut random = crate::context::tests::random();
        let pieces: [&[u8]; 52] = [
            b"a",
            b"Z",
            b"_",
            b"0",
            b"12",
            b"/",
            b"\\",
            b".",
            b"./",
            b"..",
            b" ",
            b"+",
            b"\t",
            b"\n",
            b"\r",
            b"\0",
            b"\x7F",
            b"(",
            b")",
            b"=",
            b"'",
            b"\"",
            b"`",
            b"``",
            b"$",
            b"${IFS}",
            b"$ifs",
            b"$()",
            b"$9",
            b"${x}",
            b"<()",
            b"^",
            b"*",
            b"/*",
            b"/*!5",
            b"*/",
            b"#",
            b"-",
            b"--",
            b"\xFF2F",
            b"\xFF5C",
            b"\xFF41",
            b"\xFF31",
            b"\xFF20",
            b"\xFF",
            b"\xC3\xA9",
            b"\xC2\xA0",
            b"\xE3\x80\x80",
            b"\xEF\xBC\xA1",
            b"\xED\xA0\x80",
            b"\xF0\x9F\x98\x80",
            b"\xE2\x80\x83",
        ];
        for round in 0..30_000_u32 {
            let text: Vec<u8> =
                (0..round % 14).flat_map(|_| pieces[random(52) as usize].iter().copied()).collect();
            for look in [Look::Plain, Look::Comments, Look::Shell] {
                let (mut quick, mut slow) = (Vec::new(), Vec::new());
                fold_into(&text, look, &mut quick);
                fold(&text, look, |byte, _| slow.push(byte));
                assert_eq!(quick, slow, "{}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn classes_tell_what_the_bytes_tell() {
        let texts = ["a", "a b", "1.5", "a'b", "a\nb", "-- a\n", "/* a", "a$b", "A/b?c=1", "é", "a~b", ""];
        for text in texts {
            let seen = Seen::of(text.as_bytes());
            if let Some(by_classes) = Seen::by_classes(bytes::union(text.as_bytes())) {
                assert!(seen.telling && by_classes.telling, "{text}");
                assert!(!seen.comment && !seen.quoting, "{text}");
            }
            if let Some(by_bits) = Seen::by_bits(text.as_bytes()) {
                assert_eq!((by_bits.telling, by_bits.quoting), (seen.telling, seen.quoting), "{text}");
                assert!(!seen.comment, "{text}");
            }
        }
        assert!(Seen::by_bits(b"a-b'#").is_some() && Seen::by_bits(b"#\n").is_none());
        assert!(Seen::by_classes(bytes::union(b"a b/c")).is_some());
    }

    #[test]
    fn what_each_look_counts_for() {
        assert_eq!(found("1 union/*x*/select 2"), ["sql"]);
        assert_eq!(found("1/*!50000union*//*!12345select*/2"), ["sql"]);
        assert_eq!(found("/* union select */ 1"), ["sql"], "what a comment holds counts too");
        assert_eq!(found("w'h'oami"), ["shell"]);
        assert_eq!(found("/e'tc/pass'wd"), ["file"]);
        assert_eq!(found("uni'on sel'ect 1"), [""; 0]);
    }

    #[test]
    fn numbers_and_plain_words_are_nothing() {
        for text in [
            "",
            "a",
            "12",
            "2024-01-02 03:04:05",
            "1,2,3",
            "union of select sets",
            "select an option from the list",
            "drop me a line",
            "the cat sat on the table",
            "id",
            "time",
            "who",
            "find",
            "order by phone",
            "please update the record and set the date",
            "system",
            "exec",
            "alert",
            "script",
            "java",
            "O'Brien",
            "https://example.com/a?b=c&id=1&sort=name",
            "index.php",
            "a@b.com",
            "Mozilla/5.0 (X11; Linux x86_64)",
        ] {
            assert_eq!(found(text), [""; 0], "{text:?}");
        }
    }

    #[test]
    fn a_match_leads_back_to_the_text() {
        for (text, class, expected) in [
            ("é 1  UNION /**/\t SELECT 2", "sql", "UNION /**/\t SELECT"),
            ("a /etc/./passwd;", "file", "etc/./passwd"),
            ("a; w\"h\"oami", "shell", "w\"h\"oami"),
            ("<!ENTITY a b SYSTEM 'x'>", "xxe", "<!ENTITY"),
            ("or  12 =  345 x", "sql", "or  12 ="),
        ] {
            let all = classes(text.as_bytes());
            let (_, range) = all.iter().find(|(name, _)| *name == class).unwrap();
            assert_eq!(&text[range], expected, "{text:?}");
        }
    }

    #[test]
    fn parts_stand_in_order_and_not_far_apart() {
        let far = "x".repeat(GAP - 1);
        assert_eq!(found(format!("select {far} from dual")), ["sql"]);
        let entry = "<!doctype .. system";
        assert!(entries().any(|(_, other)| other == entry));
        assert_eq!(found("<!doctype a system"), ["xxe"]);
        assert_eq!(found("system <!doctype a"), [""; 0]);
        assert_eq!(found(format!("<!doctype {} system", "x".repeat(GAP + 1))), [""; 0]);
    }

    #[test]
    fn some_calls_have_no_space_before_the_bracket() {
        let entry = "lower( !";
        assert!(entries().any(|(_, other)| other == entry));
        for text in ["lower(", "LOWER(x)", "a lower(*)", "lower/**/(x)", "(lower(x) )"] {
            assert_eq!(found(text), ["sql"], "{text:?}");
        }
        for text in ["lower (x)", "lower\u{A0}(x)", "lower\t(", "lower(s)", "lower(es)", "flower(x)", "lower"]
        {
            assert_eq!(found(text), [""; 0], "{text:?}");
        }
    }

    #[test]
    fn some_names_end_the_text() {
        let entry = "~.bak $";
        assert!(entries().any(|(_, other)| other == entry));
        for text in ["/a/b.bak", "b.php.BAK", "b.bak ", "b.bak\0"] {
            assert_eq!(found(text), ["file"], "{text:?}");
        }
        for text in ["b.bak.txt", "b.bake", "b.bak is", "b.bak/c"] {
            assert_eq!(found(text), [""; 0], "{text:?}");
        }
    }

    #[test]
    fn commands_stand_where_commands_begin() {
        assert_eq!(found("a;id"), ["shell"]);
        assert_eq!(found("a | id "), ["shell"]);
        assert_eq!(found("a&&id"), ["shell"]);
        assert_eq!(found("$(id)"), ["shell"]);
        assert_eq!(found("a&id=3"), [""; 0]);
        assert_eq!(found("(id)"), [""; 0]);
        assert_eq!(found("id"), [""; 0]);
        assert_eq!(found("a;idea"), [""; 0]);
    }

    #[test]
    fn hostile_texts_take_linear_work() {
        for piece in [
            "/*",
            "/*!",
            "*/",
            "#",
            "--",
            "#\n",
            "-- \n",
            "<!doctype ",
            "select ",
            "select from ",
            "(((",
            "${",
            "${ifs}",
            "$",
            "''",
            "\\",
            "//",
            "/./",
            "../",
            " ",
            "+",
            "0",
            "a",
            "_",
            "\u{3000}",
            "é",
            "un/**/ion ",
            "{{",
            "'or'",
            "count (",
            "count(",
            "a.bak ",
            "( ",
        ] {
            steps::assert_linear(piece, 100_000, |many| {
                let text = piece.repeat(many);
                let _ = classes(text.as_bytes());
                let _ = classes(format!("{text} union select").as_bytes());
            });
        }
    }

    #[test]
    fn any_bytes_are_taken() {
        let mut state = 1_u32;
        let mut bytes = Vec::new();
        for round in 0..2_000 {
            bytes.clear();
            for _ in 0..round % 50 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                bytes.push((state >> 24) as u8);
            }
            for (_, range) in classes(&bytes).iter() {
                assert!(range.start < range.end && range.end <= bytes.len());
            }
        }
        assert!(classes(b"\xFF").is_empty());
        assert!(classes(b"\xFF2").is_empty());
        assert!(classes(b"\xFFzz\xC3").is_empty());
    }
}
