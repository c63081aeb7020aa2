//! A request in a JSON object, under the names that programs give its parts: plain ones, those of
//! OpenTelemetry and of the Elastic Common Schema, and those of Caddy, Traefik, nginx, Envoy and
//! ModSecurity.

use serde_json::{Map, Value};
use tamiz::Source;

use crate::id::Id;
use crate::mapping::Mapping;
use crate::names::{
    AUTHORITY, BODY, BODY_B64, CLIENT, FORWARDED_FOR, HEADER_PREFIX, HEADERS, HOST, ID, LABEL, METHOD,
    NGINX_PREFIX, PORT, QUERY, REFERER, REQUEST_ID, SCHEME, TARGET, TIME, TRAEFIK_PREFIX, URL, USER_AGENT,
    VERSION,
};
use crate::record::{Found, Parts, Reason};
use crate::time::Time;
use crate::{access_log, eve, jsonl, request_line, url};

/// The request in an object, under names that a mapping gives or that are known.
pub(crate) fn read(value: &Value, source: Source, mapping: &Mapping) -> Result<Found, Reason> {
    match mapping.apply(value) {
        Some(mapped) if has_bytes(&mapped) => jsonl::of_bytes(&mapped),
        Some(mapped) => read_known(&mapped, source),
        None => read_known(value, source),
    }
}

/// Looks up a name in an object, as one key or as a way through objects.
pub(crate) fn get<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    Object(value).get(name)
}

/// Looks up a name that has text.
pub(crate) fn text(value: &Value, name: &str) -> Option<String> {
    Object(value).text(name)
}

/// Returns whether an object has the bytes of a request.
fn has_bytes(value: &Value) -> bool {
    ["raw_b64", "raw"].iter().any(|name| value.get(name).is_some_and(Value::is_string))
}

fn read_known(value: &Value, source: Source) -> Result<Found, Reason> {
    let all = Object(value);
    // ModSecurity 3 keeps all of it one level down.
    let inner = value.get("transaction").filter(|transaction| transaction.get("request").is_some());
    let object = Object(inner.unwrap_or(value));
    let line = object.text("request").or_else(|| object.text("request.request_line"));
    let mut parts = match line.as_deref().map(str::trim) {
        Some("" | "-") => return Err("a line of a connection without a request".into()),
        // Fastly has the method there; what is no method either is what somebody sent.
        Some(line) if !line.contains(' ') => {
            object.request().unwrap_or_else(|_| request_line::cut(line.as_bytes()))
        }
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
    found.id = all.id();
    found.label = all.first(LABEL);
    found.client = all.first_text(CLIENT).and_then(|client| access_log::address(&client));
    found.time = all.first(TIME).and_then(|time| Time::parse(time.as_bytes()));
    Ok(found)
}

/// Returns whether an object of a log has parts of a request under names that only logs use.
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
        "ClientRequestMethod",
        "httpRequest",
        "properties.httpMethod",
        "id.orig_h",
        "eventData.httpMethod",
    ]) || has(&["httpMethod"]) && has(&["requestTime", "requestTimeEpoch"])
        || has(&["x-envoy-original-path", "x-envoy-origin-path", ":authority"])
        || object.text("request").is_some_and(|line| {
            request_line::is_one_of_any_version(line.as_bytes()) || request_line::is_method(line.as_bytes())
        })
        || object.text("log").is_some()
        || object.text("MESSAGE").is_some()
        || eve::is_one(value)
        || access_log::keeps_line(value)
}

/// Returns whether an object has a request under names of JSON lines.
pub(crate) fn is_request(value: &Value) -> bool {
    let object = Object(value);
    object.get("raw_b64").is_some() || object.get("raw").is_some() || object.request().is_ok()
}

#[derive(Clone, Copy)]
struct Object<'a>(&'a Value);

impl<'a> Object<'a> {
    /// Looks up a name, as one key or as a way through objects.
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

