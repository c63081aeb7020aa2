//! `tamiz batch --format requests`: requests as they are, and Parquet as a container.

mod common;

use std::fs;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use common::{example_requests, file, scratch, tamiz, tamiz_on};
use tamiz_columns::{Kind, Reader};

fn arg(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// Requests by their bytes and by their parts, with all that a container says of them.
fn container() -> String {
    let mut lines = String::new();
    for (n, path) in example_requests().iter().enumerate() {
        let raw = data_encoding::BASE64.encode(&fs::read(path).expect("an example"));
        lines.push_str(&format!(
            "{{\"id\":\"e-{n}\",\"label\":\"valid\",\"time\":\"2026-10-10T13:55:36.5Z\",\"raw_b64\":\"{raw}\"}}\n"
        ));
    }
    lines.push_str("{\"method\":\"POST\",\"url\":\"https://ex.com/a?b=1\",\"version\":\"HTTP/2\",\"headers\":[[\"x-a\",\"1\"],[\"x-a\",\"2\"]],\"body\":\"q=1\"}\n");
    lines
}

#[test]
fn requests_go_out_and_come_back() {
    let dir = scratch("requests-round");
    let input = file(&dir, "in.jsonl", container());
    let requests = dir.join("requests.parquet");
    let run = tamiz(["batch", arg(&input), "-o", arg(&requests), "--format", "requests"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.lines().next().unwrap().contains("requests as they are"), "{}", run.stderr);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&requests).unwrap().permissions().mode() & 0o777, 0o600);
    }
    for format in ["text", "jsonl", "tokens"] {
        let read = |input: &Path| tamiz(["batch", arg(input), "-o", "-", "--format", format, "-q"]).ok();
        let (out, back) = (read(&input), read(&requests));
        if format != "jsonl" {
            assert!(out == back, "{format}");
            continue;
        }
        // All but where it is from.
        let lines = |text: &str| -> Vec<serde_json::Value> {
            let line = |line: &str| {
                let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
                let object = line.as_object_mut().unwrap();
                object.retain(|name, _| !["input", "record", "line"].contains(&name.as_str()));
                line
            };
            text.lines().map(line).collect()
        };
        assert!(lines(&out) == lines(&back));
    }
    // In parts that are joined at the end, it is the same.
    let parts = dir.join("parts.parquet");
    tamiz(["batch", arg(&input), "-o", arg(&parts), "--format", "requests", "--checkpoint", "1"]);
    let batches: Vec<_> = Reader::open(&parts, Kind::Parquet).unwrap().map(Result::unwrap).collect();
    let count = container().lines().count();
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), count);
    let first = &batches[0];
    let text =
        |name: &str| first.column_by_name(name).expect("a column").as_string::<i32>().value(0).to_owned();
    assert_eq!((text("input"), text("id")), (arg(&input).to_owned(), "e-0".to_owned()));
    let number =
        |name: &str| first.column_by_name(name).expect("a column").as_primitive::<Int64Type>().value(0);
    assert_eq!((number("record"), number("line")), (1, 1));
}

const MANY: i64 = 12_000;

/// Many requests, so that there is something to split: more than one chunk.
fn many() -> String {
    (0..MANY)
        .map(|n| {
            format!(
                "{{\"id\":\"{n}\",\"raw\":\"GET /{n}?{} HTTP/1.1\\r\\n\\r\\n\"}}\n",
                format!("{n:x}").repeat(20)
            )
        })
        .collect()
}

/// The files of a folder, and the numbers of the records in them, in order.
fn split_records(folder: &Path) -> (Vec<String>, Vec<i64>) {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    let batches = names
        .iter()
        .flat_map(|name| Reader::open(&folder.join(name), Kind::Parquet).unwrap())
        .map(Result::unwrap);
    let numbers = batches.flat_map(|batch| {
        batch.column_by_name("record").unwrap().as_primitive::<Int64Type>().values().to_vec()
    });
    let numbers = numbers.collect();
    (names, numbers)
}

