//! The flags, the most telling first: where, what it means, why it matters.

use std::io::{self, Write};

use tamiz::{Raised, Weight};

use crate::marks::Mark;
use crate::style;
use crate::visible::harmless;
use crate::wrap::{width, wrap};

/// At most so many places of one flag are named.
const MOST_PLACES: usize = 8;

/// Writes the list.
pub(crate) fn write(out: &mut impl Write, marks: &[Mark<'_>], columns: usize) -> io::Result<()> {
    for &weight in Weight::ALL.iter().rev() {
        let mut of_weight = marks.iter().filter(|mark| mark.weight == weight).peekable();
        if of_weight.peek().is_none() {
            continue;
        }
        let colour = style::weight(weight);
        writeln!(out, "\n{colour}{weight}{colour:#}")?;
        for mark in of_weight {
            entry(out, mark, columns)?;
        }
    }
    Ok(())
}

fn entry(out: &mut impl Write, mark: &Mark<'_>, columns: usize) -> io::Result<()> {
    let colour = style::weight(mark.weight);
    let faint = style::FAINT;
    let absent = if mark.ranges.is_empty() { " (something is missing)" } else { "" };
    let indent = 2 + width(&mark.label) + 1;
    let places = wrap(&format!("at {}{absent}", places(mark)), columns.saturating_sub(indent));
    write!(out, "  {colour}{}{colour:#} ", mark.label)?;
    for (at, line) in places.iter().enumerate() {
        writeln!(out, "{:1$}{faint}{line}{faint:#}", "", if at == 0 { 0 } else { indent })?;
    }
    for text in mark.texts() {
        for line in wrap(text, columns.saturating_sub(6)) {
            writeln!(out, "      {line}")?;
        }
    }
    Ok(())
}

/// `p, q.a, q.b and 3 more`.
fn places(mark: &Mark<'_>) -> String {
    let named: Vec<String> = mark.raised.iter().take(MOST_PLACES).map(place).collect();
    let more = mark.raised.len().saturating_sub(MOST_PLACES);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", named.join(", "))
}

fn place(raised: &Raised<'_>) -> String {
    harmless(&raised.place().to_string())
}
