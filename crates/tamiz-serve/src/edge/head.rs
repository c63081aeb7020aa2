//! The head of a question, read by ourselves: a proxy may hand on bytes that HTTP libraries refuse, more headers than
//! they take, and targets that they cannot parse. A request that could not be asked about would be one that nobody
//! looks at.
//!
//! Only what is well-formed but for such bytes is read here. Everything else is left to the HTTP library, which knows
//! how to refuse it.

use memchr::{memchr, memmem};

/// The head of a request, cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head<'a> {
    pub(crate) method: &'a [u8],
    pub(crate) target: &'a [u8],
    pub(crate) headers: Vec<(&'a [u8], &'a [u8])>,
    /// True if the version is that which keeps connections.
    is_current: bool,
}

/// The path that all of it is about.
const PATH: &[u8] = b"/check";

/// Returns whether what has come so far is a question for us; `None` while it may still become one.
pub(crate) fn is_asked(begun: &[u8]) -> Option<bool> {
    /// Longer methods than this are nobody's.
    const METHOD: usize = 64;
    let Some(end) = memchr(b' ', begun.get(..METHOD).unwrap_or(begun)) else {
        return if begun.len() < METHOD && begun.iter().all(is_token_byte) { None } else { Some(false) };
    };
    let target = begun.get(end + 1..).unwrap_or_default();
    let known = target.get(..PATH.len()).unwrap_or(target);
    if !PATH.starts_with(known) {
        return Some(false);
    }
    target.get(PATH.len()).map(|next| b" /?".contains(next))
}

/// How long the head is, if its end has come; the search begins at `from`, where the last one ended.
pub(crate) fn end(bytes: &[u8], from: usize) -> Option<usize> {
    const END: &[u8] = b"\r\n\r\n";
    let from = from.saturating_sub(END.len());
    Some(from + memmem::find(bytes.get(from..)?, END)? + END.len())
}

impl<'a> Head<'a> {
    /// One that somebody else has cut.
    pub(crate) fn new(method: &'a [u8], target: &'a [u8], headers: Vec<(&'a [u8], &'a [u8])>) -> Self {
        Head { method, target, headers, is_current: true }
    }

    /// Cuts a head; `None` where it is not for us to read.
    pub(crate) fn read(head: &'a [u8]) -> Option<Self> {
        let mut lines = lines(head.strip_suffix(b"\r\n\r\n")?);
        let mut words = lines.next()?.split(|&byte| byte == b' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        let is_current = match version {
            b"HTTP/1.1" => true,
            b"HTTP/1.0" => false,
            _ => return None,
        };
        if words.next().is_some() || !is_token(method) {
            return None;
        }
        let mut headers = Vec::new();
        for line in lines {
            let (name, value) = line.split_at_checked(memchr(b':', line)?)?;
            if !is_token(name) || value.iter().any(|byte| matches!(byte, b'\0' | b'\r' | b'\n')) {
                return None;
            }
            headers.push((name, trimmed(value.get(1..)?)));
        }
        Some(Head { method, target, headers, is_current })
    }

    /// The value of a header; of several, the first.
    pub(crate) fn get(&self, name: &str) -> Option<&'a [u8]> {
        self.all(name).next()
    }

    fn all<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'a [u8]> + 'b {
        let is_it = move |(there, _): &&(&[u8], &[u8])| there.eq_ignore_ascii_case(name.as_bytes());
        self.headers.iter().filter(is_it).map(|(_, value)| *value)
    }

    /// How long the body is; `None` where the HTTP library has to say what that means.
    pub(crate) fn body_len(&self) -> Option<usize> {
        if self.get("transfer-encoding").is_some() {
            return None;
        }
        let mut lengths = self.all("content-length");
        let Some(length) = lengths.next() else { return Some(0) };
        let is_number = length.iter().all(u8::is_ascii_digit) && lengths.next().is_none();
        std::str::from_utf8(length).ok().filter(|_| is_number)?.parse().ok()
    }

    /// Returns whether the client goes on after this.
    pub(crate) fn keeps_connection(&self) -> bool {
        let says = |word: &str| {
            self.all("connection")
                .flat_map(|value| value.split(|&byte| byte == b','))
                .any(|item| item.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
        };
        if self.is_current { !says("close") } else { says("keep-alive") }
    }

    /// Returns whether the client waits for a word before it sends the body.
    pub(crate) fn expects_continue(&self) -> bool {
        self.is_current && self.get("expect").is_some_and(|value| value.eq_ignore_ascii_case(b"100-continue"))
    }
}

