//! Bodies (clauses 8.30 to 8.37): what they are, and their leaves.

pub(crate) mod coding;
pub(crate) mod sniff;
pub(crate) mod step;
pub(crate) mod xml;
