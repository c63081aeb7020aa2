//! Variables of collections: `{{name}}`, which stands for text that is given elsewhere.

use std::collections::BTreeMap;

/// Names and what they stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables(BTreeMap<String, String>);

/// The most variables whose values hold one another.
const DEEPEST: usize = 4;
/// The longest text that comes of one.
const LONGEST: usize = 1 << 20;

impl Variables {
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.0.insert(name.trim().to_owned(), value.to_owned());
    }

    /// The text with what its variables stand for; those that nobody gives stay as they are.
    pub(crate) fn fill(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..DEEPEST {
            let (filled, is_changed) = self.pass(&text);
            text = filled;
            if !is_changed || text.len() > LONGEST {
                break;
            }
        }
        text
    }

    fn pass(&self, text: &str) -> (String, bool) {
        let (mut out, mut rest, mut is_changed) = (String::new(), text, false);
        while let Some((before, inner)) = rest.split_once("{{") {
            out.push_str(before);
            let Some((name, after)) = inner.split_once("}}") else {
                out.push_str("{{");
                rest = inner;
                break;
            };
            match self.0.get(name.trim()) {
                Some(value) => {
                    out.push_str(value);
                    is_changed = true;
                }
                None => {
                    out.push_str("{{");
                    out.push_str(name);
                    out.push_str("}}");
                }
            }
            rest = after;
        }
        out.push_str(rest);
        (out, is_changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in() {
        let mut variables = Variables::default();
        variables.set("host", "https://{{ name }}:8080");
        variables.set("name", "ex.com");
        variables.set("loop", "x{{loop}}{{loop}}");
        assert_eq!(variables.fill("{{host}}/a?b={{ other }}"), "https://ex.com:8080/a?b={{ other }}");
        assert_eq!(variables.fill("{{host"), "{{host");
        assert!(variables.fill("{{loop}}").len() < LONGEST);
    }
}