/// Lines that end with CR LF, which alone ends them.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = memmem::find(text, b"\r\n") else { return rest.take() };
        rest = text.get(end + 2..);
        text.get(..end)
    })
}

/// Without the white space around it.
fn trimmed(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// `token` of RFC 9110, section 5.6.2.
pub(crate) fn is_token(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(is_token_byte)
}

fn is_token_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_known_as_soon_as_can_be() {
        for (begun, is_it) in [
            (&b""[..], None),
            (b"GE", None),
            (b"GET ", None),
            (b"GET /che", None),
            (b"GET /check", None),
            (b"GET /check ", Some(true)),
            (b"FOO /check/x", Some(true)),
            (b"GET /check?", Some(true)),
            (b"GET /checkout", Some(false)),
            (b"GET /v", Some(false)),
            (b"GET  /check ", Some(false)),
            (b"\r\n", Some(false)),
            (b"G\xFFT", Some(false)),
        ] {
            assert_eq!(is_asked(begun), is_it, "{}", begun.escape_ascii());
        }
        assert_eq!(is_asked(&[b'A'; 63]), None);
        assert_eq!(is_asked(&[b'A'; 64]), Some(false));
    }

    #[test]
    fn heads_end_where_they_end() {
        let head = b"GET /check HTTP/1.1\r\na: b\r\n\r\nrest";
        let len = head.len() - 4;
        for from in 0..=len {
            assert_eq!(end(head, from), Some(len));
        }
        assert_eq!(end(&head[..len - 1], 0), None);
    }

    #[test]
    fn odd_bytes_are_read() {
        let head = Head::read(
            b"GET /check/envoy/\xFF\"{ HTTP/1.1\r\nX-A:  a\x01b\x7F\xFF \t\r\nx-a:\r\nB: :\r\n\r\n",
        )
        .unwrap();
        assert_eq!(head.target, b"/check/envoy/\xFF\"{");
        assert_eq!(head.headers, [(&b"X-A"[..], &b"a\x01b\x7F\xFF"[..]), (b"x-a", b""), (b"B", b":")]);
        assert_eq!(head.get("x-A"), Some(&b"a\x01b\x7F\xFF"[..]));
        assert_eq!(head.get("c"), None);
        assert!(head.keeps_connection());
        let bare = Head::read(b"GET /check HTTP/1.0\r\n\r\n").unwrap();
        assert!(bare.headers.is_empty() && !bare.keeps_connection());
    }

    #[test]
    fn what_is_not_well_formed_is_left_to_others() {
        for head in [
            &b"GET /check HTTP/1.1\r\n"[..],
            b"GET /check\r\n\r\n",
            b"GET /check HTTP/2\r\n\r\n",
            b"GET /check  HTTP/1.1\r\n\r\n",
            b"G(T /check HTTP/1.1\r\n\r\n",
            b"GET /check HTTP/1.1\r\na\r\n\r\n",
            b"GET /check HTTP/1.1\r\n: b\r\n\r\n",
            b"GET /check HTTP/1.1\r\na : b\r\n\r\n",
            b"GET /check HTTP/1.1\r\na: b\r\n c: d\r\n\r\n",
            b"GET /check HTTP/1.1\r\na: b\nc: d\r\n\r\n",
            b"GET /check HTTP/1.1\r\na: b\0\r\n\r\n",
            b"",
        ] {
            assert_eq!(Head::read(head), None, "{}", head.escape_ascii());
        }
    }

    #[test]
    fn lengths_and_ends() {
        let with = |headers: &str| {
            let text = format!("POST /check HTTP/1.1\r\n{headers}\r\n");
            let head = Head::read(text.as_bytes()).unwrap();
            (head.body_len(), head.keeps_connection())
        };
        for (headers, len, keeps) in [
            ("", Some(0), true),
            ("content-length: 7\r\nConnection: x, Close\r\n", Some(7), false),
            ("content-length: 7\r\ncontent-length: 7\r\n", None, true),
            ("content-length: +7\r\n", None, true),
            ("content-length:\r\n", None, true),
            ("content-length: 99999999999999999999999\r\n", None, true),
            ("transfer-encoding: chunked\r\n", None, true),
        ] {
            assert_eq!(with(headers), (len, keeps), "{headers}");
        }
    }
}
