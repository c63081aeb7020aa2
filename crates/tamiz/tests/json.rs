//! The JSON document against its published schema.

mod common;

use common::vectors;
use serde_json::{Value, json};
use tamiz::{Canonicalizer, Config, Document, Profile};

#[test]
fn every_document_keeps_the_schema() {
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(common::root().join("spec/schema.json")).unwrap())
            .unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut config = Config::default();
    config.profile = Profile::Full;
    let tamiz = Canonicalizer::new(config);
    for vector in vectors::all() {
        let request = vector.request();
        let parsed = Document::parse(&vector.document).unwrap();
        for document in [tamiz.canonicalize(&request), tamiz.canonicalize_with_evidence(&request), parsed] {
            let value = serde_json::to_value(&document).unwrap();
            let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{}: {errors:#?}\n{value:#}", vector.name);
        }
    }
    assert!(!validator.is_valid(&json!({"http.request.method": "GET"})), "the schema can fail");
}

#[test]
fn names_are_those_of_opentelemetry() {
    let tamiz = Canonicalizer::new(Config::default());
    let request = b"GET /a?q=O'Brien&pwd=x HTTP/1.1\r\nHost: ex.com\r\nUser-Agent: curl/8.0\r\nX-A: 1\r\nX-A: 2\r\n\r\n";
    let document = serde_json::to_value(tamiz.canonicalize_with_evidence(request)).unwrap();
    assert_eq!(document["http.request.method"], "GET");
    assert_eq!(document["url.full"], "http://ex.com/a?q=<mixed:7:'>&pwd=<SECRET:alpha:1>");
    assert_eq!(document["url.path"], "/a");
    assert_eq!(document["url.query"], "q=<mixed:7:'>&pwd=<SECRET:alpha:1>");
    assert_eq!(document["http.request.header.x-a"], json!(["<num:1>", "<num:1>"]));
    assert_eq!(document["user_agent.original"], "curl/8.0");
    assert_eq!(document["tamiz.fingerprint"], tamiz.fingerprint().as_str());
    assert_eq!(
        document["tamiz.flags"],
        json!([
            {"name": "QUOTE", "place": "q.q", "family": "danger", "weight": "notable", "evidence": [[10, 11]]},
            {"name": "DUPHDR", "parameter": "x-a", "place": "h.x-a", "family": "header", "weight": "structural", "evidence": [[77, 80]]},
        ])
    );
}

#[test]
fn bodies_and_what_is_left_out() {
    let text = "M:POST [CAPPED]\nU:http://ex.com/a?k=<num:1>&<more:4>\nP:/a PLEN:2@0-15 PMAX:1@0-15\n\
                Q:5 KEYS:k,<more:4>\nFLAGS:[CAPPED QUOTE]\nH:<more:3>\nHCNT:3 HLEN:9@0-15\n\
                B:json BLEN:20@16-31 [QUOTE]\nBQ:6 KEYS:a.b,c,a.b,<more:3>\nBK:a.b=<num:1>|<bool:4>\n\
                BK:c=<SECRET:alpha:8>\nBK:<more:3>\n";
    let document = serde_json::to_value(Document::parse(text).unwrap()).unwrap();
    assert_eq!(document["url.query"], "k=<num:1>&<more:4>");
    assert_eq!(document["tamiz.query.count"], 5);
    assert_eq!(document["tamiz.query.keys"], json!(["k"]));
    assert_eq!(document["tamiz.headers.count"], 3);
    assert_eq!(document["http.request.body.size"], 20);
    assert_eq!(document["tamiz.body.kind"], "json");
    assert_eq!(document["tamiz.body.length"], json!({"n": 20, "bucket": "16-31"}));
    assert_eq!(document.get("tamiz.body.shape"), None);
    assert_eq!(document["tamiz.body.count"], 6);
    assert_eq!(document["tamiz.body.keys"], json!(["a.b", "c", "a.b"]));
    assert_eq!(
        document["tamiz.body.values"],
        json!([{"key": "a.b", "shapes": ["<num:1>", "<bool:4>"]}, {"key": "c", "shapes": ["<SECRET:alpha:8>"]}])
    );
    assert_eq!(document["tamiz.flags"][1]["place"], "b");
    let whole = "M:POST\nP:/a PLEN:2@0-15 PMAX:1@0-15\nHCNT:0 HLEN:0@0-15\nB:text BLEN:3@0-15 <lower:3>\n";
    let document = serde_json::to_value(Document::parse(whole).unwrap()).unwrap();
    assert_eq!(document["tamiz.body.shape"], "<lower:3>");
    assert_eq!(document.get("tamiz.body.keys"), None);
}
