//! `tamiz learn`, `tamiz score`, `tamiz model` and `tamiz explain --model`.

mod common;

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use common::{command, file, scratch, tamiz, tamiz_on, wait_until};

fn arg(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// JSON lines of so many usual requests.
fn usual(from: u64, count: u64) -> String {
    let line = |n: u64| {
        let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        let target = match n % 3 {
            0 => format!("/item?id={}", n % 1000),
            1 => format!("/find?q=word{}&page={}", n % 7, n % 10),
            _ => format!("/user/{}", n % 5000),
        };
        format!("{{\"raw\":\"GET {target} HTTP/1.1\\r\\nHost: shop.example\\r\\n\\r\\n\"}}\n")
    };
    (from..from + count).map(line).collect()
}

const ATTACK: &str = "GET /item?id=7%27%20or%20sleep(9)-- HTTP/1.1\r\nHost: shop.example\r\n\r\n";

fn model(dir: &Path) -> String {
    let input = file(dir, "usual.jsonl", usual(0, 3000));
    let out = dir.join("site.model");
    tamiz(["learn", arg(&input), "-o", arg(&out), "-q"]).ok();
    out.to_str().expect("a plain path").to_owned()
}

#[test]
fn from_traffic_to_a_ranked_table_with_reasons() {
    let dir = scratch("detector-table");
    let input = file(&dir, "usual.jsonl", usual(0, 3000));
    let out = dir.join("site.model");
    let run = tamiz(["learn", arg(&input), "-o", arg(&out)]);
    let told = String::from_utf8(run.stdout).expect("text");
    assert_eq!(run.code, 0);
    for word in ["requests    3000 (3000 wire)", "endpoints", "threshold", "enough?"] {
        assert!(told.contains(word), "{told}");
    }
    assert!(run.stderr.starts_with("tamiz: 3000 requests, 0 unreadable, to "), "{}", run.stderr);
    let mixed = format!("{}{}\n", usual(9000, 50), serde_json::json!({"raw": ATTACK, "id": "the attack"}));
    let table = tamiz_on(["score", "--model", arg(&out), "--top", "1"], mixed.as_bytes()).ok();
    assert!(table.starts_with("ALERT score ") && table.contains("the attack  GET /item"), "{table}");
    assert!(table.contains("`id`"), "{table}");
    let all = tamiz_on(["score", "--model", arg(&out)], mixed.as_bytes()).ok();
    assert_eq!(all.lines().filter(|line| line.starts_with("ALERT") || line.starts_with("usual")).count(), 51);
    let drift = tamiz_on(["score", "--model", arg(&out), "--drift"], usual(20_000, 300).as_bytes()).ok();
    assert!(drift.contains("     300  ") && !drift.contains("has moved"), "{drift}");
}

#[test]
fn the_highest_scores_come_first_and_of_equal_ones_those_that_came_first() {
    let dir = scratch("detector-top");
    let model = model(&dir);
    // More than are kept at once, with attacks all over them.
    let attack = |n: u64| {
        let raw = ATTACK.replace("sleep(9)", &"sleep(9)".repeat(n as usize % 3 + 1));
        format!("{}\n", serde_json::json!({"raw": raw, "id": format!("attack {n}")}))
    };
    let mixed: String = (0..30).map(|n| usual(9000 + 100 * n, 100) + &attack(n)).collect();
    let score = |more: &[&str]| {
        let arguments = ["score", "--model", &model, "--format", "jsonl"];
        let lines = tamiz_on(arguments.iter().chain(more), mixed.as_bytes()).ok();
        let lines: Vec<serde_json::Value> =
            lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        lines
    };
    let mut all = score(&[]);
    assert_eq!(all.len(), 3030);
    let value = |row: &serde_json::Value| row["score"].as_f64().expect("a number");
    all.sort_by(|a, b| value(b).total_cmp(&value(a)));
    for top in [1, 10, 700] {
        assert_eq!(score(&["--top", &top.to_string()]), all[..top], "{top}");
    }
    assert!(all[..30].iter().all(|row| row["id"].as_str().is_some_and(|id| id.starts_with("attack "))));
}

#[test]
fn drift_tells_which_endpoints_have_moved() {
    let dir = scratch("detector-drift");
    let model = model(&dir);
    let lines = |target: &str| {
        let line = |n: u64| {
            let target = target.replace('N', &n.to_string());
            format!("{{\"raw\":\"GET {target} HTTP/1.1\\r\\nHost: shop.example\\r\\n\\r\\n\"}}\n")
        };
        (0..60).map(line).collect::<String>()
    };
    // One endpoint has a key more than it had, one is new, and the others are as they were.
    let now = usual(20_000, 300) + &lines("/item?id=N&colour=red") + &lines("/news/today");
    let told = tamiz_on(["score", "--model", &model, "--drift"], now.as_bytes()).ok();
    let line = |endpoint: &str| {
        told.lines().find(|line| line.contains(endpoint)).unwrap_or_else(|| panic!("{endpoint}: {told}"))
    };
    assert!(line("GET /item").ends_with("  has moved"), "{told}");
    assert!(line("GET /news/today").ends_with("  not learned"), "{told}");
    assert!(line("GET /find").ends_with("GET /find"), "{told}");
    assert!(line("all").trim_start().starts_with("420  "), "{told}");
    // The endpoints with most unusual requests come first.
    let place = |endpoint: &str| told.lines().position(|line| line.contains(endpoint));
    assert!(
        place("GET /item") < place("GET /find") && place("GET /news/today") < place("GET /find"),
        "{told}"
    );
}

#[test]
fn scores_are_the_same_in_all_formats_and_with_any_number_of_threads() {
    let dir = scratch("detector-formats");
    let model = model(&dir);
    let input = usual(5000, 200);
    let lines = |jobs: &str| {
        tamiz_on(["score", "--model", &model, "--format", "jsonl", "--jobs", jobs], input.as_bytes()).ok()
    };
    let one = lines("1");
    assert_eq!(one, lines("3"));
    let first: serde_json::Value = serde_json::from_str(one.lines().next().expect("a line")).expect("JSON");
    for key in ["score", "p_value", "verdict", "reasons", "endpoint", "place", "source"] {
        assert!(first.get(key).is_some(), "{key}");
    }
    let out = dir.join("scores.jsonl");
    let written =
        tamiz_on(["score", "--model", &model, "--format", "jsonl", "-o", arg(&out)], input.as_bytes()).ok();
    assert_eq!(written, "");
    assert_eq!(std::fs::read_to_string(out).expect("it is there"), one);
}

#[cfg(feature = "columns")]
#[test]
fn columns_have_the_scores_of_json_lines() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;
    use tamiz_columns::{Kind, Reader};

    let dir = scratch("detector-columns");
    let model = model(&dir);
    let mixed = format!("{}{}\n", usual(9000, 50), serde_json::json!({"raw": ATTACK, "id": "the attack"}));
    let input = file(&dir, "mixed.jsonl", &mixed);
    let out = dir.join("scores.parquet");
    let score = ["score", "--model", &model, arg(&input), "--format"];
    let to_file = ["parquet", "-o", arg(&out)];
    tamiz(score.iter().chain(&to_file)).ok();
    assert!(tamiz(score.iter().chain(&["parquet"])).fails(2).contains("--out"));
    assert!(tamiz(score.iter().chain(&to_file)).fails(2).contains("exists"));
    let batches: Vec<_> =
        Reader::open(&out, Kind::Parquet).expect("a file").map(|b| b.expect("rows")).collect();
    let rows: Vec<(f64, f64, String, usize)> = batches
        .iter()
        .flat_map(|batch| {
            let column = |name: &str| batch.column_by_name(name).expect("a column");
            let number = |name: &str, at| column(name).as_primitive::<Float64Type>().value(at);
            let row = |at| {
                let verdict = column("verdict").as_string::<i32>().value(at).to_owned();
                let reasons = column("reasons").as_list::<i32>().value(at).len();
                (number("score", at), number("p_value", at), verdict, reasons)
            };
            (0..batch.num_rows()).map(row).collect::<Vec<_>>()
        })
        .collect();
    let lines = tamiz(score.iter().chain(&["jsonl"])).ok();
    let expected: Vec<(f64, f64, String, usize)> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .map(|row| {
            let number = |key: &str| row[key].as_f64().expect("a number");
            let verdict = row["verdict"].as_str().expect("a verdict").to_owned();
            (number("score"), number("p_value"), verdict, row["reasons"].as_array().expect("a list").len())
        })
        .collect();
    assert_eq!(rows, expected);
    assert_eq!(rows.len(), 51);
}

