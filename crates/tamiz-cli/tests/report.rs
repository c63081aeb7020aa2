//! `tamiz report`: what is counted, that it is the same every time, and that it appears whole or not at all.

mod common;

use std::fs;
use std::path::Path;

use common::{command, example_requests, file, scratch, tamiz, tamiz_on};

fn arg(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// JSON lines of the examples, labelled and over time, so often.
fn lines(times: usize) -> String {
    let mut lines = String::new();
    for n in 0..times {
        for (example, path) in example_requests().iter().enumerate() {
            let raw = data_encoding::BASE64.encode(&fs::read(path).expect("an example"));
            let label = if example % 3 == 0 { "attack" } else { "valid" };
            let time = 1_791_640_536 + 7 * n;
            lines.push_str(&format!(
                "{{\"id\":\"{n}-{example}\",\"label\":\"{label}\",\"time\":{time},\"raw_b64\":\"{raw}\"}}\n"
            ));
        }
    }
    lines
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let dir = scratch("report-jobs");
    let input = file(&dir, "in.jsonl", lines(150));
    let page = |jobs: &str| tamiz(["report", arg(&input), "-o", "-", "-q", "--jobs", jobs]).ok();
    let one = page("1");
    assert!(one.starts_with("<!doctype html>") && one.ends_with("</html>\n"));
    assert!(one == page("2") && one == page("7") && one == page("7"), "the same input, the same bytes");
    let table = |jobs: &str| tamiz(["report", arg(&input), "--jobs", jobs]).ok();
    assert_eq!(table("1"), table("5"));
}

#[test]
fn a_page_needs_nothing_else() {
    let page = tamiz_on(["report", "-o", "-", "-q", "--title", "A & B"], lines(3).as_bytes()).ok();
    assert!(page.contains("default-src 'none'") || page.contains("default-src &#39;none&#39;"), "a policy");
    assert!(page.contains("<title>A &amp; B</title>"));
    for other in ["<script", "http-equiv=\"refresh\"", "@import", "url(", "src=", "<link rel=\"stylesheet"] {
        assert!(!page.contains(other), "{other}");
    }
    let fingerprint = tamiz(["fingerprint"]).ok();
    assert!(page.contains(fingerprint.trim()) && page.contains(concat!("tamiz ", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn labels_are_compared_with_the_one_that_is_asked_for() {
    let lines = lines(20);
    let first = |arguments: &[&str]| {
        let out = tamiz_on(arguments, lines.as_bytes()).ok();
        out.lines().nth(4).expect("a row").trim_start().split(' ').next().expect("a label").to_owned()
    };
    assert_eq!(first(&["report"]), "valid");
    assert_eq!(first(&["report", "--baseline", "attack"]), "attack");
    let run = tamiz_on(["report", "--baseline", "norm\u{1B}al"], lines.as_bytes());
    assert_eq!(run.fails(2), "tamiz: no request has the label 'norm\\x1Bal' of '--baseline'");
}

/// Labels are whoever's made the input: nothing in them is markup, drives a terminal, or passes for what is not said.
#[test]
fn hostile_labels_are_shown_and_forge_nothing() {
    let hostile = "</script><script>alert(1)</script>\"'><img src=x>\u{202E}\u{1B}[31m\u{0}\n(no label)";
    let request = "GET /<b>?\"><i>=</style>' HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    let line = |label: Option<&str>| match label {
        Some(label) => serde_json::json!({"label": label, "raw": request}).to_string() + "\n",
        None => serde_json::json!({"raw": request}).to_string() + "\n",
    };
    let input = line(Some(hostile)) + &line(Some("(no label)")) + &line(None);
    let page = tamiz_on(
        ["report", "-o", "-", "-q", "--title", &hostile.replace(char::from(0), "")],
        input.as_bytes(),
    )
    .ok();
    for markup in ["<script", "<img", "<b>?", "<i>", "</style>'", "\u{202E}", "\u{1B}", "\u{0}"] {
        assert!(!page.contains(markup), "{markup:?}");
    }
    assert!(page.contains("&lt;/script&gt;") && page.contains("&quot;(no label)&quot;"), "{page}");
    assert_eq!(page.matches("</style>").count(), 1);
    assert_eq!(page.matches("</body>").count(), 1);
    for color in ["never", "always"] {
        let table = tamiz_on(["report", "--color", color], input.as_bytes()).ok();
        assert!(table.contains("\"(no label)\"") && table.contains("</script>"), "{table}");
        assert!(!table.contains('\u{202E}') && !table.contains("\u{1B}[31m\\x00"), "{table}");
        if color == "never" {
            assert!(!table.chars().any(|c| c.is_control() && c != '\n'), "{table}");
        }
    }
}

#[test]
fn unreadable_records_are_counted_and_named_and_stop_nothing() {
    let dir = scratch("report-unreadable");
    let secret = "hunter2hunter2";
    let input =
        file(&dir, "in.jsonl", format!("{}{{\"no\":\"{secret}\"}}\n{secret}\n{}", lines(1), lines(1)));
    let (out, errors) = (dir.join("report.html"), dir.join("errors.jsonl"));
    let run = tamiz(["report", arg(&input), "-o", arg(&out), "--errors", arg(&errors)]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 3, "{}", run.stderr);
    assert!(run.stderr.contains("2 unreadable, to "), "{}", run.stderr);
    let page = fs::read_to_string(&out).unwrap();
    assert!(page.contains("2 records could not be read") && page.contains("in.jsonl: line "), "{page}");
    assert_eq!(fs::read_to_string(&errors).unwrap().lines().count(), 2);
    assert!(!page.contains(secret) && !run.stderr.contains(secret));
    let table = tamiz(["report", arg(&input)]);
    assert_eq!(table.code, 3);
    assert!(String::from_utf8(table.stdout).unwrap().contains("Unreadable records"));
}

#[test]
fn a_limit_is_a_limit_whatever_the_number_of_threads() {
    let input = lines(100);
    for jobs in ["1", "4"] {
        let table = tamiz_on(["report", "--limit", "123", "--jobs", jobs], input.as_bytes()).ok();
        assert!(table.starts_with("123 requests, "), "{table}");
    }
}

#[test]
fn an_output_that_exists_is_kept() {
    let dir = scratch("report-exists");
    let input = file(&dir, "in.jsonl", lines(1));
    let out = file(&dir, "report.html", "precious");
    let run = tamiz(["report", arg(&input), "-o", arg(&out)]);
    assert!(run.fails(2).contains("exists") && run.fails(2).contains("'--force'"), "{run:?}");
    assert_eq!(fs::read_to_string(&out).unwrap(), "precious");
    assert_eq!(tamiz(["report", arg(&input), "-o", arg(&out), "--force"]).code, 0);
    assert!(fs::read_to_string(&out).unwrap().starts_with("<!doctype html>"));
    assert!(tamiz(["report", arg(&input), "-o", arg(&dir)]).fails(2).contains("is a directory"));
    let nowhere = dir.join("no/such/report.html");
    assert!(tamiz(["report", arg(&input), "-o", arg(&nowhere)]).fails(1).contains("cannot write"));
    assert_eq!(leftovers(&dir), 0);
}

/// How many files are left of what did not end.
fn leftovers(dir: &Path) -> usize {
    fs::read_dir(dir)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().to_string_lossy().ends_with(".partial"))
        .count()
}

/// What goes wrong before there is a page leaves none, and what was there stays.
#[test]
#[cfg(unix)]
fn a_full_disk_leaves_what_was_there() {
    let dir = scratch("report-full");
    let input = file(&dir, "in.jsonl", lines(2));
    let out = file(&dir, "report.html", "precious");
    // The limit on the length of files stands for a full disk: both make writing fail.
    let script = format!(
        "trap '' XFSZ; ulimit -f 4; exec {} report {} -o {} --force",
        env!("CARGO_BIN_EXE_tamiz"),
        arg(&input),
        arg(&out)
    );
    let failed = common::run(std::process::Command::new("sh").args(["-c", &script]), b"");
    assert!(failed.fails(1).contains("file too large"), "{failed:?}");
    assert_eq!((fs::read_to_string(&out).unwrap().as_str(), leftovers(&dir)), ("precious", 0));
    let missing = tamiz(["report", arg(&dir.join("missing")), "-o", arg(&dir.join("new.html"))]);
    assert!(missing.fails(1).contains("cannot read"), "{missing:?}");
    assert!(!dir.join("new.html").exists() && leftovers(&dir) == 0);
}

/// A process that is killed leaves the page that was there, and the next one is not in its way.
#[test]
#[cfg(unix)]
fn a_killed_run_leaves_what_was_there() {
    use std::io::Write;
    let dir = scratch("report-killed");
    let out = file(&dir, "report.html", "precious");
    let mut child = command()
        .args(["report", "-", "-o", arg(&out), "--force"])
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(lines(5).as_bytes()).unwrap();
    common::wait_until(|| leftovers(&dir) > 0, || "no output was begun".to_owned());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read_to_string(&out).unwrap(), "precious");
    let again = tamiz_on(["report", "-", "-o", arg(&out), "--force", "-q"], lines(5).as_bytes());
    assert_eq!((again.ok().as_str(), leftovers(&dir)), ("", 0));
    assert!(fs::read_to_string(&out).unwrap().ends_with("</html>\n"));
}

/// An output in a folder that is read is no input; one that is there already may be one, and is kept.
#[test]
fn the_page_is_not_read() {
    let dir = scratch("report-folder");
    file(&dir, "in.jsonl", lines(1));
    let out = dir.join("report.html");
    let run = tamiz(["report", arg(&dir), "-o", arg(&out), "--force"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = fs::read(&out).unwrap();
    let run = tamiz(["report", arg(&dir), "-o", arg(&out), "--force"]);
    assert!(run.fails(2).contains("is read, so it cannot be what '--out' writes"), "{run:?}");
    assert_eq!(fs::read(&out).unwrap(), page);
}
