//! All flags, a row each.

use std::io::{self, Write};

use tamiz::Flag;

use super::title;
use tamiz_explain::style;
use tamiz_explain::wrap::{width, wrap};

const HEAD: [&str; 5] = ["NAME", "FAMILY", "WEIGHT", "PROFILE", "MEANING"];
/// Meanings are not squeezed into less.
const FEWEST_COLUMNS: usize = 24;

/// Writes the table. On a terminal meanings wrap; elsewhere a flag is one line, so that tools
/// that work by lines find all of it.
pub(super) fn write(out: &mut impl Write, flags: &[Flag], terminal: Option<usize>) -> io::Result<()> {
    let rows: Vec<[String; 4]> = flags
        .iter()
        .map(|&flag| {
            [title(flag), flag.family().to_string(), flag.weight().to_string(), flag.profile().to_string()]
        })
        .collect();
    let [name, family, weight, profile, meaning] = HEAD;
    let column = |head: &str, of: fn(&[String; 4]) -> &String| {
        rows.iter().map(|row| width(of(row))).max().unwrap_or(0).max(head.len())
    };
    let widths = [
        column(name, |[name, ..]| name),
        column(family, |[_, family, ..]| family),
        column(weight, |[_, _, weight, _]| weight),
        column(profile, |[.., profile]| profile),
    ];
    let [w0, w1, w2, w3] = widths;
    let indent = widths.iter().map(|width| width + 2).sum();
    let room = terminal.map_or(usize::MAX, |columns| columns.saturating_sub(indent).max(FEWEST_COLUMNS));

    let strong = style::STRONG;
    writeln!(out, "{strong}{name:w0$}  {family:w1$}  {weight:w2$}  {profile:w3$}  {meaning}{strong:#}",)?;
    for (flag, [name, family, weight, profile]) in flags.iter().zip(&rows) {
        let colour = style::weight(flag.weight());
        let mut lines = wrap(flag.meaning(), room).into_iter();
        let first = lines.next().unwrap_or_default();
        writeln!(
            out,
            "{colour}{name:w0$}{colour:#}  {family:w1$}  {colour}{weight:w2$}{colour:#}  {profile:w3$}  {first}",
        )?;
        for line in lines {
            writeln!(out, "{:indent$}{line}", "")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(terminal: Option<usize>) -> String {
        let mut out = anstream::StripStream::new(Vec::new());
        write(&mut out, Flag::ALL, terminal).unwrap();
        String::from_utf8(out.into_inner()).unwrap()
    }

    #[test]
    fn a_flag_is_one_line_off_the_terminal() {
        assert_eq!(table(None).lines().count(), 1 + Flag::ALL.len());
    }

    #[test]
    fn meanings_wrap_on_a_terminal_and_lose_nothing() {
        let wide = table(None);
        let narrow = table(Some(100));
        assert!(narrow.lines().all(|line| line.chars().count() <= 100));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&narrow), words(&wide));
    }
}
