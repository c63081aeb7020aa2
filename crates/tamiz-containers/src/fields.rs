//! A request in a JSON object, under the names that programs give its parts: plain ones, those of
//! OpenTelemetry and of the Elastic Common Schema, and those of Caddy, Traefik, nginx, Envoy and
//! ModSecurity.

use serde_json::{Map, Value};
use tamiz::Source;

use crate::record::{Found, Parts, Reason};
use crate::time::Time;
use crate::{jsonl, request_line, url};

const METHOD: &[&str] = &[
    "method",
    "http.request.method",
    "http.method",
    "request.method",
    "request_method",
    "RequestMethod",
    "http_method",
    "httpMethod",
];
/// Where a URL may be absolute because a program has put it together.
const URL: &[&str] = &["url.full", "url.original", "url", "http.url", "request.url"];
/// Where a target is as it was sent.
const TARGET: &[&str] = &[
    "target",
    "uri",
    "request.uri",
    "request_uri",
    "http.target",
    "RequestPath",
    "x-envoy-original-path",
    "x-envoy-origin-path",
    "path",
    "url.path",
    "http.path",
];
const QUERY: &[&str] = &["url.query", "query", "query_string", "http.query"];
/// Where the `Host` header is.
const HOST: &[&str] = &["host", "request.host", "RequestHost", "http_host", "http.host", "httpHostName"];
const AUTHORITY: &[&str] = &[":authority", "authority", "server.address", "url.domain"];
const PORT: &[&str] = &["server.port", "url.port"];
const SCHEME: &[&str] = &["scheme", "url.scheme", "http.scheme", ":scheme", "request.scheme"];
const VERSION: &[&str] = &[
    "version",
    "http_version",
    "httpVersion",
    "network.protocol.version",
    "http.version",
    "http.flavor",
    "protocol",
    "proto",
    "request.proto",
    "request.http_version",
    "RequestProtocol",
    "server_protocol",
];
const HEADERS: &[&str] =
    &["headers", "request.headers", "http.request.headers", "http.request.header", "request_headers"];
const BODY: &[&str] = &["body", "http.request.body.content", "request.body", "request_body"];
const BODY_B64: &[&str] = &["body_b64", "body_base64"];
const USER_AGENT: &[&str] =
    &["user_agent.original", "user_agent", "user-agent", "http_user_agent", "http.user_agent", "agent"];
const REFERER: &[&str] = &["referer", "referrer", "http.request.referrer", "http_referer", "http_referrer"];
const ID: &[&str] = &["id", "event.id", "request_id", "transaction.unique_id", "transaction.id", "unique_id"];
const LABEL: &[&str] = &["label"];
const TIME: &[&str] = &[
    "time",
    "timestamp",
    "@timestamp",
    "ts",
    "start_time",
    "StartUTC",
    "time_iso8601",
    "time_local",
    "msec",
    "startedDateTime",
    "transaction.time_stamp",
    "transaction.time",
];

/// OpenTelemetry's names of headers begin with this.
const HEADER_PREFIX: &str = "http.request.header.";
/// Traefik's begin with this.
const TRAEFIK_PREFIX: &str = "request_";
/// nginx's variables begin with this.
const NGINX_PREFIX: &str = "http_";

/// The request in an object.
pub(crate) fn read(value: &Value, source: Source) -> Result<Found, Reason> {
    let all = Object(value);
    // ModSecurity 3 keeps all of it one level down.
    let inner = value.get("transaction").filter(|transaction| transaction.get("request").is_some());
    let object = Object(inner.unwrap_or(value));
    let line = object.text("request").or_else(|| object.text("request.request_line"));
    let mut parts = match &line {
        Some(line) => request_line::cut(line.as_bytes()),
        None => object.request()?,
    };
    headers(object, &mut parts);
    if let Some(host) = object.first(HOST) {
        parts.add_missing("host", host);
    }
    if parts.authority.is_none() {
        parts.authority = object.authority();
    }
    parts.scheme = parts.scheme.or_else(|| object.first(SCHEME).map(String::into_bytes));
    parts.body = object.body()?;
    let mut found = Found::parts(parts, source);
    found.id = all.first(ID);
    found.label = all.first(LABEL);
    found.time = all.first(TIME).and_then(|time| Time::parse(time.as_bytes()));
    Ok(found)
}

/// Whether an object of a log has parts of a request under names that only logs use.
pub(crate) fn is_log(value: &Value) -> bool {
    let object = Object(value);
    let has = |names: &[&str]| names.iter().any(|name| object.get(name).is_some());
    has(&[
        "request.uri",
        "RequestMethod",
        "request_method",
        "request_uri",
        "transaction.request",
        "request.request_line",
    ]) || has(&["x-envoy-original-path", "x-envoy-origin-path", ":authority"])
        || object.text("request").is_some_and(|line| request_line::is_one_of_any_version(line.as_bytes()))
        || object.text("log").is_some()
}

