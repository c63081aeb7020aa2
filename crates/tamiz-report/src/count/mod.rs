//! What is counted, and how: each with a bound on its memory, and merged to the same whatever was counted where.

pub(crate) mod counter;
pub(crate) mod distinct;
pub(crate) mod facts;
pub(crate) mod labels;
pub(crate) mod lengths;
pub(crate) mod scores;
pub(crate) mod tally;
pub(crate) mod times;
