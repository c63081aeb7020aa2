//! Profiles: which lines and flags a document has.

use super::words;

words! {
    /// Which lines and flags are on.
    Profile {
        /// The mandatory lines and flags of the seventeen specifications the form grew from.
        Core = "core",
        /// Everything that is not marked `full`.
        Standard = "standard",
        /// Everything.
        Full = "full",
    }
}
