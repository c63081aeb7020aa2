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

/// The values of an attribute, in the order of the page.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    page.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Without a script: a flag opens to the paths that raise it, a path to its flags, and every link leads somewhere.
#[test]
fn flags_and_paths_lead_to_each_other() {
    let page = tamiz_on(["report", "-o", "-", "-q"], lines(3).as_bytes()).ok();
    let ids = attributes(&page, "id");
    let links: Vec<&str> =
        attributes(&page, "href").into_iter().filter_map(|to| to.strip_prefix('#')).collect();
    assert!(
        links.contains(&"flag-KW-sql") && links.contains(&"path-0") && links.contains(&"find"),
        "{links:?}"
    );
    for link in links {
        assert_eq!(ids.iter().filter(|id| **id == link).count(), 1, "{link}");
    }
    let row = page.split("<tr").find(|row| row.contains("id=\"flag-KW-sql\"")).expect("a row of the flag");
    let row = row.split("</tr>").next().expect("all of it");
    assert!(row.contains("<details") && row.contains("href=\"#path-"), "{row}");
    for label in attributes(&page, "for") {
        assert!(ids.contains(&label), "{label}");
    }
}

/// The order is what the note says: by the end of the interval that is nearer to 1.
#[test]
fn the_order_of_what_tells_labels_apart_is_told_and_kept() {
    let line =
        |label: &str, request: &str| serde_json::json!({"label": label, "raw": request}).to_string() + "\n";
    let mut input = String::new();
    for n in 0..400 {
        // Quotes: one honest request in four, three attacks in four, which is sure. Angles: three attacks, which is not.
        input += &line(
            "valid",
            &format!("GET /?a={} HTTP/1.1\r\nHost: ex.com\r\n\r\n", if n % 4 == 0 { "%27" } else { "x" }),
        );
        let odd = if n < 3 {
            "%3C"
        } else if n % 4 == 0 {
            "x"
        } else {
            "%27"
        };
        input += &line("attack", &format!("GET /?a={odd} HTTP/1.1\r\nHost: ex.com\r\n\r\n"));
    }
    let page = tamiz_on(["report", "-o", "-", "-q"], input.as_bytes()).ok();
    let from = page.find("What tells the labels apart").expect("the table");
    let table = page[from..].split("</table>").next().expect("all of it");
    assert!(table.contains("Ordered by the lift over valid that is sure"), "{table}");
    let (quote, angle) =
        (table.find("#flag-QUOTE").expect("a row"), table.find("#flag-ANGLE").expect("a row"));
    assert!(quote < angle, "{table}");
    assert!(
        table[quote..angle].contains("<small>×2.") && table[angle..].contains(" to ×"),
        "intervals are shown"
    );
}

/// One clock that stands at 1970 is told, and leaves the others their bars.
#[test]
fn a_wrong_clock_is_told_and_not_shown() {
    let usual = lines(40);
    let wrong =
        serde_json::json!({"label": "valid", "time": 0, "raw": "GET / HTTP/1.1\r\n\r\n"}).to_string() + "\n";
    let steps = |input: &str| {
        let table = tamiz_on(["report"], input.as_bytes()).ok();
        let from = table.find("  from 2026-10-10 13:55:").expect("a line of time");
        let line = table[from..].lines().next().expect("a line").to_owned();
        (line, table)
    };
    let (before, table) = steps(&usual);
    assert!(!table.contains("1970"), "{table}");
    let (after, table) = steps(&(usual.clone() + &wrong));
    assert_eq!(before, after);
    let told = "1 request is not shown, since a clock far before all others would squeeze these: 1970-01-01 00:00:00.";
    assert!(table.contains(told), "{table}");
    let page = tamiz_on(["report", "-o", "-", "-q"], (usual + &wrong).as_bytes()).ok();
    assert!(page.contains(told));
}

