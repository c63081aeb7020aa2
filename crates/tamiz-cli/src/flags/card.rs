//! Everything about one flag.

use std::io::{self, Write};

use tamiz::Flag;

use super::title;
use crate::output;
use tamiz_explain::style;
use tamiz_explain::visible::{ELLIPSIS, Glyph, glyphs};
use tamiz_explain::wrap::wrap;

/// Writes the card.
pub(super) fn write(out: &mut impl Write, flag: Flag) -> io::Result<()> {
    let columns = output::columns();
    let colour = style::weight(flag.weight());
    writeln!(out, "{colour}{}{colour:#}", title(flag))?;
    for text in [flag.meaning(), flag.why()] {
        for line in wrap(text, columns.saturating_sub(2)) {
            writeln!(out, "  {line}")?;
        }
    }
    for class in flag.classes() {
        writeln!(out, "\n  {colour}{flag}:{class}{colour:#}")?;
        for text in [flag.meaning_of(class), flag.why_of(class)] {
            for line in wrap(text, columns.saturating_sub(4)) {
                writeln!(out, "    {line}")?;
            }
        }
    }
    writeln!(out)?;
    let faint = style::FAINT;
    for (what, value) in [
        ("family", flag.family().to_string()),
        ("weight", flag.weight().to_string()),
        ("profile", flag.profile().to_string()),
        ("clause", flag.clause().to_owned()),
    ] {
        writeln!(out, "  {faint}{what:<8}{faint:#} {value}")?;
    }
    for (what, request) in [("raised by", flag.raises()), ("not raised by", flag.near_miss())] {
        writeln!(out, "\n  {faint}{what}{faint:#}")?;
        for line in request.split_inclusive(|&byte| byte == b'\n') {
            writeln!(out, "    {}", shortened(line, columns.saturating_sub(4)))?;
        }
    }
    Ok(())
}

/// A line of a request in at most `columns`: what is too long loses its middle.
fn shortened(line: &[u8], columns: usize) -> String {
    let shown: Vec<Glyph> = glyphs(line).map(|(glyph, _)| glyph).collect();
    if shown.iter().map(|glyph| glyph.width()).sum::<usize>() <= columns {
        return shown.iter().map(Glyph::to_string).collect();
    }
    let half = columns.saturating_sub(1) / 2;
    let fit = |glyphs: &mut dyn Iterator<Item = &Glyph>| {
        let mut used = 0;
        glyphs
            .take_while(|glyph| {
                used += glyph.width();
                used <= half
            })
            .count()
    };
    let head = fit(&mut shown.iter());
    let tail = fit(&mut shown.iter().rev());
    let ends =
        |part: Option<&[Glyph]>| part.unwrap_or_default().iter().map(Glyph::to_string).collect::<String>();
    format!("{}{ELLIPSIS}{}", ends(shown.get(..head)), ends(shown.get(shown.len() - tail..)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_lose_their_middle() {
        assert_eq!(shortened(b"GET / HTTP/1.1\r\n", 40), r"GET / HTTP/1.1\r\n");
        let long = [b"GET /?a=", &[b'x'; 2000][..], b" HTTP/1.1\r\n"].concat();
        let shown = shortened(&long, 41);
        assert_eq!(shown, r"GET /?a=xxxxxxxxxxxx…xxxxxxx HTTP/1.1\r\n");
        assert_eq!(shown.chars().count(), 41);
    }

    #[test]
    fn every_flag_has_a_card_without_controls() {
        for &flag in Flag::ALL {
            let mut out = anstream::StripStream::new(Vec::new());
            write(&mut out, flag).unwrap();
            let card = String::from_utf8(out.into_inner()).unwrap();
            assert!(card.starts_with(flag.name()) && card.contains(flag.clause()));
            assert!(flag.classes().all(|class| card.contains(&format!("{flag}:{class}\n"))));
            assert!(!card.chars().any(|c| c.is_control() && c != '\n'), "{card}");
        }
    }
}
