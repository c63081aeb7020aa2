//! Endpoints: a method and a path template, which is the path without what varies in it.

/// The most segments that are told apart.
const MOST_SEGMENTS: usize = 10;
/// A longer segment is told by that.
const LONGEST_SEGMENT: usize = 48;
/// So many digits in a row are a number.
const LEAST_DIGITS: usize = 3;
/// So many hexadecimal digits, letters among them, are an identifier.
const LEAST_HEX: usize = 8;

/// The endpoint of a request, from its tokens: to ask the document would be to read its text twice more.
pub(crate) fn of(tokens: &[String]) -> String {
    let of = |place: &str| tokens.iter().find_map(|token| token.strip_prefix(place));
    template(of("m=").unwrap_or_default(), of("p="))
}

/// The template of a request: its method and its path, as the document shows them, with `<num>` for a segment of digits
/// and for three or more digits within one, `<hex>` for eight or more hexadecimal digits, markers without their length,
/// `<long>` for a segment of more than 48 characters, and `<more>` behind the tenth segment.
pub fn template(method: &str, path: Option<&str>) -> String {
    let mut out = String::with_capacity(64);
    push_without_lengths(&mut out, method);
    out.push(' ');
    let Some(path) = path else {
        out.push_str("<authority>");
        return out;
    };
    // What is not written yet begins at `from`.
    let (mut from, mut at) = (0, 0);
    for _ in 0..=MOST_SEGMENTS {
        let rest = path.get(at..).unwrap_or_default();
        let (length, classes) = classes(rest.as_bytes());
        if classes & VARIES != 0 || length > LONGEST_SEGMENT {
            out.push_str(path.get(from..at).unwrap_or_default());
            push_segment(&mut out, rest.get(..length).unwrap_or_default(), classes);
            from = at + length;
        }
        at += length + 1;
        if at > path.len() {
            out.push_str(path.get(from..).unwrap_or_default());
            return out;
        }
    }
    out.push_str(path.get(from..at).unwrap_or_default());
    out.push_str("<more>");
    out
}

/// The classes of bytes.
const DIGIT: u8 = 1;
const MARKER: u8 = 2;
const OTHER: u8 = 4;
const SLASH: u8 = 8;
/// A segment with such a byte may vary.
const VARIES: u8 = DIGIT | MARKER;

static CLASSES: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut byte = b'0';
    while byte <= b'9' {
        classes[byte as usize] = DIGIT;
        byte += 1;
    }
    classes[b'<' as usize] = MARKER | OTHER;
    classes[b'/' as usize] = SLASH;
    classes
};

/// The length of the first segment, and the classes of its bytes.
fn classes(text: &[u8]) -> (usize, u8) {
    let mut all = 0;
    for (at, byte) in text.iter().enumerate() {
        let class = CLASSES.get(usize::from(*byte)).copied().unwrap_or_default();
        if class == SLASH {
            return (at, all);
        }
        all |= class;
    }
    (text.len(), all)
}

/// Appends a segment that may vary, with these classes of bytes.
fn push_segment(out: &mut String, segment: &str, classes: u8) {
    let has_digit = classes & DIGIT != 0;
    if classes & MARKER != 0 {
        let mut plain = String::new();
        push_without_lengths(&mut plain, segment);
        return out.push_str(if plain.chars().count() > LONGEST_SEGMENT { "<long>" } else { &plain });
    }
    if classes == DIGIT {
        return out.push_str("<num>");
    }
    let (stem, extension) = match segment.bytes().rposition(|byte| byte == b'.') {
        Some(dot) => (segment.get(..dot).unwrap_or_default(), segment.get(dot + 1..)),
        None => (segment, None),
    };
    if is_hex(stem) {
        out.push_str("<hex>");
        if let Some(extension) = extension.filter(|extension| extension.len() <= 8) {
            out.push('.');
            out.push_str(extension);
        }
        return;
    }
    if segment.len() > LONGEST_SEGMENT && segment.chars().nth(LONGEST_SEGMENT).is_some() {
        return out.push_str("<long>");
    }
    if has_digit { push_without_numbers(out, segment) } else { out.push_str(segment) }
}

/// Returns whether a text is a long run of hexadecimal digits that is no word and no number.
fn is_hex(text: &str) -> bool {
    text.len() >= LEAST_HEX
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Appends a segment with `<num>` for long runs of digits, but for those of an escape.
fn push_without_numbers(out: &mut String, segment: &str) {
    let bytes = segment.as_bytes();
    // What is not written yet begins at `from`.
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        let run = bytes.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count();
        if run == 0 {
            at += 1;
            continue;
        }
        // The two digits behind a `%` are an escape.
        let is_escape = at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'%');
        let escaped = if is_escape { run.min(2) } else { 0 };
        if run - escaped >= LEAST_DIGITS {
            out.push_str(segment.get(from..at + escaped).unwrap_or_default());
            out.push_str("<num>");
            from = at + run;
        }
        at += run;
    }
    out.push_str(segment.get(from..).unwrap_or_default());
}

