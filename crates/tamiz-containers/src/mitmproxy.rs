//! Flows that mitmproxy saves: a typed netstring each (<https://tnetstrings.info>), of which the request is read. It is a
//! dictionary of `length:value` and a letter for its type.

use tamiz::Source;

use crate::compressed;
use crate::container::Reader;
use crate::id::Id;
use crate::lines::too_long;
use crate::memory;
use crate::record::{At, Found, Parts, Reason};
use crate::time::Time;
use crate::window::Window;

/// The most digits of a length.
const DIGITS: usize = 12;

pub(crate) struct Flows {
    window: Window,
    limit: usize,
    is_over: bool,
}

/// Returns whether bytes begin a file of flows: a dictionary that has the keys of one.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (1..=DIGITS).contains(&digits)
        && bytes.get(digits) == Some(&b':')
        && memchr::memmem::find(bytes, b"7:version;").is_some()
}

impl Flows {
    pub(crate) fn new(window: Window, limit: usize) -> Self {
        Flows { window, limit, is_over: false }
    }
}

impl Reader for Flows {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        loop {
            if self.is_over {
                return None;
            }
            let at = At::Byte(self.window.offset());
            self.window.fill(DIGITS.saturating_add(1));
            if self.window.bytes().is_empty() {
                self.is_over = true;
                return self.window.failure().map(|error| (at, Err(compressed::reason(error))));
            }
            let Some((len, head)) = length(self.window.bytes()) else {
                self.is_over = true;
                return Some((at, Err("no flow where one should begin".into())));
            };
            if len > self.limit.saturating_mul(4) {
                // A flow has its response too; where it ends is told by its length alone.
                self.is_over = true;
                return Some((at, Err(too_long(self.limit.saturating_mul(4)))));
            }
            let whole = head.saturating_add(len).saturating_add(1);
            if !self.window.fill(whole) && self.window.lacks_memory() {
                self.is_over = !self.window.skip(whole as u64);
                self.window.shrink();
                return Some((at, Err(memory::REASON.into())));
            }
            if !self.window.fill(whole) {
                self.is_over = true;
                let cut = || "a flow that ends early".into();
                return Some((at, Err(self.window.failure().map_or_else(cut, compressed::reason))));
            }
            let flow = self.window.take(whole);
            let body = flow.get(head..head.saturating_add(len)).unwrap_or_default();
            if let Some(result) = request(body) {
                return Some((at, result));
            }
        }
    }
}

/// The length that a string begins with, and how many bytes say it.
fn length(bytes: &[u8]) -> Option<(usize, usize)> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(bytes.get(..digits)?).ok()?.parse().ok()?;
    (digits > 0 && digits <= DIGITS && bytes.get(digits) == Some(&b':'))
        .then(|| (number, digits.saturating_add(1)))
}

/// The next value: its type and bytes, and what follows.
fn value(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (len, head) = length(bytes)?;
    let end = head.checked_add(len)?;
    Some((*bytes.get(end)?, bytes.get(head..end)?, bytes.get(end.saturating_add(1)..)?))
}

/// The value of a key of a dictionary.
fn get<'a>(mut dictionary: &'a [u8], name: &[u8]) -> Option<(u8, &'a [u8])> {
    while !dictionary.is_empty() {
        let (_, key, rest) = value(dictionary)?;
        let (kind, found, rest) = value(rest)?;
        if key == name {
            return Some((kind, found));
        }
        dictionary = rest;
    }
    None
}

/// The request of a flow; `None` for flows of TCP, UDP and DNS.
fn request(flow: &[u8]) -> Option<Result<Found, Reason>> {
    let is_http = get(flow, b"type").is_none_or(|(_, kind)| kind == b"http");
    if !is_http {
        return None;
    }
    Some(parts(flow))
}