/// The bytes that reasons are about are told as ranges, and underlined.
#[test]
fn reasons_point_into_the_request() {
    let dir = scratch("detector-evidence");
    let model = model(&dir);
    let odd = "GET /item?id=AB-7 HTTP/1.1\r\nHost: shop.example\r\n\r\n";
    for (request, token, text) in [(ATTACK, "f.q.id=QUOTE", "%27"), (odd, "q.id~-", "-")] {
        let line = format!("{}\n", serde_json::json!({"raw": request}));
        let options = ["score", "--model", &model, "--format", "jsonl", "--fpr", "1"];
        let row = tamiz_on(options, line.as_bytes()).ok();
        let row: serde_json::Value = serde_json::from_str(&row).expect("JSON");
        let reasons = row["reasons"].as_array().expect("a list");
        let found = reasons.iter().find(|reason| reason["token"] == token).expect("a reason");
        let at = request.find(text).expect("it is there");
        assert_eq!(found["evidence"], serde_json::json!([[at, at + text.len()]]));
    }
    let request = file(&dir, "attack.http", ATTACK);
    let shown = tamiz(["explain", "--model", &model, arg(&request)]).ok();
    let underlined = |name: &str| shown.lines().any(|line| line.contains('^') && line.contains(name));
    assert!(underlined("#1"), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("  #1  ")), "{shown}");
}

