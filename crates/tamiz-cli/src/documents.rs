//! Documents read back: one after another, a blank line between them.

use tamiz::Document;

use crate::failure::Failure;
use crate::input::Source;

/// Every document of an input, strictly.
///
/// # Errors
/// Names the input, the line, the column and what was expected; never content.
pub(crate) fn parse(source: &Source, input: &[u8]) -> Result<Vec<Document>, Failure> {
    let bad = |line: usize, column: usize, expected: &str| {
        Failure::Input(format!("{source}: line {line}, column {column}: expected {expected}"))
    };
    let text = match std::str::from_utf8(input) {
        Ok(text) => text,
        Err(error) => {
            let (line, column) = position(input.get(..error.valid_up_to()).unwrap_or_default());
            return Err(bad(line, column, "UTF-8"));
        }
    };
    let mut documents = Vec::new();
    let mut lines_before = 0;
    for part in split(text) {
        let document = Document::parse(part)
            .map_err(|error| bad(lines_before + error.line(), error.column(), error.expected()))?;
        documents.push(document);
        lines_before += part.matches('\n').count() + 1;
    }
    Ok(documents)
}

/// The parts between blank lines, each with its last line end.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (part, after) = match text.find("\n\n").and_then(|end| text.split_at_checked(end + 1)) {
            Some((part, blank)) => (part, blank.strip_prefix('\n')),
            None => (text, None),
        };
        rest = after;
        Some(part)
    })
}

/// The line and column, in bytes, after some bytes.
fn position(before: &[u8]) -> (usize, usize) {
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "M:GET\nP:/a PLEN:2@0-15 PMAX:1@0-15\nHCNT:0 HLEN:0@0-15\n";

    fn parsed(input: &str) -> Result<Vec<Document>, String> {
        parse(&Source::Stdin, input.as_bytes()).map_err(|failure| match failure {
            Failure::Input(message) => message,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn blank_lines_separate() {
        assert_eq!(parsed(ONE).unwrap().len(), 1);
        let three = parsed(&format!("{ONE}\n{ONE}\n{ONE}")).unwrap();
        assert!(three.iter().all(|document| document.as_str() == ONE) && three.len() == 3);
    }

    #[test]
    fn errors_count_lines_from_the_start_of_the_input() {
        let second = parsed(&format!("{ONE}\nM:GET\nnonsense\n")).unwrap_err();
        assert!(second.starts_with("standard input: line 6, column 1: expected "), "{second}");
        assert!(!second.contains("nonsense"));
        for (input, start) in [
            (String::new(), "standard input: line 1, column 1"),
            (format!("\n{ONE}"), "standard input: line 1, column 1"),
            (format!("{ONE}\n"), "standard input: line 5, column 1"),
            (format!("{ONE}\n\n{ONE}"), "standard input: line 5, column 1"),
        ] {
            let error = parsed(&input).unwrap_err();
            assert!(error.starts_with(start), "{input:?}: {error}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_told_by_position() {
        let Err(Failure::Input(message)) = parse(&Source::Stdin, b"M:GET\nP:/\xFF") else {
            panic!("not a document");
        };
        assert_eq!(message, "standard input: line 2, column 4: expected UTF-8");
    }
}
