//! The head of a request in lines, as every proxy cuts it: an LF ends a line, whatever the lines before it had. (The
//! canonical form, which has to say what was odd, cuts otherwise.)

use crate::bytes::is_blank;

/// A line of the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Without its LF and a CR before that.
    pub(crate) text: &'a [u8],
    /// True if there was that CR.
    pub(crate) has_cr: bool,
}

impl Line<'_> {
    /// Returns whether it continues the line before it.
    pub(crate) fn is_fold(&self) -> bool {
        self.text.first().is_some_and(|byte| is_blank(*byte))
    }

    /// How many bytes it had with its end.
    pub(crate) fn len(&self) -> usize {
        self.text.len().saturating_add(if self.has_cr { 2 } else { 1 })
    }
}

/// Cuts off a line; `None` when nothing ends it.
pub(crate) fn next_line(input: &[u8]) -> Option<(Line<'_>, &[u8])> {
    let at = input.iter().position(|byte| *byte == b'\n')?;
    let (line, rest) = input.split_at_checked(at)?;
    let rest = rest.split_first()?.1;
    Some(match line {
        [text @ .., b'\r'] => (Line { text, has_cr: true }, rest),
        text => (Line { text, has_cr: false }, rest),
    })
}

/// Skips empty lines.
pub(crate) fn skip_empty_lines(mut input: &[u8]) -> &[u8] {
    while let [b'\r', b'\n', rest @ ..] | [b'\n', rest @ ..] = input {
        input = rest;
    }
    input
}

/// Skips CR and LF.
pub(crate) fn skip_line_ends(mut input: &[u8]) -> &[u8] {
    while let [b'\r' | b'\n', rest @ ..] = input {
        input = rest;
    }
    input
}

/// The lines up to the empty one, and what follows that; `None` when it is missing.
pub(crate) fn header_lines(mut rest: &[u8]) -> Option<(Vec<Line<'_>>, &[u8])> {
    let mut lines = Vec::new();
    loop {
        let (line, after) = next_line(rest)?;
        rest = after;
        if line.text.is_empty() {
            return Some((lines, rest));
        }
        lines.push(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_lf_ends_a_line() {
        let (lines, body) = header_lines(b"A: 1\r\nB: 2\n c\r\r\n\nbody").unwrap();
        let texts: Vec<_> = lines.iter().map(|line| (line.text, line.has_cr, line.len())).collect();
        assert_eq!(texts, [(&b"A: 1"[..], true, 6), (b"B: 2", false, 5), (b" c\r", true, 5)]);
        assert!(lines[2].is_fold() && !lines[1].is_fold());
        assert_eq!(body, b"body");
        assert_eq!(header_lines(b"A: 1\r\n"), None);
        assert_eq!(skip_empty_lines(b"\r\n\n\rx"), b"\rx");
    }
}
