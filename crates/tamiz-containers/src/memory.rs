//! Memory for long records. An allocation that fails ends the program, and with it all other records: whoever is about to
//! make large ones asks before, so that a record for which there is no memory is one unreadable record.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::record::Reason;

/// The reason given for a record for which there is no memory.
pub(crate) const REASON: &str = "there is no memory for it";

/// Shorter records are not asked for: what they take is there, or nothing is.
const LEAST: usize = 256 << 10;

/// The most bytes that a value of JSON takes in memory for each byte of its text: an object with one member takes a
/// node of a tree.
const PARSED: usize = 96;

/// The most bytes that a document, its text and its columns take for each byte of the request: 64 for the document
/// alone (`crates/tamiz/tests/peak.rs`).
const DOCUMENT: usize = 80;

/// Memory for all else that goes on meanwhile.
const BESIDE: usize = 32 << 20;

/// The bytes that were promised to threads that are at work on long records.
static PROMISED: AtomicUsize = AtomicUsize::new(0);

/// Memory that a thread may count on until this is dropped, as far as others ask before they take it too.
#[derive(Debug)]
pub(crate) struct Promise(usize);

impl Promise {
    /// Memory to parse so many bytes of JSON.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn to_parse(len: usize) -> Result<Self, Reason> {
        Promise::of(len, PARSED).ok_or(Reason::Borrowed(REASON))
    }

    /// Memory to make a document of a request of so many bytes; `None` when there is none.
    pub(crate) fn for_document(len: usize) -> Option<Self> {
        Promise::of(len, DOCUMENT)
    }

    /// Memory for some copies of so many bytes.
    pub(crate) fn for_copies(len: usize, copies: usize) -> Option<Self> {
        Promise::of(len, copies)
    }

    fn of(len: usize, times: usize) -> Option<Self> {
        if len < LEAST {
            return Some(Promise(0));
        }
        let bytes = len.saturating_mul(times).saturating_add(BESIDE);
        let others = PROMISED.fetch_add(bytes, Ordering::Relaxed);
        let promise = Promise(bytes);
        is_there(others.saturating_add(bytes)).then_some(promise)
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        PROMISED.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Returns whether so many bytes can be had at present.
fn is_there(bytes: usize) -> bool {
    let mut room = Vec::<u8>::new();
    let is_there = room.try_reserve_exact(bytes).is_ok();
    // What nobody looks at need not be allocated.
    std::hint::black_box(&room);
    is_there
}

/// Adds bytes to others; whether there was memory for them.
pub(crate) fn add(to: &mut Vec<u8>, bytes: &[u8]) -> bool {
    let is_there = to.try_reserve(bytes.len()).is_ok();
    if is_there {
        to.extend_from_slice(bytes);
    }
    is_there
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_not_promised() {
        assert!(Promise::to_parse(1 << 20).is_ok() && Promise::for_document(1 << 20).is_some());
        assert!(Promise::to_parse(isize::MAX as usize).is_err());
        assert!(Promise::for_document(usize::MAX).is_none() && Promise::for_document(0).is_some());
        let mut bytes = b"a".to_vec();
        assert!(add(&mut bytes, b"b") && bytes == b"ab");
    }
}