#[test]
fn parts_and_order_give_the_same_model() {
    let dir = scratch("detector-merge");
    let learn = |name: &str, content: &str, more: &[&str]| {
        let input = file(&dir, &format!("{name}.jsonl"), content);
        let out = dir.join(format!("{name}.model"));
        let mut arguments = vec!["learn", arg(&input), "-o", arg(&out), "-q"];
        arguments.extend(more);
        tamiz(arguments).ok();
        out
    };
    let whole = learn("whole", &usual(0, 900), &["--jobs", "1"]);
    let mut lines: Vec<String> = usual(0, 900).lines().map(|line| format!("{line}\n")).collect();
    lines.reverse();
    let backwards = learn("backwards", &lines.concat(), &[]);
    let (a, b) = (learn("a", &usual(0, 400), &[]), learn("b", &usual(400, 500), &[]));
    let merged = dir.join("merged.model");
    tamiz(["model", "merge", arg(&b), arg(&a), "-o", arg(&merged)]).ok();
    let bytes = |path: &Path| std::fs::read(path).expect("a model");
    assert_eq!(bytes(&whole), bytes(&backwards));
    assert_eq!(bytes(&whole), bytes(&merged));
    let second = file(&dir, "second.jsonl", usual(400, 500));
    tamiz(["learn", arg(&second), "-o", arg(&a), "--update", "-q"]).ok();
    assert_eq!(bytes(&whole), bytes(&a));
}

#[test]
fn a_run_that_was_stopped_goes_on() {
    let dir = scratch("detector-resume");
    let input = file(&dir, "usual.jsonl", usual(0, 30_000));
    let (whole, out) = (dir.join("whole.model"), dir.join("site.model"));
    tamiz(["learn", arg(&input), "-o", arg(&whole), "-q"]).ok();
    // What a run leaves that was stopped before it had a state.
    let partial = dir.join("site.model.partial");
    std::fs::create_dir(&partial).expect("a folder");
    tamiz(["learn", arg(&input), "-o", arg(&out), "-q", "--resume", "--checkpoint", "1000"]).ok();
    assert_eq!(std::fs::read(&whole).expect("a model"), std::fs::read(&out).expect("a model"));
    assert!(!partial.exists());
}

