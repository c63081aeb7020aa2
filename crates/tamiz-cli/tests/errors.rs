//! Errors are reported in one line, with the right exit code.

mod common;

use std::ffi::OsStr;
use std::process::Stdio;

use common::{command, examples, file, run, scratch, tamiz, tamiz_on};

const REQUEST: &[u8] = b"GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n";

#[test]
fn a_missing_file_is_named() {
    for name in ["canon", "explain"] {
        let run = tamiz([name, "no-such.http"]);
        let message = run.fails(1);
        assert!(message.contains("no-such.http") && message.contains("no such file"), "{message}");
        assert!(run.stdout.is_empty());
    }
}

#[test]
fn a_directory_is_no_request() {
    let dir = examples();
    for name in ["canon", "explain"] {
        let run = tamiz([OsStr::new(name), dir.as_os_str()]);
        assert!(run.fails(1).contains("it is a directory"), "{run:?}");
    }
}

#[test]
fn one_unreadable_file_does_not_stop_the_others() {
    let dir = scratch("errors-others");
    let path = file(&dir, "a.http", REQUEST);
    let run = tamiz([OsStr::new("canon"), path.as_os_str(), OsStr::new("no-such.http"), path.as_os_str()]);
    assert!(run.fails(1).contains("no-such.http"));
    let one = tamiz_on(["canon"], REQUEST).ok();
    assert_eq!(String::from_utf8_lossy(&run.stdout), format!("{one}\n{one}"));
}

#[test]
fn file_names_cannot_drive_the_terminal() {
    let run = tamiz(["canon", "a\x1B[31m\n\u{202E}b"]);
    assert!(run.fails(1).contains(r"a\x1B[31m\n\u{202E}b"), "{run:?}");
}

/// A folder that is not there may be a slip: it is named, nothing is read, and nothing is made.
#[test]
fn outputs_into_no_folder_are_refused() {
    let dir = scratch("errors-no-folder");
    let input = file(&dir, "a.jsonl", "{\"raw\":\"GET / HTTP/1.1\"}\n");
    let model = dir.join("a.model");
    tamiz([OsStr::new("learn"), input.as_os_str(), "-q".as_ref(), "-o".as_ref(), model.as_os_str()]).ok();
    let before = std::fs::read_dir(&dir).unwrap().count();
    let text = |path: std::path::PathBuf| path.to_str().expect("a plain path").to_owned();
    let (input, model, there) = (text(input), text(model), text(dir.join("out.txt")));
    let no = text(dir.join("no"));
    let missing = format!("{no}/out.txt");
    for arguments in [
        &["batch", &input, "-o", &missing][..],
        &["batch", &input, "-o", &there, "--errors", &missing],
        &["report", &input, "-o", &missing],
        &["report", &input, "-o", &there, "--errors", &missing],
        &["learn", &input, "-o", &missing],
        &["learn", &input, "-o", &there, "--errors", &missing],
        &["score", &input, "--model", &model, "-o", &missing],
        &["model", "merge", &model, "-o", &missing],
    ] {
        let run = tamiz(arguments);
        let message = run.stderr.lines().last().unwrap_or_default();
        let told = format!("there is no folder {no}");
        assert!(run.code == 1 && message.ends_with(&told), "{arguments:?}: {message}");
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), before, "{arguments:?}");
    }
}

/// A flag is named with a parameter that it can have, or not at all.
#[test]
fn parameters_of_flags_are_checked_wherever_flags_are_named() {
    let dir = scratch("errors-flags");
    for (name, reason) in
        [("KW:sqql", "file, java"), ("DOTDOT:x", "nothing follows"), ("NOPE", "no flag 'NOPE'")]
    {
        let config = file(&dir, "tamiz.toml", format!("[flags]\n\"{name}\" = false\n"));
        let run = tamiz_on([OsStr::new("canon"), "--config".as_ref(), config.as_os_str()], REQUEST);
        assert!(run.fails(2).contains(&format!("unknown flag `{name}`")), "{run:?}");
        let mut all = vec![["flags", name].to_vec()];
        if cfg!(feature = "serve") {
            all.push(["serve", "--deny", name].to_vec());
        }
        for arguments in all {
            let run = tamiz(&arguments);
            let message = run.fails(2);
            assert!(message.contains(reason) && !message.contains(r"\u{"), "{arguments:?}: {message}");
        }
    }
}

