//! Archives and compressions: every entry is read once, and a bomb is one unreadable record.

mod common;

use std::io::{Cursor, Write};

use tamiz_containers::{Format, Options};
use zip::write::SimpleFileOptions;

const GET: &str = "GET /a HTTP/1.1\r\nHost: ex.com\r\n\r\n";
const LINES: &str = "{\"raw\":\"GET / HTTP/1.1\\r\\n\\r\\n\"}\n{\"raw\":\"GET /b HTTP/1.1\\r\\n\\r\\n\"}\n";

/// How many requests there are, and what is said of the rest.
fn told(name: &str, bytes: &[u8]) -> (usize, Vec<String>) {
    let records = common::read_bytes(name, bytes, &Options::default());
    let messages: Vec<String> =
        records.iter().filter_map(|record| record.as_ref().err()).map(ToString::to_string).collect();
    (records.len() - messages.len(), messages)
}

fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn tar_entry(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    header[148..156].fill(b' ');
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    header.extend_from_slice(content);
    header.resize(header.len().next_multiple_of(512), 0);
    header
}

fn tar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all: Vec<u8> =
        entries.iter().flat_map(|(name, content)| tar_entry(name, b'0', content)).collect();
    all.resize(all.len() + 1024, 0);
    all
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn every_entry_is_a_container() {
    let entries: &[(&str, &[u8])] = &[
        ("a.http", GET.as_bytes()),
        ("b/c.jsonl", LINES.as_bytes()),
        ("d.jsonl.gz", &gzip(LINES.as_bytes())),
    ];
    for (name, bytes) in [
        ("a.zip", zip(entries)),
        ("a.tar", tar(entries)),
        ("a.tgz", gzip(&tar(entries))),
        ("a.tar.xz", xz(&tar(entries))),
        ("a.tbz", bzip2(&tar(entries))),
        ("a.zip.gz", gzip(&zip(entries))),
        ("b.zip", zip(&[("a.tar", &tar(entries))])),
    ] {
        assert_eq!(told(name, &bytes), (5, vec![]), "{name}");
    }
    let records = common::read_bytes("a.zip", &zip(entries), &Options::default());
    assert_eq!(&*records[1].as_ref().unwrap().place.file, "a.zip/b/c.jsonl");
    let container =
        tamiz_containers::Container::read("a.zip", Cursor::new(zip(entries)), &Options::default());
    assert_eq!(container.unwrap().format(), Format::Archive);
}

#[test]
fn compressions_are_seen_through_also_joined() {
    for compress in [gzip, bzip2, xz] {
        let joined = [compress(LINES.as_bytes()), compress(LINES.as_bytes())].concat();
        assert_eq!(told("a", &joined), (4, vec![]));
        let many = LINES.repeat(20_000);
        let whole = compress(many.as_bytes());
        let (_, messages) = told("a", &whole[..whole.len() / 2]);
        assert!(messages.len() == 1 && messages[0].contains("the compressed data"), "{messages:?}");
    }
}

#[test]
fn sessions_of_fiddler() {
    let saz = zip(&[
        ("_index.htm", b"<html>"),
        ("raw/1_c.txt", GET.as_bytes()),
        ("raw/1_s.txt", b"HTTP/1.1 200 OK\r\n\r\n"),
        ("raw/1_m.xml", b"<Session/>"),
        ("raw/2_c.txt", b"nonsense is a request, too"),
    ]);
    assert_eq!(told("a.saz", &saz), (2, vec![]));
}

#[test]
fn archives_that_are_damaged() {
    let whole = zip(&[("a.http", GET.as_bytes()), ("b.jsonl", LINES.repeat(50).as_bytes())]);
    let (read, messages) = told("a.zip", &whole[..whole.len() / 2]);
    assert_eq!(
        (read, messages),
        (0, vec!["a.zip: a ZIP archive whose directory is damaged or missing".to_owned()])
    );
    let mut damaged = whole.clone();
    damaged[45] ^= 0xFF;
    let (_, messages) = told("a.zip", &damaged);
    assert!(messages.iter().any(|message| message.starts_with("a.zip/a.http")), "{messages:?}");
    let whole = tar(&[("a.http", GET.as_bytes()), ("b.jsonl", LINES.as_bytes())]);
    let (read, messages) = told("a.tar", &whole[..1100]);
    assert_eq!((read, messages), (1, vec!["a.tar: the archive ends early".to_owned()]));
    let mut damaged = whole.clone();
    damaged[1030] ^= 0xFF;
    assert_eq!(
        told("a.tar", &damaged),
        (1, vec!["a.tar: a header of the archive that is damaged".to_owned()])
    );
}

#[test]
fn what_is_no_file_is_named() {
    let mut all = tar_entry("folder/", b'5', b"");
    all.extend(tar_entry("link", b'2', b""));
    all.extend(tar_entry("fifo", b'6', b""));
    all.extend(tar_entry(".hidden", b'0', b"x"));
    all.extend(tar(&[("a.http", GET.as_bytes())]));
    let (read, messages) = told("a.tar", &all);
    assert_eq!(read, 1);
    assert_eq!(
        messages,
        [
            "a.tar/link: a link, which is not followed",
            "a.tar/fifo: no regular file, so it is not read",
            "a.tar/.hidden: hidden, so it is not read"
        ]
    );
    let long = "d/".repeat(60) + "a.http";
    let mut named = tar_entry("././@LongLink", b'L', long.as_bytes());
    named.extend(tar(&[("short", GET.as_bytes())]));
    let records = common::read_bytes("a.tar", &named, &Options::default());
    assert_eq!(&*records[0].as_ref().unwrap().place.file, format!("a.tar/{long}"));
}

/// Data that expands without end, and archives in archives.
#[test]
fn bombs_are_one_unreadable_record() {
    // Half a gigabyte of spaces, which no reader keeps.
    let spaces = vec![b' '; 8 << 20];
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    encoder.write_all(LINES.as_bytes()).unwrap();
    for _ in 0..40 {
        encoder.write_all(&spaces).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    let (_, messages) = told("a.bz2", &bomb);
    assert!(
        messages.iter().any(|message| message.contains("longer than") || message.contains("bombs")),
        "{messages:?}"
    );
    let mut nested = zip(&[("a.http", GET.as_bytes())]);
    for _ in 0..6 {
        nested = zip(&[("a.zip", &nested)]);
    }
    let (read, messages) = told("a.zip", &nested);
    assert_eq!(read, 0);
    assert!(messages.len() == 1 && messages[0].contains("too deep"), "{messages:?}");
}
