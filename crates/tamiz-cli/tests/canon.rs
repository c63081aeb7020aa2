//! `tamiz canon`.

mod common;

use std::ffi::OsStr;
#[cfg(unix)]
use std::io::Write;
#[cfg(unix)]
use std::process::Stdio;

#[cfg(unix)]
use common::command;
use common::{VIEWS, examples, file, scratch, tamiz, tamiz_on};
use serde_json::Value;
use tamiz::{Canonicalizer, Config, Profile, Scheme, View};

const REQUEST: &[u8] = b"GET /a//b?login=maria&n=O'B HTTP/1.1\r\nHost: EX.com:80\r\n\r\n";

fn expected(request: &[u8], change: impl FnOnce(&mut Config)) -> String {
    let mut config = Config::default();
    change(&mut config);
    Canonicalizer::new(config).canonicalize(request).to_string()
}

#[test]
fn reads_standard_input_with_and_without_a_dash() {
    let document = "M:GET\n\
                    U:http://ex.com/a/b?login=<lower:5>&n=<mixed:3:'>\n\
                    P:/a/b PLEN:4@0-15 PMAX:1@0-15 [MULTIPLESLASH]\n\
                    Q:2 KEYS:login,n [QUOTE]\n\
                    FLAGS:[MULTIPLESLASH QUOTE]\n\
                    H:host=ex.com\n\
                    HCNT:1 HLEN:12@0-15\n";
    assert_eq!(tamiz_on(["canon"], REQUEST).ok(), document);
    assert_eq!(tamiz_on(["canon", "-"], REQUEST).ok(), document);
}

#[test]
fn files_are_separated_by_a_blank_line() {
    let dir = scratch("canon-files");
    let first = file(&dir, "first.http", REQUEST);
    let second = file(&dir, "second.http", b"HEAD / HTTP/1.1\r\nHost: ex.com\r\n\r\n");
    let one = expected(REQUEST, |_| {});
    let two = tamiz([OsStr::new("canon"), second.as_os_str()]).ok();
    assert!(two.starts_with("M:HEAD\n"));
    let both = tamiz([OsStr::new("canon"), first.as_os_str(), second.as_os_str()]).ok();
    assert_eq!(both, format!("{one}\n{two}"));
    let mixed = tamiz_on([OsStr::new("canon"), second.as_os_str(), OsStr::new("-")], REQUEST).ok();
    assert_eq!(mixed, format!("{two}\n{one}"));
}

#[test]
fn options_choose_view_profile_and_scheme() {
    let literal = tamiz_on(["canon", "--view", "literal"], REQUEST).ok();
    assert_eq!(literal, expected(REQUEST, |config| config.view = View::Literal));
    assert!(literal.contains("login=maria"));
    let full = tamiz_on(["canon", "--profile", "full"], REQUEST).ok();
    assert_eq!(full, expected(REQUEST, |config| config.profile = Profile::Full));
    assert!(full.contains("\nFAM:"));
    let core = tamiz_on(["canon", "--profile=core"], REQUEST).ok();
    assert_eq!(core, expected(REQUEST, |config| config.profile = Profile::Core));
    for (word, scheme) in
        [("http", Scheme::Http), ("https", Scheme::Https), ("ws", Scheme::Ws), ("wss", Scheme::Wss)]
    {
        let document = tamiz_on(["canon", "--scheme", word], REQUEST).ok();
        assert_eq!(document, expected(REQUEST, |config| config.scheme = scheme));
        assert!(document.contains(&format!("U:{word}://ex.com")), "{document}");
    }
}

#[test]
fn the_command_line_goes_before_the_file() {
    let dir = scratch("canon-config");
    let config =
        file(&dir, "tamiz.toml", "view = \"literal\"\nprofile = \"full\"\n[secrets]\nnames = [\"login\"]\n");
    let config = config.to_str().expect("a plain path");
    let by_file = tamiz_on(["canon", "--config", config], REQUEST).ok();
    assert!(by_file.contains("login=<SECRET:alpha:5>") && by_file.contains("\nFAM:"), "{by_file}");
    let by_both =
        tamiz_on(["canon", "--config", config, "--profile", "core", "--scheme", "https"], REQUEST).ok();
    assert!(by_both.contains("U:https://") && !by_both.contains("\nFAM:"), "{by_both}");
    assert!(by_both.contains("login=<SECRET:alpha:5>"), "what is not overridden stays: {by_both}");
}

