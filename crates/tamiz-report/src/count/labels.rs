//! The labels of requests, by number.

use std::borrow::Cow;

/// The most labels that are told apart; those that come later count as one.
pub(crate) const MOST_LABELS: usize = 24;

/// The label of a request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Label {
    /// Nothing is said about it.
    None,
    /// As its container has it.
    Named(String),
    /// One of those that came after [`MOST_LABELS`].
    Other,
}

impl Label {
    /// How it is shown. No label of a container reads like the two that are not: those that begin as they do are
    /// quoted.
    pub(crate) fn shown(&self) -> Cow<'_, str> {
        /// A longer one is cut.
        const MOST: usize = 40;
        match self {
            Label::None => "(no label)".into(),
            Label::Other => "(other labels)".into(),
            Label::Named(name) if name.is_empty() || name.starts_with(['(', '"']) => {
                format!("\"{}\"", cut(name, MOST)).into()
            }
            Label::Named(name) => cut(name, MOST),
        }
    }
}

/// A text of at most so many characters.
pub(crate) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

/// All labels, in order of first appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels(Vec<Label>);

impl Labels {
    /// The number of a label, which is new or known.
    pub(crate) fn number(&mut self, label: Option<&str>) -> usize {
        let known = self.0.iter().position(|known| match (known, label) {
            (Label::None, None) => true,
            (Label::Named(name), Some(label)) => name == label,
            _ => false,
        });
        known.unwrap_or_else(|| {
            self.0.push(label.map_or(Label::None, |name| Label::Named(name.to_owned())));
            self.0.len() - 1
        })
    }

    /// Adds the labels of a part; which numbers here those have.
    pub(crate) fn absorb(&mut self, part: &Labels) -> Vec<usize> {
        let mut number = |label: &Label| {
            if let Some(known) = self.0.iter().position(|known| known == label) {
                return known;
            }
            if self.0.len() < MOST_LABELS {
                self.0.push(label.clone());
                return self.0.len() - 1;
            }
            self.0.iter().position(|known| *known == Label::Other).unwrap_or_else(|| {
                self.0.push(Label::Other);
                self.0.len() - 1
            })
        };
        part.0.iter().map(&mut number).collect()
    }

    pub(crate) fn get(&self, number: usize) -> &Label {
        self.0.get(number).unwrap_or(&Label::None)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_numbers_and_the_last_are_one() {
        let mut all = Labels::default();
        let mut part = Labels::default();
        assert_eq!((part.number(Some("b")), part.number(None), part.number(Some("b"))), (0, 1, 0));
        assert_eq!(all.absorb(&part), [0, 1]);
        let mut many = Labels::default();
        (0..100).for_each(|n| _ = many.number(Some(&n.to_string())));
        let map = all.absorb(&many);
        assert_eq!(all.len(), MOST_LABELS + 1);
        assert_eq!((map[0], map[21], map[22], map[99]), (2, 23, 24, 24));
        assert_eq!(*all.get(24), Label::Other);
    }

    #[test]
    fn no_label_reads_like_none() {
        for name in ["(no label)", "(other labels)", "", "\"(no label)\""] {
            let shown = Label::Named(name.to_owned()).shown().into_owned();
            assert!(shown.starts_with('"') && shown != Label::None.shown(), "{shown}");
        }
        assert_eq!(Label::Named("valid".to_owned()).shown(), "valid");
        assert_eq!(Label::Named("x".repeat(50)).shown().len(), 43);
    }
}
