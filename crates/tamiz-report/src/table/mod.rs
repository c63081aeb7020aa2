//! Summaries and differences for a terminal.

mod difference;
mod grid;
mod overview;
mod scores;

pub use difference::diff_table;
pub use overview::table;
