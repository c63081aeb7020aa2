//! Everything about one flag.

use std::io::{self, Write};

use tamiz::Flag;
use tamiz_detector::Prior;

use super::title;
use crate::output;
use tamiz_explain::named::Named;
use tamiz_explain::style;
use tamiz_explain::visible::{ELLIPSIS, Glyph, glyphs};
use tamiz_explain::wrap::wrap;

/// Writes the card of a flag; with a word after its colon that has a text of its own, of that alone.
pub(super) fn write(out: &mut impl Write, Named { flag, parameter }: Named<'_>) -> io::Result<()> {
    let columns = output::columns();
    let colour = style::weight(flag.weight());
    let word = parameter.filter(|word| flag.classes().any(|class| class == *word));
    let title = word.map_or_else(|| title(flag), |word| format!("{flag}:{word}"));
    writeln!(out, "{colour}{title}{colour:#}")?;
    let word = word.unwrap_or_default();
    for text in [flag.meaning_of(word), flag.why_of(word)] {
        for line in wrap(text, columns.saturating_sub(2)) {
            writeln!(out, "  {line}")?;
        }
    }
    for class in flag.classes().filter(|_| word.is_empty()) {
        writeln!(out, "\n  {colour}{flag}:{class}{colour:#}")?;
        for text in [flag.meaning_of(class), flag.why_of(class)] {
            for line in wrap(text, columns.saturating_sub(4)) {
                writeln!(out, "    {line}")?;
            }
        }
    }
    writeln!(out)?;
    let faint = style::FAINT;
    let mut rows = vec![
        ("family", flag.family().to_string()),
        ("weight", flag.weight().to_string()),
        ("profile", flag.profile().to_string()),
        ("clause", flag.clause().to_owned()),
    ];
    if !flag.words().is_empty() {
        rows.push(("words", flag.words().join(", ")));
    }
    for (name, ratios) in ratios(flag, word) {
        let name = if name == flag.name() { String::new() } else { format!("{name} ") };
        let text = format!("{name}{ratios} times as often in public attacks as in public honest requests");
        rows.push(("prior", text));
    }
    for (what, text) in rows {
        for (at, line) in wrap(&text, columns.saturating_sub(11)).into_iter().enumerate() {
            let what = if at == 0 { what } else { "" };
            writeln!(out, "  {faint}{what:<8}{faint:#} {line}")?;
        }
    }
    for (what, request) in [("raised by", flag.raises()), ("not raised by", flag.near_miss())] {
        writeln!(out, "\n  {faint}{what}{faint:#}")?;
        for line in request.split_inclusive(|&byte| byte == b'\n') {
            writeln!(out, "    {}", shortened(line, columns.saturating_sub(4)))?;
        }
    }
    Ok(())
}

/// The flag, or each of its words (or only `word`), and by kind of place how many times as often attacks raise it.
fn ratios(flag: Flag, word: &str) -> Vec<(String, String)> {
    let names = [flag.name().to_owned()].into_iter();
    let classes = flag.classes().filter(|class| word.is_empty() || *class == word);
    let names = names.chain(classes.map(|class| format!("{flag}:{class}")));
    let told = |name: String| {
        let ratios = Prior::shipped().ratios(&name);
        let places: Vec<String> =
            ratios.iter().map(|(kind, ratio)| format!("{} {}", place(kind), shown(*ratio))).collect();
        (!places.is_empty()).then(|| (name, places.join(", ")))
    };
    names.filter_map(told).collect()
}

/// A kind of place in words.
fn place(kind: &str) -> &str {
    match kind {
        "q" => "query",
        "b" => "body",
        "h" => "headers",
        "p" => "path",
        "u" => "URL",
        "m" => "method",
        other => other,
    }
}

/// A ratio in two digits or so.
fn shown(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
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

    fn card(name: &str) -> String {
        let mut out = anstream::StripStream::new(Vec::new());
        write(&mut out, Named::read(name).unwrap()).unwrap();
        String::from_utf8(out.into_inner()).unwrap()
    }

    #[test]
    fn a_word_with_a_text_of_its_own_has_a_card_of_its_own() {
        let card = card("KW:sql");
        assert!(card.starts_with("KW:sql\n  A statement, function or condition of SQL.\n"), "{card}");
        assert!(card.contains("  prior    KW:sql ") && !card.contains("KW:js"), "{card}");
    }

    #[test]
    fn words_are_listed() {
        assert!(
            card("SERIAL").contains("  words    dotnet, java, php, python, ruby\n"),
            "{}",
            card("SERIAL")
        );
        assert!(!card("DOTDOT").contains("  words "), "{}", card("DOTDOT"));
    }

    #[test]
    fn long_lines_lose_their_middle() {
        assert_eq!(shortened(b"GET / HTTP/1.1\r\n", 40), r"GET / HTTP/1.1\r\n");
        let long = [b"GET /?a=", &[b'x'; 2000][..], b" HTTP/1.1\r\n"].concat();
        let shown = shortened(&long, 41);
        assert_eq!(shown, r"GET /?a=xxxxxxxxxxxx…xxxxxxx HTTP/1.1\r\n");
        assert_eq!(shown.chars().count(), 41);
    }

    #[test]
    fn cards_tell_how_much_more_often_attacks_raise_a_flag() {
        let quote = card("QUOTE");
        assert!(quote.contains("  prior    ") && quote.contains("query "), "{quote}");
        assert!(card("KW").contains("  prior    KW:"), "{}", card("KW"));
    }

    #[test]
    fn every_flag_has_a_card_without_controls() {
        for &flag in Flag::ALL {
            let card = card(flag.name());
            assert!(card.starts_with(flag.name()) && card.contains(flag.clause()));
            assert!(flag.classes().all(|class| card.contains(&format!("{flag}:{class}\n"))));
            assert!(!card.chars().any(|c| c.is_control() && c != '\n'), "{card}");
        }
    }
}