    /// The name of the request.
    fn id(self) -> Option<Id> {
        ID.iter().find_map(|name| match self.get(name)? {
            Value::Number(number) => Some(number.clone().into()),
            Value::String(text) => Some(text.as_str().into()),
            Value::Bool(truth) => Some(truth.to_string().into()),
            _ => None,
        })
    }

    /// The first of these names that has text.
    fn first_text(self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.text(name))
    }

    /// Method, target and version.
    fn request(self) -> Result<Parts, Reason> {
        let method = self.first_text(METHOD).filter(|method| !method.is_empty()).ok_or("no method in it")?;
        let mut parts = Parts { method: method.into_bytes(), ..Parts::default() };
        if let Some(whole) = self.first_text(URL) {
            // Some keep a request line without its method.
            let (whole, version) = match whole.rsplit_once(" HTTP/") {
                Some((whole, version)) => (whole, url::version(&format!("HTTP/{version}"))),
                None => (whole.as_str(), None),
            };
            url::put(whole.as_bytes(), &mut parts);
            parts.version = version;
        } else {
            let target = self.first_text(TARGET).or_else(|| self.route()).ok_or("no target in it")?;
            // Front Door puts a URL together.
            if self.get("properties").is_some() && target.contains("://") {
                url::put(target.as_bytes(), &mut parts);
            } else {
                parts.target = target.into_bytes();
            }
        }
        if let Some(query) = self.first_text(QUERY).filter(|query| !query.is_empty())
            && !parts.target.contains(&b'?')
        {
            parts.target.push(b'?');
            parts.target.extend_from_slice(query.strip_prefix('?').unwrap_or(&query).as_bytes());
        }
        let version = VERSION.iter().find_map(|name| url::version(&self.first(&[name])?));
        parts.version = version.or(parts.version);
        Ok(parts)
    }

    /// The path of API Gateway's `routeKey`, which is `GET /path` or `$default`.
    fn route(self) -> Option<String> {
        let key = self.text("routeKey")?;
        key.split_once(' ').map(|(_, path)| path.to_owned())
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
        Some(Value::String(text)) => add_lines(text, parts),
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
    for (name, names) in [
        ("user-agent", USER_AGENT),
        ("referer", REFERER),
        ("x-forwarded-for", FORWARDED_FOR),
        ("x-request-id", REQUEST_ID),
    ] {
        if let Some(value) = object.first_text(names).filter(|value| is_there(value)) {
            parts.add_missing(name, value);
        }
    }
}

/// Adds headers that are one text: an object or a list of JSON, or lines `Name: value`.
fn add_lines(text: &str, parts: &mut Parts) {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => map.iter().for_each(|(name, value)| add(name, value, parts)),
        Ok(Value::Array(pairs)) => pairs.iter().for_each(|pair| add_pair(pair, parts)),
        _ => {
            for (name, value) in text.lines().filter_map(|line| line.split_once(':')) {
                put(name.trim(), value.trim(), parts);
            }
        }
    }
}

