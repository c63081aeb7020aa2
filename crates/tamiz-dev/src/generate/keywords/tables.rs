//! Lays tables out in one file of bytes, with the code that names them.

use std::fmt::Write as _;

use crate::Result;

/// A table.
pub(super) struct Section {
    name: &'static str,
    doc: &'static str,
    /// The length of a record; bytes where there is none.
    record: Option<usize>,
    bytes: Vec<u8>,
}

impl Section {
    /// A table of bytes.
    pub(super) fn bytes(name: &'static str, doc: &'static str, bytes: Vec<u8>) -> Self {
        Section { name, doc, record: None, bytes }
    }

    /// A table of records, each of `record` bytes.
    pub(super) fn records(name: &'static str, doc: &'static str, record: usize, bytes: Vec<u8>) -> Self {
        Section { name, doc, record: Some(record), bytes }
    }
}

/// Three bytes of a number, lowest first.
pub(super) fn u24(number: usize) -> Result<[u8; 3]> {
    match u32::try_from(number)?.to_le_bytes() {
        [a, b, c, 0] => Ok([a, b, c]),
        _ => Err("a table is too long".into()),
    }
}

/// The tables one after the other, and a static for each of them.
pub(super) fn lay_out(sections: &[Section]) -> (Vec<u8>, String) {
    let (mut all, mut code) = (Vec::new(), String::new());
    for Section { name, doc, record, bytes } in sections {
        let start = all.len();
        all.extend_from_slice(bytes);
        let (kind, count) = match record {
            None => ("u8".to_owned(), bytes.len()),
            Some(len) => (format!("[u8; {len}]"), bytes.len() / len),
        };
        let read = if record.is_some() { "records" } else { "bytes" };
        let _ = write!(
            code,
            "\n/// {doc}\npub(super) static {name}: &[{kind}; {count}] = {read}(ALL, {start}, {});\n",
            all.len()
        );
    }
    (all, code)
}
