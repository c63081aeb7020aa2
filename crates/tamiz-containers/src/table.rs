//! Logs whose own lines name their columns: those of the W3C's extended form and of Zeek.

use std::sync::Arc;

use crate::record::{Found, Reason};
use crate::{w3c, zeek};

/// Which form the lines have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    W3c,
    Zeek,
}

/// The columns, as far as they are known at some line; lines that begin with `#` change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    kind: Kind,
    /// The columns, by name.
    pub(crate) names: Vec<Vec<u8>>,
    pub(crate) separator: u8,
    /// The text that stands for a value that is not there.
    pub(crate) unset: Vec<u8>,
    /// The day of lines that have only a time of it.
    pub(crate) date: Option<Vec<u8>>,
}

impl Table {
    pub(crate) fn new(kind: Kind) -> Self {
        let separator = if kind == Kind::Zeek { b'\t' } else { b' ' };
        Table { kind, names: Vec::new(), separator, unset: b"-".to_vec(), date: None }
    }

    /// Takes note of a line that begins with `#`.
    pub(crate) fn note(table: &mut Arc<Table>, line: &[u8]) {
        let line = line.trim_ascii_end();
        let table = Arc::make_mut(table);
        match table.kind {
            Kind::W3c => w3c::note(table, line),
            Kind::Zeek => zeek::note(table, line),
        }
    }

    /// Reads a line; `None` if it is no request.
    pub(crate) fn read(&self, line: &[u8]) -> Option<Result<Found, Reason>> {
        if line.starts_with(b"#") {
            return None;
        }
        if self.names.is_empty() {
            if self.kind == Kind::W3c && w3c::is_preamble(line.trim_ascii_end()) {
                return None;
            }
            return Some(Err("a line before any that names its columns".into()));
        }
        match self.kind {
            Kind::W3c => w3c::read(self, line),
            Kind::Zeek => zeek::read(self, line),
        }
    }

    /// The value of a column, if it is there and set.
    pub(crate) fn value<'a>(&self, values: &[&'a [u8]], name: &str) -> Option<&'a [u8]> {
        let at = self.names.iter().position(|there| there.eq_ignore_ascii_case(name.as_bytes()))?;
        values.get(at).copied().filter(|value| *value != self.unset && !value.is_empty())
    }
}
