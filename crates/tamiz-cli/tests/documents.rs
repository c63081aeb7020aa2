//! `tamiz canon --from document`: documents come back byte for byte, or not at all.

mod common;

use std::ffi::OsStr;

use common::{PROFILES, VIEWS, example_requests, file, scratch, tamiz, tamiz_on};
use serde_json::Value;

const FROM: [&str; 3] = ["canon", "--from", "document"];

#[test]
fn every_example_comes_back_in_every_view_and_profile() {
    let requests = example_requests();
    assert_eq!(requests.len(), 9);
    let mut seen = std::collections::BTreeSet::new();
    for view in VIEWS {
        for profile in PROFILES {
            let options = ["canon", "--view", view, "--profile", profile].map(OsStr::new);
            for request in &requests {
                let document = tamiz(options.into_iter().chain([request.as_os_str()])).ok();
                assert_eq!(tamiz_on(FROM, document.as_bytes()).ok(), document, "{}", request.display());
                seen.insert(document);
            }
            let all = tamiz(options.into_iter().chain(requests.iter().map(|path| path.as_os_str()))).ok();
            assert_eq!(all.matches("\n\n").count(), requests.len() - 1);
            assert_eq!(tamiz_on(FROM, all.as_bytes()).ok(), all);
        }
    }
    assert!(seen.len() > requests.len() * 3, "the options make a difference");
}

#[test]
fn several_files_of_documents_are_joined_like_requests() {
    let one = tamiz_on(["canon"], b"GET /1 HTTP/1.1\r\nHost: a\r\n\r\n").ok();
    let two = tamiz_on(["canon"], b"GET /2 HTTP/1.1\r\nHost: a\r\n\r\n").ok();
    let dir = scratch("documents-files");
    let first = file(&dir, "first", format!("{one}\n{two}"));
    let second = file(&dir, "second", &one);
    let paths = [first.as_os_str(), second.as_os_str()];
    let all = tamiz(FROM.map(OsStr::new).into_iter().chain(paths)).ok();
    assert_eq!(all, format!("{one}\n{two}\n{one}"));
}

#[test]
fn a_document_has_json_without_a_fingerprint() {
    let request = b"GET /a/../b?x=' HTTP/1.1\r\nHost: a\r\n\r\n";
    let text = tamiz_on(["canon"], request).ok();
    let parsed = tamiz_on(FROM.into_iter().chain(["--format", "json"]), text.as_bytes()).ok();
    let parsed: Value = serde_json::from_str(&parsed).expect("an object");
    assert_eq!(parsed["tamiz.text"], text);
    assert_eq!(parsed["tamiz.fingerprint"], Value::Null);
    assert_eq!(parsed["url.path"], "/a/../b");
}

#[test]
fn documents_have_tokens() {
    let one = tamiz_on(["canon"], b"GET /a?x=1' HTTP/1.1\r\nHost: a\r\n\r\n").ok();
    let body = "B:json BLEN:9@0-15\nBQ:1 KEYS:user.name\nBK:user.name=<lower:3>\n";
    let out =
        tamiz_on(FROM.into_iter().chain(["--format", "tokens"]), format!("{one}\n{one}{body}").as_bytes());
    let out = out.ok();
    let [first, second] = out.lines().collect::<Vec<_>>()[..] else { panic!("two lines: {out}") };
    assert!(first.starts_with("m=GET u.host=a p=/a "), "{first}");
    assert!(first.ends_with(" f=QUOTE f.q=QUOTE"), "{first}");
    assert!(second.contains(" b.user.name b.user.name=lower b.user.name=lower@0-15 "), "{second}");
}

#[test]
fn what_a_request_looks_like_is_never_guessed() {
    let document = tamiz_on(["canon"], b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n").ok();
    let as_request = tamiz_on(["canon"], document.as_bytes()).ok();
    assert_ne!(as_request, document);
    assert!(as_request.contains("BADREQLINE"), "{as_request}");
}

#[test]
fn errors_name_place_and_expectation_but_never_content() {
    let good = tamiz_on(["canon"], b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n").ok();
    let lines = good.lines().count();
    for (input, place) in [
        (String::new(), "line 1, column 1: expected ".to_owned()),
        ("hunter2".to_owned(), "line 1, column ".to_owned()),
        (good.replace("PLEN:2", "PLEN:hunter2"), "line 3, column ".to_owned()),
        (good.trim_end().to_owned(), format!("line {lines}, column ")),
        (format!("{good}\n"), format!("line {}, column 1: expected ", lines + 2)),
        (format!("{good}\nM:GET\nhunter2\n"), format!("line {}, column ", lines + 3)),
        (format!("{good}\n\n{good}"), format!("line {}, column 1: expected ", lines + 2)),
        (good.replace('\n', "\r\n"), "line 1, column ".to_owned()),
    ] {
        let run = tamiz_on(FROM, input.as_bytes());
        let message = run.fails(1);
        assert!(message.starts_with(&format!("tamiz: standard input: {place}")), "{input:?}: {message}");
        assert!(message.contains(": expected ") && !message.contains("hunter2"), "{message}");
        assert!(run.stdout.is_empty(), "a file is printed whole or not at all");
    }
    let binary = tamiz_on(FROM, b"M:GET\nU:\xFF\n");
    assert_eq!(binary.fails(1), "tamiz: standard input: line 2, column 3: expected UTF-8");
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let good = tamiz_on(["canon"], b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n").ok();
    let dir = scratch("documents-bad");
    let bad = file(&dir, "bad.txt", "M:GET\nnothing\n");
    let fine = file(&dir, "fine.txt", &good);
    let run =
        tamiz(FROM.map(OsStr::new).into_iter().chain([fine.as_os_str(), bad.as_os_str(), fine.as_os_str()]));
    assert!(run.fails(1).contains("bad.txt: line 2, column 1: expected "));
    assert_eq!(String::from_utf8_lossy(&run.stdout), format!("{good}\n{good}"));
}