fn parts(flow: &[u8]) -> Result<Found, Reason> {
    let (_, request) =
        get(flow, b"request").filter(|(kind, _)| *kind == b'}').ok_or("a flow without a request")?;
    let text = |name: &[u8]| {
        get(request, name).filter(|(kind, _)| matches!(kind, b',' | b';')).map(|(_, text)| text.to_vec())
    };
    let some = |text: Vec<u8>| Some(text).filter(|text| !text.is_empty());
    let mut parts = Parts {
        method: text(b"method").and_then(some).ok_or("a request without a method")?,
        target: text(b"path").ok_or("a request without a target")?,
        scheme: text(b"scheme").and_then(some),
        authority: text(b"authority").and_then(some),
        version: text(b"http_version")
            .and_then(|version| crate::url::version(std::str::from_utf8(&version).ok()?)),
        body: text(b"content").and_then(some),
        ..Parts::default()
    };
    let mut headers = get(request, b"headers").map_or(&b""[..], |(_, list)| list);
    while let Some((b']', pair, rest)) = value(headers) {
        headers = rest;
        if let Some((_, name, after)) = value(pair)
            && let Some((_, value, _)) = value(after)
        {
            parts.headers.push((name.to_vec(), value.to_vec()));
        }
    }
    let mut found = Found::parts(parts, Source::JsonLines);
    let time =
        get(request, b"timestamp_start").and_then(|(_, time)| std::str::from_utf8(time).ok()?.parse().ok());
    found.time = time.and_then(Time::from_epoch);
    found.id = get(flow, b"id").and_then(|(_, id)| String::from_utf8(id.to_vec()).ok()).map(Id::from);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;
    use std::io::Cursor;

    fn string(kind: char, value: &str) -> String {
        format!("{}:{value}{kind}", value.len())
    }

    fn dictionary(pairs: &[(&str, String)]) -> String {
        string('}', &pairs.iter().map(|(key, value)| string(';', key) + value).collect::<String>())
    }

    fn flow(method: &str) -> String {
        let header = string(']', &[string(',', "Host"), string(',', "ex.com")].concat());
        let request = dictionary(&[
            ("http_version", string(',', "HTTP/1.1")),
            ("headers", string(']', &header)),
            ("content", string(',', "a=1")),
            ("timestamp_start", string('^', "1791640536.5")),
            ("method", string(',', method)),
            ("scheme", string(',', "https")),
            ("authority", string(',', "")),
            ("path", string(',', "/a")),
        ]);
        dictionary(&[
            ("version", string('#', "21")),
            ("type", string(';', "http")),
            ("id", string(';', "f-1")),
            ("response", string('~', "")),
            ("request", request),
        ])
    }

    fn told(bytes: &str) -> Vec<Result<Found, Reason>> {
        let mut flows = Flows::new(Window::new(Box::new(Cursor::new(bytes.as_bytes().to_vec()))), 1000);
        std::iter::from_fn(|| flows.next_found()).map(|(_, result)| result).collect()
    }

    #[test]
    fn requests_of_flows() {
        let tcp = dictionary(&[("type", string(';', "tcp")), ("version", string('#', "21"))]);
        let all = told(&[flow("POST"), tcp, flow("PUT")].concat());
        assert!(begins(flow("GET").as_bytes()));
        let [Ok(first), Ok(_)] = &all[..] else { panic!("{all:?}") };
        let Request::Parts(parts) = &first.request else { panic!("bytes") };
        assert_eq!((&parts.method[..], &parts.target[..]), (&b"POST"[..], &b"/a"[..]));
        assert_eq!((parts.headers.len(), parts.body.as_deref()), (1, Some(&b"a=1"[..])));
        assert_eq!(
            (first.id.as_deref(), first.time.map(Time::micros)),
            (Some("f-1"), Some(1_791_640_536_500_000))
        );
    }

    #[test]
    fn flows_that_are_damaged() {
        let whole = flow("GET");
        let all = told(&[whole.as_str(), &whole[..whole.len() - 9]].concat());
        assert!(all[0].is_ok() && all[1].as_ref().unwrap_err().contains("ends early"));
        assert!(
            told("nonsense")[0].is_err() && told(&flow(""))[0].is_err() && told("99999999999:")[0].is_err()
        );
    }
}
