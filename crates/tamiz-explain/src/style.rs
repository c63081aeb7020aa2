//! Colours. Only the output knows whether they are shown.

use anstyle::{AnsiColor, Style};
use tamiz::Weight;

/// Headings and names.
pub const STRONG: Style = Style::new().bold();
/// Secondary text: gutters, escapes, omissions.
pub const FAINT: Style = Style::new().dimmed();
/// Secrets.
pub const SECRET: Style = AnsiColor::Magenta.on_default();

/// The colour of a flag.
pub fn weight(weight: Weight) -> Style {
    match weight {
        Weight::Evasion => AnsiColor::Red.on_default().bold(),
        Weight::Notable => AnsiColor::Yellow.on_default().bold(),
        _ => AnsiColor::Cyan.on_default(),
    }
}
