//! Suricata's `eve.json`: of its events those of kind `http`, with the headers and the body that it was told to log.

use serde_json::{Number, Value};
use tamiz::Source;

use crate::id::Id;
use crate::record::{Found, Parts, Reason};
use crate::time::Time;
use crate::{fields, jsonl, url};

/// Returns whether an object is an event of Suricata's, and not somebody's line with a request in it.
pub(crate) fn is_one(value: &Value) -> bool {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let is_of_flow = value.get("flow_id").is_some() || matches!(text("event_type"), Some("http" | "stats"));
    let has_bytes = value.get("raw").is_some() || value.get("raw_b64").is_some();
    text("event_type").is_some() && text("timestamp").is_some() && is_of_flow && !has_bytes
}

/// The request of an event; `None` for an event of another kind. What alerts say of a request, its own event says too.
pub(crate) fn read(event: &Value) -> Option<Result<Found, Reason>> {
    if event.get("event_type").and_then(Value::as_str) != Some("http") {
        return None;
    }
    Some(request(event))
}

fn request(event: &Value) -> Result<Found, Reason> {
    let http = event.get("http").ok_or("an event without its request")?;
    let text = |name: &str| http.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let mut parts = Parts::default();
    for header in http.get("request_headers").and_then(Value::as_array).into_iter().flatten() {
        let of = |name: &str| header.get(name).and_then(Value::as_str);
        if let (Some(name), Some(value)) = (of("name"), of("value")) {
            fields::put(name, value, &mut parts);
        }
    }
    if let Some(method) = text("http_method") {
        parts.method = method.as_bytes().to_vec();
    }
    if let Some(target) = text("url") {
        parts.target = target.as_bytes().to_vec();
    }
    if parts.method.is_empty() {
        return Err("no method in it".into());
    }
    if parts.target.is_empty() {
        return Err("no target in it".into());
    }
    parts.version = text("protocol").or_else(|| text("version")).and_then(url::version);
    for (name, key) in [
        ("host", "hostname"),
        ("user-agent", "http_user_agent"),
        ("referer", "http_refer"),
        ("accept", "accept"),
        ("accept-charset", "accept_charset"),
        ("accept-encoding", "accept_encoding"),
        ("accept-language", "accept_language"),
        ("authorization", "authorization"),
        ("cookie", "cookie"),
        ("from", "from"),
        ("origin", "origin"),
        ("x-forwarded-for", "xff"),
        ("x-requested-with", "x_requested_with"),
    ] {
        if let Some(value) = text(key) {
            parts.add_missing(name, value);
        }
    }
    // As Base64, and with dots for what cannot be printed, which is better than nothing.
    let encoded = text("http_request_body").or_else(|| text("request_body"));
    parts.body = match encoded {
        Some(encoded) => Some(jsonl::decode(encoded.as_bytes()).ok_or("the body is not Base64")?),
        None => text("http_request_body_printable").map(|body| body.as_bytes().to_vec()),
    };
    let mut found = Found::parts(parts, Source::AccessLog);
    found.id = event.get("flow_id").and_then(Value::as_u64).map(|id| Id::from(Number::from(id)));
    found.client = event.get("src_ip").and_then(Value::as_str).and_then(|client| client.parse().ok());
    found.time = event.get("timestamp").and_then(Value::as_str).and_then(|time| Time::parse(time.as_bytes()));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Request;

    #[test]
    fn events_of_requests() {
        let event = r#"{"timestamp":"2026-10-10T13:55:36.123456+0000","flow_id":17,"event_type":"http","http":{"hostname":"ex.com",
            "url":"/a?b","http_user_agent":"x","http_method":"POST","protocol":"HTTP/1.1","request_headers":[{"name":"Host","value":"ex.com"},
            {"name":"X-A","value":"1"}],"http_request_body":"YT0x"}}"#;
        let found = read(&serde_json::from_str(event).unwrap()).unwrap().unwrap();
        let Request::Parts(parts) = found.request else { panic!("bytes") };
        assert_eq!((&parts.method[..], &parts.target[..]), (&b"POST"[..], &b"/a?b"[..]));
        assert_eq!((parts.headers.len(), parts.body.as_deref()), (3, Some(&b"a=1"[..])));
        assert_eq!((found.id.as_deref(), found.time.is_some()), (Some("17"), true));
    }

    #[test]
    fn other_events_are_none_and_broken_ones_are_told() {
        let event = |rest: &str| -> Value {
            serde_json::from_str(&format!("{{\"timestamp\":\"2026-10-10T13:55:36Z\",{rest}}}")).unwrap()
        };
        for rest in [
            r#""event_type":"dns","flow_id":1"#,
            r#""event_type":"alert","flow_id":1,"http":{"http_method":"GET"}"#,
        ] {
            assert!(is_one(&event(rest)) && read(&event(rest)).is_none());
        }
        for rest in [
            r#""event_type":"http""#,
            r#""event_type":"http","http":{"url":"/"}"#,
            r#""event_type":"http","http":{"http_method":"GET"}"#,
            r#""event_type":"http","http":{"http_method":"GET","url":"/","http_request_body":"?"}"#,
        ] {
            assert!(read(&event(rest)).unwrap().is_err(), "{rest}");
        }
        // Somebody's own lines.
        assert!(
            !is_one(&event(r#""event_type":"http","raw":"GET /""#)) && !is_one(&event(r#""event_type":"x""#))
        );
        assert!(!is_one(&serde_json::json!({"timestamp": 1})));
    }
}
