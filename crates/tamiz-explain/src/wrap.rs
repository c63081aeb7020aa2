//! Prose in lines of a given width.

use crate::visible::Glyph;

/// The columns a text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(|c| Glyph::of(c).width()).sum()
}

/// Cuts a text at its spaces into lines of at most `columns`; a longer word stands alone.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_lose_nothing() {
        let text = "the quick brown fox jumps over extraordinarily lazy dogs";
        let lines = wrap(text, 15);
        assert_eq!(lines, ["the quick brown", "fox jumps over", "extraordinarily", "lazy dogs"]);
        assert_eq!(lines.join(" "), text);
        assert_eq!(wrap("extraordinarily", 3), ["extraordinarily"]);
        assert_eq!(wrap(text, 1000), [text]);
    }
}
