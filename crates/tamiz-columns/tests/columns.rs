//! Columns against the JSON of the same documents; files against what was written to them.

use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use serde_json::Value;
use tamiz::{Canonicalizer, Config, Profile, View};
use tamiz_columns::{Builder, Kind, Reader, Row, Writer, join, schema};

/// The examples of the repository, and requests that are odd in what becomes a column.
fn requests() -> Vec<Vec<u8>> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(examples).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut requests: Vec<Vec<u8>> = paths
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "http"))
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    for odd in [
        "",
        "CONNECT db.example.com:5432 HTTP/1.1\r\nHost: db.example.com\r\n\r\n",
        "GET http://u:p@[2001:db8::1]:8080/a?x#y HTTP/1.1\r\nHost: a\r\nUser-Agent: a [b] c\r\nUser-Agent: d\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        "GET /? HTTP/1.1\r\nHost: ex.com:81\r\nUser-Agent:\r\n\r\n",
        "GET /a?b#c HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        "GET /a#b?c HTTP/1.1\r\nHost: ex.com\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: ex.com\r\nContent-Length: 2\r\n\r\n{}",
    ] {
        requests.push(odd.as_bytes().to_vec());
    }
    requests
}

fn text<'a>(batch: &'a RecordBatch, name: &str, row: usize) -> Option<&'a str> {
    let column = batch.column_by_name(name).unwrap().as_string::<i32>();
    column.is_valid(row).then(|| column.value(row))
}

#[test]
fn columns_are_what_the_json_says() {
    for view in View::ALL {
        for profile in Profile::ALL {
            let mut config = Config::default();
            (config.view, config.profile) = (*view, *profile);
            let tamiz = Canonicalizer::new(config);
            let documents: Vec<_> = requests().iter().map(|request| tamiz.canonicalize(request)).collect();
            let mut builder = Builder::default();
            let fingerprint = tamiz.fingerprint().as_str();
            let row =
                |document: &tamiz::Document| builder.push(&Row::new(document.as_str(), "wire", fingerprint));
            documents.iter().for_each(row);
            let batch = builder.finish();
            assert_eq!(batch.num_rows(), documents.len());
            for (row, document) in documents.iter().enumerate() {
                let json = serde_json::to_value(document).unwrap();
                for name in [
                    "http.request.method",
                    "url.full",
                    "url.path",
                    "url.query",
                    "tamiz.text",
                    "tamiz.fingerprint",
                ] {
                    assert_eq!(
                        text(&batch, name, row),
                        json.get(name).and_then(Value::as_str),
                        "{name} {document}"
                    );
                }
                let agents = json.get("http.request.header.user-agent").and_then(Value::as_array);
                if agents.is_none_or(|agents| agents.len() == 1) {
                    let told = json.get("user_agent.original").and_then(Value::as_str);
                    assert_eq!(text(&batch, "user_agent.original", row), told, "{document}");
                }
                let size =
                    batch.column_by_name("http.request.body.size").unwrap().as_primitive::<Int64Type>();
                let told = json.get("http.request.body.size").and_then(Value::as_i64);
                assert_eq!(size.is_valid(row).then(|| size.value(row)), told);
                let flags = batch.column_by_name("tamiz.flags").unwrap().as_list::<i32>().value(row);
                let flags: Vec<&str> = flags.as_string::<i32>().iter().flatten().collect();
                assert_eq!(flags, document.rollup().collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn servers_and_names_are_told() {
    let tamiz = Canonicalizer::new(Config::default());
    let document = tamiz.canonicalize(b"GET /a HTTP/1.1\r\nHost: ex.com:81\r\n\r\n");
    let mut builder = Builder::default();
    builder.push(&Row {
        id: Some("7"),
        label: Some("valid"),
        time: Some(1),
        ..Row::new(document.as_str(), "har", "f")
    });
    builder.push(&Row::new(document.as_str(), "wire", "f"));
    assert_eq!(builder.len(), 2);
    let batch = builder.finish();
    assert!(builder.is_empty());
    assert_eq!(
        (text(&batch, "server.address", 0), text(&batch, "url.scheme", 0)),
        (Some("ex.com"), Some("http"))
    );
    assert_eq!(batch.column_by_name("server.port").unwrap().as_primitive::<Int32Type>().value(0), 81);
    assert_eq!(
        batch.column_by_name("timestamp").unwrap().as_primitive::<TimestampMicrosecondType>().value(0),
        1
    );
    assert_eq!((text(&batch, "id", 0), text(&batch, "label", 0)), (Some("7"), Some("valid")));
    assert_eq!((text(&batch, "id", 1), text(&batch, "tamiz.source", 0)), (None, Some("har")));
}

#[test]
fn files_read_back_also_joined() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let tamiz = Canonicalizer::new(Config::default());
    for kind in [Kind::Parquet, Kind::Arrow] {
        let mut parts = Vec::new();
        let mut texts = Vec::new();
        for (part, requests) in requests().chunks(5).enumerate() {
            let mut builder = Builder::default();
            for request in requests {
                let document = tamiz.canonicalize(request);
                builder.push(&Row::new(document.as_str(), "wire", "f"));
                texts.push(document.to_string());
            }
            let path = folder.join(format!("part-{kind:?}-{part}"));
            let mut writer = Writer::new(std::fs::File::create(&path).unwrap(), kind, schema()).unwrap();
            writer.write(&builder.finish()).unwrap();
            writer.finish().unwrap();
            parts.push(path);
        }
        let joined = folder.join(format!("joined-{kind:?}"));
        join(&parts, std::fs::File::create(&joined).unwrap(), kind).unwrap();
        let reader = Reader::open(&joined, kind).unwrap();
        assert_eq!(reader.schema().fields(), schema().fields());
        let mut read = Vec::new();
        for batch in reader {
            let batch = batch.unwrap();
            read.extend(
                batch
                    .column_by_name("tamiz.text")
                    .unwrap()
                    .as_string::<i32>()
                    .iter()
                    .flatten()
                    .map(str::to_owned),
            );
        }
        assert_eq!(read, texts, "{kind:?}");
        let other = if kind == Kind::Parquet { Kind::Arrow } else { Kind::Parquet };
        assert!(Reader::open(&joined, other).is_err());
    }
}
