//! Makes the tables of the trie from the words, at start-up.

use super::table_part;
use super::table_trie;

/// The entries of `spec/words/`, one a line, an empty line between classes.
const WORDS: &str = include_str!("words.txt");

/// The tables of the trie, one behind the other.
pub(super) fn expand() -> Vec<u8> {
    let classes: Vec<Vec<&str>> = WORDS.split("\n\n").map(|entries| entries.lines().collect()).collect();
    let (entries, _) = table_part::all(&classes);
    table_trie::tables(&entries, classes.len()).unwrap_or_default().concat()
}

#[cfg(target_family = "wasm")]
pub(super) use made::{Bytes, Records};

#[cfg(target_family = "wasm")]
mod made {
    use std::ops::Deref;
    use std::sync::LazyLock;

    static ALL: LazyLock<Vec<u8>> = LazyLock::new(super::expand);

    /// A table of bytes: where it begins.
    pub(in crate::keywords) struct Bytes<const COUNT: usize>(usize);

    /// A table of records: where it begins.
    pub(in crate::keywords) struct Records<const RECORD: usize, const COUNT: usize>(usize);

    impl<const COUNT: usize> Bytes<COUNT> {
        pub(in crate::keywords) const fn at(start: usize) -> Self {
            Bytes(start)
        }
    }

    impl<const RECORD: usize, const COUNT: usize> Records<RECORD, COUNT> {
        pub(in crate::keywords) const fn at(start: usize) -> Self {
            Records(start)
        }

        pub(in crate::keywords) const fn len(&self) -> usize {
            COUNT
        }
    }

    impl<const COUNT: usize> Deref for Bytes<COUNT> {
        type Target = [u8];

        fn deref(&self) -> &[u8] {
            ALL.get(self.0..).and_then(|all| all.get(..COUNT)).unwrap_or_default()
        }
    }

    impl<const RECORD: usize, const COUNT: usize> Deref for Records<RECORD, COUNT> {
        type Target = [[u8; RECORD]];

        fn deref(&self) -> &[[u8; RECORD]] {
            let all = ALL.get(self.0..).unwrap_or_default();
            all.as_chunks().0.get(..COUNT).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_words_make_the_tables_of_the_file() {
        let all = include_bytes!("tables.bin");
        let made = super::expand();
        assert!(made.len() > 1_000_000, "{} bytes", made.len());
        assert!(all.starts_with(&made), "run `cargo x generate`");
    }
}
