//! The flags of a document, each with its places and the bytes that raised it.

use std::ops::Range;

use tamiz::{Document, Flag, Raised, Weight};

use crate::visible::harmless;

/// Beyond so many, each is not looked at again for every row.
const MOST_RAISED: usize = 64;

/// One flag, or one word of it, wherever it was raised.
pub(crate) struct Mark<'d> {
    /// The flag; none for what somebody else points at.
    flag: Option<Flag>,
    pub(crate) weight: Weight,
    /// The flag as documents write it; without a parameter where it was raised for several.
    pub(crate) label: String,
    /// Each time it was raised, in the order of the document.
    pub(crate) raised: Vec<Raised<'d>>,
    /// The evidence of each of them, sorted and disjoint, where they are at most [`MOST_RAISED`].
    evidence: Vec<Vec<Range<usize>>>,
    /// The evidence of all of them; sorted, disjoint.
    pub(crate) ranges: Vec<Range<usize>>,
}

impl<'d> Mark<'d> {
    /// Its meaning, and why that matters; those of its parameter, where it has one.
    pub(crate) fn texts(&self) -> [&'static str; 2] {
        let parameter = self.label.split_once(':').map_or("", |(_, parameter)| parameter);
        self.flag.map_or(["", ""], |flag| [flag.meaning_of(parameter), flag.why_of(parameter)])
    }

    fn new(flag: Flag, raised: Vec<Raised<'d>>) -> Self {
        let few = raised.get(..MOST_RAISED.min(raised.len())).filter(|few| few.len() == raised.len());
        let few = few.unwrap_or_default().iter();
        let evidence = few.map(|raised| merged(raised.evidence().to_vec())).collect();
        // Keys that are not shown share their evidence.
        let mut slices: Vec<&[Range<usize>]> = raised.iter().map(Raised::evidence).collect();
        slices.sort_unstable_by_key(|slice| (slice.as_ptr(), slice.len()));
        slices.dedup_by_key(|slice| (slice.as_ptr(), slice.len()));
        let ranges = merged(slices.into_iter().flatten().cloned().collect());
        let (label, weight) = (label(raised.iter()), flag.weight());
        Mark { flag: Some(flag), weight, label, evidence, ranges, raised }
    }

    /// Marks ranges under a label of the caller's.
    pub(crate) fn pointed(label: &str, ranges: &[Range<usize>]) -> Self {
        let (label, ranges) = (harmless(label), merged(ranges.to_vec()));
        Mark { flag: None, weight: Weight::Notable, label, raised: Vec::new(), evidence: Vec::new(), ranges }
    }

    /// The label for what meets `range`.
    pub(crate) fn label_within(&self, range: &Range<usize>) -> String {
        if self.raised.len() > MOST_RAISED || self.flag.is_none() {
            return self.label.clone();
        }
        let here = self.raised.iter().zip(&self.evidence);
        label(here.filter(|(_, evidence)| !met(evidence, range).is_empty()).map(|(raised, _)| raised))
    }

    /// The evidence that meets `range`.
    pub(crate) fn within(&self, range: Range<usize>) -> &[Range<usize>] {
        met(&self.ranges, &range)
    }
}

/// The ranges, of sorted and disjoint ones, that meet `range`.
fn met<'r>(ranges: &'r [Range<usize>], range: &Range<usize>) -> &'r [Range<usize>] {
    let from = ranges.partition_point(|evidence| evidence.end <= range.start);
    let to = ranges.partition_point(|evidence| evidence.start < range.end);
    ranges.get(from..to).unwrap_or_default()
}

/// Every flag of a document, in the order it first appears; one whose words have texts of their own once for each word.
pub(crate) fn of(document: &Document) -> Vec<Mark<'_>> {
    type Key = (Flag, Option<&'static str>);
    let mut by_key: Vec<(Key, Vec<Raised<'_>>)> = Vec::new();
    for raised in document.flags() {
        let flag = raised.flag();
        let key = (flag, flag.classes().find(|class| raised.parameter() == Some(class)));
        match by_key.iter_mut().find(|(there, _)| *there == key) {
            Some((_, all)) => all.push(raised),
            None => by_key.push((key, vec![raised])),
        }
    }
    by_key.into_iter().map(|((flag, _), raised)| Mark::new(flag, raised)).collect()
}

fn label<'m>(mut raised: impl Iterator<Item = &'m Raised<'m>>) -> String {
    let Some(first) = raised.next() else {
        return String::new();
    };
    if raised.all(|other| other.parameter() == first.parameter()) {
        harmless(&first.to_string())
    } else {
        first.flag().name().to_owned()
    }
}

/// Sorts ranges and joins those that touch.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    ranges.dedup_by(|next, kept| {
        let touch = next.start <= kept.end;
        if touch {
            kept.end = kept.end.max(next.end);
        }
        touch
    });
    ranges
}

#[cfg(test)]
mod tests {
    use tamiz::{Canonicalizer, Config};

    use super::*;

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "ranges are meant")]
    fn one_mark_per_flag() {
        let request = b"GET /?a='&b='&c=1&c=2&d=1&d=2 HTTP/1.1\r\nHost: ex.com\r\nTE: x\r\n\r\n";
        let document = Canonicalizer::new(Config::default()).canonicalize_with_evidence(request);
        let marks = of(&document);
        let labels: Vec<String> = marks.iter().map(|mark| mark.label.clone()).collect();
        assert_eq!(labels, ["HOME", "QUOTE", "QREPEAT", "HOPBYHOP:te"]);
        assert_eq!(marks[1].ranges, [8..9, 12..13]);
        assert_eq!(marks[1].within(9..13), [12..13]);
        assert!(marks[1].within(9..12).is_empty());
        assert_eq!(marks[2].label_within(&(0..22)), "QREPEAT:c");
        assert_eq!(marks[2].label_within(&(0..40)), "QREPEAT");
    }

    #[test]
    fn each_class_of_words_has_a_mark_and_a_text_of_its_own() {
        let request = b"GET /?a=%27%20union%20select%201--&b=/etc/passwd&c=union%20select%201 HTTP/1.1\r\nHost: ex.com\r\n\r\n";
        let document = Canonicalizer::new(Config::default()).canonicalize_with_evidence(request);
        let marks = of(&document);
        let keywords: Vec<&Mark<'_>> = marks.iter().filter(|mark| mark.flag == Some(Flag::Kw)).collect();
        let labels: Vec<&str> = keywords.iter().map(|mark| mark.label.as_str()).collect();
        assert_eq!(labels, ["KW:sql", "KW:file"]);
        assert_eq!(keywords[0].raised.len(), 2);
        for (mark, word) in keywords.iter().zip(["sql", "file"]) {
            assert_eq!(mark.texts(), [Flag::Kw.meaning_of(word), Flag::Kw.why_of(word)]);
            assert_ne!(mark.texts()[0], Flag::Kw.meaning());
        }
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "ranges are meant")]
    fn ranges_are_merged() {
        assert_eq!(merged(vec![5..7, 1..2, 2..4, 6..9, 3..3]), [1..4, 5..9]);
        assert_eq!(merged(vec![1..9, 2..3]), [1..9]);
    }
}
