//! Chooses the output format: from `--format`, or from the name of the output.

use std::path::Path;

use clap::ValueEnum;

use super::columns::Columns;
use crate::failure::Failure;

/// Values of `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BatchFormat {
    Text,
    Jsonl,
    Tokens,
    Parquet,
    Arrow,
    /// The requests themselves, not redacted, as Parquet
    Requests,
}

/// Values of `--separator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Separator {
    Nul,
    Blank,
}

/// The kind of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowFormat {
    Text,
    Jsonl,
    Tokens,
    Columns(Columns),
}

/// Bytes before, between and after rows of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Joints {
    pub(crate) between: &'static [u8],
    pub(crate) behind: &'static [u8],
}

/// A format with all that follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Bytes(RowFormat, Joints),
    Columns(Columns),
}

impl Output {
    /// The output that the arguments ask for.
    ///
    /// # Errors
    /// When they do not tell, or a separator has no effect.
    pub(crate) fn of(
        format: Option<BatchFormat>,
        separator: Option<Separator>,
        out: &Path,
    ) -> Result<Self, Failure> {
        let format = format.or_else(|| guess(out)).ok_or_else(|| {
            if out.as_os_str() == "-" {
                return Failure::Usage(
                    "standard output has no name that tells the format: add '--format text', 'jsonl' or 'tokens'"
                        .to_owned(),
                );
            }
            Failure::Usage(format!(
                "the name of {} does not tell the format: add '--format text', 'jsonl', 'tokens', 'parquet' or 'arrow'",
                out.display()
            ))
        })?;
        if let (Some(columns), None) = (Columns::of(format)?, separator) {
            return Ok(Output::Columns(columns));
        }
        let joints = |between: &'static [u8], behind: &'static [u8]| Joints { between, behind };
        Ok(match (format, separator) {
            // A document ends with a line end: one more makes a blank line.
            (BatchFormat::Text, None | Some(Separator::Blank)) => {
                Output::Bytes(RowFormat::Text, joints(b"\n", b""))
            }
            (BatchFormat::Text, Some(Separator::Nul)) => Output::Bytes(RowFormat::Text, joints(b"", b"\0")),
            (BatchFormat::Tokens, None) => Output::Bytes(RowFormat::Tokens, joints(b"", b"\n")),
            (BatchFormat::Tokens, Some(Separator::Blank)) => {
                Output::Bytes(RowFormat::Tokens, joints(b"\n", b"\n"))
            }
            (BatchFormat::Tokens, Some(Separator::Nul)) => {
                Output::Bytes(RowFormat::Tokens, joints(b"", b"\0"))
            }
            (BatchFormat::Jsonl, None) => Output::Bytes(RowFormat::Jsonl, joints(b"", b"\n")),
            (BatchFormat::Jsonl | BatchFormat::Parquet | BatchFormat::Arrow | BatchFormat::Requests, _) => {
                return Err(Failure::Usage(
                    "only text and tokens have a separator: leave out '--separator'".to_owned(),
                ));
            }
        })
    }

    pub(crate) fn rows(self) -> RowFormat {
        match self {
            Output::Bytes(rows, _) => rows,
            Output::Columns(columns) => RowFormat::Columns(columns),
        }
    }

    /// Returns whether it holds requests as they are, with their secrets.
    pub(crate) fn holds_requests(self) -> bool {
        matches!(self, Output::Columns(columns) if columns.are_requests())
    }
}

fn guess(out: &Path) -> Option<BatchFormat> {
    match out.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "txt" | "text" => Some(BatchFormat::Text),
        "jsonl" | "ndjson" => Some(BatchFormat::Jsonl),
        "tokens" => Some(BatchFormat::Tokens),
        "parquet" => Some(BatchFormat::Parquet),
        "arrow" | "feather" | "ipc" => Some(BatchFormat::Arrow),
        _ => None,
    }
}
