//! What stands for `prefilter.rs` in WebAssembly, whose tables a page would download: every text is searched. The search finds
//! nothing that the prefilter would not let through, so that documents are the same.

use super::Walked;

/// Says that an entry may be in any text.
pub(super) fn may_match(_text: &[u8], _byte_classes: u32) -> Walked {
    Walked { may_match: true, marks: 0 }
}
