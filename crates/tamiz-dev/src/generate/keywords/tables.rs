//! Lays tables out in one file of bytes, with the code that names them.

use std::fmt::Write as _;

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

    /// How many bytes it has.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// The tables one after the other, and a line of `tables!` for each of them.
pub(super) fn lay_out(sections: &[Section]) -> (Vec<u8>, String) {
    let (mut all, mut code) = (Vec::new(), String::new());
    for Section { name, doc, record, bytes } in sections {
        let start = all.len();
        all.extend_from_slice(bytes);
        let len = record.unwrap_or(1);
        let kind = if record.is_some() { format!("Records<{len}, ") } else { "Bytes<".to_owned() };
        let _ = write!(code, "\n    /// {doc}\n    {name}: {kind}{}> = {start};\n", bytes.len() / len);
    }
    (all, code)
}
