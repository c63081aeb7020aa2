//! Structure in values (clause 7.6): climbing, comments, operators, templates, injected headers.

use super::{Kind, Scan};
use crate::bytes::{self, ALNUM, ALPHA, TOKEN};
use crate::decode;
use crate::flags::{Flag, Flags};
use crate::lists::COMMAND_WORDS;
use crate::steps;

/// A name longer than this is no header's.
const LONGEST_NAME: usize = 64;
/// How much of a line is looked at.
const LONGEST_LINE: usize = 512;
/// No command word is longer.
const LONGEST_COMMAND: usize = 24;
/// How many blanks may stand between an operator and its word.
const MOST_BLANKS: usize = 32;

/// Raises what punctuation and its neighbours tell.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
pub(super) fn flag<'a>(scan: &Scan<'a>, flags: &mut Flags<'a>) {
    let text = scan.text.bytes;
    if scan.classes & bytes::STRUCTURE == 0 || scan.classes & STRONG == 0 && !doubles_dot_or_dash(text) {
        return;
    }
    let mut quoted = false;
    let mut at = 0;
    while let Some(step) = text.get(at..).and_then(|rest| rest.iter().position(|&b| is_telling(b))) {
        at += step;
        // What most of them are: one of a sign that tells with another behind it.
        let next = text.get(at + 1).copied().unwrap_or_default();
        let tells = match text.get(at) {
            Some(byte @ (b'.' | b'-' | b'&')) => next == *byte,
            Some(b'/') => next == b'*',
            Some(b'>') => next == b'/',
            Some(b'<') => next == b'%',
            Some(b'{') => matches!(next, b'{' | b'%'),
            Some(b'\'' | b'"') => {
                quoted = true;
                false
            }
            _ => true,
        };
        if !tells {
            at += 1;
            continue;
        }
        let (before, rest) = text.split_at_checked(at).unwrap_or((text, b""));
        let cookie = scan.kind == Kind::Cookie;
        let mut len = 1;
        match rest {
            [b'.', b'.', ..] => {
                len = rest.iter().take_while(|&&b| b == b'.').count();
                let after = rest.get(len..).unwrap_or_default();
                if scan.kind != Kind::Path && climbs(before, len, after) {
                    scan.raise(Flag::DotDot, at..at + len, flags);
                }
            }
            [b'`', ..] => scan.raise(Flag::Backtick, at..at + 1, flags),
            [b'$', next, ..] => {
                if !cookie && (matches!(next, b'(' | b'{') || bytes::is(*next, ALPHA)) {
                    scan.raise(Flag::Dollar, at..at + 2, flags);
                }
                match next {
                    b'{' if !cookie => scan.raise(Flag::Tpl, at..at + 2, flags),
                    b'(' if !cookie => scan.raise(Flag::ShellOp, at..at + 2, flags),
                    _ => {}
                }
            }
            [b'{', b'{' | b'%', ..] | [b'<', b'%', ..] | [b'#', b'{', ..] if !cookie => {
                scan.raise(Flag::Tpl, at..at + 2, flags);
            }
            [b'-', b'-', after @ ..] => {
                len = 2;
                if before.last() != Some(&b'-') && after.first().is_none_or(|&b| is_space(b)) {
                    scan.raise(Flag::SqlCmt, at..at + 2, flags);
                }
            }
            [b'/', b'*', ..] if !scan.kind.has_own_grammar() => {
                scan.raise(Flag::SqlCmt, at..at + 2, flags);
            }
            [b'#', after @ ..] if quoted && after.iter().all(|&b| is_space(b)) => {
                scan.raise(Flag::SqlCmt, at..at + 1, flags);
            }
            [b'>', b'/', ..] if scan.kind == Kind::Path => {}
            [b'&', b'&', ..] | [b'|', b'|', ..] if !cookie => {
                len = 2;
                scan.raise(Flag::ShellOp, at..at + 2, flags);
            }
            // The slash may begin a comment.
            [b'>', b'/', ..] if !cookie => scan.raise(Flag::ShellOp, at..at + 2, flags),
            // Without evidence once is enough.
            [b'|' | b';', ..] if flags.set.contains(Flag::ShellOp) && !scan.text.is_traced() => {}
            [b'|' | b';', after @ ..] if !cookie && !scan.kind.has_own_grammar() && is_command(after) => {
                scan.raise(Flag::ShellOp, at..at + 1, flags);
            }
            [b'\r' | b'\n', after @ ..] => {
                let ends = after.iter().take_while(|&&b| matches!(b, b'\r' | b'\n')).count();
                len = 1 + ends;
                if injects(after.get(ends..).unwrap_or_default(), scan) {
                    scan.raise(Flag::CrlfInj, at..at + len, flags);
                }
            }
            _ => {}
        }
        at += len;
    }
}

/// All of what is looked at but `.`, `-` and `/`, which tell nothing alone; what `/` tells with, `*`, too.
const STRONG: u32 = bytes::WORD_SIGN | bytes::CONTROL;

/// Returns whether a text has `..` or `--`.
fn doubles_dot_or_dash(text: &[u8]) -> bool {
    bytes::doubles(text, *b".-")
}

fn is_telling(byte: u8) -> bool {
    bytes::is(byte, bytes::STRUCTURE)
}

/// White space, or the `+` that stands for one.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'+' | 0x0B)
}