/// A text with its markers as `<shape>` and `<SECRET>`.
fn push_without_lengths(out: &mut String, mut text: &str) {
    while let Some((before, from)) = text.split_once('<') {
        out.push_str(before);
        out.push('<');
        let Some((inside, after)) = from.split_once('>') else {
            text = from;
            break;
        };
        let word = inside.split(':').next().unwrap_or_default();
        let is_marker = inside.contains(':') && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        out.push_str(if is_marker { word } else { inside });
        out.push('>');
        text = after;
    }
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_tell_the_same_as_the_document() {
        let tamiz = tamiz::Canonicalizer::new(tamiz::Config::default());
        let odd: [&[u8]; 4] = [
            b"",
            b"CONNECT ex.com:443 HTTP/1.1\r\n\r\n",
            b"ge t /a%20b/p=/c?p=/x&m=y HTTP/1.1\r\n\r\n",
            b"OPTIONS * HTTP/1.1\r\n\r\n",
        ];
        for request in tamiz::Flag::ALL.iter().map(|flag| flag.raises()).chain(odd) {
            let document = tamiz.canonicalize(request);
            assert_eq!(of(&document.tokens()), template(document.method(), document.path()), "{document}");
        }
    }

    /// The template of a path, segment by segment.
    fn by_segments(path: &str) -> String {
        let segments: Vec<&str> = path.split('/').collect();
        let shown = segments.iter().take(MOST_SEGMENTS + 1).map(|segment| {
            let mut out = String::new();
            let classes = segment.bytes().fold(0, |all, byte| all | CLASSES[usize::from(byte)]);
            push_segment(&mut out, segment, classes);
            out
        });
        let more = if segments.len() > MOST_SEGMENTS + 1 { "/<more>" } else { "" };
        shown.collect::<Vec<_>>().join("/") + more
    }

    #[test]
    fn segments_are_told_one_by_one() {
        let alphabet = ["/", "a", "12", "345", "<uuid:36>", "<b", "é", &"x".repeat(49), "/a/b/c/d"];
        for n in 0..alphabet.len().pow(5) {
            let mut rest = n;
            let mut path = String::new();
            for _ in 0..5 {
                path.push_str(alphabet[rest % alphabet.len()]);
                rest /= alphabet.len();
            }
            assert_eq!(template("GET", Some(&path)), format!("GET {}", by_segments(&path)));
        }
    }

    /// The numbers of a segment left out, by the definition.
    fn without_numbers(segment: &str) -> String {
        let (mut out, mut rest) = (String::new(), segment);
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
            let (before, from) = rest.split_at(start);
            let (digits, after) =
                from.split_at(from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len()));
            out.push_str(before);
            let (escape, number) =
                digits.split_at(if before.ends_with('%') { digits.len().min(2) } else { 0 });
            out.push_str(escape);
            out.push_str(if number.len() >= LEAST_DIGITS { "<num>" } else { number });
            rest = after;
        }
        out + rest
    }

    #[test]
    fn numbers_are_left_out_wherever_they_are() {
        let alphabet = ["1", "23", "a", "%", "é", "."];
        for n in 0..alphabet.len().pow(6) {
            let digits = (0..6).scan(n, |rest, _| {
                let digit = *rest % alphabet.len();
                *rest /= alphabet.len();
                Some(alphabet[digit])
            });
            let segment: String = digits.collect();
            let mut out = String::new();
            push_without_numbers(&mut out, &segment);
            assert_eq!(out, without_numbers(&segment));
        }
    }

    #[test]
    fn what_varies_is_left_out() {
        for (path, expected) in [
            ("/", "/"),
            ("/a/b.jsp", "/a/b.jsp"),
            ("/users/1", "/users/<num>"),
            ("/v1/page2.html", "/v1/page2.html"),
            ("/img/IMG_20260101.jpg", "/img/IMG_<num>.jpg"),
            ("/u/<uuid:36>/x", "/u/<uuid>/x"),
            ("/a;jsessionid=<SECRET:hex:32>", "/a;jsessionid=<SECRET>"),
            ("/c/deadbeef1", "/c/<hex>"),
            ("/c/0123abcd.css", "/c/<hex>.css"),
            ("/c/deadbeef", "/c/deadbeef"),
            ("/a%2F123", "/a%2F<num>"),
            ("/a%20123", "/a%20<num>"),
            ("/a%2012", "/a%2012"),
            ("/a/<script>/b", "/a/<script>/b"),
            ("/a/<b", "/a/<b"),
            (
                "/1/2/3/4/5/6/7/8/9/10/11/12",
                "/<num>/<num>/<num>/<num>/<num>/<num>/<num>/<num>/<num>/<num>/<more>",
            ),
            ("*", "*"),
        ] {
            assert_eq!(template("GET", Some(path)), format!("GET {expected}"));
        }
        assert_eq!(template("GET", Some(&format!("/{}", "x".repeat(49)))), "GET /<long>");
        assert_eq!(template("<mixed:3>", None), "<mixed> <authority>");
    }
}
