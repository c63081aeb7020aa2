//! HTTP archives (HAR 1.2): the request of each entry.

use serde_json::Value;
use tamiz::Source;

use crate::compressed;
use crate::container::Reader;
use crate::elements::{Elements, Fault};
use crate::lines::{BOM, too_long};
use crate::memory::{self, Promise};
use crate::record::{At, Found, Parts, Reason};
use crate::time::Time;
use crate::window::Window;
use crate::{fields, jsonl, url};

const SOURCE: Source = Source::Har;

/// Keys of entries beside the request, whose values may be long.
const DROPPED: &[&str] = &["response", "cache", "timings", "_webSocketMessages"];

pub(crate) struct Har {
    elements: Elements,
    limit: usize,
    state: State,
}

enum State {
    Before,
    Within,
    Over,
}

impl Har {
    pub(crate) fn new(mut window: Window, limit: usize) -> Self {
        if window.starts_with(BOM) {
            window.consume(BOM.len());
        }
        window.fill(LONGEST_CALL);
        let call =
            without_call(window.bytes()).map_or(0, |inner| window.bytes().len().saturating_sub(inner.len()));
        window.consume(call);
        Har { elements: Elements::new(window, limit), limit, state: State::Before }
    }

    fn reason(&self, fault: Fault) -> Reason {
        match (fault, self.elements.window().failure()) {
            (Fault::Ended, Some(error)) => compressed::reason(error),
            (Fault::Ended, None) => "JSON that ends early".into(),
            (Fault::NotJson, _) => "not JSON".into(),
            (Fault::NotThere, _) => "not a HAR: there is no `log.entries`".into(),
            (Fault::TooLong, _) => too_long(self.limit),
            (Fault::NoMemory, _) => memory::REASON.into(),
        }
    }
}

impl Reader for Har {
    fn next_found(&mut self) -> Option<(At, Result<Found, Reason>)> {
        let entered = match self.state {
            State::Over => return None,
            State::Within => Ok(()),
            State::Before => self.elements.enter(&["log", "entries"]),
        };
        self.state = State::Within;
        let at = At::Byte(self.elements.window().offset());
        match entered.and_then(|()| self.elements.next_element(DROPPED)) {
            Ok(None) => {
                self.state = State::Over;
                None
            }
            Ok(Some(entry)) => Some((at, read(&entry))),
            Err(fault) => {
                if !fault.is_passed_over() {
                    self.state = State::Over;
                }
                Some((at, Err(self.reason(fault))))
            }
        }
    }
}

/// The longest call around a HARP, an archive that pages load as a script: `onInputData({…})`.
const LONGEST_CALL: usize = 256;

/// Cuts the argument out, where text begins with a call.
pub(crate) fn without_call(text: &[u8]) -> Option<&[u8]> {
    let start = text.get(..LONGEST_CALL).unwrap_or(text);
    let open = memchr::memchr(b'(', start)?;
    let name = text.get(..open)?.trim_ascii();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    let inner = text.get(open.saturating_add(1)..)?;
    (!name.is_empty() && name.iter().all(is_name)).then(|| inner.trim_ascii_start())
}

fn read(entry: &[u8]) -> Result<Found, Reason> {
    let _promise = Promise::to_parse(entry.len())?;
    let entry: Value = serde_json::from_slice(entry).map_err(|error| jsonl::not_json(&error))?;
    let request =
        entry.get("request").filter(|request| request.is_object()).ok_or("an entry without a request")?;
    let text = |name: &str| request.get(name).and_then(Value::as_str);
    let method = text("method").filter(|method| !method.is_empty()).ok_or("a request without a method")?;
    let whole = text("url").ok_or("a request without a URL")?;
    let mut parts = Parts { method: method.as_bytes().to_vec(), ..Parts::default() };
    // A browser sends no fragment, whatever it exports.
    url::put(url::without_fragment(whole.as_bytes()), &mut parts);
    parts.version = text("httpVersion").and_then(url::version);
    for header in request.get("headers").and_then(Value::as_array).into_iter().flatten() {
        let (name, value) =
            (header.get("name").and_then(Value::as_str), header.get("value").and_then(Value::as_str));
        if let (Some(name), Some(value)) = (name, value) {
            fields::put(name, value, &mut parts);
        }
    }
    parts.body = request.get("postData").and_then(body);
    let mut found = Found::parts(parts, SOURCE);
    found.time =
        entry.get("startedDateTime").and_then(Value::as_str).and_then(|time| Time::parse(time.as_bytes()));
    Ok(found)
}

/// The body: its text or, of a form, its parameters. What a multipart body was cannot be told from
/// parameters.
fn body(data: &Value) -> Option<Vec<u8>> {
    let text = data.get("text").and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(text) = text {
        let is_encoded = data.get("encoding").and_then(Value::as_str) == Some("base64");
        let decoded = if is_encoded { jsonl::decode(text.as_bytes()) } else { None };
        return Some(decoded.unwrap_or_else(|| text.as_bytes().to_vec()));
    }
    let is_form = data
        .get("mimeType")
        .and_then(Value::as_str)
        .is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
    let params =
        data.get("params").and_then(Value::as_array).filter(|params| is_form && !params.is_empty())?;
    let mut form = Vec::new();
    for param in params {
        let text = |name: &str| param.get(name).and_then(Value::as_str);
        url::add_to_form(text("name").unwrap_or_default(), text("value"), &mut form);
    }
    Some(form)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;

    fn parts(entry: &str) -> Parts {
        match read(entry.as_bytes()).unwrap().request {
            Request::Parts(parts) => parts,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_request_of_http_1_and_one_of_http_2() {
        let one = parts(
            r##"{"startedDateTime":"2026-01-01T00:00:00Z","request":{"method":"POST","url":"http://ex.com/a?b#c","httpVersion":"HTTP/1.1",
            "headers":[{"name":"Host","value":"ex.com"}],"postData":{"mimeType":"text/plain","text":"x"}}}"##,
        );
        assert_eq!((&one.target[..], one.authority.as_deref()), (&b"/a?b"[..], Some(&b"ex.com"[..])));
        assert_eq!((one.body.as_deref(), one.version.as_deref()), (Some(&b"x"[..]), Some(&b"HTTP/1.1"[..])));
        let two = parts(
            r#"{"request":{"method":"GET","url":"https://ex.com/a","httpVersion":"h2",
            "headers":[{"name":":authority","value":"ex.com"},{"name":":path","value":"/a"},{"name":"accept","value":"*/*"}]}}"#,
        );
        assert_eq!((two.headers.len(), two.version.as_deref()), (1, Some(&b"HTTP/2"[..])));
    }

    #[test]
    fn bodies_of_forms() {
        let form = parts(
            r#"{"request":{"method":"POST","url":"http://a/","postData":{"mimeType":"application/x-www-form-urlencoded",
            "params":[{"name":"a b","value":"c&d"},{"name":"e"}]}}}"#,
        );
        assert_eq!(form.body.as_deref(), Some(&b"a+b=c%26d&e"[..]));
    }

    #[test]
    fn entries_without_a_request() {
        for (entry, reason) in [
            ("{}", "an entry without a request"),
            (r#"{"request":null}"#, "an entry without a request"),
            (r#"{"request":{"url":"x"}}"#, "a request without a method"),
            (r#"{"request":{"method":"GET"}}"#, "a request without a URL"),
        ] {
            assert_eq!(read(entry.as_bytes()).unwrap_err(), reason);
        }
    }
}
