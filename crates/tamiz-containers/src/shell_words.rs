//! Words of commands, cut as a POSIX shell does, with `$'…'` of bash.

use std::borrow::Cow;

use crate::record::Reason;

/// The text without the carets of Windows' shell, where it goes on behind one: browsers copy commands for it as well.
pub(crate) fn without_carets(text: &str) -> Cow<'_, str> {
    if !text.contains("^\n") && !text.contains("^\r\n") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '^' {
            out.push(c);
            continue;
        }
        chars.next_if(|c| *c == '\r');
        match chars.next() {
            Some('\n') => out.push_str("\\\n"),
            escaped => out.extend(escaped),
        }
    }
    Cow::Owned(out)
}

/// The words of the first command, and how many bytes it has with its end.
pub(crate) fn words(text: &str) -> (Result<Vec<String>, Reason>, usize) {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.char_indices().peekable();
    let unclosed = || (Err("a command with a quote that does not end".into()), text.len());
    while let Some((at, c)) = chars.next() {
        match c {
            '\n' | ';' => {
                words.extend(word);
                return (Ok(words), at.saturating_add(1));
            }
            '#' if word.is_none() => while chars.next_if(|(_, c)| *c != '\n').is_some() {},
            c if c.is_whitespace() => words.extend(word.take()),
            '\\' => match chars.next() {
                Some((_, '\n')) => {}
                Some((_, '\r')) => {
                    chars.next_if(|(_, c)| *c == '\n');
                }
                Some((_, escaped)) => word.get_or_insert_default().push(escaped),
                None => {}
            },
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some((_, '\'')) => break,
                        Some((_, c)) => word.push(c),
                        None => return unclosed(),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some((_, '"')) => break,
                        Some((_, '\\')) => match chars.next() {
                            Some((_, '\n')) => {}
                            Some((_, c @ ('"' | '\\' | '$' | '`'))) => word.push(c),
                            Some((_, c)) => word.extend(['\\', c]),
                            None => return unclosed(),
                        },
                        Some((_, c)) => word.push(c),
                        None => return unclosed(),
                    }
                }
            }
            '$' if chars.peek().is_some_and(|(_, c)| *c == '\'') => {
                chars.next();
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some((_, '\'')) => break,
                        Some((_, '\\')) => match chars.next() {
                            Some((_, 'n')) => word.push('\n'),
                            Some((_, 'r')) => word.push('\r'),
                            Some((_, 't')) => word.push('\t'),
                            Some((_, 'u')) => {
                                let digits: String =
                                    std::iter::from_fn(|| chars.next_if(|(_, c)| c.is_ascii_hexdigit()))
                                        .take(4)
                                        .map(|(_, c)| c)
                                        .collect();
                                let c = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                                word.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
                            }
                            Some((_, c)) => word.push(c),
                            None => return unclosed(),
                        },
                        Some((_, c)) => word.push(c),
                        None => return unclosed(),
                    }
                }
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    (Ok(words), text.len())
}
