//! Wrong requests, requests about the service itself, and the page.

use crate::common;

use common::Service;
use serde_json::Value;

const REQUEST: &[u8] = b"GET /a//b HTTP/1.1\r\nHost: ex.com\r\n\r\n";

#[test]
fn every_error_is_a_fixed_text() {
    let service = Service::start(|settings| settings.limits.body = 1000);
    let s3cret = "s3cretZx9kQ2vLm4";
    let asked = |method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]| {
        let headers: Vec<(&str, &str)> = headers.iter().copied().chain([("x-note", s3cret)]).collect();
        let answer = service.ask(method, target, &headers, body);
        assert!(!answer.text().contains(s3cret) && !answer.text().contains("Zx9"), "{}", answer.text());
        assert!(!format!("{:?}", answer.headers).contains("s3cret"));
        answer
    };
    let query = format!("/v1/canonicalize?view={s3cret}");
    asked("POST", &query, &[], REQUEST).fails(400, "query");
    asked("POST", &format!("/v1/canonicalize?{s3cret}=1"), &[], REQUEST).fails(400, "query");
    asked("POST", "/v1/parts", &[], s3cret.as_bytes()).fails(400, "parts");
    asked("POST", "/v1/parts", &[], format!("{{\"{s3cret}\":1}}").as_bytes()).fails(400, "parts");
    asked("POST", "/v1/parts?evidence=true", &[], b"{}").fails(400, "query");
    asked("POST", "/v1/parts", &[("content-type", "text/plain")], b"{}").fails(415, "type");
    asked("POST", "/v1/canonicalize", &[("content-encoding", "gzip")], REQUEST).fails(415, "type");
    asked("POST", "/v1/canonicalize", &[("accept", s3cret)], REQUEST).fails(406, "accept");
    asked("POST", "/v1/canonicalize?evidence=true", &[("accept", "text/plain")], REQUEST)
        .fails(406, "accept");
    asked("POST", "/v1/canonicalize", &[], &[b'x'; 1001]).fails(413, "too-large");
    asked("POST", &format!("/{s3cret}"), &[], REQUEST).fails(404, "not-found");
    asked("GET", "/v1/canonicalize/", &[], b"").fails(404, "not-found");
    for method in ["GET", "PUT", "DELETE", "OPTIONS", "PATCH", s3cret] {
        let answer = asked(method, "/v1/canonicalize", &[], b"");
        answer.fails(405, "method");
        assert_eq!(answer.header("allow"), Some("POST"));
    }
    asked("POST", "/v1/flags", &[], b"").fails(405, "method");
    let counters = service.get("/metrics").text();
    assert!(!counters.contains("s3cret"), "{counters}");
    for (reason, count) in
        [("query", 3), ("parts", 2), ("type", 2), ("accept", 2), ("too-large", 1), ("method", 7)]
    {
        assert!(
            counters.contains(&format!("tamiz_rejections_total{{reason=\"{reason}\"}} {count}\n")),
            "{counters}"
        );
    }
    assert!(counters.contains("tamiz_requests_total{route=\"other\",status=\"404\"} 2\n"), "{counters}");
}

#[test]
fn what_is_about_the_service() {
    let service = Service::start(|_| {});
    assert_eq!(service.get("/healthz").text(), "ok\n");
    assert_eq!(service.get("/readyz").text(), "ready\n");
    service.post("/v1/canonicalize", b"GET /../a?x=%3Cb%3E HTTP/1.1\r\nHost: ex.com\r\nCookie: a=1\r\n\r\n");
    let answer = service.get("/metrics");
    assert!(answer.header("content-type").unwrap().starts_with("application/openmetrics-text"));
    let text = answer.text();
    for line in [
        "tamiz_documents_total 1",
        "tamiz_flags_total{flag=\"DOTDOT\"} 1",
        "tamiz_flags_total{flag=\"COOKIE\"} 1",
        "tamiz_requests_total{route=\"/v1/canonicalize\",status=\"200\"} 1",
    ] {
        assert!(text.lines().any(|there| there == line), "{line}: {text}");
    }
    // Those of before have ended, or are about to.
    while service.counter("tamiz_connections") != 1 {}
    assert!(service.counter("tamiz_received_bytes_total") > 100);
    assert!(service.counter("tamiz_sent_bytes_total") > 1000);
}

#[test]
fn the_page_and_what_may_be_done_with_it() {
    let service = Service::start(|_| {});
    for (target, content_type) in [
        ("/", "text/html; charset=utf-8"),
        ("/page.js", "text/javascript; charset=utf-8"),
        ("/page.css", "text/css; charset=utf-8"),
        ("/spec.html", "text/html; charset=utf-8"),
        ("/favicon.svg", "image/svg+xml"),
    ] {
        let answer = service.get(target);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(content_type)));
        assert!(!answer.body.is_empty());
        answer.is_marked();
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        for (name, value) in [
            ("cache-control", "no-cache"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
        ] {
            assert_eq!(answer.header(name), Some(value));
        }
        let tag = answer.header("etag").unwrap();
        for known in [tag, "*", &format!("\"x\", W/{tag}")] {
            let again = service.ask("GET", target, &[("if-none-match", known)], b"");
            assert_eq!((again.status, again.body.len()), (304, 0));
            again.is_marked();
        }
        assert_eq!(service.ask("GET", target, &[("if-none-match", "\"x\"")], b"").status, 200);
        let head = service.connect().ask("HEAD", target, &[], b"");
        assert_eq!(head.header("content-length"), Some(answer.body.len().to_string().as_str()));
    }
}

