//! Standard output: raw for documents, coloured for people.

use std::io::{self, BufWriter, IsTerminal, StdoutLock};

use anstream::{AutoStream, ColorChoice};
use terminal_size::Width;

use crate::args::ColorWhen;

/// The columns of what is no terminal.
const COLUMNS: usize = 100;
/// The columns below which nothing useful can be shown.
const FEWEST_COLUMNS: usize = 40;

/// Standard output, byte for byte.
pub(crate) fn raw() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Standard output with colours where they are wanted: `NO_COLOR` and the like are honoured.
pub(crate) fn coloured(when: ColorWhen) -> BufWriter<AutoStream<StdoutLock<'static>>> {
    let choice = match when {
        ColorWhen::Auto => ColorChoice::Auto,
        ColorWhen::Always => ColorChoice::Always,
        ColorWhen::Never => ColorChoice::Never,
    };
    BufWriter::new(AutoStream::new(io::stdout().lock(), choice))
}

/// The width of the terminal that standard output is, if it is one.
pub(crate) fn terminal_columns() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let (Width(columns), _) = terminal_size::terminal_size()?;
    Some(usize::from(columns).max(FEWEST_COLUMNS))
}

/// The width to lay text out in.
pub(crate) fn columns() -> usize {
    terminal_columns().unwrap_or(COLUMNS)
}
