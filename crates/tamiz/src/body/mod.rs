//! Bodies (clauses 8.30 to 8.37): what they are, and their leaves.

pub(crate) mod encoded;
pub(crate) mod file;
pub(crate) mod magic;
pub(crate) mod multipart;
pub(crate) mod parameters;
pub(crate) mod part;
pub(crate) mod step;
