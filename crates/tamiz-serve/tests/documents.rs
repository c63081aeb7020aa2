//! The service's answers are the library's documents, byte for byte.

use serde_json::json;
use tamiz::{Canonicalizer, Config, Flag, Profile, Scheme, View};

use crate::common::Service;
use crate::{corpus, vectors};

/// How many rows of a corpus are sent at least, and which of each file.
const ROWS: usize = 5000;
const EVERY: usize = 25;

fn canonicalizer(view: View, profile: Profile, scheme: Scheme) -> Canonicalizer {
    let mut config = Config::default();
    (config.view, config.profile, config.scheme) = (view, profile, scheme);
    Canonicalizer::new(config)
}

#[test]
fn every_vector() {
    let service = Service::start(|_| {});
    let mut client = service.connect();
    let all = vectors::all();
    assert!(all.len() > 500);
    for vector in all {
        let view = vector.view.unwrap_or(View::Shape);
        let profile = vector.profile.unwrap_or(Profile::Standard);
        let scheme = vector.scheme.unwrap_or(Scheme::Http);
        let target = format!("/v1/canonicalize?view={view}&profile={profile}&scheme={scheme}");
        let request = vector.request();
        let tamiz = canonicalizer(view, profile, scheme);
        let document = tamiz.canonicalize(&request);
        let answer = client.ask("POST", &target, &[], &request);
        assert_eq!((answer.status, answer.text().as_str()), (200, document.as_str()), "{}", vector.name);
        assert_eq!(document.as_str().trim_end(), vector.document.trim(), "{}", vector.name);
        assert_eq!(answer.header("x-tamiz-fingerprint"), Some(tamiz.fingerprint().as_str()));
    }
}

#[test]
fn a_corpus_in_every_form() {
    let Some(files) = corpus::files() else { return };
    let service = Service::start(|_| {});
    let tamiz = Canonicalizer::new(Config::default());
    let mut client = service.connect();
    let rows = files.iter().flat_map(|path| corpus::rows(path).step_by(EVERY));
    let mut sent = 0;
    for (number, row) in rows.enumerate() {
        let request = row.request();
        if request.len() > 1 << 20 {
            continue;
        }
        sent += 1;
        let mut ask = |target: &str, accept: &str| {
            let answer = client.ask("POST", target, &[("accept", accept)], &request);
            assert_eq!(answer.status, 200, "{}", row.id);
            answer.text()
        };
        let document = tamiz.canonicalize(&request);
        assert_eq!(ask("/v1/canonicalize", "text/plain"), document.as_str(), "{}", row.id);
        if number % 10 == 0 {
            let json = serde_json::to_string(&document).unwrap() + "\n";
            assert_eq!(ask("/v1/canonicalize", "application/json"), json);
            assert_eq!(ask("/v1/canonicalize", "text/x-tamiz-tokens"), document.tokens().join(" ") + "\n");
            let traced = serde_json::to_string(&tamiz.canonicalize_with_evidence(&request)).unwrap() + "\n";
            assert_eq!(ask("/v1/canonicalize?evidence=true", "*/*"), traced);
        }
    }
    println!("{sent} rows");
    assert!(sent >= ROWS, "{sent}");
}

#[test]
fn bytes_that_look_like_a_document_are_a_request() {
    let service = Service::start(|_| {});
    let tamiz = Canonicalizer::new(Config::default());
    for vector in vectors::all().iter().step_by(20) {
        let document = tamiz.canonicalize(vector.document.as_bytes());
        let answer = service.post("/v1/canonicalize", vector.document.as_bytes());
        assert_eq!(answer.text(), document.as_str());
        assert!(
            answer.text().contains("BADREQLINE") || answer.text().contains("HTTP09"),
            "{}",
            answer.text()
        );
    }
}

