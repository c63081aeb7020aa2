//! One request as it is learned or scored: its endpoint and the set of its tokens.

use tamiz::{Document, Source};

use crate::endpoint;
use crate::error::Error;
use crate::hash::hash;
use crate::token::{self, Parts};

/// A longer token is cut, and ends with its hash.
pub(crate) const LONGEST_TOKEN: usize = 160;

/// The endpoint and the tokens of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    pub(crate) endpoint: String,
    /// Sorted, each once.
    pub(crate) tokens: Vec<String>,
    pub(crate) source: Source,
}

impl Observation {
    /// Reads the tokens of a fresh document, and adds those of this crate: its endpoint, and each sign of a value
    /// together with the value's shape.
    ///
    /// # Errors
    /// When the document was read back, or is of view `literal`.
    pub fn of(document: &Document) -> Result<Self, Error> {
        Observation::check(document)?;
        let tokens = document.tokens();
        let source = document.source().unwrap_or(Source::Wire);
        Ok(Observation::from_tokens(endpoint::of(&tokens), tokens, source))
    }

    /// Makes sure that a document can be observed.
    pub(crate) fn check(document: &Document) -> Result<(), Error> {
        let fingerprint = document.fingerprint().ok_or(Error::ReadBack)?;
        let is_literal = |(name, value): &(&str, String)| *name == "view" && value == "literal";
        if fingerprint.components().iter().any(is_literal) { Err(Error::Literal) } else { Ok(()) }
    }

    fn from_tokens(endpoint: String, mut tokens: Vec<String>, source: Source) -> Self {
        tokens.retain(|token| !token.starts_with("f="));
        let mut pairs = pairs(&tokens);
        tokens.append(&mut pairs);
        tokens.push(format!("e={endpoint}"));
        for token in &mut tokens {
            shorten(token);
        }
        tokens.sort_unstable();
        tokens.dedup();
        Observation { endpoint, tokens, source }
    }

    /// The method and the path template.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// The flags, each with the kind of place that raises it: `q`, `b`, `h`, `p`, `u` or `m`.
    pub fn flags(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tokens.iter().filter_map(|token| token::flag(token))
    }

    /// The tokens, sorted.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }
}

/// Each sign of a value together with its shape. The tokens of a value follow each other, its shape first.
fn pairs(tokens: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    let mut shape = None;
    for token in tokens {
        let parts = Parts::of(token);
        let (Some(place), "q" | "b" | "h") = (parts.place, parts.kind) else { continue };
        let what = token.get(place.len() + 1..).unwrap_or_default();
        match parts.op {
            b'=' if !parts.measured => shape = Some((place, what)),
            b'~' => {
                if let Some((_, shape)) = shape.filter(|(same, _)| *same == place) {
                    out.push(format!("{place}&{shape}~{what}"));
                }
            }
            _ => {}
        }
    }
    out
}

/// Cuts a token that is too long.
pub(crate) fn shorten(token: &mut String) {
    if token.len() > LONGEST_TOKEN {
        let digest = hash(token.as_bytes());
        let end = (0..=LONGEST_TOKEN - 16).rev().find(|end| token.is_char_boundary(*end)).unwrap_or_default();
        token.truncate(end);
        token.push_str(&format!("…{digest:016x}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(list: &[&str]) -> Vec<String> {
        let list = list.iter().map(|token| (*token).to_owned()).collect();
        Observation::from_tokens("GET /".to_owned(), list, Source::Wire).tokens
    }

    #[test]
    fn signs_are_paired_with_the_shape_of_their_value() {
        let two = tokens(&["q.a", "q.a=mixed", "q.a=mixed@0-15", "q.a~'", "q.a=slug", "q.a~-", "q.b~("]);
        let pairs: Vec<&String> = two.iter().filter(|token| token.contains('&')).collect();
        assert_eq!(pairs, ["q.a&mixed~'", "q.a&slug~-"]);
    }

    #[test]
    fn long_tokens_are_cut_and_told_apart() {
        let long = |end: &str| format!("p=/{}{end}", "é".repeat(500));
        let (a, b) = (tokens(&[&long("a")]), tokens(&[&long("b")]));
        assert_ne!(a, b);
        assert!(a.iter().all(|token| token.len() <= LONGEST_TOKEN + 3));
    }
}
