//! Summaries and differences for a terminal.

mod difference;
mod grid;
mod overview;

pub use difference::diff_table;
pub use overview::table;
