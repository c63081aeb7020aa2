//! Requests as others see them, through the command.

mod common;

use std::fs;

use common::{scratch, tamiz, tamiz_on};
use serde_json::Value;

const TAKEN: &[u8] = b"GET /a HTTP/1.1\r\nHost: ex.com\r\nX_Id: 7\r\nX-A: 1\r\nX-A: 2\r\n\r\n";
const REFUSED: &[u8] = b"GET /../a HTTP/1.1\r\nHost: ex.com\r\n\r\n";

#[test]
fn a_document_is_that_of_what_is_handed_over() {
    let raw = tamiz_on(["canon"], TAKEN).ok();
    assert!(raw.contains("H:x_id=<num:1> [BADHDRNAME:x_id]"), "{raw}");
    let seen = tamiz_on(["canon", "--as-seen-by", "nginx"], TAKEN).ok();
    assert!(!seen.contains("x_id") && seen.contains("DUPHDR"), "{seen}");
    let joined = tamiz_on(["canon", "--as-seen-by", "envoy-ext-authz"], TAKEN).ok();
    assert!(joined.contains("H:x-a=<mixed:3:%2C>\n") && !joined.contains("DUPHDR"), "{joined}");
    assert_eq!(tamiz_on(["canon", "--as-seen-by", "wire"], TAKEN).ok(), raw);
    let json = tamiz_on(["canon", "--as-seen-by", "nginx", "--format", "json"], TAKEN).ok();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["tamiz.source"], "nginx");
    let wire = tamiz_on(["canon", "--format", "json"], TAKEN).ok();
    let wire: Value = serde_json::from_str(&wire).unwrap();
    assert_eq!(wire["tamiz.source"], "wire");
    assert_ne!(json["tamiz.fingerprint"], wire["tamiz.fingerprint"]);
}

#[test]
fn what_is_refused_is_named_and_has_no_document() {
    let run = tamiz_on(["canon", "--as-seen-by", "nginx"], REFUSED);
    assert_eq!((run.code, run.stdout.len()), (1, 0), "{}", run.stderr);
    assert!(run.stderr.contains("nginx refuses it: a path above its root"), "{}", run.stderr);
    for usage in [
        &["canon", "--as-seen-by", "nginx", "--evidence", "--format", "json"][..],
        &["canon", "--as-seen-by", "nginx", "--from", "document"],
        &["canon", "--as-seen-by", "har"],
    ] {
        assert_eq!(tamiz_on(usage, TAKEN).code, 2, "{usage:?}");
    }
}

#[test]
fn batch_counts_what_is_refused() {
    let dir = scratch("as-seen-by");
    for (name, request) in [("a", TAKEN), ("b", REFUSED), ("c", REFUSED), ("d", TAKEN)] {
        fs::write(dir.join(format!("{name}.http")), request).unwrap();
    }
    let out = dir.with_extension("jsonl");
    let _ = fs::remove_file(&out);
    let run = tamiz(["batch", dir.to_str().unwrap(), "-o", out.to_str().unwrap(), "--as-seen-by", "nginx"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("2 more requests that nginx would refuse: 2 for a path above its root"),
        "{}",
        run.stderr
    );
    let rows: Vec<Value> =
        fs::read_to_string(&out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2);
    let seen = tamiz_on(["canon", "--as-seen-by", "nginx"], TAKEN).ok();
    for row in rows {
        assert_eq!(
            (row["tamiz.source"].as_str(), row["tamiz.text"].as_str()),
            (Some("nginx"), Some(&seen[..]))
        );
    }
}

#[test]
fn requests_in_parts_cannot_be_seen_by_others() {
    let line = br#"{"method":"GET","url":"http://ex.com/a"}"#;
    let run = tamiz_on(["batch", "-o", "-", "--format", "text", "--as-seen-by", "caddy"], line);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("needs its bytes"), "{}", run.stderr);
}

#[test]
fn flags_that_a_source_never_shows() {
    let list = tamiz(["flags", "--source", "nginx", "--format", "json"]).ok();
    let names: Vec<String> = list
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(names.contains(&"OBSFOLD".to_owned()) && !names.contains(&"DOTDOT".to_owned()), "{names:?}");
    assert_eq!(tamiz(["flags", "--source", "wire", "--format", "json"]).ok(), "");
}
