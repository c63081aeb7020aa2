use super::Checks;
use crate::common::properties::check_parse;

/// Checks any text, read as a document. Bytes that are not UTF-8 are passed over. It costs little: all is checked
/// always.
pub fn document_parse(input: &[u8], _: Checks) {
    if let Ok(text) = std::str::from_utf8(input)
        && let Err(broken) = check_parse(text)
    {
        panic!("{broken}");
    }
}
