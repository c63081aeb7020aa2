//! Errors: a file that is no model, or a document that a model cannot take. Never content.

use std::fmt;

/// Why a model cannot be read, merged or used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes do not begin as those of a model.
    NotAModel,
    /// The file was written in another version of the format.
    Version(u8),
    /// The file ends early, or has bytes that were changed.
    Damaged,
    /// The model is of another form or configuration.
    Fingerprint {
        /// The fingerprint of the model.
        model: String,
        /// The fingerprint of what it is used with.
        other: String,
    },
    /// View `literal` shows values in clear, which a model must not hold.
    Literal,
    /// The document was read back from its text, and lacks tokens that a fresh one has.
    ReadBack,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotAModel => f.write_str("not a model: it does not begin as one"),
            Error::Version(version) => {
                write!(f, "a model of format {version}; this program reads format {}", crate::file::VERSION)
            }
            Error::Damaged => {
                f.write_str("a model that is truncated or damaged: its checksum does not match")
            }
            Error::Fingerprint { model, other } => {
                write!(
                    f,
                    "the model has fingerprint {model}, the requests {other}: learn again, or use its configuration"
                )
            }
            Error::Literal => {
                f.write_str("view 'literal' cannot be learned or scored: it shows values in clear")
            }
            Error::ReadBack => {
                f.write_str("a document that was read back cannot be learned or scored: give the request")
            }
        }
    }
}

impl std::error::Error for Error {}
