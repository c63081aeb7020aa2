//! The examples of `docs/batch.md` are read as it says.

mod common;

use tamiz_containers::{Format, Options};

/// The lines of the code blocks of a kind that stand under a heading.
fn shown(heading: &str, kind: &str) -> Vec<String> {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/batch.md")).unwrap();
    let (_, section) = guide.split_once(&format!("\n### {heading}\n")).expect("a heading");
    let section = section.split("\n### ").next().unwrap();
    let blocks = section.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix(kind));
    blocks.flat_map(str::lines).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn examples_are_read() {
    for (heading, kind, format) in
        [("JSON lines", "json\n", Format::Jsonl), ("Access logs", "text\n", Format::AccessLog)]
    {
        let lines = shown(heading, kind);
        assert!(lines.len() >= 3, "{heading}");
        for line in &lines {
            let records = common::read_bytes("x", line.as_bytes(), &Options::default());
            assert!(records.len() == 1 && records[0].is_ok(), "{line}: {records:?}");
        }
        let all = lines.join("\n");
        let container =
            tamiz_containers::Container::read("x", std::io::Cursor::new(all), &Options::default());
        assert_eq!(container.unwrap().format(), format);
    }
}

#[test]
fn every_format_has_a_row() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/batch.md")).unwrap();
    for format in Format::ALL {
        assert!(guide.contains(&format!("\n| `{format}` |")), "{format}");
    }
}
