//! Streams of JSON lines.

use crate::common;

use common::Service;
use serde_json::{Value, json};
use tamiz::{Canonicalizer, Config};

fn lines(body: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(body).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[test]
fn many_lines_in_order_are_what_the_library_says() {
    let service = Service::start(|_| {});
    let tamiz = Canonicalizer::new(Config::default());
    let (mut body, mut expected) = (String::new(), String::new());
    for n in 0..3000 {
        let request = format!("GET /{n}?a=%3C{} HTTP/1.1\r\nHost: ex.com\r\n\r\n", "x".repeat(n % 700));
        body += &json!({ "raw": request, "id": n, "label": "valid" }).to_string();
        body += if n % 3 == 0 { "\r\n" } else { "\n" };
        let Value::Object(mut object) = serde_json::to_value(tamiz.canonicalize(request.as_bytes())).unwrap()
        else {
            panic!("no object");
        };
        object.insert("id".into(), n.into());
        object.insert("label".into(), "valid".into());
        assert_eq!(object.get("tamiz.source"), Some(&"wire".into()));
        expected += &Value::Object(object).to_string();
        expected.push('\n');
    }
    let answer =
        service.ask("POST", "/v1/batch", &[("content-type", "application/x-ndjson")], body.as_bytes());
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/x-ndjson")));
    assert_eq!(lines(&answer.body), lines(expected.as_bytes()));
    assert_eq!(service.counter("tamiz_documents_total"), 3000);
}

#[test]
fn each_line_is_answered_before_the_next_is_sent() {
    let service = Service::start(|_| {});
    let mut client = service.connect();
    client.send(b"POST /v1/batch HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
    let (status, _) = client.head().unwrap();
    assert_eq!(status, 200);
    for n in 0..20 {
        let line = format!("{{\"raw\":\"GET /{n} HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n\"}}\n");
        // Cut in two, so that a line comes in pieces.
        for piece in [&line[..7], &line[7..]] {
            client.send(format!("{:x}\r\n{piece}\r\n", piece.len()).as_bytes());
        }
        let answer = lines(&client.chunk().unwrap().unwrap());
        assert_eq!(answer.len(), 1);
        assert_eq!(answer[0]["url.path"], format!("/{n}"));
    }
    client.send(b"0\r\n\r\n");
    assert_eq!(client.chunk().unwrap(), None);
    // The connection is as good as before.
    assert_eq!(client.ask("GET", "/healthz", &[], b"").status, 200);
}

#[test]
fn a_bad_line_is_told_in_its_place() {
    let service = Service::start(|settings| settings.limits.body = 100_000);
    let long = format!("{{\"raw\":\"{}\"}}", "s3cret".repeat(50_000));
    let body = [
        "\u{FEFF}{\"raw\":\"GET /1 HTTP/1.1\"}",
        "{\"s3cret\":",
        "",
        "[\"s3cret\"]",
        &long,
        "{\"raw_b64\":\"s3cret!\"}",
        "{\"method\":\"GET\",\"url\":\"http://ex.com/7\"}",
        "   ",
        "\u{0}s3cret",
        "{\"method\":\"GET\"}",
        "{\"raw\":\"GET /11 HTTP/1.1\"}",
    ]
    .join("\n");
    let answers = lines(&service.post("/v1/batch", body.as_bytes()).body);
    let told: Vec<(Value, Value)> =
        answers.iter().map(|answer| (answer["error"]["line"].clone(), answer["url.path"].clone())).collect();
    let error = |line: u64| (json!(line), Value::Null);
    let good = |path: &str| (Value::Null, json!(path));
    assert_eq!(
        told,
        [good("/1"), error(2), error(4), error(5), error(6), good("/7"), error(9), error(10), good("/11")]
    );
    assert!(answers.iter().all(|answer| !answer["error"].to_string().contains("s3cret")));
}

#[test]
fn a_long_line_in_pieces_is_passed_over() {
    let service = Service::start(|settings| settings.limits.body = 1000);
    let mut client = service.connect();
    client.send(b"POST /v1/batch HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len()).into_bytes();
    for _ in 0..300 {
        client.send(&chunk(&"x".repeat(1000)));
    }
    client.send(&chunk("\n{\"raw\":\"GET /2 HTTP/1.1\"}"));
    client.send(b"0\r\n\r\n");
    let answer = client.answer();
    let answers = lines(&answer.body);
    assert_eq!(answers.len(), 2, "{}", answer.text());
    assert_eq!(answers[0]["error"]["line"], 1);
    assert_eq!(answers[1]["url.path"], "/2");
}

#[test]
fn large_lines_are_answered_too() {
    let service = Service::start(|settings| settings.limits.large = 1);
    let raw = format!("POST / HTTP/1.1\r\nHost: ex.com\r\n\r\n{}", "a=1&".repeat(50_000));
    let line = json!({ "raw": raw }).to_string();
    let body = [line.as_str(), "{}", &line].join("\n");
    let answers = lines(&service.post("/v1/batch", body.as_bytes()).body);
    assert_eq!(answers.len(), 3);
    assert_eq!(
        answers[0]["tamiz.text"],
        Canonicalizer::new(Config::default()).canonicalize(raw.as_bytes()).as_str()
    );
    assert_eq!(answers[0], answers[2]);
}

#[test]
fn options_and_refusals() {
    let service = Service::start(|settings| settings.limits.streams = 1);
    let line = b"{\"raw\":\"GET /?a=b HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n\"}";
    let literal = lines(&service.post("/v1/batch?view=literal&profile=core", line).body);
    assert_eq!(literal[0]["url.full"], "http://ex.com/?a=b");
    service.post("/v1/batch?evidence=true", line).fails(400, "query");
    service.ask("POST", "/v1/batch", &[("accept", "text/plain")], line).fails(406, "accept");
    service.ask("POST", "/v1/batch", &[("content-encoding", "gzip")], line).fails(415, "type");
    // The place of a stream is given back a moment after its answer has ended.
    let empty = std::iter::repeat_with(|| service.post("/v1/batch", b"")).find(|answer| answer.status != 503);
    assert_eq!(empty.unwrap().body, b"");
    // One stream is open: there is no room for another, but for everything else.
    let open = || {
        let mut open = service.connect();
        open.send(b"POST /v1/batch HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
        (open.head().unwrap().0, open)
    };
    let (status, mut open) = std::iter::repeat_with(open).find(|(status, _)| *status != 503).unwrap();
    assert_eq!(status, 200);
    let refused = service.post("/v1/batch", line);
    refused.fails(503, "overload");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(service.post("/v1/canonicalize", b"GET / HTTP/1.1\r\n\r\n").status, 200);
    open.send(b"0\r\n\r\n");
    assert_eq!(open.chunk().unwrap(), None);
    while service.post("/v1/batch", line).status != 200 {}
}

#[test]
fn a_stream_that_says_nothing_is_ended() {
    let service = Service::start(|settings| settings.limits.body_time = std::time::Duration::from_secs(15));
    let mut client = service.connect();
    client.send(b"POST /v1/batch HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1a\r\n{\"raw\":\"GET /1 HTTP/1.1\"}\n\r\n");
    let answer = service.while_time_passes(|| client.answer());
    let answers = lines(&answer.body);
    assert_eq!(answers[0]["url.path"], "/1");
    assert_eq!(answers[1]["error"]["line"], 2);
    assert_eq!(answers.len(), 2);
    assert_eq!(client.rest(), b"");
}
