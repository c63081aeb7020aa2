//! The clauses of `spec/canonical-form.md`, for linking to them and for checking that the flag
//! registry and the index of flags in that text agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use tamiz::Flag;

use crate::Result;

/// The specification.
const FILE: &str = "spec/canonical-form.md";

/// The facts that are extracted from the specification's text.
#[derive(Debug, Default)]
pub(super) struct Clauses {
    /// The anchor of each section, by its number.
    sections: BTreeMap<String, String>,
    /// The number of each clause.
    clauses: BTreeSet<String>,
    /// The first clause that the index names for each flag.
    index: BTreeMap<String, String>,
}

impl Clauses {
    /// Reads the specification.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let text = fs::read_to_string(root.join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
        Ok(Clauses::of(&text))
    }

    fn of(text: &str) -> Self {
        let mut all = Clauses::default();
        let mut in_index = false;
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("## ") {
                in_index = heading.ends_with("Index of flags");
                if let Some((number, _)) = heading.split_once(". ") {
                    all.sections.insert(number.to_owned(), anchor(heading));
                }
            } else if let Some((number, _)) = line.strip_prefix("**").and_then(|rest| rest.split_once(' ')) {
                all.clauses.insert(number.to_owned());
            } else if in_index && line.starts_with("| `") {
                let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
                for pair in cells.chunks_exact(2).filter(|pair| !pair[0].is_empty()) {
                    let first = pair[1].split(',').next().unwrap_or_default();
                    all.index.insert(pair[0].trim_matches('`').to_owned(), first.to_owned());
                }
            }
        }
        all
    }

    /// A link to a clause, from a file beside the specification. Only sections have anchors.
    pub(super) fn link(&self, clause: &str) -> String {
        let section = clause.split('.').next().unwrap_or_default();
        match self.sections.get(section) {
            Some(anchor) => format!("[{clause}](canonical-form.md#{anchor})"),
            None => clause.to_owned(),
        }
    }

    /// Checks that every flag names the clause that the index names, and that the clause exists.
    pub(super) fn check(&self) -> Result<()> {
        let registry: Vec<(&str, &str)> = Flag::ALL.iter().map(|flag| (flag.name(), flag.clause())).collect();
        let problems = self.problems(&registry);
        if problems.is_empty() {
            return Ok(());
        }
        Err(format!("the flag registry and {FILE} disagree:\n  {}", problems.join("\n  ")).into())
    }

    fn problems(&self, registry: &[(&str, &str)]) -> Vec<String> {
        let mut problems = Vec::new();
        for &(flag, clause) in registry {
            if !self.clauses.contains(clause) {
                problems.push(format!("{flag} names clause {clause}, which is not there"));
            }
            match self.index.get(flag) {
                None => problems.push(format!("{flag} is not in the index of flags")),
                Some(indexed) if indexed != clause => {
                    problems.push(format!("{flag} names clause {clause}, the index names {indexed}"));
                }
                Some(_) => {}
            }
        }
        for flag in self.index.keys() {
            if registry.iter().all(|(name, _)| name != flag) {
                problems.push(format!("{flag} is in the index of flags, but not in the registry"));
            }
        }
        problems
    }
}

/// The anchor that Markdown renderers give to a heading.
pub(super) fn anchor(heading: &str) -> String {
    heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# A text

## 1. First, of two

**1.1 Clause.** Text.

**1.10 `FLAG`**, on `M`.

## Appendix B. Index of flags

| flag | clause | flag | clause |
|---|---|---|---|
| `A` | 1.1 | `B` | 1.10, 1.1 |
| `C` | 1.2 |
";

    #[test]
    fn reads_sections_clauses_and_the_index() {
        let clauses = Clauses::of(TEXT);
        assert_eq!(clauses.link("1.10"), "[1.10](canonical-form.md#1-first-of-two)");
        assert_eq!(clauses.link("7.1"), "7.1");
        assert_eq!(
            clauses.problems(&[("A", "1.1"), ("B", "1.10"), ("C", "1.2")]),
            ["C names clause 1.2, which is not there"]
        );
    }

    #[test]
    fn disagreement_is_told() {
        let clauses = Clauses::of(TEXT);
        assert_eq!(
            clauses.problems(&[("A", "1.10"), ("B", "1.10"), ("D", "1.1")]),
            [
                "A names clause 1.10, the index names 1.1",
                "D is not in the index of flags",
                "C is in the index of flags, but not in the registry",
            ]
        );
    }
}