/// Whether an object has a request under names of JSON lines.
pub(crate) fn is_request(value: &Value) -> bool {
    let object = Object(value);
    object.get("raw_b64").is_some() || object.get("raw").is_some() || object.request().is_ok()
}

#[derive(Clone, Copy)]
struct Object<'a>(&'a Value);

impl<'a> Object<'a> {
    /// What has this name, as one key or as a way through objects.
    fn get(self, name: &str) -> Option<&'a Value> {
        let map = self.0.as_object()?;
        map.get(name).or_else(|| name.split('.').try_fold(self.0, |value, key| value.as_object()?.get(key)))
    }

    /// It as text.
    fn text(self, name: &str) -> Option<String> {
        match self.get(name)? {
            Value::String(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// The first of these names that has a value that can be told as text.
    fn first(self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| match self.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(truth) => Some(truth.to_string()),
            _ => None,
        })
    }

    /// The first of these names that has text.
    fn first_text(self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.text(name))
    }

    /// Method, target and version.
    fn request(self) -> Result<Parts, Reason> {
        let method = self.first_text(METHOD).ok_or("no method in it")?;
        let mut parts = Parts { method: method.into_bytes(), ..Parts::default() };
        if let Some(whole) = self.first_text(URL) {
            url::put(whole.as_bytes(), &mut parts);
        } else {
            parts.target = self.first_text(TARGET).ok_or("no target in it")?.into_bytes();
        }
        if let Some(query) = self.first_text(QUERY).filter(|query| !query.is_empty())
            && !parts.target.contains(&b'?')
        {
            parts.target.push(b'?');
            parts.target.extend_from_slice(query.strip_prefix('?').unwrap_or(&query).as_bytes());
        }
        parts.version = self.first(VERSION).and_then(|version| url::version(&version));
        Ok(parts)
    }

    fn authority(self) -> Option<Vec<u8>> {
        let mut authority = self.first_text(AUTHORITY)?;
        if let Some(port) = self.first(PORT) {
            authority = format!("{authority}:{port}");
        }
        Some(authority.into_bytes())
    }

    fn body(self) -> Result<Option<Vec<u8>>, Reason> {
        if let Some(encoded) = self.first_text(BODY_B64) {
            return Ok(Some(jsonl::decode(encoded.as_bytes()).ok_or("the body is not Base64")?));
        }
        Ok(BODY.iter().find_map(|name| self.get(name)).and_then(body))
    }
}

/// A body: text, pieces of text as ModSecurity has them, or JSON that a program has parsed.
fn body(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone().into_bytes()),
        Value::Array(pieces) if pieces.iter().all(Value::is_string) => {
            Some(pieces.iter().filter_map(Value::as_str).collect::<String>().into_bytes())
        }
        other => serde_json::to_vec(other).ok(),
    }
}

/// Adds every header there is, under whatever name.
fn headers(object: Object<'_>, parts: &mut Parts) {
    match HEADERS.iter().find_map(|name| object.get(name)) {
        Some(Value::Object(map)) => map.iter().for_each(|(name, value)| add(name, value, parts)),
        Some(Value::Array(pairs)) => pairs.iter().for_each(|pair| add_pair(pair, parts)),
        _ => {}
    }
    for (key, value) in object.0.as_object().unwrap_or(&Map::new()) {
        if let Some(name) = key.strip_prefix(HEADER_PREFIX) {
            add(name, value, parts);
        } else if let Some(name) = key.strip_prefix(TRAEFIK_PREFIX).filter(|name| is_capital(name)) {
            add(name, value, parts);
        } else if let Some(name) = key.strip_prefix(NGINX_PREFIX)
            && !["version", "method", "host", "user_agent", "referer", "referrer", "status"].contains(&name)
            && value.as_str().is_some_and(is_there)
        {
            add(&name.replace('_', "-"), value, parts);
        }
    }
    for (name, names) in [("user-agent", USER_AGENT), ("referer", REFERER)] {
        if let Some(value) = object.first_text(names).filter(|value| is_there(value)) {
            parts.add_missing(name, value);
        }
    }
}

/// Whether logs would write this for a value that is there.
fn is_there(value: &str) -> bool {
    !value.is_empty() && value != "-"
}

fn is_capital(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Adds a header that has one value or several.
fn add(name: &str, value: &Value, parts: &mut Parts) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| add(name, value, parts)),
        Value::String(text) => put(name, text, parts),
        Value::Number(number) => put(name, &number.to_string(), parts),
        Value::Bool(truth) => put(name, &truth.to_string(), parts),
        Value::Null | Value::Object(_) => {}
    }
}

/// Adds a header; those of HTTP/2 that begin with a colon are parts of their own.
pub(crate) fn put(name: &str, value: &str, parts: &mut Parts) {
    let value = value.as_bytes().to_vec();
    match name {
        ":method" => parts.method = value,
        ":path" => parts.target = value,
        ":scheme" => parts.scheme = Some(value),
        ":authority" => parts.authority = Some(value),
        _ => parts.headers.push((name.as_bytes().to_vec(), value)),
    }
}

