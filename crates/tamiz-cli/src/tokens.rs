//! Which tokens are written.

use tamiz::TokenOptions;

use crate::failure::Failure;

/// The options of `--token-lengths`, which only tokens can follow.
pub(crate) fn options(lengths: bool, writes_tokens: bool) -> Result<TokenOptions, Failure> {
    if lengths && !writes_tokens {
        return Err(Failure::Usage("only tokens can have lengths: add '--format tokens'".to_owned()));
    }
    let mut options = TokenOptions::default();
    options.lengths = lengths;
    Ok(options)
}