#[test]
fn a_folder_of_files_of_about_a_size() {
    let dir = scratch("requests-split");
    let input = file(&dir, "in.jsonl", many());
    let out = dir.join("out");
    let split = |more: &[&str]| {
        let mut arguments = vec!["batch", arg(&input), "-o", arg(&out), "--format", "requests", "-q"];
        arguments.extend(more);
        tamiz(arguments)
    };
    // Checkpoints end parts as well; at the end they are put together up to the size.
    for (options, least, most) in [
        (&["--split", "16K"][..], 2, 1000),
        (&["--split", "1G", "--checkpoint", "1000", "--force"][..], 1, 1),
    ] {
        let run = split(options);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let (names, numbers) = split_records(&out);
        assert!((least..=most).contains(&names.len()), "{names:?}");
        assert_eq!(names[0], "part-000001.parquet");
        assert_eq!(numbers, (1..=MANY).collect::<Vec<i64>>());
        assert!(!dir.join("out.partial").exists());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&out), mode(&out.join("part-000001.parquet"))), (0o700, 0o600));
    }
    // It reads back, and into one of its own files nothing is written.
    let text = |input: &Path| tamiz(["batch", arg(input), "-o", "-", "--format", "text", "-q"]).ok();
    assert!(text(&out) == text(&input));
    let run =
        tamiz(["batch", arg(&out), "-o", arg(&out), "--format", "requests", "--split", "1K", "--force"]);
    assert!(run.fails(2).contains("is read"), "{run:?}");
    assert!(split(&["--split", "1K"]).fails(2).contains("exists"));
    // What is not of a run is not replaced.
    file(&out, "notes.txt", "mine");
    assert!(split(&["--split", "1K", "--force"]).fails(2).contains("does not make"));
    assert_eq!(fs::read_to_string(out.join("notes.txt")).unwrap(), "mine");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 2, "both are there");
}

#[test]
fn what_cannot_be_split() {
    let dir = scratch("requests-unsplit");
    let input = file(&dir, "in.jsonl", many());
    let out = dir.join("out");
    let split = |format: &str, size: &str| {
        tamiz(["batch", arg(&input), "-o", arg(&out), "--format", format, "--split", size])
    };
    assert!(split("text", "1M").fails(2).contains("leave out '--split'"));
    for size in ["0", "", "1T", "1.5M", "99999999999999999999G"] {
        let run = split("requests", size);
        assert!(run.code == 2 && run.stderr.contains("256M"), "{run:?}");
    }
    file(&dir, "out", "a file");
    assert!(split("requests", "1M").fails(2).contains("is a file"));
    assert_eq!(fs::read_to_string(&out).unwrap(), "a file");
}

#[test]
fn parquet_from_standard_input() {
    let dir = scratch("requests-stdin");
    let input = file(&dir, "in.jsonl", container());
    let out = dir.join("out.parquet");
    assert_eq!(tamiz(["batch", arg(&input), "-o", arg(&out), "--format", "requests", "-q"]).code, 0);
    let piped = tamiz_on(["batch", "-", "-o", "-", "--format", "text", "-q"], &fs::read(&out).unwrap());
    assert_eq!(piped.ok(), tamiz(["batch", arg(&input), "-o", "-", "--format", "text", "-q"]).ok());
}

#[test]
fn wrong_usage_and_damage() {
    let dir = scratch("requests-wrong");
    let input = file(&dir, "in.jsonl", container());
    let out = dir.join("out.parquet");
    let run = tamiz(["batch", arg(&input), "-o", arg(&out), "--format", "requests", "--dedup"]);
    assert!(run.fails(2).contains("'--dedup'"), "{run:?}");
    let run = tamiz(["batch", arg(&input), "-o", "-", "--format", "requests"]);
    assert!(run.fails(2).contains("name a file"), "{run:?}");
    assert_eq!(tamiz(["batch", arg(&input), "-o", arg(&out), "--format", "requests"]).code, 0);
    let whole = fs::read(&out).unwrap();
    let cut = file(&dir, "cut.parquet", &whole[..whole.len() / 2]);
    let run = tamiz(["batch", arg(&cut), "-o", "-", "--format", "text"]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("cut.parquet: a Parquet file whose directory is damaged"), "{}", run.stderr);
    // Documents are no requests.
    let documents = dir.join("documents.parquet");
    assert_eq!(tamiz(["batch", arg(&input), "-o", arg(&documents), "-q"]).code, 0);
    let run = tamiz(["batch", arg(&documents), "-o", "-", "--format", "text"]);
    assert!(run.code == 0 || run.code == 3, "{}", run.stderr);
}