/// Adds `["name", "value"]` or `{"name": …, "value": …}`.
fn add_pair(pair: &Value, parts: &mut Parts) {
    match pair {
        Value::Array(pair) => {
            if let [Value::String(name), value] = &pair[..] {
                add(name, value, parts);
            }
        }
        Value::Object(pair) => {
            let name = pair.get("name").or_else(|| pair.get("key")).and_then(Value::as_str);
            if let (Some(name), Some(value)) = (name, pair.get("value")) {
                add(name, value, parts);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;

    fn parts(json: &str) -> Parts {
        match read(&serde_json::from_str(json).unwrap(), Source::Har).unwrap().request {
            Request::Parts(parts) => parts,
            other => panic!("{other:?}"),
        }
    }

    fn text(bytes: &[u8]) -> &str {
        std::str::from_utf8(bytes).unwrap()
    }

    #[test]
    fn many_names_for_one_request() {
        for json in [
            r#"{"method":"POST","url":"https://ex.com/a?b=1","headers":{"Accept":"*/*"},"body":"x"}"#,
            r#"{"method":"POST","url":"https://ex.com/a?b=1","headers":[["Accept","*/*"]],"body_b64":"eA=="}"#,
            r#"{"method":"POST","url":"https://ex.com/a?b=1","headers":[{"name":"Accept","value":"*/*"}],"body":"x"}"#,
            r#"{"http.request.method":"POST","url.full":"https://ex.com/a?b=1","http.request.header.Accept":["*/*"],"http.request.body.content":"x"}"#,
            r#"{"http":{"request":{"method":"POST","header":{"Accept":["*/*"]},"body":{"content":"x"}}},"url":{"scheme":"https","domain":"ex.com","path":"/a","query":"b=1"}}"#,
            r#"{"http.request.method":"POST","url.path":"/a","url.query":"b=1","url.scheme":"https","server.address":"ex.com","headers":{"Accept":"*/*"},"body":"x"}"#,
        ] {
            let parts = parts(json);
            assert_eq!((text(&parts.method), text(&parts.target)), ("POST", "/a?b=1"), "{json}");
            assert_eq!(parts.scheme.as_deref().map(text), Some("https"), "{json}");
            assert_eq!(parts.authority.as_deref().map(text), Some("ex.com"), "{json}");
            assert_eq!(parts.headers, [(b"Accept".to_vec(), b"*/*".to_vec())], "{json}");
            assert_eq!(parts.body.as_deref().map(text), Some("x"), "{json}");
        }
    }

    #[test]
    fn logs_of_servers() {
        for json in [
            r#"{"request":{"method":"GET","host":"ex.com","uri":"/a","proto":"HTTP/1.1","headers":{"User-Agent":["x"]}}}"#,
            r#"{"RequestMethod":"GET","RequestHost":"ex.com","RequestPath":"/a","RequestProtocol":"HTTP/1.1","request_User-Agent":"x","request_id":"1"}"#,
            r#"{"request":"GET /a HTTP/1.1","http_host":"ex.com","http_user_agent":"x","http_referer":"-"}"#,
            r#"{"request_method":"GET","request_uri":"/a","server_protocol":"HTTP/1.1","host":"ex.com","http_user_agent":"x"}"#,
            r#"{"transaction":{"request":{"method":"GET","uri":"/a","http_version":1.1,"headers":{"Host":"ex.com","User-Agent":"x"}}}}"#,
            r#"{"transaction":{"time":"x"},"request":{"request_line":"GET /a HTTP/1.1","headers":{"Host":"ex.com","User-Agent":"x"}}}"#,
        ] {
            assert!(is_log(&serde_json::from_str(json).unwrap()), "{json}");
            let mut parts = parts(json);
            parts.headers.iter_mut().for_each(|(name, _)| name.make_ascii_lowercase());
            parts.headers.sort();
            assert_eq!((text(&parts.method), text(&parts.target)), ("GET", "/a"), "{json}");
            assert_eq!(parts.version.as_deref().map(text), Some("HTTP/1.1"), "{json}");
            let expected =
                [("host", "ex.com"), ("user-agent", "x")].map(|(name, value)| (name.into(), value.into()));
            assert_eq!(parts.headers, expected, "{json}");
        }
    }

    #[test]
    fn what_is_no_request() {
        for (json, reason) in [
            ("{}", "no method in it"),
            (r#"{"method":7}"#, "no method in it"),
            (r#"{"method":"GET"}"#, "no target in it"),
            (r#"{"method":"GET","uri":"/","body_b64":"?"}"#, "the body is not Base64"),
        ] {
            assert_eq!(read(&serde_json::from_str(json).unwrap(), Source::Har).unwrap_err(), reason);
        }
    }
}