/// A model of the examples that are valid, without their attacks.
fn model(dir: &Path, options: &[&str]) -> std::path::PathBuf {
    let mut usual = String::new();
    for n in 0..300 {
        let request = format!("GET /item?id={n}&page={} HTTP/1.1\r\nHost: ex.com\r\n\r\n", n % 7);
        usual += &(serde_json::json!({"label": "valid", "time": 1_791_640_536 + 60 * n, "raw": request})
            .to_string()
            + "\n");
    }
    let (input, out) = (file(dir, "usual.jsonl", usual), dir.join("site.model"));
    let run = tamiz(["learn", arg(&input), "-o", arg(&out), "--force", "-q"].iter().chain(options));
    assert_eq!(run.code, 0, "{}", run.stderr);
    out
}

#[test]
fn scores_come_with_their_reasons() {
    let dir = scratch("report-model");
    let model = model(&dir, &[]);
    let odd = "GET /item?id=7'+or+sleep(9)--&page=1 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    let new = "GET /admin/backup HTTP/1.1\r\nHost: ex.com\r\n\r\n";
    let mut input = fs::read_to_string(dir.join("usual.jsonl")).unwrap();
    for request in [odd, odd, odd, new] {
        input += &(serde_json::json!({"label": "attack", "time": 1_791_640_536, "raw": request}).to_string()
            + "\n");
    }
    let input = file(&dir, "in.jsonl", input);
    let report =
        |more: &[&str]| tamiz(["report", arg(&input), "--model", arg(&model)].iter().chain(more)).ok();
    let page = report(&["-o", "-", "-q"]);
    assert!(
        page == report(&["-o", "-", "-q", "--jobs", "1"])
            && page == report(&["-o", "-", "-q", "--jobs", "5"])
    );
    let highest =
        page.split("<ol class=\"highest\">").nth(1).and_then(|rest| rest.split("</ol>").next()).unwrap();
    let first = highest.split("</details>").next().unwrap();
    for told in
        ["GET /item", "<code>id</code> raises ", "3 requests (3 attack)", "in.jsonl: line 301", "p = "]
    {
        assert!(first.contains(told), "{told}\n{first}");
    }
    for told in [
        "a model of 300 requests",
        "Scores over time",
        "GET /admin/backup</code></a> <span class=\"w evasion\">not learned",
    ] {
        assert!(page.contains(told), "{told}");
    }
    let table = report(&[]);
    for told in [
        "Scores, against a model of 300 requests",
        "Endpoints with most that is new",
        "p ≤ 1 %",
        "`id` raises ",
    ] {
        assert!(table.contains(told), "{told}\n{table}");
    }
    let none = tamiz(["report", arg(&input)]).ok();
    assert!(!none.contains("Scores"), "{none}");
    let logged = "1.2.3.4 - - [10/Oct/2026:13:55:36 +0000] \"GET /item?id=1&page=1 HTTP/1.1\" 200 1\n";
    let table = tamiz_on(["report", "--model", arg(&model)], logged.repeat(3).as_bytes()).ok();
    assert!(table.contains("the model has learned no requests of access-log"), "{table}");
}

#[test]
fn a_model_that_does_not_fit_is_refused_and_nothing_is_written() {
    let dir = scratch("report-model-refused");
    let model = model(&dir, &["--profile", "full"]);
    let (input, out) = (file(&dir, "in.jsonl", lines(1)), dir.join("out.html"));
    let report = |model: &Path, more: &[&str]| {
        tamiz(["report", arg(&input), "-o", arg(&out), "--model", arg(model)].iter().chain(more))
    };
    assert!(report(&model, &[]).fails(2).contains("the model has fingerprint "));
    assert!(report(&model, &["--profile", "full", "--view", "literal"]).fails(2).contains("fingerprint"));
    assert!(report(&input, &[]).fails(2).contains("not a model"));
    assert!(report(&dir.join("none"), &[]).fails(2).contains("cannot read the model"));
    assert!(!out.exists() && leftovers(&dir) == 0);
    assert_eq!(report(&model, &["--profile", "full", "-q"]).code, 0);
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

/// A failure before there is a page leaves none, and an existing page stays.
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