#[test]
fn wrong_usage_is_one_line_and_code_2() {
    for (arguments, words) in [
        (&["canon", "--vew", "shape"][..], &["'--vew'", "'--view'"][..]),
        (&["canon", "--view", "raw"], &["'raw'", "shape, literal"]),
        (&["canon", "--profile", "all"], &["'all'", "core, standard, full"]),
        (&["canon", "--scheme", "ftp"], &["'ftp'", "https"]),
        (&["canon", "--format", "xml"], &["'xml'", "text, json, tokens"]),
        (&["flags", "--format", "tokens"], &["'tokens'", "text, json"]),
        (&["canon", "--from", "har"], &["'har'", "http, document"]),
        (&["canon", "--config"], &["--config"]),
        (&["canon", "--evidence"], &["'--format json'"]),
        (&["canon", "--evidence", "--format", "tokens"], &["'--format json'"]),
        (&["canon", "--from", "document", "--format", "json", "--evidence"], &["'--evidence'"]),
        (&["canon", "--from", "document", "--view", "shape"], &["'--view'"]),
        (&["canon", "-", "-"], &["standard input", "once"]),
        (&["explain", "--color", "sometimes"], &["'sometimes'", "auto, always, never"]),
        (&["explain", "a", "b"], &["'b'"]),
        (&["flags", "--family", "nope"], &["'nope'", "encoding"]),
        (&["flags", "QUOTE", "--weight", "evasion"], &["--weight"]),
        (&["completions"], &["<SHELL>"]),
        (&["completions", "tcl"], &["'tcl'", "bash"]),
        (&["cannon"], &["'cannon'", "'canon'"]),
    ] {
        let run = tamiz(arguments);
        let message = run.fails(2);
        assert!(words.iter().all(|word| message.contains(word)), "{arguments:?}: {message}");
        assert!(run.stdout.is_empty());
    }
}

#[test]
fn nothing_at_all_gives_the_help_and_code_2() {
    let run = tamiz::<&str>([]);
    assert_eq!(run.code, 2);
    assert!(run.stdout.is_empty() && run.stderr.contains("Usage: tamiz <COMMAND>"));
}

#[test]
fn a_bad_configuration_names_file_line_and_key() {
    let dir = scratch("errors-config");
    for (text, words) in [
        ("view = \"raw\"\n", &["line 1", "`view`", "`raw`"][..]),
        ("[headers]\nlists = []\n", &["line 2", "`lists`"]),
        ("[flags]\nNOPE = true\n", &["line 2", "`NOPE`", "tamiz flags"]),
        ("buckets = [3, 2]\n", &["line 1", "`buckets`"]),
        ("view = \n", &["line 1"]),
        ("profile = \"core\"\n\nprofile = \"full\"\n", &["line 3"]),
    ] {
        let config = file(&dir, "bad.toml", text);
        for name in ["canon", "explain", "fingerprint"] {
            let run = tamiz([OsStr::new(name), OsStr::new("--config"), config.as_os_str()]);
            let message = run.fails(2);
            assert!(message.contains("bad.toml"), "{message}");
            assert!(words.iter().all(|word| message.contains(word)), "{text:?}: {message}");
        }
    }
    let missing = tamiz(["canon", "--config", "no-such.toml"]);
    assert!(missing.fails(2).contains("no-such.toml"), "{missing:?}");
    let directory = tamiz([OsStr::new("canon"), OsStr::new("--config"), dir.as_os_str()]);
    assert!(directory.fails(2).contains("it is a directory"), "{directory:?}");
    let binary = file(&dir, "binary.toml", b"\xFF\xFE");
    let binary = tamiz([OsStr::new("canon"), OsStr::new("--config"), binary.as_os_str()]);
    assert!(binary.fails(2).contains("binary.toml"), "{binary:?}");
}

#[test]
fn a_closed_pipe_is_a_quiet_success() {
    let login = examples().join("login.http");
    let login = login.to_str().expect("a plain path");
    for arguments in [
        &["flags"][..],
        &["flags", "QUOTE"],
        &["flags", "--format", "json"],
        &["canon", login, login],
        &["canon", "--format", "json", login],
        &["explain", "--color", "always", login],
        &["fingerprint"],
        &["completions", "zsh"],
        &["man"],
        &["--help"],
        &["--version"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = command()
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .and_then(|child| child.wait_with_output())
            .expect("the program runs");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    let output = command()
        .arg("flags")
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .and_then(|child| child.wait_with_output())
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "tamiz: cannot write the output: no space left on device\n"
    );
}

#[test]
fn a_closed_standard_error_is_no_reason_to_panic() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = command().args(["canon", "no-such.http"]).stderr(writer).status().expect("the program runs");
    assert_eq!(status.code(), Some(1));
}

#[test]
fn backtraces_are_never_shown() {
    let failed = run(command().env("RUST_BACKTRACE", "full").args(["canon", "no-such.http"]), b"");
    assert!(!failed.fails(1).contains("backtrace"));
}
