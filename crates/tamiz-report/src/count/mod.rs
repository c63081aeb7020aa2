//! The counters: each has bounded memory, and merging gives the same result in any grouping.

pub(crate) mod counter;
pub(crate) mod distinct;
pub(crate) mod facts;
pub(crate) mod labels;
pub(crate) mod lengths;
pub(crate) mod scores;
pub(crate) mod tally;
pub(crate) mod times;
