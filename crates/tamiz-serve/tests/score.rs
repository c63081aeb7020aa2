//! Scores of `/v1/score` and of what proxies ask about, with a model and without.

use crate::common;

use std::path::PathBuf;

use common::{Answer, Service};
use serde_json::Value;
use tamiz::{Canonicalizer, Config, View};
use tamiz_detector::Model;
use tamiz_serve::{Server, Settings};

const NAMES: [&str; 3] = ["x-tamiz-score", "x-tamiz-p-value", "x-tamiz-novel"];
const ATTACK: &str = "/item?id=7%27%20or%20sleep(9)--";

/// A file with a model of so many requests.
fn model(name: &str, requests: u32) -> PathBuf {
    let tamiz = Canonicalizer::new(Config::default());
    let mut model = Model::new(tamiz.fingerprint()).unwrap();
    for n in 0..requests {
        let request = format!("GET /item?id={n} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        model.learn(&tamiz.canonicalize(request.as_bytes())).unwrap();
    }
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, model.to_bytes()).unwrap();
    path
}

fn check(service: &Service, uri: &str) -> Answer {
    service.ask("GET", "/check", &[("x-original-uri", uri)], b"")
}

fn number(answer: &Answer, name: &str) -> f64 {
    answer.header(name).unwrap_or_else(|| panic!("{name}: {answer:?}")).parse().unwrap()
}

fn scored(service: &Service, uri: &str) -> Value {
    let request = format!("GET {uri} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let answer = service.ask("POST", "/v1/score", &[], request.as_bytes());
    assert_eq!(answer.status, 200, "{answer:?}");
    serde_json::from_slice(&answer.body).unwrap()
}

#[test]
fn proxies_are_told_a_score_where_there_is_a_model() {
    let without = Service::start(|_| {});
    assert!(NAMES.iter().all(|name| check(&without, ATTACK).header(name).is_none()));
    assert_eq!(scored(&without, ATTACK)["p_value"], Value::Null);
    let path = model("told.model", 500);
    let service = Service::start(|settings| settings.model = Some(path));
    let (usual, attack) = (check(&service, "/item?id=7"), check(&service, ATTACK));
    assert!(number(&attack, NAMES[0]) > number(&usual, NAMES[0]));
    assert!(number(&attack, NAMES[1]) < 0.01 && number(&usual, NAMES[1]) > 0.01, "{usual:?}");
    assert!(number(&attack, NAMES[2]) > number(&usual, NAMES[2]));
    assert_eq!((usual.status, attack.status), (200, 200));
    // The library that reads the head makes no difference.
    let mut theirs = service.connect();
    assert_eq!(theirs.ask("GET", "/healthz", &[], b"").status, 200);
    let theirs = theirs.ask("GET", "/check", &[("x-original-uri", ATTACK)], b"");
    assert!(NAMES.iter().all(|name| theirs.header(name) == attack.header(name)));
    assert_eq!(service.counter("tamiz_model_requests"), 500);
    assert_eq!(service.counter("tamiz_scores_total{p_at_most=\"0.01\"}"), 2);
    assert_eq!(service.counter("tamiz_scores_total{p_at_most=\"1\"}"), 1);
}

#[test]
fn requests_with_a_low_p_value_are_turned_away() {
    let path = model("deny.model", 500);
    let service = Service::start(|settings| {
        settings.model = Some(path);
        settings.deny_p = Some(0.005);
    });
    let (usual, attack) = (check(&service, "/item?id=7"), check(&service, ATTACK));
    assert_eq!((usual.status, attack.status), (200, 403), "{attack:?}");
    assert!(number(&attack, NAMES[1]) <= 0.005);
    assert_eq!(service.counter("tamiz_checks_total{source=\"wire\",denied=\"yes\"}"), 1);
}

#[test]
fn a_p_value_that_no_request_can_have_is_refused() {
    let mut settings = Settings::default();
    settings.listen = vec!["127.0.0.1:0".parse().unwrap()];
    settings.model = Some(model("few.model", 20));
    settings.deny_p = Some(0.0001);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let Err(error) = runtime.block_on(Server::bind(Config::default(), &settings)) else {
        panic!("20 requests are too few")
    };
    let text = error.to_string();
    assert!(text.contains("from 20 requests, too few for a p-value of 0.0001"), "{text}");
}

#[test]
fn a_service_of_view_literal_scores_documents_of_another() {
    let path = model("literal.model", 500);
    let mut config = Config::default();
    config.view = View::Literal;
    let literal = Service::start_with(config.clone(), |_| {});
    let usual = Service::start(|_| {});
    assert_eq!(scored(&literal, ATTACK), scored(&usual, ATTACK));
    let literal = Service::start_with(config, |settings| settings.model = Some(path.clone()));
    let usual = Service::start(|settings| settings.model = Some(path));
    assert_eq!(scored(&literal, ATTACK), scored(&usual, ATTACK));
    let (ours, theirs) = (check(&literal, ATTACK), check(&usual, ATTACK));
    assert!(NAMES.iter().all(|name| ours.header(name).is_some() && ours.header(name) == theirs.header(name)));
    assert_ne!(ours.header("x-tamiz-fingerprint"), theirs.header("x-tamiz-fingerprint"));
}

#[test]
fn no_secret_in_scores() {
    let path = model("secrets.model", 500);
    let service = Service::start(|settings| settings.model = Some(path));
    let canaries = ["hunter2Canary", "eyJhbGciOiJIUzI1NiJ9.canary", "canaryKey4711"];
    let [password, token, key] = canaries;
    let body = format!("password={password}&api_key={key}'--");
    let request = format!(
        "POST /item?token={token}%27 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nCookie: sid={password}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let told = service.ask("POST", "/v1/score", &[], request.as_bytes());
    let form = [("content-type", "application/x-www-form-urlencoded"), ("authorization", token)];
    let checked = service.ask("POST", &format!("/check/envoy/item?token={token}"), &form, body.as_bytes());
    assert_eq!((told.status, checked.status), (200, 200));
    let shown = format!(
        "{} {checked:?} {:?}",
        String::from_utf8_lossy(&told.body),
        service.ask("GET", "/metrics", &[], b"")
    );
    assert!(shown.contains("reasons") && shown.contains("x-tamiz-score"), "{shown}");
    for canary in canaries {
        assert!(!shown.contains(canary), "{canary}: {shown}");
    }
}
