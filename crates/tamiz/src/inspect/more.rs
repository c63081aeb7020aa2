//! The record of pairs beyond those that a document shows.

use bumpalo::collections::Vec as BumpVec;

use super::Key;
use crate::flags::{FlagSet, Flags};
use crate::text::Text;

/// The record of the pairs beyond those that are shown.
pub(crate) struct MorePairs<'a> {
    pub(crate) count: usize,
    /// The flags of all, and of the leaves of those that are JSON.
    pub(crate) flags: Flags<'a>,
    /// The keys, each once, that are the parameter of a flag, and these flags.
    pub(crate) keyed: BumpVec<'a, (Key<'a>, FlagSet)>,
    /// Secrets in them that may be echoed.
    pub(crate) secrets: BumpVec<'a, Text<'a>>,
    /// True if there is a secret at all.
    pub(crate) holds_secret: bool,
    /// True if a value that is JSON reached a limit.
    pub(crate) holds_capped: bool,
}
