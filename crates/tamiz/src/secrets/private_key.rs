//! Private keys in PEM (clause 6.11).

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

/// Finds a private key: from the first line of one to the end.
pub(super) fn find(text: &[u8]) -> Option<Range<usize>> {
    static BEGIN: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("-----BEGIN"));
    let at = BEGIN.find(text)?;
    let rest = text.get(at..)?;
    let private = [&b"PRIVATE KEY"[..], b"PRIVATE+KEY"];
    private.iter().any(|words| memchr::memmem::find(rest, words).is_some()).then_some(at..text.len())
}
