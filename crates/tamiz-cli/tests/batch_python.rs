//! Other programs read the output of `tamiz batch`: PyArrow reads Parquet and Arrow files, and finds in them
//! what JSON lines say of the same requests.

mod common;

use std::fs;
use std::process::{Command, Stdio};

use common::{example_requests, file, scratch, tamiz};

/// Reads both files, and compares them with the JSON lines.
const SCRIPT: &str = r#"
import json, sys
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet

parquet_path, arrow_path, lines_path = sys.argv[1:]
lines = [json.loads(line) for line in open(lines_path, encoding="utf-8")]
for table in (parquet.read_table(parquet_path), feather.read_table(arrow_path)):
    assert table.schema.field("tamiz.flags").type == pa.list_(pa.field("item", pa.string(), nullable=False)), table.schema
    assert table.schema.field("timestamp").type == pa.timestamp("us", tz="UTC"), table.schema
    rows = table.to_pylist()
    assert len(rows) == len(lines) and lines, len(rows)
    for row, line in zip(rows, lines):
        for name in ("id", "label", "http.request.method", "url.full", "url.path", "url.query",
                     "http.request.body.size", "tamiz.text", "tamiz.fingerprint", "tamiz.source"):
            assert row[name] == line.get(name), name
        flags = {flag["name"] + (":" + flag["parameter"] if "parameter" in flag else "") for flag in line["tamiz.flags"]}
        assert set(row["tamiz.flags"]) == flags, row["tamiz.flags"]
print(len(lines))
"#;

/// A Python with PyArrow: that of `cargo x test`, or the one that is here.
fn python() -> Option<String> {
    let python = std::env::var("TAMIZ_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_pyarrow = Command::new(&python)
        .args(["-c", "import pyarrow.parquet, pyarrow.feather"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if has_pyarrow {
        return Some(python);
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "there is no Python with pyarrow: run `cargo x test`, which installs it"
    );
    eprintln!("skipped: there is no Python with pyarrow here (`cargo x test` installs it)");
    None
}

#[test]
fn pyarrow_reads_parquet_and_arrow() {
    let Some(python) = python() else { return };
    let dir = scratch("batch-python");
    let mut lines = String::new();
    for (n, path) in example_requests().iter().enumerate() {
        let raw = data_encoding::BASE64.encode(&fs::read(path).expect("an example"));
        lines.push_str(&format!(
            "{{\"id\":\"é{n}\",\"label\":\"valid\",\"time\":1.5,\"raw_b64\":\"{raw}\"}}\n"
        ));
    }
    let input = file(&dir, "in.jsonl", lines.repeat(200));
    let mut paths = Vec::new();
    for name in ["out.parquet", "out.arrow", "out.jsonl"] {
        let out = dir.join(name);
        // In several parts, so that what is joined is read, too.
        let run = tamiz([
            "batch",
            input.to_str().unwrap(),
            "-o",
            out.to_str().unwrap(),
            "--checkpoint",
            "700",
            "-q",
        ]);
        run.ok();
        paths.push(out);
    }
    let output = Command::new(python).args(["-c", SCRIPT]).args(&paths).output().expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let count = example_requests().len() * 200;
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), count.to_string());
}