/// Returns whether logs would write this for a value that is there.
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

    #[test]
    fn logs_of_clouds() {
        for json in [
            // AWS WAF.
            r#"{"timestamp":1791640536000,"webaclId":"a","httpRequest":{"clientIp":"192.0.2.1","headers":[{"name":"Host","value":"ex.com"},{"name":"User-Agent","value":"x"}],"uri":"/a","args":"b=1","httpVersion":"HTTP/1.1","httpMethod":"GET","requestId":"r"}}"#,
            // API Gateway.
            r#"{"requestId":"r","ip":"192.0.2.1","requestTime":"10/Oct/2026:13:55:36 +0000","httpMethod":"GET","path":"/a?b=1","domainName":"ex.com","protocol":"HTTP/1.1","userAgent":"x"}"#,
            // Cloudflare Logpush.
            r#"{"ClientIP":"192.0.2.1","ClientRequestHost":"ex.com","ClientRequestMethod":"GET","ClientRequestURI":"/a?b=1","ClientRequestProtocol":"HTTP/1.1","ClientRequestUserAgent":"x","EdgeStartTimestamp":"2026-10-10T13:55:36Z","RayID":"r"}"#,
            // Fastly.
            r#"{"timestamp":"2026-10-10T13:55:36+0000","client_ip":"192.0.2.1","host":"ex.com","url":"/a?b=1","request_method":"GET","request_protocol":"HTTP/1.1","request_referer":"","request_user_agent":"x","fastly_server":"cache-mad"}"#,
            // Azure Application Gateway.
            r#"{"timeStamp":"2026-10-10T13:55:36Z","properties":{"httpMethod":"GET","requestUri":"/a","requestQuery":"b=1","userAgent":"x","httpVersion":"HTTP/1.1","host":"ex.com","transactionId":"r"}}"#,
            // Kong.
            r#"{"started_at":1791640536000,"request":{"id":"r","method":"GET","uri":"/a?b=1","headers":{"host":"ex.com","user-agent":"x"}},"route":{"protocol":"HTTP/1.1"},"version":"HTTP/1.1"}"#,
            // Zeek, as JSON.
            r#"{"ts":1791640536.0,"uid":"r","id.orig_h":"192.0.2.1","method":"GET","host":"ex.com","uri":"/a?b=1","version":"1.1","user_agent":"x"}"#,
            // Coraza.
            r#"{"transaction":{"timestamp":"2026/10/10 13:55:36","id":"r","request":{"method":"GET","protocol":"HTTP/1.1","uri":"/a?b=1","http_version":"","headers":{"host":["ex.com"],"user-agent":["x"]},"body":""}}}"#,
        ] {
            let value: Value = serde_json::from_str(json).unwrap();
            let found = read_known(&value, Source::AccessLog).unwrap();
            assert!(found.time.is_some(), "{json}");
            let mut parts = parts(json);
            parts.headers.iter_mut().for_each(|(name, _)| name.make_ascii_lowercase());
            parts.headers.sort();
            assert_eq!((text(&parts.method), text(&parts.target)), ("GET", "/a?b=1"), "{json}");
            assert_eq!(parts.version.as_deref().map(text), Some("HTTP/1.1"), "{json}");
            let expected =
                [("host", "ex.com"), ("user-agent", "x")].map(|(name, value)| (name.into(), value.into()));
            assert_eq!(parts.headers, expected, "{json}");
        }
        for json in [
            // Google's load balancer, and Azure Front Door.
            r#"{"timestamp":"2026-10-10T13:55:36Z","insertId":"r","httpRequest":{"requestMethod":"GET","requestUrl":"https://ex.com/a?b=1","userAgent":"x","protocol":"HTTP/1.1"}}"#,
            r#"{"time":"2026-10-10T13:55:36Z","properties":{"trackingReference":"r","httpMethod":"GET","httpVersion":"1.1","requestUri":"https://ex.com/a?b=1","userAgent":"x"}}"#,
        ] {
            let parts = parts(json);
            assert_eq!((text(&parts.method), text(&parts.target)), ("GET", "/a?b=1"), "{json}");
            assert_eq!(parts.authority.as_deref().map(text), Some("ex.com"), "{json}");
            assert_eq!(parts.version.as_deref().map(text), Some("HTTP/1.1"), "{json}");
        }
        let broken = r#"{"timestamp":1,"webaclId":"a","httpRequest":{"httpMethod":"","uri":"/"}}"#;
        assert!(read_known(&serde_json::from_str(broken).unwrap(), Source::AccessLog).is_err());
    }

    fn parts(json: &str) -> Parts {
        match read_known(&serde_json::from_str(json).unwrap(), Source::Har).unwrap().request {
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
            (r#"{"method":"","uri":"/"}"#, "no method in it"),
            (r#"{"method":"GET"}"#, "no target in it"),
            (r#"{"method":"GET","uri":"/","body_b64":"?"}"#, "the body is not Base64"),
        ] {
            assert_eq!(read_known(&serde_json::from_str(json).unwrap(), Source::Har).unwrap_err(), reason);
        }
    }
}
