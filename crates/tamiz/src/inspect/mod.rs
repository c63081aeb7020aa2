//! Judges names and values, wherever they came from.

mod key;
mod more;
mod value;

pub(crate) use key::{JudgedKey, Key, write_key};
pub(crate) use more::MorePairs;
pub(crate) use value::scan_value;
