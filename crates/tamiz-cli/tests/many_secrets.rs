//! No secret in anything that `batch`, `report` and `diff` write, of many requests at once.

#[path = "../../tamiz/tests/canaries/mod.rs"]
mod canaries;
mod common;

use std::fs;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use canaries::{ByContent, ByEcho, ByPlace, Case, Rng, look};
use common::{file, scratch, tamiz};
use tamiz_columns::{Kind, Reader};

fn arg(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// Requests with a random secret in each, of every way to plant one: see the leak tests of the library.
fn cases() -> Vec<Case> {
    let seed = canaries::seed();
    let mut rng = Rng::new(seed);
    let (content, place, echo) = (ByContent::new(), ByPlace::new(false), ByEcho::new());
    let mut cases = Vec::new();
    for (total, sample, case) in [
        (content.total(), 150, &(|number| content.case(number, seed)) as &dyn Fn(usize) -> Option<Case>),
        (place.total(), 150, &|number| place.case(number, seed)),
        (echo.total(), 200, &|number| echo.case(number, seed)),
    ] {
        cases.extend(canaries::chosen(total, sample, &mut rng).into_iter().filter_map(case));
    }
    assert!(cases.len() > 100, "{}", cases.len());
    cases
}

/// The cases as JSON lines, and behind each a record that cannot be read and holds its secret.
fn input(dir: &Path, cases: &[Case]) -> PathBuf {
    let mut lines = String::new();
    for (n, case) in cases.iter().enumerate() {
        let raw = data_encoding::BASE64.encode(&case.request);
        let label = ["valid", "attack"][n % 2];
        lines.push_str(&format!(
            "{{\"id\":\"n{n}\",\"label\":\"{label}\",\"time\":{n},\"raw_b64\":\"{raw}\"}}\n"
        ));
        let secret = serde_json::to_string(&case.canary.secrets).expect("text");
        lines.push_str(&format!("{{\"password\":{secret}}}\n"));
        lines.push_str(&format!("{}\n", case.canary.text.replace(['\n', '{'], " ")));
    }
    file(dir, "in.jsonl", lines)
}

#[track_caller]
fn check(what: &str, output: &str, cases: &[Case]) {
    assert!(!output.is_empty(), "{what} is empty");
    let looked_at = look::Output::of(output);
    for case in cases {
        if let Some(piece) = looked_at.leak(&case.canary) {
            let at = output.lines().find(|line| line.contains(&piece)).unwrap_or_default();
            panic!("{what}, {}: {piece}\nTAMIZ_LEAKS_SEED={}\n{at}", case.name, canaries::seed());
        }
    }
}

/// Every column of every row, as text.
fn columns(path: &Path, kind: Kind) -> String {
    let mut all = String::new();
    for batch in Reader::open(path, kind).expect("a file of columns") {
        let batch = batch.expect("a batch");
        for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
            all.push_str(field.name());
            all.push('\n');
            if let Some(texts) = column.as_string_opt::<i32>() {
                texts.iter().flatten().for_each(|text| all.push_str(&format!("{text}\n")));
            } else if let Some(lists) = column.as_list_opt::<i32>() {
                let values = lists.values().as_string::<i32>();
                values.iter().flatten().for_each(|text| all.push_str(&format!("{text}\n")));
            }
        }
        assert!(batch.num_rows() > 0 && batch.num_columns() > 10);
    }
    all
}

#[test]
fn no_secret_in_what_batch_writes() {
    let dir = scratch("many-secrets-batch");
    let cases = cases();
    let input = input(&dir, &cases);
    for view in common::VIEWS {
        for (name, format) in [
            ("out.txt", None),
            ("out.jsonl", None),
            ("out.tokens", None),
            ("out.parquet", Some(Kind::Parquet)),
            ("out.arrow", Some(Kind::Arrow)),
        ] {
            let (out, errors) = (dir.join(name), dir.join("errors.jsonl"));
            let run = tamiz([
                "batch",
                arg(&input),
                "-o",
                arg(&out),
                "--errors",
                arg(&errors),
                "--force",
                "--view",
                view,
            ]);
            assert_eq!(run.code, 3, "{}", run.stderr);
            let written = match format {
                Some(kind) => columns(&out, kind),
                None => fs::read_to_string(&out).expect("text"),
            };
            check(&format!("{name}, {view}"), &written, &cases);
            check("standard error", &run.stderr, &cases);
            check("errors", &fs::read_to_string(&errors).expect("text"), &cases);
        }
    }
}

#[test]
fn no_secret_in_reports_and_differences() {
    let dir = scratch("many-secrets-report");
    let cases = cases();
    let input = input(&dir, &cases);
    let input = arg(&input);
    for view in common::VIEWS {
        for profile in common::PROFILES {
            for command in [
                &["report", input][..],
                &["report", input, "-o", "-"],
                &["diff", input, input, "--top", "100000"],
                &["diff", input, "--with-profile", "core", "--top", "100000"],
                &["diff", input, "--with-view", "literal", "--format", "json"],
            ] {
                let run = tamiz(command.iter().chain(&["--view", view, "--profile", profile]));
                assert_eq!(run.code, 3, "{}", run.stderr);
                let what = format!("{command:?} {view} {profile}");
                check(&what, &String::from_utf8(run.stdout).expect("text"), &cases);
                check(&what, &run.stderr, &cases);
            }
        }
    }
}

/// Scores have reasons, which are tokens of the request: none shows a secret, whether the model has learned it or not.
#[test]
fn no_secret_in_reports_with_scores() {
    let dir = scratch("many-secrets-model");
    let cases = cases();
    let input = input(&dir, &cases);
    let usual: String = (0..200)
        .map(|n| format!("{{\"raw\":\"GET /item?id={n} HTTP/1.1\\r\\nHost: ex.com\\r\\n\\r\\n\"}}\n"))
        .collect();
    let usual = file(&dir, "usual.jsonl", usual);
    for profile in common::PROFILES {
        for learned in [&usual, &input] {
            let model = dir.join("site.model");
            let run = tamiz(["learn", arg(learned), "-o", arg(&model), "--force", "--profile", profile]);
            assert!(matches!(run.code, 0 | 3), "{}", run.stderr);
            for out in [&[][..], &["-o", "-"]] {
                let command = ["report", arg(&input), "--model", arg(&model), "--profile", profile];
                let run = tamiz(command.iter().chain(out));
                assert_eq!(run.code, 3, "{}", run.stderr);
                let what = format!("{command:?} {out:?}");
                let written = String::from_utf8(run.stdout).expect("text");
                assert!(written.contains("Highest scores"), "{what}");
                check(&what, &written, &cases);
                check(&what, &run.stderr, &cases);
            }
        }
    }
}