/// `DOTDOT`: dots that are all of a piece between separators, or that begin one.
fn climbs(before: &[u8], dots: usize, after: &[u8]) -> bool {
    steps::slow("dots judged");
    let is_separator = |byte: Option<&u8>| matches!(byte, Some(b'/' | b'\\'));
    let is_edge = |byte: Option<&u8>| byte.is_none_or(|&b| !bytes::is(b, ALNUM));
    let closed = is_separator(after.first()) || matches!(after, [b';', b'/' | b'\\', ..]);
    let alone = before.is_empty() && after.is_empty();
    matches!(dots, 2 | 4)
        && (alone
            || closed && (is_edge(before.last()) || decode::ends_guarded(before))
            || is_separator(before.last()) && is_edge(after.first()))
}

/// Returns whether a command word follows, after blanks, and stands as one: `; type=a` is no command.
fn is_command(text: &[u8]) -> bool {
    steps::slow("searched for commands");
    let blanks = text.iter().take(MOST_BLANKS).take_while(|&&b| is_space(b)).count();
    let rest = text.get(blanks..).unwrap_or_default();
    let in_word = |&&b: &&u8| bytes::is(b, ALNUM) || matches!(b, b'_' | b'-' | b'.');
    let len = rest.iter().take(LONGEST_COMMAND + 1).take_while(in_word).count();
    let mut buffer = [0; LONGEST_COMMAND + 1];
    let word = lower(rest.get(..len).unwrap_or_default(), &mut buffer);
    let stands = rest.get(len).is_none_or(|&b| {
        is_space(b)
            || matches!(
                b,
                b';' | b'|' | b'&' | b'<' | b'>' | b'$' | b'(' | b'/' | b'\'' | b'"' | b'`' | b'\\' | b'#'
            )
    });
    stands && COMMAND_WORDS.binary_search_by(|known| known.as_bytes().cmp(word)).is_ok()
}

/// `HTTP/1.1 200`, or `POST /a HTTP/1.1`.
#[allow(
    clippy::arithmetic_side_effects,
    reason = "offsets into one slice: a sum of them is at most its length and a few bytes"
)]
fn starts_message(line: &[u8]) -> bool {
    let end = line.iter().take(LONGEST_LINE).position(|&b| matches!(b, b'\r' | b'\n')).unwrap_or(line.len());
    let line = line.get(..end.min(LONGEST_LINE)).unwrap_or_default();
    let is_version =
        |text: &[u8]| matches!(text, [b'H', b'T', b'T', b'P', b'/', digit, ..] if digit.is_ascii_digit());
    let method = line.iter().take_while(|b| b.is_ascii_uppercase()).count();
    is_version(line)
        || method >= 3
            && line.get(method) == Some(&b' ')
            && memchr::memmem::find_iter(line, b" HTTP/")
                .any(|at| is_version(line.get(at + 1..).unwrap_or_default()))
}

/// Returns whether a line is a command of a mail server that has no argument.
fn is_mail_command(line: &[u8]) -> bool {
    let len = line.iter().take(LONGEST_NAME).take_while(|b| b.is_ascii_uppercase()).count();
    matches!(line.get(..len), Some(b"QUIT" | b"RSET" | b"NOOP" | b"DATA" | b"STARTTLS"))
        && matches!(line.get(len), None | Some(b'\r' | b'\n'))
}

/// Returns whether a line begins with `name:`; where lines are ordinary, with that of a known header. Or
/// whether it is the first line of a message.
fn injects(line: &[u8], scan: &Scan<'_>) -> bool {
    let line = bytes::trim_start(line);
    if starts_message(line) || is_mail_command(line) {
        return true;
    }
    let len = line.iter().take(LONGEST_NAME + 1).take_while(|&&b| bytes::is(b, TOKEN)).count();
    let name = line.get(..len).unwrap_or_default();
    let is_name = (1..=LONGEST_NAME).contains(&len) && line.get(len) == Some(&b':');
    let is_known = || scan.cx.settings.headers.get(name).is_known;
    is_name && (scan.kind != Kind::Leaf || is_known())
}

/// A short text in lower case.
fn lower<'b>(text: &[u8], buffer: &'b mut [u8]) -> &'b [u8] {
    let lower = buffer.get_mut(..text.len()).unwrap_or_default();
    lower.copy_from_slice(text.get(..lower.len()).unwrap_or_default());
    lower.make_ascii_lowercase();
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_found_wherever_they_are() {
        for len in 2..40 {
            for double in [b"..", b"--"] {
                let mut text: Vec<u8> = (0..len).map(|i| b"ab.cc-dd"[i % 8]).collect();
                assert!(!doubles_dot_or_dash(&text));
                for at in 0..len - 1 {
                    let before = [text[at], text[at + 1]];
                    text[at..at + 2].copy_from_slice(double);
                    assert!(doubles_dot_or_dash(&text), "{}", text.escape_ascii());
                    text[at..at + 2].copy_from_slice(&before);
                }
            }
        }
    }

    #[test]
    fn what_is_passed_over_tells_nothing() {
        for byte in 0..=u8::MAX {
            let is_passed_over = is_telling(byte) && !bytes::is(byte, STRONG);
            assert_eq!(is_passed_over, matches!(byte, b'.' | b'-' | b'/'), "{}", byte.escape_ascii());
        }
        assert!(bytes::is(b'*', STRONG));
        assert!(
            doubles_dot_or_dash(b"a.b..") && doubles_dot_or_dash(b"--") && !doubles_dot_or_dash(b".-.a-")
        );
    }
}
