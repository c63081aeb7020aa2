//! A request in lines, as the form cuts them: empty lines may come first; what ends the request
//! line decides what ends the others; an empty line ends the head, and the rest is the body.

use std::ops::Range;

/// One line of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The line without its end.
    pub(crate) content: Range<usize>,
    /// The line end; empty at the end of the input.
    pub(crate) end: Range<usize>,
}

/// A request, cut.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Every line up to the empty one that ends the head.
    pub(crate) lines: Vec<Line>,
    /// Everything after it.
    pub(crate) body: Range<usize>,
}

/// Cuts a request.
pub(crate) fn cut(request: &[u8]) -> Cut {
    let mut lines = Vec::new();
    let mut at = 0;
    let mut only_crlf = None;
    while at < request.len() {
        let line = next(request, at, only_crlf.unwrap_or(false));
        at = line.end.end;
        let blank = line.content.is_empty();
        let end_of_head = blank && only_crlf.is_some();
        if !blank && only_crlf.is_none() {
            only_crlf = Some(line.end.len() != 1);
        }
        lines.push(line);
        if end_of_head {
            break;
        }
    }
    Cut { lines, body: at..request.len() }
}

/// The lines of a body, whatever ends them.
pub(crate) fn of_body(request: &[u8], body: Range<usize>) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut at = body.start;
    while at < body.end {
        let line = next(request, at, false);
        at = line.end.end;
        lines.push(line);
    }
    lines
}

/// The line that starts at `from`.
fn next(request: &[u8], from: usize, only_crlf: bool) -> Line {
    let rest = request.get(from..).unwrap_or_default();
    let feeds = rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    let ends = feeds.map(|feed| {
        let after_cr = matches!(rest.get(..feed), Some([.., b'\r']));
        from + feed - usize::from(after_cr)..from + feed + 1
    });
    let end = ends.into_iter().find(|end| !only_crlf || end.len() == 2);
    let end = end.unwrap_or(request.len()..request.len());
    Line { content: from..end.start, end }
}

#[cfg(test)]
mod tests {
    use tamiz::{Canonicalizer, Config, Profile};

    use super::*;

    fn shown(request: &[u8]) -> (Vec<String>, String) {
        let Cut { lines, body } = cut(request);
        let text = |range: Range<usize>| request[range].escape_ascii().to_string();
        (lines.into_iter().map(|line| text(line.content)).collect(), text(body))
    }

    #[test]
    fn the_request_line_decides_what_ends_lines() {
        let (lines, body) = shown(b"GET / HTTP/1.1\r\nA: 1\nB: 2\r\n\nC: 3\r\n\r\nbody\r\n\r\n");
        assert_eq!(lines, ["GET / HTTP/1.1", "A: 1\\nB: 2", "\\nC: 3", ""]);
        assert_eq!(body, "body\\r\\n\\r\\n");
        let (lines, body) = shown(b"GET / HTTP/1.1\nA: 1\r\nB: 2\n\nbody");
        assert_eq!(lines, ["GET / HTTP/1.1", "A: 1", "B: 2", ""]);
        assert_eq!(body, "body");
    }

    #[test]
    fn ends_may_be_missing_and_empty_lines_may_lead() {
        assert_eq!(shown(b""), (vec![], String::new()));
        assert_eq!(shown(b"GET /").0, ["GET /"]);
        assert_eq!(shown(b"GET / HTTP/1.1\r\nA: 1").0, ["GET / HTTP/1.1", "A: 1"]);
        assert_eq!(
            shown(b"\r\n\nGET /\r\n\r\nx"),
            (["", "", "GET /", ""].map(String::from).to_vec(), "x".into())
        );
        assert_eq!(shown(b"\r\n\r\n"), (vec![String::new(); 2], String::new()));
    }

    #[test]
    fn bodies_have_lines_too() {
        let request = b"POST / HTTP/1.1\r\n\r\na\nb\r\n\r\nc\rd";
        let lines = of_body(request, cut(request).body);
        let shown: Vec<String> =
            lines.into_iter().map(|line| request[line.content].escape_ascii().to_string()).collect();
        assert_eq!(shown, ["a", "b", "", "c\\rd"]);
        assert_eq!(of_body(b"", 0..0), []);
    }

    #[test]
    fn the_library_finds_the_same_body() {
        // The profile that shows no body hides all of it.
        let mut config = Config::default();
        config.profile = Profile::Core;
        let tamiz = Canonicalizer::new(config);
        for request in [
            &b"POST / HTTP/1.1\r\nHost: ex.com\r\n\r\nbody"[..],
            b"POST / HTTP/1.1\nHost: ex.com\r\n\nbody\n\n",
            b"\n\r\nPOST / HTTP/1.1\r\nA: 1\n\nB: 2\r\n\r\n\r\nbody",
            b"POST / HTTP/1.1\r\nA: 1\r\r\n\r\r\n\r\nbody",
            b"POST / HTTP/1.1\n\r\nbody",
            b"\r\r\n\nPOST / HTTP/1.1\r\n\r\nbody",
            b" \n\nbody",
        ] {
            let hidden = tamiz.canonicalize_with_evidence(request).secrets().last().cloned();
            let body = cut(request).body;
            assert!(!body.is_empty());
            assert_eq!(hidden, Some(body), "{}", request.escape_ascii());
        }
    }
}
