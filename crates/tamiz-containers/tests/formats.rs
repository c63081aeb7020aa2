//! Every container of the corpus is read, or refused with a reason: what is read of each is kept in
//! `formats.tsv`. After a wanted change: `TAMIZ_CORPUS_WRITE=1 cargo test -p tamiz-containers --test formats`.

mod common;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use tamiz_containers::{Container, Input, Options};

#[test]
fn counts_of_the_corpus() {
    let Some(corpus) = common::corpus() else { return };
    let formats = corpus.join("formats");
    let manifest = fs::read_to_string(formats.join("MANIFEST.tsv")).unwrap();
    let mut files: Vec<&str> = manifest.lines().skip(1).map(|row| row.split('\t').next().unwrap()).collect();
    files.sort_unstable();
    let mut table = String::from("file\tformat\trequests\tunreadable\treasons\n");
    for file in files {
        let path = formats.join(file);
        let format = Container::open(&Input::of(&path), &Options::default())
            .map_or_else(|_| "-".to_owned(), |container| container.format().to_string());
        let (mut requests, mut unreadable, mut notices) = (0, 0, 0);
        let mut reasons = BTreeMap::<String, u64>::new();
        for record in common::read_file(&path, &Options::default()) {
            match record {
                Ok(_) => requests += 1,
                // What is told beside the records.
                Err(error) if error.is_notice => notices += 1,
                Err(error) => {
                    unreadable += 1;
                    *reasons.entry(error.reason.into_owned()).or_default() += 1;
                }
            }
        }
        let reasons: Vec<String> =
            reasons.iter().map(|(reason, count)| format!("{count} × {reason}")).collect();
        assert!(
            requests + unreadable + notices > 0 || format == "pcap" || format == "jsonl",
            "{file}: nothing is told of it"
        );
        writeln!(table, "{file}\t{format}\t{requests}\t{unreadable}\t{}", reasons.join("; ")).unwrap();
    }
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats.tsv");
    if std::env::var_os("TAMIZ_CORPUS_WRITE").is_some() {
        fs::write(&kept, &table).unwrap();
    }
    let before = fs::read_to_string(&kept).unwrap_or_default();
    let differs = before.lines().zip(table.lines()).find(|(before, now)| before != now);
    assert_eq!(differs, None, "what is read has changed (the second is new)");
    assert_eq!(before.lines().count(), table.lines().count());
}
