//! `tamiz diff`: two sets of requests, and two readings of one.

mod common;

use std::path::Path;

use common::{file, scratch, tamiz};
use serde_json::Value;

fn arg(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// JSON lines of requests for targets, so often each.
fn lines(targets: &[(&str, usize)]) -> String {
    let line = |target: &str| {
        let raw = format!("GET {target} HTTP/1.1\r\nHost: ex.com\r\n\r\n");
        serde_json::json!({"raw": raw, "label": "valid"}).to_string() + "\n"
    };
    targets.iter().map(|(target, times)| line(target).repeat(*times)).collect()
}

fn json(arguments: &[&str]) -> Value {
    let out = tamiz([&["diff", "--format", "json"], arguments].concat()).ok();
    assert_eq!(out.lines().count(), 1);
    serde_json::from_str(&out).expect("JSON")
}

fn row<'a>(diff: &'a Value, kind: &str, name: &str) -> &'a Value {
    let rows = diff[kind].as_array().expect("rows");
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name} in {diff:#}"))
}

#[test]
fn one_set_read_once_is_compared_with_nothing() {
    let dir = scratch("diff-one");
    let a = file(&dir, "a.jsonl", lines(&[("/a", 1)]));
    let run = tamiz(["diff", arg(&a)]);
    let message = run.fails(2);
    for word in ["name B", "'--with-view'", "'--with-profile'", "'--with-scheme'", "'--with-config'"] {
        assert!(message.contains(word), "{word}: {message}");
    }
}

#[test]
fn two_sets() {
    let dir = scratch("diff-sets");
    let a = file(&dir, "a.jsonl", lines(&[("/a?id=1", 60), ("/b", 40)]));
    let b = file(&dir, "b.jsonl", lines(&[("/a?id=1'", 30), ("/b", 20), ("/new//", 50)]));
    let diff = json(&[arg(&a), arg(&b)]);
    assert_eq!((&diff["a"]["requests"], &diff["b"]["requests"]), (&100.into(), &100.into()));
    assert_eq!((&diff["differs"], &diff["documents"]), (&true.into(), &Value::Null));
    let quote = row(&diff, "flags", "QUOTE");
    assert_eq!((&quote["a"], &quote["b"], &quote["b_share"]), (&0.into(), &30.into(), &0.3.into()));
    assert_eq!(quote["told_apart"], true);
    assert_eq!(row(&diff, "templates", "GET /new")["b"], 50);
    let text = tamiz(["diff", arg(&a), arg(&b)]).ok();
    for part in ["QUOTE", "MULTIPLESLASH", "GET /new", "fingerprints are equal"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let top = tamiz(["diff", arg(&a), arg(&b), "--top", "1"]).ok();
    assert!(top.contains("'--top "), "{top}");
}

#[test]
fn one_set_under_two_configurations() {
    let dir = scratch("diff-paired");
    let a = file(&dir, "a.jsonl", lines(&[("/100%", 3), ("/a?matricula=1234BCD", 2), ("/b", 5)]));
    let diff = json(&[arg(&a), "--with-profile", "full"]);
    assert_eq!((&diff["documents"]["compared"], &diff["documents"]["changed"]), (&10.into(), &5.into()));
    let flag = row(&diff, "flags", "BADPCT");
    assert_eq!((&flag["gained"], &flag["lost"]), (&3.into(), &0.into()));
    assert_eq!(row(&diff, "templates", "GET /b")["changed"], 0);
    assert_ne!(diff["a"]["fingerprint"], diff["b"]["fingerprint"]);
    let back = json(&[arg(&a), "--profile", "full", "--with-profile", "standard"]);
    assert_eq!(row(&back, "flags", "BADPCT")["lost"], 3);
    let config = file(&dir, "tamiz.toml", "[secrets]\nnames = [\"matricula\"]\n");
    let text = tamiz(["diff", arg(&a), "--with-config", arg(&config)]).ok();
    assert!(
        text.contains("2 of 10 documents changed (20.0 %)") && text.contains("fingerprints differ"),
        "{text}"
    );
    let same = tamiz(["diff", arg(&a), "--with-profile", "standard"]).ok();
    assert!(same.contains("0 of 10 documents changed") && same.ends_with("Nothing differs.\n"), "{same}");
}

#[test]
fn exit_codes() {
    let dir = scratch("diff-codes");
    let a = file(&dir, "a.jsonl", lines(&[("/a", 1)]));
    let b = file(&dir, "b.jsonl", lines(&[("/b", 1)]));
    let broken = file(&dir, "c.jsonl", lines(&[("/a", 1)]) + "{}\n");
    let code = |arguments: &[&str]| tamiz([&["diff"], arguments].concat()).code;
    assert_eq!(code(&[arg(&a), arg(&b)]), 0, "differences are no failure");
    assert_eq!(code(&[arg(&a), arg(&b), "--exit-code"]), 4);
    assert_eq!(code(&[arg(&a), arg(&a), "--exit-code"]), 0);
    assert_eq!(code(&[arg(&a), arg(&broken), "--exit-code"]), 3, "what is not all read is not compared");
    assert_eq!(code(&[arg(&a), arg(&dir.join("missing"))]), 1);
    assert_eq!(code(&[arg(&a)]), 2, "there is nothing to compare it with");
    assert_eq!(code(&["-", "-"]), 2);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let dir = scratch("diff-jobs");
    let targets: Vec<String> = (0..400).map(|n| format!("/a{}/{n}?b={n}'", n % 37)).collect();
    let targets: Vec<(&str, usize)> = targets.iter().map(|target| (target.as_str(), 3)).collect();
    let a = file(&dir, "a.jsonl", lines(&targets));
    let b = file(&dir, "b.jsonl", lines(&targets[100..]));
    for more in [&["--with-profile", "core"][..], &[arg(&b)]] {
        let run = |jobs| tamiz([&["diff", arg(&a), "--format", "json", "--jobs", jobs], more].concat()).ok();
        assert_eq!(run("1"), run("6"));
    }
}