#[test]
fn json_is_one_object_per_line() {
    let login = examples().join("login.http");
    let out =
        tamiz([OsStr::new("canon"), OsStr::new("--format=json"), login.as_os_str(), login.as_os_str()]).ok();
    let objects: Vec<Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(objects.len(), 2);
    assert_eq!(objects[0], objects[1]);
    let text = tamiz([OsStr::new("canon"), login.as_os_str()]).ok();
    assert_eq!(objects[0]["tamiz.text"], text);
    assert_eq!(objects[0]["tamiz.fingerprint"], tamiz(["fingerprint"]).ok().trim_end());
    assert!(objects[0]["tamiz.flags"][0].get("evidence").is_none());
}

#[test]
fn tokens_are_one_line_per_request() {
    let login = examples().join("login.http");
    let dir = scratch("canon-tokens");
    let small = file(&dir, "small.http", REQUEST);
    let out =
        tamiz([OsStr::new("canon"), OsStr::new("--format=tokens"), login.as_os_str(), small.as_os_str()])
            .ok();
    let [first, second] = out.lines().collect::<Vec<_>>()[..] else { panic!("two lines: {out}") };
    let expected = Canonicalizer::new(Config::default()).canonicalize(REQUEST).tokens();
    assert_eq!(second.split(' ').collect::<Vec<_>>(), expected);
    for token in
        ["m=GET", "p=/tienda/login", "q.pwd=SECRET.alpha@0-15", "c.theme@0-15", "f.q.remember=QEMPTYVAL"]
    {
        assert!(first.split(' ').any(|there| there == token), "{token}: {first}");
    }
    assert!(!out.contains("visionario"));
}

#[test]
fn evidence_is_byte_ranges() {
    for view in VIEWS {
        let out = tamiz_on(["canon", "--format", "json", "--evidence", "--view", view], REQUEST).ok();
        let object: Value = serde_json::from_str(&out).expect("an object");
        let flag = &object["tamiz.flags"][0];
        assert_eq!(flag["name"], "MULTIPLESLASH");
        let range = &flag["evidence"][0];
        let at = |i: usize| usize::try_from(range[i].as_u64().expect("a number")).expect("an offset");
        assert_eq!(&REQUEST[at(0)..at(1)], b"//");
    }
}

#[test]
fn any_bytes_are_a_request() {
    for input in [&b""[..], b"\0\xFF\xFE binary \x1B[2J\r\n\r\n\r\n", &[0x80; 4096]] {
        let document = tamiz_on(["canon"], input).ok();
        assert!(document.starts_with("M:") && document.ends_with('\n'));
        assert!(!document.chars().any(|c| c.is_control() && c != '\n'));
    }
}

/// A container of requests is not a request: `batch` reads it.
#[test]
fn containers_are_for_batch() {
    let gzip = b"\x1F\x8B\x08\0\0\0\0\0\0\x03";
    let capture = b"\xD4\xC3\xB2\xA1\x02\0\x04\0";
    let lines = b"{\"raw\":\"GET / HTTP/1.1\"}\n{\"raw\":\"GET / HTTP/1.1\"}\n";
    let archive = b"{\n \"log\": {\n  \"entries\": []}}";
    for input in [&gzip[..], capture, lines, archive] {
        let run = tamiz_on(["canon", "-"], input);
        assert!(run.fails(1).contains("use 'tamiz batch'"), "{run:?}");
    }
    for input in [&b"{\"a\":1}"[..], b"{", b"\x1F\x8B", b""] {
        assert_eq!(tamiz_on(["canon", "-"], input).code, 0, "{input:?}");
    }
}

/// On a terminal it says that it waits, and then reads; from a pipe it says nothing, as the other tests hold.
#[test]
#[cfg(unix)]
fn a_terminal_without_input() {
    let Ok(terminal) = nix::pty::openpty(None, None) else {
        // Written past the capture of the test runner.
        let _ =
            writeln!(std::io::stderr(), "SKIPPED: a terminal without input (no pseudo-terminal can be had)");
        return;
    };
    let mut typist = std::fs::File::from(terminal.master);
    let child = command()
        .arg("canon")
        .stdin(terminal.slave)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Two lines, an empty one, and Ctrl-D.
    typist.write_all(b"GET /typed HTTP/1.1\nHost: ex.com\n\n\x04").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "tamiz: waiting for a request on standard input; end it with Ctrl-D, or name a file\n"
    );
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().contains("P:/typed "));
}