#[test]
fn the_description_is_of_what_is_answered() {
    let service = Service::start(|_| {});
    let description = service.get("/v1/openapi.json").json();
    assert_eq!(description["openapi"], "3.1.0");
    let schema = |name: &str| {
        let mut root = description.clone();
        root["$ref"] = format!("#/components/schemas/{name}").into();
        jsonschema::validator_for(&root).unwrap()
    };
    let is = |name: &str, value: &Value| {
        let errors: Vec<String> = schema(name).iter_errors(value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}: {value}");
    };
    let accept = [("accept", "application/json")];
    for target in ["/v1/canonicalize", "/v1/canonicalize?evidence=true&profile=full"] {
        is("document", &service.ask("POST", target, &accept, REQUEST).json());
    }
    is("flags", &service.get("/v1/flags").json());
    is("problem", &service.get("/nothing").json());
    let parts = serde_json::json!({"method": "GET", "target": "/", "headers": [["a", {"b64": "/w=="}]]});
    is("parts", &parts);
    assert!(schema("parts").validate(&serde_json::json!({"method": "GET"})).is_err());
    // Every path that is described is there, with the method that is said.
    for (path, operations) in description["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let body: &[u8] = if path == "/v1/parts" { br#"{"method":"GET","target":"/"}"# } else { b"" };
            let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
            let headers = parameters.iter().filter(|parameter| parameter["required"] == true);
            let headers: Vec<(&str, &str)> =
                headers.map(|header| (header["name"].as_str().unwrap(), "/")).collect();
            let answer = service.connect().ask(&method.to_uppercase(), path, &headers, body);
            assert_eq!(answer.status, 200, "{method} {path}");
            if operation["responses"]["200"].get("content").is_none() {
                assert!(answer.body.is_empty() && answer.header("content-type").is_none());
                continue;
            }
            let content_type = answer.header("content-type").unwrap().split(';').next().unwrap();
            let content = &operation["responses"]["200"]["content"];
            assert!(content.as_object().unwrap().contains_key(content_type), "{path}: {content_type}");
        }
    }
}

/// Whoever asks wrongly is told what would be right, in words of ours.
#[test]
fn errors_tell_what_is_taken() {
    let service = Service::start(|_| {});
    let detail = |target: &str, headers: &[(&str, &str)], body: &str| {
        let answer = service.ask("POST", target, headers, body.as_bytes());
        (answer.json()["detail"].as_str().unwrap().to_owned(), answer)
    };
    let secret = "correcthorsebattery";
    let (told, answer) = detail("/v1/parts", &[], &format!(r#"{{"method":"{secret}"}}"#));
    answer.fails(400, "parts");
    assert_eq!(told, r#"'target' is missing: a string, or {"b64": "Base64"} where it is not UTF-8."#);
    let wrong = format!(r#"{{"method":"GET","target":"/","headers":{{"a":"{secret}"}}}}"#);
    let (told, answer) = detail("/v1/parts", &[], &wrong);
    answer.fails(400, "parts");
    assert!(
        told.starts_with("'headers' is of another type than a list of [name, value], both strings"),
        "{told}"
    );
    let (told, answer) = detail("/v1/parts", &[], &format!(r#"{{"{secret}":1}}"#));
    assert!(told.ends_with("method, target, scheme, authority, version, headers, body."), "{told}");
    assert!(!answer.text().contains(secret));
    let (told, answer) = detail("/v1/parts", &[("content-type", "text/plain")], "{}");
    answer.fails(415, "type");
    assert!(told.contains("application/json"), "{told}");
    assert_eq!(answer.header("accept"), Some("application/json"));
    let (told, answer) = detail("/v1/canonicalize", &[("content-encoding", "br")], "x");
    answer.fails(415, "type");
    assert!(told.contains("identity"), "{told}");
    assert_eq!(answer.header("accept-encoding"), Some("identity"));
    for (target, accept, types) in [
        ("/v1/canonicalize", "text/html", "text/plain, application/json, text/x-tamiz-tokens"),
        ("/v1/canonicalize?evidence=true", "text/plain", "application/json"),
        ("/v1/batch", "text/html", "application/x-ndjson"),
        ("/v1/score", "text/html", "application/json"),
    ] {
        let (told, answer) = detail(target, &[("accept", accept)], "x");
        answer.fails(406, "accept");
        assert_eq!(told, format!("Accept names nothing that can be given: {types}."));
    }
    for (target, names) in [
        ("/v1/canonicalize?view=all", "view=shape|literal"),
        ("/v1/parts?evidence=true", "profile=core|standard|full"),
        ("/v1/score?view=shape", "no query"),
    ] {
        let (told, answer) = detail(target, &[], "x");
        answer.fails(400, "query");
        assert!(told.contains(names), "{told}");
    }
    let (told, answer) = detail("/check/nginx", &[], "");
    answer.fails(400, "check");
    assert!(told.contains("X-Tamiz-Request-Line"), "{told}");
}