/// A run that is killed behind a checkpoint is gone on with, and its model is that of one that was not.
#[test]
fn a_killed_run_goes_on_from_its_checkpoint() {
    let dir = scratch("detector-killed");
    let lines = usual(0, 12_000);
    for (name, limit) in [("all", "12000"), ("some", "9000")] {
        let (whole, out) = (dir.join(format!("{name}-whole.model")), dir.join(format!("{name}.model")));
        let options = |out: &Path| -> Vec<String> {
            ["learn", "-", "-o", arg(out), "-q", "--checkpoint", "300", "--limit", limit]
                .map(str::to_owned)
                .into()
        };
        tamiz_on(options(&whole), lines.as_bytes()).ok();
        let mut child = command()
            .args(options(&out))
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(&lines.as_bytes()[..lines.len() / 2]).expect("the program reads");
        let partial = dir.join(format!("{name}.model.partial"));
        let state = || std::fs::read_to_string(partial.join("state.json")).unwrap_or_default();
        let is_saved = || {
            let state: serde_json::Value = serde_json::from_str(&state()).unwrap_or_default();
            state["chunks"].as_u64().is_some_and(|chunks| chunks > 0)
        };
        wait_until(is_saved, || format!("no checkpoint: {}", state()));
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        drop(stdin);
        assert!(!out.exists(), "no half model");
        let mut resuming = options(&out);
        resuming.push("--resume".to_owned());
        tamiz_on(&resuming, lines.as_bytes()).ok();
        assert!(std::fs::read(&whole).expect("a model") == std::fs::read(&out).expect("a model"), "{name}");
        assert!(!partial.exists());
    }
}

#[test]
fn what_is_no_model_is_told_and_nothing_is_written() {
    let dir = scratch("detector-bad");
    let good = model(&dir);
    let bytes = std::fs::read(&good).expect("a model");
    let write = |name: &str, content: &[u8]| {
        let path = dir.join(name);
        std::fs::write(&path, content).expect("a file");
        path
    };
    let truncated = write("truncated.model", &bytes[..bytes.len() / 2]);
    let other = write("other.model", b"hello");
    let mut newer = bytes.clone();
    newer[8] = 77;
    let newer = write("newer.model", &newer);
    let input = file(&dir, "input.jsonl", usual(0, 5));
    for (path, word) in [(&truncated, "truncated"), (&other, "not a model"), (&newer, "format 77")] {
        for arguments in [
            vec!["score", arg(&input), "--model", arg(path)],
            vec!["model", "show", arg(path)],
            vec!["learn", arg(&input), "-o", arg(path), "--update"],
            vec!["explain", arg(&input), "--model", arg(path)],
        ] {
            let before = std::fs::read(path).expect("a file");
            let run = tamiz(arguments);
            assert!(run.fails(2).contains(word), "{run:?}");
            assert!(run.stdout.is_empty());
            assert_eq!(std::fs::read(path).expect("a file"), before);
        }
    }
    let run = tamiz(["score", arg(&input), "--model", &good, "--profile", "full"]);
    assert!(run.fails(2).contains("fingerprint v2-"), "{run:?}");
    let empty = file(&dir, "empty.jsonl", "");
    let out = dir.join("empty.model");
    assert!(tamiz(["learn", arg(&empty), "-o", arg(&out)]).fails(2).contains("no request"));
    let run = tamiz(["learn", arg(&input), "-o", arg(&out), "--view", "literal"]);
    assert!(run.fails(2).contains("literal"));
    assert!(!out.exists() && !dir.join("empty.model.partial").exists());
}

