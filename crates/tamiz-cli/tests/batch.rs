//! `tamiz batch`: what goes in, what comes out, and that the two belong together.

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use common::{example_requests, file, scratch, tamiz, tamiz_on};
use serde_json::Value;
use tamiz::{Canonicalizer, Config};
use tamiz_columns::{Kind, Reader};

/// A path as an argument.
pub(crate) fn arg(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// JSON lines of the examples, so often.
fn lines(times: usize) -> String {
    let mut lines = String::new();
    for n in 0..times {
        for (example, path) in example_requests().iter().enumerate() {
            let raw = data_encoding::BASE64.encode(&fs::read(path).expect("an example"));
            let label = if example % 2 == 0 { "valid" } else { "attack" };
            lines.push_str(&format!(
                "{{\"id\":\"{n}-{example}\",\"label\":\"{label}\",\"raw_b64\":\"{raw}\"}}\n"
            ));
        }
    }
    lines
}

/// The documents of the examples, one by one.
fn documents() -> Vec<String> {
    let tamiz = Canonicalizer::new(Config::default());
    let requests = example_requests();
    requests.iter().map(|path| tamiz.canonicalize(&fs::read(path).expect("an example")).to_string()).collect()
}

/// The requests, repeated so often.
fn repeated(times: usize) -> Vec<String> {
    let documents = documents();
    documents.iter().cycle().take(documents.len() * times).cloned().collect()
}

/// Runs a batch that goes well, and gives its summary.
#[track_caller]
fn batch(arguments: &[&str]) -> String {
    let run = tamiz([&["batch"], arguments].concat());
    assert_eq!((run.code, run.stdout.len()), (0, 0), "{}", run.stderr);
    run.stderr
}

/// The texts of a file of columns, and all values of another column as text.
pub(crate) fn columns(path: &Path, kind: Kind, name: &str) -> Vec<(String, Option<String>)> {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    let mut rows = Vec::new();
    for batch in Reader::open(path, kind).expect("a file of columns") {
        let batch = batch.expect("a batch");
        let texts = batch.column_by_name("tamiz.text").expect("texts").as_string::<i32>();
        let other = batch.column_by_name(name).expect("a column");
        for row in 0..batch.num_rows() {
            let value = match other.as_string_opt::<i32>() {
                Some(column) => column.is_valid(row).then(|| column.value(row).to_owned()),
                None => Some(other.as_primitive::<arrow_array::types::Int64Type>().value(row).to_string()),
            };
            rows.push((texts.value(row).to_owned(), value));
        }
    }
    rows
}

#[test]
fn text_with_either_separator() {
    let dir = scratch("batch-text");
    let input = file(&dir, "in.jsonl", lines(3));
    let out = dir.join("out.txt");
    let summary = batch(&[arg(&input), "-o", arg(&out)]);
    let count = documents().len() * 3;
    assert!(
        summary.starts_with(&format!("tamiz: {count} requests, 0 unreadable, {count} rows to ")),
        "{summary}"
    );
    assert_eq!(summary.lines().count(), 1);
    let expected = repeated(3);
    assert_eq!(fs::read_to_string(&out).unwrap(), expected.join("\n"));
    assert_eq!(tamiz(["canon", "--from", "document", arg(&out)]).ok(), expected.join("\n"));
    let out = dir.join("out.nul");
    batch(&[arg(&input), "-o", arg(&out), "--format", "text", "--separator", "nul", "--quiet"]);
    assert_eq!(
        fs::read_to_string(&out).unwrap(),
        expected.iter().map(|text| format!("{text}\0")).collect::<String>()
    );
    assert!(
        fs::read_dir(&dir).unwrap().all(|entry| !entry.unwrap().path().to_string_lossy().contains("partial"))
    );
}

#[test]
fn one_is_told_as_one() {
    let dir = scratch("batch-one");
    let input = file(&dir, "in.jsonl", "{\"raw\":\"GET / HTTP/1.1\\r\\n\\r\\n\"}\n");
    let out = dir.join("out.txt");
    let summary = batch(&[arg(&input), "-o", arg(&out)]);
    assert!(summary.starts_with("tamiz: 1 request, 0 unreadable, 1 row to "), "{summary}");
    let report = tamiz(["report", arg(&input), "-o", arg(&dir.join("out.html"))]).stderr;
    assert!(report.starts_with("tamiz: 1 request, 0 unreadable, to "), "{report}");
    let learned = tamiz(["learn", arg(&input), "-o", arg(&dir.join("out.model"))]).stderr;
    assert!(learned.starts_with("tamiz: 1 request, 0 unreadable, to "), "{learned}");
}

/// Whoever joins the output with the input by `id` finds what was there.
#[test]
fn ids_keep_their_type() {
    let dir = scratch("batch-ids");
    let ids = ["7", "\"7\"", "-7", "18446744073709551615", "1.5", "\"r-1\"", "\"\""];
    let raw: String = ids.iter().map(|id| format!("{{\"id\":{id},\"raw\":\"GET / HTTP/1.1\"}}\n")).collect();
    let parts: String =
        ids.iter().map(|id| format!("{{\"id\":{id},\"method\":\"GET\",\"target\":\"/\"}}\n")).collect();
    let expected: Vec<Value> = ids.iter().map(|id| serde_json::from_str(id).unwrap()).collect();
    for (name, lines) in [("raw.jsonl", raw), ("parts.jsonl", parts)] {
        let input = file(&dir, name, lines);
        let batch = tamiz(["batch", arg(&input), "-o", "-", "--format", "jsonl", "-q"]).ok();
        let score = tamiz(["score", arg(&input), "--format", "jsonl"]);
        for out in [batch, String::from_utf8(score.stdout).unwrap()] {
            let ids: Vec<Value> =
                out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone()).collect();
            assert_eq!(ids, expected, "{out}");
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let dir = scratch("batch-jobs");
    let input = file(&dir, "in.jsonl", lines(400));
    for format in ["text", "jsonl", "tokens"] {
        let runs: Vec<Vec<u8>> = ["1", "2", "7"]
            .iter()
            .map(|jobs| tamiz(["batch", arg(&input), "-o", "-", "--format", format, "--jobs", jobs]).stdout)
            .collect();
        assert!(!runs[0].is_empty() && runs.iter().all(|run| *run == runs[0]), "{format}");
    }
}

#[test]
fn json_lines_are_those_of_canon_and_what_the_container_says() {
    let run = tamiz_on(["batch", "-o", "-", "--format", "jsonl", "-q"], lines(1).as_bytes());
    let out = run.ok();
    let examples = example_requests();
    assert_eq!(out.lines().count(), examples.len());
    for (line, path) in out.lines().zip(&examples) {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let canon: Value =
            serde_json::from_str(&tamiz(["canon", "--format", "json", arg(path)]).ok()).unwrap();
        let object = line.as_object_mut().unwrap();
        for name in ["id", "label", "input", "record", "line"] {
            assert!(object.remove(name).is_some(), "{name}");
        }
        assert_eq!(object.get("tamiz.source"), Some(&"wire".into()));
        assert_eq!(line, canon);
    }
}

/// Lines of every source, with and without what a container may say, keep the schema that is published for them.
#[test]
fn json_lines_keep_their_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let schema = fs::read_to_string(root.join("spec/schema-lines.json")).expect("the schema");
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let dir = scratch("batch-schema");
    file(
        &dir,
        "a.jsonl",
        lines(2) + "{\"method\":\"GET\",\"url\":\"http://ex.com/a\",\"id\":7,\"label\":[1,\"</b>\"]}\n",
    );
    file(
        &dir,
        "b.log",
        "192.0.2.7 - - [10/Oct/2026:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"curl/8.5.0\"\n",
    );
    let entry = "{\"startedDateTime\":\"2026-10-10T13:55:36.5Z\",\"request\":{\"method\":\"GET\",\"url\":\"https://ex.com/\",\"httpVersion\":\"HTTP/2\",\"headers\":[]}}";
    file(&dir, "c.har", format!("{{\"log\":{{\"version\":\"1.2\",\"entries\":[{entry}]}}}}"));
    let mut seen = std::collections::BTreeSet::new();
    for more in [&[][..], &["--dedup"]] {
        let out = scratch("batch-schema-out").join("out.jsonl");
        batch(&[&[arg(&dir), "-o", arg(&out)], more].concat());
        for line in fs::read_to_string(&out).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let errors: Vec<String> = validator.iter_errors(&line).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{errors:#?}\n{line:#}");
            seen.extend(line.as_object().unwrap().keys().cloned());
            seen.insert(line["tamiz.source"].as_str().unwrap().to_owned());
        }
    }
    for what in
        ["id", "label", "timestamp", "tamiz.count", "tamiz.source", "wire", "json-lines", "access-log", "har"]
    {
        assert!(seen.contains(what), "{what}: {seen:?}");
    }
}

#[test]
fn tokens_are_those_of_canon() {
    let dir = scratch("batch-tokens");
    let input = file(&dir, "in.jsonl", lines(1));
    let canon: Vec<String> = example_requests()
        .iter()
        .map(|path| tamiz(["canon", "--format", "tokens", arg(path)]).ok())
        .collect();
    for (separator, expected) in [
        (&[][..], canon.concat()),
        (&["--separator", "blank"], canon.join("\n")),
        (&["--separator", "nul"], canon.concat().replace('\n', "\0")),
    ] {
        let out = dir.join("out.tokens");
        batch(&[&[arg(&input), "-o", arg(&out), "--force"], separator].concat());
        assert_eq!(fs::read_to_string(&out).unwrap(), expected);
    }
}

#[test]
fn columns_and_back() {
    let dir = scratch("batch-columns");
    let input = file(&dir, "in.jsonl", lines(50));
    let expected = repeated(50);
    for (name, kind) in [("out.parquet", Kind::Parquet), ("out.arrow", Kind::Arrow)] {
        let out = dir.join(name);
        batch(&[arg(&input), "-o", arg(&out)]);
        let rows = columns(&out, kind, "label");
        assert!(rows.iter().map(|(text, _)| text).eq(&expected), "{name}");
        assert_eq!(rows[1].1.as_deref(), Some("attack"));
        // In parts that are joined at the end, it is the same.
        let parts = dir.join(format!("parts-{name}"));
        batch(&[arg(&input), "-o", arg(&parts), "--checkpoint", "1"]);
        assert_eq!(columns(&parts, kind, "label"), rows, "{name}");
        let none = dir.join(format!("none-{name}"));
        batch(&[arg(&file(&dir, "empty.jsonl", "")), "-o", arg(&none)]);
        assert_eq!(columns(&none, kind, "label"), [], "{name}");
    }
}

#[test]
fn repeats_are_counted() {
    let dir = scratch("batch-dedup");
    let mut text = lines(3);
    // One of them under another label: a row of its own.
    text.push_str(&lines(1).lines().next().unwrap().replace("valid", "other"));
    let input = file(&dir, "in.jsonl", text);
    let mut expected: Vec<(String, Option<String>)> =
        documents().into_iter().map(|text| (text, Some("3".to_owned()))).collect();
    expected.push((documents()[0].clone(), Some("1".to_owned())));
    for checkpoint in ["1", "1000"] {
        for (name, kind) in [("out.parquet", Kind::Parquet), ("out.arrow", Kind::Arrow)] {
            let out = dir.join(name);
            batch(&[arg(&input), "-o", arg(&out), "--dedup", "--force", "--checkpoint", checkpoint]);
            assert_eq!(columns(&out, kind, "tamiz.count"), expected, "{name}");
        }
        let out = dir.join("out.jsonl");
        batch(&[arg(&input), "-o", arg(&out), "--dedup", "--force", "--checkpoint", checkpoint]);
        let lines: Vec<Value> = fs::read_to_string(&out)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let counted: Vec<_> = lines
            .iter()
            .map(|line| {
                (line["tamiz.text"].as_str().unwrap().to_owned(), Some(line["tamiz.count"].to_string()))
            })
            .collect();
        assert_eq!(counted, expected);
        let out = dir.join("out.txt");
        batch(&[arg(&input), "-o", arg(&out), "--dedup", "--force"]);
        let texts: Vec<String> = expected.iter().map(|(text, _)| text.clone()).collect();
        assert_eq!(fs::read_to_string(&out).unwrap(), texts.join("\n"));
    }
}

#[test]
fn limits_and_samples() {
    let dir = scratch("batch-limits");
    let input = file(&dir, "in.jsonl", lines(100));
    let all = repeated(100);
    let read = |arguments: &[&str]| -> Vec<Value> {
        let run = tamiz([&["batch", arg(&input), "-o", "-", "--format", "jsonl", "-q"], arguments].concat());
        run.ok().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    for limit in [0, 1, 7, 600, 5000] {
        let rows = read(&["--limit", &limit.to_string()]);
        assert_eq!(rows.len(), limit.min(all.len()));
        assert!(rows.iter().zip(&all).all(|(row, text)| row["tamiz.text"] == **text));
    }
    let ids =
        |rows: &[Value]| rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    let sample = ids(&read(&["--sample", "20", "--seed", "4"]));
    assert_eq!(sample.len(), 20);
    assert_eq!(sample, ids(&read(&["--sample", "20", "--seed", "4", "--jobs", "1"])));
    assert_ne!(sample, ids(&read(&["--sample", "20", "--seed", "5"])));
    let numbers: Vec<(usize, usize)> = sample
        .iter()
        .map(|id| id.split_once('-').map(|(a, b)| (a.parse().unwrap(), b.parse().unwrap())).unwrap())
        .collect();
    assert!(numbers.is_sorted(), "in the order of the input");
    assert_eq!(ids(&read(&["--sample", "100", "--limit", "10"])), ids(&read(&["--limit", "10"])));
}

#[test]
fn folders_compressed_files_and_standard_input() {
    let dir = scratch("batch-folders");
    let folder = dir.join("in");
    fs::create_dir_all(folder.join("b/c")).unwrap();
    let examples = example_requests();
    for (path, name) in examples.iter().zip(["a.http", "b/a.http", "b/c/x.req", "b/d.raw", "z"]) {
        fs::copy(path, folder.join(name)).unwrap();
    }
    file(&folder, ".hidden", "nothing");
    let gzip = {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(lines(1).as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let packed = file(&dir, "in.gz", &gzip);
    let first: Vec<String> = documents().into_iter().take(5).collect();
    // The output lies in the folder that is read: it is no input.
    let out = folder.join("out.txt");
    batch(&[arg(&folder), arg(&packed), "-o", arg(&out), "--errors", arg(&folder.join("errors"))]);
    let both = [first.clone(), documents()].concat();
    assert_eq!(fs::read_to_string(&out).unwrap(), both.join("\n"));
    let run =
        tamiz_on(["batch", arg(&folder.join("a.http")), "-", "-o", "-", "--format", "text", "-q"], &gzip);
    assert_eq!(run.ok(), [first[..1].to_vec(), documents()].concat().join("\n"));
}

#[test]
fn options_of_canon_hold() {
    let input = lines(1);
    let path = &example_requests()[0];
    for arguments in [&["--view", "literal"][..], &["--profile", "full"], &["--scheme", "https"]] {
        let run = tamiz_on(
            [&["batch", "-o", "-", "--format", "text", "-q", "--limit", "1"], arguments].concat(),
            input.as_bytes(),
        );
        let canon = tamiz([&["canon", arg(path)], arguments].concat()).ok();
        assert_eq!(run.ok(), canon);
    }
}

/// Fields under names of somebody's own, in place or in a file.
#[test]
fn fields_are_mapped() {
    let dir = scratch("batch-map");
    let input = file(&dir, "in.jsonl", "{\"verb\":\"GET\",\"req\":{\"uri\":\"/a?b=1\"},\"ua\":\"x\"}\n");
    let toml = "[[mapping]]\nwhen = \"verb\"\nmethod = \"verb\"\ntarget = \"req.uri\"\n\"header.user-agent\" = \"ua\"\n";
    let mappings = file(&dir, "mappings.toml", toml);
    for map in ["method=verb,target=req.uri,header.user-agent=ua", arg(&mappings)] {
        let text = tamiz(["batch", arg(&input), "-o", "-", "--format", "text", "-q", "--map", map]).ok();
        assert!(text.contains("\nU:/a?b=<num:1>\n") && text.contains("H:user-agent=x\n"), "{text}");
    }
    assert_eq!(
        tamiz(["batch", arg(&input), "-o", "-", "--format", "text", "-q"]).code,
        3,
        "nobody knows them"
    );
    for map in ["colour=red", "no-such.toml"] {
        let run = tamiz(["batch", arg(&input), "-o", "-", "--format", "text", "--map", map]);
        assert!(run.fails(2).contains("--map"), "{run:?}");
    }
}

#[test]
fn wrong_usage() {
    let dir = scratch("batch-usage");
    let input = file(&dir, "in.jsonl", lines(1));
    let input = arg(&input);
    let out = dir.join("out.parquet");
    let out = arg(&out);
    for (arguments, words) in [
        (&["batch", input][..], &["--out"][..]),
        (&["batch", input, "-o", "out"], &["out", "'--format text'"]),
        (&["batch", input, "-o", "-"], &["standard output", "'--format text', 'jsonl' or 'tokens'"]),
        (&["batch", input, "-o", "-", "--format", "parquet"], &["standard output", "name a file"]),
        (&["batch", input, "-o", out, "--separator", "nul"], &["'--separator'"]),
        (
            &["batch", input, "-o", out, "--from", "xls"],
            &[
                "'xls'",
                "http, concatenated, nul, jsonl, har, burp, pcap, access-log, modsecurity, w3c, zeek, urls",
            ],
        ),
        (&["batch", input, "-o", out, "--jobs", "0"], &["'0'"]),
        (&["batch", input, "-o", out, "--seed", "1"], &["--sample"]),
        (&["batch", input, "-o", out, "--resume", "--sample", "1"], &["--sample"]),
        (&["batch", input, "-o", out, "--resume", "--force"], &["--force"]),
        (&["batch", "-", "-", "-o", out], &["standard input", "once"]),
        (&["batch", input, "-o", arg(&dir), "--format", "text"], &["is a directory"]),
    ] {
        let run = tamiz(arguments);
        let message = run.fails(2);
        assert!(words.iter().all(|word| message.contains(word)), "{arguments:?}: {message}");
    }
    let run = tamiz(["batch", "no-such.jsonl", "-o", out]);
    assert!(run.fails(1).contains("no-such.jsonl: no such file"), "{run:?}");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1, "nothing is left of what did not begin");
}

/// The CSIC 2010 requests to Parquet and back: what `canonicalize` says of each, one by one.
#[test]
fn csic_to_parquet_and_back() {
    let names = ["csic2010_anomalous", "csic2010_normal_test", "csic2010_normal_train"];
    let folder = std::env::var_os("TAMIZ_CORPUS").map(PathBuf::from).unwrap_or_default();
    let files: Vec<PathBuf> = names.iter().map(|name| folder.join(format!("{name}.jsonl.gz"))).collect();
    if folder.as_os_str().is_empty() || !files.iter().all(|file| file.is_file()) {
        // Written past the capture of the test runner.
        let message = "SKIPPED: CSIC 2010 to Parquet (set TAMIZ_CORPUS to a folder with csic2010_*.jsonl.gz)";
        let _ = writeln!(std::io::stderr(), "{message}");
        return;
    }
    let dir = scratch("batch-csic");
    let out = dir.join("csic.parquet");
    let mut arguments: Vec<&str> = files.iter().map(|file| arg(file)).collect();
    arguments.extend(["-o", arg(&out)]);
    assert!(batch(&arguments).starts_with("tamiz: 97065 requests, 0 unreadable, 97065 rows to "));
    let rows = columns(&out, Kind::Parquet, "id");
    assert_eq!(rows.len(), 97_065);
    let tamiz = Canonicalizer::new(Config::default());
    let mut rows = rows.into_iter();
    for file in &files {
        let reader = flate2::read::MultiGzDecoder::new(fs::File::open(file).unwrap());
        for line in std::io::BufRead::lines(std::io::BufReader::new(reader)) {
            let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let request = data_encoding::BASE64.decode(line["raw_b64"].as_str().unwrap().as_bytes()).unwrap();
            let (text, id) = rows.next().expect("a row for each request");
            assert_eq!(id.as_deref(), line["id"].as_str());
            assert_eq!(text, tamiz.canonicalize(&request).as_str());
        }
    }
    assert!(rows.next().is_none());
}
