//! Every format that is said to be read: a sample of each is detected and read, and a corrupted one is told.

mod collections;
#[path = "../common/mod.rs"]
mod common;
mod logs;
#[cfg(feature = "parquet")]
mod parquet_files;

use std::io::Cursor;

use tamiz_containers::{Container, Format, Options, Record, Request, Unreadable};

/// A sample of a format, all of it the request `GET /a?b=1`, and a corrupted one.
struct Sample {
    name: &'static str,
    format: Format,
    good: Vec<u8>,
    bad: Vec<u8>,
}

fn sample(name: &'static str, format: Format, good: &str, bad: &str) -> Sample {
    Sample { name, format, good: good.as_bytes().to_vec(), bad: bad.as_bytes().to_vec() }
}

const GET: &str = "GET /a?b=1 HTTP/1.1\r\nHost: ex.com\r\n\r\n";

/// The format that is found, and the records.
fn read(bytes: &[u8]) -> (Option<Format>, Vec<Result<Record, Unreadable>>) {
    match Container::read("in", Cursor::new(bytes.to_vec()), &Options::default()) {
        Ok(container) => (Some(container.format()), container.into_iter().collect()),
        Err(unreadable) => (None, vec![Err(unreadable)]),
    }
}

/// Method and target.
fn line(record: &Record) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    match &record.request {
        Request::Raw(bytes) => {
            let line = text(bytes.split(|byte| *byte == b'\r' || *byte == b'\n').next().unwrap());
            let mut words = line.split(' ').map(str::to_owned);
            (words.next().unwrap(), words.next().unwrap())
        }
        Request::Parts(parts) => (text(&parts.method), text(&parts.target)),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check(sample: &Sample) {
    let name = sample.name;
    let (format, records) = read(&sample.good);
    assert_eq!(format, Some(sample.format), "{name}: {records:?}");
    let [Ok(record)] = &records[..] else { panic!("{name}: {records:?}") };
    assert_eq!(line(record), ("GET".to_owned(), "/a?b=1".to_owned()), "{name}");
    let (_, records) = read(&sample.bad);
    let told: Vec<String> =
        records.iter().filter_map(|record| record.as_ref().err()).map(ToString::to_string).collect();
    assert_eq!(told.len(), 1, "{name}: {records:?}");
    assert!(!told[0].contains("/a?b=1") && !told[0].contains("ex.com"), "{name}: {}", told[0]);
}

#[test]
fn logs_that_name_their_columns() {
    logs::tables().iter().for_each(check);
}

#[test]
fn logs_of_text() {
    logs::of_text().iter().for_each(check);
}

#[test]
fn logs_of_json() {
    logs::of_json().iter().for_each(check);
}

#[test]
fn collections_and_exports() {
    collections::written_and_saved().iter().for_each(check);
}

/// As files come from Windows, from an editor, out of an archive of logs, and from a program that was stopped.
#[test]
fn ends_of_lines_marks_and_gzip() {
    let mut samples = logs::tables();
    samples.extend(logs::of_text());
    samples.extend(logs::of_json());
    samples.extend(collections::written_and_saved());
    for sample in samples {
        let Sample { name, format, good, .. } = &sample;
        let text = String::from_utf8(good.clone()).unwrap();
        let with_lines = text.replace("\r\n", "\n").replace('\n', "\r\n");
        // Others say how many bytes a record has.
        let is_of_lines = !matches!(format, Format::Warc | Format::Mitmproxy);
        let variations = [
            ("gzip", collections::gzip(good)),
            ("ends of lines", if is_of_lines { with_lines.into_bytes() } else { good.clone() }),
            ("mark", if is_of_lines { [&b"\xEF\xBB\xBF"[..], good].concat() } else { good.clone() }),
            ("no last end", if is_of_lines { text.trim_end().into() } else { good.clone() }),
        ];
        for (variation, bytes) in variations {
            let (found, records) = read(&bytes);
            assert_eq!(found, Some(*format), "{name}, {variation}: {records:?}");
            let requests: Vec<&Record> = records.iter().filter_map(|record| record.as_ref().ok()).collect();
            assert!(requests.len() == 1 && records.len() == 1, "{name}, {variation}: {records:?}");
            assert_eq!(line(requests[0]), ("GET".to_owned(), "/a?b=1".to_owned()), "{name}, {variation}");
        }
    }
}

#[test]
fn archives_and_compressions() {
    collections::archives().iter().for_each(check);
}

#[test]
fn sessions_of_zap_say_what_to_export() {
    for text in [
        "<?xml version=\"1.0\"?>\n<session><sessionId>1</sessionId></session>",
        "#HSQL Database Engine 2.7.2\nversion=2.7.2\n",
        "SET DATABASE UNIQUE NAME HSQLDB8A\nCREATE SCHEMA PUBLIC AUTHORIZATION DBA\n",
    ] {
        let (format, records) = read(text.as_bytes());
        let [Err(unreadable)] = &records[..] else { panic!("{records:?}") };
        assert!(format.is_none() && unreadable.to_string().contains("export"), "{unreadable}");
    }
}
