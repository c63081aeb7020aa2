//! The formats of bodies and of values: each reader hands the leaves of its format to a [`step::Sink`].

pub(crate) mod charset;
pub(crate) mod coding;
pub(crate) mod embedded;
pub(crate) mod encoded;
pub(crate) mod fields;
pub(crate) mod file;
pub(crate) mod json;
mod json_string;
pub(crate) mod key_path;
pub(crate) mod leaf;
pub(crate) mod magic;
pub(crate) mod multipart;
pub(crate) mod parameters;
pub(crate) mod part;
mod sections;
pub(crate) mod step;
pub(crate) mod unseen;
pub(crate) mod xml;

/// Returns whether data is text rather than binary: hardly a byte in it is a control or stray.
pub(crate) fn is_readable(data: &[u8]) -> bool {
    let odd = |&&b: &&u8| (b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r')) || b == 0x7F || b >= 0xF8;
    !data.contains(&0) && data.iter().filter(odd).count() <= data.len() / 20
}