#[test]
fn false_alarms_are_taken_in() {
    let dir = scratch("detector-accept");
    let model = model(&dir);
    let request = file(&dir, "odd.http", "GET /item?id=AB-7 HTTP/1.1\r\nHost: shop.example\r\n\r\n");
    let score = || {
        let shown = tamiz(["explain", "--model", &model, arg(&request)]).ok();
        let from = shown.rfind("score ").expect("a score");
        let end = shown[from..].find(',').expect("an end");
        shown[from + 6..from + end].parse::<f64>().expect("a number")
    };
    let before = score();
    tamiz(["model", "accept", "--model", &model, arg(&request)]).ok();
    assert!(score() < before);
}

#[test]
fn sources_that_were_not_learned_are_told() {
    let dir = scratch("detector-sources");
    let model = model(&dir);
    let log = "1.2.3.4 - - [10/Oct/2026:13:55:36 +0000] \"GET /item?id=1 HTTP/1.1\" 200 1 \"-\" \"curl/8\"\n";
    let run = tamiz_on(["score", "--model", &model], log.as_bytes());
    assert!(run.stderr.contains("has learned no requests of source"), "{run:?}");
    let run = tamiz_on(["score"], usual(0, 3).as_bytes());
    assert!(run.code == 0 && run.stderr.contains("no model"), "{run:?}");
}

/// The columns of `tamiz score --format parquet`, in words.
#[cfg(feature = "columns")]
fn columns_of_scores(dir: &Path, input: &Path, model: &str) -> String {
    use tamiz_columns::{Kind, Reader};

    let out = dir.join("secret.parquet");
    tamiz(["score", arg(input), "--model", model, "--format", "parquet", "-o", arg(&out)]).ok();
    let batches = Reader::open(&out, Kind::Parquet).expect("a file");
    let columns = batches.map(|batch| format!("{:?}", batch.expect("rows"))).collect::<String>();
    assert!(columns.contains("reasons") && columns.contains("POST /login"), "{columns}");
    columns
}

#[test]
fn no_secret_in_anything_that_comes_out() {
    let dir = scratch("detector-secrets");
    let model = model(&dir);
    let canaries = ["hunter2Canary", "eyJhbGciOiJIUzI1NiJ9.canary", "canaryKey4711"];
    let [password, token, key] = canaries;
    let body = format!("password={password}&api_key={key}");
    let request = format!(
        "POST /login?token={token} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\nCookie: sid={password}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let line = format!("{}\n", serde_json::json!({"raw": request})).repeat(20);
    let input = file(&dir, "secret.jsonl", &line);
    let http = file(&dir, "secret.http", &request);
    let (out, page) = (dir.join("secret.model"), dir.join("secret.html"));
    let mut shown = Vec::new();
    for arguments in [
        vec!["learn", arg(&input), "-o", arg(&out)],
        vec!["score", arg(&input), "--model", &model],
        vec!["score", arg(&input), "--model", arg(&out), "--format", "jsonl"],
        vec!["score", arg(&input), "--model", &model, "--format", "jsonl", "--fpr", "1"],
        vec!["score", arg(&input)],
        vec!["score", arg(&input), "--model", &model, "--drift"],
        vec!["explain", arg(&http), "--model", &model],
        vec!["report", arg(&input), "--model", &model, "-o", arg(&page)],
        vec!["model", "show", arg(&out)],
        vec!["model", "show", arg(&out), "--endpoint", "POST /login"],
    ] {
        let run = tamiz(arguments);
        assert_eq!(run.code, 0, "{run:?}");
        shown.push(String::from_utf8_lossy(&run.stdout).into_owned());
        shown.push(run.stderr);
    }
    for written in [&out, &page] {
        shown.push(String::from_utf8_lossy(&std::fs::read(written).expect("a file")).into_owned());
    }
    let report = shown.last().expect("a page");
    assert!(report.contains("POST /login"), "the report has the request among those with reasons");
    #[cfg(feature = "columns")]
    shown.push(columns_of_scores(&dir, &input, &model));
    for canary in canaries {
        assert!(shown.iter().all(|text| !text.contains(canary)), "{canary}");
    }
}
