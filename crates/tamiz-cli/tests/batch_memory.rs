//! A record for which there is no memory is one unreadable record: the others are written, and the program goes on to its end.
//! A limit on the address space stands for memory that is short: both make an allocation fail.
#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Command;

use common::{Run, file, run, scratch};

fn arg(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// A short request, of which no two are alike.
fn short(n: usize) -> String {
    format!("GET /a{n} HTTP/1.1\r\nHost: ex.com\r\n\r\n")
}

/// The request for whose document there is no memory.
fn long() -> String {
    let body = "a=%3Cscript%3E&".repeat(LONG / 15);
    format!("POST /long HTTP/1.1\r\nHost: ex.com\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

/// Its bytes: a document of them may take 64 times as many.
const LONG: usize = 6 << 20;

/// The address space, in KiB: much more than all else takes, and much less than the long request may take.
const ROOM: usize = 300_000;

/// Runs `tamiz batch` on a file, with so much address space.
fn batch(room: usize, input: &Path, out: &Path, options: &str) -> Run {
    let script = format!(
        "ulimit -v {room}; exec {} batch {} -o {} --jobs 2 --force {options}",
        env!("CARGO_BIN_EXE_tamiz"),
        arg(input),
        arg(out)
    );
    run(Command::new("sh").args(["-c", &script]), b"")
}

fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// A container of each kind with two short requests, the long one, and two short ones; how it is read; where the long
/// one is.
fn containers() -> Vec<(&'static str, String, &'static str, &'static str)> {
    let requests = [short(1), short(2), long(), short(3), short(4)];
    let each = |write: &dyn Fn(&String) -> String| requests.iter().map(write).collect::<Vec<_>>();
    let entry = |request: &String| {
        let body = json(request.split_once("\r\n\r\n").unwrap().1);
        format!(
            "{{\"request\":{{\"method\":\"GET\",\"url\":\"https://ex.com/\",\"postData\":{{\"text\":{body}}}}}}}"
        )
    };
    let record = |request: &String| {
        format!(
            "WARC/1.0\r\nWARC-Type: request\r\nContent-Length: {}\r\n\r\n{request}\r\n\r\n",
            request.len()
        )
    };
    let line = |request: &String| format!("{{\"raw\":{}}}\n", json(request));
    let tree = |request: &String| match request.len() {
        ..1000 => line(request),
        _ => format!("{{\"method\":\"POST\",\"url\":\"/\",\"body\":[{}0]}}\n", "{\"a\":0},".repeat(LONG / 8)),
    };
    let burp = |request: &String| format!("<item><request><![CDATA[{request}]]></request></item>");
    vec![
        ("lines.jsonl", each(&line).concat(), "", "line 3"),
        ("trees.jsonl", each(&tree).concat(), "", "line 3"),
        ("array.json", format!("[{}]", each(&line).join(",")), "", "record 3"),
        ("entries.har", format!("{{\"log\":{{\"entries\":[{}]}}}}", each(&entry).join(",")), "", "record 3"),
        ("archive.warc", each(&record).concat(), "", "record 3"),
        (
            "table.csv",
            format!("raw,id\n{}", each(&|request| format!("\"{request}\",1\n")).concat()),
            "",
            "record 3",
        ),
        ("blank.http", requests.join("\r\n\r\n"), "--from concatenated", "record 3"),
        ("nul.http", requests.join("\0"), "--from nul", "record 3"),
        ("items.xml", format!("<items>{}</items>", each(&burp).concat()), "", "record 3"),
    ]
}

#[test]
fn a_document_without_memory() {
    let dir = scratch("memory-document");
    let out = dir.join("out.txt");
    for (name, content, options, place) in containers() {
        let input = file(&dir, name, content);
        let run = batch(ROOM, &input, &out, options);
        assert_eq!(run.code, 3, "{name}: {}", run.stderr);
        let told = format!("tamiz: {}: {place}", arg(&input));
        let first = run.stderr.lines().next().unwrap();
        assert!(first.starts_with(&told) && first.ends_with(": there is no memory for it"), "{}", run.stderr);
        assert!(run.stderr.contains("tamiz: 4 requests, 1 unreadable, 4 rows"), "{name}: {}", run.stderr);
        assert_eq!(fs::read_to_string(&out).unwrap().matches("M:GET").count(), 4, "{name}");
    }
}

#[test]
fn every_output_goes_on() {
    let dir = scratch("memory-outputs");
    let (_, content, ..) = containers().swap_remove(0);
    let input = file(&dir, "in.jsonl", content);
    for format in ["jsonl", "tokens", "parquet", "arrow", "requests"] {
        let out = dir.join(format!("out.{format}"));
        let run = batch(ROOM, &input, &out, &format!("--format {format}"));
        assert_eq!(run.code, 3, "{format}: {}", run.stderr);
        assert!(
            run.stderr.contains("in.jsonl: line 3: there is no memory for it"),
            "{format}: {}",
            run.stderr
        );
        assert!(run.stderr.contains("tamiz: 4 requests, 1 unreadable, 4 rows"), "{format}: {}", run.stderr);
        assert!(out.is_file(), "{format}");
    }
}

/// Where there is memory, the same records are read.
#[test]
fn with_memory_all_are_read() {
    let dir = scratch("memory-enough");
    let out = dir.join("out.txt");
    let (_, content, ..) = containers().swap_remove(0);
    let run = batch(16_000_000, &file(&dir, "in.jsonl", content), &out, "");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(fs::read_to_string(&out).unwrap().matches("\nM:").count(), 4);
}

/// A record that does not even fit, although the limit allows it.
#[test]
fn a_record_without_memory() {
    let dir = scratch("memory-record");
    let line = |n| format!("{{\"raw\":{}}}\n", json(&short(n)));
    let input = file(&dir, "in.jsonl", line(1));
    // A hole: it takes no room on the disk.
    let mut hole = fs::File::options().write(true).open(&input).unwrap();
    hole.seek(SeekFrom::Start(2 << 30)).unwrap();
    hole.write_all(format!("\n{}{}", line(2), line(3)).as_bytes()).unwrap();
    let out = dir.join("out.txt");
    let run = batch(1_000_000, &input, &out, "--from jsonl --record-limit 9000000000");
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("in.jsonl: line 2: there is no memory for it"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&out).unwrap().matches("M:GET").count(), 3);
}
