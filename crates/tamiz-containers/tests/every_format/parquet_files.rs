//! Parquet, with every compression that it has, in memory as well as from a file.

use std::io::{Cursor, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;
use tamiz_containers::{Format, Options};

use crate::{GET, Sample, check, common, read};

fn file(compression: Compression) -> Vec<u8> {
    let raw: ArrayRef = Arc::new(BinaryArray::from(vec![GET.as_bytes()]));
    let batch = RecordBatch::try_from_iter([("raw", raw)]).unwrap();
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn every_compression() {
    for (name, compression) in [
        ("not compressed", Compression::UNCOMPRESSED),
        ("Snappy", Compression::SNAPPY),
        ("gzip", Compression::GZIP(GzipLevel::default())),
        ("Brotli", Compression::BROTLI(BrotliLevel::default())),
        ("LZ4 of Hadoop", Compression::LZ4),
        ("LZ4", Compression::LZ4_RAW),
        ("Zstandard", Compression::ZSTD(ZstdLevel::default())),
    ] {
        let good = file(compression);
        let bad = good[..good.len() - 3].to_vec();
        check(&Sample { name, format: Format::Parquet, good, bad });
    }
}

#[test]
fn within_an_archive() {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in ["a.parquet", "b.parquet"] {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(&file(Compression::SNAPPY)).unwrap();
    }
    let (format, records) = read(&writer.finish().unwrap().into_inner());
    assert_eq!((format, records.iter().filter(|record| record.is_ok()).count()), (Some(Format::Archive), 2));
}

#[test]
fn more_than_memory_may_hold() {
    let mut options = Options::default();
    options.record_limit = 64;
    let records = common::read_bytes("in", &file(Compression::SNAPPY), &options);
    let [Err(unreadable)] = &records[..] else { panic!("{records:?}") };
    assert!(unreadable.to_string().contains("put it into one"), "{unreadable}");
}
