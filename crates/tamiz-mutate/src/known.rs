//! Mutants that no test can tell from the library, with the reason.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Result;
use crate::sites::Mutant;

/// The reasons, by key.
pub(crate) struct Known(BTreeMap<String, String>);

impl Known {
    /// Reads a file of lines: a key, a tab, the reason.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        Self::of(&fs::read_to_string(path)?)
    }

    fn of(text: &str) -> Result<Self> {
        let mut known = BTreeMap::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (key, reason) = line.split_once('\t').ok_or_else(|| format!("no reason: {line}"))?;
            known.insert(key.to_owned(), reason.to_owned());
        }
        Ok(Known(known))
    }

    pub(crate) fn reason(&self, mutant: &Mutant) -> Option<&str> {
        self.0.get(&mutant.key.to_string()).map(String::as_str)
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn lines_have_a_reason() {
        let known = Known::of("# comment\n00ff\tthe slow way gives the same\n").unwrap();
        assert_eq!(known.0["00ff"], "the slow way gives the same");
        assert!(Known::of("00ff").is_err());
    }
}