#[test]
fn no_body_is_an_empty_request() {
    let service = Service::start(|_| {});
    let expected = Canonicalizer::new(Config::default()).canonicalize(b"");
    assert_eq!(service.post("/v1/canonicalize", b"").text(), expected.as_str());
    let mut client = service.connect();
    client.send(b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\n\r\n");
    assert_eq!(client.answer().text(), expected.as_str());
}

#[test]
fn large_bodies_and_chunks() {
    let service = Service::start(|_| {});
    let tamiz = Canonicalizer::new(Config::default());
    for len in [1, 1 << 10, 32 << 10, (32 << 10) + 1, 100 << 10, (1 << 20) - 70] {
        let request = format!("POST / HTTP/1.1\r\nHost: ex.com\r\n\r\n{}", "a=%3Cb%3E&".repeat(len / 10 + 1));
        let request = &request.as_bytes()[..request.len().min(1 << 20)];
        let expected = tamiz.canonicalize(request);
        assert_eq!(service.post("/v1/canonicalize", request).text(), expected.as_str(), "{len}");
        let mut client = service.connect();
        client.send(b"POST /v1/canonicalize HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
        for piece in request.chunks(request.len() / 3 + 1) {
            client.send(&[format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat());
        }
        client.send(b"0\r\n\r\n");
        assert_eq!(client.answer().text(), expected.as_str(), "{len}, chunked");
    }
}

#[test]
fn parts() {
    let service = Service::start(|_| {});
    let tamiz = Canonicalizer::new(Config::default());
    let mut parts = tamiz::Parts::new(b"POST", b"/a//b?pwd=visionario");
    parts.scheme = Some(b"https");
    parts.authority = Some(b"ex.com");
    parts.version = Some(b"HTTP/2");
    parts
        .header(b"content-type", b"application/json")
        .header(b"content-length", b"7")
        .header(b"x-odd", b"\xFF");
    parts.body = Some(b"{\"a\":1}");
    let json = json!({
        "method": "POST", "target": "/a//b?pwd=visionario", "scheme": "https", "authority": "ex.com",
        "version": {"b64": "SFRUUC8y"},
        "headers": [["content-type", "application/json"], ["content-length", "7"], ["x-odd", {"b64": "/w=="}]],
        "body": "{\"a\":1}",
    });
    let document = tamiz.canonicalize_parts(&parts);
    let answer = service.ask(
        "POST",
        "/v1/parts",
        &[("content-type", "application/json")],
        json.to_string().as_bytes(),
    );
    assert_eq!(answer.text(), document.as_str());
    let accept = [("accept", "application/json")];
    let answer = service.ask("POST", "/v1/parts", &accept, json.to_string().as_bytes());
    assert_eq!(answer.text(), serde_json::to_string(&document).unwrap() + "\n");
    assert!(!answer.text().contains("visionario"));
}

#[test]
fn the_service_says_how_it_was_started() {
    let mut config = Config::default();
    config.profile = Profile::Full;
    let full = Canonicalizer::new(config.clone());
    let service = Service::start_with(config, |_| {});
    let request = b"GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    let answer = service.post("/v1/canonicalize", request);
    assert_eq!(answer.text(), full.canonicalize(request).as_str());
    for target in ["/", "/v1/flags", "/healthz", "/metrics", "/nothing"] {
        assert_eq!(service.get(target).header("x-tamiz-fingerprint"), Some(full.fingerprint().as_str()));
    }
    let core = service.post("/v1/canonicalize?profile=core", request);
    assert_eq!(
        core.text(),
        canonicalizer(View::Shape, Profile::Core, Scheme::Http).canonicalize(request).as_str()
    );
}

#[test]
fn the_registry() {
    let service = Service::start(|_| {});
    let json = service.get("/v1/flags").json();
    let flags = json["flags"].as_array().unwrap();
    assert_eq!(flags.len(), Flag::ALL.len());
    for entry in flags {
        let flag = Flag::from_name(entry["name"].as_str().unwrap()).unwrap();
        assert_eq!(entry["family"], flag.family().as_str());
        assert_eq!(entry["weight"], flag.weight().as_str());
        assert_eq!(entry["profile"], flag.profile().as_str());
        assert_eq!(entry["meaning"], flag.meaning());
        assert_eq!(entry["clause"], flag.clause());
        let example =
            data_encoding::BASE64.decode(entry["example_b64"].as_str().unwrap().as_bytes()).unwrap();
        assert_eq!(example, flag.raises());
        let document = service.post("/v1/canonicalize?profile=full", &example).text();
        assert!(document.contains(flag.name()), "{flag}: {document}");
    }
}
